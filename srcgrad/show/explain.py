"""``df.explain()``: what the generated code relies on, what it keeps, and why it was made."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any

from ..compile.specializations import Specialization
from ..errors import Where
from ..graph.ir import Graph, Node
from ..graph.walking import walk
from ..types.guards import Guard
from .facts import in_words, place
from .lines import BORDER

MANY = 40  # inlined calls that are listed


def explain(compiled: Any, entry: Specialization, entries: Sequence[Specialization]) -> str:
    """A report on one specialization of ``compiled``, in sections; the latest of ``entries``
    comes first."""
    sections = [
        ("signature", [entry.title]),
        ("why it was compiled", _reason(entry, entries)),
        ("checked at each call", list(_guards(entry))),
        ("loops and branches", _control(entry)),
        *([("native code", list(entry.emitted.notes))] if entry.emitted.notes else []),
        ("assumed, after tracing without", _assumed(entry)),
        ("functions that were inlined", _inlined(entry)),
        ("kept for the backward part", _kept(entry.text)),
        ("size of the generated code", _size(entry.text)),
    ]
    lines = [repr(compiled)]
    for heading, body in sections:
        lines += ["", f"{heading}:", *(f"  {line}" for line in body)]
    return "\n".join(lines)


def _reason(entry: Specialization, entries: Sequence[Specialization]) -> list[str]:
    place_ = next(i for i, e in enumerate(entries) if e.traced is entry.traced)
    if place_ == len(entries) - 1:
        return ["the first call"]
    before = entries[place_ + 1]
    found = list(differences(before.traced.guards, entry.traced.guards))
    return found or ["what the one before relies on did not hold, and no single fact tells why"]


def differences(before: Sequence[Guard], now: Sequence[Guard]) -> Iterator[str]:
    """The facts in which two tracings differ: ``x was ..., now ...``."""
    present: dict[Any, Guard] = {_key(g): g for g in now}
    subjects = {str(g.path): g for g in reversed(now) if g.path is not None}
    replaced: set[str] = set()  # of these all else differs too
    for guard in before:
        other = present.get(_key(guard))
        if guard.kind == "is" and other is not None and not _equal(other, guard):
            replaced.add(str(guard.path))
        if str(guard.path).rpartition(".")[0] in replaced:
            continue
        if other is not None:
            if not _equal(other, guard):
                yield (_replaced(guard, other) if guard.kind == "is" else
                       f"it was: {in_words(guard)}; now: {in_words(other)}") + _at(guard.where)
        elif guard.path is not None and str(guard.path) in subjects and guard.kind in (
                "array", "type", "equals"):
            yield (f"it was: {in_words(guard)}; now: "
                   f"{in_words(subjects[str(guard.path)])}{_at(guard.where)}")
        elif guard.kind in ("size", "extent", "overlap", "contiguous"):
            yield f"no longer certain: {in_words(guard)}{_at(guard.where)}"


def _replaced(guard: Guard, other: Guard) -> str:
    """What became of a function, class or other object that is guarded itself."""
    path, now = str(guard.path), other.data.get()
    if path.endswith(".__code__"):
        return (f"{path.removesuffix('.__code__')} has other code than it had: it was defined or "
                "assigned again")
    made = "function" if isinstance(now, types.FunctionType) else (
        "class" if isinstance(now, type) else "object")
    return f"{path} is another {made} than it was: it was defined or assigned again"


def _equal(one: Guard, other: Guard) -> bool:
    if one.kind in ("is", "type"):
        return one.data.get() is other.data.get()
    return type(one.data) is type(other.data) and bool(one.data == other.data)


def _key(guard: Guard) -> Any:
    if guard.kind == "size":
        return "size", str(guard.data[1]), guard.data[2] if guard.data[0] == "!=" else None
    if guard.kind == "gives":
        return "gives", guard.data[0], tuple(map(str, guard.data[1]))
    return guard.kind, guard.path


def _at(where: Where | None) -> str:
    found = place(where)
    return f"   ({found})" if found else ""


def _guards(entry: Specialization) -> Iterator[str]:
    for guard in entry.traced.guards:
        where = place(guard.where)
        yield in_words(guard) + (f"   # {where}" if where else "")


def _nodes(graph: Graph) -> Iterator[Node]:
    """The nodes of a graph and of the functions that it calls."""
    for each in (graph, *graph.callees.values()):
        yield from walk(each.block)


def _control(entry: Specialization) -> list[str]:
    names = {"loop": "staged loop", "if": "staged branch", "call": "call of a function of its own"}
    found: dict[str, None] = {}
    for node in _nodes(entry.traced.graph):
        if node.op in names and node.origin is not None and node.origin.where is not None:
            found[f"{names[node.op]}: {place(node.origin.where)}"] = None
    found.update(dict.fromkeys(entry.traced.notes))
    return list(found) or ["none: the generated code is a straight line"]


def _assumed(entry: Specialization) -> list[str]:
    """What tracing started again for, and the user's lines where it did."""
    return [f"{made.words()}{_at(made.where)}" for made in entry.traced.made] or ["nothing"]


def _inlined(entry: Specialization) -> list[str]:
    """The calls whose functions became part of the generated code."""
    found: dict[str, None] = {}
    for node in _nodes(entry.traced.graph):
        if node.origin is None or node.origin.where is None or not node.origin.callers:
            continue
        inner = (*node.origin.callers[1:], node.origin.where)
        found.update((f"{callee.function}   ({place(site)})", None)
                     for site, callee in zip(node.origin.callers, inner, strict=True))
    lines = list(found)
    return lines[:MANY] + ([f"and {len(lines) - MANY} more"] if len(lines) > MANY else []) or [
        "none"]


def _kept(text: str) -> list[str]:
    """What the header of the generated code says is kept."""
    found: list[str] = []
    for line in _header(text):
        if line.startswith(("kept", "copied")):
            found.append(line)
        elif found and line.startswith("    "):
            found[-1] += " " + line.strip()
        elif found:
            break
    records = [line.split("(")[0].split()[1] for line in text.splitlines()
               if line.startswith("def ") and line.split("(")[0].endswith("_forward")]
    found += [f"what {name} needs: returned as a record by each of its calls"
              for name in (r.removesuffix("_forward") + "_backward" for r in records)]
    return found or ["nothing is copied: the backward part reads the variables themselves"]


def _header(text: str) -> list[str]:
    """The comment above the last function of a module, without its marks."""
    lines = text.splitlines()
    last = max((i for i, line in enumerate(lines) if line.startswith("def ")), default=0)
    first = last
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return [line[2:] for line in lines[first:last]]


def _size(text: str) -> list[str]:
    code = text.splitlines()
    border = next((i for i, line in enumerate(code) if line == f"    {BORDER}"), len(code))

    def count(lines: Sequence[str]) -> int:
        return sum(1 for line in lines if line.strip() and not line.lstrip().startswith("#"))

    total, forward = count(code), count(code[:border])
    if border == len(code):
        return [f"{total} lines of code"]
    return [f"{total} lines of code: {forward} up to the end of the forward part, "
            f"{total - forward} in the backward part"]
