"""Statistics and finance: likelihoods, options, time series."""

from __future__ import annotations

import numpy as np

CASES = []
R = np.random.default_rng(5)


def case(*arguments):
    def register(program):
        CASES.append((program, arguments))
        return program

    return register


@case(np.array([0.05, 0.1, 0.85]), R.normal(size=200))
def garch(theta, r):
    omega, alpha, beta = theta
    s2 = np.var(r)
    ll = 0.0
    for t in range(1, len(r)):
        s2 = omega + alpha * r[t - 1] ** 2 + beta * s2
        ll += -0.5 * (np.log(2 * np.pi) + np.log(s2) + r[t] ** 2 / s2)
    return -ll


@case(R.normal(size=9), R.normal(size=(80, 2)))
def gaussian_mixture(theta, X):
    logits, means, scales = theta[:3], theta[3:6], np.exp(theta[6:])
    weights = np.exp(logits) / np.sum(np.exp(logits))
    comps = []
    for k in range(3):
        d2 = np.sum((X - means[k]) ** 2, axis=1) / scales[k] ** 2
        comps.append(np.log(weights[k]) - 0.5 * d2 - 2 * np.log(scales[k]) - np.log(2 * np.pi))
    L = np.array(comps)
    top = L.max(axis=0)
    return -np.sum(top + np.log(np.sum(np.exp(L - top), axis=0)))


@case(np.array([0.3, 1.2, 0.1]), R.normal(size=(30, 2)), R.normal(size=30))
def gaussian_process(theta, X, y):
    length, amp, noise = theta
    n = len(X)
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d = X[i] - X[j]
            K[i, j] = amp ** 2 * np.exp(-0.5 * (d @ d) / length ** 2)
    K += noise ** 2 * np.eye(n)
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ a + np.sum(np.log(np.diag(L))) + 0.5 * n * np.log(2 * np.pi)


@case(100.0, 0.2, 105.0, 40)
def american_put(spot, vol, strike, steps):
    dt, r = 1.0 / 40, 0.03
    up = np.exp(vol * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
    value = [max(strike - spot * up ** (2 * j - steps), 0.0) for j in range(steps + 1)]
    for n in range(steps - 1, -1, -1):
        for j in range(n + 1):
            hold = np.exp(-r * dt) * (p * value[j + 1] + (1 - p) * value[j])
            value[j] = max(hold, strike - spot * up ** (2 * j - n))
    return value[0]


@case(np.array([2.0, 0.04, 0.3, -0.6]), R.normal(size=(2, 20, 50)))
def heston_paths(theta, z):
    kappa, mean, xi, rho = theta
    s = np.full(50, 100.0)
    v = np.full(50, 0.04)
    dt = 0.05
    for t in range(20):
        dw = np.sqrt(dt) * z[0, t]
        dz = rho * dw + np.sqrt(1 - rho ** 2) * np.sqrt(dt) * z[1, t]
        vp = np.maximum(v, 1e-6)
        s = s * np.exp(-0.5 * vp * dt + np.sqrt(vp) * dw)
        v = v + kappa * (mean - vp) * dt + xi * np.sqrt(vp) * dz
    return np.mean(np.maximum(s - 100.0, 0.0))


@case(R.normal(size=5), R.normal(size=(60, 4)), R.poisson(2.0, 60))
def poisson_regression(beta, X, counts):
    eta = beta[0] + X @ beta[1:]
    rate = np.exp(eta)
    ll = np.sum(counts * eta - rate)
    prior = 0.0
    for b in beta:
        prior -= np.log(np.pi * (1 + b ** 2))
    return -(ll + prior)


@case(np.array([0.5, 0.3, 0.1]), R.normal(size=80))
def holt_winters(theta, y):
    params = dict(zip(["alpha", "beta", "gamma"], theta))
    period = 4
    level, trend = y[:period].mean(), 0.0
    season = [y[i] - level for i in range(period)]
    sse = 0.0
    for t in range(period, len(y)):
        s = season[t % period]
        e = y[t] - (level + trend + s)
        sse += e ** 2
        new_level = level + trend + params["alpha"] * e
        trend = trend + params["alpha"] * params["beta"] * e
        season[t % period] = s + params["gamma"] * e
        level = new_level
    return sse / len(y)


@case(R.normal(size=6), R.uniform(0, 5, 40), R.random(40) < 0.7, R.normal(size=(40, 5)))
def weibull_survival(theta, times, event, X):
    shape = np.exp(theta[0])
    ll = 0.0
    for t, e, x in zip(times, event, X):
        scale = np.exp(x @ theta[1:])
        h = (t / scale) ** shape
        if e:
            ll += np.log(shape) - np.log(t) + shape * np.log(t / scale) - h
        else:
            ll -= h
    penalty = sum(b ** 2 for b in theta)
    return -ll + 0.1 * penalty
