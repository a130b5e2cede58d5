"""Peak memory and time of gradients over those of the functions, for programs of many fields.

    python benchmarks/memory.py [name ...]

For each program: the peak of traced memory while the function runs and while value and gradient
are computed, their ratio, the ratio of times, and what a loop keeps for each iteration.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad as sg

STREAM = np.random.default_rng(3)
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def case(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(fun: Callable[..., Any]) -> Callable[..., Any]:
        CASES[fun.__name__] = fun, args
        return fun

    return add


def draws(*shape: int) -> Any:
    return STREAM.normal(size=shape)


@case(draws(200), 300)
def heat(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


@case(0.1 * draws(200), 300)
def burgers(u, steps):
    dx, dt = 0.05, 0.002
    for _ in range(steps):
        flux = 0.5 * u ** 2
        dudx = (np.roll(flux, -1) - np.roll(flux, 1)) / (2 * dx)
        d2u = (np.roll(u, -1) - 2 * u + np.roll(u, 1)) / dx ** 2
        u = u - dt * dudx + 0.01 * dt * d2u
    return np.sum(u ** 2)


@case(1.0 + 0.1 * draws(48, 48), 80)
def shallow_water(h, steps):
    u = np.zeros_like(h)
    v = np.zeros_like(h)
    dt, g = 0.01, 9.81
    for _ in range(steps):
        u = u - dt * g * (np.roll(h, -1, axis=0) - np.roll(h, 1, axis=0)) / 2.0
        v = v - dt * g * (np.roll(h, -1, axis=1) - np.roll(h, 1, axis=1)) / 2.0
        h = h - dt * ((np.roll(h * u, -1, axis=0) - np.roll(h * u, 1, axis=0)) / 2.0
                      + (np.roll(h * v, -1, axis=1) - np.roll(h * v, 1, axis=1)) / 2.0)
    return np.mean(h ** 2)


@case(draws(40, 40), 0.06 + 0 * draws(40, 40), 60)
def gray_scott(u, f, steps):
    u = 1.0 + 0.01 * u
    v = 0.25 * u
    for _ in range(steps):
        lu = (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u)
        lv = (np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v)
        uvv = u * v * v
        u = u + 0.16 * lu - uvv + f * (1 - u)
        v = v + 0.08 * lv + uvv - (f + 0.06) * v
    return np.sum(v)


@case(np.array([0.9, 0.1, 0.0]), np.array([0.4, 0.1]), 400)
def epidemic(y, theta, steps):
    s, i, r = y
    beta, gamma = theta
    total = 0.0
    for _ in range(steps):
        new = beta * s * i * 0.1
        rec = gamma * i * 0.1
        s = s - new
        i = i + new - rec
        r = r + rec
        total += i ** 2
    return total


@case(np.array([10.0, 28.0, 8.0 / 3.0]), np.array([1.0, 1.0, 1.0]), 300)
def lorenz(p, y, steps):
    def rhs(y):
        return np.array([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1],
                         y[0] * y[1] - p[2] * y[2]])

    h = 0.01
    for _ in range(steps):
        k1 = rhs(y)
        k2 = rhs(y + h / 2 * k1)
        k3 = rhs(y + h / 2 * k2)
        k4 = rhs(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(y ** 2)


@case(draws(30, 2), 40)
def gravity(pos, steps):
    vel = np.zeros_like(pos)
    for _ in range(steps):
        d = pos[:, None, :] - pos[None, :, :]
        r2 = np.sum(d ** 2, axis=-1) + 0.1
        acc = -np.sum(d / r2[..., None] ** 1.5, axis=1)
        vel = vel + 0.01 * acc
        pos = pos + 0.01 * vel
    return np.sum(pos ** 2)


@case(3.0 * draws(24, 3), 20)
def lennard_jones(pos, steps):
    n = len(pos)
    vel = np.zeros_like(pos)
    for _ in range(steps):
        force = np.zeros_like(pos)
        for i in range(n):
            d = pos[i] - pos
            r2 = np.sum(d * d, axis=1) + 0.5
            inv6 = 1.0 / r2 ** 3
            f = 24 * (2 * inv6 ** 2 - inv6) / r2
            force[i] = np.sum(f[:, None] * d, axis=0)
        vel = vel + 0.001 * force
        pos = pos + 0.001 * vel
    return np.sum(vel ** 2)


@case(0.1 * draws(24, 96), 0.1 * draws(24, 96), draws(60, 16, 24))
def lstm(wx, wh, xs):
    h = np.zeros((16, 24))
    c = np.zeros((16, 24))
    for x in xs:
        z = x @ wx + h @ wh
        i = 1 / (1 + np.exp(-z[:, :24]))
        f = 1 / (1 + np.exp(-z[:, 24:48]))
        g = np.tanh(z[:, 48:72])
        o = 1 / (1 + np.exp(-z[:, 72:]))
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum(h ** 2)


@case(0.1 * draws(32, 32), 0.1 * draws(32, 64), draws(50, 16, 32))
def gru(wh, wg, xs):
    h = np.zeros((16, 32))
    loss = 0.0
    for t in range(xs.shape[0]):
        gates = 1 / (1 + np.exp(-(xs[t] @ wg + h @ wg)))
        r, z = gates[:, :32], gates[:, 32:]
        new = np.tanh(xs[t] @ wh + (r * h) @ wh)
        h = (1 - z) * new + z * h
        loss += np.mean(h ** 2)
    return loss


@case([0.1 * draws(64, 64) for _ in range(6)], draws(128, 64))
def perceptron(weights, x):
    for w in weights:
        x = np.maximum(x @ w, 0.0)
    return np.mean(x ** 2)


@case(draws(64, 32), draws(32, 32), draws(32, 32), draws(32, 32))
def attention(x, wq, wk, wv):
    q, k, v = x @ wq, x @ wk, x @ wv
    s = q @ k.T / np.sqrt(32.0)
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    a = e / np.sum(e, axis=1, keepdims=True)
    return np.sum((a @ v) ** 2)


@case(draws(20000), 0.3)
def option_prices(z, sigma):
    s = 100.0 * np.exp((0.02 - 0.5 * sigma ** 2) + sigma * z)
    payoff = np.maximum(s - 100.0, 0.0)
    return np.exp(-0.02) * np.mean(payoff)


@case(np.array([0.2, 0.03]), draws(50, 2000))
def asian_option(p, z):
    sigma, r = p
    dt = 1 / 50
    s = np.full(2000, 100.0)
    total = np.zeros(2000)
    for row in z:
        s = s * np.exp((r - 0.5 * sigma ** 2) * dt + sigma * np.sqrt(dt) * row)
        total = total + s
    return np.exp(-r) * np.mean(np.maximum(total / 50 - 100.0, 0.0))


@case(np.array([0.1, 0.1, 0.8]), draws(800))
def garch(theta, y):
    omega, alpha, beta = theta
    v = 1.0
    ll = 0.0
    for t in range(1, len(y)):
        v = omega + alpha * y[t - 1] ** 2 + beta * v
        ll += -0.5 * (np.log(2 * np.pi) + np.log(v) + y[t] ** 2 / v)
    return -ll


@case(0.9 * np.eye(4), 0.1 * np.eye(4), draws(60, 2))
def kalman(a, q, ys):
    c = np.eye(2, 4)
    r = 0.5 * np.eye(2)
    m = np.zeros(4)
    p = np.eye(4)
    ll = 0.0
    for y in ys:
        m = a @ m
        p = a @ p @ a.T + q
        s = c @ p @ c.T + r
        k = np.linalg.solve(s, c @ p).T
        e = y - c @ m
        m = m + k @ e
        p = p - k @ s @ k.T
        ll += -0.5 * (np.linalg.slogdet(s)[1] + e @ np.linalg.solve(s, e))
    return -ll


@case(draws(8, 8), np.abs(draws(100, 8)) + 0.1)
def hidden_markov(logits, lik):
    trans = np.exp(logits) / np.sum(np.exp(logits), axis=1, keepdims=True)
    alpha = np.ones(8) / 8
    ll = 0.0
    for t in range(lik.shape[0]):
        alpha = (alpha @ trans) * lik[t]
        c = np.sum(alpha)
        alpha = alpha / c
        ll = ll + np.log(c)
    return -ll


@case(np.array([0.5, 0.1, 1.0]), draws(80, 3), draws(80))
def gaussian_process(theta, x, y):
    d2 = np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    k = theta[2] ** 2 * np.exp(-0.5 * d2 / theta[0] ** 2) + (theta[1] ** 2 + 0.01) * np.eye(80)
    low = np.linalg.cholesky(k)
    alpha = np.linalg.solve(low.T, np.linalg.solve(low, y))
    return 0.5 * y @ alpha + np.sum(np.log(np.diag(low)))


@case(draws(6, 3), draws(6, 3), draws(500, 3))
def mixture(means, logs, x):
    diff = x[:, None, :] - means[None]
    s = np.exp(logs)
    lp = np.sum(-0.5 * (diff / s) ** 2 - np.log(s), axis=2)
    top = np.max(lp, axis=1)
    return -np.sum(top + np.log(np.sum(np.exp(lp - top[:, None]), axis=1)))


@case(draws(40, 6), draws(200, 3), STREAM.integers(0, 40, 400), STREAM.integers(0, 200, 400))
def bundle(cams, points, ci, pi):
    total = 0.0
    for c, p in zip(ci, pi):
        rot, t = cams[c, :3], cams[c, 3:]
        x = points[p]
        theta = np.sqrt(np.sum(rot * rot) + 1e-9)
        k = rot / theta
        y = x * np.cos(theta) + np.cross(k, x) * np.sin(theta) + k * (k @ x) * (1 - np.cos(theta))
        y = y + t
        proj = y[:2] / (3.0 + y[2] ** 2)
        total += np.sum(proj ** 2)
    return total


@case(draws(5, 5), draws(28, 28))
def convolution(w, img):
    out = np.zeros((24, 24))
    for i in range(24):
        for j in range(24):
            out[i, j] = np.sum(img[i:i + 5, j:j + 5] * w)
    return np.sum(np.tanh(out))


@case(draws(60), draws(60))
def time_warp(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e3)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = d[i - 1, j], d[i, j - 1], d[i - 1, j - 1]
            low = min(a, b, c)
            soft = low - np.log(np.exp(low - a) + np.exp(low - b) + np.exp(low - c))
            d[i, j] = (x[i - 1] - y[j - 1]) ** 2 + soft
    return d[n, m]


@case(np.array([0.3, 0.2]), np.linspace(0.5, 1.5, 30))
def newton(theta, starts):
    total = 0.0
    for x in starts:
        step = 1.0
        while abs(step) > 1e-10:
            f = x ** 3 + theta[0] * x - theta[1]
            step = f / (3 * x ** 2 + theta[0])
            x = x - step
        total += x
    return total


@case(np.array([1.5, 0.3]), 0.002)
def pendulum(theta, tol):
    angle, rate = theta
    h, t, work = 0.01, 0.0, 0.0
    while t < 3.0:
        a1 = -np.sin(angle) - 0.1 * rate
        mid = angle + 0.5 * h * rate
        a2 = -np.sin(mid) - 0.1 * (rate + 0.5 * h * a1)
        err = abs(a2 - a1) * h
        if err < tol:
            angle = angle + h * (rate + 0.5 * h * a1)
            rate = rate + h * a2
            t = t + h
            work += rate ** 2 * h
            h = min(1.2 * h, 0.05)
        else:
            h = 0.5 * h
    return work


@case(np.array([80.0, 0.3, 1.7]), np.abs(draws(500)), np.abs(draws(500)))
def rainfall_runoff(theta, rain, evap):
    smax, k, b = theta
    store, slow, total = 20.0, 5.0, 0.0
    for t in range(len(rain)):
        frac = min(store / smax, 1.0)
        runoff = rain[t] * frac ** b
        et = evap[t] * frac
        store = max(store + rain[t] - runoff - et, 0.1)
        slow = slow + 0.3 * runoff
        q = k * slow
        slow = slow - q
        total += (q - 0.4) ** 2
    return total


@case(draws(40, 2), 100)
def optimal_control(u, inner):
    x = np.array([1.0, 0.0])
    cost = 0.0
    for t in range(len(u)):
        for _ in range(inner // 20):
            x = x + 0.01 * np.array([x[1], -np.sin(x[0]) + u[t, 0]])
        cost += x @ x + 0.1 * u[t] @ u[t]
    return cost


@case(0.3 * draws(16, 16), 0.3 * draws(16, 16), draws(32, 16), 30)
def neural_ode(w1, w2, x, steps):
    h = 1 / 30
    for _ in range(steps):
        k1 = np.tanh(x @ w1) @ w2
        k2 = np.tanh((x + 0.5 * h * k1) @ w1) @ w2
        x = x + h * k2
    return np.mean(x ** 2)


@case([0.1 * draws(8, 8) for _ in range(8)], draws(200, 16))
def flow(ws, x):
    logdet = 0.0
    for w in ws:
        a, b = x[:, :8], x[:, 8:]
        s = np.tanh(a @ w)
        b = b * np.exp(s) + a
        logdet = logdet + np.sum(s)
        x = np.concatenate([b, a], axis=1)
    return 0.5 * np.sum(x ** 2) - logdet


@case(draws(2000), draws(2000))
def wave(c, src):
    n = 200
    prev = np.zeros(n)
    cur = np.zeros(n)
    speed = 0.2 + 0.01 * c[:n]
    traces = []
    for t in range(200):
        lap = np.zeros(n)
        lap[1:-1] = cur[2:] - 2 * cur[1:-1] + cur[:-2]
        new = 2 * cur - prev + speed ** 2 * lap
        new[n // 2] += src[t]
        prev, cur = cur, new
        traces.append(cur[20])
    return np.sum(np.array(traces) ** 2)


@case(0.1 * draws(30, 30), draws(30), 100)
def mean_field(j, b, steps):
    m = np.zeros(30)
    for _ in range(steps):
        m = 0.5 * m + 0.5 * np.tanh((j + j.T) @ m + b)
    return -0.5 * m @ j @ m - b @ m


@case(np.array([0.04, 3.0, 1.0]), np.array([1.0, 0.0, 0.0]), 100)
def kinetics(k, y, steps):
    for _ in range(steps):
        z = y.copy()
        for _ in range(3):
            r1, r2, r3 = k[0] * z[0], k[1] * z[1] * z[2], k[2] * z[1] ** 2
            f = z - y - 0.05 * np.array([-r1 + r2, r1 - r2 - r3, r3])
            jac = np.eye(3) - 0.05 * np.array([
                [-k[0], k[1] * z[2], k[1] * z[1]],
                [k[0], -k[1] * z[2] - 2 * k[2] * z[1], -k[1] * z[1]],
                [0.0, 2 * k[2] * z[1], 0.0]])
            z = z - np.linalg.solve(jac, f)
        y = z
    return y[1] ** 2 + y[2]


@case(0.1 * draws(20, 5), draws(400, 20), STREAM.integers(0, 5, 400), 20)
def training(w, x, labels, epochs):
    one_hot = np.eye(5)[labels]
    for _ in range(epochs):
        z = x @ w
        e = np.exp(z - z.max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True)
        w = w - 0.1 * (x.T @ (p - one_hot)) / len(x)
    z = x @ w
    return -np.mean(np.sum(one_hot * (z - np.log(np.exp(z).sum(axis=1, keepdims=True))), axis=1))


@case(draws(64, 64))
def total_variation(img):
    gx = img[1:, :-1] - img[:-1, :-1]
    gy = img[:-1, 1:] - img[:-1, :-1]
    return np.sum(np.sqrt(gx ** 2 + gy ** 2 + 1e-3))


@case(draws(150, 3), np.abs(draws(150)))
def coulomb(pos, charge):
    energy = 0.0
    for i in range(len(pos)):
        d = pos[i + 1:] - pos[i]
        r = np.sqrt(np.sum(d ** 2, axis=1) + 0.01)
        energy += np.sum(charge[i] * charge[i + 1:] / r)
    return energy


@case(np.array([1.2, 0.9, 0.4]), 400)
def lotka_volterra(theta, steps):
    a, b, c = theta
    x, y = 1.0, 0.5
    xs = []
    for _ in range(steps):
        dx = a * x - b * x * y
        dy = c * x * y - 0.5 * y
        x = x + 0.01 * dx
        y = y + 0.01 * dy
        xs.append(x)
    return np.sum(np.array(xs) ** 2)


@case(draws(100), draws(20))
def filtered(x, taps):
    y = np.zeros(len(x))
    for n in range(len(x)):
        for k in range(len(taps)):
            if n - k >= 0:
                y[n] += 0.05 * taps[k] * x[n - k]
    return np.sum(np.tanh(y) ** 2)


def peak(f: Callable[..., Any], args: tuple[Any, ...]) -> int:
    """The peak of traced memory of a call above what was there before."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    f(*args)
    found = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return found


