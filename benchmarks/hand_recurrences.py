"""Values and gradients by hand, for Numba, of the sums, recurrences and dynamic systems of
``tests/native/loop_programs.py``, under the same names; with respect to the first argument."""

from __future__ import annotations

import math

import numpy as np


def add_up(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s, np.ones(len(x))


def dot(x, y):
    s = 0.0
    d_x = np.empty(len(x))
    for i in range(len(x)):
        s += x[i] * y[i]
        d_x[i] = y[i]
    return s, d_x


def add_up_rows(a):
    s = 0.0
    d_a = np.empty(a.shape)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * a[i, j]
            d_a[i, j] = 2.0 * a[i, j]
    return s, d_a


def prefix_sums(x):
    n = len(x)
    y = np.empty(n)
    s = value = 0.0
    for i in range(n):
        s += x[i]
        y[i] = s
        value += s * s
    d_x = np.empty(n)
    d = 0.0
    for i in range(n - 1, -1, -1):
        d += 2.0 * y[i]
        d_x[i] = d
    return value, d_x


def smoothing(x, alpha):
    n = len(x)
    gaps = np.empty(n)
    level = error = 0.0
    for i in range(n):
        gaps[i] = x[i] - level
        error += gaps[i] * gaps[i]
        level = alpha * x[i] + (1 - alpha) * level
    d_x = np.empty(n)
    d_level = 0.0
    for i in range(n - 1, -1, -1):
        d_x[i] = 2.0 * gaps[i] + alpha * d_level
        d_level = (1 - alpha) * d_level - 2.0 * gaps[i]
    return error, d_x


def horner(c, x):
    p = 0.0
    for i in range(len(c) - 1, -1, -1):
        p = p * x + c[i]
    d_c = np.empty(len(c))
    power = 1.0
    for i in range(len(c)):
        d_c[i] = power
        power *= x
    return p, d_c


def clenshaw(c, x):
    n = len(c)
    b1 = b2 = 0.0
    for i in range(n - 1, 0, -1):
        b1, b2 = 2.0 * x * b1 - b2 + c[i], b1
    d_c = np.zeros(n)
    d1, d2 = x, -1.0
    for i in range(1, n):
        d_c[i] = d1
        d1, d2 = 2.0 * x * d1 + d2, -d1
    return x * b1 - b2, d_c


def continued_fraction(a):
    n = len(a)
    kept = np.empty(n)
    y = 1.0
    for i in range(n - 1, -1, -1):
        kept[i] = y
        y = a[i] + 1.0 / y
    d_a = np.empty(n)
    d = 1.0
    for i in range(n):
        d_a[i] = d
        d = -d / (kept[i] * kept[i])
    return y, d_a


def garch(r, a, b):
    n = len(r)
    kept = np.empty(n)
    s = 0.1
    ll = 0.0
    for t in range(n):
        kept[t] = s
        ll += math.log(s) + r[t] * r[t] / s
        s = 0.05 + a * r[t] * r[t] + b * s
    d_r = np.empty(n)
    d_s = 0.0
    for t in range(n - 1, -1, -1):
        s = kept[t]
        d_r[t] = 2.0 * r[t] * (a * d_s + 1.0 / s)
        d_s = b * d_s + 1.0 / s - r[t] * r[t] / (s * s)
    return ll, d_r


def tanh_recurrence(x, w):
    n = len(x)
    kept = np.empty(n)
    h = 0.0
    for i in range(n):
        h = np.tanh(w * h + x[i])
        kept[i] = h
    d_x = np.empty(n)
    d = 1.0
    for i in range(n - 1, -1, -1):
        d = d * (1.0 - kept[i] * kept[i])
        d_x[i] = d
        d *= w
    return h, d_x


def running_mean_and_variance(x):
    n = len(x)
    mean = m2 = 0.0
    for i in range(n):
        delta = x[i] - mean
        mean += delta / (i + 1)
        m2 += delta * (x[i] - mean)
    d_x = np.empty(n)
    for i in range(n):  # m2 is the sum of squares around the mean
        d_x[i] = 2.0 * (x[i] - mean) + 1.0 / n
    return m2 + mean, d_x


def two_accumulators(x):
    even, odd = 0.0, 0.0
    for i in range(0, len(x) - 1, 2):
        even += x[i]
        odd += x[i + 1] * x[i]
    d_x = np.zeros(len(x))
    for i in range(0, len(x) - 1, 2):
        d_x[i] = odd + even * x[i + 1]
        d_x[i + 1] = even * x[i]
    return even * odd, d_x


def euler_pendulum(theta, omega, n):
    dt = 0.05
    kept = np.empty(n)
    for i in range(n):
        kept[i] = theta
        omega, theta = omega - dt * math.sin(theta), theta + dt * omega
    d_theta, d_omega = 2.0 * theta, 2.0 * omega
    for i in range(n - 1, -1, -1):
        d_theta, d_omega = (d_theta - dt * math.cos(kept[i]) * d_omega, d_omega + dt * d_theta)
    return theta * theta + omega * omega, d_theta


def runge_kutta(x, k, n):
    dt = 0.1
    d = 1.0
    for _ in range(n):
        k1 = -k * x
        k2 = -k * (x + 0.5 * dt * k1)
        k3 = -k * (x + 0.5 * dt * k2)
        k4 = -k * (x + dt * k3)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    for _ in range(n):
        d4 = dt / 6.0 * d
        d3 = 2.0 * d4 - dt * k * d4
        d2 = 2.0 * d4 - 0.5 * dt * k * d3
        d1 = d4 - 0.5 * dt * k * d2
        d = d - k * (d1 + d2 + d3 + d4)
    return x, d


def verlet(x, v, n):
    before, after = np.empty(n), np.empty(n)
    for i in range(n):
        before[i] = x
        half = v - 0.05 * x * x * x
        x = x + 0.1 * half
        v = half - 0.05 * x * x * x
        after[i] = x
    d_x = d_v = 1.0
    for i in range(n - 1, -1, -1):
        d_x -= 0.15 * after[i] * after[i] * d_v
        d_v += 0.1 * d_x
        d_x -= 0.15 * before[i] * before[i] * d_v
    return x + v, d_x


def lotka_volterra(prey, hunters, n):
    kept = np.empty((n, 2))
    for i in range(n):
        kept[i, 0], kept[i, 1] = prey, hunters
        born = 0.1 * prey - 0.02 * prey * hunters
        died = 0.01 * prey * hunters - 0.1 * hunters
        prey += born
        hunters += died
    d_prey, d_hunters = 1.0, -1.0
    for i in range(n - 1, -1, -1):
        a, b = kept[i, 0], kept[i, 1]
        d_prey, d_hunters = (
            d_prey * (1.1 - 0.02 * b) + d_hunters * 0.01 * b,
            d_hunters * (0.9 + 0.01 * a) - d_prey * 0.02 * a)
    return prey - hunters, d_prey


def kalman_scalar(z, q, r):
    n = len(z)
    gains, residuals = np.empty(n), np.empty(n)
    x, p, total = 0.0, 1.0, 0.0
    for t in range(n):
        p = p + q
        gain = p / (p + r)
        residual = z[t] - x
        x = x + gain * residual
        p = (1.0 - gain) * p
        total += residual * residual
        gains[t], residuals[t] = gain, residual
    d_z = np.empty(n)
    d_x = 0.0
    for t in range(n - 1, -1, -1):  # the gains do not depend on what is seen
        d_residual = 2.0 * residuals[t] + gains[t] * d_x
        d_z[t] = d_residual
        d_x -= d_residual
    return total, d_z


def monte_carlo(draws, drift, spread):
    total = 0.0
    d = np.zeros(len(draws))
    for i in range(len(draws)):
        growth = 1.0 + 0.1 * drift + 0.2 * spread * draws[i]
        cubed = growth * growth * growth
        payoff = cubed * growth - 1.0
        if payoff > 0.0:
            total += payoff
            d[i] = 0.8 * spread * cubed
    return total, d


def hinge(x):
    s = 0.0
    d = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            if x[i] > 1.0:
                s += x[i] * x[i]
                d[i] = 2.0 * x[i]
            else:
                s += 2.0 * x[i]
                d[i] = 2.0
        elif x[i] < -0.5:
            s -= x[i]
            d[i] = -1.0
    return s, d


def last_elements(x):
    n = len(x)
    s = 0.0
    d = np.empty(n)
    for i in range(1, n + 1):
        s += x[n - i] * i
        d[n - i] = i
    return s, d


def counted(x, n):
    s, factor, odd = 0.0, 0.0, 0
    for i in range(n):
        if i % 2 == 1:
            odd += 1
            s += x * odd
            factor += odd
        else:
            s -= x * (i // 2)
            factor -= i // 2
    return s, factor


def masked(x, mask):
    s = 0.0
    for i in range(len(x)):
        if mask[i]:
            s += x[i]
        else:
            s *= 0.5
    d_x = np.zeros(len(x))
    d = 1.0
    for i in range(len(x) - 1, -1, -1):
        if mask[i]:
            d_x[i] = d
        else:
            d *= 0.5
    return s, d_x
