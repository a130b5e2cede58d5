"""Programs in the manner of courses and notebooks; each stands for one that once failed."""

from __future__ import annotations

import operator
import os
from collections import Counter

import numpy as np
import scipy.linalg

import srcgrad as sg

R = np.random.RandomState(23)
CASES = []


def case(*args):
    def register(fn):
        CASES.append((fn, args))
        return fn

    return register


# ---- numbers as keys, whose derivatives the keys carry ------------------------------------------
@case(0.45, np.array([0.5, 0.2, 0.7, 0.9, 0.25]))
def nearest_votes(x, labels):
    votes = {}
    for i in np.argsort((labels - x) ** 2)[:3]:
        votes[labels[i]] = votes.get(labels[i], 0) + 1
    return sorted(votes.items(), key=operator.itemgetter(1), reverse=True)[0][0]


@case(R.rand(5))
def most_common_label(labels):
    return Counter(labels).most_common(1)[0][0] * 2.0


@case(R.rand(4), R.rand(5))
def sums_by_value(weights, values):
    sums = {1.0: 0.5}
    for v, w in zip(values, weights):
        if v not in sums.keys():
            sums[v] = 0.0
        sums[v] += w * v
    return sum(k * s for k, s in sums.items()) + max(sums, key=sums.get) + list(sums)[-1]


@case(R.rand(3), R.rand(3))
def pairs_as_keys(xs, ys):
    table = {}
    for i, (a, b) in enumerate(zip(xs, ys)):
        table[a, i] = b
    return sum(key[0] * v for key, v in table.items())


@case(1.5)
@case(-1.5)
def among_the_views(x):
    table = {"a": x, "b": 2 * x}
    total = 0.0
    for name in ("a", "c"):
        if name not in table.keys():
            table[name] = total
        total += table[name]
    if x > 0:
        table["z"] = x
    if x in table.values():
        total += 3 * x
    if ("a", x) in table.items():
        total += 5 * x
    return total + (table["z"] ** 2 if "z" in table.keys() else 0.0)


@case(0.3, [0.5, 0.3, 0.9])
def compared_with_containers(x, xs):
    kept = [v for v in xs if v != [x]] + [v for v in xs if v == (v, x)]
    try:
        kept.append(x if x < xs else 1.0)
    except TypeError as error:
        kept.append(x * len(str(error)))
    return sum(kept) + (x if x != {} else 0.0)


@case(np.array([0.5, 0.2, 0.1]))
def scalars_compared_with_lists(x):
    return np.sum((x[0] < [1.0, 0.0, x[1]]) * x) + (2.0 * x[0] if (x[0] == (x[0],)).all() else 0.0)


# ---- slices of a class's own, and shapes in common ----------------------------------------------
class Window:
    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return sum(self.data[i] * (i + 1) for i in range(start, stop, step))
        return self.data[key]


@case(R.rand(5), 2)
@case(R.rand(4), 0)
@case(R.rand(1), 3)
def windows(x, k):
    w = Window(x)
    return (w[1:-1] ** 2 + w[::-1] + w[k:] + w[:k:2] + w[-k:k + 3] + w[0] + w[len(w)::-2]
            + w[k + 1:0:-1] + w[-100:100])


@case(R.rand(3, 1), R.rand(4))
@case(1.5, R.rand(3))
def in_common(a, b):
    both = np.broadcast(a, b)
    out = np.zeros(both.shape)
    out += a * b
    return np.sum(out ** 2) * both.size + both.ndim + sum(x * y ** 2 for x, y in np.broadcast(a, b))


# ---- integers on some paths ----------------------------------------------------------------------
@case(np.array([0.5, 0.3]), np.linspace(0.1, 1.0, 5))
@case(np.array([0.5, 3.0]), np.linspace(0.1, 1.0, 5))
def step_response(x, times):
    delay = max(0, x[1])
    found = np.array([x[0] * (1 - np.exp(delay - t)) if t >= delay else 0 for t in times])
    return sum(abs(found - times))


@case(np.array([0.3, 0.2, 0.1]))
@case(np.array([-0.3, -0.2, -0.1]))
def rows_of_integers(x):
    rows = [x * v if v > 0 else np.arange(3) for v in x]
    return np.sum((np.array(rows) - x) ** 2)


@case(R.rand(3), np.array([0, 2, 0]))
@case(R.rand(0), np.zeros(0, int))
def sums_of_no_weights(w, places):
    sums = np.bincount(places, weights=w, minlength=3) + w.sum()
    sums[1] += 0.5
    return sums @ sums


# ---- singular values that are cut ----------------------------------------------------------------
U, _, V = np.linalg.svd(R.randn(5, 3), full_matrices=False)
SMALL = U @ np.diag([2.0, 1.0, 0.1]) @ V


@case(SMALL, R.rand(5))
@case(SMALL.T.copy(), R.rand(3))
def truncated_least_squares(a, b):
    x = np.linalg.lstsq(a, b, rcond=0.2)[0]
    y = scipy.linalg.lstsq(a, b, 0.04 * len(a))[0]
    return x @ x + x[0] * y[1]


@case(SMALL, R.rand(5))
@case(SMALL.T.copy(), R.rand(3))
def truncated_inverse(a, b):
    x = np.linalg.pinv(a, 0.2) @ b + scipy.linalg.pinv(a, atol=0.1, rtol=0.1) @ b
    y = np.linalg.pinv(np.stack([a, a + 1]), np.array([0.2, 0.3])) @ b
    return np.sum(x * y) + np.sum(np.abs(np.linalg.pinv(a + 1j * a ** 2, rtol=0.2) @ b) ** 2)


