"""Copies of objects that the program has changed before."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest
from alike import Programs, check

PROGRAMS = Programs()


class P:
    def __init__(self, a, b):
        self.a, self.b = a, b


@dataclasses.dataclass
class DC:
    a: float
    b: float = 2.0
    l: list = dataclasses.field(default_factory=lambda: [1.0])


class PC(P):
    def __copy__(self):
        return PC(self.a * 2, self.b)

    def __deepcopy__(self, memo):
        return PC(copy.deepcopy(self.a, memo) * 3, self.b)


class PR(P):
    def __reduce__(self):
        return (PR, (self.a * 5, self.b))


class PRX(P):
    def __reduce_ex__(self, protocol):
        return (PRX, (self.a * 5, self.b))


class PS(P):
    def __getstate__(self):
        return {"a": self.a * 2, "b": self.b}

    def __setstate__(self, s):
        self.a, self.b = s["a"], s["b"] + 1


class PN(P):
    def __getnewargs__(self):
        return (self.a, self.b)

    def __new__(cls, a, b):
        o = super().__new__(cls)
        o.extra = 3.0
        return o


class SL:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class Tree:
    def __init__(self, v, kids=()):
        self.v, self.kids = v, list(kids)


def both(cls):
    return (lambda: (1.5, cls(2.0, 3.0)), lambda: (-1.5, cls(4.0, 5.0)))


for cls in (P, PC, PR, PRX, PS, PN, SL):

    def mk(cls):
        ns = {}

        def copy_changed(x, o):
            o.a = x * x
            c = copy.copy(o)
            c.b = c.a + x
            return o.a * o.b + c.a * c.b

        def copy_branch(x, o):
            if x > 0:
                o.a = x * x
            c = copy.copy(o)
            c.a = c.a * x
            return o.a * 7 + c.a * c.b

        def deepcopy_branch(x, o):
            if x > 0:
                o.a = x * x
            c = copy.deepcopy(o)
            c.a = c.a * x
            return o.a * 7 + c.a * c.b

        def deep_changed(x, o):
            o.a = x * x
            c = copy.deepcopy(o)
            o.a = x
            return o.a * o.b + c.a * c.b

        for f in (copy_changed, copy_branch, deepcopy_branch, deep_changed):
            f.__name__ += "_" + cls.__name__
            PROGRAMS.called(*both(cls))(f)

    mk(cls)


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def dict_of_dict(x, o):
    o.a = x
    d = dict(o.__dict__)
    o.a = 2 * x
    return d["a"] * d["b"] + o.a


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def vars_copy(x, o):
    o.a = x
    o.c = 3 * x
    d = vars(o).copy()
    o.a = 2 * x
    return d["a"] * d["c"] + o.a + len(d)


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def vars_copy_branch(x, o):
    if x > 0:
        o.a = x
        o.c = 3 * x
    d = vars(o).copy()
    o.a = 2 * x
    return d["a"] * d.get("c", 4.0) + o.a + len(d) * x


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def dict_star(x, o):
    if x > 0:
        o.a = x
    d = {**o.__dict__}
    o.a = 2 * x
    return d["a"] * d["b"] + o.a


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def dict_or(x, o):
    if x > 0:
        o.a = x
    d = o.__dict__ | {"z": x}
    o.a = 2 * x
    return d["a"] * d["b"] + o.a * d["z"]


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def dict_update(x, o):
    o.__dict__.update(a=x, c=x * x)
    n = P(0.0, 0.0)
    n.__dict__.update(o.__dict__)
    return n.a * n.b * n.c


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def dict_comp(x, o):
    o.a = x
    if x > 0:
        o.b = x * x
    d = {k: v * 2 for k, v in o.__dict__.items()}
    return d["a"] * d["b"]


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def vars_sum(x, o):
    o.a = x
    if x > 0:
        o.c = x * x
    return sum(vars(o).values()) * x


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def new_from_dict(x, o):
    o.a = x
    n = P.__new__(P)
    n.__dict__ = dict(o.__dict__)
    n.b = x * x
    return n.a * n.b + o.b


@PROGRAMS.called(lambda: (1.5, P(2.0, 3.0)), lambda: (-1.5, P(4.0, 5.0)))
def kwargs_from_dict(x, o):
    if x > 0:
        o.a = x
    n = P(**vars(o))
    n.b = x * x
    return n.a * n.b + o.b


@PROGRAMS.called(lambda: (1.5, DC(2.0)), lambda: (-1.5, DC(4.0)))
def replace_changed(x, o):
    o.a = x
    n = dataclasses.replace(o, b=x * x)
    n.l.append(x)
    return n.a * n.b * len(o.l) + o.b


@PROGRAMS.called(lambda: (1.5, DC(2.0)), lambda: (-1.5, DC(4.0)))
def replace_branch(x, o):
    if x > 0:
        o.a = x
        o.l.append(x)
    n = dataclasses.replace(o, b=x * x)
    o.a = 17.0
    return n.a * n.b * n.l[-1] + o.b


@PROGRAMS.called(lambda: (1.5, DC(2.0)), lambda: (-1.5, DC(4.0)))
def asdict_changed(x, o):
    if x > 0:
        o.a = x
    o.l.append(x)
    d = dataclasses.asdict(o)
    o.l[0] = x
    t = dataclasses.astuple(o)
    return d["a"] * d["b"] * d["l"][0] + t[2][0]


@PROGRAMS.called(lambda: (1.5, DC(2.0)), lambda: (-1.5, DC(4.0)))
def copy_list_shared(x, o):
    c = copy.copy(o)
    c.l.append(x)
    o.l[0] = x * x
    return o.l[-1] * c.l[0] * len(o.l)


@PROGRAMS.called(lambda: (1.5, DC(2.0)), lambda: (-1.5, DC(4.0)))
def deep_list(x, o):
    o.l[0] = x * x
    c = copy.deepcopy(o)
    c.l.append(x)
    o.l[0] = x
    return o.l[-1] * c.l[0] * len(o.l)


@PROGRAMS.called(
    lambda: (1.5, Tree(1.0, [Tree(2.0), Tree(3.0)])), lambda: (-1.5, Tree(1.0, [Tree(2.0)]))
)
def tree_deep(x, t):
    t.kids[0].v = x
    t.kids.append(Tree(x))
    c = copy.deepcopy(t)
    t.kids[0].v = 100.0
    return sum(k.v for k in c.kids) * x


@PROGRAMS.called(
    lambda: (1.5, Tree(1.0, [Tree(2.0), Tree(3.0)])),
    lambda: (-1.5, Tree(1.0, [Tree(2.0), Tree(2.0)])),
)
def tree_deep_branch(x, t):
    if x > 0:
        t.kids[0].v = x
        t.v = x * x
    c = copy.deepcopy(t)
    t.kids[0].v = 100.0
    return sum(k.v for k in c.kids) * c.v


@PROGRAMS.called(
    lambda: (1.5, P(2.0, 3.0), 3), lambda: (-1.5, P(4.0, 5.0), 2), lambda: (1.1, P(4.0, 5.0), 20)
)
def copy_loop(x, o, n):
    s = 0.0
    for i in range(n):
        o.a = o.a * 0.5 + x
        c = copy.copy(o)
        c.a += i
        s += c.a
    return s


@PROGRAMS.called(
    lambda: (1.5, P(2.0, 3.0), 3), lambda: (-1.5, P(4.0, 5.0), 2), lambda: (1.1, P(4.0, 5.0), 20)
)
def copy_hist(x, o, n):
    hist = []
    for i in range(n):
        o.a = o.a * 0.5 + x
        hist.append(copy.copy(o))
    return sum(h.a for h in hist)


@PROGRAMS.called(
    lambda: (1.5, [P(2.0 * i, 3.0) for i in range(20)]), lambda: (-1.5, [P(4.0, 5.0), P(2.0, 1.0)])
)
def copy_all(x, objs):
    for o in objs:
        if o.a > 3:
            o.a = x
    cs = [copy.copy(o) for o in objs]
    for c in cs:
        c.a *= 2
    return sum(o.a for o in objs) + sum(c.a * c.b for c in cs)


@PROGRAMS.called(
    lambda: (1.5, [P(2.0 * i, 3.0) for i in range(20)]), lambda: (-1.5, [P(4.0, 5.0), P(2.0, 1.0)])
)
def deepcopy_all(x, objs):
    for o in objs:
        if o.a > 3:
            o.a = x
    cs = copy.deepcopy(objs)
    for c in cs:
        c.a *= 2
    return sum(o.a for o in objs) + sum(c.a * c.b for c in cs)


@PROGRAMS.called(lambda: (1.5, {"k": P(1.0, 2.0)}), lambda: (-1.5, {"k": P(1.0, 2.0)}))
def dict_deep(x, d):
    d["k"].a = x
    d["z"] = x
    c = copy.deepcopy(d)
    d["k"].a = 55.0
    e = copy.copy(d)
    d["z"] = 3.0
    return c["k"].a * e["z"] * e["k"].a


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def in_copy(x):
    o = P(x, 2.0)
    if x > 0:
        o.c = x
    c = copy.copy(o)
    o.a = 9.0
    return c.a * getattr(c, "c", 3.0)


@PROGRAMS.called(lambda: (1.5, P(1.0, 2.0)), lambda: (-1.5, P(1.0, 2.0)))
def out_copy_maybe(x, o):
    if x > 0:
        o.c = x
    c = copy.copy(o)
    o.a = 9.0
    return c.a * x * getattr(c, "c", 3.0)


@PROGRAMS.called(lambda: (1.5, P(1.0, 2.0)), lambda: (-1.5, P(1.0, 2.0)))
def out_copy_deleted(x, o):
    if x > 0:
        del o.b
    c = copy.copy(o)
    return c.a * x * getattr(c, "b", 3.0)


@PROGRAMS.called(lambda: (1.5, P(1.0, 2.0)), lambda: (-1.5, P(1.0, 2.0)))
def out_copy_deleted_known(x, o):
    del o.b
    o.c = x
    c = copy.copy(o)
    e = copy.deepcopy(o)
    return c.a * x * getattr(c, "b", 3.0) * c.c * len(vars(e))


@PROGRAMS.called(lambda: (1.5, SL(1.0, 2.0)), lambda: (-1.5, SL(1.0, 2.0)))
def sl_deleted(x, o):
    if x > 0:
        del o.b
    c = copy.copy(o)
    return c.a * x * getattr(c, "b", 3.0)


class M:
    def __init__(self):
        self.w = np.array([1.0, 2.0])
        self.n = 0

    def clone(self):
        c = M()
        c.__dict__.update(self.__dict__)
        return c

    def clone2(self):
        c = type(self).__new__(type(self))
        c.__dict__ = self.__dict__.copy()
        return c

    def clone3(self):
        return copy.deepcopy(self)


@PROGRAMS.called(lambda: (1.5, M()), lambda: (-1.5, M()))
def clones(x, m):
    m.w = m.w * x
    m.n += 1
    c, c2, c3 = m.clone(), m.clone2(), m.clone3()
    m.w[0] = x * x
    c3.w[1] = 5.0
    return c.w[0] * c2.w[0] + c3.w[0] + m.w[1] * c.n


@PROGRAMS.called(lambda: (1.5, M()), lambda: (-1.5, M()))
def clones_in_place(x, m):
    m.w *= x
    c, c2, c3 = m.clone(), m.clone2(), m.clone3()
    m.w[0] = x * x
    c3.w[1] = 5.0
    return c.w[0] * c2.w[0] + c3.w[0] + m.w[1]


@PROGRAMS.called(lambda: (1.5, M()))
def k1(x, m):
    m.w = m.w * x
    c = m.clone()
    return c.w[0]


@PROGRAMS.called(lambda: (1.5, M()))
def k2(x, m):
    m.w = m.w * x
    c = m.clone2()
    return c.w[0] * c.n


@PROGRAMS.called(lambda: (1.5, M()))
def k3(x, m):
    c = M()
    c.__dict__ = m.__dict__.copy()
    return c.w[0] * x


@PROGRAMS.called(lambda: (1.5, M()), refused=True)
def k4(x, m):
    c = M.__new__(M)
    c.__dict__ = m.__dict__
    c.w = m.w * x
    return c.w[0] * x + m.w[0]


@PROGRAMS.called(lambda: (1.5, M()))
def k5(x, m):
    c = M.__new__(M)
    d = {"w": m.w * x, "n": 3}
    c.__dict__ = d
    d["n"] = 5
    return c.w[0] * x * c.n


@PROGRAMS.called(lambda: (1.5, M()))
def k6(x, m):
    c = M()
    d = dict(m.__dict__)
    c.__dict__ = d
    c.n = 5
    return c.w[0] * x * d["n"]


@PROGRAMS.called(lambda: (1.5, M()), refused=True)
def k7(x, m):
    m.__dict__ = {"w": m.w * x, "n": 4}
    return m.w[0] * x * m.n


@pytest.mark.parametrize(("function", "calls", "refused"), PROGRAMS.cases)
def test_copied_objects(function, calls, refused):
    check(function, calls, refused)
