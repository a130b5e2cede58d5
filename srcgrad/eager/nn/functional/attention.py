"""Scaled dot-product attention and the multi-head layer built on it."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import refuse
from . import nodes
from .conv import linear
from .dropout import dropout
from .vision import pad


def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None,
                                 dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: float | None = None, enable_gqa: bool = False) -> Any:
    """``softmax(scale * query @ key.T + mask) @ value``; ``scale`` is ``1/sqrt(E)`` if None.

    A boolean mask says which pairs take part; a floating-point one is added.
    """
    _check_attention(query, key, value, attn_mask)
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    if enable_gqa:
        key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
        value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(
            attn_mask.logical_not(), -math.inf)
    one_node = (query.dim() == key.dim() == value.dim() == 4
                and query.shape[:2] == key.shape[:2] == value.shape[:2]
                and query.size(-1) == value.size(-1)
                and (attn_mask is None or not attn_mask.requires_grad))
    refuse(attn_mask is not None and is_causal, "_scaled_dot_product_attention: Explicit attn_mask "
           "should not be set when is_causal=True")
    if one_node and dropout_p == 0.0:
        return nodes.attention(query, key, value, attn_mask, is_causal, factor)
    if is_causal:
        seen = np.tri(query.size(-2), key.size(-2), dtype=bool)
        attn_mask = torch.from_numpy(np.where(seen, 0, -np.inf)).to(query.dtype)
    root = math.sqrt(factor)
    scores = torch.matmul(query * root, key.transpose(-2, -1) * root)
    if attn_mask is not None:
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    if attn_mask is not None and (unseen := np.isneginf(torch.raw(scores)).all(-1)).any():
        weights = weights.masked_fill(torch.from_numpy(unseen).unsqueeze(-1), 0.0)
    if dropout_p > 0.0:
        weights = dropout(weights, dropout_p)
    return torch.matmul(weights, value)


def _check_attention(query: Any, key: Any, value: Any, mask: Any) -> None:
    kinds = query.dtype, key.dtype, value.dtype
    if len(set(kinds)) > 1:
        q, k, v = (d.c_name for d in kinds)
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got "
                           f"query.dtype: {q} key.dtype: {k} and value.dtype: {v} instead.")
    dims = query.dim(), key.dim(), value.dim()
    if min(dims) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{dims[0]} key.dim: {dims[1]} and value.dim: {dims[2]} instead.")
    if mask is not None and mask.dtype not in (torch.bool, torch.float32, query.dtype):
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, "
                           f"but got attn_mask.dtype: {mask.dtype.c_name} and  query.dtype: "
                           f"{query.dtype.c_name} instead.")


def _checked_shapes(query: Any, key: Any, value: Any, padding: Any, mask: Any, heads: int) -> bool:
    """Whether the inputs have a batch axis; PyTorch's ``AssertionError`` if they disagree."""
    refuse(query.dim() not in (2, 3), "query should be unbatched 2D or batched 3D tensor but "
           "received {}-D query tensor", query.dim(), kind=AssertionError)
    batched = bool(query.dim() == 3)
    kind, ndim = ("batched", 3) if batched else ("unbatched", 2)
    start = f"For {kind} ({ndim}-D) `query`, expected "
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(f"{start}`key` and `value` to be {ndim}-D but found {key.dim()}-D and "
                             f"{value.dim()}-D tensors respectively")
    if padding is not None and padding.dim() != ndim - 1:
        raise AssertionError(f"{start}`key_padding_mask` to be `None` or {ndim - 1}-D but found "
                             f"{padding.dim()}-D tensor instead")
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(f"{start}`attn_mask` to be `None`, 2-D or 3-D but found "
                             f"{mask.dim()}-D tensor instead")
    if mask is not None and not batched and mask.dim() == 3:
        expected = (heads, query.shape[0], key.shape[0])
        refuse(mask.shape != expected, "Expected `attn_mask` shape to be {} but got {}",
               expected, mask.shape, kind=AssertionError)
    return batched


