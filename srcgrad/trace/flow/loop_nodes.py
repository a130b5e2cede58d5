"""The loop node: initial, next and last values, results, aliases, jumps."""

from __future__ import annotations

import itertools
from typing import Any

from ...graph.broadcasting import never_one
from ...graph.ir import Block, LoopSpec, Value
from ...graph.walking import free_values, walk
from ...stage.machine import BREAK, NORMAL, RETURN, UNBOUND
from ...types.dataclasses import dataclass, field
from ...types.dims import (
    Atom,
    Dim,
    Poly,
    add,
    is_varying,
    proves_nonnegative,
    range_length,
    symbols,
)
from ...types.kinds import INT, Aval, Kind, any_aval, int_aval
from ..collaborator import Collaborator
from ..record.homes import inherit_stored, is_active, link_possible, members, reach
from ..record.journal import Cell, Change, Lost, Stored
from ..record.regions import Region
from ..record.scopes import during
from ..record.settling import FEW
from ..record.tracers import ArrayTracer, Home, Jump, ScalarTracer, arrays_of
from .merges import UNREAD, Arm
from .open_names import after_loop
from .shapes import Leaf, Same, Shape, leaf_shapes, leaves


class LoopNodes(Collaborator):
    """Finishing a loop whose form is fixed."""

    speaks_to = ("branches", "items", "joined_values", "lists", "merges", "open_names", "recorder",
                 "rounds", "sources")

    # ---- the node ------------------------------------------------------------------------------

    def finish_loop(self, kind: str, inits: list[Value], forms: dict[tuple[Any, ...], Carried],
                done: Round, user: str, site: Any) -> Any:
        jump = done.jump
        codes = _leaving(jump)
        runs = self._needs_runs(forms) and self._runs(inits)
        carried = list(forms.values())
        keep, last = self._split_last(carried, done, runs)
        entries, ends, avals = self._edges(forms, done, runs, last)
        outputs_of_body = ([] if not codes else [self._leave_value(done, jump)])
        body_params = done.region.builder.params
        order = keep + last
        n_first = 1 if kind == "for" else 0
        by_leaf = body_params[n_first:]
        params = body_params[:n_first] + [by_leaf[i] for i in keep]
        body = Block(tuple(params), tuple(done.region.builder.nodes),
                     tuple(outputs_of_body + [ends[i] for i in order]))
        blocks: tuple[Block, ...] = (body,)
        if kind == "while":
            assert done.test is not None
            test_params = [done.test.builder.params[i] for i in keep]
            blocks = (Block(tuple(test_params), tuple(done.test.builder.nodes),
                            (done.predicate,)), body)
        spec = LoopSpec(kind, n_carried=len(keep), n_last=len(last), exits=bool(codes), user=user)
        out_avals = ([INT.but(expr=None)] if codes else []) + [avals[i] for i in order] + [
            int_aval(self.fresh("trips", low=0))]
        outputs = self.recorder.emit("loop", (*inits, *(entries[i] for i in keep)),
                                     tuple(out_avals),
                            blocks, loop=spec)
        self.rounds.loop_sites[outputs[-1]] = (kind, site)
        results = dict(zip(order, outputs[1 if codes else 0:], strict=False))
        if done.test is not None and not codes:
            self.rounds.teach(done, [results[i] for i in range(len(results))], False)
        count = self._count_of(kind, inits) if not codes else None
        if type(count) is int and count <= FEW:
            self.items.short_sites.add(site)
        for number, value in results.items():
            self.recorder.list_sizes.pass_on(value, entries[number], ends[number])
            if number in keep:
                self.recorder.list_sizes.note_loop(entries[number], by_leaf[number], ends[number],
                                                   value,
                                          count)
        self._leave_forms(carried, results, site, done, runs)
        self._leave_open(carried, kind, inits, _is_endless(kind, done))
        if not codes:
            return NORMAL
        return self.loop_jump(codes, outputs[0])

    def _leave_open(self, carried: list[Carried], kind: str, inits: list[Value],
                    endless: bool) -> None:
        """Which variables may be unbound after the loop: if it has no iteration, or by how the
        last one ended."""
        count = self._count_of(kind, inits)
        spare = 0 if endless else None if count is None or is_varying(count) else add(count, -1)
        for c in carried:
            self.open_names.note_open(c.cell, c.cell.get(), after_loop(
                self.open_names.openness(c.cell, c.entry), self.open_names.openness(c.cell, c.end),
                spare))

    def _edges(self, forms: dict[tuple[Any, ...], Carried], done: Round, runs: bool,
               last: list[int]) -> tuple[list[Value], list[Value], list[Aval]]:
        """Initial and next values, and the types of the results, leaf by leaf."""
        entries: list[Value] = []
        ends: list[Value] = []
        leaves_: list[Leaf] = []
        known: list[Value] = []
        for carried in forms.values():
            for leaf, part in zip(leaf_shapes(carried.shape),
                                  leaves(carried.shape, carried.entry), strict=True):
                # what is not bound yet has no size: above all not that of an iteration
                aval = self.lists.element_aval(leaf.aval) if part is UNBOUND else leaf.aval
                entries.append(self.joined_values.leaf_value(part, aval))
                leaves_.append(leaf)
                known.extend(() if part is UNBOUND else entries[-1:])
        arm = Arm(done.region, done.changes, done.jump)
        self.merges.enter_arm(arm)
        for carried in forms.values():
            for leaf, part in zip(leaf_shapes(carried.shape),
                                  leaves(carried.shape, carried.end), strict=True):
                ends.append(self.joined_values.leaf_value(part, leaf.aval))
        self.merges.leave_arm(arm)
        for home in self.joined_values.drained():
            self.journal.write(Stored(home), True)
        inner = _inner_symbols(done, known)
        for number in last:  # what the last iteration leaves has the type that it has there
            if runs and ends[number].aval.is_array:
                leaves_[number] = Leaf(ends[number].aval)
        return entries, ends, [self._result_aval(leaf, runs, inner) for leaf in leaves_]

    def _needs_runs(self, forms: dict[tuple[Any, ...], Carried]) -> bool:
        """Does it matter whether the loop runs at all?  For arrays that it rebinds: if it does,
        the name is not the array from before; and for sums that start from a number."""
        return any(leaf.steady or (leaf.aval.is_array and leaf.version_of is None)
                   for c in forms.values() for leaf in leaf_shapes(c.shape))

    def _runs(self, inits: list[Value]) -> bool:
        """Does a for loop run at least once?  (Guarded where the call decides it.)"""
        exprs = [v.aval.expr for v in inits]
        if len(exprs) != 3 or any(e is None for e in exprs):
            return False
        return self.sources.is_nonnegative(
            add(range_length(*exprs), -1))  # type: ignore[arg-type]

    @staticmethod
    def _count_of(kind: str, inits: list[Value]) -> Dim | None:
        """The number of iterations of a for loop that is not left early."""
        exprs = [v.aval.expr for v in inits if v.aval.expr is not None]
        return range_length(*exprs) if kind == "for" and len(exprs) == 3 else None

    def _result_aval(self, leaf: Leaf, runs: bool, inner: set[Atom]) -> Aval:
        """Sizes and numbers that vary from round to round are fresh after the loop."""
        aval = leaf.aval
        if leaf.steady and not runs:
            return any_aval(aval.dtype)
        if aval.kind is Kind.INT and isinstance(aval.expr, Poly) and (
                -1 in leaf.opened or not inner.isdisjoint(symbols(aval.expr))):
            low = 0 if proves_nonnegative(aval.expr) else aval.expr.atoms()[0].low
            return aval.but(expr=self.fresh("i", low=low))
        if aval.kind is Kind.ARRAY:
            shape = tuple(
                self.fresh("k", not_one=never_one(size)) if axis in leaf.opened
                or not inner.isdisjoint(symbols(size)) else size
                for axis, size in enumerate(aval.shape or ()))
            return aval.but(shape=shape)
        return aval

    def _leave_value(self, done: Round, jump: Any) -> Value:
        if isinstance(jump, Jump):
            return jump.leave if isinstance(jump.leave, Value) else self._in_body(done, jump.leave)
        return self._in_body(done, jump)

    def _in_body(self, done: Round, code: int) -> Value:
        with during(self.recorder, region=done.region):
            return self.recorder.const(code)

    def _split_last(self, carried: list[Carried], done: Round, runs: bool
                    ) -> tuple[list[int], list[int]]:
        """Leaf numbers of what is carried, and of what only the last iteration decides: what is
        not read at its head, and not bound before the loop, or an array of another size in each
        iteration of a loop that ``runs``."""
        used: set[Value] = set()
        for region in (done.region, done.test):
            if region is not None:
                for node in walk(Block((), tuple(region.builder.nodes), ())):
                    used.update(node.inputs)
                    for block in node.blocks:
                        used.update(block.outputs)
        if done.predicate is not None:
            used.add(done.predicate)
        keep, last, number = [], [], 0
        for c in carried:
            parts = leaves(c.shape, c.entry)
            ends = leaves(c.shape, c.end)
            for leaf, param, part, end in zip(leaf_shapes(c.shape), c.params, parts, ends,
                                              strict=True):
                fixed = type(end) is ScalarTracer and end.value is param
                uneven = runs and leaf.aval.is_array and leaf.opened and leaf.version_of is None
                if (part is UNBOUND or uneven) and param not in used and not fixed:
                    last.append(number)
                else:
                    keep.append(number)
                number += 1
        return keep, last

    def _leave_forms(self, carried: list[Carried], results: dict[int, Value],
                     site: Any, done: Round, runs: bool) -> None:
        """Put the results into the cells; arrays that were carried under another name and
        written to are not known under their old name any more."""
        number = 0
        sides: tuple[list[tuple[Home, Home]], ...] = ([], [])
        handles: list[tuple[ArrayTracer, Value]] = []
        built: dict[int, Any] = {}
        for c in carried:
            made: list[Any] = []
            unread = self.merges.is_unread(c.cell, self.rounds.later.after)
            for (leaf, hint), entry, end, head in zip(
                    self.rounds.hinted(c.cell, c.shape, c.entry),
                    *(leaves(c.shape, s) for s in (c.entry, c.end)), c.heads, strict=True):
                value = results[number]
                number += 1
                value.hint = hint
                self.items.list_sites[value] = site
                if type(head) is ArrayTracer and head.home.written and (type(entry) is ArrayTracer):
                    self._lose_entry(entry.home, head.home)
                known = self._known_after(leaf, end, value, done) if runs else None
                if known is not None:
                    handles.append((known, value))
                    made.append(known)
                    continue
                result = self.joined_values.object_of(leaf, value, [])
                made.append(result)
                if type(result) is ArrayTracer and not unread:
                    inherit_stored(result.home, (*arrays_of(end), *arrays_of(entry)))
                    result.home.leave_open(site)
                    for pairs, part in zip(sides, (end, None if runs else entry)):
                        pairs += [(result.home, array.home) for array in arrays_of(part)]
            new = self.merges.built(c.shape, made, built)
            self.journal.write(c.cell, UNREAD if unread else new)
        for home, source in itertools.chain(*sides):
            for one in reach(source):
                if one.region is not None and one.region.active and one.choice is None:
                    home.aliases.append((one, one.current))
                    one.left_by(site, home)
        link_possible(sides)
        for handle, value in handles:
            if handle.first is value:
                handle.seen = (handle.home.current, value, self.recorder.region)

    def _known_after(self, leaf: Leaf, end: Any, value: Value, done: Round) -> Any:
        """The array that a loop that runs leaves in a name, where it is one from outside."""
        if type(end) is not ArrayTracer or leaf.version_of is not None or not is_active(
                end.home) or leaf.aval.kind is not Kind.ARRAY:
            return None
        inner = {v for n in done.region.builder.nodes for v in n.outputs}
        inner.update(done.region.builder.params)
        if inner.intersection(end.dyn):
            return None
        if end.first is not None and end.first not in inner:
            return end
        value.obj = self.recorder.new_obj(value)
        if not end.steps:
            return None
        return ArrayTracer(self.machine, leaf.aval, end.home, end.steps, end.dyn, value.obj, value,
                           self.recorder.region)

    def _lose_entry(self, home: Home, head: Home) -> None:
        for member in members(home):
            self._lose_entry(member, head)
        if home.lost is None:
            home.leave_open(*head.loops)
            self.journal.write(Lost(home), (
                f"the array was carried round a loop under the name {head.label!r} and "
                "written to there"))

    def loop_jump(self, codes: frozenset[int], leave: Value) -> Any:
        everything = codes | {NORMAL}
        tracer_back: Any = NORMAL
        if RETURN in codes:
            tracer_back = leave if BREAK not in codes else self._only_return(leave)
        return Jump(everything, leave, leave, tracer_back)

    def _only_return(self, leave: Value) -> Value:
        """The jump with BREAK counted as NORMAL."""
        test = self.machine.compare("==", self.recorder.wrap(leave), RETURN)
        chosen = self.branches.choose(self.recorder.value_of(test), lambda: RETURN, lambda: NORMAL)
        return self.recorder.as_value(chosen)


