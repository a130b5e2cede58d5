"""Factorisations of matrices: Cholesky, QR, SVD, eigenvalues, LU."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import LinAlgError, refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, within, wrap
from srcgrad.eager.grad_mode import GRAD, state
from srcgrad.eager.nodes import RefusingPlan, make_node, named, node_class
from srcgrad.eager.ops.arguments import warn_once
from srcgrad.eager.ops.complex_views import complex_of, conj
from srcgrad.eager.ops.linear_algebra import (
    LINALG,
    first_bad,
    inverse,
    need_inexact,
    need_matrix,
    need_single,
    need_square,
    solution,
    solve_triangular,
    zero_pivot,
)
from srcgrad.eager.ops.products import matmul
from srcgrad.eager.ops.shapes import transpose
from srcgrad.eager.views import gradient_edge, requires_grad, set_history
from srcgrad.rules.nn import lu_factors

_BOTH = {"triangle": "both"}
_CHOLESKY = Primitive(np.linalg.cholesky, "LinalgCholeskyExBackward0", shown={"ans": "L"},
                      settings=_BOTH)
_OLD_CHOLESKY = Primitive(np.linalg.cholesky, "CholeskyBackward0", settings=_BOTH)
_QR = Primitive(np.linalg.qr, "LinalgQrBackward0", outputs=2)
# QR decompositions without derivative, by mode.
_QR_REFUSING = {
    "r": RefusingPlan("The derivative of linalg.qr depends on Q, which is not computed when "
                      "mode='r'. Please use linalg.qr(A, mode='reduced') if you are going to "
                      "differentiate through linalg.qr.", outputs=2),
    "complete": RefusingPlan("The QR decomposition is not differentiable when mode='complete' and "
                             "nrows > ncols.", outputs=2),
}
_SVD = Primitive(np.linalg.svd, "LinalgSvdBackward0", outputs=3)
_SVDVALS = Primitive(np.linalg.svdvals, "LinalgSvdBackward0")
_EIGH = Primitive(np.linalg.eigh, "LinalgEighBackward0", outputs=2, settings=_BOTH)
_EIGVALSH = Primitive(np.linalg.eigvalsh, "LinalgEighBackward0", settings=_BOTH)
_EIG = Primitive(np.linalg.eig, "LinalgEigBackward0", outputs=2)
_EIGVALS = Primitive(np.linalg.eigvals, "LinalgEigBackward0")


def _bad_minor(a: Array) -> int:
    for k in range(1, a.shape[0] + 1):
        try:
            failed = bool(np.isnan(np.linalg.cholesky(a[:k, :k])).any())
        except np.linalg.LinAlgError:
            failed = True
        if failed:
            return k
    return 0


def _positive(name: str, prim: Primitive, A: Tensor, upper: bool) -> Any:
    low = _factor(prim, A, upper)
    if low is None:
        raise LinAlgError(
            "{}: {}The factorization could not be completed because the input is not "
            "positive-definite (the leading minor of order {} is not positive-definite).".format(
                name, *first_bad(A._a, _bad_minor)))
    return low


def _factor(prim: Primitive, A: Tensor, upper: bool) -> Any:
    """The Cholesky factor, if there is one."""
    try:
        low = prim(A, upper=upper)
    except np.linalg.LinAlgError:
        return None
    return None if np.isnan(np.linalg.diagonal(low._a)).any() else low


@within(LINALG, "cholesky")
def cholesky(A: Tensor, *, upper: bool = False) -> Any:
    """The triangular factor of a positive-definite matrix."""
    return _positive("linalg.cholesky", _CHOLESKY, need_matrix("linalg.cholesky", A), upper)


@op("cholesky")
def _cholesky(input: Tensor, upper: bool = False) -> Any:
    warn_once("torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed "
              "in a future PyTorch release.\nL = torch.cholesky(A)\nshould be replaced with\nL = "
              "torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\nshould be "
              "replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce "
              "equivalent results for all valid (symmetric positive definite) inputs.")
    return _positive("cholesky", _OLD_CHOLESKY, need_matrix("cholesky", input), upper)


# -- factorisations ------------------------------------------------------------------------


@within(LINALG, "qr", gives="Q R")
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """The QR decomposition."""
    need_matrix("linalg.qr", A, square=False)
    refuse(mode not in ("reduced", "r", "complete"), "qr received unrecognized mode '{}' but "
           "expected one of 'reduced' (default), 'r', or 'complete'", mode)
    if mode == "reduced" or (mode == "complete" and A._a.shape[-2] <= A._a.shape[-1]):
        return _QR(A, mode=mode)
    found: Any = np.linalg.qr(A._a, "complete") if mode == "complete" else (
        np.empty(0, A._a.dtype), np.linalg.qr(A._a, "r"))
    factors = [wrap(f, A._dt) for f in found]
    if state.mode & GRAD and requires_grad(A):
        node = make_node(node_class("LinalgQrBackward0"), _QR_REFUSING[mode], (gradient_edge(A),),
                         None, None)
        for k, factor in enumerate(factors):
            set_history(factor, node, k)
    return factors


@op("qr", gives="Q R")
def _old_qr(input: Tensor, some: bool = True) -> Any:
    warn_once("torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future "
              "PyTorch release.\nThe boolean parameter 'some' has been replaced with a string "
              "parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced with\nQ, R = "
              "torch.linalg.qr(A, 'reduced' if some else 'complete')")
    return qr(input, "reduced" if some else "complete")


@within(LINALG, "svd", gives="U S Vh")
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """The singular value decomposition."""
    need_matrix("linalg.svd", A, square=False)
    return _SVD(A, full_matrices=full_matrices)


@op("svd", gives="U S V")
def _old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    refuse(input._a.ndim < 2, "linalg.svd: input should have at least 2 dimensions, but has {} "
           "dimensions instead", input._a.ndim)
    u, s, vh = svd(input, full_matrices=not some)
    return u, s, conj(transpose(vh, -2, -1))


@within(LINALG, "svdvals")
def svdvals(A: Tensor, *, driver: str | None = None) -> Any:
    """The singular values."""
    return _SVDVALS(need_matrix("linalg.svd", A, square=False))


@within(LINALG, "eigh", gives="eigenvalues eigenvectors")
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of a symmetric matrix."""
    _check_triangle(A, UPLO)
    return _EIGH(A, UPLO=UPLO)


