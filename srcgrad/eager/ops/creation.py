"""New tensors: from data, filled, ranges."""

from __future__ import annotations

import functools
import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import device as devices
from srcgrad.eager.calling_errors import Signature, refuse
from srcgrad.eager.dispatch import Tensor, dt, extra, register, store, store_out, wrap
from srcgrad.eager.grad_mode import INFERENCE, state
from srcgrad.eager.layout import arranged, preserve_format
from srcgrad.eager.ops.arguments import numbers, refuse_kinds
from srcgrad.eager.overloads import combination_error
from srcgrad.eager.promotion import stored_number
from srcgrad.eager.strides import refuse_negative
from srcgrad.eager.writes import refuse_overlap, resize_memory

# What functions that make new tensors take besides their own arguments.
_DEFAULTS = {"out": None, "dtype": None, "layout": None, "device": None, "pin_memory": False,
             "requires_grad": False}
_OPTIONS = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in _DEFAULTS.items()]


def creator(function: Callable[..., Tensor], name: str = "", *,
            bound: bool = False) -> Callable[..., Tensor]:
    """Put a function that makes new tensors into the namespace, or (``bound``) among the methods.

    One that has a parameter ``d`` is given the dtype that ``dtype=`` or ``out=`` tells, or None;
    the options that all such functions have are dealt with here.  Python's number types may stand
    for dtypes, and wrong arguments are answered as PyTorch does.
    """
    title = name or function.__name__
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.name != "d"]
    takes_dtype = "d" in signature.parameters
    if takes_dtype:
        place = next((i for i, p in enumerate(own) if p.kind is p.VAR_KEYWORD), len(own))
        own[place:place] = _OPTIONS
    called = Signature(title, signature.replace(parameters=own[bound:]))

    @functools.wraps(function)
    def create(*args: Any, **kwargs: Any) -> Any:
        d, out, given, requires_grad = None, None, kwargs, False
        if kwargs:
            d = kwargs.get("dtype")
            if d.__class__ is type and d in dt.OF_PYTHON:
                d = kwargs["dtype"] = dt.OF_PYTHON[d]
            if takes_dtype:
                given = {k: v for k, v in kwargs.items() if k not in _DEFAULTS}
                out, requires_grad = kwargs.get("out"), kwargs.get("requires_grad", False)
            for key, value, kind, wanted in (("dtype", d, dt.dtype, "torch.dtype"),
                                             ("out", out, Tensor, "Tensor")):
                if value is not None and not isinstance(value, kind):
                    raise combination_error(title, args, kwargs, False) or TypeError(
                        f"{title}(): argument '{key}' must be {wanted}, not {type(value).__name__}")
        if called.whole_places:
            called.check_whole(args[bound:], kwargs)
        try:
            if takes_dtype and kwargs:
                if out is not None and d not in (None, out._dt):
                    raise RuntimeError(f"dtype {d.tensor_name} does not match dtype of out "
                                       f"parameter ({out._dt.tensor_name})")
                d = out._dt if out is not None else d
                given |= {} if d is None else {"d": d}
            t = function(*args, **given)
        except (TypeError, AttributeError) as error:
            explained = called.answer(error, args[bound:], kwargs)
            if explained is error:
                raise
            raise explained from None
        if not takes_dtype:
            return t
        devices.check(kwargs.get("device"))
        if out is not None:
            _fit(out, t, title)
        return delivered(t, out, requires_grad)

    create.__name__ = create.__qualname__ = title
    create.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
    register(title, create, torch=not bound, method=bound)
    return create


def _fit(out: Tensor, t: Tensor, title: str) -> None:
    """Give ``out`` the shape of ``t``; ranges of as many numbers as it has come in its own."""
    if title in ("arange", "range", "linspace", "logspace") and out._a.size == t._a.size:
        t._a = t._a.reshape(out._a.shape)
        refuse_overlap(out)
    elif out._a.shape != t._a.shape:
        if title == "arange" and out._a.size:
            warnings.warn(
                f"The number of elements in the out tensor of shape {list(out._a.shape)} is "
                f"{out._a.size} which does not match the computed number of elements {t._a.size}. "
                "Note that this may occur as a result of rounding error. The out tensor will be "
                f"resized to a tensor of shape ({t._a.size},).", UserWarning, stacklevel=3)
        resize_memory(out, t._a.shape)


def delivered(t: Tensor, out: Tensor | None, requires_grad: bool = False) -> Tensor:
    """The new tensor ``t``, or ``out`` with its values."""
    if requires_grad and t._dt.category < dt.FLOATING:
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients")
    if out is not None:
        store_out(out, t)
        return out
    if state.mode & INFERENCE:
        extra(t).inference = True
    t._rg = requires_grad or t._rg
    return t


_DEPTH = 128  # dimensions that nested sequences may have


