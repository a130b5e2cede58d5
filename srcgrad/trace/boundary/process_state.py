"""What the process has set: how NumPy treats errors and prints, decimal contexts.

What a function that takes no arguments says of the process is guarded to be the same at each
call.  The error settings that the program makes itself are followed while tracing, and made by
the generated code; after it has set anything else, what it reads is read by the run.
"""

from __future__ import annotations

import calendar
import contextvars
import decimal
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...types.guards import Path
from ...types.kinds import INT, OPAQUE
from ..calls.handlers import HANDLERS, handles
from ..record.journal import Field
from ..record.structures import IMMUTABLE
from ..record.tracers import is_tracer

KINDS = ("divide", "over", "under", "invalid")


class ErrorSettings:
    """``np.geterr()`` as the program sees it: one attribute for each kind of error."""

    def __init__(self) -> None:
        self.__dict__.update(np.geterr())

    @property
    def raising(self) -> bool:
        ways = [way for way in self.__dict__.values() if type(way) is str]
        return "raise" in ways


def is_raising() -> bool:
    """Does NumPy raise any of its errors?"""
    return "raise" in np.geterr().values()


def note_raising(machine: Any) -> None:
    """A try statement meets what NumPy raises: guard whether it does so when a call begins."""
    machine.sources.gives(is_raising, (), ())
    if any(map(is_tracer, vars(machine.recorder.error_settings).values())):
        raise machine.recorder.fatal(UnsupportedOperation(
            "a try statement where data decide which errors NumPy raises",
            why="whether the body raises would not be known",
            fix="set them (np.seterr, np.errstate) outside of branches that depend on data"))


def decimal_context() -> tuple[Any, ...]:
    """What the results of decimal arithmetic depend on."""
    found = decimal.getcontext()
    return (found.prec, found.rounding, found.Emin, found.Emax, found.capitals, found.clamp,
            *found.traps.items())


def note_exact(machine: Any, obj: Any) -> Any:
    """Guard the context under which decimal numbers are computed with."""
    if isinstance(obj, decimal.Decimal):
        machine.sources.gives(decimal_context, (), ())
    return obj


def told_by_process(machine: Any, function: Any, found: Any) -> Any:
    """What a library's function without arguments gives."""
    if machine.recorder.process_is_set:
        return machine.effects.emit_effect(function, (), {}, OPAQUE)
    machine.sources.gives(function, (), ())
    return found


def told_by_place(machine: Any, function: Any, args: tuple[Any, ...],
                  kwargs: dict[str, Any]) -> Any:
    """What a weak reference leads to, and what a context variable holds, read at each call;
    NotImplemented for what nobody knows before the run."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, contextvars.ContextVar) and function.__name__ != "get":
        machine.recorder.process_is_set = True
    place = machine.found_functions.paths.get(id(function))
    if isinstance(owner, contextvars.ContextVar) and id(owner) in machine.found_functions.paths:
        place = machine.found_functions.paths[id(owner)].child("attr", function.__name__)
    if place is None or kwargs or machine.recorder.process_is_set or not (
            isinstance(function, weakref.ReferenceType) or owner is not None) or not all(
            isinstance(a, IMMUTABLE) for a in args):
        return NotImplemented
    try:
        return machine.foreigners.outside(function(*args),
                                          machine.library_calls.call_of(place, args))
    except LookupError:
        return NotImplemented


def set_errors(machine: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """Other error settings while tracing; those before."""
    held = machine.recorder.error_settings
    before = dict(vars(held))
    every = settings.get("all")
    for kind in KINDS:
        wanted = settings.get(kind) or every
        if wanted is not None and wanted != before[kind]:
            machine.journal.write(Field(held, kind), wanted)
    return before


@handles(np.geterr)
def geterr(machine: Any) -> dict[str, Any]:
    machine.sources.gives(np.geterr, (), ())
    return dict(vars(machine.recorder.error_settings))


@handles(np.seterr)
def seterr(machine: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
    settings = dict(zip(("all", *KINDS), args, strict=False)) | kwargs
    settings = {k: machine.keys.static_key(v) for k, v in settings.items()}
    machine.sources.gives(np.geterr, (), ())
    machine.effects.emit_effect(np.seterr, (), settings, None)
    return set_errors(machine, settings)


def _set(function: Any, gives: Any) -> Callable[..., Any]:
    """What a function that sets something of the process means."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        machine.recorder.process_is_set = True
        return machine.effects.emit_effect(function, args, kwargs, gives)

    return handler


for _function, _gives in ((np.set_printoptions, None), (np.setbufsize, INT),
                          (np.seterrcall, OPAQUE)):
    HANDLERS[_function] = _set(_function, _gives)


@handles(np.printoptions)
def printoptions(machine: Any, *args: Any, **kwargs: Any) -> Any:
    raise machine.recorder.fatal(UnsupportedOperation(
        "np.printoptions in a traced function",
        why="texts are made by the generated code, after the options were set back",
        fix="put the with statement around the call, or call np.set_printoptions"))


@handles(decimal.getcontext)
def getcontext(machine: Any) -> Any:
    """The context of each call; its attributes are read at each call."""
    start = Path(machine.variables.pin(decimal.getcontext, "getcontext"), (), "getcontext")
    return machine.foreigners.outside(decimal.getcontext(),
                                      machine.library_calls.call_of(start, ()))


HANDLERS[calendar.firstweekday] = lambda machine: (
    told_by_process(machine, calendar.firstweekday, calendar.firstweekday()))


@handles(decimal.setcontext, decimal.localcontext)
def set_context(machine: Any, *args: Any, **kwargs: Any) -> Any:
    raise machine.recorder.fatal(changed_context())


def changed_context() -> UnsupportedOperation:
    return UnsupportedOperation(
        "a change of the decimal context in a traced function",
        why="decimal numbers are computed while the code is generated",
        fix="set the context before the call, or make the numbers outside of the function")
