"""Writes through a view that the user named.

A write through ``v = x[1:]`` is a write to ``x`` in the graph.  Where the user's statement
names the view, the write is printed through it: ``v *= 2.0``, not ``x[1:] *= 2.0``.
"""

from __future__ import annotations

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Block, Graph, Index, Node, Step, Value, fill

View = tuple[Value, list[object]]


class Handles:
    """``through[write]`` is the view to print and the number of steps it stands for."""

    def __init__(self, graph: Graph) -> None:
        self.through: dict[Node, tuple[Value, int]] = {}
        self.homes: dict[Value, tuple[int | None, list[object]]] = {}
        self.block(graph.block, {})

    def block(self, block: Block, views: dict[int, list[View]]) -> None:
        for node in block.nodes:
            if is_adjoint(node):
                continue
            if node.op == "if":
                for inner in node.blocks:
                    self.block(inner, {k: list(v) for k, v in views.items()})
            elif node.op == "loop":
                for inner in node.blocks:
                    self.block(inner, {})
            elif node.op == "read":
                self.view(node, views)
            elif node.op in ("write", "update"):
                self.write(node, views)

    def view(self, node: Node, views: dict[int, list[View]]) -> None:
        out, base = node.outputs[0], node.inputs[0]
        if node.params.get("handle"):
            self.homes[out] = self.homes.get(node.inputs[-1], (None, []))
            return
        home, above = self.homes.get(base, (base.obj, []))
        if home is None or not out.aval.is_array or not all(
                isinstance(s, Index) and s.basic for s in node.params["steps"]):
            return
        steps = [*above, *(_filled(s, node) for s in node.params["steps"])]
        self.homes[out] = (home, steps)
        if out.hint:
            views.setdefault(home, []).append((out, steps))

    def write(self, node: Node, views: dict[int, list[View]]) -> None:
        base, where = node.inputs[0], node.origin.where if node.origin else None
        if base.obj is None or where is None or not node.params["steps"]:
            return
        steps = [_filled(s, node) for s in node.params["steps"]]
        text = where.text.lstrip()
        for view, prefix in reversed(views.get(base.obj, [])):
            name = view.hint or ""
            named = text.startswith(name) and not text[len(name):len(name) + 1].isidentifier()
            if named and len(prefix) <= len(steps) and steps[:len(prefix)] == prefix:
                self.through[node] = (view, len(prefix))
                return


def _filled(step: Step, node: Node) -> object:
    return fill(step.key, node.inputs) if isinstance(step, Index) else step
