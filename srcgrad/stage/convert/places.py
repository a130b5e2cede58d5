"""Attributes, subscripts and slices, read, stored and deleted."""

from __future__ import annotations

import ast

from .context import Context, Effect, expression, statement
from .names import is_static


@expression(ast.Attribute)
def attribute(c: Context, node: ast.Attribute) -> ast.expr:
    """``obj.name``."""
    return c.op("getattr", node, [c.expr(node.value), c.unit.text(node.attr)])


@expression(ast.Subscript)
def subscript(c: Context, node: ast.Subscript) -> ast.expr:
    """``obj[key]``."""
    return c.op("getitem", node, [c.expr(node.value), c.expr(node.slice)])


@expression(ast.Slice)
def slice_(c: Context, node: ast.Slice) -> ast.expr:
    """``lower:upper:step`` becomes a ``slice`` object."""
    parts = [c.constant(None, node) if part is None else part if is_static(part) else c.expr(part)
             for part in (node.lower, node.upper, node.step)]
    return c.call(c.unit.name("slice"), node, parts)


@statement(ast.Delete)
def delete(c: Context, node: ast.Delete) -> Effect:
    """``del`` of names, attributes, items, in order."""
    for target in node.targets:
        _delete(c, target)
    return None


def _delete(c: Context, target: ast.expr) -> None:
    if isinstance(target, ast.Name):
        c.emit(c.delete(target.id, target))
    elif isinstance(target, ast.Attribute):
        c.emit(c.op("delattr", target, [c.expr(target.value), c.unit.text(target.attr)]))
    elif isinstance(target, ast.Subscript):
        c.emit(c.op("delitem", target, [c.expr(target.value), c.expr(target.slice)]))
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            _delete(c, item)
