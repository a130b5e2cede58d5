"""Random programs that may raise: every mode raises what plain Python raises, or gives a number
where it does, and leaves the arguments as plain Python leaves them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from raising_generator import CALLS, program
from test_raising import HOW, module_of, outcome

import srcgrad as sg


def run(seed: int) -> int:
    """Check the program of a seed; the number of calls that were refused.

    A gradient alone leaves it to the adjoint of a statement to raise, so of several faults in
    one call it may meet another one first."""
    text, refused = program(seed), 0
    ours = {how: HOW[how](module_of(text).f) for how in ("jit", "grad", "vjp")}
    for call in CALLS:
        given = eval(f"({call},)", {"np": np})
        want = outcome(module_of(text).f, *given)
        for how, function in ours.items():
            taken = eval(f"({call},)", {"np": np})
            try:
                got = outcome(function, *taken)
            except sg.errors.SrcgradError:
                refused += 1
                continue
            where = f"{how} of {call} with seed {seed}: {got}, not {want}\n{text}"
            assert got == want or (how == "grad" and "a value" not in (got, want)), where
            if how == "jit" or (how == "vjp" and want != "a value"):
                assert repr(taken) == repr(given), where
    return refused


REFUSED = {4: 15}  # calls, of fifteen


@pytest.mark.parametrize("seed", range(12))
def test_programs(seed: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(seed) <= REFUSED.get(seed, 0)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1200, 10))
def test_many_programs(start: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(start, start + 10):
            run(seed)
