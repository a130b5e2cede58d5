"""Random programs over pairs, centred arrays and sums, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from pair_generator import arguments, program

import srcgrad as sg


def run(seed: int) -> None:
    fn, text = program(seed)
    args = arguments(seed)
    value, gradients = sg.value_and_grad(fn, argnums=(0, 1, 2))(*args)
    assert value == fn(*args), text
    rng = np.random.default_rng(seed)
    for place, gradient in enumerate(gradients):
        step = rng.normal(size=args[place].shape)
        ends = [fn(*args[:place], args[place] + h * step, *args[place + 1:])
                for h in (-1e-6, 1e-6)]
        np.testing.assert_allclose(np.sum(gradient * step), (ends[1] - ends[0]) / 2e-6,
                                   rtol=2e-4, atol=1e-5, err_msg=text)


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_programs(start: int) -> None:
    for seed in range(start, start + 10):
        run(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1400, 50))
def test_many_programs(start: int) -> None:
    for seed in range(start, start + 50):
        run(seed)
