"""Making syntax trees: short forms of the constructors, at the position of a user's node."""

from __future__ import annotations

import ast
from typing import Any

NO_KEYWORDS: list[ast.keyword] = []
EMPTY = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def place(at: Any) -> dict[str, Any]:
    """The position of a node, for a new one."""
    return {"lineno": at.lineno, "col_offset": at.col_offset, "end_lineno": at.end_lineno,
            "end_col_offset": at.end_col_offset}


class Nodes:
    """Constructors of nodes; ``at`` is the user's node whose position the new one gets."""

    __slots__ = ()

    def call(self, function: ast.expr, at: Any, arguments: list[ast.expr],
             keywords: list[ast.keyword] = NO_KEYWORDS) -> ast.Call:
        """A plain call at the user's position."""
        return ast.Call(function, arguments, keywords, **place(at))

    def constant(self, value: Any, at: Any) -> ast.Constant:
        """A constant at the user's position."""
        return ast.Constant(value, **place(at))

    def tuple_of(self, items: list[ast.expr], at: Any) -> ast.Tuple:
        """A tuple display at the user's position."""
        return ast.Tuple(items, ast.Load(), **place(at))

    def list_of(self, items: list[ast.expr], at: Any) -> ast.List:
        """A list display at the user's position."""
        return ast.List(items, ast.Load(), **place(at))

    def keyword(self, name: str | None, value: ast.expr, at: Any) -> ast.keyword:
        """A keyword argument (``name`` None: ``**value``)."""
        return ast.keyword(name, value, **place(at))

    def thunk(self, body: ast.expr, at: Any) -> ast.expr:
        """``lambda: body``."""
        return ast.Lambda(EMPTY, body, **place(at))

    def assignment(self, name: str, value: ast.expr, at: Any) -> ast.stmt:
        """``name = value`` for a variable of the staged code."""
        target = ast.Name(name, ast.Store(), **place(at))
        return ast.Assign([target], value, **place(at))

    def parameter(self, name: str, at: Any) -> ast.arg:
        """One parameter."""
        return ast.arg(name, **place(at))

    def function(self, name: str, arguments: ast.arguments, body: list[ast.stmt],
                 at: Any) -> ast.FunctionDef:
        """A function definition (``type_params`` exists from Python 3.12 on)."""
        made = ast.FunctionDef(name, arguments, body, [], **place(at))
        if "type_params" in made._fields:
            setattr(made, "type_params", [])  # noqa: B010  (unknown to Python 3.11)
        return made
