"""`torch.nn.modules.utils`: options of layers as tuples, one entry per spatial axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def ntuple(value: Any, count: int) -> tuple[Any, ...]:
    """A sequence as a tuple, whatever its length; anything else ``count`` times."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * count


def _of(count: int) -> Callable[[Any], tuple[Any, ...]]:
    return lambda value: ntuple(value, count)


_single, _pair, _triple, _quadruple = (_of(count) for count in (1, 2, 3, 4))
