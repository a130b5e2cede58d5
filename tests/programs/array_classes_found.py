"""Classes that derive from ndarray as found in real code: fields, tables, images, units, poses."""

from __future__ import annotations

import functools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])
M = np.array([[1.4, 0.2, -0.3], [0.1, 1.6, 0.5], [0.3, 0.2, 1.9]])


class TimeSeries(np.ndarray):
    """Samples with their times, which slices take along."""

    def __new__(cls, values, times):
        obj = np.asarray(values, dtype=float).view(cls)
        obj.times = np.asarray(times, dtype=float)
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.times = getattr(obj, "times", None)

    def __getitem__(self, key):
        out = super().__getitem__(key)
        if isinstance(out, TimeSeries):
            out.times = self.times[key]
        return out

    def at(self, t):
        return np.interp(t, self.times, np.asarray(self))

    def derivative(self):
        return TimeSeries(np.diff(np.asarray(self)) / np.diff(self.times),
                          (self.times[1:] + self.times[:-1]) / 2)


@case(X, 0.4)
def time_series(values, t):
    s = TimeSeries(values, [0.0, 0.3, 0.5, 1.0])
    late = s[s.times > 0.2]
    d = s[1:].derivative()
    return s.at(t) * late.at(0.6) + float(d.sum()) * d.times[0] + late.times.sum()


class Poly(np.ndarray):
    """Coefficients, the constant first."""

    def __new__(cls, *coefficients):
        return np.array(coefficients, dtype=float).view(cls)

    def __call__(self, x):
        total = 0.0
        for c in self[::-1]:
            total = total * x + c
        return total

    def __mul__(self, other):
        if isinstance(other, Poly):
            return np.convolve(self, other).view(Poly)
        return super().__mul__(other)

    def derivative(self):
        return (self[1:] * np.arange(1, len(self))).view(Poly)

    @property
    def degree(self):
        return self.size - 1


@case(0.7, 1.2)
def polynomials(a, x):
    p = Poly(1.0, a, a**2)
    q = p * Poly(a, -1.0)
    while abs(q(x)) > 0.5:
        x = x - 0.05 * q(x) * q.derivative()(x)
    return q(x) + q.derivative()(a) * q.degree + p(x)


class Image(np.ndarray):
    r = property(lambda self: self[..., 0].view(np.ndarray))
    g = property(lambda self: self[..., 1].view(np.ndarray))
    b = property(lambda self: self[..., 2].view(np.ndarray))

    def gray(self):
        return 0.3 * self.r + 0.6 * self.g + 0.1 * self.b

    def clipped(self, low=0.0, high=1.0):
        return np.clip(self, low, high)

    def flipped(self):
        return self[:, ::-1]

    def blurred(self):
        out = self.copy()
        out[1:-1] = (self[:-2] + self[1:-1] + self[2:]) / 3
        return out


@case(np.sin(np.arange(36.0)).reshape(4, 3, 3))
def images(pixels):
    image = pixels.view(Image)
    soft = image.blurred().flipped()
    assert type(soft) is Image
    return (soft.clipped(-0.5, 0.5).gray() * image.g).sum()


class Periodic(np.ndarray):
    def __getitem__(self, key):
        if isinstance(key, (int, np.integer)):
            return super().__getitem__(key % len(self))
        return super().__getitem__(key)

    def __setitem__(self, key, value):
        if isinstance(key, (int, np.integer)):
            key = key % self.shape[0]
        super().__setitem__(key, value)


@case(X)
def periodic_chain(v):
    u = v.copy().view(Periodic)
    for _ in range(3):
        new = np.empty_like(u)
        for i in range(len(u)):
            new[i] = u[i] + 0.1 * (u[i + 1] - 2 * u[i] + u[i - 1])
        u = new
    u[7] = u[-5] * 2
    return float((u**2).sum())


class Mat(np.ndarray):
    def __new__(cls, data):
        obj = np.asarray(data, dtype=float).view(cls)
        if obj.ndim != 2:
            raise ValueError("a matrix has two axes")
        return obj

    @property
    def I(self):  # noqa: E743
        return Mat(np.linalg.inv(np.asarray(self)))

    def __mul__(self, other):
        if isinstance(other, Mat):
            return self @ other
        return super().__mul__(other)

    def __pow__(self, n):
        return functools.reduce(operator.matmul, [self] * n)

    def quadratic(self, x):
        return x @ self @ x


@case(M, X[:3])
def matrix_class(m, v):
    a = Mat(m)
    b = a.I * a * 2.0 + a**3
    w, u = np.linalg.eigh(np.asarray(b + b.T))
    return float(np.trace(b)) + b.quadratic(v) + w.sum() + float(np.linalg.solve(a, v).sum())


