"""Canonical form of a call, however the user spelled it: method, attribute, alias, function.

Rules are declared once on the NumPy function; this table says which function a method or an
attribute is, and under which names its arguments go.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Entry, Shape, linear, lookup, nondiff, variant
from srcgrad.rules.broadcast import scatter_add, size_of
from srcgrad.rules.numpy.random_draws import DRAWS
from srcgrad.types.spelling import Attribute, Method


def item(a: Array, *place: Any) -> Any:
    """``a.item(*place)``: one element as a Python number."""
    return a.item(*place)


@linear(item, "a")
def item_a(ct: Array, a_shape: Shape, place: tuple[Any, ...]) -> Array:
    if not place:
        return np.broadcast_to(ct, a_shape) if len(a_shape) else ct
    if len(place) == 1 and not isinstance(place[0], tuple):
        flat = size_of(a_shape)
        return np.reshape(scatter_add(ct, place[0], (flat,)), a_shape)
    return scatter_add(ct, place if len(place) > 1 else place[0], a_shape)


def cast(a: Array, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True,
         copy: bool = True, device: Any = None) -> Any:  # fmt: skip
    """``a.astype(dtype, ...)``."""
    return a.astype(dtype, order=order, casting=casting, subok=subok, copy=copy)


linear(cast,
    a=lambda ct, a_dtype:
        ct.astype(a_dtype) if a_dtype.kind == "c" or ct.dtype.kind != "c" else np.real(ct))

if hasattr(np, "astype"):  # NumPy 2.1
    variant(cast, np.astype, lambda a, dtype, *, copy=True, device=None: None)

# Methods whose parameters are those of the function of the same name, in the same order.
_SAME = (
    "all any argmax argmin argpartition argsort choose clip conj conjugate copy cumprod cumsum "
    "diagonal dot max mean min nonzero prod ptp ravel repeat round searchsorted squeeze std sum "
    "swapaxes take trace var"
)

_METHODS: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in _SAME.split()}
_METHODS |= {"flatten": np.ndarray.flatten, "item": item, "astype": cast}

_ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "T": np.transpose,
    "mT": np.matrix_transpose,
    "real": np.real,
    "imag": np.imag,
    "flat": np.ravel,
}


def shape_of(a: Any) -> Any:
    """What a metadata attribute or method answers; nothing to differentiate."""
    return a.shape


nondiff(shape_of)
_METADATA = frozenset({
    "shape", "ndim", "size", "dtype", "nbytes", "itemsize", "strides", "flags", "base", "data",
    "ctypes", "device", "tobytes", "is_integer", "as_integer_ratio", "__len__",
})  # fmt: skip


def _method(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """The function, arguments and keywords that a method call comes to."""
    obj, rest = args[0], args[1:]
    if name == "transpose":
        axes = rest[0] if len(rest) == 1 and not isinstance(rest[0], int) else rest or None
        return np.transpose, (obj, axes), kwargs
    if name == "reshape":
        shape = rest[0] if len(rest) == 1 else rest
        return np.reshape, (obj, shape) if rest else (obj,), kwargs
    if name == "compress":
        given = dict(zip(("condition", "axis", "out"), rest), **kwargs)
        return np.compress, (given.pop("condition"), obj), given
    if name == "view" and not rest and not kwargs:
        return np.asarray, (obj,), {}
    if name == "__getitem__":
        return operator.getitem, args, kwargs
    if name in _METADATA:
        return shape_of, (obj,), {}
    function = _METHODS.get(name) or DRAWS.get(name)
    return None if function is None else (function, args, kwargs)


def resolve(function: Any, args: tuple[Any, ...],
            kwargs: Mapping[str, Any]) -> tuple[Entry, dict[str, Any]] | None:
    """The book's entry for a call and its arguments by canonical name; ``None`` if the book
    has none.  Spelled methods and attributes become the NumPy function that they are.

    Raises ``TypeError`` as NumPy would, where the arguments do not fit the signature.

    >>> resolve(Method("sum"), (np.ones(3), 0), {})[1]["axis"]
    0
    >>> resolve(Method("transpose"), (np.ones((2, 3)), 1, 0), {})[1]["axes"]
    (1, 0)
    """
    if isinstance(function, Method):
        found = _method(function.name, args, kwargs)
        if found is None:
            return None
        function, args, kwargs = found
    elif isinstance(function, Attribute):
        name = function.name
        function = shape_of if name in _METADATA else _ATTRIBUTES.get(name)
        if function is None:
            return None
    e = lookup(function)
    return None if e is None else (e, e.bind(args, kwargs))
