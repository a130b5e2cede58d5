"""The assumptions under which tracing starts again: each is met by a program, each is documented,
and only refusals that name one start again, never what the program raises."""

from __future__ import annotations

import copy
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "language"))

from chain import check  # noqa: E402
from table import families  # noqa: E402

import srcgrad as sg  # noqa: E402
from srcgrad.trace import entry  # noqa: E402
from srcgrad.trace.assumptions import Assumption  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "assumptions.md"
HEAD = """# What tracing assumes

A function is traced with sizes as symbols, loops as loops, and lists that loops fill as lists
whose lengths a run knows. Where a program shows that this does not serve it, tracing starts again
under one more of the assumptions below; a refusal may name one under which it may not occur.
What a program raises itself never starts tracing again. `df.explain()` lists what was assumed
for a call, with the line of the program that asked for it.

This page is made from the classes in `srcgrad/trace/assumptions.py` by
`PYTHONPATH=.:tests/support python tests/programs/test_assumptions.py`.
"""
PROGRAMS = {  # the programs of the suites that meet each kind
    "DecidedCondition": ("found_in_repositories.shapes_set_for_a_mode", "found_in_packages.sigma_points",
                         "numpy_writing.put_along_axis"),
    "UnrolledLoop": ("python_data.string_building",),
    "GatheredLists": ("leaves_in_lists.neighbours",),
    "GivenText": ("walked_texts.states_kept", "walked_texts.left_early"),
    "KnownLengths": ("python_rows.rotations", "found_in_packages.filled_with_pairs",
                     "conversions.nested_tolist", "mixed_numpy.vec_two"),
    "FollowedArrays": ("arrays_in_turn.replaced_then_written", "arrays_in_turn.left_early",
                       "lists_of_arrays.some_rows", "lists_of_arrays.a_population"),
    "FollowedNames": ("counted.a_list_of_an_arm", "path_state.name_try"),
    "LateItems": ("python_late.closure_that_reads_later", "python_late.changed_by_who_takes_the_items"),
    "NumbersApart": ("counted.changed_in_place", "helpers_of_numpy.signatures_of_rows",
                     "test_assumptions.absolute_root"),
    "KnownBefore": ("containers_outside.appended_and_popped", "effects.lazily_started",
                    "test_assumptions.one_array_twice"),
    "ViewsTold": ("views.im2col", "views.row_column_scalar", "views.channels_first", "views.ravel_or_not"),
    "RunTimeKeys": ("python_keys.sums_by_bin", "python_dicts.groups_of_lists",
                    "python_dicts.popped", "python_dicts.two_dicts_swapped"),
    "CalledFunction": ("recursion.newton", "recursion.called_in_a_loop"),
    "ChangedLater": ("effects.memo_table", "effects.last_result_kept"),
    "Withdrawn": ("python_tables.needed_as_a_dict", "python_picked.tree_build",
                  "carried.grouped_rows", "data_science.counts_in_rows", "data_science.rows_into_arrays"),
    "StoredObjects": ("object_stores.particles", "object_stores.best_of",
                      "python_rows.pivot_rows", "object_unions.linked", "test_assumptions.found_and_made"),
}
X = np.array([2.0, 0.3, 0.4])
TWICE = np.array([1.0, 2.0])


def one_array_twice(x, y):
    x[0] = 3.0
    return np.sum(x * y)


def absolute_root(x):
    return abs(x**0.5)


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


def found_and_made(x, things):
    chosen = [Pair(x, x)]
    for one in things:
        if one.a > x:
            chosen.append(Pair(x, one.a))
    chosen += things
    total = 0.0
    for one in chosen:
        total += one.a * one.b
    return total * x


def cases():
    """The programs of the table, each with its arguments."""
    yield one_array_twice, (TWICE, TWICE)
    yield absolute_root, (-2.0,)
    yield found_and_made, (0.5, [Pair(0.3, 1.0), Pair(0.8, 2.0)])
    for _, _, constructs in families():
        for entered in constructs.values():
            yield from ((program.fn, program.args) for program in entered)
    for name in {n.split(".")[0] for names in PROGRAMS.values() for n in names}:
        yield from getattr(import_module(name), "CASES", ())


