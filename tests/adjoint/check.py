"""Derivatives by differences, for graphs run by the pure interpreter."""

from __future__ import annotations

import numpy as np

from srcgrad.graph.interpret import interpret


def run(graph, args):
    return list(interpret(graph, *args))


def differences(f, args, wrt, eps=None):
    """Central differences of the scalar ``f(args)`` for the arguments ``wrt``."""
    found = []
    for w in wrt:
        a = np.asarray(args[w])
        step = eps or (1e-6 if a.dtype.itemsize >= 8 else 1e-2)
        grad = np.zeros(a.shape)
        for at in np.ndindex(a.shape):
            values = []
            for s in (step, -step):
                moved = a.copy()
                moved[at] += s
                rest = list(args)
                rest[w] = moved if isinstance(args[w], np.ndarray) else type(args[w])(moved)
                values.append(float(np.real(f(rest))))
            grad[at] = (values[0] - values[1]) / (2 * step)
        found.append(grad)
    return found


def assert_slopes(found, f, args, wrt, tol):
    """Cotangents against differences: with a smaller step where the usual one is too long."""
    try:
        assert_close(found, differences(f, args, wrt), tol)
    except AssertionError:
        assert_close(found, differences(f, args, wrt, 1e-7), tol)


def directions(args, wrt):
    r = np.random.default_rng(3)
    found = []
    for w in wrt:
        d = r.normal(size=np.shape(args[w])).astype(np.asarray(args[w]).dtype)
        found.append(d if isinstance(args[w], np.ndarray) else type(args[w])(d))
    return found


def assert_close(found, expected, tol):
    for f, e in zip(found, expected, strict=True):
        scale = 1.0 + np.max(np.abs(e), initial=0.0)
        np.testing.assert_allclose(np.asarray(f), e, rtol=0, atol=tol * scale)
