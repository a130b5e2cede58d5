"""Hazards made explicit: from pure values to writes in place.

In the graph a write makes a new version and leaves the old one alone.  At run time a write
destroys the old version and every view of it.  ``realize`` returns a graph with the same
meaning in which *every* ``write``, ``acc``, ``update`` and list operation may be performed in
place on the variable of its base: whatever is read after its memory was overwritten has been
saved by a ``copy`` node.

* Writes of the user (the base has an object number, the node is not of the adjoint) happen on
  the user's object.  What a later node reads of an older version is copied where that version
  is defined; the user's own reads in between still read the original.
* Writes of the adjoint happen in place where the base is memory of ours that nobody reads
  later; otherwise on a copy.  An addition to a whole value becomes ``a + b`` then.
* Gradients that are returned own their memory: no argument, constant, saved value, seed or
  other result shares it.

The pass decides nothing about numbers; ``interpret`` gives the same results before and after.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from srcgrad.emit.events import Families
from srcgrad.emit.order import (
    WRITES,
    Order,
    is_adjoint,
    is_forced,
    is_mutable,
    number,
    reads_content,
)
from srcgrad.emit.reuse import in_place, plain_operator, reusable
from srcgrad.emit.sink import sink_zeros
from srcgrad.emit.storage import Root, Storage, family_of, makes_fresh
from srcgrad.graph.ir import Block, Graph, Node, Origin, Ref, Value, walk
from srcgrad.kinds import Kind


def realize(graph: Graph) -> Graph:
    """The graph with hazards resolved by ``copy`` nodes (see the module)."""
    return realized(graph)[0]


def realized(graph: Graph) -> tuple[Graph, Families]:
    """:func:`realize`, and which values may share memory."""
    if graph.border is None and not any(n.op in WRITES for n in walk(graph.block)):
        return graph, Families({})
    graph = _own_carried(graph.but(block=sink_zeros(graph.block)))
    order, storage = _facts(graph)
    hazards = _Hazards(graph, order, storage)
    hazards.block(graph.block)
    hazards.returns(graph)
    graph = _Rewriter(hazards).graph(graph)
    families: dict[Value, object] = {v: storage.family(v) for v in storage.roots}
    for node in walk(graph.block):
        if node.op == "copy":
            families.setdefault(node.out, families.get(node.inputs[0]))
    return graph, Families({v: f for v, f in families.items() if f is not None})


def _facts(graph: Graph) -> tuple[Order, Storage]:
    order = number(graph, reads_content)
    _forget_saved(graph.block, order)
    return order, Storage(order, is_forced).run(graph)


# ---- carried values that the adjoint writes to ---------------------------------------------


class _Carried:
    """Finds the loop parameters written by the adjoint, directly or in an inner loop."""

    def __init__(self) -> None:
        self.written: dict[Value, None] = {}
        self.parameters: list[Value] = []

    def block(self, block: Block) -> None:
        for node in reversed(block.nodes):
            for inner in reversed(node.blocks):
                self.block(inner)
            if node.op in WRITES and not is_forced(node) and is_mutable(node.inputs[0].aval):
                self.written[node.inputs[0]] = None
            elif node.op == "loop":
                spec = node.loop
                lead = 1 if spec.kind == "for" else 0
                params = node.blocks[-1].params[lead:lead + spec.n_carried]
                inits = node.inputs[spec.first_init:]
                for p, init in zip(params, inits, strict=False):
                    if p in self.written:
                        self.written[init] = None
                        self.parameters.append(p)


def _own_carried(graph: Graph) -> Graph:
    """Copies initial values of carried values that the adjoint writes to, where the memory is
    not its own: one copy before the loop instead of one in each iteration."""
    carried = _Carried()
    carried.block(graph.block)
    if not carried.parameters:
        return graph
    order, storage = _facts(graph)
    return _Owner(carried, order, storage).graph(graph)


class _Owner:
    """Rewrites loops so that carried values written by the adjoint start as its own."""

    def __init__(self, carried: _Carried, order: Order, storage: Storage) -> None:
        self.carried, self.order, self.storage = carried, order, storage

    def graph(self, graph: Graph) -> Graph:
        forward = 0 if graph.border is None else graph.border
        nodes: list[Node] = []
        border = graph.border
        for i, node in enumerate(graph.block.nodes):
            if i == forward and border is not None:
                border = len(nodes)
            self.node(node, nodes)
        if border is not None and forward >= len(graph.block.nodes):
            border = len(nodes)
        return graph.but(block=graph.block.but(nodes=tuple(nodes)), border=border)

    def block(self, block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            self.node(node, nodes)
        return block.but(nodes=tuple(nodes))

    def node(self, node: Node, nodes: list[Node]) -> None:
        if node.op == "loop":
            node = self.loop(node, nodes)
        if node.blocks:
            node = node.but(blocks=tuple(self.block(b) for b in node.blocks))
        nodes.append(node)

    def loop(self, node: Node, nodes: list[Node]) -> Node:
        spec, body = node.loop, node.blocks[-1]
        lead = 1 if spec.kind == "for" else 0
        jump = 1 if spec.exits else 0
        params = body.params[lead:lead + spec.n_carried]
        inputs, outputs = list(node.inputs), list(body.outputs)
        extra: list[Node] = []
        for i, p in enumerate(params):
            if p not in self.carried.written or p.aval.kind is Kind.LIST:
                continue
            init = inputs[spec.first_init + i]
            alone = sum(v is init for v in inputs[spec.first_init:]) == 1
            dead = not self.order.is_live_after(init, self.order.defined[p])
            if not (alone and dead and self.storage.owned(init)):
                copied = _copy_of(init, p.hint or init.hint, node.origin)
                nodes.append(copied)
                inputs[spec.first_init + i] = copied.out
                self.now_owned((p, node.outputs[jump + i]), 0)
            following = outputs[jump + i]
            if not all(root.owned for root in self.storage.of(following)):
                copied = _copy_of(following, following.hint, node.origin)
                extra.append(copied)
                outputs[jump + i] = copied.out
                self.now_owned((p, node.outputs[jump + i]), 1)
        if extra:
            body = body.but(nodes=body.nodes + tuple(extra), outputs=tuple(outputs))
        return node.but(inputs=tuple(inputs), blocks=(*node.blocks[:-1], body))


    def now_owned(self, values: Iterable[Value], alternative: int) -> None:
        """A copy took the place of one origin of these values."""
        for value in values:
            for root in self.storage.of(value):
                if alternative < len(root.alternatives):
                    root.alternatives[alternative] = ()


def _copy_of(value: Value, hint: str | None, origin: Origin | None) -> Node:
    fresh = Value(value.aval, hint)
    return Node("copy", (value,), (fresh,), {}, (), origin)


# ---- saved values --------------------------------------------------------------------------


def produced_by(node: Node) -> tuple[tuple[Value, Value, bool], ...]:
    """The (element, sequence, stacked) triples of a loop node."""
    spec = node.loop
    body = node.blocks[-1]
    jump = 1 if spec.exits else 0
    at = jump + spec.n_carried + spec.n_last
    stacked = spec.stacked or (False,) * spec.n_produced
    return tuple(zip(body.outputs[at:at + spec.n_produced],
                     node.outputs[at:at + spec.n_produced], stacked, strict=True))


def _forget_saved(block: Block, order: Order) -> None:
    """Elements are stored right after their definition: that they are outputs of the body is
    no use at its end."""
    ends: dict[Value, int] = {}
    for node in walk(block):
        if node.op == "loop":
            first, last = order.span[node.blocks[-1]]
            body = node.blocks[-1]
            n = node.loop.n_produced
            others = set(body.outputs[:len(body.outputs) - n])
            for element, _, _ in produced_by(node):
                if element not in others and order.last_use.get(element) == last and (
                        order.defined[element] > first):
                    ends[element] = last
    if not ends:
        return
    real: dict[Value, int] = {}
    for node in walk(block):
        position = order.start[node]
        for i, v in enumerate(node.inputs):
            if v in ends and reads_content(node, i):
                real[v] = max(real.get(v, 0), position)
        for inner in node.blocks:
            last = order.span[inner][1]
            n = node.loop.n_produced if node.op == "loop" and inner is node.blocks[-1] else 0
            for v in inner.outputs[:len(inner.outputs) - n]:
                if v in ends:
                    real[v] = max(real.get(v, 0), last)
    for v in block.outputs:
        if v in ends:
            real[v] = max(real.get(v, 0), order.span[block][1])
    for v in ends:
        born = order.defined[v]
        used = real.get(v, born)
        first = order.threshold(v, used)
        if first != used:  # used inside an inner loop: needed until that loop ends
            used = max(end for start, end in order.loops if start == first)
        order.last_use[v] = used


# ---- hazards -------------------------------------------------------------------------------


class _Hazards:
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
                       for element, _, stacked in produced_by(n) if not stacked]
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
        candidates = self.active.get(family, [])
        kept = [v for v in candidates if last_use.get(v, 0) > position]
        hazards = [v for v in kept if v not in node.outputs
                   and self.order.is_live_after(v, position) and self.storage.overlap(v, base)]
        self.active[family] = kept
        if not is_forced(node) and (not self.storage.owned(base) or any(
                self.cannot_copy(v, position) for v in hazards)):
            self.storage.unshared[node] = None
            return
        for v in hazards:
            self.copies.setdefault(v, []).append((self.order.threshold(v, position), node))
            if v.aval.kind is Kind.LIST and base.aval.kind is not Kind.LIST:
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
        alive = self.active.pop(family, []) + self.active.pop(own, [])
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
        for element, _, stacked in produced_by(node):
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
                if family in found and not root.allocation:
                    found[family] = (found[family][0], True)
        return found

    def returns(self, graph: Graph) -> None:
        """Gradients own their memory: notes the results that must be copied."""
        if graph.border is None:
            return
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


# ---- rewriting -----------------------------------------------------------------------------


class _Rewriter:
    def __init__(self, hazards: _Hazards) -> None:
        self.order, self.storage = hazards.order, hazards.storage
        self.copies, self.returned, self.deep = hazards.copies, hazards.returned, hazards.deep
        self.reused = hazards.reused
        self.kept, self.flowing = hazards.kept, hazards.flowing
        self.produced = {node.blocks[-1]: node.loop.n_produced
                         for node in walk(hazards.graph.block) if node.op == "loop"}
        self.saved: dict[Value, Value] = {}
        self.border: int | None = None

    def graph(self, graph: Graph) -> Graph:
        block = self.block(graph.block, graph.border)
        if not self.returned:
            return graph.but(block=block, border=self.border)
        nodes, outputs = list(block.nodes), list(block.outputs)
        origin = Origin(role="adjoint")
        for i in self.returned:
            original = graph.block.outputs[i]
            if outputs[i] is original or original in self.flowing or outputs[i] in outputs[:i]:
                copied = _copy_of(outputs[i], outputs[i].hint, origin)
                nodes.append(copied)
                outputs[i] = copied.out
        block = Block(block.params, tuple(nodes), tuple(outputs))
        return graph.but(block=block, border=self.border)

    def at(self, value: Value, position: int) -> Value:
        for threshold, node in self.copies.get(value, ()):
            around = threshold != self.order.start[node]  # the write comes round in a loop
            if position > threshold and (
                    not self.order.is_excluded(position, node, threshold) if around
                    else self.order.follows(position, node)):
                return self.saved[value]
        return value

    def save(self, value: Value, nodes: list[Node], origin: Origin | None) -> None:
        if value in self.copies:
            node = self.saving(value, origin)
            if value in self.deep:
                node = node.but(params={"deep": True})
            self.saved[value] = node.out
            nodes.append(node)

    def saving(self, value: Value, origin: Origin | None) -> Node:
        hint = f"{value.hint}_saved" if value.hint else None
        origin = Origin() if origin is None else origin
        origin = Origin(origin.where, origin.callers, origin.statement, False, "support")
        return _copy_of(value, hint, origin)

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
            if v not in inside:
                hold(v, None)
        for p in block.params:
            self.save(p, nodes, None)
        for i, node in enumerate(block.nodes):
            if i == border:
                self.border = len(nodes)
            position = self.order.start[node]
            inputs = tuple(
                self.at(v, position) if reads_content(node, i) else v
                for i, v in enumerate(node.inputs))
            nodes.append(self.rebuilt(node, inputs, nodes))
            for i, v in enumerate(node.outputs):
                if v in kept:
                    hold(v, node.origin)
                if v in self.copies and partly_undefined(node, i):
                    nodes[-1], self.saved[v] = saved_in_arms(nodes[-1], i, self.saving(v, node.origin))
                else:
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
        if any(a is not b for a, b in zip(inputs, node.inputs, strict=True)):
            return node.but(inputs=inputs)
        return node

    def unshared(self, node: Node, inputs: tuple[Value, ...], nodes: list[Node]) -> Node:
        """The write on a copy of its base; a sum for an addition to the whole."""
        base = inputs[0]
        fn = operator.add if node.op == "acc" else plain_operator(node)
        if fn is not None and not node.params["steps"] and _sum_fits(inputs):
            params: dict[str, object] = {"fn": fn, "args": (Ref(0), Ref(1)), "kwargs": {},
                                         "many": False}
            return Node("apply", inputs[:2], node.outputs, params, (), node.origin)
        copied = _copy_of(base, node.outputs[0].hint or base.hint, node.origin)
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


def _sum_fits(inputs: tuple[Value, ...]) -> bool:
    """Is ``base + value`` what adding in place would give: the base's dtype and shape?"""
    base, value = inputs[0].aval, inputs[1].aval
    if base.kind is Kind.ANY or value.kind is Kind.ANY:
        return True
    if base.dtype is None or value.dtype is None or base.shape is None or value.shape is None:
        return False
    if value.kind in (Kind.BOOL, Kind.INT, Kind.FLOAT) and base.dtype.kind in "fc":
        return True
    if len(value.shape) > len(base.shape) and base.kind is Kind.ARRAY:
        return False
    return bool(np.promote_types(base.dtype, value.dtype) == base.dtype)
