"""Random programs through the whole chain; what is refused must be refused, not wrong."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import inspect
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chain import check, check_orders, run_quietly, same
from generator import arguments, made, program, programs
from generator_wide import wide_program
from hypothesis import HealthCheck, given, settings

import srcgrad as sg


def checked(fn: Any, text: str, args: tuple[Any, ...], passes: bool) -> bool:
    """Check one program; False if it was refused."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            value = run_quietly(fn, copy.deepcopy(args))
        except (ArithmeticError, LookupError, TypeError, ValueError, NameError):
            return True  # the program is wrong in itself
        if not np.isfinite(value):
            return True
        try:
            check(fn, args, passes=passes)
        except sg.SrcgradError:
            return False
        except Exception as error:
            raise AssertionError(f"{text}\n{error!r}") from error
    return True


def run(seed: int, rich: bool = False) -> bool:
    """Check the program of a seed; False if it was refused."""
    fn, text = program(seed, rich=rich)
    return checked(fn, text, arguments(seed), seed % 4 == 0)


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_programs(start: int) -> None:
    done = [run(seed) for seed in range(start, start + 10)]
    assert sum(done) >= 8, "more than a fifth of the programs was refused"


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_rich_programs(start: int) -> None:
    """With containers, objects, closures, swaps, callables, ``try`` and effects."""
    done = [run(seed, True) for seed in range(start, start + 10)]
    assert sum(done) >= 7, "too many of the programs were refused"


@pytest.mark.parametrize("start", range(0, 20, 10))
def test_wide_programs(start: int) -> None:
    """With classes over containers, enumerations, settings, kept iterators, callbacks."""
    done = [checked(*wide_program(seed), arguments(seed), False)
            for seed in range(start, start + 10)]
    assert sum(done) >= 7, "too many of the programs were refused"


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(100, 200, 20))
def test_many_wide_programs(start: int) -> None:
    """Order 2 and forward mode on a sample."""
    for seed in range(start, start + 20):
        fn, text = wide_program(seed)
        if checked(fn, text, arguments(seed), seed % 4 == 0) and seed % 10 == 0:
            with contextlib.suppress(sg.SrcgradError, ArithmeticError, LookupError, TypeError,
                                     ValueError, NameError):
                check_orders(fn, arguments(seed))


@pytest.mark.long
@settings(max_examples=20, deadline=None, derandomize=True, database=None,
          suppress_health_check=list(HealthCheck))
@given(text=programs(size=6))
def test_any_program(text: str) -> None:
    checked(made(text, "any"), text, arguments(7), False)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1200, 20))
def test_many_programs(start: int) -> None:
    for seed in range(start, start + 20):
        run(seed)
        run(seed, True)


@pytest.mark.sweep
@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(text=programs(size=12))
def test_any_program_at_length(text: str) -> None:
    checked(made(text, "any"), text, arguments(11), True)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(500, 530))
def test_exported(seed: int, tmp_path: Path) -> None:
    """The file that is written gives the same bits."""
    fn, _ = program(seed, rich=True)
    args = arguments(seed)
    df = sg.value_and_grad(fn, argnums=(0, 1, 2))
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            want = run_quietly(df, copy.deepcopy(args))
            path = df.export(tmp_path / "exported.py", *copy.deepcopy(args))
        except (sg.SrcgradError, ArithmeticError, LookupError, TypeError, ValueError, NameError):
            return
        spec = importlib.util.spec_from_file_location("exported", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        exported = module.program_value_and_grad
        captured = {p.name: copy.deepcopy(fn.__globals__[p.name])
                    for p in inspect.signature(exported).parameters.values()
                    if p.kind is p.KEYWORD_ONLY and p.default is p.empty}
        assert same(run_quietly(lambda *a: exported(*a, **captured), copy.deepcopy(args)), want)
