"""What a program sets of the process is set at each call, and what it reads of it is that of each
call."""

import decimal
import functools

import numpy as np
import pytest

import srcgrad as sg


@pytest.fixture(autouse=True)
def _as_before():
    with np.errstate(), np.printoptions(), decimal.localcontext():
        yield


def quiet(x):
    np.seterr(over="ignore", invalid="ignore")
    return x * x


def printing(x):
    np.set_printoptions(precision=3)
    return x * len(str(np.array([1 / 3, 2.0]))) + int(np.get_printoptions()["precision"])


def set_back(x):
    before = np.seterr(all="ignore")
    inside = np.geterr()["over"]
    np.seterr(**before)
    return x * len(inside) + len(np.geterr()["over"])


def nested(x):
    with np.errstate(over="ignore"):
        inside = len(np.geterr()["over"])
        with np.errstate(over="raise", divide="ignore"):
            inside += 10 * (np.geterr()["over"] == "raise") + (np.geterr()["divide"] == "warn")
    return x * inside + len(np.geterr()["over"])


def by_branch(x):
    if x > 1.0:
        np.seterr(divide="ignore")
    return x * (3.0 if np.geterr()["divide"] == "ignore" else 2.0)


PROGRAMS = [quiet, printing, set_back, nested, by_branch]


@pytest.mark.parametrize("function", PROGRAMS)
def test_settings(function):
    df = sg.value_and_grad(function)
    for x in (0.5, 1.5):
        for over, precision in (("warn", 8), ("ignore", 5), ("raise", 8)):
            results = []
            for call in (function, lambda x: df(x)[0]):
                np.seterr(all="warn", over=over)
                np.set_printoptions(precision=precision)
                value = call(x)
                results.append((value, np.geterr(), np.get_printoptions()["precision"]))
            assert results[0] == results[1]


def caught(x):
    try:
        t = np.sum(np.exp(x * 1000.0))
    except FloatingPointError:
        t = 7.0 * x[0]
    return t


def test_errors_that_the_process_raises():
    df, x = sg.value_and_grad(caught), np.array([1.0])
    for over in ("warn", "raise", "ignore", "raise"):
        np.seterr(over=over, invalid="ignore")
        if over == "warn":
            with pytest.warns(RuntimeWarning):
                assert df(x)[0] == np.inf
        else:
            assert np.array_equal(df(x)[0], caught(x))
    with np.errstate(over="raise"):
        assert np.array_equal(df(x)[1], [7.0])


def context(x):
    decimal.getcontext().prec = 5
    return x * float(decimal.Decimal(1) / 3)


def options(x):
    with np.printoptions(precision=2):
        return x * len(str(np.array([1 / 3])))


@pytest.mark.parametrize(("function", "words"), [(context, "decimal context"),
                                                 (options, "np.printoptions")])
def test_refusals(function, words):
    with pytest.raises(sg.errors.UnsupportedOperation, match=words):
        sg.grad(function)(0.5)


RATE = [2.0]


@functools.lru_cache
def kept(v):
    return v * RATE[0]


def test_what_python_has_kept():
    df = sg.value_and_grad(lambda x: kept(x) * x)
    assert kept(0.5) == 1.0
    assert df(0.5) == (0.5, 2.0)
    assert df(0.75) == (1.125, 3.0)
    RATE[0] = 5.0
    try:
        assert kept(0.75) == 1.5  # from the call of the derivative
        with pytest.raises(sg.errors.UnsupportedOperation, match="cache_clear"):
            df(0.75)
        assert df(1.5) == (11.25, 15.0)
        kept.cache_clear()
        assert df(0.75) == (2.8125, 7.5)
    finally:
        RATE[0] = 2.0
        kept.cache_clear()


def in_a_loop(x):
    t = 0.0
    for i in range(2):
        t = t + x * kept(3)
        RATE[0] = RATE[0] + x
    return t


def test_what_is_kept_while_the_state_changes():
    try:
        assert in_a_loop(0.5) == 6.0
        kept.cache_clear()
        RATE[0] = 2.0
        with pytest.raises(sg.errors.UnsupportedOperation, match="cache_clear"):
            sg.grad(in_a_loop)(0.5)
    finally:
        RATE[0] = 2.0
        kept.cache_clear()
