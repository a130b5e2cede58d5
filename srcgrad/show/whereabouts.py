"""What generated code does in a thread: which line of the program, how far its loop is."""

from __future__ import annotations

import linecache
import re
import sys
from types import FrameType

from ..cache.link import LINE_MAPS

# Headers whose bounds can be computed again without effects.
_LOOP = re.compile(r"(?:for (\w+) in |while (\w+) < )(reversed\()?"
                   r"(range\((?:len\(\w+\)|[\w ,+*/-])*\)|\w+)\)?:$")


def whereabouts(thread: int) -> str:
    """``line 5, 300 of 1000``, with ``backward`` in the adjoint of a loop; empty outside of
    generated code."""
    frame = sys._current_frames().get(thread)
    frames: list[FrameType] = []
    while frame is not None:
        if LINE_MAPS.get(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    places = (LINE_MAPS[f.f_code.co_filename].get(f.f_lineno) for f in frames)
    place = next((f"line {where.line}" for where in places if where is not None), "")
    steps = next((found for found in map(_steps, reversed(frames)) if found), "")
    return ", ".join(filter(None, (place, steps)))


def _steps(frame: FrameType) -> str:
    """How far the outermost loop around the line of a frame is that counts its steps."""
    lines = linecache.getlines(frame.f_code.co_filename)
    number = frame.f_lineno
    depth, found = _depth(lines[number - 1]), ""
    while number > frame.f_code.co_firstlineno:
        number -= 1
        line = lines[number - 1]
        if line.strip() and _depth(line) < depth:
            depth = _depth(line)
            found = _counted(line.strip(), frame) or found
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _counted(header: str, frame: FrameType) -> str:
    loop = _LOOP.match(header)
    if loop is None:
        return ""
    name, counter, back, bound = loop.groups()
    try:
        at = frame.f_locals[name or counter]
        over = eval(bound, frame.f_globals, frame.f_locals)
    except Exception:  # a name that is not bound yet: the next look will tell
        return ""
    if counter and isinstance(over, int):
        return f"{at} of {over}"
    if not isinstance(over, range) or at not in over:
        return ""
    done, whole = abs(at - over.start), abs(over.stop - over.start)
    return f"{whole - done} of {whole} backward" if back else f"{done} of {whole}"
