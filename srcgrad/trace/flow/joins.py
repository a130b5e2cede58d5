"""Joining states: what a slot holds after two paths, or at the head of a loop.

:meth:`Join.unify` compares two states and gives a :class:`~srcgrad.trace.flow.shapes.Shape`.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import JoinError
from ...graph.broadcasting import never_one
from ...graph.ir import Value
from ...stage.function import definition
from ...stage.machine import UNBOUND
from ...types.dataclasses import dataclass, field
from ...types.dims import Dim, proves_nonnegative
from ...types.kinds import Aval, Kind, join, list_of
from ..heap.columns import column_states, form_apart, list_elem
from ..heap.forms import column_labels
from ..heap.gathering import parts_read
from ..heap.outlines import Unlike
from ..heap.unlike import one_of, remedies_for
from ..record.journal import Content, Snapshot
from ..record.regions import array_tracers
from ..record.states import Columns, ListTable, Maybe, Partial, SymbolicList
from ..record.structures import (
    IMMUTABLE,
    describe,
    identity,
    is_mutable,
    label_of,
    leaf_aval,
    outline,
    rebuilder,
    same_constant,
    structure_parts,
)
from ..record.tracers import (
    ArrayTracer,
    Choice,
    Moved,
    OpaqueTracer,
    Poison,
    contains_tracer,
    is_tracer,
)
from .array_names import may_be_pooled, one_of_arrays
from .lines_of_things import MOST_APART, line_of
from .partial import keyed, perhaps
from .shapes import Apart, Ended, Failed, Leaf, Same, Sequence, Shape

if TYPE_CHECKING:
    from ..heap.listed_arrays import Pooled
    from ..machine import TraceMachine


def count_of(obj: Any) -> int:
    """Of how many things is it one?"""
    return count_of(obj.first) + count_of(obj.second) if type(obj) is Choice else 1


def is_text(obj: Any) -> bool:
    """Is it a text, or an object that only a run knows?"""
    return isinstance(obj, str) or type(obj) is OpaqueTracer


@dataclass(slots=True)
class Join:
    """One join in progress.

    A branch gives its ``predicate``, what else is known to hold in its arms (``facts``), which
    arm does not come to its end (``dead``), the objects made in its arms (``young``), what lists
    hold at the end of the arms that ``changed`` them, and pairs of objects that must stay
    ``apart``.  ``objects`` collects the pairs of objects that become one new object, ``fixed``
    those that are the same on both paths.
    """

    machine: TraceMachine
    predicate: Value | None = None
    young: frozenset[int] = frozenset()
    apart: frozenset[tuple[int, int]] = frozenset()
    dead: int | None = None
    facts: tuple[dict[Value, bool], dict[Value, bool]] = field(default_factory=lambda: ({}, {}))
    changed: tuple[dict[int, Any], dict[int, Any]] = field(default_factory=lambda: ({}, {}))
    unbound: int = 0  # the side that has nothing, while a form of the other is made
    pairs: dict[tuple[int, int], Any] = field(default_factory=dict)
    widened: dict[tuple[int, int, int], tuple[Shape, bool]] = field(default_factory=dict)
    keep: list[Any] = field(default_factory=list)
    objects: list[tuple[Any, Any]] = field(default_factory=list)
    fixed: list[Any] = field(default_factory=list)
    calls: bool = False  # are these arguments, so that each call has lists of its own?
    walks: bool = False  # may a loop's variable go from one known object to another?
    made: frozenset[int] = frozenset()  # the objects that a loop's body has made
    follows_arrays: bool = False  # is it told which arrays from before its names are?
    holder: Any = None  # the list whose items are joined, if it is one

    @property
    def symbolic(self) -> ListTable:
        """The lists of unknown length."""
        return self.machine.symbolic_lists

    def outside(self, obj: Any) -> bool:
        """Is an object from outside?"""
        return self.machine.merges.is_outside(obj)

    def pooled(self, array: Any) -> Pooled | None:
        """Where an array lies in a pool that is older than a loop."""
        where = self.machine.listed_arrays.pooled(array)
        return None if where is None or id(where.held.column) in self.made else where

    def unify(self, a: Any, b: Any) -> Shape:
        """The shape of two states."""
        if a is b:
            self.fixed.append(a)
            return Same(a)
        if isinstance(a, Poison) or isinstance(b, Poison):
            return Same(a if isinstance(a, Poison) else b)
        if type(a) is Maybe or type(b) is Maybe:
            return perhaps(self, a, b)
        if a is UNBOUND or b is UNBOUND:
            self.unbound = 0 if a is UNBOUND else 1
            return self._with_unbound(b if a is UNBOUND else a)
        if {type(a), type(b)} & {Snapshot, Columns, Partial, Moved}:
            return self._contents(a, b)
        aval_a, aval_b = leaf_aval(a), leaf_aval(b)
        if aval_a is not None and aval_b is not None:
            return self._leaves(a, b, aval_a, aval_b)
        return self._structures(a, b)

    def _leaves(self, a: Any, b: Any, aval_a: Aval, aval_b: Aval) -> Shape:
        if not is_tracer(a) and not is_tracer(b) and type(a) is type(b) and (
                type(a) is not SymbolicList) and same_constant(a, b):
            return Same(a)
        if type(a) is ArrayTracer and type(b) is ArrayTracer and a.obj == b.obj:
            return Same(a)
        if self.follows_arrays or (self.predicate is None and may_be_pooled(self, a, b)):
            followed = one_of_arrays(self, a, b)
            if followed is not None:
                return followed
        aval = self.join_avals(aval_a, aval_b)
        unlike = Kind.ANY not in (aval_a.kind, aval_b.kind) if aval.kind is Kind.ANY else (
            (is_text(a) and aval_b.is_numeric) or (is_text(b) and aval_a.is_numeric))
        if unlike and self.predicate is not None and self.machine.merges.tells_apart():
            return self._two(a, b)
        key = None
        if type(a) is ArrayTracer or type(b) is ArrayTracer:
            key = (identity(a), identity(b))
        rows = a.rows if type(a) is SymbolicList and type(b) is SymbolicList and (
            a.rows is b.rows) else None
        return Leaf(aval, key=key, label=label_of(b), rows=rows)

    def join_avals(self, a: Aval, b: Aval) -> Aval:
        """Like :func:`srcgrad.types.kinds.join`, but arrays of one rank keep it: axes of different
        sizes get fresh symbols; so do ints with different numbers."""
        if a.kind is Kind.ARRAY and b.kind is Kind.ARRAY and len(a.shape or ()) == len(
                b.shape or ()):
            shape = tuple(self.size(x, y)
                          for x, y in zip(a.shape or (), b.shape or (), strict=True))
            plain = join(a.but(shape=()), b.but(shape=()))
            return plain.but(shape=shape, optional=a.optional or b.optional)
        if a.kind is Kind.INT and b.kind is Kind.INT and not (a.optional or b.optional):
            if a.expr is not None and a.expr == b.expr:
                return a
            low = 0 if is_nonnegative(a) and is_nonnegative(b) else None
            return a.but(expr=self.machine.fresh("i", low=low))
        if a.kind is Kind.LIST and b.kind is Kind.LIST and a.elem and b.elem:
            return a.but(elem=self.join_avals(a.elem, b.elem), optional=a.optional or b.optional)
        return join(a, b)

    def size(self, a: Dim, b: Dim) -> Dim:
        """The size of an axis on two paths: a fresh symbol unless they are equal."""
        if self.machine.sources.equal_sizes(a, b):
            return b if isinstance(b, int) else a
        return self.machine.fresh("k", not_one=never_one(a) and never_one(b))

    def _with_unbound(self, present: Any) -> Shape:
        """A slot that only one path binds: reading it where it is unbound raises at run time,
        as the user's code would.  An object from before the branch is that object; of one made
        in an arm there is a new one, whose parts are the arm's.  A row of a list of lists stays
        itself."""
        if id(present) in self.young and not self.machine.choices.is_part(present) and (
                type(self.symbolic.get(id(present))) in (SymbolicList, Partial)):
            return self.held(present, UNBOUND)
        if type(present) is Columns:
            self.fixed.extend(present.form.held)
            return Sequence(lambda made: Columns(present.form, tuple(made)),
                            [self._with_unbound(c) for c in present.columns],
                            lambda state: (UNBOUND,) * len(present.columns) if (
                                state is UNBOUND) else state.columns)
        if type(present) in (Snapshot, Partial) or id(present) in self.symbolic:
            self.fixed.append(present)
            return Same(present)
        where = self.pooled(present)
        if where is not None:
            return Sequence(where.at, [self._with_unbound(i) for i in where.indices(present) or ()],
                            lambda state: (UNBOUND,) if state is UNBOUND else tuple(
                                where.indices(state) or ()))
        aval = leaf_aval(present)
        if aval is not None:
            key = ("unbound", self.unbound, identity(present))
            return Leaf(aval, key=key, label=label_of(present))
        pair = (id(present), -1 - self.unbound)
        if pair in self.pairs and self._stays_one(present):
            return self.pairs[pair]  # type: ignore[no-any-return]
        parts = structure_parts(present)
        if parts is None or self.outside(present) or (
                self.predicate is not None and is_mutable(present)
                and id(present) not in self.young):
            self.fixed.append(present)
            return Same(present)
        self.pairs[pair] = Same(present)  # where it contains itself
        items = [self._with_unbound(p) for p in parts]
        shape: Shape = Same(present)
        if all(isinstance(i, Same) for i in items):
            self.fixed.append(present)
        else:
            shape = Sequence(self.rebuilder(present), items, _unbound_parts(len(items)))
            if is_mutable(present):
                self.objects.append((present, UNBOUND))
        self.pairs[pair] = shape
        self.keep.append(present)
        return shape

    def _stays_one(self, obj: Any) -> bool:
        """Do names of one object all get the same new one?  After a branch they do; what a loop
        carries is what later iterations leave in each, and nothing but a change tells that an
        object is another one."""
        return not self.walks or is_mutable(obj)

    def held(self, a: Any, b: Any) -> Shape:
        """Lists made in the arms whose lengths only a run knows, dicts and sets whose keys only
        a run knows: a new one with the content that either has."""
        ends = [self.ended_content(side, x) for side, x in enumerate((a, b))]
        contents = [end for end in ends if end is not UNBOUND]
        shape = self._contents(contents[0], contents[-1])
        if isinstance(shape, Failed):
            return shape
        kind = type(b if a is UNBOUND else a)

        def build(made: list[Any]) -> Any:
            return self.machine.lists.holding(kind, made[0])

        def parts(obj: Any) -> tuple[Any, ...]:
            return (ends[0 if obj is a else 1],)

        self.objects.append((a, b))
        if self.outside(a) or self.outside(b):
            return Sequence(self._copier(build, a, b), [shape], parts)
        if self.was_changed(a) or self.was_changed(b):
            return Ended(self.heir(build, a, b), [shape], parts, (a, b))
        return Sequence(self.heir(build, a, b), [shape], self.content_parts)

    def was_changed(self, obj: Any) -> bool:
        """Is it a list that an arm has changed?"""
        return id(obj) in self.changed[0] or id(obj) in self.changed[1]

    def ended_content(self, side: int, obj: Any) -> Any:
        """The content of a list (or dict or set) at the end of an arm; of one from outside that of
        what stands for it, or its items as the program would read them."""
        obj = self.machine.references.seen(obj)
        found = self.changed[side].get(id(obj))
        return self.content_parts(obj)[0] if found is None else found

    def rebuilder(self, *objects: Any) -> Callable[[list[Any]], Any]:
        """A function that makes the object that these become from its parts."""
        return self.heir(rebuilder(objects[0]), *objects)

    def heir(self, make: Callable[[list[Any]], Any], *objects: Any) -> Callable[[list[Any]], Any]:
        """``make``, where what is known of these objects outside is known of the new one."""
        def made(parts: list[Any]) -> Any:
            new = make(parts)
            for obj in objects:
                self.machine.merges.inherit(new, obj)
                if self.is_sealed(obj):
                    self.machine.journal.seal(new)
            return new

        return made

    def is_sealed(self, obj: Any) -> bool:
        """May an object not change any more?  Nor may a list that has been put into another."""
        rows = self.machine.list_rows
        if id(obj) in rows.list_owners:
            rows.share_rows()
            return True
        return id(obj) in self.machine.journal.sealed

    def of_any_length(self, *lists: Any) -> Sequence:
        """The form of two lists as lists of any length: each side of a call has its own."""
        content = self._symbolic_list(*(self.content_parts(x)[0] for x in lists))
        return Sequence(lambda made: self.machine.lists.holding(list, made[0]), [content],
                        self.content_parts)

    def content_parts(self, state: Any) -> tuple[Any, ...]:
        if state is UNBOUND:
            return (UNBOUND,)
        if id(state) in self.machine.list_rows.list_owners:
            return (self.symbolic[id(state)],)  # what a row holds now
        if self.outside(state) and id(state) not in self.symbolic:
            return (Snapshot(list, tuple(self.machine.containers.outside_items(state))),)
        return (Content(state, self.symbolic).get(),)

    def _contents(self, a: Any, b: Any) -> Shape:
        if Moved in (type(a), type(b)):
            return Same(a if type(a) is Moved else b)
        if all(type(s) is Partial or (type(s) is Snapshot and s.type in (dict, set))
               for s in (a, b)):
            return keyed(self, a, b)
        if type(a) is Snapshot and type(b) is Snapshot:
            if len(a.items) == len(b.items) and a.type is b.type:
                kind = a.type
                items = [self.unify(x, y) for x, y in zip(a.items, b.items, strict=True)]
                return Sequence(lambda vs: Snapshot(kind, tuple(vs)), items, lambda s: s.items)
        return self._symbolic_list(a, b)

    def _symbolic_list(self, a: Any, b: Any) -> Shape:
        """Lists of different or unknown length."""
        avals = []
        for state in (a, b):
            if type(state) is Snapshot:  # which goes on holding its arrays
                self.fixed.extend(array_tracers(state.items))
            if type(state) is Snapshot and state.type is not list:
                return Failed(JoinError(
                    f"a {state.type.__name__} grows by a number of items that depends on data",
                    why="only lists may have a length that is known at run time only",
                    fix="use a list"))
            elem = list_elem(self, state)
            if elem is False:
                return self._column_lists(a, b)
            avals.append(list_of(elem))
        left, right = avals
        if left.elem is None or right.elem is None:
            aval = list_of(left.elem or right.elem)
        else:
            aval = list_of(self.join_avals(left.elem, right.elem))
        if aval.elem is not None and aval.elem.kind is Kind.LIST and aval.elem.optional:
            return self._column_lists(a, b)
        return Leaf(aval)

    def _column_lists(self, a: Any, b: Any) -> Shape:
        """Lists whose items are tuples or records: one list for each part."""
        found = form_apart(self, a, b)
        if isinstance(found, Failed):
            return found
        form, avals = found
        self.fixed.extend(form.held)
        return Sequence(lambda vs: Columns(form, tuple(vs)), [Leaf(aval) for aval in avals],
                        lambda state: column_states(self, form, state), labels=column_labels(form))

    def _structures(self, a: Any, b: Any) -> Shape:
        """Tuples, lists and records of the same class and size."""
        known = self.pairs.get((id(a), id(b)))
        if known is not None and (self._stays_one(a) or self._stays_one(b)):
            return known  # type: ignore[no-any-return]
        self.keep.append((a, b))
        self.pairs[(id(a), id(b))] = self.failed(a, b)  # where they contain themselves
        shape = self._new_structure(a, b)
        self.pairs[(id(a), id(b))] = shape
        return shape

    def _new_structure(self, a: Any, b: Any) -> Shape:
        self.machine.stored_lists.unite(a, b)
        found = one_of(self, a, b) or line_of(self, a, b)
        if found is not None:
            return found
        if any(map(self.machine.tuples.is_long, (a, b))):
            return self.failed(a, b)
        if self.predicate is None:
            self.machine.keys.unite(a, b)
        if any(map(self.machine.choices.is_part, (a, b))):
            return self.failed(a, b)  # a row of a list of lists: it would become a list of its own
        both = {id(a), id(b)}
        if type(a) is type(b) and type(a) in (list, dict, set) and (
                both & self.young if type(a) is list else both <= self.young) and (
                (id(a), id(b)) not in self.apart) and (
                type(a) is set or both & self.symbolic.keys()):
            return self.held(a, b)
        apart = (id(a), id(b)) in self.apart
        if not apart and self._grows(a, b):
            held = self.held(a, b)
            if not isinstance(held, Failed):
                return held
        if type(a) is not type(b) or not (self._may_enter(a, b) and self._may_enter(b, a)) or (
                apart or {id(a), id(b)} & self.symbolic.keys()):
            return self._two(a, b)
        if outline(a) != outline(b):
            return self._two(a, b)
        parts_a, parts_b = (self._ended_parts(side, obj) for side, obj in enumerate((a, b)))
        if parts_a is None or parts_b is None or len(parts_a) != len(parts_b):
            return self._two(a, b)
        items = [self.unify(x, y) for x, y in zip(parts_a, parts_b, strict=True)]
        if any(isinstance(i, Failed) for i in items) and not isinstance(a, tuple):
            return self._two(a, b)
        if all(isinstance(i, Same) for i in items) and isinstance(a, tuple):
            return Same(a)
        if is_mutable(a):
            self.objects.append((a, b))
        if self.outside(a) or self.outside(b):
            if any(isinstance(i, Failed) for i in items):
                return self._two(a, b)
            return Sequence(self._copier(rebuilder(a), a, b), items, self.parts_inside)  # type: ignore[arg-type]
        if self.was_changed(a) or self.was_changed(b):
            return Ended(self.heir(list, a, b), items,
                         lambda obj: parts_a if obj is a else parts_b, (a, b))
        return Sequence(self.rebuilder(a, b), items, structure_parts)  # type: ignore[arg-type]

    def _may_enter(self, obj: Any, other: Any) -> bool:
        """May an object be known by its parts, which are read by their paths if it comes from
        outside?  Only beside one of the program's, and if it stays as it is: it is copied."""
        if not self.outside(obj) or (not self.outside(other) and not is_mutable(obj)):
            return True
        return not self.outside(other) and self.predicate is None and (
            self.machine.rounds.may_rebind())

    def parts_inside(self, obj: Any) -> tuple[Any, ...] | None:
        """The parts of an object; of one from outside as the program would read them."""
        if not self.outside(obj):
            return structure_parts(obj)
        try:
            return parts_read(self.machine, obj)
        except Unlike:  # such as what has attributes that are computed
            return None

    def _copier(self, make: Callable[[list[Any]], Any], *objects: Any
                ) -> Callable[[list[Any]], Any]:
        """``make`` for an object that may stand for one from outside: neither may change then, nor
        be asked which object it is."""
        machine = self.machine

        def made(parts: list[Any]) -> Any:
            new = make(parts)
            if is_mutable(new):
                machine.journal.copied(new)
                for obj in filter(self.outside, objects):
                    machine.opening.keep_as_found(obj)
            return new

        return made

    def _ended_parts(self, side: int, obj: Any) -> tuple[Any, ...] | None:
        """The parts of an object at the end of an arm."""
        found = self.changed[side].get(id(obj))
        if found is None:
            return self.parts_inside(obj)
        return found.items if type(found) is Snapshot else None

    def _grows(self, a: Any, b: Any) -> bool:
        """Is a loop's variable bound to another list, of another or of unknown length?"""
        if not (self._carries(a) and self._carries(b)):
            return False
        ends = [self.ended_content(side, obj) for side, obj in enumerate((a, b))]
        unknown = not all(type(end) is Snapshot for end in ends)
        return (unknown or len(ends[0].items) != len(ends[1].items)) and (
            self.predicate is None or unknown
            or len({id(a), id(b)} & self.young) == 1) and self.machine.rounds.may_rebind()

    def _carries(self, obj: Any) -> bool:
        """Is it a list of the program, and is there a loop that may carry a name of it?"""
        carried = self.walks if self.predicate is None else (
            self.machine.merges.loop_region() is not None)
        return carried and type(obj) is list and not self.outside(obj)

    def _two(self, a: Any, b: Any) -> Shape:
        """Things that have no common form: after a branch it is known which of them it is."""
        if self.calls and type(a) is type(b) is list:
            return self.of_any_length(a, b)
        if self.predicate is None or count_of(a) + count_of(b) > MOST_APART:
            return self.failed(a, b)
        self.unbound = 1
        first = self.of_one_side(0, a)
        self.unbound = 0
        forms = (first, self.of_one_side(1, b))
        if any(isinstance(f, Failed) for f in forms):
            return self.failed(a, b)
        return Apart(self.predicate, (a, b), forms)

    def of_one_side(self, side: int, obj: Any) -> Shape:
        """The form of what only the path of one side has."""
        return self._heir(side, obj) or self.alone(obj)

    def _heir(self, side: int, obj: Any) -> Shape | None:
        """The form of a list, dict or set of one path that becomes a new one elsewhere, with one
        of the other path: what it becomes stands for it here too."""
        if type(obj) not in (list, dict, set):
            return None
        return next((shape for pair, shape in self.pairs.items()
                     if pair[side] == id(obj) and pair[1] >= 0 and pair not in self.apart
                     and isinstance(shape, Sequence)), None)

    def alone(self, obj: Any) -> Shape:
        """The form of what only one path has."""
        if not is_tracer(obj) and isinstance(obj, IMMUTABLE):
            return Same(obj)
        if type(obj) is Snapshot:
            return self.failed(obj, obj)
        if isinstance(obj, types.FunctionType):
            made = definition(obj)
            if made is not None and id(made.parent) in self.young:
                return self.failed(obj, obj)
            return Same(obj)
        if isinstance(obj, (functools.partial, types.MethodType)):
            inner = (obj.args, obj.keywords, obj.func) if isinstance(
                obj, functools.partial) else (obj.__self__,)
            young = any(id(i) in self.young or contains_tracer(i) for i in inner)
            return self.failed(obj, obj) if young else Same(obj)
        return self._with_unbound(obj)

    def failed(self, a: Any, b: Any) -> Failed:
        return Failed(JoinError(
            f"a name refers to {describe(a)} on one path and to {describe(b)} on the other",
            why="which of them it is depends on data, and they have no common form",
            fix="use the value inside each branch, or make both branches produce the same kind"),
            remedies_for(self, a, b))



def is_nonnegative(aval: Aval) -> bool:
    return aval.expr is not None and proves_nonnegative(aval.expr)


def _unbound_parts(count: int) -> Callable[[Any], tuple[Any, ...]]:
    def parts(state: Any) -> tuple[Any, ...]:
        if state is UNBOUND:
            return (UNBOUND,) * count
        found = structure_parts(state)
        return found if found is not None else (UNBOUND,) * count

    return parts
