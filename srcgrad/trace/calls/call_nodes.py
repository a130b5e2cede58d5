"""Calls of functions that have a graph: the node, its result, and what it changes outside."""

from __future__ import annotations

import re
import types
from collections.abc import Callable
from typing import Any

from ...errors import AliasError, UnsupportedOperation
from ...graph.ir import Block, Value
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass, field
from ...types.dims import Dim, Poly, substitute, symbols
from ...types.kinds import Aval, Kind
from ..collaborator import Collaborator
from ..flow.control import Refusal
from ..flow.shapes import Leaf, Sequence, Shape, leaf_shapes, leaves
from ..record.homes import may_be, may_be_one, reach
from ..record.journal import Cell, Version
from ..record.regions import Region
from ..record.tracers import ArrayTracer, Home
from .forms import Arguments, Handed, Outer


class CallNodes(Collaborator):
    """``call`` nodes, and what their callers do with what comes back."""

    speaks_to = ("branches", "effects", "joined_values", "merges", "recorder")

    def __init__(self) -> None:
        self.tracing: list[Callee] = []  # the functions that call themselves and are being traced

    def whole(self, callee: Callee, state: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of a call with the state of what the function changes outside."""
        return (*state, *(cell.get() for cell in callee.cells))

    def node(self, callee: Callee, state: tuple[Any, ...]) -> Any:
        """The ``call`` node, and its result.  The node belongs to the statement of the call."""
        inside = self.recorder.callers
        if self.branches.call_sites and self.branches.call_sites[-1][1] is not None:
            self.recorder.callers = inside[:-1]
        try:
            return self._recorded(callee, state)
        finally:
            self.recorder.callers = inside

    def _recorded(self, callee: Callee, state: tuple[Any, ...]) -> Any:
        assert callee.result is not None
        parts = leaves(callee.arguments.shape, state)
        shapes = leaf_shapes(callee.arguments.shape)
        if any(p is UNBOUND for p in parts):
            raise self.recorder.fatal(UnsupportedOperation(
                f"{callee.function.__qualname__!r} calls itself and binds a variable of an "
                "enclosing function", why="it is not bound before the call",
                fix="bind it to a value of the same kind before"))
        self._check_apart(callee, parts)
        inputs = tuple(self.joined_values.leaf_value(p, leaf.aval) for p,
                       leaf in zip(parts, shapes, strict=True))
        meaning = callee.arguments.match([v.aval for v in inputs])
        avals = tuple(self._result_here(callee, leaf, meaning)
                      for leaf in leaf_shapes(callee.result))
        outputs = self.recorder.emit("call", (*inputs, *callee.free), avals, callee=callee.name,
                            effects=callee.effects)
        self.recorder.region.effects += callee.effects
        homes = [p.home if type(p) is ArrayTracer else None for p in parts]
        made = [self.joined_values.object_of(Leaf(leaf.aval, label=leaf.label), value, [])
                for leaf, value in zip(leaf_shapes(callee.result), outputs, strict=True)]
        new = [r.home if type(r) is ArrayTracer else None for r in made]
        value, *changed = self.merges.built(callee.result, made, {})
        if callee.kept:
            value = value[0]
        self._change(callee, parts, changed)

        def here(older: set[int | Home]) -> list[Home]:
            found = (h if isinstance(h, Home) else homes[h] for h in older
                     if isinstance(h, Home) or h < len(homes))
            return sorted((h for h in found if h is not None), key=lambda h: h.obj)

        for number, (home, possible) in enumerate(zip(new, callee.aliases, strict=True)):
            if home is not None:  # from the versions that hold now
                home.stored = number in callee.listed
                for one in here(possible):
                    may_be(home, one)
        for home in here(callee.stored):
            self.joined_values.note_stored_home(home)
        if callee.shares:
            swapped((state, value), self._seal_list)
        return swapped(value, lambda v: parts[v.number] if type(v) is Handed else (
            v.obj if type(v) is Outer else v))

    def _seal_list(self, value: Any) -> None:
        """A list that may be given to a call and returned by it may not change any more."""
        if type(value) is list:
            self.journal.share(value)

    def _change(self, callee: Callee, parts: list[Any], changed: list[Any]) -> None:
        """Do outside what the call did to what it was handed."""
        for number, content in zip(callee.written, changed, strict=False):
            self.effects.store_whole(parts[number], content)
        for cell, state in zip(callee.cells, changed[len(callee.written):], strict=True):
            if isinstance(cell, Version):
                home = cell.owner
                handle = ArrayTracer(self.machine, home.current.aval, home, (), (), home.obj,
                                     home.current, self.recorder.region)
                self.effects.store_whole(handle, state)
            else:
                self.journal.write(cell, state)

    def _check_apart(self, callee: Callee, parts: list[Any]) -> None:
        """An array that the function writes to must reach it in one way only."""
        if callee.effects and any(h.outside for h in (
                *(parts[i].home for i in callee.written),
                *(c.owner for c in callee.cells if isinstance(c, Version)))):
            raise self.recorder.fatal(UnsupportedOperation(
                f"{callee.function.__qualname__!r} calls itself, writes to an argument of the "
                "differentiated function and has effects, or raises",
                why="the array is written when the calls are over", fix="write to a copy"))
        handed = {i: p.home for i, p in enumerate(parts) if type(p) is ArrayTracer}
        carried = [c.owner for c in callee.cells if isinstance(c, Version)]
        free = {v.obj for v in callee.free} - {None}
        for number in callee.written:
            home = handed[number]
            others = [h for i, h in handed.items() if i != number] + carried
            if any(may_be_one(home, h) for h in others) or any(h.obj in free for h in reach(home)):
                raise self._twice(callee, home)
        for home in carried:
            if any(may_be_one(home, h) for h in handed.values()):
                raise self._twice(callee, home)

    def _twice(self, callee: Callee, home: Home) -> Refusal:
        return self.recorder.fatal(AliasError(
            f"{callee.function.__qualname__!r} calls itself and writes to {home.label!r}, which "
            "it also reads under another name",
            why="the writes could not be followed through the calls",
            fix="pass a copy (`.copy()`)"))

    def is_carried(self, home: Home) -> bool:
        """Is an array handed to the function that is being traced?  What holds a view of it holds
        what was there when it was made, or other memory."""
        if not self.tracing:
            return False
        return home.region is None or self.tracing[-1].region not in home.region.around() or any(
            isinstance(cell, Version) and cell.owner is home
            for callee in self.tracing for cell in callee.cells)

    def _result_here(self, callee: Callee, leaf: Leaf, meaning: dict[Any, Dim | None]) -> Aval:
        """The type of a result at one call: sizes in terms of this call's arguments."""
        known: dict[Any, Any] = meaning

        def here(dim: Any, opened: bool) -> Any:
            if not isinstance(dim, Poly):
                return dim
            for atom in symbols(dim):
                if atom not in known and atom.varying and (
                        atom.serial >= callee.inside.get(atom.name, 0)):
                    known[atom] = self.fresh("k", low=atom.low if atom.low == 0 else None)
            if opened or any(known.get(a, 0) is None for a in symbols(dim)):
                return None
            return substitute(dim, {a: known[a] for a in symbols(dim) if a in known})

        aval = leaf.aval
        if aval.kind is Kind.ARRAY and aval.shape is not None:
            shape = [here(d, i in leaf.opened) for i, d in enumerate(aval.shape)]
            return aval.but(shape=tuple(self.fresh("k") if d is None else d for d in shape))
        if aval.kind is Kind.INT and aval.expr is not None:
            expr = here(aval.expr, -1 in leaf.opened)
            return aval.but(expr=self.fresh("i", low=None) if expr is None else expr)
        return aval


@dataclass(slots=True)
class Callee:
    """A function that is, or was, traced as a graph of its own.

    ``result`` is None while nothing is known of it.  ``aliases`` tells for each result leaf the
    arrays that it may be (or be a view of): numbers of argument leaves, homes from around the
    function.  ``stored`` are those that the body may have put into a list of unknown length, and
    ``listed`` the result leaves that may lie in one.

    What the body changes outside of itself goes through the calls: ``cells`` are further
    arguments and results, ``written`` the numbers of the array arguments it writes to.  The body
    works on copies of such arrays, its callers write the results back.
    """

    name: str
    function: types.FunctionType
    taker: Any  # see Activation
    arguments: Arguments
    result: Shape | None = None
    returned: Any = None
    aliases: list[set[int | Home]] = field(default_factory=list)
    stored: set[int | Home] = field(default_factory=set)
    listed: set[int] = field(default_factory=set)
    head: tuple[Any, ...] = ()
    params: tuple[Value, ...] = ()
    block: Block | None = None
    inside: dict[str, int] = field(default_factory=dict)
    effects: int = 0
    free: tuple[Value, ...] = ()
    cells: list[Cell] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    grown: bool = False
    layer: int = 0
    handed: dict[int, Handed] = field(default_factory=dict)
    older: dict[int, Outer] = field(default_factory=dict)
    remade: bool = False  # the adjoint of a call runs it again,
    kept: tuple[str, ...] = ()  # with what the program gives these names, as further results
    region: Region | None = None  # of its body
    named: dict[str, tuple[Any, Value]] = field(default_factory=dict)
    new_results: bool = False  # an argument is returned on some paths only
    open_lists: bool = False  # lists of numbers in results have any length
    lists: dict[int, list[Any]] = field(default_factory=dict)  # lists among the arguments
    shares: bool = False  # it may return a list that it was given

    def given(self) -> tuple[int, ...]:
        """The places of what has a name among the results."""
        if not self.kept:
            return ()
        assert isinstance(self.result, Sequence)
        value = self.result.items[0]
        assert isinstance(value, Sequence)
        first = len(leaf_shapes(value.items[0]))
        return tuple(range(first, first + len(self.kept)))

    def names(self, parameters: tuple[str, ...]) -> list[str]:
        """A name for each argument: that of its parameter, or of what is changed."""
        outside = [re.sub(r"\W+", "_", label_of_cell(c)).strip("_") for c in self.cells]
        return [*parameters, *(name or "outside" for name in outside)]


def label_of_cell(cell: Cell) -> str:
    """The user's name for a place, or what it is."""
    label = getattr(cell, "name", None) or getattr(cell.owner, "label", None)
    return label if isinstance(label, str) else f"a {type(cell.owner).__name__}"


def swapped(value: Any, other: Callable[[Any], Any]) -> Any:
    """A result with parts replaced."""
    if isinstance(value, tuple):
        items = [swapped(v, other) for v in value]
        return type(value)(*items) if hasattr(type(value), "_fields") else tuple(items)
    return other(value)


def rebuilt(shape: Shape, state: Any) -> list[Any]:
    """The containers and instances that were made anew for the body from what was handed in."""
    if not isinstance(shape, Sequence) or state is UNBOUND:
        return []
    return [state, *(c for item, part in zip(shape.items, shape.parts(state), strict=True)
                     for c in rebuilt(item, part))]
