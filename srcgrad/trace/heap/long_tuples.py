"""Tuples whose length only a run knows: ``rows, columns = zip(*pairs)``.

While tracing such a tuple is a list of unknown length that may not change, and that is noted as a
tuple: what asks for its type is answered so, and what is handed to the world outside is made a
tuple there.
"""

from __future__ import annotations

from typing import Any

from ...errors import UnsupportedOperation
from ...types.kinds import OPAQUE, Kind
from ..assumptions import KnownLengths
from ..collaborator import Collaborator
from ..iteration.iteration import Transposed
from ..record.states import Columns
from .columns import kind_of_items


class LongTuples(Collaborator):
    """Lists of unknown length that stand for tuples."""

    speaks_to = ("found_functions", "lists", "opening", "recorder")

    def __init__(self) -> None:
        self.made: dict[int, list[Any]] = {}
        self.tuple_rows: dict[int, Any] = {}  # lists of which the rows stand for tuples

    def is_long(self, obj: Any) -> bool:
        """Does a list stand for a tuple?"""
        return id(obj) in self.made

    def has_long(self, obj: Any) -> bool:
        """Does a list stand for a tuple, or hold such?"""
        return self.is_long(obj) or self.holds_long(obj)

    def as_tuple(self, made: list[Any]) -> list[Any]:
        """Note that a list of unknown length stands for a tuple."""
        self.journal.seal(made)
        self.made[id(made)] = made
        return made

    # ---- what tuples do otherwise than lists -----------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        self._check_name(obj, name)
        return self.next.getattr(obj, name)

    def called_method(self, obj: Any, name: str, args: Any, kwargs: Any) -> Any:
        self._check_name(obj, name)
        return self.next.called_method(obj, name, args, kwargs)

    def _check_name(self, obj: Any, name: str) -> None:
        if self.is_long(obj) and not hasattr(tuple, name):
            raise AttributeError(f"'tuple' object has no attribute {name!r}", name=name)

    def getitem(self, obj: Any, key: Any) -> Any:
        return obj if isinstance(key, slice) and self._is_whole(obj, key) else (
            self.next.getitem(obj, key))

    def binary(self, op: str, left: Any, right: Any) -> Any:
        """With nothing added a tuple is itself."""
        for one, other in ((left, right), (right, left)):
            if self._is_tuple(one) and (
                    (op == "*" and type(other) in (int, bool) and other == 1)
                    or (op == "+" and type(other) is tuple and not self.machine.length(other))):
                return one
        return self.next.binary(op, left, right)

    def _is_tuple(self, obj: Any) -> bool:
        return type(obj) is tuple or self.is_long(obj)

    def _is_whole(self, obj: Any, part: slice) -> bool:
        """Is a part of a tuple the tuple itself?"""
        if not self._is_tuple(obj) or part.start not in (None, 0) or part.step not in (None, 1):
            return False
        size = part.stop is not None and self.machine.length(obj)
        return part.stop is None or self.machine.static_truth(
            self.machine.compare(">=", part.stop, size)) is True

    def delitem(self, obj: Any, key: Any) -> None:
        if self.is_long(obj):
            raise TypeError("'tuple' object doesn't support item deletion")
        self.next.delitem(obj, key)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        return (self.machine.binary if self.is_long(left) else self.next.inplace)(op, left, right)

    def columns_of(self, rows: Transposed) -> Any:
        """``zip(*rows)``: an iterator of a tuple for each part of the rows."""
        obj = rows.rows
        state = self.symbolic_lists[id(obj)]
        if self.opening.may_open() and kind_of_items(state) is Kind.LIST:
            self.assumed.risk(KnownLengths())
            return rows
        if type(state) is not Columns or not state.form.is_row:
            return zip(*[self.machine.iterate(row) for row in self.machine.iterate(obj)],
                       strict=False)
        return iter([self.as_tuple(self.lists.held_list(c)) for c in state.columns])

    def holds_long(self, owner: Any) -> bool:
        """Are the rows of a list tuples?"""
        return id(owner) in self.tuple_rows

    def note_row(self, owner: Any, row: list[Any]) -> None:
        """A list is put into another one."""
        if self.is_long(row):
            self.tuple_rows[id(owner)] = owner

    def with_tuples(self, structure: Any) -> Any:
        """A structure with tuples made at run time in place of what stands for them."""
        if self.is_long(structure):
            return self.recorder.computed(
                tuple, OPAQUE, self.recorder.rows_value(self.symbolic_lists[id(structure)]))
        if self.holds_long(structure):
            return self.recorder.computed(list, OPAQUE, self.recorder.computed(
                map, OPAQUE, tuple, self.recorder.rows_value(self.symbolic_lists[id(structure)])))
        if id(structure) in self.symbolic_lists or id(structure) in self.found_functions.paths:
            return structure
        if type(structure) in (list, tuple):
            return type(structure)(map(self.with_tuples, structure))
        if type(structure) is dict:
            return {k: self.with_tuples(v) for k, v in structure.items()}
        return structure

    def check_long_tuples(self, op: str, left: Any, right: Any) -> bool:
        """Is one of the operands such a tuple?  Python's error where it is added to a list."""
        both = [self.is_long(x) or isinstance(x, tuple) for x in (left, right)]
        if not any(map(self.is_long, (left, right))) or (op == "+" and not all(
                is_tuple or isinstance(x, list)
                for is_tuple, x in zip(both, (left, right), strict=True))):
            return False
        if op == "+" and not all(both):
            raise TypeError("can only concatenate list (not \"tuple\") to list" if both[1] else
                            "can only concatenate tuple (not \"list\") to tuple")
        return True

    def refuse_as_key(self, key: Any) -> None:
        """Such a tuple has no hash while tracing; start again without, if it was gathered."""
        if self.is_long(key):
            self.opening.check_gathered(key)
            raise self.recorder.of_forms(UnsupportedOperation(
                "a tuple whose length depends on data is a key, or its hash is asked for",
                why="which key it is, is known while compiling",
                fix="use what tells the tuples apart: a number, or a text"))

    def returned_tuple(self) -> UnsupportedOperation:
        """The refusal of one among the results."""
        return UnsupportedOperation(
            "the function returns a tuple whose length depends on data",
            why="the derivative of what is returned is known for lists and arrays of any length",
            fix="return a list: list(...)")
