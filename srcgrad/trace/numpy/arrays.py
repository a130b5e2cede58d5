"""NumPy functions that write, or that ask for shapes, while tracing."""

from __future__ import annotations

import functools
import inspect
import itertools
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...types.kinds import BOOL, INT, OPAQUE, PYTHON_SCALARS, SCALARS, Kind, possible_dtypes
from ..boundary.input_arrays import keeps_c_order
from ..calls.handlers import HANDLERS, handles, inlined
from ..iteration import elements
from ..record.tracers import ArrayTracer, contains_tracer, is_tracer
from . import gradient as numpy_gradient
from . import written_out
from .polynomial_classes import OPERATORS
from .vectorized import along_axis


# ---- NumPy -------------------------------------------------------------------------------------
def check_target(function: Any, target: Any, *nothing: Any) -> None:
    """Let NumPy say what it says of something to be written to that is no array."""
    if type(target) is written_out.Flat:
        function(np.zeros(0).flat, *nothing)
    elif isinstance(target, (list, tuple)) or (is_tracer(target) and target.aval.kind in SCALARS):
        function(target.__class__(), *nothing)


def _writing(function: Any, *nothing: Any) -> Any:
    """A function that writes into its first argument."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> None:
        given = inspect.signature(function).bind(*args, **kwargs)
        check_target(function, given.args[0], *nothing)
        getattr(machine.effects, function.__name__)(*given.args, **given.kwargs)

    return handler


for _writer, _nothing in ((np.copyto, (0,)), (np.fill_diagonal, (0,)), (np.putmask, ([], [])),
                          (np.place, ([], [])), (np.put, ([], []))):
    HANDLERS[_writer] = _writing(_writer, *_nothing)


@handles(np.nan_to_num)
def nan_to_num(machine: Any, x: Any, copy: bool = True, *limits: Any, **named: Any) -> Any:
    """With ``copy=False`` the argument itself is cleaned."""
    if type(x) is not ArrayTracer or copy is not False:
        return machine.library_calls.call_library(np.nan_to_num, (x, copy, *limits), named)
    machine.effects.copyto(x, machine.library_calls.call_library(np.nan_to_num, (x, True, *limits),
        named))
    return x


@handles(np.put_along_axis)
def put_along_axis(machine: Any, arr: Any, indices: Any, values: Any, axis: Any) -> None:
    if type(arr) is not ArrayTracer or type(axis) is not int:
        machine.library_calls.call_library(np.put_along_axis, (arr, indices, values, axis), {})
        return
    rank = arr.aval.ndim or 0
    key = [machine.call(np.reshape, machine.call(np.arange, machine.access.size_of(arr, i)),
                        tuple(-1 if j == i else 1 for j in range(rank)))
           for i in range(rank)]
    key[axis] = indices
    machine.setitem(arr, tuple(key), values)


@handles(np.piecewise)
def piecewise(machine: Any, x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Any:
    """Each function is called with the elements of its condition, as in NumPy."""
    if not (is_tracer(x) or contains_tracer(condlist)):
        return machine.library_calls.call_library(np.piecewise, (x, condlist, funclist, *args),
                                                  kwargs)
    x = machine.call(np.asarray, x)
    if not isinstance(condlist, (list, tuple)) or (not (
            isinstance(condlist[0], (list, tuple)) or _rank_of(condlist[0])) and x.aval.ndim):
        condlist = [condlist]
    conditions = [machine.call(np.asarray, c, dtype=bool) for c in condlist]
    if len(funclist) == len(conditions) + 1:
        met = conditions[0]
        for condition in conditions[1:]:
            met = machine.binary("|", met, condition)
        conditions.append(machine.unary("~", met))
    result = machine.call(np.zeros_like, x)
    for condition, part in zip(conditions, funclist):
        if callable(part):
            part = machine.call(part, machine.getitem(x, condition), *args, **kwargs)
        machine.setitem(result, condition, part)
    return result


@handles(np.interp)
def interp(machine: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None,
           period: Any = None) -> Any:
    if period is not None and contains_tracer((x, xp, fp, period)):
        return machine.calls.inline(written_out.periodic_interp, (x, xp, fp, period), {})
    options = {k: v for k, v in (("left", left), ("right", right), ("period", period))
               if v is not None}
    if type(xp) is ArrayTracer and xp.aval.shape:  # a single node is a case of its own
        machine.sources.guard_size("ne1", xp.aval.shape[0])
    return machine.library_calls.call_library(np.interp, (x, xp, fp), options)


PLANE_CROSS = np.lib.NumpyVersion(np.__version__) < "2.5.0"  # later ones refuse such vectors


@handles(np.cross)
def cross(machine: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1,
          axis: Any = None) -> Any:
    """The rank of the result depends on the length of the vectors, 2 or 3."""
    a, b = machine.call(np.asarray, a), machine.call(np.asarray, b)
    given = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    axes = [machine.keys.static_key(i) for i in given]
    sizes = [machine.escapes.demand(machine.access.size_of(v, i),
                                    "the length of the vectors of np.cross")
             if v.aval.ndim else 0 for v, i in zip((a, b), axes)]
    if 2 not in sizes or not set(sizes) <= {2, 3} or not PLANE_CROSS:
        options = {"axisa": axisa, "axisb": axisb, "axisc": axisc, "axis": axis}
        return machine.library_calls.call_library(np.cross, (a, b), {
            k: v for k, v in options.items() if v not in (-1, None)})
    parts = [machine.call(np.moveaxis, v, i, -1) for v, i in zip((a, b), axes)]
    return machine.calls.inline(written_out.plane_cross, (*parts, *sizes, axes[2]), {})


STATISTICS = {"maximum": np.max, "minimum": np.min, "median": np.median}


@handles(np.pad)
def pad(machine: Any, array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """Statistics of the border and several constants are concatenated, axis after axis."""
    values: Any = options.get("constant_values")
    several = mode == "constant" and (isinstance(values, (list, tuple)) or (
        is_tracer(values) and bool(values.aval.ndim)))
    if type(array) is not ArrayTracer or not (several or mode in STATISTICS):
        return machine.library_calls.call_library(np.pad, (array, pad_width, mode), options)
    widths = _pairs(machine, pad_width, array.aval.ndim)
    if several:
        return machine.calls.inline(written_out.pad_constants, (
            array, widths, _pairs(machine, values, array.aval.ndim)), {})
    lengths = options.get("stat_length")
    if lengths is not None:
        lengths = _pairs(machine, lengths, array.aval.ndim)
    return machine.calls.inline(written_out.pad_statistic,
                                (array, widths, STATISTICS[mode], lengths),
                          {})


def _pairs(machine: Any, given: Any, rank: Any) -> list[tuple[Any, Any]]:
    """One pair for each axis: of a number, a pair, a pair for each axis, or a dict of axes."""
    if isinstance(given, dict):
        pairs = {k % rank: v if isinstance(v, (list, tuple)) else (v, v) for k, v in given.items()}
        return [tuple(pairs.get(axis, (0, 0))) for axis in range(rank)]
    if not isinstance(given, (list, tuple, np.ndarray)) and not (
            is_tracer(given) and given.aval.ndim):
        return [(given, given)] * rank
    rows = [list(machine.iterate(p)) if isinstance(p, (list, tuple, np.ndarray)) or (
        is_tracer(p) and p.aval.ndim) else p for p in machine.iterate(given)]
    if rows and isinstance(rows[0], list):
        rows = rows * rank if len(rows) == 1 else rows
        return [(r[0], r[-1]) for r in rows]
    return [(rows[0], rows[-1])] * rank


@handles(np.histogram)
def histogram(machine: Any, a: Any, bins: Any = 10, range: Any = None, density: Any = None,
              weights: Any = None) -> Any:
    """By position, since given edges are returned as they are."""
    return machine.library_calls.call_library(np.histogram, (a, bins, range, density, weights), {})


@handles(np.ndim)
def ndim(machine: Any, a: Any) -> Any:
    a = _as_array(machine, a)
    if not is_tracer(a):
        return np.ndim(a)
    if a.aval.ndim is None or a.aval.kind is Kind.OPAQUE:
        return machine.recorder.computed(np.ndim, INT, a)
    return machine.getattr(a, "ndim") if type(a) is ArrayTracer else a.aval.ndim


def _as_array(machine: Any, a: Any) -> Any:
    """Lists with traced values as arrays."""
    return machine.call(np.asarray, a) if not is_tracer(a) and contains_tracer(a) else a


@handles(np.shape)
def shape(machine: Any, a: Any) -> Any:
    if is_tracer(a) and a.aval.kind in (Kind.ANY, Kind.OPAQUE):
        return machine.recorder.computed(np.shape, OPAQUE, a)
    if type(a) is ArrayTracer:
        return machine.getattr(a, "shape")
    if is_tracer(a):
        return ()
    return machine.getattr(machine.call(np.asarray, a), "shape")


@handles(np.size)
def size(machine: Any, a: Any, axis: Any = None) -> Any:
    a = _as_array(machine, a)
    if is_tracer(a) and a.aval.kind is Kind.ANY:
        return machine.recorder.computed(np.size, INT, a, axis)
    if type(a) is ArrayTracer and axis is not None:
        return machine.access.size_of(a, axis)
    if is_tracer(a) and a.aval.kind in SCALARS:
        return np.size(0, axis)
    return machine.getattr(a, "size") if is_tracer(a) else np.size(a, axis)


@handles(np.ndenumerate)
def ndenumerate(machine: Any, arr: Any) -> Any:
    if type(arr) is not ArrayTracer:
        return np.ndenumerate(arr)
    return machine.call(elements.ndenumerate, arr)


@handles(np.ndindex)
def ndindex(machine: Any, *shape: Any) -> Any:
    if not contains_tracer(shape):
        np.ndindex(*shape)  # Python's error, if they are no sizes
    return machine.call(elements.ndindex, *shape)


@handles(np.ndarray)
def ndarray(machine: Any, shape: Any, dtype: Any = float, *args: Any, **kwargs: Any) -> Any:
    """``np.ndarray(shape)``: memory that is not initialised, as ``np.empty`` gives it."""
    if args or kwargs:
        raise machine.recorder.fatal(UnsupportedOperation(
            "np.ndarray over a buffer", why="the array would share memory that is not traced",
            fix="make the array with np.empty or as a view of another array"))
    return machine.call(np.empty, shape, dtype)


@handles(np.nditer)
def nditer(machine: Any, op: Any, flags: Any = (), op_flags: Any = (), op_dtypes: Any = None,
           order: str = "K", **others: Any) -> Any:
    """Iteration over the elements of arrays."""
    if not contains_tracer(op):
        plain: Any = np.nditer
        return plain(op, flags, op_flags, op_dtypes, order, **others)
    operands = op if isinstance(op, (list, tuple)) else [op]
    wanted = set(flags) - {"multi_index", "c_index", "external_loop", "refs_ok", "zerosize_ok"}
    arrays = [a for a in operands if type(a) is ArrayTracer and a.aval.ndim]
    in_order = order != "F" and all(lies_in_c_order(machine, a) for a in arrays)
    alike = len({np.shape(a) if isinstance(a, np.ndarray) else a.aval.shape for a in operands
                 if is_tracer(a) or isinstance(a, np.ndarray)}) == 1
    if ("external_loop" in flags and not (in_order and alike)) or (
            any(o is None for o in operands) and order != "C" and not in_order):
        wanted.add("external_loop or operands to be allocated, over arrays out of C order")
    if wanted or others or op_dtypes is not None:
        raise machine.recorder.fatal(UnsupportedOperation(
            f"np.nditer with {', '.join(sorted([*wanted, *others])) or 'dtypes'}",
            why="it depends on how the arrays lie in memory, or makes arrays while iterating",
            fix="loop over x.ravel(), or use np.ndenumerate"))
    return machine.call(elements.NdIter, op, tuple(flags), order)


@handles(np.broadcast)
def broadcast(machine: Any, *arrays: Any) -> Any:
    if not contains_tracer(arrays):
        return np.broadcast(*arrays)
    return machine.call(elements.Broadcast, *arrays)


@handles(np.can_cast)
def can_cast(machine: Any, source: Any, to: Any, casting: Any = "safe") -> Any:
    if not is_tracer(source):
        return np.can_cast(source, to, casting)
    if source.aval.dtype is None or source.aval.least is not None:
        return machine.call(np.can_cast, machine.getattr(source, "dtype"), to, casting)
    return np.can_cast(source.aval.dtype, to, casting)


def _told_by_run(function: Any, aval: Any) -> Any:
    """A function that the run calls where a traced value takes part."""
    return lambda machine, *args, **named: (
        machine.recorder.computed(function, aval, *args, *named.values())
        if contains_tracer((args, named)) else function(*args, **named))


HANDLERS[np.issubdtype] = _told_by_run(np.issubdtype, BOOL)
for _limit in (np.finfo, np.iinfo):
    HANDLERS[_limit] = _told_by_run(_limit, OPAQUE)


def _common(machine: Any, function: Any, operands: tuple[Any, ...]) -> Any:
    """What a function of types says, if it says the same whatever the operands may be."""
    answers = {function(*one) for one in itertools.product(*map(_examples, operands))}
    spans = [x for x in operands if is_tracer(x) and x.aval.least is not None]
    if len(answers) > 1 and spans and all(hasattr(x, "aval") or type(x) is not list
                                          for x in operands):
        return machine.recorder.apply(function, operands, {})
    if len(answers) > 1:
        raise machine.recorder.of_forms(UnsupportedOperation(
            f"np.{function.__name__} of a number whose type depends on data",
            why="the dtype is needed while the code is made",
            fix="convert the operand first, for instance with float()"))
    return answers.pop()


def _examples(operand: Any) -> list[Any]:
    """Numbers or arrays of the types that a traced one may have."""
    if not is_tracer(operand):
        return [operand]
    kind = operand.aval.kind
    if kind in PYTHON_SCALARS:
        return [np.zeros((), operand.aval.dtype).item()]
    if kind in (Kind.ARRAY, Kind.SCALAR):
        ends = {d for d in (operand.aval.least, operand.aval.dtype) if d is not None}
        return [np.zeros(int(kind is Kind.ARRAY), d) for d in ends]
    dtypes = possible_dtypes(operand.aval)
    arrays = [np.zeros(1, d) for d in dtypes] if kind is Kind.ANY else []
    return [*arrays, *(np.zeros((), d)[()] for d in dtypes),
            *{np.zeros((), d).item() for d in dtypes}]


@handles(np.isscalar)
def isscalar(machine: Any, element: Any) -> Any:
    if is_tracer(element) and element.aval.kind is Kind.ANY:
        return machine.recorder.computed(np.isscalar, BOOL, element)
    if is_tracer(element):
        return element.aval.kind is not Kind.ARRAY
    return np.isscalar(element)


@handles(np.iscomplexobj)
def iscomplexobj(machine: Any, x: Any) -> Any:
    x = _as_array(machine, x)
    if not is_tracer(x):
        return bool(np.iscomplexobj(x))
    answers = {bool(np.iscomplexobj(one)) for one in _examples(x)} or {True, False}
    if len(answers) == 1:
        return answers.pop()
    return machine.recorder.computed(np.iscomplexobj, BOOL, x)


@handles(np.ma.isMaskedArray, np.ma.is_masked)
def is_masked(machine: Any, x: Any) -> bool:
    return not is_tracer(x) and bool(np.ma.isMaskedArray(x))


HANDLERS[np.result_type] = lambda machine, *operands: _common(machine, np.result_type, operands)
HANDLERS[np.common_type] = lambda machine, *arrays: _common(machine, np.common_type, arrays)
HANDLERS[np.ma.getmask] = lambda machine, a: (
    np.ma.nomask if contains_tracer(a) else np.ma.getmask(a))
HANDLERS[np.ma.getdata] = lambda machine, a, subok=True: (
    machine.call(np.asarray, a) if contains_tracer(a) else np.ma.getdata(a, subok))


def _rank_of(obj: Any) -> int:
    return (obj.aval.ndim or 0) if is_tracer(obj) else int(np.ndim(obj))


HANDLERS[np.isrealobj] = lambda machine, x: machine.not_(HANDLERS[np.iscomplexobj](machine, x))
HANDLERS[np.require] = lambda machine, a, dtype=None, *args, **kwargs: machine.call(
    np.asarray, a, dtype)


@handles(np.ix_)
def ix_(machine: Any, *args: Any) -> Any:
    parts = tuple(map(machine.items.places, args))
    made = machine.library_calls.call_library(np.ix_, parts, {})
    return tuple(  # of numbers they are views
        machine.call(np.reshape, part, tuple(-1 if i == k else 1 for i in range(len(parts))))
        if type(part) is ArrayTracer and part.aval.is_inexact else one
        for k, (part, one) in enumerate(zip(parts, made, strict=True)))


@handles(np.apply_along_axis)
def apply_along_axis(machine: Any, func1d: Any, axis: Any, arr: Any, *args: Any,
                     **kwargs: Any) -> Any:
    """One call for each row along the axis, in a staged loop."""
    arr = machine.call(np.asanyarray, arr)
    if not is_tracer(arr):
        return np.apply_along_axis(func1d, axis, arr, *args, **kwargs)
    if arr.aval.ndim == 1:
        return machine.call(np.array, machine.call(func1d, arr, *args, **kwargs))
    return machine.calls.inline(along_axis, (func1d, axis, arr, *args), kwargs)


def _in_python(function: Any, helper: Any) -> Any:
    """A handler that stages ``helper`` for calls of ``function`` with traced values."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = machine.containers.resolved((args, kwargs))
        if function in (np.fromiter, np.fromfunction, np.matrix) or contains_tracer(
                (*args, *kwargs.values())):
            return machine.calls.inline(helper, args, kwargs)
        return machine.library_calls.call_library(function, args, kwargs)

    return handler


