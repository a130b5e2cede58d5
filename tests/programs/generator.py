"""Random programs: whole functions made of assignments, aliases, views, in-place updates,
branches, loops with exits, lists, helpers and objects.

The text is deterministic for a seed; it is entered into linecache so that it can be staged.
"""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np

PRELUDE = '''
import numpy as np


class Box:
    def __init__(self, u, k):
        self.u = u
        self.k = k

    def push(self, w):
        self.u[1:] += 0.1 * w[:-1]
        self.k = self.k * 0.9 + w[0]
        return self.k


def bump(w, c):
    w[::2] += c
    return w


def blend(a, b, t=0.3):
    if np.sum(a) > np.sum(b):
        return t * a + (1 - t) * b
    return t * b
'''


class Writer:
    """One random function."""

    def __init__(self, seed: int, size: int = 12) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.arrays = ["x", "y", "a"]
        self.scalars = ["s", "t"]
        self.budget = size
        self.depth = 0
        self.loops = 0
        self.counter = 0
        self.index: list[str] = []

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def array(self) -> str:
        return self.random.choice(self.arrays)

    def scalar(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return self.random.choice(self.scalars)
        if kind < 0.7:
            return f"{self.array()}[{self.place()}]"
        if kind < 0.85:
            return f"np.sum({self.array()} * {self.array()})"
        return f"{self.random.uniform(-1, 1):.2f}"

    def place(self) -> str:
        if self.index and self.random.random() < 0.5:
            return f"{self.random.choice(self.index)} % 4"
        return str(self.random.randrange(-4, 4))

    def array_expression(self) -> str:
        a, b, c = self.array(), self.array(), self.scalar()
        return self.pick(
            f"np.tanh({a} + {b})", f"0.5 * {a} - 0.3 * {b}", f"{a} * np.tanh({c})",
            f"np.sin({a})", f"{a}.copy()", f"np.where({a} > {b}, {a}, 0.5 * {b})",
            f"{a}[::-1] * 0.7", f"blend({a}, {b})", f"np.cumsum({a}) * 0.3",
            f"np.concatenate([{a}[2:], {b}[:2]])")

    def condition(self) -> str:
        return self.pick(f"{self.scalar()} > {self.random.uniform(-0.5, 1):.2f}",
                         f"np.sum({self.array()}) < {self.random.uniform(0, 3):.2f}",
                         *([f"{self.random.choice(self.index)} > 1"] if self.index else []))

    def emit(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}{self.counter}"

    def block(self, most: int = 3) -> None:
        self.depth += 1
        for _ in range(self.random.randint(1, most)):
            self.statement()
        self.depth -= 1

    def statement(self) -> None:
        self.budget -= 1
        choices = [self.assign, self.assign, self.write, self.write, self.accumulate, self.reduce,
                   self.alias, self.view, self.listing, self.box, self.helper]
        if self.depth < 3 and self.budget > 0:
            choices += [self.branch, self.branch, self.loop, self.loop, self.while_loop]
        self.random.choice(choices)()

    def assign(self) -> None:
        target = self.pick(*self.arrays[2:])
        self.emit(f"{target} = {self.array_expression()}")

    def alias(self) -> None:
        target = self.pick(*self.arrays[2:])
        self.emit(f"{target} = {self.array()}")

    def write(self) -> None:
        w = self.pick(*self.arrays[2:])
        e, c = self.array(), self.scalar()
        self.emit(self.pick(
            f"{w}[1:] = {e}[:-1]", f"{w}[{self.place()}] = np.tanh({c})", f"{w}[:2] *= 0.5",
            f"{w} *= 0.8", f"{w}[1:] += 0.2 * {e}[:-1]", f"{w} -= 0.1 * {e}",
            f"{w}[::2] = {c} * 0.1", f"{w}[{w} > 1.5] = 0.3", f"{w}[[0, 2]] += 0.1 * {e}[:2]",
            f"{w}[::-1][1:] += 0.1 * {e}[1:]"))

    def accumulate(self) -> None:
        t = self.pick(*self.scalars[1:])
        self.emit(f"{t} = 0.5 * {t} + {self.scalar()}")

    def reduce(self) -> None:
        t = self.pick(*self.scalars[1:])
        self.emit(f"{t} += 0.1 * np.sum({self.array()} * {self.array()})")

    def view(self) -> None:
        v, w = self.fresh("v"), self.pick(*self.arrays[2:])
        self.emit(f"{v} = {w}[1:3]")
        self.emit(self.pick(f"{v} *= 0.7", f"{v} += {self.scalar()}", f"{v}[0] = 0.2"))

    def listing(self) -> None:
        if self.random.random() < 0.6:
            self.emit(f"L.append({self.pick(self.array() + '.copy()', self.scalar())})"
                      if self.random.random() < 0.3 else f"L.append({self.scalar()})")
        else:
            self.emit(f"{self.pick(*self.scalars[1:])} += 0.1 * len(L)")

    def box(self) -> None:
        t, w = self.pick(*self.scalars[1:]), self.array()
        self.emit(self.pick(f"o.u = 0.5 * o.u + {w}", f"{t} += 0.1 * o.push({w})",
                            "o.u[:2] *= 0.9", f"{t} = {t} + o.u[{self.place()}]"))

    def helper(self) -> None:
        w = self.pick(*self.arrays[2:])
        self.emit(self.pick(f"bump({w}, {self.scalar()} * 0.1)",
                            f"{w} = bump({w}.copy(), 0.2)"))

    def branch(self) -> None:
        self.emit(f"if {self.condition()}:")
        self.block()
        if self.loops and self.random.random() < 0.2:
            self.depth += 1
            self.emit(self.pick("break", "continue"))
            self.depth -= 1
        elif self.random.random() < 0.1:
            self.depth += 1
            self.emit(f"return {self.scalar()} * 0.5 + np.sum({self.array()})")
            self.depth -= 1
        if self.random.random() < 0.5:
            self.emit("else:")
            self.block()

    def loop(self) -> None:
        i = self.fresh("i")
        head = self.pick(f"for {i} in range(3):", f"for {i} in range(n):",
                         f"for {i} in range(1, 4):")
        self.emit(head)
        self.index.append(i)
        self.loops += 1
        self.block()
        self.loops -= 1
        self.index.pop()

    def while_loop(self) -> None:
        k = self.fresh("k")
        self.emit(f"{k} = 0")
        self.emit(f"while {k} < 3 and {self.scalar()} < 5.0:")
        self.depth += 1
        self.emit(f"{k} += 1")
        self.depth -= 1
        self.loops += 1
        self.block()
        self.loops -= 1

    def text(self) -> str:
        self.emit("a = x * 0.5 + y")
        self.emit("b = np.zeros(4)")
        self.arrays.append("b")
        self.emit("t = 0.0")
        self.emit("r = s * 1.5")
        self.scalars.append("r")
        self.emit("L = [0.5]")
        self.emit("o = Box(x.copy(), s)")
        for _ in range(self.random.randint(3, 6)):
            self.statement()
        self.emit("return t + r + np.sum(a * b) + np.sum(o.u) + o.k + 0.01 * len(L)")
        return "def program(x, y, s, n):\n" + "\n".join(self.lines) + "\n"


def program(seed: int, size: int = 12) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = PRELUDE + "\n\n" + Writer(seed, size).text()
    filename = f"<random program {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace: dict[str, Any] = {"__name__": "random_program"}
    exec(compile(text, filename, "exec"), namespace)
    return namespace["program"], text


def arguments(seed: int) -> tuple[Any, ...]:
    """Arguments for the program of a seed."""
    stream = np.random.RandomState(seed)
    return (stream.rand(4) + 0.2, stream.rand(4) - 0.3, float(stream.rand()), 3)
