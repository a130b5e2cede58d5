"""NumPy's iterators over elements, written out: ``np.ndindex``, ``np.ndenumerate``, ``np.nditer``,
``np.broadcast``.

``np.nditer`` goes through memory unless it is told otherwise.  Where all operands are known to
lie in C order that is counting; otherwise the order is looked up when the code runs.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from ...rules.numpy.traversal import visiting_order


def unravelled(shape: tuple[Any, ...], position: Any) -> tuple[Any, ...]:
    """The index of element number ``position`` in C order."""
    if len(shape) == 1:
        return (position,)
    index: list[Any] = []
    for size in shape[:0:-1]:
        index.insert(0, position % size)
        position = position // size
    index.insert(0, position)
    return tuple(index)


def items_of(array: Any) -> Any:
    """The items of an array of a class of the user's, as its ``__getitem__`` gives them."""
    for place in range(len(array)):
        yield array[place]


def ndindex(*shape: Any) -> Any:
    """``np.ndindex``."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    total = functools.reduce(operator.mul, shape or (1,))
    return map(functools.partial(unravelled, shape), range(total))


def ndenumerate(arr: Any) -> Any:
    """``np.ndenumerate``."""
    return map(functools.partial(_indexed, arr), ndindex(*arr.shape))


def _indexed(arr: Any, index: Any) -> tuple[Any, Any]:
    return index, arr[index]


def lies_in_c_order(array: np.ndarray[Any, Any]) -> bool:
    """Is ``np.ravel`` of the array a view?"""
    return bool(array.flags.c_contiguous)


class NdIter:
    """``np.nditer`` over arrays that broadcast to one shape."""

    def __init__(self, op: Any, flags: Any = (), order: str = "K") -> None:
        self.several = isinstance(op, (list, tuple))
        given = list(op) if self.several else [op]
        arrays = [a for a in given if a is not None]
        shape = np.broadcast_shapes(*[np.shape(a) for a in arrays])
        self.places = None
        if order != "C" and len(shape) > 0:
            for a in arrays:
                if np.ndim(a) > 0 and self.places is None and not lies_in_c_order(a):
                    self.places = visiting_order(order, *arrays)
        found: list[Any] = []
        for a in given:
            if a is None:
                found.append(np.empty(shape, np.result_type(*arrays)))
            else:
                found.append(a if np.shape(a) == shape else np.broadcast_to(a, shape))
        self.operands = tuple(found)
        self.shape = shape
        self.itersize = found[0].size
        self.iterindex = 0
        self.external = "external_loop" in flags

    def _place(self) -> Any:
        return self.iterindex if self.places is None else self.places[self.iterindex]

    def _current(self) -> Any:
        if self.external:
            found = tuple(np.ravel(a) for a in self.operands)
        else:
            index = (*unravelled(self.shape, self._place()), ...)
            found = tuple(a[index] for a in self.operands)
        return found if self.several else found[0]

    def _item(self, position: Any) -> Any:
        self.iterindex = position
        return self._current()

    def elements(self) -> Any:
        return map(self._item, range(1 if self.external else self.itersize))

    def __getitem__(self, number: int) -> Any:
        found = self._current()
        return found[number] if self.several else found

    def __setitem__(self, number: int, value: Any) -> None:
        if self.several:
            self._current()[number][...] = value
        else:
            self._current()[...] = value

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc: Any) -> None:
        return None

    @property
    def value(self) -> Any:
        return self._current()

    @property
    def multi_index(self) -> tuple[Any, ...]:
        return unravelled(self.shape, self._place())

    @property
    def index(self) -> Any:
        return self._place()

    @property
    def finished(self) -> Any:
        return self.iterindex >= self.itersize

    def iternext(self) -> Any:
        self.iterindex += 1
        return self.iterindex < self.itersize

    def reset(self) -> None:
        self.iterindex = 0

    def close(self) -> None:
        return None


class Broadcast:
    """``np.broadcast``: what arrays have in common that are used together, and their elements."""

    def __init__(self, *arrays: Any) -> None:
        self.shape = np.broadcast_shapes(*[np.shape(a) for a in arrays])
        self.numiter = len(arrays)
        self.nd = self.ndim = len(self.shape)
        size = 1
        for extent in self.shape:
            size = size * extent
        self.size = size
        self.operands = [np.broadcast_to(a, self.shape) for a in arrays]

    def __iter__(self) -> Any:
        for index in ndindex(*self.shape):
            yield tuple([a[index] for a in self.operands])
