"""Containers that change while a loop goes through them."""

from __future__ import annotations

import collections
from collections import defaultdict, deque

import numpy as np
import pytest
from alike import Programs, check

PROGRAMS = Programs()


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_set_known(x, d):
    s = 0.0
    for k in d:
        d[k + 100] = x
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}), lambda: (1.5, {})
)
def d_set_branch(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            d[k + 100] = x
        s += x * d[k]
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_set_branch_last(x, d):
    s = 0.0
    for k in d:
        if k == 2:
            if x > 0:
                d[k + 100] = x
        s += x * d[k]
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_set_branch_then_break(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            d[k + 100] = x
            break
        s += x * d[k]
    return s + sum(d.values())


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_del_branch(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            del d[k]
        s += x
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_del_list(x, d):
    s = 0.0
    for k in list(d):
        if x > 0:
            del d[k]
        s += x
    return s + sum(d.values())


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_items_set(x, d):
    s = 0.0
    for k, v in d.items():
        if x > 0:
            d[k + 100] = x
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_values_set(x, d):
    s = 0.0
    for v in d.values():
        if x > 0:
            d[7] = x
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_keys_pop(x, d):
    s = 0.0
    for k in d.keys():
        if x > 0:
            d.pop(k)
        s += x
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def in_set_branch(x):
    d = {1: 2.0, 2: x}
    s = 0.0
    for k in d:
        if x > 0:
            d[k + 100] = x
        s += x
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def in_values_set(x):
    d = {1: 2.0, 2: x}
    s = 0.0
    for v in d.values():
        if x > 0:
            d[100] = x
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def in_items_set(x):
    d = {1: 2.0, 2: x}
    s = 0.0
    for k, v in d.items():
        if x > 0:
            d[100 + k] = x
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def in_set_add(x):
    d = {1, 2}
    s = 0.0
    for v in d:
        if x > 0:
            d.add(v + 100)
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, {1, 2}), lambda: (-1.5, {1, 2}))
def out_set_add(x, d):
    s = 0.0
    for v in d:
        if x > 0:
            d.add(v + 100)
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, {1, 2}), lambda: (-1.5, {1, 2}))
def out_set_discard(x, d):
    s = 0.0
    for v in d:
        if x > 0:
            d.discard(v)
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, {1: 0.5, 2: 1.0}, 3), lambda: (1.5, {1: 0.5, 2: 1.0}, 1))
def d_key_data(x, d, n):
    s = 0.0
    for k in d:
        d[int(x * n)] = x
        s += x
    return s


@PROGRAMS.called(lambda: (1.5, 3), lambda: (1.5, 1), lambda: (0.5, 1))
def in_key_data(x, n):
    d = {1: 0.5, 2: 1.0}
    s = 0.0
    for k in d:
        d[int(x * n)] = x
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, np.array([1, 2, 3])),
    lambda: (1.5, np.array([1])),
    lambda: (0.5, np.array([], dtype=int)),
)
def table_grow(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in d:
        d[k + 100] = x
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, np.array([1, 2, 3])),
    lambda: (1.5, np.array([1])),
    lambda: (0.5, np.array([], dtype=int)),
)
def table_grow_items(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k, v in d.items():
        if v > 0.5:
            d[k + 100] = x
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, np.array([1, 2, 3])),
    lambda: (1.5, np.array([1])),
    lambda: (0.5, np.array([], dtype=int)),
)
def table_del(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in d:
        del d[k]
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, np.array([1, 2, 3])),
    lambda: (1.5, np.array([1])),
    lambda: (-0.5, np.array([2, 3])),
)
def table_same_keys(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in d:
        d[k] = d[k] * x
        s += d[k]
    return s


@PROGRAMS.called(
    lambda: (1.5, np.array([1, 2, 3])),
    lambda: (1.5, np.array([1])),
    lambda: (0.5, np.array([], dtype=int)),
)
def table_set_add(x, ks):
    d = set()
    for k in ks:
        d.add(int(k))
    s = 0.0
    for k in d:
        d.add(k + 100)
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, np.array([1, 2, 3])),
    lambda: (1.5, np.array([1])),
    lambda: (0.5, np.array([], dtype=int)),
)
def table_set_discard(x, ks):
    d = set()
    for k in ks:
        d.add(int(k))
    s = 0.0
    for k in d:
        d.discard(k)
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, {k: 1.0 * k for k in range(30)}), lambda: (-1.5, {k: 1.0 * k for k in range(3)})
)
def long_outside(x, d):
    s = 0.0
    for k in d:
        if d[k] * x > 20.0:
            d[k + 100] = x
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, {k: 1.0 * k for k in range(30)}), lambda: (-1.5, {k: 1.0 * k for k in range(3)})
)
def long_outside_values(x, d):
    s = 0.0
    for v in d.values():
        if v * x > 20.0:
            d[100] = x
        s += x * v
    return s


