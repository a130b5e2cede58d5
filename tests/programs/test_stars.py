"""Lists of run-time length after ``*`` and in ``zip_longest``; what scipy.linalg may overwrite; attributes of
instances that have slots alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
from chain import differences, same

import srcgrad as sg


def some(x):
    return [v for v in x if v > 1]


def greatest(x):
    return max(*some(x), 0.0, 1.6) * x[0]


def least(x):
    return min(x[0], *some(x), x[1]) + max(*some(x), *x)


def nearest(x):
    return min(*some(x), x[0], 4.0, key=lambda v: (v - 1.4) ** 2)


def perhaps_one(x):
    return max(*some(x), 0.5)


def perhaps_none(x):
    return min(*some(x))


def longest_of_two(x):
    total = 0.0
    for a, b in itertools.zip_longest(some(x), [v * v for v in x if v < 1], fillvalue=0.5):
        total += a * b
    return total


def longest_beside_an_array(x):
    total = 0.0
    for k, (a, b) in enumerate(itertools.zip_longest(some(x), x)):
        total += b * k * (1.0 if a is None else a)
    return total


class OnlySlots:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        return {"a": 5.0} if name == "__dict__" else 2.0


def of_slots(x):
    thing = OnlySlots(x[0])
    return thing.a * thing.b + thing.__dict__["a"] * x[1] + len(vars(thing))


FOUND = OnlySlots(1.5)


def of_slots_found(x):
    return FOUND.a * x[0] * FOUND.b + FOUND.__dict__["a"] * x[1]


DATA = ([0.5, 1.7, 2.9], [0.5, 0.7], [1.5, 1.2, 0.4], [1.5, 0.3])


@pytest.mark.parametrize("fn", (
    greatest, least, nearest, perhaps_one, perhaps_none, longest_of_two, longest_beside_an_array,
    of_slots, of_slots_found))
def test_program(fn):
    df = sg.value_and_grad(fn)
    for numbers in DATA:
        x = np.array(numbers)
        try:
            want = fn(x)
        except TypeError:
            with pytest.raises(TypeError):
                df(x)
            continue
        value, slope = df(x)
        assert same(value, want)
        np.testing.assert_allclose(slope, differences(fn, (x,), 0)[0], rtol=1e-5, atol=1e-5)


def matrix(x):
    return np.asfortranarray(np.outer(x, x) + 4 * np.eye(len(x)))


CALLS = {
    "svdvals": lambda a, b: scipy.linalg.svdvals(a, overwrite_a=True),
    "cholesky": lambda a, b: scipy.linalg.cholesky(a, overwrite_a=True),
    "solve": lambda a, b: scipy.linalg.solve(a, b, overwrite_a=True),
    "lu_factor": lambda a, b: scipy.linalg.lu_factor(a, overwrite_a=True)[0],
    "inv": lambda a, b: scipy.linalg.inv(a, overwrite_a=True),
    "det": lambda a, b: scipy.linalg.det(a, overwrite_a=True),
    "eigvalsh": lambda a, b: scipy.linalg.eigvalsh(a, overwrite_a=True),
    "qr": lambda a, b: scipy.linalg.qr(a, overwrite_a=True)[1],
    "cho_factor": lambda a, b: scipy.linalg.cho_factor(a, overwrite_a=True, lower=True)[0],
    "dct": lambda a, b: scipy.fft.dct(a, overwrite_x=True)}


@pytest.mark.parametrize("name", CALLS)
def test_what_may_be_overwritten_is_not_read_afterwards(name):
    call = CALLS[name]

    def last(x):
        return np.sum(np.square(call(matrix(x), x)))

    def read_after(x):
        a = matrix(x)
        found = call(a, x)
        return np.sum(found) + np.sum(a)

    def read_before(x):
        a = matrix(x)
        total = np.sum(a)
        return total + np.sum(call(a[:], x))

    x = np.array([0.5, 1.7, 2.9])
    for fn in (last, read_before):
        value, slope = sg.value_and_grad(fn)(x)
        np.testing.assert_allclose(value, fn(x), rtol=1e-12)
        np.testing.assert_allclose(slope, differences(fn, (x,), 0)[0], rtol=1e-4, atol=1e-4)
    with pytest.raises(sg.AliasError, match="overwrite_|may write|not known"):
        sg.grad(read_after)(x)
