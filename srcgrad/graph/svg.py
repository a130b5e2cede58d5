"""Pictures of graphs as SVG, laid out here: what depends on something stands below it, regions are
frames, and a frame takes part in the layout as one box.  Frames close and open where the picture
is looked at with scripts: rows do not depend on that, so that only sizes are computed again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..types.dataclasses import dataclass, field
from .drawing import Frame, drawn
from .ir import Graph

CHARACTER, ROW, GAP, PAD = 7.3, 26.0, 26.0, 12.0
LONGEST = 56  # characters of a label
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
STYLE = (".g text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}"
         ".g rect{fill:#fff;stroke:#8c959f}.g .frame rect{fill:#0969da0d;stroke:#0969da66}"
         ".g .frame text{fill:#0969da;cursor:pointer}.g .frame text:hover{font-weight:bold}"
         ".g .off{display:none}.g path{fill:none;stroke:#8c959f;stroke-width:1.2}"
         ".g .dashed{stroke-dasharray:4 3}.g path:hover{stroke:#0969da;stroke-width:3}"
         "@media (prefers-color-scheme:dark){.g text{fill:#e6edf3}.g rect{fill:#161b22}"
         ".g .frame rect{fill:#1f6feb1a;stroke:#1f6feb99}.g .frame text{fill:#79c0ff}}")
# What _sized, _placed and _arrow do, for frames that were closed or opened by a click.
SCRIPT = f"""(function(){{
var svg=document.currentScript.closest('svg'),boxes={{}},elements={{}},home={{}};
var ROW={ROW},GAP={GAP},PAD={PAD},root=TREE;
svg.querySelectorAll('[data-n]').forEach(function(e){{elements[e.dataset.n]=e}});
function size(b){{
  b.W=b.w;b.H=ROW;boxes[b.n]=b;
  if(!b.rows)return;
  var width=b.title,y=b.open?ROW:0;
  function sum(row){{return row.reduce(function(s,c){{return s+c.W}},GAP*(row.length-1))}}
  b.rows.forEach(function(row){{row.forEach(size);width=Math.max(width,sum(row)+2*PAD)}});
  b.rows.forEach(function(row){{
    var x=(width-sum(row))/2,height=0;
    row.forEach(function(c){{c.x=x;c.y=y;x+=c.W+GAP;height=Math.max(height,c.H)}});
    y+=height+GAP}});
  if(!b.shut){{b.W=width;b.H=b.rows.length?y-GAP+PAD:ROW}}
}}
function set(e,values){{for(var k in values)e.setAttribute(k,values[k])}}
function place(b,x,y,holder){{
  var e=elements[b.n],text=e.querySelector('text');
  b.X=x+b.x;b.Y=y+b.y;home[b.n]=holder||b;
  e.classList.toggle('off',!!holder);
  set(e.querySelector('rect'),{{x:b.X,y:b.Y,width:b.W,height:b.H}});
  set(text,{{x:b.X+8,y:b.Y+17}});
  if(b.rows){{
    text.textContent=b.shut?b.closed:b.open;
    b.rows.forEach(function(row){{row.forEach(function(c){{
      place(c,b.X,b.Y,holder||(b.shut?b:null))}})}})
  }}
}}
function draw(){{
  root.x=root.y=0;size(root);place(root,0,0,null);
  var width=root.W+2*PAD,height=root.H+2*PAD;
  set(svg,{{width:width,height:height,viewBox:[-PAD,-PAD,width,height].join(' ')}});
  svg.querySelectorAll('path').forEach(function(p){{
    var a=home[p.dataset.a],b=home[p.dataset.b];
    p.classList.toggle('off',a===b);
    var x=a.X+a.W/2,y=a.Y+a.H,u=b.X+b.W/2,v=b.Y,bend=Math.max(14,Math.min(60,Math.abs(v-y)/2));
    p.setAttribute('d','M'+x+' '+y+'C'+x+' '+(y+bend)+' '+u+' '+(v-bend)+' '+u+' '+v)}})
}}
function turn(e){{
  var box=e.target.tagName==='text'&&boxes[e.target.parentNode.dataset.n];
  if(!box||!box.rows||(e.key&&e.key!=='Enter'&&e.key!==' '))return;
  box.shut=!box.shut;draw();e.preventDefault()
}}
size(root);svg.addEventListener('click',turn);svg.addEventListener('keydown',turn)
}})()"""


@dataclass
class _Box:
    """A box, or a frame around boxes; ``x`` and ``y`` are relative to the frame around it.
    ``label`` is what a box says, and an open frame; ``closed`` what a closed one does."""

    name: str
    label: str
    closed: str = ""
    shut: bool = False
    width: float = 0.0
    height: float = ROW
    x: float = 0.0
    y: float = 0.0
    inside: list[_Box] = field(default_factory=list)
    rows: list[list[_Box]] = field(default_factory=list)

    def names(self) -> Iterator[str]:
        yield self.name
        for box in self.inside:
            yield from box.names()

    def homes(self, holder: _Box | None = None) -> Iterator[tuple[str, _Box]]:
        """Where arrows from and to each box end: at the closed frame around it, if there is one."""
        yield self.name, holder or self
        for box in self.inside:
            yield from box.homes(holder or (self if self.shut else None))

    def data(self) -> dict[str, Any]:
        """What the script reads."""
        if not self.closed:
            return {"n": self.name, "w": self.width}
        return {"n": self.name, "w": _width(self.closed), "title": _width(self.label),
                "open": self.label, "closed": self.closed, "shut": self.shut,
                "rows": [[box.data() for box in row] for row in self.rows]}


def to_svg(graph: Graph, depth: int | None = None) -> str:
    """The graph as an SVG picture.  With ``depth`` regions that lie deeper are drawn closed, as
    one box (0: no region is opened).  In a browser a click on the title of a region closes it, and
    opens it again.

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
    _arrange(root, [*drawing.order, *((a, b) for a, b, _, _ in drawing.arrows)])
    home = dict(root.homes())
    _placed(root, 0.0, 0.0)
    shown = list(_drawn(root, home))
    lines = [_arrow(a, b, home, label, dashed) for a, b, label, dashed in drawing.arrows
             if a in home and b in home]
    width, height = root.width + 2 * PAD, root.height + 2 * PAD
    tree = json.dumps(root.data(), separators=(",", ":")).replace(">", "\\u003e")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="g" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="{-PAD:.0f} {-PAD:.0f} {width:.0f} {height:.0f}">'
            f"<style>{STYLE}</style>" + "".join(text for text, frame in shown if frame)
            + "".join(lines) + "".join(text for text, frame in shown if not frame)
            + f"<script><![CDATA[{SCRIPT.replace('TREE', tree)}]]></script></svg>")


