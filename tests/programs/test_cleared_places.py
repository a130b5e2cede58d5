"""Stores into cotangent buffers that the passes leave out, merge or bring into another order."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg


def lu(A):
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return np.sum(A ** 2)


def cholesky(A):
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(np.tril(A) ** 2)


def overlapping(A):
    A = A.copy()
    for i in range(1, A.shape[0] - 1):
        for j in range(A.shape[1]):
            A[i, j] = A[i, j] - A[i - 1, j] * A[i + 1, j] + 0.1 * A[i, 0] * A[1, j]
    return np.sum(A ** 3)


def same_place_later(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = A[i, j] * 2.0 + A[0, 0]
            A[0, 0] = A[i, j] - A[0, 0]
    return np.sum(A * A)


def slices_swap(A):
    A = A.copy()
    for i in range(A.shape[0] - 1):
        A[i, 1:] = A[i, 1:] + A[i + 1, :-1] * A[i, :-1]
        A[i, :2] = np.sin(A[i, :2])
        A[:, i] = A[i, :] + A[:, i]
    return np.sum(A * A)


def stretched(A):
    A = A.copy()
    for i in range(A.shape[0]):
        A[i, :i + 1] = A[i, :1] * 2.0
        A[:i + 1, 0] += A[i, 1] * A[0, :i + 1]
    return np.sum(A ** 2)


def dense_last(A):
    return np.sum(A[0] * A[1]) + np.sum(A[1:, 0]) + np.sum(A ** 4)


def parts_of_one_line(A):
    return np.sum(100.0 * (A[1:] - A[:-1] ** 2) ** 2 + (1.0 - A[:-1]) ** 2)


def rows_and_means(A):
    m = np.mean(A, axis=0)
    s = np.exp(0.1 * A[0])
    return np.sum(((A - m) * s) ** 2) + np.sum((2.0 * A[:, :, None]) * (0.5 * A[None, :, :]) ** 2)


def turned(A):
    q, k = A @ A.T, A.T @ A
    return np.sum((q.T @ A @ k.T) ** 2)


def five_points(A):
    A = A.copy()
    for _ in range(2):
        A[1:-1, 1:-1] = A[1:-1, 1:-1] + 0.2 * (
            A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1] - 4.0 * A[1:-1, 1:-1])
    return np.sum(A * A * A)


def places_in_turn(A):
    A = A.copy()
    for i in range(A.shape[0]):
        for j in range(1, A.shape[1] - 1):
            A[i, j] = A[i, j] + 0.1 * (A[i, j - 1] - 2.0 * A[i, j] + A[0, j + 1]) * A[i, 0]
            A[0, j] = A[i, j] - 0.3 * (A[j, i] - A[i, j]) - A[0, j] * A[i, j] * 0.5
    return np.sum(A * A)


def downwards(A):
    y = np.zeros(A.shape[0] + 1)
    s = 1.0
    for i in range(A.shape[0] - 1, -1, -1):
        s = s * y[i + 1] + A[i, 0]
        y[i] = s * A[0, i]
    for i in range(len(y) - 2, 0, -2):
        y[i] = y[i] * y[i + 1] + y[i - 1]
    for i in range(1, len(y) - 1, 2):
        y[i] = A[i, i - 1] * y[i - 1] - y[i + 1] * A[i - 1, i]
    return np.sum(y * y)


PROGRAMS = [downwards, five_points, places_in_turn, lu, cholesky, overlapping, same_place_later, slices_swap, stretched, dense_last,
            parts_of_one_line, rows_and_means, turned]


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient(function, n):
    if n == 1 and function in (dense_last, stretched, overlapping):
        n = 2
    A = 0.2 * np.random.default_rng(n).random((n, n)) + 1.5 * np.eye(n)
    value, gradient = sg.value_and_grad(function)(A)
    assert value == function(A)
    for i in np.ndindex(A.shape):
        up, down = A.copy(), A.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        wanted = (function(up) - function(down)) / 2e-6
        assert np.isclose(gradient[i], wanted, rtol=1e-6, atol=1e-6), i


def copied(A, B):
    B = B.copy()
    B[1:-1] = 0.5 * A[1:-1]
    A = A * 2.0
    A[:2] = B[:2] * A[:2]
    return np.sum(B ** 2) * np.sum(A ** 2)


@pytest.mark.parametrize("sizes", [(5, 5), (3, 5), (3, 3), (3, 2), (4, 4), (3, 9), (2, 2)], ids=str)
def test_arrays_of_two_sizes(sizes):
    """What is written may be stretched: a text for that, and one without the question."""
    rng = np.random.default_rng(0)
    args = [rng.random(size) for size in sizes]
    df = sg.grad(copied, argnums=(0, 1))
    df(np.ones(7), np.ones(7))
    assert "sum_to" not in df.source()
    gradients = df(*args)
    for k in (0, 1):
        for i in range(sizes[k]):
            up, down = [a.copy() for a in args], [a.copy() for a in args]
            up[k][i] += 1e-6
            down[k][i] -= 1e-6
            wanted = (copied(*up) - copied(*down)) / 2e-6
            assert np.isclose(gradients[k][i], wanted, rtol=1e-6, atol=1e-6), (k, i)


def test_what_is_cleared_for_nothing():
    A = np.eye(4) + 0.1
    text = sg.grad(lu).source(A)
    assert "= 0.0" not in text and ".copy()" not in text.split("# ---- backward")[1]
    text = sg.grad(dense_last).source(A)
    assert "zeros" not in text


def test_loops_downwards_assign():
    text = sg.grad(horner).source(np.ones(3), 0.5)
    assert "d_c[i] = d_p" in text


def horner(c, x):
    p = 0.0
    for i in range(len(c) - 1, -1, -1):
        p = p * x + c[i]
    return p


def test_what_one_line_adds_to_one_place_is_one_store():
    text = sg.grad(five_points).source(np.eye(4)).partition("for _ in")[2].partition("for _ in")[2]
    assert "d_A[1:-1, 1:-1] = t1" in text and "* 4" not in text and text.count("+= t1") == 4


def gathered(X, index):
    return np.sum(np.sin(X[index]) ** 2 * np.arange(1.0, 4.0))


@pytest.mark.parametrize("index", [[], [2], [0, 3, 0, -1, 2, -4, 3]], ids=str)
def test_rows_that_are_read_several_times(index):
    X = np.random.default_rng(0).random((4, 3))
    index = np.array(index, dtype=np.int64)
    df = sg.grad(gathered)
    wanted = np.zeros((4, 3))
    np.add.at(wanted, index, np.sin(2 * X[index]) * np.arange(1.0, 4.0))
    assert np.allclose(df(X, index), wanted, rtol=1e-14)
    second = sg.hvp(gathered)(X, index, X)
    counts = np.bincount(index % 4, minlength=4)[:, None]
    assert np.allclose(second, 2 * X * np.cos(2 * X) * np.arange(1.0, 4.0) * counts)
