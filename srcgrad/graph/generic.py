"""Result types by probing alone: several runs with different small sizes."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ..errors import UnsupportedOperation
from ..types.dims import Atom, Dim, Poly, evaluate, is_varying, of_atom, substitute, symbol, symbols
from ..types.kinds import Aval, Kind, join, list_of, same_dtype
from ..types.spelling import At, Attribute, Method, Part
from ..types.structure import found_in, mapped
from .outcome import Outcome, fresh_results, placeholder
from .probing import SHIFTS, ZEROS_AT_ENDS, Result, call, describe, merge_relations
from .purity import may_probe
from .sizes import (
    Equations,
    Matcher,
    all_equated,
    assignments,
    few_elements,
    tells_apart,
    unifications,
)

# Names of functions whose results share memory with an input under some layouts only.
_LAYOUT_DEPENDENT = frozenset({
    "reshape", "ravel", "asfortranarray", "ascontiguousarray", "require", "astype", "nan_to_num",
    "array", "asarray", "asanyarray", "asarray_chkfinite",
})
# Functions whose dtype depends on values: complex where a real input has complex results.
DTYPE_OF_VALUES = frozenset({"eig", "eigvals", "roots", "real_if_close", "sqrtm", "logm",
                              "funm", "fractional_matrix_power"})
_SIZES_WANTED = {"cross": (3,)}  # sizes that a function asks for itself
# Functions whose results for two items are of another rank or kind: vectors in a plane, the one
# root of a line, which is real.
_WITHOUT_TWO = frozenset({"cross", "roots"})
_LARGE = 32  # static sizes above this are probed with smaller ones
_NUMBER_PARAMETERS = frozenset({"axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc",
                                "ndmin", "keepdims", "deg", "order", "ord", "source",
                                "destination"})


_USER_CALLABLES = (FunctionType, MethodType, functools.partial)


class Demand(Exception):
    """The numbers behind symbolic integers are needed: ``leaves`` are their positions among
    the abstract leaves of ``(args, kwargs)``."""

    def __init__(self, leaves: tuple[int, ...]) -> None:
        self.leaves = leaves
        super().__init__(f"the number of argument leaf {leaves} is needed")


def leaves_of(structure: Any) -> list[Aval]:
    """The abstract leaves of a structure, in order."""
    return [*found_in(structure, Aval)]


def name_of(fn: Callable[..., Any]) -> str:
    """A function's name for messages and tables."""
    if isinstance(fn, Method | Attribute):
        return fn.name
    if isinstance(fn, Part | At):
        return name_of(fn.fn)
    return getattr(fn, "__name__", None) or repr(fn)


