"""itertools while tracing."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from ...types.kinds import Kind
from ..calls.handlers import HANDLERS, handles
from ..record.tracers import is_tracer
from .ahead import Ahead
from .iteration import Cursor, Staged, Zip, length, staged_iterable
from .iterator_tools import TOOLS


def _items(machine: Any, arg: Any) -> Any:
    """An argument of an itertool: traced iterables as lists of their items."""
    if is_tracer(arg) and arg.aval.kind is not Kind.ARRAY:
        return arg
    if staged_iterable(machine, arg) is not None:
        return list(machine.iterate(arg))
    return machine.containers.watched(machine.containers.outside_items(arg)) if hasattr(type(arg),
        "__iter__") else arg


def _itertool(function: Any) -> Callable[..., Any]:
    """A tool whose items are Python's own; counts and places are demanded."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given = [a if function is itertools.repeat and i == 0 else _items(machine, a)
                 for i, a in enumerate(args)]
        plain = [machine.keys.static_key(a) if is_tracer(a) and a.aval.kind is Kind.INT and (
            function is not itertools.repeat or i) else a for i, a in enumerate(given)]
        named = {k: machine.keys.static_key(v) if k in ("repeat", "r", "times") else v
                 for k, v in kwargs.items()}
        found = function(*plain, **named)
        if function is itertools.zip_longest and any(
                isinstance(a, Cursor) or hasattr(type(a), "__next__") for a in args):
            return _made_ahead(machine, list(found), args)
        return found

    return handler


def _made_ahead(machine: Any, items: Any, source: Any) -> Cursor:
    """An iterator over items that were computed before they are taken."""
    cursor: Cursor = machine.containers.made(Cursor(items, ahead=Ahead(machine, source)))
    return cursor


def _staged(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool that is a generator function: what it is given may depend on data."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        return machine.call(tool, *args, **kwargs)

    return handler


for _tool in (itertools.product, itertools.combinations, itertools.permutations,
              itertools.repeat, itertools.cycle, itertools.pairwise, itertools.zip_longest,
              itertools.combinations_with_replacement):
    HANDLERS[_tool] = _itertool(_tool)
for _name, _form in TOOLS.items():
    if _name not in (enumerate, map, itertools.pairwise):
        HANDLERS[_name] = _staged(_form)


def _is_long(machine: Any, items: Any) -> bool:
    """Does only a run know how many items there are?"""
    found = staged_iterable(machine, items)
    return found is not None and type(length(machine, found)) is not int


_pairwise = HANDLERS[itertools.pairwise]


@handles(itertools.pairwise)
def pairwise(machine: Any, iterable: Any) -> Any:
    if not _is_long(machine, iterable):
        return _pairwise(machine, iterable)
    items = staged_iterable(machine, iterable)
    made = machine.containers.made
    return made(Cursor(Zip((items, made(Cursor(items, 1))))))


@handles(itertools.tee)
def tee(machine: Any, iterable: Any, n: int = 2) -> tuple[Any, ...]:
    found = staged_iterable(machine, iterable) or iterable
    if not isinstance(found, (Staged, list, tuple)):
        items = machine.containers.made(list(machine.iterate(iterable)))
        return tuple([_made_ahead(machine, items, iterable) for _ in range(n)])
    return tuple(machine.containers.made(Cursor(found)) for _ in range(n))
