"""Rounds of a loop: the body is traced until what it carries round has a fixed form.

What a loop carries is decided by the journal: cells that the body changes.  Each round runs
the body on values of the form found so far (parameters of the body's block) and compares what
it leaves behind; a form that had to become wider means another round.  The fixed form is
remembered per loop site, so that inner loops of a nest need one round each time after the
first.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import JoinError
from ...graph.broadcasting import never_one
from ...graph.ir import Block, Node, Value
from ...graph.walking import walk
from ...stage.machine import BREAK, NORMAL, UNBOUND, Frame
from ...types.dims import Atom, symbols
from ...types.kinds import Aval, Kind, any_aval, int_aval
from ..assumptions import FollowedArrays, KnownLengths
from ..boundary.scratch import nowhere
from ..collaborator import Collaborator
from ..heap.unlike import remedies_for
from ..record.homes import inherit_stored, is_derived, is_stored, link_possible, may_be_one, reach
from ..record.journal import (
    Cell,
    Change,
    Content,
    Lost,
    Slot,
    Snapshot,
    Stored,
    Version,
    item_name,
    same_state,
)
from ..record.regions import Region
from ..record.scopes import during
from ..record.structures import is_mutable, leaf_aval
from ..record.tracers import ArrayTracer, Home, arrays_of
from .joins import Join
from .later import Later, names_of_loop
from .loop_nodes import Carried, Place, Round
from .merges import UNREAD, Arm
from .open_names import after_loop
from .partial import DELETED
from .shapes import Apart, Failed, Leaf, Misfit, OneOf, Same, Sequence, Shape, leaf_shapes, leaves
from .widening import widen

MAX_ROUNDS = 40
GROWTH, FEW_PARTS = 4, 64  # how many times as many parts as at first are too many; and what is few
ELEMENTWISE = frozenset({operator.add, operator.sub, operator.mul, operator.truediv, np.add,
                         np.subtract, np.multiply, np.divide, np.maximum, np.minimum})


class Rounds(Collaborator):
    """Tracing a loop's body to a fixed form."""

    speaks_to = ("branches", "joined_values", "loop_nodes", "merges", "open_names", "recorder",
                 "truths", "variables")

    def __init__(self) -> None:
        self.made_in_body: frozenset[int] = frozenset()
        # which truth value tells that a link is not None
        self.link_tests: dict[Value, tuple[Value, Region]] = {}
        self.links_told: dict[Value, bool] = {}  # what the test of a loop has told of links
        self.dropped: set[Any] = set()
        self.unsteady: set[Any] = set()
        self.later: Later = Later()
        self.tested_inside: Frame | None = None
        self.count = 0
        self.innermost: Any = None  # the site of the loop that is being traced
        self.forms: dict[Any, list[tuple[Place, Leaf]]] = {}
        self.loop_sites: dict[Value, tuple[str, Any]] = {}

    # ---- the fixed point ---------------------------------------------------------------------
    def trace_loop(self, kind: str, inits: list[Value], test: Callable[[], Any] | None,
                    start: tuple[Any, Callable[[Any], None]] | None, body: Callable[[], Any],
                    user: str, users: Any = None) -> Any:
        """Trace a loop; ``users`` is its site if the body is not the user's."""
        forms: dict[tuple[Any, ...], Carried] = {}
        site = self.site(body)
        remembered = self.forms.get(site)
        if remembered is not None:
            self._recall(forms, remembered)
        with during(self, dropped=set(), later=names_of_loop(body), innermost=users or site):
            done = self._settle(kind, forms, test, start, body)
            if done is not None:
                self.forms[site] = self._remembered(forms)
                return self.loop_nodes.finish_loop(kind, inits, forms, done, user, users or site)
        ended = Frame(None, None, nowhere)
        self.machine.born(ended)
        self.machine.store(ended, "finished", False)
        jump = self.trace_loop("while", inits, None, start,
                               _test_first(self.machine, test, body, ended),
                                user, site)
        self.tested_inside = ended
        return jump

    def _settle(self, kind: str, forms: dict[tuple[Any, ...], Carried],
                test: Callable[[], Any] | None,
                start: tuple[Any, Callable[[Any], None]] | None,
                body: Callable[[], Any]) -> Round | None:
        """Trace rounds until the forms cover what the body leaves behind."""
        first: int | None = None
        for _ in range(MAX_ROUNDS):
            done = self._round(kind, forms, test, start, body)
            if done is None or not self._widen(forms, done):
                return done
            self.count += 1
            for region in (done.test, done.region):
                if region is not None:
                    region.gone = True
            count = sum(len(leaf_shapes(carried.shape)) for carried in forms.values())
            first = count if first is None else first
            if count > GROWTH * (first + FEW_PARTS):
                break  # a structure that has another in it each time
        raise self.recorder.of_forms(JoinError(
            "a loop's variables do not settle on one kind",
            why="each iteration changes their type or structure again",
            fix="make each variable keep its kind from one iteration to the next"))

    def site(self, body: Callable[[], Any]) -> Any:
        """What identifies a loop for remembered forms: its code, and the calls around it."""
        return (body.__code__, tuple(self.branches.call_sites))

    def _remembered(self, forms: dict[tuple[Any, ...], Carried]) -> list[tuple[Place, Leaf]]:
        """The forms to start from at the next visit, by variables: frames are new at each call.
        A version is remembered by a variable that holds the array, since each visit may have
        other arrays there.  Objects are looked at anew: they may have got other names."""
        numbers = {id(frame): i for i, frame in enumerate(self.merges.frames)}
        holders = {id(value.home): Place(i, name, True) for i,
                   frame in enumerate(self.merges.frames)
                   for name, value in frame.slots.items() if type(value) is ArrayTracer}
        kept: list[tuple[Place, Leaf]] = []
        for carried in forms.values():
            cell, shape = carried.cell, carried.shape
            if not isinstance(shape, Leaf):
                continue
            if isinstance(cell, Slot) and id(cell.owner) in numbers:
                kept.append((Place(numbers[id(cell.owner)], cell.name), shape))
            elif isinstance(cell, Version) and id(cell.owner) in holders:
                kept.append((holders[id(cell.owner)], shape))
        return kept

    def _recall(self, forms: dict[tuple[Any, ...], Carried],
                remembered: list[tuple[Place, Leaf]]) -> None:
        """Start from the form an earlier visit of the same loop arrived at."""
        joining = self._loop_join()
        for place, shape in remembered:
            slot = Slot(self.merges.frames[place.frame], place.name)
            entry = slot.get()
            if place.is_version:
                if type(entry) is ArrayTracer and entry.home.lost is None and not (
                        is_derived(entry.home)):
                    version = Version(entry.home)
                    leaf = Leaf(version.get().aval, version_of=entry.home)
                    forms[version.key] = Carried(version, leaf, version.get())
                continue
            if leaf_aval(entry) is None and entry is not UNBOUND:
                continue
            if shape.steady:  # of a sum that starts from a number, here too
                if type(entry) in (int, float) and slot.key not in self.unsteady:
                    forms[slot.key] = Carried(slot, shape, entry)
                continue
            wider, _ = widen(joining, shape, entry, entry)
            forms[slot.key] = Carried(slot, wider, entry)

    def _round(self, kind: str, forms: dict[tuple[Any, ...], Carried],
               test: Callable[[], Any] | None, start: tuple[Any, Callable[[Any], None]] | None,
               body: Callable[[], Any]) -> Round | None:
        """Trace the test and the body once on the present form; None if the test mutates."""
        done = Round(Region(self.recorder.region),
                     own=frozenset(() if start is None else symbols(start[0])))
        if kind == "while":
            done.test = Region(self.recorder.region)
            tested = self._in_region(done.test, forms, lambda: self._run_test(test, done))
            if test is not None and any(
                    not isinstance(c.cell, (Version, Lost, Stored)) or c.cell.key not in forms
                    for k, c in tested.items() if not isinstance(c.cell, Stored) and (
                        k not in forms or not same_state(c.after, forms[k].head))):
                return None

        index = None if start is None else Value(int_aval(start[0]))

        def run() -> None:
            done.sealed = frozenset(self.journal.sealed)
            if done.test is not None:
                self.teach(done, done.region.builder.params, True)
            if start is not None and index is not None:
                start[1](self.recorder.wrap(index))
            done.jump = body() or NORMAL

        done.changes = self._in_region(done.region, forms, run, index)
        return done

    def teach(self, done: Round, values: Any, truth: bool) -> None:
        """What the test of a loop tells of the values at its head: of those in an iteration
        (``truth``), or of the last ones."""
        assert done.test is not None
        facts = self.truths.told(done.test) | self.truths.facts(done.predicate, truth)
        for head, value in zip(done.test.builder.params, values, strict=True):
            if head in facts:
                self.truths.settled[value] = facts[head]
            link = self.link_tests.get(head)
            if link is not None and link[0] in facts:
                self.links_told[value] = facts[link[0]]

    def _run_test(self, test: Callable[[], Any] | None, done: Round) -> None:
        value = True if test is None else self.machine.condition(test())
        known = self.machine.static_truth(value)
        tested = value if known is not None else self.machine.predicate(value)
        if type(tested) is bool:
            known = tested
        done.predicate = self.recorder.const(
            known) if known is not None else self.recorder.value_of(tested)

    def _in_region(self, region: Region, forms: dict[tuple[Any, ...], Carried],
                   run: Callable[[], None], index: Value | None = None
                   ) -> dict[tuple[Any, ...], Change]:
        """Run a part of a loop in its region, with parameters in the carried cells."""
        arm = Arm(region, {}, NORMAL)
        self.merges.enter_arm(arm)
        try:
            if index is not None:
                region.builder.params.append(index)
            self._enter_forms(region, forms)
            run()
        finally:
            self.merges.leave_arm(arm)
            self.made_in_body = frozenset(arm.born)
        return arm.changes

    def _enter_forms(self, region: Region, forms: dict[tuple[Any, ...], Carried]) -> None:
        """Put parameters into the carried cells."""
        made_homes: list[tuple[list[Any], dict[str, list[Any]]]] = []
        pristine: dict[int, Any] = {}  # of a shape: what has two names has them at the head, too
        heads: dict[int, Any] = {}
        # a list is read before its head hides the items that it had
        try:
            parts = [{"entry": leaves(c.shape, c.entry),
                      "end": [] if c.end is None else leaves(c.shape, c.end)}
                     for c in forms.values()]
        except Misfit:
            raise self.recorder.of_forms(JoinError(
                "a loop's variable has other parts after each iteration",
                why="what a loop carries has one form for all iterations",
                fix="append to a list, or use a loop over a constant")) from None
        for carried, held in zip(forms.values(), parts, strict=True):
            made = []
            carried.params = []
            for part in held["entry"]:
                for item in part.items if type(part) is Snapshot else ():
                    self.joined_values.note_stored(item)
            for leaf, hint in self.hinted(carried.cell, carried.shape, carried.entry):
                param = region.builder.param(leaf.aval, hint)
                carried.params.append(param)
                head = self.joined_values.object_of(leaf, param, [])
                if type(head) is ArrayTracer and leaf.version_of is None:
                    head.home.leave_open(self.innermost)
                made.append(head)
            made_homes.append((list(made), held))
            carried.heads = list(made)
            carried.pristine = self.merges.built(carried.shape, list(made), pristine)
            carried.head = self.merges.built(carried.shape, made, heads) if isinstance(
                carried.shape, (Sequence, Apart)) else carried.pristine
            unread = self.merges.is_unread(carried.cell, self.later.head)
            self.journal.write(carried.cell, UNREAD if unread else carried.head)
            self.open_names.note_open(carried.cell, carried.head, after_loop(
                self.open_names.openness(carried.cell, carried.entry),
                self.open_names.openness(carried.cell, carried.end), None))
        self._link_heads(made_homes)

    def hinted(self, cell: Cell, shape: Shape, state: Any) -> list[tuple[Leaf, str | None]]:
        """The leaves of a cell's form, each with a name for the generated code."""
        hints: list[str | None] = []
        for label, part in self.part_labels(cell, shape, state):
            for leaf in leaf_shapes(part):
                hint = self._hint_of(cell, leaf)
                hints.append(hint if label is None or leaf.version_of is not None else label)
        return list(zip(leaf_shapes(shape), hints, strict=True))

    def part_labels(self, cell: Cell, shape: Shape, state: Any) -> list[tuple[str | None, Shape]]:
        """The items of a container, each named by the container's name and its key, or the parts
        of what has labels for them."""
        name = self.variables.name_of(cell.owner) if type(cell) is Content else None
        if isinstance(shape, Sequence) and shape.labels:
            found = name or getattr(cell, "name", None)
            named = isinstance(found, str) and found.isidentifier()
            return [(f"{found}{label}" if named else None, item)
                    for label, item in zip(shape.labels, shape.items, strict=True)]
        if name is None or type(state) is not Snapshot or not isinstance(shape, Sequence) or (
                len(shape.items) != len(state.items)):
            return [(None, shape)]
        keys = [k for k, _ in state.items] if state.type is dict else range(len(state.items))
        return [(item_name(name, k), part) for k, part in zip(keys, shape.items, strict=True)]

    def _hint_of(self, cell: Cell, leaf: Leaf) -> str | None:
        name = getattr(cell, "name", None)
        if leaf.version_of is not None:
            hint: str | None = leaf.version_of.current.hint
            return hint
        if isinstance(cell, Content):
            return self.variables.name_of(cell.owner)
        return name if isinstance(name, str) and name.isidentifier() else leaf.label

    def _link_heads(self, made: list[tuple[list[Any], dict[str, list[Any]]]]) -> None:
        """Carried arrays may be one at the loop's head if they were at the entry or at the end
        of an iteration; they may also be an array that lives outside."""
        sides: dict[str, list[tuple[Home, Home]]] = {"entry": [], "end": []}
        for objects, held in made:
            for side, pairs in sides.items():
                for tracer, part in zip(objects, held[side], strict=False):
                    for array in arrays_of(part) if type(tracer) is ArrayTracer else ():
                        pairs.append((tracer.home, array.home))
                        inherit_stored(tracer.home, (array,))
                        tracer.home.aliases += [
                            (home, home.current) for home in reach(array.home)
                            if home.region is not None and home.region.active
                            and home.choice is None]
        link_possible(list(sides.values()))

    def _loop_join(self) -> Join:
        """A join of a loop's states: its names may be bound to lists of any length."""
        joining = self.merges.join()
        joining.walks, joining.made = True, self.made_in_body
        joining.follows_arrays = FollowedArrays(self.innermost) in self.assumed
        return joining

    def may_rebind(self) -> bool:
        if KnownLengths() in self.assumed:
            return False
        self.assumed.risk(KnownLengths())  # without, if anything fails
        return True

    def _widen(self, forms: dict[tuple[Any, ...], Carried], done: Round) -> bool:
        """Compare the ends of a round with its heads; True if some form became wider."""
        joining = self._loop_join()
        wide = False
        before = self._partition(forms)
        recalled = all(c.end is None for c in forms.values())
        for key, carried in forms.items():
            change = done.changes.get(key)
            carried.end = change.after if change is not None else carried.entry
            if carried.end is UNBOUND and self.merges.tells_bound(carried.cell, carried.entry,
                    UNBOUND):
                carried.end = DELETED
            if isinstance(carried.cell, (Version, Lost, Stored)):
                continue
            form = carried.shape
            carried.shape, changed = widen(joining, form, carried.pristine, carried.end)
            if isinstance(form, OneOf) and isinstance(carried.shape, Failed):
                raise self.recorder.of_forms(carried.shape.error, *carried.shape.remedies)
            changed = _open_sizes(joining, carried.shape, done.own) or changed
            self.merges.check_content(carried.cell, carried.shape)
            wide = wide or changed
        if not wide:
            wide = self._partition(forms) != before if not recalled else not self._covered(forms)
        for key, carried in forms.items():
            if not wide and isinstance(carried.shape, Leaf) and carried.shape.steady and (
                    not self._steady(carried, done)):
                self.unsteady.add(key)
                carried.shape = Leaf(any_aval(carried.shape.aval.dtype), label=carried.shape.label)
                wide = True
        for key in [k for k, c in forms.items() if c.is_unchanged and k not in self.dropped]:
            self.dropped.add(key)
            del forms[key]
            wide = True
        for key, change in done.changes.items():
            if key in forms or (isinstance(change.cell, (Lost, Stored)) and change.before):
                continue
            if self.merges.is_unread(change.cell, self.later.either) or (
                    isinstance(change.cell, Version) and is_derived(change.cell.owner)):
                continue
            shape = self._first_form(joining, change)
            _open_sizes(joining, shape, done.own)
            forms[key] = Carried(change.cell, shape, change.before, end=change.after)
            wide = True
        older = self.journal.sealed.keys() - done.sealed - self.made_in_body
        if any(isinstance(self.journal.sealed[key], (list, dict, set)) for key in older):
            wide = True  # what an iteration puts into lists, the next one must not change
        self._check_objects(joining, {*forms, *done.changes})
        return wide

    def _check_objects(self, joining: Join, changed: set[tuple[Any, ...]]) -> None:
        """A loop carries objects by their parts: each must have one name only."""
        torn = self.merges.torn(joining, changed)
        if torn:
            objects = [obj for pair in joining.objects for obj in pair
                       if (id(pair[0]), id(pair[1])) in torn]
            raise self.recorder.of_forms(JoinError(
                "a loop's variable refers to another object in each iteration, and the objects "
                "have other names too",
                why="a change made through one name could not be followed to the others",
                fix="keep the numbers in arrays, or copy the object"),
                *remedies_for(joining, *objects))

    def _covered(self, forms: dict[tuple[Any, ...], Carried]) -> bool:
        """May the arrays at the head be all that the arrays at the end may be?"""
        pairs = [(head.home, array.home) for c in forms.values() if c.end is not None
                 for head, part in zip(c.heads, leaves(c.shape, c.end), strict=False)
                 if type(head) is ArrayTracer for array in arrays_of(part)]
        for a, source in pairs:
            known = {id(h) for h, _ in a.aliases}
            if (is_stored(source) and not a.stored) or any(
                    h.region is not None and h.region.active and h.choice is None
                    and id(h) not in known for h in reach(source)):
                return False
            if any(a is not b and id(b) not in known and may_be_one(source, other)
                   for b, other in pairs):
                return False
        return True

    def _partition(self, forms: dict[tuple[Any, ...], Carried]) -> list[Any]:
        """Which carried arrays are one buffer at the end of an iteration, and which belong to
        the world outside of the loop: what the next head must know as possible aliases."""
        labels: list[Any] = []
        first: dict[int, int] = {}
        for carried in forms.values():
            if carried.end is None:
                continue
            for array in itertools.chain(*map(arrays_of, leaves(carried.shape, carried.end))):
                home = array.home
                outer = home.region is not None and home.region.active
                labels.append(id(home) if outer else first.setdefault(id(home), len(labels)))
                labels.append(("stored", is_stored(home)))
                labels.extend(sorted(id(h) for h in reach(home)
                                     if h.region is not None and h.region.active))
        return [x for i, x in enumerate(labels) if x != i]

    def _first_form(self, joining: Join, change: Change) -> Shape:
        cell = change.cell
        if isinstance(cell, Version):
            return Leaf(change.before.aval, version_of=cell.owner)
        if isinstance(cell, (Lost, Stored)):
            return Same(change.after)
        ends = [change.before, change.after]
        if self.merges.tells_bound(cell, *ends):
            ends = [DELETED if s is UNBOUND else s for s in ends]
        if change.before is UNBOUND and isinstance(cell, Slot) and (
                leaf_aval(change.after) is None and is_mutable(change.after)) and (
                id(change.after) not in self.made_in_body):
            return Same(change.after)  # an object from before the loop, the same each time
        shape = joining.unify(*ends)
        self.merges.check_content(cell, shape, *ends)
        if isinstance(shape, Leaf) and type(change.before) in (int, float) and (
                type(change.after) is ArrayTracer) and change.after.aval.kind is Kind.ARRAY and (
                change.cell.key not in self.unsteady):
            # ``s = 0`` before a loop that adds arrays to it: the type is that of the sums
            return Leaf(change.after.aval, label=shape.label, steady=True)
        return _opened(joining, shape)

    def _steady(self, carried: Carried, done: Round) -> bool:
        """Do the facts of a steady leaf hold for the number it starts from as well?  They do
        if whatever reads it has the array's shape anyway, by its other operands."""
        (leaf,), (param,) = leaf_shapes(carried.shape), carried.params
        return all(_same_shape_without(node, param, leaf.aval)
                   for node in walk(Block((), tuple(done.region.builder.nodes), ()))
                   if param in node.inputs)


