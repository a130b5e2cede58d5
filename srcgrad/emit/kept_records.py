"""What each iteration of a loop keeps, as one record.

A loop that keeps several values would fill a list for each of them, and the loop that goes back
would read each list.  Values that are at hand together are kept as one tuple instead::

    kept.append((n, h, t1))        # in place of three lists, and
    n, h, t1 = kept[i]             # of three look-ups
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.emit.gathered import appended
from srcgrad.emit.literals import call, name

Loop = ast.For | ast.While


@dataclass(eq=False)
class Member:
    """A list that is kept, the variable that is appended to it in ``writer``, the name under which
    ``reader`` reads it, and where."""

    made: str
    variable: str
    read_as: str
    reads: list[ast.Subscript]
    reader: Loop


class Records:
    """Rewrites the statements of one function; ``shown`` gives for the name of a list the variable
    that is kept in a record in its place."""

    def __init__(self, body: list[ast.stmt], lists: Container[str], taken: Container[str]) -> None:
        self.body, self.lists = [*map(unshared, body)], lists
        body = self.body
        self.shown: dict[str, str] = {}
        nodes = [n for stmt in body for n in ast.walk(stmt)]
        self.used = {n.id for n in nodes if isinstance(n, ast.Name)}
        self.taken = taken
        self.count()
        self.merge(body, body, {n: n for n in self.started(body)})

    def leaf(self, name: str) -> str:
        """What is kept in a record in the place of a list; else the list's own name."""
        while name in self.shown:
            name = self.shown[name]
        return name

    def count(self) -> None:
        found = [n for stmt in self.body for n in ast.walk(stmt) if isinstance(n, ast.Name)]
        self.loads = Counter(n.id for n in found if isinstance(n.ctx, ast.Load))
        self.stores = Counter(n.id for n in found if not isinstance(n.ctx, ast.Load))

    def started(self, body: Sequence[ast.stmt]) -> list[str]:
        """The lists that start empty here, and nowhere else."""
        return [n for n in map(_emptied, body)
                if n is not None and n in self.lists and self.stores[n] == 1]

    def merge(self, making: list[ast.stmt], reading: list[ast.stmt],
              lists: Mapping[str, str]) -> None:
        """Makes records of what the loops in ``making`` append to ``lists`` and those in
        ``reading`` read, under the names that ``lists`` gives."""
        for loop in [stmt for stmt in making if isinstance(stmt, Loop) and not stmt.orelse]:
            members = self.members(loop, reading, lists)
            if len(members) < 2:
                continue
            if making is self.body:
                self.later = _names(*making[making.index(loop) + 1:])
            for group in self.groups(loop, members):
                self.record(making, loop, group)

    def members(self, loop: Loop, reading: Sequence[ast.stmt],
                lists: Mapping[str, str]) -> dict[int, Member]:
        """For the places of appends in a loop's body what they keep, as far as every iteration
        comes there."""
        found: dict[int, Member] = {}
        for place, stmt in enumerate(loop.body):
            if _leaves(stmt):
                break
            made, item = appended(stmt) or ("", None)
            if made not in lists or not isinstance(item, ast.Name):
                continue
            reads = self.read(lists[made], reading)
            inside = lists[made] != made
            if reads is not None and self.loads[made] == 1 + (
                    1 if inside else len(reads[1])) and (
                    not inside or self.loads[lists[made]] == len(reads[1])):
                found[place] = Member(made, item.id, lists[made], reads[1], reads[0])
        return found

    def read(self, read_as: str,
             reading: Sequence[ast.stmt]) -> tuple[Loop, list[ast.Subscript]] | None:
        """The one loop that reads a list, always at the same place, and its reads."""
        loops = [s for s in reading if isinstance(s, Loop) and any(
            isinstance(part.value, ast.Name) and part.value.id == read_as
            for part in _subscripts(s))]
        if len(loops) != 1:
            return None
        found = [part for stmt in loops[0].body for part in _subscripts(stmt)
                 if isinstance(part.value, ast.Name) and part.value.id == read_as]
        keys = {ast.dump(part.slice) for part in found}
        if len(keys) != 1 or _names(found[0].slice) & _stored(*loops[0].body):
            return None
        return loops[0], found

    def groups(self, loop: Loop, members: dict[int, Member]) -> Iterator[list[Member]]:
        """Members that one statement can keep, which is put into the loop's body."""
        done: list[list[Member]] = []
        waiting: list[Member] = []
        body: list[ast.stmt] = []

        def keep() -> None:
            by: dict[tuple[Loop, str], list[Member]] = {}
            for m in waiting:
                by.setdefault((m.reader, ast.dump(m.reads[0].slice)), []).append(m)
            for group in by.values():
                body.append(_append(group[0].made, [m.variable for m in group]))
                if len(group) > 1:
                    done.append(group)
            waiting.clear()

        for place, stmt in enumerate(loop.body):
            if place in members:
                member = members[place]
                if any(m.variable == member.variable and m.reader is member.reader
                       for m in waiting):
                    keep()
                waiting.append(member)
                continue
            stored = _stored(stmt)
            for member in waiting:
                if member.variable in stored:
                    self.rename(member, body, stmt)
            if _leaves(stmt) or isinstance(stmt, ast.Try) or any(
                    m.variable in stored for m in waiting):
                keep()
            body.append(stmt)
        keep()
        loop.body[:] = body
        return iter(done)

    def rename(self, member: Member, body: list[ast.stmt], following: ast.stmt) -> None:
        """Gives a temporary that is about to be overwritten a name of its own, if it was assigned
        here."""
        old = member.variable
        if not re.fullmatch(r"t\d+", old) or _target(following) != old:
            return
        start = max((i for i, stmt in enumerate(body) if old in _stored(stmt)), default=-1)
        if start < 0 or _target(body[start]) != old:
            return
        member.variable = self.fresh("t", 1)
        assert isinstance(body[start], ast.Assign) and isinstance(following, ast.Assign)
        body[start].targets = [ast.Name(member.variable, ast.Store())]  # type: ignore[attr-defined]
        for part in (*body[start + 1:], following.value):
            _replace(part, old, member.variable)

    def record(self, making: list[ast.stmt], loop: Loop, group: list[Member]) -> None:
        """Keeps a group of members in one list."""
        kept = self.fresh("kept", 0)
        first, reader = group[0], group[0].reader
        inside = first.made != first.read_as
        for i, stmt in enumerate(making):
            if _emptied(stmt) == first.made:
                making[i] = ast.Assign([ast.Name(kept, ast.Store())], ast.List([], ast.Load()))
        dropped = {m.made for m in group[1:]}
        making[:] = [stmt for stmt in making if _emptied(stmt) not in dropped]
        for stmt in loop.body:
            if (appended(stmt) or ("",))[0] == first.made:
                _replace(stmt, first.made, kept)
        if inside:
            self.replace_in_outer(group, kept)
        names = [self.unpacked(m) for m in group]
        targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
        reader.body.insert(0, ast.Assign([ast.Tuple(targets, ast.Store())], ast.Subscript(
            name(kept), first.reads[0].slice, ast.Load())))
        self.shown.update((m.made, m.variable) for m in group)
        self.count()
        inner = dict(zip((m.variable for m in group), names, strict=True))
        started = [n for n in self.started(loop.body) if n in inner]
        self.merge(loop.body, reader.body, {n: inner[n] for n in started if n != inner[n]})

    def replace_in_outer(self, group: list[Member], kept: str) -> None:
        """In the record of the loop around, and where it is read, one list in place of several."""
        made, read_as = [m.made for m in group], [m.read_as for m in group]
        for stmt in self.body:
            for part in ast.walk(stmt):
                if not isinstance(part, ast.Tuple):
                    continue
                names = [e.id if isinstance(e, ast.Name) else "" for e in part.elts]
                old = read_as if isinstance(part.ctx, ast.Store) else made
                if old[0] in names:
                    part.elts[names.index(old[0])] = ast.Name(kept, part.ctx)
                    part.elts = [e for e in part.elts
                                 if not isinstance(e, ast.Name) or e.id not in old[1:]]

    def unpacked(self, member: Member) -> str:
        """The name of a member where it is read: that of the variable to which it is assigned at
        once, its own if that is free, or a new one."""
        head = _head(member.reader.body)
        for stmt in head:
            if stmt.value is member.reads[0] and len(member.reads) == 1:
                member.reader.body.remove(stmt)
                return _target(stmt) or ""
        found = member.variable
        if found in self.later or found in self.taken or member.made != member.read_as or (
                found in self.lists):
            found = self.fresh(*(("t", 1) if re.fullmatch(r"t\d+", found) else (f"{found}_", 2)))
        self.later.add(found)
        reader = _Read(member.reads, found)
        member.reader.body[:] = [reader.visit(stmt) for stmt in member.reader.body]
        return found

    def fresh(self, base: str, number: int) -> str:
        """A name that the function does not use."""
        found = base if number == 0 else f"{base}{number}"
        while found in self.used or found in self.taken:
            number = max(number + 1, 2)
            found = f"{base}{number}" if base == "t" or base.endswith("_") else f"{base}_{number}"
        self.used.add(found)
        return found


