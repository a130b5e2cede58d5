"""Loops over anything, to any depth."""

from __future__ import annotations

import numpy as np
from table import construct

R = np.random.RandomState(43)
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
V6 = R.rand(6) + 0.1
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
P33 = S33 @ S33.T


@construct("loops whose count depends on data", 3.7, V5)
def waiting_time(rate, gaps):
    clock, served, queue = 0.0, 0, np.zeros(5)
    while clock < rate:
        clock += abs(gaps[served % 5]) + 0.05
        queue[served % 5] += clock ** 2
        served += 1
    for k in range(served):
        queue[k % 5] *= 1.0 + 0.01 * clock
    return queue.sum() / served


@construct("loops whose count depends on data", V6, 4)
def gershgorin_powers(x, n):
    A = np.outer(x, x) + n * np.eye(6)
    v = x / np.linalg.norm(x)
    for _ in range(int(np.ceil(np.abs(A).sum(axis=1).max())) % 7 + 1):
        v = A @ v
        v /= np.sqrt(v @ v)
    count = np.count_nonzero(x > 0.5)
    for i in range(count):
        v[i] -= v[i - 1] * 0.3
    return v @ A @ v


@construct("loops whose count depends on data", 0.4, 1e-3)
def adaptive_simpson_euler(y0, tol):
    t, h, y, kept = 0.0, 0.3, y0, [y0]
    while t < 1.0:
        h = min(h, 1.0 - t)
        full = y + h * (np.cos(t) - y ** 2)
        half = y + 0.5 * h * (np.cos(t) - y ** 2)
        half = half + 0.5 * h * (np.cos(t + 0.5 * h) - half ** 2)
        if abs(half - full) > tol * 10:
            h *= 0.5
            continue
        t += h
        y = 2 * half - full
        kept.append(y)
        h *= 1.3
    return y ** 2 + sum(kept[1:-1]) / len(kept)


@construct("loops over the rows of arrays", M34.copy(), V4)
def modified_gram_schmidt(M, shift):
    Q = M + shift
    for i, row in enumerate(Q):
        for other in Q[:i]:
            row -= (other @ row) * other
        norm = np.sqrt(row @ row)
        if norm > 1e-8:
            row /= norm
        else:
            row[:] = 0.0
    return np.sum(Q * M) + Q[0, 0]


@construct("loops over the rows of arrays", M44, 0.1)
def kalman_over_observations(Z, q):
    state, cov = np.zeros(4), np.eye(4)
    loglik = 0.0
    for z, noise in zip(Z, Z.T):
        cov = cov + q * np.eye(4)
        S = cov + np.diag(0.5 + noise ** 2)
        gain = np.linalg.solve(S, cov).T
        innovation = z - state
        if innovation @ innovation > 3.0:
            gain = 0.5 * gain
        state = state + gain @ innovation
        cov = cov - gain @ cov
        loglik -= 0.5 * innovation @ np.linalg.solve(S, innovation) + 0.5 * np.log(np.linalg.det(S))
    return loglik


@construct("loops over the rows of arrays", R.randn(2, 3, 4), V4)
def frames_of_pictures(video, w):
    background = np.zeros((3, 4))
    score = 0.0
    for frame in video:
        for line in frame:
            if line[0] > 0:
                line = line[::-1]
            score += line @ w
        background += 0.5 * (frame - background)
        for cell, value in np.ndenumerate(background):
            if value > 0.3:
                background[cell] = value ** 2
    return score ** 2 + np.sum(background ** 2)


@construct("loops nested to any depth", M34, R.randn(4, 3), 0.2)
def triple_matmul(A, B, leak):
    C = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(4):
                term = A[i, k] * B[k, j]
                C[i][j] += term if term > 0 else leak * term
    return np.sum(C ** 2)


@construct("loops nested to any depth", R.randn(1, 2, 5, 5), R.randn(2, 2, 2, 2))
def convolution_by_hand(images, kernels):
    n, c, h, w = images.shape
    f, _, kh, kw = kernels.shape
    out = np.zeros((n, f, h - kh + 1, w - kw + 1))
    for b in range(n):
        for o in range(f):
            for i in range(h - kh + 1):
                for j in range(w - kw + 1):
                    acc = 0.0
                    for ci in range(c):
                        for di in range(kh):
                            acc += images[b, ci, i + di, j:j + kw] @ kernels[o, ci, di]
                    out[b, o, i, j] = max(acc, 0.1 * acc)
    return np.mean(out ** 2)


