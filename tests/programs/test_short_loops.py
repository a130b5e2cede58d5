"""Loops of few iterations with long bodies are loops in the text: over numbers from outside, and where
they fill dicts.  A list or tuple that is gathered for that is used in every other way, too.
"""

from __future__ import annotations

import collections
import copy
import functools
import heapq
import linecache

import numpy as np
import pytest
from alike import Programs, check
from chain import same

import srcgrad as sg

BODY = """
        m = np.eye(2)
        for k in range(3):
            d = 2 * x * v * (k + 1)
            m = m @ np.array([[np.cos(d), np.sin(d) / (k + 2)], [-k * np.sin(d), np.cos(d)]])
        b, c = m @ np.array([1.0, 1.52])
        r = (b - c) / (b + c)
        s = s + r * r
    {}
    return s
"""
HEADS = {
    "items": "for v in w:",
    "numbered": "for n, v in enumerate(w):",
    "together": "for v, u in zip(w, w):",
}
USES = {
    "first": "s = s * w[0]", "last": "s = s * w[-1]", "unpacked": "a, *b = w; s = s * a + b[-1]",
    "sum": "s = s * sum(w)", "max": "s = s * max(w)", "mean": "s = s * np.mean(w)",
    "array": "s = s * np.array(w)[0]", "length": "s = s * len(w)", "call": "s = s * product(*w)",
    "longer": "u = w + type(w)([1.0]); s = s * u[-1] * u[0]", "rest": "s = s * w[1:][0]",
    "backwards": "s = s * w[::-1][0]", "twice": "s = s * (w * 2)[-1]", "index": "s = s + w.index(w[1])",
    "count": "s = s + w.count(0.2)", "member": "s = s + (w[0] in w)", "pairs": "s = s + sum(a * b for a, b in zip(w, w[1:]))",
    "sorted": "s = s * sorted(w)[0]", "class": "s = s + isinstance(w, tuple) + (type(w) is list)",
    "equal": "s = s + (w == (0.1, 0.2, 0.35, 0.5))", "less": "s = s + (w < type(w)([0.2, 0.1]))",
    "dot": "s = s + float(np.dot(w, w))", "copy": "u = list(w); u[0] = 3.0; s = s * u[0] + u[1]",
    "made": "u = tuple(q * 2 for q in w); s = s + u[1]", "held": "s = s + {'w': (w, s)}['w'][0][0]",
    "by_data": "s = s + w[int(x > 0)]", "spread": "s = s + len([*w, 1.0])",
    "joined": "s = s + (w if x > 0 else type(w)([1.0, 2.0]))[0]", "shrinks": "u = w\n    while len(u) > 1:\n        s = s + u[0]; u = u[1:]",
    "truth": "s = s + (not w)", "heap": "u = list(w); heapq.heapify(u); s = s + heapq.heappop(u)", "deque": "u = collections.deque(w); u.append(2.0); s = s + u.popleft()",
    "set": "s = s + len({*w})", "tuple": "u = (1.0, *w); s = s + len(u) * u[-1]", "reduced": "s = s + functools.reduce(lambda a, b: a * b + 1, w, 2.0)",
    "deep": "s = s + copy.deepcopy(w)[1]", "nested": "s = s + sum(a * b for a in w for b in w)", "looked_up": "s = s + dict(enumerate(w))[1]",
    "other": "s = s + np.full(len(w), s).sum()",
}


def product(*factors):
    return sum(factors) * factors[0]


def program_of(head, use):
    text = f"def program(x, w):\n    s = 0.0\n    {head}{BODY.format(use)}"
    linecache.cache[head + use] = (len(text), None, text.splitlines(True), head + use)
    namespace = {"np": np, "product": product, "heapq": heapq, "collections": collections, "functools": functools, "copy": copy}
    exec(compile(text, head + use, "exec"), namespace)
    return namespace["program"]


def slopes(program, x, w, step=1e-6):
    moved = [type(w)([v + step * sign * (i == k) for k, v in enumerate(w)])
             for i in range(len(w)) for sign in (1, -1)]
    ends = [program(x, one) for one in moved]
    return (program(x + step, w) - program(x - step, w)) / (2 * step), [
        (a - b) / (2 * step) for a, b in zip(ends[::2], ends[1::2])]


