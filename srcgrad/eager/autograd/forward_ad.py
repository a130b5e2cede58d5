"""Forward mode: dual tensors, whose operations carry a tangent along.

The tangent of a result is the transpose, in the cotangent, of the operation's backward rule:
the rule is recorded for a dummy cotangent ``v`` and differentiated with respect to ``v``.  For
pointwise functions the rule itself, with the tangent in place of the cotangent, is the jvp.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager import primitive
from srcgrad.eager.backward import grad
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.grad_mode import ANOMALY, FORWARD, GRAD, HOOKS, set_bit, state
from srcgrad.eager.nodes import make_node
from srcgrad.eager.plans import Plan
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tangents import check_tangent, own_tangent, set_tangent, tangent_of
from srcgrad.eager.tensor import Tensor, alias, extra, wrap, zeros_as
from srcgrad.eager.views import attach, gradient_edge, requires_grad


class _set_fwd_grad_enabled:
    """Whether operations inside carry tangents along."""

    def __init__(self, mode: bool) -> None:
        self.before = state.mode & FORWARD != 0
        set_bit(FORWARD, mode and state.dual_level >= 0)

    def __enter__(self) -> None:
        """The mode is set already."""

    def __exit__(self, *error: Any) -> None:
        set_bit(FORWARD, self.before)


class UnpackedDualTensor(NamedTuple):
    """The parts of a dual tensor."""

    primal: Tensor
    tangent: Tensor | None


class dual_level:
    """Dual tensors live inside such a block."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: Any) -> None:
        exit_dual_level()


