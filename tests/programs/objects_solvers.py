"""Filters, controllers, optimizers, solvers and containers written as classes."""

from __future__ import annotations

import copy
import dataclasses
import enum
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatchmethod
from typing import Generic, TypeVar

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])
A4 = np.linspace(-1, 1, 16).reshape(4, 4) + np.eye(4)


class Kalman:
    def __init__(self, F, H, Q, R, x0, P0):
        self.F, self.H, self.Q, self.R = F, H, Q, R
        self.x = x0
        self.P = P0
        self.ll = 0.0
        self.history = []

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q
        return self

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = np.linalg.solve(S.T, self.H @ self.P.T).T
        self.x = self.x + K @ y
        self.P = (np.eye(len(self.x)) - K @ self.H) @ self.P
        self.ll += -0.5 * (y @ np.linalg.solve(S, y) + np.linalg.slogdet(S)[1])
        self.history.append(self.x)
        return self


@case(np.array([0.1, 0.5, 0.2, 0.9, 1.1]), 0.1, 0.5)
def kalman(z, q, r):
    k = Kalman(
        np.array([[1, 0.1], [0, 1.0]]),
        np.array([[1.0, 0.0]]),
        q * np.eye(2),
        r * np.eye(1),
        np.zeros(2),
        np.eye(2),
    )
    for zi in z:
        k.predict().update(np.array([zi]))
    return k.ll + np.sum(np.array(k.history) ** 2)


class PID:
    def __init__(self, kp, ki, kd, lim=None):
        self.kp, self.ki, self.kd, self.lim = kp, ki, kd, lim
        self.i = 0.0
        self.prev = None

    def __call__(self, e, dt):
        self.i += e * dt
        d = 0.0 if self.prev is None else (e - self.prev) / dt
        self.prev = e
        u = self.kp * e + self.ki * self.i + self.kd * d
        if self.lim is not None:
            lo, hi = self.lim
            if u > hi:
                self.i -= e * dt
                return hi
            if u < lo:
                self.i -= e * dt
                return lo
        return u


@case(1.2, 0.3, 0.05, 30)
def pid(kp, ki, kd, n):
    c = PID(kp, ki, kd, lim=(-2.0, 1.0))
    y = v = 0.0
    cost = 0.0
    for k in range(n):
        e = 1.0 - y
        u = c(e, 0.1)
        v += 0.1 * (u - 0.5 * v)
        y += 0.1 * v
        cost += e * e + 0.01 * u * u
    return cost


class Adam:
    def __init__(self, params, lr=0.1, betas=(0.9, 0.99), eps=1e-3):
        self.p = params
        self.lr = lr
        self.b = betas
        self.eps = eps
        self.m = {k: np.zeros_like(v) for k, v in params.items()}
        self.v = {k: np.zeros_like(v) for k, v in params.items()}
        self.t = 0

    def step(self, g):
        self.t += 1
        for k in self.p:
            self.m[k] = self.b[0] * self.m[k] + (1 - self.b[0]) * g[k]
            self.v[k] = self.b[1] * self.v[k] + (1 - self.b[1]) * g[k] ** 2
            mh = self.m[k] / (1 - self.b[0] ** self.t)
            vh = self.v[k] / (1 - self.b[1] ** self.t)
            self.p[k] = self.p[k] - self.lr * mh / (np.sqrt(vh) + self.eps)


@case(X, Y, 0.1, 6)
def adam(x, y, lr, n):
    opt = Adam({"w": x.copy(), "b": np.zeros(1)}, lr=lr)
    for _ in range(n):
        w, b = opt.p["w"], opt.p["b"]
        r = w * y + b - 1.0
        opt.step({"w": 2 * r * y, "b": np.array([np.sum(2 * r)])})
    return np.sum((opt.p["w"] * y + opt.p["b"] - 1.0) ** 2) + opt.t


class RK:
    tableau = {
        "rk4": ([0, 0.5, 0.5, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
        "heun": ([0, 1], [0.5, 0.5]),
    }

    def __init__(self, f, method="rk4"):
        self.f = f
        self.c, self.b = self.tableau[method]
        self.nfev = 0

    def __call__(self, t, y):
        self.nfev += 1
        return self.f(t, y)

    def step(self, t, y, h):
        ks = []
        for i, c in enumerate(self.c):
            yi = y if not ks else y + h * c * ks[-1]
            ks.append(self(t + c * h, yi))
        return y + h * sum(b * k for b, k in zip(self.b, ks))

    def solve(self, y, t0, t1, n):
        h = (t1 - t0) / n
        out = [y]
        for i in range(n):
            out.append(self.step(t0 + i * h, out[-1], h))
        return np.array(out)


@case(X[:2], 0.3, 5)
def ode(y0, mu, n):
    s = RK(lambda t, y: np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]]))
    ys = s.solve(y0, 0.0, 1.0, n)
    z = RK(lambda t, y: -y * t, "heun").solve(y0, 0.0, 0.5, 3)
    return np.sum(ys**2) + np.sum(z[-1]) * s.nfev


class Sp:
    @singledispatchmethod
    def area(self, s):
        raise TypeError("no")

    @area.register
    def _(self, s: int):
        return s * 1.0

    @area.register(float)
    def _f(self, s):
        return s**2

    @area.register(np.ndarray)
    def _a(self, s):
        return np.sum(s**3)

    @area.register(list)
    def _l(self, s):
        return sum(self.area(v) for v in s)


@case(X, 0.3)
def dispatch(x, s):
    p = Sp()
    return p.area(x) + p.area(s) + p.area([x * 2, s, 3]) + p.area(2)


