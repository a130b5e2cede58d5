"""Loops that run natively give what NumPy's text gives: bits, types, exceptions.

Most of it runs the kernels as plain Python, which shows the text; where Numba is installed it
compiles them as well.
"""

from __future__ import annotations

import copy
import math
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.native.predicates import total

sys.path.insert(0, str(Path(__file__).parent))

import random_loops  # noqa: E402
from loop_programs import CASES  # noqa: E402


def native(transform: Any, fn: Any, *argnums: Any) -> Any:
    """The transform, compiled anew: functions with the same code share what was generated."""
    df = transform(fn, *argnums, backend="numba")
    df.cache_clear()
    return df


@pytest.fixture
def plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are what their text says."""
    def njit(function: Any = None, **options: Any) -> Any:
        return (lambda f: f) if function is None else function

    module = types.ModuleType("numba")
    module.njit = njit  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "numba", module)


def outcome(run: Any, args: tuple[Any, ...]) -> Any:
    """Value and gradients, or the exception's type."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("error", ".*runs as Python", RuntimeWarning)
        try:
            return run(*copy.deepcopy(args))
        except ArithmeticError as error:
            return type(error)
        except (ValueError, IndexError) as error:
            return type(error)


def compare(fn: Any, args: tuple[Any, ...], exact: bool, primal: bool = True) -> None:
    """Do both backends give the same?"""
    argnums = tuple(i for i, a in enumerate(args) if isinstance(a, float) or (
        isinstance(a, np.ndarray) and a.dtype.kind == "f"))
    want = outcome(sg.value_and_grad(fn, argnums), args)
    got = outcome(native(sg.value_and_grad, fn, argnums), args)
    if isinstance(want, type):
        assert got is want
        return
    assert type(got[0]) is type(want[0])
    if exact:
        assert np.array_equal(got[0], want[0], equal_nan=True), (got[0], want[0])
    np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
    for g, w in zip(got[1], want[1], strict=True):
        assert type(g) is type(w)
        assert np.asarray(g).dtype == np.asarray(w).dtype
        np.testing.assert_allclose(g, w, rtol=1e-4 if np.asarray(w).dtype == np.float32 else 1e-9,
                                   atol=1e-12)
    if primal:
        assert np.array_equal(outcome(native(sg.jit, fn), args), want[0], equal_nan=True)


def arguments(makers: Any, n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return tuple(make(rng, n) for make in makers)


@pytest.mark.parametrize(("fn", "makers", "sizes"), CASES, ids=[c[0].__name__ for c in CASES])
def test_kernels_mean_what_the_text_of_numpy_means(fn, makers, sizes, plain_python) -> None:
    for n in sizes:
        compare(fn, arguments(makers, n), exact=True)
    text = native(sg.value_and_grad, fn).source(*arguments(makers, sizes[-1]))
    assert ("@njit" in text) == (fn.__name__ not in IN_NUMPY)


# Only a run tells whether a divisor is Python's, which raises if zero, or whose number a result is.
IN_NUMPY = {"continued_fraction", "until_enough"}
APPROXIMATE = {"garch", "tanh_recurrence", "cholesky", "euler_pendulum", "fixed_point",
               "smoothing", "powers_of_two"}


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "makers", "sizes"), CASES, ids=[c[0].__name__ for c in CASES])
def test_numba_gives_what_numpy_gives(fn, makers, sizes) -> None:
    pytest.importorskip("numba")
    for n in (sizes[0], sizes[-1]):
        compare(fn, arguments(makers, n), fn.__name__ not in APPROXIMATE, primal=False)


# ---- random programs ----------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_programs(start: int, plain_python: None) -> None:
    found = 0
    for seed in range(start, start + 10):
        fn, args = random_loops.program(seed), random_loops.arguments(seed)
        compare(fn, args, exact=True)
        found += "@njit" in native(sg.value_and_grad, fn).source(*args)
    assert found >= 5


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_random_programs_with_numba(seed: int) -> None:
    pytest.importorskip("numba")
    compare(random_loops.program(seed), random_loops.arguments(seed), exact=True, primal=False)


# ---- what goes wrong --------------------------------------------------------------------------


def too_far(x, k):
    s = 0.0
    for i in range(len(x)):
        s += x[i + k]
    return s


def check_error(compiled: bool) -> None:
    x = np.ones(3)
    assert native(sg.grad, too_far)(x, -1).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3") as caught:
        native(sg.grad, too_far)(x, 1)
    assert "s += x[i + k]" in "".join(caught.value.__notes__)
    with pytest.raises(IndexError):
        native(sg.jit, too_far)(x, -5)


