"""Random source programs: forward mode, the split form and second derivatives agree."""

from __future__ import annotations

import copy

import aliasing
import chain
import kinds_programs
import numpy as np
import numpy_style
import objects
import practice
import pytest
import tricky
import uneven_programs
from generator import arguments, program
from orders import check_first, check_second, check_third
from source_programs import SOURCES
from wide import wide_arguments, wide_program

import srcgrad as sg

SMALL = [*uneven_programs.CASES, *kinds_programs.CASES]


@pytest.mark.parametrize(("fn", "args"), SMALL, ids=[fn.__name__ for fn, _ in SMALL])
def test_small_programs(fn, args):
    chain.check(fn, args)
    check_first(fn, args)
    check_second(fn, args)


def run(seed, wide=False, third=False):
    """Check one program; False if it was refused (an alias that depends on data)."""
    fn, text = wide_program(seed) if wide else program(seed)
    args = wide_arguments(seed) if wide else arguments(seed)
    try:
        value = chain.run_quietly(fn, copy.deepcopy(args))
    except ValueError:  # sizes that do not fit, which the derivatives meet here or elsewhere
        with pytest.raises((ValueError, TypeError)):
            chain.run_quietly(sg.grad(fn), copy.deepcopy(args))
        return True
    if not np.isfinite(value):
        return True
    try:
        check_first(fn, args)
        check_second(fn, args)
        if third:
            check_third(fn, args)
    except sg.SrcgradError:
        return False
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{text}\n{error}") from error
    return True


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_programs(start):
    done = [run(seed) for seed in range(start, start + 10)]
    assert sum(done) >= 5, "more than half of the programs were refused"


def test_third_order():
    assert all([run(seed, wide, True) for seed, wide in ((1, False), (2, False), (1, True))])


@pytest.mark.parametrize("start", range(0, 12, 4))
def test_wide_programs(start):
    assert all([run(seed, True) for seed in range(start, start + 4)])


def test_numbers_kept_in_lists_of_lists():
    """Cotangents of such lists are added element by element, not joined as lists."""
    assert all([run(seed, True, True) for seed in (2004, 2020)])


@pytest.mark.long
def test_residuals_of_branches_not_taken():
    """What a branch keeps is absent where another one is taken, and so is its cotangent."""
    assert all([run(seed, True, True) for seed in (2040, 2072, 3143, 3168)])


def test_lists_hold_what_earlier_iterations_left():
    """A tangent kept in a list is not written to in a later iteration."""
    assert run(3056, True)


def test_functions_that_a_loop_defines_again():
    """A function made in a branch that returns is not one more thing in each iteration."""
    assert run(2144, True)


def follows_its_data(x, n):
    """Which function comes next is told after a branch that may leave the loop."""
    v, t, f = x * 1.0, 0.0, np.sin
    for _ in range(n):
        v = f(v) * 1.5
        if np.sum(v) > 1.9:
            t = np.sum(v) * 2.0
            break
        if np.sum(v) > 1.0:
            f = np.cos
        elif np.sum(v) > 0.8:
            f = np.tanh
    return np.sum(v) + t


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def step(self, v):
        return np.tanh(v) * self.factor


class Shifted(Scaled):
    def step(self, v):
        return v * self.factor + 0.1


class Bent:
    def step(self, v):
        return np.sin(v)


def follows_its_objects(x, n):
    v, a, b, c = x * 1.0, Scaled(0.9), Shifted(1.2), Bent()
    o = a
    for _ in range(n):
        v = o.step(v) + 0.2
        if np.sum(v) > 1.9:
            return np.sum(v) * 2.0
        if np.sum(v) > 1.4:
            o = None
        elif np.sum(v) > 1.0:
            o = b if v[0] < 0.7 else a
        elif np.sum(v) > 0.8:
            o = c
        if o is None:
            o = c
        v = v + 0.1
    return np.sum(v)


@pytest.mark.parametrize("fn", [follows_its_data, follows_its_objects])
def test_one_of_several_things_beside_a_jump(fn):
    """What tells which thing it is reads the outcomes of the branch that jumps."""
    for x in ([0.3, 0.4], [1.0, 0.2], [0.1, 0.2], [0.5, 0.52]):
        args = (np.array(x), 4)
        _, expected = check_first(fn, args)
        np.testing.assert_allclose(sg.grad(fn)(*args), expected[0], rtol=1e-12)


