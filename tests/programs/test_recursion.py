"""Functions that call themselves: second order, forward mode, the split form, exported files."""

from __future__ import annotations

import copy
import importlib.util
import linecache
import re

import numpy as np
import pytest
import recursion
import recursion_objects
import recursion_shared
import recursion_state
from chain import close, differences, floats, inputs_of, same

import srcgrad as sg
from srcgrad.graph.interpret import interpret
from srcgrad.graph.lift import reachable
from srcgrad.graph.verify import verify
from srcgrad.trace.entry import trace
from srcgrad.types.tree import flatten

CASES = (recursion.CASES + recursion_state.CASES + recursion_objects.CASES
         + recursion_shared.CASES)
IDS = [fn.__name__ for fn, _ in CASES]
DEPTH_IS_A_NUMBER = ("best_so_far", "balanced_tree", "links_reversed")


@pytest.mark.parametrize(("fn", "args"), CASES, ids=IDS)
def test_joint_graph(fn, args):
    """The graph of value and gradient is valid; evaluated by copying it gives what the
    generated code gives."""
    compiled = sg.value_and_grad(fn, argnums=floats(args))
    value, slopes = compiled(*copy.deepcopy(args))
    entry = compiled._entries[0]
    verify(entry.graph)
    if fn.__name__ not in DEPTH_IS_A_NUMBER:  # its levels are inlined
        assert reachable(entry.graph), "nothing was called"
    import inspect

    bound = inspect.signature(fn).bind(*copy.deepcopy(args))
    bound.apply_defaults()
    found = interpret(entry.graph, *inputs_of(entry, bound.arguments))
    want = [value, *(leaf for slope in slopes for leaf in flatten(slope)[0] if leaf is not None)]
    assert len(found) == len(want)
    for a, b in zip(found, want):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("fn", "args"), CASES, ids=IDS)
def test_second_order(fn, args):
    place = floats(args)[0]
    gradient = sg.grad(fn, argnums=place)

    def slope(*args):
        total = 0.0
        for k, leaf in enumerate(flatten(gradient(*args))[0]):
            if leaf is not None:
                total = total + (k + 1) * np.sum(np.sin(leaf))
        return total

    found = flatten(sg.grad(slope, argnums=place)(*copy.deepcopy(args)))[0]
    for got, want in zip(found, differences(slope, args, place)):
        assert want is None or close(got, want, 2e-4)


@pytest.mark.parametrize(("fn", "args"), CASES, ids=IDS)
def test_forward_mode_and_pullback(fn, args):
    place = floats(args)[0]
    if isinstance(args[place], recursion.Walker):
        return

    def single(x):
        return fn(*args[:place], x, *args[place + 1:])

    x = args[place]
    v = np.linspace(0.5, 1.5, x.size).reshape(x.shape) if isinstance(x, np.ndarray) else 0.7
    gradient = sg.grad(single)(x.copy() if isinstance(x, np.ndarray) else x)
    if fn.__name__ == "writes_user_array":
        return  # each call works on what the one before has left
    value, moved = sg.jvp(single, (x,), (v,))
    np.testing.assert_allclose(moved, np.sum(gradient * v), rtol=1e-10)
    out, pullback = sg.vjp(single, x)
    assert same(out, single(x)) and same(value, out)
    for _ in range(2):
        (found,) = pullback(1.0)
        np.testing.assert_allclose(found, gradient, rtol=1e-12, atol=1e-14)
    curvature = sg.jvp(sg.grad(single), (x,), (v,))[1]
    product = sg.grad(lambda x: np.sum(sg.grad(single)(x) * v))(x)
    np.testing.assert_allclose(curvature, product, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("fn", "args"), CASES[::3], ids=IDS[::3])
