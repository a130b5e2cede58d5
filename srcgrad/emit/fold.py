"""Which nodes are printed as part of the expression that uses them.

A value without a name of the user's that is used once, in its own block and within the same
statement of the user, is not given a variable: its expression stands where it is used; so does one
that never raises in another statement (what a function that was inlined is given, or returns).  The
node is then evaluated later than program order says, so nothing may lie between that could
change what it reads: no write, effect or nested region (numbers may pass a write).
"""

from __future__ import annotations

import operator
from bisect import bisect
from collections.abc import Iterator, Sequence

from srcgrad.emit.events import Event, Events, Families
from srcgrad.emit.order import Order, is_adjoint
from srcgrad.emit.wrapping import WIDTH
from srcgrad.graph.checking import checks
from srcgrad.graph.ir import (
    WRITES,
    Block,
    Graph,
    Node,
    Ref,
    Suggested,
    Value,
    has_plain_arguments,
    references,
)
from srcgrad.graph.raising import is_calm
from srcgrad.graph.walking import walk
from srcgrad.types.kinds import Kind
from srcgrad.types.spelling import PLACES, Method

MAX_DEPTH = 24
REPEATED = 3

_FOLDABLE = frozenset({"apply", "read", "dim", "get", "list", "list_len", "copy", "if", "call",
                       "pack"})


def occurrences(node: Node) -> Sequence[Value]:
    """The inputs of a node as often as its text names them, in the order of the text."""
    params = node.params
    if node.op in ("apply", "effect"):
        if has_plain_arguments(node):
            return [node.inputs[a.index] for a in params["args"] if type(a) is Ref]
        found = [*references((params["args"], params.get("kwargs")))]
    elif "steps" in params:
        found = [0, *references(params["steps"])]
        if node.op != "read":
            found.append(1)
        elif params.get("handle"):
            found.append(len(node.inputs) - 1)
    else:
        return node.inputs
    return [node.inputs[i] for i in found]


def same_statement(a: Node, b: Node) -> bool:
    """Do two nodes come from one statement of the user?  (What stands in the arms of ``and``
    and of ``x if p else y`` is recorded as a statement of its own.)"""
    if a.origin is None or b.origin is None:
        return a.origin is b.origin
    if a.origin.statement == b.origin.statement:
        return True
    here, there = a.origin.where, b.origin.where
    return here is not None and there is not None and (
        (here.line, here.filename) == (there.line, there.filename)
        and a.origin.callers == b.origin.callers)


def is_named(value: Value) -> bool:
    """Has a value a name that is to be seen?"""
    return value.hint is not None and type(value.hint) is not Suggested


def is_short_circuit(node: Node) -> bool:
    """Is this ``if`` the value of ``p and q`` or ``p or q``?"""
    if node.op != "if" or len(node.outputs) != 1:
        return False
    then, orelse = node.blocks
    return (then.outputs[0] is node.inputs[0]) != (orelse.outputs[0] is node.inputs[0])


def _handed_on(block: Block) -> Iterator[Value]:
    """The lists that may change, or be called otherwise, after they were made."""
    for node in walk(block):
        for i, value in enumerate(node.inputs):
            if value.aval.kind is Kind.LIST and (i or node.op not in _LOOKS) and not (
                    node.op == "apply" and not isinstance(node.params["fn"], Method)):
                yield value
        for inner in node.blocks:
            yield from inner.params
            yield from inner.outputs
    yield from block.params
    yield from block.outputs


_LOOKS = ("get", "list_len", "list_like")


def is_size_of_carried(loop: Node, node: Node) -> bool:
    """Is the bound of a loop a size of the one array or list that it carries, whose name it
    keeps?"""
    spec = loop.loop
    if node.op not in ("dim", "list_len") or spec.n_carried != 1 or spec.kind != "for":
        return False
    base, carried = node.inputs[0], loop.blocks[-1].params[1]
    return loop.inputs[spec.first_init] is base and carried.hint == base.hint and (
        base.aval.kind is Kind.LIST or (
            carried.aval.shape == base.aval.shape is not None and carried.obj == base.obj))


