"""Sizes that floats decide: one compiled function for calls in which they differ."""

from __future__ import annotations

from typing import Any

import pytest
import scipy.ndimage
from chain import close, differences, same
from generator import made

import srcgrad as sg

ARGUMENTS = ["n / 2", "-n / 2 + 1, n / 2, 2", "0.0, n / 2, 0.5", "x, x * n + s", "x, x * n + s, x / 3",
             "0, n, s", "s, n", "stop=n / 2, start=0.0", "s, n / 2, step=s"]
SETTINGS = ["", "dtype=np.float64", "dtype=np.float32, device=None", "device=None",
            "like=None", "device='cpu', dtype=float"]
OTHERS = [
    "scipy.ndimage.zoom(np.ones(8) * x, n / 4)",
    "scipy.ndimage.rotate(np.ones((6, 6)) * x, n * 10.0, order=1)",
    "np.roots([x - 2.0, n - 2, 3.0])",
    "np.polymul([x - 2.0, n - 2, 3.0], [1.0, x])",
    "np.polyadd([x - 2.0, 0.0], [2.0 - x, s])",
    "np.poly1d([x - 2.0, n - 2, 3.0]).coeffs",
    "np.arange(x * 4.5)[:int(x * n)]",
    "np.linspace(x, n, int(s * 10))",
    "np.r_[0.0:n / 2:0.5, x]",
]


def program_of(values: str) -> Any:
    return made(f"""import numpy as np
import scipy.ndimage

def program(x, s, n):
    values = np.real({values})
    count = len(values)
    weights = np.cos(np.arange(count) * s)
    return np.sum(weights * values) * x + count * s + np.zeros(count).sum()
""", f"sizes of {values}")


@pytest.mark.parametrize("values", [
    *(f"np.arange({', '.join(filter(None, (given, setting)))})"
      for given in ARGUMENTS for setting in SETTINGS), *OTHERS])
def test_sizes_follow_the_numbers(values: str) -> None:
    fn = program_of(values)
    df = sg.value_and_grad(fn, argnums=(0, 1))
    for args in ((1.53, 0.37, 4), (1.53, 0.37, 7), (1.71, 0.29, 5), (2.0, 0.43, 3), (2.0, 0.43, 2)):
        try:
            want = fn(*args)
        except (ValueError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                df(*args)
            continue
        value, slopes = df(*args)
        assert same(value, want)
        if args[0] == 2.0 or "float32" in values:  # at a jump, or too coarse for differences
            continue
        for place in (0, 1):
            assert close(slopes[place], differences(fn, args, place)[0], 1e-4), df.source()


def test_scipy_is_staged_with_them() -> None:
    fn = made("""import numpy as np
from scipy.signal import buttap

def program(x, n):
    zeros, poles, gain = buttap(n / 2)
    degree = poles.shape[0] - zeros.shape[0]
    return np.sum(np.abs(poles + x)) * degree
""", "poles of half an order")
    df = sg.value_and_grad(fn)
    for n in (2, 4, 6):
        value, slope = df(0.3, n)
        assert same(value, fn(0.3, n))
        assert close(slope, differences(fn, (0.3, n), 0)[0], 1e-5)
    assert scipy.ndimage  # what the programs import
