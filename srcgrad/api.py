"""The public transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .compiled import Compiled
from .compiler import Request
from .errors import StructureError
from .frames import without_internal_frames

Argnums = int | str | Sequence[int | str]


def _request(mode: str, argnums: Argnums, has_aux: bool, backend: str | None,
             without: Sequence[str] = ()) -> Request:
    if backend not in (None, "numpy"):
        raise StructureError(f"there is no backend {backend!r}", where=f"backend of {mode}",
                             why="the generated code runs on NumPy",
                             fix="leave backend out, or use 'numpy'")
    single = isinstance(argnums, (int, str)) and not isinstance(argnums, bool)
    try:
        numbers: tuple[Any, ...] = (argnums,) if single else tuple(argnums)  # type: ignore[arg-type]
    except TypeError:
        numbers = ()
    if not numbers or any(not isinstance(n, (int, str)) or isinstance(n, bool) for n in numbers):
        raise StructureError(f"argnums is {argnums!r}", where=f"argnums of {mode}",
                             why="it selects the arguments to differentiate with respect to",
                             fix="give a number or name of a parameter, or a tuple of these")
    if len(set(numbers)) != len(numbers):
        raise StructureError(f"argnums {argnums!r} names an argument twice",
                             where=f"argnums of {mode}",
                             why="there is one gradient for each argument",
                             fix="name each argument once")
    return Request(mode, numbers, single, has_aux, tuple(without))


def _decorated(fun: Callable[..., Any] | None, request: Request) -> Any:
    if fun is None:
        return functools.partial(_of_function, request=request)
    return _of_function(fun, request)


@without_internal_frames
def _of_function(fun: Any, request: Request) -> Compiled:
    if isinstance(fun, (staticmethod, classmethod, property)):
        kind = type(fun).__name__
        raise StructureError(
            f"{request.mode} takes a function, got a {kind}",
            where=f"the first argument of {request.mode}",
            why="decorators are applied from the bottom up, and it is a function no more",
            fix=f"write @{kind} above @srcgrad.{request.mode}")
    if not callable(fun):
        raise StructureError(
            f"{request.mode} takes a function, got {type(fun).__name__}",
            where=f"the first argument of {request.mode}",
            why="it differentiates the code of a function, not the number that it returned",
            fix=f"write @srcgrad.{request.mode} above a function, or "
                f"srcgrad.{request.mode}(f)(x)")
    return Compiled(fun, request)


@without_internal_frames
def grad(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, *, has_aux: bool = False,
         backend: str | None = None) -> Any:
    """The gradient of a scalar function, as a function.

    ``argnums``: the argument(s) to differentiate with respect to, by number or name; a tuple
    gives a tuple of gradients.  Gradients have the structure, shape, dtype and kind of their
    arguments.  With ``has_aux`` the function returns ``(value, aux)`` and the gradient function
    ``(gradient, aux)``.

    Raises :class:`NonScalarOutput` if the result is not a real scalar,
    :class:`NonDifferentiable` for integer, boolean or string arguments, and
    :class:`SrcgradError` with the user's line for whatever else is not supported.

    >>> import numpy as np
    >>> @grad
    ... def f(x):
    ...     return np.sum(x ** 2)
    >>> f(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return _decorated(fun, _request("grad", argnums, has_aux, backend))


@without_internal_frames
def value_and_grad(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, *,
                   has_aux: bool = False, backend: str | None = None) -> Any:
    """Like :func:`grad`; returns ``(value, gradient)``, with ``has_aux`` ``((value, aux),
    gradient)``.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return _decorated(fun, _request("value_and_grad", argnums, has_aux, backend))


@without_internal_frames
def jit(fun: Callable[..., Any] | None = None, *, backend: str | None = None) -> Any:
    """The function itself as generated code: helpers inlined, static Python evaluated.

    >>> jit(lambda x: x * x)(3.0)
    9.0
    """
    return _decorated(fun, _request("jit", 0, False, backend))
