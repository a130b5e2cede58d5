"""What loops read and store under branches on their indices, and find in the finished array."""

from __future__ import annotations

import re

import numpy as np
import pytest
from chain import close, differences

import srcgrad as sg

SQUARE = np.array([[1.2, 0.4, 0.3], [0.4, 0.9, 0.2], [0.3, 0.2, 0.7]])


def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return np.sum(low * low * low)


def borders(a):
    n = a.shape[0]
    y = np.ones_like(a)
    for i in range(n):
        for j in range(n):
            if i > 0 and j > 0:
                y[i, j] = a[i, j] * y[i - 1, j] * y[i, j - 1]
            elif not (i == 0 or j != 0):
                y[i, j] = a[i, j] * y[i - 1, j]
            else:
                y[i, j] = a[i, j] * a[i, j]
    return np.sum(y)


def halves(a):
    n = a.shape[0]
    y = a.copy()
    for i in range(n):
        for j in range(n):
            if j < i:
                y[i, j] = y[j, i] * y[i, i]
    return np.sum(y * y)


def diagonal_again(a):
    n = a.shape[0]
    y = a.copy()
    for i in range(n):
        for j in range(n):
            if j <= i:
                y[i, j] = y[j, j] * y[i, j] * y[j, j]
    return np.sum(y * y)


def later_columns(a):
    n = a.shape[0]
    y = a.copy()
    for i in range(n):
        for j in range(n - 1, -1, -1):
            if j != 1:
                y[i, j] = y[i, 1] * y[i, j]
            else:
                y[i, j] = y[i, 1] * y[i, 1]
    return np.sum(y * y)


# Whether something is kept: tests of two comparisons are, and what is overwritten later.
PROGRAMS = {cholesky: "", borders: "taken_saved, saved", halves: "", diagonal_again: "saved, saved_2",
            later_columns: "saved, saved_2, saved_3"}


@pytest.mark.quick
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_final_arrays(program):
    df = sg.value_and_grad(program)
    kept = re.findall("# kept in each iteration: (.*?)(?:  |\n)", df.source(SQUARE))
    assert ", ".join(kept) == PROGRAMS[program], df.source(SQUARE)
    value, slope = df(SQUARE)
    assert value == program(SQUARE)
    assert close(slope, differences(program, (SQUARE,), 0), 1e-6)
