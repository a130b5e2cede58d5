"""The measured loops: programs of ``tests/native/loop_programs.py``, each with its value and
gradient by hand for Numba, and a size."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent),
                str(Path(__file__).parents[1] / "tests" / "native")]

import hand_matrices  # noqa: E402
import hand_recurrences  # noqa: E402
import hand_tables  # noqa: E402
import loop_programs  # noqa: E402

SIZES = {
    "add_up": 10_000, "dot": 1000, "add_up_rows": 60, "prefix_sums": 1000, "smoothing": 1000,
    "horner": 200, "clenshaw": 200, "continued_fraction": 200, "garch": 1000,
    "tanh_recurrence": 1000,
    "running_mean_and_variance": 1000, "two_accumulators": 1000, "euler_pendulum": 500,
    "runge_kutta": 500, "verlet": 200, "lotka_volterra": 500, "kalman_scalar": 1000,
    "monte_carlo": 1000, "hinge": 1000, "last_elements": 1000, "counted": 1000, "masked": 1000,
    "cholesky": 60, "lu": 60, "forward_substitution": 100, "thomas": 1000, "product": 30,
    "quadratic_form": 80, "heat_by_elements": 60, "gauss_seidel": 60, "upwind": 1000,
    "convolution": 60, "cellular_rule": 1000, "floyd_warshall": 40, "time_warping": 80,
    "viterbi": 25, "knapsack_of_parts": 200, "gathered": 1000, "scattered": 1000, "swaps": 1000,
    "bubble_sort": 60, "pair_energy": 100, "bodies_on_a_line": 40,
}


def cases(size=None):
    """Name, program, value and gradient by hand, arguments (of a size that is given, or of that
    which is measured); the first argument is differentiated."""
    makers = {program.__name__: (program, made) for program, made, _ in loop_programs.CASES}
    for name, usual in SIZES.items():
        program, made = makers[name]
        by_hand = next(getattr(module, name) for module in (
            hand_recurrences, hand_matrices, hand_tables) if hasattr(module, name))
        n = usual if size is None else size
        rng = np.random.default_rng(n)
        yield name, program, by_hand, tuple(make(rng, n) for make in made)
