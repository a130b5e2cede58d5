"""Programs over objects from outside that refer to one another: lists, trees, graphs, and what holds them."""

from __future__ import annotations

import numpy as np

DRAWS = np.random.default_rng(0)


class Link:
    def __init__(self, w):
        self.w = w
        self.next = None
        self.left = None
        self.right = None
        self.neighbours = []
        self.t = w
        self.new = 0.0


class Ball:
    def __init__(self, x, m=1.0):
        self.x = x
        self.v = 0.0
        self.f = 0.0
        self.m = m


class Spring:
    def __init__(self, a, b, k, l):
        self.a = a
        self.b = b
        self.k = k
        self.l = l


class Element:
    def __init__(self, nodes, E):
        self.nodes = nodes
        self.E = E


class Joint:
    def __init__(self, i, x):
        self.i = i
        self.x = x
        self.u = 0.0
        self.load = 0.0


class Field:
    def __init__(self, agents, food):
        self.agents = agents
        self.food = food


class Animal:
    def __init__(self, e):
        self.energy = e
        self.age = 0


class Decision:
    def __init__(self, feature=0, threshold=0.0, left=None, right=None, value=None):
        self.feature = feature
        self.threshold = threshold
        self.left = left
        self.right = right
        self.value = value


class Account:
    def __init__(self, b):
        self.balance = b
        self.history = [b]


def make_list(n):
    h = None
    for w in DRAWS.normal(size=n):
        nd = Link(float(w))
        nd.next = h
        h = nd
    return h


def make_tree(n):
    if n == 0:
        return None
    nd = Link(float(DRAWS.normal()))
    k = (n - 1) // 2
    nd.left = make_tree(k)
    nd.right = make_tree(n - 1 - k)
    return nd


def make_graph(n):
    ns = [Link(float(w)) for w in DRAWS.normal(size=n)]
    for i in range(n):
        ns[i].neighbours = [ns[(i + 1) % n], ns[(i - 1) % n]] + ([ns[0]] if i % 2 else [])
    return ns


def make_springs(n):
    ps = [Ball(float(i) * 1.1) for i in range(n)]
    return (ps, [Spring(a, b, 2.0, 1.0) for a, b in zip(ps, ps[1:])])


def make_els(n):
    ns = [Joint(i, float(i) + 0.1 * float(DRAWS.normal())) for i in range(n)]
    return (ns, [Element([a, b], 2.0) for a, b in zip(ns, ns[1:])])


def make_cells(n):
    return [Field([Animal(float(DRAWS.normal())) for _ in range(2 + i % 2)], 1.0) for i in range(n)]


def make_two(n):
    return ([Animal(float(DRAWS.normal()) + 2) for _ in range(n)], [Animal(float(DRAWS.normal())) for _ in range(n + 1)])


