"""Programs about functions: definitions, closures, calls, generators, classes."""

# ruff: noqa: E501, E722, F401, F541, F632, F811, F821, F841, W605, B, C, I001, E702
# isort: skip_file

import functools
import math

from comparison import program

COUNTER = 0


def add(a, b=2, *args, c=3, **kwargs):
    return a, b, args, c, kwargs


@program()
def calls_of_all_kinds():
    xs, d = (1, 2), {"c": 5, "z": 6}
    return (add(1), add(1, 5), add(*xs), add(*xs, *xs), add(1, **d), add(b=1, a=2),
            add(*xs, c=9, **{"q": 1}), max(*xs), "{}-{}".format(*xs), "a,b".split(","),
            dict(**d, k=1), add(*[i for i in range(4)], **dict(c=1)))


@program((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,))
def call_errors(k):
    f = [lambda: add(), lambda: add(1, a=2), lambda: add(*5), lambda: add(**7),
         lambda: add(1, **{"c": 1}, **{"c": 2}), lambda: add(**{1: 2}), lambda: (lambda x: x)(1, 2),
         lambda: (3 or 0)(4), lambda: [].nothing(print("evaluated"))]
    return f[k]()


@program()
def evaluation_order():
    def say(x):
        print(x, end=" ")
        return x

    class Box(dict):
        def __setitem__(self, k, v):
            print("set", k, v)
            super().__setitem__(k, v)

    box = Box()
    box[say(1)] = say(2)
    box[say(3)] = box[say(4)] = say(5)
    box[say(3)] += say(6)
    a, box[say(7)] = say(8), say(9)
    d = {say(10): say(11), say(12): say(13), **{say(14): say(15)}}
    r = [say(16), *[say(17)], (say(18), say(19))]
    s = say(20) + say(21) * say(22)
    t = say(23) if say(0) else say(24)
    add(say(25), *[say(26)], c=say(27), **{"w": say(28)})
    u = say([1, 2, 3])[say(0):say(2):say(1)]
    return a, dict(box), d, r, s, t, u


@program()
def attribute_looked_up_before_arguments():
    class A:
        def f(self, x):
            return "old", x

    a = A()

    def change():
        a.f = lambda x: ("new", x)
        return 1

    return a.f(change()), a.f(2)


@program((3,))
def closures(n):
    total = 0

    def bump(by=1):
        nonlocal total
        total += by
        return total

    def outer():
        def inner():
            return total + n
        return inner

    bump()
    bump(5)
    n = 10
    return total, outer()(), bump(by=2)


@program()
def late_binding_in_loops():
    fs = []
    for i in range(3):
        fs.append(lambda: i)
    gs = [lambda: j for j in range(3)]
    hs = [lambda j=j: j for j in range(3)]
    nested = [[lambda: (a, b) for b in range(2)] for a in range(2)]
    return [f() for f in fs], [g() for g in gs], [h() for h in hs], [[f() for f in r] for r in nested]


@program()
def free_variable_unbound():
    def f():
        return later

    f()
    later = 1


@program()
def deleted_free_variable():
    x = 1

    def f():
        return x

    del x
    return f()


@program()
def defaults_evaluated_once():
    base = 1

    def f(x=base, acc=[], *, k=base + 1):
        acc.append(x)
        return list(acc), k

    base = 100
    return f(), f(2), f(k=0), f.__defaults__, f.__kwdefaults__


@program()
def decorators():
    def shout(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            print("calling", f.__name__)
            return f(*args, **kwargs)
        return wrapper

    def times(n):
        print("times", n)
        return lambda f: lambda *a: n * f(*a)

    @shout
    @times(3)
    def f(x):
        """Doc."""
        return x + 1

    @shout
    def g(x):
        """Doc of g."""
        return x

    return f(1), g(2), g.__name__, g.__doc__, g.__wrapped__.__name__


@program()
def function_attributes():
    def f(a, b: int = 3, /, c=1, *rest: str, d, e=5, **kw) -> float:
        """The doc."""

    f.calls = 7
    import inspect
    return (f.__name__, f.__qualname__, f.__doc__, f.__module__, str(inspect.signature(f)),
            f.__annotations__, f.calls, f.__code__.co_argcount, callable(f))


@program((6,))
def recursion(n):
    def fact(k):
        return 1 if k == 0 else k * fact(k - 1)

    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return fact(n), even(n), odd(n)


@program((5,))
def lambdas(n):
    f = lambda x, y=2, *a, k=3, **kw: (x, y, a, k, kw, n)
    g = lambda: (yield_ := 3)
    return f(1), f(1, 2, 3, k=4, z=5), g(), (lambda *, q: q)(q=1), sorted([3, 1, 2], key=lambda v: -v)


@program()
def called_from_c_code():
    calls = []

    def key(x):
        calls.append(x)
        return -x

    return (sorted([2, 3, 1], key=key), calls, list(map(lambda x: x + 1, [1, 2])),
            functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), list(filter(lambda x: x % 2, range(5))),
            functools.partial(key, 5)())


