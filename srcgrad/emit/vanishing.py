"""What follows from cotangents that are zero: others that are zero, and sums without a term."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from srcgrad.graph.dependence import place_of
from srcgrad.graph.ir import Block, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import defined_in, read_by
from srcgrad.types.kinds import SCALARS
from srcgrad.types.quotients import quotient

_SUMS = {operator.iadd, operator.isub}


class Vanishing:
    """``zero`` are values that are zero, ``same`` tells of sums what they are then.  ``constants``
    are those that may be met; a product with zero is zero where the other factor ``is_finite``;
    where what was ``read`` is zero, so is its place.
    """

    def __init__(self, zero: Iterable[Value], constants: Mapping[Value, object],
                 is_finite: Callable[[Value], bool] | None = None,
                 read: Node | None = None) -> None:
        self.zero, self.constants, self.is_finite = {*zero}, {**constants}, is_finite
        self.read = read
        self.same: dict[Value, Value] = {}
        self.elements: dict[Value, Node] = {}  # reads of memory that was added to

    def is_zero(self, value: Value) -> bool:
        number = self.constants.get(value)
        return value in self.zero or (type(number) in (float, np.float64) and number == 0.0)

    def left(self, value: Value) -> Value:
        """What a value is."""
        while value in self.same:
            value = self.same[value]
        return value

    def reads(self, node: Node) -> bool:
        """Does a node read what is zero?"""
        return not self.zero.isdisjoint(read_by(node))

    def follows(self, node: Node) -> bool:
        """Does a node read sums without a term, or a place that is zero, and gives such?"""
        return self.clears(node) or (
            not self.same.keys().isdisjoint(read_by(node))
            and self.node(node))

    def clears(self, node: Node) -> bool:
        """Does a node write zero where zero was read?"""
        return self.read is not None and node.op == "write" and is_adjoint(node) and (
            self.is_zero(node.inputs[1]) and None not in place_of(node)
            and place_of(node) == place_of(self.read)
            and self.left(node.inputs[0]) is self.left(self.read.inputs[0])
            and self.is_same(node, 0))

    def node(self, node: Node) -> bool:
        """Is all that a node gives, which reads zeros or sums, zero or a sum without a term?"""
        if not is_adjoint(node):
            return False
        if node.op == "read" and node.inputs[0] in self.same and node.out.aval.kind in SCALARS:
            self.elements[node.out] = node
            return True
        if node.op == "write" and node.inputs[1] not in self.zero:
            read = self.elements.get(self.left(node.inputs[1]))
            return read is not None and None not in place_of(read) and (
                place_of(read) == place_of(node)
                and self.left(read.inputs[0]) is self.left(node.inputs[0])
                and self.is_same(node, 0))  # an element is written back
        if node.blocks:
            return self.loop(node) if node.op == "loop" else node.op == "if" and self.branch(node)
        fn, used = node.params.get("fn"), [v in self.zero for v in node.inputs]
        if node.op in ("acc", "list_acc") or (node.op == "update" and fn in _SUMS):
            return used[1] and sum(used) == 1 and self.is_same(node, 0)
        if node.op != "apply" or node.params["kwargs"]:
            return False
        if fn in (operator.add, operator.sub) and sum(used) == 1 and len(used) == 2:
            return (fn is operator.add or used[1]) and self.is_same(node, used.index(False))
        if not any(used):
            return False
        self.zero.add(node.out)
        if fn in (operator.add, operator.sub):
            return all(used) and len(used) == 2
        if fn in (operator.truediv, quotient):
            return used == [True, False] and self.is_finite is None
        others = [v for v, is_zero in zip(node.inputs, used, strict=True) if not is_zero]
        return fn is operator.neg or (fn is operator.mul and sum(used) == 1 and (
            self.is_finite is None or all(map(self.is_finite, others))))

    def is_same(self, node: Node, which: int) -> bool:
        self.same[node.out] = node.inputs[which]
        return True

    def block(self, block: Block) -> bool:
        """A block within: what it does to other memory shows in what it gives."""
        for node in block.nodes:
            if node.op == "const":
                self.constants[node.out] = node.params["value"]
            if node.op == "effect":
                return False
            if not self.reads(node):
                self.follows(node)
            elif not self.node(node):
                return False
        return True

    def branch(self, node: Node) -> bool:
        if node.inputs[0] in self.zero or not all(map(self.block, node.blocks)):
            return False
        inner = {v for b in node.blocks for v in defined_in(b)}
        for i, out in enumerate(node.outputs):
            ends = [b.outputs[i] for b in node.blocks]
            left = {*map(self.left, ends)}
            if all(map(self.is_zero, ends)):
                self.zero.add(out)
            elif len(left) == 1 and left.isdisjoint(inner):
                self.same[out] = left.pop()
            else:
                return False
        return True

    def loop(self, node: Node) -> bool:
        """A loop of which each iteration hands on what it was given."""
        parts, spec = LoopParts(node), node.loop
        if spec.kind != "for" or spec.exits or spec.n_last or spec.n_produced or not (
                self.zero.isdisjoint(node.inputs[:spec.first_init])
                and self.zero.isdisjoint(parts.sources)):
            return False
        for init, param in zip(parts.inits, parts.carried, strict=True):
            if self.is_zero(init):
                self.zero.add(param)
            else:
                self.same[param] = init
        if not self.block(node.blocks[-1]):
            return False
        for init, following, result in zip(parts.inits, parts.next, parts.results, strict=True):
            if self.is_zero(init) and self.is_zero(following):
                self.zero.add(result)
            elif not self.is_zero(init) and self.left(following) is self.left(init):
                self.same[result] = init
            else:
                return False
        return True
