"""The plain machine: staged code does what Python does.

It is the oracle for staging: for every program, plain Python and staged code on this machine
must agree in values, exceptions, effects and order.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final

from ..errors import SourceNotFound, UnsupportedSyntax
from ..types.operators import BINARY, COMPARE, INPLACE, UNARY
from .defaults import MachineDefaults
from .function import set_default_machine, stage
from .machine import BREAK, NORMAL, RESULT, RETURN, Frame, Jump, Region

_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    **COMPARE, "is": operator.is_, "is not": operator.is_not,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b}
_CONVERSIONS: Final[dict[str, Callable[[Any], Any]]] = {"r": repr, "s": str, "a": ascii}


def run(region: Region) -> Jump:
    """Run a region and the rests it leads to: a rest is returned, not called, so that a long
    chain of early exits needs no stack."""
    jump = region()
    while jump.__class__ is FunctionType:
        jump = jump()
    return jump


class PlainMachine(MachineDefaults):
    """Runs staged code as Python would.

    ``deep``: called Python functions whose source can be had are staged too (or those for which
    ``deep(function)`` is true); else they are just called.
    """

    def __init__(self, deep: bool | Callable[[Any], bool] = False) -> None:
        self.deep = deep

    # ---- expressions -----------------------------------------------------------------
    def getattr(self, obj: Any, name: str) -> Any:
        """``obj.name``."""
        return getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        """``obj.name = value``."""
        setattr(obj, name, value)

    def delattr(self, obj: Any, name: str) -> None:
        """``del obj.name``."""
        delattr(obj, name)

    def getitem(self, obj: Any, key: Any) -> Any:
        """``obj[key]``; slices arrive as ``slice`` objects, ``a[i, 1:]`` as a tuple."""
        return obj[key]

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        """``obj[key] = value``."""
        obj[key] = value

    def delitem(self, obj: Any, key: Any) -> None:
        """``del obj[key]``."""
        del obj[key]

    def binary(self, op: str, left: Any, right: Any) -> Any:
        """``left op right``: ``op`` is the operator's text, ``+ - * / // % ** @ & | ^ << >>``."""
        return BINARY[op](left, right)

    def inplace(self, op: str, left: Any, right: Any) -> Any:
        """``left op= right``; returns the object that is stored back."""
        return INPLACE[op](left, right)

    def unary(self, op: str, operand: Any) -> Any:
        """``op operand``, for ``-``, ``+`` and ``~``."""
        return UNARY[op](operand)

    def not_(self, operand: Any) -> Any:
        """``not operand``."""
        return not operand

    def compare(self, op: str, left: Any, right: Any) -> Any:
        """``< <= > >= == != is 'is not' in 'not in'``; chains become ``and_`` of pairs."""
        return _COMPARE[op](left, right)

    def and_(self, first: Any, *rest: Region) -> Any:
        """``first and rest...``: the first operand is a value, later ones are thunks."""
        for thunk in rest:
            if not first:
                break
            first = thunk()
        return first

    def or_(self, first: Any, *rest: Region) -> Any:
        """``first or rest...``."""
        for thunk in rest:
            if first:
                break
            first = thunk()
        return first

    def if_expression(self, test: Any, then: Region, orelse: Region) -> Any:
        """``then if test else orelse``."""
        return then() if test else orelse()

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``; with ``deep`` staged where that is possible."""
        if self.deep is not False:
            found = self._staged(function)
            if found is not None:
                staged, live, first = found
                return staged.run(self, (*first, *args), kwargs, fn=live)
        return function(*args, **kwargs)

    def _staged(self, function: Any) -> tuple[Any, Any, tuple[Any, ...]] | None:
        live: Any = function
        first: tuple[Any, ...] = ()
        if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
            live, first = function.__func__, (function.__self__,)
        if not isinstance(live, FunctionType):
            return None
        if self.deep is not True and not (callable(self.deep) and self.deep(live)):
            return None
        try:
            return stage(live), live, first
        except (SourceNotFound, UnsupportedSyntax):
            return None

    def call_method(self, obj: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """``obj.name(*args, **kwargs)``."""
        return self.call(getattr(obj, name), *args, **kwargs)

    def method(self, obj: Any, name: str) -> Any:
        """``obj.name``, looked up before the arguments."""
        return getattr(obj, name)

    def call_bound(self, method: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The call of such a method."""
        return self.call(method, *args, **kwargs)

    def build_list(self, *items: Any) -> list[Any]:
        """``[...]``; also the start of a list comprehension."""
        return list(items)

    def begin_list(self) -> list[Any]:
        """The list of a comprehension before it has items."""
        return []

    def finish_list(self, items: list[Any]) -> list[Any]:
        """That list when it has all."""
        return items

    def build_dict(self, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
        """``{...}``."""
        return dict(pairs)

    def finish_dict(self, made: dict[Any, Any]) -> dict[Any, Any]:
        """The dict of a comprehension when it has all its items."""
        return made

    def build_set(self, *items: Any) -> set[Any]:
        """``{...}``."""
        return set(items)

    def format(self, value: Any, conversion: str, spec: str) -> str:
        """``{value!conversion:spec}`` of an f-string; ``conversion`` may be empty."""
        if conversion:
            value = _CONVERSIONS[conversion](value)
        return format(value, spec)

    def join_str(self, *parts: Any) -> Any:
        """The f-string made of literal pieces and formatted fields."""
        return "".join(parts)

    def unpack(self, value: Any, before: int, star: bool, after: int) -> tuple[Any, ...]:
        """Unpacking of ``a, *b, c = value``: ``before`` items, then if ``star`` a list of the rest,
        then ``after`` items."""
        found: tuple[Any, ...] = _unpacker(before, star, after)(value)
        return found

    def truth(self, value: Any) -> bool:
        """``bool(value)``, where staged code must know it now (generator bodies)."""
        return bool(value)

    # ---- statements ------------------------------------------------------------------
    def if_(self, test: Any, then: Region, orelse: Region, rest: Region | None = None) -> Jump:
        """``if``; ``rest`` is given where an arm may jump: the remainder of the enclosing block, a
        tail jump."""
        jump = run(then) if test else run(orelse)
        return jump if jump or rest is None else rest

    def for_(self, iterable: Any, target: Callable[[Any], None], body: Region,
             orelse: Region | None = None, rest: Region | None = None) -> Jump:
        """``for``: ``target`` stores one item into the loop's target; ``rest`` is given where the
        body may return from the function."""
        for item in iterable:
            target(item)
            jump = run(body)
            if jump == BREAK:
                return NORMAL if rest is None else rest
            if jump == RETURN:
                return jump
        return self._after(orelse, rest)

    def while_(self, test: Callable[[], Any], body: Region,
               orelse: Region | None = None, rest: Region | None = None) -> Jump:
        """``while``."""
        while test():
            jump = run(body)
            if jump == BREAK:
                return NORMAL if rest is None else rest
            if jump == RETURN:
                return jump
        return self._after(orelse, rest)

    def _after(self, region: Region | None, rest: Region | None) -> Jump:
        jump = NORMAL if region is None else run(region)
        return jump if jump or rest is None else rest

    def assert_(self, test: Any, message: Region | None) -> None:
        """``assert``."""
        if not test:
            if message is None:
                raise AssertionError
            raise AssertionError(message())

    def raise_(self, exception: Any, cause: Any, has_cause: bool) -> Jump:
        """``raise exception from cause``; a tracer may treat the region as cold."""
        if has_cause:
            raise exception from cause
        raise exception

    def reraise(self) -> Jump:
        """``raise``."""
        raise  # it runs inside the handler

    def with_(self, managers: list[Callable[[], Any]],
              targets: list[Callable[[Any], None] | None], body: Region,
              rest: Region | None = None) -> Jump:
        """``with``: one Python ``with`` for each manager."""
        jump = self._enter(managers, targets, body, 0)
        return jump if jump or rest is None else rest

    def _enter(self, managers: list[Callable[[], Any]],
               targets: list[Callable[[Any], None] | None], body: Region, index: int) -> Jump:
        if index == len(managers):
            return run(body)
        target = targets[index]
        with managers[index]() as value:
            if target is not None:
                target(value)
            return self._enter(managers, targets, body, index + 1)
        return NORMAL

    def try_(self, body: Region,
             handlers: list[tuple[Callable[[], Any] | None, str | None, Region]],
             orelse: Region | None, final: Region | None, frame: Frame,
             rest: Region | None = None) -> Jump:
        """``try``; a handler is a thunk of the exception type (None for a bare ``except``), the
        name bound to it, and its region."""
        try:
            jump = self._handled(body, handlers, orelse, frame)
        except BaseException:
            last = NORMAL if final is None else run(final)
            if last:
                return last  # as in Python, it swallows the exception
            raise
        last = NORMAL if final is None else run(final)
        jump = last or jump
        return jump if jump or rest is None else rest

    def _handled(self, body: Region,
                 handlers: list[tuple[Callable[[], Any] | None, str | None, Region]],
                 orelse: Region | None, frame: Frame) -> Jump:
        if not handlers:
            jump = run(body)
        else:
            try:
                jump = run(body)
            except BaseException as error:
                found = _handler(handlers, error)
                if found is None:
                    raise
                return self._handle(found, error, frame)
        if jump or orelse is None:
            return jump
        return run(orelse)

    def _handle(self, handler: tuple[Any, str | None, Region], error: BaseException,
                frame: Frame) -> Jump:
        _, name, region = handler
        if name is None:
            return run(region)
        self.store(frame, name, error)
        try:
            return run(region)
        finally:
            frame.slots.pop(name, None)

    def finish(self, frame: Frame, jump: Jump) -> Any:
        """The value of the function, after the rests that are still to run."""
        return super().finish(frame, run(lambda: jump))

    def return_(self, frame: Frame, value: Any) -> Jump:
        """Store the result in the frame and return ``RETURN``."""
        frame.slots[RESULT] = value
        return RETURN


def _handler(handlers: list[tuple[Callable[[], Any] | None, str | None, Region]],
             error: BaseException) -> tuple[Any, str | None, Region] | None:
    for handler in handlers:
        thunk = handler[0]
        if thunk is None or _matches(error, thunk()):
            return handler
    return None


def _matches(error: BaseException, kind: Any) -> bool:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    for one in kinds:
        if not (isinstance(one, type) and issubclass(one, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException "
                            "is not allowed")
    return isinstance(error, kind)


@functools.lru_cache(maxsize=256)
def _unpacker(before: int, star: bool, after: int) -> Callable[[Any], tuple[Any, ...]]:
    """A function that unpacks with Python's own instruction (its messages are Python's)."""
    names = [f"a{i}" for i in range(before)]
    names += ["*rest"] if star else []
    names += [f"b{i}" for i in range(after)]
    left = ", ".join(names)
    left = f"({left},)" if names else "()"
    right = f"({', '.join(n.lstrip('*') for n in names)}{',' if names else ''})"
    namespace: dict[str, Any] = {}
    exec(f"def unpack(value):\n    {left} = value\n    return {right}", namespace)
    made: Callable[[Any], tuple[Any, ...]] = namespace["unpack"]
    return made


set_default_machine(PlainMachine())
