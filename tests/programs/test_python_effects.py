"""Effects of ordinary programs happen once per call, in order, as in plain Python."""

from __future__ import annotations

import logging
import random
import warnings

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0, 0.3])
LOG: list = []
STATE = {"calls": 0, "best": None, "history": []}
COUNT = 0
SCALE = 2.0
logger = logging.getLogger("programs")


class Recorder:
    def __init__(self):
        self.lines = []
        self.n = 0
        self.table = {}

    def add(self, *items):
        self.lines.append(items)
        self.n += len(items)
        return self


RECORDER = Recorder()


def talks(x):
    print("start", len(x))
    total = 0.0
    for i, v in enumerate(x):
        if v > 0:
            print(f"{i}: {v:.2f}")
            total += v**2
        elif v < -1:
            print("skipped", i)
            continue
        if total > 3:
            print("enough", total)
            break
    else:
        print("all")
    return total


def logs(x):
    logger.warning("norm %s", np.sum(x))
    y = x * 2
    if y[0] > 0:
        logger.info("positive %.3f", y[0])
    return np.sum(y**2)


def warns(x):
    if np.any(x < 0):
        warnings.warn("negative input", RuntimeWarning)
    return np.sum(np.sqrt(np.abs(x)))


def keeps(x):
    global COUNT
    COUNT += 1
    STATE["calls"] += 1
    loss = np.sum(x**2) * SCALE
    STATE["history"].append(float(loss))
    if STATE["best"] is None or loss < STATE["best"]:
        STATE["best"] = float(loss)
    LOG.append((COUNT, float(x[0])))
    return loss


def records(x):
    r = RECORDER
    r.add(1, 2).add("x")
    r.table["last"] = float(x[1])
    r.table.setdefault("first", float(x[0]))
    for v in x[:2]:
        r.add(float(v))
    return np.sum(x**3) * r.n


def draws(x):
    noise = np.random.rand(3)
    k = random.random()
    noise = noise[np.random.permutation(3)]
    if noise[0] > 0.5:
        noise = noise + np.random.normal(size=3)
    return np.sum(x[:3] * noise) * k


def mutates(x):
    x[0] = 3.0
    x[1:] *= 0.5
    LOG.append(x.sum())
    return np.sum(x**2)


def _reset():
    global COUNT, SCALE
    COUNT, SCALE = 0, 2.0
    LOG.clear()
    STATE.update(calls=0, best=None, history=[])
    RECORDER.__init__()
    random.seed(3)
    np.random.seed(3)


def _observed(run, capsys, caplog):
    """What two calls with different arguments leave behind."""
    _reset()
    caplog.clear()
    capsys.readouterr()
    values, mutated = [], []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for scale in (1.0, -0.7, 1.0):
            given = X * scale
            values.append(float(run(given)))
            mutated.append(given.tolist())
    return {
        "values": values, "mutated": mutated, "out": capsys.readouterr().out,
        "log": [r.getMessage() for r in caplog.records], "list": [repr(e) for e in LOG],
        "state": repr(STATE), "count": COUNT, "recorder": repr(vars(RECORDER)),
        "warnings": [str(w.message) for w in caught],
        "streams": (random.random(), float(np.random.rand())),
    }


@pytest.mark.parametrize("fn", [talks, logs, warns, keeps, records, draws, mutates])
@pytest.mark.parametrize("mode", ["grad", "jit", "vjp", "hvp"])
def test_effects_are_those_of_plain_python(fn, mode, capsys, caplog):
    caplog.set_level(logging.INFO, logger="programs")
    want = _observed(fn, capsys, caplog)
    if mode == "grad":
        compiled = sg.value_and_grad(fn)
        run = lambda x: compiled(x)[0]
    elif mode == "jit":
        run = sg.jit(fn)
    elif mode == "vjp":
        run = lambda x: sg.vjp(fn, x)[0]
    else:
        gradient = sg.grad(fn)
        product = sg.value_and_grad(lambda x: np.sum(gradient(x)))
        values = iter(want["values"])

        def run(x):
            product(x)
            return next(values)

    assert _observed(run, capsys, caplog) == want


def test_a_changed_global_is_seen():
    global SCALE
    _reset()
    gradient = sg.grad(keeps)
    np.testing.assert_allclose(gradient(X), 4 * X)
    SCALE = 5.0
    np.testing.assert_allclose(gradient(X), 10 * X)
    _reset()
