"""Objects from outside, wherever they are found: one text for any number, and the effects of plain Python."""

from __future__ import annotations

import copy
import enum
import itertools
import random

import numpy as np
import objects_as_dicts
import objects_found
import objects_in_lists
import objects_linked
import pytest

import srcgrad as sg

X = np.array([1.1, 0.7, -0.4])
MADE_BY = {**objects_linked.MADE_BY, **objects_found.MADE_BY, **objects_as_dicts.MADE_BY,
           **objects_in_lists.MADE_BY}
SIZES = (3, 5, 12)
# what is read only, and holds texts, are settings
ONE_BY_ONE = (*objects_linked.SHARED, objects_as_dicts.layers_as_dicts, *objects_in_lists.ONE_BY_ONE)


def seen(obj, met):
    """What an object holds, and where it holds what was met before."""
    if isinstance(obj, (str, int, float, type(None), np.floating, enum.Enum)):
        return repr(obj)
    if id(obj) in met:
        return met[id(obj)]
    met[id(obj)] = len(met)
    if isinstance(obj, np.ndarray):
        return obj.tobytes()
    if isinstance(obj, (list, tuple)):
        return [seen(one, met) for one in obj]
    if isinstance(obj, dict):
        return [(key, seen(one, met)) for key, one in obj.items()]
    return type(obj).__name__, [(name, seen(one, met)) for name, one in vars(obj).items()]


def slopes(fn, given):
    return np.array([(fn(X + step, copy.deepcopy(given)) - fn(X - step, copy.deepcopy(given)))
                     / 2e-6 for step in 1e-6 * np.eye(len(X))])


@pytest.mark.parametrize("fn", MADE_BY, ids=lambda fn: fn.__name__)
def test_one_text_with_values_and_effects_of_python(fn):
    df = sg.value_and_grad(fn)
    for n in (*SIZES, 40) if fn in objects_linked.SHARED else SIZES:
        given = MADE_BY[fn](n)
        plain, traced = copy.deepcopy(given), copy.deepcopy(given)
        want = fn(X.copy(), plain)
        value, slope = df(X.copy(), traced)
        assert value == want and seen(plain, {}) == seen(traced, {})
        np.testing.assert_allclose(slope, slopes(fn, given), rtol=1e-5, atol=1e-6)
    assert len(df._entries) == 1 or fn in ONE_BY_ONE


@pytest.mark.parametrize("fn", MADE_BY, ids=lambda fn: fn.__name__)
def test_second_derivatives(fn):
    given = MADE_BY[fn](4)
    found = sg.hessian(fn)(X, copy.deepcopy(given))
    steps = 1e-5 * np.eye(len(X))
    rows = [(sg.grad(fn)(X + s, copy.deepcopy(given)) - sg.grad(fn)(X - s, copy.deepcopy(given)))
            / 2e-5 for s in steps]
    np.testing.assert_allclose(found, rows, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("fn", [objects_linked.diffuse, objects_linked.springs, objects_found.born],
                         ids=lambda fn: fn.__name__)
def test_forward_mode(fn):
    given, tangent = MADE_BY[fn](4), np.array([0.3, -1.0, 0.5])
    before = copy.deepcopy(given)
    value, found = sg.jvp(lambda x: fn(x, given), (X,), (tangent,))
    assert value == fn(X, copy.deepcopy(before))
    np.testing.assert_allclose(found, sg.grad(fn)(X, before) @ tangent)


@pytest.mark.parametrize("fn", objects_found.MADE_BY, ids=lambda fn: fn.__name__)
def test_copies_that_the_program_makes(fn):
    """Of objects from outside: they are the program's own, and nothing changes outside."""
    given = MADE_BY[fn](4)
    if isinstance(given, list):
        value = sg.value_and_grad(lambda x: fn(x, copy.deepcopy(given)))(X)[0]
        assert value == fn(X, copy.deepcopy(given)) == fn(X, copy.deepcopy(given))


class Model:
    def __init__(self, w):
        self.w = w


class Owned:
    def __init__(self, v, owner):
        self.v = v
        self.owner = owner
        self.next = None


def made_model(n):
    model = Model(3.0)
    nodes = [Owned(1.0 + k, model) for k in range(n)]
    for one, other in itertools.pairwise(nodes):
        one.next = other
    return model, nodes


def doubled(model, nodes):
    for node in nodes:
        node.v = node.v * 2.0
    return sum(node.v * model.w for node in nodes)


def walked(model, nodes):
    s, node = 0.0, nodes[0]
    while node is not None:
        s += node.v * model.w
        node = node.next
    return s


@pytest.mark.parametrize(("fn", "slope"), [(doubled, 12.0), (walked, 6.0)])
def test_what_the_derivative_is_taken_for_stays_where_it_is(fn, slope):
    """Although other objects refer to it."""
    assert sg.grad(fn)(*made_model(3)).w == slope


def shuffled(x, nodes):
    for node in nodes:
        node.v *= x[0]
    random.shuffle(nodes)
    chosen = [node for node in nodes if node.v > 0.2]
    random.shuffle(chosen)
    return sum(k * node.v for k, node in enumerate(nodes + chosen))


def shuffled_by_numpy(x, nodes):
    for node in nodes:
        node.v *= x[0]
    np.random.shuffle(nodes)
    return sum(k * node.v for k, node in enumerate(nodes))


def numbers_shuffled(x, numbers):
    random.shuffle(numbers)
    return sum(k * number for k, number in enumerate(numbers)) * x[0]


@pytest.mark.parametrize("fn", [shuffled, shuffled_by_numpy, numbers_shuffled], ids=lambda fn: fn.__name__)
def test_lists_from_outside_are_shuffled(fn):
    given = [0.5, 1.5, 2.5, 4.0] if fn is numbers_shuffled else objects_in_lists.make_tagged(5)
    plain, traced = copy.deepcopy(given), copy.deepcopy(given)
    random.seed(1)
    np.random.seed(1)
    want = fn(X, plain)
    random.seed(1)
    np.random.seed(1)
    value, _ = sg.value_and_grad(fn)(X, traced)
    assert value == want and seen(plain, {}) == seen(traced, {})
