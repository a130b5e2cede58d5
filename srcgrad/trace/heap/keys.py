"""Keys of Python containers: known while compiling, demanded, or only known at run time."""

from __future__ import annotations

import collections
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ...errors import UnsupportedOperation
from ...graph.ir import Value
from ...types.dims import is_varying, proves_nonnegative, symbols
from ...types.kinds import BOOL, INT, OPAQUE, Kind, aval_of
from ...types.spelling import Method
from ..assumptions import RunTimeKeys, Withdrawn
from ..boundary.identity import equal_if_one
from ..collaborator import PASSED, Collaborator
from ..flow.control import Restart
from ..objects.special_methods import python_method
from ..record.journal import Box, BoxCell, Content
from ..record.scopes import during
from ..record.settling import FEW, UNKNOWN, alternatives, settled
from ..record.structures import LONG, LONG_TEXT, leaf_aval
from ..record.tracers import ArrayTracer, Choice, Moved, OpaqueTracer, Site, StandIn, is_tracer
from .key_forms import form_of_key, has_classes_of, has_records, joined, parts_of_key
from .outlines import is_plain
from .rows import Lists, Marks, Row, Sets
from .run_time import factory_of, names_for, new_index, run_list, run_set
from .stores import FEW as FEW_ITEMS
from .stores import FEW_NAMED, Placed, kind_of
from .stores import Content as RecordKind
from .tables import Dicts, Entries, Numbers, Table

SHORT = 8  # iterations of a loop that is unrolled where its index is a key
REASON = "an index into a Python container"
CELLS = {"dict": Dicts, "list": Lists, "set": Sets, "heap": Entries}


