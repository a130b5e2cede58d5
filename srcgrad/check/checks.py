"""Checking derivatives: generated gradients against differences, forward against reverse."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compile.frames import without_internal_frames
from ..compile.refusals import with_article
from ..compile.templates import may_vary
from ..errors import StructureError
from ..public.api import grad
from ..public.transforms import jvp, vjp
from ..types.tree import flatten, unflatten


def _direction(tree: Any, stream: np.random.RandomState) -> Any:
    """A random tangent: numbers at the differentiable leaves, None elsewhere."""
    leaves, structure = flatten(tree)
    drawn: list[Any] = []
    for leaf in leaves:
        if not may_vary(leaf):
            drawn.append(None)
            continue
        step = stream.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            step = step + 1j * stream.normal(size=np.shape(leaf))
        drawn.append(step.astype(leaf.dtype) if isinstance(leaf, np.ndarray)
                     else type(leaf)(step))
    return unflatten(structure, drawn)


def _moved(tree: Any, direction: Any, by: float) -> Any:
    leaves, structure = flatten(copy.deepcopy(tree))
    steps = flatten(direction)[0]
    return unflatten(structure, [x if s is None else (
        (x + by * s).astype(x.dtype) if isinstance(x, np.ndarray) else type(x)(x + by * s))
        for x, s in zip(leaves, steps, strict=True)])


def _dot(a: Any, b: Any) -> float:
    """The real pairing of two trees; leaves without a number count nothing."""
    total = 0.0
    for x, y in zip(flatten(a)[0], flatten(b)[0], strict=True):
        if x is not None and y is not None and may_vary(np.asarray(x)[()]):
            total += float(np.real(np.sum(np.asarray(x) * np.asarray(y))))
    return total


@without_internal_frames
def check_grads(fun: Callable[..., Any], args: Sequence[Any], order: int = 2,
                modes: Sequence[str] = ("fwd", "rev"), atol: float | None = None,
                rtol: float | None = None) -> None:
    """Compare the derivatives of ``fun`` at ``args`` with central differences, up to ``order``.

    Arguments and results are real or complex floats and arrays of these, of any shape, in any
    structure.  ``modes`` are ``"rev"`` (the pullback, by a random cotangent and direction) and
    ``"fwd"`` (the pushforward).  Raises AssertionError with the numbers that differ.

    It also raises what :func:`vjp` and :func:`jvp` raise.

    See also :func:`debug_grads`, :func:`srcgrad.testing.assert_grad`.

    >>> check_grads(lambda x: np.sum(np.sin(x) * x), (np.array([0.3, 1.2]),))
    """
    if not set(modes) <= {"fwd", "rev"} or not modes:
        raise StructureError(f"modes is {modes!r}", where="modes of check_grads",
                             why="derivatives are checked in forward and in reverse mode",
                             fix="use 'fwd', 'rev' or both: ('fwd', 'rev')")
    if not isinstance(args, (tuple, list)):
        raise StructureError(f"args is {with_article(type(args))}", where="args of check_grads",
                             why="it holds one item for each argument of the function",
                             fix="write check_grads(f, (x,))")
    if type(order) is not int or order < 1:
        raise StructureError(f"order is {order!r}", where="order of check_grads",
                             why="derivatives up to this order are checked",
                             fix="give 1 or more")
    args = tuple(args)
    single = any(leaf.dtype.itemsize < 8 for leaf in flatten(args)[0]
                 if isinstance(leaf, (np.ndarray, np.generic)) and leaf.dtype.kind == "f")
    step = 1e-2 if single else 1e-5
    atol = (1e-2 if single else 1e-5) if atol is None else atol
    rtol = (1e-2 if single else 1e-5) if rtol is None else rtol
    stream = np.random.RandomState(0)
    direction = tuple(_direction(a, stream) for a in args)
    high = fun(*(_moved(a, d, step) for a, d in zip(args, direction, strict=True)))
    low = fun(*(_moved(a, d, -step) for a, d in zip(args, direction, strict=True)))
    out = fun(*copy.deepcopy(args))
    slope = unflatten(flatten(out)[1], [
        (h - lo) / (2 * step) if may_vary(np.asarray(h)[()]) else 0.0
        for h, lo in zip(flatten(high)[0], flatten(low)[0], strict=True)])
    ct = _direction(out, stream)
    want = _dot(ct, slope)
    if "rev" in modes:
        _, pullback = vjp(fun, *copy.deepcopy(args))
        got = sum(_dot(g, d) for g, d in zip(pullback(ct), direction, strict=True)
                  if g is not None)
        _compare("the pullback", got, want, atol, rtol)
    if "fwd" in modes:
        _, tangent = jvp(fun, copy.deepcopy(args), direction)
        _compare("the pushforward", _dot(ct, tangent), want, atol, rtol)
    if order > 1 and "rev" in modes:
        check_grads(_paired_gradient(fun, ct, args), args, order - 1, ("rev",), atol * 10,
                    rtol * 10)


def _paired_gradient(fun: Callable[..., Any], ct: Any, args: Sequence[Any]) -> Callable[..., Any]:
    """The gradient of the pairing of ``fun`` with a fixed cotangent, to be checked in turn."""
    weights = flatten(ct)[0]
    places = tuple(i for i, a in enumerate(args) if any(may_vary(x) for x in flatten(a)[0]))

    def paired(*values: Any) -> Any:
        total = 0.0
        for weight, part in zip(weights, flatten(fun(*values))[0]):
            if weight is not None:
                total = total + np.sum(np.real(weight * part))
        return total

    gradient: Callable[..., Any] = grad(paired, argnums=places)
    return gradient


def _compare(what: str, got: float, want: float, atol: float, rtol: float) -> None:
    if abs(got - want) > atol + rtol * max(abs(got), abs(want)):
        raise AssertionError(
            f"{what} gives {got!r} along a random direction, central differences give "
            f"{want!r} (difference {got - want:.3g}, allowed {atol:g} + {rtol:g} relative)")
