"""Classes as objects: what is read from them is read at every call.

A class from before the trace is like any object from outside.  Numbers and arrays among its
attributes are inputs, everything else is guarded; its methods are guarded like functions.
"""

from __future__ import annotations

import enum
import types
from typing import Any

from ..guards import Path
from ..stage.function import Staged
from ..stage.machine import Frame
from ..stage.source import is_generated
from .items import Items
from .tracers import is_tracer

LIBRARIES = ("numpy", "scipy", "math", "cmath", "operator", "functools", "itertools", "builtins",
             "collections", "dataclasses", "typing", "abc", "copy", "time", "random", "warnings",
             "enum", "types", "contextlib", "string", "re", "os", "sys", "json", "logging",
             "numbers", "inspect", "bisect", "heapq", "statistics", "fractions", "decimal",
             "datetime")


def is_library(name: str | None) -> bool:
    """Is a module part of NumPy, SciPy or the standard library (whose functions do not change
    while a program runs)?"""
    return name is not None and name.split(".")[0] in LIBRARIES


class ClassAttributes(Items):
    """Attributes of classes."""

    made_classes: dict[int, Any]  # those made while tracing, by their ids

    def made_class(self, cls: Any) -> Any:
        """Remember a class that the traced code has made."""
        self.made_classes[id(cls)] = cls
        return cls

    def build_class(self, body: Staged, frame: Frame, name: str, bases: tuple[Any, ...],
                    keywords: dict[str, Any]) -> Any:
        made: Any = super()
        return self.made_class(made.build_class(body, frame, name, bases, keywords))

    def from_outside(self, cls: type) -> bool:
        """Is it a class of the user's from before the trace, whose attributes may change?"""
        return id(cls) not in self.made_classes and not is_library(cls.__module__) and (
            not issubclass(cls, (enum.Enum, BaseException)))

    def register_class(self, obj: Any) -> None:
        """Give a class (or module) a path."""
        if id(obj) not in self.paths:
            label = getattr(obj, "__name__", "object")
            self.paths[id(obj)] = Path(self._pin(obj, label), (), label)

    def is_class_data(self, cls: type, found: Any) -> bool:
        """Is a raw attribute of a class neither a descriptor (a method, a property, a slot) nor a
        value of the trace?"""
        return self.from_outside(cls) and not hasattr(type(found), "__get__") and (
            not is_tracer(found) and not isinstance(found, type))

    def note_class_attribute(self, cls: type, name: str, found: Any) -> None:
        """Guard a method of a class from outside."""
        if not self.from_outside(cls) or not isinstance(
                found, (types.FunctionType, staticmethod, classmethod)):
            return
        self.register_class(cls)
        path = self.paths[id(cls)].child("attr", name)
        if isinstance(found, classmethod):
            path = path.child("attr", "__func__")
        function = found if isinstance(found, types.FunctionType) else found.__func__
        generated = getattr(function, "__code__", None) is None or is_generated(function)
        if not generated:
            self.outside(function, path)

    def _pin(self, obj: Any, label: str) -> tuple[str, Any]:
        raise AttributeError
