"""Operands of a derivative where a screen hides it: numbers with which it neither warns nor raises.

``np.where(x > 0, np.sqrt(np.maximum(x, 0)), 0)`` divides by the root, which is 0 where nobody
looks.  NumPy would warn of it, or raise under ``np.errstate``, though the value does neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..graph.ir import Value
from ..rules.book import Entry, Rule
from ..types.kinds import SCALARS, Kind

_SUSPECTS = (0.0, 1.0, -1.0)
_HARMLESS = (1, 0.5, 2)
_MANY = 100  # answers that are kept of one rule


def _told_once(ask: Callable[..., Any]) -> Callable[..., Any]:
    """A question about a rule, asked once for operands of a kind: values, and certain numbers."""
    def asked(*about: Any) -> Any:
        *owners, rule, named = about
        key = (ask, *[o.function for o in owners], *named, *[
            None if type(v) is Value else (type(v), v) for v in named.values()])
        try:
            if key in rule.told:
                return rule.told[key]
        except TypeError:  # arrays and lists are too many
            return ask(*about)
        if len(rule.told) > _MANY:
            rule.told.clear()
        rule.told[key] = answer = ask(*about)
        return answer

    return asked


@_told_once
def harmless(rule: Rule, named: Mapping[str, Any]) -> float | None:
    """A number that may stand for any operand of a pointwise rule; None if its body is in no
    trouble with the numbers that usually make some, or with all."""
    if not any(_in_trouble(rule, named, number) for number in _SUSPECTS):
        return None
    return next((n for n in _HARMLESS if not _in_trouble(rule, named, n)), None)


@_told_once
def is_steep(entry: Entry, rule: Rule, named: Mapping[str, Any]) -> bool:
    """Has the function a value where the body of its rule divides by zero (the root of zero)?"""
    return any(_is_finite(entry, named, number) and _in_trouble(rule, named, number)
               for number in _SUSPECTS)


def _is_finite(entry: Entry, named: Mapping[str, Any], number: float) -> bool:
    operands = [np.float64(number) if isinstance(v, Value) else v
                for name, v in named.items() if name in entry.rules]
    if not isinstance(entry.function, np.ufunc) or not all(
            isinstance(o, (int, float, complex, np.number)) for o in operands):
        return False  # who knows what other functions do with numbers
    try:
        with np.errstate(all="ignore"):
            return bool(np.isfinite(entry.function(*operands)))
    except Exception:
        return False


def _in_trouble(rule: Rule, named: Mapping[str, Any], number: float) -> bool:
    """Does the body divide by zero, or the like, for operands that are ``number``?"""
    facts = {"dtype": np.dtype(float), "ndim": 0, "shape": ()}
    given: dict[str, Any] = {}
    for need in rule.needs:
        if need in ("ct", "t"):
            given[need] = np.float64(1)
        elif need in rule.settings:
            given[need] = rule.settings[need]
        elif need == "ans" or isinstance(named.get(need), Value):
            given[need] = np.float64(number)
        else:
            given[need] = named.get(need, facts.get(need.rpartition("_")[2]))
    try:
        with np.errstate(all="raise", under="ignore"):
            rule.body(**given)
    except FloatingPointError:
        return True
    except Exception:  # it computes on nothing but arrays
        return False
    return False


def protected(value: Any, like: Value, put: Callable[[Value], Value]) -> Any:
    """``value``, with a number ``put`` where the screen before ``like`` hides it."""
    if not isinstance(value, Value) or value.aval.kind not in (Kind.ARRAY, *SCALARS) or (
            value.aval.shape != like.aval.shape or value.aval.dtype is None
            or value.aval.dtype.kind not in "fc"):
        return value
    made = put(value)
    return made if made.aval.shape == value.aval.shape else value