class Folding:
    """``inlined`` maps nodes to the position where they are evaluated; ``users`` maps values
    to the number of places that name them."""

    def __init__(self, order: Order, border: int | None, families: Families) -> None:
        self.order = order
        self.families = families
        self.border_position = 1 << 62
        self.inlined: dict[Node, int] = {}
        self.users: dict[Value, int] = {}
        self.consumer: dict[Value, Node | Block] = {}
        self.consumed_in: dict[Value, Block] = {}
        self.producer: dict[Value, Node] = {}
        self.depth: dict[Node, int] = {}
        self.repeated: dict[Value, bool] = {}
        self.shift: dict[Node, int] = {}  # of nodes in a loop's head: see Liveness.loop
        self.border = border
        self.handed_on: set[Value] = set()

    def run(self, graph: Graph) -> Folding:
        if self.border is not None and self.border < len(graph.block.nodes):
            self.border_position = self.order.start[graph.block.nodes[self.border]]
        self.count(graph.block)
        self.handed_on = set(_handed_on(graph.block))
        self.block(graph.block, self.border)
        return self

    def is_repeated(self, value: Value) -> bool:
        """Is this written out wherever it is used: ``u.shape[0]``, ``i - 1``?"""
        if value not in self.repeated:
            self.repeated[value] = self.should_repeat(value)
        return self.repeated[value]

    def should_repeat(self, value: Value) -> bool:
        node = None if is_named(value) else self.producer.get(value)
        if node is None:
            return False
        if not 1 + (node.op != "list_len") <= self.users.get(value, 0) <= REPEATED:
            return False
        if node.op == "dim":
            return node.inputs[0].hint is not None
        if node.op == "list_len":
            return is_named(node.inputs[0]) and node.inputs[0] not in self.handed_on
        if node.op == "apply" and node.params["fn"] in (operator.eq, operator.ne):
            return any(self.is_jump(v) for v in node.inputs) and all(
                self.is_jump(v) or self.is_constant(v) for v in node.inputs)
        return self.is_short_sum(node)

    def is_short_sum(self, node: Node) -> bool:
        """``i - 1``: names and numbers that are added."""
        return (node.op == "apply" and node.params["fn"] in (operator.add, operator.sub)
                and node.out.aval.kind is Kind.INT
                and all(v.aval.kind is Kind.INT and (v.hint is not None or self.is_constant(v))
                        for v in node.inputs))

    def is_jump(self, value: Value) -> bool:
        """Does the value tell how a loop was left?"""
        node = self.producer.get(value)
        return node is not None and node.op == "loop" and node.loop.exits and (
            value is node.outputs[0])

    def is_constant(self, value: Value) -> bool:
        node = self.producer.get(value)
        return node is not None and node.op == "const"

    # ---- uses ------------------------------------------------------------------------
    def count(self, block: Block) -> None:
        for node in block.nodes:
            if node.op == "if":
                self.count_arms(node)
            else:
                for inner in node.blocks:
                    self.count(inner)
            for v in occurrences(node):
                self.used(v, node, block)
            for v in node.outputs:
                self.producer[v] = node
        for v in block.outputs:
            self.used(v, block, block)

    def count_arms(self, node: Node) -> None:
        """The arms of an ``if``.  In ``p and q`` one arm gives the test itself: no second use,
        as long as the node is written as an expression."""
        for inner in node.blocks:
            self.count(inner)
            if is_short_circuit(node) and inner.outputs[0] is node.inputs[0]:
                self.users[node.inputs[0]] -= 1

    def used(self, value: Value, by: Node | Block, block: Block) -> None:
        self.users[value] = self.users.get(value, 0) + 1
        self.consumer[value] = by
        self.consumed_in[value] = block

    # ---- decisions -------------------------------------------------------------------
    def block(self, block: Block, border: int | None = None) -> None:
        found: list[Event] = []
        for i, node in enumerate(block.nodes):
            for inner in node.blocks:
                self.block(inner)
            if i == border:
                found.append((self.order.start[node] - 1, None))
            if node.op in WRITES or node.op in ("effect", "call", "loop") or (
                    node.op == "if" and not self.is_expression(node)):
                found.append((self.order.start[node], node))
                if is_short_circuit(node):
                    self.users[node.inputs[0]] += 1
        events = Events(found, self.families, self.is_backward)
        tangents = [] if self.border is not None else [
            self.order.start[n] for n in block.nodes if is_adjoint(n)]
        for node in reversed(block.nodes):
            if node.op in _FOLDABLE and len(node.outputs) == 1:
                target = self.target(node, block)
                start = self.order.end.get(node, self.order.start[node])
                kept = isinstance(self.consumer.get(node.out), Block)
                if target is not None and events.let_pass(node, start, target, kept) and not (
                        bisect(tangents, target) > bisect(tangents, start) and checks(node)
                        and not is_adjoint(node)):  # the user's operation raises, not its tangent
                    self.inlined[node] = target

    def is_expression(self, node: Node) -> bool:
        """Can this ``if`` be written as ``a if p else b``?"""
        if node.op != "if" or len(node.outputs) != 1:
            return False
        some = False
        for inner in node.blocks:
            for n in inner.nodes:
                if n.op == "const":
                    continue
                some = True
                if n not in self.inlined or not same_statement(n, node):
                    return False
            made = self.producer.get(inner.outputs[0])
            if made is not None and made.op == "undef":
                return False
        return some or node.out.hint is None or "choice" in node.params

    def target(self, node: Node, block: Block) -> int | None:
        out = node.out
        if self.users.get(out) != 1 or self.consumed_in[out] is not block:
            return None
        if self.is_last_read(node):
            return self.order.span[self.consumed_in[out]][1]
        if (is_named(out) and node.op != "list" and not self.is_step(node)) or (
                node.params.get("handle")):
            return None
        if node.op == "if" and not self.is_expression(node):
            return None
        if node.op == "copy" and not self.is_backward(node):
            return None
        if node.op == "apply" and node.params.get("many"):
            return None
        if node.op == "call" and node.params.get("effects"):
            return None
        by = self.consumer[out]
        if isinstance(by, Block):
            return self.order.span[by][1]
        if not self.accepts(by, out):
            return None
        if not self.one_statement(node, by):
            return None
        depth = self.depth.get(by, 0) + 1 if by in self.inlined else 1
        if depth > MAX_DEPTH:
            return None
        self.depth[node] = depth
        if by in self.shift:
            self.shift[node] = self.shift[by]
        elif by.op == "loop":
            bound = any(v is out for v in by.inputs[:by.loop.first_init])
            self.shift[node] = 1 + (bound and not is_size_of_carried(by, node))
        return self.inlined.get(by, self.order.start[by])

    def is_last_read(self, node: Node) -> bool:
        """An item of a list of cotangents that is returned as it is: ``float(d_x[0])``."""
        by = self.consumer[node.out]
        return (node.op == "get" and self.is_backward(node) and isinstance(by, Node)
                and by.op == "apply" and by.params["fn"] is float and self.is_backward(by)
                and by in self.inlined and isinstance(self.consumer.get(by.out), Block))

    def is_step(self, node: Node) -> bool:
        """A first step of a cotangent whose next value replaces it: ``d_x = e; d_x = d_x + f``."""
        by = self.consumer[node.out]
        return (isinstance(by, Node) and by.op in ("apply", "copy") and len(by.outputs) == 1
                and by.outputs[0].hint == node.out.hint and self.is_backward(node)
                and node.op in ("read", "apply"))

    def accepts(self, by: Node, value: Value) -> bool:
        if by.op in WRITES and by.inputs[0] is value:
            return False
        if by.op == "read" and by.params.get("handle") and by.inputs[-1] is value:
            return False
        if by.op == "apply" and any(by.params["fn"] is f for f in PLACES):
            return False  # is named twice
        if by.op in ("loop", "undef"):
            return by.op != "loop" or (self.is_bound(by, value) and not self.counts(by, value))
        return True

    def counts(self, loop: Node, value: Value) -> bool:
        """Is the value, which is long, named again wherever the loop counts what it keeps?"""
        spec = loop.loop
        return spec.kind == "for" and value is loop.inputs[0] and (
            spec.n_produced + spec.n_consumed > 0) and not self.is_short_sum(self.producer[value])

    def is_backward(self, node: Node) -> bool:
        """Does the node stand in the backward part (whatever part it was repeated from)?"""
        if self.border is None:
            return is_adjoint(node)
        return self.order.start[node] >= self.border_position

    def is_bound(self, loop: Node, value: Value) -> bool:
        """Is the value one of the loop's range bounds or initial values?"""
        spec = loop.loop
        return any(v is value for v in loop.inputs[:spec.first_init + spec.n_carried])

    def one_statement(self, node: Node, by: Node) -> bool:
        if self.is_backward(node) != self.is_backward(by):
            return False
        if node.origin is None or by.origin is None or self.is_backward(node):
            return True
        return same_statement(node, by) or (
            self.is_quiet(node) and self.length(self.statement(by)) <= WIDTH)

    def statement(self, node: Node) -> Node:
        """The node whose statement a node is part of."""
        while node in self.inlined and isinstance(by := self.consumer[node.out], Node):
            node = by
        return node

    def length(self, node: Node) -> int:
        """About how many characters a node and what is computed for it alone take."""
        fn = node.params.get("fn")
        own = 3
        if fn is not None and getattr(fn, "__module__", "") != "_operator":
            own += len(str(getattr(fn, "__name__", getattr(fn, "name", ""))))
        plain = [*node.params.get("args", ()), *(node.params.get("kwargs") or {}).items()]
        own += sum(2 + len(str(a)) for a in plain if type(a) is not Ref)
        for v in node.inputs:
            made = None if is_named(v) or self.users.get(v) != 1 else self.producer.get(v)
            if made is None or made.op not in _FOLDABLE or made.blocks:
                own += 2 + len(v.hint or "")
            else:
                own += self.length(made)
        return own

    def is_quiet(self, node: Node) -> bool:
        """Does a node neither raise nor warn, which would be said of the line it stands in?"""
        return is_calm(node) and not checks(node) and (
            all(self.is_quiet(n) for inner in node.blocks for n in inner.nodes))
