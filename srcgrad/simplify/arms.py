"""Branches whose arms repeat one another.

What the tracer has written down twice because it went through the same lines on both paths stands
before the branch once, and two branches with one arm between them are one branch:

    if c:                            t = f(x)
        t = f(x)                     y = t if c else -t
        y = t             ->
    else:
        t = f(x)
        y = -t

    if c:                            if c and d:
        if d:                            y = f(x)
            y = f(x)      ->         else:
        else:                            y = g(x)
            y = g(x)
    else:
        y = g(x)

What two lines of the program say stays twice.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from ..graph.infer import freeze
from ..graph.ir import WRITES, Block, Builder, Node, Value
from ..graph.walking import free_values, rebuild, walk
from ..types.kinds import BOOL, SCALARS, Aval, Kind

# What may stand before a branch.
_PLAIN = frozenset({"apply", "read", "const", "dim", "list_len", "if"})
Same = dict[Value, Value]  # what stands in the first arm for a value of the second


def in_common(node: Node) -> tuple[Sequence[Node], Node, Same]:
    """What both arms of a branch begin with, the branch without it, and what its outcomes are that
    do not depend on the test."""
    first, second = node.blocks
    same: Same = {}
    n = 0
    written = {v.obj for arm in node.blocks for m in walk(arm) if m.op in WRITES for v in m.outputs}
    for one, other in zip(first.nodes, second.nodes, strict=False):
        if not _alike(one, other, same) or any(v.obj is not None and v.obj in written
                                               for m in (one, other) for v in m.outputs):
            break
        n += 1
    rest = rebuild(Block((), second.nodes[n:], second.outputs), same) if n else second
    decided = {out: one for out, one, other in zip(
        node.outputs, first.outputs, rest.outputs, strict=True)
        if one is other and one not in _made(first.nodes[n:])
        and (one.obj is None or one.obj == out.obj or one.aval.kind in SCALARS)
        and fits(out, one)} if n else {}
    if not n:
        return (), node, decided
    for out, value in decided.items():
        if value.hint is None:
            value.hint = out.hint
    kept = [k for k, out in enumerate(node.outputs) if out not in decided]
    return first.nodes[:n], node.but(
        outputs=tuple([node.outputs[k] for k in kept]),
        blocks=tuple([Block((), nodes, tuple([block.outputs[k] for k in kept]))
                      for nodes, block in ((first.nodes[n:], first), (rest.nodes, rest))])), decided


def _made(nodes: Sequence[Node]) -> set[Value]:
    return {v for node in nodes for v in node.outputs}


def _alike(one: Node, other: Node, same: Same) -> bool:
    """Do two nodes of the same line do the same?  Then ``same`` knows what they give."""
    if one.op != other.op or one.op not in _PLAIN or not _of_one_line(one, other) or not (
            len(one.inputs) == len(other.inputs) and all(
                a is same.get(b, b) for a, b in zip(one.inputs, other.inputs, strict=True))
            and [v.aval for v in one.outputs] == [v.aval for v in other.outputs]):
        return False
    try:
        if freeze({**one.params}) != freeze({**other.params}):
            return False
    except TypeError:  # what cannot be compared
        return False
    within = dict(same)
    if not all(_alike_arms(a, b, within) for a, b in zip(one.blocks, other.blocks, strict=True)):
        return False
    same.update(within)
    same.update(zip(other.outputs, one.outputs, strict=True))
    return True


def _of_one_line(one: Node, other: Node) -> bool:
    return (one.op == "const" or one.op == "if" or (
        one.origin is not None and other.origin is not None
        and one.origin.where is not None and one.origin.where == other.origin.where))


def _alike_arms(one: Block, other: Block, same: Same) -> bool:
    return (len(one.nodes) == len(other.nodes) and len(one.outputs) == len(other.outputs)
            and all(_alike(a, b, same) for a, b in zip(one.nodes, other.nodes, strict=True))
            and all(a is same.get(b, b) for a, b in zip(one.outputs, other.outputs, strict=True)))


def one_branch(node: Node) -> list[Node] | None:
    """The test for both, and one branch, for a branch and one that its arm ends with, if an arm of
    the inner one does what the outer's other one does."""
    for k, arm in enumerate(node.blocks):
        inner = arm.nodes[-1] if arm.nodes else None
        if inner is None or inner.op != "if" or inner.inputs[0].aval != BOOL or any(
                m.op not in _PLAIN for m in arm.nodes[:-1]):
            continue
        before = _made(arm.nodes[:-1])
        ends = []
        for block in inner.blocks:
            known = dict(zip(inner.outputs, block.outputs, strict=True))
            ends.append(Block((), block.nodes, tuple([known.get(v, v) for v in arm.outputs])))
        other = node.blocks[1 - k]
        if not before.isdisjoint(v for b in ends for v in (*free_values(b), *b.outputs)):
            continue
        for j, end in enumerate(ends):
            if any(m.op != "const" for m in end.nodes) and _alike_arms(other, end, {}):
                return _joined(node, k, inner, ends[1 - j], other, j)
    return None


def _joined(node: Node, k: int, inner: Node, apart: Block, shared: Block, j: int) -> list[Node]:
    """``apart`` is what is done where arm ``k`` is taken and then not arm ``j`` of ``inner``."""
    before, test = node.blocks[k].nodes[:-1], inner.inputs[0]
    # The second arm of "and", the first of "or".
    asked, settled = (Builder(origin=inner.origin) for _ in range(2))
    asked.nodes += before
    if j == k:
        test = asked.apply(operator.not_, (test,), {}, BOOL)
    # That the first test is the outcome itself is how "and" and "or" are told when printed.
    outcome = node.inputs[0] if node.inputs[0].aval == BOOL else settled.const(k == 1, BOOL)
    blocks, ends = (asked.block((test,)), settled.block((outcome,))), (apart, shared)
    if k == 1:
        blocks, ends = blocks[::-1], ends[::-1]
    both = Node("if", node.inputs, (Value(BOOL),), {}, blocks, inner.origin)
    return [both, node.but(inputs=both.outputs, blocks=ends)]


def fits(out: Value, end: Value) -> bool:
    """Is the outcome of a branch in one arm of its type, for all that is computed with it?"""
    one, other = _definite(out.aval), _definite(end.aval)
    return one == other or (one.expr is None and one == other.but(expr=None)) or (
        one.kind in SCALARS and other.kind in SCALARS and Kind.INT not in (one.kind, other.kind))


def _definite(aval: Aval) -> Aval:
    return aval.but(optional=False) if aval.optional else aval
