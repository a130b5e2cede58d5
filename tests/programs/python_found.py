"""As found in real code: counters, lazy attributes, copies, subclasses, automatic differentiation."""

from __future__ import annotations

import copy
import functools
import math
import statistics
import warnings
from collections import namedtuple
from dataclasses import dataclass, field

import numpy
import numpy as np
from numpy import cos, dot, exp, pi, sin, zeros
from numpy.lib.stride_tricks import as_strided

R = np.random.RandomState(14)
V3 = R.rand(3) + 0.4
V4 = R.randn(4)
V6 = R.rand(6) + 0.2
M33 = R.rand(3, 3) + 2 * np.eye(3)
GRAVITY = 9.81
CONFIG = {"rate": 0.5, "steps": 3}
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(V3)
def imported_names(x):
    m = zeros((3, 3))
    for i in range(3):
        for j in range(i, 3):
            m[i, j] = m[j, i] = cos(x[i] - x[j]) * exp(-x[i] * x[j])
    return dot(x, dot(m, x)) + numpy.sum(sin(pi * x))


def rosen(x):
    rosen.calls += 1
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


rosen.calls = 0


@case(V4)
def local_counter(x):
    def f(v):
        f.calls += 1
        return np.sum(v**2) * f.scale

    f.calls = 0
    f.scale = 0.5
    total = f(x) + f(2 * x)
    return total * f.calls


@case(V6)
def shapes_assigned(x):
    y = x.copy()
    y.shape = (2, 3)
    z = np.ndarray((2, 3))
    z[...] = y * 2
    w = np.empty_like(y)
    w.fill(2.0)
    grid = np.mgrid[0:2, 0:3]
    return np.sum(y * z * grid[1]) + (w @ y.T).trace()


@case(V6)
def strided_windows(x):
    n = 3
    w = as_strided(x, shape=(len(x) - n + 1, n), strides=(x.strides[0], x.strides[0]))
    return np.sum(w.mean(axis=1) ** 2)


class Pendulum:
    def __init__(self, length, damping=0.1):
        self.length = length
        self.damping = damping
        self.trace = []

    def acceleration(self, theta, omega):
        return -GRAVITY / self.length * math.sin(theta) - self.damping * omega

    def simulate(self, theta, omega, dt, n):
        for _ in range(n):
            omega = omega + dt * self.acceleration(theta, omega)
            theta = theta + dt * omega
            self.trace.append(theta)
        return theta


@case(1.2, 0.3)
def methods_read_globals(length, theta):
    p = Pendulum(length, damping=CONFIG["rate"])
    end = p.simulate(theta, 0.0, 0.01, 20)
    return end + sum(p.trace) / len(p.trace)


class Gaussian:
    def __init__(self, mean, cov):
        self.mean = mean
        self.cov = cov
        self._chol = None
        self._calls = 0

    @property
    def chol(self):
        if self._chol is None:
            self._calls += 1
            self._chol = np.linalg.cholesky(self.cov)
        return self._chol

    @property
    def cov(self):
        return self._cov

    @cov.setter
    def cov(self, value):
        if value.ndim != 2:
            raise ValueError("a matrix is needed")
        self._cov = 0.5 * (value + value.T)
        self._chol = None

    def logpdf(self, x):
        z = np.linalg.solve(self.chol, x - self.mean)
        return -0.5 * z @ z - np.sum(np.log(np.diag(self.chol)))


@case(M33, V3, V3 * 0.3)
def lazy_then_copied(cov, mean, x):
    g = Gaussian(mean, cov)
    a = g.logpdf(x)
    h = copy.deepcopy(g)
    h.mean = h.mean + 1.0
    k = copy.copy(g)
    k.cov = cov * 2.0
    return a + h.logpdf(x) * 0.5 + k.logpdf(x) + g._calls + k._calls


@dataclass
class Node:
    value: np.ndarray
    children: list = field(default_factory=list)
    grad: float = 0.0

    def total(self):
        return np.sum(self.value**2) + sum(c.total() for c in self.children)


@case(V4, 0.6)
def tree_copied(x, k):
    root = Node(x, [Node(x[:2] * k), Node(x[2:], [Node(x[1:3] ** 2)])])
    clone = copy.deepcopy(root)
    clone.children[0].value[0] = 3.0
    root.children[1].value = root.children[1].value * 2
    return root.total() * clone.total()


