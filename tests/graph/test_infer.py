"""Facts beside shapes: views, guards, uncertainty, unknown kinds, refusals, demands, speed."""

import math
import operator
import time

import numpy as np
import pytest

from srcgrad.errors import UnsupportedOperation
from srcgrad.graph.infer import Demand, infer, infer_getitem
from srcgrad.graph.ir import Through
from srcgrad.graph.outcome import MISSING, Fresh
from srcgrad.graph.purity import may_probe
from srcgrad.types.dims import maximum, symbol
from srcgrad.types.kinds import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    OPAQUE,
    Aval,
    Kind,
    any_aval,
    array,
    int_aval,
    list_of,
    scalar,
)
from srcgrad.types.spelling import At, Attribute, Method, Part

N, M = symbol("n"), symbol("m")
I = symbol("i", low=0, high=N - 1, varying=True)
COUNT = symbol("count", low=None)  # an integer argument
X, A, S = array(float, (N,)), array(float, (N, M)), scalar(float)


def aval(fn, *args, **kwargs):
    return str(infer(fn, args, kwargs).aval)


@pytest.mark.parametrize(("fn", "args", "view"), [
    (np.transpose, (A,), "view"), (Attribute("T"), (A,), "view"), (np.swapaxes, (A, 0, 1), "view"),
    (np.reshape, (X, -1), "view"), (np.reshape, (A, -1), "maybe"), (np.ravel, (A,), "maybe"),
    (Method("reshape"), (A, int_aval(M), int_aval(N)), "maybe"), (Method("flatten"), (A,), "fresh"),
    (np.asarray, (A,), "same"), (np.array, (A,), "fresh"), (np.copy, (A,), "fresh"),
    (np.ascontiguousarray, (A,), "maybe"), (np.asfortranarray, (A,), "layout"),
    (np.atleast_1d, (X,), "same"), (np.atleast_2d, (X,), "view"),
    (np.squeeze, (array(float, (N, 1)),), "view"),
    (np.expand_dims, (A, 0), "view"), (np.diagonal, (A,), "view"), (np.diag, (X,), "fresh"),
    (np.flip, (A,), "view"), (np.rot90, (A,), "view"), (np.moveaxis, (A, 0, 1), "view"),
    (np.broadcast_to, (X, (int_aval(M), int_aval(N))), "view"), (np.real, (A,), "same"),
    (np.broadcast_to, (FLOAT, (int_aval(M), int_aval(N))), "fresh"),
    (np.real, (array(complex, (N,)),), "view"), (np.imag, (array(complex, (N,)),), "view"),
    (Method("astype"), (A, float), "fresh"), (np.add, (A, A), "fresh"), (np.sum, (A,), "fresh"),
    (Method("astype"), (A, np.float32), "fresh"), (np.sort, (A,), "fresh"),
    (operator.iadd, (A, 1.0), "same"), (operator.getitem, (A, slice(1, None)), "view"),
    (operator.getitem, (A, [0, 1]), "fresh"), (operator.getitem, (A, (0, 0)), "fresh"),
])
def test_views(fn, args, view):
    outcome = infer(fn, args)
    assert outcome.view == view
    assert outcome.sources == ((0,) if view != "fresh" else (None,))


def test_view_steps():
    outcome = infer(np.swapaxes, (A, 0, 1))
    x = object()
    assert outcome.step(np.swapaxes, (x, 0, 1), {}) == (x, Through(np.swapaxes, (0, 1), ()))
    outcome = infer(np.split, (X, 2))
    assert outcome.many and outcome.container is list and outcome.views == ("view", "view")
    assert outcome.step(np.split, (x, 2), {}, 1) == (x, Through(Part(np.split, 1), (2,), ()))
    outcome = infer(np.einsum, ("ii->i", array(float, (N, N))))
    assert outcome.view == "view" and outcome.step(np.einsum, ("ii->i", x), {}) == (
        x, Through(At(np.einsum, 1), ("ii->i",), ()))
    assert infer(np.einsum, ("ij->i", A)).view == "fresh"
    outcome = infer(np.transpose, (), {"axes": (1, 0), "a": A})
    assert outcome.step(np.transpose, (), {"axes": (1, 0), "a": x}) == (
        x, Through(np.transpose, (), (("axes", (1, 0)),)))
    outcome, y = infer(np.broadcast_arrays, (A, X)), object()
    assert outcome.step(np.broadcast_arrays, (x, y), {}, 1) == (
        y, Through(At(Part(np.broadcast_arrays, 1), 1), (x,), ()))
    with pytest.raises(UnsupportedOperation, match="not an argument by itself"):
        outcome.step(np.broadcast_arrays, ([x], y), {}, 1)
    assert infer(np.exp, (X,)).step(np.exp, (x,), {}) is None


