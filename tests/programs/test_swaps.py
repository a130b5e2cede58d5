"""Arrays that swap names in loops: which of them may be one is followed exactly."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.75, 0.25, 1.0, 0.5])


def one_array(x, n):
    u = x.copy()
    v = u
    for t in range(n):
        v[1:] = u[:-1] * 2
        u, v = v, u
    return np.sum(u * u)


def third_name(x, n):
    u = x.copy()
    v = x.copy()
    w = u
    for t in range(n):
        v[1:] = u[:-1] * 2
        u, v = v, u
    return np.sum(u * u) + np.sum(w)


def conditional_swap(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        if x[0] > t:
            u, v = v, u
        v[1:] = u[:-1] * 2 + v[1:]
    return np.sum(u * u) + np.sum(v)


def rotation(x, n):
    u = x.copy()
    v = x.copy()
    w = x.copy()
    for t in range(n):
        u, v, w = v, w, u
        w[1:] = u[:-1] * v[1:]
    return np.sum(u * u) + np.sum(v * w)


def choices(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        c = u if x[0] > t else v
        e = u if x[1] > t else v
        c[0] = e[1] * 2
    return np.sum(u * u) + np.sum(v)


def nested_swaps(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        for s in range(n):
            v[1:] = u[:-1] * 1.1
            u, v = v, u
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def collapse(x, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        v[1:] = u[:-1] * 1.1
        u, v = v, v
    return np.sum(u * u) + np.sum(v)


def differences(f, x, n):
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + s, n) - f(x - s, n)) / 2e-6 for s in steps])


@pytest.mark.parametrize("n", [0, 1, 3, 70])
@pytest.mark.parametrize("f", [one_array, third_name, conditional_swap, rotation, choices, nested_swaps,
                               collapse], ids=lambda f: f.__name__)
def test_swaps(f, n):
    df = sg.value_and_grad(f)
    value, gradient = df(X, n)
    assert value == f(X, n)
    np.testing.assert_allclose(gradient, differences(f, X, n), rtol=1e-5, atol=1e-6)
    assert "unrolled" not in df.explain()


def one_new_list(x):
    p, q = [x[0]], [x[1], x[2]]
    if x[0] > 0.5:
        p = [x[1], x[2]]
        q = p
    q.append(x[0])
    return sum(p) + 2 * sum(q)


def one_new_object(x):
    p, q = {"a": x[0]}, {"a": x[1]}
    if x[0] > 0.5:
        p = {"a": x[2]}
        q = p
    q["a"] = x[0] * 7
    return p["a"] + 2 * q["a"]


def bound_in_one_arm(x):
    if x[0] > 0.5:
        r = [x[1]]
        p = r
    else:
        p = [x[2]]
    p[0] = p[0] * 5
    return r[0] + p[0] if x[0] > 0.5 else p[0]


def held_by_a_tuple(x):
    p, q = (x[0], [x[1]]), [x[2]]
    if x[0] > 0.5:
        q = [x[2] * 2]
        p = (x[1], q)
    q[0] = 9.0
    return p[0] + p[1][0] * 2


def three_names(x):
    p, q, r = [x[0]], [x[1]], [x[2]]
    if x[0] > 0.5:
        p, q = [x[1]], [x[0]]
        r = p
    else:
        p, r = [x[2]], [x[1]]
        q = p
    q[0] = x[0] * 7
    return p[0] + 2 * q[0] + 3 * r[0]


def grown_and_swapped(x):
    p, q = [x[0]], [x[1], x[2]]
    if x[0] > 0.5:
        q = p
    else:
        p.append(x[2])
    if len(q) > 1:
        p, q = [x[1]], p
        q.append(7.0)
    return 10 * sum(p) + sum(q)


def swapped_with_a_fresh_list(x):
    p, q = [x[0], 0.13], [x[1], x[2]]
    for _ in range(int(x[3])):
        q.append(0.63)
        p, q = [x[0]], p
    return sum(p) * 0.5 + sum(q) * 0.5


@pytest.mark.parametrize("f", [
    one_new_list, one_new_object, bound_in_one_arm, held_by_a_tuple, three_names,
    grown_and_swapped], ids=lambda f: f.__name__)
def test_two_names_of_one_new_object(f):
    """What an arm makes and gives two names is one object after the branch, too."""
    df = sg.value_and_grad(f)
    for x in (X, np.array([1.0, 2.0, 3.0]), np.array([0.1, 0.2, 3.0]), np.array([0.0, 2.0, 3.0])):
        value, gradient = df(x)
        assert value == f(x)
        steps = 1e-6 * np.eye(len(x))
        slopes = [(f(x + s) - f(x - s)) / 2e-6 for s in steps]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6)


def test_a_list_that_is_carried_as_it_is_and_as_its_items():
    """No iteration, some, and no loop that is written out because of it."""
    df = sg.value_and_grad(swapped_with_a_fresh_list)
    for n in (0.0, 1.0, 2.0, 3.0):
        x = np.array([0.75, 0.25, 1.0, n])
        assert df(x)[0] == swapped_with_a_fresh_list(x)


def best_row(x):
    rows = [[x[0], 1.0], [x[1], 2.0], [x[2], 3.0]]
    best = rows[0]
    for i in range(1, 3):
        if rows[i][0] > best[0]:
            best = rows[i]
    best[1] = 7.0 * x[0]
    return sum(row[0] * (k + 1) * row[1] for k, row in enumerate(rows))


def row_of_a_branch(x):
    rows = [[x[0]], [x[1]], [x[2]]]
    current, i = rows[0], int(x[1])
    if x[0] > 0.5:
        current = rows[i]
    current[0] = current[0] * 2.0
    return sum(row[0] * (k + 1) for k, row in enumerate(rows))


def rows_by_turns(x):
    rows = [[x[0]], [x[1]], [x[2]]]
    current = rows[0]
    for i in range(3):
        if x[i] > 0.5:
            current = rows[i]
        current[0] = current[0] * 2.0
    return sum(row[0] * (k + 1) for k, row in enumerate(rows))


@pytest.mark.parametrize("f", [best_row, row_of_a_branch, rows_by_turns],
                         ids=lambda f: f.__name__)
def test_a_name_that_stands_for_one_of_a_list_s_rows(f):
    """A write by the name is a write to the row."""
    df = sg.value_and_grad(f)
    for x in (np.array([0.9, 1.2, 0.4]), np.array([0.1, 0.2, 0.7]), np.array([0.6, 0.3, 0.2])):
        value, gradient = df(x)
        assert value == f(x)
        steps = 1e-6 * np.eye(len(x))
        np.testing.assert_allclose(gradient, [(f(x + s) - f(x - s)) / 2e-6 for s in steps],
                                   rtol=1e-6, atol=1e-6)
