"""Loops that only fill a list are printed as list displays."""

from __future__ import annotations

import ast
import textwrap

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.emit.gathered import gathered


def rewritten(text: str) -> str:
    (function,) = ast.parse(textwrap.dedent(text)).body
    assert isinstance(function, ast.FunctionDef)
    return ast.unparse(ast.fix_missing_locations(gathered(function)))


@pytest.mark.parametrize(("loop", "display"), [
    ("for v in x:\n  y.append(v * v)", "y = [v * v for v in x]"),
    ("for _ in range(n):\n  y.append(0.0)", "y = [0.0] * n"),
    ("for i in range(1, n):\n  y.append(-1)", "y = [-1 for i in range(1, n)]"),
    ("for a, b in zip(x, z):\n  y.append(a * b)", "y = [a * b for a, b in zip(x, z)]"),
])
def test_displays(loop, display):
    body = textwrap.indent(f"y = []\n{loop}\nreturn y", "    ")
    assert display in rewritten(f"def f(x, z, n):\n{body}\n")


@pytest.mark.parametrize("text", [
    "def f(x):\n    y = []\n    for v in x:\n        y.append(v)\n    return y[0] * v",
    "def f(x):\n    y = []\n    for v in x:\n        y.append(len(y))\n    return y",
    "def f(x):\n    y = []\n    for v in x:\n        y.append(v)\n    for w in y:\n        v = v + w\n    return v",
    "def f(x):\n    y = [1]\n    for v in x:\n        y.append(v)\n    return y",
    "def f(x):\n    for v in x:\n        pass\n    return v",
])
def test_loops_that_stay(text):
    assert rewritten(text) == ast.unparse(ast.parse(text))


def test_a_name_that_is_bound_again():
    text = """
    def f(x):
        y = []
        for v in x:
            y.append(v)
        for i in range(3):
            v = x[i]
            y[i] = v
        for v in y:
            pass
        return [v for v in y]
    """
    assert rewritten(text).count("for v in") == 2


def filled(x):
    y = [0.0] * len(x)
    for i in range(len(x)):
        y[i] = x[i] ** 2
    return sum(y)


def test_text():
    df = sg.grad(filled)
    assert np.array_equal(df(np.array([1.0, 2.0])), [2.0, 4.0])
    assert "y = [0.0] * x.shape[0]" in df.source() and "pass" not in df.source()


@pytest.mark.parametrize(("body", "display"), [
    ("y = []\nz = x + 1\ny.append(z)\nfor v in x:\n    y.append(v + y[0])\nreturn y", "y = [z]"),
    ("y = []\nz = []\ny.append(x)\nz.append(y)\nz.append(x)\nreturn z", "z = [y]"),
])
def test_first_items(body, display):
    text = f"def f(x):\n{textwrap.indent(body, '    ')}\n"
    assert display in rewritten(text)
    spaces = [{}, {}]
    for made, space in zip((text, rewritten(text)), spaces):
        exec(made, space)
    assert spaces[0]["f"](np.ones(3)).__repr__() == spaces[1]["f"](np.ones(3)).__repr__()


@pytest.mark.parametrize("text", [
    "def f(x):\n    y = []\n    if x:\n        return y\n    y.append(x)\n    return y",
    "def f(x):\n    y = []\n    z = [y]\n    y.append(x)\n    return z",
    "def f(x):\n    y = []\n    y.append(len(y))\n    return y",
    "def f(x):\n    try:\n        y = []\n        z = x[0]\n        y.append(z)\n    except IndexError:\n"
    "        return y\n    return y",
])
def test_lists_that_start_empty(text):
    assert rewritten(text) == ast.unparse(ast.parse(text))
