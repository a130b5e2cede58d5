"""Assignment, unpacking, augmented and annotated assignment."""

from __future__ import annotations

import ast

from ..scopes import CLASS
from .arithmetic import BINARY
from .context import Context, Effect, statement
from .names import is_static
from .nodes import place


@statement(ast.Assign)
def assign(c: Context, node: ast.Assign) -> Effect:
    """``a = b[i] = value``: the value first, then the targets from left to right."""
    if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        c.emit(c.store(node.targets[0].id, c.expr(node.value), node))
        return None
    if len(node.targets) == 1 and _parallel(c, node.targets[0], node.value, node):
        return None
    value = value_of(c, node.value)
    for target in node.targets:
        assign_to(c, target, value, node)
    return None


def value_of(c: Context, node: ast.expr) -> ast.expr:
    """The value in a form that may be used several times."""
    return node if isinstance(node, ast.Constant) else c.hold(c.expr(node), node)


def _parallel(c: Context, target: ast.expr, value: ast.expr, at: ast.stmt) -> bool:
    """``a, b = b, a`` without a tuple in between."""
    if not (isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
            and not any(isinstance(e, ast.Starred) for e in [*target.elts, *value.elts])):
        return False
    values = [value_of(c, item) for item in value.elts]
    for item, held in zip(target.elts, values):
        assign_to(c, item, held, at)
    return True


def assign_to(c: Context, target: ast.expr, value: ast.expr, at: ast.AST) -> None:
    """Store ``value`` (a temporary or constant) into one target.  ``at`` is the statement: a
    store is located there, as the value it labels is."""
    if isinstance(target, ast.Name):
        c.emit(c.store(target.id, value, at))
    elif isinstance(target, ast.Attribute):
        c.emit(c.op("setattr", at, [c.expr(target.value), c.unit.text(target.attr), value]))
    elif isinstance(target, ast.Subscript):
        c.emit(c.op("setitem", at, [c.expr(target.value), c.expr(target.slice), value]))
    elif isinstance(target, ast.Starred):
        assign_to(c, target.value, value, at)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(c, target, value, at)


def _unpack(c: Context, target: ast.Tuple | ast.List, value: ast.expr, at: ast.AST) -> None:
    stars = [i for i, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
    before = stars[0] if stars else len(target.elts)
    after = len(target.elts) - before - 1 if stars else 0
    call = c.op("unpack", at, [value, c.constant(before, target),
                               c.constant(bool(stars), target), c.constant(after, target)])
    names = [c.unit.fresh("t") for _ in target.elts]
    stores: list[ast.expr] = [
        ast.Name(name, ast.Store(), **place(item))
        for name, item in zip(names, target.elts)]
    left = ast.Tuple(stores, ast.Store(), **place(target))
    c.out.append(ast.Assign([left], call, **place(target)))
    for name, item in zip(names, target.elts):
        assign_to(c, item, c.unit.name(name), at)


@statement(ast.AugAssign)
def augmented(c: Context, node: ast.AugAssign) -> Effect:
    """``target op= value``: the place is evaluated once, the old value read before the new
    operand is computed."""
    operator = c.unit.text(BINARY[type(node.op)])
    target = node.target
    if isinstance(target, ast.Name):
        new = c.op("inplace", node, [operator, c.load(target.id, target), c.expr(node.value)])
        c.emit(c.store(target.id, new, node))
    elif isinstance(target, ast.Attribute):
        obj, attr = c.hold(c.expr(target.value), target.value), c.unit.text(target.attr)
        old = c.op("getattr", target, [obj, attr])
        new = c.op("inplace", node, [operator, old, c.expr(node.value)])
        c.emit(c.op("setattr", node, [obj, attr, new]))
    else:
        obj = c.hold(c.expr(target.value), target.value)
        key = target.slice
        held = key if is_static(key) else c.hold(c.expr(key), key)
        old = c.op("getitem", target, [obj, held])
        new = c.op("inplace", node, [operator, old, c.expr(node.value)])
        c.emit(c.op("setitem", node, [obj, held, new]))
    return None


@statement(ast.AnnAssign)
def annotated(c: Context, node: ast.AnnAssign) -> Effect:
    """``x: T = value``; a function does not evaluate annotations, a class body keeps them."""
    if node.value is not None:
        value = value_of(c, node.value)
        assign_to(c, node.target, value, node)
    elif not isinstance(node.target, ast.Name):
        place = node.target
        c.hold(c.expr(place.value), place)
        if isinstance(place, ast.Subscript):
            c.hold(c.expr(place.slice), place)
    if c.scope.kind == CLASS:
        if node.simple and isinstance(node.target, ast.Name):
            annotation = c.annotation(node.annotation)
            table = c.op("load", node, [c.frame, c.unit.text("__annotations__")])
            c.emit(c.op("setitem", node, [table, c.unit.text(node.target.id), annotation]))
        elif not c.unit.lazy_annotations:
            c.hold(c.expr(node.annotation), node)
    return None
