"""Random programs, and random changes between their calls of what they read from outside.

Attributes of classes, inherited or not, written through classes, subclasses and instances;
methods, properties and special methods that are replaced; defaults of functions, partial
functions, tables, closures; objects that are found at two places; tuples, lists, sets, slices and
named tuples used whole; cached properties and functions; registries, dispatch and names that hide
builtins.  ``change(k)`` is called
before call ``k`` of ``program(x, a, b)``.
"""

from __future__ import annotations

import random

PRELUDE = '''
import abc
import collections
import enum
import functools
import types
import weakref
import numpy as np

class Base:
    k = 1.5
    n = 1
    w = np.array([1.0, 2.0])
    log = [0.5]

    def __init__(self, v):
        self.v = v

    def go(self, x):
        return self.v * self.k + x

    @property
    def p(self):
        return self.k * self.v + self.n

    @classmethod
    def bump(cls, d=1):
        cls.n += d
        return cls.n

    def __add__(self, other):
        return self.v + other.v * 0.5

    def __call__(self, x):
        return x * self.n

class Kid(Base):
    def go(self, x):
        return super().go(x) + super().k * 0.3

class Other(Kid):
    k = 2.5

    @property
    def p(self):
        return super().p * 0.5

class Mark:
    places = (0, 2)

    def __getattr__(self, name):
        if name[:1] == "_":
            raise AttributeError(name)
        return 0.35

    @functools.cached_property
    def kept(self):
        return W[1] * 2 + D["b"]

    def __eq__(self, other):
        return type(other) is Mark

class Frame(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        return NotImplemented

class Meta(type):
    open = True

    def __instancecheck__(cls, obj):
        return cls.open and hasattr(obj, "v")

class Wide(metaclass=Meta):
    pass

mark, plain_mark = Mark(), Mark()
Point = collections.namedtuple("Point", "i j")
AT, SHAPE, SPOTS, NAMES = (0, 1), (2, 2), [2, 0], ("a", "b")
WAYS = {"at": (1, 0), "cut": slice(0, 2), "deep": [(0, 1), {"k": (1, 1)}], "set": {1, 2}}
spot = Point(1, 1)
TABLE = {(0, 1): 0.5, (1, 0): 0.25, (1, 1): 0.75}

@functools.lru_cache(maxsize=8)
def slow(k):
    return k * 0.2 + W[0]

@functools.cache
def grid(n):
    return np.arange(n) * D["b"]

@functools.singledispatch
def kind(a):
    return 0.1

@kind.register
def of_float(a: float):
    return a * 0.3

def grown(k):
    return k * 0.4

W = np.array([0.3, 0.7])
L = [0.5, 1.5, 1.0]
D = {"a": 0.5, "b": 2.0}
PLACES = [2, 0, 1]
shared = Kid(0.6)
owners = {"one": shared, "two": shared, "w": W}

def h(x, w=W, c=shared, *, s=2.0, t=L):
    w[0] = w[0] * 0.5 + 0.1 * x
    c.v += 0.1
    return x * np.sum(w) * s + t[0] * c.v

def g(x, fn=np.sin, /, q=L):
    return fn(x) * q[1]

part = functools.partial(h, s=1.5)
held = [shared.go, part, lambda x: x * D["a"]]

def made(c):
    def inner(x):
        return x * c
    return inner

inner = made(0.5)

class Way(enum.Enum):
    A = [0.4, 0.6]
    B = {"k": 0.3}
    C = 0.8

    @property
    def scaled(self):
        return self.gain * 0.5

Way.A.gain, Way.B.gain, Way.C.gain = 1.0, 2.0, 3
way, poly, series = Way.A, np.poly1d([0.3, -0.2, 1.0]), np.polynomial.Polynomial([0.1, 0.5])
cfg = types.SimpleNamespace(rate=0.7, inner=types.SimpleNamespace(w=W, n=2))
settings = types.ModuleType("settings")
settings.rate, settings.ways = 0.2, {"w": cfg}
refs = [weakref.ref(shared)]
grid_sizes = np.array([2, 3])

@functools.lru_cache
def of_number(v):
    return v * D["b"]
'''

