"""Where a program has a value, its derivative is no exception of Python's: what it divides by, or raises
to a power, may be zero, of Python's or of NumPy's, on some paths one and on others the other."""

from __future__ import annotations

import itertools
import linecache
import math

import numpy as np
import pytest

import srcgrad as sg

EXPRESSIONS = (
    "a / b", "b / a", "a / k", "a % b", "a // b + a", "a ** b", "abs(a) ** b", "pow(a, b)", "math.pow(a, b)",
    "a ** 0.5", "a ** k", "(a * b) ** b", "a * 2.0 / (k if a > 0 else 0)", "a / k ** 2", "np.divide(a, b)",
    "a / (0 if a > b else 1)", "a / (0.0 if a < b else k)", "np.log(a)", "np.log1p(-a)", "np.arctanh(a)",
    "np.fmod(a, b)", "np.reciprocal(a)", "np.log(a / 2.0) + a / 2.0", "math.sqrt(a)", "np.sqrt(a) / 2.0")
CONTEXTS = (
    "    return E\n",
    "    s = 0.0\n    for k in range(3):\n        s += E\n    return s\n",
    "    s = 0.0\n    for b in (b, 1):\n        s = s + (E)\n        a = np.float64(a)\n    return s\n",
    "    for k in range(2, 0, -1):\n        a = E\n    return a\n",
    "    s = a * 0.0\n    while k >= 0:\n        b = k - 1\n        s = s + (E)\n        k -= 1\n    return s\n",
    "    s = 0.0\n    if a > b:\n        b = 0\n    else:\n        s = 2.0 * a\n    return s + (E)\n",
    "    def f(a, b):\n        return E\n    return f(a, b) + f(b, a)\n")
NUMBERS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (0.0, 0.5), (1.0, 2.0), (0.0, -1.0))


def compiled_from(text, name):
    name = f"<{name}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np, "math": math, "__name__": __name__}
    exec(compile(text, name, "exec"), names)
    return names["program"]


@pytest.mark.parametrize("place", range(len(CONTEXTS)))
@pytest.mark.parametrize("expression", EXPRESSIONS)
@np.errstate(all="ignore")
def test_derivative_raises_nothing(expression, place):
    text = "def program(a, b, k):\n" + CONTEXTS[place].replace("E", expression)
    program = compiled_from(text, f"divisors {place} {expression}")
    df = sg.value_and_grad(program, argnums=(0, 1))
    for numbers, kinds in itertools.product(NUMBERS, itertools.product((float, np.float64), repeat=2)):
        a, b = (kind(number) for kind, number in zip(kinds, numbers))
        try:
            want = program(a, b, 2)
        except (ArithmeticError, ValueError) as error:
            with pytest.raises(type(error)):
                df(a, b, 2)
            continue
        if not isinstance(want, complex):
            value, _ = df(a, b, 2)
            assert type(value) is type(want)
            np.testing.assert_array_equal(value, want)


def divided_by_what_a_loop_counts(x):
    depth, total = 1.0, 0.0
    while depth < 4:
        total += x[0] / depth
        depth += 1.0
    return total


def terms_of_a_series(x):
    term, total, k = 1.0, 0.0, 0
    while k < 5:
        k += 1
        term = term * x[0] / k
        total += term
    return total


@pytest.mark.parametrize("program", (divided_by_what_a_loop_counts, terms_of_a_series))
def test_what_is_positive_is_not_asked(program):
    x = np.array([0.5])
    assert "inf" not in sg.grad(program).source(x)
    step = 1e-6
    slope = (program(x + step) - program(x - step)) / (2 * step)
    np.testing.assert_allclose(sg.grad(program)(x)[0], slope, rtol=1e-6)
