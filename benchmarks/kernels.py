"""Kernels as NPBench, ADBench and PolyBench have them: loops with writes, factorisations, stencils.

They have no gradient written by hand; what is measured is the cost of value and gradient
over the function itself, and the memory of both.
"""

from __future__ import annotations

import numpy as np


def jacobi_1d(A, B, steps):
    A, B = A.copy(), B.copy()
    for _ in range(1, steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return np.sum(A)


def seidel_2d(A, steps):
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += (A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:]
                           + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:])
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return np.sum(A)


def adi(u, steps):
    n = u.shape[0]
    u = u.copy()
    v, p, q = np.empty_like(u), np.empty_like(u), np.empty_like(u)
    a = -0.5 * n * n / steps
    b = 1.0 - 2.0 * a
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            below = a * p[1:-1, j - 1] + b
            p[1:-1, j] = -a / below
            q[1:-1, j] = (-a * u[j, :-2] + (1.0 + 2.0 * a) * u[j, 1:-1] - a * u[j, 2:]
                          - a * q[1:-1, j - 1]) / below
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        for j in range(1, n - 1):
            u[1:-1, j] = v[j, 1:-1]
    return np.sum(u * u)


def fdtd_2d(ex, ey, hz, source):
    ex, ey, hz = ex.copy(), ey.copy(), hz.copy()
    for t in range(len(source)):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


def lu(A):
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A)


def cholesky(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(np.tril(A))


def gramschmidt(A):
    A = A.copy()
    n = A.shape[1]
    Q, R = np.zeros_like(A), np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q) + np.sum(R)


def durbin(r):
    y = np.empty_like(r)
    alpha, beta = -r[0], 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y)


def convolution(images, weights):
    size = weights.shape[0]
    height, width = images.shape[1] - size + 1, images.shape[2] - size + 1
    out = np.empty((images.shape[0], height, width, weights.shape[3]))
    for i in range(height):
        for j in range(width):
            out[:, i, j, :] = np.sum(images[:, i:i + size, j:j + size, :, None] * weights[None],
                                     axis=(1, 2, 3))
    return np.sum(out * out)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sum((e / np.sum(e, axis=-1, keepdims=True)) ** 2)


def k_means(centres, points):
    gaps = np.sum((points[:, None, :] - centres[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(gaps, axis=1))


def mixture(alphas, means, factors, x):
    """The likelihood of ADBench, with triangular factors."""
    n, d = x.shape
    scales, total = np.exp(factors[:, :d]), np.sum(factors[:, :d], axis=1)
    terms = np.zeros((n, means.shape[0]))
    for k in range(means.shape[0]):
        L = np.zeros((d, d))
        L[np.tril_indices(d, -1)] = factors[k, d:]
        gap = x - means[k]
        y = gap * scales[k] + gap @ L.T
        terms[:, k] = alphas[k] + total[k] - 0.5 * np.sum(y * y, axis=1)
    top = np.max(terms, axis=1)
    value = np.sum(top + np.log(np.sum(np.exp(terms - top[:, None]), axis=1)))
    first = np.max(alphas)
    return value - n * (first + np.log(np.sum(np.exp(alphas - first)))) + 0.5 * np.sum(scales ** 2)


def rotated(rotation, point):
    square = np.sum(rotation ** 2)
    if square != 0:
        angle = np.sqrt(square)
        axis = rotation / angle
        along = np.dot(axis, point) * (1.0 - np.cos(angle))
        return point * np.cos(angle) + np.cross(axis, point) * np.sin(angle) + axis * along
    return point + np.cross(rotation, point)


def bundle(cameras, points, weights, seen, features):
    """Bundle adjustment, one observation after the other."""
    total = 0.0
    for i in range(len(seen)):
        camera = cameras[seen[i, 0]]
        at = rotated(camera[:3], points[seen[i, 1]] - camera[3:6])
        p = at[:2] / at[2]
        r = np.sum(p ** 2)
        p = camera[6] * p * (1.0 + camera[9] * r + camera[10] * r * r) + camera[7:9]
        gap = weights[i] * (p - features[i])
        total += gap @ gap + (1.0 - weights[i] ** 2) ** 2
    return total


def bundle_arrays(cameras, points, weights, seen, features):
    """Bundle adjustment, all observations at once."""
    C, X = cameras[seen[:, 0]], points[seen[:, 1]] - cameras[seen[:, 0], 3:6]
    angle = np.sqrt(np.sum(C[:, :3] ** 2, axis=1))
    axis = C[:, :3] / angle[:, None]
    along = np.sum(axis * X, axis=1) * (1.0 - np.cos(angle))
    at = X * np.cos(angle)[:, None] + np.cross(axis, X) * np.sin(angle)[:, None]
    at = at + axis * along[:, None]
    p = at[:, :2] / at[:, 2:]
    r = np.sum(p * p, axis=1)
    p = C[:, 6:7] * p * (1.0 + C[:, 9] * r + C[:, 10] * r * r)[:, None] + C[:, 7:9]
    gaps = weights[:, None] * (p - features)
    return np.sum(gaps * gaps) + np.sum((1.0 - weights ** 2) ** 2)


def cube_roots(a, count):
    total = 0.0
    for i in range(count):
        x = a
        while abs(x * x * x - a - i) > 1e-10:
            x = x - (x * x * x - a - i) / (3 * x * x)
        total += x
    return total


def bodies_einsum(positions, velocities, masses, steps):
    for _ in range(steps):
        d = positions[None] - positions[:, None]
        inverse = (np.sum(d * d, axis=2) + 0.01) ** -1.5
        velocities = velocities + 0.01 * np.einsum("ijk,ij,j->ik", d, inverse, masses)
        positions = positions + 0.01 * velocities
    return np.sum(positions ** 2)


def soft_plus(x):
    return np.sum(np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0) + np.sqrt(x * x + 1.0)
                  * np.tanh(x))


def normalised(x, gain, bias):
    m, v = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return np.sum(((x - m) / np.sqrt(v + 1e-5) * gain + bias) ** 3)


def diffusion(field, coefficient):
    lap = 4.0 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:]
                                     + field[1:-1, :-2])
    flux = lap[1:, 1:-1] - lap[:-1, 1:-1]
    down = np.where(flux * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0.0, flux)
    flux = lap[1:-1, 1:] - lap[1:-1, :-1]
    right = np.where(flux * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0.0, flux)
    out = field[2:-2, 2:-2] - coefficient * (down[1:] - down[:-1] + right[:, 1:] - right[:, :-1])
    return np.sum(out * out)


