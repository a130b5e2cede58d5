"""Operators of ``numpy.polynomial``'s classes: NumPy's own hide errors in ``try`` statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


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
