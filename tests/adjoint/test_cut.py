"""What is kept and what is computed again."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from check import run

import srcgrad as sg
from srcgrad.adjoint import close, differentiate
from srcgrad.adjoint.cut import Way, computed_again
from srcgrad.compile.compiler import trace_call
from srcgrad.graph.walking import walk
from srcgrad.simplify import simplify


def price(needed, ways, again):
    """What it takes to have ``needed`` with these computed again; infinite if that is no way."""
    total, seen, waiting = 0.0, set(), list(needed)
    while waiting:
        value = waiting.pop()
        if value in ways and value not in seen:
            seen.add(value)
            way = ways[value]
            total += way.again if value in again else way.keep
            waiting += way.operands if value in again else ()
    return total


def test_no_choice_is_cheaper():
    for seed in range(60):
        draw = random.Random(seed)
        count = draw.randrange(1, 9)
        ways = {}
        for k in range(count):
            operands = tuple(draw.sample(range(k), min(k, draw.randrange(3))))
            again = math.inf if draw.random() < 0.2 else float(draw.randrange(8))
            ways[k] = Way(float(draw.randrange(1, 12)), again, operands)
        needed = draw.sample(range(count), draw.randrange(1, count + 1))
        best = min(price(needed, ways, set(again)) for size in range(count + 1)
                   for again in itertools.combinations(range(count), size))
        assert price(needed, ways, computed_again(needed, ways)) == best, seed


def steps(w, x, n):
    for _ in range(n):
        both = w + w.T
        x = np.tanh(both @ x)
    return np.sum(x)


W, X = np.arange(16.0).reshape(4, 4) / 40, np.linspace(0.1, 0.4, 4)


def test_what_is_the_same_in_each_iteration_is_kept_once():
    df = sg.grad(steps, argnums=(0, 1))
    text = df.source(W, X, 3)
    assert "both" in text.split("# ---- backward")[1] and "both" not in text.split("# ----")[0]
    assert "append(both)" not in text and "both," not in text
    eps = 1e-6
    for i, j in ((0, 1), (2, 2)):
        step = np.zeros_like(W)
        step[i, j] = eps
        slope = (steps(W + step, X, 3) - steps(W - step, X, 3)) / (2 * eps)
        assert np.isclose(df(W, X, 3)[0][i, j], slope)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_iteration(n):
    """What the loop would have made is asked for by nobody."""
    value, pull = sg.vjp(lambda w, x: steps(w, x, n), W, X)
    assert value == steps(W, X, n)
    for one, other in zip(pull(1.0), sg.grad(steps, argnums=(0, 1))(W, X, n), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(sg.grad(steps)(W[:, :3], X, 0), np.zeros((4, 3)))


def gates(x, w, n):
    h = np.zeros(40)
    total = 0.0
    for k in range(n):
        e = np.exp(-(w * x[k]))
        gate = 1 / (1 + e)
        h = gate * h + (1 - gate) * x[k] if k % 3 else h * gate - e
        total += np.sum(h * h) + np.mean(h) * np.sum(np.sin(h)) - np.mean(np.cos(h))
    return total


def scalars(x, w, n):
    v, total = 1.0, 0.0
    for t in range(n):
        r = x[0, t] ** 2
        v = w[0] + 0.1 * r + 0.8 * v
        total += np.log(v) + r / v if r > 0.1 else v * (2.0 - v) ** 2
    return total


@pytest.mark.parametrize("program", [gates, scalars])
def test_bits_are_those_of_what_would_be_kept(program):
    args = np.linspace(-1, 1, 200).reshape(5, 40), np.linspace(0.5, 1.0, 40), 5
    graph, given = trace_call(program, args)
    opened = simplify(differentiate(graph, [0, 1], [0], keep=[0]))
    kept, again = (simplify(close(opened, recompute=priced)) for priced in (False, True))
    assert sequences(again) < sequences(kept)
    for one, other in zip(run(kept, [*given, 1.0]), run(again, [*given, 1.0]), strict=True):
        assert np.array_equal(one, other)


def sequences(graph):
    """How many sequences the loops of the forward part keep."""
    forward = graph.block.but(nodes=graph.block.nodes[:graph.border])
    return sum(node.loop.n_produced for node in walk(forward) if node.op == "loop")


def thrice(x, w):
    s = 0.0
    for i in range(len(x)):
        p = 1.0
        for _ in range(3):
            p *= 1.0 + np.sin(w * x[i])
        s += p
    return np.log(s)


def some_times(x, w, n):
    s = 0.0
    for i in range(len(x)):
        p = 1.0
        for _ in range(n):
            p *= 1.0 + np.sin(w * x[i])
        s += p
    return np.log(s)


def test_what_is_the_same_in_each_iteration_of_an_inner_loop_is_kept_once() -> None:
    x = np.array([0.3, -0.4])
    _, kept = sg.grad(thrice).source(x, 0.7).split("kept in each iteration: ")
    assert kept.startswith("p_saved, saved  (32 bytes)")
    for df, args in ((sg.grad(thrice), ()), (sg.grad(some_times), (3,)), (sg.grad(some_times), (0,))):
        want = 3 * (1.0 + np.sin(0.7 * x)) ** 2 * np.cos(0.7 * x) * 0.7 * (args != (0,))
        want /= np.sum((1.0 + np.sin(0.7 * x)) ** 3)
        np.testing.assert_allclose(df(x, 0.7, *args), want, rtol=1e-13)


def rotations(w, x, n):
    y, total = np.array([1.0, 0.0]), 0.0
    for _ in range(n):
        r = np.sqrt(np.sum(y * y))
        turned = np.tanh(y / r * w[0] + np.sin(y) * w[1])
        a, b, c = np.sin(turned[0]), np.exp(turned[1]), np.cos(r)
        total += np.sum(np.cross(np.array([a, b, c]), x)) * b / c
        y = turned + np.array([a * b, c])
    return total


def test_few_numbers_of_a_long_iteration_lie_in_arrays() -> None:
    """An array for each takes more than its numbers, a number of NumPy's four times its bytes."""
    w, x = np.array([0.7, 0.4]), np.array([0.1, 0.2, 0.3])
    df = sg.value_and_grad(rotations)
    forward = df.source(w, x, 5).split("# ---- backward")[0]
    assert "append" not in forward and "_saved[i] = " in forward
    value, gradient = df(w, x, 5)
    assert value == rotations(w, x, 5)
    eps = 1e-6
    for place in range(2):
        step = np.zeros_like(w)
        step[place] = eps
        slope = (rotations(w + step, x, 5) - rotations(w - step, x, 5)) / (2 * eps)
        assert np.isclose(gradient[place], slope, rtol=1e-5)


