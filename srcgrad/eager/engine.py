"""The backward engine: iterative, in reverse order of execution, on arrays.

A plain backward carries arrays; tensors are made only where a hook or a custom Function sees
them.  Under ``create_graph`` the same loop carries tensors and calls ``plan.pull_graph``.

Order: a node runs when every node that feeds it has run; among those ready, the one recorded
last runs first, and leaf accumulators at once.  That is PyTorch's order.
"""

from __future__ import annotations

import contextvars
import heapq
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.grad_mode import ANOMALY, GRAD, INFERENCE, is_anomaly_check_nan_enabled, state
from srcgrad.eager.nodes import Node, report_anomaly
from srcgrad.eager.saving import check_guards
from srcgrad.eager.tensor import Array, Tensor, wrap
from srcgrad.eager.views import ACCUMULATE, accumulate, retain

_ndarray = np.ndarray
_references = sys.getrefcount


def _counts(g: Array, ct: Array) -> tuple[int, int, int]:
    """Reference counts of a gradient, of the cotangent it was computed from, of its base."""
    base = g.base
    return _references(g), _references(ct), _references(base)


def _probe() -> tuple[int, int, int, int, int]:
    """What :func:`_counts` gives, called from a frame like the loop's, for a gradient that
    nobody else refers to: a new array, a view of a new array, of ``ct``, of ``ct``'s base."""
    slot: list[Any] = [0, None, False]
    ct = np.empty((2, 3))
    grads = (np.empty((2, 3)),)
    g = slot[1] = grads[0]
    alone, incoming, _ = _counts(g, ct)
    grads = (np.empty((2, 3)).T,)
    g = slot[1] = grads[0]
    view = _counts(g, ct)[2]
    grads = (ct.T,)
    g = slot[1] = grads[0]
    view_of_ct = _counts(g, ct)[2]
    ct = np.empty((2, 3)).T
    grads = (ct.T,)
    g = slot[1] = grads[0]
    return alone, incoming, view, view_of_ct, _counts(g, ct)[2]


_ALONE, _INCOMING, _VIEW, _VIEW_OF_CT, _VIEW_THROUGH_CT = _probe()


def _unshared(g: Array, ct: Array) -> bool:
    """Whether nobody but the loop refers to the memory of gradient ``g``."""
    base = g.base
    if _references(g) > _ALONE:
        return False
    if base is None:
        return True
    if base.__class__ is not _ndarray or base.base is not None:
        return False
    if base is ct:
        return _references(base) <= _VIEW_OF_CT
    if ct.__class__ is _ndarray and ct.base is base:
        return _references(ct) <= _INCOMING and _references(base) <= _VIEW_THROUGH_CT
    return _references(base) <= _VIEW


