"""The passes in order."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..graph.ir import Graph
from .algebra import reduce_strength
from .cancel import cancel
from .centred import drop_centred
from .dead import remove_dead
from .hoist import hoist
from .idle_stores import drop_idle_stores
from .loops import drop_invariant
from .matrices import use_structure
from .narrow import narrow
from .normalised import cancel_norms
from .object_numbers import without_lookups
from .once import store_once
from .restore import restore
from .scattered import keep_scattered
from .share import share
from .spread_lists import keep_spread
from .stack import stack_outer_products

Pass = Callable[[Graph], Graph]

# In this order; each may be left out without a change of meaning.
PASSES: dict[str, Pass] = {
    "lookups": without_lookups,
    "invariant": drop_invariant,
    "cancel": cancel,
    "centred": drop_centred,
    "norms": cancel_norms,
    "narrow": narrow,
    "spread": keep_spread,
    "share": share,
    "scattered": keep_scattered,
    "matrices": use_structure,
    "stack": stack_outer_products,
    "algebra": reduce_strength,
    "restore": restore,
    "idle stores": drop_idle_stores,
    "once": store_once,
    "hoist": hoist,
}


def simplify(graph: Graph, *, keep_raising: bool = False, without: Collection[str] = (),
             called: bool = False) -> Graph:
    """``graph``, open or closed, and the graphs it calls, after all passes but those named in
    ``without``."""
    callees = {name: simplify(callee, keep_raising=keep_raising, without=without, called=True)
               for name, callee in graph.callees.items()}
    graph = graph.but(callees=callees)
    if graph.remade and graph.pair is not None:  # nothing in it is kept because it may raise
        keep_raising = called = False
    if graph.border is not None and not keep_raising and "dead" not in without:
        graph = remove_dead(graph)  # while adjoints still read what they are the adjoints of
    for name, run in PASSES.items():
        if name not in without:
            graph = run(graph)
    return graph if "dead" in without else remove_dead(graph, keep_raising, called)
