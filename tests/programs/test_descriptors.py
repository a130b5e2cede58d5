"""Descriptors of the program's, and attributes that its code finds, sets and deletes."""

from __future__ import annotations

import pytest
from alike import Programs, check

PROGRAMS = Programs()


class Desc:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        return obj.__dict__.get(self.name, 5.0)

    def __set__(self, obj, v):
        obj.__dict__[self.name] = v * 2

    def __delete__(self, obj):
        obj.__dict__.pop(self.name, None)
        obj.deleted = True


class A:
    q = Desc()

    def __init__(self, q):
        self.q = q


class SetOnly:
    def __set_name__(self, owner, name):
        self.name = name

    def __set__(self, obj, v):
        obj.__dict__[self.name] = v * 3


class B:
    q = SetOnly()

    def __init__(self, q):
        self.q = q


class B2:
    q = SetOnly()


class GetOnly:
    def __get__(self, obj, owner=None):
        return 7.0 if obj is None else 9.0 * obj.k


class C:
    q = GetOnly()

    def __init__(self, k):
        self.k = k


class DelOnly:
    def __delete__(self, obj):
        obj.gone = True


class D:
    q = DelOnly()

    def __init__(self, k):
        self.k = k


class Raising:
    def __get__(self, obj, owner=None):
        return obj.k

    def __set__(self, obj, v):
        raise AttributeError("read only q")

    def __delete__(self, obj):
        raise AttributeError("cannot delete q")


class E:
    q = Raising()

    def __init__(self, k):
        self.k = k


class DA:
    def __init__(self, k):
        self.k = k

    def __delattr__(self, name):
        self.count = getattr(self, "count", 0) + 1
        object.__delattr__(self, name)


class DA2:
    def __init__(self, k):
        self.k = k

    def __delattr__(self, name):
        super().__setattr__("last", name)


class SA:
    def __init__(self, k):
        self.k = k

    def __setattr__(self, name, v):
        super().__setattr__(name, v * 2 if name == "k" else v)


class SA2:
    def __init__(self, k):
        self.k = k

    def __setattr__(self, name, v):
        self.__dict__[name] = v + 1


class GA:
    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        if name.startswith("k_"):
            return self.k * len(name)
        raise AttributeError(name)


class GA2:
    def __init__(self, k):
        self.data = {"k": k}

    def __getattr__(self, name):
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(name) from None


@PROGRAMS.called(lambda: (1.5, A(2.0)), lambda: (-1.5, A(3.0)))
def del_desc(x, a):
    del a.q
    return x * a.q


@PROGRAMS.called(lambda: (1.5, A(2.0)), lambda: (-1.5, A(3.0)))
def del_desc_branch(x, a):
    if x > 0:
        del a.q
    return x * a.q


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def del_desc_in(x):
    a = A(x)
    if x > 0:
        del a.q
    return x * a.q + (10 * x if hasattr(a, "deleted") else 0.0)


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def del_desc_known_in(x):
    a = A(x)
    del a.q
    a.q = 3 * x
    del a.q
    return x * a.q + (10 * x if hasattr(a, "deleted") else 0.0)


@PROGRAMS.called(lambda: (1.5, A(2.0), 3), lambda: (-1.5, A(2.0), 2))
def del_desc_loop(x, a, n):
    s = 0.0
    for i in range(n):
        a.q = x * i
        s += a.q * x
        del a.q
        s += a.q * x
    return s


@PROGRAMS.called(lambda: (1.5, B(2.0)), lambda: (-1.5, B(3.0)))
def setonly(x, b):
    b.q = x
    return b.q * x


@PROGRAMS.called(lambda: (1.5, B(2.0)), lambda: (-1.5, B(3.0)))
def setonly_branch(x, b):
    if x > 0:
        b.q = x
    return b.q * x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def setonly_in(x):
    b = B(x)
    if x > 0:
        b.q = x * x
    return b.q * x


@PROGRAMS.called(lambda: (1.5, B(2.0)), lambda: (-1.5, B(3.0)))
def setonly_del(x, b):
    try:
        del b.q
    except AttributeError as e:
        return x * 100
    return x


@PROGRAMS.called(lambda: (1.5, B2()), lambda: (-1.5, B2()))
def setonly_unset(x, b):
    d = b.q
    return x if isinstance(d, SetOnly) else 2 * x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def setonly_unset_in(x):
    b = B2()
    d = b.q
    if isinstance(d, SetOnly):
        b.q = x
    return x * b.q


@PROGRAMS.called(lambda: (1.5, C(2.0)), lambda: (-1.5, C(3.0)))
def getonly(x, c):
    s = c.q * x
    c.q = x
    s += c.q * x
    del c.q
    return s + c.q * x + C.q


