"""Programs with classes, containers, helpers, iterators and NumPy as people write it."""

from __future__ import annotations

import copy
import functools
import itertools
from collections import deque, namedtuple
from dataclasses import dataclass, field

import numpy as np
from numpy import dot

R = np.random.RandomState(2)
X = R.rand(4) + 0.5
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Base:
    k = 2.0

    def __init__(self, w):
        self.w = w
        self.n = 0

    @property
    def sq(self):
        return self.w**2

    @classmethod
    def make(cls, w):
        return cls(w)

    @staticmethod
    def twice(x):
        return 2 * x

    def f(self, x):
        self.n += 1
        return np.sum(self.w * x) * self.k


class Derived(Base):
    def __init__(self, w):
        super().__init__(w)
        self.__p = 3.0

    def f(self, x):
        return super().f(x) + self.__p * np.sum(self.sq) + self.n


@case(X)
def b1(x):
    d = Derived.make(x)
    s = d.f(x)
    s += d.f(x) * Base.twice(1.5)
    return s


class V:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __add__(self, o):
        return V(self.a + o.a, self.b + o.b)

    def __mul__(self, o):
        if isinstance(o, V):
            return self.a * o.a + self.b * o.b
        return V(self.a * o, self.b * o)

    __rmul__ = __mul__

    def __getitem__(self, i):
        return (self.a, self.b)[i]

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.a
        yield self.b

    def __lt__(self, o):
        return self.a < o.a


@case(X)
def b2(x):
    u = V(x[0], x[1])
    v = 2.0 * u + V(x[2], x[3])
    for i in range(3):
        v = v + u * 0.5
    p, q = v
    return u * v + v[1] * len(v) + p - q + (1.0 if u < v else 2.0) * x[0]


@dataclass
class S:
    pos: np.ndarray
    vel: np.ndarray
    t: float = 0.0
    log: list = field(default_factory=list)

    def step(self, dt):
        self.vel = self.vel - dt * self.pos
        self.pos = self.pos + dt * self.vel
        self.t += dt
        self.log.append(np.sum(self.pos**2))


@case(X, X * 0.5, 0.1)
def b3(p, v, dt):
    s = S(p, v)
    for _ in range(4):
        s.step(dt)
    return s.log[-1] + sum(s.log) * s.t


P = namedtuple("P", "m c")


@case(X)
def b4(x):
    p = P(x[:2], x[2])
    q = p._replace(c=p.c * 2)
    return np.sum(q.m * q.c) + p[1]


@case(X)
def b5(x):
    dq = deque([x[0]], maxlen=3)
    for i in range(1, 4):
        dq.append(dq[-1] * x[i])
    return sum(dq)


@case(X)
def b6(x):
    acc = {}
    for i, k in enumerate("abab"):
        acc[k] = acc.get(k, 0.0) + x[i] * x[i]
    return acc["a"] * acc["b"]


@case(X)
def b7(x):
    def comp(f, g):
        return lambda v: f(g(v))

    fs = [np.sin, np.cos, functools.partial(np.power, x2 := 2.0) if False else np.exp]
    h = functools.reduce(comp, fs)
    return np.sum(h(x))


def deco(f):
    @functools.wraps(f)
    def g(*a, **k):
        return 2 * f(*a, **k)

    return g


@deco
def helper(a, *, s=1.0):
    return np.sum(a) * s


@case(X)
def b8(x):
    return helper(x, s=x[0]) + helper(x)


@functools.lru_cache
def table(n):
    return n * n + 1


@case(X, 3)
def b9(x, n):
    return np.sum(x) * table(4)


@case(X)
def b10(x):
    s = 0.0
    for (i, a), b in zip(enumerate(x), reversed(x)):
        s += i * a * b
    for k, v in {"p": x[0], "q": x[1]}.items():
        s += len(k) * v
    for t in itertools.combinations([x[0], x[1], x[2]], 2):
        s += t[0] * t[1]
    for a, b in itertools.product(range(2), [x[2], x[3]]):
        s += a * b
    return s


@case(X)
def b11(x):
    c = np.zeros((2, 2))
    c[0, 1] = c[1, 0] = x[0] * x[1]
    c[0][0] = x[2]
    c[1, 1] += x[3]
    return np.linalg.det(c) + dot(c[0], c[1])


@case(X)
def b12(x):
    try:
        if x[0] > 100:
            raise ValueError("big")
        y = x * 2
    finally:
        z = x * 3
    return np.sum(y * z)


@case(X)
def b13(x):
    A = np.mgrid[0:2, 0:2]
    B = np.r_[x, 1.0]
    C = np.c_[x, x]
    return np.sum(A) * x[0] + np.sum(B * B) + np.sum(C[:, 1] * C[:, 0])