@pytest.mark.parametrize(("fn", "view"), [(np.reshape, "layout"), (np.ravel, "layout")])
def test_views_in_fortran_order_depend_on_the_layout_in_another_way(fn, view):
    args = (A, -1) if fn is np.reshape else (A,)
    assert infer(fn, args, {"order": "F"}).view == view
    assert infer(fn, args, {"order": "C"}).view == "maybe"


@pytest.mark.parametrize(("fn", "args", "order"), [
    (np.exp, (X,), "C"), (np.exp, (A,), "keep"), (operator.add, (A, A), "keep"),
    (np.zeros, ((3, 4),), "C"), (np.zeros, ((3, 4), float, "F"), None), (np.eye, (3,), "C"),
    (operator.matmul, (A, array(float, (M, N))), "C"), (np.outer, (X, X), "C"),
    (np.concatenate, ([A, A],), "keep"), (np.sum, (A, 0), "C"), (np.copy, (A,), "keep"),
    (Method("copy"), (A,), "C"), (np.nonzero, (A,), None), (np.sort, (A,), "keep"),
])
def test_memory_order(fn, args, order):
    assert infer(fn, args).orders[0] == order


def test_a_size_known_not_to_be_one_needs_no_guard():
    outcome = infer(np.add, (X, array(float, (M,))))
    assert (outcome.guards, outcome.uncertain) == ((), False)


def test_derived_sizes_are_guarded():
    inner = array(float, (maximum(0, N - 1),))
    outcome = infer(np.add, (inner, array(float, (M,))))
    assert outcome.guards == (("ne1", maximum(0, N - 1)),)
    assert outcome.aval.shape == (M,) and not outcome.uncertain
    assert infer(np.add, (inner, inner)).guards == ()
    made = infer(np.zeros, (int_aval(COUNT),)).aval
    assert infer(np.add, (made, X)).guards == (("ne1", COUNT),)


def test_varying_sizes_are_uncertain():
    part = infer_getitem(X, slice(None, int_aval(I))).aval
    assert part.shape == (I,)
    outcome = infer(np.add, (part, X))
    assert outcome.uncertain and outcome.aval.shape == (N,) and outcome.guards == ()
    assert not infer(np.add, (part, part)).uncertain
    both = infer(np.multiply, (part, array(float, (N - I,))))
    assert both.uncertain and both.has_placeholders


def test_squeeze_of_a_derived_size_is_guarded():
    assert infer(np.squeeze, (array(float, (N - 1, 1)),)).guards == (("ne1", N - 1),)
    assert infer(np.squeeze, (array(float, (I,)),)).aval.kind is Kind.ANY


def test_cross_products_have_three_components():
    assert infer(np.cross, (X, array(float, (3,)))).guards == (("eq0", N - 3),)


def test_sizes_of_data_are_new_at_each_call():
    outcome = infer(np.nonzero, (A,))
    fresh = Fresh()
    first, second = outcome.instantiate(fresh), outcome.instantiate(fresh)
    assert first.avals[0].shape == first.avals[1].shape != second.avals[0].shape
    assert all(d.atoms()[0].varying for d in first.avals[0].shape)


def test_masks_are_remembered():
    mask, masks, fresh = array(bool, (N,)), {}, Fresh()
    first = infer_getitem(X, mask, masks, fresh).aval
    assert infer_getitem(array("f4", (N,)), mask, masks, fresh).aval.shape == first.shape
    assert infer_getitem(X, array(bool, (N,)), masks, fresh).aval.shape != first.shape


