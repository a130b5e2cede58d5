"""What each iteration of a loop keeps, as one record.

A loop that keeps several values would fill a list for each of them, and the loop that goes back
would read each list.  Values that are at hand together are kept as one tuple instead::

    kept.append((n, h, t1))        # in place of three lists, and
    n, h, t1 = kept[i]             # of three look-ups

Each iteration of the loop that goes back reads the record, though a branch of it may need
nothing of it: what is kept in every iteration is there in each of those that are gone through
backward.  Lists of the user's, which may be shorter, are not rewritten.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Container, Mapping, Sequence

from srcgrad.emit.comments import tied_like
from srcgrad.emit.gathered import appended
from srcgrad.emit.literals import name
from srcgrad.emit.trees import (
    bodies,
    copied,
    emptied,
    names_in,
    renamed,
    statements,
    stored_in,
    target_of,
    variables,
)
from srcgrad.types.dataclasses import dataclass

Loop = ast.For | ast.While


@dataclass(eq=False)
class Read:
    """Where a list is read: a part of ``holder``."""

    part: ast.Subscript
    holder: ast.AST
    key: str
    index: int | None

    def put(self, new: ast.expr) -> None:
        if self.index is None:
            setattr(self.holder, self.key, new)
        else:
            getattr(self.holder, self.key)[self.index] = new


@dataclass(eq=False)
class Member:
    """A list that is kept, the variable that is appended to it in a loop, the name under which
    ``reader`` reads it, where, and at which place of the list."""

    made: str
    variable: str
    read_as: str
    reads: list[Read]
    reader: Loop
    at: str


Group = tuple[list[Member], ast.Call]  # and the call that appends the record
Around = tuple[ast.Tuple, ast.Tuple]  # the record of a loop around as it is made and unpacked


class Records:
    """Rewrites the statements of one function; ``numbers`` are names that only numbers have;
    ``shown`` gives for the name of a list the variable that is kept in a record in its place."""

    def __init__(self, body: list[ast.stmt], lists: Container[str], taken: Container[str],
                 numbers: Container[str] = ()) -> None:
        self.body, self.lists, self.taken, self.of_numbers = body, lists, taken, numbers
        self.shown: dict[str, str] = {}
        self.kept: set[str] = set()  # the lists of records
        self.pairs: list[tuple[ast.Call, ast.Tuple]] = []  # records as they are made and unpacked
        if sum(n is not None and n in lists for n in map(emptied, statements(body))) < 2:
            return
        self.body = body = [*map(copied, body)]
        self.loads: Counter[str] = Counter()
        self.stores: Counter[str] = Counter()
        self.numbers: dict[str, int] = {}
        self.last: dict[str, int] = {}  # the last statement of the body that has a name
        self.place = {id(stmt): place for place, stmt in enumerate(body)}
        for place, stmt in enumerate(body):
            for n in variables(stmt):
                (self.loads if isinstance(n.ctx, ast.Load) else self.stores)[n.id] += 1
                self.last[n.id] = place
        self.used = set(self.last)
        self.merge(body, body, {n: n for n in self.started(body)}, None)
        for inner in [inner for stmt in statements(body) for inner in bodies(stmt)]:
            self.place.update((id(stmt), place) for place, stmt in enumerate(inner))
            self.merge(inner, inner, {n: n for n in self.started(inner)}, None, nested=True)

    def leaf(self, name: str) -> str:
        """What is kept in a record in the place of a list; else the list's own name."""
        while name in self.shown:
            name = self.shown[name]
        return name

    def started(self, body: Sequence[ast.stmt]) -> list[str]:
        """The lists that start empty here, and nowhere else."""
        return [n for n in map(emptied, body)
                if n is not None and n in self.lists and self.stores[n] == 1]

    def merge(self, making: list[ast.stmt], reading: list[ast.stmt], lists: Mapping[str, str],
              around: Around | None, nested: bool = False) -> None:
        """Makes records of what the loops in ``making`` append to ``lists`` and those in
        ``reading`` read, under the names that ``lists`` gives; ``nested`` in a loop or branch."""
        if len(lists) < 2:
            return
        begun = {emptied(stmt): stmt for stmt in making}
        reads = _reads(reading, {*lists.values()})
        stored: dict[Loop, set[str]] = {}
        dropped: set[int] = set()
        for loop in [stmt for stmt in making if isinstance(stmt, Loop) and not stmt.orelse]:
            members = self.members(loop, reads, stored, lists, around is not None)
            if len(members) < 2:
                continue
            for group, append in self.groups(loop, members):
                kept = self.fresh("kept", 0)
                first = begun[group[0].made]
                assert isinstance(first, ast.Assign)
                first.targets = [ast.Name(kept, ast.Store())]
                dropped |= {id(begun[m.made]) for m in group[1:]}
                self.record(loop, group, append, kept, around, nested)
        making[:] = [stmt for stmt in making if id(stmt) not in dropped]

    def members(self, loop: Loop, reads: Mapping[str, Mapping[Loop, list[Read]]],
                stored: dict[Loop, set[str]], lists: Mapping[str, str],
                inside: bool) -> dict[int, Member]:
        """For the places of appends in a loop's body what they keep, as far as every iteration
        comes there."""
        found: dict[int, Member] = {}
        for place, stmt in enumerate(loop.body):
            if _leaves(stmt):
                break
            made, item = appended(stmt) or ("", None)
            if made not in lists or not isinstance(item, ast.Name):
                continue
            read_as = lists[made]
            by = reads.get(read_as, {})
            if len(by) != 1:
                continue
            (reader, parts), = by.items()
            at = {ast.dump(read.part.slice) for read in parts}
            if len(at) != 1 or not _is_simple(parts[0].part.slice):
                continue
            if inside:
                known = self.loads[made] == 2 and self.stores[read_as] == 1 and (
                    self.loads[read_as] == len(parts))
            else:
                known = self.loads[made] == 1 + len(parts) and (
                    self.place[id(reader)] > self.place[id(loop)])
            if reader not in stored:
                stored[reader] = stored_in(*reader.body)
            if known and not names_in(parts[0].part.slice) & stored[reader]:
                found[place] = Member(made, item.id, read_as, parts, reader, *at)
        return found

    def groups(self, loop: Loop, members: dict[int, Member]) -> list[Group]:
        """Members that one statement can keep, which is put into the loop's body."""
        done: list[Group] = []
        waiting: list[Member] = []
        body: list[ast.stmt] = []
        stores: list[set[str]] = []

        def keep() -> None:
            by: dict[tuple[Loop, str], list[Member]] = {}
            for m in waiting:
                by.setdefault((m.reader, m.at), []).append(m)
            for group in by.values():
                append = _append(group[0].made, [m.variable for m in group])
                body.append(ast.Expr(append))
                stores.append(set())
                if len(group) > 1:
                    done.append((group, append))
            waiting.clear()

        for place, stmt in enumerate(loop.body):
            if place in members:
                member = members[place]
                if any(m.variable == member.variable and m.reader is member.reader
                       for m in waiting):
                    keep()
                waiting.append(member)
                continue
            stored = stored_in(stmt)
            more = any(self.follows(m, members, loop.body, place) for m in waiting)
            for variable in {m.variable: None for m in waiting if m.variable in stored}:
                same = [m for m in waiting if m.variable == variable]
                if not self.rename(same, body, stores, stmt) and more:
                    self.alias(same, body, stores)
            if _leaves(stmt) or isinstance(stmt, ast.Try) or any(
                    m.variable in stored for m in waiting):
                keep()
            body.append(stmt)
            stores.append(stored)
        keep()
        loop.body[:] = body
        return done

    def follows(self, member: Member, members: Mapping[int, Member], body: Sequence[ast.stmt],
                place: int) -> bool:
        """Can one that is kept further on be in a record with a member?"""
        for at in range(place, len(body)):
            other = members.get(at)
            if other is not None and (other.reader, other.at) == (member.reader, member.at):
                return True
            if _leaves(body[at]) or isinstance(body[at], ast.Try):
                return False
        return False

    def alias(self, members: Sequence[Member], body: list[ast.stmt],
              stores: list[set[str]]) -> None:
        """Gives a number that is about to be overwritten a second name where it is assigned."""
        old = members[0].variable
        start = next((i for i in reversed(range(len(body))) if old in stores[i]), -1)
        stmt = body[start] if start >= 0 and old in self.of_numbers else None
        if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name):
            value: ast.expr = ast.BinOp(name(old), stmt.op, stmt.value)
        elif isinstance(stmt, ast.Assign) and target_of(stmt) == old:
            value = stmt.value
        else:
            return
        new = self.fresh(f"{old}_", 2)
        body[start] = tied_like(stmt, ast.Assign(
            [ast.Name(old, ast.Store()), ast.Name(new, ast.Store())], value))
        stores[start] = stores[start] | {new}
        for member in members:
            member.variable = new

    def rename(self, members: Sequence[Member], body: list[ast.stmt], stores: list[set[str]],
               following: ast.stmt) -> bool:
        """Gives a temporary that is about to be overwritten a name of its own, if it was assigned
        here."""
        old = members[0].variable
        if not re.fullmatch(r"t\d+", old) or target_of(following) != old:
            return False
        start = next((i for i in reversed(range(len(body))) if old in stores[i]), -1)
        if start < 0 or target_of(body[start]) != old:
            return False
        new = self.fresh("t", 1)
        for member in members:
            member.variable = new
        assert isinstance(body[start], ast.Assign) and isinstance(following, ast.Assign)
        body[start].targets = [ast.Name(new, ast.Store())]  # type: ignore[attr-defined]
        stores[start] = stores[start] - {old} | {new}
        for part in (*body[start + 1:], following.value):
            renamed(part, {old: new})
        return True

    def record(self, loop: Loop, group: list[Member], append: ast.Call, kept: str,
               around: Around | None, nested: bool) -> None:
        """Keeps a group of members in one list."""
        reader = group[0].reader
        assert isinstance(append.func, ast.Attribute) and isinstance(append.args[0], ast.Tuple)
        append.func.value = name(kept)
        if around is not None:
            for record, old in zip(around, ([m.made for m in group], [m.read_as for m in group])):
                record.elts = [
                    ast.Name(kept, record.ctx) if e.id == old[0] else e for e in record.elts
                    if isinstance(e, ast.Name) and e.id not in old[1:]]
        head = _head(reader.body)
        moved = {id(head.get(id(m.reads[0].part))) for m in group if len(m.reads) == 1}
        names = [self.unpacked(m, loop, head, nested or around is not None) for m in group]
        unpacked = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        read = ast.Assign([unpacked], ast.Subscript(
            name(kept), group[0].reads[0].part.slice, ast.Load()))
        reader.body[:] = [read, *(stmt for stmt in reader.body if id(stmt) not in moved)]
        self.shown.update((m.made, m.variable) for m in group)
        inner = dict(zip((m.variable for m in group), names, strict=True))
        started = [n for n in self.started(loop.body) if n in inner]
        self.merge(loop.body, reader.body, {n: inner[n] for n in started if n != inner[n]},
                   (append.args[0], unpacked))
        self.kept.add(kept)
        self.pairs.append((append, unpacked))
        if len(unpacked.elts) == 1:  # an inner loop keeps all of it in one list
            append.args[:], read.targets[:] = append.args[0].elts, unpacked.elts

    def unpacked(self, member: Member, loop: Loop, head: Mapping[int, ast.Assign],
                 inside: bool) -> str:
        """The name of a member where it is read: that of the variable to which it is assigned at
        once, its own if that is free, or a new one."""
        if len(member.reads) == 1 and id(member.reads[0].part) in head:
            return target_of(head[id(member.reads[0].part)]) or ""
        found = member.variable
        if inside or found in self.taken or found in self.lists or (
                self.last.get(found, -1) > self.place[id(loop)]):
            found = self.fresh(*(("t", 1) if re.fullmatch(r"t\d+", found) else (f"{found}_", 2)))
        else:
            self.last[found] = self.place[id(member.reader)]
        self.stores[found] += 1
        self.loads[found] += len(member.reads)
        for read in member.reads:
            read.put(name(found))
        return found

    def fresh(self, base: str, number: int) -> str:
        """A name that the function does not use."""
        found, first = base if number == 0 else f"{base}{number}", number
        number = self.numbers.get(base, number)
        while found in self.used or found in self.taken:
            number = max(number + 1, 2)
            found = f"{base}{number}" if base == "t" or base.endswith("_") else f"{base}_{number}"
        self.numbers[base] = max(number, first)
        self.used.add(found)
        return found


