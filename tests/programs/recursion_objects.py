"""Functions that call themselves on linked objects: search trees, lists, expressions."""

from __future__ import annotations

import numpy as np

X = np.random.default_rng(1).normal(size=9)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


class Tree:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.left = None
        self.right = None

    def insert(self, key, value):
        if key < self.key:
            if self.left is None:
                self.left = Tree(key, value)
            else:
                self.left.insert(key, value)
        elif self.right is None:
            self.right = Tree(key, value)
        else:
            self.right.insert(key, value)

    def in_order(self):
        if self.left:
            yield from self.left.in_order()
        yield self.value
        if self.right:
            yield from self.right.in_order()

    def sum_of_depths(self, depth):
        found = self.value * depth
        if self.left is not None:
            found += self.left.sum_of_depths(depth + 1)
        if self.right is not None:
            found += self.right.sum_of_depths(depth + 1)
        return found


def insert(node, key, value):
    if node is None:
        return Tree(key, value)
    if key < node.key:
        node.left = insert(node.left, key, value)
    else:
        node.right = insert(node.right, key, value)
    return node


def find(node, key):
    if node is None or node.key == key:
        return node
    if key < node.key:
        return find(node.left, key)
    return find(node.right, key)


def total(node, depth):
    if node is None:
        return 0.0
    return node.value**2 * depth + total(node.left, depth + 1) + total(node.right, depth + 1)


def scale(node, factor):
    if node is None:
        return
    node.value = node.value * factor
    scale(node.left, factor * 0.5)
    scale(node.right, factor * 0.8)


def filled(x):
    root = None
    for i in range(len(x)):
        root = insert(root, x[i], x[i] * i)
    return root


@case(X)
def filled_tree(x):
    return total(filled(x), 1.0)


@case(X)
def tree_of_methods(x):
    root = Tree(x[0], x[0])
    for v in x[1:]:
        root.insert(v, v * v)
    return root.sum_of_depths(1.0)


@case(X)
def found_nodes(x):
    root = filled(x)
    node = find(root, x[len(x) // 2])
    node.value = node.value * 3
    other = find(root, 1000.0)
    if other is not None:
        node.value = 0.0
    return total(root, 1.0) + node.value


@case(X)
def scaled_tree(x):
    root = filled(x)
    scale(root, 2.0)
    return total(root, 1.0)


def balanced(x, low, high):
    if low >= high:
        return None
    middle = (low + high) // 2
    node = Tree(x[middle], x[middle] ** 2)
    node.left = balanced(x, low, middle)
    node.right = balanced(x, middle + 1, high)
    return node


@case(X)
def balanced_tree(x):
    return total(balanced(x, 0, len(x)), 1.0)


class Link:
    def __init__(self, value, after):
        self.value = value
        self.after = after


def reversed_links(node, done):
    if node is None:
        return done
    after = node.after
    node.after = done
    return reversed_links(after, node)


def discounted(node):
    return 0.0 if node is None else node.value + 0.5 * discounted(node.after)


@case(X)
def links_reversed(x):
    head = None
    for v in x:
        head = Link(v * v, head)
    return discounted(reversed_links(head, None))


class Expression:
    def __init__(self, kind, value, left, right):
        self.kind = kind
        self.value = value
        self.left = left
        self.right = right


def evaluated(expression):
    if expression.kind == 0:
        return expression.value
    if expression.kind == 1:
        return evaluated(expression.left) + evaluated(expression.right)
    return evaluated(expression.left) * evaluated(expression.right)


@case(X)
def expressions(x):
    made = Expression(0, x[0], None, None)
    for i in range(1, len(x)):
        made = Expression(1 + i % 2, 0.0, made, Expression(0, x[i], None, None))
    return evaluated(made)
