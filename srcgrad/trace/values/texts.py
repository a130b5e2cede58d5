"""Texts of objects of the user's: ``str``, ``repr``, f-strings, ``%``, ``format`` and ``print``.

The methods that make a text of an object are staged, also where the object lies in a container;
what they say about traced values is put together when the generated code runs.
"""

from __future__ import annotations

import dataclasses
import operator
import re
import string
from collections.abc import Callable, Iterator
from typing import Any

from ...stage.source import is_generated
from ..calls.calls import is_users
from ..calls.handlers import HANDLERS, handles
from ..iteration.iteration import Range, Staged
from ..objects.special_methods import python_method
from ..record.structures import reaches_tracer
from ..record.tracers import Choice, contains_tracer, is_tracer

DEPTH = 8  # of containers
FIELD = re.compile(r"%(?:%|[-#0 +]*[\d.]*[a-zA-Z])")


def is_staged_text(machine: Any, obj: Any, depth: int = DEPTH) -> bool:
    """Is the text of an object made by methods of the user's from what is traced?"""
    if not depth or is_tracer(obj) or isinstance(obj,
            (str, type)) or id(obj) in machine.found_functions.paths:
        return False
    if type(obj) in (Range, Choice):
        return True
    if isinstance(obj, dict):
        return any(is_staged_text(machine, v, depth - 1) for v in obj.values())
    if isinstance(obj, (list, tuple)) and python_method(obj, "__repr__") is None:
        return id(obj) not in machine.symbolic_lists and any(
            is_staged_text(machine, part, depth - 1) for part in obj)
    return is_users(obj) and any(python_method(obj, f"__{name}__") is not None for name in (
        "repr", "str", "format")) and reaches_tracer(obj)


def text_of(machine: Any, obj: Any, how: str) -> Any:
    """``str(obj)`` (``how`` is "s") or ``repr(obj)`` ("r"): a text, or a traced one."""
    native = repr if how == "r" else str
    if not is_staged_text(machine, obj):
        obj = machine.handed_over.as_run_time(obj)  # an exception
        traced = contains_tracer(obj) or id(obj) in machine.symbolic_lists
        return machine.library_calls.apply_opaque(native, (obj,), {}) if traced else native(obj)
    if type(obj) is Choice:
        return machine.unions.each(obj, lambda one: text_of(machine, one, how))
    if type(obj) is Range:
        return machine.library_calls.apply_opaque(native, (machine.effects.made(obj),), {})
    own = _maker(obj, how)
    fields = _shown_fields(obj, own)
    if own is not None and fields is None:
        return machine.call(own, obj)
    if own is None and not isinstance(obj, (list, tuple, dict)):
        known = machine.handed_over.as_run_time(obj)
        return machine.library_calls.apply_opaque(native, (known,), {})
    return machine.join_str(*_pieces(machine, obj, fields))


def _maker(obj: Any, how: str) -> Any:
    """The method of the user's that makes a text of an object."""
    own = python_method(obj, "__str__") if how == "s" else None
    return own or python_method(obj, "__repr__")


def _shown_fields(obj: Any, own: Any) -> tuple[str, ...] | None:
    """The fields that a text made by ``@dataclass`` shows; None for other texts."""
    made = getattr(own, "__wrapped__", None)
    owner = next((c for c in type(obj).__mro__ if vars(c).get("__repr__") is own), object)
    if made is None or not is_generated(made) or "__dataclass_fields__" not in vars(owner):
        return None
    return tuple(f.name for f in dataclasses.fields(owner) if f.repr)


def _pieces(machine: Any, obj: Any, fields: tuple[str, ...] | None) -> Iterator[Any]:
    """The texts that make up the text of a container or of an instance of a dataclass."""
    if fields is None and hasattr(obj, "_fields"):
        fields = obj._fields
    if fields is not None:
        yield f"{machine.getattr(obj, '__class__').__qualname__}("
        for i, name in enumerate(fields):
            yield f"{', ' if i else ''}{name}="
            yield text_of(machine, machine.getattr(obj, name), "r")
        yield ")"
        return
    pairs = isinstance(obj, dict)
    start, end = ("{", "}") if pairs else ("[", "]") if isinstance(obj, list) else ("(", ")")
    yield start
    for i, part in enumerate(obj.items() if pairs else obj):
        yield ", " if i else ""
        if pairs:
            yield f"{part[0]!r}: "
        yield text_of(machine, part[1] if pairs else part, "r")
    yield ("," if isinstance(obj, tuple) and len(obj) == 1 else "") + end


