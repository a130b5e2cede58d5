"""Random loops that write elements, rows, columns and slices of a few arrays that swap names."""

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest

import srcgrad as sg

STATEMENTS = (
    "{M}[{i}, {j}] -= 0.3 * {N}[{a}, {b}] * {M}[{b}, {a}]",
    "{M}[{i}, {j}] = {M}[{i}, {j}] - 0.2 * np.sin({N}[{a}, {b}])",
    "{M}[{i}, {j}] /= 1.5 + {N}[{a}, {b}] ** 2",
    "{M}[{i}, :{v}] -= 0.2 * {N}[{a}, :{v}] * {M}[{i}, {j}]",
    "{M}[{i}, {j}] = {M}[{i}, {j}] - 0.1 * ({M}[{i}, :{v}] @ {N}[:{v}, {j}])",
    "{M}[:, {j}] = np.cos({M}[:, {a}]) + 0.5 * {M}[:, {j}]",
    "h = np.tanh(h + {M}[{i}, :])\ns += np.sum(h * h)",
    "A, B = B, A",
    "h = np.exp(0.1 * h) * {M}[:, {j}]\n{M}[{i}, 1:] += 0.1 * h[:-1]",
    "{M}[{i}, 1:-1] = 0.5 * ({M}[{a}, 2:] + {N}[{b}, :-2])",
    "e = np.exp({M}[{i}] - np.max({M}[{i}]))\ns += (e / e.sum())[{j}] * 2.0",
    "h[{i}] = h[{j}] * {M}[{a}, {b}]",
)


def program(seed):
    """The text of a function of two matrices and a vector."""
    rng = random.Random(seed)

    def index(names):
        v = rng.choice(names)
        return rng.choice([v, v, f"{v} - 1", "0", "1", f"n - 1 - {v}"])

    def block(names, indent):
        for _ in range(rng.randint(1, 3)):
            if len(names) < 2 and rng.random() < 0.35:
                lines.append(f"{indent}for j in range({rng.choice(['n', '1, n', 'n - 1'])}):")
                block([*names, "j"], indent + "    ")
                continue
            places = {k: index(names) for k in "ijab"}
            text = rng.choice(STATEMENTS).format(
                M=rng.choice("AB"), N=rng.choice("AB"), v=rng.choice(names), **places)
            lines.extend(indent + line for line in text.split("\n"))

    lines = ["import numpy as np", "", "", "def f(A, B, h):",
             "    A, B, h = A.copy(), B.copy(), h * 1.0", "    n = A.shape[0]", "    s = 0.0",
             "    for i in range(n):"]
    block(["i"], "        ")
    if rng.random() < 0.5:
        lines.append("    for i in range(1, n):")
        block(["i"], "        ")
    lines.append("    return s + np.sum(A ** 2) + np.sum(B * A) + np.sum(h ** 2)")
    return "\n".join(lines) + "\n"


def check(seed, folder):
    file = folder / f"stores_{seed}.py"
    file.write_text(program(seed))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng = np.random.default_rng(seed)
    args = [0.5 * rng.normal(size=(4, 4)), 0.5 * rng.normal(size=(4, 4)), rng.normal(size=4)]
    ways = [rng.normal(size=a.shape) for a in args]
    wanted = module.f(*args)
    if not abs(wanted) < 1e6:
        return
    value, gradients = sg.value_and_grad(module.f, argnums=(0, 1, 2))(*args)
    assert value == wanted, file.read_text()
    slope = sum(np.vdot(g, w) for g, w in zip(gradients, ways))
    differences = [sum(sign * module.f(*(a + sign * step * w for a, w in zip(args, ways)))
                       for sign in (1, -1)) / (2 * step) for step in (1e-4, 1e-5, 1e-6)]
    assert any(np.isclose(d, slope, rtol=1e-5, atol=1e-5) for d in differences), file.read_text()


@pytest.mark.parametrize("seed", range(15))
def test_gradient(seed, tmp_path):
    check(seed, tmp_path)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(15, 315))
def test_gradient_of_more(seed, tmp_path):
    check(seed, tmp_path)
