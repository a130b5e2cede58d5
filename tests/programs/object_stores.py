"""Programs over lists of objects: made, changed, linked, born and dying in loops, or found outside."""

from __future__ import annotations

import heapq
import sys
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

SIZES = (5, 23)


class Particle:
    def __init__(self, x, y, m):
        self.x = x
        self.y = y
        self.m = m
        self.vx = 0.0
        self.vy = 0.0

    def kinetic(self):
        return 0.5 * self.m * (self.vx**2 + self.vy**2)


def particles(x, dt):
    ps = [Particle(x[i, 0], x[i, 1], 1.0 + 0.1 * i) for i in range(len(x))]
    for _ in range(2):
        for i in range(len(ps)):
            for j in range(i):
                a, b = ps[i], ps[j]
                dx = a.x - b.x
                dy = a.y - b.y
                f = a.m * b.m / (dx * dx + dy * dy + 0.1)
                a.vx -= dt * f * dx
                a.vy -= dt * f * dy
                b.vx += dt * f * dx
                b.vy += dt * f * dy
        for p in ps:
            p.x += dt * p.vx
            p.y += dt * p.vy
    return sum(p.kinetic() for p in ps)


class Agent:
    def __init__(self, e, w):
        self.e = e
        self.w = w
        self.alive = True


def agents(x, rate):
    pop = [Agent(x[i], 1.0) for i in range(len(x))]
    for _ in range(3):
        born = []
        for a in pop:
            if not a.alive:
                continue
            a.e = a.e - rate * a.e**2
            if a.e < 0.2:
                a.alive = False
            elif a.e > 0.9:
                a.e = 0.5 * a.e
                born.append(Agent(a.e, a.w * 0.5))
        pop = [a for a in pop if a.alive]
        for b in born:
            pop.append(b)
    total = 0.0
    for a in pop:
        total += a.w * a.e
    return total


class Node:
    def __init__(self, v, after):
        self.v = v
        self.after = after


def links(x):
    head = None
    for i in range(len(x)):
        head = Node(x[i] * (i + 1), head)
    total = 0.0
    node = head
    while node is not None:
        total = 0.9 * total + node.v**2
        node = node.after
    return total


def told_by_links(x):
    head = None
    nodes = []
    for i in range(len(x)):
        head = Node(x[i] * x[i], head)
        nodes.append(head)
    first, second = nodes[0], nodes[1]
    total = 0.0
    node = head
    while node is not None:
        if node.after is first:
            total = total + 3.0 * node.v
        if first is node.after:
            total = total + 5.0 * node.v
        if node.after is not second:
            total = total + 7.0 * node.v
        node = node.after
    return total


def growing(x, dt):
    ps = []
    for i in range(len(x)):
        ps.append(Particle(x[i], 0.0, 1.0))
        for p in ps:
            p.vx = p.vx - dt * p.x
            p.x = p.x + dt * p.vx
    return sum(p.x**2 for p in ps)


class Element:
    def __init__(self, a, b, stiffness):
        self.a = a
        self.b = b
        self.stiffness = stiffness

    def factor(self, nodes):
        return self.stiffness / (nodes[self.b] - nodes[self.a])


def elements(stiffness, nodes):
    els = [Element(i, i + 1, stiffness[i]) for i in range(len(stiffness))]
    n = len(nodes)
    K = np.zeros((n, n))
    for el in els:
        k = el.factor(nodes)
        K[el.a, el.a] += k
        K[el.b, el.b] += k
        K[el.a, el.b] -= k
        K[el.b, el.a] -= k
    u = np.linalg.solve(K[1:, 1:] + 0.5 * np.eye(n - 1), np.ones(n - 1))
    return np.sum(u)


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None
        self.count = 1


def tree(x):
    root = Tree(x[0])
    for i in range(1, len(x)):
        node = root
        while True:
            node.count += 1
            if x[i] < node.key:
                if node.left is None:
                    node.left = Tree(x[i])
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Tree(x[i])
                    break
                node = node.right
    total = 0.0
    stack = [(root, 1.0)]
    while stack:
        node, depth = stack.pop()
        total += node.key * depth * node.count
        if node.left is not None:
            stack.append((node.left, depth + 1))
        if node.right is not None:
            stack.append((node.right, depth + 1))
    return total


