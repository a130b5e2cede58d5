"""Functions of samples: differences, integrals, quantiles, covariances, histograms, sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import bad_argument, op, register
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import not_implemented
from srcgrad.eager.ops.arithmetic import halved, times_number
from srcgrad.eager.ops.blending import complex_, lerp
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.joining import cat
from srcgrad.eager.ops.norms import vector_norm
from srcgrad.eager.ops.rearranging import narrow
from srcgrad.eager.ops.shapes import expand, reshape, squeeze_fresh, unsqueeze, wrap_dim
from srcgrad.eager.ops.statistics import sort
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.promotion import check_broadcast
from srcgrad.eager.size import Size
from srcgrad.eager.tensor import Array, Tensor, wrap
from srcgrad.rules import activations
from srcgrad.rules.placing import unique_values

_PRELU = Primitive(activations.prelu, "PreluKernelBackward0", shown={"input": "self"}, main=False)


@op(out=False)
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``input`` where positive, else times ``weight`` (one number, or one per channel)."""
    if weight._a.ndim == 0:
        return _PRELU(input, weight)
    channels = input._a.shape[1] if input._a.ndim > 1 else 1
    if weight._a.size not in (1, channels):
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{weight._a.size} and channel size = {channels}.")
    shape = [1] * max(input._a.ndim, 1)
    if input._a.ndim > 1:
        shape[1] = weight._a.size
    return _PRELU(input, reshape(weight, *shape))


@op(method=False, out=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along ``dim``."""
    check_broadcast(x1, x2)
    shape = np.broadcast_shapes(x1._a.shape, x2._a.shape)
    a, b = (t if t._a.shape == shape else expand(t, shape) for t in (x1, x2))
    lengths = []
    for t in (a, b):
        length = vector_norm(t, 2, dim, True)
        lengths.append(length.clamp_min(eps))
    return ((a / lengths[0]) * (b / lengths[1])).sum(dim)


# -- differences and integrals -------------------------------------------------------------


@op()
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along a dimension, ``n`` times."""
    if input._a.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    i = wrap_dim(dim, input)
    if n == 0:
        return input.new_zeros(input._a.shape).copy_(input)
    parts = [t for t in (prepend, input, append) if t is not None]
    out = cat(parts, i) if len(parts) > 1 else input
    for _ in range(min(n, out._a.shape[i])):
        length = out._a.shape[i] - 1
        late, early = narrow(out, i, 1, length), narrow(out, i, 0, length)
        out = late.logical_xor(early) if out._dt is dt.bool_ else late - early
    return out


def _trapezoids(name: str, y: Tensor, x: Any, dx: Any, dim: int) -> tuple[Any, Any, Any, int]:
    i = wrap_dim(dim, y)
    n = y._a.shape[i]
    if isinstance(x, Tensor):
        if x._a.ndim == 0:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point, but "
                               "got a 0-dim tensor")
        along = i if x._a.ndim == y._a.ndim else 0
        if x._a.shape[along] != n:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        dx = diff(x, 1, along)
        if x._a.ndim == 1 and y._a.ndim > 1:
            dx = reshape(dx, *(n - 1 if d == i else 1 for d in range(y._a.ndim)))
    return narrow(y, i, 0, max(n - 1, 0)), narrow(y, i, 1, max(n - 1, 0)), dx, i


def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The integral by the trapezoidal rule."""
    if y._a.shape and y._a.shape[wrap_dim(dim, y)] == 0:
        return y.sum(dim)
    early, late, step, i = _trapezoids("trapezoid", y, x, 1 if dx is None else dx, dim)
    if isinstance(step, Tensor):
        return halved(((early + late) * step).sum(i))
    n = y._a.shape[i]
    ends = y.select(i, 0) + y.select(i, n - 1)
    return times_number(times_number(y.sum(i), 2) - ends, step / 2)


def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The running integral by the trapezoidal rule."""
    early, late, step, i = _trapezoids("cumulative_trapezoid", y, x, 1 if dx is None else dx, dim)
    if isinstance(step, Tensor):
        return halved(((early + late) * step).cumsum(i))
    return times_number(early + late, step / 2).cumsum(i)


register(("trapezoid", "trapz"), trapezoid, method=False)
register("cumulative_trapezoid", cumulative_trapezoid, method=False)


# -- quantiles -----------------------------------------------------------------------------


