"""`autograd.Function`: operations with a backward written by the user.

As in PyTorch the context *is* the node: ``y.grad_fn`` of ``y = Square.apply(x)`` is the ``ctx``
that ``forward`` saw, an instance of a class named ``SquareBackward``.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, NamedTuple

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.autograd.forward_ad import push_tangents
from srcgrad.eager.autograd.once import once_differentiable
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.grad_mode import ANOMALY, FORWARD, GRAD, HOOKS, TRANSFORM, no_grad, state
from srcgrad.eager.nodes import BarePlan, Node, SavedTensor, freed_error, make_node, note_trace
from srcgrad.eager.saving import SavedOutput, pack_now, repacked, unpack, unpack_output_array
from srcgrad.eager.strides import reduce_to
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import (
    View,
    caller_place,
    gradient_edge,
    make_view,
    requires_grad,
    set_history,
)
from srcgrad.eager.writes import check_writable, copy_slices


class VmapInfo(NamedTuple):
    """What the ``vmap`` of a Function is told of the batch."""

    batch_size: int
    randomness: str


class FunctionCtx:
    """What ``forward`` and ``backward`` of a Function share."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``backward``, guarded against modification."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``jvp``."""
        for t in tensors:
            if t is not None and not isinstance(t, Tensor):
                raise AssertionError("save_for_forward expects all arguments to be tensors; you "
                                     "should save non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare inputs that ``forward`` modified in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare outputs that have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent gradients reach ``backward`` as zeros (the default) or as None."""
        self.materialize_grads = value


class FunctionNode(Node, FunctionCtx):
    """The node of a Function call, which is also its context."""

    __slots__ = ("__dict__",)
    _forward_cls: Any = None
    to_save: Any = ()
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    materialize_grads = True
    _materialize_non_diff_grads = True
    _constant_outputs: frozenset[int] = frozenset()  # the numbers of those without gradient
    needs_input_grad: tuple[bool, ...] = ()

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to ``save_for_backward``."""
        if self._meta is None:  # still inside forward: nothing is packed yet
            return self.__dict__.get("saved_for_forward") or tuple(self.to_save)
        if self._saved is None:
            raise freed_error()
        return tuple(_unpacked(self, s) for s in self._saved)

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self._saved is None:
            raise freed_error()
        return tuple(SavedTensor(self, str(i)) for i in range(len(self._saved)))

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning,
                      stacklevel=2)
        return self.saved_tensors

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


def _unpacked(node: FunctionNode, saved: Any) -> Any:
    if saved is None:
        return None
    if isinstance(saved, SavedOutput):
        array = unpack_output_array(node, saved)
        t = wrap(array, saved.d)
        t._ver = saved.cell
        t._fn, t._nr, t._rg = node, saved.nr, True
        return t
    return unpack(node, saved)


class FunctionMeta(type):
    """Gives each Function its own node class."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        cls._backward_cls = type(name + "Backward", (FunctionNode,), {
            "_forward_cls": cls, "__module__": "torch.autograd.function"})
        super().__init__(name, bases, namespace)


class Function(metaclass=FunctionMeta):
    """Base class of custom operations: static ``forward`` and ``backward``, used by ``apply``."""

    _backward_cls: Any
    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are "
                      "all static, so you should invoke them on the class itself. Instantiating an "
                      "autograd function will raise an error in a future version of PyTorch.",
                      DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        raise NotImplementedError("You must implement either the backward or vjp method for your "
                                  "custom autograd.Function to use it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        raise NotImplementedError("You must implement the jvp function for custom "
                                  "autograd.Function to use it with forward mode AD.")

    @staticmethod
    def vmap(info: VmapInfo, in_dims: Any, *args: Any) -> Any:
        raise NotImplementedError("To use autograd.Function with vmap, you must either override "
                                  "the vmap staticmethod or set generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` and record the call."""
        if kwargs or cls.setup_context is not Function.setup_context:
            args, kwargs = _positional(cls, args, kwargs), {}
        if state.mapping or state.mode & TRANSFORM:
            check_transformable(cls, state.mapping > 0)
            if state.mapping and cls.vmap is not Function.vmap:
                return _one_by_rule(cls, args)
        ctx: FunctionNode = make_node(cls._backward_cls, PLAN, (), None, None)
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and requires_grad(a) for a in args)
        tensors = [a for a in args if isinstance(a, Tensor)]
        active = state.mode & GRAD != 0 and any(requires_grad(t) for t in tensors)
        edges = tuple(gradient_edge(t) if active and t._dt.category >= dt.FLOATING else None
                      for t in tensors)
        before = state.mode
        with no_grad():
            state.mode &= ~FORWARD
            if cls.setup_context is not Function.setup_context:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        state.mode = before
        return _finish(cls, ctx, args, tensors, edges, result, active)


