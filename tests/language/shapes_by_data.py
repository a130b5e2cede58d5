"""Shapes that depend on data, conversions, arrays of lists."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(5)
R = RNG.normal
U = RNG.uniform


@construct("`x[x > 0]`", R(size=9), 0.4)
def hill_estimator(x, cut):
    tail = x[x > cut]
    if tail.size < 2:
        return cut * x.sum()
    logs = np.log(tail / cut)
    kept = logs[logs < logs.max()]
    return logs.mean() + kept.sum() / (1 + kept.size) + tail[:-1] @ np.diff(tail)


@construct("`x[x > 0]`", R(size=(3, 4)), R(size=(3, 4)))
def losses_of_confident_rows(p, y):
    total = 0.0
    while p.shape[0] > 0:
        gap = (p - y) ** 2
        worst = gap.sum(axis=1)
        total += worst.max()
        p, y = p[worst < worst.max()], y[worst < worst.max()]
    return total


@construct("`x[x > 0]`", U(0, 1, 12), 3)
def halving_by_threshold(x, rounds):
    levels = []
    for k in range(rounds):
        if len(x) < 2:
            break
        x = x[x <= np.median(x)] * (1.0 + k)
        levels.append(x.sum())
    empty = x[x > 1e6]
    return np.array(levels) @ np.arange(1.0, len(levels) + 1) + empty.sum()


@construct("`nonzero`", R(size=(3, 4)), 0.3)
def sparse_times_dense(A, drop):
    A[np.abs(A) < drop] = 0.0
    rows, cols = np.nonzero(A)
    y = np.zeros(3)
    for i, j in zip(rows, cols):
        y[i] += A[i, j] * (1.0 + j)
    values = A[rows, cols]
    return y @ y + values.prod() + A[A.nonzero()].sum()


@construct("`nonzero`", R(size=10))
def zero_crossings(s):
    signs = np.sign(s)
    (at,) = np.nonzero(np.diff(signs))
    where = at + s[at] / (s[at] - s[at + 1])
    gaps = np.diff(where)
    return gaps.sum() + np.sum(gaps ** 2) if len(gaps) else s.sum()


@construct("`nonzero`", R(size=7), 0.0)
def runs_above(x, level):
    edges = np.nonzero(np.diff(np.r_[0, (x > level).astype(int), 0]))[0]
    areas = [np.sum(x[a:b]) for a, b in edges.reshape(-1, 2)]
    best = 0.0
    for area in areas:
        best = max(best, area)
    return best + sum(areas) * 0.1


@construct("`np.unique`", R(size=8), np.array([3, 1, 3, 7, 1, 1, 7, 3]))
def group_means(x, label):
    names, inverse, counts = np.unique(label, return_inverse=True, return_counts=True)
    sums = np.zeros(len(names))
    np.add.at(sums, inverse, x)
    means = sums / counts
    between = np.sum(counts * (means - x.mean()) ** 2)
    return between + np.sum((x - means[inverse]) ** 4)


@construct("`np.unique`", np.array([0.5, 1.5, 2.0, -1.0]), 0.7)
def distinct_levels(x, w):
    pool = np.append(x, x[:0])
    levels, first = np.unique(pool, return_index=True)
    total = 0.0
    for k, level in enumerate(levels):
        total += w ** k * level ** 2
    codes = np.unique((x > 0.7).astype(int))
    return total + pool[first] @ np.arange(len(first)) + codes.size * np.prod(levels[codes])


@construct("`np.unique`", R(size=(4, 2)), np.array([[0, 1], [2, 2], [0, 1], [3, 0]]))
def deduplicated_edges(points, edges):
    kept = np.unique(np.sort(edges, axis=1), axis=0)
    length = 0.0
    for i, j in kept:
        if i == j:
            continue
        length += np.sqrt(np.sum((points[i] - points[j]) ** 2))
    ends = np.unique(kept)
    return length + points[ends, 0].sum() * len(ends)


@construct("`np.flatnonzero`", R(size=(3, 3)), R(size=9))
def active_set(A, g):
    x = A.ravel().copy()
    for _ in range(3):
        free = np.flatnonzero((x > 0) | (g < 0))
        if free.size == 0:
            break
        x[free] -= 0.3 * g[free]
        g = 0.5 * g + x
    return x @ x + x[np.flatnonzero(x > 0)].sum()


@construct("`np.flatnonzero`", R(size=8), 0.2)
def peaks_of_a_signal(s, floor):
    at = np.flatnonzero((s[1:-1] > s[:-2]) & (s[1:-1] > s[2:]) & (s[1:-1] > floor)) + 1
    total = 0.0
    for k in at:
        a = 0.5 * (s[k - 1] + s[k + 1]) - s[k]
        b = 0.5 * (s[k + 1] - s[k - 1])
        total += s[k] - b ** 2 / (4 * a)
    return total + floor * at.size


@construct("`np.flatnonzero`", U(0, 1, 6), U(0, 1, 6))
def crossing_of_curves(f, g):
    d = f - g
    change = np.flatnonzero(d[:-1] * d[1:] < 0)
    first = change[0] if len(change) else 0
    t = d[first] / (d[first] - d[first + 1])
    area = np.sum(np.abs(d)[change]) + np.delete(f, change).sum()
    return t + area


@construct("`np.argwhere`", R(size=(4, 4)), 0.5)
def centre_of_bright_spots(image, cut):
    spots = np.argwhere(image > cut)
    moment, mass = np.zeros(2), 1e-3
    for r, c in spots:
        moment += image[r, c] * np.array([r, c])
        mass += image[r, c]
    return (moment / mass) @ np.array([1.0, 2.0]) + len(spots) * cut


@construct("`np.argwhere`", R(size=7), R(size=7))
def matched_events(a, b):
    cost = 0.0
    for (i,) in np.argwhere(a > 0):
        near = np.argwhere(np.abs(b - a[i]) < 1.0)
        if len(near):
            cost += (b[near[0, 0]] - a[i]) ** 2
        else:
            cost += a[i]
    return cost


@construct("`np.argwhere`", R(size=(2, 3, 2)))
def extremes_of_a_cube(t):
    top = np.argwhere(t == t.max())[0]
    i, j, k = np.argwhere(t == np.min(t))[0]
    t[tuple(top)] *= 0.5
    rows = np.argwhere(t.sum(axis=(1, 2)) > -100.0).ravel()
    return t[tuple(top)] * t[i, j, k] + t[rows].sum() ** 2


@construct("`np.array` and `np.asarray` of lists of computed values", R(size=3), 0.4)
def rotation_from_angles(a, t):
    c, s = [np.cos(v) for v in a], [np.sin(v) for v in a]
    Rz = np.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
    Ry = np.asarray([[c[1], 0.0, s[1]], [0.0, 1.0, 0.0], [-s[1], 0.0, c[1]]])
    M = Rz @ Ry
    rows = []
    for k in range(3):
        rows.append(M[k] * t if M[k, 0] > 0 else M[k])
    return np.sum(np.array(rows) @ a) + np.trace(np.asarray(rows))


@construct("`np.array` and `np.asarray` of lists of computed values", R(size=4), R(size=(2, 2)))
def state_derivative(y, A):
    def rhs(t, y):
        (x, v), (p, q) = y[:2], y[2:]
        return np.array([v, -x + 0.1 * t, *(A @ np.array([p, q]))])

    for k in range(3):
        y = y + 0.1 * np.asarray(rhs(0.1 * k, np.asarray(y)))
    return np.array([y, y ** 2]).sum() + np.array(y[0])


@construct("`np.array` and `np.asarray` of lists of computed values", R(size=5), 3)
def features_of_windows(x, width):
    features = np.array([[w.mean(), w.max() - w.min(), float(w[0])]
                         for w in (x[i:i + width] for i in range(x.size - width + 1))])
    pairs = np.asarray(list(zip(features[:, 0], features[:, 1])))
    ints = np.array([int(v > 0) for v in x])
    return np.linalg.norm(pairs) + features[ints.argmax() % 3] @ features[0]


@construct("`astype`", R(size=5), 0.6)
def quantised_weights(w, scale):
    q = np.round(w / scale).astype(int)
    low = w.astype(np.float32).astype(np.float64)
    counts = (w > 0).astype(float)
    back = q.astype(w.dtype) * scale
    if counts.sum() > 2:
        back = back + counts * w
    return np.sum((w - back) ** 2) + w.astype(complex).real @ counts + 0.0 * low[0]


@construct("`astype`", np.array([[3, 1], [4, 1]]), R(size=(2, 2)))
def counts_as_numbers(n, p):
    x = n.astype(float)
    x /= x.sum()
    x[0] += p[0]
    same = p.astype(float, copy=False)
    same[1] *= 2.0
    fresh = p.astype("f8")
    fresh[0] = 100.0
    return np.sum(x * p) + np.sum(n.astype(bool) * same)


@construct("`astype`", R(size=4) + 1j * R(size=4), exported=False)
def complex_parts(z):
    w = z.astype(np.complex128)
    w *= np.exp(1j * np.arange(4).astype(float))
    power = (w * w.conj()).real.astype(np.float64)
    keep = (power > power.mean()).astype(np.intp)
    return np.sum(power ** 2) + np.abs(w[keep]).sum()
