"""Loops that go back over what another loop has kept, and over nothing else.

    n_while = 0                               kept = []
    kept = []                                 while abs(step) > tol:
    while abs(step) > tol:                        ...
        n_while += 1                              kept.append((x, step))
        ...                                   for x, step in reversed(kept):
        kept.append((x, step))          ->        ...
    for i in reversed(range(n_while)):
        x, step = kept[i]
        ...

A loop that goes back has as many iterations as what it reads has items, so it need not count; where
nobody else asks how many there were, the loop before need not count either.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Container, Sequence

from srcgrad.emit.kept_records import Records
from srcgrad.emit.literals import call, name
from srcgrad.emit.trees import (
    bodies,
    emptied,
    names_in,
    statements,
    stored_in,
    target_of,
    variables,
)

Stmts = list[ast.stmt]


def over_kept(records: Records, consumed: Container[str],
              counters: Collection[str]) -> set[str]:
    """Makes such loops of those in ``records.body``, in place.  ``consumed`` are names of what
    loops that go back go through, ``counters`` those of numbers of iterations that loops count;
    returns those that are gone."""
    body = records.body
    every = [*statements(body)]
    bound = Counter(n for s in every if "body" not in vars(s) for n in stored_in(s))
    # (a list that starts with a place for each iteration may be longer, and arrays of some
    # libraries have all of their axes reversed)
    whole = records.kept | {n for s in every if (n := emptied(s)) is not None
                            and bound[n] == 1 and n in consumed}
    # (what is kept for nothing but the number of iterations would be kept for nothing)
    numbers = {target_of(s) for s in every if isinstance(s, ast.Assign)
               and isinstance(s.value, ast.Subscript) and names_in(s.value.value) <= whole}
    loops = [s for s in every if isinstance(s, ast.For) and numbers.isdisjoint(names_in(s.iter))]
    asked: list[tuple[list[ast.expr], str]] = []
    turned = [_turned(loop, whole, counters, asked) for loop in loops]
    gone = _without_unread(body, records, counters) if any(turned) and counters else set()
    for count, counter in asked:
        if counter not in gone:
            count[:] = [name(counter)]
    return gone


def _turned(loop: ast.For, whole: Container[str], counters: Container[str],
            asked: list[tuple[list[ast.expr], str]]) -> bool:
    """Does ``loop`` ask what it goes through how many iterations there are?  What counted them
    is noted in ``asked`` with its place."""
    index, source = loop.target, loop.iter
    if not isinstance(index, ast.Name) or not isinstance(source, ast.Call) or (
            ast.unparse(source.func) != "reversed"):
        return False
    uses = [n for n in variables(*loop.body) if n.id == index.id]
    for place, stmt in enumerate(loop.body):
        read = stmt.value if isinstance(stmt, ast.Assign) and len(stmt.targets) == 1 else None
        if not isinstance(stmt, ast.Assign) or not isinstance(read, ast.Subscript) or not (
                isinstance(read.slice, ast.Name) and read.slice.id == index.id
                and isinstance(read.value, ast.Name) and read.value.id in whole):
            continue
        bound = stored_in(stmt)
        if len(uses) == 1 and isinstance(stmt.targets[0], ast.Name | ast.Tuple) and (
                read.value.id not in bound and bound.isdisjoint(names_in(*loop.body[:place]))):
            loop.target, loop.iter = stmt.targets[0], call("reversed", name(read.value.id))
            loop.body[:] = [*loop.body[:place], *loop.body[place + 1:]] or [ast.Pass()]
            return True
        count = source.args[0].args if isinstance(source.args[0], ast.Call) else []
        if len(count) == 1 and isinstance(count[0], ast.Name) and count[0].id in counters:
            asked.append((count, count[0].id))
            count[:] = [call("len", name(read.value.id))]
            return True
    return False


def _without_unread(body: Stmts, records: Records, counters: Collection[str]) -> set[str]:
    """Takes out numbers of iterations that nothing reads, and returns them."""
    for append, unpacked in records.pairs:
        made = append.args[0]
        loads = Counter(n.id for n in variables(*body) if isinstance(n.ctx, ast.Load))
        if not isinstance(made, ast.Tuple):
            continue
        unread = {k for k, (old, new) in enumerate(zip(made.elts, unpacked.elts, strict=True))
                  if isinstance(old, ast.Name) and old.id in counters
                  and isinstance(new, ast.Name) and loads[new.id] == (new.id == old.id)}
        if unread and len(unread) < len(made.elts):
            for record in (made, unpacked):
                record.elts = [e for k, e in enumerate(record.elts) if k not in unread]
            if len(made.elts) == 1:
                append.args[:] = made.elts
                _replaced(body, unpacked)
    loads = Counter(n.id for n in variables(*body) if isinstance(n.ctx, ast.Load))
    idle = {n for n in counters if not loads[n]}
    _dropped(body, idle)
    return idle


def _replaced(body: Sequence[ast.stmt], unpacked: ast.Tuple) -> None:
    """Binds what is left of a record in its place."""
    for stmt in statements(body):
        if isinstance(stmt, ast.For) and stmt.target is unpacked:
            stmt.target = unpacked.elts[0]
        elif isinstance(stmt, ast.Assign) and stmt.targets[0] is unpacked:
            stmt.targets[:] = unpacked.elts


def _dropped(body: Stmts, idle: Container[str]) -> None:
    """Takes out ``n = 0`` and ``n += 1``."""
    for stmt in body:
        for inner in bodies(stmt):
            _dropped(inner, idle)
    body[:] = [s for s in body if not (
        (isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id in idle)
        or (target_of(s) in idle and isinstance(s, ast.Assign)
            and isinstance(s.value, ast.Constant)))] or [ast.Pass()]
