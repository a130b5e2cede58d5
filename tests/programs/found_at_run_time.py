"""Programs in the manner of strangers, whose dtypes, sizes and exits only a run decides; each stands
for one that once failed."""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
import warnings
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import scipy.optimize

R = np.random.RandomState(19)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- dtypes that a run decides -------------------------------------------------------------------
@case(R.rand(4).astype(np.float32), 0.5)
@case(R.rand(4).astype(np.float32), 2.0)
def a_number_or_a_narrow_array_changes_in_place(x, least):
    total = 0.0
    for v in x:
        if v > least:
            total = total + np.array([v, v * v])
    total *= np.float64(1.5)
    total += np.array([0.1, 0.2])
    return np.sum(total)


@case(R.rand(3), 0.5)
def an_array_that_may_be_a_number_does_not_grow(x, least):
    total = 0.0
    for v in x:
        if v > least:
            total = total + np.array([v, v * v])
    try:
        total += np.ones((2, 1)) * x[0]
    except ValueError:
        return np.sum(total) + 3.0
    return np.sum(total)


@case(R.rand(4).astype(np.float32), 2.0)
@case(R.rand(4).astype(np.float32), 0.1)
def dtype_of_an_array_of_a_number(x, least):
    largest = 0.0
    for v in x:
        if v > least:
            largest = v
    found = np.asarray(largest)
    rows = np.zeros((2, 2), found.dtype)
    rows[0] = largest
    return np.sum(rows) + found.itemsize + float(rows.dtype == np.float32)


@case(R.rand(3))
def roots_to_coefficients(roots):
    r = np.array([v for v in roots], dtype=complex)
    p = np.zeros(len(roots) + 1, dtype=complex)
    p[0] = 1.0
    p[1] = -roots[0]
    for i in range(1, len(roots)):
        p[i + 1] = -p[i] * r[i]
        for j in range(i, 0, -1):
            p[j] -= p[j - 1] * r[i]
    return np.sum(p.real * np.arange(len(p)))


@case(R.rand(1))
@case(R.rand(2))
def rows_until_the_system_is_square(offsets):
    rows = []
    for power in range(4):
        rows.append([v ** power for v in offsets])
        if len(rows) == len(offsets):
            break
    return np.linalg.solve(np.array(rows), np.ones(len(offsets)))[0]


@case(R.rand(2), R.rand(2))
@case(R.rand(2), R.rand(1, 2))
@case(R.rand(2), R.rand(3))
def sums_in_place_that_may_not_fit(x, more):
    y, z, failed = x * 1.0, x * 2.0, 0.0
    try:
        y += more
    except ValueError:
        failed += 1.0
    try:
        y[:] -= more * z
    except ValueError:
        failed += 2.0
    try:
        np.multiply(z, more, out=z)
    except ValueError:
        failed += 4.0
    return np.sum(y * z) + failed


@case(R.rand(3), 2.0)
@case(R.rand(3), 0.1)
def dtype_of_a_count_that_data_may_add_to(x, least):
    total = 0
    for v in x:
        if v > least:
            total = total + v
    return x[0] * np.sum(np.full(2, total, dtype=np.asarray(total).dtype) + 0.5)


# ---- what leaves the program ---------------------------------------------------------------------
class Report(dict):
    """Makes nothing of its own of what it is given."""


@case(np.array([0.5, 2.0]))
@case(np.array([1.5, 2.0]))
def report_in_an_exception(x):
    report = Report(value=x[0], more=[x[1], 2])
    try:
        if x[0] > 1.0:
            raise RuntimeError("too large", report)
    except RuntimeError as error:
        return float(f"{error.args[1]['more'][1]:.1f}") + x[0]
    return x[0] * report["value"]


@case(np.array([2.3, 4.1]))
def function_of_no_name(x):
    def _(t):
        return t ** 3 - x[0]

    root = scipy.optimize.brentq(_, 0.0, 10.0)
    total = 0.0
    for _ in range(3):
        total += root * x[1]
    return total


# ---- exits that the body of a with statement decides ---------------------------------------------
@case(R.rand(3), 0.0)
@case(R.rand(3), 2.0)
def stack_that_swallows(x, least):
    total = 0.0
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(ValueError))
        if x[0] > least:
            raise ValueError("too large")
        total += x[1]
    with contextlib.ExitStack() as stack:
        stack.push(lambda kind, error, trace: kind is KeyError)
        if x[1] > least:
            raise KeyError("too large")
        total += x[2]
    return total + x[0]


@case(R.rand(1))
@case(R.rand(4))
def products_of_three(x):
    return x[0] + sum(math.prod(c) for c in itertools.combinations(x, 3))


@case(R.rand(3), R.rand(2))
def arrays_compared_with_nothing(x, y):
    places = (x == None) + 2.0 * (None != y[0]) + x[:1].size * (x != None)  # noqa: E711
    return np.sum(places * x)


@dataclass(order=True)
class Job:
    urgency: float
    name: str = field(compare=False, default="")