@pytest.mark.parametrize(("fn", "args", "text"), [
    (operator.add, (any_aval(float), 1.0), "any:f8"),
    (operator.add, (any_aval(float), X), "any:f8"),
    (np.sum, (any_aval(float),), "scalar:f8"),
    (np.exp, (Aval(Kind.NUMBER, np.dtype(float), ()),), "scalar:f8"),
    (operator.mul, (Aval(Kind.NUMBER, np.dtype(float), ()), 2), "number:f8"),
    (operator.lt, (Aval(Kind.NUMBER, np.dtype(float), ()), 2), "number:bool"),
    (np.ravel, (any_aval(float),), "f8[?_3000]"),
    (operator.add, (X.but(optional=True), 1), "f8[n]"),
    (operator.add, (OPAQUE, X), "opaque"),
    (len, (OPAQUE,), "int"),
    (operator.add, (list_of(None), [1]), "opaque"),
    (np.stack, (list_of(X),), "f8[?_1,n]"),
    (np.array, (list_of(FLOAT),), "f8[?_1]"),
    (len, (list_of(X),), "int"),
])
def test_unknown_kinds(fn, args, text):
    assert aval(fn, *args) == text


def test_static_answers():
    assert infer(Attribute("ndim"), (A,)).static == 2
    assert infer(Attribute("dtype"), (A,)).static == np.dtype(float)
    assert infer(Attribute("shape"), (array(float, (3, 1)),)).static == (3, 1)
    assert infer(Attribute("shape"), (A,)).static is MISSING
    assert [a.expr for a in infer(Attribute("shape"), (A,)).avals] == [N, M]
    assert infer(Attribute("size"), (A,)).aval.expr == N * M
    assert infer(len, (A,)).aval.expr == N


def test_integers_stay_symbolic():
    n = int_aval(N)
    assert infer(operator.add, (n, 1)).aval.expr == N + 1
    assert infer(operator.floordiv, (n, 2)).aval.expr == N // 2
    assert infer(max, (n, 0)).aval.expr == N
    assert infer(math.prod, ([n, n],)).aval.expr == N * N
    assert infer(operator.pow, (n, 2)).aval.expr == N * N
    assert infer(operator.add, (INT, 1)).aval == INT
    assert aval(operator.truediv, n, 2) == "float" and aval(operator.lt, n, 2) == "bool"
    assert infer(operator.pow, (2, int_aval(COUNT))).guards == (("ge0", COUNT),)
    assert aval(operator.pow, 2, -1) == "float"


def test_data_are_not_symbols():
    assert infer(int, (S,)).aval == INT
    assert infer(operator.add, (scalar(int), 1)).aval == scalar(int)
    assert infer(math.floor, (FLOAT,)).aval == INT
    assert infer(bool, (S,)).aval == BOOL


@pytest.mark.parametrize(("fn", "args", "error", "match"), [
    (operator.add, (array(float, (3,)), array(float, (4,))), ValueError,
     r"operands could not be broadcast together with shapes \(3,\) \(4,\)"),
    (np.sum, (X, 2), np.exceptions.AxisError, "axis 2 is out of bounds for array of dimension 1"),
    (operator.matmul, (array(float, (3,)), array(float, (4,))), ValueError, "mismatch"),
    (np.exp, (NONE,), TypeError, "exp"),
    (np.linalg.inv, (X,), np.linalg.LinAlgError, "must be at least two-dimensional"),
    (operator.add, (X, "a"), TypeError, None),
    (math.sqrt, (X,), TypeError, None),
    (np.reshape, (array(float, (3,)), (2, 2)), ValueError, "cannot reshape array of size 3"),
    (np.reshape, (A, (-1, -1)), ValueError, "can only specify one unknown dimension"),
    (len, (array(float, ()),), TypeError, "len"),
    (operator.iadd, (array(float, (3,)), array(float, (2, 3))), ValueError, "non-broadcastable"),
])
def test_errors_are_numpys(fn, args, error, match):
    with pytest.raises(error, match=match):
        infer(fn, args)


