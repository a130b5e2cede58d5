"""Random programs over lists of objects have the values, slopes and exceptions of plain Python."""

from __future__ import annotations

import collections
import copy

import numpy as np
import object_generator
import pytest
from chain import close, run_quietly

import srcgrad as sg

MOST_REFUSED = 0.04


def slopes(fn, x, step):
    """Differences to one side."""
    return [(fn(x + step * way) - fn(x)) / step for way in np.eye(len(x))]


def outcome(seed, rich, outside, unlike=False):
    """Check one random program; what became of it."""
    fn, source = object_generator.program(seed, rich, outside, unlike)
    df = sg.value_and_grad(fn)
    for size in (5, 11):
        args = object_generator.arguments(seed, size, fn, unlike)
        plain, traced = copy.deepcopy(args), copy.deepcopy(args)
        try:
            want = run_quietly(fn, plain)
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, traced)
            return "raises"
        if not abs(want) < 1e6:
            return "overflow"
        try:
            value, slope = run_quietly(df, traced)
        except sg.SrcgradError:
            return "refused"
        assert value == want, source
        if outside:
            assert object_generator.state(plain[1]) == object_generator.state(traced[1]), source
        if size == 5:
            sides = [slopes(lambda x, rest=args[1:]: run_quietly(fn, (x, *copy.deepcopy(rest))),
                            args[0], step) for step in (1e-6, -1e-6)]
            if close(*sides, 1e-3):  # no kink
                assert close(slope, np.mean(sides, axis=0), 1e-4), source
    return "right"


KINDS = [(False, False, False), (True, False, False), (False, True, False),
         (False, False, True), (False, True, True)]


@pytest.mark.parametrize(("rich", "outside", "unlike"), KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_random(seed, rich, outside, unlike):
    outcome(seed, rich, outside, unlike)


@pytest.mark.sweep
@pytest.mark.parametrize(("rich", "outside", "unlike"), KINDS)
@pytest.mark.parametrize("block", range(8))
def test_more(block, rich, outside, unlike):
    found = collections.Counter(outcome(seed, rich, outside, unlike)
                                for seed in range(6 + 50 * block, 56 + 50 * block))
    assert found["refused"] <= max(1, MOST_REFUSED * found.total()), found
    assert np.divide(found["right"], found.total()) > 0.7, found
