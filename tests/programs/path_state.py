"""State that only some paths set: attributes, keys of dicts, items of sets, names."""

from __future__ import annotations

import collections
import math

import numpy as np

V = np.array([0.3, -1.0, 2.0, 0.7])
U = np.array([-0.23, -1.0, 2.0, 0.7])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Obj:
    pass


class Lazy:
    def __init__(self, a):
        self.a = a

    def get(self):
        if not hasattr(self, "c"):
            self.c = np.sin(self.a) * 2
        return self.c

    def dget(self):
        c = self.__dict__.get("c")
        if c is None:
            c = np.cos(self.a)
            self.__dict__["c"] = c
        return c


class Cache:
    def __init__(self, a):
        self.a = a
        self._cache = None

    def val(self):
        if self._cache is None:
            self._cache = np.exp(self.a)
        return self._cache


@case(V)
def attr_hasattr(x):
    o = Obj()
    if x[0] > 0:
        o.c = x[1] * 2
    if hasattr(o, "c"):
        return o.c * x[0]
    return x[2]


@case(-V)
def attr_hasattr_n(x):
    o = Obj()
    if x[0] > 0:
        o.c = x[1] * 2
    if hasattr(o, "c"):
        return o.c * x[0]
    return x[2] * x[0]


@case(V)
def attr_getdef(x):
    o = Obj()
    if x[0] < 0:
        o.c = x[1] * 2
    return getattr(o, "c", x[3] * 3) * x[0]


@case(V)
def attr_try(x):
    o = Obj()
    if x[0] < 0:
        o.c = x[1] * 2
    try:
        z = o.c
    except AttributeError:
        z = x[2] * x[3]
    return z * x[0]


@case(V)
def lazy_loop(x):
    m = Lazy(x)
    s = 0.0
    for v in x:
        if v > 0:
            s += np.sum(m.get()) * v
    return s


@case(V)
def lazy_dget(x):
    m = Lazy(x)
    s = 0.0
    for v in x:
        if v > 0:
            s += np.sum(m.dget()) * v
    return s


@case(V)
def lazy_cache(x):
    m = Cache(x)
    s = 0.0
    for v in x:
        if v < 0:
            s += np.sum(m.val()) * v
    return s


@case(V)
def lazy_while(x):
    m = Lazy(x)
    s = 0.0
    i = 0
    while s < 3.0 and i < 4:
        if x[i] > 0:
            s = s + m.get()[0]
        i += 1
    return s + (m.c[1] if hasattr(m, "c") else 0.0)


@case(V)
def init_in_loop(x):
    o = Obj()
    for v in x:
        if not hasattr(o, "t"):
            o.t = v * 2
        else:
            o.t = o.t * v + 1
    return o.t