def generic(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
    """Probe ``fn`` with several assignments of sizes and recognise the results' sizes."""
    check_may_probe(fn, (args, kwargs))
    leaves = leaves_of((args, kwargs))
    _demand_settings({**dict(zip(_parameters(fn), args)), **kwargs}, leaves)
    if fn is np.einsum:  # lists of axis labels
        _demand_integers(leaves)
    args, kwargs, back = _with_numbers(args, kwargs)
    numbered = leaves_of((args, kwargs))
    dims = dims_of(numbered)
    runs, results, necessary, shift = _runs(fn, args, kwargs, dims, leaves)
    if not _alike(results):
        return _unlike(results, leaves)
    uneven = {d for d in dims_of([a.elem for a in numbered if a.elem is not None])
              if is_varying(d)}  # one size in the examples, many in a list
    outcome = _outcome(results, Matcher([d for d in dims if d not in uneven], runs, necessary))
    if name_of(fn) in DTYPE_OF_VALUES and (
            name_of(fn) == "real_if_close"
            or all(a.dtype is None or a.dtype.kind != "c" for a in leaves)):
        outcome = replace(outcome, avals=tuple(a.but(dtype=None) for a in outcome.avals))
    fullest = max(range(len(results)), key=lambda j: _not_empty(results[j]))
    outcome = _counted(outcome, fn, args, kwargs, runs[fullest], results[fullest], shift)
    relations = _relations(fn, args, kwargs, runs[fullest], results[fullest], shift)
    vectors = [(a.ndim or 0) < 2 and all(r.contiguous[i] for r in results)
               for i, a in enumerate(outcome.avals)]
    outcome = replace(outcome, views=tuple(r[0] for r in relations),
                      sources=tuple(r[1] for r in relations),
                      orders=tuple("C" if v else None for v in vectors))
    if back:
        outcome = replace(outcome, avals=tuple(_back(a, back) for a in outcome.avals))
    return outcome


def with_arrays(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arrays that NumPy makes of lists and tuples which stand beside arrays."""
    if not any(isinstance(o, Aval) and o.is_array and o.shape for o in operands):
        return operands
    return tuple(_array_of(o) if type(o) in (list, tuple) else o for o in operands)


def _array_of(rows: Any) -> Any:
    found = generic(np.asarray, (rows,), {})
    return rows if found.guards or found.uncertain else found.avals[0]


def _counted(outcome: Outcome, fn: Callable[..., Any], args: Any, kwargs: Any,
             sizes: dict[Atom, int], result: Result, shift: float | None) -> Outcome:
    """Sizes that change with the numbers in arrays are known by a run only: those that stand in
    one (``np.zeros(shape)``), or follow from which are zero (``np.roots``, a rank); so are those
    that change with floats (``scipy.ndimage.zoom``)."""
    leaves = leaves_of((args, kwargs))
    kinds = {a.dtype.kind for a in leaves if a.is_array and a.dtype is not None}
    others: list[dict[str, Any]] = [{"shift": ZEROS_AT_ENDS}] * bool(kinds & {"f", "c"})
    others += [{"shift": shift, "raised": 1}] * bool(kinds & {"i", "u"})
    if any(a.kind in (Kind.FLOAT, Kind.SCALAR) and a.is_inexact for a in leaves):
        others += [{"shift": 1.0, "spread": 0.6}, {"shift": None}]
    for numbers in others if any(a.shape for a in result.avals) else ():
        try:
            other = describe(call(fn, args, kwargs, sizes, **numbers))
        except (ValueError, IndexError, ArithmeticError, RuntimeError, TypeError):
            continue  # they are indices, out of the domain, or have to fit other sizes
        if [a.ndim for a in other.avals] != [a.ndim for a in result.avals]:
            continue
        sizes_of = [(a.shape or (), b.shape or ()) for a, b in zip(result.avals, other.avals)]
        outcome = replace(outcome, avals=tuple(
            a if first == second or not a.shape else a.but(shape=tuple(
                d if m == n else placeholder(3000 + 40 * i + axis)
                for axis, (d, m, n) in enumerate(zip(a.shape, first, second))))
            for i, (a, (first, second)) in enumerate(zip(outcome.avals, sizes_of))))
    return outcome


def _not_empty(result: Result) -> int:
    """How many arrays of a result have elements: empty ones share memory with nothing."""
    return sum(0 not in (a.shape or ()) for a in result.avals)


def check_may_probe(fn: Callable[..., Any], structure: Any) -> None:
    """Refuse functions that are not known to be pure, and such as call back."""
    try:
        allowed = may_probe(fn)
    except TypeError:
        allowed = False
    if allowed and not any(found_in(structure, _USER_CALLABLES)):
        return
    raise UnsupportedOperation(
        f"{name_of(fn)} was called with traced values",
        why="it is not known to be a pure function of its arguments, so it cannot be tried out "
            "to learn what it returns",
        fix="write it in Python over NumPy, or wrap it with custom_vjp")


@functools.lru_cache(1024)
def _parameters(fn: Any) -> tuple[str, ...]:
    """The names of the positional parameters of a function of NumPy, of a method with its array."""
    if isinstance(getattr(fn, "__self__", None), np.ufunc):
        return {"reduce": ("array", "axis"), "accumulate": ("array", "axis"),
                "reduceat": ("array", "indices", "axis")}.get(fn.__name__, ())
    if isinstance(fn, Method):
        fn = getattr(np, fn.name, None)
    try:
        return tuple(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return ()


def _demand_settings(named: dict[str, Any], leaves: list[Aval]) -> None:
    wanted = [v for k, v in named.items() if k in _NUMBER_PARAMETERS]
    inside = leaves_of(wanted)
    if inside:
        raise Demand(tuple(i for i, a in enumerate(leaves) if any(a is w for w in inside)))


def dims_of(leaves: list[Aval]) -> list[Dim]:
    """Every size and symbolic number of the leaves, in order."""
    found: dict[Dim, None] = {}
    for aval in leaves:
        for d in aval.shape or ():
            found[d] = None
        if aval.expr is not None:
            found[aval.expr] = None
        if aval.elem is not None:
            found.update(dict.fromkeys(dims_of([aval.elem])))
    return list(found)


def _with_numbers(args: Any, kwargs: Any) -> tuple[Any, Any, dict[Atom, Dim]]:
    """Give integers of unknown value (and lists of unknown length) a symbol, and replace large
    static sizes by symbols; the last result maps those back."""
    back: dict[Atom, Dim] = {}
    large: dict[int, Poly] = {}
    counter, limit = 0, _LARGE

    def shrink(dim: Dim) -> Dim:
        if isinstance(dim, Poly) or dim <= limit:
            return dim
        if dim not in large:
            large[dim] = symbol("large", serial=dim)
            back[large[dim].atoms()[0]] = dim
        return large[dim]

    def change(aval: Aval) -> Aval:
        nonlocal counter, limit
        limit = _largest_kept(aval.shape or ())
        if aval.kind is Kind.LIST or (
                aval.expr is None and aval.kind in (Kind.INT, Kind.SCALAR)
                and aval.dtype is not None and aval.dtype.kind in "iu"):
            counter += 1
            elem = None if aval.elem is None else change(aval.elem)
            return aval.but(elem=elem, expr=placeholder(counter) if aval.expr is None
                            else shrink(aval.expr))
        if aval.shape and any(not isinstance(d, Poly) and d > limit for d in aval.shape):
            return aval.but(shape=tuple(map(shrink, aval.shape)))
        return aval

    return mapped(args, Aval, change), mapped(kwargs, Aval, change), back


def _largest_kept(shape: tuple[Dim, ...]) -> int:
    """Which static sizes of an array are kept in examples: small ones, of many axes very small
    ones."""
    static = [min(d, _LARGE) for d in shape if isinstance(d, int)]
    return _LARGE if math.prod(static) <= 1 << 16 else 4 if len(static) < 8 else 2


def _back(aval: Aval, back: dict[Atom, Dim]) -> Aval:
    shape = None if aval.shape is None else tuple(substitute(d, back) for d in aval.shape)
    return aval.but(shape=shape, expr=substitute(aval.expr, back))


Runs = tuple[list[dict[Atom, int]], list[Result], bool, float | None]


def _runs(fn: Callable[..., Any], args: Any, kwargs: Any, dims: list[Dim],
          leaves: list[Aval]) -> Runs:
    """Probe under several assignments with the usual numbers, else with others."""
    try:
        return _found(fn, args, kwargs, dims, leaves, 0.0)
    except np.exceptions.AxisError:
        raise
    except (ValueError, ArithmeticError, UnsupportedOperation) as first:
        for shift in SHIFTS[1:]:
            if _OF_AXES.search(str(first)):
                break
            try:
                return _found(fn, args, kwargs, dims, leaves, shift)
            except (ValueError, ArithmeticError, UnsupportedOperation):
                continue
        if isinstance(first, np.linalg.LinAlgError | ArithmeticError) and not (
                _OF_SHAPES.search(str(first))):
            raise UnsupportedOperation(
                f"{name_of(fn)}: no arguments were found that it accepts",
                why=f"called on made-up {', '.join(map(str, leaves))} it says: {first}",
                fix="write it in NumPy, or wrap it with srcgrad.custom_vjp") from first
        raise


_OF_AXES = re.compile(r"\bndim|[0-9]-?[dD]\b|\baxis|\baxes|\brank|truth value of an array")
_OF_SHAPES = re.compile(r"\bndim|[0-9]-?[dD]\b|\baxis|\baxes|\brank|square|dimensional|core dim")


def _found(fn: Callable[..., Any], args: Any, kwargs: Any, dims: list[Dim],
           leaves: list[Aval], shift: float | None) -> Runs:
    """Probe under several assignments, equating sizes where NumPy insists on it."""
    try:
        return _attempt(fn, args, kwargs, dims, {}, shift)
    except np.exceptions.AxisError:
        _demand_integers(leaves)
        raise
    except Exception as err:  # SciPy's wrappers raise error classes of their own
        if not any(isinstance(d, Poly) for d in dims):
            raise
        first = err
    shapes = [a.shape for a in leaves_of((args, kwargs)) if a.shape]

    def accepts(equations: Equations) -> bool:
        try:
            _attempt(fn, args, kwargs, dims, all_equated(equations), shift)
        except Exception:
            return False
        return True

    numbers = [*_SIZES_WANTED.get(name_of(fn), ()), *_small_numbers((args, kwargs))]
    numbers += [len(shape) for shape in shapes if len(shape) > 1]  # one setting for each axis
    numbers += [n - 1 for shape in shapes for n in shape if type(n) is int and n > 1]  # differences
    if name_of(fn) == "solve_banded" and _are_numbers(args[0]):
        numbers.insert(0, sum(args[0]) + 1)  # rows of diagonals
    of_rules = str(getattr(fn, "__module__", "")).startswith("srcgrad.rules")  # integers are sizes
    for equations, necessary in unifications(shapes, dims, numbers):
        solution = all_equated(equations)
        if not solution or not accepts(equations) or (
                not of_rules and _settles(solution, leaves, dims)):
            continue
        for equation in list(equations) if len(equations) > 2 else []:
            fewer = [e for e in equations if e is not equation]
            if all_equated(fewer) and accepts(fewer):
                equations = fewer
        return _attempt(fn, args, kwargs, dims, all_equated(equations), shift, necessary)
    _demand_integers(leaves)
    if not isinstance(first, ValueError | IndexError | RuntimeError):  # LinAlgError: a ValueError
        raise first
    try:  # sizes that differ in what it refuses only
        return _attempt(fn, args, kwargs, dims, {}, shift, apart=False)
    except Exception:
        pass
    if _RANKS.search(str(first)) and "length equal" not in str(first) and (
            _says(fn, args, kwargs, dims) == {str(first)}):
        raise first  # a mistake about ranks, whatever the sizes: the user's
    raise UnsupportedOperation(
        f"{name_of(fn)}: no sizes of its arguments were found that it accepts",
        why=f"called on {', '.join(map(str, leaves))} it says: {first}") from first


def _are_numbers(structure: Any) -> bool:
    return isinstance(structure, tuple | list) and all(type(n) is int for n in structure)


_RANKS = re.compile(r"dimension|\bndim|[0-9]-?[dD]\b|\baxis|\baxes|\brank")


def _says(fn: Callable[..., Any], args: Any, kwargs: Any, dims: list[Dim]) -> set[str]:
    """The messages of ``fn`` under all assignments of sizes."""
    found = set()
    for sizes in _sizes(leaves_of((args, kwargs)), dims, {})[0]:
        try:
            call(fn, args, kwargs, sizes)
        except Exception as err:
            found.add(str(err))
    return found


def _small_numbers(structure: Any) -> list[int]:
    """Static integers among the arguments, and lengths of lists and tuples, that a size may have
    to be equal to or a multiple of."""
    found: list[int] = []
    if isinstance(structure, tuple | list):
        if isinstance(structure, list):
            found.append(len(structure))
        found += [n for s in structure for n in _small_numbers(s)]
        if isinstance(structure, tuple) and all(isinstance(s, int | float) for s in structure):
            found.append(len(structure))
    elif isinstance(structure, dict):
        found += [n for s in structure.values() for n in _small_numbers(s)]
    elif isinstance(structure, np.ndarray):
        found += structure.shape
    elif type(structure) is int:
        found.append(structure)
    return [n for n in found if 2 <= n <= 32]


def _demand_integers(leaves: list[Aval]) -> None:
    symbolic = tuple(i for i, a in enumerate(leaves) if a.kind is Kind.INT)
    if symbolic:
        raise Demand(symbolic)


def _settles(solution: dict[Atom, Dim], leaves: list[Aval], dims: list[Dim]) -> bool:
    """Does it choose a number for an integer among the arguments?  NumPy insists on sizes; which
    number an integer is the program says."""
    known = {a for d in dims if isinstance(d, Poly) for a in symbols(d)}
    chosen = {a for a in known & solution.keys() if known.isdisjoint(symbols(solution[a]))}
    return any(a.kind is Kind.INT and isinstance(a.expr, Poly)
               and not chosen.isdisjoint(symbols(a.expr)) for a in leaves)


def _attempt(fn: Callable[..., Any], args: Any, kwargs: Any, dims: list[Dim],
             equal: dict[Atom, Dim], shift: float | None, necessary: bool = True,
             apart: bool = True) -> Runs:
    """Probe with sizes for which the symbols of ``equal`` have the values given there.
    ``apart``: sizes that only equal by chance are accepted for say nothing about others."""
    runs, results = [], []
    failure: Exception | None = None
    chosen, strict = _sizes(leaves_of((args, kwargs)), dims, equal)
    if name_of(fn) in _WITHOUT_TWO:
        chosen = [c for c in chosen if 2 not in c.values()]
    for sizes in chosen:
        sizes.update({atom: evaluate(value, sizes) for atom, value in equal.items()})
        try:
            results.append(describe(call(fn, args, kwargs, sizes, shift=shift)))
        except (ValueError, IndexError, RuntimeError) as err:
            if isinstance(err, np.exceptions.AxisError):
                raise
            failure = failure or err
            if strict:
                break
            continue
        runs.append(sizes)
    if failure is not None and (strict or len(runs) < 2 or (
            apart and not tells_apart(dims, runs, chosen))):
        raise failure  # it takes two runs to recognise a size
    return runs, results, necessary, shift


def _sizes(leaves: list[Aval], dims: list[Dim],
           equal: dict[Atom, Dim]) -> tuple[list[dict[Atom, int]], bool]:
    """Assignments of sizes, and whether all of them have to be accepted."""
    shapes = [a.shape for a in leaves if a.shape]
    if equal:
        dims = [substitute(d, equal) for d in dims]
        named = {a for d in dims if isinstance(d, Poly) for a in symbols(d)}
        dims += [of_atom(a) for value in equal.values() if isinstance(value, Poly)
                 for a in symbols(value) if a not in named]  # they cancel in all sums
        shapes = [tuple(substitute(d, equal) for d in s) for s in shapes]
    usual = assignments(dims)
    few = few_elements(dims, shapes, usual)
    return ([dict(a) for a in usual], False) if few is None else (few, True)


def _alike(results: list[Result]) -> bool:
    first = results[0]
    return all(
        r.many == first.many and len(r.avals) == len(first.avals)
        and all(a.kind is b.kind and a.ndim == b.ndim and same_dtype(a.dtype, b.dtype)
                for a, b in zip(r.avals, first.avals))
        for r in results[1:])


def _unlike(results: list[Result], leaves: list[Aval]) -> Outcome:
    """Results whose number, rank or kind depends on sizes."""
    _demand_integers(leaves)
    counts = {len(r.avals) for r in results}
    if all(r.many for r in results) and len(counts) == 1:
        columns = [functools.reduce(_join_ranked, c) for c in zip(*(r.avals for r in results))]
        return Outcome(tuple(columns), True, results[0].container, *fresh_results(len(columns)))
    if all(r.many for r in results):
        if any(kind != "fresh" for r in results for kind, _ in r.relations):
            raise UnsupportedOperation(
                "a list of views whose length is only known at run time",
                why="a write to one of them, or to their base, could not be followed",
                fix="index the array in a loop instead")
        elem: Aval | None = None
        for aval in (a for r in results for a in r.avals):
            elem = aval if elem is None else _join_ranked(elem, aval)
        return Outcome((list_of(elem),))
    joined = results[0].avals[0]
    for r in results[1:]:
        joined = join(joined, r.avals[0])
    return Outcome((joined,))


def _join_ranked(a: Aval, b: Aval) -> Aval:
    if a.kind is b.kind is Kind.ARRAY and a.ndim == b.ndim and same_dtype(a.dtype, b.dtype):
        assert a.shape is not None and b.shape is not None
        return a.but(shape=tuple(x if x == y else placeholder(500 + i)
                                 for i, (x, y) in enumerate(zip(a.shape, b.shape))))
    return join(a, b).but(expr=None)


def _outcome(results: list[Result], matcher: Matcher) -> Outcome:
    unknown: dict[tuple[int, ...], Dim] = {}

    def size(seen: list[int]) -> Dim:
        found = matcher.identify(seen)
        if found is not None:
            return found
        key = tuple(seen)
        if not matcher.necessary:  # sizes may differ that these runs made equal
            key = (*key, -len(unknown))
        if key not in unknown:
            unknown[key] = placeholder(2000 + len(unknown))
        return unknown[key]

    avals = []
    for position, aval in enumerate(results[0].avals):
        across = [r.avals[position] for r in results]
        if aval.kind is Kind.ARRAY:
            shapes = [a.shape or () for a in across]
            aval = aval.but(shape=tuple(size(list(seen)) for seen in zip(*shapes)))
        elif aval.kind is Kind.LIST:
            elem = across[0].elem
            for other in across[1:]:
                if elem is not None and other.elem is not None:
                    elem = _join_ranked(elem, other.elem)
            aval = list_of(None if elem is None else elem.but(expr=None))
        elif aval.expr is not None:
            aval = aval.but(expr=None)
        avals.append(aval)
    first = results[0]
    return Outcome(tuple(avals), first.many, first.container)


def _relations(fn: Callable[..., Any], args: Any, kwargs: Any, sizes: dict[Atom, int],
               result: Result, shift: float | None) -> list[tuple[Any, int | None]]:
    """How the outputs share memory with the inputs, over several memory layouts."""
    if not any(a.kind is Kind.ARRAY for a in result.avals):
        return [("fresh", None)] * len(result.avals)
    if all(r[0] == "fresh" for r in result.relations) and name_of(fn) not in _LAYOUT_DEPENDENT:
        return list(result.relations)
    seen = [[r] for r in result.relations]
    for layout in ("F", "gaps"):
        other = describe(call(fn, args, kwargs, sizes, layout, shift))
        for position, r in enumerate(other.relations):
            seen[position].append(r)
    return [merge_relations(s) for s in seen]