class Run:
    """One traversal: what was asked for, and the cotangents on their way.

    With ``captures`` (of ``grad``) cotangents are handed out, and only nodes that lead to one of
    these edges run; with ``ends`` (the ``inputs`` of ``backward``) only these nodes and those
    that lead there.
    """

    def __init__(self, retain: bool, graph: bool,
                 captures: dict[tuple[Node, int], list[int]] | None = None,
                 ends: set[Node] | None = None) -> None:
        self.retain = retain
        self.graph = graph
        self.captures = captures or {}
        self.captured: dict[int, Any] = {}
        self.ends = ends
        self.partial = captures is not None or ends is not None
        self.notes: dict[Any, Any] = {}  # what hooks keep while this runs
        self.callbacks: list[Callable[[], Any]] = []  # to be called when all has run
        self.table: dict[Node, list[Any]] = {}
        self.runs: set[Node] = set()  # with ``partial``: the nodes that run
        self.reached: set[Node] = set()  # and those that a cotangent is sent to

    def execute(self, roots: Sequence[tuple[Node, int, Any]]) -> None:
        """Send the cotangents of ``roots`` back through the graph."""
        if state.depth and state.depth % _DEPTH == 0:
            _on_new_stack(lambda: self._execute(roots))
        else:
            self._execute(roots)

    def _execute(self, roots: Sequence[tuple[Node, int, Any]]) -> None:
        before, outer, hooks = state.mode, state.run, state.hooks
        state.mode = (before | GRAD) if self.graph else (before & ~(GRAD | INFERENCE))
        state.run, state.hooks = self, hooks.copy()  # what a backward opens ends with it
        state.depth += 1
        try:
            token = quiet()
            try:
                self._loop(roots)
            finally:
                loud(token)
                state.mode = before
            for callback in self.callbacks:  # one may add others
                callback()
        finally:
            state.depth -= 1
            state.mode, state.run, state.hooks = before, outer, hooks

    def will_run(self, node: Node) -> bool:
        """Whether the traversal gets to ``node`` and runs it."""
        return node in (self.runs if self.partial else self.table)

    def _discover(self, roots: Sequence[tuple[Node, int, Any]]) -> dict[Node, list[Any]]:
        """For each node that can be reached, its slot ``[edges still to come, cotangent, owned]``;
        ``owned`` says that the cotangent is a sum made here, which may be added to in place."""
        table: dict[Node, list[Any]] = {}
        stack: list[Node] = []
        for node, _, _ in roots:
            if node not in table:
                table[node] = [0, None, False]
                stack.append(node)
        pop, push, find = stack.pop, stack.append, table.get
        while stack:
            for edge in pop()._edges:
                if edge is not None:
                    child = edge[0]
                    slot = find(child)
                    if slot is None:
                        table[child] = [1, None, False]
                        push(child)
                    else:
                        slot[0] += 1
        return table

    def _mark(self, table: dict[Node, list[Any]]) -> None:
        """Find the nodes that lead to what was asked for."""
        self.runs = set(self.ends or ())
        self.reached = self.runs | {node for node, _ in self.captures}
        for node in sorted(table, key=lambda n: n._seq):
            if any(e is not None and e[0] in self.reached for e in node._edges):
                self.runs.add(node)
                self.reached.add(node)

    def _started(
        self, roots: Sequence[tuple[Node, int, Any]]
    ) -> tuple[dict[Node, list[Any]], list[tuple[int, int, Node]]]:
        """The slots of all nodes, with the roots' cotangents, and the nodes that are ready."""
        table = self.table = self._discover(roots)
        if self.partial:
            self._mark(table)
        heap: list[tuple[int, int, Node]] = []
        for node, nr, ct in roots:
            _deliver(table[node], node, nr, ct)
        for node in dict.fromkeys(n for n, _, _ in roots):
            if table[node][0] == 0:
                heapq.heappush(heap, (-node._seq, id(node), node))
        return table, heap

    def _loop(self, roots: Sequence[tuple[Node, int, Any]]) -> None:
        table, heap = self._started(roots)
        partial, runs = self.partial, self.runs
        special = partial or state.mode & ANOMALY != 0
        graph, retain = self.graph, self.retain
        current: Node | None = heapq.heappop(heap)[2] if heap else None
        while current is not None:
            node = current
            current = None
            slot = table[node]
            ct = slot[1]
            slot[1] = None
            plan = node._plan
            if plan is ACCUMULATE:
                self._leaf(node, ct)
            else:
                if special or ct is None or node._ex is not None:
                    grads = self._careful(node, ct)
                    if node._ex is not None and node._ex.guards and not retain and (
                            not partial or node in runs):
                        node._saved = None
                elif graph:
                    grads = plan.pull_graph(node, ct)
                else:
                    grads = plan.pull(node, ct)
                if plan.frees and not retain and (not partial or node in runs):
                    if plan.frees is True:
                        node._saved = None
                    else:
                        plan.release(node)
                for index, edge in enumerate(node._edges):
                    if edge is not None:
                        child, nr = edge
                        slot = table[child]
                        if grads is not None:
                            g = grads[index]
                            if g is not None:
                                if child._plan.outputs != 1:
                                    _deliver(slot, child, nr, g)
                                elif slot[1] is None:
                                    slot[1] = g
                                elif slot[2] and g.__class__ is _ndarray:
                                    np.add(slot[1], g, out=slot[1])
                                else:
                                    slot[1] = slot[1] + g
                                    slot[2] = not graph and slot[1].__class__ is _ndarray
                        slot[0] -= 1
                        if not slot[0]:
                            if child._plan is ACCUMULATE:
                                ours = slot[2]
                                if grads is not None and not ours and not graph:
                                    g = grads[index]
                                    ours = (g is slot[1] and g.__class__ is _ndarray
                                            and _unshared(g, ct))
                                self._leaf(child, slot[1], ours)
                                slot[1] = None
                            elif current is None and not heap:
                                current = child
                            else:
                                if current is not None:
                                    heapq.heappush(heap, (-current._seq, id(current), current))
                                    current = None
                                heapq.heappush(heap, (-child._seq, id(child), child))
            if current is None and heap:
                current = heapq.heappop(heap)[2]

    def _careful(self, node: Node, ct: Any) -> Any:
        """Run a node that has hooks, is captured, is watched, or gets no cotangent."""
        plan = node._plan
        if self.partial and node not in self.runs:
            if ct is not None:
                self._capture(node, self._tensor_hooks(node, ct))
            return None
        self._capture(node, ct)
        if node._ex is not None:
            ct = self._pre_hooks(node, self._tensor_hooks(node, ct))
            if node._ex.guards and ct is not None:
                check_guards(node)
        if ct is None and not plan_wants_none(plan):
            grads: Any = None
        elif state.mode & ANOMALY:
            grads = self._watched(node, ct)
        else:
            grads = plan.pull_graph(node, ct) if self.graph else plan.pull(node, ct)
        if node._ex is not None and node._ex.post_hooks:
            grads = self._after(node, grads, ct)
        if self.partial and grads is not None:
            grads = [g if e is not None and e[0] in self.reached else None
                     for e, g in zip(node._edges, grads)]
        return grads

    # -- hooks and captures --------------------------------------------------------------

    def _capture(self, node: Node, ct: Any) -> None:
        """Keep what arrives at a captured edge."""
        if self.captures and ct is not None:
            for nr, c in enumerate(ct if ct.__class__ is list else [ct]):
                for place in self.captures.get((node, nr), ()):
                    self.captured[place] = c

    def _tensor_hooks(self, node: Node, ct: Any) -> Any:
        """Tensor hooks of the outputs of ``node``, then the gradients they retain."""
        ex = node._ex
        if ex is None:
            return ct
        several = ct.__class__ is list
        cts = list(ct) if several else [ct]
        for nr, hooks, d in ex.tensor_hooks:
            if nr < len(cts):
                cts[nr] = self._call_tensor_hooks(hooks, cts[nr], d)
            elif hooks:
                self._call_tensor_hooks(hooks, None, d)
        for nr, reference in ex.retain.items():
            t = reference()
            if t is not None and nr < len(cts) and cts[nr] is not None:
                retain(t, self.tensor(cts[nr], t._dt))
        return cts if several else cts[0]

    def _pre_hooks(self, node: Node, ct: Any, d: dt.dtype | None = None) -> Any:
        several = ct.__class__ is list
        cts = ct if several else [ct]
        for hook in list(node._ex.pre_hooks.values()):  # type: ignore[union-attr]
            result = hook(tuple(None if c is None else self.tensor(c, d) for c in cts))
            if result is not None:
                check_replacements(hook, result, len(cts))
                cts = [None if r is None else self.value(r) for r in result]
        return cts if several else cts[0]

    def _call_tensor_hooks(self, hooks: dict[int, Any], ct: Any, d: dt.dtype) -> Any:
        for hook in list(hooks.values()):
            given = None if ct is None else self.tensor(ct, d)
            result = hook(given)
            if given is None:
                if result is not None:
                    raise RuntimeError("can't replace a None gradient with a non-None value")
            elif result is not None:
                check_hook_result(given, result, hook)
                ct = self.value(result)
            else:
                ct = self.value(given)
        return ct

    def _after(self, node: Node, grads: Any, ct: Any) -> Any:
        cts = ct if ct.__class__ is list else [ct]
        if grads is None:
            grads = [None] * len(node._edges)
        for hook in list(node._ex.post_hooks.values()):  # type: ignore[union-attr]
            inputs = tuple(None if g is None else self.tensor(g) for g in grads)
            result = hook(inputs, tuple(None if c is None else self.tensor(c) for c in cts))
            if result is not None:
                check_replacements(hook, result, len(grads))
                grads = [None if r is None else self.value(r) for r in result]
        return grads

    def tensor(self, ct: Any, d: dt.dtype | None = None) -> Tensor:
        """A cotangent as hooks see it."""
        if isinstance(ct, Tensor):
            return ct
        return wrap(ct, d or dt.FROM_NUMPY[ct.dtype])

    def value(self, t: Any) -> Any:
        """A cotangent as this run carries it."""
        return t if self.graph else t._a

    def _watched(self, node: Node, ct: Any) -> Any:
        try:
            grads = node._plan.pull_graph(node, ct) if self.graph else node._plan.pull(node, ct)
        except Exception:
            report_anomaly(node)
            raise
        if is_anomaly_check_nan_enabled():
            for i, g in enumerate(grads):
                a = None if g is None else (g._a if isinstance(g, Tensor) else g)
                if a is not None and a.dtype.kind in "fc" and np.isnan(a).any():
                    report_anomaly(node)
                    raise RuntimeError(f"Function '{node.plain_name()}' returned nan values in its "
                                       f"{i}th output.")
        return grads

    def _leaf(self, node: Any, ct: Any, ours: bool = False) -> None:
        """Hooks of a leaf, then capture or accumulation.  ``ours``: nobody else has ``ct``."""
        leaf = node.variable
        x = leaf._x
        if ct is None:
            if x is not None and x.backward_hooks and (
                    not self.partial or node in self.reached):
                self._call_tensor_hooks(x.backward_hooks, None, leaf._dt)
            return
        ours = ours and node._ex is None and (x is None or not x.backward_hooks)
        if x is not None and x.backward_hooks:
            ct = self._call_tensor_hooks(x.backward_hooks, ct, leaf._dt)
        if self.partial and node not in self.runs:
            self._capture(node, ct)
            return
        if node._ex is not None:
            ct = self._pre_hooks(node, ct, leaf._dt)
        if leaf._rg:  # not if that was switched off since
            if leaf._fn is not None:
                raise RuntimeError("leaf variable has been moved into the graph interior")
            accumulate(leaf, ct, self.graph, ours)
            if x is not None and x.post_accumulate:
                for hook in list(x.post_accumulate.values()):
                    result = hook(leaf)
                    if isinstance(result, Tensor):
                        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
                    if result is not None:
                        raise TypeError("expected Variable, but hook returned "
                                        f"'{type(result).__name__}'")
        if node._ex is not None:
            for hook in list(node._ex.post_hooks.values()):
                hook((), (self.tensor(ct, leaf._dt),))


