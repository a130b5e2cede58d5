"""The tables of operators: who is asked for one, in which order, and that nobody goes around them."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest

from srcgrad.trace.dispatch import BY_KIND, KINDS, LADDERS
from srcgrad.trace.machine import PARTS


@pytest.mark.parametrize("name", PARTS)
def test_a_part_asks_no_other_part_for_an_operator(name):
    """It asks the machine, or by ``next`` those that come after it: the order is in one table."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(PARTS[name])))
    asked = {(node.value.attr, node.attr) for node in ast.walk(tree) if isinstance(
        node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.attr in LADDERS}
    assert {part for part, _ in asked} <= {"machine", "next", "journal"}
    assert all(name in LADDERS[operator][:-1] for part, operator in asked if part == "next")


def test_who_is_asked_for_an_operator_has_it():
    for operator, ladder in LADDERS.items():
        assert all(hasattr(PARTS[name], operator) for name in ladder), operator
        assert len(set(ladder)) == len(ladder)
    for name in KINDS.values():
        assert any(hasattr(PARTS[name], operator) for operator in BY_KIND)
