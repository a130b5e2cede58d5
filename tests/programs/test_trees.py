"""Trees and unlike objects from outside that data walk through: one text for all of them, also where derivatives are
taken for what they hold."""

from __future__ import annotations

import copy
from collections import namedtuple

import holder_generator
import numpy as np
import pytest
from chain import check

import srcgrad as sg
from srcgrad.types.tree import ravel_some

X = np.array([0.3, -0.6, 0.8, 0.1])
Split = namedtuple("Split", "feature threshold left right")
End = namedtuple("End", "value")


class Inner:
    def __init__(self, feature, threshold, left, right):
        self.feature, self.threshold, self.left, self.right = feature, threshold, left, right


class Outer:
    def __init__(self, value):
        self.value = value


def dicts(feature, threshold, left, right):
    return {"f": feature, "t": threshold, "left": left, "right": right}


def pairs(*parts):
    return parts


def by_key(x, node):
    while isinstance(node, dict):
        node = node["left"] if x[node["f"]] < node["t"] else node["right"]
    return node * np.sum(x * x)


def by_place(x, node):
    while isinstance(node, tuple):
        feature, threshold, left, right = node
        node = left if x[feature] < threshold else right
    return node * np.sum(x * x)


def by_field(x, node):
    depth = 1
    while isinstance(node, Split):
        node = node.left if x[node.feature] < node.threshold else node[3]
        depth += 1
    return node * np.sum(x * x) / depth


def by_class(x, node):
    while isinstance(node, Split):
        node = node.left if x[node.feature] < node.threshold else node.right
    return node.value * np.sum(x * x)


def by_attribute(x, node):
    while not isinstance(node, Outer):
        node = node.left if x[node.feature] < node.threshold else node.right
    return node.value * np.sum(x * x)


def of(make, leaf):
    """Three trees of other depths."""
    return [make(0, 0.2, make(1, -0.5, leaf(1.5), leaf(2.5)),
                 make(2, 0.5, make(3, 0.0, leaf(-1.0), leaf(-2.0)), leaf(3.5))),
            make(1, -0.7, leaf(0.5), make(0, 0.4, leaf(0.7), leaf(0.9))),
            make(2, 0.9, leaf(4.0), leaf(5.0))]


KINDS = {"dicts": (by_key, of(dicts, float)), "tuples": (by_place, of(pairs, float)),
         "named tuples": (by_field, of(Split, float)), "objects": (by_attribute, of(Inner, Outer)), "ends": (by_class, of(Split, End))}


@pytest.mark.parametrize("kind", KINDS)
def test_one_text_for_all_trees(kind):
    program, trees = KINDS[kind]
    df = sg.value_and_grad(program)
    for tree in trees:
        value, slope = df(X, tree)
        assert value == program(X, tree)
        assert np.allclose(slope, 2 * X * value / np.sum(X * X))
    assert len(df._entries) == 1
    assert len(df.source(X, trees[0]).splitlines()) <= 55


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_for_what_a_tree_holds(kind):
    program, trees = KINDS[kind]
    for tree in trees:
        check(program, (X, tree), staged=False, passes=False, oracle=False)


def grown(rng, make, leaf, depth):
    """A random tree, whose leaves are numbers or, if ``leaf`` says so, objects."""
    if depth == 0 or (depth < 4 and rng.random() < 0.25):
        return leaf(float(rng.normal()))
    return make(int(rng.integers(4)), float(rng.normal()), grown(rng, make, leaf, depth - 1),
                grown(rng, make, leaf, depth - 1))


def ensemble(walk):
    def program(x, trees, rows):
        total = 0.0
        for row in rows:
            for tree in trees:
                total = total + walk(row * x, tree) * row[0]
        return total

    return program


