"""Dropout layers."""

from __future__ import annotations

from .. import functional as F
from .options import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout",]


class _Dropout(Layer, shown="p inplace"):
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self._keep(p=p, inplace=inplace)


class Dropout(_Dropout, of=F.dropout):
    """Elements zero with probability ``p`` in training."""


class Dropout1d(_Dropout, of=F.dropout1d):
    """Channels of ``(N, C, L)`` zero with probability ``p`` in training."""


class Dropout2d(_Dropout, of=F.dropout2d):
    """Channels of ``(N, C, H, W)`` zero with probability ``p`` in training."""


class Dropout3d(_Dropout, of=F.dropout3d):
    """Channels of ``(N, C, D, H, W)`` zero with probability ``p`` in training."""


class AlphaDropout(_Dropout, of=F.alpha_dropout, without="inplace"):
    """Dropout that keeps mean and variance of SELU activations."""


class FeatureAlphaDropout(_Dropout, of=F.feature_alpha_dropout, without="inplace"):
    """:class:`AlphaDropout` of whole channels."""
