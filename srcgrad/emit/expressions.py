"""Values as expressions: variables, inlined nodes, literals."""

from __future__ import annotations

import ast
import builtins
import copy
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.emit.counting import difference
from srcgrad.emit.fold import Folding, is_short_circuit
from srcgrad.emit.literals import (
    BINARY,
    COMPARE,
    GRIDS,
    UNARY,
    Namespace,
    call,
    if_any,
    keyword_arguments,
    name,
)
from srcgrad.emit.naming import Naming
from srcgrad.emit.shorthand import shorthand
from srcgrad.emit.sizes import Sizes
from srcgrad.emit.texts import f_string
from srcgrad.graph.ir import Index, Node, Ref, Step, Steps, Value, is_adjoint, references
from srcgrad.graph.records import copy_record, zero_record
from srcgrad.types.kinds import PYTHON_SCALARS, SCALARS, Aval, Kind
from srcgrad.types.spelling import (
    PLACES,
    At,
    Attribute,
    Method,
    Part,
    place_of_greatest,
    place_of_least,
    sums,
)
from srcgrad.types.structure import PLAIN

_SUBSCRIPTS = tuple(type(grid).__getitem__ for grid in GRIDS.values())
_ARITHMETIC = (operator.add, operator.sub, operator.mul, operator.truediv)


