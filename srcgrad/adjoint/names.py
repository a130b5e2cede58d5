"""Names of cotangents and tangents: ``d_x``, second order ``d2_x``, tangents ``t_x``."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DERIVED = re.compile(r"^(?:d(\d*)|t)_(.+)$")


def order_of(hints: Iterable[str | None]) -> int:
    """The highest order of a cotangent's name among ``hints``.

    >>> order_of(["x", "d_x", "d2_y", None])
    2
    """
    highest = 0
    for hint in hints:
        found = _DERIVED.match(hint) if hint else None
        if found and not (hint or "").startswith("t_"):
            highest = max(highest, int(found[1] or 1))
    return highest


def cotangent(hint: str | None, order: int) -> str | None:
    """The name of the cotangent of ``hint`` in a derivative of the given order.

    >>> cotangent("x", 1), cotangent("d_x", 2), cotangent("x", 2)
    ('d_x', 'd2_x', 'd2_x')
    """
    if hint is None:
        return None
    found = _DERIVED.match(hint)
    base = found[2] if found else hint
    return f"d_{base}" if order == 1 else f"d{order}_{base}"


def tangent(hint: str | None) -> str | None:
    """The name of the tangent of ``hint``.

    >>> tangent("x")
    't_x'
    """
    return None if hint is None else f"t_{hint}"
