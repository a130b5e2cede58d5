"""More products: addmm and its kin, outer, inner, tensordot, einsum, kron, cross, distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.dispatch import bad_argument, op, register
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.arguments import c_name, warn_once
from srcgrad.eager.ops.arithmetic import mul
from srcgrad.eager.ops.casts import convert
from srcgrad.eager.ops.products import dot, mm
from srcgrad.eager.ops.shapes import expand, permute, reshape, unsqueeze, view, wrap_dim
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.saving import guard
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.rules import combined_products
from srcgrad.rules.tensor_norms import power_norm

_MATRICES = {"x": "self", "x1": "mat1", "x2": "mat2"}
_ADDMM = Primitive(combined_products.add_matmul, "AddmmBackward0", shown=_MATRICES)
_ADDMM_TURNED = Primitive(combined_products.add_matmul, "AddmmBackward0", shown=_MATRICES,
                          settings={"turned": True}, main=False)
_ADDMV = Primitive(combined_products.add_matmul, "AddmvBackward0", shown=_MATRICES, main=False)
_BADDBMM = Primitive(combined_products.add_matmul, "BaddbmmBackward0", shown=_MATRICES, main=False)
_ADDR = Primitive(combined_products.add_outer, "AddrBackward0")
_ADDBMM = Primitive(combined_products.add_batches, "AddbmmBackward0")
_VDOT = Primitive(np.vdot, "VdotBackward0")
_CROSS = Primitive(np.linalg.cross, "LinalgCrossBackward0")
_DIST = Primitive(power_norm, "DistBackward0", main=False)
_CDIST = Primitive(power_norm, "CdistBackward0", main=False)


def _shape(t: Tensor) -> str:
    return "x".join(map(str, t._a.shape))


def _fits(input: Tensor, shape: tuple[int, ...]) -> None:
    have = input._a.shape
    try:
        if np.broadcast_shapes(have, shape) == shape:
            return
    except ValueError:
        pass
    n = len(shape)
    for i in range(1, min(len(have), n) + 1):
        if have[-i] not in (1, shape[-i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[-i]}) must match the existing size "
                f"({have[-i]}) at non-singleton dimension {n - i}.  Target sizes: {list(shape)}.  "
                f"Tensor sizes: {list(have)}")
    raise RuntimeError(
        f"expand(torch.{input._dt.tensor_name}Tensor{{{list(have)}}}, size={list(shape)}): the "
        f"number of sizes provided ({n}) must be greater or equal to the number of dimensions in "
        f"the tensor ({len(have)})")


def _one_dtype(input: Tensor, *others: Tensor) -> None:
    for t in others:
        if t._dt is not input._dt:
            raise RuntimeError(
                "self and mat2 must have the same dtype, but got "
                f"{input._dt.tensor_name} and {t._dt.tensor_name}"
                if len(others) == 1 else
                "expected m1 and m2 to have the same dtype, but got: "
                f"{c_name(input._dt)} != {c_name(t._dt)}")


def _factors(input: Tensor, beta: Any, alpha: Any) -> dict[str, Any]:
    """``beta`` and ``alpha``, whole for tensors of integers."""
    if input._dt is dt.bool_:
        return {"beta": bool(beta), "alpha": bool(alpha)}
    if input._dt.category < dt.FLOATING:
        return {"beta": int(beta), "alpha": int(alpha)}
    return {"beta": beta, "alpha": alpha}


@op(inplace=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    for name, t in (("mat1", mat1), ("mat2", mat2)):
        if not isinstance(t, Tensor):
            raise bad_argument("addmm", name, 2 if name == "mat1" else 3, "Tensor", t)
        if t._a.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {t._a.ndim}-D tensor")
    if mat1._a.shape[1] != mat2._a.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_shape(mat1)} and "
                           f"{_shape(mat2)})")
    _one_dtype(input, mat1, mat2)
    _fits(input, (mat1._a.shape[0], mat2._a.shape[1]))
    columns = mat2._a.strides[0] == mat2._a.itemsize  # as in linear layers: a transposed weight
    prim = _ADDMM_TURNED if columns else _ADDMM
    return prim(input, mat1, mat2, **_factors(input, beta, alpha))


@op(inplace=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * (mat @ vec)``."""
    if mat._a.ndim != 2 or vec._a.ndim != 1 or input._a.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input._a.ndim}, "
                           f"{mat._a.ndim}, {vec._a.ndim}")
    if mat._a.shape[1] != vec._a.shape[0] or (
            input._a.ndim and input._a.shape[0] not in (1, mat._a.shape[0])):
        raise RuntimeError(f"size mismatch, got input ({input._a.shape[0]}), mat ({_shape(mat)}), "
                           f"vec ({vec._a.shape[0]})")
    return _ADDMV(input, mat, vec, **_factors(input, beta, alpha))


