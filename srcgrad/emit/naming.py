"""Variables: which values share a name.

Names are the user's (the values' hints).  Every value that needs a variable has a span of
program order in which it must be kept; two values may share a name if their spans do not
meet, so versions of one object, the carried values of a loop and the outcomes of a branch
fall on one name by themselves wherever that is right, and assignments between equal names
are not printed.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence

from srcgrad.emit.fold import Folding, is_named
from srcgrad.emit.liveness import Liveness
from srcgrad.emit.order import Order, is_adjoint
from srcgrad.emit.spans import SECOND, TEMPORARY, NameTable, Span
from srcgrad.graph.ir import WRITES, Block, Graph, Node, Ref, Value, only_index
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.dims import symbols
from srcgrad.types.identifiers import made_name
from srcgrad.types.kinds import SCALARS, Kind


@dataclass
class LoopNames:
    """The extra variables of a loop."""

    slots: list[str] = field(default_factory=list)
    index: str = "_"
    sequences: list[str] = field(default_factory=list)
    trips: str | None = None
    jump: str | None = None
    count: str | None = None  # number of iterations known before the loop
    ordinal: str | None = None  # a counter beside the index


class Naming:
    """The name of every variable: ``of[value]``, and ``loops[node]``."""

    def __init__(self, graph: Graph, order: Order, folding: Folding, live: Liveness,
                 parameters: Sequence[str], reserved: Iterable[str]) -> None:
        self.order, self.folding, self.live = order, folding, live
        self.hints = {v.hint for v in graph.inputs}
        self.tests: set[Value] = set()
        for node in walk(graph.block):
            if node not in folding.inlined:
                self.hints.update([v.hint for v in node.outputs])
            for inner in node.blocks:
                self.hints.update([v.hint for v in inner.params])
            if node.op == "if":
                self.tests.add(node.inputs[0])
        self.table = NameTable(reserved, [h for h in self.hints if h])
        # by name: where it was claimed, and where what it was claimed for is alive
        self.claims: dict[str, list[tuple[int, list[Span], Value]]] = {}
        self.of: dict[Value, str] = {}
        self.loops: dict[Node, LoopNames] = {}
        self.prefer: dict[Value, str] = {}
        self.outputs = frozenset(graph.outputs)
        self.late: dict[Value, int] = {}
        self.shared: dict[Value, str] = {}
        self.defined: dict[Value, bool] = {}
        self.eligible = set(graph.block.params)
        for node in graph.block.nodes:
            if not is_adjoint(node) and node.op != "copy":
                self.eligible.update(v for i, v in enumerate(node.outputs)
                                     if self.is_defined(node, i) and not v.aval.optional)
        for name, p in zip(parameters, graph.block.params, strict=True):
            self.of[p] = name
            self.table.occupy(name, live.spans(p), p)
            self.claims[name] = [(0, live.spans(p), p)] if p.hint == name else []
        self.block(graph.block)

    def is_defined(self, node: Node, index: int) -> bool:
        """Does every path give output ``index`` a value?"""
        output = node.outputs[index]
        if node.op != "if":
            return node.op != "loop" or output not in LoopParts(node).lasts
        if output not in self.defined:
            makers = [self.folding.producer.get(b.outputs[index]) for b in node.blocks]
            self.defined[output] = not any(
                m is not None and (m.op == "undef" or (m.blocks and not self.is_defined(
                    m, m.outputs.index(b.outputs[index]))))
                for m, b in zip(makers, node.blocks, strict=True))
        return self.defined[output]

    def claim(self, value: Value, name: str, spans: list[Span], looped: bool) -> None:
        """Notes that a value has ``name``, and the older values that still hold it where a loop
        claims it."""
        start = spans[0][0]
        held = self.claims.setdefault(name, [])
        if looped:
            alive, latest = [], start
            for began, theirs, holder in reversed(held):
                if theirs and theirs[-1][1] > latest:  # than where the name was claimed since
                    alive.append((began, theirs, holder))
                latest = max(latest, began)
            alive.reverse()
            for _, theirs, holder in alive:
                if any(a < d and c < b for a, b in theirs for c, d in spans):
                    self.late.setdefault(holder, start)
            held[:] = [c for c in alive if c[2] not in self.late]  # of others no more is to be said
        held.append((start, spans if value in self.eligible else [], value))

    def take(self, value: Value, wanted: str, spans: list[Span], preferred: str | None = None,
             adjoint: bool = False) -> str:
        """A name for ``value``.  If the user's name is held by an older value of the user's, a loop
        has it nevertheless: the older value is noted, and gets a second name (``late``)."""
        made = self.folding.producer.get(value)
        if not adjoint and preferred in (None, wanted) and value.hint == wanted:
            self.claim(value, wanted, spans, made is None or made.op == "loop")
        return self.table.take(wanted, spans, preferred, value)

    def wanted(self, *values: Value | None) -> str:
        for v in values:
            hint = None if v is None else self.hint(v)
            if hint and hint.endswith(SECOND):
                return made_name(hint.removesuffix(SECOND)) + SECOND
            if hint:
                if hint == "return" or hint.endswith("_return"):
                    hint = hint.removesuffix("return") + "out"
                return made_name(hint)
        return TEMPORARY

    def hint(self, value: Value) -> str | None:
        """The user's name, or the name of a later version that is made from it in place."""
        steps = 0
        while value.hint is None and steps < 16:
            by = self.folding.consumer.get(value)
            if isinstance(by, Node) and by.op == "loop" and value.aval.kind is Kind.LIST:
                return self.carried_hint(by, value)
            if not isinstance(by, Node) or by.op not in WRITES or by.inputs[0] is not value:
                found = self.purpose(value)
                return None if found in self.hints else found
            value, steps = by.outputs[0], steps + 1
        return value.hint

    @staticmethod
    def carried_hint(loop: Node, value: Value) -> str | None:
        """The name of a loop's carried value that starts as ``value``."""
        parts = LoopParts(loop)
        return next((param.hint for init, param in zip(parts.inits, parts.carried, strict=True)
                     if init is value), None)

    def purpose(self, value: Value) -> str | None:
        """A name for a value that nobody named: by what it is."""
        node = self.folding.producer.get(value)
        if value in self.outputs:
            return "out"
        if node is None:
            return None
        if node.op == "dim":
            atoms = symbols(value.aval.expr)
            return atoms[0].name if len(atoms) == 1 and atoms[0].name.isidentifier() else "n"
        if node.op == "loop":
            if value is node.outputs[-1]:
                return f"n_{self.letter(node)}"
            for element, sequence, _ in LoopParts(node).kept:
                if sequence is value:
                    return self.saved_name(element)
        if node.op == "read":
            return self.part_name(node)
        if value in self.tests and value.aval.kind not in (Kind.INT, Kind.FLOAT):
            return "taken"
        return function_name(node) if node.op == "apply" else None

    def saved_name(self, element: Value) -> str:
        name = self.wanted(element).removesuffix(SECOND)
        if name in (TEMPORARY, "saved"):
            return "saved"
        name = name if name.endswith("_saved") else f"{name}_saved"
        return name if name not in self.hints else name.removesuffix("_saved") + "_kept"

    def element_name(self, node: Node, element: Value) -> str:
        """``u`` for an element of ``u_saved``."""
        wanted = self.wanted(element)
        if wanted != TEMPORARY:
            return wanted
        position = node.blocks[-1].params.index(element)
        source = node.inputs[len(node.inputs) - len(node.blocks[-1].params) + position]
        while source in self.live.sizes.elements:  # a row, read in place
            source = self.live.sizes.elements[source][1]
        sequence = self.of[source]
        base = re.sub(r"_saved(_\d+)?$", "", sequence)
        known = base not in (sequence, "") and element.aval.kind is not Kind.LIST
        return base if known else TEMPORARY

    def part_name(self, node: Node) -> str | None:
        """``d_L_ii`` for ``d_L[i, i]``, ``u_part`` for other parts of ``u``."""
        base = self.of.get(node.inputs[0]) or (node.inputs[0].hint or "").removesuffix(SECOND)
        index = only_index(node)
        if not base or re.fullmatch(r"t\d+", base) or not node.params["steps"]:
            return None
        if index is None:
            return f"{base}_part"
        found: list[str] = []
        for part in index.parts:
            if isinstance(part, Ref):
                part = self.of.get(node.inputs[part.index], "")
            text = str(part)
            if not text.isalnum() or len(text) > 2:
                return f"{base}_part"
            found.append(text)
        return f"{base}_{''.join(found)}"

    def letter(self, node: Node) -> str:
        """What the iterations of a loop are counted by."""
        if node.loop.kind == "while":
            return "while"
        hint = node.blocks[-1].params[0].hint
        return made_name(hint) if hint else "loop"

    # ---- walking ---------------------------------------------------------------------
    def block(self, block: Block) -> None:
        for node in block.nodes:
            if node in self.folding.inlined or node.op in ("const", "undef") or (
                    node.outputs and self.folding.is_repeated(node.outputs[0])):
                continue
            if node.op == "if":
                if self.folding.is_expression(node):
                    self.plain(node)
                else:
                    self.branch(node)
            elif node.op == "loop":
                self.loop(node)
            elif node.op == "read" and node.params.get("handle"):
                self.of[node.outputs[0]] = self.of[self.live.alias[node.outputs[0]]]
            else:
                self.plain(node)

    def plain(self, node: Node) -> None:
        base = self.base_name(node)
        for i, v in enumerate(node.outputs):
            if v not in self.live.last and (i or node.op not in WRITES) and not v.hint:
                self.of[v] = "_"
                continue
            preferred = self.prefer.get(v) or (base if i == 0 else None)
            self.of[v] = self.take(v, self.wanted(v), self.live.spans(v), preferred,
                                   is_adjoint(node) or node.op == "copy")

    def base_name(self, node: Node) -> str | None:
        """The variable that a write, or ``x += e`` on a number, should go on using."""
        augmented = node.origin is not None and node.origin.augmented and node.op == "apply"
        if not node.inputs or not (node.op in WRITES or augmented):
            return None
        base, out = node.inputs[0], node.outputs[0]
        if node.op == "acc" and out.aval.kind in SCALARS and out.hint != base.hint and (
                is_named(out) and is_named(base)):
            return None  # ``d_a = b + ...`` where the first share is the user's number b
        return self.of.get(base)

    def branch(self, node: Node) -> None:
        end = self.order.end[node]
        for i, out in enumerate(node.outputs):
            arms = [b.outputs[i] for b in node.blocks]
            if out not in self.live.last:
                self.of[out] = "_"
                continue
            preferred = self.prefer.get(out) or (self.root_name(arms) if is_adjoint(node) else None)
            name = self.of[out] = self.take(
                out, self.wanted(out, *arms), self.live.spans(out, end + 1),
                preferred, is_adjoint(node))
            for v in arms:
                self.prefer.setdefault(v, name)
        for inner in node.blocks:
            self.block(inner)

    def root_name(self, values: Sequence[Value]) -> str | None:
        """The variable that all values are versions of, written in place."""
        found: set[str | None] = set()
        for value in values:
            made = self.folding.producer.get(value)
            while made is not None and made.op in WRITES and value is made.outputs[0] and (
                    value not in self.of):
                value = made.inputs[0]
                made = self.folding.producer.get(value)
            found.add(self.of.get(value))
        return found.pop() if len(found) == 1 else None

    def loop(self, node: Node) -> None:
        spec, order = node.loop, self.order
        names = self.loops[node] = LoopNames()
        start, end = order.start[node], order.end[node]
        body_start, body_end = order.span[node.blocks[-1]]
        parts = LoopParts(node)
        self.outside(node, names)
        lasts: list[tuple[Value, Value, list[Span]]] = []
        for i, (result, following) in enumerate(zip(
                parts.results + parts.lasts, parts.next + parts.last, strict=True)):
            spans = [(body_end + 1, end + 1), *self.live.spans(result, end + 1)]
            if spec.kind == "while":  # the test runs once more after the last iteration
                spans.append(order.span[node.blocks[0]])
            values: list[Value] = []
            if i < spec.n_carried:
                values = [parts.carried[i], parts.inits[i], *parts.tested[i:i + 1]]
                spans.append((start + 1, body_start + 1))
                spans += self.live.spans(parts.carried[i], body_start + 1)
            elif result not in self.live.last:
                names.slots.append("_")
                self.of[result] = "_"
                continue
            elif result.hint is None and following.hint is None and result not in self.prefer:
                names.slots.append("")
                lasts.append((result, following, spans))
                continue
            wanted = self.wanted(*values[:1], result, following, *values[1:])
            preferred = self.prefer.get(result)
            if preferred is None and values:
                preferred = self.of.get(values[1]) if self.wanted(values[1]) == wanted else None
            first = values[0] if values else result
            name = self.take(first, wanted, merged(spans), preferred, is_adjoint(node))
            names.slots.append(name)
            self.of[result] = name
            for v in (*values[:1], *values[2:]):
                self.of[v] = name
            self.prefer.setdefault(following, name)
        if spec.kind == "for":
            self.name_index(node, names)
        for e in parts.elements:
            if e not in self.live.sizes.elements:
                self.of[e] = self.table.take(self.element_name(node, e), self.live.spans(e))
        for inner in node.blocks:
            self.block(inner)
        for result, following, spans in lasts:  # unnamed: as they are called in the last iteration
            self.of[result] = names.slots[names.slots.index("")] = self.take(
                result, self.wanted(result, following), merged(spans), self.of.get(following))

    def outside(self, node: Node, names: LoopNames) -> None:
        """The variables that exist before the loop runs: sequences, counters."""
        spec, order = node.loop, self.order
        start, end = order.start[node], order.end[node]
        for element, sequence, _ in LoopParts(node).kept:
            if sequence in self.live.sizes.plan(node).rows:  # kept in a row of an outer one
                self.of[sequence] = self.of[self.live.sizes.plan(node).rows[sequence][1]]
                names.sequences.append(self.of[sequence])
                continue
            wanted = self.saved_name(element)
            spans = [(start, max(self.live.last.get(sequence, 0), end + 1))]
            self.of[sequence] = self.table.take(wanted, spans, self.prefer.get(sequence))
            names.sequences.append(self.of[sequence])
        trips = node.outputs[-1]
        plan = self.live.sizes.plan(node)
        if trips in self.live.last or plan.needs_trips:
            spans = [(start, max(self.live.last.get(trips, 0), end + 1))]
            names.trips = self.of[trips] = self.table.take(f"n_{self.letter(node)}", spans,
                                                            self.prefer.get(trips))
        if plan.arrays > 1 and names.trips is None:
            names.count = self.table.take(f"n_{self.letter(node)}", [(start, end + 1)])
        if plan.ordinal == "counter":
            names.ordinal = self.table.take("k", [(start, end + 1)])
        if spec.exits:
            exit_at = node.outputs[0]
            if exit_at in self.shared:
                names.jump = self.of[exit_at] = self.shared[exit_at]
            elif exit_at in self.live.last:
                spans = [(start, self.live.spans(exit_at, end + 1)[-1][1])]
                names.jump = self.of[exit_at] = self.table.take(
                    self.wanted(exit_at) if exit_at.hint else "exit_at", spans,
                    self.prefer.get(exit_at))
                self.share(node.blocks[-1].outputs[0], names.jump)

    def share(self, inner: Value, name: str) -> None:
        """An inner loop's jump number that is the outer one's, too, needs no name of its own."""
        node = self.folding.producer.get(inner)
        if node is not None and node.op == "loop" and node.loop.exits and (
                node.outputs[0] is inner and self.folding.users.get(inner) == 1):
            self.shared[inner] = name

    def name_index(self, node: Node, names: LoopNames) -> None:
        index = node.blocks[-1].params[0]
        if index not in self.live.last:
            self.of[index] = "_"
            return
        wanted = self.wanted(index)
        if wanted == TEMPORARY:
            wanted = next((c for c in "ijklpqr" if c not in self.hints), "index")
        names.index = self.of[index] = self.table.take(wanted, self.live.spans(index))


def function_name(node: Node) -> str | None:
    """``sin_u`` for ``np.sin(u)``, where ``u`` is the user's name."""
    fn, args = node.params["fn"], node.params["args"]
    name = getattr(fn, "name", None) or getattr(fn, "__name__", None)
    if len(node.inputs) != 1 or len(args) != 1 or not isinstance(args[0], Ref) or not name:
        return None
    name, hint = str(name), node.inputs[0].hint or ""
    if not (name.isidentifier() and hint.isidentifier()) or name.startswith("_") or (
            len(hint) > 11 or fn is operator.neg):
        return None
    return f"{name.rstrip('_')}_{hint}"


def merged(spans: list[Span]) -> list[Span]:
    """The same points as disjoint spans."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


