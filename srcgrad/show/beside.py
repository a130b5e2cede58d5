"""``df.show()``: the user's source with the generated forward and adjoint code beside it."""

from __future__ import annotations

import html
import linecache
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Where

BORDER = "# ---- backward"
WIDTHS = (38, 38, 46)


@dataclass(frozen=True)
class Row:
    """One line of the user's, with what was generated for it."""

    number: int
    source: str
    forward: tuple[str, ...]
    adjoint: tuple[str, ...]


@dataclass(frozen=True)
class SideBySide:
    """A table that prints as text, shows as HTML in notebooks, and can be saved.

    ``str(...)`` is the text; :meth:`save` writes HTML (or text for ``.txt``)."""

    title: str
    file: str
    rows: tuple[Row, ...]

    def __repr__(self) -> str:
        heads = ("source", "forward", "adjoint")
        lines = [f"{self.title}    ({self.file})",
                 " ".join(h.ljust(w + 5 * (i == 0)) for i, (h, w) in enumerate(
                     zip(heads, WIDTHS, strict=True))).rstrip()]
        for row in self.rows:
            columns = [_wrapped([row.source], WIDTHS[0]), _wrapped(row.forward, WIDTHS[1]),
                       _wrapped(row.adjoint, WIDTHS[2])]
            for k in range(max(map(len, columns))):
                cells = [c[k] if k < len(c) else "" for c in columns]
                number = f"{row.number:4d} " if k == 0 else " " * 5
                text = " ".join(c.ljust(w) for c, w in zip(cells, WIDTHS, strict=True))
                lines.append((number + text).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def cell(lines: tuple[str, ...]) -> str:
            return f"<td><pre>{html.escape(chr(10).join(lines))}</pre></td>"

        rows = "".join(f"<tr><td>{r.number}</td>{cell((r.source,))}{cell(r.forward)}"
                       f"{cell(r.adjoint)}</tr>" for r in self.rows)
        return (f"<table class='srcgrad'><caption>{html.escape(self.title)}</caption><tr><th></th>"
                f"<th>source</th><th>forward</th><th>adjoint</th></tr>{rows}</table>")

    def save(self, file: str | Path) -> Path:
        """Write an HTML page (plain text if the name ends in ``.txt``); returns its path."""
        path = Path(file)
        page = f"<!doctype html><meta charset='utf-8'>{self._repr_html_()}\n"
        path.write_text(f"{self!r}\n" if path.suffix == ".txt" else page)
        return path


def _wrapped(lines: tuple[str, ...] | list[str], width: int) -> list[str]:
    found: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        found += textwrap.wrap(line, width, subsequent_indent=indent + "    ",
                               drop_whitespace=True, initial_indent="") or [""]
    return found


def side_by_side(title: str, text: str, places: Mapping[int, Where]) -> SideBySide:
    """The table for generated ``text``; ``places`` maps its lines to lines of the user's."""
    lines = text.splitlines()
    border = next((i for i, line in enumerate(lines, 1) if line.strip() == BORDER), len(lines) + 1)
    files = [w.filename for w in places.values()]
    if not files:
        return SideBySide(title, "", ())
    file = max(dict.fromkeys(files), key=files.count)
    forward: dict[int, list[str]] = {}
    adjoint: dict[int, list[str]] = {}
    for number, where in sorted(places.items()):
        line = lines[number - 1]
        if where.filename == file and line.strip() and not line.strip().startswith("#"):
            side = forward if number < border else adjoint
            side.setdefault(where.line, []).append(line[4:] if line.startswith("    ") else line)
    numbers = sorted({*forward, *adjoint})
    shown = range(numbers[0], numbers[-1] + 1)
    source = {n: linecache.getline(file, n).rstrip("\n") for n in shown}
    margin = min((len(s) - len(s.lstrip()) for s in source.values() if s.strip()), default=0)
    rows = tuple(Row(n, source[n][margin:], tuple(forward.get(n, ())), tuple(adjoint.get(n, ())))
                 for n in shown if source[n].strip() or n in forward or n in adjoint)
    return SideBySide(title, file.replace("\\", "/").rsplit("/", 1)[-1], rows)
