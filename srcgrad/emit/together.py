"""Neighbouring statements that one statement says.

    ka = theta[0]; ke = theta[1]     ->  ka, ke = theta      (an array of two elements)
    t1 = d / L; c = t1[0]; s = t1[1] ->  c, s = d / L
    d_a = 0.0; d_b = 0.0             ->  d_a = d_b = 0.0     (in the backward part)
    t1 = [0, 1]; for i in t1: ...    ->  for i in (0, 1): ...
    c = cos(x); c_saved[i] = c       ->  c = c_saved[i] = cos(x)
    s = empty(n); c = empty(n)       ->  s, c = empty((2, n))
    x = 1.0; s = 0.0                 ->  x, s = 1.0, 0.0     (what a loop starts with or has kept,
                                         and what the user has written so)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from itertools import groupby

import numpy as np

from srcgrad.emit.comments import node_of, text_of, tied_like
from srcgrad.emit.expressions import inverted
from srcgrad.emit.motion import Motion, is_short
from srcgrad.emit.moves import moved_at_once
from srcgrad.emit.trees import Put, emptied, names_in, stored_in, target_of, variables
from srcgrad.graph.ir import Value, is_adjoint


def together(function: ast.FunctionDef, users: Mapping[Value, int],
             motion: Motion) -> ast.FunctionDef:
    """The function with such statements merged, in place; ``users`` counts who reads a value."""
    pending: list[tuple[ast.AST, int]] = [(function, 1)]
    while pending:
        stmt, depth = pending.pop()
        for part in ("body", "orelse", "handlers", "finalbody") if "body" in vars(stmt) else ():
            body = getattr(stmt, part, ())
            if part in ("body", "orelse") and body:
                is_elif = part == "orelse" and len(body) == 1 and isinstance(body[0], ast.If)
                if not is_elif:
                    body[:] = [s for inner in body for s in _zero_before(inner)]
                _merge(body, users, motion, depth)
            pending.extend((inner, depth + 1) for inner in body)
    return function


def _merge(body: list[ast.stmt], users: Mapping[Value, int], motion: Motion,
           depth: int) -> None:
    merged: list[ast.stmt] = []
    at = 0
    _in_groups(body)
    _zeros_first(body)
    while at < len(body):
        first, made, count = body[at], None, 1
        _iterated(first, merged, users)
        if type(first) is not ast.Assign:
            made = first
        elif count := _elements(body, at):
            made = _unpacked(body[at:at + count], merged, users)
        elif _zero(first):
            count = _longest(body, at, lambda run: _zero(run[-1]) and is_short(
                _all_zero(run), depth))
            made = _all_zero(body[at:at + count])
        elif _room(first) is not None and (count := _longest(
                body, at, lambda run: _same_room(run[0], run[-1]) and (
                    not is_short(run[0]) or is_short(_rooms(run))))) > 1:
            made = _rooms(body[at:at + count])
        elif (count := _side_by_side(body, at)) > 1:
            made = _as_one(body[at:at + count])
        elif merged and _is_kept(merged[-1], first):
            merged[-1].targets += first.targets  # type: ignore[attr-defined]
        else:
            made = first
        merged += [] if made is None else [made]
        at += max(count, 1)
    _uncounted(merged, motion)
    body[:] = moved_at_once(_either(motion.block(merged, depth)), depth)


def _longest(body: list[ast.stmt], at: int, fits: Callable[[list[ast.stmt]], bool]) -> int:
    """How many statements from number ``at`` on are together as they should be."""
    count = 1
    while at + count < len(body) and fits(body[at:at + count + 1]):
        count += 1
    return count


def _either(body: list[ast.stmt]) -> list[ast.stmt]:
    """One test for neighbouring branches of the backward part that do the same: ``elif`` arms, and
    two branches that set what the tests do not read to the same numbers."""
    found: list[ast.stmt] = []
    for stmt in body:
        before = found[-1] if found else None
        if isinstance(stmt, ast.If) and _is_backward(stmt):
            while len(stmt.orelse) == 1 and isinstance(inner := stmt.orelse[0], ast.If) and (
                    _same(stmt.body, inner.body)):
                stmt.test, stmt.orelse = _or(stmt.test, inner.test), inner.orelse
            if isinstance(before, ast.If) and not before.orelse and not stmt.orelse and (
                    _is_backward(before) and _same(before.body, stmt.body)
                    and all(map(_zero, stmt.body))) and not (
                    names_in(stmt.test) & names_in(*stmt.body)):
                before.test = _or(before.test, stmt.test)
                continue
        found.append(stmt)
    return found


def _or(first: ast.expr, second: ast.expr) -> ast.expr:
    tests = [part for test in (first, second) for part in (
        test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test])]
    return ast.BoolOp(ast.Or(), tests)


def _same(one: list[ast.stmt], other: list[ast.stmt]) -> bool:
    """Are two bodies the same, but for their comments?"""
    return [ast.dump(s) for s in one if text_of(s) is None] == [
        ast.dump(s) for s in other if text_of(s) is None]


def _is_backward(stmt: ast.stmt) -> bool:
    node = node_of(stmt)
    return node is not None and is_adjoint(node)


def _zero_before(stmt: ast.stmt) -> list[ast.stmt]:
    """A branch of the backward part, one of whose arms only sets numbers to zero, behind these
    zeros: they are there before the other arm sets them to something else."""
    if not isinstance(stmt, ast.If) or not stmt.orelse:
        return [stmt]
    for arm, other, test in ((stmt.orelse, stmt.body, stmt.test),
                             (stmt.body, stmt.orelse, inverted(stmt.test))):
        zeros = [s for s in arm if text_of(s) is None]
        names = {t.id for s in zeros if _zero(s) for t in s.targets}  # type: ignore[attr-defined]
        if zeros and all(map(_zero, zeros)) and not names & names_in(test) and (
                names <= _set_first(other)):
            return [*zeros, tied_like(stmt, ast.If(test, other, []))]
    return [stmt]


def _set_first(body: list[ast.stmt]) -> set[str]:
    """The names that statements set before they read them, in any case."""
    found: set[str] = set()
    read: set[str] = set()
    for stmt in body:
        if isinstance(stmt, ast.Assign):
            read |= {n.id for n in variables(stmt) if isinstance(n.ctx, ast.Load)}
            found |= stored_in(*stmt.targets) - read
        elif text_of(stmt) is None:
            read |= names_in(stmt)
    return found


def _zeros_first(body: list[ast.stmt]) -> None:
    """Puts zeros together that arrays of zeros, which a loop starts with as well, keep apart."""
    at = 0
    while at < len(body):
        end = at
        while end < len(body) and (_zero(body[end]) or _starts_as_zeros(body[end])):
            end += 1
        names = {t.id for s in body[at:end] if _zero(s) for t in s.targets}  # type: ignore[attr-defined]
        apart = len([kind for kind, _ in groupby(body[at:end], _zero) if kind]) > 1
        if apart and not any(names & names_in(s.value) for s in body[at:end]):  # type: ignore[attr-defined]
            body[at:end] = sorted(body[at:end], key=_zero, reverse=True)
        at = max(end, at + 1)


def _starts_as_zeros(stmt: ast.stmt) -> bool:
    """Does a statement of the backward part make an array of zeros?"""
    call = stmt.value if type(stmt) is ast.Assign else None
    return (isinstance(stmt, ast.Assign) and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute) and call.func.attr in ("zeros", "zeros_like")
            and isinstance(stmt.targets[0], ast.Name) and _is_backward(stmt))


def _all_zero(stmts: list[ast.stmt]) -> ast.stmt:
    targets = [t for stmt in stmts for t in stmt.targets]  # type: ignore[attr-defined]
    return tied_like(stmts[0], ast.Assign(targets, stmts[0].value))  # type: ignore[attr-defined]


def _uncounted(body: list[ast.stmt], motion: Motion) -> None:
    """Writes how often a loop runs where room for what it keeps is made, if that is told there only
    once or in no more than a word.  A function that the loop has become may be given it, too."""
    for at in range(len(body) - 1, -1, -1):
        node, stmt = node_of(body[at]), body[at]
        if node is None or node.op != "loop" or not isinstance(stmt, ast.Assign):
            continue
        count = target_of(stmt)
        if count is None or emptied(stmt) or motion.knows(count):
            continue
        reads = [n for other in body[at + 1:] if node_of(other) is node and not isinstance(
            other, ast.For) for n in variables(other) if n.id == count]
        if (len(reads) == 1 or isinstance(stmt.value, ast.Constant | ast.Name)) and not any(
                n.id == count for other in body[at + 1:] if node_of(other) is not node
                for n in variables(other)):
            put = Put(count, stmt.value)
            body[at:] = [put.visit(s) if node_of(s) is node and not isinstance(s, ast.For) else s
                         for s in body[at + 1:]]


def _elements(body: list[ast.stmt], at: int) -> int:
    """How many statements from number ``at`` on assign the elements of one array, each once, from
    the first on; 0 if these are not all of them."""
    base, names = None, set()
    for number in range(len(body) - at):
        stmt = body[at + number]
        node, target = node_of(stmt), target_of(stmt)
        if node is None or node.op != "read" or not isinstance(stmt, ast.Assign) or target is None:
            return 0
        read, shape = stmt.value, node.inputs[0].aval.shape
        if not isinstance(read, ast.Subscript) or not isinstance(read.value, ast.Name) or (
                not isinstance(read.slice, ast.Constant) or read.slice.value != number):
            return 0
        if base not in (None, read.value.id) or not shape or type(shape[0]) is not int:
            return 0
        base = read.value.id
        names.add(target)
        if base in names or len(names) <= number:
            return 0
        if number + 1 == shape[0]:
            return shape[0] if number else 0
    return 0


def _unpacked(reads: list[ast.stmt], before: list[ast.stmt],
              users: Mapping[Value, int]) -> ast.stmt:
    """One assignment to several names; what it unpacks is computed in it if nobody else reads
    that."""
    node, first = node_of(reads[0]), reads[0]
    assert node is not None and isinstance(first, ast.Assign)
    value = first.value.value  # type: ignore[attr-defined]
    made = before[-1] if before else None
    if made is not None and target_of(made) == value.id:
        source = node_of(made)
        if source is not None and source.outputs == node.inputs[:1] and (
                source.out.hint is None and users.get(source.out) == len(reads)):
            value = before.pop().value  # type: ignore[attr-defined]
    names = [stmt.targets[0] for stmt in reads]  # type: ignore[attr-defined]
    return tied_like(first, ast.Assign([ast.Tuple(names, ast.Store())], value))


def _iterated(loop: ast.stmt, before: list[ast.stmt], users: Mapping[Value, int]) -> None:
    """Puts a list of known numbers that only this loop goes through where it is gone through."""
    made = before[-1] if before and isinstance(loop, ast.For) else None
    node = None if made is None else node_of(made)
    if not isinstance(loop, ast.For) or not isinstance(made, ast.Assign) or node is None or (
            node.op != "list" or node.out.hint or users.get(node.out, 0) > 2):
        return
    name, value = made.targets[0], made.value
    call = loop.iter if isinstance(loop.iter, ast.Call) else None
    inner = call.args[0] if call is not None and call.args else loop.iter
    if isinstance(name, ast.Name) and isinstance(inner, ast.Name) and inner.id == name.id and (
            isinstance(value, ast.List)):
        numbers = ast.Tuple(value.elts, ast.Load())
        before.pop()
        if call is None:
            loop.iter = numbers
        else:
            call.args[0] = numbers


def _zero(stmt: ast.stmt) -> bool:
    """Does a statement of the backward part set a number to zero?"""
    return (type(stmt) is ast.Assign and type(stmt.value) is ast.Constant
            and type(stmt.value.value) is float and stmt.value.value == 0.0
            and all(isinstance(t, ast.Name) for t in stmt.targets)
            and ((node := node_of(stmt)) is None or is_adjoint(node)))


def _side_by_side(body: list[ast.stmt], at: int) -> int:
    """How many statements from number ``at`` on assign what a statement of the user's assigns to
    several names, the numbers or zeros that a loop starts with, room for what it keeps, or what it
    reads of that, none of them what another one reads."""
    told, names = None, set[str]()
    for number in range(len(body) - at):
        stmt = body[at + number]
        target = target_of(stmt)
        if not isinstance(stmt, ast.Assign) or target is None or target in names:
            return number
        key = _told_by(stmt)
        if key is None or told not in (None, key) or (number and names & names_in(stmt.value)) or (
                number and not is_short(_as_one(body[at:at + number + 1]))):
            return number
        told = key
        names.add(target)
    return len(body) - at


def _in_groups(body: list[ast.stmt]) -> None:
    """Puts room for like arrays side by side, where a loop makes it."""
    at = 0
    while at < len(body):
        node, end = node_of(body[at]), at
        if node is None or node.op != "loop":
            at += 1
            continue
        groups: dict[str, list[ast.stmt]] = {}
        while end < len(body) and node_of(body[end]) is node and (
                _room(body[end]) is not None or emptied(body[end])):
            room = _room(body[end])
            groups.setdefault("" if room is None else ast.dump(room), []).append(body[end])
            end += 1
        body[at:end] = [stmt for key in sorted(groups, key=bool) for stmt in groups[key]]
        at = max(end, at + 1)


def _told_by(stmt: ast.stmt) -> object:
    """What says that a statement is one with those beside it: a loop, or the user's line."""
    node, where = node_of(stmt), getattr(stmt, "where", None)
    if not isinstance(stmt, ast.Assign):
        return None
    part = isinstance(stmt.value, ast.Subscript)
    if node is not None and node.op == "loop":
        return node, type(stmt.value)
    if node is not None and is_adjoint(node) and node.op == "apply" and (
            node.params["fn"] in (np.zeros, np.zeros_like)):
        return np.zeros
    if node is None or node.origin is None or where is None or len(node.outputs) != 1:
        return None
    several = _naming_several(where.statement or where.text)
    return (where.filename, where.line, node.origin.callers) if (part and several) or (
        several is ast.Assign and not is_adjoint(node)) else None


