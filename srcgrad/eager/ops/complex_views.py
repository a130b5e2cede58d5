"""Complex numbers as pairs of real ones: views, parts, conjugates."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, register, view_of
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.indexing import select
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.strides import address, strided
from srcgrad.rules.nn.complex_pairs import from_pairs, to_pairs

_AS_REAL = Primitive(to_pairs, "ViewAsRealBackward0")
_AS_COMPLEX = Primitive(from_pairs, "ViewAsComplexBackward0")
_CONJ = Primitive(np.conjugate, "ConjBackward0")


def _pairs(a: Array) -> Array:
    part = np.float32 if a.dtype == np.complex64 else np.float64
    return strided(a, (*a.shape, 2), (*a.strides, a.itemsize // 2), 0, part)


def _numbers(a: Array) -> Array:
    kind = np.complex64 if a.dtype == np.float32 else np.complex128
    return strided(a, a.shape[:-1], a.strides[:-1], 0, kind)


@op(out=False)
def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers as pairs in a last dimension of length 2, on the same memory."""
    refuse(input._dt.category != dt.COMPLEX, "view_as_real is only supported for complex tensors")
    return view_of(_AS_REAL, input, _pairs(input._a), {"a": input}, d=input._dt.to_real())


@op(out=False)
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs in the last dimension as complex numbers, on the same memory."""
    refuse(input._dt not in (dt.float32, dt.float64), "view_as_complex is only supported for half, "
           "float and double tensors, but got a tensor of scalar type: {}", input._dt.tensor_name)
    a = input._a
    refuse(a.ndim == 0, "Input tensor must have one or more dimensions")
    refuse(a.shape[-1] != 2, "Tensor must have a last dimension of size 2")
    refuse(a.strides[-1] != a.itemsize, "Tensor must have a last dimension with stride 1")
    if any(s % (2 * a.itemsize) for s in a.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if (address(a) - address(input._ver[1])) % (2 * a.itemsize):
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return view_of(_AS_COMPLEX, input, _numbers(a), {"a": input}, d=input._dt.to_complex())


@op(out=False)
def real(input: Tensor) -> Tensor:
    """The real part, a view; real tensors are returned as they are."""
    if input._dt.category != dt.COMPLEX:
        return input
    return select(view_as_real(input), input._a.ndim, 0)


@op(out=False)
def imag(input: Tensor) -> Tensor:
    """The imaginary part, a view."""
    if input._dt.category != dt.COMPLEX:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return select(view_as_real(input), input._a.ndim, 1)


def _set_real(self: Tensor, value: Any) -> None:
    real(self)[...] = value


def _set_imag(self: Tensor, value: Any) -> None:
    imag(self)[...] = value


register("real", property(real, _set_real), torch=False)
register("imag", property(imag, _set_imag), torch=False)


def complex_of(t: Tensor) -> Tensor:
    """``t`` as complex numbers."""
    return t if t._dt.category == dt.COMPLEX else convert(t, t._dt.to_complex())


@op(out=False)
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; real tensors are returned as they are."""
    if input._dt.category != dt.COMPLEX:
        return input
    return _CONJ(input)  # type: ignore[no-any-return]


@op(inplace=True)
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate, never lazily."""
    if input._dt.category != dt.COMPLEX:
        return input
    return _CONJ_PHYSICAL(input)  # type: ignore[no-any-return]


_CONJ_PHYSICAL = Primitive(np.conjugate, "ConjPhysicalBackward0")


def resolved(input: Tensor) -> Tensor:
    """Conjugates and negatives are never lazy here: the tensor itself."""
    return input


register(("resolve_conj", "resolve_neg"), resolved)
register("is_conj", lambda self: False, torch=False)
register("is_neg", lambda self: False, torch=False)


def _adjoint(self: Tensor, name: str = "adjoint()") -> Tensor:
    refuse(self._a.ndim == 1, "tensor.{} is only supported on matrices or batches of matrices. Got "
           "1-D tensor.", name)
    return conj(self.mT)


def _hermitian(self: Tensor) -> Tensor:
    n = self._a.ndim
    if n not in (0, 2):
        advice = " For batches of matrices, consider using tensor.mH" if n > 2 else ""
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D "
                           f"tensor.{advice}")
    return conj(self.transpose(0, 1)) if n else self


register("mH", property(lambda self: _adjoint(self, "mH")), torch=False)
register("H", property(_hermitian), torch=False)
register("adjoint", lambda input: _adjoint(input))
SPECIAL[np.real] = lambda val: real(val)
SPECIAL[np.conjugate] = lambda x: conj(x)
SPECIAL[np.imag] = lambda val: imag(val) if val._dt.category == dt.COMPLEX else val * 0