@program((4,))
def generators(n):
    def count(k):
        i = 0
        while i < k:
            got = yield i
            if got:
                i = got
            i += 1
        return "done"

    def chain(k):
        r = yield from count(k)
        yield r

    g = count(10)
    sent = [next(g), g.send(6), next(g)]
    g.close()

    def cleanup():
        try:
            for i in range(5):
                try:
                    yield i
                except ValueError as e:
                    yield str(e)
                else:
                    yield "resumed"
        finally:
            print("closed")

    c = cleanup()
    log = [next(c), c.throw(ValueError("v")), next(c), next(c)]
    c.close()
    return list(count(n)), list(chain(n)), sent, log, sum(count(4)), dict(zip("ab", count(2)))


@program((3,))
def generator_expressions(n):
    xs = [1, 2, 3, 4]
    g = (x * n for x in xs if x % 2)
    n = 100
    xs = []
    lazy = (print("never") for _ in [1])
    return (list(g), sum(x for x in range(5)), any(x > 2 for x in range(5)), "".join(str(c) for c in "ab"),
            list((a, b) for a in range(3) for b in range(a) if a != 2), next(lazy, None),
            max((abs(v) for v in [-3, 2]), default=0), tuple((lambda: q)() for q in range(2)))


@program()
def generator_with_match_and_with():
    import contextlib

    @contextlib.contextmanager
    def manager(name):
        print("in", name)
        try:
            yield name
        finally:
            print("out", name)

    def g(items):
        for item in items:
            match item:
                case [a, b] if a > b:
                    yield "greater"
                case [a, b]:
                    yield a + b
                case {"x": x}:
                    with manager("m") as m, manager("n"):
                        yield m, x
                case _:
                    yield item if (yield "odd") else "x"

    return list(g([(1, 2), (2, 1), {"x": 3}, 5]))


@program()
def infinite_generator():
    def naturals():
        n = 0
        while True:
            yield n
            n += 1

    out = []
    for k in naturals():
        if k > 4:
            break
        out.append(k)
    return out


@program()
def global_statement():
    global COUNTER
    COUNTER = 5
    COUNTER += 1

    def inner():
        global COUNTER
        COUNTER += 10
        return COUNTER

    inner()
    result = COUNTER
    del COUNTER
    try:
        COUNTER
    except NameError as e:
        return result, str(e)
    finally:
        COUNTER = 0


@program()
def unknown_name():
    return not_defined_anywhere


@program()
def imports():
    import os.path
    import os.path as p
    import math as m
    from math import pi, sin as s
    from collections import abc
    if True:
        import json
    return os.path is p, m.pi == pi, s(0.0), abc.Sequence.__name__, json.dumps([1])


@program((0,), (1,))
def import_errors(k):
    if k:
        from math import nothing_there
    import no_such_module_anywhere


@program()
def classes():
    base = 10

    class Base:
        """Doc."""
        count = 0
        table = [base * i for i in range(3)]
        limit: int = 3

        def __init__(self, x):
            self.x = x
            type(self).count += 1
            self.__secret = x * 2

        def secret(self):
            return self.__secret + base

        @property
        def double(self):
            return 2 * self.x

        @double.setter
        def double(self, v):
            self.x = v / 2

        @classmethod
        def make(cls, x):
            return cls(x)

        @staticmethod
        def helper(a):
            return a + 1

        def who(self):
            return __class__.__name__

        def __repr__(self):
            return f"{type(self).__name__}({self.x})"

    class Derived(Base):
        count2 = Base.count + 1

        def __init__(self, x):
            super().__init__(x + 1)

        def secret(self):
            return -super().secret()

        def __init_subclass__(cls, tag=None):
            cls.tag = tag

    class Third(Derived, tag="t"):
        pass

    b, d, t = Base(1), Derived(2), Third.make(5)
    b.double = 8
    return (b, d, t, b.secret(), d.secret(), b.double, Base.helper(3), Base.count, Third.tag, b.who(),
            Base.__doc__, Base.__qualname__, Base.table, Base.__annotations__, Derived.count2,
            sorted(k for k in vars(Base) if not k.startswith("__")), b._Base__secret)


