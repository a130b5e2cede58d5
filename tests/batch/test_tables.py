"""Batched forms over the tables of expressions: the stack of single calls, of the same dtypes.

Expressions that have no batched form are loops over the examples; both must be right, and the
share that is batched may not fall.
"""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import srcgrad as sg

sys.path.insert(0, str(Path(__file__).parents[1] / "rules"))

from compiled import CONSTANTS, OPERANDS, function_of, leaves, names_in  # noqa: E402
from test_compiled import NUMPY, split  # noqa: E402

FACTORS = (1.0, 0.97, 1.04)


def batch_of(value):
    return np.stack([np.asarray(np.asarray(value) * k, np.asarray(value).dtype) for k in FACTORS])


def rows_of(fun, args, axes):
    """The results of single calls, stacked; None where these have no common shape."""
    results = [leaves(fun(*(a if k is None else np.array(a[i]) if a[i].ndim else a[i]
                            for a, k in zip(args, axes)))) for i in range(len(FACTORS))]
    if len({tuple(np.shape(leaf) for leaf in row) for row in results}) > 1:
        return None
    return [np.stack([np.asarray(row[k]) for row in results]) for k in range(len(results[0]))]


def check(line, which):
    """Is the expression batched without a loop?  None where a batch makes no sense."""
    text = split(line)[0]
    names = names_in(text)
    fun = function_of(text, CONSTANTS)
    axes = tuple(0 if which == "all" or k == 0 else None for k in range(len(names)))
    args = [batch_of(OPERANDS[n]) if k == 0 else OPERANDS[n] for n, k in zip(names, axes)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            want = rows_of(fun, args, axes)
        except (TypeError, ValueError, ArithmeticError):  # numbers of NumPy where Python's are meant
            return None
        if want is None:
            return None
        heard = []
        handler = logging.Handler()
        handler.emit = lambda record: heard.append(record.getMessage())
        logger = logging.getLogger("srcgrad")
        level, propagate = logger.level, logger.propagate
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        try:
            found = leaves(sg.jit(sg.vmap(fun, axes))(
                *(np.array(a) if isinstance(a, np.ndarray) else a for a in args)))
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate
    assert len(found) == len(want)
    for ours, theirs in zip(map(np.asarray, found), want):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), text
        tolerance = 2e-5 if theirs.dtype.char in "fF" else 1e-9
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)
    return not any("is a loop" in text for text in heard)


WAYS = ("all", "first")


@pytest.mark.long
def test_half_of_the_expressions_are_batched():
    done = [check(line, which) for line in NUMPY[1::24] for which in WAYS]
    assert done.count(True) >= 0.5 * (len(done) - done.count(None))


@pytest.mark.sweep
@pytest.mark.parametrize("line", NUMPY)
def test_every_expression(line):
    for which in WAYS:
        check(line, which)
