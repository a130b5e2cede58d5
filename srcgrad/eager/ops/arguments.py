"""Checks of arguments that many operations share, with PyTorch's messages."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import refuse, whole
from srcgrad.eager.tensor import Tensor

_warned: set[str] = set()


def warn_once(text: str) -> None:
    """A UserWarning that is given the first time only, as many of PyTorch's are."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, UserWarning, stacklevel=4)


def numbers(args: Sequence[Any], name: str = "size", place: int = 2) -> tuple[int, ...]:
    """Whole numbers that come one by one or as one sequence, the argument ``name`` at ``place``."""
    listed = len(args) == 1 and isinstance(args[0], tuple | list)
    return tuple([n if n.__class__ is int else _number(n, k, name, place, listed)
                  for k, n in enumerate(args[0] if listed else args)])


def _number(n: Any, k: int, name: str, place: int, listed: bool) -> int:
    if whole(n):
        return int(n)
    kind = type(n).__name__
    refuse(k, "argument '{}' failed to unpack the object at pos {} with error \"type must be tuple "
           "of ints,but got {}\"", name, k + 1, kind, kind=TypeError)
    raise TypeError(f"argument '{name}' (position {place}) must be tuple of ints, " + (
        f"but found element of type {kind} at pos 0" if listed else f"not {kind}"))


def refusing(refused: dict[str, Any], function: Any) -> Any:
    """``function`` of arrays, except for numbers of the kinds in ``refused`` (NumPy's letters, and
    ``e`` for half precision): for these it raises the error there, or what PyTorch's kernel of the
    name there does."""

    def compute(*arrays: Any) -> Any:
        d = arrays[0].dtype if len(arrays) == 1 else np.result_type(*arrays)
        if d.kind in refused or (d.char == "e" and "e" in refused):
            error = refused[d.kind if d.kind in refused else "e"]
            raise (copy(error) if isinstance(error, Exception) else
                   not_implemented(error, dt.FROM_NUMPY[d]))
        return function(*arrays)

    return compute


def not_implemented(kernel: str, d: dt.dtype) -> NotImplementedError:
    """PyTorch's refusal of a dtype."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{d.tensor_name}\'')


def refuse_kinds(kinds: str, kernel: str, d: dt.dtype) -> None:
    """Refuse a dtype whose numbers are of one of NumPy's ``kinds``, as ``kernel`` does."""
    if d.numpy.kind in kinds:
        raise not_implemented(kernel, d)


def need_rank(rank: int, text: str, **tensors: Tensor) -> None:
    """Raise unless each tensor has ``rank`` dimensions; ``text`` has places for the name and the
    rank of one that has not."""
    for name, t in tensors.items():
        if t._a.ndim != rank:
            raise RuntimeError(text.format(name, t._a.ndim))


UNLIKE = "expected scalar type {0.tensor_name} but found {1.tensor_name}"


def one_dtype(kernel: str, x: Tensor, y: Tensor, z: Tensor | None = None, *,
              text: str = UNLIKE) -> None:
    """Refuse tensors of unlike dtypes, which ``text`` has places for, and bools as the kernels of
    PyTorch's products do."""
    d = x._dt
    same = d is y._dt and (z is None or z._dt is d)
    if not same:
        raise RuntimeError(text.format(*(t._dt for t in (x, y, z) if t is not None)))
    refuse_kinds("b", kernel, d)


def unexpected_type(wanted: dt.dtype, found: dt.dtype) -> RuntimeError:
    """PyTorch's refusal of a tensor whose dtype is not another's."""
    return RuntimeError(UNLIKE.format(wanted, found))
