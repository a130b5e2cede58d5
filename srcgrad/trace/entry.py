"""``trace``: a function and its first arguments in, a graph with its inputs and guards out."""

from __future__ import annotations

import functools
import inspect
import logging
import types
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..cache.anchors import anchor_of
from ..cache.dispatch import root_objects
from ..config import config
from ..errors import JoinError, SrcgradError, TracingError, UnsupportedOperation, Where
from ..graph.freshness import without_idle_copies
from ..graph.ir import Graph, Node, Ref, Value, abstract
from ..graph.sizes import all_equated
from ..graph.verify import lost_value
from ..graph.walking import uses_of, walk
from ..rules.book import lookup
from ..stage.function import stage
from ..types.dataclasses import dataclass, field, replace
from ..types.dims import Atom, Dim, of_atom, substitute, symbols
from ..types.guards import Guard, Held, Path, SizeSource, Source
from ..types.identifiers import signature_of
from ..types.kinds import Aval
from ..types.structure import found_in
from ..types.subclasses import native_class, own_namespace, parts_of
from .assumed import Assumptions, Made
from .assumptions import Assumption, NumbersApart, Withdrawn
from .boundary.leaks import leak
from .boundary.scratch import settle_names
from .calls.refused import endless_container
from .flow.control import Refusal, Restart, Unroll
from .heap.run_time import check_no_table
from .heap.whole_lists import ColumnPlaces, leaf_inputs
from .iteration.iteration import Staged
from .machine import TraceMachine
from .record.states import Maybe
from .record.structures import is_library, record_fields
from .record.tracers import ArrayTracer, BoundMethod, Choice, ClassedArray, Poison, is_tracer

LOG = logging.getLogger("srcgrad")
MAX_RESTARTS = 1000  # each assumes one thing more of the program: a long one needs many


@dataclass(frozen=True)
class Traced:
    """One tracing of a function.

    ``graph`` computes the flat outputs from the flat inputs; ``sources`` tell where each input
    is found, ``guards`` what must hold, ``sizes`` what the symbols stand for.  ``result`` is
    the template of the function's result over the graph's outputs.  ``leaves`` lists, for each
    argument that was asked for, the flat input numbers and paths of its differentiable leaves.
    """

    graph: Graph
    sources: tuple[Source, ...]
    guards: tuple[Guard, ...]
    sizes: tuple[SizeSource, ...]
    result: Any
    pinned: dict[int, Held]
    roles: dict[int, str]
    notes: tuple[str, ...]
    rounds: int
    nodes: int
    inputs: dict[Path, int] = field(default_factory=dict)
    risks: tuple[Assumption, ...] = ()  # what would undo what may turn out wrong
    made: tuple[Made, ...] = ()  # why tracing started again
    leak: SrcgradError | None = None  # the result holds traced values out of sight
    shareable: bool = True  # does the code serve other functions with the same code object?
    # of lists whose parts derivatives are taken for, what items have in common, and the inputs
    columns: dict[Path, ColumnPlaces] = field(default_factory=dict)
    # of leaves that are items of columns, the place there, how many there are, and of which type
    items: dict[Path, tuple[int, int, Any]] = field(default_factory=dict)


def trace(function: types.FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any],
          leaves: list[Path], name: str, first: Iterable[Assumption] = ()) -> Traced:
    """Trace ``function`` at these arguments, until what is assumed suffices (``first`` from the
    start).

    ``leaves`` are paths (below arguments) that must be inputs of the graph even if the
    function does not read them.  Raises the user's own exceptions where the program raises
    whatever its numbers are, and :class:`~srcgrad.errors.SrcgradError` for refusals.
    """
    assumed = Assumptions(first)
    for attempt in range(MAX_RESTARTS):
        if attempt:
            LOG.debug("tracing %s again, with assumptions on: %s", name, "; ".join(
                dict.fromkeys(made.words() for made in assumed.made)))
        machine = TraceMachine(assumed)
        machine.recursion.reserved = {name}
        try:
            return _trace_once(machine, function, args, kwargs, leaves, name)
        except Restart as again:
            if assumed.add(again.made):
                continue
            refusal = machine.recorder.of_forms(_unsettled(again.made.words()))
        except Unroll as need:
            refusal = machine.recorder.of_forms(TracingError(
                "the number of a loop index is needed while compiling", why=need.reason,
                fix="index one array instead of unlike things"))
        except Refusal as met:
            refusal = met
        finally:
            assumed.recorded += machine.recorder.node_count
            while machine.journal.layers:  # the outside world is as it was
                machine.journal.pop()
        remedies = (*assumed.without_texts(), *refusal.remedies, *assumed.without_stores())
        if not assumed.add_one(remedies, refusal.error.where):
            raise refusal.error from refusal if config.internal_frames else None
    raise _unsettled("; ".join(made.words() for made in assumed.made[-2:]))


