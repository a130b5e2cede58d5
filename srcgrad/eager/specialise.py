"""Straight-line `save` and `pull` functions for one plan.

A :class:`~srcgrad.eager.primitive.Plan` says what a call saves and which rule bodies its
backward runs.  For operations with one output and no sequences this module writes these two as
Python functions without loops or look-ups, for instance for ``a * b`` where both need gradients::

    def save(result_, x1=None, x2=None):
        return ((x1, x1._ver[0]), (x2, x2._ver[0]))

    def pull(node, ct):
        saved = node._saved
        if saved is None: raise freed_error()
        s0, s1 = saved
        v0 = s0[0]._a if s0[0]._ver[0] == s0[1] else fail(node, s0)
        ...
        return (body0(ct, v1), body1(ct, v0))

The bodies are the rule book's own; only their call is spelled out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.nodes import freed_error

Pieces = dict[str, Any]  # what the generated functions refer to, by the names they use


def can_specialise(plan: Any) -> bool:
    """One real output, no sequences, nothing recomputed."""
    if plan.complex or plan.prim.outputs != 1:
        return False
    if plan._places.get("ans") == -1 and not isinstance(plan.prim.function, np.ufunc):
        return False
    if any(isinstance(c, tuple) for c in plan.codes.values()):
        return False
    return all(f.kind in ("tensor", "static", "output", "fact", "setting") for f in plan.fields)


def make_save(plan: Any, pieces: Pieces) -> Callable[..., Any]:
    """``save(result_, x1=..., ...)`` of the output, or of a tuple of several, and the arguments."""
    prim = plan.prim
    space: dict[str, Any] = dict(pieces)
    items = []
    for i, field in enumerate(plan.fields):
        name = field.name
        base, _, what = name.rpartition("_")
        if field.kind == "tensor":
            items.append(f"({name}, {name}._ver[0])")
        elif field.kind == "output":
            items.append("make_output(result_, 0)")
        elif field.kind == "outputs":
            items.append("make_outputs(result_)")
        elif field.kind == "tensors":
            items.append(f"pairs({name})")
        elif field.kind == "static":
            items.append(name)
        elif field.kind == "setting":
            space[f"setting{i}"] = plan.setting(name)
            items.append(f"setting{i}")
        else:
            known = plan.codes.get(base) in ("t", "g")
            items.append(f"{base}._a.{what}" if known else f"fact({base}, {what!r})")
    space |= {f"default_{name}": prim.defaults.get(name) for name in prim.names}
    given = "".join(f", {name}=default_{name}" for name in prim.names)
    body = f"({', '.join(items)},)" if items else "()"
    return _define(f"def save(result_{given}):\n    return {body}\n", "save", space)


def make_pull(plan: Any, pieces: Pieces) -> Callable[..., Any]:
    """``pull(node, ct)`` for a plan that :func:`can_specialise` accepts."""
    space: dict[str, Any] = {**pieces, "freed_error": freed_error}
    lines = ["def pull(node, ct):"]
    if plan.fields:
        lines += ["    saved = node._saved", "    if saved is None: raise freed_error()"]
        unpacked = ", ".join(f"s{i}" for i in range(len(plan.fields)))
        lines.append(f"    {unpacked}, = saved")
    for i, field in enumerate(plan.fields):
        if field.kind == "tensor":
            lines.append(f"    v{i} = s{i}[0]._a if s{i}.__class__ is tuple and "
                         f"s{i}[0]._ver[0] == s{i}[1] else fail(node, s{i})")
        elif field.kind == "output":
            lines.append(f"    v{i} = s{i}.array if s{i}.__class__ is not Packed and "
                         f"s{i}.cell[0] == s{i}.version else fail_output(node, s{i})")
        else:
            lines.append(f"    v{i} = s{i}")
    if plan._places.get("ans") == -1:  # a ufunc, computed again
        space["again"] = plan.prim.primal
        given = [f"v{plan._places[n] - 1}" for n in plan.prim.names if plan.codes[n] != "n"]
        lines.append(f"    ans = again({', '.join(given)})")
    by_name: dict[str, str] = {}
    for k, call in enumerate(plan.calls):
        by_name.update(_call_lines(k, call, lines, space))
    plain = [by_name.get(n, "None") for n, _ in plan.targets]
    results = ["None" if name == "None" else f"project({name}, meta[{j}])"
               for j, name in enumerate(plain)]
    lines += ["    meta = node._meta", "    if meta is None:",
              f"        return ({', '.join(plain)},)", f"    return ({', '.join(results)},)"]
    return _define("\n".join(lines) + "\n", "pull", space)


def _call_lines(k: int, call: Any, lines: list[str], space: dict[str, Any]) -> dict[str, str]:
    """Append the call of one rule body; which local holds the gradient of which input."""
    space[f"body{k}"] = call.body
    names = ["ct" if p == 0 else "ans" if p < 0 else f"v{p - 1}" for p in call.arguments]
    target = f"g{k}"
    if call.pointwise and not names:
        constant = call.body()
        if constant == 1:
            return {call.targets[0]: "ct"}
        lines.append(f"    {target} = " + ("-ct" if constant == -1 else f"ct * {constant!r}"))
        return {call.targets[0]: target}
    lines.append(f"    {target} = body{k}({', '.join(names)})")
    if call.pointwise:
        lines.append(f"    {target} = times(ct, {target})")
    if len(call.targets) == 1:
        return {call.targets[0]: target}
    parts = {t: f"{target}_{i}" for i, t in enumerate(call.targets)}
    lines.append(f"    {', '.join(parts.values())}, = {target}")
    return parts


def _define(text: str, name: str, space: dict[str, Any]) -> Callable[..., Any]:
    exec(compile(text, f"<srcgrad.eager {name}>", "exec"), space)
    made: Callable[..., Any] = space[name]
    return made
