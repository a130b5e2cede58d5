"""What is made now and read later gives what it gives in Python, or is refused."""

from __future__ import annotations

import copy
import functools
import itertools
import linecache

import dtype_generator
import effect_generator
import lazy_generator
import numpy as np
import pytest
import transform_generator
from chain import close, differences, run_quietly, same

import srcgrad as sg

REFUSED = []
GENERATORS = {"lazy": lazy_generator.program, "dtype": dtype_generator.program,
              "transform": transform_generator.program}


def compiled_from(text, name):
    name = f"<{name}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"__name__": __name__}
    exec(compile(text, name, "exec"), names)
    return names["program"]


def arguments(seed):
    rng = np.random.default_rng(seed)
    for size, count in ((4, 2), (4, 2), (6, 3)):
        yield rng.uniform(0.2, 1.7, size), rng.uniform(0.2, 1.7, size), float(rng.uniform(0.2, 1.5)), count


@pytest.mark.parametrize(("kind", "seed"), [*itertools.product(("lazy",), range(30)), *itertools.product(
    ("dtype",), range(20)), *itertools.product(("transform",), range(30))])
def test_program(kind, seed):
    text = GENERATORS[kind](seed)
    fn = compiled_from(text, f"{kind} {seed}")
    reference = compiled_from(dtype_generator.double(text), f"double {seed}") if kind == "dtype" else fn
    df = sg.value_and_grad(fn, argnums=(0, 1, 2))
    for args in arguments(seed):
        plain, own = copy.deepcopy(args), copy.deepcopy(args)
        try:
            want = run_quietly(fn, plain)
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, own)
            continue
        try:
            value, slopes = run_quietly(df, own)
        except sg.SrcgradError:
            REFUSED.append((kind, seed))
            return
        if kind == "transform":  # whose derivatives are other text here
            assert close(value, want, 1e-9) and all(map(np.allclose, own, plain)), text
        else:
            assert same(value, want) or not np.isfinite(want), text
            assert same(own, plain), text
        if not close(run_quietly(reference, copy.deepcopy(args)), want, 1e-5):
            continue  # a comparison comes out differently in double precision
        for place, slope in enumerate(slopes):
            expected = [run_quietly(differences, (reference, args, place, step))[0] for step in (1e-6, 1e-5, 1e-7)]
            known = close(expected[0], expected[1], 1e-3) and close(expected[0], expected[2], 1e-3)  # else a kink
            assert not known or any(close(slope, one, 2e-3) for one in expected), text


@pytest.mark.parametrize("seed", range(40))
def test_effects(seed):
    text = effect_generator.program(seed)
    fn = compiled_from(text, f"effects {seed}")
    df = sg.value_and_grad(fn, argnums=(0, 1))
    for x, _, a, _ in arguments(seed):
        try:
            want = run_quietly(fn, (x, a))
        except Exception as error:
            with pytest.raises((type(error), sg.SrcgradError)):
                run_quietly(df, (x, a))
            continue
        try:
            value, slopes = run_quietly(df, (x, a))
        except sg.SrcgradError:
            return
        assert same(value, want), text
        for place, slope in enumerate(slopes):
            expected = [run_quietly(differences, (fn, (x, a), place, step))[0] for step in (1e-6, 1e-5, 1e-7)]
            known = close(expected[0], expected[1], 1e-3) and close(expected[0], expected[2], 1e-3)  # else a kink
            assert not known or any(close(slope, one, 2e-3) for one in expected), text


@pytest.mark.parametrize("take", [
    lambda f, g, x: sum(a * b for a, b in zip(map(f, x), map(f, x[:2]))),
    lambda f, g, x: max((f(v) for v in x), key=g), lambda f, g, x: functools.reduce(g, (f(v) for v in x)),
    lambda f, g, x: sum(len(list(rows)) for _, rows in itertools.groupby(x, key=f)),
    lambda f, g, x: sum(itertools.tee(f(v) for v in x)[0])])
def test_who_computes_ahead_is_not_noticed(take):
    def program(x):
        state = [1.0]

        def f(v):
            state[0] = 0.5 * state[0] + v
            return v * state[0]

        def g(p, q=0.0):
            state[0] = state[0] * 0.9
            return p + q * state[0]

        return take(f, g, x) + state[0]

    x = np.array([0.3, 0.7, 0.4])
    try:
        value, _ = sg.value_and_grad(program)(x)
    except sg.SrcgradError:
        return
    assert value == program(x)


def test_few_are_refused():
    assert len(REFUSED) <= 8


def test_an_iterator_that_data_may_leave_early_is_not_used_again():
    def program(x):
        items = map(lambda v: v * 2, [x[0], x[1], x[2]])
        for v in items:
            if v > 1.0:
                break
        return sum(items) + x[0]

    def with_pairs(x):
        rows = [x[0], x[1], x[2]]
        items = zip(rows, rows)
        found = any(v > 0.5 for v, _ in items)
        return sum(a * b for a, b in items) + found

    for fn in (program, with_pairs):
        with pytest.raises(sg.SrcgradError, match="an iterator is used again"):
            sg.grad(fn)(np.array([0.3, 0.7, 0.4]))


def test_two_generators_side_by_side_whose_variables_their_consumer_changes_are_refused():
    def program(x, c):
        total = 0.0
        for v, u in zip((q * c for q in x), (q + c for q in x)):
            c = c + 0.1 * v
            total += v * u
        return total

    with pytest.raises(sg.UnsupportedOperation, match="c has changed"):
        sg.grad(program)(np.ones(3), 0.5)


def test_a_mapped_list_that_its_consumer_makes_longer_is_refused():
    def program(x):
        rows, total = list(x), 0.0
        for v in map(lambda q: q * 2, rows):
            if len(rows) < 9:
                rows.append(0.3 * v)
            total += v
        return total

    with pytest.raises(sg.UnsupportedOperation, match="changes the length"):
        sg.grad(program)(np.ones(4))
