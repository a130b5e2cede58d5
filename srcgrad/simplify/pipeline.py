"""The passes in order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..graph.ir import Graph
from ..graph.walking import operations
from .algebra import reduce_strength
from .cancel import EXTREMA, cancel
from .centred import MEANS, drop_centred
from .dead import remove_dead
from .hoist import MAKERS, hoist
from .idle_stores import drop_idle_stores
from .known_tests import with_known_tests
from .loops import drop_invariant
from .matrices import MAKING, use_structure
from .narrow import narrow
from .normalised import cancel_norms
from .object_numbers import without_lookups
from .once import store_once
from .operands import DIV, MUL
from .restore import restore
from .scattered import keep_scattered
from .share import share
from .spread_lists import keep_spread
from .stack import stack_outer_products

Pass = Callable[[Graph], Graph]

# In this order; each may be left out without a change of meaning.  Beside each pass the operations
# and functions that it is about: it does nothing to a graph that has none of one of these sets.
PASSES: dict[str, tuple[Pass, tuple[Collection[Any], ...]]] = {
    "lookups": (without_lookups, ()),
    "known tests": (with_known_tests, ({"if"},)),
    "invariant": (drop_invariant, ({"loop", "if"},)),
    "cancel": (cancel, (EXTREMA, {np.where})),
    "centred": (drop_centred, (MEANS, {np.sum})),
    "norms": (cancel_norms, ({np.sum}, DIV, MUL)),
    "narrow": (narrow, ({np.broadcast_to},)),
    "spread": (keep_spread, ({"loop"},)),
    "share": (share, ()),
    "scattered": (keep_scattered, ({"write", "acc"},)),
    "matrices": (use_structure, (MAKING | {np.sum},)),
    "stack": (stack_outer_products, ({"loop"},)),
    "algebra": (reduce_strength, ()),
    "restore": (restore, ({"loop", "if"}, {"write"})),
    "idle stores": (drop_idle_stores, ({"write", "put"}, {"read", "get"})),
    "once": (store_once, ({"loop"},)),
    "hoist": (hoist, ({"loop"}, MAKERS)),
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
    for name, (run, about) in PASSES.items():
        if name not in without and not any(map(operations(graph.block).isdisjoint, about)):
            graph = run(graph)
    return graph if "dead" in without else remove_dead(graph, keep_raising, called)
