"""Places that are cleared and get back what they had.

The adjoint of ``A[i, j] -= e``, written on a single element, clears the element's cotangent and
adds it again after that of ``e``:

    d = d_A[i, j]
    d_A[i, j] = 0.0                               d = d_A[i, j]
    d_A[i, :j] -= d * A[:j, j]          ->        d_A[i, :j] -= d * A[:j, j]
    d_A[i, j] += d

and where something else comes back, as for ``A[i, j] /= e``, it can be stored:

    d_A[i, j] = 0.0
    d_A[j, j] -= g * A[i, j]            ->        d_A[j, j] -= g * A[i, j]
    d_A[i, j] += g                                d_A[i, j] = g
"""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.equality import place_key
from ..graph.ir import Block, Graph, Index, Node, Value
from ..graph.walking import walk
from .chains import Chains
from .places import added, disjoint
from .rewriting import Emit

_LONGEST = 12  # stores between


def restore(graph: Graph) -> Graph:
    """The graph without such clearings."""
    backward = () if graph.border is None else graph.block.nodes[graph.border:]
    if not any(n.op == "write" for node in backward for b in node.blocks for n in walk(b)):
        return graph
    found = _Restore(graph)
    for node in backward:
        for inner in node.blocks:
            found.look(inner)
    return found.run(graph) if found.dropped or found.stored else graph


class _Restore(Chains):
    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.dropped: set[Value] = set()  # results of stores that change nothing
        self.stored: set[Value] = set()  # results of additions to what is cleared

    def visit(self, node: Node, emit: Emit) -> Sequence[Value] | None:
        if not node.outputs or node.op not in ("write", "acc"):
            return None
        if node.outputs[0] in self.dropped:
            return [node.inputs[0]]
        if node.outputs[0] in self.stored:
            return [self._stored(node, "write", node.inputs[1], emit)]
        return None

    def look(self, block: Block) -> None:
        """Looks at a block and those in it."""
        for node in block.nodes:
            if node.op == "write" and self.is_zero(node.inputs[1]):
                self._clearing(node)
            for inner in node.blocks:
                self.look(inner)

    def _clearing(self, cleared: Node) -> None:
        """Follows a cleared place to where something is added to it."""
        if not all(isinstance(s, Index) and s.basic for s in cleared.params["steps"]):
            return
        key = place_key(cleared)
        had = {n.out for n in self.readers.get(cleared.inputs[0], ())
               if n.op == "read" and place_key(n) == key}
        apart = True  # does nothing between touch the place?
        value = cleared.out
        for _ in range(_LONGEST):
            found = self.only_store(value)
            if found is None:
                return
            node, reads = found
            if not all(disjoint(n, cleared) for n in reads):
                return
            if node.op == "acc" and place_key(node) == key:
                if node.inputs[1] in had:
                    self.dropped |= {cleared.out, node.out}
                elif apart:
                    self.dropped.add(cleared.out)
                    self.stored.add(node.out)
                return
            if not disjoint(node, cleared):
                if not added(node):
                    return
                apart = False
            value = node.out
