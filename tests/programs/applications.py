"""Reduced from small applications of physics and engineering: filters, wavelets, tables, rays."""

from __future__ import annotations

import bisect

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X8 = np.array([0.3, -0.2, 0.5, 0.9, 1.1, 0.4, -0.7, 0.2])


# lists of arrays that differ in size
def halves(x):
    s, found = x, []
    while len(s) > 1:
        found.append(s[1::2] ** 2)
        s = s[::2] * 1.5
    return found


@case(X8)
def levels_backwards(x):
    t = 0.0
    for k, d in enumerate(halves(x)[::-1]):
        t += (k + 1) * np.sum(d**2)
    return t


@case(X8)
def levels_by_slices(x):
    p = halves(x)
    t = sum(np.sum(d**3) for d in p[1:]) + sum(np.sum(d**2) for d in p[-2:])
    t += sum(np.sum(d**3) for d in p[::2]) + 2 * sum(np.sum(d**3) for d in p[-1::-2])
    t += 3 * sum(np.sum(d**3) for d in p[7:0:-1]) + 4 * sum(np.sum(d**3) for d in p[-2::-1])
    return t + sum(np.sum(d) for d in p[5:]) + np.sum(p[-5:][0] ** 2)


@case(X8, 0.12)
def wavelet_lifting(x, threshold):
    s, details = x.copy(), []
    while len(s) > 2:
        even, odd = s[::2].copy(), s[1::2].copy()
        odd -= 0.5 * (even + np.roll(even, -1))
        even += 0.25 * (odd + np.roll(odd, 1))
        details.append(odd)
        s = even
    details = [np.sign(d) * np.maximum(np.abs(d) - threshold, 0) for d in details]
    for d in details[::-1]:
        even = s - 0.25 * (d + np.roll(d, 1))
        odd = d + 0.5 * (even + np.roll(even, -1))
        s = np.empty(2 * len(even))
        s[::2], s[1::2] = even, odd
    return np.sum((s - x) ** 2) + s[0] ** 2


# sums that start from a number, in loops whose arrays they feed
@case(np.array([0.5, 0.2]))
def sums_of_rows_in_a_loop(z):
    m, t = np.array([0.4, 0.1]), 0.0
    for zk in z:
        points = np.array([m * zk, m])
        heights = np.array([s[0] ** 2 for s in points])
        change = sum(w * (s - m) * (y - 0.2) for w, s, y in zip((0.2, 0.3), points, heights))
        m = m + change * (zk - 1)
        t += np.sum(m**2)
    return t


@case(np.array([0.5, 0.2]), np.array([[0.1, 0.2], [0.3, 0.4]]))
def totals_carried_on(z, rows):
    m, t = z, 0.0
    for zk in z:
        total = 0
        for row in rows:
            total = total + row * zk
        m = total
        rows = rows * total
        t += (m + total)[1]
    return t


@case(np.array([0.5, 0.45, 0.62]), 0.1, 0.2)
def unscented_filter(z, q, r):
    n = 2
    m, P = np.array([0.4, 0.1]), np.eye(n) * 0.3
    weights = np.full(2 * n + 1, 1 / 6)
    weights[0] = 1 / 3

    def points(m, P):
        L = np.linalg.cholesky(3 * P)
        return np.vstack([m, *(m + L[:, i] for i in range(n)), *(m - L[:, i] for i in range(n))])

    loss = 0.0
    for zk in z:
        moved = np.array([[s[0] + 0.1 * s[1], s[1] - 0.1 * np.sin(s[0])] for s in points(m, P)])
        m = weights @ moved
        P = (weights[:, None] * (moved - m)).T @ (moved - m) + q * np.eye(n)
        S = points(m, P)
        seen = np.array([s[0] ** 2 for s in S])
        mean = weights @ seen
        spread = np.sum(weights * (seen - mean) ** 2) + r
        gain = sum(w * (s - m) * (y - mean) for w, s, y in zip(weights, S, seen)) / spread
        m = m + gain * (zk - mean)
        P = P - np.outer(gain, gain) * spread
        loss += np.log(spread) + (zk - mean) ** 2 / spread
    return loss


# slices of lists at places that data decides
class Table:
    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys

    def __call__(self, x):
        i = min(max(bisect.bisect_right(self.xs, x) - 1, 0), len(self.xs) - 2)
        x0, x1 = self.xs[i : i + 2]
        y0, y1 = self.ys[i : i + 2]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


@case([0.0, 1.0, 2.5, 4.0], [1.0, 3.0, 2.0, 5.0], 1.7)
def looked_up_in_a_table(xs, ys, x):
    return Table(xs, ys)(x)


@case([0.3, 1.0, 2.5, 4.0], 2.2)
def slices_of_an_argument(xs, v):
    i = bisect.bisect(xs, v)
    pairs = zip(xs[i - 1 : i + 1], xs[i:])
    return sum(xs[:i]) * xs[i] + sum(a * b for a, b in pairs) + len(xs[i:])


@case(np.array([0.3, -0.2, 0.5, 0.9]))
def first_and_others(x):
    v = [s * s for s in x if s > 0]
    a, *b = v
    *c, d = v
    e, f, g = v
    h, *i, j = v
    return a * sum(b) + d * sum(c) + e * f * g + h * j + sum(i)
