"""`gradcheck`: analytical Jacobians against central differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.autograd.forward_ad import dual_level, make_dual, unpack_dual
from srcgrad.eager.autograd.function import Function
from srcgrad.eager.backward import grad
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.grad_mode import enable_grad, state
from srcgrad.eager.strides import overlaps
from srcgrad.eager.tensor import Array, Tensor, one_hots, wrap, zeros_as

_ZERO_GRADS = (
    "{}. Please look at \"Notes about undefined output gradients\" in "
    "\"tools/autograd/derivatives.yaml\"")


class GradcheckError(RuntimeError):
    """Two Jacobians differ, or a gradient has a wrong shape or kind."""


def _tensors(values: Any) -> tuple[Any, ...]:
    return values if isinstance(values, tuple) else tuple(values) if isinstance(
        values, list) else (values,)


def _numbers(value: Any) -> bool:
    return isinstance(value, Tensor) and value._dt.category >= dt.FLOATING


def _outputs(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Tensor, ...]:
    return tuple(o for o in _tensors(func(*inputs)) if _numbers(o))


def _active(values: Sequence[Any]) -> list[Tensor]:
    return [t for t in values if isinstance(t, Tensor) and t.requires_grad]


def _units(t: Tensor) -> tuple[complex, ...]:
    """The directions in which an element of ``t`` moves."""
    return (1, 1j) if t._dt.category == dt.COMPLEX else (1,)


def _parts(a: Array) -> Array:
    """The real and imaginary parts of each element, as real numbers."""
    wide = np.ascontiguousarray(a, np.complex128 if a.dtype.kind == "c" else np.float64)
    return wide.reshape(-1).view(np.float64)


def _numerical(func: Callable[..., Any], inputs: Sequence[Any], x: Tensor, eps: float,
               like: Sequence[Tensor]) -> list[Array]:
    """For each output the real Jacobian: a row for each direction of ``x``, a column for each
    real number of the output."""
    rows: list[list[Array]] = []
    for place in np.ndindex(x._a.shape):
        for unit in _units(x):
            before, ends = x._a[place], []
            for step in (eps * unit, -eps * unit):
                x._a[place] = before + step
                outputs = _outputs(func, inputs)
                ends.append([_parts(o._a.copy()) for o in outputs])
                x._a[place] = before
                for now, then in zip(outputs, like):
                    if now._a.shape != then._a.shape or now._dt is not then._dt:
                        what = "shape" if now._a.shape != then._a.shape else "dtype"
                        raise AssertionError(
                            f"Expected `func` to return outputs with the same {what} when inputs "
                            f"are perturbed on index {place} by {eps}, but got:")
            rows.append([(hi - lo) / (2 * eps) for hi, lo in zip(*ends)])
    return _stacked(rows, like)


def _stacked(rows: list[list[Array]], like: Sequence[Tensor]) -> list[Array]:
    """One matrix for each output, from rows of parts of all outputs."""
    return [np.array([row[k] for row in rows]).reshape(len(rows), _parts(o._a).size)
            for k, o in enumerate(like)]


def _backward(out: Tensor, x: Tensor) -> Array:
    """The same Jacobian from gradients: seeds 1 and 1j give its columns."""
    columns = []
    for seed in one_hots(out, _units(out)):
        g, = grad(out, [x], seed, retain_graph=True, materialize_grads=True)
        if g._a.shape != x._a.shape:
            raise GradcheckError("Analytical gradient has incorrect size")
        columns.append(_parts(g._a))
    return np.array(columns).reshape(len(columns), _parts(x._a).size).T


def _forward(func: Callable[..., Any], inputs: Sequence[Any], x: Tensor,
             like: Sequence[Tensor]) -> list[Array]:
    """The same Jacobian from tangents: its rows."""
    rows = []
    for tangent in one_hots(x, _units(x)):
        tangents = _pushed(func, inputs, {id(x): tangent}, _active(inputs))
        rows.append([_parts(np.zeros_like(o._a) if t is None else t._a)
                     for o, t in zip(like, tangents)])
    return _stacked(rows, like)


def _pushed(func: Callable[..., Any], inputs: Sequence[Any], tangents: dict[int, Tensor],
            duals: Sequence[Tensor]) -> list[Tensor | None]:
    """Tangents of the outputs; those of ``duals`` that have none in ``tangents`` are zero."""
    with dual_level():
        given = []
        for v in inputs:
            plain = v.detach() if isinstance(v, Tensor) else v
            if any(v is t for t in duals):
                plain = make_dual(plain, tangents.get(id(v), zeros_as(v)))
            given.append(plain)
        return [unpack_dual(o).tangent for o in _outputs(func, given)]


def _compare(numerical: Array, analytical: Array, o: Tensor, x: Tensor, where: tuple[int, int],
             rtol: float, atol: float, forward: bool) -> None:
    """Raise if two Jacobians differ.  Where outputs (forward: inputs) are complex, their parts
    are looked at one after the other, as PyTorch does."""
    halves = [("", slice(None))]
    if (x if forward else o)._dt.category == dt.COMPLEX:
        whose = "inputs" if forward else "outputs"
        halves = [(f"While considering the {part} part of complex {whose} only, ",
                   slice(start, None, 2)) for part, start in (("imaginary", 1), ("real", 0))]
    for prefix, half in halves:
        pair = [a[half] if forward else a[:, half] for a in (numerical, analytical)]
        if not np.allclose(pair[1], pair[0], rtol, atol):
            texts = [repr(wrap(np.ascontiguousarray(a), dt.float64)) for a in pair]
            mode = "computed with forward mode " if forward else ""
            raise GradcheckError(
                f"{prefix}Jacobian {mode}mismatch for output {where[0]} with respect to input "
                f"{where[1]},\nnumerical:{texts[0]}\nanalytical:{texts[1]}\n")


def gradcheck(func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5,
              rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0,
              check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
              check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
              check_forward_ad: bool = False, check_backward_ad: bool = True,
              fast_mode: bool = False, masked: bool | None = None) -> bool:
    """Whether gradients agree with central differences; raises :class:`GradcheckError` if not
    (or returns False with ``raise_exception=False``)."""
    refuse(not (check_forward_ad or check_backward_ad), "Expected at least one of check_forward_ad "
           "or check_backward_ad to be True", kind=AssertionError)
    refuse(check_batched_grad and not check_backward_ad, "Setting check_batched_grad=True requires "
           "check_backward_ad to be True", kind=AssertionError)
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    given = _tensors(inputs)
    try:
        _check_inputs(given)
        with enable_grad():
            outputs = _outputs(func, given)
        if check_backward_ad:
            _check_jacobians(func, given, outputs, eps, atol, rtol, nondet_tol, False)
        if check_forward_ad:
            _check_jacobians(func, given, outputs, eps, atol, rtol, nondet_tol, True)
            if check_undefined_grad:
                _check_absent_tangents(func, given)
            if check_batched_forward_grad:
                _check_batched_tangents(func, given)
        live = _active(outputs)
        if check_backward_ad and live:
            for out in live if check_batched_grad else ():
                _check_batched_gradients(out, _active(given))
            _check_scaling(live, _active(given))
            if check_undefined_grad:
                _check_absent_gradients(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_inputs(given: Sequence[Any]) -> None:
    refuse(not _active(given), "gradcheck expects at least one input tensor to require gradient, "
           "but none of them have requires_grad=True.", kind=ValueError)
    for i, t in enumerate(given):
        if not isinstance(t, Tensor) or not t.requires_grad:
            continue
        if t._dt not in (dt.float64, dt.complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating "
                          "point or complex. This check will likely fail if all the inputs are not "
                          "of double precision floating point or complex. ", stacklevel=3)
        refuse(overlaps(t._a), "The {}th input has a dimension with stride 0. gradcheck only "
               "supports inputs that are non-overlapping to be able to compute the numerical "
               "gradients correctly. You should call .contiguous on the input before passing it to "
               "gradcheck.", i)
        t.retain_grad()


def _check_jacobians(func: Callable[..., Any], given: Sequence[Any], outputs: Sequence[Tensor],
                     eps: float, atol: float, rtol: float, nondet_tol: float,
                     forward: bool) -> None:
    for i, x in enumerate(_active(given)):
        numerical = _numerical(func, given, x, eps, outputs)
        pushed = _forward(func, given, x, outputs) if forward else []
        for o, out in enumerate(outputs):
            if not out.requires_grad:
                if np.any(numerical[o]):
                    raise GradcheckError("Numerical gradient for function expected to be zero")
                continue
            if forward:
                _compare(numerical[o], pushed[o], out, x, (o, i), rtol, atol, True)
                continue
            analytical = _backward(out, x)
            if np.max(np.abs(analytical - _backward(out, x)), initial=0) > nondet_tol:
                raise GradcheckError("Backward is not reentrant, i.e., running backward with same "
                                     "input and grad_output multiple times gives different values, "
                                     "although analytical gradient matches numerical gradient.The "
                                     f"tolerance for nondeterminism was {nondet_tol}.")
            _compare(numerical[o], analytical, out, x, (o, i), rtol, atol, False)


def _check_scaling(outputs: list[Tensor], wanted: list[Tensor]) -> None:
    """A backward must be linear: zero gradients of outputs give zeros."""
    zeros = [zeros_as(o) for o in outputs]
    got = grad(outputs, wanted, zeros, retain_graph=True, allow_unused=True)
    if any(g is not None and np.any(g._a != 0) for g in got):
        raise GradcheckError("backward not multiplied by grad_output")
    for g, x in zip(got, wanted):
        if g is not None and g._dt is not x._dt:
            raise GradcheckError("grad is incorrect type")
        if g is not None and g._a.shape != x._a.shape:
            raise GradcheckError("grad is incorrect size")


class _Absent(Function):
    """The identity, whose gradient never arrives."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)  # type: ignore[no-any-return]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> None:
        return None


