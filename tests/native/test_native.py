"""Loops that run natively give what NumPy's text gives: bits, types, exceptions.

Most of it runs the kernels as plain Python, which shows the text; where Numba is installed it
compiles them as well.
"""

from __future__ import annotations

import contextlib
import copy
import math
import os
import subprocess
import sys
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_arrays
import random_loops
from loop_programs import CASES

import srcgrad as sg
from srcgrad.native.predicates import total


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
    assert "@njit" in native(sg.value_and_grad, fn).source(*arguments(makers, sizes[-1]))


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
        with contextlib.suppress(IndexError):  # of the program, which has no code then
            found += "@njit" in native(sg.value_and_grad, fn).source(*args)
    assert found >= 5


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_random_programs_with_numba(seed: int) -> None:
    pytest.importorskip("numba")
    compare(random_loops.program(seed), random_loops.arguments(seed), exact=True, primal=False)


def close(fn: Any, args: tuple[Any, ...]) -> Any:
    """Do both backends give the same, but for the order of sums?  Returns what ran."""
    df = native(sg.value_and_grad, fn, (0, 1, 2, 3))
    want = outcome(sg.value_and_grad(fn, (0, 1, 2, 3)), args)
    got = outcome(df, args)
    assert isinstance(got, type) is isinstance(want, type), (got, want)
    if not isinstance(want, type):
        np.testing.assert_allclose(got[0], want[0], rtol=1e-10)
        for g, w in zip(got[1], want[1], strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-8, atol=1e-11)
    return df


@pytest.mark.parametrize("start", (0, 5))
def test_random_programs_of_arrays(start: int, plain_python: None) -> None:
    found = 0
    for seed in range(start, start + 5):
        fn = random_arrays.program(seed)
        for n in (1, 2, 3):
            df = close(fn, random_arrays.arguments(seed, n))
        found += "@njit" in df.source(*random_arrays.arguments(seed, 3))
    assert found >= 3


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(12, 212, 20))
def test_many_random_programs_of_arrays(start: int, plain_python: None) -> None:
    for seed in range(start, start + 20):
        for n in (0, 1, 2, 3, 4):
            close(random_arrays.program(seed), random_arrays.arguments(seed, n))


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


def wide_between(x, n):
    s = 0.0
    for _ in range(3):
        s += x
    k = n * n * n * n
    for _ in range(2):
        s += x * float(k % 7)
    return s


def test_long_integers_between_loops_stay_in_numpy(plain_python: None) -> None:
    df = native(sg.value_and_grad, wide_between)
    assert df(0.5, 70_000) == sg.value_and_grad(wide_between)(0.5, 70_000)
    assert "k = n * n * n * n" in df.source(0.5, 2).partition("def wide_between_value_and_grad(")[2]


def sizes_of_inner_loops(x, n):
    w = x.copy()
    for i in range(n):
        for j in range(n - 1, -1, -1):
            w[i] = 0.5 * w[j]
    return np.sum(w) * np.sum(np.cumsum(w))


def test_what_no_iteration_may_bind_is_no_argument(plain_python: None) -> None:
    for n in (0, 1, 3):
        check_transforms(sizes_of_inner_loops, (np.arange(1.0, 4.0), n))


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
    assert np.signbit(total(-0.0 * abs(x))) == np.signbit(np.sum(-0.0 * abs(x)))
    if x.ndim == 1:
        assert total(x[::-2]) == np.sum(x[::-2])


# ---- how it is asked for ----------------------------------------------------------------------


def straight(x):
    return np.sum(np.tanh(x) * x)


def steps(x, n):
    for _ in range(n):
        x = np.linalg.inv(x @ x.T + np.eye(len(x)))
    return np.sum(x)


def test_what_is_not_native_is_the_text_of_numpy(plain_python: None) -> None:
    for fn, args in ((straight, (np.ones(3),)), (steps, (np.ones((3, 3)), 2))):
        assert native(sg.grad, fn).source(*args) == sg.grad(fn).source(*args)
    assert "in NumPy: line" in native(sg.grad, steps).explain(np.ones((3, 3)), 2)


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


# ---- exported files -----------------------------------------------------------------------------


