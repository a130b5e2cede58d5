"""Two variables of a loop that are one object after some iterations, and not after others: each has
what it was last given."""

from __future__ import annotations

import numpy as np
import pytest
from chain import differences

import srcgrad as sg

MAKES = {"tuples": lambda v, i: (v, i), "lists": lambda v, i: [v, i],
         "nested": lambda v, i: ((v, [v, 2.0])[0], i), "arrays": lambda v, i: np.array([v, i * 1.0])}


def best_and_last(x, make):
    best, last, total = None, None, 0.0
    for i, v in enumerate(x):
        e = make(v, i)
        if last is not None:
            total += last[0] * best[1] + (10 if last[1] == best[1] else 0)
        last = e
        if best is None or e[0] > best[0]:
            best = e
    return total + best[0]


def chosen_by_a_helper(x, make):
    key = lambda e: e[0] * (e[1] + 1)  # noqa: E731
    best = None
    for e in [make(v, i) for i, v in enumerate(x)]:
        if best is None or key(e) > key(best):
            best = e
    return key(best)


def from_one(x, make):
    a = b = make(x[0], 0)
    total = 0.0
    for i, v in enumerate(x):
        total += a[0] * b[1] + (10 if a[1] == b[1] else 0)
        a = make(v, i)
        if v > 1:
            b = a
    return total + b[0] + 3 * a[0]


def searched_in_rows(x, make):
    rows = [[v, 2 * v] for v in x if v > 0.5]
    found = [x[1], 2 * x[1]]
    some = tuple(v for v in x if v > 1)
    if found in rows and rows.count(found) == 1:
        return x[0] * rows.index(found) + sum(some[1:]) * len(some[:2])
    return x[0] * len(rows)


def index_or_none(x, make):
    best, total = None, 0.0
    for i, v in enumerate(x):
        if best is not None:
            total += v * x[best] + np.sum(x[best:])
        if v > 1:
            best = i
    return total


PROGRAMS = (best_and_last, chosen_by_a_helper, from_one, searched_in_rows, index_or_none)


@pytest.mark.parametrize("kind", MAKES)
@pytest.mark.parametrize("fn", PROGRAMS)
def test_program(fn, kind):
    def program(x):
        return fn(x, MAKES[kind])

    df = sg.value_and_grad(program)
    for data in ([0.7, 1.55, 2.53, 1.21], [1.72, 0.41, 1.37], [2.1, 1.5, 0.3, 1.93, 1.42, 1.2]):
        x = np.array(data)
        value, slope = df(x)
        assert value == program(x)
        assert slope == pytest.approx(np.array(differences(program, (x,), 0)[0]), abs=1e-6)


def raised(x, kinds):
    error = kinds[0]("a") if x[0] > 1 else kinds[1]("b")
    try:
        raise error
    except LookupError:
        return x[0] * 2
    except ValueError as found:
        return x[1] * len(str(found))


def class_raised(x, kinds):
    try:
        raise (kinds[0] if x[0] > 1 else kinds[1])("no")
    except LookupError:
        return x[0] * 2
    except ValueError:
        return x[1] * 3


@pytest.mark.parametrize("fn", [raised, class_raised])
@pytest.mark.parametrize("kinds", [(ValueError, KeyError), (IndexError, ValueError)])
def test_one_of_two_exceptions(fn, kinds):
    df = sg.value_and_grad(lambda x: fn(x, kinds))
    for data in ([0.7, 1.55], [1.72, 0.41]):
        x = np.array(data)
        value, slope = df(x)
        assert value == fn(x, kinds)
        assert slope == pytest.approx(np.array(differences(lambda y: fn(y, kinds), (x,), 0)[0]))
