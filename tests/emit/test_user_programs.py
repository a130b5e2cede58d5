"""From the user's function to emitted text: value, effects on arguments, gradient."""

import copy
import inspect

import numpy as np
import pytest
from lints import lint
from running import emitted, outputs_of, run, same_bits
from user_programs import PROGRAMS

from srcgrad.adjoint import close, differentiate
from srcgrad.graph.interpret import interpret
from srcgrad.trace.entry import trace

IDS = [f"{p[0].__name__}-{i}" for i, p in enumerate(PROGRAMS)]


def traced(function, args):
    found = trace(function, tuple(copy.deepcopy(args)), {}, [], function.__name__)
    names = list(inspect.signature(function).parameters)

    def inputs(values):
        given = dict(zip(names, values, strict=True))
        return [s.path.resolve(given[s.path.root[1]]) for s in found.sources]

    return found, names, inputs


def joint(found, names, wrt):
    flat = [i for w in wrt for i, s in enumerate(found.sources) if s.path.root[1] == names[w]]
    return close(differentiate(found.graph, flat, [0], keep=[0])).but(n_primal=1)


@pytest.mark.parametrize(("function", "args", "wrt"), PROGRAMS, ids=IDS)
def test_forward_is_the_users_program(function, args, wrt):
    found, _, inputs = traced(function, args)
    code = emitted(found.graph, result=found.result)
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    assert same_bits(run(code, inputs(mine)), function(*theirs)), code.text
    assert same_bits(mine, theirs), code.text
    assert not lint(code.text), (lint(code.text), code.text)


@pytest.mark.parametrize(("function", "args", "wrt"), PROGRAMS, ids=IDS)
def test_gradient_is_the_graphs(function, args, wrt):
    found, names, inputs = traced(function, args)
    graph = joint(found, names, wrt)
    expected = interpret(graph, *inputs(copy.deepcopy(args)), 1.0)
    code = emitted(graph)
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    results = outputs_of(graph, code, [*inputs(mine), 1.0])
    assert same_bits(results[0], function(*theirs)), code.text
    assert same_bits(mine, theirs), code.text
    for a, b in zip(results, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12, err_msg=code.text)


@pytest.mark.parametrize(("function", "args", "wrt"), PROGRAMS, ids=IDS)
def test_text_is_the_same_every_time(function, args, wrt):
    texts = set()
    for _ in range(2):
        found, names, _ = traced(function, args)
        texts.add(emitted(joint(found, names, wrt)).text)
    assert len(texts) == 1


@pytest.mark.parametrize(("function", "args", "wrt"), PROGRAMS, ids=IDS)
def test_lines_lead_to_the_users_lines(function, args, wrt):
    found, names, _ = traced(function, args)
    code = emitted(joint(found, names, wrt))
    lines = code.text.splitlines()
    assert all(len(line) <= 88 for line in lines)
    assert code.line_map
    for number, where in code.line_map.items():
        assert lines[number - 1].strip()
        assert where.filename.endswith("user_programs.py")


def shadowing(len, sum):
    u_saved = len
    for n_t in range(3):
        u = u_saved * len
        u_saved = u * u + sum
    return np.sum(u_saved)


def test_names_that_hide_builtins():
    args = [np.arange(3.0), 0.5]
    found, names, inputs = traced(shadowing, args)
    graph = joint(found, names, [0, 1])
    code = emitted(graph)
    results = outputs_of(graph, code, [*inputs(copy.deepcopy(args)), 1.0])
    for a, b in zip(results, interpret(graph, *inputs(args), 1.0), strict=True):
        np.testing.assert_allclose(a, b)