@PROGRAMS.called(
    lambda: (1.5, {k: 1.0 * k for k in range(30)}), lambda: (-1.5, {k: 1.0 * k for k in range(3)})
)
def long_outside_items_pop(x, d):
    s = 0.0
    for k, v in d.items():
        if v * x > 20.0:
            d.pop(k)
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0]), lambda: (-1.5, [1.0, 2.0]), refused=True)
def list_grow(x, l):
    s = 0.0
    for v in l:
        if x > 0 and len(l) < 5:
            l.append(v * x)
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,), refused=True)
def list_grow_in(x):
    l = [x, 2 * x]
    s = 0.0
    for v in l:
        if x > 0 and len(l) < 5:
            l.append(v * x)
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0, 3.0, 4.0]), lambda: (-1.5, [1.0, 2.0]), refused=True)
def list_shrink(x, l):
    s = 0.0
    for v in l:
        if v * x > 1:
            l.remove(v)
        s += x * v
    return s


class Box:
    pass


def box(**k):
    b = Box()
    vars(b).update(k)
    return b


@PROGRAMS.called(lambda: (1.5, box(d={1: 2.0, 2: 3.0})), lambda: (-1.5, box(d={1: 2.0, 2: 3.0})))
def attr_dict(x, b):
    s = 0.0
    for k in b.d:
        if x > 0:
            b.d[k + 100] = x
        s += x
    return s


@PROGRAMS.called(
    lambda: (1.5, [box(d={1: 2.0, 2: 3.0}) for _ in range(20)]),
    lambda: (-1.5, [box(d={1: 2.0, 2: 3.0}) for _ in range(2)]),
)
def stores_dict(x, bs):
    s = 0.0
    for b in bs:
        for k in b.d:
            if x > 0:
                b.d[k + 100] = x
            s += x * b.d[k]
    return s


@PROGRAMS.called(
    lambda: (1.5, [{1: 2.0, 2: 3.0} for _ in range(20)]),
    lambda: (-1.5, [{1: 2.0, 2: 3.0} for _ in range(2)]),
)
def list_dicts(x, bs):
    s = 0.0
    for d in bs:
        for k in d:
            if x > 0:
                d[k + 100] = x
            s += x * d[k]
    return s


@PROGRAMS.called(lambda: (1.5, 3), lambda: (-1.5, 3), lambda: (1.5, 20))
def stores_made(x, n):
    bs = []
    for i in range(n):
        bs.append({1: x, 2: x * i})
    s = 0.0
    for d in bs:
        for k in d:
            if x > 0:
                d[k + 100] = x
            s += x * d[k]
    return s


@PROGRAMS.called(lambda: (1.5, box(a=1.0, b=2.0)), lambda: (-1.5, box(a=1.0, b=2.0)))
def vars_grow(x, b):
    s = 0.0
    for k in vars(b):
        if x > 0:
            b.c = x
        s += x
    return s


