"""Values and gradients by hand, for Numba, of the programs of ``tests/native/loop_programs.py``
over matrices and grids, under the same names; with respect to the first argument."""

from __future__ import annotations

import numpy as np


def cholesky(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, i] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    total = 0.0
    d_low = np.zeros((n, n))
    for i in range(n):
        total += np.log(low[i, i])
        d_low[i, i] = 1.0 / low[i, i]
    d_a = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        for j in range(i, -1, -1):
            if i == j:
                d = 0.5 * d_low[i, i] / low[i, i]
            else:
                d = d_low[i, j] / low[j, j]
                d_low[j, j] -= d * low[i, j]
            for k in range(j):
                d_low[i, k] -= d * low[j, k]
                d_low[j, k] -= d * low[i, k]
            d_a[i, j] = d
    return total, d_a


def lu(a):
    n = a.shape[0]
    u = a.copy()
    for k in range(n):
        for i in range(k + 1, n):
            u[i, k] = u[i, k] / u[k, k]
            for j in range(k + 1, n):
                u[i, j] -= u[i, k] * u[k, j]
    total = 0.0
    d = np.zeros((n, n))
    for i in range(n):
        total += u[i, i]
        d[i, i] = 1.0
    for k in range(n - 1, -1, -1):  # the factors are final where they are read
        for i in range(n - 1, k, -1):
            factor = 0.0
            for j in range(k + 1, n):
                factor -= d[i, j] * u[k, j]
                d[k, j] -= d[i, j] * u[i, k]
            d[i, k] = (d[i, k] + factor) / u[k, k]
            d[k, k] -= d[i, k] * u[i, k]
    return total, d


def forward_substitution(low, b):
    n = low.shape[0]
    x = np.zeros(n)
    value = 0.0
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= low[i, j] * x[j]
        x[i] = s / low[i, i]
        value += x[i] * x[i]
    d_x = 2.0 * x
    d_low = np.zeros((n, n))
    for i in range(n - 1, -1, -1):
        d = d_x[i] / low[i, i]
        d_low[i, i] = -d * x[i]
        for j in range(i):
            d_low[i, j] = -d * x[j]
            d_x[j] -= d * low[i, j]
    return value, d_low


def thomas(low, diagonal, up, rhs):
    n = len(diagonal)
    c, d, m = np.zeros(n), np.zeros(n), np.zeros(n)
    m[0] = 3.0 + diagonal[0]
    c[0] = up[0] / m[0]
    d[0] = rhs[0] / m[0]
    for i in range(1, n):
        m[i] = 3.0 + diagonal[i] - low[i] * c[i - 1]
        c[i] = up[i] / m[i]
        d[i] = (rhs[i] - low[i] * d[i - 1]) / m[i]
    x = d.copy()
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    value = 0.0
    d_d, d_c, d_low = np.empty(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        value += x[i] * x[i]
        d_d[i] = 2.0 * x[i]
    for i in range(n - 1):
        d_c[i] = -d_d[i] * x[i + 1]
        d_d[i + 1] -= d_d[i] * c[i]
    for i in range(n - 1, 0, -1):
        t = d_d[i] / m[i]
        d_m = -t * d[i] - d_c[i] * c[i] / m[i]
        d_low[i] = -t * d[i - 1] - d_m * c[i - 1]
        d_d[i - 1] -= t * low[i]
        d_c[i - 1] -= d_m * low[i]
    return value, d_low


def product(a, b):
    n, m, k = a.shape[0], b.shape[1], min(a.shape[1], b.shape[0])
    value = 0.0
    d_a = np.zeros(a.shape)
    for i in range(n):
        for j in range(m):
            s = 0.0
            for t in range(k):
                s += a[i, t] * b[t, j]
            value += s * s
            d = 2.0 * s
            for t in range(k):
                d_a[i, t] += d * b[t, j]
    return value, d_a


def quadratic_form(a, x, scale):
    s = 0.0
    d_a = np.empty(a.shape)
    for i in range(a.shape[0]):
        row = 0.0
        d = scale * x[i]
        for j in range(a.shape[1]):
            row += a[i, j] * x[j]
            d_a[i, j] = d * x[j]
        s += scale * row * x[i]
    return s, d_a


def heat_by_elements(u, steps):
    n = len(u)
    v, w = u.copy(), np.empty(n)
    for _ in range(steps):
        w[:] = v
        for i in range(1, n - 1):
            v[i] = w[i] + 0.1 * (w[i - 1] - 2.0 * w[i] + w[i + 1])
    value = 0.0
    d = np.empty(n)
    for i in range(n):
        value += v[i] * v[i]
        d[i] = 2.0 * v[i]
    for _ in range(steps):
        w[:] = d
        for i in range(1, n - 1):
            d[i] = 0.8 * w[i]
        for i in range(1, n - 1):
            d[i - 1] += 0.1 * w[i]
            d[i + 1] += 0.1 * w[i]
    return value, d


def gauss_seidel(a):
    n = a.shape[0]
    u = a.copy()
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    s = 0.0
    d = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            s += u[i, j] * u[i, j]
            d[i, j] = 2.0 * u[i, j]
    for _ in range(2):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                t = 0.25 * d[i, j]
                d[i, j] = 0.0
                d[i, j + 1] += t
                d[i, j - 1] += t
                d[i + 1, j] += t
                d[i - 1, j] += t
    return s, d


def upwind(u):
    n = len(u)
    v = u.copy()
    for _ in range(3):
        for i in range(n - 1, 0, -1):
            v[i] = v[i] - 0.2 * (v[i] - v[i - 1])
    d = np.ones(n)
    for _ in range(3):
        for i in range(1, n):
            d[i - 1] += 0.2 * d[i]
            d[i] *= 0.8
    return np.sum(v), d


def convolution(x, w):
    n, m = len(x), len(w)
    y = np.zeros(n + m - 1)
    for i in range(n):
        for j in range(m):
            y[i + j] += x[i] * w[j]
    value = 0.0
    for k in range(len(y)):
        value += y[k] * y[k]
    d_x = np.empty(n)
    for i in range(n):
        s = 0.0
        for j in range(m):
            s += 2.0 * y[i + j] * w[j]
        d_x[i] = s
    return value, d_x


def cellular_rule(x):
    n = len(x)
    cells = x.copy()
    taken = np.zeros((2, n), np.int8)
    for t in range(2):
        for i in range(1, n - 1):
            if cells[i - 1] * cells[i + 1] > 0.0:
                cells[i] = 0.5 * cells[i] + cells[i - 1]
                taken[t, i] = 1
            elif cells[i] > 0.3:
                cells[i] = -cells[i]
                taken[t, i] = 2
    d = np.ones(n)
    for t in range(1, -1, -1):
        for i in range(n - 2, 0, -1):
            if taken[t, i] == 1:
                d[i - 1] += d[i]
                d[i] *= 0.5
            elif taken[t, i] == 2:
                d[i] = -d[i]
    return np.sum(cells), d
