"""Random selections: the stream of plain Python, and gradients through what is selected."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from chain import same

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


DRAWS = {
    "dirichlet": lambda rng, old, p: (rng.dirichlet(p, 5), rng.dirichlet([0.2, 0.3], size=(2, 3))),
    "multinomial": lambda rng, old, p: (
        rng.multinomial(10, p), rng.multinomial(10, p, size=len(p)),
        rng.multinomial(np.array([3, 4]), p), old.multinomial(10, [0.5, 0.5], (2, 2))),
    "hypergeometric": lambda rng, old, p: (
        rng.multivariate_hypergeometric([3, 4, 5], 4, 2), rng.hypergeometric(3, 4, 2)),
    "multivariate_normal": lambda rng, old, p: (
        rng.multivariate_normal(p, np.eye(3), 4), old.multivariate_normal([0.0, 1.0], np.eye(2))),
    "lists": lambda rng, old, p: (
        rng.poisson([1.0, 2.0]), rng.normal([0.0, 1.0], np.array([[1.0], [2.0]])),
        rng.integers(0, [3, 4, 5]), rng.binomial(3, np.array(0.5))),
    "choice": lambda rng, old, p: (
        rng.choice([1.0, 2.0, 3.0], 4, p=p), rng.choice(np.eye(3), 2), rng.choice([1.5, 2.5]),
        old.choice(np.array([1, 2])), rng.choice(["u", "v"], 2), rng.choice(5, (2, 2))),
    "integers": lambda rng, old, p: (
        rng.integers(3), rng.integers(3, dtype=np.int32), old.randint(3), old.randint(0, 5, (2,)),
        old.randint(3, dtype=np.int64), rng.logseries(0.5, 3), old.tomaxint()),
    "floats": lambda rng, old, p: (
        rng.random(3, dtype=np.float32), rng.random(dtype=np.float32), rng.normal(p[0]),
        old.rand(2, len(p)), old.randn(), rng.triangular(0, 0.5, 1)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_drawn_has_numpys_types(name):
    def program(x):
        drawn = DRAWS[name](np.random.default_rng(1), np.random.RandomState(2), np.array([0.2, 0.3, 0.5]))
        return x * 2.0, [(type(d), np.shape(d), np.ndim(d)) for d in drawn], drawn

    assert same(sg.jit(program)(1.5), program(1.5))
