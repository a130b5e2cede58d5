"""What makes nodes equal: one operation on the same values, or one place."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .infer import freeze
from .ir import UNASKED, Index, Node, Ref, Through, fill

_BUFFERS: frozenset[Any] = frozenset({
    np.zeros, np.zeros_like, np.copy, np.empty, np.empty_like, np.ones_like, np.full,
    np.full_like, np.ones, np.array})
_COMMUTATIVE = frozenset({operator.mul, operator.add, np.multiply, np.add})


def key_of(node: Node) -> Any:
    """What makes two nodes equal; None for nodes that are not shared."""
    if node.key is UNASKED:
        node.key = _key(node)
    return node.key


def _key(node: Node) -> Any:
    inputs = tuple([id(v) for v in node.inputs])
    try:
        if node.op == "const":
            return ("const", freeze(node.params["value"]))
        if node.op == "dim":
            return ("dim", inputs, node.params["axis"])
        if node.op == "list_len":
            return ("list_len", inputs)
        if node.op == "read":
            return ("read", inputs, tuple(_step_key(s) for s in node.params["steps"]))
        if node.op == "apply" and node.params["fn"] not in _BUFFERS:
            fn, kwargs = node.params["fn"], node.params["kwargs"]
            places = tuple([a.index if type(a) is Ref else freeze(a)  # most are inputs
                            for a in node.params["args"]])
            if places == (0, 1) and fn in _COMMUTATIVE:
                inputs = (min(inputs), max(inputs))
            key = ("apply", fn, inputs, places, freeze(kwargs) if kwargs else None)
            hash(key)
            return key
    except TypeError:  # unhashable settings are not worth the trouble
        pass
    return None


def place_key(node: Node) -> Any:
    """What makes the places of two stores equal: their steps with the values in them."""
    filled = []
    for step in node.params["steps"]:
        parts = (step.key,) if isinstance(step, Index) else (step.fn, step.args, step.kwargs)
        filled.append(_identified(fill(parts, node.inputs)))
    return tuple(filled)


def _identified(structure: Any) -> Any:
    """A hashable form of a structure in which values stand for themselves."""
    if isinstance(structure, tuple | list):
        return (type(structure), *map(_identified, structure))
    if isinstance(structure, slice):
        return ("slice", *map(_identified, (structure.start, structure.stop, structure.step)))
    if isinstance(structure, np.ndarray | dict):
        return id(structure)
    return structure


def _step_key(step: Index | Through) -> Any:
    if isinstance(step, Index):
        return freeze(step.key)
    return (step.fn, freeze(step.args), freeze(step.kwargs))
