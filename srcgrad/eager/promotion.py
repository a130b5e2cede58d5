"""Type promotion of operands: tensors with dimensions, then 0-dim tensors, then numbers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager.calling_errors import NUMBERS
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.grad_mode import state
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import Tensor, store, wrap


def result_type(*operands: Any) -> dt.dtype:
    """The dtype of arithmetic among tensors and Python numbers.

    >>> result_type(1, 2.5)
    torch.float32
    """
    groups: list[dt.dtype | None] = [None, None, None]
    for value in operands:
        if isinstance(value, Tensor):
            place, d = (0 if value._a.ndim else 1), value._dt
        else:
            place, d = 2, dt.of_scalar(value)
        had = groups[place]
        groups[place] = d if had is None else dt.promote_types(had, d)
    found = dt.combine(groups[0], dt.combine(groups[1], groups[2]))
    if found is None:
        raise ValueError("result_type needs at least one operand")
    return found


def as_array(value: Any, d: dt.dtype) -> Any:
    """An operand's array in dtype ``d``; Python numbers stay weak where NumPy treats them so."""
    if isinstance(value, Tensor):
        return value._a if value._a.dtype is d.numpy else store(d, value._a)
    if d.category >= dt.FLOATING:
        if isinstance(value, np.generic):
            value = value.item()
        return float(value) if value.__class__ is bool else value  # NumPy computes it in half
    if d is dt.bool_:
        return bool(value)
    return np.asarray(value).astype(np.int64, copy=False).astype(d.numpy) if (
        not isinstance(value, int) or d is not dt.int64) else value


_C_NAME = {"float32": "float", "float64": "double", "float16": "c10::Half", "int64": "int64_t",
           "int32": "int", "int16": "int16_t", "int8": "int8_t", "uint8": "uint8_t",
           "bool": "bool", "bfloat16": "c10::BFloat16", "uint16": "uint16_t",
           "uint32": "uint32_t", "uint64": "uint64_t"}


def stored_number(d: dt.dtype, value: Any) -> Any:
    """A number as storage of dtype ``d``, which must be able to hold it."""
    if isinstance(value, int) and not -1 << 63 <= value < 1 << 64:
        raise OverflowError("int too big to convert")
    if isinstance(value, complex | np.complexfloating):
        fits = d.category >= dt.COMPLEX
    elif d.category == dt.INTEGRAL:
        most = int(np.iinfo(d.numpy).max)
        least = int(np.iinfo(d.numpy).min)
        if least == 0 and isinstance(value, int | np.integer):
            least = -most  # negative integers wrap
        fits = least <= value <= most  # false for NaN, too
    else:
        fits = True
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {_C_NAME[d.name]} without overflow")
    return store(d, np.asarray(value))


def floating(d: dt.dtype) -> dt.dtype:
    """``d``, or the default dtype for integers and booleans."""
    return d if d.category >= dt.FLOATING else dt.get_default_dtype()


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's message for shapes that do not broadcast."""
    pairs = itertools.zip_longest(reversed(a), reversed(b), fillvalue=1)
    for i, (x, y) in enumerate(pairs, 1):
        if x != y and x != 1 and y != 1:
            return RuntimeError(f"The size of tensor a ({x}) must match the size of tensor b ({y}) "
                                f"at non-singleton dimension {max(len(a), len(b)) - i}")
    return RuntimeError(f"shapes {a} and {b} do not broadcast")


def check_broadcast(*operands: Any) -> None:
    """Raise PyTorch's error unless all operands that are tensors broadcast."""
    shape: tuple[int, ...] = ()
    for value in operands:
        if isinstance(value, Tensor):
            try:
                shape = np.broadcast_shapes(shape, value._a.shape)
            except ValueError:
                raise broadcast_error(shape, value._a.shape) from None


Operand = Any  # a tensor or a number


def is_number(value: Any) -> bool:
    """Whether an operand is a plain number (Python's or a NumPy scalar)."""
    return isinstance(value, NUMBERS)


def arithmetic_dtype(*operands: Any, floats: bool = False) -> dt.dtype:
    """The promoted dtype; with ``floats`` integers become the default floating dtype."""
    d = result_type(*operands)
    return floating(d) if floats else d


def promoted(prim: Primitive, d: dt.dtype, *operands: Any, **settings: Any) -> Any:
    """``prim`` on operands converted to dtype ``d`` and broadcast; the result has dtype ``d``."""
    r = computed(prim, d, operands, settings)
    if r.dtype is not d.numpy:
        r = store(d, r)
    if state.mode and d.category >= dt.FLOATING:
        return prim.finish(r, operands, settings, d)
    return wrap(dt.round_bfloat16(r) if d is dt.bfloat16 else r, d)


# What PyTorch computes in single precision for half precision and one number.
_WIDE = (np.multiply, np.true_divide)


def computed(prim: Primitive, d: dt.dtype, operands: Any, settings: Any) -> Any:
    """The array of ``prim`` on operands converted to dtype ``d``."""
    arrays = [as_array(v, d) for v in operands]
    if d is dt.float16 and prim.function in _WIDE:
        given = [v._a if isinstance(v, Tensor) else v for v in operands]
        arrays = [a if np.ndim(v) else np.float32(v) for a, v in zip(arrays, given)]
    token = quiet()
    try:
        return np.asarray(prim.primal(*arrays, **settings))
    except ValueError:
        check_broadcast(*operands)
        raise
    except NotImplementedError as error:
        check_broadcast(*operands)
        if d is dt.bfloat16:  # computed in single precision, which was refused
            raise NotImplementedError(str(error).replace("'Float'", "'BFloat16'")) from None
        raise
    finally:
        loud(token)