@op(inplace=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    for name, t in (("vec1", vec1), ("vec2", vec2)):
        if t._a.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {t._a.ndim}-D")
    return _ADDR(input, vec1, vec2, **_factors(input, beta, alpha))


@op(inplace=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1,
            alpha: Any = 1) -> Any:
    """``beta * input + alpha * (batch1 @ batch2)`` for batches of matrices."""
    _check_batches(batch1, batch2)
    _fits(input, (batch1._a.shape[0], batch1._a.shape[1], batch2._a.shape[2]))
    return _BADDBMM(input, batch1, batch2, **_factors(input, beta, alpha))


@op(inplace=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1,
           alpha: Any = 1) -> Any:
    """``beta * input`` plus ``alpha`` times the sum of the batch's products."""
    _check_batches(batch1, batch2)
    return _ADDBMM(input, batch1, batch2, **_factors(input, beta, alpha))


def _check_batches(x: Tensor, y: Tensor) -> None:
    for name, t in (("batch1", x), ("batch2", y)):
        if t._a.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    b, _, k = x._a.shape
    if y._a.shape[0] != b or y._a.shape[1] != k:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {k}] but got: "
            f"[{y._a.shape[0]}, {y._a.shape[1]}].")


@op()
def vdot(input: Tensor, other: Tensor) -> Any:
    """The inner product of two vectors, the first conjugated."""
    if input._dt.category != dt.COMPLEX:
        return dot(input, other) if not input._rg and not other._rg else _VDOT(input, other)
    return _VDOT(input, other)


@op()
def inner(input: Tensor, other: Tensor) -> Any:
    """The sum of products over the last dimension of both."""
    if input._a.ndim == 0 or other._a.ndim == 0:
        return mul(input, other)
    if input._a.shape[-1] != other._a.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._a.shape)} and {list(other._a.shape)}")
    return tensordot(input, other, dims=([-1], [-1]))


@op(aliases=("ger",))
def outer(input: Tensor, vec2: Tensor) -> Any:
    """All products of the elements of two vectors."""
    for name, t in (("self", input), ("vec2", vec2)):
        if t._a.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {t._a.ndim}-D")
    return mul(view(input, -1, 1), vec2)


@op()
def kron(input: Tensor, other: Tensor) -> Any:
    """The Kronecker product."""
    n = max(input._a.ndim, other._a.ndim)
    a_shape = (1,) * (n - input._a.ndim) + input._a.shape
    b_shape = (1,) * (n - other._a.ndim) + other._a.shape
    spread_a = view(input, *(k for m in a_shape for k in (m, 1)))
    spread_b = view(other, *(k for m in b_shape for k in (1, m)))
    product = mul(spread_a, spread_b)
    return _unsafe(product, tuple(x * y for x, y in zip(a_shape, b_shape)))


_UNSAFE = Primitive(np.reshape, "UnsafeViewBackward0", main=False)