def scaled_by_slope(f, factor):
    def scaled(x):
        total = 0.0
        for d in sg.grad(f)(x):
            total += factor * d
        return total
    return scaled


def test_closures_of_one_code_are_not_recursion():
    third = scaled_by_slope(scaled_by_slope(lambda x: np.sum(x ** 4), 2.0), 3.0)
    df = sg.grad(third)
    assert np.allclose(df(np.array([1.0, 2.0])), [144.0, 288.0])
    assert "_forward" not in df.source(np.array([1.0, 2.0]))


def test_rows_kept_in_lists():
    """An array of rows of which each was kept in a list: no row may stay unwritten."""
    assert run(311, True)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(2000, 2400, 20))
def test_many_programs(start):
    for seed in range(start, start + 20):
        run(seed, third=seed % 10 == 0)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(2000, 2200, 10))
def test_many_wide_programs(start):
    for seed in range(start, start + 10):
        run(seed, True, third=seed % 5 == 0)


def test_linearization_point_is_kept():
    """The function runs once: what it or the caller writes to its argument later is not seen."""
    def f(x):
        x *= 2.0
        return np.sum(x ** 3)

    x = np.array([1.0, 2.0])
    out, push = sg.linearize(f, x)
    assert out == 72.0 and list(x) == [2.0, 4.0]
    x[...] = 9.0
    assert push(np.array([1.0, 0.0])) == push(np.array([1.0, 0.0])) == 24.0
    calls = []

    def g(x):
        calls.append(1)
        x += 1.0
        return x ** 2

    for jacobian in (sg.jacfwd, sg.jacrev, sg.jacobian):
        x, before = np.array([1.0, 2.0]), len(calls)
        np.testing.assert_array_equal(jacobian(g)(x), [[4.0, 0.0], [0.0, 6.0]])
        assert len(calls) == before + 1 and list(x) == [2.0, 3.0]


def returned_twice(x):
    y = x * 2.0
    return y, y


def test_cotangents_of_one_value_at_two_places_add_up():
    _, pullback = sg.vjp(returned_twice, np.ones(2))
    assert list(pullback((np.ones(2), 3.0 * np.ones(2)))[0]) == [8.0, 8.0]


def test_tangents_own_their_memory():
    direction = np.ones(2)
    _, moved = sg.jvp(lambda x: (x, x.T), (np.ones(2),), (direction,))
    for i, t in enumerate(moved):
        assert not np.shares_memory(t, direction)
        assert not any(np.shares_memory(t, other) for other in moved[:i])


def test_kept_arrays_are_copied():
    """A pullback's list of arrays may hold the caller's own."""
    def f(x, y):
        a, t = y * 2.0, 0.0
        for _ in range(3):
            t += np.sum(x * a)
            a = x
        return t

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    _, pullback = sg.vjp(f, x, y)
    x[...] = y[...] = 7.0
    found = pullback(1.0)
    assert [list(g) for g in found] == [[10.0, 16.0], [2.0, 4.0]]


CORPORA = [(m.__name__, fn, args) for m in (tricky, aliasing, objects, practice, numpy_style)
           for fn, args in m.CASES]
CORPORA += [("source", fn, tuple(args)) for fn, args, _ in SOURCES.values()]


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), [c[1:] for c in CORPORA],
                         ids=[f"{c[0]}-{c[1].__name__}" for c in CORPORA])
def test_handwritten_programs(fn, args):
    check_first(fn, args)
    check_second(fn, args)


@pytest.mark.parametrize("seed", [4, 21, 27])
def test_float32_stays(seed):
    """Gradients have their argument's dtype, whatever numbers the program mixes in."""
    fn, _ = wide_program(seed)
    args = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in wide_arguments(seed)]
    value, grads = sg.value_and_grad(fn, argnums=(0, 1, 2, 3))(*copy.deepcopy(args))
    assert [np.asarray(g).dtype.itemsize for g in grads] == [4, 4, 4, 8]
    tangents = [np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args[:4]]
    _, moved = sg.jvp(fn, copy.deepcopy(args), [*tangents, None])
    assert np.isclose(moved, sum(np.sum(g) for g in grads), rtol=1e-3)
