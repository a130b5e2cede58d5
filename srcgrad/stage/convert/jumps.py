"""Statements that end a block or do nothing: return, break, continue, raise, assert, pass."""

from __future__ import annotations

import ast

from ..machine import BREAK, CAN_BREAK, CAN_CONTINUE, CAN_RETURN, CONTINUE
from .context import Context, Control, Effect, Ends, expression, statement
from .pushing import Returned


@statement(ast.Return)
def return_(c: Context, node: ast.Return) -> Effect:
    """The value goes into the frame, the jump to the machine."""
    value = c.constant(None, node) if node.value is None else c.expr(node.value)
    frame = c.frame_of(c.scope)
    c.emit_return(c.op("return_", node, [frame, value]), node)
    return Ends(CAN_RETURN)


@statement(ast.Break)
def break_(c: Context, node: ast.Break) -> Effect:
    """Leave the innermost loop."""
    c.emit_return(c.constant(BREAK, node), node)
    return Ends(CAN_BREAK)


@statement(ast.Continue)
def continue_(c: Context, node: ast.Continue) -> Effect:
    """Go on with the innermost loop."""
    c.emit_return(c.constant(CONTINUE, node), node)
    return Ends(CAN_CONTINUE)


@statement(ast.Raise)
def raise_(c: Context, node: ast.Raise) -> Effect:
    """``raise``: the region ends here, no jump is left."""
    exception = c.constant(None, node) if node.exc is None else c.expr(node.exc)
    cause = c.constant(None, node) if node.cause is None else c.expr(node.cause)
    arguments = [exception, cause, c.constant(node.cause is not None, node)]
    if node.exc is not None:
        c.emit_return(c.op("raise_", node, arguments), node)
    else:
        c.emit_return(c.op("reraise", node, []), node)
    return Ends(0)


@statement(ast.Assert)
def assert_(c: Context, node: ast.Assert) -> Effect:
    """The message is evaluated only where the assertion fails."""
    message = c.constant(None, node) if node.msg is None else c.thunk(c.expr(node.msg), node.msg)
    c.emit(c.op("assert_", node, [c.expr(node.test), message]))
    return None


@statement(ast.Pass, ast.Global, ast.Nonlocal)
def nothing(c: Context, node: ast.stmt) -> Effect:
    """Nothing at run time: scopes are known before."""
    return None


@statement(ast.Expr)
def expression_statement(c: Context, node: ast.Expr) -> Effect:
    """An expression for its effects; docstrings and other constants vanish.  In the pushing form of
    a generator a ``yield`` hands over an item, and may end the function."""
    if isinstance(node.value, ast.Yield) and not c.native:
        item = node.value.value
        value = c.constant(None, node) if item is None else c.expr(item)
        return Control(c.op("push", node, [value]), CAN_RETURN, True)
    if isinstance(node.value, ast.YieldFrom) and not c.native:
        return Control(c.op("push_all", node, [c.expr(node.value.value)]), CAN_RETURN, True)
    if not isinstance(node.value, ast.Constant):
        c.emit(c.expr(node.value))
    return None


@expression(Returned)
def returned(c: Context, node: Returned) -> ast.expr:
    """What a generator has returned whose items were handed over."""
    return c.op("pushed_result", node, [])