def _boxes(frame: Frame, depth: int | None, numbers: Iterator[int]) -> _Box:
    made = _Box(f"f{next(numbers)}", _short(frame.title),
                _short(f"{frame.title} ({_count(frame)} operations)"))
    made.shut = depth is not None and depth < 0
    made.inside = [_Box(name, text, width=_width(text)) for name, text in frame.boxes]
    made.inside += [_boxes(inner, None if depth is None else depth - 1, numbers)
                    for inner in frame.frames]
    return made


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def _count(frame: Frame) -> int:
    return len(frame.boxes) + sum(map(_count, frame.frames))


def _width(text: str) -> float:
    return len(_short(text)) * CHARACTER + 16.0


def _arrange(frame: _Box, arrows: list[tuple[str, str]]) -> None:
    """Place the boxes of a frame in rows, below what they depend on; sets its size."""
    for box in frame.inside:
        if box.closed:
            _arrange(box, arrows)
    holder = {name: box for box in frame.inside for name in box.names()}
    above: dict[int, list[_Box]] = {id(box): [] for box in frame.inside}
    for start, end in arrows:
        one, other = holder.get(start), holder.get(end)
        if one is not None and other is not None and one is not other:
            above[id(other)].append(one)
    y, width = (ROW if frame.label else 0.0), _width(frame.label)
    frame.rows = rows = _rows(frame.inside, above)
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
    if frame.shut:
        frame.width, frame.height = _width(frame.closed), ROW


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


def _placed(box: _Box, x: float, y: float) -> None:
    """Make places absolute."""
    box.x, box.y = x + box.x, y + box.y
    for inner in box.inside:
        _placed(inner, box.x, box.y)


def _drawn(box: _Box, home: dict[str, _Box]) -> Iterator[tuple[str, bool]]:
    """The elements of a box and what is in it, and whether they are frames."""
    frame = bool(box.closed)
    label = box.closed if box.shut else box.label
    kind = " ".join(filter(None, ("frame" * frame, "off" * (home[box.name] is not box))))
    yield (f'<g data-n="{box.name}"' + f' class="{kind}"' * bool(kind)
           + f'><title>{label.translate(_ESCAPED)}</title><rect x="{box.x:.1f}" '
           f'y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" '
           f'rx="{6 if frame else 4}"/><text x="{box.x + 8:.1f}" y="{box.y + 17:.1f}"'
           + ' tabindex="0"' * frame
           + f'>{_short(label).translate(_ESCAPED)}</text></g>'), frame
    for inner in box.inside:
        yield from _drawn(inner, home)


def _arrow(of: str, to: str, home: dict[str, _Box], label: str, dashed: bool) -> str:
    start, end = home[of], home[to]
    x, y = start.x + start.width / 2, start.y + start.height
    to_x, to_y = end.x + end.width / 2, end.y
    bend = max(14.0, min(60.0, abs(to_y - y) / 2))
    kind = " ".join(filter(None, ("dashed" * dashed, "off" * (start is end))))
    return (f'<path data-a="{of}" data-b="{to}"' + f' class="{kind}"' * bool(kind)
            + f' d="M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} '
            f'{to_x:.1f} {to_y:.1f}"><title>{label.translate(_ESCAPED)}</title></path>')
