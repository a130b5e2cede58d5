"""The tracer: the machine that turns staged code into a graph."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np

from ..errors import UnsupportedOperation
from ..graph.outcome import Fresh
from ..rules.book import lookup
from ..stage.defaults import MachineDefaults
from ..stage.function import stage
from ..stage.machine import NORMAL, Frame
from ..types import dims
from ..types.kinds import COMPLEX, FLOAT, Kind, int_aval
from ..types.tree import blank
from .assumed import Assumptions
from .boundary.scratch import ITEM, TOTAL, nowhere
from .calls import library  # noqa: F401  (like the others: it fills the table of handlers)
from .dispatch import Parts, operators
from .heap import heaps  # noqa: F401
from .heap.containers import SpreadList
from .iteration import iterables, itertool  # noqa: F401
from .iteration.ahead import Ahead
from .iteration.iteration import Cursor, Staged, Transposed
from .libraries.ndarray_subclasses import members  # noqa: F401
from .numpy import arrays  # noqa: F401
from .objects import copying  # noqa: F401
from .record.homes import may_be
from .record.journal import Journal
from .record.states import ListTable
from .record.structures import VIEWS
from .record.tracers import ArrayTracer, Choice, is_tracer
from .values import extremes, functions, texts  # noqa: F401

SIZED = (list, tuple, dict, set, frozenset, range)


class TraceMachine(MachineDefaults, Parts):
    """The tracer of one compilation: its parts, and the operators that staged code calls.

    A part owns a piece of what is known (the recorder has the regions, ``lists`` the lists of run
    time) and the operators on it.  The body of its class names the others that it speaks to;
    they are set here, before the parts begin.
    """

    float_aval = FLOAT
    complex_aval = COMPLEX
    assumed: Assumptions
    journal: Journal
    fresh: Fresh
    symbolic_lists: ListTable

    def __init__(self, assumed: Assumptions) -> None:
        parts: dict[str, Any] = {name: blank(cls) for name, cls in PARTS.items()}
        shared = {"assumed": assumed, "journal": Journal(), "fresh": Fresh(),
                  "symbolic_lists": ListTable(self)}
        vars(self).update(parts, **shared)
        for part in parts.values():
            vars(part).update(shared, machine=self)
            vars(part).update({name: parts[name] for name in part.speaks_to})
        vars(self).update(operators(parts))
        for part in parts.values():
            part.__init__()
        self.journal.on_sealed = self.references.refuse_sealed

    if TYPE_CHECKING:
        def __getattr__(self, operator: str) -> Any: ...  # those of LADDERS

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.called(function, args, kwargs)  # without `*`: that takes room on C's stack

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        return self.called_method(obj, name, args, kwargs)

    def call_scoped(self, frame: Frame, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.call(function, *args, **kwargs)

    # ---- operators that are about Python -----------------------------------------------------
    def spread(self, value: Any, function: Any = ...) -> Any:
        """The items of ``*value``; those of a container from outside are read by their paths."""
        value = self.references.content_of(self.pushes.collected(value))
        if type(value) is list:  # of which another list may stand here
            value = self.references.seen(value)
        if type(value) in (list, tuple) and id(value) in self.found_functions.paths:
            return self.containers.outside_items(value)
        if isinstance(value, (Staged, Choice)) or is_tracer(value):
            return self.iterate(value)
        if type(value) is list and id(value) in self.symbolic_lists:
            if function in (min, max) and self.searches.are_numbers(value, 0):
                return [SpreadList(value)]
            return [Transposed(value)] if function is zip else self.iterate(value)
        return super().spread(value) if function is ... else super().spread(value, function)

    def spread_items(self, value: Any) -> Any:
        """The items of ``*value`` in a list display, or a list of unknown length as a whole."""
        found = self.references.seen(
            self.references.content_of(self.unions.without_none(value)))
        if type(found) is list and id(found) in self.symbolic_lists:
            return [SpreadList(found)]
        return self.spread(value)

    def is_instance(self, subject: Any, cls: Any) -> Any:
        return self.truth(self.call(isinstance, subject, cls))

    # ---- odds and ends that functions need ---------------------------------------------------
    def scratch_frame(self, name: str, start: Any) -> Frame:
        """A frame for what a staged iterable is gone through for, as a variable ``name``."""
        frame = Frame(None, None, nowhere)
        self.born(frame)
        self.store(frame, name, start)
        return frame

    def add_item(self, frame: Frame) -> int:
        """One step of ``sum``."""
        total = self.binary("+", self.load(frame, TOTAL), self.load(frame, ITEM))
        self.store(frame, TOTAL, total)
        return NORMAL

    def hold(self, item: Any) -> None:
        self.list_methods.hold_item(item)

    def append_held(self, target: list[Any]) -> int:
        return self.list_methods.append_item(target)

    def range_length(self, start: Any, stop: Any, step: Any) -> Any:
        """``len(range(start, stop, step))``."""
        exprs = [self.comparisons.int_expr(p) for p in (start, stop, step)]
        if all(e is not None for e in exprs):
            expr = dims.range_length(*exprs)
            if isinstance(expr, int):
                return expr
        else:
            expr = self.fresh("k")
        if type(start) is int and start == 0 and type(step) is int and step == 1 and (
                is_tracer(stop)) and stop.aval.expr == expr:
            return stop
        return self.recorder.computed(count_range, int_aval(expr), start, stop, step)

    def listed(self, iterable: Any) -> Any:
        """A static iterable beside staged ones in a zip: a list, indexed by demand."""
        if isinstance(iterable, np.ndarray):
            return iterable
        if type(iterable) is list and id(
                iterable) not in self.found_functions.paths and self.opening.may_open():
            return iterable  # what the loop changes in it is seen
        if isinstance(iterable, VIEWS):
            return iterable
        items = self.containers.made(list(self.iterate(iterable)))
        if isinstance(iterable, (tuple, str, bytes, range)):
            return items
        return self.containers.made(Cursor(items, ahead=Ahead(self, iterable)))

    def sort_traced(self, items: list[Any], keys: list[Any], reverse: Any) -> list[Any]:
        """``sorted`` by traced keys: a gather of like items in the order of an argsort."""
        order = iterables.sort_node(self, keys, bool(self.keys.static_key(reverse)))
        sorts = {(Kind.FLOAT, None) if type(i) is float else (i.aval.kind, i.aval.dtype)
                 if is_tracer(i) else (Kind.OPAQUE, None) for i in items}
        if len(sorts) == 1 and Kind.OPAQUE not in next(iter(sorts)):
            return self._gathered(items, order)
        found = [self.among.pick(items, self.getitem(order, i)) for i in range(len(items))]
        if not any(f is None for f in found):
            return found
        raise self.recorder.of_forms(UnsupportedOperation(
            "sorting unlike objects by a traced key",
            why="which object comes first depends on data, and the objects cannot be gathered",
            fix="sort tuples of numbers (or of arrays of one shape), or keep the numbers in "
                "arrays and use np.argsort"))

    def _gathered(self, items: list[Any], order: Any) -> list[Any]:
        """Like items in the order of an array of positions.  Each is one of the given ones: a
        write to an array would be a write to an unknown one of them."""
        stacked = self.call(np.array, items)
        found = [self.getitem(stacked, self.getitem(order, i)) for i in range(len(items))]
        if all(type(i) is float or i.aval.kind is Kind.FLOAT for i in items):
            return [self.call(float, one) for one in found]
        given = [i.home for i in items if type(i) is ArrayTracer]
        for one in found:
            if type(one) is ArrayTracer:
                one.first = None  # which array it is is not known
                for home in given:
                    may_be(one.home, home)
        return found

    def run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the staged form of the function under differentiation."""
        if not isinstance(function, types.FunctionType) or lookup(function) is not None:
            return self.call(function, *args, **kwargs)
        staged = stage(function)
        frame = staged.frame(args, kwargs, function)
        return self.pushes.run_frame(function, staged, frame)


def count_range(start: int, stop: int, step: int) -> int:
    """The number of items of a range."""
    return len(range(start, stop, step))


PARTS: dict[str, type] = get_type_hints(Parts)
