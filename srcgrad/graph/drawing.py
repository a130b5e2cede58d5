"""Drawings of graphs: what is drawn, and Graphviz and Mermaid text of it.

Boxes are operations, arrows values (labelled with name and type), regions are nested frames.
Constants are written into the boxes that use them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ..types.dataclasses import dataclass, field
from .ir import Block, Graph, Node, Value
from .text import Names, node_text, region_titles, template, typed


@dataclass
class Frame:
    """A region: boxes (identifier, text) and frames inside."""

    title: str
    boxes: list[tuple[str, str]] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)


@dataclass
class Drawing:
    """What all formats draw: nested frames and arrows (from, to, label, dashed); in ``order``
    stand boxes that belong above others, without an arrow."""

    frame: Frame
    arrows: list[tuple[str, str, str, bool]]
    order: list[tuple[str, str]] = field(default_factory=list)


def drawn(graph: Graph) -> Drawing:
    names = Names()
    sources: dict[Value, str] = {}
    arrows: list[tuple[str, str, str, bool]] = []
    order: list[tuple[str, str]] = []
    counter = itertools.count(1)

    def box(frame: Frame, text: str) -> str:
        name = f"n{next(counter)}"
        frame.boxes.append((name, text))
        return name

    def connect(value: Value, target: str, dashed: bool = False) -> None:
        if value in sources:
            arrows.append((sources[value], target, typed(value, names), dashed))

    def block(content: Block, frame: Frame) -> None:
        for p in content.params:
            sources[p] = box(frame, typed(p, names))
        for position, node in enumerate(content.nodes):
            if content is graph.block and position == graph.border:
                frame.frames.append(Frame("backward"))
                frame = frame.frames[-1]
            if node.op == "const":
                names[node.outputs[0]] = template(node.params["value"], (), names)
            else:
                step(node, frame)

    def step(node: Node, frame: Frame) -> None:
        name = box(frame, node_text(node, names))
        begins: dict[Value, str] = {}  # what a loop carries goes into its region
        for title, inner in zip(region_titles(node), node.blocks):
            region = Frame(f"{title} of {node.op}")
            block(inner, region)
            if inner.params and not begins:
                first = len(node.inputs) - len(inner.params)
                begins = {v: sources[inner.params[max(0, k - first)]]
                          for k, v in enumerate(node.inputs)}
            order.extend((sources[v], region.boxes[0][0]) for v in node.inputs
                         if v in sources and region.boxes)
            if region.boxes or region.frames:  # a branch that does nothing is not drawn
                frame.frames.append(region)
            for v in dict.fromkeys(inner.outputs):
                connect(v, name, dashed=True)
        for v in dict.fromkeys(node.inputs):
            connect(v, begins.get(v, name))
        for o in node.outputs:
            sources[o] = name

    outer = Frame(graph.name)
    block(graph.block, outer)
    end = box(outer, "return " + ", ".join(names[v] for v in graph.outputs))
    for v in dict.fromkeys(graph.outputs):
        connect(v, end)
    return Drawing(outer, arrows, order)


def _written(graph: Graph, box: str, opening: str, closing: str, arrows: tuple[str, str],
             escaped: dict[str, str]) -> Iterator[str]:
    """A drawing in a language whose templates these are; ``arrows`` has those of lines and of
    dashed ones, ``escaped`` what stands for characters that a text may not have."""
    drawing, numbers, table = drawn(graph), itertools.count(1), str.maketrans(escaped)

    def frame(content: Frame, pad: str) -> Iterator[str]:
        for name, text in content.boxes:
            yield pad + box.format(name, text.translate(table))
        for inner in content.frames:
            yield pad + opening.format(next(numbers), inner.title.translate(table), pad)
            yield from frame(inner, pad + "  ")
            yield pad + closing

    yield from frame(drawing.frame, "  ")
    for start, end, label, dashed in drawing.arrows:
        yield arrows[dashed].format(start, end, label.translate(table))


def to_dot(graph: Graph) -> str:
    """The graph in Graphviz' language.

    >>> import operator
    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> print(to_dot(Graph("square", b.block((b.apply(operator.mul, (x, x), {}, FLOAT),)))))
    digraph "square" {
      node [shape=box, fontname="monospace"];
      n1 [label="x: float"];
      n2 [label="t.1: float = x * x"];
      n3 [label="return t.1"];
      n1 -> n2 [label="x: float"];
      n2 -> n3 [label="t.1: float"];
    }
    """
    arrow = '  {} -> {} [label="{}"'
    lines = _written(graph, '{} [label="{}"];', 'subgraph cluster_{0} {{\n{2}  label="{1}";', "}",
                     (arrow + "];", arrow + ", style=dashed];"), {"\\": "\\\\", '"': '\\"'})
    return "\n".join([f'digraph "{graph.name}" {{', '  node [shape=box, fontname="monospace"];',
                      *lines, "}"])


def to_mermaid(graph: Graph) -> str:
    """The graph as a Mermaid flow chart, which many Markdown viewers draw.

    >>> import operator
    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> print(to_mermaid(Graph("square", b.block((b.apply(operator.mul, (x, x), {}, FLOAT),)))))
    flowchart TD
      n1["x: float"]
      n2["t.1: float = x * x"]
      n3["return t.1"]
      n1 -->|"x: float"| n2
      n2 -->|"t.1: float"| n3
    """
    lines = _written(graph, '{}["{}"]', 'subgraph f{}["{}"]', "end",
                     ('  {0} -->|"{2}"| {1}', '  {0} -.->|"{2}"| {1}'), {'"': "#quot;"})
    return "\n".join(["flowchart TD", *lines])
