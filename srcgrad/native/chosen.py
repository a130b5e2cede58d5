"""The least or largest of neighbours, without branches.

Which of them it is depends on data, and processors guess wrong.  The truth value is kept for the
backward part, in memory that LLVM cannot tell from what is compared: so the number is chosen in
front of that, where it has been read already.

>>> text = '''
... for j in range(n):
...     best = d[j]
...     taken = d[j + 1] < best
...     kept[j] = taken
...     if taken:
...         best = d[j + 1]
...     d[j] = best
... '''
>>> print(ast.unparse(ast.Module(chosen(ast.parse(text).body), [])))
for j in range(n):
    best = d[j]
    taken = d[j + 1] < best
    best = d[j + 1] if taken else best
    kept[j] = taken
    d[j] = best

A number that goes from one iteration of a loop that is in no other to the next keeps its branch:
most of the branches of a long loop go one way, and then nothing waits for the comparison.
"""

from __future__ import annotations

import ast

from srcgrad.emit.comments import text_of

Stmts = list[ast.stmt]
_LOOPS = (ast.For, ast.While)


def chosen(statements: Stmts, nested: bool = False) -> Stmts:
    """Statements of a kernel, its innermost loops changed in place."""
    for s in statements:
        inner = [part for name in ("body", "orelse") if (part := getattr(s, name, None))]
        if isinstance(s, _LOOPS) and not any(
                isinstance(n, _LOOPS) for part in s.body for n in ast.walk(part)):
            s.body = _block(s.body, nested)
        else:
            for part in inner:
                chosen(part, nested or isinstance(s, _LOOPS))
    return statements


def _block(block: Stmts, nested: bool) -> Stmts:
    """The body of a loop, which starts again and again where it is nested."""
    made: Stmts = []
    given: set[str] = set()  # variables that the iteration has assigned
    for s in block:
        choice = _choice(s, None if nested else given, made) if isinstance(s, ast.If) else None
        if choice is None or not isinstance(s, ast.If):
            made.append(s)
        else:
            at = len(made) - (isinstance(made[-1], ast.Assign) and _is_kept(made[-1], s.test))
            made[at:at] = choice
        if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name):
            given.add(s.targets[0].id)
    return made


def _choice(branch: ast.If, given: set[str] | None, before: Stmts) -> Stmts | None:
    """The assignment without the branch, and its comments, if a comparison decides it."""
    code = [s for s in branch.body if text_of(s) is None]
    test = before[-2:-1] if before and _is_kept(before[-1], branch.test) else before[-1:]
    if branch.orelse or len(code) != 1 or not test:
        return None
    compared, assigned = test[0], code[0]
    if not (isinstance(assigned, ast.Assign) and isinstance(target := assigned.targets[0], ast.Name)
            and (given is None or target.id in given)
            and isinstance(assigned.value, (ast.Name, ast.Subscript))
            and isinstance(compared, ast.Assign) and isinstance(compared.value, ast.Compare)
            and ast.unparse(compared.targets[0]) == ast.unparse(branch.test)):
        return None
    sides = {*map(ast.unparse, (compared.value.left, *compared.value.comparators))}
    if sides != {target.id, ast.unparse(assigned.value)}:
        return None
    assigned.value = ast.IfExp(branch.test, assigned.value, ast.Name(target.id, ast.Load()))
    return branch.body


def _is_kept(s: ast.stmt, test: ast.expr) -> bool:
    """Is a truth value stored?"""
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript) and (
        ast.unparse(s.value) == ast.unparse(test))
