"""Whose number a kernel leaves: Python's float or NumPy's, which Numba does not tell apart.

A number that starts as Python's and becomes NumPy's in an iteration is Python's still where there
is no iteration.  Such a number is returned with a flag, which is set beside its assignments.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Container, Iterator, Mapping, Sequence

import numpy as np

from srcgrad.emit.comments import node_of
from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Node, Value
from srcgrad.native.predicates import pythons
from srcgrad.types.dataclasses import dataclass
from srcgrad.types.kinds import Aval, Kind

MIXED = "mixed"
LISTED = "listed"  # a list of NumPy's numbers
_PYTHONS = (Kind.INT, Kind.FLOAT, Kind.BOOL)


class Unsure(Exception):
    """Only a run could tell whose number it is."""


class Numbers:
    """The numbers that a run of statements assigns.  ``names`` are the variables of values,
    ``avals`` all that is known of what a variable holds."""

    def __init__(self, names: Mapping[Value, str], avals: Mapping[str, Sequence[Aval]],
                 exact: Mapping[Value, Aval], integral: Container[Value]) -> None:
        self.names, self.avals, self.integral = names, avals, integral
        self.exact = exact
        self.ints = {n for v, n in names.items() if v in integral and v.aval.kind in (
            Kind.NUMBER, Kind.LIST)}

    def type_of(self, name: str, statements: Sequence[ast.stmt], given: bool) -> str | None:
        """NumPy's type that a result has, None if it is Python's, ``MIXED`` if the run tells;
        ``given``: it has a value before."""
        avals = self.last(name, statements) or self.avals.get(name, ())
        if any(a.kind is Kind.LIST for a in avals):
            return LISTED if any(a.elem is not None and a.elem.kind is Kind.SCALAR
                                 for a in avals) else None
        if any(a.kind is Kind.ARRAY for a in avals):
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
        if given:  # what it has before stays where nothing is assigned
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
                aval, node = self.aval(name, s), node_of(s)
                if aval is None and node is not None:  # what a loop starts with
                    return [v.aval for v in node.outputs if self.names.get(v) == name] or (
                        self.avals.get(name, ()))
                return self.avals.get(name, ()) if aval is None else (aval,)
        return ()

    def begun(self, name: str, statement: ast.stmt) -> Aval | None:
        """What a variable is of which an assignment tells only that it is an empty list."""
        node = node_of(statement)
        for v in () if node is None else node.outputs:
            if self.names.get(v) == name and v in self.exact:
                return self.exact[v]
        found = {a.elem if a.kind is Kind.LIST else a: a for a in self.avals.get(name, ())}
        return next(iter(found.values())) if len(found) == 1 else None

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
                     for a in self.avals.get(e.value.id, ())
                     if a.kind is Kind.ARRAY or (a.kind is Kind.LIST and a.elem)}
            return items.pop() if len(items) == 1 else None
        if isinstance(e, ast.Subscript) and isinstance(e.value, ast.Subscript):
            rows = self.of(e.value)
            return None if rows is None or rows.kind is not Kind.LIST else rows.elem
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

    def flagged(self, question: Question, mixed: Sequence[str],
                statements: list[ast.stmt]) -> tuple[dict[str, str], list[ast.stmt]]:
        """Flags of variables that the run tells the type of, and of those that they follow from;
        and the statements with the flags set where the variables are."""
        flags = dict.fromkeys(mixed, "")
        found: list[ast.stmt] = []
        self.asked: set[str] = set()  # lists of whose items flags are read
        asked = -1
        while "" in flags.values() or asked < len(self.asked):
            asked = len(self.asked)
            flags = {name: f"{name}_{question.title}" for name in flags}
            found = self._set(question, flags, statements)
        return flags, found

    def _set(self, question: Question, flags: dict[str, str],
             statements: list[ast.stmt]) -> list[ast.stmt]:
        """Copies of the statements with flags set; new names in ``flags`` are asked for."""
        out: list[ast.stmt] = []
        for s in statements:
            s = self._answered(s, flags) if question is NUMPYS else copy.copy(s)
            out.append(s)
            for part in ("body", "orelse"):
                inner = getattr(s, part, None)
                if isinstance(inner, list) and inner:
                    setattr(s, part, self._set(question, flags, inner))
            told = {n: self._told(question, n, s, flags) for n in sorted(_targets(s))
                    if n in flags}
            made = {n: e for n, e in told.items()
                    if not (isinstance(e, ast.Name) and e.id == flags[n])}
            targets: list[ast.expr] = [ast.Name(flags[n], ast.Store()) for n in made]
            values = [*made.values()]
            place = len(out) - (not _targets(s).isdisjoint(_indices(*values)))  # or before it
            if len(made) == 1:
                out.insert(place, ast.Assign(targets, values[0]))
            elif made:  # at once, as the variables are
                out.insert(place, ast.Assign([ast.Tuple(targets, ast.Store())],
                                             ast.Tuple(values, ast.Load())))
            out += [change.noted(flags[change.name], self.change(question, change, s, flags))
                    for change in _changes(s) if change.name in flags and change.name in self.asked
                    and not (change.method == "pop" and any(n in flags for n in _targets(s)))]
        return out

    def _answered(self, statement: ast.stmt, flags: dict[str, str]) -> ast.stmt:
        """A copy of a statement in which flags answer whether numbers are Python's."""
        made = copy.copy(statement)
        for field, value in ast.iter_fields(statement):
            if isinstance(value, ast.expr) and asks(value):
                setattr(made, field, _Answers(self, flags).visit(copy.deepcopy(value)))
        return made

    def _told(self, question: Question, name: str, statement: ast.stmt,
              flags: dict[str, str]) -> ast.expr:
        """The answer for what an assignment gives a variable."""
        aval = self.aval(name, statement)
        if aval is not None and aval.kind is Kind.LIST:
            return self.beside(question, name, aval, _source(name, statement), flags)
        if aval is not None and aval.kind is not Kind.NUMBER:
            return ast.Constant(bool(question.known(aval)))
        if question is INTS and self.is_float(statement):
            return ast.Constant(False)
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            before = ast.Name(flags[name], ast.Load())
            return question.of_both(statement.op, before,
                                    self.answer(question, statement.value, flags))
        source = _source(name, statement)
        if source is None:
            raise Unsure(name)
        return self.answer(question, source, flags)

    def beside(self, question: Question, name: str, aval: Aval, source: ast.expr | None,
               flags: dict[str, str]) -> ast.expr:
        """The flags of the items of a list, if any is read."""
        if name not in self.asked:
            return ast.Constant(False)
        if isinstance(source, (ast.List, ast.Name)) and getattr(source, "elts", True):
            return self.answer(question, source, flags)
        if isinstance(source, ast.BinOp) and isinstance(source.left, ast.List):  # [x] * n
            return ast.BinOp(self.answer(question, source.left, flags), source.op, source.right)
        known = None if aval.elem is None else question.known(aval.elem)
        if known is None and not (isinstance(source, ast.List) and not source.elts):
            raise Unsure(name)
        length = ast.Call(ast.Name("len", ast.Load()), [ast.Name(name, ast.Load())], [])
        return ast.BinOp(ast.List([ast.Constant(bool(known))], ast.Load()), ast.Mult(), length)

    def change(self, question: Question, change: Change, statement: ast.stmt,
               flags: dict[str, str]) -> ast.expr | None:
        """The answer for what is put into a list."""
        if change.value is None:
            return None
        if question is INTS and self.is_float(statement):
            return ast.Constant(False)
        return self.answer(question, change.value, flags)

    def is_float(self, statement: ast.stmt) -> bool:
        """Is what a statement gives a variable or a list surely no int?"""
        node = node_of(statement)
        if node is None or node.op == "loop":
            return False
        given = node.inputs[1:2] if node.op in ("put", "append", "insert") else node.outputs
        return all(v not in self.integral and v.aval.kind is not Kind.INT for v in given)

    def answer(self, question: Question, e: ast.expr, flags: dict[str, str]) -> ast.expr:
        """The answer for an expression."""
        if isinstance(e, ast.BinOp):
            return question.of_both(e.op, self.answer(question, e.left, flags),
                                    self.answer(question, e.right, flags))
        if isinstance(e, ast.UnaryOp) and not isinstance(e.op, ast.Not):
            return self.answer(question, e.operand, flags)
        if isinstance(e, ast.List):
            return ast.List([self.answer(question, part, flags) for part in e.elts], ast.Load())
        base = _list_of(e)
        if base is not None and (not isinstance(e, ast.Name) or any(
                a.kind is Kind.LIST for a in self.avals.get(base, ()))):
            self.asked.add(base)
        if base is not None and base not in flags:
            avals = self.avals.get(base, (Aval(Kind.ANY),))
            if not isinstance(e, ast.Name):
                avals = [a.elem for a in avals if a.kind is Kind.LIST and a.elem is not None]
            known = {question.known(a) for a in avals}
            if len(known) == 1 and None not in known:
                return ast.Constant(known.pop())
            numbers = [a for a in avals if a.kind in (Kind.SCALAR, Kind.NUMBER)]
            if avals and all(a.dtype == np.float64 for a in numbers):  # what else it names has none
                flags[base] = ""
        if base is not None and base in flags:
            return _beside(e, flags[base])
        aval = self.of(e)
        found = None if aval is None else question.known(aval)
        if found is None:
            raise Unsure(ast.dump(e))
        return ast.Constant(found)

    def starts(self, question: Question, name: str) -> bool:
        """The answer for a variable before the run."""
        found = {question.known(a) for a in self.avals.get(name, ())}
        if len(found) != 1 or None in found:
            raise Unsure(name)
        return bool(found.pop())