@PROGRAMS.called(lambda: (1.5, C(2.0)), lambda: (-1.5, C(3.0)))
def getonly_branch(x, c):
    if x > 0:
        c.q = x
    return c.q * x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def getonly_branch_in(x):
    c = C(x)
    if x > 0:
        c.q = x
    s = c.q * x
    if x > 0:
        del c.q
    return s + c.q * x


@PROGRAMS.called(lambda: (1.5, D(2.0)), lambda: (-1.5, D(3.0)))
def delonly(x, d):
    del d.q
    return x * d.k if d.gone else 0.0


@PROGRAMS.called(lambda: (1.5, D(2.0)), lambda: (-1.5, D(3.0)))
def delonly_set(x, d):
    try:
        d.q = x
    except AttributeError:
        return x * 7
    return x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def delonly_in(x):
    d = D(x)
    del d.q
    try:
        d.q = x
    except AttributeError:
        return x * 7
    return x


@PROGRAMS.called(lambda: (1.5, E(2.0)), lambda: (-1.5, E(3.0)))
def raising(x, e):
    s = e.q * x
    try:
        e.q = x
    except AttributeError as err:
        s += len(str(err)) * x
    try:
        del e.q
    except AttributeError as err:
        s += len(str(err)) * x
    return s


@PROGRAMS.called(lambda: (1.5, E(2.0)), lambda: (-1.5, E(3.0)))
def raising_branch(x, e):
    if x > 0:
        del e.q
    return x * e.q


@PROGRAMS.called(lambda: (1.5, DA(2.0)), lambda: (-1.5, DA(3.0)))
def delattr_(x, o):
    o.z = x
    del o.z
    if hasattr(o, "z"):
        return 100 * x
    return x * o.count


@PROGRAMS.called(lambda: (1.5, DA(2.0)), lambda: (-1.5, DA(3.0)))
def delattr_branch(x, o):
    o.z = x
    if x > 0:
        del o.z
    if hasattr(o, "z"):
        return 100 * x
    return x * o.count


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def delattr_branch_in(x):
    o = DA(x)
    o.z = x
    if x > 0:
        del o.z
    if hasattr(o, "z"):
        return 100 * x
    return x * o.count


@PROGRAMS.called(lambda: (1.5, DA2(2.0)), lambda: (-1.5, DA2(3.0)))
def delattr2(x, o):
    del o.k
    delattr(o, "nothing")
    return x * o.k * len(o.last)


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def delattr2_in(x):
    o = DA2(x)
    del o.k
    delattr(o, "nothing")
    return x * o.k * len(o.last)


@PROGRAMS.called(lambda: (1.5, SA(2.0)), lambda: (-1.5, SA(3.0)))
def setattr_(x, o):
    o.k = x
    o.j = x
    setattr(o, "k", o.k * x)
    return o.k * o.j


@PROGRAMS.called(lambda: (1.5, SA(2.0)), lambda: (-1.5, SA(3.0)))
def setattr_branch(x, o):
    if x > 0:
        o.k = x
    o.k += x
    return o.k


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def setattr_in(x):
    o = SA(x)
    if x > 0:
        o.k = x
    o.k += x
    object.__setattr__(o, "k", o.k * 3)
    return o.k


@PROGRAMS.called(lambda: (1.5, SA2(2.0)), lambda: (-1.5, SA2(3.0)))
def setattr2(x, o):
    if x > 0:
        o.k = x
    o.j = x
    return o.k * o.j


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def setattr2_in(x):
    o = SA2(x)
    if x > 0:
        o.k = x
    o.j = x
    return o.k * o.j * len(o.__dict__)


@PROGRAMS.called(lambda: (1.5, GA(2.0)), lambda: (-1.5, GA(3.0)))
def getattr_(x, o):
    s = o.k_abc * x
    o.k_abc = x
    s += o.k_abc
    del o.k_abc
    return s + o.k_abc + getattr(o, "zz", 3.0 * x)


@PROGRAMS.called(lambda: (1.5, GA(2.0)), lambda: (-1.5, GA(3.0)))
def getattr_branch(x, o):
    if x > 0:
        o.k_abc = x
    s = o.k_abc * x
    if x > 1:
        o.k = x
    return s + o.k_ab * x + (0.0 if hasattr(o, "nope") else x)


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def getattr_branch_in(x):
    o = GA(x)
    if x > 0:
        o.k_abc = x
    s = o.k_abc * x
    if x > 1:
        o.k = x
    return s + o.k_ab * x + (0.0 if hasattr(o, "nope") else x)


@PROGRAMS.called(lambda: (1.5, GA2(2.0)), lambda: (-1.5, GA2(3.0)))
def getattr2(x, o):
    if x > 0:
        o.data["z"] = x
    return getattr(o, "z", 2 * x) * o.k


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def getattr2_in(x):
    o = GA2(x)
    if x > 0:
        o.data["z"] = x
    return getattr(o, "z", 2 * x) * o.k


