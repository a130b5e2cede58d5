"""CPython nests at most twenty loops in one function: deeper ones become nested functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

LIMIT = 18


def unnested(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with loops deeper than ``LIMIT`` moved into nested functions, which share
    its variables (``nonlocal``)."""
    if _depth(function.body) <= LIMIT:
        return function
    _Outliner(function).run()
    return function


def _depth(body: list[ast.stmt]) -> int:
    deepest = 0
    for stmt in body:
        inner = max(_depth(getattr(stmt, "body", [])), _depth(getattr(stmt, "orelse", [])))
        deepest = max(deepest, inner + isinstance(stmt, (ast.For, ast.While)))
    return deepest


def _own(function: ast.FunctionDef, without: ast.AST) -> Iterator[ast.Name]:
    """The names in a function's own scope, outside of ``without``."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        if node is without or isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Name):
            yield node
        pending.extend(ast.iter_child_nodes(node))


class _Outliner:
    def __init__(self, function: ast.FunctionDef) -> None:
        self.functions = [function]  # the function, and nested ones around the place
        self.count = 0
        self.shared: dict[str, None] = {}

    def run(self) -> None:
        outermost = self.functions[0]
        self.body(outermost.body, 0)
        bound = {n.id for n in _own(outermost, outermost) if isinstance(n.ctx, ast.Store)}
        bound |= {a.arg for a in outermost.args.args}
        start = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None))
                 for name in self.shared if name not in bound]
        outermost.body[:0] = start

    def body(self, stmts: list[ast.stmt], depth: int) -> None:
        for i, stmt in enumerate(stmts):
            is_loop = isinstance(stmt, (ast.For, ast.While))
            if is_loop and depth == LIMIT:
                stmts[i:i + 1] = self.outlined(stmt)
                self.body(stmts, depth)
                return
            for part in ("body", "orelse"):
                inner = getattr(stmt, part, None)
                if isinstance(inner, list) and not isinstance(stmt, ast.FunctionDef):
                    self.body(inner, depth + is_loop)

    def outlined(self, loop: ast.stmt) -> list[ast.stmt]:
        self.count += 1
        stored = sorted({n.id for n in ast.walk(loop)
                         if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
        around = [n for f in self.functions for n in _own(f, loop)]
        elsewhere = {n.id for n in around}
        bound = {n.id for n in around if isinstance(n.ctx, ast.Store)}
        bound |= {a.arg for f in self.functions for a in f.args.args}
        shared = [name for name in stored if name in elsewhere or name in bound]
        self.shared.update(dict.fromkeys(shared))
        body: list[ast.stmt] = [ast.Nonlocal(shared)] if shared else []
        body.append(loop)
        name = f"inner_loops_{self.count}"
        arguments = ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[],
                                  kw_defaults=[], kwarg=None, defaults=[])
        inner = ast.FunctionDef(name, arguments, body, [], None)
        self.functions.append(inner)
        self.body(inner.body, 0)
        self.functions.pop()
        return [inner, ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], []))]
