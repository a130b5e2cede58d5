"""Functions of ``scipy.linalg``; registered when the user has imported it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as sl

from srcgrad.rules.book import (
    Array,
    Dtype,
    NoRule,
    Shape,
    linear,
    nondiff,
    sequence,
    static,
    variant,
    vjp,
)
from srcgrad.rules.broadcast import dispatching, eye, runtime
from srcgrad.rules.numpy.decompositions import (
    cholesky_a,
    eig_a,
    eigh_a,
    eigvalsh_a,
    qr_a,
    read_triangle,
    svd_a,
)
from srcgrad.rules.numpy.linear_algebra import cut_pinv_a, frechet_transpose, lstsq_a_b, solve_a_b
from srcgrad.rules.numpy.norms import norm_x
from srcgrad.rules.numpy.products import matrix_transpose

_solve_triangular = dispatching(sl.solve_triangular)
_cho_solve = dispatching(sl.cho_solve)
_lu_solve = dispatching(sl.lu_solve)
_solve_sylvester = dispatching(sl.solve_sylvester)
_solve_continuous_lyapunov = dispatching(sl.solve_continuous_lyapunov)
_solve_discrete_lyapunov = dispatching(sl.solve_discrete_lyapunov)


def _only(function: str, **settings: Any) -> None:
    """Refuse settings that the formulas do not cover: each must be None or False."""
    for name, value in settings.items():
        if value is not None and value is not False:
            raise NoRule(f"{function} has no derivative rule with {name}={value!r}")


def _outer(column: Array, row: Array) -> Array:
    """``column @ row.T`` for vectors or matrices of columns."""
    return np.outer(column, row) if np.ndim(column) == 1 else column @ matrix_transpose(row)


# ---- systems -------------------------------------------------------------------------------------

_STRUCTURES = {None: None, "gen": None, "general": None, "sym": "both", "symmetric": "both",
               "her": "both", "hermitian": "both", "pos": "both",
               "positive definite": "both"}  # fmt: skip


@vjp(sl.solve, "a", "b", settings={"triangle": "read"})
def scipy_solve(ct: Array, ans: Array, a: Array, a_shape: Shape, a_dtype: Dtype, b_shape: Shape,
                lower: bool, assume_a: Any, transposed: bool, triangle: str) -> Any:
    if assume_a not in _STRUCTURES:
        raise NoRule(f"scipy.linalg.solve has no derivative rule with assume_a={assume_a!r}")
    _only("scipy.linalg.solve", transposed=transposed)
    symmetric = _STRUCTURES[assume_a]
    full = _mirrored(a, a_dtype, lower, assume_a) if symmetric else a
    d_a, d_b = solve_a_b(ct, ans, full, a_shape, b_shape)
    return (read_triangle(d_a, a_dtype, not lower, triangle) if symmetric else d_a), d_b


def _mirrored(a: Array, dtype: Dtype, lower: bool, assume_a: str) -> Array:
    """The symmetric or Hermitian matrix that one triangle of ``a`` stands for."""
    strict, whole = (np.tril(a, -1), np.tril(a)) if lower else (np.triu(a, 1), np.triu(a))
    other = matrix_transpose(strict)
    hermitian = dtype.kind == "c" and assume_a not in ("sym", "symmetric")
    return whole + (np.conj(other) if hermitian else other)


def _transposed_flag(trans: Any, dtype: Dtype) -> bool:
    if trans in (2, "C") and dtype.kind == "c":
        raise NoRule("no derivative rule with trans='C' for complex matrices")
    return trans not in (0, "N")


@vjp(sl.solve_triangular, "a", "b")
def solve_triangular_a_b(ct: Array, ans: Array, a: Array, a_dtype: Dtype, trans: Any, lower: bool,
                         unit_diagonal: bool) -> Any:
    turned = _transposed_flag(trans, a_dtype)
    trans = 0 if turned else 1
    d_b = _solve_triangular(a, ct, trans=trans, lower=lower, unit_diagonal=unit_diagonal)
    d_a = -_outer(ans, d_b) if turned else -_outer(d_b, ans)
    off = 1 if unit_diagonal else 0
    return (np.tril(d_a, -off) if lower else np.triu(d_a, off)), d_b


vjp(sl.cholesky, settings={"triangle": "read"},
    a=lambda ct, ans, a_dtype, lower, triangle: cholesky_a(ct, ans, a_dtype, not lower, triangle))


@vjp(sl.cho_factor, "a", settings={"triangle": "read"})
def cho_factor_a(ct: Any, ans: Any, a_dtype: Dtype, lower: bool, triangle: str) -> Array:
    part = np.tril if lower else np.triu
    d = cholesky_a(part(ct[0]), part(ans[0]), a_dtype, not lower, triangle)
    return d + (np.triu(ct[0], 1) if lower else np.tril(ct[0], -1))  # that triangle is kept


@vjp(sl.cho_solve, "c_and_lower", "b")
def cho_solve_c_b(ct: Array, ans: Array, c_and_lower: Any) -> Any:
    c, lower = c_and_lower
    d_b = np.conj(_cho_solve((c, lower), np.conj(ct)))
    d_a = -_outer(d_b, ans)
    both = d_a + np.conj(matrix_transpose(d_a))
    if isinstance(lower, bool):
        return [_factor_cotangent(c, both, lower), None], d_b
    d_c = np.where(lower, _factor_cotangent(c, both, True), _factor_cotangent(c, both, False))
    return [d_c, None], d_b


def _factor_cotangent(c: Array, both: Array, lower: bool) -> Array:
    """From the cotangent of ``L @ L^H`` or ``U^H @ U``, both halves added."""
    return np.tril(both @ np.conj(np.tril(c))) if lower else np.triu(np.conj(np.triu(c)) @ both)


@runtime
def row_order(piv: Array) -> Array:
    """The rows of ``a`` in the order of ``L @ U``, from LAPACK's row interchanges."""
    order = np.arange(np.shape(piv)[0])
    for i, j in enumerate(piv):
        order[[i, j]] = order[[j, i]]
    return order


