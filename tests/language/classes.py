"""Methods, properties and inheritance."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from table import construct

R = np.random.RandomState(53)
V3 = R.rand(3) + 0.5
V4 = R.rand(4) + 0.3
V5 = R.randn(5)
W6 = R.randn(6)
V8 = R.randn(8)
M34 = R.randn(3, 4)
M44 = R.randn(4, 4)
S33 = R.rand(3, 3) + 3 * np.eye(3)
Point = namedtuple("Point", "x y")


class Kalman:
    rate = 0.9

    def __init__(self, x, P):
        self.x, self.P = x, P
        self.log = []

    def predict(self, F, q):
        self.x = F * self.x
        self.P = F * self.P * F + q
        return self

    def update(self, z, r):
        gain = self.P / (self.P + r)
        if abs(z - self.x) > 2.0:
            gain *= self.rate
        self.x += gain * (z - self.x)
        self.P *= 1 - gain
        self.log.append(self.x)

    @property
    def precision(self):
        return 1.0 / self.P

    @property
    def mean(self):
        return self.x

    @mean.setter
    def mean(self, value):
        self.x = value if value > 0 else 0.5 * value
        self.log.append(value)

    @classmethod
    def default(cls, z):
        return cls(z, 1.0 * cls.rate)

    @staticmethod
    def gain_of(p, r):
        return p / (p + r) if p > r else p / r


@construct("methods", V5, 0.3)
def kalman_methods(z, q):
    f = Kalman(0.0, 1.0)
    for v in z:
        f.predict(0.95, q).update(v, 0.5)
    step = f.predict
    step(1.1, q)
    return f.x ** 2 + f.P + sum(f.log)


class Adam:
    def __init__(self, params, lr):
        self.params, self.lr, self.t = params, lr, 0
        self.m = {k: 0.0 * v for k, v in params.items()}

    def step(self, grads):
        self.t += 1
        for name, g in grads.items():
            self.m[name] = 0.9 * self.m[name] + 0.1 * g
            self.params[name] -= self.lr * self.m[name] / (1 - 0.9 ** self.t)
        return self._norm() > 1e-3

    def _norm(self):
        return sum(np.sum(np.abs(v)) for v in self.params.values())


@construct("methods", V4, 0.2)
def adam_training(x, lr):
    opt = Adam({"w": x.copy(), "b": np.array([lr, 1.0])}, lr)
    while opt.t < 4 and opt.step({"w": np.sin(opt.params["w"]), "b": opt.params["b"] ** 3}):
        if opt.params["b"][1] < 0.9:
            opt.lr *= 0.5
    return opt._norm() * opt.lr


class Particle:
    def __init__(self, pos, vel):
        self.pos, self.vel = pos, vel

    def kick(self, other, dt):
        d = other.pos - self.pos
        f = d / (0.5 + d @ d) ** 1.5
        self.vel += dt * f
        other.vel -= dt * f

    def drift(self, dt):
        self.pos += dt * self.vel
        if self.pos[0] > 1.0:
            self.vel[0] *= -0.9
        return self.pos


@construct("methods", R.rand(3, 2), R.randn(3, 2) * 0.2)
def nbody_methods(pos, vel):
    bodies = [Particle(p, v) for p, v in zip(pos, vel.copy())]
    for _ in range(3):
        for i, a in enumerate(bodies):
            for b in bodies[:i]:
                a.kick(b, 0.05)
        for b in bodies:
            b.drift(0.1)
    return sum(b.vel @ b.vel for b in bodies) + np.sum(pos)


@construct("properties", V5, 0.4)
def kalman_properties(z, q):
    f = Kalman.default(z[0])
    for v in z[1:]:
        f.mean = v * f.precision
        f.P = f.P + q * f.mean ** 2
        f.mean += q
    return f.precision * f.mean + len(f.log) * f.log[0]


class Gas:
    def __init__(self, rho, momentum, energy):
        self.rho, self.momentum, self.energy = rho, momentum, energy

    @property
    def velocity(self):
        return self.momentum / self.rho

    @property
    def pressure(self):
        p = 0.4 * (self.energy - 0.5 * self.momentum * self.velocity)
        return np.maximum(p, 0.01)

    @property
    def sound(self):
        if not hasattr(self, "_sound"):
            self._sound = np.sqrt(1.4 * self.pressure / self.rho)
        return self._sound


@construct("properties", V4, R.randn(4) * 0.3)
def euler_flux(rho, m):
    gas = Gas(rho, m, 2.0 + m ** 2)
    total = 0.0
    for i in range(3):
        speed = max(abs(gas.velocity[i]) + gas.sound[i], abs(gas.velocity[i + 1]) + gas.sound[i + 1])
        total += 0.5 * (gas.pressure[i] + gas.pressure[i + 1]) - 0.5 * speed * (rho[i + 1] - rho[i])
    return total + gas._sound.sum()


class Circuit:
    def __init__(self, r):
        self._r, self.writes = r, 0

    r = property(lambda self: self._r, lambda self, v: self.set_r(v), lambda self: self.set_r(1.0))

    def set_r(self, v):
        self._r = np.abs(v) + 0.1
        self.writes += 1


@construct("properties", V4, 1.2)
def property_functions(x, u):
    c = Circuit(x)
    current = u / c.r
    if current[0] > 1:
        c.r = current * x
        c.r *= 2.0
    total = np.sum(u / c.r)
    del c.r
    return total * c.r + c.writes


class Dense:
    def __init__(self, W, act=None):
        self.W, self.act, self.seen = W, act, 0

    def __call__(self, x, scale=1.0):
        self.seen += 1
        y = self.W @ x * scale
        return y if self.act is None else self.act(y)


@construct("__call__", M44, V4)
def callable_layers(W, x):
    net = [Dense(W, np.tanh), Dense(W.T, lambda v: np.where(v > 0, v, 0.1 * v)), Dense(W[:2])]
    for layer in net:
        x = layer(x, scale=0.5) if layer.act is np.tanh else layer(x)
    return np.sum(x ** 2) + sum(l.seen for l in net) * x[0]


class Spline:
    def __init__(self, knots, values):
        self.knots, self.values = knots, values

    def __call__(self, t):
        for i in range(len(self.knots) - 1):
            if t < self.knots[i + 1]:
                break
        w = (t - self.knots[i]) / (self.knots[i + 1] - self.knots[i])
        return (1 - w) * self.values[i] + w * self.values[i + 1]

    def derivative(self, h):
        return lambda t: (self(t + h) - self(t - h)) / (2 * h)


@construct("__call__", V5, 0.37)
def callable_spline(y, t):
    s = Spline(np.linspace(0.0, 1.0, 5), y)
    slope = s.derivative(1e-2)
    total = s(t) * slope(t)
    for k in range(4):
        t = t + 0.1 * s(t) ** 2
        if t > 0.95:
            t = 0.5 * t
        total += s(t)
    return total


class Compose:
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, v):
        for p in self.parts:
            v = p(v)
        return v


@construct("__call__", V5, 0.3)
def callable_composition(x, a):
    inner = Compose(np.sin, lambda v: v + a)
    f = Compose(inner, Compose(), abs, inner)
    total = sum(f(v) for v in x if v > -1)
    return total if callable(f) and callable(inner) else 0.0


@construct("class and static methods", V5, 0.2)
def kalman_class_methods(z, q):
    f = Kalman.default(z[0])
    total = 0.0
    for v in z:
        f.predict(1.0, q).update(v, Kalman.gain_of(f.P, q))
        total += f.gain_of(f.P, 0.3)
    return total + f.x * type(f).rate


class Quaternion:
    tolerance = 1e-3

    def __init__(self, parts):
        self.parts = parts

    @classmethod
    def from_axis(cls, axis, angle):
        n = np.sqrt(axis @ axis)
        if n < cls.tolerance:
            return cls.identity()
        return cls(np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis / n]))

    @classmethod
    def identity(cls):
        return cls(np.array([1.0, 0.0, 0.0, 0.0]))

    @staticmethod
    def multiply(a, b):
        return Quaternion(np.array([a.parts[0] * b.parts[0] - a.parts[1:] @ b.parts[1:],
                                    *(a.parts[0] * b.parts[1:] + b.parts[0] * a.parts[1:]
                                      + np.cross(a.parts[1:], b.parts[1:]))]))


@construct("class and static methods", V3, 0.9)
def rotations(axis, angle):
    q = Quaternion.identity()
    for k in range(3):
        q = Quaternion.multiply(q, Quaternion.from_axis(np.roll(axis, k), angle * (k + 1)))
    return q.parts[0] * q.parts[3] + q.parts[1] ** 2


class Registry:
    kinds = {}
    made = 0

    @classmethod
    def register(cls, name):
        def add(f):
            cls.kinds[name] = staticmethod(f)
            return f
        return add

    @classmethod
    def make(cls, name, *args):
        return cls.kinds[name](*args)


@Registry.register("gauss")
def _gauss(x, s):
    return np.exp(-(x / s) ** 2)


@Registry.register("tri")
def _tri(x, s):
    return np.where(np.abs(x) < s, 1 - np.abs(x) / s, 0.0)


@construct("class and static methods", V5, 0.8)
def registered_kernels(x, s):
    total = 0.0
    for name in Registry.kinds:
        k = Registry.make(name, x, s)
        total += np.sum(k * x) if k[0] > 0.1 else np.sum(k)
    return total


class Model:
    order = 1

    def __init__(self, theta):
        self.theta = theta

    def residual(self, x):
        return self.predict(x) - np.sin(x)

    def predict(self, x):
        return self.theta[0] + self.theta[1] * x

    def loss(self, x):
        r = self.residual(x)
        return np.mean(r ** 2) + self.penalty()

    def penalty(self):
        return 0.0


class Quadratic(Model):
    order = 2

    def predict(self, x):
        return super().predict(x) + self.theta[2] * x ** self.order


class Ridge(Quadratic):
    def __init__(self, theta, alpha):
        super().__init__(theta)
        self.alpha = alpha

    def penalty(self):
        base = super().penalty()
        return base + self.alpha * (np.sum(self.theta ** 2) if self.theta[0] > 0 else 1.0)


@construct("inheritance and super()", V4, 0.3)
def model_hierarchy(theta, alpha):
    x = np.linspace(0, 1, 5)
    models = [Model(theta), Quadratic(theta[1:]), Ridge(theta, alpha)]
    losses = [m.loss(x) for m in models]
    return losses[0] * losses[1] + losses[2] * sum(m.order for m in models)


class Logged:
    def step(self, dt):
        self.history.append(self.u.sum())
        return super().step(dt)


class Diffusion:
    def __init__(self, u, k):
        self.u, self.k, self.history = u, k, []

    def step(self, dt):
        self.u[1:-1] += dt * self.k * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])
        return self.energy() < 1.0

    def energy(self):
        return np.sum(self.u ** 2)


class Periodic(Diffusion):
    def step(self, dt):
        done = super().step(dt)
        self.u[0] = self.u[-2]
        self.u[-1] = self.u[1]
        return done


class LoggedPeriodic(Logged, Periodic):
    pass


@construct("inheritance and super()", V5, 0.4)
def cooperative_super(u, k):
    sim = LoggedPeriodic(u, k)
    for _ in range(4):
        if sim.step(0.2):
            break
    return sim.energy() + sum(sim.history) * isinstance(sim, Diffusion)


@construct("inheritance and super()", V3, 1.1)
def local_subclass(x, a):
    class Base:
        def __init__(self, v):
            self.v = v

        def value(self):
            return self.v ** 2

        def twice(self):
            return self.value() + self.shift()

        def shift(self):
            return a

    class Child(Base):
        def __init__(self, v, w):
            Base.__init__(self, v)
            self.w = w

        def value(self):
            return super().value() * self.w if self.w > 0.6 else self.v

        def shift(self):
            return -super().shift()

    things = [Base(x[0]), Child(x[1], x[2]), Child(x[2], a)]
    return sum(t.twice() for t in things)
