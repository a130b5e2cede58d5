"""Golden programs of the second kind: models, series, derivatives inside a program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import srcgrad as sg


@dataclass
class Dense:
    W: np.ndarray
    b: np.ndarray
    activation: str

    def __call__(self, x):
        z = x @ self.W + self.b
        return np.tanh(z) if self.activation == "tanh" else z


class Model:
    def __init__(self, layers):
        self.layers = layers

    def loss(self, x, y):
        for layer in self.layers:
            x = layer(x)
        return np.mean((x - y) ** 2)


def class_model(model, x, y):
    return model.loss(x, y)


def garch(theta, returns):
    omega, alpha, beta = theta
    variance = np.mean(returns ** 2)
    total = 0.0
    for r in returns:
        total += np.log(variance) + r * r / variance
        news = alpha * r * r
        if r < 0.0:
            news *= 1.5
        variance = omega + news + beta * variance
    return total


def kalman(a, q, r, observed):
    mean, spread, score = 0.0, 1.0, 0.0
    for y in observed:
        mean = a * mean
        spread = a * a * spread + q
        error = y - mean
        total = spread + r
        gain = spread / total
        mean = mean + gain * error
        spread = (1.0 - gain) * spread
        score += np.log(total) + error * error / total
    return score


def cross_entropy(params, X, labels):
    scores = X @ params["W"] + params["b"]
    shifted = scores - np.max(scores, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_norm - shifted[np.arange(len(labels)), labels])


def collected(x, n):
    states = []
    for _ in range(n):
        x = np.sin(x) * x
        states.append(x)
    total = 0.0
    for s in states:
        total += np.sum(s * s)
    return total


def energy(x):
    return np.sum(x ** 4) + x[0] * x[1]


def gradient_norm(x):
    g = sg.grad(energy)(x)
    return np.sum(g * g)


def bisection(f0, target):
    low, high = 0.0, f0
    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        if middle * middle < target:
            low = middle
        else:
            high = middle
    return low + (target - low * low) / (2.0 * low)


def rod(alpha, u, steps):
    n = len(u)
    u = list(u)
    for _ in range(steps):
        new = u[:]
        for i in range(1, n - 1):
            new[i] = u[i] + alpha * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = new
    return sum(v ** 2 for v in u)


def tridiagonal(b, c, d):
    n = len(b)
    cp = [0.0] * n
    dp = [0.0] * n
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - dp[i - 1]) / m
    x = [0.0] * n
    x[-1] = dp[-1]
    for i in reversed(range(n - 1)):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return sum(x)


def upwind(u, nu, dt, dx, steps):
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            slope = u[i] - u[i - 1] if u[i] > 0.0 else u[i + 1] - u[i]
            steep = abs(u[i + 1] - u[i - 1]) / (2 * dx)
            if steep > 1.0:
                if steep < 5.0:
                    visc = nu * (1 + steep)
                else:
                    visc = 6.0 * nu
            else:
                visc = nu
            new[i] -= dt * (u[i] * slope / dx - visc * (u[i + 1] - 2 * u[i] + u[i - 1]) / dx ** 2)
        u = new
    return np.sum(u ** 2)


def nearest(points, centers):
    sums = np.zeros_like(centers)
    for p in points:
        k = min(range(len(centers)), key=lambda j: np.sum((p - centers[j]) ** 2))
        sums[k] += p
    return sum(min(np.sum((p - c) ** 2) for c in sums) for p in points)


R = np.random.default_rng(5)
MODEL = Model([Dense(R.normal(size=(3, 4)), R.normal(size=4), "tanh"),
               Dense(R.normal(size=(4, 2)), R.normal(size=2), "linear")])
MODELS = {
    "class_model": (class_model, (MODEL, R.normal(size=(5, 3)), R.normal(size=(5, 2))), (0,)),
    "garch": (garch, (np.array([0.1, 0.1, 0.8]), R.normal(size=8)), (0,)),
    "kalman": (kalman, (0.9, 0.2, 0.5, R.normal(size=8)), (0, 1, 2)),
    "cross_entropy": (cross_entropy, ({"W": R.normal(size=(3, 4)), "b": np.zeros(4)},
                                      R.normal(size=(6, 3)), R.integers(0, 4, 6)), (0,)),
    "collected": (collected, (R.normal(size=4), 3), (0,)),
    "gradient_norm": (gradient_norm, (R.normal(size=4),), (0,)),
    "rod": (rod, (0.1, [1.0, 2.0, 0.5, 3.0, 1.0], 3), (0, 1)),
    "tridiagonal": (tridiagonal, ([4.0, 4.0, 5.0, 4.0], [1.0, 1.0, 1.0, 0.0],
                                  [1.0, 2.0, 3.0, 4.0]), (0, 1, 2)),
    "upwind": (upwind, (R.normal(size=7), 0.7, 0.01, 0.5, 3), (0, 1)),
    "nearest": (nearest, (R.normal(size=(5, 2)), R.normal(size=(3, 2))), (0,)),
    "bisection": (bisection, (2.0, 2.0), (0, 1)),
}