def shortest_paths(W, near):
    n = len(near)
    dist = [np.inf] * n
    dist[0] = 0.0
    done = [False] * n
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if done[u]:
            continue
        done[u] = True
        for v in near[u]:
            if d + W[u, v] < dist[v]:
                dist[v] = d + W[u, v]
                heapq.heappush(heap, (dist[v], v))
    total = 0.0
    for u in range(n):
        total += dist[u] ** 2
    return total


class Job:
    def __init__(self, at, work):
        self.at = at
        self.work = work


def events(x):
    queue = []
    for i in range(len(x)):
        heapq.heappush(queue, (x[i], i, Job(x[i], 1.0 + 0.1 * x[i])))
    total = 0.0
    for _ in range(2 * len(x)):
        t, i, job = heapq.heappop(queue)
        total += t * job.work
        job.work = 0.5 * job.work
        heapq.heappush(queue, (t + job.work, i, job))
    return total


@dataclass
class Body:
    pos: np.ndarray
    vel: np.ndarray
    m: float


def bodies(x, dt):
    bs = [Body(x[i], np.zeros(2), 1.0) for i in range(len(x))]
    for b in bs:
        acc = np.zeros(2)
        for c in bs:
            if c is not b:
                d = c.pos - b.pos
                acc = acc + c.m * d / (d @ d + 0.1) ** 1.5
        b.vel = b.vel + dt * acc
    for b in bs:
        b.pos = b.pos + dt * b.vel
    return sum(b.m * (b.pos @ b.pos) for b in bs)


def best_of(x):
    ps = [Particle(v, 0.0, 1.0) for v in x]
    best = ps[0]
    for p in ps:
        if p.x > best.x:
            best = p
    best.x = 3.0 * best.x
    return sum(p.x**2 for p in ps) + best.x * sum(1.0 if p is best else 0.5 for p in ps)


def swapped(x):
    ps = [Particle(v, 0.0, 1.0) for v in x]
    for i in range(len(ps) - 1):
        if ps[i].x > ps[i + 1].x:
            ps[i], ps[i + 1] = ps[i + 1], ps[i]
        ps[i].m = ps[i].m + i
    total = 0.0
    for k, p in enumerate(ps):
        total += k * p.m * p.x
    return total


class Probe:
    def __init__(self, at):
        self.at = at
        self.seen = []
        self.weights = [at, 1.0]


def histories(x):
    """Lists as attributes, which grow by data and are written to."""
    probes = [Probe(v) for v in x]
    for t in range(3):
        for p in probes:
            if p.at < 0.5:
                p.seen.append(p.at * (t + 1.0))
            p.weights[1] *= p.weights[0]
            p.at = 0.8 * p.at + 0.1
    probes[-1].seen.append(x[0])
    total = 0.0
    for p in probes:
        for k, v in enumerate(p.seen):
            total += v * v * (k + 1)
        total += p.weights[1] * len(p.seen)
    return total


def histories_joined(x):
    """A list that two objects hold."""
    probes = [Probe(v) for v in x]
    for p, q in zip(probes, probes[1:]):
        p.seen.append(p.at)
        q.seen = p.seen
    return sum(sum(p.seen) for p in probes)


def made_bodies(x):
    return [Body(np.array([v, v * v]), np.zeros(2), 1.0) for v in x]


def total_of(bodies):
    return sum(b.pos[0] * b.pos[1] * b.m + b.vel[0] * b.vel[1] for b in bodies)


def pushed(x):
    """Arrays written in place, of objects that are known by numbers."""
    bs = made_bodies(x)
    for b in bs:
        b.pos[0] += 0.1 * b.pos[1]
        b.vel += np.sin(b.pos)
    return total_of(bs)


def pushed_in_pairs(x):
    bs = made_bodies(x)
    for _ in range(2):
        for b in bs:
            b.vel = np.zeros(2)
        for i in range(len(bs)):
            for j in range(i):
                d = bs[i].pos - bs[j].pos
                bs[i].vel += d
                bs[j].vel -= d * bs[i].m
        for b in bs:
            b.pos = b.pos + 0.1 * b.vel
            if b.pos[0] > 0.5:
                b.pos[1] = 3.0 * b.pos[0]
    return total_of(bs)


def pushed_by_views(x):
    bs = made_bodies(x)
    for b in bs:
        flipped = b.pos[::-1]
        flipped[0] += 2.0
        first = b.pos[:1]
        first *= flipped[1]
        b.m += flipped[0] + first[0]
        b.pos[:] = flipped
    return total_of(bs)


