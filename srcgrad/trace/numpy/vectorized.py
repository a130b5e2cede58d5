"""NumPy's functions that call a function back: ``np.vectorize``, ``np.apply_along_axis``.

The loops are staged Python; what NumPy finds out from the first result (how many results there
are, and their dtypes) is found out from a call that is traced aside.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Node, Value
from ...stage.machine import NORMAL
from ...types.kinds import BOOL, Kind, aval_of
from ..record.tracers import ScalarTracer, is_tracer

CUT_OFF = ("np.vectorize makes an array of ints, because the first result is an int: give "
           "otypes=[float], or return 0.0 in place of 0")
PYTHON_DTYPES = {Kind.BOOL: bool, Kind.INT: int, Kind.FLOAT: float, Kind.COMPLEX: complex}


def vectorized(machine: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call of an ``np.vectorize`` object with traced values."""
    places = [i for i in range(len(args)) if i not in function.excluded]
    names = [n for n in kwargs if n not in function.excluded]
    called = function.pyfunc
    if kwargs or function.excluded:
        called = functools.partial(_with_the_rest, called, args, kwargs, places, names)
    varied = [*(args[i] for i in places), *(kwargs[n] for n in names)]
    if function.signature is not None:
        inner, outer = function._in_and_out_core_dims
        return machine.calls.inline(over_rows, (called, [len(d) for d in inner], len(outer),
                                          function.otypes, *varied), {})
    dtypes: Any = list(function.otypes or ())
    if not dtypes:
        machine.calls.inline(require_elements, tuple(varied), {})
    flat = machine.calls.inline(broadcast_flat, tuple(varied), {})
    several = len(dtypes) > 1
    if not dtypes:
        def first() -> Any:
            return machine.call(called, *[machine.getitem(f, 0) for f in flat[1]])

        found, scopes = first_result(machine, first)
        several = isinstance(found, tuple)
        dtypes = [dtype_of(machine, r) for r in (found if several else (found,))]
        if any(type(r) is ScalarTracer and may_be_int(r.value, scopes) and d is not int
               for r, d in zip(found if several else (found,), dtypes, strict=True)):
            check_first(machine, first())
    return machine.calls.inline(over_elements, (called, dtypes if several else dtypes[0], *flat),
                                {})


def first_result(machine: Any, call: Callable[[], Any]) -> tuple[Any, list[Sequence[Node]]]:
    """What a function that is called back returns at first, and the nodes that make it.  NumPy's
    extra call is made if it has effects."""
    held: list[Any] = []
    arm = machine.merges.trace_arm(lambda: held.append(call()))
    if arm.changes or arm.region.effects:
        call()
    return held[0], [arm.region.builder.nodes]


def dtype_of(machine: Any, result: Any) -> Any:
    """The dtype of ``np.asarray(result)``, if it is the same for every call."""
    aval = result.aval if is_tracer(result) else aval_of(result)
    dtype = PYTHON_DTYPES.get(aval.kind, aval.dtype)
    if dtype is None or aval.optional:
        raise machine.recorder.fatal(UnsupportedOperation(
            "the dtype of what np.vectorize returns depends on data",
            why="NumPy takes it from the result for the first element",
            fix="give otypes=[float], or return 0.0 in place of 0"))
    return dtype


def check_first(machine: Any, found: Any) -> None:
    """Raise where the first result turns out to be an int: NumPy would cut off all others."""
    for result in found if isinstance(found, tuple) else (found,):
        if type(result) is ScalarTracer:
            cut = machine.recorder.computed(isinstance, BOOL, result.value, int)
            machine.if_(cut, lambda: machine.raise_(TypeError(CUT_OFF), None, False),
                        lambda: NORMAL)


