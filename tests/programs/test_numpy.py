"""NumPy as people write it: the chain, order 2, forward mode, and the exported module."""

from __future__ import annotations

import numpy_calls
import numpy_indexing
import numpy_libraries
import numpy_views
import numpy_writing
import pytest
from chain import check, check_exported, check_orders

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