def test_exported(fn, args, tmp_path):
    compiled = sg.value_and_grad(fn, argnums=floats(args))
    value, slopes = compiled(*copy.deepcopy(args))
    path = compiled.export(tmp_path / "exported.py", *copy.deepcopy(args))
    assert "srcgrad" not in "".join(
        line for line in path.read_text().splitlines() if "import" in line)
    spec = importlib.util.spec_from_file_location("exported", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    again, found = getattr(module, f"{fn.__name__}_value_and_grad")(*copy.deepcopy(args))
    assert same(again, value)
    assert same(found, slopes)


def test_one_text_for_every_depth():
    df = sg.value_and_grad(recursion.power)
    for n in (0, 1, 2, 5, 50):
        value, slope = df(1.01, n)
        assert np.isclose(value, 1.01**n) and np.isclose(slope, n * 1.01 ** max(n - 1, 0))
    assert df.cache_info().misses == 1


def test_one_text_for_every_size():
    df = sg.grad(recursion.halves_of_arrays)
    for n in (2, 3, 17, 64):
        x = np.linspace(0.1, 1.0, n)
        np.testing.assert_allclose(
            df(x), differences(recursion.halves_of_arrays, (x,), 0)[0], rtol=1e-5, atol=1e-8)
    assert df.cache_info().misses == 1


def test_deep_recursion_raises_what_python_raises():
    with pytest.raises(RecursionError):
        recursion.power(1.0, 100_000)
    with pytest.raises(RecursionError):
        sg.grad(recursion.power)(1.0, 100_000)


def test_many_calls_are_one_function():
    """Each call is traced, in time linear in their number; what is called is one function."""
    def nodes(count):
        lines = [f"    s = s + f(s * {1 + k % 7}.5)" for k in range(count)]
        text = "\n".join(["def f(y):", "    return y if y < 1.0 else f(y * 0.5) + 0.1", "",
                          "def program(s):", *lines, "    return s", ""])
        name = f"<{count} calls>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space = {}
        exec(compile(text, name, "exec"), space)
        traced = trace(space["program"], (0.3,), {}, [], "program")
        assert list(traced.graph.callees) == ["f"]
        return traced.nodes

    assert nodes(300) == 6 * nodes(50)


def test_text_is_deterministic():
    texts = {sg.value_and_grad(recursion.simpson).source(recursion.X) for _ in range(3)}
    assert len(texts) == 1


def endless(x):
    return endless(x * 0.5) + 1.0 if np.sum(x) > -1.0 else endless(x)


def written_twice(x):
    u = x * 1.0

    def fill(v):
        if u[0] + v[0] > 9.0:
            return 0.0
        v[0] += 1.0
        return fill(v)

    return fill(u) + np.sum(u)


def made_inside(x):
    def f(y):
        if y < 0.5:
            return lambda t: t * y
        return f(y * 0.5)

    return f(x[0])(x[1])


def dict_of_its_own(x):
    def f(p):
        p["a"] = p["a"] * 0.7
        if p["a"] < 0.2:
            return p["b"]
        return f({"a": p["a"] * 0.9, "b": p["b"] + p["a"]})

    return f({"a": x[0], "b": x[1]})


def unlike(x):
    if np.sum(x) < 1.0:
        return x
    if x[0] > 5.0:
        return {"x": x}
    return unlike(0.5 * x)


@pytest.mark.parametrize(("fn", "words"), [
    (endless, "calls it again"), (written_twice, "under another name"),
    (made_inside, "no common type"), (unlike, "no common"),
    (dict_of_its_own, "changes 'a dict'")])
def test_refused(fn, words):
    with pytest.raises(sg.SrcgradError, match=words):
        sg.grad(fn)(np.ones(3))


@pytest.mark.parametrize(("fn", "args"), recursion_objects.CASES,
                         ids=[fn.__name__ for fn, _ in recursion_objects.CASES])
def test_linked_objects_have_one_text_for_any_number(fn, args):
    """... and the values and slopes of plain Python."""
    compiled = sg.value_and_grad(fn)
    texts = set()
    for x in (args[0][:5], args[0]):
        value, slope = compiled(x)
        assert value == fn(x)
        assert close(slope, differences(fn, (x,), 0)[0])
        texts.add(compiled.source(x))
    assert fn.__name__ in DEPTH_IS_A_NUMBER or len(texts) == len(compiled._entries) == 1


@pytest.mark.parametrize(("fn", "args"), recursion_shared.CASES,
                         ids=[fn.__name__ for fn, _ in recursion_shared.CASES])
def test_nothing_is_copied_for_each_call(fn, args):
    """No call copies, makes or adds up a whole cotangent of what is handed on, and no iteration
    copies a list: the gradient would take a time of another order than the function."""
    text = sg.value_and_grad(fn).source(*copy.deepcopy(args))
    backward = [part for part in text.split("\ndef ")[1:]
                if part.partition("(")[0].endswith("_backward")]
    assert backward
    if fn.__name__ not in ("arrays_that_change_places", "sorted_by_merging"):
        assert not re.search(r"np\.zeros\(|zeros_like|\.copy\(|= list\(|zip\(|\[0\.0\] \*",
                             "\n".join(backward)), text
    for part in backward:
        loops = re.findall(r"\n( *)for .*:((?:\n\1 .*)+)", part)
        assert not any("list(" in body for _, body in loops), text
