"""Emitted code gives the interpreter's numbers on random graphs."""

import copy

import numpy as np
import pytest
from random_graphs import Maker, arguments
from running import emitted, outputs_of, run, same_bits

from srcgrad.emit.realize import realize
from srcgrad.graph.interpret import interpret


def check(graph, seed, written):
    args = arguments(seed)
    expected = interpret(graph, *copy.deepcopy(args))
    again = interpret(realize(graph), *copy.deepcopy(args))
    code = emitted(graph)
    given = copy.deepcopy(args)
    found = outputs_of(graph, code, given)
    for i, (a, b, c) in enumerate(zip(found, expected, again, strict=True)):
        assert np.array_equal(b, c, equal_nan=True), f"realize, output {i}, seed {seed}"
        near = dict(rtol=1e-12, atol=1e-12) if i >= graph.n_primal or not written else {}
        same = np.allclose(a, b, equal_nan=True, **near) if near else (
            np.array_equal(a, b, equal_nan=True))  # what is added to a cotangent is regrouped
        assert same, f"output {i}, seed {seed}\n{code.text}"
    if not written:
        assert same_bits(given, args), code.text
    gradients = found[graph.n_primal:]
    for i, g in enumerate(gradients):
        assert g.flags.writeable
        for other in (*gradients[:i], *found[:graph.n_primal], *given):
            assert not np.shares_memory(g, np.asarray(other)), f"{seed}\n{code.text}"
    return code


@pytest.mark.parametrize("part", range(8))
def test_adjoint_writes(part):
    for seed in range(part * 40, part * 40 + 40):
        graph = Maker(seed).adjoint_graph(4 + seed % 14)
        check(graph, seed, written=False)


@pytest.mark.parametrize("part", range(8))
def test_users_writes_then_readers_of_old_versions(part):
    for seed in range(part * 40, part * 40 + 40):
        graph = Maker(seed).joint_graph(4 + seed % 12)
        check(graph, seed, written=True)


def test_emitted_functions_can_run_again():
    graph = Maker(5).adjoint_graph(12)
    code = emitted(graph)
    args = arguments(5)
    assert same_bits(list(run(code, args)), list(run(code, args)))
