"""Functions of derivatives: Jacobians, Hessians, and their products with vectors."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, Generic, Literal, ParamSpec, Self, TypeVar, Unpack, overload

import numpy as np

from ..compile.backends import Backend, BackendLike, How, chosen
from ..compile.frames import without_internal_frames
from ..compile.refusals import named, no_parameter, with_article
from ..errors import StructureError
from . import standard_arrays
from .api import Argnums, grad, requested
from .blocks import (
    Places,
    at,
    by_columns,
    by_rows,
    numbers_in,
    refuse_nothing,
    require_arrays,
    spread,
)
from .helptext import helptext, phrase
from .sparsity import by_colours, entries_of
from .transforms import Split, vjp

P = ParamSpec("P")
T = TypeVar("T", bound=Any)  # of the first argument
R = TypeVar("R")
A = TypeVar("A")  # of what comes along with a result
Array = np.ndarray[Any, np.dtype[Any]]
Numbers = Array | np.generic | complex


def staged_call(kind: str, fun: Callable[..., Any], places: Places, args: tuple[Any, ...],
                *settings: Any) -> Any:
    """What a call of a :class:`Derived` means inside a traced function; ``kind`` names it."""
    raise AssertionError("has a meaning in traced code only")


PRODUCTS = ("hvp", "gnvp")  # with a vector, which is the last argument


class Derived(Generic[P, R]):
    """A function made by a transform that runs another function's derivative: a Jacobian, a
    Hessian, a product of these with vectors.

    Called directly it computes; inside a function that is itself differentiated it becomes part
    of that function.
    """

    __name__: str

    def __init__(self, fun: Callable[..., Any], kind: str, places: Places,
                 compute: Callable[..., Any], backend: Backend, *settings: Any) -> None:
        functools.update_wrapper(self, fun)
        self._fun, self._kind, self._places, self._compute = fun, kind, places, compute
        self._backend = backend
        self._settings = settings
        try:
            signature = inspect.signature(fun)
        except ValueError:  # a ufunc
            return
        self.__srcgrad_phrase__ = phrase(kind, fun, list(signature.parameters), _listed(places))
        self.__doc__ = helptext(self.__srcgrad_phrase__, fun)
        if kind in PRODUCTS:
            free = next(n for n in ("v", "vector", "direction", "along")
                        if n not in signature.parameters)
            vector = inspect.Parameter(free, inspect.Parameter.POSITIONAL_ONLY)
            parameters = [p.replace(kind=inspect.Parameter.POSITIONAL_ONLY)
                          for p in signature.parameters.values()
                          if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            if len(parameters) != len(signature.parameters) or any(
                    p.default is not p.empty for p in parameters):  # the vector comes last
                parameters = [inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)]
            else:
                parameters.append(vector)
            signature = inspect.Signature(parameters)
        self.__signature__ = signature

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if standard_arrays.any_foreign((args, kwargs)):
            found: R = standard_arrays.called(self, args, kwargs)
            return found
        given = self._by_position(args, kwargs) if kwargs else args
        result: R = self._compute(self._backend, *given)
        return result

    @without_internal_frames
    def with_backend(self, backend: BackendLike, precision: str | None = None) -> Self:
        """The same transform of the same function, its code run by ``"numpy"`` or ``"numba"``."""
        made = copy.copy(self)
        made._backend = chosen(f"{self._kind} of {self.__name__}", backend, precision)
        return made

    def _by_position(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments of a call that names some, in the order of the parameters."""
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise StructureError(
                f"{self._kind} of {self.__name__} is called with arguments by keyword only",
                where=f"{self.__name__}{self.__signature__}",
                why="derivatives are taken with respect to arguments by position",
                fix="wrap the function so that it takes them by position")
        return bound.args

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        if kwargs:
            try:
                args = self._by_position(args, kwargs)
            except StructureError as error:
                raise machine.recorder.fatal(error) from None
        return machine.call(staged_call, self._kind, self._fun, self._places, args,
                            *self._settings)

    def __repr__(self) -> str:
        return f"<srcgrad {self._kind} of {self.__name__}>"


