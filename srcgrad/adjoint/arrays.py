"""Adjoints of the array operations: ``read``, ``write``, ``acc``, ``update``, ``copy``.

They act on one cotangent per base, through the same view steps:

* ``y = read(b, s)``: ``d_b[s] += d_y``
* ``b' = write(b, v, s)``: ``d_v = d_b[s]``, then ``d_b[s] = 0``
* ``b' = acc(b, v, s)``: ``d_v = d_b[s]``; the cotangent of the base passes through
* ``b' = update(b, v, s, op)``: as the operator's rules say for ``b[s] op v``

Where elements of an index array coincide only the last one written keeps its value, so only
that one receives a cotangent.  Through an ``imag`` step the sign changes: the cotangent of a
complex number ``a + bi`` is ``d_a - i d_b`` in the convention without conjugation.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.ir import Index, Node, Steps, Through, Value
from ..rules.broadcast import last_write_mask
from ..types.kinds import SCALARS, Kind
from .bodies import partial_cotangents, shape_of, transposed, unbroadcast
from .frames import Frame, Tape, with_values
from .screens import screen_of_clearing
from .steps import covers_everything, first_lowered, part_aval, sign
from .zeros import zeros

if TYPE_CHECKING:
    from .reverse import Reverse

Cotangents = list[Value | None]


def select(tape: Tape, x: Value, steps: Steps) -> Value:
    """``x[steps]`` as it is."""
    return tape.read(x, steps, part_aval(x.aval, steps, tape.masks)) if steps else x


def _read_back(tape: Tape, ct: Value, steps: Steps) -> Value:
    """The part of a base's cotangent that belongs to ``base[steps]``."""
    part = select(tape, ct, steps)
    return tape.call(operator.neg, part) if sign(steps) < 0 else part


def _through(tape: Tape, step: Through, part: Value, ct: Value,
             node: Node) -> Value:
    """The cotangent of ``part`` from that of ``step.fn(part)``."""
    fn = step.fn
    args, kwargs = step.args, dict(step.kwargs)
    ans = tape.call(fn, part, *args, **kwargs)
    found = transposed(tape, fn, (part, *args), kwargs, ans, ct, part, node)
    return zeros(tape, part) if found is None else found


def add_at(reverse: Reverse, frame: Frame, base: Value, ct: Value, steps: Steps,
           node: Node) -> None:
    """Add ``ct`` to the part of the base's cotangent that ``steps`` select."""
    cut = first_lowered(steps)
    if cut is None:
        reverse.accumulate(frame, base, ct, steps)
        return
    tape = frame.tape
    part = select(tape, base, steps[:cut])
    ct = spread_out(tape, part, ct, steps[cut:], node)
    reverse.accumulate(frame, base, ct, steps[:cut])


def spread_out(tape: Tape, x: Value, ct: Value, steps: Steps,
                node: Node) -> Value:
    """A cotangent of ``x`` that is ``ct`` at ``x[steps]`` and zero elsewhere."""
    cut = first_lowered(steps)
    if cut is None:
        return tape.store("acc", zeros(tape, x), ct, steps) if steps else ct
    part = select(tape, x, steps[:cut])
    step = steps[cut]
    assert isinstance(step, Through)
    inner = tape.call(step.fn, part, *step.args, **dict(step.kwargs))
    ct = spread_out(tape, inner, ct, steps[cut + 1:], node)
    ct = _through(tape, step, part, ct, node)
    return tape.store("acc", zeros(tape, x), ct, steps[:cut]) if cut else ct


def cleared(tape: Tape, ct: Value, steps: Steps, node: Node) -> Value:
    """``ct`` with zeros at ``ct[steps]``."""
    cut = first_lowered(steps)
    if cut is None:
        zero = tape.number(0.0)
        made = tape.store("write", ct, zero, steps)
        screen = screen_of_clearing(tape.store, tape.number, ct, zero, steps)
        if screen is not None:
            tape.screens[made] = screen
        return made
    there = last_written(tape, ct, select(tape, ct, steps), steps)
    return tape.call(operator.sub, ct, spread_out(tape, ct, there, steps, node))