READS = ["a.k", "b.k", "Kid.k", "Base.k", "Other.n", "a.n", "a.p", "b.p", "shared.v", "a.v", "b.v",
         "a.go(x)", "b.go(t * 0.1)", "shared.go(x)", "h(x)", "h(x, s=x)", "part(x)", "g(x)", "inner(x)",
         "held[2](x)", "held[0](x)", "D['b']", "L[PLACES[0]]", "L[PLACES[PLACES[1]] - 1]", "W[0]",
         "np.sum(Kid.w)", "a.w[1]", "(a + b)", "b(x)", "Kid(x).go(0.2)", "Other(x).p", "len(Base.log)",
         "getattr(a, 'extra', 0.3)", "owners['one'].v", "owners['two'].v", "owners['w'][1]",
         "Kid.log[-1]", "mark.width", "mark.kept", "slow(2)", "slow(3)", "grid(3)[1]", "kind(x)", "kind(3)",
         "np.eye(2)[AT]", "np.eye(3)[SPOTS][0, 2]", "np.arange(4.0).reshape(SHAPE)[-1, 0]",
         "np.eye(3)[mark.places]", "TABLE[AT]", "TABLE.get(WAYS['at'], 0.9)", "TABLE[tuple(spot)]",
         "np.sum(np.arange(4.0)[WAYS['cut']])", "np.eye(2)[spot]", "float(2 in SPOTS)",
         "float(AT == (0, 1))", "float(WAYS['deep'] == [(0, 1), {'k': (1, 1)}])",
         "float(WAYS['set'] == {1, 2})", "float(1 in WAYS['set'])", "float(NAMES < ('b',))",
         "len(''.join(NAMES))", "len(repr(AT))", "float(mark == plain_mark)", "float(mark in [b, mark])",
         "float(isinstance(b, Frame))", "float(isinstance(b, Wide))", "len(NAMES)", "abs(-x)",
         "float(len([n for n in dir(a) if n[0] != '_']))", "sum(WAYS['set'])", "SPOTS.index(2)", "type(b).k", "vars(a)['v']", "getattr(Other, 'k')", "sum(D.values())",
         "Way.A.value[0]", "sum(Way.A.value)", "Way.B.value['k']", "way.scaled", "Way['C'].gain", "poly(x)",
         "poly[1]", "poly.deriv()(x)", "series(x)", "series.coef[0]", "cfg.rate", "np.sum(cfg.inner.w)",
         "x ** cfg.inner.n", "settings.rate", "settings.ways['w'].rate", "getattr(settings, 'extra', 0.4)",
         "refs[0]().v", "np.sum(np.ones(grid_sizes))", "np.ones((grid_sizes[0], 2)).size", "of_number(x)",
         "len(np.geterr()['over'])", "sum(m.gain for m in Way)"]
PLACES = ["a.k", "b.n", "Kid.k", "Base.k", "Other.n", "shared.v", "a.v", "type(b).k", "owners['two'].v",
          "W[1]", "L[PLACES[2]]", "D['a']", "Base.w[0]", "b.w[1]", "a.extra", "Base.extra", "t"]
