"""Functions and classes: closures, decorators, generators, recursion, properties, operators."""

from __future__ import annotations

import functools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

R = np.random.RandomState(12)
V3 = R.rand(3) + 0.4
V4 = R.randn(4)
V5 = R.rand(5) + 0.2
M33 = R.rand(3, 3) + 2 * np.eye(3)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(V4, 0.5)
def nonlocal_counter(x, a):
    calls = 0
    best = math.inf

    def objective(t):
        nonlocal calls, best
        calls += 1
        value = np.sum((x - t) ** 2)
        if value < best:
            best = value
        return value

    total = sum(objective(a * k) for k in range(4))
    return total / calls + best


@case(V4)
def closures_in_a_list(x):
    fs = []
    for k in range(3):
        fs.append(lambda v, k=k: v ** (k + 1))
    late = [lambda v: v * k for k in range(3)]
    return sum(f(x).sum() for f in fs) + late[0](x)[1]


def make_poly(*coeffs, shift=0.0):
    def poly(t):
        out = 0.0
        for c in reversed(coeffs):
            out = out * (t - shift) + c
        return out

    return poly


@case(V4, 0.7)
def closure_factory(c, t):
    p = make_poly(*c, shift=0.1)
    q = make_poly(1.0, c[0], c[1] * c[2])
    return p(t) * q(t) + p(q(t))


def weighted(x, /, w=2.0, *rest, power=2, **extra):
    out = w * np.sum(x**power)
    for r in rest:
        out = out + r
    for name, value in sorted(extra.items()):
        out = out * value if name.startswith("m") else out + value
    return out


@case(V4, 1.5, 0.3)
def every_kind_of_argument(x, a, b):
    args = (a, b)
    kw = {"m1": a, "add": b}
    return (
        weighted(x)
        + weighted(x, a)
        + weighted(x, *args, b, power=3)
        + weighted(x, 1.0, **kw)
        + weighted(x, *args, power=1, **{**kw, "m2": 2.0})
    )


def gradient_descent(f, x0, lr=0.1, steps=5, callback=None):
    x = x0
    for i in range(steps):
        h = 1e-3
        g = np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])
        x = x - lr * g
        if callback is not None:
            callback(i, x)
    return x


@case(V3, M33)
def callbacks(x0, a):
    path = []
    end = gradient_descent(
        lambda x: 0.5 * x @ a @ x - np.sum(x), x0, callback=lambda i, x: path.append((i, x[0]))
    )
    return np.sum(end) + sum(i * v for i, v in path)


@case(V4, 0.3)
def partials(x, a):
    scale = functools.partial(operator.mul, a)
    power = functools.partial(pow, exp=3)
    hyp = functools.partial(np.hypot, 1.0)
    clip = functools.partial(np.clip, a_min=-1.0, a_max=0.8)
    return np.sum(scale(x)) + power(x[0]) + np.sum(hyp(x) * clip(x))


@case(V4)
def reduces(x):
    product = functools.reduce(operator.mul, x)
    horner = functools.reduce(lambda acc, c: acc * 0.5 + c, [x[0], x[1], x[2]], 1.0)
    chain = functools.reduce(np.dot, [np.outer(x, x), np.eye(4) * 2, x])
    return product + horner + chain.sum()


@functools.lru_cache(maxsize=None)
def binomial(n, k):
    if k == 0 or k == n:
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@case(V5, 0.4)
def bernstein(c, t):
    n = len(c) - 1
    return sum(c[k] * binomial(n, k) * t**k * (1 - t) ** (n - k) for k in range(n + 1))


@functools.lru_cache
def nodes_of(n):
    return np.polynomial.legendre.leggauss(n)


@case(0.3, 1.7)
def gauss_quadrature(a, b):
    x, w = nodes_of(5)
    t = 0.5 * (b - a) * x + 0.5 * (a + b)
    return 0.5 * (b - a) * np.sum(w * np.exp(-(t**2)))


@functools.singledispatch
def size(obj):
    raise TypeError(f"no size of {type(obj).__name__}")


