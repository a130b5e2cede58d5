"""Lists whose arrays change in place have one text for every length."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))

from lists_of_arrays import ONE_TEXT  # noqa: E402

import srcgrad as sg  # noqa: E402


@pytest.mark.parametrize("fn", ONE_TEXT, ids=lambda fn: fn.__name__)
def test_text_is_the_same_for_every_length(fn):
    rng = np.random.default_rng(0)
    df = sg.value_and_grad(fn)
    for rows in (4, 7, 5):
        A = rng.normal(size=(rows, 7))
        assert df(A)[0] == fn(A)
    assert "1 signature compiled" in str(df.explain())


def returned(A):
    rows = [A[i] * 2.0 for i in range(len(A))]
    for row in rows:
        row += rows[0]
    return rows


def test_returned_arrays_are_those_of_python():
    A = np.arange(12.0).reshape(4, 3)
    found, want = sg.jit(returned)(A), returned(A)
    assert [one.tolist() for one in found] == [one.tolist() for one in want]
    assert len({id(one) for one in found}) == len(A)


def test_order_two():
    def f(A):
        held = [A[i].copy() for i in range(len(A))]
        for i in range(len(held)):
            held[i] *= held[i - 1]
        return np.sum(held[-1] ** 2)

    A = np.random.default_rng(2).normal(size=(3, 2))
    got = sg.hessian(f)(A)
    step = 1e-5
    for i, j in np.ndindex(*A.shape):
        d = np.zeros_like(A)
        d[i, j] = step
        want = (sg.grad(f)(A + d) - sg.grad(f)(A - d)) / (2 * step)
        np.testing.assert_allclose(got[..., i, j], want, rtol=1e-6, atol=1e-7)
