"""The programs that are measured, with gradients written by hand.

Each hand-written gradient returns value and gradient together, as careful NumPy code does.
"""

from __future__ import annotations

import numpy as np


def heat(u0, alpha, steps):
    u = u0.copy()
    cost = 0.0
    for _ in range(steps):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] += alpha * lap
        cost += np.sum(u * u)
    return cost


def heat_by_hand(u0, alpha, steps):
    u = u0.copy()
    cost = 0.0
    states = np.empty((steps, u.size))
    laps = np.empty((steps, u.size - 2))
    for t in range(steps):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        laps[t] = lap
        u[1:-1] += alpha * lap
        states[t] = u
        cost += np.sum(u * u)
    d_u = np.zeros_like(u)
    d_alpha = 0.0
    for t in range(steps - 1, -1, -1):
        d_u += 2.0 * states[t]
        d_lap = alpha * d_u[1:-1]
        d_alpha += laps[t].dot(d_u[1:-1])
        d_u[2:] += d_lap
        d_u[1:-1] -= 2.0 * d_lap
        d_u[:-2] += d_lap
    return cost, (d_u, float(d_alpha))


def mlp(W1, b1, W2, b2, X, y):
    h = np.tanh(X @ W1 + b1)
    err = h @ W2 + b2 - y
    return np.mean(err ** 2)


def mlp_by_hand(W1, b1, W2, b2, X, y):
    h = np.tanh(X @ W1 + b1)
    err = h @ W2 + b2 - y
    value = np.mean(err ** 2)
    d_pred = err * (2.0 / err.size)
    d_h = d_pred @ W2.T
    d_h *= 1.0 - h * h
    return value, (X.T @ d_h, d_h.sum(axis=0), h.T @ d_pred, d_pred.sum(axis=0))


def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_by_hand(x):
    total = 0.0
    d_x = np.zeros_like(x)
    for i in range(len(x) - 1):
        xi = x[i]
        gap, rest = x[i + 1] - xi ** 2, 1.0 - xi
        total += 100.0 * gap ** 2 + rest ** 2
        d_x[i] -= 400.0 * gap * xi + 2.0 * rest
        d_x[i + 1] += 200.0 * gap
    return total, d_x


def recurrence(a, b):
    y = np.empty_like(b)
    y[0] = b[0]
    for i in range(1, len(b)):
        y[i] = a[i] * y[i - 1] + b[i]
    return np.sum(y)


def recurrence_by_hand(a, b):
    y = np.empty_like(b)
    y[0] = b[0]
    for i in range(1, len(b)):
        y[i] = a[i] * y[i - 1] + b[i]
    d_a, d_b = np.zeros_like(a), np.empty_like(b)
    d_y = 0.0
    for i in range(len(b) - 1, 0, -1):
        d_y += 1.0
        d_a[i] = d_y * y[i - 1]
        d_b[i] = d_y
        d_y *= a[i]
    d_b[0] = d_y + 1.0
    return np.sum(y), (d_a, d_b)


def twenty_lines(x, w, n):
    h = np.tanh(x * w)
    s = np.sum(h)
    c = h - s / len(h)
    v = np.mean(c ** 2)
    z = c / np.sqrt(v + 1e-6)
    u = z.copy()
    for _ in range(n):
        u[1:] = 0.5 * (u[1:] + u[:-1])
        u[0] = 0.9 * u[0]
    if s > 0.0:
        p = np.exp(-u)
    else:
        p = np.log1p(u * u)
    q = p * w
    r = np.maximum(q, 0.0)
    a = np.cumsum(r)
    b = a[::-1] * x
    d = np.sum(b) / (1.0 + np.sum(r))
    e = np.abs(d) + 0.5 * v
    f = e * np.log(e + 1.0)
    return f + np.sum(x * w)


def make_long(statements):
    """Text of a function with that many statements."""
    forms = ("t = np.sin(t) + x", "t = t * w", "t[1:] += t[:-1]", "t = np.tanh(t)")
    lines = [f"    {forms[i % len(forms)]}" for i in range(statements)]
    return "\n".join(["import numpy as np", "", "def long(x, w):", "    t = x.copy()", *lines,
                      "    return np.sum(t)", ""])


def arguments():
    """Name, function, hand-written gradient, arguments, argnums."""
    rng = np.random.default_rng(0)

    def net(n, d, k, m=4):
        return (rng.normal(size=(d, k)) / d ** 0.5, rng.normal(size=k), rng.normal(size=(k, m)),
                rng.normal(size=m), rng.normal(size=(n, d)), rng.normal(size=(n, m)))

    return [
        ("heat, n=64, 100 steps", heat, heat_by_hand, (rng.random(64), 0.2, 100), (0, 1)),
        ("heat, n=4096, 100 steps", heat, heat_by_hand, (rng.random(4096), 0.2, 100), (0, 1)),
        ("MLP 32x8x16", mlp, mlp_by_hand, net(32, 8, 16), (0, 1, 2, 3)),
        ("MLP 1024x256x512", mlp, mlp_by_hand, net(1024, 256, 512), (0, 1, 2, 3)),
        ("Rosenbrock loop, n=100", rosenbrock, rosenbrock_by_hand, (rng.random(100),), 0),
        ("recurrence, n=1000", recurrence, recurrence_by_hand,
         (rng.random(1000), rng.random(1000)), (0, 1)),
        ("recurrence, n=10000", recurrence, recurrence_by_hand,
         (rng.random(10_000), rng.random(10_000)), (0, 1)),
        ("recurrence, n=100000", recurrence, recurrence_by_hand,
         (rng.random(100_000), rng.random(100_000)), (0, 1)),
    ]
