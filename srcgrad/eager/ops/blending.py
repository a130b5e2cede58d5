"""Bounds, choices and combinations of several tensors: clamp, where, lerp, addcmul, masked_fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import promotion
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, bad_argument, dt, is_number, op, register
from srcgrad.eager.ops.arguments import refuse_kinds
from srcgrad.eager.overloads import combination_error
from srcgrad.eager.promotion import arithmetic_dtype, promoted
from srcgrad.eager.tensor import Tensor, store, wrap
from srcgrad.eager.writes import apply_in_place
from srcgrad.rules.nn import blends

_CLAMP = Primitive(np.clip, "ClampBackward1", canonical=True)
_CLAMP_TENSORS = Primitive(np.clip, "ClampBackward0", canonical=True)
_LIMITS = {(title, tensor): Primitive(np.clip, f"Clamp{title}Backward{int(tensor)}", canonical=True)
           for title in ("Min", "Max") for tensor in (False, True)}


@op(inplace=True, aliases=("clip",))
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Any:
    """``input`` kept between ``min`` and ``max`` (numbers or tensors)."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    given = [v for v in (min, max) if v is not None]
    for name, value in (("min", min), ("max", max)):
        if value is not None and not isinstance(value, Tensor) and not is_number(value):
            raise TypeError(f"argument '{name}' must be Number, not {type(value).__name__}")
    tensors = [isinstance(v, Tensor) for v in given]
    if any(tensors) and not all(tensors):
        raise combination_error("clamp", (input,), {"min": min, "max": max}, False) or TypeError()
    return _clamped(_CLAMP_TENSORS if any(tensors) else _CLAMP, input, min, max)


def _clamped(prim: Primitive, input: Tensor, low: Any, high: Any) -> Any:
    operands = [v for v in (input, low, high) if v is not None]
    d = arithmetic_dtype(*operands)
    if d.category == dt.COMPLEX:
        raise NotImplementedError("clamp is not supported for complex types")
    r = promotion.as_array(input, d)
    try:
        for bound, chosen in ((low, np.maximum), (high, np.minimum)):
            if bound is not None:
                r = np.asarray(chosen(r, promotion.as_array(bound, d)))
    except ValueError:
        promotion.check_broadcast(*operands)
        raise
    return prim.finish(store(d, r), (input, low, high), {}, d)


@op(inplace=True)
def clamp_min(input: Tensor, min: Any) -> Any:
    """``input``, at least ``min``."""
    return _clamped(_LIMITS["Min", isinstance(min, Tensor)], input, min, None)


@op(inplace=True)
def clamp_max(input: Tensor, max: Any) -> Any:
    """``input``, at most ``max``."""
    return _clamped(_LIMITS["Max", isinstance(max, Tensor)], input, None, max)


_WHERE = Primitive(np.where, "WhereBackward0", scalar_edges=True)


@op(method=False)
def where(condition: Any = None, input: Any = None, other: Any = None) -> Any:
    """``input`` where ``condition`` is true, else ``other``."""
    if not isinstance(condition, Tensor):
        raise TypeError(f"argument 'condition' must be Tensor, not {type(condition).__name__}")
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if condition._dt is not dt.bool_:
        if condition._dt is not dt.uint8:
            raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor "
                               f"with dtype {condition._dt.tensor_name}")
        condition = wrap(condition._a != 0, dt.bool_)
    for position, value in ((2, input), (3, other)):
        refuse(value is None, "argument 'other' must be Tensor, not NoneType", kind=TypeError)
        if not isinstance(value, Tensor) and not is_number(value):
            raise bad_argument("where", "input" if position == 2 else "other", position, "Tensor",
                               value)
    d = arithmetic_dtype(input, other)
    x, y = promotion.as_array(input, d), promotion.as_array(other, d)
    try:
        r = np.where(condition._a, x, y)
    except ValueError:
        promotion.check_broadcast(condition, input, other)
        raise
    return _WHERE.finish(store(d, r), (condition, input, other), {}, d)


register("where", lambda self, condition, other: where(condition, self, other), torch=False)

def _lerp(start: Any, end: Any, weight: Any) -> Any:
    if start.dtype != np.float16:
        return blends.lerp(start, end, weight)
    wide = blends.lerp(start.astype(np.float32), end.astype(np.float32), weight)
    return wide.astype(np.float16)  # rounded once


_LERP = Primitive(blends.lerp, "LerpBackward0", primal=_lerp)
_LERP_TENSOR = Primitive(blends.lerp, "LerpBackward1", primal=_lerp)


def _same_kind(first: Tensor, other: Tensor, argument: str) -> None:
    if first._dt is not other._dt:
        raise RuntimeError(f"expected dtype {first._dt.c_name} for `{argument}` but got dtype "
                           f"{other._dt.c_name}")


@op(inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Any) -> Any:
    """``input + weight * (end - input)``."""
    _same_kind(input, end, "end")
    tensors = isinstance(weight, Tensor)
    refuse_kinds("biu", f"lerp_kernel_{'tensor' if tensors else 'scalar'}", input._dt)
    if tensors:
        _same_kind(input, weight, "weight")
        return promoted(_LERP_TENSOR, input._dt, input, end, weight)
    return promoted(_LERP, input._dt, input, end, weight=weight)


