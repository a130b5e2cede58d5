"""Uses of a value that ask for its shape only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..graph.ir import Block, Builder, Node, Value, rebuild, walk
from ..kinds import Kind


def asks_shape(node: Node) -> bool:
    """Does a node look at no more than the shape of its (first) input?"""
    if node.op == "dim":
        return True
    return (node.op == "apply" and node.params["fn"] is np.zeros_like and len(node.inputs) == 1
            and not node.params["kwargs"] and node.inputs[0].aval.kind is Kind.ARRAY)


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
                if node.op == "dim":
                    number = size(value, node.params["axis"])
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
