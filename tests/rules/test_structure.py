"""Rules of reductions, shapes, joining, indexing and statistics over axes, ranks and options."""

import operator

import numpy as np
import pytest
from checking import check, cplx, real, signed

from srcgrad.types.spelling import Attribute, Method

AXES = [
    ((3,), None),
    ((3,), 0),
    ((2, 3), -1),
    ((2, 3), None),
    ((2, 3, 2), (0, 2)),
    ((2, 3, 2), (-1, 1)),
    ((2, 1), 1),
    ((), None),
]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape, axis", AXES)
@pytest.mark.parametrize(
    "function",
    [
        np.sum,
        np.mean,
        np.prod,
        np.max,
        np.min,
        np.amax,
        np.ptp,
        np.var,
        np.nansum,
        np.nanmean,
        np.nanprod,
        np.nanmax,
        np.nanmin,
        np.median,
        np.nanvar,
    ],
)
def test_reductions(function, shape, axis, keepdims):
    check(function, signed(*shape), axis=axis, keepdims=keepdims)


@pytest.mark.parametrize("shape, axis", [a for a in AXES if a[0] not in ((), (2, 1))])
@pytest.mark.parametrize("function", [np.std, np.nanstd])
def test_deviations(function, shape, axis):
    check(function, signed(*shape), axis=axis, ddof=0.5)
    check(function, signed(*shape), axis=axis, keepdims=True)


def test_reduction_options():
    a = signed(3, 4)
    mask = np.array([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
    for f in (np.sum, np.mean, np.prod, np.var, np.std, np.nansum, np.nanmean, np.nanvar):
        check(f, a, axis=1, where=mask)
        check(f, a, where=mask)
    for f in (np.max, np.min):
        check(f, a, axis=0, where=mask, initial=0.0)
        check(f, a, initial=0.3)
    check(np.sum, a, initial=2.0)
    check(np.prod, a, initial=2.0)
    check(np.sum, cplx(2, 3), axis=0)
    check(np.mean, cplx(2, 3), axis=0)
    check(np.prod, cplx(2, 3), axis=0)
    check(np.var, cplx(2, 3), axis=0)
    check(np.std, cplx(2, 3), axis=0)
    check(np.var, a, axis=0, correction=1)
    check(np.var, a, 1, None, None, 1, mean=signed(3, 1))
    check(np.std, a, 1, None, None, 1, mean=signed(3, 1))
    check(np.prod, np.array([2.0, 0.0, 3.0]))
    check(np.prod, np.array([2.0, 0.0, 0.0]))
    for f in (
        np.nansum,
        np.nanmean,
        np.nanprod,
        np.nanmax,
        np.nanmin,
        np.nanvar,
        np.nanstd,
        np.nanmedian,
        np.nancumsum,
        np.nancumprod,
    ):
        b = a.copy()
        b[0, 1] = b[2, 2] = np.nan
        check(f, b, axis=1)
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp, np.fmax):
        check(ufunc.reduce, a)
        check(ufunc.reduce, a, axis=1)
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum):
        check(ufunc.accumulate, a)
        check(ufunc.accumulate, a, axis=1)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("function", [np.cumsum, np.cumprod, np.nancumsum, np.nancumprod])
def test_cumulative(function, axis):
    check(function, signed(3, 2), axis=axis)
    check(function, np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), axis=axis)


def test_cumulative_of_the_array_api():
    if hasattr(np, "cumulative_sum"):
        check(np.cumulative_sum, signed(3, 2), axis=1, include_initial=True)
        check(np.cumulative_prod, signed(4), include_initial=True)