class Expressions:
    """Builds the expression of a value."""

    def __init__(self, naming: Naming, folding: Folding, sizes: Sizes,
                 namespace: Namespace) -> None:
        self.naming, self.folding, self.sizes = naming, folding, sizes
        self.space = namespace

    # ---- values ----------------------------------------------------------------------
    def of(self, value: Value) -> ast.expr:
        """The expression that gives ``value`` where it stands."""
        node = self.folding.producer.get(value)
        if node is not None:
            if node.op == "const":
                return self.space.literal(node.params["value"], value.hint or "constant")
            if node in self.folding.inlined or self.folding.is_repeated(value):
                return self.node(node)
        if value in self.sizes.elements:
            return self.element(value, *self.sizes.elements[value])
        if node is not None and node.op == "undef":
            return ast.Constant(None)
        return name(self.naming.of[value])

    def element(self, element: Value, loop: Node, sequence: Value) -> ast.expr:
        """An element of a sequence that a loop goes through: a number of Python's is one when it is
        read, too, which is several times as fast to compute with as one of NumPy's."""
        kept, places = self.of(sequence), [self.ordinal(loop)]
        whole = sequence
        while whole in self.sizes.elements:
            whole = self.sizes.elements[whole][1]
        if whole is not sequence and isinstance(kept, ast.Subscript) and (
                self.sizes.is_array(whole)):  # of a row of an array
            inner = kept.slice
            places = [*(inner.elts if isinstance(inner, ast.Tuple) else [inner]), *places]
            kept = kept.value
        if element.aval.kind in PYTHON_SCALARS and "kernel" not in loop.params and (
                self.sizes.is_array(whole)):
            return call(ast.Attribute(kept, "item", ast.Load()), *places)
        return at_places(kept, places, ast.Load())

    def ordinal(self, loop: Node) -> ast.expr:
        """The number of the running iteration of a loop."""
        kind, names = self.sizes.plan(loop).ordinal, self.naming.loops[loop]
        if kind == "counter":
            return name(names.ordinal or "k")
        if kind == "trips":
            return ast.BinOp(name(names.trips or "n"), ast.Sub(), ast.Constant(1))
        index = name(names.index)
        if kind == "index":
            return index
        start, step = self.of(loop.inputs[0]), self.of(loop.inputs[2])
        if kind == "back":
            return difference(start, index)
        since = difference(index, start)
        return since if kind == "offset" else ast.BinOp(since, ast.FloorDiv(), step)

    # ---- templates -------------------------------------------------------------------
    def template(self, template: Any, inputs: Sequence[Value]) -> ast.expr:
        if isinstance(template, Ref):
            return self.of(inputs[template.index])
        if type(template) in PLAIN:
            return self.space.literal(template)
        kind = type(template) if next(references(template), None) is not None else None
        if kind in (tuple, list):
            whole = self.whole_shape(template, inputs)
            if whole is not None:
                return whole
            items = [self.template(t, inputs) for t in template]
            return ast.Tuple(items, ast.Load()) if kind is tuple else ast.List(
                items, ast.Load())
        if isinstance(template, tuple) and hasattr(type(template), "_fields"):
            return ast.Call(self.space.function(type(template)),
                            [self.template(t, inputs) for t in template], [])
        if kind is dict:
            return ast.Dict([self.space.literal(k) for k in template],
                            [self.template(v, inputs) for v in template.values()])
        if kind is slice:
            return call("slice", *(self.template(t, inputs) for t in (
                template.start, template.stop, template.step)))
        return self.space.literal(template)

    def whole_shape(self, template: Any, inputs: Sequence[Value]) -> ast.expr | None:
        """``x.shape`` for the tuple of all sizes of ``x``."""
        found: Value | None = None
        for axis, item in enumerate(template):
            node = self.folding.producer.get(inputs[item.index]) if isinstance(
                item, Ref) else None
            if type(template) is not tuple or node is None or node.op != "dim" or (
                    node.params["axis"] != axis) or found not in (None, node.inputs[0]):
                return None
            if node not in self.folding.inlined and not self.folding.is_repeated(node.out):
                return None
            found = node.inputs[0]
        if found is None or found.aval.ndim != len(template) or not found.aval.is_array:
            return None
        return ast.Attribute(self.of(found), "shape", ast.Load())

    def key(self, key: Any, inputs: Sequence[Value]) -> ast.expr:
        """A subscript."""
        if isinstance(key, slice):
            return ast.Slice(*(None if p is None else self.template(p, inputs)
                               for p in (key.start, key.stop, key.step)))
        if type(key) is tuple and key and any(isinstance(k, slice) for k in key):
            return ast.Tuple([self.key(k, inputs) for k in key], ast.Load())
        return self.template(key, inputs)

    def step(self, base: ast.expr, step: Step, inputs: Sequence[Value]) -> ast.expr:
        if isinstance(step, Index):
            return ast.Subscript(base, self.key(step.key, inputs), ast.Load())
        args = [self.template(a, inputs) for a in step.args]
        return self.apply(step.fn, [base, *args],
                          {k: self.template(v, inputs) for k, v in step.kwargs})

    def steps(self, base: ast.expr, steps: Sequence[Step], inputs: Sequence[Value]) -> ast.expr:
        for step in steps:
            base = self.step(base, step, inputs)
        return base

    # ---- nodes -----------------------------------------------------------------------
    def node(self, node: Node) -> ast.expr:
        """The expression of a node."""
        build = getattr(self, f"node_{node.op}")
        result: ast.expr = build(node)
        if node.origin is not None and node.origin.where is not None and not hasattr(
                result, "where"):
            result.where = node.origin.where  # type: ignore[attr-defined]
        return result

    def node_apply(self, node: Node) -> ast.expr:
        fn = node.params["fn"]
        args = [self.template(a, node.inputs) for a in node.params["args"]]
        kwargs = {k: self.template(v, node.inputs)
                  for k, v in (node.params.get("kwargs") or {}).items()}
        if fn in _ARITHMETIC and len(args) == 2:
            args = [_plain(a) if _beside_numpys(node, i) else a for i, a in enumerate(args)]
        if fn is operator.mul and is_adjoint(node):
            args = [_without_one(a) if _widened(node, i) else a for i, a in enumerate(args)]
        if (fn is operator.getitem or fn in _SUBSCRIPTS) and len(args) == 2:
            return ast.Subscript(args[0], self.key(node.params["args"][1], node.inputs),
                                 ast.Load())
        short = shorthand(node, args, kwargs) if is_adjoint(node) and not any(
            map(self.sizes.may_be_list, node.inputs[:1])) else None
        return self.apply(fn, args, kwargs) if short is None else short

    def node_effect(self, node: Node) -> ast.expr:
        """What is printed or kept elsewhere is a dtype, not the class of its numbers."""
        self.space.dtypes_whole = True
        try:
            return self.node_apply(node)
        finally:
            self.space.dtypes_whole = False

    def apply(self, fn: Any, args: list[ast.expr], kwargs: dict[str, ast.expr]) -> ast.expr:
        """The application of a function, method, attribute or operator."""
        if isinstance(fn, Attribute):
            return ast.Attribute(args[0], fn.name, ast.Load())
        if isinstance(fn, At):
            return self.apply(fn.fn, list(fn.order(tuple(args))), kwargs)
        if isinstance(fn, Part):
            return ast.Subscript(self.apply(fn.fn, args, kwargs), ast.Constant(fn.index),
                                 ast.Load())
        if fn in (place_of_least, place_of_greatest):
            return _place(PLACES[fn], args[0])
        if fn is sums:
            return _summed(*args)
        if fn is dict and len(args) == 1 and isinstance(args[0], ast.Dict):
            return args[0]
        if (fn is dict or fn is list) and not args and not kwargs:
            return ast.Dict([], []) if fn is dict else ast.List([], ast.Load())
        text = None if kwargs else f_string(fn, args)
        if text is not None:
            return text
        keywords = keyword_arguments(kwargs)
        if isinstance(fn, Method):
            return ast.Call(ast.Attribute(args[0], fn.name, ast.Load()), args[1:], keywords)
        found = self.operator(fn, args) if not kwargs else None
        if found is not None:
            return found
        return ast.Call(self.space.function(fn), args, keywords)

    def operator(self, fn: Any, args: list[ast.expr]) -> ast.expr | None:
        try:
            hash(fn)
        except TypeError:
            return None
        if len(args) == 2:
            if fn in BINARY:
                return ast.BinOp(args[0], BINARY[fn](), args[1])
            if fn in (operator.eq, operator.ne):
                known = _jump_test(args[0], args[1], fn is operator.eq)
                if known is not None:
                    return known
            if fn in COMPARE:
                return ast.Compare(args[0], [COMPARE[fn]()], [args[1]])
            if fn is operator.contains:
                return ast.Compare(args[1], [ast.In()], [args[0]])
            if fn in (operator.getitem, builtins.getattr):
                return ast.Subscript(args[0], args[1], ast.Load()) if (
                    fn is operator.getitem) else None
        if len(args) == 1:
            if fn in UNARY:
                return ast.UnaryOp(UNARY[fn](), args[0])
            if fn is operator.truth:
                return call("bool", args[0])
            if fn is operator.abs:
                return call("abs", args[0])
        return None

    def node_read(self, node: Node) -> ast.expr:
        steps = node.params["steps"]
        if is_adjoint(node) and node.out.aval.is_array and node.out.aval.shape:
            steps = without_whole(steps)
        return self.steps(self.of(node.inputs[0]), steps, node.inputs)

    def node_dim(self, node: Node) -> ast.expr:
        value = self.of(node.inputs[0])
        shape = ast.Attribute(value, "shape", ast.Load())
        size = ast.Subscript(shape, self.space.literal(node.params["axis"]), ast.Load())
        if not (node.out.aval.optional or node.params.get("optional")):
            return size
        absent = ast.Compare(value, [ast.Is()], [ast.Constant(None)])  # and so is its cotangent
        return ast.IfExp(absent, ast.Constant(0), size)

    def node_get(self, node: Node) -> ast.expr:
        value = self.of(node.inputs[0])
        place = self.folding.producer.get(node.inputs[1])
        if place is not None and place.op == "apply" and place.inputs == node.inputs[:1] and (
                place in self.folding.inlined and place.params["fn"] in PLACES):
            return call(PLACES[place.params["fn"]], value)  # h[min(range(len(h)), key=...)]
        for index in node.inputs[1:]:
            value = ast.Subscript(value, self.of(index), ast.Load())
        return value

    def node_list(self, node: Node) -> ast.expr:
        return ast.List([self.of(v) for v in node.inputs], ast.Load())

    def node_list_len(self, node: Node) -> ast.expr:
        return call("len", self.if_bound(node))

    def if_bound(self, node: Node) -> ast.expr:
        """A list that a node reads; one that may not be bound is as good as empty."""
        value = self.of(node.inputs[0])
        return ast.BoolOp(ast.Or(), [value, ast.Tuple([], ast.Load())]) if (
            node.inputs[0].aval.optional or node.params.get("optional")) else value

    def node_list_like(self, node: Node) -> ast.expr:
        if node.inputs[0].aval.kind is not Kind.LIST:
            return call(self.space.function(zero_record), self.of(node.inputs[0]))
        value, elem = self.if_bound(node), node.out.aval.elem
        if elem is not None and elem.kind in SCALARS:
            return _zero_list(value)
        if elem is not None and elem.kind is Kind.LIST and not elem.optional and (
                elem.elem is not None and elem.elem.kind in SCALARS and not elem.elem.optional):
            return _listed(_zero_list(name("item")), value)
        if elem is not None and (elem.optional or elem.kind in (Kind.LIST, Kind.RECORD)):
            return call(self.space.function(zero_record), value)
        zeros = self.space.function(np.zeros_like)
        return _listed(call(zeros, name("item")), value)

    def node_pack(self, node: Node) -> ast.expr:
        return ast.Tuple([self.of(v) for v in node.inputs], ast.Load())

    def node_unpack(self, node: Node) -> ast.expr:
        return self.of(node.inputs[0])

    def node_copy(self, node: Node) -> ast.expr:
        value = self.of(node.inputs[0])
        aval = node.inputs[0].aval
        if aval.kind is Kind.RECORD:
            return call(self.space.function(copy_record), value)
        if aval.kind is Kind.LIST:
            return self.list_copy(self.if_bound(node),
                                  aval.elem if node.params.get("deep") else None)
        made = self.folding.producer.get(node.inputs[0])
        if made is not None and made in self.folding.inlined and made.op == "apply" and (
                made.params["fn"] is np.broadcast_to and isinstance(value, ast.Call)
                and len(value.args) == 2):  # a copy of a broadcast value is a full array
            return call(self.space.function(np.full), value.args[1], value.args[0])
        if isinstance(value, ast.Constant) and value.value is None:
            return value
        if aval.kind is Kind.ARRAY:
            copied = call(ast.Attribute(value, "copy", ast.Load()))
            if not (aval.optional or node.out.aval.optional or node.params.get("optional")):
                return copied
            return if_any(value, copied)
        return call(self.space.function(copy.copy), value)

    def list_copy(self, value: ast.expr, elem: Aval | None) -> ast.expr:
        """A copy of a list; with copies of its elements, if ``elem`` tells what they are."""
        if elem is not None and elem.kind is Kind.RECORD:
            return _listed(call(self.space.function(copy_record), name("item")), value)
        if elem is None or elem.kind not in (Kind.ARRAY, Kind.LIST, Kind.ANY):
            return call("list", value)
        if elem.kind is Kind.ANY:
            return _listed(call(self.space.function(copy.copy), name("item")), value)
        item = self.list_copy(name("item"), elem.elem) if elem.kind is Kind.LIST else (
            call(ast.Attribute(name("item"), "copy", ast.Load())))
        if elem.optional:
            absent = ast.Compare(name("item"), [ast.Is()], [ast.Constant(None)])
            item = ast.IfExp(absent, ast.Constant(None), item)
        return _listed(item, value)

    def node_if(self, node: Node) -> ast.expr:
        then, orelse = (self.of(b.outputs[0]) for b in node.blocks)
        test = self.of(node.inputs[0])
        if is_short_circuit(node):
            is_and = node.blocks[1].outputs[0] is node.inputs[0]
            return _joined(ast.And() if is_and else ast.Or(), test, then if is_and else orelse)
        if isinstance(orelse, ast.IfExp) and isinstance(then, ast.Constant) and (
                ast.dump(then) == ast.dump(orelse.body)):
            return ast.IfExp(_joined(ast.Or(), test, orelse.test), then, orelse.orelse)
        return ast.IfExp(test, then, orelse)

    def node_call(self, node: Node) -> ast.expr:
        return call(str(node.params["callee"]), *(self.of(v) for v in node.inputs))


