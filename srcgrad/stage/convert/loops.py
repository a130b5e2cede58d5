"""``for`` and ``while`` loops."""

from __future__ import annotations

import ast

from .assignments import assign_to
from .context import CAN_BREAK, CAN_CONTINUE, CAN_RETURN, Arm, Context, Control, Effect, statement


@statement(ast.For)
def for_(c: Context, node: ast.For) -> Effect:
    """The target is a function of the item, the body a region.  A list that is written there is a
    tuple, as for Python's compiler: nothing can change it."""
    items = node.iter
    iterable = c.expr(ast.copy_location(ast.Tuple(items.elts, ast.Load()), items) if isinstance(
        items, ast.List) else items)
    arguments = [iterable, target_function(c, node.target),
                 c.region("body", node.body, node).name]
    return _loop(c, "for_", node, arguments)


@statement(ast.While)
def while_(c: Context, node: ast.While) -> Effect:
    """The test is a thunk: it runs before each round."""
    arguments = [c.thunk(c.expr(node.test), node.test), c.region("body", node.body, node).name]
    control = _loop(c, "while_", node, arguments)
    test = node.test
    if isinstance(test, ast.Constant) and test.value:
        body = _last_body(c, arguments[-1])
        control.falls = bool(body & CAN_BREAK)
    return control


def _last_body(c: Context, name: ast.expr) -> int:
    assert isinstance(name, ast.Name)
    plan = c.unit.regions.get(name.id)
    return plan.jumps if plan is not None else 0


def _loop(c: Context, operator: str, node: ast.For | ast.While,
          arguments: list[ast.expr]) -> Control:
    inner = _last_body(c, arguments[-1])
    orelse: Arm | None = c.region("orelse", node.orelse, node) if node.orelse else None
    keywords = []
    jumps, falls = inner & ~(CAN_BREAK | CAN_CONTINUE), True
    if orelse is not None:
        keywords.append(c.keyword("orelse", orelse.name, node))
        jumps |= orelse.jumps
        falls = orelse.falls or bool(inner & CAN_BREAK)
    assert jumps & CAN_RETURN or orelse is not None or not jumps
    return Control(c.op(operator, node, arguments, keywords), jumps, falls)


def target_function(c: Context, target: ast.expr) -> ast.expr:
    """A local function that stores its argument into the target."""
    name, parameter = c.unit.fresh("target"), c.unit.fresh("item")
    saved, c.out = c.out, []
    assign_to(c, target, c.unit.name(parameter), target)
    body, c.out = c.out, saved
    return c.define(name, body, target, parameter)
