"""The headers of generated code."""

from __future__ import annotations

from typing import Any

from ..graph.ir import Value
from ..trace.entry import Traced
from ..types.identifiers import plain_name
from ..types.kinds import Kind
from .requests import Request, Wanted


def title(function: Any, request: Request, traced: Traced, wanted: list[Wanted]) -> str:
    """The header of generated code: ``heat(u0: f8[n], alpha: float) -> float;  d/du0``."""
    shown = [f"{v.hint}: {_shown(v)}" for v in traced.graph.inputs]
    out = (_shown(traced.graph.outputs[0]) if len(traced.graph.outputs) == 1
           else f"({', '.join(_shown(v) for v in traced.graph.outputs)})")
    text = f"{plain_name(function)}({', '.join(shown)}) -> {out}"
    if request.mode == "jit":
        return text
    names = [str(p) for p, *_ in wanted]
    return f"{text};  d/d{names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'}"


def _shown(value: Value) -> str:
    aval = value.aval
    if aval.kind is Kind.INT:
        return "int"
    return str(aval).replace("scalar:", "").replace("number:", "")
