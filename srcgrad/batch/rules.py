"""What functions do to a batch: one rule for each family of functions.

A rule gets a :class:`Call`: the arguments by their canonical names, with :class:`Operand` in the
place of values.  A *mapped* operand has one more axis, in front, for the examples; the rank of an
operand is that of one example.  A rule computes with symbolic values, in plain NumPy, and returns
the result for all examples.  It raises :class:`NotBatched` for settings that it has no form for.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..rules.book import Entry
from ..rules.broadcast import real_like, sum_to, sum_to_like
from ..rules.methods import cast
from ..types.dataclasses import dataclass
from ..types.kinds import Kind

Function = Callable[..., Any]
Body = Callable[["Call"], Any]


class NotBatched(Exception):
    """There is no batched form; the text says of what."""


@dataclass(frozen=True)
class Operand:
    """A value among the arguments: symbolic, ``rank`` is that of one example."""

    sym: Any
    rank: int
    mapped: bool

    @property
    def is_list(self) -> bool:
        return self.sym.aval.kind is Kind.LIST


class Call:
    """A call of ``function`` with arguments ``named``, for ``count`` examples."""

    def __init__(self, entry: Entry, named: Mapping[str, Any], count: Any) -> None:
        self.entry, self.named, self.count = entry, dict(named), count

    @property
    def name(self) -> str:
        return getattr(self.entry.function, "__name__", repr(self.entry.function))

    def take(self, name: str) -> Any:
        """An argument that the rule answers for."""
        return self.named.pop(name)

    def array(self, name: str) -> Operand:
        """A mapped operand that the rule answers for."""
        found = self.take(name)
        if not isinstance(found, Operand) or not found.mapped or found.is_list:
            raise NotBatched(f"{self.name} of one {name}")
        return found

    def rest(self) -> dict[str, Any]:
        """The other arguments, as they are: none of them may be mapped."""
        defaults = self.entry.signature.parameters
        found = {}
        for name, value in self.named.items():
            known = defaults.get(name)
            if known is not None and (value is known.default or _plainly(value, known.default)):
                continue
            if value is None or (name == "keepdims" and value is False) or (
                    name == "where" and value is True):
                continue  # what NumPy's missing values come to
            found[name] = self.same(value)
        return found

    def shape(self) -> tuple[Any, ...]:
        """The argument ``shape``, for all examples."""
        shape = self.same(self.take("shape"))
        return (self.count, *(shape if isinstance(shape, (tuple, list)) else (shape,)))

    def same(self, value: Any) -> Any:
        """An argument that is one for all examples."""
        if isinstance(value, Operand):
            if value.mapped:
                raise NotBatched(f"{self.name} with settings of each example's own")
            return value.sym
        if isinstance(value, (tuple, list)):
            return type(value)(map(self.same, value))
        return value

    def rows(self, operand: Any) -> Any:
        """An operand with the axis of the examples, whether or not they differ."""
        if isinstance(operand, Operand) and operand.mapped:
            return operand.sym
        value = operand.sym if isinstance(operand, Operand) else np.asarray(operand)
        sizes = value.shape if not isinstance(operand, Operand) or operand.rank else ()
        return self.count.apply(np.broadcast_to, (value, (self.count, *sizes)), {})


def _plainly(value: Any, default: Any) -> bool:
    return type(value) is type(default) and isinstance(value, (bool, int, float, str)) and (
        value == default)


RULES: dict[Any, Body] = {}


def rule(*functions: Function) -> Callable[[Body], Body]:
    """Declare the batched form of functions of the rule book."""
    def register(body: Body) -> Body:
        RULES.update(dict.fromkeys(functions, body))
        return body
    return register


def raised(operand: Operand, rank: int) -> Any:
    """An operand whose examples broadcast with others of ``rank``: axes of length 1 follow that
    of the examples."""
    if not operand.mapped or operand.rank >= rank:
        return operand.sym
    return operand.sym[(slice(None), *(None,) * (rank - operand.rank))] if operand.rank == 0 else (
        operand.sym[(slice(None), *(None,) * (rank - operand.rank), Ellipsis)])


def moved(axis: Any, rank: int) -> int:
    """An axis of an example as one of the batch."""
    if type(axis) is not int:
        raise NotBatched("an axis that only a run knows")
    return axis % rank + 1


def axes_of(axis: Any, rank: int) -> Any:
    """``axis=`` of a reduction of one example for the batch; None means all."""
    if axis is None:
        return 1 if rank == 1 else tuple(range(1, rank + 1))
    return tuple(moved(a, rank) for a in axis) if isinstance(axis, tuple) else moved(axis, rank)


# ---- along axes -------------------------------------------------------------------------------
@rule(np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.var, np.std, np.ptp, np.median,
      np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanprod, np.nanvar, np.nanstd,
      np.count_nonzero, np.diff, np.flip, np.trace, np.diagonal,
      np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft)
def along_axes(call: Call) -> Any:
    a = call.array(next(iter(call.named)))
    if not a.rank:
        raise NotBatched(f"{call.name} of a number")
    axes = {name: axes_of(call.take(name), a.rank) for name in ("axis", "axis1", "axis2")
            if name in call.named}
    return call.entry.function(a.sym, **axes, **call.rest())


@rule(np.quantile, np.percentile, np.nanquantile, np.nanpercentile, np.nanmedian)
def quantiles(call: Call) -> Any:
    if not isinstance(call.named.get("q", 0.5), (int, float)):
        raise NotBatched(f"{call.name} for several probabilities")
    return along_axes(call)


@rule(np.pad)
def pad(call: Call) -> Any:
    array, width = call.array("array"), call.take("pad_width")
    if isinstance(width, Operand) or "constant_values" in call.named:
        raise NotBatched("pad by widths that only a run knows, or with values")
    widths = np.broadcast_to(width, (array.rank, 2)).tolist()
    return np.pad(array.sym, ((0, 0), *map(tuple, widths)), **call.rest())


@rule(float, np.float64)
def float_of(call: Call) -> Any:
    x = call.array(next(iter(call.named)))
    if x.rank or (x.sym.dtype != np.float64 and x.sym.dtype.kind not in "iu"):
        raise NotBatched("float of another type")
    return x.sym if x.sym.dtype == np.float64 else x.sym.astype(np.float64)


@rule(np.argmax, np.argmin, np.cumsum, np.cumprod, np.sort, np.argsort)
def flattening(call: Call) -> Any:
    """Functions that take ``axis=None`` for the elements in one row."""
    a, axis = call.array("a"), call.take("axis")
    if not a.rank:
        raise NotBatched(f"{call.name} of a number")
    if axis is None and a.rank > 1:
        return call.entry.function(np.reshape(a.sym, (call.count, -1)), axis=1, **call.rest())
    return call.entry.function(a.sym, axis=1 if axis is None else moved(axis, a.rank),
                               **call.rest())


@rule(np.roll)
def roll(call: Call) -> Any:
    a, axis = call.array("a"), call.take("axis")
    if axis is None and a.rank != 1:
        raise NotBatched("roll of all axes")
    return np.roll(a.sym, call.same(call.take("shift")), axis=axes_of(axis, a.rank))


@rule(np.take)
def take(call: Call) -> Any:
    a, axis = call.array("a"), call.take("axis")
    if axis is None and a.rank != 1:
        raise NotBatched("take of the elements in one row")
    return np.take(a.sym, call.same(call.take("indices")), axis=axes_of(axis, a.rank),
                   **call.rest())


@rule(np.linalg.norm)
def norm(call: Call) -> Any:
    x, axis, order = call.array("x"), call.take("axis"), call.take("ord")
    if axis is None and (x.rank > 2 or (x.rank == 2 and order not in (None, "fro"))):
        raise NotBatched("this norm of all elements")
    return np.linalg.norm(x.sym, ord=order if x.rank == 1 or axis is not None else None,
                          axis=axes_of(axis, x.rank), **call.rest())


# ---- shapes -------------------------------------------------------------------------------------
@rule(np.reshape)
def reshape(call: Call) -> Any:
    a, shape = call.array("a"), call.shape()
    return np.reshape(a.sym, shape, **call.rest())


@rule(np.ravel, np.ndarray.flatten)
def ravel(call: Call) -> Any:
    a = call.take(next(iter(call.named)))
    if call.rest() or not a.mapped:
        raise NotBatched("the order of the elements in memory")
    return np.reshape(a.sym, (call.count, -1))


@rule(np.transpose)
def transpose(call: Call) -> Any:
    a, axes = call.array("a"), call.take("axes")
    if a.rank < 2:
        return a.sym
    order = range(a.rank, 0, -1) if axes is None else (moved(k, a.rank) for k in axes)
    return np.transpose(a.sym, (0, *order))


@rule(np.swapaxes)
def swapaxes(call: Call) -> Any:
    a = call.array("a")
    return np.swapaxes(a.sym, moved(call.take("axis1"), a.rank), moved(call.take("axis2"), a.rank))


@rule(np.matrix_transpose)
def matrix_transpose(call: Call) -> Any:
    return np.swapaxes(call.array("x").sym, -1, -2)


@rule(np.moveaxis)
def moveaxis(call: Call) -> Any:
    a = call.array("a")
    return np.moveaxis(a.sym, axes_of(call.take("source"), a.rank),
                       axes_of(call.take("destination"), a.rank))


@rule(np.expand_dims)
def expand_dims(call: Call) -> Any:
    a, axis = call.array("a"), call.take("axis")
    more = len(axis) if isinstance(axis, tuple) else 1
    return np.expand_dims(a.sym, axes_of(axis, a.rank + more))


@rule(np.squeeze)
def squeeze(call: Call) -> Any:
    a, axis = call.array("a"), call.take("axis")
    if axis is None:
        raise NotBatched("squeeze of all axes")
    return np.squeeze(a.sym, axes_of(axis, a.rank))


@rule(np.broadcast_to)
def broadcast_to(call: Call) -> Any:
    array, shape = call.array("array"), call.shape()
    return np.broadcast_to(raised(array, len(shape) - 1), shape)


@rule(np.concatenate)
def concatenate(call: Call) -> Any:
    arrays, axis = call.take("arrays"), call.take("axis")
    rank = _rank_of(arrays)
    if axis is None or not rank:
        raise NotBatched("concatenate of the elements in one row")
    return np.concatenate([call.rows(a) for a in arrays], axis=moved(axis, rank), **call.rest())


@rule(np.stack)
def stack(call: Call) -> Any:
    arrays, axis = call.take("arrays"), call.take("axis")
    if isinstance(arrays, Operand):
        return _stacked_list(arrays, axis)
    rank = _rank_of(arrays) + 1
    return np.stack([call.rows(a) for a in arrays], axis=moved(axis, rank), **call.rest())


@rule(np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
def array_of(call: Call) -> Any:
    items = call.take(next(iter(call.named)))
    rest = call.rest()
    if isinstance(items, Operand):
        if items.is_list and not rest:
            return _stacked_list(items, 0)
        return items.sym.apply(call.entry.function, (items.sym,), rest)
    if rest or not isinstance(items, (tuple, list)) or not all(
            isinstance(i, Operand) or type(i) in (int, float) for i in items):
        raise NotBatched("an array of lists")
    if not any(type(i) is float or (isinstance(i, Operand) and i.sym.dtype.kind in "fc")
               for i in items):
        raise NotBatched("an array of whole numbers")
    return np.stack([call.rows(i) for i in items], axis=1)


def _stacked_list(items: Operand, axis: int) -> Any:
    """The rows of a list, each of which has the axis of the examples."""
    elem = items.sym.aval.elem
    if elem is None or not elem.shape or not items.is_list:
        raise NotBatched("a list of unlike items")
    return items.sym.apply(np.stack, (items.sym,), {"axis": moved(axis, len(elem.shape))})


def stacked(items: Operand) -> Operand:
    """A list of each example's own as the array that it stands for."""
    made = _stacked_list(items, 0)
    return Operand(made, made.ndim - 1, True)


