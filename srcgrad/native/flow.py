"""Which variables a run of statements reads from before it, and which it certainly assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence


def names_in(*trees: ast.AST, ctx: type[ast.expr_context] = ast.Load) -> set[str]:
    """The variables that are read (or stored) anywhere in trees."""
    return {n.id for tree in trees for n in ast.walk(tree)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ctx)} | (
        {n.target.id for tree in trees for n in ast.walk(tree)
         if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
        if ctx is ast.Load else set())


def live_before(statements: Sequence[ast.stmt], live: set[str]) -> set[str]:
    r"""The variables that are read from here on, where ``live`` are those that are read after.

    >>> sorted(live_before(ast.parse("a = b\nc += 1").body, {"a", "d"}))
    ['b', 'c', 'd']
    """
    flow = Flow(statements)
    return flow.exposed | (live - flow.certain)


class Flow:
    r"""What statements read before they assign it (``exposed``), and what is assigned for sure
    once they have run (``certain``).

    >>> flow = Flow(ast.parse("t = a\nfor i in range(n):\n    s = s + t\n    u = i").body)
    >>> sorted(flow.exposed), sorted(flow.certain)
    (['a', 'n', 'range', 's'], ['t'])
    """

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        self.exposed: set[str] = set()
        self.certain = self.block(statements, set())

    def read(self, trees: Iterable[ast.AST | None], certain: set[str]) -> None:
        for tree in trees:
            if tree is not None:
                self.exposed |= names_in(tree) - certain

    def block(self, statements: Sequence[ast.stmt], certain: set[str]) -> set[str]:
        certain = set(certain)
        for statement in statements:
            certain = self.statement(statement, certain)
        return certain

    def statement(self, s: ast.stmt, certain: set[str]) -> set[str]:
        if isinstance(s, ast.For):
            self.read([s.iter], certain)
            self.block(s.body, certain | names_in(s.target, ctx=ast.Store))
            return certain
        if isinstance(s, ast.While):
            self.read([s.test], certain)
            self.block(s.body, certain)
            return certain
        if isinstance(s, ast.If):
            self.read([s.test], certain)
            ends = [self.block(arm, certain) for arm in (s.body, s.orelse)]
            ends = [end for arm, end in zip((s.body, s.orelse), ends, strict=True)
                    if not (arm and isinstance(arm[-1], (ast.Raise, ast.Break)))]
            return set.intersection(*ends) if ends else certain
        self.read([s], certain)
        plain = isinstance(s, (ast.Assign, ast.AugAssign))
        return certain | names_in(s, ctx=ast.Store) if plain else certain