@cache
def _naming_several(line: str) -> type[ast.stmt] | None:
    """The kind of statement if a line of the user's gives values to several names at once."""
    line = line.strip()
    if "," not in line:
        return None
    try:
        stmt = ast.parse(f"{line} pass" if line.endswith(":") else line).body[0]
    except SyntaxError:
        return None
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [
        stmt.target] if isinstance(stmt, ast.For) else []
    return type(stmt) if any(isinstance(n, ast.Tuple) for target in targets
                             for n in ast.walk(target)) else None


def _as_one(stmts: list[ast.stmt]) -> ast.stmt:
    names = [stmt.targets[0] for stmt in stmts]  # type: ignore[attr-defined]
    values = [stmt.value for stmt in stmts]  # type: ignore[attr-defined]
    if isinstance(values[0], ast.Constant) and len({ast.dump(v) for v in values}) == 1:
        return tied_like(stmts[0], ast.Assign(names, values[0]))
    shape = _whole_shape(stmts)
    if shape is not None:
        return tied_like(stmts[0], ast.Assign([ast.Tuple(names, ast.Store())], shape))
    return tied_like(stmts[0], ast.Assign([ast.Tuple(names, ast.Store())],
                                      ast.Tuple(values, ast.Load())))


def _whole_shape(stmts: list[ast.stmt]) -> ast.expr | None:
    """``x.shape`` where statements assign each of its sizes, in order."""
    found = None
    for number, stmt in enumerate(stmts):
        node, value = node_of(stmt), stmt.value  # type: ignore[attr-defined]
        if node is None or node.op != "dim" or node.params["axis"] != number or not isinstance(
                value, ast.Subscript) or len(node.inputs[0].aval.shape or ()) != len(stmts) or (
                found is not None and ast.dump(found) != ast.dump(value.value)):
            return None
        found = value.value
    return found


