"""Rows of :mod:`tricky` about homes: views, writes and aliases."""

from __future__ import annotations

import numpy as np
from tricky import R, X, row


@row(1, X)
def written_in_an_arm(x):
    v = x[1:]
    if x[0] > 0:
        v *= 2
    return np.sum(x)


@row(1, X)
def written_in_the_other_arm(x):
    y = x.copy()
    head, tail = y[:2], y[2:]
    if x[0] > 10:
        head += 1.0
    else:
        w = tail[::-1]
        w[0] = head[0] * w[1]
    return np.sum(y * y)


@row(1, R.rand(3, 3))
def written_through_a_diagonal_in_a_loop(a):
    b = a.T
    for i in range(3):
        r = b[i]
        if r[0] > 0.5:
            r[:] = r * r[i]
    return np.sum(a * a)


@row(3, X, 3)
def only_a_call_in_the_body(u, n):
    u = u.copy()
    c = 0.5

    def step(u):
        u[1:] += c * u[:-1]

    for t in range(n):
        step(u)
    return np.sum(u * u)


def smooth(grid, rate):
    inner = grid[1:-1]
    inner += rate * (grid[2:] - 2 * inner + grid[:-2])


def advance(grids, rate):
    for grid in grids:
        smooth(grid, rate)


@row(3, R.rand(5), R.rand(5), 0.1)
def only_a_call_of_a_call(a, b, rate):
    a, b = a.copy(), b.copy()
    for _ in range(3):
        advance([a, b], rate)
        advance((b,), rate * 2)
    return np.sum(a * b)


@row(25, R.rand(3, 4))
def reshape_of_a_contiguous_array_is_a_view(x):
    y = x.reshape(-1)
    y[0] = 5
    y[3:] *= 2.0
    return np.sum(x * x)


@row(25, R.rand(4, 3))
def ravel_of_a_result_is_a_view(x):
    z = x * 2
    z.ravel()[1:] += 1.0
    return np.sum(z * x)


@row(28, R.rand(6), 3, 0.2)
def double_buffering(u, n, a):
    u = u.copy()
    un = u.copy()
    for _ in range(n):
        u, un = un, u
        un[1:-1] = u[1:-1] + a * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(un * un)


@row(28, R.rand(5), R.rand(5), R.rand(5), 4)
def three_buffers_rotate(a, b, c, n):
    old, now, new = a.copy(), b.copy(), c.copy()
    for k in range(n):
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + 0.1 * (now[2:] - 2 * now[1:-1] + now[:-2])
        old, now, new = now, new, old
    return np.sum(now * now) + np.sum(old)


@row(29, X, 0.3)
def array_or_its_copy(x, c):
    y = x if c > 0 else x.copy()
    y += 1
    return np.sum(x * x)


@row(36, R.rand(13, 4), R.rand(13, 4))
def fortran_order(A, B):
    A = np.asfortranarray(A)
    return np.sum(A.T @ B)


@row(36, R.rand(17, 9))
def sums_of_every_layout(A):
    F = np.asfortranarray(A)
    G = A.T.copy()
    return F.sum() + G.sum() * A.T.sum() + A[::2, ::3].sum() + (A.T @ A[:, 0]).sum()


@row(37, X, X * 2, X * 3)
def one_cotangent_for_two(x, y, w):
    z = x + y
    return np.sum(z * w)


@row(38, X, X * 2)
def residuals_that_are_overwritten(x, w):
    y = x * w
    z = y * y
    y *= 2.0
    w[0] = 3.0
    return np.sum(z * y * w)


@row(48, R.rand(3, 4), R.rand(2))
def rows_written_in_a_for(X, s):
    X = X.copy()
    total = 0.0
    for line in X:
        line *= s[0]
        total += line.sum()
    return total + np.sum(X * X)


@row(48, R.rand(3, 3))
def rows_and_columns_written(A):
    B = A.copy()
    for i, (r, c) in enumerate(zip(B, B.T)):
        r[i:] += A[i, i]
        c *= 1.5
        for j in range(3):
            r[j] = r[j] * A[j, i]
    return np.sum(B)


@row(49, X)
def copies_appended(u):
    u = u.copy()
    L = []
    for i in range(3):
        L.append(u.copy())
        u[0] += u[1] * i
    return np.sum(np.stack(L) ** 2)
