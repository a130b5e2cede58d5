"""Python's control flow, functions and classes, several constructs in each program."""

from __future__ import annotations

import collections
import functools
import math
import operator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

CASES = []


def case(*args):
    def reg(f):
        CASES.append((f, args))
        return f

    return reg


X = np.array([0.7, -1.2, 2.1, 0.4])
Y = np.array([1.5, 0.3, -0.6, 0.9])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])
X = np.array([0.7, -1.2, 2.1, 0.4])
Y = np.array([1.5, 0.3, -0.6, 0.9])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])
X = np.array([0.7, -1.2, 2.1, 0.4])
Y = np.array([1.5, 0.3, -0.6, 0.9])
A = np.array([[2.0, 0.3, -0.4], [0.1, 1.5, 0.2], [-0.3, 0.4, 1.1]])


class Search:
    tolerance = 1e-3

    def __init__(self, f, limit=8):
        self.f = f
        self.limit = limit
        self.calls = 0
        self.best = None

    def __call__(self, x):
        self.calls += 1
        v = self.f(x)
        if self.best is None or v < self.best[0]:
            self.best = (v, x)
        return v

    def run(self, a, b):
        for k in range(self.limit):
            m = 0.5 * (a + b)
            fa, fm = self(a), self(m)
            if abs(fm) < self.tolerance:
                return m, k
            elif fa * fm < 0:
                b = m
            else:
                a = m
            if not (b - a > 1e-9 and k < self.limit):
                break
        else:
            return 0.5 * (a + b) + 0 * self.best[0], self.limit
        return a, -1


@case(0.3, 2.5)
def search_object(c, top):
    s = Search(lambda t: c * t * t - 1.0)
    root, k = s.run(0.0, top)
    return root * c + s.best[0] * s.best[1] + 0.1 * s.calls + k


@case(X)
def early_return_three_deep(x):
    total = 0.0
    for i, row in enumerate(np.outer(x, x)):
        for j, v in enumerate(row):
            k = 0
            while True:
                k += 1
                v = v * 0.5 if v > 0 else -v
                if v < 0.05 and j > 1:
                    return total + v * 10
                if k > i + j:
                    break
            else:
                total += 100
            total += v * k
            if total > 5:
                continue
            total += 0.01
    return total


@case(X, 0.4)
def chained_and_any_all(x, lo):
    out = 0.0
    for k in range(len(x)):
        w = x[: k + 1]
        if lo < abs(w[-1]) <= 1.25 or (k and w[k - 1] > 2.0):
            out += w[-1] ** 2
        elif not any(v > 0 for v in w) or all([v < 2 for v in w]) and k > 0:
            out -= np.sum(w)
        else:
            out *= 1.1 if np.any(w < 0) and not np.all(w > -1) else 0.7
    y = lo or 5.0
    z = x[0] and x[1]
    return out * y + z


@case({"kind": "spring", "k": 2.0, "pts": np.array([0.1, 0.9, 0.4])}, 0.3)
def match_mapping(cfg, t):
    def energy(c, t):
        match c:
            case {"kind": "spring", "k": k, "pts": [first, *rest]} if t > 1:
                return k * first
            case {"kind": "spring", "k": k, "pts": p, **more}:
                e = 0.0
                for q in p:
                    match q > 0.5, len(more):
                        case (True, 0):
                            e = e + k * q**2
                        case (False, _):
                            e = e - t * q
                return e
            case {"kind": ("gravity" | "g"), "g": g}:
                return g * t
            case _:
                raise ValueError(c)

    return (
        energy(cfg, t)
        + energy({"kind": "g", "g": t * t}, t)
        + energy({"kind": "spring", "k": 3.0, "pts": [t, t]}, 2.0)
    )


@dataclass
class Circle:
    r: float


@dataclass
class Rect:
    w: float
    h: float
    __match_args__ = ("w", "h")


class Seg(NamedTuple):
    a: float
    b: float


@case(Circle(1.2), Rect(0.5, 2.0), 0.7)
def match_classes(c, r, s):
    shapes = [c, r, Seg(s, 2 * s), [c, [r, Seg(1.0, s)]], (s,), None]

    def area(z):
        match z:
            case Circle(r=rad) if rad > 1.0:
                return math.pi * rad**2
            case Circle():
                return 0.0
            case Rect(w, h):
                return w * h
            case Seg(a, b):
                return b - a
            case [head, *tail]:
                return area(head) + sum(map(area, tail))
            case None:
                return 0.1
            case float() | int() as v:
                return v

    return sum(area(z) * (i + 1) for i, z in enumerate(shapes))


