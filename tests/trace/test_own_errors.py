"""Which exceptions are the program's, and which come from a mistake of the tracer itself."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.trace.flow.branches import is_of_program
from srcgrad.trace.values.operators import Operators


def raised(text: str, module: str, **names: Any) -> Exception:
    """What a line raises as code of a module."""
    space = types.ModuleType(module).__dict__ | names
    with pytest.raises(Exception) as found:
        exec(compile(f"def line():\n    {text}\nline()", "<line>", "exec"), space)
    return found.value


@pytest.mark.parametrize("text", [
    "part.number", "part + 1", "part.number = 2", "a, b = 1", "unknown + 1", "known = known + 1"])
def test_mistakes_of_the_tracer(text):
    assert not is_of_program(raised(text, "srcgrad.trace.some", part=None))
    assert is_of_program(raised(text, "program", part=None))


@pytest.mark.parametrize("text", [
    "raise ValueError", "apply(np.ones(2), np.ones(3))", "items[4]", "items[4] = 1", "iter(2)",
    "getattr(items, 'nothing')", "1 / 1 if apply(1, None) else 0"])
def test_what_the_tracer_does_for_the_program(text):
    assert is_of_program(raised(text, "srcgrad.trace.some", np=np, items=[], apply=operator.add))


def test_a_mistake_in_an_arm_is_seen(monkeypatch):
    def program(x):
        return -x if x > 9.0 else x * 2.0

    space = {"__name__": "srcgrad.trace.some"}
    exec("def mistaken(self, *args):\n    return self.nothing_of_this_name", space)
    monkeypatch.setattr(Operators, "unary", space["mistaken"])
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        sg.grad(program)(1.0)
