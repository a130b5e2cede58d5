"""NumPy's classes of polynomials over traced coefficients, as staged code.

``np.poly1d`` is written out (leading zeros stay, which changes no value); of the classes of
``numpy.polynomial`` only the operators are, since NumPy's hide errors in ``try`` statements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class Poly1d:
    """``np.poly1d``: coefficients of the highest power first."""

    coeffs: Any

    def __init__(self, c_or_r: Any, r: bool = False, variable: Any = None) -> None:
        if isinstance(c_or_r, Poly1d):
            self.coeffs = c_or_r.coeffs
        else:
            self.coeffs = np.poly(c_or_r) if r else np.atleast_1d(c_or_r)
        self.variable = variable or "x"

    @property
    def c(self) -> Any:
        return self.coeffs

    @property
    def coef(self) -> Any:
        return self.coeffs

    @property
    def coefficients(self) -> Any:
        return self.coeffs

    @property
    def order(self) -> Any:
        return len(self.coeffs) - 1

    @property
    def o(self) -> Any:
        return len(self.coeffs) - 1

    @property
    def roots(self) -> Any:
        return np.roots(self.coeffs)

    @property
    def r(self) -> Any:
        return np.roots(self.coeffs)

    def __len__(self) -> Any:
        return len(self.coeffs) - 1

    def __call__(self, val: Any) -> Any:
        return np.polyval(self.coeffs, val)

    def __getitem__(self, power: Any) -> Any:
        return self.coeffs[len(self.coeffs) - 1 - power]

    def __neg__(self) -> Any:
        return Poly1d(-self.coeffs)

    def __pos__(self) -> Any:
        return self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (Poly1d, np.poly1d)):
            return Poly1d(np.polymul(self.coeffs, other.coeffs))
        return Poly1d(self.coeffs * other)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __add__(self, other: Any) -> Any:
        return Poly1d(np.polyadd(self.coeffs, coefficients(other)))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return Poly1d(np.polysub(self.coeffs, coefficients(other)))

    def __rsub__(self, other: Any) -> Any:
        return Poly1d(np.polysub(coefficients(other), self.coeffs))

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, (Poly1d, np.poly1d)):
            quotient, rest = np.polydiv(self.coeffs, other.coeffs)
            return Poly1d(quotient), Poly1d(rest)
        return Poly1d(self.coeffs / other)

    def __pow__(self, val: int) -> Any:
        if val < 0 or int(val) != val:
            raise ValueError("Power to non-negative integers only.")
        result = Poly1d(np.ones(1))
        for _ in range(int(val)):
            result = self * result
        return result

    def deriv(self, m: int = 1) -> Any:
        return Poly1d(np.polyder(self.coeffs, m))

    def integ(self, m: int = 1, k: Any = 0) -> Any:
        return Poly1d(np.polyint(self.coeffs, m, k))


def coefficients(other: Any) -> Any:
    """The coefficients of a polynomial, or of a number."""
    return other.coeffs if isinstance(other, (Poly1d, np.poly1d)) else np.atleast_1d(other)


# ---- numpy.polynomial ------------------------------------------------------------------------


def _made(self: Any, coef: Any) -> Any:
    return self.__class__(coef, self.domain, self.window, self.symbol)


def add(self: Any, other: Any) -> Any:
    return _made(self, self._add(self.coef, self._get_coefficients(other)))


def subtract(self: Any, other: Any) -> Any:
    return _made(self, self._sub(self.coef, self._get_coefficients(other)))


def subtract_from(self: Any, other: Any) -> Any:
    return _made(self, self._sub(self._get_coefficients(other), self.coef))


def multiply(self: Any, other: Any) -> Any:
    return _made(self, self._mul(self.coef, self._get_coefficients(other)))


OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": add, "__radd__": add, "__sub__": subtract, "__rsub__": subtract_from,
    "__mul__": multiply, "__rmul__": multiply,
}
