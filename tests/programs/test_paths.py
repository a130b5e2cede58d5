"""Random programs of state that depends on the path, and of exceptions, through the chain."""

from __future__ import annotations

import contextlib
import copy
import io
from typing import Any

import numpy as np
import pytest
from chain import check, check_orders, run_quietly
from path_generator import arguments, program

import srcgrad as sg


def outcome(run: Any, args: tuple[Any, ...]) -> tuple[Any, str, str]:
    """The value or exception, what was done to the log, and what was printed."""
    printed = io.StringIO()
    result: Any
    with contextlib.redirect_stdout(printed):
        try:
            result = repr(run_quietly(run, args))
        except sg.SrcgradError:
            raise
        except Exception as error:
            result = (type(error), str(error))
    return result, repr(args[2]), printed.getvalue()


def run(seed: int, effects: bool = False, orders: bool = False) -> bool:
    """Check the program of a seed; False if it was refused."""
    fn, text = program(seed, effects)
    args = arguments(seed)
    want = outcome(fn, copy.deepcopy(args))
    derivative = sg.value_and_grad(fn, argnums=(0, 1))
    try:
        assert outcome(lambda *a: derivative(*a)[0], copy.deepcopy(args)) == want, text
        if isinstance(want[0], tuple) or not np.isfinite(run_quietly(fn, copy.deepcopy(args))):
            return True
        with contextlib.redirect_stdout(io.StringIO()):
            check(fn, args, passes=seed % 4 == 0)
            if orders and not effects:
                check_orders(lambda x, y: fn(x, y, []), args[:2])
    except sg.SrcgradError:
        return False
    return True


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_programs(start: int) -> None:
    done = [run(seed) for seed in range(start, start + 10)]
    assert sum(done) >= 8, "more than a fifth of the programs was refused"


def test_statements_within_statements_do_not_take_for_ever() -> None:
    fn, _ = program(51067, False)
    with pytest.raises(sg.UnsupportedSyntax, match="too many of its operations may raise"):
        sg.grad(fn)(*arguments(51067))


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(100, 300, 20))
def test_many_programs(start: int) -> None:
    done = [run(seed) for seed in range(start, start + 20)]
    assert sum(done) >= 15, "more than a quarter of the programs was refused"


def test_the_split_form_keeps_unbound_values() -> None:
    """A loop that starts from an unbound value keeps None for it: the pullback of ``vjp`` too."""
    def program(x: Any) -> Any:
        held: dict[str, Any] = {}
        for v in x:
            if "k" not in held:
                held["k"] = v * 2.0
            else:
                held["k"] = held["k"] * v + 1.0
        return held["k"]

    x = np.array([0.3, -1.0, 2.0, 0.7])
    _, pullback = sg.vjp(program, x)
    assert np.allclose(pullback(1.0)[0], sg.grad(program)(x))
