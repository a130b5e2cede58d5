"""Arrays in lists of cotangents are added to in place where nothing else can be one of them."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg

PROGRAMS = {}


def program(in_place):
    def note(function):
        PROGRAMS[function.__name__] = function, in_place
        return function

    return note


def pairs(x):
    return [np.array([v, v * v]) for v in x]


@program(True)
def added_to_all(x):
    items, total = pairs(x), 0.0
    for k in range(1, len(items)):
        total = total + items[k] @ items[k - 1]
    return total


@program(None)
def begun_with_integers(x):
    items, total = [np.zeros(2, int)], 0.0
    for v in x:
        items.append(np.array([v, v * v]))
    for k in range(len(items)):
        items[k] = items[k] * 1.5 + x[0]
    for item in items:
        total = total + item @ item
    return total


@program(False)
def integers_among_them(x):
    items = [np.arange(2) if i == 0 else np.array([v, v * v]) for i, v in enumerate(x)]
    total = 0.0
    for k in range(1, len(items)):
        total = total + items[k] @ items[k - 1] + items[k] @ items[0]
    return total


@program(False)
def half_the_digits_among_them(x):
    items, total = [np.array([1, 2], np.float32)], 0.0
    for v in x:
        items.append(np.array([v, v * v]))
    for k in range(1, len(items)):
        total = total + items[k] @ items[k - 1] + items[k] @ items[0]
    return total


@program(None)
def one_array_many_times(x):
    first, total = np.array([x[0], x[1]]), 0.0
    items = [first for _ in range(len(x))]
    for k in range(len(items)):
        items[k] = items[k] * x[k]
    for k in range(1, len(items)):
        total = total + items[k] @ items[k - 1]
    return total


@program(None)
def swapped(x):
    items, total = pairs(x), 0.0
    for k in range(1, len(items)):
        if x[k] > 1:
            items[k], items[k - 1] = items[k - 1], items[k]
        total = total + items[k] @ items[0]
        items[k] = items[k] * x[k]
    return total


@program(None)
def by_two_names(x):
    items, total = pairs(x), 0.0
    others = items
    for k in range(1, len(items)):
        items[k] = items[k - 1]
        others[k - 1] = others[k] * x[k]
        total = total + items[k] @ others[k - 1] + items[k] @ items[k]
    return total


@program(None)
def exchanged_with_another_list(x):
    items, total = pairs(x), 0.0
    others = [item * 2 for item in items]
    for k in range(1, len(items)):
        others[k] = items[k - 1]
        items[k] = others[k - 1] * x[k]
        total = total + items[k] @ others[k]
    return total


@program(None)
def taken_away(x):
    items, total = pairs(x), 0.0
    while len(items) > 1:
        last = items.pop()
        items[-1] = items[-1] + last * x[0]
        total = total + last @ items[0]
    return total


@program(None)
def in_turn(x):
    items, total = pairs(x), 0.0
    for k in range(len(x)):
        first = items.pop(0)
        items.append(first * x[k])
        total = total + items[0] @ items[-1]
    return total


@program(None)
def at_indices_that_may_be_one(x):
    items, total = pairs(x), 0.0
    for k in range(len(x)):
        i, j = int(x[k]) % len(items), int(2 * x[k]) % len(items)
        total = total + items[i] @ items[j]
        items[i] = items[i] + items[j]
        total = total + np.sum(items[i] * items[j])
    return total


@program(None)
def read_across_a_loop(x):
    items, total = pairs(x), 0.0
    for k in range(len(items)):
        held = items[k]
        for j in range(len(items)):
            held = held + items[j] * x[j]
            items[j] = items[j] * 0.9 + held
        total = total + held @ items[k]
    return total


@program(None)
def held_by_a_name_on_one_path(x):
    items, total = pairs(x), 0.0
    for k in range(1, len(items)):
        if x[k] > 1.2:
            items[k] = items[k] + items[k - 1]
            held = items[k]
        else:
            held = items[k - 1]
        items[k - 1] = items[k - 1] * held
        total = total + held @ items[k]
    return total


@program(None)
def put_together(x):
    items = pairs(x)
    for k in range(1, len(items)):
        items[k] = items[k] * items[k - 1]
    return np.sum(np.array(items) ** 2) + np.sum(np.sum(items, axis=0)) + np.concatenate(items).sum()


@program(None)
def parts_of_them(x):
    items, total = pairs(x), 0.0
    for k in range(1, len(items)):
        total = total + items[k][0] * items[k - 1][1]
        items[k] = items[k][::-1] * items[k - 1]
        total = total + items[k][:1].sum()
    return total


def square_of_slope(function):
    return lambda x: np.sum(sg.grad(function)(x) ** 2)


def differences(function, x, h=1e-6):
    return np.array([(function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    function, in_place = PROGRAMS[name]
    x = np.arange(5.0) * 0.55 + 0.3 + 0.01 * np.arange(5.0) ** 2
    value, slope = sg.value_and_grad(function)(x)
    assert value == function(x)
    assert np.allclose(slope, differences(function, x), rtol=1e-5, atol=1e-5)
    assert np.allclose(sg.grad(square_of_slope(function))(x),
                       differences(square_of_slope(function), x), rtol=1e-4, atol=1e-3)
    if in_place is not None:
        assert ("d_items[k] += " in sg.grad(function).source(x)) is in_place
