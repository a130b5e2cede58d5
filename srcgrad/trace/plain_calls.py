"""Calls that are settled while tracing: text, dates and exact numbers of the standard library.

What such a function returns depends on nothing but its arguments; where those are plain (not
traced, nothing that could change), so is the result, and whatever it selects or counts is known.
"""

from __future__ import annotations

import ast
import csv
import datetime
import decimal
import fractions
import json
import pathlib
import re
import types
from collections.abc import Callable
from typing import Any

from .tracers import is_tracer

WHOLE = frozenset({"textwrap", "string", "struct", "_struct", "binascii", "base64", "html",
                   "unicodedata", "calendar", "decimal", "_decimal", "fractions", "colorsys",
                   "zlib", "_strptime"})
NAMED = (json.loads, json.dumps, ast.literal_eval, csv.reader)
CLOCK = frozenset({"now", "today", "utcnow"})
_VALUES = (re.Pattern, re.Match, datetime.date, datetime.time, datetime.timedelta,
           datetime.tzinfo, decimal.Decimal, fractions.Fraction, pathlib.PurePath)
_PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...), *_VALUES)


def is_settled(function: Any) -> bool:
    """Does the result of a function of the standard library depend on its arguments alone?"""
    module = getattr(function, "__module__", None) or ""
    if module in WHOLE or any(function is known for known in NAMED):
        return True
    name = getattr(function, "__name__", "")
    if isinstance(function, types.FunctionType):
        return (module.startswith("pathlib") and hasattr(pathlib.PurePath, name)) or (
            module == "shlex" and name != "shlex")
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type):
        return issubclass(owner, _VALUES) and name not in CLOCK
    return isinstance(owner, _VALUES)


def is_plain(value: Any, changes: Callable[[Any], bool]) -> bool:
    """Is it a value that nothing traced is in?  ``changes`` tells containers that are not what
    they seem: those from outside, and those whose content is known at run time only."""
    if type(value) in (list, tuple, dict):
        parts = [*value, *value.values()] if type(value) is dict else value
        return not changes(value) and all(is_plain(part, changes) for part in parts)
    return isinstance(value, _PLAIN) and not is_tracer(value)


def settled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result; what would be read bit by bit, later, is read at once."""
    result = function(*args, **kwargs)
    return iter(list(result)) if hasattr(type(result), "__next__") else result
