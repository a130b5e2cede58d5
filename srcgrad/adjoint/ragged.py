"""Lists of numbers, or of arrays of different sizes: their cotangents are made in a loop.

The rule book's formulas for ``np.concatenate`` and its kin cut the cotangent into parts whose
sizes stand in the graph, and its formula for subscripts takes a list of like arrays for one
array.  In a list of unknown length each array may have a size of its own, and numbers of
Python's are added up where they lie.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.ir import Index, LoopSpec, Node, Value
from ..types.dims import is_varying
from ..types.kinds import INT, SCALARS, Kind, int_aval, list_of
from .binding import Bound
from .frames import Tape, cotangent_aval
from .lists import add_to, get

# The axis along which arrays of a rank are joined; one that they do not have is a new one.
_AXES: dict[Any, Callable[[int], int]] = {
    np.hstack: lambda rank: 0 if rank < 2 else 1, np.vstack: lambda rank: 0 if rank > 1 else 1,
    np.column_stack: lambda rank: 1, np.dstack: lambda rank: 2,
}


def ragged_list(node: Node, bound: Bound) -> tuple[Value, Callable[[Tape, Value], Value]] | None:
    """The list of arrays of different sizes that a node joins or slices, and what makes the
    list's cotangent from the result's."""
    joined = _joined(node, bound)
    if joined is not None:
        lst, axis = joined
        return lst, lambda tape, ct: _cut(tape, lst, axis, ct)
    sliced = sliced_list(node)
    if sliced is not None:
        lst, key = sliced
        return lst, lambda tape, ct: put_back(tape, tape.add(
            "list_like", (lst,), (cotangent_aval(lst.aval),)).out, key, ct)
    return None


def sliced_list(node: Node) -> tuple[Value, slice] | None:
    """The list that a node slices, and the slice, if the list's items are numbers or may differ
    in size."""
    if node.params["fn"] is not operator.getitem:
        return None
    lst, key = node.inputs[0], node.params["args"][1]
    if lst.aval.kind is not Kind.LIST or lst.aval.elem is None or not isinstance(key, slice):
        return None
    elem = lst.aval.elem
    alike = elem.kind is not Kind.LIST and elem.shape is not None and (
        elem.kind not in SCALARS and not any(map(is_varying, elem.shape)))
    return None if alike else (lst, key)


def put_back(tape: Tape, base: Value, key: slice, ct: Value) -> Value:
    """The cotangent of a list, ``base`` so far, with ``ct`` added, that of ``list[key]``."""
    zero, one = (tape.const(n, int_aval(n)) for n in (0, 1))
    size = tape.add("list_len", (base,), (INT,)).out
    count = tape.add("list_len", (ct,), (INT,)).out
    step = 1 if key.step is None else key.step
    first = _first(tape, key.start, step, size)
    body = Tape(tape.origin)
    number, total = body.param(INT), body.param(base.aval)
    place = number if step == 1 else body.apply(operator.mul, (number, step), {}, INT)
    if type(first) is not int or first:
        place = body.apply(operator.add, (place, first), {}, INT)
    following = add_to(body, total, get(body, ct, number), place)
    loop = tape.add("loop", (zero, count, one, base), (base.aval, INT),
                    (body.block((following,)),), loop=LoopSpec("for", n_carried=1))
    return loop.outputs[0]


def _first(tape: Tape, start: int | None, step: int, size: Value) -> Any:
    """The place of the first item of a slice that has one."""
    last = None if step > 0 else tape.apply(operator.sub, (size, 1), {}, INT)
    if start is None:
        return 0 if last is None else last
    if start < 0:
        place = tape.apply(operator.add, (size, start), {}, INT)
        return place if last is not None else tape.apply(max, (place, 0), {}, INT)
    return start if last is None else tape.apply(min, (start, last), {}, INT)


def _joined(node: Node, bound: Bound) -> tuple[Value, int | None] | None:
    """The list that a node joins, and the axis (None: flat), if sizes along it may differ."""
    fn = node.params["fn"]
    if fn is np.concatenate:
        lst, axis = bound.named.get("arrays"), bound.named.get("axis", 0)
    elif fn in _AXES:
        lst, axis = bound.named.get("tup"), None
    else:
        return None
    if not isinstance(lst, Value) or lst.aval.kind is not Kind.LIST or lst.aval.elem is None:
        return None
    shape = lst.aval.elem.shape
    if lst.aval.elem.kind is not Kind.ARRAY or not shape:
        return None
    if fn is not np.concatenate:
        axis = _AXES[fn](len(shape))
        if axis >= len(shape):
            return None
    elif axis is None:
        return (lst, None) if any(map(is_varying, shape)) else None
    if not isinstance(axis, int):
        return None
    axis %= len(shape)
    return (lst, axis) if is_varying(shape[axis]) else None


def _cut(tape: Tape, lst: Value, axis: int | None, ct: Value) -> Value:
    """The list of the parts of ``ct`` that belong to the arrays of ``lst``."""
    assert lst.aval.elem is not None
    elem = cotangent_aval(lst.aval.elem)
    zero, one = (tape.const(n, int_aval(n)) for n in (0, 1))
    length = tape.add("list_len", (lst,), (INT,)).out
    empty = tape.add("list", (), (list_of(elem),)).out
    body = Tape(tape.origin)
    index, start, made = body.param(INT), body.param(INT), body.param(list_of(elem))
    item = body.add("get", (lst, index), (lst.aval.elem,)).out
    sizes = [body.add("dim", (item,), (INT,), axis=k).out for k in range(len(elem.shape or ()))]
    if axis is None:
        extent = sizes[0]
        for size in sizes[1:]:
            extent = body.apply(operator.mul, (extent, size), {}, INT)
    else:
        extent = sizes[axis]
    stop = body.apply(operator.add, (start, extent), {}, INT)
    key = (*(slice(None),) * (axis or 0), slice(start, stop))
    flat = elem if axis is not None else elem.but(shape=elem.shape and elem.shape[:1])
    part = body.read(ct, (Index(key if len(key) > 1 else key[0], True),), flat)
    if axis is None and len(sizes) > 1:
        part = body.apply(np.reshape, (part, tuple(sizes)), {}, elem)
    following = body.add("append", (made, part), (list_of(elem),)).out
    loop = tape.add("loop", (zero, length, one, zero, empty), (INT, list_of(elem), INT),
                    (body.block((stop, following)),), loop=LoopSpec("for", n_carried=2))
    return loop.outputs[1]
