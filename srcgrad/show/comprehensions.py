"""Lists of tuples, dicts and instances in exported modules: columns are read from them, and made
into such lists again, by comprehensions.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any

from ..compile.templates import Element, Items, Keyed, Nested, Numbers, Tupled, refs
from ..graph.ir import Ref
from ..trace.heap.outlines import (
    Arrays,
    Constant,
    Lists,
    Number,
    Record,
    Referred,
    Unread,
    class_of,
    classes_of,
)
from ..trace.heap.stores import are_contents, python_class


def column_texts(found: Any, item: str, name_of: Callable[[type], str], copied: bool = False,
                 depth: int = 0) -> Iterator[str]:
    """For each column of items with an outline, the text that reads it from an ``item``.

    ``name_of`` gives the name of an enumeration in the module; the numbers of objects are in
    ``numbers`` there, by their ids.  ``copied``: arrays are.

    >>> [*column_texts(Record(dict, ("w", "n"), (Number(float), Number(int))), "item", str)]
    ["item['w']", "item['n']"]
    """
    if isinstance(found, Record):
        for part, held in parts_of(found, item):
            yield from column_texts(part, held, name_of, copied, depth)
    elif isinstance(found, Lists):
        part = part_name(depth)
        for text in column_texts(found.inner, part, name_of, copied, depth + 1):
            yield listed(text, part, item)
    elif isinstance(found, Unread):
        yield from ["None"] * found.columns
    elif isinstance(found, Referred):
        yield from _number_texts(found, item)
    elif isinstance(found, Number):
        yield from _value_texts(found, item, name_of)
    elif found is None or isinstance(found, Arrays):
        yield f"{item}.copy()" if copied and found is not None else item


def listed(text: str, item: str, items: str) -> str:
    """The list of what a text says of each item."""
    return f"[*{items}]" if text == item else f"[{text} for {item} in {items}]"


def part_name(depth: int) -> str:
    """The name of an item in a list that so many others are around."""
    return "part" + "_of_part" * depth


def parts_of(found: Record, item: str) -> Iterator[tuple[Any, str]]:
    """The outlines of the parts of an item, and the text of each."""
    cls = class_of(found)
    by_key = cls is dict or (are_contents(cls) and not hasattr(cls, "_fields"))
    for name, part in zip(found.names, found.parts, strict=True):
        name = cls._fields[name] if hasattr(cls, "_fields") else name
        yield part, f"{item}[{name!r}]" if by_key else f"{item}.{name}"


def _number_texts(found: Referred, item: str) -> Iterator[str]:
    """As :func:`~srcgrad.trace.heap.gathering.columns` has the columns of such objects."""
    if len(found.classes) > 1 or found.beside is not None:
        if found.optional:
            yield f"{item} is None"
        if found.beside is not None:
            yield f"type({item}) is {found.beside.__name__}"
        yield from (f"kind_of({item}) == {kind_name(cls)!r}" for cls in classes_of(found)[:-1])
    if found.beside is None:
        yield f"numbers[id({item})]"
        return
    kind = found.beside.__name__
    yield f"{item} if type({item}) is {kind} else {found.beside()!r}"
    yield f"0 if type({item}) is {kind} else numbers[id({item})]"


def _value_texts(found: Number, item: str, name_of: Callable[[type], str]) -> Iterator[str]:
    cls = class_of(found)
    if found.optional:
        yield f"{item} is None"
        yield f"{cls()!r} if {item} is None else {item}"
    else:
        yield f"{name_of(cls)}[{item}.name]" if issubclass(cls, enum.Enum) else item


def checks(found: Any, item: str, loops: str,
           said: Callable[[Any, str], str | None] | None = None, depth: int = 0) -> Iterator[str]:
    """Conditions that items with an outline fulfil, which ``loops`` go through; what is ``said`` of
    each part, or of what kind it is.

    >>> [*checks(Record(dict, ("w", "n"), (Number(float), Number(int))), "w", "for w in ws")]
    ["all(type(w['w']) is float for w in ws)", "all(type(w['n']) is int for w in ws)"]
    """
    text = (said or _condition)(found, item)
    if text is not None:
        yield f"all({text} {loops})"
    if isinstance(found, Record):
        for part, held in parts_of(found, item):
            yield from checks(part, held, loops, said, depth)
    elif isinstance(found, Lists):
        part = part_name(depth)
        yield from checks(found.inner, part, f"{loops} for {part} in {item}", said, depth + 1)


def _condition(found: Any, item: str) -> str | None:
    if isinstance(found, Constant):
        return f"{item} {'is' if found.value is None else '=='} {found.value!r}"
    if isinstance(found, Referred):
        kinds = [kind_name(cls) for cls in classes_of(found)]
        kinds += ["NoneType"] * found.optional
        kinds += [] if found.beside is None else [found.beside.__name__]
        return f"kind_of({item}) in {(*kinds,)!r}"
    if not isinstance(found, Number):
        return None
    text = f"type({item}) is {_type_name(class_of(found))}"
    if issubclass(class_of(found), enum.Enum):
        text = f"type({item}).__name__ == {class_of(found).__name__!r}"
    return f"({item} is None or {text})" if found.optional else text


def kind_name(cls: type) -> Any:
    """What :func:`~srcgrad.show.reached.kind_of` gives for objects of a class."""
    own = python_class(cls)
    if own is cls:
        return cls.__name__
    return (own.__name__, *cls.names)  # type: ignore[attr-defined]


def text_of_result(template: Any, outputs: str) -> str:
    """The text that puts a result together from the flat outputs; records are dicts.

    >>> text_of_result((Ref(0), Items(tuple, (0, 1), (Ref(1), None))), "found")
    '(found[0], [(a, None) for a in found[1]])'
    """
    if isinstance(template, Keyed):
        held = text_of_result(template.items, outputs)
        return f"(lambda items: {_keyed(template.keys)})(iter({held}))"
    if isinstance(template, Tupled):
        return f"tuple({text_of_result(template.items, outputs)})"
    if isinstance(template, (Items, Nested, Numbers)):
        return _listed(template, {i: f"{outputs}[{i}]" for i in refs(template)}, 0)
    if isinstance(template, Ref):
        return f"{outputs}[{template.index}]"
    if isinstance(template, Element):
        text = f"{text_of_result(template.column, outputs)}[{template.place}]"
        return text if template.type is None else _number(text, template.type)
    if isinstance(template, dict):
        return "{" + ", ".join(f"{key!r}: {text_of_result(part, outputs)}"
                               for key, part in template.items()) + "}"
    if isinstance(template, (tuple, list)):
        parts = ", ".join(text_of_result(part, outputs) for part in template)
        if isinstance(template, list):
            return f"[{parts}]"
        return f"({parts},)" if len(template) == 1 else f"({parts})"
    return repr(template)


def _keyed(keys: dict[Any, Any]) -> str:
    """The text of a dict with the next of some items under each key."""
    return "{" + ", ".join(f"{key!r}: {'next(items)' if inner is None else _keyed(inner)}"
                           for key, inner in keys.items()) + "}"


def _listed(template: Any, held: dict[int, str], depth: int) -> str:
    """The text of a list, given the texts of its columns."""
    if isinstance(template, Ref):
        return held[template.index]
    if isinstance(template, Numbers):
        return _of_type(held[template.column.index], template, template.levels)
    places = refs(template)
    names = dict(zip(places, (f"{chr(97 + i % 26)}{'_' * (i // 26)}{depth or ''}"
                              for i in range(len(places))), strict=True))
    item = _item(template, names, depth)
    if len(places) == 1:
        return f"[{item} for {names[places[0]]} in {held[places[0]]}]"
    return (f"[{item} for {', '.join(names.values())} in "
            f"zip({', '.join(held[i] for i in places)})]")


def _item(template: Any, names: dict[int, str], depth: int) -> str:
    """The text of one item, or of a part of one, by the names of what the columns hold."""
    if isinstance(template, Nested):
        return _listed(template.inner, names, depth + 1)
    if isinstance(template, Items):
        parts = [_item(part, names, depth) for part in template.parts]
        if issubclass(template.cls, tuple):
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        return "{" + ", ".join(f"{name!r}: {part}" for name, part in zip(
            template.names, parts, strict=True)) + "}"
    if isinstance(template, Numbers):
        return _of_type(names[template.column.index], template, template.levels - 1)
    return names[template.index] if isinstance(template, Ref) else "None"


def _of_type(text: str, numbers: Numbers, levels: int) -> str:
    """The text of a number, or of lists of so many levels of numbers, of one type."""
    item = f"number{levels}"
    return f"[{_of_type(item, numbers, levels - 1)} for {item} in {text}]" if levels else (
        _number(text, numbers.type))


def _number(text: str, kind: Any) -> str:
    return f"{_type_name(kind)}({text})"


def _type_name(kind: type) -> str:
    return kind.__name__ if kind.__module__ == "builtins" else f"np.{kind.__name__}"
