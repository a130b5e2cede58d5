"""Array operations of a block as nests of loops over elements.

Operations over one domain become one nest as long as each reads, of what the nest writes, the
element of this iteration only.  What is read once is computed where it is read.  Memory that is
about to be overwritten is read before; where a nest reads other elements of what it writes, the
values are computed first, into an array of their own.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from srcgrad.dims import Dim, add, is_varying, multiply, proves_positive
from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import (
    Block,
    Builder,
    Node,
    Ref,
    Value,
    defined_in,
    fill,
    free_values,
    rebuild,
    walk,
)
from srcgrad.graph.parts import LoopParts
from srcgrad.kinds import SCALARS, Kind
from srcgrad.native.bodies import Access, Body, Places
from srcgrad.native.elements import (
    MOVES,
    PRODUCTS,
    REDUCTIONS,
    SAME,
    loop_index,
    looped,
    name_of,
    rule_of,
    spread,
)
from srcgrad.native.facts import Facts, Scope
from srcgrad.native.holding import MAKERS, ROUNDED, TOTALS, why_not
from srcgrad.native.places import At, Unlowered, is_harmless, places, selected
from srcgrad.spelling import Method

WRITES = ("write", "acc", "update")
_REF = Ref(0)
_DEAR = frozenset({operator.truediv, np.divide, *ROUNDED, np.sqrt})


class Lowering:
    """Lowers the array operations of loops.  ``users`` are the nodes that read a value (None:
    the end of a block)."""

    def __init__(self, block: Block) -> None:
        self.users: dict[Value, list[Node | None]] = {}
        self._note(block)
        self.roots: dict[Value, Value] = {}
        self.latest: dict[Value, Value | None] = {}
        self.views: dict[Value, Node] = {}
        self.kinds: dict[Node, str | None] = {}
        self.reasons: dict[Node, str] = {}
        self.front, self.outer = Builder(), Scope()

    def _note(self, block: Block) -> None:
        for node in block.nodes:
            for v in node.inputs:
                self.users.setdefault(v, []).append(node)
            for inner in node.blocks:
                self._note(inner)
        for v in block.outputs:
            self.users.setdefault(v, []).append(None)

    def loop(self, node: Node, scope: Scope, facts: Facts) -> list[Node]:
        """A loop with the array operations in it lowered, and in front of it the sizes."""
        self.front, self.outer = Builder(node.origin), scope.inside(())
        lowered = node.but(blocks=tuple(self.block(b, scope, facts) for b in node.blocks))
        read = set(free_values(Block((), (lowered,), ())))
        kept = [lowered]
        for size in reversed(self.front.nodes):
            if size.out in read:
                kept.insert(0, size)
                read.update(size.inputs)
        return kept

    def block(self, block: Block, scope: Scope, facts: Facts) -> Block:
        run = Run(self, block.nodes, scope.inside(block.params), facts)
        nodes = run.all(block.outputs)
        renamed = run.new_names()
        block = rebuild(block.but(nodes=nodes), renamed) if renamed else block.but(nodes=nodes)
        return block.but(nodes=run.alive(block.nodes, block.outputs))

    def apart(self, nodes: tuple[Node, ...], scope: Scope, facts: Facts) -> Run:
        """What lowers some nodes of a block."""
        self.outer = Scope()
        return Run(self, nodes, scope, facts)

    def memory(self, value: Value) -> Value:
        return self.roots.get(value, value)

    # ---- kinds -----------------------------------------------------------------------------
    def kind(self, node: Node, run: Run) -> str | None:
        """``"element"``, ``"write"``, ``"view"``, or None for what is not lowered."""
        if node not in self.kinds:
            try:
                self.kinds[node] = self._kind(node, run)
            except Unlowered as reason:
                self.kinds[node], self.reasons[node] = None, str(reason)
        return self.kinds[node]

    def _kind(self, node: Node, run: Run) -> str | None:
        if node.op == "read":
            if node.out.aval.kind is not Kind.ARRAY or not node.params["steps"]:
                return None
            base = node.inputs[0].aval
            if base.kind is not Kind.ARRAY or base.shape is None:
                return None
            rank = len(selected(node.params["steps"], node.inputs, base.shape))
            places(node.params["steps"], node.inputs, base.shape, (At(),) * rank, run.size)
            return "view"
        if node.op in WRITES:
            return "write" if self._is_write(node, run) else None
        rule = rule_of(node)
        if rule is None or not any(v.aval.kind is Kind.ARRAY for v in node.inputs):
            return None
        if node.out.aval.kind not in (Kind.ARRAY, Kind.SCALAR):
            raise Unlowered(f"{name_of(node)} stays in NumPy")
        if node.params["fn"] in TOTALS and not is_adjoint(node) and (
                node.out.aval.kind is Kind.SCALAR and node.out.aval.dtype == np.float64):
            return None  # NumPy adds up pairwise
        body = Body(run, Builder(node.origin), [], plain=True)
        index = tuple(At.of(loop_index(d, "i")) for d in node.out.aval.shape or ())
        rule(body, node, index)
        for made in body.builder.nodes:
            for inner in (made, *(n for b in made.blocks for n in walk(b))):
                reason = why_not(inner)
                if reason is not None:
                    raise Unlowered(reason)
        return "element"

    def _is_write(self, node: Node, run: Run) -> bool:
        base, value = node.inputs[0].aval, node.inputs[1].aval
        if base.kind is not Kind.ARRAY or not base.shape or base.dtype is None:
            return False
        steps = node.params["steps"]
        shape = selected(steps, node.inputs, base.shape)
        if not shape:
            return False
        places(steps, node.inputs, base.shape, (At(),) * len(shape), run.size)
        if value.dtype is None or not np.can_cast(value.dtype, base.dtype, "same_kind"):
            raise Unlowered(f"{value.dtype} is stored as {base.dtype}")
        spread(Body(run, Builder(), [], plain=True), node.inputs[1], shape, (At(),) * len(shape))
        return True


class Nest:
    """What is gathered for one nest: ``members`` in order, ``after`` what follows it."""

    def __init__(self, domain: tuple[Dim, ...]) -> None:
        self.domain = domain
        self.index = tuple(At.of(loop_index(d, "i")) for d in domain)
        self.members: list[Node] = []
        self.after: list[Node] = []
        self.defined: set[Value] = set()
        self.reads: list[Access] = []
        self.writes: dict[Value, Places] = {}
        self.makers: dict[Value, Node] = {}


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
            return _is_alike(node.out.aval.shape or (), self.domain(consumer))
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
    def domain(self, node: Node) -> tuple[Dim, ...]:
        if node.op in WRITES:
            return selected(node.params["steps"], node.inputs, node.inputs[0].aval.shape or ())
        return node.out.aval.shape or ()

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
        domain = self.domain(node)
        if not domain:
            self.alone(node)
            return
        while True:
            if self.pending is None or self.pending.domain != domain:
                self.flush()
                self.pending = Nest(domain)
            nest = self.pending
            accesses, places_ = self.accesses(node, nest)
            memory = self.memory(node.inputs[0]) if node.op in WRITES else None
            if places_ is not None and any(a[0] is memory and _meets(a[2], places_, nest.index)
                                           for a in accesses):
                node = self.with_values_first(node)
            elif self.is_barred(nest, node, accesses, memory, places_):
                self.flush()
            else:
                break
        nest.makers.update(self.met)
        nest.members.append(node)
        nest.defined.update(node.outputs)
        nest.reads += accesses
        if memory is not None:
            assert places_ is not None
            nest.writes[memory] = places_

    def accesses(self, node: Node, nest: Nest) -> tuple[list[Access], Places | None]:
        found: list[Access] = []
        self.met.clear()
        body = Body(self, Builder(), found)
        if node.op in WRITES:
            spread(body, node.inputs[1], nest.domain, nest.index)
            return found, places(node.params["steps"], node.inputs,
                                 node.inputs[0].aval.shape or (), nest.index, self.size)
        rule = rule_of(node)
        assert rule is not None
        rule(body, node, nest.index)
        return found, None

    def is_barred(self, nest: Nest, node: Node, accesses: list[Access], memory: Value | None,
                  places_: Places | None) -> bool:
        for read, version, place in accesses:
            if read in nest.defined:
                if place != nest.index:
                    return True
            elif read in nest.writes and (_meets(place, nest.writes[read], nest.index) or (
                    self.whole.latest.get(read) is not version)):
                return True
        if memory is None or places_ is None:
            return False
        if memory in nest.writes and (nest.writes[memory] != places_ or any(
                user not in nest.members and user is not node
                for user in self.whole.users.get(node.inputs[0], ()))):
            return True
        if any(r is memory and _meets(place, places_, nest.index) for r, _, place in nest.reads):
            return True
        return any(self.memory(v) is memory or self.memory(self.base_of(v)) is memory
                   for n in nest.after for v in n.inputs)

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
               for a in self.accesses(node, Nest(()))[0]) if self.pending else False:
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

    def is_inside(self, user: Node | None, nest: Nest) -> bool:
        if user is None:
            return False
        if user in nest.members:
            return True
        if user.outputs[0] in nest.makers or (
                user.outputs[0] in self.whole.views and user not in nest.after):
            return all(self.is_inside(u, nest) for u in self.whole.users.get(user.out, ()))
        return False

    def flush(self) -> None:
        nest, self.pending = self.pending, None
        if nest is None:
            return
        if nest.members:
            self.emit(nest)
        for node in nest.after:
            self.place(node)

    def emit(self, nest: Nest) -> None:
        origin = nest.members[0].origin
        builder = Builder(origin)
        body = Body(self, builder, [])
        kept: list[Value] = []
        for node in nest.members:
            if node.op in WRITES:
                memory = self.memory(node.inputs[0])
                if memory not in body.current:
                    body.current[memory] = node.inputs[0]
            elif not all(self.is_inside(u, nest) for u in self.whole.users.get(node.out, ())):
                kept.append(node.out)
                body.current[node.out] = self.empty(node.out, nest, body)

        def level(inner: Body, index: Places) -> None:
            if len(index) == len(nest.domain):
                for node in nest.members:
                    inner.builder.origin = node.origin
                    self.member(inner, node, index, node.out in kept)
                inner.builder.origin = origin
                return
            keys = list(inner.current)

            def make(b: Body, at: At) -> list[Value]:
                level(b, (*index, at))
                return [b.current[k] for k in keys]

            found = looped(inner, nest.domain[len(index)], [inner.current[k] for k in keys],
                           make, len(index))
            inner.current.update(zip(keys, found, strict=True))

        self.emitted = nest
        level(body, ())
        self.emitted = None
        self.out += builder.nodes
        last: dict[Value, Value] = {}
        for node in nest.members:
            if node.op in WRITES:
                last[self.memory(node.inputs[0])] = node.out
        for memory, version in last.items():
            self.rename(version, body.current[memory])
            self.scope.offer(version)
        for value in kept:
            self.rename(value, body.current[value])
            self.scope.offer(body.current[value])

    def empty(self, value: Value, nest: Nest, body: Body) -> Value:
        sizes = tuple(d if isinstance(d, int) else body.value(self.size(d)) for d in nest.domain)
        dtype = value.aval.dtype
        keywords = {} if dtype == np.float64 else {"dtype": dtype}
        made = body.builder.apply(np.empty, (sizes,), keywords, value.aval)
        made.hint, made.obj = value.hint, value.obj
        return made

    def member(self, body: Body, node: Node, index: Places, kept: bool) -> None:
        if node.op not in WRITES:
            rule = rule_of(node)
            assert rule is not None
            found = rule(body, node, index)
            body.memo[node.out, index] = found
            if kept:
                body.store("write", node.out, index, found)
                body.memo[node.out, index] = found
            return
        base = node.inputs[0]
        value = spread(body, node.inputs[1], self.domain(node), index)
        place = places(node.params["steps"], node.inputs, base.aval.shape or (), index, self.size)
        body.store(node.op, self.memory(base), place, value, node.params.get("fn"))

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
            read.update(node.inputs)
            read.update(v for b in node.blocks for n in walk(b) for v in n.inputs)
            read.update(v for b in node.blocks for v in b.outputs)
        return tuple(reversed(kept))


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


def _meets(place: Places, written: Places, index: Places) -> bool:
    """May an iteration read what another one writes?"""
    return place != written and not _is_apart(place, written, index)


def _is_apart(a: Places, b: Places, index: Places) -> bool:
    """Do two places of one array differ in all iterations?"""
    moving = {v for at in index for v, _ in at.terms}
    for x, y in zip(a, b, strict=True):
        terms = x.plus(y.times(-1))
        if any(v in moving for v, _ in (*x.terms, *y.terms)):
            continue
        gap: Dim | None = terms.number
        for v, times in terms.terms:
            gap = None if gap is None or v.aval.expr is None else add(
                gap, multiply(times, v.aval.expr))
        if gap is not None and (proves_positive(gap) or proves_positive(multiply(-1, gap))):
            return True
    return False


def _last(renamed: dict[Value, Value], value: Value) -> Value:
    while value in renamed:
        value = renamed[value]
    return value


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

