"""How long, how fast and how large the gradients of small applications are.

    python benchmarks/text_sizes.py                # the table
    python benchmarks/text_sizes.py --show garch   # the generated text of one program
"""

from __future__ import annotations

import argparse
import inspect
import os
import time
import tracemalloc

import numpy as np
from applications import applications

import srcgrad as sg

COLUMNS = ("source", "emitted", "lines", "first", "time", "memory")


def lines_of(text):
    """Lines of code: no blank lines, no comments."""
    stripped = (line.strip() for line in text.splitlines())
    return sum(bool(line) and not line.startswith(("#", "@")) for line in stripped)


def source_lines(program):
    """The lines of a program and of the classes of its module that it names."""
    text = inspect.getsource(program)
    helpers = [value for key, value in vars(inspect.getmodule(program)).items()
               if isinstance(value, type) and value.__module__ == program.__module__
               and key in text]
    return lines_of(text) + sum(lines_of(inspect.getsource(each)) for each in helpers)


def fastest(call, budget=0.2):
    times, end = [], time.process_time() + budget
    while not times or time.process_time() < end:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def peak(call):
    tracemalloc.start()
    call()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def measured(program, arguments):
    """Figures in the order of ``COLUMNS``; time and memory over those of the function."""
    derivative = sg.value_and_grad(program)
    start = time.process_time()
    derivative(*arguments)
    first = time.process_time() - start
    source, emitted = source_lines(program), lines_of(derivative.source(*arguments))
    plain, both = ((lambda f=f: f(*arguments)) for f in (program, derivative))
    return (source, emitted, emitted / source, first, fastest(both) / fastest(plain),
            peak(both) / peak(plain))


def main():
    os.environ["SRCGRAD_CACHE_DIR"] = ""  # first calls find nothing
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", action="store_true", help="print the generated text")
    options = parser.parse_args()
    rows = []
    for field, program, arguments in applications():
        if options.names and program.__name__ not in options.names:
            continue
        if options.show:
            print(sg.value_and_grad(program).source(*arguments))
            continue
        rows.append(measured(program, arguments))
        print(f"{field + '.' + program.__name__:32}", *_shown(rows[-1]), flush=True)
    if rows:
        print(f"{'':32}", *(f"{c:>8}" for c in COLUMNS))
        for title, quantile in (("median", 0.5), ("90 %", 0.9), ("worst", 1.0)):
            print(f"{title:32}", *_shown(np.quantile(rows, quantile, axis=0)))


def _shown(row):
    return (*(f"{v:8.0f}" for v in row[:2]), *(f"{v:8.2f}" for v in row[2:]))


if __name__ == "__main__":
    main()
