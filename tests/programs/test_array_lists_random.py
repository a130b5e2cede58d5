"""Random programs over lists of arrays that change in place."""

from __future__ import annotations

import array_list_generator
import pytest
from random_gradients import serves


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_programs(start: int) -> None:
    assert sum(serves(array_list_generator, seed) for seed in range(start, start + 20)) >= 12


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_many_programs(start: int) -> None:
    assert sum(serves(array_list_generator, seed) for seed in range(start, start + 20)) >= 10
