"""A name that is a number or an array, as only the run knows: what a ``while`` loop makes of it."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chain import check_exported, close, differences, run_quietly, same
from generator import made

import srcgrad as sg

EVERY_ORDER = [
    "np.sum(e)", "np.mean(e)", "np.max(e)", "np.min(e)", "np.ptp(e)", "np.mean(e ** 2)",
    "np.linalg.norm(e)", "np.sum(np.asarray(e) ** 2)", "np.sum(np.array(e) * 2)",
    "np.asarray(e).mean()", "np.sum(np.atleast_1d(e) ** 2)", "np.sum(np.ravel(e) ** 2)",
    "np.vdot(e, e)", "np.sum(np.outer(e, e))", "np.sum(e * x)", "np.sum(np.maximum(e, 0.5))",
    "np.sum(e) * np.ndim(e)", "np.sum(e) * np.size(e)", "np.sum(e) * len(np.shape(e))",
    "(np.sum(e) if np.isscalar(e) else np.sum(e) * 2)"]
FIRST_ORDER = [
    "np.std(e)", "np.var(e)", "np.prod(e)", "np.median(e)", "np.average(e)", "np.dot(e, e)",
    "np.matmul(e, e)", "np.inner(e, e)", "np.sum(np.dot(e, x))", "np.max(e, axis=0)",
    "np.sum(e, axis=0)", "np.mean(e, axis=-1)", "np.sum(np.hstack([e, x]) ** 2)",
    "np.sum(np.vstack((x, e, x * 2)) ** 2)", "np.sum(np.column_stack([x, e]) ** 3)",
    "np.sum(np.concatenate([e, x]) ** 2)", "np.sum(np.append(e, x) ** 2)",
    "np.sum(np.dstack([e, x]) ** 2)", "np.sum(np.stack([e, x]) ** 2)"]


def program_of(expression: str) -> Any:
    return made(f"""import numpy as np

def program(x, s, k):
    e, t = 0.0, 0.1
    while t < x[0] * k:
        t = t + x[1]
        if x[2] > 0.2:
            e = e + x * s
    return {expression} * 1.5 + s * 0.1
""", f"unranked {expression}")


def calls() -> list[tuple[Any, ...]]:
    x = np.array([0.3, 0.5, 0.7, 0.9])
    return [(x, 0.8, 3), (x, 0.8, 0), (np.array([0.9, 0.4, 0.1]), 0.8, 2)]


def outcome(fn: Any, args: tuple[Any, ...]) -> Any:
    try:
        return run_quietly(fn, copy.deepcopy(args))
    except sg.SrcgradError:
        raise
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("expression", EVERY_ORDER + FIRST_ORDER)
def test_values_and_gradients(expression: str) -> None:
    fn = program_of(expression)
    df = sg.value_and_grad(fn, argnums=(0, 1))
    for args in calls():
        want, got = outcome(fn, args), outcome(df, args)
        if isinstance(want, type):
            assert got is want
            continue
        assert same(got[0], want)
        for place, slope in enumerate(got[1]):
            if args[2]:  # a maximum of zeros has no derivative
                assert close(slope, differences(fn, args, place)[0], 1e-4), df.source()


@pytest.mark.parametrize("expression", EVERY_ORDER[:-1:3])
def test_higher_orders(expression: str) -> None:
    fn = program_of(expression)
    args = calls()[0]
    gradient = sg.grad(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got = sg.hessian(fn)(*args)
        _, along = sg.jvp(fn, args, (args[0], 0.0, None))
    for row in range(4):
        column = differences(lambda *a, row=row: gradient(*a)[row], args, 0, 1e-5)[0]
        assert close(got[row], column, 1e-4)
    assert close(along, np.sum(gradient(*args) * args[0]), 1e-8)


def test_what_needs_the_rank_is_refused() -> None:
    with pytest.raises(sg.UnsupportedOperation, match="number of axes of an array that only a run"):
        sg.hessian(program_of("np.dot(e, e)"))(*calls()[0])
    with pytest.raises(sg.UnsupportedOperation, match="how many axes an array has"):
        sg.grad(program_of("np.sum(np.c_[e, x])"))(*calls()[0])


def test_an_array_has_no_gradient_inside_of_another_derivative() -> None:
    for transform in (sg.grad, sg.hessian):
        with pytest.raises(sg.SrcgradError, match="needs a real scalar result"):
            transform(made("""import numpy as np

def program(x, s, k):
    e, t = 0.0, 0.1
    while t < x[0] * k:
        t = t + x[1]
        e = e + x * s
    return e * e
""", "an array of unknown rank"))(*calls()[0])


def test_exported(tmp_path: Path) -> None:
    check_exported(program_of("np.dot(e, e)"), calls()[0], tmp_path)


def left_behind(x, y, s):
    pair = x * np.sum(x[:2])
    for i in range(len(y)):
        e = y[i]
        if len(x[:i + 1]) > 1:
            e = pair
    return s + np.sum(e) + np.sum(x * s)


def test_what_the_last_iteration_leaves_behind_has_the_rank_of_that_iteration():
    x, y = np.array([0.9, 0.2, 0.7, 1.4]), np.array([0.3, 0.1, 0.2])
    value, gradients = sg.value_and_grad(left_behind, argnums=(0, 1, 2))(x, y, 0.3)
    assert value == left_behind(x, y, 0.3)
    np.testing.assert_allclose(gradients[0], [4.6, 4.6, 1.4, 1.4])
    np.testing.assert_array_equal(gradients[1], 0.0)
    np.testing.assert_allclose(gradients[2], 1.0 + x.sum())
