"""Operators: binary, unary, comparison chains, and/or/not, conditional expressions."""

from __future__ import annotations

import ast
from typing import Final

from .context import Context, expression
from .names import is_static
from .nodes import place

BINARY: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>"}
UNARY: Final[dict[type[ast.AST], str]] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
COMPARE: Final[dict[type[ast.AST], str]] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}


@expression(ast.BinOp)
def binary(c: Context, node: ast.BinOp) -> ast.expr:
    """A chain ``a + b + c`` leans to the left: it is walked in a loop, not by recursion."""
    chain = [node]
    while type(node.left) is ast.BinOp:
        node = node.left
        chain.append(node)
    result = c.expr(node.left)
    for link in reversed(chain):
        operator = c.unit.text(BINARY[type(link.op)])
        result = c.op("binary", link, [operator, result, c.expr(link.right)])
    return result


@expression(ast.UnaryOp)
def unary(c: Context, node: ast.UnaryOp) -> ast.expr:
    """``-x``; the minus of a literal stays."""
    if is_static(node):
        return node
    if type(node.op) is ast.Not:
        return c.op("not_", node, [c.expr(node.operand)])
    return c.op("unary", node, [c.unit.text(UNARY[type(node.op)]), c.expr(node.operand)])


@expression(ast.Compare)
def compare(c: Context, node: ast.Compare) -> ast.expr:
    """``a < b < c`` is ``a < (t := b) and t < c``, to any length."""
    return _chain(c, node, c.expr(node.left), 0)


def _chain(c: Context, node: ast.Compare, left: ast.expr, index: int) -> ast.expr:
    operator = c.unit.text(COMPARE[type(node.ops[index])])
    right = c.expr(node.comparators[index])
    if index + 1 == len(node.ops):
        return c.op("compare", node, [operator, left, right])
    right, again = c.remember(right, node.comparators[index])
    first = c.op("compare", node, [operator, left, right])
    if c.native and has_yield(c, *node.comparators[index + 1:]):
        return _native_chain(c, node, True, first, _chain(c, node, again, index + 1))
    return c.op("and_", node, [first, c.thunk(_chain(c, node, again, index + 1), node)])


@expression(ast.BoolOp)
def boolean(c: Context, node: ast.BoolOp) -> ast.expr:
    """``and``/``or``: later operands are thunks."""
    conjunction = type(node.op) is ast.And
    if c.native and has_yield(c, *node.values[1:]):
        result = c.expr(node.values[-1])
        for value in reversed(node.values[:-1]):
            result = _native_chain(c, node, conjunction, c.expr(value), result)
        return result
    first, *rest = node.values
    thunks = [c.thunk(c.expr(value), value) for value in rest]
    return c.op("and_" if conjunction else "or_", node, [c.expr(first), *thunks])


def _native_chain(c: Context, node: ast.expr, conjunction: bool, first: ast.expr,
                  rest: ast.expr) -> ast.expr:
    """``first and rest`` where ``rest`` holds a ``yield``, which no thunk may hold."""
    kept, again = c.remember(first, node)
    test = c.op("truth", node, [kept])
    then, orelse = (rest, again) if conjunction else (again, rest)
    return ast.IfExp(test, then, orelse, **place(node))


@expression(ast.IfExp)
def conditional(c: Context, node: ast.IfExp) -> ast.expr:
    """``a if test else b``: a chain of them in the else is walked in a loop."""
    if c.native and has_yield(c, node.body, node.orelse):
        return ast.IfExp(c.op("truth", node, [c.expr(node.test)]), c.expr(node.body),
                         c.expr(node.orelse), **place(node))
    return c.op("if_expression", node, [c.expr(node.test), c.thunk(c.expr(node.body), node.body),
                                        c.thunk(c.expr(node.orelse), node.orelse)])


def has_yield(c: Context, *nodes: ast.expr) -> bool:
    """Whether a ``yield`` of this function stands in the expressions."""
    if not c.unit.has_yield:
        return False
    pending: list[ast.AST] = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False
