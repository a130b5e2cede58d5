"""More programs over whole arrays, and the table of all of them in three sizes."""

from __future__ import annotations

import numpy as np
from array_programs import (
    call_price,
    call_price_by_hand,
    classifier,
    classifier_by_hand,
    convolution,
    convolution_by_hand,
    cross_entropy,
    cross_entropy_by_hand,
    damped_wave,
    damped_wave_by_hand,
    gaussian_mixture,
    gaussian_mixture_by_hand,
    kalman,
    kalman_by_hand,
    layer_norm,
    layer_norm_by_hand,
    log_sum_exp,
    log_sum_exp_by_hand,
    marginal_likelihood,
    marginal_likelihood_by_hand,
    multi_head,
    multi_head_by_hand,
    pair_energy,
    pair_energy_by_hand,
    principal,
    principal_by_hand,
    ridge,
    ridge_by_hand,
)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_step(W, U, b, x, h, c):
    n = h.shape[1]
    z = x @ W + h @ U + b
    i, f, o = sigmoid(z[:, :n]), sigmoid(z[:, n:2 * n]), sigmoid(z[:, 2 * n:3 * n])
    g = np.tanh(z[:, 3 * n:])
    c = f * c + i * g
    h = o * np.tanh(c)
    return np.sum(h ** 2)


def lstm_step_by_hand(W, U, b, x, h, c):
    n = h.shape[1]
    z = x @ W + h @ U + b
    ifo = sigmoid(z[:, :3 * n])
    i, f, o = ifo[:, :n], ifo[:, n:2 * n], ifo[:, 2 * n:]
    g = np.tanh(z[:, 3 * n:])
    tc = np.tanh(f * c + i * g)
    out = o * tc
    value = np.sum(out ** 2)
    d_h = 2.0 * out
    d_c = d_h * o
    d_c *= 1.0 - tc * tc
    slope = 1.0 - ifo
    slope *= ifo
    np.multiply(d_c, g, out=z[:, :n])
    np.multiply(d_c, c, out=z[:, n:2 * n])
    np.multiply(d_h, tc, out=z[:, 2 * n:3 * n])
    z[:, :3 * n] *= slope
    np.multiply(d_c, i, out=z[:, 3 * n:])
    z[:, 3 * n:] *= 1.0 - g * g
    return value, (x.T @ z, h.T @ z, z.sum(axis=0))


def heat_plate(u0, rate, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + rate * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
    return np.sum(u ** 2)


def heat_plate_by_hand(u0, rate, steps):
    u = u0.copy()
    laps = np.empty((steps, u.shape[0] - 2, u.shape[1] - 2))
    for t in range(steps):
        lap = laps[t]
        np.add(u[2:, 1:-1], u[:-2, 1:-1], out=lap)
        lap += u[1:-1, 2:]
        lap += u[1:-1, :-2]
        lap -= 4.0 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] += rate * lap
    value = np.sum(u ** 2)
    d_rate = 0.0
    d = 2.0 * u
    for t in range(steps - 1, -1, -1):
        inner = d[1:-1, 1:-1]
        d_rate += np.vdot(laps[t], inner)
        d_lap = rate * inner
        inner -= 4.0 * d_lap
        d[2:, 1:-1] += d_lap
        d[:-2, 1:-1] += d_lap
        d[1:-1, 2:] += d_lap
        d[1:-1, :-2] += d_lap
    return value, (d, d_rate)


def logistic(w, X, y, penalty):
    z = X @ w
    return np.mean(np.logaddexp(0.0, z) - y * z) + penalty * np.sum(w ** 2)


def logistic_by_hand(w, X, y, penalty):
    z = X @ w
    soft = np.logaddexp(0.0, z)
    value = np.mean(soft - y * z) + penalty * np.sum(w ** 2)
    z -= soft
    d_z = np.exp(z, out=z)
    d_z -= y
    d_z /= len(y)
    return value, d_z @ X + (2.0 * penalty) * w


def correlation(X):
    Z = X - X.mean(axis=0)
    cov = Z.T @ Z / (len(X) - 1)
    s = np.sqrt(np.diag(cov))
    R = cov / s[:, None] / s[None, :]
    return np.sum(R ** 4)


def correlation_by_hand(X):
    Z = X - X.mean(axis=0)
    n = len(X)
    cov = Z.T @ Z / (n - 1)
    s = np.sqrt(np.diag(cov))
    R = cov / s[:, None] / s[None, :]
    squares = R ** 2
    value = np.sum(squares ** 2)
    squares *= R
    squares *= 4.0
    d_s = (squares * R).sum(axis=0)  # R and its cotangent are symmetric
    squares /= s[:, None]
    squares /= s
    d_s /= s ** 2
    squares[np.diag_indices(len(s))] -= d_s
    squares *= 2.0 / (n - 1)
    d_Z = Z @ squares
    d_Z -= d_Z.mean(axis=0)
    return value, d_Z


