"""What ``explain`` tells."""

from __future__ import annotations

import linecache

import numpy as np

import srcgrad as sg

X = np.arange(1.0, 5.0)


def heat(u0, alpha, steps):
    u = u0.copy()
    cost = 0.0
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        cost += np.sum(u * u)
    return cost


def section(text, heading):
    """The lines of one section."""
    lines = text.splitlines()
    start = lines.index(f"{heading}:") + 1
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return [line.strip() for line in lines[start:end]]


def test_the_first_call():
    text = sg.grad(heat).explain(X, 0.1, 3)
    assert section(text, "why it was compiled") == ["the first call"]
    assert "u0 is an array of float64, rank 1, no axis of length 1" in text
    assert "alpha is a float" in text
    assert any(line.startswith("staged loop: test_explain.py:") and "for _ in range(steps)" in line
               for line in section(text, "loops and branches"))
    assert "8*n" in "".join(section(text, "kept for the backward part"))


def test_guards_name_the_line_that_needs_them():
    def middle(u, f):
        return np.sum(u[1:-1] * f[1:-1])

    guards = section(sg.grad(middle).explain(X, X), "checked at each call")
    assert any(g.endswith("return np.sum(u[1:-1] * f[1:-1])") for g in guards), guards


def test_another_dtype():
    df = sg.grad(heat)
    df(X, 0.1, 3)
    df(X.astype(np.float32), 0.1, 3)
    (line,) = section(df.explain(), "why it was compiled")
    assert line.startswith("it was: u0 is an array of float64, rank 1, no axis of length 1; "
                           "now: u0 is an array of float32")


def test_another_type():
    df = sg.grad(heat)
    df(X, 0.1, 3)
    df(X, np.float64(0.1), 3)
    (line,) = section(df.explain(), "why it was compiled")
    assert "alpha is a float;" in line and "alpha is a float64" in line


def test_another_static_value():
    def power(x, kind):
        return np.sum(x ** 2) if kind == "square" else np.sum(x)

    df = sg.grad(power)
    df(X, "square")
    df(X, "plain")
    found = section(df.explain(), "why it was compiled")
    assert any("kind == 'square'; now: kind == 'plain'" in line for line in found)


def test_an_older_signature_is_explained_by_its_arguments():
    df = sg.grad(heat)
    df(X, 0.1, 3)
    df(X.astype(np.float32), 0.1, 3)
    assert section(df.explain(X, 0.1, 3), "why it was compiled") == ["the first call"]


def test_the_size_of_the_code():
    (line,) = section(sg.grad(heat).explain(X, 0.1, 3), "size of the generated code")
    assert "lines of code" in line and "backward" in line


def test_a_straight_line_keeps_nothing():
    text = sg.grad(lambda x: np.sum(x * x)).explain(X)
    assert section(text, "loops and branches") == [
        "none: the generated code is a straight line"]
    assert "nothing is copied" in text


def halved(x):
    return x / 2


def quartered(x):
    return halved(halved(x))


def test_inlined_functions_are_named_with_their_call_sites():
    def f(x):
        y = quartered(x)
        return np.sum(halved(y))

    lines = section(sg.grad(f).explain(X), "functions that were inlined")
    assert any(line.startswith("quartered ") and "y = quartered(x)" in line for line in lines)
    assert any(line.startswith("halved ") and "return halved(halved(x))" in line for line in lines)
    assert any(line.startswith("halved ") and "return np.sum(halved(y))" in line for line in lines)
    assert section(sg.grad(lambda x: np.sum(x)).explain(X), "functions that were inlined") == ["none"]


def test_unrolled_loops_and_long_lists_are_said():
    def f(x, layers):
        for w in layers:
            x = np.tanh(x * w)
        return np.sum(x)

    short = section(sg.grad(f).explain(X, [X, X]), "loops and branches")
    assert any("unrolled" in line for line in short), short
    long = section(sg.grad(f).explain(X, [X] * 20), "loops and branches")
    assert any("long list" in line for line in long) and any("staged loop" in line for line in long)


def tree_sum(x):
    if len(x) == 1:
        return x[0]
    return np.logaddexp(tree_sum(x[:len(x) // 2]), tree_sum(x[len(x) // 2:]))


def test_functions_of_their_own_are_looked_into():
    text = sg.grad(tree_sum).explain(X)
    lines = section(text, "loops and branches")
    assert any(line.startswith("staged branch") and "len(x) == 1" in line for line in lines)
    assert any(line.startswith("call of a function of its own") for line in lines)
    assert section(text, "kept for the backward part") == [
        "what tree_sum_backward needs: returned as a record by each of its calls"]


def test_numbers_that_were_fixed_are_said():
    def f(x):
        parts = np.split(x[1:] ** 2, len(x) - 1)
        return parts[0][0] * parts[-1][0]

    lines = section(sg.grad(f).explain(X), "loops and branches")
    assert any(line.startswith("fixed: ") and " is 3: " in line for line in lines), lines


def test_functions_of_the_compiler_are_not_listed():
    def f(x):
        sums = {}
        for i, v in enumerate(x):
            sums[i % 2] = sums.get(i % 2, 0.0) + v**2
        return sum(sums.values())

    lines = section(sg.grad(f).explain(X), "checked at each call")
    assert not any("Table" in line or "place" in line for line in lines), lines


def test_a_redefined_helper_is_named():
    space = {"np": np, "helper": np.sin, "__name__": "redefined"}

    def define(text):
        name = f"<cell {len(linecache.cache)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), space)

    define("def helper(x):\n    return x ** 2\n")
    define("def f(x):\n    return np.sum(act(helper(x)))\nact = lambda x: x\n")
    df = sg.grad(space["f"])
    assert df(np.ones(2)).tolist() == [2.0, 2.0]
    define("def helper(x):\n    return x ** 3\n")
    assert df(np.ones(2)).tolist() == [3.0, 3.0]
    assert "helper is another function than it was: it was defined or assigned again" in df.explain()
    define("act = lambda x: 2.0 * x\n")
    assert df(np.ones(2)).tolist() == [6.0, 6.0]
    assert "act has other code than it had" in df.explain()
