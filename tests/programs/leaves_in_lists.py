"""Programs over lists for whose parts derivatives are taken: numbers, rows, tuples, dicts, objects, arrays."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np

Pair = namedtuple("Pair", ["a", "b"])


@dataclass
class Body:
    x: float
    v: float
    kind: int = 3


class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b

    def __call__(self, x):
        return np.tanh(self.W @ x + self.b)


def neighbours(xs):
    total = 0.0
    for i in range(len(xs) - 1):
        total = total + xs[i] * np.sin(xs[i + 1])
    return total + xs[0]


def summed_and_last(xs):
    return sum(x * x for x in xs) + xs[-1] * len(xs)


def in_order(xs):
    total = 0.0
    for i, x in enumerate(sorted(xs)):
        total += x * (i + 1)
    return total


def as_an_array_too(xs):
    total = 0.0
    for i in range(len(xs)):
        total += xs[i]
    return total * np.sum(np.array(xs) ** 2)


def squares_collected(xs):
    ys = []
    for i in range(len(xs)):
        ys.append(xs[i] ** 2)
    return np.sum(np.array(ys))


def differences(xs):
    total = 0.0
    for a, b in zip(xs, xs[1:]):
        total += (b - a) ** 2
    return total


def backwards(xs):
    total = 0.0
    for i in reversed(range(len(xs) - 1)):
        total = 0.5 * total + xs[i] * xs[i + 1]
    return total


def of_numpys_numbers(xs):
    total = 0.0
    for i in range(len(xs)):
        total += xs[i] ** 2
    return total


def rows_through(rows):
    total = 0.0
    for row in rows:
        for v in row:
            total += v * v
    return total


def rows_indexed(rows):
    total = 0.0
    for i in range(len(rows)):
        for j in range(len(rows[i])):
            total += rows[i][j] * rows[i - 1][j]
    return total


def tuples(pairs):
    total = 0.0
    for i, (a, b) in enumerate(pairs):
        total += i * a * b * b
    return total


def named_tuples(pairs):
    total = 0.0
    for p in pairs:
        total += p.a * p.b
    return total * pairs[2].a


def dicts(items):
    total = 0.0
    for d in items:
        total += d["w"] ** d["k"] * np.sum(d["u"])
    return total


def dicts_of_tuples(items):
    total = 0.0
    for d in items:
        for p in d["points"]:
            total += p.a * p.b * d["scale"]
    return total


def pairs_of_bodies(bodies):
    total = 0.0
    for i in range(len(bodies)):
        for j in range(i):
            total += bodies[i].x * bodies[j].v * bodies[i].kind
    return total


def layers(net):
    x = np.ones(3)
    for layer in net:
        x = layer(x)
    return np.sum(x * net[0].b)


def arrays(items):
    total = np.zeros(3)
    for i in range(1, len(items)):
        total = total + items[i] * items[i - 1]
    return np.sum(total)


def bodies_that_move(bodies):
    for _ in range(3):
        for b in bodies:
            b.x = b.x + 0.1 * b.v
    total = 0.0
    for b in bodies:
        total += b.x ** 2
    return total


def the_farthest(bodies):
    best = bodies[0]
    for b in bodies:
        if b.x > best.x:
            best = b
    return best.x * best.v


def a_body_more(bodies):
    bodies.append(Body(bodies[0].x * 2.0, 1.0))
    total = 0.0
    for b in bodies:
        total += b.x * b.v
    return total


R = np.random.default_rng(5)


def floats(n):
    return [float(v) for v in R.normal(size=n)]


def bodies(n):
    return [Body(*floats(2)) for _ in range(n)]


MADE_BY = {
    **dict.fromkeys((neighbours, summed_and_last, in_order, as_an_array_too, squares_collected,
                     differences, backwards), floats),
    of_numpys_numbers: lambda n: list(R.normal(size=n)),
    **dict.fromkeys((rows_through, rows_indexed), lambda n: [floats(3) for _ in range(n)]),
    tuples: lambda n: [tuple(floats(2)) for _ in range(n)],
    named_tuples: lambda n: [Pair(*floats(2)) for _ in range(n)],
    dicts: lambda n: [{"w": float(R.normal()), "k": i % 3, "u": R.normal(size=2)} for i in range(n)],
    dicts_of_tuples: lambda n: [{"points": [Pair(*floats(2)) for _ in range(1 + i % 3)], "scale": 1.5}
                                for i in range(n)],
    **dict.fromkeys((pairs_of_bodies, bodies_that_move, the_farthest, a_body_more), bodies),
    layers: lambda n: [Layer(R.normal(size=(3, 3)), R.normal(size=3)) for _ in range(n)],
    arrays: lambda n: [R.normal(size=3) for _ in range(n)],
}
CASES = [(neighbours, (floats(9),))]
