"""The pipeline, top to bottom: the file to read first.

    trace -> differentiate -> simplify -> close -> simplify -> emit -> link -> dispatch

:func:`compile_call` takes a function, what is wanted of it, and the arguments of one call, and
gives a :class:`Specialization`: generated code that serves every call with the same signature.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..adjoint import carrying, close, jvp, split
from ..array_api.text import Portable
from ..cache.anchors import BARE, NOWHERE, Anchor, anchor_of
from ..cache.dispatch import MISS, Dispatch
from ..cache.memory import rare_collections
from ..emit import Emitted
from ..errors import AliasError, SrcgradError
from ..graph.ir import Graph, Node, Origin, Ref, Value, unit_seeds
from ..simplify import simplify
from ..stage.stack import room_to_recurse
from ..trace.assumptions import Assumption, SeparateArrays
from ..trace.entry import Record, Traced, trace
from ..types.guards import Path
from ..types.identifiers import name_or
from ..types.kinds import Aval, Kind
from ..types.spelling import raise_exception, raise_from
from ..types.subclasses import ARRAY
from ..types.tree import paths_below
from .backends import ALL, NUMPY, Backend, generated, parameter_names
from .joints import joint_graph, transposed
from .refusals import (
    no_parameter,
    not_scalar,
    out_of_range,
    refused_argument,
    require_scalar,
    without_aux,
)
from .templates import (
    Leaves,
    gradient_tree,
    input_at,
    is_plain,
    may_vary,
    rebuilt,
    refs,
    renumbered,
)

Wanted = tuple[Path, Any, Leaves]


@dataclass(frozen=True)
class Request:
    """What is wanted of a function.

    ``mode``: ``"jit"`` (the primal), ``"grad"``, ``"value_and_grad"`` or ``"vjp"`` (the
    cotangents for given cotangents of all outputs).  ``argnums``: parameter numbers or names;
    ``single`` says that one was given, not a tuple.  ``without``: passes switched off.
    ``allow_int``: arguments without a derivative have the gradient None.
    ``separate``: long lists of equal arrays are not one array in the generated code.
    ``backend``: what runs the code.
    """

    mode: str
    argnums: tuple[int | str, ...] = (0,)
    single: bool = True
    has_aux: bool = False
    without: tuple[str, ...] = ()
    separate: bool = False
    backend: Backend = NUMPY
    allow_int: bool = False


@dataclass
class Specialization:
    """Generated code for one signature, and how it came about."""

    dispatch: Dispatch
    target: Callable[..., Any]
    text: str
    graph: Graph
    traced: Traced
    title: str
    emitted: Emitted
    result: Any = None
    anchor: Anchor = NOWHERE
    signature: inspect.Signature = BARE
    only: Callable[[], Any] | None = None  # what it serves, if not all functions with the code
    backend: Backend = NUMPY
    defaults: Mapping[str, Any] = field(default_factory=dict)  # of seeds

    def bound(self, anchor: Anchor, signature: inspect.Signature) -> Specialization:
        """The same code for calls of another function that was made from the same text."""
        return replace(self, anchor=anchor, signature=signature)

    def on(self, backend: Backend) -> Specialization:
        """The same graph as code for another backend."""
        if backend == self.backend:
            return self
        return assemble_specialization(
            self.dispatch.name, self.anchor, self.signature, self.traced, self.graph, self.result,
            self.defaults, self.emitted.entry, backend)

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The checking function: what it returns is the result, or ``MISS``."""
        return self.dispatch.caller.bound(self.anchor, self.signature)

    @cached_property
    def portable(self) -> Portable:
        """The text for arrays of other libraries."""
        return Portable(self.on(NUMPY))

    def root(self, key: int) -> Any:
        """The object that paths start from."""
        role = self.traced.roles.get(key)
        return self.traced.pinned[key].get() if role is None else self.anchor.play(role)

    def matches(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Do the guards hold for these arguments?  (Nothing is run.)"""
        return self._check(*args, **kwargs) is not MISS

    @cached_property
    def _check(self) -> Callable[..., Any]:
        return self.dispatch.checker.bound(self.anchor, self.signature)


@room_to_recurse()
@rare_collections()
def compile_call(function: Any, request: Request, args: tuple[Any, ...],
                 kwargs: Mapping[str, Any]) -> Specialization:
    """Compile ``function`` for calls like ``function(*args, **kwargs)``."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{_plain_name(function)}(): {error}") from None
    bound.apply_defaults()
    wanted = [] if request.mode == "jit" else _wanted(function, request, signature, bound)
    leaves = [leaf for *_, found in wanted for leaf, value in found if may_vary(value)]
    name = f"{_plain_name(function)}{'' if request.mode == 'jit' else '_' + request.mode}"
    first: list[Assumption] = [SeparateArrays()] * (
        request.separate or request.mode in ("vjp", "jvp"))
    traced = trace(function, args, dict(kwargs), leaves, name, first)
    try:
        return _compile_traced(function, request, signature, traced, wanted, leaves, name)
    except SrcgradError as error:
        undo = [a for a in traced.risks if type(a).__name__ == error.lifted_by]
        if not undo:
            raise
    traced = trace(function, args, dict(kwargs), leaves, name, [*first, *undo])
    return _compile_traced(function, request, signature, traced, wanted, leaves, name)


