"""Random programs over objects from outside that refer to one another do what plain Python does."""

from __future__ import annotations

import collections
import copy

import graph_generator
import numpy as np
import pytest
from chain import close, run_quietly
from test_objects_found import seen

import srcgrad as sg

MOST_REFUSED = 0.04
X = np.array([0.7, -0.4])


def slopes(fn, given, step):
    """Differences to one side."""
    return [(run_quietly(fn, (X + step * way, *copy.deepcopy(given)))
             - run_quietly(fn, (X, *copy.deepcopy(given)))) / step for way in np.eye(len(X))]


def outcome(seed):
    """Check one random program; what became of it, and of how many signatures there is code."""
    fn, source = graph_generator.program(seed)
    df = sg.value_and_grad(fn)
    for size in (4, 7):
        given = graph_generator.arguments(seed, size, fn)
        plain, traced = copy.deepcopy(given), copy.deepcopy(given)
        try:
            want = run_quietly(fn, (X, *plain))
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, (X, *traced))
            return "raises"
        if not abs(want) < 1e6:
            return "overflow"
        try:
            value, slope = run_quietly(df, (X, *traced))
        except sg.SrcgradError:
            return "refused"
        assert value == want, source
        assert seen(plain, {}) == seen(traced, {}), source
        if size == 4:
            sides = [slopes(fn, given, step) for step in (1e-6, -1e-6)]
            if close(*sides, 1e-3):  # no kink
                assert close(slope, np.mean(sides, axis=0), 1e-4), source
    return "one text" if len(df._entries) == 1 else "two texts"


@pytest.mark.parametrize("seed", range(10))
def test_random(seed):
    outcome(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("block", range(10))
def test_more(block):
    found = collections.Counter(outcome(seed) for seed in range(10 + 30 * block, 40 + 30 * block))
    assert found["refused"] <= max(1, MOST_REFUSED * found.total()), found
