"""What operations and values cost, roughly: nanoseconds and bytes.

Sizes that only a run knows count as :data:`NOMINAL`.  The numbers were measured with NumPy 2 on one
core; only their order of magnitude matters.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ..types.kinds import PYTHON_SCALARS, SCALARS, Aval, Kind
from ..types.spelling import Attribute, Method
from .ir import Block, Node, Value, fill, walk

NOMINAL = 32
_POWERS: frozenset[Any] = frozenset({operator.pow, np.power})
_PLAIN: frozenset[Any] = frozenset({  # per item: less than a nanosecond
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pos,
    operator.abs, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.not_, operator.and_, operator.or_, operator.invert, abs, min, max, bool, int, float,
    np.add, np.subtract, np.multiply, np.divide, np.true_divide, np.negative, np.absolute,
    np.square, np.maximum, np.minimum, np.sqrt, np.greater, np.greater_equal, np.less,
    np.less_equal, np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_not, np.sign,
    math.sqrt})
_VIEWS: frozenset[Any] = frozenset({
    np.transpose, np.swapaxes, np.expand_dims, np.reshape, np.broadcast_to, np.moveaxis,
    np.squeeze, np.ravel, Attribute("T"), Attribute("real"), Attribute("imag"),
    Method("reshape"), Method("transpose"), Method("ravel"), Method("swapaxes")})
_SUMS: frozenset[Any] = frozenset({np.sum, np.mean, np.max, np.min, Method("sum"), Method("mean"),
                                   Method("max"), Method("min")})
_MOVES: frozenset[Any] = frozenset({np.roll, np.where, np.concatenate, np.stack, np.array, np.outer,
                                    np.diag, np.clip, np.copy, Method("copy")})
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
    if aval.kind in SCALARS:
        return 32.0 if aval.kind in PYTHON_SCALARS else 40.0
    return 112.0 + count(aval) * (8 if aval.dtype is None else aval.dtype.itemsize)


def iteration(body: Block) -> float:
    """The nanoseconds of an iteration of a loop with its adjoint."""
    return sum(80.0 if node.op != "apply" else 3.0 * found if found < math.inf else 4000.0
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
        return 200.0
    if fn in MAKERS:
        return 20.0 if all(v.aval.kind in SCALARS for v in node.inputs) else math.inf
    if fn in _PLAIN:
        if not numbers:
            return 900.0 + 0.8 * size + _repeated(node)
        return 15.0 if all(a.kind in PYTHON_SCALARS for a in avals) else 60.0
    if fn in _POWERS:
        return _power(node, numbers, size)
    if isinstance(fn, np.ufunc) and fn.nout == 1 and fn.signature is None:
        return 230.0 if numbers else 600.0 + 8.0 * size
    if fn in _SUMS:
        return 3000.0 + 0.5 * size
    if fn in _MOVES:
        return 3000.0 + size
    if fn in _PRODUCTS and all(a.kind is Kind.ARRAY for a in avals):
        first, second = (count(v.aval) for v in (*node.inputs, *node.inputs)[:2])
        return 1000.0 + 0.05 * math.sqrt(float(first) * second * count(node.out.aval))
    return math.inf


def _power(node: Node, numbers: bool, size: int) -> float:
    if numbers:
        return 100.0
    exponent = fill(node.params["args"], node.inputs)[1:]
    if len(exponent) == 1 and not isinstance(exponent[0], Value) and exponent[0] in (1, 2, 0.5):
        return 900.0 + 0.8 * size
    return 600.0 + 15.0 * size


def _repeated(node: Node) -> float:
    """What it takes to go through arrays of unlike shapes: row by row."""
    shapes = {v.aval.shape for v in node.inputs if v.aval.kind is Kind.ARRAY and v.aval.shape}
    whole = node.out.aval
    if len(shapes) < 2 or not whole.shape:
        return 0.0
    return 40.0 * count(whole) / max(1, count(whole.but(shape=whole.shape[-1:])))
