"""Which of the objects from outside are one object.

What the program changes, or asks the identity of, must be another object than all others of its
type that it has found outside, as it was while tracing: one guard says so at every call.
"""

from __future__ import annotations

import types
from typing import Any

from ...errors import UnsupportedOperation
from ...types.guards import Path
from ..assumptions import FollowedArrays
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..record.homes import is_stored, may_be_one
from ..record.tracers import ArrayTracer

FIXED = (type, types.FunctionType, types.ModuleType, types.BuiltinFunctionType, types.MethodType)


def equal_if_one(obj: Any) -> bool:
    """Is the object equal to itself alone?"""
    cls: Any = type(obj)
    return cls.__eq__ is object.__eq__


class Identity(Collaborator):
    """Guards on the identity of objects and arrays from outside."""

    speaks_to = ("found_functions", "items", "memory", "opening", "recorder", "references",
                 "sources")

    def __init__(self) -> None:
        self.altered: set[int] = set()  # objects that the program changes, or may

    def note_identity(self, *objects: Any) -> None:
        """It is asked whether an object is some other one."""
        if len(objects) == 1 or (objects[0] is not objects[1] and type(objects[0]) is type(
                objects[1]) and all(id(o) in self.journal.sealed for o in objects)):
            self.references.check_copies(*objects)
        for obj in objects:
            self.found_functions.fix(obj)
            if type(obj) is ArrayTracer:
                for _, other, _ in list(self.sources.outside_arrays):
                    self.check_identity(obj, other)
            elif id(obj) in self.found_functions.paths:
                for other in objects:
                    self.sources.check_twin(obj, other)
                self.altered.add(id(obj))

    def check_copies(self, *objects: Any) -> None:
        """What is put together from the parts in a list of unknown length may be any object
        that was put there."""
        if any(id(o) in self.journal.copies for o in objects):
            self.items.unroll_list_makers(
                "a list that it fills holds objects whose identity matters")
            raise self.recorder.of_forms(UnsupportedOperation(
                "the identity of an object in a list whose length depends on data",
                why="such a list is kept part by part, so it is not known which object it is",
                fix="give the objects a number and compare that, or define `__eq__` (and "
                    "`__hash__`)"))

    def check_identity(self, left: ArrayTracer, right: ArrayTracer) -> None:
        """It is asked whether two arrays are one: if they are found at two places outside, start
        again with one array, or guard that they are two."""
        one, two = (next((a for a in self.sources.outside_arrays if a[1].obj == tracer.obj), None)
                    for tracer in (left, right))
        if one is None or two is None or one is two:
            return
        first, second = sorted((one[0], two[0]), key=self.memory.order_of)
        if one[2] is two[2]:
            raise Restart(self.assumed.known(str(first), str(second)))
        self.sources.guard("is_not_path", second, first)

    def check_two(self, left: ArrayTracer, right: ArrayTracer) -> None:
        """Two arrays are told apart: refuse where data decides whether they are one."""
        stored = [is_stored(home) or bool(home.held) for home in (left.home, right.home)]
        if left.steps and right.steps:
            unknown = None in (left.first, right.first)  # a view that a list holds
        elif left.steps or right.steps:
            unknown = all(stored)
        else:
            unknown = left.home is not right.home and (
                may_be_one(left.home, right.home) or all(stored) or (
                    any(stored) and bool(self.sources.array_lists)))
        if unknown:
            raise self.recorder.of_forms(UnsupportedOperation(
                "it is asked whether two arrays are one, and data decides that",
                why="arrays in lists whose length depends on data, and names that stand for one of "
                    "several arrays, are known by their content",
                fix="compare numbers that tell the arrays apart, such as their places"),
                FollowedArrays())

    def guard_identities(self) -> None:
        """What was changed, or asked for its identity, is no other object."""
        like: dict[type, tuple[list[Path], list[Path]]] = {}
        for key, path in self.found_functions.paths.items():
            obj = self.found_functions.pinned.get(key)
            if obj is None or isinstance(obj, FIXED):
                continue
            if key in self.altered:
                self.opening.check_apart(obj, path)
            like.setdefault(type(obj), ([], []))[key not in self.altered].append(path)
        for altered, others in like.values():
            if altered and len(altered) + len(others) > 1 and any(
                    map(_may_vary, (*altered, *others))):
                self.sources.guard("distinct", None, (tuple(altered), tuple(others)))


def _may_vary(path: Path) -> bool:
    """May another object lie at a path at another call?"""
    return bool(path.steps) or path.root[0] == "arg"
