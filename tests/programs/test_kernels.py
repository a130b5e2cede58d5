"""Random kernels with ragged slices, conditional bindings and values of unknown rank: the value or
exception of plain Python, and derivatives that agree with each other and with differences."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from chain import close, differences, floats, same
from kernel_generator import arguments, program

import srcgrad as sg
from srcgrad.compile.requests import Request
from srcgrad.public.compiled import Compiled
from srcgrad.simplify.pipeline import PASSES

PLACES = (0, 1, 2)


def outcome(fn: Any, args: tuple[Any, ...]) -> Any:
    """The value, or the type of the exception of plain Python."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return fn(*copy.deepcopy(args))
        except sg.SrcgradError:
            raise
        except Exception as error:
            return type(error)


def ends_badly(value: Any) -> bool:
    return isinstance(value, type) or not np.isfinite(value)


def slope_of(fn: Any, args: tuple[Any, ...], place: int) -> Any:
    """Central differences, or None at a kink, a jump or the edge of an exception, and where the
    value is so large that they tell nothing."""
    if abs(outcome(fn, args)) > 1e6:
        return None
    def value(*moved: Any) -> float:
        found = outcome(fn, moved)
        return np.nan if isinstance(found, type) else float(found)

    coarse, fine = (differences(value, args, place, step)[0] for step in (1e-5, 3e-6))
    return fine if close(coarse, fine, 1e-6) and np.all(np.abs(fine) < 1e4) else None


def check_first(fn: Any, text: str, args: tuple[Any, ...], modes: dict[str, Any]) -> None:
    """Value or exception in every mode, and first derivatives."""
    want = outcome(fn, args)
    found = {name: outcome(mode, args) for name, mode in modes.items()}
    if isinstance(want, type):
        for name, got in found.items():
            assert got is want, f"{text}\n{args}\n{name}: {got}, not {want}"
        return
    for name, got in found.items():
        assert not isinstance(got, type), f"{text}\n{args}\n{name} raises {got}"
    for name in ("value_and_grad", "without passes", "jvp"):
        assert same(found[name][0], want), f"{text}\n{args}\n{name}: {found[name][0]!r}, not {want!r}"
    if not np.isfinite(want):
        return
    slopes = found["value_and_grad"][1]
    along = 0.0
    for k, place in enumerate(floats(args)):
        for name in ("grad", "without passes"):
            other = found[name] if name == "grad" else found[name][1]
            assert close(other[k], slopes[k], 1e-9), f"{text}\n{args}\n{name} {place}: {other[k]}, {slopes[k]}"
        expected = slope_of(fn, args, place)
        if expected is not None:
            assert close(slopes[k], expected), f"{text}\n{args}\ngradient {place}: {slopes[k]}, not {expected}"
        along += float(np.sum(slopes[k] * args[place]))
    assert close(found["jvp"][1], along, 1e-7), f"{text}\n{args}\njvp: {found['jvp'][1]}, not {along}"


def modes_of(fn: Any, places: tuple[int, ...] = PLACES) -> dict[str, Any]:
    """The first derivatives of a program in each mode."""
    return {"value_and_grad": sg.value_and_grad(fn, argnums=places),
            "grad": sg.grad(fn, argnums=places), "jvp": Along(fn),
            "without passes": Compiled(fn, Request("value_and_grad", places, False,
                                                   without=(*PASSES, "dead")))}


class Along:
    """Forward mode along the arguments themselves."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn

    def __call__(self, *args: Any) -> Any:
        tangents = [copy.deepcopy(a) if isinstance(a, (float, np.ndarray)) else None for a in args]
        return sg.jvp(self.fn, args, tangents)


def check_second(fn: Any, text: str, args: tuple[Any, ...]) -> None:
    """The Hessian for the first argument is that of the gradient's differences."""
    want = outcome(fn, args)
    got = outcome(sg.hessian(fn), args)
    if isinstance(want, type):
        assert got is want, f"{text}\n{args}\nhessian: {got}, not {want}"
        return
    assert not isinstance(got, type), f"{text}\n{args}\nhessian raises {got}"
    if not np.isfinite(want) or not len(args[0]):
        return
    gradient = sg.grad(fn)
    columns = []
    for step in (1e-5, 3e-6):
        moved = []
        for k in range(len(args[0])):
            ends = []
            for sign in (1, -1):
                x = args[0].copy()
                x[k] += sign * step
                ends.append(outcome(gradient, (x, *args[1:])))
            if any(isinstance(e, type) for e in ends):
                return
            moved.append((ends[0] - ends[1]) / (2 * step))
        columns.append(np.stack(moved))
    if not close(*columns, 1e-6) or np.max(np.abs(columns[1])) > 1e4:
        return
    assert np.all(np.isfinite(got)) and close(got, columns[1], 1e-4), (
        f"{text}\n{args}\nhessian: {got}, not {columns[1]}")


