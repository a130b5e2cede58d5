"""``for`` and ``while`` loops."""

from __future__ import annotations

import ast

from ..machine import CAN_BREAK, CAN_CONTINUE
from .assignments import assign_to
from .context import Context, Control, Effect, statement


@statement(ast.For)
def for_(c: Context, node: ast.For) -> Effect:
    """The target is a function of the item, the body a region.  A list that is written there is a
    tuple, as for Python's compiler: nothing can change it."""
    items = node.iter
    iterable = c.expr(ast.copy_location(ast.Tuple(items.elts, ast.Load()), items) if isinstance(
        items, ast.List) else items)
    return _loop(c, "for_", node, [iterable, target_function(c, node.target)])


@statement(ast.While)
def while_(c: Context, node: ast.While) -> Effect:
    """The test is a thunk: it runs before each round."""
    return _loop(c, "while_", node, [c.thunk(c.expr(node.test), node.test)])


def _loop(c: Context, operator: str, node: ast.For | ast.While,
          arguments: list[ast.expr]) -> Control:
    body = c.region("body", node.body, node)
    breaks = bool(body.jumps & CAN_BREAK)
    jumps, falls = body.jumps & ~(CAN_BREAK | CAN_CONTINUE), True
    keywords = []
    if node.orelse:
        orelse = c.region("orelse", node.orelse, node)
        keywords.append(c.keyword("orelse", orelse.name, node))
        jumps, falls = jumps | orelse.jumps, orelse.falls or breaks
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
        falls = breaks
    return Control(c.op(operator, node, [*arguments, body.name], keywords), jumps, falls)


def target_function(c: Context, target: ast.expr) -> ast.expr:
    """A local function that stores its argument into the target."""
    name, parameter = c.unit.fresh("target"), c.unit.fresh("item")
    saved, c.out = c.out, []
    assign_to(c, target, c.unit.name(parameter), target)
    body, c.out = c.out, saved
    return c.define(name, body, target, parameter)
