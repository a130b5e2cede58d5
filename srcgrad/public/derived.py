"""Functions that run another function's derivative: how they are called, and what help says."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from ..compile.backends import Backend, BackendLike, chosen
from ..compile.frames import without_internal_frames
from ..compile.refusals import no_parameter, out_of_range, require_function
from ..errors import StructureError
from ..types.identifiers import signature_of, wrapped_names
from . import standard_arrays
from .api import Argnums, requested
from .blocks import Places
from .helptext import helptext, phrase
from .standing import Standing

P = ParamSpec("P")
T = TypeVar("T", bound=Any)  # of the first argument
R = TypeVar("R")
PRODUCTS = ("hvp", "gnvp")  # with a vector, which is the last argument
Compute = Callable[[Any, Backend, Places, tuple[Any, ...]], Any]  # of a function and its arguments


def staged_call(kind: str, fun: Callable[..., Any], places: Places, args: tuple[Any, ...],
                *settings: Any) -> Any:
    """What a call of a :class:`Derived` means inside a traced function; ``kind`` names it."""
    raise AssertionError("has a meaning in traced code only")


class Derived(Standing, Generic[P, R]):
    """A function made by a transform that runs another function's derivative: a Jacobian, a
    Hessian, a product of these with vectors.

    Called directly it computes; inside a function that is itself differentiated it becomes part
    of that function.
    """

    def __init__(self, fun: Callable[..., Any], kind: str, argnums: Argnums, compute: Compute,
                 backend: Backend, *settings: Any) -> None:
        require_function(fun, kind)
        self._stand_for(fun)
        self._fun, self._kind, self._compute = fun, kind, compute
        self._backend = backend
        self._settings = settings
        self._by_position: dict[Any, Callable[..., Any]] = {}
        self._signature = _signature(fun)
        said = "a Jacobian" if kind in ("jacrev", "jacfwd") else kind
        self._places = _places(fun, self._signature, requested(said, argnums).argnums)
        self._single = isinstance(argnums, (int, str))
        if self._signature is None:
            return
        parameters = list(self._signature.parameters.values())
        self.__srcgrad_phrase__ = phrase(kind, fun, [p.name for p in parameters], self._places)
        self.__doc__ = helptext(self.__srcgrad_phrase__, fun)
        self.__signature__ = _with_vector(parameters) if kind in PRODUCTS else self._signature

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if standard_arrays.any_foreign((args, kwargs)):
            found: R = standard_arrays.called(self, args, kwargs)
            return found
        result: R = self._compute(*self._resolved(args, kwargs))
        return result

    @without_internal_frames
    def with_backend(self, backend: BackendLike, precision: str | None = None,
                     parallel: bool | None = None) -> Self:
        """The same transform of the same function, its code run by ``"numpy"`` or ``"numba"``."""
        made = copy.copy(self)
        made._backend = chosen(f"{self._kind} of {self.__name__}", backend, precision, parallel)
        return made

    @without_internal_frames
    def _resolved(self, args: tuple[Any, ...], kwargs: dict[str, Any]
                  ) -> tuple[Any, Backend, Places, tuple[Any, ...]]:
        """The function, the places of what is differentiated, and all arguments by position:
        defaults and what is given by keyword only among them."""
        fun, vector = self._fun, ()
        if self._kind in PRODUCTS:
            args, vector = args[:-1], args[-1:]
        found = tuple(p for p in self._places if type(p) is int and 0 <= p < len(args))
        if kwargs or len(found) < len(self._places):
            bound = self._bound(args, kwargs, vector)
            names, count = tuple(bound.kwargs), len(bound.args)
            if names:
                fun = self._by_position.setdefault((names, count), _by_position(
                    fun, names, count))
            args = (*bound.args, *bound.kwargs.values())
            found = tuple(_place(fun, p, names, bound) if isinstance(p, str) else
                          p + count if p < 0 else p for p in self._places)
            for asked, place in zip(self._places, found, strict=True):
                if not 0 <= place < (count if isinstance(asked, int) else len(args)):
                    assert isinstance(asked, int)
                    raise out_of_range(fun, asked, count, bound.signature)
        return fun, self._backend, found[0] if self._single else found, (*args, *vector)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any], vector: tuple[Any, ...]
               ) -> inspect.BoundArguments:
        if self._signature is None:
            raise TypeError(f"{self.__name__}() was called with {len(args)} arguments"
                            f"{' and keywords' if kwargs else ''}")
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            if vector and not kwargs and _fits(self._signature, (*args, *vector)):
                count = len(args) + 1
                raise StructureError(
                    f"{self._kind} was called with {count} argument{'' if count == 1 else 's'}",
                    where=f"arguments of {self._kind}",
                    why="the vector comes after the arguments of the function",
                    fix=f"write {self._kind}(f)(x, v)") from None
            raise TypeError(f"{self.__name__}(): {error}") from None
        bound.apply_defaults()
        return bound

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        try:
            fun, _, places, args = self._resolved(args, kwargs)
        except StructureError as error:
            raise machine.recorder.fatal(error) from None
        return machine.call(staged_call, self._kind, fun, places, args, *self._settings)

    def __repr__(self) -> str:
        return f"<srcgrad {self._kind} of {self.__name__}>"


class OfArray(Derived[Concatenate[T, P], R]):
    """A :class:`Derived` with respect to a first argument that is an array.

    A type checker knows its type ``T``, but not its name: a call that names all of its arguments
    is not checked.
    """

    if TYPE_CHECKING:
        @overload  # type: ignore[no-overload-impl]
        def __call__(self, first: T, /, *args: P.args, **kwargs: P.kwargs) -> R: ...

        @overload
        def __call__(self, **kwargs: Any) -> R: ...


def _signature(fun: Any) -> inspect.Signature | None:
    try:
        return signature_of(fun)
    except ValueError:  # a ufunc
        return None


def _places(fun: Any, signature: inspect.Signature | None, argnums: tuple[int | str, ...]
            ) -> tuple[int | str, ...]:
    """The numbers of the parameters that ``argnums`` names; the names of those that are given by
    keyword only, and of those of what a wrapper wraps."""
    if signature is None:
        return argnums
    found: list[int | str] = []
    for wanted in argnums:
        if isinstance(wanted, int):
            found.append(wanted)
            continue
        if wanted not in signature.parameters:  # how a wrapper is given it, each call tells
            if wanted not in wrapped_names(fun) and not any(
                    p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
                raise no_parameter(fun, wanted, signature)
            found.append(wanted)
            continue
        kind = signature.parameters[wanted].kind
        if kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise StructureError(
                f"argnums names {wanted!r}, which holds any number of arguments",
                where=f"{getattr(fun, '__name__', 'the function')}{signature}",
                why="each argument has a derivative of its own",
                fix="give the numbers of arguments, or wrap the function")
        found.append(wanted if kind is inspect.Parameter.KEYWORD_ONLY else
                     list(signature.parameters).index(wanted))
    return tuple(found)


def _place(fun: Any, wanted: str, keywords: tuple[str, ...], bound: inspect.BoundArguments) -> int:
    """Where an argument with a name is among those by position, and by keyword after them."""
    count = len(bound.args)
    if wanted in keywords:
        return count + keywords.index(wanted)
    if wanted not in (named := wrapped_names(fun)[:count]):
        raise no_parameter(fun, wanted, bound.signature)
    return named.index(wanted)


def _by_position(fun: Callable[..., Any], names: tuple[str, ...], count: int
                 ) -> Callable[..., Any]:
    """A function whose last parameters, after ``count`` others, have these names, as one that
    takes all by position."""
    def by_position(*args: Any) -> Any:
        return fun(*args[:count], **dict(zip(names, args[count:])))

    by_position.__name__ = getattr(fun, "__name__", by_position.__name__)
    return by_position


def _with_vector(parameters: list[inspect.Parameter]) -> inspect.Signature:
    """The signature of a product: the vector comes last."""
    names = [p.name for p in parameters]
    free = next(n for n in ("v", "vector", "direction", "along") if n not in names)
    vector = inspect.Parameter(free, inspect.Parameter.POSITIONAL_ONLY)
    plain = [p.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for p in parameters
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    if len(plain) + len(named) < len(parameters) or any(p.default is not p.empty for p in plain):
        return inspect.Signature([
            inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL), *named])
    return inspect.Signature([*plain, vector, *named])


def _fits(signature: inspect.Signature, args: tuple[Any, ...]) -> bool:
    try:
        return signature.bind(*args) is not None
    except TypeError:
        return False
