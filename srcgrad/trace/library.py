"""Functions of the standard library on traced values: bisect, statistics, text, selectors."""

from __future__ import annotations

import bisect
import collections
import math
import operator
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from .handlers import HANDLERS, handles
from .tracers import contains_tracer, is_tracer


# ---- collections -----------------------------------------------------------------------------
@handles(collections.deque)
def deque(machine: Any, iterable: Any = (), maxlen: Any = None) -> Any:
    return machine.made(collections.deque(machine.iterate(iterable), machine.static_key(maxlen)))


@handles(collections.defaultdict)
def defaultdict(machine: Any, factory: Any = None, *args: Any, **kwargs: Any) -> Any:
    return machine.made_dict(collections.defaultdict(
        factory, machine.call(dict, *args, **kwargs) if args or kwargs else ()))


@handles(collections.OrderedDict)
def ordered_dict(machine: Any, *args: Any, **kwargs: Any) -> Any:
    return machine.made(collections.OrderedDict(machine.call(dict, *args, **kwargs)))


# ---- bisect ----------------------------------------------------------------------------------
def _bisection(function: Callable[..., Any], side: str) -> Callable[..., Any]:
    def handler(machine: Any, a: Any, x: Any, lo: Any = 0, hi: Any = None, *,
                key: Any = None) -> Any:
        keys = a if key is None else [machine.call(key, i) for i in machine.iterate(a)]
        if key is None and not contains_tracer(a) and not is_tracer(x):
            return function(list(machine.iterate(a)), x, lo, hi)
        if lo != 0 or hi is not None:
            raise machine.fatal(UnsupportedOperation(
                "bisect with lo or hi on traced values", why="only the whole list is searched",
                fix="slice the list and add the offset"))
        table = machine.call(np.array, keys)
        return machine.call(int, machine.call(np.searchsorted, table, x, side=side))

    return handler


HANDLERS[bisect.bisect_left] = _bisection(bisect.bisect_left, "left")
HANDLERS[bisect.bisect_right] = _bisection(bisect.bisect_right, "right")


def _insorted(side: str) -> Callable[..., Any]:
    def handler(machine: Any, a: Any, x: Any, lo: Any = 0, hi: Any = None, *,
                key: Any = None) -> None:
        found = machine.call(bisect.bisect_left if side == "left" else bisect.bisect_right,
                             a, x if key is None else machine.call(key, x), lo, hi, key=key)
        machine.call_method(a, "insert", found, x)

    return handler


HANDLERS[bisect.insort_left] = _insorted("left")
HANDLERS[bisect.insort_right] = _insorted("right")


# ---- statistics and math -----------------------------------------------------------------------
@handles(statistics.fmean)
def fmean(machine: Any, data: Any, weights: Any = None) -> Any:
    """``fsum(data) / n``, as the standard library computes it."""
    items = list(machine.iterate(data))
    if not contains_tracer(items) and not contains_tracer(weights):
        return statistics.fmean(items, weights)
    if weights is not None:
        shares = list(machine.iterate(weights))
        products = [machine.binary("*", a, b) for a, b in zip(items, shares, strict=True)]
        return machine.binary("/", machine.call(math.fsum, products),
                              machine.call(math.fsum, shares))
    return machine.binary("/", machine.call(math.fsum, items), len(items))


# ---- selectors of operator ---------------------------------------------------------------------
@handles(operator.methodcaller)
def methodcaller(machine: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    def call(obj: Any) -> Any:
        return machine.call_method(obj, name, *args, **kwargs)

    return Selector(call)


class Selector:
    """``itemgetter``, ``attrgetter`` or ``methodcaller`` over a machine."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, obj: Any) -> Any:
        return self.function(obj)

