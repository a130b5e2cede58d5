"""Comparisons, identity and membership."""

from __future__ import annotations

import enum
import functools
import operator
import types
from collections import deque
from typing import Any

import numpy as np

from ...errors import UnsupportedOperation
from ...graph.ir import Value
from ...types import dims
from ...types.kinds import BOOL, SCALARS, Kind
from ...types.operators import COMPARE
from ...types.subclasses import content_of, native_class
from ..boundary.identity import equal_if_one
from ..collaborator import Collaborator
from ..heap.queues import Queue
from ..iteration.iteration import Range
from ..objects.special_methods import (
    CONTAINERS,
    DUNDER,
    compared_fields,
    has_own,
    is_asked,
    python_method,
    users_type,
)
from ..record.settling import FEW
from ..record.tracers import (
    ArrayTracer,
    ClassedArray,
    OpaqueTracer,
    ScalarTracer,
    contains_tracer,
    is_tracer,
)

PLAIN_VALUES = (str, bytes, bool, int, type(None), type(...), type, np.dtype, enum.Enum, slice,
                range, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, np.ufunc)
COMPARED_BY_C = (tuple, list, dict, (set, frozenset), deque, str, bytes, (int, float))
MIRROR = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def is_of_numpy(value: Any) -> bool:
    """Is it an array, or a number of NumPy's?"""
    return isinstance(value, (np.ndarray, np.generic, ArrayTracer, ClassedArray)) or (
        is_tracer(value) and value.aval.kind is Kind.SCALAR)


