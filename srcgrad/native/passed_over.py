"""Elements without a cotangent are passed over several at a time.

Where an iteration backwards over a row does nothing unless an element of it is other than zero,
and few are, most of the time would go into asking one after the other:

    for j in range(m, 0, -1):            j = last_nonzero(d_d[i], m, 0)
        d_cost = d_d[i, j]               while j > 0:
        if not d_cost == 0.0:                d_cost = d_d[i, j]
            ...                              ...
                                             j = last_nonzero(d_d[i], j - 1, 0)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping

from srcgrad.emit.comments import text_of
from srcgrad.emit.counting import moved, number_of
from srcgrad.emit.literals import Namespace, call, name
from srcgrad.native.flow import names_in
from srcgrad.native.predicates import last_nonzero

Stmts = list[ast.stmt]


def passed_over(statements: Stmts, ranks: Mapping[str, int], results: Collection[str],
                space: Namespace) -> None:
    """Rewrites such loops of a kernel; ``ranks`` are those of its arrays of float64."""
    counters: set[str] | None = None
    for block in [statements, *(n.body for s in statements for n in ast.walk(s)
                                if isinstance(n, (ast.For, ast.While, ast.If)))]:
        for i, s in enumerate(block):
            variable = s.target.id if isinstance(s, ast.For) and isinstance(
                s.target, ast.Name) else None
            if isinstance(s, ast.For) and variable is not None and variable not in results and (
                    made := _searched(s, variable, ranks, space)):
                counters = _counters(statements) if counters is None else counters
                block[i:i + 1] = made if variable in counters else [s]


def _counters(statements: Stmts) -> set[str]:
    """The variables that are read in loops alone that count with them."""
    read, within = _reads(statements), Counter[str]()
    for loop in (n for s in statements for n in ast.walk(s) if isinstance(n, ast.For)):
        variable = ast.unparse(loop.target)
        within[variable] += _reads([loop])[variable]
    return {variable for variable in within if within[variable] == read[variable]}


def _reads(statements: Stmts) -> Counter[str]:
    return Counter(n.id for s in statements for n in ast.walk(s)
                   if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _searched(loop: ast.For, at: str, ranks: Mapping[str, int],
              space: Namespace) -> Stmts | None:
    """The loop that goes from one such element to the next, if it is one of these."""
    code = [s for s in loop.body if text_of(s) is None]
    bounds = loop.iter.args if isinstance(loop.iter, ast.Call) else []
    if len(bounds) != 3 or ast.unparse(bounds[2]) != "-1" or len(code) < 2:
        return None
    *aliases, given, branch = code
    places = {ast.unparse(moved(name(at), by)): by for by in range(-2, 3)}
    for s in aliases:
        place = s.value.args[0] if isinstance(s, ast.Assign) and isinstance(
            s.value, ast.Call) and ast.unparse(s.value.func) == "at" else None
        if place is None or not isinstance(s, ast.Assign):
            return None
        if (text := ast.unparse(place)) in places:
            places[ast.unparse(s.targets[0])] = places[text]
    if not (isinstance(branch, ast.If) and not branch.orelse and (
            isinstance(given, ast.Assign) and isinstance(given.value, ast.Subscript))):
        return None
    element, array = given.value, ast.unparse(given.value.value)
    keys = element.slice.elts if isinstance(element.slice, ast.Tuple) else [element.slice]
    by, stop = places.get(ast.unparse(keys[-1])), number_of(bounds[1])
    if by is None or stop is None or stop + by < -1 or ranks.get(array) != len(keys) or (
            ast.unparse(branch.test) != f"not {ast.unparse(given.targets[0])} == 0.0") or (
            names_in(*loop.body, ctx=ast.Store) & {at, array, *names_in(*keys[:-1])}) or any(
            isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(loop)):
        return None
    outer = ast.Tuple(keys[:-1], ast.Load()) if len(keys) > 2 else keys[0]
    row = ast.Subscript(element.value, outer, ast.Load()) if len(keys) > 1 else element.value

    def searched(start: ast.expr) -> ast.stmt:
        found = call(space.function(last_nonzero), row, moved(start, by), moved(bounds[1], by))
        return ast.Assign([ast.Name(at, ast.Store())], moved(found, -by))

    body = [*loop.body[:loop.body.index(branch)], *branch.body, searched(moved(name(at), -1))]
    return [searched(bounds[0]),
            ast.While(ast.Compare(name(at), [ast.Gt()], [bounds[1]]), body, [])]