nondiff(row_order)


def _unit_lower(lu: Array) -> Array:
    strict = np.tril(lu, -1)
    return strict + eye(np.shape(lu)[0], dtype=lu.dtype)


@vjp(sl.lu_factor, "a")
def lu_factor_a(ct: Any, ans: Any) -> Array:
    """Of a square matrix: ``a[order] = L @ U``."""
    lu, piv = ans
    low, up = _unit_lower(lu), np.triu(lu)
    inner = np.tril(low.T @ np.tril(ct[0], -1), -1) + np.triu(np.triu(ct[0]) @ up.T)
    left = _solve_triangular(low, inner, trans=1, lower=True, unit_diagonal=True)
    d = _solve_triangular(up, left.T, trans=0).T
    return d[np.argsort(row_order(piv))]


@vjp(sl.lu_solve, "lu_and_piv", "b")
def lu_solve_lu_b(ct: Array, ans: Array, lu_and_piv: Any, b_dtype: Dtype, trans: Any) -> Any:
    lu, piv = lu_and_piv
    turned = _transposed_flag(trans, lu.dtype)
    d_b = _lu_solve((lu, piv), ct, trans=0 if turned else 1)
    d_a = -_outer(ans, d_b) if turned else -_outer(d_b, ans)
    d = d_a[row_order(piv)]
    d_low = np.tril(d @ np.triu(lu).T, -1)
    return [d_low + np.triu(_unit_lower(lu).T @ d), None], d_b


@vjp(sl.lstsq, "a", "b")
def scipy_lstsq(ct: Any, ans: Any, a: Array, b: Array, a_dtype: Dtype, b_ndim: int,
                cond: Any) -> Any:
    residual_ct = None if ct[1] is None else np.reshape(ct[1], -1)
    return lstsq_a_b((ct[0], residual_ct, None, ct[3]), ans, a, b, a_dtype, b_ndim,
                     -1 if cond is None else cond)


@vjp(sl.solve_sylvester, "a", "b", "q")
def solve_sylvester_a_b_q(ct: Array, ans: Array, a: Array, b: Array) -> Any:
    """``a x + x b = q``."""
    d_q = np.reshape(_solve_sylvester(a.T, b.T, ct), np.shape(ct))  # engines learn the shape
    return -(d_q @ ans.T), -(ans.T @ d_q), d_q


