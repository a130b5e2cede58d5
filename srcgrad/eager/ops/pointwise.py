"""Functions of one tensor, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.dispatch import Array, Primitive, Tensor, dt, op, register, unary, wrap
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.ops.arguments import refuse_kinds, refusing
from srcgrad.eager.ops.shapes import reshape
from srcgrad.rules.nn import (
    activations,
    bessel,
    error_function,
    flat_functions,
    gamma_functions,
    special_functions,
)

# -- differentiable everywhere (or nearly so) ----------------------------------------------

def _log1p(z: Any) -> Any:
    """NumPy's loses the real part of complex numbers near 0."""
    if z.dtype.kind != "c":
        return np.log1p(z)
    near = np.where(np.abs(z) < 1, z, 0)
    real = np.log1p(near.real * (2 + near.real) + near.imag * near.imag) / 2
    return np.where(np.abs(z) < 1, real + 1j * np.angle(1 + near), np.log(1 + z))


for _name, _function, _aliases in (
    ("exp", np.exp, ()), ("expm1", np.expm1, ()), ("exp2", np.exp2, ()),
    ("log", np.log, ()), ("log2", np.log2, ()), ("log10", np.log10, ()), ("log1p", np.log1p, ()),
    ("sin", np.sin, ()), ("cos", np.cos, ()), ("tan", np.tan, ()),
    ("asin", np.arcsin, ("arcsin",)), ("acos", np.arccos, ("arccos",)),
    ("atan", np.arctan, ("arctan",)),
    ("sinh", np.sinh, ()), ("cosh", np.cosh, ()), ("tanh", np.tanh, ()),
    ("asinh", np.arcsinh, ("arcsinh",)), ("acosh", np.arccosh, ("arccosh",)),
    ("atanh", np.arctanh, ("arctanh",)),
    ("sqrt", np.sqrt, ()), ("rsqrt", special_functions.rsqrt, ()),
    ("sigmoid", activations.sigmoid, ()), ("sinc", np.sinc, ()),
):  # fmt: skip
    _own: Any = {"node": "Log1PBackward0", "primal": _log1p} if _name == "log1p" else {}
    unary(_name, _function, aliases=_aliases, **_own)


for _name, _function, _kernel in (
    ("erf", error_function.erf, "erf_vml_cpu"), ("erfc", error_function.erfc, "erfc_vml_cpu"),
    ("erfinv", special_functions.erfinv, "erfinv_vml_cpu"),
    ("lgamma", gamma_functions.lgamma, "lgamma_vml_cpu"),
    ("digamma", gamma_functions.digamma, "digamma"), ("i0", bessel.i0, "i0_vml_cpu"),
):  # fmt: skip
    unary(_name, _function, primal=refusing({"c": _kernel}, _function))
for _name, _function in (("deg2rad", np.deg2rad), ("rad2deg", np.rad2deg)):
    unary(_name, _function, node=f"{_name[:4].capitalize()}{_name[4:].capitalize()}Backward0",
          primal=refusing({"c": RuntimeError(f"{_name} is not supported for complex tensors.")},
                          _function))
reciprocal = unary("reciprocal", np.reciprocal, primal=lambda a: np.asarray(1 / a))

# -- integers stay integers ----------------------------------------------------------------


def _unless(kinds: str, function: Any) -> Any:
    """``function`` of an array, a copy where the numbers are of one of NumPy's ``kinds``."""
    return lambda a: a.copy() if a.dtype.kind in kinds else function(a)


for _name, _function, _aliases in (
    ("floor", flat_functions.floor, ()), ("ceil", flat_functions.ceil, ()),
    ("trunc", flat_functions.trunc, ("fix",)),
):  # fmt: skip
    unary(_name, _function, floats=False, aliases=_aliases, primal=refusing({
        "b": f"{_name}_vml_cpu",
        "c": NotImplementedError(f"{_name} is not supported for complex inputs"),
    }, _unless("iu", _function)))
unary("abs", np.absolute, floats=False, aliases=("absolute",),
      primal=refusing({"b": "abs_cpu"}, np.absolute))
