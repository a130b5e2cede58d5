"""Activation functions."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np

from ... import basis as torch
from ...calling_errors import bad_argument, need_tensor, refuse
from ...tensor import store
from ..signatures import defined
from . import nodes


def _number(value: Any, name: str, argument: str, position: int) -> None:
    if not isinstance(value, (int, float, torch.Tensor)):
        raise bad_argument(name, argument, position, "Number", value)


def relu(input: Any, inplace: bool = False) -> Any:
    """``max(input, 0)``."""
    return input.relu_() if inplace else torch.relu(input)


def sigmoid(input: Any) -> Any:
    """``1 / (1 + exp(-input))``."""
    return input.sigmoid()


def tanh(input: Any) -> Any:
    """The hyperbolic tangent."""
    return input.tanh()


def _irreversible(out: Any, name: str, report: str) -> Any:
    """``out``, written in place with a slope below 0: its backward cannot tell the signs."""
    def refusal(grads: Any) -> None:
        raise RuntimeError(
            f"In-place {name} backward calculation is triggered with a negative slope which is not "
            "supported. This is caused by calling in-place forward function with a negative slope, "
            f"please call out-of-place version instead.{report}")

    if out.grad_fn is not None:
        out.grad_fn.register_prehook(refusal)
    return out


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """``input`` where positive, else ``negative_slope * input``."""
    _number(negative_slope, "leaky_relu", "negative_slope", 2)
    if inplace:
        out = nodes.written(input, nodes.leaky_relu_written, negative_slope)
        report = " File an issue at https://github.com/pytorch/pytorch if you do require supporting"
        return _irreversible(out, "leakyReLu", report + " in-place leakRelu backward calculation "
                             "with negative slope") if negative_slope < 0 else out
    return nodes.leaky_relu(input, negative_slope)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where positive, else ``alpha * (exp(input) - 1)``."""
    _number(alpha, "elu", "alpha", 2)
    if inplace:
        out = nodes.written(input, nodes.elu_written, alpha, 1.0, 1.0)
        return _irreversible(out, "elu", "") if alpha < 0 else out
    return nodes.elu(input, alpha, 1.0, 1.0)


def selu(input: Any, inplace: bool = False) -> Any:
    """:func:`elu` with the self-normalising constants (Klambauer et al. 2017)."""
    need_tensor("selu_" if inplace else "selu", input)
    constants = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1.0
    if inplace:
        return nodes.written(input, nodes.elu_written, *constants)
    return nodes.elu(input, *constants)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``max(0, input) + min(0, alpha * (exp(input / alpha) - 1))``."""
    refuse(alpha == 0, "ZeroDivisionError: alpha cannot be 0 for CELU")
    need_tensor("celu_" if inplace else "celu", input)
    if inplace:
        return nodes.written(input, nodes.celu, alpha, 1.0, 1.0 / alpha)
    return nodes.celu(input, alpha, 1.0, 1.0 / alpha)


def gelu(input: Any, approximate: str = "none") -> Any:
    """``input`` times the normal distribution function of ``input``."""
    refuse(approximate not in ("none", "tanh"), "approximate argument must be either none or tanh.")
    return nodes.gelu(input, approximate)


def silu(input: Any, inplace: bool = False) -> Any:
    """``input * sigmoid(input)``."""
    return nodes.written(input, nodes.silu) if inplace else nodes.silu(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """``input * tanh(softplus(input))``."""
    return nodes.written(input, nodes.mish) if inplace else nodes.mish(input)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """``log(1 + exp(beta * input)) / beta``, the identity above ``threshold``."""
    return nodes.softplus(input, beta, threshold)


def logsigmoid(input: Any) -> Any:
    """``log(sigmoid(input))``."""
    return nodes.log_sigmoid(input)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """``input`` clipped to ``[min_val, max_val]``."""
    refuse(min_val > max_val, "min_val cannot be greater than max_val", kind=ValueError)
    refuse(input.is_complex(), "clamp is not supported for complex types", kind=NotImplementedError)
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
    if inplace:
        return nodes.written(input, nodes.hardtanh, min_val, max_val)
    return nodes.hardtanh(input, min_val, max_val)


def relu6(input: Any, inplace: bool = False) -> Any:
    """``input`` clipped to ``[0, 6]``."""
    return hardtanh(input, 0, 6, inplace)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """``clip(input + 3, 0, 6) / 6``."""
    return nodes.written(input, nodes.hardsigmoid) if inplace else nodes.hardsigmoid(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """``input * clip(input + 3, 0, 6) / 6``."""
    return nodes.written(input, nodes.hardswish) if inplace else nodes.hardswish(input)


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """``input`` outside of ``[-lambd, lambd]``, else 0."""
    nodes.hardshrink.check(input)
    _number(lambd, "hardshrink", "lambd", 2)
    return nodes.hardshrink(input, store(input.dtype, np.asarray(lambd)).item())


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """``input`` moved towards 0 by ``lambd``."""
    nodes.softshrink.check(input)
    if lambd < 0:
        limit = torch.finfo(input.dtype).max
        raise RuntimeError(f"lambda must be in range [0, {limit:g}] for input dtype "
                           f"{input.dtype.tensor_name}, but found {lambd:g}")
    return nodes.softshrink(input, lambd)


def tanhshrink(input: Any) -> Any:
    """``input - tanh(input)``."""
    return input - input.tanh()


def softsign(input: Any) -> Any:
    """``input / (1 + abs(input))``."""
    return input / (input.abs() + 1)


def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """``input`` above ``threshold``, else ``value``."""
    if inplace:
        return nodes.written(input, nodes.threshold, threshold, value)
    return nodes.threshold(input, threshold, value)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half along ``dim`` times the sigmoid of the second."""
    refuse(input.dim() == 0, "glu does not support scalars because halving size must be even")
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim % input.dim()} is "
                           f"size {size}")
    return nodes.glu(input, dim)


