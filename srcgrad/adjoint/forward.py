"""Forward mode: tangents beside the primal values, in one graph.

Every node is followed by the nodes of its tangent; loops and ifs carry tangents beside what
they carry.  The derivative of a function is not declared twice: its vjp, which the rule book
has, is recorded on a dummy cotangent and transposed, which gives the jvp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import NonDifferentiable
from ..graph.derivative import spliced
from ..graph.ir import Block, Graph, Node, Origin, Value
from ..graph.parts import LoopParts
from ..graph.symbolic import Sym
from ..graph.walking import free_values, rebuild, walk
from ..types.kinds import NONE, RECORD, Aval, Kind, in_words
from . import arrays
from .activity import Activity
from .binding import Bindings
from .bodies import (
    cotangents_of_apply,
    fit,
    fit_result,
    partial_cotangents,
    settled,
    unbroadcast,
    unwrap,
)
from .calls import Calls
from .covered import Covered
from .frames import Frame, Tape, cotangent_aval, with_values
from .hidden import is_steep
from .moduli import Moduli
from .names import tangent
from .ragged import ragged_list
from .reverse import Reverse
from .spectral import Spectral
from .steps import first_lowered
from .zeros import zeros


def jvp(graph: Graph, wrt: Sequence[int], of: Sequence[int], *, keep: Sequence[int] = ()) -> Graph:
    """The graph of ``graph`` and its Jacobian-vector product.

    Inputs: those of ``graph``, then one tangent per input in ``wrt``.  Outputs: the outputs in
    ``keep``, then one tangent per output in ``of``.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.graph.interpret import interpret
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> y = b.apply(operator.mul, (x, x), {}, FLOAT)
    >>> interpret(jvp(Graph("square", b.block((y,))), [0], [0], keep=[0]), 3.0, 1.0)
    [9.0, 6.0]
    """
    inputs = [graph.inputs[i] for i in wrt]
    for v in inputs:
        if not v.aval.is_inexact:
            raise NonDifferentiable(f"{v.hint or 'an argument'} is {in_words(v.aval)}, which has "
                                    "no tangent",
                                    why="only floating-point values have derivatives",
                                    fix="pass a float or an array of floats")
    calls = Calls(graph, inputs, [graph.outputs[i] for i in of])
    callees = dict(graph.callees)
    for name, found in calls.tangents().items():
        callee = graph.callees[name]
        everything = range(len(callee.outputs))
        callees[found.forward] = _jvp(callee, found.wrt, found.of, everything, calls).but(
            name=found.forward)
    return _jvp(graph, wrt, of, keep, calls, True).but(callees=callees)


def _jvp(graph: Graph, wrt: Sequence[int], of: Sequence[int], keep: Sequence[int], calls: Calls,
         final: bool = False) -> Graph:
    """Forward mode of one function: of one that is called, or (``final``) of the outermost."""
    block = graph.block
    inputs = [block.params[i] for i in wrt]
    forward = Forward(graph, inputs, [block.outputs[i] for i in of], calls)
    given = []
    for v in inputs:
        aval = v.aval if v.aval.kind is Kind.SCALAR else tangent_aval(v.aval)
        t = Value(aval, tangent(v.hint))
        forward.tangents[v] = t
        given.append(t)
    tape = forward.run(block)
    tape.origin = Origin(role="adjoint")
    results = []
    for i in of:
        out = block.outputs[i]
        results.append(fit_result(tape, forward.tangent(tape, out), out, final))
    kept = tuple(block.outputs[i] for i in keep)
    new = Block((*block.params, *given), tuple(tape.nodes), (*kept, *results))
    return graph.but(block=new, border=None, n_primal=len(kept))


def tangent_aval(aval: Aval) -> Aval:
    """The type of a tangent: absent where its primal value is."""
    return cotangent_aval(aval).but(optional=aval.optional)


class Forward:
    """The state of one forward pass: which values vary, and their tangents."""

    def __init__(self, graph: Graph, wrt: Sequence[Value], of: Sequence[Value],
                 calls: Calls) -> None:
        self.graph, self.calls = graph, calls
        self.bindings = Bindings(graph.block)
        self.varied = Activity(graph.block, self.bindings, wrt, of, calls).varied
        self.spectral = Spectral(graph.block, self.bindings, self.varied)
        self.moduli = Moduli(graph.block, self.bindings)
        self.tangents: dict[Value, Value] = {}
        self._old: Value | None = None
        self._read = {*of, *(v for n in walk(graph.block) for v in (
            *n.inputs, *(o for b in n.blocks for o in b.outputs)))}
        self._undefined = {n.out for n in walk(graph.block) if n.op == "undef"}
        self._absent = {n.out for n in walk(graph.block)
                        if n.op == "const" and n.params["value"] is None}

    @cached_property
    def seen_in_part(self) -> Covered:
        """Of which values parts are seen only."""
        return Covered(self.graph.block, self.bindings, parts=True)

    def old_part(self) -> Value:
        """What the place of the current ``update`` held before."""
        assert self._old is not None
        return self._old

    def tangent(self, tape: Tape, value: Value) -> Value:
        """The tangent of a value, zeros if it has none."""
        found = self.tangents.get(value)
        if found is not None:
            return found
        if value in self._undefined:  # on this path neither the value nor its tangent is read
            return tape.add("undef", (), (cotangent_aval(value.aval),)).out
        if value in self._absent:
            return tape.const(None, NONE)
        if value.aval.optional:
            return tape.add("list_like", (value,), (tangent_aval(value.aval),)).out
        return zeros(tape, value)

    def run(self, block: Block) -> Tape:
        """A tape with the nodes of a block, each followed by its tangent."""
        tape = Tape()
        tape.masks = self.bindings.masks
        for node in block.nodes:
            tape.origin = (node.origin or Origin()).of_adjoint()
            if node.op == "if":
                self._if(tape, node)
                continue
            if node.op == "loop":
                self._loop(tape, node)
                continue
            if node.op == "call":
                self._call(tape, node)
                continue
            if node.op == "update":  # the old part is read before it is overwritten
                self._old = arrays.select(tape, node.inputs[0], with_values(node))
            tape.nodes.append(node)
            if not any(o in self.varied for o in node.outputs):
                continue
            found = self._node(tape, node)
            for out, t in zip(node.outputs, found):
                if t is not None and out in self.varied:
                    self._set(tape, out, t)
        return tape

    def _set(self, tape: Tape, value: Value, t: Value) -> None:
        if value.aval.kind is not Kind.LIST:
            t = fit(tape, settled(tape, t, value, self.bindings), value.aval)
        if t.hint is None:
            t.hint = tangent(value.hint)
        self.tangents[value] = t

    def _node(self, tape: Tape, node: Node) -> Sequence[Value | None]:
        if len(node.outputs) == 1 and (
                self.spectral.spectra or self.moduli.lengths or self.moduli.roots):
            scratch = Tape(tape.origin)
            dummy = scratch.param(cotangent_aval(node.out.aval))
            found = self.spectral.pairs(scratch, node, [dummy])
            if found is None:
                found = self.moduli.pairs(scratch, node, dummy)
            if found is not None:
                return self._transposed(tape, scratch, {node.out: dummy}, found)
        if node.op == "apply" or self.bindings.is_draw(node):
            return self._apply(tape, node)
        if node.op in _ARRAYS:
            return [_ARRAYS[node.op](self, tape, node)]
        if node.op == "copy":
            return [self.tangents.get(node.inputs[0])]
        if node.op == "pack":
            parts = tuple(self.tangent(tape, v) if v.aval.is_inexact else tape.const(None, NONE)
                          for v in node.inputs)
            return tape.add("pack", parts, (RECORD,)).outputs
        if node.op == "unpack":
            avals = tuple(tangent_aval(o.aval) if o.aval.is_inexact else NONE
                          for o in node.outputs)
            return tape.add("unpack", (self.tangent(tape, node.inputs[0]),), avals).outputs
        return self._list(tape, node)

    # ---- functions -----------------------------------------------------------------------------

    def _apply(self, tape: Tape, node: Node) -> Sequence[Value | None]:
        """The tangent of a function's outputs: its vjp on dummy cotangents, transposed."""
        derivative = node.params.get("derivative")
        if derivative is not None and derivative.push is not None:
            pushed = dict(spliced(tape, derivative.push, node,
                                  lambda i: self.tangent(tape, node.inputs[i])))
            return [pushed.get(i) for i in range(len(node.outputs))]
        ragged = None if derivative is not None else ragged_list(node, self.bindings.of(node))
        if ragged is not None:
            inputs = tuple(self.tangent(tape, v) if v is ragged[0] else v for v in node.inputs)
            return tape.add("apply", inputs, (cotangent_aval(node.out.aval),),
                            **node.params).outputs
        scratch = Tape(tape.origin)
        # a result that nobody reads needs no tangent, and may have no rule
        wanted = [o for o in node.outputs if len(node.outputs) == 1 or o in self._read]
        dummies = {o: scratch.param(cotangent_aval(o.aval)) for o in wanted}
        found = cotangents_of_apply(self.bindings, self.varied, scratch, node,
                                    [dummies.get(o) for o in node.outputs]) if wanted else ()
        made = self._transposed(tape, scratch, dummies, found)
        tangents = {o: self._masked(tape, node, t) for o, t in zip(wanted, made)}
        return [tangents.get(o) for o in node.outputs]

    def _masked(self, tape: Tape, node: Node, t: Value | None) -> Value | None:
        """The tangent of a product with a mask, which may hide the root of zero."""
        for value in node.inputs:
            mask = self.seen_in_part.mask_beside(node, value)
            if t is not None and mask is not None and any(
                    map(self._is_steep, self.seen_in_part.made_of(value))):
                hidden: Any = Sym(mask, tape) == 0
                return unwrap(tape, np.where(hidden & np.isnan(Sym(t, tape)), 0, Sym(t, tape)))
        return t

    def _is_steep(self, node: Node) -> bool:
        bound = self.bindings.of(node)
        return bound.entry is not None and any(
            is_steep(bound.entry, rule, bound.named) for rule in bound.entry.rules.values())

    def _transposed(self, tape: Tape, scratch: Tape, dummies: Mapping[Value, Value],
                    cotangents: Iterable[tuple[Value, Value | None]]) -> list[Value | None]:
        """The tangents of the results whose dummy cotangents gave these ones."""
        pairs = [(ct, self.tangents[value]) for value, ct in cotangents
                 if ct is not None and value in self.tangents]
        return transpose(tape, scratch, list(dummies.values()), list(dummies), pairs)

    def partial(self, tape: Tape, node: Node, fn: Any, operands: tuple[Value, ...], ans: Value,
                tangents: dict[str, tuple[Value, Value]]) -> Value | None:
        """The tangent of ``ans = fn(*operands)`` for the tangents of named operands."""
        scratch = Tape(tape.origin)
        dummy = scratch.param(cotangent_aval(ans.aval))
        found = partial_cotangents(scratch, fn, operands, ans, dummy,
                                   dict.fromkeys(tangents, True), node)
        pairs = []
        for name, ct in found.items():
            operand, t = tangents[name]
            pairs.append((unbroadcast(scratch, ct, operand, lambda: True), t))
        return transpose(tape, scratch, [dummy], [ans], pairs)[0]

    # ---- lists ---------------------------------------------------------------------------------

    def _list(self, tape: Tape, node: Node) -> Sequence[Value | None]:
        """List operations act on the list of tangents as they do on the list."""
        inputs = list(node.inputs)
        for i in _LISTS[node.op](len(inputs)):
            inputs[i] = self.tangent(tape, inputs[i])
        new = tape.add(node.op, tuple(inputs), tuple(cotangent_aval(o.aval) for o in node.outputs),
                       **node.params)
        return new.outputs

    # ---- regions and calls ---------------------------------------------------------------------

    def _call(self, tape: Tape, node: Node) -> None:
        """A call of the function that computes the tangents of the results as well."""
        found = self.calls.tangents().get(node.params["callee"])
        if found is None or not any(o in self.varied for o in node.outputs):
            tape.nodes.append(node)
            return
        given = tuple(self.tangent(tape, node.inputs[i]) for i in found.wrt)
        made = self._beside([node.outputs[o] for o in found.of])
        tape.nodes.append(node.but(
            inputs=(*node.inputs, *given), outputs=(*node.outputs, *made),
            params={**node.params, "callee": found.forward}))

    def _if(self, tape: Tape, node: Node) -> None:
        outs = [k for k, o in enumerate(node.outputs) if o in self.varied]
        blocks = []
        for block in node.blocks:
            inner = self.run(block)
            inner.origin = tape.origin
            found = tuple(self.tangent(inner, block.outputs[k]) for k in outs)
            blocks.append(Block((), tuple(inner.nodes), (*block.outputs, *found)))
        made = self._beside([node.outputs[k] for k in outs])
        tape.nodes.append(node.but(outputs=(*node.outputs, *made), blocks=tuple(blocks)))

    def _beside(self, values: Sequence[Value]) -> list[Value]:
        """Fresh tangents of values."""
        made = []
        for v in values:
            t = Value(tangent_aval(v.aval), tangent(v.hint))
            self.tangents[v] = t
            made.append(t)
        return made

    def _loop(self, tape: Tape, node: Node) -> None:
        parts = LoopParts(node)
        slots = [k for k, p in enumerate(parts.carried) if p in self.varied]
        lasts = [j for j, v in enumerate(parts.lasts) if v in self.varied]
        seqs = [m for m, v in enumerate(parts.sequences) if v in self.varied]
        sources = [m for m, p in enumerate(parts.elements) if p in self.varied]
        inits = [self.tangent(tape, parts.inits[k]) for k in slots]
        consumed = [self.tangent(tape, parts.sources[m]) for m in sources]
        carried = self._beside([parts.carried[k] for k in slots])
        elements = self._beside([parts.elements[m] for m in sources])
        body = self.run(node.blocks[-1])
        body.origin = tape.origin
        following = [self.tangent(body, parts.next[k]) for k in slots]
        last = [self.tangent(body, parts.last[j]) for j in lasts]
        produced = [self.tangent(body, parts.produced[m]) for m in seqs]
        results = self._beside([parts.results[k] for k in slots])
        tails = self._beside([parts.lasts[j] for j in lasts])
        made = self._beside([parts.sequences[m] for m in seqs])
        parts.extend(
            carried=(carried, inits, following, results,
                     [t.like() for t in carried if node.loop.kind == "while"]),
            lasts=(last, tails), kept=(produced, made, [parts.stacked[m] for m in seqs]),
            consumed=(elements, consumed))
        tape.nodes.append(parts.loop(node, *(b.nodes for b in node.blocks[:-1]),
                                     tuple(body.nodes)))


