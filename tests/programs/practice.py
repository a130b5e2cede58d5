"""Programs as scientists write them; each once failed somewhere in the chain."""

from __future__ import annotations

import contextlib
import copy
import math
import random
import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.linalg import LinAlgError

R = np.random.RandomState(3)
X = R.rand(4) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@dataclass
class Particle:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0
    fixed: bool = False
    force: np.ndarray = field(default_factory=lambda: np.zeros(2))
    trail: list = field(default_factory=list)


@dataclass(frozen=True)
class Spring:
    i: int
    j: int
    k: float
    rest: float = 1.0

    def force(self, particles):
        d = particles[self.j].position - particles[self.i].position
        length = np.sqrt(d @ d)
        return self.k * (length - self.rest) * d / length


@case(R.randn(4, 2), 3.0)
def springs(p0, k):
    particles = [Particle(p.copy(), np.zeros(2), fixed=(i == 0)) for i, p in enumerate(p0)]
    chain = [Spring(i, i + 1, k) for i in range(len(p0) - 1)]
    for _ in range(3):
        for p in particles:
            p.force[:] = 0.0
        for s in chain:
            f = s.force(particles)
            particles[s.i].force += f
            particles[s.j].force -= f
        for p in particles:
            if p.fixed:
                continue
            p.velocity += 0.05 * p.force / p.mass
            p.position += 0.05 * p.velocity
    return sum(p.mass * np.dot(p.position, p.position) for p in particles)


@case(R.randn(3, 2))
def factories_of_lists(p0):
    a, b = Particle(p0[0], p0[1]), Particle(p0[1], p0[2])
    for row in p0:
        a.trail.append(row * 2)
        b.force += row
    return np.sum(np.stack(a.trail) ** 2) + np.sum(b.force ** 3) + len(b.trail)


@case(100.0, 0.2)
def monte_carlo(spot, sigma):
    rng = np.random.default_rng(42)
    z = rng.standard_normal((20, 4))
    paths = np.zeros((20, 5))
    paths[:, 0] = spot
    for t in range(1, 5):
        paths[:, t] = paths[:, t - 1] * np.exp(
            (0.01 - 0.5 * sigma ** 2) * 0.25 + sigma * 0.5 * z[:, t - 1])
    payoff = np.maximum(paths.mean(axis=1) - 95, 0)
    return np.exp(-0.01) * payoff.mean()


@case(X)
def generator_in_a_loop(x):
    rng = np.random.RandomState(1)
    s = 0.0
    for _ in range(3):
        noise = rng.normal(size=4)
        s += np.sum(x * noise) ** 2 + rng.uniform(0.0, 1.0) * x[0]
    return s


@case(X)
def python_generator(x):
    rng = random.Random(3)
    s = 0.0
    for v in x:
        s += v ** 2 * rng.uniform(0.5, 1.0) + rng.random()
    bits = np.random.Generator(np.random.PCG64(7))
    return s * np.sum(x * bits.standard_normal(len(x)))


@case(X)
def nonlocal_and_text(x):
    total = 0.0
    calls = 0

    def add(v):
        nonlocal total, calls
        calls += 1
        total += v ** 2
        return total

    out = [add(v) for v in x]
    text = f"{total:.3f} after {calls} calls: {out[0]!r}"
    assert text
    return out[-1] + calls


@case(R.rand(4, 4), X)
def falls_back_to_lstsq(a, b):
    singular = np.outer(b, b) * 0
    k = 1.0
    try:
        z = np.linalg.solve(singular, b)
    except LinAlgError:
        z = np.linalg.lstsq(a, b, rcond=None)[0]
    finally:
        k += 1.0
    return k * z @ z


class Vec3:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, o):
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    def __rmul__(self, k):
        return Vec3(k * self.x, k * self.y, k * self.z)

    __mul__ = __rmul__

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y + self.z * o.z

    def __iter__(self):
        return iter((self.x, self.y, self.z))

    def __len__(self):
        return 3

    def __repr__(self):
        return f"Vec3({self.x}, {self.y}, {self.z})"

    def __abs__(self):
        return math.sqrt(self @ self)

    @property
    def unit(self):
        return self * (1 / abs(self))

    @classmethod
    def of(cls, a):
        return cls(*a)


