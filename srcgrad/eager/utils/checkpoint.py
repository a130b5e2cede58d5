"""Activation checkpointing: do not save what a function can compute again in backward.

The non-reentrant form packs a *ticket* for each tensor the function would save; the first ticket
that a backward unpacks runs the function again and collects what it saves this time, in the same
order.
The reentrant form is a Function whose backward runs the function again and differentiates it.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from srcgrad.eager.autograd.function import Function
from srcgrad.eager.autograd.graph import saved_tensors_hooks
from srcgrad.eager.backward import backward as run_backward
from srcgrad.eager.calling_errors import refuse
from srcgrad.eager.grad_mode import GRAD, enable_grad, state
from srcgrad.eager.random import fork_rng, get_rng_state, set_rng_state
from srcgrad.eager.saving import unpack
from srcgrad.eager.tensor import Tensor
from srcgrad.eager.views import caller_place


class CheckpointError(RuntimeError):
    """Running the function again did not save what it saved the first time."""


class _Enough(Exception):
    """Everything that is needed was computed again."""


_early_stop: list[bool | None] = [None]


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints inside stop computing again when all saved tensors are there."""
    before, _early_stop[0] = _early_stop[0], enable
    try:
        yield
    finally:
        _early_stop[0] = before


_TIP = """
Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.
"""


class _Ticket:
    """What stands for a saved tensor: its place among those that the call saved."""

    __slots__ = ("__weakref__", "place")

    def __init__(self, place: int) -> None:
        self.place = place


@contextmanager
def _drawing_from(random_state: Any) -> Iterator[None]:
    """Random numbers as from this state on (if it is not None); the present one afterwards."""
    with fork_rng(enabled=random_state is not None):
        if random_state is not None:
            set_rng_state(random_state)
        yield


def _facts(t: Tensor) -> dict[str, Any]:
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


_CHECKS: dict[str, Callable[[Tensor], Any]] = {"default": _facts, "none": lambda t: None}


class _Frame:
    """One checkpointed call: how to run it again and what it saved.

    What a second run saves is kept for the backward that asked for it, and given out once.
    """

    def __init__(self, run: Callable[[], Any], random_state: Any, inputs: Sequence[Any] = (),
                 early_stop: bool = True, facts: Callable[[Tensor], Any] = _facts) -> None:
        self.run = run
        self.inputs = [(t, t._ver[0]) for t in inputs if isinstance(t, Tensor)]
        self._where = caller_place()
        self.early_stop = early_stop if _early_stop[0] is None else _early_stop[0]
        self.random_state = random_state
        self.facts = facts
        self.saved: list[tuple[weakref.ref[_Ticket], Any]] = []
        self.completed = False  # the first run: a backward inside of it may run it again

    def pack(self, t: Tensor) -> _Ticket:
        ticket = _Ticket(len(self.saved))
        self.saved.append((weakref.ref(ticket), self.facts(t)))
        return ticket

    def unpack(self, ticket: _Ticket) -> Tensor:
        notes = {} if state.run is None else state.run.notes
        if self not in notes:
            notes[self] = self._again()
        if ticket.place not in notes[self]:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already "
                "unpacked once. If you are calling ctx.saved_tensors in backward, make sure to do "
                "so only once. Otherwise please open an issue with details on your use case.")
        return notes[self].pop(ticket.place)  # type: ignore[no-any-return]

    def _again(self) -> dict[int, Tensor]:
        for given in self.inputs:
            unpack(self, given)  # it must be what it was
        kept: dict[int, Tensor] = {}
        seen: list[Any] = []  # the facts of everything saved

        def keep(t: Tensor) -> Tensor:
            t = t.detach()
            place = len(seen)
            if place >= len(self.saved):
                if self.completed:
                    raise CheckpointError(
                        "torch.utils.checkpoint: trying to save more tensors during recomputation "
                        f"than during the original forward pass.\n{_TIP}")
                return t
            seen.append(self.facts(t))
            if self.saved[place][0]() is not None:
                kept[place] = t
            if self.early_stop and len(seen) == len(self.saved):
                raise _Enough
            return t

        with (_drawing_from(self.random_state), enable_grad(),
              saved_tensors_hooks(keep, lambda t: t), suppress(_Enough)):
            self.run()
        self._compare(seen)
        return kept

    def _compare(self, seen: list[Any]) -> None:
        """Raise unless the second run saved what the first did."""
        if len(seen) != len(self.saved):
            raise CheckpointError("torch.utils.checkpoint: A different number of tensors was saved "
                                  "during the original forward and recomputation.\nNumber of "
                                  f"tensors saved during forward: {len(self.saved)}\nNumber of "
                                  f"tensors saved during recomputation: {len(seen)}.\n{_TIP}")
        unlike = "".join(
            f"tensor at position {i}:\nsaved metadata: {then}\nrecomputed metadata: {now}\n"
            for i, ((ticket, then), now) in enumerate(zip(self.saved, seen))
            if ticket() is not None and then != now)
        if unlike:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have "
                f"different metadata than during the forward pass.\n{unlike}.\n{_TIP}")


