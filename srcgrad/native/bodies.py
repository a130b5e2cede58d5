"""The innermost body of a nest: elements of arrays, read once and computed once."""

from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.graph.ir import Builder, Index, Ref, Value, abstract
from srcgrad.native.elements import as_number, rule_of
from srcgrad.native.places import At, Unlowered, places
from srcgrad.types.dims import Dim, add, multiply
from srcgrad.types.kinds import SCALARS, Aval, int_aval, scalar

if TYPE_CHECKING:
    from srcgrad.native.nests import Run

Places = tuple[At, ...]
Access = tuple[Value, Value, Places]  # memory, its version, the place


class Body:
    """Appends to ``builder`` what computes elements.  ``current`` are the versions of memory
    that the nest writes, by memory; ``accesses`` notes what is read; ``space`` are the sizes of
    the loops around."""

    def __init__(self, run: Run, builder: Builder, accesses: list[Access],
                 plain: bool = False) -> None:
        self.run, self.builder, self.accesses, self.plain = run, builder, accesses, plain
        self.current: dict[Value, Value] = {}
        self.memo: ChainMap[Any, Any] = ChainMap()
        self.numbers: dict[Value, Value] = {}
        self.space: tuple[Dim, ...] = ()

    def inside(self, builder: Builder, moved: dict[Value, Value], size: Dim) -> Body:
        """The body of a loop in this one, which carries some values."""
        inner = Body(self.run, builder, self.accesses, self.plain)
        inner.memo = self.memo.new_child()
        inner.numbers = {**self.numbers, **moved}
        inner.current = {k: moved.get(v, v) for k, v in self.current.items()}
        inner.space = (*self.space, size)
        return inner

    def carried_number(self, outer: Value) -> Value:
        return self.numbers[outer]

    # ---- what is known of sizes ------------------------------------------------------------
    def size(self, dim: Dim, stop: bool = False) -> At:
        return self.run.size(dim, stop)

    def equal(self, a: Dim, b: Dim) -> None:
        self.run.facts.equal(a, b)

    def positive(self, dim: Dim) -> None:
        self.run.facts.positive(dim)

    def costly(self) -> None:
        """A function is computed that NumPy computes faster of many numbers at once."""
        if not self.run.facts.fast:
            self.few(self.space, 400)

    def multiplied(self, sizes: Sequence[Dim]) -> None:
        """So many products are added up, which BLAS does faster if they are many."""
        self.few((*self.space, *sizes), 1500)

    def few(self, sizes: Sequence[Dim], limit: int) -> None:
        """Asks for so few elements; what only tries whether there is a body asks nothing."""
        if not self.plain:
            self.run.facts.few(sizes, limit)
        elif not self.run.facts.limits:
            raise Unlowered("NumPy is faster on many elements")

    # ---- operations ------------------------------------------------------------------------
    def apply(self, fn: Any, args: Sequence[Any], aval: Aval) -> Value:
        return self.builder.apply(fn, tuple(args), {}, aval)

    def value(self, at: At) -> Value:
        """An index as a value."""
        found = self.key(at)
        return self.builder.const(found, int_aval(found)) if isinstance(found, int) else found

    def key(self, at: At) -> Value | int:
        if not at.terms:
            return at.number
        if at in self.memo:
            return self.memo[at]  # type: ignore[no-any-return]
        total: Any = None
        left = at.number
        if left and all(times < 0 for _, times in at.terms):
            total, left = left, 0
        for value, times in sorted(at.terms, key=lambda term: -term[1]):
            self.noted(value)
            term = value if times == 1 or (times == -1 and total is not None) else self._int(
                operator.mul, times if total is None else abs(times), value)
            total = term if total is None else self._int(
                operator.sub if times < 0 else operator.add, total, term)
        if left:
            total = self._int(operator.add if left > 0 else operator.sub, total, abs(left))
        self.memo[at] = total
        return total  # type: ignore[no-any-return]

    def noted(self, number: Value) -> None:
        """A number that is used: it must be there before the nest."""
        if self.run.is_pending(number):
            self.accesses.append((number, number, ()))

    def _int(self, fn: Any, a: Any, b: Any) -> Value:
        first, second = (x.aval.expr if isinstance(x, Value) else x for x in (a, b))
        expr: Dim | None = None
        if first is not None and second is not None:
            expr = multiply(first, second) if fn is operator.mul else add(
                first, multiply(-1 if fn is operator.sub else 1, second))
        return self.builder.apply(fn, (a, b), {}, int_aval(expr))

    def chosen(self, mask: Any, first: Any, second: Any, aval: Aval) -> Value:
        """``first if mask else second``."""
        arms = []
        for part in (first, second):
            inner = Builder(self.builder.origin)
            arms.append(inner.block((self.number(part, aval, inner),)))
        return self.builder.add("if", (mask,), (aval,), tuple(arms)).out

    def number(self, part: Any, aval: Aval, builder: Builder) -> Value:
        assert aval.dtype is not None
        if isinstance(part, Value):
            return part
        if aval.dtype == np.float32:
            return builder.const(np.float32(part), aval)
        return builder.const(*as_number(part, aval.dtype))

    # ---- elements --------------------------------------------------------------------------
    def element(self, value: Any, index: Places) -> Value:
        """The element of an array at an index; a number is its own."""
        if not isinstance(value, Value):
            return value  # type: ignore[no-any-return]
        if value.aval.kind in SCALARS:
            self.noted(value)
            return value
        if (value, index) in self.memo:
            return self.memo[value, index]  # type: ignore[no-any-return]
        if self.plain:
            return Value(scalar(value.aval.dtype))
        run = self.run
        node = run.maker(value)
        if node is not None and node.op == "read":
            base = node.inputs[0]
            found = self.element(base, places(
                node.params["steps"], node.inputs, base.aval.shape or (), index, self.size,
                self.at))
        elif node is not None:
            rule = rule_of(node)
            assert rule is not None
            found = rule(self, node, index)
        elif run.is_member(value):
            self.accesses.append((value, value, index))
            found = Value(scalar(value.aval.dtype))
        else:
            found = self.load(value, index)
        self.memo[value, index] = found
        return found

    def at(self, indices: Value, index: Places) -> At:
        """An element of an array of indices as an index."""
        return At.of(self.element(indices, index))

    def load(self, value: Value, index: Places) -> Value:
        """An element from memory."""
        memory = self.run.memory(value)
        self.accesses.append((memory, value, index))
        version = self.current.get(memory, value)
        known = self.memo.get((version, index))
        if known is not None:
            return known  # type: ignore[no-any-return]
        inputs: list[Value] = [version]
        key = abstract(_plain([self.key(at) for at in index]), inputs)
        found = self.builder.add("read", tuple(inputs), (scalar(value.aval.dtype),),
                                 steps=(Index(key),), inside=True).out
        self.memo[version, index] = found
        return found

    def store(self, op: str, memory: Value, index: Places, value: Any, fn: Any = None) -> None:
        """``write``, ``acc`` or ``update`` at one place."""
        version = self.current[memory]
        assert version.aval.dtype is not None
        number = self.number(value, scalar(version.aval.dtype), self.builder)
        inputs: list[Value] = [version, number]
        key = _plain([Ref(_place(inputs, k)) if isinstance(k, Value) else k
                      for k in map(self.key, index)])
        params = {} if fn is None else {"fn": fn}
        node = self.builder.add(op, tuple(inputs), (version.aval,), steps=(Index(key),),
                                inside=True, **params)
        node.out.hint, node.out.obj = version.hint, version.obj
        self.current[memory] = node.out
        if op == "write" and number.aval.dtype == version.aval.dtype:
            self.memo[node.out, index] = number


def _plain(key: list[Any]) -> Any:
    return key[0] if len(key) == 1 else tuple(key)


def _place(inputs: list[Value], value: Value) -> int:
    inputs.append(value)
    return len(inputs) - 1

