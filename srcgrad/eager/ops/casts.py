"""Copies and conversions: clone, contiguous, to, type, float(), copy_."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Primitive, Tensor, dt, is_number, need_tensor, op, store, wrap
from srcgrad.eager.grad_mode import GRAD, state
from srcgrad.eager.layout import arranged, contiguous_format, suggested
from srcgrad.eager.ops.arguments import warn_once
from srcgrad.eager.overloads import combination_error
from srcgrad.eager.promotion import check_broadcast
from srcgrad.eager.recording import SPECIAL
from srcgrad.eager.views import requires_grad
from srcgrad.eager.writes import check_writable, refuse_partial_overlap, write
from srcgrad.rules.methods import cast

_clone = Primitive(np.copy, "CloneBackward0")
_to_copy = Primitive(cast, "ToCopyBackward0")


@op()
def clone(input: Tensor, *, memory_format: Any = None) -> Any:
    """A copy that gradients flow through."""
    a = arranged(input._a, memory_format)
    return _clone.finish(a.copy("K") if a is input._a else a, (input,), {}, input._dt)


@op(torch=False, out=False)
def contiguous(input: Tensor, memory_format: Any = contiguous_format) -> Tensor:
    """``input`` itself if it is laid out so, else a copy."""
    a = arranged(input._a, memory_format)
    if a is input._a:
        return input
    return _clone.finish(a, (input,), {}, input._dt)  # type: ignore[no-any-return]


def convert(input: Tensor, d: dt.dtype | None, copy: bool = False) -> Tensor:
    """``input`` in another dtype (itself if it has it already, or there is none, and no copy is
    asked for)."""
    d = input._dt if d is None else d
    if input._dt.category == dt.COMPLEX and d.category < dt.COMPLEX and d is not dt.bool_:
        warn_once("Casting complex values to real discards the imaginary part")
    if input._dt is d:
        return (_to_copy.finish(input._a.copy("K"), (input, d.numpy), {}, d) if copy else input)
    return _to_copy.finish(store(d, input._a), (input, d.numpy), {}, d)  # type: ignore[no-any-return]


@op(torch=False, out=False)
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Convert to a dtype, a device (only the CPU), or what another tensor has."""
    flags = [*args]  # non_blocking, copy
    d = kwargs.pop("dtype", None)
    devices.check(kwargs.pop("device", None))
    if flags and (flags[0] is None or isinstance(flags[0], str | devices.device)):
        devices.check(flags.pop(0))
        if flags and (flags[0] is None or isinstance(flags[0], dt.dtype)):
            d = flags.pop(0) or d
    elif flags or "tensor" in kwargs:
        wanted = kwargs.pop("tensor") if "tensor" in kwargs else flags.pop(0)
        d = wanted._dt if isinstance(wanted, Tensor) else wanted
    d = dt.OF_PYTHON[d] if d.__class__ is type and d in dt.OF_PYTHON else d
    if len(flags) > 2 or not all(isinstance(v, bool) for v in flags) or not (
            d is None or isinstance(d, dt.dtype)):
        raise combination_error("to", (input, *args), kwargs, True) or TypeError(
            f"to() got {d} in place of a dtype")
    out = convert(input, d, kwargs.pop("copy", len(flags) > 1 and flags[1]))
    form = kwargs.pop("memory_format", None)
    return out if form is None else _arranged(out, form)


def _arranged(input: Tensor, form: Any) -> Tensor:
    a = input._a if form is suggested(input._a) else arranged(input._a, form)
    if a is input._a:
        return input
    return _to_copy.finish(a, (input, input._dt.numpy), {}, input._dt)  # type: ignore[no-any-return]


def _to_dtype(d: dt.dtype) -> Any:
    def converted(input: Tensor, *, memory_format: Any = None) -> Tensor:
        out = convert(input, d)
        return out if memory_format is None else _arranged(out, memory_format)

    return converted


for _name, _d in {
    "float": dt.float32, "double": dt.float64, "half": dt.float16, "bfloat16": dt.bfloat16,
    "int": dt.int32, "long": dt.int64, "short": dt.int16, "char": dt.int8, "byte": dt.uint8,
    "bool": dt.bool_, "cfloat": dt.complex64, "cdouble": dt.complex128,
}.items():
    op(_name, torch=False, out=False)(_to_dtype(_d))


@op(torch=False, out=False)
def type_as(input: Tensor, other: Tensor) -> Tensor:
    return convert(input, other._dt)


@op("type", torch=False, out=False)
def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The tensor type's name, or ``input`` converted to a dtype (or type's name)."""
    if dtype is None:
        return f"torch.{input._dt.tensor_name}Tensor"
    if isinstance(dtype, dt.dtype):
        return convert(input, dtype)
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
    for d in dt.ALL:
        if name.endswith(d.tensor_name + "Tensor"):
            return convert(input, d)
    raise ValueError(f"invalid type: '{dtype}'")


@op(torch=False, out=False)
def cpu(input: Tensor, memory_format: Any = None) -> Tensor:
    return input


@op(torch=False, out=False)
def cuda(input: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    devices.check("cuda")
    return input


@op("copy_", torch=False, out=False)
def copy_into(input: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Write the values of ``other`` (broadcast) into ``input``."""
    if is_number(other):
        other = wrap(np.asarray(other, input._dt.numpy), input._dt)
    source = need_tensor("copy_", other, "other")
    check_writable(input, state.mode & GRAD != 0 and (
        requires_grad(input) or requires_grad(source)))
    refuse_partial_overlap(input, source)
    if source._a.shape != input._a.shape:
        check_broadcast(input, source)
        shape, broad = input._a.shape, np.broadcast_shapes(source._a.shape, input._a.shape)
        refuse(broad != shape, "output with shape {} doesn't match the broadcast shape {}",
               list(shape), list(broad))
    write(input, source)
    return input


SPECIAL[cast] = lambda a, dtype, **_: convert(a, dt.FROM_NUMPY[np.dtype(dtype)])