class CheckpointFunction(Function):
    """Forward without recording; backward records and differentiates."""

    @staticmethod
    def forward(ctx: Any, function: Any, random_state: Any, *args: Any) -> Any:
        ctx.function, ctx.random_state = function, random_state
        ctx.arguments = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.places])
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        refuse(state.run is not None and state.run.partial, "When use_reentrant=True, "
               "torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
               "parameter to .backward(). To resolve this error, you can either set "
               "use_reentrant=False, or call .backward() without passing the `inputs` argument.")
        args = list(ctx.arguments)
        for i, t in zip(ctx.places, ctx.saved_tensors):
            args[i] = t.detach().requires_grad_(t.requires_grad)
        with _drawing_from(ctx.random_state), enable_grad():
            out = ctx.function(*args)
        outs = out if isinstance(out, tuple) else (out,)
        pairs = [(o, g) for o, g in zip(outs, grads) if isinstance(o, Tensor) and o.requires_grad]
        refuse(not pairs, "none of output has requires_grad=True, this checkpoint() is not "
               "necessary")
        run_backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in args))


def checkpoint(function: Callable[..., Any], *args: Any, use_reentrant: bool | None = None,
               context_fn: Any = None, determinism_check: str = "default", debug: bool = False,
               preserve_rng_state: bool = True, early_stop: bool = True, **kwargs: Any) -> Any:
    """``function(*args)`` whose intermediate results are computed again in backward.

    >>> import srcgrad.eager as torch
    >>> x = torch.tensor([2.0], requires_grad=True)
    >>> torch.utils.checkpoint.checkpoint(lambda t: t ** 3, x, use_reentrant=False).backward()
    >>> x.grad.tolist()
    [12.0]
    """
    if use_reentrant is None:
        warnings.warn(_UNSAID.format("", "Starting in PyTorch 2.9, calling checkpoint without "
                                     "use_reentrant will raise an exception."), stacklevel=2)
        use_reentrant = True
    if use_reentrant and kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    refuse(use_reentrant and (context_fn is not None or debug), "Passing `context_fn` or `debug` "
           "is only supported when use_reentrant=False.", kind=ValueError)
    random_state = get_rng_state() if preserve_rng_state else None
    if use_reentrant:
        if state.mode & GRAD and not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None",
                          stacklevel=2)
        return CheckpointFunction.apply(function, random_state, *args)
    refuse(determinism_check not in _CHECKS, "determinism_check should be one of {}, but got {}",
           list(_CHECKS), determinism_check, kind=ValueError)
    first, again = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
    if not state.mode & GRAD:
        with first:
            return function(*args, **kwargs)

    def rerun() -> None:
        with again:
            function(*args, **kwargs)

    frame = _Frame(rerun, random_state, args, early_stop, _CHECKS[determinism_check])
    with saved_tensors_hooks(frame.pack, frame.unpack), first:
        out = function(*args, **kwargs)
    frame.completed = True
    return out


_UNSAID = (
    "torch.utils.checkpoint{}: the use_reentrant parameter should be passed explicitly. {} "
    "use_reentrant=False is recommended, but if you need to preserve the current default behavior, "
    "you can pass use_reentrant=True. Refer to docs for more details on the differences between "
    "the two variants.")


def checkpoint_sequential(functions: Any, segments: int, input: Any,
                          use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """A chain of functions in ``segments`` checkpointed pieces (the last one is not)."""
    chain: Sequence[Any] = list(functions.children()) if hasattr(functions, "children") else list(
        functions)
    if use_reentrant is None:
        warnings.warn(_UNSAID.format(".checkpoint_sequential", "In version 2.9 we will raise an "
                                     "exception if use_reentrant is not passed."), stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    size = len(chain) // segments
    end = -1
    value = input
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        value = checkpoint(_run_piece(chain[start : end + 1]), value, use_reentrant=use_reentrant,
                           preserve_rng_state=preserve)
    return _run_piece(chain[end + 1 :])(value)


def _run_piece(piece: Iterable[Any]) -> Callable[[Any], Any]:
    steps = list(piece)
    return lambda value: functools.reduce(lambda result, step: step(result), steps, value)
