"""Users' programs, from source to numbers: value, gradient, vjp and jvp against differences."""

from __future__ import annotations

import numpy as np
import pytest
from check import assert_close, differences
from source_programs import SOURCES

import srcgrad as sg


def copies(args):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in args]


@pytest.mark.parametrize("name", SOURCES)
def test_gradient(name):
    function, args, wrt = SOURCES[name]
    expected = differences(lambda a: function(*copies(a)), args, wrt)
    value, grads = sg.value_and_grad(function, argnums=wrt)(*copies(args))
    assert value == function(*copies(args))
    assert_close(grads, expected, 2e-6)
    _, pullback = sg.vjp(function, *copies(args))
    for _ in range(2):
        found = pullback(1.0)
        assert_close([found[w] for w in wrt], expected, 2e-6)
