"""Plans: what one kind of call saves, and how its cotangent is pulled back.

For each combination of arguments of a primitive (which are tensors, which need gradients) a
:class:`Plan` is made once and kept: the list of values to save and of rule bodies to call.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.grad_mode import HOOKS, state
from srcgrad.eager.nodes import BarePlan, freed_error, make_node, node_class
from srcgrad.eager.saving import (
    INFERENCE_SAVED,
    Packed,
    SavedOutput,
    pack_now,
    repacked,
    shown_output,
    unpack,
    unpack_output,
    unpack_output_array,
)
from srcgrad.eager.specialise import Pieces, can_specialise, make_pull, make_save
from srcgrad.eager.strides import reduce_to
from srcgrad.eager.tensor import Array, Tensor, wrap, wrap_fresh
from srcgrad.eager.views import gradient_edge
from srcgrad.rules.book import Rule

_ndarray = np.ndarray


class Field(NamedTuple):
    """One saved value: the rule's name for it, and its kind."""

    name: str
    kind: str  # "tensor", "tensors", "static", "setting", "output", "outputs" or "fact"


class Call(NamedTuple):
    """One rule body to call: where its arguments stand, which edges it serves."""

    body: Any
    arguments: tuple[int, ...]
    targets: tuple[str, ...]
    pointwise: bool


