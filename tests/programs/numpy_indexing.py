"""Reads by every kind of index, stores and augmented stores, as people write them."""

from __future__ import annotations

import numpy as np

R = np.random.RandomState(11)
X = R.rand(6) + 0.5
S = R.randn(6)
A = R.randn(4, 5)
C = R.randn(2, 3, 4)
IDX = np.array([0, 2, 2, 5])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- negative steps -------------------------------------------------------------------------
@case(X)
def reversed_weights(x):
    w = np.arange(1.0, 7.0)
    return np.sum(x[::-1] * w) + np.sum(x[-2::-2] * x[1::2])


@case(X)
def palindrome_distance(x):
    y = x[::-1].copy()
    y[::-2] -= 0.5 * x[::2]
    return np.sum((x - y) ** 2)


@case(A)
def flipped_block(a):
    b = a[::-1, ::-1]
    c = np.zeros((2, 3))
    c[::-1, ::-1] = b[1:3, 1:4]
    return np.sum(c * a[:2, :3]) + b[0, 0] * c[-1, -1]


@case(X)
def reversed_recurrence(x):
    y = np.empty_like(x)
    y[-1] = x[-1]
    for i in range(len(x) - 2, -1, -1):
        y[i] = x[i] + 0.5 * y[i + 1]
    return np.sum(y[::-1][1:-1:2] ** 2)


@case(X, 2)
def run_time_step(x, k):
    y = x[::-k] * 2.0
    z = x.copy()
    z[k::-1] *= 3.0
    return np.sum(y * y) + np.sum(z * x)


# ---- Ellipsis, newaxis ----------------------------------------------------------------------
@case(C)
def ellipsis_reads(c):
    return np.sum(c[..., 0] * c[..., -1]) + np.sum(c[0, ...] ** 2) + np.sum(c[..., 1:3].mean())


@case(C)
def ellipsis_stores(c):
    d = np.zeros_like(c)
    d[..., 0] = c[..., 1]
    d[0, ...] += 2.0 * c[1]
    d[..., :, 2] *= c[..., :, 3]
    d[...] = d + 1.0
    return np.sum(d * c)


@case(X)
def pairwise_by_newaxis(x):
    d = x[:, None] - x[None, :]
    np.fill_diagonal(d, 1.0)
    return np.sum(1.0 / (d * d))


@case(X, C)
def newaxis_and_ellipsis(x, c):
    y = x[np.newaxis, :3, None] * c[..., :2]
    return np.sum(y[..., None, :] ** 2) + x[..., None][2, 0]


@case(X)
def zero_dimensional_views(x):
    v = x[2, ...]
    y = x.copy()
    w = y[3, ...]
    w += v
    w *= 2.0
    return np.sum(y * x)


# ---- mixed basic and advanced ---------------------------------------------------------------
@case(C)
def mixed_adjacent(c):
    return np.sum(c[:, [0, 2], 1:] ** 2) + np.sum(c[1, [0, 1, 1]] * 2.0)


@case(C)
def mixed_separated(c):
    y = c[[0, 1, 1], :, [3, 0, 2]]
    return np.sum(y[:, 1] * y[:, 0]) + np.sum(y.T[0])


@case(C)
def mixed_with_newaxis(c):
    y = c[:, None, [2, 0]]
    return np.sum(y[0] ** 3) + np.sum(y[..., 1])


@case(A)
def broadcast_indices(a):
    rows = np.array([[0], [3]])
    cols = np.array([1, 2, 4])
    b = a[rows, cols]
    a2 = a.copy()
    a2[rows, cols] += b * b
    return np.sum(a2 * a)


@case(A)
def mask_and_slice(a):
    keep = a[:, 0] > 0
    b = a[keep, 1:3]
    a2 = a.copy()
    a2[keep, ::2] = 1.5
    a2[keep, 1] *= 2.0
    return np.sum(b**2) + np.sum(a2 * a)


@case(A)
def mask_and_integer(a):
    keep = a[0] > 0
    return np.sum(a[2, keep] * a[1, keep]) + np.sum(a[[0, 3]][:, keep])


@case(C)
def integer_array_first_axis_mask_last(c):
    m = np.array([True, False, True, True])
    return np.sum(c[1][:, m] ** 2) + np.sum(c[..., m] * 0.5)


