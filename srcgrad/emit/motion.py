"""Statements of the backward part that a later one takes in, if that fits a line.

    d_a = x; ...; d_a += y           ->  ...; d_a = x + y
    d_p[1] -= x; ...; d_p[1] += y    ->  ...; d_p[1] += y - x
    d_s = x * y; ...; d_b += d_s / z ->  ...; d_b += x * y / z     (nothing else reads d_s)

What stands between them must not change what the first one reads, nor have to do with what it
changes.  The line of the user's that is left without a statement is quoted above the later one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from srcgrad.emit.comments import node_of, text_of, tied_like
from srcgrad.emit.fold import Folding
from srcgrad.emit.order import is_adjoint, is_mutable
from srcgrad.emit.trees import (
    Put,
    base_of,
    copied,
    names_in,
    parts,
    statements,
    stored_in,
    target_of,
    variables,
)
from srcgrad.emit.wrapping import WIDTH
from srcgrad.graph.freshness import makes_fresh
from srcgrad.graph.ir import WRITES, Node, Value
from srcgrad.types.kinds import SCALARS

LOOK_BACK = 24  # statements before the one that takes another in


class Motion:
    """Knows who reads a value, and which names may share memory."""

    def __init__(self, names: Mapping[Value, str], folding: Folding,
                 uses: Mapping[Value, Sequence[int]]) -> None:
        self._folding, self._uses = folding, uses
        self._memory: dict[str, set[object]] = {}
        self._depth = 1
        self._mentioned: dict[ast.stmt, set[str]] = {}
        self._touched: dict[ast.stmt, set[object]] = {}  # the memory of these names
        self._given: dict[ast.stmt, tuple[str, ast.expr] | None] = {}  # what _gives says
        # what mentions a name that the backward part gives to something, last first
        self._later: dict[str, list[ast.stmt]] = {}
        self._ours: dict[ast.stmt, bool] = {}  # is it a statement of the backward part?
        self._once: set[str] = set()  # names that statements so far give to one other
        # functions that may change what they are handed
        self._changing = {n.params["callee"] for n in folding.producer.values()
                          if n.op == "call" and any(n.params.get("given_up", ()))}
        for value, name in names.items():
            memory = self._memory.setdefault(name, set())
            if is_mutable(value.aval):
                memory.add(folding.families.family.get(value))

    def knows(self, name: str) -> bool:
        """Is this the name of a value, not of a counter beside a loop?"""
        return name in self._memory

    def block(self, body: list[ast.stmt], depth: int) -> list[ast.stmt]:
        """The statements of a block, so deep in the function, with those put together that may
        be."""
        self._depth = depth
        while True:
            found: list[ast.stmt] = []
            self._once = set()
            given = {target for stmt in body if self._is_ours(stmt)
                     and (target := _set_by(stmt)) is not None}
            later = self._later = {name: [] for name in given}
            for stmt in reversed(body):
                for name in given & self._names(stmt):
                    later[name].append(stmt)
            for stmt in body:
                for name in given & self._names(stmt):
                    later[name].pop()
                made = self._with_earlier(found, stmt)
                if made is not None:
                    found.append(self._noted(made))
            while found and _quotes(found[-1]):
                found.pop()
            if len(found) == len(body):
                return found
            body = found

    def _with_earlier(self, before: list[ast.stmt], stmt: ast.stmt) -> ast.stmt | None:
        """A statement with what it takes in of those before it."""
        if isinstance(stmt, ast.Return):
            return self._returned(before, stmt)
        if self._is_ours(stmt):
            return self._added(before, self._filled(before, stmt))
        return stmt

    def _is_ours(self, stmt: ast.stmt) -> bool:
        """Is it an assignment of the backward part?"""
        if stmt not in self._ours:
            node = node_of(stmt) if type(stmt) in (ast.Assign, ast.AugAssign) else None
            self._ours[stmt] = type(stmt) in (ast.Assign, ast.AugAssign) and (
                node is None or is_adjoint(node))
        return self._ours[stmt]

    # ---- what only one statement reads -------------------------------------------------------

    def _filled(self, before: list[ast.stmt], stmt: ast.stmt) -> ast.stmt:
        """A statement with the expressions of names that it alone reads."""
        if self._once.isdisjoint(self._names(stmt)):
            return stmt
        for place in range(len(before) - 1, max(len(before) - LOOK_BACK, 0) - 1, -1):
            if place >= len(before):
                continue
            found = self._once_read(before[place])
            if found is None or found[0] not in self._names(stmt) or (
                    not self._passes(before, place)) or self._is_read(
                    found[0], before[place + 1:]):
                continue
            filled = _with(stmt, *found)
            if filled is not None and is_short(filled, self._depth):
                stmt = filled
                _take(before, place)
        return stmt

    def _returned(self, before: list[ast.stmt], stmt: ast.Return) -> ast.stmt:
        """What is returned, with the gradient that the statement before makes of numbers."""
        parts = stmt.value.elts if isinstance(stmt.value, ast.Tuple) else [stmt.value]
        found = self._once_read(before[-1]) if before else None
        if found is not None and any(isinstance(p, ast.Name) and p.id == found[0] for p in parts):
            filled = _with(stmt, *found)
            if filled is not None and is_short(filled, self._depth):
                return tied_like(before.pop(), filled)
        return stmt

    def _noted(self, stmt: ast.stmt) -> ast.stmt:
        """A statement that later ones may take in."""
        found = self._once_read(stmt)
        if found is not None:
            self._once.add(found[0])
        return stmt

    def _once_read(self, stmt: ast.stmt) -> tuple[str, ast.expr] | None:
        if stmt not in self._given:
            self._given[stmt] = self._gives(stmt)
        return self._given[stmt]

    def _gives(self, stmt: ast.stmt) -> tuple[str, ast.expr] | None:
        """The name and the expression that a statement of the backward part gives to one other."""
        node = node_of(stmt)
        name = target_of(stmt)
        if not isinstance(stmt, ast.Assign) or node is None or not is_adjoint(node) or (
                name is None or len(node.outputs) != 1 or node.blocks):
            return None
        if self._folding.users.get(node.out) != 1 or len(self._uses.get(node.out, ())) != 1:
            return None
        by = self._folding.consumer[node.out]
        if isinstance(by, Node) and (by.params.get("handle") or (
                by.op in WRITES and by.inputs[0] is node.out and is_mutable(node.out.aval))):
            return None  # it is changed under its name
        plain = isinstance(
            stmt.value, ast.BinOp | ast.UnaryOp | ast.Call | ast.Subscript | ast.Attribute)
        return (name, stmt.value) if plain and not self._has_effects(stmt.value) else None

    def _has_effects(self, value: ast.expr) -> bool:
        """Does an expression change anything?"""
        return any(any(k.arg == "out" for k in call.keywords) or (
            isinstance(call.func, ast.Attribute) and call.func.attr in ("pop", "at")) or (
            isinstance(call.func, ast.Name) and call.func.id in self._changing)
            for call in parts(ast.Call, value))

    def _is_read(self, name: str, between: Sequence[ast.stmt]) -> bool:
        """Does a statement in between or a later one read what has the name now, such as its
        size?"""
        later = self._later.get(name, [])[-1:]
        return any(name in self._names(s) for s in between) or any(
            not _sets(s, name) for s in later)

    # ---- what is added to one place ----------------------------------------------------------

    def _added(self, before: list[ast.stmt], stmt: ast.stmt) -> ast.stmt | None:
        """The statement, with what an earlier one put into the number, or the array, that it adds
        to; None if both met on the way."""
        if not isinstance(stmt, ast.AugAssign) or not isinstance(stmt.op, ast.Add | ast.Sub):
            return stmt
        base = base_of(stmt.target)
        if base is None or base in names_in(stmt.value):
            return stmt
        for place in range(len(before) - 1, max(len(before) - LOOK_BACK, 0) - 1, -1):
            earlier = before[place]
            total = _total(earlier, stmt, self._depth) if base in self._names(earlier) else None
            if total is not None:
                between = before[place + 1:]
                if isinstance(earlier, ast.Assign) and any(base in self._names(s) for s in between):
                    break  # what they add to other parts may be added to this one, too
                reach = self._reach(earlier, between, base)
                if reach == len(between):
                    _take(before, place)
                    return total
                if self._reach(stmt, between[reach:], base) == len(between) - reach:
                    before.insert(place + 1 + reach, self._noted(total))
                    _take(before, place)
                    return None
                break
            if text_of(earlier) is None and not self._leaves(earlier, base, stmt.target):
                break
        return stmt

    def _names(self, stmt: ast.stmt) -> set[str]:
        found = self._mentioned.get(stmt)
        if found is None:
            found = self._mentioned[stmt] = names_in(stmt)
        return found

    def _behind(self, names: Iterable[str]) -> set[object]:
        """The memory that names may have."""
        return set().union(*[self._memory.get(n, ()) for n in names])

    def _memory_of(self, stmt: ast.stmt) -> set[object]:
        """The memory that the names in a statement may have."""
        if stmt not in self._touched:
            self._touched[stmt] = self._behind(self._names(stmt))
        return self._touched[stmt]

    def _leaves(self, stmt: ast.stmt, base: str, target: ast.expr) -> bool:
        """Does a statement neither read nor set an array or number, but for adding to parts?"""
        if not isinstance(stmt, ast.Assign | ast.AugAssign):
            return False
        mine = self._memory.get(base, set())
        if base not in self._names(stmt):
            return not _meet(mine, self._memory_of(stmt))
        if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Subscript) and (
                isinstance(target, ast.Subscript) and isinstance(stmt.op, ast.Add | ast.Sub)
                and base_of(stmt.target) == base):
            read = names_in(stmt.value, stmt.target.slice)
            return base not in read and not _meet(mine, self._behind(read))
        return False

    # ---- what may be done later --------------------------------------------------------------

    def _passes(self, before: Sequence[ast.stmt], place: int) -> bool:
        """May a statement be the last one instead?"""
        return self._reach(before[place], before[place + 1:]) == len(before) - place - 1

    def _reach(self, moved: ast.stmt, others: Sequence[ast.stmt], adds_to: str = "") -> int:
        """How many of the statements, from the first one on, change nothing that a statement
        reads; ``adds_to``: none of them reads that."""
        read = self._names(moved) - {adds_to}
        memory = self._behind(read)
        value = getattr(moved, "value", None)
        taken = read if value is not None and self._has_effects(value) else set()  # ``items.pop()``
        return next((i for i, other in enumerate(others) if names_in(other) & taken or not all(
            self._keeps(stmt, read, memory) for stmt in statements([other]))), len(others))

    def _keeps(self, stmt: ast.stmt, read: set[str], memory: set[object]) -> bool:
        """Does a statement change none of the names and none of the memory?"""
        if isinstance(stmt, ast.For):
            return not names_in(stmt.target) & read
        if isinstance(stmt, ast.If) or text_of(stmt) is not None:
            return True
        if not isinstance(stmt, ast.Assign | ast.AugAssign) or self._has_effects(stmt.value):
            return False
        node = node_of(stmt)
        for target in stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]:
            if not read.isdisjoint(stored_in(target)):
                return False
            if isinstance(target, ast.Name) and (isinstance(stmt, ast.Assign) or (
                    node is not None and node.out.aval.kind in SCALARS)):
                continue
            if _meet(memory, self._memory.get(base_of(target) or "", {None})):
                return False
        return True


def _set_by(stmt: ast.stmt) -> str | None:
    """The name that a statement sets or adds to."""
    target = stmt.target if type(stmt) is ast.AugAssign else None
    return target.id if type(target) is ast.Name else target_of(stmt)


def _meet(one: set[object], other: set[object]) -> bool:
    """May two names share memory?  None is memory of which nothing is known."""
    return bool(one and other) and (None in one or None in other or not one.isdisjoint(other))


def _take(before: list[ast.stmt], place: int) -> None:
    """Takes a statement out; a comment that nothing is left of goes above the last statements."""
    del before[place]
    said = before[place - 1] if place else None
    if said is None or not _quotes(said) or not any(map(_quotes, before[place:place + 1])):
        return
    del before[place - 1]
    last = next(i for i in reversed(range(len(before))) if _quotes(before[i]))
    while last and _quotes(before[last - 1]):
        last -= 1
    if all(text_of(s) != text_of(said) for s in before[last:]):
        before.insert(last, said)


def _sets(stmt: ast.stmt, name: str) -> bool:
    """Does a statement give a name to something else, without reading it?"""
    return isinstance(stmt, ast.Assign) and name not in names_in(stmt.value) and any(
        isinstance(t, ast.Name) and t.id == name for t in stmt.targets)


def _quotes(stmt: ast.stmt) -> bool:
    """Is it a comment with a line of the user's?"""
    return not (text_of(stmt) or "---").startswith("---")