def make_dec(n, depth=0):
    if n <= 1:
        return Decision(value=float(DRAWS.normal()))
    return Decision(int(DRAWS.integers(0, 3)), float(DRAWS.normal()), make_dec(n // 2), make_dec(n - n // 2))


def make_acc(n):
    return [Account(float(i) + 1) for i in range(n)]


def walk(x, head):
    s = 0.0
    node = head
    while node is not None:
        s = s + np.sin(node.w * x[0]) * x[1]
        node = node.next
    return s


def walk_write(x, head):
    node = head
    c = x[0]
    while node is not None:
        node.t = node.w * c
        c = c * 0.9 + x[1]
        node = node.next
    s = 0.0
    node = head
    while node is not None:
        s += node.t ** 2
        node = node.next
    return s


def tree(x, root):

    def total(node):
        if node is None:
            return 0.0
        return np.sin(node.w * x[0]) + x[1] * total(node.left) + x[2] * total(node.right)
    return total(root)


def tree_stack(x, root):
    s = 0.0
    stack = [root]
    while stack:
        node = stack.pop()
        s = s + node.w ** 2 * x[0]
        if node.left is not None:
            stack.append(node.left)
        if node.right is not None:
            stack.append(node.right)
    return s * x[1]


def diffuse(x, nodes):
    for node in nodes:
        node.t = node.w * x[0]
    for _ in range(3):
        for node in nodes:
            flux = 0.0
            for nb in node.neighbours:
                flux += x[1] * (nb.t - node.t)
            node.new = node.t + 0.1 * flux
        for node in nodes:
            node.t = node.new
    return sum((node.t ** 2 for node in nodes))


def graph_read(x, nodes):
    e = 0.0
    for node in nodes:
        for nb in node.neighbours:
            e = e + (node.w - nb.w * x[0]) ** 2
    return e


def springs(x, w):
    ps, ss = w
    for p in ps:
        p.v = 0.0
        p.x = p.x * x[1]
    for _ in range(4):
        for p in ps:
            p.f = 0.0
        for s in ss:
            d = s.b.x - s.a.x
            f = s.k * x[0] * (d - s.l)
            s.a.f += f
            s.b.f -= f
        for p in ps:
            p.v += 0.01 * p.f / p.m
            p.x += 0.01 * p.v
    return sum((p.x * p.v for p in ps))


def fem(x, w):
    nodes, els = w
    n = len(nodes)
    K = np.zeros((n, n))
    f = np.zeros(n)
    for e in els:
        a, b = e.nodes
        L = b.x - a.x
        k = e.E * x[0] / L
        K[a.i, a.i] += k
        K[b.i, b.i] += k
        K[a.i, b.i] -= k
        K[b.i, a.i] -= k
    K[0, 0] += 10.0
    f[-1] = x[1]
    u = np.linalg.solve(K, f)
    for nd in nodes:
        nd.u = u[nd.i]
    return sum((nd.u ** 2 for nd in nodes))


def cells(x, cs):
    for c in cs:
        for a in c.agents:
            a.energy += c.food * x[0]
            a.age += 1
        c.food = c.food * x[1]
    t = 0.0
    for c in cs:
        t = t + c.food
        for a in c.agents:
            t += a.energy ** 2
    return t


def two(x, w):
    prey, pred = w
    for _ in range(3):
        for a in prey:
            a.energy = a.energy * x[0]
        for b in pred:
            for a in prey:
                d = a.energy * 0.1
                b.energy += d * x[1]
                a.energy -= d
    return sum((a.energy for a in prey)) + sum((b.energy ** 2 for b in pred))


def decision(x, root):
    node = root
    while node.left is not None:
        node = node.left if x[node.feature] < node.threshold else node.right
    return node.value * np.sum(x ** 2)


def accounts(x, acc):
    for _ in range(3):
        for a in acc:
            a.balance = a.balance * (1 + x[0])
            a.history.append(a.balance)
    return sum((a.balance for a in acc)) + sum((sum(a.history) for a in acc)) * x[1]


class Sharing:
    def __init__(self, v, info):
        self.v = v
        self.info = info
        self.near = []
        self.past = info["past"]


def make_sharing(n):
    """Objects that hold one dict and one list, which are found elsewhere, too."""
    info = {"k": 2.0, "past": [1.0, 2.0]}
    nodes = [Sharing(0.5 * i, info) for i in range(n)]
    for i in range(n):
        nodes[i].near = [nodes[(i + 1) % n]]
    return nodes, info, nodes[0].near


def shared_dict(x, w):
    nodes, info, _ = w
    s = 0.0
    for a in nodes:
        a.v += 0.1
    info["k"] = x[0]
    for a in nodes:
        s += a.info["k"] * a.v
    return s


def shared_list(x, w):
    nodes, info, near = w
    for a in nodes:
        a.v += 0.1
    info["past"].append(x[0])
    near.append(nodes[0])
    s = 0.0
    for a in nodes:
        s += sum(a.past) * a.v + sum(b.v for b in a.near) * x[1]
    return s


def shared_by_all(x, w):
    nodes, info, _ = w
    for a in nodes:
        a.past.append(x[0])
    return sum(info["past"]) + sum(sum(a.past) for a in nodes) * x[1]


def list_of_one(x, w):
    nodes, _, near = w
    for a in nodes:
        a.near.append(nodes[0])
    return sum(b.v for b in near) * x[0] + sum(len(a.near) for a in nodes) * x[1]


SHARED = (shared_dict, shared_list, shared_by_all, list_of_one)

MADE_BY = {
    walk: make_list,
    walk_write: make_list,
    tree: make_tree,
    tree_stack: make_tree,
    diffuse: make_graph,
    graph_read: make_graph,
    springs: make_springs,
    fem: make_els,
    cells: make_cells,
    two: make_two,
    decision: make_dec,
    accounts: make_acc,
    **dict.fromkeys(SHARED, make_sharing),
}