def normal_density(mean, A, X):
    S = A @ A.T + np.eye(len(mean))
    Z = X - mean
    _, logdet = np.linalg.slogdet(S)
    return 0.5 * np.sum(Z @ np.linalg.inv(S) * Z) + 0.5 * len(X) * logdet


def normal_density_by_hand(mean, A, X):
    S = A @ A.T + np.eye(len(mean))
    Z = X - mean
    _, logdet = np.linalg.slogdet(S)
    P = np.linalg.inv(S)
    ZP = Z @ P
    value = 0.5 * np.sum(ZP * Z) + 0.5 * len(X) * logdet
    d_S = P * len(X)
    d_S -= ZP.T @ ZP
    return value, (-ZP.sum(axis=0), d_S @ A)


def factorise(U, V, R, mask, penalty):
    E = mask * (U @ V.T - R)
    return np.sum(E ** 2) + penalty * (np.sum(U ** 2) + np.sum(V ** 2))


def factorise_by_hand(U, V, R, mask, penalty):
    E = U @ V.T
    E -= R
    E *= mask
    value = np.sum(E ** 2) + penalty * (np.sum(U ** 2) + np.sum(V ** 2))
    E *= mask
    E *= 2.0
    d_U, d_V = E @ V, E.T @ U
    d_U += (2.0 * penalty) * U
    d_V += (2.0 * penalty) * V
    return value, (d_U, d_V)


def poisson(beta, X, counts, offsets):
    eta = X @ beta + offsets
    return np.sum(np.exp(eta) - counts * eta)


def poisson_by_hand(beta, X, counts, offsets):
    eta = X @ beta
    eta += offsets
    rate = np.exp(eta)
    value = np.sum(rate - counts * eta)
    rate -= counts
    return value, rate @ X


def gelu_net(W, b, v, X, y):
    z = X @ W + b
    h = 0.5 * z * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (z + 0.044715 * z ** 3)))
    return np.mean((h @ v - y) ** 2)


def gelu_net_by_hand(W, b, v, X, y):
    z = X @ W
    z += b
    root = np.sqrt(2.0 / np.pi)
    t = np.tanh(root * (z + 0.044715 * z ** 3))  # the power as in the function: the same bits
    half = 1.0 + t
    half *= 0.5
    h = z * half
    err = h @ v - y
    value = np.mean(err ** 2)
    err *= 2.0 / len(y)
    slope = z * z
    slope *= 3.0 * 0.044715
    slope += 1.0
    slope *= z
    slope *= 0.5 * root
    t *= t
    np.subtract(1.0, t, out=t)
    slope *= t
    half += slope
    half *= err[:, None]
    half *= v
    return value, (X.T @ half, half.sum(axis=0), err @ h)