def _split(machine: Any, ary: Any, indices_or_sections: Any, axis: Any = 0, *,
           function: Any) -> Any:
    """At places that an array gives, the parts are made one by one."""
    if type(ary) is ArrayTracer and type(indices_or_sections) is ArrayTracer and (
            indices_or_sections.aval.ndim == 1):
        return machine.calls.inline(written_out.parts_at, (ary, indices_or_sections, axis), {})
    return machine.library_calls.call_library(function, (ary, indices_or_sections, axis), {})


for _splitting in (np.split, np.array_split):
    HANDLERS[_splitting] = functools.partial(_split, function=_splitting)


def _with_second(function: Any) -> Any:
    """A handler that stages NumPy's source where two variables are given."""
    staged = _in_python(function, inspect.unwrap(function))

    def handler(machine: Any, m: Any, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        if y is None and len(args) < 4 and (
                kwargs.get("fweights") is None and kwargs.get("aweights") is None):
            return machine.library_calls.call_library(function, (m, y, *args), kwargs)
        return staged(machine, m, y, *args, **kwargs)

    return handler


def _of_integers(function: Any, staged: Any) -> Any:
    """A function that is called where no operand can have a derivative."""

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        traced = [a for a in (*args, *kwargs.values()) if is_tracer(a)]
        if traced and all(a.aval.dtype is not None and a.aval.dtype.kind in "iub" for a in traced) \
                and not any(contains_tracer(a) for a in (*args, *kwargs.values())
                            if not is_tracer(a)):
            return machine.library_calls.call_library(function, args, kwargs)
        return staged(machine, *args, **kwargs)

    return handler


@handles(elements.lies_in_c_order)
def lies_in_c_order(machine: Any, array: Any) -> bool:
    """For an array from outside this becomes a guarded fact."""
    if all(map(keeps_c_order, array.steps)):
        machine.memory.tell_views(array.home)
    return bool(machine.memory.lies_in_c_order(array))


@handles(written_out.in_one_piece)
def in_one_piece(machine: Any, array: Any) -> None:
    if not lies_in_c_order(machine, array):
        raise machine.recorder.fatal(UnsupportedOperation(
            "as_strided of an array that is not in C order",
            why="its elements could not be followed to where they lie in memory",
            fix="take strides of a contiguous array (np.ascontiguousarray), or use slices and "
                "np.lib.stride_tricks.sliding_window_view"))


for _function, _helper in written_out.WRITTEN_OUT.items():
    HANDLERS[_function] = _in_python(_function, _helper)
for _function in written_out.WITH_SECOND:
    HANDLERS[_function] = _with_second(_function)
@handles(np.polyval)
def polyval(machine: Any, p: Any, x: Any) -> Any:
    """Columns of coefficients, and polynomials of polynomials, in NumPy's own Python."""
    if isinstance(p, np.poly1d) or isinstance(x, np.poly1d) or (
            type(p) is ArrayTracer and p.aval.ndim != 1):
        return machine.calls.inline(inspect.unwrap(np.polyval), (p, x), {})
    return machine.library_calls.call_library(np.polyval, (p, x), {})


@handles(np.gradient)
def gradient(machine: Any, f: Any, *spacing: Any, **options: Any) -> Any:
    """A spacing that may be differentiated is computed with in staged code."""
    if any(is_tracer(s) and (s.aval.is_inexact or s.aval.kind is Kind.ARRAY) for s in spacing):
        return machine.call(numpy_gradient.gradient, f, *spacing, **options)
    return machine.library_calls.call_library(np.gradient, (f, *spacing), options)


for _name, _helper in OPERATORS.items():
    HANDLERS[getattr(np.polynomial.Polynomial, _name)] = inlined(_helper)
for _function in written_out.NUMPY_SOURCES:
    HANDLERS[_function] = _in_python(_function, inspect.unwrap(_function))
for _function in written_out.OF_SETS:
    HANDLERS[_function] = _of_integers(_function, HANDLERS[_function])
