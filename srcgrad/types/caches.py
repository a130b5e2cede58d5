"""What a function behind ``functools.lru_cache`` has kept.

CPython gives no way to look a result up without calling the function, or to put one in.  The
objects that the cache refers to, which the garbage collector tells, are its results.

>>> import functools
>>> @functools.lru_cache
... def double(x): return [2 * x]
>>> is_cached(double, (3,), ()), double(3), is_cached(double, (3,), ())
(False, [6], True)
>>> keep(double, (4,), (), ["kept"])
>>> double(4), double.cache_info().misses
(['kept'], 2)
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation

Pairs = tuple[tuple[str, Any], ...]


def cached_value(cached: Any, args: tuple[Any, ...], kwargs: Pairs) -> Any:
    """The result that was kept for a call; a KeyError where there is none."""
    found = gc.get_referents(cached)
    own = vars(cached)
    place = next((i for i, r in enumerate(found) if type(r) is dict and r is not own), None)
    if place is None:
        raise KeyError(args)
    settings = cached.cache_parameters()
    key = _key(args, kwargs, settings["typed"], next(r for r in found if type(r) is object))
    result = found[place][key]
    if settings["maxsize"] is None:
        return result
    entries = found[:place]  # of each its type, its key and its result
    for one, kept in zip(entries[1::3], entries[2::3], strict=True):
        if type(one) is type(key) and one == key:
            return kept
    raise KeyError(key)


def _key(args: tuple[Any, ...], kwargs: Pairs, typed: bool, mark: object) -> Any:
    """The key of a call, as functools makes it."""
    key = (*args, mark, *(part for pair in kwargs for part in pair)) if kwargs else args
    if typed:
        return (*key, *map(type, args), *(type(v) for _, v in kwargs))
    return key[0] if len(key) == 1 and type(key[0]) in (int, str) else key


def is_cached(cached: Any, args: tuple[Any, ...], kwargs: Pairs) -> bool:
    """Was the result of a call kept?"""
    try:
        cached_value(cached, args, kwargs)
    except KeyError:
        return False
    return True


def keep(cached: Any, args: tuple[Any, ...], kwargs: Pairs, result: Any) -> None:
    """Keep ``result`` for a call, as if the function had returned it: for the time of one call it
    has code that does."""
    function = cached.__wrapped__
    before = function.__code__
    constants = tuple([result if c is _RESULT else c for c in _returns.__code__.co_consts])
    function.__code__ = _returns.__code__.replace(co_consts=constants,
                                                  co_freevars=before.co_freevars)
    try:
        cached(*args, **dict(kwargs))
    finally:
        function.__code__ = before


def keep_or_compare(cached: Any, args: tuple[Any, ...], kwargs: Pairs, result: Any) -> None:
    """Keep ``result`` for a call, unless one was kept; refuse to give another than that."""
    try:
        kept = cached_value(cached, args, kwargs)
    except KeyError:
        keep(cached, args, kwargs, result)
        return
    if not same_numbers(kept, result):
        raise UnsupportedOperation(
            f"{cached.__name__} is cached by functools, and has kept {kept!r} where it would "
            f"give {result!r} now",
            why="it was called with the same number before what it reads was changed; derivatives "
                "of what is kept are not known",
            fix=f"call {cached.__name__}.cache_clear() after the change, or hand what it reads to "
                "it as an argument")


def same_numbers(a: Any, b: Any) -> bool:
    """Are two results the same to the last bit (NaN is NaN)?"""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same_numbers, a, b))
    try:
        return np.array_equal(a, b, equal_nan=True)
    except TypeError:  # no numbers
        return bool(a == b)


def _returns(*args: Any, **kwargs: Any) -> Any:
    return "the result that is kept"


_RESULT = next(c for c in _returns.__code__.co_consts if c == "the result that is kept")
