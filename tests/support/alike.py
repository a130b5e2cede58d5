"""Plain Python and compiled code side by side, call after call, each on arguments of its own.

Values, exceptions, what is left of the arguments and derivatives are compared; a compiled function
is called for all of a program's calls, so that it meets other arguments than it was made for.
"""

from __future__ import annotations

import types

import numpy as np
import pytest

import srcgrad as sg


class Programs:
    """A collection of programs, each with functions that make the arguments of its calls."""

    def __init__(self):
        self.cases = []

    def called(self, *calls, refused=False):
        def collect(function):
            self.cases.append(pytest.param(function, calls, refused, id=function.__name__))
            return function
        return collect


def state_of(obj, seen=None):
    """What an object holds, in depth; shared parts by their numbers."""
    seen = {} if seen is None else seen
    if isinstance(obj, (int, float, complex, str, np.ndarray, np.generic, type, type(None),
                        types.FunctionType)):
        return (type(obj).__name__, repr(obj))
    if id(obj) in seen:
        return seen[id(obj)]
    seen[id(obj)] = len(seen)
    parts = []
    if isinstance(obj, dict):
        parts += [(state_of(k, seen), state_of(v, seen)) for k, v in obj.items()]
    elif isinstance(obj, (set, frozenset)):
        parts += sorted(map(repr, obj))
    elif hasattr(obj, "__iter__"):
        parts += [state_of(item, seen) for item in obj]
    parts += [(name, state_of(value, seen)) for name, value in getattr(
        obj, "__dict__", {}).items()]
    parts += [(name, state_of(getattr(obj, name, "absent"), seen)) for cls in type(obj).__mro__
              for name in vars(cls).get("__slots__", ())]
    return (type(obj).__name__, parts)


def outcome(function, args):
    """What a call returns or raises, and what it leaves behind."""
    try:
        found = function(*args)
    except sg.errors.SrcgradError:
        raise
    except Exception as error:
        found = (type(error), str(error))
    return found, state_of(args[1:])


def slope(function, call):
    """The derivative by the first argument, by central differences."""
    step, ends = 1e-6, []
    for sign in (1, -1):
        x, *rest = call()
        ends.append(function(x + sign * step, *rest))
    return (ends[0] - ends[1]) / (2 * step)


def check(function, calls, refused):
    both, alone = sg.value_and_grad(function), sg.grad(function)
    for call in calls:
        if refused:
            with pytest.raises(sg.errors.SrcgradError):
                both(*call())
            continue
        (expected, left), (found, was_left) = outcome(function, call()), outcome(both, call())
        assert was_left == left
        again, was_left = outcome(alone, call())
        assert was_left == left
        if type(expected) is tuple:
            assert found == again == expected
        else:
            assert found[0] == expected
            assert np.allclose([found[1], again], slope(function, call), rtol=1e-4, atol=1e-6)