@case(X, Y)
def count_depends_on_data(x, y):
    n = int(np.sum(x > 0)) + 1
    acc = np.zeros(2)
    for i in range(n):
        for j in range(i, n):
            for k in range(j, -1, -2):
                acc[k % 2] += x[i] * y[j % 4] * (k + 1)
        if acc[0] > 3:
            acc = acc * 0.5
    return np.sum(acc**2)


@case(X)
def kinds_change(x):
    n = 0
    v = None
    w = 1
    for e in x:
        n += 1 if e > 0 else 0.5
        w = w * e
        if v is None:
            v = e
        else:
            v = v + np.array([e, n])
    return np.sum(v) * n + w


class Scope:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append(1.0)
        return self

    def __exit__(self, t, e, tb):
        self.log.append(2.0 if t is None else 3.0)
        return t is ZeroDivisionError


def power_of(p, /, base=2.0, *rest, scale=1.0, **named):
    r = base**p * scale
    for q in rest:
        r = r + q
    for k, v in sorted(named.items()):
        r = r * v if k.startswith("m") else r - v
    return r


@case(0.7, X)
def all_argument_kinds(a, x):
    opts = {"scale": a, "mul": x[0]}
    r = power_of(2, a, *x[1:3], **opts, off=0.2)
    g = functools.partial(power_of, 3, scale=a)
    r += g(x[2], 0.5, mz=x[3])
    h = functools.partial(g, x[0])
    return r + h() + functools.reduce(lambda p, q: p * q + a, x, 1.0)


def traced(fn=None, *, times=1):
    if fn is None:
        return functools.partial(traced, times=times)

    @functools.wraps(fn)
    def inner(*args, **kw):
        inner.calls += 1
        out = fn(*args, **kw)
        for _ in range(times - 1):
            out = fn(out, *args[1:], **kw)
        return out

    inner.calls = 0
    return inner


@traced
def square(u):
    return u * u


@traced(times=3)
def damp(u, c=0.5):
    return u - c * np.sin(u)


@case(X, 0.3)
def decorators(x, c):
    return np.sum(damp(square(x), c=c) * damp(x))


@functools.lru_cache(maxsize=None)
def coefficient(n):
    return 1.0 if n < 2 else coefficient(n - 1) + 0.5 * coefficient(n - 2)


@functools.singledispatch
def norm(v):
    raise TypeError(type(v))


@norm.register(np.ndarray)
def _(v):
    return np.sqrt(np.sum(v * v))


@norm.register(float)
@norm.register(int)
def _(v):
    return abs(v)


@norm.register
def _(v: list):
    return sum(norm(u) for u in v)


@norm.register(dict)
def _(v):
    return max(norm(u) for u in v.values())


@case(X, 0.8)
def dispatched(x, s):
    total = 0.0
    for i in range(3):
        total += norm([x, [s * i, x[1:]], {"a": x[:2], "b": s}]) * coefficient(i + 3)
    return total


class Ops:
    @functools.singledispatchmethod
    def go(self, v):
        return self.k * v

    @go.register
    def _(self, v: tuple):
        return sum(self.go(u) for u in v)

    def __init__(self, k):
        self.k = k

    @functools.cached_property
    def root(self):
        return np.sqrt(self.k)

    @classmethod
    def unit(cls):
        return cls(1.0)

    @staticmethod
    def half(v):
        return v / 2

    def __getattr__(self, n):
        if n.startswith("x_"):
            return float(n[2:]) * self.k
        raise AttributeError(n)


@case(1.7, X)
def dispatch_method(k, x):
    o = Ops(k)
    r = 0.0
    for v in x:
        r += o.go((v, (v * v, 1.0))) * o.root if v > 0 else Ops.half(v) * o.x_2
    return r + o.unit().go(x[0])


def even(x, n):
    return x if n == 0 else odd(x * x.sum(), n - 1)


def odd(x, n):
    return x * 0.5 if n == 0 else even(np.sin(x), n - 1)


def descend(v, tol):
    if abs(v) < tol:
        return v
    if v > 0:
        return descend(v * 0.4 - 0.1, tol) + ascend(v * 0.3, tol)
    return ascend(v * 0.5, tol)


def ascend(v, tol):
    return v * 2 if abs(v) < tol else descend(-v * 0.6, tol)


@case(X, 3)
def mutual_static(x, n):
    return np.sum(even(x, n) + odd(x, n + 1))


@case(1.9, 0.3)
def mutual_on_data(v, w):
    return descend(v, 0.2) * w + ascend(-w, 0.1)


