"""Reductions that choose elements: max, min, argmax, median, mode, kthvalue; truth and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, wrap
from srcgrad.eager.nodes import joint
from srcgrad.eager.ops.arguments import refuse_kinds
from srcgrad.eager.ops.pairs import maximum, minimum
from srcgrad.eager.ops.reductions import wrap_dims
from srcgrad.eager.ops.shapes import wrap_dim
from srcgrad.eager.saving import guard
from srcgrad.eager.size import struct
from srcgrad.rules.numpy.selection import lower_median, pick


def picked(name: str, node: str, frees: bool | None = True) -> Any:
    """Declare how a named (values, indices) result is made of the indices along ``dim`` that
    ``choose`` finds in an array."""
    prim = Primitive(pick, node, main=False, frees=frees)
    result = struct(name, "values", "indices")

    def build(input: Tensor, choose: Any, dim: int, keepdim: bool = True) -> Any:
        scalar = input._a.ndim == 0
        indices = np.zeros((), np.int64) if scalar else choose(input._a)
        values = prim(input, indices, dim, keepdim)
        if not keepdim and not scalar:
            indices = np.squeeze(indices, dim)
        shown = wrap(np.array(indices, np.int64), dt.int64)  # the rule keeps an array of its own
        guard(values, shown)
        return result(values, shown)

    return build


def check_nonempty(name: str, input: Tensor, dim: int, call: str = "()") -> None:
    """Raise if there is nothing to choose from along ``dim``."""
    if input._a.ndim and input._a.shape[dim] == 0:
        raise IndexError(f"{name}{call}: Expected reduction dim {dim} to have non-zero size.")


def _unspecified(name: str) -> RuntimeError:
    return RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                        "Specify the reduction dim with the 'dim' argument.")


def _extreme(name: str, whole: Any, where: Any, pairwise: Any) -> None:
    prim = Primitive(whole, name.capitalize() + "Backward1")
    build = picked(name, name.capitalize() + "Backward0")

    def call(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            return pairwise(input, dim if other is None else other)
        if dim is None:
            if input._a.size == 0:
                raise _unspecified(name)
            refuse_kinds("c", name + "_all", input._dt)
            return prim(input)
        i = wrap_dim(dim, input)
        check_nonempty(name, input, i)
        refuse_kinds("c", name, input._dt)
        return build(input, lambda a: np.expand_dims(where(a, axis=i), i), i, keepdim)

    op(name)(call)


_extreme("max", np.max, np.argmax, maximum)
_extreme("min", np.min, np.argmin, minimum)


def _over_dims(name: str, function: Any) -> Any:
    prim = Primitive(function, name.capitalize() + "Backward0", settings={"ties": "equal"})

    def call(input: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
        axes = wrap_dims(dim if dim is not None else (), input)
        a = input._a
        refuse_kinds("c", {"amax": "max", "amin": "min"}[name] + "_values_cpu", input._dt)
        if a.size == 0:
            for i in axes or range(a.ndim):
                if a.shape[i] == 0:
                    if axes is None:
                        raise _unspecified(name)
                    raise IndexError(f"{name}{'' if name == 'aminmax' else '()'}: Expected "
                                     f"reduction dim {i} to have non-zero size.")
        return prim(input, axis=axes, keepdims=keepdim)

    op(name)(call)
    return call


amax = _over_dims("amax", np.max)
amin = _over_dims("amin", np.min)

_LEAST = Primitive(np.min, "AminmaxBackward0")
_MOST = Primitive(np.max, "AminmaxBackward0")


@op(gives="min max")
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The least and the greatest element, of all or along a dimension."""
    refuse_kinds("c", "aminmax_cpu", input._dt)
    if dim is None:
        refuse(input._a.size == 0, "aminmax(): cannot compute aminmax over an empty dimension as "
               "the operation has no identity.")
        axis = None
    else:
        i = wrap_dim(dim, input)
        check_nonempty("aminmax", input, i, call="")
        axis = i if input._a.ndim else None
    return joint("AminmaxBackward0", _LEAST(input, axis=axis, keepdims=keepdim),
                 _MOST(input, axis=axis, keepdims=keepdim))