def _compile_traced(function: Any, request: Request, signature: inspect.Signature,
                    traced: Traced, wanted: list[Wanted], leaves: list[Path],
                    name: str) -> Specialization:
    """Everything after tracing."""
    _check_separate(leaves, traced)
    if always_raises(traced.graph):
        request, wanted = replace(request, mode="jit"), []
    if request.mode in ("jit", "vjp", "jvp") and traced.leak is not None:
        raise traced.leak
    if request.mode in ("vjp", "jvp"):
        make = compile_pair if request.mode == "vjp" else compile_jvp
        return make(function, request, signature, traced, wanted, name)
    graph, result, defaults = _transform(function, request, traced, wanted)
    if traced.leak is not None:
        raise traced.leak
    graph = graph.but(title=title(function, request, traced, wanted))
    return assemble_specialization(_plain_name(function), anchor_of(function), signature, traced,
                                   graph, result, defaults, name, request.backend)


def trace_call(function: Any, args: tuple[Any, ...]) -> tuple[Graph, tuple[Any, ...]]:
    """The graph of ``function(*args)`` as it was traced, and its inputs for that call."""
    signature = inspect.signature(function)
    bound = signature.bind(*args)
    bound.apply_defaults()
    leaves = [leaf for name, value in bound.arguments.items()
              for leaf, part in paths_below(value, Path(("arg", name), (), name))
              if may_vary(part)]
    traced = trace(function, args, {}, leaves, _plain_name(function))
    dispatch = Dispatch(_plain_name(function), signature, traced, _collect)
    return traced.graph, dispatch.caller.bound(anchor_of(function), signature)(*args)


def always_raises(graph: Graph) -> bool:
    """Does the program end in an exception on every path?"""
    last = graph.block.nodes[-1] if graph.block.nodes else None
    return last is not None and last.op == "effect" and last.params["fn"] in (
        raise_exception, raise_from)


def assemble_specialization(of: str, anchor: Anchor, signature: inspect.Signature, traced: Traced,
                            graph: Graph, result: Any, defaults: Mapping[str, Any],
                            name: str, backend: Backend) -> Specialization:
    """Emit, link and dispatch a finished graph of the function called ``of``."""
    direct = is_plain(result)
    emitted, target = generated(graph.but(name=name), backend, result if direct else ALL,
                                defaults)
    rebuild = None if direct else (lambda flat: rebuilt(result, flat))
    dispatch = Dispatch(of, signature, traced, target, rebuild)
    return Specialization(dispatch, target, emitted.text, graph, traced, graph.title, emitted,
                          result, anchor, signature, None, backend, defaults)


