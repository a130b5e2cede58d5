"""Whole numbers as short expressions: ranges, their sizes, distances."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from srcgrad.emit.literals import call


def number_of(expression: ast.expr) -> int | None:
    """The value of an int literal."""
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        inner = number_of(expression.operand)
        return None if inner is None else -inner
    known = isinstance(expression, ast.Constant) and type(expression.value) is int
    return expression.value if known else None  # type: ignore[attr-defined]


def literal(number: int) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-number)) if number < 0 else ast.Constant(number)


def moved(expression: ast.expr, by: int) -> ast.expr:
    """``expression + by``.

    >>> ast.unparse(moved(ast.parse("n - 1", mode="eval").body, 1))
    'n'
    """
    known = number_of(expression)
    if known is not None:
        return literal(known + by)
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.Add | ast.Sub):
        last = number_of(expression.right)
        if last is not None:
            by += last if isinstance(expression.op, ast.Add) else -last
            expression = expression.left
    if by == 0:
        return expression
    op: ast.operator = ast.Add() if by > 0 else ast.Sub()
    return ast.BinOp(expression, op, ast.Constant(abs(by)))


def difference(left: ast.expr, right: ast.expr) -> ast.expr:
    """``left - right``.

    >>> def told(text): return ast.parse(text, mode="eval").body
    >>> ast.unparse(difference(told("n - 1"), told("-1"))), ast.unparse(
    ...     difference(told("i"), told("n - 1")))
    ('n', 'i - (n - 1)')
    """
    known = number_of(right)
    return ast.BinOp(left, ast.Sub(), right) if known is None else moved(left, -known)


def range_of(bounds: Sequence[ast.expr], backwards: bool = False) -> ast.expr:
    """``range(start, stop, step)`` with as few arguments as will do, or its items in reverse
    order.

    >>> def told(*texts): return [ast.parse(t, mode="eval").body for t in texts]
    >>> ast.unparse(range_of(told("1", "n", "1"))), ast.unparse(range_of(told("0", "n", "1"), True))
    ('range(1, n)', 'reversed(range(n))')
    >>> ast.unparse(range_of(told("n - 2", "-1", "-1"), True))
    'range(n - 1)'
    """
    start, stop, step = bounds
    if number_of(step) == -1 and backwards:
        start, stop, step, backwards = moved(stop, 1), moved(start, 1), literal(1), False
    args = [start, stop, step]
    if number_of(step) == 1:
        args = [stop] if number_of(start) == 0 else [start, stop]
    made = call("range", *args)
    return call("reversed", made) if backwards else made


def length_of_range(bounds: Sequence[ast.expr]) -> ast.expr | None:
    """The number of items of a range, or a number below zero if it has none; None if no short
    expression tells it.

    >>> def told(*texts): return [ast.parse(t, mode="eval").body for t in texts]
    >>> ast.unparse(length_of_range(told("1", "n", "1"))), ast.unparse(
    ...     length_of_range(told("n - 1", "-1", "-1")))
    ('n - 1', 'n')
    """
    start, stop, step = bounds
    if number_of(step) == 1:
        return difference(stop, start)
    return difference(start, stop) if number_of(step) == -1 else None