def compare(program, *calls):
    derivative = sg.value_and_grad(program, argnums=(0, 1))
    for x, w in calls:
        value, (by_x, by_w) = derivative(x, w)
        assert same(value, program(x, w))
        assert type(by_w) is type(w)
        expected = slopes(program, x, w)
        assert np.isclose(by_x, expected[0], rtol=1e-4, atol=1e-6)
        assert np.allclose(by_w, expected[1], rtol=1e-4, atol=1e-5)
    return derivative


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("head", HEADS)
def test_one_text(head, kind):
    program = program_of(HEADS[head], "pass")
    few, many = kind([0.1, 0.4, 0.7, 0.2]), kind([0.1, 0.4, 0.7, 0.2, 0.5, 0.3])
    derivative = compare(program, (0.3, few), (0.7, many))
    assert derivative.source(0.3, few) == derivative.source(0.7, many)
    assert len(derivative.source(0.3, few).splitlines()) < 80


@pytest.mark.parametrize("use", USES)
def test_other_uses(use):
    program = program_of(HEADS["items"], USES[use])
    for kind in (tuple, list):
        compare(program, (0.3, kind([0.1, 0.2, 0.35, 0.5])), (0.7, kind([0.5, 0.4, 0.3, 0.2, 0.1])))


def test_keys_and_hashes():
    table = {}

    def kept(x, w):
        s = 0.0
        for v in w:
            s = s + np.sin(x * v) * np.exp(-x * v) + np.cos(v) * x ** 2 + np.tanh(x + v) * np.log(v + 2.0)
        table[1] = w
        return s

    sg.value_and_grad(kept)(0.3, (0.1, 0.2) * 10)
    assert table == {1: (0.1, 0.2) * 10} and type(table[1]) is tuple


def test_dicts_that_short_loops_fill():
    seen = {}

    def descent(x, a):
        for step in range(6):
            g = a @ (a @ x - 1.0) + 0.1 * x
            h = 1.0
            while np.sum((a @ (x - h * g)) ** 2) > 10.0:
                h /= 2
            x = x - h * g
            seen[step] = float(np.sum(x))
        return np.abs(x).sum()

    a, x = np.array([[0.5, 0.2], [0.2, 0.4]]), np.array([0.3, -0.7])
    derivative = sg.value_and_grad(descent)
    assert len(derivative.source(x, a).splitlines()) < 55
    value, slope = derivative(x, a)
    found = dict(seen)
    assert value == descent(x, a) and found == seen and list(found) == [*range(6)]
    for i, step in enumerate(np.eye(2) * 1e-6):
        assert np.isclose(slope[i], (descent(x + step, a) - descent(x - step, a)) / 2e-6, rtol=1e-4)


ENDLESS = Programs()
POINTS = [lambda v=v: (v,) for v in (0.1, 0.45, 0.7, 1.1, 2.5)]


@ENDLESS.called(*POINTS)
def left_at_the_end(x):
    s = 1.0
    while True:
        t = np.sin(x * s)
        if t < 0.3:
            break
        s = s / 2
    return t * s


@ENDLESS.called(*POINTS)
def left_before(x):
    s = 1.0
    while True:
        if x * s < 0.5:
            break
        t = np.sin(x * s)
        s = s / 2
    return t * s


@ENDLESS.called(*POINTS)
def bound_in_one_arm(x):
    s = 1.0
    while True:
        if x * s > 0.5:
            t = x * s
        else:
            break
        s = s / 2
    return t


@ENDLESS.called(*POINTS)
def gone_on(x):
    n, s = 0, 1.0
    while True:
        n += 1
        if n > 5:
            break
        if x * s > 2.0:
            continue
        t = x * s
        s = s / 2
        if s < 0.2:
            break
    return t


@ENDLESS.called(*POINTS)
def bound_by_the_test(x):
    s = 1.0
    while (t := np.sin(x * s)) > 0.3:
        s = s / 2
    return t * s


@ENDLESS.called(*POINTS)
def bound_by_a_part_of_the_test(x):
    s = 1.0
    while (t := x * s) > 0.3 and (u := t + 1) > 1.5:
        s = s / 2
    return t * u


