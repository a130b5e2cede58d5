"""The recording half of the tracer: regions, nodes, origins, handles and their contents."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import AliasError, SrcgradError, UnsupportedOperation, Where
from ...graph.generic import leaves_of
from ...graph.infer import infer
from ...graph.ir import Index, Origin, Step, Steps, Through, Value, abstract
from ...graph.outcome import MISSING, Outcome
from ...stage.origins import origin
from ...types.dims import Atom, Dim, Poly, evaluate, is_varying, symbols
from ...types.kinds import BOOL, OPAQUE, Aval, Kind, aval_of
from ...types.spelling import Method
from ...types.structure import PLAIN, mapped
from ..assumptions import ALL, Assumption, FollowedArrays, StoredObjects, ViewsTold, Withdrawn
from ..boundary.process_state import ErrorSettings
from ..calls.refused import classed_operand, of_objects, too_long
from ..collaborator import Args, Collaborator, Kwargs
from ..exceptions.attempts import UNTOLD, Reached, Stop, refused
from ..flow.control import Refusal, Restart
from ..flow.repeats import Repeat
from ..heap.run_time import check_no_table
from .homes import is_stored, may_be, reach
from .journal import Lost, Stored, Version
from .marks import Mark
from .overlaps import refused_overlap
from .raising import is_move
from .regions import Dead, Region, array_tracers, in_library, plain_numbers, shift_step
from .scopes import during
from .states import SIZED, ListSizes, SymbolicList
from .tracers import (
    ArrayTracer,
    Choice,
    ClassedArray,
    Home,
    OpaqueTracer,
    ScalarTracer,
    StandIn,
    Tracer,
    contains_tracer,
)

MAX_NODES = 1_000_000  # of one compilation: two gigabytes, minutes


class Recorder(Collaborator):
    """Appends nodes to the innermost region and wraps their results in tracers."""

    speaks_to = ("branches", "call_nodes", "choices", "containers", "elements", "items",
                 "listed_arrays", "memory", "references", "selections", "sources", "truths")

    def __init__(self) -> None:
        self.root = Region(None)
        self.region = self.root
        self.objects = 0
        self.statement = 0
        self.last_place: tuple[Any, ...] | None = None
        self.augmented = False
        self.supporting = False  # do the nodes stand in for what a path does not have?
        self.callers: list[Where] = []  # call sites of the functions that are being inlined
        self.node_count = 0
        self.list_sizes = ListSizes(self.fresh, self.fills)
        self.trying: list[Any] = []  # the regions whose exceptions a try statement meets now
        self.error_settings = ErrorSettings()  # of NumPy, as the program has them now
        self.process_is_set = False  # has the program set anything else of the process?
        self.checked: dict[Value, dict[str, Any]] = {}  # what was computed under one
        self.stop_at: Stop | None = None  # see :mod:`srcgrad.trace.exceptions.attempts`
        self.echoes: list[Repeat] = []  # statements that are being traced again
        self.gone: set[Value] = set()  # values of attempts that were given up
        self.homes_made: dict[Value, Home] = {}  # in the body of a try statement

    # ---- places ------------------------------------------------------------------------
    def mark(self) -> Mark:
        """Where the recording is."""
        return Mark(self)

    def where(self) -> Where | None:
        """The user's expression that is being executed."""
        return origin()

    def node_origin(self) -> Origin:
        found = origin()
        if found is None:
            return Origin(statement=self.statement)
        place = (found.filename, found.first or found.line, len(self.callers), self.region)
        if place != self.last_place:
            self.last_place = place
            self.statement += 1
        return Origin(found, tuple(self.callers), self.statement, self.augmented,
                      "support" if self.supporting else "forward")

    def fatal(self, error: SrcgradError, *remedies: Assumption) -> Refusal:
        """The error with the user's place, as an exception that no ``except Exception`` of the
        user's can swallow.  Use: ``raise machine.fatal(...)``."""
        where = self.where()
        if where is not None:
            error.at(where, self.users_call(where))
        return Refusal(error, (*remedies, *self.truths.not_reached()))

    def of_forms(self, error: SrcgradError, *remedies: Assumption) -> Refusal:
        """The refusal of what the forms of values do not allow: that of a list whose length
        depends on data, of a number that is one of several.  Other forms may help."""
        return self.fatal(error, *remedies, *self.assumed.undoing())

    def unjoined(self, found: Any) -> Refusal:
        """The refusal of what is read that has no common form on all paths."""
        return self.of_forms(found.error, *found.remedies)

    def users_call(self, where: Where) -> Where | None:
        """The innermost call in the user's own files, where ``where`` lies in a library."""
        if not in_library(where.filename):
            return None
        return next((c for c in reversed(self.callers) if not in_library(c.filename)), None)

    # ---- nodes -------------------------------------------------------------------------
    def emit(self, op: str, inputs: tuple[Value, ...], avals: tuple[Aval, ...],
             blocks: tuple[Any, ...] = (), **params: Any) -> tuple[Value, ...]:
        """Append a node to the innermost region; its outputs."""
        region = self.region
        self.node_count += 1
        if self.node_count + self.assumed.recorded > MAX_NODES:
            raise self.fatal(too_long(MAX_NODES))
        if self.stop_at is not None and (
                met := self.stop_at.meets(region, op, params)) is not None:
            raise Reached(inputs, params, region.builder.nodes, met)
        if self.echoes and self.echoes[-1].region is region:
            found = self.recorded_before(op, inputs, avals, params)
            if found is not None:
                return found
        region.builder.origin = self.node_origin()
        outputs = region.builder.add(op, inputs, avals, blocks, **params).outputs
        if op in SIZED:
            self.list_sizes.note(op, inputs, blocks, outputs)
        if op == "apply" and len(outputs) == 1 and outputs[0].aval.kind is not Kind.FLOAT and (
                outputs[0].aval.dtype is not None and outputs[0].aval.dtype.kind in "fc") and (
                self.error_settings.raising and not is_move(params)):
            self.checked[outputs[0]] = dict(vars(self.error_settings))
        return outputs

    def recorded_before(self, op: str, inputs: tuple[Value, ...], avals: tuple[Aval, ...],
                        params: dict[str, Any]) -> tuple[Value, ...] | None:
        """The outputs of the node that statements which are traced again have recorded before:
        inner ones, or else those that they stand in."""
        try:
            for echo in reversed(self.echoes):
                node = echo.find(op, inputs, avals, params) if echo.region is self.region else None
                if node is not None:
                    return node.outputs
        except LookupError:
            raise refused(self.machine, UNTOLD) from None
        return None

    def new_obj(self, value: Value | None = None) -> int:
        """The number of a new object; a ``value`` that was recorded before keeps its own."""
        found = None if value is None else next(
            (e.values[value] for e in reversed(self.echoes) if value in e.values), None)
        if found is not None:
            return found
        self.objects += 1
        return self.objects

    def const(self, value: Any) -> Value:
        """A constant as a graph value; what stands for another thing, or holds such, is none."""
        if self.references.stores and contains_tracer(value):  # in a list of a stored object
            raise Restart(Withdrawn(StoredObjects()))
        return self.emit("const", (), (aval_of(value),), value=value)[0]

    # ---- tracers -----------------------------------------------------------------------
    def wrap(self, value: Value, label: str = "array") -> Any:
        """The tracer of a new value: arrays get a home of their own; ints whose number is
        known are just ints."""
        aval = value.aval
        if aval.kind in (Kind.ARRAY, Kind.ANY):
            if value.obj is None:
                value.obj = self.new_obj(value)
            home = self.repeated_home(value)
            if home is None:
                home = Home(value, value.obj, value.hint or label, self.region)
                self.journal.born(home)
                if self.trying:
                    self.homes_made.setdefault(value, home)
            return ArrayTracer(self.machine, aval, home, (), (), value.obj, value, self.region)
        if aval.kind is Kind.INT and isinstance(aval.expr, int) and not aval.optional:
            return aval.expr
        if aval.kind is Kind.NONE:
            return None
        if aval.kind in (Kind.OPAQUE, Kind.LIST):
            return OpaqueTracer(self.machine, value, self.selections.classes.get(value))
        return ScalarTracer(self.machine, value)

    def as_it_is(self, array: ArrayTracer) -> ArrayTracer:
        """An array with the content that one has now, whatever happens to that."""
        value = self.as_value(array)
        home = Home(value, self.new_obj(value), array.home.label, self.region)
        self.journal.born(home)
        return ArrayTracer(self.machine, value.aval, home, (), (), home.obj, value, self.region)

    def repeated_home(self, value: Value) -> Home | None:
        """The home of an array that statements which are traced again have made before."""
        if not any(value in echo.values for echo in self.echoes):
            return None
        home = self.echoes[-1].homes.get(value)
        if home is not None:
            self.journal.write(Version(home), value)
            home.lies = None
            for cell, state in ((Lost(home), None), (Stored(home), False)):
                if cell.get() != state:
                    self.journal.write(cell, state)
        return home

    def view(self, base: ArrayTracer, steps: Steps, dyn: tuple[Value, ...], value: Value,
             aval: Aval) -> ArrayTracer:
        """A handle for a view of ``base``: the same home, more steps (whose references count
        from the first of ``dyn``)."""
        moved = tuple(shift_step(s, len(base.dyn)) for s in steps)
        value.obj = self.new_obj(value)
        return ArrayTracer(self.machine, aval, base.home, base.steps + moved, base.dyn + dyn,
                           value.obj, value, self.region)

    def content(self, tracer: ArrayTracer, sizes_only: bool = False) -> Value:
        """The value of an array object now; its sizes are known whatever has been written to it."""
        home = tracer.home
        home.reads += 1
        if not sizes_only:
            self.check_readable(tracer)
        if not tracer.steps:
            return home.current
        version, value, region = tracer.seen
        if version is home.current and region.active and value not in self.gone:
            return value  # type: ignore[no-any-return]
        aval = tracer.aval
        steps = tuple(shift_step(s, 1) for s in tracer.steps)
        if tracer.first is None or self.call_nodes.is_carried(home) or home.place is not None:
            # what has no name no statement of the program reads
            with during(self, supporting=self.supporting or tracer.first is None):
                (value,) = self.emit("read", (home.current, *tracer.dyn), (aval,), steps=steps)
        else:
            (value,) = self.emit("read", (home.current, *tracer.dyn, tracer.first), (aval,),
                                 steps=steps, handle=True)
            value.hint = tracer.first.hint
        value.obj = tracer.obj
        tracer.seen = (home.current, value, self.region)
        return value

    def check_readable(self, tracer: ArrayTracer) -> None:
        """Refuse a read whose content depends on an unknown alias."""
        home = tracer.home
        if home.lost is not None:
            raise self.unknown_alias(AliasError(
                f"the content of {home.label!r} is not known here",
                why=home.lost,
                fix="make a copy (`.copy()`) before the two names can refer to one array"), home)
        for other, version in home.aliases:
            if other.current is not version:
                raise self.unknown_alias(AliasError(
                    f"{home.label!r} may or may not be the same array as {other.label!r}, "
                    "which has been written to since",
                    why="which of the two it is depends on data, so the value cannot be "
                        "followed to where it was made",
                    fix="make a copy (`.copy()`) where one name is bound to the other"),
                    home, other)

    def value_of(self, obj: Any) -> Any:
        """A tracer's value now; anything else unchanged."""
        if not issubclass(type(obj), Tracer):
            return obj
        if type(obj) is ArrayTracer:
            return self.choices.content(obj)
        return obj.value

    def as_value(self, obj: Any) -> Value:
        """A graph value for a tracer or a static number."""
        found = self.value_of(obj)
        return found if isinstance(found, Value) else self.const(found)

    def values_in(self, structure: Any) -> Any:
        """A structure with every tracer replaced by its value (lists, tuples, dicts, slices)."""
        if issubclass(type(structure), Tracer):
            return self.value_of(structure)
        if type(structure) in PLAIN:
            return structure
        if isinstance(structure, ClassedArray):
            raise self.fatal(classed_operand(structure.cls))
        if type(structure) is Choice:
            raise self.of_forms(UnsupportedOperation(
                "one of several unlike things is part of a list or tuple that a library function "
                "takes", why="which of them it is depends on data",
                fix="tell them apart with an if statement before the call"))
        if isinstance(structure, StandIn) and structure.cls is list:
            structure = self.machine.call_method(structure, "copy")
        check_no_table(self.machine, structure)
        structure = self.containers.resolved(structure)
        if type(structure) is list:
            symbolic = self.symbolic_lists.get(id(structure))
            if symbolic is not None:
                return self.rows_value(symbolic)
            return [self.values_in(s) for s in structure]
        if type(structure) is deque:  # what is made of its items is the same as with a list
            return [self.values_in(s) for s in structure]
        if isinstance(structure, tuple):
            items = [self.values_in(s) for s in structure]
            return type(structure)(*items) if hasattr(type(structure), "_fields") else tuple(items)
        if type(structure) is dict:
            return {k: self.values_in(v) for k, v in structure.items()}
        if type(structure) is slice:
            return slice(self.values_in(structure.start), self.values_in(structure.stop),
                         self.values_in(structure.step))
        return self.sources.as_it_is(structure)

    def computed(self, fn: Any, aval: Aval, /, *args: Any, **kwargs: Any) -> Any:
        """What a pure function gives, of a type that is known without inference."""
        inputs: list[Value] = []
        template = tuple(abstract(self.value_of(a), inputs) for a in args)
        keywords = {k: abstract(self.value_of(v), inputs) for k, v in kwargs.items()}
        return self.wrap(self.emit("apply", tuple(inputs), (aval,), fn=fn, args=template,
                                   kwargs=keywords, many=False)[0])

    def rows_value(self, state: Any) -> Value:
        """The graph value of a list of unknown length; tuples are put together from their
        columns."""
        if type(state) is not SymbolicList:
            state = self.listed_arrays.plain(state)
        if type(state) is SymbolicList:
            return state.value
        columns = tuple(c.value for c in state.columns)
        if not state.form.is_row:
            raise self.of_forms(UnsupportedOperation(
                "a list of records whose length depends on data is used as a whole",
                why="it is kept part by part, and only lists of flat tuples can be put together",
                fix="loop over the list, or keep tuples of numbers in it"))
        rows: Value = self.computed(list, OPAQUE, self.computed(zip, OPAQUE, *columns)).value
        return rows

    # ---- writes ------------------------------------------------------------------------
    def check_writable(self, home: Home) -> None:
        """Refuse a write through a handle whose home is not known for sure."""
        if home.lost is not None:
            raise self.unknown_alias(AliasError(
                f"{home.label!r} cannot be written to here", why=home.lost,
                fix="make a copy (`.copy()`) before the two names can refer to one array"), home)
        if any(one.protected for one in reach(home)):
            raise self.fatal(AliasError(
                f"{home.label!r} is written to after setflags(write=False)",
                why="NumPy forbids it, if it is the same array there",
                fix="write to a copy (`.copy()`)"))
        if is_stored(home):
            if self.assumed.open(FollowedArrays()):
                raise Restart(FollowedArrays())
            for one in reach(home):
                if one.lies is not None:
                    self.elements.follow(one.label)
            self.items.unroll_list_makers("a list that it fills holds an array that is written to")
            raise self.of_forms(AliasError(
                f"{home.label!r} is written to after it was put into a list whose length "
                "depends on data",
                why="the list holds the same array, so its element would change as well",
                fix="put a copy into the list (`.append(x.copy())`)"))

    def spread_write(self, home: Home) -> None:
        """A write to a home that may be another one on some path: the others are unknown from
        now on."""
        for maker in (home, *(h for h, _ in home.aliases)):
            if maker.layout_of is not None:
                self.memory.tell_views(maker)
        for other, _ in home.aliases:
            if other.lost is None:
                other.leave_open(*home.loops)
                self.journal.write(Lost(other), (
                    f"{home.label!r}, which may or may not be the same array depending on "
                    "data, was written to"))

    def write_version(self, tracer: ArrayTracer, op: str, steps: Steps, value: Value,
                      dyn: tuple[Value, ...], **params: Any) -> None:
        """A write through ``tracer`` at further ``steps`` (counted from the first of ``dyn``):
        the home gets a new version."""
        home = tracer.home
        self.check_writable(home)
        self._check_numbers(home.current.aval, value)
        before = tuple(shift_step(s, 2) for s in tracer.steps)
        after = tuple(shift_step(s, 2 + len(tracer.dyn)) for s in steps)
        inputs = (home.current, value, *tracer.dyn, *dyn)
        refused = refused_overlap(home.current.aval, before + after, inputs, self.sources.numbers)
        if refused is not None:
            raise self.fatal(refused)
        (version,) = self.emit(op, inputs, (home.current.aval,), steps=before + after, **params)
        version.obj = home.obj
        version.hint = home.current.hint
        self.list_sizes.pass_on(version, home.current)
        self.journal.write(Version(home), version)
        for one in reach(home):
            one.written = True
        self.spread_write(home)
        if tracer.steps and not after:
            # the handle's own content is what was just written; it is read again on demand
            tracer.seen = (home.current, tracer.seen[1], Dead)

    def _check_numbers(self, made: Aval, *put: Value) -> None:
        """Numbers in an array of objects would be out of sight."""
        if made.is_array and made.dtype == object and any(v.aval.is_inexact for v in put):
            raise self.fatal(of_objects())

    # ---- application -------------------------------------------------------------------
    def apply(self, fn: Callable[..., Any], args: Args, kwargs: Kwargs) -> Any:
        """Apply a NumPy-like function: a node, and tracers for its results."""
        arg_values = plain_numbers(tuple([self.values_in(a) for a in args]))
        kw_values = plain_numbers({k: self.values_in(v) for k, v in kwargs.items()})
        inputs: list[Value] = []
        template = abstract(arg_values, inputs)
        keywords = abstract(kw_values, inputs)
        sizes: dict[Atom, Dim] = {}
        avals = [self.list_sizes.avals_in(values, sizes) for values in (arg_values, kw_values)]
        try:
            outcome = infer(fn, *avals).where(sizes)
        except Exception as error:
            try:
                outcome = self._of_equal_sizes(fn, avals, error).where(sizes)
            except SrcgradError as refusal:
                raise self.fatal(refusal) from None
        if outcome.static is not MISSING:
            return outcome.static
        if outcome.has_placeholders:
            outcome = outcome.instantiate(self.fresh)
        for relation, dim in outcome.guards:
            self.sources.guard_size(relation, dim)
        for aval in outcome.avals:
            self._check_numbers(aval, *inputs)
        found: dict[str, Any] = {"fresh": True} if {*outcome.views} == {"fresh"} else {}
        outputs = self.emit("apply", tuple(inputs), outcome.avals, fn=fn, args=template,
                            kwargs=keywords, many=outcome.many, **found)
        if outcome.avals[0].kind is Kind.ARRAY:
            self.list_sizes.note_without_items(fn, (arg_values, kw_values), outputs[0])
        results = [self._result(fn, args, kwargs, outcome, i, v) for i, v in enumerate(outputs)]
        if not outcome.many and outcome.views[0] == "fresh":
            self._note_layout(outcome, results[0], (args, kwargs))
        if not outcome.many:
            return results[0]
        cls = outcome.container
        return cls(*results) if cls is not None and hasattr(cls, "_fields") else (
            list(results) if cls is list else tuple(results))

    def _of_equal_sizes(self, fn: Callable[..., Any], avals: list[Any],
                        error: Exception) -> Outcome:
        """What a function gives that takes no operands of these sizes: with sizes that are one
        number in this call taken as one (guarded), and one that only the run knows as another,
        as it is where the function does not raise."""
        numbers = self.sources.numbers.keys()
        sizes = list(dict.fromkeys(d for part in avals for aval in leaves_of(part)
                                   for d in aval.shape or ()))
        known = [d for d in sizes if not is_varying(d) and numbers >= {*symbols(d)}]
        first = {d: next(k for k in known if self.sources.equal_sizes(k, d)) for d in known}
        symbol = {d: d if isinstance(d, int) else self.fresh("k", low=0)
                  for d in dict.fromkeys(first.get(d, d) for d in sizes)}
        alike = {d: symbol[first.get(d, d)] for d in sizes}
        meant = {s.atoms()[0]: d for d, s in symbol.items() if not isinstance(s, int)}
        unknown = [{v: alike[other]} for v in sizes if v not in first
                   for other in sizes if other != v]
        for more in ({}, *unknown):
            taken = {**alike, **more}
            with contextlib.suppress(Exception):
                found = infer(fn, *(mapped(
                    part, Aval, lambda a: a if a.shape is None else a.but(
                        shape=tuple(taken[d] for d in a.shape)))  # noqa: B023
                    for part in avals)).where(meant)
                for size in (s for d in known if first[d] != d for s in (d, first[d])):
                    if isinstance(size, Poly) and any(a.args for a in size.atoms()):
                        self.sources.bake(size)  # an equation that is not solved
                return found
        raise error

    def fills(self, size: Dim) -> bool:
        """Is a size that is fixed during a call at least 1?  (Guarded.)"""
        if is_varying(size) or evaluate(size, self.sources.numbers) < 1:
            return False
        self.sources.guard_size("ge0", size - 1)
        return True

    def _result(self, fn: Callable[..., Any], args: Args, kwargs: Kwargs, outcome: Outcome,
                index: int, value: Value) -> Any:
        """The tracer of one result: a new object, or a view of an argument."""
        relation = outcome.views[index]
        try:
            found = outcome.step(fn, args, kwargs, index) if relation != "fresh" else None
        except SrcgradError as error:
            raise self.fatal(error) from None
        if found is None or type(found[0]) is not ArrayTracer:
            return self.wrap(value)
        base, step = found
        if relation == "same":
            return base
        if relation in ("maybe", "layout"):
            found = self.maybe_view(base, step, value, relation == "maybe")
            if fn is np.ascontiguousarray and not found.steps:  # in C order, whatever it is
                found.home.contiguous = True
            return found
        steps, dyn = self._step_of(step)
        return self.view(base, steps, dyn, value, value.aval)

    def _step_of(self, step: Step) -> tuple[Steps, tuple[Value, ...]]:
        """A view step whose tracers are turned into references."""
        dyn: list[Value] = []
        if isinstance(step, Index):
            return (Index(abstract(self.values_in(step.key), dyn), step.basic),), tuple(dyn)
        args = abstract(self.values_in(tuple(step.args)), dyn)
        kwargs = abstract(self.values_in(dict(step.kwargs)), dyn)
        return (Through(step.fn, args, tuple(kwargs.items())),), tuple(dyn)

    def maybe_view(self, base: ArrayTracer, step: Step, value: Value,
                   of_c_order: bool = True) -> Any:
        """A result that is a view or a copy depending on the memory layout; ``of_c_order``: a
        view if the base lies in C order."""
        if of_c_order and self.memory.lies_in_c_order(base):
            steps, dyn = self._step_of(step)
            return self.view(base, steps, dyn, value, value.aval)
        if value.aval.kind is Kind.ARRAY and ViewsTold(by_run=True) in self.assumed:
            return self.view_or_copy(base, step, value)
        result = self.wrap(value)
        if type(result) is ArrayTracer:
            self.undecided = True
            may_be(result.home, base.home)
            result.home.layout_of = base.home if of_c_order else None
        return result

    undecided: bool = False  # is there an array that is a view or a copy, depending on layouts?

    def view_or_copy(self, base: ArrayTracer, step: Step, value: Value) -> Any:
        """A result that is a view or a copy, as the run finds it."""
        shares = self.computed(np.may_share_memory, BOOL, value, base).value
        steps, dyn = self._step_of(step)
        return self.branches.choose(shares, lambda: self.view(base, steps, dyn, value, value.aval),
                           lambda: self.apply(Method("copy"), (self.wrap(value),), {"order": "K"}))

    def unknown_alias(self, error: SrcgradError, *homes: Home) -> Refusal:
        """The refusal of what depends on which arrays are one: where memory layouts decide that,
        tracing starts again with branches on them, where it is what a loop has done, with numbers
        that tell them apart; without names that are followed there may be fewer."""
        return self.of_forms(error, *(ViewsTold(by_run=True),) * self.undecided, *(
            FollowedArrays(site) for home in homes for site in home.loops), *(
            FollowedArrays(name=name) for name in (*(home.label for home in homes), ALL)))

    def _note_layout(self, outcome: Outcome, result: Any, inputs: Any) -> None:
        """New arrays lie in C order if they were made so, or if all arrays they were made of do
        (for arrays from outside that is a guarded fact once it matters)."""
        order = outcome.orders[0] if outcome.orders and outcome.views[0] == "fresh" else None
        if type(result) is not ArrayTracer or order is None:
            return
        made_from = () if order == "C" else self.memory.made_from(array_tracers(inputs))
        result.home.contiguous, result.home.made_from = made_from == (), made_from or ()