class Comparisons(Collaborator):
    """``<``, ``==``, ``is``, ``in`` and their kin."""

    speaks_to = ("branches", "containers", "cursors", "elements", "found_functions", "identity",
                 "keys", "library_calls", "operators", "presence", "recorder", "references",
                 "searches", "sources", "tuples")

    def __init__(self) -> None:
        self.conditions: dict[Value, tuple[str, Any, Any]] = {}
        # truth values that say that something is None, or is not
        self.asked_for_none: dict[Value, tuple[Value, bool]] = {}

    def condition_of(self, tested: Any) -> tuple[str, Any, Any] | None:
        """The comparison of sizes and ints that a truth value comes from, if it does."""
        return self.conditions.get(tested.value) if type(tested) is ScalarTracer else None

    def fixed_condition(self, value: Value) -> tuple[str, Any, Any] | None:
        """The same, where it is the same whenever it is tested during one call."""
        found = self.conditions.get(value)
        return None if found is None or any(map(dims.is_varying, found[1:])) else found

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op in ("is", "is not"):
            return self._identity(left, right, op == "is")
        if op in ("in", "not in"):
            known = self.told("in", left, right)
            found = self.cursors.contains(right, left) if known is None else known
            return found if op == "in" else self.machine.not_(found)
        if (known := self.told(op, left, right)) is not None:
            return known
        left, right = self.arrays_of_ranges(
            self.containers.resolved(left), self.containers.resolved(right))
        if type(left) is ArrayTracer and type(right) in (list, tuple):
            right = self.machine.call(np.asarray, right)
        elif type(right) is ArrayTracer and type(left) in (list, tuple):
            left = self.machine.call(np.asarray, left)
        if is_tracer(left) or is_tracer(right):
            if not (self.is_operand_of_python(left) or self.is_operand_of_python(right)
                    or has_own(op, left, right)):
                return self.compare_traced(op, left, right)
        own = self._python_compare(op, left, right)
        if own is not NotImplemented:
            return own
        if op in DUNDER and type(left) is type(right) is list and not (
                self.symbolic_lists.keys().isdisjoint((id(left), id(right)))):
            return self.recorder.computed(COMPARE[op], BOOL, *map(self._of_run_time, (left, right)))
        sequences = as_sequences(left, right) if self.symbolic_lists.keys().isdisjoint(
            (id(left), id(right))) else None
        if op in ("==", "!=") and sequences is not None:
            equal = self._equal_sequences(*sequences)
            return equal if op == "==" else self.machine.not_(equal)
        if op in ("==", "!=") and type(left) is type(right) is dict and any(
                map(is_asked, (*left.values(), *right.values()))):
            equal = left.keys() == right.keys() and self._equal_sequences(
                list(left.values()), [right[k] for k in left])
            return equal if op == "==" else self.machine.not_(equal)
        if op in DUNDER and sequences is not None:
            return self._first_difference(op, *sequences)
        if is_tracer(left) or is_tracer(right):
            return self.compare_traced(op, left, right)
        if equal_if_one(left) and equal_if_one(right):
            self.identity.note_identity(left, right)
        if any(type(x) is list and id(x) in self.symbolic_lists for x in (left, right)) and (
                type(left) is not type(right)):
            raise self.recorder.of_forms(UnsupportedOperation(
                f"a list whose length depends on data is compared (`{op}`) with another thing",
                why="it stands for a list of run time, or for an item of one",
                fix="compare its items"))
        return COMPARE[op](left, right)

    def told(self, op: str, left: Any, right: Any) -> bool | None:
        """The outcome of a comparison with a container from outside, as it was found, which one
        guard tells at each call; None where a traced value, a number with a fraction or an object
        of the user's takes part."""
        sides = [self.found_functions.paths.get(id(x)) if isinstance(x, CONTAINERS) else None
                 for x in (left, right)]
        if sides == [None, None] or not (self._as_found(left) and self._as_found(
                right, op == "in")):
            return None
        args = tuple([x if p is None else p for x, p in zip((left, right), sides, strict=True)])
        if op == "in":
            return bool(self.sources.gives(operator.contains, (right, left), args[::-1]))
        return bool(self.sources.gives(COMPARE[op], (left, right), args))

    def _as_found(self, obj: Any, keys: bool = False) -> bool:
        """Is it a value that can be compared as it is at the begin of a call?  ``keys``: of a
        dict only the keys matter."""
        if not isinstance(obj, CONTAINERS) or isinstance(obj, (str, bytes)):
            return not is_tracer(obj) and isinstance(obj, PLAIN_VALUES)
        if id(obj) in self.sources.shadows or id(obj) in self.sources.blind or id(
                obj) in self.symbolic_lists or (
                native_class(type(obj)) is not None) or id(obj) in self.presence.instance_dicts:
            return False
        path = self.found_functions.paths.get(id(obj))
        if path is not None and path.root[0] == "made":
            return False
        parts = (*obj, *obj.values()) if isinstance(obj, dict) and not keys else tuple(obj)
        return all(map(self._as_found, parts))

    def _python_compare(self, op: str, left: Any, right: Any) -> Any:
        for a, b, name in in_turn(left, right, op):
            method = python_method(a, f"__{DUNDER[name]}__")
            if method is None and is_compared_by_c(op, a, b):
                return NotImplemented
            if method is not None:
                compared = compared_fields(a, f"__{DUNDER[name]}__")
                if compared is not None:
                    result = self._compare_records(name, a, b, compared)
                else:
                    result = self.machine.call(method, a, b if a is left
                                               else self.operators.as_python_number(b, a))
                if result is not NotImplemented:
                    return result
        if op == "!=":  # object.__ne__ asks __eq__
            equal = self._python_compare("==", left, right)
            return equal if equal is NotImplemented else self.machine.not_(equal)
        return NotImplemented

    def _compare_records(self, op: str, left: Any, right: Any, names: tuple[str, ...]) -> Any:
        """A comparison that ``@dataclass`` has made: of the fields, as tuples."""
        if self.machine.getattr(left, "__class__") is not self.machine.getattr(right, "__class__"):
            return NotImplemented
        parts = [tuple(self.machine.getattr(x, name) for name in names) for x in (left, right)]
        return self.machine.compare(op, *parts)

    def arrays_of_ranges(self, left: Any, right: Any) -> tuple[Any, Any]:
        """The operands, a range beside what is of NumPy as an array."""
        if isinstance(left, (Range, range)) and is_of_numpy(right):
            left = self.library_calls.plain(left, True)
        elif isinstance(right, (Range, range)) and is_of_numpy(left):
            right = self.library_calls.plain(right, True)
        return left, right

    def compare_traced(self, op: str, left: Any, right: Any) -> Any:
        differs = op == "!="
        if op in ("==", "!=") and any(type(x) in (str, bytes, type(None)) for x in (left, right)):
            number = left if is_tracer(left) else right  # which is no text, and not None
            if type(number) is ArrayTracer and not number.aval.optional and (
                    number.aval.kind is Kind.ARRAY):
                return self.machine.call(np.full, self.machine.getattr(number, "shape"), differs)
            if (left is None or right is None) and not number.aval.optional and (
                    number.aval.kind is not Kind.OPAQUE):
                return differs
            if type(number) is ScalarTracer and left is not None is not right:
                return np.bool_(differs) if number.aval.kind is Kind.SCALAR else differs
        for number, other in ((left, right), (right, left)):
            if type(number) is ScalarTracer and isinstance(other, CONTAINERS):
                return self._with_container(op, left, right, number.aval.kind)
        if type(left) is OpaqueTracer or type(right) is OpaqueTracer or self.is_operand_of_python(
                left) or (
                self.is_operand_of_python(right)):
            return self.recorder.computed(COMPARE[op], BOOL, *[
                self.recorder.values_in(x) if type(x) in (list, tuple) else x
                for x in (left, right)])
        exprs = [self.int_expr(x) for x in (left, right)]
        if exprs[0] is not None and exprs[1] is not None:
            known = self.decide(op, dims.add(exprs[0], dims.multiply(-1, exprs[1])))
            if known is not None:
                return known
        result = self.recorder.apply(COMPARE[op], (left, right), {})
        if type(result) is ScalarTracer and exprs[0] is not None and exprs[1] is not None:
            self.conditions[result.value] = (op, exprs[0], exprs[1])
        return result

    def _with_container(self, op: str, left: Any, right: Any, kind: Kind) -> Any:
        """A comparison of a number with a list, tuple, dict or set."""
        if kind is Kind.SCALAR and not isinstance(left, dict) and not isinstance(right, dict):
            return self.machine.compare(op, *[x if is_tracer(x) else self.machine.call(
                np.asarray, x) for x in (left, right)])
        if kind in (Kind.SCALAR, Kind.NUMBER):
            raise self.recorder.of_forms(UnsupportedOperation(
                f"a number is compared (`{op}`) with a container",
                why="the result depends on whether the number is one of Python's or of NumPy's",
                fix="compare it with the items"))
        if op in ("==", "!="):
            return op == "!="
        raise TypeError(f"'{op}' not supported between instances of "
                        f"'{left.__class__.__name__}' and '{right.__class__.__name__}'")

    @staticmethod
    def int_expr(obj: Any) -> Any:
        if type(obj) is int:
            return obj
        if is_tracer(obj) and obj.aval.kind is Kind.INT and not obj.aval.optional:
            return obj.aval.expr
        return None

    @staticmethod
    def decide(op: str, difference: Any) -> bool | None:
        """The comparison ``difference op 0`` where sizes decide it for every call."""
        if isinstance(difference, int):
            return bool(COMPARE[op](difference, 0))
        positive = dims.proves_positive(difference)
        negative = dims.proves_positive(dims.multiply(-1, difference))
        if positive or negative:
            return {"<": negative, "<=": negative, ">": positive, ">=": positive,
                    "==": False, "!=": True}[op]
        if op in ("==", "!=") and any(dims.proves_not_one(dims.add(1, dims.multiply(
                sign, difference))) for sign in (1, -1)):
            return op == "!="
        if op in (">=", "<") and dims.proves_nonnegative(difference):
            return op == ">="
        if op in ("<=", ">") and dims.proves_nonnegative(dims.multiply(-1, difference)):
            return op == "<="
        return None

    def _identity(self, left: Any, right: Any, positive: bool) -> Any:
        for a, b in ((left, right), (right, left)):
            if is_tracer(a) and b is None:
                if (a.aval.kind is Kind.OPAQUE and a.type is None) or a.aval.optional:
                    fn = operator.is_ if positive else operator.is_not
                    told = self.recorder.computed(fn, BOOL, a, None)
                    if type(a) is ScalarTracer:
                        self.asked_for_none[told.value] = a.value, positive
                    return told
                return not positive
        if type(left) is OpaqueTracer or type(right) is OpaqueTracer:
            if type(left) is OpaqueTracer and left.classes and isinstance(right, type) and (
                    right not in left.classes):
                return not positive
            fn = operator.is_ if positive else operator.is_not
            return self.recorder.computed(fn, BOOL, left, right)
        if type(left) is ArrayTracer and type(right) is ArrayTracer:
            self.identity.check_identity(left, right)
            if left.obj != right.obj:
                for one, other in ((left, right), (right, left)):
                    if one.home.choice is not None and not one.steps:
                        predicate, *ends = one.home.choice
                        return self.branches.choose(predicate, *(functools.partial(
                            self._identity, end, other, positive) for end in ends))
                same = self.elements.same(left, right)
                if same is not None:
                    return same if positive else self.machine.not_(same)
                self.identity.check_two(left, right)
            return (left.obj == right.obj) is positive
        if type(left) is ScalarTracer or type(right) is ScalarTracer:
            return self._same_number(left, right, positive)
        if type(left) is type(right) is Queue:  # each has a list of its own
            return self.machine.compare("is" if positive else "is not", left.items, right.items)
        self.identity.note_identity(left, right)
        return (left is right) is positive

    def _same_number(self, left: Any, right: Any, positive: bool) -> Any:
        """``is`` with a traced number: True and False are singletons, and so are small ints."""
        values = (self.recorder.value_of(left), self.recorder.value_of(right))
        if values[0] is values[1]:
            return positive
        if not all(isinstance(v, (Value, int, float, complex, np.generic)) for v in values):
            return not positive
        return self.recorder.computed(operator.is_ if positive else operator.is_not, BOOL, *values)

    def _of_run_time(self, items: Any) -> Any:
        """A list as the run has it."""
        items = self.tuples.with_tuples(items)
        state = None if is_tracer(items) else self.symbolic_lists.get(id(items))
        return self.recorder.values_in(items) if state is None else self.recorder.rows_value(state)

    def _equal_sequences(self, left: Any, right: Any) -> Any:
        if len(left) != len(right):
            return False
        result: Any = True
        for a, b in zip(left, right, strict=True):
            if a is b and not is_tracer(a):
                continue
            equal = self.same_or_equal(a, b)
            result = self.machine.and_(result, functools.partial(_given, equal))
            if result is False:
                return False
        return self.machine.call(bool, result)

    def same_or_equal(self, a: Any, b: Any) -> Any:
        """What containers ask of two items.  A NaN is the one that it is, if it is one at all."""
        if all(type(x) is ScalarTracer and x.aval.kind in SCALARS and x.aval.is_inexact
               for x in (a, b)):
            return self.recorder.computed(operator.contains, BOOL, self.recorder.values_in((b,)), a)
        return self.machine.compare("==", a, b)

    def _first_difference(self, op: str, left: Any, right: Any) -> Any:
        """``<`` and its relatives on tuples or lists: the first parts that are not equal decide;
        later ones are not looked at."""
        places = [i for i, (a, b) in enumerate(zip(left, right, strict=False))
                  if a is not b or is_tracer(a)]

        def from_(number: int) -> Any:
            if number == len(places):
                return COMPARE[op](len(left), len(right))
            a, b = left[places[number]], right[places[number]]
            return self.machine.if_expression(self.machine.compare("==", a, b),
                                              lambda: from_(number + 1),
                                      lambda: self.machine.compare(op, a, b))

        return from_(0)

    def contains(self, container: Any, item: Any) -> Any:
        container = self.references.seen(container)
        method = python_method(container, "__contains__")
        if method is not None:
            return self.machine.call(method, container, item)
        if is_tracer(container):
            if type(container) is ArrayTracer:
                equal = self.machine.compare("==", container, item)
                return self.machine.call(bool, self.machine.call_method(equal, "any"))
            return self.recorder.computed(operator.contains, BOOL, container, item)
        if isinstance(container, list) and id(container) in self.symbolic_lists:
            return self.searches.contains(container, item)
        if type(item) is OpaqueTracer and not is_tracer(container) and isinstance(
                container, (list, tuple, set, frozenset)):
            answers = {c in container for c in item.classes}
            if len(answers) == 1:
                return answers.pop()
        if isinstance(container, set) and not 0 < len(container) <= FEW:
            self.keys.as_marks(container, item)
        if not is_tracer(container) and any(python_method(container, name) is not None
                                            for name in ("__iter__", "__getitem__")):
            return self.cursors.contains(tuple(self.machine.iterate(container)), item)
        if isinstance(container, (list, tuple, set, frozenset, range)) and (
                any(map(contains_tracer, (item, *container))) or (
                    isinstance(container, (list, tuple)) and any(
                        map(is_asked, (item, *container))))):
            result: Any = False
            for c in container:
                equal = c is item or self.same_or_equal(item, c)
                result = self.machine.or_(result, functools.partial(_given, equal))
                if result is True:
                    return True
            return self.machine.call(bool, result)
        if isinstance(container, dict):
            self.keys.as_table(container, item)
        if isinstance(container, dict) and (self.keys.open_key(item) or (
                type(item) is ScalarTracer and all(type(k) is str for k in container))):
            self.sources.note_container(container)
            return self.cursors.contains(tuple(container), item)
        if isinstance(container, str) and is_tracer(item):
            return self.recorder.computed(operator.contains, BOOL, container, item)
        if isinstance(container, dict):
            item = self.keys.static_key(item)
        self.sources.note_container(container)
        if isinstance(container, (set, frozenset)) and equal_if_one(item):
            self.references.check_copies(item)
        if isinstance(container, (list, tuple)) and equal_if_one(item):
            container = list(self.machine.iterate(container))  # so that each item is known
            for c in container:
                self.identity.note_identity(item, c)
        return operator.contains(container, item)

    # ---- made by other parts ---------------------------------------------------------------
    def is_operand_of_python(self, obj: Any) -> bool:
        """Does the object take part in operators by methods of its own?"""
        return (type(obj) is not ArrayTracer and isinstance(obj, (list, tuple, str))) or (
            not is_tracer(obj) and not isinstance(obj, (int, float, complex, np.generic,
                                                        np.ndarray, type(None))))


def in_turn(left: Any, right: Any, op: str) -> list[tuple[Any, Any, str]]:
    """Who is asked what: first the left operand, unless the class of the right one derives from
    its class."""
    sides = [(left, right, op), (right, left, MIRROR[op])]
    one, other = users_type(left), users_type(right)
    return sides[::-1] if one is not other and issubclass(other, one) else sides


def is_compared_by_c(op: str, obj: Any, other: Any) -> bool:
    """Does an object without a method of its own compare with another one as code of C does,
    since both derive from one class there?  Dicts are in no order."""
    return any(isinstance(obj, base) and isinstance(other, base) for base in COMPARED_BY_C
               if base is not dict or op in ("==", "!="))


def as_sequences(left: Any, right: Any) -> tuple[Any, Any] | None:
    """Two tuples, or two lists, as code of C compares them: part by part, of whatever classes."""
    for base in (tuple, list):
        if isinstance(left, base) and isinstance(right, base):
            one, other = (x if native_class(type(x)) is None else base(content_of(x))
                          for x in (left, right))
            return one, other
    return None


def _given(value: Any) -> Any:
    return value
