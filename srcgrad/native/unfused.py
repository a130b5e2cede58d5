"""Sums of fast kernels whose products are not fused with them.

A fused product and sum takes longer than a sum.  Where a loop only adds to a number, the next
iteration waits for that, unless several iterations are added at once, which branches prevent.
There ``s += x * y`` becomes ``s = plus(s, x * y)``: a function has its own freedom.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Container, Sequence

from srcgrad.emit.literals import Namespace, call, name
from srcgrad.native.predicates import minus, plus

_APART = {ast.Add: plus, ast.Sub: minus}


def unfused(statements: Sequence[ast.stmt], floats: Container[str], space: Namespace) -> None:
    """Rewrites such sums of floats in innermost loops with branches."""
    for loop in (n for s in statements for n in ast.walk(s) if isinstance(n, (ast.For, ast.While))):
        parts = [n for s in loop.body for n in ast.walk(s)]
        if any(isinstance(n, (ast.For, ast.While)) for n in parts) or not any(
                isinstance(n, ast.If) for n in parts):
            continue
        sums = [n for n in parts if isinstance(n, ast.AugAssign)
                and isinstance(n.target, ast.Name) and type(n.op) in _APART]
        named = Counter(n.id for n in parts if isinstance(n, ast.Name))
        named.subtract(s.target.id for s in sums if isinstance(s.target, ast.Name))
        loop.body = [_Sums({n for n, count in named.items() if not count and n in floats},
                           space).visit(s) for s in loop.body]


class _Sums(ast.NodeTransformer):
    """Writes the sums of some variables as calls."""

    def __init__(self, variables: set[str], space: Namespace) -> None:
        self.variables, self.space = variables, space

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        if not isinstance(node.target, ast.Name) or node.target.id not in self.variables:
            return node
        function = self.space.function(_APART[type(node.op)])
        made = ast.Assign([node.target], call(function, name(node.target.id), node.value))
        vars(made).update((k, v) for k, v in vars(node).items() if k not in node._fields)
        return made
