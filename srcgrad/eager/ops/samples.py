"""Functions of samples: differences, integrals, quantiles, covariances, gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Tensor, dt, op, wrap
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arithmetic import halved, times_number
from srcgrad.eager.ops.blending import complex_, lerp
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.joining import cat
from srcgrad.eager.ops.pointwise import as_floating
from srcgrad.eager.ops.rearranging import narrow
from srcgrad.eager.ops.shapes import reshape, squeeze_fresh, unsqueeze, wrap_dim, wrap_each
from srcgrad.eager.ops.statistics import sort

# -- differences and integrals -------------------------------------------------------------


@op()
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along a dimension, ``n`` times."""
    refuse(input._a.ndim == 0, "diff expects input to be at least one-dimensional")
    refuse(n < 0, "order must be non-negative but got {}", n)
    i = wrap_dim(dim, input)
    if n == 0:
        return input.new_zeros(input._a.shape).copy_(input)
    for t in (prepend, append):
        if t is not None and t._a.ndim != input._a.ndim:
            raise RuntimeError("diff expects prepend or append to be the same dimension as input")
        for d, (m, k) in enumerate(() if t is None else zip(input._a.shape, t._a.shape)):
            refuse(d != i and m != k, "diff expects the shape of tensor to prepend or append to "
                   "match that of input except along the differencing dimension; input.size({}) = "
                   "{}, but got tensor.size({}) = {}", d, m, d, k)
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
        refuse(x._a.ndim == 0, "{}: There must be one `x` value for each sample point, but got a "
               "0-dim tensor", name)
        along = i if x._a.ndim == y._a.ndim else 0
        if x._a.shape[along] != n:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        dx = diff(x, 1, along)
        if x._a.ndim == 1 and y._a.ndim > 1:
            dx = reshape(dx, *(n - 1 if d == i else 1 for d in range(y._a.ndim)))
    return narrow(y, i, 0, max(n - 1, 0)), narrow(y, i, min(n, 1), max(n - 1, 0)), dx, i


@op(method=False, out=False, aliases=("trapz",))
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


@op(method=False, out=False)
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Any:
    """The running integral by the trapezoidal rule."""
    early, late, step, i = _trapezoids("cumulative_trapezoid", y, x, 1 if dx is None else dx, dim)
    if isinstance(step, Tensor):
        return halved(((early + late) * step).cumsum(i))
    return times_number(early + late, step / 2).cumsum(i)


# -- quantiles -----------------------------------------------------------------------------


def _quantile(name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool,
              interpolation: str, skip_nan: bool) -> Any:
    refuse(input._a.size == 0, "quantile() input tensor must be non-empty")
    if input._dt not in (dt.float32, dt.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, "
                           f"midpoint or nearest, but got {interpolation}")
    scalar = not isinstance(q, Tensor)
    refuse(scalar and not 0 <= q <= 1, "{}() q must be in the range [0, 1] but got {:g}", name, q)
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
    rounded = {"lower": np.floor, "higher": np.ceil, "nearest": np.rint}.get(interpolation)
    ranks = ranks if rounded is None else rounded(ranks)
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


@op(out=False)
def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
        aweights: Tensor | None = None) -> Any:
    """The covariance matrix of variables (rows) over observations (columns)."""
    refuse(input._a.ndim > 2, "cov(): expected input to have two or fewer dimensions but got an "
           "input with {} dimensions", input._a.ndim)
    refuse(input._dt is dt.bool_, "cov(): bool dtype is not supported for input")
    observed = int(input._a.shape[-1]) if input._a.ndim else 1
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None and given._a.ndim > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got "
                               f"{name} with {given._a.ndim} dimensions")
        if given is not None and (given._dt.category != dt.INTEGRAL if name == "fweights"
                                  else given._dt.category != dt.FLOATING):
            kind = "integral" if name == "fweights" else "floating point"
            raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with "
                               f"{given._dt.tensor_name} dtype")
        if given is not None and given._a.size != observed:
            raise RuntimeError(f"cov(): expected {name} to have the same numel as there are "
                               f"observations in the input but got {given._a.size} != {observed}")
        refuse(given is not None and (given._a < 0).any(), "cov(): {} cannot be negative", name)
    rows = reshape(input, 1, -1) if input._a.ndim < 2 else input
    rows = as_floating(rows)
    weights = None
    for given in (fweights, aweights):
        if given is not None:
            w = convert(given, rows._dt) if given._dt.category < dt.FLOATING else given
            weights = w if weights is None else weights * w
    n = rows._a.shape[1]
    total: Any = n if weights is None else weights.sum()
    mean = (rows if weights is None else rows * weights).sum(1) / total
    free: Any = total - correction
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
    refuse(input._a.ndim > 2, "corrcoef(): expected input to have two or fewer dimensions but got "
           "an input with {} dimensions", input._a.ndim)
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
    refuse(x._a.ndim != 1, "x must be a one-dimensional tensor.")
    n = x._a.shape[0] if N is None else N
    columns = [(x * 0 + 1) if k == 0 else x**k for k in range(n)]
    if not increasing:
        columns.reverse()
    out = [unsqueeze(c, 1) for c in columns]
    return cat(out, 1) if out else wrap(np.empty((x._a.shape[0], 0), x._a.dtype), x._dt)


