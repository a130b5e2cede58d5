"""Lists of numbers that loops read, change or fill, as arrays while a kernel holds the loop; those
that grow or shrink there (:mod:`srcgrad.native.growing`) as lists of the kernel's own.

A list becomes an array in front of the loop, once for all loops after it, and a list again where
something else than a kernel reads what the loop made of it.  An element has the type that the
list's has (``Aval.elem`` of the array): Python's numbers stay Python's.

That takes time for each item, which a loop must be long enough to win back: it goes through the
list, or a call asks (:class:`~srcgrad.native.facts.Facts`) that it is not much shorter.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Builder, Graph, Index, Node, Ref, Suggested, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.prices import work
from srcgrad.graph.symbolic import fresh_size
from srcgrad.graph.walking import read_by, rebuild, uses_of, walk
from srcgrad.native.deferred import deferred
from srcgrad.native.facts import Facts, Rows, Scope
from srcgrad.native.growing import Growing
from srcgrad.native.holding import element_type, why_not
from srcgrad.native.lengths import Lengths
from srcgrad.native.places import Unlowered
from srcgrad.native.rows import flattened, row_ends, row_starts
from srcgrad.native.tidy import Tidy
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.dims import Dim, Poly, multiply, range_length, symbols
from srcgrad.types.kinds import SCALARS, Aval, Kind, int_aval
from srcgrad.types.spelling import Method

COMPENSATED = sys.version_info >= (3, 12)  # sums of Python's floats
TIMES = 8  # so many items are converted in the time of an iteration in NumPy's text, at least
ITEM = 30.0  # nanoseconds that something done to an item takes there
ROW = 600.0  # and something done to a list of a list of lists
WITHIN = 8  # iterations of a loop in a loop, where they are not known


class Columns:
    """The lists of a graph.  ``lengths`` are the sizes of those that come from outside;
    ``integers`` are lists of such, which fit the machine's only where a call says so."""

    def __init__(self, graph: Graph) -> None:
        self.makers = {v: n for n in walk(graph.block) for v in n.outputs}
        self.length = Lengths(graph.block)
        self.outside = [v for v in graph.inputs if v.aval.kind is Kind.LIST]
        self.results = set(graph.outputs)
        self.lengths = {v: self.length.of(v) for v in self.outside}
        self.converted: set[Node] = set()
        self.native: set[Value] = set()  # the lists that kernels have made

    def loop(self, node: Node, scope: Scope, facts: Facts) -> Held:
        """A loop with arrays in the place of lists."""
        held = Held(Builder(node.origin), node, Builder(node.origin))
        growing = Growing(node, self.length, {a for n in walk(Block((), (node,), ())) if
                                              n.op == "loop" for a in self.fills(n).values()})
        arrayed = _Arrayed(self, growing)
        for v in LoopParts(node).sources:
            self.length.known.setdefault(self.length.root(v), next(
                trips_of(node), fresh_size("items", varying=False)))
        for v in read_by(node):
            if v in self.outside and v.aval.elem is not None and (
                    element_type(v.aval.elem) is not None):
                arrayed.rows[v] = self.rows(v, scope, held, facts)
            if element_type(v.aval) is not None and not self.is_kept(v):
                if v not in growing:
                    arrayed.arrays[v] = self.array(v, scope, held, facts)
                elif v not in self.native:
                    arrayed.lists[v] = self.grown(v, scope, held, facts)
        later = deferred(node)
        arrayed.left = later.effects
        made = arrayed.loop(node)
        if arrayed.lists:
            (made,) = rebuild(Block((), (made,), ()), arrayed.lists).nodes
        held.loop = made
        for v in node.outputs:
            if v in arrayed.arrays:
                self.listed(arrayed.arrays[v], v, scope, held)
        for v, given in later.lists.items():
            held.after.add("effect", (given, v), (), fn=operator.setitem,
                           args=(Ref(0), slice(None), Ref(1)), kwargs={})
        self.paid(node, held, facts)
        return held

    def is_kept(self, value: Value) -> bool:
        """Is a list what a loop keeps for its adjoint?"""
        made = self.makers.get(value)
        return made is not None and made.op == "loop" and value in LoopParts(made).sequences

    # ---- there and back ----------------------------------------------------------------------
    def array(self, value: Value, scope: Scope, held: Held, facts: Facts) -> Value:
        """The array of a list, made where it is not there."""
        if value in scope.arrays:
            return scope.arrays[value]
        made, elem, before = self.makers.get(value), value.aval.elem, held.before
        type_ = element_type(value.aval)
        if elem is not None and elem.kind is Kind.INT and (
                value not in self.native and value not in self.outside):
            raise Unlowered("a list of integers that NumPy's text makes stays there")
        source = value if made is None or made.op != "list_like" else made.inputs[0]
        maker, item = self.makers.get(source), source.aval.elem
        if item is not None and item.kind is Kind.NUMBER and type_ is float and (
                source in self.outside or (maker is not None and not is_adjoint(maker)
                                           and (source is value or source not in self.native))):
            raise Unlowered("a list holds numbers of several types")
        length = self.length.of(value)
        aval = Aval(Kind.ARRAY, np.dtype(type_), (length,), elem=elem)
        if made is not None and made.op == "list_like" and elem is not None:
            like = scope.arrays.get(made.inputs[0])
            if like is not None and like.aval.dtype == aval.dtype:
                found = before.apply(np.zeros_like, (like,), {}, aval)
            else:
                size = before.add("list_len", made.inputs, (int_aval(length),)).out
                found = before.apply(np.zeros, (size,), {}, aval)
        elif made is not None and made.op == "list_acc" and len(made.inputs) == 3:
            base = self.array(made.inputs[0], scope, held, facts)
            found = _store(before, base, made)
        else:
            keywords = {} if type_ is float else {"dtype": type_}
            found = before.apply(np.array, (value,), keywords, aval)
            if value not in self.native:
                held.lists.append(value)
                if value in self.outside and elem is not None and elem.kind is Kind.INT:
                    facts.small[value] = None
        self.converted.update(before.nodes)
        found.hint = str(_array(value, aval).hint)  # a statement of its own, before the kernel
        scope.arrays[value] = found
        return found

    def rows(self, value: Value, scope: Scope, held: Held, facts: Facts) -> Rows:
        """What a list of lists from outside is in a kernel.  (A call has gone through all items
        before, to see that they are numbers.)"""
        elem = value.aval.elem
        assert elem is not None and elem.elem is not None
        if value not in scope.rows:
            before, type_ = held.before, element_type(elem)
            ends = Aval(Kind.ARRAY, np.dtype(int), (self.length.of(value),), elem=int_aval())
            items = Aval(Kind.ARRAY, np.dtype(type_), (fresh_size("items", varying=False),),
                         elem=elem.elem.but(expr=None))
            made = [before.apply(flattened, (value, type_), {}, items),
                    *(before.apply(fn, (value,), {}, ends) for fn in (row_starts, row_ends))]
            for v, what in zip(made, ("items", "starts", "ends"), strict=True):
                v.hint = Suggested(f"{value.hint or 'rows'}_{what}")
            self.converted.update(before.nodes)
            scope.rows[value] = made[0], made[1], made[2]
            length = self.length.of(value)
            if not facts.tells(length):
                raise Unlowered("only a run knows how long a list is")
            facts.saved[length] = max(facts.saved.get(length, 0.0), ROW)
        return scope.rows[value]

    def note(self, node: Node) -> None:
        """Notes the lists that kernels, and statements between them, make."""
        lists = [v for v in node.outputs if v.aval.kind is Kind.LIST]
        if lists and ("kernel" in node.params or (why_not(node) is None and all(
                v in self.native for v in node.inputs if v.aval.kind is Kind.LIST))) and all(
                "kernel" in n.params for n in walk(Block((), (node,), ())) if n.op == "loop"):
            self.native.update(lists)

    def grown(self, value: Value, scope: Scope, held: Held, facts: Facts) -> Value:
        """A list of a kernel's own in the place of one that NumPy's text made."""
        array = self.array(value, scope, held, facts)
        made = held.before.apply(Method("tolist"), (array,), {}, value.aval)
        made.hint = value.hint
        return made

    def fills(self, node: Node) -> dict[int, Node]:
        """The appends of a loop to empty lists, one in each iteration, by the slot of the list."""
        parts, spec, found = LoopParts(node), node.loop, dict[int, Node]()
        if spec.kind != "for" or spec.exits:
            return found
        uses, body = uses_of(node.blocks[0]), node.blocks[0]
        for slot, (p, init) in enumerate(zip(parts.carried, parts.inits, strict=True)):
            empty, add = self.makers.get(init), self.makers.get(parts.next[slot])
            if empty is None or empty.op != "list" or empty.inputs or add is None or (
                    add.op != "append" or add.inputs[0] is not p or len(add.inputs) != 2) or (
                    add not in body.nodes or uses[p] != 1 or uses[add.out] != 1):
                continue
            if element_type(parts.results[slot].aval) is not None and (
                    add.inputs[1].aval.kind is not Kind.NUMBER):
                found[slot] = add
        return found

    def listed(self, array: Value, value: Value, scope: Scope, held: Held) -> None:
        """An array that a loop leaves as the list that it stands for."""
        elem = value.aval.elem
        numpys = elem is not None and (elem.kind is Kind.SCALAR or (
            elem.kind is Kind.NUMBER and value not in self.results))  # those are converted
        node = Node("apply", (array,), (value,), {
            "fn": list if numpys else Method("tolist"), "args": (Ref(0),), "kwargs": {},
            "many": False}, (), held.after.origin)
        held.after.nodes.append(node)
        self.converted.add(node)
        root = self.length.root(value)
        if root is not value and root not in self.native:  # what the loop made takes no longer so
            held.lists.append(value)
        scope.arrays[value] = array

    def tidied(self, parts: Sequence[Sequence[Node]],
               outputs: Iterable[Value]) -> list[tuple[Node, ...]]:
        """Parts of a block with arrays made as soon as their lists are there, and kernels that
        ask arrays for their lengths; without what was converted and is not read."""
        whole = Block((), tuple(n for part in parts for n in part), tuple(outputs))
        return Tidy(self.converted, whole).parts(parts)

    # ---- whether it pays ---------------------------------------------------------------------
    def paid(self, node: Node, held: Held, facts: Facts) -> None:
        """Asks that a loop is not much shorter than the lists that are converted for it."""
        lengths = dict.fromkeys(map(self.length.of, held.lists))
        if not lengths:
            return
        if _is_sum(node):
            raise Unlowered("Python adds up a list while it becomes an array")
        trips = [*trips_of(node)]
        for length in lengths:
            if not facts.tells(length):
                raise Unlowered("only a run knows how long a list is")
            if any(_grows_with(t, length) for t in trips):
                facts.saved[length] = facts.saved.get(length, 0.0) + saved_by(node.blocks[0])
                continue
            asked = next(filter(facts.tells, trips), None)
            if asked is None:
                raise Unlowered("a list may be longer than the loop")
            facts.bounds[length, multiply(TIMES, asked)] = None



