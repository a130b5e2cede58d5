"""Checks of arguments that many operations share, with PyTorch's messages."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.tensor import Tensor

NUMBERS = (int, float, complex, np.number, np.bool_)


def one_dim(dim: Any, ndim: int) -> int:
    """A dimension counted from the front; 0-dim tensors have dimension 0 as well."""
    n = ndim or 1
    if not isinstance(dim, int):
        dim = index_of(dim)
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], "
                         f"but got {dim})")
    return int(dim % n)


def index_of(value: Any) -> int:
    """A Python integer for an integer, NumPy integer or 0-dim integer tensor."""
    if isinstance(value, Tensor):
        value = value._a.item()
    return int(operator.index(value))


def many_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front, each at most once."""
    dims = tuple(one_dim(d, ndim) for d in (dim if isinstance(dim, tuple | list) else (dim,)))
    for i, d in enumerate(dims):
        if d in dims[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return dims


def axes_of(dim: Any, ndim: int) -> Any:
    """What NumPy's ``axis`` is to be: None for all, else a tuple (or an int if there is one)."""
    if dim is None or (isinstance(dim, tuple | list) and not dim):
        return None
    dims = many_dims(dim, ndim)
    if ndim == 0:
        return None
    return dims[0] if len(dims) == 1 else dims


def sizes(given: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes passed as numbers or as one sequence."""
    if len(given) == 1 and isinstance(given[0], tuple | list):
        given = tuple(given[0])
    return tuple(n if n.__class__ is int else index_of(n) for n in given)


_warned: set[str] = set()


def warn_once(text: str) -> None:
    """A UserWarning that is given the first time only, as many of PyTorch's are."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, UserWarning, stacklevel=4)


def not_implemented(kernel: str, d: dt.dtype) -> NotImplementedError:
    """PyTorch's refusal of a dtype."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{d.tensor_name}\'')


def need_matrix(name: str, t: Tensor, text: str) -> None:
    """Raise unless ``t`` has at least two dimensions."""
    if t._a.ndim < 2:
        raise RuntimeError(f"{name}: {text}")


_C_NAMES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "int64": "long long", "int32": "int", "int16": "short", "int8": "signed char",
    "uint8": "unsigned char", "bool": "bool", "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def c_name(d: dt.dtype) -> str:
    """The C++ name of a dtype, as some messages print it."""
    return _C_NAMES.get(d.name, d.name)
