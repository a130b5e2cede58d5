"""Inference against NumPy itself: random functions, kinds, dtypes and shapes."""

import math
import operator
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcgrad.errors import SrcgradError
from srcgrad.graph.infer import Demand, infer, infer_getitem
from srcgrad.graph.outcome import PLACEHOLDER
from srcgrad.types.dims import add, evaluate, maximum, multiply, symbol, symbols
from srcgrad.types.kinds import Aval, Kind, array, aval_of, int_aval, python_scalar, scalar
from srcgrad.types.spelling import Attribute, Method

N, M, P = symbol("n"), symbol("m"), symbol("p")
ATOMS = [d.atoms()[0] for d in (N, M, P)]
DTYPES = [np.dtype(d) for d in ("f8", "f4", "i8", "i4", "u1", "bool", "c16")]
EXTENTS = [N, N, M, P, 1, 3, add(N, 1), maximum(0, add(N, -1)), multiply(2, M)]

sizes = st.tuples(*[st.integers(2, 5)] * 3).map(lambda t: dict(zip(ATOMS, t)))


@st.composite
def leaf(draw, ranks=(0, 1, 2, 3), dtypes=DTYPES, scalars=True):
    kind = draw(st.sampled_from(["array"] * 5 + (["scalar", "float", "int", "complex", "bool"]
                                                 if scalars else [])))
    if kind == "array":
        rank = draw(st.sampled_from(ranks))
        return array(draw(st.sampled_from(dtypes)),
                     tuple(draw(st.sampled_from(EXTENTS)) for _ in range(rank)))
    if kind == "scalar":
        return scalar(draw(st.sampled_from(dtypes)))
    return python_scalar(Kind(kind))


def real(aval, values):
    """An object with the facts of ``aval``."""
    if aval.kind is Kind.ARRAY:
        shape = tuple(evaluate(d, values) for d in aval.shape)
        count = math.prod(shape)
        return (1 + np.arange(count) % 3).reshape(shape).astype(aval.dtype)
    if aval.kind is Kind.SCALAR:
        return aval.dtype.type(1)
    if aval.kind is Kind.INT and aval.expr is not None:
        return evaluate(aval.expr, values)
    return {Kind.FLOAT: 0.5, Kind.INT: 2, Kind.BOOL: True, Kind.COMPLEX: 0.5 + 1j}[aval.kind]


def mapped(structure, values):
    if isinstance(structure, Aval):
        return real(structure, values)
    if isinstance(structure, tuple | list):
        return type(structure)(mapped(s, values) for s in structure)
    if isinstance(structure, dict):
        return {k: mapped(v, values) for k, v in structure.items()}
    if isinstance(structure, slice):
        return slice(*(mapped(p, values) for p in (structure.start, structure.stop,
                                                   structure.step)))
    return structure


def agrees(aval, result, values):
    """Does the predicted abstract value fit the real result?"""
    actual = aval_of(result)
    if aval.kind is Kind.ANY:
        return True
    if aval.kind is Kind.NUMBER:
        return actual.shape == ()
    if aval.kind is Kind.LIST:
        return actual.kind is Kind.LIST
    if aval.kind is not actual.kind:
        return False
    if aval.dtype is not None and aval.dtype != actual.dtype:
        return False
    if aval.kind is Kind.INT and aval.expr is not None and not holes(aval.expr):
        return evaluate(aval.expr, values) == result
    if aval.kind is Kind.ARRAY:
        return len(aval.shape) == len(actual.shape) and all(
            holes(d) or evaluate(d, values) == n for d, n in zip(aval.shape, actual.shape))
    return True


def holes(dim):
    return any(a.name == PLACEHOLDER or a.name == "k" for a in symbols(dim))


