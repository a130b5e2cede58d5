"""Symbolic sizes made into run-time integers, and where their symbols come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..graph.ir import Block, Builder, Node, Value
from ..graph.parts import Origins
from ..graph.symbolic import fresh_size, materialise
from ..graph.unbound import partly_undefined
from ..types.dims import Atom, Dim, Poly, may_raise, of_atom, range_length, symbols
from ..types.kinds import Kind, int_aval


class Sizes:
    """For every symbol of a graph: the value that introduces it (an int, or an array and the
    axis), and the block where that happens."""

    def __init__(self, block: Block, border: int | None = None) -> None:
        self._carriers: dict[Atom, dict[Block, tuple[Value, int | None]]] = {}
        self._introduced: dict[Atom, dict[Block, int]] = {}  # and when
        self._clock = 0
        self._started: dict[Node, int] = {}
        self._parent: dict[Block, Block] = {}
        self._loops: dict[Value, Block] = {}
        self._origins = Origins(block)
        self._undefined = partly_undefined(block)
        self._visit(block.but(nodes=block.nodes[:border]), block)

    def _visit(self, nodes_of: Block, block: Block) -> None:
        for v in block.params:
            self._meet(v, block)
        for node in nodes_of.nodes:
            self._clock += 1
            if node.op == "loop":
                self._started[node] = self._clock
            for inner in node.blocks:
                self._parent[inner] = block
                self._visit(inner, inner)
            if node.op == "loop":
                self._loops[node.outputs[-1]] = block
            for v in node.outputs if node.op != "undef" else ():
                self._meet(v, block)

    def _meet(self, value: Value, block: Block) -> None:
        aval = value.aval
        if aval.optional or value in self._undefined:  # ... where its sizes are asked for
            return
        if self._origins.of(value):  # may be kept in a list, and all elements may be undefined
            return
        if aval.kind is Kind.INT and isinstance(aval.expr, Poly):
            self._introduce(aval.expr, value, None, block)
        if aval.shape is not None:
            for axis, extent in enumerate(aval.shape):
                if isinstance(extent, Poly):
                    self._introduce(extent, value, axis, block)

    def _introduce(self, dim: Poly, value: Value, axis: int | None, block: Block) -> None:
        for atom in symbols(dim):
            self._introduced.setdefault(atom, {}).setdefault(block, self._clock)
        if len(dim.terms) == 1:
            (monomial, coefficient), = dim.terms.items()
            if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
                found = self._carriers.setdefault(monomial[0][0], {})
                found.setdefault(block, (value, axis))

    def _within(self, block: Block | None, outer: Block) -> bool:
        while block is not None:
            if block is outer:
                return True
            block = self._parent.get(block)
        return False

    def constant_in(self, shape: tuple[Dim, ...], loop: Node) -> bool:
        """Are the sizes the same in all iterations?  (Those that only the adjoint has met, when it
        read a part again, may differ.)"""
        if any(atom.varying and atom not in self._introduced for d in shape for atom in symbols(d)):
            return False
        return not any(self._within(found, block) and not self._known_outside(atom, loop)
                       for d in shape for atom in symbols(d)
                       for found in self._introduced.get(atom, ()) for block in loop.blocks)

    def _known_outside(self, atom: Atom, loop: Node) -> bool:
        """Is the symbol one of a block around the loop, from before the loop?"""
        outer = self._parent.get(loop.blocks[-1])
        return any(clock < self._started[loop] and self._within(outer, block)
                   for block, clock in self._introduced[atom].items())

    def counted(self, loop: Node) -> bool:
        """Does the range of a for loop tell the number of its iterations?"""
        return loop.loop.kind == "for" and not loop.loop.exits and all(
            v.aval.expr is not None for v in loop.inputs[:3])

    def trips(self, loop: Node) -> Dim:
        """The number of iterations of a loop, as a size."""
        if self.counted(loop):
            start, stop, step = (v.aval.expr for v in loop.inputs[:3])
            return range_length(start, stop, step)  # type: ignore[arg-type]
        expr = loop.outputs[-1].aval.expr
        if expr is not None:
            return expr
        trips = fresh_size("trips")
        for atom in trips.atoms():
            self._introduced[atom] = {self._loops[loop.outputs[-1]]: self._clock}
        return trips

    # ---- sizes as values -----------------------------------------------------------------------

    def around(self, block: Block) -> Block | None:
        """The block that contains a nested one."""
        return self._parent.get(block)

    def computable(self, dim: Any, visible: Block | None, known: Mapping[Value, Value]) -> bool:
        """Can ``dim`` be computed from values of the block ``visible``, of those around it, and
        those in ``known``?"""
        if isinstance(dim, int):
            return True
        if not isinstance(dim, Poly) or may_raise(dim):
            return False
        return all(self._at_hand(a, visible, known) is not None or (bool(a.args) and all(
            p is None or self.computable(p, visible, known) for p in a.args)) for a in dim.atoms())

    def _at_hand(self, atom: Atom, visible: Block | None,
                 known: Mapping[Value, Value]) -> tuple[Value, int | None] | None:
        carriers = self._carriers.get(atom)
        if carriers is None:
            return None
        for value, axis in carriers.values():
            if value in known:
                return known[value], axis
        outer = visible
        while outer is not None:
            if outer in carriers:
                return carriers[outer]
            outer = self._parent.get(outer)
        return None

    def compute(self, dim: Any, prelude: Builder, visible: Block | None,
                known: Mapping[Value, Value]) -> Value:
        """The run-time integer of ``dim``."""
        values: dict[Atom, Value] = {}
        self._gather(dim, prelude, visible, known, values)
        found = materialise(prelude, dim, values)
        return found if isinstance(found, Value) else prelude.const(found, int_aval(found))

    def _gather(self, dim: Any, prelude: Builder, visible: Block | None,
                known: Mapping[Value, Value], values: dict[Atom, Value]) -> None:
        for atom in dim.atoms() if isinstance(dim, Poly) else ():
            found = self._at_hand(atom, visible, known)
            if found is None:
                for part in atom.args:
                    self._gather(part, prelude, visible, known, values)
            elif atom not in values:
                value, axis = found
                values[atom] = value if axis is None else prelude.add(
                    "dim", (value,), (int_aval(of_atom(atom)),), axis=axis).out