def transpose(tape: Tape, scratch: Tape, dummies: list[Value], like: list[Value],
              pairs: Sequence[tuple[Value, Value]]) -> list[Value | None]:
    """The transpose of the linear map that ``scratch`` records from ``dummies`` to the first
    items of ``pairs``, applied to the second items.  ``like`` has the shapes of the dummies."""
    if not pairs:
        return [None] * len(dummies)
    direct = dict(pairs)
    block = scratch.block(tuple(direct))
    reverse = Reverse(Graph("vjp", block), dummies, tuple(direct))
    frame = Frame(block)
    frame.tape.origin = tape.origin
    for ct, t in pairs:
        reverse.accumulate(frame, ct, t)
    reverse.run(frame, own_origin=True)
    results = [frame.cts.get(d) for d in dummies]
    # what is left of the dummies are questions about their shape
    shapes = dict(zip(dummies, like))
    body = rebuild(Block((), (*block.nodes, *frame.tape.nodes), ()), shapes)
    tape.nodes.extend(_needed(body.nodes, results))
    return results


def _needed(nodes: Sequence[Node], results: Sequence[Value | None]) -> list[Node]:
    wanted = {v for v in results if v is not None}
    kept: list[Node] = []
    for node in reversed(nodes):
        if any(o in wanted for o in node.outputs):
            kept.append(node)
            wanted.update(node.inputs)
            for block in node.blocks:
                wanted.update(free_values(block))
    kept.reverse()
    return kept


