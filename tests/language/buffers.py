"""Arrays under several names, and buffers that others fill."""

from __future__ import annotations

import numpy as np
from table import construct

RNG = np.random.default_rng(6)
R = RNG.normal
U = RNG.uniform
SHARED = R(size=4)
GRID = R(size=(3, 4))


@construct("one array as two arguments", SHARED, SHARED, 0.3)
def axpy_onto_itself(x, y, a):
    z = y.copy()
    z += a * x
    while z @ z > 5.0:
        z -= 0.5 * y
    return x @ z + z[0]


@construct("one array as two arguments", GRID, GRID[:], 0.5)
def blended_frames(front, back, t):
    for row in range(len(front)):
        mixed = t * front[row] + (1 - t) * back[row] ** 2
        total = mixed.sum() if row else mixed.max()
        t = t + 0.01 * total
    return t * np.sum(front[::-1] * back)


def _swap_add(a, b, w):
    a[:], b[:] = b + w, a - w
    return a @ b


@construct("one array as two arguments", R(size=5), 0.7)
def called_with_one_array_twice(x, w):
    total = _swap_add(x, x, w)
    total += _swap_add(x, x.copy(), w)
    y = x[1:]
    return total + _swap_add(y, y, w ** 2) + x.sum()


def _relax(u, rhs, sweeps):
    for _ in range(sweeps):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - rhs[i])


@construct("buffers written by a helper", R(size=7), R(size=7))
def two_grid_cycle(u, rhs):
    _relax(u, rhs, 2)
    residual = np.zeros_like(u)
    residual[1:-1] = rhs[1:-1] - (u[:-2] - 2 * u[1:-1] + u[2:])
    coarse = np.zeros(4)
    _relax(coarse, 4.0 * residual[::2], 3)
    u[::2] += coarse
    _relax(u, rhs, 1)
    return u @ u + residual.max()


def _householder(R, Q, k):
    x = R[k:, k]
    alpha = -np.sign(x[0]) * np.sqrt(x @ x)
    v = x.copy()
    v[0] -= alpha
    v /= np.sqrt(v @ v)
    R[k:] -= 2.0 * np.outer(v, v @ R[k:])
    Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ v, v)


@construct("buffers written by a helper", R(size=(4, 3)), R(size=4))
def least_squares_by_reflections(A, b):
    T, Q = A.copy(), np.eye(4)
    for k in range(3):
        _householder(T, Q, k)
    y = Q.T @ b
    x = np.zeros(3)
    for i in (2, 1, 0):
        x[i] = (y[i] - T[i, i + 1:3] @ x[i + 1:]) / T[i, i]
    return x @ x + y[3] ** 2


def _scatter_forces(force, i, j, pull):
    force[i] += pull
    force[j] -= pull
    return force


@construct("buffers written by a helper", R(size=(4, 2)), 1.1)
def springs_between_points(points, rest):
    force = np.zeros(points.shape)
    energy = 0.0
    for i in range(len(points)):
        for j in range(i):
            d = points[j] - points[i]
            length = np.sqrt(d @ d)
            if length > rest:
                energy += (length - rest) ** 2
                same = _scatter_forces(force, i, j, (length - rest) * d / length)
                same[0, 0] *= 0.9
    return energy + np.sum(force ** 2)


@construct("buffers written by a closure", R(size=5), 0.2)
def recorder_of_steps(x, dt):
    history = np.zeros((4, 5))
    count = 0

    def record(state):
        nonlocal count
        history[count] = state
        count += 1

    for _ in range(4):
        x = x + dt * np.sin(x)
        if x[0] > 0 or count < 3:
            record(x)
    return np.sum(history ** 2) + count * x[0]


@construct("buffers written by a closure", R(size=6), R(size=6))
def accumulators_of_a_closure(x, w):
    mean, m2 = np.zeros(1), np.zeros(1)

    def push(v, n):
        delta = v - mean
        mean[0] += delta[0] / n
        m2[...] += delta * (v - mean)

    def flush():
        out = m2 / len(x)
        m2.fill(0.0)
        return out[0]

    for k, v in enumerate(x):
        push(v * w[k], k + 1)
        if k == 2:
            first = flush()
    return first + 2.0 * flush() + mean[0]


@construct("buffers written by a closure", R(size=(3, 3)), R(size=3))
def preconditioned_by_closures(A, b):
    work = np.empty(3)
    M = A @ A.T + np.eye(3)

    def apply(v):
        np.matmul(M, v, out=work)
        return work

    def precondition(v):
        work[:] = v / np.diag(M)
        return work.copy()

    x = np.zeros(3)
    for _ in range(4):
        r = b - apply(x)
        if np.sqrt(r @ r) < 1e-8:
            break
        x += 0.5 * precondition(r)
    return x @ b + work[0]


class _Ring:
    def __init__(self, size):
        self.data = np.zeros(size)
        self.at = 0

    def push(self, v):
        self.data[self.at % len(self.data)] = v
        self.at += 1

    def mean(self):
        return self.data.sum() / min(self.at, len(self.data))


@construct("buffers written by a class", R(size=8), 0.5)
def moving_average_filter(x, gain):
    ring, out = _Ring(3), []
    for v in x:
        ring.push(v)
        m = ring.mean()
        out.append(m if m > 0 else gain * m)
    ring.data *= 2.0
    return np.sum(np.square(out)) + ring.data.max()


class _Particles:
    def __init__(self, x, v):
        self.x, self.v = x, v
        self.force = np.zeros_like(x)

    def step(self, dt):
        self.force[:] = -self.x
        self.force[1:] += 0.3 * np.diff(self.x)
        self.v += dt * self.force
        self.x += dt * self.v
        hit = self.x > 1.0
        self.v[hit] *= -0.5
        return self


