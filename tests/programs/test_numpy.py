"""NumPy as people write it: the chain, order 2, forward mode, and the exported module."""

from __future__ import annotations

import numpy as np
import numpy_calls
import numpy_indexing
import numpy_libraries
import numpy_views
import numpy_writing
import pytest
from chain import check, check_exported, check_orders

import srcgrad as sg

CORPORA = (numpy_indexing, numpy_writing, numpy_views, numpy_libraries)
PROGRAMS = [(fn, args) for m in CORPORA for fn, args in m.CASES]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_program(fn, args, tmp_path):
    check(fn, args)
    check_orders(fn, args)
    check_exported(fn, args, tmp_path)


@pytest.mark.parametrize("fn", numpy_calls.CALLS, ids=lambda fn: str(fn.__code__.co_firstlineno))
def test_call(fn, tmp_path):
    check(fn, (numpy_calls.X,))
    check_orders(fn, (numpy_calls.X,))


def test_sums_into_an_array_of_another_precision():
    def program(x):
        low, high, c = x.astype(np.float32), np.zeros(23), np.zeros(23, complex)
        np.cumsum(x, out=low)  # computed in the wider of both types
        np.add.accumulate(x.astype(np.float32), out=high)
        np.cumprod(x, out=c)
        np.sum(np.outer(x, x), axis=0, out=low[::-1])
        return float(np.sum(low)) + np.sum(high) + np.sum(c.real)

    x = np.linspace(0.2, 1.3, 23)
    assert sg.value_and_grad(program)(x)[0] == program(x)


@pytest.mark.parametrize("act", [
    lambda x, out: np.einsum("ij,jk->ik", x, x, out=out), lambda x, out: np.outer(x[0], x[1], out=out),
    lambda x, out: x.dot(x, out=out), lambda x, out: np.stack([x[0], x[1]], out=out),
    lambda x, out: np.linalg.multi_dot([x, x, x], out=out)])
def test_results_that_do_not_fit_out_are_no_results(act):
    def program(x):
        out = np.zeros((2, 2), np.float32)
        act(x, out)
        return np.sum(out)

    with pytest.raises((TypeError, ValueError, sg.SrcgradError)):
        sg.grad(program)(np.ones((2, 2)))
