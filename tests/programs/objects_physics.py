"""Physics, circuits, neurons and pipelines made of objects; attributes that are None at first."""

from __future__ import annotations

import functools
import operator

import numpy as np

CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


X = np.array([0.7, -0.4, 1.3, 0.2])
Y = np.array([1.5, 0.25, -0.45, 0.9])


# objects with None attributes picked by data
class Node:
    def __init__(self, v):
        self.v = v
        self.best = None
        self.memo = None
        self.n = 0

    def value(self):
        self.n += 1
        if self.memo is None:
            self.memo = np.sin(self.v) * self.v
        return self.memo

    def link(self, o):
        if self.best is None or o.v > self.best.v:
            self.best = o


@case(X, 3)
def memo_picked(x, n):
    ns = [Node(x[i]) for i in range(4)]
    t = 0.0
    for i in range(n):
        p = max(ns, key=lambda q: q.v)
        t += p.value() * p.n
        p.v = p.v * 0.4
        if i == 1:
            p.memo = None
    return t + sum(q.value() for q in ns)


@case(X)
def links(x):
    ns = [Node(x[i]) for i in range(4)]
    for a in ns:
        for b in ns:
            if a is not b:
                a.link(b)
    return sum(a.v * a.best.v * (k + 1) for k, a in enumerate(ns))


@case(X)
def links_far(x):
    ns = [Node(x[i]) for i in range(3)]
    for a in ns:
        for b in ns:
            if a is not b:
                a.link(b)
    return sum(a.best.best.v * a.v for a in ns)


@case(X, Y)
def memo_array(x, y):
    ns = [Node(x[i : i + 2] * y[i]) for i in range(3)]
    k = int(np.argmin(x[:3]))
    a = ns[k].value()
    ns[k].v = ns[k].v * 2
    b = ns[k].value()
    ns[int(np.argmax(x[:3]))].memo = y[:2] ** 2
    return np.sum(a * b) + sum(np.sum(q.value() ** 2) * q.n for q in ns)


# springs and nodes
class Mass:
    def __init__(self, x, m):
        self.x = x
        self.v = np.zeros(2)
        self.m = m
        self.f = np.zeros(2)
        self.fixed = False


class Spring:
    def __init__(self, a, b, k):
        self.a = a
        self.b = b
        self.k = k
        self.l0 = np.linalg.norm(a.x - b.x) * 0.9

    def apply(self):
        d = self.b.x - self.a.x
        l = np.sqrt(d @ d)
        f = self.k * (l - self.l0) * d / l
        self.a.f += f
        self.b.f -= f


@case(np.array([[0, 0], [1, 0.1], [2, 0], [1, 1.0]]), np.array([1.0, 2, 1, 1.5]), 5)
def springs(p, k, n):
    ms = [Mass(p[i].copy(), 1.0 + i) for i in range(4)]
    ms[0].fixed = True
    ss = [Spring(ms[i], ms[j], k[q]) for q, (i, j) in enumerate([(0, 1), (1, 2), (1, 3), (0, 3)])]
    e = 0.0
    for _ in range(n):
        for m in ms:
            m.f[:] = 0
        for s in ss:
            s.apply()
        for m in ms:
            if not m.fixed:
                m.v += 0.05 * m.f / m.m
                m.x += 0.05 * m.v
    return sum(m.m * m.v @ m.v + m.x[1] for m in ms)


# circuits
class Comp:
    def __init__(self, *c):
        self.c = c

    def z(self, w):
        raise NotImplementedError

    def __or__(self, o):
        return Par(self, o)

    def __rshift__(self, o):
        return Ser(self, o)


class R(Comp):
    def z(self, w):
        return self.c[0] + 0j


class L(Comp):
    def z(self, w):
        return 1j * w * self.c[0]


class C(Comp):
    def z(self, w):
        return 1 / (1j * w * self.c[0])


class Ser(Comp):
    def z(self, w):
        return sum(q.z(w) for q in self.c)


class Par(Comp):
    def z(self, w):
        return 1 / sum(1 / q.z(w) for q in self.c)


@case(1.0, 0.5, 0.2)
def circuit(r, l, c):
    net = (R(r) >> L(l)) | (C(c) >> R(2 * r))
    return sum(abs(net.z(w)) ** 2 for w in (0.5, 1.0, 2.0))


