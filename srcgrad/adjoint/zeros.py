"""Zero cotangents, made only where the structure needs one."""

from __future__ import annotations

import numpy as np

from ..graph.ir import Value
from ..types.kinds import COMPLEX, FLOAT, SCALARS, Kind, scalar
from .frames import Tape, cotangent_aval


def zeros(tape: Tape, primal: Value) -> Value:
    """A zero of the shape of ``primal``.

    Arrays use ``np.zeros_like(primal)``: a use of the shape only, which closing rewrites to
    symbolic sizes where ``primal`` itself is not at hand.  That of an integer is a float, which the
    value is on other paths.
    """
    aval = primal.aval
    if aval.kind in (Kind.LIST, Kind.RECORD):
        return tape.add("list_like", (primal,), (cotangent_aval(aval),)).out
    if aval.kind in SCALARS:
        if aval.dtype == np.complex128:
            return tape.const(0j, COMPLEX)
        if aval.dtype is not None and aval.dtype.kind == "f" and aval.dtype != np.float64:
            return tape.const(aval.dtype.type(0), scalar(aval.dtype))
        return tape.const(0.0, FLOAT)
    return tape.apply(np.zeros_like, (primal,), {}, cotangent_aval(aval))
