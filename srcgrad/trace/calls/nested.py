"""Transforms called inside a traced function: the inner derivative becomes part of the graph.

The inner function is run in a region of its own on fresh values for the arguments it is
differentiated with respect to; its free variables are the enclosing values themselves.  The
region is made into a graph, that is differentiated, and the nodes of the result take the place
of the call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...errors import (
    AliasError,
    SrcgradError,
    UnsupportedOperation,
)
from ...graph.ir import Graph, Node, Value
from ...graph.lift import called
from ...graph.walking import free_values, rebuild, uses_of, walk
from ...types.dataclasses import dataclass
from ...types.guards import Path
from ...types.kinds import Aval, Kind
from ...types.tree import (
    argument_leaves,
    assemble,
    children,
    endless,
    is_fixed,
    paths_below,
)
from ..flow.control import Refusal
from ..heap.run_time import check_no_table
from ..iteration.iteration import Staged
from ..record.homes import is_active, may_be, may_be_one, reach
from ..record.regions import Region
from ..record.scopes import during
from ..record.states import Columns
from ..record.structures import record_fields
from ..record.tracers import (
    ArrayTracer,
    Choice,
    ClassedArray,
    Home,
    StandIn,
    is_tracer,
)

Carrying = Callable[[Graph, Sequence[int], Sequence[int]], list[int]]
Leaves = list[tuple[Path, Any]]
Handed = tuple[ArrayTracer, ArrayTracer]  # an array, and what stands for it in a function


@dataclass(frozen=True)
class Numbered:
    """Stands for a leaf of a tree: its number among the leaves that count."""

    number: int


@dataclass
class Inner:
    """A function that was run in a region of its own.

    ``graph`` takes the differentiable leaves of the arguments at ``places``, then the values it
    uses from around; its outputs are the traced leaves of the result.  ``given`` holds the values
    of all its inputs, ``count`` how many of them are leaves.  ``leaves`` are those of each
    argument, ``result`` the result on tracers of the region.  ``handed`` are the arrays among the
    leaves with what stands for them there; further outputs are what ``written`` of them hold in
    the end.
    """

    machine: Any
    graph: Graph
    given: list[Value]
    count: int
    places: list[int]
    arguments: list[Any]
    leaves: list[Leaves]
    result: Any
    outputs: Leaves
    handed: list[Handed]
    written: list[Handed]
    region: Region

    def carrying(self, found: Carrying, has_aux: bool = False) -> list[int]:
        """The outputs that have a derivative, without those of the aux."""
        of = range(len(_traced(self.result[0] if has_aux and type(self.result) is tuple
                               else self.result)))
        try:
            return found(self.graph, range(self.count), of)
        except SrcgradError as error:
            raise Refusal(error) from None

    def rebuilt(self, values: Iterable[Any],
                constant: Callable[[Any], Any] = lambda leaf: leaf) -> Any:
        """The result with these objects in place of its traced leaves."""
        made = iter(values)
        return _replaced(self.result, root("result"), {
            path: next(made) if is_tracer(leaf) else constant(leaf)
            for path, leaf in self.outputs})

    def returned(self, values: Sequence[Value]) -> tuple[list[Any], Any]:
        """The traced leaves of the result, and the result, from the values of the outputs; what
        the function has written to is written to."""
        traced = [leaf for _, leaf in self.outputs if is_tracer(leaf)]
        for (leaf, _), value in zip(self.written, values[len(traced):], strict=True):
            self.machine.effects.store_whole(leaf, self.machine.recorder.wrap(value))
        flat = [self._returned(leaf, value) for leaf, value in zip(traced, values)]
        return flat, self.rebuilt(flat)

    def _returned(self, tracer: Any, value: Value) -> Any:
        """What the function has returned: an array from around it is that array."""
        around: list[ArrayTracer] = []
        if type(tracer) is ArrayTracer:
            stands = {id(stood.home): leaf for leaf, stood in self.handed}
            around = [stands[id(home)] if id(home) in stands else self._whole(home)
                      for home in reach(tracer.home) if id(home) in stands or is_active(home)]
            if around and not tracer.steps and tracer.home in (
                    around[0].home, *(s.home for leaf, s in self.handed if leaf is around[0])):
                return around[0]
        made = self.machine.recorder.wrap(value)
        for one in around:
            may_be(made.home, one.home)
        return made

    def _whole(self, home: Home) -> ArrayTracer:
        return ArrayTracer(self.machine, home.current.aval, home, (), (), home.obj, home.current,
                           self.machine.recorder.region)

    def numbered_result(self) -> Any:
        """The result with the numbers of the outputs for its traced leaves."""
        return self.rebuilt(map(Numbered, range(len(self.outputs))))

    def numbered_arguments(self) -> list[Any]:
        """The differentiated arguments with numbers for their differentiable leaves."""
        numbers = iter(range(self.count))
        return [
            _replaced(argument, root(str(place)), {
                path: Numbered(next(numbers)) if varies(leaf) else None for path, leaf in found})
            for place, argument, found in zip(self.places, self.arguments, self.leaves,
                                              strict=True)]

    def active_leaves(self) -> list[Any]:
        """The differentiable leaves of the arguments."""
        return [leaf for found in self.leaves for _, leaf in found if varies(leaf)]

    def gradients(self, values: Iterable[Value]) -> list[Any]:
        """One tree for each of the ``places``, from cotangents of the leaves."""
        made = (owned(self.machine, value, leaf.aval)
                for value, leaf in zip(values, self.graph.inputs))
        return [
            _replaced(argument, root(str(place)), {
                path: next(made) if varies(leaf) else None
                for path, leaf in found})
            for place, argument, found in zip(self.places, self.arguments, self.leaves,
                                              strict=True)]


def run_inside(machine: Any, function: Any, args: Sequence[Any], kwargs: dict[str, Any],
               places: list[int], which: Callable[[Any], bool] | None = None) -> Inner:
    """Run ``function`` on tracers in a region of its own.  ``which`` tells the leaves that become
    parameters of its graph (those that may vary)."""
    which = varies if which is None else which
    region = Region(machine.recorder.region, in_line=True)
    new_args = list(args)
    params: list[Value] = []
    given: list[Value] = []
    seen = [opened(machine, args[place]) for place in places]
    whole = [paths_below(arg, root(str(place)), whole=True)
             for place, arg in zip(places, seen, strict=True)]
    leaves = [[(p, None if is_fixed(p) else leaf) for p, leaf in found] for found in whole]
    handed: list[Handed] = []
    opened_up: list[tuple[Any, str, dict[Path, Any]]] = []
    before = {leaf.home: leaf.home.current for found in leaves for _, leaf in found
              if type(leaf) is ArrayTracer}
    outer, layers = machine.recorder.region, len(machine.journal.layers)
    machine.recorder.region = region
    machine.journal.push()
    region.layer = layers + 1
    try:
        for place, arg, found in zip(places, seen, whole, strict=True):
            inner = {path: leaf if is_fixed(path) else _parameter(
                machine, leaf, params, given, which, handed) for path, leaf in found}
            new_args[place] = _replaced(arg, root(str(place)), inner)
            opened_up.append((new_args[place], str(place), inner))
        result = opened(machine, machine.call(function, *new_args, **kwargs))
        if isinstance(result, (float, np.floating)):  # the same for all arguments
            result = machine.recorder.wrap(machine.recorder.as_value(result))
        outputs = _paths_of_result(result, root("result"))
        written = [(leaf, stood) for leaf, stood in handed if stood.home.current is not stood.first]
        values = tuple(machine.recorder.value_of(leaf) for leaf in (
            *(leaf for _, leaf in outputs if is_tracer(leaf)), *(stood for _, stood in written)))
        _check_containers(machine, function, opened_up)
    finally:
        machine.recorder.region = outer
        if len(machine.journal.layers) == region.layer:
            machine.journal.commit()
    block = region.builder.block(values).but(params=tuple(params))
    free = free_values(block)
    lifted = {v: v.like() for v in free}
    graph = Graph("inner", rebuild(block, dict(lifted)).but(
        params=(*params, *lifted.values())), n_primal=len(values),
        callees=machine.recursion.callees)
    if any(name not in machine.recursion.callees for name in called(block)):
        raise machine.recorder.fatal(UnsupportedOperation(
            "a derivative, inside a function that calls itself, of a call of that function",
            why="the function's graph is not known before it has been traced",
            fix="take the derivative outside of the recursive function"))
    _check_apart(machine, function, handed, written, before, uses_of(block) - Counter(
        v for node in walk(block) if node.op == "dim" for v in node.inputs))
    return Inner(machine, graph, [*given, *free], len(params), places, seen, leaves, result,
                 outputs, handed, written, region)


def _check_apart(machine: Any, function: Any, handed: list[Handed], written: list[Handed],
                 before: dict[Home, Value], read: Iterable[Value]) -> None:
    """An array that the function writes to must reach it in one way only."""
    objects = {v.obj for v in read}
    for home, version in before.items():
        others = [leaf for leaf, _ in handed if may_be_one(leaf.home, home)]
        if home.current is not version or (any(leaf.home is home for leaf, _ in written) and (
                len(others) > 1 or any(h.obj in objects for h in reach(home)))):
            raise machine.recorder.fatal(AliasError(
                f"{named(function)} writes to {home.label!r}, which "
                "it also reads under another name",
                why="its derivative could not be told apart for the two names",
                fix="give it a copy (`.copy()`)"))


def _check_containers(machine: Any, function: Any,
                      given: Sequence[tuple[Any, str, dict[Path, Any]]]) -> None:
    """What the function does to containers that it is handed would be done to copies."""
    for tree, place, leaves in given:
        now = dict(paths_below(tree, root(place), whole=True))
        read = [*_only_read(machine, tree, root(place))]  # by an index that a run knows
        kept = {path: leaf for path, leaf in leaves.items()
                if not any(map(path.leads_through, read))}
        if sum(not any(map(path.leads_through, read)) for path in now) != len(kept) or any(
                now.get(path, now) is not leaf for path, leaf in kept.items()):
            raise machine.recorder.fatal(UnsupportedOperation(
                f"{named(function)} changes a container that it is "
                "differentiated with respect to, inside a function that is traced",
                why="it runs on copies of such containers there",
                fix="make a new container instead, or copy it first"))


def _only_read(machine: Any, tree: Any, path: Path) -> Iterator[Path]:
    """The ways to lists that are values of the graph, with the items that they had at first."""
    state = machine.symbolic_lists.raw(tree) if type(tree) is list else None
    if state is None:
        for step, key, part in children(tree) or ():
            yield from _only_read(machine, part, path.child(step, key))
        return
    values = {c.value for c in (state.columns if type(state) is Columns else (state,))}
    made = {v for region in machine.recorder.region.around() for node in region.builder.nodes
            if node.op == "list" for v in node.outputs}
    if values <= made:
        yield path


def owned(machine: Any, value: Value, like: Aval) -> Any:
    """The tracer of a derivative of what is ``like`` this: an array that nobody else holds, or a
    number of Python's where that is one."""
    if value.aval.kind is Kind.ARRAY:
        hint = value.hint
        (value,) = machine.recorder.emit("copy", (value,), (value.aval,))
        value.hint = hint
    made = machine.recorder.wrap(value)
    if like.kind in (Kind.FLOAT, Kind.COMPLEX) and value.aval.kind in (Kind.SCALAR, Kind.NUMBER):
        return machine.call(float if like.kind is Kind.FLOAT else complex, made)
    return made


