"""Graph nodes: what `grad_fn` shows, leaf accumulators, and saved values.

A node holds *edges* (one per differentiable input: ``(node, output number)`` or None), the
values its *plan* saved, and the plan itself, which knows how to pull a cotangent back:

``plan.pull(node, ct)``
    on arrays, used by a plain backward; returns one array or None per edge.
``plan.pull_graph(node, ct)``
    on tensors, recorded, used under ``create_graph``.
``plan.outputs``
    how many outputs the operation had; with more than one, ``ct`` is a list.
``plan.frees``
    whether a backward without ``retain_graph`` frees the saved values.
``plan.saved_value(node, name)``
    what ``node._saved_<name>`` shows.
"""

from __future__ import annotations

import itertools
import re
import traceback
import warnings
from collections import OrderedDict
from typing import Any, TypeVar

from srcgrad.eager.removable import RemovableHandle, registered
from srcgrad.eager.tensor import Tensor

_SUFFIX = re.compile(r"Backward0?(?=\d*$)")
sequence = itertools.count().__next__
ACCUMULATE_SEQUENCE = (1 << 64) - 1


class NodeExtra:
    """Hooks and metadata of a node, made when first needed."""

    __slots__ = ("guards", "metadata", "outputs", "post_hooks", "pre_hooks", "retain",
                 "tensor_hooks", "trace")

    def __init__(self) -> None:
        self.pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self.post_hooks: OrderedDict[int, Any] = OrderedDict()
        # (output number, hooks, dtype of the output)
        self.tensor_hooks: list[tuple[int, dict[int, Any], Any]] = []
        self.retain: dict[int, Any] = {}  # output number -> weak reference to the tensor
        self.metadata: dict[Any, Any] = {}
        self.outputs: dict[int, Any] = {}  # shape and dtype of those that have gradient edges
        self.guards: list[Any] = []  # saved values that the backward only checks
        self.trace: str | None = None  # anomaly mode: the stack of the forward call


class BoundName:
    """``grad_fn.name``: callable, and printed like the built-in method it is in PyTorch."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node

    def __call__(self) -> str:
        return self._node.plain_name()

    def __repr__(self) -> str:
        return (f"<built-in method name of {type(self._node).__name__} object at "
                f"{id(self._node):#x}>")


# Nodes that are C++ classes of their own in PyTorch carry their namespace in `name()`.
_NATIVE = frozenset(("CopySlices", "CopyBackwards", "Error", "NotImplemented"))


class Node:
    """One recorded operation; subclasses carry the name, see :func:`node_class`."""

    __slots__ = ("__weakref__", "_edges", "_ex", "_meta", "_plan", "_saved", "_seq", "_where")
    _plan: Any
    _edges: tuple[Any, ...]
    _saved: Any
    _meta: Any
    _seq: int
    _ex: NodeExtra | None
    _where: Any

    def plain_name(self) -> str:
        """What ``name()`` returns."""
        name = type(self).__name__
        return "torch::autograd::" + name if name in _NATIVE else name

    def short_name(self) -> str:
        """The operation's name in error messages: ``Exp`` for ``ExpBackward0``, ``Max1``."""
        return _SUFFIX.sub("", self.plain_name())

    @property
    def name(self) -> BoundName:
        return BoundName(self)

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return tuple((None, 0) if e is None else e for e in self._edges)

    @property
    def metadata(self) -> dict[Any, Any]:
        return extra(self).metadata

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return self._seq

    def _set_sequence_nr(self, nr: int) -> None:
        self._seq = nr

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __call__(self, *grads: Any, **keywords: Any) -> Any:
        """Pull gradients (tensors) back through this node alone."""
        if keywords:
            raise TypeError("keyword arguments are not supported")
        from srcgrad.eager.engine import call_node

        return call_node(self, grads)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_saved_"):
            return self._plan.saved_value(self, name[7:])
        if name.startswith("_raw_saved_"):
            if self._saved is not None:
                self._plan.saved_value(self, name[11:])  # raises AttributeError for unknown names
            return SavedTensor(self, name[11:])
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def register_hook(self, hook: Any) -> RemovableHandle:
        """``hook(grad_inputs, grad_outputs)`` runs after this node's backward."""
        return registered(extra(self).post_hooks, hook)

    def register_prehook(self, hook: Any) -> RemovableHandle:
        """``hook(grad_outputs)`` runs before this node's backward."""
        return registered(extra(self).pre_hooks, hook)


class SavedTensor:
    """A saved value whose pack and unpack hooks can still be set."""

    __module__ = "torch._C._autograd"

    def __init__(self, node: Node, name: str) -> None:
        self._node, self._name = node, name

    def register_hooks(self, pack: Any, unpack: Any) -> None:
        """Replace the saved tensor by ``pack(tensor)``; ``unpack`` gives it back."""
        if self._node._saved is None:
            raise freed_error("Calling register_hooks on a saved tensor after it has been freed",
                              "variables")
        self._node._plan.pack_field(self._node, self._name, pack, unpack)


def extra(node: Node) -> NodeExtra:
    """The rare part of ``node``, made if there is none yet."""
    if node._ex is None:
        node._ex = NodeExtra()
    return node._ex


_CLASSES: dict[str, type[Node]] = {}
N = TypeVar("N", bound=Node)


def node_class(name: str) -> type[Node]:
    """The node type called ``name`` (``AddBackward0``), made on first use."""
    found = _CLASSES.get(name)
    if found is None:
        found = _CLASSES[name] = type(name, (Node,), {"__slots__": ()})
    return found


def named(out: Tensor, node: str) -> Any:
    """``out`` of a composition, its last node under the name of PyTorch's single one."""
    if out._fn is not None:
        out._fn.__class__ = node_class(node)
    return out


