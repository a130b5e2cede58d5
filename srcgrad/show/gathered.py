"""What an exported function gathers at each call: the columns of lists, and all objects that can be
reached from some, as the compiled function does (``trace/heap/gathering.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..graph.lift import distinct
from ..trace.heap import gathering
from ..trace.heap.gathering import (
    Reading,
    column_name,
    columns,
    gathered_at,
    held_in,
    held_under,
    number_of,
    numbered_columns,
    places_in,
)
from ..trace.heap.outlines import Lists, Outline, Record, Referred, class_of, classes_of, refers
from ..types.guards import Guard, Path
from .comprehensions import checks, column_texts, kind_name, listed, part_name, parts_of
from .embedding import Module
from .reached import kind_of, reached

NAMES = {"objects", "numbers", "kind_of", "reached", "one"}  # that its statements use


class Gathered:
    """The statements that gather, and the texts of what they give, by the ways to it.

    ``known`` gives the text of what a path leads to, by ``places``, which grow; ``names`` are those
    of inputs, and the names that are ``taken`` grow by those of variables.
    """

    def __init__(self, module: Module, known: Callable[[Path], str | None],
                 places: dict[Path, str], names: dict[Path, str], taken: set[str]) -> None:
        self.module, self.known, self.places = module, known, places
        self.names, self.taken = names, taken | NAMES
        self.lines: list[str] = []
        self.done: set[Path] = set()

    def add(self, paths: Iterable[Path]) -> None:
        """Gather what some paths lead to."""
        wanted = dict.fromkeys(path for path in paths if any(
            isinstance(key, Reading) for _, key in path.steps))
        for path in wanted:
            for place, (_, key) in enumerate(path.steps):
                whole = Path(path.root, path.steps[:place + 1])
                if isinstance(key, Reading) and whole not in self.done:
                    self.done.add(whole)
                    self._gather(whole, key, [*wanted])

    def _gather(self, whole: Path, step: Reading, wanted: list[Path]) -> None:
        start = Path(whole.root, whole.steps[:-1])
        made = step.function
        if made.func is columns:
            self._read(whole, made.keywords["found"], str(self.known(start)), wanted)
        elif made.func is numbered_columns:
            self._read(whole, made.args[1], str(self.known(step.others[0])), wanted)
        elif made.func is gathered_at:
            outlines, roots = made.args
            found = [str(self.known(path)) for path in (start, *step.others)]
            self._reach(whole, outlines, list(zip(roots, found, strict=True)), wanted)
        elif made.func is number_of:
            self.places[whole] = f"numbers[id({self.known(step.others[0])})]"
        elif made.func in (held_in, places_in):
            name, levels = made.func.__name__, made.keywords["levels"]
            self.module.define(made.func, name)
            self.places[whole] = f"{name}({self.known(start)}, {levels})"
        elif made.func is held_under:
            self.module.define(held_under, "held_under")
            self.places[whole] = f"held_under({made.args[0]!r}, {self.known(start)})"

    def _reach(self, whole: Path, outlines: list[Record], roots: list[tuple[Outline, str]],
               wanted: list[Path]) -> None:
        """Gather all objects that can be reached from some."""
        self.module.define(kind_of, "kind_of")
        self.module.define(reached, "reached")
        starts = ", ".join(text for outline, one in roots for text in _leading(outline, one))
        leading = ", ".join(f"{kind_name(class_of(record))!r}: lambda one: ["
                            f"{', '.join(_leading(record, 'one'))}]" for record in outlines)
        self.lines.append(f"objects, numbers = reached([{starts}], {{{leading}}})")
        for outline, one in roots:
            if not isinstance(outline, Lists):  # of which numbers are read, and checked there
                self._check(checks(outline, "one", f"for one in [{one}]"))
        for place, record in enumerate(outlines):
            part = whole.child("item", place)
            kind = kind_name(class_of(record))
            group = self._variable(part.child("item", 0), f"{_word(kind)}_objects")
            self.lines.append(f"{group} = objects[{kind!r}]")
            self.places[part.child("item", 0)] = group
            self._read(part, record, group, wanted, first=2)

    def _read(self, whole: Path, found: Any, items: str, wanted: list[Path],
              first: int = 0) -> None:
        """Read the columns of items, and check what these are."""
        self._check(checks(found, "one", f"for one in {items}"))
        for place, text in enumerate(column_texts(
                found, "one", self._name_of, copied=bool(first)), first):
            path = whole.child("item", place)
            if any(one.leads_through(path) for one in wanted):
                name = self._variable(path, "column")
                self.lines.append(f"{name} = {listed(text, 'one', items)}")
                self.places[path] = name

    def _name_of(self, cls: type) -> str:
        return self.module.name(cls, cls.__name__)

    def _check(self, conditions: Iterator[str]) -> None:
        for text in conditions:
            self.lines += [f"if not {text}:",
                           f"    raise TypeError({f'made for: {text}'!r})"]

    def _variable(self, path: Path, wanted: str) -> str:
        """A name for what a path leads to."""
        name = distinct(self.names.get(path, wanted), self.taken)
        self.taken.add(name)
        return name

    def condition(self, guard: Guard) -> str | None:
        """What functions of what was gathered must give, as a condition; None for other guards."""
        if guard.kind != "gives":
            return None
        function, args, result = guard.data
        if getattr(function, "__module__", None) != gathering.__name__:
            return None
        texts = [str(self.known(a)) if isinstance(a, Path) else repr(a) for a in args]
        if function is gathering.holds:
            items, _, obj = texts
            return " and ".join(checks(args[1], "one", f"for one in {items}", lambda part, one: (
                f"{one} is not {obj}" if isinstance(part, (Record, Lists)) else None)))
        self.module.define(function, function.__name__)
        same = "is" if type(result) is bool else "=="
        return f"{function.__name__}({', '.join(texts)}) {same} {result!r}"


def starts(paths: list[Path]) -> dict[Path, str]:
    """The ways to where gathering starts from outside of the arguments, and names for them."""
    found: dict[Path, str] = {}
    known = {path: path for path in paths}  # with their labels
    for path in paths:
        for place, (_, key) in enumerate(path.steps):
            if isinstance(key, Reading):
                for start in (Path(path.root, path.steps[:place]), *key.others):
                    if start.root[0] != "arg" and not is_gathered(start):
                        found[start] = column_name(known.get(start, start))
    return found


def is_gathered(path: Path) -> bool:
    """Does a path lead through what is gathered at each call?"""
    return any(isinstance(key, Reading) for _, key in path.steps)


def _leading(found: Any, item: str, depth: int = 0) -> Iterator[str]:
    """The texts of what leads from an item to objects, as items of a list."""
    if isinstance(found, Record):
        for part, held in parts_of(found, item):
            yield from _leading(part, held, depth)
    elif isinstance(found, Referred):
        yield item
    elif isinstance(found, Lists) and refers(found):
        part = part_name(depth)
        inner = [*_leading(found.inner, part, depth + 1)]
        if isinstance(found.inner, Referred) and len(found.inner.classes) > 1:
            kinds = (*map(kind_name, classes_of(found.inner)),)
            yield f"*({part} for kind in {kinds!r} for {part} in {item} if kind_of({part}) == kind)"
        elif inner == [part]:
            yield f"*{item}"
        else:
            whole = f"[{', '.join(inner)}]"
            yield f"*(one_of_them for {part} in {item} for one_of_them in {whole})"


def _word(kind: Any) -> str:
    return (kind if type(kind) is str else kind[0]).lower()
