"""Normalisation layers, embeddings and attention as NumPy functions, with rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, linear, nondiff, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.activations import softmax

Ints = tuple[int, ...]


def _standardised(input: Array, axes: Ints, eps: float) -> tuple[Array, Array]:
    """``(input - mean) / sqrt(var + eps)`` over ``axes``, and the reciprocal deviation."""
    mean = np.mean(input, axis=axes, keepdims=True)
    centred = input - mean
    scale = 1 / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)
    return centred * scale, scale


def _through(ct: Array, normal: Array, scale: Array, axes: Ints) -> Array:
    """The cotangent of the input of :func:`_standardised`."""
    mean = np.mean(ct, axis=axes, keepdims=True)
    along = np.mean(ct * normal, axis=axes, keepdims=True)
    return scale * (ct - mean - normal * along)


def _last(ndim: int, count: int) -> Ints:
    return tuple(range(ndim - count, ndim))


@runtime
def layer_norm(input: Array, normalized_shape: Ints, weight: Array, bias: Array,
               eps: float) -> Array:
    """``input`` standardised over its last axes, times ``weight``, plus ``bias`` (or None)."""
    out, _ = _standardised(input, _last(input.ndim, len(normalized_shape)), eps)
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out


@vjp(layer_norm, "input", "weight", "bias")
def layer_norm_all(ct: Array, input: Array, normalized_shape: Ints, weight: Array, input_ndim: int,
                   eps: float) -> tuple[Any, Any, Any]:
    count = len(normalized_shape)
    axes = _last(input_ndim, count)
    lead = tuple(range(input_ndim - count))
    normal, scale = _standardised(input, axes, eps)
    d_input = _through(ct if weight is None else ct * weight, normal, scale, axes)
    d_weight = ct * normal
    if not lead:
        return d_input, d_weight, ct
    return d_input, np.sum(d_weight, axis=lead), np.sum(ct, axis=lead)


def _per_channel(values: Array, ndim: int) -> Array:
    return np.reshape(values, (1, np.size(values)) + (1,) * (ndim - 2))


def _channel_axes(ndim: int) -> Ints:
    return (0, *range(2, ndim))


@runtime
def batch_norm(input: Array, weight: Array, bias: Array, mean: Array, var: Array, training: bool,
               eps: float) -> Array:
    """``input`` standardised per channel (axis 1): by its own statistics in training, else by
    the given ``mean`` and ``var``."""
    ndim = input.ndim
    if training:
        out, _ = _standardised(input, _channel_axes(ndim), eps)
    else:
        out = (input - _per_channel(mean, ndim)) * _per_channel(1 / np.sqrt(var + eps), ndim)
    if weight is not None:
        out *= _per_channel(weight, ndim)
    if bias is not None:
        out += _per_channel(bias, ndim)
    return out


@vjp(batch_norm, "input", "weight", "bias", mean=None, var=None)
def batch_norm_all(ct: Array, input: Array, weight: Array, mean: Array, var: Array, input_ndim: int,
                   training: bool, eps: float) -> tuple[Any, Any, Any]:
    axes = _channel_axes(input_ndim)
    weighted = ct if weight is None else ct * _per_channel(weight, input_ndim)
    if training:
        normal, scale = _standardised(input, axes, eps)
        d_input = _through(weighted, normal, scale, axes)
    else:
        scale = _per_channel(1 / np.sqrt(var + eps), input_ndim)
        normal = (input - _per_channel(mean, input_ndim)) * scale
        d_input = weighted * scale
    return d_input, np.sum(ct * normal, axis=axes), np.sum(ct, axis=axes)


def _grouped(input: Array, groups: int) -> Array:
    n, *size = input.shape
    return np.reshape(input, (n, groups, math.prod(size) // groups))


@runtime
def group_norm(input: Array, weight: Array, bias: Array, groups: int, eps: float) -> Array:
    """``input`` standardised over groups of channels, then scaled per channel."""
    normal, _ = _standardised(_grouped(input, groups), (2,), eps)
    out = normal.reshape(input.shape)
    if weight is not None:
        out = out * _per_channel(weight, input.ndim)
    if bias is not None:
        out = out + _per_channel(bias, input.ndim)
    return out


@vjp(group_norm, "input", "weight", "bias")
def group_norm_all(ct: Array, input: Array, weight: Array, input_shape: Ints, input_ndim: int,
                   groups: int, eps: float) -> tuple[Any, Any, Any]:
    normal, scale = _standardised(_grouped(input, groups), (2,), eps)
    weighted = ct if weight is None else ct * _per_channel(weight, input_ndim)
    d_input = np.reshape(_through(_grouped(weighted, groups), normal, scale, (2,)), input_shape)
    axes = _channel_axes(input_ndim)
    d_weight = np.sum(ct * np.reshape(normal, input_shape), axis=axes)
    return d_input, d_weight, np.sum(ct, axis=axes)


@runtime
def embedding(weight: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool) -> Array:
    """Rows of ``weight``; row ``padding_idx`` (-1: none) gets no gradient."""
    return np.take(weight, indices, axis=0)


linear(embedding, indices=None,
    weight=lambda ct, indices, weight_shape, padding_idx, scale_grad_by_freq:
        add_rows(ct, indices, weight_shape[0], padding_idx, scale_grad_by_freq))


@runtime
def add_rows(g: Array, indices: Array, count: int, padding_idx: int,
             scale_grad_by_freq: bool) -> Array:
    """The transpose of :func:`embedding`: the rows of ``g`` added up by index."""
    flat = np.ravel(indices)
    width = tuple(g.shape[np.ndim(indices):])
    rows = np.reshape(g, (flat.size, *width))
    if padding_idx >= 0:
        keep = flat != padding_idx
        flat, rows = flat[keep], rows[keep]
    if scale_grad_by_freq:
        times = np.bincount(flat, minlength=count)[flat]
        rows = rows / times.reshape(-1, *(1,) * len(width)).astype(g.dtype)
    out = np.zeros((count, *width), g.dtype)
    if flat.size:
        order = np.argsort(flat, kind="stable")
        places = flat[order]
        starts = np.flatnonzero(np.r_[True, places[1:] != places[:-1]])
        out[places[starts]] = np.add.reduceat(rows[order], starts, axis=0)
    return out


@linear(add_rows, "g", indices=None)
def add_rows_g(ct: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool) -> Array:
    rows = np.take(ct, indices, axis=0)
    spare = (1,) * (np.ndim(ct) - 1)
    if scale_grad_by_freq:
        rows = rows / np.reshape(frequency(indices), (*np.shape(indices), *spare))
    if padding_idx >= 0:
        rows = np.where(np.reshape(indices != padding_idx, (*np.shape(indices), *spare)), rows, 0)
    return rows


@runtime
def frequency(indices: Array) -> Array:
    """How often each index occurs, shaped like ``indices``."""
    _, inverse, counts = np.unique(indices, return_inverse=True, return_counts=True)
    return counts[np.reshape(inverse, np.shape(indices))]


nondiff(frequency)


@runtime
def attention(query: Array, key: Array, value: Array, mask: Array, causal: bool,
              scale: float) -> Array:
    """``softmax(scale * query @ key.T + mask) @ value`` over the last two axes."""
    return np.matmul(attention_weights(query, key, mask, causal, scale), value)


def attention_weights(query: Array, key: Array, mask: Array, causal: bool, scale: float) -> Array:
    """The rows of weights, each of sum 1 (rows that are masked out altogether are 0)."""
    scores = np.matmul(query * math.sqrt(scale), np.swapaxes(key, -1, -2) * math.sqrt(scale))
    if causal:
        seen = np.tri(np.shape(query)[-2], np.shape(key)[-2], dtype=bool)
        scores = np.where(seen, scores, -math.inf)
    if mask is not None:
        scores = scores + mask
    hidden = np.max(scores, axis=-1, keepdims=True) == -math.inf
    return np.where(hidden, 0, softmax(np.where(hidden, 0, scores), -1))


@vjp(attention, "query", "key", "value", mask=None, broadcasts=False)
def attention_all(ct: Array, query: Array, key: Array, value: Array, mask: Array, causal: bool,
                  scale: float) -> tuple[Any, Any, Any]:
    weights = attention_weights(query, key, mask, causal, scale)
    d_value = np.matmul(np.swapaxes(weights, -1, -2), ct)
    d_weights = np.matmul(ct, np.swapaxes(value, -1, -2)) * weights
    d_scores = d_weights - weights * np.sum(d_weights, axis=-1, keepdims=True)
    d_query = np.matmul(d_scores, key) * scale
    d_key = np.matmul(np.swapaxes(d_scores, -1, -2), query) * scale
    return d_query, d_key, d_value