class Base:
    __slots__ = ("__w", "bias")
    gain = 1.5

    def __init__(self, w, bias=0.0):
        self.__w = w
        self.bias = bias

    @property
    def w(self):
        return self.__w * self.gain

    @w.setter
    def w(self, v):
        if np.ndim(v) == 0:
            v = v * np.ones(2)
        self.__w = v

    def f(self, x):
        return np.tanh(self.w * x[:2] + self.bias)

    def __matmul__(self, o):
        return type(self)(self.__w * o._Base__w, self.bias + o.bias)


class Child(Base):
    gain = 0.5

    def __init__(self, w, **k):
        super().__init__(w, **k)
        self.__extra = w.sum()

    __slots__ = ("__extra",)

    def f(self, x):
        return super().f(x) * self.__extra

    @Base.w.setter
    def w(self, v):
        Base.w.fset(self, v)
        self.__extra = self.__extra + 1


class Mixin:
    def f(self, x):
        return 2 * super().f(x)


class Both(Mixin, Child):
    pass


@case(np.array([0.3, 0.8]), X, 0.2)
def name_mangling(w, x, b):
    objs = [Base(w), Child(w * 2, bias=b), Both(w + b)]
    tot = 0.0
    for k, o in enumerate(objs):
        tot += np.sum(o.f(x))
        if tot > 0.1 * k:
            o.w = x[k]
        else:
            o.w = o.w + 1
        tot += np.sum(o.f(x)) * (objs[0] @ o).bias
        tot += np.sum((o @ objs[0]).f(x)) if k == 0 else 0
    return tot


def gen(x, stop):
    prev = 0.0
    for i, v in enumerate(x):
        got = yield i, v + prev
        if got is not None:
            prev = got
        if i >= stop:
            return


def chain_gen(x):
    yield from (v for _, v in gen(x, 2))
    yield x.sum()


@case(X, Y)
def generators(x, y):
    t = 0.0
    for (i, v), w in zip(gen(x, 5), chain_gen(y)):
        t += v * w * (i + 1) if w > 0 else v
    g = gen(y, 3)
    next(g)
    for k in range(2):
        i, v = g.send(t * 0.1)
        t = t + v
    a, *b = chain_gen(x)
    return t + a * sum(b) + max(chain_gen(x))


@case(X, 0.5)
def nonlocal_deep(x, c):
    hits = 0
    state = {"m": c}

    def outer(u):
        nonlocal c

        def inner(v):
            nonlocal hits, c
            hits += 1
            c = c * 0.9 + v if v > 0 else c
            state["m"] = state["m"] * v
            return v * c

        for e in u:
            c += inner(e)
        return c

    return outer(x) + outer(x[::-1]) * hits + state["m"] + c


class V:
    __array_ufunc__ = None

    def __init__(self, a):
        self.a = np.asarray(a)

    def __add__(self, o):
        return V(self.a + (o.a if isinstance(o, V) else o))

    __radd__ = __add__

    def __mul__(self, o):
        return V(self.a * getattr(o, "a", o))

    def __rmul__(self, o):
        return self * o

    def __iadd__(self, o):
        self.a += o.a
        return self

    def __neg__(self):
        return V(-self.a)

    def __sub__(self, o):
        return self + -o

    def __getitem__(self, i):
        return self.a[i]

    def __setitem__(self, i, v):
        self.a[i] = v

    def __len__(self):
        return len(self.a)

    def __iter__(self):
        return iter(self.a)

    def __lt__(self, o):
        return self.a.sum() < o.a.sum()

    def __eq__(self, o):
        return bool(np.all(self.a == o.a))

    def __bool__(self):
        return bool(np.any(self.a > 0))

    def __abs__(self):
        return np.sqrt(self @ self)

    def __matmul__(self, o):
        return self.a @ o.a

    def __call__(self, t):
        return V(self.a**t)

    def __contains__(self, v):
        return v in self.a

    def __float__(self):
        return float(self.a[0])


@case(X, Y, 0.6)
def operators_everywhere(x, y, s):
    u, v = V(x.copy()), V(y)
    w = sum([u, v, u * s], start=V(np.zeros(4)))
    for i in range(len(u)):
        if u < v or not w:
            u += v * s
            u[i] = w[i] ** 2
        else:
            w = -(s * w) - u + 1.0
        if u == v:
            break
    return abs(w) + max(u, v)[0] + float(w(2)) + min([u, v, w]) @ u + sum(w)


