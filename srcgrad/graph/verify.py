"""What must hold of every graph: small named checks.

Passes run :func:`verify` after themselves in tests.  A failure is a mistake of srcgrad's, never
of the user's: the message names the check, the node and where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from ..types.kinds import NUMERIC, SCALARS, Aval, Kind
from ..types.structure import found_in
from .ir import Block, Graph, Node, Value, references
from .text import Names, node_text
from .walking import walk


class InvalidGraph(AssertionError):
    """A graph breaks an invariant; ``check`` is the invariant's name."""

    def __init__(self, check: str, message: str, graph: Graph, node: Node | None) -> None:
        self.check = check
        self.node = node
        lines = [f"{check}: {message} (graph {graph.name!r})"]
        if node is not None:
            lines.append(f"  {node_text(node, Names())}")
            if node.origin is not None and node.origin.where is not None:
                lines.append(node.origin.where.render())
        super().__init__("\n".join(lines))


# Number of inputs that are not `*dyn`: (least, most).
_INPUTS: dict[str, tuple[int, int | None]] = {
    "const": (0, 0), "apply": (0, None), "read": (1, None), "write": (2, None), "acc": (2, None),
    "update": (2, None), "dim": (1, 1), "if": (1, 1), "loop": (0, None), "effect": (0, None),
    "list": (0, None), "append": (2, None), "pop": (1, 2), "get": (2, None), "put": (3, None),
    "list_len": (1, 1), "insert": (3, 3), "list_acc": (3, None), "list_like": (1, 1),
    "call": (0, None), "pack": (0, None), "unpack": (1, 1), "copy": (1, 1), "undef": (0, 0),
}
_OUTPUTS = {"pop": 2, "const": 1, "read": 1, "write": 1, "acc": 1, "update": 1, "dim": 1,
            "list": 1, "append": 1, "get": 1, "put": 1, "list_len": 1, "insert": 1, "list_acc": 1,
            "list_like": 1, "pack": 1, "copy": 1, "undef": 1}


def lost_value(graph: Graph) -> tuple[Value, Node | None] | None:
    """A value that is used where it is not defined, in a graph or its callees, and the node that
    uses it.  This alone is looked for in every graph that is traced: it takes no time, and nothing
    that follows would notice."""
    for each in (graph, *graph.callees.values()):
        for value, node, _ in _undominated(each, False)[:1]:
            return value, node
    return None


def verify(graph: Graph, open: bool = False) -> None:
    """Raise :class:`InvalidGraph` unless all invariants hold.

    In an *open* graph (residuals not bound yet) backward nodes may refer to values inside
    forward blocks.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> lost = Value(FLOAT, "lost")
    >>> verify(Graph("g", b.block((lost,))))
    Traceback (most recent call last):
    srcgrad.graph.verify.InvalidGraph: values-are-dominated: output 'lost' is not defined here \
(graph 'g')
    """
    for each in (graph, *graph.callees.values()):
        each = each.but(callees=graph.callees)
        for name, check in CHECKS.items():
            def fail(message: str, node: Node | None = None, name: str = name,
                     each: Graph = each) -> NoReturn:
                raise InvalidGraph(name, message, each, node)

            check(each, open, fail)


Fail = Callable[..., NoReturn]


def _operations_are_known(graph: Graph, open: bool, fail: Fail) -> None:
    for node in walk(graph.block):
        if node.op not in _INPUTS:
            fail(f"unknown operation {node.op!r}", node)
        least, most = _INPUTS[node.op]
        if len(node.inputs) < least or (most is not None and len(node.inputs) > most):
            fail(f"{node.op} has {len(node.inputs)} inputs", node)
        if len(node.outputs) != _OUTPUTS.get(node.op, len(node.outputs)):
            fail(f"{node.op} has {len(node.outputs)} outputs", node)
        if node.op == "apply" and not node.params.get("many") and len(node.outputs) != 1:
            fail("an apply with one result has several outputs", node)
    if graph.border is not None and not 0 <= graph.border <= len(graph.block.nodes):
        fail(f"border {graph.border} outside of {len(graph.block.nodes)} nodes")


def _values_are_dominated(graph: Graph, open: bool, fail: Fail) -> None:
    """Each value is defined once, before its uses, in the block or in an enclosing one."""
    for _, node, message in _undominated(graph, open):
        fail(message, node)


