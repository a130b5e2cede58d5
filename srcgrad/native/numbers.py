"""Whose number a kernel leaves: Python's float or NumPy's, which Numba does not tell apart.

A number that starts as Python's and becomes NumPy's in an iteration is Python's still where there
is no iteration.  Such a number is returned with a flag, which is set beside its assignments.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence

import numpy as np

from srcgrad.emit.comments import node_of
from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Node, Value
from srcgrad.native.predicates import pythons
from srcgrad.types.kinds import Aval, Kind

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
        nodes = _makers(name, statements)
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

    def last(self, name: str, statements: Sequence[ast.stmt]) -> Sequence[Aval]:
        """What the last of the assignments to a variable may give: a name may stand for one thing
        after the other."""
        for s in reversed(statements):
            inner = [i for part in ("body", "orelse") for i in getattr(s, part, ())]
            found = self.last(name, inner) if inner else ()
            if found:
                return found
            if name in _targets(s):
                aval = self.aval(name, s)
                return self.avals.get(name, ()) if aval is None else (aval,)
        return ()

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
            items = {a.elem or Aval(Kind.SCALAR, a.dtype)
                     for a in self.avals.get(e.value.id, ()) if a.kind is Kind.ARRAY}
            return items.pop() if len(items) == 1 else None
        if isinstance(e, ast.BinOp):
            parts = [self.of(e.left), self.of(e.right)]
            numpys = [p for p in parts if p is not None and p.dtype == np.float64]
            if any(p.kind is Kind.SCALAR for p in numpys):
                return Aval(Kind.SCALAR, np.dtype(np.float64))
            kinds = {None if p is None else p.kind for p in parts}
            if kinds <= {*_PYTHONS}:
                whole = Kind.FLOAT not in kinds and not isinstance(e.op, ast.Div)
                return Aval(Kind.INT if whole else Kind.FLOAT)
        return None

    def flagged(self, mixed: Sequence[str],
                statements: list[ast.stmt]) -> tuple[dict[str, str], list[ast.stmt]]:
        """Flags of variables that the run tells the type of, and of those that they follow from;
        and the statements with the flags set where the variables are."""
        flags = dict.fromkeys(mixed, "")
        found: list[ast.stmt] = []
        while "" in flags.values() or not found:
            flags = {name: f"{name}_is_numpy" for name in flags}
            found = self._set(flags, statements)
        return flags, found

    def _set(self, flags: dict[str, str], statements: list[ast.stmt]) -> list[ast.stmt]:
        """Copies of the statements with flags set; new names in ``flags`` are asked for."""
        out: list[ast.stmt] = []
        for s in statements:
            s = self._answered(s, flags)
            out.append(s)
            for part in ("body", "orelse"):
                inner = getattr(s, part, None)
                if isinstance(inner, list) and inner:
                    setattr(s, part, self._set(flags, inner))
            told = {n: self._told(n, s, flags) for n in sorted(_targets(s)) if n in flags}
            made = {n: e for n, e in told.items()
                    if not (isinstance(e, ast.Name) and e.id == flags[n])}
            targets: list[ast.expr] = [ast.Name(flags[n], ast.Store()) for n in made]
            values = [*made.values()]
            if len(made) == 1:
                out.append(ast.Assign(targets, values[0]))
            elif made:  # at once, as the variables are
                out.append(ast.Assign([ast.Tuple(targets, ast.Store())],
                                      ast.Tuple(values, ast.Load())))
        return out

    def _answered(self, statement: ast.stmt, flags: dict[str, str]) -> ast.stmt:
        """A copy of a statement in which flags answer whether numbers are Python's."""
        made = copy.copy(statement)
        for field, value in ast.iter_fields(statement):
            if isinstance(value, ast.expr) and asks(value):
                setattr(made, field, _Answers(self, flags).visit(copy.deepcopy(value)))
        return made

    def _told(self, name: str, statement: ast.stmt, flags: dict[str, str]) -> ast.expr:
        """Whether an assignment makes a variable NumPy's number."""
        aval = self.aval(name, statement)
        if aval is not None and aval.kind is not Kind.NUMBER:
            return ast.Constant(_type(aval) is not None)
        if isinstance(statement, ast.AugAssign):
            before = ast.Name(flags[name], ast.Load())
            return _either(before, self.is_numpys(statement.value, flags))
        source = _source(name, statement)
        if source is None:
            raise Unsure(name)
        return self.is_numpys(source, flags)

    def is_numpys(self, e: ast.expr, flags: dict[str, str]) -> ast.expr:
        """Whether arithmetic gives NumPy's number: where one of its parts is."""
        if isinstance(e, ast.BinOp):
            return _either(self.is_numpys(e.left, flags), self.is_numpys(e.right, flags))
        if isinstance(e, ast.UnaryOp) and not isinstance(e.op, ast.Not):
            return self.is_numpys(e.operand, flags)
        if isinstance(e, ast.Name) and e.id not in flags:
            avals = self.avals.get(e.id, (Aval(Kind.ANY),))
            if all(a.kind in _PYTHONS for a in avals):
                return ast.Constant(False)
            if any(a.kind in (*_PYTHONS, Kind.NUMBER) for a in avals) and all(
                    a.kind in _PYTHONS or (a.dtype == np.float64 and a.kind in (
                        Kind.SCALAR, Kind.NUMBER)) for a in avals):
                flags[e.id] = ""
        if isinstance(e, ast.Name) and e.id in flags:
            return ast.Name(flags[e.id], ast.Load())
        aval = self.of(e)
        if aval is None or aval.kind not in (*_PYTHONS, Kind.SCALAR):
            raise Unsure(ast.dump(e))
        return ast.Constant(_type(aval) is not None)

    def starts(self, name: str) -> bool:
        """Is a variable NumPy's number before the run?"""
        found = {_type(a) for a in self.avals.get(name, ()) if a.kind is not Kind.NUMBER}
        if len(found) != 1 or any(a.kind is Kind.NUMBER for a in self.avals.get(name, ())):
            raise Unsure(name)
        return found != {None}


