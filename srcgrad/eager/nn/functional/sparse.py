"""Embeddings and one-hot codes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import bad_argument, refuse
from ...nodes import named
from . import nodes


def _padding_row(padding_idx: int | None, count: int) -> int:
    if padding_idx is None:
        return -1
    if (padding_idx > 0 and padding_idx >= count) or padding_idx < -count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx + count if padding_idx < 0 else padding_idx


def embedding(input: Any, weight: Any, padding_idx: int | None = None,
              max_norm: float | None = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Any:
    """Rows of ``weight`` by index."""
    if not isinstance(input, torch.Tensor):
        raise bad_argument("embedding", "indices", 2, "Tensor", input)
    if input.dtype not in (torch.int64, torch.int32):
        found = "CPUBoolType" if input.dtype is torch.bool else input.type()
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following "
                           f"scalar types: Long, Int; but got {found} instead (while checking "
                           "arguments for embedding)")
    refuse(weight.dim() != 2, "'weight' must be 2-D")
    row = _padding_row(padding_idx, weight.size(0))
    indices = torch.raw(input)
    if indices.size and not weight.size(0):
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    if indices.size and (indices.min() < 0 or indices.max() >= weight.size(0)):
        raise IndexError("index out of range in self")
    if max_norm is not None:  # the rows that are looked up are scaled down to it, in place
        rows, table = np.unique(indices), torch.raw(weight)
        norms = np.linalg.norm(table[rows], norm_type, axis=-1, keepdims=True)
        factor = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1)
        table[rows] *= factor.astype(table.dtype)
        torch.increment_version(weight)
    return nodes.embedding(weight, input, row, scale_grad_by_freq)


def embedding_bag(input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None,
                  norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
                  sparse: bool = False, per_sample_weights: Any = None,
                  include_last_offset: bool = False, padding_idx: int | None = None) -> Any:
    """Sums, means or maxima of bags of embeddings: rows of a 2-D ``input``, or the parts of a
    1-D one that start at ``offsets``."""
    if weight.dtype == torch.int64 and input.is_floating_point():
        warnings.warn("Argument order of nn.functional.embedding_bag was changed. Usage "
                      "`embedding_bag(weight, input, ...)` is deprecated, and should now be "
                      "`embedding_bag(input, weight, ...)`.", stacklevel=2)
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is "
                         f"not None, then it must have the same shape as the input ({input.shape})")
    refuse(weight.dim() != 2, "weight has to be a 2D Tensor, but got Tensor of dimension {}",
           weight.dim(), kind=ValueError)
    if input.dim() == 2:
        refuse(offsets is not None, "if input is 2D, then offsets has to be None, as input is "
               "treated is a mini-batch of fixed length sequences. However, found offsets of type "
               "{}", type(offsets), kind=ValueError)
        offsets = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype)
        include_last_offset = False
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() != 1:
        raise ValueError("input has to be 1D or 2D Tensor, but got Tensor of dimension "
                         f"{input.dim()}")
    elif offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    elif offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    _check_mode(mode, scale_grad_by_freq, sparse, per_sample_weights)
    kind = torch.promote_types(input.dtype, offsets.dtype)
    input, offsets = input.to(kind), offsets.to(kind)
    rows = weight.size(0)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(f"padding_idx must be within the number of embeddings, -{rows} through "
                           f"{rows - 1}, but got {padding_idx}")
    if include_last_offset and not offsets.numel():
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    _check_bags(input, weight, offsets, per_sample_weights)
    row = _padding_row(padding_idx, rows)
    starts = torch.raw(offsets)
    starts = starts[:-1] if include_last_offset else starts
    bag = np.searchsorted(starts, np.arange(input.numel()), side="right") - 1
    if row >= 0:
        kept = np.flatnonzero(torch.raw(input) != row)
        bag, places = bag[kept], torch.from_numpy(kept)
        input = input[places]
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights[places]
    rows = embedding(input, weight, None, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    return named(_bagged(rows, bag, len(starts), mode), "EmbeddingBagBackward0")


def _check_mode(mode: str, scale_grad_by_freq: bool, sparse: bool,
                per_sample_weights: Any) -> None:
    """What each way of putting a bag together supports."""
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    refuse(mode == "max" and sparse, "max mode does not support sparse weights", kind=ValueError)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    refuse(per_sample_weights is not None and mode != "sum", "embedding_bag: per_sample_weights "
           "was not None. per_sample_weights is only supported for mode='sum' (got mode='{}'). "
           "Please open a feature request on GitHub.", mode, kind=NotImplementedError)


def _check_bags(input: Any, weight: Any, offsets: Any, per_sample_weights: Any) -> None:
    """PyTorch's answers to indices, offsets and weights that do not fit."""
    whole, real = "Long, Int", "Half, BFloat16, Float, Double"
    for name, t, allowed in (("indices", input, whole), ("weight", weight, real)):
        found = t.dtype.tensor_name
        if found not in allowed.split(", "):
            raise RuntimeError(f"Expected tensor for argument #1 '{name}' to have one of the "
                               f"following scalar types: {allowed}; but got {t.type()} instead "
                               "(while checking arguments for embedding_bag)")
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument "
            f"#1 'per_sample_weights'; but type {weight.type()} does not equal "
            f"{per_sample_weights.type()} (while checking arguments for embedding_bag)")
    starts, indices = torch.raw(offsets), torch.raw(input)
    if starts.size and starts[0] != 0:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has "
                           f"to start from position 0. However, got {starts[0]}")
    if starts.size and starts[-1] > indices.size:
        raise RuntimeError(f"offsets[-1] can not be greater than input's length {indices.size} but "
                           f"got offsets[-1] of {starts[-1]}")
    if np.any(starts < 0) or (indices.size and not starts.size):
        raise IndexError("index out of range in self")
    wrong = indices[(indices < 0) | (indices >= weight.size(0))]
    if wrong.size:
        raise RuntimeError("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx "
                           f"to be {wrong[0]}")


def _bagged(rows: Any, bag: Any, count: int, mode: str) -> Any:
    """The sum, mean or maximum of the rows of each of ``count`` bags; zeros for empty ones."""
    numbers = np.bincount(bag, minlength=count)
    total = torch.zeros(count, rows.size(1), dtype=rows.dtype)
    if mode != "max" or not len(bag):
        total = total.index_add(0, torch.from_numpy(bag), rows)
        if mode != "mean":
            return total
        divisors = np.maximum(numbers, 1).reshape(-1, 1).astype(torch.raw(total).dtype)
        return total / torch.from_numpy(divisors).to(rows.dtype)
    ends = np.cumsum(numbers)
    values = torch.raw(rows)[np.argsort(bag, kind="stable")]
    places = np.stack([
        end - n + np.argmax(values[end - n:end], axis=0) if n else np.zeros(rows.size(1), int)
        for n, end in zip(numbers, ends)]).astype(np.int64)
    best = rows.gather(0, torch.from_numpy(places))
    return best.masked_fill(torch.from_numpy(numbers == 0).unsqueeze(-1), 0)


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """Ones at the given classes along a new last axis."""
    if tensor.dtype != torch.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    labels = torch.raw(tensor)
    if labels.size == 0:
        refuse(num_classes <= 0, "Can not infer total number of classes from empty tensor.")
        return torch.zeros(*tensor.shape, num_classes, dtype=torch.int64)
    refuse(labels.min() < 0, "Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(labels.max()) + 1
    elif labels.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return torch.from_numpy((labels[..., None] == np.arange(num_classes)).astype(np.int64))
