"""Slots, operators and instances."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from table import construct

R = np.random.RandomState(53)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
V8 = R.randn(8)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
Point = namedtuple("Point", "x y")


class Cell:
    __slots__ = ("u", "v", "neighbours")

    def __init__(self, u, v):
        self.u, self.v, self.neighbours = u, v, []

    def react(self, feed):
        uvv = self.u * self.v ** 2
        self.u += 0.1 * (feed * (1 - self.u) - uvv)
        self.v += 0.1 * (uvv - self.v * feed)


@construct("__slots__", V4, 0.4)
def gray_scott_cells(x, feed):
    cells = [Cell(v, 0.3) for v in x]
    for a, b in zip(cells, cells[1:]):
        a.neighbours.append(b)
    for _ in range(3):
        for c in cells:
            c.react(feed)
            for other in c.neighbours:
                flow = 0.1 * (other.u - c.u)
                if flow > 0:
                    c.u += flow
                    other.u -= flow
    return sum(c.u * c.v for c in cells)


@dataclass(slots=True)
class Slotted:
    w: np.ndarray
    b: float = 0.0

    def absorb(self, other):
        self.w += other.w
        self.b = max(self.b, other.b)
        return self


@construct("__slots__", Slotted(V4, 0.2), Slotted(V4 * 2, 0.5))
def slotted_arguments(p, q):
    p.absorb(q)
    if p.w[0] > 1:
        p.b *= 2
    return p.w @ q.w * p.b + q.b


class Base0:
    __slots__ = ("a",)


class Derived(Base0):
    __slots__ = ("b", "__dict__")

    def __init__(self, a, b):
        self.a, self.b = a, b


@construct("__slots__", V3, 0.5)
def inherited_slots(x, k):
    d = Derived(x, k)
    d.extra = x.sum()
    for name in ("a", "b", "extra"):
        setattr(d, name, getattr(d, name) * 2)
    if hasattr(d, "missing") or d.extra > 100:
        d.b = 0.0
    return np.sum(d.a ** 2) * d.b + d.extra


class Vault:
    def __init__(self, x):
        self.__x = x
        self.__count = 0

    def __grow(self, k):
        self.__x = self.__x * k
        self.__count += 1

    def run(self, k):
        while np.sum(self.__x) < 10 and self.__count < 5:
            self.__grow(k)
        return self.__x


class Vault2(Vault):
    def __init__(self, x, y):
        super().__init__(x)
        self.__x = y

    def both(self, k):
        return self.run(k) @ self.__x + self._Vault__count


@construct("name mangling", V4, 1.5)
def mangled(x, k):
    return Vault2(x, x ** 2).both(k)


@construct("name mangling", V4, 0.3)
def mangled_locals(x, a):
    class Box:
        __scale = 2.0

        def __init__(self, v):
            self.__v = v

        def apply(self, __w):
            def __inner(u):
                return u * self.__scale + self.__v
            return __inner(__w)

    b = Box(x)
    y = b.apply(x * a)
    if y[0] > 0:
        b._Box__v = y
    return np.sum(b.apply(y) * b._Box__v)


class Counter0:
    __total = 0.0
    _public = 1.0

    def __init__(self, gain):
        self.gain = gain

    def add(self, v):
        self.__total = self.__total + (v if v > 0 else self.gain * v)
        return self.__mean()

    def __mean(self):
        self.n = getattr(self, "n", 0) + 1
        return self.__total / self.n


@construct("name mangling", V5, 0.2)
def mangled_defaults(x, g):
    c = Counter0(g)
    means = [c.add(v) for v in x]
    return sum(m ** 2 for m in means) + c.n * c._Counter0__total


class Interval:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __add__(self, o):
        return Interval(self.lo + o.lo, self.hi + o.hi)

    def __mul__(self, o):
        p = [self.lo * o.lo, self.lo * o.hi, self.hi * o.lo, self.hi * o.hi]
        return Interval(min(p), max(p))

    def __contains__(self, v):
        return self.lo <= v <= self.hi

    def __iadd__(self, v):
        self.lo -= v
        self.hi += v
        return self

    def __bool__(self):
        return self.hi > self.lo

    def __len__(self):
        return 2

    def __getitem__(self, k):
        return self.hi if k else self.lo

    def __eq__(self, o):
        return self.lo == o.lo and self.hi == o.hi


@construct("operator overloading", V4, 0.1)
def interval_arithmetic(x, r):
    box = Interval(x[0] - r, x[0] + r)
    for v in x[1:]:
        box = box * Interval(v, v + r) + Interval(-r, r)
        if 0.0 in box and box:
            box += r * v
        elif box[0] > 3:
            box = Interval(box[0], box[0])
    same = box == Interval(box.lo, box.hi)
    return (box.hi - box.lo) * len(box) + box[0] ** 2 * same


class Vec:
    def __init__(self, data):
        self.data = data

    def __matmul__(self, o):
        return self.data @ o.data

    def __rsub__(self, k):
        return Vec(k - self.data)

    def __setitem__(self, k, v):
        self.data[k] = v

    def __getitem__(self, k):
        return Vec(self.data[k]) if isinstance(k, slice) else self.data[k]

    def __imul__(self, k):
        self.data *= k
        return self

    def __iter__(self):
        return iter(self.data)

    def __invert__(self):
        return Vec(self.data[::-1])

    def __floordiv__(self, k):
        return Vec(np.floor_divide(self.data, k))

    def __gt__(self, o):
        return self.data.sum() > o.data.sum()


@construct("operator overloading", V5, 0.6)
def vector_class(x, k):
    v = Vec(x.copy())
    w = 1.0 - v
    v[0] = w @ v
    alias = v
    alias *= k
    if v > w:
        v[1:3] = w[1:3].data
    head = ~v[2:]
    return sum(u ** 2 for u in v) + head @ head + w[0]


class Tank:
    def __init__(self, level):
        self.level = level
        self.overflow = None

    def fill(self, amount, cap):
        self.level = self.level + amount
        if self.level > cap:
            self.overflow = (self.overflow or 0.0) + self.level - cap
            self.level = cap


@construct("instances created and mutated inside", W6, 0.9)
def cascade_of_tanks(rain, cap):
    tanks = [Tank(0.0) for _ in range(3)]
    for r in np.abs(rain):
        tanks[0].fill(r, cap)
        for up, down in zip(tanks, tanks[1:]):
            if up.overflow is not None:
                down.fill(0.5 * up.overflow, cap)
                up.overflow = None
    return sum(t.level * (k + 1) for k, t in enumerate(tanks))


class Neuron:
    def __init__(self, v):
        self.v, self.spikes, self.refractory = v, [], 0

    def step(self, current, t):
        if self.refractory:
            self.refractory -= 1
            return
        self.v = self.v + 0.3 * (current - 0.2 * self.v)
        if self.v > 1.0:
            self.spikes.append(self.v * t)
            self.v = self.v - 1.0
            self.refractory = 1


@construct("instances created and mutated inside", V4, 1.7)
def spiking_neurons(x, current):
    total = 0.0
    for k, v0 in enumerate(x):
        n = Neuron(v0)
        for t in range(7):
            n.step(current * (k + 1) * 0.5, t)
        total += n.v ** 2 + sum(n.spikes)
    return total


class LinkedList:
    def __init__(self, value, after=None):
        self.value, self.after = value, after

    def insert_after(self, v):
        self.after = LinkedList(v, self.after)
        return self.after


@construct("instances created and mutated inside", V5, 0.3)
def linked_polynomial(x, t):
    head = LinkedList(x[0])
    node = head
    for v in x[1:]:
        node = node.insert_after(v)
    head.insert_after(t)
    total, power, node = 0.0, 1.0, head
    while node is not None:
        total += node.value * power
        power *= t
        node.value = 0.0
        node = node.after
    return total


class Oscillator:
    def __init__(self, k, x):
        self.k, self.x, self.v = k, x, np.zeros_like(x)
        self.steps = 0

    def energy(self):
        return 0.5 * np.sum(self.v ** 2) + 0.5 * np.sum(self.k * self.x ** 2)

    def run(self, dt, n):
        for _ in range(n):
            self.v -= dt * self.k * self.x
            self.x += dt * self.v
            self.steps += 1
            if self.energy() > 3.0:
                self.v *= 0.9
                self.damped = self.energy()
        return self

    def gap(self, dt):
        start = self.energy()
        self.run(dt, 3)
        return (self.energy() - start) ** 2 + getattr(self, "damped", dt)


@construct("attributes of self read and written", Oscillator(V4 * 2, V4), 0.3)
def oscillator_argument(osc, dt):
    return osc.gap(dt) + osc.steps * osc.x[0]


class Ewma:
    def __init__(self, alpha):
        self.alpha, self.state, self.n = alpha, None, 0

    def push(self, v):
        self.n += 1
        self.state = v if self.state is None else self.alpha * v + (1 - self.alpha) * self.state
        self.__dict__["last"] = v
        return self.state


@construct("attributes of self read and written", M34, 0.4)
def ewma_rows(M, alpha):
    f = Ewma(alpha)
    total = 0.0
    for row in M:
        s = f.push(row)
        total += np.sum(s * row) if s[0] > 0 else s[1]
    f.alpha *= 0.5
    return total + f.push(M[0]).sum() + f.n * f.last[0]


class Schedule:
    rate = 0.5
    floor = 0.05

    def __init__(self, scale):
        self.scale = scale

    def tick(self):
        self.rate = self.rate * self.scale if self.rate > self.floor else self.rate
        vars(self)["floor"] = self.floor * 1.5
        return self.rate


@construct("attributes of self read and written", V5, 0.6)
def instance_over_class_attribute(x, scale):
    a, b = Schedule(scale), Schedule(scale * 2)
    for v in x:
        a.tick()
        lr = a.rate if v > 0 else b.tick()
        x = x - lr * np.sin(x)
    del a.rate
    return np.sum(x ** 2) + a.rate * b.rate * b.floor


class Poly:
    def __init__(self, *c):
        self.c = c

    def __add__(self, other):
        n = max(len(self.c), len(other.c))
        pad = [p.c + (0.0,) * (n - len(p.c)) for p in (self, other)]
        return Poly(*(a + b for a, b in zip(*pad)))

    def __mul__(self, other):
        out = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Poly(*out)

    def __call__(self, t):
        total, power = 0.0, 1.0
        for a in self.c:
            total, power = total + a * power, power * t
        return total

    def __gt__(self, t):
        return self.c[-1] > t


@construct("operator overloading", V4, 0.6)
def polynomial_ring(x, t):
    p, q = Poly(x[0], x[1]), Poly(x[2], t, x[3])
    r = p * q + p
    if r > 0.1:
        r = r * p
    return r(t) + (q + p)(x[0]) * len(r.c)


class Dual:
    def __init__(self, v, d):
        self.v, self.d = v, d

    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o, 0.0)
        return Dual(self.v + o.v, self.d + o.d)

    __radd__ = __add__

    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o, 0.0)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    __rmul__ = __mul__

    def __neg__(self):
        return Dual(-self.v, -self.d)

    def __sub__(self, o):
        return self + (-o)

    def __truediv__(self, o):
        o = o if isinstance(o, Dual) else Dual(o, 0.0)
        return Dual(self.v / o.v, (self.d * o.v - self.v * o.d) / o.v ** 2)

    def __pow__(self, n):
        return Dual(self.v ** n, n * self.v ** (n - 1) * self.d)

    def __lt__(self, o):
        return self.v < (o.v if isinstance(o, Dual) else o)

    def __abs__(self):
        return self if not self < 0 else -self


@construct("operator overloading", 0.7, V4)
def dual_numbers(x, c):
    t = Dual(x, 1.0)
    y = sum(k * t ** i for i, k in enumerate(c)) / (1.0 + t * t)
    while abs(y) < 2:
        y = y * 1.5 + t
    return y.d ** 2 + y.v
