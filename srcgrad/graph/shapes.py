"""Exact shape functions of the common families; kinds and dtypes come from tiny probes."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..types import dims
from ..types.dims import Dim, Poly
from ..types.kinds import Aval, Kind, array, aval_of, scalar
from ..types.operators import BINARY, INPLACE, UFUNCS
from ..types.spelling import Method
from . import making, reshaping
from .axes import along_axes
from .broadcasting import Broadcast, preferred, shown
from .generic import generic, leaves_of, with_arrays
from .indexing import infer_getitem
from .integers import number_of, product_of
from .outcome import Order, Outcome, fresh_results, placeholder
from .probing import example
from .products import product

Rule = making.Rule

_OPERATORS = UFUNCS | {INPLACE[symbol]: UFUNCS[function] for symbol, function in BINARY.items()
                       if function in UFUNCS}
_PLAIN_OPTIONS = frozenset({"dtype", "where", "casting", "order", "subok"})


def explicit(fn: Callable[..., Any], args: tuple[Any, ...],
             kwargs: dict[str, Any]) -> Outcome | None:
    """The outcome by a shape function of ``fn``'s family; None if there is none."""
    if (getattr(fn, "__module__", "") or "").startswith("srcgrad.rules"):
        return _of_rules(fn, args, kwargs)
    if isinstance(fn, np.ufunc):
        return elementwise(fn, args, kwargs) if fn.signature is None else product(fn, args, kwargs)
    try:
        found = product(fn, args, kwargs) or along_axes(fn, args, kwargs)
        if found is not None:
            return found
        if fn in _OPERATORS and not kwargs:
            return elementwise(fn, args, kwargs)
        rule = _RULES.get(fn)
    except TypeError:
        return None
    return None if rule is None else rule(fn, args, kwargs)


def _as_operand(value: Any) -> Any:
    """An operand as an Aval, or unchanged if it is a static number; None if it is neither."""
    if isinstance(value, Aval):
        return value
    if isinstance(value, np.ndarray):
        return aval_of(value)
    if isinstance(value, bool | int | float | complex | np.generic):
        return value
    return None


def _tiny(value: Any) -> Any:
    """The operand with every axis of size 2 (only whether there are axes matters)."""
    if not isinstance(value, Aval) or not value.is_array:
        return value.but(expr=None) if isinstance(value, Aval) and value.expr is not None else value
    return array(value.dtype, (2,) if value.shape else ())


def elementwise(fn: Callable[..., Any], args: tuple[Any, ...],
                kwargs: dict[str, Any]) -> Outcome | None:
    """Functions that broadcast their operands; in-place operators keep the first's object."""
    if not _PLAIN_OPTIONS.issuperset(kwargs):
        return None
    args = with_arrays(args)
    operands = [_as_operand(a) for a in args]
    mask = _as_operand(kwargs.get("where", True))
    if any(o is None or (isinstance(o, Aval) and not o.is_numeric) for o in operands) \
            or mask is None:
        return None
    settings = {k: v for k, v in kwargs.items() if k != "where"}
    if isinstance(mask, Aval):
        settings["where"] = _tiny(mask)
    seen = example(fn, tuple(map(_tiny, operands)), settings)
    shapes = [o.shape or () for o in (*operands, mask) if isinstance(o, Aval)]
    broadcast = Broadcast()
    shape = broadcast.shapes(*shapes) if any(shapes) else ()
    results = tuple(a.but(shape=shape) if a.is_array and a.shape else a.but(expr=None)
                    for a in seen.avals)
    in_place = getattr(fn, "__name__", "").startswith("i") and fn in _OPERATORS \
        and fn is not operator.invert and isinstance(args[0], Aval) and args[0].is_array
    if in_place:
        _check_in_place(args[0], shape)
        return Outcome((args[0],), views=("same",), sources=(0,), guards=tuple(broadcast.guards),
                       uncertain=broadcast.uncertain)
    count = len(results)
    order: Order = "C" if len(shape) < 2 else None if "order" in kwargs else "keep"
    return Outcome(results, seen.many, seen.container, *fresh_results(count),
                   tuple(broadcast.guards), broadcast.uncertain, orders=(order,) * count)


def _check_in_place(target: Aval, shape: tuple[Dim, ...]) -> None:
    have = target.shape or ()
    static = [(a, b) for a, b in zip(have, shape) if isinstance(a, int) and isinstance(b, int)]
    if len(have) != len(shape) or any(a != b for a, b in static):
        raise ValueError(f"non-broadcastable output operand with shape {shown(have)} doesn't "
                         f"match the broadcast shape {shown(shape)}")