@case(X)
def b14(x):
    it = iter([1.0, 2.0, 3.0])
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s += v * x[0]
    return s


@case(X)
def b15(x):
    s = 0.0
    for i, j in np.ndindex(2, 2):
        s += x[i] * x[j + 2]
    for (i,), v in np.ndenumerate(x):
        s += i * v
    return s


@case(X)
def b16(x):
    y = sorted([x[0], x[1], x[2]])
    z = sorted(range(4), key=lambda i: -i)
    return y[0] * 1 + y[1] * 2 + y[2] * 3 + x[z[0]]


@case(X)
def b17(x):
    z = np.zeros(3, dtype=complex)
    z[0] = x[0]
    z[1] = 1j * x[1]
    w = np.fft.fft(z)
    return np.sum(np.abs(w) ** 2)


@case(X)
def b18(x):
    def outer():
        n = 0

        def inner(v):
            nonlocal n
            n += 1
            return v * n

        return inner

    f = outer()
    return f(x[0]) + f(x[1]) + f(x[2])


@case(X)
def b19(x):
    o = copy.copy(S(x, x))
    d = copy.deepcopy(o)
    d.pos[0] = 5.0
    o.vel = o.vel * 2
    return np.sum(o.pos * d.pos) + np.sum(o.vel)


@case(X)
def b20(x):
    r = []
    for i in range(4):
        if x[i] > 0.8:
            r.append(x[i] ** 2)
        elif x[i] > 0.6:
            r.append(x[i])
        else:
            continue
    return np.sum(np.array(r)) if r else 0.0


@case(X)
def b21(x):
    m = np.max(x)
    i = np.argmax(x)
    return m * x[i] + np.sum(np.where(x > 0.8, x, 0.0)) + np.clip(x, 0.6, 0.9).sum()


@case(X)
def b22(x):
    M = [[x[0], x[1]], [x[2], x[3]]]
    A = np.array(M)
    return np.trace(A @ A.T) + M[1][0]


@case(X)
def b23(x):
    s = x.copy()
    for k in (1, 2):
        t = s[k:]
        t -= s[:-k] * 0.5
    return np.prod(s + 2)


@case(X)
def b24(x):
    y = x.reshape(2, 2)
    y = np.concatenate([y, y[::-1]], axis=0)
    y = np.pad(y, 1)
    return np.sum(y * np.arange(y.size).reshape(y.shape))


@case(X, R.rand(3, 4))
def b25(x, W):
    h = x
    for t in range(3):
        h = np.tanh(W[t] * h)
        h[t] = 0.5 * h[t]
    return h.sum()


@case(X)
def b26(x):
    n = len(x)
    T = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            T[i, j] = x[i] * x[j] if i != j else 1.0
    return np.sum(np.linalg.inv(T + 3 * np.eye(n)))


@case(X)
def b27(x):
    i = 0
    s = 0.0
    while i < len(x) and x[i] < 5:
        j = i
        while j >= 0:
            s += x[j] * x[i]
            j -= 1
            if s > 100:
                break
        else:
            s *= 1.1
        i += 1
    return s


@case(X)
def b28(x):
    msg = f"{x[0]:.3f} and {len(x)}"
    assert x.ndim == 1, msg
    return x.sum()


class Lazy:
    def __init__(self, x):
        self.x = x
        self._c = None

    @property
    def c(self):
        if self._c is None:
            self._c = np.sum(self.x**2)
        return self._c

    def __getattr__(self, n):
        if n == "magic":
            return 7.0
        raise AttributeError(n)


@case(X)
def b29(x):
    l = Lazy(x)
    return l.c * l.c + l.magic * getattr(l, "nope", x[0])


@case(X)
def b30(x):
    w = np.array([1, 2, 3, 4])
    s = x @ w
    s /= 2
    s **= 2
    s -= x[0]
    a = x.copy()
    a **= 2
    a /= x[::-1]
    a *= w
    return s + a.sum()


@case(X)
def b31(x):
    def f(v, d=0):
        return v if d == 3 else f(v * x[d], d + 1)

    return f(1.0)


@case(X)
def b33(x):
    y = x.copy()
    y[1:], y[:-1] = y[:-1].copy(), y[1:].copy()
    y[y > 1] = y[y > 1] * 2
    y[::2] = 0.1
    np.copyto(y[1:2], x[0])
    y.fill(x[1]) if False else None
    return np.sum(y * x)


@case(X)
def b34(x):
    u, idx = np.unique(np.array([1, 2, 2, 1])), np.flatnonzero(x > 0.7)
    return np.sum(x[idx]) + u.sum() * x[0]


@case(R.rand(3, 3))
def b35(A):
    Q, Rr = np.linalg.qr(A + 2 * np.eye(3))
    w, V = np.linalg.eigh(A + A.T)
    return np.sum(Rr * Rr) + np.sum(w**3)
