"""Arrays of lists that data may leave without items: of rows NumPy makes an array of one axis then, of
counts and truth values one of floats."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
from chain import differences, same

import srcgrad as sg


def rows(x):
    found = []
    for v in x:
        if v > 1:
            found.append([v, 2 * v])
    return found


def pairs(x):
    found = []
    for v in x:
        if v > 1:
            found.append((v, 2 * v))
    return found


def arrays(x):
    return [np.array([v, 2 * v]) for v in x if v > 1]


def places(x):
    return [i for i in range(len(x)) if x[i] > 1]


def truths(x):
    return [v > 2 for v in x if v > 1]


def found_at_last(x):
    best = None
    for k in range(2):
        found = rows(x - k)
        if x.size and x[0] > 0.45:
            best = found
    return best


LISTS = (rows, pairs, arrays, places, truths)


def told_by_axes(x, a):
    return np.sum(x) * a.ndim + len(a.shape) + a.T.ndim + np.ndim(a * 2)


def told_by_types(x, a):
    total = np.sum(x) * (2 if a.dtype == float else 3 if a.dtype == int else 4)
    return total * a.itemsize * (2 if np.issubdtype(a.dtype, np.integer) else 1)


def told_apart(x, a):
    if a.ndim == 2:
        return np.sum(a[:, 1])
    return np.sum(a) * len(a.shape) if a.shape == (0,) else np.sum(x)


def taken_apart(x, a):
    count, *more = a.shape if a.ndim else (1,)
    return np.sum(x) * count * (1 + len(more))


def where_there_is_none(x, a):
    try:
        n, m = a.shape
    except ValueError:
        return np.sum(x)
    return np.sum(a) * n * m


def left_by_a_loop(x, a):
    b = np.zeros((2, 2))
    for _ in range(2):
        b = a * 1
    for _ in range(2):
        x = x * b.ndim
    return np.sum(x)


def written_to(x, a):
    b = a.copy()
    b[...] = 1
    return np.sum(x) * b.ndim * np.zeros_like(b).size


def behind_a_test(x, a):
    return np.sum(x) * a.ndim if len(a) == 0 else np.sum(x) * a.ndim * a.shape[-1]


ASKED = (told_by_axes, told_by_types, told_apart, taken_apart, where_there_is_none,
         left_by_a_loop, written_to, behind_a_test)
DATA = ([0.5, 1.5, 2.5], [0.4, 0.3], [], [1.5])


CASES = [*itertools.product(LISTS, ASKED), *((found_at_last, asked) for asked in (
    told_by_axes, told_by_types, told_apart, taken_apart))]


@pytest.mark.parametrize(("made", "asked"), CASES, ids=lambda f: f.__name__)
def test_programs(made, asked):
    def program(x):
        return asked(x, np.array(made(x)))

    df = sg.value_and_grad(program)
    for data in DATA:
        x = np.array(data)
        try:
            expected = program(x)
        except Exception as error:
            with pytest.raises(type(error)):
                df(x)
            continue
        value, slope = df(copy.copy(x))
        assert same(value, expected), data
        assert slope == pytest.approx(np.array(differences(program, (x,), 0)[0]), abs=1e-6), data


def test_what_was_tested_is_not_asked_again():
    def program(x):
        found = rows(x)
        if not found:
            return np.sum(x)
        n, m = np.array(found).shape
        return np.sum(x) * n * m

    assert ".ndim" not in sg.grad(program).source(np.array([0.5, 1.5]))
