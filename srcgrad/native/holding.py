"""What a kernel can hold: for each node of the graph nothing, or why it stays in NumPy.

A kernel computes with numbers of one machine type and with arrays of them.  Python's own rules
(integers of any length, division by zero, powers that become complex) hold where the kernel
checks them (:mod:`srcgrad.native.checks`); what cannot be checked is not held.

>>> import math
>>> from srcgrad.graph.ir import Builder
>>> from srcgrad.types.kinds import FLOAT
>>> b = Builder()
>>> x = b.param(FLOAT, "x")
>>> root, product = b.apply(math.sqrt, (x,), {}, FLOAT), b.apply(np.dot, (x, x), {}, FLOAT)
>>> [why_not(n) for n in b.block((root, product)).nodes]
[None, 'dot stays in NumPy']
"""

from __future__ import annotations

import heapq
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.emit.order import is_adjoint
from srcgrad.graph.ir import Index, Node, Ref, Through
from srcgrad.graph.parts import LoopParts
from srcgrad.native.powers import POWERS
from srcgrad.native.predicates import PREDICATES
from srcgrad.types.kinds import PYTHON_SCALARS, SCALARS, Aval, Kind
from srcgrad.types.spelling import Attribute, Method, format_value, join_parts, raise_exception

ELEMENTS = frozenset("?bhilqBHIfd")  # dtype characters of arrays
NUMBERS = frozenset("?lqfd")
ARITHMETIC: frozenset[Any] = frozenset({operator.add, operator.sub, operator.mul,
                                        operator.truediv, np.add, np.subtract, np.multiply,
                                        np.divide})
COMPARISONS: frozenset[Any] = frozenset({operator.lt, operator.le, operator.gt, operator.ge,
                                         operator.eq, operator.ne})
DIVISIONS = frozenset({operator.truediv, operator.floordiv, operator.mod})
UNARY: frozenset[Any] = frozenset({operator.neg, operator.pos, abs, np.negative, np.abs})
OF_MATH = frozenset({math.sqrt, math.exp, math.log, math.log1p, math.expm1, math.sin, math.cos,
                     math.tan, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh,
                     math.asinh, math.fabs, math.erf, math.erfc, math.atan2, math.hypot})
ROUNDED = frozenset({np.exp, np.log, np.log1p, np.expm1, np.sin, np.cos, np.tan, np.arcsin,
                     np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.log2, np.log10, np.exp2})
EXACT = frozenset({np.sqrt, np.square, np.floor, np.ceil, np.maximum, np.minimum, np.sign})
_TYPES: dict[Kind, Any] = {Kind.FLOAT: float, Kind.INT: int, Kind.BOOL: bool}
HEAPS: frozenset[Any] = frozenset({heapq.heappush, heapq.heappop, heapq.heapify,
                                Method("append"), len})
CHOICES = frozenset({min, max})
MAKERS: frozenset[Any] = frozenset({np.zeros_like, np.empty_like, np.ones_like, np.zeros, np.empty,
                                    np.ones, np.full})
TOTALS: frozenset[Any] = frozenset({np.sum, Method("sum")})
RAISED = frozenset({ValueError, ArithmeticError, ZeroDivisionError, OverflowError, IndexError,
                    RuntimeError, AssertionError, FloatingPointError, LookupError, KeyError,
                    AttributeError, TypeError})


def why_not(node: Node) -> str | None:
    """Why a kernel cannot hold a node (those in its blocks aside); None if it can."""
    if _is_text(node):
        return None
    if is_of_heap(node):
        return None
    for value in (*node.inputs, *node.outputs):
        if node.op not in ("const", "undef", "effect") and not holds(value.aval) and (
                value.aval.kind is not Kind.NONE or node.op != "append"):
            return f"{value.hint or 'a value'} is {value.aval}"
    handler = _HANDLERS.get(node.op)
    if handler is None:
        return f"{node.op} stays in NumPy"
    return handler(node)


def begins(node: Node) -> bool:
    """May a kernel begin here, with a loop or with what is prepared for it?"""
    if len(node.outputs) != 1:
        return node.op == "loop"
    if node.op == "effect":
        return node.params["fn"] is list
    if node.op == "apply":  # sizes and memory
        fn = node.params["fn"]
        return node.out.aval.kind in (Kind.INT, Kind.LIST) or fn == Method("copy") or any(
            fn is f for f in MAKERS)
    return node.op in ("loop", "dim", "copy", "list", "list_like")


def _is_text(node: Node) -> bool:
    """Is it a text with integers in it, for an exception?"""
    fn = node.params.get("fn")
    return node.op == "apply" and fn in (format_value, join_parts) and all(
        fn is join_parts or _is_integer(v.aval) for v in node.inputs) and (
        fn is join_parts or node.params["args"][1:] == ("", ""))


