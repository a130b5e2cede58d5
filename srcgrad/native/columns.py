"""Lists of numbers that loops read, change or fill, as arrays while a kernel holds the loop.

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
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import (
    Block,
    Builder,
    Graph,
    Index,
    Node,
    Ref,
    Suggested,
    Value,
    free_values,
    rebuild,
    uses_of,
    walk,
)
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.prices import work
from srcgrad.graph.symbolic import fresh_size
from srcgrad.native.facts import Facts, Scope
from srcgrad.native.lengths import Lengths
from srcgrad.native.places import Unlowered
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.dims import Dim, Poly, multiply, range_length, symbols
from srcgrad.types.kinds import SCALARS, Aval, Kind, int_aval
from srcgrad.types.spelling import Method

_TYPES: dict[Kind, Any] = {Kind.FLOAT: float, Kind.INT: int, Kind.BOOL: bool}
COMPENSATED = sys.version_info >= (3, 12)  # sums of Python's floats
TIMES = 8  # so many items are converted in the time of an iteration in NumPy's text, at least
ITEM = 30.0  # nanoseconds that something done to an item takes there
WITHIN = 8  # iterations of a loop in a loop, where they are not known


def element_type(aval: Aval) -> Any:
    """The type of the items of a list of numbers of one type; None for other lists."""
    elem = aval.elem
    if aval.kind is not Kind.LIST or elem is None or elem.optional or elem.least is not None:
        return None
    if elem.kind is Kind.NUMBER and elem.dtype == np.float64:
        return float  # a list of cotangents
    if elem.kind is Kind.SCALAR and elem.dtype is not None and elem.dtype.char in "fd":
        return elem.dtype.type
    return _TYPES.get(elem.kind)


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

    def loop(self, node: Node, scope: Scope, facts: Facts) -> Held:
        """A loop with arrays in the place of lists."""
        held = Held(Builder(node.origin), node, Builder(node.origin))
        arrayed = _Arrayed(self)
        for v in LoopParts(node).sources:
            self.length.known.setdefault(self.length.root(v), next(
                _trips(node), fresh_size("items", varying=False)))
        for v in free_values(Block((), (node,), ())):
            if element_type(v.aval) is not None and not self.is_kept(v):
                arrayed.arrays[v] = self.array(v, scope, held, facts)
        later = deferred(node)
        arrayed.left = later.effects
        held.loop = arrayed.loop(node)
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
        if elem is not None and elem.kind is Kind.INT and value not in self.outside:
            raise Unlowered("a list of integers stays in NumPy")
        source = value if made is None or made.op != "list_like" else made.inputs[0]
        maker, item = self.makers.get(source), source.aval.elem
        if item is not None and item.kind is Kind.NUMBER and type_ is float and (
                source in self.outside or (maker is not None and not is_adjoint(maker))):
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
            held.lists.append(value)
            if elem is not None and elem.kind is Kind.INT:
                facts.small[value] = None
        self.converted.update(before.nodes)
        found.hint = str(_array(value, aval).hint)  # a statement of its own, before the kernel
        scope.arrays[value] = found
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
        held.lists.append(value)
        scope.arrays[value] = array

    def tidied(self, parts: Sequence[Sequence[Node]],
               outputs: Iterable[Value]) -> list[tuple[Node, ...]]:
        """Parts of a block with arrays made as soon as their lists are there, and kernels that
        ask arrays for their lengths; without what was converted and is not read."""
        whole = Block((), tuple(n for part in parts for n in part), tuple(outputs))
        return _Tidy(self, whole).parts(parts)

    # ---- whether it pays ---------------------------------------------------------------------
    def paid(self, node: Node, held: Held, facts: Facts) -> None:
        """Asks that a loop is not much shorter than the lists that are converted for it."""
        lengths = dict.fromkeys(map(self.length.of, held.lists))
        if not lengths:
            return
        trips = [*_trips(node)]
        for length in lengths:
            if not facts.tells(length):
                raise Unlowered("only a run knows how long a list is")
            if any(_grows_with(t, length) for t in trips):
                facts.saved[length] = facts.saved.get(length, 0.0) + _saved(node.blocks[0])
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

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.arrays: dict[Value, Value] = {}
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
            if node.op == "list_like":
                aval = base.aval.but(dtype=np.dtype(float), elem=node.out.aval.elem)
                if element_type(node.out.aval) is float and base.aval.dtype == aval.dtype:
                    self.arrays[node.out] = made.apply(np.zeros_like, (base,), {}, aval)
                    return made.nodes
        if any(v in self.arrays for v in node.inputs):
            raise Unlowered(f"{node.op} stays in NumPy")
        return [node]

    def branch(self, node: Node) -> Node:
        node = node.but(blocks=tuple(map(self.block, node.blocks)))
        return node.but(outputs=tuple(map(self.joined, node.outputs, *(
            b.outputs for b in node.blocks))))

    def joined(self, out: Value, *arms: Value) -> Value:
        """What a branch leaves, of what its arms do."""
        if out.aval.kind is Kind.LIST and all(v.aval.kind is Kind.ARRAY for v in arms):
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
                aval = self.arrays[init].aval
                self.arrays[p], self.arrays[result] = _array(p, aval), _array(result, aval)
        return node.but(inputs=inputs, blocks=tuple(map(self.block, node.blocks)),
                        outputs=tuple(self.arrays.get(v, v) for v in node.outputs))

    # ---- lists that loops fill ---------------------------------------------------------------
    def filling(self, node: Node) -> Node:
        """A loop that keeps, as loops do, what it appends to an empty list in each iteration."""
        parts, spec = LoopParts(node), node.loop
        if spec.kind != "for" or spec.exits:
            return node
        makers, uses, body = self.columns.makers, uses_of(node.blocks[0]), node.blocks[0]
        for slot, (p, init) in enumerate(zip(parts.carried, parts.inits, strict=True)):
            empty, add = makers.get(init), makers.get(parts.next[slot])
            if empty is None or empty.op != "list" or empty.inputs or add is None or (
                    add.op != "append" or add.inputs[0] is not p or len(add.inputs) != 2) or (
                    add not in body.nodes or uses[p] != 1 or uses[add.out] != 1):
                continue
            result = parts.results[slot]
            type_ = element_type(result.aval)
            if type_ in (None, int) or add.inputs[1].aval.kind is Kind.NUMBER:
                continue
            sequence = self.arrays[result] = _array(result, Aval(
                Kind.ARRAY, np.dtype(type_), (self.columns.length.of(result),),
                elem=result.aval.elem))
            body = Block(body.params[:1 + slot] + body.params[2 + slot:],
                         tuple(n for n in body.nodes if n is not add),
                         (*body.outputs[:slot], *body.outputs[slot + 1:], add.inputs[1]))
            first = spec.first_init + slot
            outputs = (*node.outputs[:slot], *node.outputs[slot + 1:-1], sequence, parts.trips)
            return self.filling(node.but(
                inputs=node.inputs[:first] + node.inputs[first + 1:], outputs=outputs,
                blocks=(body,), params={**node.params, "loop": spec.but(
                    n_carried=spec.n_carried - 1, n_produced=spec.n_produced + 1,
                    stacked=(*spec.stacked, True) if spec.stacked else ())}))
        return node


def _array(value: Value, aval: Aval) -> Value:
    """The array that stands for a list."""
    return Value(aval, Suggested(f"{value.hint}_array" if value.hint else "column"))


def _store(builder: Builder, base: Value, node: Node) -> Value:
    """A number put into, or added to, an element of an array."""
    elem, value = base.aval.elem, node.inputs[1]
    if elem is None or elem.kind is Kind.INT or (node.op == "put" and not is_adjoint(node) and (
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


def _trips(node: Node) -> Iterator[Dim]:
    """How often loops run through all of their range."""
    bounds = [v.aval.expr for v in node.inputs[:3] if v.aval.expr is not None]
    if node.op != "loop" or node.loop.kind != "for" or node.loop.exits or len(bounds) < 3:
        return
    index = node.blocks[0].params[0].aval.expr
    yield range_length(*bounds)
    for inner in node.blocks[0].nodes:
        yield from (t for t in _trips(inner) if set(symbols(t)).isdisjoint(symbols(index)))


def _is_sum(loop: Node) -> bool:
    """Is a loop the call of ``sum`` of the program's?"""
    nodes = loop.blocks[-1].nodes
    return len(nodes) == 2 and nodes[0].op == "get" and (
        type(nodes[0].out.hint) is Suggested and nodes[1].op == "apply"
        and nodes[1].params["fn"] is operator.add)


