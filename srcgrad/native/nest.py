"""A nest of loops over one domain: what is gathered for it, what may not join it, its text.

Operations may be in one nest as long as each reads, of what the nest writes, the element of its
own iteration only.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.dependence import Place, are_apart
from srcgrad.graph.ir import Builder, Node, Value
from srcgrad.native.bodies import Access, Body, Places
from srcgrad.native.elements import loop_index, looped, rule_of, spread
from srcgrad.native.places import At, places, selected
from srcgrad.types.dims import Dim

if TYPE_CHECKING:
    from srcgrad.native.nests import Run

WRITES = ("write", "acc", "update")


def domain_of(node: Node) -> tuple[Dim, ...]:
    """The sizes of what a node gives, or of the part that it writes to."""
    if node.op in WRITES:
        return selected(node.params["steps"], node.inputs, node.inputs[0].aval.shape or ())
    return node.out.aval.shape or ()


class Nest:
    """What is gathered for one nest of a run: ``members`` in order, ``after`` what follows it."""

    def __init__(self, run: Run, domain: tuple[Dim, ...]) -> None:
        self.run, self.domain = run, domain
        self.index = tuple(At.of(loop_index(d, "i")) for d in domain)
        self.members: list[Node] = []
        self.after: list[Node] = []
        self.defined: set[Value] = set()
        self.reads: list[Access] = []
        self.writes: dict[Value, Places] = {}
        self.makers: dict[Value, Node] = {}

    def accesses(self, node: Node) -> tuple[list[Access], Places | None]:
        """What a node reads in an iteration, and where it writes."""
        found: list[Access] = []
        body = Body(self.run, Builder(), found)
        if node.op in WRITES:
            spread(body, node.inputs[1], self.domain, self.index)
            return found, places(node.params["steps"], node.inputs, node.inputs[
                0].aval.shape or (), self.index, self.run.size, body.at)
        rule = rule_of(node)
        assert rule is not None
        rule(body, node, self.index)
        return found, None

    def bars(self, node: Node, accesses: list[Access], memory: Value | None,
                  places_: Places | None) -> bool:
        for read, version, place in accesses:
            if read in self.defined:
                if place != self.index:
                    return True
            elif read in self.writes and (meets(place, self.writes[read], self.index) or (
                    self.run.whole.latest.get(read) is not version)):
                return True
        if memory is None or places_ is None:
            return False
        if memory in self.writes and (self.writes[memory] != places_ or is_gathered(
                places_) or any(user not in self.members and user is not node
                for user in self.run.whole.users.get(node.inputs[0], ()))):
            return True
        if any(r is memory and meets(place, places_, self.index) for r, _, place in self.reads):
            return True
        return any(self.run.memory(v) is memory or self.run.memory(self.run.base_of(v)) is memory
                   for n in self.after for v in n.inputs)

    def join(self, node: Node, accesses: list[Access], memory: Value | None,
             places_: Places | None) -> None:
        self.makers.update(self.run.met)
        self.members.append(node)
        self.defined.update(node.outputs)
        self.reads += accesses
        if memory is not None:
            assert places_ is not None
            self.writes[memory] = places_

    def holds(self, user: Node | None) -> bool:
        """Does what reads a value do so within the nest only?"""
        if user is None:
            return False
        if user in self.members:
            return True
        if user.outputs[0] in self.makers or (
                user.outputs[0] in self.run.whole.views and user not in self.after):
            return all(self.holds(u) for u in self.run.whole.users.get(user.out, ()))
        return False

    def written_down(self) -> tuple[list[Node], dict[Value, Value]]:
        """The loops, and what stands for the results of the members after them."""
        origin = self.members[0].origin
        builder = Builder(origin)
        body = Body(self.run, builder, [])
        kept: list[Value] = []
        for node in self.members:
            if node.op in WRITES:
                memory = self.run.memory(node.inputs[0])
                if memory not in body.current:
                    body.current[memory] = node.inputs[0]
            elif not all(self.holds(u) for u in self.run.whole.users.get(node.out, ())):
                kept.append(node.out)
                body.current[node.out] = self.empty(node.out, body)

        def level(inner: Body, index: Places) -> None:
            if len(index) == len(self.domain):
                for node in self.members:
                    inner.builder.origin = node.origin
                    self.member(inner, node, index, node.out in kept)
                inner.builder.origin = origin
                return
            keys = list(inner.current)

            def make(b: Body, at: At) -> list[Value]:
                level(b, (*index, at))
                return [b.current[k] for k in keys]

            found = looped(inner, self.domain[len(index)], [inner.current[k] for k in keys],
                           make, len(index))
            inner.current.update(zip(keys, found, strict=True))

        level(body, ())
        last: dict[Value, Value] = {}
        for node in self.members:
            if node.op in WRITES:
                last[self.run.memory(node.inputs[0])] = node.out
        made = {version: body.current[memory] for memory, version in last.items()}
        return builder.nodes, made | {value: body.current[value] for value in kept}

    def empty(self, value: Value, body: Body) -> Value:
        sizes = tuple(d if isinstance(d, int) else body.value(self.run.size(d))
                      for d in self.domain)
        dtype = value.aval.dtype
        keywords = {} if dtype == np.float64 else {"dtype": dtype}
        made = body.builder.apply(np.empty, (sizes,), keywords, value.aval)
        made.hint, made.obj = value.hint, value.obj
        if made.hint is None and None not in self.run.whole.users.get(value, ()):
            made.hint = "values"  # a name that no number has
        return made

    def member(self, body: Body, node: Node, index: Places, kept: bool) -> None:
        if node.op not in WRITES:
            rule = rule_of(node)
            assert rule is not None
            found = rule(body, node, index)
            body.memo[node.out, index] = found
            if kept:
                body.store("write", node.out, index, found)
                body.memo[node.out, index] = found
            return
        base = node.inputs[0]
        value = spread(body, node.inputs[1], domain_of(node), index)
        place = places(node.params["steps"], node.inputs, base.aval.shape or (), index,
                       self.run.size, body.at)
        op, fn = node.op, node.params.get("fn")
        if op == "acc" and not is_adjoint(node):  # the user's np.add.at
            op, fn = "update", operator.iadd
        body.store(op, self.run.memory(base), place, value, fn)


def meets(place: Places, written: Places, index: Places) -> bool:
    """May an iteration read what another one writes?"""
    moving = {v for at in index for v, _ in at.terms}
    return (place != written or is_gathered(place)) and not are_apart(
        _formulas(place, moving), _formulas(written, moving))


def _formulas(place: Places, moving: set[Value]) -> Place:
    """A place by its formulas, as far as all iterations share them."""
    return tuple(None if any(v in moving for v, _ in at.terms) else at.expr for at in place)


def is_gathered(place: Places) -> bool:
    """Does an array tell a place, so that several iterations may have it?"""
    return any(at.expr is None for at in place)
