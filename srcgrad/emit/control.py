"""Branches, loops and jumps as statements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

import numpy as np

from srcgrad.emit.comments import BACKWARD, Comments, comment
from srcgrad.emit.conditionals import (
    chosen,
    is_statement,
    nested,
    read_in_place,
    reads_within,
    same_move,
)
from srcgrad.emit.counting import length_of_range, range_of
from srcgrad.emit.expressions import Expressions, inverted, truth
from srcgrad.emit.facts import gone_through, is_row
from srcgrad.emit.fold import Folding
from srcgrad.emit.literals import call, name
from srcgrad.emit.naming import LoopNames, Naming
from srcgrad.emit.sizes import Shape, Sizes, constant_int, dim_expression
from srcgrad.emit.statements import Plain, Stmts, Store, after_moves, assign, parallel
from srcgrad.emit.trees import names_in, target_of
from srcgrad.emit.unbound import Unbound
from srcgrad.graph.checking import checks
from srcgrad.graph.ir import Block, Node, Value, is_adjoint
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.raising import may_raise
from srcgrad.graph.records import stacked_records
from srcgrad.types.dataclasses import dataclass, replace
from srcgrad.types.dims import Atom, add, multiply, proves_nonnegative
from srcgrad.types.kinds import Kind
from srcgrad.types.spelling import begin_cleanup, begin_guarded, end_cleanup

MARKERS = (begin_guarded, begin_cleanup, end_cleanup)


@dataclass(frozen=True)
class End:
    """What happens when a block ends: assignments, and the jump out of a loop.

    ``moves`` are (variable, value) pairs; ``jump`` is the value that tells whether to leave
    the loop, stored in the variable ``jump_name`` if something after the loop reads it.
    ``stores`` are elements to keep before the moves.
    """

    moves: tuple[tuple[str, Value], ...] = ()
    stores: tuple[tuple[Value, Store], ...] = ()
    jump: Value | None = None
    jump_name: str | None = None

    def through(self, node: Node, arm: int) -> End:
        """The end of an arm whose ``if`` is the last node of the block."""
        inner = dict(zip(node.outputs, node.blocks[arm].outputs, strict=True))
        moves = tuple((t, inner.get(v, v)) for t, v in self.moves)
        jump = None if self.jump is None else inner.get(self.jump, self.jump)
        return replace(self, moves=moves, jump=jump)


class Control(Plain):
    """Statements of whole blocks."""

    def __init__(self, naming: Naming, folding: Folding, sizes: Sizes, expressions: Expressions,
                 comments: Comments) -> None:
        super().__init__(naming, folding, sizes, expressions, comments)
        self.unbound = Unbound(naming, folding)
        # outcomes of inner branches that are stored, and read behind the outer branch too
        self.handed_on: set[Value] = set()
        self.forward: Block | None = None  # the forward part, while that is printed

    # ---- blocks ----------------------------------------------------------------------
    def block(self, block: Block, end: End, first: Sequence[ast.stmt] = ()) -> Stmts:
        """The statements of a block, then what its end demands."""
        stmts: Stmts = list(first)
        self.moved.update(v for t, v in end.moves if t != "_")
        nodes = [n for n in block.nodes if n not in self.folding.inlined and (
            n.op != "const" or n.out in self.naming.of or n.out in self.stores)]
        guarded: list[tuple[int, Stmts]] = []
        turn = None if self.forward in (None, block) else next(
            (i for i, n in enumerate(nodes) if is_adjoint(n)), None)
        for i, node in enumerate(nodes):
            if i and i == turn:
                stmts.append(comment(BACKWARD))
            if node.op == "effect" and node.params["fn"] in MARKERS:
                self.guard(node.params["fn"], guarded, stmts)
            elif node.op == "if" and not self.folding.is_expression(node):
                if i == len(nodes) - 1 and end.jump in node.outputs and (
                        not reads_within([*(v for _, v in end.moves), *(v for v, _ in end.stores)],
                                         node, self.folding)):
                    self.keep(end.stores, stmts)
                    self.tail(node, replace(end, stores=()), stmts)
                    return stmts
                self.branch(node, stmts)
            elif node.op == "if":
                self.plain(node, stmts)
            elif node.op == "loop":
                self.loop(node, stmts)
            else:
                self.plain(node, stmts)
        self.finish(end, stmts)
        return stmts

    @staticmethod
    def guard(marker: object, guarded: list[tuple[int, Stmts]], stmts: Stmts) -> None:
        """The statements between the markers of :mod:`srcgrad.types.spelling` as ``try`` and
        ``except``."""
        if marker is begin_guarded:
            guarded.append((len(stmts), []))
        elif marker is begin_cleanup:
            start, body = guarded[-1]
            body.extend(stmts[start:])
            del stmts[start:]
        else:
            start, body = guarded.pop()
            clean = [*stmts[start:], ast.Raise()]
            del stmts[start:]
            if body:
                handler = ast.ExceptHandler(name("BaseException"), None, clean)
                stmts.append(ast.Try(body, [handler], [], []))

    def keep(self, stores: Sequence[tuple[Value, Store]], stmts: Stmts) -> None:
        for value, store in stores:
            stmts.append(store.statement(self.e.of(value)))

    def finish(self, end: End, stmts: Stmts) -> None:
        if stmts and isinstance(stmts[-1], ast.Raise):
            return
        self.keep(end.stores, stmts)
        moves = [(t, self.e.of(v)) for t, v in end.moves if t != "_" and (
            not self.unbound.is_undefined(v) or t in self.unbound.copied)]
        number = 0 if end.jump is None else constant_int(end.jump, self.folding)
        if end.jump is None or number == 0:
            stmts.extend(parallel(moves))
            return
        code = self.e.of(end.jump)
        if end.jump_name is not None:
            stmts.extend(parallel([*moves, (end.jump_name, code)]))
            after: ast.expr | None = name(end.jump_name)
        else:
            after = after_moves(code, moves)
            stmts.extend(parallel(moves) if after is not None else ())
        if number is not None:
            stmts.append(ast.Break())
        elif after is not None:
            stmts.append(ast.If(truth(after), [ast.Break()], []))
        else:  # the test is made before the moves
            stmts.append(ast.If(truth(code), [*parallel(moves), ast.Break()], []))
            stmts.extend(parallel(moves))

    # ---- branches --------------------------------------------------------------------
    def branch(self, node: Node, stmts: Stmts) -> None:
        names = [self.name_of(v) for v in node.outputs]
        sunk = [v for i, v in enumerate(node.outputs) if v in self.stores
                and any(self.unbound.may_be_nothing(b.outputs[i]) for b in node.blocks)]
        stored = {v for v in sunk if self.folding.users.get(v) == 1  # and not read otherwise
                  and v not in self.unbound.moved_on and v not in self.handed_on}
        self.handed_on.update(b.outputs[i] for i, v in enumerate(node.outputs)
                              if v in sunk and v not in stored for b in node.blocks)
        arms: list[Stmts] = []
        for inner in node.blocks:
            first, late = self.attach(node, inner, sunk)
            end = End(tuple((n, v) for n, v, out in zip(
                names, inner.outputs, node.outputs, strict=True)
                if n != "_" and out not in stored), tuple(late))
            arms.append(self.block(inner, end, first))
        self.conditional(node, arms, stmts)
        for v in node.outputs:
            if v not in sunk:
                for store in self.stores.get(v, ()):
                    stmts.append(store.statement(self.e.of(v)))

    def attach(self, node: Node, inner: Block,
               sunk: Sequence[Value]) -> tuple[Stmts, list[tuple[Value, Store]]]:
        """Hands the stores of an ``if``'s outcomes to the values of one arm: statements for
        the arm's start, and stores for its end."""
        first: Stmts = []
        late: list[tuple[Value, Store]] = []
        for out, value in zip(node.outputs, inner.outputs, strict=True):
            if out in sunk:
                for store in self.stores[out]:
                    self.assign_store(inner, value, store, first, late)
        return first, late

    def assign_store(self, block: Block, value: Value, store: Store, first: Stmts,
                     late: list[tuple[Value, Store]]) -> None:
        """Where in ``block`` is ``value`` stored: at its definition, the start or the end."""
        node = self.folding.producer.get(value)
        if self.unbound.is_nothing(value):
            if not store.places and not store.stack:
                first.append(store.statement(ast.Constant(None)))
        elif node is not None and node.op == "const":
            first.append(store.statement(self.e.of(value)))
        elif node is not None and node in self.folding.inlined:
            late.append((value, store))
        elif node is not None and any(node is n for n in block.nodes):
            self.stores.setdefault(value, []).append(store)
        else:
            first.append(store.statement(self.e.of(value)))

    def conditional(self, node: Node, arms: list[Stmts], stmts: Stmts) -> None:
        test = self.e.of(node.inputs[0])
        then, orelse = arms
        common: Stmts = []
        while then and orelse and same_move(then[-1], orelse[-1]):
            common.insert(0, then.pop())
            orelse.pop()
        if not then and not orelse:
            if not is_adjoint(node) and self.is_checked(node.inputs[0]):
                stmts.append(ast.If(test, [ast.Pass()], []))
            stmts.extend(common)
            return
        if not then:
            test, then, orelse = inverted(test), orelse, []
        one = None if is_statement(node) else chosen(test, then, orelse)
        if not orelse and is_adjoint(node):
            test, then = nested(test, then)
        statement = one or ast.If(test, then, orelse)
        self.comments.mark(statement, node)
        stmts.extend([statement, *common])

    def is_checked(self, value: Value) -> bool:
        """Does the text of a test, where nothing depends on its outcome, read what may raise?"""
        node = self.folding.producer.get(value)
        if value.aval.kind in (Kind.ARRAY, Kind.ANY):
            return True
        return node is not None and node in self.folding.inlined and (
            checks(node) or may_raise(node) or any(map(self.is_checked, node.inputs)))

    def tail(self, node: Node, end: End, stmts: Stmts) -> None:
        """An ``if`` at the end of a loop's body that decides about a jump."""
        sunk = [v for v in node.outputs if v in self.stores]
        arms: list[Stmts] = []
        for arm, inner in enumerate(node.blocks):
            first, late = self.attach(node, inner, sunk)
            through = replace(end.through(node, arm), stores=tuple(late))
            arms.append(self.block(inner, through, first))
        then, orelse = arms
        if then and isinstance(then[-1], ast.Break):
            self.conditional(node, [then, []], stmts)
            stmts.extend(orelse)
        elif orelse and isinstance(orelse[-1], ast.Break):
            self.conditional(node, [[], orelse], stmts)
            stmts.extend(then)
        else:
            self.conditional(node, arms, stmts)

    # ---- loops -----------------------------------------------------------------------
    def loop(self, node: Node, stmts: Stmts) -> None:
        spec, names, plan = node.loop, self.naming.loops[node], self.sizes.plan(node)
        parts = LoopParts(node)
        inits = parts.inits
        before: Stmts = []
        self.before(node, names, before)
        kept_unbound = self.unbound.elements(parts)
        before += parallel([(n, self.e.of(v)) for n, v in zip(names.slots, inits, strict=False)
                            if not self.unbound.is_undefined(v) or n in kept_unbound or (
                                n in self.unbound.copied)] + [
            (n, ast.Constant(None)) for n in names.slots[len(inits):]  # there may be no iteration
            if n in self.unbound.copied and not self.bounds(node, n)])
        self.add(stmts, node, *before)
        first: Stmts = []
        late: list[tuple[Value, Store]] = []
        if names.trips is not None and (spec.exits or spec.kind == "while"):
            first.append(ast.AugAssign(ast.Name(names.trips, ast.Store()), ast.Add(),
                                       ast.Constant(1)))
        self.elements(node, first)
        for (element, sequence, stacked), shape in zip(parts.kept, plan.shapes, strict=True):
            indexed = shape is not None or sequence in plan.sparse
            ordinal = self.e.ordinal(node) if indexed else None
            if element in self.sizes.into:
                continue  # the inner loop writes it in place
            copied = stacked and shape is None and element.aval.kind is Kind.ARRAY
            places = () if ordinal is None else (*self.row(node, sequence), ordinal)
            store = Store(self.name_of(sequence), places, copied, element.aval.optional,
                          sequence in plan.stacks)
            self.assign_store(node.blocks[-1], element, store, first, late)
        end = End(tuple(zip(names.slots, parts.next + parts.last, strict=True)), tuple(late),
                  parts.jump, names.jump)
        inner = self.block(node.blocks[-1], end)
        statement = self.for_loop(node, names, first, inner) if spec.kind == "for" else (
            self.while_loop(node, [*first, *inner]))
        self.comments.mark(statement, node)
        stmts.append(statement)
        for (element, sequence, _), shape in zip(parts.kept, plan.shapes, strict=True):
            if shape is None and spec.reverse and sequence not in plan.sparse:
                reverse = ast.Attribute(name(self.name_of(sequence)), "reverse", ast.Load())
                stmts.append(ast.Expr(call(reverse)))
            if sequence in plan.gathered:
                items = name(self.name_of(sequence))
                made = call(self.e.space.function(np.array), items)
                if element.aval.optional:
                    rank = ast.Constant(len(element.aval.shape or ()))
                    made = call(self.e.space.function(stacked_records), items, rank)
                stmts.append(assign(self.name_of(sequence), made))
        for v in node.outputs:
            for store in self.stores.get(v, ()):
                stmts.append(store.statement(self.e.of(v)))

    def bounds(self, node: Node, named: str) -> bool:
        """Is a variable read where a loop begins?"""
        return node.loop.kind == "for" and named in names_in(self.range(node))

    def before(self, node: Node, names: LoopNames, before: Stmts) -> None:
        """Sequences and counters start."""
        spec, plan = node.loop, self.sizes.plan(node)
        count: ast.expr | None = None
        counted = spec.kind == "for"
        if names.trips is not None and counted and not spec.exits:
            before.append(assign(names.trips, self.trips(node)))
            count = name(names.trips)
        elif names.trips is not None:
            before.append(assign(names.trips, ast.Constant(0)))
        if plan.arrays and count is None:
            count = self.trips(node)
            if names.count is not None:
                before.append(assign(names.count, count))
                count = name(names.count)
        if names.jump is not None:
            before.append(assign(names.jump, ast.Constant(0)))
        for (_, sequence, _), shape in zip(LoopParts(node).kept, plan.shapes, strict=True):
            start: ast.expr = ast.List([], ast.Load())
            if sequence in plan.rows:
                continue
            if sequence in plan.sparse:
                nothing = ast.List([ast.Constant(None)], ast.Load())
                start = ast.BinOp(nothing, ast.Mult(), self.count(node))
            elif shape is not None and count is not None:
                start = self.empty(count, shape)
            before.append(assign(self.name_of(sequence), start))

    def row(self, node: Node, sequence: Value) -> list[ast.expr]:
        """Where an outer loop's array has the row that a loop keeps its elements in."""
        found = self.sizes.plan(node).rows.get(sequence)
        if found is None:
            return []
        outer, rows = found
        return [*self.row(outer, rows), self.e.ordinal(outer)]

    def trips(self, node: Node) -> ast.expr:
        """The number of iterations of a counted loop."""
        start, stop, step = (v.aval.expr for v in node.inputs[:3])
        if start is not None and stop is not None and isinstance(step, int) and abs(step) == 1 and (
                proves_nonnegative(multiply(step, add(stop, multiply(-1, start))))):
            return self.count(node)
        return call("len", self.range(node))

    def count(self, node: Node) -> ast.expr:
        """The number of iterations of a counted loop, or one below zero."""
        bounds = [self.e.of(v) for v in node.inputs[:3]]
        return length_of_range(bounds) or call("len", range_of(bounds))

    def empty(self, count: ast.expr, shape: Shape) -> ast.expr:
        """``np.empty((n, *u.shape))``."""
        self.e.space.imports["import numpy as np"] = None
        sizes: list[ast.expr] = [count]
        if shape.like is not None:
            like = ast.Attribute(self.e.of(shape.like), "shape", ast.Load())
            sizes.append(ast.Starred(like, ast.Load()))
        else:
            sizes += [dim_expression(d, lambda a: self.size(shape, a)) for d in shape.dims]
        args: list[ast.expr] = [sizes[0] if len(sizes) == 1 else ast.Tuple(sizes, ast.Load())]
        if str(shape.dtype) != "float64":
            args.append(self.e.space.literal(shape.dtype))
        return call("np.empty", *args)

    def size(self, shape: Shape, atom: Atom) -> ast.expr | None:
        found = shape.sources.get(atom)
        if found is None:
            return None
        value, axis = found
        if axis is None:
            return self.e.of(value)
        sizes = ast.Attribute(self.e.of(value), "shape", ast.Load())
        return ast.Subscript(sizes, ast.Constant(axis), ast.Load())

    def elements(self, node: Node, first: Stmts) -> None:
        """Elements that are used more than once are bound at the top of the body."""
        spec = node.loop
        if not spec.n_consumed:
            return
        params = node.blocks[-1].params[-spec.n_consumed:]
        for element, sequence in zip(params, node.inputs[-spec.n_consumed:], strict=True):
            if element in self.sizes.elements or element not in self.naming.live.last:
                continue
            first.append(assign(self.name_of(element), self.e.element(element, node, sequence)))
            first[-1].node = node  # type: ignore[attr-defined]

    def range(self, node: Node) -> ast.expr:
        """``range(n)``, with as few arguments as will do."""
        return range_of([self.e.of(v) for v in node.inputs[:3]])

    def over_rows(self, node: Node, names: LoopNames, kept: Stmts,
                  body: Stmts) -> ast.stmt | None:
        """``for row in X:`` where the user wrote that, ``for a, b in zip(X, Y):``, ``for i, row in
        enumerate(X):`` if the index serves something else.  ``kept`` is what comes first."""
        inner, index = node.blocks[-1], node.blocks[-1].params[0]
        ordinal = self.sizes.plan(node).ordinal
        if node.loop.user != "rows" or node.loop.reverse or names.ordinal is not None or (
                ordinal not in ("none", "index")):
            return None
        whole = gone_through(node.inputs[1], self.folding.producer)
        targets: dict[Value, ast.expr] = {}
        for made, stmt in zip((n for n in inner.nodes if n not in self.folding.inlined), body):
            named = target_of(stmt)
            if not made.inputs or made.inputs[0] not in whole or not is_row(made, index) or (
                    made.inputs[0] in inner.params or made.inputs[0] in targets
                    or named != self.name_of(made.out) or named in names_in(*kept)):
                break
            targets[made.inputs[0]] = ast.Name(named, ast.Store())
        if not targets or targets.keys() != whole:
            return None
        target, *more = targets.values()
        iterated, *others = map(self.e.of, targets)
        if more:
            target = ast.Tuple([target, *more], ast.Store())
            iterated = call("zip", iterated, *others)
        if self.folding.users.get(index) != len(targets) or ordinal != "none":
            target = ast.Tuple([ast.Name(names.index, ast.Store()), target], ast.Store())
            iterated = call("enumerate", iterated)
        return ast.For(target, iterated, [*kept, *body[len(targets):]] or [ast.Pass()], [])

    def for_loop(self, node: Node, names: LoopNames, kept: Stmts, body: Stmts) -> ast.stmt:
        rows = self.over_rows(node, names, kept, body)
        if rows is not None:
            return rows
        body = [*kept, *body]
        target: ast.expr = ast.Name(names.index, ast.Store())
        iterated = range_of([self.e.of(v) for v in node.inputs[:3]],
                            node.loop.reverse and names.index != "_")
        if names.ordinal is not None:
            target = ast.Tuple([ast.Name(names.ordinal, ast.Store()), target], ast.Store())
            if node.loop.reverse:
                count = call("range", call("len", self.range(node)))
                iterated = call("zip", call("reversed", count), iterated)
            else:
                iterated = call("enumerate", iterated)
        return ast.For(target, iterated, body or [ast.Pass()], [])

    def while_loop(self, node: Node, body: Stmts) -> ast.stmt:
        test = node.blocks[0]
        before = self.block(test, End())
        predicate = self.e.of(test.outputs[0])
        made = [v for n in test.nodes for v in n.outputs
                if v in self.naming.of and self.folding.users.get(v) == 1]
        if len(before) == len(made) == 1:  # and is read in the test alone
            before, predicate = read_in_place(before, self.name_of(made[0]), predicate)
        if not before:
            return ast.While(predicate, body or [ast.Pass()], [])
        leave = ast.If(inverted(predicate), [ast.Break()], [])
        return ast.While(ast.Constant(True), [*before, leave, *body], [])