def _real_matrix(function: str, dtype: Dtype) -> None:
    if dtype.kind == "c":
        raise NoRule(f"{function} has a derivative rule for real matrices only")


@vjp(sl.solve_continuous_lyapunov, "a", "q")
def continuous_lyapunov_a_q(ct: Array, ans: Array, a: Array, a_dtype: Dtype) -> Any:
    """``a x + x a.T = q``."""
    _real_matrix("scipy.linalg.solve_continuous_lyapunov", a_dtype)
    d_q = _solve_continuous_lyapunov(a.T, ct)
    return -(d_q @ ans.T + d_q.T @ ans), d_q


@vjp(sl.solve_discrete_lyapunov, "a", "q")
def discrete_lyapunov_a_q(ct: Array, ans: Array, a: Array, a_dtype: Dtype) -> Any:
    """``a x a.T - x + q = 0``."""
    _real_matrix("scipy.linalg.solve_discrete_lyapunov", a_dtype)
    d_q = _solve_discrete_lyapunov(a.T, ct)
    return d_q @ a @ ans.T + d_q.T @ a @ ans, d_q


@vjp(sl.solve_continuous_are, "a", "b", "q", "r")
def continuous_are(ct: Array, ans: Array, a: Array, a_dtype: Dtype, b: Array, r: Array, e: Any,
                   s: Any) -> Any:
    """``a.T x + x a - x b inv(r) b.T x + q = 0`` for symmetric ``q`` and ``r``: its derivative
    is a Lyapunov equation of the closed loop ``a - b k``."""
    _real_matrix("scipy.linalg.solve_continuous_are", a_dtype)
    _only("scipy.linalg.solve_continuous_are", e=e, s=s)
    gain = np.linalg.solve(r, b.T @ ans)
    y = _solve_continuous_lyapunov(a - b @ gain, -0.5 * (ct + ct.T))
    x_y = ans @ y
    return 2 * x_y, -2 * (x_y @ gain.T), y, gain @ y @ gain.T


@vjp(sl.solve_discrete_are, "a", "b", "q", "r")
def discrete_are(ct: Array, ans: Array, a: Array, a_dtype: Dtype, b: Array, r: Array, e: Any,
                 s: Any) -> Any:
    """``a.T x a - x - a.T x b inv(r + b.T x b) b.T x a + q = 0``, likewise."""
    _real_matrix("scipy.linalg.solve_discrete_are", a_dtype)
    _only("scipy.linalg.solve_discrete_are", e=e, s=s)
    gain = np.linalg.solve(r + b.T @ ans @ b, b.T @ ans @ a)
    closed = a - b @ gain
    y = _solve_discrete_lyapunov(closed, 0.5 * (ct + ct.T))
    x_y = ans @ closed @ y
    return 2 * x_y, -2 * (x_y @ gain.T), y, gain @ y @ gain.T


# ---- functions of matrices -----------------------------------------------------------------------


def _frechet(function: Any) -> Any:
    dispatched = dispatching(function)
    return lambda ct, a: frechet_transpose(dispatched, ct, a)


for _function in (sl.expm, sl.logm, sl.sqrtm):
    vjp(_function, "a", like=lambda a, *options: None)(_frechet(_function))
for _function in (sl.sinm, sl.cosm, sl.tanm, sl.sinhm, sl.coshm, sl.tanhm):
    vjp(_function, "a", like=lambda a: None)(_frechet(_function))


_expm_back = _frechet(sl.expm)


@vjp(sl.expm_frechet, "A", "E")
def expm_frechet_inputs(ct: Any, A: Array, E: Array, compute_expm: bool) -> tuple[Array, Array]:
    """The derivative stands in the corner of the exponential of ``[[A, E], [0, A]]``."""
    whole, moved = ct if compute_expm else (None, ct)
    zero = np.zeros_like(A)
    block = np.block([[A, E], [zero, A]])
    cts = np.block([[zero if whole is None else whole, zero if moved is None else moved],
                    [zero, zero]])
    found = _expm_back(cts, block)
    size = np.shape(A)[0]
    return found[:size, :size] + found[size:, size:], found[:size, size:]


