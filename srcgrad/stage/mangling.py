"""Private names: ``__x`` inside ``class C`` is ``_C__x``, everywhere a name may stand."""

from __future__ import annotations

import ast

from .source import mangled

_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Name: ("id",), ast.Attribute: ("attr",), ast.arg: ("arg",),
    ast.FunctionDef: ("name",), ast.AsyncFunctionDef: ("name",), ast.ClassDef: ("name",),
    ast.ExceptHandler: ("name",), ast.MatchAs: ("name",), ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",), ast.alias: ("asname",)}


def mangle_private_names(function: ast.AST, owner: str | None) -> None:
    """Rename in place inside a function found in class ``owner``; nested classes use their own
    name.  The definition's own name is left alone: it is that of the code object."""
    for child in ast.iter_child_nodes(function):
        _mangle(child, owner)


def _mangle(node: ast.AST, owner: str | None) -> None:
    pending = [(node, owner)]
    while pending:
        node, owner = pending.pop()
        inner = node.name if isinstance(node, ast.ClassDef) else owner
        for field in _FIELDS.get(type(node), ()):
            value = getattr(node, field)
            if value is not None and value.startswith("__"):
                setattr(node, field, mangled(value, owner))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [mangled(name, owner) for name in node.names]
        pending += [(child, inner) for child in ast.iter_child_nodes(node)]
