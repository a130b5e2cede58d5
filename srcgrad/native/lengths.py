"""Lists that are as long as one another: a loop that only changes items leaves a list as long.

The tracer gives each list whose length the program asks for a symbol of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.graph.ir import Block, Graph, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.symbolic import fresh_size
from srcgrad.graph.walking import rebuild, walk
from srcgrad.types.dims import Atom, Dim, add, of_atom, range_length, substitute, symbols
from srcgrad.types.kinds import Aval, Kind

_KEEPING = frozenset({"list_like", "list_acc", "put", "copy"})


class Lengths:
    """The lengths of the lists of a block, by what they come from."""

    def __init__(self, block: Block) -> None:
        self.makers = {v: n for n in walk(block) for v in n.outputs}
        self.inits: dict[Value, tuple[Node, int]] = {}  # what loops carry
        for n in walk(block):
            if n.op == "loop":
                for slot, (p, r) in enumerate(zip(LoopParts(n).carried, LoopParts(n).results,
                                                  strict=True)):
                    self.inits[p] = self.inits[r] = (n, slot)
        self.kept: dict[tuple[Node, int], bool] = {}
        self.known: dict[Value, Dim] = {}
        self.equal: dict[Atom, Dim] = {}
        for n in walk(block):
            found = n.out.aval.expr if n.op == "list_len" else None
            if found is not None:
                length = self.known.setdefault(self.root(n.inputs[0]), found)
                atoms = symbols(found)
                if length != found and len(atoms) == 1 and found == of_atom(atoms[0]) and (
                        atoms[0] not in symbols(length)):
                    self.equal.setdefault(atoms[0], length)

    def of(self, value: Value) -> Dim:
        root = self.root(value)
        made = self.makers.get(root)
        if root not in self.known and made is not None and made.op == "apply" and (
                made.params["fn"] is list and made.inputs and made.inputs[0].aval.shape):
            self.known[root] = made.inputs[0].aval.shape[0]  # of an array
        elif root not in self.known and root in self.inits:
            self.known[root] = self.filled(*self.inits[root]) or fresh_size("items", varying=False)
        return self.known.setdefault(root, fresh_size("items", varying=False))

    def filled(self, loop: Node, slot: int) -> Dim | None:
        """The length of a list to which a loop appends an item in each iteration."""
        parts, bounds = LoopParts(loop), [v.aval.expr for v in loop.inputs[:3]]
        first, last = (self.makers.get(v[slot]) for v in (parts.inits, parts.next))
        if loop.loop.kind != "for" or loop.loop.exits or None in bounds or first is None or (
                first.op != "list" or last is None or last.op != "append") or (
                last.inputs[0] is not parts.carried[slot] or len(last.inputs) != 2):
            return None
        return add(len(first.inputs), range_length(*bounds))  # type: ignore[arg-type]

    def root(self, value: Value) -> Value:
        """The list that a list is as long as, since it only differs in items."""
        while value.aval.kind is Kind.LIST:
            made = self.makers.get(value)
            if value in self.inits and self.keeps(*self.inits[value]):
                loop, slot = self.inits[value]
                value = LoopParts(loop).inits[slot]
            elif made is not None and made.op in _KEEPING:
                value = made.inputs[0]
            else:
                break
        return value

    def keeps(self, loop: Node, slot: int) -> bool:
        """Does a loop only change the items of a list that it carries?"""
        if (loop, slot) not in self.kept:
            parts = LoopParts(loop)
            self.kept[loop, slot] = False
            self.kept[loop, slot] = self.comes_from(parts.next[slot], parts.carried[slot])
        return self.kept[loop, slot]

    def comes_from(self, value: Value, start: Value) -> bool:
        while value is not start:
            made = self.makers.get(value)
            if made is None:
                return False
            if made.op in _KEEPING:
                value = made.inputs[0]
            elif made.op == "if":
                place = made.outputs.index(value)
                return all(self.comes_from(b.outputs[place], start) for b in made.blocks)
            elif value in self.inits and self.keeps(*self.inits[value]):
                _, slot = self.inits[value]
                value = LoopParts(made).inits[slot]
            else:
                return False
        return True


def with_equal_lengths(graph: Graph) -> Graph:
    """A graph in which lists that are as long as one another have one symbol for that."""
    equal = Lengths(graph.block).equal
    if not equal:
        return graph
    renamed: dict[Value, Value] = {}
    for v in (*graph.block.params, *(v for n in walk(graph.block) for v in (
            *n.outputs, *(p for b in n.blocks for p in b.params)))):
        aval = _replaced(v.aval, equal)
        if aval != v.aval:
            renamed[v] = v.like(aval=aval)
    return graph.but(block=rebuild(graph.block, renamed))


def _replaced(aval: Aval, equal: dict[Atom, Dim]) -> Aval:
    for dim in (aval.expr, *(aval.shape or ())):
        for atom in symbols(dim):  # of an index, which is below what is replaced
            bounds: list[Any] = [substitute(b, equal) for b in (atom.low, atom.high)]
            if atom not in equal and bounds != [atom.low, atom.high]:
                equal[atom] = of_atom(replace(atom, low=bounds[0], high=bounds[1]))
    shape = None if aval.shape is None else tuple(substitute(d, equal) for d in aval.shape)
    elem = None if aval.elem is None else _replaced(aval.elem, equal)
    return aval.but(shape=shape, expr=substitute(aval.expr, equal), elem=elem)
