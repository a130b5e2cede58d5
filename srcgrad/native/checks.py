"""What Python checks, written out: branches that raise, in front of what would go on natively.

An index that is not proved to lie within its axis, a division of Python's numbers by what may be
zero, and functions of :mod:`math` outside of their domain raise as they do in Python, with the
user's line.  Numbers of Python's that meet narrower floats become such, as NumPy makes them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import WRITES, Block, Builder, Index, Node, Ref, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.raising import may_lie_outside
from srcgrad.native.facts import Facts
from srcgrad.native.holding import ARITHMETIC, COMPARISONS, DIVISIONS, EXACT, OF_MATH, constant
from srcgrad.native.places import Unlowered, selected
from srcgrad.native.powers import POWERS
from srcgrad.native.predicates import outside, overflowed, pythons, undefined
from srcgrad.types.dims import Dim
from srcgrad.types.kinds import BOOL, PYTHON_SCALARS, Aval, Kind, int_aval
from srcgrad.types.spelling import format_value, join_parts, raise_exception

_TEXT = Aval(Kind.OPAQUE)
_TOTAL = frozenset({math.fabs, math.tanh, math.atan, math.asinh, math.erf, math.erfc, math.atan2,
                    math.hypot})


LISTS = {"get": "list index out of range", "append": "list index out of range",
         "put": "list assignment index out of range", "pop": "pop index out of range"}
GROWING = frozenset({"append", "insert", "put", "list_acc", "copy"})

# an index, by what it is made of, and the size that it is below; or a check, and of what, and 0
Fact = tuple[Any, Dim]


def raised_if(builder: Builder, predicate: Value, error: type[Exception], *message: Any) -> None:
    """``if predicate: raise error(message)``; parts of the message are texts, integers, or what
    makes an integer there."""
    arm = Builder(builder.origin)
    parts = [m(arm) if callable(m) else m for m in message]
    text: Any = parts[0]
    if any(isinstance(m, Value) for m in parts):
        parts = [arm.apply(format_value, (m, "", ""), {}, _TEXT) if isinstance(m, Value) else m
                 for m in parts]
        text = arm.apply(join_parts, tuple(parts), {}, _TEXT)
    given = (text,) if isinstance(text, Value) else ()
    arm.add("effect", given, (), fn=raise_exception,
            args=(error, Ref(0) if given else text), kwargs={})
    builder.add("if", (predicate,), (), (arm.block(()), Block()))


class Checks:
    """What checks have shown: ``everywhere`` holds, for each path of loops and arms, what the
    forward part asked there; the backward part runs through the same iterations.  What a call can
    tell of an index is asked there (``sizes``).  Called with a loop, it returns that with the
    checks of all nodes in it."""

    def __init__(self, sizes: Facts) -> None:
        self.sizes = sizes
        self.everywhere: dict[tuple[Any, ...], set[Fact]] = {}
        self.makers: dict[Value, Node] = {}
        self.kept: dict[Value, Value] = {}  # what loops kept, by sequence or by element of it

    def __call__(self, loop: Node) -> Node:
        return _Checked(self).loop(loop)

    def around(self, node: Node) -> list[Node]:
        """A node that stands beside loops, with what is checked there."""
        return [*_Checked(self).block(Block((), (node,), ())).nodes]

    def asked(self) -> dict[tuple[Any, ...], set[Fact]]:
        """What has been asked until now."""
        return {path: {*facts} for path, facts in self.everywhere.items()}

    def enter(self, loop: Node) -> None:
        """Elements of sequences are what a loop kept in the same iteration."""
        parts = LoopParts(loop)
        for element, source in zip(parts.elements, parts.sources, strict=True):
            if source in self.kept:
                found = self.kept[source]
                self.kept[element] = self.kept.get(found, found)

    def leave(self, loop: Node) -> None:
        parts = LoopParts(loop)
        self.kept.update(zip(parts.sequences, parts.produced, strict=True))

    def key(self, value: Value) -> Any:
        """What a number is made of: equal keys in one iteration are equal numbers."""
        value = self.kept.get(value, value)
        if value.aval.expr is not None:
            return value.aval.expr
        node = self.makers.get(value)
        if node is None or len(node.outputs) != 1:
            return value
        if node.op == "apply" and not node.params["kwargs"]:
            return (node.op, node.params["fn"], repr(node.params["args"]),
                    *map(self.key, node.inputs))
        if node.op == "read":
            return (node.op, node.inputs[0], repr(node.params["steps"]),
                    *map(self.key, node.inputs[1:]))
        return value


class _Checked:
    """Rewrites the blocks of a loop.  ``path`` are the loops and arms around a block, loops by
    their indices and arms by their predicates, ``known`` what was asked before on the way to it.
    """

    def __init__(self, facts: Checks) -> None:
        self.facts = facts
        self.path: tuple[Any, ...] = ()
        self.arms = 0
        self.known: set[Fact] = set()

    def loop(self, node: Node) -> Node:
        outer, known = self.path, set(self.known)
        index = node.blocks[-1].params[0].aval.expr if node.loop.kind == "for" else None
        self.path = (*outer, node if index is None else index)
        self.facts.enter(node)
        node = node.but(blocks=tuple(map(self.block, node.blocks)))
        self.facts.leave(node)
        self.path, self.known = outer, known
        return node

    def arm(self, block: Block, predicate: Any, which: int) -> Block:
        outer, known = self.path, set(self.known)
        self.path = (*outer, (predicate, which))
        self.arms += 1
        block = self.block(block)
        self.arms -= 1
        self.path, self.known = outer, known
        return block

    def block(self, block: Block) -> Block:
        out: list[Node] = []
        for node in block.nodes:
            if node.op == "loop":
                out.append(self.loop(node))
            elif node.blocks:
                predicate = self.facts.key(node.inputs[0])
                out.append(node.but(blocks=tuple(
                    self.arm(b, predicate, which) for which, b in enumerate(node.blocks))))
            else:
                before, node, after = _Around(node, self).run()
                out += [*before, node, *after]
                self.facts.makers.update(dict.fromkeys(node.outputs, node))
        return block.but(nodes=tuple(out))

    def is_known(self, fact: Fact, node: Node) -> bool:
        """Has a question been asked on the way here?"""
        return fact in self.known or (is_adjoint(node) and any(
            fact in self.facts.everywhere.get(self.path[:i], ())
            for i in range(1, len(self.path) + 1)))

    def is_new(self, fact: Fact, node: Node) -> bool:
        """Is it to be asked here, for all that follows?"""
        if self.is_known(fact, node):
            return False
        self.known.add(fact)
        if not is_adjoint(node):
            self.facts.everywhere.setdefault(self.path, set()).add(fact)
        return True


class _Around:
    """The nodes around one node."""

    def __init__(self, node: Node, around: _Checked) -> None:
        self.node, self.around = node, around
        origin = node.origin if node.origin is None else replace(node.origin, role="support")
        self.before, self.after = Builder(origin), Builder(origin)
        self.views: list[Node] = []

    def run(self) -> tuple[list[Node], Node, list[Node]]:
        node = self.node
        if "steps" in node.params:
            self.indices()
        elif node.op in LISTS:
            self.items()
        elif node.op == "apply":
            fn = node.params["fn"]
            if fn in DIVISIONS:
                self.division()
            elif fn in OF_MATH - _TOTAL:
                self.domain()
            elif fn in POWERS and node.out.aval.kind in (Kind.FLOAT, Kind.NUMBER):
                self.raised(self.after, overflowed, OverflowError,
                            "math range error" if fn is math.pow else (
                                "(34, 'Numerical result out of range')"))
            if fn in ARITHMETIC | COMPARISONS | EXACT | {operator.pow}:
                node = self.narrowed()
        return self.before.nodes, node, self.after.nodes

    # ---- indices ---------------------------------------------------------------------------
    def indices(self) -> None:
        node = self.node
        base = node.inputs[0]
        for k, step in enumerate(node.params["steps"]):
            if base.aval.shape is None:
                return
            if isinstance(step, Index):
                self.step(step, base)
            if k + 1 < len(node.params["steps"]):  # the next step is taken in a view
                try:
                    shape = selected((step,), node.inputs, base.aval.shape)
                except Unlowered:
                    return
                by = int(node.op in WRITES)  # a read has no value among its inputs
                view = Node("read", (base, *node.inputs[1 + by:]), (Value(base.aval.but(
                    shape=shape)),), {"steps": (_earlier(step, by),), "inside": True})
                self.views.append(view)
                base = view.out

    def step(self, step: Index, base: Value) -> None:
        node = self.node
        assert base.aval.shape is not None
        key, axis = step.parts, 0
        for i, k in enumerate(key):
            if k is Ellipsis:
                axis = len(base.aval.shape) - sum(
                    later is not None for later in key[i + 1:])
                continue
            if k is None:
                continue
            if not isinstance(k, slice) and (_is_numpys(k, node) or may_lie_outside(
                    node, k, base.aval.shape[axis])):
                self.index(k, base, axis)
            axis += 1

    def index(self, key: Any, base: Value, axis: int) -> None:
        assert base.aval.shape is not None
        place = self.node.inputs[key.index] if isinstance(key, Ref) else key
        known = self.around.facts.key(place) if isinstance(place, Value) else place
        b, fact = self.before, (known, base.aval.shape[axis])
        if self.node.params.get("inside"):
            self.around.is_new(fact, self.node)
            return
        if self.is_told(*fact):
            return
        if not self.around.is_new(fact, self.node):
            return
        b.nodes += [v for v in self.views if v not in b.nodes]
        size = b.add("dim", (base,), (int_aval(base.aval.shape[axis]),), axis=axis).out
        if base.aval.elem is not None:  # a list
            what = "list assignment" if self.node.op == "write" else "list"
            raised_if(b, b.apply(outside, (place, size), {}, BOOL), IndexError,
                      f"{what} index out of range")
            return
        raised_if(b, b.apply(outside, (place, size), {}, BOOL), IndexError,
                    "index ", place, f" is out of bounds for axis {axis} with size ", size)

    def items(self) -> None:
        """An index of a list that grows or shrinks, which is inside still after the list has grown.
        (Where adjoints read and change lists, the forward part has done so.)"""
        node, b, error = self.node, self.before, LISTS[self.node.op]
        if is_adjoint(node) or node.params.get("inside"):
            return
        path = node.inputs[1 if node.op in ("get", "pop") else 2:]
        base, makers = node.inputs[0], self.around.facts.makers
        if node.op == "pop":
            size = b.add("list_len", (base,), (int_aval(),)).out
            raised_if(b, b.apply(operator.eq, (size, 0), {}, BOOL), IndexError,
                      "pop from empty list")
        for place in path:
            root = base
            while (made := makers.get(root)) is not None and made.op in GROWING and (
                    len(made.inputs) <= 3):
                root = made.inputs[0]
            fact = ((node.op == "pop" and node, self.around.facts.key(place), root), 0)
            if self.around.is_new(fact, node):
                size = b.add("list_len", (base,), (int_aval(),)).out
                text = error if place is path[-1] and node.op != "append" else LISTS["get"]
                raised_if(b, b.apply(outside, (place, size), {}, BOOL), IndexError, text)
            if place is not path[-1]:
                assert base.aval.elem is not None
                base = b.add("get", (base, place), (base.aval.elem,), inside=True).out

    def is_told(self, index: Any, size: Dim) -> bool:
        """Does a call ask whether an index lies within a size?"""
        return self.around.facts.sizes.below(index, size, asked=self.around.arms > 0)

    # ---- numbers ---------------------------------------------------------------------------
    def division(self) -> None:
        node = self.node
        if not all(v.aval.kind in (Kind.INT, Kind.FLOAT, Kind.NUMBER) for v in node.inputs):
            return  # NumPy's numbers become infinite
        divisor = node.params["args"][1]
        if not isinstance(divisor, Ref):
            if not divisor:
                raised_if(self.before, self.before.const(True, BOOL), ZeroDivisionError,
                            "division by zero")
            return
        value = node.inputs[divisor.index]
        if value.aval.expr is not None and self.is_told(0, value.aval.expr):
            return
        fact = ((operator.truediv, self.around.facts.key(value)), 0)
        if self.around.is_known(fact, node):
            return
        zero = 0 if value.aval.kind is Kind.INT else 0.0
        what = "division by zero" if all(
            v.aval.kind is Kind.INT for v in node.inputs) else "float division by zero"
        is_zero = self.before.apply(operator.eq, (value, zero), {}, BOOL)
        if not any(v.aval.kind is Kind.NUMBER for v in node.inputs):
            self.around.is_new(fact, node)
        self.of_python(self.before, is_zero, ZeroDivisionError, what)

    def of_python(self, builder: Builder, asked: Value, error: type[Exception],
                  text: str) -> None:
        """Raises if numbers are Python's: NumPy's become infinite."""
        unsure = tuple(v for v in self.node.inputs if v.aval.kind is Kind.NUMBER)
        if not unsure:
            raised_if(builder, asked, error, text)
            return
        arm = Builder(builder.origin)
        raised_if(arm, arm.apply(pythons, unsure, {}, BOOL), error, text)
        builder.add("if", (asked,), (), (arm.block(()), Block()))

    def domain(self) -> None:
        if self.node.params["fn"] in (math.exp, math.expm1, math.sinh, math.cosh):
            self.raised(self.after, overflowed, OverflowError, "math range error")
        else:
            self.raised(self.after, undefined, ValueError, "math domain error")

    def raised(self, builder: Builder, predicate: Callable[..., bool], error: type[Exception],
               text: str) -> None:
        """A check of what came out of what, if it was not made of the same before."""
        self.around.facts.makers[self.node.out] = self.node
        made_of = self.around.facts.key(self.node.out)
        if not self.around.is_new(((predicate, made_of), 0), self.node):
            return
        given = self.node.params["args"][0]
        x = self.node.inputs[given.index] if isinstance(given, Ref) else given
        asked = builder.apply(predicate, (self.node.out, x), {}, BOOL)
        if self.node.params["fn"] in OF_MATH or self.node.params["fn"] is math.pow:
            raised_if(builder, asked, error, text)  # of NumPy's numbers, too
        else:
            self.of_python(builder, asked, error, text)

    def narrowed(self) -> Node:
        """Python's numbers as float32, where the result or what they are compared with is such."""
        node = self.node
        narrow = any(v.aval.kind is Kind.SCALAR and v.aval.dtype == np.float32
                     for v in (*node.inputs, node.out))
        if not narrow or any(v.aval.kind is Kind.SCALAR and v.aval.dtype != np.float32
                             for v in node.inputs):
            return node
        inputs = tuple(
            self.before.apply(np.float32, (v,), {}, Aval(Kind.SCALAR, np.dtype(np.float32)))
            if v.aval.kind in PYTHON_SCALARS else v for v in node.inputs)
        args = tuple(np.float32(a) if constant(a) is not None and type(a) in (int, float) else a
                     for a in node.params["args"])
        return node.but(inputs=inputs, params={**node.params, "args": args})


def _earlier(key: Any, by: int) -> Any:
    """A step, or a part of one, whose indices come so many inputs earlier."""
    if isinstance(key, Ref):
        return Ref(key.index - by)
    if isinstance(key, Index):
        return Index(_earlier(key.key, by))
    if isinstance(key, slice):
        return slice(*(_earlier(p, by) for p in (key.start, key.stop, key.step)))
    return tuple(_earlier(k, by) for k in key) if isinstance(key, tuple) else key


def _is_numpys(key: Any, node: Node) -> bool:
    """Is an index an integer of NumPy's, of which nothing is known?"""
    return isinstance(key, Ref) and node.inputs[key.index].aval.kind is Kind.SCALAR
