"""What a program reads from outside may change between its calls in any way.

Plain Python and compiled code are called side by side, each in a module of its own, with the
same changes before each call: values, what was changed, and derivatives are compared.
"""

from __future__ import annotations

import linecache
import types

import numpy as np
import pytest
from change_generator import text_of
from changes import PROGRAMS
from changes_found import PROGRAMS as FOUND
from changes_numpy import PROGRAMS as OF_NUMPY

import srcgrad as sg

SETUP = "import functools, operator\nimport numpy as np\n"


def module_of(text):
    """A fresh module with a text's definitions."""
    module = types.ModuleType("program_of_changes")
    name = f"<changes {id(module)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    exec(compile(text, name, "exec", dont_inherit=True), vars(module))
    return module


def state_of(module):
    """The numbers among what a module and its classes hold."""
    found = {}
    for name, value in vars(module).items():
        for part, held in vars(value).items() if isinstance(value, type) else [("", value)]:
            held = vars(held) if hasattr(held, "__dict__") and not callable(held) else held
            if isinstance(held, (int, float, np.ndarray, list, dict)) and part[:2] != "__" and (
                    name[:2] != "__"):
                found[name, part] = repr(held) if "0x" not in repr(held) else len(repr(held))
    return found


def outcome(call, x, args):
    try:
        return call(x, *args)
    except (sg.errors.SrcgradError, AssertionError):
        raise
    except Exception as error:
        return (type(error), str(error))


def compare(text, count, arguments=lambda module, k: (), refusals=False):
    """``program(x, ...)`` in plain Python and compiled, after each of its changes."""
    modules = [module_of(SETUP + text) for _ in range(4)]
    try:
        compare_calls(text, count, *modules, arguments=arguments, refusals=refusals)
    finally:  # what the program has set of the process
        vars(modules[0]).get("restore", list)()


def compare_calls(text, count, plain, ours, *ahead, arguments, refusals):
    """The calls of :func:`compare`; the modules ``ahead`` are for differences."""
    df = sg.value_and_grad(ours.program)
    for k in range(count):
        x, step = 0.3 + 0.2 * k, 1e-6
        for module in (plain, ours, *ahead):
            module.change(k)
        want = outcome(plain.program, x, arguments(plain, k))
        beside = [outcome(m.program, x + s * step, arguments(m, k))
                  for m, s in zip(ahead, (1, -1))]
        try:
            got = outcome(df, x, arguments(ours, k))
        except sg.errors.SrcgradError:
            if refusals:
                return
            raise
        if isinstance(want, tuple):
            assert got == want
            return
        value, slope = got
        assert repr(value) == repr(want), f"call {k}: {value} != {want}\n{text}"
        assert state_of(ours) == state_of(plain), f"call {k}\n{text}"
        left, right = (beside[0] - want) / step, (want - beside[1]) / step
        if abs(left - right) < 1e-3 and k == 0:  # later the states are apart by the step
            assert np.isclose(slope, (left + right) / 2, rtol=1e-4, atol=1e-4), f"{k}\n{text}"


EVERY = {**PROGRAMS, **FOUND, **OF_NUMPY}


@pytest.mark.parametrize("name", EVERY)
def test_changes_between_calls(name):
    text, count = EVERY[name]
    compare(text, count)


def random_program(seed):
    def arguments(module, k):
        if k in (1, 4):
            one = module.shared if k == 4 else module.Kid(0.4)
            return one, one
        if k == 3:
            return module.shared, module.Other(0.3)
        return module.Kid(0.4 + 0.1 * k), module.Other(0.9 - 0.1 * k)

    compare(text_of(seed), 6, arguments, refusals=True)


@pytest.mark.parametrize("seed", [*range(8), 188])
def test_random_changes(seed):
    random_program(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8, 60))
def test_random_changes_at_length(seed):
    random_program(seed)
