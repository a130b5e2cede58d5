"""Things that were found outside and lie in lists whose length depends on data: they are read at
each call, and may not change while a list holds what they held."""

from __future__ import annotations

import copy
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as sg


@dataclass
class Body:
    a: float
    b: float


@dataclass(frozen=True)
class Frozen:
    pair: tuple
    b: float


Pair = namedtuple("Pair", "a b")

# how a thing is made of two numbers, and a number made of a thing
KINDS = {
    "tuple": (lambda a, b: (a, b), lambda p: p[0] * p[1]),
    "list": (lambda a, b: [a, b], lambda p: p[0] * p[1]),
    "named tuple": (Pair, lambda p: p.a * p.b),
    "tuple in a tuple": (lambda a, b: (a, (b, a)), lambda p: p[0] * p[1][0]),
    "list in a tuple": (lambda a, b: (a, [b, a]), lambda p: p[0] * p[1][0]),
    "tuple in a list": (lambda a, b: [a, (b, a)], lambda p: p[0] * p[1][0]),
    "dict": (lambda a, b: {"a": a, "b": b}, lambda p: p["a"] * p["b"]),
    "instance": (Body, lambda p: p.a * p.b),
    "frozen": (lambda a, b: Frozen((a, b), b), lambda p: p.pair[0] * p.b),
    "instance in a tuple": (lambda a, b: (Body(a, b), a), lambda p: p[0].a * p[1]),
    "array": (lambda a, b: np.array([a, b]), lambda p: p[0] * p[1]),
    "text beside": (lambda a, b: (a * b, "s"), lambda p: p[0] * len(p[1])),
}
NUMBERS = [[(0.4, 1.0), (0.7, 2.0), (0.2, 3.0), (0.9, 4.0)],
           [(0.45, 1.5), (0.75, 2.5), (0.25, 4.0), (0.95, 0.5)],
           [(0.9, 1.5), (0.75, 0.1), (0.5, 4.0)]]


def kept(x, things, make, number):
    chosen = []
    for t in things:
        if number(t) > x:
            chosen.append(t)
    total = 0.0
    for t in chosen:
        total += number(t)
    return total * x


def beside_own(x, things, make, number):
    chosen = [make(x, x)]
    for t in things:
        if number(t) > x:
            chosen.append(make(x, number(t)))
    chosen += things
    total = 0.0
    for t in chosen:
        total += number(t)
    return total * x


def on_a_stack(x, things, make, number):
    stack = []
    for t in things:
        while stack and number(stack[-1]) > number(t) * x:
            stack.pop()
        stack.append(t)
    return sum(number(t) for t in stack) * x


def changed_then(x, things, make, number):
    chosen = []
    for t in things:
        if number(t) > x:
            chosen.append(make(x, number(t)))
    chosen.append(things[0])
    thing = things[0]
    if isinstance(thing, dict):
        thing["a"] = x * 2
    elif isinstance(thing, list):
        thing[0] = x * 2
    elif isinstance(thing, tuple):
        thing[1][0] = x * 2
    else:
        thing.a = x * 2
    total = 0.0
    for t in chosen:
        total += number(t)
    return total * x


REFUSED = {(on_a_stack, "list in a tuple")}  # known by numbers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", [kept, beside_own, on_a_stack], ids=lambda f: f.__name__)
def test_each_call_reads_them(program, kind):
    make, number = KINDS[kind]
    df = sg.value_and_grad(program)
    if (program, kind) in REFUSED:
        with pytest.raises(sg.JoinError):
            df(0.5, [make(a, b) for a, b in NUMBERS[0]], make, number)
        return
    for numbers in NUMBERS:
        things = [make(a, b) for a, b in numbers]
        value, slope = df(0.5, things, make, number)
        assert value == program(0.5, things, make, number)
        ends = [program(x, things, make, number) for x in (0.5 - 1e-6, 0.5 + 1e-6)]
        np.testing.assert_allclose(slope, (ends[1] - ends[0]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("kind", ["list", "list in a tuple", "dict", "instance"])
def test_none_changes_unseen(kind):
    make, number = KINDS[kind]
    things = [make(a, b) for a, b in NUMBERS[0]]
    want, mine = copy.deepcopy(things), copy.deepcopy(things)
    try:
        value = sg.value_and_grad(changed_then)(0.5, mine, make, number)[0]
    except sg.SrcgradError as refusal:
        assert "is changed that" in str(refusal)
    else:
        assert value == changed_then(0.5, want, make, number)
        assert mine == want
