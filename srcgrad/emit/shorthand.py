"""Shorter spellings in the adjoint part: ``d.sum(axis=0)`` for ``np.sum(d, axis=0)``.

NumPy's functions go through a dispatcher and several wrappers before they call the method of
the same name; on small arrays that costs more than the work.  The bits are the same.  The
user's own part keeps the user's spelling.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from srcgrad.graph.ir import Node, Ref
from srcgrad.types.kinds import Kind

_METHODS: dict[Any, str] = {
    np.sum: "sum", np.prod: "prod", np.cumsum: "cumsum", np.reshape: "reshape",
    np.swapaxes: "swapaxes", np.squeeze: "squeeze", np.diagonal: "diagonal", np.trace: "trace",
    np.copy: "copy", np.ravel: "ravel"}
_ATTRIBUTES: dict[Any, str] = {np.transpose: "T", np.real: "real", np.imag: "imag"}


def shorthand(node: Node, args: list[ast.expr], kwargs: dict[str, ast.expr]) -> ast.expr | None:
    """The short spelling of an ``apply`` whose first argument is certainly an array."""
    fn, template = node.params["fn"], node.params["args"]
    if fn is np.zeros and len(args) == 1:
        return _zeros(args[0], kwargs)
    if not template or not isinstance(template[0], Ref):
        return None
    aval = node.inputs[template[0].index].aval
    if aval.kind is not Kind.ARRAY or aval.optional:
        return None
    try:
        method, attribute = _METHODS.get(fn), _ATTRIBUTES.get(fn)
    except TypeError:
        return None
    if method is not None:
        keywords = [ast.keyword(k, v) for k, v in kwargs.items()]
        sizes = args[1] if method == "reshape" and len(args) == 2 else None
        if isinstance(sizes, ast.Tuple) and sizes.elts:
            args = [args[0], *sizes.elts]
        return ast.Call(ast.Attribute(args[0], method, ast.Load()), args[1:], keywords)
    if attribute is not None and len(args) == 1 and not kwargs:
        return ast.Attribute(args[0], attribute, ast.Load())
    if fn is np.expand_dims and len(template) == 2 and type(template[1]) is int:
        return None if aval.shape is None else _widened(args[0], len(aval.shape), template[1])
    if fn is np.outer and len(args) == 2 and not kwargs and isinstance(template[1], Ref):
        other = node.inputs[template[1].index].aval
        if other.kind is Kind.ARRAY and all(a.shape is not None and len(a.shape) == 1
                                            for a in (aval, other)):
            return ast.BinOp(_widened(args[0], 1, 1), ast.Mult(), args[1])
    return None


def _zeros(shape: ast.expr, kwargs: dict[str, ast.expr]) -> ast.expr | None:
    """``np.zeros(n)`` for ``np.zeros((n,), dtype=np.float64)``."""
    if kwargs.keys() - {"dtype"}:
        return None
    size = shape.elts[0] if isinstance(shape, ast.Tuple) and len(shape.elts) == 1 else shape
    dtype = kwargs.get("dtype")
    keywords = [] if dtype is None or ast.unparse(dtype) in ("np.float64", "float") else [
        ast.keyword("dtype", dtype)]
    zeros = ast.Attribute(ast.Name("np", ast.Load()), "zeros", ast.Load())
    return ast.Call(zeros, [size], keywords)


def _widened(value: ast.expr, rank: int, axis: int) -> ast.expr:
    """``value[:, None]``: an axis of length 1 more."""
    axis = axis + rank + 1 if axis < 0 else axis
    key: list[ast.expr] = [ast.Slice() for _ in range(axis)]
    key.append(ast.Constant(None))
    return ast.Subscript(value, ast.Tuple(key, ast.Load()) if axis else key[0], ast.Load())

