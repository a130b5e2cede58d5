"""Masks and arrays of indices."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(1)
R = RNG.normal
U = RNG.uniform


@construct("boolean-mask reads", R(size=9), 0.2, 0.8)
def trimmed_log_likelihood(x, mu, cut):
    z = (x - mu) / 1.7
    inside = z[np.abs(z) < cut]
    if inside.size < 3:
        return np.sum(z ** 2)
    spread = np.sqrt(np.mean(inside ** 2))
    outside = x[~(np.abs(z) < cut)]
    return -np.log(spread) * inside.size + 0.1 * outside.sum() + inside[-1]


@construct(
    "boolean-mask reads",
    R(size=(3, 4)), np.array([[0, 1, 2, 0], [1, 1, 4, 0], [2, 2, 0, 4]])
)
def region_means(image, labels):
    means = []
    for label in range(labels.max() + 1):
        member = labels == label
        if member.any():
            means.append(image[member].mean())
    row = image[labels[:, 0] > 0][:, 1:]
    cells = image[:, np.array([True, False, True, True])]
    return np.var(means) + (row ** 2).sum() + cells[labels[:, 1:] == 2].sum()


@construct(
    "boolean-mask reads",
    U(0.3, 1.0, 6), np.array([True, True, False, True, True, True])
)
def balance_from_fluxes(q, wet):
    total = 0.0
    while q[wet].sum() > 1.0:
        q = q * 0.7
        wet = wet & (q > 0.2)
        total += q[wet].prod()
    empty = q[q < -100.0]
    return total + empty.sum() + q[wet][::-1] @ np.arange(wet.sum())


@construct("boolean-mask writes", U(0.1, 2.0, 7), 0.5)
def clip_and_fill(x, floor):
    y = x.copy()
    bad = y < floor
    y[bad] = floor
    y[~bad] = np.log(y[~bad] / floor)
    up = y > y.mean()
    if up.any():
        y[up] = y[up][::-1] * 0.5
    y[np.isnan(y)] = 0.0
    return y @ np.arange(1.0, y.size + 1)


@construct("boolean-mask writes", U(0.0, 1.2, (4, 3)), 0.7)
def solve_by_regions(T, k):
    k_cell = np.empty(T.shape)
    k_cell[T < 0.3] = k
    k_cell[(T >= 0.3) & (T < 0.8)] = k ** 2
    k_cell[T >= 0.8] = np.exp(-T[T >= 0.8])
    edge = np.zeros(T.shape, bool)
    edge[[0, -1]] = True
    k_cell[edge] = k_cell[1].max()
    k_cell[:, 1][k_cell[:, 1] > 1.0] = 1.0
    return (k_cell * T).sum()


@construct("boolean-mask writes", R(size=(4, 3)), np.array([0, 2, 1, 1]))
def label_smoothing(logits, target):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(1)[:, None]
    hit = target[:, None] == np.arange(p.shape[1])
    cost = np.zeros_like(p)
    cost[hit] = -np.log(p[hit])
    cost[~hit] = 0.1 * p[~hit] ** 2
    worst = cost.max(axis=1) > 1.0
    cost[worst] = np.sqrt(cost[worst])
    cost[worst, 0] = 0.0
    return cost.sum()


@construct("boolean-mask augmented writes", U(0.1, 0.9, 5), R(size=5), 0.3)
def reflecting_particles(x, v, dt):
    for _ in range(5):
        x += dt * v
        out = x > 1.0
        x[out] -= 2.0 * (x[out] - 1.0)
        v[out] *= -0.9
        low = x < 0.0
        v[low] *= -1.0
        x[low] **= 2
        x[~out & ~low] += 0.01
    return np.sum(v * x)


@construct("boolean-mask augmented writes", R(size=6), 0.4, 4)
def soft_threshold(w, lam, rounds):
    for r in range(rounds):
        big = np.abs(w) > lam
        w[big] -= lam * np.sign(w[big])
        w[~big] /= 1.0 + lam
        if not big.any():
            break
        w[big] += w[~big].sum()
    return (w ** 3).sum()


@construct("boolean-mask augmented writes", U(0.0, 1.0, (3, 2, 3)), np.array([0.5, 1.5, 0.7]))
def exposure_fusion(image, gain):
    bright = image.sum(axis=2) > 1.5
    image[bright] *= gain
    image[bright, 0] += gain[0] * image[bright, 1]
    image[~bright] //= 0.25
    image[..., 1][bright] -= image[..., 2].mean()
    return (image ** 2).sum()


@construct("`x[idx] += v` with repeated indices", R(size=5), np.array([0, 1, 1, 3, 0]), 0.5)
def histogram_of_weights(w, bins, decay):
    h = np.zeros(4)
    h[bins] += w
    h[bins[::-1]] *= decay
    for k in range(3):
        h[[0, 0, 1]] += w[k]
        h[bins[k:]] -= 0.1 * h[bins[k:]]
    if h[0] > h[1]:
        h[[2, 2]] = w[:2]
    return h @ np.array([1.0, -2.0, 3.0, 4.0]) + h.prod()


@construct("`x[idx] += v` with repeated indices", R(size=(5, 3)), np.array([0, 1, 1, 2, 0]), 3)
def scatter_mean(values, owner, n):
    mean = np.zeros((n, values.shape[1]))
    mean[owner] += values
    rows, cols = np.array([0, 1, 0, 0]), np.array([1, 0, 1, 2])
    mean[rows, cols] += np.array([1.0, 2.0, 3.0, 4.0]) * values[0, 0]
    mean[rows[None, :2], [[0], [0]]] /= 1.5
    return np.sum(mean ** 2)


@construct(
    "`x[idx] += v` with repeated indices",
    np.array([0.0, 0.7, 1.9, 2.4]), [(0, 1), (1, 2), (2, 3)]
)
def assemble_once(x, elements):
    K = np.zeros((x.size, x.size))
    for (i, j) in elements:
        stiff = 1.0 / abs(x[i] - x[j])
        K[[i, i], [j, j]] -= stiff
        K[[i, j], [i, j]] += stiff
        K[[j, j, j], i] -= np.array([stiff, 2 * stiff, 3 * stiff])
    return np.sum(K ** 2) + np.trace(K)


@construct(
    "`np.add.at` and its relatives",
    np.array([0.0, 0.4, 1.1, 2.0]), np.array([[0, 1], [1, 2], [2, 3]]),
    np.array([1.0, 2.0, 0.5])
)
def assemble_matrix(x, conn, E):
    n = x.size
    K = np.zeros((n, n), order="F")
    F = np.zeros(n)
    for e, (a, b) in enumerate(conn):
        h = x[b] - x[a]
        np.add.at(K, np.ix_([a, b], [a, b]), E[e] / h * np.array([[1.0, -1.0], [-1.0, 1.0]]))
        np.add.at(F, [a, b, b], h * np.array([0.5, 0.25, 0.25]))
    K[0, 0] += 1.0
    K[-1, -1] += 1.0
    return F @ np.linalg.solve(K, F)


@construct("`np.add.at` and its relatives", R(size=6), np.array([0, 2, 1, 0, 2, 1]), 0.3)
def segment_operations(v, seg, base):
    top = np.full(3, base)
    np.maximum.at(top, seg, v)
    low = np.full(3, base)
    np.minimum.at(low, seg, v[::-1])
    scaled = np.ones(3)
    np.multiply.at(scaled, seg, 1.0 + 0.1 * v)
    np.subtract.at(scaled, (seg[:2],), v[:2] ** 2)
    np.negative.at(scaled, [0, 2])
    if top[0] > 1.0:
        np.divide.at(top, [0, 0], 2.0)
    return np.sum(top * scaled) - low.sum()


@construct(
    "`np.add.at` and its relatives",
    R(size=(4, 2)), np.array([0, 1, 2, 2]), np.array([1, 2, 1, 0]), R(size=(2, 2))
)
def graph_message_passing(h, src, dst, W):
    for layer in range(2):
        m = np.tanh(h[src] @ W)
        out = np.zeros_like(h)
        np.add.at(out, dst, m)
        degree = np.zeros(h.shape[0])
        np.add.at(degree, dst, 1)
        degree[degree == 0] = 1.0
        h = h + out / degree[:, None]
        alive = np.zeros(h.shape[0], dtype=bool)
        np.logical_or.at(alive, dst, True)
        h[~alive] *= 0.5
    return (h ** 2).sum()


@construct("row swaps", R(size=(4, 4)), R(size=4))
def gauss_jordan(A, b):
    M = np.hstack((A, b[:, None]))
    n = len(A)
    for k in range(n):
        p = k + np.argmax(np.abs(M[k:, k]))
        if p != k:
            M[[k, p]] = M[[p, k]]
        M[k] /= M[k, k]
        for i in range(n):
            if i != k:
                M[i] -= M[i, k] * M[k]
    return M[:, -1] @ np.arange(1.0, n + 1)


@construct("row swaps", R(size=(4, 4)))
def determinant_by_pivots(A):
    A = A.copy()
    sign = 1
    for k in range(A.shape[0]):
        p = k
        for i in range(k + 1, A.shape[0]):
            if abs(A[i, k]) > abs(A[p, k]):
                p = i
        if p != k:
            A[p, k:], A[k, k:] = A[k, k:].copy(), A[p, k:].copy()
            sign = -sign
        A[k + 1:, k:] -= A[k + 1:, k, None] / A[k, k] * A[k, k:]
    return sign * np.diag(A).prod()


@construct("row swaps", R(size=(4, 2)), 0.8)
def tournament(scores, gain):
    order = np.arange(len(scores))
    for r in range(3):
        i = int(np.argmin(scores[:, 0]))
        j = int(np.argmax(scores[:, 1]))
        scores[[i, j], :] = scores[[j, i], :]
        scores[:, [0, 1]] = scores[:, [1, 0]]
        order[[i, j]] = order[[j, i]]
        row = scores[i].copy()
        scores[i], scores[-1] = scores[-1], gain * row
    return scores[order[0]] @ scores[order[-1]]