@case(A)
def scalar_array_index(a):
    i = np.argmax(a[:, 0])
    j = np.int64(2)
    b = a.copy()
    b[i, j] += 3.0 * a[i, 0]
    b[np.array(1), ...] = 0.0
    return np.sum(b * a)


@case(A)
def tuple_in_a_variable(a):
    where = (slice(1, 3), slice(None, None, 2))
    b = np.ones_like(a)
    b[where] = a[where] ** 2
    b[(0,)] -= a[(0,)]
    return np.sum(b * a)


@case(A)
def list_of_rows(a):
    order = [3, 1, 0, 2]
    b = a[order]
    b[[0, 1]] = b[[1, 0]]
    return np.sum(b * np.arange(20.0).reshape(4, 5))


# ---- chained stores -------------------------------------------------------------------------
@case(A)
def chained_stores(a):
    b = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            b[i][j] = a[i, j] * (i + j)
    b[1][2:4][0] += 5.0 * a[0, 0]
    b.T[0][1] *= 2.0
    return np.sum(b * a)


@case(A)
def chained_slices(a):
    b = a.copy()
    b[1:][::2][:, 1:][0] = 2.0 * a[0, 1:]
    b[1:3][0][-1] -= a[0, 0]
    b[:, 1:][1:, :2][...] *= 0.5
    return np.sum(b * b)


@case(A)
def chained_advanced_read_is_a_copy(a):
    b = a.copy()
    b[[0, 1]][0] = 100.0  # writes to a copy: no effect
    b[b > 10][:2] = 7.0
    return np.sum(b * b)


@case(X)
def chained_assignment(x):
    c = np.eye(6)
    for i in range(6):
        for j in range(i):
            c[i, j] = c[j, i] = x[i] * x[j]
    a = b = np.zeros(2)
    a[0] = x[0]
    b[1] = x[1]
    return np.sum(c @ x) + a[1] * b[0]


# ---- overlapping slices ---------------------------------------------------------------------
@case(X)
def shifted_assignment(x):
    y = x.copy()
    y[1:] = y[:-1]
    y[:-1] = 2.0 * y[1:]
    return np.sum(y * x)


@case(X)
def shifted_augmented(x):
    y = x.copy()
    y[1:] += y[:-1]
    y[:-2] *= y[2:]
    y[1:-1] -= 0.5 * (y[2:] + y[:-2])
    return np.sum(y * y)


@case(X)
def smoothing_in_place(x):
    y = x.copy()
    for _ in range(3):
        y[1:-1] = (y[:-2] + y[1:-1] + y[2:]) / 3.0
    return np.sum(y**2)


@case(X)
def reverse_in_place(x):
    y = x * x
    y[:] = y[::-1]
    y[::-1][:3] += y[:3]
    return np.sum(y * x)


@case(A)
def overlapping_rows(a):
    b = a.copy()
    b[1:, 1:] = b[:-1, :-1] + 1.0
    b[:, 1:] += b[:, :-1]
    return np.sum(b * a)


# ---- boolean masks --------------------------------------------------------------------------
@case(S)
def masked_relu(s):
    y = s.copy()
    y[y < 0] = 0.0
    y[y > 0] += 1.0
    return np.sum(y * s)


@case(S)
def masked_from_values(s):
    y = np.zeros_like(s)
    pos = s > 0
    y[pos] = np.log(s[pos])
    y[~pos] = np.expm1(s[~pos])
    return np.sum(y)


@case(S)
def masked_augmented(s):
    y = s * s
    m = (s > -1) & (s < 1)
    y[m] *= s[m]
    y[m] -= y[m].mean()
    y[~m] **= 2
    return np.sum(y) + y[m].sum() * m.sum()


@case(A)
def masked_matrix(a):
    b = a.copy()
    b[b > 0] /= 2.0
    b[np.abs(b) < 0.1] = np.nan
    return np.nansum(b * b)


@case(A, 0.3)
def masked_rows_by_reduction(a, t):
    norms = np.sqrt((a**2).sum(axis=1))
    b = a.copy()
    b[norms > t] /= norms[norms > t][:, None]
    return np.sum(b[:, 0] * norms)


@case(S)
def winsorise(s):
    y = s.copy()
    lo, hi = np.percentile(y, [20, 80])
    y[y < lo] = lo
    y[y > hi] = hi
    return np.sum(y**2)


@case(S)
def nested_masks(s):
    y = s[s > -1.0]
    z = y[y < 1.0]
    z[z > 0] = z[z > 0] ** 2
    return z.sum() * y.sum()


