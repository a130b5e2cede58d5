"""Before it is printed: the loops of a graph that become kernels, marked and checked.

``params["kernel"]`` numbers such a loop, and the loops in it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import count

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.emit.sizes import row_shape
from srcgrad.emit.sunk import sunk
from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import rebuild, walk
from srcgrad.native.approximate import approximated
from srcgrad.native.checks import Checks
from srcgrad.native.columns import Columns
from srcgrad.native.constants import with_constants_in_front
from srcgrad.native.divisions import with_fewer_divisions
from srcgrad.native.exchanges import without_branches
from srcgrad.native.facts import Facts, Scope
from srcgrad.native.fuse import FusedKernels, turned
from srcgrad.native.holding import begins, rounded, why_not
from srcgrad.native.lengths import with_equal_lengths
from srcgrad.native.lowering import Lowering
from srcgrad.native.nests import Run, reads_of
from srcgrad.native.once import once
from srcgrad.native.parallel import in_parallel
from srcgrad.native.places import Unlowered
from srcgrad.native.powers import with_real_powers
from srcgrad.native.promote import promoted
from srcgrad.native.recurrences import with_short_recurrences
from srcgrad.native.regrouped import regrouped
from srcgrad.native.stencils import with_stencils_gathered
from srcgrad.native.unsigned import with_unsigned_indices
from srcgrad.native.widths import too_wide
from srcgrad.native.written_out import written_out
from srcgrad.types.dims import Atom, symbols
from srcgrad.types.kinds import SCALARS, Kind


class Prepared:
    """A graph whose outermost loops that a kernel can hold are marked, but for those in ``left``.

    ``loops`` are the numbers of these loops; ``reasons`` tell of each other loop what holds it
    in NumPy, with its place.  ``fast``: functions become polynomials; ``parallel``: iterations
    that need nothing of others run at the same time.
    """

    def __init__(self, graph: Graph, left: Container[int], fast: bool,
                 joined: bool = False, parallel: bool = False) -> None:
        self.left, self.fast = left, fast
        graph = with_real_powers(with_constants_in_front(with_equal_lengths(graph)))
        self.loops: set[int] = set()
        self.native: list[Node] = []
        self.reasons: dict[int, tuple[Node, str]] = {}
        self.numbers: Iterator[int] = count()
        self.inputs = graph.inputs
        self.lowering = Lowering(graph.block)
        self.columns = Columns(graph)
        self.facts = self.asked()
        self.checks = Checks(self.facts)
        scope, nodes = Scope().inside(graph.inputs), graph.block.nodes
        border = len(nodes) if graph.border is None else graph.border
        parts = [tuple(self.nodes(nodes[:border], scope)),
                 tuple(self.nodes(nodes[border:], scope))]
        parts = self.columns.tidied(parts, graph.outputs)
        block = graph.block
        if joined:
            try:
                parts, renamed = self.between(parts, Scope().inside(graph.inputs))
            except Unlowered:  # it stays as it is
                renamed = {}
            block = rebuild(block.but(nodes=(*parts[0], *parts[1])), renamed)
            parts = [block.nodes[:len(parts[0])], block.nodes[len(parts[0]):]]
        parts = self.checked(parts)
        fused = FusedKernels((*parts[0], *parts[1]), block.outputs, len(parts[0]))
        self.ones = {n.out for n in fused.nodes if n.op == "const" and type(
            n.params["value"]) is float and n.params["value"] == 1.0}
        forward, backward = (list(map(self.finished, part)) for part in (
            fused.nodes[:fused.border], fused.nodes[fused.border:]))
        self.alone: list[tuple[Node, str]] = []
        if parallel:
            forward, backward = (in_parallel(p, self.facts, self.alone)
                                 for p in (forward, backward))
        block = rebuild(block.but(nodes=(*forward, *backward)), fused.renamed)
        self.loops &= {n.params["kernel"] for n in walk(block) if n.params.get("outermost")}
        self.graph = graph.but(block=block,
                               border=None if graph.border is None else len(forward))

    def notes(self, parallel: Sequence[Node] = ()) -> tuple[str, ...]:
        """Which loops run natively, and which of them in parallel (of those that were marked for
        it), and why others do not."""
        found = dict.fromkeys(f"native: {_line(node)}" for node in self.native)
        found.update((f"in NumPy: {_line(node)}   ({reason})", None)
                     for node, reason in self.reasons.values())
        spread, alone = {_part(n) for n in parallel}, {_part(n): why for n, why in self.alone}
        for n in walk(self.graph.block):
            if n.params.get("parallel") and _part(n) not in spread:
                alone[_part(n)] = "a variable of it goes from one iteration to the next"
        found.update((f"in parallel: {part}", None) for part in sorted(spread))
        found.update((f"on one thread: {part}   ({why})", None) for part, why in alone.items())
        if any(rounded(n) for loop in self.native for b in loop.blocks for n in walk(b)):
            found["powers and functions such as exp and log may differ from NumPy's by a few "
                  "units in the last place"] = None
        if self.fast and self.native:
            found["fast: sums and products may be reordered and fused, quotients be products with "
                  "inverses; fast_exp and the like are polynomials within one unit in the last "
                  "place"] = None
        return tuple(found)

    def between(self, parts: list[tuple[Node, ...]],
                scope: Scope) -> tuple[list[tuple[Node, ...]], dict[Value, Value]]:
        """What stands between two native loops lowered as well, so that one kernel holds all."""
        ends = [(p, i) for p, nodes in enumerate(parts) for i, n in enumerate(nodes)
                if n.op == "loop" and "kernel" in n.params]
        if not ends:
            return parts, {}
        found: list[tuple[tuple[Node, ...], Run, tuple[Node, ...], tuple[Node, ...]]] = []
        renamed: dict[Value, Value] = {}
        facts = self.asked(limits=False)
        for p, nodes in enumerate(parts):
            first = 0 if ends[0][0] < p else ends[0][1] if ends[0][0] == p else len(nodes)
            last = len(nodes) if ends[-1][0] > p else ends[-1][1] + 1 if ends[-1][0] == p else 0
            last = max(first, last)
            for n in nodes[:first]:
                for v in n.outputs:
                    scope.offer(v)
            run = self.lowering.apart(nodes[first:last], scope, facts)
            found.append((nodes[:first], run, run.all(), nodes[last:]))
            renamed.update(run.new_names())
        read: set[Value] = set()  # by what follows: sizes are made once
        for k, (before, run, inside, after) in reversed([*enumerate(found)]):
            read.update(v for node in after for v in reads_of(node))
            inside = run.alive(inside, (*run.read_elsewhere(), *read))
            read.update(v for node in (*before, *inside) for v in reads_of(node))
            found[k] = before, run, inside, after
        made = [(*before, *(self.made(n, self.entered()) if (
            n.op == "loop" and "kernel" not in n.params and n not in nodes) else n
            for n in inside), *after) for nodes, (before, _, inside, after) in zip(
                parts, found, strict=True)]
        self.facts.update(facts)
        return made, renamed

    def checked(self, parts: Sequence[Sequence[Node]]) -> list[tuple[Node, ...]]:
        """Parts of a block with checks of what stands between loops, which a kernel may hold."""
        nodes = [n for part in parts for n in part]
        places = [i for i, n in enumerate(nodes) if "kernel" in n.params]
        if not places:
            return [*map(tuple, parts)]
        first = next(i for i, n in enumerate(nodes) if begins(n))
        found: list[tuple[Node, ...]] = []
        i = 0
        for part in parts:
            made: list[Node] = []
            for node in part:
                between = first <= i <= places[-1] and "kernel" not in node.params and (
                    not is_adjoint(node))
                made += self.checks.around(node) if between and unheld(node) is None else [node]
                i += 1
            found.append(tuple(made))
        return found

    def asked(self, limits: bool = True) -> Facts:
        """What calls are asked, of which nothing is yet."""
        lengths = {v: self.columns.lengths[v] for v in self.columns.outside}
        return Facts(self.inputs, self.fast, lengths, limits)

    def entered(self) -> int:
        number = next(self.numbers)
        self.loops.add(number)
        return number

    def block(self, block: Block, scope: Scope) -> Block:
        scope = scope.inside(block.params)
        (nodes,) = self.checked([[*self.nodes(block.nodes, scope)]])
        return block.but(nodes=nodes)

    def nodes(self, nodes: Sequence[Node], scope: Scope) -> Iterator[Node]:
        for node in nodes:
            for made in self.node(node, scope):
                self.columns.note(made)
                yield made
            for v in node.outputs:
                scope.offer(v)

    def node(self, node: Node, scope: Scope) -> list[Node]:
        if node.op == "list_like" and node.inputs[0].aval.elem is None:  # of what is empty
            node = Node("list", (), node.outputs, {}, (), node.origin)
        if node.op != "loop":
            return [self.outside(node, scope)]
        number = next(self.numbers)
        if number in self.left:
            self.reasons[number] = (node, "what it keeps is in lists that NumPy code reads")
            return [self.outside(node, scope)]
        facts = self.asked()
        inner = scope.inside(())
        (*before, lowered), after, reason = self.lowered(node, inner, facts)
        asked = self.checks.asked()
        made = self.made(lowered, number) if reason is None else lowered
        if reason is None and any(n.op == "effect" for n in after):
            made = made.but(params={**made.params, "late": True})
            if any(n.op == "effect" for b in made.blocks for n in walk(b)):
                reason = "an exception would leave a list as it was"
                self.checks.everywhere = asked
        if reason is None:
            self.loops.add(number)
            self.native.append(node)
            self.facts.update(facts)
            scope.arrays.update(inner.arrays)
            scope.rows.update(inner.rows)
            for _ in (n for b in node.blocks for n in walk(b) if n.op == "loop"):
                next(self.numbers)
            return [*before, made, *after]
        self.reasons[number] = (node, reason)
        return [self.outside(node, scope)]

    def made(self, node: Node, number: int) -> Node:
        """A loop that a kernel holds."""
        return _marked(self.checks(node), number)

    def finished(self, node: Node) -> Node:
        """A node with the loops that kernels hold as they are printed."""
        if "kernel" not in node.params:
            return node.but(blocks=tuple(b.but(nodes=tuple(map(self.finished, b.nodes)))
                                         for b in node.blocks)) if node.blocks else node
        node = written_out(promoted(node, self.facts))
        node = once(sunk(with_stencils_gathered(turned(node)), self.facts.inputs))
        node = with_short_recurrences(with_fewer_divisions(node, self.ones))
        node = without_branches(node, self.facts)
        return with_unsigned_indices(approximated(node) if self.fast else regrouped(node))

    def outside(self, node: Node, scope: Scope) -> Node:
        """A node that stays in NumPy, with kernels in its blocks."""
        return node.but(blocks=tuple(self.block(b, scope) for b in node.blocks)) if (
            node.blocks) else node

    def lowered(self, node: Node, scope: Scope, facts: Facts) -> tuple[
            list[Node], list[Node], str | None]:
        """What stands before a loop, and the loop, with what it does to arrays and lists done to
        their elements; what stands after it; and why it is not held."""
        try:
            held = self.columns.loop(node, scope, facts)
            for n in held.before.nodes:
                scope.offer(n.out)
            found = [held.loop]
            if unheld(held.loop) is not None:
                found = self.lowering.loop(held.loop, scope, facts)
        except Unlowered as reason:
            return [node], [], str(reason)
        return [*held.before.nodes, *found], held.after.nodes, unheld(found[-1])


def _line(node: Node) -> str:
    where = None if node.origin is None else node.origin.where
    return "a loop" if where is None else f"line {where.line}: {where.text.strip()}"


def _part(node: Node) -> str:
    return _line(node) + "   (its backward part)" * is_adjoint(node)


def unheld(loop: Node) -> str | None:
    """Why a loop does not become a kernel."""
    for node in (loop, *(n for b in loop.blocks for n in walk(b))):
        reason = why_not(node)
        if reason is not None:
            return reason
    return too_wide(loop)


def _with_value(node: Node) -> Node:
    """What is not known, which nothing reads then, as something of its type."""
    if node.op != "undef" and (node.op != "const" or node.params["value"] is not None):
        return node
    aval = node.out.aval
    if aval.kind is Kind.LIST:
        return Node("list", (), node.outputs, {}, (), node.origin)
    if aval.kind is Kind.ARRAY and aval.shape:
        return Node("apply", (), node.outputs, {
            "fn": np.empty, "args": ((0,) * len(aval.shape),), "kwargs": {"dtype": aval.dtype},
            "many": False}, (), node.origin)
    whole = aval.dtype is not None and aval.dtype.kind in "iu"
    truth = aval.kind is Kind.NONE or (aval.dtype is not None and aval.dtype.kind == "b")
    value = False if truth else 0 if whole else 0.0
    return Node("const", (), node.outputs, {"value": value}, (), node.origin)


def _marked(node: Node, number: int, around: frozenset[Atom] = frozenset(),
            within: bool = False) -> Node:
    """A loop, and those in it, numbered; what they keep lies in arrays where it has one shape."""
    if not node.blocks:
        return _with_value(node)
    inner = around
    if node.op == "loop" and node.loop.kind == "for":
        inner = around | {*symbols(node.blocks[-1].params[0].aval.expr)}
    blocks = tuple(b.but(nodes=tuple(_marked(n, number, inner, True) for n in b.nodes))
                   for b in node.blocks)
    if node.op != "loop":
        return node.but(blocks=blocks)
    spec, elements = node.loop.but(user="range"), LoopParts(node).produced
    if spec.kind == "for" and not spec.exits and elements:  # kept in arrays
        known = spec.stacked or (False,) * len(elements)
        makers = {v: n for n in blocks[-1].nodes for v in n.outputs}
        shapes = [row_shape(node, e, makers.get(e)) for e in elements]
        spec = spec.but(stacked=tuple(
            s or e.aval.kind in SCALARS or (shape is not None and all(
                not a.varying or a in around for d in shape for a in symbols(d)))
            for s, e, shape in zip(known, elements, shapes, strict=True)))
    facts = {"kernel": number, "loop": spec, "outermost": not within}
    return node.but(params={**node.params, **facts}, blocks=blocks)
