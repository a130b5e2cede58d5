"""What a call starts from, and where the code that was generated for it is kept.

Code is generated for one function, but serves every function with the same code object: a lambda
that a training step makes anew reads other variables from around it, and nothing else differs.
So what was generated is kept beside the code object, as long as that lives, and bound to each
function: everything that the guards and inputs read starts from the :class:`Anchor`.
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from ..types.dataclasses import dataclass


@dataclass(frozen=True)
class Anchor:
    """The Python function that a call runs, and what it is bound to or held by.

    ``owner`` is the instance of a bound method, a ``functools.partial``, or any other callable
    object.  ``form`` says how the two make the callable.
    """

    function: types.FunctionType | None
    owner: Any = None
    form: tuple[Any, ...] = ()

    @property
    def identity(self) -> Any:
        """The object that makes it this very function."""
        return self.owner if self.function is None else self.function

    def roles(self) -> dict[int, str]:
        """Which objects, by their ids, stand for what at each call."""
        found = {} if self.owner is None else {id(self.owner): "_owner()"}
        if self.function is not None:
            found[id(self.function)] = "_function()"
            found[id(self.function.__globals__)] = "_function().__globals__"
        return found

    def play(self, role: str) -> Any:
        """The object that stands for a role of :meth:`roles`."""
        if role == "_owner()":
            return self.owner
        assert self.function is not None
        return self.function if role == "_function()" else self.function.__globals__


NOWHERE = Anchor(None)  # of code that is not bound to a function
BARE = inspect.Signature()


def anchor_of(function: Any) -> Anchor:
    """Where the calls of ``function`` start."""
    form: list[Any] = []
    while hasattr(type(function), "__srcgrad_request__"):  # a transform of a transform
        form.append(function.__srcgrad_request__)
        function = function.__wrapped__
    if isinstance(function, types.FunctionType):
        return Anchor(function, None, tuple(form))
    form.append(type(function))
    if isinstance(function, types.MethodType) and isinstance(
            function.__func__, types.FunctionType):
        return Anchor(function.__func__, function.__self__, tuple(form))
    return Anchor(None, function, tuple(form))


def _keeper(anchor: Anchor) -> Any:
    """The object beside which generated code is kept: the code of a Python function."""
    found: Any = anchor.function or anchor.owner
    while isinstance(found, functools.partial):
        found = found.func
    if isinstance(found, types.MethodType):
        found = found.__func__
    if not isinstance(found, types.FunctionType):
        called = type(found).__call__
        if isinstance(called, types.FunctionType) and not hasattr(
                type(found), "__srcgrad_trace__"):
            found = called
    return found.__code__ if isinstance(found, types.FunctionType) else found


class Kept:
    """Values kept beside objects, by identity, as long as the objects live."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Any]] = {}

    def get(self, obj: Any, make: Callable[[], Any]) -> Any:
        """The value beside an object, made where there is none."""
        key, entries = id(obj), self._entries
        found = entries.get(key)
        if found is not None and found[0]() is obj:
            return found[1]
        value = make()

        def forget(reference: weakref.ref[Any]) -> None:
            kept = entries.get(key)
            if kept is not None and kept[0] is reference:
                del entries[key]

        try:
            entries[key] = (weakref.ref(obj, forget), value)
        except TypeError:  # code of C without weak references: nothing is kept
            pass
        return value


_KEPT = Kept()


def generated_for(anchor: Anchor, signature: inspect.Signature, request: Any) -> list[Any]:
    """The list of what was generated for functions like this one."""
    tables: dict[Any, list[Any]] = _KEPT.get(_keeper(anchor), dict)
    parameters = tuple((p.name, p.kind, p.default is p.empty)
                       for p in signature.parameters.values())
    return tables.setdefault((request, anchor.form, parameters), [])
