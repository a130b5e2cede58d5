"""Random programs over lists of objects have the values, slopes and exceptions of plain Python."""

from __future__ import annotations

import collections
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg

sys.path.insert(0, str(Path(__file__).parent))

import object_generator  # noqa: E402
from chain import close, differences, run_quietly  # noqa: E402

MOST_REFUSED = 0.04


def outcome(seed, rich):
    """Check one random program; what became of it."""
    fn, source = object_generator.program(seed, rich)
    df = sg.value_and_grad(fn)
    for size in (5, 11):
        args = object_generator.arguments(seed, size)
        try:
            want = run_quietly(fn, args)
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, args)
            return "raises"
        if not abs(want) < 1e6:
            return "overflow"
        try:
            value, slope = run_quietly(df, args)
        except sg.SrcgradError:
            return "refused"
        assert value == want, source
        if size == 5:
            near = [differences(fn, args, 0, step)[0] for step in (1e-6, 1e-5)]
            if close(near[0], near[1], 1e-3):  # no kink
                assert any(close(slope, d, 1e-4) for d in near), source
    return "right"


@pytest.mark.parametrize("rich", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_random(seed, rich):
    outcome(seed, rich)


@pytest.mark.sweep
@pytest.mark.parametrize("rich", [False, True])
@pytest.mark.parametrize("block", range(8))
def test_more(block, rich):
    found = collections.Counter(outcome(seed, rich)
                                for seed in range(8 + 50 * block, 58 + 50 * block))
    assert found["refused"] <= max(1, MOST_REFUSED * found.total()), found
    assert np.divide(found["right"], found.total()) > 0.8, found
