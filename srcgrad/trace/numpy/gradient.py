"""``np.gradient`` with a spacing that is differentiated, written out over slices."""

from __future__ import annotations

from typing import Any

import numpy as np


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``np.gradient``: second differences inside, one-sided ones at the edges."""
    f = np.asarray(f)
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if f.dtype.kind in "iu":
        f = f.astype(np.float64)
    steps = spacing if len(spacing) == len(axes) else spacing * len(axes)
    found = []
    for along, step in zip(axes, steps):
        rows = np.moveaxis(f, along, 0)
        if np.ndim(step) == 1 and np.asarray(step).dtype.kind in "iu":
            step = np.asarray(step).astype(np.float64)
        if np.ndim(step) == 1 and len(step) != rows.shape[0]:
            raise ValueError("when 1d, distances must match the length of the corresponding "
                             "dimension")
        uneven = np.ndim(step) == 1 and not np.all(np.diff(step) == np.diff(step)[0])
        if rows.shape[0] < edge_order + 1:
            raise ValueError("Shape of array too small to calculate a numerical gradient, at "
                             "least (edge_order + 1) elements are required.")
        if np.ndim(step) == 0:
            made = _uniform(rows, step, edge_order)
        elif uneven:
            made = _uneven(rows, np.diff(step), edge_order)
        else:
            made = _uniform(rows, np.diff(step)[0], edge_order)
        found.append(np.moveaxis(made, 0, along))
    return found[0] if len(found) == 1 else tuple(found)


def _uniform(f: Any, h: Any, edge_order: int) -> Any:
    out = np.empty_like(f)
    out[1:-1] = (f[2:] - f[:-2]) / (2.0 * h)
    if edge_order == 1:
        out[0] = (f[1] - f[0]) / h
        out[-1] = (f[-1] - f[-2]) / h
    else:
        out[0] = -1.5 / h * f[0] + 2.0 / h * f[1] + -0.5 / h * f[2]
        out[-1] = 0.5 / h * f[-3] + -2.0 / h * f[-2] + 1.5 / h * f[-1]
    return out


def _uneven(f: Any, widths: Any, edge_order: int) -> Any:
    out = np.empty_like(f)
    left = np.reshape(widths[:-1], (-1,) + (1,) * (f.ndim - 1))
    right = np.reshape(widths[1:], (-1,) + (1,) * (f.ndim - 1))
    a = -right / (left * (left + right))
    b = (right - left) / (left * right)
    c = left / (right * (left + right))
    out[1:-1] = a * f[:-2] + b * f[1:-1] + c * f[2:]
    if edge_order == 1:
        out[0] = (f[1] - f[0]) / widths[0]
        out[-1] = (f[-1] - f[-2]) / widths[-1]
        return out
    first, second = widths[0], widths[1]
    a = -(2.0 * first + second) / (first * (first + second))
    b = (first + second) / (first * second)
    c = -first / (second * (first + second))
    out[0] = a * f[0] + b * f[1] + c * f[2]
    first, second = widths[-2], widths[-1]
    a = second / (first * (first + second))
    b = -(second + first) / (first * second)
    c = (2.0 * second + first) / (second * (first + second))
    out[-1] = a * f[-3] + b * f[-2] + c * f[-1]
    return out
