"""Joining samples to batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ... import basis as torch

UNKNOWN = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data: Any) -> Any:
    """Arrays and NumPy scalars in ``data`` as tensors; everything else as it is."""
    if isinstance(data, (torch.Tensor, str, bytes, np.str_, np.bytes_)):
        return data
    if isinstance(data, (np.ndarray, np.generic)):
        return data if data.dtype.kind in "SUO" else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(item) for item in data))
    if isinstance(data, Sequence):
        return [default_convert(item) for item in data]
    return data


def _like(mapping: Mapping[Any, Any], entries: dict[Any, Any]) -> Any:
    """The entries in a mapping of the same type, or a dict where it cannot be made."""
    try:
        return type(mapping)(entries)  # type: ignore[call-arg]
    except TypeError:
        return entries


def collate(batch: Any, *, collate_fn_map: Mapping[Any, Callable[..., Any]] | None = None) -> Any:
    """:func:`default_collate` with functions of one's own for some types of samples."""
    first = batch[0]
    for kinds, function in (collate_fn_map or {}).items():
        if isinstance(first, kinds):
            return function(batch, collate_fn_map=collate_fn_map)
    return _joined(batch, lambda part: collate(part, collate_fn_map=collate_fn_map))


def default_collate(batch: Any) -> Any:
    """A list of samples as one sample of batches: tensors are stacked, numbers become tensors,
    mappings and sequences are joined member by member."""
    return _joined(batch, default_collate)


def _joined(batch: Any, recur: Callable[[Any], Any]) -> Any:
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(list(batch), 0)
    if isinstance(first, np.ndarray) and first.ndim:
        if first.dtype.kind in "SUO":
            raise TypeError(UNKNOWN.format(first.dtype))
        return torch.stack([torch.as_tensor(item) for item in batch], 0)
    if isinstance(first, (np.ndarray, np.bool_, np.number)):
        return torch.as_tensor(np.asarray(batch))
    if isinstance(first, float):
        return torch.tensor(list(batch), dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _like(first, {key: recur([item[key] for item in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(recur(list(part)) for part in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [recur(part) for part in zip(*batch)]
    raise TypeError(UNKNOWN.format(type(first)))
