"""Programs over objects, as people write them: pairs of particles, springs, agents that are born and
die, linked lists, shortest paths, finite elements, a tree that data build."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np


class Particle:
    def __init__(self, x, v, m):
        self.x, self.v, self.m = x, v, m


def pairs(theta, n, steps):
    ps = [Particle(math.sin(i * theta), 0.1 * theta * i / n, 1.0 + 0.01 * i) for i in range(n)]
    for _ in range(steps):
        for i in range(n):
            force = 0.0
            for j in range(n):
                if i != j:
                    d = ps[j].x - ps[i].x
                    force += ps[j].m * d / (d * d + 0.1) ** 1.5
            ps[i].v += 0.01 * force
        for p in ps:
            p.x += 0.01 * p.v
    return sum(p.m * p.v ** 2 for p in ps)


@dataclass
class Spring:
    a: int
    b: int
    k: float
    length: float


def springs(x, links):
    e = 0.0
    for s in links:
        d = abs(x[s.b] - x[s.a])
        e += 0.5 * s.k * (d - s.length) ** 2
    return e


class Agent:
    def __init__(self, energy, speed):
        self.energy = energy
        self.speed = speed


def agents(rate, n, steps):
    alive = [Agent(1.0 + 0.1 * math.sin(i), 0.5 + 0.01 * i) for i in range(n)]
    for t in range(steps):
        survivors = []
        for a in alive:
            a.energy += rate * math.cos(t + a.speed) - 0.1 * a.speed
            if a.energy > 0.0:
                survivors.append(a)
            if a.energy > 1.5:
                a.energy *= 0.5
                survivors.append(Agent(a.energy, a.speed * 0.9))
        alive = survivors
    return sum(a.energy * a.speed for a in alive)


class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


def walk(w, n):
    nodes = [Node(w * (i + 1)) for i in range(n)]
    for i in range(n - 1):
        nodes[i].next = nodes[i + 1]
    total, node = 0.0, nodes[0]
    while node is not None:
        total += math.sin(node.value)
        if node.value > 0.7 * n and node.next is not None:
            node = node.next.next
        else:
            node = node.next
    return total


def dijkstra(w, graph, source, target):
    n = len(graph)
    dist = [math.inf] * n
    dist[source] = 0.0
    queue = [(0.0, source)]
    while queue:
        d, u = heapq.heappop(queue)
        if u == target:
            break
        if d > dist[u]:
            continue
        for v, e in graph[u]:
            new = d + w[e]
            if new < dist[v]:
                dist[v] = new
                heapq.heappush(queue, (new, v))
    return dist[target] ** 2


def growing(x, limit):
    cloud = [Particle(x[0], x[1], 1.0)]
    k = 0
    while len(cloud) < limit:
        p = cloud[k]
        p.x += 0.1 * p.v
        cloud.append(Particle(p.x * 0.9, p.v + 0.1 * p.m, p.m * 0.5))
        if p.x * p.v > 0.3:
            cloud.append(Particle(-p.x, 0.5 * p.v, p.m))
        k += 1
    return sum(q.x * q.v * q.m for q in cloud)


class Element:
    def __init__(self, nodes, length, area):
        self.nodes, self.length, self.area = nodes, length, area
    def stiffness(self, E):
        k = E * self.area / self.length
        return k * np.array([[1.0, -1.0], [-1.0, 1.0]])


def elements_of_a_bar(E, n):
    elements = [Element((i, i + 1), 1.0 / n, 1.0 + 0.1 * i / n) for i in range(n)]
    K = np.zeros((n + 1, n + 1))
    for e in elements:
        ke = e.stiffness(E)
        for a in range(2):
            for b in range(2):
                K[e.nodes[a], e.nodes[b]] += ke[a, b]
    f = np.ones(n) / n
    u = np.linalg.solve(K[1:, 1:], f)
    return f @ u


class Leaf:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


def tree(x):
    root = Leaf(x[0])
    for v in x[1:]:
        node = root
        while True:
            if v < node.key:
                if node.left is None:
                    node.left = Leaf(v)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Leaf(v)
                    break
                node = node.right
    total, depth, level = 0.0, 1.0, [root]
    while level:
        below = []
        for node in level:
            total += node.key ** 2 / depth
            if node.left is not None:
                below.append(node.left)
            if node.right is not None:
                below.append(node.right)
        level, depth = below, depth + 1.0
    return total


def _graph(n):
    rng = np.random.default_rng(n)
    edges, count = [[] for _ in range(n)], 0
    for i in range(n):
        for j in [*rng.integers(0, n, 3), *range(i + 1, min(i + 2, n))]:
            edges[i].append((int(j), count))
            count += 1
    return edges, rng.uniform(0.5, 2.0, count)


def _numbers(n):
    return np.random.default_rng(n).normal(size=n)


# The program, the classes that it uses, and its arguments for n objects.
OBJECTS = {
    "pairs": (pairs, [Particle], lambda n: (0.7, n, 2)),
    "springs": (springs, [Spring], lambda n: (_numbers(n + 1), [
        Spring(i, i + 1, 1.0 + 0.1 * i, 0.5) for i in range(n)])),
    "agents": (agents, [Agent], lambda n: (0.3, n, 6)),
    "walk": (walk, [Node], lambda n: (0.9, n)),
    "dijkstra": (dijkstra, [], lambda n: (_graph(n)[1], _graph(n)[0], 0, n - 1)),
    "growing": (growing, [Particle], lambda n: (np.array([0.5, 0.8]), n)),
    "elements": (elements_of_a_bar, [Element], lambda n: (2.0, n)),
    "tree": (tree, [Leaf], lambda n: (_numbers(n),)),
}
