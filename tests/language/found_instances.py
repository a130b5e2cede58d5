"""As found in real code: instances in lists, named tuples, derivatives written by hand."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np
from table import construct

RNG = np.random.default_rng(9)
R = RNG.normal
U = RNG.uniform


class _State:
    def __init__(self, x, v):
        self.x, self.v = x, v


class _Cell:
    def __init__(self, level, rate):
        self.level, self.rate, self.spikes = level, rate, 0

    def feed(self, current):
        self.level += self.rate * (current - self.level)
        if self.level > 0.5:
            self.level -= 0.5
            self.spikes += 1
        return self.level


@construct("lists of stateful objects", R(size=5), U(0.1, 0.9, 3))
def spiking_cells(current, rates):
    cells = [_Cell(0.0, r) for r in rates]
    total = 0.0
    for c in current:
        for k, cell in enumerate(cells):
            c = 0.8 * c + cell.feed(c) * (k + 1)
        total += c
    return total + sum(cell.spikes * cell.level for cell in cells)


@construct("lists of stateful objects", R(size=6), 0.3)
def biquads_in_series(x, q):
    class Section:
        def __init__(self, b, a):
            self.b, self.a = b, a
            self.z = np.zeros(2)

        def __call__(self, v):
            y = self.b[0] * v + self.z[0]
            self.z[0] = self.b[1] * v - self.a[0] * y + self.z[1]
            self.z[1] = self.b[2] * v - self.a[1] * y
            return y

    chain = [Section((1.0, q, 0.1), (-0.2, q / 2)), Section((0.5, 0.0, q), (q, 0.0))]
    out = []
    for v in x:
        for section in chain:
            v = section(v)
        out.append(v)
    return np.sum(np.square(out)) + chain[1].z[0]


@construct("lists of stateful objects", R(size=(3, 2)), R(size=(3, 2)))
def gravity_between_bodies(positions, velocities):
    bodies = [_State(p, v) for p, v in zip(positions, velocities)]
    for _ in range(2):
        for i, a in enumerate(bodies):
            for b in bodies[i + 1:]:
                d = b.x - a.x
                pull = d / (d @ d + 0.5) ** 1.5
                a.v = a.v + 0.1 * pull
                b.v = b.v - 0.1 * pull
        for body in bodies:
            body.x = body.x + 0.1 * body.v
    return sum(b.x @ b.v for b in bodies)


class _Point(namedtuple("_Point", "x y")):
    __slots__ = ()

    def __add__(self, other):
        return _Point(self.x + other.x, self.y + other.y)

    def __mul__(self, s):
        return _Point(self.x * s, self.y * s)

    def norm(self):
        return math.hypot(self.x, self.y)


@construct("classes over namedtuples", R(size=6), 0.4)
def curve_of_points(c, t):
    points = [_Point(c[k], c[k + 1]) for k in range(0, 6, 2)]
    while len(points) > 1:
        points = [a * (1 - t) + b * t for a, b in zip(points, points[1:])]
    (p,) = points
    return p.norm() + p.x * p.y if p.x > 0 else p.norm() - p.y


class _Interval(NamedTuple):
    low: float
    high: float

    @property
    def width(self):
        return self.high - self.low

    def __mul__(self, other):
        ends = [a * b for a in self for b in other]
        return _Interval(min(ends), max(ends))


@construct("classes over namedtuples", R(size=4))
def interval_arithmetic(x):
    a = _Interval(min(x[0], x[1]), max(x[0], x[1]))
    b = _Interval(min(x[2], x[3]), max(x[2], x[3]))
    product = a * b
    for _ in range(2):
        product = product._replace(low=0.5 * product.low) * a
    low, high = product
    return low ** 2 + high + product.width


@construct("classes over namedtuples", R(size=3), R(size=3), 0.1)
def integrated_records(x, v, dt):
    class Phase(namedtuple("Phase", ["x", "v"])):
        @property
        def energy(self):
            return 0.5 * (self.v @ self.v) + np.sum(1 - np.cos(self.x))

        def stepped(self, dt):
            v = self.v - dt * np.sin(self.x)
            return self._replace(x=self.x + dt * v, v=v)

    s = Phase(x, v)
    start = s.energy
    for _ in range(3):
        s = s.stepped(dt) if s.energy < 10 else s
    return (s.energy - start) ** 2 + s.x[0]


class _Dual:
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = other if isinstance(other, _Dual) else _Dual(other)
        return _Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = other if isinstance(other, _Dual) else _Dual(other)
        return _Dual(self.value * other.value,
                     self.slope * other.value + self.value * other.slope)

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return _Dual(math.sin(self.value), self.slope * math.cos(self.value))


@construct("user-written automatic differentiation that is itself differentiated", R(size=3), 0.6)
def newton_with_dual_numbers(c, x):
    for _ in range(4):
        d = _Dual(x, 1.0)
        f = c[0] * d * d + c[1] * d.sin() + c[2]
        if abs(f.slope) < 0.1:
            break
        x = x - 0.3 * f.value / (1.0 + f.slope ** 2)
    return x ** 2 + f.value


class _Node:
    def __init__(self, value, parents=()):
        self.value, self.parents, self.grad = value, parents, 0.0

    def __add__(self, other):
        return _Node(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        return _Node(self.value * other.value, ((self, other.value), (other, self.value)))

    def tanh(self):
        t = math.tanh(self.value)
        return _Node(t, ((self, 1.0 - t * t),))

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent, _ in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for parent, slope in node.parents:
                parent.grad += slope * node.grad


@construct("user-written automatic differentiation that is itself differentiated",
           R(size=3), R(size=2))
def gradient_penalty_by_a_tape(w, x):
    total = 0.0
    for k in range(2):
        a, b, c = (_Node(v) for v in w)
        inp = _Node(x[k])
        out = (a * inp + b).tanh() * c + a * b
        out.backward()
        total += out.value ** 2 + inp.grad ** 2 + a.grad * b.grad
    return total


@construct("user-written automatic differentiation that is itself differentiated",
           R(size=4), R(size=(3, 4)))
def layers_with_pullbacks(x, W):
    def linear(x):
        return W @ x, lambda g: W.T @ g

    def squash(x):
        y = np.tanh(x)
        return y, lambda g: g * (1 - y ** 2)

    def chain(x, *steps):
        pulls = []
        for step in steps:
            x, pull = step(x)
            pulls.append(pull)

        def back(g):
            for pull in pulls[::-1]:
                g = pull(g)
            return g

        return x, back

    y, back = chain(x, linear, squash)
    g = back(y)
    return np.sum((x - 0.1 * g) ** 2) + g[0]
