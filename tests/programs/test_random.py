"""Random programs through the whole chain; what is refused must be refused, not wrong."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from chain import check, run_quietly  # noqa: E402
from generator import arguments, program  # noqa: E402

import srcgrad as sg  # noqa: E402


def run(seed: int) -> bool:
    """Check one program; False if it was refused (an alias that depends on data)."""
    fn, text = program(seed)
    args = arguments(seed)
    value = run_quietly(fn, copy.deepcopy(args))
    if not np.isfinite(value):
        return True
    try:
        check(fn, args, passes=seed % 4 == 0)
    except sg.SrcgradError:
        return False
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{text}\n{error}") from error
    return True


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_programs(start: int) -> None:
    done = [run(seed) for seed in range(start, start + 10)]
    assert sum(done) >= 5, "more than half of the programs were refused"


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1200, 20))
def test_many_programs(start: int) -> None:
    for seed in range(start, start + 20):
        run(seed)
