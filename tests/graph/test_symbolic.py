"""Symbolic NumPy: what rule bodies compute is recorded, and means what they say."""

import math
import operator

import numpy as np
import pytest

from srcgrad.errors import TracingError, UnsupportedOperation
from srcgrad.graph.interpret import interpret
from srcgrad.graph.ir import Builder, Graph, Value
from srcgrad.graph.symbolic import Sym, materialise
from srcgrad.graph.verify import verify
from srcgrad.types.dims import floor_divide, maximum, minimum, range_length, slice_length, symbol
from srcgrad.types.kinds import FLOAT, any_aval, array, int_aval

N, M = symbol("n"), symbol("m")


def programs():
    yield lambda a, x, f, i: a @ x
    yield lambda a, x, f, i: 2.0 * a - a / 3 + np.float64(2) * a
    yield lambda a, x, f, i: np.ones(4) * x * f
    yield lambda a, x, f, i: np.sum(a, axis=0, keepdims=True) + a.sum(axis=1)[:, None]
    yield lambda a, x, f, i: np.reshape(x, (a.shape[1], 1)) * np.expand_dims(x, 0)
    yield lambda a, x, f, i: np.broadcast_to(x, a.shape)
    yield lambda a, x, f, i: a.T @ a + a.mT[:, :1]
    yield lambda a, x, f, i: np.arange(x.shape[0], like=x) * x
    yield lambda a, x, f, i: np.full((x.shape[0], 2), 3.0, like=x)
    yield lambda a, x, f, i: np.zeros_like(x, shape=(a.shape[0], 2))
    yield lambda a, x, f, i: x[1:] * x[:-1] + x[0] + x[-1]
    yield lambda a, x, f, i: a[..., None, 0]
    yield lambda a, x, f, i: x[i] + np.take(x, i)
    yield lambda a, x, f, i: x[x > 0.5]
    yield lambda a, x, f, i: np.where(x > 0.5, x, 0) + np.maximum(x, 0.2)
    yield lambda a, x, f, i: np.concatenate([x, 2 * x, x[:1]])
    yield lambda a, x, f, i: np.stack([x, x])[0]
    yield lambda a, x, f, i: np.split(x, 2)[1]
    yield lambda a, x, f, i: np.linalg.solve(a.T @ a + np.eye(4), x)
    yield lambda a, x, f, i: np.linalg.svd(a, full_matrices=False)[1]
    yield lambda a, x, f, i: np.linalg.slogdet(a.T @ a + np.eye(4)).logabsdet
    yield lambda a, x, f, i: np.einsum("ij,j->i", a, x)
    yield lambda a, x, f, i: x / math.prod(a.shape) + x.size
    yield lambda a, x, f, i: (f**2 + 1 / f - f) * x.astype(np.float32)
    yield lambda a, x, f, i: np.add.reduce(a) + np.subtract.outer(x, x)
    yield lambda a, x, f, i: abs(-x) + (+x) + x // 0.3 + x % 0.3 + 2.0**x
    yield lambda a, x, f, i: (x > 0.5) & ~(x > 0.7) | (x < 0.1)
    yield lambda a, x, f, i: a.reshape(-1).reshape(a.shape).transpose(1, 0)
    yield lambda a, x, f, i: x.real + np.conj(x) + x.conj()
    yield lambda a, x, f, i: a.swapaxes(0, 1).max(axis=0) + a.mean()
    yield lambda a, x, f, i: sum(row for row in np.stack([x, x * 2]))


INPUTS = (np.arange(12.0).reshape(3, 4) / 7, np.array([0.3, 0.9, 0.6, 0.2]), 0.5,
          np.array([0, 2, 2]))


def record(function):
    b = Builder()
    avals = (array(float, (N, M)), array(float, (M,)), FLOAT, array(int, (3,)))
    values = [b.param(a, h) for a, h in zip(avals, "axfi")]
    result = function(*(Sym(v, b) for v in values))
    return Graph("body", b.block((result.value,)))


@pytest.mark.parametrize("function", list(programs()))
def test_what_is_recorded_is_what_was_said(function):
    graph = record(function)
    verify(graph)
    (result,) = interpret(graph, *INPUTS, check=True)
    expected = function(*INPUTS)
    np.testing.assert_array_equal(result, expected)
    assert type(result) is type(expected) and result.dtype == expected.dtype


def sym(aval):
    b = Builder()
    return Sym(b.param(aval, "x"), b)


def test_facts_cost_nothing():
    x = sym(array(float, (N, 3)))
    assert (x.ndim, x.dtype, np.ndim(x), np.size(x, 1)) == (2, float, 2, 3)
    assert np.iscomplexobj(x) is False and np.isrealobj(x) is True
    assert not x.builder.nodes
    assert np.shape(x)[0].aval.expr == N and x.shape[0] == x.shape[0]
    assert [n.op for n in x.builder.nodes] == ["dim"]


def test_static_sizes_give_numbers():
    x = sym(array(float, (2, 3)))
    assert x.size == 6 and len(x) == 2 and x.shape == (2, 3) and not x.builder.nodes


@pytest.mark.parametrize("use", [bool, int, float, complex, np.array, len,
                                 lambda x: [0, 1][x.shape[0]], lambda x: list(x),
                                 lambda x: np.zeros(x.shape), lambda x: max(x.shape[0], 3)])
def test_what_needs_a_number_is_refused(use):
    with pytest.raises(TracingError, match="symbolic value"):
        use(sym(array(float, (N,))))


def test_what_rules_must_not_do():
    x = sym(array(float, (N,)))
    with pytest.raises(UnsupportedOperation, match="item assignment"):
        x[0] = 1.0
    with pytest.raises(UnsupportedOperation, match="out="):
        np.add(x, 1, out=np.zeros(3))
    with pytest.raises(AttributeError):
        x.nonsense  # noqa: B018
    with pytest.raises(UnsupportedOperation, match="rank"):
        sym(any_aval(float)).ndim  # noqa: B018


ATOMS = {d.atoms()[0]: k for d, k in ((N, 7), (M, 4))}


@pytest.mark.parametrize("dim", [
    N, N + 1, 2 * N - M, -N + 3, N * M * N, maximum(0, N - 9), minimum(N, M), floor_divide(N, 2),
    (N + 1) % M, range_length(M, N, 2), slice_length(N - 5, -1, 2, N), 5, N - N, -N,
    maximum(N, M) * 2 - floor_divide(N - 1, M),
])
def test_sizes_become_arithmetic(dim):
    from srcgrad.types.dims import evaluate

    b = Builder()
    values = {a: b.param(int_aval(d), str(d)) for a, d in zip(ATOMS, (N, M))}
    found = materialise(b, dim, values)
    outputs = (found,) if isinstance(found, Value) else (b.const(found, int_aval(found)),)
    graph = Graph("size", b.block(outputs))
    verify(graph)
    assert interpret(graph, *ATOMS.values(), check=True) == [evaluate(dim, ATOMS)]


def test_a_size_without_source_is_named():
    with pytest.raises(KeyError):
        materialise(Builder(), N, {})


def test_operators_of_sizes_fold():
    n = sym(int_aval(N))
    assert (n - n) == 0 and operator.sub(n, n) == 0
    assert (n * 2 + 1).aval.expr == 2 * N + 1
