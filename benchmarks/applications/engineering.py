"""Engineering: structures, control, circuits, robots, signals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

CASES = []
R = np.random.default_rng(4)


def case(*arguments):
    def register(program):
        CASES.append((program, arguments))
        return program

    return register


@case(R.uniform(1, 3, 5), np.array([[0, 0], [1, 0], [0, 1], [1, 1.0]]),
      [(0, 1), (0, 3), (2, 3), (1, 3), (1, 2)])
def truss(areas, nodes, bars):
    K = np.zeros((8, 8))
    for e, (i, j) in enumerate(bars):
        d = nodes[j] - nodes[i]
        L = np.sqrt(d @ d)
        c, s = d / L
        k = areas[e] / L * np.array([[c * c, c * s], [c * s, s * s]])
        K[2 * i:2 * i + 2, 2 * i:2 * i + 2] += k
        K[2 * j:2 * j + 2, 2 * j:2 * j + 2] += k
        K[2 * i:2 * i + 2, 2 * j:2 * j + 2] -= k
        K[2 * j:2 * j + 2, 2 * i:2 * i + 2] -= k
    free = np.setdiff1d(np.arange(8), [0, 1, 4, 5])
    f = np.array([0.0, -1.0, 0.0, -1.0])
    u = np.linalg.solve(K[np.ix_(free, free)], f)
    return f @ u


@case(np.array([1.0, 0.2, 0.05]), 80)
def pid_control(gains, steps):
    x, v, integral, previous = 0.0, 0.0, 0.0, 1.0
    cost = 0.0
    for _ in range(steps):
        error = 1.0 - x
        integral += error * 0.05
        integral = max(-2.0, min(2.0, integral))
        u = gains[0] * error + gains[1] * integral + gains[2] * (error - previous) / 0.05
        if u > 5.0:
            u = 5.0
        elif u < -5.0:
            u = -5.0
        previous = error
        v += 0.05 * (u - 0.5 * v)
        x += 0.05 * v
        cost += error ** 2 + 0.01 * u ** 2
    return cost * 0.05


@case(R.normal(size=(30, 2)), np.array([0.01, 0.3]))
def kalman_filter(z, noise):
    dt = 0.1
    F = np.eye(4)
    F[0, 2] = F[1, 3] = dt
    H = np.zeros((2, 4))
    H[0, 0] = H[1, 1] = 1.0
    Q, Rm = noise[0] * np.eye(4), noise[1] * np.eye(2)
    x, P = np.zeros(4), np.eye(4)
    ll = 0.0
    for obs in z:
        x = F @ x
        P = F @ P @ F.T + Q
        y = obs - H @ x
        S = H @ P @ H.T + Rm
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(4) - K @ H) @ P
        ll -= 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S))
                     + 2 * np.log(2 * np.pi))
    return -ll


@case(np.array([0.3, -0.5, 0.8]), (1.0, 0.8, 0.5), np.array([1.2, 0.9]))
def robot_arm(angles, links, target):
    x = y = total = 0.0
    for angle, length in zip(angles, links):
        total = total + angle
        x = x + length * np.cos(total)
        y = y + length * np.sin(total)
    miss = (x - target[0]) ** 2 + (y - target[1]) ** 2
    for k in range(len(angles)):
        over = abs(angles[k]) - 1.0
        if over > 0:
            miss += 10.0 * over ** 2
    return miss


@case(np.array([1e-3, 0.026]), np.sin(np.linspace(0, 12, 40)))
def diode_clipper(p, source):
    v, loss = 0.0, 0.0
    for s in source:
        for _ in range(20):
            i_d = p[0] * 1e-6 * (np.exp(v / p[1]) - np.exp(-v / p[1]))
            f = (s - v) / 1000.0 - i_d
            df = -1 / 1000.0 - p[0] * 1e-6 / p[1] * (np.exp(v / p[1]) + np.exp(-v / p[1]))
            step = f / df
            v = v - step
            if abs(step) < 1e-10:
                break
        loss += (v - 0.5 * s) ** 2
    return loss


@case(R.normal(size=8), R.normal(size=120), R.normal(size=120))
def lms_filter(w0, signal, wanted):
    w = w0.copy()
    mu, err = 0.01, 0.0
    n = len(w)
    for t in range(n, len(signal)):
        window = signal[t - n:t][::-1]
        e = wanted[t] - w @ window
        w += mu * e * window
        err += e ** 2
    return err / (len(signal) - n)


class Panel:
    def __init__(self, start, end):
        self.start, self.end = start, end
        self.centre = 0.5 * (start + end)
        d = end - start
        self.length = np.sqrt(d @ d)
        self.normal = np.array([-d[1], d[0]]) / self.length

    def influence(self, other):
        r = other.centre - self.centre
        return (r @ other.normal) / (r @ r) * self.length / (2 * np.pi)


@case(np.array([1.0, 0.2]), 12)
def panel_method(shape, count):
    t = np.linspace(0, 2 * np.pi, count + 1)
    points = np.stack([shape[0] * np.cos(t), shape[1] * np.sin(t)], axis=1)
    panels = [Panel(a, b) for a, b in pairwise(points)]
    A = np.empty((count, count))
    b = np.empty(count)
    for i in range(count):
        for j in range(count):
            A[i, j] = 0.5 if i == j else panels[j].influence(panels[i])
        b[i] = -panels[i].normal[0]
    sigma = np.linalg.solve(A, b)
    return np.sum(sigma ** 2)


@case(R.normal(size=128), np.array([0.2, 0.5, 0.2]))
def biquad_chain(x, freqs):
    y = x
    for f in freqs:
        w = np.pi * f
        alpha = np.sin(w) / 1.4
        b0, b1, b2 = (1 - np.cos(w)) / 2, 1 - np.cos(w), (1 - np.cos(w)) / 2
        a0, a1, a2 = 1 + alpha, -2 * np.cos(w), 1 - alpha
        out = np.zeros_like(y)
        for n in range(2, len(y)):
            out[n] = (b0 * y[n] + b1 * y[n - 1] + b2 * y[n - 2]
                      - a1 * out[n - 1] - a2 * out[n - 2]) / a0
        y = out
    return np.sum(np.abs(np.fft.rfft(y))[:8] ** 2)
