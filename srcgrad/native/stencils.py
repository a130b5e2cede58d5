"""The transposed stencil: what iterations add to places around their own, gathered place by place.

    for i in range(1, n - 1):             for i in range(2, n - 2):
        d_w[i + 1] += 0.1 * d_v[i]            d_w[i] += (0.1 * d_v[i - 1] + 0.8 * d_v[i]
        d_w[i] += 0.8 * d_v[i]                           + 0.1 * d_v[i + 1])
        d_w[i - 1] += 0.1 * d_v[i]

The iterations of the first loop write what the next one reads; those of the second are vector
instructions.  What is added to the places at both ends has short loops of its own, as has each row
of an array: LLVM does not tell two rows of one array apart.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.dependence import is_independent, place_of
from srcgrad.graph.ir import Block, Builder, Node, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import read_by, rebuild
from srcgrad.types.dims import add, maximum, minimum, multiply, substitute, symbols
from srcgrad.types.kinds import Kind, int_aval

WIDEST, LARGEST = 8, 6  # places that an iteration adds to lie so close; operations of a term
_CHEAP = frozenset({operator.add, operator.sub, operator.mul, operator.neg})
_SIGNS = {operator.iadd: 1, operator.isub: -1}
_MADE = frozenset({"const", "dim", "apply", "read"})


def with_stencils_gathered(node: Node) -> Node:
    """A loop of a kernel with what its innermost loops add to several places gathered."""
    return node.but(blocks=tuple(map(_block, node.blocks))) if node.blocks else node


def _block(block: Block) -> Block:
    read = {*block.outputs, *(v for n in block.nodes for v in read_by(n))}
    nodes: list[Node] = []
    renamed: dict[Value, Value] = {}
    for n in block.nodes:
        found = _Stencil(n) if _may_gather(n, read) else None
        if found is None or not found.groups:
            nodes.append(with_stencils_gathered(n))
            continue
        nodes += found.loops()
        renamed |= found.renamed
    return rebuild(block.but(nodes=tuple(nodes)), renamed) if renamed else (
        block.but(nodes=tuple(nodes)))


def _may_gather(node: Node, read: Iterable[Value]) -> bool:
    """Is it an innermost adjoint loop whose iterations may be run in any order?"""
    return node.op == "loop" and node.loop.kind == "for" and not node.loop.reverse and (
        node.inputs[2].aval.expr == 1 and is_adjoint(node)
        and not node.loop.n_consumed and node.outputs[-1] not in read
        and len(symbols(node.blocks[0].params[0].aval.expr)) == 1  # not of one iteration
        and not any(n.blocks for n in node.blocks[0].nodes) and is_independent(node, summed=True))


class _Term:
    """What is added ``offset`` places from an iteration's own, and what computes it."""

    def __init__(self, node: Node, offset: int, made: list[Node]) -> None:
        self.node, self.offset, self.made = node, offset, made
        self.sign = _sign(node)


def _sign(node: Node) -> int:
    """Is a number added (1) to an element, or subtracted (-1)?  0: neither."""
    return 1 if node.op == "acc" else _SIGNS.get(node.params["fn"], 0) if (
        node.op == "update") else 0


