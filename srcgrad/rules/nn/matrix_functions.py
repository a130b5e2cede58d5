"""Functions of matrices that NumPy lacks: exponential, triangular and Cholesky solutions."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.rules.book import Array, Dtype, Shape, vjp
from srcgrad.rules.broadcast import runtime, sum_to
from srcgrad.rules.numpy.linear_algebra import adjoint_matrix, pinv_a, solution_or_nan
from srcgrad.rules.numpy.products import conj_complex, matrix_transpose

# Higham (2005): norms up to which the diagonal Pade approximants of these degrees are exact
_THETA = {3: 1.495585217958292e-2, 5: 2.53939833006323e-1, 7: 9.504178996162932e-1,
          9: 2.097847961257068, 13: 5.371920351148152}


def _pade(a: Array, degree: int) -> tuple[Array, Array]:
    n = a.shape[-1]
    unit = np.broadcast_to(np.eye(n, dtype=a.dtype), a.shape)
    square = a @ a
    power, odd, even = unit, np.zeros_like(a), np.zeros_like(a)
    for k in range(degree + 1):
        coefficient = (math.factorial(2 * degree - k) * math.factorial(degree)) / (
            math.factorial(2 * degree) * math.factorial(k) * math.factorial(degree - k))
        if k % 2:
            odd = odd + coefficient * power
            power = power @ square
        else:
            even = even + coefficient * power
    return a @ odd, even


@runtime
def matrix_exp(a: Array) -> Array:
    """The exponential of square matrices, by scaling and squaring (Higham 2005).

    >>> matrix_exp(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    if a.shape[-1] == 0:
        return np.array(a)
    kind = a.dtype
    wide = a.astype(np.complex128 if kind.kind == "c" else np.float64)
    norm = float(np.max(np.sum(np.abs(wide), axis=-2), initial=0.0))
    degree = next((d for d, theta in _THETA.items() if norm <= theta), 13)
    squarings = 0
    if norm > _THETA[13]:
        squarings = max(0, math.ceil(math.log2(norm / _THETA[13])))
    scaled = wide / 2.0**squarings
    u, v = _pade(scaled, degree)
    out = np.linalg.solve(v - u, v + u)
    for _ in range(squarings):
        out = out @ out
    return out.astype(kind)


@vjp(matrix_exp, "a")
def matrix_exp_a(ct: Array, a: Array) -> Array:
    """The derivative is a block of the exponential of a block matrix (Mathias 1996)."""
    n = np.shape(a)[-1]
    t = matrix_transpose(a)
    top = np.concatenate([t, ct], axis=-1)
    bottom = np.concatenate([np.zeros_like(t), t], axis=-1)
    return matrix_exp(np.concatenate([top, bottom], axis=-2))[..., :n, n:]


def _one_triangle(a: Array, upper: bool, unit: bool) -> Array:
    if unit:
        strict = np.triu(a, 1) if upper else np.tril(a, -1)
        return strict + np.eye(np.shape(a)[-1], dtype=a.dtype)
    return np.triu(a) if upper else np.tril(a)


@runtime
def solve_triangular(a: Array, b: Array, upper: bool, unit: bool) -> Array:
    """``x`` with ``t @ x = b`` for a triangle ``t`` of ``a`` (``unit``: ones on its diagonal)."""
    return solution_or_nan(_one_triangle(a, upper, unit), b)


@vjp(solve_triangular, "a", "b")
def solve_triangular_a_b(ct: Array, ans: Array, a: Array, a_shape: Shape, b_shape: Shape,
                         upper: bool, unit: bool) -> tuple[Array, Array]:
    d_b = solve_triangular(matrix_transpose(a), ct, not upper, unit)
    d_t = -(d_b @ matrix_transpose(ans))
    k = 1 if unit else 0
    d_a = np.triu(d_t, k) if upper else np.tril(d_t, -k)
    return sum_to(d_a, a_shape), sum_to(d_b, b_shape)


@runtime
def cholesky_solve(b: Array, factor: Array, upper: bool) -> Array:
    """``x`` with ``factor @ factor^H @ x = b`` (``upper``: ``factor^H @ factor``)."""
    low = _one_triangle(factor, upper, False)
    whole = _hermitian_square(low, upper)
    return np.linalg.solve(whole, b)


def _hermitian_square(factor: Array, upper: bool) -> Array:
    mirrored = adjoint_matrix(factor, factor.dtype)
    return mirrored @ factor if upper else factor @ mirrored


@vjp(cholesky_solve, "b", "factor")
def cholesky_solve_rule(ct: Array, ans: Array, factor: Array, factor_dtype: Dtype, b_shape: Shape,
                        factor_shape: Shape, upper: bool) -> tuple[Array, Array]:
    low = _one_triangle(factor, upper, False)
    whole = _hermitian_square(low, upper)
    d_b = np.linalg.solve(matrix_transpose(whole), ct)
    d_whole = -(d_b @ matrix_transpose(ans))
    both = d_whole + adjoint_matrix(d_whole, factor_dtype)
    conjugate = conj_complex(low, factor_dtype)
    d_low = conjugate @ both if upper else both @ conjugate
    return sum_to(d_b, b_shape), sum_to(d_low, factor_shape)


@runtime
def least_squares(a: Array, b: Array) -> Array:
    """The solution of least norm of ``a @ x = b``, for batches of matrices."""
    return np.linalg.pinv(a, rcond=max(a.shape[-2:]) * np.finfo(a.dtype).eps) @ b


@vjp(least_squares, "a", "b")
def least_squares_a_b(ct: Array, b: Array, a: Array, a_dtype: Dtype, a_shape: Shape,
                      b_shape: Shape) -> tuple[Array, Array]:
    inverse = np.linalg.pinv(a)
    d_inverse = ct @ matrix_transpose(b)
    return (
        sum_to(pinv_a(d_inverse, inverse, a, a_dtype), a_shape),
        sum_to(matrix_transpose(inverse) @ ct, b_shape),
    )
