"""The native backend: a graph as text of which loops are kernels for Numba, and its linking."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from srcgrad.cache.link import link
from srcgrad.emit import Emitted, emit
from srcgrad.errors import StructureError
from srcgrad.graph.ir import Graph
from srcgrad.native import disk, predicates
from srcgrad.native.approximate import APPROXIMATIONS
from srcgrad.native.prepare import Prepared
from srcgrad.native.regions import Regions
from srcgrad.native.write import NUMBA, SUMS, decorated


def emit_native(graph: Graph, in_numpy: Callable[[], Graph], *, parameter_names: Sequence[str],
                defaults: Mapping[str, Any] | None = None, fast: bool = False,
                parallel: bool = False, **result: Any) -> Emitted:
    """The source of a graph (see :func:`srcgrad.emit.emit`) in which loops that a kernel can hold
    are functions for Numba, their arithmetic free where it is ``fast``, their iterations at the
    same time where they may be ``parallel``.  Loops that turn out not to fit are left to NumPy,
    with all that would have been made of them; ``in_numpy`` is the graph without any kernel."""
    left: set[int] = set()
    while True:
        alone: set[int] = set()
        for joined in (True, False):  # all with what is between, or each loop for itself
            prepared = Prepared(graph, left, fast, joined, parallel)
            if not prepared.loops:
                emitted = emit(in_numpy(), parameter_names=parameter_names, defaults=defaults,
                               **result)
                return replace(emitted, notes=prepared.notes())
            regions = Regions(prepared.facts, graph, fast)
            emitted = emit(prepared.graph, parameter_names=parameter_names, defaults=defaults,
                           outline=regions, reserved=predicates.CALLED, **result)
            missed = prepared.loops - regions.done
            if not missed:
                spread = [loop for kernel in regions.kernels for loop in kernel.parallel]
                return replace(emitted, notes=prepared.notes(spread))
            alone = missed if not joined else alone
        left |= alone


def linked(emitted: Emitted) -> FunctionType:
    """The entry function of emitted text, its kernels compiled when they are called."""
    emitted = _with_compiled_predicates(emitted)
    target = link(emitted.text, emitted.entry, emitted.globals, emitted.line_map)
    space = inspect.unwrap(target).__globals__
    for found in space.values():
        if hasattr(found, "py_func") and found.py_func.__globals__ is space:
            disk.keep(found, emitted.text)
            _compile_when_called(found, space)
    return target


def _compile_when_called(kernel: Any, space: dict[str, Any]) -> None:
    """Lets a kernel be called directly once it is compiled, and run as Python, with a warning, for
    arguments that Numba does not take."""
    from numba.core.errors import NumbaError, NumbaPendingDeprecationWarning

    from srcgrad.native.entry import Compiled, direct

    kernel._compiler.pipeline_class = Compiled
    compiled = kernel._compile_for_args  # what a call asks where no compiled form fits

    def compiled_or_python(*args: Any, **keywords: Any) -> Any:
        try:
            with warnings.catch_warnings():  # lists will be typed by themselves some day
                warnings.simplefilter("ignore", NumbaPendingDeprecationWarning)
                found = compiled(*args, **keywords)
            space[kernel.py_func.__name__] = direct(kernel)
            return found
        except NumbaError as error:  # nothing was run
            reason = next((line for line in str(error).splitlines()
                           if line and not line.startswith("Failed in")), "")
            warnings.warn(f"{kernel.py_func.__name__} runs as Python, which is slow: Numba does "
                          f"not compile it ({reason.strip()})", RuntimeWarning, stacklevel=3)
            return kernel.py_func  # which is called then

    kernel._compile_for_args = compiled_or_python


def above(function: Any) -> str:
    """The line above a function where kernels of a text of its own call it."""
    called = isinstance(function, FunctionType) and (
        vars(predicates).get(function.__name__) is function)
    return f"@{decorated(_freedom(function))}\n" if called else ""


def _freedom(function: FunctionType) -> tuple[str, ...]:
    """What may be done to the arithmetic of what kernels call."""
    if function.__name__ in ("plus", "minus"):
        return SUMS
    return ("contract",) if function in APPROXIMATIONS.values() else ()


def _with_compiled_predicates(emitted: Emitted) -> Emitted:
    """The emitted text with what its kernels call compiled, too."""
    if NUMBA not in emitted.text:
        return emitted
    space = _compiled(require_numba())
    made = {name: space[found.__name__] if above(found) else found
        for name, found in emitted.globals.items()}
    return replace(emitted, globals=made)


_COMPILED: dict[int, dict[str, Any]] = {}


def _compiled(njit: Any) -> dict[str, Any]:
    """The functions of :mod:`srcgrad.native.predicates`, compiled, which call each other."""
    if id(njit) not in _COMPILED:
        space = _COMPILED[id(njit)] = dict(vars(predicates), njit=njit)
        for name, function in vars(predicates).items():
            if isinstance(function, FunctionType):
                made = FunctionType(function.__code__, space, name)
                space[name] = eval(decorated(_freedom(function)), {"njit": njit})(made)
    return _COMPILED[id(njit)]


def asking(target: Callable[..., Any]) -> Callable[[list[Any]], Callable[..., bool]] | None:
    """What makes a function of machine code that tells whether arguments have the types that they
    must have, for a function that has compiled kernels."""
    space = getattr(inspect.unwrap(target), "__globals__", {})
    if not any(hasattr(found, "py_func") for found in space.values()):
        return None
    from srcgrad.native.asked import asked
    from srcgrad.native.entry import readable
    return asked if readable() else None


def require_numba() -> Any:
    """Numba's ``njit``, or an error that says how to get it."""
    try:
        from numba import njit
    except ImportError:
        raise StructureError(
            "the backend 'numba' needs Numba, which is not installed", where="backend='numba'",
            why="loops become functions that Numba compiles",
            fix="pip install srcgrad[numba], or leave backend out") from None
    return njit
