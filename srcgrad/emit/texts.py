"""Texts that the user wrote as f-strings, as f-strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from srcgrad.types.spelling import format_value, join_parts

_UNSPEAKABLE = re.compile("[\\'\"\\\\{}\\n]")  # what a field must not have in Python 3.11


def f_string(fn: object, args: Sequence[ast.expr]) -> ast.expr | None:
    """``f"{x:.3f} m"`` for the functions that stand for it; None if it cannot be written so.

    >>> x = ast.parse("x[0]", mode="eval").body
    >>> ast.unparse(f_string(format_value, [x, ast.Constant(""), ast.Constant(".3f")]))
    "f'{x[0]:.3f}'"
    """
    if fn is format_value and len(args) == 3:
        field = _field(*args)
        return None if field is None else ast.JoinedStr([field])
    if fn is not join_parts:
        return None
    parts: list[ast.expr] = []
    for arg in args:
        if isinstance(arg, ast.JoinedStr):
            parts.extend(arg.values)
        elif isinstance(arg, ast.Constant) and type(arg.value) is str:
            if re.search(r"[\\\x00-\x1f]", arg.value):
                return None
            parts.append(arg)
        else:
            field = _field(arg, ast.Constant(""), ast.Constant(""))
            if field is None:
                return None
            parts.append(field)
    return ast.JoinedStr(_merged(parts))


def _field(value: ast.expr, conversion: ast.expr, spec: ast.expr) -> ast.expr | None:
    if not all(isinstance(part, ast.Constant) and type(part.value) is str
               and not _UNSPEAKABLE.search(part.value) for part in (conversion, spec)):
        return None
    if isinstance(value, ast.JoinedStr) or _UNSPEAKABLE.search(ast.unparse(
            ast.fix_missing_locations(value))) or isinstance(value, ast.Lambda):
        return None
    how, told = conversion.value, spec.value  # type: ignore[attr-defined]
    form = ast.JoinedStr([ast.Constant(told)]) if told else None
    return ast.FormattedValue(value, ord(how) if how else -1, form)


def _merged(parts: list[ast.expr]) -> list[ast.expr]:
    """Neighbouring texts as one, as Python reads them."""
    found: list[ast.expr] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, ast.Constant) and isinstance(last, ast.Constant):
            found[-1] = ast.Constant(last.value + part.value)  # type: ignore[operator]
        elif not isinstance(part, ast.Constant) or part.value:
            found.append(part)
    return found
