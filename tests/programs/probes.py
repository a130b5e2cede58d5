"""Programs that were found wrong, or that stand beside those, for ``test_probes.py``: each is called
with vectors ``x`` and ``y``, numbers ``a``, ``n`` and ``k`` and whole numbers ``i``."""

from __future__ import annotations

import collections
import contextlib
from typing import Any

import numpy as np

LOG: list[Any] = []


def list_that_grows(x, a):
    l = list(x)
    for v in l:
        if len(l) < 7:
            l.append(v * a)
    return sum(l)

def list_that_shrinks(x, a):
    l = [v * a for v in x]
    for v in l:
        if v > 0:
            l.pop()
    return sum(l) + len(l)

def list_that_loses_items(x, a):
    l = list(x)
    for v in l:
        if v < a:
            l.remove(v)
    return sum(l) + len(l)

def list_that_is_written(x, a):
    l = list(x)
    for k, v in enumerate(l):
        l[k] = v * a
        if k:
            l[k - 1] += l[k]
    return sum(l)

def list_beside_itself(x, a):
    l = list(x)
    for u, v in zip(l, l):
        if u > a and len(l) < 9:
            l.append(u * 0.5)
    return sum(l)

def list_that_is_inserted_into(x, a):
    l = list(x)
    for v in l:
        if len(l) < 8 and v > a:
            l.insert(0, v * 0.5)
        if len(l) > 7:
            break
    else:
        return sum(l) * 2
    return sum(l)

def strict_pairs(x, y, n):
    return sum((p * q for p, q in zip(x, y[:n + 1], strict=True)))

def strict_triples(x, y, n):
    s = 0.0
    for k, (p, q, r) in enumerate(zip(x, y[:n], x[n:], strict=True)):
        LOG.append(k)
        s += p * q * r
    return s

def strict_dict(x, y, n):
    try:
        return sum(dict(zip(range(n), x, strict=True)).values())
    except ValueError as e:
        return x[0] * len(str(e))

def strict_arguments(x, y):
    return sum((p * q for p, q in zip(x, y, strict=True)))

def item_of_a_selection(x, a):
    try:
        v = x[x > a].item()
    except ValueError as e:
        v = x[0] * len(str(e))
    return v * a

def item_of_one(x, a):
    return x[x > 1].item() * a if np.sum(x > 1) == 1 else a

def counters(x, i):
    c = collections.Counter(i.tolist())
    d = collections.Counter([0, 2])
    e = c + d
    f = c - d
    g = c & d
    h = c | d
    return sum((x[k % len(x)] * (v + 1) for k, v in e.items())) + f[0] * x[0] + g[0] * x[1] + h[2] * x[2] + len(f) + len(g) + len(h)

