"""What calls, loops and generators hand on: views keep their base, numbers their meaning."""

from __future__ import annotations

import contextlib
import copy
import io

import count_generator
import counted
import name_generator
import numpy as np
import pytest
import view_generator
import views_handed_on
from chain import check, check_orders, run_quietly

import srcgrad as sg

X = np.array([1.2, 0.7, 0.3])
PROGRAMS = [pytest.param(fn, args, id=f"{fn.__name__}-{i}") for module in (counted, views_handed_on)
            for i, (fn, args) in enumerate(module.CASES)]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program(fn, args):
    check(fn, args)


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_orders(fn, args):
    check_orders(fn, args)


def part_of(a, n):
    if n > 0.5:
        return part_of(a, n - 0.5)
    return a[0]


def listed(a, n):
    if n > 0.5:
        return listed(a, n - 0.5) + [a[0]]  # noqa: RUF005
    return [a[0], a[1]]


def keep(a, n, held):
    held.append(a[0])
    return keep(a, n - 0.5, held) if n > 0.5 else n


def returned(x):
    a = np.outer(x, x)
    v = part_of(a, x[0])
    a[0] = x
    return np.sum(v * v)


def returned_of_what_is_around_it(x):
    a = np.outer(x, x)

    def inner(n):
        return inner(n - 0.5) if n > 0.5 else a[0]

    v = inner(x[0])
    v[0] = 3.0
    return np.sum(a * a)


def bound_around_it(x):
    a = np.outer(x, x)
    v = a[1]

    def inner(n):
        nonlocal v
        v = a[0]
        return inner(n - 0.5) if n > 0.5 else n

    scale = inner(x[0])
    a[0] = x
    return np.sum(v * v) * scale


def returned_in_a_list(x):
    a = np.outer(x, x)
    views = listed(a, x[0])
    a[0] = x
    return np.sum(views[0] * views[1])


def kept_in_a_list(x):
    a = np.outer(x, x)
    held = []
    scale = keep(a, x[0], held)
    a[0] = x
    return np.sum(held[0] * held[1]) * scale


@pytest.mark.parametrize("fn", [returned, returned_of_what_is_around_it, bound_around_it,
                                returned_in_a_list, kept_in_a_list])
def test_views_that_calls_hand_back_are_not_lost(fn):
    with pytest.raises(sg.AliasError):
        sg.value_and_grad(fn)(X)


def test_a_generator_that_changes_what_its_own_calls_yield():
    def halved(x, size):
        if size > 0.33:
            for item in halved(x, size * 0.5):
                yield item * 0.5
        yield x[0] * size

    def total(x):
        found = 0.0
        for v in halved(x, x[0]):
            found = found * 0.9 + v
        return found

    with pytest.raises(sg.UnsupportedOperation):
        sg.value_and_grad(total)(X)


def outcome(generator, seed, orders):
    """Check one random program; True if it was refused."""
    fn, text = generator.program(seed)
    args = generator.arguments(seed)
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            if not np.isfinite(run_quietly(fn, copy.deepcopy(args))):
                return False
        except (ArithmeticError, LookupError, TypeError, ValueError, NameError):
            return False
        try:
            check(fn, args, staged=False, passes=orders, oracle=False)
            if orders:
                check_orders(fn, args)
        except sg.SrcgradError:
            return True
        except Exception as error:
            raise AssertionError(f"{text}\n{error!r}") from error
    return False


@pytest.mark.parametrize("generator", [count_generator, name_generator, view_generator])
@pytest.mark.parametrize("seed", range(6))
def test_random(generator, seed):
    outcome(generator, seed, orders=False)


@pytest.mark.sweep
@pytest.mark.parametrize(("generator", "most"), [(count_generator, 6), (name_generator, 12), (view_generator, 20)])
@pytest.mark.parametrize("block", range(8))
def test_random_at_length(generator, most, block):
    seeds = range(100 + 40 * block, 140 + 40 * block)
    refused = sum(outcome(generator, seed, orders=seed % 4 == 0) for seed in seeds)
    assert refused <= most