_SEE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def check_transformable(cls: type[Function], mapping: bool) -> None:
    """Refuse a Function that lacks what the transform that runs needs of it."""
    refuse(cls.setup_context is Function.setup_context, "In order to use an autograd.Function with "
           "functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
           "setup_context staticmethod. {}", _SEE)
    if state.pushing and cls.jvp is Function.jvp:
        Function.jvp(None)
    own = cls.vmap is not Function.vmap
    if mapping and own == bool(cls.generate_vmap_rule):
        what = ("has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set "
                "generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid "
                "ambiguity." if own else
                "does not have vmap support. Please override and implement the vmap staticmethod "
                "or set generate_vmap_rule=True.")
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it {what} {_SEE}")


def two_returns(returned: Any) -> Any:
    """What a ``vmap`` staticmethod returned, if it is an output and its dimensions."""
    if isinstance(returned, tuple) and len(returned) == 2:
        return returned
    what = (f"{len(returned)} returns" if isinstance(returned, tuple) else f"a {type(returned)}")
    raise RuntimeError("Expected the vmap staticmethod to have two returns, an output and out_dims "
                       f"with pytree structure compatible with the output. Got {what} instead")


def _one_by_rule(cls: type[Function], args: tuple[Any, ...]) -> Any:
    """One example of a batch by the Function's own ``vmap``, as a batch of one."""
    info = VmapInfo(1, state.randomness)
    dims = tuple(0 if isinstance(a, Tensor) else None for a in args)
    before, state.mapping = state.mapping, 0
    try:
        out, found = two_returns(cls.vmap(info, dims, *(
            a.unsqueeze(0) if isinstance(a, Tensor) else a for a in args)))
    finally:
        state.mapping = before
    if not isinstance(out, tuple):
        return out if found is None else out.select(found, 0)
    places = found if isinstance(found, tuple) else (found,) * len(out)
    return tuple(t if d is None else t.select(d, 0) for t, d in zip(out, places))


