"""Loops that run natively, beside NumPy's text and beside gradients written by hand for Numba,
measured side by side in one run; and first calls.

Run with one BLAS thread: OMP_NUM_THREADS=1 python benchmarks/native.py
Prints a Markdown table.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import numba
import numpy as np

import srcgrad as sg

sys.path.insert(0, str(Path(__file__).parent))

import native_loops
from side_by_side import measured, shown


def first(call):
    """CPU seconds of the first call."""
    began = time.process_time()
    call()
    return time.process_time() - began


def main():
    numba.njit(lambda x: x + 1.0)(1.0)  # Numba starts up
    print("| program | NumPy text | native | by hand for Numba | NumPy over native | native over "
          "by hand | first call, NumPy | native | by hand |")
    print("|---|---|---|---|---|---|---|---|---|")
    over_numpy, over_hand = [], []
    for name, function, by_hand, args in native_loops.cases():
        text, native = sg.value_and_grad(function), sg.value_and_grad(function, backend="numba")
        hand = numba.njit(by_hand)
        calls = [lambda f=f: f(*args) for f in (text, native, hand)]
        starts = [first(call) for call in calls]
        for value, gradient in (native(*args), hand(*args)):
            assert np.allclose(value, text(*args)[0], rtol=1e-12), name
            assert np.allclose(gradient, text(*args)[1], rtol=1e-8, atol=1e-12), name
        times = measured(*calls)
        over_numpy.append(times[0] / times[1])
        over_hand.append(times[1] / times[2])
        print(f"| {name} | {' | '.join(map(shown, times))} | {over_numpy[-1]:.3g} | "
              f"{over_hand[-1]:.2f} | {' | '.join(map(shown, starts))} |", flush=True)
    mean = statistics.geometric_mean
    print(f"\nGeometric means: NumPy's text over native {mean(over_numpy):.3g}, native over "
          f"by hand {mean(over_hand):.2f} (largest {max(over_hand):.2f}).")


if __name__ == "__main__":
    main()
