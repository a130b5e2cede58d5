"""What runs generated code: NumPy, or Numba for the loops in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from ..cache.dispatch import Asking
from ..cache.link import link
from ..config import config
from ..emit import Emitted, emit, sunk_in_arms
from ..errors import StructureError
from ..graph.ir import Graph, Ref
from ..simplify import (
    batch_loops,
    choose_numbers,
    compute_again,
    fuse_loops,
    join_branches,
    write_out_quotients,
)
from ..types.dataclasses import dataclass, replace
from ..types.identifiers import made_name


@dataclass(frozen=True)
class Backend:
    """``name``: ``"numpy"`` or ``"numba"``; ``precision``: ``"strict"``, or ``"fast"`` where
    sums may be reordered and functions approximated; ``parallel``: whether independent iterations
    run on several threads."""

    name: str = "numpy"
    precision: str = "strict"
    parallel: bool = False


NUMPY = Backend()
BackendLike = str | Backend | None


class How(TypedDict, total=False):
    """The keywords with which every transform says what runs its code."""

    backend: BackendLike
    precision: str | None
    parallel: bool | None


def chosen(where: str, backend: BackendLike, precision: str | None = None,
           parallel: bool | None = None) -> Backend:
    """What is asked for, or what ``config`` says; Numba must be there for its own backend."""
    asked = parallel
    if isinstance(backend, Backend):
        precision = precision or backend.precision
        parallel = backend.parallel if parallel is None else parallel
        backend = backend.name
    backend = config.backend if backend is None else backend
    precision = config.precision if precision is None else precision
    parallel = config.parallel if parallel is None else parallel
    if backend not in ("numpy", "numba"):
        raise StructureError(f"there is no backend {backend!r}", where=f"backend of {where}",
                             why="the generated code runs on NumPy, its loops on Numba if wanted",
                             fix="leave backend out, or use 'numpy' or 'numba'")
    if precision not in ("strict", "fast"):
        raise StructureError(f"there is no precision {precision!r}",
                             where=f"precision of {where}",
                             why="native code keeps NumPy's order of operations, or is free of it",
                             fix="leave precision out, or use 'strict' or 'fast'")
    if type(parallel) is not bool or (asked and backend == "numpy"):
        raise StructureError(
            f"parallel={parallel!r} with backend={backend!r}", where=f"parallel of {where}",
            why="it is True or False, and NumPy's code runs on one thread",
            fix="use parallel=True with backend='numba', and numba.set_num_threads for how many "
                "threads run")
    if backend == "numba":
        from .. import native  # opened when it is asked for
        native.require_numba()
        return Backend(backend, precision, parallel)
    return NUMPY


def backend_of(fun: Any) -> Backend:
    """What a function that a transform made runs on, else what ``config`` says."""
    request = getattr(fun, "__srcgrad_request__", None)
    return chosen("config", None if request is None else request.backend)


ALL = object()  # the result of a function: the tuple of all outputs


def for_numpy(graph: Graph) -> Graph:
    """A finished graph with the loops of its backward part where NumPy runs them: as operations on
    whole arrays, or in the loops whose adjoints they are."""
    return compute_again(fuse_loops(batch_loops(graph)))


def _in_numpy(graph: Graph) -> Graph:
    """A finished graph as it is printed for NumPy."""
    return choose_numbers(join_branches(write_out_quotients(sunk_in_arms(for_numpy(graph)))))


def written(graph: Graph, backend: Backend, result: Any = ALL,
            defaults: Mapping[str, Any] | None = None) -> Emitted:
    """The text of a finished graph, as a function that returns ``result``: a structure over the
    outputs."""
    names = parameter_names(graph)
    if result is ALL:
        result = tuple(Ref(i) for i in range(len(graph.outputs)))
    if backend.name == "numpy":
        return emit(_in_numpy(graph), parameter_names=names, defaults=defaults, result=result)
    from .. import native
    return native.emit_native(write_out_quotients(graph), lambda: _in_numpy(graph),
                              parameter_names=names, defaults=defaults, result=result,
                              fast=backend.precision == "fast", parallel=backend.parallel)


def generated(graph: Graph, backend: Backend, result: Any = ALL,
              defaults: Mapping[str, Any] | None = None) -> tuple[Emitted, Callable[..., Any]]:
    """What :func:`written` gives, and its entry function."""
    made = written(graph, backend, result, defaults)
    return replace(made, tree=None), linked(made, graph, backend, result, defaults)


def linked(made: Emitted, graph: Graph, backend: Backend, result: Any = ALL,
           defaults: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The entry function of what :func:`written` gives for a graph."""
    if backend.name == "numpy":
        return link(made.text, made.entry, made.globals, made.line_map, made.tree)
    from .. import native
    run = native.linked(replace(made, tree=None))
    if config.compile_in_background and native.NUMBA in made.text and native.is_pure(graph):
        return native.InBackground(generated(graph, NUMPY, result, defaults)[1], run)
    return run


def asking(backend: Backend, target: Callable[..., Any]) -> Asking:
    """How a dispatcher asks for the types of arguments at once, where machine code does that."""
    if backend.name == "numpy":
        return None
    from .. import native
    return native.asking(target)


def parameter_names(graph: Graph) -> list[str]:
    """Distinct names for a graph's inputs: the user's."""
    names: list[str] = []
    for i, value in enumerate(graph.inputs):
        wanted = made_name(value.hint or f"a{i}")
        wanted = "v_" if wanted == "_" else wanted  # what is not needed is put into _
        name, number = wanted, 1
        while name in names:
            number += 1
            name = f"{wanted}_{number}"
        names.append(name)
    return names
