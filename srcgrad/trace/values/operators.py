"""Operators on traced values and on the user's own objects."""

from __future__ import annotations

import collections
import operator
from typing import Any

import numpy as np

from ...errors import AliasError, TracingError
from ...graph.infer import infer
from ...graph.ir import Value
from ...rules.broadcast import updated
from ...types import dims
from ...types.kinds import BOOL, Kind, in_words, int_aval
from ...types.operators import BINARY, COMPARE, INPLACE, NEGATED, UNARY
from ..assumptions import KnownLengths, NumbersApart
from ..collaborator import Collaborator
from ..flow.control import Restart
from ..libraries import registry as libraries
from ..numpy.written_out import power_of_any
from ..objects.special_methods import (
    CONTAINERS,
    DUNDER,
    UNARY_DUNDER,
    has_own,
    python_method,
    truth_method,
    users_type,
)
from ..record.homes import reach
from ..record.journal import Lost
from ..record.scopes import during
from ..record.structures import LONG, is_number
from ..record.tracers import ArrayTracer, ScalarTracer, contains_tracer, is_tracer
from .comparisons import is_of_numpy

ARRAYS = (ArrayTracer, np.ndarray)


def _takes_over(left: Any, right: Any) -> bool:
    """Does NumPy make an array of the right operand instead of asking it?"""
    return is_tracer(left) and left.aval.kind in (Kind.SCALAR, Kind.ARRAY) and isinstance(
        right, (list, tuple)) and not hasattr(type(right), "__array_ufunc__") and not hasattr(
        type(right), "__array_priority__")




