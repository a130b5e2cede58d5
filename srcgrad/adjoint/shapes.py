"""Uses of a value that ask for its shape only; that of a list is its length."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ..graph.ir import Block, Builder, Graph, Node, Ref, Value
from ..graph.walking import rebuild, renewed, walk
from ..types.dims import Poly
from ..types.kinds import FLOAT, SCALARS, Aval, Kind, int_aval


def asks_shape(node: Node) -> bool:
    """Does a node look at no more than the shape of its (first) input?"""
    if node.op in ("dim", "list_len"):
        return True
    if node.op == "list_like":
        return node.inputs[0].aval.kind is Kind.LIST and has_one_shape(node.inputs[0].aval.elem)
    return (node.op == "apply" and node.params["fn"] is np.zeros_like and len(node.inputs) == 1
            and not node.params["kwargs"] and node.inputs[0].aval.kind is Kind.ARRAY)


def has_one_shape(elem: Aval | None) -> bool:
    """Are all items of a list numbers, or arrays of one shape that numbers tell?"""
    if elem is None or elem.optional:
        return False
    return elem.kind in SCALARS or (
        elem.kind is Kind.ARRAY and elem.dtype is not None
        and all(type(size) is int for size in elem.shape or (None,)))


def shape_questions(block: Block) -> list[Node]:
    """All such nodes of a block, nested ones too."""
    return [n for n in walk(block) if asks_shape(n)]


def content_reads(block: Block) -> set[Value]:
    """The values whose content a block uses."""
    read = set(block.outputs)
    for node in walk(block):
        if not asks_shape(node):
            read.update(node.inputs)
        for inner in node.blocks:
            read.update(inner.outputs)
    return read


def asked_of_inputs(graph: Graph) -> Graph:
    """The graph with the sizes of some axes of arrays, for which its backward part asks and reads
    nothing else of them, asked of inputs that have them: no array stays for the size of a part.
    (Whole shapes are asked where something takes an array's place.)"""
    if graph.border is None:
        return graph
    nodes = graph.block.nodes
    backward = graph.block.but(params=(), nodes=nodes[graph.border:])
    read = {*graph.inputs, *content_reads(backward)}
    asked: dict[Value, set[int]] = {}
    for n in shape_questions(backward):
        rank = len(n.inputs[0].aval.shape or ())
        asked.setdefault(n.inputs[0], set()).update(
            [n.params["axis"]] if n.op == "dim" else range(rank))
    places = {size: (value, axis) for value in reversed(graph.inputs) if not value.aval.optional
              for axis, size in enumerate(value.aval.shape or ()) if isinstance(size, Poly)}

    def of_input(node: Node) -> list[Node]:
        shape = node.inputs[0].aval.shape if node.op == "dim" else None
        if not shape or node.inputs[0] in read or len(asked[node.inputs[0]]) == len(shape) or (
                shape[node.params["axis"]] not in places):
            return [node]
        value, axis = places[shape[node.params["axis"]]]
        return [node.but(inputs=(value,), params={"axis": axis})]

    new = renewed(backward, of_input)
    return graph if new is backward else graph.but(
        block=graph.block.but(nodes=(*nodes[:graph.border], *new.nodes)))


def answered(block: Block, values: set[Value], size: Callable[[Value, int], Value | int]) -> Block:
    """The block with questions about the shapes of ``values`` answered by ``size``."""
    answers: dict[Value, Value] = {}

    def visit(inner: Block) -> Block:
        nodes: list[Node] = []
        for node in inner.nodes:
            if node.blocks:
                node = node.but(blocks=tuple(visit(b) for b in node.blocks))
            if asks_shape(node) and node.inputs[0] in values:
                value = node.inputs[0]
                if node.op == "list_like":
                    nodes += _zero_list(node, size(value, 0))
                    continue
                if node.op in ("dim", "list_len"):
                    number = size(value, node.params.get("axis", 0))
                    if isinstance(number, Value):
                        answers[node.out] = number
                    else:
                        nodes.append(Node("const", (), node.outputs, {"value": number}, (),
                                          node.origin))
                    continue
                assert value.aval.shape is not None
                shape = tuple(size(value, axis) for axis in range(len(value.aval.shape)))
                new = Builder(node.origin)
                # complex where only a run knows: what is real is taken of it later
                dtype = value.aval.dtype or np.dtype(np.complex128)
                new.apply(np.zeros, (shape,), {"dtype": dtype}, node.out.aval)
                node = new.nodes[0].but(outputs=node.outputs)
            nodes.append(node)
        return inner.but(nodes=tuple(nodes))

    return rebuild(visit(block), answers)


def _zero_list(node: Node, length: Value | int) -> list[Node]:
    """A ``list_like`` node's list, made of the length.  Its items may be one array: those of lists
    of cotangents are replaced, never written to."""
    new = Builder(node.origin)
    count = length if isinstance(length, Value) else new.const(length, int_aval(length))
    elem = node.out.aval.elem
    assert elem is not None
    zero = new.const(0.0, FLOAT) if elem.kind in SCALARS else new.apply(
        np.zeros, (elem.shape,), {} if elem.dtype == np.float64 else {"dtype": elem.dtype}, elem)
    new.nodes.append(Node("apply", (zero, count), node.outputs, {
        "fn": operator.mul, "args": ([Ref(0)], Ref(1)), "kwargs": {}, "many": False}, (),
        node.origin))
    return new.nodes
