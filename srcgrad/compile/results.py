"""Results: which output is differentiated, which are kept, and what is checked at each call."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.ir import Graph, Node, Origin, Ref
from ..trace.entry import Record, Traced
from ..types.kinds import Aval, Kind
from ..types.spelling import raise_exception, raise_from
from ..types.subclasses import ARRAY
from .refusals import not_scalar, require_scalar, without_aux
from .requests import Request
from .templates import refs


def always_raises(graph: Graph) -> bool:
    """Does the program end in an exception on every path?"""
    last = graph.block.nodes[-1] if graph.block.nodes else None
    return last is not None and last.op == "effect" and last.params["fn"] in (
        raise_exception, raise_from)


def outside_aux(result: Any, request: Request, keep: list[int]) -> list[int]:
    """The outputs that are not only part of the auxiliary result."""
    paired = request.has_aux and isinstance(result, tuple) and len(result) == 2
    return refs(result[0]) if paired else keep


def primal(function: Any, request: Request, traced: Traced) -> tuple[Any, list[int], list[int]]:
    """The structure of the primal result, the outputs to keep, the output to differentiate."""
    result = traced.result
    scalar = result
    if request.has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise without_aux(function, result, traced)
        scalar = result[0]
    if isinstance(scalar, Record) and ARRAY in scalar:  # an array of a class of the user's
        scalar = scalar[ARRAY]
    if not isinstance(scalar, Ref):
        scalar_value = scalar
        if type(scalar_value) in (float, np.float64, np.float32):
            return result, refs(result), []
        raise not_scalar(function, scalar, traced)
    aval = traced.graph.outputs[scalar.index].aval
    if not _is_real_scalar(aval):
        raise not_scalar(function, scalar, traced)
    keep = refs(result) if request.mode != "grad" else (
        refs(result[1]) if request.has_aux else [])
    return result, keep, [scalar.index]


def checked_scalar(graph: Graph, of: list[int], name: str) -> Graph:
    """A result that may be None, or of unknown rank, is checked at each call."""
    nodes = []
    for i in of:
        value = graph.outputs[i]
        if value.aval.optional or value.aval.kind is Kind.ANY:
            nodes.append(Node("effect", (value,), (), {
                "fn": require_scalar, "args": (Ref(0), name), "kwargs": {}},
                origin=Origin(role="support")))
    if not nodes:
        return graph
    return graph.but(block=graph.block.but(nodes=(*graph.block.nodes, *nodes)))


def _is_real_scalar(aval: Aval) -> bool:
    if aval.kind is Kind.ANY:
        return True
    if not aval.is_numeric or aval.shape != () or aval.optional:
        return aval.is_numeric and aval.shape == () and aval.is_inexact and (
            aval.dtype is None or aval.dtype.kind == "f")
    return aval.dtype is None or aval.dtype.kind == "f"
