"""Rows of lists of lists by several names: what is read is what Python reads, in the order of the program."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import row_generator
from chain import close, differences, run_quietly, same
from generator import made

import srcgrad as sg


def arguments(seed):
    rng = np.random.default_rng(seed)
    for size in (3, 3, 4):
        yield rng.uniform(0.2, 1.7, (size, size)), float(rng.uniform(0.2, 1.5))


@pytest.mark.parametrize("seed", [*range(24), 36, 67])
def test_program(seed):
    text = row_generator.program(seed)
    fn = made(text, f"rows {seed}")
    df = sg.value_and_grad(fn, argnums=(0, 1))
    for args in arguments(seed):
        want = run_quietly(fn, copy.deepcopy(args))
        value, slopes = run_quietly(df, copy.deepcopy(args))
        assert same(value, want), text
        for place, slope in enumerate(slopes):
            expected = [run_quietly(differences, (fn, args, place, step))[0] for step in (1e-6, 1e-5, 1e-7)]
            known = close(expected[0], expected[1], 1e-3) and close(expected[0], expected[2], 1e-3)  # else a kink
            assert not known or any(close(slope, one, 2e-3) for one in expected), text
