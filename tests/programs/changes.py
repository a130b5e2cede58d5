"""Programs with changes between their calls: ``change(k)`` comes before call ``k``."""

CLASSES = '''
class Base:
    k = 1.5
    n = 0
    def __init__(self, v=1.0): self.v = v
    def go(self): return self.v * self.k
    @classmethod
    def bump(cls, d=1): cls.n += d; return cls.n
    @property
    def p(self): return self.k * self.v + self.n
class Kid(Base):
    def go(self): return super().go() + super().k * 3
    @property
    def p(self): return super().p * 2
    @classmethod
    def bump(cls, d=1): return super().bump(d + 1) * 2
class Other(Kid):
    k = 2.5
kid = Kid(0.5)
'''
NOTHING = "def change(k): pass\n"


def changes(*lines: str) -> str:
    return "def change(k):\n    pass\n" + "".join(
        f"    if k == {k}: {line}\n" for k, line in enumerate(lines, 1))


PROGRAMS = {
    "an attribute of a class is written and read through a subclass": (CLASSES + NOTHING + '''
def program(x):
    Base.k = x * 2
    return Kid.k * x + Kid(x).k + kid.k + Other.k
''', 2),
    "the namespace of a class is read": (CLASSES + changes(
        "Base.k = 2.5", "Base.w = 0.5", "del Base.w") + '''
def program(x):
    total = sum(v for n, v in vars(Base).items() if isinstance(v, float))
    return x * Base.__dict__["k"] + total * x * x + ("w" in vars(Base))
''', 4),
    "a class and a subclass count": (CLASSES + NOTHING + '''
def program(x):
    Base.n += 1
    Kid.n += 1
    type(kid).n += 2
    kid.n += 1
    return x * Kid.n + Base.n * 3 + kid.n + Other.bump() * x
''', 3),
    "an attribute of a class in a branch and a loop": (CLASSES + NOTHING + '''
def program(x):
    t = 0.0
    for i in range(3):
        Base.k = Base.k * x
        t += kid.k + Kid(x).go()
        if t > 1.0:
            Base.extra = t
    return t + getattr(kid, "extra", 0.5) * x
''', 3),
    "attributes of classes and instances are deleted": (CLASSES + NOTHING + '''
def program(x):
    o = Kid(x)
    a = o.k
    Base.k = x * 2
    Kid.k = 3.0
    o.k = 5.0
    b = o.k
    del Kid.k, o.k
    return a + 2 * b + 3 * o.k
''', 2),
    "methods and properties are replaced": (CLASSES + changes(
        "Base.go = lambda self: self.v + 1", "Base.p = property(lambda s: s.v)", "Kid.k = 0.7",
        "del Kid.k", "kid.go = lambda: 7.0", "Kid.p = property(lambda s: s.k)",
        "del Kid.go, kid.go", "Other.p = property(lambda s: 1.0)") + '''
def program(x):
    return kid.go() * x + kid.p + Other(x).p + Other(x).go()
''', 9),
    "special methods are replaced": ('''
class V:
    def __init__(self, a): self.a = a
    def __add__(self, o): return self.a + o.a
    def __getitem__(self, i): return self.a * i
    def __len__(self): return 3
    def __call__(self, z): return self.a * z
    def __eq__(self, o): return self.a > 0
    def __iter__(self): return iter([self.a, 2.0])
    def __enter__(self): return self.a
    def __exit__(self, *e): return False
''' + changes("V.__add__ = lambda s, o: s.a - o.a", "V.__getitem__ = lambda s, i: s.a + i",
              "V.__len__ = lambda s: 5", "V.__call__ = lambda s, z: z",
              "V.__eq__ = lambda s, o: s.a < 0", "V.__iter__ = lambda s: iter([s.a])",
              "V.__enter__ = lambda s: s.a * 3",
              "V.__init__ = lambda s, a: setattr(s, 'a', a * 2)") + '''
def program(x):
    v, w = V(x), V(0.3)
    t = v + w + v[2] + v(3.0) + sum(v) + len(v) * x
    if v == w:
        t += x
    with v as q:
        return t + q
''', 9),
    "a descriptor and a cached property": ('''
class Scaled:
    def __init__(self, s): self.s = s
    def __get__(self, o, t=None): return o.v * self.s
    def __set__(self, o, v): o.v = v / self.s
scaled = Scaled(2.0)
class U:
    y = scaled
    def __init__(self, v): self.v = v
    @functools.cached_property
    def m(self): return self.v * 3
''' + changes("scaled.s = 4.0", "U.y = Scaled(5.0)", "U.m = property(lambda s: s.v)",
              "Scaled.__get__ = lambda s, o, t=None: 1.5") + '''
def program(x):
    u = U(x)
    t = u.y + u.m
    u.y = x * 5
    return t + u.v
''', 5),
    "defaults are changed and replaced": ('''
class Settings:
    def __init__(self, s): self.s = s
w, values, settings = np.ones(2), [1.0], Settings(1.0)
def base(x): return x * values[0]
def by_place(x, a=w, fn=base, /, c=settings):
    a[0] += x
    c.s += x
    return fn(x) * np.sum(a) * c.s
def by_name(x, *, l=values, c=settings, g=2.0):
    l.append(x)
    return x * sum(l) * g + c.s
''' + changes("w[1] = 5.0", "values.append(2.0)", "settings.s = 7.0",
              "by_name.__kwdefaults__['g'] = 3.0", "by_name.__kwdefaults__['l'] = [2.0]",
              "by_place.__defaults__ = (np.ones(3), np.sin, Settings(2.0))",
              "by_name.__kwdefaults__ = {'l': [1.0], 'c': settings, 'g': 1}") + '''
def program(x):
    return by_place(x) + by_name(x) + by_name(x, g=x) + settings.s
''', 8),
    "partial functions": ('''
w, values, table = np.array([1.0, 2.0]), [1.0, 2.0], {"q": 1.0}
def h(w, l, x, s=1.0):
    w[1] += x
    l.append(x)
    return x * np.sum(w) * sum(l) * s * table["q"]
part = functools.partial(h, w, values, s=2.0)
each = np.vectorize(lambda z: z * values[1], otypes=[float])
held = [part, lambda x: x * values[0]]
second = operator.itemgetter(1)
''' + changes("w[0] = 5.0", "values[0] = 3.0", "part.keywords['s'] = 4.0", "table['q'] = 2.5",
              "held[1] = lambda x: x * 9") + '''
def program(x):
    return part(x) + sum(g(x) for g in held) + second(values) * x + np.sum(each(np.array([x])))
''', 6),
    "an object is changed, then found at another place": ('''
class Node:
    def __init__(self, v, rest=None): self.v = v; self.rest = rest
def linked():
    first = Node(0.3)
    second = Node(0.2, first)
    return Node(0.5, second), {"first": first, "second": second}, [second, first]
chain, names, places = linked()
''' + changes("names['first'] = names['second']", "places.reverse()", "chain.rest = None") + '''
def program(x):
    t, node = 0.0, chain
    while node is not None:
        t += node.v * 2
        node.v = node.v * x
        node = node.rest
    return t + names["first"].v + names["second"].v * 3 + places[0].v * 5
''', 4),
    "tuples, lists, sets and slices are used whole": ('''
import collections
Point = collections.namedtuple("Point", "i j")
A = np.arange(12.0).reshape(3, 4)
at, shape, axes, spots, cut = (1, 3), (2, 6), (0,), [2, 0], (slice(0, 2), 1)
names, chosen, table, spot = ("a", "b"), {1, 2}, {(1, 3): 2.0, (1, 2): 5.0}, Point(0, 1)
''' + changes("globals().update(at=(1, 2))", "globals().update(shape=(3, 4), axes=(1,))",
              "spots.reverse()", "globals().update(cut=(slice(0, 2), 3))", "chosen.add(5)",
              "globals().update(names=('b', 'cde'), spot=Point(2, 2))") + '''
def program(x):
    t = A[at] + A.reshape(shape)[-1, 0] + np.sum(A.sum(axis=axes)[:1]) + A[spots][0, 1]
    t += np.sum(A[cut]) + len("".join(names)) + A[spot] + table[at] + sum(chosen)
    t += 2.0 if at == (1, 3) else 7.0
    t += (3 in at) + (5 in chosen) + (names < ("b",)) + spots.index(2) + len(repr(at))
    return t * x
''', 7),
    "results that functools keeps": ('''
w = [1.0]
class Body:
    def __init__(self, v): self.v = v
    @functools.cached_property
    def mass(self): return self.v * 3 + w[0]
    @functools.lru_cache(maxsize=4)
    def scaled(self, k): return self.v * k
@functools.lru_cache
def slow(k): return k * w[0]
@functools.cache
def grid(n): return np.arange(n) * w[0]
@functools.singledispatch
def kind(a): return 0.5
@kind.register
def _(a: float): return a * 2
def other(a): return a * 7.0
body = Body(2.0)
slow(4)
''' + changes("w[0] = 5.0", "del body.__dict__['mass']", "slow.cache_clear()", "body.v = 9.0",
              "kind.register(int, other)", "kind.register(float, other)", "grid(5)[1] = 3.0") + '''
def program(x):
    t = x * body.mass + slow(3) * x + slow(4) + np.sum(grid(5)) * x + kind(x) + kind(3)
    if x > 0.5:
        t += body.scaled(2) * x
    return t
''', 8),
    "classes, names and registries change": ('''
import abc
class Loose:
    def __getattr__(self, name):
        if name[:1] == "_": raise AttributeError(name)
        return 2.0
class Plain: pass
class Kind(abc.ABC): pass
class Meta(type):
    open = False
    def __instancecheck__(cls, obj): return cls.open
class Wide(metaclass=Meta): pass
def same(self, other): return True
def new(cls, *args): return loose
def fixed(values): return 9
loose, one, two = Loose(), Plain(), Plain()
''' + changes("loose.width = 5.0", "Loose.width = 4.0; del loose.width", "Plain.__eq__ = same",
              "Kind.register(Plain)", "Meta.open = True", "globals().update(len=fixed)", "one.extra = 1.0",
              "Plain.__new__ = new", "del Plain.__eq__; globals().pop('len')") + '''
def program(x):
    t = x * loose.width + (2.0 if one == two else 3.0) + (one in [two]) + len([1, 2]) * x
    t += isinstance(one, Kind) * x + isinstance(one, Wide) + hasattr(Plain(), "width")
    return t + len([n for n in dir(one) if n[0] != "_"])
''', 10),
}
