"""Does a run-time object have the type that was inferred for it?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types.dims import Atom, Dim, Poly, evaluate, is_varying, of_atom, symbols
from ..types.kinds import SCALARS, Aval, Kind, aval_of
from .ir import Node, Value


def covers(aval: Aval, value: Any) -> str | None:
    """Why ``value`` does not have the kind, dtype and rank of ``aval``; None if it has."""
    if aval.kind is Kind.OPAQUE or (aval.optional and value is None):
        return None
    if aval.kind is Kind.RECORD:
        return None if isinstance(value, tuple) else f"expected a record, found {value!r}"
    if aval.kind is Kind.LIST:
        return _covers_list(aval, value)
    actual = aval_of(value)
    if aval.kind is Kind.NONE or not actual.is_numeric:
        return None if actual.kind is aval.kind else f"expected {aval}, found {actual}"
    if aval.kind is Kind.ANY:
        return None
    if aval.kind is Kind.NUMBER:
        return None if actual.kind in SCALARS or actual.shape == () else \
            f"expected {aval}, found {actual}"
    if actual.kind is not aval.kind:
        return f"expected {aval}, found {actual}"
    if aval.dtype is not None and actual.dtype != aval.dtype:
        return f"expected dtype {aval.dtype}, found {actual.dtype}"
    if aval.kind is Kind.ARRAY and aval.ndim is not None and actual.ndim != aval.ndim:
        return f"expected rank {aval.ndim}, found {actual.ndim}"
    return None


def _covers_list(aval: Aval, value: Any) -> str | None:
    if not isinstance(value, list | np.ndarray):
        return f"expected {aval}, found {aval_of(value)}"
    for i, item in enumerate(value):
        wrong = None if aval.elem is None or item is None else covers(aval.elem, item)
        if wrong:
            return f"element {i}: {wrong}"
    return None


class Checker:
    """Compares values with their abstract values during one run.

    A symbol takes the size it first meets; the value that defined it may define it again (in
    the next iteration), and so may parameters define what varies (a backward loop counts with
    the symbol of its forward loop); any other value must agree.
    """

    def __init__(self) -> None:
        self.sizes: dict[Atom, int] = {}
        self.definer: dict[Atom, Value] = {}

    def inside(self) -> Checker:
        """The checker of a called graph, where sizes mean something else."""
        return Checker()

    def value(self, value: Value, obj: Any, node: Node | None) -> None:
        """AssertionError unless ``obj`` fits ``value``'s abstract value."""
        aval = value.aval
        wrong = covers(aval, obj)
        if wrong is None and aval.kind is Kind.ARRAY and aval.shape is not None:
            for axis, (dim, size) in enumerate(zip(aval.shape, np.shape(obj))):
                wrong = wrong or self._size(value, dim, size, f"axis {axis}", node is None)
        if wrong is None and aval.kind is Kind.INT and aval.expr is not None:
            wrong = self._size(value, aval.expr, obj, "the number", node is None)
        if wrong is not None:
            at = f" in {node.op}" if node is not None else ""
            where = node.origin.where if node is not None and node.origin is not None else None
            raise AssertionError(f"{value!r}{at}: {wrong}"
                                 + (f"\n{where.render()}" if where is not None else ""))

    def _size(self, value: Value, dim: Dim, size: int, what: str, param: bool) -> str | None:
        if not isinstance(dim, Poly):
            return None if dim == size else f"{what} should be {dim}, is {size}"
        atoms = symbols(dim)
        alone = atoms[0] if atoms and dim == of_atom(atoms[0]) else None
        if alone is not None and (self.definer.setdefault(alone, value) is value
                                  or (param and alone.varying)):
            self.sizes[alone] = size
            return None
        if param and is_varying(dim):
            return None  # kept from an iteration that is over
        if any(a not in self.sizes for a in atoms):
            return None
        expected = evaluate(dim, self.sizes)
        if expected != size:
            return f"{what} should be {dim} = {expected}, is {size}"
        return None
