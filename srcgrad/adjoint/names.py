"""Names of cotangents and tangents: ``d_x``, second order ``d2_x``, tangents ``t_x``."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DERIVED = re.compile(r"^(?:d(\d*)|t)_([^\W\d].*)$")


def order_of(hints: Iterable[str | None]) -> int:
    """The highest order of a cotangent's name among ``hints``.

    A name like one counts if there is what it is the cotangent of: ``d_0`` may be ``d[0]``.

    >>> order_of(["x", "y", "d_x", "d2_y", None]), order_of(["d", "d_0"])
    (2, 0)
    """
    known = {hint for hint in hints if hint}
    highest = 0
    for hint in known:
        found = _DERIVED.match(hint)
        if found and not hint.startswith("t_") and found[2] in known:
            highest = max(highest, int(found[1] or 1))
    return highest


def cotangent(hint: str | None, order: int) -> str | None:
    """The name of the cotangent of ``hint`` in a derivative of the given order.

    >>> cotangent("x", 1), cotangent("d_x", 2), cotangent("x", 2)
    ('d_x', 'd2_x', 'd2_x')
    """
    if hint is None:
        return None
    found = _DERIVED.match(hint) if order > 1 else None
    base = found[2] if found else hint
    return type(hint)(f"d_{base}" if order == 1 else f"d{order}_{base}")


def tangent(hint: str | None) -> str | None:
    """The name of the tangent of ``hint``.

    >>> tangent("x")
    't_x'
    """
    return None if hint is None else type(hint)(f"t_{hint}")
