"""Looking at the graph, hooks on what it saves, and anomaly mode."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from srcgrad.eager.backward import GradientEdge
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.grad_mode import HOOKS, set_bit, set_detect_anomaly, state
from srcgrad.eager.nodes import Node, extra
from srcgrad.eager.strides import address
from srcgrad.eager.tensor import Tensor, wrap
from srcgrad.eager.views import gradient_edge


class saved_tensors_hooks:
    """Tensors saved inside are given to ``pack``; ``unpack`` must give them back."""

    def __init__(self, pack_hook: Callable[[Tensor], Any],
                 unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> saved_tensors_hooks:
        if state.hooks_disabled is not None:
            raise RuntimeError(state.hooks_disabled)
        state.hooks.append((self.pack_hook, self.unpack_hook))
        set_bit(HOOKS, True)
        return self

    def __exit__(self, *error: Any) -> None:
        state.hooks.pop()
        set_bit(HOOKS, bool(state.hooks))


class save_on_cpu(saved_tensors_hooks):
    """Keep saved tensors in main memory: here they already are; copies are saved."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t.clone().detach(), lambda t: t)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Saved-tensor hooks raise ``error_message`` inside."""
    if state.hooks:
        raise RuntimeError(error_message)
    before, state.hooks_disabled = state.hooks_disabled, error_message
    try:
        yield
    finally:
        state.hooks_disabled = before


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of ``tensor`` passes: usable in ``grad`` and ``backward`` instead."""
    edge = gradient_edge(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does "
                           "not require gradients")
    token = tensor if tensor.grad_fn is None else None
    extra(edge[0]).outputs[edge[1]] = tensor._a.shape, tensor._dt
    return GradientEdge(edge[0], edge[1], token)


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., Any], *,
                             mode: str = "all") -> Any:
    """Call ``fn`` when all gradients of ``tensors`` that a backward computes are known (with
    None for the others), or when the first one is."""
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    lock = threading.Lock()
    key = object()
    nodes: list[Any] = []
    handles = _Handles()

    def on_grad(i: int) -> Callable[[Tensor], None]:
        def hook(g: Tensor) -> None:
            run = state.run
            with lock:
                grads = run.notes.setdefault(key, [[None] * len(tensors), 0])
                grads[0][i] = g
                grads[1] += 1
                seen = grads[1]
            if mode == "any":
                if seen == 1:
                    fn(g)
            elif seen == sum(run.will_run(n) for n in nodes):
                fn(grads[0])

        return hook

    for i, t in enumerate(tensors):
        handles.callback(t.register_hook(on_grad(i)).remove)
        nodes.append(gradient_edge(t)[0])  # type: ignore[index]
    return handles


class _Handle:
    """Stands for one value of one tensor, as long as something that was saved refers to it."""

    __slots__ = ("__weakref__",)


class _Mutation:
    """What ``allow_mutation_on_saved_tensors`` gives: values that were saved, copied before the
    first write to their memory."""

    def __init__(self) -> None:
        self.open = True
        self.tid_to_weakhandle: Any = weakref.WeakValueDictionary()
        self.original: Any = weakref.WeakKeyDictionary()
        self.cloned: Any = weakref.WeakKeyDictionary()

    def pack(self, t: Tensor) -> _Handle:
        key = id(t._ver), t._ver[0], t._dt, t._a.shape, t._a.strides, address(t._a)
        handle: _Handle | None = self.tid_to_weakhandle.get(key)
        if handle is None:
            handle = self.tid_to_weakhandle[key] = _Handle()
            self.original[handle] = t.detach()
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        refuse(not self.open, "Trying to backward outside of the 'allow_mutation_on_saved_tensors' "
               "contextin which the graph was originally recorded.", kind=AssertionError)
        copy: Tensor | None = self.cloned.get(handle)
        return self.original[handle] if copy is None else copy

    def before_write(self, t: Tensor) -> None:
        """Copy what was saved of the memory that is to be written."""
        for handle, saved in list(self.original.items()):
            if saved._ver is t._ver:
                self.cloned[handle] = wrap(saved._a.copy(), saved._dt)
                del self.original[handle]

    def clear(self) -> None:
        self.open = False
        for table in (self.tid_to_weakhandle, self.original, self.cloned):
            table.clear()


@contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_Mutation]:
    """Inside, tensors saved for backward may be modified in place: they are copied before the
    write.  The backward must run inside, too."""
    refuse(state.mutation is not None, "allow_mutation_on_saved_tensors contexts cannot be nested")
    mutation = state.mutation = _Mutation()
    try:
        with saved_tensors_hooks(mutation.pack, mutation.unpack):
            yield mutation
    finally:
        mutation.clear()
        state.mutation = None


class _Handles(ExitStack):
    """Removes several hooks at once."""

    remove = ExitStack.close


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Mark tensors as modified in place."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        t._ver[0] += 1


__all__ = ["GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks",
           "get_gradient_edge", "increment_version", "register_multi_grad_hook", "save_on_cpu",
           "saved_tensors_hooks"]


class detect_anomaly(set_detect_anomaly):
    """Anomaly mode for the duration of a ``with`` block."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(True, check_nan)
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime "
                      "and should only be enabled for debugging.", UserWarning, stacklevel=2)
