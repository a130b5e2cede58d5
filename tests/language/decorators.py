"""functools and decorators."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass

import numpy as np
from table import construct

R = np.random.RandomState(47)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
STEP = 0.25


@construct("functools.partial", V5, 0.3)
def partial_layers(x, a):
    def layer(w, b, u, *, act=np.tanh):
        return act(w * u + b)

    first = functools.partial(layer, x, a)
    second = functools.partial(first, act=lambda v: v if v.sum() > 0 else -v)
    y = first(x[::-1])
    for f in (first, second, functools.partial(layer, b=0.1, u=y)):
        y = f(y) if f is not second or y[0] > 0 else f(y) * 2 if f.func is layer else y
    return np.sum(y ** 2) if True else 0


@construct("functools.partial", 1.1, V4)
def implied_volatility(vol, strikes):
    def price(spot, strike, sigma):
        return spot * np.exp(-strike * sigma) + sigma ** 2

    total = 0.0
    for k in strikes:
        quote = functools.partial(price, 1.2, k)
        guess = 0.5
        while abs(quote(guess) - quote(vol)) > 1e-3 and guess < 3:
            guess = guess + 0.5 * (quote(guess) - quote(vol)) ** 2 + 0.01
        total += quote(sigma=guess) * quote(sigma=vol)
    return total


@construct("functools.partial", M34, 2)
def partial_of_numpy(M, p):
    norm = functools.partial(np.linalg.norm, ord=p)
    mean0 = functools.partial(np.mean, axis=0)
    rows = [norm(r) for r in M]
    pick = functools.partial(max, key=lambda pair: pair[0])
    biggest, which = pick([(r, i) for i, r in enumerate(rows)])
    return biggest * mean0(M)[which] + sum(rows)


@construct("functools.reduce", M44, 0.2)
def transfer_matrices(M, phase):
    steps = [np.eye(2) + phase * M[i:i + 2, i:i + 2] for i in range(3)]
    T = functools.reduce(np.matmul, steps, np.eye(2))
    U = functools.reduce(lambda acc, s: acc @ s if acc[0, 0] > 0 else s.T, steps)
    return T[0, 0] ** 2 + np.sum(U * T) + functools.reduce(operator.mul, M[0])


@construct("functools.reduce", V5, 0.6)
def reduce_with_state(x, a):
    def online(state, v):
        n, mean, m2 = state
        n += 1
        d = v - mean
        mean = mean + d / n
        return n, mean, m2 + d * (v - mean) if d > -1 else m2 + a * d * d

    n, mean, m2 = functools.reduce(online, x, (0, 0.0, 0.0))
    top = functools.reduce(lambda p, q: p if p > q else q, x)
    return m2 / (n - 1) + mean * top * a


@construct("functools.lru_cache", 1.3, 6)
def cached_legendre(x, n):
    calls = []

    @functools.lru_cache(maxsize=None)
    def p(k):
        calls.append(k)
        if k < 2:
            return x if k else 1.0
        return ((2 * k - 1) * x * p(k - 1) - (k - 1) * p(k - 2)) / k

    return p(n) + p(n - 1) * len(calls)


@construct("functools.lru_cache", V5, 4)
def cached_paths(x, n):
    @functools.lru_cache
    def best(i, j):
        if i < 0 or j < 0:
            return -10.0
        here = x[(i * 2 + j) % 5]
        if i == j == 0:
            return here
        up, left = best(i - 1, j), best(i, j - 1)
        return here + (up if up > left else left)

    value = best(n - 1, n - 1)
    best.cache_clear()
    return value ** 2


@functools.lru_cache(maxsize=32)
def gauss_rule(n):
    return np.polynomial.hermite.hermgauss(n)


@construct("functools.lru_cache", 0.4, 0.8)
def cached_constants(mu, sigma):
    total = 0.0
    for n in (3, 5, 3):
        nodes, weights = gauss_rule(n)
        z = mu + np.sqrt(2) * sigma * nodes
        total += np.sum(weights * np.where(z > 0, z ** 2, np.sin(z))) / np.sqrt(np.pi)
    return total


@construct("functools.singledispatch", V4, 0.3)
def dispatched_norms(x, a):
    @functools.singledispatch
    def size(obj):
        return 0.0

    @size.register(float)
    def _(obj):
        return abs(obj)

    @size.register(list)
    @size.register(tuple)
    def _(obj):
        return sum(size(o) for o in obj)

    @size.register(np.ndarray)
    def _(obj):
        return np.sum(obj ** 2) if obj[0] > 0 else np.sum(np.abs(obj))

    @size.register(dict)
    def _(obj):
        return max(size(v) for v in obj.values())

    return size([x, a, (x * a, "text")]) * size({"p": x, "q": -x}) + size(None)


@functools.singledispatch
def area(shape, scale):
    raise TypeError(type(shape))


@dataclass
class Disc:
    r: float


@dataclass
class Box:
    w: float
    h: float


@area.register
def _(shape: Disc, scale):
    return np.pi * (shape.r * scale) ** 2


@area.register
def _(shape: Box, scale):
    if shape.w > shape.h:
        shape.w = shape.w * 0.9
    return shape.w * shape.h * scale ** 2


@construct("functools.singledispatch", V4, 1.2)
def areas(x, scale):
    total = 0.0
    for k, v in enumerate(x):
        shape = Disc(v) if k % 2 else Box(v, x[0])
        total += area(shape, scale)
        if total > 2:
            scale = scale * 0.8
    return total


@construct("functools.singledispatch", M34, 0.1)
def dispatched_method(M, eps):
    class Visitor:
        def __init__(self):
            self.total = 0.0

        @functools.singledispatchmethod
        def visit(self, node):
            self.total += eps

        @visit.register
        def _(self, node: list):
            for n in node:
                self.visit(n)

        @visit.register
        def _(self, node: np.ndarray):
            self.total += np.sum(node ** 2) * (1 if node[0] > 0 else 2)

    v = Visitor()
    v.visit([M[0], [M[1], "end"], M[2]])
    return v.total


@construct("functools.wraps", V5, 0.5)
def wrapped_helpers(x, a):
    counts = {}

    def counted(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            counts[f.__name__] = counts.get(f.__name__, 0) + 1
            return f(*args, **kwargs)
        return inner

    @counted
    def soft(v, lam):
        return v - lam if v > lam else v + lam if v < -lam else 0.0 * v

    @counted
    def norm(u):
        return np.sqrt(np.sum(u ** 2))

    y = np.array([soft(v, a) for v in x])
    return norm(y) * norm(x) + counts["soft"] * a + counts[norm.__name__]


def clipped(low, high):
    def decorate(f):
        @functools.wraps(f)
        def inner(*args):
            v = f(*args)
            return low + 0.1 * (v - low) if v < low else min(v, high)
        inner.bounds = (low, high)
        return inner
    return decorate


@clipped(-1.0, 5.0)
def rate(x, t):
    return x * np.sin(t) - t


@construct("functools.wraps", V4, 0.9)
def wrapped_at_module_level(x, t):
    total = 0.0
    for k, v in enumerate(x):
        total += rate(3 * v, t + k) * (k + 1)
    return total * rate.bounds[1] + len(rate.__name__) + rate.__wrapped__(t, t)


@construct("functools.wraps", W6, 0.2)
def retry_decorator(x, eps):
    def retry(times):
        def decorate(f):
            @functools.wraps(f)
            def inner(v):
                for k in range(times):
                    try:
                        return f(v + k)
                    except ValueError:
                        continue
                return eps * v
            return inner
        return decorate

    @retry(3)
    def log_of(v):
        if v < eps:
            raise ValueError("negative")
        return np.log(v)

    return sum(log_of(v) for v in x)


def memoized_on_ints(f):
    store = {}

    def inner(k, x):
        key = k
        if key not in store:
            store[key] = f(k, x)
        return store[key]
    return inner


def scaled(factor):
    return lambda f: (lambda *a, **k: factor * f(*a, **k))


@scaled(0.5)
def potential(q, *, k=1.0):
    return k * q ** 2 if q > 0 else k * q ** 4


@construct("decorators on helpers", W6, 1.3)
def decorated_potential(x, k):
    return sum(potential(v, k=k) for v in x) + potential(k)


@construct("decorators on helpers", 0.7, 5)
def decorated_memo(x, n):
    @memoized_on_ints
    def chebyshev(k, x):
        if k == 0:
            return 1.0
        if k == 1:
            return x
        return 2 * x * chebyshev(k - 1, x) - chebyshev(k - 2, x)

    return sum(chebyshev(k, x) / (k + 1) for k in range(n))


class checked:
    """A decorator that is a class."""

    def __init__(self, f):
        self.f, self.calls, self.last = f, 0, 0.0

    def __call__(self, *args):
        self.calls += 1
        self.last = self.f(*args)
        return self.last


@construct("decorators on helpers", V5, 0.4)
def decorator_class(x, a):
    @checked
    def soften(v):
        return np.log1p(np.exp(v)) if v > 0 else a * v

    total = sum(soften(v) for v in x)
    return total * soften.calls + soften.last


@construct("functools.reduce", W6, 0.9)
def forward_algorithm(x, stay):
    T = np.array([[stay, 1 - stay], [0.3, 0.7]])

    def step(belief, v):
        belief = (belief @ T) * np.exp(-0.5 * (v - np.array([0.0, 1.0])) ** 2)
        return belief / belief.sum() if belief.sum() < 0.5 else belief

    last = functools.reduce(step, x, np.array([0.5, 0.5]))
    return last[0] * functools.reduce(max, x) + np.log(last.sum())
