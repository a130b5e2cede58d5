"""Functions that call themselves: traced once, a graph of their own, called by name.

A function that is called again under a branch or loop that depends on data cannot be inlined:
nothing ends the inlining.  When that is met (:meth:`Recursion.recurs`), tracing starts again
and the function becomes a :class:`Callee`: its body is traced on parameters, in rounds, until
the forms of its arguments cover those of the recursive calls and the form of its result is
stable.  The result starts from *bottom*: while it is unknown, an arm that calls the function
does not come back (:class:`~srcgrad.trace.flow.control.Bottom`), so that the first form is that of
the paths that end the recursion.

What the body reads from around it (captured arrays, variables of enclosing functions) are free
values of its block; :mod:`srcgrad.graph.lift` makes them parameters.  A function that fails to
become a graph is inlined as others are; if that does not come to an end either, the reason is
told.
"""

from __future__ import annotations

import types
from typing import Any

from ...errors import SrcgradError, StructureError, UnsupportedOperation
from ...graph.ir import Block, Graph, Node
from ...graph.lift import called, distinct, lift, same_graph
from ...graph.unbound import with_none
from ...stage.function import Staged
from ...stage.machine import Frame
from ...types.dataclasses import dataclass
from ...types.identifiers import name_or
from ..assumptions import CalledFunction, FollowedArrays, Withdrawn
from ..collaborator import Args, Collaborator, Kwargs
from ..flow.control import Again, Bottom, Refusal, Restart, Unroll
from ..flow.shapes import Leaf, build, failures, leaf_shapes, leaves
from ..flow.widening import widen
from ..record.homes import is_active, reach
from ..record.journal import Cell, Content, Field, Lost, Slot, Stored, Version
from ..record.regions import Region
from ..record.scopes import during, on_top
from ..record.states import Columns, SymbolicList
from ..record.structures import contains_choice
from ..record.tracers import ArrayTracer, Home, is_tracer
from .call_nodes import Callee, label_of_cell, rebuilt, swapped
from .forms import Handed, Outer, argument_form, escapes, fits, result_form

MAX_ROUNDS = 24
MOST_INLINED = 32  # calls of a function within one call of it
MOST_FORMS = 3  # of a function whose arguments have no common form, an array at first, then lists


@dataclass(slots=True)
class Activation:
    """A call that is being inlined: what tells whether a call further in repeats it.  ``taker``:
    the loop that takes the items, if it is a generator that is run with that loop's body;
    ``inlined``: how many calls that repeat it were inlined within it."""

    function: types.FunctionType
    taker: Any
    region: Region
    state: tuple[Any, ...]
    inlined: int = 0


