"""Programs over lists of objects that number the objects of a class, and over lists that almost do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import srcgrad as sg


class Cell:
    def __init__(self, value, weight=1.0):
        self.value, self.weight, self.next = value, weight, None


def cells(x, n):
    return [Cell(math.sin(x * i), 0.5 + i * x) for i in range(n)]


def in_order(x, n):
    made = cells(x, n)
    for k in range(n):
        made[k].value *= made[(k * k) % len(made)].weight
    for cell in made:
        cell.value += 0.1 * cell.weight
    return sum(cell.value * cell.weight for cell in made)


def swapped(x, n):
    made = cells(x, n)
    made[0], made[2] = made[2], made[0]
    for k in range(n):
        made[k].value *= 1.0 + k * made[k].weight
    return sum(cell.value * (k + 1) for k, cell in enumerate(made))


def in_order_of_values(x, n):
    made = cells(x, n)
    made.sort(key=lambda cell: cell.value)
    return sum(cell.value * k for k, cell in enumerate(made))


def of_two_lists(x, n):
    made, others = [], []
    for i in range(n):
        made.append(Cell(x * i))
        others.append(Cell(x + i, 2.0))
    return sum(a.value * b.value * b.weight for a, b in zip(made, others))


def made_later(x, n):
    made = cells(x, n)
    others = [Cell(x * i * i) for i in range(n)]
    for k in range(n):
        others[k].value *= made[k].value
    return sum(cell.value for cell in others) + sum(cell.value for cell in made)


def not_all_kept(x, n):
    made = []
    for i in range(n):
        cell = Cell(math.cos(x * i))
        if cell.value > 0.5:
            made.append(cell)
    return sum(cell.value * k for k, cell in enumerate(made))


def kept_twice(x, n):
    made = []
    for i in range(n):
        cell = Cell(math.cos(x * i))
        made.append(cell)
        if i == 1:
            made.append(cell)
    for cell in made:
        cell.value *= 1.5
    return sum(cell.value * k for k, cell in enumerate(made))


def from_the_end(x, n):
    made = cells(x, n)
    made[-1].value = x * x
    for k in range(1, n):
        made[-k].value += made[k - 1].weight
    return sum(cell.value * cell.weight for cell in made)


def one_taken_out(x, n):
    made = cells(x, n)
    made.pop(1)
    for k in range(len(made)):
        made[k].value *= k + x
    return sum(cell.value for cell in made)


def put_in_front(x, n):
    made = []
    for i in range(n):
        made.insert(0, Cell(x * i))
    return sum(cell.value * k for k, cell in enumerate(made))


def more_in_one_arm(x, n):
    made = [Cell(x)]
    for i in range(n):
        made.append(Cell(made[i].value * 0.9))
        if made[i].value > 0.2:
            made.append(Cell(x * i))
    return sum(cell.value * (k + 1) for k, cell in enumerate(made))


def growing_while_read(x, n):
    made, k = [Cell(x)], 0
    while len(made) < n + 2:
        made[k].value += 0.1
        made.append(Cell(made[k].value * x))
        k += 1
    return sum(cell.value * cell.value for cell in made)


def linked(x, n):
    made = cells(x, n)
    for k in range(n - 1):
        made[k].next = made[k + 1]
    if made[0].value > -2.0:
        made[1].next = None
    total, cell = 0.0, made[0]
    while cell is not None:
        total += cell.value * cell.weight
        cell = cell.next
    return total


def searched(x, n):
    root = Cell(x)
    for i in range(1, n + 3):
        cell = root
        while cell.next is not None and cell.next.value < math.sin(3.0 * i):
            cell = cell.next
        new = Cell(math.sin(3.0 * i) + x)
        new.next = cell.next
        cell.next = new
    total, k = 0.0, 1.0
    cell = root
    while cell is not None:
        total += k * cell.value
        cell, k = cell.next, k + 1.0
    return total


def in_rows(x, n):
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(Cell(x * i + j))
        rows.append(row)
    for i in range(1, n):
        for j in range(n):
            rows[i][j].value *= rows[i - 1][j].value
    return sum(cell.value for row in rows for cell in row)


def of_numbers(x, n):
    places, items = [], []
    for i in range(n):
        places.append(len(items))
        items.append(x * i)
    for place in places:
        items[place] *= x
    return sum(items) + places[n - 1]


def never_begun(x, n):
    made = cells(x, n)
    start = None if n > 3 else made[1]
    cell, total = start, 1.0
    while start is not None and total < 3.0:
        total += cell.weight
        cell = made[2]
    return total * x if cell is None else total * cell.value


def waiting(x, n):
    waiting, done = [Cell(x)], 0.0
    while waiting:
        cell = waiting.pop()
        done += cell.value
        if cell.weight < n:
            waiting.append(Cell(cell.value * 0.7, cell.weight + 1.0))
            waiting.append(Cell(cell.value * 0.3, cell.weight + 2.0))
    return done


PROGRAMS = [in_order, swapped, in_order_of_values, of_two_lists, made_later, not_all_kept, kept_twice,
            from_the_end, one_taken_out, put_in_front, more_in_one_arm, growing_while_read, linked,
            searched, in_rows, of_numbers, never_begun, waiting]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program):
    derivative, second = sg.value_and_grad(program), sg.grad(sg.grad(program))
    slope = sg.grad(program)
    for x, n in ((0.3, 4), (0.7, 6), (0.45, 3)):
        value, found = derivative(x, n)
        assert value == program(x, n) == sg.jit(program)(x, n)
        step = 1e-6
        assert found == pytest.approx(
            (program(x + step, n) - program(x - step, n)) / (2 * step), rel=1e-6, abs=1e-7)
        assert second(x, n) == pytest.approx(
            (slope(x + step, n) - slope(x - step, n)) / (2 * step), rel=1e-5, abs=1e-6)


def too_far(x, n):
    made = cells(x, n)
    for k in range(n + 1):
        made[k].value *= 2.0
    return made[0].value


def too_far_in_numbers(x, n):
    places, items = [], []
    for i in range(n):
        places.append(len(items))
        items.append(x * i)
    k, total = 0, 0.0
    while total < 10.0 * n:
        total += places[k]
        k += 2
    return total * items[0]


def no_next(x, n):
    made = cells(x, n)
    cell = made[0]
    for k in range(n):
        cell = cell.next if k > 1 else made[k]
    return cell.value * x


@pytest.mark.parametrize("program", [too_far, too_far_in_numbers, no_next],
                         ids=lambda program: program.__name__)
def test_errors_are_those_of_python(program):
    with pytest.raises((IndexError, AttributeError)) as expected:
        program(0.3, 3)
    for transform in (sg.grad, sg.value_and_grad, sg.jit):
        with pytest.raises(expected.type) as found:
            transform(program)(0.3, 3)
        assert str(expected.value) in str(found.value)


def test_lookups_are_left_out():
    text = sg.value_and_grad(in_order).source(0.3, 4)
    assert "cell_value[k]" in text
    assert not [line for line in text.splitlines() if "made" in line and "#" not in line]


def test_a_link_is_tested_once():
    text = sg.value_and_grad(linked).source(0.3, 4)
    assert "has no attribute" not in text


def test_lists_of_other_lengths_are_no_numbering():
    derivative = sg.value_and_grad(more_in_one_arm)
    assert np.isfinite(derivative(0.5, 5)[1])