def _quantile(name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool,
              interpolation: str, skip_nan: bool) -> Any:
    if input._dt not in (dt.float32, dt.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if input._a.size == 0:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint "
                           f"or nearest, but got {interpolation}")
    scalar = not isinstance(q, Tensor)
    if scalar and not 0 <= q <= 1:
        raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q:g}")
    wanted = np.asarray([q] if scalar else q._a, input._dt.numpy)
    moving = not scalar and q.requires_grad and interpolation in ("linear", "midpoint")
    if not scalar and q._dt is not input._dt:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if (wanted < 0).any() or (wanted > 1).any():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    points = wanted.reshape(-1)
    if dim is None:
        line = reshape(input, -1)
        i = 0
    else:
        i = wrap_dim(dim, input)
        line = input.movedim(i, -1) if input._a.ndim else reshape(input, 1)
    ordered = sort(line, -1)[0]
    below, above, weights = _ranks(ordered._a, points, interpolation, skip_nan)
    result = ordered.gather(-1, wrap(below, dt.int64))
    if interpolation in ("linear", "midpoint"):
        high = ordered.gather(-1, wrap(above, dt.int64))
        share = wrap(weights, input._dt)
        if moving and interpolation == "linear":  # the weights' gradient: ranks over quantiles
            last = ordered._a.shape[-1] - 1 - (
                np.isnan(ordered._a).sum(-1, keepdims=True) if skip_nan else 0)
            ranks = reshape(q, -1) * wrap(np.asarray(last, input._dt.numpy), input._dt)
            share = share + (ranks - ranks.detach())
        result = lerp(result, high, share)
    if keepdim:
        shape = tuple(1 if dim is None or d == i else n for d, n in enumerate(input._a.shape))
        moved = result.movedim(-1, 0)
        result = reshape(moved, len(points), *shape)
        if scalar or q._a.ndim == 0:
            return named(reshape(result, shape), "SqueezeBackward4")
        return result
    if scalar or q._a.ndim == 0:
        return named(squeeze_fresh(result, -1), "SqueezeBackward4")
    return result.movedim(-1, 0)


def _ranks(ordered: Array, points: Array, interpolation: str,
           skip_nan: bool) -> tuple[Array, Array, Array]:
    n = ordered.shape[-1]
    missing = np.isnan(ordered).sum(-1, keepdims=True)
    if skip_nan:
        last = np.maximum(n - missing - 1, 0).astype(ordered.dtype)
        ranks = points * last
    else:
        ranks = np.broadcast_to(points * ordered.dtype.type(n - 1),
                                (*ordered.shape[:-1], points.size))
        ranks = np.where(missing > 0, ordered.dtype.type(n - 1), ranks)
    if interpolation == "lower":
        ranks = np.floor(ranks)
    elif interpolation == "higher":
        ranks = np.ceil(ranks)
    elif interpolation == "nearest":
        ranks = np.rint(ranks)
    below = ranks.astype(np.int64)
    weights = np.full_like(ranks, 0.5) if interpolation == "midpoint" else ranks - below
    return below, np.ceil(ranks).astype(np.int64), weights.astype(ordered.dtype)


@op()
def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *,
             interpolation: str = "linear") -> Any:
    """Quantiles of all elements, or along a dimension."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@op()
def nanquantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *,
                interpolation: str = "linear") -> Any:
    """:func:`quantile` of the elements that are not NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


# -- covariances ---------------------------------------------------------------------------


def rows_of(input: Tensor) -> int:
    """How many observations there are of each variable."""
    return int(input._a.shape[-1]) if input._a.ndim else 1


@op(out=False)
def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
        aweights: Tensor | None = None) -> Any:
    """The covariance matrix of variables (rows) over observations (columns)."""
    if input._a.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an "
                           f"input with {input._a.ndim} dimensions")
    if input._dt is dt.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None and given._a.ndim > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got "
                               f"{name} with {given._a.ndim} dimensions")
        if given is not None and (given._dt.category != dt.INTEGRAL if name == "fweights"
                                  else given._dt.category != dt.FLOATING):
            kind = "integral" if name == "fweights" else "floating point"
            raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with "
                               f"{given._dt.tensor_name} dtype")
        if given is not None and given._a.size != rows_of(input):
            raise RuntimeError(f"cov(): expected {name} to have the same numel as there are "
                               f"observations in the input but got {given._a.size} != "
                               f"{rows_of(input)}")
        if given is not None and (given._a < 0).any():
            raise RuntimeError(f"cov(): {name} cannot be negative")
    rows = reshape(input, 1, -1) if input._a.ndim < 2 else input
    rows = rows if rows._dt.category >= dt.FLOATING else convert(rows, dt.get_default_dtype())
    weights = None
    for given in (fweights, aweights):
        if given is not None:
            w = convert(given, rows._dt) if given._dt.category < dt.FLOATING else given
            weights = w if weights is None else weights * w
    n = rows._a.shape[1]
    total: Any = n if weights is None else weights.sum()
    if weights is None:
        mean = rows.sum(1) / n
        free: Any = n - correction
    else:
        mean = (rows * weights).sum(1) / total
        free = total - correction
        if aweights is not None:
            free = total - correction * (weights * aweights).sum() / total
    centred = rows - unsqueeze(mean, 1)
    right = (centred if weights is None else centred * weights).t()
    if isinstance(free, int):
        free = max(free, 0)
    elif not free.is_complex():
        free = free.clamp_min(0)
    return (centred @ right.conj() / free).squeeze()


