"""Transforms built on the split form and on forward mode: vjp, jvp, Jacobians, Hessians."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .api import Argnums, grad
from .compiled import Compiled
from .compiler import Linear, Request, rebuilt
from .errors import NonDifferentiable, StructureError
from .graph.ir import Ref
from .trace.entry import Record
from .tree import children, flatten, ravel_tree, unflatten

_LOCK = threading.RLock()
_MEMO: weakref.WeakKeyDictionary[Any, dict[Any, Compiled]] = weakref.WeakKeyDictionary()


def _compiled(fun: Callable[..., Any], request: Request) -> Compiled:
    """The compiled form of a function for a request, made once per function."""
    with _LOCK:
        try:
            table = _MEMO.setdefault(fun, {})
        except TypeError:  # no weak references to it: nothing is remembered
            return Compiled(fun, request)
        key = (request.mode, request.argnums)
        if key not in table:
            table[key] = Compiled(fun, request)
        return table[key]


def _differentiable(primals: Sequence[Any]) -> tuple[int, ...]:
    """The positions of primals that can carry a derivative."""
    return tuple(i for i, p in enumerate(primals) if any(_varies(leaf) for leaf in flatten(p)[0]))


def _varies(leaf: Any) -> bool:
    if isinstance(leaf, (np.ndarray, np.generic)):
        return leaf.dtype.kind in "fc"
    return type(leaf) in (float, complex)


def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of ``fun(*primals)`` and its pullback.

    Returns ``(out, pullback)``; ``pullback(ct)`` takes a cotangent of the structure and shape
    of ``out`` and returns a tuple of cotangents, one per primal (None for primals without a
    derivative).  It may be called any number of times.  With ``has_aux`` the function returns
    ``(out, aux)`` and the result is ``(out, pullback, aux)``.

    >>> out, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> out, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    places = _differentiable(primals)
    if not places:
        raise NonDifferentiable("none of the primals of vjp can be differentiated",
                                why="they hold no floating-point numbers",
                                fix="pass floats or arrays of floats")
    out, pullback = _pullback(fun, primals, places, has_aux)
    if has_aux:
        return out[0], pullback, out[1]
    return out, pullback


def _pullback(fun: Callable[..., Any], primals: Sequence[Any], places: tuple[int, ...],
              has_aux: bool = False) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value, and the pullback to the primals at ``places`` (None for the others)."""
    compiled = _compiled(fun, Request("vjp", places, False, has_aux))
    out, linear, residuals, flat = compiled(*primals)
    count = len(primals)

    def pullback(ct: Any) -> tuple[Any, ...]:
        tree = (ct, None) if has_aux else ct
        seeds = _matched(linear, linear.result, tree, flat)
        found = linear.run(*residuals, *seeds)
        result: list[Any] = [None] * count
        for place, structure in zip(places, linear.arguments, strict=True):
            result[place] = rebuilt(structure, found)
        return tuple(result)

    return out, pullback


def _matched(linear: Linear, structure: Any, tree: Any, like: Sequence[Any]) -> list[Any]:
    """The leaves of a cotangent at the active outputs; shapes and structure are checked."""
    found: dict[int, Any] = {}
    _match(linear, structure, tree, like, found, "cotangent")
    return [found[i] for i in linear.active]


def _match(linear: Linear, structure: Any, tree: Any, like: Sequence[Any],
           found: dict[int, Any], path: str) -> None:
    if isinstance(structure, Ref):
        found[structure.index] = _shaped(linear, tree, like[structure.index], path)
        return
    parts: list[tuple[Any, Any]] | None = None
    if isinstance(structure, Record):
        parts = [(k, getattr(tree, k, None)) for k in structure]
        inner = list(structure.values())
    elif isinstance(structure, dict):
        if not isinstance(tree, dict) or set(tree) != set(structure):
            raise _unlike(linear, structure, tree, path)
        parts = [(k, tree[k]) for k in structure]
        inner = list(structure.values())
    elif isinstance(structure, (tuple, list)):
        if not isinstance(tree, (tuple, list)) or len(tree) != len(structure):
            raise _unlike(linear, structure, tree, path)
        parts, inner = list(enumerate(tree)), list(structure)
    if parts is not None:
        for (key, part), below in zip(parts, inner, strict=True):
            _match(linear, below, part, like, found, f"{path}[{key!r}]")