# ---- what protects its result -------------------------------------------------------------------
def factors(x, n):
    first = x * np.arange(1, n + 1) ** 2.0
    first.setflags(write=False)
    second = np.exp(-first)
    second.setflags(False)
    return first, second


@case(0.5, 4)
def protected_factors(x, n):
    first, second = factors(x, n)
    both = first * second
    both[0] = 1.0
    return np.sum(both)


# ---- sorted as Python sorts ----------------------------------------------------------------------
@case(np.array([0.5, np.nan, 0.2, 0.1]))
@case(np.array([3.0, np.nan, 2.0, np.nan, 1.0, 0.5, np.nan, 0.1]))
def sorted_with_missing_numbers(x):
    doubled = [v * 2 for v in x]
    doubled.sort(reverse=True)
    total = sum(i * (v if v == v else 1.0) for i, v in enumerate(sorted(doubled)))
    places = sorted([0, 1, 2, 3], key=lambda i: x[i])
    return total + sum(i * (v if v == v else 2.0) for i, v in enumerate(doubled)) + places[0]


def options(name, **settings):
    return name, settings


@case(np.array([0.4, 0.3]))
def names_that_are_no_identifiers(x):
    print(*options("font", **{"sans-serif": ["Arial"], "class": x[0], "size": 2}))
    collected = dict(**{"line-width": x[1]}, size=x[0])
    return np.sum(x) * collected["line-width"]


@case(R.rand(3, 3), R.rand(3, 3))
def rotation_between_points(a, b):
    u, s, vt = np.linalg.svd(np.dot((a - a.mean(axis=0)).T, b - b.mean(axis=0)))
    vt[2, :] *= np.sign(np.linalg.det(vt.T @ u.T))
    return np.sum(np.dot(vt.T, u.T) * np.arange(9.0).reshape(3, 3)) + s[0]


# ---- the best of many searches -------------------------------------------------------------------
def turn_left(a, b):
    if a * b < 0.1:
        return None, None, ["WB", "S", "WB"]
    return a * 2, b, ["WB", "S", "WB"]


def turn_right(a, b):
    if a + b < 0.1:
        return None, None, ["R", "S", "R"]
    return a + b, b * a, ["R", "S", "R"]


def turn_twice(a, b):
    if a - b < -8:
        return None, None, ["L", "R", "L"]
    return a - b, b * 0.5, ["L", "R", "L"]


@case(0.5, 0.7)
@case(0.9, 0.3)
@case(3.0, -1.0)
def shortest_way(a, b):
    cost = float("inf")
    first, second, best = None, None, None
    for search in [turn_left, turn_right, turn_twice, turn_twice, turn_right, turn_left]:
        t, p, mode = search(a, b)
        if t is None:
            continue
        if cost > abs(t) + abs(p):
            first, second, best = t, p, mode
            cost = abs(t) + abs(p)
    way = 0.0
    for mode, length in zip(best, [first, second, first]):
        way += {"S": length, "L": length ** 2, "R": -np.sin(length)}.get(mode, 2 * length)
    return way


@case(np.array([0.5, 0.7, -0.2]))
@case(np.array([-0.5, 0.1, 0.9]))
def kept_unless_better(x):
    best = None
    bound = -1.0
    for candidate in ([x[0]], (x[1], 2.0), [x[2], x[0], 3.0], "none", {"a": x[1]}):
        value = candidate[0] if isinstance(candidate, (list, tuple)) else 0.0
        if value <= bound:
            pass
        elif value > 0.6:
            bound, best = value, candidate
        else:
            bound = value
            if x[1] > 0.3:
                best = candidate
    if isinstance(best, dict):
        return best["a"]
    return bound if best is None or best == "none" else sum(best) * bound


# ---- files that may not be there -----------------------------------------------------------------
@case(0.5)
def kept_results(x):
    name = f"/nonexistent/{x:.2f}.txt"
    found = x * 2 if os.path.isfile(name) else x * 3
    try:
        os.stat(name)
    except OSError:
        return found * x
    return found


# ---- derivatives of numbers that change their class ----------------------------------------------
def damped(t):
    return np.sin(t) * t


@case(np.array([0.1, 0.2, 0.3], np.float32))
@case(np.array([0.1, 0.2, 0.3]))
def steps_in_single_precision(x):
    y = z = 1.0
    for v in x:
        y = y - v * sg.grad(damped)(y)
        value, slope = sg.value_and_grad(damped)(z)
        z = slope * v + 0.1 * value
    return y * z


# ---- tuples that are searched for ----------------------------------------------------------------
@case(np.array([0.5, 1.2, 0.7]))
@case(np.array([0.9, 0.2, 0.1]))
def cells_that_were_seen(x):
    seen, todo, total = [], [(0, 0)], 0.0
    while todo:
        i, j = todo.pop()
        if (i, j) in seen or i > 2 or j > 2:
            continue
        seen.append((i, j))
        total += x[i] * x[j]
        if x[i] > 0.6:
            todo.append((i + 1, j))
        todo.append((i, j + 1))
    return total + seen.index((0, 1)) * x[0] + seen.count((1, 1)) * x[1]


@case(np.array([0.5, 1.2, 0.7, 0.1]))
def pairs_that_were_kept(x):
    kept = [(v, i) for i, v in enumerate(x) if v > 0.6]
    try:
        place = kept.index((2.0, 1))
    except ValueError:
        place = 7
    return kept.index((x[2], 2)) * x[0] + kept.count((x[1], 1)) * x[2] + place * x[3]