def _undominated(graph: Graph, open: bool) -> list[tuple[Value, Node | None, str]]:
    """Values that are not defined once, before their uses, in the block or in an enclosing one."""
    defined: set[Value] = set()
    everything: set[Value] = set()
    found: list[tuple[Value, Node | None, str]] = []

    def define(value: Value, node: Node | None) -> None:
        if value in everything:
            found.append((value, node, f"{value.hint or 'a value'!r} is defined twice"))
        everything.add(value)
        defined.add(value)

    def use(value: Value, node: Node | None, what: str, backward: bool) -> None:
        if value not in defined and not (open and backward and value in everything):
            found.append((value, node, f"{what} {value.hint or 'value'!r} is not defined here"))

    def visit(block: Block, owner: Node | None, backward: bool) -> None:
        local: list[Value] = list(block.params)
        for p in block.params:
            define(p, owner)
        for position, node in enumerate(block.nodes):
            if owner is None and position == graph.border:
                backward = True
            for v in node.inputs:
                use(v, node, "input", backward)
            for inner in node.blocks:
                visit(inner, node, backward)
            for v in node.outputs:
                define(v, node)
                local.append(v)
        if owner is None and graph.border is not None:
            backward = True
        for v in block.outputs:
            use(v, owner, "output", backward)
        if owner is not None:
            defined.difference_update(local)

    visit(graph.block, None, False)
    return found


def _outputs_match_blocks(graph: Graph, open: bool, fail: Fail) -> None:
    for node in walk(graph.block):
        if node.op == "if":
            if len(node.blocks) != 2 or any(b.params for b in node.blocks):
                fail("an if has two blocks without parameters", node)
            for which, block in zip(("then", "else"), node.blocks):
                if len(block.outputs) != len(node.outputs):
                    fail(f"the {which} arm has {len(block.outputs)} outputs, the if "
                         f"{len(node.outputs)}", node)
        elif node.op == "call":
            callee = graph.callees.get(node.params["callee"])
            if callee is None or callee.pair is not None:
                continue  # one of a pair that is not cut yet
            if len(callee.inputs) != len(node.inputs):
                fail(f"{callee.name} takes {len(callee.inputs)} inputs", node)
            if len(callee.outputs) != len(node.outputs):
                fail(f"{callee.name} has {len(callee.outputs)} outputs", node)
        elif node.op != "loop" and node.blocks:
            fail(f"{node.op} has blocks", node)


def _loop_arity(graph: Graph, open: bool, fail: Fail) -> None:
    for node in walk(graph.block):
        if node.op != "loop":
            continue
        spec = node.loop
        body = node.blocks[-1]
        counts = [
            ("blocks", len(node.blocks), 1 if spec.kind == "for" else 2),
            ("inputs", len(node.inputs), spec.first_init + spec.n_carried + spec.n_consumed),
            ("body parameters", len(body.params),
             (spec.kind == "for") + spec.n_carried + spec.n_consumed),
            ("body outputs", len(body.outputs),
             spec.exits + spec.n_carried + spec.n_last + spec.n_produced),
            ("outputs", len(node.outputs),
             spec.exits + spec.n_carried + spec.n_last + spec.n_produced + 1),
        ]
        if spec.kind == "while":
            counts += [("test parameters", len(node.blocks[0].params), spec.n_carried),
                       ("test outputs", len(node.blocks[0].outputs), 1)]
        for what, have, want in counts:
            if have != want:
                fail(f"a loop with {have} {what}, its shape says {want}", node)
        if spec.stacked and len(spec.stacked) != spec.n_produced:
            fail(f"stacked has {len(spec.stacked)} entries for {spec.n_produced} sequences", node)


def _templates_fit_inputs(graph: Graph, open: bool, fail: Fail) -> None:
    for node in walk(graph.block):
        used = {i for name in ("args", "kwargs", "steps") if name in node.params
                for i in references(node.params[name])}
        if any(not 0 <= i < len(node.inputs) for i in used):
            fail(f"refers to input {max(used)} of {len(node.inputs)}", node)
        if node.op in ("apply", "effect") and "derivative" not in node.params:
            unused = set(range(len(node.inputs))) - used
            if unused:
                fail(f"input {min(unused)} occurs nowhere in the arguments", node)
        if next(found_in(node.params, Value), None) is not None:
            fail("a value in the parameters; inputs belong into `inputs`", node)


def accepts(wide: Aval, narrow: Aval) -> bool:
    """May a value with facts ``narrow`` flow into a place with facts ``wide``?  (Sizes are
    compared where both are numbers.)"""
    if wide.kind is Kind.OPAQUE or wide == narrow:
        return True
    if narrow.optional and not wide.optional:
        return False
    if narrow.kind is Kind.NONE:
        return wide.optional or wide.kind is Kind.NONE
    if wide.kind is Kind.ANY:
        return narrow.kind in NUMERIC
    if wide.kind is Kind.NUMBER:
        return narrow.kind in SCALARS or narrow.shape == ()
    if wide.kind is Kind.LIST:
        return narrow.kind is Kind.LIST and (
            wide.elem is None or narrow.elem is None or accepts(wide.elem, narrow.elem))
    if wide.kind is not narrow.kind:
        return False
    if wide.dtype is not None and narrow.dtype is not None and wide.dtype != narrow.dtype and not (
            wide.least is not None and np.can_cast(narrow.dtype, wide.dtype)):
        return False
    if wide.shape is None or narrow.shape is None:
        return wide.shape is None
    return len(wide.shape) == len(narrow.shape) and all(
        a == b for a, b in zip(wide.shape, narrow.shape)
        if isinstance(a, int) and isinstance(b, int))


