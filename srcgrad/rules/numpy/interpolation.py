"""Interpolation and convolution."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, Shape, linear, vjp
from srcgrad.rules.broadcast import as_array, runtime, scatter_add, size_of
from srcgrad.rules.numpy.products import conj_complex


def _unrepeated(xp: Array, period: Any) -> Array:
    """Nodes that do not come again with a period, to be subtracted from one another: truth values
    are numbers to NumPy too."""
    if period is not None:
        raise NoRule("np.interp has no derivative rule with period=; wrap x and pad xp, fp")
    return _nodes(xp)


def _bracket(x: Array, xp: Array) -> tuple[Array, Array, Array]:
    """Right neighbour of each ``x`` in ``xp``, the width of its interval, its place in it.  A
    single node is its own neighbour, at a width that does not matter."""
    count = np.shape(xp)[0]
    right = np.clip(np.searchsorted(xp, x, side="right"), 1, count - 1)
    width = xp[right] - xp[right - 1]
    if isinstance(count, int) and count == 1:
        width = width + 1
    return right, width, (np.clip(x, xp[0], xp[-1]) - xp[right - 1]) / width


def _nodes(x: Array) -> Array:
    """Numbers to subtract from one another, which truth values are to NumPy too."""
    x = as_array(x)
    return x * 1.0 if x.dtype.kind == "b" else x


def _rise(fp: Array, right: Array) -> Array:
    """What ``fp`` gains up to its elements ``right``."""
    return fp[right] - fp[right - 1]


def _strictly_outside(ct: Array, x: Array, xp: Array, left: Any, right: Any) -> Array:
    """No cotangent for ``fp`` where a given ``left`` or ``right`` was returned."""
    if left is not None:
        ct = np.where(x < xp[0], 0, ct)
    return ct if right is None else np.where(x > xp[-1], 0, ct)


@vjp(np.interp, "x")
def interp_x(ct: Array, x: Array, xp: Array, fp: Array, period: Any) -> Array:
    x, xp, fp = as_array(x), _unrepeated(xp, period), _nodes(fp)
    right, width, _ = _bracket(x, xp)
    slope = _rise(fp, right) / width
    return np.where((x < xp[0]) | (x > xp[-1]), 0, ct * slope)


@vjp(np.interp, "xp")
def interp_xp(ct: Array, x: Array, xp: Array, fp: Array, period: Any) -> Array:
    x, xp, fp = as_array(x), _unrepeated(xp, period), _nodes(fp)
    right, width, place = _bracket(x, xp)
    slope = _rise(fp, right) / width
    d = np.where((x < xp[0]) | (x > xp[-1]), 0, -ct * slope)
    shape = np.shape(xp)
    return scatter_add(d * (1 - place), right - 1, shape) + scatter_add(d * place, right, shape)


@vjp(np.interp, "fp")
def interp_fp(ct: Array, x: Array, xp: Array, fp_shape: Shape, left: Any, right: Any,
              period: Any) -> Array:
    x, xp = as_array(x), _unrepeated(xp, period)
    ct = _strictly_outside(ct, x, xp, left, right)
    above, _, place = _bracket(x, xp)
    below = scatter_add(ct * (1 - place), above - 1, fp_shape)
    return below + scatter_add(ct * place, above, fp_shape)


vjp(np.interp,
    left=lambda ct, x, xp, period:
        np.sum(np.where(as_array(x) < _unrepeated(xp, period)[0], ct, 0)),
    right=lambda ct, x, xp, period:
        np.sum(np.where(as_array(x) > _unrepeated(xp, period)[-1], ct, 0)))


def _first_overlap(n: int, m: int, mode: str, turned: bool) -> int:
    """Where ``mode`` begins in the full convolution of ``n`` and ``m`` elements."""
    if mode == "full":
        return 0
    short = min(n, m)
    if mode == "valid":
        return short - 1
    return short // 2 if turned and m > n else (short - 1) // 2


@runtime
def pad_to_full(part: Array, n: int, m: int, mode: str, turned: bool = False) -> Array:
    """A convolution of ``n`` and ``m`` elements in ``mode``, in its place in the full one, with
    zeros around.  ``turned``: correlations swap their operands when the second is longer."""
    full = np.zeros(n + m - 1, part.dtype)
    start = _first_overlap(n, m, mode, turned)
    full[start : start + part.shape[0]] = part
    return full


@runtime
def cut_from_full(full: Array, n: int, m: int, mode: str, turned: bool = False) -> Array:
    """The part of a full convolution that ``mode`` keeps: the transpose of `pad_to_full`."""
    start = _first_overlap(n, m, mode, turned)
    size = {"full": n + m - 1, "same": max(n, m), "valid": max(n, m) - min(n, m) + 1}[mode]
    return full[start : start + size]


linear(pad_to_full, part=lambda ct, n, m, mode, turned: cut_from_full(ct, n, m, mode, turned))
linear(cut_from_full, full=lambda ct, n, m, mode, turned: pad_to_full(ct, n, m, mode, turned))


@vjp(np.convolve, "a")
def convolve_a(ct: Array, v: Array, a_shape: Shape, v_dtype: Dtype, mode: str) -> Array:
    full = pad_to_full(ct, size_of(a_shape), size_of(np.shape(v)), mode)
    return np.reshape(np.correlate(full, conj_complex(v, v_dtype), "valid"), a_shape)


@vjp(np.convolve, "v")
def convolve_v(ct: Array, a: Array, v_shape: Shape, a_dtype: Dtype, mode: str) -> Array:
    full = pad_to_full(ct, size_of(np.shape(a)), size_of(v_shape), mode)
    return np.reshape(np.correlate(full, conj_complex(a, a_dtype), "valid"), v_shape)


@vjp(np.correlate, "a")
def correlate_a(ct: Array, v: Array, a_shape: Shape, mode: str) -> Array:
    full = pad_to_full(ct, a_shape[0], np.shape(v)[0], mode, True)
    return np.correlate(full, np.flip(v), "valid")


@vjp(np.correlate, "v")
def correlate_v(ct: Array, a: Array, v_shape: Shape, a_dtype: Dtype, v_dtype: Dtype,
                mode: str) -> Array:
    full = pad_to_full(ct, np.shape(a)[0], v_shape[0], mode, True)
    reversed_v = np.correlate(full, conj_complex(a, a_dtype), "valid")
    return conj_complex(np.flip(reversed_v), v_dtype)
