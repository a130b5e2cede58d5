"""Classes as people write them: inheritance, properties, descriptors, operators."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])


# 1 cooperative MI
class Root:
    def __init__(self, **kw):
        self.log = []
        super().__init__()

    def value(self, x):
        return x


class Scale(Root):
    def __init__(self, *, scale=1.0, **kw):
        super().__init__(**kw)
        self.scale = scale

    def value(self, x):
        self.log.append("s")
        return self.scale * super().value(x)


class Shift(Root):
    def __init__(self, *, shift=0.0, **kw):
        super().__init__(**kw)
        self.shift = shift

    def value(self, x):
        self.log.append("h")
        return super().value(x) + self.shift


class Squash(Root):
    def value(self, x):
        self.log.append("q")
        return np.tanh(super().value(x))


class Both(Scale, Squash, Shift):
    def value(self, x):
        return super().value(x) * 2.0


@case(X, 1.3, 0.4)
def cooperative(x, s, h):
    b = Both(scale=s, shift=h)
    out = b.value(x)
    assert "".join(b.log) == "sqh"
    return np.sum(out) * len(b.log)


# 2 frozen dataclass post_init object.__setattr__, replace
@dataclass(frozen=True)
class Gauss:
    mu: float
    var: float
    prec: float = field(init=False)
    tags: tuple = ()

    def __post_init__(self):
        object.__setattr__(self, "prec", 1.0 / self.var)

    def __mul__(self, o):
        p = self.prec + o.prec
        return replace(
            self, mu=(self.mu * self.prec + o.mu * o.prec) / p, var=1.0 / p, tags=self.tags + ("m",)
        )

    def logpdf(self, x):
        return -0.5 * (x - self.mu) ** 2 * self.prec - 0.5 * np.log(2 * np.pi * self.var)


@case(X, 0.5, 1.2)
def frozen(x, m, v):
    g = Gauss(m, v)
    for xi in x:
        g = g * Gauss(xi, 1.0 + xi * xi)
    return sum(g.logpdf(xi) for xi in x) + len(g.tags) * g.prec


# 3 name mangling + slots + inheritance
class A:
    __slots__ = ("__p", "q")

    def __init__(self, p):
        self.__p = p
        self.q = p * 2

    def p(self):
        return self.__p

    def bump(self, d):
        self.__p += d


class B(A):
    __slots__ = ("__p",)

    def __init__(self, p):
        super().__init__(p**2)
        self.__p = p

    def both(self):
        return self.__p * self.p()

    def bump(self, d):
        super().bump(d)
        self.__p *= d


@case(0.7, 1.1)
def mangled(x, y):
    b = B(x)
    b.bump(y)
    b.bump(x)
    return b.both() + b.q * b._A__p


# 4 property with setter, lazily created attr, cached_property invalidation
class Temp:
    def __init__(self, c):
        self._c = c
        self.sets = 0

    @property
    def f(self):
        return self._c * 1.8 + 32

    @f.setter
    def f(self, v):
        self._c = (v - 32) / 1.8
        self.sets += 1
        self.__dict__.pop("energy", None)

    @functools.cached_property
    def energy(self):
        self.sets += 10
        return self._c**3

    @property
    def lazy(self):
        if not hasattr(self, "_lazy"):
            self._lazy = self._c * np.ones(3)
        return self._lazy


@case(0.7)
def temps(x):
    t = Temp(x)
    a = t.energy + t.energy
    t.f += x * x
    b = t.energy
    t.lazy[1] *= x
    t.f = t.f * 1.01
    return a * b + np.sum(t.lazy**2) * t.sets + t.energy


# 5 descriptor with set_name, validation, history
class Bounded:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, obj, cls=None):
        if obj is None:
            return self
        return getattr(obj, self.n)

    def __set__(self, obj, v):
        setattr(obj, self.n, min(max(v, self.lo), self.hi))


class Ctl:
    u = Bounded(-1.0, 1.0)
    w = Bounded(0.0, 5.0)

    def __init__(self, u, w):
        self.u = u
        self.w = w


@case(X)
def bounded(x):
    c = Ctl(x[0], x[1])
    t = 0.0
    for i in range(4):
        c.u += x[i] * 0.9
        c.w = c.w + c.u**2
        t += c.u * c.w
    return t + Ctl.u.hi


# 6 __getattr__/__setattr__ store
class Store:
    def __init__(self, **kw):
        object.__setattr__(self, "_d", dict(kw))
        object.__setattr__(self, "_w", [])

    def __getattr__(self, n):
        if n.startswith("__"):
            raise AttributeError(n)
        try:
            return self._d[n]
        except KeyError:
            raise AttributeError(n) from None

    def __setattr__(self, n, v):
        self._w.append(n)
        self._d[n] = v

    def __delattr__(self, n):
        del self._d[n]


@case(X)
def store(x):
    s = Store(a=x[0], b=x[1:3])
    s.c = s.a * s.b
    s.a += 2.0
    d = getattr(s, "missing", 3.0)
    del s.b
    return np.sum(s.c) * s.a * d * len(s._w) + (hasattr(s, "b")) * 1.0


# 7 operator overloading all
@functools.total_ordering
class Q:
    def __init__(self, v, n=0):
        self.v = v
        self.n = n

    def __add__(self, o):
        return Q(self.v + (o.v if isinstance(o, Q) else o), self.n + 1)

    __radd__ = __add__

    def __sub__(self, o):
        return self + (-1.0) * o if isinstance(o, Q) else Q(self.v - o)

    def __rsub__(self, o):
        return Q(o - self.v)

    def __mul__(self, o):
        return Q(self.v * (o.v if isinstance(o, Q) else o), self.n + 1)

    def __rmul__(self, o):
        return self * o

    def __matmul__(self, o):
        return Q(self.v @ o.v)

    def __rmatmul__(self, o):
        return Q(o @ self.v)

    def __truediv__(self, o):
        return Q(self.v / (o.v if isinstance(o, Q) else o))

    def __rtruediv__(self, o):
        return Q(o / self.v)

    def __pow__(self, k):
        return Q(self.v**k)

    def __rpow__(self, b):
        return Q(b**self.v)

    def __neg__(self):
        return Q(-self.v)

    def __abs__(self):
        return Q(abs(self.v))

    def __iadd__(self, o):
        self.v = self.v + (o.v if isinstance(o, Q) else o)
        return self

    def __getitem__(self, i):
        return Q(self.v[i])

    def __setitem__(self, i, w):
        self.v[i] = w.v if isinstance(w, Q) else w

    def __len__(self):
        return len(self.v)

    def __iter__(self):
        for i in range(len(self.v)):
            yield self[i]

    def __bool__(self):
        return bool(np.all(self.v > 0))

    def __eq__(self, o):
        return self.v == o.v

    def __lt__(self, o):
        return self.v < o.v

    def __hash__(self):
        return 7

    def __contains__(self, z):
        return any(z == w for w in self.v)

    def __float__(self):
        return float(self.v)

    def __call__(self, f):
        return Q(f(self.v))

    def __round__(self, n=0):
        return Q(np.round(self.v, n))

    def __divmod__(self, o):
        return Q(self.v // o), Q(self.v % o)

    def __index__(self):
        return 1


@case(X, Y)
def overloaded(x, y):
    a = Q(x.copy())
    b = Q(y.copy())
    c = 2.0 * a + b - 1.0 / (3.0 + b * b) + (1.0 - a) * a**2 + 1.5**a
    c += a
    d = c
    d += 1.0
    c[0] = a[1]
    c[b] = 9.0 * a[2]
    t = sum(c)
    dot = a @ b + x @ b if False else a @ b
    q, r = divmod(abs(a) * 3, 2.0)
    best = max(a, key=lambda w: w.v)
    small = min(a)
    order = sorted(b)
    s = 0.0
    for i, o in enumerate(order):
        s = s + (i + 1) * o
    u = 1.0 if a else 2.0
    v = 1.0 if 99.0 in b else 3.0
    return (
        (t + dot + best * small + s + r[0] + q[1]).v * u * v
        + float(a[3](np.sin))
        + len(c) * (a[0] <= a[1])
    )
