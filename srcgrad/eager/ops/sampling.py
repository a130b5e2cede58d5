"""Random numbers: new tensors and in-place fillings, from PyTorch's CPU generator stream."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, register, store, wrap
from srcgrad.eager.ops.arguments import not_implemented, refuse_kinds
from srcgrad.eager.ops.creation import creator, laid_like, size_of
from srcgrad.eager.overloads import combination_error
from srcgrad.eager.promotion import check_broadcast, stored_number
from srcgrad.eager.random import Generator, default_generator
from srcgrad.eager.random import distributions as draw
from srcgrad.eager.strides import refuse_negative
from srcgrad.eager.writes import apply_in_place
from srcgrad.rules.nn.blends import masked_fill

_EVERYWHERE = wrap(np.asarray(True), dt.bool_)


def _placed(values: Array, like: Array) -> Array:
    """Numbers drawn in a row, laid out in the memory order of ``like``."""
    if like.flags.c_contiguous:
        return values.reshape(like.shape)
    order = sorted(range(like.ndim), key=lambda i: -abs(like.strides[i]))
    moved = values.reshape([like.shape[i] for i in order])
    return moved.transpose([order.index(i) for i in range(like.ndim)])


def _is_half(d: dt.dtype) -> bool:
    return d in (dt.float16, dt.bfloat16)


def uniform_values(g: Generator, like: Array, d: dt.dtype, low: float, high: float) -> Array:
    """Uniform numbers in [low, high) for an array of dtype ``d``."""
    if d.category == dt.COMPLEX:
        pairs = draw.uniform(g, 2 * like.size, low, high, d is dt.complex128)
        return _placed(pairs.view(d.numpy), like)
    values = draw.uniform(g, like.size, low, high, d is dt.float64)
    out = store(d, values)
    if _is_half(d):
        out = np.where(out == out.dtype.type(high), out.dtype.type(low), out)
    return _placed(out, like)


def normal_values(g: Generator, like: Array, d: dt.dtype, mean: float, std: float) -> Array:
    """Normal numbers for an array of dtype ``d``."""
    contiguous = bool(like.flags.c_contiguous)
    if d.category == dt.COMPLEX:
        pairs = draw.normal(g, 2 * like.size, 0.0, std / math.sqrt(2), d is dt.complex128, False,
                            contiguous)
        real = pairs.astype(d.to_real().numpy)
        return _placed(real.view(d.numpy) + d.numpy.type(mean), like)
    values = draw.normal(g, like.size, mean, std, d is dt.float64, _is_half(d), contiguous)
    return _placed(store(d, values), like)


def _created(name: str, fill: Callable[..., Array]) -> Callable[..., Tensor]:
    def create(*sizes: Any, size: Any = None, generator: Generator | None = None, names: Any = None,
               d: dt.dtype | None = None) -> Tensor:
        refuse(names is not None, "named tensors are not supported")
        if not sizes and size is None:
            raise TypeError("argument 'size' must be tuple of ints, not NoneType")
        shape = size_of(sizes if size is None else (size,))
        return _filled(fill, shape, d or dt.get_default_dtype(), generator)

    def like(input: Tensor, *, memory_format: Any = None, generator: Generator | None = None,
             d: dt.dtype | None = None) -> Tensor:
        with (g := generator or default_generator).lock:
            return laid_like(input, d, lambda a, d: fill(g, a, d))

    creator(like, name + "_like")
    return creator(create, name)


def _filled(fill: Callable[..., Array], shape: tuple[int, ...], d: dt.dtype,
            generator: Generator | None) -> Tensor:
    with (g := generator or default_generator).lock:
        return wrap(np.ascontiguousarray(fill(g, np.empty(shape, d.numpy), d)).reshape(shape), d)


def _rand(g: Generator, like: Array, d: dt.dtype) -> Array:
    refuse_kinds("biu", "check_uniform_bounds", d)
    return uniform_values(g, like, d, 0.0, 1.0)


def _randn(g: Generator, like: Array, d: dt.dtype) -> Array:
    refuse_kinds("biu", "normal_kernel_cpu", d)
    return normal_values(g, like, d, 0.0, 1.0)


rand = _created("rand", _rand)
randn = _created("randn", _randn)

# -- integers ------------------------------------------------------------------------------

_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def _spans(d: dt.dtype) -> tuple[float, float]:
    """The least and the largest number of a real dtype."""
    if d is dt.bool_:
        return 0, 1
    info: Any = np.iinfo(d.numpy) if d.category == dt.INTEGRAL else dt.finfo(d)
    return info.min, info.max


def _refuse_outside(d: dt.dtype, **bounds: float) -> None:
    """Raise if a bound is no number of dtype ``d``."""
    least, most = _spans(d)
    for label, value in bounds.items():
        refuse(not least <= value <= most, "{} is out of bounds for {}", label, d.c_name)


def _nearest(bound: int, step: int, d: dt.dtype) -> int:
    """``bound``, or the next one beyond ``step`` that numbers of ``d`` can tell from it."""
    beyond = int(float(store(d, np.asarray(float(bound + step)))))
    if beyond >= bound if step > 0 else beyond < bound:
        return bound
    return beyond + step * (1 << (abs(bound + step).bit_length() - _DIGITS[d.name]))


def _checked_range(low: int, high: int, d: dt.dtype) -> tuple[int, int]:
    """Bounds of whole numbers for dtype ``d``, as PyTorch rounds them for floats."""
    refuse(low >= high, "random_ expects 'from' to be less than 'to', but got from={} >= to={}",
           low, high)
    digits = _DIGITS.get(d.name)
    if digits:
        _refuse_outside(d, **{"from": low, "to - 1": high - 1})
        low, high = _nearest(low, 1, d), _nearest(high, -1, d)
    _refuse_outside(d, **{"from": low, "to - 1": high - 1})
    for label, value in (("from", low), ("to - 1", high - 1)):
        if digits and abs(value) > 1 << digits:
            warnings.warn(
                f"{label} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision "
                f"limitations {d.c_name} can support discrete uniform distribution only "
                "within this range. This warning will become an error in version 1.7 release, "
                "please fix the code in advance", UserWarning, stacklevel=4)
    return low, high


def _randint(low: int, high: int, shape: tuple[int, ...], d: dt.dtype,
             generator: Generator | None) -> Tensor:
    low, high = _checked_range(low, high, d)
    with (g := generator or default_generator).lock:
        values = draw.integers(g, math.prod(shape), low, high - low)
    return wrap(store(d, values.reshape(shape)), d)


@creator
def randint(*args: Any, low: Any = None, high: Any = None, size: Any = None,
            generator: Generator | None = None, d: dt.dtype | None = None) -> Tensor:
    """Integers in [low, high): ``randint(high, size)`` or ``randint(low, high, size)``."""
    given = list(args)
    if size is None and given and isinstance(given[-1], tuple | list):
        size = given.pop()
    if len(given) == 2:
        low, high = given
    elif len(given) == 1:
        low, high = (low, given[0]) if high is None else (given[0], high)
    if high is None or size is None:
        if size is None and len(args) == 2:
            raise TypeError("randint(): argument 'size' (position 2) must be tuple of ints, not "
                            f"{type(args[1]).__name__}")
        raise TypeError("argument 'size' must be tuple of ints, not NoneType")
    return _randint(int(low or 0), int(high), size_of((size,)), d or dt.int64, generator)


@creator
def randint_like(input: Tensor, low: int, high: int | None = None, *,
                 generator: Generator | None = None, memory_format: Any = None,
                 d: dt.dtype | None = None) -> Tensor:
    """Integers in [low, high), or [0, low), in the shape of ``input``."""
    low, high = (0, low) if high is None else (low, high)
    return _randint(low, high, input._a.shape, d or input._dt, generator)


@creator
def randperm(n: int, *, generator: Generator | None = None,
             d: dt.dtype | None = None) -> Tensor:
    """The integers from 0 to ``n - 1`` in a random order."""
    refuse_negative((n,))
    d = d or dt.int64
    refuse_kinds("b", "randperm", d)
    stored_number(d, max(n - 1, 0))
    if d is not dt.bfloat16 and n > 2 ** _DIGITS.get(d.name, 63) + 1:
        raise RuntimeError(f"n cannot be greater than {2 ** _DIGITS[d.name] + 1} for "
                           f"{d.tensor_name} type.")
    with (g := generator or default_generator).lock:
        return wrap(store(d, draw.permutation(g, n)), d)


# -- in place ------------------------------------------------------------------------------


def _filling(name: str, kernel: str, values: Callable[..., Array], *, whole: bool = False) -> None:
    """Declare ``Tensor.<name>``, which overwrites with drawn numbers."""
    prim = Primitive(masked_fill, name.rstrip("_").capitalize().replace("_n", "N") + "Backward0")

    def written(self: Tensor, *args: Any, generator: Generator | None = None,
                **kwargs: Any) -> Tensor:
        if self._dt.category < dt.FLOATING and not whole:
            raise not_implemented(kernel, self._dt)
        with (g := generator or default_generator).lock:
            r = values(g, self._a, self._dt, *args, **kwargs)
        return apply_in_place(self, lambda old: prim.finish(r, (old, _EVERYWHERE, 0), {}, old._dt))

    written.__name__ = name
    register(name, written, torch=False)


def _fill_normal(g: Generator, a: Array, d: dt.dtype, mean: float = 0, std: float = 1) -> Array:
    refuse(std < 0, "normal expects std >= 0.0, but found std {:g}", std)
    return normal_values(g, a, d, mean, std)


def _fill_uniform(g: Generator, a: Array, d: dt.dtype, *args: Any, **named: Any) -> Array:
    low = named.get("from", args[0] if args else named.get("a", 0.0))
    high = named.get("to", args[1] if len(args) > 1 else named.get("b", 1.0))
    if d.category == dt.FLOATING:
        _refuse_outside(d, **{"from": low, "to": high})
    refuse(low > high, "uniform_ expects to return a [from, to) range, but found from={:g} > "
           "to={:g}", low, high)
    refuse(high - low > dt.finfo(d).max, "uniform_ expects to-from <= "
           "std::numeric_limits<{}>::max(), but found to={:g} and from={:g} which result in "
           "to-from to exceed the limit", d.tensor_name, high, low)
    return uniform_values(g, a, d, low, high)


def _fill_exponential(g: Generator, a: Array, d: dt.dtype, lambd: float = 1) -> Array:
    refuse(lambd <= 0, "exponential_ expects lambda > 0.0, but found lambda={:g}", lambd)
    return _placed(store(d, draw.exponential(g, a.size, lambd)), a)


def _fill_cauchy(g: Generator, a: Array, d: dt.dtype, median: float = 0, sigma: float = 1) -> Array:
    refuse(sigma <= 0, "cauchy_ expects sigma > 0.0, but found sigma={:g}", sigma)
    return _placed(store(d, draw.cauchy(g, a.size, median, sigma)), a)


def _fill_log_normal(g: Generator, a: Array, d: dt.dtype, mean: float = 1, std: float = 2) -> Array:
    refuse(std <= 0, "log_normal_ expects std > 0.0, but found std={:g}", std)
    return _placed(store(d, draw.log_normal(g, a.size, mean, std)), a)


def _fill_geometric(g: Generator, a: Array, d: dt.dtype, p: float) -> Array:
    refuse(not 0 < p < 1, "geometric_ expects p to be in (0, 1), but got p={:g}", p)
    return _placed(store(d, draw.geometric(g, a.size, p)), a)


def _fill_bernoulli(g: Generator, a: Array, d: dt.dtype, p: Any = 0.5) -> Array:
    if isinstance(p, Tensor):
        return store(d, bernoulli_values(g, np.broadcast_to(p._a, a.shape), p._dt))
    refuse(not 0 <= p <= 1, "bernoulli_ expects p to be in [0, 1], but got p={:g}", p)
    return _placed(store(d, draw.uniform_double(g, a.size) < p), a)


def _fill_integers(g: Generator, a: Array, d: dt.dtype, *args: Any, **named: Any) -> Array:
    bounds = [*args]
    low = named.get("from", bounds[0] if len(bounds) > 1 else 0)
    high = named.get("to", bounds[-1] if bounds else None)
    if high is None:
        high = (1 << _DIGITS[d.name] if d.category == dt.FLOATING else int(_spans(d)[1])) + 1
        if not bounds and not named:
            if d in (dt.uint16, dt.uint32, dt.uint64):
                raise not_implemented("random_kernel_cpu", d)
            return _placed(store(d, draw.full_range(g, a.size, high)), a)
    low, high = _checked_range(low, high, d)
    return _placed(store(d, draw.integers(g, a.size, low, high - low)), a)


_filling("normal_", "normal_kernel_cpu", _fill_normal)
_filling("uniform_", "check_uniform_bounds", _fill_uniform)
_filling("exponential_", "exponential_kernel_cpu", _fill_exponential)
_filling("cauchy_", "cauchy_kernel_cpu", _fill_cauchy)
_filling("log_normal_", "log_normal_cpu", _fill_log_normal)
_filling("geometric_", "geometric_kernel_cpu", _fill_geometric, whole=True)
_filling("bernoulli_", "bernoulli_scalar_cpu_", _fill_bernoulli, whole=True)
_filling("random_", "random_cpu", _fill_integers, whole=True)

# -- drawn from a tensor of parameters -----------------------------------------------------


def bernoulli_values(g: Generator, p: Array, d: dt.dtype) -> Array:
    """Zeros and ones with probabilities ``p``, drawn in the precision of ``p``."""
    refuse(p.size and not ((p >= 0) & (p <= 1)).all(), "Expected p_in >= 0 && p_in <= 1 to be "
           "true, but got false.  (Could this error message be improved?  If so, please report an "
           "enhancement request to PyTorch.)")
    u = draw.uniform_double(g, p.size) if d is dt.float64 else draw.uniform_single(g, p.size)
    return u.reshape(p.shape) < p


_BERNOULLI = Primitive(masked_fill, "BernoulliBackward0")


@op()
def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Any:
    """Ones with the probabilities in ``input`` (or all with ``p``), else zeros."""
    if p is None and input._dt.category < dt.FLOATING:
        raise not_implemented("bernoulli_tensor_cpu_p_", input._dt)
    with (g := generator or default_generator).lock:
        if p is None:
            ones = bernoulli_values(g, input._a, input._dt)
        else:
            ones = _fill_bernoulli(g, input._a, input._dt, p)
    return _BERNOULLI.finish(store(input._dt, ones), (input, _EVERYWHERE, 0), {}, input._dt)


@creator
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None,
           d: dt.dtype | None = None) -> Tensor:
    """Normal numbers with means and deviations given as tensors, or a size."""
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        if size is None:
            raise combination_error("normal", (0.0, 0.0), {}, False) or TypeError("normal()")
        return _filled(partial(_fill_normal, mean=mean, std=std), size_of((size,)),
                       d or dt.get_default_dtype(), generator)
    first = mean if isinstance(mean, Tensor) else std
    check_broadcast(mean, std)
    shape = np.broadcast_shapes(*(v._a.shape for v in (mean, std) if isinstance(v, Tensor)))
    if isinstance(std, Tensor):
        refuse(std._a.size and (std._a < 0).any(), "normal expects all elements of std >= 0.0")
    elif std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    with (g := generator or default_generator).lock:
        z = normal_values(g, np.empty(shape, first._dt.numpy), first._dt, 0.0, 1.0)
    raw = [v._a if isinstance(v, Tensor) else v for v in (mean, std)]
    return wrap(store(first._dt, np.asarray(z * raw[1] + raw[0])), first._dt)


@op()
def poisson(input: Tensor, generator: Generator | None = None) -> Any:
    """Poisson numbers with the rates in ``input``."""
    if input._a.size and (input._a < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    with (g := generator or default_generator).lock:
        values = draw.poisson(g, input._a.astype(np.float64))
    return wrap(store(input._dt, values), input._dt)


@op()
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *,
                generator: Generator | None = None) -> Tensor:
    """Indices drawn with the weights in the last dimension of ``input``."""
    p = input._a
    refuse(p.ndim not in (1, 2), "prob_dist must be 1 or 2 dim")
    refuse(input._dt.category != dt.FLOATING, "multinomial only supports floating-point dtypes for "
           "input, got: {}", input._dt.tensor_name)
    refuse(num_samples <= 0, "cannot sample n_sample <= 0 samples")
    refuse(not replacement and num_samples > p.shape[-1], "cannot sample n_sample > "
           "prob_dist.size(-1) samples without replacement")
    refuse(p.shape[-1] > 1 << 24, "number of categories cannot exceed 2^24")
    if replacement and num_samples > 1:
        for bad, what in ((~np.isfinite(p), "infinity or NaN"), (p < 0, "< 0")):
            if bad.any():
                raise RuntimeError("invalid multinomial distribution (encountering probability "
                                   f"entry {what})")
    if not np.isfinite(p).all() or (p < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    refuse((p.sum(-1) == 0).any(), "invalid multinomial distribution (sum of probabilities <= 0)")
    with (g := generator or default_generator).lock:
        if not p.size:
            chosen = np.empty((*p.shape[:-1], num_samples))
        elif replacement and num_samples > 1:
            chosen = _with_replacement(g, p, num_samples)
        else:
            q = store(input._dt, draw.exponential(g, p.size, 1.0)).reshape(p.shape)
            keys = store(input._dt, p / q)
            chosen = np.argsort(-keys, axis=-1, kind="stable")[..., :num_samples]
    return wrap(np.ascontiguousarray(chosen, np.int64), dt.int64)


def _with_replacement(g: Generator, p: Array, n: int) -> Array:
    rows = []
    for row in np.atleast_2d(p):
        total = np.cumsum(row, dtype=row.dtype)
        total = total / total[-1]
        total[-1] = 1
        rows.append(np.searchsorted(total, draw.uniform_double(g, n), side="left"))
    stacked = np.stack(rows)
    return np.asarray(stacked if p.ndim == 2 else stacked[0])
