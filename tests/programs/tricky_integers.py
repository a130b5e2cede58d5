"""Rows of :mod:`tricky` about integers, sizes and guards."""

from __future__ import annotations

import numpy as np
from tricky import R, X, row

VALUES = {"rate": 0.5, "shift": 0.1}


@row(5, X, 5)
def parity(x, n):
    y = np.ones(4)
    for i in range(n):
        y = y + x if i % 2 else y * x
    return np.sum(y)


@row(5, X, 7)
def quotients_of_the_index(x, n):
    y = 1.0
    for i in range(1, n):
        if i // 3 == 1 and not i & 1:
            y = y * x[i % 4]
        elif (i + n) % 5 == 2:
            y = y + x[-1 - i % 2]
    return y


HISTORY = [1.0, 2.0]


@row(7, X)
def captured_list_and_its_length(x):
    total = 0.0
    for value in HISTORY:
        total += np.sum(x * value)
    return total / len(HISTORY)


@row(8, R.randn(5), R.randn(5))
def mask_read_twice(x, w):
    mask = x > 0
    z = x[mask]
    return np.sum(z * w[mask])


@row(8, np.array([1.0, -1.0, 2.0, 3.0]), np.array([0.5, 2.0, 4.0]))
def mask_meets_a_given_length(x, b):
    z = x[x > 0]
    return np.sum(z + b) * np.sum(z * b)


@row(8, np.array([1.0, -1.0, -2.0]), np.array([0.5, 2.0, 4.0]))
def mask_of_one_element_is_broadcast(x, b):
    z = x[x > 0]
    return np.sum(z * b)


@row(9, X, R.rand(3))
def differences_times_weights(x, w):
    return np.sum((x[1:] - x[:-1]) * w)


@row(9, R.rand(5, 4), R.rand(1))
def differences_on_an_axis(x, w):
    d = np.diff(x, axis=0)
    return np.sum((d[1:] + d[:-1]) * w)


@row(18, R.rand(3, 4), 2)
def axis_from_an_int(x, k):
    s = 0.0
    for i in range(k):
        s += x.sum(axis=k - 1)
    return np.sum(s * s)


@row(18, X)
def axis_from_a_constant(x):
    k = 1
    s = 0.0
    for i in range(k):
        s += x.sum(axis=k - 1)
    return s


@row(20, X, 2)
def table_of_functions(x, n):
    table = [np.sin, np.cos, np.tanh]
    return np.sum(table[n](x))


@row(20, X)
def table_by_the_loop_index(x):
    table = [np.sin, np.cos, np.tanh]
    total = 0.0
    for i in range(3):
        total += np.sum(table[i](x)) * i
    return total


@row(20, X)
def array_by_data(x):
    table = np.array([0.5, 1.5, 2.5, 3.5])
    return np.sum(x) * table[int(x[0] * 2)]


@row(20, X)
def dictionary_of_floats(x):
    total = 0.0
    for key in ("rate", "shift"):
        total += np.sum(x) * VALUES[key]
    return total * VALUES.get("missing", 2.0)


@row(24, X)
def hash_in_uint64(x):
    s = np.uint64(12345)
    total = 0.0
    with np.errstate(over="ignore"):
        for i in range(4):
            s = s * np.uint64(6364136223846793005) + np.uint64(1)
            total = total + x[i] * float(s >> np.uint64(40)) / 2.0**24
    return total


@row(24, X, 7)
def hash_in_python_ints(x, seed):
    s = seed
    total = 0.0
    for i in range(4):
        s = (s * 6364136223846793005 + 1) % 2**64
        total = total + x[i] * (s / 2**64)
    return total


@row(24, X)
def wrapping_int8(x):
    c = np.int8(100)
    with np.errstate(over="ignore"):
        c = c + np.int8(100)
    return np.sum(x) * c if c < 0 else np.sum(x * x)


@row(35, X)
def converted_and_checked(a):
    a = np.asarray(a, dtype=float)
    if not isinstance(a, np.ndarray):
        raise TypeError
    return np.sum(a * a)


def third_party_mean(values, weights=None):
    values = np.atleast_1d(np.asanyarray(values, dtype=np.float64))
    if weights is None:
        weights = np.ones_like(values)
    elif not hasattr(weights, "shape") or weights.shape != values.shape:
        raise ValueError("weights do not fit")
    if not np.issubdtype(values.dtype, np.floating) or values.ndim != 1:
        raise TypeError(type(values))
    return np.sum(values * weights) / np.sum(weights)


@row(35, X, X[::-1].copy())
def third_party_checks(x, w):
    return third_party_mean(x) * third_party_mean(x, w) + third_party_mean([x[0], 2.0, w[1]])
