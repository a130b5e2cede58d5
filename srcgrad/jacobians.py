"""Functions of derivatives: Jacobians, Hessians, and their products with vectors."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, overload

import numpy as np

from .api import Argnums, grad
from .errors import StructureError
from .frames import without_internal_frames
from .helptext import helptext, phrase
from .refusals import named, with_article
from .sparsity import by_colours, entries_of
from .transforms import Split, vjp
from .tree import ravel_tree

P = ParamSpec("P")
T = TypeVar("T", bound=Any)  # of the first argument
R = TypeVar("R")
Array = np.ndarray[Any, np.dtype[Any]]


def staged_call(kind: str, fun: Callable[..., Any], place: int, args: tuple[Any, ...],
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

    def __init__(self, fun: Callable[..., Any], kind: str, place: int,
                 compute: Callable[..., Any], *settings: Any) -> None:
        functools.update_wrapper(self, fun)
        self._fun, self._kind, self._place, self._compute = fun, kind, place, compute
        self._settings = settings
        try:
            signature = inspect.signature(fun)
        except ValueError:  # a ufunc
            return
        self.__srcgrad_phrase__ = phrase(kind, fun, list(signature.parameters), [place])
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
        result: R = self._compute(*(self._by_position(args, kwargs) if kwargs else args))
        return result

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
        return machine.call(staged_call, self._kind, self._fun, self._place, args,
                            *self._settings)

    def __repr__(self) -> str:
        return f"<srcgrad {self._kind} of {self.__name__}>"


def _one(argnums: Argnums) -> int:
    if not isinstance(argnums, int) or isinstance(argnums, bool):
        raise StructureError(f"argnums is {argnums!r}", where="argnums of a Jacobian",
                             why="a Jacobian is taken with respect to one argument",
                             fix="give the number of one parameter")
    return argnums


@without_internal_frames
def jacrev(fun: Callable[P, Any], argnums: int = 0) -> Derived[P, Array]:
    """The Jacobian by reverse mode: shape ``out.shape + argument.shape``, one pullback per
    element of the output.

    >>> jacrev(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    place = _one(argnums)

    @without_internal_frames
    def jacobian_of(*args: Any) -> Any:
        return _by_rows(Split(fun, args, (place,)), args[place])

    return Derived(fun, "jacrev", place, jacobian_of)


@without_internal_frames
def jacfwd(fun: Callable[P, Any], argnums: int = 0) -> Derived[P, Array]:
    """The Jacobian by forward mode: one pushforward per element of the argument.

    >>> jacfwd(lambda x: x ** 2)(np.array([1.0, 3.0]))
    array([[2., 0.],
           [0., 6.]])
    """
    place = _one(argnums)

    @without_internal_frames
    def jacobian_of(*args: Any) -> Any:
        return _by_columns(Split(fun, args, (place,)), args[place])

    return Derived(fun, "jacfwd", place, jacobian_of)


def _by_rows(made: Split, argument: Any) -> Any:
    _refuse_nothing(made.out)
    rows = [made.pullback(unit)[made.places[0]] for unit in _units(made.out)]
    return _stacked(rows, made.out, argument, 0)


def _by_columns(made: Split, argument: Any) -> Any:
    tangents: list[Any] = [None] * made.count
    columns = []
    for tangents[made.places[0]] in _units(argument):
        columns.append(made.pushforward(*tangents))
    return _stacked(columns, made.out, argument, 1)


def _units(like: Any) -> Iterator[Any]:
    """Trees like ``like`` with 1 at one place and 0 at the others."""
    flat, unravel = ravel_tree(like)
    for i in range(flat.size):
        unit = np.zeros(flat.size, flat.dtype)
        unit[i] = 1
        yield unravel(unit)


def _refuse_nothing(out: Any) -> None:
    if out is None or isinstance(out, str):
        raise StructureError(f"the function returns {with_article(type(out))}",
                             where="the result of the function",
                             why="a Jacobian has a row for each number that is returned",
                             fix="return the array that is to be differentiated")


def require_arrays(what: str, *values: Any) -> None:
    """Refuse containers where each number is one of an array."""
    if not all(isinstance(v, (np.ndarray, np.generic, float, complex)) for v in values):
        raise StructureError(
            f"{what} of containers", where="the argument or the result",
            why="it would be a container of containers of blocks",
            fix="use ravel_tree to turn the argument or the result into one vector")


def _stacked(rows: list[Any], out: Any, argument: Any, axis: int) -> Any:
    """Rows (one per output element) or columns (one per argument element) as one array."""
    require_arrays("a Jacobian", out, argument)
    stacked = np.stack([np.asarray(r) for r in rows]) if rows else np.zeros((0,))
    if axis == 0:
        return stacked.reshape(np.shape(out) + np.shape(argument))
    moved = np.moveaxis(stacked.reshape((-1, *np.shape(out))), 0, -1)
    return moved.reshape(np.shape(out) + np.shape(argument))


@without_internal_frames
def jacobian(fun: Callable[P, Any], argnums: int = 0, *, mode: str = "auto",
             sparsity: Any = None, chunk_size: int | None = None) -> Derived[P, Array]:
    """The Jacobian of an array-valued function: shape ``out.shape + argument.shape``.

    ``mode`` is ``"rev"``, ``"fwd"`` or ``"auto"`` (whichever needs fewer passes).  ``sparsity``
    tells which entries may differ from zero: an array or SciPy sparse matrix with a row for each
    element of the result and a column for each of the argument, or a pair ``(rows, columns)``
    of index arrays.  Columns (or rows) without common entries then share a pass; for a banded
    matrix the number of passes does not depend on its size.  A pattern that misses an entry is
    refused.  ``chunk_size`` bounds how many passes are under way at once; it is one here, whatever
    the bound.

    >>> jacobian(lambda x: x ** 2, sparsity=np.eye(3))(np.array([1.0, 2.0, 3.0]))
    array([[2., 0., 0.],
           [0., 4., 0.],
           [0., 0., 6.]])
    """
    place = _one(argnums)
    if mode not in ("auto", "rev", "fwd"):
        raise StructureError(f"there is no Jacobian mode {mode!r}", where="mode of jacobian",
                             why="a Jacobian is made row by row (rev) or column by column (fwd)",
                             fix="use 'auto', 'rev' or 'fwd'")
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise StructureError(f"chunk_size is {chunk_size!r}", where="chunk_size of jacobian",
                             why="it bounds a number of passes", fix="give a positive int, or None")
    if mode != "auto" and sparsity is None:
        return (jacrev if mode == "rev" else jacfwd)(fun, place)

    @without_internal_frames
    def jacobian_of(*args: Any) -> Any:
        made = Split(fun, args, (place,))
        if sparsity is not None:
            return _by_colours(made, args[place], sparsity, mode)
        by = _by_rows if np.size(made.out) <= np.size(args[place]) else _by_columns
        return by(made, args[place])

    return Derived(fun, "jacfwd" if mode == "fwd" else "jacrev", place, jacobian_of)


def _by_colours(made: Split, argument: Any, sparsity: Any, mode: str) -> Any:
    """A Jacobian with few entries, as an array like any other."""
    require_arrays("a Jacobian", made.out, argument)
    shape = (np.size(made.out), np.size(argument))
    tangents: list[Any] = [None] * made.count
    place = made.places[0]

    def like(flat: np.ndarray[Any, Any], whole: Any) -> Any:
        return flat.astype(whole.dtype).reshape(whole.shape) if isinstance(
            whole, np.ndarray) else type(whole)(flat[0])

    def forward(direction: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        tangents[place] = like(direction, argument)
        return np.ravel(made.pushforward(*tangents))

    def backward(weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.ravel(made.pullback(like(weights, made.out))[place])

    matrix = by_colours(entries_of(sparsity, shape), shape, forward, backward, mode,
                        np.result_type(made.out, argument))
    return matrix.reshape(np.shape(made.out) + np.shape(argument))


@without_internal_frames
def hessian(fun: Callable[P, Any], argnums: int = 0) -> Derived[P, Array]:
    """The matrix of second derivatives of a scalar function: shape ``x.shape + x.shape``.

    >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacrev(grad(fun, argnums), argnums)


@overload
def hvp(fun: Callable[Concatenate[T, P], Any],
        argnums: Literal[0] = 0) -> Derived[..., T]: ...


@overload
def hvp(fun: Callable[P, Any], argnums: int) -> Derived[..., Any]: ...


@without_internal_frames
def hvp(fun: Callable[..., Any], argnums: int = 0) -> Derived[..., Any]:
    """The Hessian-vector product: ``hvp(f)(*args, v)`` without the Hessian.

    >>> hvp(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 6., 12.])
    """
    place = _one(argnums)
    gradient = grad(fun, place)

    @without_internal_frames
    def product(*args: Any) -> Any:
        *point, v = with_vector("hvp", args, place)
        return Split(gradient, point, (place,)).pulled(v, "vector")[place]

    return Derived(gradient, "hvp", place, product)


def _is_signed(fun: Any) -> bool:
    """Does a function say which arguments it takes?"""
    try:
        return bool(inspect.signature(fun).parameters)
    except ValueError:
        return False


@overload
def elementwise_grad(fun: np.ufunc, argnums: int = 0) -> Derived[..., Any]: ...


@overload
def elementwise_grad(fun: Callable[P, R], argnums: int = 0) -> Derived[P, R]: ...


@without_internal_frames
def elementwise_grad(fun: Callable[..., Any], argnums: int = 0) -> Derived[..., Any]:
    """The derivative of a function that acts elementwise: an array of the argument's shape.

    >>> elementwise_grad(np.tanh)(np.array([0.0]))
    array([1.])
    """
    place = _one(argnums)

    @without_internal_frames
    def derivative(*args: Any) -> Any:
        out, pullback = vjp(fun if _is_signed(fun) else lambda *a: fun(*a), *args)
        if not isinstance(out, (np.ndarray, np.generic, float, complex)):
            raise StructureError(
                f"elementwise_grad of a function that returns {with_article(type(out))}",
                where=f"the result of {named(fun)}",
                why="there is one derivative for each element of an array",
                fix="return one array, or use srcgrad.vjp")
        ones = np.ones_like(out) if isinstance(out, np.ndarray) else type(out)(1)
        return pullback(ones)[place]

    return Derived(fun, "elementwise_grad", place, derivative)


@overload
def gnvp(fun: Callable[Concatenate[T, P], R], argnums: Literal[0] = 0, *,
         loss: Callable[[R], Any] | None = None) -> Derived[..., T]: ...


@overload
def gnvp(fun: Callable[P, R], argnums: int, *,
         loss: Callable[[R], Any] | None = None) -> Derived[..., Any]: ...


@without_internal_frames
def gnvp(fun: Callable[..., Any], argnums: int = 0, *,
         loss: Callable[[Any], Any] | None = None) -> Derived[..., Any]:
    """The Gauss-Newton product ``J.T @ (H @ (J @ v))``: ``gnvp(f)(*args, v)``.

    ``J`` is the Jacobian of ``fun``, ``H`` the Hessian of the scalar function ``loss`` of its
    result (None: half the sum of squares, whose Hessian is the identity).  Neither is formed:
    one pushforward and one pullback.  ``v`` and the product have the argument's structure.

    >>> gnvp(lambda x: x ** 2)(np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    array([ 4., 16.])
    """
    place = _one(argnums)

    @without_internal_frames
    def product(*args: Any) -> Any:
        *point, v = with_vector("gnvp", args, place)
        made = Split(fun, point, (place,))
        tangents: list[Any] = [None] * len(point)
        tangents[place] = v
        moved = made.pushforward(*tangents)
        if loss is not None:
            moved = hvp(loss)(made.out, moved)
        return made.pullback(moved)[place]

    return Derived(fun, "gnvp", place, product, loss)


def with_vector(name: str, args: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    """The arguments, if they include the vector of a product."""
    if len(args) <= place + 1:
        raise StructureError(
            f"{name} was called with {len(args)} argument{'' if len(args) == 1 else 's'}",
            where=f"arguments of {name}",
            why="the vector comes after the arguments of the function",
            fix=f"write {name}(f)(x, v)")
    return args