@size.register
def _(obj: float):
    return abs(obj)


@size.register(list)
def _(obj):
    return sum(size(o) for o in obj)


@size.register
def _(obj: np.ndarray):
    return np.linalg.norm(obj)


@case(V4, 1.5)
def single_dispatch(x, a):
    return size(x) + size([a, x[1:], [x * 2]]) * size(a)


def twice(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(fn(*args, **kwargs), **kwargs)

    wrapper.calls = 0
    return wrapper


def logged(scale):
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(x):
            wrapper.total += 1
            return scale * fn(x)

        wrapper.total = 0
        return wrapper

    return decorate


@twice
def smooth(x, *, k=0.5):
    return x * k + np.tanh(x)


@case(V4)
def decorated_helpers(x):
    @logged(3.0)
    def inner(v):
        return np.sum(v**2)

    return np.sum(smooth(x, k=0.3)) + inner(x) + inner(x * 2) * inner.total


def countdown(x, n):
    while n > 0:
        yield x * n
        n -= 1
    return x


def pairs(seq):
    it = iter(seq)
    prev = next(it)
    for cur in it:
        yield prev, cur
        prev = cur


def delegating(x):
    last = yield from countdown(x, 3)
    yield last * 10.0


@case(V4)
def generators(x):
    total = 0.0
    for v in countdown(x[0], 4):
        total += v**2
    for a, b in pairs([x[0], x[1], x[2], x[3]]):
        total += a * b
    for v in delegating(x[1]):
        total += v
    return total


def fibonacci_like(a, b):
    while True:
        yield a
        a, b = b, a + b


@case(0.3, 0.7)
def infinite_generator(a, b):
    s = 0.0
    for i, v in enumerate(fibonacci_like(a, b)):
        if i == 6:
            break
        s += v * v
    gen = fibonacci_like(b, a)
    return s + next(gen) * next(gen) + sum(v for _, v in zip(range(3), gen))


@case(V4, 0.8)
def generator_inside_data_loop(x, tol):
    def halves(v):
        for k in range(1, 4):
            yield v / k

    r = np.sum(x**2)
    n = 0
    while r > tol and n < 20:
        for h in halves(r):
            r = r - 0.1 * h
        n += 1
    return r * n


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


@case(1.2, 9)
def recursion_on_int(x, n):
    return power(x, n) + power(x, 3)


def tree_sum(tree):
    if isinstance(tree, tuple):
        left, value, right = tree
        return tree_sum(left) + value**2 + tree_sum(right)
    return 0.0 if tree is None else tree


@case(V4)
def recursion_on_structure(x):
    tree = ((None, x[0], x[1]), x[2], (x[3], x[0] * x[1], None))
    return tree_sum(tree)


def simpson(f, a, b, fa, fm, fb, tol, depth):
    m = 0.5 * (a + b)
    h = b - a
    whole = h / 6 * (fa + 4 * fm + fb)
    flm, frm = f(0.5 * (a + m)), f(0.5 * (m + b))
    left = h / 12 * (fa + 4 * flm + fm)
    right = h / 12 * (fm + 4 * frm + fb)
    delta = left + right - whole
    if depth <= 0 or abs(delta) <= 15 * tol:
        return left + right + delta / 15
    return simpson(f, a, m, fa, flm, fm, tol / 2, depth - 1) + simpson(
        f, m, b, fm, frm, fb, tol / 2, depth - 1
    )


@case(0.6, 2.0)
def adaptive_quadrature_static_depth(k, b):
    def f(t):
        return math.exp(-k * t) * math.sin(3 * t)

    return simpson(f, 0.0, b, f(0.0), f(0.5 * b), f(b), 1e-5, 3)


def is_even(n, x):
    return x if n == 0 else is_odd(n - 1, x * 1.1)


def is_odd(n, x):
    return -x if n == 0 else is_even(n - 1, x + 0.2)


@case(V4)
def mutual_recursion(x):
    return is_even(4, x[0]) * is_even(5, x[1]) + is_odd(2, x[2])


class Shape:
    scale = 1.0
    registry: dict = {}

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        Shape.registry[cls.__name__] = cls

    def __init__(self, w):
        self._w = w
        self.__hidden = 2.0

    @property
    def w(self):
        return self._w * self.scale

    @w.setter
    def w(self, value):
        self._w = value / self.scale
        self.touched = True

    @w.deleter
    def w(self):
        self._w = 0.0

    def area(self):
        return self.w**2 + self.__hidden

    def __call__(self, t):
        return self.area() * t

    @classmethod
    def unit(cls, *args):
        return cls(1.0, *args)

    @staticmethod
    def double(v):
        return 2 * v

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.w * i

    def __contains__(self, v):
        return v == "w"

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]

    def __bool__(self):
        return True