def _rank_of(arrays: Any) -> int:
    if not isinstance(arrays, (tuple, list)):
        raise NotBatched("arrays joined that lie in one")
    return max(a.rank if isinstance(a, Operand) else np.ndim(a) for a in arrays)


@rule(np.zeros_like, np.ones_like, np.full_like)
def like(call: Call) -> Any:
    a = call.array("a")
    sizes = {} if call.named["shape"] is None else {"shape": call.shape()}
    return call.entry.function(a.sym, **sizes, **call.rest())


@rule(np.copy, np.round)
def element_by_element(call: Call) -> Any:
    return call.entry.function(call.array("a").sym, **call.rest())


@rule(cast)
def astype(call: Call) -> Any:
    return call.array("a").sym.astype(call.take("dtype"), **call.rest())


@rule(np.tril, np.triu)
def triangle(call: Call) -> Any:
    m = call.array("m")
    if m.rank != 2:
        raise NotBatched(f"{call.name} of {m.rank} axes")
    return call.entry.function(m.sym, **call.rest())


# ---- undoing broadcasts -----------------------------------------------------------------------
@rule(sum_to)
def summed_to(call: Call) -> Any:
    a, shape = call.array("a"), call.shape()
    return sum_to(_without_extra(a, len(shape) - 1), shape)