@case(R.rand(3), R.rand(3))
def vectors(a, b):
    u, v = Vec3.of(a), Vec3.of(b)
    w = u + 2 * v
    w += u
    text = str(w)
    assert text
    return abs(w) + w.unit @ v + sum(w) * len(w)


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)


@case(R.rand(3, 2))
def iterates_over_an_array_inside(a):
    s = 0.0
    for row in Table(a):
        s = s + row @ row
    return s + sum(np.sum(row) for row in Table(a))


@contextlib.contextmanager
def scope(names, v):
    names.append(v)
    try:
        yield v * 2
    finally:
        names.pop()


@case(X)
def managers(x):
    names = []
    with scope(names, x[0]) as v, np.errstate(divide="ignore"):
        s = v * len(names) + np.log(x).sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s += np.sqrt(x).sum()
    with warnings.catch_warnings(record=True) as caught:
        warnings.warn("noted", stacklevel=2)
        s += np.cos(x).sum()
    assert caught is not None
    return s + len(names)


@case(R.rand(3, 3) * 0.1 + np.eye(3))
def cholesky_of_lists(a):
    n = len(a)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = sum(low[i][k] * low[j][k] for k in range(j))
            low[i][j] = math.sqrt(a[i][i] - s) if i == j else (a[i][j] - s) / low[j][j]
    return low[n - 1][n - 1] * low[1][0]


@case(X)
def module_draws(x):
    np.random.seed(4)
    return np.sum(x * np.random.rand(4)) ** 2


@case(R.rand(4, 5) + 0.5, R.rand(3, 5) + 1.0, 2.0)
def vertical_sweep(w, u, dt):
    n = u.shape[1]
    low = np.empty(u.shape)
    out = np.empty(u.shape)
    for k in range(1):
        g = 0.25 * (w[1:, k + 1] + w[:-1, k + 1])
        low[:, k] = g * 0.5
        b = dt - low[:, k]
        out[:, k] = dt * u[:, k] / b
    for k in range(1, n - 1):
        a = -0.25 * (w[1:, k] + w[:-1, k])
        g = 0.25 * (w[1:, k + 1] + w[:-1, k + 1])
        low[:, k] = g * 0.5
        b = dt - a - low[:, k]
        out[:, k] = (dt * u[:, k] - out[:, k - 1] * a) / (b - low[:, k - 1] * a)
    return np.sum(out[:, :n - 1] ** 2)


@case(R.normal(size=20), R.rand(20) + 0.1)
def weighted_histogram(x, w):
    heights, edges = np.histogram(x, bins=5, weights=w, density=True)
    centres = 0.5 * (edges[1:] + edges[:-1])
    return np.sum(heights * centres**2) + np.sum(edges**2)


@case(R.normal(size=20), np.sort(R.normal(size=6)))
def histogram_over_edges(x, edges):
    density = np.histogram(x, edges, density=True)[0]
    return np.sum(density * np.arange(len(density)) ** 2)


@case(R.normal(size=20))
def histogram_of_automatic_bins(x):
    counts, edges = np.histogram(x, 4)
    return np.sum(counts * edges[1:]) + np.sum(np.histogram_bin_edges(x, "sturges") ** 3)


@case(R.rand(20) * 3, R.rand(20) + 0.1)
def ring_averages(radius, data):
    counts = np.histogram(radius, 4)[0]
    sums = np.histogram(radius, 4, weights=data)[0]
    return np.sum((sums / (counts + 1.0)) ** 2)


@case(R.rand(8), 3)
def butterflies(x, stages):
    y = x.copy()
    for i in range(stages):
        y = np.reshape(y, (2**i, 2, 2 ** (stages - i - 1)))
        y = np.stack([y[:, 0] + y[:, 1], (y[:, 0] - y[:, 1]) * x[0]], axis=0).reshape(-1)
    return np.sum(y**3)