class Distribution(np.ndarray):
    def __new__(cls, weights):
        p = np.exp(weights - np.max(weights))
        return (p / p.sum()).view(cls)

    def entropy(self):
        return -(self * np.log(self)).sum()

    def kl(self, other):
        return np.sum(self * (np.log(self) - np.log(other)))

    @classmethod
    def uniform(cls, n):
        return cls(np.zeros(n))

    def mixed(self, other, t):
        return (1 - t) * self + t * other


@case(X, Y)
def distributions(a, b):
    p, q = Distribution(a), Distribution(b)
    u = Distribution.uniform(len(a))
    return p.kl(q) + p.mixed(u, 0.3).entropy() * q.entropy()


class Pose(np.ndarray):
    """A rigid motion of the plane as a matrix."""

    def __new__(cls, x, y, theta):
        c, s = np.cos(theta), np.sin(theta)
        return np.array([[c, -s, x], [s, c, y], [0.0, 0.0, 1.0]]).view(cls)

    @property
    def position(self):
        return self[:2, 2].view(np.ndarray)

    @property
    def rotation(self):
        return np.asarray(self)[:2, :2]

    def inverse(self):
        out = np.eye(3).view(type(self))
        out[:2, :2] = self.rotation.T
        out[:2, 2] = -self.rotation.T @ self.position
        return out

    def __matmul__(self, other):
        if isinstance(other, Pose):
            return super().__matmul__(other)
        return self.rotation @ other + self.position


@case(X, 0.3)
def robot_poses(steps, angle):
    pose = Pose(0.0, 0.0, 0.0)
    trail = []
    for d in steps:
        pose = pose @ Pose(d, 0.1, angle)
        trail.append(pose.position)
    back = pose.inverse() @ pose
    p = pose @ np.array([1.0, -0.5])
    return sum((t**2).sum() for t in trail) + p[0] * p[1] + float(np.trace(back))


@functools.total_ordering
class Ranked(np.ndarray):
    def __lt__(self, other):
        return bool(np.linalg.norm(self) < np.linalg.norm(other))

    def __eq__(self, other):
        return bool(np.all(np.asarray(self) == np.asarray(other)))

    def __abs__(self):
        return float(np.sqrt(np.asarray(self) @ np.asarray(self)))

    def __bool__(self):
        return abs(self) > 1.0

    __hash__ = None


@case(X, Y)
def compared_by_norm(v, w):
    a, b = v.view(Ranked), w.view(Ranked)
    total = abs(a) if a < b else 2 * abs(b)
    if a:
        total += a[0]
    if a != b and a <= b:
        total *= abs(b)
    return total


class Table(np.ndarray):
    """Rows with named columns."""

    def __new__(cls, data, columns):
        obj = np.asarray(data).view(cls)
        obj.columns = tuple(columns)
        return obj

    def __array_finalize__(self, obj):
        self.columns = getattr(obj, "columns", ())

    def __getattr__(self, name):
        columns = object.__getattribute__(self, "__dict__").get("columns", ())
        if name in columns:
            return np.asarray(self)[:, columns.index(name)]
        raise AttributeError(name)


@case(np.cos(np.arange(12.0)).reshape(4, 3))
def named_columns(data):
    t = Table(data, ("a", "b", "c"))
    half = t[:2] * 2
    return (t.a * t.b).sum() + (half.c * half.a).sum() + hasattr(t, "zzz")


class Audio(np.ndarray):
    default_rate = 8.0

    def __new__(cls, samples, rate=None):
        obj = np.atleast_1d(np.asarray(samples, dtype=float)).view(cls)
        obj.rate = cls.default_rate if rate is None else rate
        return obj

    def __array_finalize__(self, obj):
        if obj is not None:
            self.rate = getattr(obj, "rate", self.default_rate)

    @classmethod
    def sine(cls, frequency, count):
        return cls(np.sin(2 * np.pi * frequency * np.arange(count) / cls.default_rate))

    @property
    def duration(self):
        return len(self) / self.rate

    def faded(self):
        return self * np.linspace(1.0, 0.0, len(self))

    def mixed(self, *others):
        return functools.reduce(operator.add, others, self)

    def thinned(self, k):
        out = self[::k].copy()
        out.rate = self.rate / k
        return out


@case(0.9, Y)
def audio(frequency, extra):
    s = Audio.sine(frequency, 8)
    t = s.faded().mixed(s * 0.5, Audio(np.concatenate([extra, extra])))
    u = t.thinned(2)
    return float((u**2).sum()) * u.duration + float(t.mean()) * t.rate


