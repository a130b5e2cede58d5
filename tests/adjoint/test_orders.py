"""Random source programs: forward mode, the split form and second derivatives agree."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))

from chain import run_quietly
from generator import arguments, program
from orders import check_first, check_second

import srcgrad as sg


def run(seed):
    """Check one program; False if it was refused (an alias that depends on data)."""
    fn, text = program(seed)
    args = arguments(seed)
    if not np.isfinite(run_quietly(fn, copy.deepcopy(args))):
        return True
    try:
        check_first(fn, args)
        check_second(fn, args)
    except sg.SrcgradError:
        return False
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{text}\n{error}") from error
    return True


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_programs(start):
    done = [run(seed) for seed in range(start, start + 10)]
    assert sum(done) >= 5, "more than half of the programs were refused"


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(2000, 2400, 20))
def test_many_programs(start):
    for seed in range(start, start + 20):
        run(seed)


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
