"""Which functions may be probed: pure ones, known to be free of effects and random draws."""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types.quotients import quotient, raised_to
from ..types.spelling import At, Attribute, Method, Part

_PURE_BUILTINS: frozenset[Any] = frozenset({
    abs, bool, complex, divmod, float, int, len, max, min, pow, round, sum, all, any, str, repr,
    list, tuple, sorted, reversed, isinstance, range, slice, format, hash, builtins.zip,
    enumerate, quotient, raised_to,
})
_IMPURE_NUMPY = frozenset({
    "load", "save", "savez", "savez_compressed", "savetxt", "loadtxt", "genfromtxt", "fromfile",
    "fromregex", "memmap", "set_printoptions", "seterr", "seterrcall", "setbufsize", "show_config",
    "show_runtime", "info", "test", "vectorize", "frompyfunc", "apply_along_axis",
    "apply_over_axes", "piecewise", "fromfunction", "open_memmap", "errstate", "printoptions",
    "fromiter", "from_dlpack", "nditer", "copyto", "put", "place", "putmask", "fill_diagonal",
    "put_along_axis", "shuffle",
})
_IMPURE_METHODS = frozenset({
    "tofile", "dump", "dumps", "setflags", "resize", "sort", "partition", "fill", "put", "setfield",
    "itemset", "byteswap", "__setitem__", "__dlpack__",
})
# Attributes that tell of memory, not of values, or give another way to write.
_MEMORY = frozenset({"flat", "base", "flags", "strides", "ctypes", "data",
                     "__array_interface__"})
_PURE_SCIPY = ("scipy.special", "scipy.linalg", "scipy.fft", "scipy.signal", "scipy._lib",
               "scipy._external.array_api", "scipy.ndimage", "scipy.stats", "scipy.sparse",
               "scipy.interpolate", "scipy.spatial", "scipy.integrate")


_DECLARED: set[Any] = set()


def declare_pure(fn: Callable[..., Any]) -> None:
    """Let ``fn`` be called on examples."""
    _DECLARED.add(fn)


def may_probe(fn: Callable[..., Any]) -> bool:
    """Is ``fn`` known to be a pure function of its arguments?

    >>> may_probe(np.exp), may_probe(np.random.rand), may_probe(print)
    (True, False, False)
    """
    return fn in _DECLARED or _is_known(fn)


@functools.cache
def _is_known(fn: Callable[..., Any]) -> bool:
    if isinstance(fn, Part | At):
        return may_probe(fn.fn)
    if isinstance(fn, Attribute):
        return fn.name not in _MEMORY
    if isinstance(fn, np.ufunc):  # those of np.frompyfunc call back
        return any("O" not in kinds for kinds in fn.types)
    if isinstance(fn, Method):
        return fn.name not in _IMPURE_METHODS
    if fn in _PURE_BUILTINS:
        return True
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return getattr(fn, "__name__", "") != "at"
    if isinstance(fn, np.vectorize) or isinstance(
            owner, np.random.Generator | np.random.RandomState):
        return False
    if isinstance(fn, type):
        return issubclass(fn, np.generic | np.dtype) or fn in (np.ndarray,)
    module = getattr(fn, "__module__", None) or getattr(type(fn), "__module__", "") or ""
    name = getattr(fn, "__name__", "")
    if module in (math.__name__, "cmath", "statistics", operator.__name__, "_operator"):
        return True
    if module == "numpy" or module.startswith("numpy."):
        return not module.startswith("numpy.random") and name not in _IMPURE_NUMPY
    if module.startswith("srcgrad.rules"):
        return True
    # compiled helpers of SciPy write into buffers that they are given
    return module.startswith(_PURE_SCIPY) and not any(
        word in type(fn).__name__ for word in ("builtin_function", "cython_function"))


def writes_to_argument(fn: Callable[..., Any], args: tuple[Any, ...],
                       kwargs: dict[str, Any]) -> str | None:
    """The option by which a call writes into one of its arguments, None if it does not."""
    if kwargs.get("out") is not None:
        return "out="
    if kwargs.get("overwrite_input"):
        return "overwrite_input=True"
    if fn is np.nan_to_num and False in (kwargs.get("copy"), *args[1:2]):
        return "copy=False"
    for name in ("overwrite_a", "overwrite_b", "overwrite_x", "overwrite_data"):
        if kwargs.get(name):
            return f"{name}=True"
    if isinstance(fn, np.ufunc) and len(args) > fn.nin:
        return "an output given by position"
    return None
