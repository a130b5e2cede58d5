"""Which names are read after each loop of a function, before they are set again.

Liveness of variables in a tree of statements, from the last statement to the first.  What a loop
reads before it sets it is live at its end as well; only plain assignments end a life.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from typing import TypeAlias

from srcgrad.emit.trees import bodies, names_in

Names: TypeAlias = frozenset[str]
NONE: Names = frozenset()
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_EXITS = (ast.Break, ast.Continue)


def read_after(function: ast.FunctionDef) -> dict[ast.For, Names]:
    """The names that are read after each loop."""
    walk = _Liveness()
    walk.kept = frozenset().union(*(
        _read(inner) for inner in ast.walk(function)
        if isinstance(inner, ast.FunctionDef | ast.Lambda) and inner is not function))
    walk.body(function.body, walk.kept)
    return walk.after


class _Liveness:
    def __init__(self) -> None:
        self.after: dict[ast.For, Names] = {}
        self.kept = NONE  # names that no assignment ends: others may read them at any time
        self.exit = NONE  # what is read where ``break`` or ``continue`` lead to
        self._exposed: dict[ast.stmt, Names] = {}

    def body(self, stmts: list[ast.stmt], live: Names) -> Names:
        """The names that live before statements, by those that live after them."""
        for stmt in reversed(stmts):
            live = self._before(stmt, live)
        return live

    def _before(self, stmt: ast.stmt, live: Names) -> Names:
        if isinstance(stmt, _EXITS):
            return self.exit
        if isinstance(stmt, ast.For | ast.While):
            outer, self.exit = self.exit, live | self._exposed_in(stmt)
            if isinstance(stmt, ast.For):
                self.after[stmt] = live
            inside = self.body(stmt.body, self.exit)
            if isinstance(stmt, ast.For):
                inside -= names_in(stmt.target)
            self.exit = outer
            return inside | self.exposed(stmt) | self.body(stmt.orelse, live)
        if isinstance(stmt, ast.If):
            return _read(stmt.test) | self.body(stmt.body, live) | self.body(stmt.orelse, live)
        blocks = bodies(stmt)
        if not blocks:
            return (live - (_set(stmt) - self.kept)) | _read(stmt)
        # an exception may leave it after any statement
        outer, self.kept = self.kept, self.kept | live | self.exposed(stmt)
        for each in blocks:
            self.body(each, self.kept)
        live, self.kept = self.kept, outer
        return live

    def exposed(self, stmt: ast.stmt) -> Names:
        """What a statement reads before it sets it."""
        found = self._exposed.get(stmt)
        if found is None:
            if isinstance(stmt, ast.For):
                found = _read(stmt.iter) | self._exposed_in(stmt)
            elif blocks := bodies(stmt):
                heads = (part for part in ast.iter_child_nodes(stmt) if isinstance(
                    part, ast.expr | ast.withitem))
                found = _union([*map(_read, heads), *map(self._exposed_by, blocks)])
            else:
                found = _read(stmt)
            self._exposed[stmt] = found
        return found

    def _exposed_in(self, loop: ast.For | ast.While) -> Names:
        inside = self._exposed_by(loop.body)
        if isinstance(loop, ast.For):
            return (inside - names_in(loop.target)) | self._exposed_by(loop.orelse)
        return inside | _read(loop.test) | self._exposed_by(loop.orelse)

    def _exposed_by(self, stmts: list[ast.stmt]) -> Names:
        live: set[str] = set()
        for stmt in reversed(stmts):
            if not bodies(stmt):
                live -= _set(stmt)
            live |= self.exposed(stmt)
        return frozenset(live)


def _set(stmt: ast.stmt) -> Set[str]:
    """The names that a statement is sure to set."""
    targets = stmt.targets if isinstance(stmt, ast.Assign) else ()
    return {name.id for target in targets for name in (
        target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(name, ast.Name)}


def _read(tree: ast.AST) -> Names:
    """The names that a statement or expression reads and does not bind itself."""
    if isinstance(tree, ast.Name):
        return frozenset((tree.id,)) if isinstance(tree.ctx, ast.Load) else NONE
    if isinstance(tree, ast.AugAssign):
        return _union([_read(tree.value), frozenset(names_in(tree.target))])
    found = _union(map(_read, ast.iter_child_nodes(tree)))
    if isinstance(tree, _COMPREHENSIONS):
        bound = names_in(*(part.target for part in tree.generators))
        return (found - bound) | _read(tree.generators[0].iter)
    return found


def _union(several: Iterable[Names]) -> Names:
    return frozenset().union(*several)
