"""The callable that ``grad`` and its relatives return: look up a specialization, or compile."""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import logging
import threading
import time
import types
import warnings
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    Self,
    TypeVar,
    overload,
)

from ..adjoint import carrying
from ..cache.anchors import anchor_of
from ..cache.dispatch import MISS, Dispatch
from ..cache.link import LINE_MAPS
from ..cache.sharing import find_shared, forget_shared, share
from ..compile.backends import BackendLike, How, chosen, for_numpy
from ..compile.compiler import compile_call
from ..compile.frames import callers_level, shown, without_internal_frames
from ..compile.joints import inner_joint
from ..compile.kept import kept_for
from ..compile.requests import Request, parameter_of
from ..compile.results import checked_scalar
from ..compile.specializations import Specialization
from ..errors import SourceNotFound, SrcgradError, StructureError, TracingError
from ..graph.ir import Graph
from ..show.progress import compiling
from ..trace.calls.gradients import inline_derivative
from ..types.identifiers import signature_of
from . import standard_arrays
from .helptext import METHODS, helptext, phrase
from .pickled import reduced

if TYPE_CHECKING:
    from ..show.beside import SideBySide
    from ..show.memory import Memory
    from ..show.profile import Profile

P = ParamSpec("P")  # of the function
Q = ParamSpec("Q")  # of a method, without its object
R = TypeVar("R")  # what a call returns
T = TypeVar("T", bound=Any)  # the type of the first argument
S = TypeVar("S")
LOG = logging.getLogger("srcgrad")
MAX_SIZE = 128
WARN_AT = 8