class _Answers(ast.NodeTransformer):
    """Puts flags in the place of calls of ``pythons``."""

    def __init__(self, numbers: Numbers, flags: dict[str, str]) -> None:
        self.numbers, self.flags = numbers, flags

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not _is_question(node):
            return self.generic_visit(node)
        found: ast.expr = ast.Constant(False)
        for e in node.args:
            found = _either(found, self.numbers.answer(NUMPYS, e, self.flags))
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


@dataclass
class Change:
    """What a statement does to a list: by ``method``, or to the item at ``index``."""

    name: str
    method: str
    value: ast.expr | None = None
    index: ast.expr | None = None

    def noted(self, flags: str, answer: ast.expr | None) -> ast.stmt:
        """The same done to the list of flags."""
        if self.method == "":
            assert self.index is not None and answer is not None
            item = ast.Subscript(ast.Name(flags, ast.Load()), self.index, ast.Store())
            return ast.Assign([item], answer)
        args = [a for a in (self.index, answer) if a is not None]
        method = ast.Attribute(ast.Name(flags, ast.Load()), self.method, ast.Load())
        return ast.Expr(ast.Call(method, args, []))


def _changes(statement: ast.stmt) -> Iterator[Change]:
    target = statement.target if isinstance(statement, ast.AugAssign) else (
        statement.targets[0] if isinstance(statement, ast.Assign) else None)
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        value = statement.value  # type: ignore[attr-defined]
        if isinstance(statement, ast.AugAssign):
            value = ast.BinOp(ast.Subscript(target.value, target.slice, ast.Load()),
                              statement.op, value)
        yield Change(target.value.id, "", value, target.slice)
    call = getattr(statement, "value", None)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and isinstance(
            call.func.value, ast.Name) and call.func.attr in ("append", "insert", "pop"):
        method, args = call.func.attr, call.args
        yield Change(call.func.value.id, method, None if method == "pop" else args[-1],
                     args[0] if len(args) == (1 if method == "pop" else 2) else None)


