"""Functions of the standard library on traced values: bisect, statistics, text, selectors."""

from __future__ import annotations

import bisect
import collections
import functools
import math
import operator
import statistics
import sys
from collections.abc import Callable
from typing import Any

from ...errors import UnsupportedOperation
from ...types.kinds import INT, SCALARS
from ..assumptions import KnownLengths
from ..heap.queues import Queue
from ..heap.tables import Table
from ..heap.written_out import place_after, place_before
from ..iteration.iteration import Rows, Staged, length, staged_iterable
from ..record.tracers import ArrayTracer, Whole, contains_tracer, is_tracer
from .handlers import HANDLERS, handles


# ---- collections -----------------------------------------------------------------------------
@handles(collections.deque)
def deque(machine: Any, iterable: Any = (), maxlen: Any = None) -> Any:
    iterable = machine.pushes.collected(iterable)
    found = staged_iterable(machine, iterable)
    unknown = found is not None and type(length(machine, found)) is not int and (
        type(found) is not Rows)
    if unknown or KnownLengths() not in machine.assumed:
        made: Any = machine.call(Queue, iterable, machine.keys.static_key(maxlen))
        made.items = machine.keys.made_list(made.items, "deque")
        return made
    return machine.containers.made(collections.deque(machine.iterate(iterable),
                                                     machine.keys.static_key(maxlen)))


@handles(collections.defaultdict)
def defaultdict(machine: Any, factory: Any = None, *args: Any, **kwargs: Any) -> Any:
    made: Any = machine.call(dict, *args, **kwargs) if args or kwargs else {}
    if type(made) is Table:
        made.cls, made.default_factory = collections.defaultdict, factory
        return made
    return machine.keys.made(collections.defaultdict(factory, made))


@handles(collections.OrderedDict)
def ordered_dict(machine: Any, *args: Any, **kwargs: Any) -> Any:
    made: Any = machine.call(dict, *args, **kwargs)
    if type(made) is Table:
        made.cls = collections.OrderedDict
        return made
    return machine.keys.made(collections.OrderedDict(made))


# ---- sys -------------------------------------------------------------------------------------
@handles(sys.exc_info)
def exc_info(machine: Any) -> Any:
    """The exception that is being handled, as far as the program's own handlers know."""
    error = machine.statements.caught()
    if error is None:
        return (None, None, None)
    return (machine.call(type, error), error, None)


# ---- bisect ----------------------------------------------------------------------------------
def _bisection(function: Callable[..., Any], side: str) -> Callable[..., Any]:
    def handler(machine: Any, a: Any, x: Any, lo: Any = 0, hi: Any = None, *,
                key: Any = None) -> Any:
        keys = a if key is None else [machine.call(key, i) for i in machine.iterate(a)]
        if key is None and not contains_tracer(a) and not is_tracer(x):
            return function(list(machine.iterate(a)), x, lo, hi)
        part = () if (type(lo) is int and lo == 0) and hi is None else (lo, hi)
        if isinstance(x, (tuple, list)):
            if part:
                raise machine.recorder.fatal(UnsupportedOperation(
                    "bisect of tuples with lo or hi", why="only the whole list is searched",
                    fix="slice the list and add the offset"))
            search = place_before if side == "left" else place_after
            return machine.calls.inline(search, (keys, x), {})
        numbers = machine.recorder.values_in(keys if type(keys) is list else [
            *machine.iterate(keys)] if isinstance(keys, tuple) else keys)
        return machine.recorder.computed(function, INT.but(
            expr=machine.fresh("place", low=0)), numbers, x, *part)

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
def _whole(machine: Any, data: Any) -> Any:
    """Numbers as one argument: an array, or a list of them."""
    data = machine.containers.resolved(data)
    if type(data) is ArrayTracer or (is_tracer(data) and data.aval.kind in SCALARS):
        return data
    return data if id(data) in machine.symbolic_lists else machine.call(list, data)


@handles(statistics.fmean)
def fmean(machine: Any, data: Any, weights: Any = None) -> Any:
    """``fsum(data) / n``, as the standard library computes it."""
    items = _whole(machine, data)
    if not contains_tracer(items) and not contains_tracer(weights):
        return statistics.fmean(items, weights)
    if weights is not None:
        shares = list(machine.iterate(weights))
        products = [machine.binary("*", a, b)
                    for a, b in zip(machine.iterate(items), shares, strict=True)]
        return machine.binary("/", machine.call(math.fsum, products),
                              machine.call(math.fsum, shares))
    return machine.binary("/", machine.call(math.fsum, items), machine.call(len, items))


def _of_items(function: Callable[..., Any]) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        args = tuple([a if a is None or isinstance(a, (int, float)) else _whole(machine, a)
                      for a in args])
        if not any(contains_tracer(a) or id(a) in machine.symbolic_lists
                   for a in (*args, *kwargs.values())):
            return function(*args, **kwargs)
        return machine.library_calls.numeric_call(function, args, kwargs)

    return handler


for _function in (statistics.mean, statistics.pvariance, statistics.variance, statistics.pstdev,
                  statistics.stdev, statistics.geometric_mean, statistics.harmonic_mean,
                  statistics.covariance, math.dist, math.fsum, math.prod):
    HANDLERS[_function] = _of_items(_function)


if sys.version_info >= (3, 13):  # which corrects a root by exact arithmetic
    @handles(statistics.correlation)
    def correlation(machine: Any, x: Any, y: Any, /, *, method: str = "linear") -> Any:
        if method != "linear":
            raise machine.recorder.fatal(UnsupportedOperation(
                f"statistics.correlation by the method {method!r}",
                why="the rule book has the correlation of numbers only, not that of their ranks",
                fix="use scipy.stats.rankdata and statistics.correlation, or a constant"))
        return _of_items(statistics.correlation)(machine, x, y)



def sumprod(machine: Any, p: Any, q: Any, /) -> Any:
    """It takes iterators, too, which its derivative goes through again."""
    lists = [machine.call(list, a) if isinstance(a, Staged) else a for a in (p, q)]
    return machine.library_calls.numeric_call(SUMPROD, tuple(lists), {})


SUMPROD = getattr(math, "sumprod", None)
if SUMPROD is not None:  # Python 3.12
    HANDLERS[SUMPROD] = sumprod


# ---- methods chosen by the class of an argument ------------------------------------------------


HANDLERS[functools.singledispatchmethod.__get__] = lambda machine, descriptor, obj, cls=None: (
    machine.call(_dispatched, descriptor, obj, cls))


def _dispatched(descriptor: Any, obj: Any, cls: Any) -> Any:
    """The method, as a function to be staged.  (The library's keeps it by a weak reference.)"""
    def method(first: Any, /, *args: Any, **kwargs: Any) -> Any:
        found = descriptor.dispatcher.dispatch(first.__class__)
        return found.__get__(obj, cls)(first, *args, **kwargs)

    return method


# ---- selectors of operator ---------------------------------------------------------------------
@handles(operator.methodcaller)
def methodcaller(machine: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
    def call(obj: Any) -> Any:
        return machine.call_method(obj, name, *args, **kwargs)

    return Selector(call)


class Selector(Whole):
    """``itemgetter``, ``attrgetter`` or ``methodcaller`` over a machine."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, obj: Any) -> Any:
        return self.function(obj)
