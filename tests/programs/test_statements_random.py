"""Statements on lists give what they give in Python, or are refused."""

from __future__ import annotations

import heapq
import itertools
import linecache
from collections import deque

import numpy as np
import pytest
import statement_generator
from chain import differences

import srcgrad as sg

REFUSED = []


def compiled_from(text, seed):
    name = f"<statements {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np, "deque": deque, "itertools": itertools, "heapq": heapq, "__name__": __name__}
    exec(compile(text, name, "exec"), names)
    return names["program"]


@pytest.mark.parametrize("seed", range(80))
def test_statements(seed):
    text = statement_generator.program(seed)
    fn = compiled_from(text, seed)
    df = sg.value_and_grad(fn)
    for size in (4, 3):
        x = np.random.default_rng(seed + size).uniform(0.3, 1.9, size)
        try:
            want = fn(x.copy())
        except (ValueError, IndexError, TypeError) as error:
            with pytest.raises((type(error), sg.errors.SrcgradError)):
                df(x.copy())
            continue
        try:
            value, slope = df(x.copy())
        except sg.errors.SrcgradError:
            REFUSED.append(seed)
            return
        assert value == want, text
        np.testing.assert_allclose(slope, differences(fn, (x,), 0)[0], rtol=1e-4, atol=1e-4, err_msg=text)


def test_few_are_refused():
    assert len(set(REFUSED)) <= 6