def cases():
    """Name, size, function, hand-written gradient, arguments, argnums."""
    rng = np.random.default_rng(7)
    normal, uniform = rng.normal, rng.random
    found = []

    def add(name, function, by_hand, argnums, sizes, make):
        for label, size in zip(("small", "medium", "large"), sizes):
            found.append((name, label, function, by_hand, make(*np.atleast_1d(size).tolist()),
                          argnums))

    add("damped wave", damped_wave, damped_wave_by_hand, (0, 1), (100, 10_000, 1_000_000),
        lambda n: (normal(size=n), 1.5))
    add("softmax cross-entropy", cross_entropy, cross_entropy_by_hand, 0,
        ((16, 5), (200, 50), (2000, 200)),
        lambda n, k: (normal(size=(n, k)), rng.integers(0, k, n)))
    add("call prices", call_price, call_price_by_hand, (0, 1, 2, 3, 4), (100, 10_000, 300_000),
        lambda n: (90.0 + 20.0 * uniform(n), 90.0 + 20.0 * uniform(n), 0.1 + 0.4 * uniform(n),
                   0.2 + uniform(n), 0.02))
    add("log-sum-exp", log_sum_exp, log_sum_exp_by_hand, (0, 1),
        ((10, 10), (300, 100), (3000, 300)),
        lambda n, k: (normal(size=(n, k)), normal(size=k)))
    add("Gaussian mixture", gaussian_mixture, gaussian_mixture_by_hand, (1, 2, 3),
        ((20, 3, 2), (500, 8, 4), (5000, 10, 10)),
        lambda n, k, d: (normal(size=(n, d)), normal(size=k), normal(size=(k, d)),
                         0.3 * normal(size=(k, d))))
    add("Gaussian process", marginal_likelihood, marginal_likelihood_by_hand, (2, 3, 4),
        ((10, 2), (100, 3), (500, 5)),
        lambda n, d: (normal(size=(n, d)), normal(size=n), 0.3 * normal(size=d), 0.2, -1.0))
    add("classifier", classifier, classifier_by_hand, (0, 1, 2, 3, 4, 5),
        ((8, 10, 16), (64, 100, 64), (512, 300, 256)),
        lambda n, d, h: (normal(size=(d, h)) / d ** 0.5, normal(size=h),
                         normal(size=(h, h)) / h ** 0.5, normal(size=h),
                         normal(size=(h, 10)) / h ** 0.5, normal(size=10),
                         normal(size=(n, d)), rng.integers(0, 10, n)))
    add("ridge regression", ridge, ridge_by_hand, 0, ((20, 3), (200, 30), (2000, 200)),
        lambda n, d: (0.5, normal(size=(n, d)), normal(size=n), normal(size=(n, d)),
                      normal(size=n)))
    add("Kalman filter", kalman, kalman_by_hand, (0, 1, 2),
        ((2, 1, 20), (4, 2, 100), (20, 10, 100)),
        lambda n, m, t: (0.9 * np.eye(n) + 0.1 * normal(size=(n, n)) / n ** 0.5, -1.0, -0.5,
                         normal(size=(m, n)), normal(size=(t, m))))
    add("multi-head attention", multi_head, multi_head_by_hand, (0, 1, 2, 3),
        ((8, 8, 2), (64, 32, 4), (256, 128, 8)),
        lambda n, d, heads: (*(normal(size=(d, d)) / d ** 0.5 for _ in range(4)),
                             normal(size=(n, d)), heads))
    add("pair energy", pair_energy, pair_energy_by_hand, 0, (10, 100, 600),
        lambda n: (2.0 * normal(size=(n, 3)),))
    add("convolution", convolution, convolution_by_hand, (0, 1, 2), (12, 64, 512),
        lambda n: (normal(size=(n, n)), normal(size=(3, 3)), 0.1))
    add("principal components", principal, principal_by_hand, 0, ((10, 4), (100, 20), (1000, 60)),
        lambda n, d: (normal(size=(n, d)), 3))
    add("layer norm", layer_norm, layer_norm_by_hand, (0, 1, 2), ((8, 8), (128, 64), (1024, 512)),
        lambda n, d: (normal(size=(n, d)), normal(size=d), normal(size=d), normal(size=(n, d))))
    add("LSTM step", lstm_step, lstm_step_by_hand, (0, 1, 2), ((4, 8), (32, 64), (256, 256)),
        lambda n, h: (normal(size=(h, 4 * h)) / h ** 0.5, normal(size=(h, 4 * h)) / h ** 0.5,
                      normal(size=4 * h), normal(size=(n, h)), normal(size=(n, h)),
                      normal(size=(n, h))))
    add("heat on a plate", heat_plate, heat_plate_by_hand, (0, 1),
        ((10, 10), (64, 50), (512, 20)),
        lambda n, steps: (normal(size=(n, n)), 0.2, steps))
    add("logistic regression", logistic, logistic_by_hand, 0, ((30, 4), (1000, 30), (10_000, 100)),
        lambda n, d: (normal(size=d), normal(size=(n, d)), np.floor(2.0 * uniform(n)), 0.01))
    add("correlations", correlation, correlation_by_hand, 0, ((20, 4), (500, 30), (5000, 150)),
        lambda n, d: (normal(size=(n, d)),))
    add("normal density", normal_density, normal_density_by_hand, (0, 1),
        ((20, 3), (500, 30), (5000, 150)),
        lambda n, d: (normal(size=d), normal(size=(d, d)) / d ** 0.5, normal(size=(n, d))))
    add("matrix factorisation", factorise, factorise_by_hand, (0, 1),
        ((10, 8, 2), (100, 80, 5), (1000, 800, 20)),
        lambda n, m, k: (normal(size=(n, k)), normal(size=(m, k)), normal(size=(n, m)),
                         np.floor(2.0 * uniform((n, m))), 0.1))
    add("Poisson regression", poisson, poisson_by_hand, 0, ((30, 4), (1000, 30), (10_000, 100)),
        lambda n, d: (0.1 * normal(size=d), normal(size=(n, d)), np.floor(5.0 * uniform(n)),
                      0.1 * normal(size=n)))
    add("network with GELU", gelu_net, gelu_net_by_hand, (0, 1, 2),
        ((10, 4, 8), (128, 32, 64), (1024, 128, 256)),
        lambda n, d, h: (normal(size=(d, h)) / d ** 0.5, normal(size=h), normal(size=h),
                         normal(size=(n, d)), normal(size=n)))
    return found