def _check_absent_gradients(func: Callable[..., Any], given: Sequence[Any]) -> None:
    """Backwards must do without the gradients of some of the outputs, or of all."""
    wanted = _active(given)
    count = len(_active(_outputs(func, given)))
    absent: list[set[int]] = [set(range(count))]
    if count > 1:
        absent += [{k} for k in range(count)]
    for places in absent:
        outputs = [_Absent.apply(o) if k in places else o
                   for k, o in enumerate(_active(_outputs(func, given)))]
        zeros = [zeros_as(o) for o in outputs]
        problem, cause = None, None
        try:
            got = grad(outputs, wanted, zeros, allow_unused=True)
        except RuntimeError as error:
            problem, cause = "Expected backward function to handle undefined output grads", error
        else:
            if any(g is not None and np.any(g._a != 0) for g in got):
                problem = ("Expected all input grads to be undefined or zero when all output grads "
                           "are undefined or zero")
        if problem is not None:
            warnings.warn("Backwards compatibility: New undefined gradient support checking "
                          "feature is enabled by default, but it may break existing callers of "
                          "this function. If this is true for you, you can call this function with "
                          "\"check_undefined_grad=False\" to disable the feature", stacklevel=3)
            raise GradcheckError(_ZERO_GRADS.format(problem)) from cause


