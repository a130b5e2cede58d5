"""Tracebacks without the frames of srcgrad itself.

What goes wrong in a user's program is shown with the user's frames and those of the generated
code.  ``config.internal_frames`` (or ``SRCGRAD_INTERNAL_FRAMES=1``) shows all.
"""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from ..cache.link import note_places
from ..config import config
from ..errors import UnsupportedOperation
from ..graph.generic import Demand

P = ParamSpec("P")
T = TypeVar("T")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
LIBRARY = sysconfig.get_path("stdlib") + os.sep
DISPATCH = "<srcgrad dispatch"


def is_internal(filename: str) -> bool:
    """Does a frame belong to srcgrad itself (and not to generated code)?"""
    return filename.startswith((PACKAGE, DISPATCH))


def callers_level() -> int:
    """The ``stacklevel`` of a warning that names the user's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and is_internal(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    return level


def users_frames(error: BaseException) -> TracebackType | None:
    """The traceback of an error without internal frames, and without the standard library's
    frames that these called."""
    kept: list[TracebackType] = []
    inside = False
    traceback = error.__traceback__
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        helper = inside and name.startswith(LIBRARY) and "site-packages" not in name
        inside = is_internal(name) or helper
        if not inside:
            kept.append(traceback)
        traceback = traceback.tb_next
    found: TracebackType | None = None
    for frame in reversed(kept):
        found = TracebackType(found, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return found


def shown(error: Exception) -> Exception:
    """The error as the user sees it, with a note of the user's line; to be raised in the
    ``except`` clause that caught it."""
    if isinstance(error, Demand):  # a signal within srcgrad that nobody has caught
        error = UnsupportedOperation(
            "a number that only a run knows is needed while compiling",
            why=f"the sizes of a result follow from it ({error})",
            fix="give the number as a constant of the program (an axis, a length)")
    note_places(error)
    if config.internal_frames:
        return error
    context = error.__context__
    if context is not None and not error.__suppress_context__ and users_frames(context) is None:
        error.__suppress_context__ = True
    return error.with_traceback(users_frames(error))


def without_internal_frames(function: Callable[P, T]) -> Callable[P, T]:
    """A public function whose errors show the user's frames only.

    >>> import traceback
    >>> @without_internal_frames
    ... def parsed(text: str) -> int:
    ...     return int(text)
    >>> try:
    ...     parsed("x")
    ... except ValueError as error:
    ...     print(error)
    invalid literal for int() with base 10: 'x'
    """

    @functools.wraps(function)
    def public(*args: P.args, **kwargs: P.kwargs) -> T:
        __tracebackhide__ = True
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise shown(error)  # noqa: B904

    return public
