"""Programs of several constructs each: the chain, order 2, forward mode, the exported module."""

from __future__ import annotations

import mixed_classes
import mixed_iterators
import mixed_numpy
import mixed_python
import pytest
from chain import check, check_exported, check_orders

PROGRAMS = [
    pytest.param(fn, args, id=f"{module.__name__}-{fn.__name__}")
    for module in (mixed_classes, mixed_iterators, mixed_numpy, mixed_python)
    for fn, args in module.CASES
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


# its decorated helpers count their calls: what they count in is passed to the exported function
WITH_STATE = frozenset({"decorators"})
# the end of its own iterator is not known in a derivative of a derivative
FIRST_ORDER = frozenset({"own_iterator"})


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program_at_length(fn, args, tmp_path):
    check(fn, args)
    if fn.__name__ not in FIRST_ORDER:
        check_orders(fn, args)
    if fn.__name__ not in WITH_STATE:
        check_exported(fn, args, tmp_path)
