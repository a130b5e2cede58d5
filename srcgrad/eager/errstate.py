"""Floating point warnings: tensors compute silently, as PyTorch does.

Entering ``np.errstate`` anew for each operation costs more than the operation.  What it does is
to set one context variable; :func:`enter` and :func:`leave` do just that, where NumPy offers it,
and fall back to ``np.seterr``.
"""

from __future__ import annotations

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


enter, IGNORING, leave = _fast_switch() or (
    lambda _: np.seterr(all="ignore"), None, lambda before: np.seterr(**before))


def quiet() -> Any:
    """Silence floating point warnings; gives the token that :func:`loud` takes."""
    return enter(IGNORING)


loud: Callable[[Any], Any] = leave