@case(R.rand(4))
def greatest_of_sorted_records(x):
    jobs = [Job(v, f"job {i}") for i, v in enumerate(x)]
    jobs.sort()
    last, changed = max(jobs), replace(jobs[0], urgency=x[1] * 3.0)
    return last.urgency * x[0] + changed.urgency * (changed < last)


@case(R.rand(3), 0.1)
@case(R.rand(3), 2.0)
def shapes_that_differ_at_run_time(x, least):
    total = 0.0
    for v in x:
        if v > least:
            total = total + np.array([v, v])
    wide = total + x[:, None]
    if np.shape(wide) != np.shape(total):
        return np.sum(wide) + 1.0
    return np.sum(wide)


@case(R.rand(3), 0.1)
@case(R.rand(3), 2.0)
def counts_or_numbers_as_floats(x, least):
    counts = np.arange(3) if x[0] > least else np.linspace(0.3, 1.7, 3)
    floats = np.asarray(counts, dtype=float)
    required = np.require(counts, float, ["C"])
    floats[0] = 2.5
    halves = counts * 1.0
    halves[1] = 0.5
    return np.sum(x * floats) + np.sum(counts * halves) + required.itemsize * required[2] * x[1]


# ---- known numbers or nothing, and which method, by data -----------------------------------------
@case(np.array([0.9, 0.2, 0.7, 0.4, 0.8]), 0.5)
@case(np.array([0.1, 0.2, 0.7, 0.4, 0.8, 0.3]), 0.5)
def ends_that_may_be_missing(x, t):
    stop = -1 if x[0] > t else None
    y = x * 2.0
    y[1:-1 if len(x) % 2 == 0 else None] *= 3.0
    y[::-1 if x[1] > t else None] += np.arange(len(x)) * x[0]
    order = 2 if x[2] > t else None
    if order is None:
        order = 3
    return np.sum(y[:stop] ** order) + y[:stop].size * x[1] + (stop or 4)


@case(np.array([0.9, 0.2, 0.7]), 0.5)
@case(np.array([0.9, 0.2, 0.7]), 2.0)
@case(np.array([0.1, 0.2, 0.7]), 0.05)
def place_that_may_be_none(x, t):
    first = last = None
    for k, v in enumerate(x):
        if v > t:
            first = k if first is None else first
            last = k
    span = 0 if last is None else last - first
    known = 1 if x[0] > t else None
    return np.sum(x[first:]) * (last or 10) + span * x[1] + (0.5 if known == 1 else 1.5) * x[2] + (
        1.0 if not last else 2.0) * x[0] + len([known] * 2)


@case(np.array([0.9, 0.2, 0.7]), 0.5)
@case(np.array([0.1, 0.2, 0.7]), 0.5)
def methods_that_data_choose(x, t):
    extreme = x.max if x[0] > t else x.min
    named = getattr(x, "sum" if x[0] > t else "prod")
    total = partial(np.sum, axis=0) if x[0] > t else partial(np.max, axis=0)
    pick = operator.itemgetter(0) if x[0] > t else operator.itemgetter(1)
    kept = [1.0, 2.0]
    change = kept.append if x[0] > t else kept.remove
    change(2.0)
    return extreme() * named() + total(x) * pick(x) + sum(kept) * x[2]


# ---- sizes that follow from numbers --------------------------------------------------------------
@case(0.3, 2.0)
@case(0.7, 1.0)
def samples_by_a_named_step(width, end):
    grid = np.arange(0, end, step=width)
    turns = np.arange(90.0, -90.0 - width, step=-40 * width)
    return np.sum(np.cos(grid) * np.arange(grid.size)) + turns.size * width * turns[-1]


@case(np.array([1.0, 0.7]), np.zeros(1, int))
@case(np.array([2.0, 1.0, -0.7]), np.zeros(0, int))
def roots_below_the_degree(p, zeros):
    found = np.roots(np.concatenate([zeros, p, zeros]))
    return len(found) * np.sum(p * p) + np.sum(np.abs(found))


@case(R.rand(3, 2, 2))
@case(R.rand(0, 2, 2))
@case(R.rand(2, 0, 2))
def products_of_what_may_be_empty(x):
    return np.sum(np.prod(x, axis=(1, 2)) + np.prod(x, axis=(1, 2), where=x > 0.2)) + np.sum(x)


@case(R.rand(2), R.rand(2), R.rand(2) + 0.5)
@case(R.rand(6), R.rand(6), R.rand(6) + 0.5)
def polynomial_through_few_points(x, y, weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = np.polyfit(x, y, 2)
        weighted = np.polyfit(x, y, 2, w=weights)
        rough = np.polyfit(x, y, 2, rcond=0.3)
    return np.sum(np.sin(plain) * np.array([1.0, 2.0, 3.0])) + weighted @ plain + np.sum(rough ** 2)


@case(np.array(0.4))
@case(0.4)
def number_of_an_array_as_a_list(t):
    doubled = np.asarray(t) * 2.0
    return doubled.tolist() * 3.0
