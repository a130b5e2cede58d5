"""Indexing: the type of ``base[key]`` for every form of NumPy index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..types.dataclasses import dataclass
from ..types.dims import Dim, slice_length
from ..types.kinds import Aval, Kind, any_aval, scalar
from .broadcasting import Broadcast, shown
from .integers import number_of
from .outcome import Guard, View, placeholder


@dataclass(frozen=True, slots=True)
class Indexed:
    """``aval`` of ``base[key]``; ``basic`` keys select a view; ``guards`` and ``uncertain`` as
    for :class:`~srcgrad.graph.outcome.Outcome` (index arrays that broadcast)."""

    aval: Aval
    basic: bool
    view: View
    guards: tuple[Guard, ...] = ()
    uncertain: bool = False


def infer_getitem(base: Aval, key: Any, mask_symbols: dict[Any, Dim] | None = None,
                  fresh: Callable[..., Dim] | None = None,
                  identify: Callable[[Any], Any] | None = None) -> Indexed:
    """The type of ``base[key]``.

    ``key`` has :class:`Aval` leaves (or static ints, slices, None, Ellipsis, lists, arrays).
    ``mask_symbols`` remembers the number of elements that each boolean mask selects, keyed by
    ``identify(leaf)`` (default: ``id``), so that two reads through one mask have equal sizes;
    ``fresh`` names new ones.

    >>> from srcgrad.types.kinds import array
    >>> from srcgrad.types.dims import symbol
    >>> n, m = symbol("n"), symbol("m")
    >>> str(infer_getitem(array(float, (n, m)), (slice(1, None), None, 0)).aval)
    'f8[max(0, n - 1),1]'
    >>> str(infer_getitem(array(float, (n, m)), (0, 1)).aval)
    'scalar:f8'
    """
    if base.kind is Kind.ANY or base.shape is None:
        return Indexed(any_aval(base.dtype), is_basic(key), "maybe")
    if base.kind is Kind.OPAQUE:
        return Indexed(Aval(Kind.OPAQUE), False, "fresh")
    if base.kind is Kind.LIST:
        return _from_list(base, key)
    if base.kind is Kind.SCALAR and not is_basic(key):
        base = base.but(kind=Kind.ARRAY, shape=())  # a mask: one element or none
    if base.kind is not Kind.ARRAY:
        return _from_scalar(base, key)
    assert base.shape is not None
    items = _expanded(key, len(base.shape))
    if any(_unknown(i) for i in items):
        return Indexed(any_aval(base.dtype), False, "maybe")
    walk = _Walk(base.shape, mask_symbols if mask_symbols is not None else {}, fresh,
                 identify or id)
    for item in items:
        walk.take(item)
    shape = walk.result()
    basic = not walk.advanced
    if basic and not shape and not any(i is Ellipsis for i in _as_tuple(key)):
        return Indexed(scalar(base.dtype), True, "fresh")
    aval = base.but(shape=shape)
    if not basic and not shape and not any(i is Ellipsis for i in _as_tuple(key)):
        aval = scalar(base.dtype)
    return Indexed(aval, basic, "view" if basic else "fresh", tuple(walk.broadcast.guards),
                   walk.broadcast.uncertain)


def is_basic(key: Any) -> bool:
    """Does the key consist of ints, slices, None and Ellipsis only?"""
    return not any(_is_advanced(item) for item in _as_tuple(key))


def surely_copies(key: Any) -> bool:
    """Does the key hold an array or a list, whatever a run makes of its other items?"""
    return any(isinstance(item, list | np.ndarray | bool | np.bool_) or getattr(
        getattr(item, "aval", item), "kind", None) in (Kind.ARRAY, Kind.LIST, Kind.BOOL)
        for item in _as_tuple(key))


def _as_tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _is_integer(item: Any) -> bool:
    if isinstance(item, Aval):
        return item.kind is Kind.INT or ((
            item.kind is Kind.SCALAR or (item.kind is Kind.NUMBER and item.least is None)
        ) and item.dtype is not None and item.dtype.kind in "iu")
    return isinstance(item, int | np.integer) and not isinstance(item, bool)


def _is_truth(item: Any) -> bool:
    if isinstance(item, Aval):
        return item.kind is Kind.BOOL or (
            item.kind is Kind.SCALAR and item.dtype == np.dtype(bool))
    return isinstance(item, bool | np.bool_)


def _is_advanced(item: Any) -> bool:
    if isinstance(item, slice) or item is None or item is Ellipsis:
        return False
    return not _is_integer(item)


def _unknown(item: Any) -> bool:
    return isinstance(item, Aval) and (
        item.kind in (Kind.ANY, Kind.OPAQUE, Kind.LIST) or item.optional
        or (item.kind is Kind.NUMBER and not _is_integer(item)))


def _consumes(item: Any) -> int:
    """How many axes of the base an item stands for."""
    if item is None or item is Ellipsis or _is_truth(item):
        return 0
    if isinstance(item, slice) or _is_integer(item):
        return 1
    array = as_index_array(item)
    return len(array.shape or ()) if array.dtype == np.dtype(bool) else 1


def _expanded(key: Any, rank: int) -> list[Any]:
    """The key's items with Ellipsis written out, padded with full slices to the rank."""
    items = list(_as_tuple(key))
    if sum(i is Ellipsis for i in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(map(_consumes, items))
    if used > rank:
        raise IndexError(f"too many indices for array: array is {rank}-dimensional, "
                         f"but {used} were indexed")
    fill: list[Any] = [slice(None)] * (rank - used)
    for position, item in enumerate(items):
        if item is Ellipsis:
            return items[:position] + (fill or [item]) + items[position + 1:]
    return items + fill


def as_index_array(item: Any) -> Aval:
    """The abstract value of an advanced index: an array, or a list of numbers."""
    if isinstance(item, Aval):
        if item.kind is Kind.ARRAY:
            if item.dtype is not None and item.dtype.kind not in "iub":
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            return item
        if item.kind in (Kind.FLOAT, Kind.COMPLEX, Kind.SCALAR):
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis "
                             "(`None`) and integer or boolean arrays are valid indices")
        return item
    if isinstance(item, list | tuple):
        return _nested(item)
    if isinstance(item, np.ndarray):
        dtype = item.dtype if item.size else np.dtype(np.intp)
        return as_index_array(Aval(Kind.ARRAY, dtype, tuple(item.shape)))
    raise IndexError("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and "
                     "integer or boolean arrays are valid indices")