prelu = torch.prelu


def rrelu(input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Any:
    """:func:`leaky_relu` with slopes drawn from ``[lower, upper]`` in training, else their
    mean."""
    refuse(lower > upper, "Lower bound should be less than or equal to the upper bound")
    with torch.no_grad():
        noise = torch.ones_like(input)
        below = input <= 0
        if training:  # one draw per element that is not positive, in double precision
            count = int(below.sum())
            drawn = torch.empty(count, dtype=torch.float64).uniform_(lower, upper)
            noise[below] = drawn.to(input.dtype)
        else:
            noise[below] = (lower + upper) / 2
    if inplace:
        return nodes.written(input, nodes.rrelu_written, noise)
    return nodes.rrelu(input, noise)


def _in_place(function: Any) -> Any:
    """The same function, always in place."""
    *parameters, _ = inspect.signature(function).parameters.values()
    given = ", ".join(p.name for p in parameters)
    made = defined(f"{function.__name__}_", parameters, f"function({given}, inplace=True)",
                   __name__, function=function)
    made.__doc__ = f":func:`{function.__name__}` in place."
    return made


relu_, leaky_relu_, elu_, selu_, celu_, hardtanh_, threshold_, rrelu_ = map(_in_place, (
    relu, leaky_relu, elu, selu, celu, hardtanh, threshold, rrelu))


def _dim_of(name: str, dim: int | None, input: Any, stacklevel: int) -> int:
    if dim is not None:
        return dim
    ndim = input.dim()
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to "
                  "include dim=X as an argument.", stacklevel=stacklevel + 1)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``exp(input)`` normalised to sum 1 along ``dim``."""
    dim = _dim_of("softmax", dim, input, _stacklevel)
    return (input if dtype is None else input.to(dtype)).softmax(dim)


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """:func:`softmax` of ``-input``."""
    dim = _dim_of("softmin", dim, input, _stacklevel)
    return (-input if dtype is None else (-input).to(dtype)).softmax(dim)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """The logarithm of :func:`softmax`."""
    dim = _dim_of("log_softmax", dim, input, _stacklevel)
    return (input if dtype is None else input.to(dtype)).log_softmax(dim)


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10,
                   dim: int = -1) -> Any:
    """A sample of the Gumbel-softmax distribution (Jang et al. 2017), one-hot if ``hard``
    (with the gradient of the soft sample)."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    gumbels = -torch.empty_like(logits).exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = torch.zeros_like(logits).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