class _Stencil:
    """A loop, and ``groups`` of terms that are added to one row of an array, with its slot."""

    def __init__(self, node: Node) -> None:
        self.node, self.parts, self.body = node, LoopParts(node), node.blocks[0]
        assert self.parts.index is not None
        self.index = self.parts.index
        (self.atom,) = symbols(self.index.aval.expr)
        self.makers = {v: n for n in self.body.nodes for v in n.outputs}
        self.given = dict(zip(self.parts.carried, self.parts.inits, strict=True))
        self.made = Builder(node.origin)
        self.renamed: dict[Value, Value] = {}
        self.groups: list[tuple[Value, list[_Term]]] = []
        for memory in self.parts.carried:
            rows = self.rows(memory)
            for terms in rows.values():
                offsets = {t.offset for t in terms}
                if len(rows) + len(offsets) > 2 and max(offsets) - min(offsets) <= WIDEST:
                    self.groups.append((memory, terms))

    # ---- what is added ---------------------------------------------------------------------
    def rows(self, memory: Value) -> dict[Any, list[_Term]]:
        """What is added to each row of an array that is only added to."""
        found: dict[Any, list[_Term]] = {}
        version = memory
        for n in self.body.nodes if memory.aval.kind is Kind.ARRAY else ():
            if version not in n.inputs:
                continue
            if not _sign(n) or n.inputs[0] is not version or version in n.inputs[1:]:
                return {}
            version, made, place = n.out, self.slice(n.inputs[1:]), place_of(n)
            at = [a for a, p in enumerate(place) if self.atom in symbols(p)]
            if made is not None and None not in place and len(at) == 1:
                offset = self.beside(place[at[0]])
                if offset is not None:
                    row = (at[0], *(p for a, p in enumerate(place) if a != at[0]))
                    found.setdefault(row, []).append(_Term(n, offset, made))
        return found

    def beside(self, place: Any) -> int | None:
        """How far from the index a place is, if that is always the same."""
        assert self.index.aval.expr is not None
        gap = add(place, multiply(-1, self.index.aval.expr))
        return gap if type(gap) is int else None

    def slice(self, values: Sequence[Value]) -> list[Node] | None:
        """What computes values in an iteration; None if it is much, or needs other iterations."""
        needed, found = {*values}, []
        for n in reversed(self.body.nodes):
            if needed.isdisjoint(n.outputs):
                continue
            if n.op not in _MADE or (n.op == "apply" and n.params["fn"] not in _CHEAP) or (
                    n.op == "read" and n.inputs[0] in self.makers):
                return None
            found.append(n)
            needed.update(n.inputs[n.op == "read":])
        many = sum(n.op == "apply" for n in found) > LARGEST
        return None if many or not needed.isdisjoint(self.given) else found[::-1]

    # ---- the loops -------------------------------------------------------------------------
    def loops(self) -> list[Node]:
        """The loops in the place of the one."""
        start, stop = self.node.inputs[:2]
        now = dict(self.given)
        for memory, terms in self.groups:
            top, bottom = (pick(t.offset for t in terms) for pick in (max, min))
            own = min(terms, key=lambda t: abs(t.offset))
            for t in terms:
                first, last = self.moved(start, top - t.offset), self.moved(stop, bottom - t.offset)
                if t.offset != top:
                    now[memory] = self.loop(memory, now, start, self.nearer(min, stop, first), [t])
                if t.offset != bottom:
                    now[memory] = self.loop(memory, now, self.nearer(max, first, last), stop, [t])
            now[memory] = self.loop(memory, now, self.moved(start, top - own.offset),
                                    self.moved(stop, bottom - own.offset),
                                    [own, *(t for t in terms if t is not own)])
        self.rest(now)
        return self.made.nodes

    def moved(self, bound: Value, by: int) -> Value:
        expr = bound.aval.expr
        if by == 0:
            return bound
        if type(expr) is int:
            return self.made.const(expr + by, int_aval(expr + by))
        return self.made.apply(operator.add if by > 0 else operator.sub, (bound, abs(by)), {},
                               int_aval(None if expr is None else add(expr, by)))

    def nearer(self, pick: Callable[..., Any], a: Value, b: Value) -> Value:
        both = a.aval.expr, b.aval.expr
        known = None if None in both else (minimum if pick is min else maximum)(*both)
        return self.made.apply(pick, (a, b), {}, int_aval(known))

    def loop(self, memory: Value, now: dict[Value, Value], start: Value, stop: Value,
             terms: list[_Term]) -> Value:
        """Adds terms to the place of the first one; gives the array then."""
        own, inner = terms[0], Builder(self.node.origin)
        index, carried = self.index.like(), memory.like()
        total: Value | None = None
        keys: tuple[Value, ...] = ()
        for t in terms:
            inner.origin = t.node.origin
            value, *places = self.copied(inner, t, index, own.offset - t.offset)
            fn = operator.add if t.sign == own.sign else operator.sub
            total = value if total is None else inner.apply(fn, (total, value), {}, total.aval)
            keys = keys or tuple(places)
        assert total is not None
        added = Node(own.node.op, (carried, total, *keys), (memory.like(),), own.node.params, (),
                     own.node.origin)
        body = Block((index, carried), (*inner.nodes, added), added.outputs)
        spec = self.node.loop.but(n_carried=1)
        loop = self.node.but(
            inputs=(start, stop, self.node.inputs[2], now[memory]), blocks=(body,),
            outputs=(memory.like(), self.parts.trips.like()),
            params={**self.node.params, "loop": spec})
        self.made.nodes.append(loop)
        return loop.outputs[0]

    def copied(self, inner: Builder, term: _Term, index: Value, by: int) -> list[Value]:
        """What is added, and where, as another iteration computes it."""
        own = index.aval.expr
        assert own is not None
        moved = {self.atom: add(own, by)}
        beside = {0: index}

        def at(gap: int) -> Value:
            if gap not in beside:
                beside[gap] = inner.apply(operator.add if gap > 0 else operator.sub,
                                          (index, abs(gap)), {}, int_aval(add(own, gap)))
            return beside[gap]

        found = {**self.given, self.index: at(by)}
        for n in term.made:
            aval = n.out.aval
            if aval.kind is Kind.INT and aval.expr is not None:
                aval = int_aval(substitute(aval.expr, moved))
                gap = self.beside(aval.expr)
                if n.op == "apply" and gap is not None:
                    found[n.out] = at(gap)
                    continue
            out = n.out.like()
            out.aval = aval
            found[n.out] = out
            inner.nodes.append(n.but(inputs=tuple(found.get(v, v) for v in n.inputs),
                                     outputs=(out,)))
        return [found.get(v, v) for v in term.node.inputs[1:]]

    def rest(self, now: dict[Value, Value]) -> None:
        """What else the loop does."""
        moved = {t.node for _, terms in self.groups for t in terms}
        renamed: dict[Value, Value] = {}
        for n in self.body.nodes:
            if n in moved:
                renamed[n.out] = renamed.get(n.inputs[0], n.inputs[0])
        body = rebuild(self.body.but(nodes=tuple(
            n for n in self.body.nodes if n not in moved)), renamed)
        kept = []
        for memory, result, following in zip(self.parts.carried, self.parts.results, body.outputs,
                                             strict=True):
            if following is memory:
                self.renamed[result] = now[memory]
            else:
                kept.append((memory, result, following))
        if not kept:
            return
        memories, results, ends = zip(*kept, strict=True)
        read, nodes = {*ends}, []
        for n in reversed(body.nodes):
            if n.op not in _MADE or not read.isdisjoint(n.outputs):
                nodes.append(n)
                read.update(n.inputs)
        self.made.nodes.append(self.node.but(
            inputs=(*self.node.inputs[:3], *map(now.__getitem__, memories)),
            outputs=(*results, self.parts.trips),
            blocks=(Block((self.index, *memories), tuple(nodes[::-1]), ends),),
            params={**self.node.params, "loop": self.node.loop.but(n_carried=len(kept))}))
