"""Items of lists are changed where they lie, where nothing else can be one of them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.2, 0.7, 0.1, 0.6, 0.35])
PROGRAMS = {}


def program(put_back=()):
    """``put_back``: what no line of the text has."""
    def note(function):
        PROGRAMS[function.__name__] = function, put_back
        return function

    return note


# ---- rows of lists of cotangents -----------------------------------------------------------------
@program(("= list(",))
def appended_to_one_of_them(x):
    bins = [[] for _ in range(3)]
    for v in x:
        bins[min(int(v * 3), 2)].append(v)
    return sum(sum(b) ** 2 for b in bins)


@program(("= list(",))
def in_the_arms_of_a_branch(x):
    rows = [[x[0]]]
    for v in x[1:]:
        if v > 0.5:
            rows.append([v])
        else:
            rows[-1].append(v * v)
    return sum(sum(row) * len(row) for row in rows)


@program()
def one_row_in_two_places(x):
    rows = [[v, v * v] for v in x]
    rows[1] = rows[0]
    return sum(rows[0][k] * rows[1][k] + rows[-1][k] for k in range(2))


@program()
def copies_of_the_list(x):
    rows = [[v, v * v] for v in x]
    others = rows[:]
    total = 0.0
    for row, other in zip(rows, others):
        total += row[0] * other[1]
    return total


# ---- arrays --------------------------------------------------------------------------------------
class Cell:
    def __init__(self, content):
        self.content = content


@program(("np.copy(",))
def numbers_of_arrays(x):
    cells = [Cell(np.zeros(3))]
    for v in x:
        if v > 0.5:
            cells.append(Cell(np.zeros(3)))
        for k in range(3):
            cells[-1].content[k] += v * k
    return sum(np.sum(c.content ** 2) for c in cells)


@program()
def squared_in_place(x):
    """What the backward part reads is what was there before."""
    cells = [Cell(np.array([v, 1.0])) for v in x]
    for _ in range(2):
        for cell in cells:
            cell.content[0] = cell.content[0] ** 2 + cell.content[1]
    return sum(np.sum(c.content ** 3) for c in cells)


@program()
def kept_before(x):
    cells, history = [Cell(np.array([v, 0.5])) for v in x], []
    for cell in cells:
        history.append(cell.content.copy())
        cell.content *= 1.5
        history.append(cell.content * 2.0)
    return sum(np.sum(h * h) for h in history) + sum(c.content[0] for c in cells)


@program()
def with_another_name(x):
    first, parts = np.array([x[0], 0.5]), []
    parts.append(first)
    for v in x:
        if v > 0.5:
            parts.append(np.array([v, 1.0]))
        before = parts[-1]
        parts[-1][0] *= 0.5
        before[1] += v
        first[1] -= v * first[0]
    return sum(np.sum(p ** 2) for p in parts) + np.sum(first)


@program()
def in_two_lists(x):
    cells = [Cell(np.array([v, v])) for v in x]
    others = [Cell(c.content) for c in cells]
    for c, o in zip(cells, others):
        c.content[0] += 1.0
        o.content[1] *= c.content[0]
    return sum(np.sum(o.content ** 2) for o in others)


@program()
def swapped(x):
    cells = [Cell(np.array([v, 1.0])) for v in x]
    for k in range(1, len(cells)):
        cells[k].content[0] *= cells[k - 1].content[0]
        cells[k].content, cells[k - 1].content = cells[k - 1].content, cells[k].content
        cells[k].content[1] -= 0.5
    return sum(np.sum(c.content ** 2) * (i + 1) for i, c in enumerate(cells))


@program()
def counted_with_integers(x):
    cells = [Cell(np.zeros(2, int)) for _ in x]
    total = 0.0
    for i, cell in enumerate(cells):
        for v in x[:i + 1]:
            cell.content[int(v > 0.3)] += 1
        total += x[i] * cell.content[1] / (1 + cell.content[0])
    return total


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_slopes_and_text(name):
    function, absent = PROGRAMS[name]
    derivative = sg.value_and_grad(function)
    for x in (X, X[::-1].copy(), X[:2]):
        value, slope = derivative(x)
        assert value == function(x)
        expected = [(function(x + h) - function(x - h)) / 2e-6 for h in 1e-6 * np.eye(len(x))]
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)
        assert sg.jit(function)(x) == value
    for part in absent:
        assert part not in derivative.source(X)


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives(name):
    function, _ = PROGRAMS[name]
    gradient = sg.grad(function)
    np.testing.assert_allclose(sg.hessian(function)(X), [
        (gradient(X + h) - gradient(X - h)) / 2e-6 for h in 1e-6 * np.eye(5)], rtol=1e-5, atol=1e-7)


def test_pullbacks_can_be_called_twice():
    _, pullback = sg.vjp(squared_in_place, X)
    first = pullback(1.0)
    np.testing.assert_array_equal(first, pullback(1.0))