def _avals_are_consistent(graph: Graph, open: bool, fail: Fail) -> None:
    undefined = {n.out for n in walk(graph.block) if n.op == "undef"}
    # a sum that starts from the number 0 has the type of what is added (steady in a loop)
    numbers = {n.out for n in walk(graph.block) if n.op == "const"}

    def flow(source: Value, target: Value, what: str, node: Node) -> None:
        if source in numbers and target.aval.is_array and node.op == "loop":
            return
        if source not in undefined and not accepts(target.aval, source.aval):
            fail(f"{what}: {source.aval} flows into {target.aval}", node)

    for node in walk(graph.block):
        if node.op == "if":
            for which, block in zip(("then", "else"), node.blocks):
                for i, (s, t) in enumerate(zip(block.outputs, node.outputs)):
                    flow(s, t, f"output {i} of the {which} arm", node)
        elif node.op == "loop":
            _loop_flows(node, flow)
        elif node.op in ("write", "acc", "update"):
            flow(node.inputs[0], node.out, "the base", node)


def _loop_flows(node: Node, flow: Callable[[Value, Value, str, Node], None]) -> None:
    spec = node.loop
    body = node.blocks[-1]
    first_param = 1 if spec.kind == "for" else 0
    first_output = int(spec.exits)
    for k in range(spec.n_carried):
        param = body.params[first_param + k]
        result = node.outputs[first_output + k]
        following = body.outputs[first_output + k]
        initial = node.inputs[spec.first_init + k]
        name = f"carried value {k} ({param.hint or '?'})"
        flow(initial, param, f"{name}, initial", node)
        flow(following, param, f"{name}, next", node)
        flow(following, result, f"{name}, result", node)
        flow(initial, result, f"{name}, result without iteration", node)
        if spec.kind == "while":
            flow(initial, node.blocks[0].params[k], f"{name}, in the test", node)
    for k in range(spec.n_last):
        at = first_output + spec.n_carried + k
        flow(body.outputs[at], node.outputs[at], f"last value {k}", node)


def _homes_are_linear(graph: Graph, open: bool, fail: Fail) -> None:
    """In the forward part the versions of one object form a chain: a write starts from the
    newest version, and no older version is read after it."""

    def visit(block: Block, newest: dict[int, Value | None], nodes: tuple[Node, ...],
              owner: Node | None) -> None:
        for p in block.params:
            if p.obj is not None:
                newest[p.obj] = p
        for node in nodes:
            if node.origin is not None and node.origin.role != "forward":
                continue
            for v in _content_inputs(node):
                stale = v.obj is not None and newest.get(v.obj, v) not in (v, None)
                if stale:
                    fail(f"{v.hint or 'an array'!r} is read in a version that has been "
                         "overwritten", node)
            after = []
            for inner in node.blocks:
                state = dict(newest)
                visit(inner, state, inner.nodes, node)
                after.append(state)
            for state in after:
                for obj, version in state.items():
                    if obj in newest and newest[obj] is not version:
                        newest[obj] = None  # known again by an output of the node
            for out in node.outputs:
                if out.obj is not None:
                    newest[out.obj] = out

    forward = graph.block.nodes[:graph.border] if graph.border is not None else graph.block.nodes
    visit(graph.block, {}, forward, None)


def _content_inputs(node: Node) -> tuple[Value, ...]:
    """The inputs whose content an operation reads."""
    if node.op == "dim":
        return ()
    if node.op == "read" and node.params.get("handle"):
        return node.inputs[:-1]
    return node.inputs


def _effects_are_forward(graph: Graph, open: bool, fail: Fail) -> None:
    if graph.border is None:
        return
    for position, top in enumerate(graph.block.nodes):
        for node in (top, *(n for b in top.blocks for n in walk(b))):
            backward = position >= graph.border or (
                node.origin is not None and node.origin.role == "adjoint")
            if node.op == "effect" and backward:
                fail("an effect in the backward part", node)


CHECKS: dict[str, Callable[[Graph, bool, Fail], None]] = {
    "operations-are-known": _operations_are_known,
    "values-are-dominated": _values_are_dominated,
    "outputs-match-blocks": _outputs_match_blocks,
    "loop-arity": _loop_arity,
    "templates-fit-inputs": _templates_fit_inputs,
    "avals-are-consistent": _avals_are_consistent,
    "homes-are-linear": _homes_are_linear,
    "effects-are-forward": _effects_are_forward,
}
