"""Programs over nodes, generators and memory: linked lists, graphs, a small automatic
differentiation, generator pipelines, windows over memory."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
from objects_making import Var
from recursion_objects import Tree

X = np.array([0.3, -1.2, 2.0, 0.7])
Y = np.array([1.5, 0.2, -0.4, 0.9])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class LNode:
    def __init__(s, v, nxt=None):
        s.v = v
        s.next = nxt


@case(X)
def linked(x):
    head = None
    for i in range(4):
        head = LNode(x[i], head)
    # reverse
    prev = None
    cur = head
    while cur is not None:
        cur.next, prev, cur = prev, cur, cur.next
    t = 0.0
    k = 1.0
    cur = prev
    while cur:
        t += k * cur.v
        k *= cur.v
        cur = cur.next
    return t


@case(X, 4)
def linked_n(x, n):
    head = None
    for i in range(n):
        head = LNode(x[i], head)
    t = 0.0
    cur = head
    while cur is not None:
        t = t * 0.5 + cur.v**2
        cur = cur.next
    return t


@case(X)
def bst_static(x):
    t = Tree(2, x[0])
    for k, i in ((1, 1), (3, 2), (0, 3)):
        t.insert(k, x[i])
    return sum((i + 1) * v for i, v in enumerate(t.in_order()))


@case(X)
def own_ad(x):
    vs = [Var(v) for v in x]
    y = vs[0] * vs[1] + (vs[2] * vs[0]).sin() * vs[3]
    y.backward()
    return y.v + sum(v.g**2 for v in vs)


@case(X, 3)
def own_ad_loop(x, n):
    vs = [Var(v) for v in x]
    for k in range(n):
        y = vs[0] * vs[1] + (vs[2] * vs[0]).sin() * vs[3]
        y.backward()
        vs = [Var(v.v - 0.1 * v.g) for v in vs]
    return y.v


@case(X)
def gens(x):
    def run():
        t = 0.0
        while True:
            v = yield t
            if v is None:
                return
            t += v * v

    g = run()
    next(g)
    for v in x:
        r = g.send(v)

    def pairs(l):
        for a, b in zip(l, l[1:]):
            yield a * b

    def sq(it):
        for v in it:
            yield v * v

    def both(l):
        yield from pairs(l)
        s = yield from inner(l)
        yield s

    def inner(l):
        yield l[0]
        return l[1]

    return r + sum(sq(both(x))) + max(pairs(x))


@case(X)
def gen_rest(x):
    rest = iter(x)
    first = next((v for v in rest if v > 1.0), x[0])
    return first + sum(v * v for v in rest)


@case(X)
def gen_late(x):
    scale = 2.0
    total = sum(scale * v for v in x if v > 0.1)
    scale = 3.0
    return total + sum(scale * v for v in x) + sum(u * v for u in x for v in x if u > v)


@case(X)
def gen_over_lines(x):
    return sum(
        np.sin(v)
        * (
            v + 1.0
        )
        for v in x
        if v
        > 0.1
        for _ in range(
            2
        )
    )


@case(X)
def gen_of_gens(x):
    powers = ((v**k for k in range(1, 4)) for v in x)
    total = sum(sum(p) for p in powers)
    rows = ((v * w for w in x) for v in x)
    for row in rows:
        total = total * 0.5 + sum(row)
    return total


@case(X)
def gen_of_lambdas(x):
    total = sum([f() for f in ((lambda: v * 2) for v in x)])
    scaled = (lambda u: u * v for v in x)
    return total + sum(f(x[0]) for f in scaled)


@case(X)
def gen_branch(x):
    g = (v * v for v in x)
    t = 0.0
    if x[0] > 0:
        t += next(g)
    t += 3 * next(g)
    return t


@case(X)
def itert(x):
    t = 0.0
    for a, b in itertools.combinations(x, 2):
        t += a * b
    for a in itertools.accumulate(x, lambda p, q: p * q):
        t += a
    for a, b in itertools.product(x[:2], repeat=2):
        t += a - b * b
    for k, g in itertools.groupby([0, 0, 1, 1], key=lambda i: i):
        for i in g:
            t += x[i] * k
    for a in itertools.islice(itertools.cycle(x), 6):
        t += a
    for a in itertools.takewhile(lambda v: v < 1, x):
        t += a**3
    for a, b in itertools.pairwise(x):
        t += a * b
    for a, b in itertools.zip_longest(x, x[:2], fillvalue=2.0):
        t += a * b
    t += sum(itertools.chain(x, x * 2)) + sum(itertools.starmap(lambda a, b: a * b, zip(x, x)))
    for a in itertools.dropwhile(lambda v: v < 1, x):
        t += a
    return t


@case(X)
def attr_hist(x):
    class M:
        registry = []

        def __init__(s, w):
            s.w = w
            M.registry.append(s)

        def __getattr__(s, n):
            if n.startswith("d_"):
                return getattr(s, n[2:]) * 2
            raise AttributeError(n)

        def __setattr__(s, n, v):
            object.__setattr__(s, n, v * 1.0)

    a = M(x[0])
    b = M(x[1])
    return sum(m.d_w * m.w for m in M.registry)


@case(X)
def graph_nodes(x):
    class N:
        def __init__(s, b):
            s.b = b
            s.out = []
            s.val = 0.0

    ns = [N(v) for v in x]
    for i, j in ((0, 1), (0, 2), (1, 3), (2, 3)):
        ns[i].out.append((ns[j], x[i] * x[j]))
    for n in ns:
        n.val = np.tanh(n.val + n.b)
        for m, w in n.out:
            m.val += w * n.val
    return ns[3].val


@case(X)
def strided_write(x):
    y = x.copy()
    v = as_strided(y, shape=(3, 2), strides=(8, 8))
    v[0] = v[0] * 2
    return np.sum(y**2)


@case(X)
def strided_write2(x):
    y = x.copy()
    v = as_strided(y, (3, 2), (8, 8), writeable=True)
    y[0] *= 3
    return np.sum(v**2)


@case(X)
def sliding_write(x):
    y = x.copy()
    v = sliding_window_view(y, 2, writeable=True)
    v[1] += 1.0
    v[:, 0] *= 2
    return np.sum(y**3)


@case(X)
def sliding_stale(x):
    y = x.copy()
    v = sliding_window_view(y, 2)
    y[1] *= 3
    return np.sum(v**2)


@case(X)
def diag_write(x):
    A = np.outer(x, x).copy()
    d = as_strided(A, (4,), (40,))
    d[:] = d * x
    return np.sum(A * A)


@case(np.arange(12.0).reshape(3, 4) / 7)
def diag2(A):
    B = A.copy()
    d = as_strided(B, (3,), (B.strides[0] + B.strides[1],))
    d *= 2.0
    return np.sum(B**2) + np.sum(d)


@case(X, 3)
def windows(x, w):
    y = x * 2
    s = y.strides[0]
    v = as_strided(y, shape=(len(y) - w + 1, w), strides=(s, s), writeable=False)
    y[0] = 7 * x[1]
    return np.sum(v.mean(axis=1) ** 2)


@case(X)
def bcast(x):
    y = x.copy()
    v = as_strided(y, (3, 4), (0, 8))
    y[1] = x[0] * 3
    return np.sum(v * np.arange(12.0).reshape(3, 4))


@case(X)
def gen_pipe(x):
    g = (v * v for v in x)
    h = (u + 1 for u in g)
    a = next(h)
    if a > 0:
        a = a + next(h) * 2
    return a + sum(h)


@case(X)
def swv_rows(x):
    y = x.copy()
    v = sliding_window_view(y, 2, writeable=True)
    for i in range(len(v)):
        v[i] *= 1.5 + i
    return np.sum(y**2) + np.sum(v)


@case(np.arange(8.0) / 3)
def swv_blocks(x):
    y = x.copy()
    v = sliding_window_view(y, 2, writeable=True)[::2]
    v *= x[0] + 2
    return np.sum(y**2)


@case(0.7)
def functions_around_functions(x):
    f = lambda v: v * 1.01
    for _ in range(50):
        f = (lambda g: lambda v: g(v) + 0.1)(f)
    return f(x)
