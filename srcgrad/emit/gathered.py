"""Lists that a loop does nothing but fill, as list displays.

``y = []; for v in x: y.append(v * v)`` is printed as ``y = [v * v for v in x]``, and a list of
equal numbers as ``y = [0.0] * n``: as the user most likely wrote it, and faster.  Loops over a
list that do nothing are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from srcgrad.emit.literals import names_in


def gathered(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with such loops replaced, in place."""
    for body in list(_bodies(function)):
        _gather(body, function)
    return function


def _bodies(stmt: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements in a statement, the outer before the inner."""
    for part in ("body", "orelse", "finalbody"):
        body = getattr(stmt, part, ())
        if body:
            yield body
            for inner in body:
                yield from _bodies(inner)
    for handler in getattr(stmt, "handlers", ()):
        yield from _bodies(handler)


def _gather(body: list[ast.stmt], function: ast.FunctionDef) -> None:
    for i in range(len(body) - 2, -1, -1):
        made = _display(body[i], body[i + 1], function)
        if made is not None:
            body[i:i + 2] = [made]
    idle = [stmt for stmt in body if _is_idle(stmt, function)]
    if idle and len(idle) < len(body):
        body[:] = [stmt for stmt in body if stmt not in idle]


def _display(start: ast.stmt, loop: ast.stmt, function: ast.FunctionDef) -> ast.stmt | None:
    """One assignment for an empty list and the loop that fills it."""
    if not isinstance(start, ast.Assign) or not isinstance(loop, ast.For) or loop.orelse or (
            len(loop.body) != 1 or len(start.targets) != 1):
        return None
    name, empty, item = start.targets[0], start.value, appended(loop.body[0])
    if item is None or not isinstance(name, ast.Name) or not isinstance(empty, ast.List) or (
            empty.elts or item[0] != name.id):
        return None
    if any(name.id in names_in(part) for part in (item[1], loop.iter, loop.target)):
        return None
    if any(_read_outside(v, loop, function) for v in names_in(loop.target)):
        return None
    new = ast.Assign([name], _value(item[1], loop))
    where = getattr(loop.body[0], "where", None)
    if where is not None:
        new.where = where  # type: ignore[attr-defined]
    return new


def _is_idle(stmt: ast.stmt, function: ast.FunctionDef) -> bool:
    """Is it ``for item in items: pass``, left of a sum that nothing needs?"""
    return (isinstance(stmt, ast.For) and not stmt.orelse and isinstance(stmt.iter, ast.Name)
            and all(isinstance(s, ast.Pass) for s in stmt.body)
            and not any(_read_outside(v, stmt, function) for v in names_in(stmt.target)))


def _value(item: ast.expr, loop: ast.For) -> ast.expr:
    if _is_number(item) and isinstance(loop.iter, ast.Call) and (
            isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range"
            and len(loop.iter.args) == 1):
        return ast.BinOp(ast.List([item], ast.Load()), ast.Mult(), loop.iter.args[0])
    return ast.ListComp(item, [ast.comprehension(loop.target, loop.iter, [], 0)])


def appended(stmt: ast.stmt) -> tuple[str, ast.expr] | None:
    """The list and the item of ``name.append(item)``."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords or not isinstance(
            call.func, ast.Attribute) or call.func.attr != "append" or not isinstance(
            call.func.value, ast.Name):
        return None
    return call.func.value.id, call.args[0]


def _is_number(item: ast.expr) -> bool:
    inner = item.operand if isinstance(item, ast.UnaryOp) else item
    return isinstance(inner, ast.Constant)


def _read_outside(name: str, loop: ast.For, function: ast.FunctionDef) -> bool:
    """Is a loop's variable read where it may be what this loop left in it?  (A display leaves
    nothing in it.)"""
    return _reads(function.body, name, loop)


def _reads(body: list[ast.stmt], name: str, loop: ast.For) -> bool:
    after = not any(inner is loop for stmt in body for inner in ast.walk(stmt))
    for stmt in body:
        after = after or any(inner is loop for inner in ast.walk(stmt))
        if stmt is loop:
            continue
        if isinstance(stmt, ast.For):
            if _loads(stmt.iter, name) or (name not in names_in(stmt.target) and _reads(
                    stmt.body, name, loop)) or _reads(stmt.orelse, name, loop):
                return True
        elif hasattr(stmt, "body"):
            test = getattr(stmt, "test", None)
            if test is None or _loads(test, name) or _reads(stmt.body, name, loop) or _reads(
                    getattr(stmt, "orelse", []), name, loop):
                return True
        elif after and isinstance(stmt, ast.Assign) and any(
                name in names_in(t) for t in stmt.targets):
            return _loads(stmt, name)  # a value of its own for what follows
        elif _loads(stmt, name):
            return True
    return False


def _loads(tree: ast.AST, name: str) -> bool:
    """Does an expression or simple statement read a variable that it does not bind?"""
    if isinstance(tree, ast.ListComp) and any(name in names_in(g.target) for g in tree.generators):
        return False
    if isinstance(tree, ast.Name):
        return tree.id == name and isinstance(tree.ctx, ast.Load)
    return any(_loads(child, name) for child in ast.iter_child_nodes(tree))
