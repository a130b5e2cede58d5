"""Sweep over tables of expressions with degenerate data: missing, infinite, equal, of size 0 and 1.

Whatever NumPy gives is given by its bits, whatever it raises is raised or refused; a gradient has
its operand's shape and is no 0 beside a missing value that was chosen, and it neither raises nor is
refused where the value is there.
"""

from __future__ import annotations

import re
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


# Calls of which NumPy makes nothing: memory that was never written, matrices that are taken for
# Hermitian ones because they are empty, and an index into conditions that are not there. Of nothing
# it takes one quantile where several are asked for, whose axis is missing then.
NONSENSE = {
    ("np.einsum('ii->i',M)", "no rows"), ("r=np.empty(4); np.cumsum(x,out=r); return r", "no rows"),
    ("np.linalg.pinv(S,hermitian=True)", "no rows"),
    ("np.linalg.pinv(S,hermitian=True)", "no columns"),
    ("np.piecewise(x,x<0,[lambda v:v**2])", "no rows"),
    ("np.piecewise(x,x<0,[lambda v:v**2,2.0])", "no rows"),
}
NOT_FINITE = ("missing", "infinite", "minus infinite")
SEVERAL_QUANTILES = re.compile(r"np\.nan(quantile|percentile)\(\w+,\[")
SIZES = ("no rows", "no columns", "nothing in the third axis", "one row", "one column")


def degenerate(value, form):
    real = isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size
    return FORMS[form](value) if real else value


def moves(function, names, i):
    """Does a function of ordinary operands depend on the one at ``i``?"""
    def loss(*operands):
        return total(function(*operands))

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.any(sg.grad(loss, argnums=i)(*(OPERANDS[n] for n in names)) != 0)


def check(line, form):
    text, without = split(line)
    if form in NOT_FINITE and "linalg." in text:  # LAPACK's iterations need not come to an end
        return
    if (text, form) in NONSENSE or (form in SIZES[:3] and SEVERAL_QUANTILES.match(text)):
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
        if form in SIZES and np.isfinite(lost):
            assert np.isfinite(gradient).all() or np.isnan(OPERANDS[names[i]]).any(), text
        lost_one = form == "missing" and np.isnan(lost) and np.isnan(values[i]).any()
        if lost_one and "nan" not in text and not np.any(gradient != 0):
            assert not moves(inner, names, i), text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("line", NUMPY[::60])
def test_degenerate_data(line, form):
    check(line, form)


@pytest.mark.sweep
@pytest.mark.parametrize("line", NUMPY)
def test_every_degenerate(line):
    for form in FORMS:
        check(line, form)