@ENDLESS.called(*POINTS)
def bound_behind_what_raises(x):
    while True:
        try:
            t = np.log(x)
            u = 1.0 / (0.0 if x > 1 else 1.0)
            break
        except ZeroDivisionError:
            x = x / 3
            v = x
    return t + u + v


@ENDLESS.called(*POINTS)
def taken_away(x):
    while True:
        t = x * 2
        if x > 1.0:
            del t
            break
        if x > 0.6:
            break
        x = x * 1.5
    return t


@ENDLESS.called(*POINTS)
def bound_inside(x):
    i = 0
    while 1:
        i += 1
        for j in range(i):
            w = x * j
            if w > 1:
                break
        else:
            if i < 5:
                continue
        break
    return w * i


@pytest.mark.parametrize(("function", "calls", "refused"), ENDLESS.cases)
def test_names_bound_in_endless_loops(function, calls, refused):
    check(function, calls, refused)


def test_no_check_where_a_name_is_bound():
    for program in (left_at_the_end, bound_by_the_test):
        assert "UnboundLocalError" not in sg.value_and_grad(program).source(0.7)


def test_transforms_with_respect_to_a_tuple():
    program = program_of(HEADS["items"], USES["first"])
    given, moved = (0.1, 0.4, 0.7, 0.2), (1.0, -0.5, 0.2, 0.3)

    def of(kind):
        w, t = kind(given), kind(moved)
        value, pullback = sg.vjp(program, 0.3, w)
        return [sg.jvp(program, (0.3, w), (0.2, t)), value, pullback(2.0),
                sg.hvp(program, argnums=1)(0.3, w, t), sg.hessian(program, argnums=1)(0.3, w),
                sg.jacobian(lambda v: np.array([program(0.3, v)]))(w), sg.jit(program)(0.3, w)]

    as_tuple, as_list = of(tuple), of(list)
    assert type(as_tuple[2][1]) is type(as_tuple[3]) is tuple and type(as_list[3]) is list
    assert repr(as_tuple).replace("(", "[").replace(")", "]") == repr(as_list).replace(
        "(", "[").replace(")", "]")


# ---- few iterations whose body is long stay a loop --------------------------------------------


def ranked(x):
    links = {"a": ["b"], "b": ["a", "b"]}
    rank = {name: 0.5 for name in links}
    for _ in range(5):
        new = {name: (1 - x) / 2 for name in links}
        for name, outs in links.items():
            for other in outs:
                new[other] += x * rank[name] / len(outs)
        if max(abs(new[name] - rank[name]) for name in links) < 1e-3:
            break
        rank = new
    return rank["a"] + 0.5 * rank["b"]


def listed(x):
    old = [0.5, 0.25]
    for _ in range(5):
        new = [x, x * x]
        for k in range(2):
            new[k] += x * old[k]
        if abs(new[0] - old[0]) < 1e-2:
            break
        old = new
    return old[0] + 0.5 * old[1]


def taken_over(x):
    rank = {"a": 0.5, "b": 0.5}
    for _ in range(5):
        new = {"a": x, "b": x}
        for key in "ab":
            new[key] += x * rank[key]
        if abs(new["a"] - rank["a"]) > 1e-1:
            rank = new
    return rank["a"] + 0.5 * rank["b"]


def beside_lists(x):
    now, lists = {"u": x, "v": 1.0}, {"u": [x], "v": [2.0, x]}
    for _ in range(5):
        new = {"u": now["v"] * x, "v": now["u"] + lists["v"][1]}
        if new["u"] > 6.0:
            break
        now = new
        lists["u"].append(now["v"])
    return now["u"] * now["v"] + sum(lists["u"])


@pytest.mark.parametrize("program", [ranked, listed, taken_over, beside_lists],
                         ids=lambda f: f.__name__)
def test_few_long_iterations_stay_a_loop(program):
    derivative = sg.value_and_grad(program)
    for x in (0.85, 0.3, 1.4):
        value, slope = derivative(x)
        assert value == program(x)
        h = 1e-6
        assert slope == pytest.approx((program(x + h) - program(x - h)) / (2 * h), rel=1e-5)
    assert len(derivative.source(0.85).splitlines()) < 50
