"""Random programs as scientists write them, alone and with state that changes between calls: the
value by its bits, what is written, exceptions and their texts are plain Python's in every mode, and
derivatives agree with each other and with differences."""

from __future__ import annotations

import copy
import linecache
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from chain import close, floats, same
from science_generator import Program, program, with_state

import srcgrad as sg
from srcgrad.compile.requests import Request
from srcgrad.public.compiled import Compiled
from srcgrad.simplify.pipeline import PASSES

Call = Callable[..., Any]


def module_of(text: str) -> dict[str, Any]:
    """The names that a text defines, in a module of their own."""
    name = f"<science {next(_NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {"__name__": "science"}
    exec(compile(text, name, "exec", dont_inherit=True), space)
    return space


_NUMBERS = iter(range(10**9))


def outcome(fn: Call, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """The value, or the type and text of the exception, and the arguments after the call."""
    given = copy.deepcopy(args)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return fn(*given), given
        except sg.SrcgradError:
            raise
        except Exception as error:
            return (type(error), str(error)), given


def raised(value: Any) -> bool:
    return type(value) is tuple and isinstance(value[0], type)


def spoken(error: Any) -> Any:
    """The type and text of an exception.  Of several indices out of bounds in one statement any may
    be named, and where a result does not fit ``out=`` it may be said of its store."""
    text = re.sub(r"index -?\d+ is", "index i is", error[1])
    return error[0], "broadcast" if "broadcast" in text else text


def directions(args: tuple[Any, ...], places: tuple[int, ...]) -> list[Any]:
    """A tangent for each argument, None for those that have none."""
    stream = np.random.RandomState(7)
    found: list[Any] = [None] * len(args)
    for place in places:
        t = stream.standard_normal(np.shape(args[place]))
        found[place] = t if np.ndim(t) else float(t)
    return found


def moved(args: tuple[Any, ...], along: list[Any], step: float) -> tuple[Any, ...]:
    return tuple(a if t is None else type(a)(a + step * t) if isinstance(a, float) else a + step * t
                 for a, t in zip(args, along))


def slope(value: Call, args: tuple[Any, ...], along: list[Any]) -> float | None:
    """The central difference along a direction; None at a kink, a jump or an exception, and where
    the value is so large that it tells nothing."""
    found = []
    for step in (1e-5, 3e-6):
        ends = [value(moved(args, along, s * step)) for s in (1, 0, -1)]
        if any(raised(e) or not abs(e) < 1e6 for e in ends):
            return None
        before, after = (ends[0] - ends[1]) / step, (ends[1] - ends[2]) / step
        if abs(before - after) > 1e-3 * (1 + abs(before)):
            return None
        found.append(float(before + after) / 2)
    return found[1] if close(*found, 1e-5) and abs(found[1]) < 1e5 else None


def modes_of(fn: Call, places: tuple[int, ...], along: Callable[[Any], list[Any]]) -> dict[str, Call]:
    unsimplified = Request("value_and_grad", places, False, without=(*PASSES, "dead"))
    return {"value_and_grad": sg.value_and_grad(fn, argnums=places),
            "grad": sg.grad(fn, argnums=places), "jit": sg.jit(fn),
            "without passes": Compiled(fn, unsimplified),
            "jvp": lambda *args: sg.jvp(fn, args, along(args))}


class Checked:
    """One program, called again and again in plain Python and in some modes, each in a module of its
    own; ``refused`` counts refusals."""

    def __init__(self, made: Program, names: tuple[str, ...]) -> None:
        self.made, self.names, self.refused = made, names, 0
        self.places = floats(made.calls[0])
        self.plain = module_of(made.text)
        self.spaces = {name: module_of(made.text) for name in names}
        self.modes = {name: modes_of(space["program"], self.places, self.along)[name]
                      for name, space in self.spaces.items()}

    def along(self, args: Any) -> list[Any]:
        return directions(args, self.places)

    def run(self) -> None:
        for k, args in enumerate(self.made.calls):
            for space in (self.plain, *self.spaces.values()):
                space["change"](k)
            before = copy.deepcopy({name: self.plain[name] for name in self.made.state})
            want, after = outcome(self.plain["program"], args)
            if floats(args) == self.places:
                found = {name: self.compared(name, k, args, want, after) for name in self.names}
                if not raised(want) and np.ndim(want) == 0 and np.isfinite(want):
                    self.derivatives(k, args, {n: f for n, f in found.items() if f is not None})

    def compared(self, name: str, k: int, args: tuple[Any, ...], want: Any, after: Any) -> Any:
        """What a mode gives, if it is not refused: value, arguments and state are as they should."""
        where = f"{name}, call {k} of {args}:\n{self.made.text}\n"
        try:
            got, given = outcome(self.modes[name], args)
        except sg.SrcgradError:
            self.refused += 1
            return None
        if raised(want):
            assert raised(got) and spoken(got) == spoken(want), f"{where}{got}, not {want}"
            return None
        assert not raised(got), f"{where}{got}, not {want}"
        assert same(given, after), f"{where}arguments {given}, not {after}"
        if name != "grad":
            value = got if name == "jit" else got[0]
            assert same(value, want), f"{where}{value!r}, not {want!r}"
        for held in self.made.state:
            assert same(self.spaces[name][held], self.plain[held]), f"{where}{held}"
        return got

    def derivatives(self, k: int, args: tuple[Any, ...], found: dict[str, Any]) -> None:
        """All modes give one derivative along a direction, that of differences."""
        along = self.along(args)
        seen = {}
        for name, got in found.items():
            if name == "jvp":
                seen[name] = float(got[1])
            elif name != "jit":
                gradients = got if name == "grad" else got[1]
                seen[name] = sum(float(np.sum(g * along[p])) for g, p in zip(gradients, self.places))
        where = f"call {k} of {args}:\n{self.made.text}\n{seen}"
        exact = all(np.asarray(args[p]).dtype == np.float64 for p in self.places)
        for one in seen.values():
            for other in seen.values():
                assert close(one, other, 1e-8 if exact else 1e-3) or one != one, where
        expected = slope(lambda *a: outcome(self.after(k), a)[0], args, along) if exact else None
        if expected is not None:
            assert all(close(one, expected, 1e-4) for one in seen.values()), f"{where}, not {expected}"

    def after(self, k: int) -> Call:
        """The program in plain Python as it is at call ``k``."""
        if not self.made.changes:
            return self.plain["program"]
        space = module_of(self.made.text)
        for before in range(k):
            space["change"](before)
            outcome(space["program"], self.made.calls[before])
        space["change"](k)
        return space["program"]


MODES = (("value_and_grad", "grad", "jvp"), ("value_and_grad", "without passes", "jit"))


def run(made: Program, seed: int) -> int:
    """Check a program; the number of calls that were refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checked = Checked(made, MODES[seed % len(MODES)])
        checked.run()
    return checked.refused


@pytest.mark.parametrize("seed", range(6))
def test_programs(seed: int) -> None:
    assert run(program(seed), seed) == 0


@pytest.mark.parametrize("seed", range(6))
def test_programs_with_state(seed: int) -> None:
    assert run(with_state(seed), seed) == 0


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(1000, 1064, 8))
def test_many_programs(start: int) -> None:
    for seed in range(start, start + 8):
        run(program(seed), seed)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(3000, 3040, 8))
def test_many_programs_with_state(start: int) -> None:
    for seed in range(start, start + 8):
        run(with_state(seed), seed)
