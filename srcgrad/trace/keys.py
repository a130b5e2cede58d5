"""Keys of Python containers: known while compiling, demanded, or told apart by branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dims import is_varying, symbols
from ..errors import UnsupportedOperation
from ..kinds import NUMERIC, Kind
from .control import Restart
from .loops import Loops
from .merges import Box, BoxCell
from .recorder import Region
from .settling import UNKNOWN, alternatives, settled
from .tables import Marks, Table
from .tracers import ArrayTracer, Maybe, is_tracer

FEW = 16  # more items than this are not told apart by branches
SHORT = 8  # iterations of a loop that is unrolled where its index is a key
REASON = "an index into a Python container"


@dataclass(frozen=True, slots=True)
class Noted:
    """A key that a dict has, and its place, as from one node of a region."""

    owner: Any
    keys: tuple[Any, ...]
    key: Any
    place: Any
    region: Region
    count: int
    node: Any

    def still_holds(self) -> bool:
        """Was nothing undone since then?"""
        nodes = self.region.builder.nodes
        return len(nodes) >= self.count and (self.count == 0 or nodes[self.count - 1] is self.node)


def _keys_of(obj: Any) -> tuple[Any, ...]:
    return tuple(obj) if isinstance(obj, dict) else ()


def _is_same(key: Any, other: Any) -> bool:
    """Are keys equal, whatever their tracers are?"""
    if isinstance(key, tuple) and isinstance(other, tuple) and len(key) == len(other):
        return all(_is_same(k, o) for k, o in zip(key, other, strict=True))
    return key is other or (type(key) is type(other) and type(key) in (int, str, bool)
                            and key == other)


def _is_number(obj: Any) -> bool:
    if is_tracer(obj):
        return obj.aval.kind in NUMERIC
    return isinstance(obj, (int, float, np.number)) and not isinstance(obj, bool)


def _is_short(atom: Any) -> bool:
    """Does a loop index take few values, whatever the arguments are?"""
    return type(atom.low) is int and type(atom.high) is int and atom.high - atom.low < SHORT


class Keys(Loops):
    """What ``d[key]`` means where ``key`` is traced."""

    def static_key(self, key: Any) -> Any:
        """A key whose traced ints are demanded."""
        if is_tracer(key):
            return self.settled_key(key)
        if isinstance(key, slice):
            return slice(*(self.static_key(p) for p in (key.start, key.stop, key.step)))
        if isinstance(key, tuple) and any(is_tracer(k) for k in key):
            return tuple(self.static_key(k) for k in key)
        return key

    def is_data(self, key: Any) -> bool:
        """Is a traced int neither fixed during the call nor made of loop indices?"""
        if key.aval.kind is not Kind.INT:
            return key.aval.dtype is not None and key.aval.dtype.kind in "iu"
        if key.aval.expr is None:
            return True
        return is_varying(key.aval.expr) and not any(
            s in self.loop_atoms for s in symbols(key.aval.expr))

    def settled_key(self, key: Any) -> Any:
        """The number of a traced int, or the text made of such numbers."""
        found = self._settled_text(key)
        return self.demand(key, REASON) if found is UNKNOWN else found

    def _settled_text(self, key: Any) -> Any:
        if type(key) is ArrayTracer or key.aval.kind is Kind.INT:
            return UNKNOWN
        return settled(self.region, key.value, lambda v: self.demand(self.wrap(v), REASON))

    def open_key(self, key: Any) -> bool:
        """Is a key, or a part of a tuple that is one, known at run time only?"""
        if isinstance(key, tuple):
            return any(self.open_key(k) for k in key)
        if not is_tracer(key) or type(key) is ArrayTracer:
            return False
        if key.aval.kind is Kind.INT or (key.aval.dtype is not None and (
                key.aval.dtype.kind in "iu")):
            return self.is_data(key)
        return key.aval.kind in (Kind.OPAQUE, Kind.BOOL) and (
            self._settled_text(key) is UNKNOWN)

    def alternatives(self, key: Any) -> tuple[Any, ...] | None:
        """All keys that a run-time key may be, if the program text tells."""
        if not is_tracer(key) or type(key) is ArrayTracer:
            return None
        return alternatives(self.region, key.value)

    certain_keys: list[Noted]

    def note_key(self, obj: Any, key: Any, place: Any = True) -> None:
        """A dict has a key from here on, to the end of the region."""
        nodes = self.region.builder.nodes
        self.certain_keys.append(Noted(obj, _keys_of(obj), key, place, self.region, len(nodes),
                                       nodes[-1] if nodes else None))

    def known_place(self, obj: Any, key: Any) -> Any:
        """What was noted of a key; None if it may be a new one."""
        for noted in reversed(self.certain_keys):
            if noted.owner is obj and noted.keys == _keys_of(obj) and _is_same(noted.key, key) and (
                    noted.still_holds() and self._is_inside(noted.region)):
                return noted.place
        return None

    def _is_inside(self, region: Region) -> bool:
        """Is a region the present one or around it?"""
        inner: Region | None = self.region
        while inner is not None and inner is not region:
            inner = inner.parent
        return inner is not None

    # ---- dicts that become tables --------------------------------------------------------
    dict_sites: dict[int, tuple[Any, Any]]  # where staged code made a dict or set, and it

    def made_dict(self, obj: dict[Any, Any]) -> Any:
        """A dict that staged code makes here; a table if its keys are only known at run time."""
        site, known = self._made_here()
        if known:
            table = self.call(Table, getattr(obj, "default_factory", None))
            for key, value in obj.items():
                self.setitem(table, key, value)
            return table
        self.journal.born(obj)
        self.dict_sites[id(obj)] = (site, obj)
        return obj

    def made_set(self, obj: set[Any]) -> Any:
        """A set that staged code makes here; marks if its items are only known at run time."""
        site, known = self._made_here()
        if known:
            marks = self.call(Marks)
            for item in obj:
                self.call_method(marks, "add", item)
            return marks
        self.journal.born(obj)
        self.dict_sites[id(obj)] = (site, obj)
        return obj

    def _made_here(self) -> tuple[Any, bool]:
        """The place of the program, and whether what it makes has keys of run time."""
        origin = self.node_origin()
        site = (origin.where, origin.callers)
        return site, ("table", site) in self.assumed and ("dicts",) not in self.assumed

    def as_marks(self, obj: Any, item: Any) -> None:
        """Start again with a set as marks, if an item is only known at run time."""
        if id(obj) in self.dict_sites and ("dicts",) not in self.assumed and (
                self._of_run_time(item)):
            raise Restart(("assume", ("table", self.dict_sites[id(obj)][0])))

    def as_table(self, obj: Any, key: Any, *stored: Any) -> None:
        """Start again with a dict as a table, if ``key`` is only known at run time and all that
        the dict holds are numbers or arrays."""
        if id(obj) not in self.dict_sites or ("dicts",) in self.assumed:
            return
        factory = getattr(obj, "default_factory", None)
        state = self.symbolic_lists.get(id(obj))
        held = obj.values() if state is None else [
            v.content if type(v) is Maybe else v for _, v in state.entries]
        if (factory in (None, int, float) and (stored or factory or not obj)
                and all(_is_number(x) for x in (*stored, *held))
                and self._of_run_time(key)):
            raise Restart(("assume", ("table", self.dict_sites[id(obj)][0])))

    def _of_run_time(self, key: Any) -> bool:
        """Is a key known at run time only, and not one of a few that the text tells?"""
        return self._counts_on(key) or (self.open_key(key) and self.alternatives(key) is None)

    def _counts_on(self, key: Any) -> bool:
        """Is a key made of the index of a loop that is not short?"""
        return any(
            atom in self.loop_atoms and not _is_short(atom)
            for k in (key if isinstance(key, tuple) else (key,))
            if is_tracer(k) and k.aval.kind is Kind.INT and k.aval.expr is not None
            for atom in symbols(k.aval.expr))

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        raise AttributeError

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError

    def by_key(self, key: Any, keys: Sequence[Any], act: Callable[[Any], Any],
               missing: Callable[[], Any] | None) -> Any:
        """What ``act`` gives for that one of several keys which a run-time key is equal to.

        Emitted as a chain of branches; ``missing`` is what happens where it is none of them, and
        returns how the branch is left.  Without it the key certainly is one of them.
        """
        if len(keys) > FEW:
            raise self.fatal(UnsupportedOperation(
                f"one of {len(keys)} keys of a dict is chosen by data",
                why=f"the keys are told apart by branches, and at most {FEW} are",
                fix="keep the numbers in one array, and index it by an int"))
        slot = Box()
        self.journal.born(slot)

        def put(value: Any) -> None:
            self.journal.write(BoxCell(slot), value)

        def among(i: int) -> Any:
            if i == len(keys) and missing is not None:
                return missing()
            if i == len(keys) - 1 and missing is None:
                return put(act(keys[i]))
            test = self.compare("==", key, keys[i])
            known = self.static_truth(test)
            if known is not None:
                return put(act(keys[i])) if known else among(i + 1)
            return self.branch(self.value_of(self.predicate(test)),
                               lambda: put(act(keys[i])), lambda: among(i + 1), None)

        among(0)
        return self.loaded(slot.content)
