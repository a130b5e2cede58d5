"""Libraries that mean something of their own while tracing, each known by name alone.

A library is a module with the functions of :class:`Library`.  It is imported when the program has
imported what it is about, and asked in the order of the table.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Protocol, cast

from ...errors import SrcgradError

Handler = Callable[..., Any]


class Library(Protocol):
    """What the tracer asks of a library.  ``STAGED`` names the modules of its recipes, which are
    staged like the user's code."""

    STAGED: frozenset[str]

    def handler_of(self, function: Any) -> Handler | None:
        """What stands for a function, None for those that mean themselves."""

    def shared_method(self, function: types.MethodType) -> types.MethodType | None:
        """The method with a rule that does the same, None if there is none."""

    def holds_arrays(self, obj: Any) -> bool:
        """Are the arrays in the object read at every call?"""

    def is_constant(self, obj: Any) -> bool:
        """Is the object a constant as a whole, whatever numbers it holds?"""

    def class_of(self, obj: Any) -> Any:
        """The class that an object of the trace stands for one of, None for others."""

    def value_in(self, obj: Any) -> Any:
        """The value that is named after a variable which refers to the object, None for others."""

    def binary(self, machine: Any, op: str, left: Any, right: Any) -> Any:
        """An operator of a constant and a traced value; NotImplemented for others."""

    def refusal(self, function: Any, args: Any, with_traced: bool) -> SrcgradError | None:
        """The error for a call that is refused, with traced values or with any."""

    def constant_method(self, machine: Any, obj: Any, name: str, args: Any, kwargs: Any) -> Any:
        """A method of a constant."""


REGISTERED = {"scipy": "srcgrad.trace.libraries.scipy.forms"}


def present() -> Iterator[Library]:
    """The registered libraries that the program has imported."""
    for name, home in REGISTERED.items():
        if name in sys.modules:
            yield cast(Library, sys.modules.get(home) or importlib.import_module(home))


def handler_of(function: Any) -> Handler | None:
    """What stands for a function of a library, None for all others."""
    return next((found for library in present() if (
        found := library.handler_of(function)) is not None), None)


def shared_method(function: types.MethodType) -> types.MethodType | None:
    """The method with a rule that does the same, None if there is none."""
    return next((found for library in present() if (
        found := library.shared_method(function)) is not None), None)


def refusal(function: Any, args: Any, with_traced: bool) -> SrcgradError | None:
    """The error for a call of a library that is refused, with traced values or with any."""
    return next((error for library in present() if (
        error := library.refusal(function, args, with_traced)) is not None), None)


def is_staged(module: str | None) -> bool:
    """Are the functions of the module recipes of a library, which are staged?"""
    return any(module in library.STAGED for library in present())


def holds_arrays(obj: Any) -> bool:
    """Is it an object of a library whose arrays are read at every call?"""
    return any(library.holds_arrays(obj) for library in present())


def of_constant(obj: Any) -> Library | None:
    """The library in which the object is a constant as a whole."""
    return next((library for library in present() if library.is_constant(obj)), None)


def class_of(obj: Any) -> Any:
    """The class of a library that an object of the trace stands for one of, None for others."""
    return next((found for library in present() if (
        found := library.class_of(obj)) is not None), None)


def value_in(obj: Any) -> Any:
    """The value that is named after a variable which refers to an object of a library's."""
    return next((found for library in present() if (
        found := library.value_in(obj)) is not None), None)


def binary(machine: Any, op: str, left: Any, right: Any) -> Any:
    """An operator of a library's constant and a traced value; NotImplemented for others."""
    for library in present():
        if (found := library.binary(machine, op, left, right)) is not NotImplemented:
            return found
    return NotImplemented
