"""Loops whose iterations do not depend on each other, as operations on whole arrays.

    for i in reversed(range(n)):              d_x += d_y * np.cos(x)
        d_x[i] += d_y[i] * np.cos(x[i])

Each number of an iteration becomes an array with a place for each iteration; what lies at the
loop's index is a slice.  :mod:`srcgrad.graph.dependence` says which loops have such iterations;
sums are formed in another order than by the loop, so that this is for adjoints, whose bits are
nobody's reference.  Only numbers are batched: whole arrays of all iterations would take memory, and
are fast one by one.
"""

from __future__ import annotations

import operator
from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from ..graph.dependence import is_independent
from ..graph.ir import Index, Node, Value, abstract, fill
from ..graph.parts import LoopParts
from ..graph.raising import may_lie_outside, may_raise
from ..graph.symbolic import Sym
from ..rules.broadcast import arange
from ..types.dataclasses import dataclass
from ..types.dims import Dim, Poly, add, maximum, multiply, proves_nonnegative, proves_positive
from ..types.kinds import Aval, Kind, int_aval, list_of, same_dtype
from ..types.structure import mapped
from .graphs import WRITES, Batch, operand_of_sum
from .rules import NotBatched, Operand, raised

FEW = 12  # iterations, which arrays would not make faster


