"""Which values may share memory at run time.

Every array (or list) value has *roots*: allocations, arguments, constants, or a *meeting* of
several possibilities (an output of an ``if``, a carried value of a loop).  Meetings of one
node form a group: their alternatives belong together position by position, so that the two
buffers of ``u, un = un, u`` are known to stay apart.

The answers are conservative: ``overlap`` may be true of values that never share memory,
``owned`` may be false of memory that nobody else holds.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.emit.order import Order, is_mutable
from srcgrad.graph.freshness import makes_fresh, may_view
from srcgrad.graph.indexing import surely_copies
from srcgrad.graph.ir import WRITES, Block, Graph, Index, Node, Value, fill
from srcgrad.graph.parts import LoopParts
from srcgrad.types.kinds import Aval, Kind
from srcgrad.types.spelling import Method, sums


class Root:
    """A place in memory.  ``alternatives`` are sets of older (or, around a loop, newer) roots
    of which this one is some member; ``group`` names the node that made a meeting.  ``allocated``:
    where it is allocated, if it is an allocation.  ``collected``: what a list may hold, from any
    iteration of the loops around it."""

    __slots__ = ("allocated", "alternatives", "collected", "elements", "group", "owned",
                 "parent", "serial")

    def __init__(self, serial: int, owned: bool, group: object = None) -> None:
        self.serial = serial
        self.owned = owned
        self.allocated: int | None = None
        self.group = group
        self.collected = False
        self.elements: Root | None = None  # of a list: what its elements may be
        self.alternatives: list[tuple[Root, ...]] = []
        self.parent: Root | None = None


def family_of(root: Root) -> Root:
    """The representative of all roots that may ever share memory with ``root``."""
    while root.parent is not None:
        root.parent = root.parent.parent or root.parent
        root = root.parent
    return root


def unify(a: Root, b: Root) -> None:
    """Put two roots into one family; the older representative stays."""
    a, b = family_of(a), family_of(b)
    if a is not b:
        if b.serial < a.serial:
            a, b = b, a
        b.parent = a


def depth_of(node: Node) -> int:
    """How deep in a list of lists is the list that a node changes?"""
    if node.op == "append":
        return len(node.inputs) - 2
    return len(node.inputs) - 3 if node.op in ("put", "list_acc") else 0


def _makes_numbers(node: Node) -> bool:
    """Is it a list of numbers like ``[x] * n``?"""
    return len(node.outputs) == 1 and node.out.aval.kind is Kind.LIST and (
        node.params["fn"] in (operator.mul, sums, Method("tolist")))


def _makes_sum(node: Node) -> bool:
    """Is an array in a list replaced by a sum, which is a new one?  What may be None is not."""
    elem: Aval | None = node.inputs[0].aval
    for _ in node.inputs[2:] if node.op == "list_acc" else ():
        elem = None if elem is None else elem.elem
    return node.op == "list_acc" and elem is not None and elem.kind is Kind.ARRAY and not (
        elem.optional or node.inputs[1].aval.optional)


def _may_be_collected(inside: Root, other: Root) -> bool:
    """May ``other`` be what a list holds, whose elements have the root ``inside``?  A list holds
    what was there in earlier iterations too; a carried value is what an earlier one has left."""
    return inside.collected and not _reached(inside, False).isdisjoint(_reached(other, True))


def _reached(root: Root, around: bool) -> set[Root]:
    """The roots that ``root`` may be; with ``around`` also those of the iteration before."""
    found: set[Root] = set()
    pending = [root]
    while pending:
        x = pending.pop()
        if x not in found:
            found.add(x)
            pending.extend(y for roots in x.alternatives for y in roots
                           if around or x.collected or y.serial < x.serial)
    return found


class Storage:
    """The roots of all values of a graph.

    ``unshared`` holds optional writes (of the adjoint) that must not touch their base, because
    it is not ours or is read later: they work on a copy.
    """

    def __init__(self, order: Order, forced: Any) -> None:
        self.order = order
        self.forced = forced
        self.roots: dict[Value, tuple[Root, ...]] = {}
        self.unshared: dict[Node, None] = {}
        self.views: dict[Value, None] = {}
        self.made: int = 0
        self.constants: dict[int, Root] = {}
        self.written: dict[Root, list[int]] = {}
        self.ours: set[Root] = set()  # found to be owned, and all that they may be

    # ---- making ----------------------------------------------------------------------
    def root(self, owned: bool, group: object = None) -> Root:
        self.made += 1
        return Root(self.made, owned, group)

    def give(self, value: Value, roots: tuple[Root, ...]) -> None:
        if not is_mutable(value.aval):
            return
        unique = tuple(dict.fromkeys(roots))
        self.roots[value] = unique
        for other in unique[1:]:
            unify(unique[0], other)

    def of(self, value: Value | None) -> tuple[Root, ...]:
        return () if value is None else self.roots.get(value, ())

    def meeting(self, group: object, value: Value, *sources: Value | None) -> Root | None:
        """A root for ``value`` that is one of the roots of ``sources``, position by position."""
        if not is_mutable(value.aval):
            return None
        root = self.root(True, group)
        self.give(value, (root,))
        self.extend(root, *sources)
        return root

    def extend(self, root: Root | None, *sources: Value | None) -> None:
        if root is None:
            return
        for source in sources:
            roots = self.of(source)
            self._may_be(root, roots)
            for other in roots:
                unify(root, other)
                if other.elements is not None:
                    self.contain(root, (other.elements,))

    def contain(self, lst: Root, roots: tuple[Root, ...]) -> None:
        """The list ``lst`` may hold elements with these roots."""
        inside = self.inside(lst)
        self._may_be(inside, roots)
        for other in roots:
            unify(inside, other)

    def _may_be(self, root: Root, roots: tuple[Root, ...]) -> None:
        root.alternatives.append(roots)
        if root in self.ours and not self.ours.issuperset(roots):
            self.ours.clear()

    def inside(self, lst: Root) -> Root:
        """The root of the elements of a list."""
        if lst.elements is None:
            lst.elements = self.root(False)
            lst.elements.collected = True
        return lst.elements

    def elements(self, value: Value, depth: int = 1) -> tuple[Root, ...]:
        """The roots of what a list holds, or of what lies so deep in a list of lists (of a sequence
        in an array: the array's)."""
        found = self.of(value)
        if value.aval.kind is Kind.LIST:
            for _ in range(depth):
                found = tuple(self.inside(root) for root in found)
        return found

    # ---- walking ---------------------------------------------------------------------
    def run(self, graph: Graph) -> Storage:
        for i, p in enumerate(graph.block.params):
            self.give(p, (self.root(i in graph.owns),))
        self.block(graph.block)
        return self

    def block(self, block: Block) -> None:
        for node in block.nodes:
            self.node(node)

    def node(self, node: Node) -> None:
        if node.op == "if":
            for inner in node.blocks:
                self.block(inner)
            then, orelse = node.blocks
            for out, a, b in zip(node.outputs, then.outputs, orelse.outputs, strict=True):
                self.meeting(node, out, a, b)
        elif node.op == "loop":
            self.loop(node)
        elif node.op in WRITES:
            self.write(node)
        else:
            self.plain(node)

    def plain(self, node: Node) -> None:
        inputs = tuple(r for v in node.inputs for r in self.of(v))
        for out in node.outputs:
            if not is_mutable(out.aval):
                continue
            own = (self.root(out.obj is None),)
            own[0].allocated = self.order.start[node]
            if node.op == "copy" or self.is_fresh(node, out):
                self.give(out, own)
                if out.aval.kind is Kind.LIST:
                    self.contain(own[0], self.elements(node.inputs[0]))
            elif node.op == "const":
                key = id(node.params["value"])
                constant = self.constants.setdefault(key, self.root(False))
                self.give(out, (constant,))
            elif node.op == "read":
                self.give(out, self.of(node.inputs[0]))
                self.views[out] = None
            elif node.op == "get":
                self.give(out, self.elements(node.inputs[0], len(node.inputs) - 1))
            elif node.op in ("list", "list_like") or (
                    node.op == "apply" and (node.params["fn"] is list  # list(rows of an array)
                                            or _makes_numbers(node))):
                self.give(out, own)
                if node.op != "list_like":
                    self.contain(own[0], inputs)
            elif node.op == "apply" and node.inputs and may_view(node.params["fn"]):
                self.give(out, self.of(node.inputs[0]))
            elif node.op != "undef":
                self.give(out, (self.root(False), *inputs))
                for v in node.inputs:
                    if v.aval.kind is Kind.LIST:  # sorted(L), tuple(L), np.stack(L)
                        self.give(out, (*self.of(out), *self.elements(v)))
                        if out.aval.kind is Kind.LIST:
                            self.contain(self.of(out)[0], self.elements(v))

    def is_fresh(self, node: Node, out: Value) -> bool:
        if node.op == "call":
            if out.aval.kind is Kind.RECORD:
                return bool(node.params.get("sealed"))
            owned: tuple[bool, ...] = node.params.get("owned") or ()
            return bool(owned) and owned[node.outputs.index(out)]
        if node.op == "read":
            return any(isinstance(s, Index) and not s.basic and surely_copies(fill(
                s.key, node.inputs)) for s in node.params["steps"])
        if node.op != "apply":
            return False
        if node.params.get("fresh") and out.aval.kind is Kind.ARRAY:  # as the tracer has found
            return True
        if node.params["fn"] is np.einsum:  # of one array it may be a view
            args = node.params["args"]
            return len(args) > (2 if isinstance(args[0], str) else 3) and (
                "out" not in (node.params.get("kwargs") or {}))
        if out.aval.kind is Kind.LIST:
            args = node.params["args"]
            return node.params["fn"] is operator.getitem and type(args[1]) is slice and (
                node.inputs[0].aval.kind is Kind.LIST)
        return makes_fresh(node.params["fn"], node.params.get("kwargs") or {})

    def write(self, node: Node) -> None:
        base, out = node.inputs[0], node.outputs[0]
        for element in node.outputs[1:]:
            self.give(element, self.elements(base))
        if not is_mutable(base.aval):
            return
        if not self.forced(node) and (
                base.aval.kind is Kind.ANY or not self.owned(base)
                or self.order.is_live_after(base, self.order.start[node])):
            self.unshared[node] = None
            own: tuple[Root, ...] = (self.root(True),)
            own[0].allocated = self.order.start[node]
            if base.aval.kind is Kind.LIST:
                self.contain(own[0], self.elements(base))
        else:
            own = self.of(base)
            for root in (own[:1] if depth_of(node) == 0 else self.elements(base, depth_of(node))):
                self.written.setdefault(root, []).append(self.order.start[node])
        if base.aval.kind is Kind.LIST and node.op != "pop":
            holders = own
            for _ in range(depth_of(node)):
                holders = tuple(self.inside(root) for root in holders)
            item = self.of(node.inputs[1])
            if _makes_sum(node):
                item = (self.root(True),)
                item[0].allocated = self.order.start[node]
            for root in holders:
                self.contain(root, item)
        self.give(out, own)

    def loop(self, node: Node) -> None:
        parts = LoopParts(node)
        meetings = [self.meeting(node.blocks[-1], p, init)
                    for p, init in zip(parts.carried, parts.inits, strict=True)]
        for e, s in zip(parts.elements, parts.sources, strict=True):
            self.give(e, (self.root(False), *self.elements(s)))
        for p, q in zip(parts.tested, parts.carried, strict=False):
            self.give(p, self.of(q))
        for inner in node.blocks:
            self.block(inner)
        for meeting, following in zip(meetings, parts.next, strict=True):
            self.extend(meeting, following)
        for result, init, following in zip(parts.results, parts.inits, parts.next, strict=True):
            self.meeting(node, result, init, following)
        for out, value in zip(parts.lasts, parts.last, strict=True):
            self.meeting(node, out, None, value)
        for value, out, _ in parts.kept:
            self.give(out, (self.root(False),))
            for root in self.of(out):
                self.contain(root, self.of(value))

    def join(self, out: Value, base: Value, position: int) -> None:
        """``out`` is computed in the memory of ``base``, by a write at ``position``."""
        self.extend(self.of(out)[0], base)
        self.written.setdefault(self.of(base)[0], []).append(position)

    # ---- questions -------------------------------------------------------------------
    def family(self, value: Value) -> Root | None:
        roots = self.of(value)
        return family_of(roots[0]) if roots else None

    def families(self, value: Value) -> list[Root]:
        """The family of a value, and for a list that of its elements."""
        roots = self.of(value)[:1]
        if roots and value.aval.kind is Kind.LIST:
            roots += self.elements(value)[:1]
        return list(dict.fromkeys(family_of(r) for r in roots))

    def owned(self, value: Value) -> bool:
        """Is this all of some memory that no argument, constant, object of the user's or
        sequence holds?"""
        if value in self.views:
            return False
        pending = list(self.of(value))
        seen: set[Root] = set()
        while pending:
            root = pending.pop()
            if root in seen or root in self.ours:
                continue
            seen.add(root)
            if not root.owned:
                return False
            for roots in root.alternatives:
                pending.extend(roots)
        self.ours |= seen
        return bool(self.of(value))

    def is_newer(self, a: Value, b: Value) -> bool:
        """Was the memory of ``a`` allocated, in this iteration, when ``b`` was there already?"""
        return all(root.allocated is not None and root.allocated > self.order.defined[b]
                   for root in self.of(a))

    def overlap(self, a: Value, b: Value, depth: int = 0) -> bool:
        """May a write to ``b`` (or to the lists that lie ``depth`` deep in it) be seen in ``a``, if
        both are alive at one moment?"""
        roots = self.of(a)
        if a.aval.kind is Kind.LIST and b.aval.kind is not Kind.LIST:
            roots = self.elements(a)
        pending = [(x, y) for x in roots for y in self.of(b)]
        for level in range(depth):
            pending.extend((x, y) for x in (*roots, *(
                self.elements(a, level + 1) if a.aval.kind is Kind.LIST else ()))
                for y in self.elements(b, level + 1))
        seen: set[tuple[int, int]] = set()
        while pending:
            x, y = pending.pop()
            if x is y:
                return True
            if x.serial < y.serial:
                x, y = y, x
            if (x.serial, y.serial) in seen or family_of(x) is not family_of(y):
                continue
            seen.add((x.serial, y.serial))
            if x.collected or y.collected:
                if _may_be_collected(x, y) or _may_be_collected(y, x):
                    return True
            elif x.group is not None and x.group is y.group:
                for left, right in zip(x.alternatives, y.alternatives, strict=False):
                    pending.extend((p, q) for p in left for q in right)
            else:
                pending.extend((p, y) for roots in x.alternatives for p in roots)
        return False
