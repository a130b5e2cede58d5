"""Linear algebra: `torch.linalg` and the older names of the same functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import LinAlgError, refuse
from srcgrad.eager.dispatch import Primitive, Space, dt, need_tensor, op, register, within
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import not_implemented, one_dtype, warn_once
from srcgrad.eager.ops.complex_views import conj
from srcgrad.eager.ops.products import matmul
from srcgrad.eager.ops.shapes import reshape, squeeze, transpose, unsqueeze
from srcgrad.eager.tensor import Array, Tensor, wrap
from srcgrad.rules.nn import matrix_functions
from srcgrad.rules.numpy.linear_algebra import inverse_or_nan, solution_or_nan

LINALG = Space("linalg", "linalg_")
_INV = Primitive(np.linalg.inv, "LinalgInvExBackward0", shown={"ans": "inverse"})
_INV_OR_NAN = Primitive(inverse_or_nan, "LinalgInvExBackward0", shown={"ans": "inverse"})
_DET = Primitive(np.linalg.det, "LinalgDetBackward0", shown={"a": "A"})
_SLOGDET = Primitive(np.linalg.slogdet, "LinalgSlogdetBackward0", outputs=2)
_SOLVE = Primitive(np.linalg.solve, "LinalgSolveExBackward0", shown={"a": "A"})
_SOLVE_OR_NAN = Primitive(solution_or_nan, "LinalgSolveExBackward0", shown={"a": "A"})
_PINV = Primitive(np.linalg.pinv, "LinalgPinvBackward0")
_LSTSQ = Primitive(matrix_functions.least_squares, "LinalgLstsqBackward0")
_EXP = Primitive(matrix_functions.matrix_exp, "LinalgMatrixExpBackward0")
_TRIANGULAR = Primitive(matrix_functions.solve_triangular, "LinalgSolveTriangularBackward0")
_CHOLESKY_SOLVE = Primitive(matrix_functions.cholesky_solve, "CholeskySolveBackward0")


# The kernels that refuse low precision, and those that refuse integers, too.
_KERNELS = {"linalg.cholesky": "cholesky_cpu", "linalg.det": "lu_cpu", "linalg.solve": "lu_cpu",
            "linalg.eig": "linalg_eig_out_cpu", "linalg.eigvals": "linalg_eig_out_cpu",
            "linalg.qr": "geqrf_cpu", "linalg.svd": "linalg_svd_cpu"}
_STRICT = {"cholesky": "cholesky_cpu", "cholesky_inverse": "cholesky_inverse_out_cpu",
           "cholesky_solve": "cholesky_solve_cpu", "linalg.eigh": "linalg_eigh_cpu",
           "linalg.lu": "lu_cpu", "linalg.solve_triangular": "triangular_solve_cpu"}


def need_inexact(title: str, A: Tensor) -> None:
    """Refuse integers and bools as functions of ``torch.linalg`` do."""
    if A._dt.category < dt.FLOATING:
        raise RuntimeError(f"{title}: Expected a floating point or complex tensor as input. Got "
                           f"{A._dt.tensor_name}")


def need_single(title: str, A: Tensor) -> None:
    """Refuse dtypes that have less than single precision."""
    if (A._dt.category < dt.FLOATING and title in _STRICT) or A._dt in (dt.float16, dt.bfloat16):
        kernel = _STRICT.get(title) or _KERNELS.get(title)
        refuse(not kernel, "{}: Low precision dtypes not supported. Got {}", title,
               A._dt.tensor_name)
        raise not_implemented(str(kernel), A._dt)


def need_rank(start: str, A: Tensor, argument: str = "A") -> None:
    """Refuse what is no matrix, and no batch of such."""
    if A._a.ndim < 2:
        raise RuntimeError(f"{start}The input tensor {argument} must have at least 2 dimensions.")


def need_square(start: str, A: Tensor, argument: str = "A") -> None:
    """Refuse what is no square matrix, and no batch of such matrices."""
    need_rank(start, A, argument)
    n, m = A._a.shape[-2:]
    if n != m:
        raise RuntimeError(f"{start}{argument} must be batches of square matrices, but they are "
                           f"{n} by {m} matrices")


def need_matrix(title: str, A: Tensor, square: bool = True, argument: str = "A") -> Tensor:
    """``A``, if it is a matrix, or a batch of matrices, with which a function can do something."""
    need_tensor(title.replace(".", "_"), A, argument, 1)
    (need_square if square else need_rank)(f"{title}: ", A, argument)
    if title not in _STRICT:
        need_inexact(title, A)
    need_single(title, A)
    return A


def first_bad(A: Array, test: Any) -> tuple[str, Any]:
    """Which matrix of a batch fails ``test`` (its prefix for messages), and what test found."""
    if A.ndim == 2:
        return "", test(A)
    for k, matrix in enumerate(A.reshape(-1, *A.shape[-2:])):
        found = test(matrix)
        if found:
            return f"(Batch element {k}): ", found
    return "", 0


def zero_pivot(a: Array) -> int:
    """The first zero on the diagonal of U in ``P A = L U``, counted from 1."""
    u = np.array(a)
    n = u.shape[0]
    for k in range(n):
        p = k + int(np.argmax(np.abs(u[k:, k])))
        if u[p, k] == 0:
            return k + 1
        u[[k, p]] = u[[p, k]]
        u[k + 1 :] -= np.outer(u[k + 1 :, k] / u[k, k], u[k])
    return 0


@within(LINALG, "inv")
def inv(A: Tensor) -> Any:
    """The inverse of a square matrix."""
    return inverse(need_matrix("linalg.inv", A), "inv")


def inverse(A: Tensor, title: str, checked: bool = True) -> Any:
    """:func:`inv`, whose errors name the function ``title``; NaN if they are not ``checked``."""
    try:
        return _INV(A)
    except np.linalg.LinAlgError:  # a pivot is zero, or there is a NaN
        batch, k = first_bad(A._a, zero_pivot)
        refuse(k and checked, "linalg.{}: {}The diagonal element {} is zero, the inversion could "
               "not be completed because the input matrix is singular.", title, batch, k,
               kind=LinAlgError)
        return _INV_OR_NAN(A)


op("inverse")(lambda input: inv(input))


@within(LINALG, "det")
def det(A: Tensor) -> Any:
    """The determinant."""
    return _DET(need_matrix("linalg.det", A))


op("det")(lambda input: det(input))


def _plain(tolerance: Any) -> Any:
    """A tolerance (None, a number or a tensor) as an array."""
    return np.asarray(0.0 if tolerance is None else
                      tolerance._a if isinstance(tolerance, Tensor) else tolerance)


@within(LINALG, "slogdet", gives="sign logabsdet")
def slogdet(A: Tensor) -> Any:
    """The sign of a determinant, and the logarithm of its modulus."""
    return _SLOGDET(need_matrix("linalg.slogdet", A))


op("slogdet", gives="sign logabsdet")(lambda input: slogdet(input))


@op(out=False)
def logdet(input: Tensor) -> Any:
    """The logarithm of a determinant; NaN if it is negative."""
    sign, log = _SLOGDET(need_matrix("logdet", input))
    nothing = wrap(np.asarray(np.nan, log._a.dtype), log._dt)
    if input._dt.category == dt.COMPLEX:
        return log + sign.log()
    return nothing.where(wrap(np.asarray(sign._a == -1), dt.bool_), log)


@within(LINALG, "solve")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """``X`` with ``A @ X = B`` (or ``X @ A = B``)."""
    return solution(A, B, left, "solve")


def solution(A: Tensor, B: Tensor, left: bool, title: str, checked: bool = True) -> Any:
    """:func:`solve`, whose errors name the function ``title``; NaN if they are not ``checked``."""
    need_inexact("linalg.solve", A)
    if A._dt is not B._dt:
        raise RuntimeError("linalg.solve: Expected A and B to have the same dtype, but found A of "
                           f"type {A._dt.tensor_name} and B of type {B._dt.tensor_name} instead")
    need_matrix("linalg.solve", A)
    if not left:
        return transpose(
            solution(transpose(A, -2, -1), transpose(B, -2, -1), True, title, checked), -2, -1)
    vector = B._a.ndim == 1 or B._a.shape == A._a.shape[:-1]
    n = A._a.shape[-1]
    rows = B._a.shape[-1] if vector else B._a.shape[-2] if B._a.ndim > 1 else 0
    if rows != n:
        raise RuntimeError("linalg.solve: Incompatible shapes of A and B for the equation AX = B "
                           f"({A._a.shape[-2]}x{n} and {rows}x{1 if vector else B._a.shape[-1]})")
    try:
        if vector and B._a.ndim > 1:
            return named(squeeze(_SOLVE(A, unsqueeze(B, -1)), -1), "LinalgSolveExBackward0")
        return _SOLVE(A, B)
    except np.linalg.LinAlgError:  # a pivot is zero, or there is a NaN
        batch, k = first_bad(A._a, zero_pivot)
        refuse(k and checked, "torch.linalg.{}: {}The solver failed because the input matrix is "
               "singular.", title, batch, kind=LinAlgError)
        out = _SOLVE_OR_NAN(A, unsqueeze(B, -1) if vector else B)
        return named(squeeze(out, -1), "LinalgSolveExBackward0") if vector else out


@op()
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Any:
    """``X`` with ``L @ L^H @ X = input`` for a triangular factor ``L``."""
    for name, t in (("b", input), ("u", L)):
        refuse(t._a.ndim < 2, "{} should have at least 2 dimensions, but has {} dimensions instead",
               name, t._a.ndim)
    need_square("", L)
    refuse(input._a.shape[-2] != L._a.shape[-1], "Incompatible matrix sizes for cholesky_solve: "
           "each A matrix is {} by {} but each b matrix is {} by {}", *L._a.shape[-2:],
           *input._a.shape[-2:])
    refuse(input._dt is not L._dt, "Expected b and A to have the same dtype, but found b of type "
           "{} and A of type {} instead.", input._dt.tensor_name, L._dt.tensor_name)
    need_single("cholesky_solve", L)
    return _CHOLESKY_SOLVE(input, L, upper)


@op()
def cholesky_inverse(input: Tensor, upper: bool = False) -> Any:
    """The inverse of ``L @ L^H``."""
    need_matrix("cholesky_inverse", input)
    eye = wrap(np.eye(input._a.shape[-1], dtype=input._a.dtype), input._dt)
    return named(_CHOLESKY_SOLVE(eye, input, upper), "CholeskyInverseBackward0")


@within(LINALG, "pinv")
def pinv(A: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None,
         rtol: Any = None) -> Any:
    """The Moore-Penrose inverse."""
    rtol = rcond if rtol is None else rtol
    refuse(A._a.ndim < 2 or A._a.dtype.char not in "fdFD" or A._dt is dt.bfloat16,
           "linalg.pinv({}{{{}}}): expected a tensor with 2 or more dimensions of float, double, "
           "cfloat or cdouble types", A._dt.tensor_name, list(A._a.shape))
    if hermitian:
        need_square("linalg.eigh: ", A)
    if atol is None and rtol is None:
        cut: Any = max(A._a.shape[-2:]) * float(np.finfo(A._a.dtype).eps)
    else:
        top = np.linalg.svd(A._a, compute_uv=False).max(-1, initial=0)
        floor, share = _plain(atol), _plain(rtol)
        cut = np.maximum(share, floor / np.where(top == 0, 1, top))
    return _PINV(A, rcond=cut, hermitian=hermitian)


op("pinverse")(lambda input, rcond=1e-15: pinv(input, rtol=rcond))


def _need_numbers(A: Tensor) -> None:
    refuse(A._a.dtype.char not in "fdFD" or A._dt is dt.bfloat16,
           "This function doesn't handle types other than float and double")


@within(LINALG, "lstsq", out=False, gives="solution residuals rank singular_values")
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The least squares solution of ``A @ X = B``."""
    refuse(A._a.ndim < 2, "torch.linalg.lstsq: input must have at least 2 dimensions.")
    _need_numbers(A)
    refuse(B._a.ndim < 1, "torch.linalg.lstsq: other must have at least 1 dimension")
    vector = B._a.shape == A._a.shape[:-1]
    right = unsqueeze(B, -1) if vector else B
    if A._a.shape[-2] != right._a.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    x = _LSTSQ(A, right)
    m, n = A._a.shape[-2:]
    kind = driver or "gelsy"
    residuals = wrap(np.empty(0, A._dt.to_real().numpy), A._dt.to_real())
    ranks = np.linalg.matrix_rank(A._a)
    if m > n and kind != "gelsy" and np.all(ranks == n):
        gap = right._a - A._a @ x._a
        residuals = wrap(np.sum(np.abs(gap) ** 2, axis=-2), A._dt.to_real())
    singular = np.empty(0, A._dt.to_real().numpy)
    if kind in ("gelsd", "gelss"):
        singular = np.linalg.svd(A._a, compute_uv=False)
    rank = np.asarray(ranks, np.int64) if kind != "gels" else np.empty(0, np.int64)
    return (squeeze(x, -1) if vector else x, residuals, wrap(rank, dt.int64),
            wrap(singular, A._dt.to_real()))