def test_short_iterations_keep_records() -> None:
    def recurrence(x, n):
        a = b = c = x
        for _ in range(n):
            a, b, c = a * b + c, b * c * a, c + a * b
        return a + b + c

    assert "kept.append((" in sg.grad(recurrence).source(0.1, 5)


def twice(p, x):
    s = 0.0
    for v in x:
        s += np.exp(np.tan(v) / p[0]) ** p[1] + np.exp(np.tan(v) / p[0])
    return np.log(s)


def in_any_case(p, x):
    s = p[0]
    for v in x:
        s = s - (s ** 3 - v) / (3 * s ** 2 + p[1])
    return s


def selected(p, x):
    s = p[0]
    for v in x:
        part = min(s / p[1], 1.0)
        s = s + v - part * np.sqrt(part + v)
    return s


def from_pythons(p, x):
    v, total = 1.0, 0.0
    for r in x:
        v = p[0] + p[1] * v * r
        total += v * v
    return total


def limited(p, x):
    s = p[0]
    for r in x:
        s = max(s * p[1] - r * s ** 2, 0.1)
    return s


def powers(p, x):
    s = p[0]
    for r in x:
        s = s - r * s ** p[1] * np.sin(s)
    return s


@pytest.mark.parametrize("program, kept", [
    (twice, "saved  (8 bytes)"),  # equal numbers once
    (in_any_case, "s_saved, saved  (16 bytes)"),  # what the backward part computes in any case
    (selected, "saved, saved_2  (16 bytes)"),  # one of two numbers
    (from_pythons, "v_saved  (8 bytes)"),  # a number of Python's at first
    (limited, "s_saved, taken_saved  (9 bytes)"),  # truth values
    (powers, "s_saved, sin_s_saved  (16 bytes)"),
])
def test_what_an_iteration_keeps_of_numbers(program, kept) -> None:
    p, x = np.array([1.3, 1.7]), np.linspace(0.2, 0.9, 5)
    df = sg.value_and_grad(program)
    text = df.source(p, x)
    assert f"# kept in each iteration: {kept}\n" in text and "append" not in text
    value, gradient = df(p, x)
    assert value == program(p, x)
    for place in range(2):
        step = 1e-6 * np.eye(2)[place]
        slope = (program(p + step, x) - program(p - step, x)) / 2e-6
        assert np.isclose(gradient[place], slope, rtol=1e-5, atol=1e-8)


def test_what_may_be_an_int_is_kept_as_it_is() -> None:
    def counted(p, x):
        n, total = 2 ** 60 + 1, 0.0
        for r in x:
            total += p * (n % 7)
            n = n * 0.5 * r if r > 0.7 else n + 1
        return total

    df = sg.value_and_grad(counted)
    x = np.linspace(0.2, 0.6, 4)
    assert df(0.5, x) == (counted(0.5, x), counted(1.0, x))