class Dual:
    __slots__ = ("d", "v")

    def __init__(self, v, d=0.0):
        self.v, self.d = v, d

    def __add__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v + o.v, self.d + o.d)

    __radd__ = __add__

    def __mul__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v * o.v, self.v * o.d + self.d * o.v)

    __rmul__ = __mul__

    def __neg__(self):
        return Dual(-self.v, -self.d)

    def __sub__(self, o):
        return self + (-o if isinstance(o, Dual) else -o)

    def __truediv__(self, o):
        o = o if isinstance(o, Dual) else Dual(o)
        return Dual(self.v / o.v, (self.d * o.v - self.v * o.d) / (o.v * o.v))

    def __pow__(self, n):
        return Dual(self.v**n, n * self.v ** (n - 1) * self.d)


def dual_sin(x):
    return Dual(np.sin(x.v), np.cos(x.v) * x.d) if isinstance(x, Dual) else np.sin(x)


@case(0.7, 1.3)
def dual_numbers(x, k):
    def f(t):
        return dual_sin(t * k) * t**3 / (t + 2.0) - 1.5 * t

    newton = x
    for _ in range(3):
        step = f(Dual(newton, 1.0))
        newton = newton - 0.1 * step.v / (1.0 + step.d**2)
    return newton + f(Dual(x, 1.0)).d


class Var:
    def __init__(self, value, parents=()):
        self.value = value
        self.parents = parents
        self.grad = 0.0

    def __add__(self, o):
        o = o if isinstance(o, Var) else Var(o)
        return Var(self.value + o.value, ((self, 1.0), (o, 1.0)))

    def __mul__(self, o):
        o = o if isinstance(o, Var) else Var(o)
        return Var(self.value * o.value, ((self, o.value), (o, self.value)))

    def tanh(self):
        t = np.tanh(self.value)
        return Var(t, ((self, 1 - t * t),))

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if id(v) not in seen:
                seen.add(id(v))
                for p, _ in v.parents:
                    visit(p)
                order.append(v)

        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            for parent, local in v.parents:
                parent.grad = parent.grad + v.grad * local


@case(0.7, -0.4)
def tape_in_python(a, b):
    x, y = Var(a), Var(b)
    z = (x * y + x).tanh() * x
    z.backward()
    return z.value + x.grad * y.grad


class Engine:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0
        self._backward = lambda: None
        self._prev = tuple(_children)  # a set would have another order in each run
        self._op = _op

    def __add__(self, other):
        other = other if isinstance(other, Engine) else Engine(other)
        out = Engine(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Engine) else Engine(other)
        out = Engine(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Engine(0 if self.data < 0 else self.data, (self,), "ReLU")

        def _backward():
            self.grad += (out.data > 0) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        self.grad = 1
        for v in reversed(topo):
            v._backward()


@case(0.7, -0.4)
def micrograd(a, b):
    x, y = Engine(a), Engine(b)
    z = (x * y + x * 3.0).relu() * y + x
    z.backward()
    return z.data * 2.0 + x.grad * y.grad


class Signal(np.ndarray):
    def __new__(cls, data):
        return np.asarray(data).view(cls)

    def energy(self):
        return np.sum(np.asarray(self) ** 2)


Filter = namedtuple("Filter", "b a")


class LowPass(Filter):
    __slots__ = ()

    def __new__(cls, alpha):
        return super().__new__(cls, alpha, 1.0 - alpha)

    def run(self, x):
        y = zeros(len(x))
        last = 0.0
        for i in range(len(x)):
            last = self.b * x[i] + self.a * last
            y[i] = last
        return y


@case(V6, 0.3)
def class_over_namedtuple(x, alpha):
    f = LowPass(alpha)
    y = f.run(x)
    b, a = f
    return np.sum(y**2) + b * a


class PID:
    def __init__(self, kp, ki, kd, dt=0.1):
        self.kp, self.ki, self.kd, self.dt = kp, ki, kd, dt
        self.reset()

    def reset(self):
        self.integral = 0.0
        self.previous = None

    def __call__(self, error):
        self.integral += error * self.dt
        slope = 0.0 if self.previous is None else (error - self.previous) / self.dt
        self.previous = error
        return self.kp * error + self.ki * self.integral + self.kd * slope


@case(1.2, 0.4, 0.05)
def controllers_in_a_list(kp, ki, kd):
    bank = [PID(kp, ki, kd), PID(kp * 0.5, 0.0, kd)]
    states = [0.0, 1.0]
    cost = 0.0
    for _ in range(8):
        for k, (pid, s) in enumerate(zip(bank, states)):
            u = pid(1.0 - s)
            states[k] = s + 0.1 * (u - s)
        cost += sum((1.0 - s) ** 2 for s in states)
    bank[0].reset()
    return cost + bank[1].integral


@case(V4)
def caught_warnings(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(np.abs(x)) + np.sqrt(x**2)
    return y.sum()


@case(M33)
def math_on_elements(x):
    a = float(x[2, 0])
    rot = np.array([[math.cos(x[2, 0]), -math.sin(a)], [math.sin(a), math.cos(x[2, 0])]])
    return np.sum(rot @ x[:2, :2]) + math.sqrt(x[0, 0])


@case(V4)
def complex_buffer(x):
    n = len(x)
    f = np.zeros(n, dtype=complex)
    for k in range(n):
        for j in range(n):
            f[k] += x[j] * np.exp(-2j * np.pi * k * j / n)
    return np.sum(np.abs(f) ** 2) + f[1].real * f[1].imag


class Kalman:
    def __init__(self, q, r):
        self.F = np.array([[1.0, 0.1], [0.0, 1.0]])
        self.H = np.array([[1.0, 0.0]])
        self.Q = q * np.eye(2)
        self.R = np.array([[r]])
        self.x = np.zeros(2)
        self.P = np.eye(2)
        self.loglik = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H.T + self.R
        K = self.P @ self.H.T @ np.linalg.inv(S)
        self.x = self.x + K @ y
        self.P = (np.eye(2) - K @ self.H) @ self.P
        self.loglik += -0.5 * (y @ np.linalg.inv(S) @ y + np.log(np.linalg.det(S)))
        return self


@case(V6, 0.1, 0.5)
def kalman_filter(zs, q, r):
    kf = Kalman(q, r)
    for z in zs:
        kf.predict()
        kf.update(np.array([z]))
    return kf.loglik + kf.x[0]


class Registry:
    _items: dict = {}

    @classmethod
    def register(cls, name):
        def decorate(fn):
            cls._items[name] = fn
            return fn

        return decorate

    def __class_getitem__(cls, name):
        return cls._items[name]


@Registry.register("relu")
def relu(x):
    return np.maximum(x, 0)


@Registry.register("gelu")
def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.8 * (x + 0.04 * x**3)))