class Plan:
    """What one call saves and how its cotangent is pulled back; shared by all like calls."""

    def __init__(self, prim: Any, codes: dict[str, Any], is_complex: bool) -> None:
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
        self._depends: dict[str, tuple[int, ...]] = {}  # by input: places its gradient is made of
        self._plan_calls()
        self._plan_input()
        tensor_kinds = {"tensor", "tensors", "output", "outputs"}
        saves = any(f.kind in tensor_kinds or (
            f.kind == "static" and prim.scalar_edges and f.name in prim.entry.rules)
            for f in self.fields)
        self.frees = saves if prim.frees is None else prim.frees
        self.make_saved = make_save(self, _PIECES)
        self.saved_inputs = [f.name for f in self.fields if f.kind == "tensor"]
        self.special = can_specialise(self)
        if self.special:
            self.pull = make_pull(self, _PIECES)  # type: ignore[method-assign]

    def _plan_calls(self) -> None:
        done: set[int] = set()
        for name in self.prim.names:
            rule = self.prim.entry.rules.get(name)
            if rule is None or id(rule) in done or "g" not in self.codes[name]:
                continue
            if len(rule.inputs) > 1 and rule.form == "vjp":
                done.add(id(rule))
                targets = rule.inputs
            else:
                targets = (name,)
            places = tuple(self._place(need, rule) for need in rule.needs)
            self.calls.append(Call(rule.body, places, targets, rule.form == "elementwise"))
            self._depends.update(dict.fromkeys(targets, places))

    def _plan_input(self) -> None:
        """Save the first input where PyTorch's backward takes it although no rule needs it."""
        name = self.prim.names[0]
        if self.prim.takes_input and self.codes[name] == "g" and name not in self._places:
            self.fields.append(Field(name, "tensor"))
            self._places[name] = len(self.fields)
            self._depends[name] = (*self._depends[name], len(self.fields))

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
        for name in self.saved_inputs:
            rare = named[name]._x
            if rare is not None and rare.inference:
                raise RuntimeError(INFERENCE_SAVED)
        saved: tuple[Any, ...] = self.make_saved(
            made[0] if self.prim.outputs == 1 else made, **named)
        if not state.mode & HOOKS:
            return saved
        return tuple(_in_hooks(f.kind, value, node) for f, value in zip(self.fields, saved))

    def setting(self, name: str) -> Any:
        """The value of one of the rules' settings."""
        return next(self.prim.settings.get(name, rule.settings[name])
                    for rule in self.prim.entry.rules.values() if name in rule.settings)

    def rebind_output(self, node: Any, t: Tensor) -> None:
        """The output was written into ``t``: its version now guards the saved value."""
        for value in node._saved or ():
            if isinstance(value, SavedOutput):
                value.cell = t._ver
                value.version = t._ver[0]

    # -- backward ------------------------------------------------------------------------

    def environment(self, node: Any, ct: Any, graph: bool) -> list[Any]:
        """The values the bodies read: cotangent, saved values, at the end ``ans`` if it is
        computed again.  Under ``graph`` tensors are wrapped for recording."""
        saved = node._saved
        if saved is None:
            raise freed_error()
        lift = recorder[0] if graph else attrgetter("_a")
        env = [ct]
        for field, value in zip(self.fields, saved):
            kind = field.kind
            if kind == "tensor":
                env.append(lift(unpack(node, value)))
            elif kind == "output":
                env.append(lift(unpack_output(node, value)) if graph
                           else unpack_output_array(node, value))
            elif kind == "tensors":
                env.append(_sequence_like(value, [
                    lift(unpack(node, v)) if v.__class__ in (tuple, Packed) else v
                    for v in value]))
            elif kind == "outputs":
                env.append(tuple(lift(unpack_output(node, v)) for v in value))
            elif graph and kind == "static" and self.prim.lift_numbers:
                env.append(np.asarray(value))
            else:
                env.append(value)
        if self._places.get("ans") == -1:
            env.append(self._again(env, graph))
        return env

    def _again(self, env: list[Any], graph: bool) -> Any:
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
        function = self.prim.function if graph else self.prim.primal  # a recorded call, or arrays
        return function(*positional, **options)

    def pull(self, node: Any, ct: Any) -> list[Any]:
        if ct.__class__ is list:
            ct = ct + [None] * (len(node._meta[1]) - len(ct))
        if self.complex:
            ct = _conjugate(ct)
        env = self.environment(node, ct, graph=False)
        grads = self._evaluate(env, ct)
        meta = node._meta if self.prim.outputs == 1 else node._meta[0]
        if self.complex:
            grads = [None if g is None else _conjugate(np.asarray(g)) for g in grads]
        return [_fitted(g, m) for g, m in zip(grads, meta)]

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

    def pull_graph(self, node: Any, ct: Any) -> list[Any]:
        lift = recorder[0]
        if ct.__class__ is list:
            ct = ct + [None] * (len(node._meta[1]) - len(ct))
            lifted: Any = tuple(None if c is None else lift(c.conj() if self.complex else c)
                                for c in ct)
        else:
            lifted = lift(ct.conj() if self.complex else ct)
        env = self.environment(node, lifted, graph=True)
        grads = self._evaluate(env, lifted)
        meta = node._meta if self.prim.outputs == 1 else node._meta[0]
        if meta is None:  # recorded by a fast path: every input is like the output
            meta = [None if e is None else (ct._a.shape, ct._dt) for e in node._edges]
        return [None if m is None or g is None else
                self._project_graph(g, m, self._sources(node, name))
                for g, m, (name, _) in zip(grads, meta, self.targets)]

    def _sources(self, node: Any, name: str) -> list[Tensor]:
        """The saved tensors of which the gradient of input ``name`` formally depends."""
        places = self._depends.get(name, ())
        if self.prim.chooses:
            return []
        every = -1 in places or self.prim.joint  # -1: ``ans`` is computed again, from all inputs
        found = []
        for i, value in enumerate(node._saved, 1):
            if every or i in places:
                if value.__class__ is SavedOutput:
                    found.append(shown_output(value, node))
                elif value.__class__ is tuple and self.fields[i - 1].kind == "tensor":
                    found.append(value[0])
        return [t for t in found if t._rg]

    def _project_graph(self, g: Any, meta: tuple[tuple[int, ...], dt.dtype],
                       sources: list[Tensor]) -> Tensor:
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
        ours = self.prim.rule_name(name)
        for field, value in zip(self.fields, node._saved or [None] * len(self.fields)):
            if field.name != ours:
                continue
            if field.kind in ("tensor", "output", "tensors") and node._saved is None:
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
        if ours in self.prim.names and any(ours in r.needs for r in self.prim.entry.rules.values()):
            return None  # this call had no need to save it
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{name}'")

    def pack_field(self, node: Any, name: str, pack: Any, unpack_hook: Any) -> None:
        """Let hooks hold one saved tensor (``_raw_saved_<name>.register_hooks``)."""
        ours = self.prim.rule_name(name)
        values = list(node._saved)
        for i, field in enumerate(self.fields):
            if field.name == ours:
                values[i] = repacked(node, values[i], pack, unpack_hook)
        node._saved = tuple(values)


