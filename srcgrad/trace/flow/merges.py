"""Merging two arms: the ``if`` node, and what every slot holds after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import AliasError, TracingError
from ...graph.ir import Value
from ...stage.machine import BREAK, CONTINUE, NORMAL, RESULT, RETURN, UNBOUND
from ...types.dataclasses import dataclass, field
from ...types.kinds import INT
from ..assumptions import MIXED_ROWS, ChangedLater, NumbersApart
from ..collaborator import Collaborator
from ..iteration.iteration import Cursor
from ..record.homes import RAISE, is_derived
from ..record.journal import (
    BoxCell,
    Cell,
    Change,
    Content,
    Field,
    Lost,
    Slot,
    Snapshot,
    Stored,
    Version,
)
from ..record.reachability import reachable
from ..record.regions import Region
from ..record.scopes import during
from ..record.states import Columns, Partial, SymbolicList
from ..record.structures import IMMUTABLE
from ..record.tracers import ArrayTracer, Jump, Poison, StandIn, is_tracer
from .control import Refusal, Restart
from .joins import Join
from .members import Joined, Members, Placeholder
from .open_names import Left, Paths, code_of, in_arm
from .partial import DELETED, hollow
from .shapes import Failed, Leaf, Same, Shape, build, ended_lists, leaf_shapes, leaves

if TYPE_CHECKING:
    from ...stage.machine import Frame

UNREAD = Poison(TracingError(
    "a variable is read that was taken to be unused",
    why="nothing in the text of the function reads it after this branch or loop",
    fix="please report this program"))


@dataclass(slots=True)
class Arm:
    """One arm: its block under construction, what it changed, how it ended."""

    region: Region
    changes: dict[tuple[Any, ...], Change]
    jump: Any
    born: list[int] = field(default_factory=list)

    def lists(self) -> dict[int, Any]:
        """The contents at its end of the lists that it changed."""
        return {key[1]: change.after for key, change in self.changes.items()
                if isinstance(change.cell, Content) and type(change.cell.owner) is list
                and type(change.after) in (Snapshot, SymbolicList, Columns)}


class Merges(Collaborator):
    """Arms and their merging."""

    speaks_to = ("found_functions", "handed_over", "joined_values", "listed_arrays", "open_names",
                 "pushes", "recorder", "references", "sources", "stored_lists", "truths")

    def __init__(self) -> None:
        self.global_overlays: dict[int, dict[str, Any]] = {}
        self.iterating: list[Any] = []
        self.unsure: set[Value] = set()
        self.frames: list[Frame] = []
        self.scopes: list[tuple[int, Any]] = []

    # ---- arms ----------------------------------------------------------------------------
    def trace_arm(self, body: Callable[[], Any], given: tuple[Value, bool] | None = None) -> Arm:
        """Run an arm in a region of its own; all mutations are undone at its end.  ``given`` is
        what holds in it."""
        arm = Arm(Region(self.recorder.region), {}, NORMAL)
        arm.region.given = given
        self.enter_arm(arm)
        finished = False
        try:
            arm.jump = body()
            finished = True
        finally:
            self.leave_arm(arm)
            if not finished:
                arm.region.active = False
        return arm

    def enter_arm(self, arm: Arm) -> None:
        """Continue an arm: its changes are made again."""
        self.journal.push(arm.born)
        self.recorder.region = arm.region
        arm.region.active = True
        arm.region.layer = len(self.journal.layers)
        for change in arm.changes.values():
            self.journal.write(change.cell, change.after)

    def leave_arm(self, arm: Arm) -> None:
        arm.changes, arm.born = self.journal.pop()
        arm.region.active = False
        assert arm.region.parent is not None
        self.recorder.region = arm.region.parent


    # ---- merging ---------------------------------------------------------------------------
    def join(self, predicate: Value | None = None, young: frozenset[int] = frozenset(),
             apart: frozenset[tuple[int, int]] = frozenset(), dead: int | None = None) -> Join:
        facts = ({}, {}) if predicate is None else (self.truths.facts(predicate, True),
                                                    self.truths.facts(predicate, False))
        return Join(self.machine, predicate, young, apart, dead, facts)

    def tells_apart(self) -> bool:
        """Do numbers and arrays stay what they are where a branch gives either?  Not at first: they
        become one value of unknown rank; if more than its numbers matters, or anything fails, they
        do; if that fails, they do not after all."""
        self.assumed.risk(NumbersApart())
        return NumbersApart() in self.assumed

    def tell_apart(self) -> None:
        if NumbersApart() in self.assumed.risks and self.assumed.open(NumbersApart()):
            raise Restart(NumbersApart())

    def uneven_rows(self) -> bool:
        """May the rows of a list of lists hold counts beside other numbers?  Not at first: they
        are taken apart, so that counts stay integers.  If a row is written to, or anything fails,
        they may; if that fails, rows are taken apart where loops can be unrolled."""
        self.assumed.risk(MIXED_ROWS)
        return MIXED_ROWS in self.assumed

    def inherit(self, new: Any, old: Any) -> None:
        """An object takes the place of one that may have been handed to the world outside, or
        stands for one with other names."""
        self.stored_lists.inherit(new, old)
        if id(old) in self.journal.copies:
            self.journal.copied(new)
        if type(old) is Cursor:
            new.ahead = old.ahead
        if id(old) in self.handed_over.given_out or id(old) in self.handed_over.handed:
            self.handed_over.given_out[id(new)] = (new, ChangedLater("joined"))
            self.journal.seal(new)

    def tells_bound(self, cell: Cell, before: Any, after: Any) -> bool:
        """Is it followed whether a cell is bound?  Of variables it is where it matters: where
        one path deletes them, and where their NameErrors are caught."""
        if isinstance(cell, Slot):
            return self.assumed.follows(code_of(cell.owner), cell.name) or (
                before is not UNBOUND and after is UNBOUND)
        return isinstance(cell, Field)

    def is_outside(self, obj: Any) -> bool:
        """Does the object belong to the world outside of the trace?"""
        return id(obj) in self.found_functions.paths

    def is_unread(self, cell: Cell, later: frozenset[str] | None) -> bool:
        """Is a cell a variable of the running function that nothing reads any more?  ``later``
        are the names that may be read (None: not known)."""
        if not isinstance(cell, Slot) or not self.frames:
            return False
        if cell.owner is not self.frames[-1]:
            later = self.pushes.read_by_consumer(cell.owner)
        return later is not None and cell.name not in later and (
            cell.name != RESULT and cell.name.isidentifier())  # others are of a match

    def _unread(self, later: frozenset[str] | None) -> set[tuple[Any, ...]]:
        """The variables of the running function that nothing reads any more."""
        frame = self.frames[-1] if self.frames else None
        cells = [] if frame is None else [Slot(frame, name) for name in frame.slots]
        return {cell.key for cell in cells if self.is_unread(cell, later)}

    def merge(self, predicate: Value, first: Arm, second: Arm,
              later: frozenset[str] | None = None) -> Any:
        """Make the ``if`` node and the joined state; returns the joined jump."""
        arms = (first, second)
        states = self._states(arms, later)
        joining, merged = self._shapes(predicate, arms, states)
        codes = jump_codes([a.jump for a in arms])
        slots: dict[Any, int] = {}
        rows: list[Joined] = []
        places: list[list[int]] = []
        for cell, shape, a, b in merged:
            place = []
            # what only one arm has and no variable names: nothing reads it on the other path
            inner = not isinstance(shape, Leaf) or (isinstance(cell, Slot) and cell.name == RESULT)
            for leaf, x, y in zip(leaf_shapes(shape), leaves(shape, a), leaves(shape, b),
                                  strict=True):
                key = leaf.key if leaf.key is not None else ("own", len(rows))
                if key not in slots:
                    slots[key] = len(rows)
                    rows.append(Joined(leaf, (x, y), inner=inner))
                place.append(slots[key])
            places.append(place)
        joined = Members(self.machine, predicate, rows, arms)
        if any(row.is_array for row in rows):
            skip = {cell.key for cell, _, _ in states} | self._unread(later)
            joined.plan(self.known_elsewhere(joining, skip), self._only_names(merged, places))
        outputs = self._if_node(predicate, arms, rows, codes)
        self.unsure.update(value for value, row in zip(outputs, rows, strict=False)
                           if any(map(self.is_unsure, row.parts)))
        self.truths.note_truths(predicate, rows, outputs)
        made = self._joined(joined, rows, outputs)
        built: dict[int, Any] = {}
        for (cell, shape, *ends), place in zip(merged, places, strict=True):
            state = self.built(shape, [made[i] for i in place], built)
            self.journal.write(cell, state)
            self.open_names.note_open(cell, state, self.paths_of(predicate, cell, arms, ends))
            if isinstance(cell, Slot) and len(place) == 1 and any(e is UNBOUND for e in ends):
                outputs[place[0]].hint = cell.name  # the name that UnboundLocalError tells
            elif isinstance(cell, Slot) and len(place) == 1 and cell.name != RESULT and (
                    outputs[place[0]].hint is None and cell.name.isidentifier()):
                outputs[place[0]].hint = cell.name
        for home in self.joined_values.drained():
            self.journal.write(Stored(home), True)
        joined.settle()
        return self._joined_jump([a.jump for a in arms], codes, outputs[len(rows):])

    def paths_of(self, predicate: Value, cell: Cell, arms: tuple[Arm, Arm], ends: list[Any]) -> Any:
        """The paths through a branch after which a variable is unbound."""
        if not isinstance(cell, Slot):
            return None
        found = [in_arm(self.open_names.openness(cell, end), arm.jump, cell.owner)
                 for arm, end in zip(arms, ends, strict=True)]
        return Paths(predicate, (found[0], found[1])) if found != [None, None] else None

    def loop_region(self) -> Region | None:
        """The body of the loop that is being traced."""
        region: Region | None = self.recorder.region
        while region is not None and (region.given is not None or region.control is not region):
            region = region.parent
        return region if region is not None and region.parent is not None else None

    def _states(self, arms: tuple[Arm, Arm],
                later: frozenset[str] | None) -> list[tuple[Cell, Any, Any]]:
        """The cells that an arm changed, with their states at the end of both arms."""
        found: list[tuple[Cell, Any, Any]] = []
        first, second = arms
        for key in dict.fromkeys((*first.changes, *second.changes)):
            change = first.changes.get(key) or second.changes[key]
            cell = change.cell
            if isinstance(cell, Version) and is_derived(cell.owner):
                continue  # read again from the members, or from where it lies
            if self.is_unread(cell, later):
                self.journal.write(cell, UNREAD)
                continue
            states = [a.changes[key].after if key in a.changes else change.before for a in arms]
            if any(self.tells_bound(cell, c.before, c.after) for c in (
                    a.changes[key] for a in arms if key in a.changes)):
                states = [DELETED if s is UNBOUND else s for s in states]
            for i, arm in enumerate(arms):
                if arm.jump == RAISE and not isinstance(cell, (Version, Lost, Stored)):
                    states[i] = UNBOUND if type(states[i]) not in (Snapshot, Partial) else (
                        hollow(states[1 - i], change.before))
                elif arm.jump == RETURN and states[i] is UNBOUND and isinstance(
                        states[1 - i], IMMUTABLE) and not is_tracer(states[1 - i]) and (
                        isinstance(cell, Slot) and cell.owner is self.frames[-1]):
                    states[i] = states[1 - i]  # only what runs as a statement is left may read it
                    self.open_names.note_open(cell, states[i], Left(UNBOUND, cell.owner, True))
            found.append((cell, states[0], states[1]))
        return found

    def _shapes(self, predicate: Value, arms: tuple[Arm, Arm],
                states: list[tuple[Cell, Any, Any]]
                ) -> tuple[Join, list[tuple[Cell, Shape, Any, Any]]]:
        """The joined form of each cell.  Two objects become a new one only if nothing else can
        reach either; else they stay apart."""
        young = frozenset((*arms[0].born, *arms[1].born))
        skip = {cell.key for cell, _, _ in states}
        dead = next((i for i, arm in enumerate(arms) if arm.jump == RAISE), None)
        apart: frozenset[tuple[int, int]] = frozenset()
        while True:
            joining = self.join(predicate, young, apart, dead)
            joining.changed = (arms[0].lists(), arms[1].lists())
            merged = [(cell, self.cell_shape(joining, cell, a, b), a, b) for cell, a, b in states]
            torn = self.torn(joining, skip)
            if torn <= apart:
                gone = {("content", id(obj)) for _, shape, _, _ in merged
                        for ended in ended_lists(shape) for obj in ended.lists}
                return joining, [row for row in merged if row[0].key not in gone]
            apart |= torn

    def torn(self, joining: Join, skip: set[tuple[Any, ...]]) -> frozenset[tuple[int, int]]:
        """Pairs of objects that a join would replace by new ones although something else still
        refers to one of them, or to one of them paired with another; or whose parts an arm (or
        a loop's body) has changed, so that they are not what they were there any more."""
        pairs = [(a, b) for a, b in joining.objects if b is not UNBOUND
                 and not (isinstance(a, StandIn) and isinstance(b, StandIn))]
        if not pairs:
            return frozenset()
        alone = {id(a) for a, b in joining.objects if b is UNBOUND}  # a new one of itself only
        changed = {key[1] for key in skip if key[0] in ("content", "field")}
        known = self.known_elsewhere(joining, skip).difference(  # of those a copy is joined
            id(o) for pair in pairs for o in pair if self.is_outside(o))
        partner: tuple[dict[int, int], dict[int, int]] = ({}, {})
        found: set[tuple[int, int]] = set()
        for a, b in pairs:
            one = (id(a), id(b))
            sides = one if joining.predicate is not None else one[1:]
            moved = changed.intersection(sides).difference(*joining.changed)
            if {*one} & known or (a is not b and {*one} & alone) or moved or (
                    partner[0].setdefault(id(a), id(b)) != id(b)) or (
                    partner[1].setdefault(id(b), id(a)) != id(a)):
                found.add(one)
        return frozenset(found)

    def overlay_of(self, place: Any) -> dict[str, Any]:
        """What the trace has written to the globals of a module, or to a variable's cell."""
        return self.global_overlays.setdefault(id(place), {})

    def known_elsewhere(self, joining: Join, skip: set[tuple[Any, ...]]) -> set[int]:
        """The ids of objects and homes that the program can reach otherwise than through the
        cells that are joined."""
        depth = len(self.frames)
        roots = [*self.frames, *(s for d, s in self.scopes if d <= depth), *self.iterating,
                 *self.sources.overlays.values(), *self.sources.shadows.values(), *
                 self.global_overlays.values(),
                 *self.references.columns(),
                 *joining.fixed, *(obj for obj, _ in self.handed_over.given_out.values()),
                 *(obj for obj, *_ in self.handed_over.handed.values())]
        return reachable(roots, skip, self.is_outside, self.symbolic_lists)

    def cell_shape(self, joining: Join, cell: Cell, a: Any, b: Any) -> Shape:
        """The shape of a cell's two states; versions and lost homes have rules of their own."""
        if isinstance(cell, Version):
            if a is b:
                return Same(a)
            return Leaf(a.aval, version_of=cell.owner)
        if isinstance(cell, (Lost, Stored)):
            return Same(a or b)
        shape = joining.unify(a, b)
        self.check_content(cell, shape, a, b)
        return shape

    def check_content(self, cell: Cell, shape: Shape, *states: Any) -> None:
        """The content of a container has no poisoned state: it must have a common form."""
        if isinstance(cell, Content) and isinstance(shape, (Leaf, Failed)):
            self.listed_arrays.meet(cell.owner, *states)
        if isinstance(cell, Content) and isinstance(shape, Failed):
            raise self.recorder.unjoined(shape)

    def _if_node(self, predicate: Value, arms: tuple[Arm, Arm], rows: list[Joined],
                 codes: Any) -> tuple[Value, ...]:
        blocks = []
        for i, arm in enumerate(arms):
            self.enter_arm(arm)
            values = [self._row_value(row, i) for row in rows]
            if codes is not None:
                values.extend(self._jump_values(arm.jump))
            blocks.append(arm.region.builder.block(tuple(values)))
            self.leave_arm(arm)
        avals = [row.leaf.aval for row in rows]
        if codes is not None:
            avals.extend([INT.but(expr=None)] * 3)
        if not avals and not blocks[0].nodes and not blocks[1].nodes:
            return ()
        return self.recorder.emit("if", (predicate,), tuple(avals), tuple(blocks))

    def is_unsure(self, part: Any) -> bool:
        """Is a part unbound, or unbound on some path?"""
        value = getattr(part, "value", part)
        return part is UNBOUND or (isinstance(value, Value) and value in self.unsure)

    def _only_names(self, merged: list[tuple[Cell, Shape, Any, Any]],
                    places: list[list[int]]) -> set[int]:
        """The rows that belong to variables of the running function alone.  An array from before
        the branch that had no other name can be replaced: nothing else holds it.  (An attribute's
        old array may still be held by a call whose arguments are being evaluated.)"""
        inner = {n for (cell, *_), place in zip(merged, places, strict=True) for n in place
                 if not isinstance(cell, (Slot, BoxCell)) or (
                     isinstance(cell, Slot) and cell.owner is not self.frames[-1])}
        return {n for place in places for n in place} - inner

    def _row_value(self, row: Joined, arm: int) -> Value:
        """What an arm yields for a row.  An array that is one of two known arrays need not have
        a known content: whoever reads it is refused."""
        part = row.parts[arm]
        if type(part) is ArrayTracer and row.home is part.home:
            return part.home.current
        if type(part) is Placeholder:
            with during(self.recorder, supporting=True):
                return self.joined_values.placeholder(row.leaf.aval, part.like)
        if row.sides is None:
            return self.joined_values.leaf_value(part, row.leaf.aval)
        try:
            return self.joined_values.leaf_value(part, row.leaf.aval)
        except Refusal as refusal:
            if not isinstance(refusal.error, AliasError):
                raise
            row.stale = True
            return self.recorder.emit("undef", (), (row.leaf.aval,))[0]

    def _joined(self, joined: Members, rows: list[Joined], outputs: tuple[Value, ...]) -> list[Any]:
        """The object for each output of the join."""
        joined.export(outputs)
        made: list[Any] = []
        for number, row in enumerate(rows):
            if row.sides is not None or row.fresh:
                made.append(joined.array(number, outputs[number]))
            elif row.home is not None:
                made.append(joined.exported[number])
            else:
                made.append(self.joined_values.object_of(row.leaf, outputs[number],
                                                         list(row.parts)))
        joined.link(made)
        return made

    def built(self, shape: Shape, made: list[Any], before: dict[int, Any]) -> Any:
        """A joined state; objects in it are new ones."""
        found = build(shape, made, before)
        for obj in before.values():
            if id(obj) not in self.journal.births:
                self.journal.born(obj)
        return found

    # ---- jumps -----------------------------------------------------------------------------
    def _jump_values(self, jump: Any) -> list[Value]:
        if isinstance(jump, Jump):
            return [v if isinstance(v, Value) else self.recorder.const(v)
                    for v in (jump.full, jump.leave, jump.back)]
        if jump == RAISE:
            jump = NORMAL
        leave = NORMAL if jump == CONTINUE else jump
        back = NORMAL if jump in (CONTINUE, BREAK) else jump
        return [self.recorder.const(c) for c in (jump, leave, back)]

    def _joined_jump(self, jumps: list[Any], codes: Any, values: tuple[Value, ...]) -> Any:
        if codes is None:
            known = [j for j in jumps if j != RAISE]
            return known[0] if known else RAISE
        full, leave, back = values
        return Jump(codes, full, leave, back)


def jump_codes(jumps: list[Any]) -> frozenset[int] | None:
    """The possible jumps of a join; None where it is one static jump."""
    codes: set[int] = set()
    traced = False
    for jump in jumps:
        if isinstance(jump, Jump):
            codes |= jump.codes
            traced = True
        elif jump != RAISE:
            codes.add(jump)
    if not traced and len(codes) <= 1:
        return None
    return frozenset(codes)
