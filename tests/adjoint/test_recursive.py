"""Random programs with functions that call themselves: the whole chain, and all derivatives to
second order."""

from __future__ import annotations

import copy

import chain
import numpy as np
import pytest
from orders import check_first, check_second
from recursive import recursive_arguments, recursive_program

import srcgrad as sg


def run(seed):
    """Check one program; False if it was refused."""
    fn, text = recursive_program(seed)
    args = recursive_arguments(seed)
    assert np.isfinite(chain.run_quietly(fn, copy.deepcopy(args)))
    try:
        chain.check(fn, args)
        check_first(fn, args)
        check_second(fn, args)
    except sg.SrcgradError:
        return False
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{text}\n{error}") from error
    return True


@pytest.mark.parametrize("start", range(0, 9, 3))
def test_programs(start):
    assert all([run(seed) for seed in range(start, start + 3)])


@pytest.mark.long
def test_outcomes_kept_as_they_were():
    """An outcome of a branch that a loop keeps as a copy, and that is handed on."""
    assert run(34)


@pytest.mark.long
def test_ownership_of_results_is_settled():
    """Whose memory the results of two functions are depends on one another: it is found in the
    end."""
    assert run(61)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1200, 10))
def test_many_programs(start):
    done = [run(seed) for seed in range(start, start + 10)]
    assert sum(done) >= 7, "many of the programs were refused"