# ---- arrays --------------------------------------------------------------------------------


def _read(forward: Forward, tape: Tape, node: Node) -> Value | None:
    t = forward.tangents.get(node.inputs[0])
    return None if t is None else arrays.select(tape, t, with_values(node))


def _write(forward: Forward, tape: Tape, node: Node) -> Value | None:
    base, value = node.inputs[:2]
    steps = with_values(node)
    t_base = forward.tangent(tape, base)
    t_value = forward.tangents.get(value)
    if first_lowered(steps) is None:
        stored = tape.number(0.0) if t_value is None else t_value
        return tape.store("write", t_base, stored, steps)
    cleared = arrays.cleared(tape, t_base, steps, node)
    if t_value is None:
        return cleared
    t_value = tape.store("acc", zeros(tape, arrays.select(tape, base, steps)), t_value, ())
    t_value = arrays.last_written(tape, base, t_value, steps)
    return tape.store("acc", cleared, arrays.spread_out(tape, base, t_value, steps, node), ())


def _acc(forward: Forward, tape: Tape, node: Node) -> Value | None:
    base, value = node.inputs[:2]
    steps = with_values(node)
    t_base, t_value = forward.tangents.get(base), forward.tangents.get(value)
    if t_value is None:
        return t_base
    if t_base is None:
        t_base = zeros(tape, base)
    return tape.store("acc", t_base, t_value, steps)