def _with(stmt: ast.stmt, name: str, value: ast.expr) -> ast.stmt | None:
    """A statement with an expression in the place of a name that it reads once."""
    found = [n for n in variables(stmt) if n.id == name]
    if len(found) != 1 or not isinstance(found[0].ctx, ast.Load):
        return None
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [
        stmt.target] if isinstance(stmt, ast.AugAssign) else []
    if any(base_of(t) == name for t in targets) or any(
            name in names_in(n) for n in parts(_REPEATED, stmt)):
        return None
    return tied_like(stmt, Put(name, value).visit(copied(stmt)))


_REPEATED = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def _total(first: ast.stmt, second: ast.AugAssign, depth: int) -> ast.stmt | None:
    """One statement for a number or an array of the backward part and what is added to it next."""
    node = node_of(second)
    if node is None or len(node.outputs) != 1 or node.out.aval.dtype is None or (
            node.out.aval.dtype.kind == "c"):
        return None  # Python's complex and NumPy's float make one or the other, by their order
    if not _same_target(first, second.target) or (
            isinstance(second.target, ast.Subscript)
            and base_of(second.target) in names_in(first.value)):  # type: ignore[attr-defined]
        return None
    added = node.inputs[1] if node.params.get("steps") else node.out
    if added.aval.kind not in SCALARS and not _takes(first, second):
        return None
    if isinstance(first, ast.Assign) and not isinstance(
            first.value, ast.IfExp | ast.Compare | ast.BoolOp):
        total: ast.expr = ast.BinOp(first.value, second.op, second.value)
        if isinstance(first.value, ast.Constant) and first.value.value == 0 and isinstance(
                second.op, ast.Add):
            total = second.value
        elif isinstance(first.value, ast.UnaryOp) and isinstance(first.value.op, ast.USub) and (
                isinstance(second.op, ast.Add)):
            total = ast.BinOp(second.value, ast.Sub(), first.value.operand)
        made: ast.stmt = ast.Assign(first.targets, total)
    elif isinstance(first, ast.AugAssign):
        made = _both_added(first, second)
    else:
        return None
    return tied_like(second, made) if is_short(made, depth) else None


