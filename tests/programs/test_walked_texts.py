"""Loops over texts: right for each text, and most have one text for all."""

from __future__ import annotations

import numpy as np
import pytest
from chain import check, same
from walked_texts import BODIES, CASES, CROSSED, WALKS, WHOLE, W, beside, crossed, looked_up, twice

import srcgrad as sg

TEXTS = ("abcabdcb" * 4, "dcbaab" * 9, "abc", "c", "")
KNOWN = {"counted_meanwhile", "weights_that_change", "layers_by_letters", "known_after_all", "words_of_it"}


def as_python(program, derivative, *args):
    """Value and derivative are right for these arguments; exceptions are Python's."""
    try:
        expected = program(*args)
    except Exception as error:
        with pytest.raises(type(error)):
            derivative(*args)
        return
    value, slope = derivative(*args)
    assert same(value, expected)
    w, step = args[0], 1e-6
    moved = [[program(w + sign * step * e, *args[1:]) for e in np.eye(len(w))] for sign in (1, -1)]
    assert np.allclose(slope, np.subtract(*moved) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("program", "args"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_chain(program, args):
    check(program, args)


@pytest.mark.parametrize("program", [*CROSSED, *WHOLE], ids=lambda p: p.__name__)
def test_other_texts(program):
    derivative = sg.value_and_grad(program)
    for text in TEXTS:
        as_python(program, derivative, W, text)


@pytest.mark.parametrize("program", [*CROSSED, *WHOLE], ids=lambda p: p.__name__)
def test_one_text(program):
    if program.__name__ not in KNOWN:
        derivative = sg.value_and_grad(program)
        texts = {derivative.source(W, text).count("\n") for text in ("abcabdcb" * 4, "dcba" * 9)}
        assert len(texts) == 1, texts
        assert max(texts) < 75


def test_two_texts_that_are_equal_are_two_inputs():
    derivative = sg.value_and_grad(twice)
    for again in ("abcd" * 6, "abdd" * 6, "abcd", "abcd" * 6):
        as_python(twice, derivative, W, "abcd" * 6, again)


def test_what_no_dict_holds_raises_as_in_python():
    program = crossed(beside, looked_up)
    derivative = sg.value_and_grad(program)
    derivative(W, "abcd" * 9)
    with pytest.raises(KeyError, match="x"):
        derivative(W, "abcxabcd")


def test_a_few_characters_are_written_out():
    assert "for i" not in sg.grad(crossed(WALKS[0], BODIES[0])).source(W, "abc")
