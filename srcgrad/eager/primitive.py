"""Primitives: functions of the rule book, recorded on the tape.

``Primitive(function, "CumsumBackward0")`` is the bridge between one entry of
:mod:`srcgrad.rules.book` and the tape.  Calling it with tensors computes ``function`` on their
arrays and, if gradients are wanted, leaves a node whose backward evaluates the entry's rules.
What the node saves is what the rule bodies name: nothing is declared here.

For each combination of arguments (which are tensors, which need gradients) a :class:`Plan` is
made once and kept: the list of values to save and the list of bodies to call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.grad_mode import ANOMALY, FORWARD, GRAD, HOOKS, INFERENCE, state
from srcgrad.eager.node_facts import (
    CHOICES,
    CONTIGUOUS,
    GRADIENT_NODES,
    GUARDS,
    JOINT,
    LIKE_INPUT,
    RECOMPUTES,
    TAKES_INPUT,
)
from srcgrad.eager.nodes import make_node, node_class, note_trace
from srcgrad.eager.plans import Plan
from srcgrad.eager.saving import guard_as
from srcgrad.eager.tensor import Tensor, extra, store, wrap
from srcgrad.eager.views import caller_place, gradient_edge, requires_grad
from srcgrad.rules.book import Entry, lookup

_ndarray = np.ndarray
_SEQUENCES = (list, tuple)
# How PyTorch shows what rules call by these names.
_SHOWN = {"a": "self", "x": "self", "x1": "self", "input": "self", "array": "self", "start": "self",
          "x2": "other", "ans": "result", "axis": "dim", "keepdims": "keepdim", "a_min": "min",
          "a_max": "max", "a_shape": "self_sym_sizes", "array_shape": "self_sym_sizes"}
_NO_VALUE_MEANS = {"keepdims": False, "where": True}
BY_FUNCTION: dict[Any, Primitive] = {}


class Primitive:
    """A function of the rule book under PyTorch's node name.

    ``node``      the node's type, ``"CumsumBackward0"``.
    ``primal``    what computes the value, by default ``function`` itself.
    ``shown``     saved names as PyTorch shows them, ``{"x2": "exponent"}`` for ``_saved_exponent``,
                  where the common ones do not say it.
    ``settings``  named settings (kink policies) of the rules.
    ``outputs``   how many outputs ``function`` returns (None: as many as it returns).
    ``scalar_edges``  whether a number or None in a differentiable place has an edge ``None``.
    ``recompute`` save inputs and compute ``ans`` again, where PyTorch does not save the result.
    ``frees``     False where PyTorch's formula saves nothing that could be freed.
    ``graph_node``  the name that the node of the gradient has under ``create_graph``, where
                  PyTorch has a function for this backward.
    ``canonical``  calls always use the rule's own names and forms: nothing to adapt.
    ``lift_numbers``  hand Python numbers to the rules as 0-dim arrays under ``create_graph``, so
                  that no shortcut (``x**1``) loses the dependence on a tensor.
    ``main``      False where rule bodies that call ``function`` are not recorded under this node
                  (the first one declared for it serves them).
    ``chooses``  whether PyTorch's formula only compares what it saves: under ``create_graph`` the
                 gradient does not depend on it then.  By default as the node's name tells.
    ``inactive_outputs``  positions of outputs that never need gradients (indices).
    """

    def __init__(self, function: Callable[..., Any], node: str, *,
                 primal: Callable[..., Any] | None = None, shown: dict[str, str] | None = None,
                 settings: dict[str, Any] | None = None, outputs: int | None = 1,
                 scalar_edges: bool = False, recompute: bool = False, frees: bool | None = None,
                 inactive_outputs: Sequence[int] = (), main: bool = True,
                 graph_node: str | None = None, lift_numbers: bool = False, canonical: bool = False,
                 chooses: bool | None = None) -> None:
        found = lookup(function)
        if found is None:
            raise TypeError(f"no rules for {function!r}: declare them in srcgrad.rules")
        self.entry: Entry = found
        self.function = function
        # the rule book's own functions look for engines' arrays first: here are none
        own = str(function.__module__).startswith("srcgrad.rules.")
        computes: Any = getattr(function, "__wrapped__", function) if own else function
        self.primal: Callable[..., Any] = primal or computes
        self.cls = node_class(node)
        self.settings = settings or {}
        self.outputs = outputs
        self.scalar_edges = scalar_edges
        self.recompute = recompute or node in RECOMPUTES
        self.guards = GUARDS.get(node, ())
        self.contiguous = node in CONTIGUOUS
        self.like_input = node in LIKE_INPUT
        self.joins = node == "CatBackward0"  # contiguous, but for images laid out channels last
        self.frees = True if self.guards and frees is None else frees
        self.graph_node = graph_node or GRADIENT_NODES.get(node)
        self.chooses = node in CHOICES if chooses is None else chooses
        self.takes_input = node in TAKES_INPUT
        self.joint = node in JOINT
        self.lift_numbers = lift_numbers
        self.canonical = canonical
        self.inactive_outputs = frozenset(inactive_outputs)
        self.names = tuple(found.signature.parameters)
        self.shown = _SHOWN | (shown or {})
        self.defaults = {n: _NO_VALUE_MEANS.get(n) if p.default is np._NoValue else p.default
                         for n, p in found.signature.parameters.items() if p.default is not p.empty}
        self.variadic = next((n for n, p in found.signature.parameters.items()
                              if p.kind is p.VAR_POSITIONAL), None)
        self.plans: dict[Any, Plan] = {}
        self.orders: dict[tuple[str, ...], tuple[str, ...]] = {}  # by the names that are given
        if main:
            BY_FUNCTION.setdefault(function, self)

    def rule_name(self, theirs: str) -> str:
        """What the rules call a value that PyTorch shows as ``_saved_<theirs>``."""
        own = (*self.names, "ans", *(f"{name}_shape" for name in self.names))
        return next((name for name in own if self.shown.get(name) == theirs), theirs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arrays = [raw(v) for v in args]
        options = {k: raw(v) for k, v in kwargs.items()} if kwargs else kwargs
        token = quiet()
        try:
            out = self.primal(*arrays, **options)
        finally:
            loud(token)
        return self.finish(out, args, kwargs)

    def finish(self, out: Any, args: Sequence[Any], kwargs: dict[str, Any],
               d: dt.dtype | None = None) -> Any:
        """Tensors for the primal result ``out`` of a call with these arguments, recorded.

        ``d`` is the dtype of the result where the array does not tell (bfloat16)."""
        tensors = _tensors(args, kwargs)
        if d is None:
            for t in tensors:
                if t._dt is dt.bfloat16:
                    d = dt.bfloat16
        if self.outputs == 1:
            if self.contiguous or (self.joins and np.ndim(out) != 4):
                out = np.asarray(out, order="C")
            elif self.like_input:
                laid = np.empty_like(tensors[0]._a, dtype=out.dtype)
                laid[...] = out
                out = laid
            results: Any = own(out, d, tensors)
            made: tuple[Tensor, ...] = (results,)
        else:
            results = made = tuple(own(o, d, tensors) for o in out)
        mode = state.mode
        if mode & INFERENCE:
            for t in made:
                extra(t).inference = True
        if mode & (GRAD | FORWARD) and not self.entry.nondiff:
            active = False
            if mode & GRAD:
                for t in tensors:
                    if t._rg or (t._view is not None and t._view.base._rg):
                        active = True
                        break
            if not active and not mode & FORWARD:
                return results
            named = self.bind(args, kwargs)
            if active:
                self.record(named, made)
            if mode & FORWARD:
                push_forward(self, named, made)
        return results

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by the rule's names."""
        if self.entry.adapt is not None and not self.canonical:
            return self.entry.bind(tuple(args), kwargs)
        if self.variadic is not None:
            place = self.names.index(self.variadic)
            named = dict(zip(self.names[:place], args))
            named[self.variadic] = tuple(args[place:])
        else:
            named = dict(zip(self.names, args))
        named.update(kwargs)
        return named

    def record(self, named: dict[str, Any], made: tuple[Tensor, ...]) -> Any:
        """Attach a node for this call to the tensors ``made``."""
        edges: list[Any] = []
        meta: list[Any] = []
        codes, is_complex = self.coded(named, made, edges, meta, self._edge)
        key = (tuple(named), tuple(codes.values()), is_complex)
        plan = self.plans.get(key)
        if plan is None:
            if not any(c == "g" or (isinstance(c, tuple) and "g" in c) for c in codes.values()):
                return None
            plan = self.plans[key] = Plan(self, dict.fromkeys(self.names, "n") | codes, is_complex)
        elif not edges:
            return None
        node = make_node(self.cls, plan, tuple(edges), None, tuple(meta))
        for nr, t in enumerate(made):
            if nr not in self.inactive_outputs and t._dt.category >= dt.FLOATING:
                t._fn = node
                t._nr = nr
                t._rg = True
        node._saved = plan.save(named, made, node)
        if self.outputs != 1:
            node._meta = (node._meta, tuple((t._a.shape, t._dt) for t in made))
        if self.guards and not state.mode & HOOKS:
            guard_as(node, self.guards, named, self.names, made[0])
        node._where = caller_place() if plan.frees else None
        if state.mode & ANOMALY:
            note_trace(node)
        return node

    def coded(self, named: dict[str, Any], made: tuple[Tensor, ...], edges: list[Any],
              meta: list[Any], edge: Callable[..., str]) -> tuple[dict[str, Any], bool]:
        """How a call uses its arguments: a tensor that a gradient flows to (``"g"``) or none does
        (``"t"``), another value (``"s"``), None (``"n"``); and whether it is of complex numbers.
        For tensors that rules are for, ``edge`` decides, and appends their edges."""
        rules = self.entry.rules
        codes: dict[str, Any] = {}
        is_complex = made[0]._dt.category == dt.COMPLEX
        given = tuple(named)
        order = self.orders.get(given)
        if order is None:
            order = self.orders[given] = tuple(n for n in self.names if n in named or n in rules)
        for name in order:
            value = named.get(name)
            if isinstance(value, Tensor):
                codes[name] = edge(value, edges, meta) if name in rules else "t"
                is_complex = is_complex or value._dt.category == dt.COMPLEX
            elif value.__class__ in _SEQUENCES and any(isinstance(v, Tensor) for v in value):
                codes[name] = tuple(
                    "s" if not isinstance(v, Tensor) else
                    edge(v, edges, meta) if name in rules else "t" for v in value)
                is_complex = is_complex or any(
                    isinstance(v, Tensor) and v._dt.category == dt.COMPLEX for v in value)
            else:
                codes[name] = "s" if value is not None else "n"
                if self.scalar_edges and name in rules:
                    edges.append(None)
                    meta.append(None)
        return codes, is_complex

    @staticmethod
    def _edge(t: Tensor, edges: list[Any], meta: list[Any]) -> str:
        """Append the edge of differentiable argument ``t``; its letter in the plan's key."""
        edge = gradient_edge(t) if t._dt.category >= dt.FLOATING else None
        edges.append(edge)
        meta.append(None if edge is None else (t._a.shape, t._dt))
        if edge is None and (t._view is None or not requires_grad(t) or (
                t._dt.category < dt.FLOATING)):
            return "t"
        return "g"  # also a view whose base alone requires gradients: its edge leads nowhere