def make_node(cls: type[N], plan: Any, edges: tuple[Any, ...], saved: Any, meta: Any,
              seq: int | None = None) -> N:
    """A node with the next sequence number, or a given one."""
    node = object.__new__(cls)
    node._plan = plan
    node._edges = edges
    node._saved = saved
    node._meta = meta
    node._seq = sequence() if seq is None else seq
    node._ex = None
    node._where = None
    return node


_PACKAGE = __name__.rpartition(".")[0].replace(".", "/")


def note_trace(node: Node) -> None:
    """Anomaly mode: keep the stack of the forward call, without this package's own frames."""
    frames = traceback.extract_stack()
    kept = [f for f in frames if _PACKAGE not in f.filename.replace("\\", "/")]
    extra(node).trace = "".join(traceback.format_list(kept))


def report_anomaly(node: Node) -> None:
    """Warn with the forward stack of ``node``."""
    trace = node._ex.trace if node._ex is not None else None
    known = ("No forward pass information available. Enable detect anomaly during forward pass for "
             "more information." if trace is None else
             f"Traceback of forward call that caused the error:\n{trace}")
    warnings.warn(f"Error detected in {node.plain_name()}. {known}", UserWarning, stacklevel=4)


def freed_error(tried: str = "Trying to backward through the graph a second time (or directly "
                "access saved tensors after they have already been freed)",
                kept: str = "tensors") -> RuntimeError:
    return RuntimeError(f"{tried}. Saved intermediate values of the graph are freed when you call "
                        ".backward() or autograd.grad(). Specify retain_graph=True if you need to "
                        "backward through the graph a second time or if you need to access saved "
                        f"{kept} after calling backward.")


def place_text(where: Any) -> str | None:
    """``file, line`` of a recorded place: a code object and an instruction offset."""
    if not isinstance(where, tuple):
        return None
    code, offset = where[:2]
    line = None
    for start, end, number in code.co_lines():
        if start <= offset < end:
            line = number
    return f'File "{code.co_filename}", line {line}, in {code.co_name}'


def modified_error(tensor_name: str, shape: tuple[int, ...], producer: str | None, nr: int,
                   now: int, then: int, saver: Any, writer: Any,
                   anomaly: bool = False) -> RuntimeError:
    """PyTorch's message; notes name the line that saved the tensor and the one that wrote."""
    made = f", which is output {nr} of {producer}," if producer else ""
    hint = ("the backtrace further above shows the operation that failed to compute its gradient. "
            "The variable in question was changed in there or anywhere later. Good luck!"
            if anomaly else
            "enable anomaly detection to find the operation that failed to compute its gradient, "
            "with torch.autograd.set_detect_anomaly(True, check_nan=False).")
    error = RuntimeError("one of the variables needed for gradient computation has been modified "
                         f"by an inplace operation: [torch.{tensor_name} {list(shape)}]{made} is "
                         f"at version {now}; expected version {then} instead. Hint: {hint}")
    for verb, place in (("saved for backward", saver), ("modified in place", writer)):
        text = place_text(place)
        if text is not None:
            error.add_note(f"The tensor was {verb} at: {text}")
    return error


class BarePlan:
    """What plans have in common that save nothing to be shown: one output, nothing to free."""

    outputs = 1
    frees: Any = False

    def rebind_output(self, node: Node, t: Tensor) -> None:
        """The output was written in place: it is not saved here."""

    def saved_value(self, node: Node, name: str) -> Any:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{name}'")


class RefusingPlan(BarePlan):
    """Of nodes that have no derivative: their backward raises."""

    def __init__(self, text: str, outputs: int = 1) -> None:
        self.text, self.outputs = text, outputs

    def pull(self, node: Node, ct: Any) -> Any:
        raise RuntimeError(self.text)

    pull_graph = pull


class AccumulateGrad(Node):
    """The sink of a leaf: adds to its ``grad``.  The leaf refers to it weakly."""

    __slots__ = ("variable",)
    variable: Tensor

    def plain_name(self) -> str:
        return "torch::autograd::AccumulateGrad"


class _JointPlan(BarePlan):
    """Pulls each cotangent through the node of its result and adds up.  The nodes have the same
    edges: they are of functions of the same arguments."""

    outputs = 2  # the engine hands over a list
    frees = "inner"

    def pull(self, node: Any, cts: list[Any]) -> list[Any]:
        return self._sums(node, cts, "pull")

    def pull_graph(self, node: Any, cts: list[Any]) -> list[Any]:
        return self._sums(node, cts, "pull_graph")

    def _sums(self, node: Any, cts: list[Any], how: str) -> list[Any]:
        totals: list[Any] = [None] * len(node._edges)
        for inner, ct in zip(node._saved, cts):
            if ct is not None:
                for i, g in enumerate(getattr(inner._plan, how)(inner, ct)):
                    if g is not None:
                        totals[i] = g if totals[i] is None else totals[i] + g
        return totals

    def release(self, node: Any) -> None:
        for inner in node._saved:
            if inner._plan.frees:
                inner._saved = None

    def saved_value(self, node: Any, name: str) -> Any:
        return node._saved[0]._plan.saved_value(node._saved[0], name)


_PLAN = _JointPlan()


def joint(name: str, *results: Tensor) -> tuple[Tensor, ...]:
    """``results``, which were computed from the same arguments, as outputs of one node."""
    inner = tuple(t._fn for t in results)
    if inner[0] is not None:
        node = make_node(node_class(name), _PLAN, inner[0]._edges, inner, None)
        for nr, t in enumerate(results):
            t._fn, t._nr = node, nr
    return results