@dataclass
class Held:
    """A loop over arrays, what makes them of lists (``before``), and lists of what it leaves
    (``after``); ``lists`` are those that are converted."""

    before: Builder
    loop: Node
    after: Builder
    lists: list[Value] = field(default_factory=list)


class _Arrayed:
    """Rewrites what is done to lists in a loop to what is done to ``arrays``."""

    def __init__(self, columns: Columns, growing: Growing) -> None:
        self.columns, self.growing = columns, growing
        self.arrays: dict[Value, Value] = {}
        self.lists: dict[Value, Value] = {}
        self.rows: dict[Value, Rows] = {}
        self.left: Container[Node] = ()

    def block(self, block: Block) -> Block:
        nodes: list[Node] = []
        for node in block.nodes:
            nodes += self.node(node)
        return Block(tuple(self.arrays.get(p, p) for p in block.params), tuple(nodes),
                     tuple(self.arrays.get(v, v) for v in block.outputs))

    def node(self, node: Node) -> Sequence[Node]:
        if node.op == "loop":
            return [self.loop(node)]
        if node.op == "if":
            return [self.branch(node)]
        if node in self.left:
            return []
        if node.inputs and node.inputs[0] in self.arrays:
            made = Builder(node.origin)
            base, one = self.arrays[node.inputs[0]], len(node.inputs) - 2
            if node.op == "get" and one == 0:
                key, inputs = _key(node.inputs[1:], [base])
                return [Node("read", tuple(inputs), node.outputs, {**node.params, "steps": key},
                             (), node.origin)]
            if node.op == "list_len":
                return [Node("dim", (base,), node.outputs, {"axis": 0}, (), node.origin)]
            if node.op in ("put", "list_acc") and one == 1 and node.inputs[1].aval.kind in SCALARS:
                self.arrays[node.out] = _store(made, base, node)
                return made.nodes
            if node.op == "copy":
                self.arrays[node.out] = made.apply(Method("copy"), (base,), {}, base.aval)
                return made.nodes
            if node.op == "list_like" and node.out not in self.growing:
                aval = base.aval.but(dtype=np.dtype(float), elem=node.out.aval.elem)
                if element_type(node.out.aval) is float and base.aval.dtype == aval.dtype:
                    self.arrays[node.out] = made.apply(np.zeros_like, (base,), {}, aval)
                    return made.nodes
            if node.op == "list_like":
                return [node.but(inputs=(base,))]
        if node.inputs and node.inputs[0] in self.rows:
            return self.row(node, *self.rows[node.inputs[0]])
        if any(v in self.arrays or v in self.rows for v in node.inputs):
            raise Unlowered(f"{node.op} stays in NumPy")
        return [node]

    def row(self, node: Node, items: Value, starts: Value, ends: Value) -> Sequence[Node]:
        """A list of a list of lists, as a part of the array of all items."""
        if node.op == "list_len":
            return [Node("dim", (ends,), node.outputs, {"axis": 0}, (), node.origin)]
        if node.op != "get" or len(node.inputs) != 2 or node.out.aval.optional:
            raise Unlowered(f"{node.op} of a list of lists stays in NumPy")
        made, read = Builder(node.origin), dict[str, Any]()
        for side in (starts, ends):
            key, inputs = _key(node.inputs[1:], [side])
            inside = {"inside": True} if node.params.get("inside") else read
            made.nodes.append(Node("read", tuple(inputs), (Value(int_aval()),),
                                   {"steps": key, **inside}, (), node.origin))
            read = {"inside": True}  # as the first is
        bounds = [n.out for n in made.nodes]
        aval = items.aval.but(shape=(self.columns.length.of(node.out),))
        self.arrays[node.out] = row = _array(node.out, aval)
        made.nodes.append(Node("read", (items, *bounds), (row,), {
            "steps": (Index(slice(Ref(1), Ref(2), None)),)}, (), node.origin))
        return made.nodes

    def branch(self, node: Node) -> Node:
        node = node.but(blocks=tuple(map(self.block, node.blocks)))
        return node.but(outputs=tuple(map(self.joined, node.outputs, *(
            b.outputs for b in node.blocks))))

    def joined(self, out: Value, *arms: Value) -> Value:
        """What a branch leaves, of what its arms do."""
        if out.aval.kind is Kind.LIST and any(v.aval.kind is Kind.ARRAY for v in arms):
            if out in self.growing or any(v.aval != arms[0].aval for v in arms):
                raise Unlowered("a list may be one of several")
            self.arrays[out] = _array(out, arms[0].aval)
        return self.arrays.get(out, out)

    def loop(self, node: Node) -> Node:
        node = self.filling(node)
        parts = LoopParts(node)
        if COMPENSATED and _is_sum(node):
            raise Unlowered("Python's sum keeps what rounding loses")
        inputs = tuple(self.arrays.get(v, v) for v in node.inputs)
        for p, result, init in zip(parts.carried, parts.results, parts.inits, strict=True):
            if init in self.arrays:
                if p in self.growing:
                    raise Unlowered("a list may be one of several")
                aval = self.arrays[init].aval
                self.arrays[p], self.arrays[result] = _array(p, aval), _array(result, aval)
        return node.but(inputs=inputs, blocks=tuple(map(self.block, node.blocks)),
                        outputs=tuple(self.arrays.get(v, v) for v in node.outputs))

    # ---- lists that loops fill ---------------------------------------------------------------
    def filling(self, node: Node) -> Node:
        """A loop that keeps, as loops do, what it appends to an empty list in each iteration."""
        for slot, add in self.columns.fills(node).items():
            parts = LoopParts(node)
            result = parts.results[slot]
            if result in self.growing:
                continue
            sequence = self.arrays[result] = _array(result, Aval(
                Kind.ARRAY, np.dtype(element_type(result.aval)),
                (self.columns.length.of(result),), elem=result.aval.elem))
            parts.choose(carried=[k for k in range(len(parts.carried)) if k != slot])
            parts.extend(kept=((add.inputs[1],), (sequence,), (True,)))
            return self.filling(parts.loop(node, tuple(
                n for n in node.blocks[0].nodes if n is not add)))
        return node