def _unsafe(t: Tensor, shape: tuple[int, ...]) -> Any:
    return _UNSAFE.finish(t._a.reshape(shape).copy(), (t, shape), {"order": "C"}, t._dt)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Any:
    """Products summed over several dimensions of both tensors."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._a.ndim, b._a.ndim):
            raise RuntimeError("tensordot expects dims < ndim_a or ndim_b, but got dims="
                               f"{dims}")
        first = list(range(a._a.ndim - dims, a._a.ndim))
        second = list(range(dims))
    else:
        first = [wrap_dim(d, a) for d in _listed(dims[0])]
        second = [wrap_dim(d, b) for d in _listed(dims[1])]
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    for i, j in zip(first, second):  # a length of 1 broadcasts
        if a._a.shape[i] == 1 != b._a.shape[j]:
            b = b.sum(j, True, dtype=b._dt)
        elif b._a.shape[j] == 1 != a._a.shape[i]:
            a = a.sum(i, True, dtype=a._dt)
        if a._a.shape[i] != b._a.shape[j]:
            place = i - a._a.ndim if isinstance(dims, int) else i
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {a._a.shape[i]} in dim "
                f"{place} and second has size {b._a.shape[j]} in dim {j}")
    free_a = [i for i in range(a._a.ndim) if i not in first]
    free_b = [i for i in range(b._a.ndim) if i not in second]
    rows = math.prod(a._a.shape[i] for i in free_a)
    columns = math.prod(b._a.shape[i] for i in free_b)
    inner_size = math.prod(a._a.shape[i] for i in first)
    shape = (*(a._a.shape[i] for i in free_a), *(b._a.shape[i] for i in free_b))
    left = reshape(permute(a, *free_a, *first) if a._a.ndim else a, rows, inner_size)
    right = reshape(permute(b, *second, *free_b) if b._a.ndim else b, inner_size, columns)
    product = dot(reshape(left, -1), reshape(right, -1)) if not shape else mm(left, right)
    result = reshape(product, shape)
    if out is not None:
        out.copy_(result)
        return out
    return result


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


register("tensordot", tensordot, method=False)


# -- einsum --------------------------------------------------------------------------------


def _letters(operands: tuple[Any, ...]) -> tuple[str, list[Tensor]]:
    """The equation and tensors, also from the form with lists of numbers."""
    if isinstance(operands[0], str):
        rest = operands[1:]
        if len(rest) == 1 and isinstance(rest[0], list | tuple):
            rest = tuple(rest[0])
        return operands[0], list(rest)

    def name(k: Any) -> str:
        return "..." if k is Ellipsis else chr(ord("A") + k) if k < 26 else chr(ord("a") + k - 26)

    tensors = list(operands[: len(operands) // 2 * 2 : 2])
    lists = operands[1 : len(operands) // 2 * 2 : 2]
    equation = ",".join("".join(map(name, s)) for s in lists)
    if len(operands) % 2:
        equation += "->" + "".join(map(name, operands[-1]))
    return equation, tensors


@op(method=False, out=False)
def einsum(*args: Any) -> Any:
    """A sum of products written in Einstein's notation: ``einsum("ij,jk->ik", a, b)``."""
    equation, tensors = _letters(args)
    equation = equation.replace(" ", "")
    if not tensors:
        raise ValueError("einsum(): must provide at least one operand")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        more = "more" if len(terms) < len(tensors) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the "
                           "equation")
    sizes: dict[str, int] = {}
    hidden = 0
    prepared = []
    for k, (term, t) in enumerate(zip(terms, tensors)):
        names, width = _spell(term, t, k)
        hidden = max(hidden, width)
        prepared.append((names, t))
    dots = [f"<{i}>" for i in range(hidden)]
    operands = []
    for k, (names, t) in enumerate(prepared):
        place = next((i for i, n in enumerate(names) if n == "..."), None)
        if place is not None:
            width = t._a.ndim - (len(names) - 1)
            names[place : place + 1] = dots[hidden - width :] if width else []
        for d, n in enumerate(names):
            size = t._a.shape[d]
            if sizes.get(n, 1) != 1 and size not in (1, sizes[n]):
                raise RuntimeError(
                    f"einsum(): subscript {n} has size {size} for operand {k} which does not "
                    f"broadcast with previously seen size {sizes[n]}")
            sizes[n] = size if sizes.get(n, 1) == 1 else sizes[n]
        operands.append(_take_diagonals(names, t))
    if arrow:
        output = _output_names(right, dots)
        for n in output:
            if n not in sizes:
                raise RuntimeError(f"einsum(): output subscript {n} does not appear in the "
                                   "equation for any input operand")
    else:
        counts = "".join(terms)
        output = [*dots, *sorted(n for n in sizes if n[0] != "<" and counts.count(n) == 1)]
    return _contract(operands, output)


