"""Array operations of a block as nests of loops over elements: in which nest each is.

What is read once is computed where it is read.  Memory that is
about to be overwritten is read before; where a nest reads other elements of what it writes, the
values are computed first, into an array of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Builder, Node, Ref, Value, fill
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import defined_in, walk
from srcgrad.native.bodies import Access, Body
from srcgrad.native.checks import raised_if
from srcgrad.native.elements import MOVES, PRODUCTS, REDUCTIONS, SAME, loop_index, rule_of
from srcgrad.native.facts import Facts, Scope
from srcgrad.native.holding import MAKERS, ROUNDED, TOTALS
from srcgrad.native.nest import WRITES, Nest, domain_of, meets
from srcgrad.native.places import At, Unlowered, indices, is_harmless
from srcgrad.native.predicates import any_outside, first_outside
from srcgrad.types.dims import Dim, is_varying
from srcgrad.types.kinds import BOOL, INT, SCALARS, Kind
from srcgrad.types.spelling import Method

if TYPE_CHECKING:
    from srcgrad.native.lowering import Lowering

_REF = Ref(0)
_DEAR = frozenset({operator.truediv, np.divide, *ROUNDED, np.sqrt})


class Run:
    """Goes through one block.  ``lazy`` are values that are computed where they are read."""

    def __init__(self, whole: Lowering, nodes: tuple[Node, ...], scope: Scope,
                 facts: Facts) -> None:
        self.whole, self.scope, self.facts = whole, scope, facts
        self.nodes, self.own = nodes, set(nodes)
        self.out: list[Node] = []
        self.lazy: dict[Value, Node] = {}
        self.pending: Nest | None = None
        self.renamed: dict[Value, Value] = {}
        self.made: set[Node] = set()
        self.unplaced: dict[Value, Node] = {}
        self.views: dict[Value, Node] = {}
        self.seen: set[Node] = set()
        self.met: dict[Value, Node] = {}
        self.emitted: Nest | None = None
        self.within: set[tuple[Value, Dim]] = set()  # indices that were asked

    # ---- sizes -----------------------------------------------------------------------------
    def size(self, dim: Dim, stop: bool = False) -> At:
        if not is_varying(dim):
            try:
                return self.whole.outer.size(dim, self.whole.front, stop)
            except Unlowered:
                pass
        builder = Builder()
        found = self.scope.size(dim, builder, stop)
        self.made.update(builder.nodes)
        self.out += builder.nodes
        return found

    # ---- values ----------------------------------------------------------------------------
    def memory(self, value: Value) -> Value:
        return self.whole.memory(value)

    def is_pending(self, value: Value) -> bool:
        return self.pending is not None and value in self.pending.defined

    def maker(self, value: Value) -> Node | None:
        """What computes a value where it is read: a lazy operation, or a view whose base is still
        what it was (as a nest is written down: what it was when the nest was gathered)."""
        if self.emitted is not None:
            return self.emitted.makers.get(value)
        node = self.lazy.get(value) or (self.whole.views.get(value) if self.is_fresh(value)
                                        else None)
        if node is not None:
            self.met[value] = node
        return node

    def is_fresh(self, view: Value) -> bool:
        """Is the base of a view still what it was?"""
        if view not in self.whole.views:
            return False
        base = self.whole.views[view].inputs[0]
        root = self.base_of(base)
        latest = self.whole.latest.get(self.memory(root), root)
        return latest is root or base in self.lazy or view in self.unplaced

    def is_member(self, value: Value) -> bool:
        """Is a value computed element by element in the nest that is gathered?"""
        return self.pending is not None and any(
            value in n.outputs and n.op not in WRITES for n in self.pending.members)

    def base_of(self, value: Value) -> Value:
        while value in self.whole.views:
            value = self.whole.views[value].inputs[0]
        return value

    # ---- one node after the other ------------------------------------------------------------
    def add(self, node: Node) -> None:
        if node.blocks:
            self.nested(node)
            return
        kind = self.whole.kind(node, self)
        self.seen.add(node)
        if kind in ("element", "write") and "steps" in node.params and not is_adjoint(node):
            self.indices(node)
        if kind == "view":
            self.whole.views[node.out] = self.views[node.out] = node
            if node.inputs[0] in self.lazy or node.inputs[0] in self.unplaced:
                self.unplaced[node.out] = node
            else:
                self.place(node)
        elif kind == "write":
            self.write(node)
        elif kind == "element":
            if self.is_inlined(node):
                self.lazy[node.out] = node
            else:
                self.join(node)
        elif node.op == "dim" and (node.inputs[0] in self.lazy or node.inputs[0] in self.unplaced):
            aval = node.inputs[0].aval
            assert aval.shape is not None
            at = self.size(aval.shape[node.params["axis"]])
            builder = Builder()
            self.renamed[node.out] = Body(self, builder, []).value(at)
            self.out += builder.nodes
        elif _is_list_of_numbers(node):
            self.listed(node)
        elif _is_movable(node):
            self.needed(node.inputs)
            self.place(node)
        else:
            self.needed(node.inputs)
            self.flush()
            self.out.append(node)
            self.offer(node)
            if node.op in WRITES:
                self.written(node)

    def indices(self, node: Node) -> None:
        """Asks of arrays of indices whether they lie within what they select from: of those of
        the backward part the forward part has."""
        shape = node.inputs[0].aval.shape or ()
        for v, axis in indices(node.params["steps"], node.inputs, shape):
            if (v, shape[axis]) in self.within:
                continue
            self.within.add((v, shape[axis]))
            self.needed([v])
            if self.pending is not None and (self.pending.writes or v in self.pending.defined):
                self.flush()
            asked = Builder(node.origin and replace(node.origin, role="support"))
            size = Body(self, asked, []).value(self.size(shape[axis]))
            raised_if(asked, asked.apply(any_outside, (v, size), {}, BOOL), IndexError, "index ",
                      lambda b, v=v, size=size: b.apply(first_outside, (v, size), {}, INT),
                      f" is out of bounds for axis {axis} with size ", size)
            self.out += asked.nodes

    def listed(self, node: Node) -> None:
        """``np.array([a, b])``: an array that is filled number by number."""
        builder, shape = Builder(node.origin), node.out.aval.shape or ()
        dtype = node.out.aval.dtype
        keywords = {} if dtype == np.float64 else {"dtype": dtype}
        made = builder.apply(np.empty, (shape,), keywords, node.out.aval)
        made.hint, made.obj = node.out.hint, node.out.obj
        body = Body(self, builder, [])
        body.current[made] = made
        for place in np.ndindex(*map(int, shape)):  # type: ignore[arg-type]
            item = node.params["args"][0]
            for i in place:
                item = item[i]
            body.store("write", made, tuple(map(At, place)), fill(item, node.inputs))
        self.rename(node.out, body.current[made])
        if self.pending is not None and any(v in self.pending.defined for v in node.inputs):
            self.flush()
        self.out += builder.nodes
        self.offer(node)

    def nested(self, node: Node) -> None:
        inside = [v for b in node.blocks for n in walk(b) for v in n.inputs]
        inside += [v for b in node.blocks for v in b.outputs]
        self.needed([*node.inputs, *inside])
        self.flush()
        if "kernel" not in node.params:
            node = node.but(blocks=tuple(
                self.whole.block(b, self.scope, self.facts) for b in node.blocks))
        self.out.append(node)
        changed = LoopParts(node).inits if node.op == "loop" else ()
        for v in changed:  # may be written to in the loop
            if v.aval.kind is Kind.ARRAY:
                self.whole.latest[self.memory(v)] = None
        for block in node.blocks:
            local = defined_in(block)
            for n in walk(block):
                if n.op in WRITES and n.inputs[0] not in local:
                    self.whole.latest[self.memory(n.inputs[0])] = None
        self.offer(node)

    def offer(self, node: Node) -> None:
        for v in node.outputs:
            self.scope.offer(v)

    def place(self, node: Node) -> None:
        """Puts a pure node before what is pending, or behind it if it reads of it."""
        pending = self.pending
        if pending is not None and any(v in pending.defined for v in node.inputs):
            pending.after.append(node)
            pending.defined.update(node.outputs)
            return
        self.out.append(node)
        if node.outputs[0] not in self.whole.views:
            self.offer(node)

    def needed(self, values: Iterable[Value]) -> None:
        """Values that something else than a nest reads."""
        for v in values:
            if v in self.unplaced:
                node = self.unplaced.pop(v)
                self.needed(node.inputs)
                self.place(node)
            self.force(v)

    def force(self, value: Value) -> None:
        node = self.lazy.pop(value, None)
        if node is not None:
            self.join(node)

    # ---- what is computed where it is read ---------------------------------------------------
    def is_inlined(self, node: Node) -> bool:
        if node.out.aval.kind is not Kind.ARRAY:
            return False
        sinks = self.sinks(node.out)
        if sinks is None:
            return False
        rule = rule_of(node)
        if rule in MOVES:
            return True
        cheap = node.params["fn"] in SAME and node.params["fn"] not in _DEAR and not any(
            v in self.lazy for v in node.inputs)
        return (len(sinks) == 1 and (cheap or all(self.is_once(n, node) for n in sinks))) or (
            cheap and len(sinks) <= 3 and not any(self.is_pending(v) for v in node.inputs))

    def is_once(self, consumer: Node, node: Node) -> bool:
        """Does a consumer read each element once?"""
        if consumer.op in WRITES:
            return _is_alike(node.out.aval.shape or (), domain_of(consumer))
        rule = rule_of(consumer)
        if rule in REDUCTIONS:
            return True
        if rule in PRODUCTS or rule in MOVES:
            return False
        return _is_alike(node.out.aval.shape or (), consumer.out.aval.shape or ())

    def sinks(self, value: Value) -> list[Node] | None:
        """What reads a value, through views; None if something else than a nest does."""
        found: list[Node] = []
        for user in self.whole.users.get(value, ()):
            if user is None or user not in self.own:
                return None
            kind = self.whole.kind(user, self)
            if kind == "view":
                inner = self.sinks(user.out)
                if inner is None:
                    return None
                found += inner
            elif kind is None or (kind == "write" and user.inputs[0] is value):
                return None
            else:
                found.append(user)
        return found

    # ---- nests -----------------------------------------------------------------------------
    def write(self, node: Node) -> None:
        base, memory = node.inputs[0], self.memory(node.inputs[0])
        self.needed([base])
        for v in list(self.lazy):
            if v in self.lazy and self.is_read_later(v) and any(
                    a[0] is memory for a in self.reads_of(v)):
                self.force(v)
        self.detached(memory)
        if self.is_pending(base) and memory not in (self.pending.writes if self.pending else ()):
            self.flush()
        self.join(node)
        self.written(node)

    def detached(self, memory: Value) -> None:
        """Views of memory that is about to be written, which nests read later, become values."""
        for v, node in [*self.views.items()]:
            base = self.base_of(v)
            if self.memory(base) is not memory or not self.is_fresh(v) or (
                    not self.is_read_later(v) or self.sinks(v) is None):
                continue
            raw = v.like()
            self.whole.views[raw] = node.but(outputs=(raw,))
            del self.whole.views[v], self.views[v]
            for nodes in (self.out, self.pending.after if self.pending else []):
                nodes[:] = [self.whole.views[raw] if n is node else n for n in nodes]
            copied = self.copy_of(raw, v, node)
            self.whole.users[raw] = [copied]
            self.join(copied)

    def is_read_later(self, value: Value) -> bool:
        return any(user is None or (self.is_read_later(user.out) if user in self.seen and (
            user.op == "read" or (user.outputs and user.outputs[0] in self.lazy))
            else user not in self.seen) for user in self.whole.users.get(value, ()))

    def copy_of(self, source: Value, target: Value, node: Node) -> Node:
        """``target = source``, element by element."""
        copied = Node("apply", (source,), (target,), {
            "fn": np.broadcast_to, "args": (_REF, source.aval.shape), "kwargs": {},
            "many": False}, (), node.origin)
        self.own.add(copied)
        return copied

    def reads_of(self, value: Value) -> list[Access]:
        found: list[Access] = []
        body = Body(self, Builder(), found)
        index = tuple(At.of(loop_index(d, "i")) for d in value.aval.shape or ())
        body.element(value, index)
        return found

    def written(self, node: Node) -> None:
        memory = self.memory(node.inputs[0])
        self.whole.roots[node.out] = memory
        self.whole.latest[memory] = node.out

    def join(self, node: Node) -> None:
        """Makes a node a member of the pending nest, or of a new one."""
        domain = domain_of(node)
        if not domain:
            self.alone(node)
            return
        while True:
            if self.pending is None or self.pending.domain != domain:
                self.flush()
                self.pending = Nest(self, domain)
            nest = self.pending
            self.met.clear()
            accesses, places_ = nest.accesses(node)
            memory = self.memory(node.inputs[0]) if node.op in WRITES else None
            if places_ is not None and any(a[0] is memory and meets(a[2], places_, nest.index)
                                           for a in accesses):
                node = self.with_values_first(node)
            elif nest.bars(node, accesses, memory, places_):
                self.flush()
            else:
                break
        nest.join(node, accesses, memory, places_)

    def with_values_first(self, node: Node) -> Node:
        """A write whose values are computed before it."""
        value = node.inputs[1]
        if value in self.lazy:
            self.force(value)
            self.flush()
            return node
        copied = self.copy_of(value, Value(value.aval), node)
        self.whole.users[copied.out] = [node]
        self.join(copied)
        self.flush()
        made = node.but(inputs=(node.inputs[0], copied.out, *node.inputs[2:]))
        self.own.add(made)
        for users in map(self.whole.users.__getitem__, made.inputs):
            users[:] = [made if user is node else user for user in users]
        return made

    # ---- writing nests down ------------------------------------------------------------------
    def alone(self, node: Node) -> None:
        """A number that is made of arrays: in front of what is pending, if it may be."""
        if any(a[0] in self.pending.defined or a[0] in self.pending.writes
               for a in Nest(self, ()).accesses(node)[0]) if self.pending else False:
            self.flush()
        pending, self.pending = self.pending, None
        rule = rule_of(node)
        assert rule is not None
        builder = Builder(node.origin)
        found = rule(Body(self, builder, []), node, ())
        self.pending = pending
        self.rename(node.out, found)
        self.out += builder.nodes

    def rename(self, old: Value, new: Value) -> None:
        if new.hint is None:
            new.hint, new.obj = old.hint, old.obj
        self.renamed[old] = new

    def flush(self) -> None:
        nest, self.pending = self.pending, None
        if nest is None:
            return
        if nest.members:
            self.emitted = nest
            nodes, made = nest.written_down()
            self.emitted = None
            self.out += nodes
            for value, found in made.items():
                self.rename(value, found)
                self.scope.offer(found)
        for node in nest.after:
            self.place(node)

    # ---- the end -----------------------------------------------------------------------------
    def all(self, outputs: Iterable[Value] = ()) -> tuple[Node, ...]:
        """The nodes that come of all, where ``outputs`` are needed."""
        for node in self.nodes:
            self.add(node)
        self.needed(outputs)
        self.flush()
        return tuple(self.out)

    def read_elsewhere(self) -> list[Value]:
        return [_last(self.renamed, v) for v, users in self.whole.users.items()
                if any(user is None or user not in self.own for user in users)]

    def new_names(self) -> dict[Value, Value]:
        return {k: _last(self.renamed, k) for k in self.renamed}

    def alive(self, nodes: tuple[Node, ...], outputs: Iterable[Value]) -> tuple[Node, ...]:
        """Without views and sizes that nothing reads."""
        made = {n.outputs for n in self.made}
        read = set(outputs)
        kept: list[Node] = []
        for node in reversed(nodes):
            idle = not any(v in read for v in node.outputs) and (
                node.op == "const" or node.outputs in made or (
                    node.op == "read" and node.out in self.whole.views and is_harmless(
                        node.params["steps"], node.inputs, node.inputs[0].aval.shape or ())))
            if idle:
                continue
            kept.append(node)
            read.update(reads_of(node))
        return tuple(reversed(kept))


def reads_of(node: Node) -> Iterator[Value]:
    """What a node reads, and the blocks in it."""
    yield from node.inputs
    for block in node.blocks:
        yield from block.outputs
        for inner in walk(block):
            yield from inner.inputs


def _last(renamed: dict[Value, Value], value: Value) -> Value:
    while value in renamed:
        value = renamed[value]
    return value


def _is_list_of_numbers(node: Node) -> bool:
    """Is it ``np.array`` of a list of numbers that are made floats, or of such lists?"""
    shape, dtype = node.outputs[0].aval.shape if node.outputs else None, None
    if node.op != "apply" or node.params["fn"] not in (np.array, np.asarray) or not shape or any(
            not isinstance(d, int) for d in shape) or node.params["kwargs"]:
        return False
    dtype = node.out.aval.dtype
    return dtype == np.float64 and len(node.params["args"]) == 1 and isinstance(
        node.params["args"][0], (list, tuple)) and all(
        v.aval.kind in SCALARS and v.aval.dtype != bool for v in node.inputs)


def _is_alike(shape: tuple[Dim, ...], whole: tuple[Dim, ...]) -> bool:
    """Is nothing of a shape stretched where it is broadcast?"""
    return len(shape) == len(whole) and all(
        a == b or a != 1 for a, b in zip(shape, whole, strict=True))


def _is_movable(node: Node) -> bool:
    """Is a node pure, and held as it is?"""
    if node.op in ("const", "undef", "dim", "alias"):
        return True
    if node.op == "read":
        return all(getattr(s, "basic", True) for s in node.params["steps"])
    if node.op == "acc":
        return node.inputs[0].aval.kind in SCALARS
    if node.op != "apply":
        return False
    fn = node.params["fn"]
    return all(v.aval.kind in SCALARS for v in (*node.inputs, *node.outputs)) or (
        fn in MAKERS or fn in TOTALS or fn == Method("copy"))

