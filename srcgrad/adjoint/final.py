"""The final-array rule: what a loop read from an array may still be there when it has ended.

``y[i] = a[i] * y[i - 1] + b[i]`` overwrites no element that was read or written before, so the
backward loop reads ``y[i - 1]`` from the finished array and nothing is saved.  For a read of a
part of some version (a value just stored in a part counts as one) every later write to the
array, in the same iteration and in later ones of all loops around, must be disjoint from it.

Disjointness is shown on one axis, or by branches of which one is not taken where the other is.
The positions are polynomials of the loop indices; a later
iteration of a loop has the index ``i + step * (1 + d)`` with ``d >= 0``, indices of loops
inside it and all other numbers and sizes that it or they make are unrelated; bounds are put in,
innermost index first, until the sign is plain.  What comparisons of integers say counts in
their branches.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

from ..graph.ir import STORES, Block, Graph, Index, Node, Steps, Value, fill
from ..graph.parts import LoopParts
from ..graph.walking import walk
from ..types.dataclasses import dataclass, replace
from ..types.dims import Atom, Dim, Poly, of_atom, proves_nonnegative, substitute, symbol, symbols
from ..types.kinds import Kind, same_dtypes
from .frames import with_values
from .scope import Scope

_COMPARED: dict[Any, tuple[int, bool]] = {  # the sign of the difference; is zero meant, too?
    operator.lt: (-1, False), operator.le: (-1, True), operator.gt: (1, False),
    operator.ge: (1, True), operator.eq: (0, True), operator.ne: (0, False)}


@dataclass(frozen=True)
class Around:
    """One loop around a node: its index and bounds, as far as known."""

    node: Node
    atom: Atom | None
    low: Dim | None
    high: Dim | None
    step: int | None


Region = tuple[tuple[Dim, Dim], ...]  # per axis: first position, one past the last


class _Access(NamedTuple):
    """What is read or written of an array, the loops around, and what branches around say."""

    region: Region
    loops: list[Around]
    taken: list[Dim]


class FinalArrays:
    """Answers for one graph; analyses are made on first use."""

    def __init__(self, graph: Graph, scope: Scope) -> None:
        self._graph, self._scope = graph, scope
        self._stores: list[Node] = []
        self._stored: dict[Value, list[Node]] = {}
        self._around: dict[Block, list[Around]] = {}
        self._facts: dict[Block, list[Dim]] = {}
        self._depth: dict[Atom, int] = {}  # how many loops are around what makes a number
        self._serial = 0
        self._prepared = False

    def of(self, value: Value) -> tuple[Value, Steps] | None:
        """(array, steps) such that ``array[steps]``, read after all loops, is ``value``."""
        self._prepare()
        block = self._scope.block_of[value]
        if not self._scope.in_loop(block):
            return None
        for node, base in self._places(value, block):
            result = self._result(base)
            if result is None:
                continue
            steps = with_values(node)
            region = self._region(steps, base, block)
            if region is not None and self._untouched(block, base, region):
                return result, steps
        return None

    def _prepare(self) -> None:
        if self._prepared:
            return
        self._prepared = True
        forward = self._graph.block.but(nodes=self._graph.block.nodes[:self._graph.border])
        self._note_depths(forward, 0)
        for node in walk(forward):
            if node.op in STORES:
                self._stores.append(node)
                self._stored.setdefault(node.inputs[1], []).append(node)

    def _note_depths(self, block: Block, depth: int) -> None:
        for value in (*block.params, *(v for node in block.nodes for v in node.outputs)):
            for atom in value.aval.symbols:
                self._depth[atom] = min(depth, self._depth.get(atom, depth))
        for node in block.nodes:
            for inner in node.blocks:
                self._note_depths(inner, depth + (node.op == "loop"))

    def _places(self, value: Value, block: Block) -> Iterator[tuple[Node, Value]]:
        """Nodes that tell where ``value`` is: the read that gave it, the writes that stored it;
        each with the version of the array that holds it."""
        node = self._scope.node_of.get(value)
        if node is not None and node.op == "read":
            yield node, node.inputs[0]
        for store in self._stored.get(value, ()):
            if store.op == "write" and self._scope.block_of[store.out] is block and (
                    _exactly(value, store)):
                yield store, store.out

    # ---- versions ------------------------------------------------------------------------------

    def _root(self, version: Value) -> Value | None:
        """The parameter or first version that ``version`` comes from by writes; None where
        that depends on the path."""
        while True:
            node = self._scope.node_of.get(version)
            if node is None:
                return version
            if node.op in STORES:
                version = node.inputs[0]
            elif node.op == "if":
                k = node.outputs.index(version)
                roots = {self._root(b.outputs[k]) for b in node.blocks}
                if len(roots) != 1:
                    return None
                return roots.pop()
            elif node.op == "loop":
                parts = LoopParts(node)
                if version not in parts.results:
                    return version
                k = parts.results.index(version)
                if self._root(parts.next[k]) is not parts.carried[k]:
                    return None
                version = parts.inits[k]
            else:
                return version

    def _result(self, version: Value) -> Value | None:
        """The array's version after the outermost loop around."""
        result: Value | None = None
        root = self._root(version)
        while root is not None and root in self._scope.param_of:
            loop = self._scope.param_of[root]
            parts = LoopParts(loop)
            if root not in parts.carried:
                return None
            k = parts.carried.index(root)
            if self._root(parts.next[k]) is not root:
                return None
            result = parts.results[k]
            if not self._scope.in_loop(self._scope.block_of[result]):
                return result
            root = self._root(parts.inits[k])
        return None

    def _first(self, version: Value) -> Value | None:
        """The version before all loops: what all versions of the array have in common."""
        root = self._root(version)
        while root is not None and root in self._scope.param_of:
            parts = LoopParts(self._scope.param_of[root])
            if root not in parts.carried:
                return None
            root = self._root(parts.inits[parts.carried.index(root)])
        return root

    # ---- later writes --------------------------------------------------------------------------

    def _untouched(self, block: Block, base: Value, region: Region) -> bool:
        """Is every write to a later version than ``base``, which is read or made in ``block``,
        disjoint from ``region`` while the loops run?"""
        first = self._first(base)
        here = self._loops(block)
        taken = self._taken(block)
        made = self._scope.made_at(base)
        if first is None or not here:
            return False
        outermost = here[0].node
        for store in self._stores:
            inside = self._scope.block_of[store.out]
            there = self._loops(inside)
            if not there or there[0].node is not outermost:
                continue
            origin = self._first(store.inputs[0])
            if origin is None and store.inputs[0].aval == base.aval:
                return False
            if origin is not first:
                continue
            written = self._region(with_values(store), store.inputs[0], inside)
            after = self._scope.position[store] > made
            if written is None or not self._disjoint(
                    after, _Access(region, here, taken),
                    _Access(written, there, self._taken(inside))):
                return False
        return True

    def _region(self, steps: Steps, base: Value, block: Block) -> Region | None:
        return _region(steps, base, _bounds(self._loops(block)), self._taken(block))

    def _loops(self, block: Block) -> list[Around]:
        """The loops around a block, outermost first."""
        found = self._around.get(block)
        if found is None:
            found = []
            current = block
            while current in self._scope.owner:
                node, outer = self._scope.owner[current]
                if node.op == "loop":
                    found.append(_around(node))
                current = outer
            found.reverse()
            self._around[block] = found
        return found

    def _taken(self, block: Block) -> list[Dim]:
        """What branches around a block say: numbers that are not negative in it."""
        found = self._facts.get(block)
        if found is None:
            found = self._facts[block] = []
            bounds = _bounds(self._loops(block))
            current = block
            while current in self._scope.owner:
                node, outer = self._scope.owner[current]
                if node.op == "if":
                    found += self._said(node.inputs[0], current is node.blocks[0], bounds)
                current = outer
        return found

    def _said(self, test: Value, holds: bool, bounds: Bounds) -> list[Dim]:
        """What a test says where it holds, or does not; ``and`` and ``or`` are branches."""
        node = self._scope.node_of.get(test)
        if node is not None and node.op == "apply" and node.params["fn"] in _COMPARED:
            return _facts_of(node, holds, bounds)
        if node is not None and node.op == "apply" and node.params["fn"] is operator.not_:
            return self._said(node.inputs[0], not holds, bounds)
        if node is None or node.op != "if":
            return []
        found: list[Dim] = []
        ends = [b.outputs[node.outputs.index(test)] for b in node.blocks]
        for arm in (0, 1):
            other = self._scope.node_of.get(ends[1 - arm])
            known = arm == 1 if ends[1 - arm] is node.inputs[0] else (
                other.params["value"] if other is not None and other.op == "const" else holds)
            if known is not holds:  # so this arm was taken
                found += self._said(node.inputs[0], arm == 0, bounds)
                found += self._said(ends[arm], holds, bounds)
        return found

    def _disjoint(self, after: bool, read: _Access, written: _Access) -> bool:
        """``after``: does the write come after the version in program order?"""
        common = 0
        while common < min(len(read.loops), len(written.loops)) and (
                read.loops[common].node is written.loops[common].node):
            common += 1
        if after and not self._apart(read, written, common, None):
            return False
        return all(self._apart(read, written, level, level) for level in range(common))

    def _unrelated(self, written: _Access, shared: int) -> dict[Atom, Dim]:
        """New names for what is another number where only the first ``shared`` loops are in the
        same iteration."""
        dims = [*chain(*written.region), *written.taken,
                *chain(*((a.low, a.high) for a in written.loops))]
        renaming: dict[Atom, Dim] = {}
        for atom in dict.fromkeys(a for d in dims for a in symbols(d)):
            if self._depth.get(atom, 0) > shared:
                self._serial += 1
                low, high = (b if isinstance(b, int) else None for b in (atom.low, atom.high))
                renaming[atom] = symbol("other", serial=self._serial, low=low, high=high)
        return renaming

    def _apart(self, read: _Access, written: _Access, shared: int, later: int | None) -> bool:
        """Are the regions disjoint if the first ``shared`` loops are in the same iteration and
        loop number ``later`` (if any) is in a later one?"""
        renaming = self._unrelated(written, shared)
        known = [(depth, a.atom, a.low, a.high) for depth, a in enumerate(read.loops)]
        for depth, around in enumerate(written.loops):
            if depth < shared or around.atom is None:
                continue
            self._serial += 1
            if depth == later:
                if around.step is None:
                    return False
                far = around.step * (1 + symbol("later", serial=self._serial))
                renaming[around.atom] = of_atom(around.atom) + far
                known[depth] = (depth, around.atom, *_before(around, far))
                continue
            name = symbol("other", serial=self._serial, low=None)
            low, high = (None if b is None else substitute(b, renaming)
                         for b in (around.low, around.high))
            renaming[around.atom] = name
            known.append((depth, name.atoms()[0], low, high))
        if later is not None and written.loops[later].atom is None:
            return False
        known.sort(key=lambda item: -item[0])
        bounds = [(atom, low, high) for _, atom, low, high in known if atom is not None]
        then = [substitute(fact, renaming) for fact in written.taken]
        facts = [*read.taken, *then]
        if any(_proves(-1 - fact, bounds, facts) for fact in facts):
            return True  # one of them is not taken
        for (r_low, r_high), (w_low, w_high) in zip(read.region, written.region, strict=True):
            w_low, w_high = substitute(w_low, renaming), substitute(w_high, renaming)
            if _proves(w_low - r_high, bounds, facts) or _proves(r_low - w_high, bounds, facts):
                return True
        return False