CHANGES = ["Base.k = 0.8", "Kid.k = 1.2", "Other.k = Base.k", "Base.n = 3", "Kid.n = 2", "Base.k = 2",
           "Base.w = np.ones(3)", "Kid.w = np.array([0.1, 0.2])", "Base.go = lambda self, x: self.v - x",
           "Kid.go = Base.go", "Other.go = lambda self, x: x * self.k", "Base.p = property(lambda s: s.v)",
           "Kid.p = property(lambda s: s.k * 3)", "Kid.bump = classmethod(lambda cls, d=1: d * 0.5)",
           "Base.__add__ = lambda s, o: s.v - o.v", "Kid.__call__ = lambda s, x: x + s.v",
           "Base.__init__ = lambda s, v: setattr(s, 'v', v * 0.5)", "W[1] = 0.9", "L[0] = 0.2",
           "L.append(0.4)", "PLACES.reverse()", "D['a'] = 1", "D['c'] = 0.25", "D['b'] = D.pop('a', 1)",
           "shared.v = 0.2", "shared.go = lambda x: x * 0.3", "h.__defaults__ = (np.ones(2), Kid(0.1))",
           "h.__kwdefaults__['s'] = 0.7", "h.__kwdefaults__['t'] = [2.0]", "h.__kwdefaults__ = {'s': 1, 't': (0.1,)}",
           "part.keywords['s'] = 0.4", "held[2] = inner", "held[0] = made(0.9)", "g.__defaults__ = (np.cos, [1.0, 0.1])",
           "inner.__closure__[0].cell_contents = 0.8", "inner.__closure__[0].cell_contents = 1",
           "owners['one'] = Base(0.4)", "owners['two'] = Other(0.3)", "owners['w'] = np.ones(2)",
           "Base.log.append(0.1)", "Kid.log = [0.2]", "Base.extra = 0.6", "shared.k = 0.35", "Kid.extra = 0.1",
           "globals().update(shared=Other(0.9))", "mark.width = 0.8", "Mark.width = 0.6", "del Mark.__eq__",
           "Mark.__eq__ = lambda s, o: False", "mark.__dict__.pop('kept', None)", "slow.cache_clear()",
           "grid.cache_clear()", "slow(3)", "grid(3)", "kind.register(int, grown)", "kind.register(float, grown)",
           "globals().update(AT=(1, 0))", "globals().update(AT=(1, 1))", "SPOTS.reverse()", "SPOTS.append(1)",
           "globals().update(SHAPE=(1, 4))", "Mark.places = (1, 1)", "WAYS['at'] = (1, 1)",
           "WAYS['cut'] = slice(1, 3)", "WAYS['deep'][1]['k'] = (0, 0)", "WAYS['set'].add(5)",
           "globals().update(spot=Point(0, 1))", "globals().update(NAMES=('b', 'cd'))", "Frame.register(Base)",
           "setattr(Meta, 'open', False)", "globals().update(abs=grown)", "globals().update(len=grown)",
           "TABLE.update({(1, 0): 0.45})", "TABLE.pop((1, 1), None) and TABLE.update({(1, 1): 3})", "globals().update(g=inner)", "Base.log.clear() or Base.log.append(1)",
           "Way.A.value.append(0.2)", "Way.A.value[0] = 0.9", "Way.B.value['k'] = 1", "globals().update(way=Way.B)",
           "setattr(Way.A, 'gain', 0.35)", "poly.coeffs[0] = 0.8", "globals().update(poly=np.poly1d([0.5]))",
           "poly.__setitem__(3, 0.1)", "series.coef[1] = 0.9", "cfg.rate = 2", "cfg.inner = types.SimpleNamespace(w=[0.5], n=3)",
           "cfg.inner.n = 3", "settings.rate = 0.6", "settings.extra = 0.1", "settings.ways['w'] = types.SimpleNamespace(rate=0.9)",
           "refs.__setitem__(0, weakref.ref(owners['one']))", "grid_sizes[0] = 3",
           "of_number.cache_clear()", "Way.B.gain = 0.15"]


class Writer:
    """One program."""

    def __init__(self, stream: random.Random, size: int) -> None:
        self.stream, self.left = stream, size
        self.lines: list[str] = []

    def value(self) -> str:
        reads = self.stream.choice
        return reads([f"0.3 * {reads(READS)}", f"{reads(READS)} * x", f"{reads(READS)} * 0.2 + t * 0.1", "x"])

    def block(self, depth: int) -> None:
        for _ in range(self.stream.randrange(1, 4)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        self.left -= 1
        pick, pad = self.stream.choice, "    " * depth
        kind = self.stream.randrange(12)
        if kind < 4 or (kind > 8 and (depth > 2 or self.left < 0)):
            self.lines.append(f"{pad}t += {self.value()}")
        elif kind < 7:
            self.lines.append(f"{pad}{pick(PLACES)} = {self.value()}")
        elif kind < 8:
            self.lines.append(pad + pick(["Kid.bump()", "type(a).bump(2)", "Base.log.append(x)", "b.v += x",
                                          "setattr(b, 'k', x * 0.4)", "Kid.n += 1", "b.n += 2", "Base.k *= 0.9",
                                          "W[:] = W[::-1] * 0.9", "L[1] += x", "owners['one'].v *= 0.7"]))
        elif kind < 9:
            self.lines.append(pad + pick(["a, b = b, a", "b = shared", "c = Kid(x); c.v += t; t += c.p",
                                          "if hasattr(a, 'extra'): t += a.extra"]))
        else:
            self.lines.append(pad + pick([f"if {self.value()} > {self.value()}:", "for i in range(2):",
                                          "for i in PLACES[1:]:", "for v in L[:2]:"]))
            self.block(depth + 1)


def text_of(seed: int, size: int = 7, changes: int = 5) -> str:
    """The program of a seed, and the changes before its calls."""
    stream = random.Random(seed)
    writer = Writer(stream, size)
    while writer.left > 0:
        writer.statement(1)
    before = "".join(f"    if k == {k}: {stream.choice(CHANGES)}\n" for k in range(1, changes + 1))
    body = "\n".join(writer.lines)
    return (f"{PRELUDE}\ndef change(k):\n    pass\n{before}\n"
            f"def program(x, a, b):\n    t = x\n{body}\n    return float(t)\n")
