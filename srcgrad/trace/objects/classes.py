"""Classes as objects: what is read from them is read at every call.

A class from before the trace is like any object from outside.  Numbers and arrays among its
attributes are inputs, everything else is guarded; its methods are guarded like functions.
"""

from __future__ import annotations

import enum
import types
from typing import Any

from ...errors import UnsupportedOperation
from ...stage.defaults import MachineDefaults
from ...stage.function import Staged
from ...stage.machine import UNBOUND, Frame
from ...stage.source import is_generated
from ...types.guards import Path
from ...types.subclasses import own_namespace, special_members
from ..collaborator import Collaborator
from ..record.structures import is_library
from ..record.tracers import Above, is_tracer, users_class
from .special_methods import class_attribute, is_cached_property


def lineage_of(obj: Any) -> tuple[type, ...]:
    """The classes that an instance, or a class, inherits from."""
    return obj.__mro__[1:] if isinstance(obj, type) else users_class(type(obj)).__mro__


class ClassAttributes(Collaborator):
    """Attributes of classes."""

    speaks_to = ("access", "foreigners", "found_functions", "recorder", "sources", "variables")

    def __init__(self) -> None:
        self.made_classes: dict[int, Any] = {}  # those made while tracing, by their ids
        self.noted: set[int] = set()
        self.methods: set[tuple[int, int]] = set()  # of which class which functions are guarded
        self.seeded: set[tuple[int, str]] = set()  # attributes taken for objects' own

    def made_class(self, cls: Any) -> Any:
        """Remember a class that the traced code has made."""
        self.made_classes[id(cls)] = cls
        return cls

    def build_class(self, body: Staged, frame: Frame, name: str, bases: tuple[Any, ...],
                    keywords: dict[str, Any]) -> Any:
        return self.made_class(MachineDefaults.build_class(
            self.machine, body, frame, name, bases, keywords))

    def from_outside(self, cls: type) -> bool:
        """Is it a class of the user's from before the trace, whose attributes may change?"""
        return id(cls) not in self.made_classes and not is_library(cls.__module__) and (
            not issubclass(cls, (enum.Enum, BaseException)))

    def register_class(self, obj: Any) -> None:
        """Give a class (or module) a path."""
        if id(obj) not in self.found_functions.paths:
            label = getattr(obj, "__name__", "object")
            self.found_functions.paths[id(obj)] = Path(self.variables.pin(obj, label), (), label)

    def note_class(self, cls: Any) -> None:
        """Guard what operators, calls and protocols find in a class, and what it inherits."""
        cls = users_class(cls)
        for one in (cls, type(cls)):
            if id(one) in self.noted or not self.from_outside(one):
                continue
            self.noted.add(id(one))
            path = Path(self.variables.pin(one, one.__name__), (), one.__name__)
            self.sources.guard("is", path.child("attr", "__mro__"), one.__mro__)
            for base in one.__mro__:
                if self.from_outside(base):
                    self.sources.gives(special_members, (base,), (base,))

    def is_class_data(self, cls: type, found: Any) -> bool:
        """Is a raw attribute of a class neither a descriptor (a method, a property, a slot) nor a
        value of the trace?"""
        return self.from_outside(cls) and not hasattr(type(found), "__get__") and (
            not is_tracer(found) and not isinstance(found, type))

    def note_class_attribute(self, cls: type, name: str, found: Any) -> None:
        """Guard a method of a class from outside."""
        stand_in, cls = cls, users_class(cls)
        if cls is not stand_in and class_attribute(cls, name) is not found:
            return  # ours
        if id(cls) in self.made_classes or is_library(cls.__module__) or (
                issubclass(cls, BaseException)) or not isinstance(
                found, (types.FunctionType, staticmethod, classmethod, property)):
            return
        self.register_class(cls)
        path = self.found_functions.paths[id(cls)].child("attr", name)
        if isinstance(found, property):
            self.found_functions.pinned[id(found)] = found
            self.sources.guard("is", path, found)
            for part in ("fget", "fset", "fdel"):
                if isinstance(getattr(found, part), types.FunctionType):
                    self.foreigners.outside(getattr(found, part), path.child("attr", part))
            return
        if isinstance(found, classmethod):
            path = path.child("attr", "__func__")
        function = found if isinstance(found, types.FunctionType) else found.__func__
        generated = getattr(function, "__code__", None) is None or is_generated(function)
        if not generated:
            self.foreigners.outside(function, path)

    def namespace_of(self, cls: type) -> Any:
        """What a class holds itself, its data as they are at each call."""
        self.register_class(cls)
        self.sources.guard("keys", self.found_functions.paths[id(cls)].child("attr", "__dict__"),
                           tuple(vars(cls)))
        found = {name: self.machine.getattr(cls, name) if self.is_class_data(cls, value)
                 and name[:2] != "__" else value for name, value in vars(cls).items()}
        self.journal.born(found)
        return found

    def note_method(self, function: types.FunctionType, args: tuple[Any, ...]) -> None:
        """Guard a method that an operator, a call or a protocol has found in the class of its
        first argument."""
        cls = args[0] if args and isinstance(args[0], type) else users_class(
            type(args[0])) if args else object
        if (id(cls), id(function)) in self.methods or is_library(cls.__module__) or (
                is_library(function.__module__)):
            return
        self.methods.add((id(cls), id(function)))
        for name in dict.fromkeys(n for c in cls.__mro__ for n in vars(c)):
            found = class_attribute(cls, name)
            if found is function or getattr(found, "__func__", None) is function:
                self.note_class_attribute(cls, name, found)

    def descriptor(self, cls: type, name: str, found: Any) -> Any:
        """A descriptor of the user's in a class, with its attributes read at each call."""
        holder = next(c for c in users_class(cls).__mro__ if vars(c).get(name) is found)
        if self.from_outside(holder):
            self.register_class(holder)
            self.sources.guard("holds", self.found_functions.paths[id(holder)], (name, found))
            if id(found) not in self.found_functions.paths:
                self.foreigners.outside(found, Path(self.variables.pin(found, name), (), name))
        return found

    def changed_class(self, obj: Any, name: str, lineage: tuple[type, ...]) -> type | None:
        """The class of a lineage in which the program has changed an attribute that ``obj``
        inherits; None where Python's own lookup finds what was there before."""
        if not self.sources.overlays:
            return None
        for place, cls in enumerate(lineage):
            if name in self.sources.overlays.get(id(cls), {}):
                for heir in (obj, *lineage[:place]):
                    if id(heir) in self.found_functions.paths:
                        self.sources.guard("inherited", self.found_functions.paths[id(heir)], name)
                return cls
            if name in vars(cls):
                break
        return None

    def holder(self, obj: Any, name: str) -> Any:
        """The object that ``getattr`` asks first: a class in which the program has changed what
        ``obj`` inherits, or ``obj``."""
        if is_tracer(obj) or name in own_namespace(obj) or (
                name in self.sources.overlays.get(id(obj), ())):
            return obj
        lineage = lineage_of(obj)
        return self.changed_class(obj, name, lineage) or obj

    def inherited(self, obj: Any, name: str) -> Any:
        """What the program has stored into a class that an instance or class inherits from;
        UNBOUND if nothing of this name."""
        lineage = lineage_of(obj)
        cls = self.changed_class(obj, name, lineage)
        return UNBOUND if cls is None else self.bound_to(obj, self.machine.getattr(cls, name))

    def bound_to(self, obj: Any, found: Any) -> Any:
        """What an instance makes of an attribute of its class."""
        if isinstance(obj, type) or is_tracer(found) or isinstance(found, type):
            return found
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, obj)
        if isinstance(found, property) and found.fget is not None:
            return self.machine.call(found.fget, obj)
        if hasattr(getter := getattr(type(found), "__get__", None), "__code__"):
            return self.machine.call(getter, found, obj, users_class(type(obj)))
        return found

    def super_attribute(self, obj: Any, name: str) -> Any:
        """An attribute of ``super()``: that of the next class that has it."""
        if obj.__self__ is None or name == "__class__":
            return getattr(obj, name)
        lineage = users_class(obj.__self_class__).__mro__
        lineage = lineage[lineage.index(users_class(obj.__thisclass__)) + 1:]
        holder = next((c for c in lineage if name in vars(c)), None)
        cls = self.changed_class(None, name, lineage)
        if cls is None and holder is not None:
            for between in lineage[:lineage.index(holder)]:
                if self.from_outside(between):
                    self.register_class(between)
                    self.sources.guard("inherited", self.found_functions.paths[id(between)], name)
            found = vars(holder)[name]
            self.note_class_attribute(holder, name, found)
            if isinstance(found, property) and found.fget is not None:
                return self.machine.call(found.fget, obj.__self__)
            if is_cached_property(found) and not isinstance(obj.__self__, type):
                return self.machine.getattr(obj.__self__, name) if type(obj) is Above else (
                    self.access.cached_above(obj.__self__, name, found))
            cls = holder if self.is_class_data(holder, found) else None
        if cls is not None:
            return self.bound_to(obj.__self__, self.machine.getattr(cls, name))
        if type(obj) is super or holder is None:
            return getattr(obj, name)
        if isinstance(found, (staticmethod, classmethod)):
            return found.__get__(None, obj.__self_class__)
        return self.bound_to(obj.__self__, found)

    def guard_seeded(self, obj: Any, name: str) -> None:
        """Remember that what an instance inherits was taken for its own; refuse to change that
        in the class afterwards."""
        lineage = lineage_of(obj)
        if isinstance(obj, type) and (id(obj), name) in self.seeded:
            raise self.recorder.fatal(UnsupportedOperation(
                f"the attribute {name!r} of the class {obj.__name__} is changed after a branch or "
                "loop in which what inherits it may have got its own",
                why="whether an object has an attribute of its own depends on the path",
                fix="give the object the attribute before the branch or loop"))
        if name not in own_namespace(obj) and len(self.journal.layers) > 1:
            self.seeded.update((id(c), name) for c in lineage if name in vars(c))
