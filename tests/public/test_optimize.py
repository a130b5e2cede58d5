"""Descent on any structure, and what SciPy's minimisers hand to callbacks."""

import time
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as sg
from srcgrad import optimize


@dataclass
class Model:
    w: np.ndarray
    b: float
    kind: str = "linear"


def loss(m, x):
    return np.sum((m.w * x - m.b) ** 2) + 0.1 * m.b ** 2


X = np.array([1.0, 2.0, -0.5])


def start(dtype=float):
    return Model(np.zeros(3, dtype), 1.0)


@pytest.mark.parametrize("settings", [{}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}])
def test_sgd_is_the_recurrence(settings):
    found = optimize.sgd(loss, start(), (X,), rate=lambda k: 0.02 / (k + 1), steps=7, **settings)
    m, momentum = start(), settings.get("momentum", 0.0)
    vw, vb = np.zeros(3), 0.0
    for k in range(7):
        gw, gb = 2 * (m.w * X - m.b) * X, np.sum(-2 * (m.w * X - m.b)) + 0.2 * m.b
        vw, vb = momentum * vw + gw, momentum * vb + gb
        if settings.get("nesterov"):
            gw, gb = gw + momentum * vw, gb + momentum * vb
        else:
            gw, gb = vw, vb
        m = Model(m.w - 0.02 / (k + 1) * gw, m.b - 0.02 / (k + 1) * gb)
    np.testing.assert_allclose(found.x.w, m.w, rtol=1e-12)
    np.testing.assert_allclose(found.x.b, m.b, rtol=1e-12)
    assert (found.x.kind, found.nit, type(found.x.b)) == ("linear", 7, float)


def test_adam_is_the_algorithm():
    found = optimize.adam(lambda x: np.sum(np.cosh(x)), X, rate=0.1, steps=5)
    x, m, v = X, np.zeros(3), np.zeros(3)
    for t in range(1, 6):
        g = np.sinh(x)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        x = x - 0.1 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-8)
    np.testing.assert_allclose(found.x, x, rtol=1e-12)
    assert np.array_equal(X, [1.0, 2.0, -0.5])  # the start is as it was


def test_kinds_are_kept():
    found = optimize.adam(loss, start(np.float32), (X.astype(np.float32),), steps=3)
    assert found.x.w.dtype == np.float32 and isinstance(found.x, Model)


def test_how_it_ends():
    def square(x):
        return x * x

    seen = []
    stopped = optimize.adam(square, 1.0, steps=100, callback=lambda s: seen.append(s.nit) or s.nit == 3)
    assert (stopped.nit, seen, stopped.message) == (3, [1, 2, 3], "the callback ended it")

    def stop(state):
        raise StopIteration

    assert optimize.sgd(square, 1.0, rate=0.1, steps=100, callback=stop).nit == 1
    with np.errstate(all="ignore"):
        diverged = optimize.sgd(lambda x: np.exp(x * x), 2.0, rate=10.0, steps=100)
    assert not diverged.success and "value is inf" in diverged.message and np.isfinite(diverged.x)
    given = [(np.array(float(k)),) for k in range(5)]
    assert optimize.sgd(lambda x, y: (x - y) ** 2, 0.0, rate=0.5, batches=given).x == 4.0
    assert optimize.sgd(lambda x, y: (x - y) ** 2, 0.0, rate=0.5, batches=given, steps=2).x == 1.0


@pytest.mark.parametrize("settings, text", [
    ({}, "how many steps"), ({"batches": [1.0]}, "not a tuple"), ({"steps": -1}, "steps is -1"),
    ({"steps": 2.5}, "steps is 2.5"), ({"steps": 3, "rate": "fast"}, "rate is 'fast'"),
    ({"batches": iter(())}, "no batches"), ({"batches": 5}, "batches is 5"),
    ({"steps": 1, "callback": 3}, "callback is 3")])
def test_mistakes(settings, text):
    with pytest.raises(sg.StructureError, match=text):
        optimize.adam(lambda x: x * x, 1.0, **settings)
    with pytest.raises(sg.StructureError, match="complex"):
        optimize.adam(lambda x: np.abs(x) ** 2, 1.0 + 1j, steps=1)


def test_progress(capsys, monkeypatch):
    from srcgrad.show import progress

    def square(x):
        return x * x

    optimize.adam(square, 1.0, steps=1)  # compiled before the clock starts
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    monkeypatch.setattr(sg.config, "progress", True)
    optimize.adam(square, 1.0, steps=4, callback=lambda state: time.sleep(0.2))
    assert "srcgrad: adam: step" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["BFGS", "trust-constr"])
def test_callbacks_of_scipy_get_the_structure(method):
    points, results = [], []

    def new(intermediate_result):
        results.append((intermediate_result.x, intermediate_result.fun))

    def old(x, *state):
        points.append(x)

    for callback in (new, old):
        found = optimize.minimize(loss, Model(np.ones(3), 2.0), (X,), method, callback=callback)
    assert isinstance(points[-1], Model) and isinstance(results[-1][0], Model)
    np.testing.assert_allclose(points[-1].w, found.x.w, atol=1e-3)


@pytest.mark.parametrize("call, fix", [
    (lambda c: optimize.sgd(lambda x: np.sum((x - c) ** 2), np.ones(2), rate=0.1, steps=3).x[0], "srcgrad.implicit"),
    (lambda c: optimize.adam(lambda x: np.sum((x - c) ** 2), np.ones(2), steps=3).x[0], "srcgrad.implicit")])
def test_inside_of_a_derivative_the_message_names_what_works_there(call, fix):
    with pytest.raises(sg.UnsupportedOperation, match=fix):
        sg.grad(call)(np.array([2.0, 3.0]))
