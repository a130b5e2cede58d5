"""The rule book: every derivative, by family, and the decorators that declare them."""

from srcgrad.rules import (
    arithmetic,
    broadcast,
    exponential,
    rounding,
    trigonometric,
)
from srcgrad.rules.book import (
    Entry,
    Rule,
    alias,
    elementwise,
    functions,
    inactive,
    jvp,
    linear,
    lookup,
    nondiff,
    variant,
    vjp,
)

__all__ = [
    "Entry",
    "Rule",
    "alias",
    "arithmetic",
    "broadcast",
    "elementwise",
    "exponential",
    "functions",
    "inactive",
    "jvp",
    "linear",
    "lookup",
    "nondiff",
    "rounding",
    "trigonometric",
    "variant",
    "vjp",
]