class Box(Shape):
    scale = 1.5

    def __init__(self, w, h=2.0):
        super().__init__(w)
        self.h = h

    def area(self):
        return super().area() * self.h

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None


@case(1.3, 0.4)
def class_features(a, b):
    s, q = Shape(a), Box(a, b)
    q.w = a * b
    q.w += 0.5
    out = s.area() + q.area() * q(b) + Box.unit(b).area() + Shape.double(a)
    out += sum(q) + len(q) * q[2] + (1.0 if "w" in q else 0.0)
    if q and q.touched:
        out *= 1.1
    del s.w
    return out + s.area() + Shape.registry["Box"](a).h


class Vec:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __radd__(self, o):
        return self if o == 0 else Vec(self.x + o, self.y + o)

    def __sub__(self, o):
        return Vec(self.x - o.x, self.y - o.y)

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __mul__(self, k):
        return self.x * k.x + self.y * k.y if isinstance(k, Vec) else Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __truediv__(self, k):
        return Vec(self.x / k, self.y / k)

    def __iadd__(self, o):
        self.x = self.x + o.x
        self.y = self.y + o.y
        return self

    def __abs__(self):
        return (self.x**2 + self.y**2) ** 0.5

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __matmul__(self, o):
        return self.x * o.y - self.y * o.x

    def __float__(self):
        return float(abs(self))

    def __pow__(self, n):
        return Vec(self.x**n, self.y**n)


@case(V4)
def operators_on_instances(p):
    a, b = Vec(p[0], p[1]), Vec(p[2], p[3])
    c = sum([a, b, 2 * a - b / 3])
    c += a**2
    n = float(c) if a < b else abs(-c)
    return n + a * b + (a @ b) * 0.5 + (1.0 if a == b else 2.0)


@case(Vec(1.2, -0.4), 0.7)
def slots_argument(v, k):
    return abs(v * k + Vec(k, 1.0)) * v.x


@dataclass(frozen=True)
class State:
    x: np.ndarray
    v: np.ndarray
    t: float = 0.0

    @property
    def energy(self):
        return 0.5 * np.sum(self.v**2) + 0.5 * np.sum(self.x**2)

    def step(self, dt):
        v = self.v - dt * self.x
        return replace(self, x=self.x + dt * v, v=v, t=self.t + dt)


@case(V3, V3 * 0.5, 0.1)
def frozen_dataclass_loop(x, v, dt):
    s = State(x, v)
    for _ in range(6):
        s = s.step(dt)
    while s.energy > 0.5 and s.t < 1.95:
        s = s.step(dt)
    return s.energy + s.t + s.x[0]


@case(State(V3, V3 * 0.5, 0.25), 0.1)
def frozen_dataclass_argument(s, dt):
    for _ in range(3):
        s = s.step(dt)
    return s.energy * s.t


@dataclass(slots=True)
class Particle:
    position: float
    velocity: float
    history: list = field(default_factory=list)

    def __post_init__(self):
        self.history.append(self.position)

    def kick(self, f, dt):
        self.velocity += f * dt
        self.position += self.velocity * dt
        self.history.append(self.position)


