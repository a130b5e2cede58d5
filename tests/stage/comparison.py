"""A registry of small programs and the comparison of plain Python with staged code."""

from __future__ import annotations

import contextlib
import copy
import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.stage import PlainMachine, stage

PROGRAMS: list[tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]] = []


def program(*argument_lists: tuple[Any, ...]):
    """Register a function with the argument tuples to run it on (none: without arguments)."""

    def register(function):
        PROGRAMS.append((function, argument_lists or ((),)))
        return function

    return register


def outcome(run: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Value or exception, printed text, and the arguments afterwards, as comparable texts."""
    args = copy.deepcopy(args)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = describe(run(*args))
        except Exception as error:
            result = exception_text(error)
    return result, printed.getvalue(), describe(args)


def exception_text(error: BaseException | None) -> tuple[Any, ...] | None:
    """Type, message and causes."""
    if error is None:
        return None
    context = None if error.__suppress_context__ else exception_text(error.__context__)
    return (type(error).__name__, anonymous(str(error)), exception_text(error.__cause__), context)


def anonymous(text: str) -> str:
    """Without memory addresses."""
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def describe(value: Any) -> Any:
    """A text that shows type, bits and structure."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, repr(value.tolist()))
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *[describe(v) for v in value])
    if isinstance(value, dict):
        return ("dict", *[(describe(k), describe(v)) for k, v in value.items()])
    return type(value).__name__, anonymous(repr(value))


def compare(function: Callable[..., Any], args: tuple[Any, ...], deep: bool) -> None:
    """Assert that plain Python and staged code agree."""
    machine = PlainMachine(deep=deep)

    def staged(*values: Any) -> Any:
        return stage(function).run(machine, values, {}, fn=function)

    expected, got = outcome(function, args), outcome(staged, args)
    assert got == expected, f"{function.__qualname__}{args}\nplain:  {expected}\nstaged: {got}"