@within(LINALG, "solve_triangular")
def solve_triangular(A: Tensor, B: Tensor, *, upper: bool, left: bool = True,
                     unitriangular: bool = False) -> Any:
    """:func:`solve` for a triangular matrix, of which only one triangle is read."""
    need_matrix("linalg.solve_triangular", A)
    if not left:
        turned = solve_triangular(transpose(A, -2, -1), transpose(B, -2, -1), upper=not upper,
                                  unitriangular=unitriangular)
        return named(transpose(turned, -2, -1), "LinalgSolveTriangularBackward0")
    n = A._a.shape[-1]
    if B._a.ndim < 2 or B._a.shape[-2] != n:
        rows = B._a.shape[-2] if B._a.ndim > 1 else 0
        raise RuntimeError("linalg.solve_triangular: Incompatible shapes of A and B for the "
                           f"equation AX = B ({A._a.shape[-2]}x{n} and {rows}x{B._a.shape[-1]})")
    return _TRIANGULAR(A, B, upper, unitriangular)


# -- functions of matrices -----------------------------------------------------------------


@within(LINALG, "matrix_exp", out=False)
def matrix_exp(A: Tensor) -> Any:
    """The exponential of a square matrix."""
    return _EXP(need_matrix("linalg.matrix_exp", A))