def _places(fun: Any, argnums: Argnums, what: str) -> Places:
    """The numbers of the arguments that ``argnums`` names."""
    request = requested(what, argnums)
    names = list(inspect.signature(fun).parameters) if any(
        isinstance(n, str) for n in request.argnums) else []
    if not {n for n in request.argnums if isinstance(n, str)} <= set(names):
        raise no_parameter(fun, next(n for n in request.argnums if isinstance(n, str)
                                     and n not in names), inspect.signature(fun))
    places = tuple(names.index(n) if isinstance(n, str) else n for n in request.argnums)
    return places[0] if request.single else places


def _listed(places: Places) -> tuple[int, ...]:
    return (places,) if isinstance(places, int) else places


Jacobian = Callable[[Split, Any, Places, Any, str], Any]


def _derived(fun: Callable[..., Any], kind: str, argnums: Argnums, has_aux: bool,
             backend: Backend, method: Callable[[Any, Any], Jacobian]) -> Derived[..., Any]:
    """A Jacobian; ``method(out, argument)`` tells how it is computed."""
    places = _places(fun, argnums, "a Jacobian")

    @without_internal_frames
    def jacobian_of(backend: Backend, *args: Any) -> Any:
        made = Split(fun, args, _listed(places), backend, has_aux)
        out, aux = made.out if has_aux else (made.out, None)
        refuse_nothing(out)
        argument = at(places, args)
        found = method(out, argument)(made, out, places, argument, named(fun))
        return (found, aux) if has_aux else found

    return Derived(fun, kind, places, jacobian_of, backend, has_aux)


@overload
def jacrev(fun: Callable[P, Numbers], argnums: int | str = 0, *,
           has_aux: Literal[False] = False, **how: Unpack[How]) -> Derived[P, Array]: ...


@overload
def jacrev(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *,
           has_aux: Literal[True], **how: Unpack[How]) -> Derived[P, tuple[Any, A]]: ...


@overload
def jacrev(fun: Callable[P, Any], argnums: Argnums = 0, *,
           has_aux: bool = False, **how: Unpack[How]) -> Derived[P, Any]: ...