@PROGRAMS.called(
    lambda: (1.5, GA2(2.0)),
    lambda: (-1.5, GA2(3.0)),
    lambda: (-1.5, (lambda g: (g.data.update(z=4.0), g)[1])(GA2(3.0))),
)
def getattr2_read(x, o):
    return getattr(o, "z", 2 * x) * o.k


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def made_desc(x):
    class Local:
        q = Desc()
        p = SetOnly()

    l = Local()
    l.q = x
    l.p = x
    s = l.q * l.p
    del l.q
    return s + l.q * x


class Base:
    def __init_subclass__(cls, scale=1.0, **k):
        super().__init_subclass__(**k)
        cls.scale = scale


class Sub(Base, scale=3.0):
    pass


@PROGRAMS.called(lambda: (1.5, Sub()), lambda: (-1.5, Sub()))
def init_subclass(x, o):
    class Sub2(Base, scale=x):
        pass

    return x * o.scale + Sub2.scale * Sub2().scale


class Typed:
    def __init__(self, low):
        self.low = low

    def __set_name__(self, owner, name):
        self.name = name
        owner.fields = getattr(owner, "fields", ()) + (name,)

    def __get__(self, obj, owner=None):
        if obj is None:
            return self
        try:
            return obj.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name) from None

    def __set__(self, obj, v):
        if v < self.low:
            raise ValueError(f"{self.name} too low")
        obj.__dict__[self.name] = v

    def __delete__(self, obj):
        del obj.__dict__[self.name]


class Cfg:
    a = Typed(0.0)
    b = Typed(-10.0)

    def __init__(self, a, b):
        self.a, self.b = a, b


@PROGRAMS.called(lambda: (1.5, Cfg(1.0, 2.0)), lambda: (-1.5, Cfg(1.0, 2.0)))
def typed(x, c):
    c.b = x
    try:
        c.a = x
    except ValueError as e:
        return c.a * x * len(str(e))
    return c.a * c.b * x * len(Cfg.fields)


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def typed_in(x):
    c = Cfg(2.0, x)
    if x > 0:
        del c.a
    if hasattr(c, "a"):
        return c.a * x
    return c.b * x


@PROGRAMS.called(lambda: (1.5, Cfg(1.0, 2.0)), lambda: (-1.5, Cfg(1.0, 2.0)))
def typed_del(x, c):
    if x > 0:
        del c.a
    if hasattr(c, "a"):
        return c.a * x
    return c.b * x


@PROGRAMS.called(lambda: (1.5, Cfg(1.0, 2.0)), lambda: (-1.5, Cfg(1.0, 2.0)))
def typed_del_known(x, c):
    del c.a
    return c.b * x * getattr(c, "a", 4.0)


@PROGRAMS.called(
    lambda: (1.6, [A(float(i)) for i in range(20)]), lambda: (-1.6, [A(float(i)) for i in range(3)])
)
def desc_list(x, objs):
    s = 0.0
    for o in objs:
        if o.q * x > 3.0:
            del o.q
        s += x * o.q
    return s


@PROGRAMS.called(lambda: (1.5, 20), lambda: (-1.5, 3))
def desc_list_in(x, n):
    objs = [A(x * i) for i in range(n)]
    s = 0.0
    for o in objs:
        if o.q * x > 3.0:
            del o.q
        s += x * o.q
    return s


class Q:
    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        if name == "z":
            raise AttributeError(name)
        return 1.0


@PROGRAMS.called(lambda: (1.5, 1), lambda: (-1.5, 1))
def hasattr_raises(x, n):
    o = GA2(x)
    if x > 0:
        o.data["z"] = x
    if hasattr(o, "z"):
        return 3 * x
    return x


@PROGRAMS.called(lambda: (1.5, 1), lambda: (-1.5, 1))
def try_raises(x, n):
    o = GA2(x)
    if x > 0:
        o.data["z"] = x
    try:
        v = o.z
    except AttributeError:
        v = 7 * x
    return v * x


class PropRaise:
    def __init__(self, k):
        self.k = k

    @property
    def z(self):
        if self.k > 0:
            return self.k
        raise AttributeError("no z")


@PROGRAMS.called(lambda: (1.5, PropRaise(1.0)), lambda: (1.5, PropRaise(-1.0)))
def prop_raise(x, o):
    return getattr(o, "z", 3.0) * x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def prop_raise_in(x):
    o = PropRaise(x)
    return getattr(o, "z", 3.0) * x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def prop_raise_has(x):
    o = PropRaise(x)
    return 5 * x if hasattr(o, "z") else 2 * x


@pytest.mark.parametrize(("function", "calls", "refused"), PROGRAMS.cases)
def test_descriptors(function, calls, refused):
    check(function, calls, refused)