op("matrix_exp", out=False)(lambda input: matrix_exp(input))


@within(LINALG, "matrix_power")
def matrix_power(A: Tensor, n: int) -> Any:
    """The ``n``-th power of a square matrix, by repeated squaring."""
    need_square("linalg.matrix_power: ", A)
    if n == 0:
        out = A.clone()
        eye = wrap(np.eye(A._a.shape[-1], dtype=A._a.dtype), A._dt)
        return out.copy_(eye)
    if n < 0:
        A, n = inv(A), -n
        if n == 1:
            return A
    if n == 1:
        return A.clone()
    if n == 3:
        return matmul(matmul(A, A), A)
    power, result = A, None
    while n:
        if n & 1:
            result = power if result is None else matmul(result, power)
        n >>= 1
        if n:
            power = matmul(power, power)
    return result


op("matrix_power")(lambda input, n: matrix_power(input, n))


@within(LINALG, "matrix_rank")
def matrix_rank(A: Tensor, tol: Any = None, *, atol: Any = None, rtol: Any = None,
                hermitian: bool = False) -> Any:
    """The number of singular values above a tolerance."""
    refuse(A._a.ndim < 2, "torch.linalg.matrix_rank: The input tensor input must have at least 2 "
           "dimensions.")
    _need_numbers(A)
    if hermitian:
        need_square("linalg.eigh: ", A)
    s = np.abs(np.linalg.eigvalsh(A._a)) if hermitian else np.linalg.svd(A._a, compute_uv=False)
    top = s.max(-1, keepdims=True, initial=0)
    floor, relative = tol if tol is not None else atol, rtol
    if floor is None and relative is None:
        relative = max(A._a.shape[-2:]) * np.finfo(s.dtype).eps
    cut = np.maximum(_plain(floor)[..., None], _plain(relative)[..., None] * top)
    return wrap(np.asarray(np.sum(s > cut, axis=-1), np.int64), dt.int64)


