"""Models as people write them with NumPy, and their gradients written by hand.

Each hand-written gradient returns value and gradient together, as careful NumPy code does:
what the value needs is computed once, in the same order as in the function.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf


def logistic(w, b, X, y, penalty):
    margins = y * (X @ w + b)
    return np.mean(np.log1p(np.exp(-margins))) + 0.5 * penalty * (w @ w)


def logistic_by_hand(w, b, X, y, penalty):
    e = np.exp(-(y * (X @ w + b)))
    e1 = 1.0 + e
    value = np.mean(np.log1p(e)) + 0.5 * penalty * (w @ w)
    d_z = y * (e / e1) * (-1.0 / e.size)
    return value, (d_z @ X + penalty * w, d_z.sum())


def softmax_regression(W, b, X, labels):
    scores = X @ W + b
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(log_norm - scores[np.arange(len(labels)), labels])


def softmax_regression_by_hand(W, b, X, labels):
    scores = X @ W + b
    scores = scores - np.max(scores, axis=1, keepdims=True)
    e = np.exp(scores)
    s = np.sum(e, axis=1)
    rows = np.arange(len(labels))
    value = np.mean(np.log(s) - scores[rows, labels])
    n = len(labels)
    d = e * (1.0 / (n * s))[:, None]
    d[rows, labels] -= 1.0 / n
    return value, (X.T @ d, d.sum(axis=0))


def mixture(alphas, means, log_scales, x):
    z = (x[:, None, :] - means) * np.exp(-log_scales)
    logp = alphas - np.sum(log_scales, axis=1) - 0.5 * np.sum(z ** 2, axis=2)
    top = np.max(logp, axis=1)
    total = top + np.log(np.sum(np.exp(logp - top[:, None]), axis=1))
    return np.sum(total) - len(x) * np.log(np.sum(np.exp(alphas)))


def mixture_by_hand(alphas, means, log_scales, x):
    inverse = np.exp(-log_scales)
    z = (x[:, None, :] - means) * inverse
    logp = alphas - np.sum(log_scales, axis=1) - 0.5 * np.sum(z ** 2, axis=2)
    top = np.max(logp, axis=1)
    e = np.exp(logp - top[:, None])
    s = np.sum(e, axis=1)
    ea = np.exp(alphas)
    norm = np.sum(ea)
    value = np.sum(top + np.log(s)) - len(x) * np.log(norm)
    r = e / s[:, None]
    weight = r.sum(axis=0)
    d_z = z * r[:, :, None]
    d_scales = np.einsum("nkd,nkd->kd", d_z, z) - weight[:, None]
    return value, (weight - ea * (len(x) / norm), d_z.sum(axis=0) * inverse, d_scales)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(Wx, Wh, b, xs, target):
    n = Wh.shape[0]
    h = np.zeros((xs.shape[1], n))
    c = np.zeros((xs.shape[1], n))
    for x in xs:
        gates = x @ Wx + h @ Wh + b
        i = sigmoid(gates[:, :n])
        f = sigmoid(gates[:, n:2 * n])
        o = sigmoid(gates[:, 2 * n:3 * n])
        g = np.tanh(gates[:, 3 * n:])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum((h - target) ** 2)


def lstm_by_hand(Wx, Wh, b, xs, target):
    steps, batch, _ = xs.shape
    n = Wh.shape[0]
    h = np.zeros((batch, n))
    c = np.zeros((batch, n))
    kept = []
    hs = np.empty((steps, batch, n))
    for t in range(steps):
        hs[t] = h
        gates = xs[t] @ Wx + h @ Wh + b
        i = sigmoid(gates[:, :n])
        f = sigmoid(gates[:, n:2 * n])
        o = sigmoid(gates[:, 2 * n:3 * n])
        g = np.tanh(gates[:, 3 * n:])
        old = c
        c = f * c + i * g
        tc = np.tanh(c)
        h = o * tc
        kept.append((old, i, f, o, g, tc))
    err = h - target
    value = np.sum(err ** 2)
    d_h = 2.0 * err
    d_c = np.zeros((batch, n))
    d_gates = np.empty((steps, batch, 4 * n))
    WhT = Wh.T
    for t in range(steps - 1, -1, -1):
        old, i, f, o, g, tc = kept[t]
        d_gate = d_gates[t]
        d_c += d_h * o * (1.0 - tc * tc)
        d_gate[:, :n] = d_c * g * (i * (1.0 - i))
        d_gate[:, n:2 * n] = d_c * old * (f * (1.0 - f))
        d_gate[:, 2 * n:3 * n] = d_h * tc * (o * (1.0 - o))
        d_gate[:, 3 * n:] = d_c * i * (1.0 - g * g)
        d_c *= f
        d_h = d_gate @ WhT
    flat = d_gates.reshape(-1, 4 * n)
    return value, (xs.reshape(-1, xs.shape[2]).T @ flat, hs.reshape(-1, n).T @ flat,
                   flat.sum(axis=0))


def attention(Wq, Wk, Wv, x):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T / np.sqrt(q.shape[1])
    scores = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = scores / np.sum(scores, axis=1, keepdims=True)
    return np.mean((weights @ v) ** 2)


def attention_by_hand(Wq, Wk, Wv, x):
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    root = np.sqrt(q.shape[1])
    scores = q @ k.T / root
    scores = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = scores / np.sum(scores, axis=1, keepdims=True)
    out = weights @ v
    d_out = out * (2.0 / out.size)
    d_v = weights.T @ d_out
    d = d_out @ v.T
    d -= np.einsum("ij,ij->i", d, weights)[:, None]
    d *= weights
    d /= root
    return np.mean(out ** 2), (x.T @ (d @ k), x.T @ (d.T @ q), x.T @ d_v)


def gaussian_process(log_length, log_noise, X, y):
    gaps = X[:, None] - X[None, :]
    K = np.exp(-0.5 * gaps ** 2 * np.exp(-2.0 * log_length))
    K = K + np.exp(log_noise) * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(K, y)
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))


def gaussian_process_by_hand(log_length, log_noise, X, y):
    gaps = X[:, None] - X[None, :]
    inverse = np.exp(-2.0 * log_length)
    exponent = -0.5 * gaps ** 2 * inverse
    K0 = np.exp(exponent)
    noise = np.exp(log_noise)
    K = K0 + noise * np.eye(len(X))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(K, y)
    value = 0.5 * y @ alpha + np.sum(np.log(np.diag(L)))
    Linv = np.linalg.inv(L)
    d_K = 0.5 * (Linv.T @ Linv - np.outer(alpha, alpha))
    d_noise = np.trace(d_K) * noise
    return value, (-2.0 * np.vdot(d_K * K0, exponent), d_noise)


def chain(x, w):
    a = np.sin(x) * w
    b = np.exp(-a * a)
    c = np.sqrt(1.0 + b) / (2.0 + np.cos(x))
    return np.sum(np.tanh(c) * b)


def chain_by_hand(x, w):
    s, cosx = np.sin(x), np.cos(x)
    a = s * w
    b = np.exp(-a * a)
    root = np.sqrt(1.0 + b)
    below = 2.0 + cosx
    c = root / below
    t = np.tanh(c)
    d_c = (1.0 - t * t) * b
    d_c /= below
    d_x = d_c * c
    d_x *= s
    d_c /= root
    d_c *= 0.5
    d_c += t
    d_c *= b
    d_c *= a
    d_c *= -2.0
    d_w = d_c * s
    d_c *= w
    d_c *= cosx
    d_x += d_c
    return np.sum(t * b), (d_x, d_w)


def black_scholes(spot, vol, strike, years, rate):
    root = vol * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol ** 2) * years) / root
    d2 = d1 - root
    n1 = 0.5 * (1.0 + erf(d1 / np.sqrt(2.0)))
    n2 = 0.5 * (1.0 + erf(d2 / np.sqrt(2.0)))
    return np.sum(spot * n1 - strike * np.exp(-rate * years) * n2)


def black_scholes_by_hand(spot, vol, strike, years, rate):
    root_years = np.sqrt(years)
    root = vol * root_years
    d1 = (np.log(spot / strike) + (rate + 0.5 * vol ** 2) * years) / root
    d2 = d1 - root
    n1 = 0.5 * (1.0 + erf(d1 / np.sqrt(2.0)))
    n2 = 0.5 * (1.0 + erf(d2 / np.sqrt(2.0)))
    discounted = strike * np.exp(-rate * years)
    value = np.sum(spot * n1 - discounted * n2)
    density = 1.0 / np.sqrt(2.0 * np.pi)
    p1 = spot * np.exp(-0.5 * d1 * d1)
    p1 *= density
    p2 = discounted * np.exp(-0.5 * d2 * d2)
    p2 *= density
    d_d1 = p1 - p2
    d_root = p2 - d_d1 * d1 / root
    d_spot = n1 + d_d1 / (root * spot)
    d_vol = d_root * root_years
    d_vol += d_d1 * root_years  # vol * years / root
    return value, (d_spot, d_vol)


def rosenbrock_arrays(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_arrays_by_hand(x):
    head = x[:-1]
    gap, rest = x[1:] - head ** 2, 1.0 - head
    value = np.sum(100.0 * gap ** 2 + rest ** 2)
    gap *= 200.0
    d_x = np.empty_like(x)
    d_x[-1] = 0.0
    np.multiply(gap, head, out=d_x[:-1])
    d_x[:-1] += rest
    d_x *= -2.0
    d_x[1:] += gap
    return value, d_x


def cases():
    """Name, function, hand-written gradient, arguments, argnums."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 50))
    n, k, d = 500, 8, 4
    hidden, width = 16, 8
    seq = rng.normal(size=(128, 32))
    points = np.sort(rng.random(150)) * 10.0
    return [
        ("logistic regression 1000x50", logistic, logistic_by_hand,
         (rng.normal(size=50), 0.3, X, np.sign(rng.normal(size=1000)), 0.1), (0, 1)),
        ("softmax regression 500x64, 10 classes", softmax_regression,
         softmax_regression_by_hand,
         (rng.normal(size=(64, 10)), rng.normal(size=10), rng.normal(size=(500, 64)),
          rng.integers(0, 10, 500)), (0, 1)),
        ("Gaussian mixture, 500 points, 8 of dim. 4", mixture, mixture_by_hand,
         (rng.normal(size=k), rng.normal(size=(k, d)), 0.3 * rng.normal(size=(k, d)),
          rng.normal(size=(n, d))), (0, 1, 2)),
        ("LSTM, 50 steps, 8x8 -> 16", lstm, lstm_by_hand,
         (0.3 * rng.normal(size=(width, 4 * hidden)), 0.3 * rng.normal(size=(hidden, 4 * hidden)),
          rng.normal(size=4 * hidden), rng.normal(size=(50, 8, width)),
          rng.normal(size=(8, hidden))), (0, 1, 2)),
        ("attention 128x32", attention, attention_by_hand,
         (*(0.2 * rng.normal(size=(32, 32)) for _ in range(3)), seq), (0, 1, 2)),
        ("Gaussian process, 150 points", gaussian_process, gaussian_process_by_hand,
         (0.1, -2.0, points, np.sin(points)), (0, 1)),
        ("elementwise chain, 1,000,000", chain, chain_by_hand,
         (rng.normal(size=1_000_000), rng.normal(size=1_000_000)), (0, 1)),
        ("Black-Scholes, 100,000 options", black_scholes, black_scholes_by_hand,
         (90.0 + 20.0 * rng.random(100_000), 0.1 + 0.4 * rng.random(100_000),
          np.full(100_000, 100.0), 0.2 + rng.random(100_000), 0.02), (0, 1)),
        ("Rosenbrock with arrays, 10,000", rosenbrock_arrays, rosenbrock_arrays_by_hand,
         (rng.normal(size=10_000),), 0),
    ]
