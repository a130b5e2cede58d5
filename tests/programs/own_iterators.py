"""Loops over iterators of the program's own: classes with ``__next__``."""

import numpy as np


class Own:
    def __iter__(self):
        return self


class Numbered(Own):
    def __init__(self, x, n):
        self.x, self.n, self.count = x, n, 0

    def __next__(self):
        if self.count >= self.n:
            raise StopIteration
        self.count += 1
        return self.x[0] * self.count


class Halved(Own):
    """Data say where it ends."""

    def __init__(self, x, n):
        self.value, self.least = x[0] * n, x[1] * 0.1

    def __next__(self):
        if self.value < self.least:
            raise StopIteration
        self.value = self.value / 2
        return self.value


class Drawn(Own):
    def __init__(self, x, n):
        self.rng, self.left = np.random.default_rng(n), n

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration()
        return self.rng.standard_normal()


class Items(Own):
    """A few known things, one after another."""

    def __init__(self, x, n):
        self.items, self.place = [x[0], x[1] ** 2, 2.0], -1

    def __next__(self):
        self.place += 1
        try:
            return self.items[self.place]
        except IndexError:
            raise StopIteration from None


class Within(Own):
    def __init__(self, x, n):
        self.inner = Numbered(x, n)

    def __next__(self):
        first = next(self.inner)
        return first + next(self.inner)


class Apart:
    """Its iterator is another object."""

    def __init__(self, x, n):
        self.x, self.n = x, n

    def __iter__(self):
        return Numbered(self.x, self.n)


class Rows(Own):
    """What it gives has another shape each time."""

    def __init__(self, x, n):
        self.x, self.size = x, 3

    def __next__(self):
        self.size -= 1
        if not self.size:
            raise StopIteration
        return self.x[:self.size].sum()


def added(items, x):
    total = 0.0
    for item in items:
        total = np.sin(total + x[1] * item)
    return total


def listed(items, x):
    found = []
    for item in items:
        for sign in (1, -1):
            found.append(np.exp(sign * item * 0.1))
    return np.array(found).sum() / (1 + len(found))


def left_early(items, x):
    total = 0.1
    for item in items:
        if total > x[1] * 4.0:
            break
        if item < 0.2:
            continue
        total += item * x[1]
    else:
        total = total * 2.0
    return total


def returned_from(items, x):
    total = x[0]
    for item in items:
        total = total * 1.5 + item
        if total > 5.0:
            return total * x[1]
    return total


def gone_on_with(items, x):
    items = iter(items)
    total = 0.5
    for item in items:
        total += item * x[0]
        if total > 1.0:
            break
    for item in items:
        total = total * np.cos(item * x[1])
    return total


def two_deep(items, x):
    total = 0.0
    for item in items:
        for other in Numbered(x, 2):
            total = np.sin(total + item * other)
    return total


def in_a_branch(items, x):
    total = x[0]
    if x[1] > 0.0:
        for item in items:
            total = total + item ** 2
    return total


def crossed(make, body):
    def program(x, n):
        return body(make(x, n), x)

    program.__name__ = f"{body.__name__}_{make.__name__}"
    return program


MAKERS = [Numbered, Halved, Drawn, Items, Within, Apart, Rows]
BODIES = [added, listed, left_early, returned_from, gone_on_with, two_deep, in_a_branch]
X = np.array([0.7, 0.4, 1.3])
CASES = [(crossed(make, body), (X, 7)) for make in MAKERS for body in BODIES]
