"""Shapes of the same elements in another arrangement: reshaped, flattened, broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..types import dims
from ..types.dims import Dim
from ..types.kinds import SCALARS, Aval, Kind, array, scalar
from ..types.spelling import Method
from .broadcasting import shown
from .integers import number_of, product_of
from .making import Rule
from .outcome import Outcome, placeholder


def _reshape(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if not args or not isinstance(args[0], Aval) or not args[0].is_array:
        return None
    if isinstance(fn, Method):
        wanted = args[1:] if len(args) != 2 else args[1]
        known = kwargs.get("shape")
    else:
        wanted = args[1] if len(args) > 1 else None
        known = kwargs.get("shape")
    wanted = known if wanted in (None, ()) and known is not None else wanted
    if wanted is None or set(kwargs) - {"shape", "order", "copy"}:
        return None
    positional = not isinstance(fn, Method)
    if len(args) > 3 and positional:
        return None
    sizes = tuple(wanted) if isinstance(wanted, tuple | list) else _numbers_in(wanted)
    shape = new_shape(args[0].shape or (), sizes)
    if shape is None:
        return None
    order = args[2] if positional and len(args) > 2 else kwargs.get("order", "C")
    fixed = only_splits(args[0].shape or (), shape)
    view: Any = "view" if fixed else "maybe" if order == "C" else "layout"
    if kwargs.get("copy") is True:
        view = "fresh"
    if order not in ("C", "F", "A"):
        return None
    return Outcome((args[0].but(shape=shape),), views=(view,),
                   sources=(None if view == "fresh" else 0,))


def _numbers_in(wanted: Any) -> tuple[Any, ...]:
    """The sizes that one argument is or holds: an array of as many as is known."""
    if isinstance(wanted, Aval) and wanted.is_array and isinstance(wanted.shape, tuple) and (
            len(wanted.shape) == 1 and isinstance(wanted.shape[0], int)):
        return (scalar(wanted.dtype),) * wanted.shape[0]
    return (wanted,)


def only_splits(old: tuple[Dim, ...], new: tuple[Dim, ...]) -> bool:
    """Does a reshape merge no axes?  Then it gives a view, however the array lies in memory.

    >>> only_splits((12,), (3, 4)), only_splits((6, 4), (2, 3, 1, 4)), only_splits((6, 4), (24,))
    (True, True, False)
    """
    if len(old) <= 1:
        return True
    rest = list(new)
    for size in old:
        while rest and rest[0] == 1:
            rest.pop(0)
        part: tuple[Dim, ...] = ()
        while rest and product_of(part) != size:
            part += (rest.pop(0),)
        if product_of(part) != size:
            return False
    return all(size == 1 for size in rest)


def new_shape(old: tuple[Dim, ...], sizes: tuple[Any, ...]) -> tuple[Dim, ...] | None:
    """The shape after a reshape, -1 resolved; None where what a size is, is unknown.  NumPy's
    integers that only a run knows (``np.prod(x.shape[1:])``) are sizes of their own."""
    numbers = [placeholder(k) if isinstance(s, Aval) and s.kind is Kind.SCALAR
               and s.dtype is not None and s.dtype.kind in "iu" else
               int(s) if isinstance(s, np.integer) else number_of(s) for k, s in enumerate(sizes)]
    if None in numbers:
        return None
    shape: list[Any] = list(numbers)
    if shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    count = product_of(old)
    if -1 in shape:
        place = shape.index(-1)
        rest = product_of(tuple(shape[:place] + shape[place + 1:]))
        if isinstance(count, int) and isinstance(rest, int) and (not rest or count % rest):
            raise ValueError(f"cannot reshape array of size {count} into shape "
                             f"{shown(tuple(shape))}")
        shape[place] = _divided(old, shape, place, count, rest)
    elif isinstance(count, int) and isinstance(product_of(tuple(shape)), int) \
            and count != product_of(tuple(shape)):
        raise ValueError(f"cannot reshape array of size {count} into shape {shown(tuple(shape))}")
    return tuple(shape)


def _divided(old: tuple[Dim, ...], shape: list[Any], place: int, count: Dim, rest: Dim) -> Dim:
    """The size of the axis given as -1; common factors of both shapes cancel."""
    if rest == 1:
        return count
    left = list(old)
    others = [s for i, s in enumerate(shape) if i != place]
    for s in list(others):
        if s in left:
            left.remove(s)
            others.remove(s)
    return dims.floor_divide(product_of(tuple(left)), product_of(tuple(others)))


def _ravel(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if kwargs or len(args) != 1 or not isinstance(args[0], Aval) or not args[0].is_array:
        return None
    copied = isinstance(fn, Method) and fn.name == "flatten"
    aval = args[0].but(shape=(product_of(args[0].shape or ()),))
    if copied:
        return Outcome((aval,), orders=("C",))
    only = args[0].ndim == 1 and not kwargs
    view: Any = "view" if args[0].ndim == 0 else "maybe"
    return Outcome((aval,), views=("maybe" if only else view,), sources=(0,))


def _windows(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """``sliding_window_view``: examples would have to respect that windows fit."""
    bound = dict(zip(("x", "window_shape", "axis"), args)) | kwargs
    x, window, axis = bound["x"], bound["window_shape"], bound.get("axis")
    if not isinstance(x, Aval) or not x.is_array or x.shape is None:
        return None
    window = window if isinstance(window, tuple | list) else (window,)
    axis = axis if isinstance(axis, tuple | list) else (
        tuple(range(x.ndim or 0)) if axis is None else (axis,))
    sizes = [size for size in map(number_of, window) if size is not None]
    if len(sizes) != len(window) or len(axis) != len(sizes) or not all(
            type(a) is int and -len(x.shape) <= a < len(x.shape) for a in axis):
        return None
    shape: list[Any] = list(x.shape)
    for a, size in zip(axis, sizes):
        shape[a] = dims.add(shape[a], dims.add(1, dims.multiply(-1, size)))
        shape.append(size)
    if any(isinstance(size, int) and size < 0 for size in shape):
        return None
    return Outcome((x.but(shape=tuple(shape)),), views=("view",), sources=(0,))


def _broadcast_to(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if len(args) != 2 or kwargs or not isinstance(args[0], Aval):
        return None
    number = args[0].kind in SCALARS and args[0].dtype is not None
    if not number and not args[0].is_array:
        return None
    sizes = args[1] if isinstance(args[1], tuple | list) else (args[1],)
    wanted = tuple(map(number_of, sizes))
    have = args[0].shape or ()
    pairs = list(zip(reversed(have), reversed(wanted)))
    clash = any(isinstance(a, int) and isinstance(b, int) and a not in (1, b) for a, b in pairs)
    if None in wanted or clash or len(have) > len(wanted):
        return None
    exact: Any = wanted
    if number:
        return Outcome((array(args[0].dtype, exact),))
    return Outcome((args[0].but(shape=exact),), views=("view",), sources=(0,))


RULES: dict[Any, Rule] = {
    np.reshape: _reshape, Method("reshape"): _reshape,
    np.ravel: _ravel, Method("ravel"): _ravel, Method("flatten"): _ravel,
    np.broadcast_to: _broadcast_to,
    sliding_window_view: _windows,
}
