"""Objects, protocols and views as found in real code: user classes with NumPy's protocols, metaclasses,
descriptors, graphs of nodes, a small automatic differentiation, windows over memory."""

from __future__ import annotations

import abc
import copy
import enum
import functools
import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, dataclass, field, fields, replace

import numpy as np

X = np.array([0.3, -1.2, 2.0, 0.7])
Y = np.array([1.5, 0.2, -0.4, 0.9])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


@case(X, Y, 6)
def deque_window(x, y, n):
    d = deque(maxlen=3)
    t = 0.0
    for i in range(n):
        d.append(x[i % 4] * y[(i + 1) % 4])
        d.appendleft(x[0])
        if len(d) == 3:
            d.rotate(1)
        t += sum(d) * 0.5
    return t + d[0] * d[-1]


@case(X)
def deque_bfs(x):
    adj = {0: [1, 2], 1: [3], 2: [3], 3: []}
    val = {0: x[0]}
    q = deque([0])
    seen = {0}
    while q:
        u = q.popleft()
        for v in adj[u]:
            val[v] = val.get(v, 0.0) + val[u] * x[v]
            if v not in seen:
                seen.add(v)
                q.append(v)
    return sum(val.values())


@case(X)
def ddict(x):
    g = defaultdict(list)
    for i in range(4):
        g[i % 2].append(x[i] ** 2)
    d = defaultdict(float)
    for k, v in g.items():
        d[k] += sum(v)
    od = OrderedDict(a=x[0], b=x[1])
    od.move_to_end("a")
    od["c"] = d[0]
    c = Counter([0, 1, 1, 2])
    t = 0.0
    for k, n in c.items():
        t += n * x[k]
    return t + d[1] * list(od.values())[0] + sum(od.values()) + c.most_common(1)[0][1] * x[0]


NT = namedtuple("NT", "a b c", defaults=(1.0,))


@case(X, 3)
def nt_replace(x, n):
    s = NT(x[0], x[1:])
    for i in range(n):
        s = s._replace(a=s.a * 0.9 + np.sum(s.b), b=s.b * 0.5)
    d = s._asdict()
    return d["a"] * s.c + sum(s._replace(c=2.0).b)


@dataclass
class Cfg:
    w: float
    v: np.ndarray
    name: str = "a"
    hist: list = field(default_factory=list)

    def __post_init__(self):
        self.n = len(self.v)


@case(X, Y)
def dc(x, y):
    c = Cfg(x[0], y)
    c2 = replace(c, w=c.w * 2)
    t = 0.0
    for f in fields(c2):
        if f.name in ("w", "v"):
            t += np.sum(getattr(c2, f.name))
    d = asdict(c)
    d["v"][0] = 5.0
    c.hist.append(t)
    c3 = copy.copy(c)
    c3.hist.append(d["w"])
    c4 = copy.deepcopy(c)
    c4.v[1] = 7 * x[1]
    c4.hist[0] *= 2
    return sum(c.hist) + np.sum(c4.v * y) + c4.hist[0] + np.sum(d["v"]) + c.n


class Slots:
    __slots__ = ("a", "_b")

    def __init__(s, a, b):
        s.a = a
        s._b = b

    @property
    def b(s):
        return s._b * s.a

    @b.setter
    def b(s, v):
        s._b = v / s.a


@case(X)
def slots_prop(x):
    s = Slots(x[0], x[1])
    s.b = x[2]
    s.b += 1.0
    s.b *= x[3]
    if s.b > 0:
        s.a = 2.0 * x[0]
    return s.b + s._b


class Pos:
    def __set_name__(s, o, n):
        s.n = "_" + n

    def __get__(s, o, t=None):
        if o is None:
            return s
        return getattr(o, s.n)

    def __set__(s, o, v):
        setattr(o, s.n, np.exp(v))


class Desc:
    sigma = Pos()
    mu = Pos()

    def __init__(s, a, b):
        s.sigma = a
        s.mu = b


@case(X)
def descr(x):
    d = Desc(x[0], x[1])
    d.sigma = d.mu * x[2]
    return d.sigma * d.mu


class Reg(type):
    items = {}

    def __new__(m, n, b, ns):
        c = super().__new__(m, n, b, ns)
        m.items[n] = c
        return c

    def __call__(c, *a, **k):
        o = super().__call__(*a, **k)
        o.tag = 1
        return o


class Base(metaclass=Reg):
    def __init__(s, w):
        s.w = w

    def f(s, z):
        return s.w * z


class Sq(Base):
    def f(s, z):
        return super().f(z) ** 2


@case(X)
def meta(x):
    t = 0.0
    for n in ("Base", "Sq"):
        o = Reg.items[n](x[0])
        t += o.f(x[1]) * o.tag
    return t


class Shape(abc.ABC):

    def __init__(s):
        s.name = type(s).__name__

    @abc.abstractmethod
    def area(s): ...
    @classmethod
    def make(cls, *a):
        return cls(*a)

    @staticmethod
    def sq(z):
        return z * z


class Circle(Shape):
    def __init__(s, r):
        super().__init__()
        s.r = r

    def area(s):
        return np.pi * s.sq(s.r)


class Rect(Shape):
    def __init__(s, a, b):
        super().__init__()
        s.a = a
        s.b = b

    def area(s):
        return s.a * s.b


@case(X)
def abcs(x):
    sh = [Circle.make(x[0]), Rect.make(x[1], x[2])]
    return sum(s.area() for s in sh)


