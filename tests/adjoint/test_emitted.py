"""The emitted text of joint, split, forward-mode and second-order graphs of random programs
gives what the pure interpreter gives."""

from __future__ import annotations

import numpy as np
import pytest
from check import assert_close, directions, run
from generate import Program
from programs import PROGRAMS

from srcgrad.adjoint import close, differentiate, jvp, split
from srcgrad.cache.link import link
from srcgrad.compile.backends import parameter_names
from srcgrad.emit import emit
from srcgrad.graph.ir import Ref
from srcgrad.simplify import simplify


def compiled(graph, name):
    names = parameter_names(graph)
    emitted = emit(graph.but(name=name), parameter_names=names, defaults={},
                   result=tuple(Ref(i) for i in range(len(graph.outputs))))
    return link(emitted.text, emitted.entry, emitted.globals, emitted.line_map)


def copies(args):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


def best(graph):
    return simplify(close(simplify(graph)))


def check(graph, args, wrt, seed, tol=1e-9):
    joint = best(differentiate(graph, wrt, [0], keep=[0]))
    expected = run(joint, [*args, seed])
    assert_close(compiled(joint, "value_and_grad")(*copies(args), seed), expected, tol)
    forward, backward = split(joint, 1)
    given = copies(args)
    _, *residuals = compiled(forward, "forward")(*given)
    for a in given:
        if isinstance(a, np.ndarray):
            a[...] = 7.0
    pullback = compiled(backward, "backward")
    for _ in range(2):
        assert_close(pullback(*residuals, seed), expected[1:], tol)
    pushed, ds = simplify(jvp(graph, wrt, [0], keep=[0])), directions(args, wrt)
    full = [*args, *ds]
    assert_close(compiled(pushed, "jvp")(*copies(full)), run(pushed, full), tol)
    gradient = best(differentiate(graph, wrt, [0], keep=[]))
    twice = best(differentiate(gradient, wrt, range(len(wrt)), keep=[]))
    full = [*args, seed, *ds]
    assert_close(compiled(twice, "second")(*copies(full)), run(twice, full), 10 * tol)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    graph, args, wrt = PROGRAMS[name]()
    seed = graph.outputs[0].aval.dtype.type(1.0)
    check(graph, args, wrt, seed, 1e-4 if name == "float32" else 1e-9)


@pytest.mark.parametrize("seed", [*range(40), 139, 192, 264, 392])
def test_random_program(seed):
    program = Program(seed)
    check(program.graph, program.args, [0, 1], 1.0)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 400))
def test_random_programs_at_length(seed):
    program = Program(seed)
    check(program.graph, program.args, [0, 1], 1.0)