def conjugate_gradients(A, b, steps):
    x = np.zeros_like(b)
    r = b - A @ x
    p, square = r, r @ r
    for _ in range(steps):
        Ap = A @ p
        alpha = square / (p @ Ap)
        x, r = x + alpha * p, r - alpha * Ap
        following = r @ r
        p = r + following / square * p
        square = following
    return x @ x


def hidden_markov(log_moves, log_shown, seen, log_first):
    alpha = log_first + log_shown[:, seen[0]]
    for t in range(1, len(seen)):
        m = alpha[:, None] + log_moves
        top = np.max(m, axis=0)
        alpha = top + np.log(np.sum(np.exp(m - top), axis=0)) + log_shown[:, seen[t]]
    top = np.max(alpha)
    return top + np.log(np.sum(np.exp(alpha - top)))


def rank_update(A, C, alpha, beta):
    C = C.copy()
    for i in range(A.shape[0]):
        C[i, :i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, :i + 1] += alpha * A[i, k] * A[:i + 1, k]
    return np.sum(C)


def shortest_paths(path):
    path = path.copy()
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, np.add.outer(path[:, k], path[k, :]))
    return np.sum(path)


def cases():
    """Name, function, arguments, argnums."""
    rng = np.random.default_rng(3)
    normal = rng.normal

    def definite(n):
        M = normal(size=(n, n))
        return M @ M.T + n * np.eye(n)

    def views(observations, cameras, points):
        C = 0.1 * normal(size=(cameras, 11))
        C[:, 5:7] += (-5.0, 1.0)
        seen = np.stack([rng.integers(0, cameras, observations),
                         rng.integers(0, points, observations)], 1)
        return (C, normal(size=(points, 3)), 0.5 + rng.random(observations), seen,
                normal(size=(observations, 2)))

    return [
        ("jacobi-1d, n=400, 100 steps", jacobi_1d, (normal(size=400), normal(size=400), 100),
         (0, 1)),
        ("seidel-2d, 20x20, 10 steps", seidel_2d, (rng.random((20, 20)), 10), 0),
        ("adi, 30x30, 10 steps", adi, (rng.random((30, 30)), 10), 0),
        ("fdtd-2d, 60x50, 60 steps", fdtd_2d, (*(normal(size=(60, 50)) for _ in range(3)),
                                               normal(size=60)), (0, 1, 2, 3)),
        ("lu, 30x30", lu, (definite(30),), 0),
        ("cholesky in place, 30x30", cholesky, (definite(30),), 0),
        ("gramschmidt, 40x30", gramschmidt, (normal(size=(40, 30)),), 0),
        ("durbin, 100", durbin, (0.1 * normal(size=100),), 0),
        ("convolution, 4x14x14x3", convolution, (normal(size=(4, 14, 14, 3)),
                                                 normal(size=(3, 3, 3, 8))), (0, 1)),
        ("softmax, 8x8x64x64", softmax, (normal(size=(8, 8, 64, 64)),), 0),
        ("k-means, 1000 points", k_means, (normal(size=(8, 3)), normal(size=(1000, 3))), 0),
        ("mixture of ADBench, 200 points", mixture, (
            normal(size=10), normal(size=(10, 8)), 0.1 * normal(size=(10, 36)),
            normal(size=(200, 8))), (0, 1, 2)),
        ("bundle adjustment, loop, 60", bundle, views(60, 5, 20), (0, 1, 2)),
        ("bundle adjustment, 3000", bundle_arrays, views(3000, 20, 300), (0, 1, 2)),
        ("cube roots, while", cube_roots, (2.0, 50), 0),
        ("N bodies, einsum", bodies_einsum, (normal(size=(10, 3)), normal(size=(10, 3)),
                                             rng.random(10), 100), (0, 1, 2)),
        ("soft plus, 1,000,000", soft_plus, (normal(size=1_000_000),), 0),
        ("layer normalisation, 512x256", normalised, (
            normal(size=(512, 256)), normal(size=256), normal(size=256)), (0, 1, 2)),
        ("horizontal diffusion, 128x128", diffusion, (
            normal(size=(132, 132)), normal(size=(128, 128))), (0, 1)),
        ("conjugate gradients, 100, 30 steps", conjugate_gradients, (
            definite(100), normal(size=100), 30), (0, 1)),
        ("hidden Markov model, 100 steps", hidden_markov, (
            normal(size=(10, 10)), normal(size=(10, 6)), rng.integers(0, 6, 100),
            normal(size=10)), (0, 1, 3)),
        ("syrk, 40x30", rank_update, (normal(size=(40, 30)), normal(size=(40, 40)), 1.5, 1.2),
         (0, 1, 2, 3)),
        ("floyd-warshall, 60", shortest_paths, (rng.random((60, 60)),), 0),
    ]
