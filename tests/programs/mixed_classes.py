"""Classes that derive from Python's containers and numbers, and enumerations that data choose."""

from __future__ import annotations

import collections
import enum
import math
import operator
import types

import numpy as np

CASES = []


def case(*args):
    def reg(f):
        CASES.append((f, args))
        return f

    return reg


X = np.array([0.7, -1.2, 2.1, 0.4])
Y = np.array([1.5, 0.3, -0.6, 0.9])
X = np.array([0.7, -1.2, 2.1, 0.4])
Y = np.array([1.5, 0.3, -0.6, 0.9])


class Row(list):
    def __add__(self, o):
        return Row(a + b for a, b in zip(self, o))

    def __mul__(self, k):
        return Row(a * k for a in self)

    __rmul__ = __mul__

    def dot(self, o):
        return sum(a * b for a, b in zip(self, o))

    def norm(self):
        return math.sqrt(self.dot(self))

    @property
    def last(self):
        return self[-1]


@case(X, Y)
def list_with_arithmetic(x, y):
    r = Row(x)
    s = Row(y)
    for k in (0, 1, 2):
        if r.dot(s) > 0:
            r = r + s * 0.5
        else:
            s = 0.5 * s + r * -1.0
        r[k] = r[k] ** 2
        r[1] = s.last * k
    return r.norm() + s.dot(r) + len(r)


class Stack(list):
    def __init__(self, items=(), scale=1.0):
        super().__init__(items)
        self.scale = scale
        self.pushed = 0

    def push(self, v):
        self.append(v * self.scale)
        self.pushed += 1
        return self

    def append(self, v):
        super().append(v + 0.1)

    def peek(self):
        return self[-1]

    def __getitem__(self, i):
        if isinstance(i, str):
            return self.scale
        return super().__getitem__(i)

    def __setitem__(self, i, v):
        super().__setitem__(i, v * 2)


@case(X, 0.4)
def list_with_state(x, c):
    s = Stack([c], scale=x[0])
    for v in x:
        if v > 0:
            s.push(v).push(c)
        else:
            s.scale = s.scale * v
        s[0] = s[-1]
    return sum(s) * s["scale"] + s.peek() * s.pushed + max(s)


class Params(dict):
    def __getattr__(self, k):
        try:
            return self[k]
        except KeyError:
            raise AttributeError(k) from None

    def __setattr__(self, k, v):
        self[k] = v

    def __getitem__(self, k):
        return super().__getitem__(k.lower())

    def __missing__(self, k):
        return 0.0


@case(X, Y)
def attribute_dict(x, y):
    p = Params(a=x[0], b=y)
    p.c = np.sum(x) * p.a
    p.b = p.B * p["A"]
    t = 0.0
    for k in ("a", "c"):
        if p[k] > 0:
            t += np.sum(p[k] * p.b)
        else:
            p[k] = t * p.a
    return t + p.c + p.a * len(p)


