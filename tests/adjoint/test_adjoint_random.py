"""Random programs: gradients of all forms against differences."""

from __future__ import annotations

import numpy as np
import pytest
from check import assert_close, assert_slopes, directions, run
from generate import Program

from srcgrad.adjoint import close, differentiate, jvp, split
from srcgrad.graph.verify import verify
from srcgrad.simplify import simplify

SEEDS = [*range(60), 1140]


def check(seed, second=True):
    program = Program(seed)
    graph, args = program.graph, program.args
    wrt = [0, 1]
    value = run(graph, args)[0]
    plain = close(differentiate(graph, wrt, [0], keep=[0]), final_arrays=False)
    verify(plain)
    found, *grads = run(plain, [*args, 1.0])
    assert found == value
    assert_slopes(grads, lambda a: run(graph, a)[0], args, wrt, 1e-5)
    opened = simplify(differentiate(graph, wrt, [0], keep=[0]))
    best = simplify(close(opened))
    verify(best)
    assert_close(run(best, [*args, 1.0])[1:], grads, 1e-9)
    kept = run(simplify(close(opened, recompute=False)), [*args, 1.0])
    assert all(map(np.array_equal, kept, run(best, [*args, 1.0])))  # bit for bit
    forward, backward = split(best, 1)
    verify(forward)
    verify(backward)
    _, *residuals = run(forward, args)
    for _ in range(2):
        assert_close(run(backward, [*residuals, 1.0]), grads, 1e-9)
    ds = directions(args, wrt)
    pushed = simplify(jvp(graph, wrt, [0]))
    verify(pushed)
    expected = sum(np.sum(g * d) for g, d in zip(grads, ds))
    assert_close(run(pushed, [*args, *ds]), [expected], 1e-9)
    if second:
        best = simplify(close(simplify(differentiate(graph, wrt, [0], keep=[]))))
        verify(best)
        hvp = run(simplify(jvp(best, wrt, [0, 1])), [*args, 1.0, *ds])
        twice = simplify(close(simplify(differentiate(best, wrt, [0, 1], keep=[]))))
        verify(twice)
        assert_close(run(twice, [*args, 1.0, *ds]), hvp, 1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(seed):
    check(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_random_programs_at_length(seed):
    check(seed, second=seed % 4 == 0)
