"""The values that arms and loop bodies yield, and the objects that are made of joined ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import AliasError
from ...graph.ir import Builder, Value
from ...graph.symbolic import materialise
from ...stage.machine import UNBOUND
from ...types.dims import Atom, Dim, Poly, may_raise, of_atom, symbols
from ...types.kinds import Aval, Kind
from ..collaborator import Args, Collaborator, Kwargs
from ..record.homes import inherit_stored, is_active, reach
from ..record.journal import Snapshot, Stored
from ..record.scopes import during
from ..record.states import SymbolicList
from ..record.tracers import ArrayTracer, Home, Late, Poison
from .control import Refusal
from .shapes import SPARE, Leaf

if TYPE_CHECKING:
    from ..record.recorder import Recorder

ZEROS = {Kind.BOOL: False, Kind.INT: 0, Kind.FLOAT: 0.0, Kind.COMPLEX: 0j}


class JoinedValues(Collaborator):
    """From the parts of a state to graph values, and back."""

    speaks_to = ("access", "among", "containers", "elements", "list_rows", "merges", "opening",
                 "recorder", "sources")

    def __init__(self) -> None:
        self.stored_now: list[Home] = []

    def placeholder(self, aval: Aval, like: Any) -> Value:
        """What stands in the other arm for a value of one arm; nothing uses it there."""
        if aval.kind in ZEROS:
            number = self._number_at_hand(aval.expr)
            return self.recorder.as_value(ZEROS[aval.kind] if number is None else number)
        if aval.kind is Kind.SCALAR and aval.dtype is not None:
            return self.recorder.const(aval.dtype.type(0))
        if aval.kind is Kind.LIST:
            return self.recorder.emit("list", (), (aval,))[0]
        if aval.kind is not Kind.ARRAY:
            return self.recorder.emit("undef", (), (aval,))[0]
        sizes = [self._size_at_hand(size) for size in aval.shape or ()]
        if any(size is None for size in sizes) and type(like) is ArrayTracer and (
                like.aval.shape == aval.shape):
            try:
                return self.recorder.as_value(self.spare_like(like, aval))
            except Refusal as refusal:
                if not isinstance(refusal.error, AliasError):
                    raise
        shape = tuple(0 if size is None else size for size in sizes)
        return self.recorder.as_value(self.recorder.apply(np.zeros, (shape, aval.dtype), {}))

    def spare_like(self, like: ArrayTracer, aval: Aval) -> Any:
        """Zeros in the form of an array, which need not be bound on this path."""
        given = {} if aval.dtype == like.aval.dtype else {"dtype": aval.dtype}
        with during(self.recorder, supporting=True):
            return self.recorder.apply(np.zeros_like, (like,), given)

    def placeheld(self, aval: Aval, like: Any) -> Aval:
        """The type of a value of one arm beside what stands for it in the other arm: numbers and
        sizes of arrays that are not known there are left open."""
        if aval.kind is Kind.INT and self._number_at_hand(aval.expr) is None:
            return aval.but(expr=None)
        if (type(like) is ArrayTracer and like.aval.shape == aval.shape) or aval.shape is None:
            return aval
        return aval.but(shape=tuple(
            self.fresh("k") if self._size_at_hand(size) is None else size for size in aval.shape))

    def _size_at_hand(self, size: Any) -> Any:
        """A size as a number, or as that of an array from outside; None for others."""
        if isinstance(size, int):
            return size
        return next((self.access.size_of(tracer, axis) for _, tracer,
                     _ in self.sources.outside_arrays
                     for axis, other in enumerate(tracer.aval.shape or ()) if other == size), None)

    def _number_at_hand(self, number: Dim | None) -> Any:
        """A number that follows from arguments, sizes of such, and indices of the loops around;
        None for others, and for what may divide by zero."""
        if not isinstance(number, Poly):
            return number
        values: dict[Atom, Value] = {}
        for symbol in symbols(number):
            found = None if may_raise(number) else self._symbol_at_hand(symbol)
            if found is None:
                return None
            values[symbol] = self.recorder.as_value(found)
        made = materialise(_Recorded(self.recorder), number, values)
        return self.recorder.wrap(made) if isinstance(made, Value) else made

    def _symbol_at_hand(self, symbol: Atom) -> Any:
        dim = of_atom(symbol)
        values = [value for value, _ in self.sources.inputs]
        for region in self.recorder.region.around():
            values += region.builder.params
        found = next((v for v in values if v.aval.kind is Kind.INT and v.aval.expr == dim), None)
        return self._size_at_hand(dim) if found is None else self.recorder.wrap(found)

    def phi(self, predicate: Value, first: Callable[[], Value], second: Callable[[], Value],
            aval: Aval) -> Value:
        """The value of the first thunk where the predicate holds, else of the second."""
        blocks = []
        for thunk in (first, second):
            held: list[Value] = []
            arm = self.merges.trace_arm(functools.partial(_hold, held, thunk))
            blocks.append(arm.region.builder.block((held[0],)))
        return self.recorder.emit("if", (predicate,), (aval,), tuple(blocks))[0]

    def leaf_value(self, part: Any, aval: Aval) -> Value:
        """The graph value of a part of a state at the end of an arm or loop body."""
        if part is UNBOUND or type(part) is Poison:
            return self.recorder.emit("undef", (), (aval,))[0]
        if isinstance(part, Value):
            return part
        if part is SPARE:
            return self.placeholder(aval, None)
        if type(part) is Late:
            part = self.among.computed(part)
            part = self.symbolic_lists.get(id(part), part)
        if type(part) is SymbolicList:
            return part.value
        if type(part) is Snapshot or type(part) is list:
            return self.list_value(part)
        return self.recorder.as_value(part)

    def list_value(self, state: Any) -> Value:
        """A list of known length as a graph value."""
        items = state.items if type(state) is Snapshot else tuple(
            self.containers.outside_items(state))
        joining = self.merges.join()
        elem: Aval | None = None
        values = []
        for item in items:
            if type(item) is list:
                self.journal.seal(item)
                part = self.list_rows.list_owners.get(id(item))
                if not self.opening.giving and (part is None
                                                or not (part.key is None or part.given)):
                    self.list_rows.share_rows()
                value = (self.symbolic_lists[id(item)].value if id(item) in self.symbolic_lists
                         else self.list_value(item))
            else:
                self.note_stored(item)
                value = self.recorder.as_value(self.among.computed(item))
            values.append(value)
            aval = value.aval if not isinstance(value.aval.expr, int) else value.aval.but(expr=None)
            elem = aval if elem is None else joining.join_avals(elem, aval)
        (value,) = self.recorder.emit("list", tuple(values), (Aval(Kind.LIST, None, (), None, elem),
                                      ))
        value.obj = self.recorder.new_obj(value)
        return value

    def note_stored(self, item: Any) -> None:
        """An array lies in a list of unknown length: writing to it later would change the
        element too, which values cannot follow."""
        if type(item) is list:
            for inner in item:
                self.note_stored(inner)
        if type(item) is ArrayTracer:
            self.note_stored_home(item.home)

    def note_stored_home(self, home: Home) -> None:
        for one in reach(home):
            self.elements.note_stored(one)
            self.stored_now.append(one)
            if not one.stored:
                self.journal.write(Stored(one), True)

    def drained(self) -> list[Home]:
        """Homes that were put into lists while an arm or body was closed, and are not yet
        known to be."""
        found = [h for h in self.stored_now if is_active(h) and not h.stored]
        self.stored_now = []
        return found

    def object_of(self, leaf: Leaf, value: Value, parts: list[Any]) -> Any:
        """The tracer (or version, or list content) for the joined value of a leaf."""
        if leaf.version_of is not None:
            value.obj = leaf.version_of.obj
            value.hint = leaf.version_of.current.hint
            return value
        if value.aval.kind is Kind.LIST:
            value.obj = self.recorder.new_obj(value)
            return SymbolicList(value, value.obj, leaf.rows)
        result = self.recorder.wrap(value, leaf.label or "array")
        if type(result) is ArrayTracer:
            inherit_stored(result.home, parts)
            for part in parts:
                if type(part) is ArrayTracer:
                    result.home.aliases.extend(
                        (h, h.current) for h in reach(part.home)
                        if is_active(h) and h.choice is None)
        return result


class _Recorded(Builder):
    """Appends to the region that is being recorded."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def apply(self, fn: Callable[..., Any], args: Args, kwargs: Kwargs, aval: Aval) -> Value:
        return self._recorder.as_value(self._recorder.computed(fn, aval, *args))


def _hold(held: list[Value], thunk: Callable[[], Value]) -> None:
    held.append(thunk())