@case(0.5, -0.3, 8)
def mutable_slots_dataclass(x, v, n):
    p = Particle(x, v)
    for _ in range(n):
        p.kick(-p.position, 0.1)
    return sum(h * h for h in p.history) + p.velocity


@case(Particle(0.5, -0.3, [1.0]), 0.2)
def slots_dataclass_argument(p, dt):
    f = -2.0 * p.position
    return (p.velocity + f * dt) ** 2 + p.position


class Pose(NamedTuple):
    x: Any
    y: Any
    heading: Any = 0.0

    def moved(self, d):
        return self._replace(
            x=self.x + d * np.cos(self.heading), y=self.y + d * np.sin(self.heading)
        )


Gains = namedtuple("Gains", "kp ki kd", defaults=(0.0,))


@case(Pose(0.1, 0.2, 0.3), Gains(1.0, 0.1))
def named_tuples(pose, gains):
    integral = 0.0
    for k in range(4):
        err = pose.x - 1.0
        integral += err
        u = -(gains.kp * err + gains.ki * integral + gains.kd)
        pose = pose.moved(0.1 * u)._replace(heading=pose.heading + 0.05 * k)
    x, y, h = pose
    return x * y + h + sum(gains) + pose._asdict()["x"]


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b
        self.cache = None

    def __call__(self, x):
        self.cache = x
        return np.tanh(x @ self.w + self.b)


class Net:
    def __init__(self, layers):
        self.layers = layers
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        for layer in self.layers:
            x = layer(x)
        return x

    def penalty(self):
        return sum(np.sum(layer.w**2) for layer in self.layers)


@case(M33, V3, V3 * 2)
def network_objects(w, b, x):
    net = Net([Layer(w, b), Layer(w.T, b * 0.5), Layer(w @ w, b)])
    y = net.forward(x) + net.forward(x * 0.5)
    caches = [layer.cache for layer in net.layers]
    return y.sum() + 0.01 * net.penalty() + caches[1][0] * net.calls


class Meta(type):
    def __new__(mcs, name, bases, ns):
        ns["order"] = len(ns)
        return super().__new__(mcs, name, bases, ns)


class Built(metaclass=Meta):
    gain = 2.0

    def f(self, x):
        return x * self.gain * self.order


@case(0.8)
def metaclass_instance(x):
    return Built().f(x)


class Clamped:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        setattr(obj, self.name, value if value < 1.0 else 1.0)


class Motor:
    duty = Clamped()

    def __init__(self, duty):
        self.duty = duty


class Lazy:
    def __init__(self, a):
        self.a = a
        self._inv = None

    @property
    def inv(self):
        if self._inv is None:
            self._inv = np.linalg.inv(self.a)
        return self._inv

    @functools.cached_property
    def det(self):
        return np.linalg.det(self.a)


@case(M33, V3)
def lazy_attributes(a, b):
    m = Lazy(a)
    s = 0.0
    for k in range(3):
        s += b @ m.inv @ b * k
    if b[0] > 0.2:
        s = s + m.det * m.det
    return s


class Proxy:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        if name.startswith("sq_"):
            return getattr(self, name[3:]) ** 2
        raise AttributeError(name)


@case(0.6, 1.8)
def dynamic_attributes(a, b):
    p = Proxy(a=a, b=b)
    setattr(p, "c", p.sq_a + p.sq_b)
    names = ["a", "b", "c"]
    total = sum(getattr(p, n) for n in names) + getattr(p, "missing", 2.0)
    if hasattr(p, "c") and not hasattr(p, "d"):
        total *= vars(p)["c"]
    return total


def apply_all(fs, *args):
    return [f(*args) for f in fs]


@case(V4)
def functions_as_data(x):
    ops = {"sin": np.sin, "sq": lambda v: v * v, "sum": sum, "norm": np.linalg.norm}
    out = 0.0
    for name, op in ops.items():
        out += np.sum(op(x)) * len(name)
    return out + sum(apply_all((math.exp, math.atan, abs), x[0]))