def named(function: Any) -> str:
    return getattr(function, "__name__", "a function")


def root(name: str) -> Path:
    return Path(("arg", name), (), name)


def opened(machine: Any, arg: Any, above: frozenset[int] = frozenset()) -> Any:
    """A structured value that is given to a transform, or comes back from one, as a tree whose
    leaves are the trace's: what lies in a container or instance from outside is read by its path,
    and what is one of several containers is one, with one of several things at each place."""
    if isinstance(arg, StandIn):
        if arg.cls is not list:
            check_no_table(machine, arg)
        arg = machine.call_method(arg, "copy")
    if type(arg) is list and id(arg) in machine.symbolic_lists:
        arg = list(machine.iterate(arg))
    like = machine.references.seen(arg)
    while type(like) is Choice:
        like = like.first
    parts = None if is_tracer(like) or isinstance(like, Staged) else children(like)
    if parts is None:
        return arg
    if id(like) in above:
        raise machine.recorder.fatal(endless(like))
    above |= {id(like)}
    return assemble(type(like), tuple(k for _, k, _ in parts),
                    [opened(machine, _part(machine, arg, step, key), above)
                     for step, key, _ in parts])


def _part(machine: Any, arg: Any, step: str, key: Any) -> Any:
    """A part of a container or instance, as the trace knows it."""
    if step in ("attr", "slot", "fixed"):
        return machine.getattr(arg, str(key))
    if step == "held":
        return machine.presence.own(arg, key)
    if step == "content":  # past a ``__getitem__`` of the class's own
        return machine.native_methods.native_method(arg, "__getitem__", (key,), {})
    return machine.getitem(arg, key)