class Field(np.ndarray):
    def __new__(cls, values, dx):
        obj = np.array(values, dtype=float).view(cls)
        obj.dx = dx
        obj.time = 0.0
        return obj

    def __array_finalize__(self, obj):
        if obj is None:
            return
        self.dx = getattr(obj, "dx", None)
        self.time = getattr(obj, "time", 0.0)

    def laplacian(self):
        return (np.roll(self, 1) - 2 * self + np.roll(self, -1)) / self.dx**2

    def step(self, dt):
        self += dt * self.laplacian()
        self.time += dt
        return self


@case(X, 0.5)
def diffusion(u0, dx):
    u = Field(u0, dx)
    dt = 0.1 * dx**2
    while u.time < 1.0:
        u.step(dt)
        if u.max() - u.min() < 0.2:
            break
    return float((u**2).sum()) + u.time


class Checked(np.ndarray):
    def __array_finalize__(self, obj):
        if obj is not None and self.ndim > 2:
            raise ValueError("at most two axes")
        self._scale = getattr(obj, "_scale", 1.0)

    @property
    def scale(self):
        return self._scale

    @scale.setter
    def scale(self, value):
        if value <= 0:
            raise ValueError("scale is positive")
        self._scale = value


@case(X)
def checked_properties(v):
    c = v.view(Checked)
    c.scale = v[0]
    total = 0.0
    try:
        c.scale = v[1]
    except ValueError:
        total += 2.0
    try:
        c[None, None] * 2
    except ValueError:
        total += c.scale
    return total * float((c * c.scale).sum())


class Observed(np.ndarray):
    def __new__(cls, data):
        obj = np.array(data, dtype=float).view(cls)
        obj.log = []
        return obj

    def __array_finalize__(self, obj):
        self.log = getattr(obj, "log", [])

    def __setitem__(self, key, value):
        self.log.append((key, value))
        np.ndarray.__setitem__(self, key, value)


@case(X)
def observed_writes(v):
    o = Observed(v)
    for i in range(3):
        o[i] = o[i] * v[i + 1]
    o[3] = 0.5 * o[0]
    return float(o.sum()) + sum(value for key, value in o.log[:3]) + len(o.log)


def smoothed(x, alpha):
    """A helper for all kinds of arrays."""
    x = np.asanyarray(x)
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1 - alpha) * out[i - 1]
    return out


@case(X, 0.4)
def generic_helpers(v, alpha):
    s = smoothed(Audio(v, 4.0), alpha)
    t = smoothed(v, alpha)
    assert isinstance(s, Audio) and not isinstance(t, Audio)
    return float(np.dot(s, t)) * s.rate


@dataclass
class Body:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0


class V2(np.ndarray):
    def __new__(cls, x, y):
        obj = np.empty(2).view(cls)
        obj[0], obj[1] = x, y
        return obj

    def __repr__(self):
        return f"V2({self[0]}, {self[1]})"

    def dot(self, other):
        return float(super().dot(other))

    def perpendicular(self):
        return V2(-self[1], self[0])

    @property
    def length(self):
        return math.hypot(self[0], self[1])


@case(0.8, 0.3)
def bodies_with_vectors(x, v):
    bodies = [Body(V2(x, 0.0), V2(0.0, v)), Body(V2(-1.0, 0.2), V2(v, -v), 2.0)]
    for _ in range(3):
        for one in bodies:
            for other in bodies:
                if one is not other:
                    d = other.position - one.position
                    one.velocity += 0.05 * other.mass * d / d.length**3
        for one in bodies:
            one.position = one.position + 0.1 * one.velocity
    spin = sum(b.mass * b.position.perpendicular().dot(b.velocity) for b in bodies)
    return spin + bodies[0].position.length


@case(X)
def paths_of_vectors(v):
    p = V2(v[0], v[1])
    path = [p]
    while p.length < 3.0:
        p = p * 1.2 + V2(0.1, v[3])
        path.append(p)
    total = sum(path, V2(0.0, 0.0))
    return total.length + float(np.array(path).mean()) + path[-1][0] * len(path)


Pair = namedtuple("Pair", "left right")


@case(X, Y)
def vectors_in_containers(v, w):
    points = {"a": V2(v[0], w[0]), "b": V2(v[1], w[1])}
    pair = Pair(points["a"], points["b"] * 2)
    points["c"] = pair.left + pair.right
    ordered = sorted(points.values(), key=lambda p: p.length)
    longest = max(points, key=lambda k: points[k][0])
    return ordered[0].length * points[longest].length + sum(float(p.sum()) for p in ordered)