# ---- NumPy's functions under other signatures --------------------------------------------------

for _target in (np.linalg.inv, np.linalg.det, np.linalg.svd, np.linalg.eigvals):
    variant(_target, getattr(sl, _target.__name__))


vjp(sl.pinv,
    a=lambda ct, ans, a, a_dtype, atol, rtol, return_rank: cut_pinv_a(
        ct[0] if return_rank else ct, ans[0] if return_rank else ans, a, a_dtype, rtol, atol))

vjp(sl.svdvals, a=lambda ct, a, a_dtype: svd_a(ct, None, a, a_dtype, False))


@vjp(sl.eig, "a")
def scipy_eig(ct: Any, ans: Any, a: Array, a_dtype: Dtype, left: bool, right: bool,
              homogeneous_eigvals: bool) -> Array:
    _only("scipy.linalg.eig", left=left, homogeneous_eigvals=homogeneous_eigvals)
    if not right:
        raise NoRule("scipy.linalg.eig: use eigvals for the eigenvalues alone")
    return eig_a(ct, ans, a, a_dtype)


@vjp(sl.eigh, "a", settings={"triangle": "read"})
def scipy_eigh(ct: Any, ans: Any, a: Array, a_dtype: Dtype, b: Array, lower: bool,
               eigvals_only: bool, subset_by_index: Any, subset_by_value: Any,
               triangle: str) -> Array:
    _only("scipy.linalg.eigh", b=b, subset_by_index=subset_by_index,
          subset_by_value=subset_by_value)  # fmt: skip
    half = "L" if lower else "U"
    if eigvals_only:
        return eigvalsh_a(ct, a, a_dtype, half, triangle)
    return eigh_a(ct, ans, a, a_dtype, half, triangle)


@vjp(sl.eigvalsh, "a", settings={"triangle": "read"})
def scipy_eigvalsh(ct: Array, a: Array, a_dtype: Dtype, b: Array, lower: bool, subset_by_index: Any,
                   subset_by_value: Any, triangle: str) -> Array:
    _only("scipy.linalg.eigvalsh", b=b, subset_by_index=subset_by_index,
          subset_by_value=subset_by_value)  # fmt: skip
    return eigvalsh_a(ct, a, a_dtype, "L" if lower else "U", triangle)


vjp(sl.norm,
    a=lambda ct, ans, a, a_ndim, a_dtype, ord, axis, keepdims:
        norm_x(ct, ans, a, a_ndim, a_dtype, ord, axis, keepdims))


@vjp(sl.qr, "a")
def scipy_qr(ct: Any, ans: Any, a: Array, a_dtype: Dtype, mode: str, pivoting: bool) -> Array:
    _only("scipy.linalg.qr", pivoting=pivoting)
    names = {"economic": "reduced", "full": "complete"}
    if mode not in names:
        raise NoRule(f"scipy.linalg.qr has no derivative rule with mode={mode!r}")
    return qr_a(ct, ans, a, a_dtype, names[mode])


def _shape_of_list(shape: Any) -> Shape:
    """The shape of an array, also of one that is given as a list (whose items' shapes these
    are)."""
    return (len(shape), *_shape_of_list(shape[0])) if isinstance(shape, list) else shape


@linear(sl.block_diag, "arrs")
def block_diag_arrs(ct: Array, arrs_shape: list[Shape]) -> list[Array]:
    result, row, column = [], 0, 0
    for given in arrs_shape:
        shape = _shape_of_list(given)
        rows, columns = (1,) * (2 - len(shape)) + shape
        block = ct[row : row + rows, column : column + columns]
        result.append(np.reshape(block, shape))
        row, column = row + rows, column + columns
    return result

sequence(sl.cho_solve, "c_and_lower")
sequence(sl.lu_solve, "lu_and_piv")
static(sl.norm, "ord")
static(sl.solve_triangular, "trans")
static(sl.lu_solve, "trans")