def _array(value: Value, aval: Aval) -> Value:
    """The array that stands for a list."""
    return Value(aval, Suggested(f"{value.hint}_array" if value.hint else "column"))


def _store(builder: Builder, base: Value, node: Node) -> Value:
    """A number put into, or added to, an element of an array."""
    elem, value = base.aval.elem, node.inputs[1]
    if elem is None or (node.op == "put" and not is_adjoint(node) and (
            value.aval.kind is not elem.kind or value.aval.dtype != elem.dtype)):
        raise Unlowered(f"{value.aval} becomes an item of a list")
    key, inputs = _key(node.inputs[2:], [base, value])
    out = _array(node.out, base.aval)
    builder.nodes.append(Node("write" if node.op == "put" else "acc", tuple(inputs), (out,),
                              {**node.params, "steps": key}, (), node.origin))
    return out


def _key(indices: Sequence[Value], inputs: list[Value]) -> tuple[tuple[Index], list[Value]]:
    """The steps of an access, and its inputs."""
    (index,) = indices
    if isinstance(index.aval.expr, int):
        return (Index(index.aval.expr),), inputs
    return (Index(Ref(len(inputs))),), [*inputs, index]


def trips_of(node: Node) -> Iterator[Dim]:
    """How often loops run through all of their range."""
    bounds = [v.aval.expr for v in node.inputs[:3] if v.aval.expr is not None]
    if node.op != "loop" or node.loop.kind != "for" or node.loop.exits or len(bounds) < 3:
        return
    index = node.blocks[0].params[0].aval.expr
    yield range_length(*bounds)
    for inner in node.blocks[0].nodes:
        yield from (t for t in trips_of(inner) if set(symbols(t)).isdisjoint(symbols(index)))


