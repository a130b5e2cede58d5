"""Embeddings and one-hot codes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ... import basis as torch
from ...nodes import named
from . import nodes


def _padding_row(padding_idx: int | None, count: int) -> int:
    if padding_idx is None:
        return -1
    if (padding_idx > 0 and padding_idx >= count) or padding_idx < -count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + count if padding_idx < 0 else padding_idx


def _renormalised(weight: Any, indices: Any, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are looked up down to ``max_norm``, in place."""
    rows = np.unique(torch.raw(indices))
    table = torch.raw(weight)
    norms = np.linalg.norm(table[rows], norm_type, axis=-1, keepdims=True)
    factor = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1)
    table[rows] *= factor.astype(table.dtype)
    torch.increment_version(weight)


def embedding(
    input: Any, weight: Any, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Any:
    """Rows of ``weight`` by index."""
    if input.dtype not in (torch.int64, torch.int32):
        found = input.type()
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
            f"Long, Int; but got {found} instead (while checking arguments for embedding)"
        )
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    row = _padding_row(padding_idx, weight.size(0))
    indices = torch.raw(input)
    if indices.size and (indices.min() < 0 or indices.max() >= weight.size(0)):
        raise IndexError("index out of range in self")
    if max_norm is not None:
        _renormalised(weight, input, max_norm, norm_type)
    return nodes.embedding(weight, input, row, scale_grad_by_freq)


def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
    sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:
    """Sums, means or maxima of bags of embeddings: rows of a 2-D ``input``, or the parts of a
    1-D one that start at ``offsets``."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        length = input.size(1)
        starts = list(range(0, input.numel() + 1, length)) if length else [0] * (input.size(0) + 1)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        starts = [int(n) for n in offsets] + ([] if include_last_offset else [input.numel()])
    else:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    rows = embedding(
        input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse
    )
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    bags = []
    for start, end in itertools.pairwise(starts):
        part = rows[start:end]
        if padding_idx is not None:
            part = part[input[start:end] != padding_idx % weight.size(0)]
        if part.size(0) == 0:
            bags.append(torch.zeros(weight.size(1), dtype=weight.dtype))
        elif mode == "max":
            bags.append(part.max(0)[0])
        else:
            bags.append(part.sum(0) if mode == "sum" else part.mean(0))
    return named(torch.stack(bags), "EmbeddingBagBackward0")


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Ones at the given classes along a new last axis."""
    if tensor.dtype != torch.int64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor."
        )
    labels = torch.raw(tensor)
    if labels.size == 0:
        if num_classes <= 0:
            raise RuntimeError(
                "Can not infer total number of classes from empty tensor."
            )
        return torch.zeros(*tensor.shape, num_classes, dtype=torch.int64)
    if labels.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(labels.max()) + 1
    elif num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    elif labels.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return torch.from_numpy((labels[..., None] == np.arange(num_classes)).astype(np.int64))
