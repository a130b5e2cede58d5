"""Programs over whole arrays, in three sizes each, and their gradients written by hand.

Each hand-written gradient returns value and gradient together, as somebody writes it who knows
NumPy well: what the value needs is computed once, adjoints are derived on paper, temporaries are
used again.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf


def damped_wave(x, k):
    t = np.sin(k * x)
    d = np.exp(-0.5 * x * x)
    return np.sum(np.log(1.0 + (t * d) ** 2))


def damped_wave_by_hand(x, k):
    kx = k * x
    t = np.sin(kx)
    d = np.exp(-0.5 * x * x)
    s = t * d
    q = 1.0 + s ** 2
    value = np.sum(np.log(q))
    g = s
    g /= q
    g *= d
    g *= 2.0
    c = np.cos(kx, out=kx)
    d_k = np.vdot(g * x, c)
    t *= x
    c *= k
    c -= t
    c *= g
    return value, (c, d_k)


def cross_entropy(logits, labels):
    top = np.max(logits, axis=1, keepdims=True)
    z = logits - top
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p[np.arange(len(labels)), labels]))


def cross_entropy_by_hand(logits, labels):
    z = logits - np.max(logits, axis=1, keepdims=True)
    p = np.exp(z, out=z)
    p /= np.sum(p, axis=1, keepdims=True)
    rows = np.arange(len(labels))
    n = len(labels)
    value = -np.mean(np.log(p[rows, labels]))
    p *= 1.0 / n
    p[rows, labels] -= 1.0 / n
    return value, p


def call_price(spot, strike, vol, years, rate):
    root = vol * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + vol * vol / 2.0) * years) / root
    d2 = d1 - root
    cdf1 = 0.5 * (1.0 + erf(d1 / np.sqrt(2.0)))
    cdf2 = 0.5 * (1.0 + erf(d2 / np.sqrt(2.0)))
    return np.sum(spot * cdf1 - strike * np.exp(-rate * years) * cdf2)


def call_price_by_hand(spot, strike, vol, years, rate):
    sqrt_years = np.sqrt(years)
    root = vol * sqrt_years
    d1 = (np.log(spot / strike) + (rate + vol * vol / 2.0) * years) / root
    d2 = d1 - root
    cdf1 = 0.5 * (1.0 + erf(d1 / np.sqrt(2.0)))
    cdf2 = 0.5 * (1.0 + erf(d2 / np.sqrt(2.0)))
    discount = np.exp(-rate * years)
    d_strike = discount * cdf2
    bond = strike * d_strike
    value = np.sum(spot * cdf1 - bond)
    d1 *= d1
    d1 *= -0.5
    vega = np.exp(d1, out=d1)
    vega *= spot
    vega *= sqrt_years
    vega *= 1.0 / np.sqrt(2.0 * np.pi)
    d_rate = np.vdot(years, bond)
    d_years = vega * vol
    d_years *= 0.5
    d_years /= years
    bond *= rate
    d_years += bond
    np.negative(d_strike, out=d_strike)
    return value, (cdf1, d_strike, vega, d_years, d_rate)


def log_sum_exp(x, y):
    s = x + y
    m = np.max(s, axis=-1, keepdims=True)
    lse = np.log(np.sum(np.exp(s - m), axis=-1)) + m[..., 0]
    return np.sum(lse ** 2)


def log_sum_exp_by_hand(x, y):
    s = x + y
    m = np.max(s, axis=-1, keepdims=True)
    s -= m
    e = np.exp(s, out=s)
    total = np.sum(e, axis=-1)
    lse = np.log(total) + m[..., 0]
    value = np.sum(lse ** 2)
    lse *= 2.0
    lse /= total
    e *= lse[..., None]
    return value, (e, e.sum(axis=0))


def gaussian_mixture(x, log_weights, means, log_precisions):
    d = x.shape[1]
    diff = x[:, None, :] - means[None, :, :]
    scaled = np.exp(log_precisions)[None, :, :] * diff
    logp = (log_weights - np.log(np.sum(np.exp(log_weights))) + np.sum(log_precisions, axis=1)
            - 0.5 * np.sum(scaled ** 2, axis=2) - 0.5 * d * np.log(2.0 * np.pi))
    m = np.max(logp, axis=1)
    return -np.sum(m + np.log(np.sum(np.exp(logp - m[:, None]), axis=1)))


def gaussian_mixture_by_hand(x, log_weights, means, log_precisions):
    n, d = x.shape
    diff = x[:, None, :] - means[None, :, :]
    precisions = np.exp(log_precisions)
    scaled = precisions[None, :, :] * diff
    weights = np.exp(log_weights)
    total = np.sum(weights)
    squares = scaled ** 2
    logp = (log_weights - np.log(total) + np.sum(log_precisions, axis=1)
            - 0.5 * np.sum(squares, axis=2) - 0.5 * d * np.log(2.0 * np.pi))
    m = np.max(logp, axis=1)
    r = np.exp(logp - m[:, None])
    norm = np.sum(r, axis=1)
    value = -np.sum(m + np.log(norm))
    r /= norm[:, None]
    share = r.sum(axis=0)
    d_means = np.einsum("nk,nkd->kd", r, scaled)
    d_means *= precisions
    np.negative(d_means, out=d_means)
    d_log = np.einsum("nk,nkd->kd", r, squares)
    d_log -= share[:, None]
    weights *= n / total
    weights -= share
    return value, (weights, d_means, d_log)


def marginal_likelihood(X, y, log_scales, log_amplitude, log_noise):
    Z = X / np.exp(log_scales)
    sq = np.sum(Z ** 2, axis=1)
    D = sq[:, None] + sq[None, :] - 2.0 * Z @ Z.T
    K = np.exp(2.0 * log_amplitude) * np.exp(-0.5 * D)
    K = K + np.exp(2.0 * log_noise) * np.eye(len(y))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(L))) + 0.5 * len(y) * np.log(2.0 * np.pi)


def marginal_likelihood_by_hand(X, y, log_scales, log_amplitude, log_noise):
    n = len(y)
    scales = np.exp(log_scales)
    Z = X / scales
    sq = np.sum(Z ** 2, axis=1)
    D = sq[:, None] + sq[None, :] - 2.0 * Z @ Z.T
    D *= -0.5
    E = np.exp(D, out=D)
    E *= np.exp(2.0 * log_amplitude)
    noise = np.exp(2.0 * log_noise)
    K = E + noise * np.eye(n)
    L = np.linalg.cholesky(K)
    inverse = np.linalg.inv(L)
    a = inverse @ y
    value = 0.5 * a @ a + np.sum(np.log(np.diag(L))) + 0.5 * n * np.log(2.0 * np.pi)
    alpha = inverse.T @ a
    G = inverse.T @ inverse
    G -= alpha[:, None] * alpha
    G *= 0.5
    d_noise = 2.0 * noise * np.trace(G)
    G *= E
    rows = G.sum(axis=1)
    d_amplitude = 2.0 * rows.sum()
    d_Z = G @ Z
    d_Z -= rows[:, None] * Z
    d_scales = -2.0 * np.einsum("ij,ij->j", d_Z, Z)
    return value, (d_scales, d_amplitude, d_noise)


def classifier(W1, b1, W2, b2, W3, b3, X, labels):
    h1 = np.maximum(X @ W1 + b1, 0.0)
    h2 = np.maximum(h1 @ W2 + b2, 0.0)
    scores = h2 @ W3 + b3
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def classifier_by_hand(W1, b1, W2, b2, W3, b3, X, labels):
    h1 = X @ W1
    h1 += b1
    np.maximum(h1, 0.0, out=h1)
    h2 = h1 @ W2
    h2 += b2
    np.maximum(h2, 0.0, out=h2)
    scores = h2 @ W3 + b3
    scores -= np.max(scores, axis=1, keepdims=True)
    e = np.exp(scores)
    total = np.sum(e, axis=1, keepdims=True)
    n = len(labels)
    rows = np.arange(n)
    value = -np.mean((scores - np.log(total))[rows, labels])
    total *= n
    e /= total
    e[rows, labels] -= 1.0 / n
    d2 = e @ W3.T
    d2 *= h2 > 0.0
    d1 = d2 @ W2.T
    d1 *= h1 > 0.0
    return value, (X.T @ d1, d1.sum(axis=0), h1.T @ d2, d2.sum(axis=0), h2.T @ e, e.sum(axis=0))


def ridge(log_penalty, X, y, X_test, y_test):
    A = X.T @ X + np.exp(log_penalty) * np.eye(X.shape[1])
    w = np.linalg.solve(A, X.T @ y)
    return np.mean((X_test @ w - y_test) ** 2)


def ridge_by_hand(log_penalty, X, y, X_test, y_test):
    penalty = np.exp(log_penalty)
    A = X.T @ X + penalty * np.eye(X.shape[1])
    w = np.linalg.solve(A, X.T @ y)
    miss = X_test @ w - y_test
    value = np.mean(miss ** 2)
    v = np.linalg.solve(A, miss @ X_test)
    return value, -2.0 / len(y_test) * penalty * (v @ w)


def kalman(F, log_q, log_r, H, ys):
    n = F.shape[0]
    Q, R = np.exp(log_q) * np.eye(n), np.exp(log_r) * np.eye(H.shape[0])
    x, P = np.zeros(n), np.eye(n)
    cost = 0.0
    for y in ys:
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        e = y - H @ x
        Sinv = np.linalg.inv(S)
        K = P @ H.T @ Sinv
        cost += 0.5 * (e @ Sinv @ e + np.log(np.linalg.det(S)))
        x = x + K @ e
        P = P - K @ H @ P
    return cost


def kalman_by_hand(F, log_q, log_r, H, ys):
    n, m = F.shape[0], H.shape[0]
    q, r = np.exp(log_q), np.exp(log_r)
    Q, R = q * np.eye(n), r * np.eye(m)
    x, P = np.zeros(n), np.eye(n)
    cost = 0.0
    kept = []
    FT, HT = F.T, H.T
    for y in ys:
        x0, P0 = x, P
        x = F @ x
        FP = F @ P
        P = FP @ FT + Q
        HP = H @ P
        S = HP @ HT + R
        e = y - H @ x
        Sinv = np.linalg.inv(S)
        K = P @ HT @ Sinv
        Se = Sinv @ e
        cost += 0.5 * (e @ Se + np.log(np.linalg.det(S)))
        kept.append((x0, P0, FP, HP, e, Sinv, K, Se))
        x = x + K @ e
        P = P - K @ HP
    d_F, d_q, d_r = np.zeros((n, n)), 0.0, 0.0
    d_x, d_P = np.zeros(n), np.zeros((n, n))
    for x0, P0, FP, HP, e, Sinv, K, Se in reversed(kept):
        d_K = d_x[:, None] * e
        d_K -= d_P @ HP.T
        d_HP = K.T @ d_P
        d_e = K.T @ d_x
        d_e += Se
        d_PHT = d_K @ Sinv
        d_S = Se[:, None] * (-0.5 * Se)
        d_S -= K.T @ d_PHT
        d_S += 0.5 * Sinv
        d_HP = d_S @ H - d_HP
        d_P = d_P + HT @ d_HP
        d_P += d_PHT @ H
        d_x = d_x - HT @ d_e
        d_r += d_S.trace()
        d_q += d_P.trace()
        d_F += d_P.T @ FP
        d_FP = d_P @ F
        d_F += d_FP @ P0.T
        d_F += d_x[:, None] * x0
        d_P = FT @ d_FP
        d_x = FT @ d_x
    return cost, (d_F, d_q * q, d_r * r)


def multi_head(Wq, Wk, Wv, Wo, X, heads):
    n, d = X.shape
    size = d // heads
    q = (X @ Wq).reshape(n, heads, size).transpose(1, 0, 2)
    k = (X @ Wk).reshape(n, heads, size).transpose(1, 0, 2)
    v = (X @ Wv).reshape(n, heads, size).transpose(1, 0, 2)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(size)
    scores = scores - np.max(scores, axis=-1, keepdims=True)
    e = np.exp(scores)
    p = e / np.sum(e, axis=-1, keepdims=True)
    out = (p @ v).transpose(1, 0, 2).reshape(n, d) @ Wo
    return np.sum((out - X) ** 2) / n


def multi_head_by_hand(Wq, Wk, Wv, Wo, X, heads):
    n, d = X.shape
    size = d // heads
    q = (X @ Wq).reshape(n, heads, size).transpose(1, 0, 2)
    k = (X @ Wk).reshape(n, heads, size).transpose(1, 0, 2)
    v = (X @ Wv).reshape(n, heads, size).transpose(1, 0, 2)
    root = np.sqrt(size)
    p = q @ k.transpose(0, 2, 1)
    p /= root
    p -= np.max(p, axis=-1, keepdims=True)
    np.exp(p, out=p)
    p /= np.sum(p, axis=-1, keepdims=True)
    mixed = (p @ v).transpose(1, 0, 2).reshape(n, d)
    err = mixed @ Wo
    err -= X
    value = np.sum(err ** 2) / n
    err *= 2.0 / n
    d_mixed = (err @ Wo.T).reshape(n, heads, size).transpose(1, 0, 2)
    d_v = p.transpose(0, 2, 1) @ d_mixed
    d_s = d_mixed @ v.transpose(0, 2, 1)
    d_s -= np.einsum("hij,hij->hi", d_s, p)[..., None]
    d_s *= p
    d_s /= root
    d_q = (d_s @ k).transpose(1, 0, 2).reshape(n, d)
    d_k = (d_s.transpose(0, 2, 1) @ q).transpose(1, 0, 2).reshape(n, d)
    return value, (X.T @ d_q, X.T @ d_k, X.T @ d_v.transpose(1, 0, 2).reshape(n, d),
                   mixed.T @ err)


def pair_energy(X):
    diff = X[:, None, :] - X[None, :, :]
    r2 = np.sum(diff ** 2, axis=-1) + 0.1
    return np.sum(1.0 / r2 ** 3 - 1.0 / r2)


def pair_energy_by_hand(X):
    diff = X[:, None, :] - X[None, :, :]
    r2 = np.sum(diff ** 2, axis=-1) + 0.1
    cubes = r2 ** 3
    value = np.sum(1.0 / cubes - 1.0 / r2)
    cubes *= r2
    d_r2 = -3.0 / cubes
    r2 *= r2
    d_r2 += 1.0 / r2
    d_X = np.einsum("ij,ijk->ik", d_r2, diff)
    d_X *= 4.0
    return value, d_X


def convolution(image, kernel, bias):
    h, w = image.shape
    p, q = kernel.shape
    out = np.zeros((h - p + 1, w - q + 1))
    for i in range(p):
        for j in range(q):
            out += kernel[i, j] * image[i:i + h - p + 1, j:j + w - q + 1]
    return np.sum(np.tanh(out + bias) ** 2)


def convolution_by_hand(image, kernel, bias):
    h, w = image.shape
    p, q = kernel.shape
    rows, columns = h - p + 1, w - q + 1
    out = np.zeros((rows, columns))
    for i in range(p):
        for j in range(q):
            out += kernel[i, j] * image[i:i + rows, j:j + columns]
    out += bias
    t = np.tanh(out, out=out)
    squares = t ** 2
    value = np.sum(squares)
    np.subtract(1.0, squares, out=squares)
    t *= squares
    t *= 2.0
    d_image, d_kernel = np.zeros_like(image), np.empty_like(kernel)
    for i in range(p):
        for j in range(q):
            d_kernel[i, j] = np.vdot(image[i:i + rows, j:j + columns], t)
            np.multiply(t, kernel[i, j], out=squares)
            d_image[i:i + rows, j:j + columns] += squares
    return value, (d_image, d_kernel, t.sum())


def principal(X, rank):
    C = X - np.mean(X, axis=0)
    _, s, _ = np.linalg.svd(C, full_matrices=False)
    return np.sum(s[rank:] ** 2) / np.sum(s ** 2)


def principal_by_hand(X, rank):
    C = X - np.mean(X, axis=0)
    U, s, Vt = np.linalg.svd(C, full_matrices=False)
    rest, total = np.sum(s[rank:] ** 2), np.sum(s ** 2)
    value = rest / total
    d_s = s * (-2.0 * value / total)
    d_s[rank:] += s[rank:] * (2.0 / total)
    U *= d_s
    d_C = U @ Vt
    d_C -= d_C.mean(axis=0)
    return value, d_C


def layer_norm(x, gain, shift, target):
    mean = np.mean(x, axis=-1, keepdims=True)
    var = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
    y = (x - mean) / np.sqrt(var + 1e-5) * gain + shift
    return np.mean((y - target) ** 2)


def layer_norm_by_hand(x, gain, shift, target):
    mean = np.mean(x, axis=-1, keepdims=True)
    z = x - mean
    var = np.mean(z ** 2, axis=-1, keepdims=True)
    root = np.sqrt(var + 1e-5)
    z /= root
    err = z * gain
    err += shift
    err -= target
    value = np.mean(err ** 2)
    err *= 2.0 / err.size
    d_gain = np.einsum("ij,ij->j", err, z)
    d_shift = err.sum(axis=0)
    err *= gain
    z *= np.einsum("ij,ij->i", err, z)[:, None] / x.shape[-1]
    err -= err.mean(axis=-1, keepdims=True)
    err -= z
    err /= root
    return value, (err, d_gain, d_shift)
