"""Short loops that keep numbers in each iteration are written out, so that nothing is kept.

    for j in range(2):                            price_2 = price * rate[0]
        kept[j] = price                           price_3 = price_2 * rate[1]
        price = price * rate[j]
    ...                                           ...
    for j in range(1, -1, -1):                    d_rate[1] += d_price * price_2
        d_rate[j] += d_price * kept[j]            d_price = d_price * rate[1]
        d_price = d_price * rate[j]               d_rate[0] += d_price * price

The loops that read what is kept are written out with it.  Loops that keep nothing are LLVM's to
write out.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.graph.ir import Block, Builder, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import rebuild, walk
from srcgrad.types.kinds import SCALARS, int_aval

LONGEST, LARGEST = 8, 64  # iterations, and nodes of all of them


def written_out(loop: Node) -> Node:
    """A loop with such loops in it written out."""
    chosen = _chosen(loop)
    return _WrittenOut(chosen).node(loop) if chosen else loop


def _chosen(loop: Node) -> dict[Node, range]:
    """The loops that are written out, and what they count."""
    inner = [n for b in loop.blocks for n in walk(b)]
    constants = {n.out: n.params["value"] for n in inner if n.op == "const"}
    found = {n: counted for n in inner if n.op == "loop"
             and (counted := _counted(n, constants)) is not None}
    ends = {v for n in (loop, *inner) for b in n.blocks for v in b.outputs}
    while True:
        parts = {n: LoopParts(n) for n in found}
        kept = {s for p in parts.values() for s in p.sequences} - ends
        for n in inner:
            kept -= {*n.inputs} if n not in found else {
                *n.inputs[:len(n.inputs) - len(parts[n].sources)]}
        left = {n: counted for n, counted in found.items()
                if (parts[n].sequences or parts[n].sources)
                and kept.issuperset((*parts[n].sequences, *parts[n].sources))}
        if len(left) == len(found):
            return found
        found = left


def _counted(node: Node, constants: dict[Value, object]) -> range | None:
    """What a short loop counts, if that is known and it holds only numbers and no other loop."""
    body = node.blocks[-1]
    if node.loop.kind != "for" or node.loop.exits or node.params.get("parallel") or any(
            e.aval.kind not in SCALARS for e in LoopParts(node).produced):
        return None
    bounds = [b for v in node.inputs[:3] if type(b := constants.get(v, v.aval.expr)) is int]
    if len(bounds) < 3:
        return None
    counted, nodes = range(*bounds), [*walk(body)]
    fits = 0 < len(counted) <= LONGEST and len(counted) * len(nodes) <= LARGEST
    return counted if fits and not any(n.op == "loop" for n in nodes) else None


class _WrittenOut:
    """Copies blocks: ``renamed`` are values that copies give, ``kept`` what is in sequences."""

    def __init__(self, chosen: dict[Node, range]) -> None:
        self.chosen = chosen
        self.renamed: dict[Value, Value] = {}
        self.kept: dict[Value, dict[int, Value]] = {}

    def node(self, node: Node) -> Node:
        return node.but(inputs=tuple(self.renamed.get(v, v) for v in node.inputs),
                        blocks=tuple(map(self.block, node.blocks)))

    def block(self, block: Block) -> Block:
        nodes = [made for n in block.nodes
                 for made in (self.copies(n) if n in self.chosen else (self.node(n),))]
        return block.but(nodes=tuple(nodes),
                         outputs=tuple(self.renamed.get(v, v) for v in block.outputs))

    def copies(self, node: Node) -> Iterator[Node]:
        """The iterations of a loop."""
        spec, body, parts = node.loop, node.blocks[-1], LoopParts(node)
        counted = [*enumerate(self.chosen[node])]
        kept: list[dict[int, Value]] = [self.kept.setdefault(s, {}) for s in parts.sequences]
        given = tuple(self.renamed.get(v, v) for v in parts.inits)
        made = Builder(node.origin)
        for k, number in reversed(counted) if spec.reverse else counted:
            inner = self.renamed | dict(zip(parts.carried, given, strict=True))
            inner |= {e: self.kept[s][k]
                      for e, s in zip(parts.elements, parts.sources, strict=True)}
            if parts.index is not None:
                inner[parts.index] = made.const(number, int_aval(number))
            copy = rebuild(Block((), body.nodes, body.outputs), inner, fresh=True)
            made.nodes += copy.nodes
            given, lasts = copy.outputs[:spec.n_carried], copy.outputs[spec.n_carried:]
            for elements, value in zip(kept, lasts[spec.n_last:], strict=True):
                elements[k] = value
        self.renamed |= dict(zip((*parts.results, *parts.lasts), (*given, *lasts), strict=False))
        self.renamed[parts.trips] = made.const(len(counted), int_aval(len(counted)))
        yield from made.nodes