def _nested(items: Any) -> Aval:
    if not items:
        return Aval(Kind.ARRAY, np.dtype(np.intp), (0,))
    inner = [i if _is_integer(i) or _is_truth(i) else as_index_array(i) for i in items]
    first = inner[0]
    shape = first.shape or () if isinstance(first, Aval) and first.kind is Kind.ARRAY else ()
    if isinstance(first, Aval) and first.kind is Kind.ARRAY:
        dtype = first.dtype
    else:
        dtype = np.dtype(bool) if all(map(_is_truth, inner)) else np.dtype(np.intp)
    return Aval(Kind.ARRAY, dtype, (len(items), *shape))


class _Walk:
    """Goes through the items of a key, consuming the axes of the base."""

    def __init__(self, shape: tuple[Dim, ...], masks: dict[Any, Dim],
                 fresh: Callable[..., Dim] | None, identify: Callable[[Any], Any]) -> None:
        self.shape = shape
        self.axis = 0
        self.kept: list[Dim] = []
        self.arrays: list[tuple[Dim, ...]] = []
        self.advanced = False
        self.place: int | None = None  # where the broadcast index dimensions go
        self.last_advanced = -2
        self.position = 0
        self.separated = False
        self.masks, self.fresh, self.identify = masks, fresh, identify
        self.broadcast = Broadcast()

    def take(self, item: Any) -> None:
        self.position += 1
        if item is Ellipsis:  # for no axis, but it comes between others
            return
        if item is None:
            self.kept.append(1)
        elif isinstance(item, slice):
            self.kept.append(self._slice(item, self.shape[self.axis]))
            self.axis += 1
        elif _is_integer(item):
            self._check(item)
            self._advanced_at(real=False)
            self.axis += 1
        else:
            self._array(item)

    def _slice(self, item: slice, size: Dim) -> Dim:
        parts: list[Any] = []
        unknown = False
        for part in (item.start, item.stop, item.step):
            if part is None:
                parts.append(None)
                continue
            if isinstance(part, np.integer):
                part = int(part)
            number = number_of(part)
            unknown = unknown or number is None
            parts.append(number)
        if unknown:
            return self._new_size()
        if parts[2] == 0 and isinstance(parts[2], int):
            raise ValueError("slice step cannot be zero")
        return slice_length(parts[0], parts[1], parts[2], size)

    def _new_size(self) -> Dim:
        if self.fresh is not None:
            return self.fresh("k")
        self.broadcast.placeholders += 1
        return placeholder(4000 + self.broadcast.placeholders)

    def _check(self, item: Any) -> None:
        number = int(item) if isinstance(item, np.integer) else number_of(item)
        size = self.shape[self.axis]
        if isinstance(number, int) and isinstance(size, int) and not -size <= number < size:
            raise IndexError(f"index {number} is out of bounds for axis {self.axis} "
                             f"with size {size}")

    def _advanced_at(self, real: bool) -> None:
        """Note an integer or array at this position: together they form one group."""
        if self.place is None:
            self.place = len(self.kept)
        elif self.last_advanced != self.position - 1:
            self.separated = True
        self.last_advanced = self.position
        self.advanced = self.advanced or real

    def _array(self, item: Any) -> None:
        if _is_truth(item):
            self._advanced_at(real=True)
            size: Dim = int(bool(item)) if not isinstance(item, Aval) else self._mask_size(item)
            self.arrays.append((size,))
            return
        index = as_index_array(item)
        assert index.shape is not None
        self._advanced_at(real=True)
        if index.dtype == np.dtype(bool):
            for offset, size in enumerate(index.shape):
                have = self.shape[self.axis + offset]
                if isinstance(size, int) and isinstance(have, int) and size != have:
                    raise IndexError(
                        f"boolean index did not match indexed array along axis "
                        f"{self.axis + offset}; size of axis is {have} but size of "
                        f"corresponding boolean axis is {size}")
            if isinstance(item, np.ndarray):
                self.arrays.append((int(np.count_nonzero(item)),))
            elif isinstance(item, list) and not _has_avals(item):
                self.arrays.append((int(np.count_nonzero(np.asarray(item))),))
            else:
                self.arrays.append((self._mask_size(item),))
            self.axis += len(index.shape)
        else:
            self.arrays.append(index.shape)
            self.axis += 1

    def _mask_size(self, item: Any) -> Dim:
        key = self.identify(item)
        if key not in self.masks:
            self.masks[key] = self._new_size()
        return self.masks[key]

    def result(self) -> tuple[Dim, ...]:
        if not self.advanced:
            return tuple(self.kept)
        try:
            group = self.broadcast.shapes(*self.arrays)
        except ValueError:
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together "
                             "with shapes " + " ".join(map(shown, self.arrays))) from None
        place = 0 if self.separated or self.place is None else self.place
        return (*self.kept[:place], *group, *self.kept[place:])


def _has_avals(items: Any) -> bool:
    return any(isinstance(i, Aval) or (isinstance(i, list | tuple) and _has_avals(i))
               for i in items)


def _from_list(base: Aval, key: Any) -> Indexed:
    if isinstance(key, slice):
        return Indexed(base, False, "fresh")
    if base.elem is None:
        raise IndexError("list index out of range")
    return Indexed(base.elem, False, "fresh")


def _from_scalar(base: Aval, key: Any) -> Indexed:
    """NumPy scalars can be indexed with ``()``, ``...``, None and masks; Python's cannot."""
    if base.kind is not Kind.SCALAR:
        raise TypeError(f"{base.kind.value!r} object is not subscriptable")
    items = _as_tuple(key)
    if any(_consumes(i) for i in items):
        raise IndexError("invalid index to scalar variable.")
    added = sum(i is None for i in items)
    if not added and not any(i is Ellipsis for i in items):
        return Indexed(base, True, "fresh")
    return Indexed(Aval(Kind.ARRAY, base.dtype, (1,) * added), True, "fresh")
