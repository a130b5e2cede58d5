"""Texts of generated code: they live as long as their functions, names in them may be any, and
exceptions that pass through are shown alone."""

from __future__ import annotations

import gc
import importlib.util
import itertools
import linecache
import random
import traceback
import types
import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.cache.link import LINE_MAPS

X, W = np.array([0.3, -0.5, 0.8]), np.array([0.2, 0.7, 0.4])
NUMBER = itertools.count()


def defined(text):
    """The function ``f`` of a text that nothing else has."""
    file = f"<text {next(NUMBER)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"numpy": np, "size": len}
    exec(compile(text, file, "exec"), space)
    return space["f"]


# ---- how long texts live ---------------------------------------------------------------------
def texts():
    """How many texts and line maps there are; what a collection frees may be all that kept others."""
    while gc.collect():
        pass
    return sum(name.startswith("<srcgrad") for name in linecache.cache), len(LINE_MAPS)


def used(k):
    f = defined(f"def f(x):\n    return numpy.sum(numpy.sin(x) * {k}.0)\n")
    sg.grad(f)(X)
    sg.vjp(f, X)[1](1.0)
    sg.jvp(f, (X,), (X,))
    g = defined(f"def f(x):\n    return x[{k} % 3] / 0.0 if x[0] > 9 else x[5]\n")
    with pytest.raises(IndexError):
        sg.grad(g)(X)


@pytest.mark.long
def test_texts_die_with_their_functions():
    """What the latest functions have left in caches of a fixed size may stay."""
    before = texts()
    for k in range(60):
        used(k)
    assert all(now < then + 80 for now, then in zip(texts(), before))  # of more than 200


def test_a_text_is_there_while_something_of_it_lives():
    _, pullback = sg.vjp(defined("def f(x):\n    return x ** 2\n"), X)
    assert texts()[0] >= 1
    slope = sg.grad(defined("def f(x, i):\n    return x[i] * 2.0\n"))
    slope(X, 1)
    with pytest.raises(IndexError) as caught:
        slope(X, 7)
    del slope
    gc.collect()
    assert "d_x[i]" in "".join(traceback.format_exception(caught.value))
    assert np.array_equal(pullback(np.ones(3))[0], 2 * X)


# ---- exceptions --------------------------------------------------------------------------------
def inner(x):
    return np.linalg.inv(x[:2])


def raising(x):
    return np.sum(inner(x * 2))


@pytest.mark.parametrize("call", [
    lambda x: sg.grad(raising)(x), lambda x: sg.jit(raising)(x), lambda x: sg.vjp(raising, x),
    lambda x: sg.jvp(raising, (x,), (x,)), lambda x: sg.jacobian(raising)(x)])
def test_an_exception_of_the_program_is_shown_once_and_alone(call):
    with pytest.raises(np.linalg.LinAlgError) as caught:
        call(np.ones((3, 4)))
    assert caught.value.__context__ is None and caught.value.__cause__ is None
    assert len("".join(traceback.format_exception(caught.value)).splitlines()) < 40


# ---- names -------------------------------------------------------------------------------------
NAMES = (
    "np sum len float int range math max print zip list tuple out d_x grad value f f_grad saved i k n "
    "numpy args shape d_out getattr type isinstance copy MISS _target _v0 _r0 _s0_0 _p0 hasattr id "
    "slice KeyError _c0 _ndarray complex bool enumerate min pow object _ __x__ match case axis temp w "
    "v scipy Exception repr str operator np_2 _function _owner _defaults").split()
BODIES = (
    "    {c} = numpy.tanh({a} @ {b})\n"
    "    {c} = {c} * numpy.mean({a} ** 2, axis=0) + {a}.shape[0]\n    return {c}\n",
    "    t = 0.0\n    for {c} in range(3):\n        t = t + numpy.sum(numpy.sin({a}) * {b} * {c})\n"
    "    return t\n",
    "    {c} = {a}.copy()\n    for q in range(size({a})):\n"
    "        {c}[q] = numpy.where({c}[q] > 0.1, {c}[q] * {b}[q], {a}[q] ** 2)\n"
    "    if {c}[0] > 0.01:\n        {c} = {c} * 2.0\n"
    "    return numpy.linalg.norm({c}) + numpy.max({b} * {c})\n",
    "    {c} = [{a}[q] * 2.0 for q in (0, 1, 2)]\n    {c}.append({b}[1])\n"
    "    while {c}[-1] < 5.0:\n        {c}.append({c}[-1] * 1.5 + {a}[0])\n"
    "    return numpy.sum(numpy.array({c}))\n",
)


def check_names(a, b, c, body, tmp_path):
    text = f"def f({a}, {b}):\n{body.format(a=a, b=b, c=c)}"
    f, unlike = defined(text), defined(f"def f(p0, p1):\n{body.format(a='p0', b='p1', c='local')}")
    try:
        value = f(X.copy(), W.copy())
    except (AttributeError, TypeError, UnboundLocalError):
        return  # the name hides what the program needs
    gradient = sg.grad(unlike, argnums=(0, 1))(X, W)
    compiled = sg.value_and_grad(f, argnums=(0, 1))
    found, slopes = compiled(X.copy(), W.copy())
    again, _ = compiled(**{a: X.copy(), b: W.copy()})
    assert found == again == value, text
    assert all(map(np.array_equal, slopes, gradient)), text
    file = tmp_path / f"exported_{next(NUMBER)}.py"
    compiled.export(file)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found, slopes = module.f_value_and_grad(X.copy(), W.copy())
    assert found == value and all(map(np.array_equal, slopes, gradient)), text


def check_drawn(seed, tmp_path):
    drawn = random.Random(seed)
    check_names(*drawn.sample(NAMES, 3), drawn.choice(BODIES), tmp_path)


def test_names(tmp_path):
    check_names("_", "np", "_v0", BODIES[0], tmp_path)
    check_names("np", "type", "_", BODIES[2], tmp_path)
    for seed in range(8):
        check_drawn(seed, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("start", range(100, 400, 10))
def test_many_names(start, tmp_path):
    for seed in range(start, start + 10):
        check_drawn(seed, tmp_path)


ODD = ("a b", "class", "ﬁ", "1", "x.y", "")


def test_names_of_attributes():
    holder = types.SimpleNamespace(**{name: 1.0 + i for i, name in enumerate(ODD)})

    def f(x, given):
        made = types.SimpleNamespace()
        total = 0.0
        for name in ODD:
            setattr(made, name, x * getattr(holder, name))
            total = total + np.sum(getattr(made, name) * getattr(given, name))
        setattr(given, "a b", total)
        return getattr(given, "a b") * 2.0

    given = types.SimpleNamespace(**{name: X * i for i, name in enumerate(ODD)})
    want = sum(2.0 * (1.0 + i) * i * X for i in range(len(ODD)))
    assert np.allclose(sg.grad(f)(X, given), want)


@pytest.mark.parametrize("name", [*ODD, "<lambda>", "None", "np", "sum", "_", "def"])
def test_names_of_functions(name, tmp_path):
    def helper(x, n):
        return x if n == 0 else np.sin(helper(x, n - 1))

    def f(x, n):
        return np.sum(helper(x, n) ** 2)

    want = sg.grad(f)(X, 3)
    f.__name__ = helper.__name__ = name
    slope = sg.grad(f)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(slope(X, 3), want)
    slope.export(tmp_path / "exported.py")
    compile((tmp_path / "exported.py").read_text(), "exported.py", "exec")
