"""Readable text of graphs.

    graph heat(u: f8[n], dt: float) -> d_u
      t.1: f8[max(0, n - 1)] = read u[1:]  # line 4: lap = u[1:] - u[:-1]
      t.2: f8[max(0, n - 1)] = read u[:-1]
      lap: f8[max(0, n - 1)] = t.1 - t.2
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types.operators import BINARY, COMPARE, INPLACE, UNARY
from ..types.spelling import At, Attribute, Method, Part
from .ir import Block, Graph, Index, Node, Origin, Ref, Step, Value


class Names:
    """Deterministic names of values: the user's where given, numbered where taken."""

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._taken: dict[str, int] = {}

    def __getitem__(self, value: Value) -> str:
        name = self._names.get(value)
        if name is None:
            base = value.hint or "t"
            count = self._taken.get(base, 0) + 1
            self._taken[base] = count
            name = base if count == 1 and value.hint else f"{base}.{count}"
            self._names[value] = name
        return name

    def __setitem__(self, value: Value, text: str) -> None:
        self._names[value] = text


def render(graph: Graph) -> str:
    """The text of a graph: one line a node, regions indented, the user's line as comment.

    >>> import operator
    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> y = b.apply(operator.mul, (x, 2.0), {}, FLOAT)
    >>> print(render(Graph("twice", b.block((y,)))))
    graph twice(x: float)
      t.1: float = x * 2.0
      return t.1
    """
    lines = _Writer(Names())
    lines.graph(graph)
    for name in sorted(graph.callees):
        lines.lines.append("")
        lines.graph(graph.callees[name])
    return "\n".join(lines.lines)


class _Writer:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.lines: list[str] = []
        self.shown: Origin | None = None

    def graph(self, graph: Graph) -> None:
        params = ", ".join(self.typed(p) for p in graph.inputs)
        self.lines.append(f"graph {graph.name}({params})")
        for note in graph.notes:
            self.lines.append(f"  # {note}")
        self.block(graph.block, 1, graph.border, "return")

    def typed(self, value: Value) -> str:
        return typed(value, self.names)

    def block(self, block: Block, depth: int, border: int | None, end: str) -> None:
        pad = "  " * depth
        for position, node in enumerate(block.nodes):
            if position == border:
                self.lines.append(f"{pad}---- backward ----")
            self.node(node, depth)
        if border is not None and border == len(block.nodes):
            self.lines.append(f"{pad}---- backward ----")
        if block.outputs or end == "return":
            self.lines.append(f"{pad}{end} " + ", ".join(self.names[v] for v in block.outputs))

    def node(self, node: Node, depth: int) -> None:
        pad = "  " * depth
        text = node_text(node, self.names)
        comment = self.comment(node.origin)
        self.lines.append(f"{pad}{text}" + (f"  # {comment}" if comment else ""))
        titles = region_titles(node)
        for title, block in zip(titles, node.blocks):
            params = ", ".join(self.typed(p) for p in block.params)
            self.lines.append(f"{pad}{title}" + (f" ({params})" if params else ""))
            self.block(block, depth + 1, None, "yield")

    def comment(self, origin: Origin | None) -> str:
        """The user's line, at the first node that comes from it."""
        if origin is None or origin.where is None:
            return ""
        before = self.shown
        if before is not None and before.where is not None and before.role == origin.role and (
                before.where.filename, before.where.line) == (
                    origin.where.filename, origin.where.line):
            return ""
        self.shown = origin
        where = origin.where
        return f"line {where.line}: {where.text.strip()}"


def typed(value: Value, names: Names) -> str:
    """A value's name and type."""
    return f"{names[value]}: {value.aval}"


def node_text(node: Node, names: Names) -> str:
    """One node in one line, without its blocks."""
    text = _TEXT.get(node.op, _plain)(node, names)
    if not node.outputs:
        return text
    return ", ".join(typed(o, names) for o in node.outputs) + " = " + text


def region_titles(node: Node) -> tuple[str, ...]:
    """What the blocks of a node are called."""
    if node.op == "if":
        return ("then", "else")
    if node.op == "loop" and len(node.blocks) == 2:
        return ("while", "do")
    return ("do",)


def function_name(fn: Any) -> str:
    """A function's name in listings and drawings."""
    if isinstance(fn, Method):
        return f".{fn.name}"
    if isinstance(fn, Attribute):
        return f".{fn.name}"
    if isinstance(fn, Part):
        return f"{function_name(fn.fn)}[{fn.index}]"
    if isinstance(fn, At):
        return function_name(fn.fn)
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{owner.__name__}.{fn.__name__}"
    return getattr(fn, "__name__", None) or type(fn).__name__


