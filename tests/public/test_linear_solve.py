"""Linear systems with operators, and implicit functions that form no matrix."""

from functools import partial

import numpy as np
import pytest

import srcgrad as sg

pytest.importorskip("scipy.sparse.linalg")
RNG = np.random.default_rng(0)
K, B = RNG.uniform(1.0, 2.0, size=6), RNG.normal(size=6)


def heat(v, k):
    """A symmetric, positive definite operator: a rod that conducts."""
    flow = np.diff(v) * k[1:]
    out = k[0] * v + 0.0
    out[:-1] -= flow
    out[1:] += flow
    return out


def carried(v, k):
    """One that is not symmetric."""
    return heat(v, k) + 0.3 * np.roll(v, 1) * k


def matrix(operator, k):
    return np.stack([operator(e, k) for e in np.eye(6)], axis=1)


@pytest.mark.parametrize("method, operator", [
    ("cg", heat), ("minres", heat), ("gmres", carried), ("bicgstab", carried), ("lgmres", carried),
    ("gcrotmk", carried)])
def test_against_the_matrix(method, operator):
    def free(k, b):
        return np.sum(np.sin(sg.linear_solve(lambda v: operator(v, k), b, method=method, rtol=1e-12)))

    def dense(k, b):
        A = np.stack([operator(e, k) for e in np.eye(6)], axis=1)
        return np.sum(np.sin(np.linalg.solve(A, b)))

    np.testing.assert_allclose(free(K, B), dense(K, B), rtol=1e-8)
    for got, want in zip(sg.grad(free, argnums=(0, 1))(K, B), sg.grad(dense, argnums=(0, 1))(K, B)):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9)


def test_higher_orders_forward_mode_and_shapes():
    def free(k):
        x = sg.linear_solve(lambda v: carried(v.ravel(), k).reshape(2, 3), B.reshape(2, 3), rtol=1e-13)
        return np.sum(x ** 2 * np.arange(6.0).reshape(2, 3))

    def dense(k):
        A = np.stack([carried(e, k) for e in np.eye(6)], axis=1)
        return np.sum(np.linalg.solve(A, B) ** 2 * np.arange(6.0))

    np.testing.assert_allclose(sg.hessian(free)(K), sg.hessian(dense)(K), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(sg.jvp(free, (K,), (B,))[1], sg.jvp(dense, (K,), (B,))[1], rtol=1e-7)


def test_in_a_loop_and_a_branch():
    def stepped(k, b):
        x = b
        for i in range(3):
            if x[0] > -10.0:
                x = sg.linear_solve(lambda v: v + 0.1 * carried(v, k), x + 0.1 * i, rtol=1e-12)
        return np.sum(x ** 2)

    sg.check_grads(stepped, (K, B), order=1)
    assert sg.jit(stepped)(K, B) == stepped(K, B)


def relaxed(k, load):
    x = np.zeros_like(load)
    for _ in range(60):
        x = x - np.linalg.solve(matrix(heat, k) + 3 * np.diag(0.1 * x ** 2), bent(x, k, load))
    return x


def bent(x, k, load):
    return heat(x, k) + 0.1 * x ** 3 - load


@pytest.mark.parametrize("solve", [sg.linear_solve, partial(sg.linear_solve, method="cg", rtol=1e-12)])
def test_implicit_without_a_matrix(solve):
    free, dense = sg.implicit(relaxed, bent, solve), sg.implicit(relaxed, bent)
    for transform in (partial(sg.grad, argnums=(0, 1)), sg.grad):
        got, want = (transform(lambda k, load: np.sum(np.sin(f(k, load))))(K, B) for f in (free, dense))
        for a, b in zip(np.atleast_2d(got), np.atleast_2d(want)):
            np.testing.assert_allclose(a, b, rtol=1e-6)
    got, want = (sg.jvp(lambda k: f(k, B), (K,), (B,))[1] for f in (free, dense))
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_least_squares_by_normal_equations():
    def fitted(k, b):
        model = lambda v: np.outer(v, k).ravel()
        _, back = sg.vjp(model, np.zeros(3))
        return np.sum(sg.linear_solve(lambda v: back(model(v))[0], back(b)[0], method="cg") ** 2)

    b = RNG.normal(size=18)
    want = np.linalg.lstsq(np.kron(np.eye(3), K[:, None]), b, rcond=None)[0]
    np.testing.assert_allclose(sg.jit(fitted)(K, b), np.sum(want ** 2))
    sg.check_grads(fitted, (K, b), order=1)


def test_mistakes():
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        sg.linear_solve(lambda v: carried(v, K), B, maxiter=1, method="bicgstab")
    for call in (lambda f: f(B), lambda f: sg.jit(f)(B)):
        with pytest.raises(sg.StructureError, match="no method"):
            call(lambda b: sg.linear_solve(lambda v: v, b, method="lu"))
        with pytest.raises(sg.StructureError, match="operator is no function"):
            call(lambda b: sg.linear_solve(np.eye(b.size), b))
        with pytest.raises(ValueError, match=r"makes an array of shape \(2,\)"):
            call(lambda b: sg.linear_solve(lambda v: v[:2], b))
    with pytest.raises(ValueError, match="equally many numbers"):
        sg.linear_least_squares(np.cumsum, B, np.zeros(2))
    with pytest.raises(sg.StructureError, match="real numbers"):
        sg.linear_solve(lambda v: v, B + 1j)
    with pytest.raises(sg.StructureError, match="the linear_solve of implicit"):
        sg.implicit(relaxed, bent, 3.0)


# ---- unknowns in containers, and least squares ---------------------------------------------------
T = np.linspace(0.0, 1.0, 7)


def in_containers(c):
    x = sg.linear_solve(lambda p: {"u": c * p["u"] + p["v"] * np.ones(2), "v": p["v"] * 3.0 + np.sum(p["u"])},
                        {"u": np.ones(2), "v": 2.0})
    return x["v"] + np.sum(x["u"] ** 2)


def line(c):
    x = sg.linear_least_squares(lambda p: p["a"] + p["b"] * T ** c, 2.0 + np.sin(3.0 * T), {"a": 0.0, "b": 0.0},
                                damp=0.1 * c)
    return x["b"] ** 2


def profile(c):
    x = sg.linear_least_squares(lambda p: {"p": p * c, "q": np.cumsum(p)}, {"p": T, "q": T ** 2}, T)
    return np.sum(x ** 2)


@pytest.mark.parametrize("program", [in_containers, line, profile], ids=lambda f: f.__name__)
def test_containers_and_least_squares(program):
    sg.check_grads(program, (2.0,), order=2)


def test_least_squares_against_the_matrix():
    A, b = RNG.normal(size=(9, 4)), RNG.normal(size=9)
    for damp in (0.0, 0.5):
        want = np.linalg.solve(A.T @ A + damp * np.eye(4), A.T @ b)
        np.testing.assert_allclose(sg.linear_least_squares(lambda v: A @ v, b, np.zeros(4), damp=damp), want, rtol=1e-8)
    with pytest.raises(np.linalg.LinAlgError):
        sg.linear_least_squares(lambda v: A @ v, b, np.zeros(4), maxiter=1)
