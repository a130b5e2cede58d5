"""Adjoints of calls: a pair of functions for each function that is called.

``y = f(x)`` becomes ``y, record = f_forward(x)`` in the forward part and
``d_x = f_backward(record, d_y)`` in the backward part.  The record holds the residuals of one
call, among them the records of the calls it made: a function that calls itself has records
inside records, as deep as the recursion went.

Which arguments vary and which results matter is found for all functions together, as a least
fixed point over all calls (:class:`Calls`): each function has one pair per differentiation.
The joint graph of a function stays open, like that of its caller, and is simplified and closed
with it; :func:`pairs` then cuts it in two.

Arrays and lists that a function hands on to its own calls as they are need no record: the backward
function is handed them, too.  Nor is there a cotangent for each call: it is handed what was added
up before, adds to that, and returns it (``w_backward(record, values, d_out, d_values)``).

A record is made by ``pack`` and opened by ``unpack``, which are each other's adjoints: so pairs
can be differentiated again, and the cotangent of a record is a record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ..graph.ir import WRITES, Block, Builder, Graph, Node, Origin, Value
from ..graph.lift import called, distinct, reachable
from ..graph.walking import rebuild, walk
from ..types.dataclasses import dataclass, field
from ..types.kinds import NONE, RECORD, Aval, Kind
from .activity import Activity
from .binding import Bindings
from .frames import Frame, cotangent_aval
from .sight import Sight, is_object
from .split import split

if TYPE_CHECKING:
    from .reverse import Reverse

Cotangents = list[Value | None]


@dataclass
class Summary:
    """What is known of a function over all its calls: the positions of arguments that vary and
    of results that vary with them, of results that matter and of arguments they depend on; and
    where the numbers left sight that are in arguments and results."""

    varied_in: set[int] = field(default_factory=set)
    varied_out: set[int] = field(default_factory=set)
    useful_in: set[int] = field(default_factory=set)
    useful_out: set[int] = field(default_factory=set)
    unseen_in: dict[int, Node] = field(default_factory=dict)
    unseen_out: dict[int, Node] = field(default_factory=dict)

    def size(self) -> int:
        return sum(map(len, (self.varied_in, self.varied_out, self.useful_in, self.useful_out,
                             self.unseen_in, self.unseen_out)))


@dataclass(frozen=True)
class Pair:
    """The two functions that replace one: its cotangents are those of the arguments ``wrt``,
    for given cotangents of the results ``of``.  The arguments ``through`` are handed on to calls of
    the function within it as they are."""

    forward: str
    backward: str
    wrt: tuple[int, ...]
    of: tuple[int, ...]
    through: tuple[int, ...] = ()

    def handed(self) -> int:
        """How many inputs the backward function has besides the record: arguments that are handed
        on, cotangents of results, and what the cotangents of those arguments are added to."""
        return len(self.through) + len(self.of) + len(self.added())

    def added(self) -> list[int]:
        """The arguments whose cotangents are added to what is handed in."""
        return [i for i in self.through if i in self.wrt]


class Calls:
    """The called functions of a graph under one differentiation."""

    def __init__(self, graph: Graph, wrt: Collection[Value], of: Collection[Value]) -> None:
        self.graph = graph
        self.summaries = {name: Summary() for name in reachable(graph)}
        self.pairs: dict[str, Pair] = {}
        self.by_forward: dict[str, Pair] = {}
        self._tangents: dict[str, Pair] = {}
        if self.summaries:
            self._settle(wrt, of)
            self._name_pairs()

    def _settle(self, wrt: Collection[Value], of: Collection[Value]) -> None:
        """The least fixed point of activity over all functions."""
        bindings = {name: Bindings(self.graph.callees[name].block) for name in self.summaries}
        outer = Bindings(self.graph.block)
        before = -1
        while before != (before := sum(s.size() for s in self.summaries.values())):
            Activity(self.graph.block, outer, wrt, of, self)
            for name, s in self.summaries.items():
                block = self.graph.callees[name].block
                sight = Sight({block.params[i]: left for i, left in s.unseen_in.items()})
                found = Activity(block, bindings[name], [block.params[i] for i in s.varied_in],
                                 [block.outputs[o] for o in s.useful_out], self, sight)
                s.unseen_out |= {o: sight.left[v] for o, v in enumerate(block.outputs)
                                 if v in sight.left}
                s.varied_out |= {o for o, v in enumerate(block.outputs) if v in found.varied}
                s.useful_in |= {i for i, v in enumerate(block.params) if v in found.useful}

    def _name_pairs(self) -> None:
        taken = {self.graph.name, *self.graph.callees}
        for name, s in self.summaries.items():
            wrt = tuple(sorted(s.varied_in & s.useful_in))
            of = tuple(sorted(s.varied_out & s.useful_out))
            if not wrt or not of:
                continue
            forward = distinct(f"{name}_forward", taken)
            backward = distinct(f"{name}_backward", taken)
            taken |= {forward, backward}
            pair = self.pairs[name] = Pair(forward, backward, wrt, of, self._through(name))
            self.by_forward[forward] = pair

    def _through(self, name: str) -> tuple[int, ...]:
        """The arrays and lists of one type that a function hands on as they are wherever it calls
        itself."""
        graphs = (self.graph, *self.graph.callees.values())
        own = self.graph.callees[name]
        if own.remade or any(name in reachable(self.graph.callees[other]
                                               .but(callees=self.graph.callees))
                             for other in called(own.block) if other != name):
            return ()
        calls = [n for g in graphs for n in walk(g.block)
                 if n.op == "call" and n.params["callee"] == name]
        inner = [n for n in walk(own.block) if n.op == "call" and n.params["callee"] == name]
        return tuple(i for i, p in enumerate(own.inputs) if inner and _is_whole(p.aval)
                     and all(n.inputs[i] is p for n in inner)
                     and all(_of_one_type(n.inputs[i].aval, p.aval) for n in calls))

    def tangents(self) -> dict[str, Pair]:
        """For forward mode: the functions that compute tangents of the results as well.  Their
        name is ``forward``."""
        if not self._tangents:
            taken = {self.graph.name, *self.graph.callees}
            for name, s in self.summaries.items():
                if s.varied_in and s.varied_out:
                    chosen = distinct(f"{name}_jvp", taken)
                    taken.add(chosen)
                    self._tangents[name] = Pair(chosen, "", tuple(sorted(s.varied_in)),
                                                tuple(sorted(s.varied_out)))
        return self._tangents

    # ---- activity through calls --------------------------------------------------------------

    def vary(self, node: Node, varied: set[Value], sight: Sight) -> Iterable[Value]:
        """The outputs of a call that vary with its inputs."""
        s = self.summaries[node.params["callee"]]
        s.unseen_in |= {i: sight.left[v] for i, v in enumerate(node.inputs) if v in sight.left}
        for o, left in s.unseen_out.items():
            sight.left.setdefault(node.outputs[o], left)
        inside = [i for i, v in enumerate(node.inputs) if v in varied and v.aval.is_inexact]
        s.varied_in.update(inside)
        return [node.outputs[o] for o in s.varied_out] if inside else []

    def matter(self, node: Node, useful: set[Value]) -> Iterable[Value]:
        """The inputs of a call on which useful outputs depend."""
        s = self.summaries[node.params["callee"]]
        s.useful_out.update(o for o, v in enumerate(node.outputs) if v in useful)
        return [node.inputs[i] for i in s.useful_in]

    # ---- pairs -------------------------------------------------------------------------------

    def remade(self, node: Node) -> bool:
        """Does the adjoint of a call run the function again?"""
        return self.graph.callees[node.params["callee"]].remade

    def recorded(self, block: Block, activity: Activity) -> Block:
        """The block with calls of forward functions in the place of active calls."""
        if not self.pairs:
            return block
        nodes = []
        for node in block.nodes:
            pair = self.pairs.get(node.params["callee"]) if node.op == "call" else None
            if pair is not None and not self.remade(node) and any(
                    activity.active(o) for o in node.outputs):
                record = Value(RECORD, "record")
                node = node.but(outputs=(*node.outputs, record),
                                params={**node.params, "callee": pair.forward})
            elif node.blocks:
                node = node.but(blocks=tuple(self.recorded(b, activity) for b in node.blocks))
            nodes.append(node)
        return block.but(nodes=tuple(nodes))


def reverse_call(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    """The adjoint of a call."""
    calls, name = reverse.calls, node.params["callee"]
    pair = None if calls is None else calls.by_forward.get(name)
    record = node.outputs[-1]
    if pair is None:
        pair = None if calls is None else calls.pairs.get(name)
        if pair is None or calls is None:
            return
        given = tuple(node.outputs[i] for i in calls.graph.callees[name].given)
        record = frame.tape.add("call", (*node.inputs, *given), (RECORD,), callee=pair.forward,
                                effects=0).out
        record.hint = "record"
    seeds = [cts[o] or reverse.zeros(frame, node.outputs[o]) for o in pair.of]
    targets = [node.inputs[i] for i in pair.wrt]
    through = [node.inputs[i] for i in pair.through]
    within = calls is not None and calls.pairs.get(reverse.graph.name) is pair
    added = {node.inputs[i]: i for i in reversed(pair.added())}  # the first place of each
    sums = [_own_sum(reverse, frame, v, within) if added[v] == i else reverse.zeros(frame, v)
            for i in pair.added() for v in (node.inputs[i],)]
    made = frame.tape.add("call", (record, *through, *seeds, *sums),
                          tuple(cotangent_aval(v.aval) for v in targets), callee=pair.backward,
                          effects=0, owned=True)
    cotangents = dict(zip(pair.wrt, made.outputs))
    for target, place in added.items():
        if target in reverse.activity.varied:
            reverse.put(frame, target, cotangents.pop(place))
    for place, ct in cotangents.items():
        reverse.accumulate(frame, node.inputs[place], ct)


def _own_sum(reverse: Reverse, frame: Frame, value: Value, within: bool) -> Value:
    """The cotangent that a value has so far, for a call that adds to it in place: ``within`` the
    function it is what that was handed itself."""
    found = reverse.current(frame, value)
    if found is None or within:
        return found or reverse.zeros(frame, value)
    return frame.tape.add("copy", (found,), (found.aval,)).out


def _is_whole(aval: Aval) -> bool:
    return not aval.optional and ((aval.kind is Kind.ARRAY and aval.dtype is not None) or (
        aval.kind is Kind.LIST and aval.elem is not None))


def _of_one_type(one: Aval, other: Aval) -> bool:
    """Do two types tell the same but for sizes?"""
    return (one.kind, one.dtype, one.ndim, one.elem) == (
        other.kind, other.dtype, other.ndim, other.elem)


def reverse_pack(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    """The adjoint of ``pack``: the parts of a record's cotangent."""
    (ct,) = cts
    assert ct is not None
    varied = [v in reverse.activity.varied for v in node.inputs]
    avals = tuple(cotangent_aval(v.aval).but(optional=v.aval.optional) if active else NONE
                  for v, active in zip(node.inputs, varied))
    parts = frame.tape.add("unpack", (ct,), avals).outputs
    for value, part, active in zip(node.inputs, parts, varied):
        if active:
            reverse.accumulate(frame, value, part)


