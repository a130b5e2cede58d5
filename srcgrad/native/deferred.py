"""What a loop stores in the caller's lists beside their columns, which may be stored at once
after it."""

from __future__ import annotations

import operator

from srcgrad.graph.ir import Node, Ref, Value
from srcgrad.graph.parts import LoopParts
from srcgrad.graph.walking import walk
from srcgrad.types.dataclasses import dataclass, field


@dataclass
class Deferred:
    """What a loop does to the caller's lists beside their columns: ``effects``, and the ``lists``
    that it leaves, each with the caller's, which may be done at once after the loop."""

    effects: set[Node] = field(default_factory=set)
    lists: dict[Value, Value] = field(default_factory=dict)


def deferred(loop: Node) -> Deferred:
    """The caller's lists of which all items that a loop puts there go into one column, too."""
    parts, roots = LoopParts(loop), dict[Value, int]()
    puts: dict[int, set[tuple[Value, ...]]] = {}
    given: dict[Value, set[tuple[Value, ...]]] = {}
    effects: dict[Value, list[Node]] = {}
    for slot, p in enumerate(parts.carried):
        roots[p] = slot
    for node in (n for b in loop.blocks for n in walk(b)):
        first = node.inputs[0] if node.inputs else None
        if node.op == "loop":
            inner = LoopParts(node)
            for p, result, init in zip(inner.carried, inner.results, inner.inits, strict=True):
                if init in roots:
                    roots[p] = roots[result] = roots[init]
        elif node.op == "if":
            return Deferred()
        elif node.op == "put" and first in roots and len(node.inputs) == 3:
            roots[node.out] = roots[first]
            puts.setdefault(roots[first], set()).add((node.inputs[2], node.inputs[1]))
        elif node.op == "effect" and node.params["fn"] is operator.setitem and (
                first is not None and node.params["args"] == (Ref(0), Ref(1), Ref(2))):
            given.setdefault(first, set()).add(node.inputs[1:])
            effects.setdefault(first, []).append(node)
    found = Deferred()
    for obj, items in given.items():
        slots = [slot for slot, put in puts.items() if put == items]
        if len(slots) == 1:
            found.effects.update(effects[obj])
            found.lists[parts.results[slots[0]]] = obj
    return found
