"""Memory that each iteration of a loop would allocate is allocated once, in front of the loop.

>>> text = '''
... for i in range(n):
...     n_j = len(range(4))
...     kept = np.empty((n_j, x.shape[0]))
...     for j in range(4):
...         kept[j, 0] = x[j]
... '''
>>> print(ast.unparse(ast.Module(allocated_once(ast.parse(text).body, {"kept": 2}), [])))
n_j = len(range(4))
kept = np.empty((n_j, x.shape[0]))
for i in range(n):
    for j in range(4):
        kept[j, 0] = x[j]
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from srcgrad.native.flow import Flow, names_in

Stmts = list[ast.stmt]


def allocated_once(statements: Sequence[ast.stmt], ranks: Mapping[str, int]) -> Stmts:
    """Statements of a kernel with ``np.empty`` in front of the loops in which its size is the
    same.  ``ranks`` are the numbers of axes of arrays."""
    whole = [*statements]
    return _Workspace(whole, ranks).block(whole)


class _Workspace:
    def __init__(self, whole: Stmts, ranks: Mapping[str, int]) -> None:
        self.exposed = Flow(whole).exposed  # what an iteration may read of the one before
        self.stored: dict[str, int] = {}  # how often each name is assigned
        self.elements: dict[str, int] = {}  # how often single elements of it are meant
        self.read: dict[str, int] = {}
        for node in (n for s in whole for n in ast.walk(s)):
            if isinstance(node, ast.Name):
                counts = self.stored if isinstance(node.ctx, ast.Store) else self.read
                counts[node.id] = counts.get(node.id, 0) + 1
            elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                if len(keys) == ranks.get(node.value.id) and not any(
                        isinstance(k, ast.Slice) for k in keys):
                    self.elements[node.value.id] = self.elements.get(node.value.id, 0) + 1
        self.lengths: set[str] = set()  # names of lengths of ranges

    def block(self, statements: Stmts) -> Stmts:
        out: Stmts = []
        for s in statements:
            for part in ("body", "orelse"):
                inner = getattr(s, part, None)
                if isinstance(inner, list) and inner:
                    setattr(s, part, self.block(inner))
            if isinstance(s, ast.For):
                assigned = names_in(s, ctx=ast.Store)
                for inner in [*s.body]:
                    if self.is_movable(inner, assigned):
                        s.body.remove(inner)
                        out.append(inner)
                        assigned -= names_in(inner, ctx=ast.Store)
                s.body = s.body or [ast.Pass()]
            out.append(s)
        return out

    def is_movable(self, s: ast.stmt, assigned: set[str]) -> bool:
        """Does a statement say the same in each iteration, and does nothing of what it allocates
        live on from one iteration to the next?"""
        if not isinstance(s, ast.Assign) or len(s.targets) != 1 or not isinstance(
                s.targets[0], ast.Name) or not isinstance(s.value, ast.Call):
            return False
        name, made = s.targets[0].id, s.value
        if self.stored[name] != 1 or name in self.exposed or not names_in(made).isdisjoint(
                assigned):
            return False
        if _called(made) == "len":
            self.lengths.add(name)
            return isinstance(made.args[0], ast.Call) and _called(made.args[0]) == "range"
        return _called(made) == "np.empty" and self.is_size(made.args[0]) and (
            self.elements.get(name, 0) == self.read.get(name, 0))

    def is_size(self, e: ast.expr) -> bool:
        """Can a size be asked for where no iteration follows: is it never below zero?"""
        if isinstance(e, ast.Tuple):
            return all(map(self.is_size, e.elts))
        if isinstance(e, ast.Name):
            return e.id in self.lengths
        if isinstance(e, ast.Subscript):
            return isinstance(e.value, ast.Attribute) and e.value.attr == "shape"
        return (isinstance(e, ast.Attribute) and e.attr == "shape") or (
            isinstance(e, ast.Constant))


def _called(e: ast.Call) -> str:
    return ast.unparse(e.func)