@program()
def class_scopes():
    x = "function"

    class A:
        x = x if False else "class"
        y = x
        z = [x for _ in range(1)]

        def f(self):
            return x

    class B:
        if True:
            w = 1
        for i in range(3):
            w += i
        del i

    return A.x, A.y, A.z, A().f(), B.w, hasattr(B, "i")


@program()
def class_body_name_error():
    x = 1

    class A:
        x = x


@program()
def dataclasses_enums_namedtuples():
    import collections
    import dataclasses
    import enum
    import typing

    @dataclasses.dataclass(frozen=True)
    class State:
        x: float
        v: float = 2.0
        log: list = dataclasses.field(default_factory=list)

        def step(self, dt):
            return dataclasses.replace(self, x=self.x + dt * self.v)

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

        @property
        def nice(self):
            return self.name.lower()

    class Pair(typing.NamedTuple):
        a: int
        b: int = 5

        def total(self):
            return self.a + self.b

    T = collections.namedtuple("T", "p q")
    s = State(1.0).step(0.5)
    return s, Color.RED.nice, Color(2), list(Color), Pair(1).total(), Pair(1), T(1, 2)._replace(q=3)


@program()
def operators_on_classes():
    class V:
        def __init__(self, v):
            self.v = v

        def __add__(self, o):
            return V(self.v + (o.v if isinstance(o, V) else o))

        __radd__ = __add__

        def __iadd__(self, o):
            self.v += 100
            return self

        def __lt__(self, o):
            return self.v < o.v

        def __bool__(self):
            print("bool")
            return self.v > 0

        def __call__(self, *a):
            return self.v, a

        def __getitem__(self, k):
            return k

        def __contains__(self, x):
            return x == self.v

        def __matmul__(self, o):
            return "matmul"

        def __neg__(self):
            return V(-self.v)

    a, b = V(1), V(2)
    c = a
    a += b
    return ((a + b).v, (1 + b).v, c.v, a < b, bool(not b), (b and 1), b(1, 2), b[1, ..., ::2],
            2 in b, a @ b, (-b).v, b[1:2, *[3, 4]], V(3)[None])


@program()
def slots_and_metaclass():
    class Meta(type):
        def __new__(m, name, bases, ns, extra=1):
            ns["made"] = (name, extra)
            return super().__new__(m, name, bases, ns)

        def __init__(cls, name, bases, ns, extra=1):
            super().__init__(name, bases, ns)

    class A(metaclass=Meta, extra=3):
        __slots__ = ("p", "__q")

        def __init__(self):
            self.p, self.__q = 1, 2

        def q(self):
            return self.__q

    a = A()
    try:
        a.r = 1
    except AttributeError as e:
        return A.made, a.q(), str(e)


@program((2,))
def introspection(n):
    a = n + 1
    names = sorted(locals())
    v = vars()["a"]
    e = eval("a + n")
    exec("print(a)")
    print(dir())
    g = globals()["COUNTER"]
    return names, v, e, g


@program()
def super_variants():
    class A:
        def f(self):
            return ["A"]

        @classmethod
        def g(cls):
            return [cls.__name__]

    class B(A):
        def f(self):
            return super(B, self).f() + ["B"]

        @classmethod
        def g(cls):
            return super().g() + ["B"]

    class C(B):
        def f(self):
            def helper(me):
                return super().f()
            return helper(self) + [x for x in super().f()]

    return B().f(), B.g(), C().f()


@program((1.5,))
def mathematics(x):
    return math.sin(x) ** 2 + math.cos(x) ** 2, math.hypot(3, 4), math.floor(-x), divmod(7, 2)


@program()
def singledispatch_and_cache():
    @functools.singledispatch
    def show(x):
        return "object"

    @show.register(int)
    def _(x):
        return "int"

    @functools.lru_cache(maxsize=None)
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return show(1), show("a"), fib(20), fib.cache_info().hits
