"""Random programs that put numbers into groups, which have several names."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from chain import run_quietly
from group_generator import arguments, program

import srcgrad as sg


def run(seed: int) -> bool:
    """Is the program not refused?  Its value is that of Python bit for bit, for several sizes, or it
    raises as Python does; its gradient is that of differences where these settle."""
    fn, text = program(seed)
    df = sg.value_and_grad(fn)
    stream = np.random.default_rng(seed)
    for args in arguments(seed):
        try:
            want = run_quietly(fn, copy.deepcopy(args))
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, copy.deepcopy(args))
            continue
        try:
            value, slope = run_quietly(df, copy.deepcopy(args))
        except sg.SrcgradError:
            return False
        assert value == want, text
        way = stream.normal(size=args[0].shape)
        slopes = [(run_quietly(fn, (args[0] + h * way,)) - run_quietly(
            fn, (args[0] - h * way,))) / (2 * h) for h in (1e-6, 1e-5)]
        if abs(slopes[0] - slopes[1]) < 1e-5 * max(1.0, abs(slopes[0])):
            assert np.sum(slope * way) == pytest.approx(slopes[0], rel=1e-4, abs=1e-4), text
    return True


@pytest.mark.parametrize("start", range(0, 80, 20))
def test_programs(start: int) -> None:
    assert sum(map(run, range(start, start + 20))) >= 17


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_many_programs(start: int) -> None:
    assert sum(map(run, range(start, start + 20))) >= 16


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
