"""The pure interpreter: what a graph means, node by node.

Every write copies its base, so no alias fact of the tracer or adjoint can change a number here:
where emitted text (which re-enacts Python's aliasing) and this interpreter disagree, a fact is
wrong.  It is slow on purpose.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ..types.kinds import Kind
from ..types.spelling import begin_cleanup, end_cleanup
from .conformance import Checker
from .ir import Block, Graph, Index, Node, Steps, Value, fill
from .records import add_records, zero_record


class _Undefined:
    """The content of a value that is not defined on this path."""

    def __repr__(self) -> str:
        return "<undefined>"


UNDEFINED: Any = _Undefined()

Env = dict[Value, Any]
Task = Generator["tuple[Block, Sequence[Any], Env, Mapping[str, Graph]]", list[Any], list[Any]]

_IN_PLACE = frozenset({
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow, operator.imatmul, operator.iand, operator.ior, operator.ixor,
    operator.ilshift, operator.irshift,
})


class Watch(Protocol):
    """What is told each value as it is computed: :class:`Checker` is one."""

    def value(self, value: Value, obj: Any, node: Node | None) -> None:
        """``node`` is None for parameters of blocks."""

    def inside(self) -> Watch:
        """The watch for the body of a called graph."""


def interpret(graph: Graph, *inputs: Any, check: bool = False,
              watch: Watch | None = None) -> list[Any]:
    """The outputs of a graph for the given inputs, which are not written to.

    With ``check`` every value is compared with its abstract value: kind, dtype, rank, static
    sizes, and equal symbols for equal sizes; AssertionError names the node.

    >>> from srcgrad.graph.ir import Builder
    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> y = b.apply(operator.mul, (x, x), {}, FLOAT)
    >>> interpret(Graph("square", b.block((y,))), 3.0)
    [9.0]
    """
    if len(inputs) != len(graph.inputs):
        raise TypeError(f"{graph.name} takes {len(graph.inputs)} inputs, {len(inputs)} given")
    checker = Checker() if check else watch
    return _run(graph.block, inputs, graph.callees, checker)


def _run(block: Block, arguments: Sequence[Any], callees: Mapping[str, Graph],
         checker: Watch | None) -> list[Any]:
    """Drive nested blocks from one stack, so that deep graphs need no deep recursion."""
    env: Env = {}
    stack: list[Task] = [_evaluate(block, arguments, env, callees, checker)]
    scopes = [(env, checker)]
    answer: list[Any] | None = None
    while stack:
        try:
            inner = stack[-1].send(answer) if answer is not None else next(stack[-1])
            env, checker = scopes[-1]
            if inner[2] is not env:  # a call: sizes mean something else there
                checker = checker.inside() if checker else None
            scopes.append((inner[2], checker))
            stack.append(_evaluate(*inner, checker))
            answer = None
        except StopIteration as stop:
            stack.pop()
            scopes.pop()
            answer = stop.value
    assert answer is not None
    return answer


def _evaluate(block: Block, arguments: Sequence[Any], env: Env, callees: Mapping[str, Graph],
              checker: Watch | None) -> Task:
    for param, argument in zip(block.params, arguments, strict=True):
        env[param] = argument
        if checker and argument is not UNDEFINED:
            checker.value(param, argument, None)
    cleaning = False  # in nodes that run only after an exception
    for node in block.nodes:
        if node.op == "effect" and node.params["fn"] in (begin_cleanup, end_cleanup):
            cleaning = node.params["fn"] is begin_cleanup
        if cleaning:
            continue
        region = _REGIONS.get(node.op)
        if region is not None:
            results = yield from region(node, env, callees)
        else:
            results = _SIMPLE[node.op](node, [env[v] for v in node.inputs])
        for value, result in zip(node.outputs, results, strict=True):
            env[value] = result
            if checker and result is not UNDEFINED:
                checker.value(value, result, node)
    return [env[v] for v in block.outputs]


# ---- views and writes --------------------------------------------------------------------


def select(base: Any, steps: Steps, inputs: Sequence[Any]) -> Any:
    """The part of ``base`` that the steps select."""
    for step in steps:
        if isinstance(step, Index):
            base = base[fill(step.key, inputs)]  # type: ignore[arg-type]
        else:
            args = fill(step.args, inputs)  # type: ignore[arg-type]
            base = step.fn(base, *args, **dict(fill(step.kwargs, inputs)))  # type: ignore[arg-type]
    return base


def copied(value: Any) -> Any:
    """A copy of an array (in the same memory order) or list; anything else itself."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    return list(value) if isinstance(value, list) else value