def reverse_unpack(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    """The adjoint of ``unpack``: a record of cotangents."""
    (record,) = node.inputs
    parts = []
    for value, ct in zip(node.outputs, cts):
        if not value.aval.is_inexact:
            parts.append(frame.tape.const(None, NONE))
        else:
            parts.append(reverse.zeros(frame, value) if ct is None else ct)
    made = frame.tape.add("pack", tuple(parts), (RECORD,)).out
    reverse.accumulate(frame, record, made)


ADJOINTS = {"call": reverse_call, "pack": reverse_pack, "unpack": reverse_unpack}


def with_given(joint: Graph, n_seeds: int) -> Graph:
    """The joint graph of a function that is run again, whose results are handed to it in the place
    of what makes them."""
    if not joint.n_primal:
        return joint
    block, own = joint.block, joint.outputs[:joint.n_primal]
    given = {v: v.like(obj=None) for v in own}
    nodes = tuple(node.but(outputs=tuple(o.like() if o in given else o for o in node.outputs))
                  for node in block.nodes)
    count = len(block.params) - n_seeds
    params = (*block.params[:count], *(given[v] for v in own), *block.params[count:])
    inner = rebuild(Block((), nodes, block.outputs[joint.n_primal:]), dict(given))
    return joint.but(block=inner.but(params=params), n_primal=0)


# ---- cutting ---------------------------------------------------------------------------------


def pairs(graph: Graph, copies: bool = False) -> Graph:
    """The graph with the joint graphs among its callees, which are closed, cut into pairs.

    Residuals that the caller can reach are copied with ``copies``, and where the program
    writes to arrays in place: what a record holds must not change before it is used.
    """
    joints = [c for c in graph.callees.values() if c.pair is not None]
    if not joints:
        return graph
    copies = copies or any(_writes(g) for g in (graph, *joints))
    if copies:
        names = {joint.name for joint in joints}
        graph = graph.but(block=_sealed(graph.block, names))
        joints = [joint.but(block=_sealed(joint.block, names)) for joint in joints]
    callees = dict(graph.callees)
    for joint in joints:
        assert joint.pair is not None
        cut = _handed_again(joint).but(pair=None, remade=False, given=(), through=())
        forward, backward = split(cut, joint.n_seeds, copies)
        callees[joint.name] = _packed(forward, joint.name, joint.n_primal)
        callees[joint.pair] = _unpacked(backward, joint.pair, joint.n_seeds)
    graph = graph.but(callees=callees)
    for joint in joints:
        assert joint.pair is not None
        graph = _without_unread(graph, joint.pair, len(joint.through))
    callees = dict(graph.callees)
    alive = reachable(graph)
    return graph.but(callees={name: callees[name] for name in callees if name in alive})


def _handed_again(joint: Graph) -> Graph:
    """The joint graph of a function whose backward part reads what it is handed again."""
    params, border = joint.block.params, joint.border
    assert border is not None
    first = len(params) - joint.n_seeds
    again = {params[i]: params[first + k] for k, i in enumerate(joint.through)}
    if not again:
        return joint
    front, outputs = joint.block.nodes[:border], joint.outputs
    back = rebuild(Block((), joint.block.nodes[border:], outputs[joint.n_primal:]), again,
                   fresh=False)
    return joint.but(block=Block(params, (*front, *back.nodes),
                                 (*outputs[:joint.n_primal], *back.outputs)))


def _without_unread(graph: Graph, name: str, count: int) -> Graph:
    """The graph with a backward function that is not handed what it only hands on."""
    own = graph.callees[name]
    unread = []
    for place in range(1, count + 1):
        param = own.inputs[place]
        readers = [n for n in walk(own.block) if param in n.inputs and not (
            n.op == "call" and n.params["callee"] == name and n.inputs.count(param) == 1)]
        if not readers and param not in own.outputs:
            unread.append(place)
    if not unread:
        return graph

    def kept(values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(v for place, v in enumerate(values) if place not in unread)

    def changed(block: Block) -> Block:
        return block.but(nodes=tuple(
            n.but(inputs=kept(n.inputs)) if n.op == "call" and n.params["callee"] == name
            else n.but(blocks=tuple(map(changed, n.blocks))) if n.blocks else n
            for n in block.nodes))

    callees = {key: one.but(block=changed(one.block)) for key, one in graph.callees.items()}
    own = callees[name]
    callees[name] = own.but(block=own.block.but(params=kept(own.inputs)))
    return graph.but(block=changed(graph.block), callees=callees)


def _sealed(block: Block, names: Collection[str]) -> Block:
    """The block with calls of forward functions marked: their records share no memory with
    anything else."""
    nodes = []
    for node in block.nodes:
        if node.op == "call" and node.params["callee"] in names:
            node = node.but(params={**node.params, "sealed": True})
        elif node.blocks:
            node = node.but(blocks=tuple(_sealed(b, names) for b in node.blocks))
        nodes.append(node)
    return block.but(nodes=tuple(nodes))


def _writes(graph: Graph) -> bool:
    """Does the forward part of a graph write to anything?"""
    nodes = graph.block.nodes[:graph.border]
    return any(n.op in WRITES for top in nodes
               for n in (top, *(i for b in top.blocks for i in walk(b))))


def _packed(forward: Graph, name: str, count: int) -> Graph:
    """A forward graph with ``count`` results whose residuals are one record."""
    tail = Builder(Origin(role="support"))
    record = tail.add("pack", forward.outputs[count:], (RECORD,)).out
    block = forward.block.but(nodes=(*forward.block.nodes, *tail.nodes),
                              outputs=(*forward.outputs[:count], record))
    return forward.but(name=name, block=block, n_primal=count + 1)


def _unpacked(backward: Graph, name: str, n_seeds: int) -> Graph:
    """A backward graph that takes a record in the place of residuals."""
    head = Builder(Origin(role="adjoint"))
    count = len(backward.inputs) - n_seeds
    record = Value(RECORD, "record")
    opened = Node("unpack", (record,), backward.inputs[:count], {}, (), head.origin)
    block = backward.block.but(params=(record, *backward.inputs[count:]),
                               nodes=(opened, *backward.block.nodes))
    # n_primal: it is no gradient that the user gets, so it need not be memory of its own
    return backward.but(name=name, block=block, n_primal=len(backward.outputs))


def carrying(graph: Graph, wrt: Sequence[int], of: Sequence[int]) -> list[int]:
    """Those of the outputs ``of`` that can carry a derivative by the inputs ``wrt``.

    Refuses an object known at run time only that is made of what varies: its numbers have
    derivatives that cannot be followed.  A text has none."""
    inexact = [i for i in of if graph.outputs[i].aval.is_inexact]
    objects = [graph.outputs[i] for i in of if is_object(graph.outputs[i].aval)]
    if objects:
        given = [graph.inputs[i] for i in wrt]
        bindings = Bindings(graph.block)
        sight = Activity(graph.block, bindings, given, (), Calls(graph, given, ())).sight
        sight.refuse(v for v in objects if v not in sight.texts and v not in graph.inputs)
    return inexact
