"""Checks of arguments that many operations share, with PyTorch's messages."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt

_warned: set[str] = set()


def warn_once(text: str) -> None:
    """A UserWarning that is given the first time only, as many of PyTorch's are."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, UserWarning, stacklevel=4)


def for_kinds(kinds: str, kernel: str, function: Any) -> Any:
    """``function`` of arrays whose common dtype is of one of NumPy's ``kinds``; others are refused
    as PyTorch's kernel does."""

    def compute(*arrays: Any) -> Any:
        kind = np.result_type(*arrays)
        if kind.kind not in kinds:
            raise not_implemented(kernel, dt.FROM_NUMPY[kind])
        return function(*arrays)

    return compute


def not_implemented(kernel: str, d: dt.dtype) -> NotImplementedError:
    """PyTorch's refusal of a dtype."""
    return NotImplementedError(f'"{kernel}" not implemented for \'{d.tensor_name}\'')


def unexpected_type(wanted: dt.dtype, found: dt.dtype) -> RuntimeError:
    """PyTorch's refusal of a tensor whose dtype is not another's."""
    return RuntimeError(f"expected scalar type {wanted.tensor_name} but found {found.tensor_name}")
