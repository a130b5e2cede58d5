"""What takes long to compile: the work is bounded by the size of the program, not by its data."""

from __future__ import annotations

import copy

import long_compiled
import pytest
from chain import close, differences, floats
from long_compiled import matrix_chain

import srcgrad as sg
from srcgrad.emit.vanishing import Vanishing
from srcgrad.trace import entry
from srcgrad.types.tree import flatten

CASES = long_compiled.CASES


@pytest.mark.parametrize(("fn", "args", "other", "traces", "lines"), CASES,
                         ids=[fn.__name__ for fn, *_ in CASES])
def test_work(fn, args, other, traces, lines, monkeypatch):
    done, once = [], entry._trace_once
    monkeypatch.setattr(entry, "_trace_once", lambda *given: done.append(1) or once(*given))
    compiled = sg.value_and_grad(fn, argnums=floats(args))
    for given in (args, other):
        done.clear()
        value, slopes = compiled(*copy.deepcopy(given))
        assert len(done) <= traces and compiled.source(*given).count("\n") <= lines
        assert value == fn(*copy.deepcopy(given))
        for place, slope in zip(floats(args), slopes, strict=True):
            found = flatten(slope)[0]
            for got, want in zip(found, differences(fn, given, place), strict=True):
                assert want is None or close(got, want, 2e-4)
    if fn is not matrix_chain:  # which is written out
        assert compiled.source(*args) == compiled.source(*other)


def test_each_branch_is_asked_once(monkeypatch):
    """What a cotangent of zero leads to is followed once, however deep branches stand in others."""
    count, node = [0], Vanishing.node

    def counted(*args):
        count[0] += 1
        return node(*args)

    monkeypatch.setattr(Vanishing, "node", counted)

    def nested(x, depth):
        if depth == 0:
            return x * x
        y = x * 1.1
        if y > 3.0 + depth:
            return nested(y - 1.0, depth - 1) * y
        return y + 0.1 * depth

    work = []
    for depth in (4, 8):
        count[0] = 0
        sg.value_and_grad(lambda x, d=depth: nested(x, d))(2.0)
        work.append(count[0])
    assert work[1] <= 4 * work[0] + 100