class Vec:
    __array_priority__ = 1000

    def __init__(s, *c):
        s.c = list(c)

    def __getitem__(s, i):
        return s.c[i]

    def __setitem__(s, i, v):
        s.c[i] = v

    def __len__(s):
        return len(s.c)

    def __iter__(s):
        return iter(s.c)

    def __contains__(s, v):
        return any(v is w for w in s.c)

    def __add__(s, o):
        return Vec(*[a + b for a, b in zip(s, o)])

    def __mul__(s, k):
        return Vec(*[a * k for a in s])

    __rmul__ = __mul__

    def __matmul__(s, o):
        return sum(a * b for a, b in zip(s, o))

    def __neg__(s):
        return s * -1.0

    def __eq__(s, o):
        return all(a == b for a, b in zip(s, o))

    def __lt__(s, o):
        return s @ s < o @ o

    def __abs__(s):
        return np.sqrt(s @ s)

    def __call__(s, f):
        return Vec(*map(f, s))

    def __bool__(s):
        return len(s) > 0

    def __enter__(s):
        s.c.append(1.0)
        return s

    def __exit__(s, *a):
        s.c.pop()
        return False

    def __getattr__(s, n):
        if n in ("x", "y"):
            return s.c["xy".index(n)]
        raise AttributeError(n)


@case(X)
def vecs(x):
    a = Vec(x[0], x[1])
    b = Vec(x[2], x[3])
    a[0] = a[0] * 2
    c = 2.0 * (a + b) * x[0]
    if a < b:
        c = -c
    with c as e:
        n = len(e)
    c = c(np.sin)
    return c @ b * n + abs(a) + c.x + c.y * len(list(c))


class Arr:
    def __init__(s, v):
        s.v = np.asarray(v)

    def __array__(s, dtype=None, copy=None):
        return s.v

    def __array_ufunc__(s, uf, m, *ins, **kw):
        ins = [i.v if isinstance(i, Arr) else i for i in ins]
        return Arr(getattr(uf, m)(*ins, **kw))

    def __add__(s, o):
        return np.add(s, o)

    def __mul__(s, o):
        return np.multiply(s, o)


@case(X)
def array_ufunc(x):
    a = Arr(x)
    b = np.sin(a)
    c = b * a + b
    return np.sum(c.v) + np.sum(np.asarray(c))


class Act(enum.Enum):
    TANH = "tanh"
    SIN = "sin"

    def f(s, z):
        return np.tanh(z) if s is Act.TANH else np.sin(z)


class Lv(enum.IntEnum):
    A = 1
    B = 2


@case(X)
def enums(x):
    t = 0.0
    for a in Act:
        t += np.sum(a.f(x))
    return t * Lv.B + x[Lv.A] + np.sum(Act("sin").f(x) * Act["TANH"].f(x))


class Lazy:
    def __init__(s, x):
        s.x = x

    @functools.cached_property
    def sq(s):
        return s.x**2

    @property
    def nrm(s):
        if not hasattr(s, "_n"):
            s._n = np.sqrt(np.sum(s.sq))
        return s._n


@case(X)
def lazy(x):
    l = Lazy(x)
    a = np.sum(l.sq) * l.nrm
    l.x = x * 2
    return a + np.sum(l.sq) + l.nrm


@case(np.array([0.1, 0.4]), 3.0)
def abstract_class_inside(p, s):
    class Shape(abc.ABC):
        def __init__(self, r):
            self.r = r

        @abc.abstractmethod
        def area(self): ...

    class Circle(Shape):
        def area(self):
            return math.pi * self.r**2

    return Circle(p[0] * s).area()


@case(np.array([0.1, 0.4]), 3.0)
def counter_of_classes_inside(p, s):
    class A:
        count = 0

        def __init__(self, r):
            self.r = r
            type(self).count += 1

    class B(A):
        pass

    return A(p[0]).r * B(s).r * B.count * A.count


@case(np.array([0.1, 0.4]), 3.0)
def metaclass_inside(p, s):
    class Meta(type):
        reg = {}

        def __new__(m, name, bases, ns, **kw):
            c = super().__new__(m, name, bases, ns)
            m.reg[name.lower()] = c
            return c

    class Base(metaclass=Meta):
        def __call__(self, v):
            return v * s

    return Meta.reg["base"]()(p[0])


@case(np.array([0.1, 0.4]), 3.0)
def property_and_class_method_inside(x, k):
    class A:
        n = 0
        tot = 0.0

        @classmethod
        def make(cls, v):
            cls.n += 1
            if v > 0.2:
                cls.tot += v * k
            else:
                cls.tot -= v
            return cls()

        @property
        def v(self):
            return self._v * 2

        @v.setter
        def v(self, w):
            self._v = w * A.tot

        @v.deleter
        def v(self):
            del self._v

    for v in x:
        a = A.make(v)
    a.v = x[0]
    r = a.v
    del a.v
    return r * A.n + hasattr(a, "_v")


@case(np.array([0.1, 0.4]))
def joined_texts(x):
    return x[0] * len(", ".join(f"{k}={v:.3f}" for k, v in zip("ab", x)))


@case(np.array([0.1, 0.4]))
def texts_of_instances(x):
    class S:
        def __init__(self, r):
            self.r = r

        def __repr__(self):
            return f"S({self.r:.2f})"

    s = [S(v) for v in x]
    t = " ".join(map(repr, s))
    u = f"{s[0]} and {s!r:>30}"
    return x[0] * len(t) + len(u) + len(str(s[1]))
