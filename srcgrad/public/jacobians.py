"""Functions of derivatives: Jacobians, Hessians, and their products with vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, Unpack, overload

import numpy as np

from ..compile.backends import Backend, BackendLike, How, chosen
from ..compile.frames import without_internal_frames
from ..compile.refusals import named, require_function, with_article
from ..errors import StructureError
from .api import Argnums, grad, requested
from .blocks import (
    Places,
    at,
    by_columns,
    by_rows,
    listed,
    numbers_in,
    refuse_nothing,
    require_arrays,
    spread,
)
from .derived import Derived, OfArray
from .sparsity import by_colours, entries_of
from .transforms import Split

P = ParamSpec("P")
T = TypeVar("T", bound=Any)  # of the first argument
R = TypeVar("R")
A = TypeVar("A")  # of what comes along with a result
Array = np.ndarray[Any, np.dtype[Any]]
Numbers = Array | np.generic | complex
N = TypeVar("N", bound=Numbers)  # of a first argument that is no container


class Wide(How, total=False):
    """The keywords of Jacobians and Hessians."""

    allow_int: bool


Jacobian = Callable[[Split, Any, Places, Any, str], Any]


def _derived(fun: Callable[..., Any], kind: str, argnums: Argnums, has_aux: bool, allow_int: bool,
             backend: Backend, method: Callable[[Any, Any], Jacobian]) -> Derived[..., Any]:
    """A Jacobian; ``method(out, argument)`` tells how it is computed."""
    @without_internal_frames
    def jacobian_of(fun: Any, backend: Backend, places: Places, args: tuple[Any, ...]) -> Any:
        made = Split(fun, args, listed(places), backend, has_aux, allow_int)
        out, aux = made.out if has_aux else (made.out, None)
        refuse_nothing(out)
        argument = at(places, made.point)
        found = method(out, argument)(made, out, places, argument, named(fun))
        return (found, aux) if has_aux else found

    return Derived(fun, kind, argnums, jacobian_of, backend, has_aux, allow_int)


@overload
def jacrev(fun: Callable[Concatenate[N, P], Numbers], argnums: Literal[0] = 0, *,
           has_aux: Literal[False] = False, **how: Unpack[Wide]) -> OfArray[N, P, Array]: ...


@overload
def jacrev(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *,
           has_aux: Literal[True], **how: Unpack[Wide]) -> Derived[P, tuple[Any, A]]: ...


@overload
def jacrev(fun: Callable[P, Any], argnums: Argnums = 0, *,
           has_aux: bool = False, **how: Unpack[Wide]) -> Derived[P, Any]: ...


@without_internal_frames
def jacrev(fun: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False,
           allow_int: bool = False, backend: BackendLike = None,
           precision: str | None = None, parallel: bool | None = None) -> Derived[..., Any]:
    """The Jacobian by reverse mode, one pullback per number of the result; see
    :func:`jacobian` for its shape, dtype and structure.

    Raises what :func:`jacobian` raises.

    See also :func:`jacobian`, :func:`jacfwd`, :func:`vjp`.

    >>> jacrev(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    how = chosen("jacrev", backend, precision, parallel)
    return _derived(fun, "jacrev", argnums, has_aux, allow_int, how, lambda *_: by_rows)


@overload
def jacfwd(fun: Callable[Concatenate[N, P], Numbers], argnums: Literal[0] = 0, *,
           has_aux: Literal[False] = False, **how: Unpack[Wide]) -> OfArray[N, P, Array]: ...


@overload
def jacfwd(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *,
           has_aux: Literal[True], **how: Unpack[Wide]) -> Derived[P, tuple[Any, A]]: ...


@overload
def jacfwd(fun: Callable[P, Any], argnums: Argnums = 0, *,
           has_aux: bool = False, **how: Unpack[Wide]) -> Derived[P, Any]: ...


@without_internal_frames
def jacfwd(fun: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False,
           allow_int: bool = False, backend: BackendLike = None,
           precision: str | None = None, parallel: bool | None = None) -> Derived[..., Any]:
    """The Jacobian by forward mode, one pushforward per number of the argument; see
    :func:`jacobian` for its shape, dtype and structure.

    Raises what :func:`jacobian` raises.

    See also :func:`jacobian`, :func:`jacrev`, :func:`jvp`.

    >>> jacfwd(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    how = chosen("jacfwd", backend, precision, parallel)
    return _derived(fun, "jacfwd", argnums, has_aux, allow_int, how, lambda *_: by_columns)


@overload
def jacobian(fun: Callable[Concatenate[N, P], Numbers], argnums: Literal[0] = 0, *,
             mode: str = "auto", sparsity: Any = None, chunk_size: int | None = None,
             has_aux: Literal[False] = False, **how: Unpack[Wide]) -> OfArray[N, P, Array]: ...


@overload
def jacobian(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None,
             has_aux: Literal[True], **how: Unpack[Wide]) -> Derived[P, tuple[Any, A]]: ...


@overload
def jacobian(fun: Callable[P, Any], argnums: Argnums = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None,
             has_aux: bool = False, **how: Unpack[Wide]) -> Derived[P, Any]: ...


@without_internal_frames
def jacobian(fun: Callable[..., Any], argnums: Argnums = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None, has_aux: bool = False,
             allow_int: bool = False, backend: BackendLike = None,
             precision: str | None = None, parallel: bool | None = None) -> Derived[..., Any]:
    """The Jacobian of an array-valued function: shape ``out.shape + argument.shape``.

    Of a result that is a container (dict, list, tuple, dataclass, ...) it is one of the same kind,
    with the Jacobian of each leaf at its place; with respect to a container, or to several
    arguments (``argnums`` is a tuple of numbers or names), each of these is in turn a container of
    that kind, or a tuple.  None stands for leaves that have no derivative.  With ``has_aux`` the
    function returns ``(out, aux)``, and the result is ``(jacobian, aux)``.

    ``mode`` is ``"rev"``, ``"fwd"`` or ``"auto"`` (whichever needs fewer passes).  ``sparsity``
    tells which entries may differ from zero: an array or SciPy sparse matrix with a row for each
    element of the result and a column for each of the argument, or a pair ``(rows, columns)`` of
    index arrays.  Columns (or rows) without common entries then share a pass; for a banded matrix
    the number of passes does not depend on its size.  The result is an array all the same. A
    pattern that misses an entry is refused.  ``chunk_size`` bounds how many passes are under way at
    once; it is one here, whatever the bound.  ``backend`` and ``precision`` are those of
    :func:`grad`.

    The rows are those of pullbacks and have the dtype of the argument, the columns those of
    pushforwards with that of the result; passes are shared by colouring (Curtis, Powell and Reid
    1974).

    Raises :class:`StructureError` for a result that holds no numbers and a pattern that misses an
    entry, :class:`NonDifferentiable` for integer, boolean or string arguments.

    See also :func:`jacrev`, :func:`jacfwd`, :func:`hessian`, :func:`gnvp`, :func:`vjp`,
    :func:`jvp`.

    >>> jacobian(lambda p: p["w"] * p["b"])({"w": np.array([1.0, 2.0]), "b": 3.0})
    {'w': array([[3., 0.],
           [0., 3.]]), 'b': array([1., 2.])}
    >>> jacobian(lambda x: x ** 2, sparsity=np.eye(3))(np.array([1.0, 2.0, 3.0]))
    array([[2., 0., 0.],
           [0., 4., 0.],
           [0., 0., 6.]])
    """
    require_function(fun, "jacobian")
    if mode not in ("auto", "rev", "fwd"):
        raise StructureError(f"there is no Jacobian mode {mode!r}", where="mode of jacobian",
                             why="a Jacobian is made row by row (rev) or column by column (fwd)",
                             fix="use 'auto', 'rev' or 'fwd'")
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise StructureError(f"chunk_size is {chunk_size!r}", where="chunk_size of jacobian",
                             why="it bounds a number of passes", fix="give a positive int, or None")

    def method(out: Any, argument: Any) -> Jacobian:
        if sparsity is not None:
            return functools.partial(_by_colours, sparsity=sparsity, mode=mode)
        fewer_rows = numbers_in(out) <= numbers_in(argument)
        return by_rows if mode == "rev" or (mode == "auto" and fewer_rows) else by_columns

    return _derived(fun, "jacfwd" if mode == "fwd" else "jacrev", argnums, has_aux, allow_int,
                    chosen("jacobian", backend, precision, parallel), method)


def _by_colours(made: Split, out: Any, places: Places, argument: Any, name: str, *,
                sparsity: Any, mode: str) -> Any:
    """A Jacobian with few entries, as an array like any other."""
    require_arrays("a Jacobian with sparsity=", out, argument)
    shape = (np.size(out), np.size(argument))

    def like(flat: np.ndarray[Any, Any], whole: Any) -> Any:
        return flat.astype(whole.dtype).reshape(whole.shape) if isinstance(
            whole, np.ndarray) else type(whole)(flat[0])

    def forward(direction: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        moved = made.pushforward(*spread(places, like(direction, argument), made.count))
        return np.ravel(moved[0] if made.has_aux else moved)

    def backward(weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.ravel(at(places, made.pullback(like(weights, out))))

    matrix = by_colours(entries_of(sparsity, shape), shape, forward, backward, mode,
                        np.result_type(out, argument), name)
    return matrix.reshape(np.shape(out) + np.shape(argument))


@overload
def hessian(fun: Callable[Concatenate[N, P], Any], argnums: Literal[0] = 0, *,
            has_aux: Literal[False] = False, **how: Unpack[Wide]) -> OfArray[N, P, Array]: ...


@overload
def hessian(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *,
            has_aux: Literal[True], **how: Unpack[Wide]) -> Derived[P, tuple[Any, A]]: ...


@overload
def hessian(fun: Callable[P, Any], argnums: Argnums = 0, *,
            has_aux: bool = False, **how: Unpack[Wide]) -> Derived[P, Any]: ...


@without_internal_frames
def hessian(fun: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool = False,
            allow_int: bool = False, backend: BackendLike = None,
            precision: str | None = None, parallel: bool | None = None) -> Derived[..., Any]:
    """The matrix of second derivatives of a scalar function: shape ``x.shape + x.shape``.

    For containers and for several arguments it is a container of containers of such blocks:
    ``hessian(f)(p)["w"]["b"]`` has the shape ``p["w"].shape + p["b"].shape``.  With ``has_aux``
    the function returns ``(value, aux)``, and the result is ``(hessian, aux)``.

    It is the Jacobian, by :func:`jacrev`, of the gradient.

    Raises :class:`NonScalarOutput` if the result is not a real scalar, and what :func:`grad`
    raises.

    See also :func:`hvp`, :func:`grad`, :func:`jacobian`.

    >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    require_function(fun, "hessian")
    how = chosen("hessian", backend, precision, parallel)
    transform: Callable[..., Any] = grad
    gradient = transform(fun, argnums, has_aux=has_aux, allow_int=allow_int)
    return jacrev(gradient, argnums, has_aux=has_aux, allow_int=allow_int, backend=how)


@overload
def hvp(fun: Callable[Concatenate[T, P], Any],
        argnums: Literal[0] = 0, **how: Unpack[Wide]) -> Derived[..., T]: ...


@overload
def hvp(fun: Callable[P, Any], argnums: Argnums = 0, *,
        has_aux: bool = False, **how: Unpack[Wide]) -> Derived[..., Any]: ...


@without_internal_frames
def hvp(fun: Callable[..., Any], argnums: Argnums = 0, *,
        has_aux: bool = False, allow_int: bool = False, backend: BackendLike = None,
        precision: str | None = None, parallel: bool | None = None) -> Derived[..., Any]:
    """The Hessian-vector product: ``hvp(f)(*args, v)`` without the Hessian.  ``v`` and the product
    have the structure, shapes and dtypes of the argument (of a tuple of arguments, if ``argnums``
    is one).  With ``has_aux`` the function returns ``(value, aux)``, and the result is ``(product,
    aux)``; ``allow_int`` is that of :func:`grad`.

    It is one pullback of the gradient (Pearlmutter 1994).

    Raises :class:`StructureError` for a ``v`` that does not fit, and what :func:`grad` raises.

    See also :func:`hessian`, :func:`gnvp`, :func:`srcgrad.scipy.minimize`.

    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    require_function(fun, "hvp")
    transform: Callable[..., Any] = grad
    gradient = transform(fun, argnums, has_aux=has_aux, allow_int=allow_int)

    @without_internal_frames
    def product(gradient: Any, backend: Backend, places: Places, args: tuple[Any, ...]) -> Any:
        *point, v = args
        made = Split(gradient, point, listed(places), backend, has_aux, allow_int)
        found = at(places, made.pulled(v, "vector"))
        return (found, made.out[1]) if has_aux else found

    return Derived(gradient, "hvp", argnums, product,
                   chosen("hvp", backend, precision, parallel), has_aux)


@overload
def elementwise_grad(fun: np.ufunc, argnums: int = 0,
                     **how: Unpack[How]) -> Derived[..., Any]: ...


@overload
def elementwise_grad(fun: Callable[P, R], argnums: int = 0, *, has_aux: bool = False,
                     **how: Unpack[How]) -> Derived[P, R]: ...


@without_internal_frames
def elementwise_grad(fun: Callable[..., Any], argnums: int = 0, *, has_aux: bool = False,
                     backend: BackendLike = None, precision: str | None = None,
                     parallel: bool | None = None) -> Derived[..., Any]:
    """The derivative of a function that acts elementwise: an array of the argument's shape and
    dtype.  With ``has_aux`` the function returns ``(out, aux)``, and the result is ``(derivative,
    aux)``.

    It is the pullback of ones.

    Raises :class:`StructureError` if the function returns containers.

    See also :func:`grad`, :func:`vmap`.

    >>> elementwise_grad(np.tanh)(np.array([0.0]))
    array([1.])
    """
    requested("elementwise_grad", argnums, one=True)

    @without_internal_frames
    def derivative(fun: Any, backend: Backend, places: Places, args: tuple[Any, ...]) -> Any:
        staged = (lambda *a: fun(*a)) if isinstance(fun, np.ufunc) else fun
        made = Split(staged, args, listed(places), backend, has_aux)
        out = made.out[0] if has_aux else made.out
        if not isinstance(out, (np.ndarray, np.generic, float, complex)):
            raise StructureError(
                f"elementwise_grad of a function that returns {with_article(type(out))}",
                where=f"the result of {named(fun)}",
                why="there is one derivative for each element of an array",
                fix="return one array, or use srcgrad.vjp")
        ones = np.ones_like(out) if isinstance(out, np.ndarray) else type(out)(1)
        found = at(places, made.pullback(ones))
        return (found, made.out[1]) if has_aux else found

    return Derived(fun, "elementwise_grad", argnums, derivative,
                   chosen("elementwise_grad", backend, precision, parallel), has_aux)


@overload
def gnvp(fun: Callable[Concatenate[T, P], R], argnums: Literal[0] = 0, *,
         loss: Callable[[R], Any] | None = None, has_aux: Literal[False] = False,
         **how: Unpack[How]) -> Derived[..., T]: ...


@overload
def gnvp(fun: Callable[P, Any], argnums: Argnums = 0, *,
         loss: Callable[[Any], Any] | None = None, has_aux: bool = False,
         **how: Unpack[How]) -> Derived[..., Any]: ...


@without_internal_frames
def gnvp(fun: Callable[..., Any], argnums: Argnums = 0, *,
         loss: Callable[[Any], Any] | None = None, has_aux: bool = False,
         backend: BackendLike = None, precision: str | None = None,
         parallel: bool | None = None) -> Derived[..., Any]:
    """The Gauss-Newton product ``J.T @ (H @ (J @ v))``: ``gnvp(f)(*args, v)``.

    ``J`` is the Jacobian of ``fun``, ``H`` the Hessian of the scalar function ``loss`` of its
    result (None: half the sum of squares, whose Hessian is the identity).  Neither is formed:
    one pushforward and one pullback.  ``v`` and the product have the structure, shapes and dtypes
    of the argument.  With ``has_aux`` the function returns ``(out, aux)``, and the result is
    ``(product, aux)``.

    It is the product of Schraudolph (2002).

    Raises :class:`StructureError` for a ``v`` that does not fit.

    See also :func:`hvp`, :func:`jacobian`, :func:`srcgrad.scipy.least_squares`.

    >>> gnvp(lambda x: x ** 2)(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 4., 16.])
    """
    @without_internal_frames
    def product(fun: Any, backend: Backend, places: Places, args: tuple[Any, ...]) -> Any:
        *point, v = args
        made = Split(fun, point, listed(places), backend, has_aux)
        moved = made.pushforward(*spread(places, v, made.count))
        out, moved = (made.out[0], moved[0]) if has_aux else (made.out, moved)
        if loss is not None:
            moved = hvp(loss, backend=backend)(out, moved)
        found = at(places, made.pullback(moved))
        return (found, made.out[1]) if has_aux else found

    return Derived(fun, "gnvp", argnums, product,
                   chosen("gnvp", backend, precision, parallel), loss, has_aux)
