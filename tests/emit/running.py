"""Runs emitted code."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.emit import Emitted, emit
from srcgrad.graph.ir import Graph


def names_of(graph: Graph) -> list[str]:
    """Parameter names for a graph's inputs."""
    found: list[str] = []
    for i, v in enumerate(graph.inputs):
        name = v.hint or f"a{i}"
        while name in found:
            name += "_"
        found.append(name)
    return found


def emitted(graph: Graph, **options: Any) -> Emitted:
    return emit(graph, parameter_names=names_of(graph), **options)


def run(code: Emitted, args: list[Any]) -> Any:
    namespace = dict(code.globals)
    exec(compile(code.text, "<generated>", "exec"), namespace)
    return namespace[code.entry](*args)


def outputs_of(graph: Graph, code: Emitted, args: list[Any]) -> list[Any]:
    result = run(code, args)
    return [result] if len(graph.outputs) == 1 else list(result)


def same_bits(a: Any, b: Any) -> bool:
    """Equal types and bits, in nested structures too."""
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same_bits, a, b))
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        a, b = np.asarray(a), np.asarray(b)
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and (a == b or (a != a and b != b))
