"""Each optimisation may be left out, alone or all together, and the numbers stay the same."""

from __future__ import annotations

import pytest
from check import assert_close, run
from programs import PROGRAMS

from srcgrad.adjoint import close, differentiate
from srcgrad.graph.verify import verify
from srcgrad.graph.walking import walk
from srcgrad.simplify import simplify
from srcgrad.simplify.pipeline import PASSES

NAMES = [*PASSES, "dead"]


@pytest.mark.parametrize("left_out", [*([n] for n in NAMES), NAMES], ids=str)
@pytest.mark.parametrize("name", ["heat", "mlp", "branches_in_loop", "recurrent_products",
                                  "list_stack", "cholesky"])
def test_pass_is_optional(name, left_out):
    graph, args, wrt = PROGRAMS[name]()

    def gradient(without):
        joint = simplify(differentiate(graph, wrt, [0], keep=[0]), without=without)
        joint = simplify(close(joint), without=without)
        verify(joint)
        return run(joint, [*args, 1.0])

    assert_close(gradient(left_out), gradient(()), 1e-10)


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_part_keeps_its_order(name):
    graph, _, wrt = PROGRAMS[name]()
    joint = simplify(close(simplify(differentiate(graph, wrt, [0], keep=[0]))))
    place = {n.outputs[-1]: i for i, n in enumerate(walk(graph.block)) if n.outputs}
    kept = [place[n.outputs[-1]] for n in walk(joint.block.but(
        nodes=joint.block.nodes[:joint.border])) if n.outputs and n.outputs[-1] in place]
    assert kept == sorted(kept)


def test_saved_sequences():
    """What is linear saves nothing; what the finished array holds is not saved."""
    expected = {"recurrence": 0, "cholesky": 0, "heat": 2, "rnn": 1,
                "recurrent_products": 1}
    for name, count in expected.items():
        graph, _, wrt = PROGRAMS[name]()
        joint = simplify(close(simplify(differentiate(graph, wrt, [0], keep=[0]))))
        loops = [n for n in walk(joint.block.but(nodes=joint.block.nodes[:joint.border]))
                 if n.op == "loop"]
        assert sum(n.loop.n_produced for n in loops) == count, name