def pushed_and_kept(x):
    """Arrays that are written in place and have another holder."""
    bs, old = made_bodies(x), []
    for b in bs:
        old.append(b.pos)
        b.pos[0] += 1.0
    return total_of(bs) + sum(v[0] for v in old)


def pushed_and_replaced(x):
    bs = made_bodies(x)
    for b in bs:
        old = b.pos
        b.pos = old * 2.0
        old += 10.0
        b.m += old[0]
    return total_of(bs)


def pushed_in_a_matrix(x):
    m = np.ones((len(x), 2))
    bs = [Body(m[i], np.zeros(2), 1.0) for i in range(len(x))]
    for b, v in zip(bs, x):
        b.pos[0] += v
    return total_of(bs) + np.sum(m)


# ---- carried by loops from what was given ---------------------------------------------------------
Motion = namedtuple("Motion", "at speed")


@dataclass(frozen=True)
class Frozen:
    at: float
    speed: float


@dataclass
class Moving:
    at: float
    speed: float


def carried_tuple(x, state):
    for i in range(len(x)):
        if state[0] > 0.1 * i:
            state = (state[0] + 0.1 * state[1][0], (state[1][0] - x[i] * state[0], state[1][1]))
    return state[0] * state[1][1]


def carried_names(x, state):
    for i in range(len(x)):
        state = state._replace(at=state.at + 0.1 * state.speed, speed=state.speed - x[i])
    return state.at


def carried_frozen(x, state):
    for v in x:
        if state.at < 3.0:
            state = Frozen(state.at + 0.1 * state.speed, state.speed - v * state.at)
    return state.at


def carried_object(x, state):
    for v in x:
        state = Moving(state.at + 0.1 * state.speed, state.speed - v * state.at)
    return state.at


def carried_dict(x, state):
    for v in x:
        state = {**state, "at": state["at"] * np.cos(v)}
    return state["at"] * state["scale"]


# ---- lists from outside --------------------------------------------------------------------------
class Spring:
    def __init__(self, i, j, k, rest):
        self.i = i
        self.j = j
        self.k = k
        self.rest = rest

    def energy(self, x):
        return 0.5 * self.k * (np.abs(x[self.i] - x[self.j]) - self.rest) ** 2


Edge = namedtuple("Edge", "i j w")


def springs(x, ss):
    e = 0.0
    for s in ss:
        e += s.energy(x)
    return e


def edges(x, es):
    return sum(e.w * (x[e.i] - x[e.j]) ** 2 for e in es)


def tuples(x, es):
    total = 0.0
    for n, (i, j, w) in enumerate(es):
        total += n * w * np.sin(x[i] - x[j])
    return total


def rows_of_dicts(x, rows):
    total = 0.0
    for row in rows:
        total += row["w"] * x[row["i"]] ** 2
    return total


def neighbours(x, near):
    total = 0.0
    for u in range(len(near)):
        for v in near[u]:
            total += x[u] * x[v]
    return total


def springs_that_stiffen(x, ss):
    e = 0.0
    for s in ss:
        e += s.energy(x)
        s.k = 2.0 * s.k
    return e + ss[0].k


def moved(x, ps):
    for p in ps:
        p.vx += x[0] * p.m * p.x
        p.x += 0.1 * p.vx
    return sum(p.x**2 for p in ps)


def pairs_outside(x, ps):
    for _ in range(2):
        for i in range(len(ps)):
            for j in range(i):
                a, b = ps[i], ps[j]
                d = a.x - b.x
                f = a.m * b.m / (d * d + 0.1) * x[0]
                a.vx -= f * d
                b.vx += f * d
        for p in ps:
            p.x += 0.1 * p.vx
    return sum(p.kinetic() for p in ps) + ps[-1].x * ps[0].vx


def sorted_by_swaps(x, ps):
    """The list itself changes, too."""
    for i in range(len(ps) - 1):
        if ps[i].x * x[0] > ps[i + 1].x:
            ps[i], ps[i + 1] = ps[i + 1], ps[i]
        ps[i].m = ps[i].m + x[0] * i
    return sum(k * p.m * p.x for k, p in enumerate(ps))


def some_changed(x, ps):
    right = [p for p in ps if p.x > 0.0]
    for p in right:
        p.vx += x[0] * p.x
    return sum(p.kinetic() for p in ps)


def counted_first(x, ss):
    n = len(ss)
    total = 0.0
    for k in range(n):
        total += ss[k].energy(x) / n
    return total


