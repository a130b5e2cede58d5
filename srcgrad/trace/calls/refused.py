"""What a traced function may not call, said in the words of what was called.

Most refusals come from where a construct or an operation fails to be traced.  These functions
would fail late, deep inside of library code, or not at all: arrays that are not plain numeric
ones, exact arithmetic, weak references, objects with finalizers, files and processes.
"""

from __future__ import annotations

import decimal
import fractions
import functools
import types
import weakref
from typing import Any

import numpy as np

from ...errors import SrcgradError, UnsupportedOperation, UnsupportedType
from ..libraries import registry as libraries
from ..record.tracers import contains_tracer, is_tracer

WEAK: frozenset[Any] = frozenset({weakref.ref, weakref.proxy, weakref.finalize, weakref.WeakMethod,
                  weakref.WeakKeyDictionary, weakref.WeakValueDictionary, weakref.WeakSet})
EXACT: frozenset[Any] = frozenset({decimal.Decimal, fractions.Fraction})
# Questions about masks, which traced arrays have none of.
PREDICATES: frozenset[Any] = frozenset({np.ma.isMaskedArray, np.ma.is_masked, np.ma.getmask,
                                        np.ma.getdata})
WORKERS = frozenset({"Thread", "Timer", "Pool", "ThreadPool", "Process", "ThreadPoolExecutor",
                     "ProcessPoolExecutor"})
LIBRARIES = frozenset({"torch", "jax", "jaxlib", "tensorflow", "cupy", "pandas", "polars",
                       "xarray", "dask"})  # whose arrays are not NumPy's
OUTWARD = frozenset({"ctypes", "multiprocessing", "concurrent", "asyncio", "socket", "_socket",
                     "sqlite3", "_sqlite3", "array", "threading", "_thread"})
# Functions of SciPy whose source takes decisions on traced values that cannot be followed.
EFFECTS = frozenset({"json", "pickle", "_pickle", "marshal", "struct", "_struct", "csv", "_csv",
                     "subprocess", "shutil", "tempfile", "logging", "pprint", "urllib", "http",
                     "matplotlib"})


