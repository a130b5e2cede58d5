"""The whole chain on one program:

plain Python == staged on the plain machine == graph interpreted == emitted code, with passes
on and off; gradients against central differences; arguments mutated alike.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import inspect
import random
import types
import warnings
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

import srcgrad as sg
from srcgrad.compile.requests import Request
from srcgrad.graph.interpret import interpret
from srcgrad.graph.verify import verify
from srcgrad.public.compiled import Compiled
from srcgrad.simplify.pipeline import PASSES
from srcgrad.stage import PlainMachine, stage
from srcgrad.types.guards import STEPS
from srcgrad.types.identifiers import signature_of
from srcgrad.types.tree import children, flatten, unflatten


def same(a: Any, b: Any) -> bool:
    """Equal to the last bit, with type, dtype and shape; containers part by part."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() and same(
            getattr(a, "__dict__", {}), getattr(b, "__dict__", {}))
    if isinstance(a, (float, complex, np.generic)):
        return repr(a) == repr(b)
    if isinstance(a, (list, tuple, deque)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, random.Random):
        return a.getstate() == b.getstate()
    if isinstance(a, np.random.Generator):
        return same(a.bit_generator.state, b.bit_generator.state)
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if hasattr(a, "__dict__") and not isinstance(a, (type, types.FunctionType)):
        return same(vars(a), vars(b))
    slots = [n for k in type(a).__mro__ for n in vars(k).get("__slots__", ())]
    if slots and children(a) is not None:
        return all(same(p, q) for (_, _, p), (_, _, q) in zip(children(a), children(b)))
    return bool(a == b)


