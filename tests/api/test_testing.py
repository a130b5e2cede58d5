"""Gradient checks say where the gradient is wrong."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


@sg.custom_vjp
def square(x):
    return x * x


square.defvjp(lambda x: (x * x, x), lambda x, ct: (3.0 * x * ct,))


def program(x):
    y = np.sin(x)
    return np.sum(square(y))


def test_right_gradients_pass():
    def smooth(p, x):
        return np.sum(np.tanh(x @ p["w"] + p["b"]))

    x = np.random.default_rng(0).normal(size=(5, 3))
    sg.testing.assert_grad(smooth, {"w": np.ones(3), "b": 0.2}, x, argnums=(0, 1))
    sg.testing.assert_grad(lambda x: np.sum(np.exp(x)), np.ones(3, np.float32))


def test_the_worst_element_and_the_statement_are_named():
    with pytest.raises(AssertionError) as caught:
        sg.testing.assert_grad(program, np.array([[0.1, 1.5], [0.0, 0.2]]))
    text = str(caught.value)
    assert "program with respect to argument 0 is wrong in 3 of 4 elements" in text
    assert "worst: element (1, 1)" in text or "worst: element (0," in text
    assert "first wrong statement: the adjoint of square" in text
    assert "return np.sum(square(y))" in text


def test_what_cannot_be_checked_is_said():
    with pytest.raises(sg.StructureError, match="give their numbers"):
        sg.testing.assert_grad(program, np.ones(2), argnums="x")
    with pytest.raises(sg.StructureError, match="complex128"):
        sg.testing.assert_grad(lambda z: np.sum(abs(z)), np.ones(2) * 1j)
