"""``try`` around operations whose numbers of elements or arrays of indices do not fit, and
statements in the bodies of others that may raise alike."""

from __future__ import annotations

import math

import numpy as np
from path_attempts import V

CASES = []


def case(*args, others=()):
    """Register a program; ``others`` are arguments that take other paths."""

    def register(fn):
        fn.others = others
        CASES.append((fn, args))
        return fn

    return register


@case(V.copy(), 2, others=[(V.copy(), 3)])
def split_evenly(x, n):
    try:
        return np.sum(np.split(x, n)[0] ** 2)
    except ValueError:
        return np.sum(x)


@case(V.copy(), 2, others=[(V.copy(), 3)])
def rows_of(x, k):
    try:
        return np.sum(x.reshape(k, -1)[0] ** 2)
    except ValueError:
        return x[0] * 3.0


@case(V.copy(), np.array([0, 1]), others=[(V.copy(), np.array([0, 9])), (V.copy(), np.array([-1, 2]))])
def taken_at(x, places):
    try:
        return np.sum(x[places] ** 2)
    except IndexError:
        return x[0]


@case(V.copy(), [0, 1], others=[(V.copy(), [0, 7])])
def taken_at_a_list(x, places):
    try:
        return np.sum(x[places] ** 2)
    except IndexError as error:
        return x[0] * len(str(error))


@case(V.copy(), 1, others=[(V.copy(), 2), (V.copy(), -3)])
def written_through_a_view(x, k):
    y = x * 1.0
    part = y[::2]
    try:
        part[k] = x[0] * 3
    except IndexError:
        y[0] = 7 * x[1]
    return np.sum(y)


@case(V.copy(), np.array([0, 1]), others=[(V.copy(), np.array([0, 3]))])
def added_through_a_view(x, places):
    y = x * 1.0
    part = y[1:][::-1]
    try:
        part[places] += x[0]
    except IndexError:
        y[0] = 7 * x[1]
    return np.sum(y * y)


@case(V.copy(), 1, others=[(V.copy(), 2)])
def row_of_rows(x, k):
    rows = np.stack([x, x * x])
    try:
        row = rows[k]
        row[0] = x[1]
    except IndexError:
        rows *= 0.5
    return np.sum(rows)


W = np.array([1.1, -0.4, 2.2, 0.3, -1.3, 1.7])


@case(W.copy(), 1.0, others=[(-W, 1.0), (W.copy(), 2.0)])
def roots_within_and_behind_an_inner_statement(x, t):
    s = 0.0
    for v in x:
        try:
            try:
                s += math.sqrt(v - t)
            except ValueError:
                s = s * 0.9 + 3.0
            s += math.sqrt(v + 0.35)
        except ValueError:
            s += 10.0
    return s


@case(W.copy(), 2.0, others=[(-W, 2.0), (W.copy(), 0.5)])
def left_within_an_inner_statement(x, t):
    s = 0.0
    for v in x:
        try:
            try:
                if v > t:
                    break
                s += math.sqrt(v + 1.0)
            except ValueError:
                s = s * 0.9 + 3.0
            else:
                s = s * 0.9 - v
            s += math.sqrt(v + 0.35)
        except ValueError:
            s += 10.0
    return s


@case(W.copy(), 1.0, others=[(-W, 1.0), (W.copy(), 2.0)])
def items_of_lists_in_lists(x, t):
    s, rows, n = 0.0, [], 0
    for v in x:
        rows.append({"held": [v], "more": [[v, s]]})
        try:
            s += rows[n]["more"][0][1]
            rows[n]["held"][n] += v
            rows[0]["held"][1] = v
        except IndexError as error:
            s += 0.5 * len(str(error))
        try:
            rows[-1]["held"][n] = s * v
        except IndexError as error:
            s += 0.1 * len(str(error))
        if v > t:
            n += 1
    return s + rows[0]["held"][0]
