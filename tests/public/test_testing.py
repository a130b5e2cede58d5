"""Gradient checks say where the gradient is wrong."""

from __future__ import annotations

import importlib.metadata

import numpy as np
import pytest

import srcgrad as sg

pytest_plugins = "pytester"


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
    assert "worst: x[1, 1]: " in text
    assert "first wrong statement: the adjoint of square" in text
    assert "return np.sum(square(y))" in text


def test_what_cannot_be_checked_is_said():
    with pytest.raises(sg.StructureError, match="give their numbers"):
        sg.testing.assert_grad(program, np.ones(2), argnums="x")
    with pytest.raises(sg.StructureError, match="complex128"):
        sg.testing.assert_grad(lambda z: np.sum(abs(z)), np.ones(2) * 1j)


def test_the_place_in_a_structure_is_an_expression():
    def loss(params, x):
        return np.sum(square(np.sin(params["w"][1])) * x) + params["b"]

    with pytest.raises(AssertionError, match=r"worst: params\['w'\]\[1\]\[2\]: "):
        sg.testing.assert_grad(loss, {"w": [1.0, np.array([0.0, 0.0, 0.7])], "b": 2.0}, np.ones(3))
    with pytest.raises(AssertionError, match="worst: x: "):
        sg.testing.assert_grad(square, 0.5)


def test_fixtures(pytester):
    """The plugin of pytest, in a run of its own."""
    pytester.makepyfile("""
        import numpy as np
        import srcgrad as sg

        @sg.custom_vjp
        def square(x):
            return x * x

        square.defvjp(lambda x: (x * x, x), lambda x, ct: (3.0 * x * ct,))

        def test_right(assert_grad, check_grads):
            assert_grad(lambda x: np.sum(np.sin(x)), np.ones(3))
            check_grads(lambda x: np.sin(x), (np.ones(3),))

        def test_wrong(assert_grad):
            assert_grad(lambda x: np.sum(square(x)), np.array([0.1, 0.5]))

        def test_nan(debug_nans):
            sg.value_and_grad(lambda x: np.sum(np.log(x - 1.0)))(np.zeros(2))
        """)
    installed = any(e.name == "srcgrad" for e in importlib.metadata.entry_points(group="pytest11"))
    result = pytester.runpytest("-p", "no:cacheprovider", *([] if installed else ["-p", "srcgrad.pytest_plugin"]))
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*worst: x[[]1]: *", "*first wrong statement: the adjoint of square*",
                                 "*NonFiniteValue*"])
