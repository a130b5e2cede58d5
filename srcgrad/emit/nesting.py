"""Deep nesting: CPython takes a hundred levels of indentation and twenty loops in each other.
What lies deeper than ``LEVELS`` becomes functions inside of the function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import count

from srcgrad.emit.trees import names_in, stored_in

LEVELS = 15

_PARTS = ("body", "orelse")  # those of a try statement are not taken apart


def unnested(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with statements deeper than ``LEVELS`` moved into functions at its top,
    which share its variables (``nonlocal``)."""
    if _depth(function.body) > LEVELS:
        _Outliner(function).run()
    return function


def _depth(body: list[ast.stmt]) -> int:
    return max((1 + max(_depth(inner) for inner in _inner(stmt))
                for stmt in body if hasattr(stmt, "body")), default=0)


def _inner(stmt: ast.stmt) -> list[list[ast.stmt]]:
    """The indented blocks of a compound statement, those of an ``elif`` included."""
    found = []
    pending = [stmt]
    while pending:
        for part in _PARTS:
            body = getattr(pending[-1], part, [])
            if part == "orelse" and _is_elif(pending[-1]):
                pending.append(body[0])
                break
            found.append(body)
        else:
            return found
    return found


def _is_elif(stmt: ast.stmt) -> bool:
    return isinstance(stmt, ast.If) and len(stmt.orelse) == 1 and isinstance(
        stmt.orelse[0], ast.If)


def _own_breaks(body: list[ast.stmt]) -> Iterator[tuple[list[ast.stmt], int]]:
    """The places of ``break`` that leave a loop around ``body``."""
    for i, stmt in enumerate(body):
        if isinstance(stmt, ast.Break):
            yield body, i
        elif not isinstance(stmt, (ast.For, ast.While)):
            for part in _PARTS:
                yield from _own_breaks(getattr(stmt, part, []))


class _Outliner:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        self.made: list[ast.FunctionDef] = []
        used = names_in(function)
        self.names = (f"part_{number}" for number in count(1) if f"part_{number}" not in used)

    def run(self) -> None:
        self.body(self.function.body, 0)
        functions = (self.function, *self.made)
        stored = {id(f): stored_in(*f.body) for f in functions}
        named = {id(f): names_in(*f.body) for f in functions}
        bound = stored[id(self.function)] | {a.arg for a in self.function.args.args}
        missing: dict[str, None] = {}
        for f in self.made:
            others = set().union(*(names for key, names in named.items() if key != id(f)))
            shared = sorted(stored[id(f)] & (others | bound))
            missing.update((name, None) for name in shared if name not in bound)
            if shared:
                f.body.insert(0, ast.Nonlocal(shared))
        start: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
                                 for name in missing]
        self.function.body[:0] = [*start, *self.made]

    def body(self, stmts: list[ast.stmt], depth: int) -> None:
        for i, stmt in enumerate(stmts):
            if not hasattr(stmt, "body"):
                continue
            if depth == LEVELS:
                stmts[i] = self.outlined(stmt)
                continue
            for inner in _inner(stmt):
                self.body(inner, depth + 1)

    def outlined(self, stmt: ast.stmt) -> ast.stmt:
        """The call of a new function with this statement; a ``break`` out of it is what the
        function returns."""
        name, body = next(self.names), [stmt]
        leaves = list(_own_breaks(body))
        for place, i in leaves:
            place[i] = ast.Return(ast.Constant(True))
        if leaves:
            body.append(ast.Return(ast.Constant(False)))
        arguments = ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[],
                                  kw_defaults=[], kwarg=None, defaults=[])
        self.body(body, 0)
        self.made.append(ast.FunctionDef(name, arguments, body, [], None))
        call = ast.Call(ast.Name(name, ast.Load()), [], [])
        return ast.If(call, [ast.Break()], []) if leaves else ast.Expr(call)
