"""Drawings are balanced and mention every operation."""

import numpy as np
from test_graph_text import example

import srcgrad as sg
from srcgrad.graph.drawing import drawn, to_dot, to_mermaid


def test_dot():
    text = to_dot(example())
    assert text.startswith('digraph "heat" {') and text.count("{") == text.count("}")
    assert text.count("subgraph cluster_") == 3
    assert "c * t." in text and "style=dashed" in text


def test_dot_escapes_quotes():
    assert 'print(\\"' not in to_dot(example())
    assert "print('result'" in to_dot(example())


def test_mermaid():
    lines = to_mermaid(example()).splitlines()
    assert lines[0] == "flowchart TD"
    assert sum(s.strip().startswith("subgraph") for s in lines) == sum(
        s.strip() == "end" for s in lines) == 3
    assert any("-.->" in s for s in lines)


def test_what_a_loop_carries_goes_into_its_region():
    def rolled(x, n):
        y = np.exp(x)
        for _ in range(n):
            y = np.sin(y)
        return np.sum(y) if y[0] > 0.0 else y[1] * 2.0

    drawing = drawn(sg.jit(rolled).graph(np.ones(3), 2))
    loop, then, other = drawing.frame.frames
    names = {text: name for frame in (drawing.frame, loop, then, other) for name, text in frame.boxes}
    arrows = {(start, end) for start, end, *_ in drawing.arrows}
    before = names["y: f8[n] = exp(x)"]
    assert (before, names["y.3: f8[n]"]) in arrows
    assert (before, next(name for text, name in names.items() if "= for " in text)) not in arrows
    tested = next(name for text, name in names.items() if " > " in text)
    assert {(tested, then.boxes[0][0]), (tested, other.boxes[0][0])} <= set(drawing.order)


def test_graphs_have_them_as_methods():
    graph = sg.grad(lambda x: np.sum(x ** 2)).graph(np.ones(3))
    assert graph.to_dot() == to_dot(graph) and graph.to_mermaid() == to_mermaid(graph)