def changed(base: Any, steps: Steps, inputs: Sequence[Any],
            change: Callable[[Any, Any], None]) -> Any:
    """A copy of ``base`` on which ``change(target, key)`` was done at the selected part."""
    new = copied(base)
    last = steps[-1] if steps else None
    if isinstance(last, Index):
        target, key = select(new, steps[:-1], inputs), fill(last.key, inputs)  # type: ignore[arg-type]
    else:
        target, key = select(new, steps, inputs), ...
    views = steps[:-1] if isinstance(last, Index) else steps
    if views and isinstance(base, np.ndarray) and target.size \
            and not np.may_share_memory(select(base, views, inputs), base):
        raise AssertionError(f"a write through steps that are not a view: {views}")
    change(target, key)
    return new


def _write(node: Node, inputs: list[Any]) -> list[Any]:
    steps: Steps = node.params["steps"]
    if not steps and not isinstance(inputs[0], np.ndarray):
        return [copied(inputs[1])]

    def change(target: Any, key: Any) -> None:
        target[key] = inputs[1]

    return [changed(inputs[0], steps, inputs, change)]


def _acc(node: Node, inputs: list[Any]) -> list[Any]:
    steps: Steps = node.params["steps"]
    base, value = inputs[0], inputs[1]
    if isinstance(base, tuple) or isinstance(value, tuple):
        return [add_records(base, value)]
    if not steps and not isinstance(base, np.ndarray):
        return [value if base is None else base + value]
    advanced = any(isinstance(s, Index) and not s.basic for s in steps)

    def change(target: Any, key: Any) -> None:
        if advanced:
            np.add.at(target, key, value)
        else:
            target[key] += value

    return [changed(base, steps, inputs, change)]


def _update(node: Node, inputs: list[Any]) -> list[Any]:
    fn = node.params["fn"]

    def change(target: Any, key: Any) -> None:
        target[key] = fn(target[key], inputs[1])

    if not node.params["steps"] and not isinstance(inputs[0], np.ndarray):
        return [fn(copied(inputs[0]), inputs[1])]
    return [changed(inputs[0], node.params["steps"], inputs, change)]


# ---- calls of functions ------------------------------------------------------------------


