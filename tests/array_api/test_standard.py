"""Compiled functions on arrays of the Array API: array_api_strict, which has nothing but the standard,
beside plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as sg

xp = pytest.importorskip("array_api_strict", reason="pip install array-api-strict")
X = np.linspace(0.1, 0.9, 6)
M = np.outer(X, X) + np.eye(6)


def heat(u0, a, n):
    u = u0.copy()
    for _ in range(n):
        u[1:-1] += a * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def network(p, x, y):
    h = np.tanh(x @ p["w1"] + p["b1"])
    return np.mean((h @ p["w2"] - y) ** 2)


def pieces(x):
    y = np.where(x > 0.5, x ** 2, np.exp(x))
    return np.sum(np.maximum(y, 0.3)[1:] * y[:-1])


def softmax(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - m), axis=1)) + m[:, 0])


def joined(x, y):
    z = np.concatenate([x, y[::-1]])
    return np.sum(z.reshape(2, -1).T @ np.ones(2)) + np.std(z)


def branches(x, n):
    y = np.exp(x)
    for _ in range(n):
        y = np.sin(y) + x
        if np.sum(y) > 3.0:
            y = y * 0.5
    return np.sum(y * y)


def recurrence(x):
    h = 0.0
    for i in range(x.shape[0]):
        h = np.tanh(h + x[i])
    return h


def coupled(x):
    h = s = 0.0
    for i in range(x.shape[0]):
        h = np.tanh(h + x[i])
        s = s + np.exp(h * x[i])
    return h + s


def filled(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i - 1]
    return np.sum(y * x)


def stencil(m):
    return np.sum((m[1:, :-1] - m[:-1, 1:]) ** 2 * m[0, 0])


def rows(m):
    s = 0.0
    for i in range(m.shape[0]):
        s = s + np.sum(m[i] ** 2) / (1.0 + m[i, 0])
    return s


ONE = [
    lambda x: np.sum(np.sin(x) * np.cos(x)), lambda x: np.mean(x ** 3),
    lambda x: np.sum(np.arcsin(x) + np.arctan(x) + np.sinh(x)), lambda x: np.max(x) - np.min(x),
    lambda x: np.sum(np.sqrt(x) / np.log1p(x)), lambda x: np.sum(np.power(x, 1.5)),
    lambda x: np.sum(x[:, None] * x[None, :]), lambda x: np.sum(np.outer(x, x)[1]), lambda x: np.var(x),
    lambda x: x @ x, lambda x: np.dot(x, np.ones(6)), lambda x: np.sum(np.stack([x, 2.0 * x], axis=1)[:, 1]),
    lambda x: np.sum(np.clip(x, 0.2, 0.7)), lambda x: np.sum(np.abs(x - 0.5)), lambda x: x[2] * x[-1],
    lambda x: np.sum(np.roll(x, 1) * x), lambda x: np.sum(np.cumsum(x) ** 2), lambda x: np.sum(x[x > 0.5] ** 2),
    lambda x: np.sum(np.broadcast_to(x, (3, 6)) * np.arange(3.0)[:, None]), lambda x: np.sum(np.hypot(x, 0.5)),
    pieces, recurrence, filled, coupled,
]
CASES = [*((f, (X,)) for f in ONE), (heat, (X, 0.1, 3)), (softmax, (M,)), (joined, (X, X)), (branches, (X, 3)),
         (stencil, (M,)), (rows, (M,)), (lambda m: np.sum(np.linalg.solve(m, np.ones(6))), (M,)),
         (lambda m: np.trace(m @ m.T), (M,)),
         (network, ({"w1": M, "b1": X, "w2": X}, M, X))]


def there(value):
    if isinstance(value, dict):
        return {k: there(v) for k, v in value.items()}
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


def close(found, wanted):
    if isinstance(wanted, dict):
        for key in wanted:
            close(found[key], wanted[key])
        return
    if np.ndim(wanted):
        assert type(found) is type(xp.asarray(1.0)) and found.shape == np.shape(wanted)
        found = np.from_dlpack(found)
    np.testing.assert_allclose(np.asarray(float(found) if not np.ndim(wanted) else found), wanted, rtol=1e-10)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_values_and_gradients_are_those_of_numpy(case):
    f, args = CASES[case]
    wanted = sg.value_and_grad(f)(*args)
    df = sg.value_and_grad(f)
    for _ in range(2):
        value, gradient = df(*map(there, args))
        close(value, f(*args))
        close(gradient, wanted[1])
    assert df.cache_info().currsize == 1


@pytest.mark.parametrize("case", range(0, len(ONE), 2))
def test_single_precision_stays(case):
    f, x = ONE[case], X.astype(np.float32)
    (value, slope), wanted = sg.value_and_grad(f)(there(x)), sg.value_and_grad(f)(x)
    assert slope.dtype == xp.float32
    np.testing.assert_allclose(float(value), wanted[0], rtol=1e-5)
    np.testing.assert_allclose(np.from_dlpack(slope), wanted[1], rtol=1e-4, atol=1e-6)


def test_pullbacks_pushforwards_and_gradients_of_gradients():
    out, pullback = sg.vjp(lambda x: np.sin(x) * x, there(X))
    close(out, np.sin(X) * X)
    close(pullback(there(X))[0], X * (np.cos(X) * X + np.sin(X)))
    out, tangent = sg.jvp(lambda x: np.sin(x), (there(X),), (there(M[0]),))
    close(tangent, np.cos(X) * M[0])
    close(sg.grad(sg.grad(lambda x: x ** 3.0))(xp.asarray(2.0)), 12.0)
    close(sg.jit(lambda x: {"y": x * 2.0})(there(X)), {"y": 2.0 * X})


@dataclass
class Model:
    w: object
    scale: float


def test_arrays_in_objects_and_captured_ones():
    def loss(m, x):
        return np.sum(m.w * x * X) * m.scale

    close(sg.grad(loss)(Model(there(X), 2.0), there(X)).w, 2.0 * X * X)


def writes_to_its_argument(x):
    x[0] = 1.0
    return np.sum(x)


def writes_through_a_view(x):
    u = x * 2.0
    v = u[1:]
    u[2] = 0.0
    return np.sum(v * v)


@pytest.mark.parametrize("f, what", [
    (lambda x: np.sum(np.unwrap(x)), "np.unwrap"), (writes_to_its_argument, "a write into x"),
    (writes_through_a_view, "v, which is read later, may share its memory"), (lambda x: np.sum(np.interp(x, X, X)), "np.interp")])
def test_what_the_standard_does_not_have_is_refused(f, what):
    with pytest.raises(sg.UnsupportedOperation, match=what):
        sg.jit(f)(there(X))


def scaled(x):
    return np.sum(np.sin(x) ** 3) * x[0]


def products(x):
    u = x.copy()
    for i in range(3):
        u[1:] = u[:-1] * u[1:]
    return u


@pytest.mark.parametrize("call", [
    lambda x, v: sg.hessian(scaled)(x), lambda x, v: sg.hvp(scaled)(x, v), lambda x, v: sg.gnvp(products)(x, v),
    lambda x, v: sg.jacobian(products)(x), lambda x, v: sg.jacfwd(products)(x), lambda x, v: sg.jacrev(products)(x),
    lambda x, v: sg.linearize(products, x)[1](v), lambda x, v: sg.elementwise_grad(np.tanh)(x),
    lambda x, v: sg.vmap(sg.grad(scaled))(np.outer(x, v) if isinstance(x, np.ndarray) else x[:, None] * v),
    lambda x, v: sg.hessian(lambda p: np.sum(p["a"] ** 2 * p["b"]))({"a": x, "b": v})["a"]["b"]])
def test_matrices_products_and_batches(call):
    close(call(there(X), there(X[::-1].copy())), call(X, X[::-1].copy()))


def doubled_where_large(x):
    y = x * 1.0
    y[x > 0.5] *= 2.0
    large = (y > 0.3) & ~(y > 1.0)
    y[large] = y[large] ** 2
    return np.sum(y ** 2)


def dead_views(x):
    u = x * 2.0
    v = u[1:]
    s = np.sum(v)
    u[2] = s  # v is not read any more
    w = u[::2]
    w[0] = 1.0  # nor is u
    return np.sum(w * w)


def ordered(x):
    return np.sum(np.sort(x)[1:]) + np.linalg.norm(x) + np.diff(x, axis=-1)[0]


@pytest.mark.parametrize("f", [doubled_where_large, lambda x: np.linalg.norm(x)])
def test_writes_that_no_other_name_sees(f):
    value, slope = sg.value_and_grad(f)(there(X))
    wanted = sg.value_and_grad(f)(X)
    close(value, wanted[0])
    close(slope, wanted[1])
    for forward in (ordered, dead_views):
        close(sg.jit(forward)(there(X)), forward(X))


@pytest.mark.parametrize("f", [
    lambda x: np.round(x, 2), lambda x: np.argsort(x, kind="stable"), lambda x: np.sum(x, initial=2.0),
    lambda x: x.clip(0.0, 1.0, dtype=float)])
def test_options_that_the_standard_does_not_have_are_refused(f):
    with pytest.raises(sg.UnsupportedOperation, match="options of np"):
        sg.jit(f)(there(X))


def weighted(weights, x):
    total = np.sum(x)
    for i in range(len(weights)):
        total = total + weights[i] * np.sum(x ** 2)
    return total


def test_long_lists_of_numbers():
    weights = [0.5 * i for i in range(20)]
    of_weights, of_x = sg.grad(weighted, argnums=(0, 1))(weights, there(X))
    wanted = sg.grad(weighted, argnums=(0, 1))(weights, X)
    np.testing.assert_allclose(of_weights, wanted[0], rtol=1e-10)
    close(of_x, wanted[1])


def test_long_lists_of_arrays_and_changes_of_the_callers_objects_are_refused():
    with pytest.raises(sg.UnsupportedOperation, match="a write into d_xs|made of several"):
        sg.grad(lambda xs: sum(np.sum(x ** 2) for x in xs))([there(X) for _ in range(20)])

    def changes(m, x):
        m.w = x * 2.0
        return np.sum(x)

    with pytest.raises(sg.UnsupportedOperation, match="change of an attribute"):
        sg.jit(changes)(Model(there(X), 1.0), there(X))