@case(V)
def dict_get(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[1]
    return d.get("a", x[2]) * x[3]


@case(-V)
def dict_get2(x):
    d = {"b": x[0]}
    if x[0] > 0:
        d["a"] = x[1]
    return d.get("a", x[2]) * x[3] + d["b"]


@case(V)
def dict_in(x):
    d = {}
    for v in x:
        if v < 0:
            d["neg"] = v
        if "pos" not in d:
            d["pos"] = v * 2
    s = d["pos"]
    if "neg" in d:
        s = s * d["neg"]
    return s


@case(V)
def dict_setdefault(x):
    d = {}
    s = 0.0
    for v in x:
        if v > 0:
            s += d.setdefault("k", v * 3)
    return s


@case(V)
def dict_pop(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[1] * x[1]
    v = d.pop("a", None)
    if v is None:
        return x[0]
    return v


@case(V)
def dict_try(x):
    d = {}
    if x[0] < 0:
        d["a"] = x[1] * x[1]
    try:
        z = d["a"]
    except KeyError:
        z = x[0] * 2
    return z * x[2]


@case(V)
def dict_len(x):
    d = {"z": x[0]}
    if x[0] > 0:
        d["a"] = x[1]
    if x[1] > 0:
        d["b"] = x[2]
    return len(d) * x[0]


@case(V)
def dict_items(x):
    d = {"z": x[0]}
    if x[0] > 0:
        d["a"] = x[1]
    if x[1] > 0:
        d["b"] = x[2]
    s = 0.0
    for k, v in d.items():
        s += v * v * len(k)
    return s


@case(V)
def dict_values_sum(x):
    d = {"z": x[0]}
    if x[0] > 0:
        d["a"] = x[1]
    return sum(d.values()) * x[2]


@case(V)
def defdict(x):
    d = collections.defaultdict(float)
    for v in x:
        if v > 0:
            d["p"] += v
        else:
            d["n"] += v * v
    return d["p"] * d["n"]


@case(V)
def defdict_list(x):
    d = collections.defaultdict(list)
    for v in x:
        if v > 0:
            d["p"].append(v)
        else:
            d["n"].append(v * v)
    return sum(d["p"]) * sum(d["n"])


@case(V)
def counter(x):
    c = collections.Counter()
    for v in x:
        if v > 0:
            c["p"] += 1
        else:
            c["n"] += 1
    return x[0] * c["p"] + x[1] * c["n"] + c["zz"]


@case(V)
def ordered(x):
    d = collections.OrderedDict()
    d["a"] = x[0]
    if x[1] > 0:
        d["b"] = x[1]
    s = 0.0
    for k in d:
        s += d[k] * 2
    return s


@case(V)
def static_set(x):
    seen = set()
    s = 0.0
    for v in x:
        if v > 0:
            if "pos" not in seen:
                s += v * 2
            seen.add("pos")
        else:
            seen.add("neg")
    return s * len(seen)


@case(V)
def name_try(x):
    if x[0] < 0:
        y = x[1] * 2
    try:
        z = y
    except NameError:
        z = x[2]
    return z * x[3]


@case(V)
def name_try2(x):
    for v in x:
        try:
            t = t * v  # noqa: F821
        except UnboundLocalError:
            t = v
    return t


@case(V)
def name_del(x):
    y = x[0]
    if x[0] > 0:
        del y
    try:
        z = y
    except NameError:
        z = x[2]
    return z * x[3]


@case(V)
def memo(x):
    cache = {}

    def f(i):
        if i in cache:
            return cache[i]
        r = np.sin(x[i])
        cache[i] = r
        return r

    s = 0.0
    for v in x:
        if v > 0:
            s += f(0) * v
        else:
            s += f(1) * v
    return s


@case(V)
def attr_del(x):
    o = Obj()
    o.c = x[0]
    if x[0] > 0:
        del o.c
    return getattr(o, "c", x[1]) * x[2]


@case(V)
def setattr_dyn(x):
    o = Obj()
    for n, v in zip("abcd", x):
        if v > 0:
            setattr(o, n, v * v)
    return sum(getattr(o, n, 0.5) for n in "abcd")


class Slots:
    __slots__ = ("a", "b")


@case(V)
def slots_maybe(x):
    o = Slots()
    o.a = x[0]
    if x[1] < 0:
        o.b = x[1] * 2
    return o.a * (o.b if hasattr(o, "b") else x[2])


@case(V)
def set_in_both(x):
    o = Obj()
    if x[0] > 0:
        o.c = x[0] * 2
    else:
        o.c = x[1] * 3
    return o.c * x[2]


@case(V)
def nested_branches(x):
    o = Obj()
    if x[0] > 0:
        if x[1] > 0:
            o.a = x[1]
        else:
            o.b = x[2]
    s = 0.0
    if hasattr(o, "a"):
        s += o.a
    if hasattr(o, "b"):
        s += o.b * 2
    if not hasattr(o, "a") and not hasattr(o, "b"):
        s -= 1
    return s * x[3]


@case(V)
def and_attr(x):
    o = Obj()
    if x[0] > 0:
        o.a = x[1] * x[1]
    if hasattr(o, "a") and o.a > 0.5:
        return o.a * x[2]
    return x[0]


@case(V)
def dict_and(x):
    d = {}
    for v in x:
        if "m" in d and d["m"] > v:
            continue
        d["m"] = v * v
    return d["m"]


@case(V)
def dict_or(x):
    d = {}
    for v in x:
        if "m" not in d or d["m"] < v:
            d["m"] = v * v
    return d["m"]


@case(V)
def dict_best(x):
    best = {}
    for i, v in enumerate(x):
        k = "pos" if v > 0 else "neg"
        if k not in best or v > best[k]:
            best[k] = v
    return best["pos"] * best["neg"]


@case(V)
def dict_comp(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[0]
    if x[1] > 0:
        d["b"] = x[1]
    e = {k: v * 2 for k, v in d.items()}
    return e.get("a", 1.0) + e.get("b", 2.0) * x[2]


@case(V)
def dict_update(x):
    d = {"a": x[0]}
    e = {}
    if x[1] < 0:
        e["b"] = x[1]
    d.update(e)
    f = dict(d)
    g = {**{"z": x[2]}}
    f["c"] = x[3]
    s = 0.0
    for k in f:
        s = s + f[k] * f[k]
    return s


@case(V)
def dict_max(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[0]
    if x[2] > 0:
        d["b"] = x[2]
    return max(d.values()) * x[1]


@case(V)
def dict_list_values(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[0]
    if x[2] > 0:
        d["b"] = x[2]
    return np.sum(np.array(list(d.values())) ** 2)


@case(V)
def dict_del(x):
    d = {"a": x[0], "b": x[1]}
    if x[0] > 0:
        del d["a"]
    return len(d) * x[2] + d.get("a", x[3])


@case(V)
def dict_popitem(x):
    d = {"a": x[0]}
    if x[2] > 0:
        d["b"] = x[2] * x[1]
    k, v = d.popitem()
    return v * x[3]


@case(V)
def dict_eq(x):
    d = {"a": 1}
    if x[2] > 0:
        d["b"] = 2
    return x[0] if d == {"a": 1, "b": 2} else x[1]


@case(V)
def dict_truth(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[0]
    if d:
        return d["a"] * 2
    return x[1]


@case(-V)
def dict_truth2(x):
    d = {}
    if x[0] > 0:
        d["a"] = x[0]
    if not d:
        return x[1] * x[0]
    return d["a"] * 2


@case(V)
def set_visit(x):
    seen = set()
    s = 0.0
    for i in range(4):
        k = 0 if x[i] > 0.5 else (1 if x[i] > 0 else 2)
        if k in seen:
            continue
        seen.add(k)
        s += x[i] * x[i]
    return s


@case(V)
def set_ops(x):
    a = {"u"}
    b = set()
    if x[0] > 0:
        a.add("v")
    if x[1] > 0:
        b.add("v")
    s = x[0]
    if a & b:
        s = s * 2
    if "v" in (a - b):
        s = s * x[2]
    return s + len(a | b) * x[3]


@case(V)
def set_sorted(x):
    a = {"u"}
    if x[0] > 0:
        a.add("v")
    w = {"u": 2.0, "v": 3.0}
    s = 0.0
    for k in sorted(a):
        s = s * 2 + w[k] * x[0]
    return s


@case(V)
def vars_obj(x):
    o = Obj()
    o.a = x[0]
    if x[1] < 0:
        o.b = x[1]
    s = 0.0
    for k, v in vars(o).items():
        s += v * v
    return s * x[2]


@case(V)
def dict_update_dunder(x):
    o = Obj()
    o.__dict__.update(a=x[0], b=x[1])
    if x[1] < 0:
        o.__dict__["c"] = x[2]
    return o.a * o.b * o.__dict__.get("c", 1.0)


class Prop:
    def __init__(self, a):
        self.a = a

    @property
    def n(self):
        try:
            return self._n
        except AttributeError:
            self._n = np.sum(self.a**2)
            return self._n


@case(V)
def prop_lazy(x):
    p = Prop(x)
    s = 0.0
    for v in x:
        if v > 0:
            s += p.n * v
    return s + p.n


class GA:
    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        if name == "z":
            return self.a[0] * 10
        raise AttributeError(name)


@case(V)
def getattr_fallback(x):
    p = GA(x)
    if x[0] < 0:
        p.z = x[1]
    return p.z * x[2]


class CD:
    c = 2.0


@case(V)
def class_default(x):
    p = CD()
    if x[0] < 0:
        p.c = x[1]
    return p.c * x[2]


@case(V)
def class_default2(x):
    p = CD()
    for v in x:
        if v < 0:
            p.c = p.c * v
    return p.c * x[2]


@case(V)
def none_to_array(x):
    acc = None
    for v in x:
        if v > 0:
            acc = v * x if acc is None else acc + v * x
    return np.sum(acc)


@case(V)
def attr_counter(x):
    def f(v):
        f.calls = getattr(f, "calls", 0) + 1
        return v * f.calls

    s = 0.0
    for v in x:
        if v > 0:
            s += f(v)
    return s


@case(V)
def while_dict(x):
    d = {}
    i = 0
    while "done" not in d:
        i += 1
        if x[i] > 1:
            d["done"] = x[i] * x[0]
    return d["done"] * i


@case(V)
def while_attr(x):
    o = Obj()
    i = 0
    s = 0.0
    while not hasattr(o, "found"):
        s += x[i]
        if x[i] > 1:
            o.found = x[i]
        i += 1
    else:
        s *= 2
    return s * o.found


@case(V)
def try_key_loop(x):
    d = {}
    s = 0.0
    for v in x:
        try:
            s += d["k"] * v
        except KeyError:
            d["k"] = v * v
    return s


@case(V)
def try_attr_loop(x):
    o = Obj()
    s = 0.0
    for v in x:
        try:
            s += o.k * v
        except AttributeError:
            o.k = v * v
    return s


@case(V)
def del_in_loop(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for k in list(d):
        if d[k] > 0:
            del d[k]
    for k, v in d.items():
        s += v * v
    return s


@case(V)
def match_guard(x):
    s = 0.0
    for v in x:
        match (v > 0, v):
            case (True, w) if w > 0.5:
                s += w * w
            case (_, w) if w < 0:
                s -= w
            case _:
                s *= 2
    return s


@case(V)
def match_bind(x):
    p = {"kind": "a", "v": x[0]}
    if x[1] < 0:
        p["extra"] = x[2]
    match p:
        case {"kind": "a", "v": v} if v > 1:
            z = v
        case {"kind": "a", "v": v}:
            z = v * v
    return z * p.get("extra", 1.0)


@case(V)
def list_one_path(x):
    if x[0] > 0:
        L = []
        L.append(x[1])
        L.append(x[2])
    try:
        return L[0] * L[-1]
    except NameError:
        return x[3]


@case(V)
def one_value_in_two_names(x):
    v = x[0] * x[1]
    if x[2] > 0:
        y = v
    else:
        z = v
    return y if x[2] > 0 else z


@case(-V)
def one_value_under_two_keys(x):
    v, d = x[0] * x[1], {}
    d["k" if x[0] > 0 else "q"] = v
    return d.get("k", 2.0) + d.get("q", 3.0) * x[2]


@case(V)
def deleted_where_it_is(x):
    d = {}
    if x[0] < -0.8:
        d["k"] = x[1]
    else:
        d["q"] = x[2]
    if "q" in d:
        del d["q"]
    return x[0] + len(d) + d.get("q", 5.0)


@case(U)
def key_beside_a_raise(x):
    s = x[0]
    t = 0.3
    d = {}
    if x[1] < 0:
        if x[2] < 0:
            s = s * 2
        else:
            t += math.log(s * s + 0.3)
        d["q"] = t
    else:
        raise ValueError
    return s + t * 0.7 + d.get("q", 0.4)


@case(U)
def item_beside_a_raise(x):
    L = [0.5, x[0]]
    if x[1] < 0:
        L[0] = x[0] * x[2]
    else:
        raise ValueError
    return L[0] * L[1]


@case(U)
def append_beside_a_raise(x):
    L = [0.5, x[0]]
    t = x[0]
    if x[1] < 0:
        if x[2] > 0:
            t = t * t
        L.append(t)
    else:
        raise ValueError
    return L[2] * L[1]


@case(U)
def containers_beside_a_raise(x):
    d = {"a": np.zeros(2)}
    t = x[0]
    if x[1] < 0:
        if x[2] > 0:
            t = t * t
        d["a"] = t * x
        d["b"] = [t]
        d["b"].append(t * 2)
    else:
        raise ValueError
    return np.sum(d["a"]) * sum(d["b"])
