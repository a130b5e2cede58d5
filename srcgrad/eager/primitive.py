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
from srcgrad.eager.nodes import freed_error, make_node, modified_error, node_class
from srcgrad.eager.specialise import Pieces, can_specialise, make_pull, make_save
from srcgrad.eager.tensor import Array, Tensor, extra, store, wrap, wrap_fresh
from srcgrad.eager.views import caller_place, grad_fn_of, gradient_edge, reduce_to
from srcgrad.rules.book import Entry, Rule, lookup

_ndarray = np.ndarray
_NO_VALUE_MEANS = {"keepdims": False, "where": True}
# Backward formulas that are functions of their own in PyTorch: the node of their result.
_GRAPH_NODES = {name + "Backward0": name + "BackwardBackward0" for name in (
    "Tanh", "Sigmoid", "MseLoss", "Elu", "Gelu", "Silu", "Mish", "Softplus", "LeakyRelu",
    "Hardsigmoid", "Hardswish", "Glu", "LogSigmoid", "Softshrink", "Hardshrink", "Hardtanh",
    "HuberLoss", "SmoothL1Loss", "Embedding", "Threshold")}
_GRAPH_NODES |= {"ReluBackward0": "ThresholdBackwardBackward0",
                 "SoftmaxBackward0": "SoftmaxBackwardDataBackward0",
                 "LogSoftmaxBackward0": "LogSoftmaxBackwardDataBackward0"}
BY_FUNCTION: dict[Any, Primitive] = {}


_INFERENCE_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
    "inference mode in computation tracked by autograd. To work around this, you can make a clone "
    "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
    "`torch.inference_mode()`.")


class Packed:
    """A saved tensor in the hands of saved-tensor hooks."""

    __slots__ = ("packed", "unpack")

    def __init__(self, packed: Any, unpack: Callable[[Any], Tensor]) -> None:
        self.packed = packed
        self.unpack = unpack


class SavedOutput:
    """An output saved by its own node: not the tensor, which would refer back to the node."""

    __slots__ = ("array", "cell", "d", "nr", "version")

    def __init__(self, t: Tensor, nr: int) -> None:
        self.array = t._a
        self.cell = t._ver
        self.d = t._dt
        self.nr = nr
        self.version = t._ver[0]


