"""How loops keep values: arrays with a leading axis or lists, and how elements are found.

A sequence is kept in one array if its producer says so (exact trip count, one shape) and the
size can be written down before the loop.  Numbers of Python's are kept in lists, which are faster,
and so are those of NumPy's beside them, or where there are many, as one record
(:mod:`.kept_records`); a few of NumPy's, and as many as take a small share of an iteration, are
kept in arrays, which take a fifth of the memory, and so are all numbers of loops that run natively
(their ``params`` have a ``"kernel"``).
A list is made an array after its loop where something else is done with it than reading its
elements one by one.
An element that is used once is read in place (``u_saved[t]``), others are bound once.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Container, Iterable

from srcgrad.emit.fold import Folding
from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts, Origins, is_popped
from srcgrad.graph.prices import iteration
from srcgrad.graph.walking import walk
from srcgrad.types.dataclasses import dataclass, field
from srcgrad.types.dims import Atom, Dim, Poly, largest, maximum, range_length, symbols
from srcgrad.types.kinds import SCALARS, Kind

FEW = 2  # numbers of NumPy's, besides truth values, that lie in arrays, whatever that takes
COPY = 50.0  # nanoseconds that one takes longer than in a list
SHARE = 0.03  # of an iteration's time for more of them
MANY = 12  # values that are kept one by one: more read better as one record


@dataclass
class LoopPlan:
    """How one loop counts and keeps.  ``shapes[i]`` is the source of sequence i's element
    shape (None: a list).  ``rows`` maps sequences that are rows of an outer loop's array to
    that loop and its sequence.  ``gathered`` are lists that become arrays after the loop; where
    some iterations keep nothing, ``sparse`` lists have None from the start, and ``stacks`` have no
    place; ``optional`` lists may become stacks: nobody knows how long they will be."""

    shapes: list[Shape | None] = field(default_factory=list)
    gathered: set[Value] = field(default_factory=set)
    optional: set[Value] = field(default_factory=set)
    sparse: set[Value] = field(default_factory=set)
    stacks: set[Value] = field(default_factory=set)
    rows: dict[Value, tuple[Node, Value]] = field(default_factory=dict)
    ordinal: str = "none"  # "index", "offset", "back", "steps", "counter", "trips"
    arrays: int = 0  # how many are made with the number of iterations
    needs_trips: bool = False


@dataclass
class Shape:
    """Element shape of a stacked sequence: that of ``like``, or ``dims`` from sized values."""

    like: Value | None
    dims: tuple[Dim, ...] = ()
    sources: dict[Atom, tuple[Value, int | None]] = field(default_factory=dict)
    dtype: object = None


def constant_int(value: Value, folding: Folding) -> int | None:
    """The number of a constant int value."""
    node = folding.producer.get(value)
    if node is not None and node.op == "const" and isinstance(node.params["value"], int):
        return int(node.params["value"])
    return None


def row_shape(node: Node, element: Value, made: Node | None) -> tuple[Dim, ...] | None:
    """The shape of what a loop keeps in an iteration.  What an inner loop keeps (``made``) may be
    of another size in each: it has room in rows of the largest one."""
    aval, parts = element.aval, LoopParts(node)
    shape = None if aval.kind is Kind.LIST else aval.shape
    is_kept = made is not None and made.op == "loop" and made.loop.kind == "for" and (
        not made.loop.exits and element in LoopParts(made).sequences)
    if is_kept and made is not None and aval.elem is not None and aval.elem.kind in SCALARS:
        bounds = [v.aval.expr for v in made.inputs[:3]]
        shape = None if None in bounds else (range_length(*bounds),)  # type: ignore[arg-type]
    for atom in symbols(None if parts.index is None else parts.index.aval.expr):
        if shape is not None and any(atom in symbols(d) for d in shape):
            found = [largest(d, atom) for d in shape] if is_kept else [None]
            shape = None if None in found else tuple(
                maximum(0, d) for d in found if d is not None)
    return shape


class Sizes:
    """The plans of all loops of a graph."""

    def __init__(self, graph: Graph, folding: Folding,
                 avoid: Container[Value] = frozenset()) -> None:
        self.folding, self.avoid = folding, avoid
        self.plans: dict[Node, LoopPlan] = {}
        self.elements: dict[Value, tuple[Node, Value]] = {}
        self.atoms: dict[Atom, tuple[Value, int | None]] = {}
        self.aliases: dict[Atom, tuple[Value, int | None]] = {}
        self.into: dict[Value, tuple[Node, Value]] = {}
        self.unsure: set[Value] = set()  # what may be undefined where it is in reach
        self.origins = Origins(graph.block)
        self.carried: dict[Value, tuple[Value, ...]] = {}  # where what loops carry comes from
        self.stacks = {s for node in walk(graph.block) if is_popped(node)
                       for s in self.origins.of(node.inputs[0])}
        self.whole = self._whole(graph.block)
        self.block(graph.block)

    # ---- scope -----------------------------------------------------------------------
    def block(self, block: Block) -> None:
        added: list[tuple[Atom, tuple[Value, int | None] | None]] = []
        for p in block.params:
            self.offer(p, added)
        for node in block.nodes:
            if node.op == "loop":
                self.loop(node)
            for inner in node.blocks:
                self.block(inner)
            if node.op == "if":
                for v, *arms in zip(node.outputs, *(b.outputs for b in node.blocks), strict=True):
                    self.doubt(arms, v)
            if node.op not in ("const", "undef") and node not in self.folding.inlined:
                for v in node.outputs:
                    self.offer(v, added)
        for atom, before in reversed(added):
            if before is None:
                del self.atoms[atom]
            else:
                self.atoms[atom] = before

    def offer(self, value: Value,
              added: list[tuple[Atom, tuple[Value, int | None] | None]]) -> None:
        """Sizes that can be read off a value from here on."""
        aval = value.aval
        made = self.folding.producer.get(value)
        used = value in self.folding.users or (made is not None and made.op == "alias")
        if aval.optional or not used or value in self.avoid or value in self.unsure or (
                _is_absent(made) or self._is_list(value, made)):
            return
        dims: list[tuple[Dim | None, int | None]] = []
        if aval.kind is Kind.INT:
            dims = [(aval.expr, None)]
        elif aval.kind is Kind.ARRAY and aval.shape:
            dims = list(zip(aval.shape, range(len(aval.shape)), strict=True))
        for dim, axis in dims:
            atom = _single(dim)
            if made is not None and made.op == "alias" and atom is not None:
                self.aliases.setdefault(atom, (value, axis))
            elif atom is not None and self.is_newer(value, axis, self.atoms.get(atom)):
                added.append((atom, self.atoms.get(atom)))
                self.atoms[atom] = (value, axis)

    @staticmethod
    def is_newer(value: Value, axis: int | None, known: tuple[Value, int | None] | None) -> bool:
        """Is a size not known yet, or from an older value under the name of this one?"""
        return known is None or (known[1] == axis and value.obj is not None
                                 and known[0].obj == value.obj and known[0].hint == value.hint)

    def _is_list(self, value: Value, made: Node | None) -> bool:
        """May the value be a sequence that is kept in a list?"""
        if not self.origins.of(value):
            return False
        if made is None or made.op != "loop":
            return True
        kept = zip(LoopParts(made).kept, self.plans[made].shapes, strict=True)
        return any(sequence is value and shape is None for (_, sequence, _), shape in kept)

    def is_array(self, value: Value) -> bool:
        """Is a value a sequence that a loop here keeps in an array?"""
        made = self.folding.producer.get(value)
        return made is not None and made.op == "loop" and any(
            sequence is value and shape is not None for (_, sequence, _), shape in zip(
                LoopParts(made).kept, self.plans[made].shapes, strict=True))

    def may_be_list(self, value: Value) -> bool:
        """May a value that is an array by its type be a list in the text?"""
        made = self.folding.producer.get(value)
        if made is not None and made.op == "loop" and value in self.plans[made].gathered:
            return False
        return self._is_list(value, made)

    def _whole(self, block: Block) -> set[Value]:
        """The sequences that are used as arrays or returned, not only read one by one.  What is
        inside of a list that is used as a whole may be read as an array elsewhere."""
        found: set[Value] = set()
        if not self.origins:
            return found
        for v in block.outputs:
            found |= self.origins.within(v)
        for node in walk(block):
            if node.op not in ("loop", "if", "copy") and not is_popped(node):
                found.update(*map(self.origins.within, node.inputs))
        return found

    def doubt(self, sources: Iterable[Value], *values: Value) -> None:
        """Notes that values may be undefined if one of those they come from may be."""
        makers = [(v, self.folding.producer.get(v)) for v in sources]
        if any(v in self.unsure or _is_absent(m) for v, m in makers):
            self.unsure.update(values)

    # ---- loops -----------------------------------------------------------------------
    def loop(self, node: Node) -> None:
        spec, parts = node.loop, LoopParts(node)
        for init, param, result in zip(parts.inits, parts.carried, parts.results, strict=True):
            self.doubt((init,), param, result)
        for values in (parts.carried, parts.results):
            self.carried |= zip(values, zip(parts.inits, parts.next, strict=True), strict=True)
        self.unsure.update(parts.lasts)
        plan = self.plans[node] = LoopPlan()
        body = node.blocks[-1]
        counted = spec.kind == "for"
        numbers = [e for e, *_ in LoopParts(node).kept if e.aval.kind in SCALARS]
        kept = [*filter(self.is_numpys, numbers)]
        truths = sum(e.aval.dtype == bool for e in kept)
        few = len(kept) == len(numbers) <= FEW + truths or (
            len(kept) <= MANY and len(kept) * COPY <= SHARE * iteration(node.blocks[-1]))
        for element, sequence, stacked in LoopParts(node).kept:
            outer = self.into.get(sequence)
            in_array = outer is not None or "kernel" in node.params or (
                few and self.is_numpys(element) and sequence not in self.whole)
            made = self.folding.producer.get(element)
            dims = row_shape(node, element, made) if "kernel" in node.params else (
                element.aval.shape)
            if dims != element.aval.shape and (made is None or not self.is_row(made, element) or (
                    not self.whole.isdisjoint((sequence, element)))):
                stacked = False
            shape = self.shape(node, element, in_array, dims) if stacked and counted else None
            plan.shapes.append(shape)
            if stacked and shape is None and sequence in self.whole:
                plan.gathered.add(sequence)
            if shape is not None and outer is not None:
                plan.rows[sequence] = outer
            elif outer is not None:
                del self.into[sequence]  # kept in a list of its own, which the row is made from
            plan.arrays += shape is not None and outer is None
            if shape is not None and made is not None and self.is_row(made, element):
                self.into[element] = (node, sequence)
        elements = body.params[len(body.params) - spec.n_consumed:] if spec.n_consumed else ()
        ordinal = self.ordinal(node) if counted else "trips"
        optional = {
            sequence for (element, sequence, _), shape in zip(
                LoopParts(node).kept, plan.shapes, strict=True)
            if shape is None and sequence not in self.whole and self.is_optional(element)}
        if counted and ordinal != "counter":
            plan.sparse = optional
        else:
            plan.optional, plan.stacks = optional, optional & self.stacks
        if any(plan.shapes) or elements or plan.sparse:
            plan.ordinal = ordinal
        if plan.ordinal == "trips":
            plan.needs_trips = True
        for element, sequence in zip(elements, node.inputs[len(node.inputs) - len(elements):],
                                     strict=True):
            if self.folding.users.get(element, 0) <= 1 and self.is_plain_use(element) and not (
                    "kernel" in node.params and self.is_row_of_list(element, sequence)):
                self.elements[element] = (node, sequence)

    def is_numpys(self, value: Value, seen: frozenset[Value] = frozenset()) -> bool:
        """Is it a number of NumPy's, of one dtype that an array keeps?  A number of either
        library's is one, too, if no path makes it an int or one of less precision."""
        aval, made = value.aval, self.folding.producer.get(value)
        if value in seen or aval.dtype is None or aval.least is not None or aval.optional:
            return value in seen
        if aval.kind is not Kind.NUMBER or aval.dtype != float:
            return aval.kind is Kind.SCALAR and aval.dtype.kind in "fcb"
        sources = self.carried.get(value, ())
        if made is not None and made.op == "if":
            place = made.outputs.index(value)
            sources = tuple(b.outputs[place] for b in made.blocks)
        return bool(sources) and all(
            (v.aval.kind is Kind.FLOAT or self.is_numpys(v, seen | {value})) and (
                v.aval.dtype == float) for v in sources)

    def is_plain_use(self, element: Value) -> bool:
        by = self.folding.consumer.get(element)
        if not isinstance(by, Node) or by.op != "loop":
            return True
        return by.loop.n_consumed > 0 and element in by.inputs[-by.loop.n_consumed:]

    def is_row_of_list(self, element: Value, sequence: Value) -> bool:
        """Does an inner loop read an element of a list again and again?"""
        by = self.folding.consumer.get(element)
        while sequence in self.elements:  # a row of what is kept in one array is part of it
            sequence = self.elements[sequence][1]
        return isinstance(by, Node) and by.op == "loop" and self._is_list(
            sequence, self.folding.producer.get(sequence))

    def ordinal(self, node: Node) -> str:
        """How the number of an iteration is written: by the index, if its first value and its
        steps can be written again."""
        start, step = (constant_int(node.inputs[i], self.folding) for i in (0, 2))
        if self.again(node.inputs[0]) is None or self.again(node.inputs[2]) is None:
            return "counter"
        if step == 1:
            return "index" if start == 0 else "offset"
        return "back" if step == -1 else "steps"

    def again(self, value: Value) -> list[Value] | None:
        """What must be alive where an int is written a second time; None if it is too long."""
        node = self.folding.producer.get(value)
        if node is None or (node not in self.folding.inlined and node.op != "const"):
            return [value]
        if node.op == "const":
            return []
        if node.op != "apply" or node.params["fn"] not in (operator.add, operator.sub):
            return None
        found: list[Value] = []
        for v in node.inputs:
            needed = self.again(v)
            if needed is None:
                return None
            found.extend(needed)
        return found

    def is_optional(self, element: Value) -> bool:
        """Is an element the outcome of a branch that gives nothing in one arm?"""
        node = self.folding.producer.get(element)
        if node is None or node.op != "if" or self.folding.is_expression(node):
            return _is_absent(node)
        place = node.outputs.index(element)
        return any(self.is_optional(b.outputs[place]) for b in node.blocks)

    def is_row(self, made: Node, element: Value) -> bool:
        """Is the element all that an inner loop keeps in an array?"""
        return made.op == "loop" and made.loop.kind == "for" and (
            self.folding.users.get(element) == 1 and any(
                sequence is element and stacked for _, sequence, stacked in LoopParts(made).kept))

    def shape(self, node: Node, element: Value, in_array: bool,
              dims: tuple[Dim, ...] | None) -> Shape | None:
        aval = element.aval
        if in_array and aval.kind in SCALARS and aval.dtype is not None:
            return Shape(None, (), {}, aval.dtype)
        dtype = aval.dtype if aval.elem is None else aval.elem.dtype
        if aval.kind not in (Kind.ARRAY, Kind.LIST) or dims is None or dtype is None:
            return None
        spec = node.loop
        for init in node.inputs[spec.first_init:spec.first_init + spec.n_carried]:
            alike = init.aval.kind is Kind.ARRAY and init.aval.shape == dims
            if alike and dims and self.at_hand(init):
                return Shape(init, dims, {}, dtype)
        sources: dict[Atom, tuple[Value, int | None]] = {}
        local = self.local(node)
        for dim in dims:
            if not self.resolve(dim, sources, local):
                return None
        return Shape(None, dims, sources, dtype)

    def at_hand(self, init: Value) -> bool:
        """Is an initial value certainly defined, and in a variable?"""
        made = self.folding.producer.get(init)
        return not init.aval.optional and init not in self.unsure and (
            made is None or not (made in self.folding.inlined or _is_absent(made)))

    def local(self, node: Node) -> dict[Atom, tuple[Value, int | None]]:
        """Sizes that can be read off a loop's initial values: alive there in any case."""
        found: dict[Atom, tuple[Value, int | None]] = {}
        spec = node.loop
        for init in node.inputs[spec.first_init:spec.first_init + spec.n_carried]:
            if init.aval.is_array and self.at_hand(init):
                for axis, size in enumerate(init.aval.shape or ()):
                    atom = _single(size)
                    if atom is not None:
                        found.setdefault(atom, (init, axis))
        return found

    def resolve(self, dim: object, sources: dict[Atom, tuple[Value, int | None]],
                local: dict[Atom, tuple[Value, int | None]]) -> bool:
        """Notes where every symbol of ``dim`` can be read; False if one cannot."""
        if not isinstance(dim, Poly):
            return True
        for atom in dim.atoms():
            places = (self.atoms, local, self.aliases)
            found = next((p[atom] for p in places if atom in p), None)
            if found is not None:
                sources[atom] = found
            elif not atom.args or not all(self.resolve(a, sources, local) for a in atom.args):
                return False
        return True

    # ---- questions -------------------------------------------------------------------
    def plan(self, node: Node) -> LoopPlan:
        return self.plans[node]

    def needed(self, node: Node) -> list[Value]:
        """Values read before the loop for the sizes of what it keeps."""
        found: dict[Value, None] = {}
        for shape in self.plans[node].shapes:
            if shape is not None:
                found.update(dict.fromkeys(v for v, _ in shape.sources.values()))
                if shape.like is not None:
                    found[shape.like] = None
        return list(found)

    def through(self, value: Value) -> list[Value]:
        """What must be alive where an element read in place is used."""
        found = self.elements.get(value)
        if found is None:
            return []
        node, sequence = found
        return [sequence, *self.counted_by(node)]

    def counted_by(self, node: Node) -> list[Value]:
        """What the number of an iteration is written with."""
        ordinal = self.plans[node].ordinal
        if ordinal in ("none", "counter", "trips"):
            return []
        found = [node.blocks[-1].params[0]]
        if ordinal != "index":
            found += self.again(node.inputs[0]) or ()
        if ordinal == "steps":
            found += self.again(node.inputs[2]) or ()
        return found