def stopped(x, ps):
    """Raises for one of the objects, after those before it have changed."""
    total = 0.0
    for k, p in enumerate(ps):
        p.y = p.y + x[k]
        if p.m > 1.25:
            raise ValueError("too heavy")
        total += p.y
    return total


def one_replaced(x, ss):
    e = springs(x, ss)
    ss[1].k = 7.0
    e = e + springs(x, ss)
    ss.append(Spring(0, 2, 1.5, 0.1))
    return e + springs(x, ss)


def one_is_the_first(x, ss):
    first, e = ss[0], 0.0
    for s in ss:
        e += 2.0 * s.energy(x) if s is first else s.energy(x)
    return e


def stiffest(x, ss):
    best = ss[0]
    for s in ss:
        if s.k > best.k:
            best = s
    return best.energy(x) + springs(x, ss)


def _arguments(n):
    r = np.random.default_rng(n)
    x = r.normal(size=n)
    ends = [(int(i), int(j)) for i, j in r.integers(0, n, (n, 2))]
    weights = [float(w) for w in r.uniform(0.5, 2.0, n)]

    def made_springs():
        return [Spring(i, i + 1, w, 0.5) for i, w in enumerate(weights[:-1])]

    def made_particles():
        return [Particle(float(v), 0.5, 1.0 + 0.1 * i) for i, v in enumerate(x)]

    near = [[int(v) for v in r.integers(0, n, k % 4)] for k in range(n)]
    ring = [[*nodes, (k + 1) % n] for k, nodes in enumerate(near)]
    return {
        particles: (r.normal(size=(n, 2)), 0.1), agents: (r.uniform(0.1, 1.2, n), 0.2),
        shortest_paths: (r.uniform(0.5, 2.0, (n, n)), ring), events: (x,), told_by_links: (x,),
        links: (x,), growing: (x, 0.1), tree: (r.permutation(n) + 0.1,),
        elements: (r.uniform(1.0, 2.0, n), np.cumsum(r.uniform(0.5, 1.0, n + 1))),
        bodies: (r.normal(size=(n, 2)), 0.1), best_of: (x,), swapped: (x,),
        pushed: (x,), pushed_in_pairs: (0.3 * x,), pushed_by_views: (x,),
        pushed_and_kept: (x[:10],), pushed_and_replaced: (x[:10],), pushed_in_a_matrix: (x[:10],),
        histories: (x,), histories_joined: (x[:12],), carried_tuple: (x, (0.5, (1.0, 2.0))), carried_names: (x, Motion(0.5, 1.0)),
        carried_frozen: (x, Frozen(0.5, 1.0)), carried_object: (x, Moving(0.5, 1.0)),
        carried_dict: (x, {"at": 0.5, "scale": 2.0}),
        springs: (x, made_springs()), edges: (x, [Edge(i, j, w) for (i, j), w in zip(
            ends, weights, strict=True)]),
        tuples: (x, [(i, j, w) for (i, j), w in zip(ends, weights, strict=True)]),
        rows_of_dicts: (x, [{"i": i, "w": w} for (i, _), w in zip(ends, weights, strict=True)]),
        neighbours: (x, near), springs_that_stiffen: (x, made_springs()),
        one_replaced: (x, made_springs()), one_is_the_first: (x, made_springs()),
        counted_first: (x, made_springs()), stiffest: (x, made_springs()),
        sorted_by_swaps: (x, made_particles()), some_changed: (x, made_particles()),
        moved: (x, made_particles()), pairs_outside: (0.1 * x, made_particles()),
    }


BY_SIZE = [_arguments(n) for n in SIZES]
OF_NUMBERS = (sorted_by_swaps, some_changed)  # not for the fields of objects: these move
CASES = [(fn, args) for given in BY_SIZE for fn, args in given.items()]
CHANGING = (springs_that_stiffen, one_replaced, one_is_the_first, stiffest, moved, pairs_outside,
            sorted_by_swaps, some_changed)
ONE_BY_ONE = (one_replaced, histories_joined, pushed_and_kept, pushed_and_replaced,
              pushed_in_a_matrix)
MOST_LINES = {  # of the gradient's text, in lines of the program with its class
    particles: 4.8, agents: 4.1, links: 2.8, growing: 3.3, elements: 3.1, tree: 6.2, bodies: 4.6,
    shortest_paths: 4.8, events: 4.6, springs: 2.6, pairs_outside: 4.0,
    moved: 2.9 if sys.version_info < (3, 12) else 3.1,  # where sums are over a list
}
