"""Losses between predictions and targets as NumPy functions, with rules.

``reduction`` is ``"none"``, ``"mean"`` or ``"sum"``; the formulas and the values at kinks are
PyTorch's.  Arrays that are compared have one shape: broadcasting is the caller's business.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Shape, linear, vjp
from srcgrad.rules.broadcast import runtime
from srcgrad.rules.nn.activations import log_sigmoid, sigmoid


def reduced(loss: Array, reduction: str) -> Array:
    """All elements, their mean, or their sum."""
    if reduction == "mean":
        return np.mean(loss) if loss.size else np.sum(loss) * np.nan
    return np.sum(loss) if reduction == "sum" else loss


def shared(ct: Array, shape: Shape, reduction: str) -> Array:
    """The cotangent of each element before :func:`reduced`."""
    return ct / math.prod(shape) if reduction == "mean" else ct


@runtime
def mse_loss(input: Array, target: Array, reduction: str) -> Array:
    """``(input - target)**2``."""
    d = input - target
    d *= d
    return reduced(d, reduction)


vjp(mse_loss, broadcasts=True,
    input=lambda ct, input, target, input_shape, reduction:
        (2 * shared(ct, input_shape, reduction)) * (input - target),
    target=lambda ct, input, target, input_shape, reduction:
        (2 * shared(ct, input_shape, reduction)) * (target - input))


@runtime
def smooth_l1_loss(input: Array, target: Array, reduction: str, beta: float) -> Array:
    """``d*d / (2*beta)`` for ``d = abs(input - target) < beta``, else ``d - beta/2``."""
    d = np.abs(input - target)
    return reduced(np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), reduction)


def _smooth_l1_slope(d: Array, beta: float) -> Array:
    return np.where(np.abs(d) < beta, d / beta, np.sign(d))


vjp(smooth_l1_loss,
    input=lambda ct, input, target, input_shape, reduction, beta:
        shared(ct, input_shape, reduction) * _smooth_l1_slope(input - target, beta),
    target=lambda ct, input, target, input_shape, reduction, beta:
        shared(ct, input_shape, reduction) * _smooth_l1_slope(target - input, beta))


@runtime
def huber_loss(input: Array, target: Array, reduction: str, delta: float) -> Array:
    """``d*d / 2`` for ``d = abs(input - target) <= delta``, else ``delta * (d - delta/2)``."""
    d = np.abs(input - target)
    return reduced(np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)


def _huber_slope(d: Array, delta: float) -> Array:
    return np.where(np.abs(d) <= delta, d, delta * np.sign(d))


vjp(huber_loss,
    input=lambda ct, input, target, input_shape, reduction, delta:
        shared(ct, input_shape, reduction) * _huber_slope(input - target, delta),
    target=lambda ct, input, target, input_shape, reduction, delta:
        shared(ct, input_shape, reduction) * _huber_slope(target - input, delta))


def _weighted(values: Array, weight: Any) -> Array:
    return values if weight is None else values * weight


@runtime
def binary_cross_entropy(input: Array, target: Array, weight: Array, reduction: str) -> Array:
    """``-(target * log(input) + (1 - target) * log(1 - input))``, logarithms at least -100."""
    log_in = np.maximum(np.log(input), -100)
    log_out = np.maximum(np.log1p(-input), -100)
    return reduced(_weighted((target - 1) * log_out - target * log_in, weight), reduction)


@vjp(binary_cross_entropy, "input")
def binary_cross_entropy_input(ct: Array, input: Array, target: Array, weight: Array,
                               input_shape: Shape, reduction: str) -> Array:
    scale = _weighted(shared(ct, input_shape, reduction), weight)
    return scale * (input - target) / np.maximum((1 - input) * input, 1e-12)


@vjp(binary_cross_entropy, "target", weight=None)
def binary_cross_entropy_target(ct: Array, input: Array, weight: Array, input_shape: Shape,
                                reduction: str) -> Array:
    scale = _weighted(shared(ct, input_shape, reduction), weight)
    return scale * (np.maximum(np.log1p(-input), -100) - np.maximum(np.log(input), -100))


@runtime
def binary_cross_entropy_with_logits(input: Array, target: Array, weight: Array, pos_weight: Array,
                                     reduction: str) -> Array:
    """:func:`binary_cross_entropy` of ``sigmoid(input)`` without overflow, the positive term
    times ``pos_weight``."""
    if pos_weight is None:
        # max(x, 0) - x*t + log(1 + exp(-|x|))
        loss = np.log1p(np.exp(-np.abs(input)))
        loss = loss + (np.maximum(input, 0) - input * target)
    else:
        loss = (1 - target) * input - (1 + (pos_weight - 1) * target) * log_sigmoid(input)
    return reduced(_weighted(loss, weight), reduction)


@vjp(binary_cross_entropy_with_logits, "input")
def binary_cross_entropy_with_logits_input(ct: Array, input: Array, target: Array, weight: Array,
                                           pos_weight: Array, input_shape: Shape,
                                           reduction: str) -> Array:
    scale = _weighted(shared(ct, input_shape, reduction), weight)
    if pos_weight is None:
        return scale * (sigmoid(input) - target)
    positive = pos_weight * target
    return scale * ((positive + 1 - target) * sigmoid(input) - positive)


@vjp(binary_cross_entropy_with_logits, "target", weight=None, pos_weight=None)
def binary_cross_entropy_with_logits_target(
    ct: Array, input: Array, weight: Array, pos_weight: Array, input_shape: Shape, reduction: str
) -> Array:
    scale = _weighted(shared(ct, input_shape, reduction), weight)
    if pos_weight is None:
        return scale * -input
    return scale * (-input - (pos_weight - 1) * log_sigmoid(input))


def _class_weights(target: Array, weight: Any, ignore_index: int, dtype: Any) -> Array:
    """The weight of each target: 0 where ignored."""
    kept = target != ignore_index
    if weight is None:
        return kept.astype(dtype)
    return np.where(kept, weight[np.where(kept, target, 0)], 0)


def _chosen(input: Array, target: Array, ignore_index: int) -> Array:
    """``input`` at the target class, along axis 1 (axis 0 of a vector)."""
    axis = 1 if np.ndim(input) > 1 else 0
    places = np.expand_dims(np.where(target == ignore_index, 0, target), axis)
    return np.squeeze(np.take_along_axis(input, places, axis), axis)


@runtime
def nll_loss(input: Array, target: Array, weight: Array, reduction: str,
             ignore_index: int) -> Array:
    """Minus ``input`` at the target class, axis 1 being the classes (axis 0 of a vector).

    ``"mean"`` divides by the sum of the targets' weights.

    >>> float(nll_loss(np.log([[0.5, 0.5]]), np.array([1]), None, "mean", -100))
    0.6931471805599453
    """
    weights = _class_weights(target, weight, ignore_index, input.dtype)
    loss = np.where(weights == 0, 0, -_chosen(input, target, ignore_index) * weights)
    if reduction == "none":
        return loss
    return np.sum(loss) / np.sum(weights) if reduction == "mean" else np.sum(loss)


@linear(nll_loss, "input", target=None, weight=None)
def nll_loss_input(ct: Array, target: Array, weight: Array, input_shape: Shape, input_dtype: Any,
                   reduction: str, ignore_index: int) -> Array:
    weights = _class_weights(target, weight, ignore_index, input_dtype)
    if reduction == "mean":
        weights = np.where(weights == 0, 0, weights / np.sum(weights))
    places = np.where(target == ignore_index, 0, target)
    return scatter_classes(-(ct * weights), places, input_shape)


@runtime
def nll_loss2d(input: Array, target: Array, weight: Array, reduction: str,
               ignore_index: int) -> Array:
    """:func:`nll_loss` of images: classes on axis 1, positions on the axes after it."""
    return nll_loss(input, target, weight, reduction, ignore_index)


linear(nll_loss2d, target=None, weight=None, input=nll_loss_input)


@runtime
def scatter_classes(values: Array, target: Array, shape: Shape) -> Array:
    """Zeros of ``shape`` with ``values`` at the target classes on axis 1 (axis 0 of a vector)."""
    out = np.zeros(shape, np.asarray(values).dtype)
    axis = 1 if len(shape) > 1 else 0
    places = np.expand_dims(target, axis)
    spread = np.expand_dims(np.broadcast_to(values, target.shape), axis)
    np.put_along_axis(out, places, spread, axis)
    return out


@linear(scatter_classes, "values", target=None)
def scatter_classes_values(ct: Array, target: Array, shape: Shape) -> Array:
    axis = 1 if len(shape) > 1 else 0
    return np.squeeze(np.take_along_axis(ct, np.expand_dims(target, axis), axis), axis)


@runtime
def soft_margin_loss(input: Array, target: Array, reduction: str) -> Array:
    """``log(1 + exp(-target * input))``."""
    return reduced(np.log1p(np.exp(-target * input)), reduction)


vjp(soft_margin_loss, target=None,
    input=lambda ct, input, target, input_shape, reduction:
        shared(ct, input_shape, reduction) * (-target * sigmoid(-target * input)))


@runtime
def multi_margin_loss(input: Array, target: Array, p: int, margin: float, weight: Array,
                      reduction: str) -> Array:
    """``sum(max(0, margin - input[target] + input)**p) / classes`` over the other classes."""
    slack, scale = _margins(input, target, margin, weight)
    return reduced(np.sum(slack**p * scale, axis=-1), reduction)


def _margins(input: Array, target: Array, margin: float, weight: Any) -> tuple[Array, Array]:
    """How far each other class is inside the margin, and the factor of its term."""
    classes = np.shape(input)[-1]
    places = np.expand_dims(target, -1)
    chosen = np.take_along_axis(input, places, -1)
    others = np.arange(classes) != places
    scale = np.where(others, 1 / classes, 0)
    if weight is not None:
        scale = scale * np.expand_dims(weight[target], -1)
    return np.maximum(margin - chosen + input, 0), scale.astype(input.dtype)


@vjp(multi_margin_loss, "input", target=None, weight=None)
def multi_margin_loss_input(ct: Array, input: Array, target: Array, p: int, margin: float,
                            weight: Array, reduction: str) -> Array:
    slack, scale = _margins(input, target, margin, weight)
    per_row = np.expand_dims(shared(ct, np.shape(target), reduction), -1)
    d = per_row * scale * (np.where(slack > 0, 1, 0) if p == 1 else 2 * slack)
    back = -np.sum(d, axis=-1, keepdims=True)
    return d + np.where(np.arange(np.shape(input)[-1]) == np.expand_dims(target, -1), back, 0)


@runtime
def multilabel_margin_loss(input: Array, target: Array, reduction: str) -> Array:
    """Hinge between each target class and each other class; targets end at the first -1."""
    slack, used = _label_margins(input, target)
    scale = 1 / np.shape(input)[-1]
    return reduced(np.sum(slack * used, axis=(-2, -1)) * scale, reduction)


def _label_sets(target: Array) -> tuple[Array, Array]:
    """Which entries of ``target`` count, and which classes are among them."""
    counts = np.cumsum(target < 0, axis=-1) == 0
    classes = np.arange(np.shape(target)[-1])
    match = (np.expand_dims(target, -1) == classes) & np.expand_dims(counts, -1)
    return counts, np.any(match, axis=-2)


def _label_margins(input: Array, target: Array) -> tuple[Array, Array]:
    counts, member = _label_sets(target)
    chosen = np.take_along_axis(input, np.where(counts, target, 0), -1)
    slack = np.maximum(1 - np.expand_dims(chosen, -1) + np.expand_dims(input, -2), 0)
    used = np.expand_dims(counts, -1) & ~np.expand_dims(member, -2)
    return slack, used.astype(input.dtype)


@vjp(multilabel_margin_loss, "input", target=None)
def multilabel_margin_loss_input(ct: Array, input: Array, target: Array, reduction: str) -> Array:
    slack, used = _label_margins(input, target)
    per_row = shared(ct, np.shape(target)[:-1], reduction) / np.shape(input)[-1]
    active = np.where(slack > 0, used, 0) * np.expand_dims(per_row, (-2, -1))
    counts, _ = _label_sets(target)
    places = np.expand_dims(np.where(counts, target, 0), -1) == np.arange(np.shape(input)[-1])
    toward = np.sum(np.where(places, np.sum(active, axis=-1, keepdims=True), 0), axis=-2)
    return np.sum(active, axis=-2) - toward
