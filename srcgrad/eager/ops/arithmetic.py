"""Arithmetic: sums, products, quotients, powers, and the operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import promotion
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import FAST, Tensor, binary, dt, fast_pair, is_number, op, operators
from srcgrad.eager.ops.arguments import not_implemented, refusing
from srcgrad.eager.ops.pointwise import reciprocal
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.promotion import Operand, promoted
from srcgrad.eager.recording import SPECIAL
from srcgrad.rules.nn import blends, flat_functions
from srcgrad.rules.numpy.elementary import complex_power

add_plain = binary("_add", np.add, node="AddBackward0", torch=False, method=False, inplace=False)
sub_plain = binary("_sub", np.subtract, node="SubBackward0", torch=False, method=False,
                   inplace=False)
mul = binary("mul", np.multiply, dunder="mul", aliases=("multiply",))
_true_div = binary("_div", np.divide, kind="floating", node="DivBackward0", recompute=True,
                   torch=False, method=False, inplace=False)
_rsub = Primitive(np.subtract, "RsubBackward1")
_add_scaled = Primitive(blends.add_scaled, "AddBackward0", scalar_edges=True)
_sub_scaled = Primitive(blends.subtract_scaled, "SubBackward0", scalar_edges=True)
_rsub_tensors = Primitive(blends.subtract_scaled, "RsubBackward0")


def _scaled(prim: Primitive, input: Any, other: Any, alpha: Any) -> Any:
    d = promotion.result_type(input, other)
    if isinstance(alpha, bool) and d is not dt.bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    refuse(isinstance(alpha, float) and d.category < dt.FLOATING, "For integral input tensors, "
           "argument alpha must not be a floating point number.")
    refuse(isinstance(alpha, complex) and d.category < dt.COMPLEX, "For non-complex input tensors, "
           "argument alpha must not be a complex number.")
    return promoted(prim, d, input, other, alpha=_factor(alpha, d))


def _factor(alpha: Any, d: dt.dtype) -> Any:
    """A factor in a form that whole numbers of dtype ``d`` can be multiplied by."""
    if d.category == dt.INTEGRAL and not isinstance(alpha, bool):
        return np.asarray(alpha, np.int64).astype(d.numpy)
    return alpha


@op(inplace=True, fast=fast_pair(FAST[add_plain]))
def add(input: Tensor, other: Operand, *, alpha: Any = 1) -> Any:
    """``input + alpha * other``."""
    return (add_plain(input, other) if alpha.__class__ is int and alpha == 1
            else _scaled(_add_scaled, input, other, alpha))


@op(inplace=True, aliases=("subtract",), fast=fast_pair(FAST[sub_plain]))
def sub(input: Tensor, other: Operand, *, alpha: Any = 1) -> Any:
    """``input - alpha * other``."""
    refuse(_is_bool(input) and _is_bool(other), "Subtraction, the `-` operator, with two bool "
           "tensors is not supported. Use the `^` or `logical_xor()` operator instead.")
    refuse(_is_bool(input) or _is_bool(other), "Subtraction, the `-` operator, with a bool tensor "
           "is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` "
           "operator instead.")
    return (sub_plain(input, other) if alpha.__class__ is int and alpha == 1
            else _scaled(_sub_scaled, input, other, alpha))


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Tensor) and value._dt is dt.bool_)


_times_number = Primitive(np.multiply, "MulBackward1")
_by_number = Primitive(np.divide, "DivBackward1", recompute=True)


def times_number(input: Tensor, number: Any) -> Any:
    """``input * number`` inside a composite operation, where PyTorch's node is another one."""
    return promoted(_times_number, promotion.result_type(input, number), input, number)


def halved(input: Tensor) -> Any:
    """``input / 2`` inside a composite operation."""
    d = promotion.result_type(input, 2.0)
    return promoted(_by_number, d, input, 2.0)