class T:
    n = 0

    def __init__(self, a):
        self.a = a
        self.asked = 0

    def __bool__(self):
        self.asked += 1
        return bool(np.any(self.a > 0))


@case(X)
def own_truth(x):
    t = T(x)
    u = T(-np.abs(x))
    s = 0.0
    for i in range(3):
        if t and not u:
            s += x[i]
        s = s * 2 if u or t else s
        while t and s < 5:
            s += abs(x[i]) + 0.3
        if bool(u):
            s = -s
    return s + t.asked + 10 * u.asked


class P(NamedTuple):
    x: float
    y: float

    def __add__(self, o):
        return P(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return P(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __neg__(self):
        return P(-self.x, -self.y)

    def __bool__(self):
        return self.x > 0

    def __contains__(self, v):
        return v < self.x

    @property
    def angle(self):
        return math.atan2(self.y, self.x)


class Row(list):
    def __add__(self, o):
        return Row(a + b for a, b in zip(self, o))

    def __mul__(self, k):
        return Row(a * k for a in self)

    def dot(self, o):
        return sum(a * b for a, b in zip(self, o))


class Params(dict):
    def __getattr__(self, k):
        try:
            return self[k]
        except KeyError:
            raise AttributeError(k)

    def __setattr__(self, k, v):
        self[k] = v

    def __getitem__(self, k):
        return super().__getitem__(k.lower())

    def __missing__(self, k):
        return 0.0


class Stack(collections.UserList):
    def top(self):
        return self.data[-1]


class Conf(collections.UserDict):
    pass


@case(X)
def user_list_and_dict(x):
    s = Stack([x[0]])
    c = Conf(k=x[1])
    for v in x:
        s.append(v * s.top())
        c[f"v{len(s)}"] = s[-1]
    return sum(s) + sum(c.values()) * c["k"]


class Angle(float):
    def __add__(self, o):
        return Angle(float(self) + float(o))

    def deg(self):
        return math.degrees(self)


class Matrixish:
    def __init__(self, m):
        self.m = m

    def __getitem__(self, ij):
        if isinstance(ij, tuple):
            return self.m[ij]
        if isinstance(ij, slice):
            return Matrixish(self.m[ij])
        return Matrixish(self.m[ij : ij + 1])

    def __setitem__(self, ij, v):
        self.m[ij] = v

    def __delitem__(self, i):
        self.m = np.delete(self.m, i, axis=0)

    def __array__(self, dtype=None, copy=None):
        return self.m

    def __len__(self):
        return self.m.shape[0]

    def __iadd__(self, o):
        self.m = self.m + o
        return self

    def __pow__(self, k, mod=None):
        return functools.reduce(operator.matmul, [self.m] * k)

    def __divmod__(self, o):
        return self.m // o, self.m % o

    def __invert__(self):
        return Matrixish(np.linalg.inv(self.m))

    def __rsub__(self, o):
        return o - self.m

    def __round__(self, n=0):
        return np.round(self.m, n)

    def __reversed__(self):
        return (self.m[i] for i in range(len(self) - 1, -1, -1))

    def __hash__(self):
        return 7

    def __eq__(self, o):
        return np.allclose(self.m, o.m)

    def __format__(self, spec):
        return "M"

    def __repr__(self):
        return f"M({self.m.shape})"

    def __index__(self):
        return 1


def make_counter():
    count = 0

    def tick(by=1):
        nonlocal count
        count += by
        return count

    def read():
        return count

    return tick, read


TICK, READ = make_counter()


@case(X)
def closure_pairs(x):
    tick, read = make_counter()
    for v in x:
        if v > 0:
            tick(v)
        else:
            tick(by=-v * read())
    fs = [lambda u, k=k: u * k + read() for k in range(3)]
    gs = [lambda u: u * k for k in range(3)]
    return sum(f(x[0]) for f in fs) + sum(g(x[1]) for g in gs) + read()


@case(X, 0.4)
def star_everything(x, s):
    def f(a, *b, c=0.0, **d):
        return a * c + sum(b) * d.get("e", 1.0) + len(b)

    args = [*x[:2], *(v * s for v in x[2:])]
    kw = {**{"c": s}, "e": x[1]}
    out = f(*args, **kw) + f(*args[:1], *args[2:], **{"c": 1.0}, e=s)
    (p, *q), r = (args, s)
    [t, [u, *_]] = [p, q]
    for i, (a, (b, *c)) in enumerate(zip(args, [(1.0, s, x[0]), (2.0,), (s, s)])):
        out += a * b * (i + 1) + sum(c)
    return out + t * u * r