def _is_short(atom: Any, size: int) -> bool:
    """Does the index of a loop over so many bytes of code take few values, whatever the arguments
    are?"""
    return type(atom.low) is int and atom.high is not None and proves_nonnegative(
        min(SHORT, LONG_TEXT // size) - 1 - (atom.high - atom.low))


class Keys(Collaborator):
    """What ``d[key]`` means where ``key`` is traced."""

    speaks_to = ("branches", "containers", "escapes", "found_functions", "found_tables",
                 "known_keys", "merges", "opening", "presence", "recorder", "references", "sources",
                 "stored_lists", "tuples", "unions", "variables")

    def __init__(self) -> None:
        # where staged code made a dict or set, and it
        self.dict_sites: dict[int, tuple[Site, Any]] = {}
        self.held_ranks: dict[Site, int | None] = {}  # of what tables made at a place hold
        self.record_kinds: dict[Site, type] = {}
        self.index_sites: dict[Value, Site] = {}
        self.sites: dict[Site, Site] = {}
        self.inner_kinds: dict[Site, tuple[Any, Any]] = {}
        self.known_dicts: dict[Any, Any] = {}  # of known numbers, by what they hold

    def static_key(self, key: Any) -> Any:
        """A key whose traced ints are demanded; one that is equal to itself alone is known."""
        if is_tracer(key):
            found = self._settled_text(key)
            return self.escapes.demand(key, REASON) if found is UNKNOWN else found
        self.tuples.refuse_as_key(key)
        key = self.containers.resolved(key)
        if isinstance(key, slice):
            return slice(*(self.static_key(p) for p in (key.start, key.stop, key.step)))
        if isinstance(key, tuple):
            parts = tuple([self.static_key(k) for k in key])
            return key if all(a is b for a, b in zip(parts, key, strict=True)) else parts
        if id(key) in self.found_functions.paths and python_method(key, "__hash__") is not None:
            self.machine.call(hash, key)  # guards what it reads
        self.references.check_copies(*filter(equal_if_one, (key,)))
        return key

    def is_data(self, key: Any) -> bool:
        """Is a traced int neither fixed during the call nor made of loop indices?"""
        if key.aval.kind is not Kind.INT:
            return key.aval.dtype is not None and key.aval.dtype.kind in "iu"
        if key.aval.expr is None:
            return True
        return is_varying(key.aval.expr) and not any(
            s in self.sources.loop_atoms for s in symbols(key.aval.expr))

    def _settled_text(self, key: Any) -> Any:
        """The text that a key is made of, with the numbers in it demanded."""
        if type(key) is ArrayTracer or key.aval.kind is Kind.INT:
            return UNKNOWN

        def number(value: Value) -> Any:
            made = self.recorder.wrap(value)
            return UNKNOWN if is_tracer(made) and self.is_data(made) else self.escapes.demand(made,
                REASON)

        return settled(self.recorder.region, key.value, number)

    def open_key(self, key: Any) -> bool:
        """Is a key, or a part of a tuple that is one, known at run time only?"""
        parts = parts_of_key(key)
        if parts is not None:
            return any(self.open_key(k) for k in parts)
        if not is_tracer(key) or type(key) is ArrayTracer:
            return False
        if key.aval.kind is Kind.INT or (key.aval.dtype is not None and (
                key.aval.dtype.kind in "iu")):
            return self.is_data(key)
        return key.aval.is_inexact or (key.aval.kind in (Kind.OPAQUE, Kind.BOOL) and (
            self._settled_text(key) is UNKNOWN))

    def alternatives(self, key: Any) -> tuple[Any, ...] | None:
        """All keys that a run-time key may be, if the program text tells."""
        if not is_tracer(key) or type(key) is ArrayTracer:
            return None
        return alternatives(self.recorder.region, key.value)

    # ---- dicts that become tables --------------------------------------------------------

    def made(self, obj: Any, *by: str) -> Any:
        """A dict or set that staged code makes here, ``by`` what; a table, or marks, if its keys
        are only known at run time."""
        site, known = self._made_here(*by)
        if known:
            return self._new_table(obj, site) if isinstance(obj, dict) else (
                self._new_marks(obj, site))
        self.journal.born(obj)
        self.dict_sites[id(obj)] = (site, obj)
        return obj

    def _new_table(self, obj: dict[Any, Any], site: Site) -> Any:
        factory = factory_of(obj)
        held = self.held_kind(site)
        if held is None:
            for value in obj.values():
                self.check_held(site, value)
            index = self.machine.call(new_index, site, tuple(obj))
            self.index_sites[index.value] = site
            return self.machine.call(Table, type(obj), factory, site,
                             self.machine.call(Numbers, site, tuple(obj.values())), index,
                             self.machine.call(names_for, site, tuple(obj)))
        table = self.machine.call(Table, type(obj), factory, site, self.new_cells(site),
                          self.machine.call(new_index, site), self.machine.call(names_for, site))
        for key, value in obj.items():
            self.machine.setitem(table, key, value)
        return table

    def _new_marks(self, obj: set[Any], site: Site) -> Any:
        marks = self.machine.call(Marks, site, self.machine.call(run_set))
        for item in obj:
            self.machine.call_method(marks, "add", item)
        return marks

    def made_list(self, obj: list[Any], by: str = "list") -> Any:
        """A list that staged code makes here, ``by`` what; a row if it is a heap whose order
        depends on data."""
        site, known = self._made_here(by)
        if known and type(obj) is list:
            return self._new_heap(site, obj)
        self.dict_sites[id(obj)] = (site, obj)
        return self.stored_lists.made(obj, site)

    def _new_heap(self, site: Site, items: list[Any]) -> Any:
        row = self.machine.call(Row, site, self.machine.call(Entries, site),
                                self.machine.call(run_list))
        self.machine.call_method(row, "extend", items)
        return row

    def as_heap(self, heap: list[Any]) -> Any:
        """Start again with a list as a heap whose order is known at run time only; where it is
        not known from where it was made on, its copy is one.  None where what it holds does not
        compare by numbers."""
        known = id(heap) in self.dict_sites
        site = self.dict_sites[id(heap)][0] if known else self._made_here("heap")[0]
        if not self._stays(site):
            if not known:
                return self._new_heap(site, heap)
            raise Restart(RunTimeKeys(site, holds="heap"))
        return None

    def check_heap(self, row: Any) -> None:
        """A list in a table must be a heap from where it is made on."""
        if type(row.cells) is not Entries:
            raise Restart(RunTimeKeys(row.site, holds="heap"))

    def _made_here(self, *by: str) -> tuple[Site, bool]:
        """The place of the program, and whether what it makes has keys of run time."""
        origin = self.recorder.node_origin()
        site = self.common_site(Site((origin.where, origin.callers, *by)))
        known = self.is_table(site)
        if known:
            self.assumed.risk(Withdrawn(RunTimeKeys(None)))
        return site, known

    def is_table(self, site: Site) -> bool:
        """Are the containers that are made at a place tables, or marks?"""
        return bool(self._tables(site)) and not self._stays(site)

    def _stays(self, site: Site) -> bool:
        """Is what is made at a place to be left as it is?"""
        return Withdrawn(RunTimeKeys(None)) in self.assumed or any(
            type(w.of) is RunTimeKeys and self.common_site(w.of.site) is site
            for w in self.assumed.of(Withdrawn))

    def common_site(self, site: Site) -> Site:
        """One place for all that make the containers that a name stands for in turn."""
        if site.outer is not None:
            found = Site(None, self.common_site(site.outer))
        else:
            group = {site}
            pairs = [(t.site, t.one_with) for t in self.assumed.of(RunTimeKeys) if t.one_with]
            while more := [p for p in pairs if len(group & {*p}) == 1]:
                group.update(*more)
            found = min(group, key=repr)
        return self.sites.setdefault(found, found)

    def unite(self, a: Any, b: Any) -> None:
        """A loop's variable stands for two containers in turn, one of which is a table: start
        again with both made at one place."""
        sites = [getattr(x, "site", None) if isinstance(x, StandIn) else self.dict_sites.get(
            id(x), (None,))[0] for x in (a, b)]
        if isinstance(a, StandIn) or isinstance(b, StandIn):
            if None not in sites and sites[0] is not sites[1]:
                raise Restart(RunTimeKeys(sites[0], one_with=sites[1]))

    def _tables(self, site: Site) -> list[RunTimeKeys]:
        """What tracing has assumed so far of the containers made at a place."""
        return [t for t in self.assumed.of(RunTimeKeys) if self.common_site(t.site) is site]

    def shrinks(self, site: Site) -> bool:
        """Does the program take keys away?"""
        return any(t.shrinks for t in self._tables(site))

    def held_kind(self, site: Site) -> str | None:
        """What the tables made at a place hold: the name of a container's class, or None for
        numbers."""
        kinds = {t.holds for t in self._tables(site) if t.holds is not None}
        if len(kinds) > 1:
            raise Restart(Withdrawn(RunTimeKeys(site.outermost)))
        return kinds.pop() if kinds else None

    def new_cells(self, site: Site) -> Any:
        """Cells for the tables made at a place."""
        kind = self.held_kind(site)
        if kind is None:
            return self.machine.call(Numbers, site)
        return self.machine.call(CELLS[kind], self.common_site(Site(None, site)))

    def check_held(self, site: Site, value: Any) -> None:
        """What is held as a number must be one; start again with cells that hold containers.  A
        dict with texts as keys is held as an object in a store, if it can lie there."""
        if isinstance(value, Placed) or self._is_record(site, value):
            return
        cls = value.cls if isinstance(value, StandIn) else type(value)
        kind = next((k for k in CELLS if any(b.__name__ == k for b in cls.__mro__)), None)
        if kind is not None and self.found_tables.kinds.get(site) != kind:
            raise Restart(RunTimeKeys(site, holds=kind))
        aval = leaf_aval(value)
        if aval is not None and self.held_ranks.setdefault(site, aval.ndim) != aval.ndim:
            raise Restart(Withdrawn(RunTimeKeys(None)))  # a list has one number of axes

    def _is_record(self, site: Site, value: Any) -> bool:
        """Is it a dict with the texts as keys that all others at a place have?"""
        kind = kind_of(value) if type(value) is dict and self.held_kind(site) is None else dict
        return issubclass(kind, RecordKind) and self.references.may_store(kind) and (
            self.record_kinds.setdefault(site, kind) is kind)

    def check_kind(self, value: Any, kind: type) -> None:
        """What is held as a container of a kind must be one: cells are alike."""
        if not issubclass(value.cls if isinstance(value, StandIn) else type(value), kind):
            raise Restart(Withdrawn(RunTimeKeys(None)))

    def check_same_kind(self, site: Site, kind: tuple[Any, Any]) -> None:
        """All dicts in a table are of one class."""
        if self.inner_kinds.setdefault(site, kind) != kind:
            raise Restart(Withdrawn(RunTimeKeys(None)))

    def hand_over(self, obj: Any) -> None:
        """A container has become a part of a table: its other names may not be used any more."""
        if id(obj) in self.found_functions.paths or isinstance(obj, StandIn):
            raise Restart(Withdrawn(RunTimeKeys(None)))
        if isinstance(obj, (list, dict, set)):
            self.journal.write(Content(obj, self.symbolic_lists), Moved(self.machine))

    def with_own(self, obj: Any, key: Any, value: Any, act: Callable[[Any, Any], Any],
                 missing: Callable[[], Any] | None = None, needed: bool = False) -> Any:
        """``act`` on a key and a value that may be kept under it.  A container that has no name
        yet is another one in each branch that tells the keys apart: under which it lies depends
        on data, and by no other name can it be reached."""
        own = type(value) in (list, dict, set) and id(value) not in self.merges.known_elsewhere(
            self.merges.join(), set())
        found = self.with_key(obj, key, lambda k: act(
            k, self.machine.call_method(value, "copy") if own else value), missing, needed)
        if own:
            self.hand_over(value)
        return found

    def key_form(self, site: Site) -> Any:
        """The form of the keys of the tables made at a place."""
        forms = self._forms(site)
        return functools.reduce(joined, forms) if forms else INT

    def _forms(self, site: Site) -> list[Any]:
        return [t.keys for t in self._tables(site) if t.keys is not None]

    def note_form(self, site: Site, key: Any, stored: bool = False) -> None:
        """A key is looked up or ``stored`` in a table: its form must be covered.  Keys that are
        stored are named tuples of one class, or none is."""
        self.join_form(site, form_of_key(key))
        form = self.key_form(site)
        if (stored or has_records(form) or has_records(form_of_key(key))) and (
                not has_classes_of(form, key)):
            raise Restart(Withdrawn(RunTimeKeys(site.outermost)))

    def join_form(self, site: Site, form: Any) -> None:
        """Tables made at a place have keys of this form, too."""
        known = self._forms(site)
        wider = functools.reduce(joined, known, form)
        if not known or wider != self.key_form(site):
            raise Restart(RunTimeKeys(site, keys=wider))

    def may_move(self, obj: Any) -> bool:
        site = self.index_sites.get(obj.value)
        return site is None or self.shrinks(site)

    def as_marks(self, obj: Any, item: Any) -> None:
        """Start again with a set as marks, if an item is only known at run time."""
        if self._of_run_time(item):
            self.make_table(obj, item)

    def as_table(self, obj: Any, key: Any, changes: bool = False) -> None:
        """Start again with a dict as a table, if ``key`` is only known at run time.  One that is
        only read may have all its keys already; from outside it is one for the index of a loop."""
        if (changes or not obj or factory_of(obj) is not None or (
                isinstance(obj, collections.Counter)) or self._counts_on(key)) and (
                    self._of_run_time(key)):
            self.make_table(obj, key)

    def may_be_table(self, made: Any) -> bool:
        """May the keys of a dict that was made here be known at run time only?"""
        return not self._stays(self.dict_sites[id(made)][0])

    def make_table(self, obj: Any, *keys: Any) -> None:
        """Start again with a dict or set as a table, for these keys."""
        site = self.dict_sites[id(obj)][0] if id(obj) in self.dict_sites else (
            self.found_tables.site(obj))
        if site is not None and not self._stays(site) and not self._tables(site):
            forms = map(form_of_key, keys)
            raise Restart(RunTimeKeys(site, functools.reduce(joined, forms, None)))

    def open_long(self, obj: Any, whole: bool = False) -> None:
        """Start again with a dict from outside as a table, if it is too long for its keys to be
        known while compiling: where one of numbers is gone through as a ``whole``; where one of
        other things is read at all, as few with texts as keys are rather settings."""
        if not isinstance(obj, dict) or len(obj) <= FEW_ITEMS:
            return
        if all(map(is_plain, obj.values())):
            few = LONG if whole else len(obj)
        else:
            few = FEW_NAMED if any(type(key) is str for key in obj) else FEW_ITEMS
        if len(obj) > few:
            self.make_table(obj)

    def _of_run_time(self, key: Any) -> bool:
        """Is a key known at run time only, and not one of a few that the text tells?"""
        return self._counts_on(key) or (self.open_key(key) and self.alternatives(key) is None)

    def _counts_on(self, key: Any) -> bool:
        """Is a key made of the index of a loop that is not short?"""
        return any(
            atom in self.sources.loop_atoms and not _is_short(atom, self.sources.loop_atoms[atom])
            for k in (parts_of_key(key) or (key,))
            if is_tracer(k) and k.aval.kind is Kind.INT and k.aval.expr is not None
            for atom in symbols(k.aval.expr))

    def known_entry(self, obj: Any, key: Any, *default: Any) -> Any:
        """What a dict of known numbers of one type holds under a text that only the run knows;
        PASSED where it is not that, or one of few texts that the program tells.  One from outside
        is a table."""
        if type(obj) is not dict or type(key) is not OpaqueTracer or len(obj) < 2 or (
                {*map(type, obj.values())} not in ({int}, {float}, {bool})
                or {*map(type, obj)} != {str} or self.presence.partial_of(obj) is not None
                or self.alternatives(key) is not None):
            return PASSED
        if id(obj) in self.found_functions.paths:
            if not self.sources.is_differentiated(obj):
                self.make_table(obj, key)
            return PASSED
        made, aval = self._known_dict(obj), aval_of(next(iter(obj.values()))).but(expr=None)
        read = functools.partial(self.recorder.computed, operator.getitem, aval, made, key)
        if not default:
            return read()
        if type(default[0]) is type(next(iter(obj.values()))):
            return self.recorder.computed(Method("get"), aval, made, key, default[0])
        there = self.recorder.computed(operator.contains, BOOL, made, key)
        return self.machine.if_expression(there, read, lambda: default[0])

    def _known_dict(self, obj: dict[str, Any]) -> Any:
        """A dict that the run makes, once."""
        at_start, told = self.opening.at_start(), repr(obj)
        if at_start and told in self.known_dicts:
            return self.known_dicts[told]
        with during(self.recorder, region=(
                self.recorder.root if at_start else self.recorder.region)):
            made = self.recorder.computed(dict, OPAQUE, dict(obj))
        made.value.hint = self.variables.name_of(obj)
        if at_start:
            self.known_dicts[told] = made
        return made

    def with_key(self, obj: Any, key: Any, act: Callable[[Any], Any],
                 missing: Callable[[], Any] | None = None, needed: bool = False) -> Any:
        """An action on a dict or set with a key.  One that is known at run time only is told
        apart by branches: it is one of the constants that it may be, or else one of the keys
        that there may be, or what ``missing`` gives; without that, a new key is refused.
        ``needed``: what comes after is only met if the dict has the key."""
        if type(key) is Choice:
            return self.unions.each(key, lambda k: self.with_key(obj, k, act, missing, needed))
        if not self.open_key(key):
            return act(self.static_key(key))
        known = self.alternatives(key)
        if known is not None:
            return self.by_key(key, known, act, None)
        held = self.references.seen(obj)
        self.sources.note_container(obj)
        state = self.presence.partial_of(obj)
        keys = tuple(k for k, _ in state.entries) if state is not None else tuple(held)
        inner = obj.values() if type(obj) is dict and id(obj) in self.found_functions.paths else ()
        if len(keys) > FEW or any(isinstance(v, (list, dict)) for v in inner):  # for branches
            self.make_table(obj, key)
        if len(keys) > FEW:
            raise self.recorder.of_forms(UnsupportedOperation(
                f"one of {len(keys)} keys of a dict is chosen by data",
                why=f"the keys are told apart by branches, and at most {FEW} are",
                fix="keep the numbers in one array, and index it by an int"))
        certain = state is None and keys and isinstance(obj, dict) and any(
            self.known_keys.known_place(o, key) for o in (obj, held))
        found = self.by_key(key, keys, act, None if certain else missing or (
            lambda: self.new_key(obj, key)))
        if needed and isinstance(obj, dict) and state is None:
            self.known_keys.note_key(obj, key)
            name = self.variables.name_of(obj)
            if name is not None and is_tracer(found):
                self.variables.label(found, f"{name}_item")
        return found

    def new_key(self, obj: Any, key: Any) -> NoReturn:
        """A dict or set gets a key that is only known at run time: a table can, a container from
        outside cannot, nor one whose object itself the program needs (unless the loops are
        unrolled that made the key)."""
        self.make_table(obj, key)
        for part in key if isinstance(key, tuple) else (key,):
            if is_tracer(part) and part.aval.kind is Kind.OPAQUE:
                settled(self.recorder.region, part.value,
                        lambda v: self.escapes.demand(self.recorder.wrap(v), REASON))
        kind = "set" if isinstance(obj, (set, frozenset)) else "dict"
        why, fix = (f"which keys the {kind} has is known while compiling, because the program "
                    f"hands it on as a whole, or does to it what is not staged",
                    f"ask with `in`, `get` or a loop for what the {kind} holds, and hand on "
                    f"numbers in place of it")
        if id(obj) in self.found_functions.paths:
            why, fix = (f"the {kind} comes from outside, and gets keys by data only if what it "
                        "holds are like numbers, texts, or tuples of such",
                        f"fill a {kind} that the function makes itself, starting from a copy: "
                        f"`{kind}(...)`")
        raise self.recorder.of_forms(UnsupportedOperation(f"a new key of a {kind} depends on data",
                                                          why=why,
                                              fix=fix))

    def by_key(self, key: Any, keys: Sequence[Any], act: Callable[[Any], Any],
               missing: Callable[[], Any] | None) -> Any:
        """What ``act`` gives for that one of several keys which a run-time key is equal to.

        Emitted as a chain of branches; ``missing`` gives the value, or raises, where it is none
        of them.  Without it the key certainly is one of them.
        """
        slot = Box()
        self.journal.born(slot)

        def put(value: Any) -> None:
            self.journal.write(BoxCell(slot), value)

        def among(i: int) -> Any:
            if i == len(keys) and missing is not None:
                return put(missing())
            if i == len(keys) - 1 and missing is None:
                return put(act(keys[i]))
            test = self.machine.compare("==", key, keys[i])
            known = self.machine.static_truth(test)
            if known is not None:
                return put(act(keys[i])) if known else among(i + 1)
            return self.branches.branch(self.recorder.value_of(self.machine.predicate(test)),
                               lambda: put(act(keys[i])), lambda: among(i + 1), None)

        among(0)
        return self.references.loaded(slot.content)
