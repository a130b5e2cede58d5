"""Where the first NaN or infinity comes from."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from ..cache.link import LINE_MAPS
from ..errors import NonFiniteValue, Where


@contextmanager
def debug_nans(infs: bool = True) -> Iterator[None]:
    """Calls of compiled functions in this context stop at the first statement, of the forward
    or the adjoint part, that makes a NaN (with ``infs`` also an infinity).

    Raises :class:`NonFiniteValue` (also a ``FloatingPointError``) with the generated statement
    and the user's line.  NaNs that come in with the arguments are not reported, nor infinities
    that the program writes down (``best = np.inf``).  The context is slow: every statement's
    results are looked at.  It uses :func:`sys.settrace`, in this thread.

    See also :func:`debug_grads`, :func:`check_grads`.

    >>> from srcgrad import grad
    >>> with debug_nans():
    ...     grad(lambda x: np.sum(np.sqrt(x)))(np.array([1.0, 4.0]))
    array([0.5 , 0.25])
    """
    before = sys.gettrace()
    sys.settrace(_Watch(infs).enter)
    try:
        yield
    finally:
        sys.settrace(before)


class _Watch:
    """Looks at the variables of generated functions after each of their lines."""

    def __init__(self, infs: bool) -> None:
        self.infs = infs

    def enter(self, frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename not in LINE_MAPS:
            return None
        if any(self.is_bad(value) for value in frame.f_locals.values()):
            return None  # what comes of NaNs that came in is no news
        known: set[str] = set()
        unfilled: set[str] = set()  # arrays whose elements hold anything at first
        last = [frame.f_lineno]

        def line(frame: FrameType, event: str, arg: Any) -> Any:
            if event in ("line", "return"):
                self.look(frame, known, unfilled, last[0])
                if event == "return" and arg is not None and self.is_bad(arg) and not known:
                    raise self.error(frame, "the result", arg, last[0])
                last[0] = frame.f_lineno
            return line

        return line

    def is_bad(self, value: Any) -> bool:
        if isinstance(value, (tuple, list)):
            return any(self.is_bad(v) for v in value)
        if isinstance(value, (float, complex, np.generic, np.ndarray)):
            array = np.asarray(value)
            if array.dtype.kind in "fc":
                return bool(np.any(~np.isfinite(array) if self.infs else np.isnan(array)))
        return False

    def look(self, frame: FrameType, known: set[str], unfilled: set[str], number: int) -> None:
        """Raise for the first variable that has become bad."""
        text = linecache.getline(frame.f_code.co_filename, number)
        for name, value in frame.f_locals.items():
            if name in known or name in unfilled or not self.is_bad(value):
                continue
            if "np.empty" in text:
                unfilled.add(name)
                continue
            known.add(name)
            if not ("inf" in text or ("nan" in text and "nan" not in name)):  # as it is written
                raise self.error(frame, name, value, number)

    def error(self, frame: FrameType, name: str, value: Any, number: int) -> NonFiniteValue:
        file = frame.f_code.co_filename
        text = linecache.getline(file, number).strip()
        what = "a NaN" if _Watch(False).is_bad(value) else "an infinity"
        backward = name.startswith("d_") or _is_backward(linecache.getlines(file)[:number])
        part = "adjoint" if backward else "forward"
        where: Where | str = LINE_MAPS[file].get(number) or f"line {number} of the generated code"
        return NonFiniteValue(
            f"{name} became {what} in the {part} part, in the generated statement `{text}`",
            where=where, why="an operation was not defined for its operands, or overflowed",
            fix="look at the operands at this line; np.where around the operands (not only around "
                "the result) keeps undefined branches out of the derivative")


def _is_backward(lines: Sequence[str]) -> bool:
    """Does a border stand above the last of these lines, in its own block or in one around it?"""
    margin = len(lines[-1])
    for line in filter(str.strip, reversed(lines)):
        margin = min(margin, len(line) - len(line.lstrip()))
        if line.strip() == "# ---- backward" and line.index("#") == margin:
            return True
    return False
