"""Loops over steps and elements, in-place updates and branches, and their gradients by hand."""

from __future__ import annotations

import numpy as np


def bodies(positions, velocities, masses, duration):
    x, v = positions.copy(), velocities.copy()
    t = 0.0
    while t < duration:
        gaps = x[None, :, :] - x[:, None, :]
        r2 = np.sum(gaps ** 2, axis=2) + 0.01
        pull = np.sum(gaps * (masses / r2 ** 1.5)[:, :, None], axis=1)
        dt = min(0.02, duration - t)
        v = v + dt * pull
        x = x + dt * v
        t += dt
    return np.sum(x * x)


def bodies_by_hand(positions, velocities, masses, duration):
    x, v = positions.copy(), velocities.copy()
    t = 0.0
    kept = []
    while t < duration:
        gaps = x[None, :, :] - x[:, None, :]
        r2 = np.sum(gaps ** 2, axis=2) + 0.01
        cubes = r2 ** 1.5
        weights = masses / cubes
        pull = np.sum(gaps * weights[:, :, None], axis=1)
        dt = min(0.02, duration - t)
        v = v + dt * pull
        x = x + dt * v
        t += dt
        kept.append((gaps, r2, weights, dt))
    value = np.sum(x * x)
    d_x = 2.0 * x
    d_v = np.zeros_like(v)
    for gaps, r2, weights, dt in reversed(kept):
        d_v += dt * d_x
        d_pull = dt * d_v
        d_weights = np.einsum("ijk,ik->ij", gaps, d_pull)
        factor = d_weights * weights
        factor /= r2
        factor *= -3.0
        d_gaps = d_pull[:, None, :] * weights[:, :, None]
        d_gaps += gaps * factor[:, :, None]
        d_x += d_gaps.sum(axis=0)
        d_x -= d_gaps.sum(axis=1)
    return value, (d_x, d_v)


def kalman(q, r, F, H, ys):
    x = np.zeros(F.shape[0])
    P = np.eye(F.shape[0])
    total = 0.0
    for t in range(len(ys)):
        x = F @ x
        P = F @ P @ F.T + q * np.eye(F.shape[0])
        s = H @ P @ H + r
        gain = P @ H / s
        err = ys[t] - H @ x
        x = x + gain * err
        P = P - np.outer(gain, H @ P)
        total += 0.5 * (np.log(s) + err ** 2 / s)
    return total


def kalman_by_hand(q, r, F, H, ys):
    n = F.shape[0]
    x, P, noise = np.zeros(n), np.eye(n), q * np.eye(n)
    FT = F.T
    total = 0.0
    kept = []
    for t in range(len(ys)):
        x = F @ x
        P = F @ P @ FT + noise
        PH, HP = P @ H, H @ P
        s = HP @ H + r
        gain = PH / s
        err = ys[t] - H @ x
        kept.append((HP, s, gain, err))
        x = x + gain * err
        P = P - np.outer(gain, HP)
        total += 0.5 * (np.log(s) + err ** 2 / s)
    d_x, d_P = np.zeros(n), np.zeros((n, n))
    d_q = d_r = 0.0
    for HP, s, gain, err in reversed(kept):
        d_gain = d_x * err - d_P @ HP
        d_err = d_x @ gain + err / s
        d_s = 0.5 * (1.0 / s - (err / s) ** 2) - d_gain @ gain / s
        d_HP = d_s * H - gain @ d_P
        d_P = d_P + np.outer(d_gain / s, H) + np.outer(H, d_HP)
        d_r += d_s
        d_q += d_P.trace()
        d_x = FT @ (d_x - d_err * H)
        d_P = FT @ d_P @ F
    return total, (d_q, d_r)


def garch(omega, alpha, beta, returns):
    h = np.var(returns)
    total = 0.0
    for t in range(1, len(returns)):
        h = omega + alpha * returns[t - 1] ** 2 + beta * h
        total += np.log(h) + returns[t] ** 2 / h
    return 0.5 * total


def garch_by_hand(omega, alpha, beta, returns):
    h = np.var(returns)
    total = 0.0
    kept = [h]
    for t in range(1, len(returns)):
        h = omega + alpha * returns[t - 1] ** 2 + beta * h
        kept.append(h)
        total += np.log(h) + returns[t] ** 2 / h
    d_omega = d_alpha = d_beta = d_h = 0.0
    for t in range(len(returns) - 1, 0, -1):
        h = kept[t]
        d_h += 0.5 * (1.0 - returns[t] ** 2 / h) / h
        d_omega += d_h
        d_alpha += d_h * returns[t - 1] ** 2
        d_beta += d_h * kept[t - 1]
        d_h *= beta
    return 0.5 * total, (d_omega, d_alpha, d_beta)


def smoothing(rate, x):
    level = x[0]
    total = 0.0
    for i in range(1, len(x)):
        gap = x[i] - level
        total += gap * gap
        level += rate * gap
    return total