def compare(fn, args, kwargs, values):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = fn(*mapped(args, values), **mapped(kwargs, values))
        except Exception:
            return  # NumPy refuses these sizes or values: any answer is right
    outcome = infer(fn, args, kwargs)
    if any(rule == "ne1" and evaluate(d, values) == 1 for rule, d in outcome.guards):
        return
    results = expected if outcome.many else [expected]
    assert len(results) == len(outcome.avals), (fn, args, kwargs, outcome)
    for aval, result in zip(outcome.avals, results):
        assert agrees(aval, result, values), (
            f"{fn} {args} {kwargs} under {values}: predicted {aval}, is {aval_of(result)}")
    for relation, aval in zip(outcome.views, outcome.avals):
        if aval.kind is not Kind.ARRAY:
            assert relation == "fresh"


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv,
          operator.mod, operator.pow, operator.lt, operator.eq, np.add, np.multiply, np.maximum,
          np.arctan2, np.hypot, np.logaddexp, np.fmod, np.power, np.copysign, np.logical_and,
          np.divmod, np.greater, np.float_power, np.ldexp, np.subtract.outer, np.heaviside]
UNARY = [operator.neg, abs, np.sin, np.exp, np.sqrt, np.abs, np.sign, np.floor, np.isnan, np.conj,
         np.modf, np.real, np.imag, np.angle, np.ravel, np.transpose, np.copy, np.atleast_1d,
         np.atleast_2d, np.atleast_3d, np.asarray, np.zeros_like, np.ones_like, np.squeeze, np.size,
         np.ndim, np.shape, np.nan_to_num, np.sinc, np.round, np.isfinite, np.logical_not,
         np.cumsum, np.nonzero, np.unique, np.argwhere, np.flatnonzero, np.float64, np.float32,
         np.square, np.diff, np.flip, np.sort, np.argsort, np.i0, np.diag, np.tril, np.array,
         np.ascontiguousarray, np.fix, np.real_if_close, np.frexp, np.spacing, np.trim_zeros]
REDUCTIONS = [np.sum, np.mean, np.prod, np.max, np.min, np.std, np.var, np.any, np.all,
              np.argmax, np.median, np.ptp, np.nansum, np.cumsum, np.cumprod, np.linalg.norm,
              np.count_nonzero, np.sort, np.flip, np.nanmean, np.average, np.add.reduce,
              np.logical_and.reduce, np.maximum.accumulate, np.amax]
METHODS = ["sum", "mean", "max", "copy", "ravel", "flatten", "astype", "conj", "item", "tolist",
           "transpose", "squeeze", "cumsum", "argmax", "std", "any", "prod", "round", "dot",
           "nonzero", "swapaxes", "trace", "diagonal", "repeat", "take", "clip"]
ATTRIBUTES = ["T", "shape", "ndim", "size", "dtype", "real", "imag", "nbytes", "itemsize", "mT"]


COUNTS = array("i8", (2,))
MATRIX = array(float, (N, M))
SIZED = [(np.zeros, (COUNTS,)), (np.ones, (COUNTS,)), (np.empty, (COUNTS,)), (np.full, (COUNTS, 2.0)),
         (np.broadcast_to, (1.5, COUNTS)), (np.resize, (MATRIX, COUNTS)), (np.indices, (COUNTS,)),
         (np.fft.fftn, (MATRIX, COUNTS, (0, 1))), (np.fft.irfftn, (MATRIX, COUNTS, (0, 1)))]


@given(st.sampled_from(SIZED), st.tuples(*[st.integers(1, 6)] * 2), sizes)
@settings(max_examples=100, deadline=None)
def test_sizes_among_the_numbers_of_an_array(call, counts, values):
    fn, args = call
    result = fn(*[np.array(counts) if a is COUNTS else mapped(a, values) for a in args])
    assert agrees(infer(fn, args).aval, result, values), (fn, counts, infer(fn, args).aval)
    turned = infer(np.reshape, (MATRIX, COUNTS), {"order": "F"}).aval
    assert agrees(turned, mapped(MATRIX, values).T, values)


@given(st.sampled_from(BINARY), leaf(), leaf(), sizes)
@settings(max_examples=400, deadline=None)
def test_binary(fn, a, b, values):
    compare(fn, (a, b), {}, values)


@given(st.sampled_from(BINARY), leaf(), st.sampled_from([2, 2.0, True, 1j, 0.5, -1, np.float32(3)]),
       st.booleans(), sizes)
@settings(max_examples=200, deadline=None)
def test_binary_with_a_static_number(fn, a, number, reflected, values):
    compare(fn, (number, a) if reflected else (a, number), {}, values)


@given(st.sampled_from(UNARY), leaf(), sizes)
@settings(max_examples=300, deadline=None)
def test_unary(fn, a, values):
    compare(fn, (a,), {}, values)


