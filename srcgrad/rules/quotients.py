"""Division that gives infinity where Python's raises."""

from __future__ import annotations

from srcgrad.rules.book import Array, vjp
from srcgrad.rules.broadcast import dispatching
from srcgrad.types.quotients import quotient

divided = dispatching(quotient)


@vjp(quotient, "above", broadcasts=True)
def quotient_above(ct: Array, below: Array) -> Array:
    return divided(ct, below)


@vjp(quotient, "below", broadcasts=True)
def quotient_below(ct: Array, ans: Array, below: Array) -> Array:
    return divided(-ct * ans, below)