def _is_sum(loop: Node) -> bool:
    """Is a loop the call of ``sum`` of the program's?"""
    nodes = loop.blocks[-1].nodes
    return len(nodes) == 2 and nodes[0].op == "get" and (
        type(nodes[0].out.hint) is Suggested and nodes[1].op == "apply"
        and nodes[1].params["fn"] is operator.add)


def saved_by(body: Block) -> float:
    """The nanoseconds that NumPy's text takes for an iteration."""
    total = 0.0
    for node in body.nodes:
        found = work(node)
        total += found if node.op == "apply" and found < math.inf else ITEM * (node.op != "const")
        total += sum(map(saved_by, node.blocks)) * (WITHIN if node.op == "loop" else 1)
    return total


def _grows_with(trips: Dim, length: Dim) -> bool:
    """Is a loop, but for a number, as long as a list, or longer?"""
    if not isinstance(length, Poly) or not isinstance(trips, Poly):
        return isinstance(length, int) and isinstance(trips, int) and length <= TIMES * trips
    atoms = {a for monomial, times in trips.terms.items() if times > 0 for a, _ in monomial}
    for a in [*atoms]:
        if a.name == "max":  # of zero and the length of a range
            return any(_grows_with(d, length) for d in a.args)
    return all(a in atoms for a in symbols(length))
