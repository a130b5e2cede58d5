"""Where NaNs come from; Gauss-Newton products."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.0, 1.0, 2.0])


def in_the_forward_part(x):
    y = x * 2
    z = np.log(y - 3.0)
    return np.sum(z * x)


def in_the_adjoint_part(x):
    y = np.sqrt(x)
    return np.sum(y)


def in_a_loop(x):
    y = 1.0
    for i in range(3):
        y = y / (x[i] - 1.0)
    return y


@pytest.mark.parametrize(("function", "part", "line"), [
    (in_the_forward_part, "forward", "z = np.log(y - 3.0)"),
    (in_the_adjoint_part, "adjoint", "y = np.sqrt(x)"),
    (in_a_loop, "forward", "y = y / (x[i] - 1.0)")])
def test_the_first_statement_is_named(function, part, line):
    df = sg.value_and_grad(function)
    with np.errstate(all="ignore"):
        df(X)
        with sg.debug_nans(), pytest.raises(sg.NonFiniteValue) as caught:
            df(X)
    assert isinstance(caught.value, FloatingPointError)
    text = str(caught.value)
    assert f"in the {part} part" in text and line in text and "Why:" in text and "Fix:" in text


def test_nothing_is_said_of_finite_programs_and_of_nans_that_come_in():
    trace = sys.gettrace()
    with sg.debug_nans():
        assert sg.grad(in_the_adjoint_part)(X + 1).shape == (3,)
        assert np.isnan(sg.grad(lambda x: np.sum(x * x))(np.array([np.nan, 1.0]))[0])

        def smallest(x):
            best = np.inf
            for v in x:
                if v < best:
                    best = v
            return best

        assert sg.grad(smallest)(X).tolist() == [1, 0, 0]
    assert sys.gettrace() is trace


def test_infinities_may_be_left_out():
    with np.errstate(all="ignore"), sg.debug_nans(infs=False):
        assert np.isinf(sg.grad(in_the_adjoint_part)(X)[0])


def test_gauss_newton_products():
    A = np.random.default_rng(0).random((5, 3))

    def model(x, scale):
        return np.tanh(A @ x) * scale

    jacobian = sg.jacobian(model)(X, 2.0)
    v = np.array([1.0, -1.0, 0.5])
    np.testing.assert_allclose(sg.gnvp(model)(X, 2.0, v), jacobian.T @ (jacobian @ v))

    def loss(r):
        return np.sum(np.cosh(r))

    middle = sg.hessian(loss)(model(X, 2.0))
    np.testing.assert_allclose(sg.gnvp(model, loss=loss)(X, 2.0, v),
                               jacobian.T @ (middle @ (jacobian @ v)))
    tree = sg.gnvp(lambda p: p["a"] * p["b"])({"a": X, "b": 3.0}, {"a": X, "b": 0.0})
    np.testing.assert_allclose(tree["a"], 9 * X)


# ---- the statement with the wrong derivative --------------------------------------------------
@sg.custom_vjp
def _wrong_square(x):
    return x * x


_wrong_square.defvjp(lambda x: (x * x, x), lambda x, ct: (3.0 * x * ct,))


def _steps(x, n):
    y = np.sin(x)
    for i in range(n):
        y = np.maximum(y, 0.1 * i)
        if np.sum(y) > 1.0:
            y = _wrong_square(y) + y[::-1]
    return np.sum(y) + np.linalg.norm(y)


def test_debug_grads_names_the_statement():
    suspect = sg.debug_grads(_steps, np.array([0.3, 0.9, 1.4]), 4)
    assert suspect.operation == "_wrong_square"
    assert suspect.where.text.strip() == "y = _wrong_square(y) + y[::-1]"
    assert "dot-product test" in str(suspect)


def test_debug_grads_finds_nothing_where_nothing_is_wrong():
    x = np.array([0.3, 0.0, 1.4])
    assert sg.debug_grads(lambda x: np.sum(np.abs(x)) + np.max(x) * x[0], x) is None
    assert sg.debug_grads(lambda p: np.sum(p["a"] * p["b"]), {
        "a": np.ones(2, np.float32), "b": 2.0}) is None
    assert sg.debug_grads(lambda z: np.sum(np.abs(np.fft.fft(z) * z)), np.array([1 + 2j, 3])) is None
    assert sg.debug_grads(lambda n: n * 2, 3) is None
    assert sg.debug_grads(lambda x: _wrong_square(x) * 0 + int(x), 2.5) is not None


def test_debug_grads_looks_into_called_functions():
    def total(x):
        return x[0] if len(x) == 1 else np.logaddexp(total(x[:len(x) // 2]), total(x[len(x) // 2:]))

    assert sg.debug_grads(total, np.arange(5.0)) is None


@pytest.mark.parametrize(("name", "value"), [("backend", "cuda"), ("precision", "half"), ("progress", "yes"), ("parallel", 1)])
def test_a_setting_is_checked_where_it_is_set(name, value):
    before = getattr(sg.config, name)
    with pytest.raises(sg.StructureError, match=f"{name} is {value!r}"):
        setattr(sg.config, name, value)
    assert getattr(sg.config, name) == before
    with pytest.raises(AttributeError):
        sg.config.progres = True
