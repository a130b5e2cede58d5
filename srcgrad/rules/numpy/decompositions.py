"""Decompositions of matrices: eigenvalues, singular values, Cholesky, QR.

Cotangents follow the convention of the book (transposes without conjugation); sources:
M. Giles (2008), "Collected matrix derivative results"; Walter and Lehmann (2010) for QR;
for complex matrices, where phases are free, results of ``svd`` are right for functions that do not
depend on them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, Dtype, NoRule, inactive, linear, vjp
from srcgrad.rules.broadcast import resize_axis, runtime, scatter_diagonal
from srcgrad.rules.numpy.linear_algebra import (
    adjoint_matrix,
    cut_pinv_a,
    inverse_or_nan,
    solution_or_nan,
)
from srcgrad.rules.numpy.products import conj_complex, matrix_transpose
from srcgrad.rules.numpy.spectra import (
    inverse_gaps,
    of_turned,
    over_gaps,
    shared_by_equals,
    watched,
)


def read_triangle(d: Array, dtype: Dtype, upper: bool, triangle: str) -> Array:
    """The cotangent of a Hermitian matrix for what NumPy reads of it.

    ``triangle="read"``: one triangle alone, as NumPy does, so that entries of the other have
    derivative 0; ``triangle="both"``: shared evenly by both, as JAX and PyTorch do.
    """
    mirrored = adjoint_matrix(d, dtype)
    if triangle == "both":
        return 0.5 * (d + mirrored)
    both = d + mirrored
    strict = np.triu(both, 1) if upper else np.tril(both, -1)
    return strict + _on_diagonal(0.5 * _diagonal(both), both)


@vjp(np.linalg.pinv, "a", settings={"triangle": "read"})
def pinv_of(ct: Array, ans: Array, a: Array, a_dtype: Dtype, rcond: Any, rtol: Any,
            hermitian: bool, triangle: str) -> Array:
    if rcond is None and rtol is not np._NoValue:
        rcond = rtol
    if not hermitian:
        return cut_pinv_a(ct, ans, a, a_dtype, rcond)
    whole = np.tril(a) + adjoint_matrix(np.tril(a, -1), a_dtype)
    return read_triangle(cut_pinv_a(ct, ans, whole, a_dtype, rcond), a_dtype, False, triangle)


def _on_diagonal(values: Array, like: Array) -> Array:
    """Square matrices with ``values`` on their diagonals."""
    if np.ndim(like) == 2:
        return np.diag(values)
    return scatter_diagonal(values, np.shape(like), 0, -2, -1)


def _diagonal(x: Array) -> Array:
    """The diagonal of each matrix of a stack."""
    return np.diagonal(x) if np.ndim(x) == 2 else np.diagonal(x, 0, -2, -1)


@vjp(np.linalg.cholesky, "a", settings={"triangle": "read"})
def cholesky_a(ct: Array, ans: Array, a_dtype: Dtype, upper: bool, triangle: str) -> Array:
    low = adjoint_matrix(ans, a_dtype) if upper else ans
    g = adjoint_matrix(ct, a_dtype) if upper else ct
    g = conj_complex(g, a_dtype)
    phi = np.tril(adjoint_matrix(low, a_dtype) @ g)
    phi = phi - _on_diagonal(0.5 * _diagonal(phi), phi)
    inverse = np.linalg.inv(low)  # one inverse and two products take less than two solutions
    d = adjoint_matrix(inverse, a_dtype) @ (phi @ inverse)
    return read_triangle(conj_complex(d, a_dtype), a_dtype, upper, triangle)


@runtime
def reduced_resolvents(x: Array, at: Array, vectors: Array, w: Array, v: Array, a: Array,
                       half: str) -> Array:
    """``(at_k - A^T)^+ x_k`` for some eigenvalues ``at`` of a Hermitian matrix (Kato 1966, section
    I.5.3), of which ``w`` and ``v`` are all eigenvalues and eigenvectors, and one ``half`` ("L" or
    "U") is read, or (if empty) both: 0 for a column of zeros, NaN where ``at_k`` is another
    vector's eigenvalue, too.

    Its derivative needs no other vectors than those asked for: it is that of a solution ``y`` of
    ``(at_k - A^T) y + conj(vectors_k) l = x_k``, ``vectors_k^T y = 0``.

    >>> a = np.diag([1.0, 1.0, 3.0])
    >>> w, v = np.array([1.0, 1.0, 3.0]), np.eye(3)
    >>> reduced_resolvents(np.ones((3, 1)), w[2:], v[:, 2:], w, v, a, "L").tolist()
    [[0.5], [0.5], [0.0]]
    """
    gaps = at[..., None, :] - w[..., :, None]
    size = np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
    same = np.abs(gaps) <= 4 * w.shape[-1] * np.finfo(w.dtype).eps * size
    lone = np.sum(same, axis=-2, keepdims=True) == 1
    factors = np.where(same, np.where(lone, 0, np.nan), 1 / np.where(same, 1, gaps))
    inner = factors * (np.swapaxes(v, -1, -2) @ x)
    return np.conj(v) @ np.where(np.any(x, axis=-2, keepdims=True), inner, 0)


@vjp(reduced_resolvents, "x", "at", "vectors", "a", w=None, v=None)
def reduced_resolvents_rule(ct: Array, ans: Array, x: Array, at: Array, vectors: Array, w: Array,
                            v: Array, a: Array, a_dtype: Dtype, half: str) -> Any:
    turned = conj_complex(ct, a_dtype)
    d_x = conj_complex(reduced_resolvents(turned, at, vectors, w, v, a, half), a_dtype)
    moved = np.where(np.any(x, axis=-2, keepdims=True), d_x, 0)
    along, back = np.sum(vectors * x, axis=-2, keepdims=True), np.sum(
        conj_complex(vectors, a_dtype) * ct, axis=-2, keepdims=True)
    d_a = ans @ matrix_transpose(moved)
    return (d_x, -np.sum(np.real(moved * ans), axis=-2),
            -conj_complex(moved * along, a_dtype) - back * ans,
            read_triangle(d_a, a_dtype, half == "U", "read" if half else "both"))


@runtime
def sum_of_outer(y: Array, v: Array) -> Array:
    """``y @ v^T``; where a column of ``y`` is 0 that of ``v`` may have no derivative.

    >>> sum_of_outer(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return y @ np.swapaxes(v, -1, -2)


@vjp(sum_of_outer, "y", "v")
def sum_of_outer_y_v(ct: Array, y: Array, v: Array) -> tuple[Array, Array]:
    d_v = matrix_transpose(ct) @ y
    return ct @ v, np.where(np.any(y, axis=-2, keepdims=True), d_v, 0)


@runtime
def from_eigenvalues(x: Array, w: Array, v: Array, a: Array) -> Array:
    """``V^-T diag(x) V^T``: the cotangent of a matrix for that of its eigenvalues.

    >>> v = np.array([[1.0, 1.0], [0.0, 1.0]])
    >>> from_eigenvalues(np.array([1.0, 0.0]), np.array([2.0, 3.0]), v, np.eye(2))
    array([[ 1.,  0.],
           [-1.,  0.]])
    """
    vt = np.swapaxes(v, -1, -2)
    return solution_or_nan(vt, np.expand_dims(x, -1) * vt)


@vjp(from_eigenvalues, "x", "a", w=None, v=None)
def from_eigenvalues_rule(ct: Array, x: Array, w: Array, v: Array, a_dtype: Dtype) -> Any:
    """That of a function of the matrix which has the values ``x`` at ``w``: NaN where some of ``w``
    are equal, as nothing is known of its slope."""
    vt = matrix_transpose(v)
    left = matrix_transpose(inverse_or_nan(v))
    g = vt @ matrix_transpose(ct) @ left
    rises = np.expand_dims(x, -2) - np.expand_dims(x, -1)
    return _diagonal(g), real_of_real(left @ (inverse_gaps(w) * rises * g) @ vt, a_dtype)


def _half(UPLO: str, triangle: str) -> str:
    """The half of a matrix that is read; empty for both."""
    return "" if triangle == "both" else UPLO.upper()


def _eigh(w_ct: Array, v_ct: Array, w: Array, v: Array, a: Array, dtype: Dtype, half: str
          ) -> Array:
    turn = conj_complex(v, dtype)
    if w_ct is not None:
        w_ct = shared_by_equals(w_ct, w)
    if v_ct is None:
        return (turn * np.expand_dims(w_ct, -2)) @ matrix_transpose(v)
    if dtype.kind == "c":
        v_ct = of_turned(v_ct, v)
    d = sum_of_outer(reduced_resolvents(v_ct, w, v, w, v, a, half), v)
    if w_ct is not None:
        d = d + (turn * np.expand_dims(w_ct, -2)) @ matrix_transpose(v)
    return d


@vjp(np.linalg.eigh, "a", settings={"triangle": "read"})
def eigh_a(ct: Any, ans: Any, a: Array, a_dtype: Dtype, UPLO: Any, triangle: str) -> Array:
    d = _eigh(ct[0], ct[1], ans[0], ans[1], a, a_dtype, _half(UPLO, triangle))
    return read_triangle(d, a_dtype, UPLO in ("U", "u"), triangle)


@vjp(np.linalg.eigvalsh, "a", settings={"triangle": "read"})
def eigvalsh_a(ct: Array, a: Array, a_dtype: Dtype, UPLO: Any, triangle: str) -> Array:
    w, v = np.linalg.eigh(a) if UPLO == "L" else np.linalg.eigh(a, UPLO)
    d = _eigh(ct, None, w, v, a, a_dtype, _half(UPLO, triangle))
    return read_triangle(d, a_dtype, UPLO in ("U", "u"), triangle)


@vjp(np.linalg.eig, "a")
def eig_a(ct: Any, ans: Any, a: Array, a_dtype: Dtype) -> Array:
    """van der Aa, ter Morsche and Mattheij (2007), eigenvectors kept at unit length, and their
    phases where LAPACK has them."""
    w_ct, v_ct = ct
    w, v = ans
    vt = matrix_transpose(v)
    if v_ct is None:
        return real_of_real(from_eigenvalues(w_ct, w, v, a), a_dtype)
    g = vt @ of_turned(v_ct, v)
    lengths = np.real(_diagonal(g))
    inner = over_gaps(g - (vt @ np.conj(v)) * np.expand_dims(lengths, -2), w, g)
    if w_ct is not None:
        inner = inner + _on_diagonal(w_ct, inner)
    return real_of_real(solution_or_nan(vt, inner @ vt), a_dtype)


def real_of_real(d: Array, dtype: Dtype) -> Array:
    """A real matrix may have complex eigenvalues: the data tells, not the dtype."""
    return d if dtype.kind == "c" else np.real(d).astype(dtype)


vjp(np.linalg.eigvals, a=lambda ct, a, a_dtype: eig_a((ct, None), np.linalg.eig(a), a, a_dtype))


@runtime
def leading(x: Array, axis: int, like: Array) -> Array:
    """As many entries of ``x`` along ``axis`` as ``like`` has in its last axis.

    The rest must be zero: it belongs to an orthonormal completion that is not unique.
    """
    n = np.shape(like)[-1]
    parts = np.moveaxis(x, axis, -1)
    if np.any(parts[..., n:]):
        raise ValueError(
            "the columns that complete U, Vh or Q to a square matrix have no derivative; "
            "use full_matrices=False or mode='reduced'"
        )
    return np.moveaxis(parts[..., :n], -1, axis)


linear(leading, x=lambda ct, x_shape, axis: resize_axis(ct, x_shape[axis], axis))
inactive(leading, "like")


@runtime
def inverses_beyond(s: Array, basis: Array) -> Array:
    """``1 / s``, by which what lies beyond the span of a basis is multiplied: zeros if it spans the
    whole space, so that singular values may be zero there.

    >>> inverses_beyond(np.array([2.0, 0.0]), np.eye(2)).tolist()
    [0.0, 0.0]
    """
    whole = np.shape(basis)[-1] == np.shape(basis)[-2]
    return np.zeros_like(s) if whole else 1 / s


vjp(inverses_beyond, s=lambda ct, ans: -ct * ans * ans)
inactive(inverses_beyond, "basis")


def _svd(u_ct: Array, s_ct: Array, vh_ct: Array, u: Array, s: Array, vh: Array,
         dtype: Dtype) -> Array:
    """``A = U S Vh`` with ``k`` columns and rows; cotangents and result in PyTorch's convention
    (conjugates of the book's)."""
    if u_ct is None and vh_ct is None:
        return (u * np.expand_dims(watched(s_ct, s), -2)) @ vh
    row, column = np.expand_dims(s, -2), np.expand_dims(s, -1)
    squares = s * s
    inner: Array = 0
    rest: Array = 0
    if u_ct is not None:
        g = adjoint_matrix(u, dtype) @ u_ct
        inner = over_gaps(g - adjoint_matrix(g, dtype), squares, g) * row
        if dtype.kind == "c":
            phases = 1j * np.imag(_diagonal(g)) * (1 / s)
            inner = inner + _on_diagonal(phases, inner)
        rest = ((u_ct - u @ g) * np.expand_dims(inverses_beyond(s, u), -2)) @ vh
    if vh_ct is not None:
        g = vh_ct @ adjoint_matrix(vh, dtype)
        turned = adjoint_matrix(g, dtype)
        inner = inner + column * over_gaps(turned - g, squares, turned)
        rest = rest + u @ (np.expand_dims(inverses_beyond(s, vh), -1) * (vh_ct - g @ vh))
    if s_ct is not None:
        inner = inner + _on_diagonal(s_ct, inner)
    return u @ inner @ vh + rest


def _conjugate(x: Array, dtype: Dtype) -> Array:
    return None if x is None else conj_complex(x, dtype)


@vjp(np.linalg.svd, "a")
def svd_a(ct: Any, ans: Any, a: Array, a_dtype: Dtype, compute_uv: bool) -> Array:
    if not compute_uv:
        u, s, vh = np.linalg.svd(a, full_matrices=False)
        return conj_complex(_svd(None, ct, None, u, s, vh, a_dtype), a_dtype)
    u, s, vh = ans
    u_ct, s_ct, vh_ct = ct
    u, vh = _thin(u, -1, s), _thin(vh, -2, s)
    u_ct = None if u_ct is None else leading(conj_complex(u_ct, a_dtype), -1, s)
    vh_ct = None if vh_ct is None else leading(conj_complex(vh_ct, a_dtype), -2, s)
    return _conjugate(_svd(u_ct, s_ct, vh_ct, u, s, vh, a_dtype), a_dtype)


def _thin(x: Array, axis: int, s: Array) -> Array:
    index: list[Any] = [slice(None)] * np.ndim(x)
    index[axis] = slice(None, np.shape(s)[-1])
    return x[tuple(index)]


vjp(np.linalg.svdvals, x=lambda ct, x, x_dtype: svd_a(ct, None, x, x_dtype, False))


@vjp(np.linalg.qr, "a")
def qr_a(ct: Any, ans: Any, a: Array, a_dtype: Dtype, mode: str) -> Array:
    """Walter and Lehmann (2010) for the leading square block of R; the columns of a wide matrix
    beyond it are ``Q^H a``."""
    if mode not in ("reduced", "r", "complete"):
        raise NoRule(f"np.linalg.qr has no derivative rule with mode={mode!r}; use 'reduced'")
    if mode == "complete":
        (q, r), (q_ct, r_ct) = ans, ct
        like = np.linalg.diagonal(r)
        q_ct = None if q_ct is None else leading(q_ct, -1, like)
        r_ct = None if r_ct is None else _thin(np.triu(r_ct), -2, like)
        ct, ans = (q_ct, r_ct), (_thin(q, -1, like), _thin(r, -2, like))
    if mode == "r":
        q, r = np.linalg.qr(a)
        q_ct, r_ct = None, np.reshape(ct, np.shape(r))  # engines learn that sizes agree
    else:
        (q, r), (q_ct, r_ct) = ans, ct
    k = np.shape(q)[-1]
    q_ct, r_ct = _conjugate(q_ct, a_dtype), _conjugate(r_ct, a_dtype)
    if q_ct is None:
        q_ct = np.zeros_like(q)
    if r_ct is None:
        r_ct = np.zeros_like(r)
    beyond, square = a[..., k:], r[..., :k]
    q_ct = q_ct + beyond @ adjoint_matrix(r_ct[..., k:], a_dtype)
    m = square @ adjoint_matrix(r_ct[..., :k], a_dtype) - adjoint_matrix(q_ct, a_dtype) @ q
    strict = np.tril(m, -1)
    middle = _diagonal(m)
    if a_dtype.kind == "c":
        middle = np.real(middle)
    hermitian = strict + adjoint_matrix(strict, a_dtype) + _on_diagonal(middle, m)
    d = q_ct + q @ hermitian
    left = adjoint_matrix(solution_or_nan(square, adjoint_matrix(d, a_dtype)), a_dtype)
    return _conjugate(np.concatenate([left, q @ r_ct[..., k:]], axis=-1), a_dtype)
