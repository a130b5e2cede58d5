"""Transforms inside functions that are traced: what each of them means there.

``vjp``, ``jvp`` and ``linearize`` put the nodes of the split form, or of forward mode, into the
graph under construction (which has one backend: theirs is not asked for).  Jacobians, Hessians and
their products are plain functions over these, which are staged like any other code.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import optimize
from .. import scipy as solvers
from ..adjoint import carrying
from ..compile import joints
from ..compile.refusals import with_article
from ..compile.templates import may_vary
from ..errors import NonDifferentiable, StructureError, UnsupportedOperation
from ..graph.ir import Value
from ..trace.calls.handlers import Traced, handles
from ..trace.calls.nested import Inner, Numbered, differentiable, inline, opened, owned, run_inside
from ..trace.record.regions import Region
from ..trace.record.tracers import ArrayTracer, ClassedArray, is_tracer
from ..types.dims import is_varying
from ..types.tree import (
    aligned,
    children,
    emptied,
    flatten,
    of_length,
    ravel_some,
    ravel_tree,
    tree_map,
    unflatten,
)
from . import transforms
from .blocks import Places, at, listed, require_arrays, spread
from .derived import staged_call
from .jacobians import hvp
from .linear import linear_least_squares


@handles(transforms.vjp)
def _vjp(machine: Any, fun: Callable[..., Any], *primals: Any, has_aux: bool = False,
         **how: Any) -> Any:
    made = _Split(machine, "vjp", fun, primals, has_aux)
    if has_aux:
        return made.out[0], made.pullback, made.out[1]
    return made.out, made.pullback


@handles(transforms.linearize)
def _linearize(machine: Any, fun: Callable[..., Any], *primals: Any, has_aux: bool = False,
               **how: Any) -> Any:
    made = _Split(machine, "linearize", fun, primals, has_aux)
    if has_aux:
        return made.out[0], _Callable(lambda *tangents: made._push(*tangents)[0]), made.out[1]
    return made.out, made.pushforward


@handles(transforms.jvp)
def _jvp(machine: Any, fun: Callable[..., Any], primals: Sequence[Any],
         tangents: Sequence[Any], has_aux: bool = False, **how: Any) -> Any:
    primals, tangents = tuple(machine.iterate(primals)), opened(
        machine, tuple(machine.iterate(tangents)))
    if len(primals) != len(tangents):
        raise machine.recorder.fatal(StructureError(
            f"jvp got {len(primals)} primals and {len(tangents)} tangents",
            fix="give one tangent for each primal (None where it has none)"))
    places = [i for i in _places(machine, "jvp", primals) if tangents[i] is not None]
    inner = run_inside(machine, fun, primals, {}, places)
    of = inner.carrying(carrying, has_aux)
    graph = joints.inner_jvp(inner.graph, list(range(inner.count)), of)
    seeds = _tangent_values(machine, inner, [tangents[i] for i in places])
    found = inline(machine, graph, [*inner.given, *seeds])
    kept = len(inner.graph.outputs)
    out, tangent = inner.returned(found[:kept])[1], _moved(inner, of, found[kept:])
    return (out[0], tangent[0], out[1]) if has_aux else (out, tangent)


def both_ways(fun: Callable[..., Any], primals: Sequence[Any], has_aux: Any) -> Any:
    """``(out, pushforward, pullback)`` of one run."""
    raise AssertionError("has a meaning in traced code only")


@handles(both_ways)
def _both_ways(machine: Any, fun: Callable[..., Any], primals: Sequence[Any],
               has_aux: Any) -> Any:
    made = _Split(machine, "gnvp", fun, tuple(machine.iterate(primals)), has_aux)
    return made.out, made.pushforward, made.pullback


class _Callable:
    """A trace-time function made by a transform; calls of it are handed to ``apply``."""

    def __init__(self, apply: Callable[..., Any]) -> None:
        self.apply = apply

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        return self.apply(*args, **kwargs)


class _Split:
    """One run of a function in the split form, as nodes of the graph under construction."""

    def __init__(self, machine: Any, name: str, fun: Callable[..., Any], primals: Sequence[Any],
                 has_aux: bool) -> None:
        self.machine, self.name, self.count = machine, name, len(primals)
        self.inner = run_inside(machine, fun, primals, {}, _places(machine, name, primals))
        self.of = self._differentiated(has_aux)
        self.region = machine.recorder.region
        kept = list(range(len(self.inner.graph.outputs)))
        forward, self.backward = joints.inner_pair(
            self.inner.graph, list(range(self.inner.count)), self.of, kept)
        found = inline(machine, forward, self.inner.given)
        self.flat, self.out = self.inner.returned(found[:len(kept)])
        self.residuals = found[len(kept):]
        self.has_aux = has_aux
        self.pullback = _Callable(self._pull)
        self.pushforward = _Callable(self._push)

    def _differentiated(self, has_aux: bool) -> list[int]:
        """The outputs that get cotangents: the active ones, without those of the aux."""
        inner = self.inner
        if has_aux and (not isinstance(inner.result, tuple) or len(inner.result) != 2):
            raise self.machine.recorder.fatal(StructureError(
                "a function under vjp(..., has_aux=True) must return (out, aux)",
                fix="return a tuple of the result and the rest"))
        return inner.carrying(carrying, has_aux)

    def _reachable(self) -> None:
        """Refuse where the values of the split form are out of reach."""
        region: Region | None = self.machine.recorder.region
        while region is not None:
            if region is self.region:
                return
            region = region.parent
        raise self.machine.recorder.fatal(StructureError(
            f"the function returned by {self.name} is called after the branch or loop pass that "
            "made it has ended", why="what it keeps is known there only",
            fix=f"call it where it is made, or call {self.name} again"))

    def _pull(self, ct: Any) -> tuple[Any, ...]:
        self._reachable()
        machine, inner = self.machine, self.inner
        ct = opened(machine, ct)
        tree = (ct, None) if self.has_aux else ct
        found: dict[int, Any] = {}
        _match(machine, inner.numbered_result(), tree, found, "cotangent")
        seeds = [_seed(machine, found.get(i), self.flat[i]) for i in self.of]
        values = inline(machine, self.backward, [*self.residuals, *seeds], again=True)
        result: list[Any] = [None] * self.count
        for place, gradient in zip(inner.places, inner.gradients(values), strict=True):
            result[place] = gradient
        return tuple(result)

    def _push(self, *tangents: Any) -> Any:
        self._reachable()
        machine, inner = self.machine, self.inner
        if len(tangents) != self.count:
            raise machine.recorder.fatal(StructureError(
                f"the linear function got {len(tangents)} tangents",
                why=f"it was made from {self.count} primals",
                fix="give one tangent for each primal (None where it has none)"))
        tangents = opened(machine, tangents)
        seeds = _tangent_values(machine, inner, [tangents[place] for place in inner.places])
        zeros = [_seed(machine, None, self.flat[i]) for i in self.of]
        graph = joints.transposed(self.backward, len(self.of))
        moved = inline(machine, graph, [*self.residuals, *zeros, *seeds], again=True)
        return _moved(inner, self.of, moved)


def _places(machine: Any, name: str, primals: Sequence[Any]) -> list[int]:
    places = differentiable(machine, primals)
    if not places:
        raise machine.recorder.fatal(NonDifferentiable(
            f"none of the primals of {name} can be differentiated",
            why="they hold no floating-point numbers", fix="pass floats or arrays of floats"))
    return places


def _moved(inner: Inner, of: list[int], tangents: list[Value]) -> Any:
    """The tangent of the result; that of a constant number is zero."""
    placed: list[Any] = [0.0] * len(inner.outputs)
    for number, tangent in zip(of, tangents, strict=True):
        placed[number] = owned(inner.machine, tangent, inner.graph.outputs[number].aval)
    return inner.rebuilt(placed, lambda leaf: 0.0 if isinstance(
        leaf, (int, float, complex, np.generic)) else leaf)


def _match(machine: Any, structure: Any, tree: Any, found: dict[int, Any], path: str) -> None:
    """The parts of ``tree`` that stand where ``structure`` has numbered leaves."""
    if isinstance(structure, Numbered):
        found[structure.number] = tree
        return
    if isinstance(structure, ClassedArray):  # its attributes have no cotangent
        _match(machine, structure._array_, machine.array_classes.unclassed(tree), found, path)
        return
    inner = None if is_tracer(structure) else children(structure)
    if not inner or tree is None:
        return
    given = None if is_tracer(tree) else children(tree)
    parts = {key: part for _, key, part in given or ()}
    if given is None or set(parts) != {key for _, key, _ in inner}:
        raise machine.recorder.fatal(StructureError(
            f"the {path} has another structure than the {_owner(path)}",
            why="it has one part for each part of what it belongs to",
            fix="give the same containers (None at a part that has none)"))
    for _, key, below in inner:
        _match(machine, below, parts[key], found, f"{path}[{key!r}]")


def _owner(path: str) -> str:
    """What a cotangent or a tangent belongs to."""
    return "result" if path.startswith("cotangent") else "argument"


def _seed(machine: Any, given: Any, like: Any) -> Value:
    """The value of a cotangent or tangent; zeros where none is given."""
    given, like = machine.array_classes.unclassed(given), machine.array_classes.unclassed(like)
    rank = like.aval.ndim if is_tracer(like) else 0
    if given is None:
        given = machine.call(np.zeros_like, like) if type(like) is ArrayTracer else 0.0
    numbers = (int, float, complex, np.ndarray, np.generic)
    if not is_tracer(given) and not isinstance(given, numbers):
        raise machine.recorder.fatal(StructureError(
            f"a cotangent or tangent is {with_article(type(given))}, what it belongs to is a "
            "number or an array", why="it has the structure of what it belongs to",
            fix="give a number or an array of that shape, or None for zero"))
    value: Value = machine.recorder.as_value(given)
    found = value.aval
    if found.ndim != rank:
        raise machine.recorder.fatal(StructureError(
            f"a cotangent or tangent has {found.ndim} axes, what it belongs to has {rank}",
            why="it has the shape of what it belongs to", fix="give an array of that shape"))
    for size, wanted in zip(found.shape or (), like.aval.shape if rank else ()):
        if not (is_varying(size) or is_varying(wanted)
                or machine.sources.equal_sizes(size, wanted)):
            raise machine.recorder.fatal(StructureError(
                f"a cotangent or tangent has the shape {found.shape}, what it belongs to has "
                f"{like.aval.shape}",
                why="it has the shape of what it belongs to", fix="give an array of that shape"))
    if found.dtype is not None and found.dtype.kind == "c" and not _may_be_complex(like):
        raise machine.recorder.fatal(StructureError(
            "a cotangent or tangent is complex, what it belongs to is real",
            why="its imaginary part would be lost",
            fix="give its real part, or a complex argument to the function"))
    return value


def _may_be_complex(like: Any) -> bool:
    dtype = like.aval.dtype if is_tracer(like) else np.result_type(like)
    return dtype is None or dtype.kind == "c"


def _tangent_values(machine: Any, inner: Inner, tangents: list[Any]) -> list[Value]:
    """The values of tangents, leaf by leaf of the differentiable arguments."""
    given: dict[int, Any] = {}
    for argument, tangent in zip(inner.numbered_arguments(), tangents, strict=True):
        if tangent is not None:
            _match(machine, argument, tangent, given, "tangent")
    return [_seed(machine, given.get(i), leaf) for i, leaf in enumerate(inner.active_leaves())]


# ---- trees -------------------------------------------------------------------------------------
@handles(flatten)
def _flatten(machine: Any, tree: Any) -> Any:
    return flatten(opened(machine, tree))


@handles(unflatten)
def _unflatten(machine: Any, structure: Any, leaves: Any) -> Any:
    return unflatten(structure, list(machine.iterate(leaves)))


@handles(aligned)
def _aligned(machine: Any, structure: Any, tree: Any) -> Any:
    return _refused(machine, aligned, structure, opened(machine, tree))


@handles(of_length)
def _of_length(machine: Any, vector: Any, length: Any) -> Any:
    """The run checks it, where the length is not known to be right."""
    return vector if vector.aval.shape == (length,) else machine.call(np.reshape, vector, (length,))


@handles(tree_map)
def _tree_map(machine: Any, function: Callable[..., Any], tree: Any, *rest: Any) -> Any:
    return _refused(machine, tree_map, functools.partial(machine.call, function),
                    opened(machine, tree), *(opened(machine, t) for t in rest))


# ---- Jacobians and their products, as functions to be staged -----------------------------------
def rows_of_array(out: Any, pullback: Any, place: int, argument: Any) -> Any:
    """The Jacobian of an array with respect to an array, by its pullback."""
    shape, into = np.shape(out), np.shape(argument)
    if not shape:
        return np.reshape(pullback(1.0)[place], into)
    rows = np.zeros((np.size(out), np.size(argument)), np.result_type(argument))
    for i in range(np.size(out)):
        unit = np.zeros(np.size(out), out.dtype)
        unit[i] = 1.0
        rows[i] = np.ravel(pullback(np.reshape(unit, shape))[place])
    return np.reshape(rows, shape + into)


def columns_of_array(out: Any, pushforward: Any, place: int, argument: Any, count: int) -> Any:
    """The Jacobian of an array with respect to an array, by its pushforward."""
    shape, into = np.shape(out), np.shape(argument)
    others: list[Any] = [None] * count
    if not into:
        others[place] = 1.0
        return np.reshape(pushforward(*others), shape)
    columns = np.zeros((np.size(out), np.size(argument)), np.result_type(out) if shape
                       else np.result_type(out, argument))
    for i in range(np.size(argument)):
        unit = np.zeros(np.size(argument), argument.dtype)
        unit[i] = 1.0
        others[place] = np.reshape(unit, into)
        columns[:, i] = np.ravel(pushforward(*others))
    return np.reshape(columns, shape + into)


def rows_of_leaf(leaf: Any, pull: Any, likes: Any) -> Any:
    """The blocks of one leaf of a result: one for each of the arrays ``likes``, from ``pull``,
    which gives all that belongs to them as one vector."""
    sizes = [np.size(like) for like in likes]
    shape = np.shape(leaf)
    rows = np.zeros((np.size(leaf), sum(sizes)), np.result_type(*likes))
    if not shape:
        rows[0] = pull(1.0)
    else:
        for i in range(np.size(leaf)):
            unit = np.zeros(np.size(leaf), leaf.dtype)
            unit[i] = 1.0
            rows[i] = pull(np.reshape(unit, shape))
    start, blocks = 0, []
    for like, size in zip(likes, sizes):
        blocks.append(np.reshape(rows[:, start:start + size], shape + np.shape(like)))
        start = start + size
    return tuple(blocks)


def as_vector(parts: Any) -> Any:
    """The numbers of several arrays."""
    return np.concatenate([np.ravel(part) for part in parts])


def traced_jacobian(machine: Any, kind: str, fun: Callable[..., Any], places: Places, args: Any,
                    has_aux: bool = False, allow_int: bool = False) -> Any:
    """The Jacobian of any structure: arrays by their own loop, containers leaf by leaf."""
    argument = opened(machine, at(places, args))
    if not allow_int:
        _require_numbers(machine, kind, places, args)
    simple = isinstance(places, int) and children(argument) is None and bool(
        differentiable(machine, (argument,)))
    by_columns = kind == "jacfwd" and simple
    made = machine.call(transforms.linearize if by_columns else transforms.vjp, fun, *args,
                        has_aux=has_aux)
    out, derivative = opened(machine, made[0]), made[1]
    if simple and (is_tracer(out) or children(out) is None):
        _refused(machine, require_arrays, "a Jacobian", out)
        found = machine.calls.inline(columns_of_array, (
            out, derivative, places, argument, len(args)), {}) if by_columns else (
            machine.calls.inline(rows_of_array, (out, derivative, places, argument), {}))
    else:
        pullback = derivative if not by_columns else machine.call(transforms.vjp, fun, *args,
                                                                  has_aux=has_aux)[1]
        found = _blocks(machine, out, pullback, places, argument)
    return (found, made[2]) if has_aux else found


def _require_numbers(machine: Any, kind: str, places: Places, args: Any) -> None:
    for place in listed(places):
        if not differentiable(machine, (args[place],)):
            raise machine.recorder.fatal(NonDifferentiable(
                f"argument {place} of {kind} cannot be differentiated",
                why="it holds no floating-point numbers",
                fix="pass floats or arrays of floats, or allow_int=True"))


def _blocks(machine: Any, out: Any, pullback: Any, places: Places, argument: Any) -> Any:
    """The Jacobian of a container, or with respect to one."""
    rows, outer = flatten(out)
    columns, inner = flatten(argument)
    blocks_outer, inner = emptied(outer), emptied(inner)
    varying = [j for j, leaf in enumerate(columns) if differentiable(machine, (leaf,))]
    likes = tuple(columns[j] for j in varying)

    def row(i: int) -> Any:
        def pull(unit: Any) -> Any:
            ct = unflatten(outer, [unit if n == i else None for n in range(len(rows))])
            gradient = flatten(opened(machine, at(places, machine.call(pullback, ct))))[0]
            return machine.calls.inline(as_vector, (tuple(gradient[j] for j in varying),), {})

        if not (is_tracer(rows[i]) or isinstance(rows[i], (np.ndarray, np.generic, int, float))):
            return None
        blocks = iter(machine.calls.inline(rows_of_leaf, (rows[i], Traced(pull), likes), {})
                      if varying else ())
        return unflatten(inner, [next(blocks) if j in varying else None
                                 for j in range(len(columns))])

    return unflatten(blocks_outer, [row(i) for i in range(len(rows))])


def hessian_product(gradient: Callable[..., Any], places: Places, args: Any, has_aux: Any) -> Any:
    """The product of the Hessian and the last argument."""
    *point, v = args
    if has_aux:
        _, pullback, aux = transforms.vjp(gradient, *point, has_aux=True)
        return at(places, pullback(v)), aux
    _, pullback = transforms.vjp(gradient, *point)
    return at(places, pullback(v))


def gauss_newton_product(fun: Callable[..., Any], places: Places, args: Any, loss: Any,
                         has_aux: Any) -> Any:
    """The product of the Gauss-Newton matrix and the last argument."""
    *point, v = args
    out, pushforward, pullback = both_ways(fun, point, has_aux)
    moved = pushforward(*spread(places, v, len(point)))
    if has_aux:
        moved = moved[0]
    if loss is not None:
        moved = hvp(loss)(out[0] if has_aux else out, moved)
    found = at(places, pullback(moved))
    return (found, out[1]) if has_aux else found


def elementwise_derivative(fun: Callable[..., Any], place: int, args: Any, has_aux: Any) -> Any:
    """The derivative of a function that acts elementwise."""
    out, pullback, *aux = transforms.vjp(fun, *args, has_aux=has_aux)
    require_arrays("an elementwise derivative", out)
    found = pullback(np.ones_like(out) if np.ndim(out) else 1.0)[place]
    return (found, aux[0]) if has_aux else found


STAGED = {"hvp": hessian_product, "gnvp": gauss_newton_product,
          "elementwise_grad": elementwise_derivative}


@handles(staged_call)
def _staged_call(machine: Any, kind: str, fun: Callable[..., Any], places: Places, args: Any,
                 *settings: Any) -> Any:
    if kind in ("jacrev", "jacfwd"):
        return traced_jacobian(machine, kind, fun, places, args, *settings)
    return machine.calls.inline(STAGED[kind], (fun, places, args, *settings), {})


@handles(require_arrays)
def _require_arrays(machine: Any, what: str, *values: Any) -> None:
    _refused(machine, require_arrays, what, *values)


# ---- code of ours that is staged like the user's -------------------------------------------------
def _staged(function: Callable[..., Any]) -> None:
    """Stage a function of ours where traced code calls it."""
    source = solvers.minimize_traced if function is solvers.minimize else inspect.unwrap(function)
    handles(function)(lambda machine, *args, **kwargs: machine.calls.inline(source, args, kwargs))


OURS = [f for f in vars(solvers).values() if getattr(f, "__module__", "") == solvers.__name__
        and f is not solvers.as_floats]
for _function in (ravel_tree, ravel_some, may_vary, linear_least_squares, *OURS):
    _staged(_function)


@handles(solvers.as_floats)
def _as_floats(machine: Any, tree: Any, settings: bool) -> Any:
    return solvers.as_floats(opened(machine, tree), settings,
                             functools.partial(machine.call, solvers._as_float))


@handles(solvers.library)
def _library(machine: Any, name: str) -> Any:
    return solvers.library(name)


# ---- what runs outside of traced functions only --------------------------------------------------
def _outside(function: Callable[..., Any], fix: str) -> None:
    """Refuse calls of a function that looks at numbers again and again."""
    name = f"{function.__module__}.{function.__name__}"

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        raise machine.recorder.fatal(UnsupportedOperation(
            f"{name} was called in a function that is compiled",
            why="it compiles and runs functions itself, as often as it likes", fix=fix))

    handles(function)(handler)


for _descent in (optimize.adam, optimize.sgd):
    _outside(_descent, "wrap it: srcgrad.implicit(train, condition) has the derivative of the "
                       "condition that the result satisfies; or write the steps as a loop")


def _refused(machine: Any, check: Callable[..., Any], *args: Any) -> Any:
    """Make a check whose error refuses the program that is being traced."""
    try:
        return check(*args)
    except StructureError as error:
        raise machine.recorder.fatal(error) from None