def is_of_heap(node: Node) -> bool:
    """Is it something that is done to a heap of numbers, or to what stands for an item there?"""
    fn, args = node.params.get("fn"), node.params.get("args")
    if node.op == "effect":
        return (fn is list and not args) or (fn in HEAPS and all(
            v.aval.kind is Kind.OPAQUE for v in node.inputs))
    is_item = getattr(fn, "__name__", "") == "heap_item"
    if node.op != "apply" or (not is_item and fn is not operator.getitem):
        return False
    if is_item:
        return all(holds(v.aval) and v.aval.kind in SCALARS for v in node.inputs)
    return node.inputs[0].aval.kind is Kind.OPAQUE and args is not None and args[1:] == (-1,) and (
        node.out.aval.kind is Kind.INT)


def _is_integer(aval: Aval) -> bool:
    return aval.kind in SCALARS and aval.dtype is not None and aval.dtype.kind in "iu"


def _differs_by_path(aval: Aval) -> bool:
    """Is a value of one type on some paths and of another on others?  A number that is an integer
    where a loop has no iteration, ``sum(...)`` of nothing, is a float of the same value."""
    return aval.least is not None and not (aval.kind is Kind.NUMBER and aval.least.kind in "biu")


def holds(aval: Aval) -> bool:
    """Is a value a number or an array of a type that the machine has, or what a loop keeps of
    such?  (What one path keeps and another does not is optional, and never missed.)"""
    if aval.kind is Kind.LIST:  # what a loop keeps
        return aval.elem is None or aval.elem.kind is Kind.NONE or holds(aval.elem)
    if _differs_by_path(aval) or aval.dtype is None or not aval.dtype.isnative:
        return False
    if aval.kind is Kind.ARRAY:
        return bool(aval.shape) and aval.dtype.char in ELEMENTS and (
            not aval.optional or any(a.varying for a in aval.symbols))  # kept in a list then
    if aval.kind is Kind.NUMBER:
        return aval.dtype in (np.dtype(np.float64), np.dtype(bool))
    return aval.kind in (Kind.BOOL, Kind.INT, Kind.FLOAT) or (
        aval.kind is Kind.SCALAR and aval.dtype.char in NUMBERS)


def element_type(aval: Aval) -> Any:
    """The type of the items of a list of numbers of one type; None for other lists."""
    elem = aval.elem
    if aval.kind is not Kind.LIST or elem is None or elem.optional or _differs_by_path(elem):
        return None
    if elem.kind is Kind.NUMBER and elem.dtype == np.float64:
        return float  # a list of cotangents
    if elem.kind is Kind.SCALAR and elem.dtype is not None and elem.dtype.char in "fd":
        return elem.dtype.type
    return _TYPES.get(elem.kind)


def is_float(aval: Aval) -> bool:
    return aval.dtype is not None and aval.dtype.kind == "f"


def constant(template: Any) -> Any:
    """The number in a template, None for what is no number."""
    return template if type(template) in (int, float, bool) or isinstance(
        template, np.generic) else None


# ---- by operation --------------------------------------------------------------------------


def _const(node: Node) -> str | None:
    value = node.params["value"]
    if value is None or isinstance(value, (np.dtype, type)) or type(value) in (int, float, bool):
        return "an integer is too long" if type(value) is int and abs(value) >= 2 ** 31 else None
    if isinstance(value, np.generic) and value.dtype.char in NUMBERS:
        return None
    return f"a constant is {value!r}"[:60]


def _apply(node: Node) -> str | None:
    fn = node.params["fn"]
    name = getattr(fn, "__name__", None) or getattr(fn, "name", "a function")
    refused = f"{name} stays in NumPy"
    if len(node.outputs) != 1:
        return refused
    if _among(fn, MAKERS) or (fn is np.broadcast_to and node.inputs[0].aval.kind in SCALARS):
        return _made(node, refused)
    if _among(fn, TOTALS):
        return _total(node, refused)
    if fn == Method("copy") and node.out.aval.kind is Kind.ARRAY and not node.params["kwargs"]:
        return None
    if _among(fn, PREDICATES):
        return None
    if fn is np.array and len(node.inputs) == 1 and element_type(node.inputs[0].aval) is not None:
        return None
    if fn is operator.mul and element_type(node.out.aval) is not None and all(
            v.aval.kind in SCALARS for v in node.inputs):
        return None  # [x] * n
    if (fn == Method("tolist") or fn is list) and node.inputs[0].aval.kind is Kind.ARRAY and (
            element_type(node.out.aval) in _TYPES.values()):
        return None
    if node.params.get("kwargs") or any(v.aval.kind not in SCALARS for v in (
            *node.inputs, node.out)):
        return refused
    held = any(_among(fn, functions) and rule(node) for functions, rule in _NUMBERS)
    return None if held else refused


