"""What functions of SciPy mean while tracing.

SciPy's functions that have no rule are staged like other Python code.  What only serves array
libraries other than NumPy, or makes code from text, is replaced here: by name, so that SciPy is
never imported for it.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import SrcgradError, UnsupportedOperation
from ....rules.book import lookup
from ....types.public_names import advice, public_name
from ...calls.handlers import inlined
from ...calls.library_errors import is_of_scipy
from ...record.tracers import ArrayTracer, is_tracer
from .compiled import compiled
from .solvers import calls_back
from .sparse import is_constant as is_constant
from .sparse_functions import binary as binary
from .sparse_functions import constant_method as constant_method
from .sparse_functions import handler_of as of_sparse
from .sparse_functions import of_numpy
from .sparse_steps import class_of as class_of
from .sparse_steps import value_in as value_in
from .statistics import WRAPPER, sample_statistic
from .written import into_output

Handler = Callable[..., Any]
STAGED = frozenset({__name__, "srcgrad.trace.libraries.scipy.compiled",
                    *(f"srcgrad.trace.libraries.scipy.sparse{part}"
                      for part in ("", "_filled", "_functions", "_steps")),
                    "srcgrad.trace.libraries.scipy.statistics",
                    "srcgrad.trace.libraries.scipy.written"})


def array_namespace(machine: Any, *arrays: Any, **options: Any) -> Any:
    """The array library of the arguments is NumPy."""
    return np


def is_writeable_array(machine: Any, x: Any) -> bool:
    """Arrays are written to in place, numbers are not."""
    return isinstance(x, (ArrayTracer, np.ndarray))


def xp_promote(machine: Any, *args: Any, broadcast: bool = False, **options: Any) -> Any:
    """One array (the others are None) has no other's shape, which SciPy asks for with a set of
    shapes: what is in a set depends on data where sizes do."""
    function = sys.modules["scipy._lib._array_api"].xp_promote
    return machine.calls.inline(function, args, {
        **options, "broadcast": broadcast and sum(a is not None for a in args) > 1})


def freeze(self: Any, dist: Any, *args: Any, **kwds: Any) -> None:
    """``rv_frozen.__init__``: the distribution is shared, as it is not changed."""
    self.args = args
    self.kwds = kwds
    self.dist = dist
    shapes, _, _ = dist._parse_args(*args, **kwds)
    self.a, self.b = dist._get_support(*shapes)


def ppf(self: Any, q: Any, *args: Any, **kwds: Any) -> Any:
    """``rv_continuous.ppf``."""
    return _quantile(self, self._ppf, 0, 1, q, args, kwds)


def isf(self: Any, q: Any, *args: Any, **kwds: Any) -> Any:
    """``rv_continuous.isf``."""
    return _quantile(self, self._isf, 1, 0, q, args, kwds)


def _quantile(self: Any, standard: Any, first: int, last: int, q: Any, args: Any, kwds: Any) -> Any:
    """SciPy's formulas, but that infinite bounds are not multiplied with the scale, which would
    make its derivative NaN."""
    args, loc, scale = self._parse_args(*args, **kwds)
    q, loc, scale = np.asarray(q), np.asarray(loc), np.asarray(scale)
    args = tuple([np.asarray(a) for a in args])
    low, high = self._get_support(*args)
    valid = self._argcheck(*args) & (scale > 0) & (loc == loc)
    inside = np.asarray(valid & (q > 0) & (q < 1), dtype=bool)
    output = np.full(np.shape(inside), self.badvalue)
    for place, bound in ((first, low), (last, high)):
        met = np.asarray(valid & (q == place), dtype=bool)
        if type(bound) is float and np.isinf(bound):
            output = np.where(met, bound, output)
        else:
            output = np.where(met, bound * scale + loc, output)
    if np.any(inside):
        shape = np.shape(inside)
        chosen = [np.broadcast_to(a, shape)[inside] for a in (q, *args)]
        scale, loc = np.broadcast_to(scale, shape)[inside], np.broadcast_to(loc, shape)[inside]
        output[inside] = standard(*chosen) * scale + loc
    return output[()] if output.ndim == 0 else output


def rvs(machine: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
    """``rv_generic.rvs`` from the distribution's own generator."""
    if kwargs.get("random_state") is not None:
        raise machine.recorder.fatal(UnsupportedOperation(
            f"{self.name}.rvs with random_state= and traced parameters",
            why="the generator would be made while compiling, not at each call",
            fix="draw with a numpy.random.Generator, and move and scale what it draws"))
    original = sys.modules["scipy.stats._distn_infrastructure"].rv_generic.rvs
    return machine.calls.inline(original, (self, *args), kwargs)


