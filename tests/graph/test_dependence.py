"""Which iterations may be run in any order: what the one test says, and that it is so."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.graph.dependence import are_apart, is_independent
from srcgrad.graph.walking import walk


def own_places(x, k):
    for i in range(len(x)):
        x[i] = x[i] * 2.0 + 1.0


def own_places_moved(x, k):
    for i in range(len(x) - 1):
        x[i + 1] = x[i + 1] * 2.0


def own_rows(x, k):
    for i in range(3):
        for j in range(3):
            x[3 * i + 1] = x[3 * i + 1] * 2.0


def neighbours(x, k):
    for i in range(len(x) - 1):
        x[i + 1] = x[i] * 2.0


def from_the_end(x, k):
    for i in range(len(x)):
        x[i - 1] = x[i - 1] * 2.0


def told_by_data(x, k):
    for i in range(len(k)):
        x[k[i]] = x[k[i]] * 2.0


def one_place(x, k):
    for i in range(len(x)):
        x[0] = x[0] * 2.0


def through_a_view(x, k):
    for i in range(len(x) - 2):
        part = x[i:i + 2]
        part[0] = part[1] * 2.0


def added_up(x, k):
    for i in range(len(x) - 1):
        x[0] += 1.5
        x[i + 1] += 2.0


def added_where_data_tells(x, k):
    for i in range(len(k)):
        x[k[i]] += 2.5


def added_to_and_read(x, k):
    for i in range(len(x) - 1):
        x[i + 1] += x[i]


def multiplied(x, k):
    for i in range(len(k)):
        x[k[i]] *= 2.5


ALONE = [own_places, own_places_moved, own_rows]
READ_AND_WRITTEN = [neighbours, from_the_end, told_by_data, one_place, through_a_view, added_up,
                    added_where_data_tells, added_to_and_read, multiplied]


def arguments():
    return np.arange(1.0, 10.0), np.array([0, 2, 2, 1, 0])


def outermost(program):
    """The loop of a program that changes its first argument."""
    def changed(x, k):
        x = x.copy()
        program(x, k)
        return x
    graph = sg.jit(changed).graph(*arguments())
    return next(n for n in walk(graph.block) if n.op == "loop")


@pytest.mark.parametrize("program", ALONE, ids=lambda f: f.__name__)
def test_iterations_with_places_of_their_own(program):
    loop = outermost(program)
    assert is_independent(loop)
    assert is_independent(loop, summed=True)


def test_iterations_that_only_add():
    def f(x, k):
        total = 0.0
        for i in range(len(k)):
            total += np.sin(x[k[i]]) * x[0]
        return total
    forwards, backwards = (n for n in walk(sg.grad(f).graph(*arguments()).block)
                           if n.op == "loop")
    for loop in (forwards, backwards):
        assert not is_independent(loop)
    assert is_independent(backwards, summed=True)  # it adds where data tells


@pytest.mark.parametrize("program", READ_AND_WRITTEN, ids=lambda f: f.__name__)
def test_iterations_that_follow_each_other(program):
    assert not is_independent(outermost(program), summed=True)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("program", ALONE + READ_AND_WRITTEN, ids=lambda f: f.__name__)
def test_gradients_of_both_backends(program, backend):
    if backend == "numba":
        pytest.importorskip("numba")

    def f(x, k):
        x = x * x
        program(x, k)
        return np.sum(np.sin(x))
    x, k = arguments()
    x = x / 10.0
    found = sg.grad(f, backend=backend)(x, k)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = 1e-6
        assert abs(found[i] - (f(x + step, k) - f(x - step, k)) / 2e-6) < 1e-6


def test_places_that_differ():
    assert are_apart((1, 2), (1, 3))
    assert not are_apart((1, 2), (1, 2))
    assert not are_apart((None, 2), (1, 2))
