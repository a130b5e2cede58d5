"""Programs over objects (``tests/golden/golden_objects.py``): lines of the text, first calls, and
the time of value and gradient over that of the function, for 100 and for 400 objects, in NumPy's
text and with the backend for Numba.

    python benchmarks/objects.py
    python benchmarks/objects.py pairs tree    # some of them
"""

from __future__ import annotations

import inspect
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "golden"))

from golden_objects import OBJECTS

import srcgrad as sg

COUNTS = (100, 400)


def lines_of(text):
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))


def least(function, args, rounds=7):
    """Least CPU seconds of a call."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        function(*args)
        found.append(time.process_time() - began)
    return min(found)


def measured(name):
    """Lines over the program's, seconds of the first call, and times over the function's."""
    program, classes, arguments = OBJECTS[name]
    derivative = sg.value_and_grad(program)
    native = sg.value_and_grad(program, backend="numba")
    began = time.process_time()
    derivative(*arguments(5))
    first = time.process_time() - began
    source = sum(lines_of(inspect.getsource(part)) for part in (program, *classes))
    ratios = []
    for count in COUNTS:
        args = arguments(count)
        alone = least(program, args)
        for run in (derivative, native):
            run(*args)
            ratios.append(least(run, args) / alone)
    return lines_of(derivative.source(*arguments(5))) / source, first, ratios


def main():
    os.environ["SRCGRAD_CACHE_DIR"] = ""  # first calls find nothing
    sg.value_and_grad(lambda x: x * x)(1.0)  # what the first call of a process does besides
    print("| program | lines | first call | "
          f"{' | '.join(f'{n} objects | native' for n in COUNTS)} |")
    print("|---|---|---|" + "---|---|" * len(COUNTS))
    for name in sys.argv[1:] or OBJECTS:
        lines, first, ratios = measured(name)
        print(f"| {name} | {lines:.1f} | {1e3 * first:.0f} ms | "
              f"{' | '.join(f'{ratio:.2g}' for ratio in ratios)} |", flush=True)


if __name__ == "__main__":
    main()
