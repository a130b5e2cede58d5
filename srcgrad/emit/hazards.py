"""Which writes destroy what is read later, and what must be copied for it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from srcgrad.emit.order import Order, is_forced, is_mutable
from srcgrad.emit.reuse import reusable
from srcgrad.emit.storage import Root, Storage, depth_of, family_of
from srcgrad.graph.freshness import makes_fresh
from srcgrad.graph.ir import WRITES, Block, Graph, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind


class Hazards:
    """Walks in program order and notes what must be copied: ``copies[v]`` are the writes that
    destroy ``v``, each with the position after which uses of ``v`` may come after it."""

    def __init__(self, graph: Graph, order: Order, storage: Storage) -> None:
        self.graph, self.order, self.storage = graph, order, storage
        self.copies: dict[Value, list[tuple[int, Node]]] = {}
        self.active: dict[Root, list[Value]] = {}
        self.returned: list[int] = []
        self.reused: dict[Node, int] = {}
        self.histories: dict[Root, tuple[int, bool]] | None = None
        self.uses = Counter(v for n in walk(graph.block) for v in n.inputs)
        self.listed = [element for n in walk(graph.block) if n.op == "loop"
                       for element, _, stacked in LoopParts(n).kept if not stacked]
        self.kept: dict[Block, dict[Value, None]] = {}  # elements that lists hold a copy of
        self.deep: dict[Value, None] = {}  # lists whose elements must be copied too
        for p in graph.block.params:
            self.alive(p)

    def alive(self, value: Value) -> None:
        for family in self.storage.families(value):
            self.active.setdefault(family, []).append(value)

    def block(self, block: Block) -> None:
        for p in block.params:
            self.alive(p)
        for node in block.nodes:
            for inner in node.blocks:
                self.block(inner)
            if node.op in WRITES and node not in self.storage.unshared:
                self.write(node)
            elif node.op == "apply" and is_adjoint(node):
                self.reuse(node)
            if node.op == "loop":
                self.saved(node)
            for v in node.outputs:
                self.alive(v)

    def write(self, node: Node) -> None:
        base = node.inputs[0]
        family = self.storage.family(base)
        if family is None:
            return
        position = self.order.start[node]
        last_use = self.order.last_use
        depth = depth_of(node)
        candidates = self.active.get(family, [])
        for inner in [family_of(r) for level in range(depth)
                      for r in self.storage.elements(base, level + 1)[:1]]:
            if inner is not family:
                candidates = [*candidates, *self.active.get(inner, [])]
        candidates = list(dict.fromkeys(candidates))
        kept = [v for v in candidates if last_use.get(v, 0) > position]
        hazards = [v for v in kept if v not in node.outputs
                   and self.order.is_live_after(v, position)
                   and not self.storage.is_newer(base, v)
                   and self.storage.overlap(v, base, depth)]
        if not depth:
            self.active[family] = kept
        may_widen = node.op in ("acc", "update") and not node.params["steps"] and (  # real, complex
            base.aval.kind is Kind.ARRAY and (
                base.aval.dtype is None or base.aval.least is not None))
        if not is_forced(node) and (may_widen or not self.storage.owned(base) or any(
                self.cannot_copy(v, position) for v in hazards)):
            self.storage.unshared[node] = None
            return
        for v in hazards:
            self.copies.setdefault(v, []).append((self.order.threshold(v, position), node))
            if v.aval.kind is Kind.LIST and (base.aval.kind is not Kind.LIST or depth):
                self.deep[v] = None

    def reuse(self, node: Node) -> None:
        """``d_h * e`` may be ``d_h *= e`` where nobody reads ``d_h`` any more."""
        place = reusable(node)
        if place is None or (node.out.hint is None and self.uses[node.out] < 2):
            return  # a value used once is better part of an expression
        base, position = node.inputs[place], self.order.start[node]
        family, own = self.storage.family(base), self.storage.family(node.out)
        if family is None or own is None or not self.storage.owned(base) or (
                self.is_listed(family) or self.is_listed(own)):
            return
        if any(self.order.is_live_after(v, position) and self.storage.overlap(v, base)
               for v in self.active.get(family, [])):
            return
        last_use = self.order.last_use
        alive = [v for v in self.active.pop(family, []) + self.active.pop(own, [])
                 if last_use.get(v, 0) > position]
        self.storage.join(node.out, base, position)
        self.histories = None
        self.active.setdefault(family_of(self.storage.of(base)[0]), []).extend(
            dict.fromkeys(alive))
        self.reused[node] = place

    def is_listed(self, family: Root) -> bool:
        """Does a list of a loop hold memory of this family?"""
        return any(self.storage.family(v) is family for v in self.listed)

    def cannot_copy(self, value: Value, position: int) -> bool:
        """Would a copy of ``value`` be no protection against this write?  A copy may itself
        flow into what is written: round a loop, or on from where a first copy was taken."""
        if value.aval.kind is Kind.LIST:
            return True
        if value in self.copies:
            return value in self.flowing
        return self.order.threshold(value, position) != position

    @cached_property
    def flowing(self) -> dict[Value, None]:
        """Values that may get another name: by a branch, a loop, a view, a list."""
        found: dict[Value, None] = {}
        for node in walk(self.graph.block):
            for inner in node.blocks:
                found.update(dict.fromkeys(inner.outputs))
            fresh = node.op == "apply" and makes_fresh(node.params["fn"],
                                                       node.params.get("kwargs") or {})
            plain = fresh or node.op in ("dim", "list_len", "copy") or (
                node.op in WRITES and node.inputs[0].aval.kind is not Kind.LIST)
            if not plain:
                found.update(dict.fromkeys(node.inputs))
        return found

    def saved(self, node: Node) -> None:
        """An element kept by reference must never be written to again."""
        for element, _, stacked in LoopParts(node).kept:
            if stacked or not is_mutable(element.aval) or element.aval.kind is Kind.LIST:
                continue
            if not self.stays(element):
                self.kept.setdefault(node.blocks[-1], {})[element] = None

    def stays(self, element: Value) -> bool:
        family = self.storage.family(element)
        if family is None:
            return True
        if self.histories is None:
            self.histories = self.history()
        last_write, moves = self.histories.get(family, (0, False))
        return not last_write or (not moves and last_write <= self.order.defined[element])

    def history(self) -> dict[Root, tuple[int, bool]]:
        """For each family with writes: the position of the last one, and whether some member
        is anything but an allocation."""
        found: dict[Root, tuple[int, bool]] = {}
        for root, positions in self.storage.written.items():
            family = family_of(root)
            found[family] = (max(found.get(family, (0, False))[0], *positions), False)
        for roots in self.storage.roots.values():
            for root in roots:
                family = family_of(root)
                if family in found and root.allocated is None:
                    found[family] = (found[family][0], True)
        return found

    def returns(self, graph: Graph) -> None:
        """Gradients and tangents own their memory: notes the results that must be copied."""
        outputs = graph.block.outputs
        taken: dict[Root, list[Value]] = {}
        for i, v in enumerate(outputs):
            family = self.storage.family(v)
            if family is None:
                continue
            others = taken.setdefault(family, [])
            if i >= graph.n_primal and v.aval.kind is not Kind.LIST and (
                    not self.storage.owned(v) or any(self.storage.overlap(v, o) for o in others)):
                self.returned.append(i)
            else:
                others.append(v)
