"""The state of one conversion: a :class:`Unit` is one staging, a :class:`Context` one function.

The staged form of a function ``f`` with an ``if`` is, as text ::

    def f(M, F):                       # M the machine, F the frame of this activation
        load = M.load; if_ = M.if_     # the operators this function needs
        def then_1():                  # regions: all at one level, however deep the nesting
            return return_(F, load(F, 'x'))
        def rest_2():
            ...
        return if_(compare('>', load(F, 'x'), 0), then_1, PASS, rest_2)

Regions share no Python variables: everything the user stores lives in frames.  So they need not
be nested in each other, and depth of nesting meets none of CPython's limits.  Temporaries are
Python variables of the region that makes them; their names contain a space, so that they never
meet anything else.
"""

from __future__ import annotations

import ast
import sys
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ...errors import UnsupportedSyntax, Where
from ..machine import NORMAL
from ..regions import RegionInfo
from ..scopes import CELL, CLASS, ENCLOSING, FREE, GLOBAL, LOCAL, Scope
from .nodes import EMPTY, NO_KEYWORDS, Nodes, place
from .pushing import pushing_form


@dataclass(slots=True)
class Plan:
    """A function to be staged: its place, its parameters, and (once converted) its code."""

    name: str
    qualname: str
    arguments: ast.arguments | None
    body: list[ast.stmt]
    scope: Scope
    line: int
    kind: str  # "function", "lambda" or "class"
    generator: bool = False
    doc: str | None = None
    pushing: int | None = None  # of a generator: the number of its pushing form


@dataclass(slots=True)
class Control:
    """A converted compound statement: an operator call whose jump is not dealt with yet.

    ``jumps`` are the jumps it may make, ``falls`` whether it can run to its end.
    """

    call: ast.Call
    jumps: int
    falls: bool


@dataclass(slots=True)
class Arm:
    """A converted region: the expression that names it, and how it ends."""

    name: ast.expr
    jumps: int
    falls: bool


class Ends:
    """The result of a converter that has emitted an unconditional jump."""

    __slots__ = ("jumps",)

    def __init__(self, jumps: int) -> None:
        self.jumps = jumps


Effect = Control | Ends | None
C = TypeVar("C")  # a converter
ExpressionConverter = Callable[["Context", Any], ast.expr]
StatementConverter = Callable[["Context", Any], Effect]

EXPRESSIONS: dict[type[ast.AST], ExpressionConverter] = {}
STATEMENTS: dict[type[ast.AST], StatementConverter] = {}
NATIVE: dict[type[ast.AST], StatementConverter] = {}  # in generators, before STATEMENTS


def _registering(table: dict[type[ast.AST], C]) -> Callable[..., Callable[[C], C]]:
    """A decorator that puts the converter of some kinds of nodes into a table."""

    def of_kinds(*kinds: type[ast.AST]) -> Callable[[C], C]:
        def register(converter: C) -> C:
            table.update(dict.fromkeys(kinds, converter))
            return converter

        return register

    return of_kinds


expression = _registering(EXPRESSIONS)
statement = _registering(STATEMENTS)
native = _registering(NATIVE)  # used where control flow stays Python's (generator bodies)
NATIVE_FIRST = ChainMap(NATIVE, STATEMENTS)


def refuse(unit: Unit, node: ast.AST, what: str, why: str, fix: str) -> UnsupportedSyntax:
    """The error for a construct that cannot be staged, with its place."""
    line = getattr(node, "lineno", unit.line)
    text = unit.lines[line - 1].rstrip("\n") if 0 < line <= len(unit.lines) else ""
    raw = text.encode()
    column = len(raw[:getattr(node, "col_offset", 0)].decode(errors="replace"))
    same_line = getattr(node, "end_lineno", line) == line
    stop = getattr(node, "end_col_offset", None) if same_line else len(raw)
    end = len(text) if stop is None else len(raw[:stop].decode(errors="replace"))
    where = Where(unit.filename, line, unit.qualname, text, column, end)
    return UnsupportedSyntax(what, where=where, why=why, fix=fix)


WITHOUT_LOOP = "a staged function runs once, from beginning to end, without an event loop"
# constructs that have no staged form: what is said of them, why, and what to write instead
REFUSED: dict[type[ast.AST], tuple[str, str, str]] = {
    ast.TryStar: ("except* is not supported",
                  "a group of exceptions has several paths at once, a staged try has one",
                  "use ordinary except clauses"),
    ast.AsyncWith: ("async with is not supported", WITHOUT_LOOP, "use an ordinary with"),
    ast.AsyncFor: ("async for is not supported", WITHOUT_LOOP, "loop over a list instead"),
    ast.AsyncFunctionDef: ("async def is not supported", WITHOUT_LOOP,
                           "make it an ordinary function"),
    ast.Await: ("await is not supported", WITHOUT_LOOP,
                "compute in an ordinary function and await outside of it"),
}


