"""Random programs of loops around array expressions: slices that overlap, reversed views, writes
in place, broadcasting, sums over axes, products, branches on numbers, rows and columns, reads and
additions at places that an array has."""

from __future__ import annotations

from typing import Any

import numpy as np
from random_loops import Writer

VECTORS = ["x", "y", "u", "v"]  # n elements
MATRICES = ["w", "z"]  # n rows, n columns


class _Arrays(Writer):
    def place(self) -> str:
        return self.draw.choice([*self.indices, *self.indices, "0", "-1"])

    def vector(self, depth: int = 2) -> str:
        """An expression of n elements."""
        draw, choice = self.draw, self.draw.random()
        if depth == 0 or choice < 0.25:
            return draw.choice(VECTORS)
        if choice < 0.35:
            return f"{draw.choice(VECTORS)}[{draw.choice(['::-1', '::-1', 'p', 'p[::-1]'])}]"
        if choice < 0.45:
            rows = f"{draw.choice(MATRICES)}[{self.place()}]"
            return draw.choice([rows, rows.replace("[", "[:, "), f"{draw.choice(MATRICES)}.T[0]",
                                f"{draw.choice(MATRICES)}[p, p]", f"w[{self.place()}, p]"])
        if choice < 0.5:
            return f"np.sum({self.matrix(depth - 1)}, axis={draw.choice([0, 1, -1])})"
        if choice < 0.55:
            return f"{draw.choice(MATRICES)} @ {draw.choice(VECTORS)}"
        if choice < 0.6:
            return f"np.where({draw.choice(VECTORS)} > 0.1, {self.vector(0)}, {self.vector(0)})"
        if choice < 0.65:
            return f"np.maximum({self.vector(0)}, {draw.choice(['0.0', 's', self.vector(0)])})"
        if choice < 0.7:
            return f"np.sqrt(1.0 + {self.vector(0)} ** 2)"
        op = draw.choice("+-*")
        other = draw.choice([self.vector(depth - 1), "s", "0.5", "c"])
        return f"({self.vector(depth - 1)} {op} {other})"

    def matrix(self, depth: int = 1) -> str:
        draw, choice = self.draw, self.draw.random()
        if depth == 0 or choice < 0.3:
            return draw.choice(["w", "z", "w.T", "z[::-1]", "w[:, ::-1]", "w[p]", "z[:, p]"])
        if choice < 0.5:
            return f"({self.vector(0)}[:, None] {draw.choice('+-*')} {self.vector(0)})"
        if choice < 0.6:
            return f"np.outer({self.vector(0)}, {self.vector(0)})"
        if choice < 0.7:
            return f"({draw.choice(MATRICES)} @ {draw.choice(MATRICES)})"
        return f"({self.matrix(depth - 1)} {draw.choice('+-*')} {draw.choice([self.matrix(0), 's', self.vector(0)])})"

    def part(self) -> str:
        """n - 1 elements."""
        a = self.draw.choice(VECTORS)
        return self.draw.choice([f"{a}[1:]", f"{a}[:-1]", f"{a}[:0:-1]", f"{a}[-2::-1]"])

    def number(self) -> str:
        draw, choice = self.draw, self.draw.random()
        if choice < 0.4:
            return f"np.sum({self.vector(1)})"
        if choice < 0.6:
            return f"np.dot({self.vector(0)}, {self.vector(0)})"
        if choice < 0.8:
            return f"{draw.choice(VECTORS)}[{self.place()}]"
        return f"s * {draw.choice(['0.5', 'c'])}"

    def statement(self, room: int) -> None:
        draw, choice = self.draw, self.draw.random()
        if choice < 0.2:
            self.line(f"{draw.choice(['u', 'v', 'y'])} = 0.3 * {self.vector()}")
        elif choice < 0.3:
            self.line(f"z = 0.2 * {self.matrix()}")
        elif choice < 0.45:
            a = draw.choice(["u", "v", "y"])
            target = draw.choice([f"{a}[1:]", f"{a}[:-1]"])
            self.line(f"{target} {draw.choice(['=', '+=', '-='])} 0.4 * ({self.part()} + {self.part()})"
                      if draw.random() < 0.6 else f"{target} = {self.part()}")
        elif choice < 0.55:
            a = draw.choice(["u", "v", "y"])
            self.line(f"{a}{draw.choice(['[:]', '[::-1]'])} {draw.choice(['=', '+='])} 0.5 * {self.vector(1)}")
        elif choice < 0.65:
            self.line(f"w[{self.place()}{draw.choice(['', ', ::-1', ', :'])}] {draw.choice(['=', '+=', '*='])} 0.5 * {self.vector(1)}")
        elif choice < 0.68:
            self.line(draw.choice([f"np.add.at({draw.choice('uvy')}, p, 0.5 * {self.vector(1)})",
                                   f"np.add.at(w, p, 0.5 * {self.matrix()})",
                                   f"{draw.choice('uvy')}[p] = 0.5 * {self.vector(1)}"]))
        elif choice < 0.7:
            self.line(f"w[:, {self.place()}] {draw.choice(['=', '-='])} 0.5 * {self.vector(1)}")
        elif choice < 0.85:
            self.line(f"s = 0.2 * s + 0.1 * {self.number()}")
        elif choice < 0.92 and room:
            self.line(f"if {draw.choice(VECTORS)}[{self.place()}] > 0.1:")
            self.inner(room)
            if draw.random() < 0.5:
                self.line("else:")
                self.inner(room)
        elif room:
            self.loop(room)
        else:
            self.line(f"{draw.choice(['u', 'v'])} += {self.vector(1)} * c")

    def inner(self, room: int) -> None:
        self.depth += 1
        for _ in range(self.draw.randint(1, 2)):
            self.statement(room - 1)
        self.depth -= 1

    def loop(self, room: int) -> None:
        i = "ijkl"[len(self.indices)]
        self.line("for {} in range({}):".format(i, self.draw.choice(["n", "n - 1, -1, -1", "n", "1, n"])))
        self.indices.append(i)
        self.depth += 1
        for _ in range(self.draw.randint(2, 4)):
            self.statement(room - 1)
        self.depth -= 1
        self.indices.pop()

    def program(self) -> None:
        self.line("s, n = 0.3, len(x)")
        self.line("y, u, v, w = y.copy(), x.copy(), x * 0.5, w.copy()")
        self.line("z = w * 0.5")
        for _ in range(self.draw.randint(1, 2)):
            self.loop(2)
        self.line("return s + np.sum(u * v) + np.sum(y) + np.sum(w * z)")


def program(seed: int) -> Any:
    """The function of a seed."""
    drawn = _Arrays(seed)
    drawn.program()
    return drawn.function("x, y, w, c, p", f"<arrays {seed}>")


def arguments(seed: int, n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n), rng.standard_normal(n), rng.standard_normal((n, n)), 0.4,
            rng.integers(-n, n, n) if n else np.zeros(0, int))
