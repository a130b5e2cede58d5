"""Rule bodies that ask for the rank of a value that only a run knows: the run calls them.

A body is plain Python over NumPy, so generated code can call it like any other function.  What it
computes has no derivative of its own: another order is refused.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..graph.ir import Value
from ..graph.symbolic import Sym
from ..rules.book import Rule
from ..types.kinds import INT, OPAQUE, Aval, Kind
from ..types.structure import mapped
from .binding import leaves, unranked
from .frames import Tape, cotangent_aval


def is_unranked(rule: Rule, named: Mapping[str, Any]) -> bool:
    """Does a rule get a value whose rank only a run knows?"""
    of = (need if need in named else need.rpartition("_")[0] for need in rule.needs)
    return any(_has_no_rank(v.aval) for name in of for v in leaves(named.get(name)))


def _has_no_rank(aval: Aval) -> bool:
    return (aval.kind is Kind.ANY and aval.shape is None) or (
        aval.elem is not None and _has_no_rank(aval.elem))


def called_by_run(tape: Tape, rule: Rule, named: Mapping[str, Any],
                  given: Mapping[str, Any]) -> Sym | list[Sym | None]:
    """The cotangent that the body of a rule gives when it is run; those of the arrays in a
    sequence."""
    body, target = rule.body, named[rule.inputs[0]]
    home = sys.modules.get(body.__module__)
    if len(rule.inputs) != 1 or rule.form == "elementwise" or (
            not isinstance(target, Value | tuple | list)) or (
            getattr(home, body.__name__, None) is not body):
        raise unranked("the derivative")
    arguments: dict[str, Any] = {}
    for need in rule.needs:
        found = next((part[need] for part in (given, rule.settings, named) if need in part), None)
        name, _, fact = need.rpartition("_")
        if need not in given and need not in rule.settings and need not in named:
            found = _fact(tape, fact, named[name])
        arguments[need] = mapped(found, Sym, lambda s: s.value)
    if isinstance(target, Value) and target.aval.kind is not Kind.LIST:
        return Sym(tape.apply(body, (), arguments, cotangent_aval(target.aval)), tape)
    found = tape.apply(body, (), arguments, OPAQUE)
    if isinstance(target, Value):
        return Sym(tape.apply(list, (found,), {}, cotangent_aval(target.aval)), tape)
    return [Sym(tape.apply(operator.getitem, (found, i), {}, cotangent_aval(part.aval)), tape)
            if isinstance(part, Value) else None for i, part in enumerate(target)]


_FACTS: dict[str, Callable[..., Any]] = {
    "dtype": np.result_type, "ndim": np.ndim, "shape": np.shape}


def _fact(tape: Tape, fact: str, part: Any) -> Any:
    ask = _FACTS[fact]
    if isinstance(part, tuple | list):
        return [_fact(tape, fact, p) for p in part]
    if not isinstance(part, Value):
        return ask(part)
    return tape.apply(ask, (part,), {}, INT if fact == "ndim" else OPAQUE)
