"""Each invariant has a graph that breaks it."""

import operator

import numpy as np
import pytest

from srcgrad.errors import Where
from srcgrad.graph.ir import Block, Builder, Graph, Index, LoopSpec, Node, Origin, Ref, Value
from srcgrad.graph.verify import CHECKS, InvalidGraph, verify
from srcgrad.types.dims import symbol
from srcgrad.types.kinds import BOOL, FLOAT, INT, NONE, array, int_aval, list_of

VECTOR = array(float, (symbol("n"),))
ORIGIN = Origin(Where("model.py", 7, "f", "    y = x * x", 8, 13))


def breaks(check, graph, open=False):
    assert check in CHECKS
    with pytest.raises(InvalidGraph) as caught:
        verify(graph, open=open)
    assert caught.value.check == check
    return str(caught.value)


def square():
    b = Builder(ORIGIN)
    x = b.param(FLOAT, "x")
    return b, x, b.apply(operator.mul, (x, x), {}, FLOAT)


def loop(**changes):
    b = Builder()
    bounds = tuple(b.const(k, int_aval(k)) for k in (0, 3, 1))
    x = b.param(FLOAT, "x")
    body = Builder()
    i, s = body.param(INT, "i"), body.param(FLOAT, "s")
    out = body.apply(operator.add, (s, x), {}, FLOAT)
    node = b.add("loop", (*bounds, x), (FLOAT, INT), (body.block((out,)),),
                 loop=LoopSpec("for", n_carried=1).but(**changes))
    return b, body, node, (i, s, out)


def test_good_graphs():
    b, _, y = square()
    verify(Graph("g", b.block((y,))))
    b, _, node, _ = loop()
    verify(Graph("g", b.block(node.outputs)))


def test_message_names_check_node_and_line():
    b, x, y = square()
    lost = Value(FLOAT, "lost")
    b.apply(operator.add, (y, lost), {}, FLOAT)
    text = breaks("values-are-dominated", Graph("f", b.block((y,))))
    assert "values-are-dominated: input 'lost' is not defined here (graph 'f')" in text
    assert "t.2 + lost" in text or "t.1 + lost" in text
    assert 'File "model.py", line 7, in f' in text and "^^^^^" in text


def test_use_before_definition_and_double_definition():
    b, x, y = square()
    nodes = tuple(b.nodes)
    late = Builder()
    z = late.apply(operator.add, (y, 1.0), {}, FLOAT)
    breaks("values-are-dominated", Graph("g", Block((x,), (*late.nodes, *nodes), (z,))))
    breaks("values-are-dominated", Graph("g", Block((x,), nodes + nodes, (y,))))


def test_values_of_a_nested_block_stay_there_unless_open():
    b, body, node, (i, s, out) = loop()
    z = b.apply(operator.mul, (out, 2.0), {}, FLOAT)
    border = len(b.nodes) - 1
    graph = Graph("g", b.block((z,)), border=border)
    breaks("values-are-dominated", graph)
    verify(graph, open=True)
    breaks("values-are-dominated", graph.but(border=None), open=True)


def test_unknown_operation():
    b = Builder()
    out = b.add("frobnicate", (), (FLOAT,)).out
    breaks("operations-are-known", Graph("g", b.block((out,))))


@pytest.mark.parametrize("changes", [{"n_carried": 2}, {"n_produced": 1}, {"exits": True},
                                     {"kind": "while"}, {"n_last": 1}, {"n_consumed": 1}])
def test_loop_arity(changes):
    b, _, node, _ = loop(**changes)
    breaks("loop-arity", Graph("g", b.block((node.outputs[0],))))


def test_if_arity():
    b = Builder()
    p = b.param(BOOL, "p")
    out = b.add("if", (p,), (FLOAT,), (Builder().block(()), Builder().block(()))).out
    breaks("outputs-match-blocks", Graph("g", b.block((out,))))


def test_call_arity():
    b, _, y = square()
    callee = Graph("square", b.block((y,)))
    main = Builder()
    out = main.add("call", (), (FLOAT,), callee="square").out
    breaks("outputs-match-blocks", Graph("g", main.block((out,)), callees={"square": callee}))