def varies(leaf: Any) -> bool:
    if isinstance(leaf, ClassedArray):
        leaf = leaf._array_
    if is_tracer(leaf):
        return bool(leaf.aval.is_inexact)
    return isinstance(leaf, (float, complex, np.inexact))


def differentiable(machine: Any, args: Sequence[Any]) -> list[int]:
    """The positions of arguments that can carry a derivative."""
    return [i for i, arg in enumerate(args)
            if any(varies(leaf) for _, leaf in argument_leaves(opened(machine, arg), root("x")))]


def _parameter(machine: Any, leaf: Any, params: list[Value], given: list[Value],
               which: Callable[[Any], bool], handed: list[Handed]) -> Any:
    """A fresh tracer in place of a leaf that becomes a parameter."""
    if not which(leaf):
        return leaf
    if isinstance(leaf, ClassedArray):  # its attributes are constants of the derivative
        return machine.array_classes.anew(
            leaf, _parameter(machine, leaf._array_, params, given, which, handed))
    with during(machine.recorder, region=machine.recorder.region.parent):
        value = machine.recorder.as_value(leaf)
    given.append(value)
    param = value.like(obj=None)
    params.append(param)
    tracer = machine.recorder.wrap(param)
    if type(tracer) is ArrayTracer and type(leaf) is ArrayTracer:
        tracer.home.label = leaf.home.label
        # it lies in memory as the array that it stands for
        made_from = machine.memory.made_from([leaf])
        tracer.home.contiguous, tracer.home.made_from = made_from == (), made_from or ()
        tracer.home.outside = True  # it has names around the function
        handed.append((leaf, tracer))
    return tracer


