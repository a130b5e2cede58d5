"""What an instance holds under a name that its class overrides: objects that the program makes, is
given, and finds outside, each in two calls, which leave the same behind as plain Python."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from chain import close, same
from objects_overridden import CLASSES, USES

import srcgrad as sg

CALLS = ((0.3, np.array([0.1, 0.5, 0.7])), (-0.3, np.array([0.01, 0.5, 0.7])), (0.45, np.array([0.5, 0.3])))
STEP = 1e-6


def _outcome(fn, *args):
    try:
        return fn(*args)
    except sg.SrcgradError:
        raise
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_objects(cls, use):
    def made(q, ys):
        return use(cls(q), q, ys)

    def given(obj, q, ys):
        return use(obj, q, ys)

    outside = cls(0.7)

    def found(q, ys):
        return use(outside, q, ys)

    compiled = [sg.value_and_grad(made), sg.value_and_grad(given, argnums=(0, 1)),
                sg.value_and_grad(found)]
    for q, ys in CALLS:
        want = _outcome(made, q, ys)
        got = _outcome(compiled[0], q, ys)
        if isinstance(want, tuple):
            assert got == want
        else:
            ends = made(q + STEP, ys), made(q - STEP, ys)
            assert same(got[0], want) and close(got[1], (ends[0] - ends[1]) / (2 * STEP))
        start = cls(0.7)
        plain, mine = copy.deepcopy(start), copy.deepcopy(start)
        vars(outside).clear()
        vars(outside).update(vars(start))
        for _ in range(2):  # the second finds what the first has left
            before = copy.deepcopy(plain)
            want = _outcome(use, plain, q, ys)
            for fn, args in ((compiled[1], (mine, q, ys)), (compiled[2], (q, ys))):
                got = _outcome(fn, *args)
                assert same(got if isinstance(want, tuple) else got[0], want)
                if not isinstance(want, tuple):
                    slope = got[1][1] if fn is compiled[1] else got[1]
                    ends = [use(copy.deepcopy(before), q + e, ys) for e in (STEP, -STEP)]
                    assert close(slope, (ends[0] - ends[1]) / (2 * STEP))
            assert same(vars(mine), vars(plain)) and same(vars(outside), vars(plain))
