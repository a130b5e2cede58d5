"""Iterators that a program keeps: what takes items from them, and where they are afterwards.

An iterator in an expression (``for a, b in zip(x, y)``) is gone through once and forgotten.  One
that has a name, or lies in an attribute or a list, remembers its position: loops over it take the
next item like ``next`` does, and functions that take all items leave it at its end.  Where a
function may take some of the items only, the iterator cannot be used again.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Block
from ...graph.walking import walk
from ...stage.machine import EXPRESSION, Frame
from ..assumptions import LateItems
from ..collaborator import PASSED, Args, Collaborator, Kwargs
from ..flow.later import Body
from ..numpy.written_out import Flat, is_written_out
from ..objects.special_methods import python_method
from ..record.journal import Field
from ..record.structures import is_library
from .ahead import Ahead
from .iterables import taken
from .iteration import (
    Cursor,
    Enumerate,
    Items,
    Mapped,
    Reversed,
    Rows,
    Transposed,
    Zip,
    cursor_of,
    length,
    staged_iterable,
)

EXHAUST: frozenset[Any] = frozenset({list, tuple, set, frozenset, sum, max, min, sorted, dict,
                                     functools.reduce, np.fromiter, len})
TAKING = frozenset({"builtins", "itertools", "functools", "collections", "math"})
LOOKING: frozenset[Any] = frozenset({next, iter, isinstance, type, id, callable, bool, print, repr,
                                    str, hasattr, getattr})


class Iterators(Collaborator):
    """Iterators with a position."""

    speaks_to = ("containers", "contents", "escapes", "guarded", "loops", "pushes", "recorder",
                 "recursion", "walks")

    def __init__(self) -> None:
        self.kept_cursors: dict[int, tuple[Any, Cursor]] = {}

    def kept(self, value: Any) -> Any:
        """A value that gets a name: an iterator has a position from now on."""
        if type(value) is Transposed:  # the rows are those of now
            value = self.kept_cursors.setdefault(id(value), (value, Cursor(
                Items(self.machine.call(list, value)))))[1]
        if type(value) in (Zip, Enumerate, Mapped, Reversed):
            value = self.kept_cursors.setdefault(id(value), (value, Cursor(value)))[1]
        if type(value) is Flat and value.cursor is None:
            elements = self.machine.call_method(value, "elements")
            value.cursor = Cursor(staged_iterable(self.machine, elements), kept=True)
        if type(value) is Cursor:
            value.kept = True
        call = self.pushes.fresh_generator(value) if type(value) is types.GeneratorType else None
        if call is not None and self.pushes.is_open(call) and not call.form.makes_functions and (
                self.assumed.open(LateItems())):  # it may be asked for items one by one
            self.kept_cursors[id(value)] = value, self.made_ahead(value, kept=True)
        return self.kept_cursors.get(id(value), (value, value))[1]

    def made_ahead(self, generator: Any, kept: bool = False) -> Any:
        """An iterator over the items of a fresh generator, which are computed now."""
        ahead = Ahead(self.machine, generator)
        items = self.unnoticed(lambda: self.pushes.collected(generator))
        return self.containers.made(Cursor(
            staged_iterable(self.machine, items) or items, kept=kept, ahead=ahead))

    def unnoticed(self, compute: Callable[[], Any]) -> Any:
        """Compute what Python computes later, or may not compute."""
        found, changes = self.changes_of(compute)
        if changes:
            raise self.recorder.fatal(UnsupportedOperation(
                "what makes items of an iterator changes what is seen elsewhere",
                why="they are computed before they are taken, or more of them than are taken",
                fix="make a list of the items first, or write a loop"), LateItems())
        return found

    def changes_of(self, compute: Callable[[], Any]) -> tuple[Any, bool]:
        """Also whether what computes items does anything beside: changes what others may see, or
        has an effect.  Iterators that it goes through serve nobody else."""
        nodes = self.recorder.region.builder.nodes
        start = len(nodes)
        found, cells = self.guarded.changed_by(compute)
        own = {id(one) for made in self.pushes.generated.values() for one in (made, made.frame)}
        for cell in cells:
            if type(cell.owner) is Cursor:
                self.journal.write(Field(cell.owner, "shared"), True)
        return found, any(id(c.owner) not in own and type(c.owner) is not Cursor
                          for c in cells) or any(
            n.op == "effect" for n in walk(Block((), tuple(nodes[start:]), ())))

    def check_ahead(self, cursor: Cursor) -> None:
        if cursor.ahead is not None:
            self.check_same(cursor.ahead)

    def check_same(self, ahead: Ahead) -> None:
        name = ahead.changed()
        if name is not None:
            raise self.recorder.fatal(UnsupportedOperation(
                f"{name} has changed since items were made that are taken now",
                why="they were computed before they are taken, since who takes them one by one "
                    "may do so anywhere",
                fix="write the expression where its items are taken, or make a list of them"),
                LateItems())

    def store(self, frame: Frame, name: str, value: Any) -> None:
        self.next.store(frame, name, self.kept(value))

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        self.next.setattr(obj, name, self.kept(value))

    def build_list(self, *items: Any) -> Any:
        return self.next.build_list(*(self.kept(i) for i in items))

    def run_frame(self, function: Any, staged: Any, frame: Frame) -> Any:
        passing = is_written_out(function) or staged.name == EXPRESSION  # they name nothing
        for name, value in [] if passing else list(frame.slots.items()):
            if self.kept(value) is not value:
                frame.slots[name] = self.kept(value)
        return self.recursion.run_frame(function, staged, frame)

    def consumed(self, cursor: Any, whole: bool) -> Any:
        """The remaining items of a kept iterator, which is at its end from now on."""
        cursor = cursor_of(cursor)
        if type(cursor) is not Cursor or not cursor.kept:
            return cursor
        self.check_shared(cursor)
        rest = Cursor(cursor.inner, cursor.position, ahead=cursor.ahead)
        self.journal.write(Field(cursor, "position"), length(self.machine, cursor.inner))
        if not whole:
            self.journal.write(Field(cursor, "shared"), True)
        return rest

    def check_shared(self, cursor: Cursor) -> None:
        if cursor.shared is not False:
            self.refuse_shared()
        self.check_ahead(cursor)

    def refuse_shared(self) -> NoReturn:
        raise self.recorder.fatal(UnsupportedOperation(
            "an iterator is used again after something may have taken a part of its items",
            why="how far it has got depends on data",
            fix="make a list of the items first, and use slices of it"))

    # ---- who takes items ---------------------------------------------------------------------
    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        iterable = cursor_of(iterable)
        if type(iterable) is not Cursor or not iterable.kept:
            return self.next.for_(iterable, target, body, orelse, rest)
        self.check_shared(iterable)
        walked = self.walks.walked(iterable)

        def run() -> Any:
            target(taken(self.machine, iterable))
            jump = body()
            if self.walks.changed(walked):
                self.walks.refuse_change()
            return jump

        return self.machine.while_(lambda: self.machine.compare("<", iterable.position, length(
            self.machine, iterable.inner)), Body(body, run), orelse, rest)

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        if function is next or (getattr(function, "__module__", "") in TAKING and isinstance(
                function, Hashable) and function not in LOOKING):
            args = tuple(map(cursor_of, args))
        if function is zip and len(args) > 1 and type(args[0]) is Cursor and args[0].kept and (
                all(a is args[0] for a in args)):
            args = tuple(self._dealt(self.consumed(args[0], True), len(args)))
        if any(type(a) is Cursor and a.kept for a in args) and not self.is_staged(function):
            try:
                passed, whole = function in LOOKING, function in EXHAUST
            except TypeError:
                passed = whole = False
            if not passed:
                args = tuple(self.consumed(a, whole) for a in args)
        return self.next.called(function, args, kwargs)

    def _dealt(self, rest: Cursor, count: int) -> list[Any]:
        """The columns of ``zip(*[iterator] * count)``: every ``count``-th of the items that are
        left, beginning with each of the first ones."""
        whole = self.machine.binary("//", length(self.machine, rest), count)
        end = self.machine.binary("+", rest.position, self.machine.binary("*", whole, count))
        items = rest.inner.array if type(rest.inner) is Rows else self.containers.made(list(
            self.machine.iterate(rest.inner)))
        return [self.machine.getitem(items, slice(self.machine.binary("+", rest.position, i), end,
                                                  count))
                for i in range(count)]

    def is_staged(self, function: Any) -> bool:
        """Is it a function of the program, which says itself what it takes?"""
        if isinstance(function, (types.MethodType, functools.partial)):
            return self.is_staged(function.__func__ if isinstance(
                function, types.MethodType) else function.func)
        if isinstance(function, (type, types.FunctionType)):
            return not is_library(function.__module__)
        return python_method(function, "__call__") is not None

    def called_method(self, obj: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        if any(type(a) is Cursor and a.kept for a in args) and isinstance(
                obj, (list, dict, set, str)) and python_method(obj, name) is None:
            args = tuple(self.consumed(a, True) if name != "append" else a for a in args)
        return self.next.called_method(obj, name, args, kwargs)

    def iterate(self, iterable: Any) -> Any:
        return self._one_by_one(iterable) if iterable.kept else PASSED

    def _one_by_one(self, cursor: Cursor) -> Iterator[Any]:
        """The items of a kept iterator; whoever goes through them may take some by ``next``."""
        self.check_shared(cursor)
        size = length(self.machine, cursor.inner)
        if type(size) is not int:
            self.loops.unroll_makers(cursor.inner)
            size = self.escapes.demand(size, "the length of what is iterated here")
        while True:
            if type(cursor.position) is not int:
                self.refuse_shared()
            if cursor.position >= size:
                return
            yield taken(self.machine, cursor)

    def contains(self, container: Any, item: Any) -> Any:
        if type(container) is Cursor:
            rest = self.consumed(container, False)
            container = self.unnoticed(lambda: list(self.machine.iterate(rest)))
        return self.contents.contains(container, item)