# -- numerical gradients -------------------------------------------------------------------


@op(method=False, out=False)
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> Any:
    """Differences that approximate the derivative along each dimension, as a list."""
    spacing = 1 if spacing is None else spacing
    refuse(edge_order not in (1, 2), "torch.gradient only supports edge_order=1 and edge_order=2.")
    n = input._a.ndim
    dims = tuple(range(n)) if dim is None else wrap_each(
        dim if isinstance(dim, tuple | list) else (dim,), input)
    given = list(spacing) if isinstance(spacing, tuple | list) else [spacing] * len(dims)
    if isinstance(spacing, Tensor):
        given = [spacing]
    refuse(len(given) != len(dims) and dim is not None, "torch.gradient expected spacing to be "
           "unspecified, a scalar or it's spacing and dim arguments to have the same length, but "
           "got a spacing argument of length {} and a dim argument of length {}.",
           len(given), len(dims))
    refuse(len(given) != len(dims), "torch.gradient expected spacing to be unspecified, a scalar, "
           "or a list of length equal to 'self.dim() = {}', but got a list of length {}",
           n, len(given))
    return tuple(_one_gradient(input, d, h, edge_order) for d, h in zip(dims, given))


def _one_gradient(f: Tensor, dim: int, spacing: Any, edge_order: int) -> Tensor:
    n = f._a.shape[dim]
    refuse(n < edge_order + 1, "torch.gradient expected each dimension size to be at least "
           "edge_order+1")

    def part(start: int, length: int) -> Tensor:
        return narrow(f, dim, start, length)

    if isinstance(spacing, Tensor) and spacing._a.ndim:
        shape = [-1 if d == dim else 1 for d in range(f._a.ndim)]
        steps = reshape(narrow(spacing, 0, 1, n - 1) - narrow(spacing, 0, 0, n - 1), *shape)
        left, right = narrow(steps, dim, 0, n - 2), narrow(steps, dim, 1, n - 2)
        inner = (part(0, n - 2) * (-right / (left * (left + right)))
                 + part(1, n - 2) * ((right - left) / (left * right))
                 + part(2, n - 2) * (left / (right * (left + right))))
        first, last = narrow(steps, dim, 0, 1), narrow(steps, dim, n - 2, 1)
        second = narrow(steps, dim, 1, 1) if n > 2 else first
        before = narrow(steps, dim, n - 3, 1) if n > 2 else last
    else:
        first = last = second = before = spacing
        inner = (part(2, n - 2) - part(0, n - 2)) / (2 * spacing)
    if edge_order == 1:
        low = (part(1, 1) - part(0, 1)) / first
        high = (part(n - 1, 1) - part(n - 2, 1)) / last
    else:
        both, ends = first + second, before + last
        low = (part(1, 1) * (both / (first * second)) - part(2, 1) * (first / (second * both))
               - part(0, 1) * ((2 * first + second) / (first * both)))
        high = (part(n - 1, 1) * ((2 * last + before) / (last * ends))
                - part(n - 2, 1) * (ends / (last * before))
                + part(n - 3, 1) * (last / (before * ends)))
    return cat([low, inner, high], dim)  # type: ignore[no-any-return]
