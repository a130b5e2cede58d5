"""Functions and methods that write."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(2)
R = RNG.normal
U = RNG.uniform


@construct("`np.copyto`", R(size=(3, 4)), 0.4)
def ghost_cells(u, k):
    pad = np.zeros((5, 6))
    for _ in range(3):
        np.copyto(pad[1:-1, 1:-1], u)
        np.copyto(pad[0], pad[1])
        np.copyto(pad[-1], pad[-2])
        np.copyto(pad[:, ::5], pad[:, 1:-1:3])
        lap = pad[2:, 1:-1] + pad[:-2, 1:-1] + pad[1:-1, 2:] + pad[1:-1, :-2] - 4.0 * u
        np.copyto(u, u + k * lap, where=np.abs(lap) < 2.0)
    return (u ** 2).sum() + pad[0, 0]


@construct("`np.copyto`", R(size=6), R(size=6), 0.3)
def accepted_steps(x, trial, temperature):
    best, energy = x.copy(), np.sum(x ** 4 - x ** 2)
    for k in range(4):
        np.copyto(trial[k:], 0.5 * (trial[k:] + x[k:]))
        new = np.sum(trial ** 4 - trial ** 2)
        if new < energy + temperature:
            np.copyto(best, trial)
            energy = new
        else:
            np.copyto(trial, best, where=trial > best)
    np.copyto(best[:2], 1, casting="unsafe")
    return energy + best @ x


@construct("`np.copyto`", np.asfortranarray(R(size=(3, 3))), R(size=3))
def columns_of_either_order(A, b):
    B = np.empty((3, 3))
    np.copyto(B.T, A)
    np.copyto(B[1], b[::-1])
    wide = np.zeros((2, 3, 3), dtype=complex)
    np.copyto(wide, B)
    np.copyto(wide[1], 1j * b, where=np.eye(3, dtype=bool))
    np.copyto(b, b[0])
    return np.sum(np.abs(wide) ** 2) + b.sum() * np.linalg.det(wide[0]).real


@construct("`np.put`", R(size=(3, 4)), R(size=3), np.array([0, 5, -1]))
def observations_in_a_field(field, obs, where):
    misfit = 0.0
    for _ in range(2):
        misfit += np.sum((np.take(field, where) - obs) ** 2)
        np.put(field, where, 0.5 * (np.take(field, where) + obs))
        field[1:] = 0.9 * field[1:] + 0.1 * field[:-1]
    np.put(field, [0, 0, 2], [1.0, misfit])
    return misfit + np.sum(field ** 3)


@construct("`np.put`", R(size=8), 0.7)
def decimated_spectrum(x, damping):
    spec = np.fft.rfft(x)
    weak = np.argsort(np.abs(spec))[:2]
    np.put(spec, weak, 0.0)
    np.put(spec, 0, damping * spec[0])
    y = np.fft.irfft(spec, 8)
    y.put([1, 9, -11], [damping, 2.0, 3.0], mode="wrap")
    if y[1] > 0:
        np.put(y, np.arange(12), y[::-1].copy(), mode="clip")
    return y @ x


@construct("`np.put`", R(size=(2, 3)), R(size=2))
def one_hot_targets(scores, w):
    target = np.zeros_like(scores)
    rows, width = scores.shape
    np.put(target, np.arange(rows) * width + scores.argmax(axis=1), w)
    view = target.T
    np.put(view, [5], w[0] ** 2)
    np.put(target, [], [])
    np.put(scores, np.flatnonzero(target), np.exp(w))
    return np.sum(target * scores ** 2)


@construct("`np.place`", R(size=7), np.array([0.3, -0.2]))
def refill_of_missing_values(x, pool):
    y = np.where(np.arange(7) % 3 == 1, np.nan, x)
    np.place(y, np.isnan(y), pool)
    smooth = np.convolve(y, [0.25, 0.5, 0.25], "same")
    np.place(smooth, smooth < 0.0, [0.0])
    if smooth[0] > 0.0:
        np.place(y, y > 1.0, smooth)
    np.place(y, y > 1e9, pool)
    return y @ smooth + np.sum(y ** 2)


@construct("`np.place`", R(size=(3, 3)), R(size=5), 0.2)
def repaired_matrix(A, values, cut):
    for sweep in range(2):
        small = np.abs(A) < cut * (sweep + 1)
        np.place(A, small, values[sweep:])
        A = A @ A.T / 3.0
    upper = np.triu(np.ones((3, 3), bool), 1)
    np.place(A, upper, values[:3])
    np.place(A.T, upper.T, 1.0)
    return np.trace(A @ A) + A[0] @ values[:3]


@construct("`np.place`", U(0, 1, (4, 4)), 0.6)
def checkerboard(board, h):
    parity = np.indices(board.shape).sum(axis=0) % 2 == 0
    black = np.extract(parity, board)
    np.place(board, parity, h * black[::-1])
    inner = board[1:3, 1:3]
    np.place(inner, inner > 0.1, [h, h ** 2])
    counts = np.zeros(4, dtype=int)
    np.place(counts, board[0] > 0.1, [2, 3])
    return (board * np.arange(16).reshape(4, 4)).sum() + counts @ board[1]


@construct("`np.putmask`", R(size=9), 0.8)
def winsorized(x, share):
    low, high = np.quantile(x, [0.1, 0.9])
    y = x.copy()
    np.putmask(y, y < low, low * share)
    np.putmask(y, y > high, high / share)
    z = (y - y.mean()) / y.std()
    np.putmask(z, z < -1.0, z[::-1])
    return np.mean(z ** 3) + y.sum() * share


@construct("`np.putmask`", R(size=(3, 4)), R(size=4))
def gates_of_a_cell(h, x):
    for t in range(3):
        gate = 1.0 / (1.0 + np.exp(-h * x[t]))
        closed = gate < 0.4
        np.putmask(h, closed, np.broadcast_to(x, h.shape))
        np.putmask(h, ~closed, np.tanh(h + gate))
        np.putmask(h[t], h[t] > 0.9, [0.5, x[0]])
    return np.sum(h ** 2)


@construct("`np.putmask`", U(-1, 1, 6), U(-1, 1, 6))
def restarted_momentum(x, v):
    restarts = np.zeros(6, dtype=np.int64)
    for _ in range(4):
        grad = x ** 3 - x
        v *= 0.9
        v -= 0.1 * grad
        np.putmask(v, v * grad > 0, 0.0)
        np.putmask(restarts, v == 0.0, restarts + 1)
        x += v
    np.putmask(x[::-2], np.array([True, False, True]), v[:3])
    return x @ x + restarts.max() * x[0]


@construct("`np.fill_diagonal`", R(size=(4, 3)), 0.3)
def nearest_neighbours(points, weight):
    d = ((points[:, None] - points[None]) ** 2).sum(-1)
    np.fill_diagonal(d, np.inf)
    nearest = d.argmin(axis=1)
    total = d.min(axis=1).sum()
    np.fill_diagonal(d, weight * np.arange(1.0, 5.0))
    np.fill_diagonal(d[:, ::-1], points[nearest, 0])
    return total + np.sum(d[:2] * d[2:])


@construct("`np.fill_diagonal`", R(size=(3, 3)), R(size=3))
def jacobi_iteration(A, b):
    np.fill_diagonal(A, np.abs(A).sum(axis=1) + 1.0)
    D = np.diag(A).copy()
    off = A.copy()
    np.fill_diagonal(off, 0)
    x = np.zeros(3)
    while np.abs(A @ x - b).max() > 1e-3:
        x = (b - off @ x) / D
    return x @ x + np.trace(A)


@construct("`np.fill_diagonal`", R(size=(5, 2)), R(size=(2, 2, 2)), 1.4)
def tall_and_deep_diagonals(tall, cube, v):
    np.fill_diagonal(tall, [v, v ** 2], wrap=True)
    np.fill_diagonal(cube, tall[0, 0])
    np.fill_diagonal(tall.T, tall[-1, 0] + np.arange(2.0))
    covariance = np.cov(tall.T)
    if covariance[0, 1] > 0.0:
        np.fill_diagonal(covariance, 1.0)
    return np.sum(cube ** 2) + np.linalg.slogdet(covariance + 2 * np.eye(2))[1] + tall[3, 1]


@construct("`.sort()`", R(size=7), R(size=7))
def energy_distance(x, y):
    x = x.copy()
    x.sort()
    y.sort()
    gap = x - y
    if gap[0] > gap[-1]:
        gap.sort()
    worst = gap[::-1]
    worst.sort()
    return np.sum(np.abs(gap) * np.arange(7)) + y[0] * x[-1]


@construct("`.sort()`", R(size=(4, 5)), 2)
def median_filter(image, radius):
    out = np.empty_like(image)
    padded = np.pad(image, radius, mode="edge")
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            window = padded[i:i + 3, j:j + 3].ravel()
            window.sort()
            out[i, j] = window[4] if i % 2 else window[[0, -1]].mean()
    out.sort(axis=0)
    out[:, :2].sort()
    return (out ** 2).sum() + out[1] @ image[0]


@construct("`.sort()`", R(size=9), 3)
def trimmed_l_moments(sample, order):
    work = sample.reshape(3, 3).copy()
    work.sort(axis=None) if work.ndim == 1 else work.sort(axis=-1)
    ranks = sample.argsort().argsort()
    column = work[:, 0]
    column.sort(kind="stable")
    sample.sort()
    sample[:order].partition(1)
    return work[1] @ column + sample[::-1][:order].sum() + sample[2:7] @ ranks[2:7]


@construct("`.fill()`", R(size=5), 3)
def polynomial_basis(x, degree):
    basis = np.empty((degree + 1, x.size))
    basis[0].fill(1.0)
    for k in range(1, degree + 1):
        basis[k] = basis[k - 1] * x
        if basis[k].max() > 2.0:
            basis[k].fill(basis[k].max())
    return np.sum(basis ** 2) + np.linalg.norm(basis[:, 1:3])


@construct("`.fill()`", R(size=6), U(0.5, 1.5, 6))
def accumulators_reset(x, w):
    total = np.zeros(2)
    partial = np.empty(2)
    for start in range(0, 6, 2):
        partial.fill(0.0)
        for k in range(start, start + 2):
            partial[k % 2] += w[k] * x[k]
            partial[0] += x[k] ** 2
        total += partial ** 2
    w.fill(total[0])
    return total @ [1.0, 0.5] + w.sum()


@construct("`.fill()`", R(size=(3, 4)), 0.5)
def painted_regions(canvas, colour):
    canvas[1:, ::2].fill(colour)
    canvas.T[0].fill(canvas[0, 1])
    mark = np.array(1.0)
    mark.fill(colour ** 2)
    if canvas.sum() > 0:
        canvas[:, -1:].fill(mark)
    empty = canvas[5:]
    empty.fill(np.nan)
    return np.sum(canvas ** 2) * mark + canvas[0] @ canvas[2]


@construct("`.flat`", R(size=(3, 4)), 0.4)
def flat_recurrence(a, r):
    for k in range(1, a.size):
        a.flat[k] = r * a.flat[k - 1] + a.flat[k]
    a.flat[::5] = a.flat[1]
    a.T.flat[2:4] *= 2.0
    last = a.flat[-1]
    if last > a.flat[0]:
        a.flat = np.arange(4.0) * last
    return a.sum() + a.flat[[0, 5, 5]].prod()


@construct("`.flat`", np.asfortranarray(R(size=(2, 3))), R(size=6))
def packed_parameters(W, theta):
    W.flat = theta
    grads = np.empty(W.shape, order="F")
    for k, v in enumerate(W.flat):
        grads.flat[k] = np.tanh(v) * k
    grads.flat[W.flat > 0.5] = 0.0
    total = 0.0
    for g, w in zip(grads.flat, W.T.flat):
        total += g * w
    return total + len(W.flat) * W.flat[3]


@construct("`.flat`", R(size=(3, 3)), 1.2)
def tridiagonal_by_flat_steps(A, d):
    n = len(A)
    A.flat[::n + 1] = d + np.arange(n)
    A.flat[1::n + 1] = -1.0
    A.flat[n::n + 1] += d ** 2
    rest = np.array([v for v in A.flat if v > 0.2])
    peak = max(A.flat)
    return np.linalg.det(A) + rest.sum() * peak + A.copy().flat[4]
