"""Effects, once per call and in order."""

from __future__ import annotations

import io
import itertools
import logging
import math
import random
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from table import construct

R = np.random.RandomState(11)
V5 = R.randn(5)
V4 = np.abs(R.randn(4)) + 0.5
A44 = R.rand(4, 4) + 4 * np.eye(4)
POINTS = R.randn(12, 2)
LOGGER = logging.getLogger("language.effects")


# ---- print -----------------------------------------------------------------------------------
@construct("print", V4, 0.1)
def descent_that_reports(x, rate):
    for step in range(6):
        slope = 2 * A44 @ x - 1.0
        x = x - 0.1 * rate * slope
        if step % 2 == 0:
            print(f"step {step:3d}  |slope| = {np.linalg.norm(slope):.3e}", x[:2])
    print("done", end="\n\n")
    return x @ A44 @ x


@construct("print", V5)
def newton_with_a_trace(x):
    root = 1.0
    for k in range(20):
        change = (root**3 - np.sum(x**2)) / (3 * root**2)
        root -= change
        print(k, root, sep="\t", file=sys.stdout)
        if abs(change) < 1e-12:
            print("converged after", k + 1)
            break
    else:
        print("gave up")
    return root


@construct("print", V4, 2.0)
def printed_table(x, scale):
    lines = io.StringIO()
    total = 0.0
    for name, value in zip("abcd", x * scale):
        total += np.log1p(value**2)
        if value > 1.0:
            print(name, "is large:", round(float(value), 2))
    print(len(lines.getvalue()), total)
    return total


# ---- logging, warnings -----------------------------------------------------------------------
@construct("logging", V5, 0.5, exported=False)
def filter_that_logs(signal, gain):
    level = np.zeros(2)
    out = 0.0
    for t, value in enumerate(signal):
        residual = value - level[0]
        if abs(residual) > 1.0:
            LOGGER.warning("outlier at %d: %.3f", t, residual)
        level[0] += gain * residual
        level[1] += 0.1 * gain * residual
        LOGGER.debug("level %s", level)
        out += residual**2 + level[1]
    return out


@construct("logging", V4)
def solver_with_a_logger(b):
    log = logging.getLogger("language.effects.solver")
    x = np.zeros_like(b)
    for sweep in range(4):
        for i in range(len(b)):
            x[i] = (b[i] - A44[i] @ x + A44[i, i] * x[i]) / A44[i, i]
        log.info("sweep %d: residual %g", sweep, np.linalg.norm(A44 @ x - b))
    if log.isEnabledFor(logging.CRITICAL):
        log.debug("solution %r", x.shape)
    return np.sum(x**2)


@construct("logging", V5, exported=False)
def errors_that_are_logged(x):
    total = 0.0
    for value in x:
        try:
            if value < -1.0:
                raise ValueError(f"{value:.2f} is too small")
            total += math.sqrt(value + 1.0)
        except ValueError as error:
            LOGGER.error("skipped: %s", error)
            total += value
    return total


@construct("warnings", V5)
def clipped_with_a_warning(x):
    if np.any(x < 0):
        warnings.warn("negative entries are clipped", RuntimeWarning, stacklevel=2)
        x = np.maximum(x, 0.0)
    return np.sum(np.sqrt(x + 0.1))


@construct("warnings", V4)
def deprecated_option(x, mode="old"):
    if mode == "old":
        warnings.warn("mode='old' will go", DeprecationWarning, stacklevel=2)
        scale = 0.5
    else:
        scale = 1.0
    return scale * np.sum(np.exp(-x) * x)


