"""Operators on traced values and on the user's own objects."""

from __future__ import annotations

import collections
import operator
import types
from typing import Any

import numpy as np

from .. import dims
from ..errors import TracingError
from ..graph.infer import infer
from ..graph.ir import Value, abstract
from ..kinds import BOOL, Kind, in_words, int_aval
from .sources import Sources
from .tracers import (
    ArrayTracer,
    OpaqueTracer,
    Picked,
    ScalarTracer,
    contains_tracer,
    is_tracer,
)

BINARY: dict[str, Any] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift,
}
INPLACE: dict[str, Any] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv,
    "//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "@": operator.imatmul,
    "&": operator.iand, "|": operator.ior, "^": operator.ixor, "<<": operator.ilshift,
    ">>": operator.irshift,
}
UNARY: dict[str, Any] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
COMPARE: dict[str, Any] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
DUNDER = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
          "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift",
          ">>": "rshift", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
LIBRARY_BASES = frozenset({"collections", "enum", "numpy", "typing"})
UNARY_DUNDER = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
CONTAINERS = (list, tuple, dict, set, frozenset, str, bytes, bytearray, collections.deque)
NATIVE_TYPES = frozenset({*CONTAINERS, bool, int, float, complex, type(None), np.ndarray,
                          np.float64})


def python_method(obj: Any, name: str) -> Any:
    """A special method written in Python on the object's class, or None."""
    cls = type(obj)
    if is_tracer(obj) or cls in NATIVE_TYPES:
        return None
    cls = obj.cls if cls is Picked else cls
    method = getattr(cls, name, None)
    if not hasattr(method, "__code__"):
        return None
    if issubclass(cls, (*CONTAINERS, np.ndarray, np.generic, int, float)) and (
            method.__module__.split(".")[0] in LIBRARY_BASES):
        return None  # of a class such as Counter or IntFlag: it runs as it is
    return method


def truth_method(value: Any) -> Any:
    """The special method written in Python that decides the truth of an object, or None."""
    return python_method(value, "__bool__") or python_method(value, "__len__")


def _takes_over(left: Any, right: Any) -> bool:
    """Does NumPy make an array of the right operand instead of asking it?"""
    return is_tracer(left) and left.aval.kind in (Kind.SCALAR, Kind.ARRAY) and isinstance(
        right, (list, tuple)) and not hasattr(type(right), "__array_ufunc__") and not hasattr(
        type(right), "__array_priority__")


def _has_own(op: str, left: Any, right: Any) -> bool:
    """Has one of the operands, such as an instance of a subclass of float, a method written in
    Python for the operator?"""
    name = DUNDER[op]
    return any(python_method(x, f"__{n}__") is not None for x in (left, right)
               for n in (name, f"r{name}"))


