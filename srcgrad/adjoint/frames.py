"""Reverse frames: where cotangents live while a block is run backwards.

A :class:`Frame` mirrors one primal block.  It holds the current cotangent of every primal
value it has met.  Values of enclosing blocks are reached *lazily*:

* a frame of an arm starts from the cotangent its parent has (values of enclosing blocks are
  visible) and reports what it touched, to be merged by the ``if``;
* a frame of a loop body makes a parameter on first contact: an accumulator carried through
  the backward loop.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph.broadcasting import never_one
from ..graph.ir import (
    Block,
    Builder,
    Index,
    Node,
    Origin,
    Steps,
    Through,
    Value,
    abstract,
    avals_in,
    fill,
)
from ..graph.symbolic import infer_fresh
from ..rules.broadcast import scatter_add, sum_to
from ..types.dims import Dim
from ..types.kinds import FLOAT, SCALARS, Aval, Kind, list_of
from .screens import Screen, screen_of_call


def cotangent_aval(aval: Aval) -> Aval:
    """The facts about a cotangent of a value with ``aval``: the same shape and dtype; which
    kind of scalar it is does not matter to an adjoint."""
    if aval.kind is Kind.LIST:
        elem = aval.elem  # what is absent from the list is absent from its cotangent
        return list_of(None if elem is None else cotangent_aval(elem).but(optional=elem.optional))
    if aval.kind in SCALARS:
        return Aval(Kind.NUMBER, aval.dtype, ())
    return aval.but(expr=None, optional=False)


def shaped_like(aval: Aval, value: Value) -> Aval:
    """``aval`` with the shape of ``value``, if both are arrays of one rank."""
    shape, other = aval.shape, value.aval.shape
    if aval.kind is not Kind.ARRAY or value.aval.kind is not Kind.ARRAY or (
            shape is None or other is None or len(shape) != len(other)):
        return aval
    return aval.but(shape=other)


def avals_of(node: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The abstract arguments of an ``apply`` node, as :func:`infer` takes them."""
    avals = [v.aval for v in node.inputs]
    return fill(node.params["args"], avals), fill(node.params["kwargs"], avals)


def _is_settled(have: Aval, want: Aval) -> bool:
    """Are two shapes certainly equal?  Sizes that were broadcast together and are not 1 are."""
    if have.shape is None or want.shape is None or have.kind is not want.kind:
        return False
    return len(have.shape) == len(want.shape) and all(
        a == b or (never_one(a) and never_one(b)) for a, b in zip(have.shape, want.shape))


class Tape(Builder):
    """A builder that infers types.  ``rows`` tells which lists are the rows of which arrays,
    ``masks`` how many elements each boolean mask selects, ``screens`` which cotangents are zero
    where a branch was not taken, ``put`` what was added at which slice last."""

    def __init__(self, origin: Origin | None = None) -> None:
        super().__init__(origin)
        self.rows: dict[Value, Value] = {}
        self.masks: dict[Value, Dim] = {}
        self.screens: dict[Value, Screen] = {}
        self.put: dict[Value, tuple[Value, Any]] = {}

    def apply(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
              aval: Aval) -> Value:
        """Append an ``apply`` with one output; Values may sit anywhere in the arguments.
        A ``sum_to`` or ``reshape`` to the shape that is there appends nothing; what is put at a
        slice is added there, so that it can be added to something else than zeros."""
        if fn in (sum_to, np.reshape) and isinstance(args[0], Value) and (
                _is_settled(args[0].aval, aval) and (fn is sum_to or args[0].aval == aval)):
            return args[0]
        if fn is scatter_add and aval.dtype == float and _is_known_slice(args[1]):
            zeros = super().apply(np.zeros, args[2:], {}, aval)
            return self._put(zeros, args[0], args[1])
        if fn in (operator.add, operator.sub) and all(
                isinstance(a, Value) and a in self.put for a in args):
            value, key = self.put[args[1]]
            return self._put(args[0], value if fn is operator.add else self.call(
                operator.neg, value), key)
        made = super().apply(fn, args, kwargs, aval)
        screen = None if kwargs else screen_of_call(self.call, fn, args)
        if screen is not None:
            self.screens[made] = screen
        return made

    def _put(self, base: Value, value: Value, key: Any) -> Value:
        made = self.store("acc", base, value, (Index(key),))
        self.put[made] = value, key
        return made

    def call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Value:
        """Append ``fn(*args, **kwargs)`` with one output."""
        found = infer_fresh(fn, avals_in(args), avals_in(kwargs))
        return self.apply(fn, args, kwargs, found.aval)

    def list_of_rows(self, rows: Value, aval: Aval) -> Value:
        """``list(rows)``: the cotangent of a list that served as an array."""
        made = self.apply(list, (rows,), {}, aval)
        self.rows[made] = rows
        return made

    def number(self, value: float) -> Value:
        return self.const(value, FLOAT)

    def read(self, base: Value, steps: Steps, aval: Aval) -> Value:
        """``base[steps]``; the steps hold graph values."""
        inputs = [base]
        template = with_references(steps, inputs)
        return self.add("read", tuple(inputs), (aval,), steps=template).out

    def number_in(self, array: Value, aval: Aval) -> Value:
        """``array[()]``, behind the screen of the array."""
        made = self.read(array, (Index(()),), aval)
        screen = self.screens.get(array)
        if screen is not None:
            self.screens[made] = screen.of_numbers(lambda a: self.number_in(a, aval))
        return made

    def store(self, op: str, base: Value, value: Value, steps: Steps, **params: Any) -> Value:
        """A ``write``, ``acc`` or ``update``: the next version of ``base``."""
        inputs = [base, value]
        template = with_references(steps, inputs)
        node = self.add(op, tuple(inputs), (base.aval,), steps=template, **params)
        node.out.hint, node.out.obj = base.hint, base.obj
        return node.out


def _is_known_slice(key: Any) -> bool:
    """Is it an index of slices and elements whose places are numbers?"""
    return all(k is Ellipsis or type(k) is int or (type(k) is slice and all(
        end is None or type(end) is int for end in (k.start, k.stop, k.step)))
        for k in (key if isinstance(key, tuple) else (key,)))


def with_references(steps: Steps, inputs: list[Value]) -> Steps:
    """Steps with graph values replaced by references to ``inputs``, which is extended."""
    return tuple(
        Index(abstract(s.key, inputs), s.basic) if isinstance(s, Index)
        else Through(s.fn, abstract(s.args, inputs), abstract(s.kwargs, inputs)) for s in steps)


def with_values(node: Node) -> Steps:
    """The steps of a node with graph values in the place of references."""
    steps: Steps = node.params["steps"]
    return tuple(
        Index(fill(s.key, node.inputs), s.basic) if isinstance(s, Index)
        else Through(s.fn, fill(s.args, node.inputs), fill(s.kwargs, node.inputs)) for s in steps)


class Frame:
    """The reverse of one block under construction.

    ``body`` tells a loop body from an arm; ``accumulators`` are the parameters that a loop
    body made for outer values, ``touched`` the outer values whose cotangent changed.
    """

    def __init__(self, block: Block, parent: Frame | None = None, body: bool = False) -> None:
        self.block, self.parent, self.body = block, parent, body
        self.tape = Tape()
        if parent is not None:
            self.tape.masks = parent.tape.masks
        self.cts: dict[Value, Value] = {}
        self.accumulators: dict[Value, Value] = {}
        self.touched: dict[Value, None] = {}

    def take(self, value: Value) -> Value | None:
        """The cotangent of a value that this frame's block defines, which has no more uses."""
        return self.cts.pop(value, None)
