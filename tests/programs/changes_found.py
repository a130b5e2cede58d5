"""Programs with changes of Python's own objects between their calls: namespaces, metaclasses,
descriptors, closures, enumerations, registries of the process."""

from changes import CLASSES, changes

PROGRAMS = {
    "a class changes what it inherits from": ('''
class One: w = 2.0
class Two: w = 3.0
class Both(One): pass
both = Both()
''' + changes("Both.__bases__ = (Two,)", "Both.__bases__ = (Two, One)", "Two.w = 4.0", "del Two.w") + '''
def program(x):
    return x * both.w + Both.w
''', 5),
    "an instance changes its class": (CLASSES + changes("kid.__class__ = Base", "kid.__class__ = Other") + '''
def program(x):
    return x * kid.go() + isinstance(kid, Kid) + type(kid).k
''', 3),
    "an instance gets another namespace": (CLASSES + changes(
        "kid.__dict__ = {'v': 3.0}", "kid.__dict__ = dict(kid.__dict__, k=0.25)",
        "kid.__dict__.update(v=7)", "kid.__dict__.clear() or kid.__dict__.update(v=x0)") + '''
x0 = 0.125
def program(x):
    return x * kid.v * kid.k + len(vars(kid))
''', 5),
    "a metaclass holds state": ('''
class Meta(type):
    scale = 2.0
    count = 1
    def __getattr__(cls, name):
        if name[:1] == "_": raise AttributeError(name)
        return cls.scale * 3
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = cls.count
        return made
    @property
    def factor(cls): return cls.scale + 1
    def __len__(cls): return cls.count
    def __getitem__(cls, k): return cls.scale * k
class Held(metaclass=Meta):
    def __init__(self, v): self.v = v
''' + changes("Meta.scale = 3.0", "Held.scale = 5.0", "Meta.count = 4", "Held.width = 1.5",
              "Meta.factor = property(lambda cls: 9.0)", "Meta.__len__ = lambda cls: 8") + '''
def program(x):
    held = Held(x)
    return held.v * Held.width + held.extra + Held.factor * x + len(Held) + Held[2]
''', 7),
    "a data descriptor keeps state": ('''
class Counted:
    def __init__(self): self.reads, self.value = 0, 1.5
    def __set_name__(self, owner, name): self.name = name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        self.reads += 1
        return self.value * self.reads
    def __set__(self, obj, value): self.value = value
class Body:
    mass = Counted()
body = Body()
''' + changes("body.mass = 2.0", "Body.mass.reads = 10", "setattr(Body.mass, 'value', 4)",
              "Body.mass = 3.0") + '''
def program(x):
    return body.mass * x
''', 5),
    "attributes of modules under other names": ('''
import types
settings = types.ModuleType("settings")
settings.rate, settings.table = 0.5, {"a": 1.0}
alias, held = settings, {"module": settings}
def also(s=settings): return s.rate
''' + changes("alias.rate = 2.0", "held['module'].table['a'] = 3.0", "settings.table = {'a': 4.0}",
              "alias.rate = 3", "held['module'] = types.SimpleNamespace(rate=7.0)") + '''
def program(x):
    return x * settings.rate * alias.table["a"] + also() + held["module"].rate
''', 6),
    "a module with __getattr__": ('''
import types
lazy = types.ModuleType("lazy")
hidden = {"rate": 0.5}
def find(name):
    if name in hidden: return hidden[name]
    raise AttributeError(name)
lazy.__getattr__ = find
''' + changes("hidden['rate'] = 2.0", "lazy.rate = 3.0", "del lazy.rate", "hidden['more'] = 1.0",
              "lazy.__getattr__ = lambda name: 9.0") + '''
def program(x):
    return x * lazy.rate + getattr(lazy, "more", 4.0) + hasattr(lazy, "rate")
''', 6),
    "cells of closures are bound again": ('''
def made(c, table):
    def inner(x):
        return x * c + table["a"]
    def bind(value):
        nonlocal c
        c = value
    return inner, bind
inner, bind = made(1.5, {"a": 2.0})
def cell(name): return inner.__closure__[inner.__code__.co_freevars.index(name)]
''' + changes("bind(2.5)", "bind(3)", "bind(np.float32(0.5))", "cell('table').cell_contents['a'] = 5.0",
              "setattr(cell('table'), 'cell_contents', {'a': 7.0})", "bind(np.array(2.0))") + '''
def program(x):
    return inner(x) * 1.0
''', 7),
    "functions count in their own attributes": ('''
def counted(x):
    counted.calls += 1
    return x * counted.calls + counted.table[-1]
counted.calls, counted.table = 0, [1.0]
''' + changes("counted.calls = 10", "counted.table.append(2.5)", "counted.table = (3.0,)") + '''
def program(x):
    return counted(x) + counted(x * 2)
''', 4),
    "a mutable default grows": ('''
def grown(x, seen=[], *, table={}):
    seen.append(x)
    table[len(seen)] = x
    return seen[0] * 0.5 + seen[-1] + len(seen) + len(table)
''' + changes("grown.__defaults__[0].append(1.0)", "grown.__kwdefaults__['table'].clear()",
              "grown.__defaults__ = ([5.0],)") + '''
def program(x):
    return grown(x) * grown(x * 2)
''', 4),
    "code of a function is replaced": ('''
def one(x, k=2.0): return x * k
def two(x, k=2.0): return x + k * 3
held = {"f": one}
''' + changes("one.__code__ = two.__code__", "one.__defaults__ = (3.0,)",
              "held.update(f=lambda x: x * 5)") + '''
def program(x):
    return held["f"](x) + one(x)
''', 4),
    "weak references": ('''
import weakref
class Node:
    def __init__(self, v): self.v = v
node, spare = Node(2.0), Node(5.0)
ref = weakref.ref(node)
names = weakref.WeakValueDictionary(a=node, b=spare)
''' + changes("node.v = 3.0", "globals().update(ref=weakref.ref(spare))", "spare.v = 4",
              "names.update(a=spare)") + '''
def program(x):
    return x * ref().v + names["a"].v
''', 5),
    "a weak reference dies": ('''
import weakref
class Node:
    def __init__(self, v): self.v = v
node = Node(2.0)
ref = weakref.ref(node)
''' + changes("globals().pop('node'), __import__('gc').collect()") + '''
def program(x):
    found = ref()
    return x * 3.0 if found is None else x * found.v
''', 2),
    "context variables": ('''
import contextvars
rate = contextvars.ContextVar("rate", default=1.5)
''' + changes("rate.set(2.5)", "rate.set(4)", "rate.set(0.5)") + '''
def program(x):
    return x * rate.get()
''', 4),
    "the environment": ('''
import os
def restore(): os.environ.pop('RATE_OF_CHANGES', None)
os.environ.pop("RATE_OF_CHANGES", None)
''' + changes("os.environ['RATE_OF_CHANGES'] = '2.5'", "os.environ['RATE_OF_CHANGES'] = '4'",
              "os.environ.pop('RATE_OF_CHANGES', None)") + '''
def program(x):
    rate = float(os.environ.get("RATE_OF_CHANGES", "1.0"))
    return x * rate + ("RATE_OF_CHANGES" in os.environ) + (os.getenv("RATE_OF_CHANGES") == "4")
''', 4),
    "decimal contexts": ('''
import decimal
def restore(): decimal.getcontext().prec = 28
decimal.getcontext().prec = 28
''' + changes("setattr(decimal.getcontext(), 'prec', 4)", "setattr(decimal.getcontext(), 'prec', 2)",
              "setattr(decimal.getcontext(), 'prec', 28)") + '''
def program(x):
    third = decimal.Decimal(1) / decimal.Decimal(3)
    return x * float(third) + decimal.getcontext().prec
''', 4),
    "simple namespaces": ('''
import types
cfg = types.SimpleNamespace(rate=1.5, inner=types.SimpleNamespace(w=np.ones(2), n=2))
''' + changes("cfg.rate = 2", "cfg.inner.w[0] = 4.0", "cfg.inner.n = 3", "cfg.inner.w = np.ones(3)",
              "cfg.inner = types.SimpleNamespace(w=[1.0], n=1)", "del cfg.rate", "cfg.extra = 1.0") + '''
def program(x):
    t = x * getattr(cfg, "rate", 0.25) + sum(cfg.inner.w) * x ** cfg.inner.n
    return t + len(vars(cfg))
''', 8),
    "members of enumerations": ('''
import enum
class Way(enum.Enum):
    A = [1.0, 2.0]
    B = {"k": 3.0}
    def scaled(self, x): return x * self.factor
    @property
    def factor(self): return 2.0 if self is Way.A else 3.0
Way.A.extra = 1.0
way = Way.A
''' + changes("Way.A.value[0] = 5.0", "Way.B.value['k'] = 7.0", "Way.A.value.append(1.0)",
              "globals().update(way=Way.B)", "setattr(Way.A, 'extra', 4.0)",
              "Way.B.value.clear() or Way.B.value.update(k=1, m=2)") + '''
def program(x):
    return x * Way.A.value[0] + sum(Way.B.value.values()) + way.scaled(x) + len(Way.A.value) + Way.A.extra
''', 7),
    "an enumeration with mutable values is gone through": ('''
import enum
class Gain(enum.Enum):
    LOW = [0.5]
    HIGH = [2.0]
pick = "LOW"
''' + changes("Gain.LOW.value[0] = 1.5", "globals().update(pick='HIGH')", "Gain['HIGH'].value[0] = 3.5",
              "Gain.LOW._value_ = [9.0]") + '''
def program(x):
    return sum(m.value[0] * x for m in Gain) + Gain[pick].value[0]
''', 5),
    "methods and objects of mutable value in enumerations": ('''
import enum
class Box:
    def __init__(self, v): self.v = v
class Kind(enum.Enum):
    A = Box(1.0)
    B = (np.array([1.0, 2.0]), [3])
    @classmethod
    def total(cls): return cls.A.value.v + cls.B.value[0][1]
''' + changes("Kind.A.value.v = 5.0", "Kind.B.value[0][1] = 9.0", "Kind.B.value[1][0] = 2",
              "Kind.B.value[1].append(4)") + '''
def program(x):
    return x * Kind.total() + x ** Kind.B.value[1][0] + len(Kind.B.value[1])
''', 5),
    "nested containers": ('''
deep = {"a": [{"w": (1.0, [2.0, 3.0])}, (4.0,)], ("k", 1): [[[5.0]]]}
''' + changes("deep['a'][0]['w'][1][0] = 7.0", "deep['a'][0]['w'] = (2.0, [1.0])",
              "deep['a'].reverse()", "deep['a'].reverse()", "deep['k', 1][0][0].append(2.0)",
              "deep['k', 1][0].append([1.0])", "deep['a'][0]['w'] = (2, [1, 2, 3])") + '''
def program(x):
    t = x * len(deep["k", 1][0]) + sum(deep["k", 1][0][0])
    for part in deep["a"]:
        t += sum(part["w"][1]) * part["w"][0] if isinstance(part, dict) else part[0] * x
    return t
''', 8),
    "keywords of partial functions": ('''
def base(x, a=1.0, *, b=2.0, c=None): return x * a + b + (0.0 if c is None else c[0])
part = functools.partial(base, b=3.0)
twice = functools.partial(part, a=2.0)
class Holder:
    method = functools.partialmethod(base, b=1.0)
''' + changes("part.keywords['b'] = 4.0", "part.keywords['c'] = [1.0]", "twice.keywords['a'] = 5",
              "part.__setstate__((base, (), {'a': 7.0}, None))", "twice.keywords.pop('a')") + '''
def program(x):
    return part(x) + twice(x)
''', 6),
    "a property's function reads a cell": ('''
def make():
    k = 2.0
    class Body:
        @property
        def p(self): return k
        @staticmethod
        def s(x): return x * k
        def set(self, value):
            nonlocal k
            k = value
    return Body
Body = make()
body = Body()
''' + changes("body.set(3.0)", "body.set(4)", "Body.s = staticmethod(lambda x: x)") + '''
def program(x):
    return body.p * x + Body.s(x)
''', 4),
    "slots": ('''
class Slotted:
    __slots__ = ("a", "b", "__weakref__")
    def __init__(self): self.a = 1.5
one = Slotted()
''' + changes("one.a = 2", "one.b = 3.0", "del one.b", "one.a = np.ones(2)") + '''
def program(x):
    return np.sum(x * one.a) + getattr(one, "b", 0.5) + hasattr(one, "b")
''', 5),
    "dataclasses": ('''
import dataclasses
@dataclasses.dataclass
class Cfg:
    rate: float = 1.0
    sizes: tuple = (2, 3)
    table: dict = dataclasses.field(default_factory=dict)
@dataclasses.dataclass(frozen=True)
class Fixed:
    inner: Cfg
cfg = Cfg()
fixed = Fixed(cfg)
''' + changes("cfg.rate = 2.5", "cfg.sizes = (3, 2)", "cfg.table['a'] = 1.0", "object.__setattr__(fixed, 'inner', Cfg(9.0))",
              "Cfg.rate = 4.0") + '''
def program(x):
    made = Cfg(table={"b": 1})
    t = fixed.inner.rate * x + np.ones(fixed.inner.sizes)[-1].sum() + made.rate
    return t + len(fixed.inner.table) + (fixed == Fixed(cfg)) + len(dataclasses.asdict(cfg)["table"])
''', 6),
    "named tuples and deques": ('''
import collections
P = collections.namedtuple("P", "a b", defaults=(2.0,))
point, queue = P([1.0]), collections.deque([1.0, 2.0], maxlen=3)
counter, groups = collections.Counter("aab"), collections.defaultdict(list)
ordered, chained = collections.OrderedDict(a=1.0, b=2.0), collections.ChainMap({}, {"a": 5.0})
''' + changes("point.a.append(3.0)", "queue.append(4.0)", "queue.append(5.0)", "queue.rotate(1)",
              "counter.update('bbb')", "groups['a'].append(2.0)", "ordered.move_to_end('a')",
              "chained.maps[0].update(a=1.5)") + '''
def program(x):
    t = sum(point.a) * x + queue[0] + queue[-1] * x + counter["b"]
    t += len(groups) + len(groups.get("a", ())) + list(ordered.values())[0] * x + chained["a"] + P(1.0).b
    return t
''', 9),
    "builtins change": ('''
import builtins
class Row(list): pass
kept, row = (builtins.len, builtins.abs), Row([1, 2])
def longer(v): return kept[0](v) + 5 * (type(v) is Row)
def restore(): builtins.len, builtins.abs = kept
''' + changes("builtins.len = longer", "builtins.len = kept[0]", "builtins.abs = lambda v: v",
              "builtins.abs = kept[1]", "builtins.extra_name = 2.0", "vars(builtins).pop('extra_name', None)") + '''
def program(x):
    try:
        t = extra_name
    except NameError:
        t = 0.25
    return x * len(row) + abs(-x) + t
''', 7),
    "abstract classes and virtual subclasses": ('''
import abc, collections.abc
class Shape(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other): return True if hasattr(other, "area") else NotImplemented
class Square: pass
square = Square()
''' + changes("Square.area = lambda self: 1.0", "collections.abc.Sized.register(Square)", "Square.__len__ = lambda s: 2") + '''
def program(x):
    return x * isinstance(square, Shape) + 2 * isinstance(square, collections.abc.Sized)
''', 4),
    "hash, order and truth of objects": ('''
class K:
    def __init__(self, v): self.v = v
    def __hash__(self): return 1
    def __eq__(self, o): return self.v == o.v
    def __lt__(self, o): return self.v < o.v
    def __bool__(self): return self.v > 1
    def __float__(self): return self.v * 2.0
    def __index__(self): return int(self.v)
a, b = K(1.0), K(2.0)
table = {a: 3.0, b: 4.0}
''' + changes("b.v = 0.5", "K.__lt__ = lambda s, o: True", "K.__bool__ = lambda s: False", "a.v = 2.0",
              "K.__float__ = lambda s: 9.0") + '''
def program(x):
    t = x * (1.0 if a else 2.0) + (3.0 if a < b else 5.0) + sorted([b, a])[0].v + float(b)
    return t + [1.0, 2.0, 3.0][a] + table[a]
''', 6),
    "subclasses of list and dict": ('''
class Rows(list):
    scale = 2.0
    def total(self): return sum(self) * self.scale
class Table(dict):
    def __missing__(self, key): return 0.5 * len(self)
rows, table = Rows([1.0, 2.0]), Table(a=1.0)
''' + changes("rows.append(3.0)", "rows.scale = 5.0", "table['b'] = 4.0", "Rows.scale = 1",
              "Table.__missing__ = lambda self, key: 8.0", "rows[0] = 7") + '''
def program(x):
    return rows.total() * x + table["a"] + table["c"] + len(rows)
''', 7),
    "sets and frozen sets": ('''
chosen, fixed = {1, 2}, frozenset({3})
''' + changes("chosen.add(3)", "chosen.discard(1)", "globals().update(fixed=frozenset({3, 4}))") + '''
def program(x):
    return x * len(chosen & fixed) + sum(chosen | fixed) + (chosen > fixed) + max(chosen)
''', 4),
    "texts": ('''
name, form, flags = "a", "{:.1f}", "xy"
table = {"a": 1.0, "b": 2.0}
''' + changes("globals().update(name='b')", "globals().update(form='{:.3f}')", "globals().update(flags='yz')") + '''
def program(x):
    t = table[name] * x + float(form.format(1.23456))
    return t * 2 if "x" in flags else t + len(name + flags)
''', 4),
    "bytes, ranges and memory": ('''
raw, spots = bytearray(b"abc"), range(3)
''' + changes("raw.append(100)", "globals().update(spots=range(1, 6, 2))", "raw.__setitem__(0, 5)") + '''
def program(x):
    return x * raw[0] + len(raw) + sum(spots) + spots[-1] * x + sum(raw)
''', 4),
    "a protocol that state decides": ('''
class Row:
    def __init__(self): self.items, self.end = [1.0, 2.0, 3.0], 3
    def __len__(self): return self.end
    def __iter__(self): return iter(self.items[:self.end])
    def __contains__(self, v): return v in self.items
    def __getitem__(self, k): return self.items[k]
    def __array__(self, dtype=None, copy=None): return np.array(self.items[:self.end])
row = Row()
''' + changes("row.end = 2", "row.items[0] = 5.0", "row.items.append(4.0)", "setattr(row, 'end', 4)") + '''
def program(x):
    t = len(row) * x + sum(row) + (4.0 in row) + row[0] * x
    return t + np.sum(np.asarray(row) * x)
''', 5),
    "context managers with state": ('''
class Scale:
    now = [1.0]
    def __init__(self, k): self.k = k
    def __enter__(self): self.now.append(self.k); return self
    def __exit__(self, *e): self.now.pop()
scale = Scale(2.0)
''' + changes("scale.k = 3.0", "Scale.now[0] = 5.0", "Scale.now = [7.0]") + '''
def program(x):
    with scale as s:
        t = x * Scale.now[-1]
    return t + s.now[-1]
''', 4),
    "types are read": ('''
class A: pass
class B(A): pass
one = A()
number = 2.0
''' + changes("globals().update(one=B())", "globals().update(number=2)", "globals().update(number=True)",
              "globals().update(number=np.float32(2))", "setattr(A, '__name__', 'Q')") + '''
def program(x):
    kinds = {A: 1.0, B: 2.0}
    t = kinds[type(one)] * x + (3.0 if isinstance(number, int) else 4.0) + number * x
    return t + len(type(one).__name__) + (type(number).__name__ == "bool") + len(B.__mro__[1].__name__) * 1.0
''', 6),
    "hooks that are looked up by name": ('''
class Net:
    def step_a(self, x): return x * 2
    def step_b(self, x): return x + 1
    order = ["a", "b"]
net = Net()
''' + changes("net.order.reverse()", "Net.step_c = lambda self, x: x * x", "net.order.append('c')", "net.order = ('c',)") + '''
def program(x):
    for name in net.order:
        x = getattr(net, "step_" + name)(x)
    return x + len([n for n in dir(Net) if n.startswith("step_")])
''', 5),
    "cached functions of traced numbers": ('''
w = [1.0]
@functools.lru_cache(maxsize=None)
def kept(v): return v * w[0]
@functools.cache
def times(v, k): return v * k + w[0]
''' + changes("kept(0.72) and w.__setitem__(0, 5.0)", "w.__setitem__(0, 2.0)", "kept.cache_clear()", "times(1.1, 2)") + '''
def program(x):
    return kept(x) + times(x, 2) + kept(0.72)
''', 5),
    "names that the program itself has given": (CLASSES + changes("Base.more = 1.0", "kid.own = 2.0") + '''
def program(x):
    Base.extra = x
    kid.other = x * 2
    return x * len([n for n in dir(kid) if n[0] != "_"]) + ("extra" in dir(Kid)) + ("other" in dir(kid))
''', 3),
}
