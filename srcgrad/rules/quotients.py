"""Division that gives infinity where Python's raises."""

from __future__ import annotations

from srcgrad.rules.book import vjp
from srcgrad.rules.broadcast import dispatching
from srcgrad.types.quotients import quotient

divided = dispatching(quotient)

vjp(quotient, broadcasts=True,
    above=lambda ct, below: divided(ct, below),
    below=lambda ct, ans, below: divided(-ct * ans, below))
