"""Random programs in which lists stand beside arrays."""

from __future__ import annotations

import operand_generator
import pytest
from random_gradients import serves


@pytest.mark.parametrize("start", range(0, 80, 20))
def test_programs(start: int) -> None:
    assert sum(serves(operand_generator, seed) for seed in range(start, start + 20)) >= 19


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 20))
def test_many_programs(start: int) -> None:
    assert sum(serves(operand_generator, seed) for seed in range(start, start + 20)) >= 18
