"""Branches: both arms are run, their mutations undone and merged into outputs of an ``if``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..dims import is_varying
from ..errors import SrcgradError
from ..graph.ir import Value
from ..kinds import INT, Aval, Kind
from ..stage.machine import BREAK, CONTINUE, NORMAL, UNBOUND
from .choices import Choice, Choices, may_choose
from .control import Bottom
from .joins import Failed, Join, Leaf, Same, Shape, build, leaf_shapes, leaves
from .journal import Cell, Change, Content, Lost, Snapshot, Stored, Version
from .recorder import Region
from .tracers import ArrayTracer, Home, Jump, ScalarTracer, SymbolicList

USER_ERRORS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
RAISE = 4  # the arm ends in an exception: nothing after it happens


@dataclass(slots=True)
class Arm:
    """One arm: its block under construction, what it changed, how it ended."""

    region: Region
    changes: dict[tuple[Any, ...], Change]
    jump: Any
    born: list[int] = field(default_factory=list)


class Branches(Choices):
    """``if``, conditional expressions, ``and`` and ``or``."""

    # ---- arms ----------------------------------------------------------------------------
    def trace_arm(self, body: Callable[[], Any]) -> Arm:
        """Run an arm in a region of its own; all mutations are undone at its end."""
        arm = Arm(Region(self.region), {}, NORMAL)
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
        self.region = arm.region
        arm.region.active = True
        for change in arm.changes.values():
            self.journal.write(change.cell, change.after)

    def leave_arm(self, arm: Arm) -> None:
        arm.changes, arm.born = self.journal.pop()
        arm.region.active = False
        assert arm.region.parent is not None
        self.region = arm.region.parent

    # ---- if --------------------------------------------------------------------------------
    def if_(self, test: Any, then: Callable[[], Any], orelse: Callable[[], Any],
            rest: Callable[[], Any] | None = None) -> Any:
        known = self.static_truth(test)
        tested = test if known is not None else self.predicate(test)
        if type(tested) is bool:
            known = tested
        if known is None:
            fixed = self.is_fixed(tested)
            site = (then.__code__, orelse.__code__) if hasattr(then, "__code__") else None
            if fixed and ("guard", site) in self.assumed:
                known = self.truth(tested)
        if known is not None:
            return self.after(then() if known else orelse(), rest)
        self.open_tests.append((site, fixed, len(self.call_sites)))
        try:
            return self.branch(self.value_of(tested), then, orelse, rest)
        finally:
            self.open_tests.pop()

    open_tests: list[tuple[Any, bool, int]]
    call_sites: list[Any]

    def is_fixed(self, tested: Any) -> bool:
        """Is a condition the same whenever it is tested during one call, and decided by sizes
        and int arguments?"""
        condition = self.conditions.get(tested.value) if type(tested) is ScalarTracer else None
        return condition is not None and not is_varying(condition[1]) and (
            not is_varying(condition[2]))

    def after(self, jump: Any, rest: Callable[[], Any] | None) -> Any:
        """Go on with the rest of a block after a statement that may have jumped."""
        if rest is None:
            return jump
        if not isinstance(jump, Jump):
            return rest() if jump == NORMAL or jump is None else jump
        if NORMAL not in jump.codes:
            return jump
        left = jump.codes - {NORMAL}
        taken: Any = next(iter(left)) if len(left) == 1 else Jump(left, jump.full, jump.leave,
                                                                  jump.back)
        went_on = self.compare("==", self.wrap(jump.full), 0)
        return self.if_(went_on, rest, lambda: taken)

    def branch(self, predicate: Value, then: Callable[[], Any], orelse: Callable[[], Any],
               rest: Callable[[], Any] | None) -> Any:
        """A branch on data."""
        bottoms = self.bottoms
        first = self.trace_arm(functools.partial(self._ended, then))
        second = self.trace_arm(functools.partial(self._ended, orelse))
        first.jump, second.jump = first.jump or NORMAL, second.jump or NORMAL
        exits = [isinstance(a.jump, Jump) or a.jump not in (NORMAL, RAISE)
                 for a in (first, second)]
        if rest is not None and exits[0] != exits[1]:
            stays = second if exits[0] else first
            leaves_ = first if exits[0] else second
            if stays.jump == NORMAL and not isinstance(leaves_.jump, Jump):
                # one arm certainly leaves: the rest of the block belongs to the other one
                self.continue_arm(stays, rest)
                return self._returning(self.merge(predicate, first, second), bottoms)
        return self.after(self._returning(self.merge(predicate, first, second), bottoms), rest)

    bottoms: int

    def _returning(self, jump: Any, bottoms: int) -> Any:
        """The jump after a branch, unless both arms wait for the result of a recursive call."""
        if type(jump) is int and jump == RAISE and self.bottoms > bottoms:
            raise Bottom(None)
        return jump

    def continue_arm(self, arm: Arm, rest: Callable[[], Any]) -> None:
        self.enter_arm(arm)
        try:
            arm.jump = self._ended(rest) or NORMAL
        finally:
            self.leave_arm(arm)

    def _ended(self, body: Callable[[], Any]) -> Any:
        """Run an arm.  What certainly raises in it (shapes that do not fit, an attribute that
        does not exist) is raised when the arm is taken: plain Python would not meet it before."""
        layers, region = len(self.journal.layers), self.region
        try:
            return body()
        except Bottom:
            while len(self.journal.layers) > layers:
                self.journal.pop()
            self.region = region
            return RAISE
        except USER_ERRORS as error:
            if isinstance(error, SrcgradError):
                raise
            return self.raise_(error, None, False)

    def raise_(self, exception: Any, cause: Any, has_cause: bool) -> Any:
        raise AttributeError

    # ---- merging ---------------------------------------------------------------------------
    def join(self) -> Join:
        return Join(self.fresh, self.symbolic_lists, self.is_outside)

    def is_outside(self, obj: Any) -> bool:
        """Does the object belong to the world outside of the trace?"""
        return id(obj) in self.paths

    def merge(self, predicate: Value, first: Arm, second: Arm) -> Any:
        """Make the ``if`` node and the joined state; returns the joined jump."""
        joining = self.join()
        young = {*first.born, *second.born}
        merged: list[tuple[Cell, Shape, Any, Any]] = []
        for key in dict.fromkeys((*first.changes, *second.changes)):
            change = first.changes.get(key) or second.changes[key]
            states = [a.changes[key].after if key in a.changes else change.before
                      for a in (first, second)]
            for i, arm in enumerate((first, second)):
                if arm.jump == RAISE and not isinstance(change.cell, (Version, Lost, Stored)):
                    states[i] = UNBOUND if not isinstance(states[i], Snapshot) else states[1 - i]
            shape = self.cell_shape(joining, change.cell, states[0], states[1])
            if isinstance(shape, Failed) and all(may_choose(s, young) for s in states):
                shape = Same(Choice(predicate, states[0], states[1]))
            merged.append((change.cell, shape, states[0], states[1]))
        jumps = [a.jump for a in (first, second)]
        codes = jump_codes(jumps)
        slots: dict[Any, int] = {}
        rows: list[tuple[Leaf, Any, Any]] = []
        places: list[list[int]] = []
        for _, shape, a, b in merged:
            place = []
            for leaf, x, y in zip(leaf_shapes(shape), leaves(shape, a), leaves(shape, b),
                                  strict=True):
                key = leaf.key if leaf.key is not None else ("own", len(rows))
                if key not in slots:
                    slots[key] = len(rows)
                    rows.append((leaf, x, y))
                place.append(slots[key])
            places.append(place)
        sides = self._member_rows(rows)
        outputs = self._if_node(predicate, (first, second), rows, codes)
        made = [self._joined(row, value, (first, second))
                for row, value in zip(rows, outputs, strict=False)]
        self._alias_shared(rows, made)
        self._note_choices(predicate, rows, made, sides)
        for (cell, shape, _, _), place in zip(merged, places, strict=True):
            self.journal.write(cell, build(shape, [made[i] for i in place]))
        self._refresh_aliases(made)
        return self._joined_jump(jumps, codes, outputs[len(rows):])

    def _member_rows(self, rows: list[tuple[Leaf, Any, Any]]) -> dict[int, list[Any]]:
        """Joined arrays that may be an array from before the branch: for each side the array
        itself, or the number of a further output that holds the arm's own array."""
        sides: dict[int, list[Any]] = {}
        for number, (leaf, *parts) in enumerate(list(rows)):
            if leaf.version_of is not None or not all(type(p) is ArrayTracer for p in parts):
                continue
            old = [p.home.region is None or p.home.region.active for p in parts]
            if not any(old):
                continue
            found: list[Any] = []
            for i, part in enumerate(parts):
                if old[i]:
                    found.append(part)
                    continue
                found.append(len(rows))
                row: list[Any] = [UNBOUND, UNBOUND]
                row[i] = part
                rows.append((Leaf(part.aval, label=leaf.label), row[0], row[1]))
            sides[number] = found
        return sides

    def _note_choices(self, predicate: Value, rows: list[tuple[Leaf, Any, Any]],
                      made: list[Any], sides: dict[int, list[Any]]) -> None:
        """Tell joined homes which arrays they are one of."""
        for number, found in sides.items():
            joined = made[number]
            if type(joined) is not ArrayTracer:
                continue
            members = [made[m] if isinstance(m, int) else m for m in found]
            # one of two that are each one of two is left to the alias rules: following every
            # combination would grow without bound
            if all(type(m) is ArrayTracer and m.home.choice is None for m in members):
                joined.home.choice = (predicate, members[0], members[1])
                joined.home.aliases = []

    def phi(self, predicate: Value, first: Callable[[], Value], second: Callable[[], Value],
            aval: Aval) -> Value:
        """The value of the first thunk where the predicate holds, else of the second."""
        blocks = []
        for thunk in (first, second):
            held: list[Value] = []
            arm = self.trace_arm(functools.partial(_hold, held, thunk))
            blocks.append(arm.region.builder.block((held[0],)))
        return self.emit("if", (predicate,), (aval,), tuple(blocks))[0]

    def cell_shape(self, joining: Join, cell: Cell, a: Any, b: Any) -> Shape:
        """The shape of a cell's two states; versions and lost homes have rules of their own."""
        if isinstance(cell, Version):
            if a is b:
                return Same(a)
            return Leaf(a.aval, version_of=cell.owner)
        if isinstance(cell, (Lost, Stored)):
            return Same(a or b)
        shape = joining.unify(a, b)
        if isinstance(shape, Failed) and isinstance(cell, Content):
            raise self.fatal(shape.error)
        return shape

    def _if_node(self, predicate: Value, arms: tuple[Arm, Arm],
                 rows: list[tuple[Leaf, Any, Any]], codes: Any) -> tuple[Value, ...]:
        blocks = []
        for i, arm in enumerate(arms):
            self.enter_arm(arm)
            values = [self.leaf_value(row[1 + i], row[0].aval) for row in rows]
            if codes is not None:
                values.extend(self._jump_values(arm.jump))
            blocks.append(arm.region.builder.block(tuple(values)))
            self.leave_arm(arm)
        avals = [row[0].aval for row in rows]
        if codes is not None:
            avals.extend([INT.but(expr=None)] * 3)
        if not avals and not blocks[0].nodes and not blocks[1].nodes:
            return ()
        return self.emit("if", (predicate,), tuple(avals), tuple(blocks))

    def leaf_value(self, part: Any, aval: Aval) -> Value:
        """The graph value of a part of a state at the end of an arm or loop body."""
        if part is UNBOUND:
            return self.emit("undef", (), (aval,))[0]
        if isinstance(part, Value):
            return part
        if type(part) is SymbolicList:
            return part.value
        if type(part) is Snapshot or type(part) is list:
            return self.list_value(part)
        return self.as_value(part)

    def list_value(self, state: Any) -> Value:
        """A list of known length as a graph value."""
        items = state.items if type(state) is Snapshot else tuple(state)
        joining = self.join()
        elem: Aval | None = None
        values = []
        for item in items:
            if type(item) is list:
                value = (self.symbolic_lists[id(item)].value if id(item) in self.symbolic_lists
                         else self.list_value(item))
            else:
                value = self.as_value(item)
            values.append(value)
            aval = value.aval if not isinstance(value.aval.expr, int) else value.aval.but(
                expr=None)
            elem = aval if elem is None else joining.join_avals(elem, aval)
        (value,) = self.emit("list", tuple(values), (Aval(Kind.LIST, None, (), None, elem),))
        value.obj = self.new_obj()
        return value

    def _joined(self, row: tuple[Leaf, Any, Any], value: Value, arms: tuple[Arm, ...]) -> Any:
        """The object for one output of the join."""
        leaf, a, b = row
        return self.object_of(leaf, value, [a, b])

    def object_of(self, leaf: Leaf, value: Value, parts: list[Any]) -> Any:
        """The tracer (or version, or list content) for the joined value of a leaf."""
        if leaf.version_of is not None:
            value.obj = leaf.version_of.obj
            value.hint = leaf.version_of.current.hint
            return value
        if value.aval.kind is Kind.LIST:
            value.obj = self.new_obj()
            return SymbolicList(value, value.obj)
        if value.aval.kind is Kind.INT and isinstance(value.aval.expr, int):
            return value.aval.expr
        result = self.wrap(value, leaf.label or "array")
        if type(result) is ArrayTracer:
            for part in parts:
                if type(part) is ArrayTracer:
                    result.home.aliases.extend(
                        (h, h.current) for h in reach(part.home)
                        if h.region is None or h.region.active)
        return result

    def _alias_shared(self, rows: list[tuple[Leaf, Any, Any]], made: list[Any]) -> None:
        """Joined arrays that are one buffer on one path, and two on the other, may alias."""
        sides: tuple[list[tuple[Home, Home]], ...] = ([], [])
        for (_, *parts), tracer in zip(rows, made, strict=False):
            for pairs, part in zip(sides, parts, strict=True):
                if type(tracer) is ArrayTracer and type(part) is ArrayTracer:
                    pairs.append((tracer.home, part.home))
        link_possible(sides)

    def _refresh_aliases(self, made: list[Any]) -> None:
        """Aliases count from the versions that hold after the join."""
        for tracer in made:
            if type(tracer) is ArrayTracer:
                choice = tracer.home.choice
                if choice is not None:
                    self.choice_seen[tracer.home.current] = (choice[1].home.current,
                                                             choice[2].home.current)
                tracer.home.aliases = [(h, h.current) for h, _ in tracer.home.aliases]

    # ---- jumps -----------------------------------------------------------------------------
    def _jump_values(self, jump: Any) -> list[Value]:
        if isinstance(jump, Jump):
            return [v if isinstance(v, Value) else self.const(v)
                    for v in (jump.full, jump.leave, jump.back)]
        if jump == RAISE:
            jump = NORMAL
        leave = NORMAL if jump == CONTINUE else jump
        back = NORMAL if jump in (CONTINUE, BREAK) else jump
        return [self.const(c) for c in (jump, leave, back)]

    def _joined_jump(self, jumps: list[Any], codes: Any, values: tuple[Value, ...]) -> Any:
        if codes is None:
            known = [j for j in jumps if j != RAISE]
            return known[0] if known else RAISE
        full, leave, back = values
        return Jump(codes, full, leave, back)

    # ---- expressions -----------------------------------------------------------------------
    def if_expression(self, test: Any, then: Callable[[], Any],
                      orelse: Callable[[], Any]) -> Any:
        known = self.static_truth(test)
        tested = test if known is not None else self.predicate(test)
        if type(tested) is bool:
            known = tested
        if known is None:
            fixed, site = self.is_fixed(tested), (then.__code__, orelse.__code__)
            if fixed and ("guard", site) in self.assumed:
                known = self.truth(tested)
        if known is not None:
            return then() if known else orelse()
        self.open_tests.append((site, fixed, len(self.call_sites)))
        try:
            return self.choose(self.value_of(tested), then, orelse)
        finally:
            self.open_tests.pop()

    def choose(self, predicate: Value, then: Callable[[], Any],
               orelse: Callable[[], Any]) -> Any:
        """The value of a conditional expression on data: a branch that stores into a slot."""
        from_slot = Box()
        self.journal.born(from_slot)
        self.branch(predicate, lambda: self.journal.write(BoxCell(from_slot), then()),
                    lambda: self.journal.write(BoxCell(from_slot), orelse()), None)
        return self.loaded(from_slot.content)

    def loaded(self, value: Any) -> Any:
        """A value read from a slot: joins that failed raise now."""
        raise AttributeError

    def and_(self, first: Any, *rest: Callable[[], Any]) -> Any:
        return self._boolean(first, rest, True)

    def or_(self, first: Any, *rest: Callable[[], Any]) -> Any:
        return self._boolean(first, rest, False)

    def _boolean(self, first: Any, rest: tuple[Callable[[], Any], ...], go_on: bool) -> Any:
        """``and`` (go on while true) and ``or`` (go on while false)."""
        value = first
        for i, thunk in enumerate(rest):
            known = self.static_truth(value)
            tested = value if known is not None else self.predicate(value)
            if type(tested) is bool:
                known = tested
            if known is not None:
                if known is not go_on:
                    return value
                value = thunk()
                continue
            following = rest[i:]
            current = value

            def more(following: Any = following) -> Any:
                return self._boolean(following[0](), following[1:], go_on)

            def stop(current: Any = current) -> Any:
                return current

            predicate = self.value_of(tested)
            return self.choose(predicate, more if go_on else stop, stop if go_on else more)
        return value


