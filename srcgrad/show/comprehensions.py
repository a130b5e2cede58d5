"""Lists of tuples, dicts and instances in exported modules: columns are read from them, and made
into such lists again, by comprehensions."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from ..compile.templates import Element, Items, Nested, Numbers, refs
from ..graph.ir import Ref
from ..trace.heap.gathering import Reading, columns
from ..trace.heap.outlines import Arrays, Lists, Number, Outline, Record, class_of
from ..types.guards import Path


def columns_on_the_way(path: Path) -> tuple[Path, Path, Outline] | None:
    """The paths to the list, and to the columns, that a path leads through, with the outline of
    the items; None if it leads through none."""
    for place, (kind, key) in enumerate(path.steps):
        made = getattr(key, "function", None) if kind == "native" else None
        if isinstance(made, functools.partial) and made.func is columns:
            return (Path(path.root, path.steps[:place]), Path(path.root, path.steps[:place + 1]),
                    made.keywords["found"])
    return None


def is_readable(path: Path) -> bool:
    """Can what a path leads to be read by Python's own text?"""
    return columns_on_the_way(path) is not None or not is_gathered(path)


def is_gathered(path: Path) -> bool:
    """Does a path lead through what is gathered at each call?"""
    return any(isinstance(key, Reading) for _, key in path.steps)


def column_texts(found: Outline, items: str) -> list[tuple[str, str | None]]:
    """For each column of a list the text that reads it, and the name of the type of its numbers,
    if it holds numbers.

    >>> column_texts(Record(dict, ("w", "n"), (Number(float), Number(int))), "xs")
    [("[item['w'] for item in xs]", 'float'), ("[item['n'] for item in xs]", 'int')]
    """
    return [(f"[*{items}]" if text == "item" else f"[{text} for item in {items}]", kind)
            for text, kind in _texts(found, "item", 0)]


def _texts(found: Any, item: str, depth: int) -> Iterator[tuple[str, str | None]]:
    if isinstance(found, Record):
        cls = class_of(found)
        for name, part in zip(found.names, found.parts, strict=True):
            name = cls._fields[name] if hasattr(cls, "_fields") else name
            held = f"{item}[{name!r}]" if cls in (tuple, dict) else f"{item}.{name}"
            yield from _texts(part, held, depth)
    elif isinstance(found, Lists) and isinstance(found.inner, Record):
        part = "part" + "_of_part" * depth
        for text, _ in _texts(found.inner, part, depth + 1):
            yield f"[{text} for {part} in {item}]", None
    elif isinstance(found, Number):
        cls = class_of(found)
        yield item, cls.__name__ if cls.__module__ == "builtins" else f"np.{cls.__name__}"
    elif isinstance(found, (Arrays, Lists)):
        yield item, None


def text_of_result(template: Any, outputs: str) -> str:
    """The text that puts a result together from the flat outputs; records are dicts.

    >>> text_of_result((Ref(0), Items(tuple, (0, 1), (Ref(1), None))), "found")
    '(found[0], [(a, None) for a in found[1]])'
    """
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
    return f"{kind.__name__ if kind.__module__ == 'builtins' else f'np.{kind.__name__}'}({text})"
