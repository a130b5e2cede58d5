"""Exceptions and ends of iterators that leave loops and methods; defaults in classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from objects_solvers import Countdown

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])


@case(X, 3, 0)
def raise_in_loop(x, n, bad):
    t = x[0]
    L = [x[0], x[1]]
    w = x[:2] * 1.0
    if x[0] < 0:
        w = np.sum(x)
        for i in range(n):
            t = t * 2
            w[0] = 1.0
            L[7]
    else:
        t = t + np.sum(np.concatenate([w, x]))
    return t * np.sum(w)


@case(X, 3)
def raise_in_while(x, n):
    w = x[:2] * 1.0
    k = 0
    if x[0] < 0:
        w = np.sum(x)
        while k < n:
            k += 1
            if x[1] > k:
                w = w[0]
            [1][2]
    else:
        w = np.concatenate([w, x])
    return np.sum(w) * k + w[0]


@case(X, 3)
def caught(x, n):
    t = x[0]
    d = {"a": 1.0}
    try:
        for i in range(n):
            t = t + x[i]
            if i > 1:
                t = t * d["b"]
            t = t * 1.1
    except KeyError:
        t = t * 3
    return t


@case(X, 3)
def caught_first(x, n):
    t = x[0]
    d = {"a": 1.0}
    try:
        for i in range(n):
            t = t + x[i]
            t = t * d["b"]
            t = t * 1.1
    except KeyError:
        t = t * 3
    return t


@case(X, 3)
def caught_while(x, n):
    t = x[0]
    d = {"a": 1.0}
    k = 0
    try:
        while True:
            t = t + x[k]
            k += 1
            if t > 100:
                break
            t = t * d["b"]
    except KeyError:
        t = t * 3
    return t * k


@case(X, 3)
def caught_nested(x, n):
    t = x[0]
    d = {"a": 1.0}
    k = 0
    for j in range(n):
        try:
            for i in range(n):
                t = t + x[i]
                k += 1
                t = t * d["b"]
        except KeyError as e:
            t = t * 1.5
        finally:
            k += 1
    return t * k


@case(X, 3)
def caught_rows(x, n):
    t = x[0]
    out = []
    try:
        for v in x:
            out.append(v * 2)
            t = t * v
            t = t + out[3]
    except IndexError:
        t = t * 3 + len(out)
    return t + sum(out)


class Bag:
    def __init__(self):
        self.items = []
        self.total = 0.0

    def add(self, v):
        self.items.append(v)
        self.total += v
        return self.missing


@case(X, 3)
def caught_attr(x, n):
    b = Bag()
    for v in x:
        try:
            b.add(v)
        except AttributeError:
            b.total *= 1.1
    try:
        for v in x:
            b.add(v * v)
    except AttributeError:
        b.total *= 1.1
    return b.total + len(b.items)


class A:
    count = 0
    last = None
    gain = 2.0

    def hit(self, v):
        self.count += 1
        if v > 0.5:
            self.last = v
            self.gain *= 1.5
        return v * self.gain


@case(X)
def b1(x):
    a = A()
    t = 0.0
    if x[0] > 0:
        a.gain = x[1]
    t += a.gain
    if x[1] > 0:
        a.last = x[2]
    if a.last is None:
        t += 3 * x[3]
    else:
        t += a.last
    return t


@case(X, 3)
def b2(x, n):
    a = A()
    t = 0.0
    for i in range(n):
        t += a.hit(x[i]) * a.count
    return t * (1.0 if a.last is None else a.last) * a.gain


@case(X)
def b3(x):
    os = [A() for _ in range(3)]
    k = int(np.argmax(x[:3]))
    os[k].gain = x[0] ** 2
    os[k].count += 1
    return sum(o.gain * (o.count + 1) for o in os)


@case(X)
def b4(x):
    a = A()
    if x[0] > 0:
        a.gain = x[0]
    return a.gain * len(vars(a)) + ("gain" in a.__dict__) * x[1]


@dataclass
class D:
    a: float = 1.0
    b: object = None
    c: int = 0

    def go(self, v):
        if v > 0:
            self.b = v
            self.c += 1
        else:
            self.a *= v


@case(X, 4)
def b5(x, n):
    d = D()
    for i in range(n):
        d.go(x[i])
    return d.a * d.c + (d.b if d.b is not None else 0.0)


class Seq:
    def __init__(s, v):
        s.v = v

    def __getitem__(s, i):
        if i >= 3:
            raise IndexError
        return s.v[i] ** 2


class Dyn:
    def __init__(s, v):
        s.v = v

    def __getattr__(s, n):
        if n == "w":
            return s.v * 2
        raise AttributeError(n)


class Fall:
    def __init__(s, d):
        s.d = d

    def __getitem__(s, k):
        if k not in s.d:
            raise KeyError(k)
        return s.d[k]

    def get(s, k, e):
        try:
            return s[k]
        except KeyError:
            return e


@case(X, 3)
def s1(x, n):
    t = 0.0
    for i in range(n):
        for v in Seq(x * (i + 1.0)):
            t += v
        t += sum(Seq(x))
        t += 1.0 * (0.3 in Seq(x))
    return t


@case(X, 3)
def s2(x, n):
    t = 0.0
    for i in range(n):
        t += sum(Countdown(3, lambda k: x[k] * (i + 1)))
        c = Countdown(2, lambda k: x[k])
        t += next(c) * next(c) + next(c, 5.0)
        for u, v in zip(Countdown(3, lambda k: x[k]), Countdown(2, lambda k: x[k + 1])):
            t += u * v
    return t


@case(X, 3)
def s3(x, n):
    t = 0.0
    for i in range(n):
        d = Dyn(x[i])
        t += d.w
        t += getattr(d, "zz", 3.0) + hasattr(d, "w") + 2 * hasattr(d, "q")
        try:
            t += d.nope
        except AttributeError:
            t += x[0]
        f = Fall({"a": x[1]})
        t += f.get("a", 0) * f.get("b", x[2])
    return t


@case(X)
def s4(x):
    t = 0.0
    if x[0] > 0:
        d = Dyn(x[1])
        t += d.w
        t += getattr(d, "zz", 3.0) + hasattr(d, "w") + 2 * hasattr(d, "q")
        t += sum(Countdown(3, lambda k: x[k]))
        a, b, c = Seq(x)
        t += a * b * c
        f = Fall({"a": x[1]})
        t += f.get("a", 0) * f.get("b", x[2])
        L = [*Countdown(2, lambda k: x[k])]
        t += L[0]
        t += max(Countdown(3, lambda k: x[k]))
    return t
