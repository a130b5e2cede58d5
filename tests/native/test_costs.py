"""What is slower natively stays in NumPy's text: loops that only make lists which Python reads, sums
of lists, and the few iterations of loops of known length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_native import native, outcome, plain_python

import srcgrad as sg

__all__ = ["plain_python"]

X = np.array([0.3, -1.2, 0.7, 2.0, -0.4])


def lists_alone(x):
    """Lists of one number, and one of which only Python's text reads."""
    best, order = [float("inf")] * len(x), {}
    for i, v in enumerate(x):
        best[i] = min(best[i], v)
        order[i % 2] = v
    return sum(v * w for v, w in zip(best, order.values()))


def summed_list(x):
    found, parts = {}, []
    for i, v in enumerate(x):
        found[i % 2] = v * v
    for k in found:
        parts.append(found[k] * (k + 1))
    return sum(parts) * parts[0]


def two_iterations(x):
    s = 0.0
    for i in range(2):
        s += x[i]
    return np.sort(x)[0] * s


def many_iterations(x):
    s = 0.0
    for i in range(200):
        s += x[i % 5] * x[i % 3]
    return np.sort(x)[0] * s


@pytest.mark.parametrize(("fn", "kernels"), [
    (lists_alone, False), (summed_list, False), (two_iterations, False), (many_iterations, True)])
def test_what_does_not_pay_stays_in_numpy(fn: Any, kernels: bool, plain_python: None) -> None:
    df = native(sg.value_and_grad, fn)
    for got, want in zip(outcome(df, (X,)), outcome(sg.value_and_grad(fn), (X,)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)
        assert type(got) is type(want)
    assert ("@njit" in df.source(X)) is kernels