@given(st.sampled_from(REDUCTIONS), leaf(),
       st.sampled_from([None, 0, -1, 1, (0, 1)]),
       st.sampled_from([None, True, False]), sizes)
@settings(max_examples=400, deadline=None)
def test_reductions(fn, a, axis, keepdims, values):
    kwargs = {"axis": axis}
    if keepdims is not None:
        kwargs["keepdims"] = keepdims
    compare(fn, (a,), kwargs, values)


@given(st.sampled_from(METHODS), leaf(),
       st.sampled_from([(), (0,), (1,), (float,), (2, 0), (0, 1)]),
       sizes)
@settings(max_examples=300, deadline=None)
def test_methods(name, a, args, values):
    compare(Method(name), (a, *args), {}, values)


@given(st.sampled_from(ATTRIBUTES), leaf(), sizes)
@settings(max_examples=100, deadline=None)
def test_attributes(name, a, values):
    if a.kind is Kind.ARRAY or a.kind is Kind.SCALAR:
        compare(Attribute(name), (a,), {}, values)


X, Y, W = array(float, (N,)), array(float, (M,)), array("f4", (N,))
A, B, C = array(float, (N, M)), array(float, (M, P)), array(float, (P, N, M))
S = array(float, (N, N))
INDEX = array(int, (P,))
PRODUCTS = [
    (operator.matmul, (A, B)), (operator.matmul, (C, B)), (np.dot, (A, Y)), (np.dot, (X, W)),
    (np.dot, (C, B)), (np.inner, (A, Y)), (np.outer, (A, B)), (np.vdot, (X, W)),
    (np.tensordot, (A, B, 1)), (np.tensordot, (C, A, ((1, 2), (0, 1)))),
    (np.einsum, ("ij,jk->ik", A, B)), (np.einsum, ("ij->ji", A)), (np.einsum, ("kij->k", C)),
    (np.einsum, ("ii", S)), (np.einsum, ("...j,j", C, Y)), (np.kron, (A, B)), (np.kron, (X, Y)),
    (np.cross, (array(float, (N, 3)), array(float, (3,)))), (np.trace, (S,)),
    (np.linalg.inv, (S,)), (np.linalg.det, (S,)), (np.linalg.slogdet, (S,)),
    (np.linalg.solve, (S, X)), (np.linalg.solve, (S, A)), (np.linalg.eigh, (S,)),
    (np.linalg.svd, (A,)), (np.linalg.svd, (A, False)), (np.linalg.qr, (A,)),
    (np.linalg.cholesky, (S,)), (np.linalg.pinv, (A,)), (np.linalg.matrix_power, (S, 3)),
    (np.linalg.norm, (A,)), (np.linalg.multi_dot, ([A, B, array(float, (P, N))],)),
    (np.linalg.eig, (S,)), (np.linalg.lstsq, (A, X)), (np.linalg.eigvalsh, (S,)),
    (np.convolve, (X, Y)), (np.convolve, (X, Y, "same")), (np.convolve, (X, Y, "valid")),
    (np.correlate, (X, Y, "full")),
]
SHAPES = [
    (np.reshape, (A, -1)), (np.reshape, (A, (int_aval(M), int_aval(N)))),
    (np.reshape, (C, (int_aval(P), -1))), (np.reshape, (X, (-1, 1))),
    (Method("reshape"), (C, int_aval(multiply(P, N)), int_aval(M))),
    (np.transpose, (C,)), (np.transpose, (C, (2, 0, 1))), (np.swapaxes, (C, 0, -1)),
    (np.moveaxis, (C, 0, -1)), (np.rollaxis, (C, 2)), (np.expand_dims, (A, 1)),
    (np.expand_dims, (A, (0, -1))), (np.squeeze, (array(float, (1, N, 1)), 0)),
    (np.broadcast_to, (Y, (int_aval(N), int_aval(M)))), (np.broadcast_arrays, (A, Y)),
    (np.concatenate, ([A, A],)), (np.concatenate, ((A, array(float, (3, M))), 0)),
    (np.concatenate, ([A, array(float, (N, P))], 1)), (np.concatenate, ([A, B], None)),
    (np.stack, ([A, A],)), (np.stack, ([X, W, X], -1)), (np.vstack, ([X, X],)),
    (np.vstack, ([A, Y],)), (np.hstack, ([X, Y],)), (np.hstack, ([A, array(float, (N, P))],)),
    (np.dstack, ([A, A],)), (np.column_stack, ([X, X, A],)), (np.append, (X, Y)),
    (np.append, (A, 1.0)), (np.split, (array(float, (multiply(2, N),)), 2)),
    (np.array_split, (X, 2)), (np.split, (A, [1], 1)), (np.hsplit, (array(float, (N, 4)), 2)),
    (np.tile, (A, 2)), (np.tile, (A, (2, 3))), (np.tile, (X, (2, 1))), (np.repeat, (A, 2)),
    (np.repeat, (A, 3, 0)), (np.repeat, (A, int_aval(P), 1)), (np.pad, (X, 2)),
    (np.pad, (A, ((1, 0), (2, 3)))), (np.roll, (A, 1, 0)), (np.rot90, (A,)), (np.fliplr, (A,)),
    (np.diag, (X,)), (np.diag, (A,)), (np.diagonal, (A,)), (np.diagonal, (C, 0, 1, 2)),
    (np.tril, (A,)), (np.triu, (A, 1)), (np.diff, (X,)), (np.diff, (A, 1, 0)), (np.diff, (A, 2)),
    (np.gradient, (X,)), (np.ediff1d, (X,)), (np.trapezoid, (A,)), (np.interp, (Y, X, X)),
    (np.take, (X, INDEX)), (np.take, (A, INDEX, 1)),
    (np.take_along_axis, (A, array(int, (N, 1)), 1)),
    (np.choose, (array(int, (N,)), [X, X, X])), (np.searchsorted, (X, Y)), (np.digitize, (Y, X)),
    (np.meshgrid, (X, Y)), (np.indices, ((int_aval(N), int_aval(M)),)),
    (np.zeros, ((int_aval(N), int_aval(M)),)), (np.zeros, (int_aval(add(N, 2)),)),
    (np.ones, ((int_aval(N), 3), int)), (np.full, ((int_aval(N),), 2.5)),
    (np.full, (int_aval(M), python_scalar(Kind.FLOAT))), (np.empty, ((int_aval(M),),)),
    (np.eye, (int_aval(N),)), (np.eye, (int_aval(N), int_aval(M))), (np.identity, (int_aval(N),)),
    (np.arange, (int_aval(N),)), (np.arange, (1, int_aval(N))), (np.arange, (int_aval(N), 0, -1)),
    (np.arange, (0, int_aval(N), 2)), (np.linspace, (0, 1, int_aval(N))),
    (np.linspace, (0.0, python_scalar(Kind.FLOAT), 7)), (np.logspace, (0, 1, int_aval(M))),
    (np.fft.fft, (X,)), (np.fft.rfft, (X,)), (np.fft.irfft, (array(complex, (N,)),)),
    (np.fft.fft2, (A,)), (np.fft.fftfreq, (int_aval(N),)), (np.fft.fftshift, (A,)),
    (np.cumsum, (A, 1)), (np.cov, (A,)), (np.corrcoef, (A,)), (np.histogram, (X, 5)),
    (np.polyval, (X, Y)), (np.polyfit, (X, X, 2)), (np.vander, (X, 3)), (np.outer, (X, Y)),
    (np.where, (array(bool, (N, M)), A, Y)), (np.where, (array(bool, (N,)), X, 0)),
    (np.select, ([array(bool, (N,))], [X], 0.0)), (np.clip, (A, 0, 1)), (np.clip, (A, Y, None)),
    (np.lexsort, ((X, X),)), (np.partition, (X, 1)), (np.quantile, (A, 0.5, 0)),
    (np.percentile, (A, [25, 75], 1)), (np.median, (A, 0)), (np.average, (A, 0, X)),
    (np.triu_indices, (int_aval(N),)), (np.tri, (int_aval(N), int_aval(M))),
    (np.array, ([python_scalar(Kind.FLOAT), scalar(float)],)), (np.array, ([X, X],)),
    (np.array, ([[1, python_scalar(Kind.FLOAT)], [2, 3]],)), (np.bincount, (INDEX,)),
    (np.ix_, (INDEX, array(int, (N,)))), (np.delete, (X, 0)), (np.insert, (X, 1, 2.0)),
    (np.resize, (X, (3, 4))), (np.unravel_index, (INDEX, (7, 8))), (np.block, ([[A, A]],)),
    (len, (A,)), (np.size, (A, 1)), (sum, ([python_scalar(Kind.FLOAT), 1.0],)),
    (max, (python_scalar(Kind.FLOAT), 2.0)), (round, (python_scalar(Kind.FLOAT),)),
    (float, (scalar("f4"),)), (int, (array(float, ()),)), (math.exp, (scalar("f4"),)),
    (math.hypot, (python_scalar(Kind.FLOAT), 3)), (complex, (python_scalar(Kind.FLOAT),)),
    (np.int64, (python_scalar(Kind.FLOAT),)), (np.float32, (X,)), (np.isclose, (A, Y)),
    (np.allclose, (A, Y)), (np.array_equal, (X, Y)), (np.nanmax, (A, 1)), (np.real, (A,)),
    (np.sum, (A,)), (np.mean, (array("f4", (N, M)), 1)),
    (np.lib.stride_tricks.sliding_window_view, (X, 2)),
]


