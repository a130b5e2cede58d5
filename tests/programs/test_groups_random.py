"""Random programs that put numbers into groups, which have several names."""

from __future__ import annotations

import group_generator
import numpy as np
import pytest
from random_gradients import serves

import srcgrad as sg


@pytest.mark.parametrize("start", range(0, 80, 20))
def test_programs(start: int) -> None:
    assert sum(serves(group_generator, seed) for seed in range(start, start + 20)) >= 17


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_many_programs(start: int) -> None:
    assert sum(serves(group_generator, seed) for seed in range(start, start + 20)) >= 16


def runs(x):
    found, run = [], []
    for v in x:
        if v > 0.5:
            found.append(run)
            run = []
        run.append(v * v)
    found.append(run)
    return found, run


def test_what_is_returned():
    x = np.array([0.2, 0.7, 0.1, 0.6, 0.35])
    assert sg.jit(runs)(x) == runs(x)
    assert sg.jit(lambda x: runs(x)[1])(x) == runs(x)[1]


@pytest.mark.parametrize("last", [list.append, lambda out, run: out.extend([run]),
                                  lambda out, run: out.__setitem__(slice(None), [run])])
def test_what_the_world_outside_gets_changes_there_too(last):
    """... or is refused: never a copy that stays as it was."""
    def program(x, out):
        found, run = runs(x)
        last(out, run)
        run.append(x[0])
        return sum(run)

    x, plain, traced = np.array([0.2, 0.7, 0.1]), [], []
    expected = program(x, plain)
    try:
        value = sg.jit(program)(x, traced)
    except sg.SrcgradError:
        return
    assert value == expected and traced == plain
