"""Dicts and sets whose keys depend on data, as a whole: length, loops, copies, comparisons.

A loop over such a dict runs each key's part under its own branch.  Whatever else is done with it
is done once for each set of keys that it may have.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Mapping, Sequence
from typing import Any

from ...stage.defaults import MachineDefaults
from ...stage.machine import NORMAL
from ..collaborator import Args, Collaborator, Kwargs
from ..flow.partial import DELETED
from ..flow.presence import DICTS, do_nothing, unordered
from ..iteration.iteration import Entries
from ..record.states import Maybe
from ..record.structures import VIEWS, keys_or_parts
from ..record.tracers import BoundMethod, Choice, contains_tracer
from .tables import SPREAD, Table

# functions that look at the keys alone, one after the other
OF_KEYS = frozenset({list, tuple, set, frozenset, sorted, iter, sum, min, max, any, all, enumerate,
                     zip, map, filter, reversed})
LOOKING = frozenset({isinstance, type, id, callable, hasattr, getattr, len, bool})
TEXTS = (str, bytes, bytearray)
STAGED = (types.FunctionType, types.MethodType, functools.partial, BoundMethod)


class Contents(Collaborator):
    """Operators on whole contents."""

    speaks_to = ("branches", "comparisons", "containers", "cursors", "keys", "operators",
                 "presence", "recorder", "references", "sources", "walks")

    def contains(self, container: Any, item: Any) -> Any:
        container = self.walks.as_now(container)
        if isinstance(container, VIEWS):
            container = keys_or_parts(container)
        if type(container) is Entries:
            found: Any = False
            for there, one in container.items:
                found = self.machine.or_(found, lambda there=there, one=one: self.machine.and_(
                    there, lambda: self.machine.compare("==", item, one)))
            return found
        if type(container) in (set, *DICTS) and self.keys.open_key(item) and (
                self.keys.alternatives(item) is not None
                or self.presence.partial_of(container) is not None):
            return self.keys.with_key(container, item,
                                      lambda k: self.cursors.contains(container, k),
                                 lambda: False)
        if self.presence.partial_of(container) is None:
            return self.comparisons.contains(container, item)
        return self.presence.is_bound(self.presence.entry(container, self.keys.static_key(item)))

    def length(self, obj: Any) -> Any:
        state = self.presence.partial_of(obj)
        if state is None:
            return self.next.length(obj)
        total: Any = 0
        for _, value in state.entries:
            bound = self.presence.is_bound(value)
            total = self.machine.binary("+", total, int(bound) if type(bound) is bool else (
                self.machine.if_expression(bound, lambda: 1, lambda: 0)))
        return total

    def container_truth(self, value: Any) -> Any:
        state = self.presence.partial_of(value)
        if state is None:
            return self.next.container_truth(value)
        bounds = {b if type(b := self.presence.is_bound(v)) is bool else None for _,
                  v in state.entries}
        return True if True in bounds else (None if None in bounds else False)

    def predicate(self, value: Any) -> Any:
        state = self.presence.partial_of(value)
        if state is None:
            return self.next.predicate(value)
        bounds = [self.presence.is_bound(v) for _, v in state.entries]
        return self.machine.or_(bounds[0], *((lambda b=b: b) for b in bounds[1:]))

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> Any:
        sure = next((i for i, (_, v) in enumerate(pairs) if type(v) is Maybe), len(pairs))
        made = self.next.build_dict(pairs[:sure])
        for key, value in pairs[sure:]:
            if key is SPREAD:
                self.machine.call_method(made, "update", value)
                continue
            content = value.content if type(value) is Maybe else value
            self.presence.either_way(self.presence.is_bound(value), functools.partial(
                self.machine.setitem, made, self.keys.static_key(key), content), do_nothing)
        return made

    def called(self, function: Any, args: Args, kwargs: Kwargs) -> Any:
        perhaps = next((k for k, v in kwargs.items() if type(v) is Maybe), None)
        if perhaps is not None:
            return self._call_perhaps(function, args, kwargs, perhaps)
        args = tuple(map(self.walks.as_now, args))
        held = next((a for a in args if self.presence.partial_of(a) is not None), None)
        if held is None:
            return self.next.called(function, args, kwargs)
        try:
            known, listed = function in LOOKING, function in OF_KEYS
        except TypeError:
            known = listed = False
        if function is len:
            return self.machine.length(held)
        if listed:
            args = tuple(self.presence.entries(a, "keys")
                         if self.presence.partial_of(a) is not None else a
                         for a in args)
        elif function is dict and args[0] is held:
            made = self.containers.made({})
            self.presence.update(made, "update", args, kwargs)
            return made
        elif not known and not isinstance(function, STAGED):
            return self.presence.decided(held, lambda: self.machine.call(function, *args, **kwargs))
        return self.next.called(function, args, kwargs)

    def _call_perhaps(self, function: Any, args: Args, kwargs: Kwargs, name: str) -> Any:
        """A call with a keyword argument of a dict that may or may not have it."""
        given = kwargs[name]
        bound = self.presence.is_bound(given)

        def call(there: bool) -> Any:
            left = {k: given.content if k == name else v for k, v in kwargs.items()
                    if there or k != name}
            return self.machine.call(function, *args, **left)

        if type(bound) is bool:
            return call(bound)
        return self.branches.choose(self.recorder.value_of(bound), lambda: call(True),
                                    lambda: call(False))

    def binary(self, op: str, left: Any, right: Any) -> Any:
        left, right = self._as_dicts(left, right)
        for side in (left, right):
            if self.presence.partial_of(side) is not None:
                return self.presence.decided(side, lambda: self.machine.binary(op, left, right))
        return self.next.binary(op, left, right)

    def _as_dicts(self, *sides: Any) -> list[Any]:
        """The operands of an operator of dicts: for that of an instance a dict like it."""
        return [self.machine.call(dict, side) if id(side) in self.presence.instance_dicts and all(
            isinstance(s, dict) for s in sides) else side for side in sides]

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if op == "|" and isinstance(left,
                                    (dict, set)) and self.presence.partial_of(left) is not None:
            self.presence.container_method(left, "update", (right,), {})
            return left
        for side in (left, right):
            if self.presence.partial_of(side) is not None:
                self.presence.decided(side, lambda: self.next.inplace(op, left, right))
                return left
        return self.next.inplace(op, left, right)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op not in ("is", "is not", "in", "not in"):
            left, right = self._as_dicts(left, right)
            for side in (left, right):
                if self.presence.partial_of(side) is not None:
                    return self.presence.decided(side,
                                                 lambda: self.machine.compare(op, left, right))
        return self.next.compare(op, left, right)

    # ---- iteration ---------------------------------------------------------------------------
    def for_(self, iterable: Any, target: Any, body: Any, orelse: Any = None,
             rest: Any = None) -> Any:
        iterable = self.walks.as_now(iterable)
        if self.presence.partial_of(iterable) is not None:
            iterable = self.presence.entries(iterable, "keys")
        if not isinstance(iterable, Entries):
            return self.next.for_(iterable, target, body, orelse, rest)
        if not iterable.ordered:
            self.keys.make_table(iterable.source)
            raise self.recorder.fatal(unordered())
        current: list[tuple[Any, Any]] = []

        def aim(entry: tuple[Any, Any]) -> None:
            current[:] = [entry]

        def one() -> Any:
            bound, item = current[0]

            def run() -> Any:
                target(item)
                return body()

            return self.machine.if_(bound, run, lambda: NORMAL)

        items: Any = iterable.items
        if iterable.part and type(iterable.source) is not Choice:
            bounds, ones = zip(*items, strict=True)
            turns = self.walks.turns(iterable.source, iterable.part, ones)
            items = ((bound, item) for item, bound in zip(turns, bounds, strict=False))
        return self.references.run_items(items, aim, one, orelse, rest)

    def iterate(self, iterable: Any) -> Any:
        iterable = self.walks.as_now(iterable)
        if self.presence.partial_of(iterable) is not None:
            iterable = self.presence.entries(iterable, "keys")
        if isinstance(iterable, Entries) and iterable.ordered and all(
                bound is True for bound, _ in iterable.items):
            return iter([item for _, item in iterable.items])
        return self.next.iterate(iterable)

    def sorted_entries(self, entries: Entries, key: Any, reverse: bool) -> Entries | None:
        """The same in the order of static keys; None where the order depends on data."""
        ranks = [item if key is None else self.machine.call(key, item) for _, item in entries.items]
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
            entries.list = self.containers.made([])
            self.machine.for_(entries, self.machine.hold,
                              lambda: self.machine.append_held(entries.list))
        return entries.list  # type: ignore[no-any-return]

    # ---- patterns and keywords ---------------------------------------------------------------
    def mapping_items(self, mapping: Any) -> list[tuple[Any, Any]]:
        if type(mapping) is Table:
            return [(SPREAD, mapping)]
        state = self.presence.partial_of(mapping)
        if state is not None:  # what may be missing stays a Maybe
            return [(k, v) for k, v in state.entries if v is not DELETED]
        if isinstance(mapping, dict) and self.operators.special_method(mapping, "items") is None:
            return list(self.presence.container_method(mapping, "items", (), {}))
        return MachineDefaults.mapping_items(self.machine, mapping)

    def match_sequence(self, subject: Any, length: int, star: bool) -> Any:
        self.sources.note_container(subject)
        machine = self.machine
        if not machine.is_instance(subject, Sequence) or machine.is_instance(subject, TEXTS):
            return False
        return machine.compare(">=" if star else "==", machine.call(len, subject), length)

    def match_mapping(self, subject: Any, length: int) -> Any:
        """What has all keys of a pattern has as many."""
        self.sources.note_container(subject)
        return self.machine.is_instance(subject, Mapping)

    def match_keys(self, subject: Any, keys: tuple[Any, ...]) -> Any:
        MachineDefaults.match_keys(self.machine, dict.fromkeys(keys), keys)  # none stands twice
        tests = [functools.partial(self.cursors.contains, subject, k) for k in keys]
        return self.machine.if_expression(
            self.machine.and_(True, *tests),
            lambda: tuple(self.machine.getitem(subject, k) for k in keys), lambda: None)

    def match_rest(self, subject: Any, keys: tuple[Any, ...]) -> dict[Any, Any]:
        rest: dict[Any, Any] = self.machine.call(dict, subject)
        for key in keys:
            self.machine.delitem(rest, key)
        return rest