def _sequence_like(given: Any, items: list[Any]) -> Any:
    return tuple(items) if given.__class__ is tuple else items


def _pairs(values: Any) -> Any:
    """A sequence with each tensor beside its version; a tuple may be an index."""
    return _sequence_like(values, [(v, v._ver[0]) if isinstance(v, Tensor) else v for v in values])


def _outputs(made: tuple[Tensor, ...]) -> tuple[SavedOutput, ...]:
    return tuple(SavedOutput(t, i) for i, t in enumerate(made))


def _in_hooks(kind: str, value: Any, node: Any) -> Any:
    """A saved value of a field of this kind in the hands of the innermost hooks."""
    if kind == "tensor":
        return pack_now(value[0])
    if kind == "output":
        return pack_now(shown_output(value, node), value.nr)
    if kind == "outputs":
        return tuple(_in_hooks("output", v, node) for v in value)
    if kind == "tensors":
        return _sequence_like(value, [pack_now(v[0]) if v.__class__ is tuple else v for v in value])
    return value


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


def _edge_places(code: Any, scalar_edges: bool) -> list[int | None]:
    if isinstance(code, tuple):
        return [i for i, c in enumerate(code) if c != "s"]
    if code in ("s", "n"):
        return [None] if scalar_edges else []
    return [None]


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


def _fact(value: Any, what: str) -> Any:
    """The ``shape``, ``ndim`` or ``dtype`` of an argument, or of each in a sequence."""
    if isinstance(value, list | tuple):
        return [_fact(v, what) for v in value]
    a = value._a if isinstance(value, Tensor) else np.asarray(value)
    return a.shape if what == "shape" else a.ndim if what == "ndim" else a.dtype


class _ConstantPlan(BarePlan):
    """A gradient that formally depends on saved tensors, with derivative zero everywhere."""

    def pull(self, node: Any, ct: Array) -> list[Any]:
        return [None if e is None else np.zeros(s, d.numpy)
                for e, (s, d) in zip(node._edges, node._meta)]

    def pull_graph(self, node: Any, ct: Tensor) -> list[Any]:
        return [None if e is None else wrap(np.zeros(s, d.numpy), d)
                for e, (s, d) in zip(node._edges, node._meta)]


_CONSTANT = _ConstantPlan()


def constant_of(t: Tensor, sources: list[Tensor], name: str) -> Tensor:
    """``t`` with a node that leads to ``sources``, to which its gradient is zero."""
    t = wrap(t._a, t._dt)
    edges = tuple(gradient_edge(s) for s in sources)
    meta = tuple((s._a.shape, s._dt) for s in sources)
    t._fn = make_node(node_class(name), _CONSTANT, edges, (), meta)
    t._rg = True
    return t


_PIECES: Pieces = {
    # raises: a saved input was modified (or unpacks a hooked one)
    "fail": lambda node, value: unpack(node, value)._a,
    "fail_output": unpack_output_array,  # the same for saved outputs
    "make_output": SavedOutput, "make_outputs": _outputs, "pairs": _pairs, "Packed": Packed,
    "fact": _fact,
    "times": _times,  # cotangent times partial derivative
    "project": _fitted,  # brings a gradient to an input's shape and dtype
}