def _among(fn: Any, functions: frozenset[Any]) -> bool:
    try:
        return fn in functions
    except TypeError:
        return False


def _made(node: Node, refused: str) -> str | None:
    keywords = node.params["kwargs"]
    plain = all(k == "dtype" for k in keywords) and node.out.aval.kind is Kind.ARRAY
    return None if plain else refused


def _total(node: Node, refused: str) -> str | None:
    aval = node.inputs[0].aval
    plain = len(node.params["args"]) == 1 and not node.params["kwargs"] and (
        aval.kind is Kind.ARRAY and aval.dtype == np.float64)
    return None if plain else refused


def _no_bools(node: Node) -> bool:
    return all(v.aval.dtype is not None and v.aval.dtype.kind != "b" for v in node.inputs)


def _of_python(node: Node) -> bool:
    """Arithmetic of Python's numbers counts truth values."""
    return node.out.aval.kind in (Kind.INT, Kind.FLOAT) and all(
        v.aval.kind in PYTHON_SCALARS for v in node.inputs)


def _whole_division(node: Node) -> bool:
    """Division with remainder is held for Python's integers."""
    return all(v.aval.kind is Kind.INT for v in (*node.inputs, node.out))


def _power(node: Node) -> bool:
    """A number to the power of a small whole one; of NumPy's, or positive, floats to any."""
    base, exponent = node.params["args"]
    if node.params.get("real") or node.params["fn"] is math.pow:
        return bool(node.params.get("real"))
    if not isinstance(base, Ref):
        return False
    aval, number = node.inputs[base.index].aval, constant(exponent)
    if aval.kind is Kind.SCALAR and is_float(aval) and is_float(node.out.aval):
        return isinstance(exponent, Ref) or number is not None
    return aval.kind in (Kind.FLOAT, Kind.NUMBER) and aval.dtype == np.float64 and (
        type(number) is int and 0 <= number <= 64)


def _of_floats(node: Node) -> bool:
    """A function of floats, or of numbers that it takes as such, that gives a float."""
    return is_float(node.out.aval) and _no_bools(node) and (
        node.out.aval.dtype == np.float64 or all(is_float(v.aval) for v in node.inputs))


def _alike(node: Node) -> bool:
    """The choice of two numbers of one type."""
    if all(type(a) is int or isinstance(a, Ref) for a in node.params["args"]) and all(
            v.aval.kind is Kind.INT for v in node.inputs):
        return len(node.params["args"]) == 2
    return len(node.params["args"]) == 2 == len(node.inputs) and _no_bools(node) and (
        node.inputs[0].aval.kind is node.inputs[1].aval.kind
        and node.inputs[0].aval.dtype == node.inputs[1].aval.dtype)


def _to_float(node: Node) -> bool:
    return len(node.inputs) == 1 and _no_bools(node)


def _to_int(node: Node) -> bool:
    """What is an integer already."""
    return len(node.inputs) == 1 and node.inputs[0].aval.dtype is not None and (
        node.inputs[0].aval.dtype.kind in "iu")


def _always(node: Node) -> bool:
    return True


_NUMBERS: tuple[tuple[frozenset[Any], Callable[[Node], bool]], ...] = (
    (ARITHMETIC, _no_bools), (frozenset({operator.add, operator.sub, operator.mul}), _of_python),
    (UNARY, _no_bools),
    (COMPARISONS | {operator.not_, operator.truth, bool}, _always),
    (frozenset({operator.floordiv, operator.mod}), _whole_division),
    (POWERS, _power),
    (OF_MATH | ROUNDED | EXACT, _of_floats),
    (CHOICES, _alike),
    (frozenset({float, np.float64, np.float32}), _to_float),
    (frozenset({int}), _to_int),
)


def _indexed(node: Node) -> str | None:
    """Numbers, slices and new axes select a place or a view."""
    for step in node.params["steps"]:
        if isinstance(step, Through):
            if step.fn not in (Attribute("T"),):
                return "another view than a slice stays in NumPy"
            continue
        if not step.basic:
            return "an index is an array"
        for key in step.key if isinstance(step.key, tuple) else (step.key,):
            parts = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
            if any(not _is_place(part, node) for part in parts):
                return "an index is no number"
    return None


def _is_place(part: Any, node: Node) -> bool:
    if isinstance(part, Ref):
        return _is_integer(node.inputs[part.index].aval)
    return part is None or part is Ellipsis or type(part) is int


def _stored(node: Node) -> str | None:
    """A number goes to one place, or to all places of a slice."""
    base, value = node.inputs[0].aval, node.inputs[1].aval
    if node.op == "acc" and not node.params["steps"] and base.kind in SCALARS:
        return None if is_float(node.out.aval) else "integers are added up"
    assert base.dtype is not None and value.dtype is not None
    if base.kind is not Kind.ARRAY:
        return f"{node.op} to what is no array"
    if not np.can_cast(value.dtype, base.dtype, "same_kind"):
        return f"{value.dtype} is stored as {base.dtype}"
    if value.kind not in SCALARS:
        return "an array is stored"
    if node.op == "write":
        return _indexed(node)
    return _indexed(node) if is_element(node) else f"a number is added to a part of {base}"


