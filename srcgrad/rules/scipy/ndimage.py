"""Linear filters of ``scipy.ndimage``.

A correlation adds neighbours, times weights, of an array that is continued over its edges.  Its
transpose is a full convolution with the weights, of which what lies over an edge is folded back
to where the continuation took it from.  The named filters are sums of chains of correlations
along one axis; the transpose runs each chain backwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.ndimage as nd

from srcgrad.rules.book import Array, NoRule, Shape, linear, vjp
from srcgrad.rules.broadcast import dispatching, runtime

Pass = tuple[int, Any, str, int]  # an axis, weights, how edges are continued, an origin
CONTINUED = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect",
             "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap"}


def continuation(size: int, before: int, after: int, mode: str) -> Array:
    """For each place of a continued axis, the place that it is a copy of; -1 for the constant.

    >>> continuation(3, 1, 2, "reflect")
    array([0, 0, 1, 2, 2, 1])
    """
    places = np.arange(size)
    if mode in ("constant", "grid-constant"):
        return np.pad(places, (before, after), constant_values=-1)
    return np.pad(places, (before, after), mode=CONTINUED[mode])  # type: ignore[call-overload]


def each(setting: Any, count: int) -> list[Any]:
    """A setting for each of several axes."""
    if isinstance(setting, str) or not np.iterable(setting):
        return [setting] * count
    return list(setting)


def folded(array: Array, axis: int, places: Array, before: int, size: int) -> Array:
    """The transpose of a continuation by so many places before an axis of a size."""
    moved = np.moveaxis(array, axis, 0)
    out = moved[before:before + size].copy()
    for k in [*range(before), *range(before + size, len(places))]:
        if places[k] >= 0:
            out[places[k]] += moved[k]
    return np.moveaxis(out, 0, axis)


def continued(array: Array, axis: int, places: Array, cval: Any = 0.0) -> Array:
    """An array with copies of its elements, or a constant, over the edges of an axis."""
    missing = np.reshape(places < 0, [-1 if i == axis else 1 for i in range(array.ndim)])
    return np.where(missing, cval, np.take(array, places, axis))


def reach(size: int, origin: int) -> tuple[int, int]:
    """How many neighbours before and after a place weights of a size reach."""
    return size // 2 + origin, size - 1 - size // 2 - origin


# ---- correlation with weights of as many dimensions ----------------------------------------------
@runtime
def correlated(x: Array, weights: Array, mode: Any, origin: Any, turned: bool,
               cval: Any = 0.0) -> Array:
    """``scipy.ndimage.correlate``, or ``convolve`` if the weights are ``turned`` round.

    >>> correlated(np.array([1.0, 2.0, 4.0]), np.array([0.0, 0.0, 1.0]), "nearest", 0, False)
    array([2., 4., 4.])
    """
    function = nd.convolve if turned else nd.correlate
    return np.asarray(function(x, weights, mode=mode, cval=cval, origin=origin))


def _origins(shape: Shape, origin: Any, turned: bool) -> list[int]:
    """The origins of a correlation; those of a convolution are turned round too."""
    found = each(origin, len(shape))
    return [-o - (size % 2 == 0) for o, size in zip(found, shape)] if turned else found


@runtime
def correlated_back(d: Array, weights: Array, mode: Any, origin: Any, turned: bool) -> Array:
    """The transpose of :func:`correlated` for ``x``."""
    out = _full_convolution(d, np.flip(weights) if turned else weights)
    origins = _origins(weights.shape, origin, turned)
    for axis, (m, o) in enumerate(zip(each(mode, d.ndim), origins)):
        if weights.shape[axis] > 1:
            size, (before, after) = d.shape[axis], reach(weights.shape[axis], o)
            out = folded(out, axis, continuation(size, before, after, m), before, size)
    return out


def _full_convolution(d: Array, weights: Array) -> Array:
    """All places that a convolution with zeros around ``d`` meets."""
    wide = np.pad(d, [(n - 1 - n // 2, n // 2) for n in weights.shape])
    long = [axis for axis, n in enumerate(weights.shape) if n > 1]
    if len(long) == 1:
        return np.asarray(nd.convolve1d(wide, np.ravel(weights), long[0], mode="constant",
                                        origin=weights.size % 2 - 1))
    return np.asarray(nd.correlate(wide, np.flip(weights), mode="constant"))


@runtime
def weights_of_correlated(d: Array, x: Array, shape: Shape, mode: Any, origin: Any,
                          turned: bool, cval: Any = 0.0) -> Array:
    """The transpose of :func:`correlated` for weights of ``shape``."""
    for axis, (m, o) in enumerate(zip(each(mode, x.ndim), _origins(shape, origin, turned))):
        places = continuation(x.shape[axis], *reach(shape[axis], o), m)
        x = continued(x, axis, places, cval)
    windows = np.lib.stride_tricks.sliding_window_view(x, d.shape)
    out = np.tensordot(windows, d, d.ndim)
    return np.flip(out) if turned else out


vjp(correlated,
    x=lambda ct, weights, mode, origin, turned: correlated_back(ct, weights, mode, origin, turned),
    weights=lambda ct, x, weights_shape, mode, origin, turned, cval:
        weights_of_correlated(ct, x, weights_shape, mode, origin, turned, cval))

vjp(correlated_back,
    d=lambda ct, weights, mode, origin, turned: correlated(ct, weights, mode, origin, turned),
    weights=lambda ct, d, weights_shape, mode, origin, turned:
        weights_of_correlated(d, ct, weights_shape, mode, origin, turned))

vjp(weights_of_correlated,
    d=lambda ct, x, mode, origin, turned, cval: correlated(x, ct, mode, origin, turned, cval),
    x=lambda ct, d, mode, origin, turned: correlated_back(d, ct, mode, origin, turned))


def all_axes(name: str, axes: Any) -> None:
    """Require that ``axes=`` is not given."""
    if axes is not None:
        raise NoRule(f"scipy.ndimage.{name} has a derivative rule for all axes only, without axes=")


def _along(axis: int, ndim: int, one: Any, others: Any) -> tuple[Any, ...]:
    return tuple(one if i == axis % ndim else others for i in range(ndim))


def _correlation(name: str, turned: bool) -> None:
    """The rules of a correlation, or of a convolution, and of that along one axis."""
    whole, along = getattr(nd, name), getattr(nd, f"{name}1d")

    @vjp(whole, "input")
    def whole_input(ct: Array, weights: Array, mode: Any, origin: Any, axes: Any) -> Array:
        all_axes(name, axes)
        return correlated_back(ct, weights, mode, origin, turned)

    @vjp(whole, "weights")
    def whole_weights(ct: Array, input: Array, weights_shape: Shape, mode: Any, cval: Any,
                      origin: Any, axes: Any) -> Array:
        all_axes(name, axes)
        return weights_of_correlated(ct, input, weights_shape, mode, origin, turned, cval)

    @vjp(along, "input")
    def along_input(ct: Array, weights: Array, axis: int, input_ndim: int, mode: str,
                    origin: int) -> Array:
        weights = np.reshape(weights, _along(axis, input_ndim, -1, 1))
        return correlated_back(ct, weights, mode, _along(axis, input_ndim, origin, 0), turned)

    @vjp(along, "weights")
    def along_weights(ct: Array, input: Array, weights_shape: Shape, axis: int, input_ndim: int,
                      mode: str, cval: Any, origin: int) -> Array:
        shape = _along(axis, input_ndim, weights_shape[0], 1)
        origins = _along(axis, input_ndim, origin, 0)
        return np.ravel(weights_of_correlated(ct, input, shape, mode, origins, turned, cval))


_correlation("correlate", False)
_correlation("convolve", True)


# ---- filters that are sums of chains of passes along one axis each -------------------------------
def _gaussian(ndim: int, sigma: Any, order: Any, mode: Any, truncate: Any, radius: Any,
              axes: Any) -> Iterator[list[Pass]]:
    axes = range(ndim) if axes is None else [a % ndim for a in each(axes, 1)]
    count = len(axes)
    chain: list[Pass] = []
    settings = zip(axes, each(sigma, count), each(order, count), each(mode, count),
                   each(radius, count))
    for axis, s, o, m, r in settings:
        if s > 1e-15:
            size = int(truncate * float(s) + 0.5) if r is None else r
            pulse = np.zeros(2 * size + 1)
            pulse[size] = 1.0
            answer = nd.gaussian_filter1d(pulse, s, order=o, mode="constant", truncate=truncate,
                                          radius=r)
            chain.append((axis, answer[::-1], m, 0))
    yield chain


def _gaussian_along(ndim: int, sigma: Any, axis: int, order: Any, mode: Any, truncate: Any,
                    radius: Any) -> Iterator[list[Pass]]:
    return _gaussian(ndim, sigma, order, mode, truncate, radius, (axis,))


def _uniform(ndim: int, size: Any, mode: Any, origin: Any, axes: Any) -> Iterator[list[Pass]]:
    axes = range(ndim) if axes is None else [a % ndim for a in each(axes, 1)]
    count = len(axes)
    settings = zip(axes, each(size, count), each(mode, count), each(origin, count))
    yield [(axis, np.full(n, 1 / n), m, o) for axis, n, m, o in settings if n > 1]


def _steep(ndim: int, axis: int, mode: Any, across: Any) -> Iterator[list[Pass]]:
    """A difference along an axis, and weights ``across`` along the others."""
    modes = each(mode, ndim)
    weights = [[-1.0, 0.0, 1.0] if i == axis % ndim else across for i in range(ndim)]
    yield [(i, w, modes[i], 0) for i, w in enumerate(weights)]


def _laplace(ndim: int, mode: Any) -> Iterator[list[Pass]]:
    for axis, m in enumerate(each(mode, ndim)):
        yield [(axis, [1.0, -2.0, 1.0], m, 0)]


def _laplace_of_gaussian(ndim: int, sigma: Any, mode: Any) -> Iterator[list[Pass]]:
    for axis in range(ndim):
        yield from _gaussian(ndim, sigma, _along(axis, ndim, 2, 0), mode, 4.0, None, None)


CHAINS = {"gaussian_filter": _gaussian, "gaussian_filter1d": _gaussian_along,
          "uniform_filter": _uniform, "sobel": _steep, "laplace": _laplace,
          "gaussian_laplace": _laplace_of_gaussian}


@runtime
def filtered(x: Array, name: str, settings: Any) -> Array:
    """One of the named filters, with zeros for the constant."""
    out = np.zeros_like(x)
    for chain in CHAINS[name](x.ndim, *settings):  # type: ignore[operator]
        part = x
        for axis, weights, mode, origin in chain:
            part = nd.correlate1d(part, weights, axis, mode=mode, cval=0.0, origin=origin)
        out = out + part
    return out


@runtime
def filtered_back(d: Array, name: str, settings: Any) -> Array:
    """The transpose of :func:`filtered`.

    >>> filtered_back(np.array([0.0, 0.0, 3.0]), "uniform_filter", (3, "nearest", 0, None))
    array([0., 1., 2.])
    """
    out = np.zeros_like(d)
    for chain in CHAINS[name](d.ndim, *settings):  # type: ignore[operator]
        part = d
        for axis, weights, mode, origin in reversed(chain):
            weights = np.reshape(np.asarray(weights, float), _along(axis, d.ndim, -1, 1))
            part = correlated_back(part, weights, _along(axis, d.ndim, mode, "reflect"),
                                   _along(axis, d.ndim, origin, 0), False)
        out = out + part
    return out


linear(filtered, x=lambda ct, name, settings: filtered_back(ct, name, settings))
linear(filtered_back, d=lambda ct, name, settings: filtered(ct, name, settings))

vjp(nd.gaussian_filter,
    input=lambda ct, sigma, order, mode, truncate, radius, axes:
        filtered_back(ct, "gaussian_filter", (sigma, order, mode, truncate, radius, axes)))
vjp(nd.gaussian_filter1d,
    input=lambda ct, sigma, axis, order, mode, truncate, radius:
        filtered_back(ct, "gaussian_filter1d", (sigma, axis, order, mode, truncate, radius)))


@vjp(nd.gaussian_laplace, "input")
def gaussian_laplace_input(ct: Array, sigma: Any, mode: Any, axes: Any) -> Array:
    all_axes("gaussian_laplace", axes)
    return filtered_back(ct, "gaussian_laplace", (sigma, mode))


vjp(nd.uniform_filter,
    input=lambda ct, size, mode, origin, axes:
        filtered_back(ct, "uniform_filter", (size, mode, origin, axes)))
vjp(nd.uniform_filter1d,
    input=lambda ct, size, axis, mode, origin:
        filtered_back(ct, "uniform_filter", (size, mode, origin, (axis,))))

vjp(nd.sobel,
    input=lambda ct, axis, mode: filtered_back(ct, "sobel", (axis, mode, (1.0, 2.0, 1.0))))
vjp(nd.prewitt,
    input=lambda ct, axis, mode: filtered_back(ct, "sobel", (axis, mode, (1.0, 1.0, 1.0))))
vjp(nd.laplace, input=lambda ct, mode: filtered_back(ct, "laplace", (mode,)))

# ---- products with a factor for each frequency ---------------------------------------------------
_fourier_gaussian = dispatching(nd.fourier_gaussian)
_fourier_uniform = dispatching(nd.fourier_uniform)
_fourier_shift = dispatching(nd.fourier_shift)

linear(nd.fourier_gaussian, input=lambda ct, sigma, n, axis: _fourier_gaussian(ct, sigma, n, axis))
linear(nd.fourier_uniform, input=lambda ct, size, n, axis: _fourier_uniform(ct, size, n, axis))
linear(nd.fourier_shift, input=lambda ct, shift, n, axis: _fourier_shift(ct, shift, n, axis))
