"""How many items lists of unknown length have, where that follows from how they were made.

A loop that appends once in each iteration leaves a list as long as it has iterations.  The size
of each version of a list is a polynomial; one of which nothing is known is a symbol of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..dims import Atom, Dim, Poly, add, maximum, multiply
from ..graph.ir import Value
from ..kinds import Aval, Kind
from ..structure import mapped

SIZED = frozenset({"if", "list", "append", "insert", "pop", "put", "list_acc"})


class ListSizes:
    """The sizes of the versions of lists."""

    def __init__(self, fresh: Callable[[str], Any], fills: Callable[[Dim], bool]) -> None:
        self.fresh = fresh
        self.fills = fills  # is a size at least 1 in all calls?
        self.known: dict[Value, Dim] = {}

    def of(self, lst: Value) -> Dim:
        """The number of items of a list: the same whenever it is asked."""
        if lst not in self.known:
            self.known[lst] = self.fresh("k")
        return self.known[lst]

    def avals_in(self, structure: Any, sizes: dict[Atom, Dim]) -> Any:
        """The facts about the values of a structure; those about a list with its size.  Without
        items it makes an array of another rank: that it has some is told by ``max(1, size)``,
        ``sizes`` says what that stands for."""
        def known(value: Value) -> Aval:
            aval = value.aval
            if aval.kind is not Kind.LIST:
                return aval
            size = self.of(value)
            if aval.elem is not None and aval.elem.kind in (Kind.ARRAY, Kind.LIST) and isinstance(
                    filled := maximum(1, size), Poly) and filled != size and self.fills(size):
                sizes[filled.atoms()[0]] = size
                size = filled
            return aval.but(expr=size)

        return mapped(structure, Value, known)

    def note(self, op: str, inputs: Sequence[Value], blocks: Sequence[Any],
                  outputs: Sequence[Value]) -> None:
        """Note the sizes of the lists that a node gives."""
        if op == "if":
            for number, out in enumerate(outputs):
                ends = [block.outputs[number] for block in blocks]
                if out.aval.kind is Kind.LIST and all(e in self.known for e in ends):
                    sizes = {self.known[e] for e in ends}
                    if len(sizes) == 1:
                        self.known[out] = sizes.pop()
        elif op == "list":
            self.known[outputs[0]] = len(inputs)
        elif op in ("put", "list_acc") or (op == "append" and len(inputs) > 2):  # within a row
            self.known[outputs[0]] = self.of(inputs[0])
        elif op in ("append", "insert", "pop"):
            change = -1 if op == "pop" else 1
            self.known[outputs[0]] = add(self.of(inputs[0]), change)

    def note_loop(self, entry: Value, param: Value, end: Value, out: Value,
                        count: Dim | None) -> None:
        """Note the size of a list after a loop of ``count`` iterations (None: not known) whose
        body finds ``param`` and leaves ``end``."""
        if out.aval.kind is not Kind.LIST:
            return
        change = add(self.of(end), multiply(-1, self.of(param)))
        if change == 0:
            self.known[out] = self.of(entry)
        elif isinstance(change, int) and count is not None:
            self.known[out] = add(self.of(entry), multiply(change, count))
