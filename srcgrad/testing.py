"""Gradient checks for test suites, which say where a gradient is wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .check.statement_checks import debug_grads
from .compile.frames import without_internal_frames
from .errors import StructureError
from .public.api import Argnums, grad
from .types.guards import Path
from .types.identifiers import signature_of
from .types.tree import is_fixed, paths_below, ravel_tree

__all__ = ["assert_grad"]
_ROOM = {4: (1e-2, 3e-2), 8: (1e-6, 1e-5)}  # step of differences and tolerance, by bytes


@without_internal_frames
def assert_grad(fun: Callable[..., Any], *args: Any, argnums: Argnums = 0,
                rtol: float | None = None, atol: float | None = None) -> None:
    """Assert that the gradient of a scalar function is that of central differences, element by
    element.  The AssertionError names the worst element and, where there is one, the first
    statement whose own adjoint is wrong.

    Raises :class:`StructureError` for arguments that hold no real numbers, and what
    :func:`srcgrad.grad` raises.

    See also :func:`srcgrad.check_grads`, :func:`srcgrad.debug_grads`.

    >>> assert_grad(lambda x, y: np.sum(np.sin(x) * y), np.ones(3), 2.0, argnums=(0, 1))
    """
    single = isinstance(argnums, int | str)
    numbers: list[Any] = [argnums] if single else list(argnums)  # type: ignore[arg-type]
    if any(not isinstance(n, int) for n in numbers):
        raise StructureError(f"argnums is {argnums!r}", where="argnums of assert_grad",
                             why="arguments are given by position", fix="give their numbers")
    found = grad(fun, tuple(numbers))(*args)
    for number, gradient in zip(numbers, found, strict=True):
        _compare(fun, args, number, gradient, rtol, atol)


def _compare(fun: Callable[..., Any], args: tuple[Any, ...], number: int, gradient: Any,
             rtol: float | None, atol: float | None) -> None:
    flat, unravel = ravel_tree(args[number])
    got = ravel_tree(gradient)[0]
    step, room = _ROOM.get(flat.real.dtype.itemsize, _ROOM[4])
    if flat.dtype.kind != "f":
        raise StructureError(f"argument {number} holds numbers of {flat.dtype}",
                             where="assert_grad", why="differences are taken of real numbers",
                             fix="use srcgrad.check_grads")
    expected = np.zeros(flat.size)
    for k in range(flat.size):
        size = step * max(1.0, abs(float(flat[k])))
        sides = []
        for moved in (flat[k] + size, flat[k] - size):
            point = flat.copy()
            point[k] = moved
            sides.append((float(fun(*args[:number], unravel(point), *args[number + 1:])),
                          float(point[k])))
        (high, right), (low, left) = sides
        expected[k] = (high - low) / (right - left)
    allowed = (room if atol is None else atol) + (room if rtol is None else rtol) * abs(expected)
    off = np.where(np.isfinite(got), abs(got - expected), np.inf)
    if np.all(off <= allowed):
        return
    worst = int(np.argmax(off / allowed))
    suspect = debug_grads(fun, *args)
    place = _place(args[number], worst, _path_of(fun, args, number))
    raise AssertionError(
        f"the gradient of {getattr(fun, '__name__', 'the function')} with respect to argument "
        f"{number} is wrong in {int(np.sum(off > allowed))} of {flat.size} elements\n"
        f"  worst: {place}: {got[worst]:.9g}, central differences give "
        f"{expected[worst]:.9g}\n"
        + (f"  first wrong statement: {suspect}" if suspect is not None else
           "  each statement by itself agrees with differences; is there a kink here?"))


def _path_of(fun: Callable[..., Any], args: tuple[Any, ...], number: int) -> Path:
    """An argument, as the function names it."""
    bound = signature_of(fun).bind(*args)
    for name, given in bound.arguments.items():
        many = bound.signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
        whole = Path(("arg", name), (), name)
        if number < (len(given) if many else 1):
            return whole.child("item", number) if many else whole
        number -= len(given) if many else 1
    raise AssertionError("the argument is one of the call")


def _place(tree: Any, number: int, root: Path) -> str:
    """Where an element of the raveled tree lies, as an expression."""
    for path, leaf in paths_below(tree, root, whole=True):
        if is_fixed(path):
            continue
        if number < np.size(leaf):
            index = ", ".join(str(int(i)) for i in np.unravel_index(number, np.shape(leaf)))
            return f"{path}[{index}]" if index else str(path)
        number -= np.size(leaf)
    raise AssertionError("the element is one of the tree")