class _Answers(ast.NodeTransformer):
    """Puts flags in the place of calls of ``pythons``."""

    def __init__(self, numbers: Numbers, flags: dict[str, str]) -> None:
        self.numbers, self.flags = numbers, flags

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not _is_question(node):
            return self.generic_visit(node)
        found: ast.expr = ast.Constant(False)
        for e in node.args:
            found = _either(found, self.numbers.is_numpys(e, self.flags))
        return ast.UnaryOp(ast.Not(), found)


def asks(*trees: ast.AST) -> bool:
    """Is it asked whether numbers are Python's?"""
    return any(_is_question(n) for tree in trees for n in ast.walk(tree))


def _is_question(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and (
        node.func.id == pythons.__name__)


def _type(aval: Aval) -> str | None:
    if aval.kind is not Kind.SCALAR or aval.dtype is None:
        return None
    return "np.bool_" if aval.dtype.kind == "b" else f"np.{aval.dtype.name}"


def _either(first: ast.expr, second: ast.expr) -> ast.expr:
    """One or the other, or what is known of them."""
    known = [e.value if isinstance(e, ast.Constant) else None for e in (first, second)]
    if True in known:
        return ast.Constant(True)
    if False in known:
        return second if known[0] is False else first
    return ast.BoolOp(ast.Or(), [first, second])


def _targets(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else (
        [statement.target] if isinstance(statement, ast.AugAssign) else [])
    return {n.id for t in targets for n in (t.elts if isinstance(t, ast.Tuple) else [t])
            if isinstance(n, ast.Name)}


def _makers(name: str, statements: Sequence[ast.stmt],
            moved: tuple[str, ...] = ()) -> list[Node | None]:
    """What a variable is assigned by; where it is another one's number, what that one is."""
    found: list[Node | None] = []
    for s in (s for top in statements for s in ast.walk(top) if isinstance(s, ast.stmt)):
        if name in _targets(s):
            node, source = node_of(s), _source(name, s)
            if node is None and isinstance(source, ast.Name) and source.id not in moved:
                found += _makers(source.id, statements, (*moved, name))
            else:
                found.append(node)
    return found


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
