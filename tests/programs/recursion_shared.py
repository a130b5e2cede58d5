"""Functions that call themselves and read one array or list on every level: what they hand on as it
is has one cotangent, to which all calls add."""

from __future__ import annotations

import numpy as np

X = np.random.RandomState(5).normal(size=24)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


def halves(x, a, b):
    if b - a <= 1:
        return x[a] ** 2
    m = (a + b) // 2
    return halves(x, a, m) + 0.5 * halves(x, m, b)


@case(X)
def one_call(x):
    return halves(x, 0, len(x))


@case(X)
def two_calls(x):
    return halves(x, 0, len(x)) + halves(x, 1, len(x) - 1) * x.sum()


@case(X, 3)
def calls_in_a_loop(x, n):
    total = 0.0
    for k in range(n):
        total += halves(x, k, len(x) - k) * x[k]
    return total


@case(X)
@case(-X)
def calls_in_arms(x):
    def either(a, b):
        if b - a <= 1:
            return x[a] ** 2
        m = (a + b) // 2
        if x[m] > 0:
            return either(a, m) * 0.9 + 0.5 * either(m, b)
        return either(a, m) * x[a]

    if x[0] > 0:
        return either(0, len(x))
    return either(1, len(x)) * 3


@case(X)
def array_changed_between(x):
    y = x * 2
    total = halves(y, 0, len(y))
    y[0] = x[1] * x[2]
    return total + halves(y, 0, len(y) // 2) + y[0]


@case(X)
def list_changed_between(x):
    y = [v * 2 for v in x]
    total = halves(y, 0, len(y))
    y[0] = x[1] * x[2]
    y.append(x[3])
    return total + halves(y, 0, len(y)) + y[0]


def products(z, w, i):
    if i >= len(z):
        return 0.0
    return z[i] * w[i] + products(z, w, 2 * i + 1) + 0.3 * products(z, w, 2 * i + 2)


@case(X)
def one_array_at_two_places(x):
    return products(x, x, 0)


@case(X)
def two_arrays_and_one(x):
    return products(x, x * x, 0) + products(x, x, 1)


def turned(z, w, i):
    if i >= len(z):
        return 0.0
    return z[i] * w[i] ** 2 + turned(w, z, 2 * i + 1) + 0.3 * turned(z, w, 2 * i + 2)


@case(X)
def arrays_that_change_places(x):
    return turned(x, np.sin(x), 0)


def wholes(z, i):
    if i <= 0:
        return (z * z).sum()
    if z[i] > 0:
        return wholes(z, i - 1) * 0.5 + z.sum()
    return wholes(z, i - 1) * 0.7


@case(X)
def array_as_a_whole(x):
    return wholes(x, 12)


def found(z, i):
    if i >= 10:
        return z
    if z[i] > 0:
        return found(z, i + 1)
    return found(z, i + 2) * 0.5


@case(X)
def result_is_what_is_handed_on(x):
    return (found(x, 0) * x).sum()


@case(X)
def rows_of_a_matrix(x):
    A = x.reshape(-1, 3)

    def below(i):
        if i >= len(A):
            return np.zeros(3)
        return A[i] * A[i] + below(2 * i + 1) * 0.5 + below(2 * i + 2)

    return below(0).sum()


@case(X)
def arrays_in_a_list(x):
    rows = [x[3 * i:3 * i + 3] * 2 for i in range(len(x) // 3)]

    def below(i):
        if i >= len(rows):
            return 0.0
        return (rows[i] * rows[i]).sum() + below(2 * i + 1) * 0.5 + below(2 * i + 2)

    return below(0)


class Node:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


@case(X)
def tree_of_keys(x):
    root = Node(x[0])
    for v in x[1:]:
        node = root
        while True:
            if v < node.key:
                if node.left is None:
                    node.left = Node(v)
                    break
                node = node.left
            else:
                if node.right is None:
                    node.right = Node(v)
                    break
                node = node.right

    def weighed(node, factor):
        if node is None:
            return 0.0
        return node.key ** 2 * factor + weighed(node.left, factor * 0.9) * node.key + weighed(
            node.right, factor * 0.9)

    return weighed(root, 1.0)


# ---- cotangents that are not handed on ----------------------------------------------------------


def in_order(items):
    if len(items) <= 1:
        return items
    half = len(items) // 2
    first, second = in_order(items[:half]), in_order(items[half:])
    out = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] <= second[j]:
            out.append(first[i])
            i += 1
        else:
            out.append(second[j])
            j += 1
    return out + first[i:] + second[j:]


@case(X)
def sorted_by_merging(x):
    return sum(i * v for i, v in enumerate(in_order([v * v for v in x])))


def reading_and_changing(rows):
    """Two functions that call themselves: one reads what the other changes in place."""
    def read(i):
        if i >= len(rows):
            return 0.0
        a, b = rows[i]
        if b > 0.5:
            return a * a * b + read(i + 1)
        return a * b * b + read(i + 2)

    def change(i):
        if i >= len(rows):
            return 0.0
        a, b = rows[i]
        rows[i] = a * b * 0.3, 0.5 * b + 0.1 * a
        return change(i + 1) if a > 0 else change(i + 2)

    return read, change


@case(X)
@case(-X)
def rows_read_before_calls_change_them(x):
    read, change = reading_and_changing([(0.5 * v, v * v) for v in x])
    total = read(0) + change(0)
    return total * read(0) + read(1)


@case(X, 3)
def rows_read_and_changed_in_turn(x, n):
    read, change = reading_and_changing([(0.5 * v, v * v) for v in x])
    total = 0.0
    for k in range(n):
        total = total * 0.9 + read(k) + change(k)
    return total * read(0)


@case(X)
def objects_read_before_calls_change_them(x):
    class Item:
        def __init__(self, weight):
            self.weight, self.next = weight, None

    first = None
    for v in x:
        item = Item(v)
        item.next, first = first, item

    def read(item):
        return 0.0 if item is None else item.weight ** 2 + 0.9 * read(item.next)

    def change(item):
        if item is not None:
            item.weight = item.weight ** 2 + 0.5
            change(item.next)

    total = read(first)
    change(first)
    return total * read(first)


@case(X)
def insertion_that_calls_itself(x):
    class Leaf:
        def __init__(self, key):
            self.key, self.left, self.right = key, None, None

    def insert(leaf, key):
        if leaf is None:
            return Leaf(key)
        if key < leaf.key:
            leaf.left = insert(leaf.left, key)
        else:
            leaf.right = insert(leaf.right, key)
        return leaf

    def walk(leaf, scale):
        if leaf is None:
            return 0.0
        return leaf.key ** 2 * scale + walk(leaf.left, scale * 0.9) * leaf.key + walk(
            leaf.right, scale * 0.8)

    root = None
    for v in x:
        root = insert(root, v)
    return walk(root, 1.0)
