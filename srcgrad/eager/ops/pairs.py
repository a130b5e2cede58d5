"""Functions of two operands, element by element, beyond the operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager import promotion
from srcgrad.eager.calling_errors import NUMBER_FIRST, refuse
from srcgrad.eager.dispatch import (
    NAMESPACE,
    binary,
    check_result,
    into,
    need_tensor,
    op,
    operators,
    register,
)
from srcgrad.eager.ops.arguments import not_implemented, refuse_kinds, refusing
from srcgrad.eager.ops.arithmetic import power
from srcgrad.eager.ops.pointwise import as_floating
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.promotion import Operand, arithmetic_dtype, is_number, promoted
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.writes import apply_in_place
from srcgrad.rules.nn import blends, flat_functions, gamma_functions, special_functions


def _tensors_only(name: str, function: Any, *, kind: str = "arithmetic", kinds: str = "",
                  aliases: Any = (), inplace: bool = True, **options: Any) -> Any:
    """A function whose two operands must be tensors (of one of NumPy's ``kinds`` of numbers)."""
    options.setdefault("node", name.capitalize() + "Backward0")
    if kinds:
        options["primal"] = refusing(dict.fromkeys(set("biufc") - set(kinds), name + "_cpu"),
                                     options.get("primal", function))
    plain = binary("_" + name, function, kind=kind, torch=False, method=False, inplace=False,
                   **options)

    def call(input: Tensor, other: Any) -> Any:
        return plain(input, need_tensor(name, other, "other", 2))

    op(name, aliases=aliases, inplace=inplace)(call)
    return call


atan2 = _tensors_only("atan2", np.arctan2, kind="floating", kinds="biuf", aliases=("arctan2",),
                      settings={"origin": "zero"})
hypot = _tensors_only("hypot", np.hypot, kinds="f", settings={"origin": "nan"})


def _ordered(name: str, function: Any, **options: Any) -> Any:
    error = RuntimeError(f"{name} not implemented for complex tensors.")
    return _tensors_only(name, function, inplace=False, primal=refusing({"c": error}, function),
                         **options)


maximum, minimum = _ordered("maximum", np.maximum), _ordered("minimum", np.minimum)
fmax = _ordered("fmax", np.fmax, settings={"ties": "first"})
fmin = _ordered("fmin", np.fmin, settings={"ties": "first"})
_real_logaddexp = refusing(dict.fromkeys("biu", "logaddexp_cpu"), np.logaddexp)


def _logaddexp(x: Any, y: Any) -> Any:
    if np.result_type(x, y).kind != "c":
        return _real_logaddexp(x, y)
    x, y = np.asarray(x), np.asarray(y)
    swapped = x.real < y.real
    most, least = np.where(swapped, y, x), np.where(swapped, x, y)
    same = (most.real == least.real) & np.isinf(most.real)
    return np.where(same, most, most + np.log1p(np.exp(np.where(same, 0, least - most))))


logaddexp = _tensors_only("logaddexp", np.logaddexp, inplace=False, primal=_logaddexp)
logaddexp2 = _tensors_only("logaddexp2", np.logaddexp2, inplace=False, kinds="f")
igamma = _tensors_only("igamma", gamma_functions.igamma, kinds="f")
igammac = _tensors_only("igammac", gamma_functions.igammac, kinds="f")
nextafter = _tensors_only("nextafter", flat_functions.nextafter, kinds="f", primal=np.nextafter)


def with_numbers(name: str, function: Any, node: str, places: str, text: str, *, refuses: str = "",
                 floats: bool = False, divides: bool = False, main: bool = True,
                 declare: Any = None) -> Any:
    """Declare a function of two operands that has a node for each way in which it is called:
    ``places`` says which, ``"t"`` for two tensors, ``"i"`` with a number as ``input``, ``"o"`` as
    ``other``.  Numbers of the kinds in ``refuses`` have no kernel; ``divides``: no integer may be
    divided by 0."""
    prims = {place: Primitive(function, f"{node}Backward{i}", main=main)
             for i, place in enumerate(places)}
    kernel = name + "_cpu"

    def call(input: Tensor, other: Operand) -> Any:
        d = arithmetic_dtype(input, other, floats=floats)
        if d.numpy.kind in refuses:
            promotion.check_broadcast(input, other)
            raise not_implemented(kernel, d)
        if divides and d.category < dt.FLOATING and not np.all(promotion.as_array(other, d)):
            raise RuntimeError("ZeroDivisionError")
        place = "o" if is_number(other) else "t" if isinstance(input, Tensor) else "i"
        if place not in prims:
            input, place = wrap(np.asarray(input, d.numpy), d), "t"
        return promoted(prims[place], d, input, other)

    call.__name__, call.__doc__ = name, text
    if name in NUMBER_FIRST:
        call.__annotations__["input"] = "Operand"
    return (declare or op(name, inplace=True))(call)


with_numbers("fmod", np.fmod, "Fmod", "ot", "The remainder of a division, with the sign of "
             "``input``.", refuses="bc", divides=True)
remainder = with_numbers(
    "remainder", np.remainder, "Remainder", "ot", "The remainder of a division, with the sign of "
    "``other``.", refuses="bc", divides=True, main=False)
with_numbers("copysign", flat_functions.copysign, "Copysign", "to", "The size of ``input`` with "
             "the sign of ``other``.", refuses="c", floats=True)
with_numbers("xlogy", special_functions.xlogy, "Xlogy", "tio", "``input * log(other)``, 0 where "
             "``input`` is 0.", refuses="c", floats=True)
operators("mod", remainder, inplace=False)
register("__imod__", lambda self, other: self.remainder_(other) if (
    isinstance(other, Tensor) or is_number(other)) else NotImplemented, torch=False)
_LDEXP = Primitive(blends.ldexp, "LdexpBackward0", scalar_edges=True)


@op(inplace=True)
def ldexp(input: Tensor, other: Any) -> Any:
    """``input * 2 ** other``."""
    d = arithmetic_dtype(input, need_tensor("ldexp", other, "other", 2), floats=True)
    return promoted(_LDEXP, d, input, other)


def _wide(*operands: Any) -> dt.dtype:
    """The dtype that :func:`float_power` computes in."""
    among = promotion.result_type(*operands)
    return dt.complex128 if among.category == dt.COMPLEX else dt.float64


@op(out=False)
def float_power(input: Any, exponent: Operand, *, out: Tensor | None = None) -> Any:
    """``input ** exponent`` in double precision."""
    d = _wide(input, exponent)
    if out is not None and out._dt is not d:
        raise RuntimeError(f"the output given to float_power has dtype {out._dt.tensor_name} but "
                           f"the operation's result requires dtype {d.tensor_name}")
    number = complex if d is dt.complex128 else float
    pair = [v.to(d) if isinstance(v, Tensor) else number(v) for v in (input, exponent)]
    return power(*pair) if out is None else into(out, "float_power", power, pair, {})


@op("float_power_", torch=False, out=False)
def float_power_written(self: Tensor, exponent: Operand) -> Tensor:
    """:func:`float_power` in place, for tensors of double precision."""
    d = _wide(self, exponent)
    if self._dt is not d:
        raise RuntimeError(f"the base given to float_power_ has dtype {self._dt.tensor_name} but "
                           f"the operation's result requires dtype {d.tensor_name}")
    return self.pow_(exponent.to(d) if isinstance(exponent, Tensor) else exponent)  # type: ignore[no-any-return]


_HEAVISIDE = Primitive(flat_functions.heaviside, "NotImplemented")


@op(inplace=True)
def heaviside(input: Tensor, values: Tensor) -> Any:
    """0 for negative, 1 for positive numbers, ``values`` at 0."""
    if dt.COMPLEX in (input._dt.category, values._dt.category):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input._dt is not values._dt:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return promoted(_HEAVISIDE, input._dt, input, values)


_POLYGAMMA = Primitive(gamma_functions.polygamma, "PolygammaBackward0")
_MVLGAMMA = Primitive(gamma_functions.mvlgamma, "MvlgammaBackward0")


@op(method=False)
def polygamma(n: int, input: Tensor) -> Any:
    """The ``n``-th derivative of the digamma function."""
    refuse(n < 0, "polygamma(n, x) does not support negative n.")
    return _POLYGAMMA(int(n), as_floating(input))


register("polygamma", lambda self, n: NAMESPACE["polygamma"](n, self), torch=False)
register("polygamma_", lambda self, n: apply_in_place(self, lambda old: old.polygamma(n)),
         torch=False)


@op(inplace=True)
def mvlgamma(input: Tensor, p: int) -> Any:
    """The logarithm of the multivariate gamma function of dimension ``p``."""
    refuse(p < 1, "p has to be greater than or equal to 1")
    refuse(input._dt is dt.bool_, "The input tensor may not be a boolean tensor.")
    refuse_kinds("c", "arange_cpu", input._dt)
    t = as_floating(input)
    return _MVLGAMMA(t, p)


# -- bits and truth ------------------------------------------------------------------------


for _name, _function, _dunder, _kernel, _kinds in (
    ("bitwise_and", np.bitwise_and, "and", "bitwise_and_cpu", "fc"),
    ("bitwise_or", np.bitwise_or, "or", "bitwise_or_cpu", "fc"),
    ("bitwise_xor", np.bitwise_xor, "xor", "bitwise_xor_cpu", "fc"),
    ("bitwise_left_shift", np.left_shift, "lshift", "lshift_cpu", "bfc"),
    ("bitwise_right_shift", np.right_shift, "rshift", "rshift_cpu", "bfc"),
):  # fmt: skip
    binary(_name, _function, dunder=_dunder,
           primal=refusing(dict.fromkeys(_kinds, _kernel), _function))
for _name in ("gcd", "lcm"):
    _tensors_only(_name, getattr(np, _name), kinds="iu")


def _logical(name: str, function: Any) -> None:
    def call(input: Tensor, other: Tensor) -> Tensor:
        try:
            return wrap(np.asarray(function(input._a != 0, other._a != 0)), dt.bool_)
        except ValueError:
            promotion.check_broadcast(input, other)
            raise

    op(name)(call)

    def written(self: Tensor, other: Tensor) -> Tensor:
        result = call(self, other)
        check_result(self, result._a.shape, result._dt)
        return self.copy_(result)  # type: ignore[no-any-return]

    register(name + "_", written, torch=False)


_logical("logical_and", np.logical_and)
_logical("logical_or", np.logical_or)
_logical("logical_xor", np.logical_xor)


@op(out=False)
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08,
            equal_nan: bool = False) -> Tensor:
    """Where two tensors differ by at most ``atol + rtol * abs(other)``."""
    if input._dt is not other._dt:
        raise RuntimeError(f"{input._dt.tensor_name} did not match {other._dt.tensor_name}")
    rtol, atol = float(rtol), float(atol)
    refuse(rtol < 0, "rtol must be greater than or equal to zero, but got {:g}", rtol)
    refuse(atol < 0, "atol must be greater than or equal to zero, but got {:g}", atol)
    x, y = input._a, other._a
    promotion.check_broadcast(input, other)
    with np.errstate(all="ignore"):
        close = x == y
        if equal_nan:
            close = close | ((x != x) & (y != y))
        if input._dt.category < dt.FLOATING:
            x, y = x.astype(np.float64), y.astype(np.float64)
        allowed = atol + np.abs(rtol * y)
        distance = np.abs(x - y)
        close = close | (np.isfinite(distance) & (distance <= allowed))
    return wrap(np.asarray(close), dt.bool_)


@op(out=False)
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08,
             equal_nan: bool = False) -> bool:
    """Whether :func:`isclose` holds everywhere."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._a.all())


@op(out=False)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    return input._a.shape == other._a.shape and bool((input._a == other._a).all())


for _name, _short in {"greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le",
                      "not_equal": "ne"}.items():
    register(_name, getattr(Tensor, _short))
    register(_name + "_", getattr(Tensor, _short + "_"), torch=False)