def _argument(name: str, function: Any) -> None:
    def call(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        a = input._a
        if input._dt is dt.bool_ or input._dt.category == dt.COMPLEX:
            kind = "bool" if input._dt is dt.bool_ else "complex"
            raise RuntimeError(f"{name}(): does not support {kind} input")
        if dim is None:
            refuse(a.size == 0, "{}(): Expected reduction dim to be specified for input.numel() == "
                   "0.", name, kind=IndexError)
            r = np.asarray(function(a))
            return wrap(r.reshape((1,) * a.ndim) if keepdim else r, dt.int64)
        i = wrap_dim(dim, input)
        check_nonempty(name, input, i)
        if a.ndim == 0:
            return wrap(np.zeros((), np.int64), dt.int64)
        return wrap(np.asarray(function(a, axis=i, keepdims=keepdim)), dt.int64)

    op(name)(call)


_argument("argmax", np.argmax)
_argument("argmin", np.argmin)


def _truth(name: str, function: Any) -> None:
    def call(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        axes = () if dim == () or dim == [] else wrap_dims(dim, input)
        d = dt.uint8 if input._dt is dt.uint8 else dt.bool_
        r = np.asarray(function(input._a != 0, axis=axes, keepdims=keepdim))
        return wrap(r.astype(d.numpy), d)

    op(name)(call)


_truth("all", np.all)
_truth("any", np.any)


@op(out=False)
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero."""
    axes = wrap_dims(dim, input)
    return wrap(np.asarray(np.sum(input._a != 0, axis=axes, dtype=np.int64)), dt.int64)


# -- order statistics ----------------------------------------------------------------------

_MEDIAN = Primitive(lower_median, "MedianBackward0")
_NANMEDIAN = Primitive(lower_median, "NanmedianBackward0")


def _stable_order(a: Array, dim: int) -> Array:
    return np.argsort(a, axis=dim, kind="stable")


def _middle(a: Array, dim: int, skip_nan: bool) -> Array:
    """The places of the lower medians: of a NaN if there is one, unless they are left out."""
    n = a.shape[dim]
    missing = np.isnan(a) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    gaps = np.sum(missing, axis=dim, keepdims=True)
    place = (n - 1 - gaps) // 2 if skip_nan else np.where(gaps, n - gaps, (n - 1) // 2)
    return np.take_along_axis(_stable_order(a, dim), np.maximum(place, 0), dim)


def _median(name: str, prim: Primitive, skip_nan: bool) -> None:
    build = picked(name, name.capitalize() + "Backward1")

    def call(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        refuse_kinds("bc", "median_cpu", input._dt)
        if dim is None:
            if input._a.size == 0 and input._dt.category < dt.FLOATING:
                raise RuntimeError("median() operation on an empty tensor is not supported")
            return prim(input, skip_nan)
        i = wrap_dim(dim, input)
        check_nonempty("median", input, i)
        return build(input, lambda a: _middle(a, i, skip_nan), i, keepdim)

    op(name)(call)


_median("median", _MEDIAN, False)
_median("nanmedian", _NANMEDIAN, True)
_kth = picked("kthvalue", "KthvalueBackward0")
_mode = picked("mode", "ModeBackward0")


@op()
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The ``k``-th smallest element along a dimension, and where it is."""
    i = wrap_dim(dim, input)
    check_nonempty("kthvalue", input, i)
    refuse_kinds("bc", "kthvalue_cpu", input._dt)
    n = input._a.shape[i] if input._a.ndim else 1
    refuse(not 1 <= k <= n, "kthvalue(): selected number k out of range for dimension {}", i)
    return _kth(input, lambda a: np.take(_stable_order(a, i), [k - 1], axis=i), i, keepdim)


@op()
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent (least, if several) element along a dimension, and its last place."""
    i = wrap_dim(dim, input)
    check_nonempty("mode", input, i)
    refuse_kinds("c", "mode_cpu", input._dt)
    return _mode(input, lambda a: _commonest(a, i), i, keepdim)


def _commonest(a: Array, dim: int) -> Array:
    lines = np.moveaxis(a, dim, -1)
    places = np.empty((*lines.shape[:-1], 1), np.int64)
    for where in np.ndindex(lines.shape[:-1]):
        values, counts = np.unique(lines[where], return_counts=True, equal_nan=False)
        most = values[np.argmax(counts)]
        same = lines[where] == most if most == most else np.isnan(lines[where])
        places[where] = np.flatnonzero(same)[-1]
    return np.moveaxis(places, -1, dim)