def template(structure: Any, inputs: tuple[Value, ...], names: Names) -> str:
    """The text of a template."""
    if isinstance(structure, Ref):
        known = 0 <= structure.index < len(inputs)
        return names[inputs[structure.index]] if known else repr(structure)
    if isinstance(structure, tuple):
        items = [template(s, inputs, names) for s in structure]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(structure, list):
        return f"[{', '.join(template(s, inputs, names) for s in structure)}]"
    if isinstance(structure, dict):
        return "{" + ", ".join(f"{k!r}: {template(v, inputs, names)}"
                               for k, v in structure.items()) + "}"
    if isinstance(structure, slice):
        start, stop = ("" if p is None else template(p, inputs, names)
                       for p in (structure.start, structure.stop))
        step = "" if structure.step is None else ":" + template(structure.step, inputs, names)
        return f"{start}:{stop}{step}"
    if structure is Ellipsis:
        return "..."
    if isinstance(structure, np.ndarray):
        return f"<{structure.dtype}{list(structure.shape)}>"
    if isinstance(structure, type) or (callable(structure) and not isinstance(structure, np.dtype)):
        return function_name(structure)
    return repr(structure)


def step_text(step: Step, inputs: tuple[Value, ...], names: Names) -> str:
    """The text of a view step."""
    if isinstance(step, Index):
        key = template(step.key, inputs, names)
        if isinstance(step.key, tuple) and step.key:
            key = key[1:-1].rstrip(",")
        return f"[{key}]"
    arguments = [template(a, inputs, names) for a in step.args]
    arguments += [f"{k}={template(v, inputs, names)}" for k, v in step.kwargs]
    return f"|{function_name(step.fn).lstrip('.')}({', '.join(arguments)})"


_INFIX: dict[Any, str] = {
    **{function: symbol for symbol, function in (BINARY | COMPARE).items()},
    **{function: f"{symbol}=" for symbol, function in INPLACE.items()},
    operator.is_: "is", operator.is_not: "is not",
}
_PREFIX: dict[Any, str] = {
    **{function: symbol for symbol, function in UNARY.items()}, operator.not_: "not "}


def _call_text(node: Node, names: Names) -> str:
    """A call as Python writes it: infix operators, methods after a dot."""
    fn = node.params["fn"]
    parts = [template(a, node.inputs, names) for a in node.params["args"]]
    named = [f"{k}={template(v, node.inputs, names)}" for k, v in node.params["kwargs"].items()]
    mark = "effect " if node.op == "effect" else ""
    try:
        infix, prefix = _INFIX.get(fn), _PREFIX.get(fn)
    except TypeError:  # an unhashable callable
        infix = prefix = None
    if infix and len(parts) == 2:
        return f"{mark}{parts[0]} {infix} {parts[1]}"
    if prefix and len(parts) == 1:
        return f"{mark}{prefix}{parts[0]}"
    if isinstance(fn, Attribute) and parts:
        return f"{mark}{parts[0]}.{fn.name}"
    if isinstance(fn, Method) and parts:
        return f"{mark}{parts[0]}.{fn.name}({', '.join(parts[1:] + named)})"
    return f"{mark}{function_name(fn)}({', '.join(parts + named)})"


def _access_text(node: Node, names: Names) -> str:
    steps = "".join(step_text(s, node.inputs, names) for s in node.params["steps"])
    target = f"{node.op} {names[node.inputs[0]]}{steps}"
    if node.op == "read":
        return target + (" again" if node.params.get("handle") else "")
    sign = {"write": "=", "acc": "+="}.get(node.op)
    if sign is None:
        sign = _INFIX.get(node.params["fn"]) or f"<{function_name(node.params['fn'])}>"
    return f"{target} {sign} {names[node.inputs[1]]}"


def _loop_text(node: Node, names: Names) -> str:
    spec = node.loop
    values = [names[v] for v in node.inputs]
    first = spec.first_init
    head = f"for {', '.join(values[:3])}" if spec.kind == "for" else "while"
    parts = [head + (" reversed" if spec.reverse else "")]
    if spec.n_carried:
        parts.append("carry " + ", ".join(values[first:first + spec.n_carried]))
    if spec.n_consumed:
        parts.append("consume " + ", ".join(values[first + spec.n_carried:]))
    counts = [f"{n} {word}" for n, word in ((spec.n_last, "last"), (spec.n_produced, "produced"))
              if n]
    if spec.exits:
        counts.append("exits")
    return "; ".join(parts + counts)


def _plain(node: Node, names: Names) -> str:
    arguments = ", ".join(names[v] for v in node.inputs)
    return f"{node.op}({arguments})"


_TEXT: dict[str, Callable[[Node, Names], str]] = {
    "const": lambda node, names: template(node.params["value"], (), names),
    "apply": _call_text,
    "effect": _call_text,
    "read": _access_text,
    "write": _access_text,
    "acc": _access_text,
    "update": _access_text,
    "loop": _loop_text,
    "dim": lambda node, names: f"{names[node.inputs[0]]}.shape[{node.params['axis']}]",
    "if": lambda node, names: f"if {names[node.inputs[0]]}",
    "call": lambda node, names: f"call {node.params['callee']}("
                                f"{', '.join(names[v] for v in node.inputs)})",
}
