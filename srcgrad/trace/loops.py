"""Loops: the body is traced until what it carries round has a fixed form.

What a loop carries is decided by the journal: cells that the body changes.  Each round runs
the body on values of the form found so far (parameters of the body's block) and compares what
it leaves behind; a form that had to become wider means another round.  The fixed form is
remembered per loop site, so that inner loops of a nest need one round each time after the
first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..dims import Poly, add, evaluate, is_varying, proves_nonnegative, range_length, symbol
from ..errors import AliasError, JoinError, UnsupportedOperation
from ..graph.ir import Block, LoopSpec, Node, Value, walk
from ..kinds import INT, Aval, Kind, any_aval, int_aval
from ..stage.machine import BREAK, CONTINUE, NORMAL, RETURN, UNBOUND, Frame
from .branches import RAISE, Branches, link_overlaps, reach
from .control import Refusal, Unroll
from .iteration import Range, item, length, staged_iterable, static_items
from .joins import Failed, Join, Leaf, Same, Shape, build, leaf_shapes, leaves, widen
from .journal import Cell, Change, Content, Lost, Slot, Stored, Version
from .recorder import Region
from .tracers import ArrayTracer, Home, Jump, ScalarTracer

MAX_ROUNDS = 40
ELEMENTWISE = frozenset({operator.add, operator.sub, operator.mul, operator.truediv, np.add,
                         np.subtract, np.multiply, np.divide, np.maximum, np.minimum})
UNROLL_LIMIT = 64


@dataclass(slots=True)
class Carried:
    """One cell that the loop carries: its form, and its states while the body is traced."""

    cell: Cell
    shape: Shape
    entry: Any
    head: Any = None
    end: Any = None
    params: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Round:
    """What one round of tracing left behind."""

    carried: dict[tuple[Any, ...], Carried]
    changes: dict[tuple[Any, ...], Change]
    jump: Any
    region: Region
    test: Region | None
    predicate: Any
    index: Value | None
    tested: dict[tuple[Any, ...], Change] | None = None


@dataclass(slots=True)
class Holder:
    """A remembered version: that of the array a variable holds."""

    slot: Slot


class Loops(Branches):
    """``for`` and ``while``."""

    loop_count: int
    forms: dict[Any, list[tuple[Any, Shape]]]

    # ---- for ---------------------------------------------------------------------------------
    def for_(self, iterable: Any, target: Callable[[Any], None], body: Callable[[], Any],
             orelse: Callable[[], Any] | None = None,
             rest: Callable[[], Any] | None = None) -> Any:
        staged = self.loop_source(iterable)
        if staged is None:
            return self._run_items(self.outside_items(iterable), target, body, orelse, rest)
        return self._staged_for(staged, target, body, orelse, rest)

    def loop_source(self, iterable: Any) -> Any:
        """The staged form of what a for runs over; None where Python iterates."""
        if isinstance(iterable, range):
            return Range(iterable.start, iterable.stop, iterable.step)
        return staged_iterable(self, iterable)

    def outside_items(self, iterable: Any) -> Any:
        raise AttributeError

    def _run_items(self, items: Any, target: Callable[[Any], None], body: Callable[[], Any],
                   orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        """A loop whose items are known: it runs as Python; a jump that depends on data makes
        the following iterations part of a branch."""
        iterator = iter(items)

        def go_on() -> Any:
            for one in iterator:
                target(one)
                jump = body()
                if isinstance(jump, Jump):
                    return self._after_iteration(jump, go_on, rest is not None)
                if jump == BREAK:
                    return BREAK
                if jump in (RETURN, RAISE):
                    return jump
            return NORMAL

        return self._loop_end(go_on(), orelse, rest)

    def _after_iteration(self, jump: Jump, go_on: Callable[[], Any], returns: bool) -> Any:
        """The following iterations, run where the jump did not leave the loop."""
        if jump.codes <= {NORMAL, CONTINUE}:
            return go_on()
        if not jump.codes & {NORMAL, CONTINUE}:
            return jump
        left = jump.codes - {NORMAL, CONTINUE}
        taken: Any = next(iter(left)) if len(left) == 1 else Jump(left, jump.leave, jump.leave,
                                                                  jump.back)
        stays = self.compare("==", self.as_tracer(jump.leave), 0)
        return self.if_(stays, go_on, lambda: taken)

    def as_tracer(self, value: Any) -> Any:
        return self.wrap(value) if isinstance(value, Value) else value

    def _loop_end(self, jump: Any, orelse: Callable[[], Any] | None,
                  rest: Callable[[], Any] | None) -> Any:
        """What follows a loop that ended with ``jump``: its else, then the rest."""
        if not isinstance(jump, Jump):
            if jump in (NORMAL, None, CONTINUE) and orelse is not None:
                jump = orelse()
                return self.after(jump, rest)
            return self.after(NORMAL if jump == BREAK else jump, rest)
        outer: Any = NORMAL
        if RETURN in jump.codes:
            codes = frozenset(RETURN if c == RETURN else NORMAL for c in jump.codes)
            outer = Jump(codes, jump.back, jump.back, jump.back) if len(codes) > 1 else RETURN
        if orelse is None:
            return self.after(outer, rest)
        finished = self.compare("==", self.as_tracer(jump.leave), 0)
        return self.after(self.if_(finished, orelse, lambda: outer), rest)

    def _staged_for(self, staged: Any, target: Callable[[Any], None], body: Callable[[], Any],
                    orelse: Callable[[], Any] | None, rest: Callable[[], Any] | None) -> Any:
        layers = len(self.journal.layers)
        region = self.region
        nodes = len(region.builder.nodes)
        self.loop_count += 1
        index_symbol = symbol("i", serial=self.loop_count, low=0, varying=True)
        site = self.site(body)
        reason = self.unrolled.get(site)
        if reason is None:
            try:
                jump = self._trace_for(staged, target, body, index_symbol)
            except Unroll as need:
                if need.symbol not in index_symbol.atoms():
                    raise
                reason = need.reason
            except Refusal as refusal:
                if not isinstance(refusal.error, (JoinError, AliasError)) or (
                        self._count(staged) is None):
                    raise
                reason = refusal.error.what
            else:
                return self._loop_end(jump, orelse, rest)
            self._unwind(layers, region, nodes)
        items = self._unrolled(staged, reason)
        return self._run_items(items, target, body, orelse, rest)

    def _unwind(self, layers: int, region: Region, nodes: int) -> None:
        """Undo what an attempt left behind: its layers, regions and nodes."""
        while len(self.journal.layers) > layers:
            self.journal.pop()
        inner = self.region
        while inner is not region and inner is not None:
            inner.active = False
            inner = inner.parent  # type: ignore[assignment]
        self.region = region
        del region.builder.nodes[nodes:]

    def _count(self, staged: Any) -> int | None:
        """The number of iterations in this call, if the loop may be unrolled."""
        count = length(self, staged)
        expr = self._int_expr(count)
        if expr is None or is_varying(expr):
            return None
        number = int(evaluate(expr, self.numbers))
        return number if number <= UNROLL_LIMIT else None

    def _unrolled(self, staged: Any, reason: str) -> list[Any]:
        """The items of a loop that must be unrolled, under a guard of their number."""
        count = length(self, staged)
        if type(count) is not int:
            number = self.demand(count, f"{reason}, so the loop is unrolled")
            if number > UNROLL_LIMIT:
                raise self.fatal(UnsupportedOperation(
                    f"a loop of {number} iterations would have to be unrolled",
                    why=f"the number of its index is needed while compiling: {reason}",
                    fix="keep what the index selects in one array, so that it can be indexed "
                        f"at run time (loops of up to {UNROLL_LIMIT} iterations are unrolled)"))
            self.notes.append(f"loop unrolled {number} times: {reason}")
            return [item(self, staged, i) for i in range(number)]
        self.notes.append(f"loop unrolled {count} times: {reason}")
        found = static_items(self, staged)
        return found if found is not None else [item(self, staged, i) for i in range(count)]

    notes: list[str]
    unrolled: dict[Any, str]
    list_sites: dict[Value, Any]
    dropped: set[Any]
    unsteady: set[Any]

    def _trace_for(self, staged: Any, target: Callable[[Any], None], body: Callable[[], Any],
                   index_symbol: Any) -> Any:
        if isinstance(staged, Range):
            bounds = (staged.start, staged.stop, staged.step)
        else:
            bounds = (0, length(self, staged), 1)
        exprs = [self._int_expr(b) for b in bounds]
        if exprs[2] == 1 and exprs[0] is not None and exprs[1] is not None:
            (atom,) = index_symbol.atoms()
            index_symbol = symbol(atom.name, serial=atom.serial, low=exprs[0],
                                  high=exprs[1] - 1, varying=True)
        elif exprs[2] == -1 and exprs[0] is not None and exprs[1] is not None:
            (atom,) = index_symbol.atoms()
            index_symbol = symbol(atom.name, serial=atom.serial, low=exprs[1] + 1,
                                  high=exprs[0], varying=True)
        else:
            (atom,) = index_symbol.atoms()
            index_symbol = symbol(atom.name, serial=atom.serial, low=None, varying=True)
        inits = [self.as_value(b) for b in bounds]

        def start(index: Any) -> None:
            target(index if isinstance(staged, Range) else item(self, staged, index))

        user = "range" if isinstance(staged, Range) else "rows"
        return self._unroll_as(index_symbol, atom,
                               lambda: self._trace_loop("for", inits, None, (index_symbol, start), body,
                                                        user))

    @staticmethod
    def _unroll_as(index_symbol: Any, atom: Any, run: Callable[[], Any]) -> Any:
        """Name the loop in an :class:`Unroll` by the symbol its caller knows."""
        try:
            return run()
        except Unroll as need:
            if need.symbol in index_symbol.atoms():
                raise Unroll(atom, need.reason) from None
            raise

    # ---- while -------------------------------------------------------------------------------
    def while_(self, test: Callable[[], Any], body: Callable[[], Any],
               orelse: Callable[[], Any] | None = None,
               rest: Callable[[], Any] | None = None) -> Any:
        return self._loop_end(self._run_while(test, body, rest is not None), orelse, rest)

    def _run_while(self, test: Callable[[], Any], body: Callable[[], Any], returns: bool) -> Any:
        """Loops over static state run as Python while their test stays static; others are
        staged."""
        layers, region = len(self.journal.layers), self.region
        nodes = len(region.builder.nodes)
        self.journal.push()
        outcome = self._try_static(test, body)
        if outcome is not None:
            self.journal.commit()
            return outcome[0]
        self._unwind(layers, region, nodes)
        return self._trace_loop("while", [], test, None, body, "while")

    def _try_static(self, test: Callable[[], Any], body: Callable[[], Any]) -> Any:
        """Run a while as Python if its test stays static for a few iterations and ends."""
        for _ in range(UNROLL_LIMIT):
            known = self.static_truth(test())
            if known is None:
                return None
            if not known:
                return (NORMAL,)
            before = self.node_count
            jump = body()
            if isinstance(jump, Jump):
                return None
            if jump in (BREAK, RETURN, RAISE):
                return (jump,)
            if self.node_count > before + 2000:
                return None
        return None

    # ---- the fixed point ---------------------------------------------------------------------
    def _trace_loop(self, kind: str, inits: list[Value], test: Callable[[], Any] | None,
                    start: tuple[Any, Callable[[Any], None]] | None, body: Callable[[], Any],
                    user: str) -> Any:
        forms: dict[tuple[Any, ...], Carried] = {}
        site = self.site(body)
        remembered = self.forms.get(site)
        if remembered is not None:
            self._recall(forms, remembered)
        done = None
        outer_dropped, self.dropped = self.dropped, set()
        try:
            done = self._settle(kind, forms, test, start, body)
        finally:
            self.dropped = outer_dropped
        if done is None:
            return self._trace_loop("while", inits, None, start, _test_first(self, test, body),
                                    user)
        self.forms[site] = self._remembered(forms)
        return self._finish(kind, inits, forms, done, user, site)

    def _settle(self, kind: str, forms: dict[tuple[Any, ...], Carried],
                test: Callable[[], Any] | None,
                start: tuple[Any, Callable[[Any], None]] | None,
                body: Callable[[], Any]) -> Round | None:
        """Trace rounds until the forms cover what the body leaves behind."""
        for _ in range(MAX_ROUNDS):
            done = self._round(kind, forms, test, start, body)
            if done is None or not self._widen(forms, done):
                return done
            self.rounds += 1
        raise self.fatal(JoinError(
            "a loop's variables do not settle on one kind",
            why="each iteration changes their type or structure again",
            fix="make each variable keep its kind from one iteration to the next"))

    rounds: int

    def site(self, body: Callable[[], Any]) -> Any:
        """What identifies a loop for remembered forms: its code, and the calls around it."""
        return (body.__code__, tuple(self.call_sites))

    call_sites: list[Any]

    def _remembered(self, forms: dict[tuple[Any, ...], Carried]) -> list[tuple[Any, Shape]]:
        """The forms to start from at the next visit.  A version is remembered by a variable
        that holds the array, since each visit may have other arrays there."""
        holders = {id(value.home): Slot(frame, name) for frame in self.frames
                   for name, value in frame.slots.items() if type(value) is ArrayTracer}
        kept: list[tuple[Any, Shape]] = []
        for carried in forms.values():
            if isinstance(carried.cell, Slot):
                kept.append((carried.cell, carried.shape))
            elif isinstance(carried.cell, Version) and id(carried.cell.owner) in holders:
                kept.append((Holder(holders[id(carried.cell.owner)]), carried.shape))
        return kept

    frames: list[Frame]

    def _recall(self, forms: dict[tuple[Any, ...], Carried],
                remembered: list[tuple[Any, Shape]]) -> None:
        """Start from the form an earlier visit of the same loop arrived at."""
        joining = self.join()
        live = {id(frame) for frame in self.frames}
        for cell, shape in remembered:
            if isinstance(cell, Holder):
                value = cell.slot.get()
                if id(cell.slot.owner) in live and type(value) is ArrayTracer and (
                        value.home.lost is None):
                    version = Version(value.home)
                    entry = version.get()
                    leaf = Leaf(entry.aval, version_of=value.home)
                    forms[version.key] = Carried(version, leaf, entry)
                continue
            entry = cell.get()
            if id(cell.owner) not in live or (entry is UNBOUND and not isinstance(shape, Leaf)):
                continue
            wider, _ = widen(joining, shape, entry, entry)
            forms[cell.key] = Carried(cell, wider, entry)

    def _round(self, kind: str, forms: dict[tuple[Any, ...], Carried],
               test: Callable[[], Any] | None, start: tuple[Any, Callable[[Any], None]] | None,
               body: Callable[[], Any]) -> Round | None:
        """Trace the test and the body once on the present form; None if the test mutates."""
        done = Round(forms, {}, NORMAL, Region(self.region), None, None, None)
        if kind == "while" and test is not None:
            done.test = Region(self.region)
            tested = self._in_region(done.test, forms, lambda: self._run_test(test, done))
            if any(not isinstance(c.cell, (Version, Lost, Stored)) or c.cell.key not in forms
                   for k, c in tested.items() if k not in forms or c.after is not
                   forms[k].head):
                return None
        elif kind == "while":
            done.test = Region(self.region)
            self._in_region(done.test, forms, lambda: self._always(done))

        index = None if start is None else Value(int_aval(start[0]))

        def run() -> None:
            if start is not None and index is not None:
                start[1](self.wrap(index))
            done.jump = body() or NORMAL

        done.changes = self._in_region(done.region, forms, run, index)
        return done

    def _run_test(self, test: Callable[[], Any], done: Round) -> None:
        value = test()
        known = self.static_truth(value)
        tested = value if known is not None else self.predicate(value)
        if type(tested) is bool:
            known = tested
        done.predicate = self.const(known) if known is not None else self.value_of(tested)

    def _always(self, done: Round) -> None:
        done.predicate = self.const(True)

    def _in_region(self, region: Region, forms: dict[tuple[Any, ...], Carried],
                   run: Callable[[], None], index: Value | None = None
                   ) -> dict[tuple[Any, ...], Change]:
        """Run a part of a loop in its region, with parameters in the carried cells."""
        outer = self.region
        self.journal.push()
        self.region = region
        try:
            if index is not None:
                region.builder.params.append(index)
            self._enter_forms(region, forms)
            run()
        finally:
            changes, _ = self.journal.pop()
            self.region = outer
            region.active = False
        return changes

    def _enter_forms(self, region: Region, forms: dict[tuple[Any, ...], Carried]) -> None:
        """Put parameters into the carried cells."""
        made_homes: list[tuple[Carried, list[Any]]] = []
        for carried in forms.values():
            made = []
            carried.params = []
            for leaf in leaf_shapes(carried.shape):
                param = region.builder.param(leaf.aval)
                carried.params.append(param)
                param.hint = self._hint_of(carried.cell, leaf)
                made.append(self.object_of(leaf, param, []))
            made_homes.append((carried, list(made)))
            carried.head = build(carried.shape, made)
            self.journal.write(carried.cell, carried.head)
        self._link_heads(made_homes)

    def _hint_of(self, cell: Cell, leaf: Leaf) -> str | None:
        name = getattr(cell, "name", None)
        if leaf.version_of is not None:
            hint: str | None = leaf.version_of.current.hint
            return hint
        return name if isinstance(name, str) and name.isidentifier() else leaf.label

    def _link_heads(self, made: list[tuple[Carried, list[Any]]]) -> None:
        """Carried arrays may be one at the loop's head if they were at the entry or at the end
        of an iteration; they may also be an array that lives outside."""
        sets: list[tuple[Home, set[int]]] = []
        for carried, objects in made:
            for side in ("entry", "end"):
                state = getattr(carried, side)
                if state is None or state is UNBOUND:
                    continue
                for tracer, part in zip(objects, leaves(carried.shape, state), strict=False):
                    if type(tracer) is not ArrayTracer or type(part) is not ArrayTracer:
                        continue
                    found = reach(part.home)
                    sets.append((tracer.home, {id(h) for h in found}))
                    for home in found:
                        if home.region is not None and home.region.active:
                            tracer.home.aliases.append((home, home.current))
        link_overlaps(sets)

    def _widen(self, forms: dict[tuple[Any, ...], Carried], done: Round) -> bool:
        """Compare the ends of a round with its heads; True if some form became wider."""
        joining = self.join()
        wide = False
        before = self._partition(forms)
        for key, carried in forms.items():
            change = done.changes.get(key)
            carried.end = change.after if change is not None else carried.entry
            if isinstance(carried.cell, (Version, Lost, Stored)):
                continue
            carried.shape, changed = widen(joining, carried.shape, carried.head, carried.end)
            self._check_content(carried.cell, carried.shape)
            wide = wide or changed
        if not wide and self._partition(forms) != before:
            wide = True
        for key, carried in forms.items():
            if not wide and isinstance(carried.shape, Leaf) and carried.shape.steady and (
                    not self._steady(carried, done)):
                self.unsteady.add(key)
                carried.shape = Leaf(any_aval(carried.shape.aval.dtype),
                                     label=carried.shape.label)
                wide = True
        for key in [k for k, c in forms.items() if c.end is c.head and k not in self.dropped
                    and not isinstance(c.shape, Same)]:
            self.dropped.add(key)
            del forms[key]
            wide = True
        for key, change in done.changes.items():
            if key in forms or (isinstance(change.cell, (Lost, Stored)) and change.before):
                continue
            shape = self._first_form(joining, change)
            forms[key] = Carried(change.cell, shape, change.before, end=change.after)
            wide = True
        return wide

    def _partition(self, forms: dict[tuple[Any, ...], Carried]) -> list[Any]:
        """Which carried arrays are one buffer at the end of an iteration, and which belong to
        the world outside of the loop: what the next head must know as possible aliases."""
        labels: list[Any] = []
        first: dict[int, int] = {}
        for carried in forms.values():
            if carried.end is None:
                continue
            for part in leaves(carried.shape, carried.end):
                if type(part) is not ArrayTracer:
                    continue
                home = part.home
                outer = home.region is not None and home.region.active
                labels.append(id(home) if outer else first.setdefault(id(home), len(labels)))
                labels.extend(sorted(id(h) for h in reach(home)
                                     if h.region is not None and h.region.active))
        return [x for i, x in enumerate(labels) if x != i]

    def _first_form(self, joining: Join, change: Change) -> Shape:
        cell = change.cell
        if isinstance(cell, Version):
            return Leaf(change.before.aval, version_of=cell.owner)
        if isinstance(cell, (Lost, Stored)):
            return Same(change.after)
        shape = joining.unify(change.before, change.after)
        self._check_content(cell, shape)
        if isinstance(shape, Leaf) and type(change.before) in (int, float) and (
                type(change.after) is ArrayTracer) and change.after.aval.kind is Kind.ARRAY and (
                change.cell.key not in self.unsteady):
            # ``s = 0`` before a loop that adds arrays to it: the type is that of the sums
            return Leaf(change.after.aval, label=shape.label, steady=True)
        return _opened(joining, shape)

    def _check_content(self, cell: Cell, shape: Shape) -> None:
        """The content of a container has no poisoned state: it must have a common form."""
        if isinstance(cell, Content) and isinstance(shape, Failed):
            raise self.fatal(shape.error)

    def _steady(self, carried: Carried, done: Round) -> bool:
        """Do the facts of a steady leaf hold for the number it starts from as well?  They do
        if whatever reads it has the array's shape anyway, by its other operands."""
        (leaf,), (param,) = leaf_shapes(carried.shape), carried.params
        return all(_same_shape_without(node, param, leaf.aval)
                   for node in walk(Block((), tuple(done.region.builder.nodes), ()))
                   if param in node.inputs)

    # ---- the node ------------------------------------------------------------------------------
    def _finish(self, kind: str, inits: list[Value], forms: dict[tuple[Any, ...], Carried],
                done: Round, user: str, site: Any) -> Any:
        jump = done.jump
        codes = _leaving(jump)
        runs = self._needs_runs(forms) and self._runs(inits)
        entries, ends, avals = self._edges(forms, done, runs)
        outputs_of_body = ([] if not codes else [self._leave_value(done, jump)])
        body_params = done.region.builder.params
        carried = list(forms.values())
        keep, last = self._split_last(carried, done)
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
        outputs = self.emit("loop", (*inits, *(entries[i] for i in keep)), tuple(out_avals),
                            blocks, loop=spec)
        results = dict(zip(order, outputs[1 if codes else 0:], strict=False))
        self._leave_forms(carried, results, site, runs)
        if not codes:
            return NORMAL
        return self._loop_jump(codes, outputs[0])

    def _edges(self, forms: dict[tuple[Any, ...], Carried], done: Round, runs: bool
               ) -> tuple[list[Value], list[Value], list[Aval]]:
        """Initial and next values, and the types of the results, leaf by leaf."""
        entries: list[Value] = []
        ends: list[Value] = []
        avals: list[Aval] = []
        for carried in forms.values():
            for leaf, part in zip(leaf_shapes(carried.shape),
                                  leaves(carried.shape, carried.entry), strict=True):
                entries.append(self.leaf_value(part, leaf.aval))
                avals.append(self._result_aval(leaf, runs))
        self.journal.push()
        outer, self.region = self.region, done.region
        done.region.active = True
        for change in done.changes.values():
            self.journal.write(change.cell, change.after)
        for carried in forms.values():
            for leaf, part in zip(leaf_shapes(carried.shape),
                                  leaves(carried.shape, carried.end), strict=True):
                ends.append(self.leaf_value(part, leaf.aval))
        self.journal.pop()
        done.region.active = False
        self.region = outer
        return entries, ends, avals

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
        spare = add(range_length(*exprs), -1)  # type: ignore[arg-type]
        if is_varying(spare):
            return proves_nonnegative(spare)
        if isinstance(spare, int) or proves_nonnegative(spare):
            return not isinstance(spare, int) or spare >= 0
        self.guard_size("ge0", spare)
        return bool(evaluate(spare, self.numbers) >= 0)

    def _result_aval(self, leaf: Leaf, runs: bool) -> Aval:
        """Sizes and numbers that vary from round to round are fresh after the loop."""
        aval = leaf.aval
        if leaf.steady and not runs:
            return any_aval(aval.dtype)
        if aval.kind is Kind.INT and isinstance(aval.expr, Poly) and -1 in leaf.opened:
            return aval.but(expr=self.fresh("i", low=aval.expr.atoms()[0].low))
        if aval.kind is Kind.ARRAY and leaf.opened:
            shape = tuple(self.fresh("k") if axis in leaf.opened else size
                          for axis, size in enumerate(aval.shape or ()))
            return aval.but(shape=shape)
        return aval

    def _leave_value(self, done: Round, jump: Any) -> Value:
        if isinstance(jump, Jump):
            return jump.leave if isinstance(jump.leave, Value) else self._in_body(
                done, jump.leave)
        return self._in_body(done, jump)

    def _in_body(self, done: Round, code: int) -> Value:
        outer, self.region = self.region, done.region
        value = self.const(code)
        self.region = outer
        return value

    def _split_last(self, carried: list[Carried], done: Round) -> tuple[list[int], list[int]]:
        """Leaf numbers of what is carried, and of what only the last iteration decides (not
        bound before the loop, and not read at its head)."""
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
            for param, part, end in zip(c.params, parts, ends, strict=True):
                fixed = type(end) is ScalarTracer and end.value is param
                if part is UNBOUND and param not in used and not fixed:
                    last.append(number)
                else:
                    keep.append(number)
                number += 1
        return keep, last

    def _leave_forms(self, carried: list[Carried], results: dict[int, Value],
                     site: Any, runs: bool) -> None:
        """Put the results into the cells; arrays that were carried under another name and
        written to are not known under their old name any more."""
        number = 0
        sets: list[tuple[Home, set[int]]] = []
        for c in carried:
            made: list[Any] = []
            entry_parts = leaves(c.shape, c.entry)
            end_parts = leaves(c.shape, c.end)
            head_parts = leaves(c.shape, c.head)
            for leaf, entry, end, head in zip(leaf_shapes(c.shape), entry_parts, end_parts,
                                              head_parts, strict=True):
                value = results[number]
                number += 1
                value.hint = self._hint_of(c.cell, leaf)
                self.list_sites[value] = site
                result = self.object_of(leaf, value, [])
                made.append(result)
                if type(result) is ArrayTracer:
                    found = [h for p in ((end,) if runs else (entry, end))
                             if type(p) is ArrayTracer for h in reach(p.home)]
                    sets.append((result.home, {id(h) for h in found}))
                    result.home.aliases.extend(
                        (h, h.current) for h in found
                        if h.region is not None and h.region.active)
                if type(head) is ArrayTracer and head.home.written and (
                        type(entry) is ArrayTracer):
                    self._lose_entry(entry.home, head.home)
            self.journal.write(c.cell, build(c.shape, made))
        link_overlaps(sets)

    def _lose_entry(self, home: Home, head: Home) -> None:
        for member in (home.choice or ())[1:]:
            self._lose_entry(member.home, head)
        if home.lost is None:
            self.journal.write(Lost(home), (
                f"the array was carried round a loop under the name {head.label!r} and "
                "written to there"))

    def _loop_jump(self, codes: frozenset[int], leave: Value) -> Any:
        everything = codes | {NORMAL}
        tracer_back: Any = NORMAL
        if RETURN in codes:
            tracer_back = leave if BREAK not in codes else self._only_return(leave)
        return Jump(everything, leave, leave, tracer_back)

    def _only_return(self, leave: Value) -> Value:
        """The jump with BREAK counted as NORMAL."""
        test = self.compare("==", self.wrap(leave), RETURN)
        chosen = self.choose(self.value_of(test), lambda: RETURN, lambda: NORMAL)
        return self.as_value(chosen)


