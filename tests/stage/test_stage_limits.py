"""Sizes of programs: deep nesting, long functions, time of staging."""

# ruff: noqa: E501

import gc
import sys
import threading
import time

import pytest
from test_stage_generated import build

from srcgrad.stage import PlainMachine, room_to_recurse, stage


def staged(text, *args):
    """Run ``program(*args)`` of the text staged; the value."""
    function, _ = build(text)
    return stage(function).run(PlainMachine(), args, {}, fn=function), function(*args)


def check(text, *args):
    got, expected = staged(text, *args)
    assert got == expected


def nested(header, depth, body):
    lines = ["def program(x):", "    s = 0"]
    for level in range(depth):
        lines.append(" " * (4 + level) + header.format(level))
    lines.append(" " * (4 + depth) + body)
    return "\n".join([*lines, "    return s\n"])


def test_ninety_nested_ifs():
    check(nested("if x > {}:", 90, "return x"), 200)
    check(nested("if x > {}:", 90, "s = x"), 50)


def test_twenty_nested_loops():
    check(nested("for i{} in range(1):", 20, "s += x"), 3)
    check(nested("for i{} in range(1):", 20, "return 'inner'"), 3)


def test_nested_while_loops():
    check(nested("while x < {0} + 1:", 18, "x += 20"), 0)


def test_expression_two_hundred_deep():
    check("def program(x):\n    return " + "(" * 199 + "x" + "+1)" * 199 + "\n", 1)
    check("def program(x):\n    return " + "abs(" * 190 + "x" + ")" * 190 + "\n", -1)
    check("def program(x):\n    return " + "(1 + " * 190 + "x" + ")" * 190 + "\n", -1)
    check("def program(x):\n    return " + "(x and " * 190 + "x" + ")" * 190 + "\n", 3)
    check("def program(x):\n    return " + "(x if x > 5 else " * 95 + "x" + ")" * 95 + "\n", 3)
    check("def program(x):\n    return " + " + ".join(["x * 2"] * 900) + "\n", 3)


def test_constant_expression():
    check("def program(x):\n    return x + " + "-(" * 150 + "1" + ")" * 150 + "\n", 3)


def test_four_hundred_early_returns():
    lines = [f"    if x == {i}:\n        return {i} * 2" for i in range(400)]
    text = "def program(x):\n" + "\n".join(lines) + "\n    return 'last'\n"
    check(text, 399)
    check(text, -1)
    check(text, 7)


def test_long_elif_chain():
    lines = [f"    {'el' if i else ''}if x == {i}:\n        y = {i} * 2" for i in range(150)]
    text = "def program(x):\n" + "\n".join(lines) + "\n    else:\n        y = 'last'\n    return y\n"
    check(text, 149)
    check(text, 999)


def test_thousand_lines():
    lines = [f"    a{i % 50} = a{(i + 7) % 50} * 0.5 + {i}" for i in range(1000)]
    start = [f"    a{i} = x + {i}" for i in range(50)]
    check("def program(x):\n" + "\n".join(start + lines) + "\n    return a1, a30\n", 1.5)


@pytest.mark.parametrize("jump", ["return i", "continue", "break", "y = 1"])
def test_long_bodies_keep_their_regions_apart(jump):
    body = "\n".join(f"        x += 1\n        if x % {i + 2} == 0:\n            x += 3\n"
                     f"        if x == {i * 5}:\n            {jump}" for i in range(90))
    before = "\n".join(f"    if x == {i}:\n        x += 1" for i in range(-80, 0))
    text = (f"def program(x):\n{before}\n    if x == 77: return 0\n    for i in range(3):\n{body}\n"
            f"    else:\n        x = -x\n    if x < 5: return x\n{before}\n    return x, i\n")
    for x in (-80, 0, 3, 50, 1000, 77):
        check(text, x)


def test_staging_works_far_down_the_stack():
    def down(depth):
        if depth:
            return down(depth - 1)
        return staged("def program(x):\n    return " + "(" * 150 + "x" + "+1)" * 150 + "\n", 1)

    got, expected = down(sys.getrecursionlimit() - 300 - _depth())
    assert got == expected


def test_room_to_recurse_is_given_back():
    before = sys.getrecursionlimit()

    def down(n):
        return n and down(n - 1)

    def use():
        with room_to_recurse(), room_to_recurse():
            assert down(5000) == 0
        time.sleep(0.01)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.getrecursionlimit() == before
    with pytest.raises(KeyError), room_to_recurse():
        raise KeyError
    assert sys.getrecursionlimit() == before


def test_threads_stage_the_same_function():
    function, _ = build("def program(x):\n    return [x + i for i in range(3)]\n")
    results = []

    def use():
        results.append(stage(function).run(PlainMachine(), (1,), {}, fn=function))

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[1, 2, 3]] * 8


def _depth():
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def straight(n):
    body = "\n".join(f"    x = x * {i} + y\n    if x > {i}: y = x" for i in range(n))
    return f"def program(x, y):\n{body}\n    return x\n"


def returning(n):
    body = "\n".join(f"    x = x * {i} + y\n    if x > {i}: return x" for i in range(n))
    return f"def program(x, y):\n{body}\n    return x\n"


@pytest.mark.parametrize("make", [straight, returning])
def test_staging_time_is_linear(make):
    def seconds(n):
        best = 1e9
        for _ in range(3):
            function, _ = build(make(n))
            start = time.process_time()
            stage(function)
            best = min(best, time.process_time() - start)
        return best

    gc.disable()  # its cost depends on what other tests have left behind
    try:
        seconds(50)
        small, large = seconds(100), seconds(800)
    finally:
        gc.enable()
    assert large < 8 * small * 2.5, f"{small * 1e3:.1f} ms for 200 lines, {large * 1e3:.1f} for 1600"


def test_staging_is_memoised_on_the_code_object():
    def make(k):
        def f(x):
            return x + k
        return f

    one, two = make(1), make(2)
    assert stage(one) is stage(two)
    assert stage(one).run(PlainMachine(), (1,), {}, fn=one) == 2
    assert stage(two).run(PlainMachine(), (1,), {}, fn=two) == 3