@dataclass
class Deferred:
    """What a loop does to the caller's lists beside their columns: ``effects``, and the ``lists``
    that it leaves, each with the caller's, which may be done at once after the loop."""

    effects: set[Node] = field(default_factory=set)
    lists: dict[Value, Value] = field(default_factory=dict)


def deferred(loop: Node) -> Deferred:
    """The caller's lists of which all items that a loop puts there go into one column, too."""
    parts, roots = LoopParts(loop), dict[Value, int]()
    puts: dict[int, set[tuple[Value, ...]]] = {}
    given: dict[Value, set[tuple[Value, ...]]] = {}
    effects: dict[Value, list[Node]] = {}
    for slot, p in enumerate(parts.carried):
        roots[p] = slot
    for node in (n for b in loop.blocks for n in walk(b)):
        first = node.inputs[0] if node.inputs else None
        if node.op == "loop":
            inner = LoopParts(node)
            for p, result, init in zip(inner.carried, inner.results, inner.inits, strict=True):
                if init in roots:
                    roots[p] = roots[result] = roots[init]
        elif node.op == "if":
            return Deferred()
        elif node.op == "put" and first in roots and len(node.inputs) == 3:
            roots[node.out] = roots[first]
            puts.setdefault(roots[first], set()).add((node.inputs[2], node.inputs[1]))
        elif node.op == "effect" and node.params["fn"] is operator.setitem and (
                first is not None and node.params["args"] == (Ref(0), Ref(1), Ref(2))):
            given.setdefault(first, set()).add(node.inputs[1:])
            effects.setdefault(first, []).append(node)
    found = Deferred()
    for obj, items in given.items():
        slots = [slot for slot, put in puts.items() if put == items]
        if len(slots) == 1:
            found.effects.update(effects[obj])
            found.lists[parts.results[slots[0]]] = obj
    return found


