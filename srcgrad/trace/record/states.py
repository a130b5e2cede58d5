"""What stands for the content of lists, dicts and attributes where only a run knows it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.infer import infer
from ...graph.ir import Value
from ...rules.broadcast import array_of_rows
from ...types.dataclasses import dataclass
from ...types.dims import Atom, Dim, Poly, add, maximum, multiply, proves_nonnegative
from ...types.kinds import SCALARS, Aval, Kind
from ...types.structure import mapped
from .tracers import Tracer


class Rows:
    """Which lists a list of lists holds where: the same as long as only they change."""

    __slots__ = ()


class SymbolicList:
    """The content of a Python list whose length is only known at run time.

    It is the *state* of the list's content cell: the list object keeps its identity, its
    content is the graph value ``value`` of kind LIST."""

    __slots__ = ("obj", "rows", "value")

    def __init__(self, value: Value, obj: int, rows: Rows | None = None) -> None:
        self.value = value
        self.obj = obj
        self.rows = Rows() if rows is None else rows


@dataclass(slots=True, eq=False)
class Owned:
    """Where a list lies in another one.  ``key`` is None where its place is not followed.  ``rows``
    are those of the owner when it was read, ``version`` the value."""

    owner: Any
    inner: Any
    key: Any
    rows: Rows | None = None
    version: Value | None = None
    region: Any = None
    given: bool = False  # was it put there, and has a name of its own?
    seen: Any = None  # the version of the whole that the content was read from, region, content
    form: Any = None  # of its items, if it holds the numbers of objects in a store


class Columns:
    """The content of a list of tuples or records whose length is only known at run time: the
    form of its items, and a list for each part of them that is a value (see
    :mod:`srcgrad.trace.heap.forms`)."""

    __slots__ = ("columns", "form")

    def __init__(self, form: Any, columns: tuple[SymbolicList, ...]) -> None:
        self.form = form
        self.columns = columns


class Maybe:
    """What an attribute or key holds that only some paths bind: ``content``, where ``bound`` (a
    bool, or the value of one) is true; where it is not, ``content`` is what an object
    ``inherits`` under the name, if that is said."""

    __slots__ = ("bound", "content", "inherits")

    def __init__(self, bound: Any, content: Any, inherits: bool = False) -> None:
        self.bound = bound
        self.content = content
        self.inherits = inherits


class Partial:
    """The content of a dict or set some of whose keys only some paths have: for each key what it
    holds (a :class:`Maybe` where it may be missing; True for the items of a set).  ``ordered``:
    do the keys come in this order on every path?"""

    __slots__ = ("entries", "ordered", "type")

    def __init__(self, type_: type, entries: tuple[tuple[Any, Any], ...], ordered: bool) -> None:
        self.type = type_
        self.entries = entries
        self.ordered = ordered

    @property
    def keyed(self) -> Partial:
        """Itself: what is asked of the content of any dict or set that is not at hand."""
        return self


class HiddenItems(Tracer):
    """What a Python list (or dict, or set) holds while its content is a graph value (or its keys
    depend on data): code that looks into it without asking the machine is refused."""

    __slots__ = ("keyed",)

    def __init__(self, machine: Any, keyed: bool = False) -> None:
        self.machine = machine
        self.keyed = keyed

    @property
    def aval(self) -> Aval:
        raise self._unknown()

    @property
    def value(self) -> Value:
        raise self._unknown()

    def _unknown(self) -> BaseException:
        if self.keyed:
            found: BaseException = self.machine.recorder.of_forms(UnsupportedOperation(
                "a dict or set whose keys depend on data is used where its keys are needed now",
                why="which keys exist is only known when the generated code runs",
                fix="ask for single keys: `k in d`, `d.get(k, default)`, or loop over the items"))
            return found
        refusal: BaseException = self.machine.recorder.of_forms(UnsupportedOperation(
            "a list whose length depends on data is used where its items are needed now",
            why="the generated code is made before the length is known",
            fix="loop over the list with a for statement, or make an array of it first"))
        return refusal

    def _refuse(self, what: str) -> NoReturn:
        raise self._unknown()

    __hash__ = object.__hash__


class ListTable(dict[int, Any]):
    """The lists of unknown length by their ids; ``hidden`` is what they hold meanwhile."""

    def __init__(self, machine: Any) -> None:
        super().__init__()
        self.machine = machine
        self.hidden = HiddenItems(machine)
        self.hidden_keys = HiddenItems(machine, keyed=True)

    def raw(self, obj: Any) -> Any:
        """The state of a list as it is noted; for a row of a list of lists it may be out of
        date."""
        return dict.get(self, id(obj))

    def __getitem__(self, number: int) -> Any:
        if number in self.machine.list_rows.list_owners:
            return self.machine.list_rows.part_state(number)
        return super().__getitem__(number)

    def get(self, number: int, default: Any = None) -> Any:
        return super().get(number, default) if number not in self.machine.list_rows.list_owners or (
            number not in self) else self.machine.list_rows.part_state(number)


SIZED = frozenset({"if", "list", "append", "insert", "pop", "put", "list_acc"})


class ListSizes:
    """The sizes of the versions of lists."""

    def __init__(self, fresh: Callable[[str], Any], fills: Callable[[Dim], bool]) -> None:
        self.fresh = fresh
        self.fills = fills  # is a size at least 1 in all calls?
        self.known: dict[Value, Dim] = {}
        # arrays that are others where some lists have no items: what they are then, whose sizes
        self.without_items: dict[Value, tuple[Aval, tuple[Dim, ...]]] = {}

    def of(self, lst: Value) -> Dim:
        """The number of items of a list: the same whenever it is asked."""
        if lst not in self.known:
            self.known[lst] = self.fresh("k")
        return self.known[lst]

    def has(self, lst: Value, index: Value) -> bool:
        """Has a list surely an item with a number, counted from its beginning?"""
        place = index.aval.expr
        return place is not None and proves_nonnegative(place) and proves_nonnegative(
            add(self.of(lst), multiply(-1, add(place, 1))))

    def avals_in(self, structure: Any, sizes: dict[Atom, Dim]) -> Any:
        """The facts about the values of a structure; those about a list with its size.  Without
        items it makes an array of another rank: that it has some is told by ``max(1, size)``,
        ``sizes`` says what that stands for."""
        def known(value: Value) -> Aval:
            aval = value.aval
            if aval.kind is not Kind.LIST:
                return aval
            size = self.of(value)
            if aval.elem is not None and aval.elem.kind in (Kind.ARRAY, Kind.LIST) and isinstance(
                    filled := maximum(1, size), Poly) and filled != size and self.fills(size):
                sizes[filled.atoms()[0]] = size
                size = filled
            return aval.but(expr=size)

        return mapped(structure, Value, known)

    def note_without_items(self, fn: Callable[..., Any], given: tuple[Any, Any],
                           out: Value) -> None:
        """Note what an array is that is made of a list (or of such an array) without items: of
        rows it has one axis, of counts it holds floats."""
        sizes: list[Dim] = []

        def empty(value: Value) -> Aval:
            found = value.aval
            if value in self.without_items:
                found, more = self.without_items[value]
                sizes.extend(more)
            elif found.kind is Kind.LIST and found.elem is not None and not (
                    found.elem.kind in SCALARS and found.elem.dtype == np.float64):
                sizes.append(self.of(value))
                found = found.but(expr=0)
            elif fn is array_of_rows and found.shape:
                sizes.append(found.shape[0])
                found = found.but(shape=(0, *found.shape[1:]))
            return found

        avals = mapped(given, Value, empty)
        if not sizes:
            return
        with contextlib.suppress(Exception):  # which the run raises then
            aval = infer(fn, *avals).avals[0]
            if (aval.ndim, aval.dtype) != (out.aval.ndim, out.aval.dtype):
                self.without_items[out] = aval, tuple(dict.fromkeys(sizes))

    def other_without_items(self, value: Value | None,
                            told: Callable[[Dim], bool]) -> Aval | None:
        """What an array is if some lists have no items, where that may be; ``told``: does a
        condition say that a size is at least 1?"""
        aval, sizes = (None, ()) if value is None else self.without_items.get(value, (None, ()))
        return None if all(told(size) or self.fills(size) for size in sizes) else aval

    def note(self, op: str, inputs: Sequence[Value], blocks: Sequence[Any],
                  outputs: Sequence[Value]) -> None:
        """Note the sizes of the lists that a node gives."""
        if op == "if":
            for number, out in enumerate(outputs):
                ends = [block.outputs[number] for block in blocks]
                self.pass_on(out, *ends)
                if out.aval.kind is Kind.LIST and all(e in self.known for e in ends):
                    sizes = {self.known[e] for e in ends}
                    if len(sizes) == 1:
                        self.known[out] = sizes.pop()
        elif op == "list":
            self.known[outputs[0]] = len(inputs)
        elif op in ("put", "list_acc") or (op == "append" and len(inputs) > 2):  # within a row
            self.known[outputs[0]] = self.of(inputs[0])
        elif op in ("append", "insert", "pop"):
            change = -1 if op == "pop" else 1
            self.known[outputs[0]] = add(self.of(inputs[0]), change)

    def pass_on(self, out: Value, *ends: Value) -> None:
        """Note what an array is without items that may be one of others."""
        for end in ends:
            if end in self.without_items and out.aval.kind is Kind.ARRAY:
                self.without_items[out] = self.without_items[end]

    def note_loop(self, entry: Value, param: Value, end: Value, out: Value,
                        count: Dim | None) -> None:
        """Note the size of a list after a loop of ``count`` iterations (None: not known) whose
        body finds ``param`` and leaves ``end``."""
        if out.aval.kind is not Kind.LIST:
            return
        change = add(self.of(end), multiply(-1, self.of(param)))
        if change == 0:
            self.known[out] = self.of(entry)
        elif isinstance(change, int) and count is not None:
            self.known[out] = add(self.of(entry), multiply(change, count))