@pytest.mark.parametrize("position", range(len(PRODUCTS) + len(SHAPES)))
def test_known_functions(position):
    fn, args = (PRODUCTS + SHAPES)[position]
    for values in ({a: k for a, k in zip(ATOMS, t)} for t in
                   ((2, 3, 4), (5, 2, 3), (3, 3, 2), (4, 5, 2), (2, 2, 2), (9, 11, 10))):
        compare(fn, args, {}, values)


def apart(structure, values, count):
    """Every axis of every array gets a symbol of its own, as arguments of functions have."""
    if isinstance(structure, Aval) and structure.shape:
        shape = []
        for d in structure.shape:
            if isinstance(d, int):
                shape.append(d)
                continue
            count.append(d)
            own = symbol(f"axis{len(count)}")
            values[own.atoms()[0]] = evaluate(d, values)
            shape.append(own)
        return structure.but(shape=tuple(shape))
    if isinstance(structure, tuple | list):
        return type(structure)(apart(s, values, count) for s in structure)
    return structure


@pytest.mark.parametrize("position", range(len(PRODUCTS) + len(SHAPES)))
def test_known_functions_of_independent_sizes(position):
    fn, args = (PRODUCTS + SHAPES)[position]
    for sizes in ((2, 3, 4), (5, 2, 3), (3, 3, 2), (4, 5, 2), (9, 11, 10)):
        values = dict(zip(ATOMS, sizes))
        separate = apart(args, values, [])
        compare(fn, separate, {}, values)