class Operators(Collaborator):
    """Binary, unary, in-place and comparison operators."""

    speaks_to = ("branches", "calls", "choices", "comparisons", "containers", "escapes",
                 "handed_over", "keys", "library_calls", "list_methods", "merges", "recorder",
                 "sources", "truths", "tuples")

    def __init__(self) -> None:
        # Python floats that are complex where a base is negative, by place
        self.powers: dict[Value, Any] = {}

    @staticmethod
    def special_method(obj: Any, name: str) -> Any:
        """A special method written in Python, or None."""
        return python_method(obj, name)

    def binary(self, op: str, left: Any, right: Any) -> Any:
        left, right = self.comparisons.arrays_of_ranges(left, right)
        if is_tracer(left) or is_tracer(right):
            if not (self.comparisons.is_operand_of_python(left)
                    or self.comparisons.is_operand_of_python(right) or has_own(op, left, right)):
                return self._numeric(op, left, right)
        result = self._python_binary(op, left, right)
        if result is not NotImplemented:
            return result
        if isinstance(left, str) and op == "%":
            right = self.containers.resolved(right)
            right = tuple(map(self.handed_over.as_run_time, right)) if type(right) is tuple else (
                self.handed_over.as_run_time(right))
        if isinstance(left, str) and op == "%" and contains_tracer(right):
            return self.library_calls.apply_opaque(operator.mod, (left, right), {})
        if isinstance(left, (list, tuple)) or isinstance(right, (list, tuple)):
            return self._sequence_binary(op, left, right)
        if is_tracer(left) or is_tracer(right):
            return self._numeric(op, left, right)
        return self.calls.adopt(BINARY[op](self.containers.resolved(left),
                                           self.containers.resolved(right)))

    def _numeric(self, op: str, left: Any, right: Any) -> Any:
        if op == "**" and self.is_complex_power():
            return self.helped(power_of_any, left, right)
        result = self.recorder.apply(BINARY[op], (left, right), {})
        self.note_power(op, result, left, right)
        if type(result) is ScalarTracer and result.aval.kind is Kind.INT and (
                result.aval.expr is None):  # a number that may become a size
            result.value.aval = int_aval(self.fresh("i", low=None))
        return result

    def _power_site(self) -> Any:
        where = self.recorder.where()
        return None if where is None else NumbersApart((where.filename, where.line, where.column))

    def is_complex_power(self) -> bool:
        """Is it a power of a float that the program wants to be complex for negative bases?"""
        inside = self.branches.call_sites and self.branches.call_sites[-
            1][0] is power_of_any.__code__
        return not inside and self.assumed.complex_powers() and self._power_site() in self.assumed

    def note_power(self, op: str, result: Any, left: Any, right: Any) -> None:
        """Remember a float that is made of a power, which Python makes complex where a negative
        float has a fractional exponent."""
        if type(result) is not ScalarTracer or result.aval.kind is not Kind.FLOAT:
            return
        made = [self.powers[v.value] for v in (left, right)
                if type(v) is ScalarTracer and v.value in self.powers]
        if op == "**" and is_tracer(left) and not (
                type(right) in (int, float) and float(right).is_integer()):
            made.append(self._power_site())
        if made:
            self.powers[result.value] = made[0]

    def want_complex(self, args: tuple[Any, ...]) -> None:
        """What tells complex numbers from real ones is applied: start again with such powers as
        complex numbers where they are."""
        for arg in args:
            site = self.powers.get(arg.value) if type(arg) is ScalarTracer else None
            if site is not None and self.assumed.open(site):
                raise Restart(site)

    def _python_binary(self, op: str, left: Any, right: Any) -> Any:
        """The operator protocol with methods written in Python, staged; NotImplemented if
        neither side has such a method."""
        result = libraries.binary(self.machine, op, left, right)
        if result is not NotImplemented:
            return result
        name = DUNDER[op]
        forward = python_method(left, f"__{name}__")
        backward = None if _takes_over(left, right) else python_method(right, f"__r{name}__")
        first, second = users_type(left), users_type(right)
        if backward is not None and forward is not None and second is not first and (
                issubclass(second, first)) and (
                backward != getattr(first, f"__r{name}__", None)):  # not if it is inherited
            result = self.machine.call(backward, right, left)
            if result is not NotImplemented:
                return result
        if forward is not None:
            result = self.machine.call(forward, left, right)
            if result is not NotImplemented:
                return result
        if backward is not None and second is not first:
            return self.machine.call(backward, right, self.as_python_number(left, right))
        return NotImplemented

    def as_python_number(self, number: Any, other: Any) -> Any:
        """A NumPy scalar as the reflected method of an object gets it: NumPy has put both into
        arrays of objects first, which leaves a Python number."""
        kind = number.aval.kind if is_tracer(number) else Kind.SCALAR if (
            isinstance(number, np.generic) and number.dtype.kind in "biufc") else None
        if kind not in (Kind.SCALAR, Kind.NUMBER) or isinstance(
                other, (*CONTAINERS, float, int, complex)) or any(
                    hasattr(users_type(other), n) for n in (
                        "__array_ufunc__", "__array_priority__", "__array__")):
            return number
        if kind is Kind.NUMBER:  # one of Python's may be Python's already
            return self.machine.call({"b": bool, "f": float, "c": complex}.get(
                number.aval.dtype.kind, int), number)
        return self.machine.call_method(number, "item")

    def _sequence_binary(self, op: str, left: Any, right: Any) -> Any:
        left, right = self.containers.resolved(left), self.containers.resolved(right)
        if op in "+*" and self.tuples.check_long_tuples(op, left, right):
            parts = [self.machine.call(list, x) if isinstance(x, (list, tuple)) else x
                     for x in (left, right)]
            return self.tuples.as_tuple(self._sequence_binary(op, *parts))
        if op == "*" and (is_tracer(left) or is_tracer(right)):
            items, times = (right, left) if is_tracer(left) else (left, right)
            if times.aval.kind is Kind.INT:
                return self._repeated(items, times)
        if op == "*" and (id(left) in self.symbolic_lists or id(right) in self.symbolic_lists) and (
                not isinstance(left, ARRAYS) and not isinstance(right, ARRAYS)):
            items, times = (left, right) if id(left) in self.symbolic_lists else (right, left)
            return self.containers.repeated_list([items], times, "extend")
        if op == "*" and self.repeats_long(left, right):
            self.assumed.risk(KnownLengths())
            return self.containers.repeated_list(left, right)
        if is_tracer(left) or is_tracer(right):
            return self._numeric(op, left, right)
        if any(isinstance(one, (np.ndarray, np.generic)) and contains_tracer(other)
               for one, other in ((left, right), (right, left))):
            return self._numeric(op, left, right)
        if op == "+" and isinstance(left, list) and isinstance(right, list):
            joined = self.list_methods.add_lists(left, right)
            if joined is not None:
                return self.keys.made_list(joined)
        return self.calls.adopt(BINARY[op](left, right))

    def _repeated(self, items: Any, times: Any) -> Any:
        """``[0.0] * n``: for numbers a list of unknown length."""
        if id(items) in self.symbolic_lists:
            return self.containers.repeated_list([items], times, "extend")
        if type(items) is list and all(
                one is None or isinstance(one, (bool, int, float, complex, np.generic))
                or type(one) is ScalarTracer for one in items) and (
                KnownLengths(repeats=True) not in self.assumed):
            self.assumed.risk(KnownLengths(repeats=True))
            return self.containers.repeated_list(items, times)
        return self.calls.adopt(
            items * self.escapes.demand(times, "the repetition of a sequence"))

    def repeats_long(self, items: Any, times: Any) -> bool:
        """Is it a long list of numbers, ``[0.0] * 100``?"""
        return type(items) is list and type(times) is int and len(items) * times > LONG and all(
            map(is_number, items)) and KnownLengths() not in self.assumed

    def helped(self, helper: Any, *args: Any) -> Any:
        """What a helper of :mod:`.written_out` returns, staged."""
        return self.calls.inline(helper, args, {})

    def unary(self, op: str, operand: Any) -> Any:
        if is_tracer(operand):
            return self.recorder.apply(UNARY[op], (operand,), {})
        method = python_method(operand, UNARY_DUNDER[op])
        if method is not None:
            return self.machine.call(method, operand)
        return UNARY[op](operand)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        if type(left) is ArrayTracer:
            return self._inplace_array(op, left, right)
        if is_tracer(left):
            return self._rebinding(op, left, right)
        if op == "+" and isinstance(left, (list, collections.deque)) and is_of_numpy(right):
            return self._rebinding(op, left, right)  # NumPy's sum, before the list extends itself
        if op == "*" and isinstance(left, list) and isinstance(right, ARRAYS):
            return self._rebinding(op, left, right)
        if isinstance(left, (list, collections.deque)) and op in "+*":
            return self.containers.inplace_list(op, left, right)
        method = python_method(left, f"__i{DUNDER[op]}__")
        if method is not None:
            result = self.machine.call(method, left, right)
            if result is not NotImplemented:
                return result
        if isinstance(left, (set, dict)):
            return self.containers.inplace_container(op, left, right)
        return self._rebinding(op, left, right)

    def _rebinding(self, op: str, left: Any, right: Any) -> Any:
        """``left op= right`` on something immutable."""
        with during(self.recorder, augmented=True):
            return self.machine.binary(op, left, right)

    def _inplace_array(self, op: str, left: ArrayTracer, right: Any) -> Any:
        if left.aval.kind is Kind.ANY:
            self.merges.tell_apart()
            if any(h.outside for h in reach(left.home)):
                raise self.recorder.fatal(AliasError(
                    f"`{op}=` may or may not change {left.home.label!r} in place",
                    why="whether it is an array from outside or a number depends on data",
                    fix=f"write x = x {op} ... instead"))
            result = self._rebinding(op, left, right)
            rank = right.aval.ndim if is_tracer(right) else np.ndim(right)
            if not is_tracer(result) or result.aval.dtype != left.aval.dtype or (
                    left.aval.least is not None or rank != 0):
                result = self.recorder.apply(updated, (left, result), {})
            self.lose(left, f"`{op}=` may or may not have changed it in place: whether it is "
                            "an array or a number depends on data")
            return result
        right = self.comparisons.arrays_of_ranges(left, right)[1]
        if op == "@":
            product = self.machine.binary(op, left, right)
            self.machine.setitem(left, Ellipsis, product)
            return left
        if isinstance(right, (list, tuple)):
            right = self.recorder.apply(np.asarray, (right,), {})
        value = self.recorder.as_value(right)
        if left.aval.dtype is not None and value.aval.dtype is not None and (
                left.aval.dtype.kind in "biu" and value.aval.is_inexact):
            INPLACE[op](np.ones(1, left.aval.dtype), np.ones(1, value.aval.dtype))  # may raise
        outcome = infer(BINARY[op], (left.aval, value.aval), {})
        for relation, dim in outcome.guards:
            self.sources.guard_size(relation, dim)
        self.choices.write_version(left, "update", (), value, (), fn=INPLACE[op])
        return left

    def lose(self, tracer: ArrayTracer, reason: str) -> None:
        """Make every other handle of a home, and of those it may be, unreadable."""
        for home in reach(tracer.home):
            self.journal.write(Lost(home), reason)

    # ---- truth -----------------------------------------------------------------------------
    def condition(self, value: Any) -> Any:
        """What decides the truth of a value: what its own ``__bool__`` or ``__len__`` returns
        (called once), or the value itself."""
        method = truth_method(value)
        return value if method is None else self.machine.condition(self.machine.call(method, value))

    def static_truth(self, value: Any) -> Any:
        """The truth of a :meth:`condition` if it is known for every call with these guards,
        else None."""
        if not is_tracer(value):
            if isinstance(value, CONTAINERS):
                return self.machine.container_truth(value)
            return bool(value)
        if value.aval.kind is Kind.INT and value.aval.expr is not None:
            return self.comparisons.decide("!=", value.aval.expr)
        return None

    def truth(self, value: Any) -> bool:
        """The truth value where it is needed now; call-invariant conditions are guarded."""
        value = self.machine.condition(value)
        known = self.machine.static_truth(value)
        if known is not None:
            return bool(known)
        tested = self.machine.predicate(value)
        if type(tested) is bool:
            return tested
        condition = self.comparisons.condition_of(tested)
        if condition is not None:
            op, left, right = condition
            difference = dims.add(left, dims.multiply(-1, right))
            if not dims.is_varying(difference):
                outcome = bool(COMPARE[op](dims.evaluate(difference, self.sources.numbers), 0))
                self.sources.guard("size", None, (op if outcome else NEGATED[op], difference, 0))
                return outcome
        what = f"a traced value ({in_words(value.aval)})" if is_tracer(value) else (
            "one of two objects")
        raise self.recorder.of_forms(TracingError(
            f"the truth value of {what} is needed now",
            why="it depends on data, and this place (a generator, a C function, a dict key) "
                "cannot be staged as a branch",
            fix="use an if statement, np.where, or a loop in staged code"))

    def predicate(self, value: Any) -> Any:
        """The value as a branch condition: a bool or a tracer whose truth Python can test."""
        if not is_tracer(value):
            method = python_method(value, "__bool__") or python_method(value, "__len__")
            return bool(value) if method is None else self.machine.predicate(
                self.machine.call(method, value))
        if self.comparisons.int_expr(value) is not None:
            return self.comparisons.compare_traced("!=", value, 0)
        # an array is asked by itself: that may raise, and predicates that meet are of one type
        return self.recorder.computed(bool, BOOL, value) if value.aval.kind is Kind.ARRAY else value

    def not_(self, operand: Any) -> Any:
        operand = self.machine.condition(operand)
        known = self.machine.static_truth(operand)
        if known is not None:
            return not known
        tested = self.machine.predicate(operand)
        if type(tested) is bool:
            return not tested
        result = self.recorder.computed(operator.not_, BOOL, tested)
        if type(tested) is ScalarTracer and type(result) is ScalarTracer:
            for truth in (True, False):
                self.truths.implied[result.value, truth] = [(tested.value, not truth)]
        condition = self.comparisons.condition_of(tested)
        if condition is not None and type(result) is ScalarTracer:
            op, left, right = condition
            self.comparisons.conditions[result.value] = (NEGATED[op], left, right)
        return result