@op(torch=True, method=False)
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Any:
    """``other - alpha * input``."""
    if _is_bool(input) or _is_bool(other):
        return sub(input, other)
    if isinstance(other, Tensor):
        d = promotion.result_type(input, other)
        return promoted(_rsub_tensors, d, other, input, alpha=_factor(alpha, d))
    d = promotion.result_type(other, input)
    return promoted(_rsub, d, other, input if alpha == 1 else mul(input, alpha))


@op(inplace=True, aliases=("divide",), fast=fast_pair(FAST[_true_div]))
def div(input: Tensor, other: Operand, *, rounding_mode: str | None = None) -> Any:
    """``input / other``; integers give floats unless a rounding mode is named."""
    if rounding_mode is None:
        return _true_div(input, other)
    if rounding_mode in ("floor", "trunc"):
        d = promotion.result_type(input, other)
        _check_divisor(d, other)
        return promoted(_rounded, d, input, other, rounding=rounding_mode)
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                       f"found '{rounding_mode}'")


op("true_divide", inplace=True)(_true_div)


def _check_divisor(d: dt.dtype, other: Any) -> None:
    if d.category == dt.INTEGRAL and not np.all(promotion.as_array(other, d)):
        raise RuntimeError("ZeroDivisionError")


def _quotient(x1: Any, x2: Any, rounding: str) -> Any:
    kind = np.result_type(x1, x2)
    if kind.kind in "bc":
        raise not_implemented(f"div_{rounding}_cpu", dt.FROM_NUMPY[kind])
    whole = kind.kind in "iu"
    if rounding == "floor":
        return np.floor_divide(x1, x2) if whole else flat_functions.floor_quotient(x1, x2)
    if whole:
        return np.sign(x1) * np.sign(x2) * (np.abs(x1) // np.abs(x2))
    return np.trunc(np.true_divide(x1, x2))


_rounded = Primitive(flat_functions.flat_quotient, "DivBackward2", primal=_quotient,
                     scalar_edges=True)
_floored = Primitive(flat_functions.floor_quotient, "NotImplemented",
                     primal=lambda x1, x2: _quotient(x1, x2, "floor"))


@op(inplace=True)
def floor_divide(input: Any, other: Operand) -> Any:
    """The quotient rounded towards minus infinity."""
    d = promotion.result_type(input, other)
    _check_divisor(d, other)
    return promoted(_floored, d, input, other)


def _raised(x1: Any, x2: Any) -> Any:
    whole = np.result_type(x1, x2).kind in "iu"
    if whole and np.any(np.less(x2, 0)):
        return np.trunc(np.power(np.asarray(x1, float), x2))
    return np.power(x1, x2)


_power, _complex_power = (
    {kind: Primitive(function, f"PowBackward{i}", lift_numbers=lifts and i == 0,
                     primal=primal, shown={"x2": "exponent"})
     for i, kind in enumerate(("scalar", "tensor", "base"))}
    for function, primal, lifts in ((np.power, _raised, True), (complex_power, None, False)))


@op("pow", inplace=True, fast=fast_pair(_power["scalar"], numbers_only=True))
def power(input: Any, exponent: Operand) -> Any:
    """``input ** exponent``; one of the two may be a number."""
    d = promotion.result_type(input, exponent)
    if d is dt.bool_ and not is_number(exponent):
        raise not_implemented("pow", d)
    if d.category < dt.FLOATING and is_number(exponent) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    kind = "scalar" if is_number(exponent) else "base" if is_number(input) else "tensor"
    return promoted((_complex_power if d.category == dt.COMPLEX else _power)[kind], d, input,
                    exponent)


FAST[sub] = FAST[sub_plain]
operators("add", add_plain, reflected=add_plain)
operators("mul", mul, reflected=mul)
operators("sub", sub, reflected=rsub)
operators("pow", power, fast=_power["scalar"])
operators("floordiv", floor_divide)
operators("truediv", _true_div, reflected=lambda self, other: mul(reciprocal(self), other))


for _name, _function in {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
                         "gt": np.greater, "ge": np.greater_equal}.items():
    binary(_name, _function, kind="comparison", dunder=_name, primal=None if _name in (
        "eq", "ne") else refusing({"c": _name + "_cpu"}, _function))
SPECIAL[np.power] = power
