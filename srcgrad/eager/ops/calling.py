"""Calling a primitive on promoted operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager import promotion
from srcgrad.eager.dispatch import bad_argument, is_number
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.grad_mode import state
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.promotion import broadcast_error
from srcgrad.eager.tensor import Tensor, store, wrap


def promoted(prim: Primitive, d: dt.dtype, *operands: Any, **settings: Any) -> Any:
    """``prim`` on operands converted to dtype ``d`` and broadcast; the result has dtype ``d``."""
    arrays = [promotion.as_array(v, d) for v in operands]
    token = quiet()
    try:
        r = np.asarray(prim.primal(*arrays, **settings))
    except ValueError:
        check_shapes(operands)
        raise
    finally:
        loud(token)
    if r.dtype is not d.numpy:
        r = store(d, r)
    if state.mode and d.category >= dt.FLOATING:
        return prim.finish(r, operands, settings, d)
    return wrap(dt.round_bfloat16(r) if d is dt.bfloat16 else r, d)


def check_shapes(operands: Any) -> None:
    """Raise PyTorch's error unless all operands broadcast."""
    shape: tuple[int, ...] = ()
    for value in operands:
        if isinstance(value, Tensor):
            try:
                shape = np.broadcast_shapes(shape, value._a.shape)
            except ValueError:
                raise broadcast_error(shape, value._a.shape) from None


def arithmetic_dtype(*operands: Any, floats: bool = False) -> dt.dtype:
    """The promoted dtype; with ``floats`` integers become the default floating dtype."""
    d = promotion.result_type(*operands)
    return promotion.floating(d) if floats else d


def operand(name: str, value: Any, argument: str = "other", position: int = 2) -> Any:
    """``value`` if it is a tensor or a number, else PyTorch's TypeError."""
    if isinstance(value, Tensor) or is_number(value):
        return value
    raise bad_argument(name, argument, position, "Tensor", value)
