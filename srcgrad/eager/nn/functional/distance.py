"""Distances, normalisation to length 1, bilinear forms."""

from __future__ import annotations

import math
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from ...nodes import named
from ...ops.arguments import one_dtype


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6,
                      keepdim: bool = False) -> Any:
    """The norm of ``x1 - x2 + eps`` along the last axis."""
    return named(torch.norm(x1 - x2 + eps, p, -1, keepdim), "NormBackward1")


cosine_similarity = torch.cosine_similarity


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Any = None) -> Any:
    """``input`` over its norm along ``dim``, the norm being at least ``eps``."""
    length = torch.linalg.vector_norm(input, p, dim, keepdim=True).clamp_min(eps)
    if out is None:
        return input / length.expand_as(input)
    return torch.div(input, length.expand_as(input), out=out)


def pdist(input: Any, p: float = 2) -> Any:
    """The distances between all pairs of rows, in the order (0,1), (0,2), ... (1,2), ..."""
    refuse(input.dim() != 2, "pdist only supports 2D tensors, got: {}D", input.dim())
    refuse(p < 0, "pdist only supports non-negative p values")
    rows, columns = torch.triu_indices(input.size(0), input.size(0), offset=1)
    if p == 0:  # counts: their gradient is zero
        return named((input[rows] - input[columns]).sign().abs().sum(-1), "PdistBackward0")
    return named(torch.norm(input[rows] - input[columns], p, -1), "PdistBackward0")


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """``out[o] = input1 @ weight[o] @ input2 + bias[o]``."""
    refuse(input1.dim() != input2.dim(), "bilinear(): input dimensions do not match: got {} and {}",
           input1.dim(), input2.dim())
    lead = tuple(input1.shape[:-1])
    if tuple(input2.shape[:-1]) != lead:
        at, one, two = next((i, n, m) for i, (n, m) in enumerate(zip(lead, input2.shape)) if n != m)
        raise RuntimeError("bilinear(): input batch dimensions do not match at dim "
                           f"{at}: got {one} and {two}")
    one_dtype("bmm", input1, input2, weight, text="All tensors must have the same dtype, got "
              "input1: {0.c_name}, input2: {1.c_name}, weight: {2.c_name}")
    for number, (given, axis) in enumerate(((input1, 1), (input2, 2)), 1):
        if given.size(-1) != weight.size(axis):
            raise RuntimeError(f"bilinear(): input{number} size does not match weight size: got "
                               f"{given.size(-1)} but expected {weight.size(axis)}")
    rows = math.prod(lead)
    left = input1.reshape(rows, input1.shape[-1])
    right = input2.reshape(rows, input2.shape[-1])
    out = torch.einsum("bi,oij,bj->bo", left, weight, right).reshape(*lead, weight.size(0))
    return out if bias is None else out + bias