class FrozenNormal:
    """``scipy.stats.multivariate_normal(mean, cov)``."""

    def __init__(self, dist: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False,
                 seed: Any = None, **options: Any) -> None:
        self.dist, self.mean, self.cov = dist, mean, cov
        self.allow_singular = allow_singular

    def logpdf(self, x: Any) -> Any:
        return self.dist.logpdf(x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x: Any) -> Any:
        return self.dist.pdf(x, self.mean, self.cov, self.allow_singular)

    def entropy(self) -> Any:
        return self.dist.entropy(self.mean, self.cov)

    def rvs(self, size: Any = 1, random_state: Any = None) -> Any:
        return self.dist.rvs(self.mean, self.cov, size, random_state)


def over_batch(wrapper: Any) -> Handler:
    """SciPy's decorator that calls a function of matrices for each matrix of a stack."""
    parts = inspect.getclosurevars(wrapper).nonlocals
    function, names, ranks = parts["f"], parts["names"], parts["ndims"]

    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        arrays = list(args[:len(names)])
        arrays += [kwargs.pop(name) for name in names[len(arrays):] if name in kwargs]
        arrays = [a if a is None else machine.call(np.asarray, a) for a in arrays]
        for array, rank in zip(arrays, ranks):
            most = 2 if rank == "1|2" else rank
            if array is not None and len(_shape_of(array)) > most:
                return machine.calls.inline(wrapper, (*arrays, *args[len(names):]), kwargs)
        return machine.call(function, *arrays, *args[len(names):], **kwargs)

    return handler


def _shape_of(array: Any) -> tuple[Any, ...]:
    shape: tuple[Any, ...] = (array.aval.shape if is_tracer(array) else np.shape(array)) or ()
    return shape


def toeplitz(c: Any, r: Any = None) -> Any:
    """``scipy.linalg.toeplitz`` of vectors."""
    c = np.ravel(c)
    r = np.conj(c) if r is None else np.ravel(r)
    values = np.concatenate((c[::-1], r[1:]))
    return values[len(c) - 1 - np.arange(len(c))[:, None] + np.arange(len(r))]


def hankel(c: Any, r: Any = None) -> Any:
    """``scipy.linalg.hankel`` of vectors."""
    c = np.ravel(c)
    r = np.zeros_like(c) if r is None else np.ravel(r)
    values = np.concatenate((c, r[1:]))
    return values[np.arange(len(c))[:, None] + np.arange(len(r))]


def circulant(c: Any) -> Any:
    """``scipy.linalg.circulant`` of a vector."""
    return c[(np.arange(len(c))[:, None] - np.arange(len(c))) % len(c)]


def squareform(machine: Any, X: Any, force: str = "no", checks: bool = True) -> Any:
    """The size of a matrix of distances follows from the number of pairs."""
    if type(X) is ArrayTracer and X.aval.ndim == 1 and force == "no":
        return machine.calls.inline(square_of_pairs, (X,), {})
    return machine.library_calls.call_library(sys.modules["scipy.spatial.distance"].squareform, (X,
                                              ),
                                {"force": force, "checks": checks})


def square_of_pairs(pairs: Any) -> Any:
    """``squareform`` of a vector."""
    size = int(np.ceil(np.sqrt(len(pairs) * 2)))
    if size * (size - 1) != len(pairs) * 2:
        raise ValueError("Incompatible vector size. It must be a binomial coefficient n choose 2 "
                         "for some integer n >= 2.")
    rows, columns = np.triu_indices(size, 1)
    square = np.zeros((size, size), pairs.dtype)
    square[rows, columns] = pairs
    square[columns, rows] = pairs
    return square


def of_vectors(original: str, helper: Any) -> Handler:
    """A helper for vectors; stacks of them are left to SciPy's own code."""
    def handler(machine: Any, *args: Any, **kwargs: Any) -> Any:
        given = [machine.call(np.asarray, a) for a in (*args, *kwargs.values()) if a is not None]
        if any(len(_shape_of(a)) > 1 for a in given):
            function = getattr(sys.modules["scipy.linalg"], original)
            return over_batch(function)(machine, *args, **kwargs)
        return machine.calls.inline(helper, args, kwargs)

    return handler


def find_peaks(machine: Any, x: Any, height: Any = None, **settings: Any) -> Any:
    """``scipy.signal.find_peaks``: the places have no derivative, the heights are those of x."""
    from ....rules.scipy.signal import is_peak  # an optional partner

    if height is not None:
        settings["height"] = height
    x = machine.call(np.asarray, x)
    found = machine.call(np.flatnonzero, machine.library_calls.call_library(is_peak, (x, settings),
        {}))
    heights = {} if height is None else {"peak_heights": machine.getitem(x, found)}
    return found, machine.keys.made(heights)


OVER_BATCH = "_apply_over_batch.<locals>.decorator.<locals>.wrapper"
PARSERS = frozenset({"_parse_args", "_parse_args_rvs", "_parse_args_stats"})