def _spell(term: str, t: Tensor, k: int) -> tuple[list[str], int]:
    before, dots, after = term.partition("...")
    names = [*before, *(["..."] if dots else []), *after]
    plain = len(before) + len(after)
    for n in (*before, *after):
        if not n.isalpha():
            raise RuntimeError(f"einsum(): invalid subscript given at index {term.index(n)} in the "
                               "equation string, subscripts must be in [a-zA-Z]")
    if (plain > t._a.ndim) or (not dots and plain != t._a.ndim):
        relation = "is more than" if dots else "does not match"
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({plain}) {relation} the number "
            f"of dimensions ({t._a.ndim}) for operand {k}"
            f"{'' if dots else ' and no ellipsis was given'}")
    return names, t._a.ndim - plain if dots else 0


def _output_names(right: str, dots: list[str]) -> list[str]:
    before, found, after = right.partition("...")
    names = [*before, *(dots if found else []), *after]
    for n in names:
        if names.count(n) > 1:
            raise RuntimeError(f"einsum(): output subscript {n} appears more than once in the "
                               "output")
    return names


def _take_diagonals(names: list[str], t: Tensor) -> tuple[list[str], Tensor]:
    names = list(names)
    for n in dict.fromkeys(names):
        while names.count(n) > 1:
            i = names.index(n)
            j = names.index(n, i + 1)
            t = t.diagonal(0, i, j).movedim(-1, i)
            del names[j]
    return names, t


def _contract(operands: list[tuple[list[str], Tensor]], output: list[str]) -> Any:
    names, t = operands[0]
    for k, (more, other) in enumerate(operands[1:], 1):
        later = {n for rest, _ in operands[k + 1 :] for n in rest} | set(output)
        names, t = _pair(names, t, more, other, later)
    gone = [i for i, n in enumerate(names) if n not in output]
    if gone:
        t = t.sum(gone)
        names = [n for n in names if n in output]
    order = [names.index(n) for n in output]
    out = permute(t, *order)
    return view(out, out._a.shape) if len(operands) > 1 else out