def _widened(node: Node, i: int) -> bool:
    """Is input ``i`` of a product a number, and the other one an array of its dtype?"""
    if len(node.inputs) != 2:
        return False
    one, other = node.inputs[i].aval, node.inputs[1 - i].aval
    return (one.kind in SCALARS and other.kind is Kind.ARRAY and other.dtype == np.float64
            and one.dtype == np.float64 and not other.optional)


def _beside_numpys(node: Node, i: int) -> bool:
    """Is the other operand a number or an array of NumPy's with floats of double precision?"""
    other = node.params["args"][1 - i]
    aval = node.inputs[other.index].aval if isinstance(other, Ref) else None
    return aval is not None and aval.kind in (Kind.SCALAR, Kind.ARRAY) and (
        aval.dtype == np.float64 and aval.least is None and not aval.optional)


def _plain(number: ast.expr) -> ast.expr:
    """``2.0`` for ``np.float64(2.0)``."""
    inner = number.args[0] if isinstance(number, ast.Call) and len(number.args) == 1 else None
    known = isinstance(inner, ast.Constant) and type(inner.value) is float and (
        ast.unparse(number.func) == "np.float64")  # type: ignore[attr-defined]
    return inner if known and inner is not None else number


def _without_one(factor: ast.expr) -> ast.expr:
    """``x`` for ``1.0 * x``."""
    one = isinstance(factor, ast.BinOp) and isinstance(factor.op, ast.Mult) and (
        isinstance(factor.left, ast.Constant) and factor.left.value == 1.0)
    return factor.right if one else factor  # type: ignore[attr-defined]


