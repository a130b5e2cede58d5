"""The cotangents that the results of a gradient start with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..types.kinds import Kind
from ..types.structure import found_in
from .ir import Graph, Value, has_plain_arguments
from .walking import walk


def unit_seeds(seeds: Iterable[Value], graph: Graph) -> list[Any]:
    """The number 1 as the cotangent of each scalar result, of a type that leaves the dtypes of
    what it meets alone: a Python float unless the graph computes in other precisions as well, or
    the result is, perhaps, an array without axes."""
    seeds = list(seeds)
    if all(s.aval.dtype is None for s in seeds):
        return [1.0] * len(seeds)
    nodes = [node for each in (graph, *graph.callees.values()) for node in walk(each.block)]
    dtypes = {v.aval.dtype for node in nodes for v in (*node.inputs, *node.outputs)}
    for node in nodes:
        if not has_plain_arguments(node):
            dtypes.update([constant.dtype for constant in found_in(node.params, np.generic)])
    mixed = any(d is not None and d.kind in "fc" and d.char not in "dD" for d in dtypes)
    return [1.0 if s.aval.dtype is None or not (mixed or s.aval.kind in (Kind.ARRAY, Kind.ANY))
            else np.ones((), s.aval.dtype) if s.aval.kind is Kind.ARRAY
            else s.aval.dtype.type(1.0) for s in seeds]
