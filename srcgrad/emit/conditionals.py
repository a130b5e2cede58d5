"""Branches that are shorter otherwise: one assignment of either value, one test for two."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from srcgrad.emit.fold import Folding
from srcgrad.emit.trees import copy_in, target_of
from srcgrad.graph.ir import Node, Value, is_adjoint

WIDEST = 72


def chosen(test: ast.expr, then: list[ast.stmt], orelse: list[ast.stmt]) -> ast.stmt | None:
    """``x = a if p else b`` for a branch that does nothing but assign one variable.

    >>> told = ast.parse("if p:\\n    x = a\\nelse:\\n    x = 0.0").body[0]
    >>> ast.unparse(chosen(told.test, told.body, told.orelse))
    'x = a if p else 0.0'
    """
    if len(then) != 1 or len(orelse) != 1:
        return None
    (first,), (second,) = then, orelse
    if not isinstance(first, ast.Assign) or not isinstance(second, ast.Assign) or (
            target_of(first) is None or target_of(first) != target_of(second)
            or not _is_short(first.value) or not _is_short(second.value)):
        return None
    made = ast.Assign(first.targets, ast.IfExp(test, first.value, second.value))
    return made if len(ast.unparse(ast.fix_missing_locations(made))) <= WIDEST else None


def _is_short(value: ast.expr) -> bool:
    """A number, a variable or a part of one, or its negative."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return _is_short(value.operand)
    return isinstance(value, ast.Constant | ast.Name | ast.Subscript | ast.Attribute)


def nested(test: ast.expr, then: list[ast.stmt]) -> tuple[ast.expr, list[ast.stmt]]:
    """One test for two without an ``else``.

    >>> told = ast.parse("if p:\\n    if not q:\\n        x = 0.0").body[0]
    >>> test, body = nested(told.test, told.body)
    >>> ast.unparse(test)
    'p and (not q)'
    """
    while len(then) == 1 and isinstance(then[0], ast.If) and not then[0].orelse:
        inner = then[0]
        tests = [*_parts(test), *_parts(inner.test)]
        test, then = ast.BoolOp(ast.And(), tests), inner.body
    return test, then


def _parts(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def read_in_place(before: list[ast.stmt], name: str,
                  test: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """A test that begins with a variable which the one statement before it sets, and that statement
    taken into it.

    >>> before = ast.parse("t = len(queue)").body
    >>> before, test = read_in_place(before, "t", ast.parse("t > 0", mode="eval").body)
    >>> before, ast.unparse(test)
    ([], 'len(queue) > 0')
    """
    (first,), place = before, test
    while isinstance(place, ast.Compare | ast.UnaryOp | ast.BinOp):
        owner, place = place, place.operand if isinstance(place, ast.UnaryOp) else place.left
    if not isinstance(first, ast.Assign) or not isinstance(place, ast.Name) or not (
            place.id == name and ast.unparse(first.targets[0]) == name):
        return before, test
    if place is test:
        return [], first.value
    setattr(owner, "operand" if isinstance(owner, ast.UnaryOp) else "left", first.value)
    return [], test


def is_statement(node: Node) -> bool:
    """Has the user written a branch as a statement?"""
    where = None if is_adjoint(node) or node.origin is None else node.origin.where
    return where is not None and where.text.lstrip().startswith(("if ", "elif ", "if(", "elif("))


def same_move(a: ast.stmt, b: ast.stmt) -> bool:
    """Do two statements assign one variable to another, the same ones?"""
    return copy_in(a) is not None and copy_in(a) == copy_in(b)


def reads_within(values: Sequence[Value], node: Node, folding: Folding) -> bool:
    """Does an expression for one of these values read what a branch gives?"""
    outputs = set(node.outputs)
    todo = [v for v in values if v not in outputs]
    seen: set[Node] = set()
    while todo:
        made = folding.producer.get(todo.pop())
        if made is None or made not in folding.inlined or made in seen:
            continue
        seen.add(made)
        read = [*made.inputs, *(v for b in made.blocks for v in b.outputs)]
        if outputs.intersection(read):
            return True
        todo.extend(read)
    return False


def results(node: Node, folding: Folding) -> list[Value]:
    """The tests and outcomes of a conditional expression, and of those within it."""
    found: list[Value] = []
    todo = [node]
    while todo:
        one = todo.pop()
        read = [one.inputs[0], *(v for b in one.blocks for v in b.outputs)]
        found.extend(read)
        makers = (folding.producer.get(v) for v in read)
        todo.extend(m for m in makers if m is not None and m.op == "if" and m in folding.inlined)
    return found
