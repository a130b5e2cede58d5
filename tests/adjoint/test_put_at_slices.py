"""What a rule puts at slices of zeros is added there, without zeros of its own."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def differences(x):
    return np.sum(np.diff(x) ** 3)


def second_differences(x):
    return np.sum(np.diff(x, 2) ** 2 * x[1:-1])


def beside_others(x):
    return np.sum(np.diff(x) ** 2) + np.sum(x ** 3)


def in_a_loop(x):
    for _ in range(3):
        x = x + 0.1 * np.diff(np.diff(x, prepend=0.0), append=1.0)
    return np.sum(x ** 2)


def slopes(x):
    return np.sum(np.gradient(x) ** 3)


def slopes_at_places(x):
    return np.sum(np.gradient(x, np.array([0.0, 0.5, 1.5, 2.0, 4.0]), edge_order=2) ** 3)


def of_rows(x):
    return np.sum(np.diff(x.reshape(1, -1) * np.ones((3, 1)), axis=-1) ** 2)


PROGRAMS = [differences, second_differences, beside_others, in_a_loop, slopes, slopes_at_places,
            of_rows]


@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives(program):
    x, h = np.array([0.3, 1.2, -0.4, 0.9, 2.0]), 1e-6
    value, slope = sg.value_and_grad(program)(x)
    assert value == program(x)
    ends = [(program(x + h * e) - program(x - h * e)) / (2 * h) for e in np.eye(5)]
    assert np.allclose(slope, ends, rtol=1e-6, atol=1e-7)
    first = sg.grad(program)
    rows = [(first(x + h * e) - first(x - h * e)) / (2 * h) for e in np.eye(5)]
    assert np.allclose(sg.hessian(program)(x), rows, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_texts(program):
    assert "scatter_add" not in sg.grad(program).source(np.ones(5))


def test_no_differences():
    assert sg.grad(differences)(np.ones(1)).tolist() == [0.0]


def test_complex_numbers():
    def program(x):
        return np.sum(np.abs(np.diff(x * (1.0 + 2.0j))) ** 2)

    x, h = np.array([0.3, 1.2, -0.4]), 1e-6
    ends = [(program(x + h * e) - program(x - h * e)) / (2 * h) for e in np.eye(3)]
    assert np.allclose(sg.grad(program)(x), ends, rtol=1e-6)
