"""`gradcheck`: analytical Jacobians against central differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.autograd.forward_ad import dual_level, make_dual, unpack_dual
from srcgrad.eager.backward import grad
from srcgrad.eager.grad_mode import enable_grad
from srcgrad.eager.strides import overlaps
from srcgrad.eager.tensor import Tensor, wrap


class GradcheckError(RuntimeError):
    """Two Jacobians differ, or a gradient has a wrong shape or kind."""


def _tensors(values: Any) -> tuple[Any, ...]:
    return values if isinstance(values, tuple) else tuple(values) if isinstance(
        values, list) else (values,)


def _outputs(func: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[Tensor, ...]:
    return tuple(o for o in _tensors(func(*inputs)) if isinstance(o, Tensor)
                 and o._dt.category >= dt.FLOATING)


def _numerical(func: Callable[..., Any], inputs: tuple[Any, ...], x: Tensor, eps: float) -> Any:
    """One Jacobian per output: rows are input elements, columns output elements; for complex
    inputs the conjugate derivative in PyTorch's convention."""
    rows: list[list[Any]] = []
    flat = x._a.reshape(-1) if x._a.flags.c_contiguous else None
    for i in range(x._a.size):
        place = np.unravel_index(i, x._a.shape) if flat is None else i
        cells = x._a if flat is None else flat

        def at(step: Any, place: Any = place, cells: Any = cells) -> list[Any]:
            before = cells[place]
            cells[place] = before + step
            out = [o._a.astype(np.complex128 if o._a.dtype.kind == "c" else np.float64).ravel()
                   for o in _outputs(func, inputs)]
            cells[place] = before
            return out

        def slope(step: Any, at: Any = at) -> list[Any]:
            return [(hi - lo) / (2 * eps) for hi, lo in zip(at(step), at(-step))]

        along = slope(eps)
        if x._dt.category == dt.COMPLEX:
            along = [(a, b) for a, b in zip(along, slope(eps * 1j))]
        rows.append(along)
    count = len(_outputs(func, inputs))
    return [[row[k] for row in rows] for k in range(count)]


def _analytical(out: Tensor, inputs: list[Tensor]) -> list[Any]:
    """For each input: gradients for each element of ``out`` (and of 1j times it)."""
    seeds = []
    for i in range(out._a.size):
        for unit in (1, 1j) if out._dt.category == dt.COMPLEX else (1,):
            one = np.zeros(out._a.size, out._a.dtype)
            one[i] = unit
            seeds.append(wrap(one.reshape(out._a.shape), out._dt))
    columns: list[list[Any]] = [[] for _ in inputs]
    for seed in seeds:
        got = grad(out, inputs, seed, retain_graph=True, allow_unused=True)
        for column, g, x in zip(columns, got, inputs):
            if g is None:
                g = wrap(np.zeros_like(x._a), x._dt)
            if g._a.shape != x._a.shape:
                raise GradcheckError("grad is incorrect size")
            column.append(g._a.ravel())
    return columns


def _expected(out: Tensor, x: Tensor, numerical: list[Any]) -> list[Any]:
    """What :func:`_analytical` ought to give, from difference quotients."""
    expected = []
    for i in range(out._a.size):
        for unit in (1, 1j) if out._dt.category == dt.COMPLEX else (1,):
            row = []
            for cell in numerical:
                if x._dt.category == dt.COMPLEX:
                    real, imag = (np.real(np.conj(unit) * c[i]) for c in cell)
                    row.append(real + 1j * imag)
                else:
                    row.append(np.real(np.conj(unit) * cell[i]))
            expected.append(np.array(row))
    return expected


def _mismatch(o: int, i: int, numerical: Any, analytical: Any) -> str:
    def text(columns: Any) -> str:
        a = np.array(columns).T
        return repr(wrap(np.ascontiguousarray(a), dt.FROM_NUMPY[a.dtype]))

    return (f"Jacobian mismatch for output {o} with respect to input {i},\n"
            f"numerical:{text(numerical)}\nanalytical:{text(analytical)}\n")


