"""The parts of the tracer: beside each other, each naming whom it speaks to, each with little state."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import textwrap
from importlib import import_module

import pytest

from srcgrad import trace
from srcgrad.trace.collaborator import Collaborator
from srcgrad.trace.machine import PARTS, TraceMachine

MOST_STATE = 20
LONGEST = 3  # classes of the project that a class of the tracer derives from, itself included


def classes():
    for module in pkgutil.walk_packages(trace.__path__, "srcgrad.trace."):
        found = import_module(module.name)
        for cls in vars(found).values():
            if isinstance(cls, type) and cls.__module__ == found.__name__:
                yield cls


def of_self(cls, context):
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(
        node.ctx, context) and isinstance(node.value, ast.Name) and node.value.id == "self"}


def test_no_class_derives_from_a_chain():
    known = {cls for cls in classes() if not issubclass(cls, Exception)}
    long = {cls.__name__: [c.__name__ for c in cls.__mro__] for cls in known if sum(
        c.__module__.startswith("srcgrad") for c in cls.__mro__) > LONGEST}
    joins = {name for name, mro in long.items() if "Join" in mro or "Staged" in mro
             or "Shape" in mro or "Form" in mro or "Assumption" in mro}
    assert set(long) == joins  # families of data: one kind each


@pytest.mark.parametrize("name", PARTS)
def test_a_part_names_whom_it_speaks_to_and_nobody_else(name):
    cls = PARTS[name]
    assert cls.__mro__ == (cls, Collaborator, object)
    assert set(cls.speaks_to) == of_self(cls, ast.Load) & set(PARTS) - {name}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_has_little_state_and_makes_it_itself(name):
    state = of_self(PARTS[name], ast.Store)
    assert len(state) <= MOST_STATE
    assert not state & ({*PARTS, *Collaborator.__annotations__} - {name}), "replaces a part"


def test_the_machine_has_its_parts_and_no_state():
    assert not of_self(TraceMachine, ast.Store)
