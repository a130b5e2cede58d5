"""Embedding layers."""

from __future__ import annotations

from typing import Any, Self

from ... import basis as torch
from .. import functional as F
from .. import init
from ..options import Layer
from ..parameter import Parameter


def _within(name: str, row: int | None, count: int) -> int | None:
    """The row of the padding, counted from the front."""
    if row is not None and not -count <= row < count:
        raise AssertionError(f"{name} must be within num_embeddings")
    return None if row is None else row % count


class _Table(Layer):
    """A table of ``num_embeddings`` rows, drawn at the start unless it is given."""

    def _fill(self, given: Any, frozen: bool, device: Any, dtype: Any) -> None:
        shape = (self.num_embeddings, self.embedding_dim)
        if given is not None and tuple(given.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        table = torch.empty(shape, device=device, dtype=dtype) if given is None else given
        self.weight = Parameter(table, requires_grad=not frozen)
        if given is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw a new table."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight.select(0, self.padding_idx).fill_(0)

    @classmethod
    def _of(cls, embeddings: Any, **options: Any) -> Self:
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return cls(*embeddings.shape, _weight=embeddings, **options)


class Embedding(_Table, of=F.embedding, own="weight"):
    """Rows of a learned table, normal at the start (row ``padding_idx`` zero)."""

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0,
                 scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Any = None,
                 _freeze: bool = False, device: Any = None, dtype: Any = None) -> None:
        self._keep(
            num_embeddings=num_embeddings, embedding_dim=embedding_dim,
            padding_idx=_within("Padding_idx", padding_idx, num_embeddings), max_norm=max_norm,
            norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)
        self._fill(_weight, _freeze, device, dtype)

    def extra_repr(self) -> str:
        return ", ".join([f"{self.num_embeddings}, {self.embedding_dim}", *self._unusual(
            padding_idx=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, sparse=False)])

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None,
                        max_norm: float | None = None, norm_type: float = 2.0,
                        scale_grad_by_freq: bool = False, sparse: bool = False) -> Self:
        """A layer over a given table."""
        return cls._of(embeddings, _freeze=freeze, padding_idx=padding_idx, max_norm=max_norm,
                       norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


class EmbeddingBag(_Table, of=F.embedding_bag, takes="input offsets per_sample_weights",
                   own="weight"):
    """Sums, means or maxima of bags of embeddings."""

    def __init__(self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None,
                 norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean",
                 sparse: bool = False, _weight: Any = None, include_last_offset: bool = False,
                 padding_idx: int | None = None, device: Any = None, dtype: Any = None) -> None:
        self._keep(num_embeddings=num_embeddings, embedding_dim=embedding_dim, max_norm=max_norm,
                   norm_type=norm_type, scale_grad_by_freq=scale_grad_by_freq, mode=mode,
                   sparse=sparse, include_last_offset=include_last_offset,
                   padding_idx=_within("padding_idx", padding_idx, num_embeddings))
        self._fill(_weight, False, device, dtype)

    def extra_repr(self) -> str:
        return ", ".join([
            f"{self.num_embeddings}, {self.embedding_dim}",
            *self._unusual(max_norm=None, norm_type=2, scale_grad_by_freq=False),
            f"mode={self.mode!r}", *self._unusual(padding_idx=None)])

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, max_norm: float | None = None,
                        norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                        mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
                        padding_idx: int | None = None) -> Self:
        """A layer over a given table."""
        made = cls._of(embeddings, max_norm=max_norm, norm_type=norm_type,
                       scale_grad_by_freq=scale_grad_by_freq, mode=mode, sparse=sparse,
                       include_last_offset=include_last_offset, padding_idx=padding_idx)
        made.weight.requires_grad_(not freeze)
        return made