@PROGRAMS.called(lambda: (1.5, box(a=1.0, b=2.0)), lambda: (-1.5, box(a=1.0, b=2.0)))
def vars_grow_set(x, b):
    s = 0.0
    for k in b.__dict__:
        if x > 0:
            setattr(b, k + "_", x)
        s += x
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_gen(x, d):
    s = 0.0
    for v in (d[k] for k in d):
        if x > 0:
            d[9] = x
        s += x * v
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_iter_next(x, d):
    it = iter(d)
    a = next(it)
    if x > 0:
        d[9] = x
    b = next(it)
    return x * d[a] + d[b]


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_enumerate(x, d):
    s = 0.0
    for i, k in enumerate(d):
        if x > 0:
            d[k + 100] = x
        s += x * i
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_zip(x, d):
    s = 0.0
    for i, k in zip(range(2), d):
        if x > 0:
            d[k + 100] = x
        s += x * i
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_zip2(x, d):
    s = 0.0
    for k, i in zip(d, range(2)):
        if x > 0:
            d[k + 100] = x
        s += x * i
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}), refused=True)
def d_replace_same_size(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            v = d.pop(k)
            d[k + 100] = v
        s += x
        if s > 100 or s < -100:
            break
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_clear(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            d.clear()
        s += x
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_setdefault_update(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            d.update({5: x})
        else:
            d.setdefault(1, x)
        s += x
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}), refused=True)
def d_caught(x, d):
    s = 0.0
    try:
        for k in d:
            if x > 0:
                d[k + 100] = x
            s += x
    except RuntimeError:
        s = s * 10.0
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def in_caught(x):
    d = {1: x, 2: 2 * x}
    s = 0.0
    try:
        for k in d:
            if x > 0:
                d[k + 100] = x
            s += x
    except RuntimeError:
        s = s * 10.0
    return s


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3])), lambda: (-1.5, np.array([1, 2])))
def table_caught(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    try:
        for k in d:
            if x > 0:
                d[k + 100] = x
            s += x
    except RuntimeError:
        s = s * 10.0
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_comprehension(x, d):
    def grow(k):
        if x > 0:
            d[k + 100] = x
        return x

    return sum([grow(k) for k in d])


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def d_map(x, d):
    def grow(k):
        if x > 0:
            d[k + 100] = x
        return x

    return sum(map(grow, d))


@PROGRAMS.called(
    lambda: (1.5, defaultdict(float, {1: 2.0, 2: 3.0})),
    lambda: (-1.5, defaultdict(float, {1: 2.0, 2: 3.0})),
)
def dd(x, d):
    s = 0.0
    for k in d:
        s += x * d[k]
        if x > 0:
            s += d[k + 1]
    return s


@PROGRAMS.called(lambda: (1.5, deque([2.0, 3.0])), lambda: (-1.5, deque([2.0, 3.0])), refused=True)
def dq(x, d):
    s = 0.0
    for k in d:
        s += x * k
        if x > 0:
            d.append(x)
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def dd_in(x):
    d = defaultdict(float)
    d[1] = x
    d[2] = 3.0
    s = 0.0
    for k in d:
        s += x * d[k]
        if x > 0:
            s += d[k + 1]
    return s


@PROGRAMS.called(
    lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (1.5, {5: 2.0, 2: 3.0, 7: 1.0}), lambda: (1.5, {})
)
def next_first(x, d):
    return x * next(iter(d.values()), 4.0) * next(iter(d), 3)


@PROGRAMS.called(
    lambda: (1.5, {1: 2.0, 2: 3.0}),
    lambda: (1.5, {5: 2.0, 2: 3.0, 7: 1.0}),
    lambda: (-1.5, {1: 3.0}),
)
def iter_rest(x, d):
    it = iter(d.items())
    k, v = next(it)
    s = x * v
    for k, v in it:
        s += k * v * x
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def view_live(x, d):
    ks, vs, its = d.keys(), d.values(), d.items()
    d[7] = x
    d[1] = 3 * x
    s = 0.0
    for v in vs:
        s += v * x
    for k, v in its:
        s += k * v
    return s + len(ks) * x + (x if 7 in ks else 0.0) + sum(vs)


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def view_live_branch(x, d):
    ks, vs, its = d.keys(), d.values(), d.items()
    if x > 0:
        d[7] = x
    d[1] = 3 * x
    s = 0.0
    for v in vs:
        s += v * x
    for k, v in its:
        s += k * v
    return s + len(ks) * x + (x if 7 in ks else 0.0) + sum(vs)


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def view_live_in(x):
    d = {1: 2.0, 2: x}
    ks, vs, its = d.keys(), d.values(), d.items()
    if x > 0:
        d[7] = x
    d[1] = 3 * x
    s = 0.0
    for v in vs:
        s += v * x
    for k, v in its:
        s += k * v
    return s + len(ks) * x + (x if 7 in ks else 0.0) + sum(vs)


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0, 3: 1.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def values_change(x, d):
    s = 0.0
    for k, v in d.items():
        d[2] = d[2] * x + v
        s += v
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0, 3: 1.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def values_change_branch(x, d):
    s = 0.0
    for v in d.values():
        if v * x > 2:
            d[2] = x
        s += v * x
    return s


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def values_change_in(x):
    d = {1: x, 2: 3.0, 3: 2 * x}
    s = 0.0
    for v in d.values():
        if v * x > 2:
            d[2] = x
        s += v * x
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0, 3.0]), lambda: (-1.5, [1.0, 2.0]))
def list_change(x, l):
    s = 0.0
    for v in l:
        l[-1] = l[-1] * x
        s += v
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0, 3.0]), lambda: (-1.5, [1.0, 2.0]))
def list_change_branch(x, l):
    s = 0.0
    for v in l:
        if x * v > 2:
            l[-1] = l[-1] * x
        s += v
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0]), lambda: (-1.5, [1.0, 2.0, 5.0]))
def list_append_known(x, l):
    s = 0.0
    for v in l:
        if len(l) < 6:
            l.append(v * x)
        s += v * x
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0, 3.0, 4.0]), lambda: (-1.5, [1.0, 2.0]))
def list_remove_known(x, l):
    s = 0.0
    for v in l:
        l.pop()
        s += v * x
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0]), lambda: (-1.5, [1.0, 2.0, 5.0]))
def list_zip(x, l):
    s = 0.0
    for v, i in zip(l, range(5)):
        if len(l) < 6:
            l.append(v * x)
        s += v * x * i
    return s