def test_templates():
    b = Builder()
    x = b.param(VECTOR, "x")
    node = b.add("apply", (x,), (VECTOR,), fn=np.exp, args=(Ref(1),), kwargs={}, many=False)
    breaks("templates-fit-inputs", Graph("g", b.block((node.out,))))
    b = Builder()
    x = b.param(VECTOR, "x")
    node = b.add("apply", (x,), (VECTOR,), fn=np.exp, args=(x,), kwargs={}, many=False)
    breaks("templates-fit-inputs", Graph("g", b.block((node.out,))))
    b = Builder()
    x = b.param(VECTOR, "x")
    node = b.add("read", (x,), (VECTOR,), steps=(Index(slice(Ref(1), None)),))
    breaks("templates-fit-inputs", Graph("g", b.block((node.out,))))


def test_avals():
    b = Builder()
    p, x = b.param(BOOL, "p"), b.param(VECTOR, "x")
    arms = [Builder(), Builder()]
    blocks = (arms[0].block((arms[0].const(1.0, FLOAT),)), arms[1].block((x,)))
    out = b.add("if", (p,), (FLOAT,), blocks).out
    assert "output 0 of the else arm" in breaks("avals-are-consistent", Graph("g", b.block((out,))))
    b, body, node, (i, s, out) = loop()
    s.aval = INT
    assert "carried value 0 (s), initial" in breaks("avals-are-consistent",
                                                    Graph("g", b.block(node.outputs)))


def test_optional_places_take_none_and_lists_take_their_elements():
    b = Builder()
    p, x = b.param(BOOL, "p"), b.param(list_of(FLOAT), "x")
    arms = [Builder(), Builder()]
    blocks = (arms[0].block((arms[0].const(None, NONE), x)), arms[1].block((p, x)))
    node = b.add("if", (p,), (BOOL.but(optional=True), list_of(None)), blocks)
    verify(Graph("g", b.block(node.outputs)))


def write(b, base, obj):
    out = b.add("write", (base, b.const(1.0, FLOAT)), (base.aval,), steps=(Index(0),)).out
    out.obj = obj
    return out


def test_homes_are_linear():
    b = Builder(ORIGIN)
    x = b.param(VECTOR, "x")
    x.obj = 1
    newer = write(b, x, 1)
    b.apply(np.sum, (newer,), {}, FLOAT)
    verify(Graph("g", b.block((newer,))))
    stale = b.apply(np.sum, (x,), {}, FLOAT)
    assert "overwritten" in breaks("homes-are-linear", Graph("g", b.block((stale,))))
    node = b.nodes[-1]
    adjoint = Node(node.op, node.inputs, node.outputs, node.params, (), Origin(role="adjoint"))
    b.nodes[-1] = adjoint
    verify(Graph("g", b.block((stale,))))


def test_writes_from_one_version_twice():
    b = Builder()
    x = b.param(VECTOR, "x")
    x.obj = 1
    write(b, x, 1)
    again = write(b, x, 1)
    breaks("homes-are-linear", Graph("g", b.block((again,))))


def test_each_arm_has_its_own_chain():
    b = Builder()
    p, x = b.param(BOOL, "p"), b.param(VECTOR, "x")
    x.obj = 1
    arms = [Builder(), Builder()]
    blocks = tuple(a.block((write(a, x, 1),)) for a in arms)
    out = b.add("if", (p,), (VECTOR,), blocks).out
    out.obj = 1
    final = write(b, out, 1)
    verify(Graph("g", b.block((final,))))
    b.apply(np.sum, (x,), {}, FLOAT)
    breaks("homes-are-linear", Graph("g", b.block((final,))))


def test_effects_are_forward():
    b = Builder()
    x = b.param(FLOAT, "x")
    b.add("effect", (x,), (), fn=print, args=(Ref(0),), kwargs={})
    verify(Graph("g", b.block((x,)), border=1))
    breaks("effects-are-forward", Graph("g", b.block((x,)), border=0))