def infer_dtype(data: Any, depth: int = 0) -> dt.dtype:
    """The dtype that ``torch.tensor`` gives nested sequences of numbers."""
    if isinstance(data, Tensor):
        return data._dt
    if isinstance(data, np.ndarray | np.generic):
        return dt.from_numpy_dtype(data.dtype)
    if isinstance(data, list | tuple | range):
        found: dt.dtype | None = None
        if depth > _DEPTH or (data and isinstance(data[0], str)):
            raise ValueError("too many dimensions "
                             f"'{type(data if depth > _DEPTH else data[0]).__name__}'")
        for item in data:
            d = infer_dtype(item, depth + 1)
            found = d if found is None else dt.promote_types(found, d)
        return found or dt.get_default_dtype()
    if isinstance(data, int | float | complex):
        return dt.of_scalar(data)
    refuse(isinstance(data, str), "new(): invalid data type 'str'", kind=TypeError)
    if hasattr(data, "__array__"):
        return dt.from_numpy_dtype(np.asarray(data).dtype)
    if hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, dict):
        return infer_dtype([data[i] for i in range(len(data))])
    raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")


def _sizes(data: Any) -> list[int]:
    """The shape of nested data, told from what comes first in each."""
    if isinstance(data, np.ndarray):
        return list(data.shape)
    if not isinstance(data, list | tuple | range):
        return []
    return [len(data), *(_sizes(data[0]) if len(data) else ())]


def _numbers(data: Any, sizes: list[int], d: dt.dtype, depth: int = 0) -> Any:
    """Nested data of these sizes as lists, with arrays and numbers in them."""
    nested = isinstance(data, list | tuple | range)
    if depth == len(sizes):
        if isinstance(data, Tensor | np.ndarray):
            if math.prod(data.shape) == 1:
                return data.item()
            refuse(d.category < dt.FLOATING, "only integer tensors of a single element can be "
                   "converted to an index", kind=TypeError)
            raise ValueError("only one element tensors can be converted to Python scalars")
        if nested:
            kind = type(data).__name__
            raise TypeError(f"must be real number, not {kind}" if d.category >= dt.FLOATING else
                            f"'{kind}' object cannot be interpreted as an integer")
        return data
    if isinstance(data, Tensor):
        data = data._a
    if not nested and not (isinstance(data, np.ndarray) and data.ndim):
        raise TypeError("not a sequence")
    if len(data) != sizes[depth]:
        raise ValueError(f"expected sequence of length {sizes[depth]} at dim {depth} (got "
                         f"{len(data)})")
    if not nested and list(data.shape) == sizes[depth:]:
        return data
    if 0 in sizes:
        return np.empty(sizes[depth:])
    return [_numbers(v, sizes, d, depth + 1) for v in data]


def to_array(data: Any, d: dt.dtype) -> Any:
    """A new array of nested data."""
    refuse(isinstance(data, str), "new(): invalid data type 'str'", kind=TypeError)
    raw = np.asarray(_numbers(data, _sizes(data), d) if isinstance(data, list | tuple | range) else
                     data._a if isinstance(data, Tensor) else data)
    if raw.dtype == object and all(isinstance(v, int | float) for v in raw.flat):
        if d.category == dt.INTEGRAL and all(isinstance(v, int) for v in raw.flat):
            raise ValueError("Overflow when unpacking long long")
        raw = raw.astype(np.float64)
    refuse(raw.dtype == object, "can't convert np.ndarray of type numpy.object_. The only "
           "supported types are: float64, float32, float16, complex64, complex128, int64, int32, "
           "int16, int8, uint64, uint32, uint16, uint8, and bool.", kind=TypeError)
    if not isinstance(data, Tensor | np.ndarray):
        _check_range(raw, d)
    return np.array(store(d, raw), order="C")


def _check_range(raw: Any, d: dt.dtype) -> None:
    """Refuse numbers that the integers of ``d`` do not include."""
    if d.category != dt.INTEGRAL or raw.dtype.kind not in "iuf" or not raw.size:
        return
    limits = np.iinfo(d.numpy)
    low = -limits.max if limits.min == 0 and raw.dtype.kind == "i" else limits.min
    least, most = raw.min(), raw.max()
    if raw.dtype == np.uint64 and d is not dt.uint64 and int(most) > limits.max:
        raise ValueError("Overflow when unpacking long long")
    if not (low <= least and most < limits.max + 1):  # the last may be a float beyond
        raise RuntimeError(f"value cannot be converted to type {d.name} without overflow")


@creator
def tensor(data: Any, *, d: dt.dtype | None = None) -> Tensor:
    """A new leaf tensor with a copy of ``data``.

    >>> tensor([1, 2]).dtype
    torch.int64
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than torch.tensor(sourceTensor).", UserWarning, stacklevel=2)
    d = d or infer_dtype(data)
    return wrap(to_array(data, d), d)


@creator
def as_tensor(data: Any, dtype: dt.dtype | None = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, sharing memory with tensors and arrays where possible."""
    devices.check(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray):
        t = from_numpy(data)
        return t if dtype is None else t.to(dtype)
    return tensor(data, dtype=dtype)


