"""Algorithms as they are written with Python's lists, dicts and functions that call themselves: the text of
each has some size whatever the number of items is."""

from __future__ import annotations

import functools
import math

import numpy as np

CASES = []


def case(make):
    """A program, and what makes its arguments for a number of items."""
    def add(program):
        CASES.append((program, make))
        return program
    return add


def numbers(count, seed=0):
    return [float(v) for v in np.random.default_rng(count + 100 * seed).normal(size=count)]


def positive(count):
    return [float(v) for v in np.random.default_rng(count).uniform(0.2, 2.0, size=count)]


def rows(count, width):
    found = np.random.default_rng(count).uniform(0.2, 2.0, size=(count, width))
    return [[float(v) for v in row] for row in found]


class Node:
    def __init__(self, v):
        self.v, self.left, self.right = v, None, None

    def insert(self, v):
        if v < self.v:
            if self.left is None:
                self.left = Node(v)
            else:
                self.left.insert(v)
        elif self.right is None:
            self.right = Node(v)
        else:
            self.right.insert(v)


def inserted(node, v):
    if node is None:
        return Node(v)
    if v < node.v:
        node.left = inserted(node.left, v)
    else:
        node.right = inserted(node.right, v)
    return node


def weighed(node, depth):
    if node is None:
        return 0.0
    return weighed(node.left, depth + 1) + depth * node.v**2 + weighed(node.right, depth + 1)


@case(lambda n: (numbers(n),))
def tree_by_a_method(xs):
    root = Node(xs[0])
    for v in xs[1:]:
        root.insert(v)
    return weighed(root, 1)


@case(lambda n: (numbers(n),))
def tree_by_a_function(xs):
    root = None
    for v in xs:
        root = inserted(root, v)
    return weighed(root, 1)


@case(lambda n: (numbers(n),))
def tree_by_a_stack(xs):
    root = Node(xs[0])
    for v in xs[1:]:
        root.insert(v)
    stack, node, s, k = [], root, 0.0, 1
    while stack or node is not None:
        while node is not None:
            stack.append(node)
            node = node.left
        node = stack.pop()
        s += k * node.v
        k += 1
        node = node.right
    return s


@case(lambda n: (numbers(n), numbers(n + 2, 1), 0.7))
def edit_distance(a, b, gap):
    @functools.lru_cache(maxsize=None)
    def least(i, j):
        if i == 0:
            return j * gap
        if j == 0:
            return i * gap
        return min(least(i - 1, j) + gap, least(i, j - 1) + gap,
                   least(i - 1, j - 1) + abs(a[i - 1] - b[j - 1]))

    return least(len(a), len(b))


@case(lambda n: (numbers(n), numbers(n + 2, 1), 0.7))
def edit_distance_by_a_dict(a, b, gap):
    memo = {}

    def least(i, j):
        if (i, j) in memo:
            return memo[i, j]
        if i == 0:
            found = j * gap
        elif j == 0:
            found = i * gap
        else:
            found = min(least(i - 1, j) + gap, least(i, j - 1) + gap,
                        least(i - 1, j - 1) + abs(a[i - 1] - b[j - 1]))
        memo[i, j] = found
        return found

    return least(len(a), len(b))


@case(lambda n: (positive(n), ("ABCBDA" * n)[:n], ("BDCABA" * n)[:n]))
def common_letters(w, s, t):
    @functools.cache
    def most(i, j):
        if i == len(s) or j == len(t):
            return 0.0
        if s[i] == t[j]:
            return w[i] + most(i + 1, j + 1)
        return max(most(i + 1, j), most(i, j + 1))

    return most(0, 0)


@case(lambda n: (numbers(n), 0.7))
def pairs_that_are_kept(xs, a):
    @functools.cache
    def rest(i):
        if i == len(xs):
            return 0.0, 1.0
        p, q = rest(i + 1)
        return p + a * xs[i] * q, q * 0.9

    return rest(0)[0] + rest(0)[1]


@case(lambda n: (numbers(n), 0.7))
def calls_that_are_counted(xs, a):
    count = 0

    @functools.lru_cache(maxsize=None)
    def fibonacci(n):
        nonlocal count
        count += 1
        return a if n < 2 else fibonacci(n - 1) + 0.5 * fibonacci(n - 2) * xs[n - 1]

    return fibonacci(len(xs)) * count


@case(lambda n: (numbers(n), 0.7))
def calls_that_are_forgotten(xs, a):
    count = 0

    @functools.cache
    def fibonacci(n):
        nonlocal count
        count += 1
        return a if n < 2 else fibonacci(n - 1) + 0.5 * fibonacci(n - 2) * xs[n - 1]

    found = fibonacci(len(xs))
    fibonacci.cache_clear()
    return (found + fibonacci(len(xs) - 1)) * count


@case(lambda n: (0.3, n))
def chebyshev(x, n):
    @functools.lru_cache
    def polynomial(k):
        if k == 0:
            return 1.0
        if k == 1:
            return x
        return 2 * x * polynomial(k - 1) - polynomial(k - 2)

    return sum(polynomial(k) for k in range(n))


@case(lambda n: (numbers(n), 2))
def even_and_odd(xs, k):
    @functools.cache
    def even(n):
        return xs[0] if n == 0 else odd(n - 1) * xs[n]

    @functools.cache
    def odd(n):
        return xs[1] if n == 0 else even(n - 1) + xs[n]

    return even(len(xs) - 1) + odd(len(xs) - k)


@case(lambda n: (positive(min(n, 9)), 2.5))
def subset_sums(values, target):
    def nearest(i, s):
        if i == len(values):
            return (s - target) ** 2
        return min(nearest(i + 1, s), nearest(i + 1, s + values[i]))

    return nearest(0, 0.0)


@case(lambda n: (rows(4 + (n > 6), 4 + (n > 6)),))
def shortest_tour(d):
    best = math.inf

    def visit(path, cost):
        nonlocal best
        if len(path) == len(d):
            best = min(best, cost + d[path[-1]][0])
            return
        for j in range(len(d)):
            if j not in path:
                visit([*path, j], cost + d[path[-1]][j])

    visit([0], 0.0)
    return best


@case(lambda n: (rows(n, n),))
def orthogonal_rows(a):
    found, r = [], 0.0
    for v in a:
        w = v[:]
        for q in found:
            d = sum(x * y for x, y in zip(q, w))
            w = [x - d * y for x, y in zip(w, q)]
        norm = math.sqrt(sum(x * x for x in w))
        found.append([x / norm for x in w])
        r += math.log(norm)
    return r


@case(lambda n: (positive(n if n < 9 else 10),))
def matrix_chain(p):
    @functools.lru_cache(maxsize=None)
    def least(i, j):
        if i == j:
            return 0.0
        return min(least(i, k) + least(k + 1, j) + p[i] * p[k + 1] * p[j + 1] for k in range(i, j))

    return least(0, len(p) - 2)
