"""Floating point warnings: tensors compute silently, as PyTorch does.

Entering ``np.errstate`` anew for each operation costs more than the operation.  What it does is
to set one context variable; :func:`quiet` and :func:`loud` do just that, where NumPy offers it,
and fall back to ``np.seterr``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _fast_switch() -> tuple[Callable[[], Any], Callable[[Any], None]] | None:
    umath = getattr(getattr(np, "_core", None), "_multiarray_umath", None)
    variable = getattr(umath, "_extobj_contextvar", None)
    make = getattr(umath, "_make_extobj", None)
    if variable is None or make is None:
        return None
    ignoring = make(all="ignore")
    set_variable = variable.set
    return (lambda: set_variable(ignoring)), variable.reset


def _slow_quiet() -> Any:
    return np.seterr(all="ignore")


def _slow_loud(before: Any) -> None:
    np.seterr(**before)


_switch = _fast_switch()
quiet: Callable[[], Any] = _switch[0] if _switch else _slow_quiet
loud: Callable[[Any], None] = _switch[1] if _switch else _slow_loud
