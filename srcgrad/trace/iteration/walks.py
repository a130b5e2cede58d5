"""Containers that change while they are gone through.

Before each item that is taken, and at the end, Python looks whether a dict, set or deque has
another size than when the iterator was made, and raises if it has.  Of a list, and of the values of
a dict, it takes what is there when their turn comes.
"""

from __future__ import annotations

import collections
import functools
import gc
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from ...errors import UnsupportedOperation
from ...types.subclasses import content_of
from ..assumptions import KnownLengths
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..flow.partial import bound_in
from ..heap.queues import Queue, turns_of
from ..heap.tables import unchanged
from ..record.states import Maybe
from ..record.structures import VIEWS
from ..record.tracers import Choice, Poison
from .iteration import Cursor, Entries, Reversed, Staged, Turns
from .iterator_tools import demand_unchanged

SIZED = (dict, set, collections.deque)
PARTS = ("keys", "values", "items")
State = tuple[tuple[Any, Any], ...]  # keys, and whether they are there


class Walks(Collaborator):
    """Python's iterators over containers."""

    speaks_to = ("found_functions", "known_keys", "presence", "recorder", "references")

    def __init__(self) -> None:
        self.taken: list[int] = []  # how many items each iterator of Python's has given
        # lists and dicts with the content of containers from outside, and these
        self.owners: dict[int, tuple[Any, Any]] = {}
        # iterators over containers whose keys only the run knows, and what stands for these
        self.begun: dict[int, tuple[Any, ...]] = {}
        # values of dicts that are listed before a loop, by what goes through them
        self.listed_values: dict[int, tuple[Any, dict[Any, Any]]] = {}
        self.looked_at: dict[int, Any] = {}  # what is gone through with a look at each change
        # of containers, by what they are, or by where they are made if they may have other names
        self.changes: collections.Counter[Any] = collections.Counter()

    def content(self, made: Any, owner: Any) -> Any:
        """A list or dict with what a container holds now."""
        self.owners[id(made)] = (made, owner)
        return made

    def viewed(self, view: Any) -> tuple[Any, str]:
        """The dict that a view is of, and of which part of it."""
        held = next(one for one in gc.get_referents(view) if isinstance(one, dict))
        part = next(p for p, cls in zip(PARTS, VIEWS, strict=True) if isinstance(view, cls))
        return self.owners.get(id(held), (None, held))[1], part

    def as_now(self, obj: Any) -> Any:
        """For a view of a dict one of what the dict holds now."""
        if not isinstance(obj, VIEWS):
            return obj
        owner, part = self.viewed(obj)
        if id(owner) in self.found_functions.paths or self.presence.partial_of(owner) is not None:
            return self.presence.container_method(owner, part, (), {})
        return obj

    def watched(self, items: Any, kept: bool = False) -> Iterator[Any]:
        """Python's iterator over items.  Those of containers, and what is ``kept`` by another
        iterator, tell how many items were taken."""
        owner = self.owners.get(id(items), (None, items))[1]
        if isinstance(items, VIEWS):
            owner, part = self.viewed(items)
            items = self.turns(owner, part, list(items))  # type: ignore[call-overload]
        elif isinstance(owner, SIZED):
            items = self.turns(owner, "keys", list(items))
        elif type(items) is list:
            items = self._of_list(owner, items)
        elif not kept:
            return iter(items)
        self.taken.append(0)
        return self._counted(items, len(self.taken) - 1)

    def _counted(self, items: Any, number: int) -> Iterator[Any]:
        for one in items:
            self.taken[number] += 1
            yield one

    def _of_list(self, owner: Any, items: list[Any]) -> Iterator[Any]:
        """The items of a list as it is when their turn comes (``items``: what it holds before); if
        it gets an unknown length meanwhile, tracing starts again with the list as it is."""
        place = 0
        while True:
            held = items if owner is items else self.references.seen(owner)
            if id(held) in self.symbolic_lists and KnownLengths() in self.assumed:
                raise self.recorder.fatal(UnsupportedOperation(
                    "a list that is gone through gets a number of items that depends on data",
                    why="its items are gone through while the code is generated",
                    fix="loop over a copy: for x in list(...), or use while"))
            if id(held) in self.symbolic_lists:
                raise Restart(KnownLengths())
            items = items if held is owner else held
            if place >= len(items):
                return
            if type(items[place]) is Poison:
                raise self.recorder.unjoined(items[place])
            yield items[place]
            place += 1

    def turns(self, owner: Any, part: str, items: Sequence[Any]) -> Iterator[Any]:
        """The items of a dict, set or deque, each as it is when its turn comes."""
        start = self.state(owner)
        for (key, _), item in zip(start, items, strict=False):
            yield self.turn(owner, part, key, item)
            self.check(owner, start)

    def turn(self, owner: Any, part: str, key: Any, item: Any) -> Any:
        """An item as it is now."""
        held = self.references.seen(owner)
        if isinstance(held, collections.deque):
            return self.machine.getitem(owner, key)
        if part == "keys" or id(held) in self.found_functions.paths:
            return item
        value = self.presence.entry(held, key)
        value = self.references.loaded(value.content if type(value) is Maybe else value)
        return value if part == "values" else (key, value)

    def iterator(self, obj: Any, backwards: bool = False) -> Any:
        """``iter`` or ``reversed`` of a dict, set, deque or view."""
        owner, part = self.viewed(obj) if isinstance(obj, VIEWS) else (obj, "keys")
        items = list(self.machine.containers.outside_items(obj))
        found: Staged = Turns(owner, part, items, self.state(owner))
        return self.machine.containers.made(Cursor(Reversed(found) if backwards else found))

    def state(self, owner: Any) -> State:
        """The keys of a dict, the items of a set or the places of a deque, with how often it may
        have changed."""
        held = self.references.seen(owner)
        if isinstance(held, collections.deque):
            return *((i, True) for i in range(len(held))), (self.changes[id(held)], True)
        if type(held) is Choice:
            raise self.recorder.of_forms(UnsupportedOperation(
                "which container is gone through depends on data, and changes meanwhile",
                why="whether one changes is asked of one container",
                fix="go through a copy: for item in list(...)"))
        state = self.presence.partial_of(held)
        if state is not None:
            return tuple((k, self._bound(v)) for k, v in state.entries)
        return tuple((k[0] if isinstance(held, dict) else k, True) for k in content_of(held))

    def _bound(self, state: Any) -> Any:
        """Is a key there: a bool, or the value of one."""
        bound = self.presence.is_bound(state)
        return bound if type(bound) is bool else bound_in(state, {})

    def check(self, owner: Any, start: State) -> None:
        """Raise what Python raises where a container has got another size since the start."""
        now = self.state(owner)
        if now == start:
            return
        if isinstance(owner, collections.deque):
            start, now = start[:-1], now[:-1]
        if start == now:
            raise self.recorder.fatal(UnsupportedOperation(
                "a deque changes while it is gone through, and is as long as before",
                why="Python raises a RuntimeError then, but whether it changes may depend on data",
                fix="go through a copy: for item in list(...)"))
        before, after = dict(start), dict(now)
        new = [bound for key, bound in now if key not in before]
        gone = [after.get(key, False) for key, bound in start if after.get(key, False) is not bound]
        if bool(new) is bool(gone) or (gone and not all(b is True for b in before.values())):
            raise self.recorder.fatal(UnsupportedOperation(
                f"a {type(owner).__name__} gets keys and loses others while it is gone through",
                why="what Python does then depends on how the container lies in memory",
                fix="go through a copy: for key in list(...)"))
        bounds = [b if type(b) is bool else self.recorder.wrap(b) for b in new or gone]
        changed = [b if new else self.machine.not_(b) for b in bounds]
        self.machine.call(demand_unchanged, functools.reduce(
            lambda a, b: self.machine.or_(a, lambda: b), changed), _words(type(owner)))

    # ---- what only the run knows ---------------------------------------------------------------
    def walked(self, staged: Any) -> list[tuple[Any, Any, Any]]:
        """What a loop goes through one by one, the containers that it stands for, and what tells
        whether these change, unless that is looked at already."""
        if isinstance(staged, Entries):
            begun = staged.part and type(staged.source) is not Choice and id(
                staged) not in self.looked_at
            found = [staged.source] if begun else []
        else:
            found = [self.begun[id(staged)][1]] if id(staged) in self.begun else []
        if isinstance(staged, Entries) and found and staged.part != "keys":
            self.listed_values[id(staged)] = (staged, self._values_of(staged.source))
        parts = getattr(staged, "parts", None) or (getattr(staged, "inner", None),)
        return [*((staged, one, self._changes_of(one)) for one in found),
                *(each for part in parts if part is not None for each in self.walked(part))]

    def changed(self, walked: list[tuple[Any, Any, Any]]) -> list[tuple[Any, Any]]:
        """Which of them may have changed; what a dict holds was read before the loop."""
        for staged, one, _ in walked:
            _, values = self.listed_values.get(id(staged), (None, None))
            if values is not None and any(now.get(key, value) is not value for now in [
                    self._values_of(one)] for key, value in values.items()):
                raise self.recorder.fatal(UnsupportedOperation(
                    "what a dict holds changes while a loop goes through it with another",
                    why="only data tell which keys the dict has, so its values are read before",
                    fix="loop over its keys: for key in d: ... d[key]"))
        return [(staged, one) for staged, one, before in walked if (
            self._changes_of(one) != before)]

    def checked(self, walked: list[tuple[Any, Any, Any]], items: Iterator[Any]) -> Iterator[Any]:
        """The items of a loop that is unrolled, with the same look."""
        starts = [self.machine.call(_measure_of(one), one) for _, one, _ in walked]
        for item in items:
            yield item
            for staged, one in self.changed(walked):
                start = starts[[w[0] for w in walked].index(staged)]
                self._demand_unchanged(one, start)

    def begin(self, items: Any, container: Any) -> None:
        """Note the iterator over what stands for a container."""
        start = self.machine.call(turns_of, container) if type(container) is Queue else None
        self.begun[id(items)] = (items, container, self._changes_of(container), start)

    def look(self, iterator: Any) -> None:
        """Before the next item of an iterator is taken."""
        _, one, changes, start = self.begun.get(id(iterator), (None, None, None, None))
        if one is not None and self._changes_of(one) != changes:
            if start is None or one.turns is None:
                self.refuse_change()
            self._demand_unchanged(one, start)

    def refuse_change(self) -> NoReturn:
        raise self.recorder.fatal(UnsupportedOperation(
            "a container changes while an iterator over it that has a name goes on",
            why="Python raises a RuntimeError then, but whether it changes may depend on data",
            fix="loop over the container, or over a copy: for item in list(...)"))

    def _demand_unchanged(self, one: Any, start: Any) -> None:
        now = self.machine.call(_measure_of(one), one)
        self.machine.call(demand_unchanged, self.machine.compare("!=", now, start),
                          _words(_class_of(one)))

    def _values_of(self, owner: Any) -> dict[Any, Any]:
        state = self.presence.partial_of(self.references.seen(owner))
        return {} if state is None else {key: one.content if type(one) is Maybe else one
                                         for key, one in state.entries}

    def note_change(self, site: Any, places: Any) -> None:
        """A container may get or lose items."""
        own = places.value in self.known_keys.own_indexes
        self.changes[places.value if own else site] += 1

    def note_turn(self, queue: Any) -> None:
        """A deque changes; one in a store may be found again as another one."""
        self.changes[Queue if queue.turns is None else queue] += 1

    def _changes_of(self, container: Any) -> Any:
        """How often a container may have got or lost items, or which keys it has."""
        if isinstance(container, SIZED):
            return self.state(container)
        if type(container) is Queue:
            return self.changes[Queue] if container.turns is None else self.changes[container]
        return self.changes[container.site] + self.changes[container.places.value]

    def watchfully(self, staged: Any, changed: list[tuple[Any, Any]]) -> Any:
        """What a loop goes through that changes containers in it."""
        for walk, container in changed:
            self.looked_at[id(walk)] = walk
            self.begun.pop(id(walk), None)
            if _class_of(container) is list:
                raise self.recorder.fatal(UnsupportedOperation(
                    "a list in a dict, or a heap, changes while a loop goes through it",
                    why="how many iterations there are depends on what they do",
                    fix="loop over a copy: for x in list(...)"))
            staged = self.machine.call(unchanged, staged, container,
                                       _measure_of(container), _words(_class_of(container)))
        return staged


def _class_of(container: Any) -> type:
    return type(container) if isinstance(container, SIZED) else container.cls


def _measure_of(container: Any) -> Any:
    return turns_of if type(container) is Queue else len


def _words(cls: type) -> str:
    if issubclass(cls, collections.deque):
        return "deque mutated during iteration"
    if issubclass(cls, collections.OrderedDict):
        return "OrderedDict mutated during iteration"
    return f"{'Set' if issubclass(cls, set) else 'dictionary'} changed size during iteration"
