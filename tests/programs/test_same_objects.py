"""Arguments that are one object in one call and two in another, and other things that the first
call does not show."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


class Node:
    def __init__(self, v):
        self.v = v
        self.items = [v]


KEPT = Node(1.0)
TABLE = np.ones(2)


def attribute(a, b, x):
    a.v += x
    return b.v * x


def appended(a, b, x):
    a.items.append(x)
    return sum(b.items)


def key(a, b, x):
    vars(a)["v"] = x
    return vars(b)["v"] * x


def in_a_branch(a, b, x):
    if x > 0:
        a.v = x * 3
    return b.v


def in_a_loop(a, b, x):
    b.v = 1.0
    for _ in range(2):
        a.v = a.v * x
        b.v += 1
    return b.v


def kept_changed(a, b, x):
    KEPT.v = x * b.v
    return a.v * x


def identity(a, b, x):
    return x * (2.0 if a is b else 1.0) + (x if a == b else 0.0) + (x if a in [b] else 0.0)


def identity_of_parts(a, b, x):
    return x * (2.0 if a.items is b.items else 1.0) + (x if id(a) == id(b) else 0.0)


def pairs():
    one, two, three = Node(2.0), Node(2.0), Node(3.0)
    three.items = two.items
    KEPT.v, KEPT.items = 1.0, [1.0]
    return [(one, Node(2.0)), (two, two), (two, three), (KEPT, Node(4.0)), (KEPT, KEPT)]


PROGRAMS = [attribute, appended, key, in_a_branch, in_a_loop, kept_changed, identity,
            identity_of_parts]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", range(3))
def test_one_object_or_two(program, first):
    df = sg.value_and_grad(program, argnums=2)
    for k in (first, 0, 1, 2, 3, 4, 1):
        want = program(*pairs()[k], 0.5)
        ends = [program(*pairs()[k], 0.5 + s) for s in (1e-6, -1e-6)]
        value, slope = df(*pairs()[k], 0.5)
        assert value == want
        assert np.isclose(slope, (ends[0] - ends[1]) / 2e-6)


def test_one_array_or_two():
    def program(x, y):
        return np.sum(x) * (2.0 if y is x else 1.0)

    x = np.ones(2)
    df = sg.jit(program)
    assert [df(x, y) for y in (x, x.copy(), x, x[:])] == [4.0, 2.0, 4.0, 2.0]


def test_more_and_fewer_arguments():
    def program(x, *rest, **named):
        return x * len(rest) + sum(rest) + sum(v * len(k) for k, v in named.items())

    df = sg.jit(program)
    for args, named in (((), {}), ((2.0,), {}), ((), {"a": 1.0}), ((2.0, 3.0), {}),
                        ((), {"a": 1.0, "bc": 2.0}), ((), {}), ((1.0,), {"bc": 2.0})):
        assert df(0.5, *args, **named) == program(0.5, *args, **named)


def test_keys_that_are_equal_and_of_two_types():
    def program(x, table):
        return x * sum(len(str(k)) * v for k, v in table.items())

    df = sg.jit(program)
    for k in (1, True, 1.0, (1, 2), (1.0, 2)):
        assert df(0.5, {k: 2.0}) == program(0.5, {k: 2.0})


def test_a_compiled_object_shows_its_attributes():
    class Scale:
        def __init__(self):
            self.w, self.k = np.ones(2), 2.0

        def __call__(self, x):
            return x * self.k * np.sum(self.w)

    scale = Scale()
    df = sg.value_and_grad(scale)
    for w, k in ((1.0, 2.0), (5.0, 2.0), (5.0, 3.0)):
        scale.w[0], scale.k = w, k
        assert df(0.5) == (scale(0.5), k * (w + 1.0))


def test_functions_without_a_result():
    def nothing(x):
        x[0] = 3.0

    x = np.ones(2)
    assert sg.jit(nothing)(x) is None
    assert x[0] == 3.0


def test_what_a_program_does_before_it_raises():
    def program(x, log):
        log.append(1)
        x[0] = 5.0
        return x[7]

    x, log = np.ones(2), []
    for _ in range(2):
        with pytest.raises(IndexError, match="out of bounds"):
            sg.jit(program)(x, log)
    assert (x[0], log) == (5.0, [1, 1])


def test_an_array_that_is_first_met_in_a_branch_of_a_loop():
    def program(x):
        t = x
        for _ in range(3):
            if t > 0.5:
                TABLE[1] = t
            t += 0.1
        return t * TABLE[1]

    want, TABLE[1] = program(0.5), 1.0
    assert sg.value_and_grad(program)(0.5)[0] == want
