"""The graph of one example made into that of a batch.

Nodes are visited in program order; what stands for a value of the example is the value itself, or
one with a leading axis (*mapped*).  Nodes that read nothing mapped stay as they are, and run once.
A branch or the length of a loop that examples do not share has no batched form.

The axis of the examples is checked on every node: the result has the dtype and the rank of one
example's, so that promotion of numbers (``float32 * float``) is never silently another.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from ..errors import SrcgradError
from ..graph.indexing import infer_getitem
from ..graph.ir import Block, Builder, Graph, Index, Node, Ref, Value, abstract, avals_in, fill
from ..graph.parts import LoopParts
from ..graph.raising import may_raise
from ..graph.symbolic import Sym, fresh_size
from ..rules.broadcast import arange
from ..rules.methods import resolve
from ..types.dims import Dim
from ..types.kinds import SCALARS, Aval, Kind, list_of, same_dtype
from ..types.spelling import Attribute, Method
from ..types.structure import found_in, mapped
from .rules import RULES, Call, NotBatched, Operand, is_elementwise, raised, stacked

WRITES = frozenset({"write", "acc", "update"})
_SPELLED = (Method, Attribute)


def batched(graph: Graph, which: Sequence[bool], count: Aval) -> tuple[Graph, list[bool]]:
    """``graph`` for all examples at once, and which of its outputs have the axis of the examples.

    ``which`` tells the inputs that are given for all examples, along a leading axis; one more
    input, the last, is the number of examples, of type ``count``.  Raises :class:`NotBatched`.
    """
    made = Batch(count)
    for param, is_mapped in zip(graph.inputs, which, strict=True):
        made.parameter(param, is_mapped)
    block = graph.block
    made.nodes(block)
    params = (*(made.stands[p] for p in graph.inputs), made.count)
    outputs = tuple(made.stands[v] for v in block.outputs)
    new = Block(params, tuple(made.builder.nodes), outputs)
    return graph.but(block=new), [v in made.mapped for v in block.outputs]


class _Differs(NotBatched):
    """A list that was the same for all examples gets items that differ."""

    def __init__(self, value: Value) -> None:
        super().__init__("a list whose items differ between examples from some place on")
        self.value = value


class Batch:
    """One visit of a graph."""

    def __init__(self, count: Aval) -> None:
        self.count = Value(count)
        assert count.expr is not None
        self.size: Dim = count.expr
        self.builder = Builder()
        self.stands: dict[Value, Value] = {}
        self.made: set[Value] = {self.count}
        self.mapped: set[Value] = set()
        self.constants: dict[Value, Any] = {}
        self.empty: set[Value] = set()  # lists
        self.own: set[Value] = set()  # memory made here, which may be written to

    # ---- values ---------------------------------------------------------------------------
    def parameter(self, value: Value, is_mapped: bool) -> Value:
        new = value.like(aval=self.of_batch(value.aval)) if is_mapped else value.like()
        self.stand(value, new, is_mapped)
        return new

    def stand(self, value: Value, new: Value, is_mapped: bool) -> None:
        self.stands[value] = new
        self.made.add(new)
        self.mapped.discard(value)
        if is_mapped:
            self.mapped.add(value)

    def of_batch(self, aval: Aval) -> Aval:
        """The type of a value for all examples."""
        if aval.kind is Kind.LIST:
            return list_of(None if aval.elem is None else self.of_batch(aval.elem))
        if not aval.is_numeric or aval.shape is None or aval.optional or aval.least is not None:
            raise NotBatched(f"values that are {aval}")
        return Aval(Kind.ARRAY, aval.dtype, (self.size, *aval.shape))

    def now(self, value: Value) -> Value:
        """What stands for a value; those from around a loop stand for themselves."""
        found = self.stands.get(value)
        if found is None:
            self.made.add(value)
            return value
        return found

    def count_of(self) -> Sym:
        """The number of examples."""
        return Sym(self.count, self.builder)

    def sym(self, value: Value) -> Sym:
        return Sym(self.now(value), self.builder)

    def operand(self, value: Value) -> Any:
        if value in self.constants:
            return self.constants[value]
        if value.aval.shape is None or not (
                value.aval.is_numeric or value.aval.kind is Kind.LIST):
            raise NotBatched(f"a value that is {value.aval}")
        return Operand(self.sym(value), len(value.aval.shape), value in self.mapped)

    def handed_on(self, value: Value, receiver: Value) -> Value:
        """:meth:`rows` of what becomes ``receiver`` around a loop or behind a branch: a number
        that becomes an array there has no batched form."""
        one, other = value.aval, receiver.aval
        if one.kind is not Kind.LIST and (one.ndim != other.ndim
                                          or not same_dtype(one.dtype, other.dtype)):
            raise NotBatched(f"a variable that is {one} at first and {other} later")
        return self.rows(value, memory=value in self.own and one.is_array)

    def rows(self, value: Value, memory: bool = False) -> Value:
        """A value with the axis of the examples, whether or not they differ.  ``memory``: it is
        written to."""
        if value in self.mapped:
            return self.now(value)
        if value.aval.kind is Kind.LIST:
            if value not in self.empty:
                raise _Differs(value)
            return self.builder.add("list", (), (self.of_batch(value.aval),)).out
        one: Any = self.sym(value)
        sizes: tuple[Any, ...] = (self.count_of(), *one.shape)
        made = np.broadcast_to(one, sizes)
        return self._accepted(np.copy(made) if memory else made, value)

    def _accepted(self, made: Any, value: Value) -> Value:
        """The result for all examples, of the type that one example's has."""
        wanted = self.of_batch(value.aval)
        aval = made.value.aval if isinstance(made, Sym) else None
        if aval is None or aval.shape is None or len(aval.shape) != len(wanted.shape or ()) or (
                not same_dtype(aval.dtype, wanted.dtype)):
            raise NotBatched(f"a result that is {aval} where {wanted} is expected")
        new: Value = made.value
        if new not in self.made:  # not one of the operands itself
            self.made.add(new)
            new.aval, new.hint, new.obj = wanted, value.hint, value.obj
        return new

    # ---- nodes ----------------------------------------------------------------------------
    def nodes(self, block: Block) -> None:
        for node in block.nodes:
            self.builder.origin = node.origin
            if node.op == "const" and _plain(node.params["value"]):
                self.constants[node.out] = node.params["value"]
            if node.op == "list" and not node.inputs:
                self.empty.add(node.out)
            handler = _HANDLERS.get(node.op)
            if self.visit(node):
                continue
            if node.op in ("if", "loop"):
                getattr(self, f"{node.op}_")(node)
            elif not any(v in self.mapped for v in node.inputs):
                self.once(node)
            elif handler is None:
                raise NotBatched(f"{node.op} of values that differ between examples")
            else:
                handler(self, node)
            if node.op != "read":
                self.own.update(node.outputs)

    def visit(self, node: Node) -> bool:
        """Is a node done in a way of its own?"""
        return False

    def once(self, node: Node) -> None:
        """A node that is the same for all examples."""
        if node.op == "effect" and node.outputs:
            raise NotBatched("an effect, which each example has of its own")
        if node.op in WRITES:
            self._check_own(node)
        new = tuple(o.like() for o in node.outputs)
        self.builder.nodes.append(node.but(
            inputs=tuple(self.now(v) for v in node.inputs), outputs=new))
        for old, value in zip(node.outputs, new, strict=True):
            self.stand(old, value, False)

    def _check_own(self, node: Node) -> None:
        if node.inputs[0] not in self.own:
            raise NotBatched("a write to an array from outside")

    def finish(self, value: Value, made: Any) -> None:
        self.stand(value, self._accepted(made, value), True)

    def apply(self, node: Node) -> None:
        if "derivative" in node.params:
            raise NotBatched(f"{_name(node)}, which has a derivative of its own")
        if may_raise(node) and all(v.aval.kind in SCALARS for v in node.inputs):
            raise NotBatched(f"{_name(node)} of numbers, which raises where arrays warn")
        if any(o.aval.kind is Kind.INT for o in node.outputs):
            raise NotBatched("whole numbers of Python, which have no largest one")
        fn = node.params["fn"]
        operands = [self.operand(v) for v in node.inputs]
        if node.params["args"][:1] != (Ref(0),) or len(operands) > 1:  # not all rows of one list
            operands = [stacked(o) if isinstance(o, Operand) and o.is_list and o.mapped else o
                        for o in operands]
        found = resolve(fn, fill(node.params["args"], operands),
                        fill(node.params["kwargs"], operands))
        if found is None:
            raise NotBatched(_name(node))
        entry, named = found
        body = RULES.get(entry.function)
        try:
            if body is not None:
                made = body(Call(entry, named, self.count_of()))
            elif is_elementwise(entry):
                made = self._elementwise(node, entry.function, operands)
            else:
                raise NotBatched(_name(node))
        except (SrcgradError, TypeError, ValueError) as error:  # of the types of a whole batch
            raise NotBatched(f"{_name(node)} ({error})") from None
        results = list(made) if node.params.get("many") else [made]
        if len(results) != len(node.outputs):
            raise NotBatched(_name(node))
        for value, result in zip(node.outputs, results, strict=True):
            self.finish(value, result)

    def _elementwise(self, node: Node, function: Callable[..., Any], operands: list[Any]) -> Any:
        rank = node.outputs[0].aval.ndim
        if rank is None or node.params["kwargs"].keys() & {"out", "where", "order", "subok"}:
            raise NotBatched(f"{_name(node)} with options")
        inputs = [raised(o, rank) if isinstance(o, Operand) else o for o in operands]
        args = fill(node.params["args"], inputs)
        kwargs = fill(node.params["kwargs"], inputs)
        fn = node.params["fn"]
        if fn is not function and not isinstance(fn, _SPELLED) and (
                getattr(operator, getattr(fn, "__name__", ""), None) is not fn):
            fn = function  # math.sin, abs: what NumPy calls it
        one = next(i for i in inputs if isinstance(i, Sym))
        return one.apply(fn, args, kwargs)

    # ---- parts ----------------------------------------------------------------------------
    def read(self, node: Node) -> None:
        base = node.inputs[0]
        inputs = node.inputs[:-1] if node.params.get("handle") else node.inputs
        operands: list[Any] = [self.operand(v) for v in inputs]
        made, aval, is_mapped = self.sym(base), base.aval, base in self.mapped
        for step in node.params["steps"]:
            if isinstance(step, Index):
                key = self._key(fill(step.key, operands), aval, is_mapped)
                aval = infer_getitem(aval, avals_in(fill(step.key, inputs)),
                                     fresh=lambda name: fresh_size("size")).aval
                made = made[key]
                is_mapped = True
            else:
                whole = Operand(made, len(aval.shape or ()), is_mapped)
                found = resolve(step.fn, (whole, *fill(step.args, operands)),
                                dict(fill(step.kwargs, operands)))
                if found is None or found[0].function not in RULES:
                    raise NotBatched(f"a view by {getattr(step.fn, 'name', step.fn)}")
                made = RULES[found[0].function](
                    Call(*found, self.count_of()))
                aval = aval.but(shape=made.aval.shape[1:])
        self.finish(node.out, made)

    def _key(self, key: Any, aval: Aval, is_mapped: bool) -> Any:
        """The key for all examples: ``:`` in front of the key of one."""
        parts = key if isinstance(key, tuple) else (key,)
        each = [isinstance(p, Operand) and p.mapped for p in parts]
        if any(o.mapped for p in parts if not isinstance(p, Operand)
               for o in found_in(p, Operand)):
            raise NotBatched("slices of each example's own")
        plain = [mapped(p, Operand, lambda o: o.sym) for p in parts]
        if any(each):
            numbers = [type(p) is int or (
                isinstance(p, Operand) and p.rank == 0 and _is_whole(p)) for p in parts]
            ahead = len(numbers) if all(numbers) else numbers.index(False)
            if not all(e < ahead for e, own in enumerate(each) if own) or any(
                    isinstance(p, list) for p in parts[ahead:]) or any(
                    isinstance(p, Operand) for p in parts[ahead:]):
                raise NotBatched("places of each example's own behind other axes")
            if is_mapped:
                plain.insert(0, arange(self.count_of()))
        else:
            places = [k for k, p in enumerate(parts)
                      if isinstance(p, (list, np.ndarray, Operand, int, np.integer))]
            if any(_is_array(parts[k]) for k in places) and places[-1] - places[0] >= len(places):
                raise NotBatched("index arrays apart from each other")  # their axes go in front
            plain.insert(0, slice(None))
        return tuple(plain) if len(plain) > 1 else plain[0]

    def store(self, node: Node) -> None:
        """``write``, ``acc`` and ``update``."""
        self._check_own(node)
        base, value = node.inputs[:2]
        operands: list[Any] = [self.operand(v) for v in node.inputs]
        aval, steps, inputs = base.aval, [], [self.rows(base, memory=True)]
        given = [*inputs, inputs[0]]
        for step in node.params["steps"]:
            if not isinstance(step, Index):
                raise NotBatched("a write through a view by a function")
            key = self._key(fill(step.key, operands), aval, True)
            aval = infer_getitem(aval, avals_in(fill(step.key, node.inputs)),
                                 fresh=lambda name: fresh_size("size")).aval
            steps.append((key, step.basic and not _has_arrays(key)))
        region = aval.ndim
        stored = self.operand(value)
        if region is None:
            raise NotBatched("a write to a part of unknown rank")
        given[1] = raised(stored, region).value if isinstance(stored, Operand) else (
            self.now(value))
        template = tuple(Index(abstract(mapped(key, Sym, lambda s: s.value), given), basic)
                         for key, basic in steps)
        self._again(node, given, steps=template)

    def copy(self, node: Node) -> None:
        self._again(node, [self.now(node.inputs[0])])

    def dim(self, node: Node) -> None:
        self._again(node, [self.now(node.inputs[0])], False, axis=node.params["axis"] + 1)

    def _again(self, node: Node, inputs: Sequence[Value], is_mapped: bool = True,
               **changed: Any) -> None:
        """The operation of a node on what stands for its operands."""
        new = node.out.like(aval=self.of_batch(node.out.aval) if is_mapped else node.out.aval)
        self.builder.nodes.append(node.but(
            inputs=tuple(inputs), outputs=(new,), params={**node.params, **changed}))
        self.stand(node.out, new, is_mapped)

    # ---- lists ----------------------------------------------------------------------------
    def display(self, node: Node) -> None:
        self._again(node, [self.rows(v) for v in node.inputs])

    def put(self, node: Node) -> None:
        lst, value, *places = node.inputs
        self._shared(places)
        self._again(node, [self.rows(lst), self.rows(value), *map(self.now, places)])

    def get(self, node: Node) -> None:
        self._shared(node.inputs[1:])
        self._again(node, [*map(self.now, node.inputs)])

    def list_len(self, node: Node) -> None:
        self._again(node, [self.now(node.inputs[0])], False)

    def _shared(self, places: Sequence[Value]) -> None:
        if any(p in self.mapped for p in places):
            raise NotBatched("places in lists of each example's own")

    # ---- regions --------------------------------------------------------------------------
    def inside(self, params: Sequence[tuple[Value, bool]], block: Block) -> tuple[
            list[Value], list[Node]]:
        """The new parameters of a nested block, and its nodes."""
        outer, self.builder = self.builder, Builder()
        try:
            made = [self.parameter(p, is_mapped) for p, is_mapped in params]
            self.nodes(block)
            return made, self.builder.nodes
        finally:
            self.builder = outer

    def closed(self, params: Sequence[Value], nodes: list[Node], block: Block,
               which: Sequence[bool], receivers: Sequence[Value]) -> Block:
        """A nested block whose outputs have the axis of the examples where ``which`` says."""
        outer, self.builder = self.builder, Builder()
        self.builder.nodes = nodes
        try:
            outputs = tuple(self.handed_on(v, r) if w else self.now(v)
                            for v, w, r in zip(block.outputs, which, receivers, strict=True))
        finally:
            self.builder = outer
        return Block(tuple(params), tuple(nodes), outputs)

    def if_(self, node: Node) -> None:
        predicate = node.inputs[0]
        if predicate in self.mapped:
            raise NotBatched("a branch that each example takes by itself")
        arms = [self.inside((), block)[1] for block in node.blocks]
        which = [any(b.outputs[k] in self.mapped for b in node.blocks)
                 for k in range(len(node.outputs))]
        blocks = tuple(self.closed((), nodes, block, which, node.outputs)
                       for nodes, block in zip(arms, node.blocks, strict=True))
        self.stand_for_results(node, (self.now(predicate),), blocks, which)

    def loop_(self, node: Node) -> None:
        spec, parts = node.loop, LoopParts(node)
        if spec.kind == "for" and any(v in self.mapped for v in node.inputs[:3]):
            raise NotBatched("a loop of as many steps as each example has")
        self.own.update(c for c, v in zip(parts.carried, parts.inits, strict=True)
                        if v in self.own)
        carried = [v in self.mapped for v in parts.inits]
        while True:
            try:
                made = self._loop_blocks(node, carried)
            except _Differs as found:
                if found.value not in parts.carried:
                    raise
                carried[parts.carried.index(found.value)] = True
                continue
            wider = [c or v in self.mapped for c, v in zip(carried, parts.next, strict=True)]
            if wider == carried:
                break
            carried = wider
        if any(v is not None and v in self.mapped for v in (
                parts.jump, node.blocks[0].outputs[0] if spec.kind == "while" else None)):
            raise NotBatched("a loop that each example leaves by itself")
        body = node.blocks[-1]
        which = [v in self.mapped for v in body.outputs]
        jump = 1 if spec.exits else 0
        which[jump:jump + spec.n_carried] = carried
        kept = which[len(which) - spec.n_produced:]
        spec = spec.but(stacked=tuple(s and not w for s, w in zip(spec.stacked, kept)))
        (params, nodes), head = made[-1], made[:-1]
        receivers = [*body.outputs]
        receivers[jump:jump + spec.n_carried] = parts.carried
        blocks = (*(self.closed(p, n, node.blocks[0], [False], node.blocks[0].outputs)
                    for p, n in head),
                  self.closed(params, nodes, body, which, receivers))
        lead = spec.first_init
        inputs = (*(self.now(v) for v in node.inputs[:lead]),
                  *(self.handed_on(v, p) if c else self.now(v)
                    for v, c, p in zip(parts.inits, carried, parts.carried, strict=True)),
                  *(self.now(v) for v in parts.sources))
        self.stand_for_results(node.but(params={**node.params, "loop": spec}), inputs, blocks,
                               [*which, False])

    def _loop_blocks(self, node: Node, carried: Sequence[bool]
                     ) -> list[tuple[list[Value], list[Node]]]:
        parts = LoopParts(node)
        given = dict(zip(parts.carried, carried, strict=True))
        given |= {e: v in self.mapped for e, v in zip(parts.elements, parts.sources, strict=True)}
        if node.loop.kind == "while":
            given |= dict(zip(node.blocks[0].params, carried, strict=True))
        return [self.inside([(p, given.get(p, False)) for p in block.params], block)
                for block in node.blocks]

    def stand_for_results(self, node: Node, inputs: tuple[Value, ...], blocks: tuple[Block, ...],
                          which: Sequence[bool]) -> None:
        """The node of a branch or loop, and what stands for its results."""
        avals = [self.of_batch(o.aval) if w else o.aval
                 for o, w in zip(node.outputs, which, strict=True)]
        if node.op == "loop":  # what iterations keep lies in lists
            parts = LoopParts(node)
            first = len(avals) - 1 - len(parts.sequences)
            for k, element in enumerate(parts.produced):
                if which[first + k]:
                    avals[first + k] = list_of(self.of_batch(element.aval))
        made = self.builder.add(node.op, inputs, tuple(avals), blocks, **node.params)
        for old, new, w in zip(node.outputs, made.outputs, which, strict=True):
            new.hint, new.obj = old.hint, old.obj
            self.stand(old, new, w)


