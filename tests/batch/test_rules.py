"""Batched forms: equal to the stack of single calls, without a loop in the text."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

STREAM = np.random.RandomState(7)
A = STREAM.normal(size=(4, 3, 3)) + 3.0 * np.eye(3)
S = A @ np.swapaxes(A, 1, 2)
X = STREAM.normal(size=(4, 3))
Y = STREAM.normal(size=(4, 3))
N = STREAM.normal(size=4)
W = STREAM.normal(size=(3, 2))
V = STREAM.normal(size=3)
K = np.array([0, 2, 1, 0])

# name: function of one example, arguments, in_axes
FORMS = {
    "ranks": (lambda x, n: x * n + x[:, None] @ x[None] * n, (X, N), 0),
    "numbers": (lambda n, m: np.sin(n) * m + n ** 2, (N, N), 0),
    "shared": (lambda w, x: np.tanh(x @ w), (W, X), (None, 0)),
    "comparison": (lambda x, y: np.where(x > y, x, 2.0 * y), (X, Y), 0),
    "clip": (lambda x: np.clip(x, -0.5, 0.5).sum(), (X,), 0),
    "maximum": (lambda x: np.maximum(x, 0.0), (X,), 0),
    "absolute": (lambda x: abs(x) + np.abs(x), (X,), 0),
    "astype": (lambda x: (x > 0).astype(float) * x, (X,), 0),
    "sum all": (lambda a: np.sum(a), (A,), 0),
    "sum axis": (lambda a: np.sum(a, axis=0) + a.sum(axis=-1, keepdims=True), (A,), 0),
    "sum axes": (lambda a: np.sum(a, axis=(0, -1)), (A,), 0),
    "mean": (lambda a: np.mean(a, axis=1) - a.mean(), (A,), 0),
    "max": (lambda a: np.max(a, axis=0) * np.min(a), (A,), 0),
    "var": (lambda a: np.var(a, axis=0) + np.std(a, ddof=1), (A,), 0),
    "cumsum": (lambda a: np.cumsum(a, axis=1) + np.cumsum(a)[2], (A,), 0),
    "sort": (lambda x: np.sort(x) * V, (X,), 0),
    "norm": (lambda a: np.linalg.norm(a) * np.linalg.norm(a, axis=0), (A,), 0),
    "argmax": (lambda x: x * np.argmax(x), (X,), 0),
    "reshape": (lambda a: a.reshape(9) @ a.reshape(-1), (A,), 0),
    "ravel": (lambda a: a.ravel()[1:] * a.flatten()[:-1], (A,), 0),
    "transpose": (lambda a: a.T @ a + np.transpose(a), (A,), 0),
    "swapaxes": (lambda a: np.swapaxes(a, 0, -1) * a, (A,), 0),
    "stack": (lambda x, y: np.stack([x, y, V], axis=1), (X, Y), 0),
    "concatenate": (lambda x, y: np.concatenate([x, V, y]), (X, Y), 0),
    "array": (lambda x: np.array([x[0], x[1] * x[2], 1.0]), (X,), 0),
    "diff": (lambda x: np.diff(x) * np.flip(x)[:-1] + np.roll(x, 1)[1:], (X,), 0),
    "dot": (lambda x, y: np.dot(x, y) + x @ V + V @ y, (X, Y), 0),
    "matvec": (lambda a, x: a @ x + x @ a + W.T @ x @ W.T, (A, X), 0),
    "matvec shared": (lambda a, x: a @ x, (A[0], X), (None, 0)),
    "matmat": (lambda a: a @ a + a @ A[1] + A[2] @ a, (A,), 0),
    "outer": (lambda x, y: np.outer(x, y) + np.outer(x, V), (X, Y), 0),
    "einsum": (lambda a, x: np.einsum("ij,j->i", a, x) + np.einsum("ij,i->j", A[0], x), (A, X), 0),
    "inverse": (lambda a: np.linalg.inv(a), (A,), 0),
    "solve": (lambda a, x: np.linalg.solve(a, x), (A, X), 0),
    "solve shared": (lambda a, x: np.linalg.solve(a, x), (A[0], X), (None, 0)),
    "cholesky": (lambda s: np.linalg.cholesky(s) * np.linalg.det(s), (S,), 0),
    "slogdet": (lambda s: np.linalg.slogdet(s)[1], (S,), 0),
    "eigvalsh": (lambda s: np.linalg.eigvalsh(s), (S,), 0),
    "trace": (lambda a: np.trace(a) + np.diagonal(a) + np.tril(a).sum(), (A,), 0),
    "items": (lambda x: x[0] * x[-1] + x[1:].sum() * x[::-1], (X,), 0),
    "index arrays": (lambda x: x[np.array([0, 0, 2])] * np.take(x, [1, 2, 2]), (X,), 0),
    "own place": (lambda x, k: x[k] * 2.0, (X, K), 0),
    "table": (lambda w, k: w[k] * w[k, 0], (W, K), (None, 0)),
    "writes": (lambda x: _written(x), (X,), 0),
    "zeros": (lambda x: _filled(x), (X,), 0),
    "loop": (lambda x: _recurrence(x), (X,), 0),
    "list": (lambda x: _collected(x), (X,), 0),
    "branch": (lambda w, x: x * 2.0 if np.sum(w) > 0 else -x, (W, X), (None, 0)),
    "other axes": (lambda a, x: a @ x, (np.moveaxis(A, 0, 2), X.T), (2, 1)),
    "several": (lambda x, y: (x * y, {"s": np.sum(x)}), (X, Y), 0),
    "while": (lambda x: _doubled(x), (X,), 0),
    "complex": (lambda x: np.abs(np.exp(1j * x)) + np.real((1 + 2j) * x), (X,), 0),
    "single precision": (lambda x: np.tanh(x * 2.0 + 1) / 3, (X.astype(np.float32),), 0),
}


def _written(x):
    out = x * 1.0
    out[1] = x[0] * x[2]
    out[0] += 2.0
    out[1:] *= x[1:]
    return out


def _filled(x):
    out = np.zeros((2, 3))
    out[0] = x
    out[1, 1:] = x[:2] ** 2
    return out


def _recurrence(x):
    state, total = np.zeros(3), 0.0
    for k in range(4):
        state = np.tanh(state + x * k)
        total = total + state[0] * state[2]
    return state * total


def _collected(x):
    parts = []
    for k in range(3):
        parts.append(x * k)
    return np.stack(parts)


def _doubled(x):
    k = 0
    while k < 3:
        x = x * x * 0.5 + 0.1
        k += 1
    return x


def examples(args, in_axes):
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    count = next(np.shape(a)[k] for a, k in zip(args, axes) if k is not None)
    return [tuple(a if k is None else np.take(a, i, axis=k) for a, k in zip(args, axes))
            for i in range(count)]


def leaves(tree):
    return sg.tree_flatten(tree)[0]


@pytest.mark.parametrize("name", FORMS)
def test_it_is_the_stack_of_single_calls_without_a_loop(name):
    fun, args, in_axes = FORMS[name]
    mapped = sg.jit(sg.vmap(fun, in_axes))
    rows = [leaves(fun(*each)) for each in examples(args, in_axes)]
    found = leaves(mapped(*args))
    assert len(found) == len(rows[0])
    for k, leaf in enumerate(found):
        want = np.stack([row[k] for row in rows])
        assert leaf.dtype == want.dtype
        np.testing.assert_allclose(leaf, want, rtol=1e-5 if want.dtype == np.float32 else 1e-12,
                                   atol=1e-12)
    loops = mapped.source(*args).count("for ") + mapped.source(*args).count("while ")
    assert loops <= (name in ("loop", "list", "while")), mapped.source(*args)


@pytest.mark.parametrize("name", sorted(set(FORMS) - {"comparison", "single precision"}))
def test_its_derivative_is_that_of_single_calls(name):
    fun, args, in_axes = FORMS[name]

    mapped = sg.vmap(fun, in_axes)

    def total(*args):
        parts = leaves(mapped(*args))
        result = 0.0
        for part in parts:
            result = result + np.sum(np.sin(part))
        return result

    def one_by_one(*args):
        result = 0.0
        for each in examples(args, in_axes):
            for part in leaves(fun(*each)):
                result = result + np.sum(np.sin(part))
        return result

    steps = tuple(STREAM.normal(size=np.shape(a)) if a.dtype.kind == "f" else None for a in args)
    wrt = tuple(k for k, s in enumerate(steps) if s is not None)
    found = sg.grad(total, wrt)(*args)
    slope = sum(np.sum(g * steps[k]) for g, k in zip(found, wrt))
    h = 1e-6

    def moved(t):
        return one_by_one(*(a if s is None else a + t * s for a, s in zip(args, steps)))

    np.testing.assert_allclose(slope, (moved(h) - moved(-h)) / (2 * h), rtol=1e-5, atol=1e-6)


def test_gradients_of_each_example_are_one_batch():
    def loss(w, x, y):
        return np.sum((np.tanh(x @ w) - y) ** 2)

    each = sg.jit(sg.vmap(sg.grad(loss), (None, 0, 0)))
    y = STREAM.normal(size=(4, 2))
    found = each(W, X, y)
    for k in range(4):
        np.testing.assert_allclose(found[k], sg.grad(loss)(W, X[k], y[k]), rtol=1e-12)
    assert "for " not in each.source(W, X, y)


def test_what_examples_do_by_themselves_stays_a_loop():
    def branching(x):
        return x * 2.0 if x[0] > 0 else -x

    mapped = sg.jit(sg.vmap(branching))
    np.testing.assert_array_equal(mapped(X), np.stack([branching(x) for x in X]))
    assert "for " in mapped.source(X)


def test_effects_happen_once_for_each_example():
    seen = []

    def noting(x):
        seen.append(len(seen))
        return x * 2.0

    np.testing.assert_array_equal(sg.jit(sg.vmap(noting))(X), X * 2.0)
    assert seen == [0, 1, 2, 3]


def test_arguments_that_are_written_to():
    def scaled(x):
        x *= 2.0
        return np.sum(x)

    x = X.copy()
    np.testing.assert_allclose(sg.jit(sg.vmap(scaled))(x), (2.0 * X).sum(axis=1))
    np.testing.assert_array_equal(x, 2.0 * X)


def doubled_first(x):
    made = list(x)
    made[0] = made[1] * 2
    return made


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.array([doubled_first(x), doubled_first(x[::-1])]) * x),
    lambda x: np.sum(np.stack([x, doubled_first(x)]) * x),
    lambda x: np.sum(np.concatenate([doubled_first(x), x]) * np.arange(8.0)),
    lambda x: np.sum(np.maximum(doubled_first(x), x) * x),
    lambda x: np.sum(np.array([[v, v * 2] for v in x]) * x[:, None])],
    ids=["array", "stack", "concatenate", "maximum", "pairs"])
def test_lists_of_each_example_in_as_many_examples_as_items(f):
    df = sg.grad(f)
    for count in (4, 5):
        rows = STREAM.uniform(0.2, 1.5, (count, 4))
        wanted = np.stack([df(row) for row in rows])
        np.testing.assert_allclose(sg.grad(lambda z: np.sum(sg.vmap(f)(z)))(rows), wanted)
        np.testing.assert_allclose(sg.vmap(df)(rows), wanted)
