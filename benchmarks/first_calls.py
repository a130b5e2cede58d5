"""Where the time of first calls goes: CPU milliseconds by stage of the pipeline.

    python benchmarks/first_calls.py                    # all programs
    python benchmarks/first_calls.py kalman "400 "      # those whose titles begin so
    python benchmarks/first_calls.py --profile kalman   # where it goes inside of one program

Each figure is the least of several first calls of functions made anew from the same text; the last
column is that of calls which find on disk what an earlier process has generated.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib.util
import inspect
import linecache
import os
import pstats
import subprocess
import sys
import tempfile
import time
import types
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "golden"))

import applications
import golden_programs
import programs

import srcgrad as sg

STAGES = ("stage", "trace", "joint", "simplify", "emit", "link", "rest")
APPLICATIONS = ("kalman_filter", "garch", "lennard_jones", "hodgkin_huxley", "shallow_water",
                "lstm", "attention", "truss", "thin_film", "lens_system")
GOLDEN = ("heat", "loss", "cholesky", "newton", "quadrature")
SIZES = (20, 100, 400, 1600)
FORMS = ("t = np.sin(t) + x", "u = t * w", "t = t + np.exp(-u)", "v = np.sum(u * t)",
         "t = t / (1.0 + v * v)")


class Clock:
    """CPU time by stage; what a stage calls of another one counts there."""

    def __init__(self):
        self.spent = dict.fromkeys(STAGES, 0.0)
        self.running = ["rest"]
        self.since = time.process_time()

    def switch(self):
        now = time.process_time()
        self.spent[self.running[-1]] += now - self.since
        self.since = now

    @contextmanager
    def during(self, stage):
        self.switch()
        self.running.append(stage)
        try:
            yield
        finally:
            self.switch()
            self.running.pop()


def entrances():
    """The functions at which each stage begins, wherever a module has them by name."""
    from srcgrad.compile import backends, compiler, joints
    from srcgrad.stage import convert, function, source
    return {"stage": [function.convert, function.find_source, function.read_later,
                      source.find_source, convert.convert],
            "trace": [compiler.trace],
            "joint": [joints.differentiate, joints.close, joints.pairs],
            "simplify": [joints.simplify, backends.batch_loops],
            "emit": [backends.emit], "link": [backends.link, compiler.Dispatch]}


@contextmanager
def clocked(clock):
    """Have the stages tell the clock when they begin and end."""
    replaced = []

    def telling(stage, function):
        @wraps(function, updated=())
        def told(*args, **kwargs):
            with clock.during(stage):
                return function(*args, **kwargs)
        return told

    for stage, functions in entrances().items():
        for one in {id(f): f for f in functions}.values():
            told = telling(stage, one)
            for name, module in list(sys.modules.items()):
                if not name.startswith("srcgrad" if isinstance(one, types.FunctionType)
                                       else "srcgrad.compile"):
                    continue  # a class is made where the pipeline makes it, no subclass of it is
                for key, value in list(vars(module).items()):
                    if value is one:
                        replaced.append((module, key, one))
                        setattr(module, key, told)
    try:
        yield
    finally:
        for module, key, one in replaced:
            setattr(module, key, one)


def loaded(text, name):
    """The function ``name`` of a module with this text, in a file of its own."""
    path = Path(tempfile.mkdtemp()) / "program.py"
    path.write_text(text)
    return getattr(executed(path), name)


def executed(path):
    """A module made of a file."""
    spec = importlib.util.spec_from_file_location("program", path)
    module = sys.modules["program"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def again(function):
    """The same function of a module that is loaded anew."""
    return getattr(executed(inspect.getsourcefile(function)), function.__name__)


def straight(statements):
    """A function of that many statements, one after the other."""
    lines = [f"    {FORMS[i % len(FORMS)]}" for i in range(statements)]
    return loaded("\n".join(["import numpy as np", "", "def long(x, w):", "    t = x.copy()",
                             *lines, "    return np.sum(t)", ""]), "long")


def nested(depth):
    """A function with that many loops in one another, a few statements in each."""
    lines = []
    for k in range(depth):
        lines += [f"for i{k} in range(n):", f"    a{k} = np.sin(t) * w",
                  f"    t = t + 0.1 * a{k} * i{k}", f"    s = s + np.sum(a{k} * t)"]
        lines = lines[:4 * k] + ["    " * k + line for line in lines[4 * k:]]
    return loaded("\n".join(["import numpy as np", "", "def nested(x, w, n):", "    t, s = x, 0.0",
                             *(f"    {line}" for line in lines), "    return s + np.sum(t)", ""]),
                  "nested")


def cases():
    """Title, function, arguments, numbers of the varied arguments."""
    x, w = np.random.default_rng(0).random((2, 50))
    yield "twenty lines", programs.twenty_lines, (x, w, 5), (0, 1)
    for name in GOLDEN:
        yield (name, *golden_programs.PROGRAMS[name])
    for field, program, arguments in applications.applications():
        if program.__name__ in APPLICATIONS:
            yield f"{program.__name__} ({field})", program, arguments, (0,)
    for depth in (1, 2, 3):
        yield f"nest of {depth}", nested(depth), (x, w, 2), (0,)
    for statements in SIZES:
        yield f"{statements} statements", straight(statements), (x, w), (0,)
        text = programs.make_long(statements)
        yield f"{statements} statements in place", loaded(text, "long"), (x, w), (0,)


def measured(function, args, argnums, rounds):
    """Least seconds of each stage, in the order of ``STAGES``, and of the whole call."""
    found = []
    for _ in range(rounds):
        fresh = again(function)
        linecache.checkcache()
        derivative, clock = sg.value_and_grad(fresh, argnums=argnums), Clock()
        with clocked(clock):
            clock.since = began = time.process_time()
            derivative(*args)
            clock.switch()
        found.append((*clock.spent.values(), time.process_time() - began))
    return np.min(found, axis=0)


def found(function, args, argnums, rounds):
    """Least seconds of a first call that finds its code on disk."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SRCGRAD_CACHE_DIR"] = folder
        sg.value_and_grad(again(function), argnums=argnums)(*args)
        times = measured(function, args, argnums, rounds)
        os.environ["SRCGRAD_CACHE_DIR"] = ""
    return times[-1]


