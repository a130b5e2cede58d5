"""Statistics of labelled regions (``scipy.ndimage.sum_labels``), and what makes regions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd

from srcgrad.rules.book import Array, Shape, linear, nondiff, vjp
from srcgrad.rules.broadcast import dispatching, runtime

_sums = dispatching(nd.sum_labels)
_means = dispatching(nd.mean)


@runtime
def spread_to_labels(d: Array, labels: Any, index: Any, shape: Shape) -> Array:
    """An array of ``shape`` with the numbers of ``d`` where the labels are those of ``index``:
    the transpose of ``sum_labels``.

    >>> spread_to_labels(np.array([5.0, 7.0]), np.array([1, 2, 1]), [1, 2], (3,))
    array([5., 7., 5.])
    """
    out = np.zeros(shape, np.asarray(d).dtype)
    if labels is None:
        return out + d
    labels = np.broadcast_to(labels, shape)
    if index is None:
        return np.where(labels > 0, d, out)
    for number, value in zip(np.ravel(index), np.ravel(d)):
        out = out + np.where(labels == number, value, 0)
    return out


@runtime
def sizes_of_labels(labels: Any, index: Any, sizes: Shape) -> Any:
    """How many elements each region has."""
    return nd.sum_labels(np.ones(sizes), labels, index)


nondiff(sizes_of_labels)

linear(spread_to_labels, d=lambda ct, labels, index: _sums(ct, labels, index))


for _function in (nd.sum, nd.sum_labels):
    linear(_function,
        input=lambda ct, labels, index, input_shape:
            spread_to_labels(ct, labels, index, input_shape))


@linear(nd.mean, "input")
def mean_input(ct: Array, labels: Any, index: Any, input_shape: Shape) -> Array:
    return spread_to_labels(ct / sizes_of_labels(labels, index, input_shape), labels, index,
                            input_shape)


@vjp(nd.variance, "input")
def variance_input(ct: Array, input: Array, labels: Any, index: Any, input_shape: Shape) -> Array:
    scaled = 2 * ct / sizes_of_labels(labels, index, input_shape)
    means = spread_to_labels(_means(input, labels, index), labels, index, input_shape)
    return spread_to_labels(scaled, labels, index, input_shape) * (input - means)


nondiff(
    nd.label, nd.find_objects, nd.binary_dilation, nd.binary_erosion, nd.binary_opening,
    nd.binary_closing, nd.binary_fill_holes, nd.binary_hit_or_miss, nd.binary_propagation,
    nd.distance_transform_edt, nd.distance_transform_cdt, nd.distance_transform_bf,
    nd.watershed_ift, nd.value_indices, nd.generate_binary_structure,
    nd.iterate_structure, nd.maximum_position, nd.minimum_position,
)