@within(LINALG, "multi_dot")
def multi_dot(tensors: Any) -> Any:
    """The product of several matrices in the cheapest order."""
    given = list(tensors)
    refuse(len(given) < 2, "multi_dot(): expected at least 2 tensors but got {}", len(given))
    first, last = given[0]._a.ndim == 1, given[-1]._a.ndim == 1
    if first:
        given[0] = unsqueeze(given[0], 0)
    if last:
        given[-1] = unsqueeze(given[-1], -1)
    for k, t in enumerate(given):
        refuse(t._a.ndim != 2, "multi_dot(): tensor {} must be 2D but got {}D", k, t._a.ndim)
        if t._dt is not given[0]._dt:
            raise RuntimeError("multi_dot(): all tensors must have be the same dtype but tensor 0 "
                               f"is {given[0]._dt.c_name} and tensor {k} {t._dt.c_name}")
        if k and given[k - 1]._a.shape[1] != t._a.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {k - 1} and {k} with shapes "
                f"{list(given[k - 1]._a.shape)} and {list(t._a.shape)} cannot be multiplied")
    result = _cheapest(given)
    shape = tuple(n for n, gone in zip(result._a.shape, (first, last)) if not gone)
    return reshape(result, shape)


def _cheapest(matrices: list[Tensor]) -> Tensor:
    if len(matrices) <= 2:
        return matmul(*matrices) if len(matrices) == 2 else matrices[0]
    sizes = [m._a.shape[0] for m in matrices] + [matrices[-1]._a.shape[1]]
    n = len(matrices)
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = [(cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                       for k in range(i, j)]
            cost[i][j], cut[i][j] = min(choices)

    def multiply(i: int, j: int) -> Tensor:
        if i == j:
            return matrices[i]
        return matmul(multiply(i, cut[i][j]), multiply(cut[i][j] + 1, j))  # type: ignore[no-any-return]

    return multiply(0, n - 1)


@op(method=False)
def chain_matmul(*matrices: Any) -> Any:
    """:func:`multi_dot` of the arguments."""
    warn_once("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. "
              "Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors "
              "rather than multiple parameters.")
    return multi_dot(matrices)


@within(LINALG, "tensorsolve")
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None) -> Any:
    """``X`` with ``tensordot(A, X, X.ndim) = B``."""
    if dims is not None:
        order = [d for d in range(A._a.ndim) if d not in dims] + list(dims)
        A = A.permute(order)
    shape = A._a.shape[B._a.ndim :]
    n = math.prod(shape)
    if n != B._a.size or n * B._a.size != A._a.size:
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:])"
                           f" == prod(self.shape[:other.ndim]), but got {n} != {B._a.size}")
    return reshape(solve(reshape(A, B._a.size, n), reshape(B, -1)), shape)


