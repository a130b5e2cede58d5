"""Random programs of what kernels hold: nests of loops over elements of arrays, branches, exits,
accumulators of either kind, indices that may leave the array."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np


class Writer:
    """Draws a program, line by line."""

    def __init__(self, seed: int) -> None:
        self.seed, self.draw = seed, random.Random(seed)
        self.compared = random.Random(f"compared {seed}")
        self.lines: list[str] = []
        self.indices: list[str] = []
        self.depth = 1

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def function(self, parameters: str, name: str) -> Any:
        """The function of the lines, whose source can be found."""
        text = f"import numpy as np\n\n\ndef f({parameters}):\n" + "\n".join(self.lines) + "\n"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        namespace: dict[str, Any] = {"__name__": "drawn"}
        exec(compile(text, name, "exec"), namespace)
        return namespace["f"]


class _Loops(Writer):
    numbers = ("s", "t", "c")

    def index(self) -> str:
        choice = self.draw.random()
        if not self.indices or choice < 0.1:
            return self.draw.choice(["0", "-1", "k"])
        i = self.draw.choice(self.indices)
        return i if choice < 0.7 else self.draw.choice([f"{i} - 1", f"-{i}", f"{i} // 2", f"p[{i}]"])

    def element(self) -> str:
        base = self.draw.choice(["x", "y", "w", "w"])
        if base == "w":
            return f"w[{self.index()}, {self.index()}]"
        return f"{base}[{self.index()}]"

    def number(self, depth: int = 2) -> str:
        choice = self.draw.random()
        if depth == 0 or choice < 0.2:
            return self.draw.choice([*self.numbers, "0.5", "2.0"])
        if choice < 0.5:
            return self.element()
        if choice < 0.6:
            return f"({self.number(0)}) / {self.draw.choice(['3.0', '(2.0 + c * c)'])}"
        if choice < 0.65:
            return f"np.sqrt(1.0 + ({self.number(0)}) * ({self.number(0)}))"
        if choice < 0.7:
            return f"abs({self.number(depth - 1)})"
        op = self.draw.choice("+-*")
        return f"({self.number(depth - 1)} {op} {self.number(depth - 1)})"

    def body(self, room: int) -> None:
        for _ in range(self.draw.randint(1, 3)):
            self.statement(room)

    def statement(self, room: int) -> None:
        choice = self.draw.random()
        if choice < 0.3:
            self.line(f"{self.draw.choice(['s', 't'])} += 0.1 * {self.number()}")
        elif choice < 0.34:
            self.line(f"s, t = {self.draw.choice(['t', '0.5 * t', '0.5'])}, s")
        elif choice < 0.4:
            self.line(f"{self.draw.choice(['s', 't'])} = 0.5 * {self.number()}")
        elif choice < 0.55:
            op = self.draw.choice(["=", "+=", "-="])
            self.line(f"{self.draw.choice(['y', 'z'])}[{self.index()}] {op} 0.3 * {self.number()}")
        elif choice < 0.65:
            self.line(f"n_big += {self.number()} > 0.2" if self.draw.random() < 0.3
                      else "count = count + 1")
        elif choice < 0.8 and room:
            self.branch(room)
        elif room:
            self.loop(room)
        else:
            self.line(f"w[{self.index()}, {self.index()}] = {self.number(1)}")

    def branch(self, room: int) -> None:
        test = f"{self.number(1)} > {self.number(0)}"
        if self.indices and self.compared.random() < 0.3:
            test = self.comparison()
        self.line(f"if {test}:")
        self.depth += 1
        self.body(room - 1)
        if self.indices and self.draw.random() < 0.2:
            self.line("break")
        self.depth -= 1
        if self.draw.random() < 0.5:
            self.line("else:")
            self.depth += 1
            self.body(room - 1)
            self.depth -= 1

    def comparison(self) -> str:
        """Of indices, which tells where elements lie."""
        i, j = (self.compared.choice([*self.indices, *self.indices, "k", "n - 1", "0"])
                for _ in range(2))
        return f"{i} {self.compared.choice(['==', '!=', '<', '<=', '>', '>='])} {j}"

    def loop(self, room: int) -> None:
        i = "ijklm"[len(self.indices)] if len(self.indices) < 2 else "q"
        self.line("for {} in range({}):".format(i, self.draw.choice(
            ["n", "len(x)", "1, n", "n - 1, -1, -1", "2", "0, n, 2", *self.indices,
             *(text.format(i) for i in self.indices[-1:] for text in ("{} + 1", "n - 1 - {}"))])))
        self.indices.append(i)
        self.depth += 1
        self.body(room - 1)
        self.depth -= 1
        self.indices.pop()

    def program(self) -> None:
        self.line("s, t, count, n_big, k = 0.0, {}, 0, 0, 1".format(
            self.draw.choice(["x[0]", "1.0"])))
        self.line("y, z, w = x.copy(), np.zeros(n), w.copy()")
        wide = random.Random(f"wide {self.seed}").random() < 0.2
        for _ in range(self.draw.randint(1, 3)):
            self.loop(2)
            if wide:  # more than 64 bits, between loops
                self.line("count = (count + 1) * 70001 * 70001 * 70001 * 70001 % 5")
        whole = " + np.sum(y) * np.sum(z) + np.sum(w)" if self.draw.random() < 0.7 else ""
        self.line(f"return s + t{whole} + 0.1 * count + n_big")  # Python's number, or NumPy's


def program(seed: int) -> Any:
    """The function of a seed."""
    drawn = _Loops(seed)
    drawn.program()
    return drawn.function("x, w, c, n, p", f"<loops {seed}>")


def arguments(seed: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    n = 1 + seed % 4
    return (rng.standard_normal(n), rng.standard_normal((n, n + seed % 2)), 0.4, n,
            rng.integers(0, n, n))
