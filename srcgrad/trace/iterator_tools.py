"""Python's tools for iterators as generator functions.

They are staged like the user's where they are given a generator, so that pipelines of generators
can hand their items on (see :mod:`srcgrad.trace.pushes`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


def enumerated(items: Any, start: Any = 0) -> Iterator[Any]:
    """``enumerate``."""
    number = start
    for item in items:
        yield (number, item)
        number += 1


def subscripted(sequence: Any) -> Iterator[Any]:
    """What a class without ``__iter__`` is gone through by."""
    number = 0
    while True:
        try:
            item = sequence[number]
        except IndexError:
            break
        yield item
        number += 1


def subscripted_backwards(sequence: Any) -> Iterator[Any]:
    """``reversed`` of a class without ``__reversed__``."""
    for number in range(len(sequence) - 1, -1, -1):
        yield sequence[number]


def mapped(function: Any, items: Any) -> Iterator[Any]:
    """``map`` of one iterable."""
    for item in items:
        yield function(item)


def filtered(function: Any, items: Any) -> Iterator[Any]:
    """``filter``."""
    for item in items:
        if item if function is None else function(item):
            yield item


def filtered_out(function: Any, items: Any) -> Iterator[Any]:
    """``itertools.filterfalse``."""
    for item in items:
        if not (item if function is None else function(item)):
            yield item


def sliced(items: Any, start: Any, stop: Any = ..., step: Any = 1) -> Iterator[Any]:
    """``itertools.islice``."""
    first, end = (0, start) if stop is ... else (start or 0, stop)
    if end is not None and end <= 0:
        return
    for number, item in enumerate(items):
        if number >= first and (number - first) % (step or 1) == 0:
            yield item
        if end is not None and number >= end - 1:
            return


def taken_while(test: Any, items: Any) -> Iterator[Any]:
    """``itertools.takewhile``."""
    for item in items:
        if not test(item):
            return
        yield item


def dropped_while(test: Any, items: Any) -> Iterator[Any]:
    """``itertools.dropwhile``."""
    dropping = True
    for item in items:
        if dropping:
            dropping = test(item)
        if not dropping:
            yield item


def chained(*parts: Any) -> Iterator[Any]:
    """``itertools.chain``."""
    for part in parts:
        yield from part


def starred(function: Any, rows: Any) -> Iterator[Any]:
    """``itertools.starmap``."""
    for row in rows:
        yield function(*row)


def paired(items: Any) -> Iterator[Any]:
    """``itertools.pairwise``."""
    before = None
    for number, item in enumerate(items):
        if number > 0:
            yield (before, item)
        before = item


def accumulated(items: Any, function: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """``itertools.accumulate``."""
    number = 0
    total = initial
    if initial is not None:
        yield initial
        number = 1
    for item in items:
        if number == 0:
            total = item
        elif function is None:
            total = total + item
        else:
            total = function(total, item)
        number += 1
        yield total


def zipped(before: Any, items: Any, after: Any, size: Any, first: Any) -> Iterator[Any]:
    """``zip(*before, items, *after)``, where ``items`` is a generator and the shortest of the
    others has ``size`` items, that of those before it ``first`` (None: there are none)."""
    number = 0
    if first is not None and number >= first:
        return
    for item in items:
        if number >= size:
            return
        yield (*[b[number] for b in before], item, *[a[number] for a in after])
        number += 1
        if first is not None and number >= first:
            return


def iterated(iterator: Any) -> Iterator[Any]:
    """The items of an object with a ``__next__`` of its own."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def next_or(iterator: Any, default: Any) -> Any:
    """``next(iterator, default)``."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default


def called(function: Any, sentinel: Any) -> Iterator[Any]:
    """``iter(function, sentinel)``."""
    while True:
        item = function()
        if item == sentinel:
            return
        yield item


TOOLS: dict[Any, Callable[..., Iterator[Any]]] = {
    enumerate: enumerated, map: mapped, filter: filtered, itertools.filterfalse: filtered_out,
    itertools.islice: sliced, itertools.takewhile: taken_while,
    itertools.dropwhile: dropped_while, itertools.chain: chained, itertools.starmap: starred,
    itertools.pairwise: paired, itertools.accumulate: accumulated}