def _paths_of_result(obj: Any, path: Path, above: frozenset[int] = frozenset()) -> Leaves:
    """The leaves of a result with their paths; arrays of classes of the user's are instances."""
    parts = None if is_tracer(obj) else _fields(obj) or children(obj)
    if parts is None:
        return paths_below(obj, path)
    if id(obj) in above:
        raise endless(obj)
    return [leaf for step, key, part in parts
            for leaf in _paths_of_result(part, path.child(step, key), above | {id(obj)})]


def _traced(tree: Any) -> list[Any]:
    """The traced leaves of a tree."""
    return [leaf for _, leaf in _paths_of_result(tree, root("result")) if is_tracer(leaf)]


def _fields(obj: Any) -> list[tuple[str, Any, Any]] | None:
    """The array and the attributes of an instance of a class that derives from ndarray."""
    if not isinstance(obj, ClassedArray):
        return None
    return [("slot", n, getattr(obj, n)) for n in record_fields(obj) or ()]


def _replaced(value: Any, path: Path, inner: dict[Path, Any]) -> Any:
    if path in inner:
        return inner[path]
    parts = None if is_tracer(value) else _fields(value) or children(value)
    if parts is None:
        return inner[path]
    built = [_replaced(part, path.child(step, key), inner) for step, key, part in parts]
    return assemble(type(value), tuple(k for _, k, _ in parts), built)


def inline(machine: Any, graph: Graph, arguments: Sequence[Value],
           again: bool = False) -> list[Value]:
    """Append the nodes of a graph to the present region; returns the values of its outputs.
    ``again``: the graph may be appended more than once, its values are made anew."""
    machine.recursion.callees.update(graph.callees)
    substitution = dict(zip(graph.inputs, arguments, strict=True))
    body = rebuild(graph.block.but(params=()), substitution, fresh=again)
    if again:
        _renumber(machine, body.nodes, {})
    for node in body.nodes:
        machine.recorder.node_count += 1
        machine.recorder.region.builder.nodes.append(node)
    return list(body.outputs)


def _renumber(machine: Any, nodes: Sequence[Node], known: dict[int, int]) -> None:
    """Give the objects that nodes make numbers of their own."""
    for node in nodes:
        for block in node.blocks:
            for value in block.params:
                _renumber_value(machine, value, known)
            _renumber(machine, block.nodes, known)
        for value in node.outputs:
            _renumber_value(machine, value, known)


def _renumber_value(machine: Any, value: Value, known: dict[int, int]) -> None:
    if value.obj is not None:
        if value.obj not in known:
            known[value.obj] = machine.recorder.new_obj()
        value.obj = known[value.obj]
