"""Sweep over tables of expressions with degenerate data: missing, infinite, equal, of size 0 and 1.

Whatever NumPy gives is given by its bits, whatever it raises is raised or refused; a gradient has
its operand's shape and is no 0 beside a missing value that was chosen, and it neither raises nor is
refused where the value is there.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from compiled import CONSTANTS, OPERANDS, assert_same, copies, function_of, names_in, total
from test_compiled import NUMPY, split

import srcgrad as sg


def put(*values):
    """Some elements replaced by ``values``."""
    def form(a):
        a = a.copy()
        flat = a.reshape(-1)
        flat[[0, flat.size // 2][:len(values)]] = values
        return a

    return form


def cut(size, axis):
    return lambda a: a[(slice(None),) * axis + (slice(size),)].copy() if a.ndim > axis else a


FORMS = {
    "missing": put(np.nan), "infinite": put(np.inf), "minus infinite": put(-np.inf),
    "zeros": np.zeros_like, "some zeros": put(0.0, 0.0), "equal": lambda a: np.full_like(a, 0.5),
    "no rows": cut(0, 0), "no columns": cut(0, 1), "nothing in the third axis": cut(0, 2),
    "one row": cut(1, 0), "one column": cut(1, 1), "truth values": lambda a: a > 0,
    "complex": lambda a: a + 0j,
}


# the triangle of a singular matrix has no derivative, which raises
KNOWN = (("np.linalg.qr(C,mode='r')", "zeros"),)
NOT_FINITE = ("missing", "infinite", "minus infinite")


def degenerate(value, form):
    real = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size
    return FORMS[form](value) if real else value


def check(line, form):
    text, without = split(line)
    if form in NOT_FINITE and "linalg." in text:  # LAPACK's iterations need not come to an end
        return
    if (text, form) in KNOWN:
        return
    names = names_in(text)
    values = [degenerate(OPERANDS[n], form) for n in names]
    if form in without["not"] or all(v is OPERANDS[n] for v, n in zip(values, names, strict=True)):
        return
    function, inner = function_of(text, CONSTANTS), function_of(text, CONSTANTS)

    def loss(*operands):
        return total(inner(*operands))

    active = tuple(i for i, v in enumerate(values) if np.asarray(v).dtype.kind in "fc")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = function(*copies(values))
            lost = loss(*copies(values))
        except Exception as raised:
            with pytest.raises((type(raised), sg.SrcgradError)):
                sg.jit(function)(*copies(values))
            return
        assert_same(sg.jit(function)(*copies(values)), want, text)
        if not active:
            return
        _, found = sg.value_and_grad(loss, argnums=active)(*copies(values))
    for i, gradient in zip(active, found, strict=True):
        assert np.shape(gradient) == np.shape(values[i]), text
        whole = form != "missing" or "nan" in text or not np.isnan(lost)
        assert whole or not np.isnan(values[i]).any() or np.any(gradient != 0), text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("line", NUMPY[::60])
def test_degenerate_data(line, form):
    check(line, form)