@rule(sum_to_like)
def summed_like(call: Call) -> Any:
    a, of = call.array("a"), call.take("like")
    sizes = of.sym.shape if of.mapped else (call.count, *of.sym.shape)
    return sum_to(_without_extra(a, of.rank), sizes)


def _without_extra(a: Operand, rank: int) -> Any:
    """The sum over the leading axes of examples that a broadcast has added."""
    extra = a.rank - rank
    return np.sum(a.sym, axis=tuple(range(1, extra + 1))) if extra > 0 else a.sym


@rule(real_like)
def real_part_like(call: Call) -> Any:
    return real_like(call.array("a").sym, call.take("like").sym)


# ---- products -----------------------------------------------------------------------------------
@rule(np.matmul, np.dot)
def matmul(call: Call) -> Any:
    """Vectors of a batch are rows: with one matrix for all they are one product of matrices."""
    a, b = _factors(call)
    if not a.rank or not b.rank:
        if call.entry.function is np.matmul:
            raise NotBatched("matmul of a number")
        rank = max(a.rank, b.rank)
        return raised(a, rank) * raised(b, rank)
    if a.rank == b.rank == 1:
        return _inner(a, b)
    if call.entry.function is np.dot and max(a.rank, b.rank) > 2:
        raise NotBatched("dot of more than two axes")
    if b.rank == 1:
        if not b.mapped:
            return a.sym @ b.sym
        if not a.mapped and a.rank == 2:
            return b.sym @ a.sym.T
        return (a.sym @ b.sym[..., None])[..., 0]
    if a.rank == 1:
        if b.mapped and a.mapped:
            return (a.sym[:, None, :] @ b.sym)[:, 0]
        return a.sym @ b.sym
    rank = max(a.rank, b.rank)
    return raised(a, rank) @ raised(b, rank)


