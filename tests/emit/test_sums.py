"""Sums that are zero, or the same over other axes, and those that a product of matrices is: what the
text says, and that the numbers are those of differences."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

R = np.random.default_rng(5)


def normalised(x, gain):
    z = x - np.mean(x, axis=-1, keepdims=True)
    y = z / np.sqrt(np.mean(z ** 2, axis=-1, keepdims=True) + 1e-5) * gain
    return np.sum(np.tanh(y))


def covariance(x):
    z = x - x.mean(axis=0)
    return np.sum((z.T @ z / (len(x) - 1)) ** 3)


def standardised(x):
    z = x - x.mean()
    return np.sum(np.sin(z / np.sqrt(np.mean(z ** 2))))


def of_other_axis(x):
    """The mean is not taken along the axis that is summed over."""
    return np.sum((x - x.mean(axis=1, keepdims=True)).sum(axis=0) ** 3)


def pairs(x):
    diff = x[:, None, :] - x[None, :, :]
    r2 = np.sum(diff ** 2, axis=-1) + 0.1
    return np.sum(1.0 / r2 ** 3 - 1.0 / r2)


def pairs_on_a_line(x, w):
    d = x[:, None] - x[None, :]
    return np.sum(w[:, None] * w * np.exp(-d ** 2))


def pulled(x, masses):
    """The cotangent of the differences is neither the same nor its negative."""
    gaps = x[None, :, :] - x[:, None, :]
    r2 = np.sum(gaps ** 2, axis=2) + 0.1
    return np.sum(np.sin(np.sum(gaps * (masses / r2 ** 1.5)[:, :, None], axis=1)))


def both_sums(x):
    d = np.exp(x[:, None] - x[None, :])
    return np.sum(d.sum(axis=1) ** 2) + np.sum(d.sum(axis=0) ** 3)


def pairs_of_two(x, y):
    diff = x[:, None, :] - y[None, :, :]
    return np.sum(np.exp(-np.sum(diff ** 2, axis=-1)))


def likelihood(x, y, length, noise):
    k = np.exp(-0.5 * ((x[:, None] - x[None, :]) / length) ** 2) + noise * np.eye(len(x))
    low = np.linalg.cholesky(k)
    a = np.linalg.solve(low, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(low)))


def scaled_likelihood(x, y, length, noise):
    k = np.exp(-0.5 * ((x[:, None] - x[None, :]) / length) ** 2) + noise * np.eye(len(x))
    low = np.linalg.cholesky(k)
    a = np.linalg.solve(low, y)
    return 0.25 * a @ a + 0.7 * np.sum(np.log(np.diag(low)))


def ridge(penalty, x, y):
    w = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)
    return w @ w


def weighted(w, x):
    return np.sum(np.tanh(w[:, None] * x).sum(axis=0) ** 2) + np.sum((x * w[:, None]) ** 2)


LINE = R.normal(size=5)
PROGRAMS = {
    "normalised": (normalised, (R.normal(size=(4, 3)), R.normal(size=3)), [], ["t1.sum"]),
    "covariance": (covariance, (R.normal(size=(6, 3)),), [], [".sum(axis=0)"]),
    "standardised": (standardised, (R.normal(size=7),), [], []),
    "of another axis": (of_other_axis, (R.normal(size=(4, 3)),), [".sum(axis=1"], []),
    "pairs": (pairs, (R.normal(size=(5, 3)),), [" @ diff)[:, 0]"], [".sum(axis=0)"]),
    "one pair": (pairs, (R.normal(size=(1, 3)),), [], []),
    "pairs on a line": (pairs_on_a_line, (LINE, R.normal(size=5)), ["d_x = 2.0 * np.einsum("],
                        ["d_x +="]),
    "pulled": (pulled, (R.normal(size=(4, 2)), R.uniform(0.5, 1.5, 4)), [], []),
    "both sums": (both_sums, (LINE,), [], []),
    "pairs of two": (pairs_of_two, (R.normal(size=(4, 2)), R.normal(size=(3, 2))), [], []),
    "likelihood": (likelihood, (LINE, R.normal(size=5), 0.7, 0.2),
                   ["inv_low.T @ inv_low", ".trace()"], ["np.tril", "np.vdot"]),
    "scaled likelihood": (scaled_likelihood, (LINE, R.normal(size=5), 0.7, 0.2),
                          ["inv_low.T @ "], ["np.tril"]),
    "ridge": (ridge, (0.4, R.normal(size=(6, 3)), R.normal(size=6)), [], ["np.eye(x.shape[1])\n"]),
    "weighted": (weighted, (R.normal(size=4), R.normal(size=(4, 3))), [], []),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_sums(name):
    function, args, said, unsaid = PROGRAMS[name]
    derivative = sg.value_and_grad(function, argnums=tuple(range(len(args))))
    text = derivative.source(*args).split("# ---- backward")[1]
    assert [part for part in said if part not in text] == []
    assert [part for part in unsaid if part in text] == []
    value, gradient = derivative(*args)
    assert value == function(*args)
    for place, slope in enumerate(gradient):
        direction = R.normal(size=np.shape(args[place]))
        low, high = (function(*args[:place], args[place] + s * direction, *args[place + 1:])
                     for s in (-1e-5, 1e-5))
        assert np.sum(slope * direction) == pytest.approx((high - low) / 2e-5, rel=1e-6, abs=1e-8)


def test_nothing_to_sum():
    for function, args in ((pairs, (np.zeros((0, 3)),)), (weighted, (np.zeros(0), np.zeros((0, 2))))):
        value, slope = sg.value_and_grad(function)(*args)
        assert value == function(*args) and slope.shape == args[0].shape


def halves(x, w):
    a, b = x[:, :2], x[:, 2:]
    return np.sum(np.tanh(a @ w)) * np.sum(np.sin(b))


def thirds(x):
    return np.sum(x[:2] ** 2) + np.sum(np.sin(x[2:4])) + np.sum(x[4:, 0])


def test_parts_of_columns_are_joined():
    x, w = R.normal(size=(3, 6)), R.normal(size=(2, 4))
    derivative = sg.value_and_grad(halves)
    assert "return out, np.concatenate([" in derivative.source(x, w)
    for columns in (6, 2):  # of the second part may be none
        given = x[:, :columns]
        value, slope = derivative(given, w)
        assert value == halves(given, w) and slope.shape == given.shape
        sg.check_grads(halves, (given, w))
    sg.check_grads(thirds, (R.normal(size=(6, 2)),))


def test_equal_arrays_are_kept_once():
    def twice(x, y, steps):
        for _ in range(steps):
            x = np.sin((x - y) * x) + np.cos((x - y) * y)
            y = np.exp(-(x - y) * y)
        return np.sum(x * y)

    x, y = R.normal(size=(2, 4))
    sg.check_grads(lambda x, y: twice(x, y, 3), (x, y))


def test_distances_of_pairs_are_symmetric_where_they_may_be_zero():
    """Both sums of an antisymmetric matrix come from one, also behind the guard of the root."""
    def energy(x):
        d = np.sqrt((x[:, None] - x) ** 2)
        return np.sum(np.exp(-d))

    df = sg.grad(energy)
    x = np.array([0.3, 0.9, 0.4])
    np.testing.assert_allclose(df(x), [
        np.sum(np.exp(-np.abs(v - x)) * np.sign(x - v)) * 2 for v in x])
    assert df.source().count("axis=") + df.source().count("einsum") == 1
