"""Names, constants and displays: the leaves of expressions."""

from __future__ import annotations

import ast

from .context import Context, expression
from .nodes import place


def is_static(node: ast.expr) -> bool:
    """Whether an expression is made of constants only: it stays as it is."""
    kind = type(node)
    if kind is ast.Constant:
        return True
    if kind is ast.UnaryOp:
        return (type(node.op) is not ast.Not  # type: ignore[attr-defined]
                and _is_number(node.operand))  # type: ignore[attr-defined]
    return kind is ast.Tuple and all(map(is_static, node.elts))  # type: ignore[attr-defined]


def _is_number(node: ast.expr) -> bool:
    return type(node) is ast.Constant and type(node.value) in (int, float, complex)


_QUIET = (ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.UnaryOp, ast.Slice,
          ast.Tuple, ast.operator, ast.unaryop, ast.expr_context, ast.Lambda)


def is_quiet(node: ast.expr) -> bool:
    """Whether an expression calls nothing by itself: reading an attribute before or after it
    is then the same."""
    pending: list[ast.AST] = [node]
    while pending:
        inner = pending.pop()
        if not isinstance(inner, _QUIET):
            return False
        if not isinstance(inner, ast.Lambda | ast.Name | ast.Constant):
            pending.extend(ast.iter_child_nodes(inner))
    return True


@expression(ast.Constant)
def constant(c: Context, node: ast.Constant) -> ast.expr:
    """Constants stay."""
    return node


@expression(ast.Name)
def name(c: Context, node: ast.Name) -> ast.expr:
    """A variable is read from its frame."""
    return c.load(node.id, node)


@expression(ast.Tuple)
def tuple_display(c: Context, node: ast.Tuple) -> ast.expr:
    """A tuple is immutable and certainly static: the display stays."""
    return node if is_static(node) else c.tuple_of(items(c, node.elts), node)


@expression(ast.List)
def list_display(c: Context, node: ast.List) -> ast.expr:
    """A list has identity: the machine makes it, also of items whose number it does not know."""
    return c.op("build_list", node, [
        _starred(c.op("spread_items", e, [c.expr(e.value)]), e) if isinstance(e, ast.Starred)
        else c.expr(e) for e in node.elts])


@expression(ast.Set)
def set_display(c: Context, node: ast.Set) -> ast.expr:
    """Set displays."""
    return c.op("build_set", node, items(c, node.elts))


@expression(ast.Dict)
def dict_display(c: Context, node: ast.Dict) -> ast.expr:
    """Dict displays; ``**mapping`` becomes the pairs of the mapping."""
    pairs: list[ast.expr] = []
    for key, value in zip(node.keys, node.values):
        if key is None:
            pairs.append(_starred(c.op("mapping_items", value, [c.expr(value)]), value))
        else:
            pairs.append(c.tuple_of([c.expr(key), c.expr(value)], key))
    return c.op("build_dict", node, [c.list_of(pairs, node)])


@expression(ast.Starred)
def starred(c: Context, node: ast.Starred) -> ast.expr:
    """``*value`` in a display or an index (calls have their own)."""
    return _starred(c.op("spread", node, [c.expr(node.value)]), node)


def _starred(value: ast.expr, at: ast.expr) -> ast.expr:
    return ast.Starred(value, ast.Load(), **place(at))


def items(c: Context, nodes: list[ast.expr]) -> list[ast.expr]:
    """The staged elements of a display."""
    return [c.expr(node) for node in nodes]


@expression(ast.NamedExpr)
def walrus(c: Context, node: ast.NamedExpr) -> ast.expr:
    """``(x := e)``: in a comprehension the target belongs to the function around it."""
    assert isinstance(node.target, ast.Name)
    value, again = c.remember(c.expr(node.value), node)
    pair = c.tuple_of([value, c.store(node.target.id, again, node)], node)
    return ast.Subscript(pair, c.constant(0, node), ast.Load(), **place(node))