@creator
def asarray(obj: Any, *, dtype: dt.dtype | None = None, device: Any = None,
            copy: bool | None = None, requires_grad: bool = False) -> Tensor:
    """``obj`` as a tensor; ``copy`` forces or forbids a copy."""
    made = as_tensor(obj, dtype, device)
    shared = made is obj or (isinstance(obj, np.ndarray) and np.shares_memory(made._a, obj))
    if copy is False and not shared:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if copy and shared:
        made = made.clone()
    if not requires_grad and made is not obj:
        return made.detach() if made._rg else made
    return made.requires_grad_() if requires_grad else made


@creator
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor on the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    d = dt.from_numpy_dtype(ndarray.dtype)
    if any(s < 0 for s in ndarray.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors "
                         "with negative strides are not currently supported. (You can probably "
                         "work around this by making a copy of your array  with array.copy().) ")
    if ndarray.dtype != d.numpy:
        raise ValueError("given numpy array has byte order different from the native byte order. "
                         "Conversion between byte orders is currently not supported.")
    if not ndarray.flags.writeable:
        warnings.warn("The given NumPy array is not writable, and PyTorch does not support "
                      "non-writable tensors. This means writing to this tensor will result in "
                      "undefined behavior. You may want to copy the array to protect its data or "
                      "make it writable before converting it to a tensor. This type of warning "
                      "will be suppressed for the rest of this program.", UserWarning, stacklevel=2)
        ndarray = ndarray.copy()
    return wrap(ndarray, d)


def size_of(args: Any, name: str = "") -> tuple[int, ...]:
    """A shape given as numbers or as one sequence."""
    shape = numbers(args, place=1)
    if name == "zeros" and min(shape, default=0) < 0:
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    refuse_negative(shape)
    if math.prod(shape) >= 1 << 60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    return shape


def given_sizes(name: str, sizes: tuple[Any, ...], size: Any) -> tuple[Any, ...]:
    """The numbers of a shape, which may come by position or by keyword."""
    if not sizes and size is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return sizes if size is None else (size,)


def laid_like(input: Tensor, d: dt.dtype | None,
              values: Callable[[np.ndarray[Any, Any], dt.dtype], Any]) -> Tensor:
    """A tensor laid out like ``input``, of its dtype unless ``d`` is given; ``values`` makes its
    elements, given an array for them and the dtype."""
    d = d or input._dt
    a = np.empty_like(input._a, dtype=d.numpy)
    a[...] = values(a, d)
    return wrap(a, d)


def _filled(name: str, make: Any) -> Any:
    def create(*sizes: Any, size: Any = None, memory_format: Any = None, names: Any = None,
               d: dt.dtype | None = None) -> Tensor:
        d = d or dt.get_default_dtype()
        if memory_format is preserve_format:
            raise RuntimeError("unsupported memory format Preserve")
        a = make(size_of(given_sizes(name, sizes, size), name), d.numpy)
        return wrap(arranged(a, memory_format), d)

    def like(input: Tensor, *, memory_format: Any = None, d: dt.dtype | None = None) -> Tensor:
        return laid_like(input, d, lambda _, d: make((), d.numpy))

    creator(like, name + "_like")
    return creator(create, name)


zeros = _filled("zeros", np.zeros)
ones = _filled("ones", np.ones)
empty = _filled("empty", np.zeros)


def fill_number(value: Any) -> Any:
    """The number that a ``fill_value`` is."""
    if isinstance(value, str):
        raise TypeError("argument 'fill_value' (position 2) must be Number, not str")
    return value.item() if isinstance(value, Tensor) else value


def filled(size: Any, fill_value: Any, *, d: dt.dtype | None = None) -> Tensor:
    """A tensor of one value; without ``dtype``, of the value's own kind."""
    value = fill_number(fill_value)
    refuse(not isinstance(size, tuple | list), "argument 'size' (position 1) must be tuple of "
           "ints, not {}", type(size).__name__, kind=TypeError)
    d = d or infer_dtype(fill_value)
    return wrap(np.full(size_of((size,)), stored_number(d, value), d.numpy), d)


creator(filled, "full")


@creator
def arange(start: Any = None, end: Any = None, step: Any = 1, *,
           d: dt.dtype | None = None) -> Tensor:
    """Numbers from ``start`` to before ``end``; integers give int64."""
    refuse(start is None, "argument 'end' must be Number, not NoneType", kind=TypeError)
    if end is None:
        start, end = 0, start
    for place, (label, value) in enumerate((("end", end), ("start", start), ("step", step)), 1):
        if not isinstance(value, Tensor | int | float | complex | np.number):
            raise TypeError(f"argument '{label}' (position {place}) must be Number, not "
                            f"{type(value).__name__}")
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not all(math.isfinite(v) for v in (start, end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(v, int) for v in (start, end, step))
    d = d or (dt.int64 if whole else dt.get_default_dtype())
    refuse_kinds("bc", "arange_cpu", d)
    if d.category <= dt.INTEGRAL:
        if d is dt.int64:
            start, end, step = int(start), int(end), int(step)
        refuse(int(step) == 0, "step must be nonzero", kind=ValueError)
    n = int(np.ceil((end - start) / step))
    if d.category <= dt.INTEGRAL:
        start, step = int(start), int(step)
    return wrap(store(d, (start + step * np.arange(n)).astype(d.numpy)), d)
