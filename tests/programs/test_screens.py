"""What a branch that was not taken would have computed never reaches a gradient."""

from __future__ import annotations

import math

import numpy as np
import pytest

import srcgrad as sg


def log_of_positive(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0))


def entropy(x):
    return -np.sum(np.where(x > 0, x * np.log(x), 0.0))


def sinc(x):
    return np.sum(np.where(x != 0, np.sin(x) / x, 1.0))


def root_behind_a_chain(x):
    return np.sum(np.where(x > 0, 3.0 * np.sqrt(np.exp(x) - 1.0) + 1.0, x))


def not_taken_first(x):
    return np.sum(np.where(x <= 0, 0.0, 1.0 / x))


def selected(x):
    return np.sum(np.select([x > 1, x > 0], [np.sqrt(x - 1), np.log(x)], 0.0))


def overwritten(x):
    y = np.log(x)
    y[x <= 0] = -1.0
    return np.sum(y)


def replaced(x):
    return np.sum(np.nan_to_num(np.log(x), nan=0.0, neginf=0.0))


def masked_ufunc(x):
    return np.sum(np.log(x, out=np.zeros_like(x), where=x > 0))


def distances(x):
    return np.sum(np.triu(np.sqrt(np.abs(x[:, None] - x[None, :])), 1))


def chained_conditions(x):
    inner = np.where(x > 0, np.sqrt(x), 0.0)
    return np.sum(np.where(x < 2, inner / (2 - x), x))


def scalars(x):
    return sum(math.sqrt(v) if v > 0 else 0.0 for v in x)


def roots_by_a_mask(x):
    return np.sum(np.exp(-np.sqrt(np.abs(x))[x != 0]))


def roots_times_a_mask(x):
    return np.sum(np.exp(-np.sqrt(np.abs(x))) * (x != 0))


def distances_of_others(x):
    return np.sum(np.sqrt((x[:, None] - x[None, :]) ** 2) * (1.0 - np.eye(len(x))))


def second_nearest(x):
    return np.sum(np.sort(np.sqrt((x[:, None] - x[None, :]) ** 2), axis=1)[:, 2])


def inverse_where_positive(x):
    r = np.sqrt(np.maximum(x, 0.0))
    return np.sum(r * np.where(r > 0, 1 / r, 0.0) * np.abs(x))


def without_the_diagonal(x):
    near = np.exp(-np.sqrt((x[:, None] - x[None, :]) ** 2))
    np.fill_diagonal(near, 0.0)
    return np.sum(near)


def all_but_the_diagonal(x):
    near = np.sqrt((x[:, None] - x[None, :]) ** 2)
    return np.sum(near) - np.trace(near)


def inverse_of_others(x):
    r = np.sqrt((x[:, None] - x[None, :]) ** 2) + np.eye(len(x))
    return np.sum((1.0 - np.eye(len(x))) / r)


def asked_for_in_a_loop(x):
    r, total = np.sqrt(x[0] * x[0] + 0.0 * x[1]), 0.0
    for v in x:
        total += v / r if r > 0 else v * v
    return total


def one_by_one(x):
    r, total = np.sqrt(np.abs(x)), 0.0
    for i in range(1, len(x)):
        total += r[i] ** 3
    return total


PROGRAMS = [log_of_positive, entropy, sinc, root_behind_a_chain, not_taken_first, selected,
            overwritten, replaced, masked_ufunc, distances, chained_conditions, scalars,
            roots_by_a_mask, roots_times_a_mask, distances_of_others, second_nearest,
            inverse_where_positive, without_the_diagonal, all_but_the_diagonal,
            inverse_of_others, asked_for_in_a_loop, one_by_one]


