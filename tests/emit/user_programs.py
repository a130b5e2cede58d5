"""Programs as users write them: (function, arguments, arguments to differentiate)."""

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


def damped(x, w):
    """The test of the loop runs once more after the last iteration, with a variable of its own."""
    while 1.0 < np.sum(x * x) < 100.0:
        x = x * (0.5 * np.exp(w)) + 0.1 * np.sin(x)
    return np.sum(x ** 3)


def layer(x, W, b):
    return np.tanh(x @ W + b)


def net(W, b, x):
    for i in range(3):
        x = layer(x, W, b)
    return np.sum(x)


def recurrence(a, b, n):
    y = np.zeros(n)
    y[0] = b[0]
    for i in range(1, n):
        y[i] = a[i] * y[i - 1] + b[i]
    return y[-1] + np.sum(y * y)


def cholesky(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for j in range(n):
        L[j, j] = np.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return np.sum(np.log(np.diag(L)))


def newton(x, tol):
    y = x
    n = 0
    while abs(y * y - x) > tol and n < 50:
        y = 0.5 * (y + x / y)
        n += 1
    return y


def find(x, t):
    s = 0.0
    for i in range(x.shape[0]):
        if s > t:
            break
        s += x[i] ** 2
    return s


def early(x, t):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            s = s + x[i] * x[j]
            if s > t:
                return s * x[0]
    return s


def listy(x, n):
    L = []
    for i in range(n):
        L.append(np.sin(x * i))
    return np.sum(np.stack(L) * x)


def views(x):
    v = x[1:]
    v *= 2.0
    w = v[:2]
    w[0] = x[0] * 3.0
    return np.sum(x * x) + np.sum(v)


def cond(x, p):
    y = x * 2.0 if p > 0 else x - 1.0
    if p > 1:
        y = y * y
    elif p > 0:
        y[0] = 5.0 * x[1]
    else:
        z = y + 1
        y = z * x
    return np.sum(y)


def rows(X, w):
    t = 0.0
    for row in X:
        t += np.sum(row * w) ** 2
    return t


def rosen(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(len(x) - 1))


def rosenv(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def mutate(x, y):
    x[0] = y[1] * 3
    x += y
    return np.sum(x * y)


def collatz(x, n):
    s = x
    k = n
    while k != 1:
        if k % 2 == 0:
            k = k // 2
            s = s * 1.01
        else:
            k = 3 * k + 1
            s = s + np.sin(s)
    return s


R = np.random.default_rng(0)
A = R.normal(size=(4, 4))
A = A @ A.T + 4 * np.eye(4)
PROGRAMS = [
    (heat, [R.normal(size=9), 0.3, 4], [0, 1]),
    (heat, [R.normal(size=3), 0.3, 0], [0, 1]),
    (robust, [R.normal(size=4), 0.01], [0, 1]),
    (robust, [R.normal(size=4), 10.0], [0, 1]),
    (damped, [np.linspace(1.0, 2.0, 4), np.linspace(-0.3, 0.1, 4)], [0, 1]),
    (loss, [R.normal(size=s) for s in ((3, 5), (5,), (5, 2), (2,), (6, 3), (6, 2))], [0, 1, 2, 3]),
    (relax, [R.normal(size=7), R.normal(size=7), 3], [0, 1]),
    (relax, [R.normal(size=7), R.normal(size=7), 4], [0, 1]),
    (net, [R.normal(size=(3, 3)), R.normal(size=3), R.normal(size=(2, 3))], [0, 1, 2]),
    (recurrence, [R.normal(size=6), R.normal(size=6), 6], [0, 1]),
    (cholesky, [A], [0]),
    (newton, [3.0, 1e-9], [0]),
    (find, [R.normal(size=6), 1.0], [0]),
    (early, [abs(R.normal(size=4)), 3.0], [0]),
    (early, [abs(R.normal(size=4)), 3000.0], [0]),
    (views, [R.normal(size=5)], [0]),
    (cond, [R.normal(size=3), 0.5], [0, 1]),
    (cond, [R.normal(size=3), -0.5], [0]),
    (cond, [R.normal(size=3), 1.5], [0]),
    (rows, [R.normal(size=(3, 4)), R.normal(size=4)], [0, 1]),
    (rosen, [R.normal(size=5)], [0]),
    (rosenv, [R.normal(size=5)], [0]),
    (mutate, [R.normal(size=3), R.normal(size=3)], [0, 1]),
    (collatz, [0.3, 6], [0]),
    (listy, [R.normal(size=3), 4], [0]),
]
