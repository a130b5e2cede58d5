"""The tracer: the machine that turns staged code into a graph."""

from __future__ import annotations

import collections
import copy
import types
from typing import Any

import numpy as np

from .. import dims
from ..errors import UnsupportedOperation
from ..graph.ir import Value
from ..kinds import COMPLEX, FLOAT, Kind, int_aval
from ..rules.book import lookup
from ..stage.function import stage
from ..stage.machine import NORMAL, Frame
from ..subclasses import native_class
from ..tree import blank
from . import (  # noqa: F401  (they fill the table of handlers)
    array_members,
    arrays,
    extremes,
    functions,
    heaps,
    iterables,
    itertool,
    library,
    texts,
)
from .assumptions import Assumptions, ListedGenerators
from .cached import Memo
from .handlers import HANDLERS
from .homes import may_be
from .iteration import Cursor, Staged, Transposed, opened, staged_iterable
from .later import Later
from .namespaces import Namespaces
from .run_time import check_no_table
from .scratch import ITEM, TOTAL
from .special_methods import python_method
from .structures import record_fields
from .tracers import ArrayTracer, Choice, StandIn, is_tracer

SIZED = (list, tuple, dict, set, frozenset, range)


class TraceMachine(Namespaces):
    """All staged operators, recording."""

    float_aval = FLOAT
    complex_aval = COMPLEX

    def __init__(self, assumed: Assumptions) -> None:
        super().__init__(assumed)
        self._forget_containers()
        self._forget_control()
        self._forget_calls()
        self.journal.on_sealed = self.refuse_sealed

    def _forget_containers(self) -> None:
        """What is known of lists, dicts, objects and their keys."""
        self.natives = {}
        self.list_sites = {}
        self.lists_made = {}
        self.made_in_body = frozenset()
        self.generators = {}
        self.list_owners = {}
        self.row_writes = self.row_shares = False
        self.giving = False
        self.hoisted = {}
        self.gathered_lists, self.gathered_items = {}, {}
        self.half_swap = None
        self.lost_rows = {}
        self.element_sizes = {}
        self.instance_dicts = {}
        self.classed, self.recipes = {}, {}
        self.choice_seen = {}
        self.masks = {}
        self.noted_keys = []
        self.alterations = []
        self.own_indexes = set()
        self.dict_sites, self.held_ranks = {}, {}
        self.index_sites = {}
        self.sites = {}
        self.inner_kinds = {}
        self.container_names = {}
        self.made_from = {}
        self.global_overlays = {}
        self.handed = {}
        self.given_out = {}
        self.stored_now = []
        self.list_forms = {}
        self.tuple_rows = {}
        self.made_classes = {}
        self.stores, self.link_tests, self.links_told = {}, {}, {}
        self.stored_lists = {}

    def _forget_control(self) -> None:
        """What is known of branches, loops and exceptions."""
        self.groups = []
        self.dropped = set()
        self.unsteady = set()
        self.later = Later()
        self.conditions = {}
        self.implied, self.equals = {}, {}
        self.settled, self.within, self.tables_read = {}, {}, {}
        self.safe: set[Value] = set()
        self.causes = {}
        self.homes_made = {}
        self.catching = []
        self.error_classes = {}
        self.escape_codes, self.escaped = {}, []
        self.carried_errors = {}
        self.unnamed_errors = {}
        self.leaving = None
        self.tested_inside = None
        self.open_tests = []
        self.iterating = []
        self.rounds = 0
        self.forms = {}
        self.exceptions = {}
        self.handling = []
        self.loop_sites = {}
        self.demanding = self.subscripting = 0
        self.unsure = set()
        self.open_names = {}
        self.powers = {}

    def _forget_calls(self) -> None:
        """What is known of functions, their calls, and iterators."""
        self.memos: dict[int, Memo] = {}
        self.cleared: set[int] = set()  # cached functions that the program has cleared
        self.generated = {}
        self.consumers = []
        self.pushed = None
        self.handlers = HANDLERS
        self.depth = 0
        self.call_sites = []
        self.frames = []
        self.scopes = []
        self.notes = []
        self.iterators = {}
        self.kept_cursors = {}
        self.spent = {}
        self.drawn_from = {}
        self.callees = {}
        self.tracing = []
        self.pending = []
        self.activations = []
        self.deriving = []
        self.checkpoints = []
        self.groups_running = []
        self.reserved = set()
        self.bottoms = 0

    def call_scoped(self, frame: Frame, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.call(function, *args, **kwargs)

    # ---- operators that are about Python -----------------------------------------------------
    def generator(self, iterable: Any, lazily: Any, as_list: Any) -> Any:
        """A generator expression over traced things runs at once, staged."""
        iterable = self.consumed(iterable, False)
        if isinstance(iterable, StandIn):
            iterable = opened(self, iterable)
        iterable = self.begun(iterable)
        if as_list is not None and (staged_iterable(self, iterable) is not None or (
                self.ends_itself(iterable)) or (
                ListedGenerators() in self.assumed and isinstance(iterable, (*SIZED, Choice)))):
            items = as_list(iterable)
            return Cursor(staged_iterable(self, items) or items)
        made = lazily(self.iterate(iterable))
        self.note_iterator(made)
        self.drawn_from[id(made)] = (made, iterable)
        if as_list is not None:
            self.list_forms[id(made)] = (made, lambda: as_list(iterable))
        return made

    def search(self, function: Any, iterable: Any, lazily: Any, staged: Any) -> Any:
        """``any`` or ``all`` of a generator expression is a loop that ends early."""
        if function is any or function is all:
            return staged(iterable)
        return self.call(function, self.generator(iterable, lazily, None))

    def spread(self, value: Any, function: Any = ...) -> Any:
        """The items of ``*value``; those of a container from outside are read by their paths."""
        value = self.collected(value)
        if type(value) in (list, tuple) and id(value) in self.paths:
            return self.outside_items(value)
        if isinstance(value, (Staged, Choice)) or is_tracer(value):
            return self.iterate(value)
        if type(value) is list and id(value) in self.symbolic_lists:
            return [Transposed(value)] if function is zip else self.iterate(value)
        return super().spread(value) if function is ... else super().spread(value, function)

    def is_instance(self, subject: Any, cls: Any) -> Any:
        return self.truth(self.call(isinstance, subject, cls))

    # ---- odds and ends that functions need ---------------------------------------------------
    def scratch_frame(self, name: str, start: Any) -> Frame:
        """A frame for what a staged iterable is gone through for, as a variable ``name``."""
        frame = Frame(None, None, _nothing)
        self.born(frame)
        self.store(frame, name, start)
        return frame

    def add_item(self, frame: Frame) -> int:
        """One step of ``sum``."""
        total = self.binary("+", self.load(frame, TOTAL), self.load(frame, ITEM))
        self.store(frame, TOTAL, total)
        return NORMAL

    def hold(self, item: Any) -> None:
        self._hold(item)

    def append_held_item(self, target: list[Any], item: Any) -> int:
        """Append in an arm of a branch; the value is its jump."""
        self.container_method(target, "append", (item,), {})
        return NORMAL

    def append_held(self, target: list[Any]) -> int:
        return self._append_held(target)

    def range_length(self, start: Any, stop: Any, step: Any) -> Any:
        """``len(range(start, stop, step))``."""
        exprs = [self._int_expr(p) for p in (start, stop, step)]
        if all(e is not None for e in exprs):
            expr = dims.range_length(*exprs)
            if isinstance(expr, int):
                return expr
        else:
            expr = self.fresh("k")
        if type(start) is int and start == 0 and type(step) is int and step == 1 and (
                is_tracer(stop)) and stop.aval.expr == expr:
            return stop
        values = tuple(self.value_of(p) for p in (start, stop, step))
        return self.opaque_apply(count_range, values, int_aval(expr))

    def listed(self, iterable: Any) -> Any:
        """A static iterable beside staged ones in a zip: a list, indexed by demand."""
        if isinstance(iterable, np.ndarray):
            return iterable
        if type(iterable) is list and id(iterable) not in self.paths and self.may_open():
            return iterable  # what the loop changes in it is seen
        return self.made(list(self.iterate(iterable)))

    def sort_traced(self, items: list[Any], keys: list[Any], reverse: Any) -> list[Any]:
        """``sorted`` by traced keys: a gather of like items in the order of an argsort."""
        order = iterables.sort_node(self, keys, bool(self.static_key(reverse)))
        if all(type(i) is float or (is_tracer(i) and i.aval.kind is not Kind.OPAQUE)
               for i in items):
            return self._gathered(items, order)
        found = [self.pick(items, self.getitem(order, i)) for i in range(len(items))]
        if not any(f is None for f in found):
            return found
        raise self.of_forms(UnsupportedOperation(
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
                for home in given:
                    may_be(one.home, home)
        return found

    def copied(self, obj: Any, deep: bool, memo: dict[int, Any]) -> Any:
        """``copy.copy`` and ``copy.deepcopy`` of objects that hold traced values."""
        if isinstance(obj, StandIn) and obj.cls is not None and not deep:
            return self.call_method(obj, "copy")
        check_no_table(self, obj)
        if id(obj) in memo:
            return memo[id(obj)]
        own = python_method(obj, "__deepcopy__") if deep else None
        if own is not None:
            memo[id(obj)] = self.call(own, obj, memo)
            return memo[id(obj)]
        if is_tracer(obj):
            if type(obj) is ArrayTracer and deep:
                memo[id(obj)] = self.call_method(obj, "copy")
                return memo[id(obj)]
            return obj
        if native_class(type(obj)) is not None or isinstance(obj, collections.deque):
            memo[id(obj)] = self.copied_native(
                obj, lambda part: self.copied(part, deep, memo) if deep else part)
            return memo[id(obj)]
        if isinstance(obj, (list, tuple)):
            items = list(self.outside_items(obj))
            made: Any = []
            if isinstance(obj, list):
                memo[id(obj)] = made  # which it may contain
            made.extend([self.copied(i, deep, memo) if deep else i for i in items])
            if not isinstance(obj, list):
                memo[id(obj)] = type(obj)(*made) if hasattr(obj, "_fields") else tuple(made)
            return memo[id(obj)]
        if isinstance(obj, dict):
            pairs = self.container_method(obj, "items", (), {})
            memo[id(obj)] = {}
            memo[id(obj)].update((k, self.copied(v, deep, memo) if deep else v) for k, v in pairs)
            return memo[id(obj)]
        fields = record_fields(obj)
        if fields is None:
            return copy.deepcopy(obj) if deep else copy.copy(obj)
        new = blank(type(obj))
        memo[id(obj)] = new
        for name in fields:
            value = self.getattr(obj, name)
            object.__setattr__(new, name, self.copied(value, deep, memo) if deep else value)
        return new

    def run(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the staged form of the function under differentiation."""
        if not isinstance(function, types.FunctionType) or lookup(function) is not None:
            return self.call(function, *args, **kwargs)
        staged = stage(function)
        frame = staged.frame(args, kwargs, function)
        return self.run_frame(function, staged, frame)


def _nothing() -> None:
    """The callee of scratch frames."""


def count_range(start: int, stop: int, step: int) -> int:
    """The number of items of a range."""
    return len(range(start, stop, step))
