"""Kernels beside other work: compiled by a thread, called by many, for a long time."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.native import InBackground

pytest.importorskip("numba")


def chained(x, repeats):
    s = 0.0
    for _ in range(repeats):
        for i in range(len(x)):
            s = s * 0.9 + x[i] * x[i]
    return s


X = np.linspace(-1.0, 1.0, 50)
EXPECTED = sg.value_and_grad(chained)(X, 3)


@pytest.fixture(scope="module")
def df() -> Any:
    """Called by eight threads at once before it was compiled."""
    made = sg.value_and_grad(chained, backend="numba")
    barrier = threading.Barrier(8)

    def call(_: int) -> Any:
        barrier.wait()
        return made(X, 3)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(call, range(8)))
    assert all(value == EXPECTED[0] for value, _ in found)
    for _, slope in found:
        np.testing.assert_allclose(slope, EXPECTED[1], rtol=1e-14)
    assert made.cache_info().currsize == 1
    return made


def test_threads_share_nothing(df: Any) -> None:
    rng = np.random.default_rng(0)
    arguments = [(rng.standard_normal(n), r) for n in (3, 50, 400) for r in range(8)]
    expected = [df(*a) for a in arguments]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for (value, slope), (want, wanted) in zip(
                    pool.map(lambda a: df(*a), arguments), expected, strict=True):
                assert value == want and np.array_equal(slope, wanted)


def test_other_threads_run_while_a_kernel_does(df: Any) -> None:
    repeats = 1_000_000
    thread = threading.Thread(target=df, args=(X, repeats))
    thread.start()
    turns = 0
    while thread.is_alive():
        time.sleep(0.0005)
        turns += 1
    assert turns > 10  # one that keeps the interpreter's lock lets others have no turn


def resident() -> int:
    """Bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc of Linux")
def test_memory_is_flat(df: Any) -> None:
    x = np.linspace(-1.0, 1.0, 2000)  # 16 kB are kept, and 16 kB returned
    for _ in range(500):
        df(x, 1)
    before = resident()
    for _ in range(10_000):
        df(x, 1)
    assert resident() - before < 4_000_000  # the results are 160 MB in all


# ---- compiled in the background -------------------------------------------------------------------


@pytest.fixture
def background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sg.config, "compile_in_background", True)


def shifted(x, k):
    s = 0.0
    for i in range(len(x)):
        s += x[i + k] * x[i]
    return s


def target(made: Any) -> Any:
    return made._entries[0].target


def test_numpy_serves_until_a_thread_has_compiled(background: None) -> None:
    made = sg.grad(shifted, backend="numba")
    made.cache_clear()
    x = np.linspace(0.0, 1.0, 40)[::2]
    with pytest.raises(IndexError, match="index 20 is out of bounds"):
        made(x, 1)
    running = target(made)
    assert type(running) is InBackground and "@njit" in made.source()
    for _ in range(3):
        np.testing.assert_allclose(made(x, 0), 2 * x, rtol=1e-15)
    assert running.run in (running.plain, running.native)
    running.thread.join(60)
    assert running.run is running.native
    np.testing.assert_allclose(made(x, 0), 2 * x, rtol=1e-15)
    with pytest.raises(IndexError, match="index 20 is out of bounds"):
        made(x, 1)


def announced(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    print("sum", s)
    return s


def test_effects_happen_once(background: None, capsys: pytest.CaptureFixture[str],
                             monkeypatch: pytest.MonkeyPatch) -> None:
    made = sg.grad(announced, backend="numba")
    made.cache_clear()
    assert "@njit" in made.source(np.ones(2))
    assert type(target(made)) is not InBackground
    quiet = sg.grad(shifted, backend="numba")
    assert quiet(np.ones(2), 0).tolist() == [2.0, 2.0]
    monkeypatch.setattr(sg.config, "compile_in_background", False)
