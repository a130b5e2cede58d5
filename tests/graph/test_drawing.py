"""Drawings are balanced and mention every operation."""

import numpy as np
from test_graph_text import example

import srcgrad as sg
from srcgrad.graph.drawing import to_dot, to_mermaid


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


def test_graphs_have_them_as_methods():
    graph = sg.grad(lambda x: np.sum(x ** 2)).graph(np.ones(3))
    assert graph.to_dot() == to_dot(graph) and graph.to_mermaid() == to_mermaid(graph)