@case(V4, "gelu")
def registry_lookup(x, name):
    h = Registry._items[name](x) + Registry["relu"](x - 0.1)
    return np.sum(h**2)


class Module:
    def __init__(self):
        self.__dict__["_params"] = {}

    def __setattr__(self, name, value):
        if isinstance(value, np.ndarray):
            self._params[name] = value
        else:
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        params = self.__dict__["_params"]
        if name in params:
            return params[name]
        raise AttributeError(name)

    def parameters(self):
        yield from self._params.values()


class Linear(Module):
    def __init__(self, w, b):
        super().__init__()
        self.w = w
        self.b = b
        self.bias = True

    def __call__(self, x):
        out = x @ self.w
        return out + self.b if self.bias else out


@case(M33, V3)
def module_with_magic(w, b):
    layer = Linear(w, b)
    h = np.tanh(layer(b))
    return np.sum(h) + 0.1 * sum(np.sum(p**2) for p in layer.parameters())


@case(V3, 0.1)
def runge_kutta_generic(y0, dt):
    def lorenz(y, sigma=10.0, rho=28.0, beta=8.0 / 3.0):
        return np.array(
            [sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]]
        )

    def step(f, y, h):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    ys = [y0]
    for _ in range(5):
        ys.append(step(lorenz, ys[-1], 0.1 * dt))
    return np.array(ys)[:, 0].sum() + ys[-1] @ y0


@case(V6)
def vectorized_function(x):
    @np.vectorize
    def huber(r):
        return 0.5 * r * r if abs(r) < 0.5 else 0.5 * (abs(r) - 0.25)

    return np.sum(huber(x)) + np.sum(
        np.apply_along_axis(lambda r: r / r.sum(), 0, x.reshape(2, 3))[0]
    )


@case(V6)
def piecewise_and_fromiter(x):
    y = np.piecewise(x, [x < 0.5, x >= 0.5], [lambda t: t**2, lambda t: 1.0 - t])
    z = np.fromiter((v * v for v in x), dtype=float, count=len(x))
    return np.sum(y * z)


@case(V6)
def select_and_where(x):
    y = np.select([x < 0.4, x < 0.8], [x**2, np.sin(x)], default=0.5)
    return np.sum(y) + np.where(x > 0.5, x, 0.0).max()


class History:
    def __init__(self):
        self.values = []

    def __iadd__(self, v):
        self.values.append(v)
        return self

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i]

    def __iter__(self):
        return iter(self.values)

    @property
    def mean(self):
        return sum(self) / len(self)


@case(V4, 0.02)
def history_object(x, tol):
    h = History()
    r = np.sum(x**2)
    while r > tol:
        h += r
        r = r * 0.4
        if len(h) > 20:
            break
    return h.mean + h[0] * h[-1]


@functools.total_ordering
class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, o):
        return self.amount == o.amount

    def __lt__(self, o):
        return self.amount < o.amount