def _opened(joining: Join, shape: Shape) -> Shape:
    """Ints that change in a loop get a symbol of their own at once."""
    for leaf in leaf_shapes(shape):
        if leaf.aval.kind is Kind.INT:
            leaf.opened = leaf.opened | {-1}
            atoms = () if isinstance(leaf.aval.expr, int | None) else leaf.aval.expr.atoms()
            leaf.aval = leaf.aval.but(expr=joining.machine.fresh(
                "i", low=atoms[0].low if atoms else None))
        elif leaf.aval.kind is Kind.ARRAY:
            leaf.opened = frozenset(
                axis for axis, size in enumerate(leaf.aval.shape or ())
                if not isinstance(size, int) and size.atoms()
                and size.atoms()[0].name == "k" and size.atoms()[0].varying)
    return shape


def _open_sizes(joining: Join, shape: Shape, own: frozenset[Atom]) -> bool:
    """Sizes that the loop's own index tells are those of one iteration: the one before left
    others at the head.  They get symbols of their own; True if there were any."""
    found = False
    for leaf in leaf_shapes(shape):
        if leaf.aval.kind is not Kind.ARRAY or leaf.version_of is not None:
            continue
        sizes = list(leaf.aval.shape or ())
        told = [axis for axis, size in enumerate(sizes)
                if not isinstance(size, int) and own.intersection(symbols(size))]
        for axis in told:
            sizes[axis] = joining.machine.fresh("k", not_one=never_one(sizes[axis]))
        if told:
            leaf.aval = leaf.aval.but(shape=tuple(sizes))
            leaf.opened = leaf.opened | frozenset(told)
            found = True
    return found


def _same_shape_without(node: Node, param: Value, aval: Aval) -> bool:
    """Does the node's result have this shape even if ``param`` were a number?"""
    if node.op != "apply" or node.params["fn"] not in ELEMENTWISE:
        return False
    others = [v for v in node.inputs if v is not param]
    return any(v.aval.kind is Kind.ARRAY and v.aval.shape == aval.shape for v in others)


def _test_first(machine: Any, test: Callable[[], Any] | None, body: Callable[[], Any],
                ended: Frame) -> Callable[[], Any]:
    """The body of ``while True`` that tests first: for tests that change state.  ``ended`` tells
    whether the loop came to its end by its test (then its ``else`` runs)."""
    assert test is not None

    def leave() -> Any:
        machine.store(ended, "finished", True)
        return BREAK

    def tested_body() -> Any:
        return machine.if_(test(), body, leave)

    return tested_body