def _plain_name(function: Any) -> str:
    return name_or(getattr(function, "__name__", type(function).__name__), "function")


def _wanted(function: Any, request: Request, signature: inspect.Signature,
            bound: inspect.BoundArguments) -> list[Wanted]:
    """For each differentiated argument its path, its value, and its leaves with their paths."""
    names = list(signature.parameters)
    found = []
    for wanted in request.argnums:
        name = _parameter(function, wanted, names, signature, bound)
        if isinstance(name, tuple):
            name, place = name
            path = Path(("arg", name), (("item", place),), f"{name}[{place}]")
            value = bound.arguments[name][place]
        else:
            path, value = Path(("arg", name), (), name), bound.arguments[name]
        leaves = paths_below(value, path)
        if not request.allow_int and not any(may_vary(v) for _, v in leaves):
            raise refused_argument(_plain_name(function), path, value)
        found.append((path, value, leaves))
    return found


def _parameter(function: Any, wanted: int | str, names: list[str],
               signature: inspect.Signature, bound: inspect.BoundArguments) -> Any:
    if isinstance(wanted, str):
        if wanted not in names:
            raise no_parameter(function, wanted, signature)
        return wanted
    positional = [p for p in signature.parameters.values()
                  if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variable = next((p for p in signature.parameters.values() if p.kind is p.VAR_POSITIONAL),
                    None)
    count = len(positional) + (len(bound.arguments.get(variable.name, ())) if variable else 0)
    place = wanted + count if wanted < 0 else wanted
    if not 0 <= place < count:
        raise out_of_range(function, wanted, count, signature)
    if place < len(positional):
        return positional[place].name
    assert variable is not None
    return (variable.name, place - len(positional))


def _check_separate(leaves: list[Path], traced: Traced) -> None:
    """Refuse derivatives with respect to two arguments that are one array, written to."""
    for path in leaves:
        if input_at(traced.inputs, path) is None:
            raise AliasError(
                f"{path} is the same array as another argument, and it is written to",
                where=f"argument {path}",
                why="a write through one name changes both, so they have no separate derivatives",
                fix=f"pass a copy ({path}.copy()), or differentiate with respect to one of them")
    for guard in traced.guards:
        place, other = guard.path, guard.data
        if guard.kind != "is_path" or place is None or place.root == other.root:
            continue
        if any(p.leads_through(place) for p in leaves):
            raise AliasError(
                f"{place} is the same object as {other}, and it is changed or compared",
                where=f"argument {place}",
                why="what is done through one name is done to both, so they have no separate "
                    "derivatives",
                fix="pass a copy (copy.deepcopy), or differentiate with respect to the first")


def compile_pair(function: Any, request: Request, signature: inspect.Signature, traced: Traced,
                 wanted: list[Wanted], name: str) -> Specialization:
    """The split form: a forward function that returns the result and the residuals, and the
    linear function that takes the residuals and the cotangents.

    The specialization's call returns ``(result, linear)``; ``linear`` takes flat lists.
    """
    wrt, keep = _inputs_of(traced, wanted), refs(traced.result)
    of = carrying(traced.graph, wrt, _outside_aux(traced.result, request, keep))
    joint = joint_graph(traced.graph, wrt, of, keep, request.without, True, copies=True)
    forward, backward = split(joint, len(of))
    forward = simplify(forward.but(title=title(function, request, traced, wanted)),
                       keep_raising=True, without=request.without)
    count = len(keep)
    linear, run = generated(backward.but(name=f"{name}_linear"), request.backend)
    result = renumbered(traced.result, {number: i for i, number in enumerate(keep)})
    emitted, target = generated(forward.but(name=name), request.backend)
    shapes = Linear(function.__name__ if hasattr(function, "__name__") else "function", run,
                    _argument_trees(traced, wanted, wrt), result, [keep.index(i) for i in of],
                    backward, request.backend)

    def rebuild(flat: Any) -> Any:
        return rebuilt(result, flat), shapes, flat[count:], flat[:count]

    dispatch = Dispatch(_plain_name(function), signature, traced, target, rebuild)
    return Specialization(dispatch, target, f"{emitted.text}\n\n{linear.text}", forward, traced,
                          forward.title, emitted, result, anchor_of(function), signature)


def compile_jvp(function: Any, request: Request, signature: inspect.Signature, traced: Traced,
                wanted: list[Wanted], name: str) -> Specialization:
    """Forward mode: one function of the inputs and their tangents.

    The specialization's call returns ``(linear, inputs)``; ``linear.run`` takes the flat inputs
    and the flat tangents and gives the flat results, then their tangents.
    """
    wrt, keep = _inputs_of(traced, wanted), refs(traced.result)
    of = carrying(traced.graph, wrt, _outside_aux(traced.result, request, keep))
    graph = close(jvp(traced.graph, wrt, of, keep=keep))
    graph = simplify(graph, keep_raising=True, without=request.without)
    graph = graph.but(title=title(function, request, traced, wanted), name=name)
    emitted, target = generated(graph, request.backend)
    result = renumbered(traced.result, {number: i for i, number in enumerate(keep)})
    linear = Linear(_plain_name(function), target, _argument_trees(traced, wanted, wrt), result,
                    [keep.index(i) for i in of])

    def rebuild(inputs: Any) -> Any:
        return linear, inputs

    dispatch = Dispatch(_plain_name(function), signature, traced, _collect, rebuild)
    return Specialization(dispatch, target, emitted.text, graph, traced, graph.title, emitted,
                          result, anchor_of(function), signature)


def _outside_aux(result: Any, request: Request, keep: list[int]) -> list[int]:
    """The outputs that are not only part of the auxiliary result."""
    paired = request.has_aux and isinstance(result, tuple) and len(result) == 2
    return refs(result[0]) if paired else keep


def _collect(*inputs: Any) -> tuple[Any, ...]:
    """The target of a dispatcher that only reads the inputs."""
    return inputs


def _inputs_of(traced: Traced, wanted: list[Wanted]) -> list[int]:
    """The graph's inputs for the differentiable leaves of the wanted arguments, each once."""
    found: dict[int | None, None] = {}
    for *_, leaves in wanted:
        found.update((input_at(traced.inputs, path), None) for path, leaf in leaves
                     if may_vary(leaf))
    return [number for number in found if number is not None]


def _argument_trees(traced: Traced, wanted: list[Wanted], wrt: list[int]) -> list[Any]:
    """The structures of the wanted arguments over the numbers of their leaves."""
    place = {number: i for i, number in enumerate(wrt)}
    return [gradient_tree(value, path, leaves, traced.inputs, place)
            for path, value, leaves in wanted]


@dataclass(frozen=True)
class Linear:
    """The linear half of the split form, with the structures of its inputs and outputs.
    ``backward`` is its graph, whose last inputs are the cotangents of the results ``active``."""

    name: str
    run: Callable[..., Any]
    arguments: list[Any]
    result: Any
    active: list[int]
    backward: Graph | None = None
    backend: Backend = NUMPY

    @cached_property
    def forwards(self) -> Callable[..., Any]:
        """The transposed function: takes what ``run`` takes (of the cotangents only the shapes
        matter), then the tangents of the arguments; gives the tangents of the results."""
        assert self.backward is not None
        graph = transposed(self.backward, len(self.active))
        return generated(graph.but(name=f"{graph.name}_forwards"), self.backend)[1]


def _transform(function: Any, request: Request, traced: Traced,
               wanted: list[Wanted]
               ) -> tuple[Graph, Any, dict[str, Any]]:
    """The graph to emit, the structure of its result, and default values of its seeds."""
    if request.mode == "jit":
        graph = simplify(traced.graph, keep_raising=True, without=request.without)
        return graph, traced.result, {}
    inputs = traced.inputs
    wrt = _inputs_of(traced, wanted)
    carrying(traced.graph, wrt, _outside_aux(traced.result, request, refs(traced.result)))
    value, keep, of = _primal(function, request, traced)
    place = {number: i + len(keep) for i, number in enumerate(wrt)}
    graph = checked_scalar(traced.graph, of, _plain_name(function))
    joint = joint_graph(graph, wrt, of, keep, request.without, request.mode != "grad", unit=True)
    trees = [gradient_tree(value, path, leaves, inputs, place)
             for path, value, leaves in wanted]
    gradient = trees[0] if request.single else tuple(trees)
    position = {number: i for i, number in enumerate(keep)}
    kept = renumbered(value, position)
    result = gradient if request.mode == "grad" and not request.has_aux else (
        (gradient, kept[1]) if request.mode == "grad" else (kept, gradient))
    seeds = joint.inputs[len(traced.graph.inputs):]
    names = parameter_names(joint)
    return joint, result, dict(zip(names[len(names) - len(seeds):], unit_seeds(seeds, joint)))


def _primal(function: Any, request: Request, traced: Traced) -> tuple[Any, list[int], list[int]]:
    """The structure of the primal result, the outputs to keep, the output to differentiate."""
    result = traced.result
    scalar = result
    if request.has_aux:
        if not isinstance(result, tuple) or len(result) != 2:
            raise without_aux(function, result, traced)
        scalar = result[0]
    if isinstance(scalar, Record) and ARRAY in scalar:  # an array of a class of the user's
        scalar = scalar[ARRAY]
    if not isinstance(scalar, Ref):
        scalar_value = scalar
        if type(scalar_value) in (float, np.float64, np.float32):
            return result, refs(result), []
        raise not_scalar(function, scalar, traced)
    aval = traced.graph.outputs[scalar.index].aval
    if not _is_real_scalar(aval):
        raise not_scalar(function, scalar, traced)
    keep = refs(result) if request.mode != "grad" else (
        refs(result[1]) if request.has_aux else [])
    return result, keep, [scalar.index]


def checked_scalar(graph: Graph, of: list[int], name: str) -> Graph:
    """A result that may be None, or of unknown rank, is checked at each call."""
    nodes = []
    for i in of:
        value = graph.outputs[i]
        if value.aval.optional or value.aval.kind is Kind.ANY:
            nodes.append(Node("effect", (value,), (), {
                "fn": require_scalar, "args": (Ref(0), name), "kwargs": {}},
                origin=Origin(role="support")))
    if not nodes:
        return graph
    return graph.but(block=graph.block.but(nodes=(*graph.block.nodes, *nodes)))


def _is_real_scalar(aval: Aval) -> bool:
    if aval.kind is Kind.ANY:
        return True
    if not aval.is_numeric or aval.shape != () or aval.optional:
        return aval.is_numeric and aval.shape == () and aval.is_inexact and (
            aval.dtype is None or aval.dtype.kind == "f")
    return aval.dtype is None or aval.dtype.kind == "f"


def title(function: Any, request: Request, traced: Traced, wanted: list[Wanted]) -> str:
    """The header of generated code: ``heat(u0: f8[n], alpha: float) -> float;  d/du0``."""
    shown = [f"{v.hint}: {_shown(v)}" for v in traced.graph.inputs]
    out = (_shown(traced.graph.outputs[0]) if len(traced.graph.outputs) == 1
           else f"({', '.join(_shown(v) for v in traced.graph.outputs)})")
    text = f"{_plain_name(function)}({', '.join(shown)}) -> {out}"
    if request.mode == "jit":
        return text
    names = [str(p) for p, *_ in wanted]
    return f"{text};  d/d{names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'}"


def _shown(value: Value) -> str:
    aval = value.aval
    if aval.kind is Kind.INT:
        return "int"
    return str(aval).replace("scalar:", "").replace("number:", "")