@pytest.mark.parametrize("seed", range(8))
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    make, leaf, walk = [(dicts, float, by_key), (pairs, float, by_place), (Split, float, by_field),
                        (Inner, Outer, by_attribute)][seed % 4]
    program = ensemble(walk)
    df, both = sg.value_and_grad(program), sg.value_and_grad(program, argnums=(0, 1))
    for count in (1, 2, 3, 9):
        trees = [grown(rng, make, leaf, 4) for _ in range(count)]
        rows = rng.normal(size=(3, 4))
        want = program(X, trees, rows)
        value, slope = df(X, trees, rows)
        again, (same, leaves) = both(X, trees, rows)
        assert value == again == want
        np.testing.assert_allclose(slope, same, rtol=1e-13, atol=1e-14)  # in another order
        slopes, *_ = ravel_some(leaves, lambda leaf: isinstance(leaf, float))
        way = 1e-6 * rng.normal(size=len(slopes))
        flat, moved, _ = ravel_some(trees, lambda leaf: isinstance(leaf, float))
        near = (program(X, moved(flat + way), rows) - program(X, moved(flat - way), rows)) / 2
        assert np.isclose(way @ slopes, near, rtol=1e-4, atol=1e-12)


def areas(x, shapes):
    total = 0.0
    for k, shape in enumerate(shapes):
        total += x[k] * (shape.value if isinstance(shape, Outer) else shape.left * shape.right)
    return total


def shapes_of(n):
    return [Outer(0.1 * k + 1.0) if k % 3 else Inner(0.5, 1.5, 0.2 * k, 2.0) for k in range(n)]


def test_derivatives_for_objects_of_several_classes():
    x, shapes = np.linspace(0.1, 1.0, 30), shapes_of(30)
    df = sg.value_and_grad(areas, argnums=1)
    value, slope = df(x, shapes)
    assert value == areas(x, shapes)
    assert [type(one) for one in slope] == [type(one) for one in shapes]
    for k, (one, v) in enumerate(zip(slope, x, strict=True)):
        if isinstance(one, Outer):
            assert one.value == v
        else:
            assert (one.left, one.right) == (v * 2.0, v * shapes[k].left)
            assert one.feature == one.threshold == 0.0
    text = df.source(x, shapes)
    assert len(text.splitlines()) < 50
    more = shapes_of(41)
    df(np.ones(41), more)
    assert df.source(np.ones(41), more) == text  # made again, as the gradient has another structure


def test_other_modes():
    x, shapes = np.linspace(0.1, 1.0, 30), shapes_of(30)
    out, pullback = sg.vjp(areas, x, shapes)
    assert out == areas(x, shapes)
    ones = sg.tree_map(lambda leaf: 1.0, shapes)
    _, moved = sg.jvp(lambda s: areas(x, s), (shapes,), (ones,))
    slope = pullback(1.0)[1]
    total = sum(one.value if isinstance(one, Outer) else one.left + one.right for one in slope)
    assert np.isclose(moved, total)
    curved = sg.grad(lambda s: areas(x, s) ** 2)(shapes)
    assert np.isclose(curved[1].value, 2 * out * x[1])


def test_one_object_at_two_places():
    shared = Outer(2.0)
    shapes = [*shapes_of(20), shared, shared]
    x = np.linspace(0.1, 1.0, 22)
    slope = sg.grad(lambda s: areas(x, s))(shapes)
    assert [one.value for one in slope[-2:]] == [x[-2] + x[-1], 0.0]


class Linear:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, v):
        return self.w @ v + self.b


class Squash:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, v):
        return np.tanh(v * self.slope)


def network(x, layers):
    v = x
    for layer in layers:
        v = layer(v)
    return np.sum(v**2)


def network_that_changes(x, layers):
    v = x
    for layer in layers:
        v = layer(v)
        if isinstance(layer, Linear):
            layer.b *= 0.5
    return np.sum(v**2) + sum(np.sum(one.b) for one in layers if isinstance(one, Linear))


def layers_of(rng, n):
    return [Linear(rng.normal(size=(3, 3)) * 0.5, rng.normal(size=3)) if k % 2 == 0 else Squash(1.0 + 0.1 * k)
            for k in range(n)]


