"""Random programs that write in place, with views and several names of one array: array_api_strict gives
the numbers of plain NumPy or refuses, whether its writes go in place or, as JAX's, make new arrays."""

from __future__ import annotations

import importlib.util
import random

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.array_api.namespace import Namespace

xp = pytest.importorskip("array_api_strict", reason="pip install array-api-strict")
PROGRAMS = 150
VECTORS, MATRICES = ["a", "b", "c"], ["q"]  # names that every program has
VALUES = ["{n}", "{n} * 2.0", "np.sin({n}) + {n}", "np.where({n} > 0.5, {n}, {n} * 0.5)", "{m} @ {n}",
          "np.maximum({n}, {n})", "{n}[::-1]", "np.array({n})", "np.flip({n})", "np.cumsum({n})", "{m}[1]",
          "{m}[:, 2]", "np.zeros(4)", "{n}.copy()", "np.real({n})", "np.ravel({n})", "{n}.astype(float)"]
SQUARES = ["{m}.T", "{m} * 0.5", "np.outer({n}, {n})", "{m}.copy()", "np.stack([{n}, {n}, {n}, {n}])",
           "{m}.reshape(16).reshape(4, 4)", "np.swapaxes({m}, 0, 1)"]
STATEMENTS = [
    "{w}[{i}] = {n}[{i}] * 1.5", "{w}[1:3] += {n}[2:] * {n}[0]", "{w}[1:3] = {n}[:2]", "{w} += {n}", "{w} *= {n}[1]",
    "{w}[:] = {v}", "{w}[{n} > 0.4] = 0.3", "{m}[{i}] = {n}", "{m}[:, {i}] += {n}", "{w} = {v}", "{w} = {w}",
    "{w}, {w} = {n}, {n}", "l = [{w}, {v}, {w}]\nl[0][{i}] = {n}[0]\n{w} = l[2]",
    "for i in range(k):\n    {w}[i] = {n}[i - 1] * 0.5", "for i in range(k):\n    {w} = {v}\n    {w}[i] += {n}[0]",
    "for row in {m}:\n    row[1] += {n}[0]", "if np.sum({n}) > 1.0:\n    {w} = {v}\n    {w}[1] = {n}[0]"]


def program(seed: int) -> str:
    """The text of a function of two vectors, a matrix and a number of rounds."""
    r = random.Random(seed)
    vectors, squares = list(VECTORS), list(MATRICES)

    def filled(text: str) -> str:
        while "{" in text:
            head, _, rest = text.partition("{")
            kind, _, tail = rest.partition("}")
            text = head + {
                "n": lambda: r.choice([*vectors, "x", "z"]), "m": lambda: r.choice(squares),
                "w": lambda: r.choice(vectors) if r.random() < 0.95 else "x", "i": lambda: str(r.randrange(4)),
                "v": lambda: r.choice(VALUES)}[kind]() + tail
        return text

    lines = ["a, b, c = x.copy(), z * 1.0, np.zeros(4)", "q = m.copy()"]
    for step in range(5):
        kind = r.random()
        if kind < 0.25:
            lines.append(f"y{step} = {filled('{v}')}")
            vectors.append(f"y{step}")
        elif kind < 0.35:
            lines.append(f"m{step} = {filled(r.choice(SQUARES))}")
            squares.append(f"m{step}")
        else:
            lines += filled(r.choice(STATEMENTS)).split("\n")
    total = " + ".join([f"{i + 1}.0 * np.sum({v} * {v})" for i, v in enumerate(vectors)]
                       + [f"np.sum({v} * {v})" for v in squares])
    body = "".join(f"    {line}\n" for line in [*lines, f"return {total}"])
    return f"def f{seed}(x, z, m, k):\n{body}\n\n"


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "programs_that_write.py"
    path.write_text("import numpy as np\n\n\n" + "".join(map(program, range(PROGRAMS))))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{seed}") for seed in range(PROGRAMS)]


def arguments():
    x = np.linspace(0.1, 0.9, 4)
    return x, np.cos(x), np.outer(x, x) + np.eye(4)


def written_anew(self, x, key, value):
    return in_place(self, self.xp.asarray(x, copy=True) if isinstance(x, self.kind) else x, key, value)


in_place = Namespace.written


@pytest.mark.long
@pytest.mark.parametrize("written", [in_place, written_anew])
def test_programs_that_write_are_right_or_refused(programs, written, monkeypatch):
    monkeypatch.setattr(Namespace, "written", written)
    right = 0
    for f in programs:
        plain, given, there = arguments(), arguments(), [xp.asarray(v) for v in arguments()]
        wanted = f(*plain, 3)
        try:
            value, gradient = sg.value_and_grad(f, argnums=(0, 1, 2))(*there, 3)
        except sg.UnsupportedOperation:
            for found, kept in zip(there, arguments(), strict=True):
                np.testing.assert_array_equal(np.from_dlpack(found), kept)
            continue
        right += 1
        np.testing.assert_allclose(float(value), wanted, rtol=1e-10, err_msg=f.__name__)
        expected = sg.value_and_grad(f, argnums=(0, 1, 2))(*given, 3)[1]
        for found, kept, d, e in zip(there, plain, gradient, expected, strict=True):
            np.testing.assert_array_equal(np.from_dlpack(found), kept)
            np.testing.assert_allclose(np.from_dlpack(d), e, rtol=1e-8, atol=1e-12, err_msg=f.__name__)
    assert right > PROGRAMS // 4
