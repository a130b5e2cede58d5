"""NumPy's functions in the Array API standard: one table, and what differs in a call."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RENAMED = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "power": "pow", "absolute": "abs", "fabs": "abs",
    "conjugate": "conj", "true_divide": "divide", "mod": "remainder", "invert": "bitwise_invert",
    "amax": "max", "amin": "min", "trace": "linalg.trace",
}
KEPT = _words(  # of one array, whose dtype stays
    "abs bitwise_invert ceil conj empty_like expand_dims flip floor imag isfinite isinf isnan "
    "logical_not matrix_transpose moveaxis negative ones_like positive real reciprocal roll round "
    "sign sort argsort square tril triu trunc zeros_like linalg.trace")
FLOATING = _words(  # of one array, whole numbers become floats
    "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 signbit sin sinh "
    "sqrt tan tanh linalg.inv linalg.det linalg.cholesky")
BINARY = _words(  # of two, which get one dtype
    "bitwise_and bitwise_or bitwise_xor equal floor_divide greater greater_equal less less_equal "
    "logical_and logical_or logical_xor matmul maximum minimum not_equal pow remainder tensordot")
BINARY_FLOATING = _words(
    "atan2 copysign divide hypot logaddexp nextafter linalg.solve")
REDUCTIONS = _words(
    "sum prod mean max min any all argmax argmin std var")
MADE = _words(
    "zeros ones full full_like empty eye arange linspace array asarray identity")
OWN = _words(
    "where reshape broadcast_to transpose squeeze swapaxes dot cumsum diff clip size")
EXPRESSED: dict[str, Callable[..., Any]] = {
    "add": lambda np_, a, b: np_.operate("add", a, b),
    "subtract": lambda np_, a, b: np_.operate("sub", a, b),
    "multiply": lambda np_, a, b: np_.operate("mul", a, b),
    "inner": lambda np_, a, b: np_._dot(a, b, last=1),
    "vdot": lambda np_, a, b: np_.xp.vecdot(*map(np_.ravel, np_.arrays(a, b))),
    "outer": lambda np_, a, b: np_.operate(
        "mul", *map(np_.xp.reshape, np_.arrays(a, b), ((-1, 1), (1, -1)))),
    "linalg.norm": lambda np_, x, ord=None, axis=None, keepdims=False: np_._norm(
        x, ord, axis, keepdims),
    "ravel": lambda np_, x: np_.xp.reshape(x, (-1,)),
    "flatten": lambda np_, x: np_.copy(np_.ravel(x)),
    "copy": lambda np_, x: np_.xp.asarray(x, copy=True),
    "array": lambda np_, x, dtype=None: np_.copy(np_._asarray(x, dtype)),
    "ascontiguousarray": lambda np_, x: x,
    "astype": lambda np_, x, dtype: np_.xp.astype(x, np_.dtype(dtype)),
    "stack": lambda np_, parts, axis=0: np_.xp.stack(np_.rows(parts), axis=axis),
    "concatenate": lambda np_, parts, axis=0: np_.xp.concat(np_.rows(parts), axis=axis),
    "shape": lambda np_, x: tuple(x.shape),
    "ndim": lambda np_, x: int(x.ndim),
}
DIRECT = (KEPT | FLOATING | BINARY | BINARY_FLOATING | REDUCTIONS | MADE | OWN | RENAMED.keys()
          | EXPRESSED.keys())
NUMBERS = _words("float32 float64 complex64 complex128")  # as functions
METHODS = _words(
    "copy sum prod mean max min any all argmax argmin reshape astype transpose ravel flatten "
    "dot std var cumsum squeeze swapaxes conj clip round trace")
OF_LISTS = _words(
    "append pop extend insert items keys values get")
SHARING = _words(
    "reshape broadcast_to transpose squeeze expand_dims moveaxis swapaxes flip asarray ravel "
    "real imag matrix_transpose ascontiguousarray astype positive conj conjugate round")
BY_KEYWORD = {  # the arguments after the first ones, which the standard takes by name
    "expand_dims": (1, "axis"), "flip": (1, "axis"), "roll": (2, "axis"), "tensordot": (2, "axes"),
    "sort": (1, "axis"), "argsort": (1, "axis"), "tril": (1, "k"), "triu": (1, "k"),
    "linalg.trace": (1, "offset"),
    **dict.fromkeys(REDUCTIONS, (1, "axis dtype")),
}
OPTIONS = {**dict.fromkeys(REDUCTIONS, "keepdims"), "std": "keepdims ddof",
           "var": "keepdims ddof"}  # by keyword only


def takes(name: str, count: int, keywords: Collection[str | None]) -> bool:
    """Does the function of this name, in the standard, take so many arguments and these?"""
    own = EXPRESSED.get(name) or (getattr(Namespace, f"_{name}") if name in OWN else None)
    if own is not None:
        try:
            inspect.signature(own).bind(None, *range(count), **dict.fromkeys(map(str, keywords)))
        except TypeError:
            return False
        return True
    name = RENAMED.get(name, name)
    if name in MADE or name == "size":
        return True
    first, more = BY_KEYWORD.get(name, (2 if name in BINARY | BINARY_FLOATING else 1, ""))
    return count <= first + len(more.split()) and set(keywords) <= (
        {*more.split(), *OPTIONS.get(name, "").split()})


OF_BOOLS = {"add": "or_", "mul": "and_"}


class Namespace:
    """``np`` in a text that runs on arrays of the standard: NumPy's functions on these arrays.

    What has no such array among its arguments NumPy does itself; its arrays then move to the
    library and the device of ``like``.
    """

    def __init__(self, xp: Any, like: Any) -> None:
        self.xp, self.kind = xp, type(like)
        self.device = getattr(like, "device", None)
        self.dtypes: dict[Any, np.dtype[Any]] = {}  # NumPy's of the library's
        self.newaxis, self.pi, self.e, self.inf, self.nan = None, np.pi, np.e, np.inf, np.nan

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name.removeprefix("linalg_"), None)
        if isinstance(found, type):
            return found  # a dtype
        made = functools.partial(self._call, name)
        setattr(self, name, made)
        return made

    def lifted(self, value: Any) -> Any:
        """What NumPy made as the library's: arrays as its arrays, numbers as Python's."""
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, np.ndarray):
            own = np.array(value)  # not shared with the caller
            return self.xp.asarray(own, **({} if self.device is None else {"device": self.device}))
        return value

    def holds(self, value: Any) -> bool:
        return isinstance(value, self.kind) or (
            isinstance(value, (list, tuple)) and any(map(self.holds, value)))

    def together(self, values: Any, floating: bool) -> np.dtype[Any]:
        """The dtype of arrays and numbers together: NumPy's, but whole numbers beside floats have
        the dtype of the floats."""
        dtypes = [self.numpy_dtype(v) for v in values if isinstance(v, self.kind)]
        numbers = [v for v in values if not isinstance(v, self.kind)]
        dtype = np.result_type(*([d for d in dtypes if d.kind in "fc"] or dtypes), *numbers)
        return np.dtype(float) if floating and dtype.kind not in "fc" else dtype

    def arrays(self, *values: Any, floating: bool = False) -> list[Any]:
        """Arrays and numbers as arrays of one dtype."""
        dtype = self.dtype(self.together(values, floating))
        made = [v if isinstance(v, self.kind) else self.lifted(np.asarray(v)) for v in values]
        return [v if v.dtype == dtype else self.xp.astype(v, dtype) for v in made]

    def numpy_dtype(self, x: Any) -> np.dtype[Any]:
        if x.dtype not in self.dtypes:
            self.dtypes[x.dtype] = np.dtype(str(x.dtype).rpartition(".")[2])
        return self.dtypes[x.dtype]

    def dtype(self, dtype: Any) -> Any:
        """NumPy's dtype as the library's."""
        return None if dtype is None else getattr(self.xp, np.dtype(dtype).name)

    def operate(self, name: str, one: Any, other: Any) -> Any:
        """``one + other`` and its like, by the name in :mod:`operator`."""
        dtypes = {self.numpy_dtype(v) for v in (one, other) if isinstance(v, self.kind)}
        if len(dtypes) == 1 and all(d.kind in "fc" for d in dtypes) and all(
                isinstance(v, self.kind) or type(v) in (int, float) for v in (one, other)):
            return getattr(operator, name)(one, other)  # the usual case, of one dtype
        if self.holds((one, other)) and all(
                isinstance(v, (self.kind, int, float, complex)) for v in (one, other)):
            dtype = self.together((one, other), name == "truediv")
            number, wanted = type(dtype.type(0).item()), self.dtype(dtype)
            one, other = (number(v) if not isinstance(v, self.kind) else v if v.dtype == wanted
                          else self.xp.astype(v, wanted) for v in (one, other))
            name = OF_BOOLS.get(name, name) if number is bool else name
        return getattr(operator, name)(one, other)

    def _call(self, name: str, *args: Any, **named: Any) -> Any:
        name = name.replace("linalg_", "linalg.")
        if not self.holds([*args, *named.values()]):
            if name in METHODS and args and not isinstance(args[0], (int, float, complex, tuple)):
                return getattr(args[0], name)(*args[1:], **named)  # of a list or a dict
            return self.lifted(operator.attrgetter(name)(np)(*args, **named))
        if "dtype" in named:
            named["dtype"] = self.dtype(named["dtype"])
        if name in EXPRESSED:
            return EXPRESSED[name](self, *args, **named)
        if hasattr(type(self), f"_{name}"):
            return getattr(self, f"_{name}")(*args, **named)
        name = RENAMED.get(name, name)
        count, keywords = BY_KEYWORD.get(name, (len(args), ""))
        named.update(zip(keywords.split(), args[count:], strict=False))
        first, *more = args[:count]
        if name in BINARY or name in BINARY_FLOATING:
            first, more[0] = self.arrays(first, more[0], floating=name in BINARY_FLOATING)
        elif name in FLOATING or name in ("mean", "std", "var"):
            first, = self.arrays(first, floating=True)
            if "ddof" in named:
                named["correction"] = named.pop("ddof")
        elif name in ("sum", "prod") and self.xp.isdtype(first.dtype, "bool"):
            first = self.xp.astype(first, self.xp.int64)
        elif name in ("real", "conj") and not self.xp.isdtype(first.dtype, "complex floating"):
            return first
        return operator.attrgetter(name)(self.xp)(first, *more, **named)

    def number(self, name: str, x: Any) -> Any:
        """A number of the dtype of this name; one of double precision is Python's."""
        if isinstance(x, self.kind):
            return self.xp.astype(x, self.dtype(name))
        made = np.dtype(name).type(x)
        return self.lifted(np.asarray(made) if name in ("float32", "complex64") else made)

    def sum_to(self, x: Any, shape: Any) -> Any:
        """The sum over the axes along which ``shape`` was broadcast."""
        extra = x.ndim - len(shape)
        axes = tuple(i for i, n in enumerate(x.shape)
                     if i < extra or (shape[i - extra] == 1 and n != 1))
        return self.xp.reshape(self.xp.sum(x, axis=axes), tuple(shape)) if axes else x

    # ---- reading and writing ---------------------------------------------------------------
    def read(self, x: Any, key: Any) -> Any:
        if not isinstance(x, self.kind):
            return x if key == () else x[key]  # a number, which NumPy makes an array's item of
        return x[self._key(x, key)]

    def written(self, x: Any, key: Any, value: Any) -> Any:
        """``x`` with a value at a place; in place where the library can."""
        if not isinstance(x, self.kind):
            x[key] = value
            return x
        key = self._key(x, key)
        if hasattr(x, "at"):  # no writes: JAX
            return x.at[key].set(value)
        if isinstance(value, self.kind) and value.dtype != x.dtype:
            value = self.xp.astype(value, x.dtype)
        x[key] = value
        return x

    def _key(self, x: Any, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        if any(p is Ellipsis for p in parts):
            return key
        used = sum(p.ndim if self.holds(p) and self.xp.isdtype(p.dtype, "bool") else 1
                   for p in parts if p is not None)
        return key if used >= x.ndim else (*parts, Ellipsis)

    # ---- what is called differently --------------------------------------------------------
    def _where(self, test: Any, one: Any, other: Any) -> Any:
        test = test if isinstance(test, self.kind) else self.lifted(np.asarray(test))
        return self.xp.where(self.xp.astype(test, self.xp.bool), *self.arrays(one, other))

    def _dot(self, a: Any, b: Any, last: int = 2) -> Any:
        a, b = self.arrays(a, b)
        if not (a.ndim and b.ndim):
            return a * b
        return self.xp.tensordot(a, b, axes=((a.ndim - 1,), (max(b.ndim - last, 0),)))

    def _full(self, shape: Any, value: Any, dtype: Any = None) -> Any:
        return self.copy(self._broadcast_to(self._asarray(value, dtype), shape))

    def _full_like(self, x: Any, value: Any, dtype: Any = None) -> Any:
        if not self.holds(value):
            return self.xp.full_like(x, value, dtype=dtype)
        return self._full(x.shape, value, dtype or x.dtype)

    def _reshape(self, x: Any, *shape: Any) -> Any:
        wanted = shape[0] if len(shape) == 1 else shape
        return self.xp.reshape(x, (wanted,) if isinstance(wanted, int) else tuple(wanted))

    def _asarray(self, x: Any, dtype: Any = None) -> Any:
        if not isinstance(x, self.kind):
            x = self.xp.stack(self.rows(x))
        return x if dtype is None else self.xp.astype(x, dtype)

    def rows(self, values: Any) -> Any:
        """Items of a list as arrays of one dtype."""
        return self.arrays(*(v if not isinstance(v, (list, tuple)) else self._asarray(v)
                             if self.holds(v) else self.lifted(np.asarray(v)) for v in values))

    def _broadcast_to(self, x: Any, shape: Any) -> Any:
        return self.xp.broadcast_to(x, (shape,) if isinstance(shape, int) else tuple(shape))

    def _transpose(self, x: Any, *axes: Any) -> Any:
        wanted = axes[0] if len(axes) == 1 else axes or None
        return self.xp.permute_dims(x, tuple(range(x.ndim))[::-1] if wanted is None else wanted)

    def _swapaxes(self, x: Any, one: int, other: int) -> Any:
        axes = list(range(x.ndim))
        axes[one], axes[other] = axes[other], axes[one]
        return self.xp.permute_dims(x, tuple(axes))

    def _squeeze(self, x: Any, axis: Any = None) -> Any:
        ones = tuple(i for i, n in enumerate(x.shape) if n == 1)
        return self.xp.squeeze(x, axis=ones if axis is None else axis)

    def _diff(self, x: Any, n: int = 1, axis: int = -1) -> Any:
        for _ in range(n):
            places = [slice(None)] * x.ndim, [slice(None)] * x.ndim
            places[0][axis], places[1][axis] = slice(1, None), slice(None, -1)
            x = self.operate("sub", x[tuple(places[0])], x[tuple(places[1])])
        return x

    def _norm(self, x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
        x, = self.arrays(x, floating=True)
        if isinstance(axis, int) or x.ndim == 1 or (ord is None and axis is None):
            return self.xp.linalg.vector_norm(x, axis=axis, keepdims=keepdims,
                                              ord=2 if ord is None else ord)
        return self.xp.linalg.matrix_norm(x, keepdims=keepdims, ord="fro" if ord is None else ord)

    def _cumsum(self, x: Any, axis: Any = None) -> Any:
        x, axis = (self.ravel(x), 0) if axis is None else (x, axis)
        return self.xp.cumulative_sum(x, axis=axis)

    def _clip(self, x: Any, low: Any = None, high: Any = None) -> Any:
        x = x if low is None else self.xp.maximum(*self.arrays(x, low))
        return x if high is None else self.xp.minimum(*self.arrays(x, high))

    def _size(self, x: Any, axis: int | None = None) -> int:
        return int(np.prod(x.shape)) if axis is None else int(x.shape[axis])