def _derivative(function, x, i):
    """Central differences where the point is smooth; one-sided branches are constant there."""
    step = 1e-6
    out = []
    for sign in (1, -1):
        moved = x.copy()
        moved[i] += sign * step
        out.append(function(moved))
    return (out[0] - out[1]) / (2 * step)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_hidden_values_stay_hidden(program):
    x = np.array([0.0, 1.5, 0.7, -1.0, 2.5])
    with np.errstate(all="ignore"):
        gradient = sg.grad(program)(x)
        assert np.all(np.isfinite(gradient)), gradient
        for i in range(1, len(x)):
            assert gradient[i] == pytest.approx(_derivative(program, x, i), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not all_but_the_diagonal],
                         ids=lambda f: f.__name__)
def test_hidden_values_stay_hidden_forwards(program):
    x = np.array([0.0, 1.5, 0.7, -1.0, 2.5])
    with np.errstate(all="ignore"):
        gradient = sg.grad(program)(x)
        for i, unit in enumerate(np.eye(len(x))):
            assert sg.jvp(program, (x,), (unit,))[1] == pytest.approx(gradient[i])


def test_tangents_of_tangents():
    """Of a sum, too, which is the number that it starts from where there is nothing to add."""
    x = np.array([0.5, 1.5, 0.7])
    for program in (one_by_one, scalars):
        want = sg.hessian(program)(x)
        for nested in (sg.jacfwd(sg.jacfwd(program)), sg.jacrev(sg.jacfwd(program))):
            assert nested(x) == pytest.approx(want)


@pytest.mark.parametrize("program", [log_of_positive, entropy, sinc, selected, overwritten,
                                     chained_conditions, roots_by_a_mask, roots_times_a_mask,
                                     one_by_one], ids=lambda f: f.__name__)
def test_second_derivatives_too(program):
    x = np.array([0.0, 1.5, 0.7, -1.0])
    with np.errstate(all="ignore"):
        second = sg.hessian(program)(x)
        assert np.all(np.isfinite(second)), second
        for i in range(1, len(x)):
            want = _derivative(lambda p: sg.grad(program)(p)[i], x, i)
            assert second[i, i] == pytest.approx(want, rel=1e-5, abs=1e-6)


def test_one_where_is_left():
    df = sg.grad(entropy)
    df(np.array([1.0, 2.0]))
    body = df.source().partition("# ---- backward")[2]
    lines = [line for line in body.splitlines() if not line.strip().startswith("#")]
    assert "\n".join(lines).count("np.where") <= 2  # of the result and of what it is divided by


def root_of_positive(x):
    return np.sum(np.where(x > 0, np.sqrt(np.maximum(x, 0)), 0))


def quotient_elsewhere(x):
    return np.sum(np.divide(1.0, x, out=np.zeros_like(x), where=x > 0))


def roots_cleared(x):
    y = np.sqrt(np.abs(x))
    y[x <= 0] = 0.0
    return np.sum(y)


def differences_above(x):
    return np.sum(np.triu(np.sqrt(np.abs(x[:, None] - x[None, :])), 1)[:1, 1:])


def fractional_power(x):
    return np.sum(np.where(x != 0, np.abs(x) ** 0.5, 0.0))


def inside_the_domain(x):
    return np.sum(np.where(np.abs(x) < 1, np.arcsin(np.clip(x, -1, 1)), 0.0))


def selected_root(x):
    return np.sum(np.select([x > 1, x > 0], [np.sqrt(np.maximum(x - 1, 0)), x], 0.0))


def product_of_roots(x):
    return np.sum(np.where(x > 0, np.sqrt(np.maximum(x, 0)) * np.cbrt(np.maximum(x, 0)), x))


def safe_direction(x):
    r = np.sqrt(x * x * (x > 0))
    return np.sum(np.where(r > 0, x / np.where(r > 0, r, 1), 0.0))


@pytest.mark.parametrize("program", [
    root_of_positive, quotient_elsewhere, roots_cleared, differences_above, fractional_power,
    inside_the_domain, selected_root, product_of_roots, safe_direction, masked_ufunc],
    ids=lambda f: f.__name__)
