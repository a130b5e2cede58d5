"""Gradients with respect to lists: one text for every length, with the structure of the argument, in every mode."""

from __future__ import annotations

import copy

import leaves_in_lists
import numpy as np
import pytest
from leaves_in_lists import MADE_BY, Body, Pair

import srcgrad as sg
from srcgrad.types.tree import children, ravel_some

SIZES = (20, 33, 9)


def varies(leaf):
    return isinstance(leaf, (float, np.floating)) or (
        isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")


def slope_of(fn, given, step=1e-6):
    """The gradient by central differences, the numbers of the argument, and how to put them back."""
    flat, unravel, ravel = ravel_some(given, varies)
    slope = np.array([(fn(unravel(flat + e)) - fn(unravel(flat - e))) / (2 * step)
                      for e in step * np.eye(flat.size)])
    return slope, flat, unravel, ravel


def types_of(tree, like):
    """The types of what is in a gradient, None where its argument has no derivative."""
    below = children(like)
    if below is None:
        return tree is None if not varies(like) else type(tree) is type(like)
    held = {key: part for _, key, part in children(tree)}
    return type(tree) is type(like) and all(types_of(held[key], part) for _, key, part in below)


@pytest.mark.parametrize("fn", MADE_BY, ids=lambda fn: fn.__name__)
def test_one_text_for_every_length(fn):
    df = sg.value_and_grad(fn)
    for n in SIZES:
        given = MADE_BY[fn](n)
        slope, *_, ravel = slope_of(fn, given)
        plain, traced = copy.deepcopy(given), copy.deepcopy(given)
        want = fn(plain)
        value, gradient = df(traced)
        assert value == want and type(value) is type(want)
        assert repr(traced) == repr(plain) or fn is leaves_in_lists.layers  # whose objects say where they lie
        assert types_of(gradient, given)
        np.testing.assert_allclose(ravel(gradient), slope, rtol=1e-5, atol=1e-6)
    assert len(df.signatures) == 1


@pytest.mark.parametrize("fn", MADE_BY, ids=lambda fn: fn.__name__)
def test_every_mode(fn):
    given = MADE_BY[fn](9)
    slope, flat, unravel, ravel = slope_of(fn, given)
    along = np.random.default_rng(1).normal(size=flat.size)
    close = {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(ravel(sg.vjp(fn, copy.deepcopy(given))[1](2.0)[0]), 2 * slope, **close)
    moved = sg.jvp(fn, (copy.deepcopy(given),), (unravel(along),))[1]
    np.testing.assert_allclose(moved, slope @ along, **close)
    pushed = sg.linearize(fn, copy.deepcopy(given))[1](unravel(along))
    np.testing.assert_allclose(pushed, slope @ along, **close)
    np.testing.assert_allclose(ravel(sg.jacobian(fn)(copy.deepcopy(given))), slope, **close)


def test_second_derivatives():
    given = MADE_BY[leaves_in_lists.pairs_of_bodies](9)
    flat, unravel, ravel = ravel_some(given, varies)
    gradient = sg.grad(leaves_in_lists.pairs_of_bodies)
    along = np.random.default_rng(1).normal(size=flat.size)
    _, curved = sg.jvp(lambda b: gradient(b), (given,), (unravel(along),))
    want = (ravel(gradient(unravel(flat + 1e-5 * along))) - ravel(gradient(unravel(flat - 1e-5 * along)))) / 2e-5
    np.testing.assert_allclose(ravel(curved), want, rtol=1e-5, atol=1e-6)


def weighted(params, ys):
    total = 0.0
    for i in range(len(params["w"])):
        total += params["w"][i] * params["bodies"][i].x * ys[i]
    return total + params["scale"] ** 2


def test_lists_below_other_containers_and_two_arguments():
    df = sg.grad(weighted, argnums=(0, 1))
    for n in (9, 21):
        params = {"w": leaves_in_lists.floats(n), "bodies": leaves_in_lists.bodies(n), "scale": 1.5}
        ys = leaves_in_lists.floats(n)
        of_params, of_ys = df(params, ys)
        x = [b.x for b in params["bodies"]]
        np.testing.assert_allclose(of_params["w"], np.multiply(x, ys))
        np.testing.assert_allclose([b.x for b in of_params["bodies"]], np.multiply(params["w"], ys))
        assert [b.v for b in of_params["bodies"]] == [0.0] * n and of_params["scale"] == 3.0
        np.testing.assert_allclose(of_ys, np.multiply(params["w"], x))
    assert len(df.signatures) == 1


def test_other_items_are_other_signatures():
    df = sg.grad(leaves_in_lists.named_tuples)
    df([Pair(1.0, 2.0)] * 12)
    mixed = [Pair(1.0, 2.0)] * 11 + [Pair(2, 1.0)]  # one is no float: it has no derivative
    assert df(mixed)[-1] == Pair(None, 2.0)
    single = [Pair(np.float32(1.0), np.float32(2.0))] * 12
    assert {type(v) for pair in df(single) for v in pair} == {np.float32}


def test_one_object_twice_is_two_items_if_it_is_only_read_and_one_if_it_changes():
    body = Body(1.0, 2.0)
    others = leaves_in_lists.bodies(10)
    read = sg.grad(leaves_in_lists.pairs_of_bodies)([body, body, *others])
    apart = sg.grad(leaves_in_lists.pairs_of_bodies)([body, copy.copy(body), *others])
    assert repr(read) == repr(apart)
    moving = sg.grad(leaves_in_lists.bodies_that_move)
    moving(leaves_in_lists.bodies(12))
    got = moving([body, body, *others])  # it moves twice as far
    want, _, _, _ = slope_of(lambda x: leaves_in_lists.bodies_that_move([b := Body(x, 2.0), b]), 1.0)
    assert got[0].x + got[1].x == pytest.approx(float(want[0])) or got[0].x == pytest.approx(float(want[0]))


@pytest.mark.parametrize("tangent", [
    [(1.0, 2.0)] * 8, [(1.0,)] * 9, 3.0, [1.0] * 9], ids=["shorter", "narrower", "a number", "numbers"])
def test_tangents_that_do_not_fit_are_refused(tangent):
    with pytest.raises(sg.errors.StructureError, match="structure"):
        sg.jvp(leaves_in_lists.tuples, ([(1.0, 2.0)] * 9,), (tangent,))
