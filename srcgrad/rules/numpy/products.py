"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, Shape, alias, linear, variant, vjp
from srcgrad.rules.broadcast import sum_to

alias(np.matmul, operator.matmul)


def conj_complex(x: Array, dtype: Dtype) -> Array:
    """The conjugate of complex numbers; real ones as they are, without a copy."""
    return np.conj(x) if dtype.kind == "c" else x


def matrix_transpose(x: Array) -> Array:
    """The transpose of each matrix of a stack."""
    return x.T if np.ndim(x) == 2 else np.swapaxes(x, -1, -2)


def _outer(x: Array, y: Array) -> Array:
    """The outer products of stacks of vectors."""
    return np.expand_dims(x, -1) * np.expand_dims(y, -2)


def _applied(matrices: Array, x: Array) -> Array:
    """The products of stacks of matrices and of vectors."""
    return np.squeeze(matrices @ np.expand_dims(x, -1), -1)


@vjp(np.matmul, "x1", broadcasts=False)
def matmul_x1(ct: Array, x2: Array, x1_shape: Shape) -> Array:
    n1, n2 = len(x1_shape), np.ndim(x2)
    if n1 == 1 and n2 == 1:
        return ct * x2
    if n2 == 1:
        return _reduced(np.expand_dims(ct, -1) * x2, x1_shape)
    if n1 == 1 and n2 == 2:
        return x2 @ ct
    if n1 == 1:
        return _reduced(_applied(x2, ct), x1_shape)
    return _reduced(ct @ matrix_transpose(x2), x1_shape)


@vjp(np.matmul, "x2", broadcasts=False)
def matmul_x2(ct: Array, x1: Array, x2_shape: Shape) -> Array:
    n1, n2 = np.ndim(x1), len(x2_shape)
    if n1 == 1 and n2 == 1:
        return ct * x1
    if n1 == 1:
        return _reduced(_outer(x1, ct), x2_shape)
    if n2 == 1 and n1 == 2:
        return ct @ x1
    if n2 == 1:
        return _reduced(_applied(matrix_transpose(x1), ct), x2_shape)
    return _reduced(matrix_transpose(x1) @ ct, x2_shape)


def _reduced(ct: Array, shape: Shape) -> Array:
    """Stacks of matrices broadcast; two plain matrices do not."""
    return ct if np.ndim(ct) == 2 and len(shape) == 2 else sum_to(ct, shape)


@vjp(np.dot, "a", like=lambda a, b, out=None: None)
def dot_a(ct: Array, b: Array, a_ndim: int) -> Array:
    n = np.ndim(b)
    if a_ndim == 0:
        return np.sum(ct * b)
    if n == 0 or (a_ndim == 1 and n == 1):
        return ct * b
    if n == 1:
        return np.expand_dims(ct, -1) * b
    if a_ndim == 1 and n == 2:
        return b @ ct
    if n == 2:
        return ct @ b.T
    return np.tensordot(ct, np.swapaxes(b, -1, -2), axes=n - 1)


@vjp(np.dot, "b")
def dot_b(ct: Array, a: Array, b_ndim: int) -> Array:
    n = np.ndim(a)
    if b_ndim == 0:
        return np.sum(a * ct)
    if n == 0 or (n == 1 and b_ndim == 1):
        return a * ct
    if n == 1:
        return _outer(a, ct)
    if n == 2 and b_ndim == 1:
        return ct @ a
    if n == 2 and b_ndim == 2:
        return a.T @ ct
    outer = tuple(range(n - 1))
    product = np.tensordot(a, ct, axes=(outer, outer))
    return product if b_ndim == 1 else np.moveaxis(product, 0, -2)


@vjp(np.inner, "a", like=lambda a, b: None)
def inner_a(ct: Array, b: Array, a_ndim: int) -> Array:
    n = np.ndim(b)
    if n == 0:
        return ct * b
    if a_ndim == 0:
        return np.sum(ct * b)
    return np.tensordot(ct, b, axes=n - 1)


@vjp(np.inner, "b")
def inner_b(ct: Array, a: Array, b_ndim: int) -> Array:
    n = np.ndim(a)
    if b_ndim == 0:
        return np.sum(a * ct)
    if n == 0:
        return a * ct
    outer = tuple(range(n - 1))
    return np.tensordot(ct, a, axes=(outer, outer))


vjp(np.outer,
    a=lambda ct, b, a_shape: np.reshape(ct @ np.reshape(b, -1), a_shape),
    b=lambda ct, a, b_shape: np.reshape(np.reshape(a, -1) @ ct, b_shape))

vjp(np.linalg.outer,
    x1=lambda ct, x2: ct @ x2,
    x2=lambda ct, x1: x1 @ ct)

vjp(np.vdot, like=lambda a, b: None,
    a=lambda ct, b, a_shape, a_dtype: np.reshape(conj_complex(ct * b, a_dtype), a_shape),
    b=lambda ct, a, b_shape, a_dtype: np.reshape(ct * conj_complex(a, a_dtype), b_shape))


