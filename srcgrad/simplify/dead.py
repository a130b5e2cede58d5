"""Dead code: nodes, outputs, carried values and sequences that nothing needs.

Effects are never removed, nor writes to objects of the caller (the graph's ``written``
inputs), nor what they depend on.  With ``keep_raising`` the nodes of the forward part stay
(its exceptions and warnings are part of a value that is asked for), but for arithmetic of
integers; without it only those
that check what the derivative relies on: operands whose shapes must fit, indices, matrices
that must be regular, and those that may raise where no adjoint does.  Works on open graphs: a
forward value that a backward region refers to, and the region that a backward one mirrors,
are alive.

>>> import operator
>>> from srcgrad.graph.ir import Builder
>>> from srcgrad.types.kinds import FLOAT
>>> b = Builder()
>>> x = b.param(FLOAT, "x")
>>> unused = b.apply(operator.add, (x, 1.0), {}, FLOAT)
>>> y = b.apply(operator.mul, (x, x), {}, FLOAT)
>>> g = Graph("f", b.block((y,)))
>>> len(g.block.nodes), len(remove_dead(g).block.nodes)
(2, 1)
"""

from __future__ import annotations

from ..graph.checking import checks
from ..graph.ir import WRITES, Block, Graph, Node, Value, is_adjoint
from ..graph.parts import LoopParts
from ..graph.raising import is_silent, may_raise, raised_too
from ..graph.walking import walk


def remove_dead(graph: Graph, keep_raising: bool = False, called: bool = False) -> Graph:
    """The graph without dead code (see the module's text).  ``called``: is it what another graph
    calls, which has no backward part of its own?"""
    live = _Liveness(graph, keep_raising, called)
    nodes = graph.block.nodes
    border = graph.border
    if border is not None:
        border = sum(live.node(n) for n in nodes[:border])
    return graph.but(block=_swept(graph.block, live), border=border)


def _unbound(block: Block) -> set[Value]:
    """Variables that have no value on some path: what reads them may raise."""
    found = {v for n in walk(block) if n.op == "undef" for v in n.outputs}
    if not found:
        return found
    branches = [n for n in walk(block) if n.op == "if"]
    before = -1
    while before != len(found):
        before = len(found)
        found.update(out for n in branches for k, out in enumerate(n.outputs)
                     if any(b.outputs[k] in found for b in n.blocks))
    return found