def _append(made: str, variables: Sequence[str]) -> ast.stmt:
    items: list[ast.expr] = [name(v) for v in variables]
    item = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())
    return ast.Expr(call(ast.Attribute(name(made), "append", ast.Load()), item))


def _emptied(stmt: ast.stmt) -> str | None:
    """``x`` of ``x = []``."""
    empty = isinstance(stmt, ast.Assign) and isinstance(stmt.value, ast.List) and (
        not stmt.value.elts)
    return _target(stmt) if empty else None


def _target(stmt: ast.stmt) -> str | None:
    """``x`` of ``x = ...``."""
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1:
        return None
    return stmt.targets[0].id if isinstance(stmt.targets[0], ast.Name) else None


def _head(body: Sequence[ast.stmt]) -> list[ast.Assign]:
    """The assignments at the beginning of a loop that read what was kept."""
    found: list[ast.Assign] = []
    for stmt in body:
        if not isinstance(stmt, ast.Assign):
            break
        if isinstance(stmt.value, ast.Subscript) and _target(stmt) is not None:
            found.append(stmt)
        elif not isinstance(stmt.targets[0], ast.Tuple):
            break
    return found


def _leaves(stmt: ast.stmt) -> bool:
    """May a statement leave the loop that it stands in?"""
    return any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in ast.walk(stmt))


def _names(*trees: ast.AST) -> set[str]:
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _stored(*trees: ast.AST) -> set[str]:
    return {n.id for tree in trees for n in ast.walk(tree)
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}


def _subscripts(tree: ast.AST) -> Iterator[ast.Subscript]:
    return (n for n in ast.walk(tree) if isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Load))


def _replace(tree: ast.AST, old: str, new: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new


class _Read(ast.NodeTransformer):
    """Puts a variable in the place of subscripts."""

    def __init__(self, parts: Sequence[ast.Subscript], found: str) -> None:
        self.parts, self.found = parts, found

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if any(node is part for part in self.parts):
            return name(self.found)
        self.generic_visit(node)
        return node


def unshared(tree: ast.stmt) -> ast.stmt:
    """A statement none of whose parts stands at two places."""
    return _copied(tree)  # type: ignore[no-any-return]


def _copied(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_copied(item) for item in tree]
    if not isinstance(tree, ast.AST):
        return tree
    new = copy.copy(tree)
    for key in tree._fields:
        if hasattr(tree, key):
            setattr(new, key, _copied(getattr(tree, key)))
    return new