@within(LINALG, "tensorinv")
def tensorinv(A: Tensor, ind: int = 2) -> Any:
    """The inverse of a tensor as a linear map from its last to its first dimensions."""
    start, end = A._a.shape[:ind], A._a.shape[ind:]
    if math.prod(start) != math.prod(end):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                           f"prod(self.shape[:ind]), but got {math.prod(end)} != "
                           f"{math.prod(start)}")
    return reshape(inv(reshape(A, math.prod(start), math.prod(end))), *end, *start)


within(LINALG, "matmul")(matmul)
within(LINALG, "diagonal", out=False)(
    lambda A, *, offset=0, dim1=-2, dim2=-1: A.diagonal(offset, dim1, dim2))


@within(LINALG, "vecdot")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Any:
    """The inner products of vectors along ``dim``, the first conjugated."""
    need_inexact("linalg.vecdot", x)
    one_dtype("", x, y, text="linalg.vecdot: Expected x and y to have the same dtype, but found x "
              "of type {0.tensor_name} and y of type {1.tensor_name} instead")
    return x.vdot(y) if x._a.ndim == y._a.ndim == 1 else (conj(x) * y).sum(dim)


@within(LINALG, "vander", out=False)
def vander(x: Tensor, *, N: int | None = None) -> Any:
    """Rows of increasing powers."""
    x = reshape(x, 1) if x._a.ndim == 0 else x
    n = x._a.shape[-1] if N is None else N
    exponents = wrap(np.arange(n), dt.int64)
    return unsqueeze(x, -1) ** exponents


def _removed(name: str, advice: str) -> None:
    def refusal(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("This function was deprecated since version 1.9 and is now removed. "
                           f"`torch.{name}` is deprecated in favor of `torch.linalg.{name}`. "
                           f"{advice}")

    register(name, refusal, torch=False)


_removed("lstsq", "`torch.linalg.lstsq` has reversed arguments.")
_removed("solve", "`torch.linalg.solve` has its arguments reversed and does not return the LU "
                  "factorization.")
