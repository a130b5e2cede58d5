"""A second name for values that outlive their name.

Where the user binds a name anew while the old value is still read (by the backward part, as a
rule), the user's statements should go on using the user's name: the old value gets a second
name at its definition, ``r = r_1 = np.linalg.norm(x)``, and late readers use that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from srcgrad.emit.fold import Folding
from srcgrad.emit.order import Order
from srcgrad.emit.rewrite import partly_undefined
from srcgrad.emit.spans import SECOND
from srcgrad.graph.ir import Block, Graph, Node, Value


def split_names(graph: Graph, order: Order, folding: Folding,
                late: Mapping[Value, int]) -> Graph:
    """The graph with an ``alias`` node after the definition of each value of ``late``, for
    its readers after the position given there."""
    return _Splitter(order, folding, late).graph(graph)


class _Splitter:
    def __init__(self, order: Order, folding: Folding, late: Mapping[Value, int]) -> None:
        self.order, self.folding, self.late = order, folding, late
        self.second: dict[Value, Value] = {}
        self.undefined: set[Value] = set()

    def graph(self, graph: Graph) -> Graph:
        self.current: dict[str, Value] = {}
        block, last = graph.block, self.order.span[graph.block][1]
        made = [self.split(block.params, None)]
        for node in block.nodes:
            made.append([self.node(node), *self.split(node.outputs, node)])
        return graph.but(
            block=block.but(nodes=tuple(chain(*made)),
                            outputs=tuple(self.at(v, last) for v in block.outputs)),
            border=None if graph.border is None else sum(map(len, made[:graph.border + 1])))

    def split(self, values: Sequence[Value], node: Node | None) -> list[Node]:
        """The nodes that give second names to values."""
        made: list[Node] = []
        for i, value in enumerate(values):
            if value not in self.late:
                continue
            if node is not None and partly_undefined(node, i):
                self.undefined.add(value)  # after one arm there is nothing to give a name to
                continue
            self.second[value] = Value(value.aval, f"{value.hint}{SECOND}", value.obj)
            made.append(Node("alias", (value,), (self.second[value],), {}, (),
                             None if node is None else node.origin))
        return made

    def at(self, value: Value, position: int) -> Value:
        if value in self.late and value not in self.undefined and (
                position > self.late[value]):
            return self.second[value]
        return value

    def node(self, node: Node) -> Node:
        position = self.folding.inlined.get(node, self.order.start[node])
        position += self.folding.shift.get(node, 0)
        if node.op == "dim" and (self.folding.is_repeated(node.out)  # written out anywhere
                                 or position > self.late.get(node.inputs[0], position)):
            return node.but(inputs=(self.sized(node.inputs[0]),))
        bounds = node.loop.first_init if node.op == "loop" else 0
        inputs = tuple(self.at(v, position + 2 * (i < bounds)) for i, v in enumerate(node.inputs))
        if node.blocks or inputs != node.inputs:
            node = node.but(inputs=inputs, blocks=tuple(self.block(b) for b in node.blocks))
        self.current.update((v.hint, v) for v in node.outputs if v.hint)
        return node

    def sized(self, value: Value) -> Value:
        """A value of the same shape that has the name now, for a reader of the shape alone."""
        if value not in self.late:
            return value
        now = self.current.get(value.hint or "")
        if now is not None and now.aval == value.aval and not now.aval.optional:
            return now
        return self.second[value]

    def block(self, block: Block) -> Block:
        last = self.order.span[block][1]
        before = dict(self.current)
        self.current.update((p.hint, p) for p in block.params if p.hint)
        nodes = tuple(self.node(n) for n in block.nodes)
        self.current = before
        return Block(block.params, nodes, tuple(self.at(v, last) for v in block.outputs))
