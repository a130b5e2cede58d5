"""Closing an open graph: how backward regions come by the forward values they read.

A backward region (``loop`` or ``if`` with ``params["mirror"]``) may refer to values inside the
forward region that it mirrors.  Innermost first, each such reference is replaced by the first
of these that applies; whether 6, is a matter of prices (:mod:`.recompute`):

1. the loop's index: the backward loop's own index;
2. constants, arithmetic and comparisons of indices and sizes: a clone;
3. the shape of a value: sizes computed from what is visible (:mod:`.sizes`);
4. a part of an array that is defined outside and never overwritten: read again;
5. a part of a version that no later write of the loop touches: read from the loop's result
   (:mod:`.final`);
6. a clone of what made it, from values that are had in these ways;
7. the same array in each iteration: what it is after the loop;
8. a saved sequence: the forward loop produces it, the backward loop consumes it.  An ``if``
   gets an output with ``undef`` on the other side.

What a mirrored region adds to its outputs is a value of the enclosing block; if that is itself
a region of the forward part, the enclosing backward region closes the reference in turn, so
nested loops give sequences of sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..graph.equality import key_of
from ..graph.ir import Block, Builder, Graph, Node, Origin, Value
from ..graph.parts import LoopParts
from ..graph.walking import free_values, rebuild, walk
from ..types.dataclasses import dataclass
from ..types.dims import Dim, is_varying, of_atom, proves_positive
from ..types.kinds import INT, NUMERIC, SCALARS, Aval, Kind, array, int_aval, list_of
from .additions import Added, Additions
from .final import FinalArrays
from .frames import shaped_like, with_references
from .recompute import Recompute
from .scope import Scope, early_reads
from .shapes import answered, asked_of_inputs, content_reads, shape_questions
from .sizes import Sizes
from .undefined import without_undefined

_SUPPORT = Origin(role="support")


def close(graph: Graph, *, final_arrays: bool = True, recompute: bool = True) -> Graph:
    """The closed form of an open graph (see the module's text); closed graphs are unchanged.
    ``final_arrays`` switches rule 5, ``recompute`` all of rule 6 that is not free."""
    callees = {name: close(callee, final_arrays=final_arrays, recompute=recompute)
               for name, callee in graph.callees.items()}
    if any(node.blocks for node in graph.block.nodes):
        graph = without_undefined(_Closing(graph, final_arrays, recompute).run())
    return asked_of_inputs(graph).but(callees=callees)


class _Closing:
    def __init__(self, graph: Graph, final_arrays: bool, recompute: bool) -> None:
        self.graph = graph
        self.final_arrays = final_arrays
        self.scope = Scope(graph.block)
        self.additions = Additions()
        self.copied: dict[Value, Value] = {}
        self._sequences = {v for n in walk(graph.block) if n.op == "loop"
                           for parts in (LoopParts(n),) for v in (*parts.elements,
                                                                  *parts.sequences)}
        self.sizes = Sizes(graph.block, graph.border)
        self.final = FinalArrays(graph, self.scope)
        self.recompute = Recompute(graph.block, self.scope, self.sizes, recompute)

    def run(self) -> Graph:
        block = self._close_nodes(self.graph.block)
        block, border = self.additions.extended(block, self.graph.border)
        return self.graph.but(block=block, border=border)

    # ---- the backward regions ----------------------------------------------------------------

    def _close_nodes(self, block: Block) -> Block:
        new = block.but(nodes=tuple(self._close_node(n) for n in block.nodes))
        if block in self.scope.owner:
            self.scope.owner[new] = self.scope.owner[block]
        return new

    def _close_node(self, node: Node) -> Node:
        if not node.blocks:
            return node
        node = node.but(blocks=tuple(self._close_nodes(b) for b in node.blocks))
        mirror = node.params.get("mirror")
        if mirror is None:
            return node
        forward = self.scope.node_of[mirror.output]
        node = self._close_if(node, forward) if node.op == "if" else self._close_loop(node, forward)
        params = {k: v for k, v in node.params.items() if k not in ("mirror", "ordinal")}
        return node.but(params=params)

    def _inside(self, block: Block, forward: Block) -> list[Value]:
        """The values of a forward block whose content a backward block refers to."""
        asked = self._asked(block, forward)
        read = content_reads(block) if asked else asked
        found = [v for v in free_values(block) if self.scope.block_of.get(v) is forward
                 and (v in read or v not in asked)]
        return sorted(found, key=self._born)

    def _born(self, value: Value) -> int:
        """Where a value is made: what others may be computed from comes first."""
        node = self.scope.node_of.get(value)
        return -1 if node is None else self.scope.position.get(node, 0)

    def _asked(self, block: Block, forward: Block) -> set[Value]:
        """The values of a forward block whose shape a backward block asks for."""
        return {v for n in shape_questions(block) for v in n.inputs[:1]
                if self.scope.block_of.get(v) is forward and (
                    v.aval.kind is Kind.LIST or v.aval.shape is not None)}

    def _sizes_only(self, block: Block, forward: Block, prelude: Builder,
                    known: dict[Value, Value], saved: list[Value],
                    arm: int | None = None) -> Block:
        """The backward block with questions about the shape of forward values that are not at
        hand answered: computed, or saved as a number."""
        answers: dict[tuple[Value, int], Value | int] = {}
        around = self.sizes.around(forward)

        def size(value: Value, axis: int) -> Value | int:
            if value.aval.kind is Kind.LIST:
                if (value, axis) not in answers:
                    answers[value, axis] = self._length(value, forward, prelude, known, saved, arm)
                return answers[value, axis]
            assert value.aval.shape is not None
            extent = value.aval.shape[axis]
            if isinstance(extent, int):
                return extent
            if (value, axis) not in answers:
                if self.sizes.computable(extent, around, known):
                    answers[value, axis] = self.sizes.compute(extent, prelude, around, known)
                else:
                    number = self._forward_size(value, axis, forward)
                    if arm is None:
                        saved.append(number)
                        known[number] = answers[value, axis] = Value(number.aval)
                    else:
                        owner = self.scope.owner[forward][0]
                        answers[value, axis] = self._if_output(owner, number, arm)
            return answers[value, axis]

        missing = {v for v in self._asked(block, forward) if v not in known}
        return answered(block, missing, size) if missing else block

    def _length(self, value: Value, forward: Block, prelude: Builder, known: dict[Value, Value],
                saved: list[Value], arm: int | None) -> Value | int:
        """The length of a forward list: what it was made with, or a number that is saved."""
        found = self.recompute.lengths.of(value)
        if isinstance(found, int):
            return found
        number = self._forward_length(value, forward) if found is None else found
        clone = self.recompute.clone(number, forward, prelude, known)
        if clone is not None:
            return clone
        if arm is not None:
            return self._if_output(self.scope.owner[forward][0], number, arm)
        saved.append(number)
        known[number] = Value(number.aval)
        return known[number]

    def _forward_length(self, value: Value, forward: Block) -> Value:
        """The length of a forward list as a value of its block; 0 if it is not bound yet."""
        self._bind(value)
        for node in forward.nodes:
            if node.op == "list_len" and node.inputs[0] is value:
                return node.out
        return self._in_forward(Node("list_len", (value,), (Value(INT),), {}, (), _SUPPORT),
                                self.scope.node_of.get(value), forward)

    def _forward_size(self, value: Value, axis: int, forward: Block) -> Value:
        """The size of a forward value as a value of its block."""
        assert value.aval.shape is not None
        self._bind(value)
        number = Value(int_aval(value.aval.shape[axis]).but(optional=value.aval.optional))
        return self._in_forward(Node("dim", (value,), (number,), {"axis": axis}, (), _SUPPORT),
                                self.scope.node_of.get(value), forward)

    def _in_forward(self, node: Node, after: Node | None, block: Block) -> Value:
        """Adds a node to a forward block, behind another one."""
        self.additions.nodes.setdefault(block, []).append((after, node))
        self.scope.node_of[node.out], self.scope.block_of[node.out] = node, block
        return node.out

    def _close_if(self, node: Node, forward: Node) -> Node:
        blocks = []
        for arm, (block, mirrored) in enumerate(zip(node.blocks, forward.blocks)):
            block = self._read_early(block, mirrored)
            needed = self._inside(block, mirrored)
            if not needed and not self._asked(block, mirrored):
                blocks.append(block)
                continue
            prelude = Builder(node.origin)
            known: dict[Value, Value] = {}

            def keep(v: Value, arm: int = arm, mirrored: Block = mirrored,
                     prelude: Builder = prelude, known: dict[Value, Value] = known) -> Value:
                again = self._read_final(v, mirrored, prelude, known)
                known[v] = self._if_output(forward, v, arm) if again is None else again
                return known[v]

            self._provide(needed, block, mirrored, prelude, known, keep)
            block = self._sizes_only(block, mirrored, prelude, known, [], arm)
            blocks.append(self._with_prelude(block, prelude, known))
        return node.but(blocks=tuple(blocks))

    def _read_final(self, value: Value, inside: Block, prelude: Builder,
                    known: dict[Value, Value]) -> Value | None:
        """``value`` read from the finished array, where that holds it."""
        if not self.final_arrays:
            return None
        found = self.final.of(value)
        if found is None:
            return None
        array, steps = found
        places: list[Value] = [array]
        template = with_references(steps, places)
        inputs = [array]
        for v in places[1:]:
            clone = self.recompute.clone(v, inside, prelude, known)
            if clone is None:
                return None
            inputs.append(clone)
        return prelude.add("read", tuple(inputs), (value.aval,), steps=template).out

    def _read_early(self, block: Block, forward: Block) -> Block:
        """The backward block with its reads of parts of forward arrays done in the forward
        block instead, so that the part is saved rather than the array."""
        moved: dict[Value, Value] = {}
        for base, reads in early_reads(block, forward, self.scope).items():
            if self.recompute.overwritten(base) or self.scope.block_of[base] is forward:
                for read in reads:
                    moved[read.out] = self._forward_read(read, forward)
        if not moved:
            return block
        kept = tuple(n for n in block.nodes if not (n.op == "read" and n.out in moved))
        return rebuild(block.but(nodes=kept), moved)

    def _forward_read(self, read: Node, forward: Block) -> Value:
        """A read in the forward block: one that is there already, or a new one."""
        key = key_of(read)
        for node in (*forward.nodes, *(n for _, n in self.additions.nodes.get(forward, ()))):
            if node.op == "read" and key_of(node) == key:
                return node.out
        value = read.out.like(aval=read.out.aval, hint=None)
        node = read.but(outputs=(value,), origin=Origin(
            where=None if read.origin is None else read.origin.where, role="support"))
        inside = [n for n in forward.nodes if any(o in read.inputs for o in n.outputs)]
        return self._in_forward(node, inside[-1] if inside else None, forward)

    def _with_prelude(self, block: Block, prelude: Builder, known: dict[Value, Value]) -> Block:
        inner = rebuild(block, dict(known))
        return inner.but(nodes=(*prelude.nodes, *inner.nodes))

    def _frozen(self, value: Value, block: Block) -> Value:
        """A list of the user's as it is now: he may go on to change it."""
        maker = self.scope.node_of.get(value)
        if value.aval.kind is not Kind.LIST or value in self._sequences:
            return value
        if value not in self.copied:
            copied = Value(value.aval, value.hint)
            self.copied[value] = self._in_forward(
                Node("copy", (value,), (copied,), {}, (), _SUPPORT), maker, block)
            self._sequences.add(copied)
        return self.copied[value]

    def _bind(self, value: Value) -> bool:
        """A variable that is unbound when its loop begins is None there if its values are saved:
        each iteration has something to keep.  Is it one?"""
        owner = self.scope.owner.get(self.scope.block_of[value])
        if owner is None or owner[0].op != "loop":
            return False
        parts = LoopParts(owner[0])
        for param, init in zip(parts.carried, parts.inits):
            if param is not value:
                continue
            maker = self.scope.node_of.get(init)
            if maker is not None and maker.op == "undef":
                self.additions.bound.setdefault(owner[0], set()).add(
                    next(i for i, v in enumerate(owner[0].inputs) if v is init))
            elif maker is not None or not self._bind(init):
                return False
            value.aval = value.aval.but(optional=True)
            return True
        return False

    def _left_open(self, value: Value) -> bool:
        """Does an inner loop leave a value behind that is not there if it makes no round, and that
        is read in other such loops only?  It is None then."""
        loop = self.scope.node_of.get(value)
        if loop is None or loop.op != "loop" or value not in LoopParts(loop).lasts or (
                self.sizes.counted(loop) and proves_positive(self.sizes.trips(loop))) or any(
                value in n.inputs for n in self.scope.block_of[value].nodes):
            return False
        value.aval = value.aval.but(optional=True)
        return True

    def _if_output(self, forward: Node, value: Value, arm: int) -> Value:
        value = self._frozen(value, forward.blocks[arm])
        added = self.additions.outputs.setdefault(forward, Added())
        if value not in added.values:
            out = Value(value.aval.but(optional=value.aval.kind is not Kind.LIST), value.hint)
            added.values[value], added.arms[value] = out, arm
            self._define(out, forward)
        return added.values[value]

    def _define(self, value: Value, node: Node) -> None:
        """Record that ``node`` has a new output."""
        self._sequences.add(value)  # if a list, one that nobody changes
        self.scope.node_of[value] = node
        self.scope.block_of[value] = self.scope.block_of[node.outputs[0]]

    def _close_loop(self, node: Node, forward: Node) -> Node:
        body = forward.blocks[-1]
        block = self._read_early(node.blocks[-1], body)
        needed = self._inside(block, body)
        if not needed and not self._asked(block, body):
            return node if block is node.blocks[-1] else node.but(blocks=(block,))
        prelude = Builder(node.origin)
        known = self._index(node, forward, prelude)
        saved: list[Value] = []

        steady = self._steady(body, forward)

        def keep(v: Value) -> Value:
            again = self._read_final(v, body, prelude, known)
            if again is None and v in steady:
                again = self._last(forward, v)
            elif again is None:
                saved.append(v)
                again = Value(v.aval, v.hint)
            known[v] = again
            return again

        parts = LoopParts(forward)
        following = {new for old, new in zip(parts.carried, parts.next) if old in needed}
        free = set() if self._is_within(forward) else steady
        self._provide(needed, block, body, prelude, known, keep,
                      free | following.difference(parts.carried))
        saved.sort(key=self._born)
        block = self._sizes_only(block, body, prelude, known, saved)
        slots = _slots(forward, saved, known, self.scope.in_arm(forward))
        kept = [v for v in saved if all(known[v] is not s.param for s in slots)]
        node = node.but(blocks=(self._with_prelude(block, prelude, known),))
        backward = LoopParts(node)
        backward.extend(
            consumed=([known[v] for v in kept], [self._sequence(forward, v) for v in kept]),
            carried=([s.param for s in slots], [s.init for s in slots],
                     [s.following for s in slots], [Value(s.result) for s in slots]))
        return backward.loop(node)

    def _provide(self, needed: list[Value], block: Block, forward: Block, prelude: Builder,
                 known: dict[Value, Value], keep: Callable[[Value], Value],
                 kept: Collection[Value] = ()) -> None:
        """Makes known what a backward block needs of its forward block: kept (those of ``kept``
        take nothing), or computed again."""
        self.recompute.expect(block, forward)
        chosen = self.recompute.choose(needed, forward, known, kept=kept)
        for v in needed:
            if v not in known:
                known[v] = self.recompute.build(v, forward, prelude, known, chosen, keep)

    def _steady(self, body: Block, forward: Node) -> set[Value]:
        """What is the same in each iteration of a loop: after the loop it is still there.  (Without
        an iteration nobody asks for it, but a loop around would keep it; that keeps nothing that
        is the same in all of its iterations, too.)"""
        found: set[Value] = set()
        within = self._is_within(forward)
        if within and (self.scope.in_arm(forward) or not self.sizes.counted(forward)
                       or not proves_positive(self.sizes.trips(forward))):
            return found
        steady: set[Value] = set()
        always: set[Value] = set()
        for node in body.nodes:
            if node.op in ("const", "dim", "apply", "read") and not node.params.get("handle") and (
                    all(v in steady or not self.scope.encloses(body, self.scope.block_of[v])
                        for v in node.inputs)):
                steady.update(node.outputs)
                if all(v in always or self.scope.block_of[v] is self.graph.block
                       for v in node.inputs):
                    always.update(node.outputs)
                found.update(v for v in node.outputs
                             if node.op == "apply" and not self.recompute.overwritten(v))
        return found - always if within else found

    def _is_within(self, loop: Node) -> bool:
        return self.scope.block_of[loop.outputs[-1]] is not self.graph.block

    def _last(self, forward: Node, value: Value) -> Value:
        """What a value of a forward loop's body is after the loop."""
        lasts = self.additions.outputs.setdefault(forward, Added()).lasts
        if value not in lasts:
            lasts[value] = value.like()
            self._define(lasts[value], forward)
        return lasts[value]

    def _index(self, node: Node, forward: Node, prelude: Builder) -> dict[Value, Value]:
        """The forward loop's index in terms of the backward loop's."""
        index = LoopParts(forward).index
        if index is None:
            return {}
        own = node.blocks[-1].params[0]
        if node.params["ordinal"]:
            start, _, step = forward.inputs[:3]
            own = self.recompute.affine(prelude, start, own, step, index.aval)
        return {index: own}

    def _sequence(self, forward: Node, value: Value) -> Value:
        """The sequence of a value of a forward loop's body: one that it consumes or produces
        already, or a new one."""
        parts = LoopParts(forward)
        for inner, sequence in (*zip(parts.elements, parts.sources),
                                *zip(parts.produced, parts.sequences)):
            if inner is value:
                return sequence
        unbound = self._bind(value) or self._left_open(value)
        value = self._frozen(value, forward.blocks[-1])
        added = self.additions.outputs.setdefault(forward, Added())
        if value not in added.values:
            stacked = not unbound and self._stackable(forward, value.aval)
            out = Value(self._sequence_aval(forward, value.aval, stacked), value.hint)
            added.values[value], added.stacked[value] = out, stacked
            self._define(out, forward)
        return added.values[value]

    def _stackable(self, forward: Node, aval: Aval) -> bool:
        """Exact trip count, a known dtype, and a shape that does not vary in the loop."""
        spec = forward.loop
        if spec.kind != "for" or spec.exits or aval.dtype is None or aval.dtype.kind not in "biufc":
            return False
        if aval.optional and (aval.dtype.kind not in "fc" or not all(
                _is_plain(d) and not is_varying(d) for d in aval.shape or ())):
            return False  # rows that are undefined on some paths: not a number, of a known size
        if not self.sizes.counted(forward) and self.scope.in_arm(forward):
            return False  # undefined elsewhere, and of a size that nothing else tells
        if aval.kind is Kind.INT or aval.kind not in NUMERIC or aval.shape is None:
            return False
        return aval.kind in SCALARS or self.sizes.constant_in(aval.shape, forward)

    def _sequence_aval(self, forward: Node, aval: Aval, stacked: bool) -> Aval:
        if not stacked:
            return list_of(aval)
        assert aval.shape is not None
        return array(aval.dtype, (self.sizes.trips(forward), *aval.shape))


def _is_plain(dim: Dim) -> bool:
    """Is a size a number or a symbol?"""
    return isinstance(dim, int) or (len(dim.atoms()) == 1 and dim == of_atom(dim.atoms()[0])
                                    and not dim.atoms()[0].args)


@dataclass(frozen=True)
class Slot:
    """A forward value that a backward loop carries."""

    init: Value
    param: Value
    following: Value
    result: Aval


def _slots(forward: Node, saved: list[Value], known: dict[Value, Value],
           optional: bool) -> list[Slot]:
    """Where both the old and the new value of a carried variable are needed, only the old one
    is saved: the new value of an iteration is the old value of the next, which the backward
    loop has just left, and the result of the loop for the last.  ``optional``: the loop is in
    an arm, its result may be undefined elsewhere."""
    parts = LoopParts(forward)
    slots: list[Slot] = []
    for k, (old, new) in enumerate(zip(parts.carried, parts.next)):
        if old is not new and old in saved and new in saved and all(
                s.param is not known[new] for s in slots) and new not in parts.carried:
            param = known[new]  # which clones in the prelude may read
            # (a number of its own: the old value's belongs to what is saved)
            aval = old.aval.but(optional=optional or old.aval.optional, expr=None)
            param.aval = shaped_like(aval, new)
            slots.append(Slot(parts.results[k], param, known[old],
                              shaped_like(aval, parts.inits[k])))
    return slots
