"""Arrays at a join: which of two arrays a name stands for after a branch.

An array from before the branch is known after it as itself.  One made in an arm becomes an
output of the branch, once for all names and views that lead to it (*export*).  The array behind
a joined name is then one of two known arrays, and a write through it is made on the one it is.
"""

from __future__ import annotations

from typing import Any

from ...graph.ir import Steps, Value
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass
from ...types.kinds import Aval, Kind
from ..heap.elements import Held, place_in_pool
from ..record.homes import (
    MOST_MEMBERS,
    RAISE,
    breadth,
    inherit_stored,
    is_active,
    is_pooled,
    link_possible,
    reach,
)
from ..record.journal import Version
from ..record.tracers import ArrayTracer, Home
from .shapes import Leaf


@dataclass(slots=True)
class Side:
    """An array of one arm as it is known after the join: the handle itself, or the way to it
    from a home (or from the output with a number), or its ``place`` in a pool.  ``dyn`` holds
    values, or such numbers."""

    aval: Aval
    known: ArrayTracer | None = None
    home: Home | int | None = None
    steps: Steps = ()
    dyn: tuple[Value | int, ...] = ()
    choice: tuple[Value | int, Any, Any, Aval] | None = None
    place: tuple[Held, Any] | None = None
    breadth: int = 1


@dataclass(slots=True)
class Joined:
    """One output of the branch: its leaf, and the part of the state that each arm has there.
    ``sides`` tell where the arms' arrays are found; ``home`` is the home that it exports;
    ``stale`` tells that the content is not known in an arm, ``fresh`` that the joined array is
    one of its own."""

    leaf: Leaf
    parts: tuple[Any, Any]
    sides: tuple[Any, Any] | None = None
    home: Home | None = None
    stale: bool = False
    fresh: bool = False
    inner: bool = False

    @property
    def is_array(self) -> bool:
        """Does an arm have an array there, and the other one an array or nothing?"""
        return self.leaf.version_of is None and self.leaf.aval.kind is Kind.ARRAY and (
            any(type(p) is ArrayTracer for p in self.parts)) and all(
            p is None or p is UNBOUND or (
                type(p) is ArrayTracer and p.aval.kind is Kind.ARRAY) for p in self.parts)


@dataclass(slots=True)
class Placeholder:
    """Stands in one arm for what only the other arm has; ``like`` is the array that the joined
    name is in that arm."""

    like: Any


