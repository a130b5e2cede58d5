"""What closing adds to forward regions: outputs for what backward regions read.

An ``if`` gets an output with ``undef`` on the other side, a loop one more sequence, or what a value
is after the loop.
"""

from __future__ import annotations

from ..graph.ir import Block, Builder, Node, Origin, Value
from ..graph.parts import LoopParts
from ..types.dataclasses import dataclass, field
from ..types.kinds import Kind


@dataclass
class Added:
    """What closing adds to one forward region: inner values with their new outer values, and
    (for loops) whether the sequence is stacked, the arm for ifs; ``lasts``: what is the same in
    each iteration of a loop, with its value after the loop."""

    values: dict[Value, Value] = field(default_factory=dict)
    arms: dict[Value, int] = field(default_factory=dict)
    stacked: dict[Value, bool] = field(default_factory=dict)
    lasts: dict[Value, Value] = field(default_factory=dict)


@dataclass
class Additions:
    """What is added to the forward regions of a graph: outputs; nodes of a block, each after
    another one (None: at its beginning); and the initial values of loops that are None in the place
    of unbound variables."""

    outputs: dict[Node, Added] = field(default_factory=dict)
    nodes: dict[Block, list[tuple[Node | None, Node]]] = field(default_factory=dict)
    bound: dict[Node, set[int]] = field(default_factory=dict)

    def extended(self, block: Block, border: int | None) -> tuple[Block, int | None]:
        """The block of a graph with what is added at any depth, and the new place of its
        border."""
        if not self.outputs and not self.nodes and not self.bound:
            return block, border
        nodes, places = self._nodes(block, True)
        places.append(len(nodes))
        return block.but(nodes=tuple(nodes)), None if border is None else places[border]

    def _nodes(self, block: Block, outermost: bool) -> tuple[list[Node], list[int]]:
        """The nodes of a block with what is added, and the places of its own ones."""
        extra = self.nodes.get(block, [])
        nodes: list[Node] = [new for after, new in extra if after is None]
        places: list[int] = []
        for original in block.nodes:
            node, once = original, outermost and original.op == "if"
            inner = [(b, self._nodes(b, once)[0]) for b in node.blocks]
            if any(len(new) != len(b.nodes) or any(m is not n for m, n in zip(new, b.nodes))
                   for b, new in inner):
                node = node.but(blocks=tuple(b.but(nodes=tuple(new)) for b, new in inner))
            added = self.outputs.get(original)
            if added is not None:
                node = _extended_loop(node, added) if node.op == "loop" else _extended_if(
                    node, added, outermost)
            places.append(len(nodes))
            node = self._with_bound(original, node, nodes)
            nodes.append(node)
            nodes.extend(new for after, new in extra if after is original)
        return nodes, places

    def _with_bound(self, original: Node, node: Node, nodes: list[Node]) -> Node:
        """A loop whose unbound variables start as None, where :meth:`_bind` says so."""
        inputs = list(node.inputs)
        for place in self.bound.get(original, ()):
            none = Builder(Origin(role="support"))
            inputs[place] = none.const(None, inputs[place].aval.but(optional=True))
            nodes.extend(none.nodes)
        return node if original not in self.bound else node.but(inputs=tuple(inputs))


def _extended_if(node: Node, added: Added, once: bool) -> Node:
    """An ``if`` with more outputs.  On the other side they are undefined; None in loops, which
    keep an element for each iteration."""
    blocks = []
    for arm, block in enumerate(node.blocks):
        tail = Builder(Origin(role="support"))
        outputs = list(block.outputs)
        for inner, out in added.values.items():
            if added.arms[inner] == arm:
                outputs.append(inner)
            elif out.aval.kind is Kind.LIST:  # an empty one has a zero cotangent
                outputs.append(tail.add("list", (), (out.aval,)).out)
            elif once and out.aval.kind is not Kind.RECORD:  # its zero is made from itself
                outputs.append(tail.add("undef", (), (out.aval,)).out)
            else:
                outputs.append(tail.const(None, out.aval))
        blocks.append(block.but(nodes=(*block.nodes, *tail.nodes), outputs=tuple(outputs)))
    return node.but(outputs=(*node.outputs, *added.values.values()), blocks=tuple(blocks))


def _extended_loop(node: Node, added: Added) -> Node:
    parts = LoopParts(node)
    parts.extend(lasts=(added.lasts, added.lasts.values()), kept=(
        added.values, added.values.values(), [added.stacked[v] for v in added.values]))
    return parts.loop(node)
