"""The passes in order."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..graph.ir import Graph
from .dead import remove_dead

Pass = Callable[[Graph], Graph]

PASSES: dict[str, Pass] = {}


def simplify(graph: Graph, *, keep_raising: bool = False, without: Collection[str] = ()) -> Graph:
    """``graph``, open or closed, after all passes but those named in ``without``."""
    for name, run in PASSES.items():
        if name not in without:
            graph = run(graph)
    return graph if "dead" in without else remove_dead(graph, keep_raising)