def _tensordot_axes(axes: Any, a_ndim: int, b_ndim: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, int | np.integer):
        return list(range(a_ndim - int(axes), a_ndim)), list(range(int(axes)))
    first, second = (
        [int(i) for i in (part if isinstance(part, tuple | list) else (part,))] for part in axes
    )
    return [i % a_ndim for i in first], [i % b_ndim for i in second]


@vjp(np.tensordot, "a")
def tensordot_a(ct: Array, b: Array, a_ndim: int, axes: Any) -> Array:
    n = np.ndim(b)
    summed_a, summed_b = _tensordot_axes(axes, a_ndim, n)
    free_a = [i for i in range(a_ndim) if i not in summed_a]
    free_b = [i for i in range(n) if i not in summed_b]
    last = list(range(len(free_a), len(free_a) + len(free_b)))
    product = np.tensordot(ct, b, axes=(last, free_b))
    order = free_a + [i for _, i in sorted(zip(summed_b, summed_a))]
    return np.transpose(product, [order.index(i) for i in range(a_ndim)])


@vjp(np.tensordot, "b")
def tensordot_b(ct: Array, a: Array, b_ndim: int, axes: Any) -> Array:
    n = np.ndim(a)
    summed_a, summed_b = _tensordot_axes(axes, n, b_ndim)
    free_a = [i for i in range(n) if i not in summed_a]
    free_b = [i for i in range(b_ndim) if i not in summed_b]
    product = np.tensordot(a, ct, axes=(free_a, list(range(len(free_a)))))
    order = [i for _, i in sorted(zip(summed_a, summed_b))] + free_b
    return np.transpose(product, [order.index(i) for i in range(b_ndim)])


def _vecdot_x1(ct: Array, x2: Array, x1_shape: Shape, x1_dtype: Dtype, axis: int) -> Array:
    """``sum(conj(x1) * x2)`` along an axis."""
    d = conj_complex(np.expand_dims(ct, -1) * np.moveaxis(x2, axis, -1), x1_dtype)
    return sum_to(np.moveaxis(d, -1, axis), x1_shape)


def _vecdot_x2(ct: Array, x1: Array, x2_shape: Shape, x1_dtype: Dtype, axis: int) -> Array:
    d = np.expand_dims(ct, -1) * np.moveaxis(conj_complex(x1, x1_dtype), axis, -1)
    return sum_to(np.moveaxis(d, -1, axis), x2_shape)


vjp(np.linalg.vecdot, like=lambda x1, x2, *, axis=-1: None, x1=_vecdot_x1, x2=_vecdot_x2)
variant(np.linalg.vecdot, np.vecdot, lambda x1, x2, out=None, *, axis=-1, where=True: None)
variant(np.matmul, np.linalg.matmul, lambda x1, x2: None)
variant(np.tensordot, np.linalg.tensordot, lambda a, b, *, axes=2: None)
if hasattr(np, "matvec"):  # NumPy 2.2
    vjp(np.matvec, broadcasts=False,
        x1=lambda ct, x2, x1_shape: sum_to(_outer(ct, x2), x1_shape),
        x2=lambda ct, x1, x2_shape: sum_to(_applied(matrix_transpose(x1), ct), x2_shape))
    vjp(np.vecmat, broadcasts=False,
        x1=lambda ct, x2, x1_shape, x1_dtype:
            sum_to(conj_complex(_applied(x2, ct), x1_dtype), x1_shape),
        x2=lambda ct, x1, x2_shape, x1_dtype:
            sum_to(_outer(conj_complex(x1, x1_dtype), ct), x2_shape))


def outer_parameters(A: Any, B: Any, **kwargs: Any) -> None:
    """The parameters of ``ufunc.outer``."""


def _trailing(ct: Array, ndim: int) -> tuple[int, ...]:
    """The axes of an outer result that come from its second operand, of rank ``ndim``."""
    return tuple(range(np.ndim(ct) - ndim, np.ndim(ct)))


vjp(np.multiply.outer, like=outer_parameters,
    A=lambda ct, B, B_ndim: np.tensordot(ct, B, axes=B_ndim),
    B=lambda ct, A, A_ndim: np.tensordot(A, ct, axes=A_ndim))

linear(np.add.outer, like=outer_parameters,
    A=lambda ct, B_ndim: np.sum(ct, axis=_trailing(ct, B_ndim)),
    B=lambda ct, A_ndim: np.sum(ct, axis=tuple(range(A_ndim))))
linear(np.subtract.outer, like=outer_parameters,
    A=lambda ct, B_ndim: np.sum(ct, axis=_trailing(ct, B_ndim)),
    B=lambda ct, A_ndim: -np.sum(ct, axis=tuple(range(A_ndim))))
vjp(np.divide.outer, like=outer_parameters,
    A=lambda ct, B, B_ndim: np.tensordot(ct, 1 / B, axes=B_ndim),
    B=lambda ct, ans, B, A_ndim: -np.sum(ct * ans, axis=tuple(range(A_ndim))) / B)