def is_element(node: Node) -> bool:
    """Do the steps of a read or write select one element?"""
    steps, aval = node.params["steps"], node.inputs[0].aval
    if len(steps) != 1 or not isinstance(steps[0], Index) or aval.shape is None:
        return False
    key = steps[0].key if isinstance(steps[0].key, tuple) else (steps[0].key,)
    return len(key) == len(aval.shape) and all(
        isinstance(k, Ref) or type(k) is int for k in key)


def _loop(node: Node) -> str | None:
    parts = LoopParts(node)
    if any(v.aval.kind is Kind.ARRAY for v in parts.lasts):
        return "a loop leaves an array of its last iteration"
    for inner in node.blocks:
        for p in inner.params:
            if not holds(p.aval):
                return f"{p.hint or 'a value'} is {p.aval}"
    return None


def _effect(node: Node) -> str | None:
    if node.params["fn"] is not raise_exception:
        return "an effect stays in NumPy"
    cls, *args = node.params["args"]
    plain = cls in RAISED and all(isinstance(a, (str, Ref)) for a in args)
    return None if plain and not node.params["kwargs"] else "an exception is put together"


def _copied(node: Node) -> str | None:
    aval = node.out.aval
    return "a list is copied" if aval.kind is Kind.LIST and element_type(aval) is None else None


def _listed(node: Node) -> str | None:
    """Numbers of one type, or lists of such, become items of a list, or are taken of one."""
    lists = [v.aval for v in (*node.inputs, *node.outputs) if v.aval.kind is Kind.LIST]
    if not all(map(_is_of_numbers, lists)):
        return f"{node.op} of a list that does not hold numbers of one type stays in NumPy"
    if len(node.inputs) > _MOST.get(node.op, len(node.inputs)):
        return "a list of lists of lists changes"
    items = {"list": node.inputs, "append": node.inputs[1:2], "insert": node.inputs[1:2],
             "put": node.inputs[1:2]}.get(node.op, ())
    base = (node.outputs if node.op == "list" else node.inputs)[0].aval
    if node.op in ("append", "insert"):
        base = node.outputs[0].aval
    for _ in range(len(node.inputs) - _SHORT.get(node.op, len(node.inputs))):
        base = base if base.elem is None else base.elem
    mixed = not is_adjoint(node) and any(
        a.elem is not None and a.elem.kind is Kind.LIST and a.elem.elem is not None
        and a.elem.elem.kind is Kind.NUMBER for a in lists)
    if mixed or not all(_is_item(v.aval, base, is_adjoint(node)) for v in items):
        return "a list holds numbers of several types"
    return None


def _is_of_numbers(aval: Aval) -> bool:
    elem = aval.elem
    return elem is None or elem.kind is Kind.NONE or element_type(aval) is not None or (
        elem.kind is Kind.LIST and not elem.optional and _is_of_numbers(elem))


def _is_item(aval: Aval, base: Aval, adjoint: bool) -> bool:
    """Is a value of the type that the items of a list have?"""
    elem = base.elem
    if elem is None:
        return False
    if aval.kind is Kind.LIST or elem.kind is Kind.LIST:
        return aval.kind is elem.kind and (
            aval.elem is None or _is_item(aval.elem, elem, adjoint))
    if adjoint and elem.kind in (Kind.FLOAT, Kind.NUMBER):
        return True
    return aval.dtype == elem.dtype and elem.kind in (aval.kind, Kind.NUMBER)


_SHORT = {"append": 2, "put": 3, "list_acc": 3, "get": 2}  # inputs where one index is enough
_MOST = {op: count + 1 for op, count in _SHORT.items()}


def _nothing(node: Node) -> str | None:
    return None


_HANDLERS: dict[str, Callable[[Node], str | None]] = {
    "const": _const, "apply": _apply, "read": _indexed, "write": _stored, "acc": _stored,
    "update": _stored, "dim": _nothing, "if": _nothing, "loop": _loop, "effect": _effect,
    "copy": _copied, "undef": _nothing, "alias": _nothing, "list": _listed, "append": _listed,
    "insert": _listed, "put": _listed, "pop": _listed, "get": _listed, "list_acc": _listed,
    "list_like": _listed, "list_len": _nothing,
}


def rounded(node: Node) -> bool:
    """May the result differ from NumPy's in the last places?"""
    fn = node.params.get("fn")
    return node.op == "apply" and _among(fn, ROUNDED | POWERS)