def may_be_int(value: Value, scopes: list[Sequence[Node]]) -> bool:
    """Is a float the result of a branch that gives an int or a bool on some path?"""
    if value.aval.kind in (Kind.INT, Kind.BOOL):
        return True
    node = next((n for nodes in scopes for n in nodes if value in n.outputs), None)
    if node is None or node.op != "if":
        return False
    return any(may_be_int(arm.outputs[node.outputs.index(value)], [arm.nodes, *scopes])
               for arm in node.blocks)


# ---- staged ----------------------------------------------------------------------------------
def _with_the_rest(function: Any, args: Any, kwargs: Any, places: Any, names: Any,
                   *varied: Any) -> Any:
    """The call for one element; arguments that do not vary are put back."""
    positional, named = list(args), dict(kwargs)
    for number, place in enumerate(places):
        positional[place] = varied[number]
    for number, name in enumerate(names):
        named[name] = varied[len(places) + number]
    return function(*positional, **named)


NO_ELEMENTS = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


def require_elements(*arrays: Any) -> None:
    """Without ``otypes`` NumPy asks the function for the first element what the type is."""
    for array in arrays:
        if np.size(array) == 0:
            raise ValueError(NO_ELEMENTS)


def broadcast_flat(*arrays: Any) -> Any:
    """The common shape of the arguments, and each of them in one row."""
    if len(arrays) == 1:
        return np.shape(arrays[0]), [np.ravel(arrays[0])]
    arrays = np.broadcast_arrays(*arrays)
    return np.shape(arrays[0]), [np.ravel(a) for a in arrays]


def over_elements(function: Any, dtype: Any, shape: Any, flat: Any) -> Any:
    """The plain form: one call for each element, which is a Python number."""
    if isinstance(dtype, list):
        columns: list[list[Any]] = [[] for _ in dtype]
        for row in zip(*flat):
            results = function(*[v.item() for v in row])
            for k in range(len(dtype)):
                columns[k].append(results[k])
        return tuple(np.reshape(np.array(c, d), shape) for c, d in zip(columns, dtype))
    made: list[Any] = []
    for row in zip(*flat):
        made.append(function(*[v.item() for v in row]))
    return np.reshape(np.array(made, dtype), shape)


def over_rows(function: Any, ranks: Any, count: int, dtypes: Any, *arrays: Any) -> Any:
    """With a signature: one call for each place of the loop dimensions."""
    outer = [np.shape(a)[:np.ndim(a) - r] for a, r in zip(arrays, ranks)]
    shape = np.broadcast_shapes(*outer)
    full = [np.broadcast_to(a, shape + np.shape(a)[np.ndim(a) - r:]) for a, r in zip(arrays, ranks)]
    if len(shape) == 0:
        return function(*full)
    columns: list[list[Any]] = [[] for _ in range(count)]
    for index in np.ndindex(*shape):
        results = function(*[a[index] for a in full])
        if count == 1:
            columns[0].append(results)
        else:
            for k in range(count):
                columns[k].append(results[k])
    if dtypes is None and len(columns[0]) == 0:
        raise ValueError(NO_ELEMENTS)
    made = [np.array(c, None if dtypes is None else d)
            for c, d in zip(columns, dtypes or [None] * count)]
    made = [np.reshape(m, shape + m.shape[1:]) for m in made]
    return made[0] if count == 1 else tuple(made)


def along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """``np.apply_along_axis``: the axes of a result stand where the axis was."""
    axis = axis + arr.ndim if axis < 0 else axis
    moved = np.moveaxis(arr, axis, -1)
    for size in moved.shape[:-1]:
        if size == 0:
            raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made: list[Any] = []
    for index in np.ndindex(*moved.shape[:-1]):
        made.append(np.asarray(func1d(moved[index], *args, **kwargs)))
    found = np.array(made)
    found = np.reshape(found, moved.shape[:-1] + found.shape[1:])
    first = arr.ndim - 1
    if found.ndim == first:
        return found
    return np.moveaxis(found, tuple(range(first, found.ndim)),
                       tuple(range(axis, axis + found.ndim - first)))