# neurons
class LIF:
    def __init__(self, tau, th):
        self.tau = tau
        self.th = th
        self.v = 0.0
        self.spikes = 0
        self.out = []

    def step(self, i, dt):
        self.v = self.v + dt * (-self.v + i) / self.tau
        if self.v > self.th:
            self.v = self.v - self.th
            self.spikes += 1
            return 1.0
        return 0.0


class Syn:
    def __init__(self, pre, post, w):
        self.pre, self.post, self.w = pre, post, w
        self.g = 0.0


@case(X, 1.5, 8)
def neurons(w, drive, n):
    ns = [LIF(1.0 + 0.3 * i, 0.8) for i in range(3)]
    sy = [Syn(ns[i], ns[(i + 1) % 3], w[i]) for i in range(3)]
    acc = 0.0
    s = [0.0] * 3
    for t in range(n):
        inp = [drive * (i == 0) for i in range(3)]
        for q in sy:
            q.g = q.g * 0.8 + s[ns.index(q.pre)] * q.w
            inp[ns.index(q.post)] += q.g
        s = [m.step(i, 0.2) for m, i in zip(ns, inp)]
        acc += sum(m.v**2 for m in ns)
    return acc + sum(m.spikes for m in ns)


# network with same-shape layers stored in container class and optimizer state
class Module:
    def __init__(self):
        self._p = {}
        self._m = {}

    def __setattr__(self, n, v):
        if isinstance(v, np.ndarray):
            self.__dict__.setdefault("_p", {})[n] = v
        elif isinstance(v, Module):
            self.__dict__.setdefault("_m", {})[n] = v
        object.__setattr__(self, n, v)

    def parameters(self, prefix=""):
        for n, p in self._p.items():
            yield prefix + n, p
        for n, m in self._m.items():
            yield from m.parameters(prefix + n + ".")


class Lin(Module):
    def __init__(self, W, b):
        super().__init__()
        self.W = W
        self.b = b

    def __call__(self, x):
        return self.W @ x + self.b


class MLP(Module):
    def __init__(self, ws):
        super().__init__()
        for i, (W, b) in enumerate(ws):
            setattr(self, f"l{i}", Lin(W, b))
        self.n = len(ws)

    def __call__(self, x):
        for i in range(self.n):
            x = getattr(self, f"l{i}")(x)
            if i < self.n - 1:
                x = np.tanh(x)
        return x


@case(X, np.eye(4) * 0.5, Y)
def modules(x, W, b):
    net = MLP([(W, b), (W * 2, b * 0.5), (W.T @ W, b)])
    reg = sum(np.sum(p**2) * len(n) for n, p in net.parameters())
    return np.sum(net(x) ** 2) + 0.1 * reg


# state pattern, observer pattern, event system
class Event:
    def __init__(self):
        self.hs = []

    def __iadd__(self, h):
        self.hs.append(h)
        return self

    def __isub__(self, h):
        self.hs.remove(h)
        return self

    def __call__(self, *a, **k):
        return [h(*a, **k) for h in self.hs]


class Acc:
    def __init__(self):
        self.changed = Event()
        self._b = 0.0

    @property
    def balance(self):
        return self._b

    @balance.setter
    def balance(self, v):
        old, self._b = self._b, v
        self.changed(old, v)


@case(X)
def observers(x):
    a = Acc()
    log = []
    tot = [0.0]

    def watch(o, n):
        log.append(n - o)

    def count(o, n):
        tot[0] += n * o

    a.changed += watch
    a.changed += count
    for v in x:
        a.balance += v
    a.changed -= watch
    a.balance *= 2
    return sum(l**2 for l in log) + tot[0] * len(log)


# pipelines: builder with chaining and __getattr__ delegation, __call__ composition
class Pipe:
    def __init__(self, fs=()):
        self.fs = tuple(fs)

    def __or__(self, f):
        return Pipe(self.fs + (f,))

    def __ror__(self, x):
        return self(x)

    def __call__(self, x):
        return functools.reduce(lambda a, f: f(a), self.fs, x)

    def __getattr__(self, n):
        f = getattr(np, n, None)
        if f is None:
            raise AttributeError(n)
        return self | f


class Proxy:
    def __init__(self, t):
        object.__setattr__(self, "_t", t)
        object.__setattr__(self, "_calls", [])

    def __getattr__(self, n):
        v = getattr(self._t, n)
        self._calls.append(n)
        if callable(v):
            return lambda *a, **k: v(*a, **k) * 1.5
        return v

    def __setattr__(self, n, v):
        setattr(self._t, n, v)