class Field:
    """One saved value: the rule's name for it, its kind, and the argument it comes from."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind  # "tensor", "tensors", "static", "output", "outputs" or "fact"


class Call:
    """One rule body to call: where its arguments stand, which edges it serves."""

    __slots__ = ("arguments", "body", "pointwise", "targets")

    def __init__(self, body: Any, arguments: tuple[int, ...], targets: tuple[str, ...],
                 pointwise: bool) -> None:
        self.body = body
        self.arguments = arguments
        self.targets = targets
        self.pointwise = pointwise


class Primitive:
    """A function of the rule book under PyTorch's node name.

    ``node``      the node's type, ``"CumsumBackward0"``.
    ``primal``    what computes the value, by default ``function`` itself.
    ``shown``     saved names as PyTorch shows them: ``{"x": "self"}`` for ``_saved_self``.
    ``settings``  named settings (kink policies) of the rules.
    ``outputs``   how many outputs ``function`` returns (None: as many as it returns).
    ``scalar_edges``  whether a Python number in a differentiable place has an edge ``None``.
    ``recompute`` save inputs and compute ``ans`` again, where PyTorch does not save the result.
    ``frees``     False where PyTorch's formula saves nothing that could be freed.
    ``graph_node``  the name that the node of the gradient has under ``create_graph``, where
                  PyTorch has a function for this backward.
    ``lift_numbers``  hand Python numbers to the rules as 0-dim arrays under ``create_graph``, so
                  that no shortcut (``x**1``) loses the dependence on a tensor.
    ``inactive_outputs``  positions of outputs that never need gradients (indices).
    """

    def __init__(
        self, function: Callable[..., Any], node: str, *, primal: Callable[..., Any] | None = None,
        shown: dict[str, str] | None = None, settings: dict[str, Any] | None = None,
        outputs: int | None = 1, scalar_edges: bool = False, recompute: bool = False,
        frees: bool | None = None, inactive_outputs: Sequence[int] = (), main: bool = True,
        graph_node: str | None = None, lift_numbers: bool = False,
    ) -> None:
        found = lookup(function)
        if found is None:
            raise TypeError(f"no rules for {function!r}: declare them in srcgrad.rules")
        self.entry: Entry = found
        self.function = function
        self.primal = primal or function
        self.cls = node_class(node)
        self.shown = shown or {}
        self.settings = settings or {}
        self.outputs = outputs
        self.scalar_edges = scalar_edges
        self.recompute = recompute
        self.frees = frees
        self.graph_node = graph_node or _GRAPH_NODES.get(node)
        self.lift_numbers = lift_numbers
        self.inactive_outputs = frozenset(inactive_outputs)
        self.names = tuple(found.signature.parameters)
        self.defaults = {
            n: _NO_VALUE_MEANS.get(n) if p.default is np._NoValue else p.default
            for n, p in found.signature.parameters.items() if p.default is not p.empty
        }
        self.variadic = next((n for n, p in found.signature.parameters.items()
                              if p.kind is p.VAR_POSITIONAL), None)
        self.plans: dict[Any, Plan] = {}
        if main:
            BY_FUNCTION.setdefault(function, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        arrays = [_raw(v) for v in args]
        options = {k: _raw(v) for k, v in kwargs.items()} if kwargs else kwargs
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
        if d is None and any(t._dt is dt.bfloat16 for t in tensors):
            d = dt.bfloat16
        sources = tensors
        if self.outputs == 1:
            results: Any = own(out, d, sources)
            made = (results,)
        else:
            made = tuple(own(o, d, sources) for o in out)
            results = made
        mode = state.mode
        if mode & INFERENCE:
            for t in made:
                extra(t).inference = True
        if mode & (GRAD | FORWARD) and not self.entry.nondiff:
            named = self.bind(args, kwargs)
            if mode & GRAD and any(t._rg or (t._view is not None and t._view.base._rg)
                                   for t in tensors):
                self.record(named, made)
            if mode & FORWARD:
                push_forward(self, named, made)
        return results

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Arguments by the rule's names."""
        if self.entry.adapt is not None:
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
        rules = self.entry.rules
        codes, edges, meta, is_complex = [], [], [], made[0]._a.dtype.kind == "c"
        for name in self.names:
            value = named.get(name)
            if isinstance(value, Tensor):
                code: Any = self._edge(name in rules, value, edges, meta)
                is_complex = is_complex or value._dt.category == dt.COMPLEX
            elif isinstance(value, list | tuple) and any(isinstance(v, Tensor) for v in value):
                code = tuple(
                    self._edge(name in rules, v, edges, meta) if isinstance(v, Tensor) else "s"
                    for v in value)
                is_complex = is_complex or any(
                    isinstance(v, Tensor) and v._dt.category == dt.COMPLEX for v in value)
            else:
                code = "s" if value is not None else "n"
                if self.scalar_edges and code == "s" and name in rules:
                    edges.append(None)
                    meta.append(None)
            codes.append(code)
        key = (tuple(codes), is_complex)
        plan = self.plans.get(key)
        if plan is None:
            if not any(e is not None for e in edges):
                return None
            plan = self.plans[key] = Plan(self, dict(zip(self.names, codes)), is_complex)
        elif not edges:
            return None
        node = make_node(self.cls, plan, tuple(edges), None, tuple(meta))
        for nr, t in enumerate(made):
            if nr not in self.inactive_outputs and t._dt.category >= dt.FLOATING:
                t._fn = node
                t._nr = nr
                t._rg = True
        node.saved = plan.save(named, made, node)
        if self.outputs != 1:
            node.meta = (node.meta, tuple((t._a.shape, t._dt) for t in made))
        node.where = caller_place() if plan.frees else None
        if state.mode & ANOMALY:
            note_trace(node)
        return node

    def _edge(self, ruled: bool, t: Tensor, edges: list[Any], meta: list[Any]) -> str:
        """Append the edge of differentiable argument ``t``; its letter in the plan's key."""
        if not ruled:
            return "t"
        edge = gradient_edge(t) if t._dt.category >= dt.FLOATING else None
        edges.append(edge)
        meta.append(None if edge is None else (t._a.shape, t._dt))
        return "t" if edge is None else "g"


def own(out: Any, d: dt.dtype | None, sources: Sequence[Tensor]) -> Tensor:
    """A tensor that owns ``out``: copied where it shares memory with an input."""
    a = np.asarray(out)
    if a.base is not None and any(np.may_share_memory(a, s._a) for s in sources):
        a = a.copy()
    elif any(s < 0 for s in a.strides):
        a = a.copy()
    if d is not None:
        if d.category == dt.FLOATING and a.dtype.kind == "f":
            a = store(d, a)
            return wrap(a, d)
    return wrap(a, dt.FROM_NUMPY[a.dtype])