@construct("loops nested to any depth", V4, 2)
def lattice_walk(p, reach):
    total, grid = 0.0, np.zeros((3, 3, 3))
    for i in range(-reach // 2, reach):
        for j in range(i, reach):
            weight = p[0] ** abs(i)
            for k in range(3):
                grid[i, j, k] += weight * p[k]
                for l in range(k):
                    if (i + j + l) % 2 == 0:
                        grid[k, l] *= p[3]
                    else:
                        total += grid[i, j, l]
    return total + np.sum(grid ** 2)


@construct("triangular loops", P33)
def cholesky_banachiewicz(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return 2 * np.sum(np.log(np.diag(L))) + L[n - 1, 0]


@construct("triangular loops", R.rand(5, 3) * 4, 0.8)
def lennard_jones(pos, eps):
    forces = np.zeros_like(pos)
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i + 1, len(pos)):
            d = pos[i] - pos[j]
            r2 = d @ d
            if r2 > 6.0:
                continue
            s6 = 1.0 / (0.1 + r2) ** 3
            energy += 4 * eps * (s6 * s6 - s6)
            f = 24 * eps * (2 * s6 * s6 - s6) / r2 * d
            forces[i] += f
            forces[j] -= f
    return energy + 1e-3 * np.sum(forces ** 2)


@construct("triangular loops", V5, V4)
def divided_differences(y, at):
    x = np.linspace(0.0, 1.0, 5)
    c = y.copy()
    for order in range(1, 5):
        for i in range(4, order - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - order])
    total = 0.0
    for t in at:
        p = c[-1]
        for i in range(3, -1, -1):
            p = p * (t - x[i]) + c[i]
        total += p ** 2
    return total


@construct("loops with steps", R.randn(8), 0.3)
def haar_wavelet(signal, keep):
    data = signal.copy()
    width = len(data)
    while width > 1:
        half = width // 2
        smooth = np.zeros(half)
        detail = np.zeros(half)
        for i in range(0, width, 2):
            smooth[i // 2] = (data[i] + data[i + 1]) / np.sqrt(2)
            detail[i // 2] = (data[i] - data[i + 1]) / np.sqrt(2)
        data[:half], data[half:width] = smooth, detail
        width = half
    for i in range(1, 8, 3):
        data[i] = data[i] if abs(data[i]) > keep else keep * data[i]
    return np.sum(data ** 3)


@construct("loops with steps", R.randn(9), 3)
def red_black_sweeps(u, period):
    for color in (0, 1):
        for i in range(1 + color, len(u) - 1, 2):
            u[i] = 0.5 * (u[i - 1] + u[i + 1])
    total = 0.0
    for i in range(len(u) - 1, 0, -period):
        total += u[i] * u[i - 1]
    for i in range(0, len(u), period):
        total += u[i:i + period].sum() ** 2
    return total


@construct("loops with steps", R.randn(8) + 1j * 0 if False else R.randn(8), 1.5)
def fft_butterflies(signal, scale):
    re, im = signal.copy(), np.zeros(8)
    order = [0, 4, 2, 6, 1, 5, 3, 7]
    re = re[order]
    size = 2
    while size <= 8:
        half = size // 2
        for start in range(0, 8, size):
            for k in range(half):
                c, s = np.cos(2 * np.pi * k / size), -np.sin(2 * np.pi * k / size)
                a, b = start + k, start + k + half
                tr, ti = c * re[b] - s * im[b], c * im[b] + s * re[b]
                re[b], im[b] = re[a] - tr, im[a] - ti
                re[a], im[a] = re[a] + tr, im[a] + ti
        size *= 2
    power = re ** 2 + im ** 2
    return np.sum(np.log1p(scale * power[::2])) + power[1]


@construct("reversed loops", S33, V4[:3])
def back_substitution(A, b):
    U = A.copy()
    y = b.copy()
    n = len(y)
    for k in range(n - 1):
        for i in range(k + 1, n):
            m = U[i, k] / U[k, k]
            U[i, k:] -= m * U[k, k:]
            y[i] -= m * y[k]
    x = np.empty(n)
    for i in reversed(range(n)):
        x[i] = (y[i] - U[i, i + 1:] @ x[i + 1:]) / U[i, i]
    return np.sum(x ** 2) + U[2, 2]


@construct("reversed loops", W6, 0.95)
def discounted_returns(rewards, gamma):
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + gamma * running if r > -1.0 else r
        returns.insert(0, running)
    advantage = 0.0
    for r, g in reversed(list(zip(rewards, returns))):
        advantage += (g - r) ** 2
    for g in returns[::-1]:
        advantage = 0.9 * advantage + g
    return advantage


@construct("reversed loops", M34, V5[:3])
def backprop_by_hand(W, x):
    layers = [W[:, :3], W[:, 1:]]
    acts = [x]
    for L in layers:
        acts.append(np.tanh(L @ acts[-1]))
    delta = acts[-1] - 0.5
    grads = []
    for L, a_in, a_out in zip(reversed(layers), reversed(acts[:-1]), acts[:0:-1]):
        delta = delta * (1 - a_out ** 2)
        grads.append(np.outer(delta, a_in))
        delta = L.T @ delta
    return sum(np.sum(g ** 2) for g in reversed(grads)) + delta @ x
