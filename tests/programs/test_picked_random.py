"""Random programs over objects that are picked by data, linked, sorted and changed."""

from __future__ import annotations

import linecache
import random
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "adjoint"))

from chain import check
from orders import check_second


class Point:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.n = 0
        self.v = np.array([a, b])
        self.next = None
        self.memo = None
        self.pal = None

    def value(self):
        if self.memo is None:
            self.memo = self.a * self.b
        return self.memo

    def other(self):
        return self.pal.a if self.pal is not None else 0.3

    def step(self, z):
        self.a = self.a * 0.9 + z
        self.n += 1
        return self.b * self.a


def program(seed):
    """A function of two arrays of four numbers and an int, and its text."""
    r = random.Random(seed)
    names = ["points[0]", "points[1]"]
    lines = ["points = [Point(x[i], y[i]) for i in range(3)]",
             "for i in range(3): points[i].next = points[(i + 1) % 3]", "t = 0.3"]
    depth = made = 0

    def value():
        one = r.choice(names)
        return r.choice([f"x[{r.randrange(4)}]", "t * 0.1", f"{one}.a", f"{one}.b", "0.7",
                         f"{one}.v[0]", f"{one}.value()", f"{one}.other()"])

    def named(expression):
        nonlocal made
        made += 1
        if depth == 0:
            names.append(f"q{made}")
        return f"q{made} = {expression}"

    for _ in range(r.randrange(6, 14)):
        field, one, other = r.choice("ab"), r.choice(names), r.choice(names)
        kind = r.randrange(15)
        if kind == 0:
            text = named(f"points[int(np.argmin([p.{field} for p in points]))]")
        elif kind == 1:
            text = named(f"{r.choice(['min', 'max'])}(points, key=lambda p: p.a * p.b)")
        elif kind == 2:
            text = f"points.sort(key=lambda p: p.{field})"
        elif kind == 3:
            text = f"{one}.{field} = {value()} * 0.8"
        elif kind == 4:
            text = f"{one}.{field} += {value()}"
        elif kind == 5:
            text = f"t += np.sin({value()}) * {value()}"
        elif kind == 6:
            text = f"t += {one}.step({value()})"
        elif kind == 7:
            text = f"{one}.v = np.array([{value()}, {value()}])"
        elif kind == 8:
            text = named(f"{one}.next")
        elif kind == 9:
            text = f"t += {one}.n * 0.1 + ({value()} if {one} is {other} else 0.2)"
        elif kind == 12:
            text = f"{one}.memo = {r.choice(['None', f'{value()} * 0.8'])}"
        elif kind == 13 and depth == 0:
            text = f"{one}.pal = {r.choice([*names, 'None'])}"
        elif kind == 14:
            text = f"if {one}.memo is not None: t += {one}.memo ** 2"
        elif depth < 2:
            loop = f"for i{depth} in range(n):" if kind == 10 else f"if {value()} > {value()}:"
            lines.append("    " * depth + loop)
            depth += 1
            text = f"t += {value()} * 0.5"
        else:
            depth -= 1
            text = f"t += {value()}"
        lines.append("    " * depth + text)
    lines.append("total = t")
    lines.append("for i, p in enumerate(points): total += (i + 1) * p.a * p.b + p.n + p.v[1] + p.other()")
    lines.append("for p in points: total += 0.0 if p.memo is None else p.memo")
    lines.append("return total")
    text = "def program(x, y, n):\n" + "".join(f"    {line}\n" for line in lines)
    name = f"<picked {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace = {"np": np, "Point": Point}
    exec(compile(text, name, "exec"), namespace)
    return namespace["program"]


def run(seed, second=False, **options):
    numbers = np.random.RandomState(seed)
    fn, args = program(seed), (numbers.randn(4), numbers.randn(4), 2)
    check(fn, args, **options)
    if second:
        check_second(fn, args)


@pytest.mark.parametrize("seed", range(10))
def test_random_program(seed):
    run(seed, staged=False, passes=False, oracle=False)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(10, 60))
def test_random_program_at_length(seed):
    run(seed, second=seed % 2 == 0)
