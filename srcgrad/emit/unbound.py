"""Which variables may have no value where they are read, kept or assigned on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from srcgrad.emit.conditionals import results
from srcgrad.emit.fold import Folding
from srcgrad.emit.naming import Naming
from srcgrad.graph.ir import Value
from srcgrad.graph.parts import LoopParts


class Unbound:
    """``params`` are those of loops, as far as their statements are written, that have no value
    before the first iteration."""

    def __init__(self, naming: Naming, folding: Folding) -> None:
        self.naming, self.folding = naming, folding
        self.params: set[Value] = set()

    def is_undefined(self, value: Value) -> bool:
        node = self.folding.producer.get(value)
        return node is not None and node.op == "undef"

    def is_nothing(self, value: Value) -> bool:
        """Is there no value on this path: undefined, or None?"""
        node = self.folding.producer.get(value)
        return node is not None and (node.op == "undef" or (
            node.op == "const" and node.params["value"] is None))

    def may_be_nothing(self, value: Value) -> bool:
        """Is there no value on this path, or on one of those that meet before its end?"""
        node = self.folding.producer.get(value)
        if node is not None and node.op == "if" and not self.folding.is_expression(node):
            place = node.outputs.index(value)
            return any(self.may_be_nothing(b.outputs[place]) for b in node.blocks)
        return self.is_nothing(value)

    @cached_property
    def copied(self) -> frozenset[str]:
        """Variables of outcomes that are assigned on to another variable, defined or not: they
        are set to None where they are undefined."""
        return frozenset(self.naming.of[v] for v in self.moved_on)

    @cached_property
    def moved_on(self) -> frozenset[Value]:
        """The values of these variables."""
        found: set[Value] = set()
        for node in dict.fromkeys(self.folding.producer.values()):  # one for each of its outputs
            if node.op == "loop":
                names, parts = self.naming.loops[node].slots, LoopParts(node)
                self._move_on(names, parts.next + parts.last, found)
                self._move_on(names, parts.inits, found)
            elif node.op == "if" and not self.folding.is_expression(node):
                for block in node.blocks:
                    self._move_on([self.naming.of[v] for v in node.outputs], block.outputs, found)
            elif node.op == "if":
                if self.may_be(node.inputs[0]):
                    found.update(v for v in results(node, self.folding) if v in self.naming.of)
                found.update(v for arm, block in enumerate(node.blocks) for v in block.outputs
                             if v in self.naming.of and self.may_be(v, (node.inputs[0], arm)))
            elif node.op == "read" and not node.params["steps"]:  # is there where it is wanted
                self._move_on(("",), node.inputs, found)
        return frozenset(found)

    def _move_on(self, names: Sequence[str], values: Sequence[Value], found: set[Value]) -> None:
        for target, v in zip(names, values, strict=False):
            name = self.naming.of.get(v)
            if name is not None and target not in ("_", name):
                found.add(v)

    def elements(self, parts: LoopParts) -> set[str]:
        """The names of variables that a loop keeps before they have a value: they are None."""
        self.params.update(p for p, v in zip(parts.carried, parts.inits, strict=True)
                           if self.may_be(v))
        return {found for element in parts.produced for found in self._names(element)}

    def _names(self, value: Value) -> set[str]:
        """The variables without a value that may be read where a value is."""
        if not self.may_be(value):
            return set()
        if value in self.naming.of:
            return {self.naming.of[value]}
        node = self.folding.producer[value]  # a conditional expression
        place = node.outputs.index(value)
        return {n for b in node.blocks for n in self._names(b.outputs[place])}

    def may_be(self, value: Value, taken: tuple[Value, int] | None = None) -> bool:
        """Is there a path, with that arm ``taken`` of all branches on a predicate, on which a
        variable has no value?"""
        todo, seen = [value], {value}
        while todo:
            one = todo.pop()
            node = self.folding.producer.get(one)
            if node is None or node.op != "if":
                if one in self.params or self.is_undefined(one):
                    return True
                continue
            place = node.outputs.index(one)
            for arm, block in enumerate(node.blocks):
                if block.outputs[place] not in seen and (
                        taken is None or node.inputs[0] is not taken[0] or arm == taken[1]):
                    seen.add(block.outputs[place])
                    todo.append(block.outputs[place])
        return False
