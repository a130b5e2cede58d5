"""Arithmetic: sums, products, quotients, powers, and the operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager import promotion
from srcgrad.eager.dispatch import (
    bad_argument,
    binary,
    is_number,
    op,
    operators,
)
from srcgrad.eager.grad_mode import state
from srcgrad.eager.ops.pointwise import reciprocal
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import Tensor, store, wrap

_SHOWN = {"x1": "self", "x2": "other"}
add_plain = binary("_add", np.add, node="AddBackward0", torch=False, method=False, inplace=False)
sub_plain = binary("_sub", np.subtract, node="SubBackward0", torch=False, method=False,
                   inplace=False)
mul = binary("mul", np.multiply, dunder="mul", aliases=("multiply",))
_true_div = binary("_div", np.divide, kind="floating", node="DivBackward0", recompute=True,
                   torch=False, method=False, inplace=False)
_rsub = Primitive(np.subtract, "RsubBackward1", main=False)


def _operand(title: str, other: Any) -> Any:
    if isinstance(other, Tensor) or is_number(other):
        return other
    raise bad_argument(title, "other", 2, "Tensor", other)


def _scaled(title: str, input: Any, other: Any, alpha: Any) -> Any:
    d = promotion.result_type(input, other)
    if d is dt.bool_ and isinstance(alpha, bool) and alpha is not True:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and d.category < dt.FLOATING:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating "
                           "point number.")
    return mul(other, alpha) if isinstance(other, Tensor) else other * alpha


@op(inplace=True)
def add(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """``input + alpha * other``."""
    other = _operand("add", other)
    return add_plain(input, other if alpha == 1 else _scaled("add", input, other, alpha))


@op(inplace=True, aliases=("subtract",))
def sub(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """``input - alpha * other``."""
    other = _operand("sub", other)
    if _is_bool(input) and _is_bool(other):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` "
            "or `logical_xor()` operator instead.")
    if _is_bool(input) or _is_bool(other):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead.")
    return sub_plain(input, other if alpha == 1 else _scaled("sub", input, other, alpha))


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Tensor) and value._dt is dt.bool_)


@op(torch=True, method=False)
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """``other - alpha * input``."""
    if isinstance(other, Tensor):
        return sub(other, input, alpha=alpha)
    if _is_bool(input):
        return sub(input, other)
    d = promotion.result_type(other, input)
    scaled = input if alpha == 1 else mul(input, alpha)
    r = np.asarray(np.subtract(promotion.as_array(other, d), promotion.as_array(scaled, d)))
    r = store(d, r)
    if state.mode and d.category >= dt.FLOATING:
        return _rsub.finish(r, (other, scaled), {}, d)
    return wrap(r, d)


@op(inplace=True, aliases=("divide",))
def div(input: Tensor, other: Any, *, rounding_mode: str | None = None) -> Any:
    """``input / other``; integers give floats unless a rounding mode is named."""
    other = _operand("div", other)
    if rounding_mode is None:
        return _true_div(input, other)
    if rounding_mode == "floor":
        return floor_divide(input, other, node=_div_floor)
    if rounding_mode == "trunc":
        return _truncated(input, other)
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                       f"found '{rounding_mode}'")


@op(inplace=True)
def true_divide(input: Tensor, other: Any) -> Any:
    return _true_div(input, _operand("true_divide", other))


def _divided(input: Any, other: Any, function: Any) -> tuple[Any, dt.dtype]:
    d = promotion.result_type(input, other)
    x, y = promotion.as_array(input, d), promotion.as_array(other, d)
    if d.category < dt.FLOATING and not np.all(y):
        raise RuntimeError("ZeroDivisionError")
    with np.errstate(all="ignore"):
        return store(d, np.asarray(function(x, y))), d


def _floor(x: Any, y: Any) -> Any:
    """Floor division; unlike NumPy's, infinite for a zero divisor."""
    if np.asarray(x).dtype.kind not in "fc" and np.asarray(y).dtype.kind not in "fc":
        return np.floor_divide(x, y)
    return np.where(np.asarray(y) == 0, np.true_divide(x, y), np.floor_divide(x, y))


_div_floor = Primitive(np.floor_divide, "DivBackward1", scalar_edges=True)
_div_trunc = Primitive(np.trunc, "DivBackward1", main=False)


@op(inplace=True)
def floor_divide(input: Tensor, other: Any, *, node: Any = None) -> Any:
    """The quotient rounded towards minus infinity."""
    r, d = _divided(input, _operand("floor_divide", other), _floor)
    return wrap(r, d)


def _truncated(input: Any, other: Any) -> Any:
    d = promotion.result_type(input, other)
    if d.category < dt.FLOATING:
        r, d = _divided(input, other, lambda x, y: np.sign(x) * np.sign(y) * (abs(x) // abs(y)))
    else:
        r, d = _divided(input, other, lambda x, y: np.trunc(np.true_divide(x, y)))
    return wrap(r, d)


remainder = binary("remainder", np.remainder, dunder="mod")
_power = {
    "scalar": Primitive(np.power, "PowBackward0", shown={"x1": "self", "x2": "exponent"}),
    "tensor": Primitive(np.power, "PowBackward1", main=False,
                        shown={"x1": "self", "x2": "exponent", "ans": "result"}),
    "base": Primitive(np.power, "PowBackward2", main=False,
                      shown={"x1": "self", "x2": "exponent", "ans": "result"}),
}


@op("pow", inplace=True)
def power(input: Any, exponent: Any) -> Any:
    """``input ** exponent``; one of the two may be a number."""
    d = promotion.result_type(input, exponent)
    x, y = promotion.as_array(input, d), promotion.as_array(exponent, d)
    if d.category < dt.FLOATING and is_number(exponent) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    with np.errstate(all="ignore"):
        if d.category < dt.FLOATING and np.any(np.asarray(y) < 0):
            r = np.trunc(np.power(np.asarray(x, float), y)).astype(d.numpy)
        else:
            try:
                r = np.asarray(np.power(x, y))
            except ValueError:
                promotion.check_broadcast(input, exponent)
                raise
    r = store(d, r)
    if state.mode and d.category >= dt.FLOATING:
        kind = ("scalar" if is_number(exponent) else "base" if is_number(input) else "tensor")
        return _power[kind].finish(r, (input, exponent), {}, d)
    return wrap(r, d)


operators("add", add_plain)
operators("sub", sub, reflected=rsub)
operators("pow", power)
operators("floordiv", floor_divide)
operators("truediv", _true_div, reflected=lambda self, other: mul(reciprocal(self), other))
for _name, _function in {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
                         "gt": np.greater, "ge": np.greater_equal}.items():
    binary(_name, _function, kind="comparison", dunder=_name)
