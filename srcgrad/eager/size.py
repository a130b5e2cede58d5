"""Tuples that tensors give: `torch.Size`, and named results like `torch.return_types.max`."""

from __future__ import annotations

import functools
import math
import operator
from typing import Any


class Size(tuple[int, ...]):
    """The shape of a tensor.

    >>> Size((2, 3)).numel()
    6
    """

    __slots__ = ()

    def __new__(cls, lengths: Any = ()) -> Size:
        lengths = tuple(lengths)
        for i, n in enumerate(lengths):
            if n.__class__ is not int and not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is "
                                f"'{type(n).__name__}')")
        return super().__new__(cls, map(operator.index, lengths))

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __add__(self, other: Any) -> Any:
        if isinstance(other, tuple):
            return Size(tuple(self) + other)
        reflected = getattr(other, "__radd__", None)
        result = NotImplemented if reflected is None else reflected(self)
        if result is NotImplemented:
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to "
                            "torch.Size")
        return result

    def __radd__(self, other: Any) -> Any:
        return Size(other + tuple(self)) if isinstance(other, tuple) else NotImplemented

    def __getitem__(self, index: Any) -> Any:
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got

    def __reduce__(self) -> Any:
        return rebuilt, (tuple(self),)


# A Size of what is known to be a shape.
sized = functools.partial(tuple.__new__, Size)


def rebuilt(lengths: tuple[int, ...]) -> Size:
    """A Size from its pickled form."""
    return Size(lengths)


Size.__module__ = "torch"  # what print(type(x.shape)) shows


class StructSequence(tuple[Any, ...]):
    """A tuple whose items also have names; printed one per line.

    >>> sort_result = struct("sort", "values", "indices")
    >>> sort_result(1, 2).values
    1
    """

    _fields: tuple[str, ...] = ()

    def __new__(cls, *items: Any) -> Any:
        if len(items) == 1 and isinstance(items[0], tuple | list) and len(cls._fields) != 1:
            items = tuple(items[0])
        return super().__new__(cls, items)

    n_fields = n_sequence_fields = property(lambda self: len(self._fields))

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._fields:
            return self[type(self)._fields.index(name)]
        raise AttributeError(
            f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        rows = ",\n".join(f"{n}={v!r}" for n, v in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{rows})"


_MADE: dict[tuple[str, ...], type[StructSequence]] = {}


def struct(name: str, *fields: str) -> type[StructSequence]:
    """The result type called ``name`` with these fields."""
    key = (name, *fields)
    if key not in _MADE:
        _MADE[key] = type(name, (StructSequence,),
                          {"_fields": fields, "__module__": "torch.return_types"})
    return _MADE[key]
