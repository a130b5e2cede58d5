"""Whose number a kernel leaves: Python's float or NumPy's, which Numba does not tell apart.

A number that starts as Python's and becomes NumPy's in an iteration is Python's still where there
is no iteration.  Such a number is returned with a flag, which is set beside its assignments.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import numpy as np

from srcgrad.emit.comments import node_of
from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Value
from srcgrad.kinds import Aval, Kind

MIXED = "mixed"
_PYTHONS = (Kind.INT, Kind.FLOAT, Kind.BOOL)


class Unsure(Exception):
    """Only a run could tell whose number it is."""


class Numbers:
    """The numbers that a run of statements assigns.  ``names`` are the variables of values,
    ``avals`` all that is known of what a variable holds."""

    def __init__(self, names: Mapping[Value, str], avals: Mapping[str, Sequence[Aval]]) -> None:
        self.names, self.avals = names, avals

    def type_of(self, name: str, statements: Sequence[ast.stmt], given: bool) -> str | None:
        """NumPy's type that a result has, None if it is Python's, ``MIXED`` if the run tells;
        ``given``: it has a value before."""
        if any(a.kind is Kind.ARRAY for a in self.avals.get(name, ())):
            return None
        found = [self.aval(name, s) for top in statements for s in ast.walk(top)
                 if isinstance(s, ast.stmt) and name in _targets(s)]
        nodes = [node_of(s) for top in statements for s in ast.walk(top)
                 if isinstance(s, ast.stmt) and name in _targets(s)]
        types = {_type(a) for a in found if a is not None and a.kind is not Kind.NUMBER}
        number = any(a is None or a.kind is Kind.NUMBER for a in found)
        if all(n is not None and (is_adjoint(n) or n.op == "loop") for n in nodes) and any(
                n is not None and is_adjoint(n) for n in nodes):
            types |= {"np.float64"} if number else set()
            return max(types - {None}, default=None, key=str)  # gradients are converted at last
        if given:
            types |= {_type(a) for a in self.avals.get(name, ())}
        if number or len(types) > 1:
            if types <= {None, "np.float64"}:
                return MIXED
            raise Unsure(name)
        return next(iter(types), None)

    def aval(self, name: str, statement: ast.stmt) -> Aval | None:
        """What an assignment gives to a variable; None if that is not known."""
        node = node_of(statement)
        if node is not None and node.op != "loop":
            for value in node.outputs:
                if self.names.get(value) == name:
                    return value.aval
        source = _source(name, statement)
        return None if source is None else self.of(source)

    def of(self, e: ast.expr) -> Aval | None:
        """Whose number an expression gives."""
        if isinstance(e, ast.Constant):
            return Aval({bool: Kind.BOOL, int: Kind.INT}.get(type(e.value), Kind.FLOAT))
        if isinstance(e, ast.Name):
            found = {(a.kind, a.dtype): a for a in self.avals.get(e.id, ())}
            return next(iter(found.values())) if len(found) == 1 else None
        if isinstance(e, ast.UnaryOp) and not isinstance(e.op, ast.Not):
            return self.of(e.operand)
        if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Name):
            types = {a.dtype for a in self.avals.get(e.value.id, ()) if a.kind is Kind.ARRAY}
            return Aval(Kind.SCALAR, types.pop()) if len(types) == 1 else None
        if isinstance(e, ast.BinOp):
            parts = [self.of(e.left), self.of(e.right)]
            numpys = [p for p in parts if p is not None and p.dtype == np.float64]
            if any(p.kind is Kind.SCALAR for p in numpys):
                return Aval(Kind.SCALAR, np.dtype(np.float64))
            if all(p is not None and p.kind in _PYTHONS for p in parts):
                return Aval(Kind.FLOAT)
        return None

    def flagged(self, name: str, flag: str, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements with the flag set where the variable is."""
        out: list[ast.stmt] = []
        for s in statements:
            out.append(s)
            for part in ("body", "orelse"):
                inner = getattr(s, part, None)
                if isinstance(inner, list) and inner:
                    setattr(s, part, self.flagged(name, flag, inner))
            if name in _targets(s):
                aval = self.aval(name, s)
                if aval is not None and aval.kind is not Kind.NUMBER:
                    is_numpys = _type(aval) is not None
                    out.append(ast.Assign([ast.Name(flag, ast.Store())],
                                          ast.Constant(is_numpys)))
                elif not self.keeps(name, s):
                    raise Unsure(name)
        return out

    def keeps(self, name: str, statement: ast.stmt) -> bool:
        """Is a number made of itself and of Python's numbers alone?"""
        value = statement.value if isinstance(statement, (ast.Assign, ast.AugAssign)) else None
        if value is None or (isinstance(statement, ast.Assign) and name not in _read(value)):
            return False
        return not any(isinstance(n, (ast.Call, ast.Subscript)) for n in ast.walk(value)) and all(
            a.kind in _PYTHONS for other in _read(value) - {name}
            for a in self.avals.get(other, (Aval(Kind.ANY),)))

    def starts(self, name: str) -> bool:
        """Is a variable NumPy's number before the run?"""
        found = {_type(a) for a in self.avals.get(name, ()) if a.kind is not Kind.NUMBER}
        if len(found) != 1 or any(a.kind is Kind.NUMBER for a in self.avals.get(name, ())):
            raise Unsure(name)
        return found != {None}


def _type(aval: Aval) -> str | None:
    if aval.kind is not Kind.SCALAR or aval.dtype is None:
        return None
    return "np.bool_" if aval.dtype.kind == "b" else f"np.{aval.dtype.name}"


def _targets(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else (
        [statement.target] if isinstance(statement, ast.AugAssign) else [])
    return {n.id for t in targets for n in (t.elts if isinstance(t, ast.Tuple) else [t])
            if isinstance(n, ast.Name)}


def _source(name: str, statement: ast.stmt) -> ast.expr | None:
    """The expression that is assigned to a variable."""
    if not isinstance(statement, ast.Assign):
        return None
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id == name:
            return statement.value
        if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
            for part, value in zip(target.elts, statement.value.elts, strict=True):
                if isinstance(part, ast.Name) and part.id == name:
                    return value
    return None


def _read(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