def _saved(body: Block) -> float:
    """The nanoseconds that NumPy's text takes for an iteration."""
    total = 0.0
    for node in body.nodes:
        found = work(node)
        total += found if node.op == "apply" and found < math.inf else ITEM * (node.op != "const")
        total += sum(map(_saved, node.blocks)) * (WITHIN if node.op == "loop" else 1)
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


class _Tidy:
    """Puts nodes of a graph in order after lists have become arrays."""

    def __init__(self, columns: Columns, whole: Block) -> None:
        self.converted, self.outputs = columns.converted, whole.outputs
        self.users: dict[Value, list[Node | None]] = {}
        self.note(whole, None)
        self.arrays: dict[Value, Value] = {}
        self.lengths: dict[Value, Value] = {}

    def note(self, block: Block, kernel: Node | None) -> None:
        for v in block.outputs:
            self.users.setdefault(v, []).append(kernel)
        for node in block.nodes:
            held = kernel or (node if "kernel" in node.params else None)
            for v in node.inputs:
                self.users.setdefault(v, []).append(held or node)
            for b in node.blocks:
                self.note(b, held)

    def parts(self, parts: Sequence[Sequence[Node]]) -> list[tuple[Node, ...]]:
        made = self.made(n for part in parts for n in part)
        start = self.start(made, {v for part in parts for n in part for v in n.outputs})
        found = [[*start, *self.sooner(parts[0], made)],
                 *([*self.sooner(part, made)] for part in parts[1:])]
        read = set(self.outputs)
        return [*reversed([self.read(nodes, read) for nodes in reversed(found)])]

    def made(self, nodes: Iterable[Node]) -> dict[Value, Node]:
        return {n.inputs[0]: n for n in nodes
                if n in self.converted and n.params.get("fn") is np.array}

    def start(self, made: Mapping[Value, Node], here: Container[Value]) -> list[Node]:
        """What makes arrays of lists from outside of a block."""
        nodes = [n for v, n in made.items() if v not in here]
        self.arrays.update((n.inputs[0], n.out) for n in nodes)
        return nodes

    def sooner(self, nodes: Sequence[Node], made: Mapping[Value, Node]) -> Iterator[Node]:
        for node in nodes:
            if node in made.values():
                continue
            if node in self.converted and node.out.aval.kind is Kind.LIST:
                self.arrays[node.out] = node.inputs[0]
            if node.op == "list_len" and node.inputs[0] in self.arrays:
                size = Node("dim", (self.arrays[node.inputs[0]],), node.outputs, {"axis": 0}, (),
                            node.origin)
                if not self.is_for_kernels(node.out):
                    yield node
                    size = size.but(outputs=(node.out.like(),))
                    self.lengths[node.out] = size.out
                node = size
            elif "kernel" in node.params and self.lengths:
                (node,) = rebuild(Block((), (node,), ()), dict(self.lengths)).nodes
            elif node.blocks:
                node = node.but(blocks=tuple(map(self.inner, node.blocks)))
            yield node
            for v in node.outputs:
                if v in made:
                    yield made[v]
                    self.arrays[v] = made[v].out

    def inner(self, block: Block) -> Block:
        made = self.made(block.nodes)
        start = self.start(made, {v for n in block.nodes for v in n.outputs})
        return block.but(nodes=(*start, *self.sooner(block.nodes, made)))

    def is_for_kernels(self, number: Value) -> bool:
        """Do kernels alone read a number, or what is computed of it?"""
        return all(n is not None and ("kernel" in n.params or (
            n.op == "apply" and n.out.aval.kind is Kind.INT and self.is_for_kernels(n.out)))
            for n in self.users.get(number, ()))

    def read(self, nodes: Sequence[Node], read: set[Value]) -> tuple[Node, ...]:
        """Nodes without what was converted, or is a list, and is not read."""
        kept: list[Node] = []
        for node in reversed(nodes):
            idle = node in self.converted or node.op in ("dim", "list_like", "list_acc", "list")
            if idle and read.isdisjoint(node.outputs):
                continue
            if node.blocks and "kernel" not in node.params:
                node = node.but(blocks=tuple(
                    b.but(nodes=self.read(b.nodes, read | {*b.outputs})) for b in node.blocks))
            read.update(node.inputs, *(free_values(b) for b in node.blocks))
            kept.append(node)
        return tuple(reversed(kept))
