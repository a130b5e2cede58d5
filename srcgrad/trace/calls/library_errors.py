"""What goes wrong inside of SciPy, said of the function that the user called.

SciPy's own Python source is staged where a function has no rule.  What cannot be traced there is
told in terms of the public function and the user's line; the place inside of SciPy is a detail.
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import SrcgradError, UnsupportedOperation, Where
from ...types.public_names import advice, inside_scipy, of_scipy, public_name
from ..flow.control import Refusal
from ..record.tracers import contains_tracer

CANNOT = " cannot be traced: "
# What Python and NumPy raise where a traced value is used as no value can be.
OF_TRACERS = (TypeError, AttributeError, KeyError, IndexError, UnboundLocalError, AssertionError,
              ValueError)


def is_of_scipy(function: Any) -> bool:
    """Is it a function, a class or an instance of one of SciPy?"""
    module = getattr(function, "__module__", None)
    return type(module) is str and module.startswith("scipy.")


@contextmanager
def named_for_users(machine: Any, function: Any, args: tuple[Any, ...]) -> Iterator[None]:
    """Refusals in a call of SciPy name the function that is called, and the place of the call."""
    place: Where | None = machine.recorder.where()
    if place is None or of_scipy(place):
        yield
        return
    try:
        yield
    except Refusal as refusal:
        _rename(refusal.error, function, args, place)
        raise
    except SrcgradError as error:
        _rename(error, function, args, place)
        raise
    except OF_TRACERS as error:
        if _is_raised_on_purpose(error):
            raise
        refused = UnsupportedOperation(
            f"{type(error).__name__}: {error}",
            why="its source does with traced values what they do not support")
        _rename(refused, function, args, place)
        raise Refusal(refused) from error


def _rename(error: SrcgradError, function: Any, args: tuple[Any, ...], place: Where) -> None:
    """Name the function in an error, unless it is about another place of the user's."""
    where = error.where
    if isinstance(where, Where) and not of_scipy(where) and where != place:
        return
    name = public_name(function, *[a for a in args[:1] if not contains_tracer(a)])
    inner = error.what.rpartition(CANNOT)[2]
    if isinstance(where, Where) and of_scipy(where):
        error.why = f"{error.why} (scipy/{inside_scipy(where)}, line {where.line})".strip()
        error.fix = advice(name)
    elif not error.fix:
        error.fix = advice(name)
    if name not in inner:
        error.what = f"{name}{CANNOT}{inner}"
    error.where = error.caller = None
    error.at(place)


def _is_raised_on_purpose(error: Exception) -> bool:
    """Does an exception come from a ``raise`` in the library's source?"""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    if frame.name in ("raise_", "reraise"):
        return True
    inside = of_scipy(Where(frame.filename, frame.lineno or 0))
    if isinstance(error, ValueError) and not inside:
        return True
    return inside and linecache.getline(
        frame.filename, frame.lineno or 0).strip().startswith("raise")