def _update(forward: Forward, tape: Tape, node: Node) -> Value | None:
    base, value = node.inputs[:2]
    steps, fn = with_values(node), node.params["fn"]
    t_base, t_value = forward.tangents.get(base), forward.tangents.get(value)
    plain = first_lowered(steps) is None
    if fn in (operator.iadd, operator.isub) and plain:
        if t_value is None:
            return t_base
        if t_base is None:
            t_base = zeros(tape, base)
        return tape.store("update", t_base, t_value, steps, fn=fn)
    old, new = forward.old_part(), arrays.select(tape, node.out, steps)
    tangents = {}
    if t_base is not None:
        tangents["x1"] = (old, arrays.select(tape, t_base, steps))
    if t_value is not None:
        tangents["x2"] = (value, t_value)
    part = forward.partial(tape, node, arrays.OPERATOR[fn], (old, value), new, tangents)
    if t_base is None:
        t_base = zeros(tape, base)
    if part is None:
        part = zeros(tape, new)
    if plain:
        return part if not steps else tape.store("write", t_base, part, steps)
    cleared = arrays.cleared(tape, t_base, steps, node)
    part = arrays.last_written(tape, base, part, steps)
    return tape.store("acc", cleared, arrays.spread_out(tape, base, part, steps, node), ())


_ARRAYS: dict[str, Callable[[Forward, Tape, Node], Value | None]] = {
    "read": _read, "write": _write, "acc": _acc, "update": _update}

# Which inputs of a list operation are replaced by their tangents, by the number of inputs.
_LISTS: dict[str, Callable[[int], Sequence[int]]] = {
    "list": range, "append": lambda n: (0, 1), "insert": lambda n: (0, 1),
    "put": lambda n: (0, 1), "list_acc": lambda n: (0, 1), "pop": lambda n: (0,),
    "get": lambda n: (0,)}