def _arguments(node: Node, inputs: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return fill(node.params["args"], inputs), fill(node.params["kwargs"], inputs)


def _apply(node: Node, inputs: list[Any]) -> list[Any]:
    args, kwargs = _arguments(node, inputs)
    fn = node.params["fn"]
    if fn in _IN_PLACE:
        args = (copied(args[0]), *args[1:])
    result = fn(*args, **kwargs)
    return list(result) if node.params.get("many") else [result]


def _effect(node: Node, inputs: list[Any]) -> list[Any]:
    args, kwargs = _arguments(node, inputs)
    result = node.params["fn"](*args, **kwargs)
    return [result] if node.outputs else []


# ---- lists ---------------------------------------------------------------------------------


def _edited(edit: Callable[[list[Any], list[Any]], None]) -> Callable[..., list[Any]]:
    def run(node: Node, inputs: list[Any]) -> list[Any]:
        new = list(inputs[0])
        edit(new, inputs[1:])
        return [new]

    return run


def _zero_like(value: Any) -> Any:
    """The zero cotangent of an element of a list."""
    if isinstance(value, list):
        return [_zero_like(v) for v in value]
    if isinstance(value, np.ndarray):
        return np.zeros_like(value)
    if value is None or isinstance(value, tuple):
        return zero_record(value)
    return UNDEFINED if value is UNDEFINED else 0.0


def _inner(items: list[Any], path: list[Any]) -> list[Any]:
    """The innermost list on a path of indices, copied with all lists on the way."""
    for index in path:
        items[index] = items = list(items[index])
    return items


def _put(items: list[Any], rest: list[Any]) -> None:
    value, *path, index = rest
    _inner(items, path)[index] = value


def _get(node: Node, inputs: list[Any]) -> list[Any]:
    return [functools.reduce(operator.getitem, inputs)]


def _list_acc(items: list[Any], rest: list[Any]) -> None:
    value, *path, index = rest
    items = _inner(items, path)
    items[index] = add_records(*(None if v is UNDEFINED else v for v in (items[index], value)))


def _pop(node: Node, inputs: list[Any]) -> list[Any]:
    new = list(inputs[0])
    element = new.pop(*inputs[1:])
    return [new, element]


_SIMPLE: dict[str, Callable[[Node, list[Any]], list[Any]]] = {
    "const": lambda node, inputs: [node.params["value"]],
    "apply": _apply,
    "effect": _effect,
    "read": lambda node, inputs: [select(inputs[0], node.params["steps"], inputs)],
    "write": _write,
    "acc": _acc,
    "update": _update,
    "dim": lambda node, inputs: [0 if inputs[0] is None and node.out.aval.optional
                                 else np.shape(inputs[0])[node.params["axis"]]],
    "list": lambda node, inputs: [list(inputs)],
    "append": _edited(lambda items, rest: _inner(items, rest[1:]).append(rest[0])),
    "insert": _edited(lambda items, rest: items.insert(rest[1], rest[0])),
    "put": _edited(_put),
    "list_acc": _edited(_list_acc),
    "pop": _pop,
    "get": _get,
    "list_len": lambda node, inputs: [len(inputs[0] or ())],
    "pack": lambda node, inputs: [tuple(None if v is UNDEFINED else v for v in inputs)],
    "unpack": lambda node, inputs: list(inputs[0]),
    "list_like": lambda node, inputs: [_zero_like(inputs[0])],
    "copy": lambda node, inputs: [
        [] if inputs[0] is None and node.out.aval.kind is Kind.LIST else copied(inputs[0])],
    "undef": lambda node, inputs: [UNDEFINED],
}


# ---- regions -------------------------------------------------------------------------------


def _if(node: Node, env: Env, callees: Mapping[str, Graph]) -> Task:
    arm = node.blocks[0] if env[node.inputs[0]] else node.blocks[1]
    outputs = yield (arm, (), env, callees)
    return outputs


def _call(node: Node, env: Env, callees: Mapping[str, Graph]) -> Task:
    callee = callees[node.params["callee"]]
    inner = {**callees, **callee.callees}
    outputs = yield (callee.block, [env[v] for v in node.inputs], {}, inner)
    return outputs


def _loop(node: Node, env: Env, callees: Mapping[str, Graph]) -> Task:
    spec = node.loop
    inputs = [env[v] for v in node.inputs]
    first = spec.first_init
    carried = inputs[first:first + spec.n_carried]
    sequences = inputs[first + spec.n_carried:]
    indices = range(*map(operator.index, inputs[:3])) if spec.kind == "for" else None
    body = node.blocks[-1]
    produced: list[list[Any]] = [[] for _ in range(spec.n_produced)]
    last: list[Any] = [UNDEFINED] * spec.n_last
    jump: Any = 0
    trips = 0
    if indices is not None:
        for s in sequences:
            if len(s) != len(indices):
                raise AssertionError(f"a loop of {len(indices)} iterations consumes a sequence "
                                     f"of {len(s)} elements")
    while indices is None or trips < len(indices):
        ordinal = trips
        arguments: list[Any] = list(carried)
        if indices is None:
            test = yield (node.blocks[0], carried, env, callees)
            if not test[0]:
                break
        else:
            ordinal = len(indices) - 1 - trips if spec.reverse else trips
            arguments.insert(0, indices[ordinal])
        elements = [s[ordinal] for s in sequences]
        trips += 1
        outputs = yield (body, [*arguments, *elements], env, callees)
        at = 0
        if spec.exits:
            jump, at = outputs[0], 1
        carried = outputs[at:at + spec.n_carried]
        last = outputs[at + spec.n_carried:at + spec.n_carried + spec.n_last]
        for items, element in zip(produced, outputs[at + spec.n_carried + spec.n_last:],
                                  strict=True):
            items.append(element)
        if spec.exits and jump:
            break
    if spec.reverse:
        for items in produced:
            items.reverse()
    at = spec.exits + spec.n_carried + spec.n_last
    made = [_sequence(items, node.outputs[at + i], i < len(spec.stacked) and spec.stacked[i])
            for i, items in enumerate(produced)]
    return [*([jump] if spec.exits else []), *carried, *last, *made, trips]


def _sequence(items: list[Any], value: Value, stacked: bool) -> Any:
    """A produced sequence: a list, or one array with a leading axis."""
    if not stacked or not items or value.aval.shape is None or value.aval.dtype is None:
        return items
    known = [UNDEFINED if v is None or isinstance(v, list) else v for v in items]
    defined = [v for v in known if v is not UNDEFINED]
    if not defined:  # of a size that nothing tells
        return items
    shape = max((np.shape(v) for v in defined), key=len)  # a number is spread over its row
    missing = np.full(shape, np.nan)
    with np.errstate(invalid="ignore"):
        rows = [missing.astype(value.aval.dtype) if v is UNDEFINED
                else np.broadcast_to(v, shape) if np.shape(v) == () else v for v in known]
    return np.array(rows, dtype=value.aval.dtype)


_REGIONS: dict[str, Callable[[Node, Env, Mapping[str, Graph]], Task]] = {
    "if": _if, "loop": _loop, "call": _call}
