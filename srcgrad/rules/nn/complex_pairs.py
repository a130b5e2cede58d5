"""Complex numbers as pairs of real ones in a last axis, and back."""

from __future__ import annotations

import numpy as np

from srcgrad.rules.book import Array, linear
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.blends import make_complex


@runtime
def to_pairs(a: Array) -> Array:
    """Real and imaginary parts in a new last axis.

    >>> to_pairs(np.array(1 + 2j))
    array([1., 2.])
    """
    return np.stack([np.real(a), np.imag(a)], axis=-1)


@runtime
def from_pairs(a: Array) -> Array:
    """The inverse of :func:`to_pairs`."""
    return make_complex(a[..., 0], a[..., 1])


linear(to_pairs, a=lambda ct: make_complex(ct[..., 0], -ct[..., 1]))
linear(from_pairs, a=lambda ct: np.stack([np.real(ct), -np.imag(ct)], axis=-1))