@within(LINALG, "eigvalsh")
def eigvalsh(A: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues of a symmetric matrix."""
    _check_triangle(A, UPLO)
    return _EIGVALSH(A, UPLO=UPLO)


def _check_triangle(A: Tensor, which: str) -> None:
    need_square("linalg.eigh: ", A)
    refuse(which not in ("L", "U", "l", "u"), "Expected UPLO argument to be 'L' or 'U', but got {}",
           which)
    need_matrix("linalg.eigh", A)


def _complex_matrix(title: str, A: Tensor) -> Tensor:
    """A square matrix as one of complex numbers."""
    refuse(A._dt.category < dt.FLOATING, "Unknown Complex ScalarType for {}", A._dt.tensor_name)
    return complex_of(need_matrix(title, A))


@within(LINALG, "eig", gives="eigenvalues eigenvectors")
def eig(A: Tensor) -> Any:
    """Eigenvalues and eigenvectors of a square matrix, always complex."""
    return _EIG(_complex_matrix("linalg.eig", A))


@within(LINALG, "eigvals")
def eigvals(A: Tensor) -> Any:
    """Eigenvalues of a square matrix, always complex."""
    return _EIGVALS(_complex_matrix("linalg.eig" if requires_grad(A) else "linalg.eigvals", A))


# -- LU ------------------------------------------------------------------------------------

_LU = Primitive(lu_factors.lu_parts, "LinalgLuBackward0", outputs=3, inactive_outputs=(0,))
_LU_FACTOR = Primitive(lu_factors.lu_compact, "LinalgLuFactorExBackward0", outputs=2,
                       inactive_outputs=(1,))
_LU_SOLVE = "LinalgLuSolveBackward0"
_LU_UNPACK = Primitive(lu_factors.unpacked, "LuUnpackBackward0", outputs=3, inactive_outputs=(0,))


def _check_factored(title: str, A: Tensor) -> None:
    refuse(A._a.ndim < 2, "{}: Expected tensor with 2 or more dimensions. Got size: {} instead",
           title, list(A._a.shape))
    need_matrix("linalg.lu", A, square=False)


@within(LINALG, "lu", gives="P L U")
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """``A = P @ L @ U`` with partial pivoting (without: ``A = L @ U``, and ``P`` is empty)."""
    _check_factored("linalg.lu", A)
    p, low, up = _LU(A, pivot=pivot)
    if not pivot:
        p = wrap(np.empty(0, A._a.dtype), A._dt)
    return p, low, up


@within(LINALG, "lu_factor", gives="LU pivots")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """LU in one matrix, and the row exchanges (int32, from 1)."""
    _check_factored("torch.lu_factor", A)
    compact, pivots = _LU_FACTOR(A, pivot=pivot)
    failed = _zero_diagonals(compact._a)
    if failed.any():
        first = int(np.flatnonzero(failed)[0])
        k = int(failed.flat[first])
        batch = f"(Batch element {first}): " if failed.ndim else ""
        raise RuntimeError(
            f"torch.linalg.lu_factor: {batch}U[{k},{k}] is zero and using it on lu_solve would "
            "result in a division by zero. If you still want to perform the factorization, "
            "consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")
    return compact, pivots


def _zero_diagonals(compact: Array) -> Array:
    """For each matrix the first zero on U's diagonal, counted from 1 (0: none)."""
    zero = np.diagonal(compact, axis1=-2, axis2=-1) == 0
    if zero.shape[-1] == 0:
        return np.zeros(zero.shape[:-1], np.int32)
    return np.where(zero.any(-1), zero.argmax(-1) + 1, 0)


@within(LINALG, "lu_factor_ex", gives="LU pivots info")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """:func:`lu_factor` that reports zeros on U's diagonal in ``info`` instead of raising."""
    _check_factored("torch.lu_factor", A)
    compact, pivots = _LU_FACTOR(A, pivot=pivot)
    return compact, pivots, _info(_zero_diagonals(compact._a))


def _info(values: Any) -> Tensor:
    return wrap(np.asarray(values, np.int32), dt.int32)


@op(out=False, method=False, gives="P L U")
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True,
              unpack_pivots: bool = True) -> Any:
    """``P, L, U`` from what :func:`lu_factor` returned."""
    refuse(LU_pivots._dt is not dt.int32, "torch.lu_unpack: LU_pivots is expected to be a "
           "contiguous tensor of torch.int32 dtype.\nNote: this function is intended to be used "
           "with the output produced by torch.linalg.lu_factor")
    p, low, up = _LU_UNPACK(LU_data, LU_pivots)
    nothing = wrap(np.empty(0, LU_data._a.dtype), LU_data._dt)
    if not unpack_data:
        low = up = nothing
    return p if unpack_pivots else nothing, low, up


