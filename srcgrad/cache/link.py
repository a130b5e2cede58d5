"""Linking: generated text becomes a function whose lines tracebacks, pdb and inspect can show."""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import warnings
import weakref
from collections.abc import Mapping
from types import FunctionType, TracebackType
from typing import Any

import numpy as np

from ..errors import Where
from .memory import keep_freed_memory

_NUMBER = itertools.count()
SHORT = 10_000  # characters of a text of which a call may be short
LINE_MAPS: dict[str, Mapping[int, Where]] = {}  # of the texts that are alive


def link(text: str, entry: str, namespace: Mapping[str, Any],
         line_map: Mapping[int, Where], tree: ast.Module | None = None) -> FunctionType:
    """Compile generated source and return its entry function.  The ``tree`` of the text, if it is
    given, is used up.

    The text is entered into :mod:`linecache` under a name of its own, as long as anything that
    it defines lives.
    """
    number = next(_NUMBER)
    if number == 0:
        keep_freed_memory()
        warnings.WarningMessage = PlacedWarning  # type: ignore[misc]
    filename = f"<srcgrad {entry} #{number}>"
    globals_ = dict(namespace)
    source: str | ast.Module = text
    if len(text) < SHORT and "np" not in namespace:
        source = _at_hand(ast.parse(text) if tree is None else tree, globals_)
    code = compile(source, filename, "exec")
    globals_["__name__"] = f"srcgrad.generated.{entry}"
    exec(code, globals_)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    LINE_MAPS[filename] = line_map
    globals_["__text__"] = held = _Held()  # dies with the last function, frame or traceback
    weakref.finalize(held, _forget, filename).atexit = False
    function: FunctionType = globals_[entry]
    return _restoring(function) if "enter_errstate(" in text else function


def _at_hand(tree: ast.Module, globals_: dict[str, Any]) -> ast.Module:
    """Names for NumPy's functions, which modules with a ``__getattr__`` are slow to give."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        parts = vars(waiting.pop())
        for key, part in () if parts.get("decorator_list") else parts.items():
            if type(part) in _LEAVES:
                continue
            if type(part) is list:
                waiting += [item for item in part if isinstance(item, ast.AST)]
            elif type(part) is ast.Attribute and type(part.value) is ast.Name and (
                    part.value.id == "np" and callable(found := vars(np).get(part.attr))):
                globals_[f"np.{part.attr}"] = found
                parts[key] = ast.copy_location(ast.Name(f"np.{part.attr}", part.ctx), part)
            elif isinstance(part, ast.AST):
                waiting.append(part)
    return tree


_LEAVES = frozenset({int, str, type(None), ast.Load, ast.Store})  # parts of most trees


class _Held:
    """Lives as long as the names of one text."""


def _forget(filename: str) -> None:
    linecache.cache.pop(filename, None)
    LINE_MAPS.pop(filename, None)


def _restoring(function: FunctionType) -> FunctionType:
    """A function that leaves NumPy's error handling as it was, also where it raises."""

    @functools.wraps(function)
    def restored(*args: Any, **kwargs: Any) -> Any:
        with np.errstate():
            return function(*args, **kwargs)

    return restored  # type: ignore[return-value]


def place_of(filename: str, number: int) -> Where | None:
    """The user's line that a line of generated code stands for."""
    return LINE_MAPS.get(filename, {}).get(number)


class PlacedWarning(warnings.WarningMessage):
    """A warning as Python shows or records it, which names the user's line where generated code
    is what warns."""

    def __init__(self, message: Warning | str, category: type[Warning], filename: str,
                 lineno: int, *more: Any, **named: Any) -> None:
        where = place_of(filename, lineno)
        if where is not None:
            filename, lineno = where.filename, where.line
        super().__init__(message, category, filename, lineno, *more, **named)


def _is_backward(filename: str, number: int) -> bool:
    """Does a line of generated code belong to a backward part?"""
    for line in reversed(linecache.getlines(filename)[:number]):
        if line.startswith("def "):
            return line.partition("(")[0].endswith("_backward")
        if line.strip() == "# ---- backward":
            return True
    return False


def note_places(error: BaseException) -> None:
    """Add the user's file and line to an exception that generated code raised."""
    traceback: TracebackType | None = error.__traceback__
    place: Where | None = None
    what = ""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        found = place_of(code.co_filename, traceback.tb_lineno)
        if found is not None:
            place = found
            what = "derivative of" if _is_backward(
                code.co_filename, traceback.tb_lineno) else "generated code for"
        traceback = traceback.tb_next
    if place is not None:
        note = f"raised by the {what}:\n" + place.render()
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
