"""SciPy's solvers and integrators in differentiated programs: SciPy's own values, derivatives of
any order in both modes, exported modules, and refusals."""

from __future__ import annotations

import pytest
import solvers
from chain import check, check_exported, check_orders

import srcgrad as sg


@pytest.mark.parametrize(("fn", "args"), solvers.CASES, ids=lambda a: getattr(a, "__name__", ""))
def test_exact(fn, args, tmp_path):
    check(fn, args, staged=False)
    check_orders(fn, args)
    check_exported(fn, args, tmp_path)


@pytest.mark.parametrize(("fn", "args"), solvers.STEPS, ids=lambda a: getattr(a, "__name__", ""))
def test_steps(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


@pytest.mark.parametrize(("fn", "args"), solvers.NOISY, ids=lambda a: getattr(a, "__name__", ""))
def test_noisy(fn, args, tmp_path):
    check(fn, args, gradients=False, staged=False)
    check_exported(fn, args, tmp_path)
    (p,) = args
    df = sg.grad(fn)
    assert df(p) == pytest.approx((fn(p + 1e-4) - fn(p - 1e-4)) / 2e-4, rel=1e-4)
    assert sg.grad(df)(p) == pytest.approx((df(p + 1e-4) - df(p - 1e-4)) / 2e-4, rel=1e-3, abs=1e-4)
    assert sg.jvp(fn, (p,), (1.0,))[1] == pytest.approx(df(p), rel=1e-8)


@pytest.mark.parametrize(("fn", "message"), solvers.REFUSED, ids=lambda a: getattr(
    a, "__name__", ""))
def test_refused(fn, message):
    with pytest.raises(sg.SrcgradError, match=message):
        sg.grad(fn)(1.3)


def test_bounds_that_are_met():
    with pytest.raises(ValueError, match="lies at one of its bounds"):
        sg.grad(solvers.minimum_at_a_bound)(1.3)