_ADDCMUL = Primitive(blends.add_product, "AddcmulBackward0",
                     shown={"x1": "tensor1", "x2": "tensor2"})
_ADDCDIV = Primitive(blends.add_quotient, "AddcdivBackward0",
                     shown={"x1": "tensor1", "x2": "tensor2"})


@op(inplace=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
    """``input + value * tensor1 * tensor2``."""
    d = arithmetic_dtype(input, tensor1, tensor2)
    value = value.item() if isinstance(value, Tensor) else value
    if d.category < dt.FLOATING or isinstance(value, complex):
        value = promotion.stored_number(d, value).item()
    return promoted(_ADDCMUL, d, input, tensor1, tensor2, value=value)


@op(inplace=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Any:
    """``input + value * tensor1 / tensor2``."""
    refuse(tensor1._dt.category < dt.FLOATING and tensor2._dt.category < dt.FLOATING,
           "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
           "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can "
           "be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
           "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
           "addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
           "tensor2), for all dtypes.")
    d = arithmetic_dtype(input, tensor1, tensor2)
    return promoted(_ADDCDIV, d, input, tensor1, tensor2, value=value)


def need_scalar(name: str, value: Tensor) -> None:
    """Refuse a tensor of several elements where all are set to one value."""
    refuse(value._a.ndim, "{} only supports a 0-dimensional value tensor, but got tensor with {} "
           "dimension(s).", name, value._a.ndim)


_FILL = Primitive(blends.masked_fill, "MaskedFillBackward0")
_FILL_TENSOR = Primitive(blends.masked_fill, "MaskedFillBackward1")


@op(inplace=True, torch=True, out=False)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Any:
    """``input`` with ``value`` where ``mask`` is true."""
    if mask._dt is not dt.bool_:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{mask._dt.c_name}")
    prim = _FILL
    if isinstance(value, Tensor):
        prim = _FILL_TENSOR
        need_scalar("masked_fill_", value)
    source = value._a if isinstance(value, Tensor) else value
    d = input._dt
    filled = promotion.stored_number(d, source if source is value else source.item())
    try:
        r = np.where(mask._a, filled, input._a)
    except ValueError:
        promotion.check_broadcast(input, mask)
        raise
    return prim.finish(store(d, r), (input, mask, value), {}, d)


_CONSTANT = Primitive(blends.masked_fill, "FillBackward2")


@op("fill_", torch=True, out=False)
def fill(input: Tensor, value: Any) -> Tensor:
    """Write one value to all elements."""
    refuse(not isinstance(value, Tensor) and not is_number(value), "argument 'value' (position 2) "
           "must be Number, not {}", type(value).__name__, kind=TypeError)
    if isinstance(value, Tensor) and value._a.ndim:
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{value._a.ndim} dimensions.")
    d = input._dt
    filled = store(d, value._a) if isinstance(value, Tensor) else promotion.stored_number(d, value)
    r = np.broadcast_to(filled, input._a.shape).copy()
    everywhere = wrap(np.asarray(True), dt.bool_)
    prim = _FILL_WITH if isinstance(value, Tensor) else _CONSTANT
    return apply_in_place(input, lambda old: prim.finish(r, (old, everywhere, value), {}, d),
                          constant=not isinstance(value, Tensor))


_FILL_WITH = Primitive(blends.masked_fill, "FillBackward3")
_ZERO = Primitive(blends.masked_fill, "ZeroBackward0")


@op("zero_", torch=True, out=False)
def zero(input: Tensor) -> Tensor:
    """Write zeros to all elements."""
    r = np.zeros_like(input._a)
    everywhere = wrap(np.asarray(True), dt.bool_)
    return apply_in_place(
        input, lambda old: _ZERO.finish(r, (old, everywhere, 0), {}, old._dt), constant=True)


# -- complex numbers from parts ------------------------------------------------------------

_COMPLEX = Primitive(blends.make_complex, "ComplexBackward0")
_POLAR = Primitive(blends.polar, "PolarBackward0")


def _parts(name: str, x: Tensor, y: Tensor) -> None:
    allowed = (dt.float16, dt.float32, dt.float64)
    refuse(x._dt not in allowed or y._dt not in allowed, "Expected both inputs to be Half, Float "
           "or Double tensors but got {} and {}", x._dt.tensor_name, y._dt.tensor_name)
    if x._dt is not y._dt:
        raise RuntimeError(f"Expected object of scalar type {x._dt.tensor_name} but got scalar "
                           f"type {y._dt.tensor_name} for second argument")


@op("complex", method=False)
def complex_(real: Tensor, imag: Tensor) -> Any:
    """Complex numbers from real and imaginary parts."""
    _parts("complex", real, imag)
    return _COMPLEX(real, imag)


@op(method=False)
def polar(abs: Tensor, angle: Tensor) -> Any:
    """Complex numbers from moduli and phases."""
    _parts("polar", abs, angle)
    return _POLAR(abs, angle)
