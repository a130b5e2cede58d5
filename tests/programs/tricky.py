"""Programs that decide whether the design is right: the table of what they are about.

Fifty rows by topic.  Each row has programs (in ``tricky_homes``, ``tricky_control``,
``tricky_integers``, ``tricky_types`` and ``tricky_calls``: value, gradient and mutation by the
whole chain) or tests (in ``test_tricky``: refusals and mechanisms), and relatives of both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

R = np.random.RandomState(0)
X = R.rand(4) + 0.5

TOPICS: dict[str, dict[int, str]] = {
    "homes: who shares memory with whom": {
        1: "an arm of a branch writes through a view; the array itself is read",
        3: "a loop whose body only calls a function that writes",
        10: "overlapping arguments, one of them written",
        25: "a write into a reshape that may or may not be a view",
        28: "double buffering: two names swap in a loop",
        29: "a name that is an array on one path, its copy on the other, then +=",
        36: "memory layout is part of the bits of a sum",
        37: "gradients alias neither each other nor arguments",
        38: "a pullback survives changes of its arguments, and runs twice",
        48: "rows of an array in a for, written in place",
        49: "an array appended to a list and written to later",
    },
    "control flow, lists, residuals": {
        2: "a while loop that fills a list, then stack",
        6: "return out of nested loops on data",
        12: "try solve, except LinAlgError",
        17: "next() on an iterator in a while; a generator in a loop",
        19: "a long while loop on floats",
        31: "a long range that is left by break",
        32: "slices whose length is the loop index",
        34: "a ragged list of weights; thousands of equal arrays",
        41: "ranges of negative count, arrays of size 0 and 1",
        42: "six nested loops, each with a carried value that widens",
        43: "checks of shapes that raise; a None exit",
        45: "with np.errstate around the program",
    },
    "integers, sizes and guards": {
        5: "a test on the parity of the loop index",
        7: "a captured array and a captured list that change between calls",
        8: "the same mask read twice",
        9: "differences times weights, later with two elements",
        18: "an axis that is computed from an int",
        20: "tables indexed by arguments, loop indices and data",
        24: "hashes in Python ints and in np.uint64",
        27: "a helper replaced, its defaults changed",
        35: "third-party checks: asarray, isinstance",
    },
    "types": {
        4: "a sum that starts as the int 0 and becomes an array",
        21: "0-d arrays, NumPy scalars and their in-place operators",
        22: "division of Python floats by zero",
        23: "powers with a loop index, with float exponents, of negative numbers",
        26: "+= of a parameter that is a float, a NumPy scalar or an array",
        30: "best = None before a loop",
        33: "a function chosen by data",
        40: "a string that changes in a loop",
        46: "a new dataclass instance in each iteration",
    },
    "calls, objects and effects": {
        11: "attributes of an object carried by a loop",
        13: "recursion that stops on data",
        14: "random numbers of the user's generator",
        15: "print in one arm, append in both",
        16: "a gradient inside the function that is differentiated",
        39: "clocks, files, caches",
        44: "a call that may raise and whose result is not used",
        47: "sorting by traced keys",
        50: "recursion that stops on an int argument",
    },
}
ROWS = {number: text for rows in TOPICS.values() for number, text in rows.items()}
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
NUMBERS: dict[str, int] = {}


def row(number: int, *args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program of a row with its arguments."""

    def register(fn: Callable[..., Any]) -> Callable[..., Any]:
        assert number in ROWS
        assert fn.__name__ not in NUMBERS, fn.__name__
        NUMBERS[fn.__name__] = number
        CASES.append((fn, args))
        return fn

    return register
