"""NumPy's functions in the Array API standard: one table, and what differs in a call."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RENAMED = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "power": "pow", "absolute": "abs", "fabs": "abs",
    "conjugate": "conj", "true_divide": "divide", "mod": "remainder", "invert": "bitwise_invert",
}
UNARY = _words(
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor "
    "imag isfinite isinf isnan log log10 log1p log2 logical_not negative positive real "
    "reciprocal round sign signbit sin sinh sqrt square tan tanh trunc zeros_like ones_like "
    "full_like empty_like matrix_transpose tril triu")
BINARY = _words(
    "add atan2 bitwise_and bitwise_or bitwise_xor copysign divide equal floor_divide greater "
    "greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum "
    "minimum multiply nextafter not_equal pow remainder subtract")
REDUCTIONS = _words(
    "sum prod mean max min any all argmax argmin")
ALIASES = {"amax": "max", "amin": "min"}
MADE = _words(
    "zeros ones full empty eye arange linspace array asarray identity")
OWN = _words(
    "where matmul tensordot reshape broadcast_to transpose squeeze expand_dims moveaxis "
    "swapaxes flip roll stack concatenate copy astype ravel flatten dot outer vdot inner std "
    "var cumsum clip linalg.solve linalg.inv linalg.det linalg.cholesky ndim shape size trace "
    "ascontiguousarray")
DIRECT = UNARY | BINARY | REDUCTIONS | MADE | OWN | RENAMED.keys() | ALIASES.keys()
METHODS = _words(
    "copy sum prod mean max min any all argmax argmin reshape astype transpose ravel flatten "
    "dot std var cumsum squeeze swapaxes conj clip round trace")
OF_LISTS = _words(
    "append pop extend insert items keys values get")
SHARING = _words(
    "reshape broadcast_to transpose squeeze expand_dims moveaxis swapaxes flip asarray ravel "
    "real imag matrix_transpose ascontiguousarray astype positive conj conjugate round")


class Namespace:
    """``np`` in a text that runs on arrays of the standard: NumPy's functions on these arrays.

    What has no such array among its arguments NumPy does itself; its arrays then move to the
    library and the device of ``like``.
    """

    def __init__(self, xp: Any, like: Any) -> None:
        self.xp, self.kind = xp, type(like)
        self.device = getattr(like, "device", None)
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

    def arrays(self, *values: Any) -> list[Any]:
        """Arrays and numbers as arrays; numbers have the dtype of the arrays beside them."""
        dtypes = [v.dtype for v in values if isinstance(v, self.kind)]
        scalars = {type(v) for v in values if not isinstance(v, self.kind)}
        floating = [d for d in dtypes if self.is_floating(d)]
        dtype = self.xp.result_type(*(floating or dtypes))
        if not floating and float in scalars:
            dtype = self.xp.float64
        elif int in scalars and self.xp.isdtype(dtype, "bool"):
            dtype = self.xp.int64

        def array(value: Any) -> Any:
            if isinstance(value, self.kind):
                kept = value.dtype == dtype or value.dtype in floating
            else:
                kept, value = type(value) is complex, self.lifted(np.asarray(value))
            return value if kept else self.xp.astype(value, dtype)

        return [array(v) for v in values]

    def is_floating(self, dtype: Any) -> bool:
        return bool(self.xp.isdtype(dtype, ("real floating", "complex floating")))

    def operate(self, name: str, one: Any, other: Any) -> Any:
        """``one + other`` and its like; whole numbers become floats where NumPy makes them so."""
        both = [v for v in (one, other) if isinstance(v, self.kind)]
        if both and not all(self.is_floating(v.dtype) for v in both):
            one, other = self.arrays(one, other)
            if name == "truediv" and not self.is_floating(one.dtype):
                one, other = (self.xp.astype(v, self.xp.float64) for v in (one, other))
        return getattr(operator, name)(one, other)

    def _call(self, name: str, *args: Any, **named: Any) -> Any:
        if not self.holds([*args, *named.values()]):
            if name in METHODS and args and not isinstance(args[0], (int, float, complex, tuple)):
                return getattr(args[0], name)(*args[1:], **named)  # of a list or a dict
            path = name.replace("linalg_", "linalg.").split(".")
            function: Any = functools.reduce(getattr, path, np)
            return self.lifted(function(*args, **named))
        if "dtype" in named and named["dtype"] is not None:
            named["dtype"] = getattr(self.xp, np.dtype(named["dtype"]).name)
        if hasattr(type(self), f"_{name}"):
            return getattr(self, f"_{name}")(*args, **named)
        name = RENAMED.get(name, ALIASES.get(name, name))
        function = getattr(self.xp, name)
        if name in REDUCTIONS:
            if self.xp.isdtype(args[0].dtype, "bool") and name in ("sum", "prod", "mean"):
                args = self.xp.astype(args[0], self.xp.int64), *args[1:]
            return self._reduced(function, *args, **named)
        if name in ("add", "subtract", "multiply", "divide"):
            return self.operate({"add": "add", "subtract": "sub", "multiply": "mul"}.get(
                name, "truediv"), *args, **named)
        if name in BINARY:
            return function(*self.arrays(*args), **named)
        if name in ("real", "conj") and not self.xp.isdtype(args[0].dtype, "complex floating"):
            return args[0]
        if name in ("zeros_like", "ones_like", "full_like"):
            return function(*args, **named)
        return function(*self._floating(name, args), **named)

    def _floating(self, name: str, args: Any) -> Any:
        whole = name in ("abs", "ceil", "floor", "round", "sign", "square", "trunc", "negative",
                         "positive", "isfinite", "isinf", "isnan", "bitwise_invert", "logical_not",
                         "matrix_transpose", "tril", "triu", "conj", "real", "imag")
        return args if whole else self.arrays(*args[:1], 0.0)[:1] + list(args[1:])

    @staticmethod
    def _reduced(function: Any, x: Any, axis: Any = None, dtype: Any = None,
                 keepdims: bool = False) -> Any:
        more = {} if dtype is None else {"dtype": dtype}
        return function(x, axis=axis, keepdims=keepdims, **more)

    def number(self, x: Any) -> Any:
        """A number of double precision."""
        return self.xp.astype(x, self.xp.float64) if isinstance(x, self.kind) else float(x)

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
        if not self.holds([one, other]):
            one = self.lifted(np.asarray(one, np.result_type(type(one), type(other))))
        if not isinstance(test, self.kind):
            test = self.lifted(np.asarray(test))
        return self.xp.where(test, *self.arrays(one, other))

    def _matmul(self, a: Any, b: Any) -> Any:
        return self.xp.matmul(a, b)

    def _tensordot(self, a: Any, b: Any, axes: Any = 2) -> Any:
        return self.xp.tensordot(a, b, axes=axes)

    def _dot(self, a: Any, b: Any) -> Any:
        a, b = self.arrays(a, b)
        if not (a.ndim and b.ndim):
            return a * b
        return self.xp.tensordot(a, b, axes=((a.ndim - 1,), (max(b.ndim - 2, 0),)))

    def _inner(self, a: Any, b: Any) -> Any:
        return self.xp.tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 1,)))

    def _vdot(self, a: Any, b: Any) -> Any:
        return self.xp.vecdot(self._ravel(a), self._ravel(b))

    def _outer(self, a: Any, b: Any) -> Any:
        return self.xp.reshape(a, (-1, 1)) * self.xp.reshape(b, (1, -1))

    def _trace(self, x: Any) -> Any:
        return self.xp.linalg.trace(x)

    def _reshape(self, x: Any, *shape: Any) -> Any:
        wanted = shape[0] if len(shape) == 1 else shape
        return self.xp.reshape(x, (wanted,) if isinstance(wanted, int) else tuple(wanted))

    def _ravel(self, x: Any) -> Any:
        return self.xp.reshape(x, (-1,))

    def _flatten(self, x: Any) -> Any:
        return self._copy(self._ravel(x))

    def _copy(self, x: Any) -> Any:
        return self.xp.asarray(x, copy=True)

    def _asarray(self, x: Any, dtype: Any = None) -> Any:
        if isinstance(x, self.kind):
            return x if dtype is None else self.xp.astype(x, dtype)
        return self.xp.stack([self._asarray(part) for part in self._rows(x)])

    _array = _asarray

    def _ascontiguousarray(self, x: Any) -> Any:
        return x

    def _rows(self, values: Any) -> Any:
        """Items of a list as arrays of one shape."""
        if any(isinstance(v, (list, tuple)) for v in values):
            return [self._asarray(v) if self.holds(v) else self.lifted(np.asarray(v))
                    for v in values]
        return self.arrays(*values)

    def _astype(self, x: Any, dtype: Any) -> Any:
        return self.xp.astype(x, getattr(self.xp, np.dtype(dtype).name))

    def _broadcast_to(self, x: Any, shape: Any) -> Any:
        return self.xp.broadcast_to(x, (shape,) if isinstance(shape, int) else tuple(shape))

    def _transpose(self, x: Any, *axes: Any) -> Any:
        wanted = axes[0] if len(axes) == 1 else axes or None
        return self.xp.permute_dims(x, tuple(range(x.ndim))[::-1] if wanted is None else wanted)

    def _swapaxes(self, x: Any, one: int, other: int) -> Any:
        axes = list(range(x.ndim))
        axes[one], axes[other] = axes[other], axes[one]
        return self.xp.permute_dims(x, tuple(axes))

    def _moveaxis(self, x: Any, source: Any, target: Any) -> Any:
        return self.xp.moveaxis(x, source, target)

    def _squeeze(self, x: Any, axis: Any = None) -> Any:
        ones = tuple(i for i, n in enumerate(x.shape) if n == 1)
        return self.xp.squeeze(x, axis=ones if axis is None else axis)

    def _expand_dims(self, x: Any, axis: Any) -> Any:
        return self.xp.expand_dims(x, axis=axis)

    def _flip(self, x: Any, axis: Any = None) -> Any:
        return self.xp.flip(x, axis=axis)

    def _roll(self, x: Any, shift: Any, axis: Any = None) -> Any:
        return self.xp.roll(x, shift, axis=axis)

    def _stack(self, parts: Any, axis: int = 0) -> Any:
        return self.xp.stack(self._rows(parts), axis=axis)

    def _concatenate(self, parts: Any, axis: Any = 0) -> Any:
        return self.xp.concat([p if isinstance(p, self.kind) else self.lifted(np.asarray(p))
                               for p in parts], axis=axis)

    def _cumsum(self, x: Any, axis: Any = None) -> Any:
        x, axis = (self._ravel(x), 0) if axis is None else (x, axis)
        return self.xp.cumulative_sum(x, axis=axis)

    def _clip(self, x: Any, low: Any = None, high: Any = None) -> Any:
        x = x if low is None else self.xp.maximum(*self.arrays(x, low))
        return x if high is None else self.xp.minimum(*self.arrays(x, high))

    def _std(self, x: Any, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        return self.xp.std(x, axis=axis, correction=ddof, keepdims=keepdims)

    def _var(self, x: Any, axis: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
        return self.xp.var(x, axis=axis, correction=ddof, keepdims=keepdims)

    def _shape(self, x: Any) -> Any:
        return tuple(x.shape)

    def _ndim(self, x: Any) -> int:
        return int(x.ndim)

    def _size(self, x: Any, axis: int | None = None) -> int:
        return int(np.prod(x.shape)) if axis is None else int(x.shape[axis])

    def _linalg_solve(self, a: Any, b: Any) -> Any:
        return self.xp.linalg.solve(a, b)

    def _linalg_inv(self, a: Any) -> Any:
        return self.xp.linalg.inv(a)

    def _linalg_det(self, a: Any) -> Any:
        return self.xp.linalg.det(a)

    def _linalg_cholesky(self, a: Any) -> Any:
        return self.xp.linalg.cholesky(a)
