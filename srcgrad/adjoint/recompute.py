"""Forward values that are computed again rather than saved.

Constants, arithmetic and comparisons of Python integers, sizes, and views of arrays that are
defined outside the region and never overwritten always; what else, is a matter of prices
(:mod:`srcgrad.graph.prices`, :mod:`.cut`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..graph.equality import key_of
from ..graph.ir import WRITES, Block, Builder, Index, Node, Value
from ..graph.parts import LoopParts
from ..graph.prices import NOMINAL, iteration, room, work
from ..graph.walking import free_values, rebuild, walk
from ..types.dataclasses import dataclass
from ..types.kinds import INT, SCALARS, Aval, Kind, int_aval
from ..types.spelling import begin_cleanup, end_cleanup
from .cut import Way, computed_again
from .lengths import Lengths
from .scope import Scope
from .sizes import Sizes

_CHEAP = frozenset({
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg,
    operator.pos, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
    operator.not_, min, max, bool, int,
})
FREE = 20.0  # nanoseconds: up to here nothing is kept
SHARE = 0.08  # of an iteration's time
PRICES = tuple(4.0 / 1.5 ** k for k in range(13))  # nanoseconds for a byte
NUMBERS = 2.3  # the same for Python's and NumPy's numbers: two operations
KEEPING = 30.0  # nanoseconds for a value
AFTER = 2.0  # the same for what is still there after the loop: more than an integer's sum takes
TRAFFIC = 0.15  # nanoseconds for a byte of an array that is written to new memory and read later
_INTEGERS = frozenset({Kind.INT, Kind.BOOL})


class Recompute:
    """Clones forward values into backward blocks."""

    def __init__(self, block: Block, scope: Scope, sizes: Sizes, priced: bool = True) -> None:
        """``priced``: not only what is free."""
        self._scope, self._sizes, self._priced = scope, sizes, priced
        self._node_of, self._block_of = scope.node_of, scope.block_of
        self.lengths = Lengths(block)
        self._stored: set[Value] = set()
        self._last_store: dict[int, int] = {}
        self._last_list: dict[Value, int] = {}
        self._first: dict[Value, Value] = {}  # of equal numbers
        self._numbers: dict[Block, dict[Any, Value]] = {}  # these, by what makes them equal
        self._anyway: set[Value] = set()  # those that the backward part computes in any case
        self._lists: dict[Value, Value] = {}  # lists of numbers that may be one, by one of them
        self._unite_lists(block)
        cleaning = False  # in what runs only where an exception leaves the function
        for node in walk(block):
            if node.op == "effect" and node.params["fn"] in (begin_cleanup, end_cleanup):
                cleaning = node.params["fn"] is begin_cleanup
            key = None if cleaning else self._key(node, self._first)
            if key is not None:
                home = self._numbers.setdefault(self._block_of[node.out], {})
                self._first[node.out] = home.setdefault(key, node.out)
            if node.op in WRITES:
                base = node.inputs[0]
                self._stored.add(base)
                if base.aval.kind is Kind.LIST:
                    whole = self._list(base)
                    self._last_list[whole] = max(self._last_list.get(whole, 0),
                                                 scope.position[node])
                if base.obj is not None:
                    self._last_store[base.obj] = scope.position[node]

    @staticmethod
    def _key(node: Node, same: Mapping[Value, Value]) -> Any:
        """What makes two numbers equal, given equal values; None for all else."""
        if node.op not in ("read", "apply") or len(node.outputs) != 1 or (
                node.out.aval.kind not in SCALARS) or not all(
                v.aval.is_numeric for v in node.inputs):
            return None
        return key_of(node.but(inputs=tuple(same.get(v, v) for v in node.inputs)))

    def expect(self, backward: Block, inside: Block) -> None:
        """Notes the numbers of a forward block that its backward block computes in any case."""
        same = dict(self._first)
        for node in backward.nodes:
            equal = self._numbers.get(inside, {}).get(self._key(node, same))
            if equal is not None:
                same[node.out] = equal
                self._anyway.add(equal)

    def _list(self, value: Value) -> Value:
        """What stands for all lists that may be the same object as a list, or hold it."""
        while value in self._lists:
            value = self._lists[value]
        return value

    def _unite_lists(self, block: Block) -> None:
        for node in walk(block):
            together: list[tuple[Value, ...]] = []
            if node.op == "loop":
                parts = LoopParts(node)
                together += zip(parts.inits, parts.carried, parts.next, parts.results)
                together += zip(parts.inits, parts.tested)
            elif node.op == "if":
                together += zip(node.outputs, *(b.outputs for b in node.blocks), strict=False)
            elif node.op in WRITES or node.op == "get":
                together.append((node.inputs[0], *node.outputs, *(
                    node.inputs[1:2] if node.op != "get" else ())))
            for values in together:
                roots = [self._list(v) for v in values if v.aval.kind is Kind.LIST]
                self._lists.update((r, roots[0]) for r in roots[1:] if r is not roots[0])

    def overwritten(self, base: Value) -> bool:
        """May the object behind ``base`` hold something else later?"""
        if base in self._stored:
            return True
        last = None if base.obj is None else self._last_store.get(base.obj)
        if last is not None and (last > self._scope.made_at(base)
                                 or self._scope.in_loop(self._block_of[base])):
            return True
        if base.aval.kind is Kind.LIST:
            last = self._last_list.get(self._list(base))
            if last is not None and (last > self._scope.made_at(base)
                                     or self._scope.in_loop(self._block_of[base])):
                return True
        node = self._node_of.get(base)
        return node is not None and node.op == "read" and self.overwritten(node.inputs[0])

    def clone(self, value: Value, inside: Block, prelude: Builder,
              known: dict[Value, Value]) -> Value | None:
        """``value``, defined in the forward block ``inside``, computed again in ``prelude`` from
        what is at hand anyway; None if that takes more than a number's arithmetic.  ``known``
        holds what was computed already."""
        value = self._first.get(value, value)
        chosen = {*known, *self.choose([value], inside, known, free=True)}
        if value not in chosen and self._block_of.get(value) is inside:
            return None
        return self.build(value, inside, prelude, known, chosen, None)

    # ---- keep or compute again ---------------------------------------------------------------

    def choose(self, needed: Sequence[Value], inside: Block, known: Mapping[Value, Value],
               free: bool = False, kept: Collection[Value] = ()) -> set[Value]:
        """Those of the values of the forward block ``inside``, and of what they are made from, that
        are computed again where ``needed`` are read.

        The price of a byte that is kept is as high as the time allows: what is added to an
        iteration is at most :data:`SHARE` of what its forward and backward part take.  ``free``:
        only what takes nothing but numbers that are at hand; all of it, then.  ``kept``: values
        that are there in any case.
        """
        needed = [v for v in (self._first.get(v, v) for v in needed) if v not in known]
        if free or not self._priced or not self._scope.in_loop(inside):
            ways = self._ways(needed, inside, known, True)
            found = {v for v, cost in ways.items() if cost.again < math.inf}
            while len(found) != len(found := {v for v in found if all(
                    u in found or u not in ways for u in ways[v].operands)}):
                pass
            return found
        body = self._body(inside)
        ways = self._ways(needed, inside, known, False)
        least = 0.0
        for price in PRICES:
            priced = {v: Way(AFTER, cost.again, cost.operands) if v in kept else cost.way(price)
                      for v, cost in ways.items()}
            chosen = computed_again(needed, priced)
            if not chosen or _time(needed, ways, chosen) - _time(needed, ways, ()) <= (
                    least := least or SHARE * iteration(body)):
                break
        return chosen

    def _body(self, block: Block) -> Block:
        """The body of the innermost loop around a block."""
        while self._scope.owner[block][0].op != "loop":
            block = self._scope.owner[block][1]
        return block

    def _ways(self, needed: Sequence[Value], inside: Block, known: Mapping[Value, Value],
              free: bool) -> dict[Value, _Cost]:
        """How the values can be had, and what they can be computed from; ``free``: only what is
        free."""
        ways: dict[Value, _Cost] = {}
        waiting = list(needed)
        while waiting:
            value = waiting.pop()
            if value not in ways and value not in known:
                found = self._cost(value, inside, known, free)
                if found is not None:
                    ways[value] = found
                    waiting.extend(found.operands)
        return ways

    def _cost(self, value: Value, inside: Block, known: Mapping[Value, Value],
              free: bool) -> _Cost | None:
        """How a value can be had; None if it is at hand."""
        block = self._block_of.get(value)
        if block is not inside and (block is None or free or self._is_index(value)
                                    or not self._scope.in_loop(block)
                                    or not self._scope.encloses(block, inside)):
            return None
        again = self._again(value, block, known)
        if value in self._anyway and again < math.inf:
            again = 0.0
        if free and again > FREE:
            again = math.inf
        share = 1.0 if block is inside else 1.0 / NOMINAL ** self._loops_between(block, inside)
        operands: tuple[Value, ...] = ()
        if again < math.inf:
            operands = tuple(self._first.get(v, v) for v in self._operands(value, inside, known))
        return _Cost(share, value.aval, again, operands)

    def _is_index(self, value: Value) -> bool:
        node = self._scope.param_of.get(value)
        return node is not None and node.op == "loop" and LoopParts(node).index is value

    def _loops_between(self, outer: Block, inner: Block) -> int:
        count = 0
        while inner is not outer:
            node, inner = self._scope.owner[inner]
            count += node.op == "loop"
        return count

    def _computable(self, value: Value, inside: Block, known: Mapping[Value, Value]) -> bool:
        """Is it a number that sizes tell?"""
        return value.aval.kind is Kind.INT and self._sizes.computable(
            value.aval.expr, self._sizes.around(inside), known)

    def _operands(self, value: Value, inside: Block,
                  known: Mapping[Value, Value]) -> tuple[Value, ...]:
        node = self._node_of[value]
        if node.op == "const" or self._computable(value, inside, known):
            return ()
        length = self.lengths.of(node.inputs[0]) if node.op == "list_len" else None
        if length is None:
            return (*node.inputs, *(v for b in node.blocks for v in free_values(b)))
        return (length,) if isinstance(length, Value) else ()

    def _again(self, value: Value, inside: Block, known: Mapping[Value, Value]) -> float:
        """What it takes to compute a value again; infinite if it cannot be had."""
        node = self._node_of.get(value)
        if node is None:
            return math.inf
        if node.op == "const" or self._computable(value, inside, known):
            return 0.0
        if node.op == "list_len" and self.lengths.of(node.inputs[0]) is not None:
            return 0.0
        if node.op == "list":
            known_items = all(v in self._node_of and self._node_of[v].op == "const"
                              for v in node.inputs)
            return FREE if known_items and not self.overwritten(value) else math.inf
        if node.op == "if":
            selects = value.aval.kind in SCALARS and not value.aval.optional and all(
                n.op == "const" for b in node.blocks for n in b.nodes)
            # what only the arms of another branch give may not be there
            sure = all(self._node_of[v].op != "if" for b in node.blocks for v in b.outputs
                       if v in self._node_of)
            return FREE if selects and sure and len(node.outputs) == 1 else math.inf
        outside = [v for v in node.inputs if not self._scope.in_loop(self._block_of[v])]
        if node.op == "apply":
            if all(v.aval.kind in _INTEGERS for v in (value, *node.inputs)):
                return 1.0 if node.params["fn"] in _CHEAP else math.inf
            if value.aval.optional or any(v.aval.optional or v.aval.kind is Kind.LIST
                                          for v in node.inputs):
                return math.inf
            return math.inf if any(map(self.overwritten, outside)) else work(node)
        base = node.inputs[0] if node.inputs else value
        of_list = node.op in ("get", "list_len")
        if of_list and self._block_of.get(base) is inside:
            return math.inf
        if of_list or (node.op == "read" and not node.params.get("handle") and all(
                isinstance(s, Index) and s.basic for s in node.params["steps"])):
            return math.inf if self.overwritten(base) else FREE
        return math.inf

    def build(self, value: Value, inside: Block, prelude: Builder, known: dict[Value, Value],
              chosen: Collection[Value], keep: Callable[[Value], Value] | None) -> Value:
        """``value`` in ``prelude``: computed again if it is ``chosen``; ``keep`` gives what is
        kept."""
        value = self._first.get(value, value)
        if value in known:
            return known[value]
        if self._block_of.get(value) is not inside:
            return value
        if value not in chosen:
            assert keep is not None, "what is free takes nothing that is kept"
            return keep(value)
        node = self._node_of[value]
        if node.op != "const" and self._computable(value, inside, known):
            new = self._sizes.compute(value.aval.expr, prelude, self._sizes.around(inside), known)
        elif node.op == "list_len" and self.lengths.of(node.inputs[0]) is not None:
            new = self._length(node.inputs[0], inside, prelude, known, chosen, keep)
        else:
            inputs = tuple(self.build(v, inside, prelude, known, chosen, keep)
                           for v in node.inputs)
            params = node.params if self._again(value, inside, known) <= FREE else {
                **node.params, "again": True}
            arms = {v: self.build(v, inside, prelude, known, chosen, keep)
                    for b in node.blocks for v in free_values(b)}
            copy = node.but(inputs=inputs, outputs=(value.like(obj=None),), params=params,
                            blocks=tuple(rebuild(b, {**arms}, fresh=True) for b in node.blocks),
                            origin=prelude.origin)
            prelude.nodes.append(copy)
            new = copy.out
        known[value] = new
        return new

    def _length(self, value: Value, inside: Block, prelude: Builder, known: dict[Value, Value],
                chosen: Collection[Value], keep: Callable[[Value], Value] | None) -> Value:
        length = self.lengths.of(value)
        if not isinstance(length, Value):
            return prelude.const(length, int_aval(length))
        count = self.build(length, inside, prelude, known, chosen, keep)
        return prelude.apply(max, (0, count), {}, INT) if (
            self.lengths.may_be_negative(length)) else count

    def affine(self, prelude: Builder, start: Value, ordinal: Value, step: Value,
               aval: Aval) -> Value:
        """``start + ordinal * step``."""
        scaled = prelude.apply(operator.mul, (ordinal, step), {}, aval.but(expr=None))
        return prelude.apply(operator.add, (start, scaled), {}, aval)


@dataclass(frozen=True)
class _Cost:
    """What it takes to keep a value, or to compute it from operands, ``share`` times in an
    iteration."""

    share: float
    aval: Aval
    again: float
    operands: tuple[Value, ...]

    def way(self, price: float) -> Way[Value]:
        """For a price of a byte.  Numbers have a price of their own: there are few of them."""
        price = max(price, NUMBERS) if self.aval.kind in SCALARS else price
        return Way(self.share * (KEEPING + price * room(self.aval)), self.share * self.again,
                   self.operands)

    @property
    def keeping(self) -> float:
        """The time that it takes to keep the value."""
        moved = 0.0 if self.aval.kind in SCALARS else TRAFFIC * room(self.aval)
        return self.share * (KEEPING + moved)


def _time(needed: Sequence[Value], ways: Mapping[Value, _Cost],
          again: Collection[Value]) -> float:
    """What it takes to have the values if those of ``again`` are computed."""
    total, seen, waiting = 0.0, set(), list(needed)
    while waiting:
        value = waiting.pop()
        if value not in seen and value in ways:
            seen.add(value)
            if value in again:
                total += ways[value].share * ways[value].again
                waiting.extend(ways[value].operands)
            else:
                total += ways[value].keeping
    return total