def formatted(machine: Any, value: Any, conversion: str, spec: Any) -> Any:
    """One field of an f-string whose value has a text that is staged."""
    if type(value) is Choice:
        return machine.unions.each(value, lambda one: machine.format(one, conversion, spec))
    if conversion:
        value = text_of(machine, value, "s" if conversion == "s" else "r")
    elif (own := python_method(value, "__format__")) is not None:
        return machine.call(own, value, spec)
    else:
        value = text_of(machine, value, "s")
    return machine.format(value, "", spec)


def filled(machine: Any, text: str, given: Any) -> Any:
    """``text % given`` where an operand has a text that is staged."""
    if isinstance(given, dict):
        values = {k: text_of(machine, v, "s") if is_staged_text(machine, v) else v
                  for k, v in given.items()}
        return machine.library_calls.apply_opaque(operator.mod, (text, values), {})
    items = list(given) if isinstance(given, tuple) else [given]
    for i, item in enumerate(items):
        if type(item) is Choice:
            return machine.unions.each(item, lambda one: machine.binary(
                "%", text, (*items[:i], one, *items[i + 1:])))  # noqa: B023
    todo = iter(range(len(items)))

    def shown(field: re.Match[str]) -> str:
        place = None if field.group() == "%%" else next(todo, None)
        if place is None or not is_staged_text(machine, items[place]):
            return field.group()
        how = "r" if field.group()[-1] in "ra" else "s"
        items[place] = text_of(machine, items[place], how)
        return field.group()[:-1] + "s"

    text = FIELD.sub(shown, text)
    return machine.library_calls.apply_opaque(operator.mod, (text, tuple(items)), {})


def format_by(machine: Any, text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``text.format(*args, **kwargs)`` where an operand has a text that is staged."""
    parts: list[Any] = []
    count = 0
    for literal, name, spec, conversion in string.Formatter().parse(text):
        parts.append(literal)
        if name is None:
            continue
        first, rest = string._string.formatter_field_name_split(name)  # type: ignore[attr-defined]
        if first == "":
            first, count = count, count + 1
        value = args[first] if isinstance(first, int) else kwargs[first]
        for is_attribute, key in rest:
            value = machine.getattr(value, key) if is_attribute else machine.getitem(value, key)
        parts.append(machine.format(value, conversion or "", spec or ""))
    return machine.join_str(*parts)


def _text(native: Any, how: str) -> Callable[..., Any]:
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and not is_tracer(args[0]):
            own = _maker(args[0], how)
            if is_staged_text(machine, args[0]):
                return text_of(machine, args[0], how)
            if own is not None and not hasattr(own, "__wrapped__"):
                return machine.call(own, args[0])
        args = tuple(machine.handed_over.as_run_time(machine.containers.resolved(a)) for a in args)
        if contains_tracer(args):
            return machine.library_calls.apply_opaque(native, args, kwargs)
        return native(*args, **kwargs)

    return handler


HANDLERS[str] = _text(str, "s")
HANDLERS[repr] = _text(repr, "r")
HANDLERS[ascii] = _text(ascii, "r")


@handles(format)
def format_(machine: Any, value: Any, spec: Any = "") -> Any:
    own = None if is_tracer(value) else python_method(value, "__format__")
    return machine.format(value, "", spec) if own is None else machine.call(own, value, spec)


@handles(print)
def print_(machine: Any, *args: Any, **kwargs: Any) -> None:
    machine.containers.check_ends(args)
    parts = [text_of(machine, a, "s") if is_staged_text(machine, a) else
             list(machine.iterate(a)) if isinstance(a, Staged) else a for a in args]
    machine.effects.emit_effect(print, tuple(parts), kwargs, None)