unary("relu", activations.relu, floats=False, primal=refusing({
    "b": RuntimeError("Boolean inputs not supported for relu"),
    "c": NotImplementedError("clamp is not supported for complex types"),
}, lambda a: np.maximum(a, 0)))
unary("square", np.square, floats=False, node="PowBackward0",
      primal=lambda a: a.astype(np.int64) if a.dtype == bool else np.square(a))
unary("frac", flat_functions.fraction, floats=False,
      text="The part after the decimal point, with the sign of the number.",
      primal=refusing(dict.fromkeys("biuc", "frac_cpu"), flat_functions.fraction))
unary("sign", flat_functions.sign, floats=False, text="-1, 0 or 1.", primal=refusing({
    "c": NotImplementedError("Unlike NumPy, torch.sign is not intended to support complex numbers. "
                             "Please use torch.sgn instead."),
}, _unless("b", flat_functions.sign)))
unary("neg", np.negative, floats=False, aliases=("negative",), text="``-input``.", primal=refusing({
    "b": RuntimeError(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
        "invert a mask, use the `~` or `logical_not()` operator instead."),
}, np.negative))
for _name in ("abs", "neg"):
    register(f"__{_name}__", getattr(Tensor, _name), torch=False)


def _absolute_written(self: Tensor) -> Tensor:
    """``abs`` in place; the result must have the tensor's own dtype."""
    refuse(self._dt.category == dt.COMPLEX, "In-place abs is not supported for complex tensors.")
    return _written_abs(self)  # type: ignore[no-any-return]


_written_abs: Any = Tensor.abs_  # type: ignore[attr-defined]
for _name in ("abs_", "absolute_"):
    register(_name, _absolute_written)

_ROUND = Primitive(flat_functions.round_to, "RoundBackward0")
_ROUND_DECIMALS = Primitive(flat_functions.round_to, "RoundBackward1")


@op("round", inplace=True)
def round_(input: Tensor, *, decimals: int | None = None) -> Tensor:
    """Rounded half to even, at ``decimals`` decimal places."""
    refuse_kinds("bc", "round_vml_cpu", input._dt)
    if input._dt.category < dt.FLOATING:
        return wrap(input._a.copy(), input._dt)
    if decimals is not None:
        return _ROUND_DECIMALS(input, decimals)  # type: ignore[no-any-return]
    return _ROUND(input, 0)  # type: ignore[no-any-return]


def _direction(a: Array) -> Array:
    size = np.absolute(a)
    return np.where(size == 0, 0, a / np.where(size == 0, 1, size)).astype(a.dtype)


_SGN = {complex_too: Primitive(function, "SgnBackward0", primal=primal)
        for complex_too, function, primal in (
            (True, np.sign, _direction),
            (False, flat_functions.sign, _unless("b", flat_functions.sign)))}


@op(inplace=True)
def sgn(input: Tensor) -> Tensor:
    """:func:`sign`; for complex numbers the number of modulus 1 in the same direction."""
    return _SGN[input._dt.category == dt.COMPLEX](input)  # type: ignore[no-any-return]


@op()
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    refuse(input._dt is dt.bool_, "The `+` operator, on a bool tensor is not supported.")
    return input


register("__pos__", positive, torch=False)

_NAN_TO_NUM = Primitive(np.nan_to_num, "NanToNumBackward0")