def _unlike(linear: Linear, structure: Any, tree: Any, path: str) -> StructureError:
    return StructureError(
        f"the {path} of {linear.name} has another structure than the result",
        why=f"expected {type(structure).__name__} of {len(structure)}, got {_described(tree)}",
        fix="give one cotangent for each result, in the same containers")


def _described(obj: Any) -> str:
    size = f" of {len(obj)}" if isinstance(obj, (tuple, list, dict)) else ""
    return f"{type(obj).__name__}{size}"


def _shaped(linear: Linear, ct: Any, like: Any, path: str) -> Any:
    if ct is None:
        return np.zeros_like(like) if isinstance(like, np.ndarray) else 0.0
    shape, wanted = np.shape(ct), np.shape(like)
    if shape != wanted:
        raise StructureError(
            f"the {path} of {linear.name} has shape {shape}, the result has shape {wanted}",
            why="a cotangent has the shape of what it belongs to",
            fix=f"give an array of shape {wanted}")
    if isinstance(like, np.ndarray):
        return np.asarray(ct, dtype=like.dtype)
    if isinstance(like, np.generic):
        return like.dtype.type(ct)
    return ct if isinstance(ct, complex) else float(ct)


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The value of ``fun(*primals)`` and its derivative in the direction of ``tangents``.

    ``tangents`` have the structure and shapes of ``primals`` (None for primals without a
    derivative).  Returns ``(out, tangent_out)``.

    >>> jvp(lambda x: x * x, (3.0,), (1.0,))
    (9.0, 6.0)
    """
    primals, tangents = tuple(primals), tuple(tangents)
    if len(primals) != len(tangents):
        raise StructureError(f"jvp got {len(primals)} primals and {len(tangents)} tangents",
                             fix="give one tangent for each primal (None where it has none)")
    places = tuple(i for i in _differentiable(primals) if tangents[i] is not None)
    if not places:
        raise NonDifferentiable("none of the primals of jvp can be differentiated",
                                why="they hold no floating-point numbers",
                                fix="pass floats or arrays of floats")
    compiled = _compiled(fun, Request("jvp", places, False))
    linear, inputs = compiled(*primals)
    seeds: dict[int, Any] = {}
    for place, structure in zip(places, linear.arguments, strict=True):
        flat = _by_number(structure, primals[place])
        _match(linear, structure, tangents[place], flat, seeds, f"tangent {place}")
    found = linear.run(*inputs, *(seeds[i] for i in sorted(seeds)))
    kept = len(found) - len(linear.active)
    moved = {n: found[kept + i] for i, n in enumerate(linear.active)}
    out = rebuilt(linear.result, found)
    zeros = [moved.get(n, 0.0) for n in range(kept)]
    return out, rebuilt(linear.result, zeros)


def _by_number(structure: Any, value: Any) -> Any:
    table: dict[int, Any] = {}

    def visit(node: Any, part: Any) -> None:
        if isinstance(node, Ref):
            table[node.index] = part
            return
        if node is None:
            return
        below = children(part) or []
        inner = list(node.values()) if isinstance(node, dict) else list(node)
        for (_, _, piece), deeper in zip(below, inner, strict=True):
            visit(deeper, piece)

    visit(structure, value)
    return table


def linearize(fun: Callable[..., Any], *primals: Any) -> Any:
    """``(out, jvp_fn)``: the value, and the function from tangents to the output's tangent.

    >>> out, pushforward = linearize(lambda x: x * x, 3.0)
    >>> pushforward(1.0)
    6.0
    """
    places = _differentiable(primals)
    out, _ = jvp(fun, primals, [_unit(p) if i in places else None
                                for i, p in enumerate(primals)])

    def pushforward(*tangents: Any) -> Any:
        return jvp(fun, primals, tangents)[1]

    return out, pushforward


def _unit(primal: Any) -> Any:
    leaves, structure = flatten(primal)
    return unflatten(structure, [np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0)
                                 if isinstance(x, (float, complex, np.generic)) else x
                                 for x in leaves])


# ---- Jacobians ---------------------------------------------------------------------------------
def _one(argnums: Argnums) -> int:
    if not isinstance(argnums, int) or isinstance(argnums, bool):
        raise StructureError(f"argnums is {argnums!r}",
                             why="a Jacobian is taken with respect to one argument",
                             fix="give the number of one parameter")
    return argnums


def jacrev(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Jacobian by reverse mode: shape ``out.shape + argument.shape``, one pullback per
    element of the output.

    >>> jacrev(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    place = _one(argnums)

    def jacobian_of(*args: Any) -> Any:
        out, pullback = _pullback(fun, args, (place,))
        flat, unravel = ravel_tree(out)
        rows = []
        for i in range(flat.size):
            unit = np.zeros(flat.size, flat.dtype)
            unit[i] = 1
            rows.append(pullback(unravel(unit))[place])
        return _stacked(rows, out, args[place], 0)

    return jacobian_of


def jacfwd(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Jacobian by forward mode: one pushforward per element of the argument.

    >>> jacfwd(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    place = _one(argnums)

    def jacobian_of(*args: Any) -> Any:
        flat, unravel = ravel_tree(args[place])
        columns = []
        out = None
        for i in range(flat.size):
            unit = np.zeros(flat.size, flat.dtype)
            unit[i] = 1
            tangents: list[Any] = [None] * len(args)
            tangents[place] = unravel(unit)
            out, moved = jvp(fun, args, tangents)
            columns.append(moved)
        return _stacked(columns, out, args[place], 1)

    return jacobian_of


def _stacked(rows: list[Any], out: Any, argument: Any, axis: int) -> Any:
    """Rows (one per output element) or columns (one per argument element) as one array."""
    if not isinstance(out, (np.ndarray, np.generic, float, complex)) or not isinstance(
            argument, (np.ndarray, np.generic, float, complex)):
        raise StructureError(
            "a Jacobian of containers", why="it would be a container of containers of blocks",
            fix="use ravel_tree to turn the argument or the result into one vector")
    stacked = np.stack([np.asarray(r) for r in rows]) if rows else np.zeros((0,))
    if axis == 0:
        return stacked.reshape(np.shape(out) + np.shape(argument))
    moved = np.moveaxis(stacked.reshape((-1, *np.shape(out))), 0, -1)
    return moved.reshape(np.shape(out) + np.shape(argument))


def jacobian(fun: Callable[..., Any], argnums: int = 0, *, mode: str = "auto") -> Any:
    """The Jacobian of an array-valued function; ``mode`` is ``"rev"``, ``"fwd"`` or ``"auto"``
    (whichever needs fewer passes)."""
    place = _one(argnums)
    if mode not in ("auto", "rev", "fwd"):
        raise StructureError(f"there is no Jacobian mode {mode!r}",
                             fix="use 'auto', 'rev' or 'fwd'")
    if mode != "auto":
        return (jacrev if mode == "rev" else jacfwd)(fun, place)

    def jacobian_of(*args: Any) -> Any:
        size = np.size(fun(*args))
        chosen = jacrev if size <= np.size(args[place]) else jacfwd
        return chosen(fun, place)(*args)

    return jacobian_of


def hessian(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The matrix of second derivatives of a scalar function: shape ``x.shape + x.shape``.

    >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacrev(grad(fun, argnums), argnums)


def hvp(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Hessian-vector product: ``hvp(f)(*args, v)`` without the Hessian.

    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    place = _one(argnums)
    gradient = grad(fun, place)

    def product(*args: Any) -> Any:
        *point, v = args
        _, pullback = _pullback(gradient, point, (place,))
        return pullback(v)[place]

    return product


def elementwise_grad(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The derivative of a function that acts elementwise: an array of the argument's shape.

    >>> elementwise_grad(np.tanh)(np.array([0.0]))
    array([1.])
    """
    place = _one(argnums)

    def derivative(*args: Any) -> Any:
        out, pullback = vjp(lambda *a: fun(*a), *args)
        ones = np.ones_like(out) if isinstance(out, np.ndarray) else type(out)(1)
        return pullback(ones)[place]

    return derivative
