"""Loops that run on several threads: which, and that results have the bits of one thread."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_arrays
import random_loops
from loop_programs import CASES
from test_native import arguments, outcome, plain_python

import srcgrad as sg

ROOT = str(Path(__file__).parents[2])

__all__ = ["plain_python"]

A = np.random.default_rng(0).standard_normal((7, 5))
X = np.random.default_rng(1).standard_normal(5)


def recurrences(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        h = 0.1
        for j in range(a.shape[1]):
            h = np.tanh(h * x[j] + a[i, j])
        s += h * h
    return s


def heat(a, x):
    v = a.copy()
    for _ in range(3):
        w = v.copy()
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                v[i, j] = w[i, j] + 0.1 * (w[i - 1, j] + w[i + 1, j] - 2.0 * w[i, j])
    return np.sum(v * v)


def product(a, x):
    c = np.zeros((a.shape[0], a.shape[0]))
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            s = 0.0
            for t in range(a.shape[1]):
                s += a[i, t] * a[j, t] * x[0]
            c[i, j] = s
    return np.sum(c * c)


def squares(a, x):
    s = 0.0
    for i in range(len(x)):
        s -= x[i] * a[0, i] * x[i]
    return s


def backwards(a, x):
    """Places that count from the end, and numbers below zero."""
    s = 0.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * x[(i * j) % 5] * (-i) + x[-1 - i % 3]
        s += t
    return s


def periodic(a, x):
    """Neighbours on a ring: such indices lie within their axes."""
    n, m = a.shape
    w = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            w[i, j] = a[i, j] * x[(j + 1) % m] - x[(j - 1) % m] / m
    return np.sum(w * w)


def branched(a, x):
    """A call does not ask for what only some iterations read."""
    s = 0.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            if a[i, j] > 0.0:
                t += a[i, j] * x[i]
        s += t
    return s


def gathered(a, x):
    """The value and the gradient are added up at places of all rows."""
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s += a[i, j] * x[(i * j) % 5]
    return s


def carried(a, x):
    h = 1.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * x[j]
        h = h * 0.5 + t
    return h


def last_value(a, x):
    t, s = 0.0, 0.0
    for i in range(a.shape[0]):
        t = 0.0
        for j in range(a.shape[1]):
            t += a[i, j] * x[j]
        s += t * t
    return s * t


def raises(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 100.0:
                raise ValueError("too large")
            s += a[i, j] * x[j]
    return s


def stops(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        t = a[i, 0] * x[0]
        for j in range(a.shape[1]):
            t += a[i, j]
        if t > 1.0:
            break
        s += t
    return s


def shifted(a, x):
    v = a.copy()
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            v[i, j] = v[i - 1, j] * x[j]
    return np.sum(v)


SPREAD = [(recurrences, 0), (heat, 0), (backwards, 0), (product, 1), (squares, 1), (periodic, 0)]
NOT = [(carried, 1, "needs h of the one before"), (last_value, 1, "needs t of the one before"),
       (raises, 0, "may raise"), (gathered, 1, "same elements of d_x"),
       (gathered, 0, "needs s of the one before"), (branched, 0, "may raise"),
       (shifted, 0, "same elements of v")]


@pytest.fixture
def threads(plain_python: None) -> None:
    """Kernels are what their text says, iterations run from the last to the first."""
    sys.modules["numba"].prange = lambda *bounds: reversed(range(*bounds))  # type: ignore[attr-defined]


def both(fn: Any, argnums: Any, **how: Any) -> tuple[Any, Any]:
    found = [sg.value_and_grad(fn, argnums, backend="numba", parallel=p, **how)
             for p in (False, True)]
    for df in found:
        df.cache_clear()
    return found[0], found[1]


@pytest.mark.parametrize(("fn", "argnums"), [*SPREAD, *(n[:2] for n in NOT), (stops, 0)])
def test_any_order_gives_the_same_bits(fn: Any, argnums: Any, threads: None) -> None:
    for a, x in ((A, X), (A[:1], X), (A[:0], X), (A[:, :0], np.ones(1))):
        try:
            want = sg.value_and_grad(fn, argnums)(a, x)
        except IndexError:
            continue
        one, many = both(fn, argnums)
        first, second = one(a, x), many(a, x)
        assert first[0] == second[0] == want[0] and type(second[0]) is type(want[0])
        np.testing.assert_array_equal(first[1], second[1])
        np.testing.assert_allclose(second[1], want[1], rtol=1e-12)


@pytest.mark.parametrize(("fn", "argnums"), SPREAD)
def test_independent_iterations_run_in_parallel(fn: Any, argnums: Any, threads: None) -> None:
    one, many = both(fn, argnums)
    text = many.source(A, X)
    assert "in prange(" in text and "parallel={" in text
    assert "in parallel: line" in many.explain(A, X)
    assert "prange" not in one.source(A, X)


@pytest.mark.parametrize(("fn", "argnums", "why"), NOT)
def test_others_run_one_after_the_other(fn: Any, argnums: Any, why: str, threads: None) -> None:
    many = both(fn, argnums)[1]
    text = many.source(A, X)
    assert "@njit" in text and "prange" not in text, text
    assert f"{why})" in next(line for line in many.explain(A, X).splitlines()
                             if "on one thread: line" in line)


def test_the_backward_part_of_a_loop_that_stops_does_not_stop(threads: None) -> None:
    forward, backward = both(stops, 0)[1].source(A, X).split("# ---- backward")[:2]
    assert "in prange(" in backward and "in prange(" not in forward


def same_bits(fn: Any, args: tuple[Any, ...]) -> bool:
    """Does a program give the same on one thread and on many?  Returns whether loops run so."""
    argnums = tuple(i for i, a in enumerate(args) if isinstance(a, float) or (
        isinstance(a, np.ndarray) and a.dtype.kind == "f"))
    found = both(fn, argnums)
    want, got = (outcome(df, args) for df in found)
    if isinstance(want, type):
        assert got is want
        return False
    for w, g in zip((want[0], *want[1]), (got[0], *got[1]), strict=True):
        assert type(w) is type(g)
        np.testing.assert_array_equal(w, g)
    return "in prange(" in found[1].source(*args)


@pytest.mark.parametrize("seeds", [range(38, 42),
                                   pytest.param(range(200), marks=pytest.mark.sweep)])
def test_random_programs(seeds: range, threads: None) -> None:
    drawn = [(of.program(seed), of.arguments(seed, *size)) for seed in seeds
             for of, size in ((random_loops, ()), (random_arrays, (3,)))]
    assert sum(same_bits(fn, args) for fn, args in drawn) > len(seeds) / 2


@pytest.mark.sweep
def test_programs_of_the_suites(threads: None) -> None:
    found = [same_bits(fn, arguments(makers, n)) for fn, makers, sizes in CASES for n in sizes]
    assert sum(found) > len(found) / 5


def test_memory_of_an_iteration_is_its_own(threads: None) -> None:
    lines = both(recurrences, 0)[1].source(A, X).splitlines()
    (made,) = [line for line in lines if "h_saved = np.empty" in line]
    assert made.startswith("        ")


def test_it_is_asked_for_like_the_precision(threads: None, monkeypatch: pytest.MonkeyPatch,
                                            tmp_path: Path) -> None:
    df = sg.grad(squares, argnums=1)
    native = df.with_backend("numba", parallel=True)
    assert "prange" in native.source(A, X)
    assert "prange" in df.source(A, X, backend="numba", parallel=True)
    assert "prange" not in df.source(A, X, backend="numba")
    assert "prange" in native.with_backend("numba", precision="fast", parallel=True).source(A, X)
    assert "prange" not in native.with_backend("numba").source(A, X)
    text = native.export(tmp_path / "written.py", A, X).read_text()
    assert "from numba import prange" in text and "prange = range" in text
    monkeypatch.setattr(sg.config, "parallel", True)
    assert "prange" in sg.value_and_grad(squares, argnums=1, backend="numba").source(A, X)
    assert "prange" not in df.source(A, X)


@pytest.mark.parametrize("how", [{"parallel": True}, {"parallel": True, "backend": "numpy"},
                                 {"parallel": 4, "backend": "numba"}])
def test_what_cannot_be_asked_for(how: dict[str, Any]) -> None:
    with pytest.raises(sg.StructureError, match="numba.set_num_threads"):
        sg.grad(squares, argnums=1, **how)


PROGRAM = """
import sys
import numba, numpy as np
from test_parallel import SPREAD, A, X
import srcgrad as sg
numba.set_num_threads(int(sys.argv[1]))
for fn, argnums in SPREAD[:4]:
    value, gradient = sg.value_and_grad(fn, argnums, backend="numba", parallel=True)(A, X)
    print(value.hex(), gradient.tobytes().hex())
"""


@pytest.mark.sweep
def test_the_number_of_threads_changes_no_bit() -> None:
    pytest.importorskip("numba")
    found = {subprocess.run([sys.executable, "-c", PROGRAM, n], capture_output=True, text=True,
                            check=True, env={
                                "NUMBA_NUM_THREADS": "4", "PATH": "", "PYTHONPATH": ":".join(
                                    [ROOT, str(Path(__file__).parent), *sys.path])}).stdout
             for n in ("1", "3", "4")}
    assert len(found) == 1 and found.pop()
