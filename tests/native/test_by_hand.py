"""Gradients of loops beside gradients that were written by hand: the measured programs."""

from __future__ import annotations

import copy
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

sys.path[:0] = [str(Path(__file__).parents[2] / "benchmarks"), str(Path(__file__).parent)]

import native_loops  # noqa: E402
from test_native import native, plain_python  # noqa: E402

__all__ = ["plain_python"]


def close(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got[0], want[0], rtol=1e-10)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-8, atol=1e-10)


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 2, 7])
def test_gradients_are_those_written_by_hand(size: int, plain_python: None) -> None:
    for _, program, by_hand, args in native_loops.cases(size):
        want = by_hand(*copy.deepcopy(args))
        close(sg.value_and_grad(program)(*copy.deepcopy(args)), want)
        if size == 7:
            close(native(sg.value_and_grad, program)(*copy.deepcopy(args)), want)


def test_there_are_enough_of_them() -> None:
    assert len(native_loops.SIZES) >= 30


@pytest.mark.sweep
def test_no_program_is_slower_than_the_text_for_numpy() -> None:
    pytest.importorskip("numba")
    from side_by_side import measured

    for name, program, _, args in native_loops.cases():
        calls = [lambda f=f: f(*args) for f in (
            sg.value_and_grad(program), sg.value_and_grad(program, backend="numba"))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text, compiled = measured(*calls, budget=0.02)
        assert compiled < 1.1 * text, name
