"""What gradients of functions of NumPy and SciPy cost over the function, of short and long arrays.

    python benchmarks/functions.py                # a table
    python benchmarks/functions.py cumprod einsum # of the expressions with these words

Each is ``np.sum(expression ** 2)``; ``x`` is a vector, ``A`` a square matrix. CPU time, the least
of several calls.
"""

from __future__ import annotations

import argparse
import linecache
import math
import os
import time

import numpy as np
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats

import srcgrad as sg

SIZES = {"x": (1000, 16000), "A": (40, 160)}
EXPRESSIONS = """np.cumsum(x)
np.cumprod(1 + x / 1000)
np.logaddexp.accumulate(x)
np.maximum.accumulate(x)
np.add.reduceat(x, np.arange(0, len(x), 7))
np.sort(x)
np.median(x)
np.quantile(x, [0.1, 0.5, 0.9])
np.convolve(x, x[:50], "same")
np.gradient(x)
np.pad(x, 5, mode="reflect")
np.fft.rfft(x).real
np.interp(x, np.linspace(-3, 3, 100), np.linspace(0, 1, 100))
x[np.arange(len(x)) // 2]
np.lib.stride_tricks.sliding_window_view(x, 20).mean(axis=1)
np.polyval(x[:20], x / 10)
np.cumsum(A, axis=1)
np.einsum("ij,jk,kl->il", A, A, A, optimize=True)
np.linalg.inv(A + len(A) * np.eye(len(A)))
np.linalg.cholesky(A @ A.T + len(A) * np.eye(len(A)))
np.linalg.qr(A)[1]
np.linalg.svd(A, compute_uv=False)
np.linalg.eigvalsh(A + A.T)
np.linalg.matrix_power(A / len(A), 10)
scipy.linalg.expm(A / len(A))
scipy.signal.lfilter([1.0, 0.5], [1.0, -0.9], x)
scipy.signal.filtfilt([0.2, 0.2], [1.0, -0.6], x)
scipy.signal.fftconvolve(x, x[:100], "same")
scipy.signal.savgol_filter(x, 11, 3)
scipy.ndimage.gaussian_filter1d(x, 3.0)
scipy.ndimage.gaussian_filter(A, 2.0)
scipy.ndimage.convolve(A, A[:5, :5])
scipy.ndimage.rotate(A, 30.0)
scipy.ndimage.zoom(A, 1.5)
scipy.ndimage.shift(x, 2.5)
scipy.interpolate.CubicSpline(np.arange(len(x)), x)(np.linspace(0, 5, 50))
scipy.special.logsumexp(x)
scipy.special.softmax(A, axis=1)
scipy.stats.zscore(x)""".splitlines()


def function_of(expression, name):
    """``np.sum(expression ** 2)`` as a function that has a source."""
    text = f"def f({name}):\n    return np.sum({expression} ** 2)\n"
    filename = f"<{expression}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace = {"np": np, "scipy": scipy}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["f"]


def seconds(function, x, rounds):
    """The least CPU time of a call."""
    function(x)
    found = []
    for _ in range(rounds):
        calls, began = 0, time.process_time()
        while time.process_time() - began < 2e-3:
            function(x)
            calls += 1
        found.append((time.process_time() - began) / calls)
    return min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    os.environ["SRCGRAD_CACHE_DIR"] = ""
    print("| expression | function | gradient over it | function, long | gradient over it |")
    print("|---|---|---|---|---|")
    ratios = []
    for expression in EXPRESSIONS:
        if options.words and not any(word in expression for word in options.words):
            continue
        name = "A" if "A" in expression else "x"
        function = function_of(expression, name)
        gradient, row = sg.grad(function), []
        for size in SIZES[name]:
            x = np.random.default_rng(0).normal(size=(size, size) if name == "A" else size)
            base = seconds(function, x, options.rounds)
            ratios.append(seconds(gradient, x, options.rounds) / base)
            row.append(f"{1e6 * base:.0f} us | {ratios[-1]:.1f}")
        print(f"| `{expression}` | {' | '.join(row)} |", flush=True)
    print(f"\nGeometric mean: {math.exp(np.mean(np.log(ratios))):.1f}")


if __name__ == "__main__":
    main()