INTS = [N, M, add(N, -1), 2, add(multiply(2, N), M), 0, 7]


@given(st.sampled_from([operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
                        max, min, divmod, operator.truediv, operator.lt, pow]),
       st.sampled_from(INTS), st.sampled_from(INTS), sizes)
@settings(max_examples=150, deadline=None)
def test_integers(fn, a, b, values):
    compare(fn, (int_aval(a), int_aval(b)), {}, values)
    compare(fn, (int_aval(a), 3), {}, values)


POSITIONS = [None, 0, 1, 2, -1, -2, int_aval(N), int_aval(add(N, -1)), int_aval(multiply(-1, N)),
             int_aval(M), 100]
item = st.one_of(
    st.builds(slice, st.sampled_from(POSITIONS), st.sampled_from(POSITIONS),
              st.sampled_from([None, None, 1, 2, 3, -1, -2])),
    st.sampled_from([0, 1, -1, None, Ellipsis, int_aval(None), scalar(int), [0, 1], [True, False],
                     np.array([0, 1, 0]), np.array([[0], [1]]), array(int, (P,)),
                     array(int, (P, 1)), array(int, ()), True, array(bool, (N,)),
                     array(int, (3,))]))


@given(st.lists(st.sampled_from([N, M, add(N, 1), 3]), min_size=1, max_size=4),
       st.lists(item, min_size=1, max_size=4), st.booleans(), sizes)
