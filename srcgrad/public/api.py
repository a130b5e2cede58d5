"""The public transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, Unpack, overload

from ..compile.backends import NUMPY, Backend, BackendLike, How, chosen
from ..compile.frames import without_internal_frames
from ..compile.refusals import require_function
from ..compile.requests import Request
from ..errors import StructureError
from .compiled import Compiled, Gradient

Argnums = int | str | Sequence[int | str]
P = ParamSpec("P")
T = TypeVar("T", bound=Any)  # of the first argument; any operation is allowed in a lambda
U = TypeVar("U", bound=Any)  # of the second one
R = TypeVar("R")  # of the result
A = TypeVar("A")  # of what comes along with it
First = Literal[0]
Both = tuple[Literal[0], Literal[1]]


def requested(mode: str, argnums: Argnums, has_aux: bool = False, backend: Backend = NUMPY,
              allow_int: bool = False, one: bool = False) -> Request:
    """What is wanted of a function; StructureError for ``argnums`` that select nothing, or (for
    ``one``) not the number of one argument."""
    single = isinstance(argnums, (int, str)) and not isinstance(argnums, bool)
    try:
        numbers: tuple[Any, ...] = (argnums,) if single else tuple(argnums)  # type: ignore[arg-type]
    except TypeError:
        numbers = ()
    if not numbers or any(not isinstance(n, (int, str)) or isinstance(n, bool) for n in numbers
                          ) or (one and type(argnums) is not int):
        raise StructureError(f"argnums is {argnums!r}", where=f"argnums of {mode}",
                             why="it selects the arguments to differentiate with respect to",
                             fix="give the number of a parameter" if one else
                                 "give a number or name of a parameter, or a tuple of these")
    if len(set(numbers)) != len(numbers):
        raise StructureError(f"argnums {argnums!r} names an argument twice",
                             where=f"argnums of {mode}",
                             why="there is one gradient for each argument",
                             fix="name each argument once")
    return Request(mode, numbers, single, has_aux, backend=backend, allow_int=allow_int)


def _decorated(fun: Callable[..., Any] | None, request: Request) -> Any:
    if fun is None:
        return functools.partial(_of_function, request=request)
    return _of_function(fun, request)


@without_internal_frames
def _of_function(fun: Any, request: Request) -> Compiled[..., Any]:
    require_function(fun, request.mode)
    return (Compiled if request.mode == "jit" else Gradient)(fun, request)


# A gradient has the type of its argument.  Type checkers know it for the first argument, and for
# the first two; for others they know the parameters of the function only.
@overload
def grad(fun: Callable[Concatenate[T, P], Any], argnums: First = 0, *,
         has_aux: Literal[False] = False, **how: Unpack[How]) -> Gradient[T, P, T]: ...


@overload
def grad(fun: Callable[Concatenate[T, P], tuple[Any, A]], argnums: First = 0, *,
         has_aux: Literal[True], **how: Unpack[How]) -> Gradient[T, P, tuple[T, A]]: ...


@overload
def grad(fun: Callable[Concatenate[T, U, P], Any], argnums: Both, *,
         has_aux: Literal[False] = False,
         **how: Unpack[How]) -> Gradient[T, Concatenate[U, P], tuple[T, U]]: ...


@overload
def grad(fun: Callable[P, Any], argnums: Argnums, *, has_aux: bool = False,
         **how: Unpack[How]) -> Compiled[P, Any]: ...


@overload
def grad(fun: Callable[P, Any], argnums: Argnums = 0, *, has_aux: bool = False,
         allow_int: Literal[True], **how: Unpack[How]) -> Compiled[P, Any]: ...


@overload
def grad(  # type: ignore[overload-overlap]
         fun: None = None, argnums: First = 0, *, has_aux: Literal[False] = False,
         **how: Unpack[How]
         ) -> Callable[[Callable[Concatenate[T, P], Any]], Gradient[T, P, T]]: ...


@overload
def grad(  # type: ignore[overload-overlap]
         fun: None = None, argnums: First = 0, *, has_aux: Literal[True],
         **how: Unpack[How]
         ) -> Callable[[Callable[Concatenate[T, P], tuple[Any, A]]],
                       Gradient[T, P, tuple[T, A]]]: ...


@overload
def grad(  # type: ignore[overload-overlap]
         fun: None = None, *, argnums: Both, has_aux: Literal[False] = False,
         **how: Unpack[How]
         ) -> Callable[[Callable[Concatenate[T, U, P], Any]],
                       Gradient[T, Concatenate[U, P], tuple[T, U]]]: ...


@overload
def grad(fun: None = None, *, argnums: Argnums, has_aux: bool = False,
         **how: Unpack[How]) -> Callable[[Callable[P, Any]], Compiled[P, Any]]: ...


@overload
def grad(fun: None = None, *, argnums: Argnums = 0, has_aux: bool = False,
         allow_int: Literal[True], **how: Unpack[How]
         ) -> Callable[[Callable[P, Any]], Compiled[P, Any]]: ...


@without_internal_frames
def grad(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, *, has_aux: bool = False,
         allow_int: bool = False, backend: BackendLike = None,
         precision: str | None = None, parallel: bool | None = None) -> Any:
    """The gradient of a scalar function, as a function.

    ``argnums``: the argument(s) to differentiate with respect to, by number or name; a tuple
    gives a tuple of gradients.  Gradients have the structure, shape, dtype and kind of their
    arguments.  With ``has_aux`` the function returns ``(value, aux)`` and the gradient function
    ``(gradient, aux)``.  With ``backend="numba"`` loops over elements run natively, strictly in
    NumPy's order of operations or with ``precision="fast"``, and independent iterations on
    several threads with ``parallel=True`` (``docs/native.md``).  With
    ``allow_int`` the gradient with respect to an argument without floating-point numbers (an int,
    a text, an array of ints) is None, as it is for such parts of containers; otherwise it is
    refused.

    It is reverse accumulation (Speelpenning 1980): the rules of all operations, in reverse order.
    For a complex argument ``x + iy`` it is ``df/dx - i df/dy``.

    Raises :class:`NonScalarOutput` if the result is not a real scalar,
    :class:`NonDifferentiable` for integer, boolean or string arguments, and
    :class:`SrcgradError` with the user's line for whatever else is not supported.

    See also :func:`value_and_grad`, :func:`vjp`, :func:`elementwise_grad`, :func:`jacobian`,
    :class:`Compiled`.

    >>> import numpy as np
    >>> @grad
    ... def f(x):
    ...     return np.sum(x ** 2)
    >>> f(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    how = chosen("grad", backend, precision, parallel)
    return _decorated(fun, requested("grad", argnums, has_aux, how, allow_int))


@overload
def value_and_grad(fun: Callable[Concatenate[T, P], R], argnums: First = 0, *,
                   has_aux: bool = False,
                   **how: Unpack[How]) -> Gradient[T, P, tuple[R, T]]: ...


@overload
def value_and_grad(fun: Callable[Concatenate[T, U, P], R], argnums: Both, *,
                   has_aux: bool = False, **how: Unpack[How]
                   ) -> Gradient[T, Concatenate[U, P], tuple[R, tuple[T, U]]]: ...


@overload
def value_and_grad(fun: Callable[P, R], argnums: Argnums, *, has_aux: bool = False,
                   **how: Unpack[How]) -> Compiled[P, tuple[R, Any]]: ...


@overload
def value_and_grad(fun: Callable[P, Any], argnums: Argnums = 0, *, has_aux: bool = False,
                   allow_int: Literal[True], **how: Unpack[How]) -> Compiled[P, Any]: ...


@overload
def value_and_grad(  # type: ignore[overload-overlap]
                   fun: None = None, argnums: First = 0, *, has_aux: bool = False,
                   **how: Unpack[How]
                   ) -> Callable[[Callable[Concatenate[T, P], R]],
                                 Gradient[T, P, tuple[R, T]]]: ...


@overload
def value_and_grad(  # type: ignore[overload-overlap]
                   fun: None = None, *, argnums: Both, has_aux: bool = False,
                   **how: Unpack[How]
                   ) -> Callable[[Callable[Concatenate[T, U, P], R]],
                                 Gradient[T, Concatenate[U, P], tuple[R, tuple[T, U]]]]: ...


@overload
def value_and_grad(fun: None = None, *, argnums: Argnums, has_aux: bool = False,
                   **how: Unpack[How]
                   ) -> Callable[[Callable[P, R]], Compiled[P, tuple[R, Any]]]: ...


@overload
def value_and_grad(fun: None = None, *, argnums: Argnums = 0, has_aux: bool = False,
                   allow_int: Literal[True], **how: Unpack[How]
                   ) -> Callable[[Callable[P, Any]], Compiled[P, Any]]: ...


@without_internal_frames
def value_and_grad(fun: Callable[..., Any] | None = None, argnums: Argnums = 0, *,
                   has_aux: bool = False, allow_int: bool = False, backend: BackendLike = None,
                   precision: str | None = None, parallel: bool | None = None) -> Any:
    """Like :func:`grad`; returns ``(value, gradient)``, with ``has_aux`` ``((value, aux),
    gradient)``.

    The value has the type, dtype and bits that ``fun`` gives, the gradient the structure, shapes
    and dtypes of the arguments.  Both come from one forward and one backward run.

    Raises what :func:`grad` raises.

    See also :func:`grad`, :func:`srcgrad.parallel.value_and_grad`, :func:`srcgrad.scipy.minimize`.

    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    how = chosen("value_and_grad", backend, precision, parallel)
    return _decorated(fun, requested("value_and_grad", argnums, has_aux, how, allow_int))


@overload
def jit(fun: Callable[P, R], **how: Unpack[How]) -> Compiled[P, R]: ...


@overload
def jit(fun: None = None, **how: Unpack[How]) -> Callable[[Callable[P, R]], Compiled[P, R]]: ...


@without_internal_frames
def jit(fun: Callable[..., Any] | None = None, *, backend: BackendLike = None,
        precision: str | None = None, parallel: bool | None = None) -> Any:
    """The function itself as generated code: helpers inlined, static Python evaluated.

    The result has the types, dtypes, shapes and bits of plain NumPy; what the function does to its
    arguments and prints happens as in Python.

    Raises :class:`SrcgradError` with the user's line for what is not supported.

    See also :func:`grad`, :func:`vmap`, :class:`Compiled`.

    >>> jit(lambda x: x * x)(3.0)
    9.0
    """
    return _decorated(fun, Request("jit", backend=chosen("jit", backend, precision, parallel)))
