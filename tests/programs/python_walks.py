"""Names that go from object to object by data: nodes of trees and lists, None at their ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

X = np.array([0.3, -0.6, 0.8, 0.1])
V = np.array([1.0, 2.0, -1.0, 0.5])
ROWS = np.array([[0.3, -0.6, 0.8, 0.1], [0.1, -0.2, 0.4, -0.3], [0.5, 0.6, 0.2, 0.9]])
TREE = {"f": 0, "t": 0.2, "left": {"f": 1, "t": -0.5, "left": 1.5, "right": 2.5},
        "right": {"f": 2, "t": 0.5, "left": {"f": 3, "t": 0.0, "left": -1.0, "right": -2.0},
                  "right": 3.5}}
STUMP = {"f": 1, "t": 0.0, "left": 0.5, "right": {"f": 0, "t": 0.1, "left": 1.0, "right": 0.7}}
TUPLES = (0, 0.2, (1, -0.5, 1.5, 2.5), (2, 0.5, (3, 0.0, -1.0, -2.0), 3.5))
QUESTIONS = {"split": "a", "t": 0.2, "no": {"leaf": -1.0},
             "yes": {"split": "b", "t": -0.5, "yes": {"leaf": 1.5}, "no": {"leaf": 2.5}}}
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


def walked(tree, x):
    node = tree
    while isinstance(node, dict):
        node = node["left"] if x[node["f"]] < node["t"] else node["right"]
    return node


@case(X)
def tree_of_dicts(x):
    return walked(TREE, x) * np.sum(x ** 2)


def scaled(node, s):
    if isinstance(node, dict):
        return {**node, "left": scaled(node["left"], s), "right": scaled(node["right"], s)}
    return node * s


@case(X, 1.3)
def leaves_that_vary(x, s):
    return walked(scaled(TREE, s), x) * np.sum(x ** 2)


@case(ROWS, TREE)
def tree_for_each_row(rows, tree):
    total = 0.0
    for row in rows:
        total = total + walked(tree, row) * row[0]
    return total


@case(X, [TREE, STUMP])
def forest(x, trees):
    return sum(walked(tree, x) for tree in trees) / len(trees) * x[1]


@case(X, TUPLES)
def tree_of_tuples(x, tree):
    node = tree
    while isinstance(node, tuple):
        f, t, left, right = node
        node = left if x[f] < t else right
    return node * x[2]


@case(0.3, -0.6)
def questions_by_name(a, b):
    features = {"a": a, "b": b}
    node, depth = QUESTIONS, 0
    while "leaf" not in node:
        node = node["yes" if features[node["split"]] < node["t"] else "no"]
        depth += 1
    return node["leaf"] * a * b + 0.1 * depth


class Node:
    def __init__(self, v=None, f=None, t=None, left=None, right=None):
        self.v, self.f, self.t, self.left, self.right = v, f, t, left, right
        self.next = self.parent = None

    def is_leaf(self):
        return self.left is None

    def root(self):
        node = self
        while node.parent is not None:
            node = node.parent
        return node


def tree_of(v):
    return Node(None, 0, 0.2, Node(None, 1, -0.5, Node(v[0]), Node(v[1])),
                Node(None, 2, 0.5, Node(v[2]), Node(v[3])))


@case(X, V)
def tree_of_objects(x, v):
    node = tree_of(v)
    while not node.is_leaf():
        node = node.left if x[node.f] < node.t else node.right
    return node.v * x[0]


@case(X, V)
def tree_walked_by_statements(x, v):
    node = tree_of(v)
    while node.v is None:
        if x[node.f] < node.t:
            node = node.left
        else:
            node = node.right
    return node.v * x[0]


@dataclass
class Split:
    feature: int
    threshold: float
    left: object
    right: object


@dataclass
class Leaf:
    value: float


@case(X)
def two_classes(x):
    node = Split(0, 0.2, Leaf(x[0]), Split(2, 0.5, Leaf(x[1] * 2.0), Leaf(x[2])))
    while not isinstance(node, Leaf):
        node = node.left if x[node.feature] < node.threshold else node.right
    return node.value * x[0]


def linked(x):
    head = None
    for v in reversed(list(x)):
        node = Node(v)
        node.next = head
        head = node
    return head


@case(X)
def list_left_early(x):
    node, s = linked(x), 0.0
    while node is not None and s < 0.4:
        s += node.v
        node = node.next
    return s


@case(X)
def first_negative(x):
    node = linked(x)
    while node is not None:
        if node.v < 0:
            break
        node = node.next
    return node.v * 2 if node is not None else 0.0


@case(X)
def sorted_insertion(x):
    head = None
    for i in range(3):
        new = Node(x[i])
        if head is None or new.v < head.v:
            new.next = head
            head = new
        else:
            node = head
            while node.next is not None and node.next.v < new.v:
                node = node.next
            new.next = node.next
            node.next = new
    s, w = 0.0, 1.0
    while head is not None:
        s, w, head = s + w * head.v, w * 2, head.next
    return s


@case(X)
def unlinked(x):
    head = linked(x)
    while head is not None and head.v < 0:
        head = head.next
    node = head
    while node is not None and node.next is not None:
        if node.next.v < 0:
            node.next = node.next.next
        else:
            node = node.next
    s, k = 0.0, 1
    while head is not None:
        s, k, head = s + k * head.v, k + 1, head.next
    return s


@case(X)
def two_walkers(x):
    slow = fast = linked(x)
    while fast is not None and fast.next is not None and slow.v > -5:
        slow, fast = slow.next, fast.next.next
    return slow.v


@case(X)
def roots_of_sets(x):
    nodes = [Node(v) for v in x]
    for i in range(3):
        if x[i] < x[i + 1] + 0.5:
            a, b = nodes[i].root(), nodes[i + 1].root()
            if a is not b:
                b.parent = a
                a.v = a.v + b.v
    return sum(node.root().v for node in nodes)


@case(X)
def nodes_on_a_stack(x):
    stack = [Node(x[0], left=Node(x[1], left=Node(x[2])), right=Node(x[3]))]
    s = 0.0
    while stack:
        node = stack.pop()
        s = s * 0.9 + node.v
        if node.right is not None and node.v > 0:
            stack.append(node.right)
        if node.left is not None:
            stack.append(node.left)
    return s


class Cell:
    def __init__(self, mass, place, size, children=None):
        self.mass, self.place, self.size, self.children = mass, place, size, children


def cells(x, m, low, high, size):
    if high - low == 1:
        return Cell(m[low], x[low], size)
    middle = (low + high) // 2
    pair = [cells(x, m, low, middle, size / 2), cells(x, m, middle, high, size / 2)]
    mass = pair[0].mass + pair[1].mass
    return Cell(mass, sum(c.mass * c.place for c in pair) / mass, size, pair)


def potential(cell, q):
    d = abs(cell.place - q) + 0.05
    if cell.children is None or cell.size < 1.5 * d:
        return cell.mass / d
    return sum(potential(c, q) for c in cell.children)


@case(X, V ** 2)
def far_cells_as_one(x, m):
    root = cells(x, m, 0, 4, 2.0)
    return sum(potential(root, q) for q in x)


@case(X, V ** 2)
def far_cells_by_a_stack(x, m):
    total = 0.0
    for q in x:
        stack = [cells(x, m, 0, 4, 2.0)]
        while stack:
            cell = stack.pop()
            d = abs(cell.place - q) + 0.05
            if cell.children is None or cell.size < 1.5 * d:
                total += cell.mass / d
            else:
                for child in cell.children:
                    stack.append(child)
    return total


@case(X)
def refined_by_data(x):
    def build(a, b, depth):
        low, high = np.sin(a * x[0]), np.sin(b * x[0])
        if depth == 0 or abs(low - high) < 0.1:
            return {"width": b - a, "mean": (low + high) / 2, "children": None}
        m = (a + b) / 2
        return {"width": b - a, "mean": 0.0,
                "children": [build(a, m, depth - 1), build(m, b, depth - 1)]}

    def total(node):
        if node["children"] is None:
            return node["mean"] * node["width"]
        left, right = node["children"]
        return total(left) + total(right)

    return total(build(0.0, 1.0, 2))


@case(X)
def states_that_follow(x):
    class Low:
        def step(self, v):
            return (high, v * 2) if v > 0 else (low, v)

    class High:
        def step(self, v):
            return (low, v * 3) if v < 0.5 else (high, v * v)

    low, high = Low(), High()
    state, s = low, 0.0
    for v in x:
        state, y = state.step(v)
        s += y
    return s


@case(X)
def function_of_the_step(x):
    f, s = np.sin, 0.0
    for v in x:
        s += f(v)
        f = np.cos if v > 0 else np.tanh
    return s


@case(X)
def node_or_number(x):
    thing = Node(x[0]) if x[1] > 0 else x[2]
    return np.sum(np.array([thing.v if isinstance(thing, Node) else thing, x[1]]))


@case(X)
def pair_or_none_among_rows(x):
    last = None
    for v in x:
        if v > 0:
            last = (v, 2 * v)
    return np.sum(np.array([last, (x[0], x[1])]))


@case(X)
def nodes_sorted_among_numbers(x):
    items = [Node(v) for v in x[:3]] + [v + 0.1 for v in x[:2]]
    items.sort(key=lambda item: item.v if isinstance(item, Node) else item)
    total = 0.0
    for k, item in enumerate(items):
        total += (k + 1) * (item.v ** 2 if isinstance(item, Node) else item)
    return total


def steps_from(first, x):
    steps, v = [first], x[0]
    while v < 3.0:
        v = v * 1.2 + 0.1
        steps.append(Step(v, x[3]))
    return steps


class Step:
    def __init__(self, v, w):
        self.v = v
        self.w = w


@case(X)
def objects_of_a_loop_after_an_older_one(x):
    steps = steps_from(Step(x[1], x[2]), x)
    return sum(s.v * s.w for s in steps) + steps[-1].v * len(steps)


@case(X)
def last_object_and_the_list_of_all(x):
    last = Step(x[0], x[1])
    steps = [(last, 1.0)]
    while last.v < 3.0:
        last = Step(last.v * 1.2 + 0.1, last.w + x[3])
        steps.append((last, last.v))
    return sum(s.v * s.w * weight for s, weight in steps) + last.w


@case(X)
def older_objects_in_one_loop_new_ones_in_the_next(x):
    older, v = Step(x[1], x[2]), x[0]
    steps = [older]
    while v < 1.0:
        v = v * 1.2 + 0.1
        steps.append(older)
    while v < 3.0:
        v = v * 1.2 + 0.1
        steps.append(Step(v, x[3]))
    return sum(s.v * s.w for s in steps) * len(steps)


@case(X)
def older_and_new_objects_in_turns(x):
    older, v = Step(x[1], x[2]), x[0]
    steps = [Step(v, v)]
    while v < 3.0:
        v = v * 1.2 + 0.1
        steps.append(Step(v, x[3]))
        steps.append(older)
    return sum(s.v * s.w for s in steps) + older.w


@case(X)
def others_than_those_of_the_list(x):
    other = Step(x[1], x[2])
    steps = steps_from(Step(x[2], x[1]), x)
    return sum((1.0 if s is None or s is other else 2.0) * s.v for s in steps)


@case(X)
def rows_unless_it_raises(x):
    rows, v = [(x[1], x[0])], x[0]
    while v < 3.0:
        v = v * 1.2 + 0.1
        if v > 10.0:
            raise ValueError("too far")
        else:
            rows.append((v, x[2]))
    return sum(a * b for a, b in rows)


@case(X)
def rows_where_two_of_four_arms_raise(x):
    rows, v = [(x[1], x[0])], x[0]
    while v < 3.0:
        v = v * 1.2 + 0.1
        if v < 1.0:
            rows.append((2 * v, v))
        elif v > 20.0:
            raise ValueError("too far")
        elif v < 10.0:
            rows.append((v, 1.0))
            rows.append((v * v, x[3]))
        else:
            raise TypeError("far")
    return sum(a * b for a, b in rows)


@case(X)
def told_by_what_was_caught(x):
    node, s = linked(x), 0.0
    for _ in range(6):
        try:
            s += node.next.v * x[0]
            node = node.next
        except AttributeError:
            s -= x[1]
        if node is not None and node.next is None:
            s += 0.25 * x[0]
    return s


@case(X)
def told_by_what_a_loop_may_not_do(x):
    node, s = linked(x) if x[0] > -9.0 else None, 0.0
    for k in range(3):
        if k * x[1] > 0.2:
            s += node.v
        s += 1.0 if node is None else 2.0 * x[2]
    return s