def batched_loop(node: Node, constants: Mapping[Value, Any], zeros: Container[Value],
                 unsure: Container[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """The nodes that do the work of a ``for`` loop, and what stands for its results.

    ``constants`` are the numbers of constant values from around, ``zeros`` arrays of zeros,
    ``unsure`` values that some paths do not bind.  Raises :class:`NotBatched`.
    """
    parts = LoopParts(node)
    bounds = [v.aval.expr for v in node.inputs[:3]]
    if bounds[0] is None or bounds[1] is None or bounds[2] != 1 or not is_independent(node, True):
        raise NotBatched("a loop of another form")
    made = _Iterations(node, parts, bounds[0], bounds[1])
    made.constants, made.zeros, made.unsure = dict(constants), zeros, unsure
    made.nodes(node.blocks[-1])
    return made.builder.nodes, dict(zip(parts.results, made.current, strict=True))


@dataclass(frozen=True)
class _Place:
    """Part number ``axis`` of a key is the loop's index plus ``offset``."""

    axis: int
    offset: int


class _Iterations(Batch):
    """One visit of a body: an example is an iteration."""

    zeros: Container[Value]
    unsure: Container[Value]

    def __init__(self, node: Node, parts: LoopParts, start: Dim, stop: Dim) -> None:
        count = maximum(0, add(stop, multiply(-1, start)))
        if isinstance(count, int) and count < FEW:
            raise NotBatched("few iterations")
        super().__init__(int_aval(count))
        self.builder.origin = node.origin
        self.bounds, self.start, self.stop = node.inputs[:2], start, stop
        assert parts.index is not None
        self.index = parts.index
        self.whole: dict[Value, Node | None] = {self.index: None}  # ints that follow from the index
        self.mapped.add(self.index)
        self.slots = {v: k for k, v in enumerate(parts.carried)}
        self.current = list(parts.inits)
        self.made.update(parts.inits)
        for source, element in zip(parts.sources, parts.elements, strict=True):
            self._element(source, element)

    def _element(self, source: Value, element: Value) -> None:
        """What iterations find of what others kept."""
        if element.aval.shape != ():
            raise NotBatched("whole arrays")
        aval = self.of_batch(element.aval)
        if source.aval.kind is Kind.LIST:
            if source.aval != list_of(element.aval) or element.aval.dtype is None:
                raise NotBatched("a list of unlike numbers")
            dtype = element.aval.dtype  # which NumPy cannot tell of an empty list
            known = dtype == np.float64 or proves_positive(self.size)
            kwargs = {} if known else {"dtype": dtype}
            source = self.builder.apply(np.array, (source,), kwargs, aval)
        self.stand(element, source, True)

    # ---- numbers ----------------------------------------------------------------------------
    def sym(self, value: Value) -> Sym:
        if value in self.whole and value not in self.stands:
            node = self.whole[value]
            if node is None:
                low, high = (Sym(v, self.builder) for v in self.bounds)
                made = arange(high) if self.start == 0 else arange(low, high)
            else:
                made = self._elementwise(node, node.params["fn"],
                                         [self.operand(v) for v in node.inputs])
            made.value.aval = self.of_batch(value.aval)
            self.stand(value, made.value, True)
        return super().sym(value)

    def now(self, value: Value) -> Value:
        if value in self.slots:
            raise NotBatched("a recurrence")
        if value in self.unsure and not proves_positive(self.size):
            raise NotBatched("what an iteration before leaves behind")
        return self.sym(value).value if value in self.whole and (
            value not in self.stands) else super().now(value)

    def count_of(self) -> Sym:
        if self.start != 0 or not proves_nonnegative(self.stop):
            raise NotBatched("a number of iterations that is not at hand")
        return Sym(self.bounds[1], self.builder)

    def once(self, node: Node) -> None:
        if may_raise(node) and not proves_positive(self.size):
            raise NotBatched("what may raise, though there may be no iteration")
        super().once(node)

    def finish(self, value: Value, made: Any) -> None:
        if value.aval.shape != ():
            raise NotBatched("whole arrays")
        super().finish(value, made)

    def nodes(self, block: Any) -> None:
        for node in block.nodes:
            if node.op not in ("const", "apply", "read", "get", "dim", "list_len", *WRITES):
                raise NotBatched(f"{node.op} in the loop")
        super().nodes(block)

    def visit(self, node: Node) -> bool:
        """What happens to carried values, and to whole numbers that follow from the index."""
        if node.op in WRITES and node.inputs[0] in self.slots:
            self._store(node)
        elif node.op == "read" and node.inputs[0] in self.slots:
            self._read_at(node, self.current[self.slots[node.inputs[0]]])
        elif node.op == "read" and node.inputs[0] not in self.mapped and (
                self._place(node) is not None):
            self._read_at(node, self.now(node.inputs[0]))
        elif node.op == "apply" and any(v in self.slots for v in node.inputs):
            self._sum(node)
        elif node.op == "apply" and len(node.outputs) == 1 and any(
                v in self.whole for v in node.inputs) and node.out.aval.kind is Kind.INT and (
                node.out.aval.expr is not None):
            self.whole[node.out] = node
            self.mapped.add(node.out)
        else:
            return False
        return True

    # ---- places -----------------------------------------------------------------------------
    def _parts(self, node: Node) -> tuple[Any, ...]:
        steps = node.params["steps"]
        if len(steps) != 1 or not isinstance(steps[0], Index) or node.params.get("handle"):
            raise NotBatched("views of views")
        key = fill(steps[0].key, node.inputs)
        return key if isinstance(key, tuple) else (key,)

    def _place(self, node: Node) -> _Place | None:
        """Where the loop's index is in a key, if that is in one place of the key alone."""
        if len(node.params["steps"]) != 1 or node.params.get("handle"):
            return None
        parts = self._parts(node)
        inside = [k for k, p in enumerate(parts) if _holds(p, self.mapped)]
        if len(inside) != 1 or any(
                p is None or p is Ellipsis or isinstance(p, (list, np.ndarray))
                or (isinstance(p, Value) and p.aval.shape != ()) for p in parts):
            return None
        (axis,) = inside
        part = parts[axis]
        if not isinstance(part, Value) or part not in self.whole or part.aval.expr is None or (
                self.index.aval.expr is None):
            return None
        offset = add(part.aval.expr, multiply(-1, self.index.aval.expr))
        return _Place(axis, offset) if isinstance(offset, int) else None

    def _slice(self, place: _Place, base: Aval) -> slice:
        """The places of all iterations along an axis."""
        low, high = add(self.start, place.offset), add(self.stop, place.offset)
        size = (base.shape or ())[place.axis] if place.axis < len(base.shape or ()) else None
        if size is None or not proves_nonnegative(low):
            raise NotBatched("places counted from the end")
        short = add(size, multiply(-1, high))
        if not proves_nonnegative(high) and not (
                isinstance(short, int) and isinstance(low, int) and 0 <= short <= low + 2):
            raise NotBatched("a number of iterations that may be negative")
        return slice(None if low == 0 else self._bound(0, place.offset, low),
                     None if short == 0 else self._bound(1, place.offset, high))

    def _bound(self, which: int, offset: int, number: Dim) -> Any:
        if not isinstance(number, Poly):
            return number
        bound: Any = Sym(self.bounds[which], self.builder)
        return bound + offset if offset > 0 else bound - -offset if offset else bound

    def _key_at(self, node: Node, place: _Place, base: Aval) -> tuple[tuple[Any, ...], int]:
        """The key of all iterations, and which axis of the part is theirs."""
        parts = self._parts(node)
        self._check_inside(node, place.axis)
        ahead = sum(isinstance(p, slice) for p in parts[:place.axis])
        key = [mapped(p, Value, lambda v: Sym(self.now(v), self.builder))
               if k != place.axis else self._slice(place, base) for k, p in enumerate(parts)]
        return tuple(key), ahead

    def _check_inside(self, node: Node, but: int | None = None) -> None:
        """Indices that are the same in all iterations must be right where there is none."""
        step, sizes = node.params["steps"][0], node.inputs[0].aval.shape or ()
        key = step.key if isinstance(step.key, tuple) else (step.key,)
        if not proves_positive(self.size) and any(
                k != but and may_lie_outside(node, part, size)
                for k, (part, size) in enumerate(zip(key, sizes))):
            raise NotBatched("what may raise, though there may be no iteration")

    def _read_at(self, node: Node, base: Value) -> None:
        place = self._place(node)
        if place is None:
            raise NotBatched("a place that other iterations may share")
        key, ahead = self._key_at(node, place, base.aval)
        part: Any = Sym(base, self.builder)
        part = part if _is_whole(key, base.aval) else part[key if len(key) > 1 else key[0]]
        self.finish(node.out, np.moveaxis(part, ahead, 0) if ahead else part)

    # ---- carried values ---------------------------------------------------------------------
    def _store(self, node: Node) -> None:
        additive = node.params.get("fn", operator.iadd) in (operator.iadd, operator.isub)
        slot = self.slots[node.inputs[0]]
        base, value = self.current[slot], node.inputs[1]
        place = self._place(node) if node.params["steps"] else None
        given, params = [base, base], dict(node.params)
        if place is not None:
            key, ahead = self._key_at(node, place, base.aval)
            if ahead:
                raise NotBatched("places behind other axes")
            stored = self.operand(value)
            rank = len(base.aval.shape or ()) - sum(not isinstance(k, slice) for k in key) - 1
            given[1] = self._value(raised(stored, rank) if isinstance(stored, Operand) else stored)
            if _is_whole(key, base.aval) and self._replaces(node, base, given[1]):
                self._following(slot, node.out, given[1])
                return
            params["steps"] = (Index(abstract(mapped(key if len(key) > 1 else key[0], Sym,
                                                     lambda s: s.value), given)),)
        elif node.params["steps"] and any(_holds(p, self.mapped) for p in self._parts(node)):
            given, params = self._scattered(node, base)
        else:
            if node.op == "write" or not additive:
                raise NotBatched("a value that the last iteration leaves")
            given[1] = self._total(value)
            if node.params["steps"]:
                self._check_inside(node)
            if node.op == "acc" and not node.params["steps"] and self._is_zero(base):
                self._following(slot, node.out, given[1])
                return
            params["steps"] = tuple(
                Index(abstract(mapped(fill(s.key, node.inputs), Value, self.now), given), s.basic)
                for s in node.params["steps"])
        op = "acc" if "fn" not in params else node.op
        made = self.builder.add(op if node.op != "write" else "write", tuple(given), (base.aval,),
                                **params)
        made.out.hint, made.out.obj = node.out.hint, node.out.obj
        self._following(slot, node.out, made.out)

    def _replaces(self, node: Node, base: Value, value: Value) -> bool:
        """Is a store to a whole array just another array?"""
        fresh = any(value in n.outputs and n.op == "apply" for n in self.builder.nodes) and (
            value.aval == base.aval)
        added = node.op == "acc" and base in self.zeros
        if fresh and (node.op == "write" or added):
            value.hint, value.obj = node.out.hint, node.out.obj
            return True
        return False

    def _scattered(self, node: Node, base: Value) -> tuple[list[Value], dict[str, Any]]:
        """An addition at places that data tells: repeated ones add up."""
        if node.op == "write":
            raise NotBatched("a value that the last iteration leaves")
        operands = [None if v in self.slots else self.operand(v) for v in node.inputs]
        parts = fill(node.params["steps"][0].key, operands)
        key = self._key(parts, base.aval, False)
        stored = self.operand(node.inputs[1])
        found = parts if isinstance(parts, tuple) else (parts,)
        rank = len(base.aval.shape or ()) - len(found) + max(getattr(p, "rank", 0) for p in found)
        value = raised(stored, rank) if isinstance(stored, Operand) and stored.mapped else None
        if value is None or any(not isinstance(p, (Sym, int)) for p in (
                key if isinstance(key, tuple) else (key,))):
            raise NotBatched("rows added at places that data tells")
        fn = node.params.get("fn", operator.iadd)
        if fn not in (operator.iadd, operator.isub):
            raise NotBatched("a value that the last iteration leaves")
        given = [base, (value if fn is operator.iadd else -value).value]
        template = abstract(mapped(key, Sym, lambda s: s.value), given)
        return given, {"steps": (Index(template, False),)}

    def _sum(self, node: Node) -> None:
        """A number that each iteration adds to."""
        found = operand_of_sum(node, self.slots)
        if found is None:
            raise NotBatched("a recurrence")
        carried, value = found
        if value in self.slots or carried.aval.shape != () or not same_dtype(
                carried.aval.dtype, node.out.aval.dtype):
            raise NotBatched("a recurrence")
        slot = self.slots[carried]
        so_far, total = self.current[slot], self._total(value)
        if self._is_zero(so_far):
            made = total if node.params["fn"] is operator.add else self._value(
                operator.neg(Sym(total, self.builder)))
        else:
            made = self.builder.apply(node.params["fn"], (so_far, total), {}, node.out.aval)
        made.hint, made.obj = node.out.hint, node.out.obj
        self._following(slot, node.out, made)

    def _is_zero(self, value: Value) -> bool:
        return type(self.constants.get(value)) is float and self.constants[value] == 0.0

    def _following(self, slot: int, old: Value, new: Value) -> None:
        for value in [v for v, s in self.slots.items() if s == slot]:
            del self.slots[value]
        self.slots[old], self.current[slot] = slot, new
        self.made.add(new)

    def _total(self, value: Value) -> Value:
        """The sum over the iterations."""
        if value.aval.shape != ():
            raise NotBatched("whole arrays")
        if value in self.mapped:
            return self._value(np.sum(self.sym(value), axis=0))
        one: Any = Sym(self.now(value), self.builder)
        return self._value(self.count_of() * one)

    def _value(self, made: Any) -> Value:
        if isinstance(made, Sym):
            return made.value
        return self.builder.const(made, Aval(Kind.FLOAT, np.dtype(float)))


def _is_whole(key: tuple[Any, ...], base: Aval) -> bool:
    """Does a key select all of an array?"""
    return len(key) == len(base.shape or ()) and all(
        isinstance(k, slice) and k.start is k.stop is k.step is None for k in key)


def _holds(structure: Any, values: Any) -> bool:
    found: list[bool] = []
    mapped(structure, Value, lambda v: found.append(v in values))
    return any(found)

