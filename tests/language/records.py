"""Dataclasses and named tuples."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

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


@dataclass(frozen=True)
class Market:
    spot: float
    vol: float = 0.2

    def bumped(self, d):
        return replace(self, spot=self.spot + d)


@construct("frozen dataclasses", Market(1.2, 0.3), 0.8)
def frozen_argument(m, strike):
    paths = [m]
    for k in range(3):
        last = paths[-1]
        paths.append(replace(last, spot=last.spot * (1 + 0.1 * last.vol), vol=last.vol * 0.9)
                     if last.spot > strike else last.bumped(strike))
    return sum(p.spot * p.vol for p in paths)


@dataclass(frozen=True, order=True)
class Node:
    cost: float
    name: str = field(compare=False)


@construct("frozen dataclasses", V4, 0.5)
def ordered_frozen(x, a):
    nodes = [Node(v * a, f"n{i}") for i, v in enumerate(x)]
    least = nodes[0]
    for n in nodes[1:]:
        if n < least:
            least = n
    return least.cost ** 2 + sum(n.cost for n in nodes if n > Node(0.3, "x"))


@dataclass
class State:
    q: np.ndarray
    p: np.ndarray
    t: float = 0.0
    trace: list = field(default_factory=list)

    def advance(self, dt):
        self.p -= dt * self.q ** 3
        self.q += dt * self.p
        self.t += dt
        self.trace.append(self.energy)

    @property
    def energy(self):
        return 0.5 * self.p @ self.p + 0.25 * np.sum(self.q ** 4)


@construct("mutable dataclasses", V4, V4[::-1].copy())
def dataclass_integrator(q, p):
    s = State(q.copy(), p.copy())
    while s.t < 0.35:
        s.advance(0.1)
        if s.energy > s.trace[0]:
            s.p *= 0.99
    return s.energy + sum(s.trace) + s.t * q[0]


@construct("mutable dataclasses", State(V4, V3[:1] * np.ones(4), 0.1), 0.2)
def dataclass_argument(s, dt):
    before = s.q.copy()
    s.q = s.q * 2.0
    s.advance(dt)
    if s.q[0] > 0:
        s.t *= 3.0
    return s.t * s.energy + before @ s.p


@dataclass
class Account:
    balance: float
    fee: float = 0.01

    def __post_init__(self):
        self.peak = self.balance

    def trade(self, r):
        self.balance *= 1 + r
        if self.balance > self.peak:
            self.peak = self.balance
        elif self.balance < 0.8 * self.peak:
            self.balance -= self.fee
            self.fee *= 2


@construct("mutable dataclasses", V5 * 0.3, 1.0)
def drawdown_accounts(r, start):
    accounts = [Account(start), Account(start * 2, fee=0.1)]
    for v in r:
        for a in accounts:
            a.trade(v)
        if accounts[0].balance > accounts[1].balance:
            accounts.reverse()
    return sum(a.balance / a.peak + a.fee for a in accounts)


@dataclass
class Joint:
    angle: float
    length: float


@dataclass
class Arm:
    joints: list
    base: Joint
    gains: dict

    def tip(self):
        x, y, total = 0.0, 0.0, self.base.angle
        for j in self.joints:
            total += j.angle
            x += j.length * np.cos(total)
            y += j.length * np.sin(total)
        return x, y


@construct("nested dataclasses", V4, 0.7)
def robot_arm(angles, length):
    arm = Arm([Joint(a, length) for a in angles[1:]], Joint(angles[0], 0.0), {"k": 0.1})
    for _ in range(3):
        x, y = arm.tip()
        for j in arm.joints:
            j.angle -= arm.gains["k"] * (x - 1.0) * y
            if abs(j.angle) > 1.5:
                j.angle *= 0.5
        arm.gains["k"] *= 0.9
    x, y = arm.tip()
    return x * y + arm.joints[0].angle


@construct("nested dataclasses", Arm([Joint(0.3, 1.0), Joint(-0.2, 0.5)], Joint(0.1, 1.0), {"k": 0.5}), 0.4)
def arm_argument(arm, target):
    x, y = arm.tip()
    arm.base.angle += target
    arm.joints[1] = Joint(x * y, 0.2)
    u, v = arm.tip()
    return (u - target) ** 2 + v * arm.gains["k"]


@dataclass(frozen=True)
class Layer:
    w: np.ndarray
    b: float


@dataclass(frozen=True)
class Net:
    layers: tuple
    head: Layer

    def map(self, f):
        return Net(tuple(Layer(f(l.w), f(l.b)) for l in self.layers), Layer(f(self.head.w), f(self.head.b)))


@construct("nested dataclasses", V4, 0.2)
def nested_frozen(x, b):
    net = Net((Layer(x, b), Layer(x[::-1], -b)), Layer(x ** 2, 0.0))
    for k in range(2):
        net = net.map(lambda v: 0.9 * v + 0.01 * k)
    h = np.ones(4)
    for l in net.layers:
        h = np.tanh(l.w * h + l.b)
        if h.sum() > 2:
            h = h * 0.5
    return h @ net.head.w + net.head.b


@construct("dataclasses.replace", State(V4, V4 * 0.5), 0.1)
def replace_fields(s, dt):
    states = [s]
    for k in range(3):
        last = states[-1]
        states.append(replace(last, q=last.q + dt * last.p, t=last.t + dt, trace=[k]))
        if states[-1].q[0] > 0.5:
            states[-1].p = states[-1].p - dt * states[-1].q
    return states[-1].energy + sum(x.t for x in states) + s.q @ states[-1].p


@construct("dataclasses.replace", V3, 0.3)
def replace_in_branches(x, a):
    m = Market(x[0], a)
    for v in x:
        m = replace(m, vol=m.vol + v) if m.spot > m.vol else replace(m, spot=m.spot * 2)
    d = dataclasses.asdict(m)
    first, second = dataclasses.astuple(m)
    return d["spot"] * d["vol"] + first - second * len(dataclasses.fields(m))


@construct("dataclasses.replace", V4, 2.0)
def replace_nested(w, scale):
    net = Net((Layer(w, 0.1),), Layer(w * 2, 1.0))
    tuned = replace(net, head=replace(net.head, b=scale), layers=net.layers + (Layer(w, scale),))
    best = net if np.sum(net.head.w) > scale * 4 else tuned
    return sum(np.sum(l.w) * l.b for l in best.layers) + best.head.b * net.head.w[0]


class Obs(NamedTuple):
    time: float
    value: np.ndarray
    weight: float = 1.0

    def scaled(self, k):
        return self._replace(value=self.value * k, weight=self.weight / k)


@construct("named tuples", V4, 0.6)
def named_observations(v, w):
    obs = [Obs(0.1 * k, v * k, w) for k in range(1, 4)]
    total = 0.0
    for o in obs:
        if o.value.sum() > 3:
            o = o.scaled(0.5)
        t, value, weight = o
        total += weight * np.sum(np.sin(value)) * t + o[2]
    return total


@construct("named tuples", R.rand(5, 2))
def polygon_area(corners):
    points = [Point(*c) for c in corners]
    total, far = 0.0, points[0]
    for a, b in zip(points, points[1:] + points[:1]):
        total += a.x * b.y - b.x * a.y
        if a.x ** 2 + a.y ** 2 > far.x ** 2 + far.y ** 2:
            far = a
    return 0.5 * total + far.x * far.y


@construct("named tuples", Obs(0.3, V4, 2.0), Point(0.5, 1.5))
def named_arguments(o, p):
    o = o._replace(time=o.time + p.x)
    for k in range(3):
        p = Point(p.y, p.x * o.time) if p.x < p.y else p._replace(y=p.y * 0.5)
    return o.value @ o.value * o.time + p.x * p.y * o.weight


class Matrix2(NamedTuple):
    a: Point
    b: Point

    def det(self):
        return self.a.x * self.b.y - self.a.y * self.b.x


@construct("nested named tuples", V4, 0.3)
def nested_named(x, k):
    m = Matrix2(Point(x[0], x[1]), Point(x[2], x[3]))
    for _ in range(3):
        if m.det() > 0.1:
            m = m._replace(a=m.a._replace(x=m.a.x * k))
        else:
            m = Matrix2(m.b, m.a)
    (p, q), (r, s) = m
    return p * s - q * r + m.det() ** 2


@construct("nested named tuples", Matrix2(Point(1.0, 0.4), Point(0.2, 2.0)), 0.2)
def nested_named_argument(m, eps):
    total = m.det()
    rows = {"a": m.a, "b": m.b}
    for name, p in rows.items():
        rows[name] = Point(p.x + eps, p.y * eps)
    return total * Matrix2(**rows).det() + sum(sum(p) for p in m)


@construct("nested named tuples", V5, 0.5)
def tree_of_tuples(x, a):
    Leaf = namedtuple("Leaf", ["value"])
    Fork = namedtuple("Fork", ["left", "right", "gain"])
    tree = Leaf(x[0])
    for v in x[1:]:
        tree = Fork(tree, Leaf(v), a) if len(tree) == 3 else Fork(Leaf(v), tree, -a)

    def total(t):
        if isinstance(t, Leaf):
            return t.value if t.value > 0 else t.value ** 2
        return t.gain * (total(t.left) - total(t.right))
    return total(tree)


@dataclass(frozen=True)
class Bond:
    coupon: float
    years: int = 3

    def price(self, rate):
        value = sum(self.coupon / (1 + rate) ** k for k in range(1, self.years + 1))
        return value + 1.0 / (1 + rate) ** self.years

    def shifted(self, d):
        return replace(self, coupon=self.coupon + d)


@construct("frozen dataclasses", 0.05, 0.03)
def par_coupon(coupon, rate):
    bond = Bond(coupon)
    for _ in range(6):
        gap = bond.price(rate) - 1.0
        if abs(gap) < 1e-3:
            break
        bond = bond.shifted(-gap / 3.0) if gap > 0 else replace(bond, coupon=bond.coupon * 1.1)
    return bond.coupon + bond.price(coupon) * bond.years


@dataclass(frozen=True)
class Book:
    market: Market
    weights: tuple = (1.0, 2.0)
    scale: float = 1.0

    def __post_init__(self):
        if len(self.weights) > 2:
            object.__setattr__(self, "scale", self.scale * 0.5)

    def value(self, k):
        m = self.market
        d = (m.spot - k) / m.vol
        return self.scale * sum(w * np.log1p(np.exp(d * w)) for w in self.weights)


@construct("frozen dataclasses", 1.1, V3)
def frozen_book(spot, weights):
    total = 0.0
    for k in (0.9, 1.3):
        book = Book(Market(spot, vol=0.5), tuple(weights))
        if book.value(k) > 3.0:
            book = Book(book.market.bumped(-0.1))
        total += book.value(k) * (book.market == Market(spot, 0.5))
        total += book.market.spot
    return total