def _facts_of(test: Node, holds: bool, bounds: Bounds) -> list[Dim]:
    """What a comparison of integers says where it holds, or does not."""
    a, b = map(_position_of, fill(test.params["args"], test.inputs))
    if a is None or b is None:
        return []
    sign, equal = _COMPARED[test.params["fn"]]
    if sign:  # sign * (a - b) > 0, or >= 0
        more = sign * (a - b) if holds else sign * (b - a)
        return [more if equal is holds else more - 1]
    if equal is holds:
        return [a - b, b - a]
    return [d - 1 for d in (a - b, b - a) if _proves(d, bounds)]


def _before(around: Around, far: Dim) -> tuple[Dim | None, Dim | None]:
    """The bounds of an index that has a later one, which is ``far`` away, within the loop's."""
    low, high = around.low, around.high
    if around.step is not None and around.step > 0:
        return low, None if high is None else high - far
    return None if low is None else low - far, high


def _around(node: Node) -> Around:
    parts = LoopParts(node)
    blank = Around(node, None, None, None, None)
    if parts.index is None or not isinstance(parts.index.aval.expr, Poly):
        return blank
    atoms = parts.index.aval.expr.atoms()
    start, stop, step = (v.aval.expr for v in node.inputs[:3])
    if len(atoms) != 1 or parts.index.aval.expr != of_atom(atoms[0]):
        return blank
    found = replace(blank, atom=atoms[0])
    if not isinstance(step, int) or step == 0 or start is None or stop is None:
        return found
    low, high = (start, stop - 1) if step > 0 else (stop + 1, start)
    return replace(found, low=low, high=high, step=-step if node.loop.reverse else step)


