"""Hooks on every module: on calls, backwards and registrations."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ..removable import RemovableHandle, registered

Hook = Callable[..., Any]
Table = OrderedDict[int, Any]


class _Everywhere:
    """The tables; those of calls are run with the module's own of the same kind."""

    def __init__(self) -> None:
        self.forward_pre: Table = OrderedDict()
        self.forward: Table = OrderedDict()
        self.with_kwargs: Table = OrderedDict()
        self.always_called: Table = OrderedDict()
        self.backward_pre: Table = OrderedDict()
        self.backward: Table = OrderedDict()
        self.full: bool | None = None  # whether ``backward`` holds full backward hooks
        self.buffer: Table = OrderedDict()
        self.module: Table = OrderedDict()
        self.parameter: Table = OrderedDict()

    def calls(self) -> bool:
        """Whether any hook is to be run at calls."""
        return bool(self.forward or self.forward_pre or self.backward or self.backward_pre)


EVERYWHERE = _Everywhere()


def replaced(kind: Table, module: Any, name: str, value: Any) -> Any:
    """``value``, or what the registration hooks put in its place."""
    for hook in kind.values():
        other = hook(module, name, value)
        if other is not None:
            value = other
    return value


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` at registrations; a result replaces the buffer."""
    return registered(EVERYWHERE.buffer, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` at registrations; a result replaces it."""
    return registered(EVERYWHERE.module, hook)


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, param)`` at registrations; a result replaces it."""
    return registered(EVERYWHERE.parameter, hook)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before every module's forward and its own hooks."""
    return registered(EVERYWHERE.forward_pre, hook)


def register_module_forward_hook(hook: Hook, *, with_kwargs: bool = False,
                                 always_call: bool = False) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after every module's forward, before its own hooks."""
    flags = [EVERYWHERE.with_kwargs] * with_kwargs + [EVERYWHERE.always_called] * always_call
    return registered(EVERYWHERE.forward, hook, False, *flags)


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before every module's backward."""
    return registered(EVERYWHERE.backward_pre, hook)


def _backward(hook: Hook, full: bool) -> RemovableHandle:
    if EVERYWHERE.full is not None and EVERYWHERE.full is not full:
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a "
                           "global Module hook. Please use only one of them.")
    EVERYWHERE.full = full
    return registered(EVERYWHERE.backward, hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` in every module's backward."""
    return _backward(hook, True)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The old form: called with the gradients of the last node of each forward only."""
    return _backward(hook, False)
