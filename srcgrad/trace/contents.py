"""Dicts and sets whose keys depend on data, as a whole: length, loops, copies, comparisons.

A loop over such a dict runs each key's part under its own branch.  Whatever else is done with it
is done once for each set of keys that it may have.
"""

from __future__ import annotations

import functools
import types
from typing import Any

from ..stage.defaults import MachineDefaults
from ..stage.machine import NORMAL
from .iteration import Entries
from .partial import DELETED
from .presence import DICTS, Presence, do_nothing, unordered
from .states import Maybe
from .tables import SPREAD, Table
from .tracers import BoundMethod, contains_tracer

# functions that look at the keys alone, one after the other
OF_KEYS = frozenset({list, tuple, set, frozenset, sorted, iter, sum, min, max, any, all, enumerate,
                     zip, map, filter, reversed})
PASSED = frozenset({isinstance, type, id, callable, hasattr, getattr, len, bool})
STAGED = (types.FunctionType, types.MethodType, functools.partial, BoundMethod)


class Contents(Presence, MachineDefaults):
    """Operators on whole contents."""

    def _contains(self, container: Any, item: Any) -> Any:
        if type(container) in (set, *DICTS) and self.open_key(item) and (
                self.alternatives(item) is not None or self.partial_of(container) is not None):
            return self.with_key(container, item, lambda k: self._contains(container, k),
                                 lambda: False)
        if self.partial_of(container) is None:
            return super()._contains(container, item)
        return self.is_bound(self.entry(container, self.static_key(item)))

    def length(self, obj: Any) -> Any:
        state = self.partial_of(obj)
        if state is None:
            return super().length(obj)
        total: Any = 0
        for _, value in state.entries:
            bound = self.is_bound(value)
            total = self.binary("+", total, int(bound) if type(bound) is bool else (
                self.if_expression(bound, lambda: 1, lambda: 0)))
        return total

    def container_truth(self, value: Any) -> bool | None:
        state = self.partial_of(value)
        if state is None:
            return super().container_truth(value)
        bounds = {b if type(b := self.is_bound(v)) is bool else None for _, v in state.entries}
        return True if True in bounds else (None if None in bounds else False)

    def predicate(self, value: Any) -> Any:
        state = self.partial_of(value)
        if state is None:
            return super().predicate(value)
        bounds = [self.is_bound(v) for _, v in state.entries]
        return self.or_(bounds[0], *(functools.partial(_same, b) for b in bounds[1:]))

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        sure = next((i for i, (_, v) in enumerate(pairs) if type(v) is Maybe), len(pairs))
        made = super().build_dict(pairs[:sure])
        for key, value in pairs[sure:]:
            if key is SPREAD:
                self.call_method(made, "update", value)
                continue
            content = value.content if type(value) is Maybe else value
            self.either_way(self.is_bound(value), functools.partial(
                self.setitem, made, self.static_key(key), content), do_nothing)
        return made

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        perhaps = next((k for k, v in kwargs.items() if type(v) is Maybe), None)
        if perhaps is not None:
            return self._call_perhaps(function, args, kwargs, perhaps)
        held = next((a for a in args if self.partial_of(a) is not None), None)
        if held is None:
            return super().called(function, args, kwargs)
        try:
            known, listed = function in PASSED, function in OF_KEYS
        except TypeError:
            known = listed = False
        if function is len:
            return self.length(held)
        if listed:
            args = tuple(self.entries(a, "keys") if self.partial_of(a) is not None else a
                         for a in args)
        elif function is dict and args[0] is held:
            made = self.made({})
            self._update(made, "update", args, kwargs)
            return made
        elif not known and not isinstance(function, STAGED):
            return self.decided(held, lambda: self.call(function, *args, **kwargs))
        return super().called(function, args, kwargs)

    def _call_perhaps(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
                      name: str) -> Any:
        """A call with a keyword argument of a dict that may or may not have it."""
        given = kwargs[name]
        bound = self.is_bound(given)

        def call(there: bool) -> Any:
            left = {k: given.content if k == name else v for k, v in kwargs.items()
                    if there or k != name}
            return self.call(function, *args, **left)

        if type(bound) is bool:
            return call(bound)
        return self.choose(self.value_of(bound), lambda: call(True), lambda: call(False))

    def binary(self, op: str, left: Any, right: Any) -> Any:
        for side in (left, right):
            if self.partial_of(side) is not None:
                return self.decided(side, lambda: self.binary(op, left, right))
        return super().binary(op, left, right)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if op == "|" and isinstance(left, (dict, set)) and self.partial_of(left) is not None:
            self.container_method(left, "update", (right,), {})
            return left
        for side in (left, right):
            if self.partial_of(side) is not None:
                self.decided(side, lambda: super(Contents, self).inplace(op, left, right))
                return left
        return super().inplace(op, left, right)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op not in ("is", "is not", "in", "not in"):
            for side in (left, right):
                if self.partial_of(side) is not None:
                    return self.decided(side, lambda: self.compare(op, left, right))
        return super().compare(op, left, right)

    # ---- iteration ---------------------------------------------------------------------------
    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        if self.partial_of(iterable) is not None:
            iterable = self.entries(iterable, "keys")
        if not isinstance(iterable, Entries):
            return super().for_(iterable, target, body, orelse, rest)
        if not iterable.ordered:
            self.make_table(iterable.source)
            raise self.fatal(unordered())
        current: list[tuple[Any, Any]] = []

        def aim(entry: tuple[Any, Any]) -> None:
            current[:] = [entry]

        def one() -> Any:
            bound, item = current[0]

            def run() -> Any:
                target(item)
                return body()

            return self.if_(bound, run, lambda: NORMAL)

        return self._run_items(iterable.items, aim, one, orelse, rest)

    def iterate(self, iterable: Any) -> Any:
        if self.partial_of(iterable) is not None:
            iterable = self.entries(iterable, "keys")
        if isinstance(iterable, Entries) and iterable.ordered and all(
                bound is True for bound, _ in iterable.items):
            return iter([item for _, item in iterable.items])
        return super().iterate(iterable)

    def sorted_entries(self, entries: Entries, key: Any, reverse: bool) -> Entries | None:
        """The same in the order of static keys; None where the order depends on data."""
        ranks = [item if key is None else self.call(key, item) for _, item in entries.items]
        if key is None and all(type(r) is tuple and len(r) == 2 for r in ranks):
            ranks = [r[0] for r in ranks]  # the keys of a dict differ from one another
        if contains_tracer(ranks):
            return None
        order = sorted(range(len(ranks)), key=ranks.__getitem__, reverse=reverse)
        return Entries([entries.items[i] for i in order], entries.ordered or key is None,
                       entries.source)

    def listed_entries(self, entries: Entries) -> list[Any]:
        """The items that are there, as a list."""
        if entries.list is None:
            entries.list = self.build_list()
            self.for_(entries, self.hold, lambda: self.append_held(entries.list))
        return entries.list  # type: ignore[no-any-return]

    # ---- patterns and keywords ---------------------------------------------------------------
    def mapping_items(self, mapping: Any) -> list[tuple[Any, Any]]:
        if type(mapping) is Table:
            return [(SPREAD, mapping)]
        state = self.partial_of(mapping)
        if state is not None:  # what may be missing stays a Maybe
            return [(k, v) for k, v in state.entries if v is not DELETED]
        if isinstance(mapping, dict) and self.special_method(mapping, "items") is None:
            return list(self.container_method(mapping, "items", (), {}))
        return super().mapping_items(mapping)

    def match_sequence(self, subject: Any, length: int, star: bool) -> bool:
        self.note_container(subject)
        return super().match_sequence(subject, length, star)

    def match_mapping(self, subject: Any, length: int) -> bool:
        self.note_container(subject)
        return self.partial_of(subject) is not None or super().match_mapping(subject, length)

    def match_keys(self, subject: Any, keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
        if not all(self.truth(self._contains(subject, k)) for k in keys):
            return super().match_keys({}, keys)
        return tuple(self.getitem(subject, k) for k in keys)

    def match_rest(self, subject: Any, keys: tuple[Any, ...]) -> dict[Any, Any]:
        rest: dict[Any, Any] = self.call(dict, subject)
        for key in keys:
            self.delitem(rest, key)
        return rest

    def hold(self, item: Any) -> None:
        raise AttributeError

    def append_held(self, target: list[Any]) -> int:
        raise AttributeError


def _same(value: Any) -> Any:
    return value