def refuse_construct(unit: Unit, node: ast.stmt | ast.expr) -> UnsupportedSyntax:
    """The error for a construct that has no converter."""
    kind = "statements" if isinstance(node, ast.stmt) else "expressions"
    what, why, fix = REFUSED.get(type(node), (
        f"{type(node).__name__} {kind} are not supported",
        "this construct of Python has no staged form", "rewrite the code without it"))
    at: ast.AST = node
    if isinstance(node, ast.AsyncFunctionDef):  # its first line
        at = ast.Pass(lineno=node.lineno, col_offset=node.col_offset, end_lineno=node.lineno,
                      end_col_offset=node.col_offset + len("async def"))
    return refuse(unit, at, what, why, fix)


@dataclass(slots=True)
class Unit:
    """One staging: the user's function and all functions inside it."""

    filename: str
    lines: list[str]
    qualname: str
    line: int
    has_walrus: bool
    has_yield: bool
    lazy_annotations: bool
    counter: int = 0
    plans: list[Plan] = field(default_factory=list)
    pending: list[int] = field(default_factory=list)
    regions: dict[str, RegionInfo] = field(default_factory=dict)
    shared: dict[str, ast.Name] = field(default_factory=dict)
    texts: dict[str, ast.Constant] = field(default_factory=dict)
    statements: dict[int, tuple[int, str]] = field(default_factory=dict)

    def note_lines(self, node: ast.stmt) -> None:
        """Keep of which statement, that is no compound one, the lines are."""
        end = node.end_lineno or node.lineno
        if end > node.lineno and not hasattr(node, "body") and not hasattr(node, "cases"):
            lines = (line.strip() for line in self.lines[node.lineno - 1:end])
            told = (node.lineno, " ".join(line for line in lines if line))
            self.statements.update(dict.fromkeys(range(node.lineno, end + 1), told))

    def fresh(self, kind: str) -> str:
        """A name nobody else has."""
        self.counter += 1
        return f"{kind} {self.counter}"

    def name(self, text: str) -> ast.Name:
        """A load of a variable of the staged code.  These nodes are shared: where they stand
        does not matter, positions are those of the calls around them."""
        node = self.shared.get(text)
        if node is None:
            node = self.shared[text] = ast.Name(
                text, ast.Load(), lineno=self.line, col_offset=0, end_lineno=self.line,
                end_col_offset=0)
        return node

    def text(self, value: str) -> ast.Constant:
        """A string constant."""
        node = self.texts.get(value)
        if node is None:
            node = self.texts[value] = ast.Constant(
                value, lineno=self.line, col_offset=0, end_lineno=self.line, end_col_offset=0)
        return node

    def add(self, plan: Plan) -> int:
        """Queue a function for conversion; its index names its record in staged code."""
        self.plans.append(plan)
        index = len(self.plans) - 1
        self.pending.append(index)
        body = pushing_form(plan.body) if plan.generator else None
        if body is not None:
            plan.pushing = self.add(replace(plan, body=body, generator=False, pushing=None))
        return index


_FLAT = 64  # so many regions side by side


