"""Full backward hooks of modules: identity nodes around the forward that see gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import basis as torch


class BackwardHookFunction(torch.autograd.Function):
    """The identity; its nodes mark where a module's inputs and outputs are."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        return args


def _with_none(places: Sequence[int], values: Sequence[Any], size: int) -> tuple[Any, ...]:
    """A tuple of ``size`` items, ``values`` at ``places`` and None elsewhere."""
    packed: list[Any] = [None] * size
    for place, value in zip(places, values):
        packed[place] = value
    return tuple(packed)


def _replaced(grads: tuple[Any, ...], out: Any, complaint: str) -> tuple[Any, ...]:
    """``grads``, or what a hook returned in their place."""
    if out is None:
        return grads
    given = out if isinstance(out, tuple) else (out,)
    if len(given) != len(grads):
        raise RuntimeError(f"Backward {complaint} {len(given)}, but expected {len(grads)}")
    return given


class BackwardHook:
    """The hooks of one call of one module.

    The hook at the outputs runs first in a backward and keeps the gradients of the outputs;
    the hook at the inputs then calls the user's hooks with both.
    """

    def __init__(self, module: Any, user_hooks: list[Callable[..., Any]],
                 user_pre_hooks: list[Callable[..., Any]]) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.n_inputs = -1
        self.n_outputs = -1
        self.input_places: list[int] | None = None
        self.output_places: list[int] | None = None

    def _marked(self, attach: Callable[[Any], None],
                args: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int] | None]:
        places = [i for i, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        tensors = [args[i] for i in places]
        if not (torch.is_grad_enabled() and any(t.requires_grad for t in tensors)):
            return args, None
        marked = BackwardHookFunction.apply(*tensors)
        node = next((t.grad_fn for t in marked if t.grad_fn is not None), None)
        if node is None:
            raise RuntimeError("Error while setting up backward hooks. Please open an issue with a "
                               "code sample to reproduce this.")
        attach(node)
        out = list(args)
        for place, t in zip(places, marked):
            out[place] = t
        return tuple(out), places

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """``args`` with their tensors passed through the marking node."""
        self.n_inputs = len(args)
        args, self.input_places = self._marked(lambda node: node.register_hook(self._at_inputs),
                                               args)
        return args

    def _at_inputs(self, grad_input: Any, _: Any) -> Any:
        if self.grad_outputs is None:  # the gradient with respect to outputs was not computed
            return None
        places = self.input_places or []
        result = _with_none(places, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            out = hook(self.module, result, self.grad_outputs)
            result = _replaced(result, out, "hook returned an invalid number of grad_input, got")
        self.grad_outputs = None
        return tuple(result[i] for i in places)

    def setup_output_hook(self, result: Any) -> Any:
        """``result`` with its tensors passed through the marking node."""
        single = not isinstance(result, tuple)
        args = (result,) if single else result
        self.n_outputs = len(args)
        args, self.output_places = self._marked(lambda node: node.register_hook(self._at_outputs),
                                                args)
        if single:
            return args[0]
        return result._make(args) if hasattr(result, "_make") else args  # a named tuple stays one

    def _at_outputs(self, _: Any, grad_output: Any) -> Any:
        places = self.output_places or []
        grads = _with_none(places, grad_output, self.n_outputs)
        for pre_hook in self.user_pre_hooks:
            grads = _replaced(grads, pre_hook(self.module, grads),
                              "pre hook returned an invalid number of grad_output, got")
        self.grad_outputs = grads
        if self.input_places is None:
            self._call_without_inputs(grads)
            self.grad_outputs = None
        return tuple(grads[i] for i in places)

    def _call_without_inputs(self, grads: tuple[Any, ...]) -> None:
        if not self.user_hooks:
            return
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
            "#torch.nn.Module.register_full_backward_hook for more details.", stacklevel=5)
        for hook in self.user_hooks:
            out = hook(self.module, (None,) * self.n_inputs, grads)
            if out is not None and not (isinstance(out, tuple)
                                        and all(item is None for item in out)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient "
                                   "should always return None or None for all gradients.")


def what_plain_hooks_miss(inputs: Any, result: Any, last: Any) -> str | None:
    """The warning about a backward hook of the old form, which sees one node's gradients."""
    results = (result,) if isinstance(result, torch.Tensor) else result
    start = "Using non-full backward hooks on a Module that does not "
    end = ("is deprecated and will be removed in future versions. This hook will be missing "
           "some {}")
    please = ". Please use register_full_backward_hook to get the documented behavior."
    for values, text, what in (
        (results, "return a single Tensor or a tuple of Tensors ", "of the grad_output"),
        (inputs, "take as input a single Tensor or a tuple of Tensors ", "of the grad_input"),
    ):
        if not (isinstance(values, tuple) and all(isinstance(v, torch.Tensor) for v in values)):
            return start + text + end.format(what) + please
    start = "Using a non-full backward hook when "
    nodes = {r.grad_fn for r in results if r.grad_fn is not None}
    if nodes != {last} and len(nodes) <= 1:
        return start + "outputs are nested in python data structure " + end.format("grad_output.")
    if len(nodes) > 1:
        return (start + "outputs are generated by different autograd Nodes "
                + end.format("grad_output") + please)
    if {i.grad_fn for i in inputs if i.grad_fn is not None} != {
            node for node, _ in last.next_functions}:
        return (start + "the forward contains multiple autograd Nodes "
                + end.format("grad_input") + please)
    return None