def _pair(a_names: list[str], a: Tensor, b_names: list[str], b: Tensor,
          later: set[str]) -> tuple[list[str], Tensor]:
    """One product: batch names kept, common names that nobody needs summed by ``bmm``."""
    for names in (a_names, b_names):
        other = b_names if names is a_names else a_names
        alone = [i for i, n in enumerate(names) if n not in other and n not in later]
        if alone:
            if names is a_names:
                a, a_names = a.sum(alone), [n for i, n in enumerate(names) if i not in alone]
            else:
                b, b_names = b.sum(alone), [n for i, n in enumerate(names) if i not in alone]
    common = [n for n in a_names if n in b_names]
    batch = [n for n in common if n in later]
    summed = [n for n in common if n not in later]
    rows = [n for n in a_names if n not in common]
    columns = [n for n in b_names if n not in common]
    size: dict[str, int] = {}
    for names, t in ((a_names, a), (b_names, b)):
        for n, m in zip(names, t._a.shape):
            size[n] = m if size.get(n, 1) == 1 else size[n]
    left = _arranged(a, a_names, [*batch, *rows, *summed], size)
    right = _arranged(b, b_names, [*batch, *summed, *columns], size)

    def total(names: list[str]) -> int:
        return math.prod(size[n] for n in names)

    x = reshape(left, total(batch), total(rows), total(summed))
    y = reshape(right, total(batch), total(summed), total(columns))
    if x._dt is not y._dt:
        if x._dt.category == y._dt.category == dt.INTEGRAL:  # a sum has widened one of them
            x, y = convert(x, dt.int64), convert(y, dt.int64)
            return [*batch, *rows, *columns], view(
                x.bmm(y), *(size[n] for n in (*batch, *rows, *columns)))
        raise RuntimeError("expected scalar type "
                           f"{x._dt.tensor_name} but found {y._dt.tensor_name}")
    product = x.bmm(y)
    names = [*batch, *rows, *columns]
    return names, view(product, *(size[n] for n in names))


def _arranged(t: Tensor, names: list[str], order: list[str], size: dict[str, int]) -> Tensor:
    moved = permute(t, *(names.index(n) for n in order)) if t._a.ndim else t
    shape = tuple(size[n] for n in order)
    return moved if moved._a.shape == shape else expand(moved, shape)


# -- cross products and distances ----------------------------------------------------------


@op()
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Any:
    """The cross product along a dimension of length 3 (the first such one by default)."""
    if dim is None:
        warn_once(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass "
            "the dim explicitly or simply use torch.linalg.cross.\nThe default value of dim will "
            "change to agree with that of linalg.cross in a future release.")
        dim = next((i for i, n in enumerate(input._a.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim)


def linalg_cross(input: Tensor, other: Tensor, dim: int = -1) -> Any:
    """The cross product along ``dim``."""
    if input._a.ndim != other._a.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    i = wrap_dim(dim, input)
    if input._a.shape[i] != 3 or other._a.shape[i] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got "
                           f"{input._a.shape[i]} and {other._a.shape[i]}")
    return _CROSS(input, other, axis=i)


@op(out=False)
def dist(input: Tensor, other: Tensor, p: float = 2) -> Any:
    """The p-norm of the difference."""
    return _named_distance(_DIST, input, other, p)


def _named_distance(prim: Primitive, input: Tensor, other: Tensor, p: float) -> Any:
    out = prim(reshape(input - other, -1), order=float(p), axis=-1, keepdims=False)
    guard(out, input, other)
    return out


@op(method=False, out=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Any:
    """The p-norm distances between all rows of two matrices (or batches)."""
    for name, t in (("X1", x1), ("X2", x2)):
        if t._dt.category != dt.FLOATING:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: "
                               f"{t._dt.tensor_name}")
        if t._a.ndim < 2:
            raise RuntimeError("cdist only supports at least 2D tensors, "
                               f"{name} got: {t._a.ndim}D")
    if x1._a.shape[-1] != x2._a.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: "
                           f"{x1._a.shape[-1]} X2: {x2._a.shape[-1]}")
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    gaps = unsqueeze(x1, -2) - unsqueeze(x2, -3)
    out = _CDIST(gaps, order=float(p), axis=-1, keepdims=False)
    guard(out, x1, x2)
    return out


@op(inplace=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Any:
    """Slices along ``dim`` scaled down to a p-norm of at most ``maxnorm``."""
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._a.ndim < 2:
        raise RuntimeError("renorm: input needs at least 2 dimensions, got "
                           f"{input._a.ndim} dimensions")
    i = wrap_dim(dim, input)
    axes = tuple(d for d in range(input._a.ndim) if d != i)
    size = input.norm(p, axes, True)
    over = wrap(np.asarray(size._a > maxnorm), dt.bool_)
    return named(input * (maxnorm / (size + 1e-7)).where(over, 1.0), "RenormBackward0")