def _drawn(tensors: Sequence[Tensor], *batch: int) -> list[Tensor]:
    """Normal numbers in the shapes of ``tensors``, always the same."""
    rng = np.random.default_rng(0)
    return [wrap(np.asarray(rng.standard_normal((*batch, *t._a.shape)), t._a.dtype), t._dt)
            for t in tensors]


def _check_absent_tangents(func: Callable[..., Any], given: Sequence[Any]) -> None:
    """A tangent that is not there must be as good as one of zeros."""
    wanted = _active(given)
    tangents = dict(zip(map(id, wanted), _drawn(wanted)))
    for x in wanted:
        others = {k: v for k, v in tangents.items() if k != id(x)}
        zero = _pushed(func, given, others, wanted)
        none = _pushed(func, given, others, [t for t in wanted if t is not x])
        for k, (a, b) in enumerate(zip(zero, none)):
            pair = [np.zeros(()) if t is None else t._a for t in (a, b)]
            if not np.allclose(pair[0], pair[1]):
                raise GradcheckError("Mismatch in tangent values for output with index: ", k,
                                     " when input: ", x, " has an undefined tangent value. ",
                                     " Got: ", b, " but expected: ", a)


def _batch_agrees(one: Callable[[Any], Any], batch: Any, text: str) -> None:
    """Raise unless the examples of a batch can be computed together.  Here that is one after the
    other, so that only random numbers can make a difference."""
    rows = [one(batch[k]) for k in range(batch._a.shape[0])]
    before, state.randomness = state.randomness, "error"
    try:
        again = one(batch[0])
    except RuntimeError:
        raise GradcheckError(
            "While computing batched gradients, got: vmap: We do not yet support calling random "
            "operations inside of vmap. Please perform random operations outside of vmap as a "
            f"workaround\n\n{text}") from None
    finally:
        state.randomness = before
    for k, (a, b) in enumerate(zip(rows[0], again)):
        if not np.allclose(a._a, b._a, equal_nan=True):
            raise GradcheckError(f"For output {k}, batched and single gradients differ.\n\n{text}")


