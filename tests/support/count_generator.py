"""Random programs over whole numbers that follow from data: indices, factors, bounds and steps of
loops with every kind of range, in nested loops, counters of while loops; names that inner loops
bind and that are read after them; masks in loops; names that are a number or an array by the path."""

from __future__ import annotations

from typing import Any

import numpy as np
from generator import Lines, made


class Writer(Lines):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.loops: list[str] = []
        self.budget = 9

    def count(self) -> str:
        """A whole number, from data or not."""
        i = self.place()
        return self.pick(f"int({self.pick('x', 'w')}[{i}] * {self.pick('2', '3', '5')})", "k", "k",
                         f"int(np.sum({self.pick('x', 'w')} > {self.pick('0.4', '0.8')}))", "n",
                         "len(v)", f"int(abs(s)) % 5", f"int(np.argmax(x * {self.array()}[0]))",
                         "1", "2", *(self.loops * 3),
                         *(f"{name} + k" for name in self.loops))

    def place(self) -> str:
        """A number within the bounds of the arrays."""
        return self.pick("0", "1", "-1", "k % n", *(f"{name} % n" for name in self.loops * 2),
                         *(f"(k + {name}) % n" for name in self.loops),
                         *(f"(2 * {name} - k) % n" for name in self.loops))

    def index(self) -> str:
        return f"({self.count()}) % n" if self.random.random() < 0.7 else self.place()

    def array(self) -> str:
        return self.pick("x", "w", "y", "y", "z")

    def number(self) -> str:
        return self.pick(f"{self.array()}[{self.index()}]", f"{self.array()}[{self.index()}]", "s",
                         f"0.3 * ({self.count()})", "0.5", "np.sum(v)", "np.max(a)")

    def vector(self) -> str:
        a = self.array()
        return self.pick(a, f"{a} * {self.number()}", f"np.sin({a})", f"0.5 * {a} + y",
                         f"{a}[::-1]", f"np.roll({a}, {self.count()})", f"np.maximum(a, 0.4) * {a}",
                         f"a * {a}", f"{a}[[{self.index()}, {self.index()}, 0, 1, 2][:n]]")

    def bounds(self) -> str:
        c, d = self.count(), self.pick("2", "3", "1", "k + 1", f"1 + ({self.count()}) % 3")
        return self.pick(
            f"range(0, n, {d})", f"range(n - 1, -1, -({d}))", f"range({c} % 4, n + 2, {d})",
            f"reversed(range(0, n, {d}))", f"range(({c}) % 5)", f"range(2, 8, 3)",
            f"range(({c}) % 3, 5)", "range(n)", f"range(n, 0, -2)", f"range(0, ({c}) % 6, 2)")

    def loop(self) -> None:
        name = "ijl"[len(self.loops)]
        kind = self.random.randrange(6)
        if kind == 0:
            self.put(f"{name} = {self.pick('0', 'k', 'n - 1')}")
            down = self.random.random() < 0.4
            self.put(f"while {name} {'> -3' if down else '< n + 1'}:")
            self.depth += 1
            self.put(f"{name} {'-' if down else '+'}= {self.pick('1', '2', 'k + 1', f'1 + ({self.count()}) % 3')}")
            self.depth -= 1
        elif kind == 1:
            self.put(f"for {name}, u in enumerate({self.array()}, {self.count()}):")
        else:
            self.put(f"for {name} in {self.bounds()}:")
        self.loops.append(name)
        self.block()
        self.loops.pop()

    def statement(self) -> None:
        self.budget -= 1
        kind = self.random.randrange(18)
        t = self.pick("y", "z")
        if kind < 3:
            self.put(f"{t} = {self.vector()}")
        elif kind < 6:
            self.put(f"{t}[{self.index()}] {self.pick('', '+', '*')}= {self.number()}")
        elif kind == 6:
            self.put(f"{t} = {t} * w[{self.index()}]")
        elif kind == 7:
            self.put(f"k = {self.count()}")
        elif kind == 8:
            self.put(self.pick("k += 1", "k -= 1", f"k = (k + {self.count()}) % 7", "k = 2 * k % 5"))
        elif kind == 9:
            self.put(f"s = 0.7 * s + {self.number()}")
        elif kind == 10:
            self.put(f"v = {self.array()}[{self.array()} > {self.pick('0.4', '0.7', self.number())}]")
        elif kind == 11:
            self.put(self.pick("v = v * 1.5", f"v = np.append(v, {self.number()})",
                               f"s += np.sum(v * v)", f"v = y[:({self.count()}) % 4]"))
        elif kind == 12:
            self.put(f"a = {self.pick('0.3', self.number(), self.vector(), 'x', 'a + 0.1')}")
        elif kind == 13 and self.depth < 4:
            self.put(f"if {self.number()} > {self.pick('0.5', self.number())}:")
            self.block()
            if self.random.random() < 0.4:
                self.put("else:")
                self.block()
        elif self.depth < 4 and len(self.loops) < 3:
            self.loop()
        else:
            self.put(f"s = s * 0.9 + {self.number()}")

    def block(self) -> None:
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        self.depth -= 1

    def program(self) -> str:
        self.put("n = len(x)")
        self.put("k = int(x[0] * 3.0)")
        self.put("s = 0.1")
        self.put("y = x * 1.0")
        self.put("z = x + w")
        self.put("v = x[x > 0.5]")
        self.put(f"a = {self.pick('0.3', 'x[0]', '1.0')}")
        while self.budget > 0:
            self.statement()
        self.put("return s + np.sum(y * w) + np.sum(z * z) * 0.1 + np.sum(v * v) + np.sum(a * x)")
        return "import numpy as np\n\n\ndef program(x, w):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[Any, str]:
    """The function of a seed, and its text."""
    text = Writer(seed).program()
    return made(text, f"counts{seed}"), text


def arguments(seed: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(seed)
    return tuple(np.round(draws.uniform(0.05, 1.3, 4) + 0.0037, 4) for _ in range(2))
