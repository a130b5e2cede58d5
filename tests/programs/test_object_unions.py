"""Objects of several classes in lists, variables and attributes: one text for any number of them,
with the values and effects of plain Python."""

from __future__ import annotations

import copy

import numpy as np
import object_unions as programs
import pytest
from chain import check, check_orders

import srcgrad as sg

CASES = [(fn, args) for fn, args in programs.CASES if fn not in programs.CHANGING]
ALL = list(programs.BY_SIZE[0])


def state(found):
    """What objects hold, and their classes."""
    if isinstance(found, (list, dict)):
        return [state(one) for one in (found.items() if isinstance(found, dict) else found)]
    if hasattr(found, "__dict__"):
        return type(found).__name__, [(name, state(held)) for name, held in vars(found).items()]
    return repr(found)


@pytest.mark.parametrize(("fn", "args"), CASES,
                         ids=[f"{fn.__name__}-{len(args[0])}" for fn, args in CASES])
def test_program(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


@pytest.mark.parametrize("fn", programs.CHANGING, ids=lambda fn: fn.__name__)
def test_objects_that_change(fn):
    df = sg.value_and_grad(fn)
    for given in programs.BY_SIZE:
        x = given[fn][0]
        plain, traced = copy.deepcopy(given[fn]), copy.deepcopy(given[fn])
        value, slope = df(*traced)
        assert value == fn(*plain)
        assert state(list(traced)) == state(list(plain))
        sides = [[fn(x + step * way, *copy.deepcopy(given[fn][1:])) for way in np.eye(len(x))]
                 for step in (1e-6, -1e-6)]
        np.testing.assert_allclose(slope, np.subtract(*sides) / 2e-6, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fn", ALL, ids=lambda fn: fn.__name__)
def test_one_text_serves_any_number(fn):
    df = sg.value_and_grad(fn)
    texts = {df.source(*copy.deepcopy(given[fn])) for given in programs.BY_SIZE}
    assert len(texts) == 1


@pytest.mark.parametrize("fn", [programs.areas, programs.grown, programs.areas_outside,
                                programs.network], ids=lambda fn: fn.__name__)
def test_second_derivatives(fn):
    check_orders(fn, copy.deepcopy(programs.BY_SIZE[0][fn]))


def test_what_is_read_is_told_by_the_class_alone():
    text = sg.value_and_grad(programs.happenings).source(*programs.BY_SIZE[0][programs.happenings])
    assert "KeyError" not in text and "'hit'" not in text


@pytest.mark.parametrize("change", [
    lambda shapes: shapes.reverse(), lambda shapes: shapes.append(programs.Circle(2.0)),
    lambda shapes: shapes.__setitem__(1, shapes[0]), lambda shapes: shapes.__delitem__(slice(3, None)),
    lambda shapes: shapes.__setitem__(0, programs.Square(3)),
    lambda shapes: shapes.append(programs.Scale(2.0)),
], ids=["reversed", "longer", "one object twice", "shorter", "an int", "another class"])
def test_other_lists(change):
    x, shapes = copy.deepcopy(programs.BY_SIZE[1][programs.grown_outside])
    x = np.append(x, 0.5)
    df = sg.value_and_grad(programs.grown_outside)
    df(x, copy.deepcopy(shapes))
    change(shapes)
    plain, traced = copy.deepcopy(shapes), copy.deepcopy(shapes)
    try:
        want = programs.grown_outside(x, plain)
    except AttributeError:
        with pytest.raises(AttributeError):
            df(x, traced)
    else:
        assert df(x, traced)[0] == want
    assert state(traced) == state(plain)
