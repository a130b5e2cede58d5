"""Items that are searched for in lists: ``index``, ``count``, ``remove`` and ``in``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedOperation
from ...types.kinds import BOOL, INT, SCALARS, Kind
from ...types.spelling import Method
from ..collaborator import PASSED, Collaborator
from ..objects.special_methods import class_attribute
from ..record.journal import Content
from ..record.states import Columns
from ..record.structures import is_number
from ..record.tracers import ArrayTracer, is_tracer
from .columns import kind_of_items
from .forms import Numbered
from .stores import number_in, python_class, store_of
from .written_out import (
    count_of_equal,
    is_equal_to_one,
    is_or_equals,
    must_be_in_list,
    place_of_equal,
)

ASKED_OF_NUMBERS = {"index": (Method("index"), INT), "count": (Method("count"), INT),
                    "in": (operator.contains, BOOL)}
GIVEN_BY_LOOP = {"index": place_of_equal, "count": count_of_equal, "in": is_equal_to_one}


class Searches(Collaborator):
    """Searches in lists."""

    speaks_to = ("among", "comparisons", "keys", "lists", "operators", "presence", "recorder")

    def search(self, obj: list[Any], name: str, item: Any) -> Any:
        """``index`` or ``count`` of a list of known length, by what its items are equal to."""
        if name == "count":
            total: Any = 0
            for x in obj:
                total = self.machine.binary("+", total,
                    self.machine.call(int, self.comparisons.same_or_equal(x, item)))
            return total
        if self.are_numbers(obj, item):
            return self._of_numbers(obj, name, item)
        return self._at_equal(obj, item, lambda i: i, "index(x): x not in list")

    def remove(self, obj: list[Any], item: Any) -> None:
        """``remove`` of a list of known length."""
        for i, x in enumerate(obj):
            if x is item:
                self.journal.touch(Content(obj, self.symbolic_lists))
                del obj[i]
                return
            if type(x) is not ArrayTracer:  # it may be equal, and comes first
                break
        self._at_equal(obj, item, lambda i: self.presence.container_method(obj, "pop", (i,), {}),
                       "list.remove(x): x not in list")

    def found(self, obj: list[Any], name: str, item: Any) -> Any:
        """``index``, ``count`` or ``in`` of a list of unknown length."""
        obj, item = self._by_number(obj, item)
        if self.are_numbers(obj, item):
            return self._of_numbers(obj, name, item)
        state = self.symbolic_lists.get(id(obj))
        if type(state) is Columns or (
                type(item) in (tuple, list) and kind_of_items(state) is Kind.LIST):
            return self.operators.helped(GIVEN_BY_LOOP[name], obj, item,
                                         is_or_equals if store_of(item) else operator.eq)
        return PASSED

    def _of_numbers(self, obj: list[Any], name: str, item: Any) -> Any:
        """What a run-time list of numbers finds: the number itself, or one that is equal (NaN is
        the number that it is)."""
        if name == "index":
            self.operators.helped(must_be_in_list, self._of_numbers(obj, "in", item), item)
        fn, aval = ASKED_OF_NUMBERS[name]
        state = self.symbolic_lists.get(id(obj))
        items = self.recorder.values_in(obj) if state is None else state.value
        return self.recorder.computed(fn, aval, items, item)

    def contains(self, obj: list[Any], item: Any) -> Any:
        """``item in obj`` for a list of unknown length."""
        found = self.found(obj, "in", item)
        return self.lists.no_method(obj, "a membership test") if found is PASSED else found

    def _at_equal(self, obj: Any, item: Any, act: Callable[[int], Any], missing: str) -> Any:
        """What ``act`` gives for the place of the first item that is equal; which one that is
        may depend on data."""
        known = self.keys.alternatives(item)
        if known is not None and not any(is_tracer(x) for x in obj):
            return self.keys.by_key(item, known, lambda k: act(list(obj).index(k)), None)
        items = list(obj)
        if any(type(x) is ArrayTracer and x.aval.ndim for x in (item, *items)):
            raise self.recorder.fatal(UnsupportedOperation(
                "an array is searched for in a list",
                why="arrays are compared item by item, which gives no single answer",
                fix="compare with np.array_equal in a loop"))

        def at(i: int) -> Any:
            if i == len(items):
                raise ValueError(missing)
            equal = items[i] is item or (
                self.operators.helped(is_or_equals, items[i], item) if store_of(item) else
                self.comparisons.same_or_equal(items[i], item))
            return self.machine.if_expression(equal, lambda: act(i), lambda: at(i + 1))

        return at(0)

    def are_numbers(self, obj: list[Any], item: Any) -> bool:
        """Is it a list of numbers, and the item a number?"""
        state = self.symbolic_lists.get(id(obj))
        if type(state) is Columns or not is_number(item):
            return False
        if state is None:
            return all(map(is_number, obj))
        elem = state.value.aval.elem
        return elem is None or (elem.kind in SCALARS and not elem.optional)

    def _by_number(self, obj: list[Any], item: Any) -> tuple[list[Any], Any]:
        """A list of objects in one store, and such an object, by their numbers, if being equal
        is being one."""
        state, store = self.symbolic_lists.get(id(obj)), store_of(item)
        form = state.form if type(state) is Columns else None
        if not isinstance(form, Numbered) or store is not form.store or class_attribute(
                python_class(store.cls), "__eq__") is not object.__eq__:
            return obj, item
        return self.lists.held_list(state.columns[0]), self.among.computed(number_in(store, item))
