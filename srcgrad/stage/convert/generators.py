"""Generator functions: control flow stays Python's.

A ``yield`` suspends the Python function it stands in, so it cannot be moved into a region.  In
the body of a generator ``if``, loops, ``try`` and ``with`` are therefore kept; tests go through
``M.truth`` and iterables through ``M.iterate``, which a tracer answers for static values.  What a
handler could catch runs in a context of the machine (``M.kept_try``), which a ``yield`` leaves.
"""

from __future__ import annotations

import ast

from .comprehensions import native_for
from .context import Context, Effect, expression, native
from .contexts import bound_meanwhile
from .loops import target_function


@expression(ast.Yield)
def yield_(c: Context, node: ast.Yield) -> ast.expr:
    """``yield value``."""
    value = c.constant(None, node) if node.value is None else c.expr(node.value)
    return _outside_of_tries(c, node, ast.Yield, value)


@expression(ast.YieldFrom)
def yield_from(c: Context, node: ast.YieldFrom) -> ast.expr:
    """``yield from iterable``: kept, for ``send`` and ``throw`` go through."""
    value = c.op("delegate", node, [c.expr(node.value)])
    return _outside_of_tries(c, node, ast.YieldFrom, value)


def _outside_of_tries(c: Context, node: ast.expr, kind: type[ast.Yield | ast.YieldFrom],
                      value: ast.expr) -> ast.expr:
    """``try.resumed((yield try.paused(value)))``: what others do meanwhile is not tried."""

    def told(name: str, method: str, given: ast.expr) -> ast.expr:
        function = ast.Attribute(c.unit.name(name), method, ast.Load())
        return c.call(ast.copy_location(function, node), node, [given])

    for name in reversed(c.tries):
        value = told(name, "paused", value)
    made: ast.expr = ast.copy_location(kind(value), node)
    for name in c.tries:
        made = told(name, "resumed", made)
    return made


@native(ast.If, ast.While)
def tested(c: Context, node: ast.If | ast.While) -> Effect:
    """``if M.truth(test)``, ``while M.truth(test)``."""
    test = c.op("truth", node.test, [c.expr(node.test)])
    orelse = c.native_block(node.orelse, node) if node.orelse else []
    made = type(node)(test, c.native_block(node.body, node), orelse)
    c.out.append(ast.copy_location(made, node))
    return None


@native(ast.For)
def for_(c: Context, node: ast.For) -> Effect:
    """``for item in M.iterate(iterable)``."""
    iterable = c.op("iterate", node.iter, [c.expr(node.iter)])
    orelse = c.native_block(node.orelse, node) if node.orelse else []
    c.out.append(native_for(c, node.target, iterable, c.native_block(node.body, node), orelse,
                            node))
    return None


@native(ast.Return)
def return_(c: Context, node: ast.Return) -> Effect:
    """``return value``: the value of the StopIteration."""
    c.emit_return(c.constant(None, node) if node.value is None else c.expr(node.value), node)
    return None


@native(ast.Break, ast.Continue)
def jump(c: Context, node: ast.Break | ast.Continue) -> Effect:
    """``break`` and ``continue`` stay."""
    c.out.append(node)
    return None


@native(ast.Raise)
def raise_(c: Context, node: ast.Raise) -> Effect:
    """``raise``."""
    exception = None if node.exc is None else c.expr(node.exc)
    cause = None if node.cause is None else c.expr(node.cause)
    c.out.append(ast.copy_location(ast.Raise(exception, cause), node))
    return None


@native(ast.With)
def with_(c: Context, node: ast.With) -> Effect:
    """``with`` stays; targets are stored by local functions."""
    body = c.native_block(node.body, node)
    for item in reversed(node.items):
        entered = None
        if item.optional_vars is not None:
            name = c.unit.fresh("item")
            entered = ast.copy_location(ast.Name(name, ast.Store()), item.optional_vars)
            store = c.call(target_function(c, item.optional_vars), item.optional_vars,
                           [c.unit.name(name)])
            body = [ast.copy_location(ast.Expr(store), item.optional_vars), *body]
        manager = ast.withitem(c.expr(item.context_expr), entered)
        body = [ast.copy_location(ast.With([manager], body), node)]
    c.out.extend(body)
    return None


@native(ast.Try)
def try_(c: Context, node: ast.Try) -> Effect:
    """``try`` stays; the name of a handler is stored and deleted as Python does."""
    tried = _tried(c, node) if node.handlers else c.native_block(node.body, node)
    handlers = []
    for handler in node.handlers:
        kind = None if handler.type is None else c.expr(handler.type)
        body = c.native_block(handler.body, handler)
        name = None
        if handler.name is not None:
            name = c.unit.fresh("item")
            body = bound_meanwhile(c, handler, c.unit.name(name), body)
        handlers.append(ast.copy_location(ast.ExceptHandler(kind, name, body), handler))
    made = ast.Try(tried, handlers,
                   c.native_block(node.orelse, node) if node.orelse else [],
                   c.native_block(node.finalbody, node) if node.finalbody else [])
    c.out.append(ast.copy_location(made, node))
    return None


def _tried(c: Context, node: ast.Try) -> list[ast.stmt]:
    """``with M.kept_try(kinds) as try: body``."""
    kinds = [c.thunk(c.constant(None, h) if h.type is None else c.expr(h.type), h)
             for h in node.handlers]
    name = c.unit.fresh("try")
    c.tries.append(name)
    body = c.native_block(node.body, node)
    c.tries.pop()
    entered = ast.withitem(c.op("kept_try", node, [c.list_of(kinds, node)]),
                           ast.copy_location(ast.Name(name, ast.Store()), node))
    return [ast.copy_location(ast.With([entered], body), node)]

