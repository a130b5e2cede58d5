"""Operands that are tensors or numbers, and primitives of them: promoted and broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import dtype as dt
from srcgrad.eager import promotion
from srcgrad.eager.calling_errors import NUMBERS
from srcgrad.eager.errstate import loud, quiet
from srcgrad.eager.grad_mode import state
from srcgrad.eager.primitive import Primitive
from srcgrad.eager.tensor import store, wrap

Operand = Any  # a tensor or a number


def is_number(value: Any) -> bool:
    """Whether an operand is a plain number (Python's or a NumPy scalar)."""
    return isinstance(value, NUMBERS)


def arithmetic_dtype(*operands: Any, floats: bool = False) -> dt.dtype:
    """The promoted dtype; with ``floats`` integers become the default floating dtype."""
    d = promotion.result_type(*operands)
    return promotion.floating(d) if floats else d


def promoted(prim: Primitive, d: dt.dtype, *operands: Any, **settings: Any) -> Any:
    """``prim`` on operands converted to dtype ``d`` and broadcast; the result has dtype ``d``."""
    r = computed(prim, d, operands, settings)
    if r.dtype is not d.numpy:
        r = store(d, r)
    if state.mode and d.category >= dt.FLOATING:
        return prim.finish(r, operands, settings, d)
    return wrap(dt.round_bfloat16(r) if d is dt.bfloat16 else r, d)


def computed(prim: Primitive, d: dt.dtype, operands: Any, settings: Any) -> Any:
    """The array of ``prim`` on operands converted to dtype ``d``."""
    arrays = [promotion.as_array(v, d) for v in operands]
    token = quiet()
    try:
        return np.asarray(prim.primal(*arrays, **settings))
    except ValueError:
        promotion.check_broadcast(*operands)
        raise
    except NotImplementedError as error:
        if d is dt.bfloat16:  # computed in single precision, which was refused
            raise NotImplementedError(str(error).replace("'Float'", "'BFloat16'")) from None
        raise
    finally:
        loud(token)