class Members:
    """The arrays of one merge."""

    def __init__(self, machine: Any, predicate: Value, rows: list[Joined], arms: Any) -> None:
        self.machine = machine
        self.predicate = predicate
        self.rows = rows
        self.arms = arms
        self.numbers: dict[Any, int] = {}
        self.exported: dict[int, ArrayTracer] = {}
        self.handles: list[tuple[ArrayTracer, Value]] = []
        self.choices: list[Home] = []
        self.loose: list[Home] = []
        self.outputs: tuple[Value, ...] = ()
        self._made: list[set[Value] | None] = [None, None]

    # ---- before the node is made -------------------------------------------------------------
    def plan(self, known: set[int], replaceable: set[int]) -> None:
        """Find for each joined array what it is one of; adds rows for what must be exported.
        ``known`` are ids of homes that the program can reach otherwise, ``replaceable`` numbers
        of rows whose old arrays nothing else holds."""
        arrays = [(n, row) for n, row in enumerate(self.rows) if row.is_array]
        self._replace(arrays, known, replaceable)
        for number, row in arrays:
            if row.fresh:
                continue
            count = len(self.rows)
            if any(p is UNBOUND for p in row.parts) and self._exports_itself(number, row):
                continue
            sides = tuple(
                self._side(p, i, row.parts[1 - i]) if type(p) is ArrayTracer else p
                for i, p in enumerate(row.parts))
            if sum(s.breadth for s in sides if type(s) is Side) <= MOST_MEMBERS:
                row.sides = (sides[0], sides[1])
            else:
                del self.rows[count:]
                self.numbers = {k: n for k, n in self.numbers.items() if n < count}

    def _replace(self, arrays: list[tuple[int, Joined]], known: set[int],
                 replaceable: set[int]) -> None:
        """A joined array is an array of its own if in both arms this name is the only one of
        the array there."""
        uses: tuple[dict[int, set[int]], dict[int, set[int]]] = ({}, {})
        for number, row in arrays:
            for used, part in zip(uses, row.parts, strict=True):
                if type(part) is ArrayTracer:
                    for home in reach(part.home):
                        used.setdefault(id(home), set()).add(number)
        for number, row in arrays:
            row.fresh = all(type(p) is ArrayTracer for p in row.parts) and all(
                self._sole(part, number, used, known, number in replaceable)
                for used, part in zip(uses, row.parts, strict=True))

    @staticmethod
    def _sole(part: ArrayTracer, number: int, used: dict[int, set[int]], known: set[int],
              replaceable: bool) -> bool:
        return not part.steps and all(
            used[id(h)] == {number} and not h.outside and not is_pooled(h)
            and id(h) not in known and (replaceable or not is_active(h))
            for h in reach(part.home))

    def _exports_itself(self, number: int, row: Joined) -> bool:
        """An array made in the only arm that binds the name: the output is that array."""
        arm = 0 if row.parts[1] is UNBOUND else 1
        part = row.parts[arm]
        key = ("home", id(part.home))
        if part.steps or is_active(part.home) or part.home.choice is not None or (
                key in self.numbers):
            return False
        self.numbers[key] = number
        row.home = part.home
        if self.arms[1 - arm].jump != RAISE and row.inner:
            row.parts = (part, Placeholder(None)) if arm == 0 else (Placeholder(None), part)
            row.leaf.aval = self.machine.joined_values.placeheld(row.leaf.aval, None)
        return True

    def _side(self, part: ArrayTracer, arm: int, other: Any) -> Side:
        home = part.home
        if is_active(home) and part.first is not None and not self._is_inner(part.first, arm):
            return Side(part.aval, known=part, breadth=breadth(home))
        dyn = tuple(self._outer(v, arm) for v in part.dyn)
        if is_active(home):
            return Side(part.aval, None, home, part.steps, dyn, breadth=breadth(home))
        lies = place_in_pool(home)
        if lies is not None and id(lies.held.column) not in self.arms[arm].born:
            index = self._outer(self.machine.recorder.as_value(lies.index), arm)
            return Side(home.current.aval, None, None, part.steps, dyn, None, (lies.held, index))
        if home.choice is None:
            return Side(part.aval, None, self._export(home, arm, other), part.steps, dyn)
        predicate, *inner = home.choice
        sides = [self._side(m, arm, other) if type(m) is ArrayTracer else m for m in inner]
        choice = (self._outer(predicate, arm), sides[0], sides[1], home.current.aval)
        return Side(part.aval, None, None, part.steps, dyn, choice, breadth=breadth(home))

    def _is_inner(self, value: Value, arm: int) -> bool:
        """Was a value made in an arm?"""
        made = self._made[arm]
        if made is None:
            made = self._made[arm] = {v for n in self.arms[arm].region.builder.nodes
                                      for v in n.outputs}
        return value in made

    def _outer(self, value: Value, arm: int) -> Value | int:
        """A value, or the number of the output that makes it known after the branch."""
        if not self._is_inner(value, arm):
            return value
        return self._row(("value", value), value, arm, None, None)

    def _export(self, home: Home, arm: int, other: Any) -> int:
        return self._row(("home", id(home)), home.current, arm, home, other)

    def _row(self, key: Any, value: Value, arm: int, home: Home | None, other: Any) -> int:
        if key not in self.numbers:
            self.numbers[key] = len(self.rows)
            blank = Placeholder(other)
            aval = self.machine.joined_values.placeheld(value.aval, other)
            leaf = Leaf(aval, label=home.label if home is not None else None)
            parts = (value, blank) if arm == 0 else (blank, value)
            self.rows.append(Joined(leaf, parts, None, home))
        return self.numbers[key]

    # ---- afterwards --------------------------------------------------------------------------
    def export(self, outputs: tuple[Value, ...]) -> None:
        """Make the arrays that were made in an arm known."""
        self.outputs = outputs
        new: dict[int, Home] = {}
        for number, row in enumerate(self.rows):
            if row.home is None:
                continue
            tracer = self.machine.recorder.wrap(outputs[number], row.leaf.label or "array")
            old, home = row.home, tracer.home
            home.stored, home.lost, home.contiguous = old.stored, old.lost, old.contiguous
            home.made_from, home.written, home.held = old.made_from, old.written, old.held
            home.loops = old.loops
            self.exported[number] = tracer
            new[id(old)] = home
        groups: dict[int, object] = {}
        for row in self.rows:
            if row.home is not None:
                arm = self.arms[1 if row.parts[0] is UNBOUND or (
                    type(row.parts[0]) is Placeholder) else 0]
                self._inherit(row.home, arm, new, groups)

    def _inherit(self, old: Home, arm: Any, new: dict[int, Home],
                 groups: dict[int, object]) -> None:
        """What the home of an arm may be one with, its exported form may be one with."""
        home = new[id(old)]
        if old.group is not None:
            home.group = groups.setdefault(id(old.group), object())
        for other, version in old.aliases:
            target = new.get(id(other)) or (other if is_active(other) else None)
            written = _end_of(other, arm) is not version
            if target is not None:
                home.aliases.append((target, target.current))
            if written and home.lost is None:
                home.lost = (f"{other.label!r}, which may or may not be the same array, was "
                             "written to")

    def array(self, number: int, value: Value) -> ArrayTracer:
        """The joined array of a row."""
        machine, row = self.machine, self.rows[number]
        if row.sides is None:
            value.obj = None
            fresh: ArrayTracer = machine.recorder.wrap(value, row.leaf.label or "array")
            inherit_stored(fresh.home, row.parts)
            self._inherit_order(fresh, row.parts)
            return fresh
        sides = [self._handle(s) if type(s) is Side else s for s in row.sides]
        found = [s for s in sides if type(s) is ArrayTracer]
        one = found[0]
        ends = any(arm.jump == RAISE for arm in self.arms)
        alone = row.inner and any(s is UNBOUND for s in sides)
        if sides[0] is sides[1] or alone or (ends and one.first is not None):
            return one
        value.obj = machine.recorder.new_obj(value)
        if one.steps and all(s is UNBOUND or _alike(s, one) for s in sides):
            handle = ArrayTracer(machine, row.leaf.aval, one.home, one.steps, one.dyn, value.obj,
                                 value, machine.recorder.region)
            self.handles.append((handle, value))
            return handle
        result: ArrayTracer = machine.recorder.wrap(value, row.leaf.label or "array")
        result.home.choice = (self.predicate, sides[0], sides[1])
        self._inherit_order(result, tuple(sides))
        if not row.stale:
            self.choices.append(result.home)
        return result

    def _inherit_order(self, joined: ArrayTracer, parts: tuple[Any, ...]) -> None:
        """A joined array lies in C order if both arrays that it may be do."""
        if all(type(p) is ArrayTracer and not p.steps and p.home.contiguous for p in parts):
            joined.home.contiguous = True

    def _handle(self, side: Side) -> ArrayTracer:
        machine = self.machine
        if side.known is not None:
            return side.known
        dyn = tuple(self.outputs[v] if isinstance(v, int) else v for v in side.dyn)
        if isinstance(side.home, int):
            if not side.steps:
                return self.exported[side.home]
            home = self.exported[side.home].home
        elif side.home is not None:
            home = side.home
        elif side.place is not None:
            held, index = side.place
            home = machine.elements.at(held, machine.recorder.wrap(
                self.outputs[index] if isinstance(index, int) else index), side.aval).home
        else:
            home = self._choice(side)
        if not side.steps:
            return ArrayTracer(machine, side.aval, home, (), (), home.obj, home.current,
                               machine.recorder.region)
        return ArrayTracer(machine, side.aval, home, side.steps, dyn, machine.recorder.new_obj(),
                           None,
                           machine.recorder.region)

    def _choice(self, side: Side) -> Home:
        """A home that is one of two, known after the branch that made it so."""
        assert side.choice is not None
        predicate, first, second, aval = side.choice
        # replaced when it is first read
        (value,) = self.machine.recorder.emit("undef", (), (aval,))
        home: Home = self.machine.recorder.wrap(value).home
        test = self.outputs[predicate] if isinstance(predicate, int) else predicate
        sides = [self._handle(s) if type(s) is Side else s for s in (first, second)]
        home.choice = (test, sides[0], sides[1])
        return home

    def link(self, made: list[Any]) -> None:
        """Joined arrays that are not followed exactly may be one with each other if they are
        on one path."""
        sides: tuple[list[tuple[Home, Home]], ...] = ([], [])
        loose = [n for n, row in enumerate(self.rows)
                 if row.sides is None and row.home is None and not row.fresh
                 and type(made[n]) is ArrayTracer]
        if not loose:
            return
        for number, row in enumerate(self.rows):
            if row.sides is not None or type(made[number]) is not ArrayTracer:
                continue
            for pairs, part in zip(sides, row.parts, strict=True):
                if type(part) is ArrayTracer:
                    pairs.append((made[number].home, part.home))
                elif row.home is not None and isinstance(part, Value):
                    pairs.append((made[number].home, row.home))
        link_possible(sides)
        self.loose = [made[n].home for n in loose]

    def settle(self) -> None:
        """Contents and aliases count from the versions that hold after the join."""
        machine = self.machine
        for handle, value in self.handles:
            handle.seen = (handle.home.current, value, machine.recorder.region)
        homes = [t.home for t in self.exported.values()] + self.loose
        for home in homes:
            home.aliases = [(h, h.current) for h, _ in home.aliases]
        for home in self.choices:
            machine.choices.choice_seen[home.current] = machine.choices.contents_of(home)


def _end_of(home: Home, arm: Any) -> Any:
    """The version a home had at the end of an arm."""
    change = arm.changes.get(Version(home).key)
    return home.current if change is None else change.after


def _alike(a: Any, b: ArrayTracer) -> bool:
    """Are two handles the same view of one home?"""
    return type(a) is ArrayTracer and a.home is b.home and a.steps == b.steps and (
        len(a.dyn) == len(b.dyn)) and all(x is y for x, y in zip(a.dyn, b.dyn, strict=True))
