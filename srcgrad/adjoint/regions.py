"""Adjoints of ``if`` and ``loop``.

``if`` becomes an ``if`` on the same predicate that merges the cotangents its arms touch.  A
loop of any kind becomes one ``for`` loop over the trips that were started, run the other way
round.  Its carried values are the cotangents of the loop's carried values and last values,
then the accumulators of outer values; cotangents of produced sequences, and of lists that the
loop fills, are consumed and those of consumed sequences are produced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph.ir import Block, LoopSpec, Node, Value
from ..graph.parts import LoopParts, Mirror
from ..types.kinds import BOOL, INT, Kind, int_aval
from .frames import Frame, Tape, cotangent_aval, shaped_like
from .zeros import zeros

if TYPE_CHECKING:
    from .reverse import Reverse

Cotangents = list[Value | None]


def reverse_if(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    """The adjoint of an ``if``."""
    arms = []
    for block in node.blocks:
        arm = Frame(block, frame)
        arm.tape.origin = frame.tape.origin
        for out, ct in zip(block.outputs, cts):
            reverse.accumulate(arm, out, _in_arm(reverse, arm, out, ct))
        reverse.run(arm)
        arms.append(arm)
    touched = list(dict.fromkeys(v for arm in arms for v in arm.touched))
    if not touched:
        return
    outputs: list[tuple[Value, ...]] = []
    absent: set[Value] = set()
    for number, arm in enumerate(arms):
        found = []
        for v in touched:
            ct = reverse.current(arm, v)
            if ct is None and v.aval.kind is not Kind.LIST and (
                    reverse.absent.after(v, node.inputs[0], number)):
                ct = arm.tape.add("undef", (), (cotangent_aval(v.aval),)).out
                absent.add(v)
            if ct is not None and ct.aval.optional:
                absent.add(v)
            found.append(reverse.zeros(arm, v) if ct is None else ct)
        outputs.append(tuple(found))
    blocks = tuple(arm.tape.block(outs) for arm, outs in zip(arms, outputs))
    avals = tuple(cotangent_aval(v.aval).but(optional=v in absent) for v in touched)
    merged = frame.tape.add("if", node.inputs, avals, blocks, mirror=Mirror(node.outputs[0]))
    for v, ct in zip(touched, merged.outputs):
        reverse.put(frame, v, ct)


def _in_arm(reverse: Reverse, arm: Frame, out: Value, ct: Value | None) -> Value | None:
    """The cotangent of an arm's output: where only a run knows the rank of what the arms leave
    behind, or whether there is anything, this arm's own is known."""
    if ct is None:
        return None
    ranked = ct.aval.shape is None and out.aval.shape is not None
    if not ranked and (out.aval.optional or not ct.aval.optional or reverse.absent.perhaps(out)):
        return ct
    aval = cotangent_aval(out.aval)
    return arm.tape.read(ct, (), aval.but(dtype=ct.aval.dtype) if aval.is_numeric else aval)