@construct("warnings", V5)
def warnings_kept_silent(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ratio = np.where(x > 0, np.log(np.abs(x)), x / 2)
        warnings.warn("not seen", stacklevel=1)
    return np.sum(ratio * x)


# ---- lists, dicts, objects -------------------------------------------------------------------
@construct("appends to lists from outside", V4, [])
def descent_with_history(x, history):
    for _ in range(5):
        value = x @ A44 @ x - np.sum(x)
        history.append(value)
        x = x - 0.05 * (2 * A44 @ x - 1.0)
    history.extend([x.copy(), "end"])
    return x @ A44 @ x - np.sum(x)


HISTORY: list = []


@construct("appends to lists from outside", V5, exported=False)
def recorded_in_a_module(x):
    HISTORY.clear()
    energy = 0.0
    for i in range(1, len(x)):
        energy += (x[i] - x[i - 1]) ** 2
        HISTORY.append({"step": i, "energy": energy})
        HISTORY[-1]["mean"] = energy / i
    return energy * len(HISTORY) + HISTORY[-1]["mean"]


@dataclass
class Event:
    time: float
    height: float


@construct("appends to lists from outside", 1.0, 12.0, [], deque([], 3))
def bouncing_ball(height, speed, events, latest):
    t, dt = 0.0, 0.02
    for _ in range(60):
        speed -= 9.81 * dt
        height += speed * dt
        t += dt
        if height < 0.0:
            height, speed = -height, -0.8 * speed
            events.append(Event(t, height))
            latest.appendleft(speed)
    return height + 0.1 * speed


@construct("writes into dicts from outside", V5, {"calls": 0})
def statistics_of_calls(x, stats):
    stats["calls"] += 1
    stats["norm"] = np.linalg.norm(x)
    stats.setdefault("sizes", []).append(len(x))
    worst = stats.get("worst", 0.0)
    stats.update(worst=max(worst, float(np.max(np.abs(x)))))
    return stats["norm"] ** 2 * stats["calls"]


@construct("writes into dicts from outside", V5, {}, defaultdict(list))
def values_by_sign(x, sums, groups):
    for i, value in enumerate(x):
        key = "even" if i % 2 == 0 else "odd"
        groups[key].append(value)
        sums[key] = sums.get(key, 0.0) + value**3
    return sums["even"] - sums["odd"] + np.sum(np.array(groups["odd"]))


@construct("writes into dicts from outside", V4, {"table": {}})
def memo_table(x, store):
    table = {}
    store["table"] = table

    def fib(n):
        if n < 2:
            return x[n]
        if n not in table:
            table[n] = fib(n - 1) + fib(n - 2) * x[2]
        return table[n]

    return fib(7)


class Dense:
    """A layer that keeps what its hand-written backward pass needs."""

    def __init__(self, weights):
        self.weights = weights
        self.cache = None
        self.calls = 0

    def forward(self, x):
        self.cache = {}
        self.cache["in"] = x
        z = x @ self.weights
        self.cache["z"] = z
        self.calls += 1
        return np.tanh(z)

    def backward(self, slope):
        slope = slope * (1 - np.tanh(self.cache["z"]) ** 2)
        return slope @ self.weights.T, np.outer(self.cache["in"], slope)


@construct("writes into objects from outside", V4, [Dense(A44 / 5), Dense(A44 / 7)])
def network_with_caches(x, layers):
    for layer in layers:
        x = layer.forward(x)
    slope = np.ones(4)
    for layer in reversed(layers):
        slope, moved = layer.backward(slope)
        layer.weights = layer.weights - 0.01 * moved
    return np.sum(x) + slope @ slope


@dataclass
class Monitor:
    best: float = 1e9
    values: list = field(default_factory=list)
    last: Event | None = None

    def see(self, value):
        self.values.append(value)
        if value < self.best:
            self.best = value
            self.last = Event(float(len(self.values)), value)
            self.last.time *= 0.5


@construct("writes into objects from outside", V4, Monitor())
def watched_descent(x, monitor):
    for _ in range(4):
        x = x - 0.05 * (2 * A44 @ x - 1.0)
        monitor.see(x @ A44 @ x - np.sum(x))
    return monitor.best + 0.5 * monitor.values[0]


class Integrator:
    def __init__(self):
        self.state = None
        self.trajectory = []

    def step(self, rate):
        self.state = self.state + 0.1 * rate
        self.trajectory.append(self.state)
        return self.state


@construct("writes into objects from outside", V4, 0.3, Integrator())
def lazily_started(x, damping, integrator):
    if integrator.state is None:
        integrator.state = np.zeros(4)
    for _ in range(5):
        integrator.step(x - damping * integrator.state)
    return np.sum(np.array(integrator.trajectory) ** 2)


# ---- global, nonlocal, counters --------------------------------------------------------------
TOTAL = 0.0
LAST: dict = {}


@construct("global", V5, exported=False)
def running_total(x):
    global TOTAL
    TOTAL = 0.0
    for value in x:
        TOTAL += value**2
        if TOTAL > 2.0:
            TOTAL = TOTAL - 0.5 * value
    return TOTAL


@construct("global", V4, exported=False)
def last_result_kept(x):
    global LAST
    LAST = {"x": x}
    LAST["norm"] = np.sqrt(x @ x)
    LAST["steps"] = [LAST["norm"] * k for k in range(3)]
    return sum(LAST["steps"]) * LAST["norm"]


EVALUATIONS = 0


def rosenbrock(x, y):
    global EVALUATIONS
    EVALUATIONS += 1
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


@construct("global", 0.3, 0.7, exported=False)
def evaluations_counted(x, y):
    before = EVALUATIONS
    h = 1e-3
    slope = (rosenbrock(x + h, y) - rosenbrock(x - h, y)) / (2 * h)
    return slope * (EVALUATIONS - before)


@construct("nonlocal", V5)
def accumulator_in_a_closure(x):
    total, seen = 0.0, 0

    def add(value):
        nonlocal total, seen
        total += value * np.cos(value)
        seen += 1
        return total / seen

    return sum(add(v) for v in x) + total


@construct("nonlocal", V4, 0.9)
def momentum_in_a_closure(x, beta):
    velocity = np.zeros(4)

    def update(slope):
        nonlocal velocity
        velocity = beta * velocity + slope
        return x - 0.01 * velocity

    for _ in range(3):
        x = update(2 * A44 @ x - 1.0)
    return x @ x + velocity @ velocity


@construct("nonlocal", V5)
def simpson_that_counts(c):
    calls = 0

    def f(t):
        nonlocal calls
        calls += 1
        return np.polyval(c, t)

    def simpson(a, b, depth):
        middle = 0.5 * (a + b)
        whole = (b - a) / 6 * (f(a) + 4 * f(middle) + f(b))
        if depth == 0:
            return whole
        return simpson(a, middle, depth - 1) + simpson(middle, b, depth - 1)

    return simpson(0.0, 1.0, 2) * calls


@construct("counters", V5, Counter())
def counted_signs(x, counts):
    total = 0.0
    for value in x:
        counts["positive" if value > 0 else "negative"] += 1
        total += value**2
    return total * (1 + len(x))


@construct("counters", V4)
def numbered_rows(x):
    number = itertools.count(1)
    return sum(v**2 / next(number) for v in x)


def softened(v):
    softened.calls += 1
    return v / (1 + abs(v))


softened.calls = 0


@construct("counters", V5, exported=False)
def function_attribute(x):
    softened.calls = 0
    total = sum(softened(v) for v in x)
    return total * softened.calls


# ---- random numbers --------------------------------------------------------------------------
@construct("random", V4)
def shuffled_sweeps(b):
    random.seed(5)
    x = np.zeros_like(b)
    for _ in range(12):
        i = random.randrange(4)
        x[i] += (b[i] - A44[i] @ x) / A44[i, i]
    return x @ x


@construct("random", 0.7, 1.3)
def random_walk_price(drift, spread):
    stream = random.Random(3)
    log_price = 0.0
    for _ in range(10):
        log_price += 0.1 * drift + 0.3 * spread * stream.gauss(0.0, 1.0)
    return max(math.exp(log_price) - 1.0, 0.0) + 0.1 * log_price


@construct("random", V5, random.Random(8))
def stream_from_outside(x, stream):
    keep = [stream.random() < 0.6 for _ in x]
    return sum(v**2 / 0.6 for v, k in zip(x, keep) if k) + stream.uniform(0.0, 1.0) * x[0]


@construct("functions of np.random", V5, 0.4)
def dropout(x, rate):
    np.random.seed(4)
    mask = np.random.rand(*x.shape) > 0.5
    noise = np.random.normal(0.0, 1.0, size=3)
    return np.sum(np.tanh(x) * mask) / (1 - rate) + noise @ x[:3] + np.random.uniform() * rate


@construct("functions of np.random", 0.05, 0.2)
def monte_carlo_option(rate, spread):
    np.random.seed(1)
    z = np.random.standard_normal((64, 4))
    paths = 100 * np.exp(np.cumsum((rate - spread**2 / 2) / 4 + spread / 2 * z, axis=1))
    payoff = np.maximum(paths.mean(axis=1) - 100, 0.0)
    return np.exp(-rate) * payoff.mean()


@construct("functions of np.random", V4)
def bootstrap(x):
    np.random.seed(9)
    means = []
    for _ in range(6):
        picked = np.random.randint(0, len(x), size=len(x))
        means.append(x[picked].mean())
    return np.var(means) + np.random.permutation(x)[0] * 0.1


@construct("generators of np.random", V4, np.random.default_rng(2))
def evidence_bound(w, rng):
    mean, spread = w[:2], np.exp(0.1 * w[2:])
    total = 0.0
    for _ in range(4):
        z = mean + spread * rng.standard_normal(2)
        total += -0.5 * np.sum((POINTS - z) ** 2) / 12 + np.sum(np.log(spread))
    return -total / 4


@construct("generators of np.random", V5)
def stochastic_descent(x):
    rng = np.random.default_rng(6)
    w = np.zeros(2)
    for batch in range(3):
        rows = rng.choice(12, size=4, replace=False)
        error = POINTS[rows] @ w - x[batch]
        w = w - 0.1 * POINTS[rows].T @ error + 0.01 * rng.normal(size=2) * x[4]
    return w @ w


@construct("generators of np.random", 0.8, 1.1, np.random.default_rng(10))
def ornstein_uhlenbeck(pull, noise, rng):
    x, dt = 1.0, 0.1
    area = 0.0
    while rng.uniform() > 0.02 and dt < 0.5:
        x += -pull * x * dt + noise * np.sqrt(dt) * rng.normal()
        area += x * dt
        dt *= 1.2
    return area


# ---- time, files -----------------------------------------------------------------------------
@construct("time", V4)
def timed_solve(b):
    began = time.perf_counter()
    x = np.linalg.solve(A44, b)
    elapsed = time.perf_counter() - began
    if elapsed > 1000:
        x = x * 2
    return x @ x


@construct("time", V5, {})
def timings_kept(x, timings):
    start = time.time()
    y = np.cumsum(x**2)
    timings["negative"] = time.time() - start < 0
    return y[-1] * y[0]


@construct("time", V4)
def bounded_by_a_clock(x):
    limit = time.monotonic() + 3600.0
    steps = 0
    while steps < 5 and time.monotonic() < limit:
        x = 0.5 * (x + 2.0 / x)
        steps += 1
    return np.sum(x) * steps


@construct("files", V4, exported=False)
def checkpoints_on_disk(x):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.txt"
        for step in range(3):
            x = x - 0.05 * (2 * A44 @ x - 1.0)
            with open(path, "a") as file:
                file.write(f"{step} {np.linalg.norm(x):.6f}\n")
    return x @ x


@construct("files", V5)
def written_to_a_stream(x, stream=None):
    stream = io.StringIO() if stream is None else stream
    total = 0.0
    for value in x:
        total += np.sinh(value)
        stream.write(f"{total:.3f};")
    return total


@construct("files", V4, exported=False)
def saved_array(x):
    with tempfile.TemporaryFile() as file:
        y = np.exp(-x)
        np.save(file, y)
        return np.sum(y * x)
