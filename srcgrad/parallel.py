"""Gradients of sums and means over examples, chunk by chunk, on threads, processes or a cluster.

The examples are cut into chunks whose number does not depend on how many workers there are, and
the results of the chunks are added in a fixed order: the same bits come out of one thread and of a
cluster.
"""

from __future__ import annotations

import concurrent.futures  # its executors load their modules when they are first named
import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from .compile.backends import BackendLike
from .compile.frames import without_internal_frames
from .compile.refusals import require_function
from .errors import StructureError
from .public.api import Argnums
from .public.api import value_and_grad as whole
from .show.progress import telling
from .types.identifiers import signature_of
from .types.tree import flatten, tree_map

__all__ = ["ChunkedGradient", "value_and_grad"]
P = ParamSpec("P")
R = TypeVar("R")
CHUNKS = 32  # where no size is asked for


class ChunkedGradient(Generic[P, R]):
    """What :func:`value_and_grad` of this module returns: call it like the function.

    It raises what the function raises.  See also :func:`srcgrad.value_and_grad`.

    >>> df = value_and_grad(lambda w, x: np.sum((w * x) ** 2), over="x")
    >>> kept = df.keep(x=np.ones(10))
    >>> value, slope = kept(3.0)
    >>> float(value), float(slope)
    (90.0, 60.0)
    """

    def __init__(self, fun: Callable[..., Any], over: tuple[str, ...], client: Any,
                 options: dict[str, Any]) -> None:
        self.has_aux = options["has_aux"]
        self.gradient = whole(fun, options["argnums"], has_aux=self.has_aux,
                              backend=options["backend"], precision=options["precision"])
        self.__name__ = self.gradient.__name__
        self.__signature__ = signature_of(fun)
        self.over, self.client = over, client
        self.workers, self.size = options["workers"], options["chunk"]
        self.reduce, self.weights = options["reduce"], options["weights"]
        self.retries = options["retries"]

    @without_internal_frames
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Any]:
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        examples = {name: bound.arguments.pop(name) for name in self.over}
        chunks, shares = self._chunks(examples)
        return self._run(bound.arguments, chunks, shares, [None] * len(chunks))

    @without_internal_frames
    def keep(self, **examples: Any) -> Callable[..., tuple[Any, Any]]:
        """Send the examples to the workers of a ``dask.distributed`` client once, as they are
        now; returns the function of the other arguments.  A chunk whose worker died is sent
        again."""
        if set(examples) != set(self.over):
            raise StructureError(
                f"keep was given {', '.join(examples) or 'nothing'}", where="keep",
                why=f"the examples are {', '.join(self.over)}", fix="give each of them by name")
        chunks, shares = self._chunks(tree_map(
            lambda x: x.copy() if isinstance(x, np.ndarray) else x, examples))
        held = [_sent(self.client, c) if _is_cluster(self.client) else None for c in chunks]
        others = self.__signature__.replace(parameters=[
            p for name, p in self.__signature__.parameters.items() if name not in self.over])

        @without_internal_frames
        def step(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
            bound = others.bind(*args, **kwargs)
            bound.apply_defaults()
            return self._run(bound.arguments, chunks, shares, held)

        return step

    def _chunks(self, examples: dict[str, Any]) -> tuple[list[dict[str, Any]], list[float]]:
        """The examples in pieces, and the weight of each piece."""
        examples = {name: np.asarray(value) if type(value) is list else value
                    for name, value in examples.items()}
        sizes = {name: {len(leaf) if np.ndim(leaf) else 0 for leaf in flatten(value)[0]}
                 for name, value in examples.items()}
        every = set().union(*sizes.values())
        if len(every) != 1 or 0 in every:
            said = ", ".join(f"{name}: {sorted(found)}" for name, found in sizes.items())
            raise StructureError(f"the examples have different or no lengths ({said})",
                                 where=f"the arguments of {self.__name__}",
                                 why="all are cut along their first axis, at the same places",
                                 fix="give arrays of one length, or name fewer in over=")
        count = every.pop()
        size = self.size or -(-count // CHUNKS)
        found, shares = [], []
        for start in range(0, count, size):
            piece = slice(start, min(count, start + size))
            found.append(tree_map(lambda leaf, piece=piece: leaf[piece], examples))
            shares.append(float(piece.stop - piece.start) if self.weights is None
                          else float(np.sum(found[-1][self.weights])))
        return found, shares

    def _run(self, fixed: dict[str, Any], chunks: list[dict[str, Any]], shares: list[float],
             held: list[Any]) -> tuple[Any, Any]:
        results: list[Any] = [None] * len(chunks)
        missing = list(range(len(chunks)))
        with telling(f"srcgrad: {self.__name__}") as ticker:
            for _ in range(self.retries + 1):
                with _workers(self.client, self.workers) as pool:
                    missing = self._attempt(pool, fixed, chunks, held, results, missing, ticker)
                if not missing:
                    return self._reduced(results, shares)
        raise StructureError(
            f"{len(missing)} of {len(chunks)} chunks were lost {self.retries + 1} times",
            where=f"the workers of {self.__name__}",
            why="a worker process ended while it computed, each time",
            fix="give chunk= a smaller number if memory ran out, or a larger retries=")

    def _attempt(self, pool: Any, fixed: dict[str, Any], chunks: list[dict[str, Any]],
                 held: list[Any], results: list[Any], missing: list[int],
                 ticker: Any) -> list[int]:
        """Compute the chunks that are missing; returns those whose worker died."""
        cluster = _is_cluster(pool)
        options = {"pure": False} if cluster else {}
        lost: list[int] = []
        futures: dict[int, Any] = {}
        try:
            given = _sent(pool, fixed, everywhere=True) if cluster else fixed
            for k in missing:
                if cluster and held[k] is not None and held[k].status != "finished":
                    held[k] = _sent(pool, chunks[k])
                data = held[k] if cluster and held[k] is not None else chunks[k]
                futures[k] = pool.submit(_of_chunk, self.gradient, given, data, **options)
        except Exception as error:
            if not _is_death(error):
                raise
            lost = [k for k in missing if k not in futures]
        for done, (k, future) in enumerate(futures.items(), 1):
            try:
                results[k] = future.result()
            except Exception as error:
                if not _is_death(error):
                    raise
                lost.append(k)
            if ticker is not None:
                ticker.text = f"srcgrad: {self.__name__}, {done} of {len(futures)} chunks"
        return lost

    def _reduced(self, results: list[Any], shares: list[float]) -> tuple[Any, Any]:
        if not self.has_aux:
            return self._total(results, shares)
        value, slope = self._total([(value, slope) for (value, _), slope in results], shares)
        return (value, [aux for (_, aux), _ in results]), slope

    def _total(self, results: list[Any], shares: list[float]) -> tuple[Any, Any]:
        if self.reduce == "sum":
            found: tuple[Any, Any] = _folded(results)
            return found
        weighed = [tree_map(lambda x, s=s: _kept_dtype(x, x * s), r)
                   for r, s in zip(results, shares, strict=True)]
        total = float(sum(shares))
        found = tree_map(lambda x: _kept_dtype(x, x / total), _folded(weighed))
        return found


def _kept_dtype(like: Any, value: Any) -> Any:
    return value.astype(like.dtype) if isinstance(like, (np.ndarray, np.generic)) else value


def _of_chunk(gradient: Any, fixed: dict[str, Any], data: dict[str, Any]) -> Any:
    """What a worker does."""
    bound = gradient.__signature__.bind_partial()
    bound.arguments.update({name: {**fixed, **data}[name]
                            for name in gradient.__signature__.parameters})
    return gradient(*bound.args, **bound.kwargs)


def _folded(results: Sequence[Any]) -> Any:
    """The sum of all, neighbours first: an order that depends on their number alone."""
    while len(results) > 1:
        pairs = [tree_map(lambda a, b: a + b, *results[i:i + 2])
                 for i in range(0, len(results) - 1, 2)]
        results = [*pairs, *results[2 * len(pairs):]]
    return results[0]


def _is_cluster(client: Any) -> bool:
    return hasattr(client, "scatter") and hasattr(client, "submit")


def _sent(client: Any, data: dict[str, Any], everywhere: bool = False) -> Any:
    """Data on a worker of a cluster, or on all."""
    try:
        (future,) = client.scatter([data], broadcast=everywhere, hash=False)
    except TimeoutError:  # all workers have ended, and no new ones have come while it waited
        raise concurrent.futures.BrokenExecutor("the cluster has no workers") from None
    return future


def _is_death(error: Exception) -> bool:
    """Did the worker end, rather than the function raise?"""
    broken = (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError)
    return isinstance(error, broken) or (
        type(error).__module__.startswith("distributed")
        and type(error).__name__ in (
            "KilledWorker", "FutureCancelledError", "FutureLostError", "CommClosedError"))


@contextmanager
def _workers(client: Any, count: int | None) -> Iterator[Any]:
    """Something to submit to."""
    count = count or os.cpu_count() or 1
    if client is None or client == "threads":
        with concurrent.futures.ThreadPoolExecutor(count) as threads:
            yield threads
    elif client == "processes":
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(count, context) as processes:
            yield processes
    else:
        yield client


@without_internal_frames
def value_and_grad(fun: Callable[P, R], argnums: Argnums = 0, *, over: str | Sequence[str],
                   client: Any = None, workers: int | None = None, chunk: int | None = None,
                   reduce: str = "sum", weights: str | None = None, has_aux: bool = False,
                   retries: int = 3, backend: BackendLike = None,
                   precision: str | None = None) -> ChunkedGradient[P, R]:
    """The value and gradient of a sum (or mean) over examples, computed in chunks.

    ``over`` names the parameters that hold the examples along their first axis (arrays, or
    structures of arrays).  ``fun`` gives the sum over the examples that it gets; with
    ``reduce="mean"`` their mean, and with ``weights`` (one of ``over``) their weighted mean.
    ``client`` is what computes: ``"threads"`` (None), ``"processes"``, an executor of
    ``concurrent.futures``, or a ``dask.distributed`` client.  ``chunk`` is the number of examples
    in a chunk (None: a 32nd of all); results depend on it, but never on ``workers`` or ``client``.
    With ``has_aux`` the function returns ``(value, aux)``, and the result is ``((value, auxs),
    gradient)`` with the list of what came along with each chunk, in the order of the examples.
    The chunks of a worker that died are computed again, at most ``retries`` times.  ``backend``
    and ``precision`` are those of :func:`srcgrad.grad`: native code leaves threads to each other.

    Raises :class:`StructureError` for examples of different numbers, names that are no parameters,
    gradients with respect to the examples, and settings that do not fit; what the function raises,
    and what :func:`srcgrad.value_and_grad` raises.

    See also :func:`srcgrad.value_and_grad`, :func:`srcgrad.vmap`.

    >>> def loss(w, x, y):
    ...     return np.sum((x @ w - y) ** 2)
    >>> df = value_and_grad(loss, over=("x", "y"), workers=2)
    >>> value, slope = df(np.ones(2), np.ones((100, 2)), np.zeros(100))
    >>> float(value), slope
    (400.0, array([400., 400.]))
    """
    require_function(fun, "parallel.value_and_grad",
                     "write srcgrad.parallel.value_and_grad(f, over=...)(x, examples)")
    names = (over,) if isinstance(over, (str, int)) else tuple(over)
    parameters = signature_of(fun).parameters
    strange = [name for name in names if name not in parameters]
    if strange or not names:
        raise StructureError(
            f"over={over!r} names no parameter of {getattr(fun, '__name__', 'the function')}",
            where="over of parallel.value_and_grad",
            why="it says which arguments are cut into chunks",
            fix=f"name some of {', '.join(parameters)}")
    if reduce not in ("sum", "mean") or (weights is not None and (
            not isinstance(weights, str) or weights not in names or reduce != "mean")):
        raise StructureError(
            f"reduce={reduce!r} and weights={weights!r} do not fit",
            where="parallel.value_and_grad",
            why='weights are one of the arguments in over=, and belong to reduce="mean"',
            fix='write reduce="sum", reduce="mean", or reduce="mean" with weights="name"')
    for name, found in (("workers", workers), ("chunk", chunk), ("retries", retries)):
        _check_number(name, found, 0 if name == "retries" else 1)
    _check_client(client)
    _check_apart(argnums if isinstance(argnums, (tuple, list)) else (argnums,), names, parameters)
    return ChunkedGradient(fun, names, client, {
        "argnums": argnums, "has_aux": has_aux, "workers": workers, "chunk": chunk,
        "reduce": reduce, "weights": weights, "retries": retries, "backend": backend,
        "precision": precision})


def _check_apart(argnums: Sequence[int | str], over: Sequence[str],
                 parameters: Mapping[str, inspect.Parameter]) -> None:
    """Gradients are added up: there is none with respect to what is cut into chunks."""
    places = [name for name, p in parameters.items()
              if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variable = next((name for name, p in parameters.items() if p.kind is p.VAR_POSITIONAL), None)
    for wanted in argnums:
        name: Any = wanted
        if isinstance(wanted, int):
            inside = range(0 if variable else -len(places), len(places))
            name = places[wanted] if wanted in inside else variable
        if name in over:
            raise StructureError(
                f"argnums and over= both name {name}", where="parallel.value_and_grad",
                why="the gradients of the chunks are added, and each chunk has its own examples",
                fix="differentiate with respect to what all examples share, or use "
                "srcgrad.value_and_grad")


def _check_number(name: str, found: Any, least: int) -> None:
    if found is not None and (not isinstance(found, int) or found < least):
        raise StructureError(f"{name} is {found!r}", where=f"{name} of parallel.value_and_grad",
                             why="it is a number of workers, of examples, or of attempts",
                             fix=f"give an int of at least {least}")


def _check_client(client: Any) -> None:
    if client is not None and client not in ("threads", "processes") and not hasattr(
            client, "submit"):
        raise StructureError(
            f"client is {client!r}", where="client of parallel.value_and_grad",
            why="it computes the chunks", fix="give 'threads', 'processes', an executor of "
            "concurrent.futures, or a client of dask.distributed")