def _append(made: str, variables: Sequence[str]) -> ast.Call:
    items: list[ast.expr] = [name(v) for v in variables]
    item = items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())
    return ast.Call(ast.Attribute(name(made), "append", ast.Load()), [item], [])


def _head(body: Sequence[ast.stmt]) -> dict[int, ast.Assign]:
    """The assignments at the beginning of a loop that read what was kept, and that can stand before
    all others, by what they assign."""
    found: dict[int, ast.Assign] = {}
    before: set[str] = set()
    for stmt in body:
        target = target_of(stmt)
        if not isinstance(stmt, ast.Assign):
            break
        if isinstance(stmt.value, ast.Subscript) and target is not None:
            if target not in before:
                found[id(stmt.value)] = stmt
        elif not isinstance(stmt.targets[0], ast.Tuple):
            break
        before |= names_in(stmt)
    return found


def _leaves(stmt: ast.stmt) -> bool:
    """May a statement leave the loop that it stands in?"""
    if isinstance(stmt, Loop):
        return any(isinstance(s, ast.Return) for s in statements(stmt.body)) or any(
            map(_leaves, stmt.orelse))
    return isinstance(stmt, ast.Break | ast.Continue | ast.Return) or any(
        any(map(_leaves, body)) for body in bodies(stmt))


def _is_simple(tree: ast.expr) -> bool:
    """Nothing but names, numbers and arithmetic."""
    return all(isinstance(n, ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator
                          | ast.unaryop | ast.expr_context) for n in ast.walk(tree))


def _reads(body: Sequence[ast.stmt], lists: Container[str]) -> dict[str, dict[Loop, list[Read]]]:
    """Where the loops of a body read lists."""
    found: dict[str, dict[Loop, list[Read]]] = {}

    def visit(node: ast.AST, loop: Loop) -> None:
        for key, value in vars(node).items():
            many = type(value) is list
            for index, part in enumerate(value) if many else ((None, value),):
                if not isinstance(part, ast.AST):
                    continue
                if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load) and (
                        isinstance(part.value, ast.Name) and part.value.id in lists):
                    found.setdefault(part.value.id, {}).setdefault(loop, []).append(
                        Read(part, node, key, index))
                visit(part, loop)

    for stmt in body:
        if isinstance(stmt, Loop):
            for inner in stmt.body:
                visit(inner, stmt)
    return found