@op(out=False)
def corrcoef(input: Tensor) -> Any:
    """The correlation matrix of variables (rows)."""
    if input._a.ndim > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an "
                           f"input with {input._a.ndim} dimensions")
    c = cov(input)
    if c._a.ndim == 0:
        return c / c
    scale = c.diagonal().sqrt()
    out = c / unsqueeze(scale, 1) / unsqueeze(scale, 0)
    if out.is_complex():
        return complex_(out.real.clip(-1, 1), out.imag.clip(-1, 1))
    return out.clip(-1, 1)


@op(method=False, out=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """Columns of powers of a vector, the highest first unless ``increasing``."""
    if x._a.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x._a.shape[0] if N is None else N
    columns = [(x * 0 + 1) if k == 0 else x**k for k in range(n)]
    if not increasing:
        columns.reverse()
    out = [unsqueeze(c, 1) for c in columns]
    return cat(out, 1) if out else wrap(np.empty((x._a.shape[0], 0), x._a.dtype), x._dt)


# -- counting ------------------------------------------------------------------------------


@op()
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Counts in ``bins`` equal intervals between ``min`` and ``max`` (of the data if equal)."""
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if input._dt.category != dt.FLOATING:
        raise not_implemented("histogram_cpu", input._dt)
    a = input._a.ravel()
    low, high = float(min), float(max)
    if low == high and a.size:
        low, high = float(a.min()), float(a.max())
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("max must be larger than min")
    inside = a[(a >= low) & (a <= high)]
    places = np.minimum(((inside - low) * (bins / (high - low))).astype(np.int64), bins - 1)
    return wrap(np.bincount(places, minlength=bins).astype(input._dt.numpy), input._dt)


@op(out=False)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number occurs (or the sum of its weights)."""
    if input._dt.category >= dt.FLOATING:
        raise not_implemented("bincount_cpu", input._dt)
    if input._a.ndim != 1 or (
            input._a.size and input._a.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is None:
        return wrap(np.bincount(input._a, minlength=minlength).astype(np.int64), dt.int64)
    if weights._a.shape != input._a.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counts = np.bincount(input._a, weights._a, minlength)
    d = weights._dt if weights._dt is dt.float32 else dt.float64
    return wrap(counts.astype(d.numpy), d)


def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Tensor | None = None, out: Tensor | None = None,
) -> Tensor:
    """Where to insert numbers into sorted rows to keep the order."""
    if side is not None and side not in ("left", "right"):
        raise RuntimeError("torch.searchsorted(): side can only be 'left' or 'right' but got "
                           f"{side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got "
                           "side of left while right was True")
    how: Any = "right" if right or side == "right" else "left"
    s = sorted_sequence._a
    if sorter is not None:
        s = np.take_along_axis(s, sorter._a, -1)
    values = input._a if isinstance(input, Tensor) else np.asarray(input, s.dtype)
    d = dt.int32 if out_int32 else dt.int64
    if s.ndim == 1:
        found = np.searchsorted(s, values, how)
    else:
        if s.shape[:-1] != values.shape[:-1]:
            raise RuntimeError(
                "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
                "dimensions of boundaries tensor and input value tensor must match, but we got "
                f"boundaries tensor {list(s.shape)} and input value tensor {list(values.shape)}")
        found = np.empty(values.shape, np.int64)
        for row in np.ndindex(s.shape[:-1]):
            found[row] = np.searchsorted(s[row], values[row], how)
    t = wrap(np.asarray(found).astype(d.numpy), d)
    if out is not None:
        out.copy_(t)
        return out
    return t


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False,
              out: Tensor | None = None) -> Tensor:
    """Which interval between boundaries each number falls into."""
    if boundaries._a.ndim != 1:
        raise RuntimeError("boundaries tensor must be 1 dimension, but got dim("
                           f"{boundaries._a.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)


register("searchsorted", searchsorted, method=False)
register("bucketize", bucketize, method=False)


# -- sets ----------------------------------------------------------------------------------

_UNIQUE = Primitive(unique_values, "Unique2Backward0")


@op(out=False)
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False,
           return_counts: bool = False, dim: int | None = None) -> Any:
    """The different elements (or slices along ``dim``), in order."""
    i = None if dim is None else wrap_dim(dim, input)
    values, inverse, counts = np.unique(
        input._a, return_inverse=True, return_counts=True, axis=i)
    inverse = inverse.reshape(input._a.shape if i is None else (-1,))
    made = _UNIQUE.finish(values, (input,), {}, input._dt)
    return _selected(made, inverse, counts, return_inverse, return_counts)