def _check_batched_gradients(out: Tensor, wanted: list[Tensor]) -> None:
    _batch_agrees(
        lambda seed: grad(out, wanted, seed, retain_graph=True, materialize_grads=True),
        _drawn([out], 2)[0],
        "gradcheck or gradgradcheck failed while testing batched gradient computation.")


def _check_batched_tangents(func: Callable[..., Any], given: Sequence[Any]) -> None:
    for x in _active(given):
        def one(tangent: Tensor, x: Tensor = x) -> tuple[Tensor, ...]:
            found = _pushed(func, given, {id(x): tangent}, [x])
            return tuple(t for t in found if t is not None)

        _batch_agrees(one, _drawn([x], 2)[0], "gradcheck failed while testing batched forward "
                      "gradient computation.")


def gradgradcheck(func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *,
                  eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
                  gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True,
                  nondet_tol: float = 0.0, check_undefined_grad: bool = True,
                  check_grad_dtypes: bool = False, check_batched_grad: bool = False,
                  check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True,
                  fast_mode: bool = False, masked: bool = False) -> bool:
    """:func:`gradcheck` of the gradient of ``func``."""
    refuse(not (check_fwd_over_rev or check_rev_over_rev), "Expected at least one of "
           "check_fwd_over_rev or check_rev_over_rev to be True", kind=AssertionError)
    given = _tensors(inputs)
    if grad_outputs is None:
        grad_outputs = [t.requires_grad_() for t in _drawn(_active(_outputs(func, given)))]
    seeds = _tensors(grad_outputs)
    count = len(seeds)
    needs = [isinstance(t, Tensor) and t.requires_grad for t in given]

    def first(*args: Any) -> Any:
        xs = tuple(t.requires_grad_() if need else t for t, need in zip(args[:-count], needs))
        with enable_grad():
            outputs = tuple(_active(_outputs(func, xs)))
            got = grad(outputs, [x for x, need in zip(xs, needs) if need], list(args[-count:]),
                       create_graph=True, allow_unused=True)
        return tuple(g for g in got if g is not None)

    return gradcheck(
        first, (*given, *seeds), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
        nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes, check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev)