def _read(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    steps, base = with_values(node), node.inputs[0]
    ct = cts[0]
    assert ct is not None
    if base not in reverse.activity.varied:
        return
    if base.aval.kind in SCALARS:  # ``x[None]`` of a number: one element
        reverse.accumulate(frame, base, frame.tape.call(np.sum, ct) if ct.aval.shape else ct)
        return
    if sign(steps) < 0:
        ct = frame.tape.call(operator.neg, ct)
    add_at(reverse, frame, base, ct, steps, node)


def _value_cotangent(reverse: Reverse, frame: Frame, node: Node, ct: Value, value: Value,
                     overwrites: bool) -> None:
    """The cotangent of what was stored at (or added to) the steps' place."""
    if value not in reverse.activity.varied:
        return
    tape, steps = frame.tape, with_values(node)
    part = _read_back(tape, ct, steps)
    if overwrites:
        part = last_written(tape, ct, part, steps)
    reverse.accumulate(frame, value, unbroadcast(tape, part, value, lambda: True))


def last_written(tape: Tape, x: Value, part: Value, steps: Steps) -> Value:
    """What is stored at ``x[steps]``, with zeros where a place is written to again."""
    index = steps[-1] if steps else None
    if not isinstance(index, Index) or index.basic or not _may_repeat(index.key):
        return part
    shape = shape_of(tape, select(tape, x, steps[:-1]))
    mask = tape.apply(last_write_mask, (shape, index.key), {},
                      part.aval.but(kind=Kind.ARRAY, dtype=np.dtype(bool)))
    return tape.call(np.where, mask, part, 0.0)


def _may_repeat(key: Any) -> bool:
    """May an advanced index name one place twice?  (A boolean mask cannot.)"""
    parts = key if isinstance(key, tuple) else (key,)
    for part in parts:
        if isinstance(part, list):
            return True
        if isinstance(part, np.ndarray) and part.dtype != bool:
            return True
        if isinstance(part, Value):
            dtype = part.aval.dtype
            if part.aval.kind in (Kind.ARRAY, Kind.ANY, Kind.LIST, Kind.OPAQUE) and (
                    dtype is None or dtype.kind != "b"):
                return True
    return False


def _write(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    base, value, steps = *node.inputs[:2], with_values(node)
    ct = cts[0]
    assert ct is not None
    _value_cotangent(reverse, frame, node, ct, value, overwrites=True)
    if base in reverse.activity.varied and not covers_everything(steps):
        reverse.accumulate(frame, base, cleared(frame.tape, ct, steps, node))


def _acc(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    base, value = node.inputs[:2]
    ct = cts[0]
    assert ct is not None
    _value_cotangent(reverse, frame, node, ct, value, overwrites=False)
    reverse.accumulate(frame, base, unbroadcast(frame.tape, ct, base))


def _update(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    base, value, steps = *node.inputs[:2], with_values(node)
    tape, fn = frame.tape, node.params["fn"]
    ct = cts[0]
    assert ct is not None
    varied = reverse.activity.varied
    if fn is operator.iadd:
        _value_cotangent(reverse, frame, node, ct, value, overwrites=False)
        reverse.accumulate(frame, base, ct)
        return
    part_ct = _read_back(tape, ct, steps)
    new, old = select(tape, node.out, steps), select(tape, base, steps)
    in_place = fn in (operator.isub, operator.imul, operator.itruediv) and (
        first_lowered(steps) is None)
    wanted = {"x1": base in varied and not in_place, "x2": value in varied}
    parts = partial_cotangents(tape, OPERATOR[fn], (old, value), new, part_ct, wanted, node)
    if "x2" in parts:
        reverse.accumulate(frame, value, unbroadcast(tape, parts["x2"], value, lambda: True))
    if base not in varied:
        return
    if fn is operator.isub:
        reverse.accumulate(frame, base, ct)
    elif in_place:
        reverse.accumulate(frame, base, tape.store("update", ct, value, steps, fn=fn))
    elif covers_everything(steps) and not steps:
        reverse.accumulate(frame, base, parts.get("x1"))
    elif "x1" in parts:
        sent = parts["x1"] if sign(steps) > 0 else tape.call(operator.neg, parts["x1"])
        if first_lowered(steps) is None:
            reverse.accumulate(frame, base, tape.store("write", ct, sent, steps))
        else:
            reverse.accumulate(frame, base, cleared(tape, ct, steps, node))
            add_at(reverse, frame, base, sent, steps, node)
    else:
        reverse.accumulate(frame, base, cleared(tape, ct, steps, node))


OPERATOR: dict[Any, Callable[..., Any]] = {
    operator.iadd: np.add, operator.isub: np.subtract,
    operator.imul: np.multiply, operator.itruediv: np.divide,
    operator.ipow: np.power, operator.imod: np.remainder, operator.ifloordiv: np.floor_divide,
    operator.imatmul: np.matmul, operator.iand: np.bitwise_and, operator.ior: np.bitwise_or,
    operator.ixor: np.bitwise_xor, operator.ilshift: np.left_shift,
    operator.irshift: np.right_shift,
}


def _copy(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    reverse.accumulate(frame, node.inputs[0], cts[0])


ADJOINTS: dict[str, Callable[[Any, Frame, Node, Cotangents], None]] = {
    "read": _read, "write": _write, "acc": _acc, "update": _update, "copy": _copy,
}