# ---- functions that broadcast but are not ufuncs ------------------------------------------


def _where(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if len(args) == 3 and not kwargs:
        return elementwise(fn, args, kwargs)
    return None if kwargs else _data_dependent(fn, args, kwargs)


def _clip(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if any(a is None for a in args) or kwargs:
        return None
    return elementwise(fn, args, kwargs)


# ---- sizes that depend on data ------------------------------------------------------------


def _data_dependent(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    """Results whose first axis has as many items as the data says (one size for all)."""
    outcome = generic(fn, args, kwargs)
    return replace(outcome, avals=tuple(
        a.but(shape=(placeholder(1), *(a.shape or ())[1:])) if a.is_array and a.shape else a
        for a in outcome.avals))


def _bincount(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    """Sums of weights are floats, but for no data at all integers."""
    outcome = _data_dependent(fn, args, kwargs)
    return replace(outcome, avals=tuple(
        a if a.dtype == np.intp else a.but(least=np.dtype(np.intp)) for a in outcome.avals))


def _cross(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """Axes of unknown size are taken to have 3 components, under a guard."""
    if len(args) != 2 or kwargs or not all(
            isinstance(a, Aval) and a.is_array and a.shape for a in args):
        return None
    ends = [a.shape[-1] for a in args]
    if any(isinstance(d, int) and d != 3 for d in ends):
        return None
    broadcast = Broadcast()
    shape = (*broadcast.shapes(*(a.shape[:-1] for a in args)), 3)
    tiny = tuple(array(a.dtype, (3,)) for a in args)
    guards = [("eq0", dims.add(d, -3)) for d in dict.fromkeys(ends) if isinstance(d, Poly)]
    aval = example(fn, tiny).avals[0]
    return Outcome((aval.but(shape=shape),), guards=(*guards, *broadcast.guards),
                   uncertain=broadcast.uncertain)


def _unique(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    """The inverse has as many items as the input, all else as there are unique values."""
    outcome = _data_dependent(fn, args, kwargs)
    source = args[0]
    if kwargs.get("return_inverse") and isinstance(source, Aval) and source.is_array \
            and kwargs.get("axis") is None:
        avals = list(outcome.avals)
        position = 1 + bool(kwargs.get("return_index"))
        avals[position] = avals[position].but(shape=source.shape)
        return replace(outcome, avals=tuple(avals))
    return outcome


def _repeat(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    bound = dict(zip(("a", "repeats", "axis"), args)) | kwargs
    source, repeats, axis = bound.get("a"), bound.get("repeats"), bound.get("axis")
    if not isinstance(source, Aval) or not source.is_array:
        return None
    shape = list(source.shape or ())
    if axis is None:
        shape, axis = [product_of(shape)], 0
    if type(axis) is not int or not -len(shape) <= axis < len(shape):
        return None
    times = number_of(repeats)
    if times is None:
        if not isinstance(repeats, Aval):
            return None
        shape[axis] = placeholder(1)  # NumPy takes floats as well
    else:
        shape[axis] = dims.multiply(shape[axis], times)
    return Outcome((array(source.dtype, tuple(shape)),))


def _ravel_multi_index(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """Index arrays broadcast; examples would have to lie inside the array."""
    if not args or not isinstance(args[0], tuple | list):
        return None
    return elementwise(np.add, (functools.reduce(_larger, args[0]), np.intp(0)), {})


def _unravel_index(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """An index for each axis; examples would have to lie inside the array."""
    bound = dict(zip(("indices", "shape"), args)) | kwargs
    indices, shape = _as_operand(bound.get("indices")), bound.get("shape")
    axes = len(shape) if isinstance(shape, tuple | list) else int(number_of(shape) is not None)
    if indices is None or (not axes and shape != ()):
        return None
    found = elementwise(np.add, (indices, np.intp(0)), {})
    return None if found is None else Outcome(found.avals * axes, True, tuple,
                                              *fresh_results(axes))


def _larger(a: Any, b: Any) -> Any:
    """What two operands broadcast to."""
    found = elementwise(np.add, (a, b), {})
    return a if found is None else found.aval


def _block(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    leaves = leaves_of(args)
    if len(args) != 1 or not leaves or not all(a.is_numeric for a in leaves):
        return None
    joined = generic(np.concatenate, ([_row(a) for a in leaves],), {}).aval
    rank = max([_depth(args[0]), *(len(a.shape or ()) for a in leaves)])
    aval = joined.but(shape=(1,) * rank)
    shape = _block_shape(args[0], aval.ndim or 0)
    return None if shape is None or not aval.is_array else Outcome((aval.but(shape=shape),))


def _row(aval: Aval) -> Aval:
    return array(aval.dtype, (1,)) if aval.is_array else aval.but(kind=Kind.ARRAY, shape=(1,))


def _block_shape(part: Any, rank: int) -> tuple[Dim, ...] | None:
    """Lists at depth d from the innermost are joined along axis -d."""
    if not isinstance(part, list):
        operand = _as_operand(part)
        inner = operand.shape or () if isinstance(operand, Aval) else ()
        return None if operand is None else (1,) * (rank - len(inner)) + inner
    shapes = [_block_shape(p, rank) for p in part]
    axis = rank - _depth(part)
    if axis < 0 or any(s is None for s in shapes):
        return None
    known = [s for s in shapes if s is not None]
    return tuple(functools.reduce(dims.add, sizes) if i == axis else preferred(*sizes)
                 for i, sizes in enumerate(zip(*known)))


def _depth(part: Any) -> int:
    return 1 + _depth(part[0]) if isinstance(part, list) and part else 0


# ---- ranges and fillings ------------------------------------------------------------------


def _arange(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    given = dict(zip(("start", "stop", "step", "dtype"), args)) | kwargs
    named = {k: a for k, a in given.items() if k in ("start", "stop", "step")}
    settings = {k: a for k, a in given.items() if k not in named}
    if leaves_of(settings) or any(a.shape for a in leaves_of(named)):
        return None
    if named.get("stop") is None:
        named = {**named, "start": 0, "stop": named.get("start")}
    numbers: dict[str, Any] = {k: number_of(a) for k, a in named.items()}
    small = {k: a if numbers[k] is None else 2 + i for i, (k, a) in enumerate(named.items())}
    aval = example(fn, (), small | settings).avals[0]
    if None in numbers.values():
        if not leaves_of(named):
            return None
        return Outcome((aval.but(shape=(placeholder(1),)),))
    length = dims.range_length(numbers.get("start", 0), numbers["stop"], numbers.get("step", 1))
    return Outcome((aval.but(shape=(length,)),))


def _leading_shape(x: Any, axis: Any, like: Any) -> tuple[Dim, ...] | None:
    if not all(isinstance(a, Aval) and a.shape for a in (x, like)) or type(axis) is not int:
        return None
    shape = list(x.shape)
    shape[axis] = like.shape[-1]
    return tuple(shape)


def _along(x: Any, axis: Any, size: Dim | None) -> tuple[Dim, ...] | None:
    """The shape of an array with another size along an axis, which may be known to a run only."""
    if not isinstance(x, Aval) or not x.shape or type(axis) is not int:
        return None
    shape = list(x.shape)
    shape[axis] = placeholder(1) if size is None else size
    return tuple(shape)


def _like_all(*arrays: Any) -> tuple[Dim, ...] | None:
    """The shape of the first of some arrays that have one dtype and rank."""
    if not all(isinstance(a, Aval) and a.kind is Kind.ARRAY for a in arrays) or len(
            {(a.dtype, a.ndim) for a in arrays}) != 1:
        return None
    shape: tuple[Dim, ...] | None = arrays[0].shape
    return shape


def _item(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if not isinstance(args[0], Aval) or args[0].dtype is None:
        return None
    return Outcome((aval_of(np.zeros((), args[0].dtype).item()).but(expr=None),))


def _of_rules(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    """Run-time functions of derivative rules whose result has the shape they are given."""
    try:
        named = inspect.signature(fn).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return None
    source = next(iter(named.values()), None)
    if isinstance(source, np.ndarray):  # a constant
        source = aval_of(source)
    wanted = named.get("shape")
    if fn.__name__ == "last_write_mask":
        sizes: Any = tuple(map(number_of, named["shape"]))
        return None if None in sizes else Outcome(
            (infer_getitem(array(bool, sizes), named["index"]).aval,))
    if fn.__name__ in ("matching", "stored_places"):
        return Outcome((array(np.intp, (placeholder(1),)),) * 2, True, tuple, *fresh_results(2))
    if fn.__name__ in ("numbers_along", "pointers", "segment_firsts"):
        return Outcome((array(np.intp, (placeholder(1),)),))
    if fn.__name__ == "sum_to_like":
        wanted = named["like"].shape if isinstance(named["like"], Aval) else None
    elif fn.__name__ == "array_of_rows":
        if isinstance(source, Aval) and source.shape and source.shape[0] == 0:
            return Outcome((array(float, (0,)),))
        wanted = source.shape if isinstance(source, Aval) else None
    elif fn.__name__ == "leading":
        wanted = _leading_shape(*named.values())
    elif fn.__name__ in ("segment_terms", "segments_joined"):
        wanted = _along(source, named["axis"], number_of(named.get("size")))
    elif fn.__name__ in ("segment_shares", "segment_ends", "others_of_segments", "within"):
        wanted = source.shape if isinstance(source, Aval) else None
    elif fn.__name__ in ("recurrence", "through_cumprod"):
        wanted = _like_all(*named.values())
    elif isinstance(wanted, tuple):
        wanted = tuple(map(number_of, wanted))
    if not isinstance(source, Aval) or not isinstance(wanted, tuple) or None in wanted:
        return None
    if source.shape == wanted:
        return Outcome((source,))
    if not wanted and fn.__name__ in ("sparse_item", "sparse_sum"):
        return Outcome((scalar(source.dtype),))
    if not wanted and fn.__name__.startswith("sum_to"):
        zero: Any = () if fn.__name__ == "sum_to" else 1.0
        return Outcome(example(fn, (_tiny(source), zero)).avals)
    return Outcome((array(source.dtype, wanted),))


def _getitem(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    if not isinstance(args[0], Aval) or not args[0].is_numeric:
        return None
    found = infer_getitem(args[0], args[1])
    return Outcome((found.aval,), views=(found.view,),
                   sources=(None if found.view == "fresh" else 0,), guards=found.guards,
                   uncertain=found.uncertain)


def _numbers(value: Any) -> Any:
    """An operand as an Aval, also a list of numbers."""
    if not isinstance(value, (list, tuple)):
        return _as_operand(value)
    items = [v if isinstance(v, Aval) else aval_of(v) for v in value if isinstance(
        v, (Aval, bool, int, float, complex, np.generic))]
    if len(items) < len(value) or any(
            v.shape != () or v.dtype is None or v.optional for v in items):
        return None
    return array(np.result_type(*(v.dtype for v in items)) if items else float, (len(items),))


def _convolve(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome | None:
    bound = dict(zip(("a", "v", "mode"), args)) | kwargs
    operands = [_numbers(bound.get(k)) for k in ("a", "v")]
    default = "full" if fn is np.convolve else "valid"
    mode = bound.get("mode", default)
    if not all(isinstance(o, Aval) and o.is_array and o.ndim == 1 for o in operands):
        return None
    n, m = (o.shape[0] for o in operands)
    aval = example(fn, tuple(map(_tiny, operands))).avals[0]
    long, short = dims.maximum(n, m), dims.minimum(n, m)
    sizes = {"full": dims.add(dims.add(n, m), -1), "same": long,
             "valid": dims.add(dims.add(long, dims.multiply(-1, short)), 1)}
    return Outcome((aval.but(shape=(sizes[mode],)),)) if mode in sizes else None


_RULES: dict[Any, Rule] = {
    **making.RULES,
    **reshaping.RULES,
    operator.getitem: _getitem,
    np.where: _where,
    np.clip: _clip,
    np.isclose: elementwise,
    np.nonzero: _data_dependent,
    np.flatnonzero: _data_dependent,
    np.argwhere: _data_dependent,
    np.extract: _data_dependent,
    np.compress: _data_dependent,
    np.setdiff1d: _data_dependent,
    np.union1d: _data_dependent,
    np.intersect1d: _data_dependent,
    np.setxor1d: _data_dependent,
    np.bincount: _bincount,
    np.cross: _cross,
    np.unique: _unique,
    Method("nonzero"): _data_dependent,
    Method("compress"): _data_dependent,
    np.repeat: _repeat,
    Method("repeat"): _repeat,
    np.block: _block,
    np.ravel_multi_index: _ravel_multi_index,
    np.unravel_index: _unravel_index,
    Method("item"): _item,
    np.arange: _arange,
    np.convolve: _convolve,
    np.correlate: _convolve,
}
