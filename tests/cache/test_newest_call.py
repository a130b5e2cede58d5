"""A call runs the newest code itself, and asks for others where that does not fit."""

from __future__ import annotations

import gc
import linecache
import weakref

import numpy as np

import srcgrad as sg

X = np.array([1.0, 2.0, 3.0])


def square(x):
    return np.sum(x * x)


def scaled(x, by=2.0):
    return np.sum(x * x) * by


def test_a_call_is_kept_longer_than_what_made_it():
    call = sg.grad(square).__call__
    gc.collect()
    assert np.array_equal(call(X), 2 * X) and np.array_equal(call(np.eye(2)), 2 * np.eye(2))
    df = sg.grad(square)
    df(X)
    kept = df.__call__
    dies = weakref.ref(df)
    del df
    assert dies() is None  # no cycle keeps it
    assert np.array_equal(kept(X), 2 * X) and np.array_equal(kept(np.eye(2)), 2 * np.eye(2))


def test_parameters_with_defaults_are_served():
    df = sg.grad(scaled)
    for a, by in ((X, 3.0), (np.eye(2), 4.0), (X, 5.0)):
        assert np.array_equal(df(a), 4 * a) and np.array_equal(df(a, by), 2 * by * a)
        assert np.array_equal(df(a, by=by), 2 * by * a)


def test_hits_are_counted_and_asking_is_none():
    df = sg.grad(square)
    for a in (X, np.eye(2), X, X, np.eye(2)):
        df(a)
    assert df.cache_info()[:2] == df.cache_info()[:2] == (3, 2)
    df(x=X)
    assert df.cache_info().hits == 4
    df.cache_clear()
    assert df.cache_info()[:2] == (0, 0)


def test_functions_of_numpy_are_at_hand_and_texts_as_they_were():
    df = sg.grad(lambda x: np.sum(np.sin(x)))
    assert np.allclose(df(X), np.cos(X))
    code = df._entries[0].target.__code__
    assert "np.cos" in code.co_names and "np" not in code.co_names
    assert "np.cos(x)" in "".join(linecache.getlines(code.co_filename))