def test_hidden_values_neither_warn_nor_raise(program):
    x = np.array([0.0, 1.5, 0.7, -1.0, 1.0, 2.5])
    with np.errstate(all="raise", under="ignore"):
        program(x)
        gradient = sg.grad(program)(x)
        assert np.all(np.isfinite(gradient))
        assert np.all(np.isfinite(sg.jacobian(sg.grad(program))(x)))
    for i in (1, 2, 5):
        assert gradient[i] == pytest.approx(_derivative(program, x, i), rel=1e-6, abs=1e-7)


def items(x):
    total = 0.0
    for i in range(len(x)):
        total = total + np.where(x[i] > 0, np.sqrt(x[i]), x[i] ** 2) * x[i]
    return total


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.where(x > 0, np.sqrt(x), x ** 2) * x) * i
    return total


def before_a_loop(x):
    root, total = np.sqrt(x), 0.0
    for i in range(3):
        total = total + np.sum(np.where(x > 0, root, x ** 2) * x) * i
    return total


def until_enough(x):
    total, k = 0.0, 0
    while k < 3 and total < 100.0:
        total = total + np.sum(np.where(x > 0, 3.0 * np.sqrt(x) + 1.0, x ** 2) * x)
        k += 1
    return total


def into_a_list(x):
    rows = []
    for i in range(3):
        rows.append(np.where(x > 0, np.sqrt(x) * (i + 1), x * x))
    return np.sum(np.stack(rows) ** 3)


def repulsion(x):
    energy = 0.0
    for i in range(len(x)):
        d = x - x[i]
        r = np.sqrt(d * d)
        energy += np.sum(np.where(r > 0, 1 / r, 0.0))
    return energy


@pytest.mark.parametrize("program", [items, in_a_loop, before_a_loop, until_enough, into_a_list,
                                     repulsion], ids=lambda f: f.__name__)
def test_hidden_values_stay_hidden_across_loops(program):
    """A cotangent that a loop adds up is zero where each iteration hides the value."""
    x = np.array([0.0, 1.5, 0.7, -1.0, 2.5])
    with np.errstate(all="ignore"):
        gradient, second = sg.grad(program)(x), sg.hessian(program)(x)
        assert np.all(np.isfinite(gradient)) and np.all(np.isfinite(second)), (gradient, second)
        for i in range(1, len(x)):
            assert gradient[i] == pytest.approx(_derivative(program, x, i), rel=1e-6, abs=1e-6)
            want = _derivative(sg.grad(program), x, i)
            assert second[1:, i] == pytest.approx(want[1:], rel=1e-5, abs=1e-4)


def test_a_zero_that_nothing_hides_is_not_covered():
    """Zero times infinity stays NaN where the program itself looks at the root, and the factor
    of a root that is seen keeps its derivative."""
    def seen(x, y):
        root, total = np.sqrt(x), 0.0
        for _ in range(2):
            total = total + np.where(x >= 0, root, 0.0) * y + 0.0 * root
        return total

    with np.errstate(all="ignore"):
        assert np.isnan(sg.grad(seen)(np.float64(0.0), np.float64(0.0)))
    mixed = sg.grad(lambda x: sg.grad(seen, argnums=1)(x, np.float64(0.0)))(np.float64(4.0))
    assert mixed == pytest.approx(0.5)


def by_arrays(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-np.sqrt(d * d))) + np.sum(np.einsum("ij,ij->i", d, d) ** 0.5)


def test_distances_from_itself():
    f = by_arrays
    x, v = np.array([0.3, 0.9, 1.4, 0.2]), np.array([0.4, -0.2, 0.1, 0.5])
    step = 1e-6
    slope = (f(x + step * v) - f(x - step * v)) / (2 * step)
    df = sg.grad(f)
    assert df(x) @ v == pytest.approx(slope)
    assert sg.jvp(f, (x,), (v,))[1] == pytest.approx(slope)
    curved = (df(x + step * v) - df(x - step * v)) / (2 * step)
    np.testing.assert_allclose(sg.hvp(f)(x, v), curved, rtol=1e-6, atol=1e-8)
