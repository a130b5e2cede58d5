"""A range beside an array is an array, whether its length is known or follows from a size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chain import close, differences, same
from generator import made

import srcgrad as sg

RANGES = ["range(len(w))", "range(1, len(w) + 1)", "range(len(w), 0, -1)", "range(k)", "range(4)",
          "range(len(w))[::-1]"]
USES = [
    "np.sum((w + {r}) * w)", "np.sum({r} * w)", "np.sum(({r} - w) ** 2)", "np.sum(w ** {r})",
    "np.sum(w / ({r} + w))", "np.sum({r} @ w)", "np.sum(w[1] * np.float64(2.0) * {r})",
    "np.sum((w < {r}) * w)", "np.sum(({r} >= w) * w)", "np.sum(np.round(w) == {r}) * w[0]",
    "np.sum(({r} != np.round(w)) * w)", "np.sum(np.maximum(w, {r}))", "np.sum(w[{r}[:2]] * 3.0)",
    "np.dot({r}, w)", "np.sum((np.random.RandomState(3).rand(len(w)) + {r}) * w)",
]
CHANGES = ["w += {r}", "w -= {r}", "w *= {r}", "w[:] = {r} * w", "w[{r}] = w * 2.0"]


def program_of(*lines: str) -> Any:
    text = "\n    ".join(lines)
    return made(f"""import numpy as np

def program(w, k):
    {text}
""", "; ".join(lines))


@pytest.mark.parametrize("r", RANGES)
@pytest.mark.parametrize("use", USES + CHANGES)
def test_values_and_gradients(use: str, r: str) -> None:
    line = use.replace("{r}", r)
    fn = program_of("w = w * 1.0", line, "return np.sum(w ** 2)") if use in CHANGES else (
        program_of(f"return {line}"))
    df = sg.value_and_grad(fn)
    for w, k in ((np.array([0.3, 0.9, 2.2, 2.8]), 4), (np.array([0.3, 1.2]), 2)):
        try:
            want = fn(w, k)
        except (ValueError, IndexError):
            continue
        value, slope = df(w, k)
        assert same(value, want)
        assert close(slope, differences(fn, (w, k), 0)[0], 1e-5), df.source()


def test_a_number_of_python_beside_a_range() -> None:
    fn = program_of("return np.sum(w) + 2.0 * range(k)")
    with pytest.raises(TypeError, match="unsupported operand"):
        sg.grad(fn)(np.ones(3), 3)
