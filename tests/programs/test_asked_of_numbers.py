"""What a program asks of a name that a path makes a number of Python, of NumPy, or an array: where
it has not what is asked for, the exception is caught."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest
from chain import close, differences, run_quietly, same
from generator import made

import srcgrad as sg

# what the name is, and what paths make of it
NAMES = {
    "a number of NumPy or a float": ("np.sin(x[1])", "3.0"),
    "an item or an int": ("x[1]", "2"),
    "an array or a float": ("np.sin(x)", "0.5"),
    "an array or a number of NumPy": ("x * s", "np.cos(s)"),
    "a comparison": ("np.sin(x[1]) > 0.2", "True"),
    "a comparison of arrays": ("x > 0.35", "False"),
}
ASKED = {
    "a.sum() + 1.5": "AttributeError",
    "a.any() * 2.5": "AttributeError",
    "np.float64(a.mean()) * 1.5": "(AttributeError, ValueError)",
    "a.ndim + 0.5": "AttributeError",
    "a.size * 1.5": "AttributeError",
    "getattr(a, 'size', 7) * 0.5": "AttributeError",
    "(a.ndim + 0.5 if hasattr(a, 'ndim') else 2.5)": "TypeError",
    "len(a) * 1.0": "TypeError",
    "a[0] * 1.0": "(TypeError, IndexError)",
}
KINDS = list(itertools.product(NAMES, ASKED))


def program_of(name: str, asked: str, in_loop: bool) -> Any:
    first, other = NAMES[name]
    lines = f"""
a = {first}
if x[0] < s:
    a = {other}
try:
    t = {asked}
except {ASKED[asked]}:
    t = 0.25 * s
total = total + t * x[2] + np.sum(a * x)
s = s * 0.5""".splitlines()
    body = ["for _ in range(3):", *(f"    {line}" for line in lines)] if in_loop else lines
    text = "\n".join(f"    {line}" for line in body)
    return made(f"""import numpy as np

def program(x, s):
    total = 0.0
{text}
    return total
""", f"{name}: {asked}{' in a loop' * in_loop}")


def asked(fn: Any, args: tuple[Any, ...]) -> Any:
    """What a function gives, or the exception that it raises."""
    try:
        return run_quietly(fn, copy.deepcopy(args))
    except sg.SrcgradError:
        raise
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize(("name", "question"), KINDS)
def test_the_exception_is_caught(name: str, question: str, in_loop: bool) -> None:
    fn = program_of(name, question, in_loop)
    df = sg.value_and_grad(fn, argnums=(0, 1))
    for args in ((np.array([0.3, 0.4, 0.9]), 0.2), (np.array([0.3, 0.4, 0.9]), 0.7)):
        want, got = asked(fn, args), asked(df, args)
        if isinstance(want, type):
            assert got is want
            continue
        assert same(got[0], want)
        for place, slope in enumerate(got[1]):
            assert close(slope, differences(fn, args, place)[0], 1e-5), df.source()


@pytest.mark.parametrize("question", ["a.sum()", "a.ndim", "a.size", "len(a)", "a[0]", "len(a.shape)"])
@pytest.mark.parametrize("name", NAMES)
def test_the_exception_is_raised(name: str, question: str) -> None:
    """Where nothing catches it, or asks what became of it, it is raised as Python does."""
    first, other = NAMES[name]
    fn = made(f"""import numpy as np

def program(x, s):
    a = {first}
    if x[0] < s:
        a = {other}
    t = {question}
    return np.sum(a * x * t)
""", f"{name}: {question}, raised")
    df = sg.value_and_grad(fn)
    for s in (0.2, 0.7):
        args = (np.array([0.3, 0.4, 0.9]), s)
        want, got = asked(fn, args), asked(df, args)
        assert got is want if isinstance(want, type) else same(got[0], want)