SHAPES = [
    (np.reshape, (6,), {}),
    (np.reshape, (3, -1), {}),
    (np.reshape, (3, 2), {"order": "F"}),
    (np.ravel,),
    (np.ravel, "F"),
    (np.transpose,),
    (np.transpose, (1, 0)),
    (np.swapaxes, 0, -1),
    (np.moveaxis, 0, 1),
    (np.rollaxis, 1),
    (np.rollaxis, 1, 0),
    (np.rollaxis, 0, 2),
    (np.squeeze,),
    (np.expand_dims, 1),
    (np.expand_dims, (0, -1)),
    (np.broadcast_to, (4, 2, 3)),
    (np.atleast_1d,),
    (np.atleast_2d,),
    (np.atleast_3d,),
    (np.flip,),
    (np.flip, 0),
    (np.flip, (0, 1)),
    (np.fliplr,),
    (np.flipud,),
    (np.roll, 1),
    (np.roll, -1, 1),
    (np.roll, (1, 2), (0, 1)),
    (np.rot90,),
    (np.rot90, 3),
    (np.rot90, -1, (1, 0)),
    (np.tile, 2),
    (np.tile, (2, 1, 3)),
    (np.tile, (2, 1, 1)),
    (np.tile, (1, 3)),
    (np.tile, 1),
    (np.repeat, 2),
    (np.repeat, 2, 0),
    (np.repeat, 3, -1),
    (np.repeat, np.array([1, 0, 2]), 1),
    (np.repeat, np.array([1, 0, 2, 1, 1, 3])),
    (np.diag, 0),
    (np.diag, 1),
    (np.diag, -1),
    (np.diagonal, 1),
    (np.diagflat, 1),
    (np.trace,),
    (np.trace, 1),
    (np.tril, -1),
    (np.triu, 1),
    (np.take, [0, 2, 0], 1),
    (np.take, np.array([[5, 1]])),
    (np.take, 1, 0),
    (np.take, [-1, 4], 0, None, "wrap"),
    (np.take, [-1, 4], 1, None, "clip"),
    (np.take_along_axis, np.array([[0, 0], [2, 1]]), 1),
    (np.take_along_axis, np.array([5, 0]), None),
    (np.delete, 1, 1),
    (np.delete, [0, 3]),
    (np.matrix_transpose,),
    (np.copy,),
    (np.array,),
    (np.asarray,),
    (np.ascontiguousarray,),
    (np.linalg.trace,),
    (np.linalg.diagonal,),
    (operator.getitem, 0),
    (operator.getitem, (slice(None), [0, 0, 2])),
    (operator.getitem, (..., None, slice(None, None, -1))),
    (operator.getitem, ([0, 1], [1, 1])),
    (operator.getitem, np.array([[True, False, True], [False, True, True]])),
    (Method("sum"), 0),
    (Method("reshape"), 3, 2),
    (Method("reshape"), (3, 2)),
    (Method("transpose"),),
    (Method("transpose"), 1, 0),
    (Method("transpose"), (1, 0)),
    (Method("ravel"),),
    (Method("flatten"), "F"),
    (Method("astype"), float),
    (Method("astype"), complex),
    (Method("dot"), np.ones((3, 2))),
    (Method("clip"), -0.5, 0.5),
    (Method("repeat"), 2),
    (Method("swapaxes"), 0, 1),
    (Method("copy"),),
    (Method("conj"),),
    (Method("cumsum"), 1),
    (Method("std"),),
    (Method("max"), 1),
    (Method("trace"),),
    (Method("take"), [1, 1]),
    (Method("compress"), [True, False, True], 1),
    (Method("diagonal"),),
    (Method("item"), 3),
    (Method("item"), 1, 2),
    (Method("view"),),
    (Attribute("T"),),
    (Attribute("real"),),
    (np.split, 3, 1),
    (np.array_split, 2, 1),
    (np.split, [1], 1),
    (np.hsplit, 3),
    (np.vsplit, 2),
]


@pytest.mark.parametrize("case", SHAPES, ids=lambda c: f"{getattr(c[0], '__name__', c[0])}")
def test_shapes(case):
    function, *rest = case
    kwargs = rest.pop() if rest and isinstance(rest[-1], dict) else {}
    check(function, signed(2, 3), *rest, **kwargs)
    if function not in (np.cumsum,) and function != Attribute("real"):
        check(function, cplx(2, 3), *rest, upto=1, **kwargs) if not _real_only(function) else None