def _hold(held: list[Value], thunk: Callable[[], Value]) -> None:
    held.append(thunk())


class Box:
    """A slot for the value of a conditional expression."""

    __slots__ = ("content",)

    def __init__(self) -> None:
        self.content: Any = UNBOUND


@dataclass(frozen=True, slots=True)
class BoxCell:
    """The cell of a :class:`Box`."""

    owner: Box

    @property
    def key(self) -> tuple[Any, ...]:
        return ("box", id(self.owner))

    def get(self) -> Any:
        return self.owner.content

    def put(self, state: Any) -> None:
        self.owner.content = state


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


def reach(home: Home) -> list[Home]:
    """The home and every home that it may be: members of choices and aliases, transitively."""
    found: dict[int, Home] = {}
    todo = [home]
    while todo:
        one = todo.pop()
        if id(one) in found:
            continue
        found[id(one)] = one
        todo.extend(h for h, _ in one.aliases)
        if one.choice is not None:
            todo.extend(m.home for m in one.choice[1:])
    return list(found.values())


def may_be_one(a: Home, b: Home) -> bool:
    """Can two homes, at one moment of the program, be one buffer?"""
    if a is b:
        return True
    if a.group is not None and a.group is b.group:
        return any(h is b for h, _ in a.aliases) or any(h is a for h, _ in b.aliases)
    return not {id(h) for h in reach(a)}.isdisjoint(id(h) for h in reach(b))


def link_possible(sides: Iterable[list[tuple[Home, Home]]]) -> None:
    """Say of homes made together which of them may be one.

    Each side (an arm of a branch; the entry or the end of a loop's body) lists the new homes
    with those they stand for there; what holds on no side does not hold.
    """
    group = object()
    linked: set[tuple[int, int]] = set()
    for pairs in sides:
        for a, source in pairs:
            for b, other in pairs:
                if a is not b and (id(a), id(b)) not in linked and may_be_one(source, other):
                    linked.add((id(a), id(b)))
                    a.aliases.append((b, b.current))
    for pairs in sides:
        for home, _ in pairs:
            home.group = group