class CacheInfo(NamedTuple):
    """What :meth:`Compiled.cache_info` returns."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


def _guest(values: Any, above: frozenset[int] = frozenset()) -> Any:
    """The first object, also inside containers, that wants to make the call itself."""
    for value in values:
        if id(value) in above:
            continue  # it contains itself
        if isinstance(value, (list, tuple)):
            found = _guest(value, above | {id(value)})
        elif isinstance(value, dict):
            found = _guest(value.values(), above | {id(value)})
        else:
            found = value if hasattr(type(value), "__srcgrad_bridge__") else None
        if found is not None:
            return found
    return None


class Compiled(Generic[P, R]):
    """A function with generated code for each signature it has met.

    Call it like the original function.  ``source``, ``graph``, ``explain`` and ``export`` show
    what was generated; ``signatures``, ``cache_info`` and ``cache_clear`` look after the cache.

    A call raises what the function raises, and a :class:`SrcgradError` for what is not supported.

    See also :func:`grad`, :func:`value_and_grad`, :func:`jit`.

    >>> from srcgrad import grad
    >>> df = grad(lambda x: np.sum(x ** 2))
    >>> df(np.array([1.0, 2.0])), df.signatures, df.cache_info().misses
    (array([2., 4.]), ['function(x: f8[n]) -> f8;  d/dx'], 1)
    """

    __name__: str
    # what a call runs is each object's own: the newest code, which asks for others where it
    # does not fit.  So a call is one of Python's functions, without a method around it
    __slots__ = (*("__call__", "__dict__", "__weakref__"),)  # which type checkers do not read

    def __init__(self, function: Callable[..., Any], request: Request) -> None:
        self.__name__ = type(function).__name__  # of an instance, unless it has a name of its own
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        try:
            self.__signature__ = signature_of(function)
        except ValueError:
            raise SourceNotFound(
                f"{getattr(function, '__name__', type(function).__name__)} has no signature",
                where=f"the first argument of {request.mode}",
                why="it is code of C that does not say which arguments it takes",
                fix="wrap it: lambda x: f(x)") from None
        self._request = request
        parameters = list(self.__signature__.parameters)
        self.__srcgrad_phrase__ = phrase(request.mode, function, parameters, request.argnums)
        self.__doc__ = helptext(self.__srcgrad_phrase__, function, METHODS)
        self._lock = threading.RLock()
        self._entries: list[Specialization] = []
        self._calls: tuple[Any, ...] = ()
        self._hits, self._asked = itertools.count(), 0
        self._misses = 0
        self.__call__ = self._otherwise(0)  # type: ignore[method-assign]

    if TYPE_CHECKING:
        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

    def _otherwise(self, tried: int) -> Callable[..., Any]:
        """What is called where the newest code does not fit, ``tried`` pieces of code.  It does not
        keep this object alive, which may be gone where somebody has kept its ``__call__``."""
        me, again = weakref.ref(self), functools.partial(type(self), self.__wrapped__,
                                                         self._request)

        def otherwise(*args: Any, **kwargs: Any) -> Any:
            found = me()
            try:
                return (again() if found is None else found)._find_and_call(tried, args, kwargs)
            except Exception as error:
                raise shown(error)  # noqa: B904

        return otherwise

    def _find_and_call(self, tried: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call gives that the newest code does not serve."""
        for call in self._calls[tried:]:
            result = call(*args, **kwargs)
            if result is not MISS:
                next(self._hits)
                return result
        guest = _guest((*args, *kwargs.values()))
        if guest is not None:
            return guest.__srcgrad_bridge__(self, args, kwargs)
        if standard_arrays.any_foreign((args, kwargs)):
            return standard_arrays.call(self.__name__, self._specialize, args, kwargs)
        result = self._specialize(args, kwargs).call(*args, **kwargs)
        if result is MISS:  # tracing itself filled what is outside: an import, a cache
            result = self._specialize(args, kwargs).call(*args, **kwargs)
        if result is MISS:
            raise TracingError(
                f"the code generated for {self.__name__} does not fit its own arguments",
                why="something outside of the function changed while it was compiled",
                fix="call it again")
        return result

    def _specialize(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Specialization:
        """The specialization for a call that none of the present ones serves."""
        with self._lock:
            found = self._find(args, kwargs)
            if found is not None:
                return found
            anchor = anchor_of(self.__wrapped__)
            signature = signature_of(self.__wrapped__)
            made = find_shared(anchor, signature, self._request, args, kwargs)
            if made is not None:
                LOG.debug("%s: the code of another function serves, made from the same source: %s",
                          self.__name__, made.title)
                return self._enter(made)
            failure, began = None, time.perf_counter()
            try:
                kept = kept_for(self.__wrapped__, self._request, signature, args, kwargs)
                made, how = kept.find(args, kwargs), "found"
                if made is None:
                    how = "compiled"
                    with compiling(self.__name__):
                        made = compile_call(self.__wrapped__, self._request, args, kwargs)
                    kept.keep(made)
            except SrcgradError:
                raise
            except Exception as error:
                failure = error
            if failure is not None:  # the program's own: with what it does before it raises,
                self.__wrapped__(*args, **kwargs)  # and with no other exception beside it
                raise failure
            assert made is not None
            LOG.info("%s %s of %s in %.0f ms", how, self._request.mode, made.title,
                     1e3 * (time.perf_counter() - began))
            share(made, self._request, MAX_SIZE)
            return self._enter(made)

    def _enter(self, made: Specialization) -> Specialization:
        """Remember code for the calls to come."""
        self._misses += 1
        self._entries.insert(0, made)
        for old in self._entries[MAX_SIZE:]:
            LOG.info("%s: the cache is full, forgotten: %s", self.__name__, old.title)
        del self._entries[MAX_SIZE:]
        self._calls = tuple(e.call for e in self._entries)
        self.__call__ = made.called(  # type: ignore[method-assign]
            self._otherwise(1), self._hits.__next__)
        if len(self._entries) == WARN_AT:
            warnings.warn(
                f"{self.__name__} was compiled for {WARN_AT} signatures; .explain() tells "
                "what differs between them", stacklevel=callers_level())
        return made

    def _find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Specialization | None:
        """The specialization whose guards hold, without running it."""
        for entry in self._entries:
            if entry.matches(args, kwargs):
                return entry
        return None

    def __srcgrad_vjp__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        """``(out, pullback)`` for guests: array objects, such as tensors of the eager mode, that
        record a call as one step of their own.  ``pullback`` gives one cotangent per argument."""
        from .transforms import vjp

        if kwargs:
            bound = self.__signature__.bind(*args, **kwargs)
            if bound.kwargs:
                raise StructureError(
                    f"{self.__name__} is called on tensors with keyword-only arguments",
                    why="cotangents are given per positional argument",
                    fix="wrap the function so that it takes them by position")
            args = bound.args
        out, pullback = vjp(self, *args)
        return out, pullback

    @property
    def __srcgrad_request__(self) -> Request:
        """What is wanted of the function."""
        return self._request

    def __srcgrad_trace__(self, machine: Any, args: tuple[Any, ...],
                          kwargs: dict[str, Any]) -> Any:
        """A call inside a function that is being traced: the derivative becomes part of it."""
        request = self._request
        if request.mode == "jit":
            return machine.call(self.__wrapped__, *args, **kwargs)

        def joint(graph: Graph, wrt: list[int], of: list[int], keep: list[int]) -> Graph:
            return inner_joint(checked_scalar(graph, of, self.__name__), wrt, of, keep)

        signature = signature_of(self.__wrapped__)
        bound = signature.bind(*args, **kwargs)
        value, gradients = inline_derivative(
            machine, self.__wrapped__, bound, [
                parameter_of(self.__wrapped__, wanted, signature, bound)
                for wanted in request.argnums], joint, carrying, request.has_aux, request.allow_int)
        gradient = gradients[0] if request.single else tuple(gradients)
        if request.mode == "grad":
            return (gradient, value[1]) if request.has_aux else gradient
        return value, gradient

    # ---- as a method, pickled, shown ---------------------------------------------------------
    @overload
    def __get__(self, obj: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self: Compiled[Concatenate[S, Q], R], obj: S,
                owner: type | None = None) -> Method[Q, R]: ...

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        return self if obj is None else types.MethodType(self, obj)

    def __reduce__(self) -> Any:
        return reduced(self)

    def __repr__(self) -> str:
        count = len(self._entries)
        return (f"<srcgrad {self._request.mode} of {self.__name__}, "
                f"{count} signature{'' if count == 1 else 's'} compiled>")

    def _repr_html_(self) -> str:
        from ..show.colour import card  # the room `show` is opened when something is to be shown
        return card(self.__srcgrad_phrase__, [(e.title, e.text) for e in self._entries])

    @without_internal_frames
    def with_backend(self, backend: BackendLike, precision: str | None = None,
                     parallel: bool | None = None) -> Self:
        """The same transform of the same function, its code run by ``"numpy"`` or ``"numba"``."""
        found = chosen(f"{self.__name__}.with_backend", backend, precision, parallel)
        return type(self)(self.__wrapped__, replace(self._request, backend=found))

    # ---- inspection ----------------------------------------------------------------------
    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any],
               asked: str) -> Specialization:
        """The code for a call, on the backend that is named among its arguments."""
        how = {key: kwargs.pop(key) for key in How.__annotations__
               if key in kwargs and key not in self.__signature__.parameters}
        if how:
            found = chosen(f"{self.__name__}.{asked}", **{"backend": self._request.backend, **how})
            return self._entry(args, kwargs, asked).on(found)
        if args or kwargs:
            with self._lock:
                return self._find(args, kwargs) or self._specialize(args, kwargs)
        if not self._entries:
            if not self.__signature__.parameters:
                return self._specialize((), {})
            raise StructureError(
                f"{self.__name__} has not been compiled yet",
                where=f"{self.__name__}.{asked}",
                why="generated code belongs to a signature, and there was no call so far",
                fix=f"give example arguments: {self.__name__}.{asked}(...)")
        return self._entries[0]

    @without_internal_frames
    def source(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for a signature (compiled, not run); without arguments the
        latest one.  A string, which notebooks show in colour.

        Here and below ``backend=`` (and ``precision=``) beside the arguments asks for the code of
        another backend, where the function has no parameter of that name."""
        from ..show.colour import Source
        return Source(self._entry(args, kwargs, "source").text)

    @without_internal_frames
    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """The static graph behind the generated code."""
        return self._entry(args, kwargs, "graph").graph

    @without_internal_frames
    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What the generated code relies on, what it saves, and why it was made."""
        entry = self._entry(args, kwargs, "explain")
        from ..show.explain import explain
        return explain(self, entry, self._entries)

    @without_internal_frames
    def show(self, *args: Any, **kwargs: Any) -> SideBySide:
        """The function's source with the generated forward and adjoint code beside each line:
        prints as text, shows as HTML in a notebook, and ``.save(file)`` writes a page."""
        entry = self._entry(args, kwargs, "show")
        from ..show.beside import side_by_side
        return side_by_side(entry.title, entry.emitted.text, entry.emitted.line_map,
                            self._code_name)

    @without_internal_frames
    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """Where the time of a call goes and what memory holds, by the user's lines: seconds in
        the forward and in the adjoint part, the most bytes that a line needs, what is kept.

        The function runs three times: alone, against the clock, and with its memory watched; the
        first two times on deep copies of the arguments.  Effects happen three times."""
        from ..show.lines import generated_lines, sections
        from ..show.profile import profile
        from ..show.running import measure
        entry = self._with_arguments(args, kwargs, "profile")
        file = next(f for f, places in LINE_MAPS.items() if places is entry.emitted.line_map)
        lines = generated_lines(entry.emitted.text, entry.emitted.line_map)

        def call(given: tuple[Any, ...], named: dict[str, Any]) -> Callable[[], Any]:
            return lambda: entry.call(*given, **named)

        calls = [call(*copy.deepcopy((args, kwargs))), call(*copy.deepcopy((args, kwargs))),
                 call(args, kwargs)]
        run = measure(entry.emitted.text, file, entry.emitted.entry, calls)
        return profile(entry.title, run, sections(lines, self._code_name), {
            line.number: (line.where.filename, line.where.function, line.where.line, line.side)
            for line in lines})

    @without_internal_frames
    def memory(self, *args: Any, **kwargs: Any) -> Memory:
        """What a call will keep for its backward part, found without running it: which values of
        which lines, how many bytes, and by which formula of the sizes of the arguments."""
        entry = self._with_arguments(args, kwargs, "memory")
        dispatch = Dispatch(self.__name__, entry.signature, entry.traced, lambda *inputs: inputs)
        inputs = dispatch.caller.bound(entry.anchor, entry.signature)(*args, **kwargs)
        from ..show.memory import memory
        return memory(entry.title, for_numpy(entry.graph), inputs)

    def _with_arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any],
                        asked: str) -> Specialization:
        """The specialization for a call, whose arguments are needed."""
        if not (args or kwargs) and self.__signature__.parameters:
            raise StructureError(
                f"{self.__name__}.{asked} needs the arguments of a call",
                where=f"{self.__name__}.{asked}",
                why="sizes and times belong to a call, not to the generated code",
                fix=f"write {self.__name__}.{asked}(...) with arguments")
        return self._entry(args, kwargs, asked)

    @without_internal_frames
    def export(self, file: str | Path, *args: Any, **kwargs: Any) -> Path:
        """Write a module that serves all sizes and needs NumPy only, or with
        ``backend="numba"`` Numba to be fast; returns its path."""
        entry = self._entry(args, kwargs, "export")
        from ..show.export import export
        return export(entry, Path(file))

    @property
    def _code_name(self) -> str:
        """What the code object of the function is called, which places in it are named by."""
        code = getattr(inspect.unwrap(self.__wrapped__), "__code__", None)
        return getattr(code, "co_name", self.__name__)

    @property
    def signatures(self) -> list[str]:
        """The signatures compiled so far, the latest first."""
        return [e.title for e in self._entries]

    def cache_info(self) -> CacheInfo:
        """Hits, misses, and sizes, as :func:`functools.lru_cache` reports them."""
        hits = next(self._hits) - self._asked
        self._asked += 1  # which it counts as well
        return CacheInfo(hits, self._misses, MAX_SIZE, len(self._entries))

    def cache_clear(self) -> None:
        """Forget all generated code."""
        LOG.info("%s: forgot the code of %d signature(s)", self.__name__, len(self._entries))
        with self._lock:
            forget_shared(anchor_of(self.__wrapped__), self.__signature__, self._request)
            self._entries, self._calls, self._misses = [], (), 0
            self._hits, self._asked = itertools.count(), 0
            self.__call__ = self._otherwise(0)  # type: ignore[method-assign]


class Gradient(Compiled[Concatenate[T, P], R]):
    """What ``grad`` and ``value_and_grad`` return.

    A type checker knows that the first parameter is of type ``T`` and the others are ``P``, but
    not what the first one is called: a call that names all of its arguments is not checked.
    """

    __slots__ = ()
    if TYPE_CHECKING:
        @overload  # type: ignore[no-overload-impl]
        def __call__(self, first: T, /, *args: P.args, **kwargs: P.kwargs) -> R: ...

        @overload
        def __call__(self, **kwargs: Any) -> R: ...


if TYPE_CHECKING:
    class Method(Generic[P, R]):
        """A compiled function bound to its object: an ordinary bound method."""

        __func__: Compiled[..., R]
        __self__: Any

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...

        def __getattr__(self, name: str) -> Any: ...  # of the function
