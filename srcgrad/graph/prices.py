"""What operations and values cost, roughly: nanoseconds and bytes.

Sizes that only a run knows count as :data:`NOMINAL`.  The numbers were measured with NumPy 2 on one
core; only their order of magnitude matters.
"""

from __future__ import annotations

import math
import operator
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from ..types.kinds import PYTHON_SCALARS, SCALARS, Aval, Kind
from ..types.spelling import Attribute, Method
from .ir import Block, Node, Value, fill
from .walking import walk

NOMINAL = 32
_POWERS: frozenset[Any] = frozenset({operator.pow, np.power})
_PLAIN: frozenset[Any] = frozenset({  # per item: less than a nanosecond
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos,
    operator.abs, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.not_, operator.and_, operator.or_, operator.invert, abs, min, max, bool, int, float,
    np.add, np.subtract, np.multiply, np.divide, np.true_divide, np.negative, np.absolute,
    np.square, np.maximum, np.minimum, np.greater, np.greater_equal, np.less,
    np.less_equal, np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not, np.sign})
_SLOW: dict[Any, float] = {  # per item: more than other ufuncs
    np.sin: 15.0, np.cos: 15.0, np.hypot: 6.0, np.tanh: 3.2, np.arctan: 3.2}
_VIEWS: frozenset[Any] = frozenset({
    np.transpose, np.swapaxes, np.expand_dims, np.reshape, np.broadcast_to, np.moveaxis,
    np.squeeze, np.ravel, Attribute("T"), Attribute("real"), Attribute("imag"),
    Method("reshape"), Method("transpose"), Method("ravel"), Method("swapaxes")})
_SUMS: dict[Any, float] = {
    np.sum: 2000.0, np.max: 2000.0, np.min: 2000.0, np.mean: 3000.0, Method("sum"): 950.0,
    Method("max"): 950.0, Method("min"): 950.0, Method("mean"): 2300.0}
_MOVES: dict[Any, float] = {
    np.roll: 5500.0, np.where: 800.0, np.concatenate: 600.0, np.stack: 2500.0, np.outer: 1600.0,
    np.diag: 1000.0, np.clip: 2600.0, np.copy: 600.0, Method("copy"): 120.0}
_PRODUCTS: frozenset[Any] = frozenset({operator.matmul, np.matmul, np.dot})
MAKERS: frozenset[Any] = frozenset({
    np.eye, np.identity, np.zeros, np.ones, np.full, np.arange, np.linspace})


def count(aval: Aval) -> int:
    """How many numbers a value has."""
    if aval.kind is not Kind.ARRAY or aval.shape is None:
        return NOMINAL if aval.kind in (Kind.ANY, Kind.LIST) else 1
    return math.prod(d if isinstance(d, int) else NOMINAL for d in aval.shape)


def room(aval: Aval) -> float:
    """The bytes of a value that is kept in each iteration of a loop."""
    if aval.dtype == bool and aval.kind in SCALARS:
        return 8.0  # there are only two of them
    if aval.kind in SCALARS:
        return 32.0 if aval.kind in PYTHON_SCALARS else 40.0
    return 112.0 + count(aval) * (8 if aval.dtype is None else aval.dtype.itemsize)


def iteration(body: Block) -> float:
    """The nanoseconds of an iteration of a loop with its adjoint."""
    return sum(60.0 if node.op != "apply" else 3.0 * found if found < math.inf else 4000.0
               for node, found in ((node, work(node)) for node in walk(body)))


def work(node: Node) -> float:
    """The nanoseconds of an operation that only depends on what it is given; infinite for what is
    not known to be one."""
    if node.op == "const":
        return 0.0
    if node.op != "apply" or node.params.get("many"):
        return math.inf
    fn = node.params["fn"]
    avals = [v.aval for v in (*node.inputs, *node.outputs)]
    numbers = all(a.kind in SCALARS for a in avals)
    size = max(map(count, avals))
    if fn in _VIEWS:
        return 100.0 if isinstance(fn, (Attribute, Method)) else 700.0
    if fn in MAKERS:
        return 20.0 if all(v.aval.kind in SCALARS for v in node.inputs) else math.inf
    if numbers and all(a.kind in PYTHON_SCALARS for a in avals):
        is_math = isinstance(fn, BuiltinFunctionType) and fn.__module__ == "math"
        return 12.0 if fn in _PLAIN else 30.0 if fn in _POWERS or is_math else _of_ufunc(fn, 130.0)
    if fn in _PLAIN:
        whole = all(isinstance(a, Value) and a.aval.kind is Kind.ARRAY
                    for a in fill(node.params["args"], node.inputs))
        return 35.0 if numbers else (300.0 if whole else 450.0) + 0.3 * size + _repeated(node)
    if fn in _POWERS:
        return 60.0 if numbers else _power(node, size)
    if fn in _SUMS:
        return _SUMS[fn] + 0.3 * size + 20.0 * count(node.out.aval)
    if fn in _MOVES:
        return _MOVES[fn] + size
    if fn is np.array:
        return 1000.0 + (70.0 * len(node.inputs) if count(node.out.aval) < NOMINAL else size)
    if fn in _PRODUCTS and all(a.kind is Kind.ARRAY for a in avals):
        first, second = (count(v.aval) for v in (*node.inputs, *node.inputs)[:2])
        return 700.0 + 0.05 * math.sqrt(float(first) * second * count(node.out.aval))
    return _of_ufunc(fn, 130.0 if numbers else 300.0 + _SLOW.get(fn, 1.5) * size)


def _of_ufunc(fn: Any, found: float) -> float:
    return found if isinstance(fn, np.ufunc) and fn.nout == 1 and fn.signature is None else math.inf


def _power(node: Node, size: int) -> float:
    exponent = fill(node.params["args"], node.inputs)[1:]
    if len(exponent) == 1 and not isinstance(exponent[0], Value) and exponent[0] in (1, 2, 0.5):
        return 300.0 + 0.8 * size
    return 600.0 + 5.0 * size


def _repeated(node: Node) -> float:
    """What it takes to go through arrays of unlike shapes: row by row."""
    shapes = {v.aval.shape for v in node.inputs if v.aval.kind is Kind.ARRAY and v.aval.shape}
    whole = node.out.aval
    if len(shapes) < 2 or not whole.shape:
        return 0.0
    return 20.0 * count(whole) / max(1, count(whole.but(shape=whole.shape[-1:])))