def run(seed: int, second: bool) -> str:
    """Check one program on all its arguments; says ``right`` or ``refused``."""
    fn, text = program(seed)
    modes = modes_of(fn)
    said = "right"
    for args in arguments(seed):
        try:
            check_first(fn, text, args, modes)
        except sg.SrcgradError:
            said = "refused"
            continue
        if second:
            try:
                check_second(fn, text, args)
            except sg.SrcgradError:
                said = "refused"
    return said


@pytest.mark.parametrize("start", range(0, 12, 3))
def test_kernels(start: int) -> None:
    said = Counter(run(seed, seed % 3 == 0) for seed in range(start, start + 3))
    assert said["refused"] <= 1, "too many of the kernels were refused"


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(2000, 2200, 20))
def test_many_kernels(start: int) -> None:
    said = Counter(run(seed, seed % 4 == 0) for seed in range(start, start + 20))
    assert said["refused"] <= 4, "too many of the kernels were refused"


def written_after_a_loop_that_may_not_bind(x: Any, c: Any) -> Any:
    for i in range(len(x)):
        t = x[i:]
        if t[0] > c:
            v = np.sin(t)
            break
    a = np.dot(v, v)
    for _ in range(2):
        v[v > 0.1] *= 0.5
    return a + np.sum(v)


def bound_in_an_inner_loop(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(2):
        for k in range(i, len(x), 2):
            t = x[k:]
            if t[0] > c:
                v = t * t[0]
        total += np.sum(v)
        if total > 3.0:
            return total * x[0]
    return total


def left_before_anything_is_bound(x: Any, c: Any) -> Any:
    for i in range(len(x)):
        if x[i] > c:
            return x[i] * x[0]
        e = x[:i + 1]
        if i > 1:
            e = e * x[i]
    return np.sum(e ** 2)


def of_another_length_at_each_step(x: Any, c: Any) -> Any:
    for i in range(len(x)):
        t = x[x > c - 0.1 * i]
        if i % 2 == 0:
            v = np.exp(-t * t)
    return np.linalg.norm(v)


def view_that_only_some_paths_bind(x: Any, c: Any) -> Any:
    if c < 1.0:
        t = x[::2]
    for i in range(len(x)):
        u = t[:i + 1]
        if u[0] > c:
            v = u
    a = float(len(v))
    for _ in range(2):
        w = v[v > c]
    t[t > c] = 0.3
    return a + np.sum(t) + np.dot(w, w) + np.sum(x * x)


def one_of_many_unlike_things(x: Any, c: Any) -> Any:
    e = 0.0
    if c > 0.0:
        e = x
    for i in range(len(x)):
        v = np.sin(x * (i + 1))
        if np.sum(x) > 0.1:
            if x[0] > 0.1:
                if x[1] > c:
                    e = v - np.mean(v)
            elif np.mean(e ** 2) > 0.5:
                v = v * 2.0
    return np.sum(np.where(e > 0.1, e, 0.0)) + np.sum(x * x)


def written_with_another_length(x: Any, c: Any) -> Any:
    for i in range(2):
        t = x[i:]
        if t[0] > c:
            v = np.exp(-t)
    v -= 0.1 * x
    return np.sum(x * x)


def array_of_no_axes_by_the_path(x: Any, c: Any) -> Any:
    e = np.sum(x) * c
    if c < 0.5:
        e = x * x
    v = np.asarray(e) * 0.5
    return np.sum(v) * np.sum(v) + np.sum(np.ravel(e)) + np.sum(x * x)


def stored_where_one_length_fits(x: Any, c: Any) -> Any:
    w = x * c
    if len(x) == 2:
        w[0] *= w[1:]
    return np.sum(w)


BY_HAND = [written_after_a_loop_that_may_not_bind, bound_in_an_inner_loop,
           left_before_anything_is_bound, of_another_length_at_each_step,
           view_that_only_some_paths_bind, one_of_many_unlike_things,
           written_with_another_length, array_of_no_axes_by_the_path,
           stored_where_one_length_fits]


@pytest.mark.parametrize("fn", BY_HAND)
def test_by_hand(fn: Any) -> None:
    """As the generator checks them, for thresholds that bind nothing, something, everything."""
    modes = modes_of(fn, (0, 1))
    for x in (np.array([0.5, -0.4, 0.9, 0.3]), np.array([0.2, 1.1]), np.zeros(0)):
        for c in (-1.0, 0.4, 5.0):
            check_first(fn, fn.__name__, (x, c), modes)
            check_second(fn, fn.__name__, (x, c))