def seconds(f: Callable[..., Any], args: tuple[Any, ...], least: float) -> float:
    """The shortest of several runs of a call."""
    best, spent = float("inf"), 0.0
    while spent < least:
        start = time.process_time()
        f(*args)
        took = time.process_time() - start
        best, spent = min(best, took), spent + max(took, 1e-5)
    return best


def main(names: list[str]) -> None:
    print(f"{'program':20}{'function':>12}{'gradient':>12}{'memory':>8}{'time':>8}  kept")
    memory, times = [], []
    for name, (fun, args) in CASES.items():
        if names and name not in names:
            continue
        df = sg.value_and_grad(fun)
        df(*args), fun(*args)
        own, ours = peak(fun, args), peak(df, args)
        pairs = [(seconds(fun, args, 0.06), seconds(df, args, 0.06)) for _ in range(3)]
        took = min(b for _, b in pairs) / min(a for a, _ in pairs)
        kept = [line[2:] for line in df.source(*args).splitlines() if line.startswith("# kept")]
        print(f"{name:20}{own:12}{ours:12}{ours / own:8.1f}{took:8.2f}  {'; '.join(kept)}",
              flush=True)
        memory.append(ours / own)
        times.append(took)
    memory.sort()
    print(f"\nmemory: median {statistics.median(memory):.2f}, "
          f"nine of ten {memory[int(0.9 * len(memory))]:.1f}, worst {max(memory):.1f}; "
          f"time: median {statistics.median(times):.2f}, "
          f"geometric mean {statistics.geometric_mean(times):.2f}; programs {len(memory)}")


if __name__ == "__main__":
    main(sys.argv[1:])
