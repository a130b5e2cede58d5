"""Neighbouring moves that one statement says.

    t1 = None; t2 = None             ->  t1 = t2 = None
    u_prev = u; u = u_next           ->  u_prev, u = u, u_next

A move gives a constant, or what another variable has, to a variable: what the arms of branches and
the iterations of loops end with.
"""

from __future__ import annotations

import ast

from srcgrad.emit.comments import node_of
from srcgrad.emit.motion import is_short
from srcgrad.emit.trees import names_in, target_of

AT_ONCE = 3  # for more, Python makes a tuple


def moved_at_once(body: list[ast.stmt], depth: int) -> list[ast.stmt]:
    """The statements of a block, so deep in the function, with such moves put together."""
    found: list[ast.stmt] = []
    run: list[ast.Assign] = []
    for stmt in body:
        if isinstance(stmt, ast.Assign) and _is_move(stmt):
            run.append(stmt)
        else:
            found += [*_together(run, depth), stmt]
            run = []
    return [*found, *_together(run, depth)]


def _is_move(stmt: ast.Assign) -> bool:
    return node_of(stmt) is None and target_of(stmt) is not None and (
        isinstance(stmt.value, ast.Name | ast.Constant))


def _together(run: list[ast.Assign], depth: int) -> list[ast.stmt]:
    """The statements for some moves, each of which may read what those before it set."""
    targets = [target_of(stmt) for stmt in run]
    if len(run) < 2 or len({*targets}) < len(run):
        return [*run]
    groups: list[list[ast.Assign]] = [[stmt] for stmt in run]
    if names_in(*(stmt.value for stmt in run)).isdisjoint(targets):
        alike: dict[str, list[ast.Assign]] = {}
        for stmt in run:
            alike.setdefault(ast.dump(stmt.value), []).append(stmt)
        groups = [*alike.values()]
    found: list[ast.Assign] = []
    for group in groups:
        for stmt in group:
            said = found[-1] if found else stmt
            made = _chained(said, stmt) if stmt is not group[0] else (
                _parallel(said, stmt) if len(group) == 1 else None)
            if said is not stmt and made is not None and is_short(made, depth):
                found[-1] = made
            else:
                found.append(stmt)
    return [*found]


def _chained(said: ast.Assign, stmt: ast.Assign) -> ast.Assign:
    """``a = b = x``."""
    return ast.Assign([*said.targets, *stmt.targets], said.value)


def _parallel(said: ast.Assign, stmt: ast.Assign) -> ast.Assign | None:
    """``a, b = x, y``."""
    if len(said.targets) > 1 or not names_in(*said.targets).isdisjoint(names_in(stmt.value)):
        return None
    target, value = said.targets[0], said.value
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    if len(names) == AT_ONCE:
        return None
    return ast.Assign([ast.Tuple([*names, *stmt.targets], ast.Store())],
                      ast.Tuple([*values, stmt.value], ast.Load()))
