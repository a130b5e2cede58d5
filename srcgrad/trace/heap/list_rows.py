"""Rows of lists of lists of unknown length: ``A[i][j] = v``.

A row that is read, ``row = A[i]``, is a list of its own for Python; while tracing it is a *part*:
where it comes from is known, its content is read from there when it is needed, and a write to it
is a write to the whole, at a path of indices.  That is right as long as each row has one holder.
Whatever gives a row a second one (``B = A[:]``, ``A[0] = A[1]``, a name that a loop carries) and a
write to a row exclude each other: where both occur, tracing starts again with lists as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...graph.ir import Value
from ...types.dataclasses import dataclass
from ...types.kinds import Aval, Kind
from ..assumptions import Assumption, KnownLengths
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.states import Columns, Owned, Rows, SymbolicList
from ..record.structures import same_key
from .columns import put_together, taken_apart
from .forms import Unfit


@dataclass(frozen=True, slots=True)
class Swap:
    """The first half of ``A[i], A[k] = A[k], A[i]``."""

    owner: Any
    key: Any
    source: Any
    row: Value  # that the first half has replaced


class ListRows(Collaborator):
    """Lists of lists of unknown length."""

    speaks_to = ("among", "attributes", "call_nodes", "joined_values", "lists", "merges", "opening",
                 "pools", "recorder", "stored_lists", "whole_lists")

    def __init__(self) -> None:
        self.list_owners: dict[int, Owned] = {}
        self.row_writes = False  # has a row been written to?
        self.row_shares = False  # has a row got a second holder?
        self.half_swap: Swap | None = None
        self.lost_rows: dict[int, Owned] = {}  # the rows that a half of a swap has replaced
        self.last_rows: dict[int, Owned] = {}  # by their owner: those told as its last ones

    def share_rows(self) -> None:
        """Say that a row has a second holder."""
        self.row_shares = True
        if self.row_writes:
            self._start_again()

    def store_rows(self) -> None:
        """Start again with lists that are rows in a store, if they can lie there."""
        for way in self.ways():
            raise Restart(way)

    def ways(self) -> list[Assumption]:
        """What may be assumed for lists that are rows to lie in a store."""
        rows = [part.inner for part in self.list_owners.values()]
        return [way for obj in (*self.journal.sealed.values(), *rows)
                for way in self.stored_lists.ways(obj)]

    def _start_again(self) -> NoReturn:
        """Start again with lists that are rows in a store, or else with lists as they are."""
        self.store_rows()
        raise Restart(KnownLengths())

    def _write_rows(self) -> None:
        self.assumed.risk(KnownLengths())
        self.row_writes = True
        if self.row_shares or self.half_swap is not None or self.call_nodes.tracing:
            self._start_again()

    def check_swap(self) -> None:
        """At the end: half of a swap gives a row a second holder."""
        if self.half_swap is not None:
            self.share_rows()

    def part_of(self, owner: list[Any], key: Any) -> list[Any]:
        """The row of a list of lists."""
        state = self.symbolic_lists.raw(owner)
        inner: list[Any] = self.machine.containers.made([])
        self.list_owners[id(inner)] = Owned(owner, inner, key, state.rows, state.value,
                                           self.recorder.region)
        self.symbolic_lists[id(inner)] = SymbolicList(state.value, 0)
        inner[:] = [self.symbolic_lists.hidden]
        return inner

    def place_of_part(self, obj: Any) -> tuple[Any, list[Any]] | None:
        """The whole that a row lies in, and the keys on the way; None if that is not known any
        more."""
        path: list[Any] = []
        while id(obj) in self.list_owners:
            part = self.list_owners[id(obj)]
            if part.key is None or not part.region.active:
                return None
            if self.symbolic_lists.raw(part.owner).rows is not part.rows:
                return None
            path.insert(0, part.key)
            obj = part.owner
        return obj, path

    def part_state(self, number: int) -> Any:
        """The content of a row now."""
        part = self.list_owners[number]
        state = self._numbers_in(part)
        return state if part.form is None else Columns(part.form, (state,))

    def _numbers_in(self, part: Owned) -> SymbolicList:
        place = self.place_of_part(part.inner)
        if place is None or (part.given and not self.row_writes):
            if not self.opening.giving:
                self.share_rows()
            if not part.given and part.key is not None:
                self._start_again()
            state: SymbolicList = self.symbolic_lists.raw(part.inner)
            return state
        whole = self.symbolic_lists.raw(place[0]).value
        if part.seen is not None and part.seen[0] is whole and part.seen[1].active and (
                part.seen[2].value not in self.recorder.gone):
            return part.seen[2]  # type: ignore[no-any-return]
        (value,) = self.recorder.emit("get", (whole, *map(self.recorder.as_value, place[1])),
                                      (_held_at(whole, place[1]),))
        value.obj = self.recorder.new_obj(value)
        part.seen = (whole, self.recorder.region, SymbolicList(value, value.obj, part.rows))
        return part.seen[2]  # type: ignore[no-any-return]

    def get_in_row(self, obj: Any, key: Any) -> Any:
        """``A[i][j]``, read at once; None where the row itself is at hand."""
        part = self.list_owners.get(id(obj))
        if part is None or part.key is None or (part.given and not self.row_writes):
            return None
        place = self.place_of_part(obj)
        if place is None:
            return None
        whole = self.symbolic_lists.raw(place[0]).value
        if part.seen is not None and part.seen[0] is whole and part.seen[1].active:
            return None
        elem = _held_at(whole, (*place[1], key))
        if elem is None or elem.kind is Kind.LIST:
            return None
        path = tuple(self.recorder.as_value(k) for k in (*place[1], key))
        (value,) = self.recorder.emit("get", (whole, *path), (self.lists.element_aval(elem),))
        found = self.lists.element(value)
        return found if part.form is None else put_together(self.merges.join(), part.form, [found])

    def write_in_row(self, obj: Any, op: str, value: Any, *key: Any) -> bool:
        """``A[i][j] = value`` at once, or ``A[i].append(value)``; False if it cannot be done."""
        place = None if op == "append" and type(value) is list else self._written_place(obj)
        if place is not None:
            self._write(op, place, key, self._item_value(obj, place, value), value)
        return place is not None

    def put_row(self, obj: Any, value: Value) -> bool:
        """Give the row ``A[i]`` a new content, where it lies; False if it cannot be done."""
        place = self._written_place(obj)
        if place is not None:
            form, state = self.list_owners[id(obj)].form, SymbolicList(value, value.obj or 0)
            self._write("put", place, (), value, self.lists.held_list(
                state if form is None else Columns(form, (state,))))
        return place is not None

    def _item_value(self, obj: Any, place: tuple[Any, list[Any]], item: Any) -> Value:
        """The value of an item that goes into a row."""
        form = self.list_owners[id(obj)].form
        if form is None:
            self.attributes.check_row(place[0], item)
            return self.lists.list_item_value(item)
        try:
            (number,) = taken_apart(self.merges.join(), form, item)
        except Unfit:
            raise self.lists.unfit_item(form, item) from None
        return self.lists.list_item_value(self.among.computed(number))

    def _written_place(self, obj: Any) -> tuple[Any, list[Any]] | None:
        """The place of a row that is about to be written to; None if that cannot be followed."""
        place = self.place_of_part(obj) if id(obj) in self.list_owners else None
        if place is None or not self.opening.may_open():
            return None
        if id(place[0]) in self.opening.hoisted and self.whole_lists.owner(place[0]) is None:
            self.whole_lists.rows_change(place[0])
            self._start_again()
        self._write_rows()
        return place

    def _write(self, op: str, place: tuple[Any, list[Any]], last: tuple[Any, ...],
               item: Value, given: Any) -> None:
        """Make a new version of the whole, with an item at a path of indices; ``given`` is what
        the program has put there."""
        whole, path = place[0], (*place[1], *last)
        owner = self.symbolic_lists.raw(whole)
        aval = self._with_item(owner.value.aval, len(path) + (op == "append"), item.aval)
        (new,) = self.recorder.emit(
            op, (owner.value, item, *map(self.recorder.as_value, path)), (aval,))
        new.obj = owner.obj
        self.pools.write_back(whole, op, path, given)
        self.journal.write(self.lists.content_of(whole), SymbolicList(new, owner.obj, owner.rows))

    def _with_item(self, aval: Aval, depth: int, item: Aval) -> Aval:
        """The facts about a list of lists into which an item is put so deep."""
        if depth > 1:
            assert aval.elem is not None
            return aval.but(elem=self._with_item(aval.elem, depth - 1, item))
        plain = item.but(expr=None) if isinstance(item.expr, int) else item
        return aval.but(elem=self.lists.elem_with(aval.elem, plain))

    # ---- rows as items -------------------------------------------------------------------
    def given_row(self, owner: Any, item: list[Any], key: Any = None) -> Value:
        """The value of a list that is put into a list of unknown length."""
        if not self.opening.may_open() or id(item) in self.journal.sealed or (
                id(item) not in self.symbolic_lists and self.merges.is_outside(item)):
            if id(item) in self.journal.sealed:
                self.share_rows()
            self.journal.seal(item)
            known = self.symbolic_lists.get(id(item))
            return known.value if known is not None else self.joined_values.list_value(item)
        swapped = self._swapped(owner, item, key)
        if swapped is not None:
            return swapped
        if id(item) in self.list_owners:
            self.share_rows()
            self.journal.seal(item)
            return self.symbolic_lists[id(item)].value  # type: ignore[no-any-return]
        if id(item) not in self.symbolic_lists:
            self.lists.made_unknown(item)
        self.list_owners[id(item)] = Owned(owner, item, None)
        return self.symbolic_lists.raw(item).value  # type: ignore[no-any-return]

    def rows_before_end(self, owner: Any) -> Rows | None:
        """The rows that a list has before one is appended: those of a column, where each has a
        number that counts from the beginning, are the same after it."""
        if id(owner) not in self.attributes.places:
            return None
        last = self.last_rows.pop(id(owner), None)
        if last is not None:
            last.key = None
        rows: Rows = self.symbolic_lists.raw(owner).rows
        return rows

    def at_end(self, owner: Any, item: Any) -> None:
        """Note that a list has been appended to a list of lists: it is the last one."""
        part = self.list_owners.get(id(item)) if type(item) is list else None
        if part is not None and part.owner is owner and part.key is None and (
                id(owner) not in self.list_owners):
            part.key, part.given, part.region = -1, True, self.recorder.region
            part.rows = self.symbolic_lists.raw(owner).rows
            self.last_rows[id(owner)] = part

    def _swapped(self, owner: Any, item: list[Any], key: Any) -> Value | None:
        """The row as it was read, if this is a half of ``A[i], A[k] = A[k], A[i]``."""
        part, half = self.list_owners.get(id(item)), self.half_swap
        if part is None or part.key is None or part.owner is not owner or key is None or (
                id(owner) in self.list_owners):
            return None
        if half is None:
            if self.symbolic_lists.raw(owner).value is not part.version:
                return None
            others = [p for p in self.list_owners.values() if p.owner is owner and (
                p.version is part.version and p.region is self.recorder.region
                and p.key is not None and same_key(p.key, key))]
            if not others:
                return None
            row: Value = self.symbolic_lists[id(item)].value
            lost = self.symbolic_lists[id(others[-1].inner)].value
            self.half_swap = Swap(owner, key, part.key, lost)
            self.lost_rows.update({id(other.inner): other for other in others})
            return row
        if half.owner is not owner or self.lost_rows.get(id(item)) is not part or not (
                same_key(part.key, half.key) and same_key(key, half.source)):
            return None
        self.half_swap = None
        return half.row


def _held_at(whole: Value, path: Sequence[Any]) -> Any:
    """The type of what a list of lists holds at a path of indices; None if nothing does so far."""
    held: Any = whole.aval
    for _ in path:
        held = held.elem
    return held
