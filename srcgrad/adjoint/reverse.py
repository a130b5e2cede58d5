"""Reverse mode on graphs: the forward nodes as they are, then their adjoints, backwards.

The result is *open*: nodes of backward loop bodies and arms refer to values of the forward
bodies and arms wherever they are.  :func:`srcgrad.adjoint.close.close` binds them later, when
dead code is gone and only what is really read remains.  A backward ``loop`` or ``if`` names
the region it reverses by ``params["mirror"]``, an output of the forward node.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ..errors import NonDifferentiable, UnsupportedOperation
from ..graph.ir import Block, Graph, Node, Origin, Steps, Value, is_adjoint
from ..graph.walking import walk
from ..rules.broadcast import scatter_add
from ..types.kinds import Kind, in_words
from . import arrays, lists, regions
from .absent import Absent
from .activity import INERT, Activity
from .binding import Bindings
from .bodies import cotangents_of_apply, fit, fit_result, settled, shape_of
from .calls import ADJOINTS, Calls, Pair, with_given
from .covered import Covered, Summed
from .frames import Frame, Tape, cotangent_aval
from .lengths import Lengths
from .moduli import Moduli
from .names import cotangent, order_of
from .ragged import put_back, sliced_list
from .scope import Scope
from .screens import stack
from .sizes import Sizes
from .spectral import Spectral
from .steps import rows_added, selects_all
from .zeros import zeros


def _is_complex(value: Value) -> bool:
    return value.aval.dtype is not None and value.aval.dtype.kind == "c"


class Reverse:
    """The state of one differentiation: activity, bindings, and where values are defined."""

    def __init__(self, graph: Graph, wrt: Sequence[Value], of: Sequence[Value],
                 calls: Calls | None = None) -> None:
        self.calls = calls
        self.bindings = Bindings(graph.block)
        self.activity = Activity(graph.block, self.bindings, wrt, of, calls)
        if calls is not None:
            graph = graph.but(block=calls.recorded(graph.block, self.activity))
        self.graph = graph
        self.defined_in = Scope(graph.block).block_of
        self.filling: dict[Node, Value] = {}  # appends of one item, with its cotangent
        self._unpacked = {o for n in walk(graph.block) if n.op == "unpack" for o in n.outputs}
        self.order = 1 + order_of(v.hint for v in self.defined_in)

    @cached_property
    def sizes(self) -> Sizes:
        """Where the sizes of the graph come from."""
        return Sizes(self.graph.block)

    @cached_property
    def lengths(self) -> Lengths:
        """How long lists are, and which loops fill them."""
        return Lengths(self.graph.block)

    @cached_property
    def spectral(self) -> Spectral:
        """Which nodes are functions of a matrix by its eigenvalues."""
        return Spectral(self.graph.block, self.bindings, self.activity.varied)

    @cached_property
    def moduli(self) -> Moduli:
        """Which nodes are even powers of lengths."""
        return Moduli(self.graph.block, self.bindings)

    @cached_property
    def covered(self) -> Covered:
        """Which values are seen through ``np.where`` only."""
        return Covered(self.graph.block, self.bindings)

    @cached_property
    def seen_in_part(self) -> Covered:
        """Of which values parts are seen only."""
        return Covered(self.graph.block, self.bindings, parts=True, arms=True)

    @cached_property
    def asked_for(self) -> Covered:
        """Which values stand in branches only that ask for them."""
        return Covered(self.graph.block, self.bindings, arms=True)

    @cached_property
    def summed(self) -> Summed:
        """In which values the results are linear."""
        return Summed(self.graph.block, self.bindings, self.activity.varied)

    @cached_property
    def absent(self) -> Absent:
        """Which values some branches leave without a value."""
        return Absent(self.graph.block)

    # ---- cotangents of values ------------------------------------------------------------

    def current(self, frame: Frame, value: Value) -> Value | None:
        """The cotangent that ``value`` has so far, as seen from ``frame``; None if it is zero."""
        found = frame.cts.get(value)
        if found is not None or self.defined_in[value] is frame.block or frame.parent is None:
            return found
        if not frame.body:
            return self.current(frame.parent, value)
        param = Value(cotangent_aval(value.aval), self.name(value))
        frame.accumulators[value] = frame.cts[value] = param
        return param

    def put(self, frame: Frame, value: Value, ct: Value) -> None:
        """Make ``ct`` the cotangent of ``value``."""
        if ct.hint is None:
            ct.hint = self.name(value)
        frame.cts[value] = ct
        if self.defined_in[value] is not frame.block:
            frame.touched[value] = None

    def accumulate(self, frame: Frame, value: Value, ct: Value | None,
                   steps: Steps = ()) -> None:
        """Add ``ct`` to the cotangent of ``value``, or of the part of it that ``steps`` select.
        The first contribution assigns."""
        if ct is None or value not in self.activity.varied:
            return
        base = self.current(frame, value)
        if steps and not (selects_all(steps) and ct.aval.shape == value.aval.shape):
            ct = settled(frame.tape, ct, value, self.bindings)
            ct = fit(frame.tape, ct, value.aval, whole=False)
            rows = rows_added(value, ct, steps) if base is None else None
            if rows is not None:
                self.put(frame, value, frame.tape.call(
                    scatter_add, ct, rows, shape_of(frame.tape, value)))
                return
            if base is None:
                base = self.zeros(frame, value)
            self.put(frame, value, frame.tape.store("acc", base, ct, steps))
            return
        ct = fit(frame.tape, settled(frame.tape, ct, value, self.bindings), value.aval)
        if base is None:
            self.put(frame, value, ct)
        elif value.aval.kind is Kind.LIST:
            self.put(frame, value, lists.add(frame.tape, base, ct))
        else:
            self.put(frame, value, self.sum(frame.tape, base, ct))

    def sum(self, tape: Tape, first: Value, second: Value) -> Value:
        """The sum of two cotangents of one value, behind the screen that they share, if any."""
        screen, other = tape.screens.get(first), tape.screens.get(second)
        if screen is not None and other is not None and screen.same(other):
            return screen.before(self.sum(tape, screen.behind, other.behind))
        if not _is_complex(first) and _is_complex(second):  # numbers that were not cast
            first, second = second, first
        total = tape.store("acc", first, second, ())
        shared = [a for a in stack(tape.screens, first)
                  if any(a.same(b) for b in stack(tape.screens, second))]
        return shared[0].before(total) if shared else total

    def zeros(self, frame: Frame, value: Value) -> Value:
        """A zero cotangent.  Where ``value`` may be undefined its sizes are computed from what
        is defined."""
        aval = value.aval
        if aval.optional and value in self._unpacked:  # absent where the record holds None
            return frame.tape.add("list_like", (value,), (cotangent_aval(aval),)).out
        if not aval.optional or aval.kind is not Kind.ARRAY or aval.shape is None:
            return zeros(frame.tape, value)
        if not all(self.sizes.computable(d, frame.block, {}) for d in aval.shape):
            return zeros(frame.tape, value)
        shape = tuple(d if isinstance(d, int) else self.sizes.compute(d, frame.tape, frame.block,
                                                                      {}) for d in aval.shape)
        dtype = aval.dtype or np.dtype(np.complex128)
        return frame.tape.apply(np.zeros, (shape,), {"dtype": dtype}, cotangent_aval(aval))

    def name(self, value: Value) -> str | None:
        return cotangent(value.hint, self.order)

    # ---- running backwards -----------------------------------------------------------------

    def run(self, frame: Frame, own_origin: bool = False) -> None:
        """Append the adjoints of the nodes of a frame's block, last node first.  They come from
        where their primal nodes come from, or with ``own_origin`` from the tape's origin."""
        for node in reversed(frame.block.nodes):
            if any(o in frame.cts for o in node.outputs):
                if not own_origin:
                    frame.tape.origin = (node.origin or Origin()).of_adjoint()
                self.node(frame, node)

    def node(self, frame: Frame, node: Node) -> None:
        """The adjoint of one node, some of whose outputs have a cotangent."""
        op = node.op
        cts = [frame.take(o) for o in node.outputs]
        whole = self.spectral.pairs(frame.tape, node, cts)
        if whole is None and len(cts) == 1 and cts[0] is not None:
            whole = self.moduli.pairs(frame.tape, node, cts[0])
        if whole is not None:
            self._contribute(frame, whole)
        elif op == "apply" and cts[0] is not None and (
                (sliced := sliced_list(node)) is not None and sliced[1] != slice(None)):
            lst, key = sliced
            base = self.current(frame, lst)
            self.put(frame, lst, put_back(frame.tape, self.zeros(frame, lst) if base is None
                                          else base, key, cts[0]))
        elif op == "apply" or self.bindings.is_draw(node):
            self._contribute(frame, cotangents_of_apply(
                self.bindings, self.activity.varied, frame.tape, node, cts,
                functools.partial(self._is_covered, node)))
        elif op in arrays.ADJOINTS:
            arrays.ADJOINTS[op](self, frame, node, cts)
        elif op in ADJOINTS:
            ADJOINTS[op](self, frame, node, cts)
        elif op in lists.ADJOINTS:
            lists.ADJOINTS[op](self, frame, node, cts)
        elif op == "if":
            regions.reverse_if(self, frame, node, cts)
        elif op == "loop":
            regions.reverse_loop(self, frame, node, cts)
        elif op not in INERT:
            raise UnsupportedOperation(
                f"the derivative of a {op!r} operation is asked for, which has no adjoint",
                where=None if node.origin is None else node.origin.where)

    def _is_covered(self, node: Node, finite: bool) -> bool:
        """Is an output hidden, or (where it is finite, or the infinite tangent of what is) seen in
        part only?"""
        value = node.outputs[0]
        tangent = is_adjoint(node)
        if not finite and (self.covered.holds(value) or not tangent):
            return self.covered.holds(value)
        return self.asked_for.holds(value) if value.aval.shape == () else (
            self.seen_in_part.holds(value) or self.summed.holds(value))

    def _contribute(self, frame: Frame, pairs: Iterable[tuple[Value, Value | None]]) -> None:
        """What a function's operands receive; what one receives twice (``x * x``) is summed
        before it is accumulated."""
        shares: dict[Value, Value] = {}
        for value, ct in pairs:
            if ct is None:
                continue
            first = shares.get(value)
            if value.aval.kind is Kind.LIST:
                shares[value] = ct if first is None else lists.add(frame.tape, first, ct)
                continue
            ct = fit(frame.tape, ct, value.aval)
            shares[value] = ct if first is None else self.sum(frame.tape, first, ct)
        for value, ct in shares.items():
            self.accumulate(frame, value, ct)


