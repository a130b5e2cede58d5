"""Walks over blocks, and what is asked of them."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import chain
from typing import Any, TypeVar

from .ir import Block, Node, Value

Fact = TypeVar("Fact")


def walk(block: Block) -> Iterator[Node]:
    """All nodes of a block and of the blocks nested in it, in program order, outer first."""
    return iter(_walked(block))


def asked(question: Callable[[Block], Fact]) -> Callable[[Block], Fact]:
    """A question about a block, which never changes: it is answered once."""
    @wraps(question)
    def answer(block: Block) -> Fact:
        if question not in block.facts:
            block.facts[question] = question(block)
        found: Fact = block.facts[question]
        return found
    return answer


@asked
def _walked(block: Block) -> tuple[Node, ...]:
    return tuple(_walk(block)) if any(map(_BLOCKS, block.nodes)) else block.nodes


@asked
def operations(block: Block) -> frozenset[Any]:
    """What the nodes of a block, and of those in it, do: functions of those that apply one,
    operations of the others."""
    nodes = _walked(block)
    try:
        return frozenset([n.params["fn"] if n.op == "apply" else n.op for n in nodes])
    except TypeError:  # functions without a hash
        return frozenset([n.params["fn"] if n.op == "apply" and type(
            n.params["fn"]).__hash__ is not None else n.op for n in nodes])


_BLOCKS, _INPUTS = operator.attrgetter("blocks"), operator.attrgetter("inputs")


def _walk(block: Block) -> Iterator[Node]:
    stack: list[Iterator[Node]] = []
    nodes: Iterator[Node] | None = iter(block.nodes)
    while nodes is not None:
        for node in nodes:
            yield node
            if node.blocks:
                stack.append(nodes)
                stack.extend(iter(inner.nodes) for inner in reversed(node.blocks))
                break
        nodes = stack.pop() if stack else None


def uses_of(block: Block) -> Counter[Value]:
    """How often each value is read by a node, or handed on by a block, at any depth."""
    return _used(block).copy()


@asked
def _used(block: Block) -> Counter[Value]:
    nodes = _walked(block)
    return Counter([*block.outputs, *chain.from_iterable(map(_INPUTS, nodes)), *(
        v for inner in chain.from_iterable(map(_BLOCKS, nodes)) for v in inner.outputs)])


def defined_in(block: Block) -> set[Value]:
    """The values that a block and the blocks nested in it define."""
    return {*block.params, *(
        v for node in walk(block)
        for v in (*node.outputs, *(p for inner in node.blocks for p in inner.params)))}


def free_values(block: Block) -> list[Value]:
    """Values that a block uses but does not define, in order of first use."""
    return [*_free(block)]


def read_by(node: Node) -> dict[Value, None]:
    """What a node reads, at any depth, of the values around it, in order of first use."""
    read = dict.fromkeys(node.inputs)
    for inner in node.blocks:
        read.update(_free(inner))
    return read


@asked
def _free(block: Block) -> dict[Value, None]:
    defined, free = {*block.params}, dict[Value, None]()
    for node in block.nodes:
        free.update(dict.fromkeys(v for v in read_by(node) if v not in defined))
        defined.update(node.outputs)
    free.update(dict.fromkeys(v for v in block.outputs if v not in defined))
    return free


def renewed(block: Block, change: Callable[[Node], list[Node]]) -> Block:
    """The block with what ``change`` makes of each node, after those nested in it; the block
    itself where nothing changes."""
    nodes: list[Node] = []
    for node in block.nodes:
        blocks = tuple([renewed(inner, change) for inner in node.blocks])
        if any(map(operator.is_not, blocks, node.blocks)):
            node = node.but(blocks=blocks)
        nodes += change(node)
    same = len(nodes) == len(block.nodes) and all(map(operator.is_, nodes, block.nodes))
    return block if same else block.but(nodes=tuple(nodes))


def rebuild(block: Block, substitution: dict[Value, Value],
            fresh: bool = False) -> Block:
    """A copy of a block with values substituted; with ``fresh`` its own parameters and node
    outputs become new values (recorded in ``substitution``)."""
    if fresh:
        for p in block.params:
            substitution[p] = p.like()
    nodes = []
    for node in block.nodes:
        inputs = tuple(substitution.get(v, v) for v in node.inputs)
        blocks = tuple(rebuild(b, substitution, fresh) for b in node.blocks)
        if fresh:
            for o in node.outputs:
                substitution[o] = o.like()
        outputs = tuple(substitution.get(v, v) for v in node.outputs)
        nodes.append(node.but(inputs=inputs, outputs=outputs, blocks=blocks))
    params = tuple(substitution.get(v, v) for v in block.params)
    return Block(params, tuple(nodes), tuple(substitution.get(v, v) for v in block.outputs))