class Recursion(Collaborator):
    """Functions that become graphs, and the calls of them."""

    speaks_to = ("branches", "call_nodes", "calls", "choices", "found_functions", "joined_values",
                 "lists", "merges", "pushes", "recorder", "references", "rounds", "schedules")

    def __init__(self) -> None:
        self.callees: dict[str, Graph] = {}
        self.pending: list[Callee] = []
        self.activations: list[Activation] = []
        self.deriving: list[tuple[Any, Any]] = []  # calls whose own derivative is being traced
        self.checkpoints: list[tuple[types.CodeType | None, tuple[str, ...]] | None] = []
        self.reserved: set[str] = set()
        self.bottoms = 0

    # ---- when ------------------------------------------------------------------------------
    def run_frame(self, function: types.FunctionType, staged: Staged, frame: Frame) -> Any:
        """Run the body of a function: in place of the call, or as a call of its graph."""
        code = function.__code__
        if staged.is_generator or self.assumed.inlines(code):
            return self.calls.run_frame(staged, frame)
        state = tuple(frame.slots[name] for name in staged.parameters)
        code_of, kept = (self.checkpoints[-1] if self.checkpoints else None) or (None, ())
        if code_of is code:
            with on_top(self.checkpoints, None):
                return self.called_staged(function, staged, frame, state, True, kept)
        if CalledFunction(code) in self.assumed:
            return self.called_staged(function, staged, frame, state)
        if self.recurs(function, staged, state):
            raise Restart(CalledFunction(code))
        with on_top(self.activations, Activation(function, self.pushes.taker(staged),
                self.recorder.region.control, state)):
            return self.calls.run_frame(staged, frame)

    def is_repeated(self, call: Activation | Callee, function: types.FunctionType,
                    staged: Staged) -> bool:
        """Does a call of a function do what ``call`` does?"""
        return is_same(call.function, function) and call.taker is self.pushes.taker(staged)

    def checkpointed(self, function: Any, args: Args, kwargs: Kwargs,
                     kept: tuple[str, ...] = ()) -> Any:
        """A call whose adjoint runs the function again instead of keeping what it computed, but
        for what has the names ``kept`` there."""
        if isinstance(function, types.MethodType):
            return self.checkpointed(function.__func__, (function.__self__, *args), kwargs, kept)
        with on_top(self.checkpoints, (getattr(function, "__code__", None), kept)):
            return self.machine.call(function, *args, **kwargs)

    def within_budget(self, function: Any, args: Args, kwargs: Kwargs, states: int) -> Any:
        """A call whose loops keep so many states at a time."""
        with on_top(self.schedules.budgets, states):
            return self.machine.call(function, *args, **kwargs)

    def named(self, value: Any, label: str) -> Any:
        """``value``, which has a name in the function that is being traced."""
        callee = self.call_nodes.tracing[-1] if self.call_nodes.tracing else None
        if callee is None or label not in callee.kept or not is_tracer(value):
            return value
        if self.recorder.region is not callee.region:
            raise self.recorder.fatal(StructureError(
                f"the checkpoint of {callee.function.__qualname__!r} keeps {label!r}, which is "
                "named in a branch or a loop", where=f"name(..., {label!r})",
                why="a call keeps one value of each name",
                fix="name what the branch or loop gives"))
        callee.named[label] = value, self.recorder.value_of(value)
        return value

    def _with_named(self, callee: Callee, value: Any) -> Any:
        """The result of a function with what has the names that are kept."""
        for label in callee.kept:
            found, then = callee.named.get(label, (None, None))
            if then is None or self.recorder.value_of(found) is not then:
                raise self.recorder.fatal(StructureError(
                    f"the checkpoint of {callee.function.__qualname__!r} keeps {label!r}, which "
                    + ("it names nothing" if then is None else "is written to after it is named"),
                    where="policy of checkpoint", why="a call keeps what has the name",
                    fix=f"name an array or a number: h = name(h, {label!r})"))
        return (value, *(callee.named[label][0] for label in callee.kept))

    def recurs(self, function: types.FunctionType, staged: Staged,
               state: tuple[Any, ...]) -> bool:
        """Is a call of this function being inlined, and was a branch or loop entered since then,
        so that whether it calls itself again depends on data?  Or were too many inlined?"""
        many = False
        for active in reversed(self.activations):
            if self.is_repeated(active, function, staged):
                active.inlined += 1
                many = active.inlined > MOST_INLINED
        for active in reversed(self.activations):
            if self.is_repeated(active, function, staged):
                if active.region is self.recorder.region.control and not many:
                    return False
                form = argument_form(self.merges.join(), active.state)
                return fits(self.merges.join(), form, active.state, state) is not None
        return False

    # ---- calls -----------------------------------------------------------------------------
    def called_staged(self, function: types.FunctionType, staged: Staged, frame: Frame,
                state: tuple[Any, ...], remade: bool = False, kept: tuple[str, ...] = ()) -> Any:
        running = [c for c in self.call_nodes.tracing if self.is_repeated(c, function, staged)]
        for callee in running:
            self._find_changes(callee)
            whole = self.call_nodes.whole(callee, state)
            wider = fits(self.merges.join(), callee.arguments, callee.head, whole)
            if wider is not None:
                return self._again(callee, whole, wider)
        if len(running) == MOST_FORMS:
            raise self.recorder.of_forms(UnsupportedOperation(
                f"{function.__qualname__!r} calls itself with arguments of another form",
                why="which call it is depends on data, and the arguments have no common type",
                fix="pass arguments of the same kinds and structure in every call"))
        try:
            callee = self._traced(function, staged, frame, state, remade, kept)
        except Refusal as refusal:
            if isinstance(refusal.error, StructureError):
                raise
            raise self._not_called(function, refusal.error) from None
        except Unroll as need:
            raise self._not_called(function, UnsupportedOperation(
                f"{function.__qualname__!r} calls itself, and needs the number of an argument",
                why=need.reason, fix="index one array instead of unlike things")) from None
        return self.call_nodes.node(callee, self.call_nodes.whole(callee, state))

    def _not_called(self, function: types.FunctionType, error: SrcgradError) -> Restart:
        """Start again with the function inlined; ``error`` is told if that does not end.  Or with
        lists that hold their arrays, which may be what does not fit."""
        contents = Withdrawn(FollowedArrays())
        if contents in self.assumed.risks and contents not in self.assumed:
            return Restart(contents)
        return Restart(Withdrawn(CalledFunction(function.__code__), error))

    def _again(self, callee: Callee, state: tuple[Any, ...], wider: Any) -> Any:
        """A call of a function that is being traced, with arguments of the form ``wider``."""
        if wider is not callee.arguments:
            callee.arguments = wider
            raise Again(callee)
        if callee.result is None:
            self.bottoms += 1
            raise Bottom
        return self.call_nodes.node(callee, state)

    # ---- tracing ---------------------------------------------------------------------------
    def _traced(self, function: types.FunctionType, staged: Staged, frame: Frame,
                state: tuple[Any, ...], remade: bool, kept: tuple[str, ...]) -> Callee:
        """Trace a function to a fixed form of its arguments and its result."""
        callee = Callee(self._name(function), function, self.pushes.taker(staged),
                        argument_form(self.merges.join(), state), remade=remade, kept=kept)
        started = len(self.pending)
        for _ in range(MAX_ROUNDS):
            del self.pending[started:]
            if callee.grown:
                whole = self.call_nodes.whole(callee, state)
                callee.arguments = argument_form(self.merges.join(), whole)
                callee.grown = False
            if self._round_of(callee, staged, frame):
                break
            self.rounds.count += 1
        else:
            raise self.recorder.fatal(UnsupportedOperation(
                f"the types of the arguments and the result of {function.__qualname__!r}, which "
                "calls itself, do not settle",
                why="each call changes their type or structure again",
                fix="pass and return the same kinds in every call"))
        self._finished(callee, started)
        return callee

    def _round_of(self, callee: Callee, staged: Staged, frame: Frame) -> bool:
        """Trace the body once; True if the forms it was traced with cover what it does."""
        callee.inside = dict(self.fresh.counts())
        mark = self.recorder.mark()
        body = Region(mark.region)
        self.journal.push()
        callee.layer = body.layer = len(self.journal.layers)
        callee.region, callee.named = body, {}
        self.recorder.region = body
        try:
            with during(self.recorder, callers=[]), during(self.branches, open_tests=[]), during(
                    self, activations=[]), on_top(self.call_nodes.tracing, callee), on_top(
                    self.branches.call_sites, (callee.function.__code__, None)):
                return self._body(callee, staged, frame, body)
        except Again as again:
            if again.callee is not callee:
                raise
            return False
        except Bottom:
            if any(c.result is None for c in self.call_nodes.tracing):
                raise
            raise self.recorder.fatal(UnsupportedOperation(
                f"every path of {callee.function.__qualname__!r} calls it again",
                why="the recursion does not come to an end",
                fix="return without a recursive call on some path")) from None
        finally:
            mark.leave()
            body.active = False

    def _body(self, callee: Callee, staged: Staged, frame: Frame, body: Region) -> bool:
        made = []
        shapes = leaf_shapes(callee.arguments.shape)
        hints = callee.arguments.hints(callee.names(staged.parameters))
        for number, (leaf, hint) in enumerate(zip(shapes, hints, strict=True)):
            param = body.builder.param(leaf.aval, hint)
            head = self.joined_values.object_of(Leaf(leaf.aval, label=hint), param, [])
            if number in callee.written:
                head = self.machine.call_method(head, "copy")
                head.home.label = head.first.hint = hint
            made.append(head)
        callee.params = tuple(body.builder.params)
        heads = list(made)
        # not `built`: what the body does to containers that it was handed must be noticed
        callee.head = build(callee.arguments.shape, made, {})
        self._older_lists(callee)
        self._enter_cells(callee, callee.head[len(staged.parameters):])
        inner = Frame(staged, frame.parent, None if frame.parent is not None else callee.function)
        inner.slots = dict(zip(staged.parameters, callee.head, strict=False))
        self.journal.born(inner)
        value = self.calls.run_frame(staged, inner)
        self._find_changes(callee, heads)
        if callee.kept:
            value = self._with_named(callee, value)
        own = {h.obj: callee.handed.setdefault(i, Handed(i))
               for i, h in enumerate(heads) if i in callee.written and not callee.new_results}
        value = swapped(self.references.as_link(value), lambda v: self._returned(callee, v, own))
        value = (value, *(self.choices.content(heads[i]) for i in callee.written),
                 *(cell.get() for cell in callee.cells))
        before = callee.result
        if before is None:
            shape = result_form(self.merges.join(), value)
            wide = True
        else:
            shape, wide = widen(self.merges.join(), before, callee.returned, value)
        failed = any(failures(shape))
        if callee.handed and not callee.new_results and failed:
            callee.new_results, callee.result = True, None
            raise Again(callee)
        unlike = contains_choice(value) or failed
        if unlike and not callee.open_lists:
            callee.open_lists, callee.result = True, None
            raise Again(callee)
        if unlike or escapes(shape):
            raise self.recorder.of_forms(UnsupportedOperation(
                f"the results of {callee.function.__qualname__!r}, which calls itself, have no "
                "common type", why="its paths return unlike things",
                fix="return the same kinds and structure on every path"))
        callee.result, callee.returned = shape, value
        callee.effects = body.effects
        outputs = tuple(self.joined_values.leaf_value(part, leaf.aval) for leaf, part in zip(
            leaf_shapes(shape), leaves(shape, value), strict=True))
        wide = self._note_aliases(callee, heads, body) or wide
        if not wide:
            block = Block(callee.params, tuple(body.builder.nodes), outputs)
            callee.block = with_none(block, outputs)  # a function returns something
        return not wide

    def _returned(self, callee: Callee, value: Any, own: dict[int, Handed]) -> Any:
        """A part of a result: arguments that were written to and containers that are older than
        the call are themselves."""
        if type(value) is ArrayTracer:
            return own.get(value.obj, value)
        if type(value) is list and id(value) in callee.lists:
            callee.shares = True
            return self._own_list(value)
        if type(value) is list and callee.open_lists and id(value) not in self.symbolic_lists and (
                self.journal.births.get(id(value), 0) >= callee.layer):
            return self.lists.made_unknown(self._own_list(value))
        if isinstance(value, (list, dict)) and id(value) not in self.found_functions.paths and (
                0 < self.journal.births.get(id(value), 0) < callee.layer):
            return callee.older.setdefault(id(value), Outer(value))
        return value

    def _older_lists(self, callee: Callee) -> None:
        """Lists among the arguments are older than the body: what it does to them is noticed."""
        callee.lists = {id(c): c for c in rebuilt(callee.arguments.shape, callee.head)
                        if type(c) is list and id(c) in self.symbolic_lists}
        for key in callee.lists:
            self.journal.births[key] = callee.layer - 1
            self.journal.layers[-1].born.pop(key, None)

    def _own_list(self, value: list[Any]) -> list[Any]:
        """A list with the same items, made here."""
        found: list[Any] = self.machine.call(list, value)
        return found

    def return_(self, frame: Frame, value: Any) -> Any:
        """A list that was handed in is returned as a copy: callers have lists of their own.  (It
        may not change any more, for then it would matter which list it is.)"""
        tracing = self.call_nodes.tracing
        if tracing and type(value) is list and id(value) in tracing[-1].lists:
            tracing[-1].shares = True
            value = self._own_list(value)
        return self.next.return_(frame, value)

    def _note_aliases(self, callee: Callee, heads: list[Any], body: Region) -> bool:
        """Find out which arrays that the callers have the results may be, and which of them lie
        in lists now; True if that is new."""
        numbers = {id(h.home): i for i, h in enumerate(heads) if type(h) is ArrayTracer}

        def older(homes: list[Home]) -> set[int | Home]:
            return {numbers.get(id(h), h) for h in homes
                    if id(h) in numbers or (h.region is not body and is_active(h))}

        assert callee.result is not None
        parts = leaves(callee.result, callee.returned)
        reached = [reach(p.home) if type(p) is ArrayTracer else [] for p in parts]
        before = callee.aliases, callee.stored, callee.listed
        callee.aliases = [older(homes) for homes in reached]
        callee.stored = older([
            *(h.home for h in heads if type(h) is ArrayTracer and h.home.stored),
            *(c.owner for c in self.journal.changed(callee.layer) if isinstance(c, Stored))])
        callee.listed = {i for i, homes in enumerate(reached) if any(h.stored for h in homes)}
        return before != (callee.aliases, callee.stored, callee.listed)

    def _enter_cells(self, callee: Callee, heads: tuple[Any, ...]) -> None:
        """Put what was handed in into the places outside that the body changes: copies of
        arrays and lists, since it changes them in place."""
        for cell, head in zip(callee.cells, heads, strict=True):
            if isinstance(cell, Version):
                label = cell.owner.label
                version = self.machine.call_method(head, "copy").home.current
                version.obj, version.hint = cell.owner.obj, label if label.isidentifier() else None
                head = version
            elif type(head) in (SymbolicList, Columns):
                head = self._own_content(head)
            self.journal.write(cell, head)

    def _own_content(self, state: Any) -> Any:
        """A copy of what a list holds."""
        if type(state) is Columns:
            return Columns(state.form, tuple(map(self._own_content, state.columns)))
        (copied,) = self.recorder.emit("copy", (state.value,), (state.value.aval,))
        copied.obj, copied.hint = self.recorder.new_obj(), state.value.hint
        return SymbolicList(copied, copied.obj)

    def _find_changes(self, callee: Callee, heads: list[Any] | None = None) -> None:
        """What the body has changed outside of itself, at its end or where it calls itself,
        becomes arguments and results of the calls."""
        known = {cell.key for cell in callee.cells}
        written = []
        if heads is not None:
            written = [i for i, h in enumerate(heads) if type(h) is ArrayTracer and (
                h.home.current is not h.first) and i not in callee.written]
        cells = []
        for cell in self.journal.changed(callee.layer):
            if cell.key in known or isinstance(cell, (Lost, Stored)) or (
                    self.schedules.is_left(cell)):
                continue
            if not self._may_carry(callee, cell):
                raise self.recorder.fatal(UnsupportedOperation(
                    f"{callee.function.__qualname__!r} calls itself and changes "
                    f"{label_of_cell(cell)!r}, which lives outside of the call",
                    why="how often it is changed depends on data",
                    fix="make a copy, change that and return it"))
            cells.append(cell)
        if cells or written:
            callee.cells += cells
            callee.written = sorted((*callee.written, *written))
            callee.result, callee.grown = None, callee.grown or bool(cells)
            raise Again(callee)

    def _may_carry(self, callee: Callee, cell: Cell) -> bool:
        """Can the state of a changed place be an argument and a result of the calls?"""
        if isinstance(cell, (Content, Field)):
            if any(c is cell.owner for c in rebuilt(callee.arguments.shape, callee.head)):
                return False
            return id(cell.owner) not in self.found_functions.paths
        return isinstance(cell, (Slot, Version))

    # ---- graphs ----------------------------------------------------------------------------
    def nodes_of_callee(self, name: str) -> tuple[Node, ...]:
        """What a function that calls itself does, as far as it is traced."""
        if name in self.callees:
            return self.callees[name].block.nodes
        return tuple(n for c in (*self.pending, *self.call_nodes.tracing)
                     if c.name == name and c.block is not None for n in c.block.nodes)

    def _name(self, function: types.FunctionType) -> str:
        name = name_or(function.__name__, "function")
        name = f"{name}_recursive" if name in self.reserved else name
        running = (*self.pending, *self.call_nodes.tracing)
        return distinct(name, {*self.callees, *(c.name for c in running)})

    def _finished(self, callee: Callee, started: int) -> None:
        """Give a callee its graph, and those that waited for it; it waits itself if it calls
        a function that is still being traced."""
        group = [*self.pending[started:], callee]
        open_names = {c.name for c in self.call_nodes.tracing}
        self.pending[started:] = group
        if any(name in open_names for c in group if c.block is not None
               for name in called(c.block)):
            return
        del self.pending[started:]
        graphs, free = lift({c.name: c.block for c in group if c.block is not None})
        for c in group:
            if c.remade and not c.effects:  # effects happen once
                graphs[c.name] = graphs[c.name].but(remade=True, given=c.given())
        known = self._known(graphs[callee.name]) if len(graphs) == 1 else None
        if known is not None:
            callee.name = known
        else:
            self.callees.update(graphs)
        for c in group:
            c.free = free.get(c.name, next(iter(free.values())))

    def _known(self, graph: Graph) -> str | None:
        """The name of an equal graph from an earlier call."""
        return next((name for name, other in self.callees.items()
                     if (other.remade, other.given) == (graph.remade, graph.given)
                     and same_graph(graph, other)), None)


def is_same(one: types.FunctionType, other: types.FunctionType) -> bool:
    """Are two functions one, or equal: the same code, and closures over the same objects?"""
    return one is other or (
        one.__code__ is other.__code__ and contents(one) == contents(other))


def contents(function: types.FunctionType) -> list[int | None]:
    """The identities of what a function's closure holds (None: a name that is not bound)."""
    return [id(cell.cell_contents) if cell != types.CellType() else None
            for cell in function.__closure__ or ()]