def _inner_symbols(done: Round, entries: list[Value]) -> set[Atom]:
    """The symbols of sizes and numbers that mean something within an iteration only."""
    block = Block(tuple(done.region.builder.params), tuple(done.region.builder.nodes), ())
    made = [*block.params, *(v for node in walk(block) for v in node.outputs),
            *(v for node in walk(block) for inner in node.blocks for v in inner.params)]
    inner = {a for v in made for a in v.aval.symbols if a.varying}
    return inner.difference(a for v in (*entries, *free_values(block))
                            for a in v.aval.symbols) if inner else inner


def _is_endless(kind: str, done: Round) -> bool:
    """Is it left by jumps alone, so that it has an iteration?"""
    return kind == "while" and (done.test is None or any(
        node.op == "const" and node.out is done.predicate and bool(node.params["value"])
        for node in done.test.builder.nodes))


def _leaving(jump: Any) -> frozenset[int] | None:
    """The jumps by which a body leaves its loop; None if it never does."""
    if isinstance(jump, Jump):
        codes = jump.codes & {BREAK, RETURN}
    else:
        codes = frozenset({jump} & {BREAK, RETURN})
    return codes or None


@dataclass(slots=True)
class Carried:
    """One cell that the loop carries: its form, and its states while the body is traced.

    ``head`` is the state at the head of an iteration, which the body may change in place;
    ``pristine`` is the same as it was, ``heads`` its parts at the leaves."""

    cell: Cell
    shape: Shape
    entry: Any
    head: Any = None
    end: Any = None
    pristine: Any = None
    heads: list[Any] = field(default_factory=list)
    params: list[Value] = field(default_factory=list)

    @property
    def is_unchanged(self) -> bool:
        """Did an iteration leave the cell as it found it?"""
        if self.end is not self.head or isinstance(self.shape, Same):
            return False
        parts = leaves(self.shape, self.end)
        return len(parts) == len(self.heads) and all(
            a is b for a, b in zip(parts, self.heads, strict=True))


@dataclass(slots=True)
class Round:
    """What one round of tracing left behind."""

    region: Region
    test: Region | None = None
    predicate: Any = None
    changes: dict[tuple[Any, ...], Change] = field(default_factory=dict)
    jump: Any = NORMAL
    own: frozenset[Atom] = frozenset()  # the symbols of the loop's index
    sealed: frozenset[int] = frozenset()  # the objects that might not change before it


@dataclass(frozen=True, slots=True)
class Place:
    """A variable of a frame (by its number among the running ones); ``is_version``: of the
    array that it holds, the version."""

    frame: int
    name: str
    is_version: bool = False