class AttrDict(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Bunch(dict):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.__dict__ = self


@case(X, 0.6)
def attr_dict(x, s):
    c = AttrDict(w=x, s=s)
    b = Bunch(w=x * 2, k=s)
    for i in range(3):
        c.s = c.s * 0.9 + c.w[i]
        b.k = b.k + c["s"] if b.k < 1 else b.k * 0.5
        if c.s > 0.5:
            c.w = c.w * 0.8
    del c.s
    return np.sum(c.w * b.w) * b.k + b["k"] + len(c)


class Memo(dict):
    def __init__(self, f):
        self.f = f
        self.miss = 0

    def __missing__(self, k):
        self.miss += 1
        v = self[k] = self.f(k)
        return v


@case(0.7)
def memo_by_missing(a):
    p = Memo(lambda n: 1.0 if n < 2 else a * p[n - 1] + p[n - 2])
    return p[5] + p[6] * p.miss + sum(p.values())


@case(X)
def default_dict_of_lists(x):
    groups = collections.defaultdict(list)
    sums = collections.defaultdict(float)
    cnt = collections.Counter()
    for i, v in enumerate(x):
        groups[i % 2].append(v)
        sums["pos" if i < 2 else "neg"] += v * v
        cnt[i % 3] += 1
    g = collections.ChainMap({"a": x[0]}, {"a": 1.0, "b": sums["pos"]})
    od = collections.OrderedDict(sorted(sums.items()))
    od.move_to_end("neg", last=False)
    return (
        sum(np.prod(np.array(v)) for v in groups.values())
        + g["a"] * g["b"] * cnt.most_common(1)[0][1]
        + list(od.values())[0]
    )


class Vec(tuple):
    __slots__ = ()

    def __new__(cls, *c):
        return super().__new__(cls, c)

    def __add__(self, o):
        return Vec(*(a + b for a, b in zip(self, o)))

    def __sub__(self, o):
        return Vec(*map(operator.sub, self, o))

    def __mul__(self, k):
        return Vec(*(a * k for a in self)) if np.isscalar(k) else sum(map(operator.mul, self, k))

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return self * -1.0

    def __abs__(self):
        return math.sqrt(self * self)

    x = property(operator.itemgetter(0))

    @property
    def y(self):
        return self[1]

    def __eq__(self, o):
        return all(a == b for a, b in zip(self, o))

    __hash__ = tuple.__hash__


@case(X, 0.3)
def tuple_with_arithmetic(x, h):
    p, v = Vec(x[0], x[1]), Vec(x[2], x[3])
    for k in range(4):
        a = -p * (1.0 / abs(p) ** 3)
        v = v + a * h
        p = p + h * v
        if abs(p - v) < 0.5:
            p = Vec(p.y, p.x)
    return abs(p) + p * v + sum(v)


class Phase(enum.Enum):
    UP = 1
    DOWN = 2

    def flip(self):
        return Phase.DOWN if self is Phase.UP else Phase.UP

    @property
    def sign(self):
        return {Phase.UP: 1.0, Phase.DOWN: -1.0}[self]


class Flags(enum.IntFlag):
    A = 1
    B = 2
    C = 4


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 3


class Mode(str, enum.Enum):
    lin = "lin"
    sq = "sq"


@case(X)
def enums(x):
    p = Phase.UP
    f = Flags.A | Flags.C
    t = 0.0
    for i, v in enumerate(x):
        t += p.sign * v * (2.0 if f & Flags.C else 1.0) * Level.HIGH
        p = p.flip()
        f ^= Flags.B if i else Flags.C
        t += v**2 if Mode("sq") == "sq" and Flags.B in f else x[Level.LOW]
    return t


class Scaled(float):
    unit = "m"

    def __new__(cls, v, unit="m"):
        o = super().__new__(cls, v)
        o.unit = unit
        return o

    def __mul__(self, o):
        return float(self) * o * (1000.0 if self.unit == "km" else 1.0)


class Index(int):
    def next(self):
        return Index(self + 1)


class Name(str):
    def __mod__(self, o):
        return Name(str(self) + "_" + str(o))


@case(X)
def number_subclasses(x):
    s = Scaled(2.0, "km")
    i = Index(0)
    n = Name("w")
    d = {}
    while i < 3:
        d[n % i] = s * x[i]
        i = i.next()
    return d["w_0"] * d["w_2"] + s * d["w_1"]


class Ring(collections.deque):
    def mean(self):
        return sum(self) / len(self)

    def append(self, v):
        super().append(v * 0.5)


@case(X)
def deque_subclass(x):
    r = Ring([1.0], maxlen=2)
    t = 0.0
    for v in x:
        r.append(v)
        if r.mean() > 0.2:
            t += r.mean() * r[0]
    return t


class Chosen(set):
    def add2(self, v):
        self.add(v)
        self.add(v + 1)
        return self


@case(X)
def set_subclass(x):
    s = Chosen([0])
    s.add2(1).add2(5)
    return sum(x[k % 4] * k for k in sorted(s))


@case(Row([0.5, 0.25]), X)
def list_subclass_argument(r, x):
    return r.dot(x) * r.norm() + (r * 2.0)[0] * x[2]


class Tagged(list):
    rate = 1.0

    def total(self):
        return self.rate * sum(self)


T1 = Tagged([1.0, 2.0])
T1.rate = 3.0
T1 = Tagged([1.0, 2.0])
T1.rate = 3.0


@case(T1, X)
def list_subclass_with_attribute(t, x):
    return t.total() * x[0] + t.rate * x[1]


class Settings(dict):
    def __getattr__(self, k):
        try:
            return self[k]
        except KeyError as e:
            raise AttributeError(k) from e

    def __setattr__(self, k, v):
        self[k] = v


class Numbers(list):
    def dot(self, o):
        return sum(a * b for a, b in zip(self, o))


class Pair(tuple):
    def dot(self, o):
        return sum(a * b for a, b in zip(self, o))


@case(collections.OrderedDict(a=1.0, b=X), Y)
def ordered(d, y):
    return sum(np.sum(v * y) for v in d.values()) + d["a"] * sum(np.sum(v) for k, v in d.items())


@case(collections.defaultdict(float, a=1.0, b=2.0), Y)
def defaulted(d, y):
    return sum(d.values()) * y[0] + d["a"] + d.get("b") * y[1] + sum(v for v in dict(d).values())


@case(collections.deque([1.0, 2.0]), Y)
def dequed(d, y):
    return sum(d) * y[0] + d[0] * d[-1] + sum(v * 2 for v in d)


@case(Settings(w=X, s=0.5), Y)
def attr(p, y):
    q = Settings(p)
    q.s = p.s * 2
    r = {**p}
    return (
        np.sum(p.w * y) * q.s
        + p["s"]
        + r["s"]
        + sum(np.sum(v) for v in p.values())
        + np.sum(dict(p)["w"])
    )


@case(Numbers([0.5, 0.25]), Y)
def listed(l, y):
    return l.dot(y) + l[0] * l[-1] + sum(l) + max(l) * len(l)


@case(Pair((0.5, 0.25)), Y)
def tupled(l, y):
    return l.dot(y) + l[0] * l[-1] + sum(l) + max(l) * len(l)


@case(types.SimpleNamespace(a=0.5, b=X), Y)
def spaced(n, y):
    return n.a * np.sum(n.b * y) + sum(np.sum(v) for v in vars(n).values())


@case(X)
def default_in_branch(x):
    d = collections.defaultdict(float)
    e = collections.defaultdict(list)
    c = collections.Counter()
    d["q"] = 1.0
    for i, v in enumerate([x[0], x[1], x[2]]):
        if v > 0:
            d["q"] += v
            e["p"].append(v)
        else:
            d["q"] *= v
            e["p"].append(0.5)
        c[i % 2] += 1
    return d["q"] + sum(e["p"]) + d["none"] + c[0] + c["x"]


@case(X)
def counters_of_both_arms(x):
    if x[0] > 0:
        c = collections.Counter(a=2)
        d = Settings(k=x[1])
        l = Numbers([x[0], 1.0])
        r = collections.OrderedDict(z=x[1])
    else:
        c = collections.Counter(a=5)
        d = Settings(k=x[2])
        l = Numbers([x[1], 3.0])
        r = collections.OrderedDict(z=x[2])
    return c["a"] * x[1] + d.k + l.dot(x) + r["z"] + l[1]


class Blank:
    pass


@case(X)
def unlike_attributes(x):
    if x[0] > 0:
        o = Blank()
        o.a = x[1]
        n = 1.0
    else:
        o = Blank()
        o.b = x[2]
        n = 2.0
    return (o.a if hasattr(o, "a") else o.b) * n


Z = np.array([0.7, -1.2, 2.1, 0.4, -0.3])


class Stage(enum.Enum):
    UP = 1.0
    DOWN = -2.0
    OFF = 0.5

    def flip(self):
        return {Stage.UP: Stage.DOWN, Stage.DOWN: Stage.OFF}.get(self, Stage.UP)

    @property
    def gain(self):
        return self.value * 2


class Rank(enum.IntEnum):
    LOW = 0
    MID = 1
    HIGH = 3


class Kind(str, enum.Enum):
    lin = "lin"
    sq = "sq"

    def f(self, v):
        return v if self is Kind.lin else v * v


class Op(enum.Enum):
    SIN = (math.sin, 0.1)
    COS = (math.cos, 0.2)

    def __init__(self, fn, c):
        self.fn = fn
        self.c = c

    def __call__(self, v):
        return self.fn(v) + self.c


@case(Z)
def state_machine(x):
    p = Stage.OFF
    t = 0.0
    seen = []
    for v in x:
        if p is Stage.UP and v < 0:
            p = p.flip()
        elif p == Stage.DOWN:
            t += v * v
            p = Stage.OFF if v > 1 else Stage.UP
        else:
            p = Stage.UP
        t += p.gain * v + {Stage.UP: 1.0, Stage.DOWN: v, Stage.OFF: v * v}[p]
        match p:
            case Stage.UP:
                t *= 1.1
            case Stage.DOWN | Stage.OFF:
                t += v
        seen.append(p.value)
    return t + (1.0 if p is Stage.UP else v) + sum(seen) * x[0]


@case(Z)
def state_in_while(x):
    p, i, t = Stage.UP, 0, x[0]
    while abs(t) < 30 and i < len(x):
        t = t * p.gain + x[i]
        p = p.flip() if t > 0 else p
        i += 1
        if p not in (Stage.UP, Stage.DOWN):
            break
    return t * p.value


@case(Z)
def levels_and_modes(x):
    l = Rank.LOW
    m = Kind.lin
    best = None
    for v in x:
        if v > 0.5:
            l = Rank.HIGH
            m = Kind.sq
            best = Rank.MID
        elif l >= Rank.MID:
            l = Rank.MID
        x0 = m.f(v) * (l + 1)
        x = x * 1.01 + 0.1 * x0
    return np.sum(x) * l + (0.0 if best is None else best * x[0])


@case(Z)
def callables(x):
    op = Op.SIN
    t = 0.0
    for v in x:
        if v > 0:
            op = Op.COS
        else:
            op = Op.SIN
        t += op(v) * op.c
    return t


class Machine:
    def __init__(self):
        self.state = Stage.OFF
        self.n = {s: 0.0 for s in Stage}

    def feed(self, v):
        self.state = self.next(v)
        self.n[self.state] += v * v

    def next(self, v):
        if v > 1:
            return Stage.UP
        if v < -1:
            return Stage.DOWN
        return self.state


@case(Z)
def machine_object(x):
    m = Machine()
    for v in x:
        m.feed(v)
    return m.n[Stage.UP] * 2 + m.n[Stage.DOWN] * 3 + m.n[Stage.OFF] + m.state.value * x[0]
