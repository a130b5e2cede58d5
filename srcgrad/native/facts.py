"""What is known, and what is assumed, of sizes: numbers that tell them, and what a call checks.

Sizes that NumPy would have to find equal, or not zero, and counts above which NumPy is faster
than loops, are asked before anything runs; where the answer is no the text for NumPy runs.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import product
from math import ceil
from typing import Any

from srcgrad.emit.literals import call, name
from srcgrad.emit.sizes import dim_expression
from srcgrad.graph.ir import Builder, Value
from srcgrad.native.places import At, Unlowered
from srcgrad.types.dims import (
    Atom,
    Dim,
    Poly,
    add,
    is_varying,
    maximum,
    multiply,
    of_atom,
    proves_nonnegative,
    proves_positive,
    substitute,
    symbols,
)
from srcgrad.types.kinds import Kind, int_aval

CALLS = 30_000.0  # nanoseconds in NumPy's text that kernels over lists do not take longer than
_WIDE = ("max({}, default=0) >= 2147483648", "min({}, default=0) <= -2147483648")


class Facts:
    """What must hold of sizes that a call can tell: ``a == b``, or ``a <= b``.  Without
    ``limits`` nothing is asked above which NumPy is faster: such operations are left to it.
    ``lengths`` are those of lists, of which the ``small`` ones hold integers that fit the
    machine's; ``saved`` are the nanoseconds that NumPy's text takes for each item of lists so long,
    which kernels save."""

    def __init__(self, inputs: Sequence[Value], fast: bool, lengths: Mapping[Value, Dim],
                 limits: bool = True) -> None:
        self.inputs, self.fast, self.limits = inputs, fast, limits
        self.lengths = lengths
        self.small: dict[Value, None] = {}
        self.saved: dict[Dim, float] = {}
        sizes = [d for v in inputs if not v.aval.optional
                 for d in (*(v.aval.shape or ()), v.aval.expr, lengths.get(v))]
        self.told = dict.fromkeys(d for d in sizes if isinstance(d, Poly))
        self.equations: dict[tuple[Dim, Dim], None] = {}
        self.bounds: dict[tuple[Dim, Dim], None] = {}

    def update(self, other: Facts) -> None:
        self.equations.update(other.equations)
        self.bounds.update(other.bounds)
        self.small.update(other.small)
        for length, found in other.saved.items():
            self.saved[length] = self.saved.get(length, 0.0) + found

    def equal(self, a: Dim, b: Dim) -> None:
        if a == b or (b, a) in self.equations:
            return None
        if self.tells(a, b):
            self.equations[a, b] = None
            return None
        for first, other in product((*symbols(a), *symbols(b)), self.told):
            size = Poly({((first, 1),): 1})
            if size in self.told and substitute(a, {first: other}) == substitute(
                    b, {first: other}):  # if two sizes of arguments are equal
                return self.equal(size, other)
        raise Unlowered(f"only a run knows whether {a} is {b}")

    def positive(self, dim: Dim) -> None:
        if proves_positive(dim):
            return
        if not self.tells(dim):
            raise Unlowered(f"only a run knows whether {dim} is zero")
        self.bounds[1, dim] = None

    def few(self, sizes: Sequence[Dim], limit: int) -> None:
        """So many elements are few enough."""
        total: Dim = 1
        for d in sizes:
            total = multiply(total, largest(d, self.told))
        if isinstance(total, int):
            if total > limit:
                raise Unlowered(f"NumPy is faster on {total} elements")
            return
        if not self.limits or not self.tells(total):
            raise Unlowered("only a run knows how many elements there are")
        self.bounds[total, limit] = None

    def below(self, index: Any, size: Dim, asked: bool = False) -> bool:
        """Can a call tell that an index lies within an axis (or is that ``asked`` already)?"""
        if not isinstance(index, (int, Poly)):
            return False
        back = multiply(-1, index)  # how far from the end
        try:
            if proves_nonnegative(index):
                end = add(largest(index, self.told), 1)
            elif proves_positive(back):
                end = largest(back, self.told)
            else:
                return False
        except Unlowered:
            return False
        if not self.tells(end, size) or (asked and (end, size) not in self.bounds):
            return False
        self.bounds[end, size] = None
        return True

    def tells(self, *dims: Dim) -> bool:
        return all(Poly({((a, 1),): 1}) in self.told for d in dims for a in symbols(d))

    def check(self, parameters: Sequence[str]) -> ast.expr | None:
        """The text that asks whether one of the facts does not hold; None if there are none."""
        places: dict[Atom, ast.expr] = {}
        for value, parameter in zip(self.inputs, parameters, strict=True):
            for axis, size in enumerate(value.aval.shape or ()):
                shape = ast.Attribute(name(parameter), "shape", ast.Load())
                length = call("len", name(parameter))  # asked faster than the shape
                _enter(places, size, ast.Subscript(shape, ast.Constant(axis), ast.Load())
                       if axis else length)
            _enter(places, value.aval.expr, name(parameter))
            _enter(places, self.lengths.get(value), call("len", name(parameter)))
        asked: list[ast.expr] = []
        fewest: dict[tuple[Dim, Dim], None] = {
            (ceil(CALLS / found), length): None for length, found in self.saved.items()}
        bounds = [(a, b) for a, b in self.bounds if not any(
            b == d and a != c and proves_nonnegative(add(c, multiply(-1, a)))
            for c, d in self.bounds)]  # those that do not follow from others
        for facts, op in ((self.equations, ast.NotEq()), (fewest, ast.Gt()), (bounds, ast.Gt())):
            for pair in facts:
                a, b = (dim_expression(d, places.get) for d in pair)
                asked.append(ast.Compare(a, [op], [b]))
        for value, parameter in zip(self.inputs, parameters, strict=True):
            if value in self.small:
                asked += [ast.parse(text.format(parameter), mode="eval").body for text in _WIDE]
        return None if not asked else asked[0] if len(asked) == 1 else ast.BoolOp(ast.Or(), asked)


def _enter(places: dict[Atom, ast.expr], dim: Dim | None, text: ast.expr) -> None:
    atoms = dim.atoms() if isinstance(dim, Poly) else []
    if len(atoms) == 1 and dim == Poly({((atoms[0], 1),): 1}):
        places.setdefault(atoms[0], text)


def largest(dim: Dim, told: Container[Dim]) -> Dim:
    """A bound of a size that does not depend on loops, or on sizes that a call does not tell."""
    if not is_varying(dim):
        return dim
    assert isinstance(dim, Poly)
    total: Dim = 0
    for monomial, coefficient in dim.terms.items():
        product: Dim = coefficient
        for atom, power in monomial:
            found = _end(atom, coefficient > 0, told)
            for _ in range(power):
                product = multiply(product, found)
        total = add(total, product)
    return total


def _end(atom: Atom, high: bool, told: Container[Dim]) -> Dim:
    if not atom.varying or of_atom(atom) in told:
        return of_atom(atom)
    if atom.name in ("max", "min") and high:
        ends: list[Dim] = []
        for a in atom.args:
            try:
                ends.append(largest(a, told))
            except Unlowered:
                if atom.name == "max" or a is atom.args[-1]:
                    raise
        return maximum(*ends) if len(ends) == 2 and atom.name == "max" else ends[0]
    bound = atom.high if high else atom.low
    if bound is None:
        raise Unlowered("only a run knows how many elements there are")
    return largest(bound, told)


Rows = tuple[Value, Value, Value]


class Scope:
    """The values that tell sizes: integers, and arrays with their axes; and the ``arrays`` that
    lists are in kernels, for lists of lists that of all items and those of where the ``rows`` begin
    and end in it."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.known: dict[Dim, tuple[Value, int | None]] = {} if outer is None else dict(
            outer.known)
        self.values: dict[tuple[Dim, bool], At] = {} if outer is None else dict(outer.values)
        self.arrays: dict[Value, Value] = {} if outer is None else dict(outer.arrays)
        self.rows: dict[Value, Rows] = {} if outer is None else dict(outer.rows)

    def inside(self, params: Iterable[Value]) -> Scope:
        inner = Scope(self)
        for p in params:
            inner.offer(p)
        return inner

    def offer(self, value: Value) -> None:
        aval = value.aval
        if aval.optional:
            return
        if aval.kind is Kind.INT and isinstance(aval.expr, Poly):
            self.known.setdefault(aval.expr, (value, None))
        elif aval.kind is Kind.ARRAY:
            for axis, size in enumerate(aval.shape or ()):
                if isinstance(size, Poly):
                    known = self.known.get(size)
                    if known is None or (known[1] == axis and value.obj is not None
                                         and known[0].obj == value.obj):  # a newer version
                        self.known[size] = (value, axis)

    def size(self, dim: Dim, builder: Builder, stop: bool = False) -> At:
        """The number of a size; as the end of a range it may be below zero."""
        if not isinstance(dim, Poly):
            return At(dim)
        if (dim, stop) not in self.values:
            self.values[dim, stop] = self._size(dim, builder, stop)
        return self.values[dim, stop]

    def _size(self, dim: Poly, builder: Builder, stop: bool) -> At:
        found = self.known.get(dim)
        if found is not None:
            value, axis = found
            if axis is not None:
                value = builder.add("dim", (value,), (int_aval(dim),), axis=axis).out
            return At.of(value)
        total = At()
        for monomial, coefficient in dim.ordered():
            term: Value | None = None
            for atom, power in monomial:
                for _ in range(power):
                    factor = self.atom(atom, builder, stop and dim.terms == {monomial: 1})
                    if isinstance(factor, At):
                        return factor
                    term = factor if term is None else builder.apply(
                        operator.mul, (term, factor), {}, int_aval())
            total = total.plus(At(coefficient) if term is None else
                               At.of(term).times(coefficient))
        return total

    def atom(self, atom: Atom, builder: Builder, stop: bool) -> Value | At:
        dim = Poly({((atom, 1),): 1})
        if dim in self.known:
            (value, _), = self.size(dim, builder).terms
            return value
        if atom.name == "max" and 0 in atom.args and stop:
            other = next(a for a in atom.args if a != 0)
            return self.size(other, builder)
        if atom.name not in ("max", "min"):
            raise Unlowered(f"the size {dim} has no name")
        parts = [self.number(a, builder) for a in atom.args]
        return builder.apply(max if atom.name == "max" else min, tuple(parts), {}, int_aval(dim))

    def number(self, dim: Dim, builder: Builder) -> Value | int:
        at = self.size(dim, builder)
        if not at.terms:
            return at.number
        total: Value | None = None
        for value, times in sorted(at.terms, key=lambda term: -term[1]):
            term = value if times == 1 else builder.apply(operator.mul, (times, value), {},
                                                          int_aval())
            total = term if total is None else builder.apply(
                operator.add, (total, term), {}, int_aval())
        assert total is not None
        if at.number:
            total = builder.apply(operator.add if at.number > 0 else operator.sub,
                                  (total, abs(at.number)), {}, int_aval(dim))
        return total
