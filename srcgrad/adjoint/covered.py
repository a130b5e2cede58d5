"""Values that the result sees through ``np.where``, or as triangles of matrices, only; and those
of which it sees parts.

``r = np.sqrt(x)`` before a loop that adds up ``np.where(x > 0, r, 0.0)`` has a cotangent that is a
sum over the iterations: no screen (:mod:`srcgrad.adjoint.screens`) stands before it, though it is
zero wherever every iteration hides ``r``.  What a rule makes of such a zero by a partial
derivative that is infinite or NaN there is zero.

The same is true where a mask, an index or a maximum leaves elements out (``r[mask]``, ``r * mask``,
``np.sort(r)[:, 1]``).  Nobody takes an infinite value out of an array in this way, but the zero
distance of a point from itself, where the root has a value and no derivative.  A branch that
asks for a value, or for what that is made of, chooses in this way, too: ``if r > 0: s += x / r``.

Where the result is linear in a value (``np.sum(r) - np.trace(r)``), its cotangent is made of no
number that varies: if it is zero, the result does not depend on the value.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from ..graph.ir import Block, Node, Ref, Value
from ..graph.parts import LoopParts
from ..graph.walking import walk
from ..types.spelling import Method
from .binding import Bindings

_CHOICES = frozenset({np.where, np.triu, np.tril})
_SELECTIONS = frozenset({
    np.maximum, np.minimum, np.fmax, np.fmin, np.clip, np.max, np.min, np.take, np.diag,
    np.diagonal, np.partition, np.compress, np.delete, Method("max"), Method("min")})
_PRODUCTS = frozenset({operator.mul, np.multiply, operator.truediv, np.divide})
_MASKS = frozenset({np.eye, np.identity, np.tri})
_OF_MASKS = frozenset({
    operator.add, operator.sub, operator.mul, np.add, np.subtract, np.multiply, operator.and_,
    operator.or_, Method("astype"), np.asarray, np.array, np.triu, np.tril})


class _Uses(ABC):
    """Follows values of a block to those who use them, once for all values."""

    def __init__(self, block: Block, bindings: Bindings) -> None:
        self._bindings = bindings
        self._made_of: dict[Value, list[Value]] = {}  # by what keeps elements apart
        self._used: list[Value] = []  # by whatever else
        self._made_by = {out: node for node in walk(block) for out in node.outputs}

    def _visit(self, block: Block) -> None:
        for node in block.nodes:
            self._visit_inner(node)
            if node.op == "if":
                for arm in node.blocks:
                    self._hand_on(arm.outputs, node.outputs)
            elif node.op == "loop":
                parts = LoopParts(node)
                for sources, targets in (
                        (parts.inits, parts.carried), (parts.inits, parts.results),
                        (parts.next, parts.carried), (parts.next, parts.results),
                        (parts.last, parts.lasts), (parts.produced, parts.sequences),
                        (parts.sources, parts.elements)):
                    self._hand_on(sources, targets)
            else:
                for value in dict.fromkeys(self._bindings.differentiable(node)):
                    self._use(node, value)

    def _visit_inner(self, node: Node) -> None:
        for inner in node.blocks:
            self._visit(inner)

    @abstractmethod
    def _use(self, node: Node, value: Value) -> None:
        """What a node makes of a value that a derivative is taken for."""

    def _hand_on(self, sources: tuple[Value, ...], targets: tuple[Value, ...]) -> None:
        for source, target in zip(sources, targets):
            self._made_of.setdefault(target, []).append(source)

    def _before(self, values: list[Value]) -> set[Value]:
        """These values, and all that they are made of."""
        found, waiting = set(values), list(values)
        while waiting:
            fresh = [v for v in self._made_of.get(waiting.pop(), ()) if v not in found]
            found.update(fresh)
            waiting += fresh
        return found


class Summed(_Uses):
    """Follows values of which several parts of the program make use, and the results are linear
    in all of these."""

    def __init__(self, block: Block, bindings: Bindings, varied: Collection[Value]) -> None:
        super().__init__(block, bindings)
        self._varied = varied
        self._times: Counter[Value] = Counter()
        self._visit(block)
        self._bent = self._before(self._used)

    def holds(self, value: Value) -> bool:
        return self._times[value] > 1 and value not in self._bent

    def _use(self, node: Node, value: Value) -> None:
        self._times[value] += 1
        if self._is_linear(node, value):
            self._hand_on((value,) * len(node.outputs), node.outputs)
        else:
            self._used.append(value)

    def _is_linear(self, node: Node, value: Value) -> bool:
        """Is a cotangent of ``value`` made of that of the node, and of nothing that varies?"""
        if node.op == "update":
            return node.params["fn"] in (operator.iadd, operator.isub)
        if node.op != "apply" or "derivative" in node.params:
            return node.op not in ("apply", "call", "pack", "unpack", "effect")
        bound = self._bindings.of(node)
        rules = [] if bound.entry is None else [
            bound.entry.rules.get(name) for name, values in bound.values.items() if value in values]
        return bool(rules) and all(
            rule is not None and not any(
                need == "ans" or any(v in self._varied for v in bound.values.get(need, ()))
                for need in rule.needs) for rule in rules)


class Covered(_Uses):
    """Follows values of a block to those who use them, once for all values: whether each of them
    chooses among their elements, or (``parts``) takes some of them, or (``arms``) stands in a
    branch that asks for them."""

    def __init__(self, block: Block, bindings: Bindings, parts: bool = False,
                 arms: bool = False) -> None:
        super().__init__(block, bindings)
        self._parts, self._arms = parts, arms
        self._chosen: list[Value] = []  # by np.where, or by a branch
        self._asked: set[Value] = set()  # by the branches around
        if any(self._may_hide(node) for node in walk(block)):
            self._visit(block)
        self._shown = self._before([*block.outputs, *self._used])
        self._hidden = self._before(self._chosen)

    def _visit_inner(self, node: Node) -> None:
        before = self._asked
        if node.op == "if" and self._arms:
            self._asked = before | set(self._tested(node.inputs[0]))
        super()._visit_inner(node)
        self._asked = before

    def _tested(self, value: Value) -> Iterator[Value]:
        """The numbers that a truth value is found from, at once."""
        waiting, seen = [value], {value}
        while waiting:
            node = self._made_by.get(found := waiting.pop())
            made_of: list[Value] = []
            if node is not None and node.op == "if":
                place = node.outputs.index(found)
                made_of = [node.inputs[0], *(arm.outputs[place] for arm in node.blocks)]
            elif node is not None and node.op == "apply":
                yield from (v for v in node.inputs if v.aval.is_inexact)
                made_of = [v for v in node.inputs if not v.aval.is_inexact]
            waiting += [v for v in made_of if v not in seen]
            seen.update(made_of)

    def _is_asked(self, value: Value) -> bool:
        node = self._made_by.get(value)
        return value in self._asked or (
            node is not None and not self._asked.isdisjoint(node.inputs))

    def _use(self, node: Node, value: Value) -> None:
        if self._hides(node, value) or self._is_asked(value):
            self._chosen.append(value)
        elif self._keeps_apart(node):
            self._hand_on((value,) * len(node.outputs), node.outputs)
        else:
            self._used.append(value)

    def holds(self, value: Value) -> bool:
        """Is there what hides elements on each way from ``value`` to the results?"""
        return value in self._hidden and value not in self._shown

    def _keeps_apart(self, node: Node) -> bool:
        """Does the node move elements, or compute on each by itself?  (Where parts are taken of a
        sum, it is zero for all that went into it.)"""
        if node.op != "apply":
            return node.op not in ("call", "pack", "unpack", "effect")
        entry = self._bindings.of(node).entry
        return entry is not None and (entry.broadcasts or self._parts)

    def _may_hide(self, node: Node) -> bool:
        if node.op == "if":
            return self._arms
        if node.op == "apply":
            return node.params["fn"] in _CHOICES or (self._parts and (
                node.params["fn"] in _SELECTIONS or node.params["fn"] in _PRODUCTS))
        return self._parts and node.op in ("read", "write")

    def _hides(self, node: Node, value: Value) -> bool:
        """Does ``np.where`` choose between ``value`` and something else, or is a triangle taken?"""
        if node.op == "if" or not self._may_hide(node):
            return False
        if node.op != "apply":
            return node.inputs[0] is value
        fn, args = node.params["fn"], node.params["args"]
        if fn is np.where:
            return sum(type(a) is Ref and node.inputs[a.index] is value for a in args[1:]) == 1
        return fn not in _PRODUCTS or self.mask_beside(node, value) is not None

    def mask_beside(self, node: Node, value: Value) -> Value | None:
        """The factor of zeros and other numbers that a product multiplies ``value`` by."""
        if node.op != "apply" or node.params["fn"] not in _PRODUCTS:
            return None
        return next((v for v in node.inputs if v is not value and self._is_mask(v)), None)

    def made_of(self, value: Value) -> Iterator[Node]:
        """The functions by which ``value`` is made, as far as they keep its elements apart."""
        found = (self._made_by.get(v) for v in self._before([value]))
        return (node for node in found if node is not None and node.op == "apply")

    def _is_mask(self, value: Value) -> bool:
        """Is ``value`` an array of truth values, or of zeros and other numbers made of some?"""
        if value.aval.dtype is not None and value.aval.dtype.kind == "b":
            return True
        node = self._made_by.get(value)
        if node is None or node.op != "apply":
            return False
        fn = node.params["fn"]
        if fn is np.where:
            return any(type(a) in (int, float) and a == 0 for a in node.params["args"])
        return fn in _MASKS or (fn in _OF_MASKS and any(map(self._is_mask, node.inputs)))
