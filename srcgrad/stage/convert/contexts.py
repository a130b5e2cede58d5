"""``with`` and ``try``."""

from __future__ import annotations

import ast

from ..scopes import LOCAL
from .context import Context, Control, Effect, statement
from .loops import target_function


@statement(ast.With)
def with_(c: Context, node: ast.With) -> Effect:
    """Managers are thunks: each is entered before the next is evaluated.  A manager may
    swallow an exception, so the statement can always run to its end."""
    managers: list[ast.expr] = []
    targets: list[ast.expr] = []
    for item in node.items:
        managers.append(c.thunk(c.expr(item.context_expr), item.context_expr))
        targets.append(c.constant(None, node) if item.optional_vars is None
                       else target_function(c, item.optional_vars))
    body = c.region("with", node.body, node)
    call = c.op("with_", node, [c.list_of(managers, node), c.list_of(targets, node), body.name])
    return Control(call, body.jumps, True)


@statement(ast.Try)
def try_(c: Context, node: ast.Try) -> Effect:
    """Body, handlers, else and finally are regions; types of handlers are thunks."""
    body = c.region("try", node.body, node)
    jumps, normal, handled = body.jumps, body.falls, False
    handlers: list[ast.expr] = []
    for handler in node.handlers:
        arm = c.region("except", handler.body, handler)
        handlers.append(_handler(c, handler, arm.name))
        jumps, handled = jumps | arm.jumps, handled or arm.falls
    nothing = c.constant(None, node)
    orelse: ast.expr = nothing
    final: ast.expr = nothing
    if node.orelse:
        arm = c.region("orelse", node.orelse, node)
        orelse, jumps, normal = arm.name, jumps | arm.jumps, normal and arm.falls
    falls = normal or handled
    if node.finalbody:
        arm = c.region("finally", node.finalbody, node)
        final, jumps, falls = arm.name, jumps | arm.jumps, falls and arm.falls
    frame = c.unit.name(c.scope.variable)
    return Control(c.op("try_", node, [body.name, c.list_of(handlers, node), orelse, final, frame]),
                   jumps, falls)


def _handler(c: Context, handler: ast.ExceptHandler, region: ast.expr) -> ast.expr:
    kind = (c.constant(None, handler) if handler.type is None
            else c.thunk(c.expr(handler.type), handler.type))
    name = handler.name
    if name is None:
        return c.tuple_of([kind, c.constant(None, handler), region], handler)
    if c.scope.resolve(name)[0] == LOCAL:
        return c.tuple_of([kind, c.unit.text(name), region], handler)
    return _rebind(c, handler, kind, region)


def _rebind(c: Context, handler: ast.ExceptHandler, kind: ast.expr,
            region: ast.expr) -> ast.expr:
    """A handler whose name is global or nonlocal: its region stores and deletes the name
    (``name`` is then ``None`` for the machine)."""
    run = ast.copy_location(ast.Return(c.call(region, handler, [])), handler)
    body = bound_meanwhile(c, handler, c.op("caught", handler, []), [run])
    name = c.define(c.unit.fresh("except"), body, handler)
    return c.tuple_of([kind, c.constant(None, handler), name], handler)


def bound_meanwhile(c: Context, handler: ast.ExceptHandler, error: ast.expr,
                    body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a handler, with its name bound to the exception as long as they run."""
    assert handler.name is not None
    store = c.store(handler.name, error, handler)
    none = c.store(handler.name, c.constant(None, handler), handler)
    clear: list[ast.stmt] = [ast.copy_location(ast.Expr(e), handler)
                             for e in (none, c.delete(handler.name, handler))]
    guarded = ast.Try(body, [], [], clear)
    return [ast.copy_location(ast.Expr(store), handler), ast.copy_location(guarded, handler)]
