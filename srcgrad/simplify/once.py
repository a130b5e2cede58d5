"""Places of buffers that a backward loop visits once.

A buffer of zeros to which each iteration adds at its own index need not be read:

    d_b = np.zeros_like(b)                      d_b = np.zeros_like(b)
    for i in reversed(range(n)):                for i in reversed(range(n)):
        d_b[i] += d_y_i                 ->          d_b[i] = d_y_i

and a place that is cleared need not be, if no later iteration, nor what follows, comes by:

    for i in reversed(range(1, n)):             for i in reversed(range(1, n)):
        d_y_i = d_y[i]                              d_y_i = d_y[i]
        d_y[i] = 0.0                    ->          d_y[i - 1] += d_y_i * a[i]
        d_y[i - 1] += d_y_i * a[i]
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from ..graph.ir import STORES, Graph, Node, Value
from ..graph.parts import LoopParts
from .chains import Chains
from .places import axes_of, disjoint
from .rewriting import Emit, call_of


def store_once(graph: Graph) -> Graph:
    """The graph with places of buffers assigned where each is visited once."""
    if graph.border is None:
        return graph
    found = _Once(graph)
    for node in graph.block.nodes[graph.border:]:
        found.look(node)
    return found.run(graph) if found.assigned or found.dropped else graph


class _Once(Chains):
    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.assigned: set[Value] = set()  # results of additions to zeros
        self.dropped: set[Value] = set()  # results of writes that nobody sees

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if node.op in STORES and node.out in self.dropped:
            return [node.inputs[0]]
        if node.op in STORES and node.out in self.assigned:
            value = node.inputs[1] if node.op == "acc" else self.minus(node.inputs[1], emit)
            return [self._stored(node, "write", value, emit)]
        return None

    # ---- what is visited once ----------------------------------------------------------------

    def look(self, node: Node) -> None:
        """Looks at a node and the loops in it."""
        if _is_counted(node):
            parts = LoopParts(node)
            for slot, init in enumerate(parts.inits):
                if self.is_zero(init):
                    self._added(node, slot, [])
                self._cleared_places([node], slot)
        for block in node.blocks:
            for inner in block.nodes:
                if inner.blocks:
                    self.look(inner)

    def _added(self, node: Node, slot: int, around: list[Node]) -> None:
        """A slot holds zeros where the loop, and those around it, have not been yet: is all
        that happens to it one addition at a place of its own?"""
        parts = LoopParts(node)
        param, following = parts.carried[slot], parts.next[slot]
        readers = self.readers.get(param, [])
        if self.count[param] != 1 or self.count[following] != 1 or len(readers) != 1 or (
                following not in readers[0].outputs):
            return
        reader, loops = readers[0], [*around, node]
        if _is_counted(reader):
            inner = LoopParts(reader)
            self._added(reader, inner.results.index(following), loops)
            return
        axes = axes_of(reader) if reader.op in ("acc", "update") else None
        if axes is None or reader.inputs[0] is not param or (
                reader.op == "update" and reader.params["fn"] is not operator.isub):
            return
        found = [self._axis(axes, loop) for loop in loops]
        if None not in found and len(set(found)) == len(loops):
            self.assigned.add(reader.out)

    def _axis(self, axes: tuple[Any, ...], loop: Node) -> int | None:
        """The axis along which a loop visits each place once."""
        return next((i for i, part in enumerate(axes)
                     if self._offset(part, loop) is not None), None)

    def _offset(self, part: Any, loop: Node) -> int | None:
        """``c`` where a subscript is ``index + c``, and counts from the start of the axis."""
        index, lowest = LoopParts(loop).index, self._lowest(loop)
        if lowest is None:
            return None
        offset: Any = 0
        node = self.made(part)
        if part is not index:
            if call_of(node) not in (operator.add, operator.sub) or node is None:
                return None
            first, second = node.operands
            if call_of(node) is operator.add and second is index:
                first, second = second, first
            number = self.number(second)
            if first is not index or type(number) is not int:
                return None
            offset = number if call_of(node) is operator.add else -number
        return offset if lowest + offset >= 0 else None

    def _lowest(self, loop: Node) -> int | None:
        """A number that the index of a loop does not go below."""
        start, stop, step = map(self.number, loop.inputs[:3])
        if type(step) is not int or step == 0:
            return None
        lowest = start if step > 0 else None if stop is None else stop + 1
        return lowest if type(lowest) is int else None

    def _comes_down(self, loop: Node) -> bool:
        """Does the index of a loop fall?  (The step is known.)"""
        return loop.loop.reverse != ((self.number(loop.inputs[2]) or 0) < 0)

    # ---- what is cleared for nobody ----------------------------------------------------------

    def _cleared_places(self, loops: list[Node], slot: int) -> None:
        """A chain of stores through the body of the last of these loops, each at an ``index + c``
        of every loop along an axis of its own, that clears places to which no later iteration,
        nor what follows, comes.  What the loops around do to the buffer, they do in it."""
        parts = LoopParts(loops[-1])
        value, following = parts.carried[slot], parts.next[slot]
        inner = self.readers.get(value, [])
        if len(inner) == 1 and self.count[value] == self.count[following] == 1 and (
                following in inner[0].outputs and _is_counted(inner[0])):
            results = LoopParts(inner[0]).results
            self._cleared_places([*loops, inner[0]], results.index(following))
            return
        touched: list[Node] = []
        while value is not following:
            found = self.only_store(value)
            if found is None or len(touched) > 24:
                return
            store, reads = found
            touched += [*reads, store]
            value = store.out
        if self.count[value] != 1:
            return
        places = [axes_of(n) for n in touched]
        ranks = range(min((len(p) for p in places if p is not None), default=0))
        for axes in permutations(ranks, len(loops)):
            parts_ = [[None if p is None else p[axis] for p in places] for axis in axes]
            reached = [[r for part in along if (r := self._reach(part, loop)) is not None]
                       for along, loop in zip(parts_, loops)]
            if all(len(along) == len(touched) for along in reached):
                exact = [[self._offset(part, loop) for part in along]
                         for along, loop in zip(parts_, loops)]
                self._drop(loops, slot, axes, touched, exact, reached)
                return

    def _reach(self, part: Any, loop: Node) -> int | None:
        """The last ``c`` of the places ``index + c`` that a subscript selects, in the direction
        the loop comes from."""
        if isinstance(part, slice) and part.step in (None, 1):
            down = self._comes_down(loop)
            end = part.stop if down else part.start
            found = None if end is None else self._offset(end, loop)
            return found if found is None or not down else found - 1
        return self._offset(part, loop)

    def _drop(self, loops: list[Node], slot: int, axes: Sequence[int], touched: list[Node],
              exact: list[list[int | None]], reached: list[list[int]]) -> None:
        """Drops the stores that clear for nobody; offsets are those along each loop's axis."""
        order = [1 if self._comes_down(loop) else -1 for loop in loops]
        for place, store in enumerate(touched):
            offset = [o for along in exact if (o := along[place]) is not None]
            if len(offset) < len(loops) or store.op != "write" or (
                    not self.is_zero(store.inputs[1])):
                continue
            seen = any(all(along[n] in (None, o) for along, o in zip(exact, offset))
                       and not disjoint(touched[n], store)
                       for n in range(place + 1, len(touched)))
            # how much further an access reaches: a later iteration comes by if the first loop
            # of which it is a later one has some way to go, and those around are there still
            ahead = [[(r - o) * down for r, o, down in zip(reach, offset, order)]
                     for reach in zip(*reached)]
            again = any(d > 0 and min(way[:k], default=0) >= 0
                        for way in ahead for k, d in enumerate(way))
            if not seen and not again and self._unseen(loops, slot, axes, offset):
                self.dropped.add(store.out)

    def _unseen(self, loops: list[Node], slot: int, axes: Sequence[int],
                offset: Sequence[int]) -> bool:
        """Does nobody read, after the loops, where they have cleared?"""
        result = LoopParts(loops[0]).results[slot]
        lowest = [low for loop in loops if (low := self._lowest(loop)) is not None]
        readers = self.readers.get(result, [])
        if self.count[result] != len(readers) or len(lowest) < len(loops):
            return False
        for reader in readers:
            found = axes_of(reader) if reader.op == "read" else None
            parts = [None if found is None or len(found) <= axis else found[axis] for axis in axes]
            if not any(type(part) is int and 0 <= part < low + o
                       for part, low, o in zip(parts, lowest, offset)):
                return False
        return True


def _is_counted(node: Node) -> bool:
    return node.op == "loop" and node.loop.kind == "for" and not node.loop.exits and (
        "mirror" not in node.params)
