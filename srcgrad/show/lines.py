"""The lines of generated text: which part they belong to, and which lines of the user's they
stand for."""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Mapping, Sequence

from ..errors import Where
from ..types.dataclasses import dataclass

BORDER = "# ---- backward"  # with a margin of four spaces that between the parts of a function


@dataclass(frozen=True)
class Line:
    """A line of generated code; ``side`` is ``"forward"`` or ``"adjoint"``."""

    number: int
    text: str
    side: str
    where: Where


@dataclass(frozen=True)
class Section:
    """A function of the user's: the numbers of its lines with their text, margin removed."""

    file: str
    function: str
    source: Mapping[int, str]

    @property
    def title(self) -> str:
        """``heat    (model.py, line 3)``."""
        return f"{self.function or 'module'}    ({short_name(self.file)}, line {min(self.source)})"


def generated_lines(text: str, places: Mapping[int, Where]) -> list[Line]:
    """The statements of generated text that stand for lines of the user's, in order.

    What the compiler added on its own account (``kept.append(...)``, a ``break``) goes with the
    statement before it.  A border in a loop holds as far as its block."""
    found: list[Line] = []
    side, margin = "forward", 0
    where: Where | None = None
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if line.startswith("def "):
            backward = line.partition("(")[0].endswith("_backward")
            side, where = "adjoint" if backward else "forward", None
        elif stripped == BORDER:
            side, where, margin = "adjoint", None, line.index("#")
        elif margin > 4 and stripped and not line.startswith(" " * margin):
            side, margin = "forward", 0
        if number in places:
            where = places[number]
        elif not line.startswith("    ") or line.startswith("    return"):
            continue
        if where is not None and stripped and not stripped.startswith("#"):
            shown = line[4:] if line.startswith("    ") else line
            found.append(Line(number, shown, side, where))
    return found


def short_name(file: str) -> str:
    """The name of a file without its folder."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]


def sections(lines: Sequence[Line], first: str) -> list[Section]:
    """The functions of the user's that lines stand for; the one of the name ``first`` first."""
    numbers: dict[tuple[str, str], set[int]] = {}
    for line in lines:
        numbers.setdefault((line.where.filename, line.where.function), set()).add(line.where.line)
    return [_section(file, function, numbers[file, function])
            for file, function in sorted(numbers, key=lambda key: key[1] != first)]


def _section(file: str, function: str, numbers: set[int]) -> Section:
    text = linecache.getlines(file)
    first, last = min(numbers), max(numbers)
    name = re.escape(function.rpartition(".")[2])
    head = re.compile(rf"\s*(async\s+)?def\s+{name}\b") if function else None
    start = next((n for n in range(first, 0, -1) if head and n <= len(text)
                  and head.match(text[n - 1])), first)
    if start < first or (head and start <= len(text) and head.match(text[start - 1])):
        try:
            last = max(last, start + len(inspect.getblock(text[start - 1:])) - 1)
        except (IndentationError, SyntaxError):
            pass
    source = {n: linecache.getline(file, n).rstrip("\n") for n in range(start, last + 1)}
    margin = min((len(s) - len(s.lstrip()) for s in source.values() if s.strip()), default=0)
    return Section(file, function, {n: s[margin:] for n, s in source.items()})
