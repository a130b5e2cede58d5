"""Objects picked by data: sorted by a traced key, the least of some, an item at a traced place;
lists of stateful objects in loops."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

X = np.array([0.3, -1.2, 2.0, 0.7])
Y = np.array([1.5, 0.2, -0.4, 0.9])
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class P:
    def __init__(self, x, w):
        self.x = x
        self.w = w

    def score(self):
        return self.x**2 + self.w


@case(X, Y)
def sort_objs(x, y):
    ps = [P(x[i], y[i]) for i in range(4)]
    ps = sorted(ps, key=lambda p: p.x)
    return sum((i + 1.0) * p.w * p.x for i, p in enumerate(ps))


@case(X, Y)
def sort_inplace(x, y):
    ps = [P(a, b) for a, b in zip(x, y)]
    ps.sort(key=lambda p: p.score(), reverse=True)
    ps[0].w *= 3.0
    t = 0.0
    for k, p in enumerate(ps):
        t += p.w * np.sin(p.x) * (k + 1)
    return t


@case(X, Y)
def min_obj(x, y):
    ps = [P(x[i], y[i]) for i in range(4)]
    b = min(ps, key=lambda p: p.score())
    c = max(ps, key=lambda p: p.w)
    b.w = b.w * 2 + c.x
    return sum(p.w * p.x for p in ps) + b.score()


@case(X, Y)
def argmax_obj(x, y):
    ps = [P(x[i], y[i]) for i in range(4)]
    k = np.argmax(y * x)
    ps[k].x = ps[k].x * 5
    return sum(p.score() for p in ps)


@case(X, Y)
def pick_method(x, y):
    class Acc:
        def __init__(self, v):
            self.v = v
            self.n = 0

        def add(self, z):
            self.v = self.v + z * self.v
            self.n += 1
            return self.v

    accs = [Acc(v) for v in x]
    for i in range(4):
        k = int(np.argmin(np.array([a.v for a in accs])))
        accs[k].add(y[i])
    return sum(a.v**2 * a.n for a in accs)


class Particle:
    def __init__(self, x, v):
        self.x = x
        self.v = v
        self.history = []

    def step(self, dt):
        self.v = self.v - dt * self.x
        self.x = self.x + dt * self.v
        self.history.append(self.x)


@case(X, Y, 5)
def particles(x, v, n):
    ps = [Particle(x[i], v[i]) for i in range(4)]
    for t in range(n):
        for p in ps:
            p.step(0.1)
    return sum(sum(h**2 for h in p.history) for p in ps)


@case(X, Y, 5)
def particles_vec(x, v, n):
    ps = [Particle(x[2 * i : 2 * i + 2].copy(), v[2 * i : 2 * i + 2].copy()) for i in range(2)]
    for t in range(n):
        for p in ps:
            p.step(0.1)
    return sum(np.sum(np.array(p.history) ** 2) for p in ps)


@case(X, Y, 5)
def particles_inplace(x, v, n):
    ps = [Particle(x[2 * i : 2 * i + 2].copy(), v[2 * i : 2 * i + 2].copy()) for i in range(2)]
    for t in range(n):
        for p in ps:
            p.v -= 0.1 * p.x
            p.x += 0.1 * p.v
            p.history.append(p.x.copy())
    return sum(np.sum(np.array(p.history) ** 2) for p in ps)


@case(np.linspace(-1, 1, 12), np.linspace(0, 2, 12), 3)
def many_particles(x, v, n):
    ps = [Particle(x[i], v[i]) for i in range(12)]
    for t in range(n):
        for p in ps:
            p.step(0.1)
    return sum(p.x**2 for p in ps)


@case(X, 3)
def tree_build(x, d):
    class Node:
        def __init__(s, v, l=None, r=None):
            s.v = v
            s.l = l
            s.r = r

    def build(x):
        if len(x) == 0:
            return None
        m = len(x) // 2
        return Node(x[m], build(x[:m]), build(x[m + 1 :]))

    def total(n, k):
        if n is None:
            return 0.0
        return n.v**2 * k + total(n.l, k * 0.5) + total(n.r, k * 2)

    return total(build(x), 1.0)


@case(X)
def flatten_rec(x):
    def flat(t):
        if isinstance(t, list):
            out = []
            for u in t:
                out += flat(u)
            return out
        return [t * 2]

    l = flat([x[0], [x[1], [x[2]]], x[3]])
    return sum(a * b for a, b in zip(l, l[1:]))


class Agent:
    def __init__(s, name, pos, w):
        s.name = name
        s.pos = pos
        s.w = w
        s.log = []
        s.best = None
        s.n = 0

    @property
    def energy(s):
        return s.w * np.sum(s.pos**2)

    @energy.setter
    def energy(s, v):
        s.w = v / np.sum(s.pos**2)

    def move(s, d):
        s.pos = s.pos + d
        s.n += 1
        s.log.append(s.w * s.n)
        if s.best is None or s.energy < s.best:
            s.best = s.energy
        return s

    def shove(s, d):
        s.pos += d
        s.pos[0] *= 1.1


def mk(x, y):
    return [Agent("abcd"[i], x[i : i + 2] * (1.0 + i), y[i]) for i in range(3)]


@case(X, Y)
def agents(x, y):
    a = mk(x, y)
    for t in range(4):
        p = min(a, key=lambda q: q.energy)
        p.move(0.1 * x[:2] * (t + 1))
        q = max(a, key=lambda q: abs(q.w))
        if q is not p:
            q.w = q.w * 0.7
        if p.name == "b":
            p.w += 0.1
    return sum(p.energy + sum(p.log) for p in a) + sum(p.best for p in a if p.best is not None)


@case(X, Y)
def agents_inplace(x, y):
    a = mk(x, y)
    k = np.argmin([p.energy for p in a])
    b = a[k]
    b.shove(x[2:])
    v = b.pos
    v *= y[0]
    b.energy = 2.0 * y[1]
    return sum(p.energy * p.w for p in a) + np.sum(a[0].pos)


@case(X, Y, 3)
def tournament(x, y, n):
    a = [Agent("q", x[i : i + 1] * 1.0, y[i]) for i in range(4)]
    champ = a[0]
    for r in range(n):
        for c in a[1:]:
            if c.w * c.pos[0] > champ.w * champ.pos[0]:
                champ = c
        champ.w = champ.w * 0.5 + 0.1
    return champ.w * 3 + sum(c.w * c.pos[0] for c in a)


@case(X, Y, 3)
def resort(x, y, n):
    a = [Agent("q", x[i : i + 1] * 1.0, y[i]) for i in range(4)]
    for r in range(n):
        a.sort(key=lambda c: c.w)
        a[0].w += 0.3 * x[0]
        a[-1].w -= 0.2 * a[1].w
    return sum((i + 1) * c.w for i, c in enumerate(a))


@case(X, Y)
def record_dicts(x, y):
    rs = [{"k": x[i], "v": y[i], "tag": "ab"[i % 2]} for i in range(4)]
    rs = sorted(rs, key=lambda r: r["k"])
    rs[1]["v"] = rs[1]["v"] * 4
    top = rs[-1]
    return sum(r["k"] * r["v"] * (2.0 if r["tag"] == "a" else 1.0) for r in rs) + top["k"] ** 2


@case(X, Y)
def keyed_pairs(x, y):
    a = mk(x, y)
    pairs = sorted([(p.energy, i, p) for i, p in enumerate(a)], key=lambda t: t[0])
    e, i, p = pairs[0]
    p.w *= 2
    return e * p.energy + sum((j + 1) * q.w for j, (e, i, q) in enumerate(pairs))


NT = namedtuple("NT", "s v")


@case(X, Y)
def nts(x, y):
    l = [NT(x[i], y[i : i + 1]) for i in range(4)]
    l = sorted(l, key=lambda t: -t.s)
    return sum((i + 1) * np.sum(t.v) * t.s for i, t in enumerate(l))


@dataclass
class Item:
    v: float
    w: float
    taken: bool = False


@case(X, Y)
def knapsack(x, y):
    items = [Item(a, b**2 + 0.1) for a, b in zip(x, y)]
    cap = 2.0
    tot = 0.0
    for it in sorted(items, key=lambda i: i.v / i.w, reverse=True):
        if it.w <= cap:
            it.taken = True
            cap -= it.w
            tot += it.v
        else:
            tot += it.v * cap / it.w
            cap = 0.0
    return tot + sum(i.v for i in items if i.taken)


@case([Item(0.4, 1.5), Item(-0.3, 0.7), Item(1.2, 0.2)], X)
def outside_objs(items, x):
    k = int(np.argmax(x[:3]))
    it = items[k]
    b = min(items, key=lambda i: i.w * i.v)
    return it.v * x[0] + b.w**2 * it.w


@case([Item(0.4, 1.5), Item(-0.3, 0.7), Item(1.2, 0.2)], X)
def outside_write(items, x):
    k = int(np.argmax(x[:3]))
    items[k].v = items[k].v * x[1]
    return sum(i.v**2 * i.w for i in items)


class Stat:
    def __init__(s, n):
        s.q = [1.0] * n
        s.neighbors = []


@case(X)
def qlearn(x):
    st = [Stat(2) for _ in range(3)]
    s = 0
    tot = 0.0
    for t in range(4):
        a = 0 if st[s].q[0] * x[t] >= st[s].q[1] else 1
        nxt = (s + a + 1) % 3
        r = x[t] * (a + 1)
        st[s].q[a] = st[s].q[a] + 0.5 * (r + 0.9 * max(st[nxt].q) - st[s].q[a])
        tot += r
        s = nxt
    return tot + sum(sum(u.q) for u in st)


@case(X, Y)
def funcs(x, y):
    fs = [np.sin, np.cos, lambda v: v**2]
    k = int(np.argmax(x[:3]))
    return np.sum(fs[k](y)) + fs[k - 1](x[0])


@case(X, Y)
def graph_walk(x, y):
    class N:
        def __init__(s, v):
            s.v = v
            s.next = None

    ns = [N(v) for v in x]
    for i in range(4):
        ns[i].next = ns[(i + 1) % 4]
    cur = ns[int(np.argmin(y))]
    t = 0.0
    for _ in range(3):
        cur.v = cur.v * 1.5
        t += cur.v
        cur = cur.next
    return t + sum(n.v**2 for n in ns)


@case(X)
def dict_int(x):
    d = {0: x[0], 1: x[1], 5: x[2]}
    k = int(np.argmax(x[:2]))
    d[k] = d[k] * 2
    d[k] += x[3]
    return d[0] * d[1] + d[5]


class Body:
    def __init__(self, m, pos, vel):
        self.m = m
        self.pos = pos
        self.vel = vel
        self.acc = np.zeros(2)

    def kick(self, dt):
        self.vel = self.vel + dt * self.acc

    def drift(self, dt):
        self.pos = self.pos + dt * self.vel


MASSES = np.array([1.0, 2.0, 3.0])
PLACES = np.array([[0.0, 0.0], [1.0, 0.3], [0.2, 1.5]])
SPEEDS = np.array([[0.1, 0.0], [0.0, 0.3], [0.2, 0.5]])


@case(MASSES, PLACES, SPEEDS, 4)
def bodies_of_a_number(m, p, v, steps):
    bodies = [Body(m[i], p[i], v[i]) for i in range(len(m))]
    for _ in range(steps):
        for a in bodies:
            a.acc = np.zeros(2)
            for b in bodies:
                if a is not b:
                    d = b.pos - a.pos
                    a.acc = a.acc + b.m * d / (d @ d + 0.01) ** 1.5
        for a in bodies:
            a.kick(0.1)
            a.drift(0.1)
    return sum(0.5 * a.m * a.vel @ a.vel for a in bodies)


@case(X, Y, 5)
def histories_of_a_number(x, v, n):
    ps = [Particle(x[i], v[i]) for i in range(len(x))]
    for _ in range(n):
        for p in ps:
            p.step(0.1)
    return sum(sum(h**2 for h in p.history) for p in ps)


@case(X, Y, 5)
def chain_of_particles(x, v, n):
    ps = []
    for a, b in zip(x, v):
        ps.append(Particle(a, b))
    for _ in range(n):
        for p in ps:
            p.step(0.1)
        for i in range(len(ps) - 1):
            ps[i].v += 0.1 * (ps[i + 1].x - ps[i].x)
    return sum(p.x * p.v for p in ps)
