"""Lists from outside whose records texts or states tell apart: columns where there are many."""

from __future__ import annotations

import copy
import enum

import numpy as np
import pytest
from chain import close, differences

import srcgrad as sg

X = np.array([0.6, 0.3])


class State(enum.Enum):
    OPEN = 1
    SHUT = 2


class Valve:
    def __init__(self, flow, state):
        self.flow, self.state = flow, state


def of_states(x, valves):
    total = 0.0
    for valve in valves:
        if valve.state is State.OPEN:
            total += valve.flow * np.sin(x[0])
        else:
            total -= x[1]
    return total


def of_kinds(x, elements):
    total = 0.0
    for element in elements:
        if element["kind"] == "spring":
            total += 0.5 * element["k"] * x[0] ** 2
        elif element["kind"] == "damper":
            total += element["k"] * x[1]
        else:
            raise ValueError(element["kind"])
    return total


def of_names(x, pairs):
    found = {}
    for name, value in pairs:
        found[name] = value * x[0]
    return found["p1"] * x[1] + sum(found.values())


def changed(x, valves):
    for valve in valves:
        valve.state = State.SHUT if valve.flow * x[0] > 0.5 else State.OPEN
    return sum(v.flow * x[1] for v in valves if v.state is State.SHUT)


def valves(n):
    return [Valve(0.1 * i, State.OPEN if i % 3 else State.SHUT) for i in range(n)]


PROGRAMS = {
    of_states: valves,
    of_kinds: lambda n: [{"kind": "spring" if i % 3 else "damper", "k": 0.1 * i} for i in range(n)],
    of_names: lambda n: [(f"p{i}", 0.1 * i) for i in range(n)],
    changed: valves,
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_one_text_for_many(program):
    derivative = sg.value_and_grad(program)
    for n in (40, 75, 9):
        given, traced = PROGRAMS[program](n), PROGRAMS[program](n)
        want = program(X, given)
        value, slope = derivative(X, traced)
        assert value == want
        assert close(slope, differences(lambda x, m=n: program(x, PROGRAMS[program](m)), (X,), 0), 1e-6)
        assert [vars(v) for v in given if isinstance(v, Valve)] == [
            vars(v) for v in traced if isinstance(v, Valve)]
    texts = {derivative.source(X, PROGRAMS[program](n)) for n in (40, 75)}
    assert len(texts) == 1 and len(texts.pop().splitlines()) < 60


def test_a_text_that_nobody_expected():
    elements = PROGRAMS[of_kinds](40)
    derivative = sg.grad(of_kinds)
    derivative(X, copy.deepcopy(elements))
    elements[30]["kind"] = "beam"
    with pytest.raises(ValueError, match="beam"):
        derivative(X, elements)