_DEPTH = 40  # backwards within backwards on one stack: each takes about twenty frames


def _on_new_stack(call: Callable[[], None]) -> None:
    """``call()`` in a thread of its own, which sees this thread's modes."""
    modes, context = dict(state.__dict__), contextvars.copy_context()
    failed: list[BaseException] = []

    def body() -> None:
        state.__dict__.update(modes)
        try:
            context.run(call)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


class ImperativeEngine:
    """``Variable._execution_engine``: the engine as other libraries address it."""

    @staticmethod
    def queue_callback(callback: Callable[[], Any]) -> None:
        """Call ``callback`` when the backward that runs is through."""
        if state.run is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.run.callbacks.append(callback)


def _deliver(slot: list[Any], node: Node, nr: int, g: Any) -> None:
    """Add a cotangent to what waits for ``node``: a list if it has several outputs."""
    if node._plan.outputs == 1:
        slot[1] = g if slot[1] is None else slot[1] + g
        return
    if slot[1] is None:
        slot[1] = []
    waiting = slot[1]
    while len(waiting) <= nr:
        waiting.append(None)
    waiting[nr] = g if waiting[nr] is None else waiting[nr] + g


def plan_wants_none(plan: Any) -> bool:
    """Custom Functions run even if no gradient arrives."""
    return getattr(plan, "wants_none", False) is True