def test_an_index_out_of_bounds(plain_python: None) -> None:
    check_error(False)


def test_an_index_out_of_bounds_with_numba() -> None:
    pytest.importorskip("numba")
    check_error(True)


def inverse_sum(x, n):
    s = 0.0
    for i in range(n):
        s = s + 1.0 / (x - i)
    return s


def logs(x, n):
    s = 0.0
    for i in range(n):
        s += math.log(x - i)
    return s


def grown(x, n):
    for i in range(n):
        x = math.exp(x)
    return x


@pytest.mark.parametrize(("fn", "args", "error", "text"), [
    (inverse_sum, (2.0, 4), ZeroDivisionError, "float division by zero"),
    (logs, (2.0, 4), ValueError, "math domain error"),
    (grown, (2.0, 9), OverflowError, "math range error")])
def test_what_python_checks(fn, args, error, text, plain_python) -> None:
    df = native(sg.value_and_grad, fn)
    assert "@njit" in df.source(*args)
    with pytest.raises(error, match=text):
        df(*args)


def factorials(x, n):
    s, f = 0.0, 1
    for i in range(1, n):
        f = f * i
        s += x / f
    return s


def test_long_integers_stay_in_numpy(plain_python: None) -> None:
    df = native(sg.value_and_grad, factorials)
    assert df(1.0, 40) == sg.value_and_grad(factorials)(1.0, 40)
    assert "f may not fit 64 bits" in df.explain(1.0, 40)


def shifted(x, k):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * (k * 3 + i)
    return s


def test_an_integer_that_is_too_large_is_refused(plain_python: None) -> None:
    df = native(sg.grad, shifted)
    assert df(np.ones(2), 2 ** 30).tolist() == [3.0 * 2 ** 30, 3.0 * 2 ** 30 + 1]
    with pytest.raises(OverflowError, match="k is too large for native code"):
        df(np.ones(2), 2 ** 40)


def doubled(x):
    for i in range(len(x)):
        x[i] = x[i] * 2.0
    return np.sum(x)


def test_what_numba_does_not_take_runs_as_python() -> None:
    pytest.importorskip("numba")
    x = np.ones(3)
    x.flags.writeable = False
    with pytest.warns(RuntimeWarning, match="runs as Python"), pytest.raises(
            ValueError, match="read-only"):
        native(sg.grad, doubled)(x)


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (8,), (129,), (1000,), (0, 3), (40, 33), (9, 8, 7)])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_sums_keep_the_order_of_numpy(shape: tuple[int, ...], layout: Any) -> None:
    x = np.asarray(np.random.default_rng(0).standard_normal(shape), order=layout)
    assert total(x) == np.sum(x)
    if x.ndim == 1:
        assert total(x[::-2]) == np.sum(x[::-2])


# ---- how it is asked for ----------------------------------------------------------------------


def straight(x):
    return np.sum(np.tanh(x) * x)


def steps(x, n):
    for _ in range(n):
        x = np.tanh(x @ x.T)
    return np.sum(x)


def test_what_is_not_native_is_the_text_of_numpy(plain_python: None) -> None:
    for fn, args in ((straight, (np.ones(3),)), (steps, (np.ones((2, 2)), 2))):
        assert native(sg.grad, fn).source(*args) == sg.grad(fn).source(*args)
    assert "in NumPy: line" in native(sg.grad, steps).explain(np.ones((2, 2)), 2)


def squares(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i] * x[i]
    return s


def test_the_second_derivative(plain_python: None) -> None:
    x = np.array([1.0, 2.0])
    twice = native(sg.grad, lambda x: np.sum(sg.grad(squares)(x)))
    assert twice(x).tolist() == [6.0, 12.0]
    assert "@njit" in twice.source(x)


def test_with_backend_and_config(plain_python: None, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(3)
    df = sg.grad(squares)
    other = df.with_backend("numba")
    other.cache_clear()
    assert "@njit" in other.source(x) and "@njit" not in df.source(x)
    assert "@njit" not in other.with_backend("numpy").source(x)
    monkeypatch.setattr(sg.config, "backend", "numba")
    assert "@njit" in sg.jit(squares).source(x)
    assert "native: line" in other.explain(x)
    with pytest.raises(sg.StructureError, match="no backend 'fortran'"):
        df.with_backend("fortran")


def test_without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(sg.SrcgradError, match=r"pip install srcgrad\[numba\]"):
        sg.grad(squares, backend="numba")


def test_exports_are_the_text_of_numpy(plain_python: None, tmp_path: Path) -> None:
    file = native(sg.grad, squares).export(tmp_path / "squares.py", np.ones(3))
    assert "numba" not in file.read_text()
