"""Programs by construct of Python: value, arguments and gradient; at length in the sweep."""

from __future__ import annotations

import applications
import container_methods
import numpy as np
import path_exceptions
import path_state
import pytest
import python_control
import python_data
import python_dicts
import python_exceptions
import python_found
import python_functions
import python_graphs
import python_heaps
import python_keys
import python_late
import python_nodes
import python_objects
import python_picked
import python_places
import python_random
import python_tables
import python_text
import python_walks
import recursion_lists
from chain import check, check_exported, check_orders

import srcgrad as sg

PROGRAMS = [
    pytest.param(fn, args, id=f"{module.__name__}-{fn.__name__}")
    for module in (applications, container_methods, path_exceptions, path_state, python_control, python_exceptions,
                   python_found, python_functions, python_keys, python_random, python_data,
                   python_nodes, python_objects, python_picked, python_tables, python_dicts,
                   python_graphs, python_places, python_text, python_heaps, python_walks,
                   python_late, recursion_lists)
    for fn, args in module.CASES
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


def test_a_generator_advanced_in_a_branch_is_refused():
    def program(a, r):
        g = python_functions.multiples(a)
        if r > 1:
            a = a + next(g)
        return a * next(g)

    with pytest.raises(sg.SrcgradError, match="generator is advanced"):
        sg.grad(program)(0.5, 2.0)


@pytest.mark.parametrize("window", [
    lambda y: np.lib.stride_tricks.as_strided(y, (3, 2), (8, 8)),
    lambda y: np.lib.stride_tricks.sliding_window_view(y, 2, writeable=True),
])
def test_a_write_through_overlapping_windows_is_refused(window):
    def program(x):
        y = x * 1.0
        v = window(y)
        v *= 2.0
        return np.sum(y ** 2)

    with pytest.raises(sg.UnsupportedOperation, match="windows that overlap"):
        sg.grad(program)(np.arange(4.0))


# differences of its gradient mean nothing: the bracket moves with the step
ROUGH = frozenset({"bisection"})


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program_at_length(fn, args, tmp_path):
    check(fn, args)
    check_orders(fn, args, smooth=fn.__name__ not in ROUGH)
    check_exported(fn, args, tmp_path)


def test_steps_of_objects_are_a_loop():
    texts = {steps: sg.grad(python_picked.bodies_of_a_number).source(
        python_picked.MASSES, python_picked.PLACES, python_picked.SPEEDS, steps)
        for steps in (2, 30)}
    assert texts[2] == texts[30] and " in range(steps):" in texts[2]


def test_a_list_that_recursion_may_hand_back_may_not_change():
    def program(x):
        def tail(items):
            if items[0] > 0:
                return items
            return tail(items[1:])

        items = [v for v in x]
        found = tail(items)
        found.append(5.0 * x[1])
        return sum(items) + sum(found)

    with pytest.raises(sg.UnsupportedOperation, match="a list changes"):
        sg.grad(program)(np.array([0.3, -1.2, 2.0]))


def test_keys_of_two_classes_of_tuples_are_not_taken_for_one():
    def weighed(x, label):
        field = {}
        for k, v in zip(label, x):
            field[int(k), 0] = v
        for k, v in zip(label, x):
            field.setdefault(python_dicts.Cell(int(k), int(v > 0)), v)
        return sum(v * (2 if type(key) is tuple else 3) for key, v in field.items())

    with pytest.raises(sg.UnsupportedOperation, match="a new key of a dict depends on data"):
        sg.grad(weighed)(python_dicts.V, python_dicts.LABELS)