def profiled(function, args, argnums):
    """Print where one first call spends its time."""
    sg.value_and_grad(again(function), argnums=argnums)(*args)
    derivative, profile = sg.value_and_grad(again(function), argnums=argnums), cProfile.Profile()
    profile.runcall(derivative, *args)
    for order in ("cumulative", "tottime"):
        pstats.Stats(profile).sort_stats(order).print_stats(60)


def import_times(rounds):
    """Least CPU seconds of importing NumPy, and of importing srcgrad after it."""
    code = ("import time; a = time.process_time(); import numpy; b = time.process_time(); "
            "import srcgrad; print(b - a, time.process_time() - b)")
    return np.min([[float(part) for part in subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()]
        for _ in range(rounds)], axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    os.environ["SRCGRAD_CACHE_DIR"] = ""
    chosen = [case for case in cases() if not options.names
              or any(case[0].startswith(name) for name in options.names)]
    if options.profile:
        for _, function, args, argnums in chosen:
            profiled(function, args, argnums)
        return
    numpy, ours = import_times(options.rounds)
    print(f"import: NumPy {1e3 * numpy:.0f} ms, srcgrad after it {1e3 * ours:.0f} ms\n")
    print(f"| program | {' | '.join(STAGES)} | first call, ms | found on disk, ms |")
    print("|---|" + "---|" * (len(STAGES) + 2))
    for title, function, args, argnums in chosen:
        row = [*measured(function, args, argnums, options.rounds),
               found(function, args, argnums, options.rounds)]
        print(f"| {title} | {' | '.join(f'{1e3 * v:.1f}' for v in row)} |", flush=True)


if __name__ == "__main__":
    main()
