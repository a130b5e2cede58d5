"""Where in the user's source an operation comes from.

Staged code keeps the user's positions, so the place of the operation that runs now is the
position of the innermost staged frame on the stack.
"""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ..errors import Where
from .function import UNIT_KEY, Staged

_KEY = UNIT_KEY
_ENTER = Staged.enter.__code__
_PACKAGE = str(Path(__file__).parents[1]) + os.sep


def origin(skip: int = 0) -> Where | None:
    """The place in the user's source of the staged operation that is running; None outside
    staged code.  ``skip`` staged frames are passed over (those of regions count too).  The
    package's own staged code stands for a call in the user's, whose place it gets."""
    frame: FrameType | None = sys._getframe(1)
    own: FrameType | None = None
    while frame is not None:
        if _KEY in frame.f_globals:
            unit = frame.f_globals[_KEY]
            if skip > 0:
                skip -= 1
            elif not unit.filename.startswith(_PACKAGE):
                return _place(unit, frame.f_code, frame.f_lasti)
            elif own is None:
                own = frame
        frame = frame.f_back
    return None if own is None else _place(own.f_globals[_KEY], own.f_code, own.f_lasti)


def origins() -> list[Where]:
    """The chain of places, innermost first: one for each activation of a staged function, so
    the second is where the inlined function was called, and so on."""
    frame: FrameType | None = sys._getframe(1)
    found: list[Where] = []
    owner: Any = None
    while frame is not None:
        unit = frame.f_globals.get(_KEY)
        if unit is not None:
            staged = unit.owners.get(id(frame.f_code))
            if staged is not owner:
                found.append(_place(unit, frame.f_code, frame.f_lasti))
                owner = staged
            if staged.is_generator and frame.f_code is staged.code.__code__:
                owner = None
        elif frame.f_code is _ENTER:
            owner = None  # whatever is below is another activation, of the same function too
        frame = frame.f_back
    return found


def _place(unit: Any, code: CodeType, lasti: int) -> Where:
    key = (id(code), lasti)
    found: Where | None = unit.places.get(key)
    if found is None:
        found = unit.places[key] = _resolve(unit, code, lasti)
    return found


def _resolve(unit: Any, code: CodeType, lasti: int) -> Where:
    place = lasti // 2
    at, positions = unit.positions.pop(id(code), (place + 1, None))
    if at > place:  # to find one place takes time linear in the function, to find the next does not
        at, positions = 0, code.co_positions()
    line, end_line, start, stop = next(islice(positions, place - at, None))
    unit.positions[id(code)] = place + 1, positions
    staged = unit.owners.get(id(code))
    line = line or code.co_firstlineno
    text = unit.lines[line - 1].rstrip("\n") if 0 < line <= len(unit.lines) else ""
    if start is not None:
        stop = len(text.encode()) if end_line != line or stop is None else stop
        if not text.isascii():  # positions count bytes
            raw = text.encode()
            start = len(raw[:start].decode(errors="replace"))
            stop = len(raw[:stop].decode(errors="replace"))
    name = staged.qualname if staged is not None else code.co_name
    first, statement = unit.statements.get(line, (0, ""))
    return Where(unit.filename, line, name, text, start, stop, statement, first)