def differentiate(graph: Graph, wrt: Sequence[int], of: Sequence[int], *,
                  keep: Sequence[int] = ()) -> Graph:
    """The joint graph of ``graph`` and its vector-Jacobian product.

    Inputs: those of ``graph``, then one seed per output in ``of``.  Outputs: the outputs in
    ``keep``, then one cotangent per input in ``wrt``, of the input's kind, dtype and shape.
    The result is open (see the module's text).

    >>> import operator
    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> y = b.apply(operator.mul, (x, 3.0), {}, FLOAT)
    >>> joint = differentiate(Graph("f", b.block((y,))), [0], [0])
    >>> [v.hint for v in joint.inputs], joint.border
    (['x', 'd_out'], 1)
    """
    inputs = [graph.inputs[i] for i in wrt]
    for v in inputs:
        if not v.aval.is_inexact:
            raise NonDifferentiable(
                f"the derivative with respect to {v.hint or 'an argument'} is asked for, which "
                f"is {in_words(v.aval)}",
                why="only real and complex floating-point values have derivatives",
                fix="pass a float (1.0 instead of 1) or an array of floats")
    calls = Calls(graph, inputs, [graph.outputs[i] for i in of])
    callees = dict(graph.callees)
    for name, pair in calls.pairs.items():
        callee = graph.callees[name]
        # what is made again gives nothing: the call itself did
        kept = callee.given if callee.remade else range(len(callee.outputs))
        joint = _joint(callee, pair.wrt, pair.of, kept, calls, pair)
        joint = with_given(joint, len(pair.of)) if callee.remade else joint
        callees[pair.forward] = joint.but(
            name=pair.forward, pair=pair.backward, n_seeds=pair.handed(),
            through=pair.through)
    return _joint(graph, wrt, of, keep, calls).but(callees=callees)