def _leaving(jump: Any) -> frozenset[int] | None:
    """The jumps by which a body leaves its loop; None if it never does."""
    if isinstance(jump, Jump):
        codes = jump.codes & {BREAK, RETURN}
    else:
        codes = frozenset({jump} & {BREAK, RETURN})
    return codes or None


def _opened(joining: Join, shape: Shape) -> Shape:
    """Ints that change in a loop get a symbol of their own at once."""
    for leaf in leaf_shapes(shape):
        if leaf.aval.kind is Kind.INT:
            leaf.opened = leaf.opened | {-1}
            leaf.aval = leaf.aval.but(expr=joining.fresh("i", low=leaf.aval.expr.atoms()[0].low
                                                         if leaf.aval.expr is not None
                                                         and not isinstance(leaf.aval.expr, int)
                                                         and leaf.aval.expr.atoms() else None))
        elif leaf.aval.kind is Kind.ARRAY:
            leaf.opened = frozenset(
                axis for axis, size in enumerate(leaf.aval.shape or ())
                if not isinstance(size, int) and size.atoms()
                and size.atoms()[0].name == "k" and size.atoms()[0].varying)
    return shape


def _same_shape_without(node: Node, param: Value, aval: Aval) -> bool:
    """Does the node's result have this shape even if ``param`` were a number?"""
    if node.op != "apply" or node.params["fn"] not in ELEMENTWISE:
        return False
    others = [v for v in node.inputs if v is not param]
    return any(v.aval.kind is Kind.ARRAY and v.aval.shape == aval.shape for v in others)


def _test_first(machine: Any, test: Callable[[], Any] | None,
                body: Callable[[], Any]) -> Callable[[], Any]:
    """The body of ``while True`` that tests first: for tests that change state."""
    assert test is not None

    def tested_body() -> Any:
        return machine.if_(test(), body, lambda: BREAK)

    return tested_body