def _real_only(function):
    return function in (Method("clip"), Method("max"), Method("astype"))


def test_more_shapes():
    check(np.reshape, signed(6), (2, 3), "F")
    check(np.squeeze, signed(1, 3, 1))
    check(np.squeeze, signed(1, 3, 1), axis=(0, 2))
    check(np.transpose, signed(2, 3, 4), (2, 0, 1))
    check(np.moveaxis, signed(2, 3, 4), (0, 1), (-1, 0))
    check(np.broadcast_to, signed(2, 1), (3, 2, 4))
    check(np.broadcast_arrays, signed(2, 1), signed(3))
    check(np.atleast_2d, signed(), signed(3))
    check(np.atleast_3d, signed(3), signed(2, 2))
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            check(np.meshgrid, signed(2), signed(3), signed(), indexing=indexing, sparse=sparse)
    check(np.diag, signed(3), 1)
    check(np.diagonal, signed(2, 3, 4), -1, 2, 0)
    check(np.trace, signed(2, 3, 4), 1, 0, 2)
    check(np.tril, signed(2, 3, 3))
    check(np.triu, signed(3))
    check(np.compress, [True, False, True], signed(3, 2), axis=0)
    check(np.extract, np.eye(3) > 0, signed(3, 3))
    check(np.choose, [0, 1, 0], [signed(3), signed(1)])
    x = np.linspace(-1, 1, 5)
    check(np.select, [x < -0.5, x < 0.5], [signed(5), signed(1)], 0.0)
    check(np.select, [x < -0.5, x < 0.5], [signed(5), 1.0], signed())
    check(np.bincount, [0, 2, 2, 1], signed(4))
    check(np.hstack, [signed(2, 1), signed(2, 3)])
    check(np.hstack, [signed(2), signed(), signed(1)])
    check(np.vstack, [signed(3), signed(2, 3)])
    check(np.dstack, [signed(2, 3), signed(2, 3, 2)])
    check(np.dstack, (signed(3), signed(3)))
    check(np.column_stack, [signed(3), signed(3, 2)])
    check(np.hstack, signed(2, 3, 2))
    check(np.vstack, signed(2, 3))
    check(np.column_stack, signed(2, 3))
    check(np.concatenate, [signed(2, 1), signed(2, 3)], 1)
    check(np.concatenate, (signed(2, 1), signed(2, 3)), None)
    check(np.concatenate, signed(2, 3, 2), axis=-1)
    check(np.stack, [signed(3), signed(3)], -1)
    check(np.stack, signed(2, 3), axis=1)
    check(np.concatenate, [[signed(), signed()], signed(3)])
    check(np.stack, [[signed(), signed()], signed(2)], axis=1)
    check(np.vstack, [[signed(), signed()], signed(3, 2)])
    check(
        np.block,
        [
            [signed(2, 2), signed(2, 1)],
            [
                signed(3),
            ],
        ],
    )
    check(np.block, [signed(2), signed()])
    check(np.append, signed(3), signed(2))
    check(np.append, signed(3, 2), signed(1, 2), axis=0)
    check(np.append, signed(3), [signed(), 1.0])
    check(np.array, [[signed(), 1.0], [signed(), signed()]])
    check(np.array, [signed(2), signed(2)])
    check(np.array, signed(3), ndmin=3)
    if hasattr(np, "unstack"):
        check(np.unstack, signed(2, 3), axis=1)


def test_statistics():
    a = signed(3, 4)
    check(np.average, a)
    check(np.average, a, 0)
    check(np.average, a, 1, real(4))
    check(np.average, a, None, real(3, 4))
    check(np.average, a, 0, real(3), keepdims=True)
    check(np.average, a, 0, real(3), returned=True)
    check(np.average, signed(2, 3, 4), (2, 0), real(4, 2))
    for method in ("linear", "lower", "higher", "midpoint", "nearest", "hazen", "median_unbiased"):
        check(np.quantile, a, 0.3, axis=1, method=method)
    check(np.quantile, a, [0.1, 0.5, 0.83])
    check(np.quantile, a, [[0.1], [0.5]], axis=(0, 1), keepdims=True)
    check(np.percentile, a, [10, 50], axis=0, keepdims=True)
    check(np.percentile, a, 35, axis=0)
    check(np.median, signed(3, 4, 2), axis=(0, 2))
    check(np.cov, a)
    check(np.cov, a, rowvar=False)
    check(np.cov, a, bias=True)
    check(np.cov, a, ddof=2)
    check(np.cov, signed(5))
    check(np.cov, cplx(2, 3))
    check(np.corrcoef, a)
    check(np.corrcoef, a, rowvar=False)


