"""``try`` around code that changes things, generators and iterators, through the chain."""

from __future__ import annotations

import contextlib
import copy
import io
from pathlib import Path
from typing import Any

import numpy as np
import path_attempts
import path_handlers
import path_items
import path_queues
import pytest
from chain import check, check_exported, check_gradients, check_orders, floats, run_quietly

import srcgrad as sg
from srcgrad.types.tree import flatten

PROGRAMS = [pytest.param(fn, args, id=f"{module.__name__}-{fn.__name__}")
            for module in (path_attempts, path_handlers, path_items, path_queues) for fn, args in module.CASES]


def outcome(run: Any, args: tuple[Any, ...]) -> tuple[Any, str, str]:
    """The value or exception, the arguments afterwards, and what was printed."""
    printed = io.StringIO()
    result: Any
    with contextlib.redirect_stdout(printed):
        try:
            result = repr(run_quietly(run, args))
        except sg.SrcgradError:
            raise
        except Exception as error:
            result = (type(error), str(error))
    return result, repr(args), printed.getvalue()


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_every_path_is_the_programs(fn: Any, args: tuple[Any, ...]) -> None:
    places = floats(args)
    derivative = sg.value_and_grad(fn, argnums=places)
    for given in (args, *fn.others):
        want = outcome(fn, copy.deepcopy(given))
        assert outcome(lambda *a: derivative(*a)[0], copy.deepcopy(given)) == want
        if not isinstance(want[0], tuple) and all(
                np.isfinite(v).all() for p in places for v in flatten(given[p])[0]):
            with contextlib.redirect_stdout(io.StringIO()):
                _, slopes = run_quietly(derivative, copy.deepcopy(given))
                check_gradients(fn, given, places, slopes, derivative)


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program_at_length(fn: Any, args: tuple[Any, ...], tmp_path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        check(fn, args)
        check_orders(fn, args)
        check_exported(fn, args, tmp_path)


def test_what_a_body_did_before_it_raised_is_done_once() -> None:
    def program(a: Any, x: Any) -> Any:
        try:
            x[0] = 2.0 * x[0]
            z = np.linalg.inv(a) @ x
        except np.linalg.LinAlgError:
            z = x * x
        return np.sum(z)

    text = sg.jit(program).source(np.eye(2), np.ones(2))
    assert text.count("x[0] = 2.0 * x[0]") == 1


def test_a_recursive_function_that_may_raise_is_refused_in_a_try() -> None:
    def power(x: float, n: int) -> float:
        if n == 0:
            return x ** 0.5 / (x - 1.0)
        return power(x - 0.5, n - 1) * x

    def program(x: float, n: int) -> float:
        try:
            return power(x, n)
        except ZeroDivisionError:
            return 2.0 * x

    with pytest.raises(sg.UnsupportedSyntax, match="in calls of 'power'"):
        sg.grad(program)(3.0, 2)


def test_a_loop_over_a_generator_is_a_loop() -> None:
    def scaled(x: Any) -> Any:
        for v in x:
            if v > 0.0:
                yield 2.0 * v

    def program(x: Any) -> Any:
        total = 0.0
        for v in scaled(x):
            total += v * v
        return total

    gradient = sg.grad(program)
    assert "for i in reversed(range(" in gradient.source(np.ones(3))
    gradient(np.ones(3))
    gradient(np.ones(5))
    assert gradient.cache_info().misses == 1


def cleaned_up_in_a_loop(x, n):
    for i in range(len(x)):
        try:
            n += np.sin(x[i])
            if n > 4.0:
                raise ValueError(i)
        finally:
            x[i] = np.exp(x[i]) * x[i]
    return n + x[1] * np.exp(x[0])


def cleaned_up_and_left(x, n):
    for i in range(len(x)):
        try:
            if x[i] > 0.8:
                return x[i] * n
            n += 0.25
        finally:
            x[i] *= 1.5
    return n + x[1] * x[0] * 1.5


@pytest.mark.parametrize("program", [cleaned_up_in_a_loop, cleaned_up_and_left])
def test_what_is_cleaned_up_has_tangents_where_nothing_is_raised(program):
    x = np.array([0.1, 0.3, 0.2])
    _, moved = sg.jvp(program, (x.copy(), 1.0), (np.ones(3), 0.5))
    slopes = sg.grad(program, argnums=(0, 1))(x.copy(), 1.0)
    ends = [program(x + s, 1.0 + 0.5 * s) for s in (1e-6, -1e-6)]
    assert np.isclose(moved, np.sum(slopes[0]) + 0.5 * slopes[1])
    assert np.isclose(moved, (ends[0] - ends[1]) / 2e-6)
