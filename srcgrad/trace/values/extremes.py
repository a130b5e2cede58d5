"""``min`` and ``max`` while tracing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...types import dims
from ...types.kinds import Kind, int_aval
from ..boundary.scratch import BEST, BEST_KEY
from ..calls.handlers import HANDLERS
from ..heap.containers import SpreadList
from ..iteration import iteration
from ..iteration.iteration import Range, staged_iterable
from ..objects.special_methods import python_method
from ..record.structures import leaf_aval
from ..record.tracers import Choice, contains_tracer, is_tracer


def _extreme(function: Any, op: str) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, key: Any = None, **kwargs: Any) -> Any:
        if any(type(arg) is SpreadList for arg in args):
            args = (_spread_out(machine, function, args),)
        if len(args) == 1:
            args = (iteration.opened(machine, args[0]),)
        staged = staged_iterable(machine, args[0]) if len(args) == 1 else None
        size = 0 if staged is None else iteration.length(machine, staged)
        if type(size) is not int and "default" in kwargs:
            return machine.if_expression(
                machine.compare("==", size, 0), lambda: kwargs["default"],
                lambda: _chosen_item(machine, function, op, staged, key))
        if type(size) is not int:
            return _chosen_item(machine, function, op, staged, key)
        items = list(machine.iterate(args[0])) if len(args) == 1 else list(args)
        if not items:
            return function(items, key=key, **kwargs)
        if not contains_tracer(items) and key is None and all(
                type(i) is not Choice and python_method(i, "__lt__") is None for i in items):
            return function(items)
        if key is None and all(_is_int(i) for i in items):
            return _symbolic_extreme(machine, function, items)
        if key is None:
            best = items[0]
            for one in items[1:]:
                best = machine.if_expression(machine.compare(op, one, best), lambda one=one: one,
                                             lambda kept=best: kept)
            return best
        # of many objects, the number of the best is found, and the object picked by it
        numbered = len(items) > 2 and any(leaf_aval(i) is None for i in items)
        best, best_key = 0 if numbered else items[0], machine.call(key, items[0])
        for i, one in enumerate(items[1:], 1):
            one_key, candidate = machine.call(key, one), i if numbered else one
            better = machine.compare(op, one_key, best_key)
            best = machine.if_expression(better, lambda one=candidate: one, lambda kept=best: kept)
            best_key = machine.if_expression(better, lambda k=one_key: k, lambda k=best_key: k)
        if numbered:
            found = items[best] if type(best) is int else machine.among.pick(items, best)
            return found if found is not None else machine.getitem(items, best)
        return best

    return handler


def _spread_out(machine: Any, function: Any, args: tuple[Any, ...]) -> Any:
    """The list of the arguments of ``max(*items, a)``, of which there are two at least: one would
    be what is iterated."""
    items = machine.build_list(*args)

    def too_few(number: int, message: str) -> None:
        machine.if_(machine.compare("==", machine.call(len, items), number),
                    lambda: machine.raise_(TypeError(message), None, False), lambda: 0)

    if sum(type(arg) is not SpreadList for arg in args) < 2:
        too_few(0, f"{function.__name__} expected at least 1 argument, got 0")
        too_few(1, "the one argument is not iterable")
    return items


def _chosen_item(machine: Any, function: Any, op: str, items: Any, key: Any) -> Any:
    """``min`` or ``max`` of a number of items that only the run knows: of a list of numbers the
    one at the place that is found by Python, of others by a loop."""
    whole = items.inner if type(items) is iteration.Cursor and items.position == 0 and (
        type(items.position) is int) else items
    if key is None and type(whole) is iteration.Items:
        place = machine.list_methods.place_of_extreme(whole.list, function)
        if place is not None:
            return machine.getitem(whole.list, place)
    return _running_extreme(machine, function, op, items, key)


def _running_extreme(machine: Any, function: Any, op: str, items: Any, key: Any) -> Any:
    """``min`` or ``max`` of a number of items that only the run knows: a loop."""
    machine.if_(machine.compare("==", iteration.length(machine, items), 0),
                lambda: machine.raise_(ValueError(
                    f"{function.__name__}() iterable argument is empty"), None, False),
                lambda: 0)
    frame = machine.scratch_frame(BEST, iteration.item(machine, items, 0))
    held = BEST if key is None else BEST_KEY
    if key is not None:
        machine.store(frame, held, machine.call(key, machine.load(frame, BEST)))

    def choose(one: Any) -> Any:
        one_key = machine.call(key, one) if key is not None else one

        def better() -> int:
            machine.store(frame, BEST, one)
            machine.store(frame, held, one_key)
            return 0

        return machine.if_(machine.compare(op, one_key, machine.load(frame, held)), better,
                           lambda: 0)

    machine.for_(Range(1, iteration.length(machine, items), 1), machine.hold,
                 lambda: choose(iteration.item(machine, items, machine.list_methods.held)))
    return machine.load(frame, BEST)


HANDLERS[min] = _extreme(min, "<")
HANDLERS[max] = _extreme(max, ">")


def _is_int(item: Any) -> bool:
    return type(item) is int or (is_tracer(item) and item.aval.kind is Kind.INT
                                 and item.aval.expr is not None)


def _symbolic_extreme(machine: Any, function: Any, items: list[Any]) -> Any:
    """``min`` and ``max`` of sizes: one node with a symbolic number."""
    combine = dims.minimum if function is min else dims.maximum
    expr = items[0] if type(items[0]) is int else items[0].aval.expr
    for one in items[1:]:
        expr = combine(expr, one if type(one) is int else one.aval.expr)
    if isinstance(expr, int):
        return expr
    for one in items:
        if is_tracer(one) and one.aval.expr == expr:
            return one
    return machine.recorder.computed(function, int_aval(expr), *items)
