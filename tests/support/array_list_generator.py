"""Random programs over lists of arrays that change in place: views of one array, and arrays of
their own, which lists, names and objects share."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from random_gradients import made

PRELUDE = '''
import numpy as np


class Box:
    def __init__(self, part):
        self.part = part


def bump(row, c):
    row += c
    return row


'''


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.stream = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0

    def put(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def pick(self, *choices: str) -> str:
        return self.stream.choice(choices)

    def index(self) -> str:
        return self.pick("0", "-1", "k", *(f"i{n}" for n in range(1, self.loops + 1)))

    def item(self) -> str:
        return self.pick("L", "L", "M") + f"[{self.index()} % n]"

    def array(self) -> str:
        return self.pick(self.item(), self.item(), "v", "w", "o.part", f"A[{self.index()} % n]")

    def new(self) -> str:
        return self.pick(f"{self.array()} * 0.5", f"{self.array()}.copy()", "np.ones(m) * 0.3",
                         f"A[{self.index()} % n] * 1.0", f"np.sin({self.array()})")

    def test(self) -> str:
        return self.pick(f"{self.array()}[0] > 0.2", "s > 1.0", f"np.sum({self.array()}) < 0.5")

    def statement(self, room: int) -> None:
        roll = self.stream.random()
        if roll < 0.3:
            self.put(self.pick(
                f"{self.array()}[...] *= 0.9", f"{self.item()} += 0.1 * {self.array()}",
                f"{self.array()}[1] = 0.5 * s", "A *= 0.95", f"A[{self.index()} % n] += 0.1",
                f"bump({self.item()}, 0.05)", "v += 0.1", "w *= 0.8", "o.part[0] = 0.2"))
        elif roll < 0.45:
            self.put(self.pick(
                f"v = {self.array()}", f"w = {self.item()}", f"v = {self.new()}",
                f"o.part = {self.array()}", f"w = v if {self.test()} else w", "v, w = w, v",
                f"o = Box({self.array()})"))
        elif roll < 0.6:
            self.put(self.pick(
                f"{self.item()} = {self.array()}", f"{self.item()} = {self.new()}",
                "L[0], L[k % n] = L[k % n], L[0]", "L.reverse()", "M = L[:]", "L, M = M, L",
                "L = sorted(L, key=lambda r: r[0])", "L.append(L.pop(0))"))
        elif roll < 0.7:
            self.put(f"s += 0.1 * np.sum({self.array()} * {self.array()})")
        elif roll < 0.75:
            self.put(f"s += {self.array()} is {self.array()}")
        elif room > 0:
            if roll < 0.87:
                self.loops += 1
                i = f"i{self.loops}"
                self.put(self.pick(f"for {i} in range(n):", f"for {i}, v in enumerate(L):",
                                   f"for {i}, w in enumerate(M):"))
                self.block(room - 1)
                self.loops -= 1
            else:
                self.put(f"if {self.test()}:")
                self.block(room - 1)
                if self.stream.random() < 0.5:
                    self.put("else:")
                    self.block(room - 1)

    def block(self, room: int) -> None:
        self.depth += 1
        before = len(self.lines)
        for _ in range(self.stream.randint(1, 3)):
            self.statement(room)
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1

    def text(self) -> str:
        self.put("A, s, k = A.copy(), 0.1, int(abs(A[0, 0]) * 7.0)")
        self.put("n, m = A.shape")
        self.put("v, w = A[0], A[0] * 2.0")
        self.put("o = Box(v)")
        for name in "LM":
            self.put(self.pick(
                f"{name} = [A[j] for j in range(n)]", f"{name} = list(A)",
                f"{name} = [A[j] * 1.0 for j in range(n)]",
                f"{name} = [np.zeros(m) for _ in range(n)]", f"{name} = [v] * n",
                f"{name} = [A[n - 1 - j] for j in range(n)]"))
        for _ in range(self.stream.randint(3, 8)):
            self.statement(2)
        self.put("for one in L: s += np.sum(one * one)")
        self.put("return s + sum(np.sum(one) for one in M) + np.sum(v * w) + np.sum(A * A) "
                 "+ np.sum(o.part)")
        return PRELUDE + "def program(A):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> tuple[Any, str]:
    text = Writer(seed).text()
    return made(text, f"lists of arrays {seed}"), text


def arguments(seed: int) -> list[tuple[np.ndarray]]:
    stream = np.random.default_rng(seed)
    return [(stream.normal(size=(n, 3)) * 0.5,) for n in (4, 6, 3)]