class _Liveness:
    """Marks live values and needed regions, to a fixed point."""

    def __init__(self, graph: Graph, keep_raising: bool, called: bool) -> None:
        self.values: set[Value] = set()
        self.needed: set[Node] = set()
        self._node_of: dict[Value, Node] = {}
        self._owner: dict[Value, Node] = {}
        self._node_owner: dict[Node, Node] = {}
        self._sources: dict[Value, list[Value]] = {}  # what must live if a value does
        self._locate(graph.block, None)
        forced = self._may_be({graph.inputs[i].obj for i in graph.written} - {None},
                              graph.block)
        # where a call runs again whatever raises has raised in the call itself
        again = graph.remade and graph.pair is not None
        raising = () if again else graph.block.nodes[:graph.border]
        self._work: list[Value] = list(graph.block.outputs)
        for node in walk(graph.block):
            if node.op == "effect" or (
                    node.op in WRITES and node.inputs[0] in forced):
                self._keep(node)
        unbound = set() if keep_raising or graph.border is None else _unbound(graph.block)
        for node in raising:
            for inner in (node, *(n for b in node.blocks for n in walk(b))):
                role = None if inner.origin is None else inner.origin.role
                if role == "support" or (called and role == "adjoint"):
                    continue
                if (keep_raising and not is_silent(inner)) or (
                        called and may_raise(inner, graph.callees)) or (
                        (called or graph.border is not None) and (
                            checks(inner) or (not inner.blocks and not unbound.isdisjoint(
                                inner.inputs)))):
                    self._keep(inner)
        self._run()
        if not keep_raising and graph.border is not None and not again:
            self._keep_unneeded(graph)

    def _may_be(self, objects: set[int | None], block: Block) -> set[Value]:
        """The values that are one of some objects, or that branches or loops may make one."""
        values = {*block.params, *self._owner, *self._node_of}
        found = {v for v in values if v.obj in objects}
        while True:
            more = {v for v, sources in self._sources.items()
                    if v not in found and not found.isdisjoint(sources)}
            numbers = {v.obj for v in more} - {None}
            more |= {v for v in values - found if v.obj in numbers}
            if not more:
                return found
            found |= more

    def _keep_unneeded(self, graph: Graph) -> None:
        """Keep what may raise and is not needed, unless its adjoint raises as well."""
        adjoints: dict[int, list[Node]] = {}
        for node in self.needed:
            if node.origin is not None and is_adjoint(node):
                adjoints.setdefault(node.origin.statement, []).append(node)
        for node in walk(graph.block.but(nodes=graph.block.nodes[:graph.border])):
            origin = node.origin
            if node not in self.needed and may_raise(node, graph.callees) and not (
                    origin is not None and (origin.role != "forward" or raised_too(
                        node, adjoints.get(origin.statement, ())))):
                self._keep(node)
        self._run()

    def _locate(self, block: Block, owner: Node | None) -> None:
        if owner is not None:
            for v in block.params:
                self._owner[v] = owner
        for node in block.nodes:
            if owner is not None:
                self._node_owner[node] = owner
            for v in node.outputs:
                self._node_of[v] = node
                if owner is not None:
                    self._owner[v] = owner
            for inner in node.blocks:
                self._locate(inner, node)
            if node.op == "if":
                for k, out in enumerate(node.outputs):
                    self._sources[out] = [b.outputs[k] for b in node.blocks]
            elif node.op == "loop":
                self._link(node)

    def _link(self, node: Node) -> None:
        parts, links = LoopParts(node), self._sources
        for k, p in enumerate(parts.carried):
            links[p] = [parts.inits[k], parts.next[k]]
            links[parts.results[k]] = [parts.inits[k], parts.next[k]]
        for p, q in zip(parts.tested, parts.carried):
            links[p] = [q]
        for out, inner in zip(parts.lasts + parts.sequences, parts.last + parts.produced):
            links[out] = [inner]
        for p, source in zip(parts.elements, parts.sources):
            links[p] = [source]

    def _keep(self, node: Node) -> None:
        """Make a node needed, with the regions around it and what controls them."""
        current: Node | None = node
        while current is not None and current not in self.needed:
            self.needed.add(current)
            if current.op == "if":
                self._work.append(current.inputs[0])
            elif current.op == "loop":
                self._work.extend(current.inputs[:current.loop.first_init])
                parts = LoopParts(current)
                if parts.jump is not None:
                    self._work.append(parts.jump)
                if current.loop.kind == "while":
                    self._work.extend(current.blocks[0].outputs)
            else:
                self._work.extend(current.inputs)
            mirror = current.params.get("mirror")
            if mirror is not None:
                self._work.append(mirror.output)
            current = self._node_owner.get(current)

    def _run(self) -> None:
        while self._work:
            value = self._work.pop()
            if value in self.values:
                continue
            self.values.add(value)
            if value in self._sources:
                self._work += self._sources[value]
            node = self._node_of.get(value) or self._owner.get(value)
            if node is not None and node not in self.needed:
                self._keep(node)

    def node(self, node: Node) -> bool:
        return node in self.needed


def _swept(block: Block, live: _Liveness) -> Block:
    nodes = []
    for node in block.nodes:
        if not live.node(node):
            continue
        if node.op == "if":
            node = _swept_if(node, live)
        elif node.op == "loop":
            node = _swept_loop(node, live)
        nodes.append(node)
    return block.but(nodes=tuple(nodes))


def _swept_if(node: Node, live: _Liveness) -> Node:
    kept = [k for k, v in enumerate(node.outputs) if v in live.values]
    blocks = []
    for b in node.blocks:
        swept = _swept(b, live)
        blocks.append(swept.but(outputs=tuple(b.outputs[k] for k in kept)))
    return node.but(outputs=tuple(node.outputs[k] for k in kept), blocks=tuple(blocks))


def _swept_loop(node: Node, live: _Liveness) -> Node:
    parts, alive = LoopParts(node), live.values
    tested = parts.tested or parts.carried
    parts.choose(
        carried=[k for k, part in enumerate(zip(parts.carried, parts.results, tested))
                 if not alive.isdisjoint(part)],
        lasts=[k for k, v in enumerate(parts.lasts) if v in alive],
        kept=[k for k, v in enumerate(parts.sequences) if v in alive],
        consumed=[k for k, v in enumerate(parts.elements) if v in alive])
    return parts.loop(node, *(_swept(b, live).nodes for b in node.blocks))
