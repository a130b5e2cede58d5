"""Transforms built on the split form and on forward mode: vjp, jvp, linearize."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, TypeVarTuple, Unpack, overload

import numpy as np

from ..cache.anchors import Kept
from ..cache.dispatch import MISS
from ..compile.backends import Backend, BackendLike, How, chosen
from ..compile.frames import without_internal_frames
from ..compile.refusals import with_article
from ..compile.requests import Request
from ..compile.specializations import Linear
from ..compile.templates import COLUMNS, Element, columns_of, may_vary, rebuilt, refs, tangents_of
from ..errors import NonDifferentiable, StructureError
from ..graph.ir import Ref
from ..trace.entry import Record
from ..types.subclasses import ARRAY
from ..types.tree import children, flatten, tree_map
from . import standard_arrays
from .compiled import Compiled

Ts = TypeVarTuple("Ts")  # of the primals
R = TypeVar("R")  # of the value
A = TypeVar("A")  # of what comes along with it
_MOST = 128
_CALLS = Kept()  # beside functions: checked calls of what was generated for them


def _called(fun: Callable[..., Any], request: Request, primals: Sequence[Any]) -> Any:
    """The result of the compiled form of a function."""
    calls: list[Any] = _CALLS.get(fun, dict).setdefault(request, [])
    for call in calls:
        result = call(*primals)
        if result is not MISS:
            return result
    compiled: Compiled[..., Any] = Compiled(fun, request)
    result = compiled(*primals)
    calls[:] = [*compiled._calls, *calls][:_MOST]
    return result


def differentiable(primals: Sequence[Any]) -> tuple[int, ...]:
    """The positions of primals that can carry a derivative."""
    return tuple(i for i, p in enumerate(primals) if any(may_vary(leaf) for leaf in flatten(p)[0]))


@overload
def vjp(fun: Callable[[*Ts], R], *primals: *Ts, has_aux: Literal[False] = False,
        **how: Unpack[How]) -> tuple[R, Callable[[R], tuple[Any, ...]]]: ...


@overload
def vjp(fun: Callable[[*Ts], tuple[R, A]], *primals: *Ts, has_aux: Literal[True],
        **how: Unpack[How]) -> tuple[R, Callable[[R], tuple[Any, ...]], A]: ...


@without_internal_frames  # type: ignore[misc]  # *Any takes whatever *Ts are
def vjp(fun: Callable[..., Any], *primals: Any, has_aux: bool = False,
        backend: BackendLike = None, precision: str | None = None,
        parallel: bool | None = None) -> Any:
    """The value of ``fun(*primals)`` and its pullback.

    Returns ``(out, pullback)``; ``pullback(ct)`` takes a cotangent of the structure and shape of
    ``out`` and returns a tuple of cotangents, one per primal, of its structure, shape and dtype
    (None for primals without a derivative).  It may be called any number of times.  With
    ``has_aux`` the function returns ``(out, aux)`` and the result is ``(out, pullback, aux)``.
    ``backend`` and ``precision`` are those of :func:`grad`.

    Raises :class:`NonDifferentiable` if no primal can have a derivative, :class:`StructureError`
    for a cotangent that does not fit ``out``.

    See also :func:`grad`, :func:`jvp`, :func:`jacrev`, :class:`custom_vjp`.

    >>> out, pullback = vjp(lambda x, y: x * y, 2.0, 3.0)
    >>> out, pullback(1.0)
    (6.0, (3.0, 2.0))
    """
    if standard_arrays.any_foreign(primals):
        return standard_arrays.vjp(fun, primals, has_aux)
    places = differentiable(primals)
    _require_some(places, "vjp")
    made = Split(fun, primals, places, chosen("vjp", backend, precision, parallel), has_aux)
    if has_aux:
        return made.out[0], made.pullback, made.out[1]
    return made.out, made.pullback


class Split:
    """One run of a function in the split form: its value, and its derivative both ways."""

    def __init__(self, fun: Callable[..., Any], primals: Sequence[Any], places: tuple[int, ...],
                 backend: Backend, has_aux: bool = False, allow_int: bool = False) -> None:
        self.places, self.has_aux, self.count = places, has_aux, len(primals)
        # the primals as they are now: lists in them may grow or shrink
        self.point = [tree_map(lambda leaf: leaf, primal) if place in places else primal
                      for place, primal in enumerate(primals)]
        self.out, self.linear, self.residuals, self.flat = _called(
            fun, Request("vjp", places, False, has_aux, backend=backend, allow_int=allow_int),
            primals)
        if has_aux:
            _require_pair(self.out, self.linear.name)
        self.given = [_by_number(structure, self.point[place])
                      for structure, place in zip(self.linear.arguments, places, strict=True)]

    @without_internal_frames
    def pullback(self, *cotangents: Any) -> tuple[Any, ...]:
        """The cotangents of the primals (None for those without) for one of the value."""
        if len(cotangents) != 1:
            raise StructureError(
                f"the pullback of {self.linear.name} got {len(cotangents)} arguments",
                where=f"the pullback of {self.linear.name}",
                why="it takes one cotangent, with the structure of the result",
                fix="give containers of cotangents as one argument: pullback((a, b))")
        return self.pulled(cotangents[0], "cotangent")

    def pulled(self, ct: Any, what: str) -> tuple[Any, ...]:
        """The cotangents of the primals for what messages call ``what``."""
        linear = self.linear
        tree = (ct, None) if self.has_aux else ct
        found = linear.run(*self.residuals, *_matched(linear, linear.result, tree, self.flat,
                                                      what))
        result: list[Any] = [None] * self.count
        for place, structure in zip(self.places, linear.arguments, strict=True):
            result[place] = rebuilt(structure, found)
        return tuple(result)

    @without_internal_frames
    def pushforward(self, *tangents: Any) -> Any:
        """The tangent of the value for tangents of the primals."""
        linear = self.linear
        if len(tangents) != self.count:
            raise StructureError(
                f"the linear function of {linear.name} got {len(tangents)} tangents",
                where=f"the tangents of {linear.name}",
                why=f"it was made from {self.count} primals",
                fix="give one tangent for each primal (None where it has none)")
        seeds: dict[int, Any] = {}
        for place, structure, like in zip(self.places, linear.arguments, self.given, strict=True):
            if tangents[place] is None:
                seeds.update((number, _zero(leaf)) for number, leaf in like.items())
            else:
                _match(linear, structure, tangents[place], like, seeds, f"tangent {place}")
        zeros = [_zero(self.flat[i]) for i in linear.active]
        moved = linear.forwards(*self.residuals, *zeros, *(seeds[i] for i in sorted(seeds)))
        placed: list[Any] = [0.0] * len(self.flat)
        for number, tangent in zip(linear.active, moved, strict=True):
            placed[number] = _like_primal(tangent, self.flat[number])
        return tangents_of(linear.result, placed)


def _require_some(places: tuple[int, ...], name: str) -> None:
    if not places:
        raise NonDifferentiable(f"none of the primals of {name} can be differentiated",
                                where=f"arguments of {name}",
                                why="they hold no floating-point numbers",
                                fix="pass floats or arrays of floats")


def _require_pair(out: Any, name: str) -> None:
    if not isinstance(out, tuple) or len(out) != 2:
        raise StructureError(f"{name} must return (out, aux) with has_aux=True, and it returned "
                             f"{_described(out)}", where=f"the result of {name}",
                             why="has_aux says that the result is a pair: what is "
                                 "differentiated, and the rest",
                             fix="return a tuple of both, or leave has_aux out")


def _like_primal(tangent: Any, primal: Any) -> Any:
    """A tangent that is a number is Python's or NumPy's as its primal is."""
    number = type(primal) in (float, complex) or isinstance(primal, np.inexact)
    return type(primal)(tangent) if number else tangent


def _zero(like: Any) -> Any:
    """Zeros in the place of the numbers of a list of a length that only the run knows."""
    return tree_map(lambda leaf: np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else (
        type(leaf)(0) if isinstance(leaf, (int, float, complex, np.generic)) else leaf), like)


def _matched(linear: Linear, structure: Any, tree: Any, like: Sequence[Any],
             what: str) -> list[Any]:
    """The leaves of a cotangent at the active outputs; shapes and structure are checked."""
    found: dict[int, Any] = {}
    _match(linear, structure, tree, like, found, what)
    return [found[i] for i in linear.active]


def _match(linear: Linear, structure: Any, tree: Any, like: Sequence[Any],
           found: dict[int, Any], path: str) -> None:
    if isinstance(structure, Ref):
        part = _shaped(linear, tree, like[structure.index], path)
        before = found.get(structure.index)  # one value may be returned at two places
        found[structure.index] = part if before is None else before + part
        return
    if isinstance(structure, Element):
        column, at = structure.column.index, structure.place
        if column not in found:
            found[column] = _zero(like[column])
        found[column][at] = _shaped(linear, tree, like[column][at], path)
        return
    if isinstance(structure, COLUMNS) and tree is not None:
        try:
            columns = dict(columns_of(structure, tree))
        except (TypeError, KeyError):
            raise _unlike(linear, structure, tree, path) from None
        for i, column in columns.items():
            found[i] = _shaped(linear, column, like[i], path)
        return
    if tree is None:  # zero everywhere
        found.update((i, _shaped(linear, None, like[i], path)) for i in refs(structure)
                     if i not in found)
    elif isinstance(structure, Record) and ARRAY in structure:  # its attributes have no cotangent
        _match(linear, structure[ARRAY], tree, like, found, f"{path}[{ARRAY!r}]")
        for i in refs(structure):
            found.setdefault(i, _shaped(linear, None, like[i], path))
    elif isinstance(structure, (dict, tuple, list)):
        inner = structure if isinstance(structure, dict) else (
            dict(zip(getattr(structure, "_fields", range(len(structure))), structure)))
        given = {key: part for _, key, part in children(tree) or ()}
        if isinstance(structure, (tuple, list)):  # a plain tuple does for a named one
            given = dict(zip(inner, given.values())) if isinstance(tree, (tuple, list)) and (
                len(given) == len(inner)) else {}
        for key, below in inner.items():
            if refs(below) and key not in given:
                raise _unlike(linear, structure, tree, path)
        if not isinstance(structure, Record) and len(given) != len(inner):
            raise _unlike(linear, structure, tree, path)
        for key, below in inner.items():
            if refs(below):
                _match(linear, below, given[key], like, found, f"{path}[{key!r}]")


def _unlike(linear: Linear, structure: Any, tree: Any, path: str) -> StructureError:
    return StructureError(
        f"the {path} of {linear.name} has another structure than the {_owner(path)}",
        where=f"{path} of {linear.name}",
        why=f"expected {type(structure).__name__} of {len(structure)}, got {_described(tree)}",
        fix=f"give one {path.split('[')[0].split()[0]} for each part, in the same containers")


def _owner(path: str) -> str:
    """What a cotangent or a tangent belongs to."""
    return {"c": "result", "v": "argument"}.get(path[0], "primal")


def _described(obj: Any) -> str:
    size = f" of {len(obj)}" if isinstance(obj, (tuple, list, dict)) else ""
    return f"{type(obj).__name__}{size}"


def _shaped(linear: Linear, ct: Any, like: Any, path: str) -> Any:
    if ct is None:
        return np.zeros_like(like) if isinstance(like, np.ndarray) else (
            _zero(like) if isinstance(like, list) else 0.0)
    if isinstance(like, list):
        if not isinstance(ct, (tuple, list)) or len(ct) != len(like):
            raise _unlike(linear, like, ct, path)
        return [_shaped(linear, c, v, f"{path}[{i}]") for i, (c, v) in enumerate(zip(ct, like))]
    dtype = np.asarray(ct).dtype
    if dtype.kind not in "biufc":
        raise StructureError(
            f"the {path} of {linear.name} is {with_article(type(ct))}",
            where=f"{path} of {linear.name}", why="cotangents and tangents are numbers or arrays",
            fix="give numbers of the shape of what it belongs to, or None for zero")
    if dtype.kind == "c" and np.asarray(like).dtype.kind != "c":
        raise StructureError(
            f"the {path} of {linear.name} is complex, the {_owner(path)} is real",
            where=f"{path} of {linear.name}", why="its imaginary part would be lost",
            fix="give its real part, or a complex argument to the function")
    shape, wanted = np.shape(ct), np.shape(like)
    if shape != wanted:
        raise StructureError(
            f"the {path} of {linear.name} has shape {shape}, the {_owner(path)} has shape {wanted}",
            where=f"{path} of {linear.name}",
            why="cotangents and tangents have the shape of what they belong to",
            fix=f"give an array of shape {wanted}")
    if isinstance(like, np.ndarray):
        return np.asarray(ct, dtype=like.dtype)
    if isinstance(like, np.generic):
        return like.dtype.type(ct)
    return ct if isinstance(ct, complex) else float(ct)


@overload
def jvp(fun: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any], *,
        has_aux: Literal[False] = False, **how: Unpack[How]) -> tuple[R, R]: ...


@overload
def jvp(fun: Callable[..., tuple[R, A]], primals: Sequence[Any], tangents: Sequence[Any], *,
        has_aux: Literal[True], **how: Unpack[How]) -> tuple[R, R, A]: ...


@without_internal_frames
def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *,
        has_aux: bool = False, backend: BackendLike = None, precision: str | None = None,
        parallel: bool | None = None) -> Any:
    """The value of ``fun(*primals)`` and its derivative in the direction of ``tangents``.

    ``tangents`` have the structure and shapes of ``primals`` (None for primals without a
    derivative).  Returns ``(out, tangent_out)``, which have the same structure, shapes and dtypes.
    With ``has_aux`` the function returns ``(out, aux)`` and the result is ``(out, tangent_out,
    aux)``.

    It is forward mode (Wengert 1964), made by transposing the pullback.

    Raises :class:`StructureError` for tangents that do not fit ``primals``,
    :class:`NonDifferentiable` if no primal can have a derivative.

    See also :func:`linearize`, :func:`vjp`, :func:`jacfwd`, :class:`custom_jvp`.

    >>> jvp(lambda x: x * x, (3.0,), (1.0,))
    (9.0, 6.0)
    """
    for what, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise StructureError(
                f"the {what} of jvp are {type(given).__name__}, not a tuple",
                where="arguments of jvp",
                why="they hold one item for each argument of the function",
                fix="write jvp(f, (x,), (t,))")
    primals, tangents = tuple(primals), tuple(tangents)
    if len(primals) != len(tangents):
        raise StructureError(f"jvp got {len(primals)} primals and {len(tangents)} tangents",
                             where="arguments of jvp",
                             why="each tangent is a direction for the primal at its place",
                             fix="give one tangent for each primal (None where it has none)")
    if standard_arrays.any_foreign(primals):
        return standard_arrays.jvp(fun, primals, tangents, has_aux)
    varying = differentiable(primals)
    for i, (primal, tangent) in enumerate(zip(primals, tangents, strict=True)):
        if i not in varying and isinstance(tangent, (float, np.generic, np.ndarray)) and np.any(
                tangent):
            raise NonDifferentiable(
                f"primal {i} of jvp is {with_article(type(primal))}, which has no tangent",
                where="arguments of jvp",
                why="only real and complex floating-point numbers and arrays have derivatives",
                fix="pass it as a float, or give None as its tangent")
    places = tuple(i for i in varying if tangents[i] is not None)
    _require_some(places, "jvp")
    request = Request("jvp", places, False, has_aux,
                      backend=chosen("jvp", backend, precision, parallel))
    linear, inputs = _called(fun, request, primals)
    seeds: dict[int, Any] = {}
    for place, structure in zip(places, linear.arguments, strict=True):
        flat = _by_number(structure, primals[place])
        _match(linear, structure, tangents[place], flat, seeds, f"tangent {place}")
    found = linear.run(*inputs, *(_apart(seeds[i], inputs) for i in sorted(seeds)))
    kept = len(found) - len(linear.active)
    moved = {n: _like_primal(found[kept + i], found[n]) for i, n in enumerate(linear.active)}
    out = rebuilt(linear.result, found)
    tangent = tangents_of(linear.result, [moved.get(n, 0.0) for n in range(kept)])
    if has_aux:
        _require_pair(out, "jvp")
        return out[0], tangent[0], out[1]
    return out, tangent


def _apart(tangent: Any, inputs: Sequence[Any]) -> Any:
    """A tangent that stays what it is when the function writes to its arguments."""
    shares = type(tangent) is np.ndarray and any(
        type(v) is np.ndarray and np.may_share_memory(tangent, v) for v in inputs)
    return tangent.copy() if shares else tangent


def _by_number(structure: Any, value: Any) -> Any:
    table: dict[int, Any] = {}

    def visit(node: Any, part: Any) -> None:
        if isinstance(node, Ref):
            table[node.index] = part
            return
        if node is None:
            return
        if isinstance(node, Element):
            if node.column.index not in table:
                table[node.column.index] = [0.0] * node.length
            table[node.column.index][node.place] = part
            return
        if isinstance(node, COLUMNS):
            table.update(columns_of(node, part))
            return
        below = children(part) or []
        inner = list(node.values()) if isinstance(node, dict) else list(node)
        for (_, _, piece), deeper in zip(below, inner, strict=True):
            visit(deeper, piece)

    visit(structure, value)
    return table


@overload
def linearize(fun: Callable[[*Ts], R], *primals: *Ts, has_aux: Literal[False] = False,
              **how: Unpack[How]) -> tuple[R, Callable[..., R]]: ...


@overload
def linearize(fun: Callable[[*Ts], tuple[R, A]], *primals: *Ts, has_aux: Literal[True],
              **how: Unpack[How]) -> tuple[R, Callable[..., R], A]: ...


@without_internal_frames  # type: ignore[misc]  # *Any takes whatever *Ts are
def linearize(fun: Callable[..., Any], *primals: Any, has_aux: bool = False,
              backend: BackendLike = None, precision: str | None = None,
              parallel: bool | None = None) -> Any:
    """``(out, jvp_fn)``: the value, and the function from tangents to the output's tangent.

    Tangents and results have structures, shapes and dtypes as for :func:`jvp`; the linear function
    is the transposed pullback.  The function runs once; ``jvp_fn`` works on what it kept, whatever
    happens to the arguments in between, and may be called any number of times.  With ``has_aux``
    the function returns ``(out, aux)`` and the result is ``(out, jvp_fn, aux)``.

    Raises what :func:`jvp` raises.

    See also :func:`jvp`, :func:`vjp`, :func:`jacfwd`.

    >>> out, pushforward = linearize(lambda x: x * x, 3.0)
    >>> pushforward(1.0)
    6.0
    """
    if standard_arrays.any_foreign(primals):
        return standard_arrays.linearize(fun, primals, has_aux)
    places = differentiable(primals)
    _require_some(places, "linearize")
    made = Split(fun, primals, places, chosen("linearize", backend, precision, parallel), has_aux)
    if has_aux:
        return made.out[0], lambda *tangents: made.pushforward(*tangents)[0], made.out[1]
    return made.out, made.pushforward
