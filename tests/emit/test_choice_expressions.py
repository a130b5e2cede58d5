"""Choices between numbers, and quotients by norms, in the backward part."""

import linecache
import math
import warnings

import numpy as np
import pytest

import srcgrad as sg

R = np.random.default_rng(7)


def knapsack(values, weights, room):
    best = [values[0] * 0.0] * (room + 1)
    for value, weight in zip(values, weights):
        for w in range(room, weight - 1, -1):
            best[w] = np.maximum(best[w], best[w - weight] + value)
    return best[room] ** 2


def ramps(x):
    low = np.minimum(x[0], x[1])
    high = np.maximum(low, np.clip(x[2], -0.5, 0.5))
    return np.abs(high) * np.hypot(low, x[3]) + np.maximum(0.0, high - x[3])


def softmax_in_place(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return np.sum(e ** 3)


def power_iteration(a, n):
    b = np.ones(a.shape[0])
    for _ in range(n):
        b = a @ b
        b /= np.linalg.norm(b)
    return b @ a @ b


def steps_of_one_length(x, n):
    v = x * 1.0
    for _ in range(n):
        w = np.tanh(v)
        w /= np.sqrt(np.dot(w, w))
        v = v + w
    return np.sum(v ** 2)


def column_by_column(a):
    q = a.copy()
    for j in range(a.shape[1]):
        for i in range(j):
            q[:, j] -= (q[:, i] @ q[:, j]) * q[:, i]
        q[:, j] /= np.linalg.norm(q[:, j])
    return np.sum(q[0] * q[1])


def kept_norm(x):
    e = np.exp(x)
    s = e.sum()
    e /= s
    return np.sum(e ** 3) * s


SYMMETRIC = R.normal(size=(4, 4))
# program, arguments, what its text says, and does not say
PROGRAMS = {
    "knapsack": (knapsack, (R.random(3), [1, 2, 2], 4), [" if "], ["np.where"]),
    "ramps": (ramps, (R.normal(size=4),), [" if "], ["np.where"]),
    "softmax": (softmax_in_place, (R.normal(size=(3, 4)),), [], ["/="]),
    "power iteration": (power_iteration, (SYMMETRIC @ SYMMETRIC.T, 5), [
        "(1.0 if norm_b == 0 else norm_b)"], [".sum()"]),
    "steps": (steps_of_one_length, (R.normal(size=4), 3), ["d_v @ w"], [".sum()"]),
    "columns": (column_by_column, (R.normal(size=(4, 3)),), [], [".sum()"]),
    "kept norm": (kept_norm, (R.normal(size=4),), ["d_e @ e / s"], []),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, args, said, unsaid = PROGRAMS[name]
    derivative = sg.value_and_grad(function)
    text = derivative.source(*args).split("# ---- backward")[1]
    assert [part for part in said if part not in text] == []
    assert [part for part in unsaid if part in text] == []
    value, slope = derivative(*args)
    assert value == function(*args)
    direction = R.normal(size=args[0].shape)
    low, high = (function(args[0] + s * direction, *args[1:]) for s in (-1e-6, 1e-6))
    assert np.sum(slope * direction) == pytest.approx((high - low) / 2e-6, rel=1e-6, abs=1e-8)


def test_nothing_to_divide_by():
    """Where the program divides zero by zero, nothing is raised."""
    with np.errstate(all="ignore"):
        for function, args in ((steps_of_one_length, (np.zeros(3), 2)),
                               (column_by_column, (np.zeros((3, 2)),))):
            assert np.isnan(sg.grad(function)(*args)).any()
    assert (sg.grad(steps_of_one_length)(np.zeros(3), 0) == 0).all()


UNARY = ("np.abs({})", "np.sqrt(np.abs({}))", "np.tanh({})", "np.maximum({}, 0.5)",
         "np.minimum(1.0, {})", "np.clip({}, -1.0, 1.0)", "np.exp(-{} * {})", "-{}", "{} ** 2",
         "np.where({} > 0, {}, 0.5 * {})")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "np.maximum({}, {})", "np.minimum({}, {})",
          "np.hypot({}, {})", "{} / (1.0 + {} * {})", "np.where({} > {}, {}, {})",
          "np.logaddexp({}, {})", "np.fmax({}, {})")


def random_text(rng, one):
    """A program over four numbers, with ``one(i)`` for number i."""
    names = ["a", "b", "c", "d"]
    lines = ["def program(x, n):", *(f"    {v} = {one(i)}" for i, v in enumerate(names))]
    indent = "    "
    for _ in range(int(rng.integers(4, 10))):
        form = str(rng.choice(UNARY if rng.random() < 0.4 else BINARY))
        if rng.random() < 0.15 and len(indent) == 4:
            lines.append(f"{indent}for _ in range(n):")
            indent += "    "
        target = str(rng.choice(names))
        lines.append(f"{indent}{target} = " + form.format(*rng.choice(names, form.count("{}"))))
    return "\n".join([*lines, f"    return np.sum({' + '.join(names)})"])


def loaded(text, name):
    space = {"np": np, "math": math}
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), space)
    return space["program"]


@pytest.mark.parametrize("seed", range(60))
def test_numbers_have_the_derivatives_of_arrays_of_one(seed):
    """Ties, kinks, zeros and infinite slopes among them: for arrays nothing is chosen so."""
    number = loaded(random_text(np.random.default_rng(seed), lambda i: f"x[{i}]"),
                    f"<numbers {seed}>")
    arrays = loaded(random_text(np.random.default_rng(seed), lambda i: f"x[{i}:{i + 1}]"),
                    f"<arrays {seed}>")
    rng = np.random.default_rng([1, seed])
    for x in (rng.normal(size=4), rng.integers(-1, 2, 4) * 1.0, np.zeros(4),
              np.where(rng.random(4) < 0.3, np.nan, rng.normal(size=4))):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, slope = sg.value_and_grad(number)(x, 2)
            like, wanted = sg.value_and_grad(arrays)(x, 2)
        assert value == like or (np.isnan(value) and np.isnan(like))
        np.testing.assert_allclose(slope, wanted, rtol=1e-12, atol=1e-300)