def _unsettled(last: str) -> TracingError:
    return TracingError("tracing does not settle", why=f"it was assumed in vain: {last}")


def _trace_once(machine: TraceMachine, function: types.FunctionType, args: tuple[Any, ...],
                kwargs: dict[str, Any], leaves: list[Path], name: str) -> Traced:
    target: Any = function.__func__ if isinstance(function, types.MethodType) else function
    if isinstance(target, types.FunctionType) and lookup(target) is None:
        stage(target)
    bound = signature_of(function).bind(*args, **kwargs)
    if not isinstance(inspect.unwrap(target), (np.ufunc, type(np.sum))):
        bound.apply_defaults()  # those of library functions stay with them
    _pin_function(machine, function)
    traced_args: list[Any] = []
    traced_kwargs: dict[str, Any] = {}
    for parameter, value in bound.arguments.items():
        kind = bound.signature.parameters[parameter].kind
        path = Path(("arg", parameter), (), parameter)
        if kind is inspect.Parameter.VAR_POSITIONAL:
            machine.sources.guard("length", path, len(value))
            traced_args.extend(machine.foreigners.outside(v,
                                                          Path(("arg", parameter), (("item", i),),
                                                       f"{parameter}[{i}]"))
                               for i, v in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            machine.sources.guard("keys", path, tuple(value))
            traced_kwargs.update({k: machine.foreigners.outside(v, Path(
                ("arg", parameter), (("item", k),), k)) for k, v in value.items()})
        elif kind is inspect.Parameter.KEYWORD_ONLY:
            traced_kwargs[parameter] = machine.foreigners.outside(value, path)
        else:
            traced_args.append(machine.foreigners.outside(value, path))
    machine.sources.leaves = leaves
    for path in leaves:
        root = bound.arguments[path.root[1]]
        if not machine.whole_lists.gather(path, root):
            machine.foreigners.outside(path.resolve(root), path)
    if isinstance(function, types.MethodType):
        owner = machine.foreigners.outside(function.__self__, Path(machine.variables.pin(
            function.__self__, "self"), (), "self"))
        traced_args.insert(0, owner)
    result = machine.run(target, tuple(traced_args), traced_kwargs)
    machine.list_rows.check_swap()
    machine.elements.check()
    machine.pools.check()
    machine.whole_lists.check()
    machine.memory.check_overlaps()
    machine.identity.guard_identities()
    outputs: list[Value] = []
    found, place = leak(result, "returned"), _last_place(machine) or Where.of(target)
    if found is not None and place is not None:
        found.at(place)
    try:
        template = abstract(_result_values(machine, result, set()), outputs)
    except Refusal as refusal:
        if place is not None:
            refusal.error.at(place)
        raise
    if machine.assumed.complex_powers() and any(
            v.aval.dtype is not None and v.aval.dtype.kind == "c" for v in outputs):
        raise Restart(Withdrawn(NumbersApart()))  # what it returns would be no real number
    block = without_idle_copies(machine.recorder.root.builder.block(tuple(outputs)))
    settle_names(block)
    used = {*machine.whole_lists.values(), *(v for one in (block, *(
        callee.block for callee in machine.recursion.callees.values())) for v in uses_of(one))}
    machine.pools.leave_out(used)
    machine.opening.leave_out(used)
    inputs = [v for v, _ in machine.sources.inputs]
    homes = {id(t.home) for _, t, _ in machine.sources.outside_arrays if t.home.written}
    written = tuple(i for i, v in enumerate(inputs)
                    if any(id(t.home) in homes and t.first is v
                           for _, t, _ in machine.sources.outside_arrays))
    graph = Graph(name, block.but(params=tuple(inputs)), n_primal=len(outputs), written=written,
                  callees=machine.recursion.callees)
    if (lost := lost_value(graph)) is not None:
        raise _lost(machine, lost[1])
    columns = machine.whole_lists.columns(inputs)
    sources = tuple(s for _, s in machine.sources.inputs)
    machine.found_functions.guard_constants(graph, template)
    guards = tuple(g.kept() for g in machine.sources.guards.values())
    _solve_sizes(graph, guards, machine)
    roles = anchor_of(function).roles()
    found_functions = machine.found_functions
    pinned = {key: Held(found_functions.pinned[key], key not in found_functions.unplaced)
              for key in root_objects(guards, [s.path for s in sources]) if key not in roles}
    return Traced(graph, sources, guards, tuple(machine.sources.symbols), template, pinned,
                  roles, tuple(dict.fromkeys(machine.sources.notes)),
                  machine.rounds.count, machine.recorder.node_count,
                  {**{s.path: i for i, (_, s) in enumerate(machine.sources.inputs)},
                   **leaf_inputs(leaves, columns), **machine.whole_lists.leaf_columns(inputs)},
                  tuple(machine.assumed.undoing()), tuple(machine.assumed.made), found,
                  not machine.found_functions.unguarded, columns,
                  machine.whole_lists.leaf_places())


def _lost(machine: TraceMachine, node: Node | None) -> Refusal:
    """What only some paths give is needed where the others come to, too."""
    error = UnsupportedOperation(
        "what an object holds is needed after a branch that may not have made it",
        why="which of several objects stands here depends on data, and their parts could not be "
            "followed", fix="keep the numbers in an array, and the places of objects as numbers")
    if node is not None and node.origin is not None and node.origin.where is not None:
        error.at(node.origin.where)
    return machine.recorder.of_forms(error)


def _solve_sizes(graph: Graph, guards: tuple[Guard, ...], machine: TraceMachine) -> None:
    """Write sizes of arrays that a guard says are equal, or a number, as one in the graph."""
    axes = {a for s in machine.sources.symbols if s.axis is not None for a in symbols(s.symbol)}
    equal = {atom: dim for atom, dim in all_equated([
        (g.data[1], g.data[2]) for g in guards if g.kind == "size" and g.data[0] == "=="
        and 1 not in g.data]).items() if atom in axes}
    if not equal:
        return
    for atom in sorted(machine.sources.loop_atoms, key=lambda a: a.serial):
        within = replace(atom, low=substitute(atom.low, equal), high=substitute(atom.high, equal))
        if within != atom:
            equal[atom] = of_atom(within)
    values = [*graph.inputs, *(v for node in walk(graph.block) for v in (
        *node.outputs, *(p for b in node.blocks for p in b.params)))]
    for v in values:
        v.aval = _in_sizes(v.aval, equal)


def _in_sizes(aval: Aval, equal: Mapping[Atom, Dim]) -> Aval:
    """An abstract value in other sizes."""
    return aval.but(
        shape=None if aval.shape is None else tuple(substitute(d, equal) for d in aval.shape),
        expr=substitute(aval.expr, equal),
        elem=None if aval.elem is None else _in_sizes(aval.elem, equal))


def _last_place(machine: TraceMachine) -> Where | None:
    """The expression that was traced last."""
    for node in reversed(machine.recorder.root.builder.nodes):
        if node.origin is not None and node.origin.where is not None:
            return node.origin.where
    return None


def _pin_function(machine: TraceMachine, function: Any) -> None:
    """Give the function that is called, and what it is bound to, their paths."""
    anchor = anchor_of(function)
    target = anchor.function
    if target is not None:
        path = Path(("object", id(target)), (), target.__name__)
        machine.found_functions.lies(target, path)
        machine.found_functions.anchored = target
        machine.sources.guard("is", path.child("attr", "__code__"), target.__code__)
        if target.__defaults__ or target.__kwdefaults__:
            machine.sources.guard("defaults", path, bool(target.__kwdefaults__))
        if anchor.owner is not None:
            machine.foreigners.outside(anchor.owner,
                Path(machine.variables.pin(anchor.owner, "self"), (), "self"))
    elif isinstance(anchor.owner, functools.partial) or not (
            isinstance(anchor.owner, type) or is_library(type(anchor.owner).__module__)):
        machine.foreigners.outside(anchor.owner, Path(machine.variables.pin(anchor.owner, "self"),
                                                      (), "self"))


def _result_values(machine: TraceMachine, obj: Any, above: set[int]) -> Any:
    """A result with values in place of tracers; iterables and records of the trace are made
    into what Python would return."""
    if type(obj) is Poison:
        raise machine.recorder.unjoined(obj)
    if type(obj) is Maybe:
        raise machine.recorder.fatal(JoinError(
            "the function returns an object with an attribute that only some paths set",
            why="which attributes it has is only known when the generated code runs",
            fix="set it on every path (to None where there is nothing)"))
    obj = machine.stored_lists.given_out(machine.references.as_found(obj))
    if machine.opening.is_gathered(obj):
        machine.opening.check_gathered(obj)
    if type(obj) is Choice:
        obj = machine.unions.one_form(obj)
    if is_tracer(obj):
        if type(obj) is ArrayTracer:
            machine.elements.share(obj)
        return machine.recorder.value_of(obj)
    check_no_table(machine, obj)
    if isinstance(obj, Staged):
        raise machine.recorder.fatal(TracingError(
            "the function returns an iterator over traced values",
            why="an iterator cannot be an output of the generated code",
            fix="return a list or an array"))
    if machine.tuples.has_long(obj):
        raise machine.recorder.fatal(machine.tuples.returned_tuple())
    if isinstance(obj, list) and id(obj) in machine.symbolic_lists:
        return machine.recorder.rows_value(machine.symbolic_lists[id(obj)])
    if id(obj) in machine.found_functions.paths and not isinstance(obj, (types.FunctionType, type,
                                                         types.ModuleType)):
        return machine.handed_over.object_value(obj)
    if isinstance(obj, ClassedArray):
        return Record(obj.cls, {n: _result_values(machine, getattr(obj, n), above)
                                for n in record_fields(obj) or ()})
    if native_class(type(obj)) is not None and not isinstance(obj, (set, frozenset)):
        contents = {key: _result_values(machine, part, above) for _, key, part in parts_of(obj)}
        return Record(type(obj), contents)
    if isinstance(obj, (list, tuple, dict, deque)):
        if id(obj) in above:
            raise machine.recorder.fatal(endless_container(obj))
        above = above | {id(obj)}
    if isinstance(obj, (list, tuple)):
        if hasattr(type(obj), "_fields") and own_namespace(obj):
            raise machine.recorder.fatal(UnsupportedOperation(
                f"the function returns a {type(obj).__name__}, a tuple with further attributes",
                why="it cannot be made again of its items",
                fix="return the numbers that are needed, in a tuple or dict"))
        items = [_result_values(machine, o, above) for o in obj]
        return (type(obj)(*items) if hasattr(type(obj), "_fields") else type(obj)(items))
    if type(obj) is dict:
        return {k: _result_values(machine, v, above) for k, v in obj.items()}
    if type(obj) is deque and obj.maxlen is None:
        return Record(deque, {
            n: _result_values(machine, v, above)  # type: ignore[misc]
            for n, v in enumerate(obj)})
    fields = None if type(obj) is BoundMethod else record_fields(obj)
    if fields and id(obj) not in above and not isinstance(obj, (SrcgradError, np.ndarray)):
        parts = {n: _result_values(machine, object.__getattribute__(obj, n), above | {id(obj)})
                 for n in fields}
        if id(obj) in machine.journal.births or any(found_in(parts, (Value, Ref))):
            return Record(type(obj), parts)
    return obj


class Record(dict):  # type: ignore[type-arg]
    """The template of an instance in a result: its class and its fields."""

    def __init__(self, cls: type, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self.cls = cls

    def like(self, fields: dict[str, Any]) -> Record:
        """The same instance with other fields."""
        return Record(self.cls, fields)
