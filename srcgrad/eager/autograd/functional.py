"""`torch.autograd.functional`: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.backward import grad
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import NAMESPACE
from srcgrad.eager.grad_mode import enable_grad
from srcgrad.eager.tensor import Tensor, one_hots, wrap, zeros_as


def _as_tuple(value: Any, what: str, function: str) -> tuple[bool, tuple[Tensor, ...]]:
    """The tensors as a tuple, and whether they were one already."""
    several = isinstance(value, tuple)
    values = value if several else (value,)
    for i, v in enumerate(values):
        if not isinstance(v, Tensor):
            refuse(several, "The {} given to {} must be either a Tensor or a tuple of Tensors but "
                   "the value at index {} has type {}.", what, function, i, type(v), kind=TypeError)
            raise TypeError(f"The {what} given to {function} must be either a Tensor or a tuple of "
                            f"Tensors but the given {what} has type {type(v)}.")
    return several, values


def _finish(values: Any, create_graph: bool, several: bool = True) -> Any:
    """What is returned: without history unless that is wanted, one value unless ``several``."""
    if isinstance(values, tuple):
        kept = tuple(_finish(v, create_graph) for v in values)
        return kept if several else kept[0]
    return values if create_graph or values is None else values.detach()


def _check_active(outputs: Any, strict: bool) -> None:
    """Under ``strict`` all outputs must depend on the inputs."""
    bad = [i for i, o in enumerate(outputs) if not o.requires_grad]
    if strict and bad:
        raise RuntimeError(f"Output {bad[0]} of the user-provided function does not require "
                           "gradients. The outputs must be computed in a differentiable manner "
                           "from the input when running in strict mode.")


def _gradients(outputs: Any, inputs: Any, v: Any, create_graph: bool, strict: bool,
               what: str = "The output") -> Any:
    """Gradients with zeros for what does not depend; under ``strict`` that is an error."""
    _check_active(outputs, strict)
    live = [(o, s) for o, s in zip(outputs, v) if o.requires_grad]
    if not live:
        return tuple(zeros_as(t) for t in inputs)
    got = grad([o for o, _ in live], inputs, [s for _, s in live], create_graph=create_graph,
               retain_graph=True, allow_unused=True)
    if strict and any(g is None for g in got):
        i = next(i for i, g in enumerate(got) if g is None)
        raise RuntimeError(f"{what} of the user-provided function is independent of input {i}. "
                           "This is not allowed in strict mode.")
    return tuple(zeros_as(t) if g is None else g for g, t in zip(got, inputs))


def _check_moving(derivatives: Any, needed: bool, what: str = "jacobian") -> None:
    """Under ``strict`` with ``create_graph`` derivatives must depend on the inputs."""
    for i, g in enumerate(derivatives):
        if needed and not g.requires_grad:
            raise RuntimeError(f"The {what} of the user-provided function is independent of input "
                               f"{i}. This is not allowed in strict mode when create_graph=True.")


def _vectors(v: Any, like: tuple[Tensor, ...], several: bool, what: str, function: str) -> Any:
    """The given vectors, checked against what they multiply; ones for a single scalar."""
    if v is None:
        if len(like) != 1 or like[0]._a.size != 1:
            raise RuntimeError(
                f"The vector v can only be None if the {what} to the user-provided function is a "
                "single Tensor with a single element." if what == "input" else
                "The vector v can only be None if the user-provided function returns a single "
                "Tensor with a single element.")
        return (wrap(np.ones_like(like[0]._a), like[0]._dt),)
    _, vs = _as_tuple(v, "v", function)
    refuse(not several and len(vs) != 1, "The given v should contain a single Tensor.")
    refuse(len(vs) != len(like), "v is a tuple of invalid length: should be {} but got {}.",
           len(like), len(vs))
    for i, (x, t) in enumerate(zip(vs, like)):
        if x._a.shape != t._a.shape:
            prefix = f"Entry {i} in " if len(vs) > 1 else ""
            raise RuntimeError(f"{prefix}v has invalid size: should be {t.size()} but got "
                               f"{x.size()}.")
    return tuple(x.detach() if not x.requires_grad else x for x in vs)


def _run(func: Callable[..., Any], inputs: Any, create_graph: bool, name: str) -> Any:
    """The call on fresh tensors to differentiate by: connected to the inputs only under
    ``create_graph``."""
    several_in, given = _as_tuple(inputs, "inputs", name)
    with enable_grad():
        leaves = tuple(t.view_as(t) if create_graph and t.requires_grad else
                       t.detach().requires_grad_()
                       for t in given)
        several_out, outputs = _as_tuple(
            func(*leaves), "outputs of the user-provided function", name)
    return several_in, leaves, several_out, outputs


def vjp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(func(*inputs), v^T J)``."""
    several_in, leaves, several_out, outputs = _run(func, inputs, create_graph, "vjp")
    _check_active(outputs, strict)
    with enable_grad():
        vs = _vectors(v, outputs, several_out, "output", "vjp")
        got = _gradients(outputs, leaves, vs, create_graph, strict)
    _check_moving(got, strict and create_graph)
    return _finish(outputs, create_graph, several_out), _finish(got, create_graph, several_in)


def jvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(func(*inputs), J v)``, by differentiating the backward in its cotangent."""
    several_in, leaves, several_out, outputs = _run(func, inputs, create_graph, "jvp")
    with enable_grad():
        vs = _vectors(v, leaves, several_in, "input", "jvp")
        dummies = tuple(zeros_as(o).requires_grad_() for o in outputs)
        got = _gradients(outputs, leaves, dummies, True, strict)
        result = _gradients(got, dummies, vs, create_graph, False)
    _check_moving(result, strict and create_graph)
    return _finish(outputs, create_graph, several_out), _finish(result, create_graph, several_out)


def _check_strategy(strategy: str, vectorize: bool, hint: str = "") -> None:
    refuse(strategy not in ("reverse-mode", "forward-mode"), 'Expected strategy to be either '
           '"forward-mode" or "reverse-mode".{}', hint, kind=AssertionError)
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse "
                                  "Hessian isonly implemented for `vectorize=True`.")


def jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool = False,
             strict: bool = False, vectorize: bool = False, strategy: str = "reverse-mode") -> Any:
    """All derivatives: shape ``output.shape + input.shape``, nested tuples for tuples."""
    _check_strategy(strategy, vectorize, ' Hint: If your function has more outputs than inputs, '
                    '"forward-mode" tends to be more performant. Otherwise, prefer to use '
                    '"reverse-mode".')
    if strategy == "forward-mode" and (create_graph or strict):
        option, kind = (("create_graph", NotImplementedError) if create_graph
                        else ("strict", RuntimeError))
        raise kind(f"torch.autograd.functional.jacobian: `{option}=True` and "
                   "`strategy=\"forward-mode\"` are not supported together (yet). Please either "
                   f"set `{option}=False` or `strategy=\"reverse-mode\"`.")
    refuse(strict and vectorize, "torch.autograd.functional.jacobian: `strict=True` and "
           "`vectorized=True` are not supported together. Please either set `strict=False` or "
           "`vectorize=False`.")
    several_in, leaves, several_out, outputs = _run(func, inputs, create_graph, "jacobian")
    with enable_grad():
        blocks = [_rows(o, i, leaves, create_graph, strict) for i, o in enumerate(outputs)]
    shaped = tuple(_finish(b, create_graph, several_in) for b in blocks)
    return shaped if several_out else shaped[0]


def _rows(out: Tensor, place: int, leaves: tuple[Tensor, ...], create_graph: bool,
          strict: bool) -> tuple[Tensor, ...]:
    rows: list[tuple[Tensor, ...]] = []
    flat = out.reshape(-1)
    for one in one_hots(flat):
        rows.append(_gradients((flat,), leaves, (one,), create_graph, strict, f"Output {place}"))
        _check_moving(rows[-1], strict and create_graph)
    stack = NAMESPACE["stack"]
    return tuple(
        stack(column).reshape(tuple(out._a.shape) + tuple(t._a.shape)) if rows else
        wrap(np.zeros(out._a.shape + t._a.shape, t._a.dtype), t._dt)
        for column, t in zip([list(c) for c in zip(*rows)] or [[]] * len(leaves), leaves))


def _check_scalar(outputs: tuple[Tensor, ...], several: bool, name: str) -> None:
    if several or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    refuse(outputs[0]._a.size != 1, "The Tensor returned by the function given to {} should "
           "contain a single element", name)


def _check_twice(first: Any, strict: bool) -> None:
    """Under ``strict`` the first derivative must depend on the inputs."""
    for i, g in enumerate(first):
        refuse(strict and not g.requires_grad, "While computing the hessian, found that the "
               "jacobian of the user-provided function with respect to input {} is independent of "
               "the input. This is not allowed in strict mode. You should ensure that your "
               "function is twice differentiable and that the jacobian depends on the inputs (this "
               "would be violated by a linear function for example).", i)


def hessian(func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False,
            vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The second derivatives of a scalar function."""
    several_in, given = _as_tuple(inputs, "inputs", "hessian")
    _check_strategy(outer_jacobian_strategy, vectorize)

    def first(*xs: Tensor) -> Any:
        outs = func(*xs)
        several, values = _as_tuple(outs, "outputs of the user-provided function", "hessian")
        _check_scalar(values, several, "hessian")
        _check_active(values, strict)
        got = _gradients(values, xs, (wrap(np.ones_like(values[0]._a), values[0]._dt),), True,
                         False)
        _check_twice(got, strict)
        return tuple(g for g in got)

    blocks = jacobian(first, given, create_graph, strict, strict and vectorize)
    return blocks if several_in else blocks[0][0]


def _second(func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool,
            name: str) -> Any:
    several_in, leaves, several, outputs = _run(func, inputs, create_graph, name)
    _check_scalar(outputs, several, name)
    with enable_grad():
        vs = _vectors(v, leaves, several_in, "input", name)
        seed = (wrap(np.ones_like(outputs[0]._a), outputs[0]._dt),)
        first = _gradients(outputs, leaves, seed, True, strict)
        _check_twice(first, strict)
        result = _gradients(first, leaves, vs, create_graph, False)
    _check_moving(result, strict and create_graph, "hessian")
    return _finish(outputs[0], create_graph), _finish(result, create_graph, several_in)


def vhp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(func(*inputs), v^T H)`` of a scalar function."""
    return _second(func, inputs, v, create_graph, strict, "vhp")


def hvp(func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> Any:
    """``(func(*inputs), H v)`` of a scalar function; the Hessian is symmetric, so as ``vhp``."""
    return _second(func, inputs, v, create_graph, strict, "hvp")


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