def _indices(*answers: ast.expr) -> set[str]:
    """The variables that answers read in indices."""
    return {n.id for e in answers for part in ast.walk(e) if isinstance(part, ast.Subscript)
            for n in ast.walk(part.slice) if isinstance(n, ast.Name)}


def _list_of(e: ast.expr) -> str | None:
    """The variable that an expression is, or is an item of, read or taken out."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and e.func.attr == "pop":
        e = e.func
    if isinstance(e, (ast.Subscript, ast.Attribute)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else None


def _beside(e: ast.expr, flags: str) -> ast.expr:
    """The flag of what an expression reads."""
    made = copy.deepcopy(e)
    part: ast.AST = made
    while not isinstance(part, ast.Name):
        part = part.func if isinstance(part, ast.Call) else part.value  # type: ignore
    part.id = flags
    return made


@dataclass
class Question:
    """What is asked of numbers that the run tells the type of: the end of their flags' names, the
    answer by type (None: only the run knows), and that for arithmetic, of those for its parts."""

    title: str
    known: Callable[[Aval], bool | None]
    of_both: Callable[[ast.operator, ast.expr, ast.expr], ast.expr]


def _is_numpys(aval: Aval) -> bool | None:
    return None if aval.kind not in (*_PYTHONS, Kind.SCALAR) else _type(aval) is not None


def _is_int(aval: Aval) -> bool | None:
    return None if aval.kind not in (*_PYTHONS, Kind.SCALAR) else aval.kind is Kind.INT


def _both_ints(op: ast.operator, first: ast.expr, second: ast.expr) -> ast.expr:
    """Only sums may be of ints: products might not fit a float, which stands for them."""
    if any(isinstance(e, ast.Constant) and not e.value for e in (first, second)):
        return ast.Constant(False)
    if not isinstance(op, (ast.Add, ast.Sub)):
        raise Unsure(ast.dump(op))
    if isinstance(first, ast.Constant):
        return second
    return first if isinstance(second, ast.Constant) else ast.BoolOp(ast.And(), [first, second])


NUMPYS = Question("is_numpy", _is_numpys, lambda op, first, second: _either(first, second))
INTS = Question("is_int", _is_int, _both_ints)


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
