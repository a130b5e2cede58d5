"""What an object holds itself, where data decide which attributes are written and deleted."""

from __future__ import annotations

import copy
import functools

import pytest
from alike import Programs, check

import srcgrad as sg

PROGRAMS = Programs()


class P:
    q = 4.0

    def __init__(self, **k):
        self.__dict__.update(k)


class N:
    def __init__(self, **k):
        self.__dict__.update(k)


def calls(cls, *ks):
    ks = ks or ({"a": 1.0}, {"a": 1.0, "q": 3.0})
    return tuple((lambda x=x, k=k: (x, cls(**k))) for k in ks for x in (1.5, -1.5))


def asks():
    def in_dict(x, o):
        return 2 * x if "q" in o.__dict__ else 3 * x

    def in_vars(x, o):
        return 2 * x if "q" in vars(o) else 3 * x

    def dict_get(x, o):
        return x * o.__dict__.get("q", 7.0)

    def has(x, o):
        return 2 * x if hasattr(o, "q") else 3 * x

    def get(x, o):
        return x * getattr(o, "q", 11.0)

    def size(x, o):
        return x * len(o.__dict__)

    def keys(x, o):
        s = 0.0
        for k in o.__dict__:
            s += x * len(k)
        return s

    def keys_order(x, o):
        s = 1.0
        for i, k in enumerate(o.__dict__):
            s = s * 2.0 + x * len(k) * (i + 1)
        return s

    def values(x, o):
        return x * sum(o.__dict__.values())

    def items(x, o):
        s = 0.0
        for k, v in vars(o).items():
            s += v * x * len(k)
        return s

    def sorted_(x, o):
        return x * sum(v * (i + 1) for i, (k, v) in enumerate(sorted(vars(o).items())))

    def lst(x, o):
        return x * len(list(o.__dict__))

    def pop(x, o):
        return x * o.__dict__.pop("q", 13.0) + (x if "q" in vars(o) else 0.0)

    def setdefault(x, o):
        return x * o.__dict__.setdefault("q", 13.0) + o.q

    def sub(x, o):
        try:
            return x * o.__dict__["q"]
        except KeyError:
            return 17 * x

    def truth(x, o):
        return 2 * x if o.__dict__ else 3 * x

    def copy_(x, o):
        c = copy.copy(o)
        return x * getattr(c, "q", 19.0) * (2.0 if "q" in vars(c) else 1.0)

    def direct(x, o):
        try:
            return o.q * x
        except AttributeError:
            return 31 * x

    def both(x, o):
        return x * (1.0 if "a" in vars(o) and "q" in vars(o) else 2.0)

    def comp(x, o):
        return x * sum({k: 2 * v for k, v in vars(o).items()}.values())

    def eq(x, o):
        return x if vars(o) == {"a": 1.0} else 2 * x

    def notin(x, o):
        if "q" not in o.__dict__:
            o.q = 2 * x
        return o.q * x

    return [v for v in locals().values()]


def changes():
    def none(x, o):
        pass

    def set_branch(x, o):
        if x > 0:
            o.q = x

    def del_branch(x, o):
        if x > 0 and hasattr(o, "q") and "q" in vars(o):
            del o.q

    def set_else_del(x, o):
        o.q = 2 * x
        if x > 0:
            del o.q

    def set_known(x, o):
        o.q = x

    def set_del_known(x, o):
        o.q = x
        del o.q

    def setdict_branch(x, o):
        if x > 0:
            o.__dict__["q"] = x

    def popdict(x, o):
        if x > 0:
            vars(o).pop("q", None)

    def both_arms(x, o):
        if x > 0:
            o.q = x
        else:
            o.q = 2 * x

    def loop(x, o):
        for i in range(3):
            if x * i > 1:
                o.q = x * i

    def nested(x, o):
        if x > 0:
            if x > 1:
                o.q = x
        else:
            o.z = x

    return [v for v in locals().values()]


def combine(change, ask, kind, cls):
    if kind == "out":

        def prog(x, o):
            change(x, o)
            return ask(x, o)
    else:

        def prog(x, p):
            o = cls(a=2 * x)
            change(x, o)
            return ask(x, o)

    prog.__name__ = f"{cls.__name__}_{kind}_{change.__name__}_{ask.__name__}"
    return prog


for i, change in enumerate(changes()):
    for j, ask in enumerate(asks()):
        for k, (cls, kind) in enumerate(((P, "out"), (N, "in"), (P, "in"), (N, "out"))):
            if (i + j) % 4 == k or (change.__name__, k) == ("set_branch", 0):
                given = calls(cls) if kind == "out" else calls(cls)[:2]
                PROGRAMS.called(*given)(combine(change, ask, kind, cls))


@pytest.mark.parametrize(("function", "calls", "refused"), PROGRAMS.cases)
def test_own_attributes(function, calls, refused):
    check(function, calls, refused)


class Kept:
    def __init__(self, q):
        self.q = q

    @functools.cached_property
    def Q(self):
        return self.q * 3.0


class Default:
    Q = 2.1

    def __init__(self, q):
        self.q = q


def written_where_large(q, y, obj):
    if y > 0.4:
        obj.__dict__["Q"] = q * 5
    return obj.Q


def asked_for(q, y, obj):
    return obj.Q * q if "Q" in obj.__dict__ else q


def changed_where_large(q, y, obj):
    if y > 0.4:
        obj.__dict__["Q"] = obj.__dict__["Q"] * q if "Q" in obj.__dict__ else y
    return obj.Q


def with_a_default(q, y, obj):
    return vars(obj).get("Q", 0.5) * q


def written_with_a_default(q, y, obj):
    if y > 0.4:
        obj.__dict__["Q"] = q
    return vars(obj).get("Q", 0.5) * q


def changed_in_a_loop(q, y, obj):
    s = 0.0
    for k in range(3):
        if y * k > 0.4:
            obj.__dict__["Q"] = obj.__dict__["Q"] * q if "Q" in obj.__dict__ else y
        s = s + obj.Q
    return s


@pytest.mark.parametrize("there", [(False, True, False), (True, False, True)])
@pytest.mark.parametrize("cls", [Kept, Default])
@pytest.mark.parametrize("use", [written_where_large, asked_for, changed_where_large, with_a_default,
                                 written_with_a_default, changed_in_a_loop])
def test_each_call_asks_whether_an_attribute_is_its_own(use, cls, there):
    for y in (0.5, 0.3):
        derivative = sg.value_and_grad(use)
        for own in there:
            plain, mine = cls(0.7), cls(0.7)
            for obj in (plain, mine):
                vars(obj).update({"Q": 2.1} if own else {})
            assert derivative(0.45, y, mine)[0] == use(0.45, y, plain)
            assert vars(mine) == vars(plain)
