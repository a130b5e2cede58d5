"""Rows of lists of cotangents are changed where they lie, where nothing else can be one of them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.2, 0.7, 0.1, 0.6, 0.35])
PROGRAMS = {}


def program(in_place):
    def note(function):
        PROGRAMS[function.__name__] = function, in_place
        return function

    return note


@program(True)
def appended_to_one_of_them(x):
    bins = [[] for _ in range(3)]
    for v in x:
        bins[min(int(v * 3), 2)].append(v)
    return sum(sum(b) ** 2 for b in bins)


@program(True)
def in_the_arms_of_a_branch(x):
    rows = [[x[0]]]
    for v in x[1:]:
        if v > 0.5:
            rows.append([v])
        else:
            rows[-1].append(v * v)
    return sum(sum(row) * len(row) for row in rows)


@program(False)
def one_row_in_two_places(x):
    rows = [[v, v * v] for v in x]
    rows[1] = rows[0]
    return sum(rows[0][k] * rows[1][k] + rows[2][k] for k in range(2))


@program(False)
def copies_of_the_list(x):
    rows = [[v, v * v] for v in x]
    others = rows[:]
    total = 0.0
    for row, other in zip(rows, others):
        total += row[0] * other[1]
    return total


@pytest.mark.parametrize("name", PROGRAMS)
def test_rows(name):
    function, in_place = PROGRAMS[name]
    derivative = sg.value_and_grad(function)
    value, slope = derivative(X)
    assert value == function(X)
    expected = [(function(X + h) - function(X - h)) / 2e-6 for h in 1e-6 * np.eye(5)]
    np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)
    text = derivative.source(X)
    backward = text[text.index("# ---- backward"):]
    assert not in_place or ("list(" not in backward and ".pop()" in backward)
    np.testing.assert_allclose(sg.hessian(function)(X), [
        (sg.grad(function)(X + h) - sg.grad(function)(X - h)) / 2e-6 for h in 1e-6 * np.eye(5)],
        rtol=1e-5, atol=1e-7)
