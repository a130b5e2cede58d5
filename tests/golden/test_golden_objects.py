"""Programs over objects: one text for every number of objects, short, right in value, gradient and second
derivative.

To write the texts anew after a change of the compiler, run
``PYTHONPATH=.:tests/support python tests/golden/test_golden_objects.py``, read the difference, check it in.
``benchmarks/objects.py`` measures the same programs.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from golden_objects import OBJECTS

import srcgrad as sg

HERE = Path(__file__).parent
NAMES = sorted(OBJECTS)


def text_of(name, count=5):
    program, _, arguments = OBJECTS[name]
    return sg.value_and_grad(program).source(*arguments(count))


def lines_of(text):
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("#"))


@pytest.mark.parametrize("name", NAMES)
def test_text(name):
    assert text_of(name).rstrip() == (HERE / "texts" / f"objects_{name}.py").read_text().rstrip()


@pytest.mark.parametrize("name", NAMES)
def test_one_text_for_every_number_of_objects(name):
    assert text_of(name) == text_of(name, 500)


@pytest.mark.parametrize("name", NAMES)
def test_text_is_short(name):
    program, classes, _ = OBJECTS[name]
    source = sum(lines_of(inspect.getsource(part)) for part in (program, *classes))
    limit = 4.1 if name == "dijkstra" else 3.5  # a heap keeps its order beside what it holds
    assert lines_of(text_of(name)) <= limit * source


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name):
    program, _, arguments = OBJECTS[name]
    derivative, slope = sg.value_and_grad(program), sg.grad(program)
    for count in (5, 13):
        args = arguments(count)
        value, gradient = derivative(*args)
        assert value == program(*args)
        direction = np.random.default_rng(0).normal(size=np.shape(args[0]))

        def along(step, function, args=args, direction=direction):
            return function(args[0] + step * direction, *args[1:])

        step = 1e-5
        assert np.sum(gradient * direction) == pytest.approx(
            (along(step, program) - along(-step, program)) / (2 * step), rel=1e-5, abs=1e-6)
        wanted = (along(step, slope) - along(-step, slope)) / (2 * step)
        found = sg.jvp(lambda x, args=args: slope(x, *args[1:]), (args[0],), (direction[()],))[1]
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


if __name__ == "__main__":
    for program_name in NAMES:
        (HERE / "texts" / f"objects_{program_name}.py").write_text(
            text_of(program_name).rstrip() + "\n")
