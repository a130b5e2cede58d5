"""Programs full of classes: the chain, order 2, forward mode, the exported module."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import objects_compared
import objects_ending
import objects_making
import objects_patterns
import objects_physics
import objects_realistic
import objects_solvers
import objects_trees
import pytest
from chain import check, check_exported, check_orders

import srcgrad as sg

PROGRAMS = [
    pytest.param(fn, args, id=f"{module.__name__}-{fn.__name__}")
    for module in (objects_compared, objects_ending, objects_making, objects_patterns,
                   objects_physics, objects_realistic,
                   objects_solvers, objects_trees)
    for fn, args in module.CASES
]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program(fn, args):
    check(fn, args, staged=False, passes=False, oracle=False)


# attributes of their classes change: the classes are passed to the exported function
WITH_STATE = frozenset({"constructors", "ctx"})


@pytest.mark.sweep
@pytest.mark.parametrize(("fn", "args"), PROGRAMS)
def test_program_at_length(fn, args, tmp_path):
    check(fn, args)
    check_orders(fn, args)
    if fn.__name__ not in WITH_STATE:
        check_exported(fn, args, tmp_path)


@dataclass
class Sample:
    value: float
    inner: object = None


class Shown:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Shown({self.value:.3f})"


class Named(Shown):
    def __str__(self):
        return "named " + str(self.value)


Pair = namedtuple("Pair", "first second")


@pytest.mark.parametrize("say", [
    lambda x: print(Shown(x[0]), Named(x[1]), Pair(x[0], 2)),
    lambda x: print([Shown(x[0]), Named(x[1])], {"k": Shown(x[0])}, (Named(x[1]),)),
    lambda x: print(Sample(x[0], Shown(x[1])), [Sample(x[0], 1)]),
    lambda x: print(f"{Sample(x[0])!r:>10} {Shown(x[0])!s}"),
    lambda x: print("%s %r %5.2f" % (Shown(x[0]), Named(x[1]), x[0])),
    lambda x: print("{} {!r} {0.value}".replace("{}", "{0}").replace("{!r}", "{1!r}").format(
        Shown(x[0]), Sample(x[1]))),
    lambda x: print(Pair(Shown(x[0]), [x[1]])),
    lambda x: [print(max([Named(x[0]), Named(x[1])], key=lambda s: s.value))],
])
def test_texts_of_objects(say, capsys):
    def program(x):
        say(x)
        return np.sum(x**2)

    x = np.array([0.5, 0.25])
    program(x)
    plain = capsys.readouterr().out
    df = sg.grad(program)
    for _ in range(2):
        df(x)
        assert capsys.readouterr().out == plain


def test_functions_without_source_are_refused_objects_that_hold_traced_values():
    namespace = {}
    exec("def double(s):\n    s.value = s.value * 2", namespace)

    def program(x):
        s = Sample(x)
        namespace["double"](s)
        return s.value * x

    with pytest.raises(sg.SourceNotFound):
        sg.grad(program)(2.0)