def whole_powers(x, n, k):
    return x[0] * n ** (k + 1) + x[1] * float(n ** k) + float(n // 2) * x[2]

def steps_of_a_call(x, n):
    return np.prod(x[::-n]) + np.prod(x[::n]) + np.cumprod(x[n::-n])[-1]

def attribute_of_a_number(x, a):
    return x[0].foo if a < 0 else x[0] * a

def length_of_a_number(x, a):
    return len(x[0]) if a < 0 else x[0] * a

def sum_of_a_number(x, a):
    return sum(a) if a < 0 else x[0] * a

def maximum_of_a_number(x, a):
    return max(a) if a < 0 else list(zip(x, a)) if a > 2 else x[0] * a

def broadcast_in_try(x, y, k):
    try:
        return np.sum(x[k:] * y[:3])
    except ValueError as e:
        return x[0] * len(str(e))

def store_in_try(x, y, k):
    u = x.copy()
    try:
        u[k:] = y[:3]
        u *= 2.0
    except ValueError as e:
        u += len(str(e))
    return np.sum(u ** 2)

def product_in_try(x, y, k):
    try:
        return np.concatenate([x[k:], y]).reshape(2, -1).sum() + np.dot(x, y[:3])
    except ValueError:
        return x[0] * y[0]

def ufuncs_in_try(x, y, k):
    try:
        u = np.maximum(x[k:], y[1:]) + np.where(x[:3] > 0, y[k:k + 3], 0.0)
    except (TypeError, ValueError):
        u = x
    finally:
        LOG.append(k)
    return np.sum(u ** 2)

def pairs_that_link(x, a):
    head = None
    for v in x:
        head = (v, head)
    s, w = (0.0, 1.0)
    while head is not None:
        v, head = head
        s += w * v
        w *= a
    return s

def tree_of_dicts(x, a):

    def ins(t, v):
        if t is None:
            return {'v': v, 'l': None, 'r': None}
        k = 'l' if v < t['v'] else 'r'
        t[k] = ins(t[k], v)
        return t

    def walk(t, d):
        return 0.0 if t is None else walk(t['l'], d + 1) + t['v'] * d + walk(t['r'], d + 1)
    t = None
    for v in x:
        t = ins(t, v)
    return walk(t, 1) * a

def queue(x, a):
    from collections import deque
    q = deque(x)
    s = 0.0
    it = 0
    while q and it < 12:
        v = q.popleft()
        it += 1
        if v > 1.0:
            q.append(v * 0.5)
            q.append(v * 0.25)
        else:
            s += v * v
    return s * a + len(q)

def strided_writes(x, a):
    u = np.zeros((2, len(x)))
    u[0] = x
    u[1, ::-1] = x * a
    u[:, 1:][u[:, 1:] > 0.5] *= 2
    u[..., 0] -= u[..., -1]
    v = u.T.reshape(-1)[::3]
    v = v.copy()
    v[[0, 0, 1]] += [1.0, 2.0, 3.0]
    return v @ v

def names_that_swap(x, y, a):
    u, v = (x.copy(), y.copy())
    for k in range(3):
        u, v = (v, u)
        u += a * v
        v[k] = u[-1]
    u[:], v[:] = (v.copy(), u.copy())
    return u @ x + v @ y

def rows_as_outputs(x, a):
    b = np.empty((3, len(x)))
    np.sin(x, out=b[0])
    np.multiply(b[0], a, out=b[1])
    np.add(b[0], b[1], out=b[2])
    np.cumsum(b[2], out=b[0])
    return b.sum() + np.dot(b[0], b[1])

def views_in_a_dict(x, a):
    u = x * 1.0
    d = {'l': u[:2], 'r': u[2:]}
    for k, v in d.items():
        v *= a
    d['l'][...] = d['r'][:1]
    return np.sum(u ** 2)

def nonlocal_sum(x, a):
    total = 0.0

    def push(v):
        nonlocal total
        total = total * a + v
    for v in x:
        push(v)
    return total

def finally_that_returns(x, a):

    def inner(v):
        try:
            return v * a
        finally:
            if v > 0:
                return v ** 2
    return inner(x[0]) + inner(x[1])

@contextlib.contextmanager
def _scope(name, v):
    LOG.append('in ' + name)
    try:
        yield (v * 2)
    except ValueError as e:
        LOG.append('caught ' + str(e))
    finally:
        LOG.append('out ' + name)

def contexts_that_catch(x, a):
    s = 0.0
    with _scope('o', a) as t, _scope('i', t) as q:
        s += t * q
        if x[0] > 0.5:
            raise ValueError('big')
        s += x[0]
    with contextlib.suppress(IndexError):
        s += x[1]
        s += x[50]
        s += 100.0
    return s

def generator_that_is_sent_to(x, a):

    def g():
        t = 0.0
        while True:
            v = (yield t)
            if v is None:
                return
            t = t * a + v
    q = g()
    next(q)
    for v in x:
        r = q.send(v)
    return r

def tuple_item_in_place(x, a):
    t = (x.copy(), a)
    try:
        t[0] += 1.0
    except TypeError as e:
        LOG.append(str(e))
    return np.sum(t[0] ** 2) * t[1]