@without_internal_frames
def jacrev(fun: Callable[..., Any], argnums: Argnums = 0, *,
           has_aux: bool = False, backend: BackendLike = None,
           precision: str | None = None) -> Derived[..., Any]:
    """The Jacobian by reverse mode, one pullback per number of the result; see
    :func:`jacobian` for its shape and structure.

    Raises what :func:`jacobian` raises.

    See also :func:`jacobian`, :func:`jacfwd`, :func:`vjp`.

    >>> jacrev(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    return _derived(fun, "jacrev", argnums, has_aux, chosen("jacrev", backend, precision),
                    lambda out, argument: by_rows)


@overload
def jacfwd(fun: Callable[P, Numbers], argnums: int | str = 0, *,
           has_aux: Literal[False] = False, **how: Unpack[How]) -> Derived[P, Array]: ...


@overload
def jacfwd(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *,
           has_aux: Literal[True], **how: Unpack[How]) -> Derived[P, tuple[Any, A]]: ...


@overload
def jacfwd(fun: Callable[P, Any], argnums: Argnums = 0, *,
           has_aux: bool = False, **how: Unpack[How]) -> Derived[P, Any]: ...


@without_internal_frames
def jacfwd(fun: Callable[..., Any], argnums: Argnums = 0, *,
           has_aux: bool = False, backend: BackendLike = None,
           precision: str | None = None) -> Derived[..., Any]:
    """The Jacobian by forward mode, one pushforward per number of the argument; see
    :func:`jacobian` for its shape and structure.

    Raises what :func:`jacobian` raises.

    See also :func:`jacobian`, :func:`jacrev`, :func:`jvp`.

    >>> jacfwd(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    return _derived(fun, "jacfwd", argnums, has_aux, chosen("jacfwd", backend, precision),
                    lambda out, argument: by_columns)


@overload
def jacobian(fun: Callable[P, Numbers], argnums: int | str = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None,
             has_aux: Literal[False] = False, **how: Unpack[How]) -> Derived[P, Array]: ...


@overload
def jacobian(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None,
             has_aux: Literal[True], **how: Unpack[How]) -> Derived[P, tuple[Any, A]]: ...


@overload
def jacobian(fun: Callable[P, Any], argnums: Argnums = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None,
             has_aux: bool = False, **how: Unpack[How]) -> Derived[P, Any]: ...


@without_internal_frames
def jacobian(fun: Callable[..., Any], argnums: Argnums = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None,
             has_aux: bool = False, backend: BackendLike = None,
             precision: str | None = None) -> Derived[..., Any]:
    """The Jacobian of an array-valued function: shape ``out.shape + argument.shape``.

    Of a result that is a container (dict, list, tuple, dataclass, ...) it is one of the same kind,
    with the Jacobian of each leaf at its place; with respect to a container, or to several
    arguments (``argnums`` is a tuple of numbers or names), each of these is in turn a container of
    that kind, or a tuple.  None stands for leaves that have no derivative.  With ``has_aux`` the
    function returns ``(out, aux)``, and the result is ``(jacobian, aux)``.

    ``mode`` is ``"rev"``, ``"fwd"`` or ``"auto"`` (whichever needs fewer passes).  ``sparsity``
    tells which entries may differ from zero: an array or SciPy sparse matrix with a row for each
    element of the result and a column for each of the argument, or a pair ``(rows, columns)``
    of index arrays.  Columns (or rows) without common entries then share a pass; for a banded
    matrix the number of passes does not depend on its size.  A pattern that misses an entry is
    refused.  ``chunk_size`` bounds how many passes are under way at once; it is one here, whatever
    the bound.  ``backend`` and ``precision`` are those of :func:`grad`.

    The rows are those of pullbacks, the columns those of pushforwards, passes are shared by
    colouring (Curtis, Powell and Reid 1974).

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

    return _derived(fun, "jacfwd" if mode == "fwd" else "jacrev", argnums, has_aux,
                    chosen("jacobian", backend, precision), method)


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
                        np.result_type(out, argument))
    return matrix.reshape(np.shape(out) + np.shape(argument))


@overload
def hessian(fun: Callable[P, Any], argnums: int | str = 0, *,
            has_aux: Literal[False] = False, **how: Unpack[How]) -> Derived[P, Array]: ...


@overload
def hessian(fun: Callable[P, tuple[Any, A]], argnums: Argnums = 0, *,
            has_aux: Literal[True], **how: Unpack[How]) -> Derived[P, tuple[Any, A]]: ...


@overload
def hessian(fun: Callable[P, Any], argnums: Argnums = 0, *,
            has_aux: bool = False, **how: Unpack[How]) -> Derived[P, Any]: ...


@without_internal_frames
def hessian(fun: Callable[..., Any], argnums: Argnums = 0, *,
            has_aux: bool = False, backend: BackendLike = None,
            precision: str | None = None) -> Derived[..., Any]:
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
    return jacrev(grad(fun, argnums, has_aux=has_aux), argnums, has_aux=has_aux, backend=backend,
                  precision=precision)


@overload
def hvp(fun: Callable[Concatenate[T, P], Any],
        argnums: Literal[0] = 0, **how: Unpack[How]) -> Derived[..., T]: ...


@overload
def hvp(fun: Callable[P, Any], argnums: Argnums = 0, *,
        has_aux: bool = False, **how: Unpack[How]) -> Derived[..., Any]: ...


@without_internal_frames
def hvp(fun: Callable[..., Any], argnums: Argnums = 0, *,
        has_aux: bool = False, backend: BackendLike = None,
        precision: str | None = None) -> Derived[..., Any]:
    """The Hessian-vector product: ``hvp(f)(*args, v)`` without the Hessian.  ``v`` and the product
    have the structure of the argument (of a tuple of arguments, if ``argnums`` is one).  With
    ``has_aux`` the function returns ``(value, aux)``, and the result is ``(product, aux)``.

    It is one pullback of the gradient (Pearlmutter 1994).

    Raises :class:`StructureError` for a ``v`` that does not fit, and what :func:`grad` raises.

    See also :func:`hessian`, :func:`gnvp`, :func:`srcgrad.scipy.minimize`.

    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    places = _places(fun, argnums, "hvp")
    gradient = grad(fun, places, has_aux=has_aux)

    @without_internal_frames
    def product(backend: Backend, *args: Any) -> Any:
        *point, v = with_vector("hvp", args, max(_listed(places)))
        made = Split(gradient, point, _listed(places), backend, has_aux)
        found = at(places, made.pulled(v, "vector"))
        return (found, made.out[1]) if has_aux else found

    return Derived(gradient, "hvp", places, product, chosen("hvp", backend, precision), has_aux)


def _is_signed(fun: Any) -> bool:
    """Does a function say which arguments it takes?"""
    try:
        return bool(inspect.signature(fun).parameters)
    except ValueError:
        return False


@overload
def elementwise_grad(fun: np.ufunc, argnums: int = 0,
                     **how: Unpack[How]) -> Derived[..., Any]: ...


@overload
def elementwise_grad(fun: Callable[P, R], argnums: int = 0,
                     **how: Unpack[How]) -> Derived[P, R]: ...


@without_internal_frames
def elementwise_grad(fun: Callable[..., Any], argnums: int = 0, *, backend: BackendLike = None,
                     precision: str | None = None) -> Derived[..., Any]:
    """The derivative of a function that acts elementwise: an array of the argument's shape.

    It is the pullback of ones.

    Raises :class:`StructureError` if the function returns containers.

    See also :func:`grad`, :func:`vmap`.

    >>> elementwise_grad(np.tanh)(np.array([0.0]))
    array([1.])
    """
    (place,) = requested("elementwise_grad", argnums, one=True).argnums
    assert isinstance(place, int)

    @without_internal_frames
    def derivative(backend: Backend, *args: Any) -> Any:
        out, pullback = vjp(fun if _is_signed(fun) else lambda *a: fun(*a), *args,
                            backend=backend)
        if not isinstance(out, (np.ndarray, np.generic, float, complex)):
            raise StructureError(
                f"elementwise_grad of a function that returns {with_article(type(out))}",
                where=f"the result of {named(fun)}",
                why="there is one derivative for each element of an array",
                fix="return one array, or use srcgrad.vjp")
        ones = np.ones_like(out) if isinstance(out, np.ndarray) else type(out)(1)
        return pullback(ones)[place]

    return Derived(fun, "elementwise_grad", place, derivative,
                   chosen("elementwise_grad", backend, precision))


@overload
def gnvp(fun: Callable[Concatenate[T, P], R], argnums: Literal[0] = 0, *,
         loss: Callable[[R], Any] | None = None, **how: Unpack[How]) -> Derived[..., T]: ...


@overload
def gnvp(fun: Callable[P, R], argnums: Argnums, *,
         loss: Callable[[R], Any] | None = None, **how: Unpack[How]) -> Derived[..., Any]: ...


@without_internal_frames
def gnvp(fun: Callable[..., Any], argnums: Argnums = 0, *,
         loss: Callable[[Any], Any] | None = None, backend: BackendLike = None,
         precision: str | None = None) -> Derived[..., Any]:
    """The Gauss-Newton product ``J.T @ (H @ (J @ v))``: ``gnvp(f)(*args, v)``.

    ``J`` is the Jacobian of ``fun``, ``H`` the Hessian of the scalar function ``loss`` of its
    result (None: half the sum of squares, whose Hessian is the identity).  Neither is formed:
    one pushforward and one pullback.  ``v`` and the product have the argument's structure.

    It is the product of Schraudolph (2002).

    Raises :class:`StructureError` for a ``v`` that does not fit.

    See also :func:`hvp`, :func:`jacobian`, :func:`srcgrad.scipy.least_squares`.

    >>> gnvp(lambda x: x ** 2)(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 4., 16.])
    """
    places = _places(fun, argnums, "gnvp")

    @without_internal_frames
    def product(backend: Backend, *args: Any) -> Any:
        *point, v = with_vector("gnvp", args, max(_listed(places)))
        made = Split(fun, point, _listed(places), backend)
        moved = made.pushforward(*spread(places, v, made.count))
        if loss is not None:
            moved = hvp(loss, backend=backend)(made.out, moved)
        return at(places, made.pullback(moved))

    return Derived(fun, "gnvp", places, product, chosen("gnvp", backend, precision), loss)


def with_vector(name: str, args: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    """The arguments, if they include the vector of a product."""
    if len(args) <= place + 1:
        raise StructureError(
            f"{name} was called with {len(args)} argument{'' if len(args) == 1 else 's'}",
            where=f"arguments of {name}",
            why="the vector comes after the arguments of the function",
            fix=f"write {name}(f)(x, v)")
    return args
