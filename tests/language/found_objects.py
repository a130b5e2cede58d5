"""As found in real code: functions and objects."""

from __future__ import annotations

import copy
import math

import numpy as np
from table import construct

RNG = np.random.default_rng(8)
R = RNG.normal
U = RNG.uniform
GRAVITY = 9.81
LIMITS = {"low": -1.5, "high": 1.5}


def _rosenbrock(x):
    _rosenbrock.calls += 1
    return np.sum(3.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


_rosenbrock.calls = 0


@construct("function attributes used as counters", R(size=3), 0.1, exported=False)
def descent_that_counts(x, rate):
    _rosenbrock.calls = 0
    best = _rosenbrock(x)
    while _rosenbrock.calls < 4:
        slope = np.array([2 * (x[1] - x[0] ** 2), x[1], x[2] ** 2])
        trial = x - rate * slope
        value = _rosenbrock(trial)
        if value < best:
            x, best = trial, value
    return best + 0.1 * _rosenbrock.calls * x[0]


@construct("function attributes used as counters", R(size=5))
def memo_on_the_function(x):
    def moment(k):
        if k not in moment.seen:
            moment.seen[k] = np.mean(x ** k)
            moment.misses += 1
        return moment.seen[k]

    moment.seen, moment.misses = {}, 0
    variance = moment(2) - moment(1) ** 2
    skew = moment(3) - 3 * moment(1) * moment(2) + 2 * moment(1) ** 3
    return skew / (1.0 + variance) + moment.misses * moment(1)


@construct("function attributes used as counters", R(size=4), 0.5)
def filter_with_a_state(x, a):
    def smooth(v):
        smooth.last = v if smooth.last is None else a * smooth.last + (1 - a) * v
        smooth.count += v > 0
        return smooth.last

    smooth.last, smooth.count = None, 0
    out = [smooth(v) for v in x]
    return np.sum(np.square(out)) * (1 + smooth.count)


def _normalised(x, reduce=np.linalg.norm, eps=1e-8, apply=np.divide):
    return apply(x, reduce(x) + eps)


@construct("NumPy functions as default arguments", R(size=(3, 4)))
def several_normalisations(X):
    total = 0.0
    for row in X:
        a = _normalised(row)
        b = _normalised(row, reduce=np.ptp)
        c = _normalised(row, np.max, apply=np.subtract)
        total += a @ b + c[0] * c[-1] if row[0] > 0 else a @ c
    return total


@construct("NumPy functions as default arguments", R(size=3), R(size=(2, 3)), R(size=(3, 2)))
def forward_with_activations(x, W, V):
    def layer(x, A, f=np.tanh, *, gate=np.maximum, bias=np.zeros(1)):
        z = f(A @ x) + bias
        return gate(z, 0.1 * z)

    h = layer(x, W)
    y = layer(h, V, np.sin, gate=np.fmin)
    return np.sum(y ** 2) + layer(y, W, f=np.arctan)[0]


@construct("NumPy functions as default arguments", R(size=6), 0.3)
def pooled_windows(x, w, pools=(np.max, np.mean, np.min, np.median)):
    total = 0.0
    for k, pool in enumerate(pools):
        for i in range(0, x.size, 2):
            total += w ** k * pool(x[i:i + 3])
    return total ** 2


class _Body:
    def __init__(self, mass, height):
        self.mass, self.height = mass, height

    def potential(self):
        return self.mass * GRAVITY * self.height

    def clipped(self):
        return np.clip(self.height, LIMITS["low"], LIMITS["high"]) * math.pi

    @staticmethod
    def default():
        return GRAVITY / 2.0


@construct("methods that read module globals", R(size=3), U(1, 2, 3))
def energy_of_bodies(heights, masses):
    total = 0.0
    for h, m in zip(heights, masses):
        body = _Body(m, h)
        total += body.potential() if h > 0 else body.clipped()
    return total / _Body.default()


@construct("methods that read module globals", R(size=4), 0.01)
def falling_with_drag(v, dt):
    class Model:
        drag = 0.1

        def rate(self, v):
            return -GRAVITY - self.drag * v * np.abs(v)

        def run(self, v, n):
            for _ in range(n):
                k = self.rate(v)
                v = v + dt * 0.5 * (k + self.rate(v + dt * k))
                if v.min() < LIMITS["low"] * 10:
                    break
            return v

    return np.sum(Model().run(v, 5) ** 2)


@construct("methods that read module globals", R(size=(2, 3)))
def scaled_by_a_table(X):
    class Scaler:
        scale = np.array([1.0, GRAVITY, 0.5])

        def __call__(self, row):
            return row * self.scale[: len(row)] + R_OFFSETS["row"]

        @property
        def weight(self):
            return np.sum(self.scale) / GRAVITY

    s = Scaler()
    return np.sum(np.array([s(row) for row in X]) ** 2) * s.weight


R_OFFSETS = {"row": np.array([0.1, -0.2, 0.3])}


class _Thermostat:
    def __init__(self, temperature):
        self._temperature = temperature
        self.moves = 0

    @property
    def temperature(self):
        return self._temperature

    @temperature.setter
    def temperature(self, value):
        self.moves += 1
        if value > 1.0:
            value = 1.0 + np.log(value)
        self._temperature = value

    @property
    def fahrenheit(self):
        return 1.8 * self._temperature + 32.0

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.temperature = (value - 32.0) / 1.8


@construct("property setters", R(size=4), 0.5)
def heated_in_steps(power, start):
    room = _Thermostat(start)
    for p in power:
        room.temperature += 0.3 * p
        if room.moves % 2:
            room.fahrenheit = room.fahrenheit * 0.99
    return room.temperature ** 2 + room.moves * start


class _Gaussian:
    def __init__(self, mean, cov):
        self.mean = mean
        self.cov = cov

    @property
    def cov(self):
        return self._cov

    @cov.setter
    def cov(self, S):
        self._cov = 0.5 * (S + S.T) + 2 * np.eye(len(S))
        self.chol = np.linalg.cholesky(self._cov)

    def log_density(self, x):
        z = np.linalg.solve(self.chol, x - self.mean)
        return -0.5 * z @ z - np.sum(np.log(np.diag(self.chol)))


@construct("property setters", R(size=2), 0.3 * R(size=(2, 2)), R(size=2))
def density_after_an_update(m, S, x):
    g = _Gaussian(m, S)
    first = g.log_density(x)
    g.cov = g.cov + np.outer(x, x)
    if first < g.log_density(x):
        g.mean = 0.5 * (g.mean + x)
    return g.log_density(x) + 0.1 * first


@construct("property setters", R(size=3), 2.0)
def vector_with_a_length(v, wanted):
    class Vector:
        __slots__ = ("xs",)

        def __init__(self, xs):
            self.xs = xs

        @property
        def length(self):
            return np.sqrt(self.xs @ self.xs)

        @length.setter
        def length(self, new):
            self.xs = self.xs * (new / self.length)

    a = Vector(v)
    a.length = wanted
    a.length **= 2
    return a.xs[0] + a.length * v[1]


class _Plant:
    def __init__(self, A):
        self.A = A
        self._inverse = None
        self._trace = None

    @property
    def inverse(self):
        if self._inverse is None:
            self._inverse = np.linalg.inv(self.A + 3 * np.eye(len(self.A)))
        return self._inverse

    def trace(self):
        if self._trace is None:
            self._trace = np.trace(self.inverse)
        return self._trace


@construct("attributes created lazily behind a `None` check", R(size=(3, 3)), R(size=3))
def cached_inverse(A, b):
    plant = _Plant(A)
    x = b
    for _ in range(3):
        x = plant.inverse @ x
        if x[0] > 0:
            x = x * plant.trace()
    return x @ x + plant.trace()


@construct("attributes created lazily behind a `None` check", R(size=5), 0.9)
def running_scale(x, decay):
    class Scale:
        mean = None

        def update(self, v):
            if self.mean is None:
                self.mean = v
                self.spread = np.abs(v)
            else:
                self.spread = decay * self.spread + (1 - decay) * np.abs(v - self.mean)
                self.mean = decay * self.mean + (1 - decay) * v
            return (v - self.mean) / (self.spread + 0.1)

    s = Scale()
    return sum(s.update(v) ** 2 for v in x) + s.spread


@construct("attributes created lazily behind a `None` check", R(size=(4, 2)), R(size=2))
def memory_allocated_on_first_use(batches, w):
    class Optimiser:
        def __init__(self):
            self.velocity = None

        def step(self, w, g):
            if self.velocity is None:
                self.velocity = np.zeros_like(w)
            self.velocity *= 0.5
            self.velocity -= 0.1 * g
            w += self.velocity

    opt = Optimiser()
    for row in batches:
        opt.step(w, row * (row @ w) + 0.1 * w ** 3)
    return w @ w + opt.velocity[0]


class _State:
    def __init__(self, x, v, tags):
        self.x, self.v, self.tags = x, v, tags


@construct("`copy.copy` of objects that hold active values", R(size=3), R(size=3), 0.2)
def trial_steps_on_copies(x, v, dt):
    state = _State(x, v, ["start"])
    for k in range(3):
        trial = copy.copy(state)
        trial.x = trial.x + dt * trial.v
        trial.v = trial.v - dt * np.sin(trial.x)
        if np.sum(trial.v ** 2) < 10.0:
            state = trial
            state.tags.append(k)
    return state.x @ state.v + len(state.tags) * x[0]


@construct("`copy.copy` of objects that hold active values", R(size=4), 0.5)
def shallow_copies_share(x, w):
    first = _State(x * 1.0, [w, w ** 2], None)
    second = copy.copy(first)
    second.x[0] += w
    second.v = copy.copy(second.v)
    second.v[0] = 3.0
    table = {"a": first, "b": second}
    other = copy.copy(table)
    other["a"] = second
    return sum(s.v[0] * s.x.sum() for s in (*table.values(), other["a"]))


@construct("`copy.copy` of objects that hold active values", R(size=3), R(size=3))
def copied_arrays_and_tuples(x, y):
    a = copy.copy(x)
    a *= 2.0
    rows = [x, y]
    same = copy.copy(rows)
    same[0][0] = 5.0
    same.append(a)
    point = copy.copy((x, a))
    return point[0] @ point[1] + len(same) * rows[0][0] + x[1] ** 3


@construct("`copy.deepcopy` of objects that hold active values", R(size=3), R(size=3), 0.3)
def snapshots_of_a_state(x, v, dt):
    state = _State(x, v, {"steps": [0.0]})
    saved = copy.deepcopy(state)
    for _ in range(3):
        state.x += dt * state.v
        state.v -= dt * state.x
        state.tags["steps"].append(dt)
    if state.x @ state.x > saved.x @ saved.x:
        state.x[:] = saved.x
    return state.x @ saved.v + np.sum(state.tags["steps"]) + len(saved.tags["steps"])


@construct("`copy.deepcopy` of objects that hold active values", R(size=(2, 2)), R(size=2))
def target_network(W, x):
    net = {"layers": [{"W": W, "b": np.zeros(2)}, {"W": W.T, "b": x}]}
    target = copy.deepcopy(net)
    for layer, old in zip(net["layers"], target["layers"]):
        layer["W"] = layer["W"] - 0.1 * np.outer(x, x)
        old["W"] *= 0.9
        old["b"][0] = 1.0
    h = x
    for model in (net, target):
        for layer in model["layers"]:
            h = np.tanh(layer["W"] @ h + layer["b"])
    return h @ h + W[0, 0] * x[0]


@construct("`copy.deepcopy` of objects that hold active values", R(size=4))
def structure_with_shared_parts(x):
    pair = [x, x]
    twin = copy.deepcopy(pair)
    twin[0][0] = 2.0
    twin[1] *= 3.0
    return pair[0] @ pair[1] + twin[0] @ twin[1] ** 2


@construct("`copy.deepcopy` of objects that hold active values", R(size=4))
def containers_in_themselves(x):
    ring = [x * 2.0, {"of": x}]
    ring.append(ring)
    ring[1]["up"] = ring[1]
    twin = copy.deepcopy(ring)
    twin[2][2][0][1] = 3.0
    twin[1]["up"]["of"] *= x

    def descend(nest, steps):
        return nest[0] @ nest[1]["of"] if steps == 0 else descend(nest[2], steps - 1) * 2.0

    return descend(ring, 3) + descend(twin, 2) + (twin[2] is twin) + (ring[2] is twin)