def reverse_loop(reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
    """The adjoint of a loop."""
    _LoopReversal(reverse, frame, node, cts).run()


class _LoopReversal:
    def __init__(self, reverse: Reverse, frame: Frame, node: Node, cts: Cotangents) -> None:
        self.reverse, self.frame, self.node = reverse, frame, node
        self.parts = LoopParts(node)
        self.ct_of = dict(zip(node.outputs, cts))
        self.body = Frame(node.blocks[-1], frame, body=True)
        self.body.tape.origin = frame.tape.origin

    def run(self) -> None:
        reverse, frame, body, parts = self.reverse, self.frame, self.body, self.parts
        control, index, ordinal = self._control()
        slots = self._slots()
        filled = self.reverse.lengths.filled(self.node)
        slots = [k for k in slots if k not in filled]
        filled = {k: append for k, append in filled.items()
                  if self.ct_of[parts.results[k]] is not None}
        inits = [self._ct_or_zeros(parts.results[k]) for k in slots]
        lasts = [j for j, v in enumerate(parts.lasts) if self.ct_of[v] is not None]
        uneven = [j for j in lasts if self._varies(parts.last[j])]
        lasts = [j for j in lasts if j not in uneven]
        inits += [self._given(parts.lasts[j]) for j in lasts]
        carried = [self._param(parts.results[k], parts.next[k]) for k in slots]
        carried += [self._param(parts.last[j]) for j in lasts]
        consumed = [m for m, v in enumerate(parts.sequences) if self.ct_of[v] is not None]
        elements = [self._element(parts.produced[m], parts.sequences[m]) for m in consumed]
        for k, append in filled.items():
            elements.append(self._element(append.inputs[1], parts.results[k]))
            reverse.filling[append] = elements[-1]
            reverse.put(body, append.out, elements[-1])
        # what the body's outputs receive, then the body backwards
        targets = [parts.next[k] for k in slots] + [parts.last[j] for j in lasts]
        targets += [parts.produced[m] for m in consumed]
        for target, ct in zip(targets, carried + elements):
            reverse.accumulate(body, target, ct)
        newest = self._newest(uneven)
        reverse.run(body)
        following = [self._body_ct(parts.carried[k]) for k in slots]
        following += [reverse.zeros(body, parts.last[j]) for j in lasts]
        made = [m for m, v in enumerate(parts.elements) if v in body.cts]
        produced = [body.cts[parts.elements[m]] for m in made]
        outer = list(body.accumulators)
        for v in outer:
            before = reverse.current(frame, v)
            inits.append(reverse.zeros(frame, v) if before is None else before)
            carried.append(body.accumulators[v])
            following.append(body.cts[v])
        if newest is not None:
            inits.append(frame.tape.const(True, BOOL))
            carried.append(newest)
            following.append(body.tape.const(False, BOOL))
        spec = LoopSpec(
            "for", n_carried=len(carried), n_consumed=len(elements), n_produced=len(made),
            reverse=not self.node.loop.reverse,
            stacked=tuple(parts.sources[m].aval.is_array for m in made))
        block = Block((index, *carried, *elements), tuple(body.tape.nodes),
                      (*following, *produced))
        avals = [v.aval for v in carried]
        for place, k in enumerate(slots):
            avals[place] = shaped_like(avals[place], parts.inits[k])
        avals += [cotangent_aval(parts.sources[m].aval) for m in made]
        sequences = [self._given(parts.sequences[m]) for m in consumed]
        sequences += [self._given(parts.results[k]) for k in filled]
        loop = frame.tape.add("loop", (*control, *inits, *sequences), (*avals, INT), (block,),
                              loop=spec, mirror=Mirror(parts.trips), ordinal=ordinal)
        self._deliver(loop, slots, len(lasts), outer, made)

    def _varies(self, last: Value) -> bool:
        """May a value that is left behind by the last iteration have another shape in others?"""
        shape = last.aval.shape
        return shape is None or (last.aval.kind is Kind.ARRAY and (
            not self.reverse.sizes.constant_in(shape, self.node)))

    def _newest(self, uneven: list[int]) -> Value | None:
        """The cotangents of values of different sizes that the last iteration left behind: zero
        in all iterations but the first backwards, in which the returned parameter is true."""
        if not uneven:
            return None
        reverse, body, parts = self.reverse, self.body, self.parts
        newest = Value(BOOL)
        for j in uneven:
            last, given = parts.last[j], self._given(parts.lasts[j])
            arms = []
            for found in (lambda tape, g=given: g, lambda tape, v=last: zeros(tape, v)):
                arm = Tape(body.tape.origin)
                arms.append(arm.block((found(arm),)))
            aval = cotangent_aval(last.aval)
            merged = body.tape.add("if", (newest,), (aval,), tuple(arms)).out
            reverse.accumulate(body, last, merged)
        return newest

    def _deliver(self, loop: Node, slots: list[int], n_lasts: int, outer: list[Value],
                 made: list[int]) -> None:
        """Hand the backward loop's results on: accumulators first, they hold older sums."""
        reverse, frame, parts = self.reverse, self.frame, self.parts
        results = list(loop.outputs)
        first = len(slots) + n_lasts
        for v, ct in zip(outer, results[first:]):
            reverse.put(frame, v, ct)
        for k, ct in zip(slots, results):
            reverse.accumulate(frame, parts.inits[k], ct)
        for m, ct in zip(made, results[first + len(outer):]):
            reverse.accumulate(frame, parts.sources[m], ct)

    def _control(self) -> tuple[tuple[Value, ...], Value, bool]:
        """The range of the backward loop, its index, and whether that counts iterations (else
        it is the forward loop's index)."""
        node, spec, parts, tape = self.node, self.node.loop, self.parts, self.frame.tape
        if spec.kind == "for" and not spec.exits:
            assert parts.index is not None
            return node.inputs[:3], parts.index.like(obj=None), False
        same = spec.kind == "for" and [self.reverse.bindings.constants.get(v)
                                       for v in (node.inputs[0], node.inputs[2])] == [0, 1]
        index = parts.index.like(obj=None) if same and parts.index else Value(INT)
        zero, one = (tape.const(n, int_aval(n)) for n in (0, 1))
        return (zero, parts.trips, one), index, not same

    def _slots(self) -> list[int]:
        """The carried values whose cotangent is carried backwards."""
        activity, parts = self.reverse.activity, self.parts
        return [k for k, p in enumerate(parts.carried) if p in activity.varied
                and (self.ct_of[parts.results[k]] is not None or p in activity.useful)]

    def _param(self, primal: Value, following: Value | None = None) -> Value:
        """The cotangent of a carried value in the body: it has the shape of what the body
        leaves behind (``following``), which need not be the same in all iterations."""
        aval = cotangent_aval(primal.aval)
        if following is not None:
            aval = shaped_like(aval, following)
        return Value(aval, self.reverse.name(primal))

    def _element(self, primal: Value, sequence: Value) -> Value:
        """The cotangent of what an iteration has put into a sequence: absent where that is."""
        elem = self._given(sequence).aval.elem
        ct = self._param(primal)
        return ct if elem is None else ct.like(aval=ct.aval.but(optional=elem.optional))

    def _given(self, primal: Value) -> Value:
        ct = self.ct_of[primal]
        assert ct is not None
        return ct

    def _ct_or_zeros(self, primal: Value) -> Value:
        ct = self.ct_of[primal]
        return self.reverse.zeros(self.frame, primal) if ct is None else ct

    def _body_ct(self, primal: Value) -> Value:
        ct = self.body.take(primal)
        return self.reverse.zeros(self.body, primal) if ct is None else ct