def shifted_tanh(x, w, k=0):
    h = 0.0
    for i in range(len(x)):
        h = np.tanh(w * h + x[i + k]) / (1.5 + x[i])
    return h + np.sum(x)


RUN = """
import sys
if {hidden}:
    sys.modules["numba"] = None
import numpy as np
import gradient
try:
    gradient.shifted_tanh_value_and_grad(np.linspace(0.0, 1.0, 40), 0.5, 7)
except IndexError as error:
    print(error)
value, slope = gradient.shifted_tanh_value_and_grad(np.linspace(0.0, 1.0, 40), 0.5)
print(repr(value), slope.tolist(), [m for m in ("numba", "srcgrad") if sys.modules.get(m)])
"""


@pytest.mark.parametrize("hidden", [True, pytest.param(False, marks=pytest.mark.sweep)])
def test_an_exported_file_runs_by_itself(hidden: bool, tmp_path: Path) -> None:
    pytest.importorskip("numba")
    df = sg.value_and_grad(shifted_tanh)
    x = np.linspace(0.0, 1.0, 40)
    value, slope = df(x, 0.5)
    text = df.export(tmp_path / "gradient.py", x, 0.5, backend="numba").read_text()
    found = {line.split()[1].split(".")[0] for line in text.splitlines()
             if line.strip().startswith(("import ", "from "))}
    assert found == {"numba", "numpy"}
    assert all(f"@njit(error_model='numpy', nogil=True)\ndef {name}(" in text
               for name in ("shifted_tanh_value_and_grad_flat_kernel_1", "total", "outside"))
    assert "numba" not in df.export(tmp_path / "plain.py").read_text()
    run = subprocess.run([sys.executable, "-c", RUN.format(hidden=hidden)], cwd=tmp_path, text=True,
                         capture_output=True, check=True, env={
                             k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
    error, line = run.stdout.splitlines()
    assert error == "index 40 is out of bounds for axis 0 with size 40"
    if hidden:
        assert line == f"{value!r} {slope.tolist()} []"
    else:
        number, rest = line.split(")", 1)
        assert number + ")" == repr(value) or abs(float(number[11:]) - value) < 1e-14
        assert rest.endswith("['numba']")


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "makers", "sizes"), CASES, ids=[c[0].__name__ for c in CASES])
def test_exported_files_mean_what_the_text_of_numpy_means(fn, makers, sizes, plain_python, tmp_path) -> None:
    args = arguments(makers, sizes[-1])
    file = native(sg.value_and_grad, fn).export(tmp_path / "exported.py", *args)
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    got = outcome(space[f"{fn.__name__}_value_and_grad"], args)
    want = outcome(native(sg.value_and_grad, fn), args)
    assert got is want if isinstance(want, type) else (
        np.array_equal(got[0], want[0]) and np.array_equal(got[1], want[1]))


# ---- every transform ----------------------------------------------------------------------------


def check_transforms(fn: Any, args: tuple[Any, ...]) -> None:
    """Do pullbacks, pushforwards and Jacobians mean what NumPy's mean?"""
    def found(backend: str) -> Any:
        primals = copy.deepcopy(args)
        tangents = tuple(np.cos(a) if isinstance(a, (float, np.ndarray)) and np.asarray(
            a).dtype.kind == "f" else None for a in primals)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                made = sg.vjp(fn, *primals, backend=backend)
                pulled = made[1](made[0])
                moved = sg.jvp(fn, copy.deepcopy(args), tangents, backend=backend)
                out, push = sg.linearize(fn, *copy.deepcopy(args), backend=backend)
                return [made[0], *pulled, *moved, out, push(*tangents)]
            except (ArithmeticError, ValueError, IndexError, sg.NonDifferentiable) as error:
                return type(error)

    want, got = found("numpy"), found("numba")
    if isinstance(want, type):
        assert got is want
        return
    for g, w in zip(got, want, strict=True):
        assert type(g) is type(w)
        if w is not None:
            assert np.asarray(g).dtype == np.asarray(w).dtype
            np.testing.assert_allclose(
                g, w, rtol=1e-4 if np.asarray(w).dtype == np.float32 else 1e-9, atol=1e-12)


FEW = [c for c in CASES if c[0].__name__ in ("dot", "garch", "cholesky", "runge_kutta")]


