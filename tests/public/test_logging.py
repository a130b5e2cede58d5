"""What the logger named srcgrad tells."""

from __future__ import annotations

import logging

import numpy as np

import srcgrad as sg
from srcgrad.public import compiled


def cube(x):
    return np.sum(x ** 3)


def texts(caplog, level):
    return [r.getMessage() for r in caplog.records if r.name == "srcgrad" and r.levelno == level]


def test_compilations_are_told_once(caplog):
    caplog.set_level(logging.INFO, "srcgrad")
    df = sg.grad(lambda x: np.sum(x ** 3))
    df(np.ones(2))
    df(np.ones(5))
    (said,) = texts(caplog, logging.INFO)
    assert said.startswith("compiled grad of ") and "f8[n]" in said and " ms" in said
    df.cache_clear()
    assert "forgot the code of 1 signature(s)" in texts(caplog, logging.INFO)[-1]


def test_what_the_cache_forgets_is_told(caplog, monkeypatch):
    monkeypatch.setattr(compiled, "MAX_SIZE", 2)
    caplog.set_level(logging.INFO, "srcgrad")
    df = sg.grad(lambda x: np.sum(x ** 3))
    for dtype in (np.float64, np.float32, np.longdouble):
        df(np.ones(2, dtype))
    (said,) = [t for t in texts(caplog, logging.INFO) if "cache is full" in t]
    assert "x: f8[n]" in said
    assert df.cache_info().currsize == 2


def test_shared_code_and_new_starts_are_told_in_detail(caplog):
    caplog.set_level(logging.DEBUG, "srcgrad")

    def made(scale):
        return sg.grad(lambda x: np.sum(scale * x))

    made(2.0)(np.ones(2))
    made(3.0)(np.ones(2))
    assert any("code of another function serves" in t for t in texts(caplog, logging.DEBUG))

    def weighed(x):
        found = {}
        for i in range(len(x)):
            found[int(x[i] > 0.0)] = x[i]
        return sum(found.values())

    sg.grad(weighed)(np.array([1.0, -2.0]))
    assert any("again, with assumptions on: " in t for t in texts(caplog, logging.DEBUG))


def test_nothing_is_printed_without_being_asked(capfd):
    sg.grad(cube)(np.ones(3))
    assert capfd.readouterr() == ("", "")
