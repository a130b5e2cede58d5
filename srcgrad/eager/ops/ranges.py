"""More new tensors: ranges, identities, index triangles, windows, ``new_*`` and ``*_like``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.ops.creation import (
    creator,
    delivered,
    fill_number,
    filled,
    given_sizes,
    laid_like,
    size_of,
    tensor,
)
from srcgrad.eager.strides import extent, refuse_negative, strided
from srcgrad.eager.tensor import Array, Tensor, store, wrap


def _made(a: Any, d: dt.dtype) -> Tensor:
    return wrap(store(d, np.asarray(a)), d)


def _ends(name: str, start: Any, end: Any, d: dt.dtype | None) -> tuple[Any, Any, dt.dtype]:
    """Both ends of a range as numbers, and its dtype: complex if one of them is."""
    given = {"start": start, "end": end}
    if any(isinstance(v, Tensor) and v._a.ndim for v in given.values()):
        found = " and ".join(f"{label} with {v._a.ndim} dimension(s)"
                             for label, v in given.items() if isinstance(v, Tensor))
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got "
                           f"{found}.")
    start, end = (v.item() if isinstance(v, Tensor) else v for v in (start, end))
    own = dt.get_default_dtype()
    if isinstance(start, complex) or isinstance(end, complex):
        own = own.to_complex()
        if d is not None and d.category < dt.COMPLEX:
            raise RuntimeError(f"torch.{name}(): inferred dtype {own.c_name} can't be safely cast "
                               f"to passed dtype {d.tensor_name}")
    return start, end, d or own


def _spaced(start: Any, end: Any, steps: int, d: dt.dtype) -> Array:
    """``steps`` numbers from ``start`` to ``end``, the second half counted from the end."""
    refuse(steps < 0, "number of steps must be non-negative")
    if steps == 0:
        return np.empty(0, d.numpy)
    if steps == 1:
        return np.full(1, start, d.numpy)
    i = np.arange(steps)
    kind = d.numpy
    if d.category < dt.FLOATING:  # whole ends; the step is a float
        kind = np.dtype(np.float64)
        start, end = int(start), int(end)
    elif d is dt.float16:
        kind = np.dtype(np.float32)
    low, high = kind.type(start), kind.type(end)
    step = (high - low) / kind.type(steps - 1)
    early, late = low + step * i.astype(kind), high - step * (steps - 1 - i).astype(kind)
    values = np.where(i < steps // 2, early, late)
    return values if d.category >= dt.FLOATING else np.trunc(values)


@creator
def linspace(start: Any, end: Any, steps: int, *, d: dt.dtype | None = None) -> Tensor:
    """``steps`` numbers evenly spaced from ``start`` to ``end``."""
    start, end, d = _ends("linspace", start, end, d)
    return _made(_spaced(start, end, int(steps), d), d)


@creator
def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *,
             d: dt.dtype | None = None) -> Tensor:
    """Powers of ``base`` with evenly spaced exponents."""
    low, high, d = _ends("logspace", start, end, d)
    wide = d
    if d.category < dt.FLOATING:
        wide, low, high = dt.float64, int(low), int(high)
    exponents = _spaced(low, high, int(steps), wide)
    with np.errstate(all="ignore"):
        return _made(np.power(exponents.dtype.type(base), exponents), d)


@creator
def eye(n: int, m: int | None = None, *, d: dt.dtype | None = None) -> Tensor:
    """The identity matrix."""
    for name, value in (("n", n), ("m", m)):
        if value is not None and value < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {value}")
    return _made(np.eye(n, m), d or dt.get_default_dtype())


def _triangle_indices(name: str, make: Any) -> None:
    def indices(row: int, col: int, offset: int = 0, *, d: dt.dtype | None = None) -> Tensor:
        for label, value in (("row", row), ("col", col)):
            refuse(value < 0, "{} must be non-negative, got{}", label, value)
        return _made(np.stack(make(row, offset, col)), d or dt.int64)

    creator(indices, name)


_triangle_indices("tril_indices", np.tril_indices)
_triangle_indices("triu_indices", np.triu_indices)


@creator
def scalar_tensor(s: Any, *, d: dt.dtype | None = None) -> Tensor:
    """A 0-dim tensor of the default dtype."""
    default = dt.get_default_dtype()
    return _made(s, d or (default.to_complex() if isinstance(s, complex) else default))


@creator
def full_like(input: Tensor, fill_value: Any, *, memory_format: Any = None,
              d: dt.dtype | None = None) -> Tensor:
    """A tensor of one value in the shape of ``input``."""
    return laid_like(input, d, lambda _, d: store(d, np.asarray(fill_number(fill_value))))


@creator
def empty_strided(size: Any, stride: Any, *, d: dt.dtype | None = None) -> Tensor:
    """An empty tensor of given strides."""
    d = d or dt.get_default_dtype()
    shape, steps = tuple(size), tuple(stride)
    refuse(len(shape) != len(steps), "dimensionality of sizes ({}) must match dimensionality of "
           "strides ({})", len(shape), len(steps))
    refuse_negative(shape)
    refuse(min(steps, default=0) < 0, "Storage size calculation overflowed with sizes={} and "
           "strides={}", list(shape), list(steps))
    item = d.numpy.itemsize
    strides = tuple(s * item for s in steps)
    root = np.zeros(extent(shape, strides, item) // item, d.numpy)
    t = wrap(strided(root, shape, strides), d)
    t._ver[1] = root
    return t


@creator
def frombuffer(buffer: Any, *, dtype: dt.dtype, count: int = -1, offset: int = 0,
               requires_grad: bool = False) -> Tensor:
    """A tensor on the memory of a buffer."""
    t = wrap(np.frombuffer(buffer, dtype.numpy, count, offset), dtype)
    return delivered(t, None, requires_grad)


# -- new tensors like another --------------------------------------------------------------


def _new(name: str, value: Any) -> None:
    def create(self: Tensor, *sizes: Any, size: Any = None, d: dt.dtype | None = None) -> Tensor:
        d = d or self._dt
        return wrap(np.full(size_of(given_sizes(name, sizes, size)), value, d.numpy), d)

    creator(create, name, bound=True)


_new("new_zeros", 0)
_new("new_ones", 1)
_new("new_empty", 0)


def new_full(self: Tensor, size: Any, fill_value: Any, *, d: dt.dtype | None = None) -> Tensor:
    """A tensor of one value, with this tensor's dtype."""
    return filled(size, fill_value, d=d or self._dt)


