"""Containers passed whole into any transform inside of any other."""

from __future__ import annotations

import itertools
import zlib

import numpy as np
import pytest
from nested_structures import OUTERS, PAIRS, check

import srcgrad as sg


@pytest.mark.parametrize(("structure", "one"), PAIRS)
def test_some_pairs(structure, one):
    check(structure, one, OUTERS[zlib.crc32(f"{structure} {one}".encode()) % len(OUTERS)])


@pytest.mark.sweep
@pytest.mark.parametrize("other", OUTERS)
@pytest.mark.parametrize(("structure", "one"), PAIRS)
def test_all_pairs(structure, one, other):
    check(structure, one, other)


def sine(t):
    return np.sin(t[0])


def moved(x, v):
    return sg.jvp(sine, (x,), (v,))[1]


def test_tangents_that_are_differentiated():
    (found,) = sg.grad(lambda v: moved((-0.4,), v))((0.7,))
    assert found == np.cos(-0.4)
    out, tangent = sg.jvp(moved, ((0.3,), (0.7,)), ((0.2,), (0.5,)))
    assert out == np.cos(0.3) * 0.7
    assert tangent == pytest.approx(-np.sin(0.3) * 0.2 * 0.7 + np.cos(0.3) * 0.5, rel=1e-14)


def test_numbers_in_containers_are_those_of_each_call():
    compiled = sg.jit(moved)
    for a in (0.3, 0.7, -1.1):
        assert compiled((0.2,), (a,)) == np.cos(0.2) * a


def test_parts_of_containers():
    """Slices, parts and lists of what came from outside."""
    def f(p):
        return p[0] * p[1] ** 2

    def h(t):
        first = sg.grad(f)(t[:2])
        second = sg.jvp(f, ([t[1], t[2]],), (t[1:3],))[1]
        third = sg.vjp(f, (t[2], t[0]))[1](t[3])[0]
        return first[0] * first[1] + second + third[0] * third[1]

    t = (0.4, 1.3, -0.7, 0.9)
    want = [(h(tuple(np.add(t, s))) - h(tuple(np.subtract(t, s)))) / 2e-6
            for s in 1e-6 * np.eye(4)]
    np.testing.assert_allclose(sg.grad(h)(t), want, rtol=1e-8)
    np.testing.assert_allclose(sg.jvp(h, (t,), ((1.0, 2.0, 3.0, 4.0),))[1],
                               np.dot(want, [1.0, 2.0, 3.0, 4.0]), rtol=1e-8)


def test_one_of_two_containers():
    """Which container is given depends on data."""
    def h(t, v, c):
        u = t if c > 0 else v
        return sg.jvp(sine, (v,), (u,))[1] + sg.grad(sine)(u)[0] + sg.vjp(
            lambda t: (t[0] ** 2,), t)[1](u)[0][0]

    t, v = (0.3,), (0.7,)
    for c in (1.0, -1.0):
        found = sg.grad(h, argnums=(0, 1))(t, v, c)
        s = 1e-6
        np.testing.assert_allclose(np.ravel(found), [
            (h((0.3 + s,), v, c) - h((0.3 - s,), v, c)) / (2 * s),
            (h(t, (0.7 + s,), c) - h(t, (0.7 - s,), c)) / (2 * s)], rtol=1e-8)


def test_results_that_are_lists_of_any_length():
    def squares(x):
        return [v * v for v in x if v > 0.5]

    x, t = np.array([0.3, 0.7, 1.1]), np.array([1.0, 2.0, 3.0])
    out, pullback = sg.vjp(squares, x)
    np.testing.assert_allclose(pullback(out)[0], [0.0, 2 * 0.7**3, 2 * 1.1**3])
    np.testing.assert_array_equal(pullback(None)[0], np.zeros(3))
    np.testing.assert_allclose(sg.linearize(squares, x)[1](t), [2.8, 6.6])
    with pytest.raises(sg.StructureError):
        pullback([1.0])


@pytest.mark.parametrize("f", [
    lambda t, v: sg.jvp(sine, (t,), ((v[0], v[0]),))[1],
    lambda t, v: sg.vjp(sine, t)[1](v)[0][0],
    lambda t, v: sg.linearize(sine, t)[1]({"a": v[0]}),
    lambda t, v: sg.vjp(lambda t: np.array([t[0], t[0]]), t)[1](np.ones(3))[0][0],
    lambda t, v: sg.vjp(lambda t: t[0] * 2.0, t)[1](1j * v[0])[0][0],
    lambda t, v: sg.elementwise_grad(lambda x: (x, x))(t[0]),
    lambda t, v: sg.hvp(sine)(t)[0],
    lambda t, v: sg.gnvp(sine)(t)[0]])
def test_what_does_not_fit_is_refused(f):
    for call in (lambda: f((0.3,), (0.7,)), lambda: sg.jit(f)((0.3,), (0.7,)),
                 lambda: sg.grad(f)((0.3,), (0.7,))):
        with pytest.raises(sg.StructureError):
            call()


def returns_what_some_paths_set(x):
    class Made:
        pass

    made = Made()
    made.a = x
    if x > 1.0:
        made.b = 2.0 * x
    return made


def test_attributes_that_only_some_paths_set():
    for call in (lambda: sg.jit(returns_what_some_paths_set)(2.0),
                 lambda: sg.jvp(returns_what_some_paths_set, (2.0,), (1.0,))):
        with pytest.raises(sg.JoinError, match="only some paths set"):
            call()


def test_a_hessian_through_groups_whose_ends_are_carried():
    def of_groups(x):
        return sum(sum(g) ** 2 if k else 0.7
                   for k, g in itertools.groupby(x, key=lambda v: v > 0))

    want = np.zeros((4, 4))
    want[0, 0] = 2.0
    want[2:, 2:] = 2.0
    np.testing.assert_array_equal(sg.hessian(of_groups)(np.array([0.3, -1.2, 0.7, 2.1])), want)
