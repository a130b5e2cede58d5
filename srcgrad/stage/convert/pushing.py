"""The pushing form of a generator function: it hands each item to whoever consumes it.

``for v in items(x): total += v`` can run as the body of ``items``, with the consumer's statements
in place of each ``yield``.  Then the generator is a function like others: its control flow may
depend on data, and it ends where the consumer leaves its loop.  A ``yield`` that stands for itself
(or whose value, None, is assigned) has such a form; one inside of an expression, or of a ``try`` or
``with`` statement, has none.
"""

from __future__ import annotations

import ast
import copy

from ..scopes import expressions, statements_of, yields


class Returned(ast.expr):
    """What the generator of the ``yield from`` before has returned."""

    _fields = ()


def pushing_form(body: list[ast.stmt]) -> list[ast.stmt] | None:
    """The statements with each ``yield`` as a statement; None if there is no such form."""
    for node in statements_of(body):
        found = [e for e in expressions(node) if isinstance(e, ast.Yield | ast.YieldFrom)]
        guarded = isinstance(node, ast.Try | ast.TryStar | ast.With) and yields([node])
        if guarded or (found and (len(found) > 1 or not (
                isinstance(node, ast.Expr | ast.Assign | ast.Return)
                and node.value is found[0]))):
            return None
    made: list[ast.stmt] = _Statements().visit(
        ast.Module([copy.deepcopy(node) for node in body], [])).body
    return made


class _Statements(ast.NodeTransformer):
    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        return self._apart(node, node.value)

    def visit_Return(self, node: ast.Return) -> ast.stmt | list[ast.stmt]:
        return self._apart(node, node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]

    @staticmethod
    def _apart(node: ast.Assign | ast.Return, value: ast.expr | None
               ) -> ast.stmt | list[ast.stmt]:
        if not isinstance(value, ast.Yield | ast.YieldFrom):
            return node
        given: ast.expr = ast.Constant(None) if isinstance(value, ast.Yield) else Returned()
        node.value = ast.copy_location(given, value)
        return [ast.copy_location(ast.Expr(value), node), node]
