"""Pictures of graphs as SVG, laid out here: what depends on something stands below it, regions are
frames, and a frame takes part in the layout as one box."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass, field

from .drawing import Frame, drawn
from .ir import Graph

CHARACTER, ROW, GAP, PAD = 7.3, 26.0, 26.0, 12.0
LONGEST = 56  # characters of a label
STYLE = (".g text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}"
         ".g rect{fill:#fff;stroke:#8c959f}.g .frame{fill:#0969da0d;stroke:#0969da66}"
         ".g .title{fill:#0969da}.g path{fill:none;stroke:#8c959f;stroke-width:1.2}"
         ".g .dashed{stroke-dasharray:4 3}.g path:hover{stroke:#0969da;stroke-width:3}"
         "@media (prefers-color-scheme:dark){.g text{fill:#e6edf3}.g rect{fill:#161b22}"
         ".g .frame{fill:#1f6feb1a;stroke:#1f6feb99}.g .title{fill:#79c0ff}}")


@dataclass
class _Box:
    """A box, or a frame around boxes; ``x`` and ``y`` are relative to the frame around it."""

    name: str
    label: str
    width: float = 0.0
    height: float = ROW
    x: float = 0.0
    y: float = 0.0
    inside: list[_Box] = field(default_factory=list)

    def names(self) -> Iterator[str]:
        yield self.name
        for box in self.inside:
            yield from box.names()


def to_svg(graph: Graph, depth: int | None = None) -> str:
    """The graph as an SVG picture.  With ``depth`` regions that lie deeper are drawn closed, as
    one box (0: no region is opened).

    >>> import operator
    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> b = b.block((b.apply(operator.mul, (x, x), {}, FLOAT),))
    >>> to_svg(Graph("square", b)).count("<rect")  # a frame and three boxes
    4
    """
    drawing = drawn(graph)
    root = _boxes(drawing.frame, depth, iter(range(1, 1_000_000)))
    home = {name: name for name in root.names()}
    if depth is not None:
        _closed(drawing.frame, root, home)
    arrows = {(home[a], home[b], dashed): label for a, b, label, dashed in drawing.arrows
              if a in home and b in home and home[a] != home[b]}
    _arrange(root, [(a, b) for a, b, _ in arrows])
    places = dict(_placed(root, 0.0, 0.0))
    lines = [_arrow(places[a], places[b], label, dashed)
             for (a, b, dashed), label in arrows.items()]
    width, height = root.width + 2 * PAD, root.height + 2 * PAD
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="g" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="{-PAD:.0f} {-PAD:.0f} {width:.0f} {height:.0f}">'
            f"<style>{STYLE}</style>" + "".join(_frames(root, places)) + "".join(lines)
            + "".join(_texts(root, places)) + "</svg>")


def _boxes(frame: Frame, depth: int | None, numbers: Iterator[int]) -> _Box:
    """A frame as boxes; one that is not to be opened has none."""
    made = _Box(f"f{next(numbers)}", frame.title)
    if depth is not None and depth < 0:
        made.label = f"{frame.title} ({_count(frame)} operations)"
        made.width = _width(made.label)
        return made
    made.inside = [_Box(name, text, _width(text)) for name, text in frame.boxes]
    made.inside += [_boxes(inner, None if depth is None else depth - 1, numbers)
                    for inner in frame.frames]
    return made


def _count(frame: Frame) -> int:
    return len(frame.boxes) + sum(map(_count, frame.frames))


def _closed(frame: Frame, box: _Box, home: dict[str, str]) -> None:
    """Arrows from and to boxes in a closed frame go from and to the frame."""
    if not box.inside and (frame.boxes or frame.frames):
        for name in _all_names(frame):
            home[name] = box.name
        return
    inner = box.inside[len(frame.boxes):]
    for each, content in zip(frame.frames, inner, strict=True):
        _closed(each, content, home)


def _all_names(frame: Frame) -> Iterator[str]:
    yield from (name for name, _ in frame.boxes)
    for inner in frame.frames:
        yield from _all_names(inner)


def _width(text: str) -> float:
    return min(len(text), LONGEST) * CHARACTER + 16.0


def _arrange(frame: _Box, arrows: list[tuple[str, str]]) -> None:
    """Place the boxes of a frame in rows, below what they depend on; sets its size."""
    for box in frame.inside:
        if box.inside:
            _arrange(box, arrows)
    holder = {name: box for box in frame.inside for name in box.names()}
    above: dict[int, list[_Box]] = {id(box): [] for box in frame.inside}
    for start, end in arrows:
        one, other = holder.get(start), holder.get(end)
        if one is not None and other is not None and one is not other:
            above[id(other)].append(one)
    y, width = (ROW if frame.label else 0.0), _width(frame.label)
    rows = _rows(frame.inside, above)
    for row in rows:
        width = max(width, sum(b.width for b in row) + GAP * (len(row) - 1) + 2 * PAD)
    for row in rows:
        row.sort(key=lambda box: _middle(above[id(box)]))
        x = (width - sum(b.width for b in row) - GAP * (len(row) - 1)) / 2
        for box in row:
            box.x, box.y = x, y
            x += box.width + GAP
        y += max(b.height for b in row) + GAP
    frame.width, frame.height = width, y - GAP + PAD if rows else ROW


def _rows(boxes: list[_Box], above: dict[int, list[_Box]]) -> list[list[_Box]]:
    """The longest chain of dependencies that leads to a box is the number of its row."""
    rank: dict[int, int] = {}

    def of(box: _Box) -> int:
        if id(box) not in rank:
            rank[id(box)] = 0  # a cycle of frames ends here
            rank[id(box)] = max((of(b) + 1 for b in above[id(box)]), default=0)
        return rank[id(box)]

    rows: list[list[_Box]] = [[] for _ in range(max(map(of, boxes), default=-1) + 1)]
    for box in boxes:
        rows[of(box)].append(box)
    return [row for row in rows if row]


def _middle(boxes: list[_Box]) -> float:
    return sum(b.x + b.width / 2 for b in boxes) / len(boxes) if boxes else 0.0


Place = tuple[float, float, float, float]


def _placed(box: _Box, x: float, y: float) -> Iterator[tuple[str, Place]]:
    yield box.name, (x + box.x, y + box.y, box.width, box.height)
    for inner in box.inside:
        yield from _placed(inner, x + box.x, y + box.y)


def _frames(box: _Box, places: dict[str, Place]) -> Iterator[str]:
    if box.inside:
        x, y, width, height = places[box.name]
        yield (f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
               f'height="{height:.1f}" rx="6"/>')
        for inner in box.inside:
            yield from _frames(inner, places)


def _texts(box: _Box, places: dict[str, Place]) -> Iterator[str]:
    x, y, width, height = places[box.name]
    short = box.label if len(box.label) <= LONGEST else box.label[:LONGEST - 1] + "…"
    label = html.escape(short, quote=False)
    if box.inside:
        yield f'<text class="title" x="{x + 8:.1f}" y="{y + 17:.1f}">{label}</text>'
        for inner in box.inside:
            yield from _texts(inner, places)
    else:
        yield (f'<g><title>{html.escape(box.label, quote=False)}</title><rect x="{x:.1f}" '
               f'y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4"/><text '
               f'x="{x + 8:.1f}" y="{y + 17:.1f}">{label}</text></g>')


def _arrow(start: Place, end: Place, label: str, dashed: bool) -> str:
    x, y = start[0] + start[2] / 2, start[1] + start[3]
    to_x, to_y = end[0] + end[2] / 2, end[1]
    bend = max(14.0, min(60.0, abs(to_y - y) / 2))
    kind = ' class="dashed"' if dashed else ""
    return (f'<path{kind} d="M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {to_x:.1f} '
            f'{to_y - bend:.1f} {to_x:.1f} {to_y:.1f}"><title>{html.escape(label, quote=False)}'
            "</title></path>")
