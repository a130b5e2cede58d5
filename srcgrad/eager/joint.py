"""Several results of one operation, each computed by a primitive of its own, under one node."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.nodes import BarePlan, make_node, node_class
from srcgrad.eager.tensor import Tensor


class _JointPlan(BarePlan):
    """Pulls each cotangent through the node of its result and adds up.  The nodes have the same
    edges: they are of functions of the same arguments."""

    outputs = 2  # the engine hands over a list
    frees = "inner"

    def pull(self, node: Any, cts: list[Any]) -> list[Any]:
        return self._sums(node, cts, "pull")

    def pull_graph(self, node: Any, cts: list[Any]) -> list[Any]:
        return self._sums(node, cts, "pull_graph")

    def _sums(self, node: Any, cts: list[Any], how: str) -> list[Any]:
        totals: list[Any] = [None] * len(node._edges)
        for inner, ct in zip(node._saved, cts):
            if ct is not None:
                for i, g in enumerate(getattr(inner._plan, how)(inner, ct)):
                    if g is not None:
                        totals[i] = g if totals[i] is None else totals[i] + g
        return totals

    def release(self, node: Any) -> None:
        for inner in node._saved:
            if inner._plan.frees:
                inner._saved = None

    def saved_value(self, node: Any, name: str) -> Any:
        return node._saved[0]._plan.saved_value(node._saved[0], name)


_PLAN = _JointPlan()


def joint(name: str, *results: Tensor) -> tuple[Tensor, ...]:
    """``results``, which were computed from the same arguments, as outputs of one node."""
    inner = tuple(t._fn for t in results)
    if inner[0] is not None:
        node = make_node(node_class(name), _PLAN, inner[0]._edges, inner, None)
        for nr, t in enumerate(results):
            t._fn, t._nr = node, nr
    return results
