"""A small tape over the rule book, for its tests: NumPy calls on :class:`Traced` are recorded.

It takes over NumPy's functions as engines do, refuses truth values and conversions, and runs
rule bodies on traced values, so that a gradient can be differentiated again.
"""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from srcgrad.rules import methods
from srcgrad.rules.broadcast import sum_to
from srcgrad.types.spelling import Attribute, Method

_order = itertools.count()


class Operation:
    """One recorded call: its entry, canonical arguments and result."""

    def __init__(self, entry: Any, named: dict[str, Any], ans: Any) -> None:
        self.entry, self.named, self.ans, self.order = entry, named, ans, next(_order)

    def cotangents(self, ct: Any) -> list[tuple[Any, Any]]:
        """Pairs of a traced input and its cotangent."""
        pairs: list[tuple[Any, Any]] = []
        done: set[int] = set()
        for name, value in self.named.items():
            if not has_traced(value) or name in self.entry.inactive:
                continue
            rule = self.entry.rules.get(name)
            if rule is None:
                raise TypeError(f"no rule for {self.entry.function} and {name}")
            if id(rule) in done:
                continue
            done.add(id(rule))
            result = pull(self.entry, rule, self.named, self.ans, ct)
            for one, part in zip(rule.inputs, result if len(rule.inputs) > 1 else (result,)):
                if has_traced(self.named[one]):
                    pair_up(self.named[one], part, self.entry.broadcasts, pairs)
        return pairs


class Traced(NDArrayOperatorsMixin):
    __array_priority__ = 1000

    def __init__(self, value: Any, source: Operation | None = None, place: int | None = None):
        self.value, self.source, self.place = value, source, place

    shape = property(lambda self: np.shape(self.value))
    ndim = property(lambda self: np.ndim(self.value))
    dtype = property(lambda self: np.asarray(self.value).dtype)
    T = property(lambda self: call(Attribute("T"), (self,), {}))

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        return call(ufunc if method == "__call__" else getattr(ufunc, method), args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call(function, args, kwargs)

    def __getitem__(self, index: Any) -> Any:
        return call(operator.getitem, (self, index), {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: call(Method(name), (self, *args), kwargs)

    def __bool__(self) -> bool:
        raise TypeError("a rule body asked for the truth of a value")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError("a rule body converted a traced value to an array")


def value_of(x: Any) -> Any:
    if isinstance(x, Traced):
        return x.value
    if type(x) in (list, tuple):
        return type(x)(value_of(i) for i in x)
    if isinstance(x, slice):
        return x
    return x


def has_traced(x: Any) -> bool:
    return isinstance(x, Traced) or (type(x) in (list, tuple) and any(map(has_traced, x)))


def call(function: Any, args: Any, kwargs: Any) -> Any:
    value = function(*value_of(args), **{k: value_of(v) for k, v in kwargs.items()})
    found = methods.resolve(function, args, kwargs)
    if found is None:
        raise TypeError(f"no rule for {function}")
    entry, named = found
    if entry.nondiff or not any(map(has_traced, named.values())):
        return value
    record = Operation(entry, named, None)
    if isinstance(value, tuple | list):
        outs = [
            Traced(v, record, i) if np.asarray(v).dtype.kind in "fc" else v
            for i, v in enumerate(value)
        ]
        record.ans = tuple(outs)
        return record.ans
    record.ans = Traced(value, record)
    return record.ans


def facts(name: str, value: Any) -> dict[str, Any]:
    def fact(get: Any, x: Any) -> Any:
        return [fact(get, i) for i in x] if type(x) in (list, tuple) else get(x)

    def dtype(x: Any) -> Any:
        return x.dtype if isinstance(x, Traced) else np.asarray(x).dtype

    def shape(x: Any) -> Any:
        return x.shape if isinstance(x, Traced) else np.shape(x)

    return {
        f"{name}_shape": fact(shape, value),
        f"{name}_ndim": fact(lambda x: len(shape(x)), value),
        f"{name}_dtype": fact(dtype, value),
    }


def pull(entry: Any, rule: Any, named: dict[str, Any], ans: Any, ct: Any) -> Any:
    """The cotangents (or the tangent, for a jvp rule) that a rule gives."""
    have: dict[str, Any] = {**named, **rule.settings, "ans": ans, "ct": ct, "t": ct}
    for name, value in named.items():
        if any(need.startswith(name + "_") for need in rule.needs):
            have.update({k: v for k, v in facts(name, value).items() if k not in have})
    result = rule.body(**{need: have[need] for need in rule.needs})
    if rule.form == "elementwise":
        result = ct * result
    return result


def pair_up(value: Any, ct: Any, broadcasts: bool, pairs: list[tuple[Any, Any]]) -> None:
    """Cotangents of nested inputs, each summed to its shape and cast to its kind."""
    if ct is None:
        return
    if isinstance(value, Traced):
        if broadcasts:
            ct = sum_to(ct, value.shape)
        elif np.shape(ct) != value.shape:
            raise AssertionError(f"cotangent of shape {np.shape(ct)} for {value.shape}")
        kind = ct.dtype if isinstance(ct, Traced) else np.asarray(ct).dtype
        if kind.kind == "c" and value.dtype.kind != "c":
            ct = np.real(ct)
        pairs.append((value, ct))
    elif type(value) in (list, tuple):
        assert len(value) == len(ct), "one cotangent per item"
        for v, c in zip(value, ct):
            if has_traced(v):
                pair_up(v, c, broadcasts, pairs)


def pullback(out: Any, ct: Any, wanted: list[Any]) -> list[Any]:
    """Cotangents of ``wanted`` for cotangents ``ct`` of the traced results ``out``."""
    total: dict[int, Any] = {}
    pending: dict[int, Operation] = {}
    per_output: dict[int, dict[int | None, Any]] = {}

    def give(x: Any, c: Any) -> None:
        if x.source is None:
            total[id(x)] = c if id(x) not in total else total[id(x)] + c
            return
        slots = per_output.setdefault(x.source.order, {})
        slots[x.place] = c if x.place not in slots else slots[x.place] + c
        pending[x.source.order] = x.source

    for o, c in zip(out, ct):
        give(o, c)
    while pending:
        order = max(pending)
        record = pending.pop(order)
        slots = per_output.pop(order)
        whole = slots.get(None)
        if isinstance(record.ans, tuple):
            whole = tuple(slots.get(i) for i in range(len(record.ans)))
        for x, c in record.cotangents(whole):
            give(x, c)
    return [total.get(id(w)) for w in wanted]