class Context(Nodes):
    """Conversion of one function (or of one comprehension inside it)."""

    __slots__ = ("available", "definitions", "frame", "native", "needs", "operators", "out",
                 "qualname", "scope", "tries", "unit")

    def __init__(self, unit: Unit, scope: Scope, qualname: str, native: bool) -> None:
        self.unit = unit
        self.scope = scope
        self.qualname = qualname
        self.native = native
        self.frame = unit.name(scope.variable)
        self.available = {scope}
        self.needs: set[Scope] = set()
        self.operators: set[str] = set()
        self.definitions: list[ast.stmt] = []
        self.out: list[ast.stmt] = []
        self.tries: list[str] = []  # of a generator: the try statements whose bodies these are

    def inner(self, scope: Scope, native: bool = False) -> Context:
        """A context for a scope that is a local function of the same staged function."""
        child = Context(self.unit, scope, self.qualname, native)
        child.available = self.available | {scope}
        child.needs = self.needs
        child.operators = self.operators
        return child

    # ---- expressions -----------------------------------------------------------------
    def expr(self, node: ast.expr) -> ast.expr:
        """The staged form of an expression."""
        converter = EXPRESSIONS.get(type(node))
        if converter is None:
            raise refuse_construct(self.unit, node)
        return converter(self, node)

    def op(self, operator: str, at: ast.AST, arguments: list[ast.expr],
           keywords: list[ast.keyword] = NO_KEYWORDS) -> ast.Call:
        """The call of a staged operator that stands for the user's node ``at``."""
        self.operators.add(operator)
        return self.call(self.unit.name(operator), at, arguments, keywords)

    def remember(self, value: ast.expr, at: Any) -> tuple[ast.expr, ast.expr]:
        """``(temporary := value)`` and the expression that reads it again."""
        name = self.unit.fresh("t")
        target = ast.Name(name, ast.Store(), **place(at))
        return ast.NamedExpr(target, value, **place(at)), self.unit.name(name)

    # ---- statements ------------------------------------------------------------------
    def statement(self, node: ast.stmt, converters: Mapping[type[ast.AST], StatementConverter]
                  ) -> Effect:
        """Convert a statement by the converter for its kind."""
        converter = converters.get(type(node))
        if converter is None:
            raise refuse_construct(self.unit, node)
        return converter(self, node)

    def emit(self, value: ast.expr) -> None:
        """Add an expression statement."""
        at: Any = value
        self.out.append(ast.Expr(value, **place(at)))

    def hold(self, value: ast.expr, at: Any) -> ast.expr:
        """Evaluate into a temporary now; the expression that reads it."""
        name = self.unit.fresh("t")
        self.emit_assign(name, value, at)
        return self.unit.name(name)

    def emit_assign(self, name: str, value: ast.expr, at: Any) -> None:
        """Add ``name = value`` for a variable of the staged code."""
        self.out.append(self.assignment(name, value, at))

    def emit_return(self, value: ast.expr, at: Any) -> None:
        """Add ``return value``."""
        self.out.append(ast.Return(value, **place(at)))

    def define(self, name: str, body: list[ast.stmt], at: Any,
               parameter: str | None = None) -> ast.expr:
        """Add a local function of the staged function; the expression that names it."""
        arguments = EMPTY
        if parameter is not None:
            arguments = ast.arguments(
                posonlyargs=[], args=[self.parameter(parameter, at)], kwonlyargs=[],
                kw_defaults=[], defaults=[])
        self.definitions.append(self.function(name, arguments, body, at))
        return self.unit.name(name)

    def region(self, kind: str, statements: list[ast.stmt], at: ast.AST) -> Arm:
        """Convert a statement list into a region function."""
        if not statements or all(type(s) is ast.Pass for s in statements):
            return Arm(self.unit.name("PASS"), 0, True)
        name = self.unit.fresh(kind)
        saved, self.out = self.out, []
        jumps, falls = self.block(statements, name, kind, at)
        self.out = saved
        return Arm(self.unit.name(name), jumps, falls)

    def block(self, statements: list[ast.stmt], name: str | None, kind: str,
              at: Any) -> tuple[int, bool]:
        """Convert ``statements`` into the body of ``name`` (None: leave it in ``out``).

        After a statement that may jump the remainder becomes a region of its own, to any
        number, without recursion.
        """
        jumps, falls, first = 0, True, 0
        start = len(self.definitions)  # where the regions of the current segment begin
        started: list[tuple[RegionInfo, ast.FunctionDef, int]] = []
        outer: list[ast.stmt] | None = None
        for index, node in enumerate(statements):
            self.unit.note_lines(node)
            effect = self.statement(node, STATEMENTS)
            if effect is None:
                continue
            jumps |= effect.jumps
            if isinstance(effect, Ends):
                falls = False
                break
            if not effect.jumps and effect.falls:
                self.emit(effect.call)
                continue
            more = effect.falls and index + 1 < len(statements)
            if more:
                rest = self.unit.fresh("rest")
                effect.call.keywords = [*effect.call.keywords,
                                        self.keyword("rest", self.unit.name(rest), node)]
            self.emit_return(effect.call, node)
            if not more:
                falls = effect.falls
                break
            outer = self._close(name, outer, statements[first:], kind, at, started, start)
            name, kind, at, first = rest, "rest", statements[index + 1], index + 1
            start = len(self.definitions)
        else:
            if name is not None:
                self.emit_return(self.constant(NORMAL, at), at)
        outer = self._close(name, outer, statements[first:], kind, at, started, start)
        if outer is not None:
            self.out = outer
        for plan, _, _ in started:
            plan.jumps, plan.falls = jumps, falls
        if started and len(self.definitions) - started[0][2] > _FLAT:
            self._fold([(segment, begin) for _, segment, begin in started])
        return jumps, falls

    def _fold(self, segments: list[tuple[ast.FunctionDef, int]]) -> None:
        """Put the regions that only one region uses inside of it, where there are many:
        CPython needs quadratic time for a function with many variables in closures."""
        made = self.definitions
        for segment, begin in reversed(segments):
            place = made.index(segment, begin)
            if len(made) - place > _FLAT:  # what comes later is used by this segment only
                segment.body[:0] = made[place + 1:]
                del made[place + 1:]
            if place - begin > _FLAT:
                segment.body[:0] = made[begin:place]
                del made[begin:place]

    def _close(self, name: str | None, outer: list[ast.stmt] | None,
               statements: list[ast.stmt], kind: str, at: ast.AST,
               started: list[tuple[RegionInfo, ast.FunctionDef, int]],
               begin: int) -> list[ast.stmt] | None:
        """End the region being written; the statements of the unnamed first one are kept."""
        if name is None:
            kept: list[ast.stmt] | None = self.out
        else:
            kept = outer
            self.define(name, self.out, at)
            plan = RegionInfo(kind, at, statements)
            self.unit.regions[name] = plan
            definition = self.definitions[-1]
            assert isinstance(definition, ast.FunctionDef)
            started.append((plan, definition, begin))
        self.out = []
        return kept

    def add_region(self, kind: str, node: ast.AST, statements: list[ast.stmt], jumps: int,
                   falls: bool) -> ast.expr:
        """Make a region of what was emitted; the expression that names it."""
        name = self.unit.fresh(kind)
        self.unit.regions[name] = RegionInfo(kind, node, statements, jumps, falls)
        return self.define(name, self.out, node)

    def annotation(self, node: ast.expr) -> ast.expr:
        """The value of an annotation: its text under ``from __future__ import annotations``."""
        if self.unit.lazy_annotations:
            return self.constant(ast.unparse(node), node)
        value = self.expr(node)
        if sys.version_info < (3, 14):
            return value
        text = self.constant(ast.unparse(node), node)
        return self.call(self.unit.name("ANNOTATION"), node, [self.thunk(value, node), text])

    def native_block(self, statements: list[ast.stmt], at: Any) -> list[ast.stmt]:
        """Convert a statement list that stays a Python block (in generators)."""
        saved, self.out = self.out, []
        for node in statements:
            self.statement(node, NATIVE_FIRST)
        if not self.out:
            self.out.append(ast.Pass(**place(at)))
        made, self.out = self.out, saved
        return made

    # ---- names -----------------------------------------------------------------------
    def frame_of(self, scope: Scope) -> ast.expr:
        """The expression for the frame of a scope that encloses this one."""
        if scope not in self.available:
            self.needs.add(scope)
        return self.unit.name(scope.variable)

    def load(self, name: str, at: ast.AST) -> ast.expr:
        """Read a variable."""
        kind, scope = self.scope.resolve(name)
        text = self.unit.text(name)
        if self.scope.kind == CLASS:
            return self._load_in_class(kind, scope, name, at)
        if kind == LOCAL:
            return self.op("load", at, [self.frame, text])
        if kind == ENCLOSING:
            return self._load_enclosing(scope, text, at)
        operator = "load_free" if kind == FREE else "load_global"
        return self.op(operator, at, [self.frame_of(scope) if kind == FREE else self.frame, text])

    def _load_enclosing(self, scope: Scope, text: ast.Constant, at: ast.AST) -> ast.expr:
        frame = self.frame_of(scope)
        if scope.kind == CELL:
            scope.used = True
            return self.call(self.unit.name("CLASS_CELL"), at, [frame])
        if self.scope.is_part_of(scope):  # a comprehension reads its function's variable
            return self.op("load", at, [frame, text])
        return self.op("load_enclosing", at, [frame, text])

    def _load_in_class(self, kind: str, scope: Scope, name: str, at: Any) -> ast.expr:
        """A class body looks into its own namespace first, then where a function would."""
        text = self.unit.text(name)
        outer: ast.expr = self.op("load_global", at, [self.frame, text])
        if name in self.scope.globals:
            return outer
        if kind == ENCLOSING:
            outer = self._load_enclosing(scope, text, at)
        elif kind == FREE:
            outer = self.op("load_free", at, [self.frame_of(scope), text])
        own = self.op("load", at, [self.frame, text])
        has = self.call(self.unit.name("HAS"), at, [self.frame, text])
        return ast.IfExp(has, own, outer, **place(at))

    def store(self, name: str, value: ast.expr, at: ast.AST) -> ast.expr:
        """The expression that stores a variable."""
        kind, scope = self.scope.resolve(name)
        text = self.unit.text(name)
        if kind == FREE:
            return self.op("store_free", at, [self.frame_of(scope), text, value])
        if kind == GLOBAL:
            return self.op("store_global", at, [self.frame, text, value])
        return self.op("store", at, [self.frame_of(scope), text, value])

    def delete(self, name: str, at: ast.AST) -> ast.expr:
        """The expression that deletes a variable."""
        kind, scope = self.scope.resolve(name)
        text = self.unit.text(name)
        operator = {FREE: "delete_free", GLOBAL: "delete_global"}.get(kind, "delete")
        frame = self.frame if kind == GLOBAL else self.frame_of(scope)
        return self.op(operator, at, [frame, text])