PRODUCTS = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2))]


@pytest.mark.parametrize(
    "left, right",
    PRODUCTS
    + [
        ((4, 2, 3), (3, 2)),
        ((4, 2, 3), (3,)),
        ((3,), (4, 3, 2)),
        ((4, 1, 2, 3), (5, 3, 2)),
        ((2, 3), (4, 3, 2)),
    ],
)
def test_matmul(left, right):
    check(np.matmul, signed(*left), signed(*right))
    check(np.matmul, cplx(*left), signed(*right))


@pytest.mark.parametrize(
    "left, right",
    PRODUCTS
    + [
        ((), (2, 3)),
        ((2, 3), ()),
        ((4, 2, 3), (3,)),
        ((4, 2, 3), (3, 2)),
        ((2, 3), (4, 3, 2)),
        ((3,), (4, 3, 2)),
        ((5, 2, 3), (4, 3, 2)),
        ((), ()),
    ],
)
def test_dot(left, right):
    check(np.dot, signed(*left), signed(*right))


def test_other_products():
    for left, right in [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 3), (4, 3)),
        ((), (2,)),
        ((2,), ()),
        ((2, 4, 3), (2, 3)),
    ]:
        check(np.inner, signed(*left), signed(*right))
    check(np.outer, signed(2, 2), signed(3))
    check(np.linalg.outer, signed(2), signed(3))
    check(np.vdot, cplx(2, 3), cplx(6))
    check(np.vdot, signed(3), cplx(3))
    check(np.vdot, cplx(3), signed(3))
    check(np.tensordot, signed(2, 3, 4), signed(3, 4, 2))
    check(np.tensordot, signed(2, 3, 4), signed(4, 2, 5), axes=([0, 2], [1, 0]))
    check(np.tensordot, signed(2, 3), signed(4, 2), axes=(0, -1))
    check(np.tensordot, signed(2), signed(3), axes=0)


def test_vector_products_of_newer_numpy():
    check(np.vecdot, cplx(2, 3), cplx(3))
    check(np.linalg.vecdot, signed(2, 3), cplx(2, 3))
    check(np.linalg.vecdot, signed(3, 2), signed(3, 2), axis=0)
    check(np.linalg.matmul, signed(2, 3), signed(3, 2))
    check(np.linalg.tensordot, signed(2, 3), signed(3, 2), axes=1)
    if hasattr(np, "matvec"):
        check(np.matvec, cplx(4, 2, 3), cplx(3))
        check(np.vecmat, cplx(2), cplx(4, 2, 3))


def test_outer_methods():
    for ufunc in (np.add, np.subtract, np.multiply, np.divide):
        check(ufunc.outer, signed(2, 3), signed(4))
        check(ufunc.outer, signed(), signed(2))


def test_insert_and_resize():
    check(np.resize, signed(2, 3), (4, 4))
    check(np.resize, signed(5), 3)
    check(np.insert, signed(4), 1, signed())
    check(np.insert, signed(4), -1, signed(2))
    check(np.insert, signed(4), [0, 2, 2], signed(3))
    check(np.insert, signed(4), [0, 2], signed())
    check(np.insert, signed(2, 3), 1, signed(2), 1)
    check(np.insert, signed(2, 3), 1, signed(3), 0)
    check(np.insert, signed(2, 3), 2, signed())
    check(np.insert, signed(2, 3), [0, 1], signed(2, 3), 0)
