"""f-strings."""

from __future__ import annotations

import ast

from .context import Context, expression


@expression(ast.JoinedStr)
def joined(c: Context, node: ast.JoinedStr) -> ast.expr:
    """Literal pieces and formatted fields, in order; without fields it is a constant."""
    if not node.values:
        return c.constant("", node)
    if all(isinstance(v, ast.Constant) for v in node.values) and len(node.values) == 1:
        return node.values[0]
    return c.op("join_str", node, [c.expr(value) for value in node.values])


@expression(ast.FormattedValue)
def formatted(c: Context, node: ast.FormattedValue) -> ast.expr:
    """``{value!r:spec}``."""
    conversion = "" if node.conversion < 0 else chr(node.conversion)
    spec = c.constant("", node) if node.format_spec is None else c.expr(node.format_spec)
    return c.op("format", node, [c.expr(node.value), c.unit.text(conversion), spec])