def _joint(graph: Graph, wrt: Sequence[int], of: Sequence[int], keep: Sequence[int],
           calls: Calls, pair: Pair | None = None) -> Graph:
    """The joint graph of one function: of one that is called, or (without a pair) of the one that
    the user gets the derivative of."""
    inputs = [graph.inputs[i] for i in wrt]
    outputs = [graph.outputs[i] for i in of]
    reverse = Reverse(graph, inputs, outputs, calls)
    block = reverse.graph.block
    frame = Frame(block)
    frame.tape.origin = Origin(role="adjoint")
    frame.tape.masks = reverse.bindings.masks
    seeds = []
    for v in outputs:
        aval = v.aval if v.aval.kind is Kind.SCALAR else cotangent_aval(v.aval)
        seed = Value(aval.but(expr=None, optional=False),
                     cotangent(v.hint or "out", reverse.order))
        seeds.append(seed)
        reverse.accumulate(frame, v, seed)
    if pair is not None:
        seeds[:0] = [block.params[i].like(obj=None) for i in pair.through]
        for v in map(block.params.__getitem__, pair.added()):
            before = Value(cotangent_aval(v.aval), reverse.name(v))
            seeds.append(before)
            reverse.accumulate(frame, v, before)
    reverse.run(frame)
    frame.tape.origin = Origin(role="adjoint")
    gradients = []
    for v in inputs:
        ct = frame.cts.get(v)
        if ct is None:
            ct = reverse.zeros(frame, v)
        gradients.append(fit_result(frame.tape, ct, v, pair is None))
    kept = tuple(block.outputs[i] for i in keep)
    nodes = (*block.nodes, *alive(frame.tape.nodes, gradients))
    joint = Block((*block.params, *seeds), nodes, (*kept, *gradients))
    return graph.but(block=joint, border=len(block.nodes), n_primal=len(kept))


def alive(nodes: Sequence[Node], wanted: Sequence[Value]) -> list[Node]:
    """The nodes, of those that only make values, that ``wanted`` needs."""
    needed = set(wanted)
    kept: list[Node] = []
    for node in reversed(nodes):
        if any(o in needed for o in node.outputs):
            kept.append(node)
            needed.update(node.inputs)
            for block in node.blocks:
                needed.update(block.outputs)
                for inner in walk(block):
                    needed.update(inner.inputs)
                    for deeper in inner.blocks:
                        needed.update(deeper.outputs)
    kept.reverse()
    return kept
