"""Patterns of classes: registries, caches, undoing, matching, algebra."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import math
import types
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])


# decorators as classes, class decorators, metaclass registry, __init_subclass__, __set_name__
class counted:
    def __init__(self, f):
        functools.update_wrapper(self, f)
        self.f = f
        self.n = 0

    def __call__(self, *a):
        self.n += 1
        return self.f(*a)

    def __get__(self, o, c=None):
        return self if o is None else types.MethodType(self, o)


def scaled(k):
    def deco(cls):
        orig = cls.value

        def value(self, *a):
            return k * orig(self, *a)

        cls.value = value
        return cls

    return deco


class Plugin:
    reg = {}

    def __init_subclass__(cls, key=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.reg[key or cls.__name__] = cls

    def value(self, x):
        return x


@scaled(2.0)
class Sq(Plugin, key="sq"):
    def value(self, x):
        return super().value(x) ** 2


class Ex(Sq, key="ex"):
    def value(self, x):
        return np.exp(-super().value(x))


@case(X)
def registry(x):
    return sum(np.sum(Plugin.reg[k]().value(x)) for k in ("sq", "ex"))


@case(X)
def decorated(x):
    class H:
        @counted
        def f(self, v):
            return v * v

    H.f.n = 0
    h = H()
    t = sum(h.f(v) for v in x)
    return t * H.f.n


# class with __call__, partial methods, static caches as dict keyed by static
class Poly:
    _cache: ClassVar[dict] = {}

    def __init__(self, *c):
        self.c = list(c)

    def __call__(self, x):
        return functools.reduce(lambda a, c: a * x + c, reversed(self.c), 0.0)

    def __mul__(self, o):
        r = [0.0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                r[i + j] += a * b
        return Poly(*r)

    def deriv(self):
        return Poly(*[i * c for i, c in enumerate(self.c)][1:])

    def __eq__(self, o):
        return self.c == o.c

    def __len__(self):
        return len(self.c)

    def newton(self, x, n=5):
        d = self.deriv()
        for _ in range(n):
            x = x - self(x) / d(x)
        return x

    shift = functools.partialmethod(lambda self, k, x: self(x + k), 1.0)


@case(X, 2.0)
def polys(x, x0):
    p = Poly(-2.0 + x[0], x[1], 1.0)
    q = p * Poly(x[2], 1.0)
    return p.newton(x0) * q(0.3) + q.deriv()(x[3]) + p.shift(0.5) * len(q) + (p == q)


# quaternion, complex-like
@dataclass(frozen=True)
class Quat:
    w: float
    x: float
    y: float
    z: float

    def __mul__(a, b):
        if not isinstance(b, Quat):
            return Quat(a.w * b, a.x * b, a.y * b, a.z * b)
        return Quat(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )

    __rmul__ = __mul__

    @property
    def conj(s):
        return Quat(s.w, -s.x, -s.y, -s.z)

    def __abs__(s):
        return math.sqrt(sum(v * v for v in dataclasses.astuple(s)))

    @classmethod
    def axis(cls, v, th):
        n = np.linalg.norm(v)
        s = np.sin(th / 2) / n
        return cls(np.cos(th / 2), *(v * s))

    def rot(s, v):
        q = s * Quat(0.0, *v) * s.conj
        return np.array([q.x, q.y, q.z])

    def __iter__(s):
        return iter(dataclasses.astuple(s))


@case(X[:3], Y[:3], 0.4)
def quats(v, u, th):
    q = Quat.axis(v, th)
    p = 2.0 * q * Quat.axis(u, th * 2)
    w, *r = p
    return np.sum(q.rot(u) ** 3) + abs(p) * w + r[1]


# simulation with inheritance of dataclasses and kw_only, __slots__ dataclass, match statement
@dataclass(slots=True)
class Shape:
    cx: float
    cy: float


@dataclass(slots=True)
class Circle(Shape):
    r: float


@dataclass(slots=True, kw_only=True)
class Rect(Shape):
    w: float = 1.0
    h: float = 2.0


class Tri(NamedTuple):
    a: tuple
    b: tuple
    c: tuple


def area(s):
    match s:
        case Circle(r=r) if r > 0:
            return np.pi * r * r
        case Circle():
            return 0.0 * s.r
        case Rect(w=w, h=h):
            return w * h
        case Tri((x0, y0), (x1, y1), (x2, y2)):
            return 0.5 * abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
        case [first, *rest]:
            return area(first) + area(rest)
        case []:
            return 0.0
        case {"shape": q, **kw}:
            return area(q) * kw.get("scale", 1.0)
        case _:
            raise TypeError


@case(X)
def matched(x):
    ss = [
        Circle(0, 0, x[0]),
        Circle(0, 0, x[1]),
        Rect(0, 0, w=x[2]),
        Tri((0, 0), (x[0], 1.0), (x[1], x[2])),
        {"shape": Rect(1, 2, w=x[3], h=x[0]), "scale": x[1]},
    ]
    t = area(ss)
    ss[2].w *= 2
    ss[0].cx += x[3]
    return t + area(ss[2]) * replace(ss[0], r=x[2]).r + ss[0].cx


# LRU cache class, memo tables of objects, __missing__
class LRU(collections.OrderedDict):
    def __init__(self, f, n):
        super().__init__()
        self.f = f
        self.n = n
        self.miss = 0

    def get(self, k):
        if k in self:
            self.move_to_end(k)
            return self[k]
        self.miss += 1
        v = self.f(k)
        self[k] = v
        if len(self) > self.n:
            self.popitem(last=False)
        return v


@case(X)
def lru(x):
    c = LRU(lambda k: np.sin(x[k]) * (k + 1), 2)
    t = sum(c.get(k) * w for k, w in zip([0, 1, 0, 2, 1, 3, 3], [1, 2, 3, 4, 5, 6, 7.0]))
    return t * c.miss + sum(c.values())


# contextmanager class undo, nested with exceptions, ExitStack
class Undo:
    def __init__(self, o, n, v):
        self.a = (o, n, v)

    def __enter__(self):
        o, n, v = self.a
        self.old = getattr(o, n)
        setattr(o, n, v)
        return o

    def __exit__(self, *e):
        o, n, v = self.a
        setattr(o, n, self.old)
        return False


class Cfg:
    pass


@case(X)
def undone(x):
    c = Cfg()
    c.k = x[0]
    t = c.k
    with Undo(c, "k", x[1]) as d:
        t += d.k * 2
        c.q = d.k
    t += c.k * 3
    try:
        with Undo(c, "k", x[2]):
            t += c.k
            if len(x) == 4:
                raise ValueError("x")
    except ValueError:
        t *= c.k
    with contextlib.ExitStack() as st:
        for i in range(2):
            st.enter_context(Undo(c, "k", x[i] * c.k))
        t += c.k
    return t + c.k * c.q


# class-level state & inheritance of mutable class attr; super().__setattr__; property override w/ super
class Base:
    defaults = {"a": 1.0}
    items = []

    def __init__(self, **k):
        for n, v in {**self.defaults, **k}.items():
            setattr(self, n, v)

    @property
    def val(self):
        return self.a

    @val.setter
    def val(self, v):
        self.a = v


class Der(Base):
    defaults = {**Base.defaults, "b": 2.0}

    @property
    def val(self):
        return super().val * self.b

    @val.setter
    def val(self, v):
        Base.val.fset(self, v / self.b)

    def __setattr__(self, n, v):
        super().__setattr__(n, v)
        self.__dict__["_n"] = self.__dict__.get("_n", 0) + 1


@case(X)
def supers(x):
    d = Der(b=x[0])
    d.val = x[1]
    d.val += x[2]
    e = Der(a=x[3])
    return d.val * d._n + e.val + d.a


# matrix free operator, CG solver class with history and callbacks
class Op:
    def __init__(self, d, u):
        self.d = d
        self.u = u

    def __matmul__(self, v):
        w = self.d * v
        w[1:] += self.u * v[:-1]
        w[:-1] += self.u * v[1:]
        return w


class CG:
    def __init__(self, A, tol=1e-8):
        self.A = A
        self.tol = tol
        self.hist = []

    def solve(self, b, n):
        x = np.zeros_like(b)
        r = b - self.A @ x
        p = r.copy()
        rs = r @ r
        for k in range(n):
            Ap = self.A @ p
            a = rs / (p @ Ap)
            x += a * p
            r -= a * Ap
            new = r @ r
            self.hist.append(new)
            if new < self.tol:
                break
            p = r + new / rs * p
            rs = new
        self.k = k
        return x


@case(X + 3, Y)
def cg(d, b):
    s = CG(Op(d, 0.5))
    x = s.solve(b, 3)
    return x @ x + s.hist[0] + s.k