def _positional(cls: type[Function], args: tuple[Any, ...],
                kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Keyword arguments put in their places: gradients are given by position.  A Function with
    ``setup_context`` gets its defaults, too."""
    signature = inspect.signature(cls.forward)
    if cls.setup_context is Function.setup_context:
        parameters = list(signature.parameters.values())
        return inspect.Signature(parameters[1:]).bind(*args, **kwargs).args
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def _finish(cls: type[Function], ctx: FunctionNode, args: tuple[Any, ...], tensors: list[Tensor],
            edges: tuple[Any, ...], result: Any, active: bool) -> Any:
    """Give the outputs of ``forward`` their history and pack what was saved."""
    several = isinstance(result, tuple)
    raw = result if several else (result,)
    dirty = {id(t) for t in ctx.dirty_tensors}
    silent = {id(t) for t in ctx.non_differentiable}
    refuse(not dirty <= {id(out) for out in raw}, "Some elements marked as dirty during the "
           "forward method were not returned as output. The inputs that are modified inplace must "
           "all be outputs of the Function.")
    if active:
        ctx._edges = edges
    outputs = []
    for nr, out in enumerate(raw):
        if not isinstance(out, Tensor):
            outputs.append(out)
            continue
        place = next((i for i, t in enumerate(tensors) if out is t), -1)
        is_active = active and id(out) not in silent and out._dt.category >= dt.FLOATING
        if id(out) in dirty:
            outputs.append(_written(ctx, out, nr, is_active, place, len(raw)))
        else:
            outputs.append(_output(ctx, out, nr, is_active, place >= 0))
    if active and sum(isinstance(o, Tensor) and o._fn is ctx for o in outputs) > 1:
        for out in outputs:
            if isinstance(out, Tensor) and out._view is not None:
                out._view.creation = "multi_output"
    if silent:
        ctx._constant_outputs = frozenset(i for i, o in enumerate(raw) if id(o) in silent)
    if state.mode & FORWARD:
        push_tangents(cls, ctx, args, outputs, ctx._constant_outputs)
    if active:
        ctx._meta = (
            tuple((t._a.shape, t._dt) for t in tensors),
            tuple((o._a.shape, o._dt) if isinstance(o, Tensor) else None for o in outputs),
            tuple(isinstance(a, Tensor) for a in args),
        )
        ctx._saved = tuple(_packed(s, raw, outputs) for s in ctx.to_save)
        ctx.to_save = (True,) * len(ctx._saved)
        ctx._where = caller_place()
        if state.mode & ANOMALY:
            note_trace(ctx)
    if ctx.dirty_tensors or ctx.non_differentiable:
        ctx.dirty_tensors = ctx.non_differentiable = ()
    return tuple(outputs) if several else outputs[0]


def _written(ctx: FunctionNode, out: Tensor, nr: int, active: bool, place: int,
             outputs: int) -> Tensor:
    """Output ``nr``, which is input ``place`` and was modified in place."""
    if place < 0:
        warnings.warn("ctx.mark_dirty() received a tensor that was not an input. Only input "
                      "Tensors that have been mutated should be passed to ctx.mark_dirty().",
                      stacklevel=4)
    out._ver[0] += 1
    if not active:
        return out.detach() if requires_grad(out) else out
    refuse(requires_grad(out) and out._fn is None and out._view is None,
           "a leaf Variable that requires grad has been used in an in-place operation.")
    check_writable(out, True)
    if out._view is None:
        set_history(out, ctx, nr)
        return out
    refuse(outputs > 1, "If your Function modifies inplace an input that is a view of another "
           "Tensor, your Function cannot return more than one Tensor. This is not supported by the "
           "current autograd engine. You should either make sure the input is not a view (using "
           ".clone() for example) or make your Function only return one Tensor (potentially "
           "splitting it into two Functions: one doing the inplace that returns a single Tensor "
           "and a second one that does the other operations). You can ask on the forum "
           "https://discuss.pytorch.org/ if you need help to do this change.")
    copy_slices(out, ctx, place)
    return out


def _output(ctx: FunctionNode, out: Tensor, nr: int, active: bool, is_input: bool) -> Tensor:
    if is_input:
        if not active and requires_grad(out):
            return out.detach()  # type: ignore[no-any-return]
        seen = make_view(out, out._a, ctx if active else None, nr=nr)
        if seen._view is not None:
            seen._view.creation = "custom"
        return seen
    if out._view is not None:
        out._view = View(out._view.base, out._ver[0], "custom")
    if active:
        set_history(out, ctx, nr)
    return out


def _packed(t: Any, raw: tuple[Any, ...], outputs: list[Any]) -> Any:
    if t is None:
        return None
    refuse(not isinstance(t, Tensor), "save_for_backward can only save variables, but argument 0 "
           "is of type {}", type(t).__name__, kind=TypeError)
    for nr, (before, after) in enumerate(zip(raw, outputs)):
        if t is after or (t is before and isinstance(after, Tensor) and after._view is None):
            if after._fn is None:
                return pack_now(after) if state.mode & HOOKS else (after, after._ver[0])
            return pack_now(after, nr) if state.mode & HOOKS else SavedOutput(after, nr)
    return pack_now(t) if state.mode & HOOKS else (t, t._ver[0])


class _FunctionPlan(BarePlan):
    """Calls the user's ``backward`` with tensors and checks what it returns."""

    outputs = 2  # the engine hands over a list
    frees = True
    wants_none = True

    def _backward(self, node: FunctionNode, cts: list[Any]) -> list[Any]:
        _, outs, is_tensor = node._meta
        given = []
        for i, m in enumerate(outs):
            c = cts[i] if i < len(cts) else None
            if c is None and node.materialize_grads and m is not None and (
                    node._materialize_non_diff_grads or i not in node._constant_outputs):
                c = wrap(np.zeros(m[0], m[1].numpy), m[1])
            given.append(c)
        cls = node._forward_cls
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is "
                               "not allowed. You should only implement one of them.")
        function = cls.backward if cls.backward is not Function.backward else cls.vjp
        result = function(node, *given)
        grads = list(result) if isinstance(result, tuple | list) else [result]
        return _aligned(type(node).__name__, grads, is_tensor)

    def pull(self, node: FunctionNode, ct: Any) -> list[Any]:
        outs = node._meta[1]
        given = [None if c is None else
                 wrap(c, m[1] if m and m[1].numpy == c.dtype else dt.FROM_NUMPY[c.dtype])
                 for c, m in zip(ct or [], outs)]
        return [None if g is None else g._a for g in self.pull_graph(node, given)]

    def pull_graph(self, node: FunctionNode, ct: Any) -> list[Any]:
        grads = self._backward(node, ct or [])
        return [None if g is None or node._edges[i] is None else
                _fitted(type(node).__name__, i, g, node._meta[0][i])
                for i, g in enumerate(grads)]

    def pack_field(self, node: FunctionNode, name: str, pack: Any, unpack_hook: Any) -> None:
        """Let hooks hold the saved tensor number ``name``."""
        kept = list(node._saved)
        kept[int(name)] = repacked(node, kept[int(name)], pack, unpack_hook)
        node._saved = tuple(kept)


