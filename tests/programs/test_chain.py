"""The corpus through the whole chain."""

from __future__ import annotations

import copy

import aliasing
import arrays_in_turn
import containers_outside
import data_science
import everyday
import found_at_run_time
import found_in_notebooks
import found_in_packages
import found_in_repositories
import identity
import lists_of_arrays
import lists_of_numbers
import numpy as np
import numpy_style
import objects
import objects_outside
import practice
import pytest
import recursion
import recursion_shared
import recursion_state
from chain import check, check_orders, floats, same

import srcgrad as sg

CORPORA = (containers_outside, objects_outside, everyday, aliasing, arrays_in_turn, lists_of_arrays, lists_of_numbers, identity, objects, numpy_style, practice, recursion, recursion_shared, recursion_state, found_in_packages,
           found_in_repositories, found_in_notebooks, found_at_run_time, data_science)
PROGRAMS = [(m.__name__, fn, args) for m in CORPORA for fn, args in m.CASES]
PROGRAMS += [(found_in_repositories.__name__, *one) for one in found_in_repositories.FIRST_ORDER]


@pytest.mark.parametrize(
    ("fn", "args"), [p[1:] for p in PROGRAMS], ids=[f"{p[0]}-{p[1].__name__}" for p in PROGRAMS]
)
def test_program(fn, args):
    check(fn, args)


@pytest.mark.parametrize("scale", [1.0, 0.2])
@pytest.mark.parametrize("fn", identity.RIGHT_OR_REFUSED, ids=lambda fn: fn.__name__)
def test_right_or_refused(fn, scale):
    """What cannot be followed is refused; it is never a wrong number."""
    try:
        check(fn, (identity.X * scale, identity.Y * scale))
    except sg.AliasError as error:
        assert ".copy()" in str(error)


@pytest.mark.parametrize(("fn", "args"), [*practice.CASES, *found_in_packages.CASES, *found_in_repositories.CASES, *found_in_notebooks.CASES, *found_at_run_time.CASES], ids=lambda a: getattr(a, "__name__", ""))
def test_pullback(fn, args):
    """The two halves of a gradient give what the whole does."""
    places = floats(args)
    value, slopes = sg.value_and_grad(fn, argnums=places)(*copy.deepcopy(args))
    out, pullback = sg.vjp(fn, *copy.deepcopy(args))
    assert same(out, value)
    found = pullback(1.0)
    found = found if isinstance(found, tuple) else (found,)
    for slope, place in zip(slopes, places):
        np.testing.assert_allclose(found[place], slope, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("fn", "args"), [*found_in_packages.CASES, *found_in_repositories.CASES, *found_in_notebooks.CASES, *found_at_run_time.CASES, *data_science.CASES], ids=lambda a: getattr(a, "__name__", ""))
def test_orders(fn, args):
    check_orders(fn, args)


def test_one_text_for_repeated_lists_of_every_size():
    df = sg.value_and_grad(found_in_packages.filled_by_index)
    for n in (3, 7, 200):
        x = np.linspace(0.1, 1.0, n)
        assert df(x)[0] == found_in_packages.filled_by_index(x)
    assert df.cache_info().misses == 1


@pytest.mark.parametrize("fn", [data_science.columns_are_tuples, data_science.columns_in_a_dict])
def test_columns_are_printed_as_tuples(fn, capsys):
    fn(1.1)
    printed = capsys.readouterr().out
    sg.grad(fn)(1.1)
    assert capsys.readouterr().out == printed


def test_a_tuple_of_unknown_length_is_not_returned_or_changed():
    def returned(x):
        rows, cols = zip(*data_science.walk(x))
        return sum(cols), rows

    def appended(x):
        rows, cols = zip(*data_science.walk(x))
        rows.append(1.0)
        return sum(rows)

    def added(x):
        rows, cols = zip(*data_science.walk(x))
        return sum(rows + [1.0])

    def one_of_two(x):
        rows, cols = zip(*data_science.walk(x))
        if x > 1:
            rows = cols
        print(rows)
        return sum(rows)

    with pytest.raises(sg.UnsupportedOperation, match="returns a tuple whose length"):
        sg.value_and_grad(returned, has_aux=True)(1.1)
    with pytest.raises((AttributeError, sg.SrcgradError)):
        sg.grad(appended)(1.1)
    with pytest.raises(TypeError, match="can only concatenate tuple"):
        sg.grad(added)(1.1)
    with pytest.raises(sg.JoinError):
        sg.grad(one_of_two)(1.1)
