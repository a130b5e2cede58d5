"""Programs nested more deeply than CPython's parser and compiler allow in one function."""

import importlib.util
import itertools

import numpy as np
import pytest

import srcgrad as sg

_numbers = itertools.count()


def branches(levels):
    """Ifs in each other; the backward part mirrors them."""
    lines = ["def f(x):", "    t = x * 1.0"]
    for i in range(levels):
        lines += [f"{' ' * (4 + i)}if t[0] > {-i}.5:", f"{' ' * (5 + i)}t = t * 1.01 + {i}.0"]
    return [*lines, "    return np.sum(t * t)"]


def chain(levels):
    """A long ``elif``; the backward part needs each test."""
    lines = ["def f(x):", "    t = x * 1.0"]
    for i in range(levels):
        lines += [f"    {'el' if i else ''}if t[0] > {levels - i}.5:", f"        t = t * {i}.5"]
    return [*lines, "    else:", "        t = t * t", "    return np.sum(t * t)"]


def loops(levels):
    lines = ["def f(x):", "    t = x * 1.0"]
    for i in range(levels):
        lines.append(f"{' ' * (4 + i)}for i{i} in range({2 if i < 3 else 1}):")
    return [*lines, f"{' ' * (4 + levels)}t = np.sin(t) * x", "    return np.sum(t * t)"]


def leaving(levels):
    """A ``break`` below many branches."""
    lines = ["def f(x):", "    t = x * 1.0", "    for i in range(9):"]
    for i in range(levels):
        lines += [f"{' ' * (8 + i)}if t[0] > {-i}.5:", f"{' ' * (9 + i)}t = t * 1.01"]
    pad = " " * (8 + levels)
    return [*lines, f"{pad}if t[0] > 1.5:", f"{pad} t = t * t", f"{pad} break",
            "        t = np.sin(t) + x", "    return np.sum(t * t)"]


@pytest.mark.long
@pytest.mark.parametrize(("program", "levels"), [
    (branches, 16), (branches, 90), (chain, 40), (chain, 200), (loops, 16), (loops, 19),
    (leaving, 12), (leaving, 17), (leaving, 40)])
def test_deep_nesting(program, levels, tmp_path):
    name = f"deep_program_{next(_numbers)}"
    path = tmp_path / f"{name}.py"
    path.write_text("\n".join(["import numpy as np", *program(levels), ""]))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = np.array([0.7, 1.3, 0.4])
    value, gradient = sg.value_and_grad(module.f)(x)
    assert value == module.f(x)
    assert sg.jit(module.f)(x) == value
    steps = 1e-6 * np.eye(3)
    expected = [(module.f(x + e) - module.f(x - e)) / 2e-6 for e in steps]
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)