def floats(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The arguments that have a derivative."""

    def varies(leaf: Any) -> bool:
        if isinstance(leaf, (np.ndarray, np.generic)):
            return leaf.dtype.kind in "fc"
        return type(leaf) in (float, complex)

    return tuple(i for i, a in enumerate(args) if any(varies(x) for x in flatten(a)[0]))


def differences(fn: Any, args: tuple[Any, ...], place: int, step: float = 1e-6) -> list[Any]:
    """Central differences of a scalar function for each leaf of one argument."""
    leaves, structure = flatten(args[place])
    found: list[Any] = []
    for number, leaf in enumerate(leaves):
        if not isinstance(leaf, (float, np.floating)) and not (
            isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f"
        ):
            found.append(None)
            continue
        base = np.asarray(leaf, dtype=float)
        slope = np.zeros(base.shape)
        for index in np.ndindex(*base.shape):
            ends = []
            for sign in (1, -1):
                moved = np.array(base)
                moved[index] += sign * step
                value: Any = moved if isinstance(leaf, np.ndarray) else float(moved)
                if isinstance(leaf, np.ndarray) and type(leaf) is not np.ndarray:
                    value = copy.deepcopy(leaf)  # of a class of the user's
                    value[...] = moved
                fresh = list(copy.deepcopy(args))
                inner = flatten(fresh[place])[0]
                inner[number] = value
                fresh[place] = unflatten(structure, inner)
                ends.append(float(np.real(fn(*fresh))))
            slope[index] = (ends[0] - ends[1]) / (2 * step)
        found.append(slope)
    return found


def close(got: Any, want: Any, tolerance: float = 2e-5, noise: float = 0.0) -> bool:
    got, want = np.asarray(got), np.asarray(want)  # also of classes of the user's
    scale = max(1.0, float(np.max(np.abs(want), initial=0.0)))
    return bool(np.allclose(got, want, rtol=tolerance, atol=tolerance * scale + noise))


def inputs_of(entry: Any, arguments: dict[str, Any]) -> list[Any]:
    """The graph's inputs, found by their paths."""

    def found(path: Any) -> Any:
        obj = arguments[path.root[1]] if path.root[0] == "arg" else entry.root(path.root[1])
        for kind, key in path.steps:
            obj = key(*([obj] * key.starts), *map(found, key.others)) if kind == "native" else (
                STEPS[kind].resolve(obj, key))
        return obj

    return [found(s.path) for s in entry.traced.sources]


def run_quietly(fn: Any, args: tuple[Any, ...]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn(*args)


def check(
    fn: Any,
    args: tuple[Any, ...],
    *,
    gradients: bool = True,
    staged: bool = True,
    passes: bool = True,
    oracle: bool = True,
) -> Any:
    """Assert the chain for one program; returns the compiled ``value_and_grad``."""
    plain_args = copy.deepcopy(args)
    want = run_quietly(fn, plain_args)
    if staged:
        staged_args = copy.deepcopy(args)
        value = stage(fn).run(PlainMachine(deep=True), staged_args, {}, fn=fn)
        assert same(value, want), f"staged: {value!r} != {want!r}"
    places = floats(args)
    compiled = sg.value_and_grad(fn, argnums=places)
    variants = [compiled]
    if passes:
        request = Request("value_and_grad", places, False, without=(*PASSES, "dead"))
        variants.append(Compiled(fn, request))
    for derivative in variants:
        for _ in range(2):
            given = copy.deepcopy(args)
            value, slopes = run_quietly(derivative, given)
            assert same(value, want), f"emitted: {value!r} != {want!r}\n{derivative.source()}"
            assert same(given, plain_args), f"arguments differ\n{derivative.source()}"
        if gradients:
            # what the rounding of a large value leaves in a difference of two of them
            noise = 2e-15 * float(np.max(np.abs(flatten(value)[0][0]), initial=0.0)) / 1e-6
            check_gradients(fn, args, places, slopes, derivative, noise)
    if oracle:
        check_interpreted(compiled, args, want, fn)
    return compiled


def check_interpreted(compiled: Any, args: tuple[Any, ...], want: Any, fn: Any) -> None:
    """The traced graph, evaluated by copying, gives the plain value."""
    primal = sg.jit(fn)
    run_quietly(primal, copy.deepcopy(args))
    entry = primal._entries[0]
    verify(entry.traced.graph)
    if any(node.op == "effect" for node in entry.traced.graph.block.nodes):
        return

    bound = signature_of(fn).bind(*copy.deepcopy(args))
    bound.apply_defaults()
    found = run_quietly(interpret, (entry.traced.graph, *inputs_of(entry, bound.arguments)))
    numbers = [x for x in flatten(want)[0] if isinstance(x, (float, np.generic, np.ndarray))]
    if len(numbers) == len(found) == 1:
        assert close(found[0], numbers[0], 1e-12), f"interpreted: {found[0]!r} != {numbers[0]!r}"


def check_gradients(
    fn: Any, args: tuple[Any, ...], places: tuple[int, ...], slopes: Any, derivative: Any,
    noise: float = 0.0,
) -> None:
    for place, slope in zip(places, slopes):
        got = flatten(slope)[0]
        expected = differences(fn, args, place)
        leaves = flatten(args[place])[0]
        for leaf, g, w in zip(leaves, got, expected):
            if w is None:
                continue
            kind = np.ndarray if isinstance(leaf, np.ndarray) else type(leaf)
            assert type(g) is kind, f"gradient is {type(g)}, argument {type(leaf)}"
            if isinstance(leaf, np.ndarray):
                assert g.dtype == leaf.dtype.newbyteorder("="), f"gradient of {g.dtype}"
            assert close(g, w, noise=noise), f"argument {place}: {g} != {w}\n{derivative.source()}"


def check_orders(fn: Any, args: tuple[Any, ...], *, smooth: bool = True) -> None:
    """Second derivatives backward and forward, against differences of the gradient if it is
    ``smooth``, and forward mode against the gradient."""
    rng = np.random.default_rng(0)
    places = floats(args)
    _, slopes = run_quietly(sg.value_and_grad(fn, argnums=places), copy.deepcopy(args))
    tangents: list[Any] = [None] * len(args)
    along = 0.0
    for place, slope in zip(places, slopes):
        leaf = args[place]
        if not isinstance(leaf, (float, np.ndarray)) or np.asarray(leaf).dtype != np.float64:
            return
        direction: Any = rng.normal(size=np.shape(leaf))
        direction = direction if isinstance(leaf, np.ndarray) else float(direction)
        gradient = sg.grad(fn, argnums=place)

        def slope_along(*moved: Any, g: Any = gradient, d: Any = direction) -> float:
            return float(np.sum(run_quietly(g, moved) * d))

        got = run_quietly(sg.hvp(fn, argnums=place), (*copy.deepcopy(args), direction))
        if smooth:
            (want,) = differences(slope_along, args, place, 1e-5)
            assert close(got, want, 1e-4), f"order 2, argument {place}: {got} != {want}"
        moving = [direction if i == place else None for i in range(len(args))]
        turned = run_quietly(sg.jvp, (gradient, copy.deepcopy(args), moving))[1]
        assert close(got, turned, 1e-7), f"order 2, argument {place}: {got}, forward {turned}"
        tangents[place] = direction
        along += float(np.sum(slope * direction))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, moved = sg.jvp(fn, copy.deepcopy(args), tangents)
    assert close(moved, along, 1e-7), f"forward: {moved} != {along}"


def check_exported(fn: Any, args: tuple[Any, ...], directory: Path) -> None:
    """The exported module gives the bits of the compiled function."""
    derivative = sg.value_and_grad(fn, argnums=floats(args))
    want = run_quietly(derivative, copy.deepcopy(args))
    path = derivative.export(directory / "exported.py", *copy.deepcopy(args))
    spec = importlib.util.spec_from_file_location("exported", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert "srcgrad" not in vars(module)
    exported = getattr(module, f"{fn.__name__}_value_and_grad")
    found = inspect.getclosurevars(fn)
    given = {name: obj for name, obj in (*found.globals.items(), *found.nonlocals.items())
             if (parameter := inspect.signature(exported).parameters.get(name)) is not None
             and parameter.default is parameter.empty}  # objects that cannot be written down
    exported = functools.partial(exported, **given)
    assert same(run_quietly(exported, copy.deepcopy(args)), without_classes(want))


def without_classes(x: Any) -> Any:
    """As an exported module returns it, which knows no classes of the program: instances are
    dicts of their fields, named tuples are tuples."""
    parts = children(x)
    if parts is None:
        return np.asarray(x) if isinstance(x, np.ndarray) else x
    inner = [without_classes(part) for _, _, part in parts]
    if isinstance(x, (list, tuple, deque)) and len(parts) == len(x):
        return tuple(inner) if isinstance(x, tuple) else inner
    return dict(zip([key for _, key, _ in parts], inner))
