"""Ratios measured side by side in one run: gradient over primal, over hand-written gradients,
over autograd, JAX and PyTorch where these are installed; first calls; overhead of a call.

Run with one BLAS thread: OMP_NUM_THREADS=1 python benchmarks/side_by_side.py
Prints Markdown tables.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import srcgrad as sg

sys.path.insert(0, str(Path(__file__).parent))

import programs


def measured(*calls, rounds=9, budget=0.15):
    """Median seconds of each call; the calls take turns, so that they share disturbances."""
    counts = []
    for call in calls:
        call()
        began = time.perf_counter()
        call()
        counts.append(max(1, int(budget / rounds / max(time.perf_counter() - began, 1e-7))))
    times = [[] for _ in calls]
    for _ in range(rounds):
        for call, count, found in zip(calls, counts, times):
            began = time.perf_counter()
            for _ in range(count):
                call()
            found.append((time.perf_counter() - began) / count)
    return [statistics.median(t) for t in times]


def shown(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def flat(gradient):
    return np.concatenate([np.ravel(g) for g in (
        gradient if isinstance(gradient, tuple) else (gradient,))])


def steady():
    print("| program | function | value and gradient | over the function | over hand-written |")
    print("|---|---|---|---|---|")
    for name, function, by_hand, args, argnums in programs.arguments():
        df = sg.value_and_grad(function, argnums=argnums)
        value, gradient = df(*args)
        hand_value, hand_gradient = by_hand(*args)
        assert np.isclose(value, hand_value), name
        assert np.allclose(flat(gradient), flat(hand_gradient)), name
        primal, ours, hand = measured(lambda: function(*args), lambda: df(*args),
                                      lambda: by_hand(*args))
        print(f"| {name} | {shown(primal)} | {shown(ours)} | {ours / primal:.2f} "
              f"| {ours / hand:.2f} |", flush=True)


def first_calls():
    x, w = np.random.default_rng(0).random((2, 50))
    times = []
    for _ in range(7):
        df = sg.value_and_grad(programs.twenty_lines, argnums=(0, 1))
        began = time.perf_counter()
        df(x, w, 5)
        times.append(time.perf_counter() - began)
    print("\n| first call | time |\n|---|---|")
    print(f"| 20 lines, the first in the process | {shown(times[0])} |")
    print(f"| 20 lines, median of the next six | {shown(statistics.median(times[1:]))} |")
    for statements in (100, 200, 400, 800, 1600):
        function = load(programs.make_long(statements))
        began = time.perf_counter()
        sg.value_and_grad(function)(x, w)
        took = time.perf_counter() - began
        print(f"| {statements} statements | {shown(took)} ({shown(took / statements)} each) |",
              flush=True)


def load(text):
    """A function whose source is in a file."""
    path = Path(tempfile.mkdtemp()) / "long_program.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("long_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.long


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


def others():
    """The same programs in other libraries, where they are installed."""
    rows = []
    for module, make in (("autograd", autograd_cases), ("jax", jax_cases),
                         ("torch", torch_cases)):
        if importlib.util.find_spec(module) is not None:
            rows += [(module, *case) for case in make()]
    if rows:
        print("\n| program | library | its time | srcgrad | its time over ours |")
        print("|---|---|---|---|---|")
    cases = {name: (f, args, argnums) for name, f, _, args, argnums in programs.arguments()}
    for module, name, call in rows:
        function, args, argnums = cases[name]
        df = sg.value_and_grad(function, argnums=argnums)
        theirs, ours = measured(call, lambda: df(*args))
        print(f"| {name} | {module} | {shown(theirs)} | {shown(ours)} | {theirs / ours:.2f} |",
              flush=True)


def _case(name):
    return next(c for c in programs.arguments() if c[0] == name)


def autograd_cases():
    import autograd
    import autograd.numpy as anp

    def mlp(params, X, y):
        W1, b1, W2, b2 = params
        return anp.mean((anp.dot(anp.tanh(anp.dot(X, W1) + b1), W2) + b2 - y) ** 2)

    df = autograd.value_and_grad(mlp)
    for name in ("MLP 32x8x16", "MLP 1024x256x512"):
        args = _case(name)[3]
        yield name, lambda args=args: df(args[:4], args[4], args[5])
    rosenbrock = autograd.value_and_grad(programs.rosenbrock)
    x = _case("Rosenbrock loop, n=100")[3][0]
    yield "Rosenbrock loop, n=100", lambda: rosenbrock(x)


def jax_cases():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def mlp(W1, b1, W2, b2, X, y):
        return jnp.mean((jnp.tanh(X @ W1 + b1) @ W2 + b2 - y) ** 2)

    def heat(u, alpha, steps):
        def body(carry, _):
            u, cost = carry
            u = u.at[1:-1].add(alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2]))
            return (u, cost + jnp.sum(u * u)), None

        return jax.lax.scan(body, (u, 0.0), None, length=steps)[0][1]

    df = jax.jit(jax.value_and_grad(mlp, argnums=(0, 1, 2, 3)))
    for name in ("MLP 32x8x16", "MLP 1024x256x512"):
        args = _case(name)[3]
        yield name, lambda args=args: jax.block_until_ready(df(*args))
    dh = jax.jit(jax.value_and_grad(heat, argnums=(0, 1)), static_argnums=2)
    for name in ("heat, n=64, 100 steps", "heat, n=4096, 100 steps"):
        args = _case(name)[3]
        yield name, lambda args=args: jax.block_until_ready(dh(*args))


def torch_cases():
    import torch

    torch.set_num_threads(1)

    def leaves(arrays):
        return [torch.tensor(a, requires_grad=True) for a in arrays]

    for name in ("MLP 32x8x16", "MLP 1024x256x512"):
        args = _case(name)[3]
        W1, b1, W2, b2 = leaves(args[:4])
        X, y = torch.tensor(args[4]), torch.tensor(args[5])

        def call(W1=W1, b1=b1, W2=W2, b2=b2, X=X, y=y):
            loss = torch.mean((torch.tanh(X @ W1 + b1) @ W2 + b2 - y) ** 2)
            return loss, torch.autograd.grad(loss, (W1, b1, W2, b2))

        yield name, call
    for name in ("heat, n=64, 100 steps", "heat, n=4096, 100 steps"):
        u0, alpha, steps = _case(name)[3]
        start, rate = leaves([u0, alpha])

        def call(start=start, rate=rate, steps=steps):
            u, cost = start.clone(), 0.0
            for _ in range(steps):
                lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
                u[1:-1] += rate * lap
                cost = cost + torch.sum(u.clone() ** 2)  # a copy: u is written to later
            return cost, torch.autograd.grad(cost, (start, rate))

        yield name, call


if __name__ == "__main__":
    steady()
    first_calls()
    overhead()
    others()