@construct("buffers written by a class", R(size=4), R(size=4))
def particles_that_share_memory(x, v):
    cloud = _Particles(x, v)
    for k in range(3):
        cloud.step(0.1 * (k + 1))
    view = cloud.x[::-1]
    view[0] = 0.0
    return np.sum(x ** 2) + cloud.v @ v + cloud.force[0]


class _Layer:
    def __init__(self, W):
        self.W = W
        self.grad = np.zeros(W.shape)

    def __call__(self, x):
        self.x = x
        return np.tanh(self.W @ x)

    def backward(self, g, y):
        g = g * (1.0 - y ** 2)
        self.grad += np.outer(g, self.x)
        return self.W.T @ g


@construct("buffers written by a class", R(size=(3, 3)), R(size=3))
def one_step_of_training(W, x):
    layers = [_Layer(W), _Layer(W.T.copy())]
    for _ in range(2):
        ys = [x]
        for layer in layers:
            ys.append(layer(ys[-1]))
        g = ys[-1] - 1.0
        for layer, y in zip(layers[::-1], ys[:0:-1]):
            g = layer.backward(g, y)
            layer.W -= 0.1 * layer.grad
            layer.grad[:] = 0.0
    return np.sum(ys[-1] ** 2) + W[0, 0] + g @ g


@construct("buffers in a list", R(size=6), 0.4)
def levels_of_a_pyramid(x, w):
    levels = [x]
    for _ in range(2):
        fine = levels[-1]
        levels.append(0.5 * (fine[:fine.size // 2 * 2:2] + fine[1::2]))
    for coarse, fine in zip(levels[::-1], levels[-2::-1]):
        if coarse[0] < 10.0:
            fine[:coarse.size] += w * coarse
    levels[0][0] *= 2.0
    return x @ x + levels[1].sum()


@construct("buffers in a list", R(size=4), R(size=4), 0.1)
def rotating_time_levels(u, v, dt):
    levels = [u, v, np.zeros(4)]
    for _ in range(5):
        levels[2][:] = 2.0 * levels[1] - levels[0] - dt * levels[1]
        if levels[2][0] > 1.0:
            levels[2] *= 0.5
        levels.append(levels.pop(0))
    return levels[1] @ levels[0] + levels[2].max()


@construct("buffers in a list", R(size=(3, 3)), 2)
def rows_kept_in_a_list(A, k):
    rows = list(A)
    rows[0] += rows[1]
    rows[k], rows[0] = rows[0], rows[k]
    rows[0] -= 0.5 * rows[1]
    rows[1] = rows[1] * 3.0
    rows[1][0] = 100.0
    return np.sum(A ** 2) + sum(r[0] for r in rows)


@construct("buffers in a dict", R(size=4), 0.3)
def fields_by_name(x, dt):
    state = {"h": x, "u": np.zeros_like(x), "flux": np.empty(5)}
    for step in range(3):
        state["flux"][1:-1] = 0.5 * (state["h"][1:] + state["h"][:-1])
        state["flux"][0] = state["flux"][-1] = 0.0
        state["u"] -= dt * np.diff(state["flux"])
        for name in ("h", "u"):
            state[name] *= 0.99
        if state["u"].max() > 0.1:
            state["h"] += dt * state["u"]
    return state["h"] @ x + state["flux"][2]


@construct("buffers in a dict", R(size=(2, 3)), R(size=2))
def optimiser_with_slots(W, x):
    slots = {}
    for step in range(3):
        g = np.outer(x, x @ W) + 0.1 * W
        m = slots.setdefault("m", np.zeros_like(W))
        v = slots.setdefault("v", np.ones_like(W))
        m *= 0.9
        m += 0.1 * g
        v[:] = 0.99 * v + 0.01 * g ** 2
        W -= 0.5 * m / np.sqrt(v)
    return np.sum(W ** 2) + slots["v"].prod()


@construct("buffers in a dict", R(size=6))
def overlapping_windows_by_key(x):
    views = {k: x[k:k + 3] for k in range(0, 4, 2)}
    views[0] += 1.0
    views[2] *= views[0][::-1]
    table = {("a", k): v.copy() for k, v in views.items()}
    for key in sorted(table):
        table[key][0] = views[key[1]][2]
    return x @ x + sum(v.sum() for v in table.values())


def _lowpass(x, a, out=None):
    if out is None:
        out = np.empty_like(x)
    out[0] = x[0]
    for k in range(1, x.size):
        out[k] = a * out[k - 1] + (1 - a) * x[k]
    return out


@construct("the function's own `out=` parameter", R(size=6), 0.6)
def cascaded_filters(x, a):
    y = _lowpass(x, a)
    z = _lowpass(y[::-1], a ** 2, out=np.zeros(6))
    _lowpass(z, 0.5, out=y)
    if y[0] > 0:
        _lowpass(y, a, out=y)
    return y @ z


@construct("the function's own `out=` parameter", R(size=(3, 4)), R(size=(3, 4)), np.zeros((3, 4)))
def relative_difference(a, b, out=None):
    scale = np.maximum(np.abs(a), np.abs(b))
    out = np.subtract(a, b, out=out)
    np.divide(out, scale, out=out, where=scale > 0.1)
    out[out > 1.0] = 1.0
    a[0] = out[1]
    return np.sum(out ** 2) + a[0] @ b[2]


def _cross(a, b, out):
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


@construct("the function's own `out=` parameter", R(size=(2, 3)), R(size=3))
def angular_momentum(r, p):
    buffer = np.empty((2, 2, 3))
    L = _cross(r, p, out=buffer[0])
    _cross(L, r, buffer[1])
    total = buffer.sum(axis=0)
    return np.sum(_cross(total, p, out=L) ** 2) + buffer[0, 1, 2]