def _room(stmt: ast.stmt) -> ast.Call | None:
    """The call of ``s = np.empty(n)``: room for what a loop keeps."""
    node = node_of(stmt)
    if not isinstance(stmt, ast.Assign) or node is None or node.op != "loop" or (
            target_of(stmt) is None):
        return None
    call = stmt.value
    return call if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and (
        call.func.attr == "empty" and not call.keywords) else None


def _same_room(first: ast.stmt, second: ast.stmt) -> bool:
    a, b = _room(first), _room(second)
    return a is not None and b is not None and ast.dump(a) == ast.dump(b)


def _rooms(stmts: list[ast.stmt]) -> ast.stmt:
    """One array for what several of one shape would be."""
    call = _room(stmts[0])
    assert call is not None
    shape, *dtype = call.args
    sizes = shape.elts if isinstance(shape, ast.Tuple) else [shape]
    together = ast.Tuple([ast.Constant(len(stmts)), *sizes], ast.Load())
    names = [t for stmt in stmts for t in stmt.targets]  # type: ignore[attr-defined]
    return tied_like(stmts[0], ast.Assign([ast.Tuple(names, ast.Store())],
                                      ast.Call(call.func, [together, *dtype], [])))


def _is_kept(made: ast.stmt, store: ast.stmt) -> bool:
    """Does a statement only keep, at a place of an array, the variable that the one before it
    makes?"""
    if not isinstance(made, ast.Assign) or not isinstance(store, ast.Assign) or not isinstance(
            store.targets[0], ast.Subscript):
        return False
    node = node_of(made)
    if node is None or node_of(store) is not node:
        return False
    name = made.targets[0]
    if not isinstance(name, ast.Name) or not isinstance(store.value, ast.Name) or (
            store.value.id != name.id or name.id in names_in(*store.targets)):
        return False
    return is_short(ast.Assign([*made.targets, *store.targets], made.value))
