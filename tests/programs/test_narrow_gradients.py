"""Gradients have the dtype of their arguments, whichever path gives the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

A = np.random.RandomState(3).rand(3, 3).astype(np.float32)


def one_of_two_arrays(a: Any, other: Any, least: float) -> Any:
    found = other if a[0, 0] > least else 1.0 / (a[0] * np.ones(3))
    return np.sum(np.arange(found.size).reshape(found.shape) * found)


def numbers_or_nan(a: Any, other: Any, least: float) -> Any:
    if a[0, 0] > least:
        r = p = np.nan
    else:
        r = np.sum(a[0] * other)
        p = 0.0
        if a[0, 1] > -1.0:
            p = 2.0 * r
    return r * 1.0 + p * 1.3


def wide_weights_of_a_narrow_number(a: Any, other: Any, least: float) -> Any:
    largest = 0.0
    for v in a[0]:
        if v > least:
            largest = v
    return np.sum(np.linspace(0.0, 1.0, 3) * largest) * np.sum(other)


@pytest.mark.parametrize("least", [-1.0, 5.0])
@pytest.mark.parametrize("fn", [one_of_two_arrays, numbers_or_nan,
                                wide_weights_of_a_narrow_number])
@pytest.mark.parametrize("other", [A, A[0]])
def test_dtypes(fn: Callable[..., Any], other: Any, least: float) -> None:
    value, found = sg.value_and_grad(fn, argnums=(0, 1))(A, other, least)
    assert repr(value) == repr(fn(A, other, least))
    assert [g.dtype for g in found] == [np.float32, np.float32]
    wide, expected = sg.value_and_grad(fn, argnums=(0, 1))(
        A.astype(float), other.astype(float), least)
    for g, w in zip(found, expected, strict=True):
        assert np.allclose(g, w, rtol=1e-5, equal_nan=True)