@settings(max_examples=800, deadline=None)
def test_indexing(shape, key, single, values):
    base = array(float, tuple(shape))
    key = key[0] if single and len(key) == 1 else tuple(key)

    def example(part):
        if isinstance(part, Aval) and part.kind is Kind.ARRAY and part.dtype.kind == "i":
            return np.zeros(tuple(evaluate(d, values) for d in part.shape), int)
        if isinstance(part, Aval) and part.expr is None and part.kind in (Kind.INT, Kind.SCALAR):
            return 0 if part.kind is Kind.INT else np.int64(0)
        if isinstance(part, tuple):
            return tuple(example(p) for p in part)
        return mapped(part, values)

    x = real(base, values)
    try:
        expected = x[example(key)]
    except IndexError:
        return
    found = infer_getitem(base, key)
    if any(rule == "ne1" and evaluate(d, values) == 1 for rule, d in found.guards):
        return
    assert agrees(found.aval, expected, values), (
        f"{base}[{key}] under {values}: predicted {found.aval}, is {aval_of(expected)}")
    shares = isinstance(expected, np.ndarray) and expected.base is not None and (
        np.may_share_memory(expected, x) or not expected.size)
    if found.view == "view":
        assert found.basic and (shares or not expected.size)
    else:
        assert not isinstance(expected, np.ndarray) or not np.may_share_memory(expected, x)


I, J, K, L = (symbol(name, low=None) for name in "ijkl")
INTEGERS = {d.atoms()[0]: d for d in (I, J, K, L)}
a2, i, j, k, m = array("f8", (N, M)), *(int_aval(d) for d in (I, J, K, L))
OF_INTEGERS = [
    (np.delete, (a2, [i, j]), {"axis": 0}), (np.delete, (a2, [i, j]), {}),
    (np.delete, (a2, i), {"axis": 1}), (np.insert, (a2, [i, j], 1.0), {"axis": 0}),
    (np.insert, (a2, i, 1.0), {"axis": 1}), (np.pad, (a2, ((i, j), (k, m))), {}),
    (np.pad, (a2, (i, j)), {}), (np.pad, (a2, ((0, 0), (i, j))), {"mode": "edge"}),
    (np.repeat, (a2, i), {}), (np.repeat, (a2, i), {"axis": 1}), (np.repeat, (a2, [i, j]), {}),
    (np.tile, (a2, (i, j)), {}), (np.tile, (a2, i), {}), (np.roll, (a2, (i, j)), {"axis": (0, 1)}),
    (np.diagonal, (a2, i), {}), (np.diag, (a2, i), {}), (np.diag, (array("f8", (N,)), i), {}),
    (np.tri, (i, j, k), {}), (np.eye, (i, j, k), {}), (np.linspace, (0.0, 1.0, i), {}),
    (np.array_split, (a2, [i, j]), {}), (np.array_split, (a2, 3), {}), (np.rot90, (a2, i), {}),
    (np.resize, (a2, (i, j)), {}), (np.arange, (i, j, k), {}), (np.arange, (i,), {}),
    (np.ones, ((i, j),), {}), (np.indices, ((i, j),), {}), (np.vander, (array("f8", (N,)), i), {}),
    (np.convolve, (array("f8", (N,)), array("f8", (M,))), {}), (np.kron, (a2, a2), {}),
    (np.fft.rfft, (a2, i), {}), (np.fft.irfft, (a2, i), {}), (np.fft.fft, (a2, i), {"axis": 0}),
    (np.partition, (a2, i), {}), (np.trace, (a2, i), {}), (np.tril_indices, (i, j), {}),
    (np.bincount, (array("i8", (N,)),), {"minlength": i}), (np.hanning, (i,), {}),
    (np.histogram_bin_edges, (a2, i), {}), (np.gradient, (a2,), {}), (np.diff, (a2,), {}),
    (np.take, (a2, [i, j]), {}), (np.take, (a2, [i, j]), {"axis": 1}), (np.ediff1d, (a2,), {}),
]


@pytest.mark.parametrize("call", OF_INTEGERS, ids=lambda c: c[0].__name__)
@given(values=sizes, numbers=st.tuples(*[st.integers(-3, 6)] * 4))
@settings(max_examples=40, deadline=None)
def test_numbers(call, values, numbers):
    """Numbers of arguments and loops: two of them may be equal, negative, or out of bounds."""
    try:
        compare(*call, {**values, **dict(zip(INTEGERS, numbers))})
    except (Demand, SrcgradError):
        return