def kinds():
    return Assumption.__subclasses__()


def assumed(fn, args):
    df = (sg.grad if fn.__module__ == "leaves_in_lists" else sg.jit)(fn)
    df(*copy.deepcopy(args))
    return df._entries[0].traced.made


@pytest.fixture
def traced(monkeypatch):
    """How often something is traced."""
    found, once = [], entry._trace_once

    def counted(*args):
        found.append(args[1])
        return once(*args)

    monkeypatch.setattr(entry, "_trace_once", counted)
    return found


def page():
    sections = []
    for kind in kinds():
        text = re.sub(r"^(\w+):", r"* \1:", inspect.getdoc(kind).replace("``", "`"), flags=re.M)
        met = ", ".join(f"`{name}`" for name in PROGRAMS[kind.__name__])
        sections.append(f"## {kind.__name__}\n\n{text}\n\nMet by {met}.\n")
    return "\n".join([HEAD, *sections])


@pytest.mark.parametrize("kind", PROGRAMS)
def test_programs_of_the_suites_meet_each_kind(kind):
    wanted = dict.fromkeys(PROGRAMS[kind], False)
    for fn, args in cases():
        name = f"{fn.__module__.rpartition('.')[2]}.{fn.__name__}"
        if not wanted.get(name, True):
            wanted[name] = kind in {type(m.assumption).__name__ for m in assumed(fn, args)}
    assert all(wanted.values()), wanted


def test_each_kind_has_programs_and_says_why_it_is_assumed_and_what_it_changes():
    assert {k.__name__ for k in kinds()} == set(PROGRAMS)
    for kind in kinds():
        assert {"Why:", "Changes:"} <= set(inspect.getdoc(kind).split()), kind.__name__


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == page()


@pytest.mark.parametrize("error", [ValueError, TypeError, IndexError, KeyError, RuntimeError])
def test_what_the_program_raises_does_not_start_tracing_again(error, traced):
    def program(x):
        v = [0.0] * len(x)
        for i in range(len(x)):
            v[i] = x[i] * i
        y = x if x[0] > 1 else x[1]
        raise error("the program's own")
        return np.sum(y)

    with pytest.raises(error, match="the program's own"):
        sg.grad(program)(X)
    assert len(traced) == 1


def test_a_refusal_that_names_no_assumption_does_not_start_tracing_again(traced):
    def program(x):
        v = [0.0] * len(x)
        for i in range(len(x)):
            v[i] = x[i] * i
        return np.sum(x) + x.ctypes.data

    with pytest.raises(sg.SrcgradError):
        sg.grad(program)(X)
    assert len(traced) == 1


def joined_to_an_array(x):
    y = x * 2 if x[0] > 1 else x[1]
    return np.sum(np.concatenate([x, y * x]) ** 2)


@pytest.mark.parametrize("program", [joined_to_an_array])
def test_a_derivative_that_needs_a_rank_is_called_by_the_run(program, traced):
    df = sg.grad(program)
    df(X)
    assert len(traced) == 1
    for x in (X, np.array([0.2, 0.3, 0.4])):
        check(program, (x,), staged=False, passes=False, oracle=False)


def test_explain_tells_what_was_assumed_and_where():
    def program(x, n):
        sums = {}
        for i in range(n):
            sums[i % 3] = sums.get(i % 3, 0.0) + x[i]
        return sum(sums.values())

    text = sg.grad(program).explain(np.arange(20.0), 20)
    assert ("assumed, after tracing without:\n  the keys of a dict or set depend on data   "
            "(test_assumptions.py:") in text
    assert "sums[i % 3] = sums.get(i % 3, 0.0) + x[i])" in text
    assert "assumed, after tracing without:\n  nothing" in sg.grad(one_array_twice).explain(
        X, X.copy())


if __name__ == "__main__":
    PAGE.write_text(page())