def enter_dual_level() -> int:
    """Open a level; there can be only one."""
    refuse(state.dual_level >= 0, "Nested forward mode AD is not supported at the moment")
    state.dual_level = 0
    state.dual_token = object()  # tangents made under another token are of a closed level
    set_bit(FORWARD, True)
    return state.dual_level


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: tangents made in it are gone."""
    if state.dual_level < 0:
        raise RuntimeError("Dual level must be a positive number." if level is None else
                           "Trying to exit a forward AD level that was not the last one that was "
                           "created. This is not supported.")
    state.dual_level = -1
    state.dual_token = None
    set_bit(FORWARD, False)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A tensor that carries ``tangent`` along."""
    refuse(state.dual_level < 0, "Trying to create a dual Tensor for forward AD but no level "
           "exists, make sure to enter_dual_level() first.")
    if tensor._dt.category < dt.FLOATING:
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor._dt}")
    refuse(tangent._dt.category < dt.FLOATING, "Expected tangent to be floating point or complex, "
           "but got: {}", tangent._dt, kind=ValueError)
    check_tangent(tensor, tangent)
    refuse(own_tangent(tensor) is not None, "Making a dual Tensor based on a Tensor that already "
           "has a forward gradient at the same level 0 is not supported.")
    refuse(own_tangent(tangent) is not None, "Setting a forward grad that itself has a forward "
           "gradient at the same level0 is not supported.")
    with _set_fwd_grad_enabled(False):
        dual = tensor.view_as(tensor) if requires_grad(tensor) else alias(tensor)
        if tangent._a.strides != tensor._a.strides and 0 not in tensor._a.strides:
            laid = wrap(np.empty_like(tensor._a, dtype=tangent._a.dtype), tangent._dt)
            tangent = laid.copy_(tangent)  # a tangent is laid out like its primal
    extra(dual).tangent = (state.dual_token, tangent)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The primal and the tangent (None for an ordinary tensor)."""
    tangent = tangent_of(tensor)
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    with _set_fwd_grad_enabled(False):
        plain = attach(alias(tensor), gradient_edge(tensor))  # not a view of what has a tangent
        return UnpackedDualTensor(plain.view_as(plain), tangent)


def _plain(value: Any) -> Any:
    """``value`` without its tangent, with its history."""
    if isinstance(value, Tensor):
        if tangent_of(value) is None:
            return value
        return attach(alias(value), gradient_edge(value))
    if value.__class__ in (list, tuple):
        return value.__class__(_plain(v) for v in value)
    return value


def _inputs(named: dict[str, Any], rules: Any) -> list[tuple[str, int | None, Tensor]]:
    found: list[tuple[str, int | None, Tensor]] = []
    for name, value in named.items():
        if name not in rules:
            continue
        if isinstance(value, Tensor):
            found.append((name, None, value))
        elif isinstance(value, list | tuple):
            found.extend((name, i, v) for i, v in enumerate(value) if isinstance(v, Tensor))
    return found


def push(prim: Primitive, named: dict[str, Any], made: tuple[Tensor, ...]) -> None:
    """Give the outputs ``made`` of a primitive their tangents."""
    active = [(n, i, t) for n, i, t in _inputs(named, prim.entry.rules)
              if tangent_of(t) is not None]
    if not active:
        return
    before = state.mode
    state.mode = (before | GRAD) & ~(FORWARD | HOOKS | ANOMALY)
    try:
        tangents = _transposed(prim, named, made, active)
    except NotImplementedError:
        raise NotImplementedError(
            f"Trying to use forward AD with {prim.function.__name__} that does not support it "
            "because it has not been implemented yet.\nPlease file an issue to PyTorch at "
            "https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we "
            "can prioritize its implementation or submit a PR adding the implementation to "
            "derivatives.yaml") from None
    finally:
        state.mode = before
    for out, t in zip(made, tangents):
        if t is not None:
            extra(out).tangent = (state.dual_token, t if before & GRAD else t.detach())


def _transposed(prim: Primitive, named: dict[str, Any], made: tuple[Tensor, ...],
                active: list[tuple[str, int | None, Tensor]]) -> list[Tensor | None]:
    def edge(t: Tensor, _: Any, meta: list[Any]) -> str:
        pushed = tangent_of(t) is not None
        meta.append((t._a.shape, t._dt) if pushed else None)
        return "g" if pushed else "t"

    meta: list[Any] = []
    codes, is_complex = prim.coded(named, made, [], meta, edge)
    plan = Plan(prim, dict.fromkeys(prim.names, "n") | codes, is_complex)
    plain = {k: _plain(v) for k, v in named.items()}
    results = tuple(_plain(t) for t in made)
    node = make_node(prim.cls, plan, (), None, tuple(meta))
    node._saved = plan.save(plain, results, node)
    if prim.outputs != 1:
        node._meta = (node._meta, tuple((t._a.shape, t._dt) for t in made))
    keep = any(tangent_of(t)._rg for _, _, t in active) or any(  # type: ignore[union-attr]
        requires_grad(t) for _, _, t in _inputs(named, named))
    out: list[Tensor | None] = []
    for nr, result in enumerate(made):
        if nr in prim.inactive_outputs or result._dt.category < dt.FLOATING:
            out.append(None)
            continue
        v = zeros_as(result)
        v._rg = True
        ct: Any = v if prim.outputs == 1 else [v if k == nr else None for k in range(len(made))]
        pulled = plan.pull_graph(node, ct)
        pairs = [(g, tangent_of(t)) for (key, g) in zip(plan.targets, pulled)
                 for n, i, t in active if key == (n, i) and g is not None and g._rg]
        if not pairs:
            out.append(zeros_as(result))
            continue
        t, = grad([g for g, _ in pairs], [v], [t for _, t in pairs], retain_graph=True,
                  create_graph=keep, allow_unused=True)
        out.append(zeros_as(result) if t is None else t)
    return out


primitive.forward.append(push)
__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
           "unpack_dual"]


def push_tangents(cls: Any, ctx: Any, args: tuple[Any, ...], outputs: list[Any],
                  silent: frozenset[int]) -> None:
    """Forward mode: tangents of the outputs by the user's ``jvp``; those numbered in ``silent``
    have none."""
    tangents = [tangent_of(a) if isinstance(a, Tensor) else None for a in args]
    if all(t is None for t in tangents):
        return
    given = [
        zeros_as(a)
        if t is None and isinstance(a, Tensor) and a._dt.category >= dt.FLOATING
        and ctx.materialize_grads else t
        for a, t in zip(args, tangents)]
    before_it = [t._ver[0] if isinstance(t, Tensor) else None for t in given]
    before, saved = state.mode, ctx.to_save
    state.mode &= ~FORWARD
    ctx.to_save = ()  # only what is saved for forward is there
    try:
        result = cls.jvp(ctx, *given)
    finally:
        state.mode, ctx.to_save = before, saved
    results = result if isinstance(result, tuple) else (result,)
    refuse(len(results) != len(outputs), "Function's jvp returned an invalid number of forward "
           "gradients (expected {} but got {})", len(outputs), len(results))
    dirty = {id(t) for t in ctx.dirty_tensors}
    for i, (out, t) in enumerate(zip(outputs, results)):
        if t is None:
            continue
        if not isinstance(out, Tensor) or i in silent or out._dt.category < dt.FLOATING:
            raise RuntimeError(f"Function's jvp returned a gradient at position {i}, but  the "
                               "corresponding forward output is not a differentiable Tensor.You "
                               "should return None at that position instead.")
        check_tangent(out, t)
        source = next((k for k, a in enumerate(args) if isinstance(a, Tensor) and (
            a is out if id(out) in dirty else a._ver is out._ver)), None)
        if source is None or (id(out) not in dirty and out._view is None):
            set_tangent(out, t)
            continue
        old = given[source]
        if id(out) not in dirty:
            _check_view(t, old)
        elif old is not None and tangents[source] is not None and (
                t is not old or t._ver[0] == before_it[source]):
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. "
                "If the forward is modifying an input inplace, then the jvp function must modify "
                "the corresponding gradient inplace.")
        extra(out).tangent = (state.dual_token, t)


def _check_view(t: Tensor, given: Tensor | None) -> None:
    """What ``jvp`` made for a view of an input must be a view of the input's tangent."""
    refuse(t._view is None, "A custom Function's forward is returning a view (or an input as-is) "
           "but the jvp is not returning a view.")
    if given is None:
        return
    refuse(given._view is None and t._view.base is not given, "A custom Function is returning a "
           "view but the jvp is not returning a view of the given grad input.")
    if given._view is not None and t._view.base is not given._view.base:
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a "
                           "view of the same base as the given grad input.")