def smoothing_by_hand(rate, x):
    level = x[0]
    total = 0.0
    gaps = []
    for i in range(1, len(x)):
        gap = x[i] - level
        gaps.append(gap)
        total += gap * gap
        level += rate * gap
    d_x = np.empty_like(x)
    d_level = d_rate = 0.0
    for i in range(len(x) - 1, 0, -1):
        gap = gaps[i - 1]
        d_rate += d_level * gap
        d_gap = 2.0 * gap + rate * d_level
        d_x[i] = d_gap
        d_level -= d_gap
    d_x[0] = d_level
    return total, (d_rate, d_x)


def convolution(image, kernel):
    rows, columns = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(image[i:i + 3, j:j + 3] * kernel)
    return np.sum(np.maximum(out, 0.0) ** 2)


def convolution_by_hand(image, kernel):
    rows, columns = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(image[i:i + 3, j:j + 3] * kernel)
    positive = np.maximum(out, 0.0)
    d_out = 2.0 * positive
    d_image, d_kernel = np.zeros_like(image), np.zeros_like(kernel)
    for i in range(rows):
        for j in range(columns):
            d = d_out[i, j]
            d_image[i:i + 3, j:j + 3] += d * kernel
            d_kernel += d * image[i:i + 3, j:j + 3]
    return np.sum(positive ** 2), (d_image, d_kernel)


def hunters(y, a, b):
    return np.array([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - a * y[1]])


def runge_kutta(y0, a, b, steps):
    y = y0
    h = 2.0 / steps
    for _ in range(steps):
        k1 = hunters(y, a, b)
        k2 = hunters(y + 0.5 * h * k1, a, b)
        k3 = hunters(y + 0.5 * h * k2, a, b)
        k4 = hunters(y + h * k3, a, b)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y ** 2)


def _hunters_back(y, a, b, d):
    first, second = y[0], y[1]
    gap = d[1] - d[0]
    d_y = np.array([a * d[0] + b * second * gap, b * first * gap - a * d[1]])
    return d_y, d[0] * first - d[1] * second, gap * first * second


def runge_kutta_by_hand(y0, a, b, steps):
    y = y0
    h = 2.0 / steps
    kept = []
    for _ in range(steps):
        k1 = hunters(y, a, b)
        y2 = y + 0.5 * h * k1
        k2 = hunters(y2, a, b)
        y3 = y + 0.5 * h * k2
        k3 = hunters(y3, a, b)
        y4 = y + h * k3
        k4 = hunters(y4, a, b)
        kept.append((y, y2, y3, y4))
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    d = 2.0 * y
    d_a = d_b = 0.0
    for y1, y2, y3, y4 in reversed(kept):
        d_k4 = h / 6.0 * d
        e4, a4, b4 = _hunters_back(y4, a, b, d_k4)
        e3, a3, b3 = _hunters_back(y3, a, b, 2.0 * d_k4 + h * e4)
        e2, a2, b2 = _hunters_back(y2, a, b, 2.0 * d_k4 + 0.5 * h * e3)
        e1, a1, b1 = _hunters_back(y1, a, b, d_k4 + 0.5 * h * e2)
        d = d + e4 + e3 + e2 + e1
        d_a += a1 + a2 + a3 + a4
        d_b += b1 + b2 + b3 + b4
    return np.sum(y ** 2), (d, d_a, d_b)


def factorisation(A):
    L = np.zeros_like(A)
    n = len(A)
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return np.sum(np.log(np.diag(L)))


def factorisation_by_hand(A):
    L = np.zeros_like(A)
    n = len(A)
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    d_A, d_L = np.zeros_like(A), np.zeros_like(A)
    d_L[np.diag_indices(n)] = 1.0 / np.diag(L)
    for j in range(n - 1, -1, -1):
        top, row, d_row = L[j, j], L[j, :j], d_L[j, :j]
        for i in range(n - 1, j, -1):
            d = d_L[i, j] / top
            d_A[i, j] = d
            d_L[j, j] -= d * L[i, j]
            d_row -= d * L[i, :j]
            d_L[i, :j] -= d * row
        d = 0.5 * d_L[j, j] / top
        d_A[j, j] = d
        d_row -= 2.0 * d * row
    return np.sum(np.log(np.diag(L))), d_A


def substitution(L, b):
    x = np.empty_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return np.sum(x ** 2)


def substitution_by_hand(L, b):
    n = len(b)
    x = np.empty_like(b)
    for i in range(n):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    d_x = 2.0 * x
    d_L, d_b = np.zeros_like(L), np.empty_like(b)
    for i in range(n - 1, -1, -1):
        d = d_x[i] / L[i, i]
        d_b[i] = d
        d_L[i, i] = -d * x[i]
        d_L[i, :i] = -d * x[:i]
        d_x[:i] -= d * L[i, :i]
    return np.sum(x ** 2), (d_L, d_b)


def jacobi(u, f, sweeps):
    u = u.copy()
    new = u.copy()
    for _ in range(sweeps):
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                                  - f[1:-1, 1:-1])
        u, new = new, u
    return np.sum(u * u)


