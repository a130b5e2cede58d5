"""What random draws return: their types, from the name of the draw and its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph.infer import infer
from ...types.dataclasses import dataclass
from ...types.kinds import OPAQUE, Aval, Kind, array, python_scalar, scalar
from ..collaborator import Args, Kwargs
from .tracers import ArrayTracer, contains_tracer, is_tracer

# where `size` stands among the positional arguments
_SIZE_PLACES = {
    "random": 0, "random_sample": 0, "standard_normal": 0, "ranf": 0, "sample": 0,
    "standard_exponential": 0, "standard_cauchy": 0, "tomaxint": 0, "exponential": 1,
    "poisson": 1, "rayleigh": 1, "chisquare": 1, "standard_t": 1, "standard_gamma": 1,
    "geometric": 1, "weibull": 1, "pareto": 1, "power": 1, "zipf": 1, "logseries": 1, "normal": 2,
    "uniform": 2, "randint": 2, "integers": 2, "random_integers": 2, "binomial": 2, "beta": 2,
    "gamma": 2, "laplace": 2, "logistic": 2, "lognormal": 2, "gumbel": 2, "vonmises": 2,
    "wald": 2, "f": 2, "noncentral_chisquare": 2, "negative_binomial": 2, "noncentral_f": 3,
    "triangular": 3, "hypergeometric": 3}

_INTEGERS = frozenset({"randint", "integers", "random_integers", "poisson", "binomial", "geometric",
                       "hypergeometric", "negative_binomial", "zipf", "logseries", "tomaxint"})

# settings beside the parameters of a distribution
_SETTINGS = frozenset({"size", "dtype", "out", "endpoint", "method", "check_valid", "tol"})


@dataclass(frozen=True, slots=True)
class VectorDraw:
    """A distribution over vectors: its parameters in order, the one that has the length of a
    drawn vector, and the dtype of what is drawn."""

    names: tuple[str, ...]
    vector: str
    dtype: type

    def bound(self, args: Args, kwargs: Kwargs) -> dict[str, Any]:
        return {**dict(zip((*self.names, "size"), args)), **kwargs}


_VECTORS = {
    "dirichlet": VectorDraw(("alpha",), "alpha", np.float64),
    "multivariate_normal": VectorDraw(("mean", "cov"), "mean", np.float64),
    "multinomial": VectorDraw(("n", "pvals"), "pvals", np.int64),
    "multivariate_hypergeometric": VectorDraw(("colors", "nsample"), "colors", np.int64)}


def draw_aval(machine: Any, name: str, args: Args, kwargs: Kwargs) -> Aval | None:
    """The type of what a method of NumPy's generators of random numbers returns."""
    if name in ("seed", "shuffle", "set_state"):
        return None
    if name in _VECTORS:
        return _vector_aval(machine, _VECTORS[name], args, kwargs)
    if name in ("permutation", "permuted"):
        return _permutation_aval(name, args)
    if name == "choice":
        return _choice_aval(machine, args, kwargs)
    if name in ("rand", "randn"):
        sizes = tuple(a for a in args if type(a) is not np.random.RandomState)
        return array(np.float64, _dims(machine, sizes)) if sizes else python_scalar(Kind.FLOAT)
    if name not in _SIZE_PLACES:
        return OPAQUE
    dtype = np.dtype(kwargs.get("dtype", np.int64 if name in _INTEGERS else np.float64))
    place = _SIZE_PLACES[name]
    size = kwargs.get("size", args[place] if len(args) > place else None)
    if size is not None:
        return array(dtype, _dims(machine, size))
    given = [*args[:place], *(v for k, v in kwargs.items() if k not in _SETTINGS)]
    shape = _broadcast(given)
    return array(dtype, shape) if shape else _number(name, kwargs.get("dtype"))


def _number(name: str, dtype: Any) -> Aval:
    """The type of a single number: a Python one but for integers of a dtype that is asked for."""
    if name not in _INTEGERS:
        return python_scalar(Kind.FLOAT)
    if dtype is int or (dtype is None and name not in ("integers", "random_integers")):
        return python_scalar(Kind.INT)
    if dtype is bool:
        return OPAQUE
    return scalar(np.int64 if dtype is None else dtype)


def _dims(machine: Any, size: Any) -> tuple[Any, ...]:
    """The sizes that ``size=`` gives, as sizes of an array type."""
    if is_tracer(size) and size.aval.kind is Kind.ARRAY:
        return tuple(machine.fresh("k") for _ in range(size.aval.shape[0]))
    sizes = size if isinstance(size, (tuple, list)) else (size,)
    dims = []
    for s in sizes:
        expr = s.aval.expr if is_tracer(s) else int(s)
        dims.append(machine.fresh("k") if expr is None else expr)
    return tuple(dims)


def _shape(value: Any) -> tuple[Any, ...]:
    if type(value) is ArrayTracer:
        return value.aval.shape or ()
    if isinstance(value, (list, tuple)) and value:
        return (len(value), *_shape(value[0]))
    return value.shape if isinstance(value, np.ndarray) else ()


def _broadcast(values: list[Any]) -> tuple[Any, ...]:
    """The shape that numbers, arrays and lists have together."""
    shapes = [s for s in map(_shape, values) if s]
    found: tuple[Any, ...] = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        outcome = infer(np.add, (array(np.float64, found), array(np.float64, shape)), {})
        found = outcome.avals[0].shape or ()
    return found


def _vector_aval(machine: Any, draw: VectorDraw, args: Args, kwargs: Kwargs) -> Aval:
    given = draw.bound(args, kwargs)
    shape = _shape(given[draw.vector])
    lead: tuple[Any, ...] = shape[:-1]
    if not shape:
        return OPAQUE
    if given.get("size") is not None:
        lead = _dims(machine, given["size"])
    elif draw.vector == "pvals":
        empty = array(np.float64, shape[:-1])
        count = array(np.float64, _shape(given["n"]))
        lead = infer(np.add, (count, empty), {}).avals[0].shape or ()
    return array(draw.dtype, (*lead, shape[-1]))


def _permutation_aval(name: str, args: tuple[Any, ...]) -> Aval:
    first: Any = args[0] if args else None
    if type(first) is ArrayTracer:
        return first.aval
    if name == "permutation" and (type(first) is int or is_tracer(first)):
        return array(np.int64, (first if type(first) is int else first.aval.expr,))
    return OPAQUE


def _choice_aval(machine: Any, args: Args, kwargs: Kwargs) -> Aval:
    """The type of a choice from an array, or of a choice of places."""
    first = kwargs.get("a", args[0] if args else None)
    size = kwargs.get("size", args[1] if len(args) > 1 else None)
    places = type(first) is int or (is_tracer(first) and type(first) is not ArrayTracer)
    items = first.aval if type(first) is ArrayTracer else None
    if isinstance(first, (list, tuple, np.ndarray)) and not contains_tracer(first):
        known = np.asarray(first)
        items = array(known.dtype, known.shape) if known.dtype.kind in "biufc" else None
    if places:
        return python_scalar(Kind.INT) if size is None else array(np.int64, _dims(machine, size))
    if items is None or items.dtype is None or items.shape is None or (
            kwargs.get("axis", 0) not in (0, None)):
        return OPAQUE
    rest = items.shape[1:]
    lead: tuple[Any, ...] = () if size is None else _dims(machine, size)
    if not lead + rest:
        return scalar(items.dtype) if size is None else array(items.dtype, ())
    return array(items.dtype, lead + rest)
