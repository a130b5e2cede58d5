"""Which functions give new memory, and whose arrays nobody else holds."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.graph.changing import Changing
from srcgrad.graph.ir import STORES, Block, Node, Value
from srcgrad.graph.walking import uses_of, walk
from srcgrad.types.kinds import Kind
from srcgrad.types.spelling import Attribute, Method

_OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "neg", "pos",
              "abs", "and_", "or_", "xor", "invert", "lshift", "rshift", "lt", "le", "gt", "ge",
              "eq", "ne")
_METHODS = frozenset((
    "copy", "sum", "mean", "dot", "cumsum", "cumprod", "prod", "max", "min", "repeat", "take",
    "flatten", "std", "var", "clip", "trace", "all", "any", "argmax", "argmin", "argsort",
    "round", "astype",
))
_FUNCTIONS = (
    "zeros", "empty", "ones", "full", "zeros_like", "empty_like", "ones_like", "full_like",
    "copy", "sum", "mean", "prod", "std", "var", "max", "min", "amax", "amin", "dot", "vdot",
    "inner", "outer", "matmul", "tensordot", "kron", "cumsum", "cumprod", "concatenate", "stack",
    "vstack", "hstack", "dstack", "column_stack", "where", "take", "repeat", "tile", "roll",
    "sort", "argsort", "argmax", "argmin", "clip", "triu", "tril", "pad", "interp", "diff",
    "trace", "cross", "linspace", "arange", "eye", "identity", "nanmax", "nanmin", "nansum",
    "nanmean", "array", "convolve", "correlate", "searchsorted", "bincount", "histogram",
    "logspace", "average", "median", "ptp", "gradient",
)


def _functions() -> frozenset[Any]:
    found = [getattr(operator, name) for name in _OPERATORS]
    found += [getattr(np, name) for name in _FUNCTIONS if hasattr(np, name)]
    found += [np.linalg.norm, np.linalg.inv, np.linalg.det, np.linalg.solve, np.linalg.cholesky,
              np.linalg.slogdet, np.linalg.matrix_power, abs]
    return frozenset(found)


_FRESH = _functions()


_VIEWING = frozenset(map(id, (
    np.reshape, np.ravel, np.transpose, np.squeeze, np.expand_dims, np.swapaxes, np.moveaxis,
    np.asarray, np.ascontiguousarray, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.flip)))
_VIEWING_NAMES = frozenset(("reshape", "ravel", "transpose", "squeeze", "swapaxes", "T", "mT"))


_OWN_NEW = ("scatter_add", "scatter_diagonal", "last_write_mask", "sum_padding",
            "through_cumprod", "segments_joined", "spread_segments")


def may_view(fn: Any) -> bool:
    """Does ``fn`` return new memory or a writable view of its first argument, nothing else?"""
    if isinstance(fn, (Method, Attribute)):
        return fn.name in _VIEWING_NAMES
    return id(fn) in _VIEWING


def makes_fresh(fn: Any, kwargs: Any) -> bool:
    """Does ``fn`` always return new memory?"""
    if isinstance(fn, Method):
        return fn.name in _METHODS and "copy" not in kwargs and "out" not in kwargs
    if "out" in kwargs or "copy" in kwargs:
        return False
    if type(fn).__hash__ is not None and fn in _FRESH:
        return True
    if isinstance(fn, np.ufunc) or (isinstance(getattr(fn, "__self__", None), np.ufunc)
                                    and fn.__name__ in ("outer", "accumulate", "reduceat")):
        return True
    return str(getattr(fn, "__module__", "")).startswith("srcgrad.rules") and (
        getattr(fn, "__name__", "") in _OWN_NEW)


class _Copies(Changing):
    """A walk that leaves out copies of arrays that are read only by what makes new memory."""

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.uses = uses_of(block)
        self.readers: dict[Value, list[tuple[Node, int]]] = {}
        for node in walk(block):
            for place, value in enumerate(node.inputs):
                self.readers.setdefault(value, []).append((node, place))

    def node(self, node: Node) -> list[Node]:
        if node.op == "copy" and node.out.aval.kind is Kind.ARRAY and (
                self._only_computed_with(node.out)):
            self.replaced[node.out] = node.inputs[0]
            return []
        return [self.within(node)]

    def _only_computed_with(self, value: Value) -> bool:
        readers = self.readers.get(value, ())
        return self.uses[value] == len(readers) and all(
            node.op == "dim" or _is_new(node) or (node.op in STORES and place > 0) or ((
                (node.op == "apply" and may_view(node.params["fn"])) or node.op == "read") and all(
                map(self._only_computed_with, node.outputs))) for node, place in readers)


def _is_new(node: Node) -> bool:
    return node.op == "apply" and makes_fresh(node.params["fn"], node.params.get("kwargs") or {})


def without_idle_copies(block: Block) -> Block:
    """The block without copies that nobody can tell from what they are copies of."""
    return _Copies(block).block(block)
