"""Lists of numbers that loops index: from where the list was made on, its content is a graph value.

``v[i]`` with a loop's index could be done by unrolling the loop.  Where the list holds numbers, it
becomes a list of unknown length instead, in the region that holds it unchanged around the loop.
If that fails later, tracing starts again without it (``KnownLengths`` is assumed then).
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Container, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import AliasError
from ...graph.ir import Value
from ...types.dims import is_of_call
from ...types.guards import Path
from ...types.kinds import SCALARS, Aval, Kind, list_of
from ..assumptions import GivenText, KnownLengths
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..iteration.iteration import Enumerate, Numbers, Range, Zip
from ..record.journal import Content
from ..record.regions import Region
from ..record.scopes import during
from ..record.states import Columns, Owned, SymbolicList
from ..record.structures import LONG, is_number, parts_of_iterator
from ..record.tracers import OpaqueTracer, is_tracer
from .columns import kind_of_items
from .forms import Column
from .gathering import (
    column_name,
    columns,
    form_of_items,
    held_objects,
    holds,
    instances_in,
)
from .outlines import (
    Lists,
    Outline,
    Referred,
    Unlike,
    is_numeric,
    is_plain,
    outline,
    refers,
    weak,
)
from .stores import FEW, FEW_NAMED, Reference, kind_of, stored_as


def _is_kept(item: Any) -> bool:
    """Is it a number, or a reference, which is one?"""
    return is_number(item) or type(item) is Reference


def _is_begun(iterator: Any) -> bool:
    """Has something been taken?"""
    return isinstance(iterator, types.GeneratorType) and (
        inspect.getgeneratorstate(iterator) != inspect.GEN_CREATED)


class Opening(Collaborator):
    """Opening lists for the indices of loops."""

    speaks_to = ("call_nodes", "class_attributes", "found_functions", "list_rows", "lists",
                 "merges", "pools", "recorder", "references", "sources", "tuples", "whole_lists")

    def __init__(self) -> None:
        # tuples of numbers that loops index, by the list that stands for them
        self.constant_lists: dict[int, tuple[list[Any], tuple[Any, ...]]] = {}
        self.joint_walks: dict[int, tuple[Any, tuple[Any, ...]]] = {}  # through lists, by their ids
        self.giving = False  # are the items of a list being put into a list of unknown length?
        self.hoisted: dict[int, Any] = {}  # lists that stand for lists from outside
        # what stands for lists from outside, by their columns
        self.gathered_lists: dict[int, list[Any]] = {}
        self.outlines: list[tuple[Path, list[Any], Outline]] = []  # of what these hold
        self.columns: list[tuple[Path, int, list[Value]]] = []  # the inputs for each, and the way
        # those lists, and the containers and instances in them
        self.gathered_items: dict[int, Any] = {}

    def may_open(self) -> bool:
        """Are lists opened in this trace?"""
        return KnownLengths() not in self.assumed

    def opened_list(self, obj: Any, key: Any) -> list[Any] | None:
        """The same list, or that of an outside list's items, with an unknown length, if ``key``
        is a loop's index; None if it stays as it is."""
        if not self.is_unknown_place(key):
            return None
        if not isinstance(obj, list) or not obj:
            return None
        if id(obj) in self.found_functions.paths:
            found = self.gathered_list(obj)
            if found is not None:
                return found
        return self._opened(obj) if self._is_open(obj) else None

    def is_unknown_place(self, key: Any) -> bool:
        """Is a key a loop's index, or data?"""
        if not self.may_open() or not is_tracer(key) or key.aval.kind is not Kind.INT or (
                is_of_call(key.aval.expr)):
            return False
        self.assumed.risk(KnownLengths())
        return True

    def open_long(self, obj: Any) -> list[Any] | None:
        """The same list, or that of an outside list's items, with an unknown length if it is
        long enough not to be gone through while tracing; None if it stays as it is."""
        if type(obj) is not list or not obj or not self.may_open():
            return None
        path = self.found_functions.paths.get(id(obj))
        if path is not None and (len(obj) > self._few(obj) or self.assumed.gathers(str(path))):
            found = self.gathered_list(obj)
            if found is not None:
                return found
        if len(obj) <= FEW or (len(obj) <= LONG and is_plain(obj[0])):
            return None
        items = self.lists.items_seen(obj)
        if not all(map(_is_kept, items)) or (len(obj) <= LONG and type(items[0]) is not Reference):
            return None
        self.assumed.risk(KnownLengths())
        return self._opened(obj)

    def _opened(self, obj: list[Any]) -> list[Any] | None:
        return self._hoisted(obj) if id(obj) in self.found_functions.paths else self._open(obj)

    def walk_of(self, walk: Any, parts: tuple[Any, ...]) -> Any:
        """A ``zip``, ``enumerate`` or ``pairwise`` of these parts, which is remembered."""
        self.joint_walks[id(walk)] = walk, parts
        return walk

    def known_walk(self, walk: Any) -> Any:
        """What stands for a text that is gone through, alone or with others, where the run knows
        its characters by their places; None for all else, and where something is taken."""
        if type(walk) is str and len(walk) > 1 and self.may_open():
            made = OpaqueTracer(self.machine, self.recorder.const(walk), str)
            return Numbers(made, tuple(walk))
        _, parts = self.joint_walks.get(id(walk), (walk, ()))
        if not parts or any(map(_is_begun, parts_of_iterator(walk))):
            return None
        known = [Range(p.start, p.stop, p.step) if type(p) is range else self.known_walk(p)
                 for p in parts]
        if None in known or all(type(one) is Range for one in known):
            return None
        if type(walk) is enumerate:
            return Enumerate(known[0], walk.__reduce__()[1][1])
        return Zip(tuple(known))

    def give_texts(self, staged: Any) -> None:
        """Start again with a text from outside as an input, if one is gone through."""
        for part in getattr(staged, "parts", None) or (getattr(staged, "inner", staged),):
            if part is not staged:
                self.give_texts(part)
            elif isinstance(part, Numbers):
                self.give_text("".join(part.numbers))

    def give_text(self, text: str) -> None:
        """Start again with a text as an input, if it is from outside."""
        path = self.sources.texts.get(text)
        if path is not None and self.assumed.open(given := GivenText(str(path))):
            raise Restart(given)

    def gather_whole(self, walk: Any, few: int) -> None:
        """Start again with lists of numbers from outside gathered which a loop goes through, alone
        or together: more than ``few`` items are too much text to be written out."""
        _, parts = self.joint_walks.get(id(walk), (walk, (walk,)))
        paths = self.found_functions.paths
        if self.may_open() and all(
                type(one) in (list, tuple) and id(one) in paths and len(one) > few
                and all(map(is_number, one)) for one in parts):
            for one in parts:
                self.whole_lists.gather_instead(one, paths[id(one)])

    def _few(self, obj: list[Any]) -> int:
        """The length up to which a list from outside is gone through while tracing."""
        if is_plain(obj[0]) and type(obj[0]) is not np.ndarray:
            return LONG
        return FEW if is_plain(obj[0]) or self.sources.is_differentiated(obj) else 0

    def constants(self, numbers: tuple[Any, ...]) -> Numbers | Zip | None:
        """Known numbers, or tuples of such, as lists that a loop goes through; None if lists are
        not opened, or if they are from outside: what is read there is guarded item by item."""
        if not self.may_open() or self.merges.is_outside(numbers):
            return None
        if type(numbers[0]) is tuple:
            return Zip(tuple(self.constants(column) for column in zip(*numbers, strict=True)))
        self.assumed.risk(KnownLengths())
        made = self.lists.list_object(self.lists.list_of_numbers(list(numbers)))
        return Numbers(made, numbers)

    def constant_item(self, obj: Any, key: Any) -> Any:
        """One of several known numbers in a tuple, by a loop's index; None if it is not that."""
        if type(obj) is not tuple or self.merges.is_outside(obj) or (
                {*map(type, obj)} != {float}  # integers may become sizes, which must be known
                or not self.is_unknown_place(key)):
            return None
        if id(obj) not in self.constant_lists:
            at_start = self.at_start()
            with during(self.recorder, region=(
                    self.recorder.root if at_start else self.recorder.region)):
                value = self.lists.list_of_numbers(list(obj))
            value.hint = next((name for frame in reversed(self.merges.frames)
                               for name, held in frame.slots.items() if held is obj), None)
            made = self.lists.list_object(value)
            if not at_start:
                return self.lists.list_get(made, key)
            self.constant_lists[id(obj)] = (made, obj)
        return self.lists.list_get(self.constant_lists[id(obj)][0], key)

    # ---- lists from outside --------------------------------------------------------------------

    def gathered_list(self, obj: list[Any]) -> list[Any] | None:
        """The items of a list from outside by their columns, which are inputs; None where they are
        unlike, hold other things than numbers, or have been or are to be told apart."""
        path = self.found_functions.paths[id(obj)]
        if not self.at_start():
            self.pools.store_instead(obj, read=True)
            return None
        known = self.gathered_lists.get(id(obj))
        if known is None and self.sources.is_differentiated(obj):
            self.whole_lists.gather_before(obj, changes=False)
            return None
        if known is None:
            try:
                self.gather(obj, path)
                known = self.gathered_lists[id(obj)]
            except Unlike:
                self.pools.store_instead(obj, read=True)
                return None
        return None if self.has_changed(held_objects(obj, self.pools.holds)) else known

    def has_changed(self, objects: Iterable[Any]) -> bool:
        """Has the program changed one of some objects from outside?"""
        return any(id(one) in self.sources.shadows or id(one) in self.sources.overlays
                   or id(one) in self.sources.blind for one in objects)

    def at_start(self) -> bool:
        """May inputs be made here: is it no function of its own that is traced?"""
        outermost = next(r for r in self.recorder.region.around()
                         if r.layer <= 1 or r.parent is None)
        return outermost is self.recorder.root and not self.call_nodes.tracing

    def gather(self, obj: Any, path: Path, changes: bool = False, few: int = FEW_NAMED,
               ) -> tuple[Outline, list[SymbolicList]]:
        """Gather the items of a list or tuple; what they have in common, and the columns.
        :class:`Unlike` if they have too little.  What stands for a list that ``changes`` may
        change."""
        found = outline([*obj], self.pools.holds)
        if not isinstance(found, Lists) or found.inner is None or (
                len(obj) <= few and not is_numeric(found)):
            raise Unlike
        if isinstance(found.inner, Referred):
            self.gathered_lists[id(obj)] = self.pools.numbered(obj, path, found)
            return found.inner, []
        if refers(found):
            self.pools.include(found, obj, path)
        form, named = form_of_items(found.inner, obj, self.pools.store_of)
        if not named:
            raise Unlike
        if self.references.may_store(kind_of(obj[0]), outside=True):
            self.assumed.risk(stored_as(kind_of(obj[0]), outside=True))
        self._note_instances(obj, path)
        whole = self.pools.columns_path(path, found.inner)
        held = columns(obj, found.inner, self.pools.numbers)
        states = self.column_inputs(whole, [
            (column_name(path) + name, aval) for name, aval in named], held)
        self.note_arrays(whole, held, [None] * len(held))
        made: list[Any] = self.lists.holding(list, states[0] if isinstance(form, Column)
                                             else Columns(form, tuple(states)))
        self.journal.older(made)
        self.gathered_lists[id(obj)] = self.hoisted[id(made)] = made
        if type(obj) is tuple:
            self.tuples.as_tuple(made)
        if not changes:
            self.journal.seal(made)
            self.keep_items(path, obj, found.inner)
        self.sources.notes.append(
            f"long list: the items of {path} are alike, and kept column by column")
        return found.inner, states

    def keep_items(self, path: Path, obj: list[Any], found: Outline) -> None:
        """What is in a list may not change, as other things stand for it."""
        self.outlines.append((path, obj, weak(found)))
        for one in held_objects(obj, self.pools.holds):
            self.keep_as_found(one)

    def _note_instances(self, obj: list[Any], path: Path) -> None:
        """Guard the classes of the instances that are gathered."""
        self.assumed.risk(KnownLengths())
        for step, one in instances_in(
                obj[0], path.child("item", 0), self.pools.holds):
            self.sources.guard("type", step, type(one))
            self.class_attributes.note_class(type(one))

    def column_inputs(self, whole: Path, named: list[tuple[str, Aval]],
                       held: list[list[Any]]) -> list[SymbolicList]:
        """The inputs for the columns with these names, the last ones of those that a path leads
        to."""
        # asks for them: fails for unlike items
        self.sources.guard("length", whole, len(held))
        # the first one tells the shapes of arrays, so there is one
        least = int(any(aval.kind is Kind.ARRAY for _, aval in named))
        size, states = self.fresh("k", low=least), []
        for number, (name, aval) in enumerate(named, len(held) - len(named)):
            if aval.kind is Kind.ARRAY:
                aval = aval.but(shape=self.sources.shape_of(
                    held[number][0], whole.child("item", number).child("item", 0)))
            value = self.sources.input(list_of(aval), whole.child("item", number), "list")
            value.hint = name
            value.obj = self.recorder.new_obj(value)
            self.recorder.list_sizes.known[value] = size
            states.append(SymbolicList(value, value.obj))
        self.columns.append((whole, len(held), [state.value for state in states]))
        return states

    def leave_out(self, used: Container[Value]) -> None:
        """Do not gather lists that the program does not read; arrays are, as they are guarded."""
        for whole, count, values in self.columns:
            if not any(v in used or v.aval.elem is None or v.aval.elem.is_array for v in values):
                self.sources.leave_out(values)
                self.sources.guards.pop(("length", whole, repr(count)), None)

    def note_arrays(self, whole: Path, held: list[list[Any]], copies: Sequence[Any]) -> None:
        """Note which arrays were gathered, and the columns that have copies of them."""
        for number, (column, copied) in enumerate(zip(held, copies, strict=True)):
            if type(column[0]) is np.ndarray:
                self.sources.array_lists.append((whole.child("item", number), column, copied))

    def keep_as_found(self, obj: Any) -> None:
        """Say of an object from outside that others stand for it: it may not change."""
        self.gathered_items[id(obj)] = obj
        self.journal.seal(obj)

    def check_apart(self, obj: Any, path: Path) -> None:
        """An object from outside is changed: guard that it is in no list that was gathered."""
        for whole, items, found in self.outlines:
            if self.sources.gives(holds, (items, found, obj), (whole, found, path)):
                self.references.not_gathered(obj)

    def keep_apart(self, obj: Any) -> None:
        """An object from outside is changed: if it was gathered, start again without."""
        if id(obj) in self.gathered_items:
            self.references.not_gathered(obj)

    def not_gathered(self, obj: Any) -> NoReturn:
        """Start again with the items of lists from outside by their own paths."""
        self.whole_lists.gather_before(obj)
        self.whole_lists.not_gathered()
        if KnownLengths() in self.assumed:
            raise self.recorder.fatal(AliasError(
                "an object from outside may change, or another one in its place on the other path",
                why="which of them it is depends on data, and one stands for both",
                fix="change a copy of it (.copy(), or [:] of a list)"))
        raise Restart(KnownLengths())

    def check_gathered(self, structure: Any) -> None:
        """What leaves the trace must be the objects from outside, not what stands for them."""
        if isinstance(structure, (list, tuple)) and id(structure) not in self.hoisted:
            for part in structure:
                self.check_gathered(part)
        elif type(structure) is dict:
            self.check_gathered(list(structure.values()))
        if self.is_gathered(structure):
            self.references.not_gathered(structure)

    def is_gathered(self, obj: Any) -> bool:
        """Does an object stand for one of a list from outside, or for a part of one?"""
        owned = self.list_rows.list_owners.get(id(obj))
        if owned is not None and owned.key is not None:
            return self.is_gathered(owned.owner)
        return id(obj) in self.hoisted or id(obj) in self.gathered_items or (
            id(obj) in self.journal.copies and any(
                type(obj) is type(one) for one in self.gathered_items.values()))

    def _is_open(self, obj: list[Any]) -> bool:
        """Does a list hold numbers only, or lists that do?"""
        items = self.lists.items_seen(obj)
        if type(items[0]) is not list:
            return all(map(_is_kept, items))
        return len({id(i) for i in items}) == len(items) and all(
            type(i) is list and id(i) not in self.list_rows.list_owners
            and id(i) not in self.journal.sealed and id(i) not in self.found_functions.paths
            and (self._has_numbers(i) if id(i) in self.symbolic_lists else bool(i)
                 and self._is_open(i)) for i in items)

    def _has_numbers(self, obj: list[Any]) -> bool:
        return kind_of_items(self.symbolic_lists[id(obj)]) in (*SCALARS, Kind.LIST)

    def _open(self, obj: list[Any], place: Any = None) -> list[Any] | None:
        place = place or self._place_of(obj)
        if place is None or id(obj) in self.journal.sealed:
            return None
        for item in obj:
            if type(item) is list:
                if id(item) not in self.symbolic_lists and self._open(item, place) is None:
                    return None
                self.list_rows.list_owners[id(item)] = Owned(obj, item, None)
        region, number = place
        cell = Content(obj, self.symbolic_lists)
        before = cell.get()
        with during(self.recorder, region=region), during(self, giving=True):
            state = self.lists.unknown_state(obj)
        layer = self.journal.layers[number - 1]
        self.journal.keep.append(obj)  # its state is found by its id, which must stay its own
        if self.journal.births.get(id(obj), 0) < number:
            layer.before.setdefault(cell.key, (cell, before))
        cell.put(state)
        return obj

    def _hoisted(self, obj: list[Any]) -> list[Any] | None:
        """The items of a list from outside, as a list that is made at the start."""
        if not self.at_start():
            return None
        with during(self.recorder, region=self.recorder.root), during(self, giving=True):
            value = self.lists.list_of_numbers(self._seen_deep(obj))
            if value.hint is None:
                value.hint = str(self.found_functions.paths[id(obj)])
        made = self.lists.list_object(value)
        self.hoisted[id(made)] = made
        return made

    def _seen_deep(self, obj: Any) -> list[Any]:
        return [self._seen_deep(i) if type(i) is list else i for i in self.lists.items_seen(obj)]

    def _place_of(self, obj: list[Any]) -> tuple[Region, int] | None:
        """The outermost region in which a list has the content that it has now, and the number
        of the journal's layer that belongs to it there."""
        journal = self.journal
        last, todo = 1, [obj]
        while todo:
            one = todo.pop()
            key = Content(one, self.symbolic_lists).key
            last = max(last, journal.births.get(id(one), len(journal.layers)), *(
                i for i, layer in enumerate(journal.layers, 1) if key in layer.before), 1)
            todo.extend(i for i in one if type(i) is list)
        if self.call_nodes.tracing and last < self.call_nodes.tracing[-1].layer:
            return None
        if any(map(self.merges.is_unsure, obj)):  # its items are there in this arm alone
            arm = next(r for r in self.recorder.region.around()
                       if r.given is not None or r.parent is None)
            last = max(last, arm.layer)
        region: Region = self.recorder.region
        number = len(journal.layers)
        while region.layer > last:
            number = region.layer - 1
            if region.parent is None:
                return None
            region = region.parent
        return None if region.layer == 0 else (region, number)