class Timer:
    depth = 0

    def __init__(self, log):
        self.log = log

    def __enter__(self):
        Timer.depth += 1
        self.log.append(("in", Timer.depth))
        return self

    def __exit__(self, t, v, tb):
        self.log.append(("out", Timer.depth))
        Timer.depth -= 1
        return t is ZeroDivisionError


@case(X)
def ctx(x):
    log = []
    Timer.depth = 0
    t = 0.0
    with Timer(log) as a, Timer(log) as b:
        t += x[0] * len(log)
        with Timer(log):
            t += x[1] * Timer.depth
            1 // (Timer.depth - 3)
            t += 100
        t *= x[2]
    return t * len(log) + Timer.depth


class Countdown:
    def __init__(self, n, f):
        self.n = n
        self.f = f

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.f(self.n)


class Pairs:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        it = iter(self.xs)
        for a in it:
            b = next(it, 0.0)
            yield a, b

    def __len__(self):
        return (len(self.xs) + 1) // 2

    def __getitem__(self, i):
        return self.xs[2 * i], self.xs[2 * i + 1]


@case(X)
def iters(x):
    t = sum(Countdown(4, lambda k: x[k] ** 2 * (k + 1)))
    p = Pairs(x)
    t += sum(a * b for a, b in p) * len(p)
    a, b = Pairs(list(x))
    t += a[0] * b[1]
    for i, (u, v) in enumerate(zip(Countdown(3, lambda k: x[k]), Pairs(x))):
        t += u * v[0] * i
    t += max(Countdown(4, lambda k: x[k]))
    L = [*Countdown(2, lambda k: x[k])]
    return t + L[0]


class Lazy:
    def __init__(self, x):
        self.x = x

    @cached_property
    def gram(self):
        return np.outer(self.x, self.x) + np.eye(len(self.x))

    @cached_property
    def chol(self):
        return np.linalg.cholesky(self.gram)

    def logdet(self):
        return 2 * np.sum(np.log(np.diag(self.chol)))


@case(X)
def lazies(x):
    l = Lazy(x)
    a = l.logdet()
    m = copy.copy(l)
    m.x = m.x * 2
    d = copy.deepcopy(l)
    d.gram[0, 0] += 1.0
    assert "gram" in m.__dict__
    del m.gram
    del m.chol
    return a + m.logdet() + l.gram[0, 0] * d.gram[0, 0] + d.logdet()


# copy of object graphs w/ sharing + cycle, __copy__, __deepcopy__
class Nd:
    def __init__(s, v):
        s.v = v
        s.peers = []


class Own:
    def __init__(s, v, k=0):
        s.v = v
        s.k = k

    def __copy__(s):
        return Own(s.v, s.k + 1)

    def __deepcopy__(s, memo):
        o = Own(s.v * 1.0, s.k + 10)
        memo[id(s)] = o
        return o


@case(X)
def copies(x):
    a = Nd(x.copy())
    b = Nd(a.v)
    a.peers.append(b)
    b.peers.append(a)
    a.own = Own(x[0])
    b.own = a.own
    c = copy.deepcopy(a)
    c.v[0] = 5.0 * x[1]
    c.peers[0].v[1] *= 2
    assert c.peers[0].peers[0] is c and c.own is c.peers[0].own
    e = copy.copy(a)
    e.v[3] = x[3] ** 2
    e.peers.append(c)
    return (
        np.sum(a.v) * np.sum(c.v)
        + len(a.peers)
        + c.own.k * c.own.v
        + copy.copy(a.own).k * np.sum(b.v**2)
    )


T = TypeVar("T")


class Held(Generic[T]):
    def __init__(self, v: T):
        self.v = v

    def map(self, f):
        return Held(f(self.v))

    def __class_getitem__(cls, i):
        return super().__class_getitem__(i)


@case(X)
def generics(x):
    b = Held[np.ndarray](x).map(np.sin).map(lambda a: a * 2).map(np.sum)
    return b.v


class Color(enum.Enum):
    RED = (1.0, 0.5)
    BLUE = (0.2, 2.0)

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def mix(self, x):
        return self.a * x + self.b * x**2

    @classmethod
    def of(cls, x):
        return cls.RED if x > 0 else cls.BLUE

    @property
    def other(self):
        return Color.BLUE if self is Color.RED else Color.RED


@case(X)
def enums(x):
    t = 0.0
    for v in x:
        c = Color.of(v)
        t += c.mix(v) + c.other.mix(v * 0.5) * len(c.name)
    return t + sum(c.value[0] for c in Color)


class Arr(np.ndarray):
    def __new__(cls, a, tag=None):
        o = np.asarray(a).view(cls)
        o.tag = tag
        return o

    def __array_finalize__(self, o):
        self.tag = getattr(o, "tag", None)

    def norm(self):
        return np.sqrt(np.sum(np.asarray(self) ** 2))


@dataclass(order=True)
class Job:
    pri: float
    name: str = field(compare=False)
    data: list = field(default_factory=list, compare=False, repr=False)
    total: float = field(init=False, default=0.0, compare=False)
    n: dataclasses.InitVar[int] = 2

    def __post_init__(self, n):
        self.total = self.pri * n
        self.data.append(self.pri)


@case(X)
def jobs(x):
    js = [Job(x[i], f"j{i}", n=i) for i in range(4)]
    a = min(js)
    b = max(js)
    js.sort()
    c = replace(js[0], pri=x[2] * 2, n=5)
    d = dataclasses.asdict(js[1])
    t = dataclasses.astuple(js[2])
    return (
        a.total * b.pri
        + c.total
        + d["pri"] * t[0]
        + (1.0 if a < b else 2.0)
        + len(js[0].data)
        + (a == js[0])
    )
