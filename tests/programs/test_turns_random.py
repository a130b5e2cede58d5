"""Random programs whose names stand for one array after another."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from chain import check, run_quietly
from turn_generator import arguments, program

import srcgrad as sg


def run(seed: int) -> bool:
    """Is the program not refused?"""
    fn, text = program(seed)
    args = arguments(seed)
    if not np.isfinite(run_quietly(fn, copy.deepcopy(args))):
        return True
    try:
        check(fn, args, passes=seed % 4 == 0)
    except sg.SrcgradError:
        return False
    except BaseException:
        print(text)
        raise
    return True


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_programs(start: int) -> None:
    assert sum(map(run, range(start, start + 10))) >= 7


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_many_programs(start: int) -> None:
    assert sum(map(run, range(start, start + 20))) >= 14
