"""One object met at two places: as two arguments, or as an argument and a captured object."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
import pytest

import srcgrad as sg

LIST = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
DICT = {"a": np.array([1.0, 2.0])}
Pair = namedtuple("Pair", "u v")
PAIR = Pair(np.array([1.0, 2.0]), 3.0)
ARRAY = np.array([1.0, 2.0])


def captured_first(p):
    return np.sum(LIST[0] * p[0])


def captured_last(p):
    return np.sum(p[0] * LIST[0])


def replaced_in_a_list(p):
    full = [LIST, 1]
    full[0] = p
    return np.sum(full[0][0] ** 2)


def of_dict(p):
    return np.sum(DICT["a"] * p["a"])


def of_tuple(p):
    return np.sum(PAIR.u * p.u) * p.v


def of_array(p):
    return np.sum(ARRAY * p)


def fresh(x):
    return sg.tree_map(lambda leaf: np.array(leaf) if isinstance(leaf, np.ndarray) else leaf, x)


@pytest.mark.parametrize("program, argument", [
    (captured_first, LIST), (captured_last, LIST), (replaced_in_a_list, LIST), (of_dict, DICT),
    (of_tuple, PAIR), (of_array, ARRAY)])
def test_the_captured_object_as_argument_has_the_gradient_of_an_equal_one(program, argument):
    flat, _ = sg.tree_flatten(sg.grad(program)(argument))
    want, _ = sg.tree_flatten(sg.grad(program)(fresh(argument)))
    for a, b in zip(flat, want):
        np.testing.assert_array_equal(a, b)
    assert any(np.any(a) for a in flat)


def test_one_list_as_two_arguments():
    def program(p, q):
        return np.sum(p[0] * q[0] ** 2)

    dp, dq = sg.grad(program, (0, 1))(LIST, LIST)
    np.testing.assert_array_equal(dp[0], LIST[0] ** 2)
    np.testing.assert_array_equal(dq[0], 2 * LIST[0] * LIST[0])


def test_a_later_call_with_another_object_reads_that():
    df = sg.value_and_grad(captured_first)
    other = [np.array([5.0, 6.0]), np.array([1.0, 1.0])]
    assert df(LIST)[0] == captured_first(LIST)
    assert df(other)[0] == captured_first(other)


def test_a_change_shows_at_both_places():
    def program(p, q):
        p.append(p[0] * 2)
        return np.sum(q[-1] * q[0])

    df = sg.value_and_grad(program)
    shared, plain = [np.array([1.0, 2.0])], [np.array([1.0, 2.0])]
    value, gradient = df(shared, shared)
    assert value == program(plain, plain) and len(shared) == len(plain) == 2
    np.testing.assert_allclose(gradient[0], 4 * plain[0])
    first, second = [np.array([1.0, 2.0])], [np.array([7.0])]
    assert df(first, second)[0] == 49.0 and (len(first), len(second)) == (2, 1)


class Model:
    def __init__(self):
        self.w = np.array([1.0, 2.0])


def test_one_object_stays_one_object():
    captured = Model()

    def program(m):
        m.k = m.w * 2
        return np.sum(captured.w * getattr(captured, "k", 1.0))

    df = sg.jit(program)
    assert df(captured) == 10.0
    other = Model()
    other.w = np.array([5.0, 5.0])
    assert df(other) == program(other)


class Weights:
    def __init__(self, w):
        self.w = w
        self.next = None


def test_one_instance_as_two_arguments_has_two_gradients():
    def program(a, b):
        return np.sum(a.w * b.w ** 2)

    df = sg.grad(program, argnums=(0, 1))
    one = Weights(np.array([1.0, 2.0]))
    for first, second in ((one, one), (one, Weights(one.w.copy()))):
        d_first, d_second = df(first, second)
        np.testing.assert_array_equal(d_first.w, one.w ** 2)
        np.testing.assert_array_equal(d_second.w, 2 * one.w ** 2)


def test_a_ring_is_refused_where_it_is_differentiated_only():
    ring = Weights(2.0)
    ring.next = Weights(3.0)
    ring.next.next = ring

    def program(x, p, q):
        return x * p.w * q.next.w if p.next is q else x

    with pytest.raises(sg.StructureError, match="contains itself"):
        sg.grad(program, argnums=1)(1.0, ring, ring.next)
    assert sg.grad(program)(1.0, ring, ring.next) == 4.0
    assert sg.grad(program)(1.0, ring, Weights(3.0)) == 1.0


def test_a_list_in_itself_is_an_argument_that_is_not_differentiated():
    nest = [3.0, {"factor": 2.0}]
    nest.append(nest)

    def program(x, held):
        return x * held[0] * held[2][1]["factor"]

    assert sg.grad(program)(1.0, nest) == 6.0
    nest[1]["factor"] = 5.0
    assert sg.grad(program)(1.0, nest) == 15.0
    with pytest.raises(sg.StructureError, match="contains itself"):
        sg.grad(program, argnums=1)(1.0, nest)


def test_one_instance_as_two_arguments_that_changes_is_one():
    def program(a, b):
        a.w = a.w * 2.0
        return np.sum(a.w * b.w ** 2)

    def asked(a, b):
        return np.sum(a.w) if a is b else np.sum(b.w) * 2

    one = Weights(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(sg.grad(program)(one, one).w, 24 * np.array([1.0, 4.0]))
    for function in (program, asked):
        one = Weights(np.array([1.0, 2.0]))
        with pytest.raises(sg.AliasError, match="is the same object as a"):
            sg.grad(function, argnums=(0, 1))(one, one)
    assert sg.grad(asked)(one, one).w.tolist() == [1.0, 1.0]
    assert sg.grad(asked)(one, Weights(one.w)).w.tolist() == [0.0, 0.0]
