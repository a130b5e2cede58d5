"""`torch.Size`: a tuple of lengths that prints as ``torch.Size([2, 3])``."""

from __future__ import annotations

import math
from typing import Any


class Size(tuple[int, ...]):
    """The shape of a tensor.

    >>> Size((2, 3)).numel()
    6
    """

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __add__(self, other: Any) -> Any:
        return Size(tuple(self) + tuple(other))

    def __getitem__(self, index: Any) -> Any:
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got

    def __reduce__(self) -> Any:
        return rebuilt, (tuple(self),)


def rebuilt(lengths: tuple[int, ...]) -> Size:
    """A Size from its pickled form."""
    return Size(lengths)


Size.__module__ = "torch"  # what print(type(x.shape)) shows