@op(inplace=True)
def nan_to_num(input: Tensor, nan: float = 0.0, posinf: float | None = None,
               neginf: float | None = None) -> Tensor:
    """NaN and infinities replaced by numbers (by default 0, the largest and the least)."""
    if input._dt.category < dt.FLOATING:
        return wrap(input._a.copy(), input._dt)
    if input._dt is dt.bfloat16:
        limits = dt.finfo(dt.bfloat16)
        posinf = limits.max if posinf is None else posinf
        neginf = limits.min if neginf is None else neginf
    return _NAN_TO_NUM(  # type: ignore[no-any-return]
        input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


_LOGIT = Primitive(special_functions.logit, "LogitBackward0")


@op(inplace=True)
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """``log(input / (1 - input))``; with ``eps`` the input is clamped to [eps, 1 - eps]."""
    refuse_kinds("c", "logit_cpu", input._dt)
    return _LOGIT(as_floating(input), eps)  # type: ignore[no-any-return]


def as_floating(input: Tensor) -> Tensor:
    """``input``, integers and booleans as numbers of the default dtype."""
    if input._dt.category >= dt.FLOATING:
        return input
    d = dt.get_default_dtype()
    return wrap(input._a.astype(d.numpy), d)


_PRELU = Primitive(activations.prelu, "PreluKernelBackward0")


@op(out=False)
def prelu(input: Tensor, weight: Tensor) -> Any:
    """``input`` where positive, else ``weight * input`` with one weight, or one per channel."""
    n, count = input._a.ndim, weight._a.size
    if input._dt is not weight._dt:
        raise RuntimeError("prelu: Type promoting not supported. Got "
                           f"{input._dt.tensor_name} and {weight._dt.tensor_name}")
    if count != 1:
        refuse(n == 0, "Not allow zero-dim input tensor.")
        channels = input._a.shape[1] if n > 1 else 1
        refuse(channels != count, "Mismatch of parameter numbers and input channel size. Found "
               "parameter numbers = {} and channel size = {}.", count, channels)
    refuse(weight._a.ndim > 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: "
           "ndim = {}", weight._a.ndim)
    refuse_kinds("c", "prelu_cpu", input._dt)
    return _PRELU(input, reshape(weight, (1, count, *(1,) * (n - 2)) if n > 1 else (1,) * n))


# -- questions -----------------------------------------------------------------------------


def _question(name: str, function: Any, complex_too: bool = True) -> None:
    def ask(input: Tensor) -> Tensor:
        if input._dt.category == dt.COMPLEX and not complex_too:
            if name == "signbit":
                raise NotImplementedError("signbit is not implemented for complex tensors.")
            raise RuntimeError(f"{name} does not support complex inputs.")
        token = quiet()
        try:
            return wrap(np.asarray(function(input._a)), dt.bool_)
        finally:
            loud(token)

    op(name, out=not name.startswith(("isfinite", "isnan", "isinf")))(ask)


for _name, _function in (
    ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite), ("isreal", np.isreal),
):  # fmt: skip
    _question(_name, _function)
for _name, _function in (("isposinf", lambda a: a == np.inf), ("isneginf", lambda a: a == -np.inf),
                         ("signbit", lambda a: a < 0 if a.dtype.kind in "iub" else np.signbit(a))):
    _question(_name, _function, complex_too=False)


@op(inplace=True)
def logical_not(input: Tensor) -> Tensor:
    """True where the element is zero."""
    return wrap(np.asarray(input._a == 0), dt.bool_)


@op(inplace=True)
def bitwise_not(input: Tensor) -> Tensor:
    """All bits turned over (booleans: negation)."""
    refuse_kinds("fc", "bitwise_not_cpu", input._dt)
    return wrap(np.asarray(np.invert(input._a)), input._dt)


def _inverted(self: Tensor) -> Tensor:
    refuse(self._dt.category >= dt.FLOATING, "~ (operator.invert) is only implemented on integer "
           "and Boolean-type tensors", kind=TypeError)
    return bitwise_not(self)


register("__invert__", _inverted, torch=False)

_ANGLE = Primitive(np.angle, "AngleBackward0")


@op()
def angle(input: Tensor) -> Tensor:
    """The phase of complex numbers; 0 or pi for real ones."""
    if input._dt.category == dt.COMPLEX:
        return _ANGLE(input)  # type: ignore[no-any-return]
    return _REAL_ANGLE(as_floating(input))  # type: ignore[no-any-return]


_REAL_ANGLE = Primitive(flat_functions.flat(
    lambda a: np.where(np.isnan(a), a, np.where(a < 0, a.dtype.type(np.pi), a.dtype.type(0))),
    "angle_of_real"), "AngleBackward0")
_FREXP = Primitive(np.frexp, "FrexpBackward0", outputs=2, inactive_outputs=(1,))


@op(gives="mantissa exponent")
def frexp(input: Tensor) -> Any:
    """Mantissa in [0.5, 1) and exponent of 2."""
    refuse(input._dt.category != dt.FLOATING, "torch.frexp() only supports floating-point dtypes")
    return _FREXP(input)
