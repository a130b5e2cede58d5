"""Loops that run natively, strict and fast, beside NumPy's text and beside gradients written by
hand for Numba, measured side by side in one run in CPU time; first calls, in this process and in a
second one that finds native code on disk; memory after many calls.

Run with one BLAS thread: OMP_NUM_THREADS=1 python benchmarks/native.py [--write] [names]
Prints Markdown tables; with --write they take their place in docs/performance.md.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLACE = Path(__file__).parents[1] / "docs" / "performance.md"
MARKS = "<!-- python benchmarks/native.py --write -->\n", "<!-- end -->\n"
sys.path.insert(0, str(Path(__file__).parents[1]))


def first(call):
    """CPU seconds of the first call."""
    began = time.process_time()
    call()
    return time.process_time() - began


def resident():
    """Bytes of memory of this process, on Linux."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def chosen(names):
    import native_loops

    return [case for case in native_loops.cases() if not names or case[0] in names]


def second_process(names):
    """What a process prints that finds the code of a former one: seconds of each first call."""
    import numba

    import srcgrad as sg

    numba.njit(lambda x: x + 1.0)(1.0)  # Numba starts up
    for _, function, _, args in chosen(names):
        df = sg.value_and_grad(function, backend="numba")
        df.source(*args)  # traced and emitted, which does not depend on the backend
        print(first(lambda: df(*args)))


def measure(names):
    """For each program seconds: of calls (text, strict, fast, by hand), of first calls."""
    import numba
    import numpy as np
    from side_by_side import measured

    import srcgrad as sg

    numba.njit(lambda x: x + 1.0)(1.0)
    rows, grown = [], []
    for name, function, by_hand, args in chosen(names):
        hand = numba.njit(by_hand)
        text, strict = sg.value_and_grad(function), sg.value_and_grad(function, backend="numba")
        fast = strict.with_backend("numba", precision="fast")
        calls = [lambda f=f: f(*args) for f in (text, strict, fast, hand)]
        starts = [first(call) for call in calls]
        want = text(*args)
        for value, gradient in (strict(*args), fast(*args), hand(*args)):
            assert np.allclose(value, want[0], rtol=1e-10), name
            assert np.allclose(gradient, want[1], rtol=1e-7, atol=1e-10), name
        times = measured(*calls, budget=0.1)
        before = resident()
        for _ in range(200):
            strict(*args)
        grown.append(resident() - before)
        rows.append((name, times, starts))
        print(name, *(f"{t * 1e6:.3g}" for t in times), file=sys.stderr, flush=True)
    return rows, max(grown)


def shown(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def tables(names):
    with tempfile.TemporaryDirectory() as kept:
        os.environ["SRCGRAD_CACHE_DIR"] = kept
        rows, grown = measure(names)
        again = subprocess.run([sys.executable, __file__, "--second", *names], check=True,
                               text=True, capture_output=True).stdout.split()
    mean, median = statistics.geometric_mean, statistics.median
    head = ("program", "NumPy text", "native", "fast", "by hand", "NumPy over native",
            "native over by hand", "fast over by hand", "first call: NumPy", "native", "by hand",
            "native in a second process")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for (name, times, starts), second in zip(rows, again, strict=True):
        text, strict, fast, hand = times
        cells = (name, *map(shown, times), f"{text / strict:.3g}", f"{strict / hand:.2f}",
                 f"{fast / hand:.2f}", *(shown(starts[i]) for i in (0, 1, 3)),
                 shown(float(second)))
        lines.append(f"| {' | '.join(cells)} |")
    numpy, ours, fast = ([t[a] / t[b] for _, t, _ in rows] for a, b in ((0, 1), (1, 3), (2, 3)))
    lines += [
        "", f"Geometric means of {len(rows)} programs: NumPy's text over native {mean(numpy):.3g} "
        f"(least {min(numpy):.2g}), native over by hand {mean(ours):.2f} (median "
        f"{median(ours):.2f}, largest {max(ours):.3g}), fast over by hand {mean(fast):.2f} (median "
        f"{median(fast):.2f}, largest {max(fast):.3g}).",
        f"Medians of first calls: native {shown(median(s[1] for *_, s in rows))}, by hand "
        f"{shown(median(s[3] for *_, s in rows))}, native in a second process, without the making "
        f"of its text, {shown(median(map(float, again)))}.",
        f"The memory of the process grows by {max(grown, 0) / 1e6:.2g} MB at most in 200 more "
        "calls of a program."]
    return "\n".join(lines) + "\n"


def main():
    names = [a for a in sys.argv[1:] if not a.startswith("--")]
    sys.path.insert(0, str(Path(__file__).parent))
    if "--second" in sys.argv:
        second_process(names)
        return
    text = tables(names)
    if "--write" not in sys.argv:
        print(text)
        return
    before, _, rest = PLACE.read_text().partition(MARKS[0])
    PLACE.write_text(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}")


if __name__ == "__main__":
    main()
