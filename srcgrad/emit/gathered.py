"""Lists that a loop does nothing but fill, as list displays.

``y = []; for v in x: y.append(v * v)`` is printed as ``y = [v * v for v in x]``, and a list of
equal numbers as ``y = [0.0] * n``: as the user most likely wrote it, and faster.  So is the first
item of a list that gets others later.  Loops over a list that do nothing are left out.
"""

from __future__ import annotations

import ast
import functools

from srcgrad.emit.trees import bodies, emptied, names_in, statements
from srcgrad.stage.liveness import read_later


def gathered(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function with such loops replaced, in place."""
    loops = _Loops(function)
    for body in [body for stmt in statements([function]) for body in bodies(stmt)]:
        _gather(body, loops)
    return function


class _Loops:
    """What is known of the loops of a function; it is found out when it is asked for."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function

    @functools.cached_property
    def _left(self) -> dict[int, frozenset[str]]:
        left: dict[int, frozenset[str]] = {}
        for function in statements([self.function]):
            if isinstance(function, ast.FunctionDef):
                later = read_later(function.body)
                assert later is not None, "generated code looks at no variables by other means"
                left.update(later.left)
        return left

    @functools.cached_property
    def may_be_left(self) -> bool:
        """May exceptions leave statements for others of the function?"""
        return any(isinstance(stmt, ast.Try) for stmt in statements([self.function]))

    def leaves(self, loop: ast.For) -> bool:
        """Are the loop's variables read after it?  (A display leaves nothing in them.)"""
        return bool(names_in(loop.target) & self._left[id(loop)])


def _gather(body: list[ast.stmt], loops: _Loops) -> None:
    for i in range(len(body) - 2, -1, -1):
        made = _display(body[i], body[i + 1], loops)
        if made is not None:
            body[i:i + 2] = [made]
    _begin(body, loops)
    idle = [stmt for stmt in body if _is_idle(stmt, loops)]
    if idle and len(idle) < len(body):
        body[:] = [stmt for stmt in body if stmt not in idle]


def _display(start: ast.stmt, loop: ast.stmt, loops: _Loops) -> ast.stmt | None:
    """One assignment for an empty list and the loop that fills it."""
    if not isinstance(loop, ast.For) or loop.orelse or len(loop.body) != 1:
        return None
    item = appended(loop.body[0])
    if item is None or emptied(start) != item[0] or loops.leaves(loop) or (
            item[0] in names_in(item[1], loop.iter, loop.target)):
        return None
    new = ast.Assign(start.targets, _value(item[1], loop))  # type: ignore[attr-defined]
    where = getattr(loop.body[0], "where", None)
    if where is not None:
        new.where = where  # type: ignore[attr-defined]
    return new


def _begin(body: list[ast.stmt], loops: _Loops) -> None:
    """Puts the first item of lists that start empty into their displays, if nothing else is done
    with them before."""
    empty: dict[str, int] = {}  # where they start
    moved: set[int] = set()
    for place, stmt in enumerate(body):
        if bodies(stmt) or isinstance(stmt, ast.Return | ast.Break | ast.Continue):
            empty.clear()
        elif (name := emptied(stmt)) is not None:
            empty[name] = place
        elif empty:
            first, item = appended(stmt) or ("", None)
            for met in empty.keys() & names_in(stmt):
                start = empty.pop(met)
                if item is None or first != met or met in names_in(item) or loops.may_be_left:
                    continue
                body[place] = new = ast.Assign(
                    body[start].targets, ast.List([item], ast.Load()))  # type: ignore[attr-defined]
                if (where := getattr(stmt, "where", None)) is not None:
                    new.where = where  # type: ignore[attr-defined]
                moved.add(start)
    if moved:
        body[:] = [stmt for place, stmt in enumerate(body) if place not in moved]


def _is_idle(stmt: ast.stmt, loops: _Loops) -> bool:
    """Is it ``for item in items: pass``, left of a sum that nothing needs?"""
    return (isinstance(stmt, ast.For) and not stmt.orelse and isinstance(stmt.iter, ast.Name)
            and all(isinstance(s, ast.Pass) for s in stmt.body)
            and not loops.leaves(stmt))


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
