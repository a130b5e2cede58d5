"""Python's tools for iterators as generator functions.

They are staged like the user's where they are given a generator, so that pipelines of generators
can hand their items on (see :mod:`srcgrad.trace.iteration.pushes`).
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


def counted(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    """``itertools.count``."""
    while True:
        yield start
        start = start + step


def taken(iterator: Any) -> Iterator[Any]:
    """What ``__next__`` of a class gives, until it raises a StopIteration."""
    iterator = iter(iterator)
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            break
        yield item


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


def place_in_range(size: Any, place: Any) -> Any:
    """The place that ``range(...)[place]`` names in a range of ``size`` numbers."""
    if place < 0:
        place = place + size
    if place < 0 or place >= size:
        raise IndexError("range object index out of range")
    return place


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
    number = 0
    for item in items:
        if number >= first and (number - first) % (step or 1) == 0:
            yield item
        number += 1  # noqa: SIM113  (enumerate would take all items of an iterator)
        if end is not None and number >= end:
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


def flattened(parts: Any) -> Iterator[Any]:
    """``itertools.chain.from_iterable``."""
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


def crossed(*pools: Any) -> Iterator[Any]:
    """``itertools.product`` of what is taken already."""
    if pools:
        for item in pools[0]:
            for others in crossed(*pools[1:]):
                yield (item, *others)
    else:
        yield ()


def combined(pool: Any, count: Any, again: Any, last: Any) -> Iterator[Any]:
    """``itertools.combinations`` of what is taken already, each item once or ``again``, from behind
    the ``last`` place on."""
    if count:
        for i in range(last if again else last + 1, len(pool)):
            item = pool[i]
            for others in combined(pool, count - 1, again, i):
                yield (item, *others)
    else:
        yield ()


def permuted(pool: Any, count: Any, taken: Any = ()) -> Iterator[Any]:
    """``itertools.permutations`` of what is taken already."""
    if count:
        for i in range(len(pool)):
            if i not in taken:
                item = pool[i]
                for others in permuted(pool, count - 1, (*taken, i)):
                    yield (item, *others)
    else:
        yield ()


def compressed(items: Any, tests: Any) -> Iterator[Any]:
    """``itertools.compress``."""
    for item, test in zip(items, tests, strict=False):
        if test:
            yield item


def grouped(items: Any, key: Any = None) -> Iterator[Any]:
    """``itertools.groupby``."""
    read = read_by(items, key)
    kept = unnoticed(list, items)
    found: Any = None
    start = 0
    if len(kept) > 0:
        found = kept[0] if key is None else unnoticed(key, kept[0])
    while start < len(kept):
        label = found
        end = start + 1
        while end < len(kept):
            found = kept[end] if key is None else unnoticed(key, kept[end])
            if not label == found:  # noqa: SIM201  (the program's own comparison)
                break
            end += 1
        yield (label, iter(kept[start:end]))
        check_same(read)
        start = end


def unnoticed(function: Any, item: Any) -> Any:
    """What ``function`` makes of an item, before Python would call it: nobody may notice."""
    return function(item)


def read_by(*makers: Any) -> Any:
    """What iterators and functions read, as it is now."""
    return makers


def check_same(read: Any) -> None:
    """What was read must not have changed meanwhile."""


def cycled(items: Any) -> Iterator[Any]:
    """``itertools.cycle``."""
    kept = []
    for item in items:
        kept.append(item)
        yield item
    while kept:
        yield from kept


def merged(*parts: Any, key: Any = None, reverse: Any = False) -> Iterator[Any]:
    """``heapq.merge``."""
    result: Any = []
    for part in parts:
        result = _merged_two(result, list(part), key, reverse)
    return iter(result)


def _merged_two(first: Any, second: Any, key: Any, reverse: Any) -> Any:
    """Of two; what is neither less nor greater (NaN) makes way for the other's items."""
    result = []
    i = k = 0
    was_first = True
    while i < len(first) and k < len(second):
        one = first[i] if key is None else key(first[i])
        other = second[k] if key is None else key(second[k])
        was_first = (one == other or (other < one if reverse else one < other)) if was_first else (
            not (one < other if reverse else other < one))
        if was_first:
            result.append(first[i])
            i += 1
        else:
            result.append(second[k])
            k += 1
    while i < len(first):
        result.append(first[i])
        i += 1
    while k < len(second):
        result.append(second[k])
        k += 1
    return result


def longest(*parts: Any, fillvalue: Any = None) -> Iterator[Any]:
    """``itertools.zip_longest``."""
    lists = [list(part) for part in parts]
    for k in range(max([len(items) for items in lists])):
        yield tuple([items[k] if k < len(items) else fillvalue for items in lists])


def zipped(before: Any, items: Any, after: Any) -> Iterator[Any]:
    """``zip(*before, items, *after)``, where ``items`` is a generator; the others have lengths (and
    no names here: iterators that have one remember what is taken)."""
    sizes = [*map(len, before)]
    first = min(sizes) if sizes else None
    size = min([*sizes, *map(len, after)])
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


def strictly_zipped(rows: Any, sizes: Any) -> Iterator[Any]:
    """``zip(*parts, strict=True)``: ``rows`` is ``zip(*parts)``, the parts have ``sizes``."""
    yield from rows
    least = min(sizes)
    for number, size in enumerate(sizes):
        if number and (size > least if sizes[0] == least else size == least):
            how = "longer" if sizes[0] == least else "shorter"
            others = "argument 1" if number == 1 else f"arguments 1-{number}"
            raise ValueError(f"zip() argument {number + 1} is {how} than {others}")


def growing(items: Any) -> Iterator[Any]:
    """The items of a list whose length may change meanwhile."""
    number = 0
    while number < len(items):
        yield items[number]
        number += 1


def demand_unchanged(changed: Any, words: str) -> None:
    """Raises where a container has changed that is gone through."""
    if changed:
        raise RuntimeError(words)


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
    enumerate: enumerated, map: mapped, filter: filtered,
    itertools.accumulate: accumulated, itertools.chain: chained,
    itertools.chain.from_iterable: flattened, itertools.compress: compressed,
    itertools.count: counted, itertools.dropwhile: dropped_while,
    itertools.filterfalse: filtered_out, itertools.groupby: grouped, itertools.islice: sliced,
    itertools.pairwise: paired, itertools.starmap: starred, itertools.takewhile: taken_while}
