"""Items that are computed before somebody asks for them.

They are what a generator would give later as long as nothing has changed that it reads: variables
of functions around it, and whatever it can reach from these and from what it goes through.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections import deque
from collections.abc import Iterable
from typing import Any, cast

from ...stage.function import Staged as StagedFunction
from ...stage.function import definition
from ...stage.machine import UNBOUND, Frame
from ...types.dataclasses import dataclass
from ..heap.stores import Placed
from ..record.homes import reach
from ..record.structures import IMMUTABLE, parts_of_iterator, record_fields
from ..record.tracers import ArrayTracer, Home, is_tracer
from .iteration import Staged

VALUES = frozenset({int, float, complex, str, bool})


CHANGING = list, set, deque
GONE_THROUGH = "what it goes through"


@dataclass(slots=True)
class Place:
    """Something that may change: a variable, a container, an instance, an array."""

    owner: Any
    name: str
    content: tuple[Any, ...]


class Ahead:
    """The places that an iterator, or a call of a generator, reads, and what was there when its
    items were made."""

    def __init__(self, machine: Any, source: Any) -> None:
        self.machine = machine
        self.places: list[Place] = []
        self.seen: set[Any] = set()
        self.kept: list[Any] = []  # so that no other object gets the number of one that was seen
        if isinstance(source, (dict, *CHANGING)):  # what its items hold does not matter
            self.places.append(Place(source, GONE_THROUGH, self._content(source, GONE_THROUGH)))
        else:
            self._object(source, GONE_THROUGH)

    def changed(self) -> str | None:
        """The name of something that has changed since."""
        return next((p.name for p in self.places if not _is_same(
            p.content, self._content(p.owner, p.name))), None)

    def reads(self, obj: Any) -> bool:
        """May an object be read for the items?"""
        return id(obj) in self.seen

    def _variables(self, frame: Frame | None, staged: StagedFunction, function: Any) -> None:
        names = set(staged.mentions - staged.assigned)
        while frame is not None:
            for name in [n for n in names if n in frame.slots]:
                names.discard(name)
                self._variable(frame.slots, name, frame.slots[name])
            function, frame = frame.callee, frame.parent
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            if name in names:
                names.discard(name)
                self._variable(cell, name, *self._content(cell, name)[:1])
        for name in names & function.__globals__.keys():
            self._variable(function.__globals__, name, function.__globals__[name])

    def _variable(self, owner: Any, name: str, value: Any) -> None:
        if (id(owner), name) not in self.seen:
            self.seen.add((id(owner), name))
            self.places.append(Place(owner, name, self._content(owner, name)))
            self._walk([value], name)

    def _walk(self, objects: Iterable[Any], name: str) -> None:
        for obj in objects:
            self._object(obj, name)

    def _object(self, obj: Any, name: str) -> None:
        if type(obj) is ArrayTracer:
            self._walk(reach(obj.home), name)
            return
        if obj is UNBOUND or obj is self.machine or isinstance(
                obj, (*IMMUTABLE, type, types.ModuleType)) or (
                id(obj) in self.seen):
            return
        if isinstance(obj, Placed):
            self._walk(obj.store.columns.values(), name)
        if is_tracer(obj):
            return
        if isinstance(obj, Ahead):
            self.places += obj.places
            self.seen |= obj.seen
            self.kept += obj.kept
            return
        self.seen.add(id(obj))
        self.kept.append(obj)
        if isinstance(obj, types.FunctionType):
            self._walk([*(obj.__defaults__ or ()), *(obj.__kwdefaults__ or {}).values()], name)
            made = definition(obj)
            if made is not None:
                self._variables(made.parent, made.staged, obj)
            return
        if isinstance(obj, types.GeneratorType):
            call = self.machine.pushes.fresh_generator(obj)
            self._walk(call.frame.slots.values() if call is not None else () if (
                obj.gi_frame is None) else obj.gi_frame.f_locals.values(), name)
            if call is not None:
                self._variables(call.frame.parent, call.form, call.function)
            return
        parts = _parts(obj)
        if parts is None:
            content = self._content(obj, name)
            self.places.append(Place(obj, name, content))
            parts = content if not isinstance(obj, Home) else ()
        self._walk(parts, name)

    def _content(self, owner: Any, name: str) -> tuple[Any, ...]:
        """What is there now; of a thing from outside also what the program has written there."""
        machine = self.machine
        tables = machine.sources.shadows, machine.sources.overlays, machine.merges.global_overlays
        written = [table[id(owner)] for table in tables if id(owner) in table]
        found = [*self._own(owner, name), *[x for one in written for x in self._own(one, name)]]
        return tuple(found)

    def _own(self, owner: Any, name: str) -> tuple[Any, ...]:
        if isinstance(owner, Home):
            return (owner.current,)
        if isinstance(owner, types.CellType):
            try:
                return (owner.cell_contents,)
            except ValueError:  # not bound yet
                return (UNBOUND,)
        state = self.machine.symbolic_lists.get(id(owner))
        if state is not None:
            return (getattr(state, "value", state),)
        if isinstance(owner, dict):
            return (owner.get(name, UNBOUND),) if (id(owner), name) in self.seen else (
                *owner, *owner.values())
        if isinstance(owner, CHANGING):
            return tuple(owner)
        names: tuple[str, ...] = record_fields(owner) or ()
        return tuple([object.__getattribute__(owner, n) for n in names])


def _parts(obj: Any) -> tuple[Any, ...] | None:
    """The parts of what does not change itself; None for other things."""
    if isinstance(obj, (tuple, frozenset)):
        return tuple(obj)
    if isinstance(obj, functools.partial):
        return (obj.func, obj.args, obj.keywords)
    if isinstance(obj, types.MethodType):
        return (obj.__self__, obj.__func__)
    if parts := parts_of_iterator(obj):
        return parts
    if isinstance(obj, Staged):
        return tuple([getattr(obj, f.name) for f in dataclasses.fields(cast(Any, obj))])
    return None


def _is_same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return len(a) == len(b) and all(
        x is y or (type(x) is type(y) and type(x) in VALUES and x == y) for x, y in zip(a, b))