class Operators(Sources):
    """Binary, unary, in-place and comparison operators."""

    conditions: dict[Value, tuple[str, Any, Any]]

    @staticmethod
    def special_method(obj: Any, name: str) -> Any:
        """A special method written in Python, or None."""
        return python_method(obj, name)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        if is_tracer(left) or is_tracer(right):
            if not (self._foreign(left) or self._foreign(right) or _has_own(op, left, right)):
                return self._numeric(op, left, right)
        result = self._python_binary(op, left, right)
        if result is not NotImplemented:
            return result
        if isinstance(left, str) and op == "%" and contains_tracer(right):
            return self.apply_opaque(operator.mod, (left, right), {})
        if isinstance(left, (list, tuple)) or isinstance(right, (list, tuple)):
            return self._sequence_binary(op, left, right)
        if is_tracer(left) or is_tracer(right):
            return self._numeric(op, left, right)
        return self.adopt(BINARY[op](self.resolved(left), self.resolved(right)))

    def resolved(self, obj: Any) -> Any:
        """A container whose items are read through their paths, if it is one from outside."""
        return obj

    def _foreign(self, obj: Any) -> bool:
        """Does the object take part in operators by methods of its own?"""
        return isinstance(obj, (list, tuple, str)) or (
            not is_tracer(obj) and not isinstance(obj, (int, float, complex, np.generic,
                                                        np.ndarray, type(None))))

    def _numeric(self, op: str, left: Any, right: Any) -> Any:
        result = self.apply(BINARY[op], (left, right), {})
        if type(result) is ScalarTracer and result.aval.kind is Kind.INT and (
                result.aval.expr is None):  # a number that may become a size
            result.value.aval = int_aval(self.fresh("i", low=None))
        return result

    def _python_binary(self, op: str, left: Any, right: Any) -> Any:
        """The operator protocol with methods written in Python, staged; NotImplemented if
        neither side has such a method."""
        name = DUNDER[op]
        forward = python_method(left, f"__{name}__")
        backward = None if _takes_over(left, right) else python_method(right, f"__r{name}__")
        if backward is not None and forward is not None and type(right) is not type(left) and (
                issubclass(type(right), type(left))):
            result = self.call(backward, right, left)
            if result is not NotImplemented:
                return result
        if forward is not None:
            result = self.call(forward, left, right)
            if result is not NotImplemented:
                return result
        if backward is not None and type(right) is not type(left):
            return self.call(backward, right, left)
        return NotImplemented

    def apply_opaque(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise AttributeError

    def _sequence_binary(self, op: str, left: Any, right: Any) -> Any:
        left, right = self.resolved(left), self.resolved(right)
        if op == "*" and (is_tracer(left) or is_tracer(right)):
            items, times = (right, left) if is_tracer(left) else (left, right)
            if times.aval.kind is Kind.INT:
                return self._repeated(items, times)
        if is_tracer(left) or is_tracer(right):
            return self._numeric(op, left, right)
        if any(isinstance(one, (np.ndarray, np.generic)) and contains_tracer(other)
               for one, other in ((left, right), (right, left))):
            return self._numeric(op, left, right)
        if op == "+" and isinstance(left, list) and isinstance(right, list):
            joined = self.add_lists(left, right)
            if joined is not None:
                return joined
        return self.adopt(BINARY[op](left, right))

    def _repeated(self, items: Any, times: Any) -> Any:
        """``[0.0] * n``: for numbers a list of unknown length."""
        if type(items) is list and id(items) not in self.symbolic_lists and all(
                one is None or isinstance(one, (bool, int, float, complex, np.generic))
                or type(one) is ScalarTracer for one in items) and (
                ("repeated", "*") not in self.assumed):
            self.repeats = True
            return self.repeated_list(items, times)
        return items * self.demand(times, "the repetition of a sequence")

    def repeated_list(self, items: list[Any], times: Any) -> list[Any]:
        """``items * times`` as a list of unknown length."""
        raise AttributeError

    def adopt(self, result: Any) -> Any:
        raise AttributeError

    def helped(self, helper: Any, *args: Any) -> Any:
        """What a helper of :mod:`.written_out` returns, staged."""
        return self.inline(helper, args, {})

    def inline(self, function: types.FunctionType, args: tuple[Any, ...],
               kwargs: dict[str, Any]) -> Any:
        raise AttributeError

    def add_lists(self, left: list[Any], right: list[Any]) -> Any:
        """``left + right`` where one of them has an unknown length; None otherwise."""
        return None

    def unary(self, op: str, operand: Any) -> Any:
        if is_tracer(operand):
            return self.apply(UNARY[op], (operand,), {})
        method = python_method(operand, UNARY_DUNDER[op])
        if method is not None:
            return self.call(method, operand)
        return UNARY[op](operand)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is ArrayTracer:
            return self._inplace_array(op, left, right)
        if is_tracer(left):
            return self._rebinding(op, left, right)
        if isinstance(left, list) and op in "+*":
            return self.inplace_list(op, left, right)
        method = python_method(left, f"__i{DUNDER[op]}__")
        if method is not None:
            result = self.call(method, left, right)
            if result is not NotImplemented:
                return result
        if isinstance(left, (set, dict)):
            return self.inplace_container(op, left, right)
        return self._rebinding(op, left, right)

    def _rebinding(self, op: str, left: Any, right: Any) -> Any:
        """``left op= right`` on something immutable."""
        self.augmented = True
        try:
            return self.binary(op, left, right)
        finally:
            self.augmented = False

    def inplace_list(self, op: str, left: list[Any], right: Any) -> Any:
        raise AttributeError

    def inplace_container(self, op: str, left: Any, right: Any) -> Any:
        raise AttributeError

    def _inplace_array(self, op: str, left: ArrayTracer, right: Any) -> Any:
        if left.aval.kind is Kind.ANY:
            result = self._rebinding(op, left, right)
            self.lose(left, f"`{op}=` may or may not have changed it in place: whether it is "
                            "an array or a number depends on data")
            return result
        if op == "@":
            product = self.binary(op, left, right)
            self.setitem(left, Ellipsis, product)
            return left
        if isinstance(right, (list, tuple)):
            right = self.apply(np.asarray, (right,), {})
        value = self.as_value(right)
        if left.aval.dtype is not None and value.aval.dtype is not None and (
                left.aval.dtype.kind in "biu" and value.aval.is_inexact):
            INPLACE[op](np.ones(1, left.aval.dtype), np.ones(1, value.aval.dtype))  # may raise
        outcome = infer(BINARY[op], (left.aval, value.aval), {})
        for relation, dim in outcome.guards:
            self.guard_size(relation, dim)
        self.write_version(left, "update", (), value, (), fn=INPLACE[op])
        return left

    def lose(self, tracer: ArrayTracer, reason: str) -> None:
        """Make every other handle of a home unreadable."""
        tracer.home.lost = reason

    # ---- comparison ----------------------------------------------------------------------
    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op in ("is", "is not"):
            return self._identity(left, right, op == "is")
        if op in ("in", "not in"):
            found = self._contains(right, left)
            return found if op == "in" else self.not_(found)
        if type(left) is ArrayTracer and type(right) in (list, tuple):
            right = self.call(np.asarray, right)
        elif type(right) is ArrayTracer and type(left) in (list, tuple):
            left = self.call(np.asarray, left)
        if is_tracer(left) or is_tracer(right):
            if not (self._foreign(left) or self._foreign(right) or _has_own(op, left, right)):
                return self._compare_traced(op, left, right)
        own = self._python_compare(op, left, right)
        if own is not NotImplemented:
            return own
        if op in ("==", "!=") and type(left) is type(right) and isinstance(left, (tuple, list)):
            equal = self._equal_sequences(left, right)
            return equal if op == "==" else self.not_(equal)
        if op in DUNDER and type(left) is type(right) and isinstance(left, (tuple, list)):
            return self._first_difference(op, left, right)
        if is_tracer(left) or is_tracer(right):
            return self._compare_traced(op, left, right)
        return COMPARE[op](left, right)

    def _python_compare(self, op: str, left: Any, right: Any) -> Any:
        for a, b, name in ((left, right, op), (right, left, MIRROR[op])):
            method = python_method(a, f"__{DUNDER[name]}__")
            if method is not None:
                result = self.call(method, a, b)
                if result is not NotImplemented:
                    return result
        if op == "!=":  # object.__ne__ asks __eq__
            equal = self._python_compare("==", left, right)
            return equal if equal is NotImplemented else self.not_(equal)
        return NotImplemented

    def _compare_traced(self, op: str, left: Any, right: Any) -> Any:
        if left is None or right is None:
            if op in ("==", "!="):
                other = right if left is None else left
                if not other.aval.optional and other.aval.kind is not Kind.OPAQUE:
                    return op == "!="
        if type(left) is OpaqueTracer or type(right) is OpaqueTracer or self._foreign(left) or (
                self._foreign(right)):
            values = (self.value_of(left), self.value_of(right))
            return self.opaque_apply(COMPARE[op], values, BOOL)
        exprs = [self._int_expr(x) for x in (left, right)]
        if exprs[0] is not None and exprs[1] is not None:
            known = self._decide(op, dims.add(exprs[0], dims.multiply(-1, exprs[1])))
            if known is not None:
                return known
        result = self.apply(COMPARE[op], (left, right), {})
        if type(result) is ScalarTracer and exprs[0] is not None and exprs[1] is not None:
            self.conditions[result.value] = (op, exprs[0], exprs[1])
        return result

    def opaque_apply(self, fn: Any, args: tuple[Any, ...], aval: Any) -> Any:
        """A node on values of unknown type; pure."""
        from_values: list[Value] = []
        template = tuple(abstract(a, from_values) for a in args)
        (value,) = self.emit("apply", tuple(from_values), (aval,), fn=fn, args=template,
                             kwargs={}, many=False)
        return self.wrap(value)

    @staticmethod
    def _int_expr(obj: Any) -> Any:
        if type(obj) is int:
            return obj
        if is_tracer(obj) and obj.aval.kind is Kind.INT:
            return obj.aval.expr
        return None

    @staticmethod
    def _decide(op: str, difference: Any) -> bool | None:
        """The comparison ``difference op 0`` where sizes decide it for every call."""
        if isinstance(difference, int):
            return bool(COMPARE[op](difference, 0))
        positive = dims.proves_positive(difference)
        negative = dims.proves_positive(dims.multiply(-1, difference))
        if positive or negative:
            return {"<": negative, "<=": negative, ">": positive, ">=": positive,
                    "==": False, "!=": True}[op]
        if op in (">=", "<") and dims.proves_nonnegative(difference):
            return op == ">="
        if op in ("<=", ">") and dims.proves_nonnegative(dims.multiply(-1, difference)):
            return op == "<="
        return None

    def _identity(self, left: Any, right: Any, positive: bool) -> Any:
        for a, b in ((left, right), (right, left)):
            if is_tracer(a) and b is None:
                if a.aval.kind is Kind.OPAQUE or a.aval.optional:
                    fn = operator.is_ if positive else operator.is_not
                    return self.opaque_apply(fn, (self.value_of(a), None), BOOL)
                return not positive
        if type(left) is OpaqueTracer or type(right) is OpaqueTracer:
            if type(left) is OpaqueTracer and left.classes and isinstance(right, type) and (
                    right not in left.classes):
                return not positive
            fn = operator.is_ if positive else operator.is_not
            return self.opaque_apply(fn, (self.value_of(left), self.value_of(right)), BOOL)
        if type(left) is ArrayTracer and type(right) is ArrayTracer:
            return (left.obj == right.obj) is positive
        if type(left) is ScalarTracer or type(right) is ScalarTracer:
            return self._same_number(left, right, positive)
        self.check_twin(left, right)
        return (left is right) is positive

    def _same_number(self, left: Any, right: Any, positive: bool) -> Any:
        """``is`` with a traced number: True and False are singletons, and so are small ints."""
        values = (self.value_of(left), self.value_of(right))
        if values[0] is values[1]:
            return positive
        if not all(isinstance(v, (Value, int, float, complex, np.generic)) for v in values):
            return not positive
        return self.opaque_apply(operator.is_ if positive else operator.is_not, values, BOOL)

    def _equal_sequences(self, left: Any, right: Any) -> Any:
        if len(left) != len(right):
            return False
        result: Any = True
        for a, b in zip(left, right, strict=True):
            if a is b and not is_tracer(a):
                continue
            equal = self.compare("==", a, b)
            result = self.and_(result, lambda equal=equal: equal)
            if result is False:
                return False
        return result

    def _first_difference(self, op: str, left: Any, right: Any) -> Any:
        """``<`` and its relatives on tuples or lists: the first parts that are not equal decide."""
        result: Any = COMPARE[op](len(left), len(right))
        for a, b in reversed(list(zip(left, right, strict=False))):
            if a is b and not is_tracer(a):
                continue

            def decided(a: Any = a, b: Any = b) -> Any:
                return self.compare(op, a, b)

            def equal(result: Any = result) -> Any:
                return result

            result = self.if_expression(self.compare("==", a, b), equal, decided)
        return result

    def _contains(self, container: Any, item: Any) -> Any:
        container = self.seen(container)
        method = python_method(container, "__contains__")
        if method is not None:
            return self.call(method, container, item)
        if is_tracer(container):
            if type(container) is ArrayTracer:
                equal = self.compare("==", container, item)
                return self.call_method(equal, "any")
            return self.opaque_apply(operator.contains,
                                     (self.value_of(container), self.value_of(item)), BOOL)
        if isinstance(container, list) and id(container) in self.symbolic_lists:
            return self.contains_number(container, item)
        if type(item) is OpaqueTracer and not is_tracer(container) and isinstance(
                container, (list, tuple, set, frozenset)):
            answers = {c in container for c in item.classes}
            if len(answers) == 1:
                return answers.pop()
        if isinstance(container, (list, tuple, set, frozenset, range)) and (
                is_tracer(item) or any(is_tracer(c) for c in container)):
            result: Any = False
            for c in container:
                equal = self.compare("==", item, c)
                result = self.or_(result, lambda equal=equal: equal)
                if result is True:
                    return True
            return result
        if isinstance(container, dict):
            self.as_table(container, item)
        if isinstance(container, dict) and self.open_key(item):
            self.note_lookup(container, item)
            return self._contains(tuple(container), item)
        if isinstance(container, str) and is_tracer(item):
            return self.opaque_apply(operator.contains,
                                     (self.value_of(container), self.value_of(item)), BOOL)
        if isinstance(container, dict):
            item = self.static_key(item)
        self.note_lookup(container, item)
        return item in container

    def contains_number(self, obj: list[Any], item: Any) -> Any:
        """``item in obj`` for a list of unknown length."""
        raise AttributeError

    def note_lookup(self, container: Any, key: Any) -> None:
        """Guard what a membership test of an outside container relies on."""

    # ---- truth -----------------------------------------------------------------------------
    def condition(self, value: Any) -> Any:
        """What decides the truth of a value: what its own ``__bool__`` or ``__len__`` returns
        (called once), or the value itself."""
        method = truth_method(value)
        return value if method is None else self.condition(self.call(method, value))

    def static_truth(self, value: Any) -> bool | None:
        """The truth of a :meth:`condition` if it is known for every call with these guards,
        else None."""
        if not is_tracer(value):
            if isinstance(value, (list, dict, set)):
                return self.container_truth(value)
            return bool(value)
        if value.aval.kind is Kind.INT and value.aval.expr is not None:
            return self._decide("!=", value.aval.expr)
        return None

    def container_truth(self, value: Any) -> bool | None:
        return bool(value)

    def truth(self, value: Any) -> bool:
        """The truth value where it is needed now; call-invariant conditions are guarded."""
        value = self.condition(value)
        known = self.static_truth(value)
        if known is not None:
            return known
        tested = self.predicate(value)
        if type(tested) is bool:
            return tested
        condition = self.conditions.get(tested.value) if type(tested) is ScalarTracer else None
        if condition is not None:
            op, left, right = condition
            difference = dims.add(left, dims.multiply(-1, right))
            if not dims.is_varying(difference):
                outcome = bool(COMPARE[op](dims.evaluate(difference, self.numbers), 0))
                negated = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
                self.guard("size", None, (op if outcome else negated[op], difference, 0))
                return outcome
        what = f"a traced value ({in_words(value.aval)})" if is_tracer(value) else (
            "one of two objects")
        refusal = self.fatal(TracingError(
            f"the truth value of {what} is needed now",
            why="it depends on data, and this place (a generator, a C function, a dict key) "
                "cannot be staged as a branch",
            fix="use an if statement, np.where, or a loop in staged code"))
        refusal.assume = ("listed",)  # generator expressions, run at once and staged
        raise refusal

    def predicate(self, value: Any) -> Any:
        """The value as a branch condition: a bool or a tracer whose truth Python can test."""
        if not is_tracer(value):
            method = python_method(value, "__bool__") or python_method(value, "__len__")
            return bool(value) if method is None else self.predicate(self.call(method, value))
        if value.aval.kind is Kind.INT and value.aval.expr is not None:
            return self._compare_traced("!=", value, 0)
        return value

    implied: dict[tuple[Value, bool], list[tuple[Value, bool]]]

    def not_(self, operand: Any) -> Any:
        operand = self.condition(operand)
        known = self.static_truth(operand)
        if known is not None:
            return not known
        tested = self.predicate(operand)
        if type(tested) is bool:
            return not tested
        result = self.opaque_apply(operator.not_, (self.value_of(tested),), BOOL)
        if type(tested) is ScalarTracer and type(result) is ScalarTracer:
            for truth in (True, False):
                self.implied[result.value, truth] = [(tested.value, not truth)]
        condition = self.conditions.get(tested.value) if type(tested) is ScalarTracer else None
        if condition is not None and type(result) is ScalarTracer:
            op, left, right = condition
            negated = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
            self.conditions[result.value] = (negated[op], left, right)
        return result

    # ---- provided by the other parts of the machine ------------------------------------------
    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        raise AttributeError

    def static_key(self, key: Any) -> Any:
        raise AttributeError

    def open_key(self, key: Any) -> bool:
        raise AttributeError

    def as_table(self, obj: Any, key: Any) -> None:
        raise AttributeError

    def if_expression(self, test: Any, then: Any, orelse: Any) -> Any:
        raise AttributeError

    def and_(self, first: Any, *rest: Any) -> Any:
        raise AttributeError

    def or_(self, first: Any, *rest: Any) -> Any:
        raise AttributeError