def _selected(values: Tensor, inverse: Array, counts: Array, with_inverse: bool,
              with_counts: bool) -> Any:
    out: list[Any] = [values]
    if with_inverse:
        out.append(wrap(np.ascontiguousarray(inverse, np.int64).reshape(inverse.shape), dt.int64))
    if with_counts:
        out.append(wrap(counts.astype(np.int64), dt.int64))
    return values if len(out) == 1 else tuple(out)


@op(out=False)
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False,
                       dim: int | None = None) -> Any:
    """The elements (or slices) that differ from the one before."""
    if dim is None:
        lines = input._a.reshape(-1, 1)
        i = 0
    else:
        i = wrap_dim(dim, input)
        lines = np.moveaxis(input._a, i, 0).reshape(input._a.shape[i], -1)
    n = lines.shape[0]
    fresh = np.ones(n, bool)
    if n > 1:
        fresh[1:] = (lines[1:] != lines[:-1]).any(1)
    starts = np.flatnonzero(fresh)
    values = input._a.ravel()[starts] if dim is None else np.take(input._a, starts, i)
    inverse = np.cumsum(fresh) - 1
    counts = np.diff(np.append(starts, n))
    if dim is None:
        inverse = inverse.reshape(input._a.shape)
    return _selected(wrap(values, input._dt), inverse, counts, return_inverse, return_counts)


@op(method=False, out=False)
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False,
         invert: bool = False) -> Tensor:
    """Where elements occur among ``test_elements``."""
    a, b = (v._a if isinstance(v, Tensor) else np.asarray(v) for v in (elements, test_elements))
    return wrap(np.asarray(np.isin(a, b, invert=invert)), dt.bool_)


# -- about tensors -------------------------------------------------------------------------


@op(method=False, out=False)
def numel(input: Tensor) -> int:
    """The number of elements."""
    return int(input._a.size)


def _about(name: str) -> None:
    def ask(input: Tensor) -> Any:
        if not isinstance(input, Tensor):
            raise bad_argument(name, "input", 1, "Tensor", input)
        return getattr(input, name)()

    ask.__name__ = name
    register(name, ask, method=False)


for _name in ("is_floating_point", "is_complex", "is_nonzero", "is_signed", "is_inference"):
    _about(_name)


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return bool(input._a.shape == other._a.shape)


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape to which all the given ones broadcast."""
    from_lists = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max((len(s) for s in from_lists), default=0)
    out = [1] * n
    for k, s in enumerate(from_lists):
        for j in range(-1, -1 - len(s), -1):
            if s[j] < 0:
                raise RuntimeError(f"Trying to create tensor with negative dimension ({s[j]}): "
                                   f"({s[j]})")
            if s[j] != 1 and s[j] != out[j]:
                if out[j] != 1:
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {s[j]} at {j}! Mismatching "
                        f"argument at index {k} had {s}; but expected shape should be "
                        f"broadcastable to {out}")
                out[j] = s[j]
    return Size(out)


_threads = [1]


def get_num_threads() -> int:
    """How many threads operations use: NumPy's libraries decide; the number set here."""
    return _threads[0]


def set_num_threads(n: int) -> None:
    """Remember a number of threads; NumPy's libraries read theirs from the environment."""
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    _threads[0] = n


for _function in (is_tensor, is_same_size, broadcast_shapes, get_num_threads, set_num_threads):
    register(_function.__name__, _function, method=False)