def varies(leaf):
    return isinstance(leaf, (float, np.ndarray))


@pytest.mark.parametrize("n", [4, 12, 31])
@pytest.mark.parametrize("program", [network, network_that_changes], ids=lambda fn: fn.__name__)
def test_layers_of_several_classes(program, n):
    rng = np.random.default_rng(n)
    x, layers = np.array([0.3, -0.2, 0.5]), layers_of(rng, n)
    df = sg.value_and_grad(program, argnums=1)
    plain, traced = copy.deepcopy(layers), copy.deepcopy(layers)
    want = program(x, plain)
    value, slope = df(x, traced)
    assert value == want
    assert np.array_equal(ravel_some(plain, varies)[0], ravel_some(traced, varies)[0])
    flat, moved, _ = ravel_some(layers, varies)
    way = 1e-6 * rng.normal(size=len(flat))
    near = (program(x, moved(flat + way)) - program(x, moved(flat - way))) / 2
    assert np.isclose(way @ ravel_some(slope, varies)[0], near, rtol=1e-5, atol=1e-14)
    if program is network and n > 8:
        assert len(df.source(x, layers).splitlines()) <= 45


def outcome(seed):
    """Check one random program over an object that holds many others; how often it was refused."""
    program, names = holder_generator.program(seed)
    rng, refused = np.random.default_rng(seed), 0
    for count in (3, 11, 20):
        x, given = rng.normal(size=3), holder_generator.holder(program, names, rng, count)
        plain, traced = copy.deepcopy(given), copy.deepcopy(given)
        want = program(x, plain)
        try:
            value, slope = sg.value_and_grad(program, argnums=1)(x, traced)
        except sg.SrcgradError:
            refused += 1
            continue
        assert value == want
        assert np.array_equal(ravel_some(plain, varies)[0], ravel_some(traced, varies)[0])
        flat, moved, _ = ravel_some(given, varies)
        way = 1e-6 * rng.normal(size=len(flat))
        near = (program(x, moved(flat + way)) - program(x, moved(flat - way))) / 2
        assert np.isclose(way @ ravel_some(slope, varies)[0], near, rtol=1e-3, atol=1e-11)
    return refused


@pytest.mark.parametrize("seed", range(6))
def test_objects_in_many_places(seed):
    assert outcome(seed) == 0


@pytest.mark.sweep
@pytest.mark.parametrize("block", range(8))
def test_objects_in_many_places_at_length(block):
    assert sum(outcome(seed) for seed in range(20 * block, 20 * block + 20)) <= 2


class Cell:
    def __init__(self, v, kids=None):
        self.v, self.kids = v, kids


def lists_or_none(x):
    cells = []
    for i in range(len(x)):
        if x[i] > 0.5:
            cells.append(Cell(x[i], cells[-2:]))
        else:
            cells.append(Cell(x[i] * 2.0))
    total = 0.0
    for cell in cells:
        if cell.kids is None:
            total += cell.v
        else:
            for kid in cell.kids:
                total += cell.v * kid.v
    return total


@pytest.mark.parametrize("n", [5, 9])
def test_attributes_that_hold_lists_or_none(n):
    x = np.linspace(0.1, 1.3, n)
    check(lists_or_none, (x,), staged=False, passes=False, oracle=False)


def test_what_changes_a_tree_is_followed():
    def program(x, node):
        at = node
        while isinstance(at, Inner):
            at.threshold = at.threshold + x[0]
            at = at.left if x[at.feature] < at.threshold else at.right
        at.value = at.value * x[1]
        return at.value * x[2]

    for tree in KINDS["objects"][1]:
        plain, traced = copy.deepcopy(tree), copy.deepcopy(tree)
        assert sg.value_and_grad(program)(X, traced)[0] == program(X, plain)

        def numbers(node):
            return [node.value] if isinstance(node, Outer) else [
                node.threshold, *numbers(node.left), *numbers(node.right)]

        assert numbers(plain) == numbers(traced)
