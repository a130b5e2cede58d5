"""Programs that change lists of objects from outside, and look at the objects in other ways."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Compared:
    v: float
    w: float = 1.0
    near: list = field(default_factory=list)


@dataclass(eq=False)
class Tagged:
    v: float
    near: list = field(default_factory=list)
    tag: str = "a"


def make_compared(n):
    ds = [Compared(0.5 * i) for i in range(n)]
    return ds


def make_tagged(n):
    ds = [Tagged(0.5 * i + 0.1) for i in range(n)]
    for i in range(n):
        ds[i].near = [ds[(i + 1) % n], ds[i - 1]]
    return ds


def as_dicts(x, ds):
    for d in ds:
        d.v += x[0]
    return sum((dataclasses.asdict(d)["v"] * x[1] for d in ds))


def replaced_fields(x, ds):
    for d in ds:
        d.v += x[0]
    es = [dataclasses.replace(d, w=x[1]) for d in ds]
    return sum((e.v * e.w for e in es))


def equal_ones(x, ds):
    for d in ds:
        d.v += x[0]
    return sum((1.0 for d in ds if d == ds[0])) + ds[0].v * x[1]


def distances(x, ds):
    dist = {ds[0]: x[0]}
    q = [ds[0]]
    while q:
        d = q.pop(0)
        for o in d.near:
            if o not in dist:
                dist[o] = dist[d] + o.v * x[1]
                q.append(o)
    return sum(dist.values())


def late_attribute(x, ds):
    for d in ds:
        d.tmp = d.v * x[0]
    return sum((d.tmp ** 2 for d in ds))


def shown(x, ds):
    for d in ds:
        d.v *= x[0]
    return sum((d.v for d in ds)) * (1 + 0 * len(repr(ds[0])))


def deleted(x, ds):
    for d in ds:
        d.v *= x[0]
    del ds[0]
    return sum((d.v for d in ds)) + x[1]


def removed(x, ds):
    for d in ds:
        d.v *= x[0]
    ds.remove(ds[-1])
    return sum((d.v for d in ds)) + x[1] + (ds.index(ds[-1]) if ds else 0)


def types_asked(x, ds):
    t = 0.0
    for d in ds:
        d.v *= x[0]
        if isinstance(d, Tagged) and type(d) is Tagged and hasattr(d, "v") and (not hasattr(d, "zz")):
            t += getattr(d, "v")
        setattr(d, "v", t)
    return t


def by_number(x, ds):
    d2 = {i: d for i, d in enumerate(ds)}
    for i in d2:
        d2[i].v *= x[0]
    return sum((d.v for d in ds))


def in_pairs(x, ds):
    for a, b in zip(ds, ds[1:]):
        a.v, b.v = (b.v * x[0], a.v)
    return sum((d.v ** 2 for d in ds))


def by_tag(x, ds):
    out = {}
    for d in ds:
        d.v *= x[0]
        out[d.tag] = out.get(d.tag, 0.0) + d.v
    return sum(out.values())


def greatest(x, ds):
    for d in ds:
        d.v *= x[0]
    return max(ds, key=lambda d: d.v).v


def made_longer(x, ds):
    for d in ds:
        d.v *= x[0]
    ds += [ds[0]]
    return sum((d.v for d in ds)) * x[1]


def repeated(x, ds):
    for d in ds:
        d.v *= x[0]
    ds *= 2
    return sum((d.v for d in ds)) * x[1]


def refilled(x, ds):
    for d in ds:
        d.v *= x[0]
    ds[:] = [d for d in ds if d.v > 0.3]
    return sum((d.v for d in ds)) * x[1]


def cut(x, ds):
    for d in ds:
        d.v *= x[0]
    ds[1:] = []
    return sum((d.v for d in ds)) * x[1]


def extended(x, ds):
    for d in ds:
        d.v *= x[0]
    ds.extend(ds[:1])
    ds.insert(0, ds[-1])
    ds.reverse()
    ds.sort(key=lambda d: d.v)
    p = ds.pop()
    q = ds.pop(0)
    return sum((d.v for d in ds)) * x[1] + p.v - q.v + ds.count(p)


def cleared(x, ds):
    for d in ds:
        d.v *= x[0]
    t = sum((d.v for d in ds))
    ds.clear()
    return t * x[1] + len(ds)


def copied_lists(x, ds):
    es = ds.copy()
    fs = list(ds)
    gs = ds[:]
    for d in es:
        d.v *= x[0]
    es.append(es[0])
    fs.pop()
    return sum((d.v for d in ds)) * x[1] + sum((d.v for d in es)) + sum((d.v for d in fs)) + sum((d.v for d in gs))


def two_groups(x, ds):
    groups = [[d for d in ds if d.v < 1.0], [d for d in ds if d.v >= 1.0]]
    for g in groups:
        for d in g:
            d.v *= x[0]
    return sum((d.v ** 2 for g in groups for d in g))


def grouped(x, ds):
    g = {}
    for d in ds:
        g.setdefault(int(d.v), []).append(d)
    s = 0.0
    for k in g:
        for d in g[k]:
            d.v *= x[0]
            s += d.v * k
    return s + sum((d.v for d in ds))


def by_the_one_before(x, ds):
    for i, d in enumerate(ds):
        if i > 0:
            d.v += ds[i - 1].v * x[0]
    return ds[-1].v * x[1]


def reversed_order(x, ds):
    for d in reversed(ds):
        d.v = d.v * x[0] + ds[0].v
    return sum((d.v for d in ds))


def any_and_all(x, ds):
    for d in ds:
        d.v *= x[0]
    t = 1.0 if any((d.v > 1.0 for d in ds)) else 2.0
    if all((d.v > -5 for d in ds)):
        t += 1.0
    return t * ds[0].v + min((d.v for d in ds)) * x[1]


def through_an_array(x, ds):
    v = np.array([d.v for d in ds])
    v = v * x[0]
    for d, q in zip(ds, v):
        d.v = q
    return np.sum(v ** 2) + sum((d.v for d in ds))


def make_partly_tagged(n):
    """Objects some of which have no tag, where the class has one."""
    ds = make_tagged(n)
    ds[1].tag = None
    return ds


def make_partly_empty(n):
    """Objects that hold an empty dict."""
    ds = make_tagged(n)
    for d in ds:
        d.tag = {}
    return ds


def beside_nothing(x, ds):
    for d in ds:
        d.v = d.v * x[0]
    return sum(d.v for d in ds) * x[1]


def by_no_tag(x, ds):
    return by_tag(x, ds) + len(copy.deepcopy(ds))


MADE_BY = {
    as_dicts: make_compared,
    replaced_fields: make_compared,
    equal_ones: make_compared,
    distances: make_tagged,
    late_attribute: make_tagged,
    shown: make_tagged,
    deleted: make_tagged,
    removed: make_tagged,
    types_asked: make_tagged,
    by_number: make_tagged,
    in_pairs: make_tagged,
    by_tag: make_tagged,
    by_no_tag: make_partly_tagged,
    beside_nothing: make_partly_empty,
    greatest: make_tagged,
    made_longer: make_tagged,
    repeated: make_tagged,
    refilled: make_tagged,
    cut: make_tagged,
    extended: make_tagged,
    cleared: make_tagged,
    copied_lists: make_tagged,
    two_groups: make_tagged,
    grouped: make_tagged,
    by_the_one_before: make_tagged,
    reversed_order: make_tagged,
    any_and_all: make_tagged,
    through_an_array: make_tagged,
}

# which are asked what only an instance can tell, or lists as only Python"s are
ONE_BY_ONE = (by_no_tag, replaced_fields, equal_ones, distances, late_attribute, shown, removed, types_asked, repeated,
              extended, two_groups)
