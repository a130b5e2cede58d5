"""Screens: cotangents that are zero where a branch was not taken.

``np.where(x > 0, np.log(x), 0.0)`` gives ``log`` a cotangent that is zero where ``x <= 0``.  A
partial derivative may be infinite or NaN just there, and ``0 * inf`` is NaN.  So a pointwise
rule does not get the screened cotangent but the one behind the screen, and the screen is put
before what the rule returns:

* ``np.where(c, ct, 0) / x`` becomes ``np.where(c, ct / x, 0)``
* the same for ``np.triu``, ``np.tril`` and for cotangents set to zero at an array index
  (the adjoint of ``y[mask] = 0.0``).

Screens move up through a chain of pointwise operations in this way; one of them is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ..graph.ir import Index, Steps, Value
from ..types.dataclasses import dataclass
from ..types.kinds import Kind


@dataclass(frozen=True)
class Screen:
    """``before(ct)`` sets ``ct`` to zero where the screen hides it; ``behind`` is the cotangent
    that it was put before.  ``condition`` is that of a ``where``, and on which side zero stands:
    such a screen may be put before a ``ct`` that is not spread out yet.  ``put(number, value)`` is
    ``value`` with a number where the screen hides it."""

    behind: Value
    before: Callable[[Value], Value]
    condition: tuple[Any, bool] | None = None
    put: Callable[[float, Value], Value] | None = None

    def fits(self, ct: Value) -> bool:
        """Can the screen be put before ``ct``?"""
        return self.condition is not None or (
            ct.aval.kind is Kind.ARRAY and ct.aval.shape == self.behind.aval.shape)

    def of_numbers(self, read: Callable[[Value], Value]) -> Screen:
        """The screen before the number in an array without axes, which ``read`` gives."""
        put = self.put
        return Screen(
            read(self.behind) if self.behind.aval.kind is Kind.ARRAY else self.behind,
            lambda ct: read(self.before(ct)), self.condition,
            None if put is None else lambda number, value: read(put(number, value)))

    def same(self, other: Screen | None) -> bool:
        """Do both surely hide the same elements?"""
        if other is None or self.condition is None or other.condition is None:
            return False
        return self.condition[0] is other.condition[0] and self.condition[1] is other.condition[1]


def stack(screens: Mapping[Value, Screen], ct: Value) -> Iterator[Screen]:
    """The screens before ``ct``, the first one first."""
    screen = screens.get(ct)
    while screen is not None:
        yield screen
        screen = screens.get(screen.behind)


def screen_of_call(call: Callable[..., Value], fn: Callable[..., Any],
                   args: tuple[Any, ...]) -> Screen | None:
    """The screen that ``fn(*args)`` puts before one of its arguments, if it does."""
    if fn is np.where and len(args) == 3:
        condition, yes, no = args
        if isinstance(yes, Value) and _is_zero(no):
            return Screen(yes, lambda ct: call(np.where, condition, ct, no), (condition, True),
                          lambda number, value: call(np.where, condition, value, number))
        if isinstance(no, Value) and _is_zero(yes):
            return Screen(no, lambda ct: call(np.where, condition, yes, ct), (condition, False),
                          lambda number, value: call(np.where, condition, number, value))
    if fn in (np.triu, np.tril) and args and isinstance(args[0], Value):
        rest = args[1:]

        def put(number: float, value: Value) -> Value:
            seen = call(fn, call(np.ones_like, value, bool), *rest)
            return call(np.where, seen, value, number)

        return Screen(args[0], lambda ct: call(fn, ct, *rest), put=put)
    return None


def screen_of_clearing(store: Callable[..., Value], number: Callable[[float], Value], ct: Value,
                       zero: Value, steps: Steps) -> Screen | None:
    """The screen of a store of zero at an array index.  (Slices have no screens: code that sets
    boundaries would only be rearranged.)"""
    if len(steps) != 1 or not isinstance(steps[0], Index) or steps[0].basic:
        return None
    return Screen(ct, lambda other: store("write", other, zero, steps),
                  put=lambda filling, value: store("write", value, number(filling), steps))


def _is_zero(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and x == 0