def at_places(base: ast.expr, places: Sequence[ast.expr], ctx: ast.expr_context) -> ast.Subscript:
    """``base[i]`` or ``base[i, j]``."""
    key = places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())
    return ast.Subscript(base, key, ctx)


def _jump_test(left: ast.expr, right: ast.expr, equal: bool) -> ast.expr | None:
    """``p`` for ``(1 if p else 0) == 1``, ``not p`` for ``(1 if p else 0) == 0``."""
    if not isinstance(left, ast.IfExp) or not isinstance(right, ast.Constant):
        return None
    arms = (left.body, left.orelse)
    numbers = [a.value for a in arms if isinstance(a, ast.Constant) and type(a.value) is int]
    if len(numbers) != 2 or type(right.value) is not int:
        return None
    first, second = ((n == right.value) == equal for n in numbers)
    if first == second:
        return None
    return left.test if first else inverted(left.test)


def truth(value: ast.expr) -> ast.expr:
    """A test for ``value`` not being zero: ``p`` for ``1 if p else 0``."""
    if isinstance(value, ast.IfExp) and isinstance(value.body, ast.Constant) and isinstance(
            value.orelse, ast.Constant) and value.body.value and value.orelse.value == 0:
        return value.test
    return value


def inverted(test: ast.expr) -> ast.expr:
    """``not test``; of ``==``, ``is`` and ``in`` the opposite comparison."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE:
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.IsNot, ast.IsNot: ast.Is,
                                                     ast.In: ast.NotIn, ast.NotIn: ast.In,
                                                     ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}


def _zero_list(value: ast.expr) -> ast.expr:
    """``[0.0] * len(value)``."""
    return ast.BinOp(ast.List([ast.Constant(0.0)], ast.Load()), ast.Mult(), call("len", value))


def _listed(element: ast.expr, value: ast.expr) -> ast.expr:
    """``[element for item in value]``."""
    each = ast.comprehension(ast.Name("item", ast.Store()), value, [], 0)
    return ast.ListComp(element, [each])


def _place(chooser: str, items: ast.expr) -> ast.expr:
    """``min(range(len(items)), key=items.__getitem__)``."""
    by_item = ast.Attribute(items, "__getitem__", ast.Load())
    return ast.Call(name(chooser), [call("range", call("len", items))],
                    [ast.keyword("key", by_item)])


def _summed(first: ast.expr, second: ast.expr) -> ast.expr:
    """``[a + b for a, b in zip(first, second)]``."""
    both = ast.Tuple([ast.Name("a", ast.Store()), ast.Name("b", ast.Store())], ast.Store())
    each = ast.comprehension(both, call("zip", first, second), [], 0)
    return ast.ListComp(ast.BinOp(name("a"), ast.Add(), name("b")), [each])


def _joined(op: ast.boolop, left: ast.expr, right: ast.expr) -> ast.expr:
    """``a and b``, flat where the right side is one already."""
    values = [left]
    if isinstance(right, ast.BoolOp) and type(right.op) is type(op):
        values.extend(right.values)
    else:
        values.append(right)
    return ast.BoolOp(op, values)


def negated(expression: ast.expr) -> ast.expr | None:
    """``e`` if the expression is ``-e`` (or ``-2.0 * d``, giving ``2.0 * d``)."""
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        return expression.operand
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, (ast.Mult, ast.Div)):
        left = negated(expression.left)
        if left is not None:
            return ast.BinOp(left, expression.op, expression.right)
    return None


def numpy_call(space: Namespace, path: str, *args: ast.expr) -> ast.expr:
    """A call of a NumPy function by its dotted name."""
    space.imports["import numpy as np"] = None
    return call(path, *args)


def without_whole(steps: Steps) -> Steps:
    """``x[1]`` for ``x[1][...]``."""
    if len(steps) < 2:
        return steps
    before, last = steps[-2:]
    whole = isinstance(last, Index) and last.key is Ellipsis
    return steps[:-1] if whole and isinstance(before, Index) and before.basic else steps
