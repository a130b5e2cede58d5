"""Random programs in the style of small numerical methods: classes, closures, keyword arguments,
dicts, several dtypes, NumPy's functions with their keywords. Value or exception of plain Python,
and derivatives in every mode that agree with each other and with differences."""

from __future__ import annotations

import pytest
from method_generator import arguments, program
from test_kernels import check_first, modes_of


def check(seed: int) -> None:
    fn, text = program(seed)
    modes = modes_of(fn, (0, 1, 2, 3))
    for args in arguments(seed):
        check_first(fn, text, args, modes)


@pytest.mark.parametrize("seed", range(5))
def test_methods(seed: int) -> None:
    check(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(100, 300, 10))
def test_many_methods(start: int) -> None:
    for seed in range(start, start + 10):
        check(seed)
