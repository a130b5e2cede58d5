"""Polynomials of array elements, their inverses, and sums over axes: to see what cancels.

A factor is an element of an array, addressed by labels of axes (``None`` where the axis has
size 1 and is stretched), a sum of a product over a label, a size, or a *pick*: an array that is 1
where the last label is the index that an integer array holds, else 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Label = int | None
Factor = tuple[str, Any, Any]
Monomial = frozenset[tuple[Factor, int]]
Polynomial = Mapping[Monomial, float]

_LARGEST = 40  # monomials
_TINY = 1e-9


class TooLarge(Exception):
    """A polynomial has more monomials than is worth while."""


def constant(number: Any) -> Polynomial:
    if np.iscomplexobj(number) and number.imag:
        return atom("number", number, ())
    return {frozenset(): float(number.real)} if number else {}


def atom(kind: str, what: Any, labels: tuple[Label, ...]) -> Polynomial:
    return {frozenset({((kind, what, labels), 1)}): 1.0}


def plus(p: Polynomial, q: Polynomial, factor: float = 1.0) -> Polynomial:
    """``p + factor * q``; what cancels is gone.

    >>> x = atom("value", "x", ())
    >>> plus(x, x, -1.0)
    {}
    """
    total = dict(p)
    for monomial, coefficient in q.items():
        found = total.get(monomial, 0.0)
        added = found + factor * coefficient
        if abs(added) <= _TINY * abs(found):
            total.pop(monomial, None)
        else:
            total[monomial] = added
    if len(total) > _LARGEST:
        raise TooLarge
    return total


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for first, a in p.items():
        for second, b in q.items():
            powers = dict(first)
            for factor, power in second:
                powers[factor] = powers.get(factor, 0) + power
            product = frozenset((f, n) for f, n in powers.items() if n)
            total = plus(total, {product: a * b})
    return total


def inverse(p: Polynomial) -> Polynomial | None:
    """``1 / p``, if ``p`` is a single product.

    >>> x = atom("value", "x", ())
    >>> times(x, inverse(x)) == constant(1.0)
    True
    """
    if len(p) != 1:
        return None
    (monomial, coefficient), = p.items()
    return {frozenset((f, -n) for f, n in monomial): 1.0 / coefficient}


def summed(p: Polynomial, label: int, size: Any) -> Polynomial:
    """The sum over a label that runs through ``size`` values; what does not depend on it is
    taken out.

    >>> x, y = atom("value", "x", (1,)), atom("value", "y", (0,))
    >>> summed(times(x, y), 1, "n") == times(y, summed(x, 1, "n"))
    True
    """
    total: Polynomial = {}
    for monomial, coefficient in p.items():
        inner = [(f, n) for f, n in monomial if _mentions(f, label)]
        outer = frozenset((f, n) for f, n in monomial if not _mentions(f, label))
        if not inner:
            factor: Factor | None = ("size", size, ())
        elif len(inner) == 1 and inner[0][1] == 1 and inner[0][0][0] == "pick" and (
                inner[0][0][2][-1] == label):
            factor = None  # one of the elements is 1
        else:
            bound = -1 - max(_depth(f) for f, _ in inner)
            factor = ("sum", bound, frozenset((_renamed(f, label, bound), n) for f, n in inner))
        found = {outer: coefficient}
        total = plus(total, found if factor is None else times(
            found, {frozenset({(factor, 1)}): 1.0}))
    return total


def _mentions(factor: Factor, label: int) -> bool:
    if factor[0] == "sum":
        return any(_mentions(f, label) for f, _ in factor[2])
    return label in factor[2]


def _depth(factor: Factor) -> int:
    return -int(factor[1]) if factor[0] == "sum" else 0


def _renamed(factor: Factor, label: int, bound: int) -> Factor:
    kind, what, rest = factor
    if kind == "sum":
        return kind, what, frozenset((_renamed(f, label, bound), n) for f, n in rest)
    return kind, what, tuple(bound if found == label else found for found in rest)