@case(R.rand(8))
def walsh_hadamard(x):
    a = x.copy()
    h = 1
    while h < len(a):
        for i in range(0, len(a), h * 2):
            for j in range(i, i + h):
                u, v = a[j], a[j + h]
                a[j], a[j + h] = u + v, u - v
        h <<= 1
    return np.sum(a**3)


@case(R.rand(6, 3), [1, 4])
def split_at_given_places(x, places):
    a, b, c = np.split(x, places)
    return np.sum(a) * np.sum(b**2) + np.sum(c**3)


@case(R.rand(6), -2)
def built_on_an_offset(x, k):
    return np.sum(np.diag(x, k)[:, 0] ** 2) + np.trace(np.outer(x, x), k) * np.roll(x, k)[0]


@case(R.rand(2, 3), (0, 1))
def summed_over_labels(x, labels):
    return np.sum(np.einsum(x, labels, x, (0, 2), (1, 2)) ** 2)


@case(R.rand(2, 3))
def squeezed_by_name(x):
    s = np.sum(x[1:].squeeze(0) ** 2)
    for i in range(len(x)):
        s = s + np.prod(x[i:i + 1].squeeze(axis=0))
    return s


@case(R.rand(1))
def sorted_alone(x):
    return np.sum(np.sort(x) ** 2) + np.sum(np.take(x, np.argsort(x)))


@case(X)
def numbers_indexed(x):
    total = np.exp(np.sum(x))
    whole = total[...]
    return total[()] * whole + total[None][0] + x[1][()] * np.sum(total[np.newaxis, ...])


@case(X)
def long_message(x):
    if x.ndim != 1 or x.shape[0] < 2:
        raise ValueError("the array x must be one-dimensional and hold two elements or more: "
                         f"x.shape = {x.shape} and x.ndim = {x.ndim}.")
    if np.sum(x) > 1e9:
        raise ValueError(f"the sum of the elements of x is too large for what follows: sum = ({np.sum(x)}) and x.shape = {x.shape}.")
    return np.sum(x**2)


@case(R.rand(6), R.rand(5, 3))
def two_halves(params, x):
    half = len(params) // 2
    mean, log_std = params[:half], params[half:]
    z = (x - mean) / np.exp(log_std)
    return np.sum(-0.5 * z**2 - log_std, axis=-1).mean()


@case(R.rand(6), R.rand(5, 2))
def three_thirds(params, x):
    n = len(params) // 3
    a, b, c = params[:n], params[n:2 * n], params[2 * n:]
    return np.sum(a * x**2 + b * x + c)


class Square:
    """A matrix of lists, whose rows are swapped."""

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def __getitem__(self, place):
        return self.rows[place[0]][place[1]]

    def __setitem__(self, place, value):
        self.rows[place[0]][place[1]] = value


@case([[0.2, 1.0, 0.5], [0.1, 3.0, 1.0], [4.0, 0.2, 1.0]])
def determinant_of_a_copy(rows):
    A, n, sign = copy.deepcopy(Square(rows)), len(rows), 1
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i, k]))
        if p != k:
            A.rows[k], A.rows[p] = A.rows[p], A.rows[k]
            sign = -sign
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            for j in range(k, n):
                A[i, j] -= f * A[k, j]
    found = sign
    for k, row in enumerate(A.rows):
        found *= row[k]
    return found


class Ledger:
    pass


@case(X, np.array([1, 2, 1, 3]))
def two_dicts_of_an_object(x, steps):
    state = Ledger()
    state.old, state.new = {0: 1.0}, {}
    for i in range(len(x)):
        state.new = {}
        for k, v in state.old.items():
            a = k + int(steps[i])
            state.new[a] = state.new.get(a, 0.0) + v * x[i]
            state.new[k] = state.new.get(k, 0.0) + v * (1.0 - x[i])
        state.old = state.new
    return sum(v * k for k, v in state.old.items())


@case(X, [[1, 2], [0], [], [3, 1]])
def neighbours(x, rows):
    return np.array([sum(x[j] for j in sorted(rows[k])) for k in range(len(x))], dtype=float).sum()


@case(X, [[], [], [], []])
def no_neighbours(x, rows):
    return neighbours(x, rows) + x[0]
