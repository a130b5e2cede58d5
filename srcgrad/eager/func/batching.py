"""`vmap`: a function of one example over a batch, example by example."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.eager.autograd.function import (
    Function,
    FunctionMeta,
    VmapInfo,
    check_transformable,
    two_returns,
)
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE
from srcgrad.eager.func.trees import broadcast_prefix, flatten, specification
from srcgrad.eager.grad_mode import TRANSFORM, state
from srcgrad.eager.tensor import Tensor, epoch, extra


def _batch_size(leaves: list[Any], dims: list[Any], in_dims: Any, name: str) -> int:
    sizes = []
    for leaf, dim in zip(leaves, dims):
        if dim is None:
            continue
        start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for"
        refuse(not isinstance(dim, int), "{} an input but in_dim must be either an integer "
               "dimension or None.", start, kind=ValueError)
        refuse(not isinstance(leaf, Tensor), "{} an input but the input is of type {}. We cannot "
               "vmap over non-Tensor arguments, please use None as the respective in_dim",
               start, type(leaf), kind=ValueError)
        refuse(not -leaf._a.ndim <= dim < leaf._a.ndim, "{} some input, but that input is a Tensor "
               "of dimensionality {} so expected in_dim to satisfy -{} <= in_dim < {}.",
               start, leaf._a.ndim, leaf._a.ndim, leaf._a.ndim, kind=ValueError)
        sizes.append(leaf._a.shape[dim])
    refuse(not sizes, "vmap: Expected at least one Tensor to vmap over", kind=ValueError)
    refuse(any(n != sizes[0] for n in sizes), "vmap: Expected all tensors to have the same size in "
           "the mapped dimension, got sizes {} for the mapped dimension", sizes, kind=ValueError)
    return int(sizes[0])


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error",
         *, chunk_size: int | None = None) -> Callable[..., Any]:
    """``func`` applied along dimensions ``in_dims`` of its arguments, results stacked at
    ``out_dims``.

    >>> import srcgrad.eager as torch
    >>> torch.func.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3)).tolist()
    [3.0, 3.0]
    """
    refuse(randomness not in ("error", "different", "same"), "Only allowed values for randomness "
           "are 'error', 'different', or 'same'. Got {}", randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        name = getattr(func, "__name__", repr(func)).rstrip("_")
        refuse(not isinstance(in_dims, int | tuple), "vmap({}, in_dims={}, ...)(<inputs>): "
               "expected `in_dims` to be int or a (potentially nested) tuple matching the "
               "structure of inputs, got: {}.", name, in_dims, type(in_dims), kind=ValueError)
        refuse(not args, "vmap({})(<inputs>): got no inputs. Maybe you forgot to add inputs, or "
               "you are trying to vmap over a function with no inputs. The latter is unsupported.",
               name, kind=ValueError)
        leaves, rebuild = flatten(args)
        try:
            dims = broadcast_prefix(in_dims, args)
        except (ValueError, KeyError):
            raise ValueError(
                f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with "
                f"the structure of `inputs`. in_dims has structure {specification(in_dims)} but "
                f"inputs has structure {specification(args)}.") from None
        count = _batch_size(leaves, dims, in_dims, name)
        rows, rebuild_out = [], None
        random_state = NAMESPACE["get_rng_state"]() if randomness == "same" else None
        owner: Any = getattr(func, "__self__", None)
        rule = getattr(owner, "vmap", None)
        if isinstance(owner, FunctionMeta) and rule is not Function.vmap:
            return _by_rule(owner, count, randomness, dims, leaves, out_dims)
        if not count:  # what one example would give tells shapes and dtypes
            leaves = [v if d is None else v.new_zeros([
                1 if i == d % v.dim() else n for i, n in enumerate(v.shape)])
                for v, d in zip(leaves, dims)]
        with _mapping(randomness, [v for v, d in zip(leaves, dims) if d is not None]):
            for i in range(count or 1):
                if random_state is not None and i:
                    NAMESPACE["set_rng_state"](random_state)
                one = [v if d is None else v.select(d, i) for v, d in zip(leaves, dims)]
                out, rebuild_out = flatten(func(*rebuild(one), **kwargs))
                rows.append(out)
        return _stacked(rows, rebuild_out, out_dims, name, count)

    return mapped


@contextlib.contextmanager
def _mapping(randomness: str, mapped: list[Tensor]) -> Iterator[None]:
    """While examples run: only what belongs to them may be written to."""
    before = state.randomness, state.transform, state.mode
    stood = [extra(t).stands_in for t in mapped]
    epoch[0] += 1
    state.randomness, state.transform = randomness, epoch[0]
    state.mode |= TRANSFORM
    state.mapping += 1
    for t in mapped:
        extra(t).stands_in = epoch[0]
    try:
        yield
    finally:
        state.randomness, state.transform, state.mode = before
        state.mapping -= 1
        for t, stamp in zip(mapped, stood):
            extra(t).stands_in = stamp


def _by_rule(owner: Any, count: int, randomness: str, dims: list[Any], args: list[Any],
             out_dims: Any) -> Any:
    """A Function's own ``vmap`` for the whole batch."""
    check_transformable(owner, mapping=True)
    out, found = two_returns(owner.vmap(VmapInfo(count, randomness), tuple(dims), *args))
    several = isinstance(out, tuple)
    placed = found if isinstance(found, tuple) else (found,) * (len(out) if several else 1)
    wanted = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(placed)
    moved = tuple(t.expand(count, *t.shape) if d is None else t.movedim(d, to) for t, d,
                  to in zip(out if several else (out,), placed, wanted))
    return moved if several else moved[0]


def _stacked(rows: list[list[Any]], rebuild: Any, out_dims: Any, name: str, count: int) -> Any:
    columns = [list(c) for c in zip(*rows)]
    sample = rebuild(rows[0])
    if isinstance(out_dims, tuple) and (
            not isinstance(sample, tuple) or len(sample) != len(out_dims)):
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with "
            f"the structure of `outputs`. out_dims has structure {specification(out_dims)} but "
            f"outputs has structure {specification(sample)}.")
    dims = broadcast_prefix(out_dims, sample)
    stacked = []
    for column, dim in zip(columns, dims):
        if not isinstance(column[0], Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type "
                f"{type(column[0])}. Did you mean to set out_dims= to None for output?")
        if dim is not None and not isinstance(dim, int):
            raise ValueError(f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, "
                             "None or a python collection of ints representing where in the "
                             "outputs the vmapped dimension should appear.")
        if dim is None and any(not np.array_equal(t._a, column[0]._a, equal_nan=True)
                               for t in column[1:]):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when "
                             "out_dim is None")
        whole = column[0] if dim is None else NAMESPACE["stack"](column, dim)
        stacked.append(whole if count or dim is None else whole.narrow(dim, 0, 0).clone())
    return rebuild(stacked)
