"""Loops over elements, and their values and gradients by hand for Numba (plain Python here)."""

from __future__ import annotations

import math

import numpy as np


def dot(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def dot_by_hand(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    d_x = np.empty(len(x))
    for i in range(len(x)):
        d_x[i] = y[i]
    return s, d_x


def recurrence(x, w):
    h = 0.0
    for i in range(len(x)):
        h = np.tanh(w * h + x[i])
    return h


def recurrence_by_hand(x, w):
    n = len(x)
    kept = np.empty(n)
    h = 0.0
    for i in range(n):
        h = np.tanh(w * h + x[i])
        kept[i] = h
    d_x = np.empty(n)
    d = 1.0
    for i in range(n - 1, -1, -1):
        d = d * (1.0 - kept[i] * kept[i])
        d_x[i] = d
        d *= w
    return h, d_x


def garch(r, a, b):
    s = 0.1
    ll = 0.0
    for t in range(len(r)):
        ll += math.log(s) + r[t] * r[t] / s
        s = 0.05 + a * r[t] * r[t] + b * s
    return ll


def garch_by_hand(r, a, b):
    n = len(r)
    kept = np.empty(n)
    s = 0.1
    ll = 0.0
    for t in range(n):
        kept[t] = s
        ll += math.log(s) + r[t] * r[t] / s
        s = 0.05 + a * r[t] * r[t] + b * s
    d_r = np.empty(n)
    d_s = 0.0
    for t in range(n - 1, -1, -1):
        s = kept[t]
        d_r[t] = 2.0 * r[t] * (a * d_s + 1.0 / s)
        d_s = b * d_s + 1.0 / s - r[t] * r[t] / (s * s)
    return ll, d_r


def runge_kutta(x, k, n):
    dt = 0.01
    for _ in range(n):
        k1 = -k * x * x
        y = x + 0.5 * dt * k1
        k2 = -k * y * y
        z = x + dt * k2
        k3 = -k * z * z
        x = x + dt / 6.0 * (k1 + 4.0 * k2 + k3)
    return x


def runge_kutta_by_hand(x, k, n):
    dt = 0.01
    kept = np.empty(n)
    for i in range(n):
        kept[i] = x
        k1 = -k * x * x
        y = x + 0.5 * dt * k1
        k2 = -k * y * y
        z = x + dt * k2
        k3 = -k * z * z
        x = x + dt / 6.0 * (k1 + 4.0 * k2 + k3)
    d = 1.0
    for i in range(n - 1, -1, -1):
        u = kept[i]
        y = u - 0.5 * dt * k * u * u
        z = u - dt * k * y * y
        d_k3 = dt / 6.0 * d
        d_z = -2.0 * k * z * d_k3
        d_k2 = 4.0 * d_k3 + dt * d_z
        d_y = -2.0 * k * y * d_k2
        d_k1 = d_k3 + 0.5 * dt * d_y
        d = d + d_z + d_y - 2.0 * k * u * d_k1
    return x, d


def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
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
    for i in range(n):
        total += low[i, i]
    return total


def cholesky_by_hand(a):
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
        total += low[i, i]
        d_low[i, i] = 1.0
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
    for i in range(n):
        total += u[i, i]
    return total


def lu_by_hand(a):
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


def seidel(a, sweeps):
    u = a.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    s = 0.0
    for i in range(n):
        for j in range(m):
            s += u[i, j] * u[i, j]
    return s


def seidel_by_hand(a, sweeps):
    u = a.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    s = 0.0
    d = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            s += u[i, j] * u[i, j]
            d[i, j] = 2.0 * u[i, j]
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                t = 0.25 * d[i, j]
                d[i, j] = 0.0
                d[i, j + 1] += t
                d[i, j - 1] += t
                d[i + 1, j] += t
                d[i - 1, j] += t
    return s, d


def floyd_warshall(w):
    n = w.shape[0]
    d = w.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
    return np.sum(d)


def floyd_warshall_by_hand(w):
    n = w.shape[0]
    d = w.copy()
    taken = np.zeros((n, n, n), np.bool_)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = d[i, k] + d[k, j]
                if through < d[i, j]:
                    d[i, j] = through
                    taken[k, i, j] = True
    g = np.ones((n, n))
    for k in range(n - 1, -1, -1):
        for i in range(n - 1, -1, -1):
            for j in range(n - 1, -1, -1):
                if taken[k, i, j]:
                    t = g[i, j]
                    g[i, j] = 0.0
                    g[i, k] += t
                    g[k, j] += t
    return np.sum(d), g


def pair_energy(x, m):
    e = 0.0
    for i in range(len(x)):
        for j in range(i):
            r = x[i] - x[j]
            e += m[i] * m[j] / np.sqrt(r * r + 0.01)
    return e


def pair_energy_by_hand(x, m):
    n = len(x)
    e = 0.0
    d = np.zeros(n)
    for i in range(n):
        for j in range(i):
            r = x[i] - x[j]
            q = r * r + 0.01
            u = m[i] * m[j] / np.sqrt(q)
            e += u
            t = -u / q * r
            d[i] += t
            d[j] -= t
    return e, d


def time_warping(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e6)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            gap = x[i - 1] - y[j - 1]
            best = d[i - 1, j - 1]
            if d[i - 1, j] < best:
                best = d[i - 1, j]
            if d[i, j - 1] < best:
                best = d[i, j - 1]
            d[i, j] = gap * gap + best
    return d[n, m]


def time_warping_by_hand(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e6)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            gap = x[i - 1] - y[j - 1]
            best = d[i - 1, j - 1]
            if d[i - 1, j] < best:
                best = d[i - 1, j]
            if d[i, j - 1] < best:
                best = d[i, j - 1]
            d[i, j] = gap * gap + best
    d_x = np.zeros(n)
    i, j = n, m
    while i > 0 and j > 0:  # back along the path
        d_x[i - 1] += 2.0 * (x[i - 1] - y[j - 1])
        if d[i - 1, j - 1] <= d[i - 1, j] and d[i - 1, j - 1] <= d[i, j - 1]:
            i, j = i - 1, j - 1
        elif d[i - 1, j] <= d[i, j - 1]:
            i -= 1
        else:
            j -= 1
    return d[n, m], d_x


def cases():
    """Name, function, value and gradient by hand, arguments; the first one is differentiated."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(1000), rng.standard_normal(1000)
    a = rng.standard_normal((100, 100))
    return [
        ("dot product, 1000", dot, dot_by_hand, (x, y)),
        ("recurrence, 1000", recurrence, recurrence_by_hand, (x, 0.9)),
        ("GARCH, 1000 returns", garch, garch_by_hand, (x, 0.1, 0.8)),
        ("Runge-Kutta, 1000 steps", runge_kutta, runge_kutta_by_hand, (0.8, 1.5, 1000)),
        ("Cholesky, 60x60", cholesky, cholesky_by_hand,
         (a[:60, :60] @ a[:60, :60].T + 60 * np.eye(60),)),
        ("LU, 60x60", lu, lu_by_hand, (a[:60, :60] + 60 * np.eye(60),)),
        ("Gauss-Seidel, 50x50, 8 sweeps", seidel, seidel_by_hand, (a[:50, :50].copy(), 8)),
        ("Floyd-Warshall, 60", floyd_warshall, floyd_warshall_by_hand,
         (rng.random((60, 60)) + 0.01,)),
        ("energy of pairs, 200", pair_energy, pair_energy_by_hand,
         (x[:200].copy(), rng.random(200))),
        ("time warping, 100x100", time_warping, time_warping_by_hand,
         (x[:100].copy(), y[:100].copy())),
    ]
