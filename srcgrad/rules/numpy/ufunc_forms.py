"""Other forms of ufuncs: under a mask, and ``outer``."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.book import Array, NoRule, Shape, linear, lookup, nondiff, vjp
from srcgrad.rules.broadcast import runtime, sum_to
from srcgrad.rules.numpy.products import outer_parameters

_INSIDE = {np.arccosh: 2.0}  # where the function and its derivatives are finite; else 0.5


@runtime
def masked(ufunc: Any, base: Array, where: Array, *operands: Array, **options: Any) -> Array:
    """A copy of ``base`` with ``ufunc(*operands)`` where the mask holds; elsewhere the ufunc is
    not evaluated, and the derivative does not look at the operands either.

    >>> masked(np.divide, np.zeros(2), np.array([True, False]), 1.0, np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    out = base.copy()
    ufunc(*operands, out=out, where=where, **options)
    return out


linear(masked, base=lambda ct, where: np.where(where, 0, ct))


@vjp(masked, "operands", where=None)
def masked_operands(ct: Array, ufunc: Any, where: Array, operands: Any,
                    operands_shape: Any) -> list[Any]:
    inside = _INSIDE.get(ufunc, 0.5)
    safe = [x if isinstance(x, int | float) else np.where(where, x, inside) for x in operands]
    found = cotangents(ufunc, safe, ufunc(*safe), np.where(where, ct, 0))
    return [c if c is None else sum_to(c, s) for c, s in zip(found, operands_shape)]


def cotangents(ufunc: Any, operands: Any, ans: Array, ct: Array) -> list[Any]:
    """The cotangents of a ufunc's operands by its own rules, in the shape of the output."""
    entry = lookup(ufunc)
    if entry is None:
        raise NoRule(f"np.{ufunc.__name__} has no derivative rule")
    names = entry.parameters[: len(operands)]
    found: list[Any] = []
    for name in names:
        rule = None if entry.nondiff or name in entry.inactive else entry.rules.get(name)
        if rule is None:
            found.append(None)
            continue
        have = dict(zip(names, operands)) | dict(rule.settings) | {"ans": ans, "ct": ct}
        for other, x in zip(names, operands):
            dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
            have |= {f"{other}_shape": np.shape(x), f"{other}_ndim": np.ndim(x),
                     f"{other}_dtype": dtype}  # fmt: skip
        result = rule.body(**{need: have[need] for need in rule.needs})
        if rule.form == "elementwise":
            result = ct * result
        found.append(result)
    return found


# ---- outer ----------------------------------------------------------------------------------


def _outer_rule(ufunc: Any) -> None:
    @vjp(ufunc.outer, "A", "B", like=outer_parameters)
    def outer_operands(ct: Array, ans: Array, A: Array, B: Array, A_shape: Shape,
                       B_shape: Shape) -> tuple[Any, Any]:
        rank, rest = len(A_shape), len(B_shape)
        rows = np.reshape(A, (*A_shape, *(1,) * rest))
        d_a, d_b = cotangents(ufunc, (rows, B), ans, ct)
        trailing = tuple(range(rank, rank + rest))
        if d_a is not None and rest:
            d_a = np.sum(d_a, axis=trailing)
        if d_b is not None and rank:
            d_b = np.sum(d_b, axis=tuple(range(rank)))
        return d_a, d_b


for _ufunc in (
    np.power, np.float_power, np.maximum, np.minimum, np.fmax, np.fmin, np.hypot, np.arctan2,
    np.logaddexp, np.logaddexp2, np.remainder, np.fmod, np.copysign,
):  # fmt: skip
    _outer_rule(_ufunc)
for _function in (
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
    np.logical_and, np.logical_or, np.logical_xor, np.floor_divide, np.bitwise_and,
    np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift, np.gcd, np.lcm,
):  # fmt: skip
    nondiff(_function.outer)
