"""What functions of NumPy raise where arrays have no elements: they are asked, on examples.

>>> from srcgrad.graph.ir import Builder
>>> from srcgrad.types.dims import symbol
>>> from srcgrad.types.kinds import array, scalar
>>> b = Builder()
>>> x = b.param(array(float, (symbol("n"),)), "x")
>>> largest = b.apply(np.max, (x,), {}, scalar(float))
>>> total = b.apply(np.sum, (x,), {}, scalar(float))
>>> [refused_without_items(n) for n in b.block((largest, total)).nodes]
[<class 'ValueError'>, None]
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..types.dims import Dim, evaluate, proves_positive, symbols
from ..types.kinds import Kind
from ..types.spelling import Method
from .generic import leaves_of
from .ir import Node, fill
from .probing import Sizes, call

_PLENTY = 4  # elements along each axis of an example that has some


def open_sizes(node: Node) -> set[Dim]:
    """The sizes of the arrays that a function is given which may be zero."""
    return {size for v in node.inputs if v.aval.kind is Kind.ARRAY for size in v.aval.shape or ()
            if not proves_positive(size)}


def refused_without_items(node: Node) -> type[Exception] | None:
    """What the function of a node raises where an array that may have no elements has none."""
    fn = node.params["fn"]
    if not _is_of_numpy(fn):
        return None
    if {v.aval.kind for v in node.inputs} == {Kind.LIST}:
        return _refusal_of_empty(node)
    may_be_zero = open_sizes(node)
    if not may_be_zero:
        return None
    structure = fill((node.params["args"], node.params["kwargs"]), [v.aval for v in node.inputs])
    numbers = [d for a in leaves_of(structure)
               for d in (*(a.shape or ()), *(() if a.expr is None else (a.expr,)))]
    atoms = {atom for d in numbers for atom in symbols(d)}
    for least in range(3):  # the smallest with which no size is negative and one is zero
        sizes = dict.fromkeys(atoms, least)
        if _fits(numbers, may_be_zero, sizes):
            refused = _refusal(fn, structure, sizes)
            if refused is not None and _refusal(
                    fn, structure, dict.fromkeys(atoms, _PLENTY)) is None:
                return refused
            return None
    return None


def _refusal_of_empty(node: Node) -> type[Exception] | None:
    """What a function of lists says of empty ones, whatever they hold."""
    args, kwargs = fill((node.params["args"], node.params["kwargs"]), [[] for _ in node.inputs])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node.params["fn"](*args, **kwargs)
    except (ValueError, IndexError, ZeroDivisionError) as error:
        return type(error)
    except Exception:
        return None
    return None


def _fits(numbers: list[Dim], may_be_zero: set[Dim], sizes: Sizes) -> bool:
    """Is no size negative, and one of those zero that may be?"""
    try:
        return all(evaluate(d, sizes) >= 0 for d in numbers) and any(
            evaluate(d, sizes) == 0 for d in may_be_zero)
    except (ZeroDivisionError, ValueError):  # a size divided by another one, a step of zero
        return False


def _is_of_numpy(fn: Any) -> bool:
    module = getattr(fn, "__module__", None) or ""
    return isinstance(fn, (Method, np.ufunc)) or (
        module.split(".")[0] == "numpy" and "random" not in module)


def _refusal(fn: Any, structure: tuple[Any, Any], sizes: Sizes) -> type[Exception] | None:
    """What a function says of examples of these sizes, if it is about sizes."""
    try:
        call(fn, *structure, sizes)
    except (ValueError, IndexError, ZeroDivisionError) as error:
        return type(error)
    except Exception:
        return None
    return None
