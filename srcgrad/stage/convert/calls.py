"""Calls, with star arguments, methods, ``super()`` and functions that look at their caller."""

from __future__ import annotations

import ast

from ..scopes import CELL, CLASS, FREE, GLOBAL
from .context import Context, expression
from .names import is_quiet
from .nodes import place

_CALLER_SENSITIVE = frozenset({"locals", "globals", "vars", "dir", "eval", "exec"})


@expression(ast.Call)
def call(c: Context, node: ast.Call) -> ast.expr:
    """``obj.name(...)`` goes to ``call_method``; where an argument may call something, the
    method is looked up before, as Python does."""
    function = node.func
    if isinstance(function, ast.Attribute):
        return _method_call(c, node, function)
    if isinstance(function, ast.Name):
        if function.id == "super" and not node.args and not node.keywords:
            found = _super(c, node)
            if found is not None:
                return found
        if function.id in _CALLER_SENSITIVE and c.scope.resolve(function.id)[0] == GLOBAL:
            callee, arguments, keywords = _arguments(c, node, c.expr(function))
            frame = c.frame
            return c.op("call_scoped", node, [frame, callee, *arguments], keywords)
    callee, arguments, keywords = _arguments(c, node, c.expr(function))
    return c.op("call", node, [callee, *arguments], keywords)


def _method_call(c: Context, node: ast.Call, function: ast.Attribute) -> ast.expr:
    receiver, name = c.expr(function.value), c.unit.text(function.attr)
    if all(map(is_quiet, node.args)) and all(
            k.arg is not None and is_quiet(k.value) for k in node.keywords):
        arguments = [c.expr(argument) for argument in node.args]
        keywords = [c.keyword(k.arg, c.expr(k.value), k) for k in node.keywords]
        return c.op("call_method", node, [receiver, name, *arguments], keywords)
    method = c.op("method", function, [receiver, name])
    callee, arguments, keywords = _arguments(c, node, method)
    return c.op("call_bound", node, [callee, *arguments], keywords)


def _arguments(c: Context, node: ast.Call, callee: ast.expr
               ) -> tuple[ast.expr, list[ast.expr], list[ast.keyword]]:
    """Staged callee and arguments; the callee is remembered where messages about ``*`` and
    ``**`` need its name."""
    spread = any(isinstance(a, ast.Starred) for a in node.args)
    mappings = any(k.arg is None for k in node.keywords)
    again: ast.expr = callee
    if spread or mappings:
        callee, again = c.remember(callee, node.func)
    arguments = [_starred(c, a, again) if isinstance(a, ast.Starred) else c.expr(a)
                 for a in node.args]
    if not mappings:
        return callee, arguments, [c.keyword(k.arg, c.expr(k.value), k) for k in node.keywords]
    return callee, arguments, [c.keyword(None, keyword_mapping(c, node.keywords, again, node),
                                         node)]


def _starred(c: Context, node: ast.Starred, callee: ast.expr) -> ast.expr:
    value = c.op("spread", node, [c.expr(node.value), callee])
    return ast.Starred(value, ast.Load(), **place(node))


def keyword_mapping(c: Context, keywords: list[ast.keyword], callee: ast.expr,
                    at: ast.AST) -> ast.expr:
    """``keywords(callee, {'a': 1}, mapping, ...)``: one dict of all keyword arguments."""
    parts: list[ast.expr] = []
    for keyword in keywords:
        value = c.expr(keyword.value)
        if keyword.arg is None:
            parts.append(value)
        else:
            parts.append(ast.Dict([c.unit.text(keyword.arg)], [value], **place(keyword)))
    return c.op("keywords", at, [callee, *parts])


def _super(c: Context, node: ast.Call) -> ast.expr | None:
    """Zero-argument ``super()``: the class from its cell, the object from the first parameter."""
    scope = c.scope.function()
    kind, holder = c.scope.resolve("__class__")
    if scope.kind == CLASS or scope.first is None or c.scope.resolve("super")[0] != GLOBAL:
        return None
    if holder.kind != CELL and kind != FREE:
        return None
    frame = c.frame_of(scope)
    obj = c.op("load", node, [frame, c.unit.text(scope.first)])
    return c.op("super_", node, [c.load("__class__", node), obj])


