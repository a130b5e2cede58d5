"""Adjoints of list operations.

The cotangent of a list is a list of cotangents of the same length; ``append`` and ``pop``
reverse each other, as do ``get`` and accumulation into an element.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..graph.ir import LoopSpec, Node, Value
from ..types.dims import is_varying
from ..types.kinds import BOOL, INT, Aval, Kind, int_aval
from .frames import Frame, Tape, cotangent_aval, shaped_like
from .shapes import has_one_shape
from .zeros import zeros

if TYPE_CHECKING:
    from .reverse import Reverse

Cotangents = list[Value | None]


def _element(aval: Aval) -> Aval:
    """The facts about an element of the cotangent of a list."""
    if aval.elem is None:
        return Aval(Kind.ANY, None, None)
    return cotangent_aval(aval.elem)


def get(tape: Tape, lst: Value, *path: Value, primal: Value | None = None) -> Value:
    """An element of a list of cotangents, at an index or a path of them: that of ``primal``, if it
    is known of what."""
    aval = _at(lst.aval, len(path))
    if primal is not None:
        aval = shaped_like(aval, primal)
    return tape.add("get", (lst, *path), (aval,)).out


def _at(aval: Aval, depth: int) -> Aval:
    """The facts about what lies so deep in the cotangent of a list."""
    for _ in range(depth):
        aval = _element(aval)
    return aval


def _next(tape: Tape, op: str, lst: Value, *inputs: Value) -> Value:
    new = tape.add(op, (lst, *inputs), (lst.aval,)).out
    new.hint, new.obj = lst.hint, lst.obj
    return new


def add(tape: Tape, first: Value, second: Value) -> Value:
    """The elementwise sum of two lists of cotangents, as a list."""
    if first in tape.rows and second in tape.rows:
        rows = tape.store("acc", tape.rows[first], tape.rows[second], ())
        return tape.list_of_rows(rows, first.aval)
    zero, one = (tape.const(n, int_aval(n)) for n in (0, 1))
    length = tape.add("list_len", (first,), (INT,)).out
    body = Tape(tape.origin)
    index = body.param(INT)
    total = body.param(first.aval)
    term = get(body, second, index)
    following = add_to(body, total, term, index)
    loop = tape.add("loop", (zero, length, one, first), (first.aval, INT),
                    (body.block((following,)),), loop=LoopSpec("for", n_carried=1))
    return loop.outputs[0]


def add_to(tape: Tape, lst: Value, term: Value, *path: Value) -> Value:
    """``lst`` with ``term`` added to one element, which may itself be a list."""
    if term.aval.kind is not Kind.LIST:
        return _next(tape, "list_acc", lst, term, *path)
    return _next(tape, "put", lst, add(tape, get(tape, lst, *path), term), *path)


def _list(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    ct = cts[0]
    assert ct is not None
    for i, element in enumerate(node.inputs):
        if element in reverse.activity.varied:
            index = frame.tape.const(i, int_aval(i))
            reverse.accumulate(frame, element, get(frame.tape, ct, index, primal=element))


def _pop_from(frame: Frame, ct: Value, primal: Value, *index: Value) -> tuple[Value, Value]:
    aval = shaped_like(_element(ct.aval), primal)
    node = frame.tape.add("pop", (ct, *index), (ct.aval, aval))
    rest, element = node.outputs
    rest.hint, rest.obj = ct.hint, ct.obj
    return rest, element


def _insert(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    """``append`` and ``insert``."""
    ct = cts[0]
    assert ct is not None
    if node in reverse.filling:
        reverse.accumulate(frame, node.inputs[1], reverse.filling[node])
        return
    if node.op == "append" and len(node.inputs) > 2:
        _append_deep(reverse, frame, node, ct)
        return
    index = node.inputs[2:]
    if index and reverse.bindings.constants.get(index[0]) != 0:
        length = _length(frame.tape, node.inputs[0])
        place = _from_front(reverse, frame.tape, index[0], length)
        tape = frame.tape  # list.insert clamps: the element is found where it went
        zero = tape.const(0, int_aval(0))
        place = tape.apply(max, (zero, place), {}, INT)
        index = (tape.apply(min, (place, length), {}, INT),)
    rest, element = _pop_from(frame, ct, node.inputs[1], *index)
    reverse.accumulate(frame, node.inputs[1], element)
    reverse.accumulate(frame, node.inputs[0], rest)


def _append_deep(reverse: Reverse, frame: Frame, node: Node, ct: Value) -> None:
    """``rows[i].append(value)``."""
    lst, value, *path = node.inputs
    row = get(frame.tape, ct, *path)
    rest, element = _pop_from(frame, row, value)
    reverse.accumulate(frame, value, element)
    reverse.accumulate(frame, lst, _next(frame.tape, "put", ct, rest, *path))


def _from_front(reverse: Reverse, tape: Tape, index: Value, length: Value) -> Value:
    """A list index counted from the front."""
    known = reverse.bindings.constants.get(index)
    if known is not None:
        return index if known >= 0 else tape.apply(operator.add, (length, index), {}, INT)
    negative = tape.apply(operator.lt, (index, 0), {}, BOOL)
    shift = tape.apply(operator.mul, (negative, length), {}, INT)
    return tape.apply(operator.add, (index, shift), {}, INT)


def _length(tape: Tape, lst: Value) -> Value:
    return tape.add("list_len", (lst,), (INT,)).out


def _pop(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    tape = frame.tape
    rest, element = cts
    if rest is None:
        rest = reverse.zeros(frame, node.outputs[0])
    if element is None:
        element = reverse.zeros(frame, node.outputs[1])
    if len(node.inputs) == 1:
        new = _next(tape, "append", rest, element)
    else:
        length = _length(tape, node.inputs[0])
        index = _from_front(reverse, tape, node.inputs[1], length)
        new = _next(tape, "insert", rest, element, index)
    reverse.accumulate(frame, node.inputs[0], new)


def _get(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    lst, *path = node.inputs
    ct = cts[0]
    if ct is None or lst not in reverse.activity.varied:
        return
    base = reverse.current(frame, lst)
    if base is None:
        base = reverse.zeros(frame, lst)
    reverse.put(frame, lst, add_to(frame.tape, base, ct, *path))


def _put(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    lst, value, *path = node.inputs
    tape, ct = frame.tape, cts[0]
    assert ct is not None
    given = get(tape, ct, *path, primal=value)
    reverse.accumulate(frame, value, given)
    if lst in reverse.activity.varied:
        elem: Aval | None = lst.aval
        for _ in path:
            elem = None if elem is None else elem.elem
        old = given
        if not (has_one_shape(elem) or _is_like(value, elem)):  # another one may have been there
            old = tape.add("get", (lst, *path), (elem or value.aval,)).out
        reverse.accumulate(frame, lst, _next(tape, "put", ct, zeros(tape, old), *path))


def _is_like(value: Value, elem: Aval | None) -> bool:
    """Do all items of a list have the shape and type of one?"""
    return elem is not None and elem.kind is value.aval.kind is Kind.ARRAY and (
        not elem.optional and elem.dtype is not None and elem.dtype == value.aval.dtype) and (
        elem.shape == value.aval.shape and not any(map(is_varying, elem.shape or ())))


def _list_acc(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    lst, value, *path = node.inputs
    ct = cts[0]
    assert ct is not None
    reverse.accumulate(frame, value, get(frame.tape, ct, *path, primal=value))
    reverse.accumulate(frame, lst, ct)


ADJOINTS: dict[str, Callable[[Any, Frame, Node, Cotangents], None]] = {
    "list": _list, "append": _insert, "insert": _insert, "pop": _pop, "get": _get, "put": _put,
    "list_acc": _list_acc,
}