def _single(dim: Dim | None) -> Atom | None:
    if isinstance(dim, Poly) and len(dim.terms) == 1:
        (monomial, coefficient), = dim.terms.items()
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return None


_OPERATORS = {"floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow}


def dim_expression(dim: Dim, source: Callable[[Atom], ast.expr | None]) -> ast.expr:
    """A dim as Python: ``source(atom)`` gives the text of a symbol, None for functions.

    >>> from srcgrad.types.dims import symbol
    >>> ast.unparse(dim_expression(symbol("n") * 2 - 1, lambda a: ast.Name(a.name, ast.Load())))
    '2 * n - 1'
    """
    if not isinstance(dim, Poly):
        return _number(int(dim))
    total: ast.expr | None = None
    for monomial, coefficient in dim.ordered():
        factors = [_atom(a, source) for a, power in monomial for _ in range(power)]
        size = abs(coefficient)
        if size != 1 or not factors:
            factors.insert(0, ast.Constant(size))
        term = factors[0]
        for f in factors[1:]:
            term = ast.BinOp(term, ast.Mult(), f)
        if total is None:
            total = ast.UnaryOp(ast.USub(), term) if coefficient < 0 else term
        else:
            total = ast.BinOp(total, ast.Sub() if coefficient < 0 else ast.Add(), term)
    return total or ast.Constant(0)


def _number(dim: int) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-dim)) if dim < 0 else ast.Constant(dim)


def _atom(atom: Atom, source: Callable[[Atom], ast.expr | None]) -> ast.expr:
    found = source(atom)
    if found is not None:
        return found
    if atom.name == "slice_length":
        parts = [None if a is None else dim_expression(a, source) for a in atom.args[:3]]
        whole = _call("range", dim_expression(atom.args[3], source))
        return _call("len", ast.Subscript(whole, ast.Slice(*parts), ast.Load()))
    args = [dim_expression(a, source) for a in atom.args]
    if atom.name in _OPERATORS:
        return ast.BinOp(args[0], _OPERATORS[atom.name](), args[1])
    if atom.name == "range_length":
        return _call("len", _call("range", *args))
    return _call(atom.name, *args)


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _is_absent(made: Node | None) -> bool:
    """Is it a value that some paths do not bind, or None in the place of one?"""
    return made is not None and (made.op == "undef" or (
        made.op == "const" and made.params["value"] is None
        and made.out.aval.kind is not Kind.NONE))
