"""Kernels are called directly with what they were compiled for; whatever differs gives what NumPy's
text gives."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.linspace(-1.0, 2.0, 12)


def weighted(x, n, w):
    s = 0.0
    for i in range(len(x)):
        if w:
            s += x[i] * n
        else:
            s -= x[i] * x[i]
    return s


def unaligned(x: Any) -> Any:
    made = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    made[...] = x
    return made


def unwritable(x: Any) -> Any:
    made = x.copy()
    made.flags.writeable = False
    return made


class Named(np.ndarray):
    """An array with a class of its own."""


ARRAYS: dict[str, Any] = {
    "the same": X, "other size": X[:5], "every other": X[::2], "backwards": X[::-1],
    "not to be written": unwritable(X), "unaligned": unaligned(X), "of one": X[:1], "empty": X[:0],
    "other bytes": X.astype(X.dtype.newbyteorder()), "float32": X.astype(np.float32),
    "equal type": X.view(np.dtype("f8", metadata={"of": "its own"})),
    "a subclass": X.view(Named), "a list": X.tolist(), "rank 2": X.reshape(3, 4),
    "a number": 1.5, "no number": "x", "a column": X.reshape(12, 1)}
NUMBERS: dict[str, tuple[Any, Any]] = {
    "the same": (3, True), "other": (-1, False), "NumPy's": (np.int64(3), np.True_),
    "large": (2 ** 31, True), "too large": (2 ** 70, True), "a truth value": (True, True),
    "a float": (2.5, True), "NumPy's float": (np.float64(2.5), True), "none": (3, None)}


def outcome(df: Any, *args: Any) -> Any:
    """Value and gradient with their types, or the type of the error."""
    try:
        value, gradient = df(*args)
    except Exception as error:
        return type(error)
    return type(value), value, type(gradient), getattr(gradient, "dtype", None), np.array(gradient).tolist()


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    pytest.importorskip("numba")
    native = sg.value_and_grad(weighted, backend="numba")
    for _ in range(2):
        native(X, 3, True)
    kernel = next(v for k, v in native._entries[0].target.__globals__.items() if "kernel" in k)
    assert not hasattr(kernel, "py_func")  # it is the function that calls the kernel
    return native, sg.value_and_grad(weighted)


@pytest.mark.parametrize("title", ARRAYS)
@pytest.mark.filterwarnings("ignore:.*was compiled for")
def test_arrays(both: tuple[Any, Any], title: str) -> None:
    native, plain = both
    for args in ((ARRAYS[title], 3, True), (X, 3, True)):
        assert outcome(native, *args) == outcome(plain, *args)


@pytest.mark.parametrize("title", NUMBERS)
@pytest.mark.filterwarnings("ignore:.*was compiled for")
def test_numbers(both: tuple[Any, Any], title: str) -> None:
    native, plain = both
    args = X, *NUMBERS[title]
    if title.endswith("large"):
        assert outcome(native, *args) is OverflowError
    else:
        assert outcome(native, *args) == outcome(plain, *args)


def test_a_kernel_is_asked_for_what_it_is_given(both: tuple[Any, Any]) -> None:
    """Also where nobody asked before it."""
    native, _ = both
    kernel = next(v for k, v in native._entries[-1].target.__globals__.items() if "kernel" in k)
    numba, *_ = kernel.__self__
    names = numba.py_func.__code__.co_varnames[:numba.py_func.__code__.co_argcount]
    known = {"x": X, "n": 3, "d_x": np.empty(12)}
    args = [known[n] for n in names]
    want = kernel(*args)
    args[names.index("x")] = X.repeat(2)[::2]
    assert kernel(*args) == want
    for wrong in (args[:-1], [*args, 1.0]):
        with pytest.raises(TypeError):
            kernel(*wrong)
    assert kernel(*args) == want


def test_references_are_neither_kept_nor_lost(both: tuple[Any, Any]) -> None:
    native, _ = both
    x, n = np.linspace(0.0, 1.0, 50), 2 ** 20 + 1
    native(x, n, True)
    before = [sys.getrefcount(v) for v in (x, n)]
    for _ in range(100):
        native(x, n, True)
        native(x[::2], n, True)
    assert [sys.getrefcount(v) for v in (x, n)] == before


def test_threads(both: tuple[Any, Any]) -> None:
    native, plain = both
    arrays = [np.linspace(0.0, k, 1000 + k) for k in range(1, 5)]
    wrong: list[int] = []

    def run(k: int) -> None:
        want = outcome(plain, arrays[k], k, True)
        wrong.extend(k for _ in range(200) if outcome(native, arrays[k], k, True) != want)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def first(x):
    s = 0.0
    for i in range(len(x)):
        s += 2.0 * x[i]
    return s


def second(x):
    s = 0.0
    for i in range(len(x)):
        s += 3.0 * x[i]
    return s


def test_what_stands_outside_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    df = sg.grad(first, backend="numba")
    assert [df(X)[0] for _ in range(2)] == [2.0, 2.0]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "len", lambda x: 3)
        assert df(X).tolist() == [2.0] * 3 + [0.0] * 9
    assert df(X)[-1] == 2.0
    monkeypatch.setattr(first, "__code__", second.__code__)
    assert df(X)[0] == 3.0


def test_all_is_asked_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    from types import CodeType

    from srcgrad.native.asked import asked

    fits = asked([float, (X.dtype, 2, (1,)), ("len", len), "code", CodeType, int])
    args = [1.5, np.ones((3, 1)), {}, first, first.__code__, 2]
    assert fits(*args) is True
    for place, other in ((0, 1), (0, np.float64(1.5)), (1, np.ones((3, 2))), (1, np.ones((1, 1))), (1, np.ones(3)),
                         (1, np.ones((3, 1), np.float32)), (1, 1.5), (2, {"len": 1}), (2, []), (3, second),
                         (4, second.__code__), (5, True)):
        wrong = [*args]
        wrong[place] = other
        assert fits(*wrong) is False, (place, other)
    assert fits(*args[:-1]) is False and fits() is False and fits(*args, 1) is False
    with monkeypatch.context() as patch:
        patch.setattr("builtins.len", abs)
        found = fits(*args)
    assert found is False and fits(*args) is True