@pytest.mark.parametrize(("fn", "makers", "sizes"), [
    *FEW, *(pytest.param(*c, marks=pytest.mark.sweep) for c in CASES if c not in FEW)],
    ids=lambda value: getattr(value, "__name__", ""))
def test_both_directions(fn, makers, sizes, plain_python) -> None:
    for n in {sizes[0], sizes[1], sizes[-1]}:
        check_transforms(fn, arguments(makers, n))


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(s, marks=pytest.mark.sweep) for s in range(2, 30))])
def test_both_directions_of_random_programs(seed: int, plain_python: None) -> None:
    check_transforms(random_loops.program(seed), random_loops.arguments(seed))


def cubes(x, k):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 3 * k
    return s


def each(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = x[i - 1] * x[i]
    return y


def cubed(y):
    return np.sum(y ** 3)


def new(fn: Any) -> Any:
    """The same function with code of its own, for which nothing was generated."""
    return types.FunctionType(fn.__code__.replace(), fn.__globals__, fn.__name__)


def test_every_transform_takes_a_backend(plain_python: None, monkeypatch: pytest.MonkeyPatch) -> None:
    x, v = np.array([0.5, -1.0, 2.0]), np.array([1.0, 0.0, 2.0])
    linked: list[str] = []
    import srcgrad.native as native
    plain = native.linked
    monkeypatch.setattr(native, "linked", lambda e: (linked.append(e.text), plain(e))[1])
    for make, args in (
            (lambda f, **how: sg.hessian(f(cubes), **how), (x, 2.0)),
            (lambda f, **how: sg.hvp(f(cubes), **how), (x, 2.0, v)),
            (lambda f, **how: sg.jacobian(f(each), **how), (x,)),
            (lambda f, **how: sg.jacobian(f(each), mode="fwd", **how), (x,)),
            (lambda f, **how: sg.jacrev(f(each), **how), (x,)),
            (lambda f, **how: sg.jacfwd(f(each), **how), (x,)),
            (lambda f, **how: sg.gnvp(f(each), loss=f(cubed), **how), (x, v)),
            (lambda f, **how: sg.elementwise_grad(f(each), **how), (x,)),
            (lambda f, **how: sg.vmap(f(cubes), (0, None), **how), (np.stack([x, v]), 2.0)),
            (lambda f, **how: sg.parallel.value_and_grad(
                f(cubes), over="x", argnums=1, workers=1, **how), (np.tile(x, 20), 2.0))):
        want = make(new)(*args)
        assert not linked
        df = make(new, backend="numba")
        if hasattr(df, "with_backend"):
            df = make(new).with_backend("numba")
        for got, expected in zip(df(*args), want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-14)
        assert any("@njit" in text for text in linked)
        linked.clear()
    with pytest.raises(sg.StructureError, match="no precision 'exact'"):
        sg.hvp(cubes, backend="numba", precision="exact")


def test_a_parameter_called_backend_is_the_functions(plain_python: None) -> None:
    df = sg.grad(lambda x, backend: x * backend)
    assert df(2.0, backend=3.0) == 3.0
    assert "backend" in df.source(2.0, backend=3.0)
    assert "@njit" not in df.source(2.0, backend=3.0)
    other = sg.grad(squares)
    assert "@njit" in other.source(np.ones(2), backend="numba")
    assert "@njit" in other.source(backend="numba") and "@njit" not in other.source()
    assert "native: line" in other.explain(backend="numba")


def names_that_change(x, n):
    """The kernel of the backward part reads integers whose names were those of floats before."""
    y = x.copy()
    for _ in range(n):
        for j in range(1, len(y) - 1):
            y[1:-1] = -0.5 * y[:-2] + 0.1 * y[j]
        for j in range(len(y) - 2, 0, -1):
            y[j] = 0.3 * y[j] * y[j + 1]
    return np.sum(y * y)


def test_names_that_stand_for_one_thing_after_the_other() -> None:
    pytest.importorskip("numba")
    x = np.linspace(0.5, 1.0, 6)
    want, got = sg.value_and_grad(names_that_change)(x, 2), None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = native(sg.value_and_grad, names_that_change)(x, 2)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-10)