def _raw(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value._a
    if value.__class__ in (list, tuple):
        return value.__class__(_raw(v) for v in value)
    return value


def _tensors(args: Sequence[Any], kwargs: dict[str, Any]) -> list[Tensor]:
    found = []
    for value in (*args, *kwargs.values()):
        if isinstance(value, Tensor):
            found.append(value)
        elif value.__class__ in (list, tuple):
            found.extend(v for v in value if isinstance(v, Tensor))
    return found


class Plan:
    """What one call saves and how its cotangent is pulled back; shared by all like calls."""

    def __init__(self, prim: Primitive, codes: dict[str, Any], is_complex: bool) -> None:
        self.prim = prim
        self.complex = is_complex
        self.codes = codes
        self.outputs = 1 if prim.outputs == 1 else 2  # the engine only asks "one or more"
        self.targets = [  # (input, position in a sequence or None), one per edge
            (n, i) for n in prim.names if n in prim.entry.rules
            for i in _edge_places(codes[n], prim.scalar_edges)
        ]
        self.calls: list[Call] = []
        self.fields: list[Field] = []
        self._places: dict[str, int] = {"ct": 0}
        self._plan_calls()
        tensor_kinds = {"tensor", "tensors", "output", "outputs"}
        saves = any(f.kind in tensor_kinds or (
            f.kind == "static" and prim.scalar_edges and f.name in prim.entry.rules)
            for f in self.fields)
        self.frees = saves if prim.frees is None else prim.frees
        self.quick_save: Callable[..., Any] | None = None
        if can_specialise(self):
            self.pull = make_pull(self, _PIECES)  # type: ignore[method-assign]
            self.quick_save = make_save(self, _PIECES)

    def _plan_calls(self) -> None:
        done: set[int] = set()
        for name in self.prim.names:
            rule = self.prim.entry.rules.get(name)
            if rule is None or not _wants(self.codes[name]) or id(rule) in done:
                continue
            if len(rule.inputs) > 1 and rule.form == "vjp":
                done.add(id(rule))
                targets = rule.inputs
            else:
                targets = (name,)
            places = tuple(self._place(need, rule) for need in rule.needs)
            self.calls.append(Call(rule.body, places, targets, rule.form == "elementwise"))

    def _place(self, need: str, rule: Rule) -> int:
        """Where the environment of the bodies holds what a rule calls ``need``."""
        if need in self._places:
            return self._places[need]
        if need == "ans" and self.prim.recompute:
            for name in self.prim.names:
                if self.codes[name] != "n":
                    self._place(name, rule)
            self._places["ans"] = -1  # computed last
            return -1
        kind = self._kind(need, rule)
        self.fields.append(Field(need, kind))
        self._places[need] = len(self.fields)
        return len(self.fields)

    def _kind(self, need: str, rule: Rule) -> str:
        if need == "ans":
            return "output" if self.prim.outputs == 1 else "outputs"
        if need in self.codes:
            code = self.codes[need]
            if code in ("t", "g"):
                return "tensor"
            return "tensors" if isinstance(code, tuple) else "static"
        if need in rule.settings:
            return "setting"
        return "fact"

    # -- saving --------------------------------------------------------------------------

    def save(self, named: dict[str, Any], made: tuple[Tensor, ...], node: Any) -> tuple[Any, ...]:
        saved: list[Any] = []
        hooked = state.mode & HOOKS
        for field in self.fields:
            kind, name = field.kind, field.name
            if kind == "tensor":
                t = named[name]
                if t._x is not None and t._x.inference:
                    raise RuntimeError(_INFERENCE_SAVED)
                saved.append(pack_now(t) if hooked else (t, t._ver[0]))
            elif kind == "static":
                saved.append(named.get(name, self.prim.defaults.get(name)))
            elif kind == "output":
                out = SavedOutput(made[0], 0)
                saved.append(pack_now(_shown_output(out, node)) if hooked else out)
            elif kind == "tensors":
                saved.append([
                    ((pack_now(t) if hooked else (t, t._ver[0])) if isinstance(t, Tensor) else t)
                    for t in named[name]])
            elif kind == "outputs":
                saved.append(tuple(SavedOutput(t, i) for i, t in enumerate(made)))
            elif kind == "setting":
                saved.append(self.prim.settings.get(name, self._setting(name)))
            else:
                saved.append(_fact(name, named, self.prim))
        return tuple(saved)

    def _setting(self, name: str) -> Any:
        for rule in self.prim.entry.rules.values():
            if name in rule.settings:
                return rule.settings[name]
        raise KeyError(name)

    def rebind_output(self, node: Any, t: Tensor) -> None:
        """The output was written into ``t``: its version now guards the saved value."""
        for value in node.saved or ():
            if isinstance(value, SavedOutput):
                value.cell = t._ver
                value.version = t._ver[0]

    # -- backward ------------------------------------------------------------------------

    def environment(self, node: Any, ct: Any, graph: bool) -> list[Any]:
        """The values the bodies read: cotangent, saved values, at the end ``ans`` if it is
        computed again.  Under ``graph`` tensors are wrapped for recording."""
        saved = node.saved
        if saved is None:
            raise freed_error()
        lift = recorder[0] if graph else _array_of
        env = [ct]
        for field, value in zip(self.fields, saved):
            kind = field.kind
            if kind == "tensor":
                env.append(lift(unpack(node, value)))
            elif kind == "output":
                env.append(lift(unpack_output(node, value)) if graph
                           else unpack_output_array(node, value))
            elif kind == "tensors":
                env.append([
                    lift(unpack(node, v)) if v.__class__ in (tuple, Packed) else v for v in value])
            elif kind == "outputs":
                env.append(tuple(lift(unpack_output(node, v)) for v in value))
            elif graph and kind == "static" and self.prim.lift_numbers:
                env.append(np.asarray(value))
            else:
                env.append(value)
        if self._places.get("ans") == -1:
            env.append(self._again(env))
        return env

    def _again(self, env: list[Any]) -> Any:
        positional: list[Any] = []
        options: dict[str, Any] = {}
        for i, name in enumerate(self.prim.names):
            if self.codes[name] == "n":
                continue
            value = env[self._places[name]]
            if i == len(positional):
                positional.append(value)
            else:
                options[name] = value
        return self.prim.function(*positional, **options)

    def pull(self, node: Any, ct: Any) -> list[Any]:
        if ct.__class__ is list:
            ct = ct + [None] * (len(node.meta[1]) - len(ct))
        if self.complex:
            ct = _conjugate(ct)
        env = self.environment(node, ct, graph=False)
        grads = self._evaluate(env, ct)
        meta = node.meta if self.prim.outputs == 1 else node.meta[0]
        return [
            None if m is None or g is None else self._project(g, m) for g, m in zip(grads, meta)]

    def _evaluate(self, env: list[Any], ct: Any) -> list[Any]:
        by_name: dict[str, Any] = {}
        for call in self.calls:
            g = call.body(*[env[i] for i in call.arguments])
            if call.pointwise:
                g = _times(ct, g)
            if len(call.targets) == 1:
                by_name[call.targets[0]] = g
            else:
                by_name.update(zip(call.targets, g))
        grads = []
        for name, i in self.targets:
            g = by_name.get(name)
            grads.append(g if i is None or g is None else g[i])
        return grads

    def _project(self, g: Any, meta: tuple[tuple[int, ...], dt.dtype]) -> Array:
        shape, d = meta
        if g.__class__ is not _ndarray:
            g = np.asarray(g)
        if self.complex:
            g = _conjugate(g)
        if g.shape != shape or g.dtype is not d.numpy:
            g = reduce_to(g, shape, d.numpy)
        return dt.round_bfloat16(g) if d is dt.bfloat16 else g

    def pull_graph(self, node: Any, ct: Any) -> list[Any]:
        lift = recorder[0]
        if ct.__class__ is list:
            ct = ct + [None] * (len(node.meta[1]) - len(ct))
            lifted: Any = tuple(None if c is None else lift(c.conj() if self.complex else c)
                                for c in ct)
        else:
            lifted = lift(ct.conj() if self.complex else ct)
        env = self.environment(node, lifted, graph=True)
        grads = self._evaluate(env, lifted)
        meta = node.meta if self.prim.outputs == 1 else node.meta[0]
        if meta is None:  # recorded by a fast path: every input is like the output
            meta = [None if e is None else (ct._a.shape, ct._dt) for e in node.edges]
        sources = [t for t in self._saved_tensors(node) if t._rg]
        return [None if m is None or g is None else self._project_graph(g, m, sources)
                for g, m in zip(grads, meta)]

    def _saved_tensors(self, node: Any) -> list[Tensor]:
        return [v[0] for f, v in zip(self.fields, node.saved)
                if f.kind == "tensor" and v.__class__ is tuple] + [
            _shown_output(v, node) for v in node.saved if v.__class__ is SavedOutput]

    def _project_graph(
        self, g: Any, meta: tuple[tuple[int, ...], dt.dtype], sources: list[Tensor]
    ) -> Tensor:
        shape, d = meta
        t: Tensor = lower[0](g)
        if self.complex and t._dt.category == dt.COMPLEX:
            t = t.real if d.category != dt.COMPLEX else t.conj()
        if t._a.shape != shape:
            t = t.sum_to_size(shape)
        t = t if t._dt is d else t.to(d)
        name = self.prim.graph_node
        if not t._rg and sources:
            t = constant_of(t, sources, name or "MulBackward0")
        elif name is not None and t._fn is not None:
            t._fn.__class__ = node_class(name)
        return t

    # -- inspection ----------------------------------------------------------------------

    def saved_value(self, node: Any, name: str) -> Any:
        """``node._saved_<name>`` in PyTorch's terms."""
        theirs = {v: k for k, v in self.prim.shown.items()}
        ours = theirs.get(name, name)
        for field, value in zip(self.fields, node.saved or [None] * len(self.fields)):
            if self.prim.shown.get(field.name, field.name) != name and field.name != ours:
                continue
            if field.kind in ("tensor", "output", "tensors") and node.saved is None:
                raise freed_error()
            if field.kind == "tensor":
                return unpack(node, value)
            if field.kind == "output":
                return unpack_output(node, value)
            if field.kind == "static" and ours in self.prim.entry.rules and (
                    self.prim.scalar_edges and isinstance(value, int | float | complex)):
                return wrap_fresh(np.asarray(value))
            if field.kind == "tensors":
                return tuple(unpack(node, v) for v in value)
            return value
        if ours in self.prim.names and ours in self.prim.entry.rules:
            return None  # an input that this call had no need to save
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{name}'")

    def pack_field(self, node: Any, name: str, pack: Any, unpack_hook: Any) -> None:
        """Let hooks hold one saved tensor (``_raw_saved_<name>.register_hooks``)."""
        theirs = {v: k for k, v in self.prim.shown.items()}
        ours = theirs.get(name, name)
        values = list(node.saved)
        for i, field in enumerate(self.fields):
            if field.name == ours:
                t = unpack(node, values[i]) if field.kind == "tensor" else unpack_output(
                    node, values[i])
                values[i] = Packed(pack(t), unpack_hook)
        node.saved = tuple(values)


def _fitted(g: Any, meta: Any) -> Any:
    """A gradient brought to an input's shape and dtype; None for inputs without one."""
    if g is None or meta is None:
        return None
    shape, d = meta
    if g.__class__ is not _ndarray:
        g = np.asarray(g)
    if g.shape != shape or g.dtype is not d.numpy:
        g = reduce_to(g, shape, d.numpy)
    return dt.round_bfloat16(g) if d is dt.bfloat16 else g


# Filled by srcgrad.eager.recording, which needs primitives: how tensors enter and leave the
# NumPy-like wrapper in which rule bodies are recorded.
recorder: list[Callable[[Tensor], Any]] = []
lower: list[Callable[[Any], Tensor]] = []


def _array_of(t: Tensor) -> Array:
    return t._a


def _unpacked_array(node: Any, value: Any) -> Array:
    return unpack(node, value)._a


def _edge_places(code: Any, scalar_edges: bool) -> list[int | None]:
    if isinstance(code, tuple):
        return [i for i, c in enumerate(code) if c != "s"]
    if code == "s":
        return [None] if scalar_edges else []
    return [] if code == "n" else [None]


def _wants(code: Any) -> bool:
    return code == "g" or (isinstance(code, tuple) and "g" in code)


def _times(ct: Any, partial: Any) -> Any:
    if isinstance(partial, int | float):
        if partial == 1:
            return ct
        if partial == -1:
            return -ct
        if partial == 0:
            return ct * 0
    return None if partial is None else ct * partial


def _conjugate(ct: Any) -> Any:
    if ct.__class__ is list:
        return [None if c is None else np.conj(c) for c in ct]
    return np.conj(ct) if ct.dtype.kind == "c" else ct


def _fact(name: str, named: dict[str, Any], prim: Primitive) -> Any:
    """``<input>_shape``, ``<input>_ndim`` or ``<input>_dtype``."""
    base, _, what = name.rpartition("_")
    value = named.get(base, prim.defaults.get(base))
    if isinstance(value, list | tuple):
        return [_fact_of(v, what) for v in value]
    return _fact_of(value, what)


def _fact_of(value: Any, what: str) -> Any:
    a = value._a if isinstance(value, Tensor) else np.asarray(value)
    return a.shape if what == "shape" else a.ndim if what == "ndim" else a.dtype


class _ConstantPlan:
    """A gradient that formally depends on saved tensors, with derivative zero everywhere."""

    outputs = 1
    frees = False

    def pull(self, node: Any, ct: Array) -> list[Any]:
        return [None if e is None else np.zeros(s, d.numpy)
                for e, (s, d) in zip(node.edges, node.meta)]

    def pull_graph(self, node: Any, ct: Tensor) -> list[Any]:
        return [None if e is None else wrap(np.zeros(s, d.numpy), d)
                for e, (s, d) in zip(node.edges, node.meta)]

    def rebind_output(self, node: Any, t: Tensor) -> None:
        """Nothing is saved."""

    def saved_value(self, node: Any, name: str) -> Any:
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{name}'")


_CONSTANT = _ConstantPlan()


def constant_of(t: Tensor, sources: list[Tensor], name: str) -> Tensor:
    """``t`` with a node that leads to ``sources``, to which its gradient is zero."""
    t = wrap(t._a, t._dt)
    edges = tuple(gradient_edge(s) for s in sources)
    meta = tuple((s._a.shape, s._dt) for s in sources)
    t._fn = make_node(node_class(name), _CONSTANT, edges, (), meta)
    t._rg = True
    return t


# -- saved tensors -----------------------------------------------------------------------


def pack_now(t: Tensor) -> Any:
    pack, unpack_hook = state.hooks[-1]
    return Packed(pack(t), unpack_hook)


def unpack(node: Any, value: Any) -> Tensor:
    """The saved input; raises if it was modified since."""
    if value.__class__ is Packed:
        t = value.unpack(value.packed)
        if not isinstance(t, Tensor):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {type(t).__name__}")
        return t
    t, version = value
    if t._ver[0] != version:
        raise changed(node, t, version)
    return t  # type: ignore[no-any-return]


def changed(node: Any, t: Tensor, version: int) -> RuntimeError:
    fn = grad_fn_of(t)
    return modified_error(
        t._dt.tensor_name + "Tensor" if t._dt is not dt.bool_ else "BoolTensor", t._a.shape,
        None if fn is None else fn.short_name(), t._nr, t._ver[0], version, node.where, t._ver[2],
        bool(state.mode & ANOMALY))


def unpack_output_array(node: Any, value: Any) -> Array:
    if value.__class__ is Packed:
        return unpack(node, value)._a
    if value.cell[0] != value.version:
        raise modified_error(
            value.d.tensor_name + "Tensor", value.array.shape, node.short_name(), value.nr,
            value.cell[0], value.version, node.where, value.cell[2], bool(state.mode & ANOMALY))
    return value.array


def unpack_output(node: Any, value: Any) -> Tensor:
    """The saved output as a tensor with its history."""
    if value.__class__ is Packed:
        return unpack(node, value)
    unpack_output_array(node, value)
    return _shown_output(value, node)


def _shown_output(value: SavedOutput, node: Any) -> Tensor:
    t = wrap(value.array, value.d)
    t._ver = value.cell
    if value.d.category >= dt.FLOATING and value.nr not in node.plan.prim.inactive_outputs:
        t._fn, t._nr, t._rg = node, value.nr, True
    return t


def note_trace(node: Any) -> None:
    """Anomaly mode: remember the stack of the forward call."""
    tracer[0](node)


tracer: list[Callable[[Any], None]] = []
forward: list[Callable[..., None]] = []


def push_forward(prim: Primitive, named: dict[str, Any], made: tuple[Tensor, ...]) -> None:
    """Forward mode: give the outputs their tangents."""
    if forward:
        forward[0](prim, named, made)


_PIECES = Pieces(_unpacked_array, unpack_output_array, SavedOutput, _fitted, _times, Packed)
