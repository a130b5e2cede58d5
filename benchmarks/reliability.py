"""What becomes of programs that nobody has looked at: ``python benchmarks/reliability.py [COUNT]``.

Random programs of the kinds that the tests draw, but of other seeds.  Each runs as plain Python and
compiled, with the same bits of the value and the same changes of its arguments; its gradient is
compared with differences.  Where these disagree from the two sides, the program has a kink or a
jump there, and nothing is said of the gradient.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import importlib
import io
import signal
import sys
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS.parent), str(TESTS / "support"), str(TESTS / "programs")]

from chain import close, differences, floats, run_quietly, same  # noqa: E402
from test_objects_found import seen  # noqa: E402

import srcgrad as sg  # noqa: E402

FIRST = 5_000_000  # the tests' seeds are small
OUTCOMES = ("right", "value only", "raises alike", "refused", "wrong")


def outcome(fn, args):
    """One of OUTCOMES; no number (an overflow, a NaN) is left out as None."""
    plain, traced = copy.deepcopy(args), copy.deepcopy(args)
    try:
        places, alike = floats(args), same
    except sg.StructureError:  # objects that refer to one another are no tree
        places = tuple(i for i, a in enumerate(args) if isinstance(a, (float, np.ndarray)))
        alike = of_one_shape
    df = sg.value_and_grad(fn, argnums=places)
    try:
        with at_most(10):
            want = run_quietly(fn, plain)
    except TimeoutError:  # an endless walk along objects that lead to one another
        return None
    except Exception as error:
        try:
            run_quietly(df, traced)
        except sg.SrcgradError:
            return "refused"
        except Exception as other:
            return "raises alike" if type(other) is type(error) else "wrong"
        return "wrong"
    if np.ndim(want) or not np.isrealobj(want) or not abs(want) < 1e6:
        return None
    try:
        value, slopes = run_quietly(df, traced)
    except sg.SrcgradError:
        return "refused"
    except Exception:
        return "wrong"
    if not same(value, want) or not alike(plain, traced):
        return "wrong"
    return of_slopes(fn, args, places, slopes)


@contextlib.contextmanager
def at_most(seconds):
    def end(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def of_one_shape(one, other):
    return seen(one, {}) == seen(other, {})


def of_slopes(fn, args, places, slopes):
    for place, slope in zip(places, slopes):
        try:
            near = run_quietly(differences, (fn, args, place))
            for number, (g, want) in enumerate(zip(sg.tree_flatten(slope)[0], near)):
                if want is not None and not close(g, want, 1e-4):
                    return "wrong" if is_smooth(fn, args, place, number) else "value only"
        except Exception:  # next to the point it raises
            return "value only"
    return "right"


def is_smooth(fn, args, place, number, step=1e-6):
    """Are the differences to both sides equal, for each number of a leaf?"""
    leaves, structure = sg.tree_flatten(args[place])
    base = float(run_quietly(fn, copy.deepcopy(args)))
    for index in np.ndindex(np.shape(leaves[number])):
        sides = []
        for way in (step, -step):
            moved = np.array(leaves[number])
            moved[index] += way
            inner = copy.deepcopy([*leaves[:number], moved if moved.ndim else float(moved),
                                   *leaves[number + 1:]])
            given = [*args]
            given[place] = sg.tree_unflatten(structure, inner)
            sides.append((float(run_quietly(fn, copy.deepcopy(given))) - base) / way)
        if not close(*sides, 1e-3):
            return False
    return True


# ---- kinds of programs -------------------------------------------------------------------------
def drawn(module, *settings, name="program", given="arguments"):
    """Seeds to programs with their arguments, by a module of generators."""
    made = importlib.import_module(module)
    arguments = getattr(made, given, None) or importlib.import_module("generator").arguments

    def of(seed):
        fn = getattr(made, name)(seed, *settings)[0]
        args = arguments(seed)
        return fn, args[0] if isinstance(args, list) else args

    return of


def of_objects(outside, unlike=False):
    objects = importlib.import_module("object_generator")

    def of(seed):
        fn = objects.program(seed, True, outside, unlike)[0]
        return fn, objects.arguments(seed, 5, fn, unlike)

    return of


def of_graphs(seed):
    graphs = importlib.import_module("graph_generator")
    fn = graphs.program(seed)[0]
    return fn, (np.array([0.7, -0.4]), *graphs.arguments(seed, 5, fn))


def of_lists(seed):
    lists = importlib.import_module("list_generator")
    return lists.program(seed, True)[0], lists.given(seed, 4)


KINDS = {
    "assignments, views, branches, loops with exits, helpers": drawn("generator", 12),
    "with containers, objects, closures, `try`, effects": drawn("generator", 12, True),
    "with classes over containers, enumerations, iterators": drawn("generator_wide",
                                                                  name="wide_program"),
    "whole numbers that follow from data": drawn("count_generator"),
    "views handed on by calls, loops and generators": drawn("view_generator"),
    "arrays whose names change places": drawn("turn_generator"),
    "paths: `try`, `with`, `break`, loops in loops": drawn("path_generator"),
    "methods and functions of NumPy with their options": drawn("method_generator"),
    "loops over elements": drawn("kernel_generator"),
    "functions that call themselves": drawn("pair_generator"),
    "lists and lists of lists": drawn("list_generator"),
    "lists from outside": of_lists,
    "lists of objects": of_objects(False),
    "lists of objects from outside": of_objects(True),
    "lists of objects of two classes": of_objects(False, True),
    "objects that refer to one another": of_graphs,
}


def counted(of, seeds):
    found, strange = collections.Counter(), []
    for seed in seeds:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            became = outcome(*of(seed))
        found[became] += 1
        if became == "wrong":
            strange.append(seed)
    return found, strange


def main(count):
    print("| programs | number | " + " | ".join(OUTCOMES) + " |")
    print("|---" * (2 + len(OUTCOMES)) + "|")
    total = collections.Counter()
    for kind, of in KINDS.items():
        found, strange = counted(of, range(FIRST, FIRST + count))
        total += found
        row(kind, found, strange)
    row("**all**", total, [])


def row(kind, found, strange):
    number = sum(found[name] for name in OUTCOMES)
    print(f"| {kind} | {number} | " + " | ".join(str(found[name]) for name in OUTCOMES) + " |",
          flush=True)
    if strange:
        print(f"  wrong: {strange}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
