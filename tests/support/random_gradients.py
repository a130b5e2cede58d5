"""Random programs of one array: how they are made from text, and what must hold of them."""

from __future__ import annotations

import copy
import linecache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from chain import run_quietly

import srcgrad as sg


def made(text: str, what: str) -> Any:
    """The function ``program`` of a text, whose lines tracebacks show."""
    name = f"<random program {what}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"__name__": what.rpartition(" ")[0].replace(" ", "_")}
    exec(compile(text, name, "exec"), space)
    return space["program"]


def serves(generator: ModuleType, seed: int) -> bool:
    """Is the program not refused?  Its value is that of Python bit for bit, for several sizes, or it
    raises as Python does; its gradient is that of differences where these settle."""
    fn, text = generator.program(seed)
    df = sg.value_and_grad(fn)
    stream = np.random.default_rng(seed)
    for args in generator.arguments(seed):
        try:
            want = run_quietly(fn, copy.deepcopy(args))
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, copy.deepcopy(args))
            continue
        try:
            value, slope = run_quietly(df, copy.deepcopy(args))
        except sg.SrcgradError:
            return False
        assert np.array_equal(value, want, equal_nan=True), text
        way = stream.normal(size=args[0].shape)
        slopes = [(run_quietly(fn, (args[0] + h * way,)) - run_quietly(
            fn, (args[0] - h * way,))) / (2 * h) for h in (1e-6, 1e-5)]
        if abs(slopes[0] - slopes[1]) < 1e-5 * max(1.0, abs(slopes[0])):
            assert np.sum(slope * way) == pytest.approx(slopes[0], rel=1e-4, abs=1e-4), text
    return True