def call_node(node: Node, grads: tuple[Any, ...]) -> Any:
    """``grad_fn(grad)``: this node's backward alone, on tensors."""
    expected = node._plan.outputs if not plan_wants_none(node._plan) else len(node._meta[1])
    if len(grads) != expected:
        raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
    for i, g in enumerate(grads):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"argument {i} is not a Variable")
    if all(g is None for g in grads) and not plan_wants_none(node._plan):
        out: Any = [None] * len(node._edges)
        return out[0] if len(out) == 1 else tuple(out)
    ct: Any = list(grads) if node._plan.outputs != 1 else grads[0]
    if node._plan is ACCUMULATE:
        accumulate(node.variable, ct._a, False)
        return None
    if state.mode & GRAD:
        out = node._plan.pull_graph(node, ct)
    else:
        raw = [None if g is None else g._a for g in grads]
        pulled = node._plan.pull(node, raw if node._plan.outputs != 1 else raw[0])
        out = [None if g is None else wrap(g, dt.FROM_NUMPY[g.dtype]) for g in pulled]
    return out[0] if len(out) == 1 else tuple(out)


def _name(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def check_replacements(hook: Any, result: Any, count: int) -> None:
    """A hook of a node replaces all its gradients or none."""
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != count:
        raise RuntimeError(f"hook '{_name(hook)}' has returned an incorrect number of values "
                           f"(got {len(result)}, but expected {count})")


def check_hook_result(given: Tensor, result: Any, hook: Any) -> None:
    """A hook may replace a gradient only by a tensor of the same shape."""
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result._a.shape != given._a.shape:
        raise RuntimeError(f"hook '{_name(hook)}' has changed the size of value")
    if result._dt is not given._dt:
        raise RuntimeError(
            f"hook '{_name(hook)}' has changed the type of value (was torch."
            f"{given._dt.tensor_name}Tensor got torch.{result._dt.tensor_name}Tensor)")