def _additive(mask: Any, name: str, other: Any, dtype: Any) -> Any:
    """A mask to add to scores: booleans become 0 and -inf."""
    if mask is None:
        return None
    is_float = mask.is_floating_point()
    if mask.dtype != torch.bool and not is_float:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and mask.dtype != other.dtype:
        warnings.warn(f"Support for mismatched {name} and attn_mask is deprecated. Use same type "
                      "for both instead.", stacklevel=3)
    if is_float:
        return mask
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def _project_packed(query: Any, key: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
    """:func:`_projected` where keys are the values, too: they are projected at once."""
    size = query.size(-1)

    def joint(x: Any, count: int, w: Any, b: Any) -> tuple[Any, ...]:
        out = linear(x, w, b).unflatten(-1, (count, size)).unsqueeze(0)
        out = out.transpose(0, -2).squeeze(-2).contiguous()
        return tuple(out[i] for i in range(count))

    if query is key:
        return joint(query, 3, weight, bias)
    w_q, w_kv = weight.split([size, size * 2])
    b_q, b_kv = (None, None) if bias is None else bias.split([size, size * 2])
    return linear(query, w_q, b_q), *joint(key, 2, w_kv, b_kv)


def _projected(query: Any, key: Any, value: Any, weight: Any, bias: Any,
               separate: Any) -> tuple[Any, ...]:
    """Queries, keys and values after their projections, packed or (if given) separate."""
    if separate is None:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if key is value:
            return _project_packed(query, key, weight, bias)
        separate = weight.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(linear(x, w, b) for x, w, b in zip((query, key, value), separate, biases))


def _checked_mask(mask: Any, batch: int, heads: int, target: int, source: int) -> Any:
    if mask is None:
        return None
    shared = mask.dim() == 2
    expected = (target, source) if shared else (batch * heads, target, source)
    if tuple(mask.shape) != expected:
        raise RuntimeError(f"The shape of the {2 if shared else 3}D attn_mask is {mask.shape}, but "
                           f"should be {expected}.")
    return mask.unsqueeze(0) if shared else mask


def _extended(mask: Any) -> Any:
    return None if mask is None else pad(mask, (0, 1))


_NO_MASK = (
    "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
    "method `generate_square_subsequent_mask` to create this mask.")


def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Any, in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool,
    dropout_p: float, out_proj_weight: Any, out_proj_bias: Any, training: bool = True,
    key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
    v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Any, Any]:
    """Attention of several heads with projections before and after; ``(output, weights)``.

    ``query`` is ``(L, N, E)`` or ``(L, E)``, ``key`` and ``value`` ``(S, N, E)`` or ``(S, E)``.
    """
    batched = _checked_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key_is_value, query_is_key = query.unsqueeze(1), key is value, query is key
        key = query if query_is_key else key.unsqueeze(1)
        value = key if key_is_value else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    target, batch, width = query.shape
    padding = _additive(key_padding_mask, "key_padding_mask", attn_mask, query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(_NO_MASK)
    if is_causal and padding is None and not need_weights:
        mask = None
    else:
        mask = _additive(attn_mask, "attn_mask", None, query.dtype)
        is_causal = is_causal and padding is None
    refuse(width != embed_dim_to_check, "was expecting embedding dimension of {}, but got {}",
           embed_dim_to_check, width, kind=AssertionError)
    head = width // num_heads
    if head * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias, separate)
    mask = _checked_mask(mask, batch, num_heads, target, key.shape[0])
    if bias_k is not None and bias_v is not None:
        k = torch.cat([k, bias_k.repeat(1, batch, 1)])
        v = torch.cat([v, bias_v.repeat(1, batch, 1)])
        mask, padding = _extended(mask), _extended(padding)
    q, k, v = (x.view(x.shape[0], batch * num_heads, head).transpose(0, 1) for x in (q, k, v))
    k, v = (k if static_k is None else static_k), (v if static_v is None else static_v)
    if add_zero_attn:
        zeros = torch.zeros((batch * num_heads, 1, head), dtype=k.dtype)
        k, v = torch.cat([k, zeros], dim=1), torch.cat([v, zeros], dim=1)
        mask, padding = _extended(mask), _extended(padding)
    mask = _joined(mask, padding, batch, num_heads, k.size(1))
    rate = dropout_p if training else 0.0
    out, rows = _mixed(
        q, k, v, mask, rate, is_causal, num_heads, need_weights, average_attn_weights)
    out = linear(out, out_proj_weight, out_proj_bias)
    out = out.view(target, batch, out.size(1))
    if batched:
        return out, rows
    return out.squeeze(1), None if rows is None else rows.squeeze(0)


def _mixed(q: Any, k: Any, v: Any, mask: Any, rate: float, is_causal: bool, heads: int,
           need_weights: bool, averaged: bool) -> tuple[Any, Any]:
    """The heads' outputs side by side, ``(L * N, E)``, and the weights if they are wanted."""
    if not need_weights:
        return _heads_at_once(q, k, v, mask, rate, is_causal, heads), None
    out, rows = _heads_with_weights(q, k, v, mask, rate)
    batch, target = q.shape[0] // heads, q.shape[1]
    rows = rows.view(batch, heads, target, k.size(1))
    rows = rows.mean(dim=1) if averaged else rows
    return out.transpose(0, 1).reshape(target * batch, heads * q.shape[2]), rows


def _joined(mask: Any, padding: Any, batch: int, heads: int, source: int) -> Any:
    """Both masks as one to add to the scores ``(N * heads, L, S)``."""
    if padding is None:
        return mask
    for axis, expected in enumerate((batch, source)):
        if padding.shape[axis] != expected:
            raise AssertionError(f"Expected key_padded_mask.shape[{axis}] to be {expected}, but "
                                 f"got {padding.shape[axis]}")
    padding = padding.view(batch, 1, 1, source).expand(-1, heads, -1, -1)
    padding = padding.reshape(batch * heads, 1, source)
    return padding if mask is None else mask + padding


def _heads_with_weights(q: Any, k: Any, v: Any, mask: Any, rate: float) -> tuple[Any, Any]:
    scaled = q * math.sqrt(1.0 / float(q.size(-1)))
    if mask is None:
        scores = torch.bmm(scaled, k.transpose(-2, -1))
    else:
        scores = torch.baddbmm(mask, scaled, k.transpose(-2, -1))
    rows = torch.softmax(scores, -1)
    if rate > 0.0:
        rows = dropout(rows, p=rate)
    return torch.bmm(rows, v), rows


def _heads_at_once(q: Any, k: Any, v: Any, mask: Any, rate: float, is_causal: bool,
                   heads: int) -> Any:
    """Attention of all heads without their weights, rows ``(L * N, E)``."""
    batch, target, head = q.size(0) // heads, q.size(1), q.size(2)
    q, k, v = (x.view(batch, heads, x.size(1), x.size(2)) for x in (q, k, v))
    if mask is not None:
        if mask.size(0) == 1 and mask.dim() == 3:
            mask = mask.unsqueeze(0)
        else:
            mask = mask.view(batch, heads, -1, k.size(2))
    out = scaled_dot_product_attention(q, k, v, mask, rate, is_causal)
    return out.permute(2, 0, 1, 3).reshape(batch * target, heads * head)
