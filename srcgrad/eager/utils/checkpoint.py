"""Activation checkpointing: forget what a function saved, compute it again in the backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from .. import basis as torch

EXPLICIT = (
    "torch.utils.checkpoint{}: the use_reentrant parameter should be passed explicitly. {} "
    "use_reentrant=False is recommended, but if you need to preserve the current default "
    "behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences "
    "between the two variants."
)


class CheckpointError(RuntimeError):
    """The recomputation did not do what the forward did."""


@contextmanager
def _random_state(state: Any) -> Iterator[None]:
    """The generator set to ``state`` inside, and back afterwards (None: untouched)."""
    if state is None:
        yield
        return
    now = torch.get_rng_state()
    torch.set_rng_state(state)
    try:
        yield
    finally:
        torch.set_rng_state(now)


class CheckpointFunction(torch.autograd.Function):
    """The reentrant form: one node whose backward runs the function and its backward."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve: bool, *args: Any) -> Any:
        if not any(isinstance(a, torch.Tensor) and a.requires_grad for a in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None",
                stacklevel=4,
            )
        ctx.run_function = run_function
        ctx.state = torch.get_rng_state() if preserve else None
        ctx.inputs = [None if isinstance(a, torch.Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        with torch.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        inputs = list(ctx.inputs)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            inputs[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with _random_state(ctx.state), torch.enable_grad():
            outputs = ctx.run_function(*inputs)
        if isinstance(outputs, torch.Tensor):
            outputs = (outputs,)
        wanted = [
            (out, grad) for out, grad in zip(outputs, grads)
            if isinstance(out, torch.Tensor) and out.requires_grad
        ]
        if not wanted:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        torch.autograd.backward([out for out, _ in wanted], [grad for _, grad in wanted])
        return (None, None) + tuple(
            x.grad if isinstance(x, torch.Tensor) else None for x in inputs
        )


class _Frame:
    """One checkpointed call: what its forward saved, by number, filled on demand."""

    def __init__(
        self, function: Callable[..., Any], args: Any, kwargs: Any, state: Any,
        recompute_context: Any, check: bool,
    ) -> None:
        self.call = (function, args, kwargs)
        self.state = state
        self.recompute_context = recompute_context
        self.check = check
        self.facts: list[tuple[Any, Any]] = []
        self.again: list[Any] | None = None

    def pack(self, tensor: Any) -> int:
        """In the forward: remember only that a tensor was saved, and what it looked like."""
        self.facts.append((tensor.shape, tensor.dtype))
        return len(self.facts) - 1

    def unpack(self, number: int) -> Any:
        """In the backward: the tensor the recomputation saved in the same place."""
        if self.again is None or self.again[number] is None:
            self._recompute()
        assert self.again is not None
        tensor, self.again[number] = self.again[number], None
        return tensor

    def _recompute(self) -> None:
        function, args, kwargs = self.call
        saved: list[Any] = []

        def keep(tensor: Any) -> Any:
            saved.append(tensor.detach())
            return tensor

        fresh = [
            a.detach().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a
            for a in args
        ]
        hooks = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
        with _random_state(self.state), self.recompute_context, torch.enable_grad(), hooks:
            function(*fresh, **kwargs)
        if len(saved) != len(self.facts):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.facts)}\nNumber of tensors saved during recomputation: {len(saved)}."
            )
        for number, (tensor, (shape, dtype)) in enumerate(zip(saved, self.facts)):
            if self.check and (tensor.shape != shape or tensor.dtype != dtype):
                raise CheckpointError(
                    "torch.utils.checkpoint: Recomputed values for the following tensors have "
                    "different metadata than during the forward pass.\ntensor at position "
                    f"{number}:\nsaved metadata: {{'shape': {shape}, 'dtype': {dtype}}}\n"
                    f"recomputed metadata: {{'shape': {tensor.shape}, 'dtype': {tensor.dtype}}}"
                )
        self.again = saved


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Any] | None = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args)`` without keeping its intermediate results for the backward.

    They are computed again when the backward needs them, with the random state of the first
    time.  ``use_reentrant=False`` works with ``autograd.grad``, keyword arguments and tensors
    the function closes over; the other form is one node that runs a backward in its backward.
    """
    if use_reentrant is None:
        warnings.warn(
            EXPLICIT.format(
                "", "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise "
                "an exception."
            ),
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not None or debug:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
            )
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if not torch.is_grad_enabled():
        return function(*args, **kwargs)
    first, second = context_fn() if context_fn is not None else (nullcontext(), nullcontext())
    state = torch.get_rng_state() if preserve_rng_state else None
    frame = _Frame(function, args, kwargs, state, second, determinism_check == "default")
    with torch.autograd.graph.saved_tensors_hooks(frame.pack, frame.unpack), first:
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """A sequence of functions in ``segments`` parts, all but the last checkpointed."""
    if use_reentrant is None:
        warnings.warn(
            EXPLICIT.format(
                ".checkpoint_sequential",
                "In version 2.9 we will raise an exception if use_reentrant is not passed.",
            ),
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    parts = list(functions.children() if hasattr(functions, "children") else functions)

    def run(chosen: list[Any]) -> Callable[[Any], Any]:
        def forward(value: Any) -> Any:
            for part in chosen:
                value = part(value)
            return value

        return forward

    size = len(parts) // segments
    for number in range(segments - 1):
        chosen = parts[number * size:(number + 1) * size]
        input = checkpoint(
            run(chosen), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return run(parts[(segments - 1) * size:])(input)