def _same_target(first: ast.stmt, target: ast.expr) -> bool:
    """Does a statement of the backward part set, or add to, just that?"""
    node = node_of(first)
    if isinstance(first, ast.Assign):
        own = first.targets[0] if len(first.targets) == 1 else None
    elif isinstance(first, ast.AugAssign) and isinstance(first.op, ast.Add | ast.Sub):
        own = first.target
    else:
        return False
    return own is not None and node is not None and is_adjoint(node) and (
        type(own) is type(target) and base_of(own) == base_of(target)
        and (type(own) is ast.Name or ast.dump(own) == ast.dump(target)))


def _both_added(first: ast.AugAssign, second: ast.AugAssign) -> ast.AugAssign:
    """``x += a; x -= b`` as ``x += a - b``, ``x -= a; x += b`` as ``x += b - a``."""
    same = isinstance(first.op, type(second.op))
    if same or isinstance(first.op, ast.Add):
        value, other = first.value, second.value
    else:
        value, other = second.value, first.value
    return ast.AugAssign(first.target, first.op if same else ast.Add(),
                         ast.BinOp(value, ast.Add() if same else ast.Sub(), other))


def _takes(first: ast.stmt, second: ast.AugAssign) -> bool:
    """Does an array that is added to take no more time as one sum?  What is made for the first
    statement, or for one of two additions, holds it (NumPy uses what nothing else refers to)."""
    node, following = node_of(first), node_of(second)
    if isinstance(first, ast.AugAssign):
        return any(isinstance(stmt.value, ast.BinOp | ast.Call) for stmt in (first, second))
    return (isinstance(first, ast.Assign) and node is not None and following is not None
            and node.op == "apply" and makes_fresh(node.params["fn"], node.params["kwargs"])
            and len(node.outputs) == 1 and node.out.aval.is_array
            and node.out.aval == following.out.aval and bool(node.out.aval.shape))


def is_short(stmt: ast.stmt, depth: int = 3) -> bool:
    """Does a statement fit a line, so deep in the function?"""
    stmt.lineno = 1  # where comments on types are looked for
    return len(ast.unparse(stmt)) + 4 * depth <= WIDTH
