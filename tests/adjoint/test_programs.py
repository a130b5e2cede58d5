"""Value, gradient and second derivative of every hand-built program, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from check import assert_close, differences, directions, run
from programs import PROGRAMS

from srcgrad.adjoint import close, differentiate, jvp, split
from srcgrad.graph.verify import verify
from srcgrad.simplify import simplify


def seed_of(graph):
    return graph.outputs[0].aval.dtype.type(1.0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient(name):
    graph, args, wrt = PROGRAMS[name]()
    joint = close(differentiate(graph, wrt, [0], keep=[0]))
    value, *grads = run(joint, [*args, seed_of(graph)])
    assert value == run(graph, args)[0]
    tol = 1e-2 if name == "float32" else 1e-6
    assert_close(grads, differences(lambda a: run(graph, a)[0], args, wrt), tol)
    for grad, w in zip(grads, wrt):
        assert type(grad) is type(args[w])
        assert np.shape(grad) == np.shape(args[w])
        assert np.asarray(grad).dtype == np.asarray(args[w]).dtype


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_order(name):
    graph, args, wrt = PROGRAMS[name]()
    joint = close(differentiate(graph, wrt, [0], keep=[]))
    outs = range(len(joint.outputs))
    twice = close(differentiate(joint, wrt, outs, keep=outs))
    seeds = directions(args, wrt)
    result = run(twice, [*args, seed_of(graph), *seeds])

    def contracted(a):
        return sum(np.sum(g * s) for g, s in zip(run(joint, [*a, seed_of(graph)]), seeds))

    tol = 2e-2 if name == "float32" else 1e-5
    assert_close(result[len(outs):], differences(contracted, args, wrt), tol)


def test_forward_part_is_unchanged():
    graph, _, wrt = PROGRAMS["mlp"]()
    joint = differentiate(graph, wrt, [0], keep=[0])
    assert joint.block.nodes[: joint.border] == graph.block.nodes
    assert joint.n_primal == 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_simplified(name):
    graph, args, wrt = PROGRAMS[name]()
    plain = run(close(differentiate(graph, wrt, [0], keep=[0])), [*args, seed_of(graph)])
    joint = simplify(differentiate(graph, wrt, [0], keep=[0]))
    verify(joint, open=True)
    joint = simplify(close(joint))
    verify(joint)
    assert_close(run(joint, [*args, seed_of(graph)]), plain, 1e-6 if name == "float32" else 1e-12)
    joint = simplify(close(simplify(differentiate(graph, wrt, [0], keep=[]))))
    outs = range(len(joint.outputs))
    seeds = directions(args, wrt)
    plain = close(differentiate(joint, wrt, outs, keep=outs))
    verify(plain)
    twice = simplify(close(simplify(differentiate(joint, wrt, outs, keep=outs))))
    verify(twice)
    full = [*args, seed_of(graph), *seeds]
    assert_close(run(twice, full), run(plain, full), 1e-5 if name == "float32" else 1e-11)


@pytest.mark.parametrize("name", PROGRAMS)
def test_split(name):
    """The pullback runs twice, with unlike seeds, and after the arguments were overwritten."""
    graph, args, wrt = PROGRAMS[name]()
    joint = simplify(close(simplify(differentiate(graph, wrt, [0], keep=[0]))))
    expected = run(joint, [*args, seed_of(graph)])
    forward, backward = split(joint, 1)
    verify(forward)
    verify(backward)
    value, *residuals = run(forward, args)
    assert value == expected[0]
    again = run(backward, [*residuals, seed_of(graph) * 2])
    for a in args:
        if isinstance(a, np.ndarray):
            assert not any(isinstance(r, np.ndarray) and np.may_share_memory(a, r)
                           for r in residuals)
    once = run(backward, [*residuals, seed_of(graph)])
    tol = 1e-5 if name == "float32" else 1e-12
    assert_close(once, expected[1:], tol)
    assert_close(again, [2 * np.asarray(e) for e in expected[1:]], tol)


@pytest.mark.parametrize("name", PROGRAMS)
def test_forward_mode(name):
    """The jvp is the gradient times the direction; reverse over forward and forward over
    reverse give the second derivative."""
    graph, args, wrt = PROGRAMS[name]()
    gradient = close(differentiate(graph, wrt, [0], keep=[]))
    grads = run(gradient, [*args, seed_of(graph)])
    ds = directions(args, wrt)
    pushed = jvp(graph, wrt, [0], keep=[0])
    verify(pushed)
    value, tangent = run(pushed, [*args, *ds])
    assert value == run(graph, args)[0]
    tol = 1e-4 if name == "float32" else 1e-10
    expected = sum(np.sum(np.asarray(g) * d) for g, d in zip(grads, ds))
    assert_close([tangent], [expected], tol)
    small = simplify(pushed)
    verify(small)
    assert_close(run(small, [*args, *ds]), [value, tangent], tol)
    outs = range(len(wrt))
    hvp = run(simplify(jvp(simplify(gradient), wrt, outs)), [*args, seed_of(graph), *ds])
    swapped = close(differentiate(small, wrt, [1], keep=[]))
    other = run(simplify(swapped), [*args, *ds, seed_of(graph)])
    assert_close(hvp, other, 1e-3 if name == "float32" else 1e-9)
