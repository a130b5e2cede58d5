"""Floating point warnings: tensors compute silently, as PyTorch does.

Entering ``np.errstate`` anew for each operation costs more than the operation.  What it does is
to set one context variable: ``quiet`` does just that, where NumPy offers it (else it calls
``np.seterr``), and gives the token that ``loud`` takes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def _fast_switch() -> tuple[Callable[[Any], Any], Any, Callable[[Any], None]] | None:
    umath = getattr(getattr(np, "_core", None), "_multiarray_umath", None)
    variable = getattr(umath, "_extobj_contextvar", None)
    make = getattr(umath, "_make_extobj", None)
    if variable is None or make is None:
        return None
    return variable.set, make(all="ignore"), variable.reset


_enter, _IGNORING, loud = _fast_switch() or (
    lambda _: np.seterr(all="ignore"), None, lambda before: np.seterr(**before))
quiet = functools.partial(_enter, _IGNORING)