def default_list(x, acc=[]):  # noqa: B006
    acc = acc + [x]
    return sum(acc) * len(acc)


def with_np_default(x, fn=np.tanh, kw={"scale": 2.0}):  # noqa: B006
    return fn(x) * kw["scale"]


@case(0.7)
def odd_defaults(x):
    return default_list(x) + default_list(x * 2) + with_np_default(x) + with_np_default(x, fn=np.cos)


def compose(*fs):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), fs)


@case(V4)
def composition(x):
    pipeline = compose(np.sin, lambda v: v[1:] * v[:-1], np.cumsum, lambda v: v @ v)
    return pipeline(x)


@case(V4, 2.0)
def immediately_called(x, a):
    return (lambda s, *t: s * a + sum(t))(*(x**2))


def memoize(fn):
    cache = {}

    @functools.wraps(fn)
    def inner(*key):
        if key not in cache:
            cache[key] = fn(*key)
        return cache[key]

    return inner


@case(V4)
def local_memo(c):
    @memoize
    def cheb(n, k):
        if n == 0:
            return 1.0
        if n == 1:
            return c[k]
        return 2 * c[k] * cheb(n - 1, k) - cheb(n - 2, k)

    return sum(cheb(n, k) for n in range(4) for k in range(2))


class Account:
    interest = 0.1

    def __init__(self, balance):
        self.balance = balance
        self.log = []

    def __iadd__(self, amount):
        self.balance = self.balance + amount
        self.log.append(amount)
        return self

    def grow(self, years):
        for _ in range(years):
            self += self.balance * self.interest
        return self


@case(10.0, 0.5)
def fluent_interface(b, extra):
    acc = Account(b).grow(2)
    acc += extra
    acc.interest = 0.2
    return acc.grow(1).balance + sum(acc.log)


class Bad(Exception):
    pass


class Stack:
    def __init__(self):
        self._items = []

    def push(self, v):
        self._items.append(v)

    def pop(self):
        if not self._items:
            raise Bad("empty")
        return self._items.pop()


@case(V4)
def rpn_calculator(x):
    ops = {"+": operator.add, "*": operator.mul, "-": operator.sub, "max": max}
    stack = Stack()
    for token in ["x0", "x1", "*", "x2", "+", "x3", "max", "2", "-"]:
        if token in ops:
            b, a = stack.pop(), stack.pop()
            stack.push(ops[token](a, b))
        elif token.startswith("x"):
            stack.push(x[int(token[1:])])
        else:
            stack.push(float(token))
    top = stack.pop()
    try:
        stack.pop()
    except Bad:
        top = top * 2
    return top


@case(0.6, 1.8)
def descriptors(a, b):
    m, n = Motor(a), Motor(b)
    m.duty = m.duty * 1.2
    return m.duty * 3.0 + n.duty * a


def multiples(a):
    k = 1
    while True:
        yield a * k
        k += 1


@case(0.3, V5)
def generator_advanced_in_a_loop(a, x):
    g = multiples(a)
    s = 0.0
    for v in x:
        s += v * next(g)
    return s


def running_mean():
    total, count, mean = 0.0, 0, 0.0
    while True:
        value = yield mean
        total += value
        count += 1
        mean = total / count


@case(V4)
def sent_values(x):
    m = running_mean()
    next(m)
    out = 0.0
    for k in range(4):
        out += m.send(x[k]) ** 2
    m.close()
    return out


class Reluctant:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        raise AttributeError(name)

    @functools.cached_property
    def doubled(self):
        return self.a * 2


@case(0.6, 1.8)
def absent_attributes(a, b):
    total = 0.0
    for _ in range(3):
        p = Reluctant(a=a)
        total = total + getattr(p, "missing", b) * p.a
        if b > 0:
            total = total + (1.0 if hasattr(p, "other") else a * b)
    return total


@case(1.0, 0.1)
def cached_in_a_branch(a, b):
    m = Reluctant(a=a)
    s = 0.0
    if b > 0.2:
        s = s + m.doubled * m.doubled
    return s + m.doubled