def _factors(call: Call) -> tuple[Operand, Operand]:
    names = [n for n in call.named if n in ("x1", "x2", "a", "b")]
    first, second = (call.take(n) for n in names)
    if call.rest() or not (isinstance(first, Operand) and isinstance(second, Operand)):
        raise NotBatched(f"{call.name} with options")
    return first, second


def _inner(a: Operand, b: Operand) -> Any:
    if not b.mapped:
        return a.sym @ b.sym
    if not a.mapped:
        return b.sym @ a.sym
    return np.einsum("ij,ij->i", a.sym, b.sym)


@rule(np.inner, np.vdot)
def inner(call: Call) -> Any:
    a, b = _factors(call)
    if a.rank != 1 or b.rank != 1 or (
            call.entry.function is np.vdot and a.sym.dtype.kind == "c"):
        raise NotBatched(f"this {call.name}")
    return _inner(a, b)


@rule(np.outer)
def outer(call: Call) -> Any:
    a, b = _factors(call)
    if a.rank != 1 or b.rank != 1:
        raise NotBatched("outer of other than vectors")
    return a.sym[..., :, None] * b.sym[..., None, :]


@rule(np.einsum)
def einsum(call: Call) -> Any:
    subscripts, *operands = call.take("operands")
    rest = call.rest()
    if rest.keys() - {"optimize"} or not isinstance(subscripts, str) or "->" not in subscripts or (
            "." in subscripts):
        raise NotBatched("this form of einsum")
    inputs, output = subscripts.replace(" ", "").split("->")
    new = next((c for c in string.ascii_letters if c not in subscripts), None)
    terms = inputs.split(",")
    if new is None or len(terms) != len(operands):
        raise NotBatched("this form of einsum")
    mapped = [isinstance(o, Operand) and o.mapped for o in operands]
    terms = [new + t if m else t for t, m in zip(terms, mapped, strict=True)]
    return np.einsum(f"{','.join(terms)}->{new}{output}",
                     *(o.sym if isinstance(o, Operand) else o for o in operands),
                     **rest)