@case(X)
def pipes(x):
    p = Pipe().sin.exp | (lambda a: a * 2) | np.sum
    q = Proxy(Node(x[0]))
    q.v = x[1] * 3
    r = q.value() + q.v
    return p(x) * r + len(q._calls)


# matrix class with __matmul__, lazily evaluated ops with caching, block views
class Mat:
    __array_priority__ = 10

    def __init__(self, a):
        self.a = np.asarray(a)

    def __matmul__(self, o):
        return Mat(self.a @ (o.a if isinstance(o, Mat) else o))

    def __rmatmul__(self, o):
        return Mat(o @ self.a)

    def __mul__(self, o):
        return Mat(self.a * (o.a if isinstance(o, Mat) else o))

    __rmul__ = __mul__

    def __add__(self, o):
        return Mat(self.a + (o.a if isinstance(o, Mat) else o))

    __radd__ = __add__

    def __getitem__(self, k):
        return Mat(self.a[k])

    def __setitem__(self, k, v):
        self.a[k] = v.a if isinstance(v, Mat) else v

    def __iadd__(self, o):
        self.a += o.a if isinstance(o, Mat) else o
        return self

    def __imul__(self, o):
        self.a *= o.a if isinstance(o, Mat) else o
        return self

    @property
    def T(self):
        return Mat(self.a.T)

    @property
    def shape(self):
        return self.a.shape

    def __array__(self, dtype=None, copy=None):
        return self.a

    def __pow__(self, n):
        return functools.reduce(operator.matmul, [self] * n)


@case(np.linspace(-1, 1, 9).reshape(3, 3), X[:3])
def matrices(A, v):
    M = Mat(A.copy())
    N = M.T @ M + 2.0 * M
    N[0] = v
    N += M * 0.5
    w = N[1:]
    w *= 2.0
    return (
        np.sum((N**3).a)
        + (M @ v).a @ v
        + np.sum(np.asarray(N))
        + np.trace((v @ M * v @ M).a[None] * np.eye(3))
    )


class Kept:
    def __init__(self, v):
        self.v = v
        self.cache = None
        self.next = None


@case(X[:3])
def kept_by_the_least(x):
    nodes = [Kept(x[i]) for i in range(3)]
    k = int(np.argmin(x))
    nodes[k].cache = x[0] * 2.0
    t = 0.0
    for n in nodes:
        if n.cache is not None:
            t += n.cache * n.v
        else:
            t += n.v**2
    return t


@case(X[:3])
def kept_by_both_ends(x):
    nodes = [Kept(x[i]) for i in range(3)]
    best = min(nodes, key=lambda n: n.v)
    if best.cache is None:
        best.cache = best.v * best.v
    other = max(nodes, key=lambda n: n.v)
    if other.cache is None:
        other.cache = other.v**3
    return best.cache * other.cache + sum(n.cache if n.cache is not None else 0.0 for n in nodes)


@case(X[:3], 3)
def kept_in_steps(x, m):
    nodes = [Kept(x[i]) for i in range(3)]
    t = 0.0
    for i in range(m):
        p = nodes[int(np.argmax([n.v for n in nodes]))]
        if p.cache is None:
            p.cache = p.v**2
        else:
            p.cache = p.cache * x[i]
        p.v = p.v - p.cache * 0.3
        t += p.cache**2
    return t


@case(X)
def linked_ends(x):
    nodes = [Kept(x[i]) for i in range(4)]
    a = min(nodes, key=lambda n: n.v)
    b = max(nodes, key=lambda n: n.v)
    a.next = b
    t = 0.0
    for n in nodes:
        if n.next is not None:
            t += n.v * n.next.v
        else:
            t += n.v**3
    return t


@case(X[:3])
def kept_arrays(x):
    nodes = [Kept(x[i]) for i in range(3)]
    a = min(nodes, key=lambda n: n.v)
    a.cache = np.array([a.v, a.v**2])
    t = 0.0
    for n in nodes:
        if n.cache is not None:
            t += np.sum(n.cache**2) * n.v
    b = max(nodes, key=lambda n: n.v)
    if b.cache is None:
        b.cache = np.zeros(2)
    b.cache = b.cache + x[:2] ** 2
    return t + np.sum(b.cache**3)