def new_tensor(self: Tensor, data: Any, *, d: dt.dtype | None = None) -> Tensor:
    """A copy of ``data`` with this tensor's dtype."""
    return tensor(data, dtype=d or self._dt)


creator(new_full, bound=True)
creator(new_tensor, bound=True)


# -- windows -------------------------------------------------------------------------------


def _window(name: str, weights: Any) -> None:
    def window(window_length: int, periodic: bool = True, *args: Any,
               d: dt.dtype | None = None, **shape: Any) -> Tensor:
        d = d or dt.get_default_dtype()
        refuse(window_length < 0, "{} requires non-negative window_length, got window_length={}",
               name, window_length)
        refuse(d.category != dt.FLOATING, "{} expects floating point dtypes, got: torch.{}Tensor",
               name, d.tensor_name)
        if window_length == 1:
            return _made(np.ones(1), d)
        n = window_length if periodic else window_length - 1
        return _made(weights(np.arange(window_length), n, *args, **shape), d)

    creator(window, name)


_window("hann_window", lambda i, n: np.sin(math.pi * i / n) ** 2)
_window("hamming_window", lambda i, n, alpha=0.54, beta=0.46: (
    alpha - beta * np.cos(2 * math.pi * i / n)))
_window("blackman_window", lambda i, n: (
    0.42 - 0.5 * np.cos(2 * math.pi * i / n) + 0.08 * np.cos(4 * math.pi * i / n)))
_window("bartlett_window", lambda i, n: 1 - np.abs(2 * i / n - 1))
_window("kaiser_window", lambda i, n, beta=12.0: (
    np.i0(beta * np.sqrt(1 - (2 * i / n - 1) ** 2)) / np.i0(beta)))
