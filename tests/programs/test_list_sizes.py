"""Lists that loops fill are as long as the loops run: no text tests it, nothing is fixed."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from chain import check

import srcgrad as sg


def squares(x):
    return np.sum((np.array([v**2 for v in x]) + x) ** 2)


def filled_by_hand(x):
    found = []
    for v in x:
        found.append(np.sin(v))
        found.append(v * v)
    return np.sum(np.array(found).reshape(-1, 2) @ np.array([1.0, 2.0]) * x)


def kept_as_long(x):
    v = [a * 2 for a in x]
    for i in range(3):
        v = [a * a + 0.1 for a in v]
        v[0] = v[0] * x[i]
    return np.sum(np.array(v) * x)


def one_at_a_time(x):
    v = list(x)
    while len(v) > 2:
        v.append(v.pop() * v.pop(0))
        v.pop()
    return np.sum(np.array(v) * x[: len(v)])


def in_branches(x):
    found = [x[0]]
    for v in x:
        if v > 0.5:
            found.append(v * v)
        else:
            found.append(v)
            found.pop()
            found.insert(0, 2 * v)
    return np.sum(np.array(found[1:]) * x)


def left_early(x):
    found = []
    for v in x:
        if v > 1.0:
            break
        found.append(v * v)
    return np.sum(np.array(found)) + len(found)


def sometimes(x):
    found = []
    for v in x:
        if v > 0.5:
            found.append(v * v)
    return np.sum(np.array(found) + np.array(found)) * len(found)


def half_of_it(x):
    v = [a * a for a in x]
    return np.sum(v[: len(x) // 2]) + 2 * np.sum(v[len(v) // 3 :])


PROGRAMS = (squares, filled_by_hand, kept_as_long, one_at_a_time, in_branches, left_early,
            sometimes, half_of_it)


@pytest.mark.parametrize("fn", PROGRAMS)
def test_program(fn):
    check(fn, (np.array([0.3, 0.9, 0.2, 1.4, 0.7]),))


@pytest.mark.parametrize("fn", PROGRAMS)
def test_one_text_serves_all_sizes(fn):
    df = sg.value_and_grad(fn)
    for size in (5, 6, 9, 12):
        x = np.linspace(0.3, 1.4, size)
        value, slope = df(copy.copy(x))
        assert value == fn(x) and slope.shape == x.shape
    assert df.cache_info().misses == 1


def test_no_text_asks_for_the_shape_of_a_filled_array():
    text = sg.grad(squares).source(np.ones(3))
    assert "sum_to" not in text and "len(" not in text


def test_no_iterations():
    def program(x, n):
        found = []
        for i in range(1, n):
            found.append(x[i] ** 2)
        total = 0
        for v in found:
            total = total + v
        return np.sum(x) + total + len(found)

    df = sg.value_and_grad(program)
    x = np.array([0.5, 2.0, 3.0])
    for n in (3, 1, 0, -2, 2):
        value, slope = df(x, n)
        assert value == program(x, n)
        assert np.array_equal(slope, [1.0 + 2 * v * (1 <= i < n) for i, v in enumerate(x)])


def two_of_a_list(x):
    a, b = [s for s in x if s > 0]
    return a * b


def two_of_an_array(x):
    a, b = x[x > 0]
    return a * b


def two_of_all(x):
    a, b = [2 * s for s in x]
    return a * b


def two_at_least(x):
    a, *rest, b = [s for s in x if s > 0]
    return a * b * (1 + sum(rest))


@pytest.mark.parametrize("fn", [two_of_a_list, two_of_an_array, two_of_all, two_at_least])
@pytest.mark.parametrize("transform", [sg.grad, sg.jit])
def test_unpacking_counts(fn, transform):
    df = transform(fn)
    for x in ([1.0, 2.0], [1.0, 2.0, -3.0], [1.0, 2.0, 3.0], [1.0, -2.0, -3.0], [-1.0, 2.0]):
        try:
            fn(np.array(x))
        except ValueError as error:
            with pytest.raises(ValueError, match=str(error).split("(")[0]):
                df(np.array(x))
        else:
            df(np.array(x))


def looked_up(x, table):
    return table[int(x[0] * 3)] * x[0]


def interpolated(x, table):
    total = 0.0
    for v in x:
        k = int(v * 3)
        w = v * 3 - k
        total += (1 - w) * table[k] + w * table[k + 1]
    return total


@pytest.mark.parametrize("fn", [looked_up, interpolated])
def test_tables_that_data_index_have_one_text(fn):
    """A list from outside that is read where data say is one input, however long."""
    df, both = sg.value_and_grad(fn), sg.value_and_grad(fn, argnums=(0, 1))
    x = np.array([0.9, 0.1, 0.75])
    for n in (5, 12, 30):
        table = list(np.cos(np.arange(n) * 1.0) + 1.5)
        value, (d_x, d_table) = both(x, table)
        assert value == fn(x, table) == df(x, table)[0]
        assert np.array_equal(d_x, df(x, table)[1])
        for slopes, args in ((d_x, lambda d: (x + d, table)), (d_table, lambda d: (x, [
                t + e for t, e in zip(table, d)]))):
            for k, slope in enumerate(slopes):
                step = np.zeros(len(slopes))
                step[k] = 1e-6
                want = (fn(*args(step)) - fn(*args(-step))) / 2e-6
                assert slope == pytest.approx(want, rel=1e-6, abs=1e-8)
    assert df.cache_info().misses == 1 and "table_0" not in df.source()


def summed(u, v, w):
    return sum((u * 1e16, v, -w * 1e16)) + sum([u, v, 2.0 * w, u * v], 0.5)


def test_sums_of_numbers_are_those_of_the_interpreter():
    """From 3.12 on ``sum`` of Python's floats keeps what rounding loses."""
    for args in ((1.0, 1.0, 1.0), (0.1, 0.7, 3.0), (2.0, 1e-9, 2.0)):
        value, slopes = sg.value_and_grad(summed, argnums=(0, 1, 2))(*args)
        assert value == summed(*args)
        u, v, _ = args
        assert slopes == pytest.approx((1e16 + 1.0 + v, 2.0 + u, -1e16 + 2.0), rel=1e-12)
    assert sg.hessian(lambda u: sum([u * u, u, 3.0 * u * u]))(1.5) == 8.0
