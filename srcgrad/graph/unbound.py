"""What some paths do not bind: which values that may be, and where the graph touches them.

The program reads a name only where it is bound: what it has read once is bound from there on.
What differentiation and emission add (copies, sizes, zeros) may stand where it is not: there the
value is None (:func:`with_none`), and what is asked of it says so (:func:`with_bound_questions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..types.kinds import Kind
from ..types.spelling import require_bound
from .ir import Block, Graph, Node, Value
from .parts import LoopParts
from .walking import renewed, walk

_HOLDING = frozenset({"list", "append", "put", "insert"})
Arm = tuple[Value, int]  # a predicate, and the number of the arm that it has chosen


def flows(block: Block) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    """The values that are handed on by regions, each with those that it may be."""
    for node in walk(block):
        if node.op == "if":
            yield from zip(node.outputs, zip(*(b.outputs for b in node.blocks)))
        elif node.op == "loop":
            parts = LoopParts(node)
            for pair, *made in zip(zip(parts.inits, parts.next), parts.carried, parts.results):
                yield from ((v, pair) for v in made)
            if node.loop.kind == "while":
                yield from zip(node.blocks[0].params, zip(parts.inits, parts.next))
            yield from zip(parts.lasts, ((v,) for v in parts.last))


def is_nothing(node: Node) -> bool:
    """Does a node stand for what is not bound: undefined, or None in the place of a value?"""
    return node.op == "undef" or (node.op == "const" and node.params["value"] is None
                                  and node.out.aval.kind is not Kind.NONE)


def partly_undefined(block: Block) -> set[Value]:
    """The values, at any depth, that are not bound on every path to where they are."""
    waiting: list[Value] = []
    found: set[Value] = set()
    for node in walk(block):
        if is_nothing(node):
            waiting.append(node.out)
        elif node.op == "loop":
            waiting.extend(LoopParts(node).lasts)
    if not waiting:
        return found
    users: dict[Value, list[Value]] = {}
    for value, sources in flows(block):
        for source in sources:
            users.setdefault(source, []).append(value)
    for node in walk(block):
        if _is_zeros_like(node):  # of None it has no axes
            users.setdefault(node.inputs[0], []).append(node.out)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting.extend(users.get(value, ()))
    return found


def with_none(block: Block, wanted: Iterable[Value]) -> Block:
    """The block with None for what is undefined on some paths, where ``wanted`` comes from it."""
    nothing = {n.out for n in walk(block) if n.op == "undef"}
    lasts = {v for n in walk(block) if n.op == "loop" for v in LoopParts(n).lasts}
    if not nothing and not lasts:
        return block
    sources = dict(flows(block))
    found: set[Value] = set()
    waiting = list(wanted)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting.extend(sources.get(value, ()))
    return block if found.isdisjoint(nothing | lasts) else _with_none(block, found)


def _with_none(block: Block, wanted: set[Value]) -> Block:
    def change(node: Node) -> list[Node]:
        if node.op == "undef" and node.out in wanted:
            return [node.but(op="const", params={"value": None})]
        if node.op == "loop" and not wanted.isdisjoint(LoopParts(node).lasts):
            return _carried(node, wanted)
        return [node]

    return renewed(block, change)


def _carried(node: Node, wanted: set[Value]) -> list[Node]:
    """The loop with None, carried from before it, for what its last iteration may leave behind."""
    parts, body = LoopParts(node), node.blocks[-1]
    chosen = [k for k, v in enumerate(parts.lasts) if v in wanted]
    others = [k for k in range(len(parts.lasts)) if k not in chosen]
    start = [Node("const", (), (parts.lasts[k].like(obj=None),), {"value": None}, (), node.origin)
             for k in chosen]
    first, spec = node.loop.first_init, node.loop

    def placed(values: tuple[Value, ...], lead: int, new: list[Value]) -> tuple[Value, ...]:
        end = lead + spec.n_carried
        return (*values[:end], *new, *values[end:])

    def moved(values: tuple[Value, ...]) -> tuple[Value, ...]:
        end = int(spec.exits) + spec.n_carried
        last = values[end:end + spec.n_last]
        return (*values[:end], *(last[k] for k in chosen), *(last[k] for k in others),
                *values[end + spec.n_last:])

    blocks = []
    for block in node.blocks:
        block = block.but(params=placed(block.params, int(spec.kind == "for"), [
            parts.lasts[k].like(obj=None) for k in chosen]))
        blocks.append(block.but(outputs=moved(block.outputs)) if (
            block.outputs is body.outputs) else block)
    return [*start, node.but(
        inputs=placed(node.inputs, first, [n.out for n in start]), outputs=moved(node.outputs),
        blocks=tuple(blocks), params={**node.params, "loop": replace(
            spec, n_carried=spec.n_carried + len(chosen), n_last=len(others))})]


# ---- questions about what may not be bound -----------------------------------------------------


def with_bound_questions(graph: Graph) -> Graph:
    """The graph in which what was added to the program may ask for copies, sizes and zeros of
    values that are not bound: these are None then, and the nodes have the mark ``optional``.
    Lists may hold such values, too: parts of items that others have."""
    unsure = partly_undefined(graph.block)
    if not unsure:
        return graph
    asked = _Asked(graph.block, unsure).found
    read = [n for n in walk(graph.block) if n.op == "effect" and n.params["fn"] is require_bound]
    held = [v for n in walk(graph.block) for v in (
                n.inputs if n.op in _HOLDING else _listed(n) if n.op == "loop" else ())
            if v in unsure]
    if not asked and not read and not held:
        return graph
    border = graph.border
    first = graph.block.nodes[border] if border is not None and (
        border < len(graph.block.nodes)) else None
    block = with_none(_marked(graph.block, asked), [
        *held, *(n.inputs[0] for n in (*asked, *read))])
    if border is not None:  # constants may have come before a loop
        added = len(block.nodes) - len(graph.block.nodes)
        border = len(block.nodes) if first is None else next(
            i for i, n in enumerate(block.nodes) if n.outputs and first.outputs
            and n.outputs[-1] is first.outputs[-1]) if added else border
    return graph.but(block=block, border=border)


def _listed(loop: Node) -> list[Value]:
    """What the iterations of a loop keep in lists, and may be None."""
    return [v for v, _, stacked in LoopParts(loop).kept if v.aval.optional and not stacked]


def _marked(block: Block, asked: set[Node]) -> Block:
    return renewed(block, lambda node: [
        node.but(params={**node.params, "optional": True}) if node in asked and node.op != "apply"
        else node])


class _Asked:
    """Finds the nodes that were added to a program and touch what may not be bound there."""

    def __init__(self, block: Block, unsure: set[Value]) -> None:
        self._unsure = unsure
        self._maker = {v: n for n in walk(block) for v in n.outputs}
        # what the program reads in an arm, each time on the way there by other arms
        self._read: dict[Arm, list[tuple[dict[Value, int], set[Value]]]] = {}
        self.found: set[Node] = set()
        self._visit(block, {}, set())

    def _visit(self, block: Block, known: dict[Value, int], read: set[Value]) -> None:
        """``read``: what the program has read on the way here, which is bound."""
        for node in block.nodes:
            if _is_question(node):
                if node.inputs[0] not in read and self._may_be_unbound(node.inputs[0], known):
                    self.found.add(node)
            elif node.blocks:
                for arm, inner in enumerate(node.blocks):
                    chosen = {node.inputs[0]: arm} if node.op == "if" else {}
                    own = read.union(*(there for a in chosen.items() for way, there in
                                       self._read.get(a, ()) if way.items() <= known.items()))
                    self._visit(inner, known | chosen, own)
                    for a in chosen.items():
                        self._read.setdefault(a, []).append((known, own))
            elif node.op not in ("copy", "pack") and (
                    node.origin is None or node.origin.role == "forward"):
                read.update(v for v in node.inputs if v in self._unsure)

    def _may_be_unbound(self, value: Value, known: dict[Value, int]) -> bool:
        """Is there a path on which a value is not bound, where these arms were taken?"""
        seen: set[Value] = set()
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if value in seen or value not in self._unsure:
                continue
            seen.add(value)
            node = self._maker.get(value)
            if node is None or node.op != "if":
                return True
            place, arm = node.outputs.index(value), known.get(node.inputs[0])
            waiting.extend(b.outputs[place] for i, b in enumerate(node.blocks) if arm in (None, i))
        return False


def _is_question(node: Node) -> bool:
    """Is it a copy, a size or a zero of a value that the program did not ask for?"""
    if node.origin is None or node.origin.role == "forward":
        return False
    return node.op in ("copy", "dim", "list_len", "list_like", "alias") or _is_zeros_like(node)


def _is_zeros_like(node: Node) -> bool:
    return node.op == "apply" and node.params["fn"] is np.zeros_like and bool(node.inputs)
