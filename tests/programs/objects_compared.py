"""Objects that are compared, found in lists, gone through, printed and converted."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])


class Pairs:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        it = iter(self.xs)
        for a in it:
            b = next(it, 0.0)
            yield a, b


@case(X)
def p1(x):
    return sum(a * b for a, b in Pairs(list(x)))


@case(X)
def p2(x):
    t = 0.0
    for a, b in Pairs(list(x)):
        t += a * b
    return t


@case(X)
def p3(x):
    return sum(a * b for a, b in list(Pairs(list(x))))


@case(X)
def p4(x):
    a, b = Pairs(list(x))
    return a[0] * b[1]


@case(X)
def p5(x):
    a, b = Pairs(x)
    return a[0] * b[1]


def gen(xs):
    it = iter(xs)
    for a in it:
        yield a, next(it, 0.0)


@case(X)
def p6(x):
    return sum(a * b for a, b in list(gen(list(x))))


@case(X)
def p7(x):
    return len(list(gen(list(x)))) * x[0]


@dataclass(order=True)
class Job:
    pri: float
    name: str = field(compare=False)
    k: int = 1


@case(X)
def j1(x):
    js = [Job(x[i], f"j{i}") for i in range(4)]
    a = min(js)
    b = max(js)
    return a.pri * (1.0 if a < b else 2.0)


@case(X)
def j2(x):
    js = [Job(x[i], f"j{i}") for i in range(4)]
    a = min(js)
    return a.pri + (a == js[0]) + (a == js[1]) * 2


@case(X)
def j3(x):
    js = [Job(x[i], f"j{i}") for i in range(4)]
    a = min(js)
    js.sort()
    return (2.0 if a == js[0] else 1.0) * x[0] + js[2].pri * len(a.name)


class Lazy:
    def __init__(self, x):
        self.x = x

    @property
    def chol(self):
        return np.linalg.cholesky(np.outer(self.x, self.x) + np.eye(len(self.x)))

    def logdet(self):
        return 2 * np.sum(np.log(np.diag(self.chol)))


@case(X)
def l1(x):
    return Lazy(x).logdet()


@case(X)
def l2(x):
    L = np.linalg.cholesky(np.outer(x, x) + np.eye(len(x)))
    M = np.outer(x, x) + np.eye(len(x))
    M[0, 0] += 1.0
    return 2 * np.sum(np.log(np.diag(L))) + 2 * np.sum(np.log(np.diag(np.linalg.cholesky(M))))


@case(X)
def j4(x):
    a = Job(x[0], "a")
    b = Job(x[1], "b")
    return (
        a.pri * (1.0 if a < b else 2.0)
        + b.pri * (1.0 if a == b else 3.0)
        + (a >= b) * x[2]
        + (a != b) * x[3]
    )


@dataclass
class D:
    a: float
    b: object = None

    def __add__(self, o):
        return D(self.a + o.a, self.b)


@dataclass(frozen=True)
class F:
    a: int
    b: str = "q"


@case(X)
def r1(x):
    d = D(x[0], 3)
    s = f"{d}"
    s2 = repr(d)
    s3 = str([d, D(x[1])])
    return x[0] * len(s[:2]) + (1.0 if s == s2 else 0.0)


@case(X)
def r2(x):
    d = D(x[0], 3)
    e = D(x[0], 3)
    g = D(x[1])
    L = [d, g]
    return x[0] * L.index(e) + (e in L) * x[1] + L.count(e) * x[2]


@case(X)
def r3(x):
    m = {F(1): x[0], F(2): x[1]}
    m[F(1)] += x[2]
    s = {F(1), F(1), F(3)}
    return m[F(1)] * m[F(2)] + len(s)


@case(X)
def r4(x):
    return ((x[0], x[1]) == (x[0], x[1])) + ((x[0],) == (x[0],)) + x[0]


@case(X)
def r5(x):
    d = D(x.copy(), x[1])
    e = copy.deepcopy(d)
    f = replace(d, a=d.a * 2)
    e.a[0] = 3 * x[2]
    return np.sum(d.a * e.a * f.a) + d.b * f.b


ns = {}
exec("def nosource(d):\n    d.a=d.a*2\n    return d.a", ns)
nosource = ns["nosource"]


class It:
    def __init__(s, v):
        s.v = v

    def __iter__(s):
        return iter(s.v)


class Gn:
    def __init__(s, v):
        s.v = v

    def __iter__(s):
        for a in s.v:
            yield a * 2


class P:
    def __init__(s, v):
        s.v = v

    def __eq__(s, o):
        return s.v == o.v

    __hash__ = None


@case(X)
def c2(x):
    L = [P(v) for v in (x[0], x[1], x[2])]
    return (
        x[0] * (P(x[1]) in L)
        + x[1] * (P(x[3]) in L)
        + L.index(P(x[1])) * x[2]
        + L.count(P(x[0])) * x[3]
    )


@case(X)
def c3(x):
    L = [P(v) for v in (x[0], x[1], x[2])]
    L.remove(P(x[1]))
    return sum(p.v for p in L) * len(L)


@case(X)
def c4(x):
    a = (P(x[0]), P(x[1]))
    b = (P(x[0]), P(x[2]))
    return (
        x[0] * (a == b)
        + x[1] * ([P(x[0])] == [P(x[0])])
        + x[2] * ({"k": P(x[0])} == {"k": P(x[0])})
    )


class Place:
    def __init__(self, i):
        self.i = i

    def __index__(self):
        return self.i

    def __int__(self):
        return self.i


@case(X)
def idx(x):
    k = Place(2)
    L = [x[0], x[1] * 2, x[2] ** 2]
    L[k] = L[Place(1)] + 1
    y = x.copy()
    y[k] = 3 * x[Place(0)]
    y[Place(0) : Place(2)] *= 2
    del L[Place(0)]
    M = np.outer(x, x)
    return y[k] * L[1] + np.sum(y) + M[Place(1), Place(2)] + M[k].sum() + sum(x[i] for i in range(Place(3)))


class C:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return self.v * 2.0

    def __int__(self):
        return 3

    def __complex__(self):
        return complex(self.v, 1.0)

    def __round__(self, n=None):
        return self.v + (0 if n is None else n)

    def __trunc__(self):
        return 5

    def __floor__(self):
        return 6

    def __ceil__(self):
        return 7

    def __format__(self, s):
        return "c" + s

    def __repr__(self):
        return "C()"

    def __array__(self, dtype=None, copy=None):
        return np.array([self.v, self.v**2])

    def __neg__(self):
        return C(-self.v)

    def __pos__(self):
        return self

    def __invert__(self):
        return C(1 / self.v)

    def __abs__(self):
        return self.v * self.v

    def __reversed__(self):
        return iter([self.v, 1.0])

    def __length_hint__(self):
        return 1


@case(X)
def conv(x):
    import math

    c = C(x[2])
    a = (
        float(c) * int(c)
        + complex(c).real
        + round(c)
        + round(c, 1)
        + math.floor(c)
        + math.ceil(c)
        + math.trunc(c)
    )
    a += len(f"{c:>3}") + len(repr(c)) + np.sum(np.asarray(c) * x[:2]) + np.sum(np.sin(c))
    a += (~-c).v + abs(+c) + sum(reversed(c))
    return a


class Ranked(tuple):
    """What it does not say itself is said by tuple: it has ``>`` and ``!=``."""

    def __lt__(self, other):
        return self[1] < other[1]

    def __eq__(self, other):
        return self[0] == other[0]

    __hash__ = None


class Higher(Ranked):
    def __gt__(self, other):
        return self[1] > other[1] + 100


class Long(list):
    def __eq__(self, other):
        return len(self) == len(other)

    __hash__ = None


class Least:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v


class Most(Least):
    """Is asked first, since its class derives from that of the others."""

    def __gt__(self, other):
        return self.v > other.v + 1.0


class Coarse(float):
    def __lt__(self, other):
        return float(self) < float(other) - 1


class Card(NamedTuple):
    rank: float
    suit: str

    def __lt__(self, other):
        return (self.suit, -self.rank) < (other.suit, -other.rank)


def all_orders(a, b):
    return ((a < b) + 2 * (a > b) + 4 * (a <= b) + 8 * (a >= b) + 16 * (b < a) + 32 * (b > a)
            ) + equalities(a, b)


def equalities(a, b):
    return 64 * (a == b) + 128 * (a != b) + 256 * (b == a) + 512 * (b != a)


@case(X, Y)
def orders_of_tuples_of_classes(x, y):
    first, second = Ranked((x[0], y[0])), Ranked((x[0], y[1]))
    plain, higher = (x[0], y[2]), Higher((x[1], y[3]))
    total = all_orders(first, second) + 3 * all_orders(first, plain) + 5 * all_orders(second, higher)
    total += 7 * all_orders(plain, higher) + 11 * all_orders(Card(x[0], "b"), Card(x[1], "a"))
    return total * x[2] + max([first, second, higher])[1] * min([first, second])[0]


@case(X, Y)
def orders_of_lists_and_floats_of_classes(x, y):
    first, second = Long([x[0], y[0]]), Long([x[0], y[1]])
    total = all_orders(first, second) + 3 * equalities(first, [x[0], y[0]]) + 5 * (first < [x[0], 9.0])
    return (total + 7 * all_orders(Coarse(2.0), Coarse(2.5))
            + 11 * ((Coarse(2.0) < 2.5) + 2 * (2.5 > Coarse(2.0)) + 4 * (1.0 < Coarse(2.5)))) * x[2]


@case(X, Y)
def the_class_that_derives_is_asked_first(x, y):
    total = 0
    for a, b in zip(x, y):
        one, other = Least(a), Most(b)
        total += (one < other) + 2 * (other > one)
    things = [Most(x[0]), Least(x[1]), Most(x[2])]
    return total * x[3] + max(things).v * min(things).v


@case(X, Y)
def cards_in_order(x, y):
    hand = [Card(v, "shcd"[i % 4]) for i, v in enumerate(y)]
    best, least, hand = max(hand), min(hand), sorted(hand)
    return sum((i + 1) * c.rank * v for (i, c), v in zip(enumerate(hand), x)) + best.rank * (
        least.rank)