def own(out: Any, d: dt.dtype | None, sources: Sequence[Tensor]) -> Tensor:
    """A tensor that owns ``out``: copied where it shares memory with an input."""
    a = out if out.__class__ is np.ndarray else np.asarray(out)
    if a.base is not None and (
            any(s < 0 for s in a.strides) or any(np.may_share_memory(a, s._a) for s in sources)):
        a = a.copy()
    if d is not None and d.category == dt.FLOATING and a.dtype.kind == "f":
        return wrap(store(d, a), d)
    return wrap(a, dt.FROM_NUMPY[a.dtype])


def raw(value: Any) -> Any:
    """Tensors to their arrays, also inside sequences."""
    if isinstance(value, Tensor):
        return value._a
    if value.__class__ in (list, tuple):
        return value.__class__(raw(v) for v in value)
    return value


def _tensors(args: Sequence[Any], kwargs: dict[str, Any]) -> list[Tensor]:
    found = []
    for value in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(value, Tensor):
            found.append(value)
        elif value.__class__ in (list, tuple):
            found.extend(v for v in value if isinstance(v, Tensor))
    return found


forward: list[Callable[..., None]] = []


def push_forward(prim: Primitive, named: dict[str, Any], made: tuple[Tensor, ...]) -> None:
    """Forward mode: give the outputs their tangents."""
    if forward:
        forward[0](prim, named, made)