PLAN = _FunctionPlan()


def _aligned(name: str, grads: list[Any], is_tensor: tuple[bool, ...]) -> list[Any]:
    """Gradients of the tensor arguments only, checked in number and kind."""
    count = len(is_tensor)
    if len(grads) > count and all(g is None for g in grads[count:]):
        grads = grads[:count]
    refuse(len(grads) != count, "function {} returned an incorrect number of gradients (expected "
           "{}, got {})", name, count, len(grads))
    kept = []
    for i, (g, wanted) in enumerate(zip(grads, is_tensor)):
        if not wanted:
            refuse(g is not None, "function {} returned a gradient different than None at position "
                   "{}, but the corresponding forward input was not a Variable", name, i + 1)
            continue
        if g is not None and not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        kept.append(g)
    return kept


def _fitted(name: str, index: int, g: Tensor, meta: tuple[tuple[int, ...], dt.dtype]) -> Tensor:
    """A returned gradient summed to the input's shape and converted to its dtype."""
    shape, d = meta
    if g._dt.category == dt.COMPLEX and d.category < dt.COMPLEX:
        raise RuntimeError("Expected isFloatingType(grad.scalar_type()) || (input_is_complex == "
                           "grad_is_complex) to be true, but got false.  (Could this error message "
                           "be improved?  If so, please report an enhancement request to PyTorch.)")
    if g._a.shape != shape:
        try:
            fits = np.broadcast_shapes(shape, g._a.shape) == g._a.shape
        except ValueError:
            fits = False
        refuse(not fits, "Function {} returned an invalid gradient at index {} - got {} but "
               "expected shape compatible with {}", name, index, list(g._a.shape), list(shape))
        if not state.mode & GRAD:
            return wrap(reduce_to(g._a, shape, g._a.dtype), g._dt).to(d)  # type: ignore[no-any-return]
        g = g.sum_to_size(shape)
    return g if g._dt is d else g.to(d)


class InplaceFunction(Function):
    """An old base class for functions with an in-place option."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


BackwardCFunction = FunctionNode
__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction", "once_differentiable"]