@within(LINALG, "lu_solve")
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True,
             adjoint: bool = False) -> Any:
    """``X`` with ``A @ X = B`` (``left=False``: ``X @ A = B``; ``adjoint``: with ``A^H``)."""
    need_square("torch.linalg.lu_solve: ", LU)
    refuse(LU._dt is not B._dt, "linalg.lu_solve: Expected LU and B to have the same dtype, but "
           "found LU of type {} and B of type {} instead", LU._dt.tensor_name, B._dt.tensor_name)
    refuse(pivots._dt is not dt.int32,
           "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    need_single("linalg.lu", LU)
    if not left:
        turned = lu_solve(LU, pivots, conj(transpose(B, -2, -1)), adjoint=not adjoint)
        return named(conj(transpose(turned, -2, -1)), _LU_SOLVE)
    order = wrap(lu_factors.permutation_of(pivots._a, LU._a.shape[-1]).astype(LU._a.dtype), LU._dt)
    if adjoint:
        mirrored = conj(transpose(LU, -2, -1))
        inner = solve_triangular(mirrored, B, upper=False)
        out = matmul(order, solve_triangular(mirrored, inner, upper=True, unitriangular=True))
        return named(out, _LU_SOLVE)
    inner = solve_triangular(LU, matmul(transpose(order, -2, -1), B), upper=False,
                             unitriangular=True)
    return named(solve_triangular(LU, inner, upper=True), _LU_SOLVE)


@op("lu_solve")
def _old_lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Any:
    warn_once("torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed "
              "in a future PyTorch release.\nNote that torch.linalg.lu_solve has its arguments "
              "reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be replaced with\nX = "
              "torch.linalg.lu_solve(LU, pivots, B)")
    return lu_solve(LU_data, LU_pivots, input)


# -- variants that report instead of raising -----------------------------------------------

def _reported(test: Any, A: Tensor) -> Tensor:
    """For each matrix of a batch what ``test`` finds wrong with it (0: nothing)."""
    batch = A._a.shape[:-2]
    return _info(np.reshape([test(A._a[where]) for where in np.ndindex(batch)], batch))


@within(LINALG, "cholesky_ex", gives="L info")
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """:func:`cholesky` and, per matrix, the order of the first minor that is not positive."""
    need_matrix("linalg.cholesky", A)
    low = _positive("linalg.cholesky_ex", _CHOLESKY, A, upper) if check_errors else (
        _factor(_CHOLESKY, A, upper))
    if low is None:
        return wrap(np.full_like(A._a, np.nan), A._dt), _reported(_bad_minor, A)
    return low, _info(np.zeros(A._a.shape[:-2]))


@within(LINALG, "inv_ex", gives="inverse info")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """:func:`inv` and, per matrix, the number of the pivot that is zero."""
    info = _reported(zero_pivot, need_matrix("linalg.inv", A))
    return inverse(A, "inv_ex", check_errors), info


@within(LINALG, "solve_ex", gives="result info")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """:func:`solve` and, per matrix, the number of the pivot that is zero."""
    need_inexact("linalg.solve", A)
    info = _reported(zero_pivot, need_matrix("linalg.solve", A))
    return solution(A, B, left, "solve_ex", check_errors), info


@within(LINALG, "householder_product")
def householder_product(A: Tensor, tau: Tensor) -> Any:
    """The first columns of a product of Householder reflectors (LAPACK's orgqr)."""
    title = "torch.linalg.householder_product: "
    refuse(A._a.ndim < 2, title + "input must have at least 2 dimensions.")
    m, n = A._a.shape[-2:]
    refuse(m < n, title + "input.shape[-2] must be greater than or equal to input.shape[-1]")
    refuse(tau._a.shape[-1:] > (n,), title + "input.shape[-1] must be greater than or equal to "
           "tau.shape[-1]")
    refuse(tau._a.ndim != A._a.ndim - 1, title + "Expected tau to have one dimension less than "
           "input, but got tau.ndim equal to {} and input.ndim is equal to {}", tau._a.ndim,
           A._a.ndim)
    refuse(tau._a.shape[:-1] != A._a.shape[:-2], title + "Expected batch dimensions of tau to be "
           "equal to input.shape[:-2], but got {}", list(tau._a.shape[:-1]))
    refuse(tau._dt is not A._dt, title + "tau dtype {} does not match input dtype {}",
           tau._dt.tensor_name, A._dt.tensor_name)
    below = A.tril(-1)
    out: Any = wrap(np.eye(m, n, dtype=A._a.dtype), A._dt).expand(A._a.shape)
    for i in reversed(range(tau._a.shape[-1])):
        unit = np.zeros((m, 1), A._a.dtype)
        unit[i] = 1
        v = below.narrow(-1, i, 1) + wrap(unit, A._dt)
        scale = tau.narrow(-1, i, 1).unsqueeze(-1)
        out = out - scale * matmul(v, matmul(conj(transpose(v, -2, -1)), out))
    return named(out, "LinalgHouseholderProductBackward0")


op("orgqr")(lambda input, tau: householder_product(input, tau))
