"""Random selections: the stream of plain Python, and gradients through what is selected."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.7, -1.2, 2.1])
RNG = np.random.default_rng(5)
PYTHON = random.Random(3)


def shuffled_numbers(x):
    numbers = [1.0, 2.0, 3.0]
    random.shuffle(numbers)
    return numbers[0] * x[0] + numbers[1] * x[1]


def shuffled_items(x):
    items = [x[0], x[1] * x[0], x[2]]
    PYTHON.shuffle(items)
    RNG.shuffle(items)
    return items[0] + 2.0 * items[1]


def shuffled_array(x):
    y = x.copy()
    np.random.shuffle(y)
    order = list(range(3))
    random.shuffle(order)
    return sum(y[j] * k for k, j in enumerate(order))


def epochs(x):
    total = 0.0
    for _ in range(3):
        for i in RNG.permutation(3):
            total = 0.9 * total + x[i] * RNG.choice(x)
    return total


def seeded(x):
    random.seed(4)
    np.random.seed(3)
    return np.random.choice(3) * x[0] + random.choice(x) * random.triangular(0.0, 1.0)


FUNCTIONS = [
    shuffled_numbers, shuffled_items, shuffled_array, epochs, seeded,
    lambda x: random.choice([1.0, 2.0, 3.0]) * x[0] + PYTHON.choice(x),
    lambda x: sum(random.sample([x[0], x[1], x[2]], 2)) * x[0],
    lambda x: sum(PYTHON.choices([x[0], x[1]], k=3)) * x[0],
    lambda x: np.sum(RNG.choice(x, 2)) + np.sum(np.random.choice(x, size=2, replace=False)),
    lambda x: np.sum(RNG.permutation(x) * np.arange(3)) + np.random.permutation(3) @ x,
    lambda x: np.sum(RNG.multivariate_normal(x, np.eye(3)) ** 2),
    lambda x: PYTHON.gauss(x[0], 1.0) * x[1],
]


def started():
    random.seed(1)
    np.random.seed(1)
    PYTHON.seed(2)
    RNG.bit_generator.state = np.random.default_rng(5).bit_generator.state


def states():
    return (random.getstate(), np.random.get_state()[1].tolist(), PYTHON.getstate(),
            RNG.bit_generator.state)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_stream_and_gradient(fn):
    started()
    want = [repr(fn(X.copy())) for _ in range(3)]
    end = states()
    df = sg.value_and_grad(fn)
    started()
    found = [df(X.copy()) for _ in range(3)]
    assert [repr(v) for v, _ in found] == want
    assert states() == end
    for k in range(3):  # the first draws again, at two points
        ends = []
        for sign in (1, -1):
            started()
            moved = X.copy()
            moved[k] += sign * 1e-6
            ends.append(fn(moved))
        assert np.isclose(found[0][1][k], (ends[0] - ends[1]) / 2e-6, atol=1e-6)


def test_a_captured_counter_counts():
    numbers = itertools.count(1)
    df = sg.grad(lambda x: np.sum(x) * next(numbers))
    assert [float(df(X)[0]) for _ in range(3)] == [1.0, 2.0, 3.0]
    assert next(numbers) == 4