def refusal(function: Any, args: Any, kwargs: Any) -> SrcgradError | None:
    """The error for a call that is refused whatever the rest of the program; None for others."""
    if (error := libraries.refusal(function, args, False)) is not None:
        return error
    if not isinstance(function, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        return _of_object(function, args, kwargs)
    module = (getattr(function, "__module__", None) or "").split(".")[0]
    if module in ("threading", "multiprocessing", "concurrent") and (
            getattr(function, "__name__", "") in WORKERS):
        return UnsupportedOperation(
            f"{function.__name__} in a traced function",
            why="threads and processes would start while the code is generated, not at each call",
            fix="write a loop; generated code may be called in several threads at once")
    if function is functools.cmp_to_key:
        return UnsupportedOperation(
            "functools.cmp_to_key in a traced function",
            why="the order would have to be known while compiling",
            fix="sort by a number: sorted(items, key=...)")
    if function in WEAK:
        return UnsupportedOperation(
            f"weak references ({function.__name__}) in a traced function",
            why="when an object dies depends on the interpreter, and generated code keeps other "
                "objects alive than the program does",
            fix="keep an ordinary reference, or take the bookkeeping out of the function")
    if isinstance(function, type) and _has_finalizer(function):
        return UnsupportedOperation(
            f"an instance of {function.__name__}, which has a __del__ method, is made in a "
            "traced function",
            why="the instance lives while the code is generated, not at each call, so its "
                "finalizer would run at another time or not at all",
            fix="use a context manager (with ...), or make the instance outside and pass it in")
    if not (contains_tracer(args) or contains_tracer(kwargs)):
        return None
    return _with_traced(function, args, kwargs)


def too_deep(function: types.FunctionType, depth: int) -> SrcgradError:
    """The error for calls that take more of Python's stack than there is."""
    return UnsupportedOperation(
        f"calls nested deeper than {depth} at {function.__qualname__!r}",
        why="every call is inlined into the generated code", fix="write the recursion as a loop")


def too_long(most: int) -> SrcgradError:
    """The error for programs whose recording has no bound that a machine could hold."""
    return UnsupportedOperation(
        f"a program of more than {most:,} operations",
        why="loops over what is known while compiling are unrolled, and what is done on several "
            "paths is recorded for each: memory and time would have no bound",
        fix="loop over an array or a range whose length is not known while compiling, or make the "
            "function smaller")


def of_method(obj: Any, name: str, args: Any, kwargs: Any) -> SrcgradError | None:
    """The error for a method of a traced array that is refused by name."""
    if name == "setflags":
        return UnsupportedOperation(
            "setflags of a traced array", why="it changes the array object, not its numbers",
            fix="leave it out, or set the flags of the array before the call")
    wanted = kwargs.get("dtype", args[0] if args else None)
    if name in ("astype", "view") and not is_tracer(wanted) and not (
            isinstance(wanted, type) and issubclass(wanted, np.ndarray)):
        error = _other_dtype(np.asarray, (), {"dtype": wanted})
        if error is not None:
            return error
    if name == "view" and isinstance(wanted, type) and issubclass(wanted, np.ndarray) and (
            wanted is not np.ndarray):
        return UnsupportedType(
            f"a view of an array as the class {wanted.__name__}",
            why="its methods and operators are not followed: results would be plain arrays",
            fix="keep the array in an attribute of an ordinary class, or write functions of it")
    if name == "view" and wanted is not None and obj.aval.dtype is not None and not is_tracer(
            wanted) and not (isinstance(wanted, type) and issubclass(wanted, np.ndarray)):
        new = np.dtype(wanted)
        if obj.aval.dtype.kind == "f" and new.kind == "c":
            return UnsupportedOperation(
                f"a view of an array of {obj.aval.dtype} as {new}",
                why="it puts two numbers into one", fix="write x[..., ::2] + 1j * x[..., 1::2]")
        if obj.aval.dtype.kind == "f" and (new.kind in "iu" or (
                new.kind == "f" and new.itemsize != obj.aval.dtype.itemsize)):
            return UnsupportedOperation(
                f"a view of an array of {obj.aval.dtype} as {new}",
                why="it reads parts of the numbers' bits, which have no derivative",
                fix=f"use x.astype(np.{new})")
    return None


def foreign(obj: Any) -> SrcgradError | None:
    """The error for an array object of another library; None for other things."""
    module = type(obj).__module__ or ""
    eager = hasattr(type(obj), "__srcgrad_bridge__")
    if not eager and module.split(".")[0] not in LIBRARIES:
        return None
    return UnsupportedType(
        f"{'a Tensor of the eager mode' if eager else f'a {module}.{type(obj).__name__}'} among "
        "traced values", why="it has operations of its own, which are not those of NumPy's arrays",
        fix="pass its numbers: t.detach().numpy()" if eager else "pass np.asarray(...) of it")


def is_outward(function: Any) -> bool:
    """Is a library function one that only acts on the world, not on the numbers?"""
    return isinstance(function, types.FunctionType) and (
        function.__module__ or "").split(".")[0] in EFFECTS


def _has_finalizer(cls: type) -> bool:
    return hasattr(cls, "__del__") and any(
        isinstance(c.__dict__.get("__del__"), types.FunctionType) for c in cls.__mro__) and (
        cls.__module__.split(".")[0] not in ("subprocess", "tempfile", "asyncio", "numpy"))


def _of_object(function: Any, args: Any, kwargs: Any) -> SrcgradError | None:
    if type(function).__module__.startswith("numpy.ma") and (
            contains_tracer(args) or contains_tracer(kwargs)):
        return masked()
    return None


def _with_traced(function: Any, args: Any, kwargs: Any) -> SrcgradError | None:
    module = getattr(function, "__module__", None) or ""
    if module.startswith("srcgrad.eager") or module.split(".")[0] in LIBRARIES:
        library = "the eager mode" if module.startswith("srcgrad.") else module.split(".")[0]
        return UnsupportedOperation(
            f"{function.__name__} of {library} was called with traced values",
            why="a compiled function works on NumPy's arrays",
            fix="call NumPy's function" + (
                ", or differentiate with .backward()" if library == "the eager mode" else ""))
    operand = next((e for e in map(foreign, (*args, *kwargs.values())) if e is not None), None)
    if operand is not None:
        return operand
    if f"{module}.".startswith("numpy.ma.") and function not in PREDICATES:
        return masked()
    if (error := libraries.refusal(function, args, True)) is not None:
        return error
    if function is memoryview:
        return UnsupportedOperation(
            "a memoryview of a traced array", why="it would share memory that is not traced",
            fix="use the array itself, or x.reshape(-1) of it")
    if function in EXACT:
        return UnsupportedOperation(
            f"{function.__name__} of a traced number",
            why="exact arithmetic is done by Python objects that hold digits, not by traced values",
            fix="use floats, or pass the number through srcgrad.stop_gradient and compute outside")
    if module.split(".")[0] in OUTWARD:
        return _outward(function, module)
    if isinstance(function, np.ufunc) and set("".join(function.types)) <= set("O->"):
        return object_ufunc()
    if module.split(".")[0] == "numpy":
        return _other_dtype(function, args, kwargs)
    return None


def _outward(function: Any, module: str) -> SrcgradError:
    return UnsupportedOperation(
        f"{module}.{function.__name__} was called with traced values",
        why="it hands the numbers to code outside of Python and NumPy while they are not known",
        fix="do it outside of the function that is differentiated, with its result or through "
            "has_aux")


def classed_operand(cls: type) -> SrcgradError:
    """The refusal of an array of a class of the user's where one of NumPy's own is needed."""
    return UnsupportedType(
        f"an array of the class {cls.__name__} is handed to what works on plain arrays",
        why="its class would be lost, or its methods would run on numbers that are not known yet",
        fix="hand over np.asarray(...) of it")


def endless_container(obj: Any) -> SrcgradError:
    """The refusal of a container that is a part of itself where all of its parts are needed."""
    return UnsupportedOperation(
        f"a {type(obj).__name__} that contains itself is handed over as a whole",
        why="which numbers it holds has to be known while compiling, and it has no end",
        fix="hand over the items that are needed, in a container of their own")


def masked() -> SrcgradError:
    """The refusal of masked arrays."""
    return UnsupportedType(
        "a masked array is made of traced values",
        why="its operations carry a mask beside the numbers, and have no derivative rules",
        fix="use a boolean array and np.where, or index with it")


def _other_dtype(function: Any, args: Any, kwargs: Any) -> SrcgradError | None:
    name = getattr(function, "__name__", "")
    wanted = kwargs.get("dtype")
    if wanted is None and len(args) > 1 and name in (
            "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"):
        wanted = args[1]
    if wanted is None or is_tracer(wanted):
        return None
    try:
        dtype = np.dtype(wanted)
    except TypeError:
        return None
    return other_dtype(dtype)


def other_dtype(dtype: np.dtype[Any]) -> SrcgradError | None:
    """The refusal of arrays of objects, records, texts and dates; None for numbers."""
    if dtype.kind in "biufc":
        return None
    if dtype.kind == "O":
        return of_objects()
    if dtype.names is not None:
        return _of_others("a structured array", "use one array for each field, or a dict of arrays")
    return _of_others(f"an array of dtype {dtype}", "use an array of numbers")


def of_objects(fix: str = "use a list, or an array of numbers") -> SrcgradError:
    """The refusal of arrays of objects."""
    return _of_others("an array of objects", fix)


def _of_others(what: str, fix: str) -> SrcgradError:
    return UnsupportedType(
        f"{what} holds traced values",
        why="its operations differ from those of ordinary numeric arrays", fix=fix)


def object_ufunc() -> SrcgradError:
    """The refusal of functions made by ``np.frompyfunc``."""
    return UnsupportedOperation(
        "a function made by np.frompyfunc was called with traced values",
        why="it gives arrays of Python objects, which have no derivative",
        fix="use np.vectorize, or write the function over whole arrays")
