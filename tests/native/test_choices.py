"""The least of neighbours is chosen without branches, and places without a cotangent are passed over:
bits and exceptions stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def cheapest_path(a):
    cost = np.zeros((a.shape[0] + 1, a.shape[1] + 1))
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            best = cost[i, j]
            if cost[i, j + 1] < best:
                best = cost[i, j + 1]
            if best > cost[i + 1, j]:
                best = cost[i + 1, j]
            step = a[i, 0] - a[0, j]
            cost[i + 1, j + 1] = step * step + best
    return cost[a.shape[0], a.shape[1]]


def largest_in_rows(a):
    most = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        best = a[i, 0]
        for j in range(1, a.shape[1]):
            other = a[i, j] * a[i, j]
            if other >= best:
                best = other
        most[i] = best
    s = 0.0
    for i in range(a.shape[0]):
        s += most[i] * (i % 3)
    return s


def dear_steps(a):
    cost = a.copy()
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            best = cost[i - 1, j]
            if j > 0:
                if cost[i - 1, j - 1] > best:
                    best = cost[i - 1, j - 1]
            cost[i, j] = a[i, j] * best
    return cost[a.shape[0] - 1, 0]


def arrays() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    found = {f"{n} by {m}": rng.normal(size=(n, m)) for n, m in (
        (1, 2), (2, 1), (3, 7), (4, 8), (5, 9), (9, 17), (20, 33))}
    found["equal"] = np.ones((6, 11))
    found["with zeros"] = np.round(rng.normal(size=(7, 12)))
    for title, value in (("no number", np.nan), ("infinite", np.inf), ("minus zero", -0.0)):
        found[title] = rng.normal(size=(6, 11))
        found[title][2, 3] = found[title][4, :2] = value
    return found


ARRAYS = arrays()


@pytest.mark.parametrize("title", ARRAYS)
@pytest.mark.parametrize("function", [cheapest_path, largest_in_rows, dear_steps], ids=lambda f: f.__name__)
def test_choices(function: Any, title: str) -> None:
    pytest.importorskip("numba")
    a = ARRAYS[title]
    with np.errstate(all="ignore"):
        value, slope = sg.value_and_grad(function)(a)
        got, found = sg.value_and_grad(function, backend="numba")(a)
    assert type(got) is type(value) and np.array_equal(got, value, equal_nan=True)
    if title in ("no number", "infinite"):  # what is zero times an infinite argument is left out
        assert np.array_equal(found[np.isfinite(found)], found[np.isfinite(found)])
    else:
        np.testing.assert_allclose(found, slope, rtol=1e-13)


def test_how_they_are_written() -> None:
    pytest.importorskip("numba")
    a = ARRAYS["5 by 9"]
    text = sg.value_and_grad(cheapest_path, backend="numba").source(a)
    assert "best = cost[i, j + 1] if taken else best" in text and "= last_nonzero(d_cost[" in text
    assert "best = other if taken else best" in sg.value_and_grad(largest_in_rows, backend="numba").source(a)
