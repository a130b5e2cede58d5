"""Calling a Module: forward with its hooks before, after and in the backward.

Full backward hooks are identity nodes around the forward that see gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import basis as torch
from ..calling_errors import refuse
from ..removable import RemovableHandle, registered
from .global_hooks import EVERYWHERE
from .module_state import ModulePart


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
        refuse(node is None, "Error while setting up backward hooks. Please open an issue with a "
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


NOT_BOTH = ("Cannot use both regular backward hooks and full backward hooks on a single Module. "
            "Please use only one of them.")


class ModuleCall(ModulePart):
    """The part of Module that registers and runs hooks."""

    _is_full_backward_hook: bool | None

    # -- hooks ---------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args)`` before forward; what it returns replaces ``args``."""
        flags = [self._forward_pre_hooks_with_kwargs] * with_kwargs
        return registered(self._forward_pre_hooks, hook, prepend, *flags)

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False,
                              with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after forward; a result replaces the output."""
        flags = ([self._forward_hooks_with_kwargs] * with_kwargs
                 + [self._forward_hooks_always_called] * always_call)
        return registered(self._forward_hooks, hook, prepend, *flags)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any],
                                        prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the module's backward."""
        return registered(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook: Callable[..., Any],
                                    prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` when the gradients with respect to
        the inputs are computed; what it returns replaces ``grad_input``."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(NOT_BOTH)
        self._is_full_backward_hook = True
        return registered(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The old form: called with the gradients of the last node of the forward only."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(NOT_BOTH)
        self._is_full_backward_hook = False
        return registered(self._backward_hooks, hook)

    # -- the call ------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        try:
            hooked = (own["_forward_hooks"] or own["_forward_pre_hooks"] or own["_backward_hooks"]
                      or own["_backward_pre_hooks"] or EVERYWHERE.calls())
        except KeyError:  # Module.__init__() was not called
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '_backward_hooks'") from None
        if not hooked:
            return self.forward(*args, **kwargs)
        called: set[int] = set()
        try:
            return self._call_hooked(args, kwargs, called)
        except Exception:
            self._call_remaining(args, kwargs, called)
            raise

    def _call_hooked(self, args: tuple[Any, ...], kwargs: dict[str, Any], called: set[int]) -> Any:
        args, kwargs = self._run_pre_hooks(args, kwargs)
        full, plain = (
            [hook for of, table in ((EVERYWHERE.full, EVERYWHERE.backward),
                                    (self._is_full_backward_hook, self._backward_hooks))
             if of is kind for hook in table.values()] for kind in (True, False))
        before = [*EVERYWHERE.backward_pre.values(), *self._backward_pre_hooks.values()]
        marks = None
        if full or before:
            marks = BackwardHook(self, full, before)
            args = marks.setup_input_hook(args)
        result = self.forward(*args, **kwargs)
        for number, hook in self._after():
            called.add(number)
            replaced = self._run_forward_hook(number, hook, args, kwargs, result)
            result = result if replaced is None else replaced
        if marks is not None:
            if not isinstance(result, (torch.Tensor, tuple)):
                warnings.warn("For backward hooks to be called, module output should be a Tensor "
                              f"or a tuple of Tensors but received {type(result)}", stacklevel=3)
            result = marks.setup_output_hook(result)
        if plain:
            self._attach_plain_backward(plain, args, result)
        return result

    def _after(self) -> list[tuple[int, Any]]:
        return [*EVERYWHERE.forward.items(), *self._forward_hooks.items()]

    def _run_pre_hooks(self, args: tuple[Any, ...],
                       kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for number, hook in (*EVERYWHERE.forward_pre.items(), *self._forward_pre_hooks.items()):
            if number in self._forward_pre_hooks_with_kwargs:
                both = hook(self, args, kwargs)
                if both is None:
                    continue
                if not (isinstance(both, tuple) and len(both) == 2):
                    raise RuntimeError("forward pre-hook must return None or a tuple of (new_args, "
                                       f"new_kwargs), but got {both}.")
                args, kwargs = both
                continue
            replaced = hook(self, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
        return args, kwargs

    def _run_forward_hook(self, number: int, hook: Any, args: Any, kwargs: Any, result: Any) -> Any:
        if number in self._forward_hooks_with_kwargs or number in EVERYWHERE.with_kwargs:
            return hook(self, args, kwargs, result)
        return hook(self, args, result)

    def _attach_plain_backward(self, hooks: list[Any], args: Any, result: Any) -> None:
        found = result
        while not isinstance(found, torch.Tensor):
            if isinstance(found, dict):
                found = next(v for v in found.values() if isinstance(v, torch.Tensor))
            else:
                found = found[0]
        if found.grad_fn is not None:
            for hook in hooks:
                found.grad_fn.register_hook(lambda grads_in, grads_out,
                                            hook=hook: hook(self, grads_in, grads_out))
            missing = what_plain_hooks_miss(args, result, found.grad_fn)
            if missing:
                warnings.warn(missing, FutureWarning, stacklevel=5)

    def _call_remaining(self, args: Any, kwargs: Any, called: set[int]) -> None:
        """After an error: the hooks that asked to be called always and were not yet."""
        always = EVERYWHERE.always_called.keys() | self._forward_hooks_always_called.keys()
        for number, hook in self._after():
            if number not in always or number in called:
                continue
            try:
                self._run_forward_hook(number, hook, args, kwargs, None)
            except Exception as error:
                scope = "global " if number in EVERYWHERE.forward else ""
                warnings.warn(f"{scope}module forward hook with ``always_call=True`` raised an "
                              "exception that was silenced as another error was raised in forward: "
                              f"{error}", stacklevel=3)