def handler_of(function: Any) -> Handler | None:
    """What stands for a function of SciPy, None for all others."""
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, (type, types.FunctionType)) and (
            module.startswith(("scipy.sparse.", "scipy._lib._sparse"))):
        return of_sparse(function, calls_back(function))
    if type(function) is not types.FunctionType:
        return compiled(function) if is_of_scipy(function) else None
    if not module.startswith("scipy."):
        if function.__name__ in PARSERS and "scipy.stats" in sys.modules and (
                function.__code__.co_filename.startswith("<")):
            return lambda machine, *args, **kwargs: function(*args, **kwargs)  # puts them in order
        return None
    if module.startswith("scipy.ndimage."):
        return into_output(function)
    if (solver := calls_back(function)) is not None:
        return solver
    found = HANDLED.get((module, function.__qualname__)) or compiled(function)
    if found is not None or lookup(function) is not None:
        return found
    if function.__code__.co_qualname == WRAPPER:
        return sample_statistic(function)
    if function.__code__.co_qualname == OVER_BATCH:
        return over_batch(function)
    return None


def shared_method(function: types.MethodType) -> types.MethodType | None:
    """The same method of SciPy's own instance of a distribution, if that has a rule (a frozen
    distribution holds an instance of its own)."""
    dist: Any = function.__self__
    stats = sys.modules.get("scipy.stats")
    if stats is None or not (type(dist).__module__ or "").startswith("scipy.stats."):
        return None
    own = getattr(stats, getattr(dist, "name", None) or "", None)
    if own is None or own is dist or type(own) is not type(dist):
        return None
    method: types.MethodType = getattr(own, function.__name__)
    same = (own.a, own.b) == (dist.a, dist.b)
    return method if same and lookup(method) is not None else None


def holds_arrays(obj: Any) -> bool:
    """Is the object one of SciPy's interpolators, whose arrays are read at every call?"""
    return (type(obj).__module__ or "").startswith("scipy.interpolate.")


def rotation_of_matrix(machine: Any, matrix: Any, assume_valid: bool = False) -> Any:
    """``from_matrix`` in Python, which up to three axes stands for compiled code: that makes the
    matrix orthogonal in a copy."""
    original = sys.modules["scipy.spatial.transform._rotation_xp"].from_matrix
    own = matrix if matrix.ndim > 3 else machine.call(np.array, matrix)
    return machine.calls.inline(original, (own, assume_valid), {})


UNDECIDED = frozenset({"tf2ss", "ss2tf", "tf2sos", "cheby2", "ellip", "firls", "expm_cond",
                       "fiedler_companion", "null_space"})
INTEGRATORS = frozenset({"ode", "complex_ode", "Radau", "BDF", "LSODA"})


def refusal(function: Any, args: Any, with_traced: bool) -> SrcgradError | None:
    """The refusal of a function by its public name, None for others."""
    if not is_of_scipy(function):
        return of_numpy(function, args)
    is_class, name = isinstance(function, type), getattr(function, "__name__", "")
    if not (name in UNDECIDED if with_traced else is_class and name in INTEGRATORS):
        return None
    name = public_name(function)
    return UnsupportedOperation(
        f"{name} was called in a function that is differentiated, with what depends on its "
        "arguments",
        why="its source takes decisions on numbers that are not known while compiling",
        fix=advice(name))


HANDLED: dict[tuple[str, str], Handler] = {
    ("scipy._lib._array_api_override", "array_namespace"): array_namespace,
    ("scipy._lib._array_api", "array_namespace"): array_namespace,
    ("scipy._lib._array_api", "xp_promote"): xp_promote,
    **{(f"scipy.{place}.array_api_compat.common._helpers", name): handler
       for place in ("_lib", "_external")  # until SciPy 1.17, and from 1.18 on
       for name, handler in (("array_namespace", array_namespace),
                             ("is_writeable_array", is_writeable_array))},
    ("scipy.stats._distn_infrastructure", "rv_frozen.__init__"): inlined(freeze),
    ("scipy.stats._distn_infrastructure", "rv_generic.rvs"): rvs,
    ("scipy.stats._distn_infrastructure", "rv_continuous.ppf"): inlined(ppf),
    ("scipy.stats._distn_infrastructure", "rv_continuous.isf"): inlined(isf),
    ("scipy.linalg._special_matrices", "toeplitz"): of_vectors("toeplitz", toeplitz),
    ("scipy.linalg._special_matrices", "hankel"): of_vectors("hankel", hankel),
    ("scipy.linalg._special_matrices", "circulant"): of_vectors("circulant", circulant),
    ("scipy.spatial.distance", "squareform"): squareform,
    ("scipy.spatial.transform._rotation_xp", "from_matrix"): rotation_of_matrix,
    ("scipy.signal._peak_finding", "find_peaks"): find_peaks,
    ("scipy.stats._multivariate", "multivariate_normal_gen.__call__"):
        lambda machine, *args, **kwargs: machine.construction.construct(FrozenNormal, args, kwargs),
}