def jacobi_by_hand(u, f, sweeps):
    u = u.copy()
    new = u.copy()
    for _ in range(sweeps):
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
                                  - f[1:-1, 1:-1])
        u, new = new, u
    d_u, d_new = 2.0 * u, np.zeros_like(u)
    d_f = np.zeros_like(f)
    inner_f = d_f[1:-1, 1:-1]
    for _ in range(sweeps):
        d_u, d_new = d_new, d_u
        d = 0.25 * d_new[1:-1, 1:-1]
        d_new[1:-1, 1:-1] = 0.0
        d_u[2:, 1:-1] += d
        d_u[:-2, 1:-1] += d
        d_u[1:-1, 2:] += d
        d_u[1:-1, :-2] += d
        inner_f -= d
    d_u += d_new
    return np.sum(u * u), (d_u, d_f)


def seidel(A, steps):
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j])
    return np.sum(A * A)


def seidel_by_hand(A, steps):
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i, j + 1] + A[i + 1, j])
    d_A = 2.0 * A
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                d = 0.2 * d_A[i, j]
                d_A[i, j] = d
                d_A[i - 1, j] += d
                d_A[i, j - 1] += d
                d_A[i, j + 1] += d
                d_A[i + 1, j] += d
    return np.sum(A * A), d_A


def recurrent(W, U, b, xs):
    h = np.zeros(W.shape[0])
    total = 0.0
    for t in range(len(xs)):
        h = np.tanh(W @ h + U @ xs[t] + b)
        total += np.sum(h ** 2)
    return total


def recurrent_by_hand(W, U, b, xs):
    steps, n = len(xs), W.shape[0]
    hs = np.zeros((steps + 1, n))
    h = hs[0]
    total = 0.0
    for t in range(steps):
        h = np.tanh(W @ h + U @ xs[t] + b)
        hs[t + 1] = h
        total += np.sum(h ** 2)
    d_z = np.empty((steps, n))
    d_h = np.zeros(n)
    slopes = 1.0 - hs[1:] * hs[1:]
    for t in range(steps - 1, -1, -1):
        d_h += 2.0 * hs[t + 1]
        d = np.multiply(d_h, slopes[t], out=d_z[t])
        d_h = d @ W
    return total, (d_z.T @ hs[:-1], d_z.T @ xs, d_z.sum(axis=0))


def cases():
    """Name, function, hand-written gradient, arguments, argnums."""
    rng = np.random.default_rng(2)
    M = rng.normal(size=(40, 40))
    lower = np.tril(0.1 * rng.normal(size=(150, 150))) + 2.0 * np.eye(150)
    F = np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.1], [-0.05, 0.0, 0.97]])
    return [
        ("N bodies, while, 8 bodies, 100 steps", bodies, bodies_by_hand,
         (rng.normal(size=(8, 3)), 0.1 * rng.normal(size=(8, 3)), rng.random(8), 1.999), (0, 1)),
        ("Kalman filter, 3 states, 200 steps", kalman, kalman_by_hand,
         (0.1, 0.5, F, np.array([1.0, 0.0, 0.0]), rng.normal(size=200)), (0, 1)),
        ("GARCH, 1000 returns", garch, garch_by_hand,
         (0.05, 0.1, 0.85, rng.normal(size=1000)), (0, 1, 2)),
        ("exponential smoothing, 1000", smoothing, smoothing_by_hand,
         (0.3, rng.normal(size=1000)), (0, 1)),
        ("convolution by loops, 32x32", convolution, convolution_by_hand,
         (rng.normal(size=(32, 32)), rng.normal(size=(3, 3))), (0, 1)),
        ("Runge-Kutta, 200 steps", runge_kutta, runge_kutta_by_hand,
         (np.array([1.0, 0.5]), 1.1, 0.7, 200), (0, 1, 2)),
        ("Cholesky by loops, 40x40", factorisation, factorisation_by_hand,
         (M @ M.T + 40.0 * np.eye(40),), 0),
        ("forward substitution, 150", substitution, substitution_by_hand,
         (lower, rng.normal(size=150)), (0, 1)),
        ("Jacobi 2-D, 64x64, 100 sweeps", jacobi, jacobi_by_hand,
         (rng.random((64, 64)), rng.random((64, 64)), 100), (0, 1)),
        ("Jacobi 2-D, 512x512, 20 sweeps", jacobi, jacobi_by_hand,
         (rng.random((512, 512)), rng.random((512, 512)), 20), (0, 1)),
        ("Gauss-Seidel, 20x20, 10 sweeps", seidel, seidel_by_hand, (rng.random((20, 20)), 10), 0),
        ("recurrent network, 100 steps, 20", recurrent, recurrent_by_hand,
         (0.2 * rng.normal(size=(20, 20)), rng.normal(size=(20, 5)), rng.normal(size=20),
          rng.normal(size=(100, 5))), (0, 1, 2)),
    ]
