"""Which variables a run of statements reads from before it, and which it certainly assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def names_in(*trees: ast.AST, ctx: type[ast.expr_context] = ast.Load) -> set[str]:
    """The variables that are read (or stored) anywhere in trees; those of a comprehension are its
    own.

    >>> sorted(names_in(ast.parse("a = [b + c for b in d]")))
    ['c', 'd']
    """
    found: set[str] = set()
    for tree in trees:
        if isinstance(tree, ast.Name):
            found |= {tree.id} if isinstance(tree.ctx, ctx) else set()
            continue
        inner = names_in(*ast.iter_child_nodes(tree), ctx=ctx)
        if isinstance(tree, _COMPREHENSIONS):
            inner -= names_in(*(g.target for g in tree.generators), ctx=ast.Store)
            inner |= names_in(tree.generators[0].iter, ctx=ctx)
        elif isinstance(tree, ast.AugAssign) and isinstance(tree.target, ast.Name):
            inner.add(tree.target.id)
        found |= inner
    return found


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
