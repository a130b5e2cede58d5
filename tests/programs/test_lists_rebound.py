"""A list from outside on one path, another list on the other: read at each call, whichever it is, and never both changed."""

from __future__ import annotations

import copy
from types import SimpleNamespace

import lists_rebound
import numpy as np
import pytest
from chain import check, differences, same
from lists_rebound import PROGRAMS, TABLES

import srcgrad as sg

V = np.array([0.3, -0.5, 0.7])


@pytest.mark.parametrize(("fn", "args"), lists_rebound.CASES, ids=lambda a: getattr(a, "__name__", ""))
def test_program(fn, args):
    check(fn, args, passes=False)


@pytest.mark.parametrize("transform", [sg.value_and_grad, sg.jit])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_other_numbers_are_read_at_each_call(fn, transform):
    df = transform(fn)
    for numbers in ([0.3, -0.5, 0.7], [1.1, 0.2, -0.9], [0.4] * 5, [0.3, -0.5, 0.7]):
        for x in (1.3, -1.3):
            plain, traced = [*numbers], [*numbers]
            want = fn(plain, x)
            found = df(traced, x)
            assert traced == plain
            if transform is sg.jit:
                assert found == want
            else:
                assert found[0] == want
                np.testing.assert_allclose(found[1], differences(fn, ([*numbers], x), 0), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fn", TABLES, ids=lambda fn: fn.__name__)
def test_tables_are_read_at_each_call(fn, monkeypatch):
    df = sg.value_and_grad(fn)
    for table, rows in (([1.0, 2.0, 3.0], [[1.0, 2.0], [3.0, 4.0]]), ([5.0, 6.0], [[1.5, 2.0], [3.0, 4.5]])):
        monkeypatch.setattr(lists_rebound, "TABLE", table)
        monkeypatch.setattr(lists_rebound, "ROWS", rows)
        for _ in range(2):
            for x in (1.3, -1.3):
                assert df(V, x)[0] == fn(V, x)
            table[0], rows[0][0] = 7.5, 8.5  # the same list, with other numbers


def test_a_table_that_would_be_written_to_on_one_path_is_left_alone():
    before = copy.deepcopy(lists_rebound.TABLE)
    with pytest.raises(sg.AliasError, match="on the other path"):
        sg.grad(lists_rebound.a_table_written_to)(V, 1.3)
    assert lists_rebound.TABLE == before


def test_an_attribute_is_rebound():
    df = sg.value_and_grad(lists_rebound.as_an_attribute)
    for numbers in ([0.3, -0.5], [0.9, 0.4]):
        for x in (1.3, -1.3):
            plain, traced = SimpleNamespace(w=[*numbers]), SimpleNamespace(w=[*numbers])
            want = lists_rebound.as_an_attribute(plain, x)
            assert same(df(traced, x)[0], want) and traced.w == plain.w
