"""Parts that autograd takes for tensors of their own: ``*_copy``, ``unsafe_split`` and its kin."""

from __future__ import annotations

from typing import Any

from srcgrad.eager.dispatch import Array, Tensor, op, register, wrap
from srcgrad.eager.grad_mode import FORWARD, state
from srcgrad.eager.nodes import named
from srcgrad.eager.ops.complex_views import view_as_complex, view_as_real
from srcgrad.eager.ops.indexing import slice_view
from srcgrad.eager.ops.joining import chunk, split, split_with_sizes
from srcgrad.eager.ops.rearranging import narrow
from srcgrad.eager.ops.shapes import wrap_dim
from srcgrad.eager.tangents import set_tangent, tangent_of


def standing(view: Tensor, array: Array) -> Tensor:
    """A tensor over ``array`` with the history of ``view``, which is no view itself."""
    t = wrap(array, view._dt)
    t._fn, t._nr, t._rg = view._fn, view._nr, view._rg
    tangent = tangent_of(view) if state.mode & FORWARD else None
    if tangent is not None:
        set_tangent(t, tangent.clone())
    return t


def _unwatched(name: str, function: Any, node: str) -> None:
    """Parts that share memory with the whole: what is written to one of them is written to all,
    unseen."""

    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        parts = tuple(standing(view, view._a) for view in function(input, *args, **kwargs))
        return (named(parts[0], node), *parts[1:]) if parts else ()

    call.__name__ = name
    register(name, call)


_unwatched("unsafe_chunk", chunk, "UnsafeSplitBackward0")
_unwatched("unsafe_split", split, "UnsafeSplitBackward0")
_unwatched("unsafe_split_with_sizes", split_with_sizes, "UnsafeSplitWithSizesBackward0")


def _copying(name: str, function: Any) -> None:
    """``torch.<name>_copy``: what a view shows, copied; the node is named after the view's."""

    def call(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        shown = function(input, *args, **kwargs)
        several = isinstance(shown, tuple)
        copies = tuple(standing(view, view._a.copy()) for view in (shown if several else (shown,)))
        if copies and copies[0]._fn is not None:
            named(copies[0], type(copies[0]._fn).__name__ + "_copy")
        return copies if several else copies[0]

    call.__name__ = name + "_copy"
    op(method=False)(call)


def _slice(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
           step: int = 1) -> Tensor:
    return slice_view(input, wrap_dim(dim, input), slice(start, end, step))


for _name in ("view", "t", "transpose", "permute", "expand", "squeeze", "unsqueeze", "select",
              "diagonal", "as_strided", "unfold", "unbind", "split", "split_with_sizes"):
    _copying(_name, getattr(Tensor, _name))
for _function in (view_as_real, view_as_complex):
    _copying(_function.__name__, _function)
_copying("slice", _slice)
_copying("alias", lambda input: input[...])


@op(out=False)
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Any:
    """:func:`narrow` as a copy."""
    return named(narrow(input, dim, start, length).clone(), "NarrowCopyBackward0")
