"""What stands for the content of lists, dicts and attributes where only a run knows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import UnsupportedOperation
from ..graph.ir import Value
from ..kinds import Aval
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
class Part:
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


class Columns:
    """The content of a list of tuples or records whose length is only known at run time: the
    form of its items, and a list for each part of them that is a value (see
    :mod:`srcgrad.trace.columns`)."""

    __slots__ = ("columns", "form")

    def __init__(self, form: Any, columns: tuple[SymbolicList, ...]) -> None:
        self.form = form
        self.columns = columns


class Maybe:
    """What an attribute or key holds that only some paths bind: ``content``, where ``bound`` (a
    bool, or the value of one) is true."""

    __slots__ = ("bound", "content")

    def __init__(self, bound: Any, content: Any) -> None:
        self.bound = bound
        self.content = content


class Partial:
    """The content of a dict or set some of whose keys only some paths have: for each key what it
    holds (a :class:`Maybe` where it may be missing; True for the items of a set).  ``ordered``:
    do the keys come in this order on every path?"""

    __slots__ = ("entries", "ordered", "type")

    def __init__(self, type_: type, entries: tuple[tuple[Any, Any], ...], ordered: bool) -> None:
        self.type = type_
        self.entries = entries
        self.ordered = ordered


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