@PROGRAMS.called(lambda: (1.5, [1.0, 2.0]), lambda: (-1.5, [1.0, 2.0, 5.0]))
def list_enum(x, l):
    s = 0.0
    for i, v in enumerate(l):
        if len(l) < 6:
            l.append(v * x)
        s += v * x * i
    return s


@PROGRAMS.called(lambda: (1.5, {1: 2.0, 2: 3.0}), lambda: (-1.5, {1: 2.0, 2: 3.0}))
def try_loop_known(x, d):
    try:
        for k in d:
            d[k + 10] = x
    except RuntimeError as e:
        return x * len(str(e)) + sum(d.values())
    return x


@PROGRAMS.called(lambda: (1.5,), lambda: (-1.5,))
def od(x):
    d = collections.OrderedDict(a=x, b=2.0)
    s = 0.0
    for k in d:
        if x > 0:
            d["c"] = x
        s += d[k]
    return s


@PROGRAMS.called(
    lambda: (1.5, collections.OrderedDict(a=1.0, b=2.0)),
    lambda: (-1.5, collections.OrderedDict(a=1.0, b=2.0)),
)
def od_out(x, d):
    s = 0.0
    for k in d:
        if x > 0:
            d["c"] = x
        s += d[k]
    return s


@PROGRAMS.called(
    lambda: (1.5, collections.deque([1.0, 2.0])), lambda: (-1.5, collections.deque([1.0, 2.0]))
)
def deque_known(x, d):
    s = 0.0
    for v in d:
        d.append(x)
        s += v
    return s


@PROGRAMS.called(
    lambda: (1.5, collections.Counter("abca")), lambda: (-1.5, collections.Counter("abca"))
)
def counter(x, c):
    s = 0.0
    for k in c:
        c[k] += 1
        s += x * c[k]
    return s


@PROGRAMS.called(
    lambda: (1.5, collections.Counter("abca")), lambda: (-1.5, collections.Counter("abca"))
)
def counter_branch(x, c):
    s = 0.0
    for k, n in c.items():
        if x > 0:
            c[k] += 1
        s += x * c[k] * n
    return s


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_values(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for v in d.values():
        if v > 4:
            d[99] = x
        s += v
    return s


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_enum(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for i, k in enumerate(d):
        if d[k] > 4:
            d[99] = x
        s += i * x
    return s


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_break(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in d:
        if d[k] > 4:
            d[99] = x
            break
        s += x * k
    return s + len(d) * x


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_list(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in list(d):
        d[k + 50] = d[k] * 2
        s += x * k
    return s + sum(d.values())


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_update(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in d:
        d[k] = 2 * x
    for k in d:
        d[k] += x
    for k, v in d.items():
        d[k] = v * x
    return sum(d.values())


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_return(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    for k in d:
        if d[k] > 4:
            d[99] = x
            return sum(d.values())
    return x


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def table_else(x, ks):
    d = {}
    for k in ks:
        d[int(k)] = x * k
    s = 0.0
    for k in d:
        if d[k] > 4:
            d[99] = x
            break
        elif d[k] < -100:
            continue
        d[k] = d[k] * 2
    else:
        s = 3 * x
    return s + sum(d.values())


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def two_tables(x, ks):
    d, e = {}, {}
    for k in ks:
        d[int(k)] = x * k
        e[int(k) + 1] = x
    for k in d:
        e[k + 5] = d[k]
    for k in e:
        d[k] = 2 * e[k]
    return sum(d.values()) + sum(e.values())


@PROGRAMS.called(lambda: (1.5, np.array([1, 2, 3, 2])), lambda: (-1.5, np.array([1, 4])))
def same_site(x, ks):
    def make(n):
        d = {}
        for k in ks:
            d[int(k) * n] = x * k
        return d

    a, b = make(1), make(2)
    for k in a:
        b[k + 100] = a[k]
    return sum(a.values()) + sum(b.values())


@pytest.mark.parametrize(("function", "calls", "refused"), PROGRAMS.cases)
def test_walks(function, calls, refused):
    check(function, calls, refused)
