"""What may raise: the operations whose exceptions data decide, and how they are tried."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...graph.callback import callbacks
from ...graph.checking import checks
from ...graph.empty import open_sizes, refused_without_items
from ...graph.ir import Block, Index, Node, Ref
from ...graph.raising import stands_still
from ...graph.walking import walk
from ...types.dims import Dim, add, multiply, proves_nonnegative
from ...types.kinds import Kind, possible_classes
from ...types.spelling import Attribute, Method, raise_exception, raise_from

LINALG = frozenset({"solve", "inv", "cholesky", "eigh", "eig", "svd", "pinv", "lstsq", "qr",
                    "eigvalsh", "eigvals", "matrix_power", "tensorsolve", "tensorinv"})
DIVISIONS = frozenset({"truediv", "floordiv", "mod", "divmod"})
# functions that compute nothing: no overflow, no division by zero
MOVES: frozenset[Any] = frozenset({
    np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like,
    np.eye, np.concatenate, np.stack, np.vstack, np.hstack, np.copy, np.where, np.tile, np.repeat,
    np.broadcast_to, np.reshape, np.ravel, np.transpose, np.take, np.roll, np.flip, np.sort})
# functions that raise where the number of elements does not fit
REARRANGED: frozenset[Any] = frozenset({np.reshape, Method("reshape"), Method("item"), np.split,
                                        np.hsplit, np.vsplit, np.dsplit})
PRODUCTS: frozenset[Any] = frozenset({np.matmul, np.dot, operator.matmul, operator.imatmul,
                                      Method("dot")})
ELEMENTWISE: frozenset[Any] = frozenset(
    getattr(operator, before + name) for before in ("", "i") for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "pow")) | {
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne}
SUBSCRIPTS = ("read", "write", "update")
OUTSIDE = frozenset({"json", "io", "os", "posix", "nt", "pathlib", "pickle", "importlib"})
MATH_OVERFLOWS = frozenset({"pow", "gamma", "lgamma", "floor", "ceil", "trunc", "ldexp"})


def raises(fn: Callable[..., Any], error: type[BaseException], *args: Any, **kwargs: Any) -> bool:
    """Does ``fn(*args, **kwargs)`` raise ``error``?"""
    try:
        fn(*args, **kwargs)
    except error:
        return True
    return False


def raised_by(fn: Callable[..., Any], error: type[BaseException], *args: Any,
              **kwargs: Any) -> BaseException | None:
    """The exception of class ``error`` that ``fn(*args, **kwargs)`` raises, or None."""
    try:
        fn(*args, **kwargs)
    except error as raised:
        return raised
    return None


def raises_under(settings: dict[str, Any], fn: Callable[..., Any], error: type[BaseException],
                 *args: Any, **kwargs: Any) -> bool:
    """Does ``fn(*args, **kwargs)`` raise ``error`` under ``np.errstate(**settings)``?"""
    with np.errstate(**settings):
        return raises(fn, error, *args, **kwargs)


def raised_under(settings: dict[str, Any], fn: Callable[..., Any], error: type[BaseException],
                 *args: Any, **kwargs: Any) -> BaseException | None:
    """The exception that ``fn(*args, **kwargs)`` raises under ``np.errstate(**settings)``."""
    with np.errstate(**settings):
        return raised_by(fn, error, *args, **kwargs)


def attempted(fn: Callable[..., Any], *args: Any, **kwargs: Any
              ) -> tuple[Any, BaseException | None]:
    """What ``fn(*args, **kwargs)`` returns, and the exception that it raises instead, or None."""
    try:
        return fn(*args, **kwargs), None
    except Exception as raised:
        return None, raised


def asks_what_raises(node: Node) -> bool:
    """Does a node ask in its blocks, or itself, what an operation raises?"""
    return any(n.params.get("fn") in (raises, raised_by, raises_under, raised_under)
               for n in walk(Block((), (node,), ())))


def item_to_pop(items: list[Any], *index: int) -> Any:
    """The item that ``items.pop(*index)`` would take; raises IndexError like it."""
    return items[index[0] if index else -1] if items else items.pop()


def item_to_replace(items: list[Any], *keys: int) -> None:
    """Raises IndexError as ``items[keys[0]][keys[1]] = value`` and so on does."""
    row = item_at(items, *keys[:-1])
    if not -len(row) <= keys[-1] < len(row):
        list[None]()[keys[-1]] = None


def item_at(x: Any, *keys: Any) -> Any:
    """``x[keys[0]][keys[1]]`` and so on."""
    for key in keys:
        x = x[key]
    return x


def stored_at(x: Any, value: Any, fn: Callable[..., Any] | None, *keys: Any) -> None:
    """``x[keys[0]][keys[1]] = value`` and so on, in a copy; or the operation ``fn`` in place."""
    if fn is None:
        np.empty_like(item_at(x, *keys[:-1]))[keys[-1]] = value
    else:
        fn(np.copy(item_at(x, *keys)), value)


class OutsideError(Exception):
    """Stands for whatever a function that reads files and the like may raise."""


def is_move(params: Mapping[str, Any]) -> bool:
    """Does a node with these parameters put numbers into another place, and no more?"""
    try:
        return params["fn"] in MOVES
    except TypeError:  # not hashable
        return False


def errors_of(machine: Any, node: Node) -> tuple[type[BaseException], ...]:
    """The exceptions that data can make a node raise."""
    if node.op == "effect":
        return _errors_of_effect(machine, node)
    if node.op in ("write", "update"):
        plain = all(isinstance(step, Index) for step in node.params["steps"])
        return (ValueError,) if plain and (checks(node) or stands_still(node)) else ()
    if node.op in SUBSCRIPTS:
        return (ValueError,) if stands_still(node) else _lacking(node)
    if node.op != "apply":
        return ()
    fn = node.params["fn"]
    name = getattr(fn, "__name__", "")
    if found := list(callbacks((node.params["args"], node.params["kwargs"]))):
        return (*OF_SOLVERS, *(e for c in found for n in walk(c.graph.block)
                               if n.op == "effect" for e in _errors_of_effect(machine, n)))
    module = getattr(fn, "__module__", "") or ""
    if name in LINALG and module.startswith("numpy.linalg"):
        return (np.linalg.LinAlgError,)
    if module.startswith("scipy.linalg"):
        return (np.linalg.LinAlgError, ValueError)  # which it raises of infinite numbers
    if module == "math":
        return (OverflowError,) if name in ("exp", "expm1", "cosh", "sinh") else (
            (ValueError, OverflowError) if name in MATH_OVERFLOWS else (ValueError,))
    if fn is np.arange:
        step = node.params["kwargs"].get("step", (*node.params["args"], 1, 1, 1)[2])
        return (ZeroDivisionError,) if isinstance(step, Ref) else ()
    if fn in REARRANGED:
        return (*_lacking(node), ValueError) if checks(node) else _lacking(node)
    if lacking := _lacking(node):
        return lacking
    kinds = [v.aval.kind for v in node.inputs]
    if fn is int:
        return () if Kind.INT in kinds else (ValueError, OverflowError)
    if kinds and all(k in (Kind.FLOAT, Kind.INT, Kind.NUMBER) for k in kinds):
        if name == "pow":
            return (ZeroDivisionError, OverflowError)
        return (ZeroDivisionError,) if name in DIVISIONS else ()
    refused = refused_without_items(node)
    if refused is not None and not all(
            machine.sources.is_nonnegative(add(size, -1)) for size in open_sizes(node)):
        return (refused,)
    return (ValueError,) if checks(node) and not _shapes_fit(machine, node) else ()


def _lacking(node: Node) -> tuple[type[BaseException], ...]:
    """What a node raises where a number of Python or NumPy has not what it asks of an array."""
    aval = node.inputs[0].aval if node.inputs else None
    if aval is None or aval.kind not in (Kind.NUMBER, Kind.ANY):
        return ()
    fn = node.params.get("fn")
    name, error = (fn.name, AttributeError) if isinstance(fn, (Method, Attribute)) else (
        "__getitem__" if node.op == "read" else "__len__" if fn is len else "__class__", TypeError)
    return (error,) if any(not hasattr(c, name) for c in possible_classes(aval)) else ()


def _shapes_fit(machine: Any, node: Node) -> bool:
    """Do the shapes of arrays fit an operation on elements, or a product?  Of plain numbers that
    is guarded."""
    fn, arrays = node.params["fn"], [v.aval for v in node.inputs if v.aval.is_array]
    shapes = [aval.shape for aval in arrays if aval.shape is not None]
    if len(shapes) < len(arrays):
        return False
    equal: Callable[[Dim, Dim], bool] = machine.sources.equal_sizes
    if fn in PRODUCTS:
        before, after = shapes
        return equal(before[-1], after[-2:][0])
    if not (isinstance(fn, np.ufunc) or fn is np.where or fn in ELEMENTWISE):
        return False
    for column in itertools.zip_longest(*(reversed(s) for s in shapes), fillvalue=1):
        first, *others = [size for size in column if not equal(size, 1)] or [1]
        if not all(equal(first, size) for size in others):
            return False
    return True


def _errors_of_effect(machine: Any, node: Node) -> tuple[type[BaseException], ...]:
    if node.params["fn"] not in (raise_exception, raise_from):
        return (OutsideError,) if node.outputs and _is_outside(node.params["fn"]) else ()
    raised = node.params["args"][0 if node.params["fn"] is raise_exception else 1]
    if isinstance(raised, Ref):
        raised = machine.statements.error_classes.get(node.inputs[raised.index])
    return (raised if isinstance(raised, type) else Exception,)


def raising(machine: Any, nodes: Sequence[Node], caught: Sequence[Any]
            ) -> Iterator[tuple[int, type[BaseException]]]:
    """The places of nodes that data can make raise, inside of regions too, and what they raise.
    Subscripts out of bounds count where what is ``caught`` covers them."""
    bounds = any(catches(IndexError, types) for types in caught)
    for place, node in enumerate(nodes):
        for inner in _inside(machine, node):
            if inner.outputs and inner.outputs[0] in machine.branches.safe:
                continue
            errors = errors_of(machine, inner)
            if inner.outputs and inner.outputs[0] in machine.recorder.checked:
                errors = (*errors, FloatingPointError)
            if bounds and (inner.op in ("get", "pop", "put") or _is_subscript(machine, inner) or (
                    inner.op == "append" and len(inner.inputs) > 2)):
                errors = (*errors, IndexError)
            for error in errors:
                yield place, error


# What SciPy raises where there is no solution, and arithmetic of Python's numbers.
OF_SOLVERS: tuple[type[BaseException], ...] = (
    ValueError, RuntimeError, ZeroDivisionError, OverflowError)


def _inside(machine: Any, node: Node) -> Iterator[Node]:
    """A node and those in its blocks and in the functions that it calls."""
    todo, called = [node], set()
    while todo:
        for inner in (one := todo.pop(), *(n for b in one.blocks for n in walk(b))):
            yield inner
            if inner.op == "call" and inner.params["callee"] not in called:
                called.add(inner.params["callee"])
                todo.extend(machine.recursion.nodes_of_callee(inner.params["callee"]))


def _is_subscript(machine: Any, node: Node) -> bool:
    """Is it ``x[i]``, read or written, with indices that may be out of bounds?"""
    if node.op not in SUBSCRIPTS or node.params.get("handle"):
        return False
    steps = node.params["steps"]
    if not all(isinstance(step, Index) for step in steps):
        return False
    return any(_may_lie_outside(machine, node, axis if step is steps[0] else None, k)
               for step in steps for axis, k in enumerate(
                   step.key if isinstance(step.key, tuple) else (step.key,)))


def _may_lie_outside(machine: Any, node: Node, axis: int | None, key: Any) -> bool:
    """May a key of a subscript be out of bounds, of an axis of the array or of a part of it?"""
    if type(key) is list:
        return any(_may_lie_outside(machine, node, axis, k) for k in key)
    if isinstance(key, Ref):
        aval = node.inputs[key.index].aval
        if aval.kind is not Kind.INT:
            return aval.kind is Kind.ARRAY and aval.dtype is not None and aval.dtype.kind in "iu"
        key = aval.expr
    elif type(key) is not int:
        return False
    return axis is None or not _in_bounds(machine, node, axis, key)


def _in_bounds(machine: Any, node: Node, axis: int, index: Dim | None) -> bool:
    """Is an index known to lie within its axis?  Of plain numbers that is guarded."""
    size = (node.inputs[0].aval.shape or ())[axis:axis + 1]
    if not size or index is None:
        return False
    if not isinstance(index, int):
        return proves_nonnegative(index) and (
            proves_nonnegative(add(add(size[0], -1), multiply(-1, index))))
    known: bool = machine.sources.is_nonnegative(
        add(size[0], index if index < 0 else -1 - index))
    return known


def _is_outside(fn: Any) -> bool:
    """Does a function read something outside that may not be there?"""
    module = getattr(fn, "__module__", None) or ""
    return fn in (open, next, Method("read"), Method("readline"), Method("read_text")) or (
        module.split(".")[0] in OUTSIDE)


def catches(error: type[BaseException], types: Any) -> bool:
    """May an ``except types`` clause catch this kind of error?"""
    return error is OutsideError or any(issubclass(error, t) for t in kinds_in(types))


def kinds_in(types: Any) -> tuple[Any, ...]:
    """The classes that an ``except types`` clause names."""
    return types if isinstance(types, tuple) else (types,)