_HANDLERS: dict[str, Callable[[Batch, Node], None]] = {
    "apply": Batch.apply, "read": Batch.read, "dim": Batch.dim, "copy": Batch.copy,
    "list": Batch.display, "append": Batch.display, "get": Batch.get, "put": Batch.put,
    "list_len": Batch.list_len, **dict.fromkeys(WRITES, Batch.store),
}


def operand_of_sum(node: Node, carried: Container[Value]) -> tuple[Value, Value] | None:
    """For ``a + b`` or ``a - b``, with ``a`` (or, for sums, ``b``) one of the carried values: that,
    and the other."""
    fn = node.params["fn"]
    if len(node.inputs) != 2 or node.params["kwargs"] or fn not in (operator.add, operator.sub):
        return None
    first, second = fill(node.params["args"], node.inputs)
    if first in carried:
        return first, second
    return (second, first) if fn is operator.add and second in carried else None


def _plain(value: Any) -> bool:
    """Is a constant one that rules see as itself?"""
    return value is None or isinstance(value, bool | int | float | complex | str | tuple)


def _name(node: Node) -> str:
    fn = node.params["fn"]
    return str(getattr(fn, "__name__", getattr(fn, "name", fn)))


def _is_array(part: Any) -> bool:
    return isinstance(part, (list, np.ndarray)) or (isinstance(part, Operand) and part.rank > 0)


def _is_whole(operand: Operand) -> bool:
    return operand.sym.dtype.kind in "iu"


def _has_arrays(key: Any) -> bool:
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(p, (list, np.ndarray)) or (isinstance(p, Sym) and p.aval.is_array)
               for p in parts)