@case(1.5, 0.3)
def ordered_instances(a, b):
    x, y = Money(a * 2), Money(b + 1.0)
    best = x if x >= y else y
    return best.amount * (2.0 if x > y else 3.0) + max(x, y).amount


@case(V6, 2)
def early_stopping(x, patience):
    best, wait, w = math.inf, 0, 0.0
    lr = 0.3
    for epoch in range(30):
        loss = np.mean((x - w) ** 2)
        grad = -2 * np.mean(x - w)
        w = w - lr * grad
        if loss < best - 1e-3:
            best, wait = loss, 0
        else:
            wait += 1
            if wait >= patience:
                break
        if epoch % 10 == 9:
            lr *= 0.5
    return best + w


@case(V6)
def moving_state(x):
    class Welford:
        def __init__(self):
            self.n, self.mean, self.m2 = 0, 0.0, 0.0

        def push(self, v):
            self.n += 1
            d = v - self.mean
            self.mean += d / self.n
            self.m2 += d * (v - self.mean)

        @property
        def variance(self):
            return self.m2 / (self.n - 1) if self.n > 1 else 0.0

    w = Welford()
    for v in x:
        w.push(v)
    return w.variance + w.mean


class Slotted:
    __slots__ = ("x", "y")

    def __init__(s, x, y):
        s.x = x
        s.y = y

    def __add__(s, o):
        return Slotted(s.x + o.x, s.y + o.y)

    def norm(s):
        return (s.x**2 + s.y**2) ** 0.5


class SlottedMore(Slotted):
    __slots__ = ("_z", "__w")

    def __init__(s, x, y, z, w):
        super().__init__(x, y)
        s._z = z
        s.__w = w

    def val(s):
        return s._z * s.__w


@case(Slotted(1.0, 0.5), 0.3)
def slot_arg(v, k):
    return (v + Slotted(k, 1.0)).norm() * v.x


@case(SlottedMore(1.0, 0.5, V3, 2.0), [Slotted(0.1, V3)])
def slot_sub(s, vs):
    t = s.norm() + np.sum(s.val())
    for v in vs:
        t = t + v.x * np.sum(v.y)
    s.x = s.x * 2
    return t * s.x


@dataclass(slots=True)
class SlottedData:
    a: float
    b: np.ndarray
    h: list = field(default_factory=list)


@case(SlottedData(1.0, V3, [2.0]))
def slot_dc(p):
    p.a += 1.0
    p.h.append(p.a)
    return p.a * np.sum(p.b) * p.h[0] + sum(p.h)


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def reduction_where_listed(x):
    return x.sum(where=x > 0.3, initial=2.0) + np.add.reduce(x, where=[True, False, True, True])


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def listed_masks(x):
    return (
        np.sum(x, where=[True, False, True, True])
        + np.multiply(x, [1, 2, 3, 4], where=[True, True, True, True]).sum()
        + (x * [1, 2, 3, 4]).sum()
    )


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def distance_of_parts(x):
    return math.dist(x[:2], x[2:]) + math.dist(x, [0, 0, 0, 1.0])


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def statistics_of_numbers(x):
    return (
        statistics.mean(x)
        + statistics.pstdev(x)
        + statistics.stdev(list(x))
        + statistics.variance(x.tolist())
        + statistics.median(x)
        + statistics.pvariance(x)
    )


@case(np.array([0.31, 0.72, 0.55, 0.93]))
def other_statistics_of_numbers(x):
    return (
        statistics.harmonic_mean(list(x))
        + statistics.geometric_mean(x)
        + statistics.fmean(x)
        + statistics.correlation(x, x**2)
        + statistics.covariance(x, x**2)
        + statistics.linear_regression(x, x**2).slope
        + statistics.median_low(x)
        + statistics.quantiles(x)[1]
    )


def sums_of_products(x):
    squares = (v * v for v in x)
    return math.sumprod([v + 1.0 for v in x], squares) + math.sumprod(x, x[::-1])


if hasattr(math, "sumprod"):  # Python 3.12
    CASES.append((sums_of_products, (V6,)))


@case(V6.reshape(3, 2))
def deep_copies_of_filled_lists(x):
    rows, pairs = [], []
    for r in x:
        rows.append(r * 2.0)
        pairs.append([r[0], r[1] ** 2])
    kept = copy.deepcopy(rows)
    held = copy.deepcopy(pairs)
    for r, p in zip(rows, pairs):
        r[0] = r[1] * r[0]
        p[0] = p[1] * 3.0
    rows.append(x[0])
    total = float(len(kept))
    for i in range(len(held)):
        total += held[i][0] * pairs[i][0] * (i + 1.0) + np.sum(kept[i] * rows[i])
    return total
