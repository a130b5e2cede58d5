"""Names of one object that are one name.

    v = u.copy()                      v = u.copy()
    for _ in range(3):                for _ in range(3):
        v_2 = v                   ->      for i in range(1, len(v)):
        for i in range(1, len(v)):            v[i] -= v[i - 1]
            v_2[i] -= v_2[i - 1]
        v = v_2

What a name is bound to once, all others only take over from one another: whenever they are bound
they are bound to that.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from srcgrad.emit.trees import bodies, copy_in, renamed, statements, variables

Stmts = list[ast.stmt]
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def one_name(body: Stmts, parameters: Collection[str],
             arrays: Collection[str]) -> dict[str, str]:
    """Gives such names in the body of a function one name, in place; says which was changed to
    which.  ``arrays`` are names that only arrays have, so that ``v += w`` leaves what they are."""
    if not any(copy_in(s) is not None for s in statements(body)):
        return {}
    sources: dict[str, set[str]] = {}  # of the names that a name is a copy of
    bindings = dict.fromkeys(parameters, 1)
    once = {*parameters}
    own = {id(s) for s in body if isinstance(s, ast.Assign)}
    for s in statements(body):
        copy = copy_in(s)
        names = _bound(s) if copy is None else [copy[0]]
        once.update(names if id(s) in own else ())
        if copy is not None:
            sources.setdefault(copy[0], set()).add(copy[1])
        elif not (isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name)
                  and s.target.id in arrays):
            for bound in names:
                bindings[bound] = bindings.get(bound, 0) + 1
    found: dict[str, str] = {}
    for root in sorted(n for n in once if bindings.get(n) == 1):
        group = {n for n in sources if n not in bindings}
        while True:
            kept = {n for n in group if sources[n] <= group | {root}}
            if kept == group:
                break
            group = kept
        if sources.get(root, set()) <= group:
            found.update(dict.fromkeys(_reached(root, group, sources), root))
    if found:
        for s in body:
            renamed(s, found)
        _without_idle(body)
    return found


def _reached(root: str, group: set[str], sources: dict[str, set[str]]) -> set[str]:
    """The names of a group that hold what ``root`` is bound to, if anything."""
    reached: set[str] = set()
    while True:
        more = {n for n in group - reached if not sources[n].isdisjoint(reached | {root})}
        if not more:
            return reached
        reached |= more


def _bound(s: ast.stmt) -> list[str]:
    """The names that a statement binds, but for those in its blocks."""
    parts = [part for key, part in vars(s).items() if key not in _BLOCKS]
    trees = [t for part in parts for t in (part if isinstance(part, list) else [part])
             if isinstance(t, ast.AST)]
    return [n.id for n in variables(*trees) if not isinstance(n.ctx, ast.Load)] + [
        h.name for h in getattr(s, "handlers", ()) if h.name]


def _without_idle(body: Stmts) -> None:
    """Takes out ``a = a``."""
    for s in body:
        for inner in bodies(s):
            _without_idle(inner)
            if not inner:
                inner.append(ast.Pass())
    body[:] = [s for s in body if (copy := copy_in(s)) is None or copy[0] != copy[1]]