def gradcheck(
    func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether gradients agree with central differences; raises :class:`GradcheckError` if not
    (or returns False with ``raise_exception=False``)."""
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    given = _tensors(inputs)
    try:
        _check(func, given, eps, atol, rtol, check_forward_ad, check_backward_ad, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check(func: Callable[..., Any], given: tuple[Any, ...], eps: float, atol: float,
           rtol: float, forward: bool, backward: bool, nondet_tol: float) -> None:
    wanted = [t for t in given if isinstance(t, Tensor) and t.requires_grad]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True.")
    for i, t in enumerate(given):
        if isinstance(t, Tensor) and t.requires_grad and t._dt not in (dt.float64, dt.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex. ", stacklevel=3)
        if isinstance(t, Tensor) and t.requires_grad and overlaps(t._a):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients correctly. "
                "You should call .contiguous on the input before passing it to gradcheck.")
    for t in wanted:
        t.retain_grad()
    with enable_grad():
        outputs = _outputs(func, given)
    for i, x in enumerate(wanted):
        per_output = _numerical(func, given, x, eps)
        for o, out in enumerate(outputs):
            if not out.requires_grad:
                if any(np.any(np.asarray(r) != 0) for r in per_output[o]):
                    raise GradcheckError(
                        "Numerical gradient for function expected to be zero")
                continue
            if forward:
                _compare_forward(func, given, x, per_output[o], o, i, atol, rtol)
            if not backward:
                continue
            analytical = _analytical(out, [x])[0]
            numerical = _expected(out, x, per_output[o])
            if not all(np.allclose(a, n, rtol, atol) for a, n in zip(analytical, numerical)):
                raise GradcheckError(_mismatch(o, i, numerical, analytical))
            again = _analytical(out, [x])[0]
            if any(np.max(np.abs(a - b), initial=0) > nondet_tol
                   for a, b in zip(analytical, again)):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and "
                    "grad_output multiple times gives different values, although analytical "
                    "gradient matches numerical gradient.The tolerance for nondeterminism was "
                    f"{nondet_tol}.")
    if backward:
        _check_scaling([o for o in outputs if o.requires_grad], wanted)


def _check_scaling(outputs: list[Tensor], wanted: list[Tensor]) -> None:
    """A backward must be linear: zero gradients of outputs give zeros."""
    if not outputs:
        return
    zeros = [wrap(np.zeros_like(o._a), o._dt) for o in outputs]
    got = grad(outputs, wanted, zeros, retain_graph=True, allow_unused=True)
    if any(g is not None and np.any(g._a != 0) for g in got):
        raise GradcheckError("backward not multiplied by grad_output")


def _compare_forward(func: Callable[..., Any], given: tuple[Any, ...], x: Tensor, per_output: Any,
                     o: int, i: int, atol: float, rtol: float) -> None:
    """Tangents of output ``o`` for each element of ``x`` (times 1 and 1j)."""
    analytical, numerical = [], []
    for k, quotient in enumerate(per_output):
        for unit in (1, 1j) if x._dt.category == dt.COMPLEX else (1,):
            one = np.zeros(x._a.size, x._a.dtype)
            one[k] = unit
            with dual_level():
                t = wrap(one.reshape(x._a.shape), x._dt)
                duals = tuple(make_dual(v, t) if v is x else v for v in given)
                out = _outputs(func, duals)[o]
                tangent = unpack_dual(out).tangent
            analytical.append(np.zeros(out._a.size) if tangent is None else tangent._a.ravel())
            numerical.append(quotient if unit == 1 and not isinstance(quotient, tuple)
                             else quotient[0 if unit == 1 else 1])
    if not all(np.allclose(a, n, rtol, atol) for a, n in zip(analytical, numerical)):
        text = _mismatch(o, i, np.array(numerical).T, np.array(analytical).T)
        raise GradcheckError(text.replace("Jacobian", "Jacobian computed with forward mode", 1))


def gradgradcheck(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6,
    atol: float = 1e-5, rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """:func:`gradcheck` of the gradient of ``func``."""
    given = _tensors(inputs)
    if grad_outputs is None:
        outputs = _outputs(func, given)
        rng = np.random.default_rng(0)
        grad_outputs = tuple(
            wrap(np.asarray(rng.standard_normal(o._a.shape), o._a.dtype), o._dt).requires_grad_()
            for o in outputs if o.requires_grad)
    seeds = _tensors(grad_outputs)
    count = len(seeds)
    needs = [isinstance(t, Tensor) and t.requires_grad for t in given]

    def first(*args: Any) -> Any:
        xs = tuple(t if not isinstance(t, Tensor) or not need else t.view_as(t)
                   for t, need in zip(args[:-count], needs))
        outputs = tuple(o for o in _outputs(func, xs) if o.requires_grad)
        got = grad(outputs, [x for x, need in zip(xs, needs) if need], list(args[-count:]),
                   create_graph=True, allow_unused=True)
        return tuple(g for g in got if g is not None)

    return gradcheck(first, (*given, *seeds), eps=eps, atol=atol, rtol=rtol,
                     raise_exception=raise_exception)
