"""Python's operators: their symbols, the functions that do the same, the ufuncs that do."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

BINARY: Final[dict[str, Callable[..., Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift}
INPLACE: Final[dict[str, Callable[..., Any]]] = {
    symbol: getattr(operator, f"i{function.__name__.rstrip('_')}")
    for symbol, function in BINARY.items()}
UNARY: Final[dict[str, Callable[..., Any]]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert}
COMPARE: Final[dict[str, Callable[..., Any]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne}
NEGATED: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

# The ufunc that an operator, which is not in place, is on arrays.
UFUNCS: Final[dict[Callable[..., Any], np.ufunc]] = {
    operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply,
    operator.truediv: np.divide, operator.floordiv: np.floor_divide,
    operator.mod: np.remainder, operator.pow: np.power, operator.neg: np.negative,
    operator.pos: np.positive, operator.invert: np.invert, operator.abs: np.absolute,
    abs: np.absolute, operator.lt: np.less, operator.le: np.less_equal, operator.gt: np.greater,
    operator.ge: np.greater_equal, operator.eq: np.equal, operator.ne: np.not_equal,
    operator.and_: np.bitwise_and, operator.or_: np.bitwise_or, operator.xor: np.bitwise_xor,
    operator.lshift: np.left_shift, operator.rshift: np.right_shift}
