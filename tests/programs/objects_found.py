"""Programs over objects from outside that change state, are born and die, and hold lists and other objects."""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass, field

import numpy as np

DRAWS = np.random.default_rng(1)


class Person:
    def __init__(self, state, w):
        self.state = state
        self.w = w
        self.contacts = []
        self.p = 0.0


class Health(enum.Enum):
    S = 0
    I = 1
    R = 2


@dataclass
class Node:
    name: str
    value: float
    children: list = field(default_factory=list)
    parent: object = None
    dist: float = 1000000000.0
    prev: object = None
    seen: bool = False


class Vector:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __sub__(self, o):
        return Vector(self.x - o.x, self.y - o.y)

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y)

    def __mul__(self, c):
        return Vector(self.x * c, self.y * c)

    def norm2(self):
        return self.x ** 2 + self.y ** 2


class Body:
    def __init__(self, pos, vel, m):
        self.pos = pos
        self.vel = vel
        self.m = m

    @property
    def ke(self):
        return 0.5 * self.m * self.vel.norm2()


class Mover:
    def __init__(self, pos, m):
        self.pos = pos
        self.vel = np.zeros(2)
        self.m = m
        self.links = []

    def push(self, f, dt):
        self.vel = self.vel + dt * f / self.m
        self.pos = self.pos + dt * self.vel


class World:
    def __init__(self, bodies, g):
        self.bodies = bodies
        self.g = g
        self.time = 0.0

    def step(self, dt):
        for b in self.bodies:
            b.push(np.array([0.0, -self.g * b.m]), dt)
        self.time += dt


class Resistor:
    def __init__(self, a, b, r):
        self.a = a
        self.b = b
        self.r = r

    def current(self):
        return (self.a.v - self.b.v) / self.r


class Pin:
    def __init__(self, v):
        self.v = v
        self.i = 0.0
        self.fixed = False


@dataclass(frozen=True)
class Item:
    w: float
    v: float


class Bag:
    def __init__(self, items):
        self.items = items
        self.total = 0.0


class Bacterium:
    def __init__(self, e):
        self.e = e
        self.alive = True


def make_people(n):
    ps = [Person("I" if i % 3 == 0 else "S", float(DRAWS.normal())) for i in range(n)]
    for i, p in enumerate(ps):
        p.contacts = [ps[(i + 1) % n], ps[(i + 2) % n]]
    return ps


def make_people_enum(n):
    ps = make_people(n)
    for p in ps:
        p.state = Health.I if p.state == "I" else Health.S
    return ps