@case(S)
def mask_with_empty_choice(s):
    none = s > 100.0
    y = s.copy()
    y[none] = 5.0
    y[none] *= 2.0
    return np.sum(y * y) + np.sum(s[none])


@case(S)
def mask_of_booleans_in_a_list(s):
    y = s[[True, False, True, True, False, True]]
    return np.sum(y * y)


# ---- repeated indices -----------------------------------------------------------------------
@case(X)
def repeated_augmented(x):
    y = np.zeros(6)
    y[IDX] += x[:4]  # the last one wins
    y[[1, 1, 1]] += 1.0 * x[0]
    y[[3, 3]] *= x[:2]
    return np.sum(y * x)


@case(X)
def repeated_stores(x):
    y = x.copy()
    y[IDX] = x[2:] * 2.0
    y[[0, 0, 0]] = x[3:]
    return np.sum(y * y)


@case(X)
def repeated_reads(x):
    return np.sum(x[IDX] * np.arange(4.0)) + np.sum(x[[1, 1]] ** 2)


@case(A)
def repeated_pairs(a):
    i = np.array([0, 0, 1, 3])
    j = np.array([2, 2, 4, 0])
    b = a.copy()
    b[i, j] -= np.array([1.0, 2.0, 3.0, 4.0]) * a[0, 0]
    return np.sum(b * b)


# ---- ufunc.at -------------------------------------------------------------------------------
@case(X)
def add_at(x):
    y = np.zeros(6)
    np.add.at(y, IDX, x[:4])
    np.add.at(y, [1, 1], 2.0)
    return np.sum(y * x)


@case(X)
def subtract_at(x):
    y = x.copy()
    np.subtract.at(y, IDX, x[2:] * x[0])
    return np.sum(y * y)


@case(X)
def multiply_at(x):
    y = x.copy()
    np.multiply.at(y, [0, 1, 4], x[:3])
    return np.sum(y * x)


@case(A)
def add_at_pairs(a):
    h = np.zeros((4, 5))
    rows = np.array([0, 1, 1, 3])
    cols = np.array([2, 2, 2, 4])
    np.add.at(h, (rows, cols), a[0, :4])
    np.add.at(h, (slice(None), [0, 0]), 0.5 * a[:, 1:3])
    return np.sum(h * a)


@case(A)
def scatter_to_rows(a):
    labels = np.array([1, 0, 1, 1])
    sums = np.zeros((2, 5))
    np.add.at(sums, labels, a)
    counts = np.bincount(labels)
    return np.sum((sums / counts[:, None]) ** 2)


@case(X)
def negative_at(x):
    y = x.copy()
    np.negative.at(y, [0, 3])
    return np.sum(y * x * x)


@case(X)
def maximum_at(x):
    y = np.zeros(3)
    np.maximum.at(y, [0, 1, 2, 0, 1, 2], x)
    return np.sum(y * y)


# ---- swaps ----------------------------------------------------------------------------------
@case(A)
def row_swaps(a):
    b = a.copy()
    b[[0, 2]] = b[[2, 0]]
    b[[1, 3], :] = b[[3, 1], :]
    tmp = b[0].copy()
    b[0] = b[1]
    b[1] = tmp
    return np.sum(b * np.arange(20.0).reshape(4, 5) * a)


@case(A)
def row_swap_of_views(a):
    b = a.copy()
    b[0], b[1] = b[1], b[0]  # both rows end up as the old row 1
    return np.sum(b * np.arange(20.0).reshape(4, 5))


@case(X)
def element_swaps(x):
    y = x.copy()
    for i in range(3):
        y[i], y[5 - i] = y[5 - i], y[i]
    return np.sum(y * np.arange(6.0))


@case(A)
def column_swaps(a):
    b = a.copy()
    b[:, [0, 1]] = b[:, [1, 0]]
    b[:, ::-1] = b.copy()
    return np.sum(b * np.arange(20.0).reshape(4, 5))


@case(R.rand(4, 4), R.rand(4))
def elimination_with_pivoting(m, b):
    m = m.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(m[k:, k]))
        if p != k:
            m[[k, p]] = m[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = m[i, k] / m[k, k]
            m[i, k:] -= f * m[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - m[i, i + 1 :] @ x[i + 1 :]) / m[i, i]
    return np.sum(x**2)
