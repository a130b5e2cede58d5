"""The graph with the copies that :mod:`srcgrad.emit.hazards` found necessary."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.emit.facts import copy_of
from srcgrad.emit.hazards import Hazards
from srcgrad.emit.order import is_forced, reads_content
from srcgrad.emit.reuse import in_place, plain_operator
from srcgrad.emit.storage import depth_of
from srcgrad.graph.ir import WRITES, Block, Graph, Node, Origin, Ref, Value
from srcgrad.graph.records import add_records
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind


class Rewriter:
    def __init__(self, hazards: Hazards) -> None:
        self.order, self.storage = hazards.order, hazards.storage
        self.copies, self.returned, self.deep = hazards.copies, hazards.returned, hazards.deep
        self.reused = hazards.reused
        self.kept, self.flowing = hazards.kept, hazards.flowing
        self.produced = {node.blocks[-1]: node.loop.n_produced
                         for node in walk(hazards.graph.block) if node.op == "loop"}
        self.saved: dict[Value, Value] = {}
        self.border: int | None = None
        self.changes_rows = any(map(depth_of, walk(hazards.graph.block)))

    def graph(self, graph: Graph) -> Graph:
        block = self.block(graph.block, graph.border)
        if not self.returned:
            return graph.but(block=block, border=self.border)
        nodes, outputs = list(block.nodes), list(block.outputs)
        origin = Origin(role="adjoint")
        for i in self.returned:
            original = graph.block.outputs[i]
            if outputs[i] is original or original in self.flowing or outputs[i] in outputs[:i]:
                copied = copy_of(outputs[i], outputs[i].hint, origin)
                nodes.append(copied)
                outputs[i] = copied.out
        block = Block(block.params, tuple(nodes), tuple(outputs))
        return graph.but(block=block, border=self.border)

    def at(self, value: Value, position: int) -> Value:
        for threshold, node in self.copies.get(value, ()):
            written = self.order.start[node]
            around = threshold != written  # the write comes round in a loop
            if position > threshold and (
                    not self.order.is_excluded(position, written, threshold) if around
                    else self.order.follows(position, written)):
                return self.saved[value]
        return value

    def save(self, value: Value, nodes: list[Node], origin: Origin | None) -> None:
        if value in self.copies:
            node = self.saving(value, origin)
            self.saved[value] = node.out
            nodes.append(node)

    def saving(self, value: Value, origin: Origin | None) -> Node:
        hint = f"{value.hint}_saved" if value.hint else None
        origin = Origin() if origin is None else origin
        origin = Origin(origin.where, origin.callers, origin.statement, False, "support")
        copied = copy_of(value, hint, origin)
        rows = value.aval.elem is not None and value.aval.elem.kind is Kind.LIST
        deep = value in self.deep or (rows and self.changes_rows)
        return copied.but(params={"deep": True}) if deep else copied

    def block(self, block: Block, border: int | None = None) -> Block:
        nodes: list[Node] = []
        kept = dict(self.kept.get(block, {}))
        held: dict[Value, Value] = {}

        def hold(value: Value, origin: Origin | None) -> None:
            node = self.saving(value, origin)
            source = self.at(value, self.order.span[block][0])
            node = node.but(inputs=(source,))
            held[value] = node.out
            nodes.append(node)

        inside = {v for node in block.nodes for v in node.outputs}
        for v in kept:
            if v not in inside and not v.aval.optional:  # kept elements may be None
                hold(v, None)
        for p in block.params:
            self.save(p, nodes, None)
        for i, node in enumerate(block.nodes):
            if i == border:
                self.border = len(nodes)
            position = self.order.start[node]
            inputs = node.inputs if self.copies.keys().isdisjoint(node.inputs) else tuple(
                self.at(v, position) if reads_content(node, i) and not (
                    i == 0 and node.op in WRITES and is_forced(node)) else v
                for i, v in enumerate(node.inputs))  # (a write of the user's is on his object)
            nodes.append(self.rebuilt(node, inputs, nodes))
            place = len(nodes) - 1  # copies of outputs follow
            for i, v in enumerate(node.outputs):
                if v in kept and partly_undefined(node, i):
                    saving = self.saving(v, node.origin)
                    nodes[place], held[v] = saved_in_arms(nodes[place], i, saving)
                elif v in kept:
                    hold(v, node.origin)
                if v in self.copies and partly_undefined(node, i):
                    saving = self.saving(v, node.origin)
                    nodes[place], self.saved[v] = saved_in_arms(nodes[place], i, saving)
                elif v in self.copies:
                    self.save(v, nodes, node.origin)
        if border is not None and border >= len(block.nodes):
            self.border = len(nodes)
        last = self.order.span[block][1]
        outputs = [self.at(v, last) for v in block.outputs]
        for i in range(len(outputs) - self.produced.get(block, 0), len(outputs)):
            outputs[i] = held.get(block.outputs[i], outputs[i])
        return Block(block.params, tuple(nodes), tuple(outputs))

    def rebuilt(self, node: Node, inputs: tuple[Value, ...], nodes: list[Node]) -> Node:
        if node in self.storage.unshared:
            return self.unshared(node, inputs, nodes)
        if node in self.reused:
            return in_place(node, inputs, self.reused[node], nodes)
        if node.blocks:
            return node.but(inputs=inputs, blocks=tuple(self.block(b) for b in node.blocks))
        return node.but(inputs=inputs)

    def unshared(self, node: Node, inputs: tuple[Value, ...], nodes: list[Node]) -> Node:
        """The write on a copy of its base; a sum for an addition to the whole."""
        base = inputs[0]
        fn = _addition(node) if node.op == "acc" else plain_operator(node)
        if fn is not None and not node.params["steps"] and (
                fn is add_records or _sum_fits(inputs)):
            params: dict[str, object] = {"fn": fn, "args": (Ref(0), Ref(1)), "kwargs": {},
                                         "many": False}
            out = node.out
            if out.aval.kind is not Kind.ARRAY or out.aval.shape != ():
                return Node("apply", inputs[:2], node.outputs, params, (), node.origin)
            number = Value(out.aval.but(kind=Kind.SCALAR))  # NumPy's sum of two 0-d arrays
            nodes.append(Node("apply", inputs[:2], (number,), params, (), node.origin))
            return Node("apply", (number,), node.outputs, {
                "fn": np.asarray, "args": (Ref(0),), "kwargs": {}, "many": False}, (), node.origin)
        copied = copy_of(base, node.outputs[0].hint or base.hint, node.origin)
        if depth_of(node):
            copied = copied.but(params={"deep": True})
        nodes.append(copied)
        return node.but(inputs=(copied.out, *inputs[1:]))


def partly_undefined(node: Node, index: int) -> bool:
    """Is output ``index`` of a branch undefined after one of its arms?"""
    return node.op == "if" and any(
        maker.op == "undef" or partly_undefined(maker, maker.outputs.index(value))
        for block in node.blocks for value in (block.outputs[index],)
        for maker in block.nodes if value in maker.outputs)


def saved_in_arms(node: Node, index: int, copied: Node) -> tuple[Node, Value]:
    """The branch with a copy of one output, taken in the arms that define it."""
    blocks = []
    for block in node.blocks:
        value = block.outputs[index]
        nodes = list(block.nodes)
        place = next((i for i, n in enumerate(nodes) if value in n.outputs), None)
        if place is not None and nodes[place].op == "undef":
            saved = value
        elif place is not None and partly_undefined(nodes[place],
                                                    nodes[place].outputs.index(value)):
            inner = copied.but(outputs=(copied.out.like(),))
            nodes[place], saved = saved_in_arms(
                nodes[place], nodes[place].outputs.index(value), inner)
        else:
            own = copied.but(inputs=(value,), outputs=(copied.out.like(),))
            nodes.append(own)
            saved = own.out
        blocks.append(block.but(nodes=tuple(nodes), outputs=(*block.outputs, saved)))
    return node.but(outputs=(*node.outputs, copied.out), blocks=tuple(blocks)), copied.out


def _addition(node: Node) -> Callable[..., Any]:
    """What adds a cotangent to another one: records part by part."""
    if node.out.aval.kind is Kind.RECORD or node.inputs[1].aval.optional:
        return add_records
    return operator.add


def _sum_fits(inputs: tuple[Value, ...]) -> bool:
    """Is ``base + value`` what adding in place would give: the base's dtype and shape?"""
    base, value = inputs[0].aval, inputs[1].aval
    if base.kind is Kind.ANY or value.kind is Kind.ANY:
        return True
    if base.shape is None or value.shape is None or (
            value.dtype is None and base.dtype is not None):
        return False
    if base.dtype is None or value.dtype is None:  # it may be complex only from now on
        return len(value.shape) <= len(base.shape)
    if value.kind in (Kind.BOOL, Kind.INT, Kind.FLOAT) and base.dtype.kind in "fc":
        return True
    if len(value.shape) > len(base.shape) and base.kind is Kind.ARRAY:
        return False
    return bool(np.promote_types(base.dtype, value.dtype) == base.dtype)
