"""Calling a Module: forward with its hooks before, after and in the backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .. import basis as torch
from ..removable import RemovableHandle, registered
from .backward_hooks import BackwardHook, what_plain_hooks_miss
from .global_hooks import EVERYWHERE
from .module_state import ModulePart

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
