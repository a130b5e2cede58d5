"""The pushing form of a generator function: it hands each item to whoever consumes it.

``for v in items(x): total += v`` can run as the body of ``items``, with the consumer's statements
in place of each ``yield``.  Then the generator is a function like others: its control flow may
depend on data, and it ends where the consumer leaves its loop.  A ``yield`` that stands for itself
(or whose value, None, is assigned) has such a form; one inside of an expression, of a ``with``
statement, or of what a ``try`` guards, has none.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter

from ..scopes import expressions, statements_of, yields


class Returned(ast.expr):
    """What the generator of the ``yield from`` before has returned."""

    _fields = ()


def pushing_form(body: list[ast.stmt]) -> list[ast.stmt] | None:
    """The statements with each ``yield`` as a statement; None if there is no such form."""
    for node in statements_of(body):
        found = [e for e in expressions(node) if isinstance(e, ast.Yield | ast.YieldFrom)]
        guarded = isinstance(node, ast.Try | ast.TryStar | ast.With) and yields(
            [node] if isinstance(node, ast.With) or node.finalbody else node.body)
        if guarded or (found and (len(found) > 1 or not (
                isinstance(node, ast.Expr | ast.Assign | ast.Return)
                and node.value is found[0]))):
            return None
    module = ast.Module([copy.deepcopy(node) for node in body], [])
    uses = Counter(n.id for n in ast.walk(module) if isinstance(n, ast.Name))
    made: list[ast.stmt] = _Statements(uses).visit(module).body
    return made


class _Statements(ast.NodeTransformer):
    def __init__(self, uses: Counter[str]) -> None:
        self.uses = uses

    def visit_For(self, node: ast.For) -> ast.AST:
        """A loop that yields its items, and does nothing else, is a ``yield from``."""
        first, target = node.body[0], node.target
        if len(node.body) == 1 and not node.orelse and isinstance(first, ast.Expr) and isinstance(
                first.value, ast.Yield) and isinstance(target, ast.Name) and isinstance(
                first.value.value, ast.Name) and first.value.value.id == target.id and (
                self.uses[target.id] == 2):
            given = ast.copy_location(ast.YieldFrom(node.iter), node)
            return ast.copy_location(ast.Expr(given), node)
        return self.generic_visit(node)

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
