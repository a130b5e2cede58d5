"""Dropout layers."""

from __future__ import annotations

from .. import functional as F
from ..options import Layer, layer


class _Dropout(Layer, shown="p inplace"):
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self._keep(p=p, inplace=inplace)


Dropout = layer("Dropout", F.dropout, _Dropout)
Dropout1d = layer("Dropout1d", F.dropout1d, _Dropout)
Dropout2d = layer("Dropout2d", F.dropout2d, _Dropout)
Dropout3d = layer("Dropout3d", F.dropout3d, _Dropout)
AlphaDropout = layer("AlphaDropout", F.alpha_dropout, _Dropout, without="inplace")
FeatureAlphaDropout = layer(
    "FeatureAlphaDropout", F.feature_alpha_dropout, _Dropout, without="inplace")