@pytest.mark.parametrize(("key", "match"), [
    ((0, 0, 0), "too many indices"), (5.0, "only integers"), ((..., ...), "single ellipsis"),
    (array(float, (N,)), "integer \\(or boolean\\)"),
    ((array(int, (3,)), array(int, (4,))), "shape mismatch"),
])
def test_index_errors_are_numpys(key, match):
    with pytest.raises(IndexError, match=match):
        infer_getitem(A, key)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 3"):
        infer_getitem(array(float, (3,)), 3)


@pytest.mark.parametrize(("fn", "args", "kwargs"), [
    (np.nan_to_num, (X,), {"copy": False}), (np.nan_to_num, (X, False), {}),
    (np.median, (X,), {"overwrite_input": True}), (np.add, (X, X, X), {}),
    (np.sum, (A, 0), {"out": X}), (np.put_along_axis, (A, A, 1.0, 1), {}),
    (np.place, (X, X, [1]), {}), (Attribute("flat"), (X,), {}), (Attribute("strides"), (X,), {}),
    (Method("resize"), (X, 3), {}), (np.unstack, (A,), {}),
])
def test_hidden_writes_and_views_are_refused(fn, args, kwargs):
    with pytest.raises(UnsupportedOperation):
        infer(fn, args, kwargs)


def test_random_and_unknown_functions_are_refused():
    state = np.random.get_state()[1].tolist()
    for fn in (np.random.normal, np.random.default_rng(0).normal, print, open, lambda x: x,
               np.vectorize(abs), np.load):
        with pytest.raises(UnsupportedOperation):
            infer(fn, (X,))
    with pytest.raises(UnsupportedOperation):
        infer(np.apply_along_axis, (lambda x: x, 0, A))
    assert np.random.get_state()[1].tolist() == state
    assert not may_probe(np.random.rand) and may_probe(np.linalg.svd)


def test_numbers_behind_axes_are_demanded():
    with pytest.raises(Demand) as caught:
        infer(np.sum, (A,), {"axis": int_aval(COUNT)})
    assert caught.value.leaves == (1,)
    with pytest.raises(Demand) as caught:
        infer(np.moveaxis, (A, int_aval(COUNT), 0))
    assert caught.value.leaves == (1,)


def test_one_and_true_and_one_point_zero_are_told_apart():
    narrow = array(np.int8, (N,))
    assert aval(operator.add, narrow, 1) == "i1[n]"
    assert aval(operator.add, narrow, 1.0) == "f8[n]"
    assert aval(operator.add, narrow, True) == "i1[n]"


def test_equal_numbers_of_other_types_given_by_name_are_told_apart():
    made = [aval(np.full, (3,), fill_value=value) for value in (1, 1.0, True)]
    assert made == ["i8[3]", "f8[3]", "bool[3]"]


def test_zero_dimensional_arrays_and_scalars_are_told_apart():
    zero = array(float, ())
    assert aval(operator.mul, zero, 2) == "scalar:f8"
    assert str(infer_getitem(X, 0).aval) == "scalar:f8"
    assert str(infer_getitem(X, (0, ...)).aval) == "f8[]"
    assert infer_getitem(X, (0, ...)).view == "view"
    assert aval(operator.pow, FLOAT, 2) == "float" and aval(np.square, FLOAT) == "scalar:f8"


def test_dtypes_that_depend_on_values_are_unknown():
    values, vectors = infer(np.linalg.eig, (array(float, (N, N)),)).avals
    assert values.dtype is None and vectors.shape == (N, N)


def test_huge_static_sizes_cost_nothing():
    start = time.perf_counter()
    assert aval(np.zeros, 10**12) == "f8[1000000000000]"
    assert aval(np.arange, 10**12) == "i8[1000000000000]"
    assert aval(np.sum, array(float, (10**9,))) == "scalar:f8"
    assert aval(np.concatenate, [array(float, (10**9,)), X]) == "f8[n + 1000000000]"
    assert time.perf_counter() - start < 1


def test_answers_are_memoised():
    infer(operator.add, (A, X.but(shape=(M,))))
    start = time.perf_counter()
    for _ in range(1000):
        infer(operator.add, (A, X.but(shape=(M,))))
    assert time.perf_counter() - start < 0.1
