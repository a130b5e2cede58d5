"""Programs whose generated gradients are kept as texts and read by people."""

from __future__ import annotations

import numpy as np


def heat(u0, alpha, steps):
    u = u0.copy()
    cost = 0.0
    for t in range(steps):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] += alpha * lap
        cost += np.sum(u * u)
    return cost


def robust(x, scale):
    r = np.linalg.norm(x)
    if r < scale:
        return 0.5 * r * r
    while r > 10.0 * scale:
        r = 0.5 * r
    return scale * (r - 0.5 * scale)


def loss(W1, b1, W2, b2, X, y):
    h = np.tanh(X @ W1 + b1)
    pred = h @ W2 + b2
    err = pred - y
    return np.mean(err ** 2)


def relax(u, f, sweeps):
    un = u.copy()
    for _ in range(sweeps):
        un[1:-1] = 0.5 * (u[2:] + u[:-2] - f[1:-1])
        u, un = un, u
    return np.sum(u * u)


class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return np.tanh(x @ self.W + self.b)


def network(params, x):
    for p in params["layers"]:
        x = Layer(p["W"], p["b"])(x)
    return np.sum((x @ params["out"]) ** 2)


def recurrence(a, b, n):
    y = np.zeros(n)
    y[0] = b[0]
    for i in range(1, n):
        y[i] = a[i] * y[i - 1] + b[i]
    return np.sum(y * y)


def cholesky(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return np.sum(np.log(np.diag(L)))


def views(x):
    v = x[1:]
    v *= 2.0
    w = v[:2]
    w[0] = x[0] * 3.0
    return np.sum(x * x) + np.sum(v)


def rows(X, w):
    total = 0.0
    for row in X:
        total += np.sum(row * w) ** 2
    return total


def newton(x, tol):
    y = x
    while abs(y * y - x) > tol:
        y = 0.5 * (y + x / y)
    return y


def first_above(x, limit):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2
        if s > limit:
            return s * x[0]
    return s


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


R = np.random.default_rng(0)
A = np.eye(4) * 4 + 1.0
LAYERS = [{"W": R.normal(size=(3, 3)), "b": np.zeros(3)} for _ in range(2)]
def quadrature(w, a, b, tolerance):
    """Adaptive Simpson: the tree of intervals depends on data."""
    def f(t):
        return np.exp(-w * t) * np.sin(t)

    def area(a, b, fa, fm, fb, whole, tolerance):
        m = 0.5 * (a + b)
        fl, fr = f(0.5 * (a + m)), f(0.5 * (m + b))
        left = (m - a) / 6.0 * (fa + 4.0 * fl + fm)
        right = (b - m) / 6.0 * (fm + 4.0 * fr + fb)
        error = left + right - whole
        if abs(error) <= 15.0 * tolerance:
            return left + right + error / 15.0
        return (area(a, m, fa, fl, fm, left, 0.5 * tolerance)
                + area(m, b, fm, fr, fb, right, 0.5 * tolerance))

    m = 0.5 * (a + b)
    fa, fm, fb = f(a), f(m), f(b)
    return area(a, b, fa, fm, fb, (b - a) / 6.0 * (fa + 4.0 * fm + fb), tolerance)


def log_sum(x):
    """``log(sum(exp(x)))`` by halves."""
    n = len(x)
    if n == 1:
        return x[0]
    return np.logaddexp(log_sum(x[:n // 2]), log_sum(x[n // 2:]))


PROGRAMS = {
    "heat": (heat, (R.normal(size=9), 0.3, 4), (0, 1)),
    "heat_state_only": (heat, (R.normal(size=9), 0.3, 4), (0,)),
    "robust": (robust, (R.normal(size=4), 0.01), (0, 1)),
    "loss": (loss, tuple(R.normal(size=s) for s in (
        (3, 5), (5,), (5, 2), (2,), (6, 3), (6, 2))), (0, 1, 2, 3)),
    "relax": (relax, (R.normal(size=7), R.normal(size=7), 3), (0, 1)),
    "network": (network, ({"layers": LAYERS, "out": R.normal(size=(3, 2))},
                          R.normal(size=(4, 3))), (0,)),
    "recurrence": (recurrence, (R.normal(size=6), R.normal(size=6), 6), (0, 1)),
    "cholesky": (cholesky, (A,), (0,)),
    "views": (views, (R.normal(size=5),), (0,)),
    "rows": (rows, (R.normal(size=(3, 4)), R.normal(size=4)), (0, 1)),
    "newton": (newton, (3.0, 1e-9), (0,)),
    "first_above": (first_above, (np.abs(R.normal(size=5)), 1.0), (0,)),
    "rosenbrock": (rosenbrock, (R.normal(size=5),), (0,)),
    "quadrature": (quadrature, (0.7, 0.0, 4.0, 1e-6), (0, 2)),
    "log_sum": (log_sum, (R.normal(size=7),), (0,)),
}