def make_tree(n):
    ns = [Node(f"n{i}", float(DRAWS.normal())) for i in range(n)]
    for i in range(1, n):
        ns[(i - 1) // 2].children.append(ns[i])
        ns[i].parent = ns[(i - 1) // 2]
    return ns[0]


def make_nodes(n):
    ns = [Node(f"n{i}", float(DRAWS.normal())) for i in range(n)]
    for i in range(n):
        ns[i].children = [ns[j] for j in ((i + 1) % n, (i * 2 + 1) % n) if j != i]
    return ns


def make_bodies(n):
    return [Body(Vector(float(i), float(DRAWS.normal())), Vector(0.1 * i, 0.2), 1.0 + i) for i in range(n)]


def make_world(n):
    bs = [Mover(DRAWS.normal(size=2), 1.0 + i) for i in range(n)]
    for i in range(n):
        bs[i].links = [bs[(i + 1) % n]]
    return World(bs, 9.8)


def make_circuit(n):
    ps = [Pin(float(DRAWS.normal())) for _ in range(n + 1)]
    ps[0].fixed = True
    return (ps, [Resistor(ps[i], ps[i + 1], 1.0 + i) for i in range(n)])


def make_edges(n):
    ns = [Pin(float(DRAWS.normal())) for _ in range(n)]
    return (ns, [(ns[i], ns[(i * 3 + 1) % n], 0.5 + i) for i in range(n)])


def make_bags(n):
    return [Bag([Item(float(DRAWS.normal()), float(i)) for _ in range(1 + i % 3)]) for i in range(n)]


def make_cells(n):
    return [Bacterium(float(abs(DRAWS.normal())) + 0.5) for _ in range(n)]


def epidemic(x, people):
    for _ in range(2):
        for p in people:
            if p.state == "I":
                for q in p.contacts:
                    if q.state == "S":
                        q.p += x[0] * abs(q.w) * (1 - q.p)
        for p in people:
            if p.state == "S" and p.p > 0.4:
                p.state = "I"
            elif p.state == "I" and p.w > 0.5:
                p.state = "R"
    return sum((p.p * x[1] for p in people)) + sum((1.0 for p in people if p.state == "I")) * x[2]


def epidemic_of_members(x, people):
    for _ in range(2):
        for p in people:
            if p.state is Health.I:
                for q in p.contacts:
                    if q.state is Health.S:
                        q.p += x[0] * abs(q.w) * (1 - q.p)
        for p in people:
            if p.state is Health.S and p.p > 0.4:
                p.state = Health.I
            elif p.state is Health.I and p.w > 0.5:
                p.state = Health.R
    return sum((p.p * x[1] for p in people)) + sum((1.0 for p in people if p.state is Health.I)) * x[2]


def tree_sum(x, root):

    def go(node, depth):
        s = node.value * x[0] ** depth
        for c in node.children:
            s = s + go(c, depth + 1)
        return s
    return go(root, 0) * x[1]


def climb(x, root):
    node = root
    while node.children:
        node = node.children[-1]
    s = 0.0
    while node.parent is not None:
        s += node.value * x[0]
        node = node.parent
    return s * x[1]


def bfs(x, root):
    q = deque([root])
    s = 0.0
    k = 1.0
    while q:
        node = q.popleft()
        s += k * node.value * x[0]
        k = k * x[1]
        for c in node.children:
            q.append(c)
    return s


def bfs_graph(x, nodes):
    nodes[0].seen = True
    q = [nodes[0]]
    s = 0.0
    w = 1.0
    while q:
        u = q.pop(0)
        s += w * u.value * x[0]
        w = w * 0.9 * x[1]
        for c in u.children:
            if not c.seen:
                c.seen = True
                c.prev = u
                q.append(c)
    return s


def relax(x, nodes):
    for nd in nodes:
        nd.dist = 1000000000.0
    nodes[0].dist = 0.0
    for _ in range(len(nodes)):
        for u in nodes:
            for c in u.children:
                d = u.dist + abs(u.value - c.value * x[0]) + 0.1
                if d < c.dist:
                    c.dist = d
    return sum((nd.dist for nd in nodes)) * x[1]


def bodies(x, bs):
    dt = 0.01
    for _ in range(3):
        for a in bs:
            f = Vector(0.0, 0.0)
            for b in bs:
                if a is not b:
                    d = b.pos - a.pos
                    f = f + d * (x[0] * a.m * b.m / (d.norm2() + 0.1) ** 1.5)
            a.vel = a.vel + f * (dt / a.m)
        for a in bs:
            a.pos = a.pos + a.vel * dt
    return sum((b.ke for b in bs)) * x[1] + sum((b.pos.norm2() for b in bs))


def world(x, w):
    w.g = w.g * x[0]
    for _ in range(3):
        w.step(0.01)
    return sum((np.sum(b.pos ** 2) for b in w.bodies)) + w.time


def world_links(x, w):
    e = 0.0
    for b in w.bodies:
        for o in b.links:
            e = e + np.sum((b.pos - o.pos * x[0]) ** 2) * b.m
    return e


def circuit(x, c):
    pins, rs = c
    for _ in range(3):
        for p in pins:
            p.i = 0.0
        for r in rs:
            i = r.current() * x[0]
            r.a.i -= i
            r.b.i += i
        for p in pins:
            if not p.fixed:
                p.v += 0.1 * p.i
    return sum((p.v ** 2 for p in pins)) * x[1]


def edges(x, g):
    nodes, es = g
    for a, b, k in es:
        f = k * x[0] * (b.v - a.v)
        a.i += f
        b.i -= f
    return sum((nd.i ** 2 for nd in nodes)) + x[1]


def bags(x, bs):
    best = 0.0
    for b in bs:
        for it in b.items:
            b.total += it.w * x[0] + it.v * x[1]
        if b.total > best:
            best = b.total
    return best + sum((b.total ** 2 for b in bs))


def born(x, cells):
    for _ in range(3):
        new = []
        for c in cells:
            c.e = c.e * x[0]
            if c.e > 1.0:
                c.e = c.e / 2
                new.append(Bacterium(c.e))
        cells.extend(new)
    return sum((c.e ** 2 for c in cells))


def die(x, cells):
    for _ in range(3):
        for c in cells:
            c.e = c.e * x[1]
        cells = [c for c in cells if c.e > 0.3]
    return sum((c.e ** 2 for c in cells)) * x[0]


def best(x, cells):
    b = max(cells, key=lambda c: c.e * x[0])
    b.e = b.e + x[1]
    return sum((c.e ** 2 for c in cells))


def ranked(x, cells):
    t = 0.0
    for i, c in enumerate(sorted(cells, key=lambda c: c.e)):
        t += c.e * x[0] ** i
    return t


def visited(x, root):
    seen = set()
    stack = [root]
    s = 0.0
    while stack:
        nd = stack.pop()
        if id(nd) in seen:
            continue
        seen.add(id(nd))
        s += nd.value * x[0]
        stack.extend(nd.children)
    return s * x[1]


class Station:
    def __init__(self, v):
        self.v = v
        self.nb = []
        self.out = 0.0


class Net:
    def __init__(self):
        self.nodes = []
        self.edges = []

    def add(self, v):
        n = Station(v)
        self.nodes.append(n)
        return n

    def link(self, a, b):
        a.nb.append(b)
        b.nb.append(a)


def make_none(n):
    return n


def made_graph(x, n):
    nodes = [Station(x[0] * i) for i in range(n)]
    for i in range(n):
        nodes[i].nb.append(nodes[(i + 1) % n])
        nodes[i].nb.append(nodes[i * 2 % n])
    for _ in range(2):
        for nd in nodes:
            s = 0.0
            for o in nd.nb:
                s += o.v * x[1]
            nd.out = np.sin(s)
        for nd in nodes:
            nd.v = nd.v + 0.1 * nd.out
    return sum((nd.v ** 2 for nd in nodes))


def made_net(x, n):
    net = Net()
    for i in range(n):
        net.add(x[0] + i * x[1])
    for i in range(n - 1):
        net.link(net.nodes[i], net.nodes[i + 1])
    return sum((nd.v * sum((o.v for o in nd.nb)) for nd in net.nodes))


MADE_BY = {
    epidemic: make_people,
    epidemic_of_members: make_people_enum,
    tree_sum: make_tree,
    climb: make_tree,
    bfs: make_tree,
    bfs_graph: make_nodes,
    relax: make_nodes,
    bodies: make_bodies,
    world: make_world,
    world_links: make_world,
    circuit: make_circuit,
    edges: make_edges,
    bags: make_bags,
    born: make_cells,
    die: make_cells,
    best: make_cells,
    ranked: make_cells,
    visited: make_tree,
    made_graph: make_none,
    made_net: make_none,
}
