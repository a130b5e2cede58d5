"""Before it is printed: the loops of a graph that become kernels, marked and checked.

``params["kernel"]`` numbers such a loop, and the loops in it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import count

import numpy as np

from srcgrad.graph.ir import Block, Graph, Node, walk
from srcgrad.graph.parts import LoopParts
from srcgrad.kinds import SCALARS
from srcgrad.native.approximate import APPROXIMATIONS
from srcgrad.native.checks import Checks
from srcgrad.native.holding import rounded, why_not
from srcgrad.native.widths import too_wide


class Prepared:
    """A graph whose outermost loops that a kernel can hold are marked, but for those in ``left``.

    ``loops`` are the numbers of these loops; ``reasons`` tell of each other loop what holds it
    in NumPy, with its place.  ``fast``: functions become polynomials.
    """

    def __init__(self, graph: Graph, left: Container[int], fast: bool) -> None:
        self.left, self.fast = left, fast
        self.loops: set[int] = set()
        self.native: list[Node] = []
        self.reasons: dict[int, tuple[Node, str]] = {}
        self.numbers: Iterator[int] = count()
        self.checks = Checks()
        block = self.block(graph.block)
        self.graph = graph.but(block=block)

    def notes(self) -> tuple[str, ...]:
        """Which loops run natively, and why others do not."""
        found = dict.fromkeys(f"native: {_line(node)}" for node in self.native)
        found.update((f"in NumPy: {_line(node)}   ({reason})", None)
                     for node, reason in self.reasons.values())
        if any(rounded(n) for loop in self.native for b in loop.blocks for n in walk(b)):
            found["powers and functions such as exp and log may differ from NumPy's by a few "
                  "units in the last place"] = None
        if self.fast and self.native:
            found["fast: sums and products may be reordered; exp, log, tanh and erf are "
                  "polynomials within one unit in the last place"] = None
        return tuple(found)

    def block(self, block: Block) -> Block:
        return block.but(nodes=tuple(map(self.node, block.nodes)))

    def node(self, node: Node) -> Node:
        if node.op != "loop":
            return node.but(blocks=tuple(map(self.block, node.blocks))) if node.blocks else node
        number = next(self.numbers)
        reason = unheld(node)
        if reason is None and number not in self.left:
            self.loops.add(number)
            self.native.append(node)
            for _ in (n for b in node.blocks for n in walk(b) if n.op == "loop"):
                next(self.numbers)
            checked = self.checks(node)
            return _marked(_approximated(checked) if self.fast else checked, number)
        self.reasons[number] = (node, reason or "what it keeps is in lists that NumPy code reads")
        return node.but(blocks=tuple(map(self.block, node.blocks)))


def _line(node: Node) -> str:
    where = None if node.origin is None else node.origin.where
    return "a loop" if where is None else f"line {where.line}: {where.text.strip()}"


def unheld(loop: Node) -> str | None:
    """Why a loop does not become a kernel."""
    for node in (loop, *(n for b in loop.blocks for n in walk(b))):
        reason = why_not(node)
        if reason is not None:
            return reason
    return too_wide(loop)


def _approximated(node: Node) -> Node:
    """A node with polynomials in the place of functions of float64, also in its blocks."""
    if node.blocks:
        return node.but(blocks=tuple(b.but(nodes=tuple(map(_approximated, b.nodes)))
                                     for b in node.blocks))
    fast = APPROXIMATIONS.get(node.params.get("fn")) if node.op == "apply" else None
    if fast is None or len(node.inputs) != 1 or node.out.aval.dtype != np.float64:
        return node
    return node.but(params={**node.params, "fn": fast})


def _marked(node: Node, number: int) -> Node:
    if not node.blocks:
        return node
    blocks = tuple(b.but(nodes=tuple(_marked(n, number) for n in b.nodes)) for b in node.blocks)
    if node.op != "loop":
        return node.but(blocks=blocks)
    spec, elements = node.loop, LoopParts(node).produced
    if spec.kind == "for" and not spec.exits and elements:  # numbers are kept in arrays
        known = spec.stacked or (False,) * len(elements)
        spec = spec.but(stacked=tuple(s or e.aval.kind in SCALARS
                                      for s, e in zip(known, elements, strict=True)))
    return node.but(params={**node.params, "kernel": number, "loop": spec}, blocks=blocks)
