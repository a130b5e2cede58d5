"""Programs whose dicts have keys that data decide have one text, which is right for each number of
keys, and leave behind what Python leaves."""

from __future__ import annotations

import copy
import runpy

import numpy as np
import pytest
from chain import same
from keyed import CASES, Cell

import srcgrad as sg

N = 20


def moved(tree, by):
    """A structure with numbers of Python's and arrays moved, one after the other."""
    if isinstance(tree, np.ndarray):
        return tree + np.array([next(by) for _ in tree])
    if isinstance(tree, dict):
        return {k: moved(v, by) for k, v in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(moved(v, by) for v in tree)
    return tree + next(by) if type(tree) is float else tree


def numbers_in(tree):
    if isinstance(tree, dict):
        return [v for k in tree for v in numbers_in(tree[k])]
    if isinstance(tree, (list, tuple)):
        return [v for t in tree for v in numbers_in(t)]
    return [*tree] if isinstance(tree, np.ndarray) else [tree] if isinstance(tree, float) else []


@pytest.mark.parametrize("program, make", CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_program(program, make):
    derivative = sg.value_and_grad(program)
    assert len({derivative.source(*make(count)) for count in (36, 50)}) == 1
    first, *rest = make(36)
    given = copy.deepcopy((first, *rest))
    left = copy.deepcopy((first, *rest))
    value, gradient = derivative(*given)
    assert same(value, program(*left))
    for one, other in zip(given, left, strict=True):
        one, other = (getattr(v, "counts", v) for v in (one, other))
        assert same(one, other) and (not isinstance(one, dict) or [*one] == [*other])
    count, h = sum(isinstance(v, float) for v in numbers_in(first)), 1e-6

    def at(place, by):
        steps = np.zeros(count)
        steps[place] = by
        return program(moved(first, iter(steps)), *copy.deepcopy(rest))

    expected = [(at(i, h) - at(i, -h)) / (2 * h) for i in range(count)]
    assert np.allclose(numbers_in(gradient), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["shortest_paths", "walk_along_the_least", "sparse_form",
                                  "records_by_name", "breadth_first", "histogram_argument"])
def test_export(name, tmp_path):
    for program, make in CASES:
        if program.__name__ == name:
            derivative = sg.value_and_grad(program)
            derivative.export(tmp_path / "exported.py", *make(20))
            exported = runpy.run_path(str(tmp_path / "exported.py"))[f"{name}_value_and_grad"]
            # the keys of a gradient are those for which it was made
            count = 24 if name in ("breadth_first", "histogram_argument") else 20
            assert repr(exported(*make(count))) == repr(derivative(*make(count)))


def appended(x, found):
    for i, v in enumerate(x):
        found[i * i % N + 1].append(v)
    return x[0]


def stored_list(x, found):
    row = []
    for i in range(len(x)):
        found[i * i % N] = row
    row.append(x[0])
    return x[0]


def stored_array(x, found):
    for i in range(len(x)):
        found[i * i % N] = x[i:i + 1]
    return x[0]


def stored_deeper(x, found):
    for i, v in enumerate(x):
        found[i * i % N][i] = v
    return sum(sum(row.values()) for row in found.values())


@pytest.mark.parametrize("program, held", [
    (appended, list), (stored_list, list), (stored_deeper, dict),
    (stored_array, lambda: np.zeros(1))], ids=lambda p: getattr(p, "__name__", ""))
def test_what_dicts_from_outside_hold_changes(program, held):
    """Then no table stands for them."""
    x, given, left = np.linspace(0.5, 1.0, N), *({i: held() for i in range(N + 2)} for _ in "ab")
    try:
        value = sg.jit(program)(x, given)
    except sg.UnsupportedOperation:
        return
    assert same(value, program(x, left)) and same(given, left)


def test_a_key_that_is_missing_is_told_as_in_python():
    def program(x, found):
        cells = {Cell(int(v), 0): v for v in x}
        return cells[Cell(int(x[0]), 1)] if found is None else sum(
            found[k * k] * v for k, v in enumerate(x))

    x = np.linspace(0.5, 4.0, N)
    for found in (None, {i: 1.0 for i in range(N)}):
        with pytest.raises(KeyError) as expected:
            program(x, found)
        with pytest.raises(KeyError) as error:
            sg.grad(program)(x, found)
        assert error.value.args == expected.value.args


def test_one_dict_in_two_arguments():
    def program(x, first, second):
        for i, v in enumerate(x):
            first[i * i % N] += v
        return sum(second.values())

    x, found = np.linspace(0.5, 1.0, N), {i: 0.5 * i for i in range(N)}
    derivative = sg.value_and_grad(program)
    one, two = dict(found), dict(found)
    assert same(derivative(x, one, one)[0], program(x, two, two)) and one == two
    assert same(derivative(x, dict(one), one)[0], program(x, dict(two), two)) and one == two


@pytest.mark.parametrize("held", [
    lambda i: {3: 0.5 * i, i + 4: 1.0}, lambda i: {"a": 0.5 * i, "b": 1.0}, lambda i: [i, 2.0 * i]])
def test_what_a_dict_holds_changes_by_another_name(held):
    def program(x, found, other):
        other[next(iter(other)) if isinstance(other, dict) else 0] = 7.0
        total = 0.0
        for i, v in enumerate(x):
            row = found[i * i % N]
            total += v * sum(row.values() if isinstance(row, dict) else row)
        return total

    x = np.linspace(0.5, 1.0, N)
    derivative = sg.value_and_grad(program)
    for apart in (True, False, True):
        one, two = ({i: held(i) for i in range(N)} for _ in "ab")
        given, left = (held(9), held(9)) if apart else (one[9], two[9])
        expected = program(x, two, left)
        try:
            value, _ = derivative(x, one, given)
        except sg.UnsupportedOperation:
            assert not apart
            continue
        assert same(value, expected) and same(one, two)


def test_a_dict_that_changed_is_returned_itself():
    def program(x, found):
        for i, v in enumerate(x):
            found[i * i] = v
        return found

    given, left = {}, {}
    assert sg.jit(program)(np.arange(3.0), given) is given
    assert same(given, program(np.arange(3.0), left))


def test_derivatives_of_what_dicts_hold():
    def program(d):
        return sum(v ** 3 * k for k, v in d.items())

    def nested(d):
        return sum(v * v * x for row in d.values() for x, v in row.items())

    d = {i: 0.5 * i + 0.1 for i in range(N)}
    ones = dict.fromkeys(d, 1.0)
    assert np.isclose(sg.jvp(program, (d,), (ones,))[1], sum(3 * v * v * k for k, v in d.items()))
    along = sg.hvp(program)(d, ones)
    assert np.allclose([*along.values()], [6 * v * k for k, v in d.items()])
    _, pullback = sg.vjp(lambda d: [v * v for v in d.values()], d)
    (found,) = pullback([1.0] * N)
    assert found == {k: 2 * v for k, v in d.items()}
    rows = {i: {j: i + 0.5 * j for j in range(i % 3)} for i in range(N)}
    assert sg.grad(nested)(rows) == {
        i: {j: 2 * v * j for j, v in row.items()} for i, row in rows.items()}