def _exactly(value: Value, store: Node) -> bool:
    """Does the place that was written hold just ``value``, unconverted and not broadcast?"""
    base = store.inputs[0]
    steps = with_values(store)
    if not same_dtypes(value.aval, base.aval) or value.aval.kind is Kind.ANY or (
            len(steps) != 1):
        return False
    step = steps[0]
    if not isinstance(step, Index) or not step.basic or base.aval.shape is None:
        return False
    parts = step.parts
    return value.aval.shape == () and len(parts) == len(base.aval.shape) and all(
        _position_of(p) is not None for p in parts)


def _position_of(part: Any) -> Dim | None:
    """The symbolic number of an integer index."""
    if isinstance(part, bool):
        return None
    if isinstance(part, int):
        return part
    if isinstance(part, Value) and part.aval.kind is Kind.INT:
        return part.aval.expr
    return None


Bounds = list[tuple[Atom, "Dim | None", "Dim | None"]]


def _bounds(loops: list[Around]) -> Bounds:
    """The bounds of the loops' indices, innermost first."""
    return [(a.atom, a.low, a.high) for a in reversed(loops) if a.atom is not None]


def _region(steps: Steps, base: Value, bounds: Bounds, facts: Sequence[Dim]) -> Region | None:
    """Positions that certainly contain what the first step selects; None if unknown."""
    shape = base.aval.shape
    if shape is None or not steps:
        return None if shape is None else tuple((0, n) for n in shape)
    step = steps[0]
    whole: Region = tuple((0, n) for n in shape)
    if not isinstance(step, Index) or not step.basic:
        return whole
    parts = list(step.key) if isinstance(step.key, tuple) else [step.key]
    parts = [p for p in parts if p is not None]
    if any(p is Ellipsis for p in parts):
        at = next(i for i, p in enumerate(parts) if p is Ellipsis)
        parts[at:at + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
    parts += [slice(None)] * (len(shape) - len(parts))
    return tuple(_extent(p, n, bounds, facts) for p, n in zip(parts, shape, strict=True))


def _extent(part: Any, size: Dim, bounds: Bounds, facts: Sequence[Dim]) -> tuple[Dim, Dim]:
    if isinstance(part, slice):
        if part.step not in (None, 1):
            return 0, size
        low = 0 if part.start is None else _position_of(part.start)
        high = size if part.stop is None else _position_of(part.stop)
        low, high = (_counted(p, size, bounds, facts) for p in (low, high))
        return (0 if low is None else low), (size if high is None else high)
    position = _counted(_position_of(part), size, bounds, facts)
    return (0, size) if position is None else (position, position + 1)


def _counted(position: Dim | None, size: Dim, bounds: Bounds,
             facts: Sequence[Dim]) -> Dim | None:
    """A position counted from the front; None where its sign is unknown."""
    if isinstance(position, int) and position < 0:
        return size + position
    return position if position is not None and _proves(position, bounds, facts) else None


def _proves(expr: Dim, bounds: Bounds, facts: Sequence[Dim] = ()) -> bool:
    """Is ``expr >= 0`` for all indices within their bounds (innermost first), where each of the
    ``facts`` is?"""
    if any(_proves(expr - fact, bounds) for fact in facts):
        return True
    for atom, low, high in bounds:
        if not isinstance(expr, Poly) or atom not in symbols(expr):
            continue
        coefficient = expr.terms.get(((atom, 1),), 0)
        rest = expr - coefficient * of_atom(atom)
        if coefficient == 0 or (isinstance(rest, Poly) and atom in symbols(rest)):
            return False
        bound = low if coefficient > 0 else high
        if bound is None:
            return False
        expr = rest + coefficient * bound
    return proves_nonnegative(expr)
