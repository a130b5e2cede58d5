"""Lists, variables and attributes that hold objects of several classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SIZES = (11, 25)


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self, s):
        return 3.0 * (s * self.r) ** 2

    def grow(self, by):
        self.r = self.r + by


class Square:
    def __init__(self, a):
        self.a = a

    def area(self, s):
        return (s * self.a) ** 2

    def grow(self, by):
        self.a *= 1.0 + by


@dataclass
class Ring:
    outer: float
    inner: float

    def area(self, s):
        return s * (self.outer - self.inner)

    def grow(self, by):
        self.inner -= by


class Dense:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return self.w @ x + self.b


class Tanh:
    def __call__(self, x):
        return np.tanh(x)


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x


class Spring:
    rate = 0.5

    def __init__(self, k):
        self.k = k

    @property
    def double(self):
        return 2.0 * self.k

    @staticmethod
    def cube(x):
        return x * x * x

    @classmethod
    def rated(cls, x):
        return cls.rate * x

    def energy(self, x):
        return 0.5 * self.k * x * x + self.rated(x)


class Hardening(Spring):
    rate = 0.1

    def __init__(self, k, c):
        super().__init__(k)
        self.c = c

    @property
    def double(self):
        return super().double + self.c

    @staticmethod
    def cube(x):
        return -x

    def energy(self, x):
        return super().energy(x) + self.c * super().cube(x) + super().rated(x) + self.double


@dataclass
class Station:
    flow: float
    after: object = None


@dataclass
class Pump:
    flow: float
    gain: float
    after: object = None


@dataclass
class Part:
    shape: object
    weight: float


# ---- made by the program -----------------------------------------------------------------------
def made(x):
    shapes = []
    for v in x:
        if v > 0.0:
            shapes.append(Circle(v))
        elif v > -0.5:
            shapes.append(Square(v * v))
        else:
            shapes.append(Ring(v, 0.5))
    return shapes


def areas(x):
    total = 0.0
    for shape in made(x):
        total += shape.area(1.5)
    return total


def told_by_class(x):
    total = 1.0
    for shape in made(x):
        if isinstance(shape, Circle):
            total += shape.r
        elif type(shape) is Ring:
            total += 0.1 * total * shape.outer
        else:
            total -= shape.a
    return total


def grown(x):
    shapes = made(x)
    for k, shape in enumerate(shapes):
        shape.grow(0.1 * x[k])
    for shape in shapes:
        if isinstance(shape, Square):
            shape.a -= 1.0
    return sum(shape.area(1.0) for shape in shapes)


def greatest(x):
    shapes = made(x)
    best, count = shapes[0], 0
    for shape in shapes:
        if shape.area(1.0) > best.area(1.0):
            best = shape
            count += 1
    return best.area(2.0) + count * x[0] + (2.0 * x[1] if shapes[-1] is best else x[1])


def carried(x):
    shape, total = Circle(x[0]), 0.0
    for v in x:
        total += shape.area(1.2)
        shape = Square(v * np.cos(total)) if v < 0.2 else Circle(v + np.sin(shape.area(0.5)))
    return total + shape.area(1.0)


def maybe_nothing(x):
    shapes = []
    for v in x:
        if v > 1.0:
            shapes.append(None)
        elif v > 0.0:
            shapes.append(Circle(v))
        else:
            shapes.append(Square(v))
    total = 0.0
    for shape in shapes:
        if shape is None:
            total += 1.0
        else:
            total += shape.area(np.sin(total))
    return total


def one_kind_and_another(x):
    shapes = []
    for v in x:
        shapes.append(Circle(v))
    for v in x:
        shapes.append(Square(v))
    total = 0.0
    for k in range(len(shapes)):
        total += (k + 1) * shapes[k].area(1.0)
    return total


def nothing_at_first(x):
    last, shapes = None, []
    for v in x:
        shapes.append(last)
        last = Circle(v) if v > 0.0 else Square(v)
    total = 0.0
    for shape in shapes:
        if shape is not None:
            total += shape.area(1.0)
    return total


def held(x):
    parts = []
    for k, v in enumerate(x):
        parts.append(Part(Circle(v) if v > 0.0 else Square(v), 0.5 * k))
    for part in parts:
        part.weight += 0.1
        if part.weight > 2.0:
            part.shape = Ring(part.weight, x[0])
    return sum(part.weight * part.shape.area(1.0) for part in parts)


def total_of(node):
    if node is None:
        return 0.0
    return (node.flow if isinstance(node, Station) else node.gain * node.flow) + (
        0.5 * total_of(node.after))


def chained(x):
    last = None
    for v in x:
        last = Station(v, last) if v > 0.0 else Pump(v, 2.0, last)
    return total_of(last)


def swapped(x):
    shapes = made(x)
    for i in range(len(shapes)):
        for j in range(len(shapes) - 1 - i):
            if shapes[j].area(1.0) > shapes[j + 1].area(1.0):
                shapes[j], shapes[j + 1] = shapes[j + 1], shapes[j]
    return sum(k * shape.area(1.0) for k, shape in enumerate(shapes))


def taken_away(x):
    shapes, total = made(x), 0.0
    while shapes:
        shape = shapes.pop()
        total += shape.area(1.0) * (1.0 + 0.1 * total)
        if shapes and total > 50.0:
            shapes.pop(0)
    return total


# ---- from outside ------------------------------------------------------------------------------
def areas_outside(x, shapes):
    total = 0.0
    for k, shape in enumerate(shapes):
        total += shape.area(x[k])
    return total


def chosen_outside(x, shapes):
    total = 0.0
    for v in x:
        total += shapes[int(abs(v)) % len(shapes)].area(v)
    return total


def told_outside(x, shapes):
    total = 0.0
    for k, shape in enumerate(shapes):
        if isinstance(shape, Circle):
            total += x[k] * shape.r
        elif isinstance(shape, Square):
            total += x[k] ** 2 * shape.a
    return total


def grown_outside(x, shapes):
    for k, shape in enumerate(shapes):
        shape.grow(x[k])
    total = 0.0
    for shape in shapes:
        total += shape.area(1.0)
    return total


def best_outside(x, shapes):
    best = shapes[0]
    for shape in shapes:
        if shape.area(1.0) > best.area(1.0):
            best = shape
    total = best.area(x[0])
    for k, shape in enumerate(shapes):
        if shape is not best:
            total += x[k] * shape.area(0.1)
    return total


def gaps_outside(x, shapes):
    total = 0.0
    for k, shape in enumerate(shapes):
        if shape is not None:
            total += shape.area(x[k])
        else:
            total += x[k]
    return total


def network(x, layers):
    for layer in layers:
        x = layer(x)
    return np.sum(x * x)


def happenings(x, events):
    total = 0.0
    for k, event in enumerate(events):
        if event["kind"] == "hit":
            total += x[k] * event["v"]
        else:
            total -= x[k] ** 2 * event["w"]
    return total


def inherited(x, springs):
    total = 0.0
    for k, spring in enumerate(springs):
        total += spring.energy(x[k])
        spring.k += 0.1
    return total + sum(spring.double for spring in springs)


def of_one_class(x, springs):
    total = 0.0
    for k, spring in enumerate(springs):
        spring.k += x[k]
        total += spring.energy(x[k])
    return total


def linked(x, stations):
    last = None
    for k, station in enumerate(stations):
        station.after = last
        if station.flow > 0.9:
            last = station
        station.flow += 0.1 * x[k]
    total = 0.0
    while last is not None:
        total = 0.9 * total + last.flow * (last.gain if isinstance(last, Pump) else 1.0)
        last = last.after
    return total


def parts_outside(x, parts):
    total = 0.0
    for k, part in enumerate(parts):
        total += x[k] * part.weight * part.shape.area(1.0)
    return total


def parts_that_change(x, parts):
    for k, part in enumerate(parts):
        if part.weight > 0.5:
            part.shape = parts[0].shape
        part.weight += x[k]
    total = 0.0
    for part in parts:
        total += part.weight * part.shape.area(1.0)
    return total


def _arguments(n):
    r = np.random.default_rng(n)
    x = r.normal(size=n)
    numbers = [float(v) for v in r.uniform(0.5, 2.0, n)]

    def shapes():
        return [(Circle(v), Square(v), Ring(v, 0.25))[(k * k + 1) % 3] for k, v in enumerate(numbers)]

    found = {fn: (x,) for fn in (areas, told_by_class, grown, greatest, carried, maybe_nothing,
                                 one_kind_and_another, nothing_at_first, held, chained, swapped, taken_away)}
    found.update({fn: (x, shapes()) for fn in OUTSIDE})
    found[gaps_outside] = (x, [None if k % 4 == 1 else s for k, s in enumerate(shapes())])
    found[network] = (x[:3], [
        (Dense(0.3 * r.normal(size=(3, 3)), r.normal(size=3)), Tanh(), Scale(v))[k % 3]
        for k, v in enumerate(numbers)])
    found[happenings] = (x, [{"kind": "hit", "v": v} if v > 1.0 else {"kind": "miss", "w": v}
                             for v in numbers])
    found[inherited] = (x, [Hardening(v, 0.3) if k % 3 else Spring(v)
                            for k, v in enumerate(numbers)])
    found[linked] = (x, [Pump(v, 1.5) if k % 3 else Station(v) for k, v in enumerate(numbers)])
    found[of_one_class] = (x, [Hardening(v, 0.3) for v in numbers])
    found.update({fn: (x, [Part(s, v) for s, v in zip(shapes(), numbers, strict=True)])
                  for fn in (parts_outside, parts_that_change)})
    return found


OUTSIDE = (areas_outside, chosen_outside, told_outside, grown_outside, best_outside)
CHANGING = (grown_outside, parts_that_change, inherited, of_one_class, linked)
BY_SIZE = [_arguments(n) for n in SIZES]
CASES = [(fn, args) for given in BY_SIZE for fn, args in given.items()]
