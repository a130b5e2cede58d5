"""``df.profile()``: where the time goes and what memory holds, by the user's lines."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..types.dataclasses import dataclass
from .colour import STYLE, coloured
from .lines import Section, short_name
from .page import LAYOUT, page
from .running import Kept, Run
from .units import bytes_text, time_text

BAR = 12  # characters of the longest bar
NUMBERS = ".srcgrad td.number{text-align:right;white-space:nowrap}"


@dataclass(frozen=True)
class LineCost:
    """What a line of the user's costs: seconds in the forward part and in the adjoint part, the
    most bytes that one execution needed beyond those that were there when it began, and the bytes
    that are kept for the backward part."""

    file: str
    line: int
    function: str
    source: str
    forward: float
    adjoint: float
    forward_bytes: int
    adjoint_bytes: int
    kept_bytes: int
    executions: int

    @property
    def seconds(self) -> float:
        """Forward and adjoint together."""
        return self.forward + self.adjoint


@dataclass(frozen=True)
class Profile:
    """What :meth:`Compiled.profile` returns: prints as text, shows as a table in notebooks.

    ``lines`` are in the order of the source, ``kept`` names what the backward part finds when it
    begins.  ``seconds`` is the time of a call that nothing watched, ``peak_bytes`` the most that
    a call held at once, ``kept_bytes`` the sum of ``kept``, each buffer counted once.

    ``save`` raises OSError where the file cannot be written.

    See also :meth:`srcgrad.Compiled.profile`, :meth:`srcgrad.Compiled.memory`.

    >>> from srcgrad import grad
    >>> found = grad(lambda x: np.sum(np.exp(x))).profile(np.ones(10))
    >>> [line.executions for line in found.lines], found.kept_bytes, sorted(found.data())[:2]
    ([1], 80, ['adjoint', 'forward'])
    """

    title: str
    lines: tuple[LineCost, ...]
    kept: tuple[Kept, ...]
    seconds: float
    peak_bytes: int
    kept_bytes: int

    @property
    def forward(self) -> float:
        """The seconds of the forward part."""
        return sum(line.forward for line in self.lines)

    @property
    def adjoint(self) -> float:
        """The seconds of the adjoint part."""
        return sum(line.adjoint for line in self.lines)

    def data(self) -> dict[str, Any]:
        """Everything as dicts, lists, numbers and texts, for ``json.dumps`` or a table."""
        return {**asdict(self), "forward": self.forward, "adjoint": self.adjoint}

    def __repr__(self) -> str:
        rows = [("line", "forward", "adjoint", "bytes", "kept", "", "source")]
        rows += [(str(c.line), *_cells(c), self._bar(c), c.source) for c in self.lines]
        widths = [max(len(r[k]) for r in rows) for k in range(6)]
        body, function = [], None
        for row, cost in zip(rows, [None, *self.lines], strict=True):
            if cost is not None and (cost.file, cost.function) != function:
                function = (cost.file, cost.function)
                body.append(f"{cost.function or 'module'}    ({short_name(cost.file)})")
            cells = [c.ljust(w) if k == 5 else c.rjust(w)
                     for k, (c, w) in enumerate(zip(row[:6], widths, strict=True))]
            body.append("  ".join([*cells, row[6]]).rstrip())
        return "\n".join([self.title, *body, "", *self._totals()])

    def _bar(self, cost: LineCost) -> str:
        most = max((line.seconds for line in self.lines), default=0.0)
        return "#" * round(BAR * cost.seconds / most) if most else ""

    def _totals(self) -> list[str]:
        lines = [f"one call: {time_text(self.seconds)}; forward {time_text(self.forward)}, "
                 f"adjoint {time_text(self.adjoint)} while it was watched",
                 f"most memory at once: {bytes_text(self.peak_bytes)}",
                 f"kept for the backward part: {bytes_text(self.kept_bytes)}"]
        lines += [f"  {k}" for k in self.kept]
        return lines

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{h}</th>" for h in ("forward", "adjoint", "bytes", "kept"))
        most = max((line.seconds for line in self.lines), default=0.0) or 1.0
        rows, function = [], None
        for cost in self.lines:
            if (cost.file, cost.function) != function:
                function = (cost.file, cost.function)
                rows.append(f"<tr><th class='no'></th><th>{html.escape(cost.function or 'module')} "
                            f"<small>{html.escape(short_name(cost.file))}</small></th>{heads}</tr>")
            share = 100.0 * cost.seconds / most
            numbers = "".join(f"<td class='number'>{c}</td>" for c in _cells(cost))
            rows.append(f"<tr><td class='no'>{cost.line}</td><td style='background:linear-gradient("
                        f"90deg,var(--lit) {share:.1f}%,transparent {share:.1f}%)'><pre>"
                        f"{coloured(cost.source)}</pre></td>{numbers}</tr>")
        totals = "<br>".join(html.escape(line) for line in self._totals())
        return (f"<div class='srcgrad'><style>{STYLE}{LAYOUT}{NUMBERS}</style>"
                f"<h1>{html.escape(self.title)}</h1>"
                f"<div class='scroll'><table>{''.join(rows)}</table></div><p>{totals}</p></div>")

    def save(self, file: str | Path) -> Path:
        """Write an HTML page (plain text if the name ends in ``.txt``); returns its path."""
        path = Path(file)
        path.write_text(f"{self!r}\n" if path.suffix == ".txt" else page(
            self.title, self._repr_html_()), encoding="utf-8")
        return path


def _cells(cost: LineCost) -> tuple[str, str, str, str]:
    most = max(cost.forward_bytes, cost.adjoint_bytes)
    return (time_text(cost.forward) if cost.forward else "",
            time_text(cost.adjoint) if cost.adjoint else "",
            bytes_text(most) if most else "",
            bytes_text(cost.kept_bytes) if cost.kept_bytes else "")


def profile(title: str, run: Run, shown: Sequence[Section],
            of_line: Mapping[int, tuple[str, str, int, str]]) -> Profile:
    """The profile of a run; ``of_line`` tells of each generated line the file, function and line
    of the user's that it stands for, and its side."""
    seconds: dict[tuple[str, str, int, str], float] = {}
    most: dict[tuple[str, str, int, str], int] = {}
    executions: dict[tuple[str, str, int, str], int] = {}
    for number, key in of_line.items():
        seconds[key] = seconds.get(key, 0.0) + run.seconds.get(number, 0.0)
        most[key] = max(most.get(key, 0), run.most.get(number, 0))
        executions[key] = max(executions.get(key, 0), run.executions.get(number, 0))
    kept: dict[tuple[str, str, int], int] = {}
    for value in run.kept:
        if value.number in of_line:
            place = of_line[value.number][:3]
            kept[place] = kept.get(place, 0) + value.bytes
    costs = []
    for section in shown:
        for line, source in section.source.items():
            place = (section.file, section.function, line)
            forward, adjoint = (*place, "forward"), (*place, "adjoint")
            if forward in seconds or adjoint in seconds:
                costs.append(LineCost(
                    section.file, line, section.function, source, seconds.get(forward, 0.0),
                    seconds.get(adjoint, 0.0), most.get(forward, 0), most.get(adjoint, 0),
                    kept.get(place, 0), executions.get(forward, executions.get(adjoint, 0))))
    return Profile(title, tuple(costs), run.kept, run.unwatched, run.peak, run.kept_bytes)
