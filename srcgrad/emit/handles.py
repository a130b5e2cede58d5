"""Writes through a view that the user named.

A write through ``v = x[1:]`` is a write to ``x`` in the graph.  Where the user's statement
names the view, the write is printed through it: ``v *= 2.0``, not ``x[1:] *= 2.0``.
"""

from __future__ import annotations

from srcgrad.graph.freshness import may_view
from srcgrad.graph.ir import Block, Graph, Index, Node, Ref, Step, Value, fill, is_adjoint

View = tuple[Value, list[object]]


class Handles:
    """``through[write]`` is the view to print and the number of steps it stands for;
    ``repeated`` holds reads that an update of the same part does again: of ``u[i] += e`` the
    ``u[i]``."""

    def __init__(self, graph: Graph) -> None:
        self.through: dict[Node, tuple[Value, int]] = {}
        self.homes: dict[Value, tuple[int | None, list[object]]] = {}
        self.reads: dict[int, list[tuple[Node, list[object]]]] = {}
        self.repeated: dict[Node, None] = {}
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
            elif node.op == "apply" and len(node.outputs) == 1 and may_view(node.params["fn"]):
                self.through_function(node, views)
            elif node.op in ("write", "update"):
                self.write(node, views)

    def view(self, node: Node, views: dict[int, list[View]]) -> None:
        out, base = node.outputs[0], node.inputs[0]
        if node.params.get("handle"):
            self.homes[out] = self.homes.get(node.inputs[-1], (None, []))
            return
        home, above = self.homes.get(base, (base.obj, []))
        if home is None or any(isinstance(s, Index) and not s.basic for s in node.params["steps"]):
            return
        steps = [*above, *(_filled(s, node) for s in node.params["steps"])]
        self.reads.setdefault(home, []).append((node, steps))
        if not out.aval.is_array:
            return
        self.homes[out] = (home, steps)
        if out.hint:
            views.setdefault(home, []).append((out, steps))

    def through_function(self, node: Node, views: dict[int, list[View]]) -> None:
        """``y = x.reshape(2, -1)``: a view, if something is written through it."""
        out, args = node.out, node.params["args"]
        if not args or args[0] != Ref(0) or out.obj is None or out.obj == node.inputs[0].obj:
            return
        home, above = self.homes.get(node.inputs[0], (node.inputs[0].obj, []))
        if home is not None and out.aval.is_array:
            keywords = fill(node.params.get("kwargs") or {}, node.inputs)
            step = (node.params["fn"], fill(tuple(args[1:]), node.inputs), keywords)
            self.homes[out] = (home, [*above, step])
            if out.hint:
                views.setdefault(home, []).append((out, [*above, step]))

    def write(self, node: Node, views: dict[int, list[View]]) -> None:
        base, where = node.inputs[0], node.origin.where if node.origin else None
        if base.obj is None or where is None or not node.params["steps"]:
            return
        steps = [_filled(s, node) for s in node.params["steps"]]
        for read, theirs in self.reads.get(base.obj, [])[-4:]:
            if node.op == "update" and theirs == steps:
                self.repeated[read] = None
        text = where.text.lstrip()
        for view, prefix in reversed(views.get(base.obj, [])):
            name = view.hint or ""
            named = text.startswith(name) and not text[len(name):len(name) + 1].isidentifier()
            if named and len(prefix) <= len(steps) and steps[:len(prefix)] == prefix:
                self.through[node] = (view, len(prefix))
                return


def _filled(step: Step, node: Node) -> object:
    if isinstance(step, Index):
        return fill(step.key, node.inputs)
    return (step.fn, fill(step.args, node.inputs), dict(fill(step.kwargs, node.inputs)))
