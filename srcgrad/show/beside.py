"""``df.show()``: the user's source with the generated forward and adjoint code beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from ..errors import Where
from ..types.dataclasses import dataclass
from .lines import generated_lines, sections, short_name
from .page import fragment, page

WIDTHS = (38, 38, 46)


@dataclass(frozen=True)
class Row:
    """One line of the user's, with what was generated for it."""

    number: int
    source: str
    forward: tuple[str, ...]
    adjoint: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """The rows of one function."""

    function: str
    file: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class SideBySide:
    """What :meth:`Compiled.show` returns: a table for each function that prints as text, shows as
    HTML in notebooks, and can be saved.  ``parts`` are the functions, each with its ``rows`` (their
    ``number``, ``source``, ``forward`` and ``adjoint``), ``text`` is the generated code.

    ``save`` raises OSError where the file cannot be written.

    See also :meth:`srcgrad.Compiled.show`, :meth:`srcgrad.Compiled.source`.

    >>> from srcgrad import grad
    >>> table = grad(lambda x: np.sum(np.tanh(x))).show(np.ones(10))
    >>> len(table.parts), table.rows[0].forward, table.rows[0].adjoint
    (1, ('tanh_x = np.tanh(x)',), ('return 1 - tanh_x * tanh_x',))
    """

    title: str
    parts: tuple[Listing, ...]
    text: str
    keys: Mapping[int, str]  # of lines of the text: the row that they belong to

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of all functions."""
        return tuple(row for part in self.parts for row in part.rows)

    def __repr__(self) -> str:
        heads = ("source", "forward", "adjoint")
        lines = [self.title]
        for part in self.parts:
            lines += [f"{part.function or 'module'}    ({part.file})",
                      " ".join(h.ljust(w + 5 * (i == 0)) for i, (h, w) in enumerate(
                          zip(heads, WIDTHS, strict=True))).rstrip()]
            for row in part.rows:
                lines += _text_of(row)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return fragment(self)

    def save(self, file: str | Path) -> Path:
        """Write an HTML page (plain text if the name ends in ``.txt``); returns its path."""
        path = Path(file)
        path.write_text(f"{self!r}\n" if path.suffix == ".txt" else page(
            self.title, fragment(self)), encoding="utf-8")
        return path


def _text_of(row: Row) -> list[str]:
    columns = [_wrapped([row.source], WIDTHS[0]), _wrapped(row.forward, WIDTHS[1]),
               _wrapped(row.adjoint, WIDTHS[2])]
    lines = []
    for k in range(max(map(len, columns))):
        cells = [c[k] if k < len(c) else "" for c in columns]
        number = f"{row.number:4d} " if k == 0 else " " * 5
        text = " ".join(c.ljust(w) for c, w in zip(cells, WIDTHS, strict=True))
        lines.append((number + text).rstrip())
    return lines


def _wrapped(lines: tuple[str, ...] | list[str], width: int) -> list[str]:
    found: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        found += textwrap.wrap(line, width, subsequent_indent=indent + "    ",
                               drop_whitespace=True, initial_indent="") or [""]
    return found


def side_by_side(title: str, text: str, places: Mapping[int, Where], first: str) -> SideBySide:
    """The tables for generated ``text``; ``places`` maps its lines to lines of the user's, and
    ``first`` is the function that was differentiated."""
    lines = generated_lines(text, places)
    parts, keys = [], {}
    for place, section in enumerate(sections(lines, first)):
        inside = [line for line in lines if (line.where.filename, line.where.function) == (
            section.file, section.function)]
        keys.update({line.number: f"{place}-{line.where.line}" for line in inside})
        rows = []
        for number, source in section.source.items():
            here = [line for line in inside if line.where.line == number]
            if source.strip() or here:
                rows.append(Row(number, source,
                                tuple(line.text for line in here if line.side == "forward"),
                                tuple(line.text for line in here if line.side == "adjoint")))
        parts.append(Listing(section.function, short_name(section.file), tuple(rows)))
    return SideBySide(title, tuple(parts), text, keys)
