"""``finally`` parts and ``__exit__`` run as in Python where an exception leaves the function."""

from __future__ import annotations

import contextlib
import io
import math

import numpy as np
import pytest

import srcgrad as sg


class Cfg:
    def __init__(self):
        self.mode, self.depth = "idle", 4


class CM:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, t, v, tb):
        self.log.append("out" if t is None else t.__name__ + str(v))
        return False


def appends(x, log):
    try:
        y = np.linalg.inv(x)
    finally:
        log.append("done")
    return np.sum(y)


def prints_and_appends(x, log):
    log.append("start")
    n = 0
    try:
        n = 1
        y = np.linalg.cholesky(x)
    finally:
        print("clean")
        log.append(3)
    return np.sum(y)


def resets_a_buffer(x, buf):
    buf[0] = 5.0
    try:
        buf[1] = 7.0
        y = np.linalg.cholesky(x)
        buf[1] = 8.0
    finally:
        buf[0] = 0.0
    return np.sum(y) * buf[1]


def restores_a_mode(x, c):
    old = c.mode
    c.mode = "busy"
    try:
        y = np.linalg.cholesky(x)
    finally:
        c.mode = old
    return np.sum(y)


def manager_that_logs(x, log):
    with CM(log):
        y = np.linalg.inv(x)
    return np.sum(y)


def in_a_loop(x, log):
    s = 0.0
    for i in range(3):
        try:
            s = s + np.sum(np.linalg.inv(x - i * np.eye(2)))
        finally:
            log.append("it")
    return s


def raises_itself(x, log):
    try:
        log.append("a")
        if x[0, 0] > 0:
            raise ValueError("bad")
    finally:
        log.append("b")
    return np.sum(x)


def nested(x, log):
    try:
        try:
            y = np.linalg.inv(x)
        finally:
            log.append("inner")
    finally:
        log.append("outer")
    return np.sum(y)


def no_try(x, log):
    log.append(1)
    z = np.dot(x, np.ones(3))
    return np.sum(z)


def shapes_do_not_fit(x, log):
    try:
        z = np.dot(x, np.ones(3))
    finally:
        log.append("shape")
    return np.sum(z)


def counts_depth(x, c):
    c.depth += 1
    try:
        y = np.linalg.inv(x)
    finally:
        c.depth -= 1
    return np.sum(y)


def in_a_helper(x, log):
    def run(m):
        try:
            return np.linalg.inv(m)
        finally:
            log.append("helper")

    try:
        return np.sum(run(x))
    except np.linalg.LinAlgError as e:
        log.append(str(e))
        return np.sum(x)


def loop_index(x, log):
    for i in range(3):
        try:
            y = np.linalg.inv(x)
        finally:
            log.append(i)
    return np.sum(y)


def keeps_the_cause(x, log):
    try:
        y = math.sqrt(x[0, 0] - 1)
    except ValueError as e:
        raise KeyError("k") from e
    return y


def two_managers(x, log):
    with CM(log) as a, CM(log) as b:
        y = np.linalg.inv(x)
        if y[0, 0] > 100:
            raise RuntimeError("big")
    return np.sum(y)


def scales_a_buffer(x, buf):
    try:
        y = np.linalg.inv(x)
    finally:
        buf *= 2.0
        buf[1:] += 1.0
    return np.sum(y) * buf[0]


SINGULAR, REGULAR = np.zeros((2, 2)), np.eye(2) * 2
LOGS = (
    appends,
    prints_and_appends,
    manager_that_logs,
    in_a_loop,
    raises_itself,
    nested,
    no_try,
    shapes_do_not_fit,
    in_a_helper,
    loop_index,
    keeps_the_cause,
    two_managers,
)
PROGRAMS = [
    *((f, list) for f in LOGS),
    *((f, lambda: np.ones(3)) for f in (resets_a_buffer, scales_a_buffer)),
    *((f, lambda: Cfg()) for f in (restores_a_mode, counts_depth)),
]


def outcome(run, x, state):
    """The value or exception, what was printed, and what was done outside."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = repr(run(x.copy(), state))
        except Exception as error:
            result = (type(error), str(error), repr(error.__cause__))
    return result, repr(vars(state) if isinstance(state, Cfg) else state), printed.getvalue()


@pytest.mark.parametrize("x", [SINGULAR, REGULAR], ids=["raises", "returns"])
@pytest.mark.parametrize(("fn", "state"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_program(fn, state, x):
    derivative = sg.value_and_grad(fn)
    for _ in range(2):
        assert outcome(lambda *a: derivative(*a)[0], x, state()) == outcome(fn, x, state())
