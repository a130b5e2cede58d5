"""Ratios measured side by side in one run: gradient over primal, over hand-written gradients,
over autograd, JAX and PyTorch where these are installed; kernels; first calls; overhead of a call.

Run with one BLAS thread: OMP_NUM_THREADS=1 python benchmarks/side_by_side.py
Prints Markdown tables.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import statistics
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np

import srcgrad as sg

sys.path.insert(0, str(Path(__file__).parent))

import array_models
import kernels
import loops
import models
import others
import programs


def measured(*calls, budget=0.5, clock=time.process_time):
    """Least seconds of each call; the calls take turns, so that they share disturbances.
    CPU time, as other programs may run beside; wall time for libraries with threads."""
    counts = []
    for call in calls:
        call()
        began = clock()
        call()
        counts.append(max(1, int(0.004 / max(clock() - began, 1e-7))))
    least = [float("inf")] * len(calls)
    spent, rounds = 0.0, 0
    while rounds < 9 or spent < budget * len(calls):
        rounds += 1
        for i, (call, count) in enumerate(zip(calls, counts)):
            start = clock()
            for _ in range(count):
                call()
            took = clock() - start
            spent += took
            least[i] = min(least[i], took / count)
    return least


def shown(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def flat(gradient):
    return np.concatenate([np.ravel(g) for g in (
        gradient if isinstance(gradient, tuple) else (gradient,))])


def cases():
    """All measured programs: name, function, hand-written gradient, arguments, argnums."""
    return [*programs.arguments(), *models.cases(), *loops.cases()]


def steady():
    print("| program | function | value and gradient | over the function | hand-written over "
          "the function | ours over hand-written |")
    print("|---|---|---|---|---|---|")
    ratios = []
    for name, function, by_hand, args, argnums in cases():
        df = sg.value_and_grad(function, argnums=argnums)
        value, gradient = df(*args)
        hand_value, hand_gradient = by_hand(*args)
        assert value == function(*args), name
        assert np.isclose(value, hand_value), name
        assert np.allclose(flat(gradient), flat(hand_gradient)), name
        primal, ours, hand = measured(lambda: function(*args), lambda: df(*args),
                                      lambda: by_hand(*args))
        ratios.append(ours / hand)
        print(f"| {name} | {shown(primal)} | {shown(ours)} | {ours / primal:.2f} "
              f"| {hand / primal:.2f} | {ours / hand:.2f} |", flush=True)
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"\nours over hand-written: geometric mean {mean:.2f}, largest {max(ratios):.2f}")


def array_costs():
    """Programs over whole arrays, in three sizes each."""
    print("\n| array program | size | function | value and gradient | over the function "
          "| hand-written over the function | ours over hand-written |")
    print("|---|---|---|---|---|---|---|")
    ratios, costs = [], []
    for name, size, function, by_hand, args, argnums in array_models.cases():
        df = sg.value_and_grad(function, argnums=argnums)
        value, gradient = df(*args)
        hand_value, hand_gradient = by_hand(*args)
        assert value == function(*args), name
        assert np.isclose(value, hand_value), name
        assert np.allclose(flat(gradient), flat(hand_gradient)), name
        primal, ours, hand = measured(lambda: function(*args), lambda: df(*args),
                                      lambda: by_hand(*args), budget=0.12)
        ratios.append(ours / hand)
        costs.append(ours / primal)
        print(f"| {name} | {size} | {shown(primal)} | {shown(ours)} | {ours / primal:.2f} "
              f"| {hand / primal:.2f} | {ours / hand:.2f} |", flush=True)
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"\nours over hand-written: geometric mean {mean:.2f}, largest {max(ratios):.2f}; "
          f"over the function: median {np.median(costs):.2f}")


def kernel_costs():
    print("\n| kernel | function | value and gradient | over the function | peak memory "
          "| of the gradient |")
    print("|---|---|---|---|---|---|")
    ratios = []
    for name, function, args, argnums in kernels.cases():
        df = sg.value_and_grad(function, argnums=argnums)
        assert df(*args)[0] == function(*args), name
        primal, ours = measured(lambda: function(*args), lambda: df(*args))
        before, after = (peak(call, args) for call in (function, df))
        ratios.append(ours / primal)
        print(f"| {name} | {shown(primal)} | {shown(ours)} | {ours / primal:.2f} "
              f"| {before:.2f} MiB | {after:.2f} MiB |", flush=True)
    mean = np.exp(np.mean(np.log(ratios)))
    print(f"\nover the function: geometric mean {mean:.2f}, largest {max(ratios):.2f}")


def peak(call, args):
    """The most memory that a call has at once, in MiB."""
    tracemalloc.start()
    call(*args)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / 2 ** 20


def first_calls():
    os.environ["SRCGRAD_CACHE_DIR"] = ""  # first calls find nothing
    x, w = np.random.default_rng(0).random((2, 50))
    times = []
    text = "import numpy as np\n\n\n" + inspect.getsource(programs.twenty_lines)
    for _ in range(7):  # code of its own each time: what is made for one serves all its functions
        df = sg.value_and_grad(load(text, "twenty_lines"), argnums=(0, 1))
        began = time.process_time()
        df(x, w, 5)
        times.append(time.process_time() - began)
    print("\n| first call | time |\n|---|---|")
    print(f"| 20 lines, the first in the process | {shown(times[0])} |")
    print(f"| 20 lines, median of the next six | {shown(statistics.median(times[1:]))} |")
    for statements in (100, 200, 400, 800, 1600):
        function = load(programs.make_long(statements))
        began = time.process_time()
        sg.value_and_grad(function)(x, w)
        took = time.process_time() - began
        print(f"| {statements} statements | {shown(took)} ({shown(took / statements)} each) |",
              flush=True)


def load(text, name="long"):
    """A function whose source is in a file."""
    path = Path(tempfile.mkdtemp()) / "long_program.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("long_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def overhead():
    print("\n| cached call | call | generated function | difference |\n|---|---|---|---|")
    x, y = np.ones(3), np.ones(3)
    scale = 2.0

    def one(x):
        return np.sum(x)

    def two(x, y):
        return np.sum(x * y)

    def captured(x):
        return np.sum(x) * scale

    def tree(p):
        return np.sum(p["a"]) + np.sum(p["b"])

    for name, function, args, flat_args in (
            ("one array", one, (x,), (x,)), ("two arrays", two, (x, y), (x, y)),
            ("an array and a captured number", captured, (x,), None),
            ("a dict of two arrays", tree, ({"a": x, "b": y},), (x, y))):
        df = sg.value_and_grad(function)
        df(*args)
        target = df._entries[0].target
        given = flat_args if flat_args is not None else (x, scale)
        whole, inner = measured(lambda: df(*args), lambda: target(*given))
        print(f"| {name} | {shown(whole)} | {shown(inner)} | {1e6 * (whole - inner):.2f} us |")


def in_other_libraries():
    """The same programs in other libraries, where they are installed."""
    found = {name: (f, args, argnums) for name, f, _, args, argnums in cases()}
    print("\n| program | library | its time | srcgrad | its time over ours |")
    print("|---|---|---|---|---|")
    for module, make in (("autograd", others.autograd_cases), ("jax", others.jax_cases),
                         ("torch", others.torch_cases)):
        if importlib.util.find_spec(module) is None:
            continue
        ratios = []
        for name, call in make(lambda name: found[name][1] if name in found else None):
            function, args, argnums = found[name]
            df = sg.value_and_grad(function, argnums=argnums)
            try:
                theirs, ours = measured(call, lambda: df(*args), clock=time.perf_counter)
            except Exception as error:
                print(f"| {name} | {module} | {type(error).__name__} | | |", flush=True)
                continue
            ratios.append(theirs / ours)
            print(f"| {name} | {module} | {shown(theirs)} | {shown(ours)} | {theirs / ours:.2f} |",
                  flush=True)
        print(f"| geometric mean | {module} | | | {np.exp(np.mean(np.log(ratios))):.2f} |")


if __name__ == "__main__":
    steady()
    array_costs()
    kernel_costs()
    first_calls()
    overhead()
    in_other_libraries()
