"""Trees of statements and expressions: what they name, what they assign, walks and copies."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

Tree = TypeVar("Tree", bound=ast.AST)


def variables(*trees: ast.AST) -> list[ast.Name]:
    """All names in trees, in no particular order."""
    found: list[ast.Name] = []
    waiting: list[Any] = [*trees]
    for tree in waiting:  # which grows
        kind = type(tree)
        if kind is ast.Name:
            found.append(tree)
        elif kind in _PARTS:
            waiting += _PARTS[kind](tree)
        elif kind is list:
            waiting += tree
        elif kind not in _LEAVES and isinstance(tree, ast.AST):
            waiting += vars(tree).values()
    return found


# what most trees are made of, and what they end in
_PARTS: dict[type, Callable[[Any], tuple[Any, ...]]] = {kind: operator.attrgetter(*names)
    for kind, names in {
        ast.Assign: ("targets", "value"), ast.AugAssign: ("target", "value"),
        ast.BinOp: ("left", "right"), ast.Call: ("func", "args", "keywords"),
        ast.Subscript: ("value", "slice"), ast.Compare: ("left", "comparators"),
        ast.IfExp: ("test", "body", "orelse"), ast.Slice: ("lower", "upper", "step")}.items()}
_LEAVES = frozenset({int, str, type(None), ast.Load, ast.Store, ast.Constant})


def parts(kind: type[Tree] | tuple[type[Tree], ...], *trees: ast.AST) -> list[Tree]:
    """All parts of a kind, in no particular order."""
    found: list[Tree] = []
    waiting = list(trees)
    for tree in waiting:  # which grows
        if isinstance(tree, kind):
            found.append(tree)
        for part in vars(tree).values():
            if type(part) is list:
                waiting += [item for item in part if isinstance(item, ast.AST)]
            elif type(part) not in _LEAVES and isinstance(part, ast.AST):
                waiting.append(part)
    return found


def names_in(*trees: ast.AST) -> set[str]:
    """The names that trees mention.

    >>> sorted(names_in(ast.parse("a[i] = f(a)")))
    ['a', 'f', 'i']
    """
    return {each.id for each in variables(*trees)}


def stored_in(*trees: ast.AST) -> set[str]:
    """The names that trees bind.

    >>> stored_in(ast.parse("a = b[i] = f(a)"))
    {'a'}
    """
    return {each.id for each in variables(*trees) if not isinstance(each.ctx, ast.Load)}


def base_of(target: ast.expr) -> str | None:
    """The name that a statement sets, or sets a part of."""
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def target_of(stmt: ast.AST | None) -> str | None:
    """``x`` of ``x = ...``; None for other statements."""
    if type(stmt) is not ast.Assign or stmt.targets[1:]:
        return None
    return stmt.targets[0].id if type(stmt.targets[0]) is ast.Name else None


def copy_in(stmt: ast.stmt) -> tuple[str, str] | None:
    """The two names of ``a = b``."""
    target = target_of(stmt)
    value = stmt.value if type(stmt) is ast.Assign else None
    return (target, value.id) if target is not None and type(value) is ast.Name else None


def emptied(stmt: ast.stmt) -> str | None:
    """``x`` of ``x = []``."""
    value = stmt.value if type(stmt) is ast.Assign else None
    return target_of(stmt) if type(value) is ast.List and not value.elts else None


def bodies(stmt: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of a statement that are not empty."""
    if "body" not in vars(stmt):
        return []
    found = [getattr(stmt, part, []) for part in ("body", "orelse", "finalbody")]
    return [body for body in (*found, *(h.body for h in getattr(stmt, "handlers", ()))) if body]


def statements(stmts: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those in them, the outer before the inner."""
    for stmt in stmts:
        yield stmt
        for body in bodies(stmt):
            yield from statements(body)


def copied(tree: Tree) -> Tree:
    """A tree none of whose parts stands at two places."""
    if not tree._fields:
        return tree
    new = type(tree).__new__(type(tree))
    parts = vars(new)
    for key, value in vars(tree).items():
        parts[key] = copied(value) if isinstance(value, ast.AST) else [
            copied(item) if isinstance(item, ast.AST) else item for item in value] if isinstance(
            value, list) else value
    return new


def renamed(tree: Tree, names: Mapping[str, str]) -> Tree:
    """A tree with other names, in place."""
    for each in variables(tree):
        each.id = names.get(each.id, each.id)
    return tree


class Put(ast.NodeTransformer):
    """Puts an expression in the place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == self.name else node