@rule(np.linalg.inv, np.linalg.det, np.linalg.cholesky, np.linalg.pinv, np.linalg.eigh,
      np.linalg.eigvalsh, np.linalg.slogdet, np.linalg.svd, np.linalg.qr)
def stacked_matrices(call: Call) -> Any:
    """NumPy's linear algebra takes stacks of matrices."""
    a = call.array("a")
    if a.rank != 2:
        raise NotBatched(f"{call.name} of a stack of each example")
    return call.entry.function(a.sym, **call.rest())


@rule(np.linalg.solve)
def solve(call: Call) -> Any:
    a, b = call.take("a"), call.take("b")
    if not (isinstance(a, Operand) and isinstance(b, Operand)) or a.rank != 2:
        raise NotBatched("this form of solve")
    if not a.mapped and b.rank == 1:  # one factorisation serves all right-hand sides
        return np.linalg.solve(a.sym, b.sym.T).T
    if b.rank == 1:
        return np.linalg.solve(a.sym, b.sym[..., None])[..., 0]
    if b.rank != 2:
        raise NotBatched("solve with a stack of right-hand sides")
    return np.linalg.solve(a.sym, b.sym)


# Functions element by element that are no ufuncs.
_POINTWISE: frozenset[Any] = frozenset({np.angle, np.clip, np.i0, np.imag, np.nan_to_num, np.real,
                                        np.sinc, np.where})
_POINTWISE_MODULES = frozenset({
    *(f"srcgrad.rules.nn.{family}" for family in (
        "bessel", "blends", "error_function", "flat_functions", "gamma_functions",
        "special_functions")), "srcgrad.rules.numpy.elementary"})


def is_elementwise(entry: Entry) -> bool:
    """Do the operands broadcast against each other, element by element?"""
    function = entry.function
    if isinstance(function, np.ufunc):
        return function.signature is None
    return function in _POINTWISE or (
        entry.broadcasts and getattr(function, "__module__", None) in _POINTWISE_MODULES)
