"""Built-in functions, protocols, views and loops on classes that derive from ndarray."""

from __future__ import annotations

import functools
import itertools
import math
import statistics

import numpy as np
from array_classes import Signal, Vec, Weighted, X

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X)
def set_shape(v):
    w = v * 2.0
    s = w.view(Vec)
    s.shape = (2, 2)
    u = w[1:]
    t = u.view(Vec)
    s[0, 1] = 9.0
    u2 = (v * 1.0)[0:4]
    t2 = u2.view(Vec)
    t2.shape = (2, 2)
    return float(
        w.sum() + t.shape[0] + s.shape[1] + len(u) + len(t2) + t2[1].sum() + u2.ndim * 10 + w.ndim
    )


@case(X)
def add_at(v):
    s = Signal(v * 1.0, 2.0)
    np.add.at(s, [0, 0, 1], v[1])
    f = np.add.at
    f(s, [2], 1.0)
    return float((s**2).sum())


@case(X)
def builtins_(v):
    s = Signal(v, 2.0)
    return float(
        sum(sorted(s)[:2])
        + list(s)[1] * tuple(s)[2]
        + sum(i * x for i, x in enumerate(s))
        + sum(map(lambda x: x * x, s))
        + sum(filter(lambda x: x > 0, s))
        + list(reversed(s))[0] * 3
        + math.fsum(s)
        + statistics.mean(s)
        + sum(itertools.accumulate(s))
        + min(s)
        + any(s > 1)
        + all(s > 0)
        + (0.7 in s)
        + next(iter(s))
        + functools.reduce(lambda a, b: a * b, s)
    )


@functools.singledispatch
def kind(x):
    return 1.0


@kind.register(np.ndarray)
def _(x):
    return 2.0


@kind.register(Signal)
def _(x):
    return 3.0 + x.rate


@case(X)
def dispatched(v):
    return float(kind(v) * 10 + kind(Signal(v, 2.0)) + kind(v.view(Vec)) * 100) + v[0]


@case(X)
def matched(v):
    s = Signal(v, v[1])
    match s:
        case Signal(rate=r):
            out = r * 2
        case _:
            out = 0.0
    match s.view(Vec):
        case Signal():
            out += 100
        case Vec(x=x):
            out += x
    return float(out)


@case(X)
def with_init(v):
    class Cached(np.ndarray):
        def __new__(cls, a, k=2.0):
            return np.asarray(a).view(cls)

        def __init__(self, a, k=2.0):
            super().__init__()
            self.k = k
            self.cache = {}

        def get(self, n):
            if n not in self.cache:
                self.cache[n] = (self**n).sum() * self.k
            return self.cache[n]

    i = Cached(v, k=v[0])
    return float(i.get(2) + i.get(2) + i.get(3))


@case(X)
def getattr_delegation(v):
    class G(np.ndarray):
        def __getattr__(self, name):
            if name.startswith("sum_"):
                return float(np.asarray(self)[: int(name[4:])].sum())
            raise AttributeError(name)

    g = v.view(G)
    return g.sum_2 * g.sum_3 + hasattr(g, "zz") + getattr(g, "zz", 2.0)


@case(X)
def formatted(v):
    s = Signal(v, 2.0)
    return float(s.sum()) * len(f"{float(s.sum()):.3f}")


@case(X)
def nested_def(v):
    s = Signal(v, 2.0)

    def inner(t, k=s):
        return (t * k).sum()

    h = functools.partial(inner, s * 2)
    m = s.energy
    return float(h() + inner(v) + m() + (lambda z: z @ s)(v))


@case(X)
def exceptions_(v):
    s = Signal(v, 2.0)
    total = 0.0
    try:
        s.missing
    except AttributeError:
        total += 1.0
    try:
        s[10]
    except IndexError:
        total += 4.0
    try:
        len(s.sum())
    except TypeError:
        total += 8.0
    try:
        hash(s)
    except TypeError:
        total += 32.0
    try:
        Signal([[1.0], [2.0]]) @ np.ones(3)
    except ValueError:
        total += 64.0
    return total + float(s.sum())


@case(X)
def delete_attr(v):
    s = Signal(v, 2.0)
    del s.rate
    t = s * 2
    return float(t.sum()) * t.rate + hasattr(s, "rate")


@case(Signal(X, 2.0))
def delete_attr_arg(s):
    s.extra = s[0] * 2
    t = s[1:] * s.extra
    del s.extra
    return float(t.sum()) * t.rate + hasattr(s, "extra")


@case(X)
def chained_classes(v):
    s = Signal(Signal(v, 3.0), 2.0)
    w = Weighted(s, 1.0)
    u = s.view(Weighted)
    a = s + w
    b = w + s
    c = np.asarray(w).view(Signal)
    return float(a.sum() + b.sum() + c.sum()) * (type(a) is Weighted) * (
        2 + (type(b) is Weighted)
    ) * a.rate * b.rate + (u.weights is None)


@case(X)
def two_views(v):
    w = v * 1.0
    a = w.view(Vec)
    b = w.view(Vec)
    c = a[:2]
    d = b[1:3]
    for i in range(2):
        c += v[i]
        d *= 1.5
    if v[0] > 0:
        a[3] = 5.0
    else:
        b[0] = 1.0
    return float((a * b).sum() + c.sum() * d.sum())


@case(X)
def complex_ones(v):
    s = Signal(v + 1j * v**2, 2.0)
    s.real = v * 2
    s.imag[0] = v[1]
    return float((s * s.conj()).real.sum() + s.imag.sum() + abs(s).sum() * s.real.rate)


@case(np.float32(1.5) * np.ones(3, np.float32))
def single(v):
    s = Signal(v, 2.0)
    t = (s * 2 + s.sum()).astype(np.float64)
    return float(t.sum()) * len(s.dtype.name)


@case(X)
def integers(v):
    n = Signal(np.arange(4), 2.0)
    m = n * v
    k = n[n > 1]
    n += 1
    return float(m.sum() + k.sum() * v[0] + n.sum() + m[k[0]])


@case(X)
def long_loop(v):
    s = Signal(v, 1.0)
    for k in range(200):
        s[k % 4] = s[(k + 1) % 4] * 0.9 + 0.01
        s.rate = s.rate * 1.001
        if s[0] > 0.5:
            s *= 0.99
    return float(s.energy())


class Recorded(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) if isinstance(x, Recorded) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(np.asarray(o) if isinstance(o, Recorded) else o for o in out)
        found = getattr(ufunc, method)(*plain, **kwargs)
        if out is not None:
            return out[0]
        made = np.asarray(found).view(Recorded)
        made.by = ufunc.__name__
        return made


@case(X)
def methods_that_call_ufuncs(v):
    r = v.view(Recorded)
    total = r.std() + r.var() * r.mean() + np.std(r) * np.sum(r) + r.max() - np.prod(r)
    return float(total) * len(r.sum().by) + np.add(v.sum(), 1.0, out=...).ndim


class Doubled(np.ndarray):
    asked = 0

    def __getitem__(self, key):
        Doubled.asked += 1
        return super().__getitem__(key)


@case(X)
def views_of_the_class_are_written_to(v):
    """For an element, or what an array selects, NumPy does not ask the class."""
    before = Doubled.asked
    a = np.outer(v, v).view(Doubled)
    a[0] = 2.0 * v
    a[..., 1] = v ** 2
    a[1, 0] = v[0]
    a[[0, 2], 3] = v[1]
    return np.sum(np.asarray(a) ** 3) * (Doubled.asked - before)
