"""Dtypes that meet: array_api_strict, which promotes almost nothing by itself, beside plain NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import srcgrad as sg

xp = pytest.importorskip("array_api_strict", reason="pip install array-api-strict")
ARRAYS = {
    "float64": np.array([0.5, 1.5, 2.0]), "float32": np.array([0.5, 1.5, 2.0], np.float32),
    "int64": np.array([1, 2, 3]), "int32": np.array([3, 1, 2], np.int32), "bool": np.array([True, False, True]),
    "complex128": np.array([1 + 1j, 2.0, 3j]), "scalar": np.array(1.5), "whole scalar": np.array(2)}
NUMBERS = {"int": 3, "float": 2.5, "truth": True, "complex": 1 + 2j}
REAL = [
    lambda a, b: a // (b + 1), lambda a, b: a % (b + 1), lambda a, b: a < b, lambda a, b: np.maximum(a, b) * 1.0,
    lambda a, b: np.clip(a, 0.5, b), lambda a, b: np.hypot(a * 1.0, b), lambda a, b: np.arctan2(a * 1.0, b),
    lambda a, b: np.mean(a) + b, lambda a, b: np.std(a) + np.var(b), lambda a, b: a ** 0.5 + b]
ALL = [
    lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a / (b + 1), lambda a, b: (a + 1) ** b,
    lambda a, b: np.power(a + 1, b), lambda a, b: a == b, lambda a, b: np.where(a == 1, a, b),
    lambda a, b: np.outer(a + 0, b), lambda a, b: np.dot(a + 0, b), lambda a, b: np.sum(a) + np.prod(b),
    lambda a, b: np.full(2, np.sum(a)) * b, lambda a, b: 1 - (True + a) * b, lambda a, b: a.astype(complex) - b]
PAIRS = list(itertools.product(ARRAYS, [*ARRAYS, *NUMBERS]))


def there(value):
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("one, other", PAIRS[::3])
def test_the_result_is_that_of_numpy(one, other):
    a, b = ARRAYS[one], {**ARRAYS, **NUMBERS}[other]
    for f in ALL if "complex" in one + other else [*ALL, *REAL]:
        try:
            wanted = np.asarray(f(a, b))
        except (TypeError, ValueError):
            continue  # NumPy has no such operation: truths minus truths, shapes that do not go
        found = np.from_dlpack(sg.jit(f)(there(a), there(b)))
        assert found.shape == wanted.shape and found.dtype.kind == wanted.dtype.kind
        np.testing.assert_allclose(found, wanted, rtol=1e-3 if wanted.dtype == "f2" else 1e-6)


def test_whole_numbers_beside_floats_keep_the_precision_of_the_floats():
    found = sg.jit(lambda a, n: a * n)(xp.asarray(ARRAYS["float32"]), xp.asarray(ARRAYS["int64"]))
    assert found.dtype == xp.float32


def test_gradients_with_whole_exponents():
    n = np.array([2, 3])
    found = sg.grad(lambda x, n: np.sum(x ** n[0] + x ** n[1]))(xp.asarray(ARRAYS["float64"]), xp.asarray(n))
    np.testing.assert_allclose(np.from_dlpack(found), 2 * ARRAYS["float64"] + 3 * ARRAYS["float64"] ** 2)


def test_what_array_makes_is_a_copy_of_its_dtype():
    def f(x):
        y = x * 2.0
        z = np.array(y)
        y[0] = 5.0
        return np.sum(y) + z[0], np.array([x[0], 1], dtype=np.float32)

    x = ARRAYS["float64"]
    total, made = sg.jit(f)(xp.asarray(x))
    assert float(total) == f(x)[0] and made.dtype == xp.float32
