"""Loops over numbers that are written in the program, and over places of arrays, are loops in the text too."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from chain import same

import srcgrad as sg

BODY = """
        t = 0.0
        for step in range(20):
            s = r * i - 0.5 * t + j
            if s < 0.001:
                grid[i, j] += t * r
                break
            t += s
    return np.sum(grid ** 2)
"""
HEADS = {
    "pairs": "for i, j in [{}]:".format(", ".join(f"({k % 3}, {k % 4})" for k in range(12))),
    "pairs_in_a_tuple": "for i, j in ({}):".format(", ".join(f"({k % 3}, {k % 2})" for k in range(9))),
    "neighbours": "for i, j in [(1, 0), (-1, 0), (0, 1), (0, -1)]:",
    "weights": "for i, j, r in [(0, 1, 0.3), (1, 2, 0.1), (2, 3, r_0), (1, 1, 0.2)]:",
    "weights_alone": "for i, j, w in [(0, 1, 0.3), (1, 2, 0.1), (2, 3, 0.5), (1, 1, 0.2)]:",
    "places": "for i, j in np.ndindex(3, 4):",
    "places_of_a_shape": "for i, j in np.ndindex(grid.shape):",
    "elements": "for (i, j), v in np.ndenumerate(grid):",
    "made_of_places": "for i, j in map(lambda k: (k // 4, k % 4), range(12)):",
    "no_places": "for i, j in np.ndindex(0, 4):",
}


def program_of(head):
    text = f"def program(r):\n    grid, r_0 = np.ones((3, 4)), r\n    {head}{BODY}"
    linecache.cache[head] = (len(text), None, text.splitlines(True), head)
    namespace = {"np": np}
    exec(compile(text, head, "exec"), namespace)
    return namespace["program"]


@pytest.mark.parametrize("name", HEADS)
def test_a_loop_stays_one(name):
    program = program_of(HEADS[name])
    derivative = sg.value_and_grad(program)
    for r in (0.3, -0.4, 2.0):
        value, slope = derivative(r)
        assert same(value, program(r))
        assert np.isclose(slope, (program(r + 1e-7) - program(r - 1e-7)) / 2e-7, rtol=1e-5, atol=1e-6)
    if name != "weights":  # what it holds is not all written there
        assert len(derivative.source(0.3).splitlines()) < 55


def test_a_place_has_no_negative_size():
    with pytest.raises(ValueError, match="negative dimensions"):
        sg.grad(lambda x: x * len(list(np.ndindex(2, -1))))(1.0)
